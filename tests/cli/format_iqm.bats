# bats file_tags=asan

# IQM from outside. The crane (tests/fixtures/crane) is two boxes of 2 x 2 x 4, one above the other.

load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/crane
    cp "$BATS_TEST_DIRNAME"/../fixtures/crane/*.iqm game/crane
}

crane() { # more keys of the job
    write_small crane "model: crane/crane.iqm, $1" 'name: left, yaw: 90, pitch: 0'
}

@test "an IQM is drawn with its clips, and the flag of loops decides which play once" {
    crane 'sampling: {count: 2}'
    exits 0 render crane.yaml
    [ "$(jq -c '.meta.sheetbake.animations | map_values(.loop)' out/crane/crane.json)" = '{"bend/left":true,"grow/left":false}' ]
    crane 'sampling: {count: 2}, loop: true'
    exits 0 render crane.yaml
    [ "$(jq -c '.meta.sheetbake.animations["grow/left"].loop' out/crane/crane.json)" = true ]
}

@test "an IQM without meshes is an animation for another, and a pattern leaves out the model itself" {
    crane 'animations: {file: "*.iqm"}, sampling: {frames: [1]}'
    exits 0 render crane.yaml
    never says '*passed over*'
    [ "$(jq -c '.animations | keys' out/crane/crane.json)" = '["swing/left"]' ]
    exits 2 render game/crane/swing.iqm
    says '*this is an animation, not a job list*'
}

@test "a pattern over models passes over animations, and a job that names one fails" {
    write_small crane 'model: "crane/*.iqm", animations: []' 'name: left, yaw: 90, pitch: 0'
    exits 0 render crane.yaml
    [ "$(find out -name '*.png')" = out/crane/crane/crane.png ]
    write_small crane 'model: crane/swing.iqm, animations: []' 'name: left, yaw: 90, pitch: 0'
    exits 3 render crane.yaml
    says '*this is an IQM animation for 2 joints, not a model*'
    write_small crane 'model: "crane/s*.iqm", animations: []' 'name: left, yaw: 90, pitch: 0'
    exits 3 render crane.yaml
    says "*the files that match 'crane/s\\*.iqm' are animations, not models*"
}

@test "pictures of an IQM are called as its materials" {
    crane 'animations: [], skin: {lower: crane/red.png, game/sleeve.tga: crane/red.png}'
    convert -size 4x4 xc:red game/crane/red.png
    exits 0 render crane.yaml
    open_pixels out/crane/crane.png
    [ "$(pixel 16 8)" = ff0000ff ]
    [ "$(pixel 16 24)" = ff0000ff ]
    convert -size 4x4 xc:lime game/crane/sleeve.png
    crane 'animations: [], skin: {lower: crane/red.png}'
    exits 0 render crane.yaml
    open_pixels out/crane/crane.png
    [ "$(pixel 16 8)" = ff0000ff ]
    [ "$(pixel 16 24)" = 00ff00ff ]
}

@test "attachments and sockets hang on the joints of an IQM" {
    crane 'animations: [bend], sampling: {frames: [0, 1]}, sockets: [elbow], attach: {model: crane/crane.iqm, at: elbow}'
    exits 0 render crane.yaml
    [ "$(jq '[.frames[].sockets.elbow.x] | unique | length' out/crane/crane.json)" = 1 ]
}

@test "info shows an IQM, its animations and the files beside it" {
    exits 0 info game/crane/crane.iqm
    says '*format *IQM*'
    says '*bend *0-1*'
    says '*beside it *swing.iqm*'
    never says '*beside it *crane.iqm*'
    exits 0 info game/crane/swing.iqm
    says '*format *IQM animation'
    says '*mesh *crane.iqm*'
}

@test "pose writes an IQM as OBJ" {
    exits 0 pose game/crane/crane.iqm --animation grow --frame 2 -o grown.obj
    grep -q '^v 3 ' grown.obj
    exits 0 pose game/crane/crane.iqm --animation swing.iqm --frame 1 -o swung.obj
    grep -q '^v 8 ' swung.obj || grep -q '^v 7.99' swung.obj
}

@test "a truncated IQM fails with its place" {
    head -c 700 "$BATS_TEST_DIRNAME/../fixtures/crane/crane.iqm" >game/crane/crane.iqm
    crane 'animations: []'
    exits 3 render crane.yaml
    says '*crane/crane.iqm: *run past the end of the file (700 bytes)*'
}
