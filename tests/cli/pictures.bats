# bats file_tags=asan
load sheets

setup() {
    work_in_empty_folder
}

# Whether a cell of 64 pixels whose left edge is at x shows these colours in the middle of its four quarters: top-left,
# top-right, bottom-left, bottom-right. Seen straight on, a face of the die covers the cell but for 3 pixels all around.
shows() { # x, four colours
    local x=$1 seen
    seen="$(pixel $((x + 18)) 18) $(pixel $((x + 46)) 18) $(pixel $((x + 18)) 46) $(pixel $((x + 46)) 46)"
    [ "$seen" = "$2ff $3ff $4ff $5ff" ] || {
        printf 'at %s are %s\n' "$x" "$seen"
        return 1
    }
}

RED=ff0000 CYAN=00ffff GREEN=00ff00 MAGENTA=ff00ff BLUE=0000ff YELLOW=ffff00 WHITE=ffffff BLACK=000000 GREY=808080

# -- Which way round --

@test "each camera sees its face of the die, upright and not mirrored" {
    write_list die <<-END
	defaults: {cell: 64, light: $UNLIT, cameras: [front, back, left, right, top, bottom], animations: [], sheet: {columns: 6}}
	jobs:
	- {name: md2, model: models/die.md2}
	- {name: gl, model: models/die.md2, geometry: glcommands}
	- {name: md5, model: models/die.md5mesh}
	END
    exits 0 render die.yaml
    local model
    for model in md2 gl md5; do
        open_pixels out/die/$model.png
        #     camera  top-left top-right bottom-left bottom-right
        shows 0       $RED     $WHITE    $BLACK      $GREY # front
        shows 64      $CYAN    $WHITE    $BLACK      $GREY # back
        shows 128     $GREEN   $WHITE    $BLACK      $GREY # left
        shows 192     $MAGENTA $WHITE    $BLACK      $GREY # right
        shows 256     $BLUE    $WHITE    $BLACK      $GREY # top: the front edge is below
        shows 320     $YELLOW  $WHITE    $BLACK      $GREY # bottom: the front edge is above
    done
}

@test "a turn in an animation turns the model, not the camera" {
    write_list turn <<-END
	- {name: die, model: models/die.md5mesh, cell: 64, light: $UNLIT, cameras: [front, left, top], sheet: {columns: 3},
	   animations: [{file: anims/turn.md5anim, sampling: {frames: 1}}]}
	END
    exits 0 render turn.yaml
    open_pixels out/turn/die.png
    # Turned counter-clockwise as seen from above, the right side comes to the front, and the front to the left
    shows 0   $MAGENTA $WHITE $BLACK $GREY
    shows 64  $RED     $WHITE $BLACK $GREY
    shows 128 $WHITE   $GREY  $BLUE  $BLACK
}

@test "other ways to look at the front see the same" {
    write_list die <<-END
	- name: die
	  model: models/die.md2
	  cell: 64
	  light: $UNLIT
	  animations: []
	  sheet: {columns: 5}
	  cameras:
	  - {name: around, yaw: 360}
	  - {name: lens, projection: perspective, fov: 20}
	  - {name: place, eye: [7, 0, 0], projection: perspective, fov: 20}
	  - {name: flat, eye: [7, 0, 0], target: [1, 0, 0]}
	  - {name: upside, roll: 180}
	END
    exits 0 render die.yaml
    open_pixels out/die/die.png
    shows 0   $RED  $WHITE $BLACK $GREY
    shows 64  $RED  $WHITE $BLACK $GREY
    shows 128 $RED  $WHITE $BLACK $GREY
    shows 192 $RED  $WHITE $BLACK $GREY
    shows 256 $GREY $BLACK $WHITE $RED
}

@test "directions walk around the model counter-clockwise as seen from above" {
    write_list die <<-END
	- {name: die, model: models/die.md5mesh, cell: 64, light: $UNLIT, cameras: {directions: 4, name: c}, sheet: {columns: 4}}
	END
    exits 0 render die.yaml
    open_pixels out/die/die.png
    shows 0   $RED     $WHITE $BLACK $GREY
    shows 64  $GREEN   $WHITE $BLACK $GREY
    shows 128 $CYAN    $WHITE $BLACK $GREY
    shows 192 $MAGENTA $WHITE $BLACK $GREY
}

