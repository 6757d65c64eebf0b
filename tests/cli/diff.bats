# bats file_tags=asan
load models
load sheets
load fields

# `diff` of two output folders: after a change of a texture, a clip, a layout, a name; with damaged folders.
# diff_outputs.bats has what it writes for CI systems.

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    cp -r "$DIE" assets
    render_to before
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
}

# Renders die and pair into a folder; arguments change the lines of the list by sed.
render_to() { # folder, sed expressions...
    write_list dice assets <<-END
	defaults: {cell: 16, animations: [{name: hop, sampling: {count: 4}}], light: $UNLIT}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: pair, model: models/die.md2, skin: textures/own.png, cameras: {directions: 2, name: c}}
	END
    [ -e assets/textures/own.png ] || cp assets/textures/die.png assets/textures/own.png
    local folder=$1 edit
    shift
    for edit; do sed -i "$edit" dice.yaml; done
    exits 0 render -q -o "$folder" dice.yaml
}

row() { # sheet -> its line of the table, without its name, spaces as one
    grep -E "^[a-z-]+ +$1 " <<<"$output" | sed "s| *$1 *| |; s/  */ /g"
}

# bats test_tags=quick
@test "two folders of one run are the same" {
    cp -r before after
    exits 0 diff before after
    [ "$output" = 'sheets: 2 same' ]
    exits 0 diff --fail-on changed,added,removed,failed before after
}

@test "a sheet whose record is broken on both sides in the same way is unknown, and passes no gate" {
    truncate -s 100 before/pair.sheetbake
    cp -r before after
    cp before/die.png after/pair.png
    exits 1 diff --fail-on changed before after
    says "unknown *pair *after/pair.sheetbake: it is not the record of a sheet, or is cut off"
    [ "${lines[-1]}" = 'sheets: 1 unknown, 1 same' ]
}

# bats test_tags=quick
@test "a texture that changes gives its sheet, its frames and its name" {
    convert assets/textures/own.png -negate png:new && mv new assets/textures/own.png
    render_to after
    exits 0 diff before after
    [[ $(row dice/pair) =~ ^"changed "[1-9][0-9.]*" % 8 of 8 frames input textures/own.png changed"$ ]]
    [ "${lines[-1]}" = 'sheets: 1 changed, 1 same' ]
    exits 0 diff -v before after
    says '    changed pair/hop/c-1/0003: * pixels in *x* at *, largest *, mean *'
    exits 0 diff -q before after
    [ "$output" = 'sheets: 1 changed, 1 same' ]
    exits 1 diff -q --fail-on removed,changed before after
    exits 0 diff -q --fail-on removed,added before after
}

@test "the frames that differ are those whose cells do" {
    convert assets/textures/own.png -fill '#123456' -draw 'point 3,3' png:new && mv new assets/textures/own.png
    render_to after
    exits 0 diff --json before after
    jq -r '.sheets[].clips[].frames[] | select(.state == "changed").name' <<<"$output" | sort >said
    local x=0 y name
    for name in $(jq -r '.frames | keys[]' before/pair.json); do
        local place=$(jq -r --arg n "$name" '.frames[$n].frame | "\(.w)x\(.h)+\(.x)+\(.y)"' before/pair.json)
        [ "$place" = "$(jq -r --arg n "$name" '.frames[$n].frame | "\(.w)x\(.h)+\(.x)+\(.y)"' after/pair.json)" ]
        cmp -s <(convert before/pair.png -crop "$place" rgba:-) <(convert after/pair.png -crop "$place" rgba:-) || echo "$name"
    done | sort >seen
    [ -s seen ]
    diff seen said
}

@test "a clip at another rate is retimed, one of other samples has other frames" {
    render_to after 's/count: 4}/count: 4}, rate: 2/'
    exits 0 diff before after
    [ "$(row dice/die)" = 'retimed 4 retimed animation hop: rate 2, was not set' ]
    exits 0 diff -v before after
    says '    a frame takes 50 -> 250 ms'
    render_to more 's/count: 4/count: 6/'
    exits 0 diff -v before more
    [[ $(row dice/die) == 'changed '*' of 6 frames, of these 2 added (1 retimed) animation hop: sampling.count 4 -> 6' ]]
    says '    added die/hop/three_quarter/0005'
}

@test "another padding moves no frame: the sheets are repacked" {
    render_to after 's/light:/sheet: {padding: 6}, light:/'
    exits 0 diff --fail-on changed,moved before after
    [ "$(row dice/die)" = 'repacked sheet.padding: 0 -> 6' ]
    [ "$(row dice/pair)" = 'repacked sheet.padding: 0 -> 6' ]
}

