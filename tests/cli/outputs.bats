# Not under the sanitizers: files; verify, record and trouble go the same ways.
load sheets

# The output folder: what a run writes, locks and removes.

setup() {
    work_in_empty_folder
    sheetbake_pid= orphan=
}

teardown() {
    if [ "$sheetbake_pid" ]; then
        kill -KILL "$sheetbake_pid" 2>/dev/null || true
    fi
    if [ "$orphan" ]; then
        kill -KILL "$orphan" 2>/dev/null || true
    fi
}

# Starts a run in the background that stops before it renames die0.png to its final name.
start_paused() { # arguments
    LD_PRELOAD=$TOOLS/pause_at_rename.so PAUSE_AT=/die0.png \
        env --default-signal=INT,TERM,HUP "$SHEETBAKE" render -j1 "$@" >first.out 2>first.err 3>&- &
    sheetbake_pid=$!
    until_true find_paused
}

find_paused() {
    paused=$(pgrep -P "$sheetbake_pid" | head -1)
    [ "$paused" ] && grep -q '^State:.T' "/proc/$paused/status"
}

write_two() { # name
    write_list "$1" <<-END
	- {name: die0, model: models/die.md2, cell: 16, passes: [normal], metadata: [godot]}
	- {name: die1, model: models/die.md2, cell: 16}
	END
}

# Inode and time of change of all files.
marks() { # folder
    find "$1" -type f ! -name .sheetbake.lock -printf '%P %i %T@\n' | LC_ALL=C sort
}

# -- What is written --

@test "files that would not change are not rewritten" {
    write_two two
    exits 0 render two.yaml
    marks out/two >before
    exits 0 render --force --durable two.yaml
    says '2 sheets in *'
    marks out/two >after
    cmp before after
    rm out/two/die0.normal.png
    render two.yaml
    marks out/two | diff before - >changes || true
    grep -q '^> die0.normal.png' changes
    never grep -q '^> die[01].png' changes
}

# -- Locks --

@test "a second run waits for the first, saying for whom, and then does its work" {
    write_two two
    start_paused two.yaml
    "$SHEETBAKE" render two.yaml >second.out 2>second.err 3>&- &
    local second=$!
    until_true grep -q waiting second.err
    grep -q "two: waiting for another run to leave this folder: process $sheetbake_pid on $(uname -n), since 20.*Z\$" second.err
    kill -CONT "$paused"
    wait "$sheetbake_pid"
    wait "$second"
    [ "$(grep -c waiting second.err)" = 1 ]
    [ ! -s out/two/.sheetbake.lock ]
}

@test "with --lock fail it leaves with code 6, with --lock off it goes on" {
    write_two two
    start_paused two.yaml
    exits 6 render --lock fail two.yaml
    says "sheetbake: *two: another run is at work in this folder: process $sheetbake_pid on *"
    exits 0 render --lock off --only die1 two.yaml
    kill -KILL "$sheetbake_pid"
    until_true "$SHEETBAKE" render --lock fail two.yaml
    exits 2 render --lock maybe two.yaml
    says "*--lock: 'maybe' is not wait, fail or off"
}

@test "a run that waits ends at SIGTERM" {
    write_two two
    start_paused two.yaml
    env --default-signal=TERM "$SHEETBAKE" render two.yaml >second.out 2>second.err 3>&- &
    local second=$! code=0
    until_true grep -q waiting second.err
    kill -TERM "$second"
    wait "$second" || code=$?
    [ "$code" = 143 ]
}

@test "runs of lists with folders of their own do not wait for each other" {
    write_two two
    write_two other
    start_paused two.yaml
    exits 0 render --lock fail other.yaml
}

@test "shards share a folder, with a run of everything they do not" {
    write_two two
    render --dry-run --shard 1/2 two.yaml
    local ours=1 other=2
    [[ $output == *die0* ]] || ours=2 other=1
    start_paused --shard $ours/2 two.yaml
    exits 0 render --lock fail --shard $other/2 two.yaml
    exits 6 render --lock fail two.yaml
    says "sheetbake: *two: another run is at work in this folder: shards of a run"
    # Its temporary files are not those of a dead run
    [ "$(find out -name '.*.tmp' | wc -l)" = 5 ]
    kill -CONT "$paused"
    wait "$sheetbake_pid"
    sheetbake_pid=
    "$SHEETBAKE" verify -q two.yaml
}

@test "checking takes no lock" {
    write_two two
    start_paused two.yaml
    exits 0 check two.yaml
}

@test "the folder of a killed run is not free before its last worker is dead" {
    write_two two
    PAUSE_ORPHANS=1 start_paused two.yaml
    kill -KILL "$sheetbake_pid"
    wait "$sheetbake_pid" || true
    sheetbake_pid= orphan=$paused
    exits 6 render --lock fail two.yaml
    [ "$(find out -name '.*.tmp' | wc -l)" = 5 ]
    kill -KILL "$orphan"
    "$SHEETBAKE" render -q two.yaml # waits for it
    [ -z "$(find out -name '.*.tmp')" ]
}

# -- Leftovers of killed runs --

