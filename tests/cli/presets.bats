# Not under the sanitizers: it looks at pixels.
load sheets

# Each camera preset against a picture that plain_render.c draws from the mesh of `pose`: which way round the model is, how
# its textures lie, what is in front, and which faces are not seen at all. The sign (tests/fixtures/sign.c) has writing on
# every face, and no side like another.

PRESETS='front 0 0
back 180 0
left 90 0
right 270 0
top 0 90
bottom 0 -90
three_quarter 30 20
isometric 45 35.26439
dimetric 45 30'

SAMPLES=$BATS_TEST_DIRNAME/../../jobs/assets

setup() {
    work_in_empty_folder
}

# One cell for each preset, in a sheet for each, and the mesh.
bake_presets() { # name, assets, model
    write_list "$1" "$2" <<-END
	defaults:
	  cell: $CELL
	  light: flat
	  animations: []
	  split: camera
	  fit: {pixels_per_unit: $SCALE}
	  cameras: [$(cut -d ' ' -f 1 <<<"$PRESETS" | paste -sd ,)]
	jobs:
	- {name: $1, model: $3}
	END
    exits 0 render "$1.yaml"
    "$SHEETBAKE" pose --bind --assets "$2" -o "$1.obj" "$3"
}

# Fails unless the sheet of a camera shows what it should, in at least so many colours.
same_as_plain() { # name, camera, yaw, pitch, texture, colours; more options of convert
    local name=$1 camera=$2 yaw=$3 pitch=$4 texture=$5 colors=$6 pivot found
    shift 6
    pivot=$(jq -r ".frames[].pivot | \"\(.x * $CELL) \(.y * $CELL)\"" "out/$name/$name@$camera.json")
    convert "out/$name/$name@$camera.png" "$@" -depth 8 rgba:cell.raw
    # shellcheck disable=SC2086
    found=$("$TOOLS/plain_render" "$name.obj" "$texture" "$yaw" "$pitch" "$SCALE" "$CELL" $pivot <cell.raw) || {
        echo "$name seen by $camera: $found"
        return 1
    }
    # More than half of what is covered, or the test tests nothing
    awk -v colors="$colors" '{ exit !($1 > $3 / 2 && $5 >= colors) }' <<<"$found" || {
        echo "$name seen by $camera: only $found"
        return 1
    }
}

differs_from_plain() { # as same_as_plain, but for the colours
    if same_as_plain "${@:1:5}" 0 "${@:6}"; then
        echo "$1 seen by $2 is the same by yaw $3, pitch $4, convert ${*:6}"
        return 1
    fi
}

assert_sign() { # name, model
    CELL=320 SCALE=70
    bake_presets "$1" "$SIGN" "$2"
    local camera yaw pitch
    while read -r camera yaw pitch; do
        # One kind of paper and the ink, or three kinds
        case $camera in three_quarter | isometric | dimetric) colors=4 ;; *) colors=2 ;; esac
        same_as_plain "$1" "$camera" "$yaw" "$pitch" "$TOOLS/sign.ppm" $colors
    done <<<"$PRESETS"
}

@test "every preset shows the writing on an MD2 as it should" {
    assert_sign md2 models/sign.md2
}

@test "every preset shows the writing on an MD5 as it should" {
    assert_sign md5 models/sign.md5mesh
}

@test "a picture that is mirrored, upside down or of another side differs from the right one" {
    CELL=320 SCALE=70
    bake_presets md5 "$SIGN" models/sign.md5mesh
    local camera yaw pitch
    while read -r camera yaw pitch; do
        same_as_plain md5 "$camera" "$yaw" "$pitch" "$TOOLS/sign.ppm" 2
        differs_from_plain md5 "$camera" "$yaw" "$pitch" "$TOOLS/sign.ppm" -flop
        differs_from_plain md5 "$camera" "$yaw" "$pitch" "$TOOLS/sign.ppm" -flip
        differs_from_plain md5 "$camera" $((yaw + 90)) "$pitch" "$TOOLS/sign.ppm"
    done <<<"$(grep -E '^(left|top|isometric)' <<<"$PRESETS")"
}

@test "every preset shows the outlines of the sample models where they should be" {
    CELL=128 SCALE=1.5
    bake_presets pip "$SAMPLES" models/pip/pip.md5mesh
    bake_presets plum "$SAMPLES" models/plum/plum.md2
    local camera yaw pitch
    while read -r camera yaw pitch; do
        same_as_plain pip "$camera" "$yaw" "$pitch" - 1
        same_as_plain plum "$camera" "$yaw" "$pitch" - 1
        differs_from_plain pip "$camera" "$yaw" "$pitch" - -flip
    done <<<"$PRESETS"
}
