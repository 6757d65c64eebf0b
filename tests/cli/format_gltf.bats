# bats file_tags=asan

# glTF from outside. The sprout (tools/samples/sprout.c) has two clips, two variants and a picture.

load models
load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/models
    SPROUT=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb")
    cp "$SPROUT" game/models
}

# A plate of 2 x 1 metres that faces +Z. Its points are in plate.bin, its picture is wood.png.
write_plate() { # more keys of the file
    printf '\0\0\200\277\0\0\0\277\0\0\0\0\0\0\200\77\0\0\0\277\0\0\0\0\0\0\200\77\0\0\0\77\0\0\0\0\0\0\200\277\0\0\0\77\0\0\0\0' \
        >game/models/plate.bin
    convert -size 4x4 xc:'#804020' game/models/wood.png
    cat >game/models/plate.gltf <<END
{"asset": {"version": "2.0"}, "buffers": [{"uri": "plate.bin", "byteLength": 48}], ${1-}
 "bufferViews": [{"buffer": 0, "byteLength": 48}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4}],
 "images": [{"uri": "wood.png"}], "textures": [{"source": 0}],
 "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "extensions": {"KHR_materials_unlit": {}}}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 6, "material": 0}]}], "nodes": [{"mesh": 0}]}
END
}

plate() {
    write_list plate game <<END
defaults: {cell: 32, supersample: 1, cameras: [{name: front, yaw: 0, pitch: 0}]}
jobs: [{name: plate, model: models/plate.gltf}]
END
}

# The job's reason in a dry run.
why() {
    exits 0 render --dry-run -v "$1.yaml"
}

# bats test_tags=quick
@test "info says what is in a GLB" {
    exits 0 info game/models/sprout.glb
    says '  format *glTF'
    says '  clips *'
    "$SHEETBAKE" info --json game/models/sprout.glb >info.json
    jq -e '.files[0] | [.clips[].name] == ["sway", "swell", "all"] and [.surfaces[].name] == ["stem", "leaf_l", "leaf_r", "pot"] and
        .counts.joints == 8 and .counts.skins == 2 and .surfaces[3].material.diffuse == "models/sprout.glb:0"' info.json
}

@test "clips and variants keep names of any language, and clips are found as their file calls them" {
    edit_glb "$SPROUT" game/models/sprout.glb '.animations |= (.[1].name = "歩く\u2028" | .[0].name = "Rig|Walk!")
        | .extensions.KHR_materials_variants.variants |= (.[0].name = "赤" | .[1].name = "青")'
    write_list names game <<END
defaults: {cell: 32, cameras: [front], supersample: 1, sampling: {count: 1}}
jobs:
- {name: all, model: models/sprout.glb, split: animation, skins: all, animations: ["歩く", "RIG|walk!"]}
- {name: one, model: models/sprout.glb, animations: [{clip: "Rig|Walk!", name: go}], skin: 青}
- {name: some, model: models/sprout.glb, animations: ["Rig|*", {file: models/sprout.glb, clip: "Rig|*"}]}
END
    exits 0 render names.yaml
    [ "$(cd out/names && echo *.json)" = 'all@Rig_Walk.json all@歩く.json one.json some.json' ]
    [ "$(jq -c '.animations | keys' out/names/all@歩く.json)" = '["赤/歩く/front","青/歩く/front"]' ]
    [ "$(jq -c '.animations | keys' out/names/some.json)" = '["Rig_Walk/front","sprout/front"]' ]
    exits 0 verify names.yaml
    exits 0 thumb --animation 'Rig|Walk!' game/models/sprout.glb -o theirs.png
    exits 0 thumb --animation Rig_Walk game/models/sprout.glb -o ours.png
    cmp theirs.png ours.png
    # The clip that we call so goes first.
    edit_glb "$SPROUT" game/models/sprout.glb '.animations |= (.[0].name = "a!" | .[1].name = "a|b" | .[2].name = "a_b")'
    exits 0 pose --animation a_b --time 0.3 game/models/sprout.glb -o ours.obj
    exits 0 pose --animation 'a|b' --time 0.3 game/models/sprout.glb -o theirs.obj
    exits 2 pose --animation 'a|c' game/models/sprout.glb
    says "*no animation 'a|c'*"
}

