# bats file_tags=asan
load sheets
load background

# `render --watch`. Its messages go to the file stderr, which is in no assets.

# The lists are in jobs/, the assets in game/.
setup() {
    work_in_empty_folder
    sheetbake_pid=
    cp -r "$DIE" game
    cp game/models/die.md5mesh game/models/red.md5mesh
    sed -i 's/textures\/die/textures\/red/' game/models/red.md5mesh
    cp game/textures/die.png game/textures/red.png
    write_list dice game <<-END
	defaults: {cell: 16, supersample: 1, animations: []}
	jobs:
	- {name: die, model: models/die.md5mesh}
	- {name: red, model: models/red.md5mesh}
	END
}

# Ends it as a user does: nothing is left of it.
teardown() {
    [ -z "$sheetbake_pid" ] || stop_watching
}

# Whether it has waited so often by now.
has_waited() { # times
    [ "$(grep -c '^sheetbake: waiting for changes$' stderr)" -ge "$1" ]
}

watch_lists() { # arguments
    start_render --watch "$@"
    until_true has_waited 1
}

# What the runs since the first N ones have printed, and that it waits now.
since() { # N, runs after these
    until_true has_waited $(($1 + $2))
    sed '/^sheetbake: waiting for changes$/c\--' stderr | awk -v runs="$1" '/^--$/ { n++; next } n >= runs' | sed 's/  [0-9.]* s$//'
}

# Whether nothing more happens, for longer than it waits after a change.
rests() { # times that it has waited
    sleep 0.7
    [ "$(grep -c '^sheetbake: waiting for changes$' stderr)" = "$1" ]
}

stop_watching() {
    local child children
    children=$(workers) || true
    kill -INT "$sheetbake_pid"
    finish
    exited 130
    for child in $children; do is_gone "$child"; done
    [ -z "$(temporary_files)" ]
}

@test "--watch makes again what a change has made stale, however a file is saved, and rests in between" {
    watch_lists dice.yaml
    [ "$(since 0 1 | grep -c '^\[')" = 2 ]
    rests 1
    convert -size 8x8 xc:red game/textures/red.png
    [ "$(since 1 1 | grep '^\[')" = '[2/2] red.png' ]
    [ "$(since 1 1 | grep changed)" = 'sheetbake: changed: game/textures/red.png' ]
    cp game/textures/red.png .new.png
    convert -size 8x8 xc:blue game/textures/.new.png
    mv game/textures/.new.png game/textures/die.png # as editors do
    [ "$(since 2 1 | grep '^\[')" = '[2/2] die.png' ]
    [ "$(since 2 1 | grep changed)" = 'sheetbake: changed: game/textures/die.png' ]
    touch game/textures/.hidden.swp
    rests 3
    # What comes in new folders, and is written slowly.
    sed -i 's/model: models\/red.md5mesh/model: "more\/**\/*.md5mesh"/; s/name: red/name: "{stem}s"/' dice.yaml
    since 3 1 | grep "more/\*\*/\*.md5mesh"
    mkdir -p game/more/deep
    (head -c 500 game/models/red.md5mesh && sleep 0.1 && tail -c +501 game/models/red.md5mesh) >game/more/deep/late.md5mesh
    since 4 1 | grep -x '\[2/2\] lates.png'
    rests 5
    convert -size 8x8 xc:lime game/textures/red.png
    [ "$(since 5 1 | grep '^\[')" = '[2/2] lates.png' ]
    stop_watching
    exits 0 render dice.yaml
    says 'nothing to do: 2 sheets up to date *'
}

@test "--watch goes on after mistakes in the list and in what it includes, and when the list or the assets are away" {
    mkdir other
    printf 'version: 1\ndefaults: {cell: x}\n' >other/more.yaml
    sed -i '/^defaults/d; s/^version.*/&\ninclude: [other\/more.yaml]/' dice.yaml
    watch_lists dice.yaml
    since 0 1 | grep 'other/more.yaml:2:18: .cell. must be'
    sed -i 's/x}/16}/' other/more.yaml
    [ "$(since 1 1 | grep -c '^\[')" = 2 ]
    mv dice.yaml away.yaml
    since 2 1 | grep 'dice.yaml: '
    rests 3
    sed 's/name: red/name: rouge/' away.yaml >dice.yaml
    [ "$(since 3 1 | grep '^\[')" = '[2/2] rouge.png' ]
    touch unrelated
    rests 4
    mv game away
    since 4 1 | grep "game"
    mv away game
    since 5 1 | grep '^nothing to do: 2 sheets up to date'
}

