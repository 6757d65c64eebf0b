# bats file_tags=asan

# Compares docs/formats.md with what the program writes, and with its limits.

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
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$BATS_TEST_TMPDIR/flag.obj"
    (cd "$models/plum" && zip -q "$BATS_TEST_TMPDIR/zipped.pk3" plum.md2)
    cat >"$BATS_TEST_TMPDIR/list.yaml" <<LIST
version: 1
assets: [., zipped.pk3, $ROOT/jobs/assets]
defaults:
  cameras: {name: one-side, yaw: 90}
  cell: 16
jobs:
  - name: plum
    model: models/plum/plum.md2
    animations: [stand]
    sheet: {max_size: 64}
    fit: {scope: frame}
    passes: [normal, depth, mask, uv, wireframe, clay, skeleton, bounds, albedo, shadow, outline, emission]
    teamcolor: {mesh: '*'}
    rules: {triangles: {warn: 1}}
  - {name: pip, model: models/pip.md5mesh, animations: {file: march.md5anim}, sockets: hand.r, boxes: hand.r, events: {march: {0: step}}, fit: {scope: units}}
  - {name: packed, model: models/plum/plum.md2, animations: [stand], sheet: {layout: packed, max_size: 64}}
  - {name: fbx, model: models/pip/pip.fbx, animations: {file: clips/wave.fbx}, pixel: {palette: 8}}
  - {name: flag, model: flag.obj, animations: []}
  - {name: turned, model: models/plum/plum.md2, animations: [stand], cameras: {name: c, directions: 4, mirror: force}, fit: {origin: [0.5, 0.5]}}
  - {name: zipped, model: plum.md2, animations: [stand], frames: {name: "{frame:2}.png"}}
LIST
    "$SHEETBAKE" render -q -o "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/list.yaml"
    agree "A page and its JSON" "$BATS_TEST_TMPDIR"/*.json
    local page
    for page in plum plum@1 pip packed fbx flag turned zipped; do # the keys of settings and words are those of docs/jobs.md
        jq 'del(.settings[], .words[]?)' "$BATS_TEST_TMPDIR/$page.sheetbake" >"$BATS_TEST_TMPDIR/$page.fields"
    done
    agree "What a page was made of" "$BATS_TEST_TMPDIR"/*.fields
}

@test "the fields of info --json are those of docs/formats.md" {
    mkdir -p "$BATS_TEST_TMPDIR"/shop/materials
    cp "$ARM"/arm.md5mesh "$BATS_TEST_TMPDIR"/shop
    touch "$BATS_TEST_TMPDIR"/shop/skin.png
    printf 'textures/skin { { blend add\nmap skin\n } }' >"$BATS_TEST_TMPDIR"/shop/materials/a.mtr
    echo '{"asset": {"version": "2.0"}, "nodes": [{"name": "top"}], "scenes": [{"nodes": [0]}], "scene": 0,
        "buffers": [{"byteLength": 16, "uri": "data:;base64,AAAAAAAAgD8AAIA/AACAPw=="}],
        "bufferViews": [{"buffer": 0, "byteLength": 4}, {"buffer": 0, "byteOffset": 4, "byteLength": 12}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 1},
            {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 1}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": 0, "output": 1}]}]}' >"$BATS_TEST_TMPDIR/rig.gltf"
    run -2 --separate-stderr "$SHEETBAKE" info --json "$ROOT"/jobs/assets/models/plum/plum.md2 "$ARM"/arm.md5mesh \
        "$ARM"/bend.md5anim "$BATS_TEST_TMPDIR"/shop/arm.md5mesh "$ROOT"/tests/golden/assets/models/matter.gltf \
        "$ROOT"/jobs/assets/models/sprout/sprout.glb "$BATS_TEST_TMPDIR/rig.gltf" "$BATS_TEST_TMPDIR/nothing.md2"
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
