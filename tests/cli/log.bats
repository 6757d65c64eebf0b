# Not under the sanitizers: words; trouble writes logs.
load sheets
load fields
load background

# --log, compared with docs/log.md.

PAGE=$BATS_TEST_DIRNAME/../../docs/log.md

setup() {
    work_in_empty_folder
}

teardown() {
    end_render
}

# Three jobs: one that succeeds, one of two pages, one that fails.
write_three() {
    cp -r "$DIE" assets
    printf IDP2 >assets/models/broken.md2
    write_list three "$PWD/assets" <<'END'
defaults: {cell: 16, animations: [hop]}
jobs:
  - {name: one, model: models/die.md2, rules: {triangles: {warn: 1}}}
  - {name: two, model: models/die.md2, sheet: {max_size: 16}}
  - {name: bad, model: models/broken.md2}
END
}

pages() { # jq filter
    jq -r "select(.type == \"page\") | $1" log
}

@test "the fields of a log are those of docs/log.md" {
    write_three
    exits 3 render --log log three.yaml
    pages . | jq . >pages.json
    jq 'select(.type == "run")' log >run.json
    agree "A page" pages.json
    agree "A run" run.json
    # ... and each line has all of them
    [ "$(jq -c 'select(.type == "page") | keys' log | sort -u | wc -l)" = 1 ]
}

