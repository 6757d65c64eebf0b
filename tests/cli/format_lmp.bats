# bats file_tags=asan

# Skins as Quake's re-release names and stores them.

load sheets

@test "a shader finds the first picture of its first skin, in Quake's colours" {
    work_in_empty_folder
    mkdir -p game/arm
    cp "$BATS_TEST_DIRNAME"/../fixtures/arm/arm.md5mesh game/arm
    sed -i 's,textures/s[a-z]*,arm,' game/arm/arm.md5mesh
    printf '\1\0\0\0\1\0\0\0\373' >game/arm/arm_00_00.lmp
    write_small arm 'model: arm/arm.md5mesh'
    exits 0 render arm.yaml
    open_pixels out/arm/arm.png
    [ "$(pixel 16 16)" = ff0000ff ]
}
