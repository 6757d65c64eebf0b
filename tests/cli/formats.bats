# docs/formats.md says what the program writes and where its limits are; here it is held to that.

load models
load fields
load sheets

ROOT=$BATS_TEST_DIRNAME/../..
PAGE=$ROOT/docs/formats.md

@test "the fields of a page are those of docs/formats.md" {
    local models=$ROOT/jobs/assets/models
    mkdir "$BATS_TEST_TMPDIR/models"
    sed 's/"hand_r"/"hand.r"/' "$models/pip/pip.md5mesh" >"$BATS_TEST_TMPDIR/models/pip.md5mesh"
    write_march "$BATS_TEST_TMPDIR/models/march.md5anim" 50
    sed -i 's/"hand_r"/"hand.r"/' "$BATS_TEST_TMPDIR/models/march.md5anim"
    cat >"$BATS_TEST_TMPDIR/list.yaml" <<LIST
version: 1
assets: [., $ROOT/jobs/assets]
defaults:
  cameras: {name: one-side, yaw: 90}
  cell: 16
jobs:
  - name: plum
    model: models/plum/plum.md2
    animations: [stand]
    sheet: {max_size: 64}
    fit: {scope: frame}
    passes: [normal, depth, mask, uv, wireframe, clay, skeleton, bounds]
  - {name: pip, model: models/pip.md5mesh, animations: {file: march.md5anim}, sockets: hand.r, fit: {scope: units}}
  - {name: packed, model: models/plum/plum.md2, animations: [stand], sheet: {layout: packed, max_size: 64}}
LIST
    "$SHEETBAKE" render -q -o "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/list.yaml"
    agree "A page and its JSON" "$BATS_TEST_TMPDIR"/*.json
    local page
    for page in plum plum-1 pip packed; do # the keys of settings are those of docs/jobs.md
        jq 'del(.settings[])' "$BATS_TEST_TMPDIR/$page.sheetbake" >"$BATS_TEST_TMPDIR/$page.fields"
    done
    agree "What a page was made of" "$BATS_TEST_TMPDIR"/*.fields
}

@test "the fields of info --json are those of docs/formats.md" {
    mkdir -p "$BATS_TEST_TMPDIR"/shop/materials
    cp "$ARM"/arm.md5mesh "$BATS_TEST_TMPDIR"/shop
    touch "$BATS_TEST_TMPDIR"/shop/skin.png
    printf 'textures/skin { { blend add\nmap skin\n } }' >"$BATS_TEST_TMPDIR"/shop/materials/a.mtr
    run -2 --separate-stderr "$SHEETBAKE" info --json "$ROOT"/jobs/assets/models/plum/plum.md2 "$ARM"/arm.md5mesh \
        "$ARM"/bend.md5anim "$BATS_TEST_TMPDIR"/shop/arm.md5mesh "$BATS_TEST_TMPDIR/nothing.md2"
    echo "$output" >"$BATS_TEST_TMPDIR/info.json"
    agree "info --json" "$BATS_TEST_TMPDIR/info.json"
}

@test "the fields of doctor --json are those of docs/formats.md" {
    "$SHEETBAKE" doctor --json >"$BATS_TEST_TMPDIR/doctor.json"
    agree "doctor --json" "$BATS_TEST_TMPDIR/doctor.json"
}

@test "the warning in docs/formats.md is what a missing texture gives" {
    mkdir -p "$BATS_TEST_TMPDIR/models"
    cp "$ROOT/jobs/assets/models/pip/pip.md5mesh" "$BATS_TEST_TMPDIR/models"
    printf 'version: 1\nassets: .\njobs: [{name: pip, model: models/pip.md5mesh}]\n' >"$BATS_TEST_TMPDIR/list.yaml"
    run -0 "$SHEETBAKE" check "$BATS_TEST_TMPDIR/list.yaml"
    local warning
    warning=$(section Textures | grep 'drawn untextured; ')
    printed "warning: $warning"
}

# The constants that are called like limits, and those of them that bound nothing that comes from outside.
limits_of_code() {
    grep -rhoE '(#define |[{,] ?|^ +)[A-Z0-9_]*(MOST|MAX|LIMIT|LONGEST|LARGEST|BUDGET)[A-Z0-9_]* (= )?[(0-9A-Z]' "$ROOT/src" |
        sed -E 's/^(#define |[{,] ?| +)//; s/ .*//' | grep _ | sort -u
}

OURS="CACHE_LIMIT DRAFT_MOST_CONFIGS DRAWN_MOST_PLANES LIMIT_COUNT LONGEST_NUMBER MAX_LISTED_CELLS
MAX_OPTIONS MIPMAP_MAX_LEVELS MOST_DEVICES MOST_HEADERS MOST_HEARD_AT_ONCE MOST_LIBRARIES MOST_PART MOST_PIXEL MOST_SAMPLES MOST_TRIALS MOUNTED_LIMIT
NEAREST_LONGEST QUAKE2_MAX_FRAMES RUN_MAX SAMPLE_BANDS_MOST SHADER_MOST_PARTS"

# Told together with another.
WITH_OTHERS="CAMERA_MOST_OF_JOB MOST_EXTRUDE MOST_BLEED OUTLINE_MAX_PX MOST_PX THUMB_MOST_LINES"

@test "every limit of the code is in docs/formats.md" {
    local name count=0
    for name in $(limits_of_code); do
        count=$((count + 1))
        [[ " $(echo $OURS $WITH_OTHERS) " == *" $name "* ]] || section Limits | grep -qE "\`$name " ||
            { echo "docs/formats.md does not tell of $name"; return 1; }
    done
    [ $count -ge 60 ]
}

@test "the limits in docs/formats.md are those of the code" {
    local row definition file checked=0
    while IFS= read -r row; do
        definition=$(sed -E 's/.*\| `([^`]*)` in `[^`]*` \|$/\1/' <<<"$row")
        file=$(sed -E 's/.* in `([^`]*)` \|$/\1/' <<<"$row")
        grep -E "(^|[ {]|#define )$(sed 's/[][().*^$]/\\&/g' <<<"$definition")([,; }]|$)" "$ROOT/$file" ||
            { echo "$file has no '$definition'"; return 1; }
        checked=$((checked + 1))
    done < <(section Limits | grep '` in `src/')
    [ $checked -ge 60 ]
}
