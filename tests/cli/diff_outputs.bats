# bats file_tags=asan

# What `diff` writes for CI systems: --markdown, --junit, annotations, --fail-on.
load sheets

# Two folders: a sheet has changed, one is the same, one is only before, one only after.
setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    cp -r "$DIE" assets
    make_folders 'textures/other.png'
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
}

# The skin that changes; its name goes into records.
make_folders() { # skin
    cp "$DIE/textures/die.png" "assets/$1"
    render_to before <<END
  - {name: changed, model: models/die.md2, skin: '$1'}
  - {name: same, model: models/die.md2}
  - {name: gone, model: models/die.md2, cell: 24}
END
    convert -negate "$DIE/textures/die.png" png:new
    mv new "assets/$1"
    render_to after <<END
  - {name: changed, model: models/die.md2, skin: '$1'}
  - {name: same, model: models/die.md2}
  - {name: new, model: models/die.md2, cell: 32}
END
}

render_to() { # folder
    { printf 'defaults: {cell: 16, animations: [hop]}\njobs:\n'; cat; } | write_list all assets
    exits 0 render -q --force -o "$1" all.yaml
}

@test "Markdown has a row for each sheet that differs" {
    exits 0 diff --markdown diff.md before after
    [ "$(head -n 1 diff.md)" = '### 3 of 4 sheets differ' ]
    grep -qE '^\| `all/changed`<br>`input textures/other.png changed` \| changed \| `2 of 2 frames` \| [1-9][0-9.]* % \|$' diff.md
    [ "$(sed -nE 's/^\| `([^`]+)`.* \| ([a-z]+) \| .*/\1 \2/p' diff.md)" = $'all/changed changed\nall/gone removed\nall/new added' ]
    exits 0 diff --markdown diff.md before before
    [ "$(head -n 1 diff.md)" = 'No differences in 3 sheets.' ]
}

@test "--markdown - is standard output, without the plain table" {
    exits 0 diff --markdown diff.md before after
    exits 0 diff --markdown - before after
    [ "$output" = "$(<diff.md)" ]
    [ ! -e - ]
    exits 2 diff --json --markdown - before after
    says 'sheetbake diff: --json and --markdown - cannot be used together'
}

@test "--budget limits the Markdown, and has limits itself" {
    exits 2 diff --budget 1999 --markdown diff.md before after
    exits 2 diff --budget many --markdown diff.md before after
    exits 0 diff --budget 2000 --markdown diff.md before after
    [ "$(wc -m <diff.md)" -le 2000 ]
}

@test "the JUnit report is one, and fails what --fail-on names" {
    exits 0 diff --junit diff.xml before after
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" diff.xml
    [ "$(xmllint --xpath 'string(/testsuites/@tests)' diff.xml)" = 3 ]
    [ "$(xmllint --xpath 'string(/testsuites/@failures)' diff.xml)" = 0 ]
    exits 1 diff --junit diff.xml --fail-on changed,added before after
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" diff.xml
    [ "$(xmllint --xpath 'string(//testcase[failure][@name="changed"]/failure/@type)' diff.xml)" = changed ]
    [ "$(xmllint --xpath 'string(/testsuites/@failures)' diff.xml)" = 2 ]
}

@test "GitHub gets annotations" {
    GITHUB_ACTIONS=true exits 1 diff --fail-on removed before after
    says '::error title=all/gone::removed: *'
    says '::notice title=1 sheet differs::input textures/other.png changed'
    GITHUB_ACTIONS=true exits 0 diff --ci off before after
    never says '::*'
}

@test "a side that cannot be read is unknown in every report" {
    truncate -s -1 before/changed.png
    GITHUB_ACTIONS=true exits 1 diff --fail-on failed --markdown diff.md --junit diff.xml --html page.html before after
    says 'unknown *all/changed *before/changed.png: the PNG is cut off*'
    says '::error title=all/changed::unknown: before/changed.png: the PNG is cut off*'
    never says '::notice*not compared*'
    grep -qE '^\| `all/changed`<br>`before/changed.png: the PNG is cut off.* \| unknown \|  \|  \|$' diff.md
    [ "$(xmllint --xpath 'string(//testcase[@name="changed"]/failure/@type)' diff.xml)" = unknown ]
    [ "$(xmllint --xpath 'string(/testsuites/@failures)' diff.xml)" = 1 ]
    grep -q '"state":"unknown"' page.html
    exits 0 diff --json before after
    [ "$(jq -r '.sheets[0] | .name, .state, .reason' <<<"$output" | head -n 2 | paste -sd' ')" = 'all/changed unknown' ]
    [ "$(jq -r '.causes[0].kind' <<<"$output")" = not-compared ]
}

