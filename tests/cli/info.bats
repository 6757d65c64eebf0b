# bats file_tags=asan
load models
load sheets

setup() {
    cd "$BATS_TEST_TMPDIR"
    SHEETBAKE=$(cd "$OLDPWD" && realpath "$SHEETBAKE")
    mkdir -p game/models/square
    write_md2 game/models/square/tris.md2 gl
    touch game/models/square/skin.pcx
    cp -r "$ARM" arm
}

info() {
    run --separate-stderr "$SHEETBAKE" info "$@"
}

# bats test_tags=quick
@test "info shows the geometry of an MD2, its frames and its GL commands" {
    exits 0 info game/models/square/tris.md2
    printed 'format MD2'
    printed 'geometry 4 points, 4 vertices, 2 triangles, 1 mesh'
    printed 'frames 4'
    printed 'GL commands 2 triangles'
}

@test "info says when the GL commands have other texture coordinates" {
    info game/models/square/tris.md2
    [[ "$output" != *'GL commands have'* ]]
    # The third corner of the fan: 0.75 of the skin's width in place of 0.5
    local at=$((68 + 64 + 4 * 4 + 2 * 12 + 4 * 56 + 4 * (1 + 6)))
    le32 0x3f400000 | dd of=game/models/square/tris.md2 bs=1 seek=$at conv=notrunc status=none
    info game/models/square/tris.md2
    printed 'GL commands 2 triangles'
    [[ "$output" == *'the GL commands have other texture coordinates than the triangle table'* ]]
}

@test "info says when an MD2 has no GL commands" {
    write_md2 plain.md2
    info plain.md2
    printed 'GL commands none that could be drawn'
}

@test "info lists the sequences of an MD2 with frames and seconds" {
    info game/models/square/tris.md2
    printed 'clips name frames count Hz seconds'
    printed 'stand 0-1 2 10 0.20'
    printed 'Run 2-3 2 10 0.20'
}

@test "info lists the clips of an .anm in place of the sequences" {
    printf 'walk 0 2 5\nfall 3 3 20\n' >game/models/square/tris.anm
    info game/models/square/tris.md2
    printed 'clips name frames count Hz seconds (from models/square/tris.anm)'
    printed 'walk 0-2 3 5 0.60'
    printed 'fall 3-3 1 20 0.05'
    [[ "$output" != *stand* ]]
}

@test "info warns of a broken .anm and shows the model without it" {
    echo 'walk 0' >game/models/square/tris.anm
    exits 0 info game/models/square/tris.md2
    [[ "$output" == *warnings*models/square/tris.anm:* ]]
    printed 'stand 0-1 2 10 0.20'
}

