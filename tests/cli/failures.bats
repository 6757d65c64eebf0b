# Not under the sanitizers: what becomes of a run; trouble and give_up have its workers die under the sanitizers.
load sheets
load background

# A failure costs one page at most, and never leaves a half-written file.

# -- Models that fail --

# bats test_tags=quick
@test "a failing model costs its own sheet, and is named with the reason" {
    cp -r "$DIE" assets
    head -c 500 "$DIE/models/die.md2" >assets/models/cut.md2
    echo 'MD5Version 9' >assets/models/old.md5mesh
    echo nonsense >assets/models/other.md2
    write_list some assets <<-END
	- {name: good, model: models/die.md2, cell: 8}
	- {name: cut, model: models/cut.md2, cell: 8}
	- {name: old, model: models/old.md5mesh, cell: 8}
	- {name: other, model: models/other.md2, cell: 8}
	- {name: run, model: models/die.md2, cell: 8, animations: [rnu]}
	- {name: late, model: models/die.md2, cell: 8, animations: [{name: hop, sampling: {times: 2}}]}
	- {name: fine, model: models/die.md5mesh, cell: 8, animations: []}
	END
    exits 3 render -j2 some.yaml
    [ "$(files out/some)" = 'fine.json fine.png fine.sheetbake good.json good.png good.sheetbake' ]
    says 'error: cut: models/cut.md2: *500*'
    says 'error: old: models/old.md5mesh:*1: *9*10*'
    says 'error: other: models/other.md2: *'
    says "error: run: some.yaml:9:*: models/die.md2: no animation 'rnu'*"
    says "error: late: some.yaml:10:*: animation 'hop': *"
    says '2 of 7 sheets in *, 5 failed -> *'
    exits 0 render --only '[gf]*' some.yaml
}

# The later job is larger, so a worker draws it first.
@test "the summary of a long run repeats failures in the order of the list, that of a short one does not" {
    cp -r "$DIE" assets
    echo nonsense >assets/models/other.md2
    {
        echo '- {name: first, model: models/other.md2, cell: 8}'
        echo '- {name: second, model: models/other.md2, cell: 64}'
        printf -- '- {name: "%s", model: models/die.md2, cell: 4, animations: []}\n' {1..20}
    } | write_list some assets
    exits 3 render -j1 --only '[fs]*' some.yaml
    [ "$(grep -c '^error: ' <<<"$stderr")" = 2 ]
    exits 3 render -j1 some.yaml
    [ "$(grep -o '^error: [a-z]*' <<<"$stderr" | tail -2 | tr '\n' ' ')" = 'error: first error: second ' ]
    [ "$(grep -c '^error: ' <<<"$stderr")" = 4 ]
}

@test "--fail-fast stops at the first sheet that fails" {
    cp -r "$DIE" assets
    echo nonsense >assets/models/other.md2
    write_list some assets <<-END
	- {name: first, model: models/other.md2, cell: 64}
	- {name: second, model: models/die.md2, cell: 8}
	- {name: third, model: models/die.md2, cell: 8}
	END
    exits 3 render -j1 --fail-fast some.yaml
    says 'error: first: *'
    says 'stopped at the first failure*'
    [ "$(find out -name '*.png' 2>/dev/null)" = '' ]
}

# -- Workers that die --

@test "a worker that is killed is replaced, and its page is tried again at once" {
    write_ten
    PAUSE_ONCE=1 PAUSE_AT=/die3.png start_render -j1 ten.yaml
    wait_for_paused
    # A name that no other worker uses for its own, be it in a container where processes have the same numbers
    [[ $(temporary_files | grep die3.png) =~ ^./out/ten/\.die3\.png\.$paused-[0-9a-f]{8}\.tmp$ ]]
    [ "$(temporary_files | grep -c "\.$paused-")" = 3 ]
    kill_paused KILL
    finish
    exited 0
    all_ten_but
    says 'warning: die3.png: *killed by signal 9 (Killed) in stage write*models/die.md2; it will be tried again'
    says '[[]4/10] die3.png *'
    says '10 sheets in *'
    [ -z "$(temporary_files)" ]
}

