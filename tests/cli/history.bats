# bats file_tags=asan

# `history`: which commits changed a sheet.

bats_require_minimum_version 1.5.0
load sheets
load repository

# A commit of all kinds of changes, most of which are none to the sheet `one`.
make_history() {
    if [ -d "$BATS_FILE_TMPDIR/history" ]; then
        cp -a "$BATS_FILE_TMPDIR/history" game
        return
    fi
    make_repository game
    darken game/art/models/one.png
    commit game 'darker one'
    darken game/art/models/two.png
    commit game 'darker two'
    echo hello >game/readme.txt
    commit game 'a readme'
    sed -i 's/cell: 16/cell: 24/' game/jobs/units.yaml
    commit game 'larger cells'
    git -C game mv art/models/one.png art/models/first.png
    sed -i 's/one.png/first.png/' game/jobs/units.yaml
    commit game 'a name of the picture'
    sed -i 's/^jobs:/jobz:/' game/jobs/units.yaml
    commit game 'a broken list'
    echo >>game/readme.txt
    commit game 'more to read'
    sed -i 's/^jobz:/jobs:/' game/jobs/units.yaml
    commit game 'mended list'
    echo broken >game/art/models/one.md2
    commit game 'a broken model'
    cp "$DIE/models/die.md2" game/art/models/one.md2
    commit game 'mended model'
    git -C game rm -q art/models/first.png
    commit game 'no picture'
    git -C game revert --no-edit HEAD >/dev/null
    git -C game switch -qc side HEAD~9
    darken game/art/models/two.png
    commit game 'darker on the side'
    git -C game switch -q main
    git -C game merge -q -X ours -m 'a merge' side
    git -C game switch -q main
    sed -i 's/^- {name: two/- {name: pair/' game/jobs/units.yaml
    commit game 'another name of two'
    cp -a game "$BATS_FILE_TMPDIR/history" # for tests to come
}

# "STATE SUBJECT" of the commits that --json has, newest first.
changes() {
    jq -r '.sheets[] | "\(.state) \(.job): \(.commit.subject)"' <<<"$output"
}

