# Not under the sanitizers: the sandbox is off there.
load sheets

setup() {
    work_in_empty_folder
    gives=$("$SHEETBAKE" doctor --json | jq -r '.sandbox | "\(.landlock_abi != null) \(.seccomp)"')
}

needs_sandbox() {
    [ "$gives" = "true true" ] || skip "this kernel gives no whole sandbox: $gives"
}

die() { # name
    write_list "$1" <<'EOF'
- {name: die, model: models/die.md2, animations: [hop], cell: 32}
EOF
}

# A folder with files to attack, and an output folder with a link to it.
lay_out_bait() {
    mkdir -p outside out/folder
    for name in secret victim doomed a other; do echo secret >"outside/$name"; done
    echo mine | tee out/mine >out/mine2
    ln -s ../outside out/link
    [ "$(id -u)" != 0 ] || chown -R "${1:-0}" . # so that rights as such stop nobody
}

# Renders with a worker that tries to get out, and writes the results to the file attempts: "name done" or "name refused".
try_to_escape() { # [command that starts it --] option of render...
    local starter=()
    if [[ " $* " == *' -- '* ]]; then
        while [ "$1" != -- ]; do starter+=("$1") && shift; done
        shift
    fi
    printf 'version: 1\nassets: %s\noutput: out\njobs:\n- {name: die, model: models/die.md2, animations: [hop], cell: 32}\n' \
        "$DIE" >list.yaml
    export ESCAPE_OUTSIDE=$PWD/outside ESCAPE_OUTPUT=$PWD/out ESCAPE_ASSET=$DIE/models/die.md2
    run --separate-stderr "${starter[@]}" env LD_PRELOAD="$TOOLS/escape.so" "$SHEETBAKE" render -j1 "$@" list.yaml 7<outside/secret <outside/secret
    exited 0
    [ -f out/die.png ]
    attempts=$(sed -n 's/^escape: \(.*\): \(done\|refused\).*/\1 \2/p' <<<"$stderr")
    [ "$(wc -l <<<"$attempts")" = "$(grep -v define "$BATS_TEST_DIRNAME/escape.c" | grep -o ' TRY(' | wc -l)" ] # none was left out
}

# Fails unless everything that a worker needs was done, and everything else refused.
got_nowhere() {
    ! grep '^may.*refused' <<<"$attempts" || return 1
    grep -v '^may' <<<"$attempts" | never grep done
}

# bats test_tags=quick
@test "a worker cannot escape" {
    needs_sandbox
    lay_out_bait
    try_to_escape
    got_nowhere
    [ "$(cd outside && cat ./* | sort -u)" = secret ]
    [ "$(cd outside && echo ./*)" = './a ./doomed ./other ./secret ./victim' ]
}

@test "a worker that draws with EGL cannot escape" {
    needs_sandbox
    lay_out_bait
    try_to_escape --backend egl
    got_nowhere
}

@test "a worker without root cannot escape" {
    needs_sandbox
    [ "$(id -u)" = 0 ] || skip "needs root, to be someone else"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
    setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'test -x "$0" && test -r "$1"' "$SHEETBAKE" "$DIE" ||
        skip "the program, or the folder for temporary files, cannot be read by others"
    lay_out_bait 65534:65534
    try_to_escape setpriv --reuid 65534 --regid 65534 --clear-groups --
    got_nowhere
}

# Attempts that fail without the sandbox, too, would prove nothing.
@test "without the sandbox every attempt succeeds" {
    lay_out_bait
    try_to_escape --sandbox off
    never grep '^may.*refused' <<<"$attempts"
    local refused
    refused=$(sed -n 's/ refused$//p' <<<"$attempts" | tr '\n' ' ')
    # A worker has none of its parents' files, sandbox or not; some need root, or a system that lets them.
    if [ "$(id -u)" = 0 ]; then
        [[ $refused == *read_inherited* ]]
        for name in read_passwords read_beside read_by_link read_by_own_root write_beside write_over cut_short rename_out \
            rename_in link_in make_link change_rights change_times socket_inet socket_unix run_program make_process \
            signal_supervisor limit_supervisor outlive_supervisor hide_memory type_into_terminal; do
            [[ " $refused " != *" $name "* ]]
        done
    fi
    [ -e outside/new ]
    [ ! -e outside/doomed ]
    [ -e outside/moved ]
}