@test "clips, sockets and passes of a GLB become a sheet" {
    write_list sprout game <<END
jobs: [{name: sprout, model: models/sprout.glb, cell: 48, animations: [sway, swell], sampling: {count: 2}, passes: [normal], sockets: [top]}]
END
    exits 0 render sprout.yaml
    [ "$(files out/sprout)" = "sprout.json sprout.normal.png sprout.png sprout.sheetbake" ]
    [ "$(jq -c '.animations | map_values(length)' out/sprout/sprout.json)" = '{"sway/three_quarter":2,"swell/three_quarter":2}' ]
    jq -e '.meta.sheetbake.sockets.top | length == 4' out/sprout/sprout.json
    exits 0 render --dry-run sprout.yaml
    says '0 sheets would be made, 1 up to date'
}

@test "each variant is a skin, and without one the look is that of the file" {
    write_list looks game <<END
defaults: {cell: 48, animations: []}
jobs:
  - {name: plain, model: models/sprout.glb}
  - {name: brass, model: models/sprout.glb, skin: brass}
  - {name: clay, model: models/sprout.glb, skin: clay}
  - {name: all, model: models/sprout.glb, skins: all}
END
    exits 0 render looks.yaml
    cmp out/looks/plain.png out/looks/clay.png
    never cmp -s out/looks/plain.png out/looks/brass.png
    [ "$(jq -r '[.animations | keys[] | split("/")[0]] | join(" ")' out/looks/all.json)" = "brass clay" ]
}

@test "a page is made again when a buffer or a picture of its model changes" {
    write_plate
    plate
    exits 0 render plate.yaml
    open_pixels out/plate/plate.png
    [ "$(pixel 16 16)" = 804020ff ]
    convert -size 4x4 xc:'#208040' game/models/wood.png
    why plate
    says '*models/wood.png*'
    exits 0 render plate.yaml
    open_pixels out/plate/plate.png
    [ "$(pixel 16 16)" = 208040ff ]
    printf '\0\0\0\0' | dd of=game/models/plate.bin bs=1 conv=notrunc status=none
    why plate
    says '*models/plate.bin*'
}

@test "the same model as files, with data URIs, and in an archive gives the same picture" {
    local name
    write_plate
    sed "s|plate.bin|data:;base64,$(base64 -w0 game/models/plate.bin)|; s|wood.png|data:image/png;base64,$(base64 -w0 game/models/wood.png)|" \
        game/models/plate.gltf >game/models/embedded.gltf
    mkdir zipped
    (cd game && zip -q ../zipped/all.pk3 models/plate.*  models/wood.png)
    exits 0 thumb -q -o files.png game/models/plate.gltf
    exits 0 thumb -q -o data.png game/models/embedded.gltf
    exits 0 thumb -q -o archive.png --assets zipped/all.pk3 models/plate.gltf
    cmp files.png data.png
    cmp files.png archive.png
}