@test "--watch with output, log and gallery inside the assets makes everything once, and renews the gallery" {
    mkdir all
    mv dice.yaml game all
    sed -i 's/^assets: .*/assets: [game, .]/' all/dice.yaml
    exits 0 render all/dice.yaml
    exits 0 gallery -q all/dice.yaml
    watch_lists --log all/log.jsonl --junit all/report.xml all/dice.yaml
    since 0 1 | grep '^nothing to do: 2 sheets up to date'
    rests 1
    cp -r all/out before
    convert -size 8x8 xc:red all/game/textures/red.png
    [ "$(since 1 1 | grep '^\[')" = '[2/2] red.png' ]
    rests 2
    grep -q '"status": *"made"' all/log.jsonl
    never diff -r before/dice/index@files all/out/dice/index@files
    exits 0 gallery all/dice.yaml
    [ "$output" = 'all/out/dice/index.html: 2 sheets, 0 files written' ]
}

@test "a signal ends --watch and the run that goes on, whether a terminal sends it or another process" {
    local group number child parent options
    for group in '' -; do
        for number in 2 15 1 nohup; do
            rm -rf out
            options=
            [ $number != nohup ] || { number=15 && options=--ignore-signal=HUP; }
            # Where time passes faster, the one that we send after the terminal counts as a second one.
            [ -z "$options" ] || [ -z "$group" ] || continue
            PAUSE_PASSES_TIME=1 PAUSE_AT=/red.png LD_PRELOAD=$TOOLS/pause_at_rename.so \
                setsid env --default-signal=INT,TERM,HUP $options "$SHEETBAKE" render --watch --timeout 0 -j1 dice.yaml >stdout 2>stderr 3>&- &
            parent=$! sheetbake_pid=$!
            until_true workers >/dev/null
            sheetbake_pid=$(workers) child=$sheetbake_pid
            wait_for_paused
            sheetbake_pid=$parent
            kill -$number -- "$group$parent"
            finish
            exited $((128 + number))
            is_gone "$child"
            is_gone "$paused"
            says 'interrupted: * of 2 sheets*'
            never grep waiting stderr
            [ -z "$(temporary_files)" ]
        done
    done
}

@test "--watch tells three names of what has changed, and none with --quiet" {
    watch_lists dice.yaml
    rests 1
    (cd game && touch models/one models/two textures/one textures/two)
    [ "$(since 1 1 | sed -n 's/.*changed: //p' | paste -sd,)" = game/models/one,game/models/two,game/textures/one,more ]
    mkdir game/models/deep
    since 2 1 | grep -x 'sheetbake: changed: game/models/deep'
    touch game/models/deep/three
    since 3 1 | grep -x 'sheetbake: changed: game/models/deep/three'
    rm -r game/models/deep
    [ "$(since 4 1 | sed -n 's/.*changed: //p' | paste -sd,)" = game/models/deep/three,game/models/deep ]
    sed -i 's/name: red/name: rouge/' dice.yaml
    since 5 1 | grep -x 'sheetbake: changed: dice.yaml'
    stop_watching
    start_render --watch -q dice.yaml
    until_true [ -e out/dice/rouge.png ]
    sleep 0.5
    convert -size 8x8 xc:red game/textures/red.png
    sleep 1
    [ ! -s stderr ]
}

@test "--watch says what it cannot watch, and what it cannot start" {
    WATCHES=2 LD_PRELOAD=$TOOLS/trouble.so exits 5 render --watch dice.yaml
    says "sheetbake: cannot watch '*': No space left on device; sysctl fs.inotify.max_user_watches limits it"
    [ ! -e out ]
    FORKS=0 TOO=$TOOLS/trouble.so watch_lists dice.yaml
    since 0 1 | grep -x 'sheetbake: the run did not start: Resource temporarily unavailable'
}

@test "--watch bakes again where the kernel has dropped events" {
    watch_lists dice.yaml
    rests 1
    kill -STOP "$sheetbake_pid"
    (cd game && seq -f .%g "$(($(</proc/sys/fs/inotify/max_queued_events) + 1000))" | xargs touch)
    kill -CONT "$sheetbake_pid"
    since 1 1 | grep '^nothing to do: 2 sheets up to date'
}
