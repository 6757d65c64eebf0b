# docs/formats.md says what the program writes and where its limits are; here it is held to that.

load models
load fields

ROOT=$BATS_TEST_DIRNAME/../..
PAGE=$ROOT/docs/formats.md

@test "the fields of a page are those of docs/formats.md" {
    local models=$ROOT/jobs/assets/models
    mkdir "$BATS_TEST_TMPDIR/models"
    sed 's/"hand_r"/"hand.r"/' "$models/pip/pip.md5mesh" >"$BATS_TEST_TMPDIR/models/pip.md5mesh"
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
  - {name: pip, model: models/pip.md5mesh, sockets: hand.r}
LIST
    "$SHEETBAKE" render -q -o "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/list.yaml"
    agree "A page and its JSON" "$BATS_TEST_TMPDIR"/plum.json "$BATS_TEST_TMPDIR"/plum-1.json "$BATS_TEST_TMPDIR"/pip.json
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
    warning=$(section Textures | grep 'drawn untextured; tried')
    printed "warning: $warning"
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
    [ $checked -ge 15 ]
}
