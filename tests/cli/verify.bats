# bats file_tags=asan
load sheets

# `verify`, which checks an output folder, and --prune, which tidies it up.

setup() {
    work_in_empty_folder
    write_list dice <<-END
	- {name: red/die, model: models/die.md2, cell: 16, passes: [normal], metadata: [json, godot, aseprite]}
	- {name: pages, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}
	END
}

sheetbake() {
    run --separate-stderr "$SHEETBAKE" "$@"
}

# -- verify --

# bats test_tags=quick
@test "what a run has left is as it was written" {
    exits 0 render dice.yaml
    exits 0 verify dice.yaml
    [ "$output" = '15 files of 4 pages as written' ]
    exits 0 verify out
    exits 0 verify -q -o out/dice
    [ -z "$output$stderr" ]
}

# bats test_tags=quick
@test "each file that was changed, removed or cut off gets a line" {
    render dice.yaml
    printf x | dd of=out/dice/red/die.png bs=1 seek=100 conv=notrunc status=none
    truncate -s 50 out/dice/pages@1.png
    rm out/dice/red/die.tres
    truncate -s 300 out/dice/pages@2.sheetbake
    sed -i 's/"w": 16/"w": 17/' out/dice/pages.json
    touch out/dice/.red.png.1-00000000.tmp
    echo '{}' >out/dice/mine.json
    exits 3 verify out
    says 'out/dice/red/die.png: changed: *'
    says 'out/dice/pages@1.png: changed: *'
    says 'out/dice/red/die.tres: missing: *'
    says 'out/dice/pages@2.sheetbake: broken: *'
    says 'out/dice/pages.json: changed: *'
    says 'out/dice/.red.png.1-00000000.tmp: note: leftover: *the next run removes it'
    says 'out/dice/mine.json: note: undescribed: *'
    says 'out/dice/pages@2.png: note: undescribed: *'
    says '* files of 3 pages as written, 5 problems'
    sheetbake verify -q out
    [ "${#lines[@]}" = 5 ]
    exits 3 verify --json out
    [ "$(jq -r '.problems | map(.kind) | sort | join(" ")' <<<"$output")" = 'broken changed changed changed missing' ]
    [ "$(jq -r '.notes | map(.kind) | sort | join(" ")' <<<"$output")" = 'leftover undescribed undescribed undescribed' ]
}

@test "a page that a run makes anew between two looks at it is as it was written" {
    render dice.yaml
    cp -r out/dice before
    sed -i 's/cell: 16/cell: 24/' dice.yaml
    exits 0 render dice.yaml
    SWAP_FOLDERS=out/dice:before LD_PRELOAD=$TOOLS/trouble.so exits 0 verify --sandbox off dice.yaml # it swaps them in this process
    cmp out/dice/pages.json before/pages.json && return 1 # they have changed places
    [[ $(jq '.frames[].frame.w' out/dice/pages.json | sort -u) = 16 ]]
}

@test "of a list verify knows what is missing altogether" {
    render --only pages dice.yaml
    rm out/dice/pages@1.sheetbake
    exits 3 verify dice.yaml
    says 'out/dice/red/die: missing: no page of this job is there'
    says 'out/dice/pages: missing: page 2 of the 3 of this job is not there'
}

@test "of packed pages verify knows which part is missing altogether" {
    write_list packed <<<'- {name: pages, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {layout: packed, max_size: 36}}'
    exits 0 render packed.yaml
    exits 0 verify packed.yaml
    [ -e out/packed/pages@2.sheetbake ]
    rm out/packed/pages@1.*
    exits 3 verify -q packed.yaml
    [[ $output == 'out/packed/pages: missing: part 2 of the '[3-9]' of this job is not there' ]]
}

@test "a sheet of another list of this name, or a copy in another folder, is not the one that is missing" {
    mkdir a b
    sed 's|out/dice|../out/a|' dice.yaml >a/dice.yaml
    sed 's|out/dice|../out/b|' dice.yaml >b/dice.yaml
    exits 0 render a/dice.yaml b/dice.yaml
    exits 0 verify a/dice.yaml b/dice.yaml
    rm -r out/b/red
    exits 3 verify -q a/dice.yaml b/dice.yaml
    [[ $output == *'out/b/red/die: missing: no page of this job is there' ]]
    mkdir -p out/a/old
    mv out/a/red out/a/old
    exits 3 verify -q a/dice.yaml
    [[ $output == *'out/a/red/die: missing: no page of this job is there' ]]
}