# A run whose workers send false messages to the supervisor: see lie.c.
lie() { # what
    write_list list <<'END'
- {name: die, model: models/die.md2, animations: [hop], cell: 32}
- {name: other, model: models/die.md2, animations: [hop], cell: 32}
END
    run --separate-stderr env LIE="$1" LD_PRELOAD="$TOOLS/lie.so" timeout 600 "$SHEETBAKE" render -j1 --timeout 300 --log log.jsonl list.yaml
}

@test "false pages, names and packets of a worker are not believed" {
    local what
    for what in pages names noise; do
        rm -rf out
        lie "$what"
        exited 0
        [ "$(jq -r 'select(.type == "page") | .sheet' log.jsonl | paste -sd' ')" = "die.png other.png" ]
    done
}

@test "a worker that sends without end, or nonsense, is killed, and its page is retried" {
    local what
    export LIE_ONCE=$PWD/out/list/once
    for what in flood babble many shout; do
        rm -rf out
        lie "$what"
        exited 0
        case $what in
        many) says "warning: die: the worker sent more than 65536 names of pages* while it had models/die.md2: it was killed; it will be tried again" ;;
        shout) says "warning: die: the worker sent an invalid message* while it had models/die.md2: it was killed; it will be tried again" ;;
        *) says "warning: die: the worker sent more than 64 MiB about this page* while it had models/die.md2: it was killed; it will be tried again" ;;
        esac
        [ -f out/list/die.png ]
        [ -f out/list/other.png ]
    done
}

@test "a worker that tells of more pages than its job's part of a run is killed, and its page is retried" {
    local i
    for ((i = 0; i < 32; i++)); do echo "- {name: die$i, model: models/die.md2, animations: [], cell: 8}"; done | write_list list
    LIE=claim LIE_ONCE=$PWD/once LD_PRELOAD=$TOOLS/lie.so exits 0 render -j1 --sandbox off list.yaml
    says 'warning: die0: the worker sent more than 32768 pages for its part of this run* while it had models/die.md2: it was killed; it will be tried again'
    [ "$(find out -name '*.png' | wc -l)" = 32 ]
}

# Models of whose pages only they tell.
write_claimed() { # count
    local i
    cp -r "$DIE" assets
    for ((i = 0; i < $1; i++)); do
        cp assets/models/die.md2 "assets/models/die$i.md2"
        echo "- {name: die$i, model: models/die$i.md2, animations: [hop], cell: 8}"
    done | write_list claimed assets
}

@test "models whose workers tell of very many pages and die cost seconds" {
    write_claimed 4
    LIE=claim LD_PRELOAD=$TOOLS/lie.so timeout -s KILL 100 "$SHEETBAKE" render -q -j2 claimed.yaml 2>stderr || status=$?
    [ "$status" = 3 ]
    [ "$(grep -c '^error: die[0-3], page [0-9]*: .*not tried: models/die[0-3].md2 killed its worker' stderr)" -gt 262000 ]
}

@test "a signal ends a run that reports very many pages" {
    write_claimed 1
    mkfifo pipe
    LIE=claim LD_PRELOAD=$TOOLS/lie.so env --default-signal=INT "$SHEETBAKE" render -q -j1 claimed.yaml 2>pipe 3>&- &
    local pid=$! line count status=0
    exec 5<pipe
    while read -r line <&5 && [[ $line != *'not tried'* ]]; do :; done
    kill -INT "$pid" # it waits for us to read
    count=$(wc -l <&5)
    exec 5<&-
    wait "$pid" || status=$?
    [ "$status" = 130 ]
    [ "$count" -lt 10000 ]
}

@test "a worker that clears the shared memory costs its page, and the run goes on" {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/other.md2
    write_list list assets <<'END'
- {name: die, model: models/die.md2, cell: 32}
- {name: other, model: models/other.md2, cell: 32}
END
    run --separate-stderr env LIE=deny LD_PRELOAD="$TOOLS/lie.so" timeout 60 "$SHEETBAKE" render -j1 list.yaml
    exited 3
    says 'error: die: the worker left with status 1 while it had models/die.md2, and again at the second try'
    says 'error: other: the worker left with status 1 while it had models/other.md2, and again at the second try'
}

@test "endless warnings take no more memory than those that are kept" {
    lie warnings
    exited 0
    [ "$(jq 'select(.job == "die").warnings | length' log.jsonl)" -le 201 ]
}

@test "the sheets are the same with and without the sandbox" {
    die with
    die without
    exits 0 render --sandbox auto with.yaml
    exits 0 render --sandbox off without.yaml
    cmp out/with/die.png out/without/die.png
}

