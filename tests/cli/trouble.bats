# bats file_tags=asan
load sheets
load background

# Trouble with the machine: memory, signals, disks, and files that change during a run.

# -- Memory --

# Three pages, one of which takes some 700 MiB.
write_large() {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/large.md2
    write_list memory assets <<-END
	- {name: large, model: models/large.md2, cell: 2048, supersample: 4, animations: [], sheet: {max_size: 4096}}
	- {name: larger, model: models/large.md2, cell: 2048, supersample: 4, animations: []}
	- {name: small, model: models/die.md2, cell: 16}
	END
}

@test "a page that takes more than --memory is ended, tried again, and then named with limit and stage" {
    write_large
    exits 3 render -j1 --memory 400M memory.yaml
    [ "$(files out/memory)" = 'small.json small.png small.sheetbake' ]
    says 'error: larg*.png: exceeded its memory limit of 400 MiB in stage * with models/large.md2: the worker was killed (--memory), and again at the second try'
    says 'error: larg*: *not tried*: models/large.md2 killed its worker at the second try, too'
    exits 0 render --memory 0 --only large memory.yaml
    [ "$(files out/memory)" = 'large.json large.png large.sheetbake small.json small.png small.sheetbake' ]
}

@test "--memory takes sizes, and nothing else" {
    write_list one <<<'- {name: die, model: models/die.md2, cell: 8}'
    local size
    for size in 1G 1.5G 2048M 900MiB 900mb 1048576K 0; do
        exits 0 render --force --memory "$size" one.yaml
    done
    for size in '' G 1 512 2X 2GG 2GiBs 10 nan 1Bi; do
        exits 2 render --memory "$size" one.yaml
        says "sheetbake render: --memory: '$size' is not a size such as 512M or 2G"
    done
    for size in 1M 17T -1G infG nanG; do
        exits 2 render --memory "$size" one.yaml
        says "sheetbake render: --memory: $size is out of range, 16M to 16T are allowed, or 0 for no limit"
    done
}

@test "without /proc a run goes on, and says that it cannot keep --memory" {
    [ "$(id -u)" = 0 ] || skip "only root can mount"
    write_ten
    ! grep -q __asan_init "$SHEETBAKE" || skip "the leak sanitizer needs /proc, even to be told that it is not wanted"
    run --separate-stderr unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$SHEETBAKE" render --memory 1G ten.yaml
    [[ $stderr != unshare:* && $stderr != mount:* ]] || skip "cannot mount"
    exited 0
    says 'sheetbake: warning: --memory has no effect: *'
    [ "$(grep -c 'has no effect' <<<"$stderr")" = 1 ]
    all_ten_but
}

@test "a worker whose allocation fails reports it, in every stage" {
    ! grep -q __asan_init "$SHEETBAKE" || skip "the address sanitizer takes all addresses there are"
    write_large
    local megabytes
    for megabytes in 700 500 400 300; do
        (
            ulimit -v $((megabytes * 1024))
            exec "$SHEETBAKE" render --force -j1 memory.yaml
        ) 2>stderr || status=$?
        stderr=$(cat stderr) output=
        exited 3
        # At the second try it may run out in another stage.
        says 'error: larg*.png: out of memory in stage * with models/large.md2*@(, and again at the second try|; tried again: out of memory in stage * with models/large.md2*)'
        says "error: larg*, where \`ulimit -v\` leaves $megabytes MiB of memory*"
        [ -e out/memory/small.png ]
    done
}

# -- Signals --

write_slow() {
    write_list slow <<<"- {name: slow, model: models/die.md2, cell: 1024, supersample: 4, sampling: {count: 64}, animations: [stand], sheet: {columns: 8, max_size: 8192}}"
}

# Whether the supervisor has handled all signals that were sent to it.
has_no_signal_before_it() {
    never grep -q '^S.*Pnd:.*[1-9a-f]' "/proc/$sheetbake_pid/status"
}

