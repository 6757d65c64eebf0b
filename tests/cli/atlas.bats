# bats file_tags=asan

# One atlas over many jobs: their cells on common pages, made of the sheets that the jobs have.

load background
load sheets

setup() {
    work_in_empty_folder
    cp -r "$DIE" game
}

# Four jobs of an atlas, of cells of several sizes: a grid, its twin, a packed sheet in two layers, and one of two pages.
write_icons() { # more keys of `defaults`, more keys of each job `pair`
    write_list icons game <<-END
	defaults: {cell: 24, atlas: u/icons, sheet: {padding: 1, max_size: 256}, cameras: [front, left]${1:+, $1}}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: twin, model: models/die.md2}
	- {name: b/five, model: models/die.md5mesh, cell: 30, animations: [{file: anims/hop.md5anim, loop: false}], boxes: ['*'], events: {hop: {3: [up, away]}}, sheet: {layout: packed, padding: 1, max_size: 256}}
	- {name: pair, model: models/die.md2, cell: 20, animations: [stand], split: camera${2:+, $2}}
	END
}

# "NAME PICTURE PLACE CELL" of each frame of pages, in the pass $pass, sorted by name. CELL puts it back where it was cut off.
places() { # folder, jsons...
    local json
    for json in "${@:2}"; do
        jq -r --arg in "$(dirname "$1/$json")/" --arg pass "${pass-}" '.meta as $meta | .frames | to_entries[] |
            "\(.key) \($in + ($meta.sheetbake.passes[$pass]? // $meta.image)) " +
            (.value | (.sourceSize // .frame) as $cell | (.spriteSourceSize // {x: 0, y: 0}) as $cut | .frame |
            "\(.w)x\(.h)+\(.x)+\(.y) \($cell.w)x\($cell.h)-\($cut.x)-\($cut.y)")' "$1/$json"
    done | LC_ALL=C sort
}

# A hash of the pixels of each untrimmed cell: "NAME HASH".
pixels_of() { # as places
    places "$@" | while read -r name picture place cell; do
        echo "$name $(convert "$picture" -crop "$place" +repage -background none -extent "$cell" -alpha background -depth 8 rgba:- | md5sum)"
    done
}

# Renders, and gives the jobs of which pages were made.
made() { # arguments
    exits 0 render --log log "$@"
    jq -r 'select(.type == "page" and .status == "made").job' log | LC_ALL=C sort -u | paste -sd' '
}

@test "an atlas shows the frames of its jobs, pixel by pixel, with all that engines need; equal cells once" {
    write_icons 'passes: [mask]'
    exits 0 render icons.yaml
    pixels_of out/icons die.json twin.json b/five.json pair@front.json pair@left.json >of_jobs
    pixels_of out/icons u/icons.json >of_atlas
    [ "$(wc -l <of_jobs)" -eq 48 ]
    diff of_jobs of_atlas
    pass=mask pixels_of out/icons die.json twin.json b/five.json pair@front.json pair@left.json >mask_of_jobs
    pass=mask pixels_of out/icons u/icons.json | diff mask_of_jobs -
    never diff -q of_jobs mask_of_jobs
    jq -e '.frames as $f | all($f | keys[] | select(startswith("twin/")); $f[.].frame == $f["die/" + .[5:]].frame)' out/icons/u/icons.json
    # What is beside the place is that of the jobs; animations are called after them.
    jq -s '.[0].frames | with_entries(.value |= del(.frame))' out/icons/b/five.json >five
    jq '.frames | with_entries(select(.key | startswith("b/five/")) | .value |= del(.frame))' out/icons/u/icons.json | diff five -
    jq -e '[.[] | select(.events)] | length == 2 and (.[0] | .events == ["up", "away"] and (.boxes | length) > 0)' five
    jq -e '.animations["b/five/hop/front"] == [range(8) | "b/five/hop/front/000\(.)"] and (.animations | length) == 12 and
        .meta.sheetbake.animations["b/five/hop/front"] == {loop: false, times: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]} and
        .meta.sheetbake.frames["die/stand/left/0003"].pixelsPerUnit > 1 and .meta.sheetbake.passes.mask == "icons.mask.png"' out/icons/u/icons.json
    exits 0 verify icons.yaml
}

