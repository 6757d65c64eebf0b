# bats file_tags=asan

# Materials that model files bring: where their pictures are found, skins, and passes. The model is a square that fills
# the cell, whose material is called `paint`.

load models
load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/models game/textures
    convert -size 4x4 xc:'#ff0000' PNG24:game/models/red.png
    convert -size 4x4 xc:'#0000ff' PNG24:game/textures/blue.png
}

# A square with a base colour picture; more members of the file and of its material.
write_square() { # picture, file's members, material's members
    local corners='AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgD8AAAAA' order='AAABAAIAAAACAAMA'
    cat >game/models/square.gltf <<END
{"asset": {"version": "2.0"}, $2 "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0 ${4-}}]}],
 "materials": [{"name": "paint", $3 "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}},
               {"name": "blue", "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 1}}}],
 "textures": [{"source": 0}, {"source": 1}], "images": [{"uri": "$1"}, {"uri": "../textures/blue.png"}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64,$corners$order"}]}
END
}

# Its two looks, as variants.
write_variants() {
    write_square red.png '"extensionsUsed": ["KHR_materials_variants"], "extensions": {"KHR_materials_variants":
        {"variants": [{"name": "Deep Sea"}, {"name": "Fire"}]}},' '' ', "extensions": {"KHR_materials_variants":
        {"mappings": [{"variants": [0], "material": 1}, {"variants": [1], "material": 0}]}}'
}

draw() { # more keys of the job
    write_list square game <<END
defaults: {light: flat, cell: 16, animations: [], cameras: [{name: front, yaw: 0, pitch: 0}]}
jobs:
  - {name: square, model: models/square.gltf, $1}
END
    exits 0 render "${@:2}" square.yaml
    [ -e out/square/square.png ] && open_pixels out/square/square.png
}

@test "a picture is found at its path, beside the model, and with another suffix" {
    local uri
    for uri in red.png ../models/red.png C:/art/red.png art/red.tga; do
        write_square "$uri"
        draw ''
        [ "$(pixel 8 8)" = ff0000ff ]
        [[ $stderr != *texture* ]]
    done
    exits 0 info game/models/square.gltf
    says '*red.png (by a guess)'
}

@test "a picture whose path has a folder textures is found in that of the assets" {
    write_square art/textures/blue.png
    draw ''
    [ "$(pixel 8 8)" = 0000ffff ]
}

@test "of a picture's path from another machine, a URL, or out of the assets the file name counts" {
    local uri
    for uri in /home/me/red.png 'C:\\art\\red.png' https://example.org/art/red.png ../../art/red.png '..\\..\\red.png'; do
        write_square "$uri"
        draw ''
        [ "$(pixel 8 8)" = ff0000ff ]
        [[ $stderr != *warning* ]]
    done
    write_square ../../gone.png
    draw ''
    says "warning: square: models/square.gltf: no texture 'models/../../gone.png' for 'paint' of *, drawn untextured; *"
    for uri in ../art/gone.png /home/me/gone.png https://example.org/gone.png; do
        write_square "$uri"
        exits 0 check square.yaml
        says "*no texture '*gone.png' for 'paint' of *"
        exits 0 thumb -o thumb.png game/models/square.gltf
        says "*no texture '*gone.png' for 'paint' of *"
    done
}

@test "a missing picture is a warning, and its surface is drawn plain" {
    write_square gone.png '' '"normalTexture": {"index": 0},'
    draw ''
    says "warning: square: models/square.gltf: no texture 'models/gone.png' for 'paint' of *, drawn untextured; * places tried, see -v"
    says "warning: square: models/square.gltf: no normal picture 'models/gone.png' for 'paint'; * places tried, see -v"
    [ "$(pixel 8 8)" = c4beb6ff ]
    exits 0 thumb -v -o "thumb.png" game/models/square.gltf
    says '*diffuse: tried models/gone.png,*found nothing'
    exits 0 thumb -o "thumb.png" game/models/square.gltf
    [[ $stderr != *'diffuse: tried'* ]]
    exits 0 info -v game/models/square.gltf
    says '*diffuse: tried models/gone.png,*found nothing'
    exits 0 info game/models/square.gltf
    [[ $output != *'tried models/gone.png'* ]]
    exits 0 check -v square.yaml
    says '*diffuse: tried models/gone.png,*found nothing'
    says '*normal: tried models/gone.png,*found nothing'
    cp game/models/red.png game/models/gone.png # which makes the page again
    draw '' -v
    [ "$(pixel 8 8)" = ff0000ff ]
}

@test "variants are skins of the model" {
    write_variants
    draw ''
    [ "$(pixel 8 8)" = ff0000ff ]
    draw 'skin: deep sea'
    [ "$(pixel 8 8)" = 0000ffff ]
    draw 'skin: 1'
    [ "$(pixel 8 8)" = ff0000ff ]
    draw 'skins: all'
    [ "$(jq -c '.animations | keys' out/square/square.json)" = '["Deep Sea/bind/front","Fire/bind/front"]' ]
}

@test "a job gives a material another picture by its name, or all of them" {
    write_square red.png '' '"emissiveFactor": [0, 1, 0],'
    draw 'skin: textures/blue.png'
    [ "$(pixel 8 8)" = 00ffffff ] # and everything else stays
    draw 'skin: {PAINT: textures/blue.png}'
    [ "$(pixel 8 8)" = 00ffffff ]
    draw 'skin: {other: textures/blue.png}'
    [ "$(pixel 8 8)" = ffff00ff ]
    says "*models/square.gltf has no skin or shader 'other' (it has paint)"
    mkdir game/materials
    echo 'sea { { blend diffusemap
        map textures/blue } }' >game/materials/a.mtr
    draw 'skin: {paint: sea}'
    [ "$(pixel 8 8)" = 0000ffff ]
}

@test "what blends keeps its alpha, and is there in other passes" {
    write_square red.png '' '"alphaMode": "BLEND",'
    draw 'passes: [normal, mask]'
    cp out/square/square.mask.png solid.png
    convert -size 4x4 xc:'#ff000040' PNG32:game/models/red.png
    draw 'passes: [normal, mask]'
    [ "$(pixel 8 8)" = ff000040 ]
    cmp solid.png out/square/square.mask.png # there is nothing else in the picture
}

@test "info --json has the material of the file" {
    write_square red.png '' '"alphaMode": "MASK", "emissiveFactor": [0, 1, 0],'
    exits 0 info --json game/models/square.gltf
    [ "$(jq -c '.files[0].surfaces[0].material | [.name, .alpha_test, .diffuse]' <<<"$output")" = '["paint",0.5,"models/red.png"]' ]
    [ "$(jq -c '.files[0].surfaces[0].material.own | [.alpha_mode, .emission, .roughness, .unlit]' <<<"$output")" = \
        '["mask",[0,1,0],1,false]' ]
}

# A cube from -1 to 1 whose material shows both sides, and the same without its upper face.
write_cubes() {
    local corners='' i axis closed=
    for i in 0 1 2 3 4 5 6 7; do
        for axis in 1 2 4; do
            ((i & axis)) && corners+='\0\0\200\77' || corners+='\0\0\200\277'
        done
    done
    # shellcheck disable=SC2059
    printf "$corners" >game/models/cube.bin
    printf '\0\4\6\0\6\2\1\3\7\1\7\5\0\1\5\0\5\4\0\2\3\0\3\1\4\5\7\4\7\6\2\6\7\2\7\3' >>game/models/cube.bin
    for closed in 36 30; do
        cat >game/models/cube$closed.gltf <<END
{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
 "materials": [{"doubleSided": true, "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [0.8, 0.2, 0.1, 1]}}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1]},
               {"bufferView": 1, "componentType": 5121, "count": $closed, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 36}],
 "buffers": [{"byteLength": 132, "uri": "cube.bin"}]}
END
    done
}

# A job of a cube: one cell, or the same cell eight times.
draw_cube() { # model, cells, camera
    local cameras='' i
    for ((i = 0; i < $2; i++)); do cameras+="{name: c$i, $3}, "; done
    write_list "$1-$2" game <<END
defaults: {cell: 64, fit: {pixels_per_unit: 12}, sheet: {columns: 1}, passes: [normal, depth, mask]}
jobs: [{name: $1, model: models/$1.gltf, cameras: [$cameras]}]
END
    exits 0 render "$1-$2.yaml"
}

@test "a cell of a body, closed or open, is the same whatever the number of cells" {
    write_cubes
    for cube in cube36 cube30; do
        for camera in 'yaw: 30, pitch: 35' 'yaw: 210, pitch: -20, projection: perspective'; do
            draw_cube "$cube" 1 "$camera"
            draw_cube "$cube" 8 "$camera"
            for pass in '' .normal .depth .mask; do
                convert "out/$cube-8/$cube$pass.png" -crop 64x64+0+0 +repage first.png
                run compare -metric AE first.png "out/$cube-1/$cube$pass.png" null:
                echo "$cube$pass, $camera: $output pixels"
                [ "$output" = 0 ]
            done
        done
    done
}

@test "so is one of a model whose every material has two sides" {
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb" .
    edit_glb pip.glb game/models/pip.glb '.materials[].doubleSided = true'
    local yaws='' times yaw
    for times in once twice; do
        for yaw in 10 100 200 300; do yaws+="{name: $times-$yaw, yaw: $yaw, pitch: 20}, "; done
        write_list $times game <<END
defaults: {cell: 96, supersample: 3, animations: [], sheet: {columns: 4}}
jobs: [{name: pip, model: models/pip.glb, cameras: [$yaws], passes: [normal]}]
END
        exits 0 render $times.yaml
    done
    for pass in '' .normal; do
        convert "out/twice/pip$pass.png" -crop 384x96+0+0 +repage first.png
        [ "$(compare -metric AE first.png "out/once/pip$pass.png" null: 2>&1)" = 0 ]
    done
}

@test "a camera inside a closed body sees its walls" {
    write_cubes
    draw_cube cube36 8 'eye: [0, 0, 0], target: [1, 0, 0], projection: perspective'
    [ "$(convert out/cube36-8/cube36.png -alpha extract -format '%[fx:minima]' info:)" = 1 ]
}

# The square with a toon material: red in the light, a dark red elsewhere.
write_toon() { # the extension's members
    write_square red.png '' "\"extensions\": {\"KHR_materials_unlit\": {}, \"VRMC_materials_mtoon\": {\"specVersion\": \"1.0\",
        \"shadeColorFactor\": [0.5, 1, 1] $1}},"
}

draw_lit() { # where the key light is, and more keys of the job
    draw "light: {rig: flat, ambient: {strength: 0}, key: {direction: $1, strength: 1}} ${2-}"
}

@test "a toon has its base colour in the light and its shade colour elsewhere" {
    write_toon ', "shadeMultiplyTexture": {"index": 0}'
    draw_lit '[0, 0, 1]'
    [ "$(pixel 8 8)" = ff0000ff ]
    [[ $stderr != *MToon* ]]
    draw_lit '[0, 0, -1]'
    [ "$(pixel 8 8)" = bc0000ff ]
    draw_lit '[0, 0, -1]' ', pixel: {light_steps: 3}'
    [ "$(pixel 8 8)" = bc0000ff ]
    draw_lit '[0, 0, -1]' ', skin: textures/blue.png'
    [ "$(pixel 8 8)" = 0000ffff ]
    draw_lit '[0, 0, -1]' ", teamcolor: {material: paint, range: {color: '#ff0000'}}"
    [ "$(pixel 8 8)" = bcbcbcff ] # grey, to be tinted
    draw ''
    [ "$(pixel 8 8)" = ff0000ff ]
    draw_lit '[0, 0, -1]' ', passes: [albedo]'
    open_pixels out/square/square.albedo.png
    [ "$(pixel 8 8)" = ff0000ff ]
    exits 0 info game/models/square.gltf
    says '*, toon*'
}

@test "what a toon loses is a warning, and with a picture of its shade the shade" {
    write_toon ', "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.1'
    draw_lit '[0, 0, -1]'
    says "*MToon's outlines are not drawn; \`outline\` draws one around the model"
    [ "$(pixel 8 8)" = bcffffff ]
    write_toon ', "shadeMultiplyTexture": {"index": 2}'
    sed -i 's/{"source": 1}\]/{"source": 1}, {"source": 2}]/; s|{"uri": "../textures/blue.png"}|&, {"uri": "gone.png"}|' game/models/square.gltf
    draw_lit '[0, 0, -1]'
    says "*no shade picture 'models/gone.png' for 'paint'*"
    [[ $(pixel 8 8) = ??0000ff ]]
}
