# bats file_tags=asan
load models
load sheets

# The arm of tests/fixtures/arm: two boxes of 2 x 2 x 4 one above the other, the elbow between them at (0, 0, 4). Point
# 16, the last, is (1, 1, 4) in the elbow's space. Both animations have two keyframes at 2 Hz, the second with one
# joint turned by 90 degrees about y, which takes (x, y, z) to (z, y, -x); half way it is
# ((x + z) sqrt(1/2), y, (z - x) sqrt(1/2)), so (1, 1, 4) is at (3.536, 1, 2.121).

setup() {
    cd "$BATS_TEST_TMPDIR"
    SHEETBAKE=$(cd "$OLDPWD" && realpath "$SHEETBAKE")
    cp -r "$ARM" arm
    write_md2 square.md2 gl
}

pose() {
    run --separate-stderr "$SHEETBAKE" pose "$@"
}

bend() {
    vertex 16 --animation arm/bend.md5anim "$@" arm/arm.md5mesh
}

swing() {
    vertex 16 --animation arm/swing.md5anim "$@" arm/arm.md5mesh
}

# bats test_tags=quick
@test "pose writes v, vt, vn, and an o per mesh in file order" {
    exits 0 pose arm/arm.md5mesh
    [ "$(grep -c '^v ' <<<"$output")" = 16 ]
    [ "$(grep -c '^vt ' <<<"$output")" = 16 ]
    [ "$(grep -c '^vn ' <<<"$output")" = 16 ]
    [ "$(grep '^o ' <<<"$output")" = $'o upper\no lower' ]
}

@test "pose keeps the triangles in file order with the stored winding" {
    pose arm/arm.md5mesh
    awk '$1 == "mesh" { base = 8 * meshes++ + 1 }
         $1 == "tri" { print "f", $3 + base, $4 + base, $5 + base }' arm/arm.md5mesh >stored
    awk '$1 == "f" { gsub("/[0-9]*/[0-9]*", ""); print }' <<<"$output" >written
    [ "$(wc -l <stored)" = 24 ]
    diff stored written
}

@test "pose writes t as stored" {
    awk '$1 == "vert" { print "vt", $4, $5 }' arm/arm.md5mesh >stored
    pose arm/arm.md5mesh
    grep '^vt' <<<"$output" | diff stored -
}

@test "a model without animation is posed in its bind pose, whatever the time" {
    [ "$(vertex 16 arm/arm.md5mesh)" = '1.000 1.000 8.000' ]
    [ "$(vertex 16 --time 0.3 arm/arm.md5mesh)" = '1.000 1.000 8.000' ]
    [ "$(vertex 16 --bind arm/arm.md5mesh)" = '1.000 1.000 8.000' ]
}

@test "--frames is a clip of an MD2's own keyframes, or one of them" {
    [ "$(vertex 1 --frames 3 square.md2)" = '0.000 0.000 30.000' ]
    [ "$(vertex 1 --frames 1-2 --frame 1 square.md2)" = '0.000 0.000 20.000' ]
    [ "$(vertex 1 --frames 1-2 --time 0.05 square.md2)" = '0.000 0.000 15.000' ]
    [ "$(vertex 1 --frames 1-2 --time 0.25 --clamp square.md2)" = '0.000 0.000 20.000' ]
    pose --frames 1-2 --frame 2 square.md2
    [[ "$status" = 2 && "$stderr" = *"no keyframe 2, 'frames' has 0-1"* ]]
    pose --frames 2-4 square.md2
    [[ "$status" = 2 && "$stderr" = *'square.md2: no keyframe 4, it has 0-3'* ]]
    pose --frames 3-2 square.md2
    [[ "$status" = 2 && "$stderr" = *"--frames: '3-2' is not a keyframe or a run"* ]]
    pose --frames 1 --animation Run square.md2
    [[ "$status" = 2 && "$stderr" = *'--frames and --animation cannot be used together'* ]]
    pose --frames 1 arm/arm.md5mesh
    [[ "$status" = 2 && "$stderr" = *'arm/arm.md5mesh: it has no keyframes of its own'* ]]
}

@test "at the time of a keyframe a pose is that keyframe" {
    [ "$(bend --time 0)" = '1.000 1.000 8.000' ]
    [ "$(bend --time 0.5)" = '4.000 1.000 3.000' ]
    [ "$(swing --time 0.5)" = '8.000 1.000 -1.000' ]
}

