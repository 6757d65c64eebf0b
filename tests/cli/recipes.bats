# Not under the sanitizers: examples of the docs.

# Runs the files of docs/recipes; only their paths are replaced.
load sheets
load background

setup() {
    RECIPES=$BATS_TEST_DIRNAME/../../docs/recipes
    work_in_empty_folder
    mkdir jobs bin
    ln -s "$SHEETBAKE" bin/sheetbake
    PATH=$PWD/bin:$PATH SHEETBAKE=sheetbake
    cp -r "$DIE" jobs/assets
    write_jobs die ball
}

teardown() {
    end_render
}

# The list that recipes name, with a job for each argument; sheets go to out/demo.
write_jobs() { # names...
    printf 'version: 1\nassets: assets\noutput: ../out/demo\ndefaults: {cell: 16}\njobs:\n' >jobs/demo.yaml
    printf -- '- {name: %s, model: models/die.md2}\n' "$@" >>jobs/demo.yaml
}

has_program() {
    command -v "$1" >/dev/null || skip "there is no $1"
}

expect_all_sheets() { # folder
    [ "$(files "$1")" = 'ball.json ball.png ball.sheetbake die.json die.png die.sheetbake' ]
}

mend_model() {
    cp "$DIE/models/die.md2" jobs/assets/models/die.md2
}

break_model() {
    echo broken >jobs/assets/models/die.md2
}

# Sets all times of files back, because the clock of files is coarse.
let_time_pass() {
    find jobs -exec touch -d '1 hour ago' {} +
    touch -d '1 minute ago' build/sprites.stamp build/sprites.stamp.d
    touch -d '30 seconds ago' reference
}

# What make and ninja have in common.
expect_runs_when_needed() { # command...
    "$@"
    expect_all_sheets out/demo
    let_time_pass
    "$@"
    [ ! build/sprites.stamp -nt reference ]
    touch jobs/assets/models/die.md2
    "$@"
    [ build/sprites.stamp -nt reference ]
    let_time_pass
    break_model
    run "$@"
    [ "$status" != 0 ]
    mend_model
    "$@"
    [ build/sprites.stamp -nt reference ]
}

@test "make bakes when something has changed, and only then" {
    has_program make
    expect_runs_when_needed make -f "$RECIPES/sprites.mk"
}

@test "make goes on when a file is gone" {
    has_program make
    make -f "$RECIPES/sprites.mk"
    let_time_pass
    mv jobs/assets/models/die.md2 jobs/assets/models/cube.md2
    sed -i s/die.md2/cube.md2/ jobs/demo.yaml
    make -f "$RECIPES/sprites.mk"
}

@test "ninja bakes when something has changed, and only then" {
    has_program ninja
    expect_runs_when_needed ninja --quiet -f "$RECIPES/build.ninja"
    ninja -n -f "$RECIPES/build.ninja" | grep -q 'no work to do'
}

# Runs a command as cron does: with the variables of the file, and few others.
run_crontab() {
    sed -n 's/^\*[^ ]* \* \* \* \* //p' "$RECIPES/crontab" >line
    [ "$(wc -l <line)" = 1 ]
    run env -i HOME="$HOME" PATH="$PATH" SPRITES="$PWD" sh -c "$(cat line)"
}

@test "the crontab's line is silent unless something fails" {
    run_crontab
    [ "$status" = 0 ] && [ -z "$output" ]
    expect_all_sheets out/demo
    break_model
    run_crontab
    [[ $output == *'models/die.md2'* ]]
}

@test "the crontab's line is silent while the run before is at work" {
    PAUSE_AT=/die.png start_render jobs/demo.yaml
    wait_for_paused
    run_crontab
    [ "$status" = 0 ] && [ -z "$output" ]
}

@test "systemd finds nothing wrong with the service and the timer" {
    has_program systemd-analyze
    sed "s|^ExecStart=|&$PWD/bin/|" "$RECIPES/sheetbake.service" >sheetbake.service
    cp "$RECIPES/sheetbake.timer" .
    run systemd-analyze verify --man=no ./sheetbake.service ./sheetbake.timer
    [ "$status" = 0 ] && [ -z "$output" ]
}

@test "the service's command bakes" {
    local line
    line=$(sed -n 's|^ExecStart=||p' "$RECIPES/sheetbake.service")
    mkdir log
    eval "${line//\/var\/log\/sheetbake/log}"
    expect_all_sheets out/demo
    [ "$(jq -r 'select(.type == "run").exitCode' log/last.jsonl)" = 0 ]
}

# Every shard of a command for one shard of four, by the variables of its system.
run_shards() { # index variable, base, total variable, command
    local index
    for index in 0 1 2 3; do
        env "$1=$((index + $2))" "$3=4" sh -ec "$4"
    done
    expect_all_sheets out/demo
    sheetbake verify -q jobs/demo.yaml
}