@test "a kernel without sandboxes costs only a note" {
    needs_sandbox # to refuse it
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it would trace the process
    for what in landlock seccomp both; do
        die "$what"
        run --separate-stderr "$TOOLS/refuse" "$what" "$SHEETBAKE" render "$what.yaml"
        exited 0
        [[ $stderr != *sandbox* ]]
        [ -f "out/$what/die.json" ]
        run --separate-stderr "$TOOLS/refuse" "$what" "$SHEETBAKE" render --force -v "$what.yaml"
        exited 0
        says 'sheetbake: note: the sandbox is incomplete: *'
        for command in check "info $DIE/models/die.md2"; do
            [ "$command" != check ] || command+=" $what.yaml"
            run --separate-stderr "$TOOLS/refuse" "$what" "$SHEETBAKE" $command
            exited 0
            [ -z "$stderr" ]
            run --separate-stderr "$TOOLS/refuse" "$what" "$SHEETBAKE" ${command/ / --sandbox auto -v }
            exited 0
            says 'sheetbake: note: the sandbox is incomplete: *'
        done
    done
}

@test "each part of the sandbox works without the other" {
    needs_sandbox
    lay_out_bait
    try_to_escape "$TOOLS/refuse" landlock --
    grep -q 'read_beside done' <<<"$attempts"
    never grep '^socket.*done\|^run.*done\|^signal.*done\|^change.*done\|^link.*done\|^make_link.*done' <<<"$attempts"
    rm -r out outside
    lay_out_bait
    try_to_escape "$TOOLS/refuse" seccomp --
    grep -q 'socket_unix done' <<<"$attempts"
    never grep '^read.*done\|^write.*done\|^rename.*done\|^link_in.*done\|^link_out.*done' <<<"$attempts"
}

@test "--sandbox require wants all of it" {
    needs_sandbox
    die all
    exits 0 render --sandbox require all.yaml
    for what in landlock seccomp both; do
        rm -rf out
        run --separate-stderr "$TOOLS/refuse" "$what" "$SHEETBAKE" render --sandbox require all.yaml
        exited 5
        says 'sheetbake: --sandbox require: *'
        [ ! -e out ]
    done
}

@test "the doctor says what the kernel gives" {
    run --separate-stderr "$SHEETBAKE" doctor
    says 'sandbox       *'
    needs_sandbox
    run --separate-stderr "$TOOLS/refuse" both "$SHEETBAKE" doctor
    exited 0
    says 'sandbox       seccomp: no'
    says 'sandbox       no_new_privileges: yes'
    says 'sandbox       missing: this kernel has no Landlock *'
    run --separate-stderr "$TOOLS/refuse" landlock "$SHEETBAKE" doctor --json
    jq -e '.sandbox | .landlock_abi == null and .seccomp and .no_new_privileges and (.missing | length) == 1' <<<"$output"
}

@test "links that the user has put where sheets go are followed" {
    mkdir -p elsewhere out/linked
    ln -s ../../elsewhere out/linked/dice
    write_list linked <<'EOF'
- {name: dice/die, model: models/die.md2, animations: [hop], cell: 32}
EOF
    exits 0 render linked.yaml
    [ -f elsewhere/die.png ]
}

@test "such a link is found where the output folder is this one, and names are short" {
    mkdir elsewhere here
    cd here
    ln -s ../elsewhere a
    write_list here <<'EOF'
- {name: a/die, model: models/die.md2, animations: [hop], cell: 32}
- {name: b, model: models/die.md2, animations: [hop], cell: 32}
EOF
    exits 0 render -o . here.yaml
    [ -f ../elsewhere/die.png ]
    [ -f b.png ]
}

@test "assets and outputs may be links" {
    ln -s "$DIE" assets
    mkdir real
    ln -s real out
    write_list far assets <<'EOF'
- {name: die, model: models/die.md2, animations: [hop], cell: 32}
EOF
    exits 0 render far.yaml
    [ -f real/far/die.png ]
}

@test "root draws into folders that belong to others" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    mkdir -p out/theirs
    chmod 700 out/theirs
    chown 65534 out/theirs
    die theirs
    exits 0 render theirs.yaml
    [ -f out/theirs/die.png ]
}

