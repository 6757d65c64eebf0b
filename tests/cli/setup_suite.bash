# Where tests find the program, and what make has built for them in the same folder (tests/tests.mk): the die and the sign
# with their pictures, and libraries and programs in C. Tests copy $DIE before they change it.

bats_require_minimum_version 1.5.0

setup_suite() {
    local here
    here=$(dirname "${BASH_SOURCE[0]}")
    SHEETBAKE=$(realpath "${SHEETBAKE:-build/release/sheetbake}")
    TOOLS=$(dirname "$SHEETBAKE")/cli
    # LD_PRELOAD cannot name a path with a space or a colon.
    case $TOOLS in *[[:space:]:]*) cp -r "$TOOLS" "$BATS_SUITE_TMPDIR/tools" && TOOLS=$BATS_SUITE_TMPDIR/tools ;; esac
    DIE=$TOOLS/die SIGN=$TOOLS/sign
    export SHEETBAKE DIE SIGN TOOLS
    "$SHEETBAKE" --help >/dev/null
    [ -d "$SIGN" ] || {
        echo "no $SIGN: make cli-tools builds it" >&2
        return 1
    }
    . "$here/../surroundings"
    # Tests load libraries of their own before that of the sanitizer.
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
    # The driver's own leaks are not ours; see the file.
    export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$(realpath "$here/../lsan.supp"):print_suppressions=0}
}
