# bats file_tags=asan

# Layers of the colour picture, put together again by ImageMagick; team colours and tints.

load sheets

setup() {
    work_in_empty_folder
    ROOT=$(realpath "$BATS_TEST_DIRNAME/../..")
    ASSETS="[$ROOT/jobs/assets, $ROOT/tests/golden/assets, game]"
    mkdir game
}

# A list of jobs of one cell.
list() { # name, jobs (standard input)
    write_list "$1" "$ASSETS" <<END
defaults: {cell: 64, animations: []}
jobs:
$(cat)
END
}

# Over black, in linear light; as codes.
light() { convert "$1" -colorspace RGB -background black -alpha remove -alpha off -depth 16 "$2"; }
codes() { convert "$1" -background black -alpha remove -alpha off -depth 16 "$2"; }

# The most by which two pictures differ, in codes of 8 bits, over black and over white.
expect_near() { # picture, picture, most
    local behind most
    for behind in black white; do
        most=$(convert \( "$1" -background $behind -alpha remove -alpha off \) \( "$2" -background $behind -alpha remove -alpha off \) \
            -compose difference -composite -format '%[fx:maxima*255]' info:)
        [ "$(convert xc: -format "%[fx:$most<=$3+0.01]" info:)" = 1 ] || {
            echo "$1 and $2 differ by $most over $behind"
            return 1
        }
    done
}

has_colors() { # picture, least number of colours
    (("$(convert "$1" -unique-colors -format '%w' info:)" >= $2))
}

@test "shadow, outline and colours put together are the colour picture without passes" {
    local kind
    for kind in shadow contact; do
        list plain <<<"- {name: plain, model: models/pip/pip.glb, ground: $kind, outline: {width: 2, color: '#102040c0'}}"
        list apart <<<"- {name: apart, model: models/pip/pip.glb, ground: $kind, outline: {width: 2, color: '#102040c0'},
    passes: [shadow, outline]}"
        exits 0 render plain.yaml apart.yaml
        cd out/apart
        has_colors apart.shadow.png 20
        convert \( apart.shadow.png -colorspace RGB \) \( apart.outline.png -colorspace RGB \) -composite \
            \( apart.png -colorspace RGB \) -composite -colorspace sRGB -depth 8 whole.png
        expect_near whole.png ../plain/plain.png 2
        ! expect_near apart.png ../plain/plain.png 20 || false
        cd ../..
    done
    # Nothing is in the layers but black, and the line.
    [ "$(convert out/apart/apart.shadow.png -alpha off -format '%[fx:maxima]' info:)" = 0 ]
    [ "$(convert out/apart/apart.outline.png -channel A -threshold 50% +channel -alpha off -unique-colors -format '%w' info:)" -le 2 ]
    [ "$(jq -cS .meta.sheetbake.passes out/apart/apart.json)" = '{"outline":"apart.outline.png","shadow":"apart.shadow.png"}' ]
}

@test "emission added to the colours is the colour picture without passes" {
    # A lamp that white does not cut off, with glass before it.
    sed 's/"emissiveFactor": \[[^]]*\]/"emissiveFactor": [0.1, 0.2, 0.05]/; s/"emissiveStrength": [0-9.]*/"emissiveStrength": 1/' \
        "$ROOT/tests/golden/assets/models/matter.gltf" >game/lamp.gltf
    list lamp <<END
- {name: plain, model: lamp.gltf}
- {name: apart, model: lamp.gltf, passes: [emission]}
END
    exits 0 render lamp.yaml
    cd out/lamp
    has_colors apart.emission.png 20
    light apart.png colors.miff
    light apart.emission.png emission.miff
    convert colors.miff emission.miff -compose plus -composite -colorspace sRGB -depth 8 whole.png
    light plain.png plain.miff
    convert plain.miff -colorspace sRGB -depth 8 plain-on-black.png
    expect_near whole.png plain-on-black.png 1
    ! expect_near apart.png plain.png 20 || false
    cd ../..

    # Additive stages are added as codes, sample by sample.
    dim='supersample: 1, light: {rig: flat, ambient: {strength: 0.03}}, skin: {models/pip/face: golden/glow}'
    list glow <<END
- {name: plain, model: models/pip/pip.md5mesh, $dim}
- {name: apart, model: models/pip/pip.md5mesh, $dim, passes: [emission, albedo]}
END
    exits 0 render glow.yaml
    cd out/glow
    has_colors apart.emission.png 20
    for picture in apart apart.emission plain; do codes $picture.png $picture.miff; done
    convert apart.miff apart.emission.miff -compose plus -composite whole.miff
    expect_near whole.miff plain.miff 2
    ! expect_near apart.png plain.png 20 || false
    cd ../..
    list dark <<<"- {name: dark, model: models/pip/pip.glb, passes: [emission]}"
    exits 0 render dark.yaml
    says "*warning*the pass 'emission' of 'dark' shows nothing"
}

@test "albedo is what even light shows, without what shines" {
    list albedo <<END
- {name: lit, model: models/plum/plum.md2, ground: shadow, outline: {width: 2}, light: rim, passes: [albedo]}
- {name: flat, model: models/plum/plum.md2, light: flat}
- {name: matter, model: models/matter.gltf, passes: [albedo]}
- {name: matter-flat, model: models/matter.gltf, light: flat, passes: [emission]}
END
    exits 0 render albedo.yaml
    cmp out/albedo/lit.albedo.png out/albedo/flat.png
    cmp out/albedo/matter.albedo.png out/albedo/matter-flat.png
}

