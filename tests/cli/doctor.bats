# Not under the sanitizers: words; it reads no file of others.
load sheets

setup() {
    work_in_empty_folder
}

doctor() {
    run --separate-stderr "$SHEETBAKE" doctor "$@"
}

# The field of a back end in the JSON printed.
finding() { # back end, field
    jq -r --arg name "$1" --arg field "$2" '.backends[] | select(.name == $name) | .[$field]' <<<"$output"
}

@test "where something works, the doctor says so for each back end" {
    exits 0 doctor
    says 'osmesa        works: yes'
    says 'osmesa        renderer: OSMesa [0-9]*, *'
    says 'osmesa        library: *libOSMesa.so.* *'
    says 'egl           works: yes'
    says 'egl           renderer: EGL [0-9]*, *'
    says 'auto          osmesa'
    says 'cpus          usable: [0-9]*'
    says 'memory        usable_mib: [0-9]*'
    says 'shader_cache  folder: *'
    [ -z "$stderr" ]
}

@test "the JSON has the same facts" {
    exits 0 doctor --json
    jq -e '
        .auto == "osmesa" and .advice == [] and (.version | test("^[0-9]")) and
        (.backends | map(.name)) == ["osmesa", "egl"] and
        all(.backends[]; .works and .problem == null and (.renderer | length) > 0 and
            (.library | test("lib(OSMesa|EGL)[.]so"))) and
        .cpus.usable >= 1 and .memory.usable_mib > 100
        ' <<<"$output"
}

@test "without any back end it says what to install, with exit code 4" {
    hide libOSMesa.so.8 libEGL.so.1
    exits 4 doctor
    says 'osmesa        works: no'
    says 'osmesa        problem: OSMesa does not work: *'
    says 'egl           problem: EGL does not work: *'
    says 'advice        *libosmesa6*'
    says 'advice        *libegl1 libgl1-mesa-dri*'
    says 'nothing here can draw: the advice says what helps'
    exits 4 doctor --json
    jq -e '.auto == null and (.advice | length) > 0 and all(.backends[]; (.works | not) and (.problem | length) > 0)' \
        <<<"$output"
}

@test "one back end is enough" {
    hide libOSMesa.so.8
    exits 0 doctor
    says 'osmesa        problem: OSMesa does not work: *'
    says 'auto          egl'
    [[ $output != *install* ]]
}

@test "a driver that crashes is a finding, and the next is tried" {
    be_odd crash
    exits 0 doctor
    says 'osmesa        problem: the process that tried it was killed by signal 11 (Segmentation fault) while opening it'
    says 'egl           works: yes'
    says 'auto          egl'
}

@test "a driver that hangs is killed" {
    be_odd hang
    cp "$TOOLS/empty.so" odd/libEGL.so.1 # or it would have to be quick, too
    exits 4 doctor --timeout 0.5
    says 'osmesa        problem: the process that tried it took longer than 0.5 s while opening it'
    says 'egl           problem: EGL does not work: *'
    says 'advice        this machine is slow, or busy: try again, *--timeout*'
    [[ $output != *apt-get* ]] # the driver is there
}

@test "in the tarball no package is named" {
    mkdir useless
    tee useless/{libOSMesa.so{.8,.6,},libEGL.so.1} <<<'no library' >/dev/null
    export LD_LIBRARY_PATH=$PWD/useless SHEETBAKE_LIBRARIES=$PWD/useless
    exits 4 doctor
    says 'osmesa        problem: OSMesa does not work: cannot load libOSMesa.so.8: *'
    says 'egl           problem: EGL does not work: cannot load libEGL.so.1: *'
    says "advice        libraries are missing in $PWD/useless: unpack the tarball again"
    [[ $output != *apt-get* && $output != *Debian* ]]
}

