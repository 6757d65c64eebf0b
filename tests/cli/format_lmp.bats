#!/usr/bin/env bats
# Skins as Quake's re-release names and stores them.

load sheets

@test "a shader finds the first picture of its first skin, in Quake's colours" {
    work_in_empty_folder
    mkdir -p game/arm
    cp "$BATS_TEST_DIRNAME"/../fixtures/arm/arm.md5mesh game/arm
    sed -i 's,textures/s[a-z]*,arm,' game/arm/arm.md5mesh
    printf '\1\0\0\0\1\0\0\0\373' >game/arm/arm_00_00.lmp
    write_list arm game <<END
lights: {even: $UNLIT}
defaults: {light: even, cell: 32, supersample: 1, cameras: [{name: front, yaw: 0, pitch: 0}]}
jobs: [{name: arm, model: arm/arm.md5mesh}]
END
    exits 0 render arm.yaml
    open_pixels out/arm/arm.png
    [ "$(pixel 16 16)" = ff0000ff ]
}
