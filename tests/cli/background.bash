# Runs in the background, whose workers stop where the test wants.

# For files without a setup of their own.
setup() {
    work_in_empty_folder
    sheetbake_pid=
}

teardown() {
    end_render
}

# Starts a run in the background. A worker stops before it renames the file PAUSE_AT to its final name. The signals that
# shells ignore for background commands are restored. TOO names another library to preload.
start_render() { # arguments
    ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0 LD_PRELOAD=$TOOLS/pause_at_rename.so${TOO:+:$TOO} \
        env --default-signal=INT,TERM,HUP "$SHEETBAKE" render "$@" >stdout 2>stderr 3>&- &
    sheetbake_pid=$!
}

# For teardown.
end_render() {
    if [ "$sheetbake_pid" ]; then
        kill -KILL "$sheetbake_pid" 2>/dev/null || true
        kill -CONT $(workers) 2>/dev/null || true
    fi
}

workers() {
    pgrep -P "$sheetbake_pid"
}

state_of() { # pid -> a letter, or nothing when it is gone
    sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null
}

# Whether a process has ended, even if its parent has not waited for it.
is_gone() { # pid
    [[ $(state_of "$1") == [ZX]* ]] || [ ! -e "/proc/$1" ]
}

find_paused() {
    is_gone "$sheetbake_pid" && return # and then there is none to wait for
    local worker
    for worker in $(workers); do
        [ "$(state_of "$worker")" = T ] && paused=$worker && return
    done
    return 1
}

two_have_paused() {
    local worker count=0
    for worker in $(workers); do [ "$(state_of "$worker")" != T ] || count=$((count + 1)); done
    [ $count = 2 ]
}

# Waits until a worker has stopped at PAUSE_AT, whose temporary file exists then. Sets `paused` to the worker's pid.
wait_for_paused() {
    paused=
    until_true find_paused
    [ "$paused" ] || {
        echo 'the run ended without a pause:'
        cat stderr
        return 1
    }
}

# Waits for the run to end. Sets status, output and stderr as `run` does.
finish() {
    status=0 output=
    wait "$sheetbake_pid" || status=$?
    stderr=$(cat stderr)
    output=$(cat stdout)
    sheetbake_pid=
}

temporary_files() {
    find . -name '.*.tmp'
}

kill_paused() { # signal
    kill -"$1" "$paused"
    [ "$1" = KILL ] || kill -CONT "$paused"
    until_true is_gone "$paused"
}

# Ten jobs, die0 to die9, of equal cost: workers take them in this order.
write_ten() { # more keys of the jobs
    local i
    for i in 0 1 2 3 4 5 6 7 8 9; do
        echo "- {name: die$i, model: models/die.md2, cell: 16, ${1-}}"
    done | write_list ten
}

# Gives one of them a model of its own, so that its deaths cost the others nothing.
set_apart() { # name
    cp -r "$DIE" assets
    cp assets/models/die.md2 "assets/models/$1.md2"
    sed -i "s/^assets: .*/assets: assets/; /name: $1,/s/die.md2/$1.md2/" ten.yaml
}

all_ten_but() { # names without suffix
    local i expected=
    for i in 0 1 2 3 4 5 6 7 8 9; do
        [[ " $* " == *" die$i "* ]] || expected+="die$i.json die$i.png die$i.sheetbake "
    done
    [ "$(files out/ten)" = "${expected% }" ] || {
        files out/ten
        return 1
    }
}