@test "a list that says the same in other words, or on other lines, changes no sheet" {
    render_to after '1s/^/# A comment\n/'
    diff -r before after -x .sheetbake.lock
    render_to other 's/cell: 16/cell: [16, 16]/'
    ! cmp -s before/die.sheetbake other/die.sheetbake
    exits 0 diff before other
    [ "$output" = 'sheets: 2 same' ]
    exits 0 render --dry-run -o before dice.yaml
    says '0 sheets would be made, 2 up to date'
}

@test "a trimmed and packed sheet of the same pictures is repacked" {
    render_to after 's/light:/sheet: {layout: packed, trim: true, max_size: 64}, light:/'
    exits 0 diff before after
    [[ $(row dice/die) == 'repacked sheet.layout: grid -> packed (and 2 more)' ]]
}

@test "a larger cell of the same picture is moved, and its pivot tells where" {
    render_to after 's/name: die,/name: die, fit: {pixels_per_unit: 2}, cell: 20,/'
    render_to other 's/name: die,/name: die, fit: {pixels_per_unit: 2}, cell: 24,/'
    exits 0 diff --only die after other
    [ "$(row dice/die)" = 'moved 4 moved cell: 20 -> 24' ]
}

@test "a job under another name is renamed" {
    render_to after 's/name: pair,/name: couple,/'
    exits 0 diff before after
    [[ $(row dice/couple) == 'renamed '*'(was dice/pair)' ]]
    [ "${lines[-1]}" = 'sheets: 1 renamed, 1 same' ]
}

# bats test_tags=quick
@test "jobs that come and go are added and removed" {
    render_to some '/name: pair,/d'
    exits 0 diff before some
    [ "$(row dice/pair)" = 'removed 8 frames no longer made' ]
    exits 0 diff some before
    [ "$(row dice/pair)" = 'added 8 frames not made before' ]
    exits 0 diff --only 'd*' some before
    [ "$output" = 'sheets: 1 same' ]
}

@test "folders of several lists are compared as a whole" {
    mkdir old new
    cp -r before old/dice
    cp -r before new/dice
    render_to new/more 's/cell: 16/cell: 20/'
    [ -e new/more/.sheetbake.lock ]
    exits 0 diff old new
    [ "${lines[-1]}" = 'sheets: 2 added, 2 same' ]
}

@test "--tolerance and --pixels leave out what is small" {
    convert assets/textures/own.png -modulate 101 png:new && mv new assets/textures/own.png
    render_to after
    exits 0 diff -q before after
    [ "$output" = 'sheets: 1 changed, 1 same' ]
    exits 0 diff -q --tolerance 0.1 before after
    [ "$output" = 'sheets: 2 same' ]
    exits 0 diff -q --pixels 256 before after
    [ "$output" = 'sheets: 2 same' ]
    render_to padded 's/light:/sheet: {padding: 6}, light:/'
    exits 0 diff -q --tolerance 0.1 before padded
    [ "$output" = 'sheets: 2 repacked' ]
    exits 2 diff --tolerance 1.5 before after
    exits 2 diff --pixels -1 before after
}