@test "the next run removes what a killed one has left" {
    write_two two
    start_paused two.yaml
    kill -KILL "$sheetbake_pid"
    until_true [ ! -e "/proc/$paused" ]
    [ "$(find out -name '.*.tmp' | wc -l)" = 5 ]
    touch out/two/.mine.tmp
    exits 0 render --only die1 two.yaml
    [ "$(files out/two)" = '.mine.tmp die1.json die1.png die1.sheetbake' ]
}

# -- Records that were copied --

@test "a record in the place of another page's costs neither page its files" {
    write_list some <<-END
	- {name: die0, model: models/die.md2, cell: 16, passes: [normal], metadata: [godot]}
	- {name: die1, model: models/die.md2, cell: 16}
	- {name: die1.big, model: models/die.md2, cell: 32}
	- {name: pages, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}
	END
    exits 0 render some.yaml
    cp -r out expected
    local copy
    for copy in 'die0 die1' 'die1.big die1' 'pages@1 pages@2' 'pages pages@1'; do
        cp "out/some/${copy% *}.sheetbake" "out/some/${copy#* }.sheetbake"
        exits 3 verify out
        says "out/some/${copy#* }.sheetbake: broken: it is the record of another page, of job '*'"
        exits 0 render --prune some.yaml
        says '1 sheet in *, 5 up to date*'
        diff -r expected out
    done
    # What a killed run would leave while it replaces or removes such a page
    cp out/some/die0.sheetbake out/some/.die1.sheetbake.1-00000000.tmp
    cp out/some/die1.big.sheetbake out/some/.die1.sheetbake.1-00000001.tmp
    exits 0 render some.yaml
    diff -r expected out
}

@test "--prune leaves a record in the place of another page's, and the files of its own page" {
    write_list some <<-END
	- {name: die, model: models/die.md2, cell: 16}
	- {name: die.big, model: models/die.md2, cell: 32}
	END
    exits 0 render some.yaml
    sed -i '/name: die,/d' some.yaml
    cp out/some/die.big.sheetbake out/some/die.sheetbake
    exits 0 render --prune some.yaml
    [ "$(files out/some)" = 'die.big.json die.big.png die.big.sheetbake die.json die.png die.sheetbake' ]
    exits 3 verify -q out
}

@test "a sheet that needs fewer pages leaves none of the former ones, but for one that somebody has changed" {
    local layout kept
    for layout in grid packed; do
        write_list $layout <<-END
	defaults: {cell: 24, sheet: {layout: $layout, max_size: 60}, passes: [normal], cameras: [front, left], animations: [{file: anims/hop.md5anim}], sampling: {count: 6}}
	jobs:
	- {name: die, model: models/die.md5mesh}
	- {name: by, model: models/die.md5mesh, split: camera}
	END
        exits 0 render -q $layout.yaml
        [ -e out/$layout/die@1.sheetbake ]
        kept=$(cd out/$layout && ls by@front* by@left*)
        sed -i 's/{name: die,/& cell: 4,/' $layout.yaml
        exits 0 render -q $layout.yaml
        [ "$(cd out/$layout && echo die*)" = 'die.json die.normal.png die.png die.sheetbake' ]
        [ "$(cd out/$layout && ls by@front* by@left*)" = "$kept" ]
        exits 0 gallery -q $layout.yaml
        exits 0 render $layout.yaml
        says 'nothing to do: *'
        # A page that somebody has changed is for --prune to tell.
        sed -i 's/ cell: 4,//' $layout.yaml
        exits 0 render -q $layout.yaml
        convert -size 4x4 xc:red out/$layout/die@1.normal.png
        sed -i 's/{name: die,/& cell: 4,/' $layout.yaml
        exits 0 render -q --prune $layout.yaml
        says "sheetbake: left out/$layout/die@1.normal.png: *"
        [ "$(cd out/$layout && echo die*)" = 'die.json die.normal.png die.png die.sheetbake die@1.normal.png' ]
    done
}

@test "later pages are removed from the last on, past a broken record, and not those of another list or job" {
    write_list one <<<"- {name: die, model: models/die.md5mesh, cell: 24, sheet: {max_size: 24}, animations: [{file: anims/hop.md5anim}], sampling: {count: 6}}"
    exits 0 render -q -o out one.yaml
    [ -e out/die@5.sheetbake ]
    cp -r out before
    echo broken >out/die@3.sheetbake
    sed -i 's/count: 6/count: 2/' one.yaml
    exits 0 render -q -o out one.yaml
    [ "$(files out)" = 'die.json die.png die.sheetbake die@1.json die@1.png die@1.sheetbake die@3.json die@3.png die@3.sheetbake' ]
    # Killed in between: the next run finds the rest.
    rm -r out
    cp -r before out
    rm out/die@5.*
    exits 0 render -q -o out one.yaml
    [ "$(files out)" = 'die.json die.png die.sheetbake die@1.json die@1.png die@1.sheetbake' ]
    # Of another list.
    write_list two <<<"- {name: die, model: models/die.md2, cell: 8, animations: [], cameras: [{name: 2}, {name: 3, yaw: 9}], split: camera}"
    exits 0 render -q -o out two.yaml
    sed -i 's/cell: 24/cell: 20/' one.yaml
    exits 0 render -q -o out one.yaml
    [ -e out/die@2.png ] && [ -e out/die@3.sheetbake ]
}