@test "a log has a line for each page and one for the run" {
    write_three
    exits 3 render -j 2 --log log three.yaml
    [ "$(pages '[.list, .job, .page, .sheet, .status, .attempts] | @csv' | sort)" = '"three","bad",0,,"failed",1
"three","one",0,"one.png","made",1
"three","two",0,"two.png","made",1
"three","two",1,"two@1.png","made",1' ]
    [ "$(jq -c 'select(.type == "run") | [.counts.made, .counts.failed, .exitCode, .workers, .lists[0].jobs]' log)" = '[3,1,3,2,3]' ]
    [ "$(tail -n 1 log | jq -r .type)" = run ]
    [ "$(pages 'select(.job == "bad") | [.reason, .stage, .line] | @csv')" = \
        '"models/broken.md2: 4 bytes are too few for the header of 68","load",8' ] || pages 'select(.job == "bad")'
}

@test "the stages of a page add up to its time" {
    write_three
    render --log log three.yaml
    [ "$(pages 'select(.status == "made") | .seconds - (.stages | .load + .pose + .draw + .encode + .write) | fabs < 0.0001' |
        sort -u)" = true ]
    [ "$(pages 'select(.sheet == "one.png") | .stages | .load > 0 and .pose > 0 and .draw > 0 and .encode > 0 and .write > 0')" = true ]
}

@test "the inputs in a log are those in the JSON of the page" {
    write_three
    render --log log three.yaml
    for sheet in one two two@1; do
        [ "$(pages "select(.sheet == \"$sheet.png\") | .inputs" | jq -cS .)" = \
            "$(jq -cS .inputs "out/three/$sheet.sheetbake")" ]
    done
    [ "$(pages 'select(.sheet == "one.png") | .inputs["models/die.md2"] | length')" = 32 ]
}

@test "all pages of a packed sheet are in the log, with the time of the first" {
    write_list packed <<'END'
defaults: {cell: 32, animations: [hop]}
jobs: [{name: it, model: models/die.md2, sheet: {layout: packed, max_size: 64, padding: 1}}]
END
    exits 0 render --log log packed.yaml
    local count
    count=$(find out/packed -name '*.png' | wc -l)
    [ "$count" -gt 1 ]
    [ "$(pages .sheet | wc -l)" = "$count" ]
    [ "$(pages 'select(.madeWith == "it.png" and .seconds == 0) | .sheet' | wc -l)" = $((count - 1)) ]
}

@test "warnings of a job are in the log with the first of its pages" {
    cp -r "$DIE" assets
    rm assets/textures/die.png
    write_list plain "$PWD/assets" <<<'- {name: it, model: models/die.md2, cell: 16}'
    exits 0 render --log log plain.yaml
    [ "$(pages '.warnings | length')" = 1 ]
    [[ $(pages '.warnings[0]') == *"drawn untextured"* ]]
    [ "$(jq 'select(.type == "run") | .counts.warnings' log)" = 1 ]
}

@test "pages that are up to date are in the log and the report, with what went into them" {
    write_three
    render --log first three.yaml
    touch assets/textures/new.png
    rm out/three/two@1.png
    exits 3 render -j 1 --log log --junit junit.xml three.yaml
    [ "$(pages '[.sheet, .status, .reason, .worker, .seconds > 0] | @csv' | grep -v '^,' | sort)" = \
        '"one.png","up-to-date",,,false
"two@1.png","made","two@1.png is missing",0,true
"two.png","up-to-date",,,false' ] || pages '[.sheet, .status, .reason, .worker, .seconds > 0] | @csv'
    for sheet in one two two@1; do
        [ "$(pages "select(.sheet == \"$sheet.png\") | .inputs" | jq -cS .)" = \
            "$(jq -cS "select(.sheet == \"$sheet.png\") | .inputs" first)" ]
    done
    [ "$(jq -c 'select(.type == "run") | .counts | [.made, .upToDate, .failed]' log)" = '[1,2,1]' ]
    [ "$(xmllint --xpath 'concat(/testsuites/@tests, " ", /testsuites/@failures, " ", /testsuites/@skipped)' junit.xml)" = '4 1 0' ]
}

@test "a log to standard output has nothing else there" {
    write_three
    exits 3 render --log - three.yaml
    [ "$(jq -r .type <<<"$output" | sort | uniq -c | tr -s ' ' | tr '\n' ,)" = ' 4 page, 1 run,' ]
    says 'error: bad: *'
}

@test "a log begins anew with each run, and not before its lists are read" {
    write_three
    echo old >log
    exits 2 render --log log nothing.yaml
    [ "$(jq -r '[.type, .exitCode, (.problems | length)] | @csv' log)" = '"run",2,1' ]
    render --log log --only one three.yaml
    [ "$(jq -r .type log | tr '\n' ,)" = page,run, ]
    [ "$(jq -r 'select(.type == "run") | .only' log)" = one ]
}

@test "a run that is locked out does no harm to the log of the other" {
    write_ten
    PAUSE_AT=/die3.png start_render -j1 --log log ten.yaml
    wait_for_paused
    exits 6 render --lock fail --log log ten.yaml
    kill -CONT "$paused"
    finish
    exited 0
    [ "$(jq -r '.exitCode // .type' log | sort | uniq -c | tr -s ' ' | tr '\n' ,)" = ' 1 0, 1 6, 10 page,' ]
}

@test "a run that ends has its folder until its log is whole, for the next one may begin the same log" {
    write_ten
    STOP_AT_LINE='{"type":"run"' LD_PRELOAD=$TOOLS/trouble.so "$SHEETBAKE" render -q --log log ten.yaml 3>&- &
    sheetbake_pid=$!
    until_true eval '[ "$(state_of "$sheetbake_pid")" = T ]'
    exits 6 render --lock fail ten.yaml
    kill -CONT "$sheetbake_pid"
    wait "$sheetbake_pid"
    sheetbake_pid=
    [ "$(tail -n 1 log | jq -r .type)" = run ]
}

@test "a log that cannot be made ends the run before it begins" {
    write_three
    exits 2 render --log no/such/log three.yaml
    says 'sheetbake: no/such/log: cannot write the log: No such file or directory'
    [ ! -e out ]
}

@test "a full disk costs the log, not the sheets" {
    write_three
    exits 2 render --log /dev/full --only one three.yaml
    says 'sheetbake: /dev/full: cannot write the log: No space left on device'
    [ "$(files out/three)" = 'one.json one.png one.sheetbake' ]
    exits 3 render --log /dev/full three.yaml
}

@test "no line of a full disk is cut" {
    write_three
    run bash -c 'ulimit -f 1; trap "" XFSZ; exec "$SHEETBAKE" render -q --log log three.yaml'
    [ "$status" -ne 0 ]
    [ "$(jq -r .type log | sort -u)" = page ]
}

# A worker that has paused may be ahead of the supervisor.
has_pages() { # how many
    [ "$(jq -c . log 2>/dev/null | wc -l)" = "$1" ]
}

@test "the log of a run that is killed has whole lines, of pages that ended" {
    write_ten
    PAUSE_AT=/die3.png start_render -q -j1 --log log ten.yaml
    wait_for_paused
    until_true has_pages 3
    kill -KILL "$sheetbake_pid"
    finish
    exited 137
    [ "$(jq -r '.type + " " + .sheet' log | tr '\n' ,)" = 'page die0.png,page die1.png,page die2.png,' ]
}

# Kills each worker that stops at the rename of it.png.
kill_all_paused() { # signal
    local worker
    while kill -0 "$pid" 2>/dev/null; do
        for worker in $(pgrep -P "$pid"); do
            grep -q '^State:.T' "/proc/$worker/status" 2>/dev/null && kill "-$1" "$worker"
        done
        sleep 0.02
    done
}

@test "a page whose worker was killed has the signal, the stage and the worker's memory" {
    write_list one <<<'- {name: it, model: models/die.md2, cell: 16}'
    PAUSE_AT=it.png LD_PRELOAD=$TOOLS/pause_at_rename.so \
        "$SHEETBAKE" render --log log --junit junit.xml one.yaml 2>/dev/null 3>&- &
    local pid=$! status=0
    kill_all_paused KILL
    wait $pid || status=$?
    [ $status = 3 ]
    [ "$(pages '[.status, .stage, .signal, .attempts, .peakKiB > 1000, .seconds > 0] | @csv')" = \
        '"failed","write","SIGKILL",2,true,true' ]
    [[ $(xmllint --xpath 'string(//failure)' junit.xml) == *'stage: write
signal: 9 (Killed)
attempts: 2' ]]
}

@test "pages that wait for another try have their last one, whether the model is skipped or the run ends" {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/bad.md2
    write_list some assets <<-END
	- {name: 1bad, model: models/bad.md2, cell: 16}
	- {name: 2bad, model: models/bad.md2, cell: 16}
	- {name: 3bad, model: models/bad.md2, cell: 16}
	END
    PAUSE_SIGNAL=6 PAUSE_AT=bad.png LD_PRELOAD=$TOOLS/pause_at_rename.so \
        "$SHEETBAKE" render -q -j1 --log log some.yaml 2>/dev/null || true
    [ "$(pages '[.job, .status, .stage, .signal, .attempts, .worker, .seconds > 0] | @csv')" = \
        '"1bad","failed","write","SIGABRT",2,0,true
"2bad","failed",,,0,,false
"3bad","failed",,,0,,false' ]

    PAUSE_PASSES_TIME=1 PAUSE_AT=bad.png start_render -q --timeout 0 -j1 --log log some.yaml
    wait_for_paused
    kill_paused ABRT
    wait_for_paused
    kill -TERM "$sheetbake_pid"
    finish
    exited 143
    [ "$(pages '[.job, .status, .stage, .signal, .attempts] | @csv')" = \
        '"1bad","cancelled","write",,2' ]
    [ "$(jq -c 'select(.type == "run") | .counts | [.cancelled, .notBegun]' log)" = '[1,2]' ]
}

@test "a page that takes too long has the stage, and no signal" {
    write_list one <<<'- {name: it, model: models/die.md2, cell: 16}'
    PAUSE_PASSES_TIME=1 PAUSE_AT=it.png start_render --timeout 200 --log log one.yaml
    finish
    exited 3
    [ "$(pages '[.status, .stage, .signal] | @csv' | tail -n 1)" = '"failed","write",' ]
}

@test "a run that is interrupted says so in the log" {
    write_ten
    PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png start_render -q --timeout 0 -j1 --log log ten.yaml
    wait_for_paused
    kill -TERM "$sheetbake_pid"
    finish
    exited 143
    [ "$(jq -r 'select(.type == "run") | [.reason, .exitCode, .counts.notBegun] | @csv' log)" = '"interrupted",143,6' ]
}
