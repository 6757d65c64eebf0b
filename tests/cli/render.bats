# bats file_tags=asan
load sheets

setup() {
    work_in_empty_folder
}

# Jobs of the die with several pages, splits, formats and folders.
write_variety() {
    write_list variety <<-END
	defaults: {cell: 16, cameras: [front, left]}
	jobs:
	- {name: pages, model: models/die.md2, sheet: {max_size: 48}}
	- {name: cubes/split, model: models/die.md5mesh, split: animation, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim, loop: false}]}
	- {name: cubes/cameras, model: models/die.md2, split: camera, sheet: {padding: 3, extrude: 2}}
	- {name: still, model: models/die.md5mesh, animations: []}
	END
}

# bats test_tags=quick
@test "a job becomes a PNG and a JSON beside it" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: [32, 24], cameras: [front, left], sheet: {columns: 4}}"
    exits 0 render one.yaml
    [ "$(files out/one)" = 'die.json die.png die.sheetbake' ]
    [ "$(size_of out/one/die.png)" = 128x72 ] # 12 cells in rows of 4
    [ "$(jq -c .meta.size out/one/die.json)" = '{"h":72,"w":128}' ]
}

@test "frames are named job/animation/camera/number" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8, cameras: [front, left]}"
    exits 0 render one.yaml
    jq -r '.frames | keys[]' out/one/die.json >names
    diff names - <<-END
	die/hop/front/0000
	die/hop/front/0001
	die/hop/left/0000
	die/hop/left/0001
	die/stand/front/0000
	die/stand/front/0001
	die/stand/front/0002
	die/stand/front/0003
	die/stand/left/0000
	die/stand/left/0001
	die/stand/left/0002
	die/stand/left/0003
	END
    [ "$(jq -c '.animations | keys' out/one/die.json)" = '["hop/front","hop/left","stand/front","stand/left"]' ]
    [ "$(jq -c '.animations["hop/left"]' out/one/die.json)" = '["die/hop/left/0000","die/hop/left/0001"]' ]
}

