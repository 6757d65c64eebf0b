# bats file_tags=asan

# `diff --base`: both sides are drawn from a git repository, or from two checkouts.

bats_require_minimum_version 1.5.0
load models
load sheets
load repository

# Everything in .git, with its bytes.
state_of_git() { # repository
    (cd "$1/.git" && find . -type f -printf '%P %T@ %s\n' | sort)
}

# bats test_tags=quick
@test "a changed picture: its sheet is drawn on both sides, the other on none, and .git stays as it is" {
    make_repository game
    darken game/art/models/one.png
    git -C game status >/dev/null
    state_of_git game >before
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(same)" = 1 ]
    [ "$(jq -r '.causes[].text' <<<"$output")" = 'input models/one.png changed' ]
    local head
    head=$(git -C game rev-parse HEAD)
    [ "$(titles)" = "main ${head:0:7} -> work tree ${head:0:7} with changes that are not committed" ]
    state_of_git game | diff before -
    [ ! -e game/out ]
    commit game darker
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ]
    exits 0 diff --base HEAD^ --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
}

# What the sides are called in --json.
titles() {
    jq -r '[.before, .after] | map(.name + (if .detail == "" then "" else " " + .detail end)) | join(" -> ")' <<<"$output"
}

@test "sides are called by branches, and in a run for a pull request by what is merged" {
    make_repository game
    local base change long='A much longer sword for the barbarian, and a shield that is a good deal wider'
    base=$(git -C game rev-parse --short=7 HEAD)
    git -C game checkout -qb sword
    darken game/art/models/one.png
    commit game "$long"
    change=$(git -C game rev-parse --short=7 HEAD)
    compare() { exits 0 diff --json "$@" game/jobs/units.yaml; }
    compare --base main
    [ "$(titles)" = "main $base -> sword $change \"${long:0:60}…\"" ]
    git -C game checkout -q main
    git -C game merge -q --no-ff -m "Merge $change into $base" sword
    compare --base HEAD^1
    [[ $(titles) == "HEAD^1 $base -> main "*" \"Merge $change into $base\"" ]]
    # As a CI system has it: two commits, no branch.
    git clone -q --depth 2 "file://$PWD/game" ci
    git -C ci checkout -q --detach
    git -C ci branch -qD main
    git -C ci remote remove origin
    mv game whole
    mv ci game
    local title="main $base -> this pull request $change \"${long:0:60}…\""
    GITHUB_BASE_REF=main compare --base HEAD^1
    [ "$(titles)" = "$title" ]
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main compare --base "$(git -C game rev-parse HEAD^1)"
    [ "$(titles)" = "${title/pull/merge}" ]
    GITHUB_BASE_REF='' compare --base HEAD^1
    [[ $(titles) == "HEAD^1 $base -> HEAD "*' "Merge '* ]]
    # Files that are the same but for their times, that git ignores, or that the lists do not use, are no change.
    touch game/art/models/* game/jobs/*
    echo out >game/.gitignore
    mkdir game/art/out
    cp game/art/models/one.png game/art/out
    GITHUB_BASE_REF=main compare --base HEAD^1
    [ "$(titles)" = "$title" ]
    cp game/art/models/one.png game/art/models/new.png
    GITHUB_BASE_REF=main compare --base HEAD^1
    [[ $(titles) == "main $base -> work tree "*' with changes that are not committed' ]]
    rm game/art/models/new.png game/art/models/two.md2
    GITHUB_BASE_REF=main compare --base HEAD^1
    [[ $(titles) == "main $base -> work tree "*' with changes that are not committed' ]]
    exits 0 diff --base HEAD^1 --markdown - --html page.html game/jobs/units.yaml
    says "From \`HEAD^1 $base\` to \`work tree * with changes that are not committed\`.*"
    # A file that no list can name is none of the assets.
    git -C game checkout -q .
    cp game/art/models/one.png 'game/art/models/a:b.png'
    commit game colon
    compare --base HEAD^
    [[ $(titles) == *' "colon"' ]]
    # Without commits of its own, nothing is known of the work tree.
    exits 0 diff --base game --json whole/jobs/units.yaml
}

@test "a model that was replaced: the clips that are gone and the joint that is renamed, at the model and not at the list" {
    make_repository game
    local samples=$BATS_TEST_DIRNAME/../../jobs/assets/models
    cp "$samples/pip/pip.glb" game/art/models/pip.glb
    cp "$samples/pip/pip.glb" game/art/models/hand.glb
    cat >>game/jobs/units.yaml <<-'END'
	- {name: pip, model: models/pip.glb, animations: [idle, walk, wave]}
	- {name: hand, model: models/hand.glb, animations: [idle], sockets: [hand_r]}
	END
    commit game pips
    cp "$samples/sprout/sprout.glb" game/art/models/pip.glb
    edit_glb "$samples/pip/pip.glb" game/art/models/hand.glb '(.nodes[] | select(.name == "hand_r")).name = "Hand.R"'
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    reason() { jq -r --arg name "units/$1" '.sheets[] | select(.name == $name).reason' <<<"$output"; }
    [ "$(reason pip)" = "models/pip.glb: no animation 'idle' (it has sway, swell, all), nor walk, wave; \`optional: true\` does without it; input models/pip.glb changed" ]
    [[ $(reason hand) == "socket 'hand_r': models/hand.glb: no joint 'hand_r', did you mean 'Hand.R'? (it has "*'; input models/hand.glb changed' ]]
    exits 0 diff --base HEAD --markdown - game/jobs/units.yaml
    says "*\`units/hand\`*Hand.R*(it has * and 27 more)*"
    # Whoever changes the list is led to its line.
    sed -i 's/idle, walk, wave/sway, nod/; s/hand_r/hand_x/' game/jobs/units.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [[ $(reason pip) == "game/jobs/units.yaml:7:"*": models/pip.glb: no animation 'nod' (it has "* ]]
    [[ $(reason hand) == "game/jobs/units.yaml:8:"* ]]
    # Of a joint that `joints` or a box names, too; in all outputs, and not what the other side lacks as well.
    git -C game checkout -q .
    sed -i '$d' game/jobs/units.yaml
    cat >>game/jobs/units.yaml <<-'END'
	- {name: hand, model: models/hand.glb, animations: [{file: models/clips.glb, clip: idle}], joints: {hand_r: hand_r}}
	- {name: box, model: models/hand.glb, animations: [idle], boxes: [hand_r]}
	- {name: odd, model: models/hand.glb, animations: [idle], sockets: [hand_x]}
	END
    cp "$samples/pip/pip.glb" game/art/models/clips.glb
    cp "$samples/pip/pip.glb" game/art/models/hand.glb
    commit game joints
    edit_glb "$samples/pip/pip.glb" game/art/models/hand.glb '(.nodes[] | select(.name == "hand_r")).name = "Hand.R"'
    exits 1 diff --base HEAD --ci github --markdown hand.md --junit hand.xml --sarif hand.sarif --html hand.html --fail-on failed game/jobs/units.yaml
    local file wanted="models/hand.glb: clips of models/clips.glb: \`joints\`: no joint 'hand_r', did you mean 'Hand.R'? (it has "
    grep -F "title=units/hand::$wanted" <<<"$stderr" | grep -qF '; input models/hand.glb changed'
    for file in hand.md hand.xml hand.sarif hand.html; do
        grep -F "did you mean 'Hand.R'?" $file | grep -qF '; input models/hand.glb changed' || { echo $file; return 1; }
    done
    says "failed *units/box *box 'hand_r': models/hand.glb: no visible part 'hand_r', did you mean 'Hand.R'? *; input models/hand.glb changed"
    says "failed *units/odd *on both sides: *no joint 'hand_x'* more)"
}

@test "a file that has another path and the same bytes is told by the setting that names it" {
    make_repository game
    mv game/art/models/one.md2 game/art/models/uno.md2
    sed -i 's/models\/one.md2/models\/uno.md2/' game/jobs/units.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [[ $(jq -r '.causes[].text' <<<"$output") == 'model: models/one.md2 -> models/uno.md2 ('* ]]
    [ "$(jq '.causes | length' <<<"$output")$(jq -c '.sheets[].model' <<<"$output")" = '1[]' ]
}

@test "a job that cannot differ is drawn on neither side" {
    make_repository game
    darken game/art/models/one.png
    exits 0 diff --base HEAD -j 1 game/jobs/units.yaml
    says 'sheets: 1 changed, 1 same'
    # A driver that does not work is not missed where nothing is drawn.
    hide libOSMesa.so.8
    exits 4 diff --base HEAD --backend osmesa game/jobs/units.yaml
    git -C game checkout -q art
    printf '\n# a comment\n' >>game/jobs/units.yaml
    exits 0 diff --base HEAD --backend osmesa game/jobs/units.yaml
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
    says "*no job's name matches --only 'nothing'*"
}

@test "a list that the revision has not is new; of one that was broken nothing is known" {
    make_repository game
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 0 diff --base HEAD --json game/jobs/more.yaml
    [ "$(states)" = 'added more/one, added more/two' ]
    [ "$stderr" = 'sheetbake: warning: game/jobs/more.yaml is not in HEAD; all sheets of the list are new' ]
    git clone -q game old
    exits 0 diff --base old -q game/jobs/more.yaml
    [ "$stderr" = 'sheetbake: warning: game/jobs/more.yaml is not in old; all sheets of the list are new' ]
    sed 's/^jobs:/jobz:/' game/jobs/units.yaml >game/jobs/more.yaml
    commit game broken
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 1 diff --base HEAD --json --fail-on changed game/jobs/more.yaml
    says "sheetbake: warning: in HEAD: game/jobs/more.yaml:*jobz*; no sheet of the list can be compared"
    [ "$(states)" = 'unknown more/one, unknown more/two' ]
}

# Two lists of one name and with one job, in the folders a and b. Only those of b have a rule, which their model breaks.
make_twins() {
    make_repository game
    mkdir game/a game/b
    sed '/name: two/d' game/jobs/units.yaml >game/a/units.yaml
    sed '/name: two/d; s/^- {name: one,/- {name: one, rules: {triangles: 1},/' game/jobs/units.yaml >game/b/units.yaml
    commit game twins
}

@test "two lists of one name are told apart by their paths" {
    make_twins
    sed -i 's/cell: 16/cell: 24/' game/b/units.yaml
    exits 1 diff --base HEAD --fail-on failed game/b/units.yaml
    says ' *failure: *triangles, at most 1 (rule triangles)'
    exits 1 diff --base HEAD --fail-on failed --json game/a/units.yaml game/b/units.yaml
    [[ $(states) == *' game/b/units.yaml/one' ]]
    [ "$(jq -r '.sheets[].findings[].rule' <<<"$output")" = triangles ]
    # The other way round, no rule of b judges a.
    git -C game checkout -q .
    sed -i 's/cell: 16/cell: 24/' game/a/units.yaml
    exits 0 diff --base HEAD --fail-on failed --json game/a/units.yaml game/b/units.yaml
    [[ $(states) == *' game/a/units.yaml/one' ]]
    [ "$(jq '.sheets[].findings | length' <<<"$output")" = 0 ]
    # A job that fails is one row.
    sed -i 's/cell: 24/cell: 16/; s/hop/hope/' game/a/units.yaml
    exits 1 diff --base HEAD --fail-on failed --json game/a/units.yaml game/b/units.yaml
    [ "$(states)" = 'failed game/a/units.yaml/one' ]
    exits 2 diff --base HEAD game/a/units.yaml game/a/units.yaml
    says '*game/a/units.yaml is given twice'
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
    [ "$(states)$(same)" = 'failed units/one1' ] # as before: it is not a sheet that is the same
    exits 1 diff --base HEAD --fail-on failed game/jobs/units.yaml
    says 'failed *units/one *on both sides: *one.md2*'
    sed -i 's/name: one,/name: one, cell: 24,/' game/jobs/units.yaml
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 'failed units/one1' ]
    git -C game checkout -q jobs
    cp "$DIE/models/die.md2" game/art/models/one.md2
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'fixed units/one' ]
    rm game/art/models/two.md2
    exits 1 diff --base HEAD --fail-on failed game/jobs/units.yaml
    says 'failed *units/two *'
    never says "*$TMPDIR*"
}

@test "sheets that one line of the list changed share a row of the comment; who has more to say has an own one" {
    make_repository game
    local i
    for i in 3 4 5 6; do echo "- {name: more$i, model: models/one.md2, skin: models/one.png}" >>game/jobs/units.yaml; done
    sed -i 's/\[front\]/[{name: near, yaw: 0, pitch: 10}]/' game/jobs/units.yaml
    commit game more
    sed -i 's/pitch: 10/pitch: 30/' game/jobs/units.yaml
    darken game/art/models/two.png
    exits 0 diff --base HEAD --markdown md game/jobs/units.yaml
    [ "$(grep -c '^| `' md)" = 2 ]
    grep -qE '^\| `units/more3`, `units/more4`, `units/more5`, `units/more6` and 1 more<br>`camera near: pitch 10 -> 30 \(.*units.yaml:3\)`<br>`scale of the sheet .*` \| changed \| `10 changed` \| up to [0-9.]+ % \|$' md
    grep -qE '^\| `units/two`<br>`.*`<br>`.*`.* \| changed \| `2 of 2 frames` \| [0-9.]+ % \|$' md
    : >none
    exits 1 diff --base HEAD --fail-on changed --accepted none --markdown md game/jobs/units.yaml
    [ "$(grep -c '`to accept: /sheetbake accept ' md)" = 6 ]
}

@test "a model whose name no path can have is no difference: check tells it" {
    make_repository game
    cp "$DIE/models/die.md2" 'game/art/models/old: one.md2'
    echo '- {name: all, model: "models/*.md2", skin: models/one.png}' >>game/jobs/units.yaml
    commit game all
    exits 2 check game/jobs/units.yaml
    says "*models/old: one.md2: a path has no ':' and no '*': rename the file"
    darken game/art/models/two.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/two' ]
}

@test "a file of no known format: rows say so in short, the log and JSON name all formats" {
    make_repository game
    echo nothing >game/art/models/one.md2
    exits 0 diff --base HEAD --markdown md --html page.html game/jobs/units.yaml
    says '* models/one.md2: not a model file: known are MD2 *.zgl; input models/one.md2 changed'
    grep -qF '| `units/one`<br>`models/one.md2: cannot be read: not a known format` | failed |' md
    grep -qF '"models/one.md2: cannot be read: not a known format"' page.html
    never grep -q 'known are' page.html
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [[ $(jq -r '.sheets[0].reason' <<<"$output") == *'known are MD2 '* ]]
}

@test "what could not be looked at is unknown: never the same, and never mended" {
    make_repository game
    cp -r game old
    darken game/art/models/one.png
    # Each worker dies.
    STALL_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so exits 1 diff --base old --timeout 0.5 --fail-on failed game/jobs/units.yaml
    says 'unknown *units/one *on both sides: *the worker was killed (--timeout)*'
    says 'sheets: 1 unknown, 1 same'
    # One side's sheet does not fit on the disk.
    convert -size 256x256 xc: +noise Random PNG24:old/art/models/one.png
    sed -i 's/cell: 16/cell: 256/' old/jobs/units.yaml
    run --separate-stderr bash -c 'ulimit -f 16; "$SHEETBAKE" diff --base old --fail-on failed game/jobs/units.yaml'
    exited 1
    says 'unknown *units/one *before: *one.png: cannot write *: File too large'
    # One of its two pages does.
    sed -i 's/- {name: one,/- {name: one, split: animation, animations: [hop, {clip: hop, name: long, sampling: {count: 40}}],/; s/256/64/' old/jobs/units.yaml
    run --separate-stderr bash -c 'ulimit -f 60; "$SHEETBAKE" diff --base old --fail-on failed game/jobs/units.yaml'
    exited 1
    says 'sheetbake: old/units/one: 1 of its 2 pages are there'
    never says "*$TMPDIR*"
    # It cannot be read.
    local path
    for path in one.md2 .; do
        chmod 0 "old/art/models/$path"
        run --separate-stderr as_other "$SHEETBAKE" diff --base old --fail-on failed game/jobs/units.yaml
        exited 1
        says 'unknown *units/one *before: *Permission denied*'
        chmod 755 "old/art/models/$path"
    done
    [[ $output != *fixed* ]]
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

@test "a revision that a shallow clone does not have: the message has the fetch that brings it" {
    make_repository origin
    git -C origin switch -qc feature
    darken origin/art/models/one.png
    commit origin darker
    git -C origin tag -am one v1 main
    local name
    for name in origin/main HEAD~1 v1 "$(git -C origin rev-parse --short=9 main)"; do
        rm -rf clone
        git clone -q --depth 1 --branch feature "file://$PWD/origin" clone
        exits 2 diff --base "$name" clone/jobs/units.yaml
        says "sheetbake: --base: no revision and no folder '$name', and this clone is shallow; to fetch it: git fetch *"
        (cd clone && eval "$(sed 's/.*to fetch it: //' <<<"$stderr")")
        exits 0 diff --base "$name" --json clone/jobs/units.yaml
        [ "$(states)" = 'changed units/one' ]
    done
    for name in HEAD~7 main2 ../old 'a b' 'x;rm' --output=x; do
        exits 2 diff --base "$name" clone/jobs/units.yaml
        [ "$stderr" = "sheetbake: --base: no revision and no folder '$name'" ]
    done
    [ ! -e x ]
}

@test "no git program, and no repository" {
    make_repository game
    mkdir bin
    run --separate-stderr env PATH="$PWD/bin" "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml
    exited 2
    [ "$stderr" = "sheetbake: --base: 'game/jobs': the program git is not in PATH" ]
    rm -rf game/.git
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: --base: 'game/jobs': git: not a git repository *; --base DIR compares with a folder"
    exits 2 diff --base HEAD /no-such-folder/units.yaml
    says "sheetbake: --base: '/no-such-folder': git: not a git repository *; --base DIR compares with a folder"
    printf '#!/bin/sh\nexit 3\n' >bin/git
    chmod +x bin/git
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml
    exited 2
    [ "$stderr" = "sheetbake: --base: 'game/jobs': git failed" ]
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

@test "Git LFS files are taken from where Git LFS keeps them; a pointer without its file is not drawn" {
    make_repository game
    local oid
    oid=$(sha256sum game/art/models/one.png | cut -d ' ' -f 1)
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12\n' "$oid" >game/art/models/one.png
    commit game pointer
    darken game/art/models/two.png
    cp "$DIE/textures/die.png" game/art/models/one.png
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: art/models/one.png in 'HEAD' is a Git LFS pointer, and its file is not here; to fetch it: git lfs fetch origin $(git -C game rev-parse HEAD)"
    local folder=game/.git/lfs/objects/${oid:0:2}/${oid:2:2}
    mkdir -p "$folder"
    cp "$DIE/textures/die.png" "$folder/$oid"
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/two' ]
    # Where the work tree has the pointer, too, it is not what HEAD draws.
    git -C game checkout -q .
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'failed units/one' ]
    darken game/art/models/two.png
    cp "$DIE/textures/die.png" game/art/models/one.png
    # A work tree of its own has the same store.
    git -C game worktree add -q ../other
    cp game/art/models/*.png other/art/models
    exits 0 diff --base HEAD --json other/jobs/units.yaml
    [ "$(states)" = 'changed units/two' ]
    # Whatever a pointer says, it leads nowhere else.
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:../../../../%064d\n' 7 >game/art/models/one.png
    commit game odd
    rm game/art/models/one.png
    exits 2 diff --base HEAD game/jobs/units.yaml
    says '*art/models/one.png*is a Git LFS pointer*'
}

@test "files that are larger than the memory there is are taken in pieces, from git and from where Git LFS keeps them" {
    ! grep -q __asan_init "$SHEETBAKE" || skip "the address sanitizer takes all addresses there are"
    make_repository game
    local oid
    oid=$(printf %064d 7)
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12\n' "$oid" >game/art/stored.bin
    mkdir -p "game/.git/lfs/objects/${oid:0:2}/${oid:2:2}"
    truncate -s 400M "game/.git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid"
    truncate -s 400M game/art/large.bin
    git -C game config core.bigFileThreshold 1m # or git itself has them in memory
    commit game large
    truncate -s 400M game/art/stored.bin
    rm game/art/large.bin
    darken game/art/models/one.png
    run --separate-stderr bash -c 'ulimit -v 500000; "$SHEETBAKE" diff --base HEAD -j 1 --json game/jobs/units.yaml'
    exited 0
    [ "$(states)" = 'changed units/one' ]
}

@test "git is asked with commands that run nothing, in whatever state the repository is" {
    make_repository game
    ln -s art game/link
    sed 's/art/link/' game/jobs/units.yaml >game/jobs/linked.yaml
    printf '* filter=evil\n' >game/.gitattributes
    commit game link
    note_calls_of_git
    local path=$PATH
    local step
    for step in true 'darken game/art/models/one.png' 'touch game/art/models/two.md2' 'ln -sfn jobs/../art game/link' \
        'git -C game add -A' 'rm game/art/models/two.md2' 'rm game/.git/index'; do
        eval "$step"
        PATH=$PWD/bin:$path exits 0 diff --base HEAD game/jobs/units.yaml game/jobs/linked.yaml
    done
    PATH=$PWD/bin:$path exits 2 diff --base nothing game/jobs/units.yaml
    grep -q ls-files calls
    never grep -vE -- '-c core.hooksPath=/dev/null -C [^ ]* (rev-parse|ls-tree -rz --full-tree|ls-files (--stage --debug -z|--others --exclude-standard)|cat-file --batch(-check=%\(objectsize\))?$)' calls
}

@test "assets behind a link that git does not know: the files of the revision are objects" {
    make_repository game
    sed 's#art#art/models#; s#models/one#one#g; s#models/two#two#g' game/jobs/units.yaml >game/jobs/deep.yaml
    commit game deep
    mv game/art away
    ln -s ../away game/art
    exits 0 diff --base HEAD --json game/jobs/units.yaml game/jobs/deep.yaml
    [ "$(states)$(same)" = 4 ]
    rm game/art
    mkdir game/art
    mv away game/models
    ln -s ../models game/art/models
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'failed units/one, failed units/two' ] # the assets follow no link
}

@test "what stands in the place of a Git LFS file and is none is not waited for" {
    make_repository game
    local oid
    oid=$(printf '%064d' 7)
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12\n' "$oid" >game/art/models/one.png
    commit game pointer
    rm game/art/models/one.png
    mkdir -p "game/.git/lfs/objects/00/00"
    mkfifo "game/.git/lfs/objects/00/00/$oid"
    exits 2 diff --base HEAD game/jobs/units.yaml
    says '*art/models/one.png*is a Git LFS pointer*'
}

@test "a submodule that has a filter of its own does not run it" {
    make_repository game
    make_repository game/art/part
    echo '* filter=evil' >game/art/part/.gitattributes
    commit game/art/part attributes
    commit game part
    printf '[filter "evil"]\n\tclean = touch %s/ran; cat\n' "$PWD" >>game/art/part/.git/config
    touch -d 2001-01-01 game/art/part/jobs/units.yaml # git would have to read it through the filter
    exits 2 diff --base HEAD game/jobs/units.yaml
    says '*art/part*submodule*'
    [ ! -e ran ]
    # A list that does not reach it.
    sed 's#assets: ../art#assets: ../art/models#; s#models/##g' game/jobs/units.yaml >game/jobs/models.yaml
    commit game models
    touch -d 2002-01-01 game/art/part/jobs/units.yaml
    darken game/art/models/one.png
    rm -f ran
    exits 0 diff --base HEAD --json game/jobs/models.yaml
    [ "$(states)" = 'changed models/one' ]
    [ ! -e ran ]
}

@test "a folder of the revision that has no files now, or had none then, is empty" {
    make_repository game
    local blob
    blob=$(printf '/etc/hostname' | git -C game hash-object -w --stdin)
    git -C game rm -rq --cached art
    git -C game update-index --add --cacheinfo "120000,$blob,art/models/one.md2"
    git -C game commit -qm link
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'fixed units/one, fixed units/two' ]
    git -C game add -A
    git -C game commit -qm all
    rm -r game/art
    mkdir game/art
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'failed units/one, failed units/two' ]
}

# A tree of which git would not make the names: "mode id name" in lines. Prints its id.
make_tree() { # repository
    local mode id name
    while read -r mode id name; do
        printf '%s %s\0' "$mode" "$name"
        printf '%s' "$id" | sed 's/../\\x&/g' | xargs -0 printf
    done | git -C "$1" hash-object -t tree -w --stdin --literally
}

@test "names that lead out of the repository write and read nothing there" {
    make_repository game
    local one list evil name
    one=$(git -C game rev-parse HEAD:art/models/one.md2)
    list=$(git -C game rev-parse HEAD:jobs)
    evil=$(printf '100644 %s evil.md2\n' "$one" | make_tree game)
    for name in "40000 $evil .." "100644 $one ../evil.md2" "40000 $evil .git" "100644 $one $PWD/evil.md2"; do
        local models art top
        models=$(printf '%s\n' "$name" "100644 $one other.md2" | make_tree game)
        art=$(echo "40000 $models models" | make_tree game)
        top=$(printf '40000 %s art\n40000 %s jobs\n' "$art" "$list" | make_tree game)
        git -C game update-ref refs/heads/odd "$(git -C game commit-tree "$top" -m odd)"
        exits 0 diff --base odd --json game/jobs/units.yaml
        [ "$(states)" = 'fixed units/one, fixed units/two' ]
        [ -z "$(find . -name 'evil*')" ]
    done
}

@test "a repository whose path has a line break" {
    make_repository $'a\nb'
    darken $'a\nb/art/models/one.png'
    exits 0 diff --base HEAD --json $'a\nb/jobs/units.yaml'
    [ "$(states)" = 'changed units/one' ]
}

@test "a submodule in the assets" {
    make_repository game
    make_repository part
    git -C game submodule --quiet add "$PWD/part" art/part 2>/dev/null
    commit game submodule
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: art/part in 'HEAD' is a submodule: check the revision out elsewhere and use --base DIR"
}

@test "files that git was told not to look at are compared as they are" {
    local flag
    for flag in --assume-unchanged --skip-worktree; do
        make_repository "game$flag"
        git -C "game$flag" update-index "$flag" art/models/one.png
        darken "game$flag/art/models/one.png"
        exits 0 diff --base HEAD --json "game$flag/jobs/units.yaml"
        [ "$(states)" = 'changed units/one' ]
    done
}

@test "only what a list reaches is taken from the revision, and nothing of it if it is unchanged" {
    make_repository game
    mkdir game/film
    echo long >game/film/one.mp4
    commit game film
    local object
    object=$(git -C game rev-parse HEAD:film/one.mp4)
    rm -f "game/.git/objects/${object:0:2}/${object:2}"
    darken game/art/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    git -C game checkout -q art
    object=$(git -C game rev-parse HEAD:art/models/one.md2)
    rm -f "game/.git/objects/${object:0:2}/${object:2}"
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ]
    # Nor does it take what is as it was.
    darken game/art/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    object=$(git -C game rev-parse HEAD:art/models/one.png)
    rm -f "game/.git/objects/${object:0:2}/${object:2}"
    exits 2 diff --base HEAD game/jobs/units.yaml
    says 'sheetbake: *some files of the revision are missing here; check it out elsewhere and use --base DIR'
}

@test "files that came, went, changed their case or became folders: the other side has none of them" {
    make_repository game
    sed -i "s/^- {name: two.*/- {name: '{path}', model: 'models\/**\/*.md2', skin: models\/two.png}/; /name: one/d" game/jobs/units.yaml
    local name
    for name in case folder old; do
        cp "$DIE/models/die.md2" "game/art/models/$name.md2"
    done
    commit game more
    git clone -q game old
    cd game/art/models
    mv case.md2 Case.md2
    mv folder.md2 model
    mkdir folder.md2 ignored
    mv model folder.md2/model.md2
    git init -q nested
    echo '*.md2' >../../.git/info/exclude
    for name in new ignored/new nested/new; do
        cp two.md2 "$name.md2"
    done
    rm old.md2
    cd ../../..
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states | sed 's/, /\n/g' | sort | paste -sd,)" = "added units/Case,added units/folder.md2/model,$(
        )added units/ignored/new,added units/nested/new,added units/new,$(
        )removed units/case,removed units/folder,removed units/old" ]
    jq 'del(.before, .after)' <<<"$output" >of_commit
    exits 0 diff --base old --json game/jobs/units.yaml
    jq 'del(.before, .after)' <<<"$output" | diff of_commit -
}

