# Not under the sanitizers: it reads no file of others.

# The code that llvmpipe makes for our programs has no instruction whose result each maker of processors chooses.
load sheets

setup() {
    work_in_empty_folder
}

# Materials with all that those of a model file can have.
write_materials() {
    local corners='AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgD8AAAAA' order='AAABAAIAAAACAAMA'
    local attributes='"attributes": {"POSITION": 0, "NORMAL": 0, "TEXCOORD_0": 2, "COLOR_0": 0}, "indices": 1' picture='{"index": 0}'
    mkdir game
    convert -size 4x4 xc:'#c06040' PNG24:game/paint.png
    cat >game/square.gltf <<END
{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{$attributes, "material": 0}, {$attributes, "material": 1}, {$attributes, "material": 2}]}],
 "materials": [
   {"name": "metal", "doubleSided": true, "alphaMode": "MASK",
    "normalTexture": $picture, "occlusionTexture": $picture, "emissiveTexture": $picture, "emissiveFactor": [1, 1, 1],
    "extensions": {"KHR_materials_specular": {"specularTexture": $picture, "specularColorTexture": $picture}},
    "pbrMetallicRoughness": {"baseColorTexture": $picture, "metallicRoughnessTexture": $picture}},
   {"name": "glass", "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5], "metallicFactor": 0.5}},
   {"name": "toon", "normalTexture": $picture, "emissiveTexture": $picture, "emissiveFactor": [1, 1, 1],
    "extensions": {"VRMC_materials_mtoon": {"specVersion": "1.0", "shadeColorFactor": [1, 0, 0]}},
    "pbrMetallicRoughness": {"baseColorTexture": $picture}}],
 "textures": [{"source": 0}], "images": [{"uri": "paint.png"}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
               {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC2"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64,$corners$order"}]}
END
    write_list square game <<<'- {name: square, model: square.gltf, cell: 16, light: rim, cameras: [front]}'
}

@test "no program that is drawn with approximates a reciprocal or a root" {
    [ "$(uname -m)" = x86_64 ] || skip "these are the instructions of x86_64"
    export XDG_CACHE_HOME=$PWD/cache # no shader and no probe of before
    write_materials
    CODE=$PWD/code LD_PRELOAD=$TOOLS/keep_code.so exits 0 render -q --backend osmesa --timeout 600 -o out square.yaml \
        "$BATS_TEST_DIRNAME/../golden/golden.yaml"
    # What is made executable is code alone: constants have pages of their own. So a listing has nothing that is not an
    # instruction. Thousands multiply, and some take roots; else it would not be that of our programs.
    objdump -D -b binary -m i386:x86-64 --no-show-raw-insn code | awk -F '\t' '{ split($2, word, " "); print word[1] }' |
        sort | uniq -c >instructions
    grep -E ' v?(mulps|sqrtps)$' instructions
    [ "$(awk '$2 ~ /^v?mulps$/ { print $1 }' instructions)" -gt 3000 ]
    [ "$(awk '$2 ~ /^v?sqrtps$/ { print $1 }' instructions)" -gt 20 ]
    never grep -E ' v?(rcp|rsqrt)| \(bad\)' instructions
}
