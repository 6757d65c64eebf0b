# bats file_tags=asan
load sheets
load background

# What engines of farms and builds read: --progress openjd, --failed-jobs, and check --json.

write_three() {
    cp -r "$DIE" assets
    write_list three "$PWD/assets" <<-'END'
	defaults: {cell: 16}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: ball, model: models/ball.md2}
	- {name: bad, model: models/bad.md2}
	END
    cp assets/models/die.md2 assets/models/ball.md2
    cp assets/models/die.md2 assets/models/bad.md2
}

# Standard output alone, of which each line is a message as How-Jobs-Are-Run of the specification has it.
expect_messages() {
    [ "$output" ]
    never grep -vE '^openjd_(progress: (100|[1-9]?[0-9])|(status|fail): .+)$' <<<"$output"
    never grep -P '[^\n -~]' <<<"$output"
    sed -n 's/^openjd_progress: //p' <<<"$output" | sort -nuc # they rise
}

@test "--progress openjd tells how far the run is, also when it prints nothing else" {
    write_three
    exits 0 render -q --progress openjd three.yaml
    [ -z "$stderr" ]
    expect_messages
    [[ $output == *$'openjd_progress: 100\nopenjd_status: [3/3]'* ]]
    never grep openjd_fail <<<"$output"
    exits 0 render -q --progress openjd three.yaml # up to date
    expect_messages
    [[ $output == *$'openjd_progress: 100\nopenjd_status: [3/3]'* ]]
    exits 0 render -q three.yaml
    [ -z "$output" ]
}

@test "sheets are made though nobody reads how far the run is" {
    write_three
    "$SHEETBAKE" render -q --progress openjd three.yaml | true
    [ "$(ls out/three | grep -c png)" = 3 ]
}

@test "a long run has two lines for each percent at most" {
    cp -r "$DIE" assets
    { for i in {1..300}; do echo "- {name: j$i, model: models/die.md2, cell: 2, animations: []}"; done; } | write_list many "$PWD/assets"
    exits 0 render -q --progress openjd many.yaml
    expect_messages
    [ "$(wc -l <<<"$output")" -le 202 ]
}

@test "one openjd_fail says why, on one line whatever is in names" {
    write_three
    rm assets/models/bad.md2
    printf broken >$'assets/models/a\nopenjd_env: X=1.md2'
    cat >>three.yaml <<<'- {name: odd, model: "models/a\nopenjd_env: X=1.md2"}'
    exits 3 render --progress openjd three.yaml
    expect_messages
    [ "$(grep -c openjd_fail <<<"$output")" = 1 ]
    says 'openjd_fail: 2 sheets failed: *: *'
    never grep '^ *openjd_' <<<"$stderr"
}

@test "openjd_fail of a list with mistakes, and of a run that is stopped" {
    echo 'jobs: 3' | write_list broken
    exits 2 render --progress openjd broken.yaml
    expect_messages
    says 'openjd_fail: broken.yaml:*'
    write_three
    PAUSE_AT=/die.png start_render --progress openjd three.yaml
    wait_for_paused
    kill -TERM "$sheetbake_pid"
    local code=0
    kill -CONT $(workers)
    wait "$sheetbake_pid" || code=$?
    [ "$code" = 143 ]
    [[ $(tail -n 1 stdout) == 'openjd_fail: interrupted'* ]]
}

@test "no line of ours is taken for one of Open Job Description" {
    write_three
    sed -i 's/name: die/name: "openjd_unset_env"/' three.yaml
    exits 0 render --progress openjd -v three.yaml
    says '?penjd_unset_env: *'
    never grep '^ *openjd_' <<<"$stderr"
    exits 0 render --progress openjd --dry-run --force three.yaml
    says '?penjd_unset_env: --force'
    exits 0 render --dry-run --force three.yaml # nobody listens
    says 'openjd_unset_env: --force'
}

