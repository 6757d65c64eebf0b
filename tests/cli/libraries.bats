# Not under the sanitizers: the sanitizers bring libraries of their own.
load sheets

# A sheet records the builds of the libraries that drew and wrote it. Another build of one remakes exactly those sheets
# that used it.

setup() {
    work_in_empty_folder
    mkdir home libraries
    export HOME=$PWD/home
    write_list plain <<<'- {name: die, model: models/die.md2, cell: 16}'
    write_list card <<<'- {name: die, model: models/die.md2, cell: 16}'
    render_both -q
}

# One list is drawn by OSMesa, the other by EGL.
render_both() { # options
    "$SHEETBAKE" render --renderer strict --backend osmesa "$@" plain.yaml
    "$SHEETBAKE" render --renderer strict --backend egl "$@" card.yaml
}

library_of_program() { # beginning of its name -> its file
    ldd "${JITTER_PROGRAM:-$SHEETBAKE}" | sed -n "s|^[[:space:]]*$1[^ ]* => \([^ ]*\) .*|\1|p"
}

# Puts the folders of the copies first, for the program and for libraries that it opens.
use_copies() {
    export LD_LIBRARY_PATH=$PWD/libraries
}

library_of_system() { # name -> its file
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n "s|^[[:space:]]*$1 .*=> ||p" | head -n 1
}

build_id() { # file
    readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p'
}

# A copy of the library with another build id.
put_copy() { # file, offset in the note, bytes
    local place copy
    copy=libraries/$(basename "$1")
    place=$(readelf -SW "$1" | sed -n 's/.* \.note\.gnu\.build-id *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
    [ "$place" ]
    cp -L "$1" "$copy"
    printf "$3" | dd of="$copy" bs=1 seek=$((0x$place + $2)) conv=notrunc status=none
}

put_other_build() { # file
    local id
    id=$(build_id "$1")
    put_copy "$1" 16 '\1\2\3\4\5\6\7\10'
    [ "$(build_id "libraries/$(basename "$1")")" = "0102030405060708${id:16}" ]
}

would_remake() { # lists
    local made
    made=$(
        "$SHEETBAKE" render --renderer strict --backend osmesa --dry-run -q plain.yaml | sed -n 's/^die[.a-z]*: .*/plain/p'
        "$SHEETBAKE" render --renderer strict --backend egl --dry-run -q card.yaml | sed -n 's/^die[.a-z]*: .*/card/p'
    )
    [ "${made//$'\n'/ }" = "$*" ] || {
        echo "the sheets of '$made' would be made, not those of '$*': $("$SHEETBAKE" render --dry-run plain.yaml 2>&1)"
        return 1
    }
}

why() { # back end, list
    exits 0 render --renderer strict --dry-run -v --backend "$1" "$2.yaml" "${@:3}"
}

@test "sheets are up to date with the libraries that made them, wherever these lie" {
    would_remake
    cp -L $(for name in libdeflate libdraco libmeshoptimizer libm.so libpng libturbojpeg libjansson libwebp.so libwebpmux; do library_of_program $name; done) libraries
    use_copies
    would_remake
}

@test "a library of the program that decides about what is made remakes all, and says which it is" {
    local name
    use_copies
    for name in libdeflate libdraco libjansson libmeshoptimizer libm.so libpng libturbojpeg libwebp.so libwebpmux; do
        put_other_build "$(library_of_program $name)"
        would_remake plain card
        why osmesa plain
        says "die*: the library ${name%.so}*.so.*, which *s *, is another build"
        [ "${#lines[@]}" = 1 ]
        why egl card --json
        jq -e --arg name "$name" '.sheets[0].reasons | length == 1 and (.[0] | .kind == "library" and (.subject | startswith($name)) and
            (.is | startswith("0102030405060708")) and (.was | length) == 40)' <<<"$output"
        rm libraries/*
    done
    would_remake
}

@test "another build that draws the same makes nothing, unless --renderer is strict" {
    "$SHEETBAKE" render -q --backend osmesa plain.yaml # --renderer strict has recorded no probe
    jq -e '.renderer.probe | length == 32' out/plain/die.sheetbake || "$SHEETBAKE" render -q --force --backend osmesa plain.yaml
    jq -e '.renderer.probe | length == 32' out/plain/die.sheetbake
    put_other_build "$(library_of_program libdeflate)"
    put_other_build "$(library_of_system libOSMesa.so.8)"
    use_copies
    exits 0 render --dry-run -q --backend osmesa plain.yaml
    [ -z "$output" ]
    exits 0 render --dry-run -v --renderer strict --backend osmesa plain.yaml
    says 'die*: the library libOSMesa.so.8, which draws, is another build'
    says 'die*: the library libdeflate.so.*, which compresses pictures, is another build'
}

@test "a library of the program that cannot change a sheet remakes nothing" {
    local name
    use_copies
    for name in libyaml libxxhash libseccomp; do
        put_other_build "$(library_of_program $name)"
    done
    would_remake
}

@test "with another build sheets are made once, and what did not come out otherwise is not written" {
    put_other_build "$(library_of_program libdeflate)"
    use_copies
    touch before -d 2000-01-01
    touch -r before out/*/die.png out/*/die.json
    render_both -q
    [ -z "$(find out -name '*.png' -newer before -o -name '*.json' -newer before)" ]
    [ "$(find out -name '*.sheetbake' -newer before | wc -l)" = 2 ]
    jq -e '.renderer.program | test("(^|, )libdeflate.so[^ ]* 0102030405060708")' out/*/die.sheetbake
    would_remake
    "$SHEETBAKE" verify out
}