@test "under a ulimit -v that drivers do not fit into, that is named, and no package" {
    ! grep -q __asan_init "$SHEETBAKE" || skip "the address sanitizer takes all addresses there are"
    write_list one <<<'- {name: die, model: models/die.md2, cell: 16}'
    local megabytes
    for megabytes in 90 200; do # libraries cannot be loaded; a driver dies
        run --separate-stderr bash -c "ulimit -v $((megabytes * 1024)); \"\$SHEETBAKE\" doctor"
        exited 4
        says "advice        drawing takes some 300 MiB, where \`ulimit -v\` leaves $megabytes MiB of memory: allow more"
        [[ $output != *apt-get* && $output != *Debian* ]]
        run --separate-stderr bash -c "ulimit -v $((megabytes * 1024)); \"\$SHEETBAKE\" render one.yaml"
        exited 4
        says "sheetbake: *, where \`ulimit -v\` leaves $megabytes MiB of memory*"
        [[ $stderr != *Debian* ]]
    done
    run --separate-stderr bash -c 'ulimit -v 204800; exec "$SHEETBAKE" thumb "$1"' sh "$DIE/models/die.md2"
    exited 3
    says 'sheetbake: *, where `ulimit -v` leaves 200 MiB of memory*'
    printf '%s\n' 'v 0 0 0' 'v 1 0 0' 'v 0 1 0' 'f 1 2 3' >one.obj
    run --separate-stderr bash -c 'ulimit -v 20480; exec "$SHEETBAKE" info one.obj' # which assimp reads
    exited 2
    says 'sheetbake: one.obj: assimp is needed, where `ulimit -v` leaves 20 MiB of memory (*)'
}

@test "a run that waits for a hanging driver ends by a signal" {
    be_odd hang
    write_list one <<<'- {name: die, model: models/die.md2, cell: 16}'
    "$SHEETBAKE" render --backend osmesa one.yaml >output 2>&1 3>&- &
    local pid=$! status=0
    sleep 1
    SECONDS=0
    kill -TERM $pid
    wait $pid || status=$?
    [ "$status" = 143 ]
    [ "$SECONDS" -lt 20 ]
}

@test "a driver that ends the process is a finding" {
    be_odd leave
    exits 0 doctor --json
    [ "$(finding osmesa problem)" = 'the process that tried it left with status 7 while opening it' ]
    [ "$(finding osmesa works)" = false ]
}

@test "a driver that draws nothing is found out" {
    be_odd blank
    exits 0 doctor --json
    [ "$(finding osmesa problem)" = 'it draws a wrong picture: pixel 0,0 is #00000000, not #8033ffff' ]
    [[ $(finding osmesa renderer) == OSMesa* ]]
    [ "$(finding osmesa works)" = false ]
    [ "$(jq -r .auto <<<"$output")" = egl ]
}

@test "what a driver prints is part of the findings" {
    be_odd print
    exits 0 doctor
    says 'osmesa        works: yes'
    says 'osmesa        driver_messages: driver: out of order'
    says 'osmesa        driver_messages: and more'
    [ -z "$stderr" ]
}

@test "the shader cache is where the variables of Mesa say" {
    mkdir cache
    MESA_SHADER_CACHE_DIR=$PWD/cache doctor --json
    [ "$(jq -r .shader_cache.folder <<<"$output")" = "$PWD/cache/mesa_shader_cache" ]
    [ "$(jq -c '[.shader_cache.works, .shader_cache.problem]' <<<"$output")" = '[true,null]' ]
    [ -d cache/mesa_shader_cache ] # made by Mesa itself
    jq -e --arg set "MESA_SHADER_CACHE_DIR=$PWD/cache" '.environment | index($set) != null' <<<"$output"
    XDG_CACHE_HOME=$PWD/caches doctor --json
    [ "$(jq -r .shader_cache.folder <<<"$output")" = "$PWD/caches/sheetbake/mesa_shader_cache" ]
    [ -d caches/sheetbake/mesa_shader_cache ]
}

@test "a shader cache that cannot be written is noted" {
    touch file
    MESA_SHADER_CACHE_DIR=$PWD/file doctor
    exited 0
    says 'shader_cache  folder: */file/mesa_shader_cache'
    says 'shader_cache  problem: Not a directory'
    says 'notes         without a shader cache *MESA_SHADER_CACHE_DIR*'
    MESA_SHADER_CACHE_DISABLE=true doctor
    says 'shader_cache  problem: off (MESA_SHADER_CACHE_DISABLE)'
}

@test "settings that matter are shown" {
    LP_NUM_THREADS=4 doctor
    exited 0
    says 'environment   LP_NUM_THREADS=4'
    says 'notes         LP_NUM_THREADS=4 gives each worker threads of its own*'
}

@test "the doctor takes no names" {
    exits 2 doctor something
    exits 2 doctor --timeout soon
}