@test "a file that is new in an earlier folder of the assets hides one that did not change" {
    make_repository game
    sed -i 's/^assets:.*/assets: [..\/more, ..\/art]/' game/jobs/units.yaml
    mkdir -p game/more/models
    touch game/more/kept
    commit game more
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)$(same)" = 2 ]
    convert game/art/models/one.png -negate png:game/more/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
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

@test "--head: two revisions are compared, whatever the work tree has, or without any file in it" {
    make_repository game
    darken game/art/models/one.png
    commit game darker
    sed -i 's/cell: 16/cell: 24/; s/name: two/name: four/' game/jobs/units.yaml
    commit game larger
    cp -r game edited
    echo broken | tee edited/art/models/one.md2 >edited/jobs/units.yaml
    git clone -qn game empty
    local repository
    for repository in game edited empty; do
        exits 0 diff --base HEAD~2 --head HEAD~1 --json "$repository/jobs/units.yaml"
        [ "$(states)" = 'changed units/one' ]
        [ "$(same)" = 1 ]
        [[ $(titles) == 'HEAD~2 '*' -> HEAD~1 '*' "darker"' ]]
        [ "$(jq -r '.causes[].text' <<<"$output")" = 'input models/one.png changed' ]
        exits 0 diff --base HEAD --head HEAD~1 --json "$repository/jobs/units.yaml"
        [ "$(states)" = 'removed units/four, added units/two, rescaled units/one' ]
        exits 0 diff --base HEAD --head HEAD --json "$repository/jobs/units.yaml"
        [ "$(states)" = '' ]
    done
}

