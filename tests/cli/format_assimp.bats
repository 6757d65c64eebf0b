# bats file_tags=asan

# Formats that assimp reads, from outside.

load models
load sheets

setup() {
    work_in_empty_folder
}

# A square of 2 x 2 in the plane of X and Y, which Y up and +Z forward show from the front. Its picture is red above and
# blue below.
write_square() { # folder
    mkdir -p "$1"/parts
    convert -size 16x16 xc:red -size 16x16 xc:blue -append -define png:color-type=2 "$1/parts/paint.png"
    cat >"$1/square.obj" <<'END'
mtllib parts/square.mtl
v -1 0 0
v 1 0 0
v 1 2 0
v -1 2 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl paint
f 1/1 2/2 3/3 4/4
END
    printf 'newmtl paint\nKd 0 0 0\nmap_Kd parts\\paint.png\n' >"$1/parts/square.mtl"
}

list_of() { # jobs
    write_list list game <<END
lights: {even: $UNLIT}
defaults: {light: even, cell: 32, supersample: 1, cameras: [{name: front, yaw: 0, pitch: 0}], fit: {margin: 0}}
jobs: [$1]
END
}

# Its upper edge hangs on the bone "arm", which moves from 2 to 5 in a second.
write_flag() { # file
    cat >"$1" <<'END'
xof 0303txt 0032
AnimTicksPerSecond { 10; }
Frame root {
  FrameTransformMatrix { 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;; }
  Frame arm {
    FrameTransformMatrix { 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0;; }
  }
  Frame body {
    FrameTransformMatrix { 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;; }
    Mesh flag {
      4; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 1.0;4.0;0.0;, 0.0;4.0;0.0;;
      2; 3;0,2,1;, 3;0,3,2;;
      XSkinMeshHeader { 1; 1; 1; }
      SkinWeights {
        "arm"; 2; 2, 3; 1.0, 1.0;
        1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-2.0,0.0,1.0;;
      }
    }
  }
}
AnimationSet wave {
  Animation {
    { arm }
    AnimationKey { 2; 2; 0; 3; 0.0,2.0,0.0;;, 10; 3; 0.0,5.0,0.0;;; }
  }
}
END
}

# A triangle of a file whose up is Z and whose front is -Y, as 3ds Max has it, 10 above the ground.
write_tent() { # file
    write_fbx "$1" "$TRIANGLE
	Model: 2, \"Model::tent\", \"Mesh\" {
		Version: 232
		Properties70:  {
			P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,10
		}
	}" '	C: "OO",2,0
	C: "OO",1,2' '' '' '		P: "UpAxis", "int", "Integer", "",2
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",1
		P: "FrontAxisSign", "int", "Integer", "",-1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1'
}

# A green triangle. White space stands between tags and numbers, as Godot's exporter writes it, and a name has a '>'.
write_gaps() { # file
    cat >"$1" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="fx"><profile_COMMON><technique sid="common"><lambert>
<emission><color>  0.0 0.0 0.0 1.0 </color></emission>
<diffuse><color>
    0.0 1.0 0.0 1.0
</color></diffuse>
</lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="green" name="a > b"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="geometry" name="flag"><mesh>
<source id="source"><float_array id="array" count="9"> -1 0 0	1 0 0
    0 2 0 </float_array><technique_common>
<accessor source="#array" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="vertices"><input semantic="POSITION" source="#source"/></vertices>
<triangles count="1" material="paint"><input semantic="VERTEX" source="#vertices" offset="0"/><p> 0 1 2 </p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="node">
<matrix> 1 0 0 0 0 1 0 3 0 0 1 0 0 0 0 1 </matrix>
<instance_geometry url="#geometry"><bind_material><technique_common>
<instance_material symbol="paint" target="#green"/>
</technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
END
}

# In the place of the system's: an assimp of version 5.$1 that misbehaves, or no library at all.
use_odd_assimp() {
    mkdir odd
    if [ "$1" = none ]; then
        : >odd/libassimp.so.5
    else
        cp "$TOOLS/odd_assimp.so" odd/libassimp.so.5
    fi
    export ODD_MINOR=$1 LD_LIBRARY_PATH=$PWD/odd
}