@test "the JSON of every page says what PixiJS, Phaser and Aseprite imports read" {
    write_variety
    exits 0 render variety.yaml
    local json count=0
    for json in out/variety/*.json out/variety/cubes/*.json; do
        [ "$(jq -r '.meta.size | "\(.w)x\(.h)"' "$json")" = "$(size_of "${json%.json}.png")" ]
        [ "$(jq -r .meta.image "$json")" = "$(basename "${json%.json}.png")" ]
        jq -e '
            .meta.size as $page | .frames as $frames | (.frames | length) as $count |
            .meta.app == "sheetbake" and (.meta.version | test("^[0-9]")) and
            .meta.format == "RGBA8888" and .meta.scale == "1" and
            all(.frames[]; .rotated == false and .trimmed == false and
                .frame.x >= 0 and .frame.y >= 0 and
                .frame.x + .frame.w <= $page.w and .frame.y + .frame.h <= $page.h and
                .frame.w == 16 and .frame.h == 16 and .sourceSize == {w: 16, h: 16} and
                .spriteSourceSize == {x: 0, y: 0, w: 16, h: 16} and
                .anchor == .pivot and .pivot.x == 0.5 and .pivot.y > 0.3 and .pivot.y < 0.8 and .duration >= 0) and
            all(.animations[][]; in($frames)) and
            ([.animations[][]] | sort) == (.frames | keys) and
            all(.meta.frameTags[]; .from <= .to and .to < $count and .direction == "forward") and
            ([.meta.frameTags[] | .to - .from + 1] | add) == $count
            ' "$json"
        count=$((count + 1))
    done
    [ $count = 7 ]
}

@test "cells do not overlap" {
    write_variety
    render variety.yaml
    local json
    for json in out/variety/*.json; do
        jq -e '[.frames[].frame | "\(.x) \(.y)"] | (unique | length) == length' "$json"
    done
}

# bats test_tags=quick
@test "what does not fit a page goes to numbered ones that the first names" {
    write_list pages <<<"- {name: many, model: models/die.md2, cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}"
    exits 0 render pages.yaml
    [ "$(files out/pages)" = 'many.json many.png many.sheetbake many@1.json many@1.png many@1.sheetbake many@2.json many@2.png many@2.sheetbake' ]
    [ "$(size_of out/pages/many.png)" = 48x48 ]
    [ "$(jq -c .meta.related_multi_packs out/pages/many.json)" = '["many@1.json","many@2.json"]' ]
    [ "$(jq -c .meta.related_multi_packs out/pages/many@1.json)" = null ]
    # Clips of 4 and 2 frames, each on one page of 9
    [ "$(jq -c -s '[.[].frames | length]' out/pages/many{,@1,@2}.json)" = '[8,8,8]' ]
    [ "$(jq -c -s '[.[].animations | map_values(length)] | map(add)' out/pages/many{,@1,@2}.json)" = '[8,8,8]' ]
    [[ $stderr != *warning* ]]
}

@test "an animation that no page can hold is a warning, each time, and in the lists of no page" {
    local layout
    for layout in grid packed; do
        write_list $layout <<<"- {name: many, model: models/die.md2, cell: 16, cameras: [front, left], animations: [{name: hop, loop: false, sampling: {count: 6}}, stand], sheet: {max_size: 32, layout: $layout}}"
        exits 0 render $layout.yaml
        says "warning: many: animation 'hop/front' and 1 more are on several pages, *"
        [ "$(grep -c 'on several pages' <<<"$stderr")" = 1 ]
        render -v $layout.yaml
        says "*animation 'hop/front' and 1 more are on several pages, *"
        [ "$(jq -rs '[.[].animations | keys[]] | sort | join(" ")' out/$layout/many*.json)" = 'stand/front stand/left' ]
        [ "$(jq -c '.meta.sheetbake.animations["hop/front"].frames | length' out/$layout/many.json)" = 6 ]
        jq -e '.warnings | length == 1' out/$layout/many.sheetbake
    done
}

# bats test_tags=quick
@test "split makes a sheet for each animation or camera" {
    write_variety
    exits 0 render variety.yaml
    [ "$(files out/variety/cubes)" = 'cameras@front.json cameras@front.png cameras@front.sheetbake cameras@left.json cameras@left.png cameras@left.sheetbake split@hop.json split@hop.png split@hop.sheetbake split@turn.json split@turn.png split@turn.sheetbake' ]
    [ "$(jq -c '.animations | keys' out/variety/cubes/split@hop.json)" = '["hop/front","hop/left"]' ]
    [ "$(jq -c '.animations | keys' out/variety/cubes/cameras@left.json)" = '["hop/left","stand/left"]' ]
    jq -e '.frames["cubes/split/turn/left/0000"]' out/variety/cubes/split@turn.json
}

@test "padding and extruded borders lie between the cells" {
    write_list borders <<-END
	- {name: die, model: models/die.md2, cell: 16, cameras: [front], animations: [stand], light: $UNLIT,
	   background: '#102030', sheet: {columns: 2, padding: 4, extrude: 3}}
	END
    exits 0 render borders.yaml
    # Half the padding and the border around, and between two cells padding and both their borders
    [ "$(size_of out/borders/die.png)" = "$((2 + 3 + 16 + 3 + 4 + 3 + 16 + 3 + 2))x52" ]
    [ "$(jq -c '.frames["die/stand/front/0003"].frame' out/borders/die.json)" = '{"h":16,"w":16,"x":31,"y":31}' ]
    open_pixels out/borders/die.png
    [ "$(pixel 5 5)" = 102030ff ]  # corner of the first cell
    [ "$(pixel 2 2)" = 102030ff ]  # of its border
    [ "$(pixel 1 1)" = 00000000 ]  # padding
    [ "$(pixel 23 5)" = 102030ff ] # right end of the border
    [ "$(pixel 24 5)" = 00000000 ]
    [ "$(pixel 27 5)" = 00000000 ]
    [ "$(pixel 28 5)" = 102030ff ] # border of the second cell
    # The top edge of the cell is the background, but its middle is repeated all the same
    [ "$(pixel 13 2)" = "$(pixel 13 5)" ]
    [ "$(pixel 2 13)" = "$(pixel 5 13)" ]
}

@test "times and durations are those of the clip" {
    write_list times <<-END
	defaults: {cell: 8, cameras: [front]}
	jobs:
	- {name: own, model: models/die.md2, animations: [stand]}
	- {name: half, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim, sampling: {count: 2}}]}
	- {name: once, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim, loop: false, sampling: {count: 2}}]}
	END
    exits 0 render times.yaml
    [ "$(jq -c '[.frames[].duration]' out/times/own.json)" = '[100,100,100,100]' ]
    [ "$(jq -c '.meta.sheetbake.animations[].times' out/times/own.json)" = '[0,0.1,0.2,0.3]' ]
    [ "$(jq -c '.meta.sheetbake.animations[].times' out/times/half.json)" = '[0,0.5]' ]
    [ "$(jq -c '[.frames[].duration]' out/times/half.json)" = '[500,500]' ]
    [ "$(jq -c '.meta.sheetbake.animations[] | [.loop, .times]' out/times/once.json)" = '[false,[0,0.75]]' ]
}

@test "the JSON names every file that went in, with its hash" {
    write_variety
    render variety.yaml
    jq -e '.inputs | all(.[]; test("^[0-9a-f]{32}$"))' out/variety/cubes/split@hop.sheetbake
    [ "$(jq -c '.inputs | keys' out/variety/cubes/split@hop.sheetbake)" = \
        '["anims/hop.md5anim","anims/turn.md5anim","models/die.md5mesh","textures/die.png"]' ]
}

@test "a pattern makes a job of each model" {
    write_list all <<<"- {name: 'x/{stem}', model: 'models/*.md[2]', cell: 8, animations: []}"
    exits 0 render all.yaml
    [ "$(files out/all)" = 'x/die.json x/die.png x/die.sheetbake' ]
}

@test "without output, sheets go to out/ and the name of the list, here" {
    mkdir lists
    printf 'version: 1\nassets: %s\njobs: [{name: die, model: models/die.md2, cell: 8}]\n' "$DIE" >lists/some.yaml
    exits 0 render lists/some.yaml
    [ "$(files out)" = 'some/die.json some/die.png some/die.sheetbake' ]
}

@test "-o goes before the list's output" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    exits 0 render -o elsewhere/deep one.yaml
    [ "$(files elsewhere)" = 'deep/die.json deep/die.png deep/die.sheetbake' ]
    [ ! -e out ]
}

# bats test_tags=quick
@test "--only makes the jobs whose name matches" {
    write_variety
    exits 0 render --only 'cubes/*' variety.yaml
    [[ $(files out/variety) != *pages* && $(files out/variety) != *still* ]]
    [ -e out/variety/cubes/split@turn.png ]
    exits 2 render --only 'nothing*' variety.yaml
    says "*no job's name matches --only 'nothing\*'*"
}

@test "--config gives what the list leaves out" {
    write_list one <<-END
	- {name: default, model: models/die.md2, animations: []}
	- {name: own, model: models/die.md2, animations: [], cell: 8}
	END
    printf 'version: 1\ndefaults: {cell: [10, 20]}\n' >config.yaml
    exits 0 render --config config.yaml one.yaml
    [ "$(size_of out/one/default.png)" = 10x20 ]
    [ "$(size_of out/one/own.png)" = 8x8 ]
}

@test "a broken --config is a problem like those of a list" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    printf 'version: 1\ndefaults: {cel: 10}\n' >config.yaml
    exits 2 render --config config.yaml one.yaml
    says "config.yaml:2:12: *cel*cell*"
    exits 2 render --config missing.yaml one.yaml
    says '*missing.yaml*No such file*'
}

@test "several lists are one run" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    write_list two <<<"- {name: die, model: models/die.md5mesh, cell: 8}"
    exits 0 render one.yaml two.yaml
    [ "$(files out)" = 'one/die.json one/die.png one/die.sheetbake two/die.json two/die.png two/die.sheetbake' ]
    says '2 sheets in *'
}

@test "a sheet that is there already is replaced" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    mkdir -p out/one
    echo old >out/one/die.png
    exits 0 render one.yaml
    size_of out/one/die.png
}

# -- What is printed --

# bats test_tags=quick
@test "a log has a line for each sheet and a summary; standard output stays empty" {
    write_variety
    exits 0 render -j1 variety.yaml
    [ -z "$output" ]
    says '?[1-7]/[5-7]] cubes/split@hop.png  *' # pages of a job are known once it is open
    says '7 sheets in * s (*/s, 1 worker) -> *'
    [ "$(wc -l <<<"$stderr")" = 8 ]
    [[ $stderr != *$'\e'* && $stderr != *$'\r'* ]]
}