@test "a page whose worker dies twice fails, and is named with model, signal and stage" {
    write_ten
    set_apart die3
    PAUSE_AT=/die3.png start_render -j2 ten.yaml
    wait_for_paused
    local first=$paused
    kill_paused SEGV
    wait_for_paused
    [ "$paused" != "$first" ]
    until_true nine_are_made # meanwhile
    kill_paused SEGV
    finish
    exited 3
    all_ten_but die3
    says 'error: die3.png: *killed by signal 11 (Segmentation fault) in stage write while it had models/die3.md2, and again at the second try'
    says '9 of 10 sheets in *, 1 failed*'
    [ -z "$(temporary_files)" ]
}

nine_are_made() {
    [ "$(ls out/ten/*.sheetbake 2>/dev/null | wc -l)" = 9 ]
}

@test "both deaths of a page are in the message" {
    write_ten
    PAUSE_AT=/die3.png start_render -j2 ten.yaml
    wait_for_paused
    kill_paused SEGV
    wait_for_paused
    kill_paused ABRT
    finish
    exited 3
    says 'error: die3.png: *signal 11 *; tried again: *signal 6 *'
}

# Three jobs of one model, whose workers the tests kill, and one job of another.
write_bad_and_good() {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/bad.md2
    write_list some assets <<-END
	- {name: 1bad, model: models/bad.md2, cell: 16}
	- {name: 2bad, model: models/bad.md2, cell: 16}
	- {name: 3bad, model: models/bad.md2, cell: 16}
	- {name: good, model: models/die.md2, cell: 8}
	END
}

@test "a model whose pages are made at the second try goes on" {
    write_bad_and_good
    PAUSE_AT=bad.png start_render -j1 some.yaml
    local page
    for page in 1bad 2bad; do
        wait_for_paused
        [[ $(temporary_files) == *$page* ]]
        kill_paused KILL
        wait_for_paused
        [[ $(temporary_files) == *$page* ]]
        kill -CONT "$paused"
    done
    wait_for_paused
    [[ $(temporary_files) == *3bad* ]]
    kill -CONT "$paused"
    finish
    exited 0
    [ "$(files out/some)" = '1bad.json 1bad.png 1bad.sheetbake 2bad.json 2bad.png 2bad.sheetbake 3bad.json 3bad.png 3bad.sheetbake good.json good.png good.sheetbake' ]
    says '4 sheets in *, 2 warnings* -> *'
}

@test "a model that kills the worker of the second try is skipped: nothing more of it is tried" {
    write_bad_and_good
    PAUSE_SIGNAL=11 PAUSE_AT=bad.png start_render -j1 some.yaml
    finish
    exited 3
    [ "$(files out/some)" = 'good.json good.png good.sheetbake' ]
    says 'error: 1bad.png: *signal 11 *models/bad.md2, and again at the second try'
    says 'error: 2bad: not tried: models/bad.md2 killed its worker at the second try, too'
    says 'error: 3bad: not tried: models/bad.md2 killed its worker at the second try, too'
    says '1 of 4 sheets in *, 3 failed*'
    exits 0 render some.yaml
}

@test "a page of a skipped model whose worker dies is not tried again" {
    write_bad_and_good
    PAUSE_AT=bad.png start_render -j2 some.yaml
    until_true two_have_paused
    local second
    second=$(holder_of 2bad)
    paused=$(holder_of 1bad)
    kill_paused SEGV
    until_true two_have_paused
    paused=$(holder_of 1bad)
    kill_paused SEGV
    until_true [ -e out/some/good.png ]
    paused=$second
    kill_paused SEGV
    finish
    exited 3
    [ "$(files out/some)" = 'good.json good.png good.sheetbake' ]
    says 'error: 1bad.png: *signal 11 *, and again at the second try'
    says 'error: 2bad.png: *signal 11 *; not tried again: models/bad.md2 killed its worker at the second try, too'
    says 'error: 3bad: not tried: models/bad.md2 killed its worker at the second try, too'
}

# The worker that writes the page.
holder_of() { # name
    temporary_files | sed -n "s/.*\.$1\.png\.\([0-9]*\)-.*/\1/p"
}

@test "with --fail-fast a page whose worker died is tried again, and then decides" {
    write_bad_and_good
    PAUSE_SIGNAL=11 PAUSE_AT=2bad.png start_render --fail-fast -j1 some.yaml
    finish
    exited 3
    [ "$(files out/some)" = '1bad.json 1bad.png 1bad.sheetbake' ]
    says 'error: 2bad.png: *signal 11 *, and again at the second try'
    PAUSE_ONCE=1 PAUSE_SIGNAL=11 PAUSE_AT=2bad.png start_render --fail-fast -j1 some.yaml
    finish
    exited 0
    [ -e out/some/good.png ]
}

