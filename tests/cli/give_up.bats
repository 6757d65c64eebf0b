# Not under the sanitizers: workers that are killed report nothing.
load sheets
load background

# A run gives up when the workers of many models in a row die. Here lie.c kills them at their first message.

setup() {
    sheetbake_pid=
    work_in_empty_folder
    cp -r "$DIE" assets
}

# Jobs of a model each: PREFIX0, PREFIX1, ...
jobs() { # prefix, count, more keys
    local i
    for ((i = 0; i < $2; i++)); do
        cp assets/models/die.md2 "assets/models/$1$i.md2"
        echo "- {name: $1$i, model: models/$1$i.md2, cell: 8, cameras: [front], animations: [], ${3-}}"
    done
}

# A run whose workers die, with any page, or with pages whose names begin with the second argument.
render_dying() { # how, beginning of names or '', options and lists...
    run --separate-stderr env LIE="$1" ${2:+LIE_ABOUT="$2"} LD_PRELOAD="$TOOLS/lie.so" "$SHEETBAKE" render --log log.jsonl --junit junit.xml "${@:3}"
}

count() { # status
    jq -s --arg status "$1" '[.[] | select(.type == "page" and .status == $status)] | length' log.jsonl
}

@test "a run whose workers all die is given up, and tells what was not tried" {
    jobs die 30 | write_list list assets
    render_dying deny '' -j2 --give-up 5 list.yaml
    exited 5
    says 'sheetbake: given up: the workers of 5 different models in a row died, and no sheet was made in between. *(see sheetbake doctor)*(--timeout, --memory)*: the worker left with status 1 while it had models/die*.md2. --give-up 0 goes on'
    says 'given up*'
    local cancelled
    cancelled=$(count cancelled)
    [ "$cancelled" -ge 24 ] # 5 models at most were tried twice, and one worker was at another
    [ $(($(count failed) + cancelled)) = 30 ]
    jq -se '[.[] | select(.type == "page" and .attempts == 0)] | length >= 23 and all(.reason == "not tried: the run was given up")' log.jsonl
    jq -se '[.[] | select(.type == "page" and .attempts == 1)] | length >= 1 and all(.reason | endswith("; the run ended before it was tried again"))' log.jsonl
    jq -se '.[-1] | .type == "run" and .exitCode == 5 and (.reason | startswith("given up")) and .counts.notBegun == 0' log.jsonl
    [ "$(xmllint --xpath 'count(//testsuite[@name="list"]/testcase[skipped])' junit.xml)" = "$cancelled" ]
    xmllint --xpath 'string(//testcase[@name="the whole run"]/error/@message)' junit.xml | grep -q '^given up'
    [ -z "$(files out)" ]
    exits 0 render -q list.yaml
    [ "$(find out -name '*.png' | wc -l)" = 30 ]
}

@test "twenty models are the default, and --give-up 0 tries all" {
    jobs die 24 | write_list list assets
    render_dying deny '' -q -j1 list.yaml
    exited 5
    says 'sheetbake: given up: the workers of 20 different models in a row *'
    [ "$(jq -s '[.[] | select(.type == "page" and .attempts > 0)] | length' log.jsonl)" = 20 ]
    render_dying deny '' -q -j1 --give-up 0 list.yaml
    exited 3
    [ "$(count failed)" = 24 ]
}

@test "one model that kills its workers does not end a run, however many pages it has" {
    for i in {0..19}; do
        echo "- {name: die$i, model: models/die.md2, cell: 8, cameras: [front], animations: []}"
    done | write_list list assets
    render_dying deny '' -q -j2 --give-up 2 list.yaml
    exited 3
    [ "$(count failed)" = 20 ]
}

@test "many broken models among good ones do not end a run" {
    {
        local i
        for ((i = 0; i < 12; i++)); do
            cp assets/models/die.md2 "assets/models/bad$i.md2"
            cp assets/models/die.md2 "assets/models/good$i.md2"
            printf -- '- {name: %s, model: models/%s.md2, cell: 8, cameras: [front], animations: []}\n' "bad$i" "bad$i" "good$i" "good$i"
        done
    } | write_list list assets
    render_dying deny bad -q -j1 --give-up 2 list.yaml
    exited 3
    [ "$(count made)" = 12 ]
    [ "$(count failed)" = 12 ]
}

# A worker that dies where no second process can be started.
render_without_processes() { # options and lists...
    FORKS=2 LIE=deny LIE_ABOUT=die LD_PRELOAD="$TOOLS/trouble.so:$TOOLS/lie.so" render --log log.jsonl -j1 "$@"
}

@test "a page that could not be retried is reported once, and the run ends as without a process at first" {
    jobs die 1 | write_list list assets
    render_without_processes list.yaml
    exited 5
    says 'sheetbake: cannot start a process: *'
    jq -se 'map(select(.type == "page")) | length == 1 and (.[0].reason | endswith("while it had models/die0.md2; the run ended before it was tried again"))' log.jsonl
    jq -se '.[-1].counts | .failed == 0 and .cancelled == 1' log.jsonl
}

@test "one path in two lists is two models, for their assets may differ" {
    local name
    for name in one other; do
        cp -r "$DIE" "$name.assets"
        write_list $name $name.assets <<<"- {name: $name, model: models/die.md2, cell: 8, cameras: [front], animations: []}"
    done
    render_dying deny '' -q -j1 --give-up 2 one.yaml other.yaml
    exited 5
    says 'sheetbake: given up: the workers of 2 different models *'
    render_dying deny '' -q -j1 --give-up 3 one.yaml other.yaml
    exited 3
    [ "$(jq -s '[.[] | select(.type == "page" and .attempts == 2)] | length' log.jsonl)" = 2 ] # none was skipped
}

@test "a page that takes long while others die is waited for" {
    { jobs good 1 'supersample: 4'; jobs bad 3; } | write_list list assets # it is the costliest, so it comes first
    PAUSE_AT=/good0.png LIE=deny LIE_ABOUT=bad TOO=$TOOLS/lie.so start_render --log log.jsonl -j2 --give-up 3 list.yaml
    wait_for_paused
    until_true three_died
    kill -CONT "$paused"
    finish
    exited 3
    [ "$(count made)" = 1 ]
    [ "$(count failed)" = 3 ]
}

three_died() {
    is_gone "$sheetbake_pid" || [ "$(grep -c 'will be tried again' stderr)" = 3 ]
}

@test "workers that are killed from outside do not end a run" {
    jobs die 8 | write_list list assets
    render_dying killed '' -q -j2 --give-up 2 list.yaml
    exited 3
    [ "$(count failed)" = 8 ]
}

@test "models that fail without their workers do not end a run" {
    jobs die 8 | write_list list assets
    truncate -s 100 assets/models/die?.md2
    exits 3 render --give-up 1 list.yaml
    says '0 of 8 sheets in *, 8 failed -> *'
    [ "$(grep -c '^error: die.: models/die..md2: ' <<<"$stderr")" -ge 8 ]
}

@test "a stalled worker counts as dead" {
    jobs die 4 | write_list list assets
    STALL_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so exits 5 render -j2 --timeout 1 --give-up 2 list.yaml
    says 'sheetbake: given up: the workers of 2 different models*: not done after * s (at most 1 s) in stage * with models/die*.md2: the worker was killed (--timeout). *'
}