@test "the command of GitHub Actions bakes, with report and log" {
    local command
    command=$(grep -o 'bin/sheetbake render.*' "$RECIPES/github-shards.yml")
    command+=$'\n'$(sed -n '/^ *jq /,/SUMMARY"$/p' "$RECIPES/github-shards.yml")
    LIST=jobs/demo.yaml GITHUB_STEP_SUMMARY=summary run_shards SHEETBAKE_SHARD_INDEX 0 SHEETBAKE_SHARD_TOTAL "$command"
    [ -s log.jsonl ] && [ -s report.xml ]
    [ "$(sort summary)" = "$(printf -- '- %s.png: made, new\n' ball die)" ]
    LIST=jobs/demo.yaml sh -ec "$(grep -o 'bin/sheetbake verify "$LIST"' "$RECIPES/github-shards.yml")"
}

@test "no recipe has a list of libraries of its own: the build writes down what the program needs" {
    local file
    for file in "$RECIPES"/*.yml "$RECIPES/../../Dockerfile"; do
        never grep -nE 'install.* lib|^ +lib[a-z]' "$file"
    done
    for file in github.yml github-shards.yml gitlab-ci.yml ../../Dockerfile; do
        grep -qE 'apt-get install .*\$\(cat [^ ]*/packages\)' "$RECIPES/$file"
    done
}

@test "the command of GitLab CI bakes, with report and log" {
    local command
    command=$(sed -n '/bin\/sheetbake render/,/"$LIST"/s|^ *\(.sheetbake/bin/\)\?||p' "$RECIPES/gitlab-ci.yml")
    LIST=jobs/demo.yaml run_shards CI_NODE_INDEX 1 CI_NODE_TOTAL "$command"
    [ -s log.jsonl ] && [ -s report.xml ]
}

@test "the command of the Kubernetes job bakes, as many shards as it has completions" {
    local command
    command=$(sed -n 's/^ *args: \[\(.*\)\]$/\1/p' "$RECIPES/kubernetes-job.yaml" | tr -d ,)
    command=${command//\/assets\//}
    run_shards SHEETBAKE_SHARD_INDEX 0 SHEETBAKE_SHARD_TOTAL "sheetbake ${command//\/sheets/out\/demo}"
    grep -q 'completions: 4 ' "$RECIPES/kubernetes-job.yaml"
    grep -qF "fieldPath: \"metadata.annotations['batch.kubernetes.io/job-completion-index']" "$RECIPES/kubernetes-job.yaml"
    grep -q '{name: SHEETBAKE_SHARD_TOTAL, value: "4"}' "$RECIPES/kubernetes-job.yaml"
}

@test "the Kubernetes cron job runs what the job runs" {
    diff <(sed -n '/^spec:$/,/^---$/p; /^---$/q' "$RECIPES/kubernetes-job.yaml" | sed '1d; $d; s/^/    /') \
        <(sed '1,/^    spec:$/d' "$RECIPES/kubernetes-cronjob.yaml")
}

@test "the Slurm script is a shell's, and bakes" {
    bash -n "$RECIPES/slurm.sbatch"
    local id
    for id in 1 2 3 4; do
        SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_STEP=1 \
            SLURM_ARRAY_TASK_COUNT=4 bash "$RECIPES/slurm.sbatch" -q jobs/demo.yaml
    done
    expect_all_sheets out/demo
}

@test "recipes name no release, for there is none to fetch" {
    never grep -nE 'sheetbake[:@-]v?[0-9]+\.|ref: *v?[0-9]' "$RECIPES"/*
}

@test "P4Thumb's command draws a thumbnail" {
    has_program jq
    local arguments=() argument
    while IFS= read -r argument; do
        argument=${argument//'$FILEIN'/jobs/assets/models/die.md2}
        arguments+=("${argument//'$FILEOUT'/thumbnail.png}")
    done < <(jq -r '.conversions[0].arguments[]' "$RECIPES/p4thumb.json")
    sheetbake "${arguments[@]}"
    [ "$(size_of thumbnail.png)" = 160x160 ]
    # It reads what is listed.
    jq -r '.conversions[0].extensions[] | "." + .' "$RECIPES/p4thumb.json" | while IFS= read -r argument; do
        sheetbake info --formats | grep -qE "[ (^]\\$argument( |$)"
    done
}

@test "Manyfold's library gets a picture beside each file, and only where it is missing or old" {
    cp jobs/assets/models/die.md2 'jobs/assets/a die.md2'
    sh "$RECIPES/manyfold.sh" jobs/assets
    [ -s 'jobs/assets/a die.md2-thumb.png' ]
    local count
    count=$(find jobs/assets -name '*-thumb.png' | wc -l)
    [ "$count" -ge 3 ]
    find jobs/assets -name '*-thumb.png' -exec sh -c ': >"$1"' - {} \; # newer, and empty
    touch -d '1 hour ago' jobs/assets/models/*.md2
    touch -d '1 hour' jobs/assets/models/die.md2
    sh "$RECIPES/manyfold.sh" jobs/assets
    [ -s jobs/assets/models/die.md2-thumb.png ]
    [ ! -s 'jobs/assets/a die.md2-thumb.png' ]
}
