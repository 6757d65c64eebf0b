# Made once for all files: the die and the sign (tests/fixtures) with their pictures, and libraries and programs in C.
# Tests copy $DIE before they change it.

bats_require_minimum_version 1.5.0

setup_suite() {
    local here
    here=$(dirname "${BASH_SOURCE[0]}")
    SHEETBAKE=$(realpath "${SHEETBAKE:-build/release/sheetbake}")
    DIE=$BATS_SUITE_TMPDIR/die SIGN=$BATS_SUITE_TMPDIR/sign TOOLS=$BATS_SUITE_TMPDIR/tools
    export SHEETBAKE DIE SIGN TOOLS
    "$SHEETBAKE" --help >/dev/null
    . "$here/../surroundings"
    # Tests load libraries of their own before that of the sanitizer.
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
    # The driver's own leaks are not ours; see the file.
    export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$(realpath "$here/../lsan.supp"):print_suppressions=0}

    mkdir -p "$TOOLS" "$DIE"/{models,anims,textures} "$SIGN"/{models,textures}
    ${CC:-cc} -Wall -Wextra -Werror -o "$TOOLS/make_die" "$here/../fixtures/die/make_die.c" -lm
    ${CC:-cc} -Wall -Wextra -Werror -shared -fPIC -o "$TOOLS/pause_at_rename.so" "$here/pause_at_rename.c"
    ${CC:-cc} -Wall -Wextra -Werror -D_GNU_SOURCE -shared -fPIC -o "$TOOLS/trouble.so" "$here/trouble.c" -ldl
    ${CC:-cc} -Wall -Wextra -Werror -shared -fPIC -o "$TOOLS/escape.so" "$here/escape.c"
    ${CC:-cc} -Wall -Wextra -Werror -shared -fPIC -o "$TOOLS/lie.so" "$here/lie.c"
    ${CC:-cc} -Wall -Wextra -Werror -o "$TOOLS/refuse" "$here/refuse.c"
    ${CC:-cc} -Wall -Wextra -Werror -o "$TOOLS/make_sign" "$here/../fixtures/sign/make_sign.c"
    ${CC:-cc} -Wall -Wextra -Werror -O1 -o "$TOOLS/plain_render" "$here/plain_render.c" -lm
    ${CC:-cc} -Wall -Wextra -Werror -o "$TOOLS/webp_frames" "$here/webp_frames.c" -lwebpdemux -lwebp
    "$TOOLS/make_die" "$DIE"
    mv "$DIE/textures/die.ppm" "$TOOLS"
    convert "$TOOLS/die.ppm" "$DIE/textures/die.png"
    "$TOOLS/make_sign" "$SIGN"
    mv "$SIGN/textures/sign.ppm" "$TOOLS"
    convert "$TOOLS/sign.ppm" "$SIGN/textures/sign.png"
}