@test "--frame is a keyframe exactly" {
    [ "$(bend --frame 0)" = '1.000 1.000 8.000' ]
    [ "$(bend --frame 1)" = '4.000 1.000 3.000' ]
}

@test "between keyframes a joint turns evenly" {
    [ "$(bend --time 0.25)" = '3.536 1.000 6.121' ]
}

@test "local interpolation keeps the length of the arm, object shortens it" {
    [ "$(swing --time 0.25)" = '6.364 1.000 4.950' ]
    [ "$(swing --time 0.25 --interpolation local)" = '6.364 1.000 4.950' ]
    [ "$(swing --time 0.25 --interpolation object)" = '5.536 1.000 4.121' ]
}

@test "both interpolations agree at keyframes" {
    [ "$(swing --time 0.5 --interpolation object)" = '8.000 1.000 -1.000' ]
}

@test "a loop blends the last keyframe into the first, and wraps times on both sides" {
    [ "$(bend --time 0.75)" = '3.536 1.000 6.121' ]
    [ "$(bend --time 1)" = '1.000 1.000 8.000' ]
    [ "$(bend --time 1.5)" = '4.000 1.000 3.000' ]
    [ "$(bend --time -0.25 --loop)" = '3.536 1.000 6.121' ]
    [ "$(bend --time -0.5)" = '4.000 1.000 3.000' ]
}

@test "--clamp holds the first and the last keyframe" {
    [ "$(bend --clamp --time 0.25)" = '3.536 1.000 6.121' ]
    [ "$(bend --clamp --time 0.75)" = '4.000 1.000 3.000' ]
    [ "$(bend --clamp --time 1e6)" = '4.000 1.000 3.000' ]
    [ "$(bend --clamp --time -1)" = '1.000 1.000 8.000' ]
}

@test "normals turn with the joint" {
    # Point 16 has the normal (1, 1, 1) / sqrt(3) in the bind pose: two triangles of each of three sides.
    "$SHEETBAKE" pose --animation arm/bend.md5anim --frame 1 arm/arm.md5mesh >out.obj
    [ "$(grep '^vn' out.obj | tail -1 | awk '{ printf "%.3f %.3f %.3f", $2, $3, $4 }')" = '0.577 0.577 -0.577' ]
}

# The normal of each corner of each triangle.
corner_normals() { # arguments of pose
    "$SHEETBAKE" pose "$@" | awk '
        $1 == "vn" { normal[++n] = $2 " " $3 " " $4 }
        $1 == "f" { for (i = 2; i <= 4; i++) { split($i, corner, "/"); print normal[corner[3]] } }'
}

@test "a seam of the texture is not a crease: points at one place of a mesh have one normal" {
    # Every triangle with points of its own: all edges are seams.
    awk '$1 == "numverts" { next }
         $1 == "vert" { weights[$2] = $7 " " $8; next }
         $1 == "numtris" { print "numverts", 3 * $2; tris = $0; verts = ""; next }
         $1 == "tri" {
             for (i = 0; i < 3; i++)
                 verts = verts sprintf("vert %d ( %d %d ) %s\n", 3 * $2 + i, i % 2, $2 + i, weights[$(3 + i)])
             all = all sprintf("tri %d %d %d %d\n", $2, 3 * $2, 3 * $2 + 1, 3 * $2 + 2)
             next
         }
         $1 == "numweights" { printf "%s%s\n%s", verts, tris, all; all = "" }
         { print }' arm/arm.md5mesh >arm/seams.md5mesh
    [ "$("$SHEETBAKE" pose arm/seams.md5mesh | grep -c '^v ')" = 72 ]
    for pose in --bind '--animation arm/bend.md5anim --time 0.25'; do
        corner_normals $pose arm/arm.md5mesh >whole
        corner_normals $pose arm/seams.md5mesh >seams
        [ "$(wc -l <whole)" = 72 ]
        [ "$(sort -u whole | wc -l)" -ge 8 ]
        diff whole seams
    done
}