# bats test_tags=quick
@test "info lists the animation files beside an MD5" {
    info arm/arm.md5mesh
    printed 'beside it bend.md5anim'
    printed 'swing.md5anim'
    info --json arm/arm.md5mesh
    [ "$(jq -c '.files[0].animation_files' <<<"$output")" = '["bend.md5anim","swing.md5anim"]' ]
    rm arm/*.md5anim
    info arm/arm.md5mesh
    [[ "$output" != *'beside it'* ]]
}

@test "info says that normals are from an .mdx, and warns of a broken one" {
    write_mdx game/models/square/tris.mdx 0 1 2 3 4 5
    info game/models/square/tris.md2
    printed 'geometry 6 points, 6 vertices, 2 triangles, 1 mesh'
    printed 'normals from models/square/tris.mdx'
    info --json game/models/square/tris.md2
    [ "$(jq -r '.files[0].normals_from' <<<"$output")" = models/square/tris.mdx ]
    write_mdx game/models/square/tris.mdx 0 1 2 3 4 6
    exits 0 info game/models/square/tris.md2
    printed 'geometry 4 points, 4 vertices, 2 triangles, 1 mesh'
    printed 'warnings models/square/tris.mdx: corner 5 has normal 6 of 6'
}

@test "info lists the tags beside an MD2" {
    {
        printf JDP2
        le32 1 2 4 32 160 544 0
        padded tag_hand 64
        padded tag_head 64
        for frame in {1..8}; do le32 $ONE 0 0 0 $ONE 0 0 0 $ONE 0 0 0; done
    } >game/models/square/tris.tag
    info game/models/square/tris.md2
    printed 'tags tag_hand, tag_head'
    [[ "$output" != *"(from"* ]]
    info --json game/models/square/tris.md2
    [ "$(jq -c '.files[0] | [.tags, .clips_from]' <<<"$output")" = '[["tag_hand","tag_head"],null]' ]
    echo JDP2 >game/models/square/tris.tag
    info game/models/square/tris.md2
    [[ "$output" == *warnings*models/square/tris.tag:* ]]
    [ "$status" = 0 ]
}

@test "info measures frame 0 and all frames" {
    info game/models/square/tris.md2
    printed 'bounds (0, 0, 0) to (8, 8, 0) in frame 0'
    printed '(0, 0, 0) to (8, 8, 30) over all 4 keyframes'
}

@test "info finds a skin by its path from the folder above models" {
    info game/models/square/tris.md2
    printed 'skins models/square/skin.pcx models/square/skin.pcx'
    printed 'texture models/square/skin.pcx'
}

@test "info marks a skin that was found by a guess" {
    mv game/models/square/skin.pcx game/models/square/tris.png
    info game/models/square/tris.md2
    printed 'skins models/square/skin.pcx models/square/tris.png (by a guess)'
}

@test "info says that a skin was not found, and JSON where it was looked for" {
    rm game/models/square/skin.pcx
    exits 0 info game/models/square/tris.md2
    [[ "$output" == *'texture '*'no picture ('*' places tried)'* ]]
    info --json game/models/square/tris.md2
    printed '"diffuse": null,'
    printed '"models/square/skin.tga",'
}

@test "info counts one thing as one" {
    echo 'MD5Version 10 commandline "" numJoints 1 numMeshes 1 joints { "root" -1 ( 0 0 0 ) ( 0 0 0 ) }
        mesh { shader "plain" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 0 1 vert 2 ( 0 1 ) 0 1
            numtris 1 tri 0 0 1 2 numweights 1 weight 0 0 1 ( 0 0 0 ) }' >one.md5mesh
    exits 0 info one.md5mesh
    printed 'geometry 3 points, 3 vertices, 1 triangle, 1 mesh'
}

@test "info shows the meshes of an MD5, their shaders and the maps found" {
    mkdir arm/textures
    touch arm/textures/sleeve_d.png arm/textures/sleeve_local.tga arm/textures/sleeve_s.jpg
    exits 0 info arm/arm.md5mesh
    printed 'format MD5'
    printed 'geometry 16 points, 16 vertices, 24 triangles, 2 meshes'
    printed 'upper 8 12 textures/sleeve'
    printed 'diffuse textures/sleeve_d.png (by a guess)'
    printed 'normal textures/sleeve_local.tga'
    printed 'specular textures/sleeve_s.jpg'
    printed 'lower 8 12 textures/skin'
}

@test "info shows what a material declares" {
    mkdir arm/textures arm/materials
    touch arm/textures/sleeve.png arm/textures/glow.tga
    cat >arm/materials/a.mtr <<-'END'
	textures/sleeve {
	    twosided
	    { blend diffusemap
	      map textures/sleeve
	      alphaTest 0.5 }
	    bumpmap heightmap(textures/sleeve.tga, 4)
	    specularmap textures/gone
	    { blend gl_src_alpha, gl_one
	      map textures/glow }
	}
	textures/skin {
	    noshadows
	END
    exits 0 info arm/arm.md5mesh
    printed 'diffuse textures/sleeve.png'
    printed 'normal heightmap(textures/sleeve.png, 4)'
    printed 'stage textures/glow.tga (src_alpha, one)'
    printed 'declared materials/a.mtr:1, two-sided, alpha test 0.5'
    printed 'warning materials/a.mtr:11: a block opens that is never closed'
    printed "warning materials/a.mtr:7: the specular map of 'textures/sleeve': no picture 'textures/gone'"
    printed 'diffuse none, invisible'
}

@test "info draws the joints as a tree, children under their parents whatever the order of the file" {
    sed 's/^numJoints 2/numJoints 4/; /"elbow"/a "hip" -1 ( 0 0 0 ) ( 0 0 0 )\n"hand" 1 ( 0 0 8 ) ( 0 0 0 )' \
        arm/arm.md5mesh >tree.md5mesh
    exits 0 info tree.md5mesh
    grep -A4 '  joints  *4' <<<"$output" | tail -4 | sed 's/^              //' >tree
    diff tree - <<-'END'
	shoulder
	  elbow
	    hand
	hip
	END
}

@test "info measures the bind pose of an MD5" {
    info arm/arm.md5mesh
    printed 'bounds (-1, -1, 0) to (1, 1, 8) in the bind pose'
}

@test "info shows an animation on the mesh beside it that fits" {
    sed 's/"elbow"/"knee"/' arm/arm.md5mesh >arm/a_leg.md5mesh
    exits 0 info arm/bend.md5anim
    printed 'format MD5 animation'
    printed 'frames 2 at 2 Hz, 1.00 seconds'
    printed 'joints 2'
    printed 'mesh arm/arm.md5mesh (the first beside it that fits)'
    printed 'bounds (-1, -1, 0) to (1, 1, 8) in frame 0'
    printed '(-1, -1, 0) to (4, 1, 8) over all 2 keyframes'
}

@test "info finds the mesh beside an animation in a folder whose name looks like a pattern" {
    mkdir 'game/models/a*[r]m?[!'
    cp arm/arm.md5mesh arm/bend.md5anim 'game/models/a*[r]m?[!'
    exits 0 info 'game/models/a*[r]m?[!/bend.md5anim'
    printed 'mesh game/models/a*[r]m?[!/arm.md5mesh (the first beside it that fits)'
}

@test "info shows an animation on a mesh named before it" {
    mkdir elsewhere
    mv arm/swing.md5anim elsewhere
    exits 0 info arm/arm.md5mesh elsewhere/swing.md5anim
    printed 'mesh arm/arm.md5mesh (named before it)'
    printed '(-1, -1, -1) to (8, 1, 8) over all 2 keyframes'
}

@test "info says why an animation fits no mesh" {
    sed 's/"elbow" 0/"elbow" -1/' arm/bend.md5anim >arm/loose.md5anim
    exits 2 info arm/loose.md5anim
    [[ "$stderr" == "sheetbake: arm/loose.md5anim: on arm/arm.md5mesh: "*"'elbow'"*"'shoulder'"* ]]
    sed -i 's/"elbow"/"knee"/' arm/arm.md5mesh
    exits 0 info arm/bend.md5anim
    [[ "$output" == *"warnings "*"joints by number, as their names differ: 'elbow' moves 'knee'; "* ]]
}

# What is wanted and what there is of a file that has no mesh.
joints_and_clips() { # file
    "$SHEETBAKE" info --json "$1" | jq -c '.files[0] | [[.joints[] | [.name, .parent]], [.clips[].name], .counts.triangles, .bounds.first]'
}

@test "info shows the joints and clips of an animation without a mesh" {
    rm arm/arm.md5mesh
    exits 0 info arm/bend.md5anim
    printed 'format MD5 animation'
    printed 'meshes none: the clips are for models with these joints'
    printed 'joints 2'
    printed 'bend 0-1 2 2 1.00'
    [ "$(joints_and_clips arm/bend.md5anim)" = '[[["shoulder",-1],["elbow",0]],["bend"],0,null]' ]
    sed -i 's/"elbow" 0/"elbow" 1/' arm/bend.md5anim
    exits 2 info arm/bend.md5anim
    [[ "$stderr" == *"joint 1, 'elbow', is below itself"* ]]

    printf '\0\0\0\0\0\0\200\77' >times.bin # 0 and 1
    printf '%s' '{"asset": {"version": "2.0"}, "nodes": [{"name": "hips", "children": [1]}, {"name": "spine"}],
        "buffers": [{"uri": "times.bin", "byteLength": 8}], "bufferViews": [{"buffer": 0, "byteLength": 8}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2}, {"componentType": 5126, "type": "VEC3", "count": 2}],
        "animations": [{"name": "nod", "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}], "samplers": [{"input": 0, "output": 1}]}]}' >nod.gltf
    [ "$(joints_and_clips nod.gltf)" = '[[["hips",-1],["spine",0]],["nod"],0,null]' ]
    jq 'del(.animations)' nod.gltf >still.gltf
    exits 2 info still.gltf
    [[ "$stderr" == *'still.gltf: no triangles'* ]]
    exits 2 thumb -o thumb.png nod.gltf
    [[ "$stderr" == *'nod.gltf: no triangles'* ]]
}

@test "info lists the oddities of a file, and of an animation only its own" {
    sed -i 's/^numMeshes 2/numMeshes 5/' arm/arm.md5mesh
    info arm/arm.md5mesh
    [[ "$output" == *oddities*numMeshes* ]]
    exits 0 info arm/bend.md5anim
    [[ "$output" != *oddities* ]]
}

@test "info reports a file it cannot read, and shows the others" {
    echo nonsense >broken.md2
    exits 2 info none.md2 broken.md2 arm game/models/square/tris.md2
    [[ "${stderr_lines[0]}" == 'sheetbake: none.md2: No such file or directory' ]]
    [[ "${stderr_lines[1]}" == 'sheetbake: broken.md2: not a model file: '* ]]
    [[ "${stderr_lines[2]}" == "sheetbake: arm: a folder, not a file; 'sheetbake init' makes a list of the models in it" ]]
    printed 'format MD2'
}

@test "Git LFS pointers and empty files are named as such, wherever a file is read" {
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12\n' 7 >pointer
    touch empty.md2
    cp pointer pointer.glb
    exits 2 info pointer.glb empty.md2
    says 'sheetbake: pointer.glb: a Git LFS pointer, and its file is not here; to fetch it: git lfs pull'
    says 'sheetbake: empty.md2: the file is empty'

    cp -r "$DIE" lfs
    cp pointer lfs/textures/die.png
    touch lfs/models/die.png
    write_list lfs lfs <<-END
	- {name: pointer, model: models/die.md2, skin: textures/die.png, cell: 16}
	- {name: empty, model: models/die.md2, skin: models/die.png, cell: 16}
	END
    exits 3 render lfs.yaml
    says '*textures/die.png: a Git LFS pointer, and its file is not here; to fetch it: git lfs pull'
    says '*models/die.png: the file is empty'
}

@test "info names a broken file as it was typed, not by its place in the tree" {
    head -c 100 game/models/square/tris.md2 >game/models/square/cut.md2
    exits 2 info game/models/square/cut.md2
    [[ "$stderr" == 'sheetbake: game/models/square/cut.md2: '* ]]
    [[ "$stderr" != *'cut.md2: models/'* ]]
}

@test "info follows a symbolic link that is named" {
    ln -s game/models/square/tris.md2 link.md2
    exits 0 info link.md2
    printed 'texture models/square/skin.pcx'
}

@test "info --assets takes paths in the trees, in any case, and patterns" {
    mkdir other
    mv arm other
    exits 0 info --assets game --assets other MODELS/Square/TRIS.md2 'arm/*.md5anim'
    printed 'MODELS/Square/TRIS.md2'
    printed 'texture models/square/skin.pcx'
    printed 'arm/bend.md5anim'
    printed 'arm/swing.md5anim'
    printed 'mesh arm/arm.md5mesh (the first beside it that fits)'
    exits 2 info --assets game 'models/*/none*.md2'
    [[ "$stderr" == *'models/*/none*.md2: no such file in the assets'* ]]
    exits 2 info --assets nowhere x.md2
    [[ "$stderr" == *"assets 'nowhere': No such file or directory"* ]]
}

