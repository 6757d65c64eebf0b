# Not under the sanitizers: it calls make.

# Targets of the Makefile: build and install.
load sheets

setup() {
    cd "$BATS_TEST_TMPDIR"
    BUILD=$(dirname "$SHEETBAKE")
    [[ $BUILD == */build/* ]] || skip 'not in a build folder'
}

make_here() { # arguments
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$BUILD/../.." config="$(basename "$BUILD")" PREFIX=/usr \
        DESTDIR="$PWD/root" "$@"
}

@test "where nothing is installed, make says what to install" {
    run make_here CC=no-such-compiler B="$PWD/build" all
    [ "$status" -eq 2 ]
    [[ $output == *'`make deps` installs what is missing of gcc '*' libpng-dev '* ]]
    [[ $output != *'fatal error'* ]]
    make_here help >help
    grep -q '^make deps ' help
}

@test "make uninstall removes what make install brings" {
    make_here -o all install
    [ -x root/usr/bin/sheetbake ]
    [ "$(find root -type f | wc -l)" -gt 20 ]
    echo mine >root/usr/share/mime/packages/other.xml
    make_here uninstall
    [ "$(find root -type f)" = root/usr/share/mime/packages/other.xml ]
}

@test "make install-strip brings a program without symbols, which works" {
    make_here -o all install-strip
    readelf -SW "$SHEETBAKE" | grep -q ' \.symtab '
    readelf -SW root/usr/bin/sheetbake | never grep -E ' \.(symtab|debug_info) '
    root/usr/bin/sheetbake --version
}

@test "CPPFLAGS, CFLAGS and LDFLAGS are added to those that a build must have" {
    make_here -n B="$PWD/build" V=1 CPPFLAGS=-DWANTED CFLAGS=-O3 LDFLAGS=-Wl,-wanted all >commands
    grep -qE -- '-Isrc .*-DWANTED -O3 -c .*main' commands
    grep -qE -- '-O3 -Wl,-wanted -o .*/sheetbake ' commands
}

@test "the program is hardened" {
    [ "$(basename "$BUILD")" = release ] || skip 'only that of a release'
    readelf -hlW "$SHEETBAKE" >headers
    grep -q 'Type: .*DYN (Position-Independent' headers
    grep -q GNU_RELRO headers
    readelf -dW "$SHEETBAKE" | grep -q BIND_NOW
    readelf --dyn-syms -W "$SHEETBAKE" >symbols
    grep -q __stack_chk_fail symbols
    grep -q __memcpy_chk symbols || grep -q __snprintf_chk symbols
}

@test "the list of packages has those of all libraries that the program is linked with, or opens by name" {
    local library
    command -v dpkg-query >/dev/null || skip 'not a Debian'
    { readelf -dW "$SHEETBAKE" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
        strings "$SHEETBAKE" | grep -oE 'lib[A-Za-z]+\.so\.[0-9]+$'; } | sort -u >libraries
    for library in libassimp.so.5 libOSMesa.so.8 libEGL.so.1; do
        grep -qxF $library libraries
    done
    while read -r library; do
        dpkg-query -S "*/$library" >packages || continue
        sed 's/:.*//' packages | grep -qxFf "$BUILD/packages" || { echo "$library needs $(cat packages)" && return 1; }
    done <libraries
}

@test "libassimp is opened by the name that the build found" {
    local file
    mkdir bin
    printf '#!/bin/sh\n[ "$*" != "--modversion assimp" ] || exec echo 6.0.2\nexec %s "$@"\n' "$(command -v pkg-config)" >bin/pkg-config
    chmod +x bin/pkg-config
    PATH=$PWD/bin:$PATH make_here -n B="$PWD/build" V=1 all >commands
    for file in format/assimp render/identity; do
        grep -qE -- "-DASSIMP_LIBRARY='\"libassimp.so.6\"' .*$file" commands
    done
}