@test "an MD2 is posed in its first sequence, or the one named in any case" {
    [ "$(vertex 3 square.md2)" = '8.000 8.000 0.000' ]
    [ "$(vertex 3 --time 0.05 square.md2)" = '8.000 8.000 5.000' ]
    [ "$(vertex 3 --animation rUN square.md2)" = '8.000 8.000 20.000' ]
    [ "$(vertex 3 --animation Run --time 0.075 square.md2)" = '8.000 8.000 27.500' ]
    [ "$(vertex 3 --animation Run --time 0.175 square.md2)" = '8.000 8.000 22.500' ]
    [ "$(vertex 3 --animation Run --time 0.175 --clamp square.md2)" = '8.000 8.000 30.000' ]
    [ "$(vertex 3 --animation Run --frame 1 square.md2)" = '8.000 8.000 30.000' ]
    [ "$(vertex 3 --bind square.md2)" = '8.000 8.000 0.000' ]
}

@test "an .anm beside an MD2 names its clips" {
    echo 'rise 1 3 2' >square.anm
    [ "$(vertex 3 --animation rise --time 0.75 square.md2)" = '8.000 8.000 25.000' ]
}

@test "an .mdx beside an MD2 says which corners of its triangles share a normal" {
    [ "$("$SHEETBAKE" pose square.md2 | grep -c '^vn')" = 4 ]
    "$SHEETBAKE" pose square.md2 | grep '^f' | cut -d/ -f1 >faces
    write_mdx square.mdx 0 1 2 3 4 5
    "$SHEETBAKE" pose square.md2 >out.obj
    [ "$(grep '^vn' out.obj | awk '{ print $4 + 0 }' | xargs)" = '-1 -1 -1 -1 -1 -1' ]
    # GL commands are no corners of the table's triangles.
    [ "$("$SHEETBAKE" pose --geometry glcommands square.md2 | grep -c '^vn')" = 4 ]
    write_mdx square.mdx 0 1 2 3 4
    "$SHEETBAKE" pose square.md2 2>err | grep -c '^vn' | grep -qx 4
    grep -F 'square.mdx: 5 corners of triangles, but the model has 6' err
}

@test "a file given with --animation adds its clips, of which the first is posed" {
    echo 'rise 1 3 2' >other.anm
    [ "$(vertex 3 --animation other.anm square.md2)" = '8.000 8.000 10.000' ]
    echo 'fall 3 3 2' >square.anm
    [ "$(vertex 3 --animation other.anm square.md2)" = '8.000 8.000 10.000' ]
}

@test "GL commands draw the same triangles" {
    "$SHEETBAKE" pose --animation Run square.md2 >triangles.obj
    "$SHEETBAKE" pose --animation Run --geometry glcommands square.md2 >commands.obj
    diff <(grep -E '^(v|f) ' triangles.obj) <(grep -E '^(v|f) ' commands.obj)
}

@test "GL commands that are not there are an error" {
    write_md2 plain.md2
    exits 2 pose --geometry glcommands plain.md2
    [[ "$stderr" == 'sheetbake: plain.md2: no GL commands'* ]]
    exits 2 pose --geometry glcommands arm/arm.md5mesh
}

@test "an animation file is found by its path, or beside the model" {
    mkdir elsewhere
    mv arm/swing.md5anim elsewhere
    [ "$(vertex 16 --animation elsewhere/swing.md5anim --frame 1 arm/arm.md5mesh)" = '8.000 1.000 -1.000' ]
    [ "$(vertex 16 --animation bend.md5anim --frame 1 arm/arm.md5mesh)" = '4.000 1.000 3.000' ]
    # A path from the model's folder on may lead out of it.
    [ "$(vertex 16 --animation ../elsewhere/swing.md5anim --frame 1 arm/arm.md5mesh)" = '8.000 1.000 -1.000' ]
    head -n 20 arm/bend.md5anim >elsewhere/cut.md5anim
    exits 2 pose --animation ../elsewhere/cut.md5anim arm/arm.md5mesh
    [[ "$stderr" =~ ^'sheetbake: arm/../elsewhere/cut.md5anim: '[0-9]+': ' ]]
}