@test "cells that differ in one of the passes are two, though their colours are the same" {
    convert -size 4x4 xc:white game/textures/die.png
    for passes in '' 'passes: [uv]'; do
        write_list turned game <<-END
	defaults: {cell: 16, atlas: icons, animations: [], cameras: [front], light: $UNLIT${passes:+, $passes}}
	jobs:
	- {name: a, model: models/die.md2}
	- {name: b, model: models/die.md2, transform: {rotation: [0, 0, 90]}}
	END
        exits 0 render turned.yaml
        jq -r '[.frames[].frame | "\(.x) \(.y)"] | unique | length' out/turned/icons.json
    done >counts
    [ "$(paste -sd' ' counts)" = '1 2' ]
}

@test "a job of an atlas has passes for others, though they show nothing of it" {
    write_list mixed "$BATS_TEST_DIRNAME/../../jobs/assets" <<-END
	defaults: {cell: 32, cameras: [front], animations: [], atlas: all, passes: [teamcolor, emission]}
	jobs:
	- {name: unit, model: models/pip/pip.glb, teamcolor: {material: cloth}}
	- {name: tree, model: models/plum/plum.md2}
	- {name: plain, model: models/plum/plum.md2, atlas: none, passes: []}
	END
    exits 0 render --strict mixed.yaml
    [ "$(convert out/mixed/tree.teamcolor.png -alpha extract -format '%[fx:maxima]' info:)" = 0 ]
    [ "$(convert out/mixed/all.teamcolor.png -alpha extract -format '%[fx:maxima]' info:)" = 1 ]
    cmp out/mixed/tree.png out/mixed/plain.png
}

@test "trimmed atlases, bleeding edges, two scales, all formats and templates of one's own" {
    echo '{{#frames}}{{name}} {{x}},{{y}} of {{image}}
{{/frames}}' >game/list.txt.mustache
    write_icons 'metadata: [compact, aseprite, godot, texturepacker, libgdx, unity, cocos, love, tiled, list.txt.mustache], scales: [1, 2], png: {indexed: true}'
    sed -i 's/padding: 1/trim: true, bleed: 2, extrude: 1, power_of_two: true, padding: 1/' icons.yaml
    exits 0 render icons.yaml
    exits 0 render icons.yaml
    says 'nothing to do: * sheets up to date *'
    pixels_of out/icons die.json twin.json b/five.json >of_jobs
    pixels_of out/icons u/icons.json | grep -v ^pair/ | diff of_jobs -
    [ "$(places out/icons die.json | grep -c '24x24-0-0')" = 0 ]
    pixels_of out/icons die@2x.json twin@2x.json b/five@2x.json >of_jobs
    pixels_of out/icons u/icons@2x.json | grep -v ^pair/ | diff of_jobs -
    [ "$(jq -r .meta.scale out/icons/u/icons@2x.json)" = 2 ]
    [ "$(jq -r '.frames | keys[]' out/icons/u/icons.json | md5sum)" = "$(jq -r '.frames | keys[]' out/icons/u/icons@2x.json | md5sum)" ]
    for suffix in aseprite.json tres texturepacker.json atlas tpsheet plist lua tsx txt; do
        [ -s "out/icons/u/icons.$suffix" ] && [ -s "out/icons/u/icons@2x.$suffix" ]
    done
    [ "$(wc -l <out/icons/u/icons.txt)" -ge 48 ]
    grep -q '^die/stand/front/0000 [0-9]*,[0-9]* of icons.png$' out/icons/u/icons.txt
    exits 0 verify icons.yaml
}

@test "a job that changes is made, and the atlas of all; nothing else, and nothing without a change" {
    write_icons
    [ "$(made icons.yaml)" = 'b/five die pair twin u/icons' ]
    [ "$(made icons.yaml)" = '' ]
    sed -i 's/name: twin,/name: twin, light: rim,/' icons.yaml
    exits 0 render --dry-run icons.yaml
    says 'u/icons: input twin changed'
    exits 0 render --log log icons.yaml
    says '?5/6? twin.png *'
    says '?6/6? u/icons.png *'
    [ "$(jq -r 'select(.job == "u/icons") | .reason' log | head -n1)" = 'input twin changed' ]
    exits 0 render --force -o whole icons.yaml
    diff -r -x .sheetbake.lock out/icons whole
    # The order of jobs in the list says nothing.
    sed -i '/name: die/{h;d}; ${p;x}' icons.yaml
    [ "$(grep -n 'name: die' icons.yaml | cut -d: -f1)" = 9 ]
    [ "$(made icons.yaml)" = '' ]
    exits 0 render --force -o ordered icons.yaml
    diff -r -x .sheetbake.lock whole ordered
    # Jobs that come and go.
    sed -i 's/name: pair,/name: pair, atlas: none,/' icons.yaml
    [ "$(made icons.yaml)" = u/icons ]
    exits 0 render --force -o ordered icons.yaml
    diff -r -x .sheetbake.lock out/icons ordered
    jq -e '.frames | keys | all(startswith("pair/") | not)' out/icons/u/icons.json
    # What no longer is an atlas is not touched, and pruned when asked.
    sed -i 's/atlas: [a-z/]*, //' icons.yaml
    [ "$(made icons.yaml)" = '' ]
    exits 0 render --prune icons.yaml
    says 'sheetbake: removed out/icons/u/icons.sheetbake, icons.json, icons.png: there is no job *u/icons* any more'
    [ ! -e out/icons/u ]
}