@test "a page that another run left is a note, and two runs that both begin a sheet are a problem" {
    exits 0 render dice.yaml
    mkdir kept
    cp out/dice/pages@[12].* kept
    sed -i 's/max_size: 48/max_size: 480/' dice.yaml
    exits 0 render dice.yaml
    [ ! -e out/dice/pages@1.png ]
    exits 0 verify dice.yaml
    cp -r out/dice one
    cp kept/* out/dice
    exits 0 verify dice.yaml
    says 'out/dice/pages@1.sheetbake: note: leftover: a page of another run*'
    says 'out/dice/pages@2.sheetbake: note: leftover: *'
    exits 0 gallery out/dice
    exits 0 diff --fail-on changed one out/dice
    says 'sheets: 2 same'
    # Split since: the first page has another name.
    sed -i 's|max_size: 480}|max_size: 480}, split: animation|' dice.yaml
    exits 0 render dice.yaml
    cp one/pages.* out/dice
    exits 3 verify dice.yaml
    says 'out/dice/pages*.sheetbake: broken: another record is of the same page*'
    exits 1 diff --fail-on changed one out/dice
    says '*pages*: it is page 1 of its sheet, and so is *pages*, of another run: remove both and render again'
}

@test "a page that a list of another name left is none of the sheet" {
    exits 0 render dice.yaml
    sed 's/max_size: 48/max_size: 480/' dice.yaml >cubes.yaml
    exits 0 render cubes.yaml
    [ -e out/dice/pages@2.sheetbake ] # the old list might still make it
    exits 0 verify cubes.yaml
    exits 0 gallery out/dice
    [[ $output == *': 2 sheets, '* ]]
    exits 0 render -o one cubes.yaml
    exits 0 diff --fail-on changed one out/dice
    says 'sheets: 2 same'
}

# bats test_tags=quick
@test "verify of a folder that no run wrote is a problem" {
    mkdir empty
    exits 3 verify empty
    [ "${lines[0]}" = 'empty: missing: no record (*.sheetbake) is in it: no run of sheetbake wrote this folder' ]
    exits 0 render dice.yaml
    exits 3 verify out empty
    exits 3 verify -o empty dice.yaml
    says 'empty/pages: missing: no page of this job is there'
}

@test "a folder that verify cannot list to its end is not as it was written" {
    render dice.yaml
    BROKEN_LIST=pages.json LD_PRELOAD=$TOOLS/trouble.so sheetbake verify out
    exited 3
    says 'out/dice: unreadable: out/dice: cannot list all of it: Input/output error'
    BROKEN_LIST=die.json LD_PRELOAD=$TOOLS/trouble.so sheetbake verify dice.yaml
    exited 3
    says 'out/dice/red: unreadable: out/dice/red: cannot list all of it: Input/output error'
    BROKEN_LIST=dice LD_PRELOAD=$TOOLS/trouble.so exits 2 verify out
}

@test "verify wants a folder or a list that is there" {
    exits 2 verify
    exits 2 verify nowhere.yaml
    exits 2 verify -o nowhere
    says '*nowhere*No such file*'
}

@test "the next run makes anew what verify found, once its JSON is gone" {
    render dice.yaml
    cp -r out expected
    printf x | dd of=out/dice/red/die.png bs=1 seek=100 conv=notrunc status=none
    rm out/dice/red/die.json
    exits 0 render dice.yaml
    diff -r expected out
}

# -- What a page no longer has --

@test "a pass that is no longer asked for goes with the next change of its page" {
    render dice.yaml
    sed -i 's/passes: \[normal\], metadata: \[json, godot, aseprite\]/passes: [depth]/' dice.yaml
    exits 0 render dice.yaml
    [ "$(files out/dice/red)" = 'die.depth.png die.json die.png die.sheetbake' ]
}

# -- prune --

# bats test_tags=quick
@test "--prune removes the sheets of jobs that are gone, and says so first in a dry run" {
    render dice.yaml
    echo mine >out/dice/notes.txt
    sed -i '/red/d' dice.yaml
    cp -r out before
    exits 0 render --dry-run --prune dice.yaml
    says "would remove out/dice/red/die.sheetbake, die.aseprite.json, die.json, die.tres, die.normal.png, die.png: there is no job 'red/die' any more"
    diff -r before out
    exits 0 render --prune dice.yaml
    says "sheetbake: removed out/dice/red/die.sheetbake, die.aseprite.json, die.json, die.tres, die.normal.png, die.png: *"
    [ "$(files out/dice)" = 'notes.txt pages.json pages.png pages.sheetbake pages@1.json pages@1.png pages@1.sheetbake pages@2.json pages@2.png pages@2.sheetbake' ]
    [ ! -e out/dice/red ]
    exits 0 render --prune dice.yaml
    [[ $stderr != *removed* ]]
}

@test "--prune removes pages that a job no longer has, and leaves what somebody changed" {
    render dice.yaml
    sed -i 's/max_size: 48/max_size: 256/' dice.yaml
    echo mine >out/dice/pages@2.png
    exits 0 render -q --prune dice.yaml
    says 'sheetbake: left out/dice/pages@2.png: its bytes are not those that were written'
    [[ $stderr != *removed* ]]
    [ "$(files out/dice)" = 'pages.json pages.png pages.sheetbake pages@2.png red/die.aseprite.json red/die.json red/die.normal.png red/die.png red/die.sheetbake red/die.tres' ]
}

@test "--prune leaves what a link in the place of a folder of frames leads to; verify and render name the link" {
    write_list framed <<'EOF'
- {name: a, model: models/die.md2, cell: 8, animations: [hop], frames: {name: "{frame}.png"}}
- {name: b, model: models/die.md2, cell: 8, animations: [hop], frames: {name: "{frame}.png"}}
EOF
    render framed.yaml
    mv out/framed/b.frames theirs
    ln -s ../../theirs out/framed/b.frames
    cp -r theirs before
    exits 3 verify out/framed
    says 'out/framed/b.frames/0.png: changed: *'
    exits 3 render framed.yaml
    says 'error: b.png: out/framed/b.frames: a link, and files are written into this folder: remove it'
    diff -r before theirs
    # What a run that was killed has left there goes by the name of a file above.
    local left=.0.png.7-0123abcd.tmp
    touch "theirs/$left" out/framed/.b.frames.7-0123abcd.tmp
    exits 3 render framed.yaml
    [ ! -e out/framed/.b.frames.7-0123abcd.tmp ]
    rm "theirs/$left"
    sed -i '/name: b/d' framed.yaml
    exits 0 render --prune framed.yaml
    says 'sheetbake: left out/framed/b.frames/0.png: *'
    diff -r before theirs
    [ -L out/framed/b.frames ]
}

@test "--prune leaves the sheets of jobs that fail, and does nothing for a list with problems" {
    cp -r "$DIE" assets
    sed -i 's/^assets: .*/assets: assets/' dice.yaml
    render dice.yaml
    cp -r out before
    echo nonsense >assets/models/die.md2
    exits 3 render --prune dice.yaml
    diff -r before out
    sed -i '/red/s/.*/- {nmae: red}/' dice.yaml
    exits 2 render --prune dice.yaml
    diff -r before out
}