@test "a clip that mirrors a model of one side shows its outside" {
    write_plate
    local keys # at 0 and 1 s: a scale of 1, and of -1 along x
    keys=$(printf '\0\0\0\0\0\0\200\77\0\0\200\77\0\0\200\77\0\0\200\77\0\0\200\277\0\0\200\77\0\0\200\77' | base64 -w0)
    jq --arg keys "$keys" '.buffers += [{uri: ("data:application/octet-stream;base64," + $keys), byteLength: 32}] |
        .bufferViews += [{buffer: 1, byteLength: 8}, {buffer: 1, byteOffset: 8, byteLength: 24}] |
        .accessors += [{bufferView: 1, componentType: 5126, type: "SCALAR", count: 2, min: [0], max: [1]},
                       {bufferView: 2, componentType: 5126, type: "VEC3", count: 2}] |
        .animations = [{name: "flip", samplers: [{input: 1, output: 2, interpolation: "STEP"}],
                        channels: [{sampler: 0, target: {node: 0, path: "scale"}}]}]' game/models/plate.gltf >flip.gltf
    mv flip.gltf game/models
    write_list flip game <<END
defaults: {cell: 32, supersample: 1}
jobs:
  - {name: flip, model: models/flip.gltf, animations: [{name: flip, sampling: {times: [0, 1]}, loop: false}], cameras: [{name: front, yaw: 0, pitch: 0}]}
  - {name: back, model: models/flip.gltf, animations: [{name: flip, sampling: {times: [0, 1]}, loop: false}], cameras: [{name: back, yaw: 180, pitch: 0}]}
END
    exits 0 render flip.yaml
    [ "$(convert out/flip/flip.png -crop 32x32+0+0 +repage rgba:- | cksum)" = "$(convert out/flip/flip.png -crop 32x32+32+0 +repage rgba:- | cksum)" ]
    [ "$(convert out/flip/flip.png -format '%[pixel:p{48,16}]' info:)" = 'srgba(128,64,32,1)' ]
    [ "$(convert out/flip/back.png -alpha extract -format '%[fx:maxima]' info:)" = 0 ]
    # The same in OBJ: seen from +Z, which is our +X, the corners of a face run clockwise.
    local time
    for time in 0 1; do
        exits 0 pose --animation flip --clamp --time $time -o flip.obj game/models/flip.gltf
        awk '$1 == "v" { y[++n] = $3; z[n] = $4 } $1 == "f" { for (i = 2; i < 5; i++) { split($i, c, "/"); p[i] = c[1] }
             a = (y[p[3]] - y[p[2]]) * (z[p[4]] - z[p[2]]) - (z[p[3]] - z[p[2]]) * (y[p[4]] - y[p[2]]); if (a >= 0) exit 1; m++ }
             END { exit m != 2 }' flip.obj
    done
}

@test "a WebP picture is drawn" {
    write_plate
    cwebp -quiet -lossless game/models/wood.png -o game/models/wood.webp
    sed -i 's|"textures": \[{"source": 0}\]|"textures": [{"extensions": {"EXT_texture_webp": {"source": 0}}}]|; s|wood.png|wood.webp|' \
        game/models/plate.gltf
    plate
    exits 0 render plate.yaml
    open_pixels out/plate/plate.png
    [ "$(pixel 16 16)" = 804020ff ]
}

@test "files of a model never lie outside the assets" {
    write_plate
    cp game/models/plate.bin .
    sed -i 's|"plate.bin"|"../../plate.bin"|' game/models/plate.gltf
    plate
    exits 3 render plate.yaml
    says "*buffer 0: '../../plate.bin': the path leaves the assets*"
}

@test "a picture that is in itself fails" {
    write_plate
    sed -i 's/"uri": "wood.png"/"bufferView": 1/; s/"byteLength": 48}\]/"byteLength": 48}, {"buffer": 1, "byteLength": 9}]/
        s/"uri": "plate.bin", "byteLength": 48}/&, {"uri": "plate.gltf:0", "byteLength": 9}/' game/models/plate.gltf
    plate
    exits 3 render plate.yaml
    says "*plate.gltf:0: picture 0: bufferView 1: buffer 1: models/plate.gltf:0: a path with ':' is not allowed*"
}

@test "what is broken, too old or too new fails with its place" {
    write_plate '"extensionsRequired": ["ODD_extension"],'
    plate
    exits 3 render plate.yaml
    says "*the file requires the extension 'ODD_extension', which is not read*"
    head -c 5000 "$SPROUT" >game/models/plate.gltf
    exits 3 render plate.yaml
    says '*plate.gltf: a GLB of 10*00 bytes in a file of 5000*'
    echo '{"asset": {"version": "1.0"}}' >game/models/plate.gltf
    exits 3 render plate.yaml
    says '*glTF 1.0 (only 2.0 is read*'
}

@test "what is left out is an oddity" {
    write_plate '"extensionsUsed": ["KHR_lights_punctual", "ODD_extension"],'
    exits 0 info game/models/plate.gltf
    says '*lights are left out*'
    says '*extension ODD_extension is left out*'
}