@test "the pages behind a first page that was lost are made when it is, at the second try" {
    write_list pages <<<"- {name: die, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}"
    render pages.yaml
    mv out/pages expected
    # At the very start, so that nobody knows yet how many pages there are
    PAUSE_ONCE=1 PAUSE_SIGNAL=9 PAUSE_AT=/die.png start_render -j2 pages.yaml
    finish
    exited 0
    diff -r expected out/pages
}

@test "every worker may die" {
    write_ten
    PAUSE_SIGNAL=9 PAUSE_AT=.png start_render -j2 ten.yaml
    finish
    exited 3
    [ -z "$(files out)" ]
    says 'error: die9: not tried: models/die.md2 killed its worker at the second try, too'
    says '0 of 10 sheets in *, 10 failed*'
}

@test "the other pages of a job are not tried when both tries of its first kill their workers" {
    write_list pages <<<"- {name: die, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}"
    PAUSE_SIGNAL=9 PAUSE_AT=/die.png start_render -j1 pages.yaml
    finish
    exited 3
    [ -z "$(files out/pages)" ]
    says 'error: die.png: *'
    says 'error: die, page 2: not tried: models/die.md2 killed its worker at the second try, too'
    says '0 of 3 sheets*'
}

@test "a page lost between its PNG and its record leaves no temporary file" {
    write_ten
    PAUSE_SIGNAL=9 PAUSE_AT=/die3.sheetbake start_render -j1 ten.yaml
    finish
    exited 3
    says 'error: die3.png: *'
    [ -z "$(temporary_files)" ]
    [ ! -e out/ten/die3.sheetbake ]
}

@test "a record describes the files beside it, or is not there, whenever the worker is killed" {
    local name
    for name in die.png die.normal.png die.json die.sheetbake; do
        write_list one <<<'- {name: die, model: models/die.md2, cell: 16, passes: [color, normal], metadata: [json, godot]}'
        exits 0 render one.yaml
        sed -i 's/cell: 16/cell: 24/' one.yaml
        PAUSE_AT=/$name start_render -j1 one.yaml
        wait_for_paused
        [ "$(temporary_files)" ]
        kill_paused KILL
        wait_for_paused
        kill_paused KILL
        finish
        exited 3
        [ -z "$(temporary_files)" ]
        [[ $(files out/one) != *json* && $(files out/one) != *sheetbake* ]]
    done
}

# -- Time --

@test "--timeout ends a page that takes too long" {
    write_list slow <<<"- {name: slow, model: models/die.md2, cell: 1024, supersample: 4, sampling: {count: 64}, animations: [stand], sheet: {columns: 8, max_size: 8192}}"
    exits 3 render --timeout 1.5 slow.yaml
    says 'error: slow*: not done after [1-9]* s (at most 1.5 s) in stage * with models/die.md2: *--timeout*'
    [ -z "$(files out/slow)" ]
    [ -z "$(temporary_files)" ]
}

@test "a time limit shorter than the start of a worker counts for pages only" {
    write_list slow <<<"- {name: slow, model: models/die.md2, cell: 1024, supersample: 4, sampling: {count: 16}, animations: [stand]}"
    exits 3 render --timeout 0.001 slow.yaml
    says 'error: slow*: not done after [0-9]* s (at most 0.001 s) *with models/die.md2: *--timeout*'
}

@test "a page that was about to be written when its time was up leaves no temporary file, and the others are made" {
    write_ten
    set_apart die3
    PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png start_render -j1 --timeout 200 ten.yaml
    finish
    exited 3
    # Both times may be told alike, and then once
    says 'error: die3.png: not done after [1-9]* s (at most 200 s) in stage write with models/die3.md2: *--timeout*@(second try|tried again: *)'
    all_ten_but die3
}

# -- Signals --