@test "a template that writes other bytes for the atlas alone makes the atlas anew, also after a run without it" {
    mkdir -p game
    cat >game/my.mustache <<<'{{#pages}}{{image}}{{^-last}}, {{/-last}}{{/pages}}'
    write_list all game <<-END
	defaults: {cell: 24, atlas: all, sheet: {max_size: 60}, cameras: [front, left], animations: [], metadata: [json, my.mustache]}
	jobs:
	- {name: a, model: models/die.md2}
	- {name: b, model: models/die.md5mesh}
	- {name: c, model: models/die.md2, cameras: [top, back]}
	END
    exits 0 render all.yaml
    [ "$(<out/all/all.my)" = 'all.png, all@1.png' ]
    sed -i 's/, /; /' game/my.mustache
    [ "$(made --only '[abc]' all.yaml)" = 'a b c' ]
    [ "$(made all.yaml)" = all ]
    [ "$(<out/all/all.my)" = 'all.png; all@1.png' ]
}

@test "an atlas whose jobs are made again with the same bytes is up to date, in that run and the next" {
    write_icons
    exits 0 render icons.yaml
    cp -r out/icons before
    printf '\n// a comment\n' >>game/models/die.md5mesh
    exits 0 render --log log icons.yaml
    says '1 sheet in *, 5 up to date -> out/icons'
    jq -se 'map(select(.job == "u/icons").status) == ["up-to-date"]' log
    [ "$(made icons.yaml)" = '' ]
    printf '\n// another\n' >>game/models/die.md5mesh
    [ "$(made --only b/five icons.yaml)" = b/five ]
    [ "$(made icons.yaml)" = '' ]
    cmp before/u/icons.sheetbake out/icons/u/icons.sheetbake
    [ "$(made --force icons.yaml)" = 'b/five die pair twin u/icons' ]
    sed -i 's/hop.md5anim, loop: false/hop.md5anim, loop: true/' icons.yaml
    [ "$(made icons.yaml)" = 'b/five u/icons' ]
}

@test "a job with fewer pages leaves none of the former ones in the atlas" {
    write_icons
    exits 0 render icons.yaml
    sed -i '/name: pair/s/}$/, cameras: [front]}/' icons.yaml
    exits 0 render icons.yaml
    [ -e out/icons/pair@left.json ] # until somebody prunes
    jq -e '.frames | has("pair/stand/front/0000") and (has("pair/stand/left/0000") | not)' out/icons/u/icons.json
    exits 0 render icons.yaml
    says 'nothing to do: * sheets up to date *'
}

@test "an atlas whose job fails stays as it was, and says which one it lacks" {
    write_icons
    exits 0 render icons.yaml
    cp -r out/icons before
    cp game/models/die.md5mesh whole
    rm game/models/die.md5mesh
    exits 3 render --dry-run icons.yaml
    says "u/icons: would fail: icons.yaml:8:*: job 'b/five' of this atlas: no file 'models/die.md5mesh' in the assets*"
    exits 3 render icons.yaml
    says "error: u/icons: icons.yaml:8:*: job 'b/five' of this atlas: no file 'models/die.md5mesh' in the assets*"
    exits 0 render --failed-jobs 0 icons.yaml
    echo broken >game/models/die.md5mesh
    exits 3 render icons.yaml
    says "error: u/icons: job 'b/five' of this atlas: it was not made"
    diff -r -x .sheetbake.lock before out/icons
    exits 3 render --prune icons.yaml
    diff -r -x .sheetbake.lock before out/icons
    cp whole game/models/die.md5mesh
    exits 0 render icons.yaml
    says 'nothing to do: * sheets up to date *'
}