@test "info --json has the facts of a model" {
    exits 0 info --json game/models/square/tris.md2
    tr -d ' \n' <<<"$output" >flat
    grep -qF '"bounds":{"all":{"max":[8.0,8.0,30.0],"min":[0.0,0.0,0.0]},"first":{"max":[8.0,8.0,0.0],' flat
    grep -qF '"clips":[{"closes":false,"first_frame":0,"frame_count":2,"last_frame":1,"loops":true,"name":"stand","rate_hz":10.0,"seconds_looped":0.2,"seconds_once":0.1,"travel":0.0,"travels_by":null},' flat
    grep -qF '"counts":{"clips":2,"frames":4,"joints":0,"points":4,"skins":1,"surfaces":1,"triangles":2,"vertices":4}' flat
    grep -qF '"file":"game/models/square/tris.md2","format":"MD2","gl_triangles":2,"joints":[]' flat
    grep -qF '"diffuse":"models/square/skin.pcx","guessed":false,"name":"models/square/skin.pcx",' flat
}

@test "info --json has joints with the number of their parent" {
    info --json arm/arm.md5mesh arm/bend.md5anim
    tr -d ' \n' <<<"$output" >flat
    grep -qF '"joints":[{"name":"shoulder","parent":-1},{"name":"elbow","parent":0}]' flat
    grep -qF '"format":"MD5animation","mesh":"arm/arm.md5mesh"' flat
    grep -qF '"gl_triangles":null' flat
}