@test "an interrupted run ends with 128 and the signal, and no temporary files" {
    write_ten
    local signal number
    for signal in INT:130 TERM:143 HUP:129; do
        number=${signal#*:}
        rm -rf out
        PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png start_render --timeout 0 -j2 ten.yaml
        wait_for_paused
        [ "$(temporary_files | wc -l)" -ge 1 ]
        local children
        children=$(workers)
        kill -"${signal%:*}" "$sheetbake_pid"
        finish
        exited "$number"
        says 'interrupted: * of 10 sheets*'
        [ -z "$(temporary_files)" ]
        [ ! -e out/ten/die3.png ]
        for child in $children; do
            is_gone "$child"
        done
    done
}

@test "Ctrl-C on a terminal, which reaches the workers as well, ends the run in the same way" {
    write_ten
    PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png LD_PRELOAD=$TOOLS/pause_at_rename.so \
        setsid env --default-signal=INT "$SHEETBAKE" render --timeout 0 -j2 ten.yaml >stdout 2>stderr 3>&- &
    sheetbake_pid=$!
    wait_for_paused
    kill -INT -- -"$sheetbake_pid"
    finish
    exited 130
    [ -z "$(temporary_files)" ]
}

@test "sheets that were finished before the signal stay, and a later run makes the rest" {
    write_ten
    PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png start_render --timeout 0 -j1 ten.yaml
    wait_for_paused
    kill -TERM "$sheetbake_pid"
    finish
    exited 143
    [ "$(files out/ten)" = 'die0.json die0.png die0.sheetbake die1.json die1.png die1.sheetbake die2.json die2.png die2.sheetbake' ]
    exits 0 render -j1 ten.yaml
    all_ten_but
}

@test "workers do not outlive a supervisor that is killed" {
    write_ten
    PAUSE_AT=/die3.png start_render -j2 ten.yaml
    wait_for_paused
    local child children
    children=$(workers)
    kill -KILL "$sheetbake_pid"
    finish
    for child in $children; do
        until_true is_gone "$child"
    done
}

# -- Places that cannot be written to --

@test "an output folder that is a file is an error before anything is drawn" {
    write_ten
    mkdir out
    touch out/ten
    exits 2 render ten.yaml
    says 'sheetbake: out/ten: exists and is not a folder'
    [[ $stderr != *die0* ]]
    rm out/ten
    touch file
    exits 2 render -o file/below ten.yaml
    says 'sheetbake: file*'
    ln -s nowhere link
    exits 2 render -o link/below ten.yaml
    says 'sheetbake: link: exists and leads to no folder: No such file or directory'
}

@test "an output folder that cannot be made is an error before anything is drawn" {
    write_ten
    exits 2 render -o /proc/sheets ten.yaml
    says 'sheetbake: /proc/sheets: cannot make this folder: *'
}

@test "an output folder without write permission is an error before anything is drawn" {
    write_ten
    mkdir -p out/ten
    chmod 555 out/ten
    run --separate-stderr as_other "$SHEETBAKE" render ten.yaml
    chmod 755 out/ten
    exited 2
    says 'sheetbake: out/ten: Permission denied'
    [ -z "$(files out)" ]
}

@test "an output folder without write permission is fine when there is nothing to do" {
    write_ten
    render -q ten.yaml
    rm out/ten/.sheetbake.lock
    chmod 555 out/ten
    run --separate-stderr as_other "$SHEETBAKE" render ten.yaml
    exited 0
    says 'nothing to do: 10 sheets up to date *'
    run --separate-stderr as_other "$SHEETBAKE" render --force ten.yaml
    chmod 755 out/ten
    exited 2
    says 'sheetbake: out/ten: Permission denied'
    [ ! -e out/ten/.sheetbake.lock ]
}

@test "a folder in the name of a job that cannot be made fails that job" {
    write_list deep <<-END
	- {name: die, model: models/die.md2, cell: 8}
	- {name: under/die, model: models/die.md2, cell: 8}
	END
    mkdir -p out/deep
    touch out/deep/under
    exits 3 render deep.yaml
    says 'error: under/die.png: out/deep/under: exists and is not a folder'
    [ "$(files out/deep)" = 'die.json die.png die.sheetbake under' ]
}

@test "a sheet whose name is taken by a folder fails, and leaves no temporary file" {
    write_ten
    mkdir -p out/ten/die3.png out/ten/die5.json
    exits 3 render ten.yaml
    says 'error: die3.png: out/ten/die3.png: cannot rename *: Is a directory'
    says 'error: die5.png: out/ten/die5.json: cannot remove *: Is a directory'
    [ -z "$(temporary_files)" ]
}

@test "what does not fit is an error that says so, without temporary files, and the others are made" {
    write_list big <<-END
	- {name: small, model: models/die.md2, cell: 16, animations: []}
	- {name: large, model: models/die.md2, cell: 1024, cameras: {directions: 4, name: c}}
	- {name: little, model: models/die.md2, cell: 16, animations: []}
	END
    (
        ulimit -f 40 # blocks of 1024 bytes a file, as if the disk were full
        exec "$SHEETBAKE" render -j2 big.yaml
    ) 2>stderr || status=$?
    stderr=$(cat stderr) output=
    exited 3
    says 'error: large.png: out/big/large.png: cannot write [0-9]* bytes: File too large'
    [ "$(files out/big)" = 'little.json little.png little.sheetbake small.json small.png small.sheetbake' ]
}

# -- Runs side by side, and the same twice --

@test "two runs at once into the same folder both end well and leave whole files" {
    write_list same <<-END
	defaults: {cell: 24, cameras: [front, left, top, three_quarter]}
	jobs:
	$(for i in {1..12}; do echo "- {name: die$i, model: models/die.md2}"; done)
	END
    "$SHEETBAKE" render -q same.yaml
    mv out/same expected
    "$SHEETBAKE" render -q -j2 same.yaml 3>&- &
    local first=$!
    "$SHEETBAKE" render -q -j2 same.yaml
    wait $first
    diff -r expected out/same
}

# bats test_tags=quick
@test "neither the number of workers nor a second run changes a byte" {
    write_list bytes <<-END
	defaults: {cell: 24, cameras: [front, three_quarter, {name: lens, yaw: 20, projection: perspective}]}
	jobs:
	- {name: md2, model: models/die.md2}
	- {name: pages, model: models/die.md2, sheet: {max_size: 72}}
	- {name: split, model: models/die.md5mesh, split: animation, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim}]}
	- {name: one, model: models/die.md2, fit: {scope: group}, supersample: 4}
	- {name: two, model: models/die.md5mesh, fit: {scope: group}, animations: [{file: anims/hop.md5anim}], supersample: 1}
	- {name: plain, model: models/die.md2, fit: {scope: frame}, cell: [10, 31]}
	END
    local workers
    for workers in 1 2 8 8; do
        exits 0 render -j$workers bytes.yaml
        [ -e expected ] || cp -r out/bytes expected
        diff -r expected out/bytes
    done
    [ "$(find expected -type f ! -name .sheetbake.lock | wc -l)" = 27 ]
    # Nor does the place
    mkdir elsewhere
    cd elsewhere
    "$SHEETBAKE" render -q -o sheets ../bytes.yaml
    diff -r ../expected sheets
}