@test "the models of assimp's tests are drawn, or say why not" {
    local models=/usr/share/assimp/models/glTF2 file drawn=0 failed=0
    [ -d $models ] || skip "assimp-testmodels is not installed"
    while IFS= read -r file; do
        run --separate-stderr "$SHEETBAKE" thumb -q --size 32 -o "thumb-$((drawn++)).png" "$file"
        if [ "$status" != 0 ]; then
            exited 2
            says "sheetbake: *$(basename "$file")*: ?*"
            failed=$((failed + 1))
        fi
    done < <(find $models -name '*.gl[tb]*' ! -name '*.glsl')
    [ $drawn -ge 40 ]
    # Broken on purpose, points and lines alone, or with a required extension of the time of WebGL.
    [ $failed -le 20 ]
}

@test "a model that cannot move is not a pose to warn of" {
    write_plate
    sed -i 's/"nodes": .*/"nodes": [{"mesh": 0}, {"mesh": 0, "translation": [0, 1, 0]}]}/' game/models/plate.gltf
    plate
    exits 0 render plate.yaml
    never says '*bind pose*'
}

@test "a scene that the file has not is reported with its place in the list" {
    write_list scenes game <<END
jobs:
  - {name: sprout, model: models/sprout.glb, scene: 9}
  - {name: broken, model: models/broken.glb, scene: 9}
END
    head -c 2000 "$SPROUT" >game/models/broken.glb
    exits 3 check scenes.yaml
    says "  FAILED sprout: scenes.yaml:5:53: models/sprout.glb: no scene '9': there are 1, counted from 0"
    says "  FAILED broken: models/broken.glb: *"
}

@test "a job names joints that have no name in the file by their numbers" {
    write_plate
    plate
    sed -i 's/gltf}/gltf, sockets: [node_0]}/' plate.yaml
    exits 0 render plate.yaml
    jq -e '.meta.sheetbake.sockets.node_0 | length == 1' out/plate/plate.json
    sed -i 's/node_0/arm/' plate.yaml
    exits 3 render plate.yaml
    says "*models/plate.gltf: no joint 'arm' (it has node_0)*"
}

@test "what makes a picture look wrong is a warning of a run, once for each model" {
    write_plate '"extensionsRequired": ["KHR_materials_transmission", "KHR_texture_basisu"],'
    plate
    exits 0 render plate.yaml
    never says '*warning*' # what a file says to use, and does not
    sed -i 's|"KHR_materials_unlit": {}|"KHR_materials_transmission": {"transmissionFactor": 0.9}|' game/models/plate.gltf
    sed -i 's|"textures": .{"source": 0}|"textures": [{"extensions": {"KHR_texture_basisu": {"source": 0}}}|' game/models/plate.gltf
    sed -i 's|"nodes": .*|"nodes": [{"mesh": 0}, {"mesh": 0}]}|' game/models/plate.gltf
    exits 0 render plate.yaml
    says 'warning: plate: models/plate.gltf: glass is drawn solid: KHR_materials_transmission is not read'
    says 'warning: plate: models/plate.gltf: textures with KTX2 pictures alone are left out (`gltf-transform ktxdecompress IN OUT` makes PNGs): KHR_texture_basisu is not read'
    [ "$(grep -c warning: <<<"$stderr")" = 2 ]
    sed -i 's|0.9|0|' game/models/plate.gltf
    exits 0 check plate.yaml
    never says '*glass*'
    says '*KTX2 pictures alone are left out*'
}

# 20 triangles on three points, in so many copies.
many_copies() {
    write_plate
    jq --arg indices "data:;base64,$(printf '\0\1\2%.0s' {1..20} | base64 -w0)" --argjson copies "$1" \
        '.buffers += [{uri: $indices, byteLength: 60}] | .bufferViews += [{buffer: 1, byteLength: 60}]
        | .accessors += [{bufferView: 1, componentType: 5121, type: "SCALAR", count: 60}, {componentType: 5126, type: "VEC3", count: $copies}]
        | .meshes[0].primitives[0] += {attributes: {POSITION: 0, NORMAL: 0}, mode: 4, indices: 1}
        | .nodes[0].extensions = {EXT_mesh_gpu_instancing: {attributes: {TRANSLATION: 2}}}' game/models/plate.gltf >many.gltf
    mv many.gltf game/models/plate.gltf
}

