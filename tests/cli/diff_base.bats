# `diff --base`: both sides are drawn from a git repository, or from two checkouts.

bats_require_minimum_version 1.5.0
load sheets

setup() {
    work_in_empty_folder
    export TMPDIR=$PWD/tmp HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
    mkdir "$TMPDIR" "$HOME"
    unset XDG_CONFIG_HOME
    git config --global user.name tester
    git config --global user.email tester@example.org
    git config --global init.defaultBranch main
    git config --global protocol.file.allow always
}

# Nothing temporary may be left by any test.
teardown() {
    [ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR" && return 1; }
}

# A repository with two models of three and an odd one, each with a picture of its own, in a list in a folder below.
make_repository() { # folder
    git init -q "$1"
    mkdir -p "$1"/{art/models,art/textures,jobs}
    cp "$DIE"/models/die.md2 "$1/art/models/one.md2"
    cp "$DIE"/models/die.md2 "$1/art/models/two.md2"
    cp "$DIE"/textures/die.png "$1/art/models/one.png"
    cp "$DIE"/textures/die.png "$1/art/models/two.png"
    cat >"$1/jobs/units.yaml" <<-'END'
	version: 1
	assets: ../art
	defaults: {cell: 16, cameras: [front], animations: [hop]}
	jobs:
	- {name: one, model: models/one.md2, skin: models/one.png}
	- {name: two, model: models/two.md2, skin: models/two.png}
	END
    commit "$1" first
}

commit() { # repository, message
    git -C "$1" add -A
    git -C "$1" commit -qm "$2"
}

darken() { # picture
    convert "$1" -modulate 50 png:"$1.new"
    mv "$1.new" "$1"
}

# The sheets of --json that are not the same: "changed units/one, ...".
states() {
    jq -r '.sheets[] | "\(.state) \(.name)"' <<<"$output" | paste -sd, | sed 's/,/, /g'
}

same() {
    jq '.totals.sheets.same // 0' <<<"$output"
}

# Everything in .git, with its bytes.
state_of_git() { # repository
    (cd "$1/.git" && find . -type f -printf '%P %T@ %s\n' | sort)
}

@test "a changed picture: its sheet is drawn on both sides, the other on none, and .git stays as it is" {
    make_repository game
    darken game/art/models/one.png
    git -C game status >/dev/null
    state_of_git game >before
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(same)" = 1 ]
    [ "$(jq -r '.causes[].text' <<<"$output")" = 'input models/one.png changed' ]
    [ "$(jq -r .before.name <<<"$output")" = HEAD ]
    [[ $(jq -r .before.detail <<<"$output") == *' first' ]]
    state_of_git game | diff before -
    [ ! -e game/out ]
    commit game darker
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ]
    exits 0 diff --base HEAD^ --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
}

@test "a job that cannot differ is drawn on neither side" {
    make_repository game
    darken game/art/models/one.png
    exits 0 diff --base HEAD -j 1 game/jobs/units.yaml
    says 'sheets: 1 changed, 1 same'
    # A driver that does not work is not missed where nothing is drawn.
    mkdir useless
    "${CC:-cc}" -shared -o useless/libOSMesa.so.8 -x c /dev/null
    LD_LIBRARY_PATH=$PWD/useless exits 4 diff --base HEAD --backend osmesa game/jobs/units.yaml
    git -C game checkout -q art
    printf '\n# a comment\n' >>game/jobs/units.yaml
    LD_LIBRARY_PATH=$PWD/useless exits 0 diff --base HEAD --backend osmesa game/jobs/units.yaml
    says 'sheets: 2 same'
}

@test "a changed list: settings, new and removed jobs" {
    make_repository game
    sed -i 's/^- {name: one,/- {name: one, ground: shadow,/; s/name: two/name: renamed/' game/jobs/units.yaml
    echo '- {name: added, model: models/two.md2, skin: models/two.png, cameras: [left]}' >>game/jobs/units.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    jq -r '.sheets[] | "\(.state) \(.name) \(.old_name)"' <<<"$output" | sort >states
    grep -q 'added units/added null' states
    grep -q 'renamed units/renamed units/two' states
    grep -Eq '(settings|changed) units/one' states
    exits 0 diff --base HEAD --only one --json game/jobs/units.yaml
    [ "$(jq '.sheets | length' <<<"$output")" = 1 ]
    exits 2 diff --base HEAD --only nothing game/jobs/units.yaml
    says "*no job's name matches --only 'nothing'"
}