@test "a library that both back ends draw with remakes the sheets of both" {
    local llvm
    llvm=$(ldd "$(library_of_system libOSMesa.so.8)" | grep -o -m1 'libLLVM[^ ]*' | head -n1) || skip 'this Mesa has no libLLVM of its own'
    put_other_build "$(library_of_system "$llvm")"
    use_copies
    would_remake plain card
    why egl card
    says "die*: the library $llvm, which compiles what draws, is another build"
    [ "${#lines[@]}" = 1 ]
}

@test "a library of one back end remakes its sheets, and not those of the other" {
    put_other_build "$(library_of_system libOSMesa.so.8)"
    use_copies
    would_remake plain
    rm libraries/*
    put_other_build "$(library_of_system libEGL_mesa.so.0)"
    would_remake card
}

@test "a library without a build id is identified by the size and time of its file" {
    local file
    file=$(library_of_program libdeflate)
    put_copy "$file" 8 '\11' # a note of another kind
    file=libraries/$(basename "$file")
    [ -z "$(build_id "$file")" ]
    touch -d @1000000000 "$file"
    use_copies
    would_remake plain card
    render_both -q
    would_remake
    jq -e --arg part "$(basename "$file") $(stat -c %s "$file")-1000000000" '.renderer.program | split(", ") | index($part)' out/*/die.sheetbake
    touch -d @1000000001 "$file"
    would_remake plain card
}

@test "where the back end does not open, what draws is not known, and nothing is up to date" {
    cp "$TOOLS/empty.so" libraries/libOSMesa.so.8
    use_copies
    would_remake plain
    why osmesa plain
    says 'die*: drawn by another renderer: its name was OSMesa *, is unknown'
    [ "${#lines[@]}" = 1 ]
}

@test "doctor shows the libraries of the program" {
    run --separate-stderr "$SHEETBAKE" doctor
    says 'libraries     libdeflate.so* *, libturbojpeg.so* *'
    "$SHEETBAKE" doctor --json | jq -e '.libraries | split(", ") | map(split(".")[0]) == ["libdeflate", "libdraco", "libjansson", "libm", "libmeshoptimizer", "libpng16", "libturbojpeg", "libwebp", "libwebpmux", "libz"]'
}
