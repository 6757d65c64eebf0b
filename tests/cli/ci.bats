# Not under the sanitizers: words.
load sheets

# Messages for GitHub Actions and GitLab CI.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
    printf IDP2 >assets/models/bad.md2
    write_list some "$PWD/assets" <<'END'
defaults: {cell: 16, animations: [hop]}
jobs:
  - {name: one, model: models/die.md2}
  - {name: "a,b", model: models/bad.md2}
END
}

# Standard error, with N for times and process ids.
lines() {
    sed -E 's/[0-9.]+ s\b/N s/g; s/\([0-9.]+\/(s|min), /(N\/s, /; s/(start|end):[0-9]+:sheetbake_[0-9]+_/\1:N:sheetbake_N_/; s,-> .*/,-> ,' <<<"$stderr"
}

@test "GitHub gets a group, annotations in it, and the failures again after it" {
    GITHUB_ACTIONS=true GITHUB_WORKSPACE=$PWD exits 3 render -j 1 "$PWD/some.yaml"
    diff - <(lines | LC_ALL=C sort) <<'END'
1 of 2 sheets in N s (N/s, 1 worker), 1 failed -> some
::endgroup::
::error file=some.yaml,line=7,col=5,title=a%2Cb::models/bad.md2: 4 bytes are too few for the header of 68
::group::sheetbake: some
[1/2] one.png  N s
error: a,b: models/bad.md2: 4 bytes are too few for the header of 68
END
    [ "$(lines | grep -nx ::endgroup:: | cut -d: -f1)" = 4 ]
    [ "$(lines | head -n 1)" = '::group::sheetbake: some' ]
}

@test "GitHub gets warnings at the place of the job" {
    rm assets/textures/die.png
    GITHUB_ACTIONS=true exits 0 render --only one some.yaml
    says '::warning file=some.yaml,line=6,col=5,title=one::models/die.md2: *'
    [ "$(grep -c warning: <<<"$stderr")" = 0 ]
}

@test "GitHub gets the problems of a list at their places, from render and check" {
    write_list wrong <<<'- {name: it, modle: models/die.md2, cell: 0}'
    for command in render check; do
        GITHUB_ACTIONS=true exits 2 $command wrong.yaml
        says '::error file=wrong.yaml,line=5,col=14::unknown key '\'modle\''*'
        says 'sheetbake: 2 problems, nothing was done'
    done
}

@test "check folds each list and shows findings at the place of the job" {
    GITHUB_ACTIONS=true exits 3 check some.yaml
    [ "$(head -n 1 <<<"$output")" = '::group::some.yaml: into out/some' ]
    says '::error file=some.yaml,line=7,col=5,title=a%2Cb::models/bad.md2: 4 bytes *'
    [ "$(tail -n 2 <<<"$output" | head -n 1)" = ::endgroup:: ]
}

@test "GitLab gets a section, and failures as text after it" {
    GITLAB_CI=true exits 3 render -j 1 some.yaml
    [ "$(lines | head -n 1)" = $'section_start:N:sheetbake_N_0\r\033[0Ksheetbake: some' ]
    [ "$(lines | grep -c $'^section_end:N:sheetbake_N_0\r\033\[0K$')" = 1 ]
    [ "$(lines | tail -n 2 | head -n 1)" = 'error: a,b: models/bad.md2: 4 bytes are too few for the header of 68' ]
    [ "$(lines | grep -c ^error:)" = 2 ]
    # ... and colours are for terminals
    never grep -q $'\033\[[0-9;]*m' <<<"$stderr"
}

@test "two sections of a log have different names" {
    cp some.yaml more.yaml
    sed -i 's#out/some#out/more#' more.yaml
    GITLAB_CI=true check some.yaml more.yaml
    [ "$(grep -o 'section_start:[0-9]*:[a-z_0-9]*' <<<"$output" | cut -d: -f3 | sort -u | wc -l)" = 2 ]
}

@test "--ci goes before the variables" {
    GITHUB_ACTIONS=true render --ci off some.yaml
    says 'error: a,b: *'
    never grep -q '^::' <<<"$stderr"
    render --ci github some.yaml
    says '::error *'
    render --ci gitlab some.yaml
    says 'section_start:*'
    run ! "$SHEETBAKE" render --ci jenkins some.yaml
    run ! "$SHEETBAKE" check --ci jenkins some.yaml
}

@test "a quiet run has no group, but annotations" {
    GITHUB_ACTIONS=true render -q some.yaml
    [ "$stderr" = '::error file=some.yaml,line=7,col=5,title=a%2Cb::models/bad.md2: 4 bytes are too few for the header of 68' ]
}

@test "names of files are no commands" {
    cp assets/models/die.md2 'assets/models/##[group]x.md2'
    write_list odd "$PWD/assets" <<'END'
defaults: {cell: 16, animations: [hop]}
jobs: [{name: "##[group]x", model: "models/##[group]x.md2"}]
END
    GITHUB_ACTIONS=true exits 0 render odd.yaml
    never grep -F '##[' <<<"$stderr"
    GITHUB_ACTIONS=true exits 0 check -v odd.yaml
    never grep -F '##[' <<<"$output"
    unset GITHUB_ACTIONS # in a container that a step runs, nothing says who reads
    exits 0 render --force -v odd.yaml
    grep -qF '#?[group]x: ' <<<"$stderr"
    never grep -F '##[' <<<"$stderr"
}