@test "--failed-jobs 0: what its files fail is no failure of the run" {
    write_three
    rm assets/models/bad.md2                # missing
    printf broken >assets/models/ball.md2 # broken
    exits 3 render three.yaml
    exits 0 render --progress openjd --failed-jobs 0 three.yaml
    says 'error: bad: *'
    says 'error: ball: *'
    expect_messages
    says 'openjd_status: * 2 failed*'
    never grep openjd_fail <<<"$output"
    [ "$(files out/three)" = 'die.json die.png die.sheetbake' ]
    exits 0 render --failed-jobs 0 --log log.jsonl three.yaml
    [ "$(jq -c 'select(.type == "run") | [.exitCode, .counts.failed]' log.jsonl)" = '[0,2]' ]
    local number
    for number in 1 2 3 4; do exits 0 render --failed-jobs 0 --shard $number/4 three.yaml; done # also where it has none
}

@test "--failed-jobs 0: warnings are of the files, too" {
    write_three
    rm assets/textures/*
    exits 3 render --strict three.yaml
    exits 0 render --strict --failed-jobs 0 three.yaml
    says 'error: die.png: *--strict)'
}

@test "--failed-jobs 0: what another try may mend stays a failure" {
    write_three
    printf broken >assets/models/ball.md2
    mkdir -p out/three/die.png # cannot be replaced
    exits 3 render --failed-jobs 0 three.yaml
    rmdir out/three/die.png
    exits 0 render --failed-jobs 0 three.yaml
    exits 3 render --failed-jobs 0 --fail-fast --force -j 1 three.yaml # others are not made
    rm assets/models/ball.md2
    exits 3 render --failed-jobs 0 --dry-run three.yaml # looks at no model
}

@test "--failed-jobs 0: a worker that is killed is a failure" {
    write_three
    export ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0
    SIGNAL_AT_MODEL=11 LD_PRELOAD=$TOOLS/trouble.so exits 3 render --failed-jobs 0 three.yaml
}

@test "check --json names the files that render writes" {
    write_list variety <<-'END'
	defaults: {cell: 16, cameras: [front, left]}
	jobs:
	- {name: pages, model: models/die.md2, sheet: {max_size: 32}, metadata: [godot, aseprite], frames: {name: "{clip}-{direction}{frame}.png"}}
	- {name: sub/split, model: models/die.md5mesh, split: animation, passes: [mask, depth], animations: [{file: "anims/*.md5anim"}]}
	- {name: shown, model: models/die.md2, split: camera, previews: {}}
	- {name: compact, model: models/die.md2, metadata: [compact]}
	END
    exits 0 check --json variety.yaml
    [ -z "$stderr" ]
    jq -r '.jobs[].files[]' <<<"$output" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//' >named
    [ "$(jq -r '[.jobs[] | .list + "/" + .job] | join(" ")' <<<"$output")" = 'variety/pages variety/sub/split variety/shown variety/compact' ]
    exits 0 render -q variety.yaml
    [ "$(files out/variety)" = "$(cat named)" ]
}

@test "check --json has atlases" {
    write_list both "$DIE" <<-'END'
	- {name: a, model: models/die.md2, cell: 8, atlas: all, animations: []}
	- {name: b, model: models/die.md2, cell: 8, atlas: all, animations: [], scales: [1, 2]}
	END
    sed -i 's/name: a,/name: a, scales: [1, 2],/' both.yaml
    exits 0 check --json both.yaml
    [ "$(jq -c '.jobs | map([.job, (.files | type)]) | sort' <<<"$output")" = \
        '[["a","array"],["a@2x","array"],["all","null"],["all@2x","null"],["b","array"],["b@2x","array"]]' ]
}

@test "check --json: files that only drawing tells, warnings and failures" {
    cp -r "$DIE" assets
    rm assets/textures/*
    write_list odd "$PWD/assets" <<-'END'
	- {name: packed, model: models/die.md2, cell: 16, sheet: {layout: packed}}
	- {name: gone, model: models/die.md2, cell: 16, animations: [none]}
	END
    exits 3 check --json odd.yaml
    [ "$(jq -c '[.jobs[] | .files, (.warnings | length > 0), (.failures | length)]' <<<"$output")" = '[null,true,0,[],false,1]' ]
    jq -e '.jobs[1].failures[0] | contains("none")' <<<"$output"
}