@test "triangles are as many as memory holds, and what they would take is said before it is taken" {
    if grep -q __asan_init "$SHEETBAKE"; then # a worker takes more than 100 MiB by itself
        many_copies 6000
        exits 0 info game/models/plate.gltf
        says '*18000 points, 18000 vertices, 120000 triangles, 6000 meshes'
        return
    fi
    many_copies 60000
    exits 0 info game/models/plate.gltf
    says '*180000 points, 180000 vertices, 1200000 triangles, 60000 meshes'
    plate
    exits 3 render --memory 100M plate.yaml
    says '*models/plate.gltf: 1200000 triangles: they take some 123 MiB of memory, and 100 MiB are allowed (--memory)'
}

@test "what the file hides is not drawn, nor are its pictures looked for" {
    write_plate '"extensionsRequired": ["KHR_node_visibility"],'
    plate
    exits 0 render plate.yaml
    cp out/plate/plate.png alone.png
    jq '.nodes += [{mesh: 1, translation: [9, 0, 0], extensions: {KHR_node_visibility: {visible: false}}}]
        | .meshes += [.meshes[0] | .primitives[0].material = 1] | .textures += [{source: 1}] | .images += [{uri: "none.png"}]
        | .materials += [{pbrMetallicRoughness: {baseColorTexture: {index: 1}}}]' game/models/plate.gltf >two.gltf
    mv two.gltf game/models/plate.gltf
    exits 0 render plate.yaml
    never says '*warning*'
    cmp out/plate/plate.png alone.png
}

@test "hide leaves meshes out of the picture and the framing" {
    whole='name: sprout, model: models/sprout.glb, cell: 64, animations: [], cameras: [front]'
    write_list sprout game <<<"jobs: [{$whole}]"
    exits 0 render sprout.yaml
    cp out/sprout/sprout.png whole.png
    write_list sprout game <<<"jobs: [{$whole, hide: [POT, 'leaf_*', hat]}]"
    exits 0 render --dry-run -v sprout.yaml
    says '*hide*'
    exits 0 render sprout.yaml
    says "*sprout.yaml:*: models/sprout.glb has no mesh 'hat' to hide*"
    never says '*would hide*'
    write_list near game <<<"jobs: [{$whole, hide: [Leaf]}]"
    exits 0 check near.yaml
    says "*near.yaml:*: models/sprout.glb has no mesh 'Leaf' to hide; '\*Leaf\*' would hide 'leaf_l'"
    # The stem alone: framed by itself, it is higher in the cell than it was with its pot.
    ! cmp -s whole.png out/sprout/sprout.png || false
    height=$(convert out/sprout/sprout.png -alpha extract -threshold 0 -trim -format '%h' info:)
    width=$(convert out/sprout/sprout.png -alpha extract -threshold 0 -trim -format '%w' info:)
    ((height > 55 && width < 20))
}

@test "hide takes the very name of a mesh, also where it could be a pattern" {
    write_plate
    sed -i 's/"nodes": \[{"mesh": 0}\]/"nodes": [{"mesh": 0, "name": "body[1]"}]/' game/models/plate.gltf
    write_list plate game <<<"jobs: [{name: plate, model: models/plate.gltf, hide: 'body[1]'}]"
    exits 0 check plate.yaml
    says '*nothing of it can be seen*'
    never says '*to hide*'
}

@test "of copies of a mesh with a skin one is drawn, with a word" {
    edit_glb "$SPROUT" many.glb \
        '(.nodes[] | select(.skin)).extensions = {EXT_mesh_gpu_instancing: {attributes: {TRANSLATION: 0}}}'
    exits 0 info many.glb
    says '*one copy is drawn of a mesh with a skin*'
}
