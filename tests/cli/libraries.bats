load sheets

# The libraries that draw and write a sheet are among what it was made of: with another build of one of them, exactly the
# sheets that it had a part in are made anew.

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
    "$SHEETBAKE" render --backend osmesa "$@" plain.yaml
    "$SHEETBAKE" render --backend egl "$@" card.yaml
}

library_of_program() { # beginning of its name -> its file
    ldd "${JITTER_PROGRAM:-$SHEETBAKE}" | sed -n "s|^[[:space:]]*$1[^ ]* => \([^ ]*\) .*|\1|p"
}

# The folders of the copies come first, for the program and for what it opens.
use_copies() {
    export LD_LIBRARY_PATH=$PWD/libraries
}

# A copy of the library whose build id is another: all else is the same.
put_other_build() { # file
    local id place copy
    copy=libraries/$(basename "$1")
    id=$(readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p')
    place=$(readelf -SW "$1" | sed -n 's/.* \.note\.gnu\.build-id *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
    [ "$id" ] && [ "$place" ]
    cp -L "$1" "$copy"
    printf '\1\2\3\4\5\6\7\10' | dd of="$copy" bs=1 seek=$((0x$place + 16)) conv=notrunc status=none
    [ "$(readelf -n "$copy" 2>/dev/null | sed -n 's/^ *Build ID: //p')" = "0102030405060708${id:16}" ]
}

# A library that does nothing, of a build of its own: good enough for whoever only reads its file.
put_empty_library() { # name, options of the compiler
    echo 'void nothing(void); void nothing(void) {}' | ${CC:-cc} -shared -fPIC -Wl,--build-id -Wl,-soname,"$1" -x c -o "libraries/$1" - "${@:2}"
}

would_remake() { # lists
    local made
    made=$(
        "$SHEETBAKE" render --backend osmesa --dry-run -q plain.yaml | sed -n 's/^die[.a-z]*: .*/plain/p'
        "$SHEETBAKE" render --backend egl --dry-run -q card.yaml | sed -n 's/^die[.a-z]*: .*/card/p'
    )
    [ "${made//$'\n'/ }" = "$*" ] || {
        echo "the sheets of '$made' would be made, not those of '$*': $("$SHEETBAKE" render --dry-run plain.yaml 2>&1)"
        return 1
    }
}

explain() { # back end, list
    run --separate-stderr "$SHEETBAKE" explain --backend "$1" "$2.yaml" die "${@:3}"
    exited 0
}

@test "sheets are up to date with the libraries that made them, wherever these lie" {
    would_remake
    cp -L $(for name in libdeflate libm.so libpng libturbojpeg libjansson; do library_of_program $name; done) libraries
    use_copies
    would_remake
}

@test "a library of the program that decides about what is made remakes all, and says which it is" {
    local name
    use_copies
    for name in libdeflate libjansson libm.so libpng libturbojpeg; do
        put_other_build "$(library_of_program $name)"
        would_remake plain card
        explain osmesa plain
        says "  the library ${name%.so}*.so.*, which *s *, is another build"
        [ "${#lines[@]}" = 2 ]
        explain egl card --json
        jq -e --arg name "$name" '.sheets[0].reasons | length == 1 and (.[0] | .kind == "library" and (.subject | startswith($name)) and
            (.is | startswith("0102030405060708")) and (.was | length) == 40)' <<<"$output"
        rm libraries/*
    done
    would_remake
}

@test "a library of the program that cannot change a sheet remakes nothing" {
    local name
    use_copies
    for name in libyaml libxxhash libseccomp libz; do
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
    llvm=$("$SHEETBAKE" doctor --json | jq -r '.backends[0].library' | grep -o 'libLLVM[^ ]*') || skip 'this Mesa has no libLLVM of its own'
    put_empty_library "$llvm"
    use_copies
    would_remake plain card
    explain egl card
    says "  the library $llvm, which compiles what draws, is another build"
}

@test "a library of one back end remakes its sheets, and not those of the other" {
    put_empty_library libOSMesa.so.8
    use_copies
    would_remake plain
    rm libraries/*
    put_empty_library libEGL_mesa.so.0
    would_remake card
}

@test "a library that is nowhere is not known, and then nothing is up to date" {
    echo 'void nothing(void); void nothing(void) {}' | ${CC:-cc} -shared -fPIC -x c -o libLLVM-of-nobody.so -
    put_empty_library libOSMesa.so.8 -Wl,--no-as-needed -L. -lLLVM-of-nobody
    use_copies
    would_remake plain
    explain osmesa plain
    says '  drawn by another renderer: its library was libOSMesa.so.8 *, is unknown'
}

@test "what a library needs is looked for where it says" {
    local option
    mkdir -p libraries/own
    echo 'void nothing(void); void nothing(void) {}' |
        ${CC:-cc} -shared -fPIC -Wl,--build-id=0xabcdef -x c -o libraries/own/libLLVM-own.so -
    for option in --enable-new-dtags --disable-new-dtags; do
        put_empty_library libOSMesa.so.8 -Wl,--no-as-needed -Llibraries/own -lLLVM-own -Wl,$option '-Wl,-rpath,$ORIGIN/../nowhere:${ORIGIN}/own'
        LD_LIBRARY_PATH=$PWD/libraries "$SHEETBAKE" doctor --json |
            jq -e '.backends[0].library | test("^libOSMesa.so.8 [0-9a-f]+, libLLVM-own.so abcdef$")'
    done
}

@test "settings of drivers count for EGL, which reads them" {
    echo '<driconf></driconf>' >home/.drirc
    would_remake card
    explain egl card
    says '  the settings of drivers (drirc) changed'
    [ "${#lines[@]}" = 2 ]
    render_both -q
    would_remake
    echo >>home/.drirc
    would_remake card
    rm home/.drirc
    would_remake card
}

@test "drivers in folders that variables name are told by their builds" {
    local drivers
    mkdir drivers
    drivers=$PWD/drivers
    put_empty_library swrast_dri.so
    mv libraries/swrast_dri.so drivers
    LIBGL_DRIVERS_PATH=$drivers "$SHEETBAKE" doctor --json | jq -r '.backends[1].library' >first
    put_empty_library swrast_dri.so -DOTHER -Wl,--build-id=0xabcdef
    mv libraries/swrast_dri.so drivers
    LIBGL_DRIVERS_PATH=$drivers "$SHEETBAKE" doctor --json | jq -r '.backends[1].library' >second
    grep -q 'swrast_dri.so abcdef' second
    ! grep -q 'swrast_dri.so abcdef' first
    echo '{"ICD": {"library_path": "'"$PWD"'/libraries/libEGL_own.so"}}' >vendor.json
    put_empty_library libEGL_own.so -Wl,--build-id=0x123456
    __EGL_VENDOR_LIBRARY_FILENAMES=$PWD/vendor.json "$SHEETBAKE" doctor --json | jq -r '.backends[1].library' | grep -q 'libEGL_own.so 123456'
    __EGL_VENDOR_LIBRARY_DIRS=$PWD "$SHEETBAKE" doctor --json | jq -r '.backends[1].library' | grep -q 'libEGL_own.so 123456'
}

@test "doctor shows the libraries of the program" {
    run --separate-stderr "$SHEETBAKE" doctor
    says '  libraries     libdeflate.so* *'
    says '                libturbojpeg.so* *'
    "$SHEETBAKE" doctor --json | jq -e '.libraries | split(", ") | map(split(".")[0]) == ["libdeflate", "libjansson", "libm", "libpng16", "libturbojpeg"]'
}