@test "passes that no setting describes have a shadow and a line of the defaults" {
    list bare <<<"- {name: bare, model: models/plum/plum.md2, passes: [shadow, outline], previews: {format: apng}}"
    list given <<END
- {name: given, model: models/plum/plum.md2, ground: shadow, outline: {width: 1, color: '#000000'}, passes: [shadow, outline]}
- {name: plain, model: models/plum/plum.md2, ground: shadow, outline: {width: 1, color: '#000000'}}
END
    exits 0 render bare.yaml given.yaml
    cmp out/bare/bare.shadow.png out/given/given.shadow.png
    cmp out/bare/bare.outline.png out/given/given.outline.png
    # Previews show all that there is.
    convert out/bare/bare.preview*.png[0] -resize 64x64 preview.png
    expect_near preview.png out/given/plain.png 1
}

@test "a team's part is grey, and times its colour what it was" {
    list team <<END
- {name: plain, model: models/pip/pip.md5mesh, light: flat, cell: 160}
- {name: cloth, model: models/pip/pip.md5mesh, light: flat, teamcolor: {material: CLOTH, range: {color: '#d03030', hue: 30}}, cell: 160}
- {name: shell, model: models/pip/pip.md5mesh, light: flat, teamcolor: {mesh: shell}, passes: [albedo], cell: 160}
- {name: none, model: models/pip/pip.md5mesh, light: flat, teamcolor: none, cell: 160}
END
    exits 0 render team.yaml
    never says '*warning*'
    cd out/team
    cmp plain.png none.png
    # Grey where the mask is, as before elsewhere, and no darker.
    convert cloth.png -colorspace HSB -channel G -separate +channel saturation.png
    convert \( cloth.teamcolor.png -alpha extract -threshold 99% \) saturation.png -compose multiply -composite -format '%[fx:maxima*255]\n' info: >most
    [ "$(cut -d. -f1 most)" -le 2 ]
    convert cloth.teamcolor.png -alpha extract -threshold 0 -negate outside.png
    for picture in plain cloth; do convert $picture.png outside.png -alpha off -compose multiply -composite $picture-outside.png; done
    expect_near plain-outside.png cloth-outside.png 0
    convert cloth.teamcolor.png -alpha extract -threshold 99% -morphology Erode Square:1 inside.png
    [ "$(convert inside.png -format '%[fx:mean*w*h>20]' info:)" = 1 ]
    for picture in plain cloth; do
        convert $picture.png -alpha off -separate -evaluate-sequence max inside.png -compose multiply -composite $picture-inside.png
    done
    expect_near plain-inside.png cloth-inside.png 2
    # The mask is white, and smaller than the model; the shell covers part of the cloth, and both have their own pixels.
    [ "$(convert cloth.teamcolor.png -channel A -threshold 0 +channel -alpha off -unique-colors txt: | sed 1d | grep -vc 'white\|black')" = 0 ]
    convert cloth.teamcolor.png shell.teamcolor.png -alpha extract -compose plus -composite sum.png
    convert plain.png -alpha extract alpha.png
    [ "$(convert sum.png alpha.png -compose minus_src -composite -format '%[fx:maxima<0.02]' info:)" = 1 ]
    has_colors shell.teamcolor.png 4 # its edges
    expect_near shell.albedo.png shell.png 1
    [ "$(jq -cS .meta.sheetbake.passes cloth.json)" = '{"teamcolor":"cloth.teamcolor.png"}' ]
}

@test "a team's part of a skin is in that skin alone" {
    list skins <<END
- {name: skins, model: models/plum/plum.md2, skins: all, teamcolor: {skin: lime}, sheet: {columns: 2}}
- {name: worn, model: models/plum/plum.md2, teamcolor: {skin: plum.pcx}}
END
    exits 0 render skins.yaml
    never says '*warning*'
    [ "$(convert out/skins/skins.teamcolor.png -crop 64x64+0+0 -format '%[fx:maxima.a]' info:)" = 0 ]
    [ "$(convert out/skins/skins.teamcolor.png -crop 64x64+64+0 -format '%[fx:maxima.a]' info:)" = 1 ]
    convert out/skins/skins.png -crop 64x64+0+0 +repage first.png
    ! expect_near first.png out/skins/worn.png 20 || false
}

@test "tints change base colours, and remake what they must" {
    list hues <<END
- {name: gold, model: models/matter.gltf, light: flat}
- {name: plum, model: models/plum/plum.md2, light: flat}
END
    exits 0 render hues.yaml
    ! grep -q 'tint\|teamcolor' out/hues/gold.sheetbake || false
    sed -i 's/gltf, light: flat/&, tint: {"GO*": "#20c040"}/' hues.yaml
    exits 0 render hues.yaml
    says '*1 up to date*'
    [ "$(convert out/hues/gold.png txt: | grep -c '#20C040')" -gt 50 ]
    exits 0 render hues.yaml
    says '*2 sheets up to date*'
    sed -i 's/#20c040/#20c041/' hues.yaml
    exits 0 render --dry-run -v hues.yaml
    says '*gold*tint*'
    # What is not there, and what has no colour of its own.
    sed -i 's/"GO.": "#20c041"/glod: "#20c041", red: "#112233"/; s/md2, light: flat/&, tint: {"*plum*": "#102030"}, teamcolor: {mesh: plumage}/' hues.yaml
    exits 0 check hues.yaml
    says "*has no material 'glod' to tint; 'gold' would tint 'gold'"
    says "*'models/plum/plum.pcx' has no colour but that of its picture, and cannot be tinted"
    says "*models/plum/plum.md2 has no mesh 'plumage' to choose*"
}