@test "--fail-on names states, and each alone decides" {
    for state in changed added removed; do
        exits 1 diff --fail-on "$state" before after
        exits 0 diff --fail-on "$state" before before
    done
    exits 0 diff --fail-on failed,moved before after
    exits 2 diff --fail-on failed,odd before after
    says "*--fail-on: unknown state 'odd', allowed are unknown, failed, texture-lost, new-warning, changed, *"
}

@test "names of files do no harm" {
    rm -r before after
    local name='<b>@all www.x `y`|z [a](b) ##[error]&.png'
    make_folders "textures/$name"
    GITHUB_ACTIONS=true exits 0 diff --markdown diff.md --junit diff.xml before after
    says 'changed *#\?\[error\]&.png changed'
    grep -qxF "::notice title=1 sheet differs::input textures/$name changed" <<<"$stderr"
    grep -qF '<br>`` input textures/<b>@all www.x `y`\|z [a](b) ##[error]&.png changed `` |' diff.md
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" diff.xml
    [[ $(xmllint --xpath 'string(//testcase[@name="changed"]/system-out)' diff.xml) == *"$name"* ]]
}

@test "no name turns the direction of a line" {
    rm -r before after
    make_folders $'textures/\xe2\x80\xaegnp.\xe2\x81\xa6a\xe2\x80\x8f.png' # U+202E, U+2066, U+200F
    GITHUB_ACTIONS=true exits 0 diff -v --markdown diff.md --junit diff.xml before after
    says '::notice *input textures/???gnp.???a???.png changed'
    says 'changed *input textures/???gnp.???a???.png changed'
    never grep -P '\xe2[\x80\x81][\x8f\xa6\xae]' <<<"$output$stderr$(cat diff.md diff.xml)"
    grep -qP '\xe2\x80\xae' after/changed.sheetbake # the trap works
}

@test "a file that cannot be written is told before anything is compared" {
    for option in markdown junit; do
        exits 2 diff --$option no/such/folder/file before after
        says '*no/such/folder/file*'
        exits 2 diff --$option "$PWD" before after
        exits 2 diff --$option '' before after
    done
}

find_writer() { # pattern of a temporary file
    writer=$(compgen -G "$1" | grep -o '[0-9]*\.tmp$')
}

# Runs it until it writes a temporary file like this, and kills it. The process that writes may be a child, which ends, too.
# Before it compares it tries whether the file can be made, and removes that again: a run that is killed then is not one.
kill_at() { # pattern of the file, command...
    local pid writer
    until compgen -G "$1"; do
        STALL_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so "$SHEETBAKE" "${@:2}" >/dev/null 2>&1 3>&- &
        pid=$!
        until_true find_writer "$1"
        kill -KILL $pid
        wait $pid || true
        until_true eval "! kill -0 ${writer%.tmp} 2>/dev/null"
    done
}

@test "what a killed run left of a file is removed when the file is written again" {
    local way
    for way in markdown junit html; do
        kill_at ".file.$way.*.tmp" diff before after --$way file.$way
    done
    kill_at 'site/index@files/.*.tmp' diff before after --html site/
    mkdir -p gallery/index@files/sheets
    touch gallery/{.index.html,index@files/.common.js,index@files/sheets/.0.js}.4194305.tmp # no process has this number
    touch ".file.html.$$.tmp" .file.html.tmp .file.html.x.tmp .page.html.4194305.tmp # of one that lives, and of others
    exits 0 diff before after --markdown file.markdown --junit file.junit --html file.html
    exits 0 diff before after --html site/
    exits 0 gallery -o gallery after
    [ -z "$(find site gallery -name '.*.tmp')" ]
    [ "$(ls -d .*.tmp | paste -sd' ')" = ".file.html.$$.tmp .file.html.tmp .file.html.x.tmp .page.html.4194305.tmp" ]
}
