# Repositories of git for tests of what compares their commits.

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

# A program that notes how it is called, in the place of git.
note_calls_of_git() {
    mkdir -p bin
    printf '#!/bin/sh\necho "$@" >>"%s/calls"\nexec %s "$@"\n' "$PWD" "$(command -v git)" >bin/git
    chmod +x bin/git
}