@test "what differs in a model is told as a person says it, and nothing that nobody sees" {
    mkdir -p art
    local pip name filter turn='(.nodes | map(.name == "origin") | index(true)) as $i |
        .animations[].channels |= map(select(.target.node != $i)) | .nodes[$i]'
    pip=$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb
    declare -A filters=([scaled]="$turn.scale = [1.1, 1.1, 1.1]" [larger]="$turn.scale = [1.004, 1.004, 1.004]"
        [turned]="$turn.rotation = [-0.70710678, 0, 0, 0.70710678]" [about]="$turn.rotation = [0, 1, 0, 0]"
        [clip]='(.animations[] | select(.name == "wave")).name = "cheer"' [joint]='.nodes += [{name: "tail_3"}] | .scenes[0].nodes += [35]'
        [bone]='(.nodes[] | select(.name == "hand_r")).name = "Hand.R"' [copy]='.nodes += [{mesh: 0, skin: 0, name: "more"}] | .scenes[0].nodes += [35]')
    for name in "${!filters[@]}"; do echo "- {name: $name, model: $name.glb, animations: [idle], cell: 16, sampling: {count: 1}, cameras: [front]}"; done >jobs
    write_list pips art <jobs
    for name in "${!filters[@]}"; do edit_glb "$pip" "art/$name.glb" "$turn.name = \"origin\""; done
    exits 0 render -q -o old pips.yaml
    for name in "${!filters[@]}"; do edit_glb "art/$name.glb" "$name.new" "${filters[$name]}" && mv "$name.new" "art/$name.glb"; done
    exits 0 render -q -o new pips.yaml
    exits 0 diff --json old new
    says_of() { [ "$(jq -c --arg name "pips/$1" '.sheets[] | select(.name == $name).model' <<<"$output")" = "$2" ] || { jq -c --arg name "pips/$1" '.sheets[] | select(.name == $name).model' <<<"$output"; return 1; }; }
    says_of scaled '["1.10 times as large"]'
    says_of larger '[]'
    [[ $(jq -r '.sheets[] | select(.name == "pips/turned").model[]' <<<"$output") == 'turned: depth and height exchanged'* ]]
    says_of about '["turned by half: front to back, left to right"]'
    says_of clip '["clips: + cheer, - wave"]'
    says_of joint '["joints 35 -> 36 (+ tail_3)"]'
    says_of bone '["joints: + Hand.R, - hand_r"]'
    says_of copy '["joints 35 -> 36 (+ more)","triangles 3,758 -> 6,070","vertices 2,241 -> 3,583"]'
    exits 0 diff -v --markdown md --junit junit --html page.html old new
    says '    joints 35 -> 36 (+ tail_3)'
    grep -q '<br>`joints 35 -> 36 (+ tail_3)`' md
    grep -q 'joints 35 -&gt; 36 (+ tail_3)' junit
    grep -qE '"model":\["joints 35 -(>|\\u003[Ee]) 36 \(\+ tail_3\)"\]' page.html
}

@test "facts and warnings before and after" {
    mv assets/models/die.md2 assets/models/other.md2
    rm assets/textures/die.png
    render_to after 's|models/die|models/other|'
    exits 0 diff -v before after
    says '    new warning: *textures/die*'
    never says '    missing textures *' # the warning says it
    never grep '^    model' <<<"$output" # its path alone differs, and the cause has that
    [[ ${lines[1]} == 'texture-lost  dice/die '* ]]
    local states
    for states in changed failed,texture-lost; do exits 1 diff -q --fail-on "$states" before after; done
    exits 0 diff -q --fail-on failed,removed before after
    exits 0 diff -v after before
    says '    warning gone: *textures/die*'
    [[ $(row dice/die) == 'changed '* ]]
}

# bats test_tags=quick
@test "each damaged file costs its own sheet and one message" {
    convert assets/textures/own.png -negate png:new && mv new assets/textures/own.png
    convert assets/textures/die.png -negate png:new && mv new assets/textures/die.png
    render_to after
    local file
    for file in die.png die.json die.sheetbake; do
        cp -r after damaged
        truncate -s 60 "damaged/$file"
        exits 0 diff before damaged
        [ "$(wc -l <<<"$stderr")" = 1 ]
        [[ $stderr == "sheetbake: damaged/$file: "* ]]
        [[ $output == *'sheets: 1 unknown, 1 changed' ]]
        exits 1 diff --fail-on failed before damaged
        # It may have any state: no gate lets it pass.
        exits 1 diff --fail-on texture-lost before damaged
        # Nor was it mended where the other side is good: nothing was compared.
        exits 1 diff --fail-on failed damaged before
        [[ $output == *'sheets: 1 unknown, 1 changed' ]]
        exits 1 diff -q --fail-on unknown damaged before
        rm -r damaged
    done
}

@test "a picture that is cut off is found without being compared" {
    local cut='after/die.png: the PNG is cut off: its last bytes are not those of a PNG'
    mkdir empty
    render_to after 's/name: pair/name: other/' 's/count: 4}/count: 4}, rate: 2/'
    cp after/other.* empty
    truncate -s -1 after/die.png
    exits 0 diff before after # the frames are retimed only
    says "sheetbake: $cut"
    exits 0 diff empty after # the sheet is added
    [ "$(row dice/die)" = "unknown $cut" ]
    exits 0 diff after empty
    [ "$(row dice/die)" = "unknown $cut" ]
    exits 3 gallery -o site after
    says "*$cut"
}