@test "a list that the revision has not is new, and one that was broken has a warning" {
    make_repository game
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 0 diff --base HEAD --json game/jobs/more.yaml
    [ "$(states)" = 'added more/one, added more/two' ]
    sed 's/^jobs:/jobz:/' game/jobs/units.yaml >game/jobs/more.yaml
    commit game broken
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 0 diff --base HEAD --json game/jobs/more.yaml
    says "sheetbake: warning: HEAD:jobs/more.yaml:*jobz*"
    [ "$(states)" = 'added more/one, added more/two' ]
}

@test "jobs that are framed together differ together" {
    make_repository game
    sed -i 's/cell: 16,/cell: 16, fit: {scope: all},/' game/jobs/units.yaml
    commit game group
    darken game/art/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    git -C game checkout -q .
    # Another model is another framing of both, though one.md2 and its settings are as they were.
    cp "$DIE/models/die.md5mesh" game/art/models/two.md2
    sed -i '/name: two/s/}/, animations: []}/' game/jobs/units.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [[ $(states) == *units/one* && $(states) == *units/two* ]]
}

@test "a file that was looked for in vain and is there now" {
    make_repository game
    sed -i 's/, skin: models[^}]*//' game/jobs/units.yaml
    rm game/art/models/one.png
    commit game plain
    cp "$DIE/textures/die.png" game/art/models/one.png
    darken game/art/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(same)" = 1 ]
    [[ $(jq -r '.causes[].text' <<<"$output") == *'models/one.png is there now: it was looked for'* ]]
}

@test "a model that is broken on one side" {
    make_repository game
    head -c 200 "$DIE/models/die.md2" >game/art/models/one.md2
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'failed units/one' ]
    [[ $(jq -r '.sheets[0].reason' <<<"$output") == *one.md2* ]]
    commit game broken
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ] # broken alike on both sides
    cp "$DIE/models/die.md2" game/art/models/one.md2
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'fixed units/one' ]
    rm game/art/models/two.md2
    exits 1 diff --base HEAD --fail-on failed game/jobs/units.yaml
    says 'failed *units/two *'
    never says "*$TMPDIR*"
}

@test "assets and lists outside the repository are the same on both sides" {
    make_repository game
    mkdir shared
    mv game/art shared/art
    sed -i 's#^assets: .*#assets: [../../shared/art, ../own]#' game/jobs/units.yaml
    mkdir game/own
    touch game/own/keep
    commit game outside
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ]
    mkdir -p game/own/models
    sed -i 's#^assets: .*#assets: [../own, ../../shared/art]#' game/jobs/units.yaml
    cp shared/art/models/one.png game/own/models/one.png
    darken game/own/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    sed "s#^assets: .*#assets: $PWD/shared/art#" game/jobs/units.yaml >outside.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml outside.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(same)" = 3 ]
}

@test "a revision that is not there: the message has the fetch that brings it" {
    make_repository origin
    git -C origin switch -qc feature
    darken origin/art/models/one.png
    commit origin darker
    git clone -q --depth 1 --branch feature "file://$PWD/origin" clone
    exits 2 diff --base origin/main clone/jobs/units.yaml
    says "*no revision and no folder 'origin/main', and this clone is shallow; to fetch it: git fetch *"
    (cd clone && eval "$(sed 's/.*to fetch it: //' <<<"$stderr")")
    exits 0 diff --base origin/main --json clone/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    exits 2 diff --base HEAD~1 clone/jobs/units.yaml
    (cd clone && eval "$(sed 's/.*to fetch it: //' <<<"$stderr")")
    exits 0 diff --base HEAD~1 --json clone/jobs/units.yaml
    exits 2 diff --base "$(printf '1%.0s' {1..40})" clone/jobs/units.yaml
    says '*to fetch it: git fetch --depth 1 origin 1111*'
    exits 2 diff --base HEAD~7 origin/jobs/units.yaml
    [ "$stderr" = "sheetbake: --base: no revision and no folder 'HEAD~7'" ]
    exits 2 diff --base --output=x clone/jobs/units.yaml
    [ ! -e x ]
}

@test "no git program, and no repository" {
    make_repository game
    mkdir bin
    run --separate-stderr env PATH="$PWD/bin" "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml
    exited 2
    [ "$stderr" = 'sheetbake: --base needs the program git, which is not in PATH' ]
    rm -rf game/.git
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: 'game/jobs' is in no git repository, which --base REV needs; --base DIR compares with a folder"
}

