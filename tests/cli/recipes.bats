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
    command=$(grep -o 'sheetbake render.*auto.*' "$RECIPES/github-shards.yml")
    command+=$'\n'$(sed -n '/^ *jq /,/SUMMARY"$/p' "$RECIPES/github-shards.yml")
    LIST=jobs/demo.yaml GITHUB_STEP_SUMMARY=summary run_shards SHEETBAKE_SHARD_INDEX 0 SHEETBAKE_SHARD_TOTAL "$command"
    [ -s log.jsonl ] && [ -s report.xml ]
    [ "$(sort summary)" = "$(printf -- '- %s.png: made, new\n' ball die)" ]
    collect
}

# The commands of the last job.
collect() {
    LIST=jobs/demo.yaml sh -ec "$(sed -n '/^  collect:/,$s/^ *- run: //p' "$RECIPES/github-shards.yml")"
}

@test "shards on machines that draw otherwise than the last one are drawn again, and no others" {
    local command index count
    command=$(grep -o 'sheetbake render.*auto.*' "$RECIPES/github-shards.yml")
    write_jobs die ball cube box
    for index in 0 1 2 3; do
        [ $index != 2 ] || export LP_NATIVE_VECTOR_WIDTH=128
        LIST=jobs/demo.yaml SHEETBAKE_SHARD_INDEX=$index SHEETBAKE_SHARD_TOTAL=4 sh -ec "$command"
        unset LP_NATIVE_VECTOR_WIDTH
    done
    count=$(grep -l LP_NATIVE out/demo/*.sheetbake | wc -l)
    [ "$count" -gt 0 ] && [ "$count" -lt 4 ]
    collect >log 2>&1
    grep -q "^$count sheets\? in .*, $((4 - count)) up to date" log
    never grep -l LP_NATIVE out/demo/*.sheetbake
    sheetbake render -q -o whole jobs/demo.yaml
    diff -r -x '.*' whole out/demo
    run collect
    [[ $output == *'nothing to do: 4 sheets'* ]]
}

# The lines of a step.
run_step() { # file, name
    sed -n "/- name: $2\( #.*\)*\$/,/^      - /{/^          /s/^          //p}" "$RECIPES/$1" >step.sh
    [ -s step.sh ]
    LIST=jobs/demo.yaml OUT=out/demo GITHUB_OUTPUT=output run bash -e step.sh
}

@test "sheets in git: a pull request is refused that has others than its lists and models make" {
    has_program git
    export HOME=$PWD GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com
    git init -q
    echo .sheetbake.lock >.gitignore
    sheetbake render -q jobs/demo.yaml
    git add .gitignore jobs out
    git commit -q -m sheets
    run_step github-committed.yml compare
    [ "$status" = 0 ]
    [ -z "$(git status --porcelain -- out jobs)" ]
    # Other clones have other times of files, and those of other machines other records.
    git clone -q . clone
    cd clone
    mkdir temporary && export TMPDIR=$PWD/temporary
    # A picture of the right length that no list makes.
    cp out/demo/die.png kept.png
    printf forged | dd of=out/demo/die.png bs=1 seek=$(($(wc -c <kept.png) / 2)) conv=notrunc status=none
    git commit -q -a -m forged
    run_step github-committed.yml compare
    [ "$status" = 1 ]
    [[ $output == *'other than what jobs/demo.yaml makes: out/demo/die.png'* ]]
    [[ $output == *'::error::'* ]]
    cp kept.png out/demo/die.png
    git commit -q -a -m good
    sed -i 's/"cpu": ".*"/"cpu": "another"/; s/"self": ".*"/"self": "00000000000000000000000000000000"/' out/demo/die.sheetbake
    echo theirs >out/demo/die.png.import # of an engine
    run_step github-committed.yml compare
    [ "$status" = 0 ]
    # The same by a link.
    rm out/demo/die.png && ln -s ../../kept.png out/demo/die.png
    run_step github-committed.yml compare
    [ "$status" = 1 ]
    [[ $output == *out/demo/die.png* ]]
    git checkout -q out
    sed -i 's/cell: 16/cell: 20/' jobs/demo.yaml
    run_step github-committed.yml compare
    [ "$status" = 1 ]
    [[ $output == *out/demo/die.png* ]]
    [[ $output == *'::error::'* ]]
    sheetbake render -q jobs/demo.yaml
    git add -A && git commit -q -m larger
    run_step github-committed.yml compare
    [ "$status" = 0 ]
    write_jobs die ball box
    sed -i 's/cell: 16/cell: 20/' jobs/demo.yaml
    run_step github-committed.yml compare
    [ "$status" = 1 ]
    [[ $output == *out/demo/box.png* ]]
    write_jobs die
    sed -i 's/cell: 16/cell: 20/' jobs/demo.yaml
    run_step github-committed.yml compare
    [ "$status" = 1 ]
    [[ $output == *out/demo/ball.sheetbake* ]]
}

@test "one cache for all runners: its key is the probe" {
    run_step github-cache.yml probe
    [ "$(cat output)" = "probe=$(sheetbake doctor --json | jq -r '.backends[0].probe')" ]
    grep -q 'key: sheets-${{ steps.machine.outputs.probe }}-' "$RECIPES/github-cache.yml"
}

@test "no recipe has a list of libraries of its own: the build writes down what the program needs" {
    local file
    for file in "$RECIPES"/*.yml "$RECIPES/../../Dockerfile"; do
        never grep -nE 'install.* lib|^ +lib[a-z]' "$file"
    done
    grep -qE 'apt-get install .*\$\(cat [^ ]*/packages\)' "$RECIPES/gitlab-ci.yml"
    grep -qE '^RUN make .* relocatable ' "$RECIPES/../../Dockerfile" # which packs them
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

# What an engine runs for a task: the words of its `args`, with values in the place of {{references}}.
args_of_openjd() { # number of the step, shard
    sed -n 's/^ *args: \[\(.*\)\]$/\1/p' "$RECIPES/openjd.yaml" | sed -n "$1p" | sed "s/[\",]//g
        s|{{Task.Param.Shard}}|$2|; s|{{Param.Shards}}|4|; s|{{Param.Output}}|out/demo|; s|{{Param.List}}|jobs/demo.yaml|"
}

@test "the tasks of the OpenJD template bake, and its last step says what failed" {
    local shard
    break_model
    cp "$DIE/models/die.md2" jobs/assets/models/ball.md2
    sed -i '/name: ball/s/die.md2/ball.md2/' jobs/demo.yaml
    for shard in 1 2 3 4; do sheetbake $(args_of_openjd 1 $shard); done
    run --separate-stderr sheetbake $(args_of_openjd 2)
    [ "$status" = 3 ]
    [[ $output == *'openjd_fail: 1 sheet failed: die: models/die.md2: '* ]]
    mend_model
    for shard in 1 2 3 4; do sheetbake $(args_of_openjd 1 $shard); done
    sheetbake $(args_of_openjd 2)
    expect_all_sheets out/demo
    never grep -q '{{' <(args_of_openjd 1 1; args_of_openjd 2)
}

# The command-line program of the specification's authors.
@test "openjd takes the template, and runs it" {
    has_program openjd
    openjd check "$RECIPES/openjd.yaml"
    openjd run "$RECIPES/openjd.yaml" --step finish --run-dependencies -p List="$PWD/jobs/demo.yaml" -p Output="$PWD/farm" \
        -p Shards=3 -p Sheetbake="$(realpath bin/sheetbake)" >log
    [ "$(grep -c 'openjd_progress: 100' log)" = 4 ]
    sheetbake render -q jobs/demo.yaml
    diff -r farm out/demo
}

# Stands in for OpenCue's pyoutline, of which it has what the recipe uses. Prints the range and command of each layer.
write_outline() {
    mkdir -p stub/outline/modules
    cat >stub/outline/__init__.py <<-'END'
	class Outline:
	    def __init__(self, name, show, shot): pass
	    def add_layer(self, layer): print(layer.range, *layer.command)
	END
    echo 'def launch(outline, use_pycuerun): assert not use_pycuerun' >stub/outline/cuerun.py
    cat >stub/outline/modules/shell.py <<-'END'
	class Shell:
	    def __init__(self, name, command, range="1000"): self.command, self.range = command, range
	class ShellCommand(Shell):
	    def depend_all(self, layer): pass
	END
}

@test "the frames of the OpenCue job bake" {
    has_program python3
    write_outline
    PYTHONPATH=stub python3 "$RECIPES/opencue-job.py" show shot 4 out/demo jobs/demo.yaml >layers
    [ "$(cut -d ' ' -f 1 layers | tr '\n' ' ')" = '1-4 1000 ' ]
    local frame bake finish
    bake=$(sed -n 's/^1-4 //p' layers) finish=$(sed -n 's/^1000 //p' layers)
    [[ $bake == *'--shard #IFRAME#/4 '* ]]
    for frame in 1 2 3 4; do sh -ec "${bake//#IFRAME#/$frame}"; done
    expect_all_sheets out/demo
    sh -ec "${bake//#IFRAME#/0003}" # as #ZFRAME# has it
    sh -ec "$finish"
}

# Writes a workspace of Bazel, with a job in a subfolder of more than one page.
write_workspace() {
    mkdir -p ws/tools
    mv jobs ws/jobs
    cd ws
    printf -- '- {name: "sub/pages [x]", model: models/die.md2, sheet: {max_size: 32}, split: animation}\n' >>jobs/demo.yaml
    touch WORKSPACE
    echo 'exports_files(["sheetbake"])' >tools/BUILD
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath ../bin/sheetbake)" >tools/sheetbake
    chmod +x tools/sheetbake
    cp "$RECIPES/sheetbake.bzl" tools
    write_rows
    sed -n '/^    load/,/^$/{ /^    load/s/^    //p }; s/^    sheets(/sheets(/p' tools/sheetbake.bzl | sed 's/  #.*//' >BUILD
    sheetbake render -q -o ../whole jobs/demo.yaml
    rm -f ../whole/.sheetbake.lock
}