@test "paths are shown, logged and recorded without steps back, but through links" {
    mkdir -p lists/inner
    cp -r "$DIE" assets
    rm assets/textures/*
    printf 'version: 1\nassets: ../assets\noutput: ../out\njobs: [{name: die, model: models/die.md2, cell: 4}]\n' >lists/die.yaml
    exits 0 render --log log --junit junit.xml --depfile die.d ./lists/inner//../die.yaml
    says '1 sheet in *, 1 warning -> out'
    never grep -F ../ log junit.xml die.d out/die.json
    check lists/die.yaml
    says 'lists/die.yaml: into out'
    ln -s lists/inner link
    render link/../die.yaml
    says 'nothing to do: 1 sheet up to date*-> link/../../out'
    render -o new/../other lists/die.yaml
    says '1 sheet in *-> other'
    [ ! -e new ]
}

# bats test_tags=quick
@test "-q prints nothing but failures" {
    head -c 100 "$DIE/models/die.md2" >broken.md2
    cp -r "$DIE" assets
    cp broken.md2 assets/models
    write_list quiet assets <<-END
	- {name: good, model: models/die.md2, cell: 8}
	- {name: bad, model: models/broken.md2, cell: 8}
	END
    exits 0 render -q --only good quiet.yaml
    [ -z "$stderr$output" ]
    exits 3 render -q quiet.yaml
    [ "$(wc -l <<<"$stderr")" = 1 ]
    says 'error: bad: models/broken.md2: *'
}

on_terminal() { # arguments without spaces
    TERM=${terminal-xterm} SHELL=/bin/sh script -qec "\"\$SHEETBAKE\" $*" /dev/null </dev/null >typescript 2>&1
}

@test "on a terminal one live line shows where the run is and is erased in the end" {
    write_variety
    on_terminal render -j1 variety.yaml
    grep -qF $'\r\e[K[0/4]: ' typescript
    # What remains when each erased line is taken away is the summary alone
    tr -d '\n' <typescript | sed 's/.*\x1b\[K//' | grep -qE '^7 sheets in .*s \(.*1 worker\) -> out/variety.?$'
}

@test "-v lists the sheets on a terminal too" {
    write_variety
    on_terminal render -v -j1 variety.yaml
    grep -qF 'cubes/split@hop.png' typescript
}

@test "colours mark failures on a terminal, unless NO_COLOR is set" {
    cp -r "$DIE" assets
    head -c 100 "$DIE/models/die.md2" >assets/models/broken.md2
    write_list bad assets <<<"- {name: bad, model: models/broken.md2}"
    on_terminal render bad.yaml || [ $? = 3 ]
    grep -qF $'\e[31merror:' typescript || grep -qE $'\e\\[[0-9;]+merror:' typescript
    NO_COLOR=1 on_terminal render bad.yaml || [ $? = 3 ]
    grep -qF 'error: bad: ' typescript
    never grep -qE $'\e\\[[0-9;]*m' typescript
    exits 3 render --force bad.yaml
    never grep -q $'\e' <<<"$stderr"
}

@test "a terminal that cannot erase gets plain lines" {
    write_variety
    terminal=dumb on_terminal render -j1 variety.yaml
    grep -qF '[7/7] ' typescript
    never grep -qF $'\e' typescript
}

@test "--in-process makes the same files without another process, and is in no manual" {
    cp -r "$DIE" assets
    head -c 100 "$DIE/models/die.md2" >assets/models/broken.md2
    write_list list assets <<-END
	defaults: {cell: 16, cameras: [front, left]}
	jobs:
	- {name: pages, model: models/die.md2, sheet: {max_size: 48}}
	- {name: broken, model: models/broken.md2}
	- {name: pair, model: models/die.md5mesh, passes: [color, normal], sheet: {trim: true}}
	END
    exits 3 render -o ordinary list.yaml
    FORKS=0 LD_PRELOAD=$TOOLS/trouble.so exits 3 render --in-process -o here list.yaml
    says 'error: broken: models/broken.md2: *'
    says '3 of 4 sheets in * 1 worker), 1 failed, 1 warning -> here'
    diff -r ordinary here
    [ -f here/pages@1.png ] && [ -f here/pair.json ]
    FORKS=0 LD_PRELOAD=$TOOLS/trouble.so exits 3 render --in-process --only pa* --fail-fast --strict -o here list.yaml
    never grep -q in-process <("$SHEETBAKE" render --help) "$(dirname "$SHEETBAKE")/sheetbake.1"
}