@test "hooks, filters and other programs of the repository do not run" {
    make_repository game
    cat >program <<-END
	#!/bin/sh
	touch "$PWD/ran"
	cat
	END
    chmod +x program
    darken game/art/models/one.png
    echo '*.png filter=evil diff=evil' >game/.gitattributes
    git -C game add -A
    git -C game commit -qm attributes
    darken game/art/models/two.png
    local key
    for key in filter.evil.smudge filter.evil.clean filter.evil.process core.fsmonitor diff.evil.textconv \
        diff.evil.command diff.external gpg.program core.sshCommand core.pager; do
        git -C game config "$key" "$PWD/program"
    done
    git -C game config filter.evil.required true
    git -C game config log.showSignature true
    mkdir -p game/.git/hooks
    for key in post-checkout post-index-change pre-commit fsmonitor-watchman; do
        cp program "game/.git/hooks/$key"
    done
    # Files whose times git does not know: it would have to read them through the filter.
    touch game/art/models/*
    rm -f ran
    exits 0 diff --base HEAD~1 --json game/jobs/units.yaml
    [ ! -e ran ]
    [ "$(states)" = 'changed units/one, changed units/two' ] || [ "$(states)" = 'changed units/two, changed units/one' ]
    # The trap works: git itself would run it.
    git -C game status >/dev/null 2>&1 || true
    [ -e ran ]
}

@test "a Git LFS pointer and a submodule in the assets" {
    make_repository game
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12\n' 7 >game/art/models/one.png
    commit game pointer
    darken game/art/models/two.png
    cp "$DIE/textures/die.png" game/art/models/one.png
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: art/models/one.png in 'HEAD' is a Git LFS pointer, not the file itself: check the revision out elsewhere and use --base DIR"
    git -C game checkout -q .
    cp "$DIE/textures/die.png" game/art/models/one.png
    commit game picture
    make_repository part
    git -C game submodule --quiet add "$PWD/part" art/part 2>/dev/null
    commit game submodule
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: art/part in 'HEAD' is a submodule, not the file itself: *"
}

@test "--base DIR: another checkout, with git and without" {
    make_repository game
    git clone -q game old
    darken game/art/models/one.png
    exits 0 diff --base old --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(jq -r .before.name <<<"$output")" = old ]
    rm -rf game/.git old/.git
    cd game
    exits 0 diff --base ../old --json jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
}

@test "links in the repository lead where they led" {
    make_repository game
    mv game/art game/real
    ln -s real game/art
    commit game link
    darken game/real/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
}

@test "ended by a signal while it draws: nothing temporary is left, .git is as it was" {
    make_repository game
    sed -i 's/cell: 16, cameras: .front./cell: 512, supersample: 4, cameras: {directions: 32, name: c}/' game/jobs/units.yaml
    commit game long
    darken game/art/models/one.png
    darken game/art/models/two.png
    git -C game status >/dev/null
    state_of_git game >before
    local signal
    for signal in INT TERM; do
        env --default-signal="$signal" "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml >out.txt 2>&1 &
        local pid=$!
        until_true eval '[ -d "$(echo "$TMPDIR"/*/after/units)" ]'
        kill -"$signal" "$pid"
        local code=0
        wait "$pid" || code=$?
        [ "$code" = $((128 + $(kill -l "$signal"))) ]
        [ -z "$(ls -A "$TMPDIR")" ]
    done
    state_of_git game | diff before -
}

@test "a repository of somebody else: git refuses it, and the message says what to do" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    make_repository game
    chown -R 12345 game
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: git: detected dubious ownership in repository at '*'; \`git config --global --add safe.directory FOLDER\` trusts it"
    git config --global --add safe.directory "$PWD/game"
    exits 0 diff --base HEAD game/jobs/units.yaml
    says 'sheets: 2 same'
}

@test "run by a hook of another repository, which sets GIT_DIR" {
    make_repository game
    git init -q other
    darken game/art/models/one.png
    GIT_DIR=$PWD/other/.git GIT_INDEX_FILE=$PWD/other/.git/index GIT_WORK_TREE=$PWD/other \
        exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
}

@test "a sparse checkout, a split index and line ends that git converts" {
    make_repository game
    printf '*.yaml eol=crlf\n' >game/.gitattributes
    commit game attributes
    git -C game config core.splitIndex true
    git -C game update-index --split-index
    git -C game sparse-checkout set --no-cone /jobs/ /art/models/one.* /.gitattributes
    [ ! -e game/art/models/two.md2 ]
    state_of_git game | sed '/^sharedindex/s/ .*//' >before # whoever reads it renews its time
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'failed units/two' ] # here it is missing, in HEAD it is not
    state_of_git game | sed '/^sharedindex/s/ .*//' | diff before -
}