@test "shaders are kept where no other program finds them" {
    die cached
    XDG_CACHE_HOME=$PWD/cache exits 0 render cached.yaml
    [ "$(ls cache)" = sheetbake ]
    [ -n "$(find cache/sheetbake -type f)" ]
    [[ $(ls cache/sheetbake | paste -sd" ") == "mesa_shader_cache probe-"* ]]
    rm -r cache
    XDG_CACHE_HOME=$PWD/cache run "$SHEETBAKE" thumb --sandbox auto -o it.png "$DIE/models/die.md2"
    [ -n "$(find cache/sheetbake/thumb -type f)" ]
    [ "$(ls cache/sheetbake)" = thumb ] # what a download leaves is not for the runs of lists
    mkdir chosen
    MESA_SHADER_CACHE_DIR=$PWD/chosen exits 0 render --force cached.yaml
    [ -n "$(find chosen/mesa_shader_cache -type f)" ]
    [[ $(ls chosen) == "mesa_shader_cache"$'\n'"probe-"* ]]
    for folder in '' here; do # neither is a place, by the standard
        XDG_CACHE_HOME=$folder exits 0 render --force cached.yaml
        [ ! -e sheetbake ] && [ ! -e here ]
    done
    touch file
    XDG_CACHE_HOME=$PWD/file exits 0 render --force cached.yaml
}

# A command whose process, its own or a child, tries to get out when it has read the model. Attempts on the supervisor do
# not count: here the process is its own.
escape_at_exit() { # command, options...
    export ESCAPE_OUTSIDE=$PWD/outside ESCAPE_OUTPUT=$PWD/out ESCAPE_ASSET=$DIE/models/die.md2 ESCAPE_AT_EXIT=1
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it would trace the process
    run --separate-stderr env LD_PRELOAD="$TOOLS/escape.so" "$SHEETBAKE" "$@" 7<outside/secret <outside/secret
    attempts=$(sed -n 's/^escape: \(.*\): \(done\|refused\).*/\1 \2/p' <<<"$stderr" |
        grep '^\(read_[pbi]\|open\|write\|cut\|make\|remove\|rename\|link\|change\|socket\|run\|clone\|use\|may_read\)')
}

# The first process to end is the one that has read; the other one only waits.
keep_first_attempts() {
    attempts=$(awk 'seen[$1]++ == 0' <<<"$attempts")
}

@test "what reads models and folders can then do nothing else" {
    needs_sandbox
    die list
    exits 0 render list.yaml
    local command
    for command in "info $DIE/models/die.md2" 'check -j1 list.yaml' 'verify out' 'gallery -o page out/list' 'diff out/list out/list'; do
        rm -rf outside out/{folder,link,mine*}
        lay_out_bait
        escape_at_exit ${command%% *} --sandbox auto ${command#* }
        exited 0
        keep_first_attempts
        case $command in
        info* | check*) grep -q 'may_read_asset done' <<<"$attempts" ;;
        *) attempts=$(sed 's/^may_read_asset/read_asset/' <<<"$attempts") ;; # is not for these
        esac
        got_nowhere
        grep -q 'read_beside refused' <<<"$attempts"
        grep -q 'write_beside refused' <<<"$attempts"
        grep -q 'read_inherited refused' <<<"$attempts"
        [ "$(grep -c refused <<<"$attempts")" -gt 20 ]
        [[ $command != check* ]] || continue # whose workers have no files of others, sandbox or not
        escape_at_exit ${command%% *} --sandbox off ${command#* }
        grep -q 'read_beside done' <<<"$attempts"
        grep -q 'write_beside done' <<<"$attempts"
        grep -q 'read_input done' <<<"$attempts"
    done
}

@test "a folder whose reader dies or takes too long is named" {
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it would trace the process
    die list
    exits 0 render list.yaml
    local command
    for command in verify gallery diff; do
        LD_PRELOAD=$TOOLS/escape.so ESCAPE_BY_DYING=1 exits 2 $command --sandbox auto $([ $command != diff ] || echo out/list) out/list
        says "sheetbake: *: the process that read it was killed by signal 9 (Killed)"
        LD_PRELOAD=$TOOLS/escape.so ESCAPE_BY_STAYING=1 exits 2 $command --sandbox auto --timeout 0.5 $([ $command != diff ] || echo out/list) out/list
        says "sheetbake: *: the process that read it took longer than 0.5 s"
    done
}

@test "a reader of the output that has seen enough is not a failure" {
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # it would trace the process
    die list
    exits 0 render list.yaml
    rm out/list/die.png
    local command
    for command in "info --sandbox auto $DIE/models/die.md2" 'verify --sandbox auto out'; do
        { "$SHEETBAKE" $command 2>stderr || echo $? >status; } | :
        [ ! -s stderr ]
        [ ! -e status ] || [[ $(cat status) = @(2|3|141) ]]
    done
}