@test "a hop is seen as one, at the scale that the whole job has" {
    write_list hop <<-END
	- {name: die, model: models/die.md2, cell: 64, light: $UNLIT, cameras: [front], animations: [hop], sheet: {columns: 2}}
	END
    exits 0 render hop.yaml
    open_pixels out/hop/die.png
    # 3 units in 0.9 of 64 pixels: the die stands on y = 60.8, is 38.4 high, and hops up by 19.2
    [ "$(pixel 22 21)" = 00000000 ]
    [ "$(pixel 22 24)" = ${RED}ff ]
    [ "$(pixel 42 59)" = ${GREY}ff ]
    [ "$(pixel $((64 + 22)) 2)" = 00000000 ]
    [ "$(pixel $((64 + 22)) 5)" = ${RED}ff ]
    [ "$(pixel $((64 + 42)) 40)" = ${GREY}ff ]
    [ "$(pixel $((64 + 42)) 43)" = 00000000 ]
    # The origin is in the middle of the die before the hop, a third of the height above the lower edge
    jq -e '.frames | all(.[]; .pivot == {x: 0.5, y: 0.65})' out/hop/die.json
}

@test "pixels_per_unit is the scale" {
    write_list scale <<-END
	- {name: die, model: models/die.md2, cell: 64, light: $UNLIT, cameras: [front], animations: [], fit: {pixels_per_unit: 10}}
	END
    exits 0 render scale.yaml
    [ "$(convert out/scale/die.png -trim -format '%wx%h%O' info:)" = 20x20+22+22 ]
}

@test "faces that look away are not drawn" {
    write_list inside <<-END
	- {name: die, model: models/die.md2, cell: 16, animations: [],
	   cameras: [{name: inside, eye: [0, 0, 0], target: [1, 0, 0], projection: perspective}]}
	END
    exits 0 render inside.yaml
    [ "$(convert out/inside/die.png -format '%[fx:maxima.a]' info:)" = 0 ]
}

@test "drawn from GL commands and from triangles, a model gives the same bytes" {
    write_list both <<-END
	defaults:
	  cell: 48
	  cameras: [three_quarter, isometric, {directions: 5, pitch: -20, projection: perspective, name: around}]
	  sheet: {columns: 7}
	jobs:
	- {name: t/die, model: models/die.md2, geometry: triangles}
	- {name: g/die, model: models/die.md2, geometry: glcommands}
	END
    exits 0 render both.yaml
    cmp out/both/t/die.png out/both/g/die.png
    [ "$(convert out/both/t/die.png -format %k info:)" -gt 100 ]
}

# -- Textures --

different_pixels() { # a, b, percentage
    compare -metric AE -fuzz "$3%" "$1" "$2" null: 2>&1 || true
}