# The README's line.
write_rows() {
    sh -ec "$(sed -n 's/^    \(sheetbake check --json .*\)/\1/p' "$RECIPES/README.md")"
}

# In a folder with nothing but links to what is declared, as Bazel's sandbox is.
run_action() { # job, declared files...
    local job=$1 file
    shift
    for file; do mkdir -p "$(dirname "sandbox/out/$file")"; done
    (cd jobs && find . -type f) | while read -r file; do
        mkdir -p "sandbox/jobs/$(dirname "$file")"
        ln -sf "$(realpath "jobs/$file")" "sandbox/jobs/$file"
        echo "jobs/${file#./}"
    done >sandbox/sources
    cd sandbox
    run env -i PATH="$PATH" bash -c "$(sed -n '/^_COMMAND = """/,/^"""/{ s/^_COMMAND = """//; /^"""/d; s/\\\\/\\/g; p }' "$RECIPES/sheetbake.bzl")" '' \
        ../tools/sheetbake job.work "$job" jobs/demo.yaml out sources "$@"
    cd ..
}

@test "Bazel's action makes the declared files of a job, and refuses others" {
    write_workspace
    local job files
    for job in die ball 'sub/pages [x]'; do
        mapfile -t files < <(sed 's/SHEETS = //' sheets.bzl | jq -r --arg job "$job" '.[$job][]')
        run_action "${job/[/[[]}" "${files[@]}"
        [ "$status" = 0 ]
    done
    diff -r sandbox/out ../whole
    [ "$(ls sandbox | tr '\n' ' ')" = 'jobs out sources ' ]
    rm -r sandbox/out
    run_action 'sub/pages [[]x]' "${files[@]:3}"
    [ "$status" != 0 ]
    [[ $output == *"@stand.png"*'are not declared'* ]]
    [ ! -e sandbox/job.work ]
}

