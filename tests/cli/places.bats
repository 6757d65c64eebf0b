# Not under the sanitizers: exit codes and words.

# Where pictures of models are found, as artists keep them. The model is a square that fills the cell.
load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/pack/models/deep
}

# A square, which wears this picture; without one it has a plain colour.
write_square() { # file, picture
    local lib
    lib=$(basename "$1" .obj).mtl
    printf 'mtllib %s\nv -1 0 0\nv 1 0 0\nv 1 2 0\nv -1 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3 4/4\n' "$lib" >"$1"
    printf 'newmtl m\nKd 1 1 1\n%s\n' "${2:+map_Kd $2}" >"$(dirname "$1")/$lib"
}

paint() { # picture
    mkdir -p "$(dirname "$1")"
    convert -size 4x4 "xc:${2-red}" "png24:$1"
}

draw() { # model, more keys of the job, options
    write_list square game <<END
lights: {even: $UNLIT}
defaults: {light: even, cell: 16, animations: [], cameras: [{name: front, yaw: 0, pitch: 0}]}
jobs: [{name: square, model: $1${2:+, $2}}]
END
    exits "${code-0}" render --force "${@:3}" square.yaml
    [ ! -e out/square/square.png ] || open_pixels out/square/square.png
}

is_red() {
    [ "$(pixel 8 8)" = ff0000ff ] || { echo "$(pixel 8 8): $stderr" && return 1; }
}

@test "a picture in a format that is not read is taken from one that is, beside it" {
    local suffix
    for suffix in psd PSD tif tiff exr gif ktx2; do
        write_square game/pack/models/a.obj "tex.$suffix"
        paint game/pack/models/tex.png
        echo 'not read' >"game/pack/models/tex.$suffix"
        draw pack/models/a.obj '' --strict
        is_red
        rm game/pack/models/tex.*
    done
    write_square game/pack/models/a.obj tex.v2 # no suffix
    paint game/pack/models/tex.v2.png
    paint game/pack/models/tex.png blue
    draw pack/models/a.obj '' --strict
    is_red
}

@test "a picture that is there in a format that is not read costs a warning, and not the model" {
    write_square game/pack/models/a.obj tex.tif
    echo 'not read' >game/pack/models/tex.tif
    draw pack/models/a.obj
    says "warning: square: pack/models/a.obj: 'pack/models/tex.tif' is in a format that is not read: \`magick IN OUT.png\` converts most"
    says "warning: square: pack/models/a.obj: no texture 'pack/models/tex.tif' for 'm' of *, drawn untextured; *"
    code=3 draw pack/models/a.obj '' --strict
    write_square game/pack/models/a.obj tex.ktx2
    echo 'not read' >game/pack/models/tex.ktx2
    draw pack/models/a.obj
    says "*'pack/models/tex.ktx2' is in a format that is not read: \`ktx extract IN OUT.png\` converts KTX2"
}

@test "a picture is found in the folder that it was in, in folders of textures, and in the folder above" {
    local at
    write_square game/pack/models/deep/a.obj 'C:\art\export\maps\tex.png'
    for at in pack/models/deep pack/models/deep/maps pack/models/maps pack/Maps maps pack/models/deep/Textures pack/models/tex pack/models/texture \
        pack/textures pack/models/materials pack/models; do
        paint "game/$at/TEX.png"
        draw pack/models/deep/a.obj '' --strict
        is_red
        rm "game/$at/TEX.png"
    done
    for at in other pack/models/deep/other pack/models/other; do
        paint "game/$at/tex.png"
        code=3 draw pack/models/deep/a.obj '' --strict
        says '*drawn untextured*'
    done
    paint game/pack/maps/tex.png # and comes
    exits 0 render square.yaml
    open_pixels out/square/square.png
    is_red
}

@test "a model without a picture wears one that is called like it, and says so; skin makes it sure" {
    local name
    write_square game/pack/models/deep/a.obj
    for name in a.png A_diffuse.tga a_Albedo.png a_basecolor.jpg a_color.png Textures/a_Texture.png ../textures/a_skin.png ../Texture/a.png ../a_tex.png; do
        paint "game/pack/models/deep/$name"
        draw pack/models/deep/a.obj
        is_red
        says "warning: square: pack/models/deep/a.obj: it names no texture for '*', drawn in '*' by a guess, which \`skin: pack/models/*\` would make sure"
        [ "$(grep -c 'by a guess' <<<"$stderr")" = 1 ]
        cp out/square/square.png guessed.png
        code=3 draw pack/models/deep/a.obj '' --strict
        code=3 draw pack/models/deep/a.obj 'rules: {missing_textures: 0}'
        draw pack/models/deep/a.obj "skin: $(realpath -m --relative-to game "game/pack/models/deep/$name")" --strict
        cmp out/square/square.png guessed.png
        rm "game/pack/models/deep/$name"
    done
    for name in a_n.png a_normal.png ab.png a.b.png other.png ../../a.png other/a.png; do
        paint "game/pack/models/deep/$name"
        draw pack/models/deep/a.obj '' --strict
        never is_red
        rm "game/pack/models/deep/$name"
    done
}

@test "models of several plain colours, or without texture coordinates, wear no picture by a guess" {
    write_square game/pack/models/a.obj
    paint game/pack/models/a.png
    sed -i 's|f 1/1 2/2 3/3 4/4|f 1/1 2/2 3/3\nusemtl n\nf 1/1 3/3 4/4|' game/pack/models/a.obj
    printf 'newmtl n\nKd 0 0 1\n' >>game/pack/models/a.mtl
    draw pack/models/a.obj '' --strict
    write_square game/pack/models/a.obj
    sed -i 's|^vt.*|vt 0 0|' game/pack/models/a.obj
    draw pack/models/a.obj '' --strict
}

@test "a picture that is found at its path costs one look-up" {
    write_square game/pack/models/a.obj tex.png
    paint game/pack/models/tex.png
    draw pack/models/a.obj
    jq -e '(.absent // []) == [] and (.listed // {}) == {}' out/square/square.sheetbake
    rm game/pack/models/tex.png
    draw pack/models/a.obj
    jq -e '(.absent | length) < 12 and (.listed | length) < 25' out/square/square.sheetbake
}

@test "a picture around the model is found by a name whose marks stand apart" {
    write_square game/pack/models/a.obj $'m\xc3\xb6bel.png'
    paint $'game/pack/textures/Mo\xcc\x88bel.png'
    draw pack/models/a.obj
    is_red
}