@test "neither changes a byte of packed and trimmed sheets, with skins, attachments and grounds" {
    local root workers
    root=$(realpath "$BATS_TEST_DIRNAME/..")
    write_list bytes "[$root/golden/assets, $root/../jobs/assets]" <<-END
	defaults: {cell: 32, sampling: {count: 3}, animations: [run, stand]}
	jobs:
	- {name: packed, model: models/plum/plum.md2, skins: all, outline: {width: 1.5}, sheet: {layout: packed, trim: true, max_size: 96, bleed: 2, power_of_two: true}, metadata: [aseprite, godot]}
	- name: passes
	  model: models/plum/plum.md2
	  cameras: [front, isometric]
	  ground: shadow
	  passes: [normal, depth, mask, uv, wireframe, clay, bounds]
	  sheet: {layout: packed, trim: true, padding: 1, extrude: 1, max_size: 64}
	  fit: {scope: together}
	- name: parts
	  model: models/pip/pip.md5mesh
	  animations: [{file: walk.md5anim}, {file: wave.md5anim}]
	  skin: {models/pip/shell: golden/shine, models/pip/face: golden/glow, models/pip/cloth: golden/glass}
	  attach: [{model: models/plum/plum.md2, at: hand_r, scale: 0.4, animation: run}, {name: other, model: models/plum/plum.md2, offset: [40, 0, 0], skin: models/plum/lime.tga}]
	  sockets: [hand_l, head]
	  ground: contact
	  background: {gradient: ['#406080', '#e0e8f0']}
	  light: rim
	  split: animation
	  passes: [mask, skeleton]
	  metadata: [aseprite]
	  fit: {scope: together}
	- {name: grid, model: models/plum/plum.md2, ground: grid, background: checkerboard, cameras: {directions: 5, pitch: 20, projection: perspective, name: around}, sheet: {trim: true}, light: topdown}
	END
    for workers in 1 2 8 8; do
        exits 0 render -j$workers bytes.yaml
        [ -e expected ] || cp -r out/bytes expected
        diff -r expected out/bytes
    done
    [ -e expected/packed@1.png ]
    [ -e expected/passes@2.bounds.png ]
    [ -e expected/parts@wave.mask.png ]
}