@test "--assets takes model and animation from the trees, in any case" {
    mkdir game
    mv arm game
    [ "$(vertex 16 --assets game --animation ARM/bend.md5anim --frame 1 Arm/arm.md5mesh)" = '4.000 1.000 3.000' ]
    [ "$(vertex 16 --assets game --animation BEND.md5anim --frame 1 arm/arm.md5mesh)" = '4.000 1.000 3.000' ]
    exits 2 pose --assets game game/arm/arm.md5mesh
    [[ $stderr == "sheetbake: game/arm/arm.md5mesh: no such file in the assets, did you mean 'arm/arm.md5mesh'?" ]]
}

@test "an unknown animation lists those there are, and the nearest" {
    exits 2 pose --animation stnad square.md2
    [[ "$stderr" == "sheetbake: square.md2: no animation 'stnad', did you mean 'stand'? (it has stand, Run)" ]]
    pose --animation swnig arm/arm.md5mesh
    [[ "$stderr" == *"did you mean 'swing.md5anim'? (it has bend.md5anim, swing.md5anim)" ]]
    pose --animation sleep square.md2
    [[ "$stderr" == "sheetbake: square.md2: no animation 'sleep' (it has stand, Run)" ]]
    rm arm/*.md5anim
    pose --animation walk arm/arm.md5mesh
    [[ "$stderr" == "sheetbake: arm/arm.md5mesh: no animation 'walk', and none beside it" ]]
}

@test "a broken animation file is an error that names it and the line" {
    head -n 20 arm/bend.md5anim >cut.md5anim
    exits 2 pose --animation cut.md5anim arm/arm.md5mesh
    [[ "$stderr" =~ ^'sheetbake: cut.md5anim: '[0-9]+': ' ]]
}

@test "a keyframe past the last is an error" {
    exits 2 pose --animation Run --frame 2 square.md2
    [[ "$stderr" == "sheetbake: square.md2: no keyframe 2, 'Run' has 0-1" ]]
    pose --frame 1 arm/arm.md5mesh
    [[ "$stderr" == *'no keyframe 1, the model has only its bind pose' ]]
}

@test "pose -o writes the same bytes to a file, and nothing else" {
    "$SHEETBAKE" pose arm/arm.md5mesh >expected.obj
    mkdir out
    exits 0 pose -o out/arm.obj arm/arm.md5mesh
    [ -z "$output" ]
    cmp expected.obj out/arm.obj
    [ "$(ls -A out)" = arm.obj ]
    pose -o - arm/arm.md5mesh
    [ "$output" = "$(cat expected.obj)" ]
}

@test "pose -o replaces a file only by a whole one" {
    echo old >arm.obj
    exits 2 pose -o arm.obj none.md5mesh
    [ "$(cat arm.obj)" = old ]
    exits 5 pose -o none/arm.obj arm/arm.md5mesh
    [[ "$stderr" == *none/arm.obj*'No such file or directory'* ]]
    exits 5 pose -o arm arm/arm.md5mesh
}

@test "pose -o writes into a device or a pipe in place of renaming over it" {
    "$SHEETBAKE" pose arm/arm.md5mesh >expected.obj
    mkfifo pipe
    timeout 120 cat pipe >through.obj 3>&- &
    timeout 120 "$SHEETBAKE" pose -o pipe arm/arm.md5mesh
    [ -p pipe ]
    wait $!
    cmp expected.obj through.obj
    # Through a link: should this ever fail, the machine keeps its device.
    ln -s /dev/full full
    exits 5 pose -o full arm/arm.md5mesh
    [ -L full ]
    [[ "$stderr" == *'full: cannot write: No space left on device'* ]]
}

@test "options that contradict each other or have wrong values are errors of usage" {
    local args
    for args in '' 'a.md2 b.md2' '--bind --time 1 a.md2' '--bind --animation walk a.md2' '--time 1 --frame 1 a.md2' \
        '--frame 1.5 a.md2' '--frame -1 a.md2' '--time soon a.md2' '--interpolation cubic a.md2' \
        '--geometry lines a.md2' '--tme 1 a.md2'; do
        exits 2 pose $args
        [[ "$stderr" == 'sheetbake pose: '*"Try 'sheetbake pose --help'."* ]]
        [ -z "$output" ]
    done
}

@test "pose opens no library that draws" {
    opens_no_renderer pose --animation arm/bend.md5anim --time 0.1 arm/arm.md5mesh
    opens_no_renderer pose square.md2
}

# -- The scales of Quake II's re-release --

# Point 16 at size s with the elbow's place multiplied, too: (s, s, 4 s + 4 s) before the shoulder turns it.
@test "an .md5scale beside an animation scales joints, and their places where it says so" {
    echo '{"elbow": {"scale_positions": true, "0": 0.5, "1": 2}}' >arm/swing.md5scale
    [ "$(swing --frame 0)" = '0.500 0.500 4.000' ]
    [ "$(swing --frame 1)" = '16.000 2.000 -2.000' ]
    [ "$(swing --time 0.25)" = '7.955 1.250 6.187' ]
    echo '{"elbow": {"0": 0.5}, "wing": {"0": 2}}' >arm/swing.md5scale
    [ "$(swing --frame 0)" = '0.500 0.500 6.000' ]
    [ "$(swing --frame 1)" = '8.000 1.000 -1.000' ]
}

@test "an MD5 without joints is posed, and shows nothing" {
    printf 'MD5Version 10 numJoints 0 numMeshes 1 joints { } mesh { shader "a" }\n' >empty.md5mesh
    exits 0 pose empty.md5mesh
    [ "$(grep -c '^v ' <<<"$output")" = 0 ]
    [ "$(grep -c '^o ' <<<"$output")" = 1 ]
}

# Six times the volume between the faces and the origin; below 0 where faces run clockwise, seen from outside.
volume() {
    awk '$1 == "v" { x[++n] = $2; y[n] = $3; z[n] = $4 }
         $1 == "f" { for (i = 2; i < 5; i++) { split($i, c, "/"); p[i - 1] = c[1] }
             a = p[1]; b = p[2]; c_ = p[3]
             sum += x[a] * (y[b] * z[c_] - z[b] * y[c_]) + y[a] * (z[b] * x[c_] - x[b] * z[c_]) + z[a] * (x[b] * y[c_] - y[b] * x[c_]) }
         END { printf "%.3f\n", sum }'
}

@test "joints of a size below 0 show the outside of what hangs on them" {
    local plain
    plain=$("$SHEETBAKE" pose --animation arm/swing.md5anim --frame 0 arm/arm.md5mesh | volume)
    [[ "$plain" == -* ]]
    echo '{"shoulder": {"0": -1}, "elbow": {"0": -1}}' >arm/swing.md5scale
    [[ "$("$SHEETBAKE" pose --animation arm/swing.md5anim --frame 0 arm/arm.md5mesh | volume)" == -* ]]
}

@test "info of an animation counts its .md5scale, and names the joints that there are not" {
    exits 0 info arm/swing.md5anim
    says '*to (8, 1, 8) over all 2 keyframes'
    echo '{"elbow": {"0": 0.5, "1": 2}, "wing": {"0": 2}}' >arm/swing.md5scale
    exits 0 info arm/swing.md5anim
    never says '*to (8, 1, 8) over all 2 keyframes'
    says "  oddities *scales for 'wing', which is not a joint"
    echo '[]' >arm/swing.md5scale
    exits 2 info arm/swing.md5anim
    says '*swing.md5scale: 1: not JSON of joints: an object is needed'
}

@test "scales of a joint are its own: those that hang on it keep their size" {
    echo '{"shoulder": {"0": 0.5}}' >arm/swing.md5scale
    [ "$(swing --frame 0)" = '1.000 1.000 8.000' ]
}

@test "a bad .md5scale is an error with its place" {
    local text message
    while IFS='|' read -r text message; do
        echo "$text" >arm/swing.md5scale
        exits 2 pose --animation arm/swing.md5anim arm/arm.md5mesh
        says "*arm/swing.md5anim: swing.md5scale: $message"
    done <<'END'
{"elbow": 1}|joint 'elbow': an object of keyframes is needed
{"elbow": {"2": 1}}|joint 'elbow': '2' is not a keyframe, 0 to 1 are
{"elbow": {"1": 2, "01": 2}}|joint 'elbow': '01' is not a keyframe, 0 to 1 are
{"elbow": {"1": "x"}}|joint 'elbow', keyframe 1: a number up to 1e+06 is needed
{"elbow": {"1": 1e9}}|joint 'elbow', keyframe 1: a number up to 1e+06 is needed
{"elbow":|2: not JSON of joints: *
[]|1: not JSON of joints: an object is needed
END
}