@test "bazel builds the declared files of each job" {
    has_program bazel
    write_workspace
    run bazel --batch --output_user_root="$PWD/../bazel" build //:sprites
    [ "$status" = 0 ]
    (cd bazel-bin/sprites && find . -type f ! -name '*.params' | sort) >made
    (cd ../whole && find . -type f | sort) | diff - made
    while read -r file; do cmp "bazel-bin/sprites/$file" "../whole/$file"; done <made
    run bazel --batch --output_user_root="$PWD/../bazel" build '//:sprites/sub/pages [x]'
    [ "$status" = 0 ]
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

@test "Manyfold's library: what reads the models writes elsewhere, and only pictures that were asked for are taken from there" {
    rm bin/sheetbake
    cat >bin/sheetbake <<'END'
#!/bin/bash
while [ "$1" != -o ]; do shift; done
mkdir -p "$2/assets/models"
pwd -P >>"$CALLS" && realpath "$2" >>"$CALLS"
ln -s /etc/passwd "$2/assets/models/die.md2-thumb.png"
touch "$2/assets/models/other.md2-thumb.png" "$2/assets/models/die.md2"
touch "$2/assets/models/ball.md2-thumb.png"
tr '\0\n' '\n?' >>"$CALLS"
exit 3
END
    chmod +x bin/sheetbake
    cp jobs/assets/models/die.md2 jobs/assets/models/ball.md2
    mkdir temporary $'jobs/assets/odd\n..'
    cp jobs/assets/models/die.md2 $'jobs/assets/odd\n../ball.md2'
    cp -r jobs before
    CALLS=$PWD/calls TMPDIR=$PWD/temporary run sh "$RECIPES/manyfold.sh" jobs
    [ "$status" = 3 ]
    [[ "$(sed -n 2p calls)" != "$(sed -n 1p calls)"* ]]
    [ "$(tail -n +3 calls | LC_ALL=C sort)" = $'./assets/models/ball.md2\n./assets/models/die.md2\n./assets/models/die.md5mesh\n./assets/odd?../ball.md2' ]
    [ "$(diff -rq before jobs)" = 'Only in jobs/assets/models: ball.md2-thumb.png' ]
    [ -z "$(ls temporary)" ]
}

@test "the workflow of releases calls targets that the Makefile has" {
    local top=$BATS_TEST_DIRNAME/../.. target targets
    targets=$(sed -nE 's/.*targets: ([a-z ]+)\}.*/\1/p; s/^ *make ([a-z]+)$/\1/p' "$top/.github/workflows/release.yml")
    [ "$(wc -w <<<"$targets")" = 6 ]
    for target in $targets; do
        env -u MAKEFLAGS -u MAKELEVEL make -n -C "$top" "$target" >/dev/null
    done
}

@test "the page for agents: its commands run, and print what it says" {
    cp "$RECIPES/agents.md" page
    mkdir models
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb" models/robot.glb
    head -c 40000 models/robot.glb >models/cut.glb
    grep '^    [a-z]' page | tee commands
    [ "$(wc -l <commands)" = 6 ]
    while read -r command; do
        bash -euo pipefail -c "$command"
    done <commands
    [ "$(files seen)" = 'models/robot.glb-thumb.png walk-half.png walk.png' ]
    # The JSON of the page, in its order.
    awk '/^```json/ { inside = 1; next } /^```/ { if (inside) print ""; inside = 0 } inside { sub(/^ +/, ""); printf "%s", $0 }' page >wanted
    sheetbake thumb --json -o seen/ --views front,left,back,top,three_quarter models/robot.glb >found
    run --separate-stderr sheetbake thumb --json -o seen/ --views front models/cut.glb
    exited 3
    echo "$output" >>found
    diff wanted found
    run --separate-stderr sheetbake info --json models/cut.glb
    exited 2
    [ "$(sheetbake info --json models/robot.glb | jq -r '[.files[0].clips[].name] | join(", ")')" = 'idle, walk, jump, wave' ]
    grep 'idle, walk, jump, wave' page
    # Facts and options that it names are there.
    sheetbake thumb --json -o seen/ --views front --transform '{front: "-x"}' models/robot.glb
    sheetbake thumb --json -o seen/ --views front --transform '{up: x}' models/robot.glb
    grep -Fe "--transform '{up: x}'" page
}