@test "--head: a revision that is not there, a list that it has not, one that is broken there" {
    make_repository game
    exits 2 diff --base HEAD --head HEAD~9 game/jobs/units.yaml
    [ "$stderr" = "sheetbake: --head: no revision and no folder 'HEAD~9'" ]
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 2 diff --base HEAD --head HEAD game/jobs/more.yaml
    says 'game/jobs/more.yaml is not in HEAD'
    sed 's/^jobs:/jobz:/' game/jobs/units.yaml >game/jobs/more.yaml
    commit game broken
    cp game/jobs/units.yaml game/jobs/more.yaml
    exits 2 diff --base HEAD~1 --head HEAD game/jobs/more.yaml
    says 'in HEAD: game/jobs/more.yaml:*jobz*'
}

@test "links in the repository lead where they led" {
    make_repository game
    mv game/art game/real
    ln -s real game/art
    commit game link
    darken game/real/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    # Where the link itself is another one.
    commit game darker
    cp -r game/real game/other
    darken game/other/models/two.png
    ln -sfn other game/art
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/two' ]
    # A folder that was a link.
    rm game/art
    mv game/other game/art
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/two' ]
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
        env --default-signal="$signal" "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml >out.txt 2>&1 3>&- &
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

@test "ended by a signal at any moment: nothing temporary is left" {
    make_repository game
    local i
    head -c 6000000 /dev/urandom | split -b 20000 -a 3 --additional-suffix=.bin - game/art/models/
    commit game large
    darken game/art/models/one.png
    for i in {0..12}; do
        timeout --signal="$([ $((i % 2)) = 0 ] && echo INT || echo TERM)" "$(printf '0.%03d' $((i * 24 + 1)))" \
            "$SHEETBAKE" diff --base HEAD -q game/jobs/units.yaml >/dev/null 2>&1 || true
        [ -z "$(ls -A "$TMPDIR")" ]
    done
}

@test "killed: a folder of ours in TMPDIR is left, and no process" {
    make_repository game
    sed -i 's/cell: 16, cameras: .front./cell: 512, supersample: 4, cameras: {directions: 32, name: c}/' game/jobs/units.yaml
    KILLED=$PWD "$SHEETBAKE" diff --base HEAD game/jobs/units.yaml >/dev/null 2>&1 3>&- &
    local pid=$!
    until_true eval '[ -d "$(echo "$TMPDIR"/sheetbake-*/after/units)" ]'
    [ -n "$(grep -slz "^KILLED=$PWD" /proc/[0-9]*/environ)" ]
    kill -KILL "$pid"
    wait "$pid" || true
    until_true eval '[ -z "$(grep -slz "^KILLED=$PWD" /proc/[0-9]*/environ)" ]'
    rm -r "$TMPDIR"/sheetbake-*
}

@test "options about drawing need --base" {
    mkdir old new
    local option
    for option in '-j 2' '--memory 1G' '--backend egl' '--config x.yaml' '--head x'; do
        # shellcheck disable=SC2086
        exits 2 diff $option old new
        says "*${option%% *} needs --base: without it nothing is drawn*"
    done
}

@test "a repository of somebody else: git refuses it, and the message says what to do" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    make_repository game
    chown -R 12345 game
    exits 2 diff --base HEAD game/jobs/units.yaml
    says "sheetbake: --base: 'game/jobs': git: detected dubious ownership in repository at '*'*git config --global --add safe.directory *"
    git config --global --add safe.directory "$PWD/game"
    exits 0 diff --base HEAD game/jobs/units.yaml
    says 'sheets: 2 same'
}