@test "info --json has an entry for a file that cannot be read" {
    exits 2 info --json none.md2 arm/arm.md5mesh
    tr -d ' \n' <<<"$output" >flat
    grep -qF '{"files":[{"error":"none.md2:Nosuchfileordirectory","file":"none.md2"},{' flat
}

@test "info --json is the same every time" {
    "$SHEETBAKE" info --json game/models/square/tris.md2 arm/* >one
    "$SHEETBAKE" info --json game/models/square/tris.md2 arm/* >two
    cmp one two
}

@test "names that are not UTF-8 are masked, and control characters do not reach the terminal" {
    sed -i 's/"elbow"/"el\xe9\x1b[2J"/' arm/arm.md5mesh
    exits 0 info --json arm/arm.md5mesh
    [[ "$output" == *'"el?\u001B[2J"'* ]]
    info arm/arm.md5mesh
    [[ "$output" == *'el??[2J'* ]]
    LC_ALL=C sed -i 's/"el[^"]*"/"el\xc2\x9b2J\xc3\xa9"/' arm/arm.md5mesh # an escape sequence may start with U+009B, too
    info arm/arm.md5mesh
    [[ "$output" == *'el??2Jé'* ]]
}

@test "info without a file, and with an unknown option, is an error of usage" {
    exits 2 info
    [[ "$stderr" == 'sheetbake info: no file given'* ]]
    exits 2 info --jsn x
}

@test "info fails when standard output takes nothing" {
    run --separate-stderr bash -c '"$1" info arm/arm.md5mesh >/dev/full' - "$SHEETBAKE"
    [ "$status" = 5 ]
    [[ "$stderr" == *'cannot write all of the result to standard output'* ]]
}

@test "info opens no library that draws" {
    opens_no_renderer info game/models/square/tris.md2 arm/arm.md5mesh arm/bend.md5anim
    opens_no_renderer info --json arm/arm.md5mesh
    ldd "$SHEETBAKE" | never grep -iE 'mesa|libGL|LLVM'
}

# -- The formats --

ROOT=$BATS_TEST_DIRNAME/../..

# Lines of "NAME|SUFFIX".
formats_of() { # reader: sheetbake, assimp or .
    "$SHEETBAKE" info --formats --json |
        jq -r --arg reader "$1" '.formats[] | select(.reader | test($reader)) | "\(.name)|\(.suffixes[])"'
}

@test "info --formats lists what is read, and docs/formats.md has it all" {
    exits 0 info --formats
    [[ $output == *"MD2               .md2               Quake II:"* ]]
    [[ $output == *".obj (OBJ)"* ]]
    local name suffix
    formats_of sheetbake >ours
    grep -qx 'glTF|.glb' ours
    while IFS='|' read -r name suffix; do
        grep -qF -e "### $name" -e "$suffix" "$ROOT/docs/formats.md"
    done <ours
    formats_of assimp | sed 's/.*|[.]//' | sort >theirs
    grep -qx obj theirs
    diff theirs <(sed -n '/^### All other formats/,/^| part/s/^| .* | \(`.*\) |$/\1/p' "$ROOT/docs/formats.md" |
        grep -o '`[^`]*`' | tr -d '`' | sort)
}

@test "--help, the manual page and README name all formats of our own" {
    "$SHEETBAKE" --help >help
    sed -n '1,/^##/p' "$ROOT/README.md" >readme
    sed -n '/DESCRIPTION/,/^.PP/p' "$ROOT/manual/sheetbake.1.in" >manual
    local name text
    for name in $(formats_of sheetbake | cut -d'|' -f1 | cut -d' ' -f1 | sort -u); do # players of Quake III are "Quake"
        for text in help readme manual; do
            grep -qw "$name" $text || { echo "no $name in: $text"; return 1; }
        done
    done
}

@test "the MIME types are of what is read, and all models of them have thumbnails" {
    local types=$ROOT/config/sheetbake.xml suffix
    for suffix in $(formats_of sheetbake | sed 's/.*|//; /animation[.]cfg/d'); do
        grep -qF "<glob pattern=\"*$suffix\"" "$types"
    done
    grep -o 'glob pattern="[^"]*' "$types" | sed 's/.*[*]//' | sort >globs
    [ -z "$(comm -23 globs <(formats_of . | sed 's/.*|//' | sort))" ]
    diff <(grep -o 'mime-type type="[^"]*' "$types" | sed 's/.*"//; /anim/d' | sort) \
        <(sed -n 's/^MimeType=//p' "$ROOT/config/sheetbake.thumbnailer" | tr ';' '\n' | sed '/^$/d' | sort)
}

@test "info --formats takes no files, and info without it takes some" {
    exits 2 info
    says '*no file given*'
    exits 2 info --formats die.md2
    says "*--formats takes no file, but 'die.md2' is given*"
}