# bats test_tags=quick
@test "history says what diff says of each commit, and nothing of others" {
    make_history
    git -C game status >/dev/null
    exits 0 history game/jobs/units.yaml --only one --json
    diff - <(changes) <<-'END'
	fixed one: Revert "no picture"
	failed one: no picture
	fixed one: mended model
	failed one: a broken model
	fixed one: mended list
	failed one: a broken list
	rescaled one: larger cells
	changed one: darker one
	added one: first
	END
    jq -e '.sheets[-2].commit.author == "tester" and (.sheets[-2].change.pixels > 9)' <<<"$output"
    [ "$(jq -r '.sheets[5].reason' <<<"$output")" != "${output/jobz/}" ]
    [[ "$(jq -r '.sheets[5].reason' <<<"$output")" == 'in '*': game/jobs/units.yaml:4:1: '*jobz* ]]
    # The whole list, compared with what diff finds, commit by commit where both sides can be loaded.
    exits 0 history game/jobs/units.yaml --json
    changes >all
    local commit found
    for commit in $(git -C game rev-list --first-parent HEAD); do
        git -C game rev-parse -q --verify "$commit^" >/dev/null || continue
        run --separate-stderr "$SHEETBAKE" diff -j 1 --base "$commit^" --head "$commit" --json game/jobs/units.yaml
        [ "$status" = 0 ] && [[ $stderr != *jobz* ]] || continue
        found=$(jq -r --arg subject "$(git -C game log -1 --format=%s "$commit")" '.sheets[] |
            select(.state != "settings" and ((.reason // "") | startswith("on both sides") | not)) |
            "\(.state) \(.job): \($subject)"' <<<"$output" | sort)
        diff <(echo "$found") <(grep -F ": $(git -C game log -1 --format=%s "$commit")" all | sort) || [ -z "$found" ]
        echo "$found" >>each
    done
    # Rows of which diff knows nothing are those of the broken list and of the first commit.
    diff <(sort -u each | sed '/^$/d') <(sort -u all | grep -vE ': (first|a broken list|mended list)$')
    [ "$(git -C game status --porcelain)" = '' ]
}

@test "history says what diff --base says: of a cell, a light, a ground, and a rule" {
    make_repository game
    local change commit
    sed -i 's/cameras: .front./cameras: [{name: c, pitch: 40}]/' game/jobs/units.yaml
    commit game 'from above'
    for change in 's/cell: 16/cell: 21/' "s/cell: 21/cell: 12/" 's/cell: 12/&, light: {key: {strength: 0.5}}/' \
        's/cell: 12/&, ground: grid/' 's/ground: grid/&, cell: 30, rules: {triangles: 3}/; s/cell: 12, //'; do
        sed -i "$change" game/jobs/units.yaml
        commit game "$change"
    done
    exits 0 history game/jobs/units.yaml --json --since HEAD~5
    told() { # file
        jq -S '[.sheets[] | {job, state, reason, change, clips, ships, findings}] | sort_by(.job)' "$1"
    }
    for commit in 1 2 3 4 5; do
        jq --arg id "$(git -C game rev-parse "HEAD~$((5 - commit))")" '.sheets |= map(select(.commit.id == $id))' <<<"$output" >$commit
    done
    for commit in 1 2 3 4 5; do
        exits 0 diff -j 1 --base "HEAD~$((6 - commit))" --head "HEAD~$((5 - commit))" --json game/jobs/units.yaml
        cat >diff <<<"$output"
        [ "$(jq '.sheets | length' diff)" = 2 ]
        diff <(told diff) <(told $commit)
    done
    [ "$(jq -r '.sheets[].state' 1 2 | sort -u)" = rescaled ]
    jq -e '.sheets[0].findings[0].rule == "triangles"' 5
}

@test "only commits that may matter are read" {
    make_repository game
    local i
    for i in {1..30}; do
        echo "$i" >game/art/models/two.txt
        [ "$((i % 10))" != 0 ] || darken game/art/models/one.png
        commit game "change $i"
    done
    note_calls_of_git
    local path=$PATH
    PATH=$PWD/bin:$path exits 0 history game/jobs/units.yaml --only one --json
    [ "$(changes | cut -d: -f2 | paste -sd,)" = ' change 30, change 20, change 10, first' ]
    # The first commit, that which adds a file, and the three.
    [ "$(grep -c ls-tree calls)" = 5 ]
    never grep -vE -- '-c core.hooksPath=/dev/null -C [^ ]* (rev-parse|ls-tree -rz --full-tree|ls-files --stage --debug -z|cat-file --batch(-check=%\(objectsize\))?$|-c log.showRoot=true -c log.mailmap=false log -z .* --no-show-signature )' calls
}

@test "a sheet changes by another model of its group, and by a picture that was looked for in vain" {
    make_repository game
    sed -i 's/cell: 16,/cell: 16, fit: {scope: all},/; s/, skin: models.one.png//' game/jobs/units.yaml
    sed -i '/name: two/s/}/, animations: []}/' game/jobs/units.yaml
    commit game group
    cp "$SIGN/models/sign.md2" game/art/models/two.md2
    commit game 'another model two'
    echo >game/art/models/three.txt
    commit game 'nothing that is looked for'
    cp game/art/models/one.png game/art/models/other.png
    darken game/art/models/other.png
    mv game/art/models/other.png game/art/textures/die.png # models name it
    commit game 'the picture of one'
    sed -i 's/model: models.one.md2/&, skin: models\/one.png/' game/jobs/units.yaml
    commit game 'a skin'
    exits 0 history game/jobs/units.yaml --only one --json
    changes | grep -qx '[a-z]* one: another model two'
    changes | grep -qx '[a-z-]* one: the picture of one'
    never grep -q 'nothing that' <(changes)
}

@test "of a list that is broken, any commit may mend it" {
    make_repository game
    sed -i 's/^version: 1/&\ninclude: more.yaml/' game/jobs/units.yaml
    git -C game commit -qa --amend -m first
    printf 'version: 1\ndefaults: {supersample: 2}\n' >game/jobs/more.yaml
    commit game 'what is included'
    darken game/art/models/one.png
    sed -i '/^include/d' game/jobs/units.yaml
    commit game 'without it'
    exits 0 history game/jobs/units.yaml --only one --json
    [ "$(changes | paste -sd,)" = 'changed one: without it,fixed one: what is included,failed one: first' ]
}

@test "--since, --max and a shallow clone: what was not looked at is said" {
    make_history
    exits 0 history game/jobs/units.yaml --only one --json --since HEAD~2
    [ -z "$stderr" ]
    [ "$(changes)" = '' ]
    exits 0 history game/jobs/units.yaml --only one --since HEAD~2
    says 'no commit changed a sheet'
    exits 0 history game/jobs/units.yaml --only one --json --since HEAD~4
    [ "$(changes | paste -sd,)" = 'fixed one: Revert "no picture",failed one: no picture' ]
    exits 0 history game/jobs/units.yaml --only one --json --max 3
    [ "$(changes | paste -sd,)" = 'fixed one: Revert "no picture"' ]
    says 'sheetbake: note: these are as many commits as --max allows'
    exits 2 history game/jobs/units.yaml --since HEAD
    says "sheetbake: 'HEAD' has all commits of HEAD"
    exits 2 history game/jobs/units.yaml --since nothing
    says "sheetbake: --since: no revision *'nothing'"
    git clone -q --depth 4 "file://$PWD/game" clone
    exits 0 history clone/jobs/units.yaml --only one --json
    [ "$(changes | paste -sd,)" = 'fixed one: Revert "no picture"' ]
    says 'sheetbake: note: this clone is shallow*'
}

@test "the table and the page" {
    make_history
    exits 0 history game/jobs/units.yaml --only one --html page.html
    says 'commit   date        author            state         sheet       change  frames *subject                                   cause'
    says '[0-9a-f]*  20[0-9-]*  tester            changed       units/one     * %  2 of 2 frames  darker one                                input models/one.png changed'
    says 'sheets: *'
    [ "$(sed -n '2s/^[0-9a-f]\{7\}  [-0-9]\{10\}  tester  *\([a-z]*\) .*/\1/p' <<<"$output")" = fixed ]
    grep -q '"darker one"' page.html
    exits 0 history game/jobs/units.yaml --only one --html review/ -q
    [ -e review/index.html ] && [ -n "$(ls 'review/index@files')" ]
}

@test "columns of the table count characters, and cut what is long" {
    make_repository game
    git config --global user.name 'Jón Þór, of the north'
    darken game/art/models/one.png
    commit game 'darker: a subject, ééé, that says more than there is room for'
    git config --global user.name Zoë
    darken game/art/models/one.png
    commit game 'darker, ever'
    exits 0 history game/jobs/units.yaml --only one
    says '???????  ????-??-??  Zoë               changed       units/one     ?? %  2 of 2 frames  darker, ever                              input models/one.png changed'
    says '???????  ????-??-??  Jón Þór, of the…  changed       units/one     ?? %  2 of 2 frames  darker: a subject, ééé, that says more …  input models/one.png changed'
    exits 0 history game/jobs/units.yaml --json
    id=$(git -C game rev-parse HEAD) jq -e '[.after.name, .after.detail, .before.name, .sheets[0].name] == [(env.id | .[:7]), "darker, ever", "nothing", "units/one"]' <<<"$output"
    exits 0 history game/jobs/units.yaml --json --max 1
    id=$(git -C game rev-parse HEAD~1) jq -e '.before.name == (env.id | .[:7])' <<<"$output"
}

@test "no repository, no such job, no list, no commit" {
    make_repository game
    exits 2 history game/jobs/units.yaml --only nothing
    says 'sheetbake: game/jobs/units.yaml: no such job in any commit'
    exits 2 history game/jobs/other.yaml
    says 'sheetbake: game/jobs/other.yaml: no such job in any commit'
    sed -i 's/^jobs:/jobz:/' game/jobs/units.yaml
    git -C game commit -qa --amend -m broken
    exits 2 history game/jobs/units.yaml
    says 'sheetbake: in *: game/jobs/units.yaml:4:1: *jobz*'
    rm -rf game/.git
    exits 2 history game/jobs/units.yaml
    says "sheetbake: 'game/jobs': git: not a git repository *"
    git init -q game
    exits 2 history game/jobs/units.yaml
    says 'sheetbake: git: *'
}

@test "HEAD has a broken list, or no longer the job: what was before is told" {
    make_repository game
    sed -i '/name: one/d' game/jobs/units.yaml
    commit game 'without one'
    exits 0 history game/jobs/units.yaml --only one --json
    [ "$(changes | paste -sd,)" = 'removed one: without one,added one: first' ]
    sed -i 's/^jobs:/jobz:/' game/jobs/units.yaml
    commit game broken
    exits 0 history game/jobs/units.yaml --json
    changes | grep -qx 'failed two: broken'
    changes | grep -qx 'removed one: without one'
    exits 0 history game/jobs/units.yaml --only two --json --timeout 0.5 --max 3
    [ "$(changes | paste -sd,)" = 'failed two: broken,added two: first' ]
}

@test "nothing of the repository is run" {
    make_history
    printf '#!/bin/sh\ntouch "%s/ran"\ncat\n' "$PWD" >program
    chmod +x program
    local key
    for key in filter.evil.smudge filter.evil.clean filter.evil.process core.fsmonitor diff.evil.textconv \
        diff.evil.command diff.external gpg.program gpg.ssh.program core.sshCommand core.pager pager.log pager.ls-tree alias.log; do
        git -C game config "$key" "$PWD/program"
    done
    git -C game config log.showSignature true
    git -C game config log.showRoot false
    git -C game config log.diffMerges combined
    git -C game config color.ui always
    mkfifo pipe
    git -C game config diff.orderFile "$PWD/pipe"
    echo '*.png filter=evil diff=evil' >game/.git/info/attributes
    git -C game -c filter.evil.process= -c filter.evil.clean=cat -c diff.orderFile= commit -q --allow-empty -m empty
    # A commit with a signature, which the trap would ask about.
    git -C game cat-file commit HEAD | sed '0,/^$/s//gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n/' |
        git -C game hash-object -t commit -w --stdin >id
    git -C game update-ref HEAD "$(cat id)"
    rm -f ran
    git -C game log -1 >/dev/null 2>&1 || true
    [ -e ran ] # the trap works
    rm ran
    git -C game config mailmap.file "$PWD/pipe" # which git log would wait for, too
    exits 0 history game/jobs/units.yaml --only one --json
    [ ! -e ran ]
    changes | grep -qx 'added one: first'
}

@test "ended by a signal: nothing temporary is left" {
    make_repository game
    sed -i 's/cell: 16, cameras: .front./cell: 512, supersample: 4, cameras: {directions: 32, name: c}/' game/jobs/units.yaml
    commit game large
    env --default-signal=INT "$SHEETBAKE" history game/jobs/units.yaml >/dev/null 2>&1 3>&- &
    local pid=$! code=0
    until_true eval '[ -d "$(echo "$TMPDIR"/sheetbake-*/0)" ]'
    kill -INT "$pid" || true
    wait "$pid" || code=$?
    [ "$code" = 130 ]
}