@test "a page whose files are just getting their names is finished before an interrupted run ends" {
    write_ten
    local signal number
    for signal in INT:130 TERM:143 HUP:129; do
        number=${signal#*:}
        rm -rf out
        PAUSE_AT=/die3.sheetbake start_render -j1 --log log ten.yaml # its picture has its name already
        wait_for_paused
        kill -"${signal%:*}" "$sheetbake_pid"
        until_true has_no_signal_before_it
        kill -CONT "$paused"
        finish
        exited "$number"
        [ -e out/ten/die3.png ]
        [ -e out/ten/die3.sheetbake ]
        [ -z "$(temporary_files)" ]
        jq -se '[.[] | select(.job == "die3").status] == ["made"]' log
        says "interrupted: $(find out -name '*.sheetbake' | wc -l) of *"
    done
}

@test "SIGHUP to a run and its workers, as from an ssh that is cut, does not end it between two files of a page" {
    write_ten
    PAUSE_AT=/die3.json LD_PRELOAD=$TOOLS/pause_at_rename.so \
        setsid env --default-signal=HUP "$SHEETBAKE" render -j1 ten.yaml >stdout 2>stderr 3>&- &
    sheetbake_pid=$!
    wait_for_paused
    kill -HUP -- -"$sheetbake_pid"
    kill -HUP -- -"$sheetbake_pid" # the shell's and the kernel's
    kill -CONT "$paused"
    finish
    exited 129
    [ -e out/ten/die3.sheetbake ]
    [ -z "$(temporary_files)" ]
    rm -rf expected
    render ten.yaml
    all_ten_but
}

@test "SIGHUP that is ignored, as under nohup, stays ignored" {
    write_ten
    PAUSE_AT=/die3.png LD_PRELOAD=$TOOLS/pause_at_rename.so \
        env --ignore-signal=HUP "$SHEETBAKE" render -j2 ten.yaml >stdout 2>stderr 3>&- &
    sheetbake_pid=$!
    wait_for_paused
    kill -HUP "$sheetbake_pid" "$paused"
    kill -CONT "$paused"
    finish
    exited 0
    all_ten_but
}

@test "a signal that comes while the folder is locked, without having to wait, ends the run" {
    write_ten
    local signal number
    for signal in INT:130 TERM:143 HUP:129; do
        number=${signal#*:}
        run --separate-stderr env --default-signal=INT,TERM,HUP SIGNAL_AT_LOCK=$((number - 128)) LD_PRELOAD="$TOOLS/trouble.so" \
            "$SHEETBAKE" render ten.yaml
        exited "$number"
        [ -z "$(files out/ten)" ]
    done
}

is_blocked_in_write() {
    local call
    read -r call _ 2>/dev/null <"/proc/$sheetbake_pid/syscall" && [ "$call" = 1 ]
}

@test "a run that is interrupted before it has any worker says so, in its log and report too" {
    write_ten
    render ten.yaml
    cp -r out expected
    SIGNAL_AT_MODEL=15 LD_PRELOAD=$TOOLS/trouble.so exits 143 render --log log --junit junit.xml ten.yaml
    says interrupted
    jq -se '.[-1] | .type == "run" and .reason == "interrupted" and .exitCode == 143 and .counts.made == 0' log
    [ "$(xmllint --xpath 'string(//error/@type)' junit.xml)" = ended ]
    diff -r out expected
}

@test "a second signal ends a run at once that waits for the reader of its output" {
    [ "$(uname -m)" = x86_64 ] && cat "/proc/$$/syscall" >/dev/null || skip "cannot see what a process waits for"
    local i
    for ((i = 0; i < 400; i++)); do
        echo "- {name: a_long_name_so_that_the_pipe_fills_soon_$i, model: models/die.md2, cell: 4, animations: []}"
    done | write_list many
    mkfifo pipe
    # 4096 bytes, and nobody reads
    exec 5<>pipe
    perl -e 'open(my $pipe, "+<&=", 5); fcntl($pipe, 1031, 4096)'
    env --default-signal=TERM "$SHEETBAKE" render -j2 many.yaml >pipe 2>&1 3>&- 5>&- &
    sheetbake_pid=$!
    until_true is_blocked_in_write
    kill -TERM "$sheetbake_pid"
    until_true has_no_signal_before_it
    sleep 0.7 # less than that does not count as a second one
    never is_gone "$sheetbake_pid"
    local children
    children=$(workers)
    kill -TERM "$sheetbake_pid"
    until_true is_gone "$sheetbake_pid"
    for child in $children; do
        until_true is_gone "$child"
    done
    exec 5>&-
    status=0
    wait "$sheetbake_pid" || status=$?
    sheetbake_pid=
    [ "$status" = 143 ]
    exits 0 render -q many.yaml # and the next run repairs
    [ "$(find out -name '*.sheetbake' | wc -l)" = 400 ]
    [ -z "$(temporary_files)" ]
}

# Whether a worker has used a second of processor time: by then it draws, and is not the process that draws the probe.
is_at_work() {
    local worker stat
    worker=$(workers | head -n 1) && stat=$(cat "/proc/$worker/stat" 2>/dev/null) || return 1
    stat=(${stat##*) })
    [ $((stat[11] + stat[12])) -ge "$(getconf CLK_TCK)" ]
}

@test "timeout(1), which sends its signal twice, ends a run cleanly" {
    write_slow
    timeout 600 "$SHEETBAKE" render slow.yaml >stdout 2>stderr 3>&- &
    local watch=$!
    until_true pgrep -P "$watch" >/dev/null
    sheetbake_pid=$(pgrep -P "$watch")
    until_true is_at_work
    kill -ALRM "$watch" # now it takes its time to be over
    sheetbake_pid=$watch
    finish
    exited 124
    says 'interrupted'
    [ -z "$(temporary_files)" ]
}

@test "a worker whose processor time is up, as ulimit -t has it, is named with that" {
    write_slow
    (
        ulimit -St 1
        exec "$SHEETBAKE" render slow.yaml
    ) 2>stderr || status=$?
    stderr=$(cat stderr) output=
    exited 3
    says 'error: slow.png: the worker was killed by signal 24 (CPU time limit exceeded) in stage draw while it had models/die.md2, and again *'
}

check_workers_die_with_it() {
    local child children
    children=$(workers)
    [ "$children" ]
    kill -KILL "$sheetbake_pid"
    finish
    for child in $children; do
        until_true is_gone "$child"
    done
    [ ! -e out/slow/slow.png ]
}

@test "a worker that is drawing dies with a supervisor that is killed" {
    write_slow
    start_render slow.yaml
    until_true is_at_work
    check_workers_die_with_it
}

@test "a worker that waits for a disk dies with a supervisor that is killed" {
    write_list slow <<<"- {name: slow, model: models/die.md2, cell: 16}"
    STALL_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so "$SHEETBAKE" render slow.yaml >stdout 2>stderr 3>&- &
    sheetbake_pid=$!
    until_true eval '[ -n "$(temporary_files)" ]'
    check_workers_die_with_it
    exits 0 render slow.yaml
    [ -z "$(temporary_files)" ]
}

@test "a file whose writes are interrupted fails its sheet, and hangs no worker" {
    write_list some <<<"- {name: some, model: models/die.md2, cell: 16}"
    INTERRUPT_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so exits 3 render --timeout 20 some.yaml
    says "error: some.png: out/some/some.png: cannot write * bytes: Interrupted system call"
    [ -z "$(temporary_files)" ]
}

@test "sheets are drawn, and record the renderer, when a library cannot be read at first" {
    write_list some <<<"- {name: some, model: models/die.md2, cell: 16}"
    exits 0 render some.yaml
    cp out/some/some.sheetbake before
    EIO_AT_LIBRARIES=3 LD_PRELOAD=$TOOLS/trouble.so render --backend osmesa --dry-run some.yaml
    says 'some: drawn by another renderer: its name was OSMesa *, is unknown'
    EIO_AT_LIBRARIES=3 LD_PRELOAD=$TOOLS/trouble.so exits 0 render --backend osmesa some.yaml
    says '1 sheet in *'
    cmp out/some/some.sheetbake before
    render --dry-run some.yaml
    [[ $output != *some.png* ]]
}

@test "a run goes on without standard streams, and when their reader leaves" {
    write_ten
    status=0
    "$SHEETBAKE" render ten.yaml >&- 2>&- <&- || status=$?
    [ "$status" = 0 ]
    all_ten_but
    rm -r out
    "$SHEETBAKE" render ten.yaml 2>&1 | head -1 >first_line
    all_ten_but
    rm -r out
    "$SHEETBAKE" render ten.yaml 2>/dev/full
    all_ten_but
}

# -- Disks --

write_four() {
    write_list four <<-END
	- {name: first, model: models/die.md2, cell: 16}
	- {name: large, model: models/die.md2, cell: 700, animations: [], cameras: [three_quarter]}
	- {name: other, model: models/die.md2, cell: 16}
	- {name: under/it, model: models/die.md2, cell: 16}
	END
}

render_to_small_disk() {
    exits 3 render -j1 -o disk/out four.yaml
    says 'error: large.png: disk/out/large.png: cannot write [0-9]* bytes: No space left on device'
    [ "$(files disk/out)" = 'first.json first.png first.sheetbake other.json other.png other.sheetbake under/it.json under/it.png under/it.sheetbake' ]
    cp -r disk/out before
    # A finished file stays when its successor does not fit
    sed -i 's/name: first, model: models.die.md2, cell: 16/name: first, model: models\/die.md2, cell: 700, animations: []/' four.yaml
    exits 3 render -j1 -o disk/out four.yaml
    says 'error: first.png: disk/out/first.png: cannot write *'
    diff -r before disk/out
    mount -o remount,size=8m disk
    exits 0 render -j1 -o disk/out four.yaml
    cp -r disk/out after
}

@test "a full disk costs the pages that do not fit, and the next run makes them" {
    write_four
    with_disk 64k render_to_small_disk
    render -o expected four.yaml
    diff -r expected after
}

render_to_full_disk() {
    # Not even a file without a byte
    local i
    mkdir disk/out
    for ((i = 0; i < 40; i++)); do : >"disk/$i"; done 2>/dev/null || true
    exits 2 render -o disk/out four.yaml
    says 'sheetbake: disk/out*: No space left on device*'
    exits 3 render --lock off -o disk/out four.yaml
    says 'error: first.png: disk/out/*first.png*: No space left on device'
    [ -z "$(files disk/out)" ]
}

@test "a full file system is an error" {
    write_four
    with_disk 1m,nr_inodes=16 render_to_full_disk
}

render_to_read_only_disk() {
    exits 0 render -j1 -o disk/out four.yaml
    cp -r disk/out before
    mount -o remount,ro disk
    exits 2 render --force -j1 -o disk/out four.yaml
    says 'sheetbake: disk/out*: Read-only file system'
    exits 2 render -o disk/new four.yaml
    says 'sheetbake: disk/new: cannot make this folder: Read-only file system'
    diff -r before disk/out
    # With nothing to do there is nothing to write
    exits 0 render --lock off -o disk/out --dry-run four.yaml
    mount -o remount,rw disk
    # It turns read-only while the run goes on
    sed -i 's/cell: 16/cell: 17/' four.yaml
    PAUSE_AT=first.png start_render -j1 -o disk/out four.yaml
    wait_for_paused
    mount -o remount,ro disk 2>/dev/null || true # busy when the pages are being written
    kill -CONT "$paused"
    finish
    mount -o remount,rw disk
    exits 0 render -j1 -o disk/out four.yaml
    cp -r disk/out after
}

@test "a read-only file system is an error before anything is drawn" {
    write_four
    with_disk 8m render_to_read_only_disk
    render -o expected four.yaml
    diff -r expected after
}

render_across_disks() {
    mkdir disk/real disk/deep
    ln -s disk out-link
    mkdir -p disk/real
    ln -s "$PWD/elsewhere" disk/real/under
    mkdir elsewhere
    exits 0 render -j2 -o out-link/real four.yaml
    [ -e elsewhere/it.png ]
    rm disk/real/under
    mv elsewhere disk/real/under
    cp -r disk/real after
    [ -z "$(temporary_files)" ]
}

@test "the output may be on another file system than the list, and parts of it on others again" {
    write_four
    with_disk 8m render_across_disks
    render -o expected four.yaml
    diff -r expected after
}

@test "an output folder that is removed during a run costs the pages in it" {
    write_ten
    PAUSE_AT=/die3.png start_render -j1 ten.yaml
    wait_for_paused
    mv out gone
    kill -CONT "$paused"
    finish
    exited 3
    says 'error: die3.png: out/ten/die3.png: cannot rename the finished file to this name: No such file or directory'
    says '9 of 10 sheets in *, 1 failed -> *'
    [ -e out/ten/die9.json ]
    exits 0 render ten.yaml
    all_ten_but
}

@test "a folder without write permission fails its own pages, each with a message" {
    write_list some <<-END
	- {name: a/1, model: models/die.md2, cell: 16}
	- {name: a/2, model: models/die.md2, cell: 16}
	- {name: b/1, model: models/die.md2, cell: 16}
	END
    mkdir -p out/some/a
    chmod 555 out/some/a
    run --separate-stderr as_other "$SHEETBAKE" render some.yaml
    chmod 755 out/some/a
    exited 3
    says 'error: a/1.png: out/some/a/1.png: *Permission denied'
    says 'error: a/2.png: out/some/a/2.png: *Permission denied'
    [ "$(files out/some)" = 'b/1.json b/1.png b/1.sheetbake' ]
    exits 0 render some.yaml
}

# -- Files that change while a run goes on --

# Three pages of one job.
write_pages() {
    cp -r "$DIE" assets
    write_list pages assets <<<"- {name: die, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}"
}

@test "pages of one job that a change of the model came between are of two ages, and the next run makes the older anew" {
    write_pages
    # The worker dies before it has finished the second page, and the next worker finds a changed model
    PAUSE_AT=/die@1.png start_render -j1 pages.yaml
    wait_for_paused
    printf x >>assets/models/die.md2
    kill_paused KILL
    wait_for_paused
    kill -CONT "$paused"
    finish
    exited 0
    exits 0 render --dry-run pages.yaml
    [ "$output" = 'die.png: input models/die.md2 changed' ]
    exits 0 render pages.yaml
    says '1 sheet in *, 2 up to date*'
    exits 0 render -o whole pages.yaml
    diff -r -x .sheetbake.lock out/pages whole
    exits 0 render pages.yaml
    says 'nothing to do: 3 sheets up to date*'
}

@test "a model that changes between the framing of its group and its own page fails that page, and the next run makes all" {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/tall.md2
    write_list group assets <<-END
	defaults: {fit: {scope: all}}
	jobs:
	- {name: large, model: models/die.md2, cell: 32}
	- {name: larger, model: models/die.md2, cell: 48}
	- {name: tall, model: models/tall.md2, cell: 16}
	END
    PAUSE_AT=.png start_render -j2 group.yaml
    until_true two_have_paused
    printf x >>assets/models/tall.md2
    kill -CONT $(workers)
    finish
    exited 3
    says 'error: tall.png: models/tall.md2 was changed while the sheet was made'
    [ ! -e out/group/tall.png ]
    exits 0 render group.yaml
    says '3 sheets in *'
}

@test "the hashes in the record are those of the bytes that were drawn" {
    write_pages
    render pages.yaml
    cp out/pages/die.sheetbake unchanged
    rm -r out
    # Changed after it was read and before the page is there
    PAUSE_ONCE=mark PAUSE_AT=/die.png start_render -j1 pages.yaml
    wait_for_paused
    printf x >>assets/models/die.md2
    kill -CONT "$paused"
    finish
    exited 0
    cmp unchanged out/pages/die.sheetbake
    exits 0 render pages.yaml
    says '3 sheets in *'
    never cmp -s unchanged out/pages/die.sheetbake
}

@test "an input that is deleted while a run goes on fails its sheets, and no others" {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/other.md2
    write_list some assets <<-END
	- {name: a, model: models/die.md2, cell: 16}
	- {name: b, model: models/other.md2, cell: 16}
	- {name: c, model: models/die.md2, cell: 16}
	END
    PAUSE_AT=/a.png start_render -j1 some.yaml
    wait_for_paused
    rm assets/models/other.md2
    kill -CONT "$paused"
    finish
    exited 3
    says 'error: b: *models/other.md2: *'
    [ "$(files out/some)" = 'a.json a.png a.sheetbake c.json c.png c.sheetbake' ]
    cp assets/models/die.md2 assets/models/other.md2
    exits 0 render some.yaml
    says '1 sheet in *, 2 up to date*'
}

make_archive() {
    (cd "$DIE" && zip -q -r -0 "$OLDPWD/die.pk3" models textures anims)
}

write_archived() {
    command -v zip >/dev/null || skip "zip is not installed"
    make_archive
    write_list some die.pk3 <<-END
	- {name: a, model: models/die.md2, cell: 16}
	- {name: b, model: models/die.md5mesh, cell: 16, animations: []}
	- {name: c, model: models/die.md2, cell: 16, fit: {pixels_per_unit: 4}}
	END
}

@test "an archive that is cut short while a run goes on fails what is no longer in it" {
    write_archived
    PAUSE_AT=/a.png start_render -j1 some.yaml
    wait_for_paused
    cp die.pk3 whole.pk3
    truncate -s 200 die.pk3
    kill -CONT "$paused"
    finish
    exited 3
    says 'error: b: *models/die.md5mesh: *'
    [ -e out/some/a.png ]
    mv whole.pk3 die.pk3
    exits 0 render some.yaml
}

# Overwrites the header of the member. Its name stands 30 bytes after the start of the header, and again in the directory
# at the end.
damage() { # member
    local at
    at=$(grep -abo "$1" die.pk3 | head -n 1 | cut -d: -f1)
    printf XXXX | dd of=die.pk3 bs=1 seek=$((at - 30)) conv=notrunc status=none
}

@test "a model that is damaged in its archive is an error, and the others are made" {
    write_archived
    damage models/die.md2
    exits 3 render some.yaml
    says "error: a: models/die.md2: cannot read it from 'die.pk3': it was cut short, or is damaged: no file begins at byte *"
    [ "$(files out/some)" = 'b.json b.png b.sheetbake' ]
}

@test "a picture that is damaged in its archive fails its sheets" {
    write_archived
    damage textures/die.png
    exits 3 render some.yaml
    says "error: a: textures/die.png: cannot read it from 'die.pk3': it was cut short, or is damaged: no file begins at byte *"
    says "error: b: textures/die.png: *"
    [ -z "$(files out/some)" ]
}

@test "a folder of the assets that cannot be listed may hold what is not found: that is an error" {
    cp -r "$DIE" assets
    write_list all assets <<<'- {name: "{path}", model: "models/**/*.md2", cell: 16}'
    exits 0 render all.yaml
    chmod 311 assets/textures
    run --separate-stderr as_other "$SHEETBAKE" render --force all.yaml
    exited 3
    says "error: die: assets 'assets': cannot look into 'textures': Permission denied"
    chmod 755 assets/textures
    chmod 644 assets/models
    run --separate-stderr as_other "$SHEETBAKE" render --force all.yaml
    exited 3
    says "error: die: models/die.md2: cannot open it in 'assets': Permission denied"
    chmod 311 assets/models
    run --separate-stderr as_other "$SHEETBAKE" render --prune all.yaml
    exited 3
    says "error: {path}: all.yaml:5:27: assets 'assets': cannot look into 'models': Permission denied"
    says "sheetbake: removed nothing of all.yaml while *"
    write_list one assets <<<'- {name: die, model: models/die.md2, skin: other/die.png}'
    run --separate-stderr as_other "$SHEETBAKE" check one.yaml
    exited 2
    says "one.yaml:5:22: no file 'models/die.md2' in the assets: assets 'assets': cannot look into 'models': Permission denied"
    chmod 755 assets/models
    mkdir -m 311 assets/other
    run --separate-stderr as_other "$SHEETBAKE" check one.yaml
    exited 2
    says "one.yaml:5:*: no file 'other/die.png' in the assets: assets 'assets': cannot look into 'other': Permission denied"
    chmod 755 assets/other
    [ -e out/all/die.png ]
}

@test "info says which folder it could not look into" {
    cp -r "$DIE" assets
    mkdir -m 311 assets/materials
    run --separate-stderr as_other "$SHEETBAKE" info --assets assets models/die.md5mesh
    exited 0
    [[ $output == *"warnings    assets 'assets': cannot look into 'materials': Permission denied"* ]]
    chmod 755 assets/materials
    run --separate-stderr as_other "$SHEETBAKE" info --assets assets models/die.md5mesh
    exited 0
    [[ $output != *warnings* ]]
}

@test "a folder whose listing fails is an error, not a smaller folder" {
    cp -r "$DIE" assets
    write_list all assets <<<'- {name: "{path}", model: "models/**/*.md2", cell: 16}'
    exits 0 render all.yaml
    touch assets/models/broken
    BROKEN_LIST=broken LD_PRELOAD=$TOOLS/trouble.so exits 3 render --prune all.yaml
    says "error: {path}: all.yaml:5:27: assets 'assets': cannot look into 'models': Input/output error"
    [ -e out/all/die.png ]
    exits 0 render --prune all.yaml
    says "nothing to do: 1 sheet up to date*"
}

@test "a sheet that looked for something in a folder which cannot be listed now is not up to date" {
    cp -r "$DIE" assets
    write_list one assets <<<'- {name: die, model: models/die.md5mesh, cell: 16}'
    exits 0 render one.yaml
    chmod -R 777 out
    mkdir -m 311 assets/materials
    run --separate-stderr as_other "$SHEETBAKE" render --dry-run one.yaml
    says "die: the assets cannot be opened: assets 'assets': cannot look into 'materials': Permission denied"
    run --separate-stderr as_other "$SHEETBAKE" render one.yaml
    exited 3
    says "error: die: assets 'assets': cannot look into 'materials': Permission denied"
    chmod 755 assets/materials
    run --separate-stderr as_other "$SHEETBAKE" render one.yaml
    exited 0
    says "nothing to do: 1 sheet up to date*"
}

@test "an archive that is replaced while a run goes on is read to the end as it was" {
    write_archived
    PAUSE_AT=/a.png start_render -j1 some.yaml
    wait_for_paused
    echo nonsense >new.pk3
    mv new.pk3 die.pk3
    kill -CONT "$paused"
    finish
    exited 0
    [ "$(files out/some)" = 'a.json a.png a.sheetbake b.json b.png b.sheetbake c.json c.png c.sheetbake' ]
}

@test "a model of a group that one worker cannot open, though it is there, fails what would be drawn without it" {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/tall.md2
    write_list group assets <<-END
	- {name: die, model: models/die.md2, cell: 32, fit: {scope: both}}
	- {name: tall, model: models/tall.md2, cell: 16, fit: {scope: both}, attach: {name: more, model: models/die.md2, offset: [0, 0, 40]}}
	END
    exits 0 render -o expected group.yaml
    LOSE_MODEL=tall.md2 LD_PRELOAD=$TOOLS/trouble.so exits 3 render -j1 group.yaml
    says "error: die: models/tall.md2: cannot open it in 'assets': Input/output error"
    [ ! -e out/group/die.png ]
    exits 0 render group.yaml
    diff -r expected out/group
    # Of several workers, those that draw open what those that frame could not.
    LOSE_MODEL=tall.md2 LD_PRELOAD=$TOOLS/trouble.so exits 0 render -j2 -o frames group.yaml
    diff -r expected frames
}

# -- Much work --

# Twenty jobs of one group, of costs 1, 3, 5, ... or 2, 4, 6, ...
write_grouped() { # name, the first cost
    local i
    for ((i = 0; i < 20; i++)); do
        echo "- {name: $1$i, model: models/die.md2, cell: 8, cameras: [front], fit: {scope: all}, sampling: {count: $((2 * i + $2))}, animations: [{name: a, frames: 0-5}]}"
    done | write_list "$1"
}

@test "costly jobs come first, by the sampling of each animation, one list after the other" {
    write_grouped odd 1
    write_grouped even 2
    sed -Ei 's/(sampling: .count: [0-9]*.), (.*frames: 0-5)/\2, \1/' odd.yaml even.yaml # to the animation
    exits 0 render -q -j1 --log log odd.yaml even.yaml
    [ "$(jq -r 'select(.type == "page") | .job' log | paste -sd' ')" = "$(echo odd{19..0} even{19..0})" ]
}

# -- Little of everything --

@test "with few files to open a run goes on with fewer workers" {
    write_ten
    (
        ulimit -n 16
        exec "$SHEETBAKE" render -j10 ten.yaml
    ) 2>stderr || status=$?
    stderr=$(cat stderr) output=
    [ "${status:-0}" = 0 ]
    all_ten_but
    [ "$(grep -c 'Too many open files: going on with fewer workers' stderr)" -le 1 ]
}

@test "without processes to be had a run goes on with fewer workers, and says so once" {
    write_ten
    FORKS=2 LD_PRELOAD=$TOOLS/trouble.so exits 0 render -j4 ten.yaml
    all_ten_but
    [ "$(grep -c 'cannot start a process: Resource temporarily unavailable: going on with fewer workers' <<<"$stderr")" = 1 ]
}

@test "without any process to be had a run ends with code 5" {
    write_ten
    FORKS=0 LD_PRELOAD=$TOOLS/trouble.so exits 5 render ten.yaml
    says 'sheetbake: cannot start a process: Resource temporarily unavailable'
    never grep stopped <<<"$stderr"
    [ -z "$(files out)" ]
}

@test "a clock that is set back while a run goes on makes no negative times" {
    write_ten
    CLOCK_BACK=1 LD_PRELOAD=$TOOLS/trouble.so exits 0 render --log log --junit junit.xml ten.yaml
    jq -se 'all(.[]; .seconds >= 0 and .seconds < 3600)' log
    jq -se '.[-1] | .started > .ended' log # so the clock was set back
    [[ $(xmllint --xpath 'string(/testsuites/@time)' junit.xml) != -* ]]
}

@test "neither a folder for temporary files nor one for the driver's cache is needed" {
    write_ten
    mkdir cache
    chmod 555 cache
    HOME=$PWD/cache XDG_CACHE_HOME=$PWD/cache MESA_SHADER_CACHE_DIR=$PWD/cache \
        run --separate-stderr as_other "$SHEETBAKE" render ten.yaml
    exited 0
    all_ten_but
    [ -z "$(files cache)" ]
    rm -r out
    TMPDIR=/proc/nowhere HOME=/proc/nowhere XDG_CACHE_HOME=/proc/nowhere exits 0 render ten.yaml
    all_ten_but
    rm -r out
    MESA_SHADER_CACHE_DIR=/dev/null/cache XDG_CACHE_HOME=/dev/null exits 0 render ten.yaml
    all_ten_but
}
