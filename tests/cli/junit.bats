# Not under the sanitizers: a short text; test_junit.
load sheets
load background

# --junit, as docs/log.md describes it.

setup() {
    work_in_empty_folder
}

teardown() {
    end_render
}

# A job of two pages, and one that fails with characters that XML must escape.
write_jobs() {
    cp -r "$DIE" assets
    printf IDP2 >"assets/models/b<a>&'d.md2"
    write_list some "$PWD/assets" <<'END'
defaults: {cell: 16, animations: [hop]}
jobs:
  - {name: two, model: models/die.md2, sheet: {max_size: 16}}
  - {name: "b&'d", model: "models/b<a>&'d.md2"}
END
}

xpath() { # expression
    xmllint --xpath "$1" junit.xml
}

# Fails unless the report matches the schema of JUnit reports.
is_junit() {
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" junit.xml
}

@test "a report has a suite for each list and a case for each page, in the order of the lists" {
    write_jobs
    write_list more <<<'- {name: it, model: models/die.md2, cell: 16}'
    exits 3 render --junit junit.xml some.yaml more.yaml
    is_junit
    [ "$(xpath 'string(/testsuites/@tests)') $(xpath 'string(/testsuites/@failures)')" = '4 1' ]
    [ "$(xpath '//testsuite/@name' | tr -d ' \n')" = 'name="some"name="more"' ]
    [ "$(xpath 'count(//testsuite[@name = "some" and @tests = 3 and @failures = 1 and @errors = 0]/testcase)')" = 3 ]
    [ "$(xpath 'string(//testsuite[1]/testcase[1]/@name)')" = two ]
    [ "$(xpath 'string(//testsuite[1]/testcase[2]/@name)')" = 'two (page 2)' ]
    [ "$(xpath 'string(//testcase[@name = "two"]/@file)'):$(xpath 'string(//testcase[@name = "two"]/@line)')" = some.yaml:6 ]
    [ "$(xpath 'count(//testcase[@classname = "some" and @time > 0])')" = 3 ]
}

@test "a failure has its message and its circumstances, whatever is in them" {
    write_jobs
    render --junit junit.xml some.yaml
    is_junit
    [ "$(xpath 'string(//failure/@message)')" = "models/b<a>&'d.md2: 4 bytes are too few for the header of 68" ]
    [ "$(xpath 'string(//failure)' | tail -n +2)" = "some.yaml:7: job 'b&'d' of models/b<a>&'d.md2
stage: load" ]
}

@test "a report of pages that are fine has warnings as output" {
    cp -r "$DIE" assets
    rm assets/textures/die.png
    write_list plain "$PWD/assets" <<<'- {name: it, model: models/die.md2, cell: 16}'
    exits 0 render --junit junit.xml plain.yaml
    is_junit
    [[ $(xpath 'string(//testcase/system-out)') == 'warning: models/die.md2: '*'drawn untextured'* ]]
    [ "$(xpath 'count(//failure) + count(//error)')" = 0 ]
}

@test "lists with problems are errors of the run" {
    write_list bad <<<'- {name: it, modle: models/die.md2, cell: 0}'
    exits 2 render --junit junit.xml bad.yaml
    is_junit
    [[ $(xpath 'string(//testcase[1]/error/@message)') == "bad.yaml:5:"*"'modle'"* ]]
    [[ $(xpath 'string(//testcase[2]/error/@message)') == "bad.yaml:5:"*"'cell'"* ]]
    [ "$(xpath 'string(/testsuites/@errors)')" = "$(xpath 'count(//error)')" ]
}

# Options, and why there is no run.
expect_no_run() {
    local reason=$1
    shift
    render --ci github --log log --junit junit.xml "$@" ten.yaml
    [ "$status" != 0 ]
    is_junit
    [ "$(xpath 'string(/testsuites/@errors)')" = 1 ]
    [[ $(xpath 'string(//error/@message)') == $reason* ]]
    [[ $(jq -r 'select(.type == "run").reason' log) == "$reason" ]]
    says "::error::$reason"
}

@test "a run that cannot begin, or go on, is an error in the report, a reason in the log, and an annotation" {
    write_ten
    touch file
    expect_no_run 'file: exists and is not a folder' -o file
    expect_no_run "no job's name matches --only 'none'; \`*\` stands for any part of a name" --only none
    expect_no_run 'file: exists and is not a folder' --depfile file/x.d
    FORKS=0 LD_PRELOAD=$TOOLS/trouble.so expect_no_run 'cannot start a process: Resource temporarily unavailable'
}

@test "a run that is interrupted leaves a whole report that says so" {
    write_ten
    PAUSE_PASSES_TIME=1 PAUSE_AT=/die3.png start_render -q --timeout 0 -j1 --junit junit.xml ten.yaml
    wait_for_paused
    kill -TERM "$sheetbake_pid"
    finish
    exited 143
    is_junit
    [[ $(xpath 'string(//error/@message)') == interrupted\;*'pages were not begun' ]]
    [ "$(xpath 'string(/testsuites/@skipped)')" = "$(xpath 'count(//skipped)')" ]
    [ "$(find . -name '*.tmp')" = '' ]
}

@test "a report that cannot be written ends the run before it begins" {
    write_jobs
    exits 2 render --junit no/such/junit.xml some.yaml
    says 'sheetbake: cannot write the report: no/such/junit.xml: cannot make a temporary file beside it: No such file or directory'
    local path
    for path in /dev/null /proc/junit.xml "$(printf '%0250d' 1)"; do
        exits 2 render --junit "$path" some.yaml
        says "sheetbake: cannot write the report: *$path*"
    done
    [ ! -e out ]
}
