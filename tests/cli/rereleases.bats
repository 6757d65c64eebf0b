# bats file_tags=asan

# An MD5 in the place of an MD2 or MDL, as the re-releases of Quake II and Quake have it.

load models
load sheets

# The arm in the place of the square of write_md2: it bends more from frame to frame. Its skins are red in the folder md5, blue
# beside the MD2.
setup() {
    work_in_empty_folder
    mkdir -p game/models/square/md5
    write_md2 game/models/square/tris.md2
    cp "$ARM/arm.md5mesh" game/models/square/md5/tris.md5mesh
    frames 4 >game/models/square/md5/tris.md5anim
    convert -size 4x4 xc:red game/models/square/md5/skin.png
    convert -size 4x4 xc:blue game/models/square/skin.png
}

frames() { # count -> an md5anim
    local frame
    sed "/^frame 0/,\$d; s/^numFrames .*/numFrames $1/" "$ARM/bend.md5anim"
    for ((frame = 0; frame < $1; frame++)); do echo "frame $frame { 0 -0.${frame}1 0 }"; done
}

square() { # more keys of the job
    write_small square "model: models/square/md5/tris.md5mesh$1"
}

@test "an MD5 of Quake II has the clips of the MD2 in whose place it is, and their rate" {
    square ', animations: [stand, run]'
    exits 0 render --strict square.yaml
    [ "$(jq -c '.animations | map_values(length)' out/square/square.json)" = '{"Run/front":2,"stand/front":2}' ]
    [ "$(jq -c '[.frames[].duration] | unique' out/square/square.json)" = '[100]' ]
    open_pixels out/square/square.png
    [ "$(pixel 16 16)" = ff0000ff ]
    # Frame 2 of the MD2 is frame 2 of the md5anim.
    [ "$(vertex 16 game/models/square/md5/tris.md5mesh --animation run --frame 0)" = \
        "$(vertex 16 --animation game/models/square/md5/tris.md5anim --frame 2 game/models/square/md5/tris.md5mesh)" ]
}

@test "without animations all clips of the MD2 are drawn, and with skins: all each of its skins" {
    square ', skins: all'
    exits 0 render --strict square.yaml
    [ "$(jq -c '.animations | keys' out/square/square.json)" = '["skin/Run/front","skin/stand/front"]' ]
    rm game/models/square/md5/skin.png
    exits 0 render --strict square.yaml
    open_pixels out/square/square.png
    [ "$(pixel 16 16)" = 0000ffff ]
    exits 0 info --assets game models/square/md5/tris.md5mesh
    [[ $output == *'(from models/square/tris.md2)'* ]]
}

@test "a clip is a run of frames of the MD5, and of an md5anim beside any MD5" {
    square ', animations: [{name: own, frames: 1-3}, {name: cut, file: models/square/md5/tris.md5anim, frames: 1-2, rate: 10}]'
    exits 0 render --strict square.yaml
    [ "$(jq -c '.animations | map_values(length)' out/square/square.json)" = '{"cut/front":2,"own/front":3}' ]
    rm game/models/square/tris.md2
    square ', animations: [{name: cut, file: models/square/md5/tris.md5anim, frames: 2-4}]'
    exits 3 check square.yaml
    says '*frames 2-4 of models/square/md5/tris.md5anim: its keyframes are 0-3'
    square ', animations: [{name: own, frames: 1-3}]'
    exits 3 check square.yaml
    says '*no keyframes of its own*'
}

@test "what shows the same frame as an MD5 with clips of more files has its own keyframes" {
    frames 4 >game/models/square/more.md5anim
    square ", attach: {model: models/square/tris.md2, same_frame: true},
        animations: [{file: models/square/more.md5anim}, {name: own, frames: 0-3}]"
    exits 0 render square.yaml
    [ "$(jq -c '.animations | keys' out/square/square.json)" = '["more/front","own/front"]' ]
}

@test "info does not ask whether the clips of the MD2 play on another model" {
    cp "$ARM/arm.md5mesh" game/other.md5mesh
    exits 0 info --assets game other.md5mesh models/square/md5/tris.md5mesh
    [[ $output == *'(from models/square/tris.md2)'* ]]
    [[ $output != *'plays on'* ]]
}

@test "an md5anim with fewer frames than the MD2 is told, and the MD5 keeps its skins" {
    frames 3 >game/models/square/md5/tris.md5anim
    square ', animations: []'
    exits 0 render square.yaml
    says 'warning: *tris.md5anim: it has 3 frames, and the model whose place its mesh takes has 4, so it has no clips'
    open_pixels out/square/square.png
    [ "$(pixel 16 16)" = ff0000ff ]
    printf junk >game/models/square/tris.md2
    exits 0 render square.yaml
    says 'warning: *models/square/tris.md2: not a model file*'
}

@test "init lists an MD5 in the place of an MD2 once" {
    exits 0 init game
    [ "$(sed '1,/^jobs:/d' sheetbake.yaml)" = '  - name: tris
    model: models/square/md5/tris.md5mesh
    animations:
      - stand
      - Run' ]
    rm -r game/models/square/md5
    exits 0 init -o alone.yaml game
    [[ $(<alone.yaml) == *'model: models/square/tris.md2'* ]]
}

@test "an MD5 of Quake has the clips of its MDL, and the skins that are numbered" {
    mkdir game/progs
    cp "$BATS_TEST_DIRNAME/../fixtures/crystal/crystal.mdl" game/progs
    sed 's,textures/s[a-z]*,shard,' "$ARM/arm.md5mesh" >game/progs/crystal.md5mesh
    frames 9 >game/progs/crystal.md5anim
    printf '\1\0\0\0\1\0\0\0\373' | tee game/progs/shard_00_00.lmp >game/progs/shard_01_00.lmp
    write_small crystal 'model: progs/crystal.md5mesh, skins: all'
    exits 0 render --strict crystal.yaml
    [ "$(jq -r '[.animations | keys[] | split("/")[0:2] | join("/")] | join(" ")' out/crystal/crystal.json)" = \
        'shard_00_00/burn shard_00_00/spin shard_01_00/burn shard_01_00/spin' ]
    write_small crystal 'model: progs/crystal.md5mesh, skin: shard_01_00, animations: []'
    exits 0 render --strict crystal.yaml
    open_pixels out/crystal/crystal.png
    [ "$(pixel 16 16)" = ff0000ff ]
}