@test "the same skin in every format gives the same picture" {
    mkdir -p assets/models assets/skins
    cp "$DIE/models/die.md2" assets/models
    local ppm=$TOOLS/die.ppm name
    cd assets/skins
    convert "$ppm" -write PNG24:true.png -write palette.pcx -write PNG8:palette.png -write BMP3:palette.bmp null:
    convert "$ppm" -type TrueColor -write true.pcx -write BMP3:true.bmp -interlace PNG PNG24:true-interlaced.png
    convert "$ppm" -sampling-factor 1x1 -quality 95 -write full.jpg -interlace JPEG progressive.jpeg
    # ImageMagick writes rows as they are, and -orient into the header
    convert "$ppm" -orient TopLeft -compress none -type TrueColor raw.tga
    convert "$ppm" -flip -orient BottomLeft -compress RLE -type TrueColor rle.tga
    convert "$ppm" -flop -orient TopRight -type Palette palette.tga
    convert "$ppm" -flip -flop -orient BottomRight -type TrueColorAlpha -write alpha.tga -flip -flop BMP:alpha.bmp
    convert "$ppm" -define dds:compression=none plain.dds
    convert "$ppm" -define dds:compression=dxt1 dxt1.dds
    convert "$ppm" -alpha set -define dds:compression=dxt5 dxt5.dds
    cd ../..
    {
        printf 'defaults: {cell: 64, light: %s, cameras: [front, left, top], animations: []}\njobs:\n' "$UNLIT"
        for name in $(files assets/skins); do
            echo "- {name: ${name/./_}, model: models/die.md2, skin: skins/$name}"
        done
    } | write_list formats assets
    exits 0 render formats.yaml
    [[ $stderr != *warning* ]]
    [ "$(find out/formats -name '*.png' | wc -l)" = 17 ]
    for name in out/formats/*.png; do
        case $name in
        *_dds.png | *_jp*g.png) [ "$(different_pixels out/formats/true_png.png "$name" 4)" = 0 ] ;;
        *) cmp out/formats/true_png.png "$name" ;;
        esac || { echo "$name differs"; false; }
    done
}

@test "a skin of twice the size lies on the model in the same way" {
    mkdir assets
    cp -r "$DIE/models" assets
    convert "$TOOLS/die.ppm" -sample 200% assets/models/big.png
    write_list big assets <<-END
	- {name: die, model: models/die.md2, skin: big.png, cell: 64, light: $UNLIT, cameras: [front, top], animations: []}
	END
    exits 0 render big.yaml
    open_pixels out/big/die.png
    shows 0  $RED  $WHITE $BLACK $GREY
    shows 64 $BLUE $WHITE $BLACK $GREY
}

@test "textures repeat outside 0..1" {
    mkdir -p assets
    cp -r "$DIE/textures" "$DIE/models" assets
    awk '$1 == "vert" { $4 += 7; $5 -= 3 } { print }' "$DIE/models/die.md5mesh" >assets/models/far.md5mesh
    write_list far assets <<-END
	defaults: {cell: 64, light: $UNLIT, cameras: [front, back], sheet: {columns: 2}}
	jobs:
	- {name: far, model: models/far.md5mesh}
	END
    exits 0 render far.yaml
    open_pixels out/far/far.png
    shows 0  $RED  $WHITE $BLACK $GREY
    shows 64 $CYAN $WHITE $BLACK $GREY
}

# Draws the die with alpha made by these arguments of convert; the black quarter is at (18, 46), the red one at (18, 18).
draw_die_with_alpha() { # arguments of convert
    mkdir -p assets/textures
    cp -r "$DIE/models" assets
    convert "$TOOLS/die.ppm" "$@" assets/textures/die.png
    write_list holes assets <<-END
	defaults: {cell: 64, light: $UNLIT, cameras: [front], animations: []}
	jobs:
	- {name: md2, model: models/die.md2}
	- {name: md5, model: models/die.md5mesh}
	- {name: named, model: models/die.md5mesh, skin: {textures/die: textures/die.png}}
	END
    exits 0 render --force holes.yaml
}

holes_are() { # sheet, pixels of the red and the black quarter
    open_pixels "out/holes/$1.png"
    [ "$(pixel 18 18) $(pixel 18 46)" = "$2 $3" ]
}

@test "alpha of a mask cuts holes, for an MD2 and for an MD5 without a material" {
    draw_die_with_alpha -transparent black
    for sheet in md2 md5 named; do
        holes_are $sheet ${RED}ff 00000000
    done
}

@test "alpha that is not a mask means nothing for an MD5 without a material" {
    # A ramp, as of gloss or height; then nothing but transparent; then nothing below one half.
    draw_die_with_alpha '(' -size 64x64 gradient:white-black ')' -alpha off -compose copy_opacity -composite
    holes_are md5 ${RED}ff 000000ff
    holes_are named ${RED}ff 000000ff
    draw_die_with_alpha -alpha set -channel alpha -evaluate set 2%
    holes_are md5 ${RED}ff 000000ff
    draw_die_with_alpha -alpha set -channel alpha -evaluate set 60%
    holes_are md5 ${RED}ff 000000ff
}

@test "a material says what alpha means, also of a mask" {
    mkdir -p assets/materials
    echo 'textures/die { diffusemap textures/die.png }' >assets/materials/die.mtr
    draw_die_with_alpha -transparent black
    holes_are md5 ${RED}ff 000000ff
    echo 'textures/die { { blend diffusemap map textures/die.png alphaTest 0.5 } }' >assets/materials/die.mtr
    draw_die_with_alpha -transparent black
    holes_are md5 ${RED}ff 00000000
}

@test "a mapping of skins dresses each mesh by its shader" {
    mkdir assets
    cp -r "$DIE/textures" "$DIE/models" assets
    awk '/shader/ && ++n == 2 { sub("textures/die", "textures/other") } { print }' "$DIE/models/die.md5mesh" \
        >assets/models/two.md5mesh
    convert -size 4x4 xc:'#204060' assets/textures/plain.png
    write_list two assets <<-END
	- {name: two, model: models/two.md5mesh, skin: {Textures/Other: textures/plain.png}, cell: 64, light: $UNLIT, cameras: [front, bottom]}
	END
    exits 0 render two.yaml
    open_pixels out/two/two.png
    shows 0  $RED   $WHITE $BLACK $GREY
    shows 64 204060 204060 204060 204060
}

@test "a picture that is broken fails its job with its name" {
    mkdir assets
    cp -r "$DIE/models" assets
    mkdir assets/textures
    convert "$TOOLS/die.ppm" - | head -c 300 >assets/textures/die.png
    write_list broken assets <<<"- {name: die, model: models/die.md2, cell: 8}"
    exits 3 render broken.yaml
    says 'error: die: textures/die.png: *'
}

# -- Edges, background, light --

red_die() { # more keys of the job
    mkdir -p assets
    cp -r "$DIE/models" assets
    convert -size 4x4 xc:red assets/models/red.png
    write_list red assets <<-END
	- {name: die, model: models/die.md2, skin: red.png, cell: 40, light: $UNLIT, animations: [], $*}
	END
}

@test "the edge of a red model is pure red, however little of it there is" {
    red_die supersample: 4
    exits 0 render red.yaml
    open_pixels out/red/die.png
    od -An -v -tu1 -w4 pixels.raw >pixels.txt
    # Neither dark nor light, and where there is nothing, nothing
    run -1 grep -vE '^ +255 +0 +0 +[1-9][0-9]*$|^ +0 +0 +0 +0$' pixels.txt
    [ "$(grep -cE '^ +255 +0 +0 +(1?[0-9]?[0-9]|2[0-4][0-9])$' pixels.txt)" -gt 40 ]
}

@test "supersampling by N gives N x N levels of coverage" {
    red_die # for its assets
    for n in 1 2 3 4; do
        echo "- {name: s$n, model: models/die.md2, skin: red.png, cell: 40, light: $UNLIT, animations: [], supersample: $n}"
    done | write_list levels assets
    exits 0 render levels.yaml
    local n levels before=1
    for n in 1 2 3 4; do
        levels=$(convert out/levels/s$n.png -depth 8 rgba:- | od -An -v -tu1 -w4 | awk '{ print $4 }' | sort -u | wc -l)
        [ "$levels" -gt $before ]
        [ "$levels" -le $((n * n + 1)) ]
        before=$levels
    done
}

@test "a background fills what the model does not cover" {
    red_die "background: '#204060'"
    exits 0 render red.yaml
    open_pixels out/red/die.png
    [ "$(pixel 0 0)" = 204060ff ]
    [ "$(pixel 20 20)" = ff0000ff ]
    [ "$(convert out/red/die.png -format '%[opaque]' info: | tr TF tf)" = true ]
}

@test "a background may let through some of what is behind" {
    red_die "background: [32, 64, 96, 128]"
    exits 0 render red.yaml
    open_pixels out/red/die.png
    [ "$(pixel 0 0)" = 20406080 ]
    [ "$(pixel 20 20)" = ff0000ff ]
}

@test "light from the sky falls on what looks up, and is mixed in linear light" {
    local light="{key: {strength: 0}, fill: {strength: 0}, sky: {color: '#ffffff', strength: 1}, ground: {strength: 0}}"
    mkdir -p assets
    cp -r "$DIE/textures" "$DIE/models" assets
    # Corners of faces that are not quite at one place do not share their normals: the faces are flat.
    awk '$1 == "weight" { $6 += $2 * 1e-6 } { print }' "$DIE/models/die.md5mesh" >assets/models/die.md5mesh
    write_list sky assets <<-END
	- {name: die, model: models/die.md5mesh, cell: 64, light: $light, cameras: [top, front, bottom], sheet: {columns: 3}}
	END
    exits 0 render sky.yaml
    open_pixels out/sky/die.png
    [ "$(pixel 46 18)" = ffffffff ]
    [[ "$(pixel 110 18)" =~ ^(bb|bc){3}ff$ ]] # half of white
    [ "$(pixel 174 18)" = 000000ff ]
}

@test "the key light comes from the same side of the picture for all directions" {
    local light="{key: {direction: [-1, 0, 0.01], strength: 1}, fill: {strength: 0}, sky: {strength: 0}, ground: {strength: 0}}"
    mkdir -p assets
    cp -r "$DIE/models" assets
    convert -size 4x4 xc:white assets/models/white.png
    write_list key assets <<-END
	- {name: die, model: models/die.md5mesh, skin: white.png, cell: 32, light: $light, cameras: {directions: 4, start: 45, name: c},
	   sheet: {columns: 4}}
	END
    exits 0 render key.yaml
    open_pixels out/key/die.png
    local x
    for x in 0 32 64 96; do
        [[ "$(pixel $((x + 8)) 16)" == [89a-f]* ]] # the left of the two faces seen
        [[ "$(pixel $((x + 24)) 16)" == 0* ]]
    done
}

@test "a picture is found whose name has other cases of letters, or its marks as macOS unpacks them" {
    mkdir -p game/models game/textures
    local name
    for name in $'MO\xcc\x88BEL' $'Mo\xcc\x88bel' $'M\xc3\x96bel' $'m\xc3\xb6bel'; do
        rm -rf game/*/*
        sed "s,shader .*,shader \"textures/$(printf 'm\xc3\xb6bel')\"," "$DIE/models/die.md5mesh" >game/models/die.md5mesh
        convert -size 4x4 xc:red "png:game/textures/$name.png"
        write_small die 'model: models/die.md5mesh, animations: []'
        exits 0 render --strict die.yaml
        open_pixels out/die/die.png
        [ "$(pixel 16 16)" = ff0000ff ]
        # Patterns, too.
        mv game/models/die.md5mesh "game/models/$name.md5mesh"
        write_small die $'model: "models/m\xc3\xb6b*.md5mesh", animations: []'
        exits 0 check --strict die.yaml
        says '*: 1 page, 1 cell*'
    done
}