# Gives pair.json of a folder 5,000 frames of 256x256, each at a place that the number $i of the frame decides.
overlap() { # folder, x, y
    jq -c ".frames |= (to_entries[0].value as \$frame | [range(5000) | . as \$i |
        {key: \"pair/\(\$i)\", value: (\$frame | .frame = {x: ($2), y: ($3), w: 256, h: 256})}] | from_entries)
        | .animations = {} | .meta.sheetbake.animations = {}" "$1/pair.json" >new
    mv new "$1/pair.json"
}

@test "frames that lie over one another cost no more than their pictures" {
    render_to old 's/cell: 16/cell: 256/'
    convert assets/textures/own.png -negate png:new && mv new assets/textures/own.png
    render_to after 's/cell: 16/cell: 256/'
    local folder
    for folder in old after; do overlap $folder 0 0; done
    exits 0 diff old after
    [[ $(row dice/pair) == 'changed '*' % 5000 of 5000 frames '* ]] # one cell, which is compared once
    for folder in old after; do overlap $folder '$i % 200' '$i / 200 | floor'; done
    exits 0 diff --json old after
    says 'sheetbake: after/pair: its frames lie over one another: they have more than 16 times the pixels of *'
    [ "$(jq -cS '.totals.sheets' <<<"$output")" = '{"same":1,"unknown":1}' ]
    [ "$(jq -c '.sheets[] | [.state, .frames, .clips]' <<<"$output")" = '["unknown",{},[]]' ]
}

@test "a folder that cannot be listed is not an empty one" {
    mkdir old new
    cp -r before old/dice
    cp -r before new/dice
    chmod 0 old/dice
    local way
    for way in 'diff old new' 'diff new old' 'gallery -o site old'; do
        # shellcheck disable=SC2086
        run --separate-stderr as_other "$SHEETBAKE" $way
        exited 2
        [ "$stderr" = 'sheetbake: old/dice: cannot list this folder: Permission denied' ]
    done
    chmod 755 old/dice
    LD_PRELOAD=$TOOLS/trouble.so BROKEN_LIST=pair.png exits 2 diff old new
    says 'sheetbake: */dice: cannot list this folder: Input/output error'
    exits 0 diff old new
}

@test "20,000 broken records take no more than their names do" {
    ! grep -q __asan_init "$SHEETBAKE" || skip "the address sanitizer takes all addresses there are"
    mkdir many
    (cd many && seq -f '%05g.sheetbake' 20000 | xargs touch)
    run --separate-stderr bash -c 'ulimit -v 200000; "$SHEETBAKE" diff -q many before 2>said'
    exited 0
    [ "$output" = 'sheets: 20000 unknown, 2 added' ]
    [ "$(wc -l <said)" = 20000 ]
}

@test "what no run wrote is told in one line" {
    mkdir empty
    exits 2 diff before empty
    [ "$stderr" = 'sheetbake: empty: no record (*.sheetbake) is in it: no run of sheetbake wrote this folder' ]
    exits 2 diff before missing
    [ "$stderr" = 'sheetbake: missing: No such file or directory' ]
    exits 2 diff before before/die.png
    [ "$stderr" = 'sheetbake: before/die.png: Not a directory' ]
    exits 2 diff before
    exits 2 diff before before before
    exits 2 diff jobs/units.yaml
    says "*'jobs/units.yaml' is a job list*'sheetbake diff --base HEAD jobs/units.yaml'*"
    exits 2 diff before before --only nothing --fail-on changed
    says "*no job's name matches --only 'nothing'*"
    exits 2 diff --fail-on new before before
    says "*unknown state 'new', allowed are *changed*"
}

@test "links and pipes in a folder are not followed" {
    cp -r before after
    ln -sf "$PWD/before/die.sheetbake" after/die.sheetbake
    exits 0 diff before after
    says 'sheetbake: after/die.sheetbake: sheets are not read through links'
    cp --remove-destination before/die.sheetbake after
    rm after/die.png after/pair.sheetbake
    ln -s "$PWD/before/die.png" after/die.png
    mkfifo after/pair.sheetbake
    sed -i 's/"name": "[^"]*/&!/' before/die.sheetbake # other bytes, or nothing is read
    exits 0 diff before after
    says 'sheetbake: *pair.sheetbake*'
    [[ $output != *pip* ]]
}

@test "the fields of diff --json are those of docs/formats.md" {
    convert assets/textures/own.png -negate png:new && mv new assets/textures/own.png
    render_to after 's/name: die,/name: die, sockets: [],/' 's/count: 4}/count: 4}, rate: 2/'
    exits 0 diff --json before after
    jq 'del(.sheets[].facts[][])' <<<"$output" >diff.json
    PAGE=$BATS_TEST_DIRNAME/../../docs/formats.md
    agree "diff --json" diff.json
}
