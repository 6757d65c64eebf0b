# bats file_tags=asan

# Quake's MDL from outside. The crystal (tests/fixtures/crystal) is red in front and blue behind.

load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/progs
    cp "$BATS_TEST_DIRNAME/../fixtures/crystal/crystal.mdl" game/progs
}

crystal() { # more keys of the job
    write_small crystal "model: progs/crystal.mdl, $1"
}

@test "an MDL is drawn with the skin in it" {
    crystal 'animations: [spin], sampling: {frames: [0]}'
    exits 0 render crystal.yaml
    open_pixels out/crystal/crystal.png
    [ "$(pixel 16 10)" = ff0000ff ]
    [ "$(pixel 16 22)" = 0000ffff ]
}

@test "groups of frames play by their own times" {
    crystal 'animations: [burn], sampling: {frames: [0-2]}, loop: true'
    exits 0 render crystal.yaml
    [ "$(jq -c '[.frames[].duration | round]' out/crystal/crystal.json)" = '[100,100,300]' ]
}

@test "a palette of the game colours skins, and the page is made again when it comes" {
    crystal 'animations: [spin], sampling: {frames: [0]}'
    exits 0 render crystal.yaml
    mkdir game/gfx
    head -c 768 /dev/zero | tr '\0' '\377' >game/gfx/palette.lmp
    exits 0 render --dry-run -v crystal.yaml
    says '*gfx/palette.lmp*'
    exits 0 render crystal.yaml
    open_pixels out/crystal/crystal.png
    [ "$(pixel 16 10)" = ffffffff ]
    printf short >game/gfx/palette.lmp
    exits 3 render crystal.yaml
    says '*gfx/palette.lmp: 5 bytes, a palette has 768*'
}

@test "skins: all draws each skin of an MDL by its name in the file" {
    crystal 'skins: all, animations: [spin], sampling: {frames: [0]}'
    exits 0 render crystal.yaml
    [ "$(jq -r '[.animations | keys[] | split("/")[0]] | join(" ")' out/crystal/crystal.json)" = "skin0 skin1_0 skin1_1" ]
}

@test "info names each skin of an MDL once" {
    exits 0 info --assets game progs/crystal.mdl
    printf '%s\n' "$output" | sed -n '/^  skins/,/^  texture/s/ \{2,\}/ /gp' | diff - <(
        printf ' %s\n' 'skins progs/crystal.mdl:skin0' 'progs/crystal.mdl:skin1_0' 'progs/crystal.mdl:skin1_1' \
            'texture progs/crystal.mdl:skin0'
    )
}

@test "a truncated MDL fails with its place" {
    head -c 500 "$BATS_TEST_DIRNAME/../fixtures/crystal/crystal.mdl" >game/progs/crystal.mdl
    crystal 'animations: [spin]'
    exits 3 render crystal.yaml
    says '*progs/crystal.mdl: the file ends in frame 1 (500 bytes)*'
}