@test "commits are as they were made, and not as refs/replace or grafts of this clone have them" {
    make_repository game
    local first
    first=$(git -C game rev-parse HEAD)
    darken game/art/models/one.png
    commit game darker
    git -C game replace "$first" HEAD # without its parent, what follows has the same sheets
    exits 0 diff --base "$first" --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    git -C game replace -d "$first" >/dev/null
    git -C game rev-parse HEAD >game/.git/info/grafts
    exits 0 diff --base HEAD^ --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    exits 2 diff --base nowhere game/jobs/units.yaml
    never says '*hint*'
    exits 0 history game/jobs/units.yaml
    says 'sheets: 1 changed, 2 added'
}

@test "run by a hook of another repository, which sets GIT_DIR" {
    make_repository game
    git init -q other
    darken game/art/models/one.png
    local name
    for name in $(git rev-parse --local-env-vars); do
        export "$name=$PWD/other/.git"
    done
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    unset $(git rev-parse --local-env-vars)
    [ "$(states)" = 'changed units/one' ]
}

@test "line ends are those of the work tree" {
    make_repository game
    cp "$DIE/models/die.md5mesh" game/art/models/three.md5mesh
    echo '- {name: three, model: models/three.md5mesh, skin: models/two.png, animations: []}' >>game/jobs/units.yaml
    printf '*.md5mesh text eol=crlf\n' >game/.gitattributes
    commit game text
    rm game/art/models/three.md5mesh
    git -C game checkout -q .
    grep -q $'\r' game/art/models/three.md5mesh
    darken game/art/models/one.png
    exits 0 diff --base HEAD --json game/jobs/units.yaml
    [ "$(states)" = 'changed units/one' ]
    [ "$(same)" = 2 ]
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

@test "a reader who has seen enough is not a failure, a full disk is" {
    make_repository repo
    darken repo/art/models/one.png
    local options
    for options in '' --json; do
        { "$SHEETBAKE" diff $options --base HEAD repo/jobs/units.yaml 2>said || echo $? >code; } | true
        [ "$(<code)" = 141 ]
        never grep . said
        run bash -c '"$SHEETBAKE" diff -q "$@" repo/jobs/units.yaml >/dev/full' - $options --base HEAD
        exited 5
    done
}

# -- Causes ----------------------------------------------------------------------------------------------------------

# A repository with a die in three sheets: of a camera with eight directions and a light rig of the list's own, and two of
# one group. The list is jobs/party.yaml.
make_party() {
    git init -q party
    mkdir -p party/{art/models,jobs}
    for name in one two three four; do
        cp "$DIE"/models/die.md2 "party/art/models/$name.md2"
        cp "$DIE"/textures/die.png "party/art/models/$name.png"
    done
    cat >party/jobs/party.yaml <<-'END'
	version: 1
	assets: ../art
	cameras:
	  compass:
	    directions: 8
	    pitch: 30
	lights:
	  lamp: {key: {strength: 0.5}}
	defaults: {cell: 16, cameras: [front], animations: [hop], light: lamp}
	jobs:
	- name: round
	  model: models/one.md2
	  cameras: [compass, top]
	- {name: one, model: models/one.md2, fit: {scope: party}}
	- {name: two, model: models/two.md2, fit: {scope: party}}
	END
    commit party first
}

change() { # sed expressions...
    local edit
    git -C party checkout -q .
    for edit; do sed -i "$edit" party/jobs/party.yaml; done
    (cd party && exits 0 diff --base HEAD "${view[@]}" jobs/party.yaml && printf '%s' "$output" >../said)
    output=$(cat said)
}

@test "causes are in the words of the list, with the place: eight directions of a named camera are one" {
    make_party
    local view=(--json)
    change 's/pitch: 30/pitch: 35/'
    [ "$(jq -c '.causes[] | [.text, .place, .kind, .sheets]' <<<"$output")" = \
        '["camera compass: pitch 30 -> 35 (jobs/party.yaml:6)","jobs/party.yaml:6","setting",1]' ]
    view=()
    change 's/pitch: 30/pitch: 35/'
    [[ $output == *'  camera compass: pitch 30 -> 35 (jobs/party.yaml:6)'* ]]
    view=(--markdown -)
    change 's/pitch: 30/pitch: 35/'
    [[ $output == *'<br>`camera compass: pitch 30 -> 35 (jobs/party.yaml:6)`<br>`scale of the sheet '*'; both are drawn at one scale`'* ]]
}

@test "causes are in the words of the list: cameras in another order, a number that is new, another rig and its strength" {
    make_party
    local view=(--only round --json)
    causes_of() { change "$@" && jq -r '.causes[].text' <<<"$output"; }
    [ "$(causes_of 's/compass, top/top, compass/')" = \
        'cameras: [compass, top] -> [top, compass] (jobs/party.yaml:13)' ]
    [ "$(causes_of 's/directions: 8/directions: 8\n    roll: 5/')" = \
        'camera compass: roll 5, was not set (jobs/party.yaml:6)' ]
    [ "$(causes_of 's/light: lamp/light: rim/')" = 'light: lamp -> rim (jobs/party.yaml:9)' ]
    [ "$(causes_of 's/, light: lamp//')" = 'light: not set, was lamp' ]
    [ "$(causes_of 's/strength: 0.5/strength: 1/')" = 'light lamp: key.strength 0.5 -> 1 (jobs/party.yaml:8)' ]
    [ "$(causes_of 's/cell: 16/cell: [16, 24]/')" = 'cell: 16 -> [16, 24] (jobs/party.yaml:9)' ]
    change 's/pitch: 30/pitch: 30.0/' '1s/^/# A comment\n/'
    [ "$(jq -c '[.causes, .totals.sheets]' <<<"$output")" = '[[],{"same":1}]' ]
}

@test "more than two causes are counted" {
    make_party
    local view=(--only round) many='s/pitch: 30/pitch: 35/;s/cell: 16/cell: 24/;s/light: lamp/light: rim/'
    change "$many"
    [[ $output == *'  camera compass: pitch 30 -> 35 (jobs/party.yaml:6) (and 2 more)'* ]]
    view+=(--markdown -)
    change "$many"
    [[ $output == *'`camera compass: '*'`<br>`cell: 16 -> 24 (jobs/party.yaml:9)` and 1 more<br>`cell 16x16 -> 24x24, scale of the sheet '*'; both are drawn in one frame`'* ]]
}

@test "models that join a group or leave it are told, before their files" {
    make_party
    for name in three four; do echo $name >>party/art/models/$name.md2; done # those of the same bytes are no news
    commit party unlike
    local view=(--only one --json) more='$a- {name: three, model: models/three.md2, fit: {scope: party}}\
- {name: four, model: models/four.md2, fit: {scope: party}}'
    change "$more"
    [ "$(jq -r '.causes[0] | "\(.text), \(.kind)"' <<<"$output")" = 'fit of group party: 2 models were added, group' ]
    [ "$(jq -r '.causes[1:][].text' <<<"$output" | sort)" = "input models/four.md2 is used now
input models/three.md2 is used now" ]
    change "$more" '/name: two/d'
    [ "$(jq -r '.causes[0].text' <<<"$output")" = 'fit of group party: 2 models were added, 1 model was removed' ]
    change '/name: two/s/fit/loop: closed, fit/'
    [ "$(jq -r '.causes[].text' <<<"$output")" = 'fit of group party: settings of its jobs changed' ]
}

# What is asked for comes first, and the way to it after it.
@test "a missing file begins the message of its sheet" {
    make_party
    printf '{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "wand.bin", "byteLength": 36}]}' \
        >party/art/models/wand.gltf
    sed -i '$a- {name: wand, model: models/wand.gltf}' party/jobs/party.yaml
    (cd party && exits 0 diff --base HEAD --only wand --json jobs/party.yaml && printf '%s' "$output" >../said)
    [ "$(jq -r '.sheets[].reason' said)" = "models/wand.bin: no such file in the assets (models/wand.gltf: node 0:\
 mesh 0: primitive 0: POSITION: accessor 0: bufferView 0: buffer 0)" ]
}

compare_on_small_disk() {
    local size
    for size in 4k 60k 500k; do
        mount -o remount,size=$size disk
        TMPDIR=$PWD/disk run --separate-stderr "$SHEETBAKE" diff -j1 --base HEAD game/jobs/units.yaml
        grep -q TMPDIR <<<"$output$stderr"
        [ -z "$(ls -A disk)" ]
    done
    says "unknown       units/one                      *: one.png: cannot write * bytes: No space left on device; TMPDIR names another folder for temporary files"
    [ "$status" = 0 ]
}

# Says that it could not look: a commit that was not drawn is none that failed.
look_back_on_small_disk() {
    local size
    commit game large
    for size in 4k 60k; do
        mount -o remount,size=$size disk
        TMPDIR=$PWD/disk exits 5 history -j1 game/jobs/units.yaml && [ -z "$output" ] &&
            says 'sheetbake: commit ??????? cannot be looked at: *: No space left on device; TMPDIR names another folder for temporary files' &&
            never says "*$PWD*" && [ -z "$(ls -A disk)" ] || return 1
    done
    mount -o remount,size=4k disk
    TMPDIR=$PWD/disk exits 5 diff --base HEAD game/jobs/units.yaml &&
        says 'sheetbake: --base: a temporary file: cannot write * bytes: No space left on device; TMPDIR *' || return 1
    # A name that is longer than a message leaves no room for the reason.
    local deep=disk/$(printf '%0250d/%0250d/%0250d/%0250d' 1 2 3 4)
    mkdir -p "$deep"
    TMPDIR=$PWD/$deep exits 5 diff --base HEAD game/jobs/units.yaml &&
        says 'sheetbake: --base: a temporary file; TMPDIR *'
}

@test "TMPDIR is named where its folder is missing or full" {
    make_repository game
    darken game/art/models/one.png
    sed -i 's/cell: 16, \(.*\), animations: .hop./cell: 900, \1, animations: []/' game/jobs/units.yaml
    TMPDIR=/nowhere exits 5 diff --base HEAD game/jobs/units.yaml
    says 'sheetbake: cannot make a temporary folder in /nowhere: No such file or directory; TMPDIR names another'
    TMPDIR=/nowhere exits 5 history game/jobs/units.yaml
    says '*TMPDIR*'
    with_disk 4k compare_on_small_disk
    with_disk 4k look_back_on_small_disk
}

# bats test_tags=quick
@test "what merely quotes the words for a full disk is no full disk" {
    local full='No space left on device'
    make_repository game
    sed -i "s/cell: 16/'$full': 16/" game/jobs/units.yaml
    commit game broken
    sed -i "s/'$full': 16/cell: 16/" game/jobs/units.yaml
    commit game mended
    exits 0 history game/jobs/units.yaml
    says "*unknown key '$full'*"
    never says '*TMPDIR*'
    exits 2 diff --base "$full" game/jobs/units.yaml
    says "sheetbake: --base: no revision and no folder '$full'"
    sed -i "s/models\/one.md2/models\/$full.md2/" game/jobs/units.yaml
    exits 0 diff --base HEAD game/jobs/units.yaml
    says "failed *$full.md2*"
    never says '*TMPDIR*'
}