@test "an atlas is not made of pictures that somebody has changed" {
    write_icons
    exits 0 render icons.yaml
    local size
    size=$(stat -c %s out/icons/twin.png)
    printf x | dd of=out/icons/twin.png bs=1 seek=$((size / 2)) conv=notrunc status=none
    exits 0 render icons.yaml # the size is that of the record, as verify would tell
    sed -i 's/name: die,/name: die, light: rim,/' icons.yaml
    exits 3 render icons.yaml
    says "error: u/icons: job 'twin' of this atlas: out/icons/twin.png is not as it was written: remove out/icons/twin.sheetbake"
    rm out/icons/twin.sheetbake
    exits 0 render icons.yaml
    exits 0 verify icons.yaml
    # Descriptions are compared byte by byte, and a record has a hash.
    sed -i 's/"duration": 100/"duration": 101/' out/icons/die.json
    sed -i 's/"page": 0/"page": 1/' out/icons/b/five.sheetbake
    exits 0 render icons.yaml
    exits 0 verify icons.yaml
}

@test "an atlas is not made of sheets in a linked folder, and says so" {
    write_icons
    exits 0 render icons.yaml
    mv out/icons/b elsewhere
    ln -s "$PWD/elsewhere" out/icons/b
    sed -i 's/name: die,/name: die, light: rim,/' icons.yaml
    exits 3 render icons.yaml
    says "error: u/icons: job 'b/five' of this atlas: out/icons/b/five.sheetbake: sheets are not read through links"
}

@test "mistakes are told with both places" {
    write_icons
    local good=$(<icons.yaml)
    bad() { # sed command, message
        sed "$1" <<<"$good" >icons.yaml
        exits 2 check icons.yaml
        says "$2"
        exits 2 render icons.yaml
        says "$2"
    }
    bad 's/name: twin,/name: twin, passes: [uv],/' "icons.yaml:7:3: the jobs of atlas 'u/icons' share pages, but from icons.yaml:6:3 to here: passes: color -> color, uv"
    bad 's/name: twin,/name: twin, sheet: {padding: 2},/' "icons.yaml:7:3: * share pages, but from icons.yaml:6:3 to here: sheet.padding: 1 -> 2"
    bad 's/name: twin,/name: twin, scales: [1, 2],/' "icons.yaml:7:3: * share pages, but from icons.yaml:6:3 to here: scales: 1 -> 1, 2"
    bad 's/name: twin,/name: twin, metadata: [godot], png: {level: 9},/' "icons.yaml:7:3: *: metadata: json -> json, godot (and 1 more)"
    bad 's/name: twin/name: U\/Icons/' "icons.yaml:6:3: job 'u/icons' (model 'atlas u/icons') writes the same files as job 'U/Icons' (model 'models/die.md2') at icons.yaml:7:3; an atlas needs a name of its own"
    bad 's/atlas: [a-z/]*/atlas: "a@b"/' "icons.yaml:4:*: the name of an atlas, 'a@b', holds '@'*"
    bad 's/atlas: [a-z/]*/atlas: [a]/' "icons.yaml:4:*: 'atlas' *"
    bad 's/name: twin,/name: twin, passes: [depth],/' "icons.yaml:7:3: an atlas has no pass 'depth', which has 16 bits"
    bad 's/name: twin,/name: twin, metadata: [gzdoom],/' "icons.yaml:7:3: an atlas has no metadata 'gzdoom': the names of its sprites are those of one sheet"
}

@test "two lists cannot write one atlas, nor the job of one list the atlas of the other: check says so, too" {
    write_icons
    sed 's/name: /name: more-/' icons.yaml >more.yaml
    for command in check render verify; do
        exits 2 $command icons.yaml more.yaml
        says "more.yaml:6:3: job 'u/icons' (model 'atlas u/icons') writes the same files as job 'u/icons' (model 'atlas u/icons') at icons.yaml:6:3"
    done
    sed -i 's/atlas: [a-z/]*/atlas: none/; s/name: more-twin/name: u\/icons/' more.yaml
    for command in check render; do
        exits 2 $command icons.yaml more.yaml
        says "more.yaml:7:3: job 'u/icons' (model 'models/die.md2') writes the same files as job 'u/icons' (model 'atlas u/icons') at icons.yaml:6:3; an atlas needs a name of its own"
    done
}