@test "thumb and pose read the model in a process that cannot even write the result" {
    needs_sandbox
    for command in 'thumb -o out/it.png' 'pose -o out/it.obj'; do
        rm -rf out outside
        lay_out_bait
        escape_at_exit $command --sandbox auto "$DIE/models/die.md2"
        [ -s out/it.* ]
        keep_first_attempts
        got_nowhere
        grep -q 'read_inherited refused' <<<"$attempts"
        [ "$(grep -c refused <<<"$attempts")" -gt 20 ]
        escape_at_exit $command --sandbox off "$DIE/models/die.md2"
        grep -q 'write_beside done' <<<"$attempts"
    done
}

@test "info reads each file in a process of its own, so that none changes what is said of others" {
    FORKS=2 LD_PRELOAD=$TOOLS/trouble.so exits 2 info --sandbox auto --json "$DIE"/models/die.{md2,md5mesh,md2}
    [ "$(jq -c '[.files[] | .format // .error]' <<<"$output")" = \
        '["MD2","MD5","'"$DIE"'/models/die.md2: cannot start a process: Resource temporarily unavailable"]' ]
}

@test "where a sandbox is required and not to be had, no command reads anything" {
    needs_sandbox # to refuse it
    die list
    for command in 'info models/die.md2' 'pose models/die.md2' 'thumb models/die.md2' 'check list.yaml' 'render list.yaml' \
        'verify .' 'gallery .' 'diff . .'; do
        run --separate-stderr "$TOOLS/refuse" landlock "$SHEETBAKE" ${command%% *} --sandbox require ${command#* }
        exited 5
        says 'sheetbake: --sandbox require: this kernel has no Landlock *'
    done
}

@test "thumb names the model that kills the process that reads it" {
    LD_PRELOAD=$TOOLS/escape.so ESCAPE_BY_DYING=1 exits 3 thumb -o it.png --sandbox auto "$DIE/models/die.md2"
    says 'sheetbake: *die.md2: the process that read it was killed by signal 9 (Killed)'
    [ ! -e it.png ]
}

@test "thumb and pose wait for the process that reads the model as long as --timeout says" {
    local command
    for command in thumb pose; do
        LD_PRELOAD=$TOOLS/escape.so ESCAPE_BY_STAYING=1 run --separate-stderr timeout 60 "$SHEETBAKE" $command -o it --timeout 0.1 \
            --sandbox auto "$DIE/models/die.md2"
        says 'sheetbake: *die.md2: the process that read it took longer than 0.1 s'
        [ "$status" = 3 ] || [ "$command $status" = 'pose 2' ]
        [ ! -e it ]
    done
    LD_PRELOAD=$TOOLS/escape.so ESCAPE_BY_HIDING=1 run --separate-stderr timeout 60 "$SHEETBAKE" thumb -o it --timeout 0 \
        --sandbox auto "$DIE/models/die.md2"
    exited 3
    says 'sheetbake: *die.md2: the process that read it was killed by signal 9 (Killed)'
}

@test "a mode of another name is refused" {
    die mode
    exits 2 render --sandbox maybe mode.yaml
    says "sheetbake render: --sandbox: 'maybe' is not auto, require or off"
}

@test "assets that are put in the place of others while a run goes on are read by the next worker" {
    mkdir -p first/models second/models
    cp "$DIE"/models/die.md2 first/models
    cp "$DIE"/models/die.md2 second/models/other.md2
    ln -s first assets
    write_list moved assets <<'EOF2'
- {name: a, model: models/die.md2, animations: [hop], cell: 32}
- {name: b, model: models/die.md2, animations: [hop], cell: 32}
- {name: c, model: models/die.md2, animations: [hop], cell: 32}
EOF2
    cp -r first third
    LD_PRELOAD=$TOOLS/pause_at_rename.so PAUSE_AT=/a.png env "$SHEETBAKE" render -j1 moved.yaml 2>stderr 3>&- &
    local pid=$! worker
    until_true paused_worker "$pid"
    ln -sfn third assets
    kill -CONT "$(pgrep -P "$pid")"
    wait "$pid"
    [ "$(files out/moved)" = 'a.json a.png a.sheetbake b.json b.png b.sheetbake c.json c.png c.sheetbake' ]
}

paused_worker() { # pid of the supervisor
    local worker
    worker=$(pgrep -P "$1") && grep -q '^State:.T' "/proc/$worker/status"
}
