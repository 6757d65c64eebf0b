# Made once for all files: the die (tests/fixtures/die) with its picture, and helpers that need a compiler. Tests copy
# $DIE where they change it.

bats_require_minimum_version 1.5.0

setup_suite() {
    local here
    here=$(dirname "${BASH_SOURCE[0]}")
    SHEETBAKE=$(realpath "${SHEETBAKE:-build/release/sheetbake}")
    DIE=$BATS_SUITE_TMPDIR/die TOOLS=$BATS_SUITE_TMPDIR/tools
    export SHEETBAKE DIE TOOLS
    "$SHEETBAKE" --help >/dev/null
    # Warnings of the driver's own leaks are not ours; see the file.
    export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$(realpath "$here/../lsan.supp"):print_suppressions=0}

    mkdir -p "$TOOLS" "$DIE"/{models,anims,textures}
    ${CC:-cc} -Wall -Wextra -Werror -o "$TOOLS/make_die" "$here/../fixtures/die/make_die.c" -lm
    ${CC:-cc} -Wall -Wextra -Werror -shared -fPIC -o "$TOOLS/pause_at_rename.so" "$here/pause_at_rename.c"
    "$TOOLS/make_die" "$DIE"
    mv "$DIE/textures/die.ppm" "$TOOLS"
    convert "$TOOLS/die.ppm" "$DIE/textures/die.png"
}