@test "--prune leaves what other lists have in the same folder" {
    write_list other <<<'- {name: other, model: models/die.md2, cell: 8}'
    exits 0 render -o out dice.yaml other.yaml
    cp -r out before
    exits 0 render -o out --prune dice.yaml
    diff -r before out
}

@test "--prune tells two lists of one name and folder in one run apart" {
    cp -r "$DIE" assets
    mkdir assets/models/more other
    cp assets/models/die.md2 assets/models/more
    write_list same "$PWD/assets" <<<'- {name: "{path}", model: "models/more/*.md2", cell: 8}'
    mv same.yaml other
    write_list same "$PWD/assets" <<<'- {name: same, model: models/die.md2, cell: 8}'
    exits 0 render -q -o out/both same.yaml other/same.yaml
    cp -r out before
    cp assets/models/more/die.md2 kept
    echo broken >assets/models/more/die.md2
    exits 3 render -q -o out/both --prune same.yaml other/same.yaml
    diff -r before out
    rm assets/models/more/die.md2
    exits 3 render -q -o out/both --prune same.yaml other/same.yaml
    diff -r before out
    says 'sheetbake: removed nothing of same.yaml while *: other/same.yaml:*'
    mv kept assets/models/more/die.md2
    sed -i 's/name: same/name: new/' same.yaml
    exits 0 render -q -o out/both --prune same.yaml other/same.yaml
    [ "$(files out/both)" = 'die.json die.png die.sheetbake new.json new.png new.sheetbake' ]
}

@test "--prune has to see whole lists" {
    exits 2 render --prune --only red/die dice.yaml
    says '*--prune and --only cannot be used together*'
    exits 2 render --prune --shard 1/2 dice.yaml
}