# A download "without skin": two joints, of which the hips go 5 along x in a second.
write_skeleton() { # file
    cat >"$1" <<'END'
; FBX 7.3.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7300
}
Objects:  {
	Model: 2, "Model::mixamorig:Hips", "LimbNode" {
		Version: 232
	}
	Model: 3, "Model::mixamorig:Spine", "LimbNode" {
		Version: 232
	}
	AnimationStack: 4, "AnimStack::mixamo.com", "" {
	}
	AnimationLayer: 5, "AnimLayer::layer", "" {
	}
	AnimationCurveNode: 6, "AnimCurveNode::T", "" {
	}
	AnimationCurve: 7, "AnimCurve::", "" {
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,5
		}
	}
}
Connections:  {
	C: "OO",2,0
	C: "OO",3,2
	C: "OO",5,4
	C: "OO",6,5
	C: "OP",6,2, "Lcl Translation"
	C: "OP",7,6, "d|X"
}
END
}

# A glTF whose node "arm", 2 above its root, carries a triangle and goes to 5 in a second.
write_arm() { # file, name of the node, keys that it lacks
    {
        printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0' # 0 0 0, 1 0 0, 0 1 0
        printf '\0\0\0\0\0\0\200\77'                                                          # 0, 1
        printf '\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\240\100\0\0\0\0'                # 0 2 0, 0 5 0
    } >arm.bin
    jq -c "del(${3-.none})" >"$1" <<END
{"asset": {"version": "2.0"}, "buffers": [{"uri": "arm.bin", "byteLength": 68}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 8},
     {"buffer": 0, "byteOffset": 44, "byteLength": 24}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
     {"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2},
     {"bufferView": 2, "componentType": 5126, "type": "VEC3", "count": 2}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "nodes": [{"name": "root", "children": [1]}, {"name": "$2", "mesh": 0, "translation": [0, 2, 0]}],
 "scenes": [{"nodes": [0]}], "scene": 0,
 "animations": [{"name": "lift", "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
     "samplers": [{"input": 1, "output": 2}]}]}
END
}

# The heights of all corners.
heights() { # arguments of pose
    "$SHEETBAKE" pose "$@" | awk '$1 == "v" { print $4 }' | sort -n | tr '\n' ' '
}

# Numbers of 32 bits.
le() {
    local number
    for number; do
        printf "$(printf '\\x%02x' $((number & 255)) $((number >> 8 & 255)) $((number >> 16 & 255)) $((number >> 24 & 255)))"
    done
}

# A chunk of a B3D, of what is piped in.
chunk() { # tag
    local body
    body=$(mktemp -p .)
    cat >"$body"
    printf %s "$1"
    le "$(stat -c %s "$body")"
    cat "$body"
}

one=$((0x3f800000))

# A triangle of which the bone "arm" carries a corner, and others of that name nothing. Its keys are at frames 1 and 2 of a
# clip of one frame, as free games have them.
write_b3d() { # file, bones of that name
    local -i i
    local still="0 0 0 $one $one $one $one 0 0 0"
    {
        le 1
        {
            printf 'top\0'
            le $still
            {
                le -1
                { le 0 0 0  0 0 0  $one 0 0  0 $one 0; } | chunk VRTS
                { le -1 0 1 2; } | chunk TRIS
            } | chunk MESH
            { le 0 1 $((0x42700000)); } | chunk ANIM
            for ((i = 0; i < $2; i++)); do
                {
                    printf 'arm\0'
                    le $still
                    { ((i)) || le 2 $one; } | chunk BONE
                    { le 1 1 0 0 0 2 0 $((0x40000000)) 0; } | chunk KEYS
                } | chunk NODE
            done
        } | chunk NODE
    } | chunk BB3D >"$1"
}

# The area of all triangles of a model at rest.
area() { # file
    "$SHEETBAKE" pose "$1" --bind | awk '
        BEGIN { n = 0 }
        $1 == "v" { for (i = 0; i < 3; i++) at[n, i] = $(i + 2); n++ }
        $1 == "f" {
            split($2, a, "/"); split($3, b, "/"); split($4, c, "/")
            for (i = 0; i < 3; i++) { u[i] = at[b[1] - 1, i] - at[a[1] - 1, i]; v[i] = at[c[1] - 1, i] - at[a[1] - 1, i] }
            sum += sqrt((u[1] * v[2] - u[2] * v[1]) ^ 2 + (u[2] * v[0] - u[0] * v[2]) ^ 2 + (u[0] * v[1] - u[1] * v[0]) ^ 2) / 2
        }
        END { printf "%.4f", sum }'
}

@test "clips go from files that assimp reads to models that we read, and the other way" {
    write_flag flag.x
    write_arm arm.gltf arm
    write_arm mesh.gltf arm .animations
    write_arm clip.gltf arm .meshes,.nodes[1].mesh
    [ "$(heights mesh.gltf --bind)" = "2 2 3 " ]
    [ "$(heights mesh.gltf --animation flag.x --time 0.5 --clamp)" = "$(heights arm.gltf --animation lift --time 0.5 --clamp)" ]
    [ "$(heights mesh.gltf --animation clip.gltf --time 0.5 --clamp)" = "3.5 3.5 4.5 " ]
    [ "$(heights flag.x --animation clip.gltf --time 0.5 --clamp)" = "$(heights flag.x --animation wave --time 0.5 --clamp)" ]
    [ "$(heights flag.x --animation wave --time 0.5 --clamp)" != "$(heights flag.x --bind)" ]
    # A download "without skin", whose hips go sideways.
    write_skeleton walk.fbx
    write_arm hips.gltf Hips .animations
    [ "$("$SHEETBAKE" pose hips.gltf --animation walk.fbx --time 0.5 --clamp | awk '$1 == "v" { printf "%.3f ", $3 }')" = "0.025 1.025 0.025 " ] # centimetres
}

@test "info shows the joints and clips of an FBX without a mesh" {
    write_skeleton walk.fbx
    exits 0 info walk.fbx
    says '*meshes * none: the clips are for models with these joints'
    says '*joints * 2'
    says '*mixamorig:Spine*'
    says '*mixamo.com *'
    exits 2 thumb walk.fbx
    says '*walk.fbx: no triangles; clips alone are for other models*'
}

@test "an OBJ is drawn with the picture that its material file names, and the page is made again when it changes" {
    write_square game
    list_of '{name: square, model: square.obj, animations: []}'
    exits 0 render list.yaml
    open_pixels out/list/square.png
    [ "$(pixel 16 6)" = ff0000ff ]
    [ "$(pixel 16 25)" = 0000ffff ]
    exits 0 render --dry-run -v list.yaml
    never says '*square.mtl*'
    sed -i 's/map_Kd.*/Kd 0 1 0/' game/parts/square.mtl
    exits 0 render --dry-run -v list.yaml
    says '*parts/square.mtl*'
    exits 0 render list.yaml
    open_pixels out/list/square.png
    [ "$(pixel 16 16)" = 00ff00ff ]
}

@test "files beside the model are read inside the assets only" {
    mkdir game
    write_square outside
    cp outside/square.obj game
    sed -i "s,mtllib.*,mtllib ../outside/parts/square.mtl," game/square.obj
    list_of '{name: square, model: square.obj, animations: []}'
    exits 0 render list.yaml
    open_pixels out/list/square.png
    [ "$(pixel 16 6)" != ff0000ff ]
}

@test "a material file that is missing is a warning" {
    write_square game
    rm game/parts/square.mtl
    list_of '{name: square, model: square.obj, animations: []}'
    exits 0 render list.yaml
    says '*square.obj: assimp says: *parts/square.mtl*'
    [ "$(grep -c 'assimp says' <<<"$stderr$output")" = 1 ]
}

@test "a surface does not glow where the picture of its glow is missing" {
    write_square game
    printf 'map_Ke gone.png\n' >>game/parts/square.mtl
    list_of '{name: square, model: square.obj, animations: []}'
    exits 0 render list.yaml
    says '*gone.png*'
    open_pixels out/list/square.png
    [ "$(pixel 16 6)" = ff0000ff ]
}

@test "info says which reader read a file" {
    write_square .
    exits 0 info square.obj
    says '*format*OBJ, read by assimp 5.*'
    exits 0 info --json square.obj
    [ "$(jq -r '.files[0].format' <<<"$output")" = "$(jq -r '"OBJ, read by assimp " + .assimp' < <("$SHEETBAKE" doctor --json))" ]
}

@test "a skin and a clip of a DirectX file" {
    write_flag flag.x
    exits 0 pose flag.x --animation wave --time 0.5 --clamp
    [ "$(grep '^v ' <<<"$output" | sort)" = "$(printf 'v 0 %s\n' '0 0' '0 5.5' '1 0' '1 5.5')" ]
    exits 0 info --json flag.x
    [ "$(jq -c '[.files[0].clips[] | .name, .seconds_once]' <<<"$output")" = '["wave",1]' ]
}

@test "an FBX says which axis is up" {
    write_tent tent.fbx
    exits 0 pose tent.fbx --bind
    [ "$(grep '^v ' <<<"$output" | sort)" = "$(printf 'v 0 %s\n' '0 10' '0 13' '1 10')" ]
}

@test "lines of assimp that differ by numbers alone are one line with their number, and all of them with -v" {
    write_flag flag.x
    sed -i 's/2, 3; 1.0, 1.0;/2, 3; 0.5, 0.25;/' flag.x
    exits 0 info flag.x
    says '*bone weight sum != 1.0 (sum is 0.*) (3 such lines)*'
    [ "$(grep -c 'bone weight sum' <<<"$output")" = 1 ]
    exits 0 info -v flag.x
    for sum in 0.5 0.25; do says "*bone weight sum != 1.0 (sum is $sum*)"; done
    [ "$(grep -c 'bone weight sum' <<<"$output")" = 3 ]
}

@test "a COLLADA file may have white space before its numbers" {
    write_gaps gaps.dae
    exits 0 pose gaps.dae --bind
    [ "$(grep '^v ' <<<"$output" | sort)" = "$(printf 'v 0 %s\n' '-1 3' '0 5' '1 3')" ]
    exits 0 info gaps.dae
    says '* a > b*'
    exits 0 thumb gaps.dae -o gaps.png
    open_pixels gaps.png
    local middle
    middle=$(pixel 128 160)
    ((0x${middle:2:2} > 2 * 0x${middle:0:2}))
}

@test "--via assimp and via: assimp read what we have a reader for" {
    cp "$DIE/models/die.md2" .
    exits 0 info die.md2
    says '*format *MD2*'
    exits 0 info --via assimp die.md2
    says '*format *md2, read by assimp*'
    exits 0 thumb --via assimp die.md2 -o die.png
    exits 0 pose --via assimp die.md2 -o die.obj
    mkdir game && cp die.md2 game
    list_of '{name: die, model: die.md2, animations: [], via: assimp}'
    exits 0 render list.yaml
    sed -i 's/, via: assimp//' list.yaml
    exits 0 render --dry-run -v list.yaml
    says '*via*'
}

@test "pictures in a file and colours of vertices come through assimp, too" {
    mkdir game
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb" game
    list_of '{name: own, model: sprout.glb, animations: []}, {name: other, model: sprout.glb, animations: [], via: assimp}'
    exits 0 render list.yaml
    local stem pot
    open_pixels out/list/own.png
    stem=$(pixel 16 12)
    open_pixels out/list/other.png
    pot=$(pixel 16 28)
    [ "$(pixel 16 12)" = "$stem" ]
    ((0x${pot:0:2} > 0x${pot:4:2})) # clay
    exits 0 info --via assimp game/sprout.glb
    says '*diffuse *sprout.glb:assimp0'
}

@test "without assimp the package is named" {
    write_square .
    use_odd_assimp none
    exits 2 info square.obj
    says '*square.obj: assimp is needed: install libassimp5 (*'
    run --separate-stderr "$SHEETBAKE" doctor --json
    [ "$(jq -r .assimp <<<"$output")" = null ]
    [[ $(jq -r '.notes[]' <<<"$output") = *'install libassimp5'* ]]
    cp "$DIE/models/die.md2" .
    exits 0 info die.md2
}

@test "an assimp of another version is refused" {
    write_square .
    use_odd_assimp 99
    exits 2 info square.obj
    says '*libassimp.so.5 is of version 5.99, and this program was built for 5.*'
}

@test "where assimp crashes or hangs, that job fails and the others go on" {
    mkdir game
    echo v >game/crash.obj
    echo v >game/hang.obj
    echo v >game/other.obj
    cp "$DIE/models/die.md2" game
    minor=$("$SHEETBAKE" doctor --json | jq -r '.assimp | split(".")[1]')
    use_odd_assimp "$minor"
    list_of '{name: crash, model: crash.obj}, {name: hang, model: hang.obj}, {name: other, model: other.obj},
        {name: die, model: die.md2, animations: []}'
    exits 3 render -j 2 --timeout 2 list.yaml
    says '*crash: *'
    says '*hang: *'
    says '*other: *other.obj: assimp says: odd*'
    [ -f out/list/die.png ]
    exits 3 thumb --sandbox auto crash.obj --assets game
    exits 3 thumb --sandbox auto hang.obj --assets game --timeout 2

    exits 3 check -j3 --timeout 2 list.yaml
    says '  FAILED crash: the worker was killed by signal 6 (Aborted) while it had crash.obj'
    says '  FAILED hang: not done after * s (at most 2 s) with hang.obj: the worker was killed (--timeout)'
    says '  FAILED other: other.obj: assimp says: odd*'
    says '  die: 1 page, 1 cell of 32x32, 1 camera, *; *'
    [ "${lines[-1]}" = '4 jobs, 1 page, 1 cell, 1 warning, 3 failed' ]
    local together
    together=$(sed 's/after [0-9.]* s//' <<<"$output")
    exits 3 check -j1 --timeout 2 list.yaml
    [ "$(sed 's/after [0-9.]* s//' <<<"$output")" = "$together" ]
    local alone
    alone=$(sed -n 's/^  die: .*, \(.*\) pixels per unit.*/\1/p' <<<"$output")
    sed -i 's/, animations: \[\]/&, fit: {scope: all}/; s/{name: \(crash\|hang\), /&fit: {scope: all}, /' list.yaml
    exits 3 check -j2 --timeout 2 list.yaml # a group is framed without those that cannot be opened
    says "  die: 1 page, *, $alone pixels per unit in group all; *"
    [ "${lines[-1]}" = '4 jobs, 1 page, 1 cell, 1 warning, 3 failed' ]

    export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it would trace the process
    exits 2 info --sandbox auto --timeout 2 game/{crash,hang,other}.obj game/die.md2
    says 'sheetbake: game/crash.obj: the process that read it was killed by signal 6 (Aborted)'
    says 'sheetbake: game/hang.obj: the process that read it took longer than 2 s'
    says 'sheetbake: game/other.obj: assimp says: odd*'
    says '  format      MD2'
    exits 2 info --sandbox auto --json --timeout 2 --assets game none.obj '*.obj' die.md2
    [ "$(jq -r '.files[] | .file + ": " + (.error // .format)' <<<"$output")" = 'none.obj: none.obj: no such file in the assets
crash.obj: crash.obj: the process that read it was killed by signal 6 (Aborted)
hang.obj: hang.obj: the process that read it took longer than 2 s
other.obj: other.obj: assimp says: odd
die.md2: MD2' ]
}

@test "a small file gets little memory of assimp, wherever it is read" {
    ! grep -q __asan_init "$SHEETBAKE" || skip "the address sanitizer takes all addresses there are"
    mkdir game
    echo v >game/greedy.obj
    cp "$DIE/models/die.md2" game
    minor=$("$SHEETBAKE" doctor --json | jq -r '.assimp | split(".")[1]')
    use_odd_assimp "$minor"
    list_of '{name: greedy, model: greedy.obj}, {name: die, model: die.md2, animations: []}'
    local said='greedy.obj: out of memory in assimp: a file of this size may take 512 MiB'
    exits 3 render -j1 list.yaml
    says "error: greedy: $said"
    [ -f out/list/die.png ]
    exits 3 check list.yaml
    says "  FAILED greedy: $said"
    exits 2 info game/greedy.obj
    says "sheetbake: game/$said"
    exits 2 pose --sandbox auto game/greedy.obj
    says "sheetbake: game/$said"
}

@test "a B3D looks to where Blitz3D moves it, along its Z, so that its X is at its right" {
    write_b3d ahead.b3d 1
    [ "$("$SHEETBAKE" pose ahead.b3d --bind | sed -n 's/^v //p' | sed -n 2p)" = "0 -1 0" ]
}

@test "a B3D that only assimp's validation refuses is read" {
    write_b3d late.b3d 1
    exits 0 info late.b3d
    says '*read in spite of it: Validation failed: *larger than*'
    exits 0 info --json late.b3d
    [ "$(jq -c '[.files[0].clips[] | .name]' <<<"$output")" = '["animation"]' ]
    [ "$(heights late.b3d --bind)" = "0 0 1 " ]
    [ "$(heights late.b3d --animation animation --time 1 --clamp)" = "0 0 3 " ]
    write_b3d namesakes.b3d 2
    exits 0 pose namesakes.b3d --bind
    write_b3d cut.b3d 1
    truncate -s -40 cut.b3d
    # assimp forgets what it has read of a broken file.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 exits 2 info cut.b3d
    never says '*in spite*'
}

@test "polygons with straight corners and holes keep their area, and their first corner does not tell their side" {
    printf '%s\n' 'v 8.4 1 0' 'v 8.4 4.3 0' 'v 8.4 8.1 0' 'v 6.3 4.2 0' 'v 6.3 3.8 0' 'v 2.7 3.8 0' 'v 2.3 3.8 0' \
        'f 1 2 3 4 5 6 7' >straight.obj
    [ "$(area straight.obj)" = 13.4750 ]
    printf '%s\n' 'v 0 0 0' 'v 4 0 0' 'v 4 4 0' 'v 0 4 0' 'v 1 1 0' 'v 1 3 0' 'v 3 3 0' 'v 3 1 0' \
        'f 1 2 3 4 1 5 6 7 8 5' >hole.obj
    [ "$(area hole.obj)" = 12.0000 ]
    printf '%s\n' 'v 1 1 0' 'v 0 4 0' 'v 0 0 0' 'v 4 0 0' 'f 1 2 3 4' >arrow.obj
    exits 0 pose arrow.obj --bind
    [ "$(grep '^vn ' <<<"$output" | sort -u)" = 'vn 1 0 0' ]
}

@test "the emissive colour of a DirectX file goes through its picture" {
    mkdir game
    convert -size 2x2 xc:red game/red.png
    cat >game/glow.x <<'END'
xof 0303txt 0032
Mesh square {
  4; 0.0;0.0;0.0;, 2.0;0.0;0.0;, 2.0;2.0;0.0;, 0.0;2.0;0.0;;
  1; 4;0,3,2,1;;
  MeshTextureCoords { 4; 0.0;0.0;, 1.0;0.0;, 1.0;1.0;, 0.0;1.0;; }
  MeshMaterialList {
    1; 1; 0;;
    Material { 1.0;1.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 1.0;1.0;1.0;; TextureFilename { "red.png"; } }
  }
}
END
    list_of '{name: glow, model: glow.x, animations: []}'
    exits 0 render list.yaml
    open_pixels out/list/glow.png
    [ "$(pixel 16 16)" = ff0000ff ]
}

@test "what assimp does not read is named with its version and the cure" {
    printf 'BLENDER-v302REND' >three.blend
    printf 'BLENDER_V279REND' | gzip >packed.blend
    printf 'BLENDER17-01v0500REND' >five.blend
    printf '\x28\xb5\x2f\xfdrest' >new.blend
    printf 'BLENDER' >none.blend
    printf '\x1f\x8bBLENDER' >broken.blend
    printf '\0\x10[MeshSerializer_v1.40]\n\0\x30\0\0\0\0' >old.mesh
    printf 'RSRC\0\0\0\0' >godot.mesh
    printf '; FBX 5.8.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 5800\n}\nObjects:  {\n}\nConnections:  {\n}\n' >old.fbx
    exits 2 info {three,packed,five,new,none,broken}.blend {old,godot}.mesh old.fbx
    [ "$(sed 's/none.blend: .*/none.blend: assimp/; s/broken.blend: .*/broken.blend: assimp/' <<<"$stderr")" = \
'sheetbake: three.blend: assimp cannot read this file of Blender 3.2: export it as glTF
sheetbake: packed.blend: assimp cannot read this file of Blender 2.79: export it as glTF
sheetbake: five.blend: assimp cannot read this file of Blender 5.0: export it as glTF
sheetbake: new.blend: assimp cannot read this file of Blender 3.0 or later: export it as glTF
sheetbake: none.blend: assimp
sheetbake: broken.blend: assimp
sheetbake: old.mesh: Ogre'\''s Mesh 1.8 is read, this is 1.40: OgreMeshUpgrader makes it that
sheetbake: godot.mesh: a mesh of Godot'\''s, not of Ogre'\''s: export it as glTF
sheetbake: old.fbx: an FBX older than version 6.0: save it as FBX 2014 or GLB' ]
}

# A 3MF whose root has a triangle of its own, or none, and a part in another file.
write_3mf() { # file, what the root has
    local model='<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">'
    local mesh='<object id="1" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>'
    [ "$2" = nothing ] || local own=$mesh item='<item objectid="1"/>'
    mkdir -p zip/3D/Objects zip/_rels
    echo '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>' >'zip/[Content_Types].xml'
    echo '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>' >zip/_rels/.rels
    echo "$model<resources>${own-}<object id=\"2\" type=\"model\"><components><component p:path=\"/3D/Objects/a.model\" objectid=\"1\"/></components></object></resources><build>${item-}<item objectid=\"2\"/></build></model>" >zip/3D/3dmodel.model
    echo "$model<resources>$mesh</resources><build/></model>" >zip/3D/Objects/a.model
    (cd zip && zip -qr "../$1" .)
}

@test "a part of a 3MF in a file of its own is named" {
    write_3mf parts.3mf nothing
    exits 2 info parts.3mf
    says "*parts.3mf: no triangles; parts in files of their own, such as '3D/Objects/a.model', are not read: *GLB"
    write_3mf some.3mf triangle
    exits 0 thumb some.3mf
    says "*warning: *some.3mf: *'3D/Objects/a.model', are not read*"
}

@test "a modifier of a file of Blender that is not read is a warning" {
    local model=/usr/share/assimp/models/BLEND/MirroredCube_252.blend
    [ -f $model ] || skip 'there is no assimp-testmodels'
    gzip -dc $model | sed 's/MirrorModifierData/BorderModifierData/' >cube.blend
    exits 0 thumb cube.blend
    says '*warning: *cube.blend: *`BorderModifierData`*: export it as glTF'
}

@test "every truncation of a file fails with a message or draws what is there" {
    write_tent tent.fbx
    write_flag flag.x
    for file in tent.fbx flag.x; do
        size=$(stat -c %s $file)
        for ((length = 0; length < size; length += 61)); do
            head -c $length $file >"cut.$file"
            run --separate-stderr timeout 20 "$SHEETBAKE" info --sandbox off "cut.$file"
            [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && [ -n "$stderr" ]; }
        done
    done
}

@test "the robot plays its clips as GLB and as FBX of another's names and unit, in all four combinations" {
    ln -s "$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets")" game
    write_list pip game <<-END
	defaults: {sampling: {count: 3}, cell: 96, cameras: [three_quarter]}
	jobs:
	  - {name: glb-glb, model: models/pip/pip.glb, animations: [{file: clips/walk.glb}]}
	  - {name: glb-fbx, model: models/pip/pip.glb, animations: [{file: clips/walk.fbx}]}
	  - {name: fbx-glb, model: models/pip/pip.fbx, animations: [{file: clips/walk.glb}]}
	  - {name: fbx-fbx, model: models/pip/pip.fbx, animations: [{file: clips/walk.fbx}]}
	END
    exits 0 render pip.yaml
    never says '*warning*'
    convert out/pip/glb-glb.png -alpha extract first.png
    for pair in glb-fbx fbx-glb fbx-fbx; do
        convert "out/pip/$pair.png" -alpha extract other.png
        [ "$(compare -metric AE -fuzz 20% first.png other.png null: 2>&1 | cut -d' ' -f1)" -le 3 ]
    done
}

@test "what the triangles of an STL would take is said before they are read" {
    local triangle
    triangle='facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet'
    mkdir game
    { head -c 80 /dev/zero; printf '\0\104\2\0'; head -c 7424000 /dev/zero; } >game/scan.stl
    { echo 'solid scan'; yes "$triangle" | head -n 150000; echo 'endsolid scan'; } >game/text.stl
    list_of '{name: scan, model: scan.stl}, {name: text, model: text.stl}'
    exits 3 check --memory 80M list.yaml
    says '*scan.stl: 148480 triangles: they take some 84 MiB of memory, and 80 MiB are allowed (--memory)'
    says '*text.stl: 150000 triangles: they take some 85 MiB of memory, and 80 MiB are allowed (--memory)'
}