@test "frames of two jobs that may have one name are a mistake in an atlas, and none outside" {
    write_list clash "$BATS_TEST_DIRNAME/../../jobs/assets" <<-END
	defaults: {cell: 24, cameras: [front], atlas: n, animations: []}
	jobs:
	- {name: h, model: models/players/bolt/head.md3, skins: all}
	- {name: h/rust, model: models/players/bolt/head.md3}
	- {name: hut, model: models/players/bolt/head.md3}
	- {name: h/else, model: models/players/bolt/head.md3, atlas: m}
	END
    exits 2 check clash.yaml
    says "clash.yaml:7:*: frames of job 'h/rust' may be called as those of a skin of 'h', which is in the same atlas: rename one of them"
    says '*1 problem,*'
    sed -i 's/atlas: n, anim/scales: 2, &/' clash.yaml
    exits 2 check clash.yaml
    says "*frames of job 'h/rust@2x' may be called as those of a skin of 'h@2x'*"
    sed -i 's/scales: 2, //; /h\/rust/d' clash.yaml
    exits 0 render clash.yaml
    [ -n "$(jq '.frames["h/rust/bind/front/0000"] // empty' out/clash/n.json)" ]
}

@test "--only an atlas makes its jobs; --only a job leaves the atlas to a later run" {
    write_icons
    exits 0 render --only u/icons icons.yaml
    [ -e out/icons/u/icons.png ] && [ -e out/icons/die.png ]
    sed -i 's/name: die,/name: die, light: rim,/' icons.yaml
    [ "$(made --only die icons.yaml)" = die ]
    [ "$(made --only 'u/*' icons.yaml)" = u/icons ]
}

@test "shards, workers and runs without a pool make the same atlases" {
    write_icons 'scales: [1, 2]'
    sed -i '/name: pair/s/}$/, atlas: more}/' icons.yaml
    exits 0 render -j1 -o one icons.yaml
    exits 0 render -j8 -o eight icons.yaml
    diff -r -x .sheetbake.lock one eight
    exits 0 render --in-process --sandbox off -o here icons.yaml
    diff -r -x .sheetbake.lock one here
    for shard in 1 2 3; do
        exits 0 render --shard $shard/3 -o "shard$shard" icons.yaml
        exits 0 render --shard $shard/3 -o shards icons.yaml
    done
    diff -r -x .sheetbake.lock one shards
    # Each is on the shard that has all its jobs.
    for shard in 1 2 3; do
        [ ! -e shard$shard/u/icons.png ] || { [ -e shard$shard/die.png ] && [ -e shard$shard/twin.png ] && [ -e shard$shard/b/five.png ]; }
    done
    [ "$(ls -d shard[123]/u/icons.png | wc -l)" = 1 ]
}

@test "a run that is killed while an atlas is written leaves a folder that the next one finishes" {
    write_icons
    exits 0 render icons.yaml
    sed -i 's/name: die,/name: die, light: rim,/' icons.yaml
    PAUSE_AT=/icons.json start_render -j2 icons.yaml
    wait_for_paused
    kill -KILL "$sheetbake_pid"
    until_true is_gone "$paused"
    [ ! -e out/icons/u/icons.sheetbake ]
    [ "$(made icons.yaml)" = u/icons ]
    exits 0 verify icons.yaml
    exits 0 render --force -o whole icons.yaml
    diff -r -x .sheetbake.lock out/icons whole
}

@test "an atlas whose worker dies is tried again, and one that does not fit on the disk fails by itself" {
    write_icons
    PAUSE_ONCE=1 PAUSE_SIGNAL=9 PAUSE_AT=/icons.png LD_PRELOAD=$TOOLS/pause_at_rename.so exits 0 render icons.yaml
    exits 0 verify icons.yaml
    sed -i 's/name: die,/name: die, light: rim,/' icons.yaml
    (
        ulimit -f 12 # blocks of 1024 bytes: enough for each job
        exec "$SHEETBAKE" render -j2 icons.yaml
    ) 2>stderr || status=$?
    stderr=$(cat stderr) output=
    exited 3
    says 'error: u/icons.png: out/icons/u/icons.*: cannot write [0-9]* bytes: File too large'
    exits 0 verify icons.yaml
    exits 0 render icons.yaml
}
