# bats file_tags=asan

# `diff --base`: what is compared is drawn in one frame for both sides, so a change of shape is not one of every pixel.

bats_require_minimum_version 1.5.0
load sheets

setup() {
    work_in_empty_folder
    export TMPDIR=$PWD/tmp
    mkdir "$TMPDIR" old
    PIP=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip")
}

teardown() {
    [ -z "$(ls -A "$TMPDIR")" ]
}

# The robot, in a checkout of its own before and after.
copy_pip() {
    mkdir -p game/models
    cp "$PIP"/{pip.md5mesh,jump.md5anim,*.png} game/models
    write_list pip game "$@"
    cp -r game pip.yaml old
}

states() {
    jq -r '.sheets[] | "\(.state) \(.job)"' <<<"$output" | sort | paste -sd, | sed 's/,/, /g'
}

data_of() { # page
    sed -n 's/.*id="data">\(.*\)<\/script>.*/\1/p' "$1" | head -1
}

ships() { # job
    jq -r --arg job "$1" '.sheets[] | select(.job == $job) | .ships[]' <<<"$output"
}

# The mesh with the tip of its antenna four times as long.
grow_antenna() { # mesh
    awk '$1 == "weight" && $3 == 7 { print "\tweight", $2, 7, $4, "(", 4 * $6, 4 * $7, 4 * $8, ")"; count++; next } { print }
         END { exit count != 57 }' "$1"
}

# The mesh with the triangles around its antenna alone: those of all points that hang on it.
antenna_alone() { # mesh
    awk 'FNR == 1 { mesh = 0 }
         $1 == "mesh" { mesh++ }
         NR == FNR && $1 == "vert" { first[mesh, $2] = $7; count[mesh, $2] = $8 }
         NR == FNR && $1 == "weight" { hangs[mesh, $2] = $3 == 6 || $3 == 7 }
         NR == FNR { next }
         $1 == "tri" {
             is_antenna = 0
             for (i = 3; i <= 5; i++)
                 for (w = first[mesh, $i]; w < first[mesh, $i] + count[mesh, $i]; w++)
                     is_antenna += hangs[mesh, w]
             if (!is_antenna)
                 $4 = $5 = $3
         }
         { print }' "$1" "$1"
}

@test "an antenna that grows: no pixel differs that is farther than two pixels from where it is or was" {
    copy_pip <<-END
	- name: pip
	  model: models/pip.md5mesh
	  cell: 96
	  supersample: 1
	  cameras: [{name: compass, directions: 3, pitch: 30}, {name: near, yaw: 40, pitch: 10, projection: perspective}]
	  animations: [{file: jump.md5anim, sampling: {count: 5}}]
	END
    grow_antenna old/game/models/pip.md5mesh >game/models/pip.md5mesh
    exits 0 diff --base old --json pip.yaml
    [ "$(states)" = 'changed pip' ]
    [[ $(ships pip) == 'scale of some frames '*' -> '*' px per unit; both are drawn at one scale'*'pivot moves '*' px in '*', less in others' ]]
    local said=$(jq '[.sheets[].clips[].frames[].change.pixels] | add' <<<"$output")
    # Both sides in one group, which is another way to one frame, and the antennas by themselves.
    mkdir -p all/models
    cp game/models/*.{md5anim,png} all/models
    cp old/game/models/pip.md5mesh all/models/old.md5mesh
    cp game/models/pip.md5mesh all/models/new.md5mesh
    antenna_alone all/models/old.md5mesh >all/models/old_antenna.md5mesh
    antenna_alone all/models/new.md5mesh >all/models/new_antenna.md5mesh
    sed 's/assets: game/assets: all/; s/^- name: pip/- name: "{stem}"/; s/models.pip.md5mesh/"models\/*.md5mesh"\n  fit: {scope: all}/; s/output: .*/output: out/' \
        pip.yaml >all.yaml
    exits 0 render -q all.yaml
    for side in old new; do
        convert "out/$side.png" -depth 8 "rgba:$side.rgba"
        convert "out/${side}_antenna.png" -alpha extract -threshold 0 "$side.pgm"
    done
    cmp -l old.rgba new.rgba | awk '{ print int(($1 - 1) / 4) }' | sort -u >differs
    convert old.pgm new.pgm -compose lighten -composite -morphology Dilate Square:2 -depth 8 gray:antenna
    od -An -v -w1 -tu1 antenna | awk '$1 { print NR - 1 }' | sort >allowed
    [ "$(wc -l <differs)" -gt 1000 ]
    [ -z "$(comm -23 differs allowed)" ]
    # These are the pixels that diff tells of.
    [ "$(wc -l <differs)" = "$said" ]
}

# Writes the clip with an arm stretched out in one frame.
stretch_arm() { # clip, frame
    awk -v frame="$2" '$1 == "frame" { on = $2 == frame; value = 0 }
         on && /^\t/ {
             for (i = 1; i <= NF; i++) { # the numbers 26 to 28 turn the left arm
                 $i = value == 28 ? -0.7 : value == 26 || value == 27 ? 0 : $i
                 value++
             }
             $0 = "\t" $0
         }
         { print }' "$1"
}

@test "an arm that is stretched in one key: the frames whose poses differ, and no others" {
    copy_pip <<-END
	- name: pip
	  model: models/pip.md5mesh
	  cell: [40, 80]
	  supersample: 1
	  cameras: [{name: compass, directions: 3, pitch: 30}]
	  animations: [{file: jump.md5anim, sampling: {frames: [0-36]}}]
	END
    stretch_arm old/game/models/jump.md5anim 21 >game/models/jump.md5anim
    [ "$(diff old/game/models/jump.md5anim game/models/jump.md5anim | grep -c '^>')" -ge 1 ]
    exits 0 diff --base old --json pip.yaml
    [ "$(states)" = 'changed pip' ]
    [[ $(ships pip | head -1) == 'scale of the sheet '*'; both are drawn at one scale' ]]
    [ "$(jq -r '.sheets[].clips[].frames[] | select(.state == "changed").name' <<<"$output" | paste -sd,)" = \
        pip/jump/compass-0/0021,pip/jump/compass-1/0021,pip/jump/compass-2/0021 ]
    [ "$(jq '.totals.frames.rescaled' <<<"$output")" = 108 ]
}

@test "an edit of one clip counts the frames that look otherwise, and apart those that moved, in all outputs alike" {
    mkdir -p game/models
    cp "$PIP"/{walk,idle}.md5anim game/models
    copy_pip <<-END
	defaults: {cell: [40, 80], supersample: 1, animations: [{file: idle.md5anim, sampling: {count: 2}}, {file: jump.md5anim, sampling: {frames: [20-24]}},
	           {file: walk.md5anim, sampling: {count: 3}}]}
	jobs:
	- {name: pip, model: models/pip.md5mesh, cameras: [{name: compass, directions: 2, pitch: 30}]}
	- {name: tall, model: models/pip.md5mesh, cameras: [{name: front}], animations: [{file: jump.md5anim, sampling: {frames: [20-24]}}]}
	END
    stretch_arm old/game/models/jump.md5anim 21 >game/models/jump.md5anim
    local said='jump 2 of 10 frames (18 rescaled)' change
    exits 0 diff --base old --only pip --markdown diff.md --junit diff.xml --html diff.html pip.yaml
    says "changed *pip/pip * %  $said  input models/jump.md5anim changed"
    change=$(sed -n 's/^changed .* \([0-9.]* %\)  jump.*/\1/p' <<<"$output")
    grep -qF " | changed | \`$said\` | $change |" diff.md
    grep -qF "$said" diff.xml
    data_of diff.html >data.json
    exits 0 diff --base old --only pip --json pip.yaml
    jq --arg said "$said" -e '.sheets[] | .frames_text == $said and .frames == {changed: 2, rescaled: 18} and
        ([.clips[].frames_text] | unique) == ["1 of 5 frames (4 rescaled)", "2 rescaled", "3 rescaled"]' <<<"$output"
    [ "$(jq '.sheets[].change.mean' data.json)" = "$(jq '.sheets[].change.mean' <<<"$output")" ]
    [ "$(jq -r '.sheets[].change.mean * 100 | round | "\(.) %"' <<<"$output")" = "$change" ]
    [ "$(jq -c '.sheets[].clips[].frames_text' data.json)" = "$(jq -c '.sheets[].clips[].frames_text' <<<"$output")" ]
    # A single clip has no need of its name.
    exits 0 diff --base old --only tall pip.yaml
    says 'changed *pip/tall * %  1 of 5 frames (4 *)  input *'
}

@test "sheets of a state stand in the order of the number in their rows, the same in the table, Markdown, JSON and page" {
    copy_dice 'cell: 24'
    sed -i '/name: two/a\	- {name: three, model: models/one.md2}\n\t- {name: four, model: models/one.md2}' dice.yaml
    sed -i 's/^\t//' dice.yaml
    cp dice.yaml old
    sed -i '/name: one/s/}/, transform: {scale: 1.1}}/; /name: two/s/}/, transform: {scale: 3}}/; /name: four/s/}/, transform: {scale: 1.5}}/' dice.yaml
    exits 0 diff --base old --markdown diff.md --html diff.html dice.yaml
    grep '^changed ' <<<"$output" >rows
    [ "$(awk '{ print $2 }' rows | paste -sd,)" = dice/two,dice/four,dice/one ]
    sed 's/.* \([0-9.]*\) %.*/\1/' rows >numbers
    sort -rn numbers | diff numbers -
    [ "$(sed -nE 's/^\| `([a-z/]+)`.* \| changed \| .*/\1/p' diff.md | paste -sd,)" = dice/two,dice/four,dice/one ]
    [ "$(data_of diff.html | jq -r '.sheets[].name' | paste -sd,)" = dice/two,dice/four,dice/one ]
    exits 0 diff --base old --json dice.yaml
    jq -e '[.sheets[].change.mean] | . == (sort | reverse)' <<<"$output"
}

# A die that is twice as large, and its pictures.
copy_dice() { # more keys of each job
    mkdir -p game/models game/textures
    cp "$DIE"/models/die.md2 game/models/one.md2
    cp "$DIE"/models/die.md2 game/models/two.md2
    cp "$DIE"/textures/die.png game/textures
    write_list dice game <<-END
	defaults: {supersample: 1, skin: textures/die.png, animations: [hop], cameras: [{name: c, directions: 2, start: 20}], $1}
	jobs:
	- {name: one, model: models/one.md2}
	- {name: two, model: models/two.md2}
	END
    cp -r game dice.yaml old
}

# bats test_tags=asan,quick
@test "in a group, one model that grows makes the others rescaled, and no gate for changes fails for them" {
    copy_dice 'cell: 24, fit: {scope: all}'
    sed -i '/name: two/s/}/, transform: {scale: 2}}/' dice.yaml
    exits 0 diff --base old --json dice.yaml
    [ "$(states)" = 'changed two, rescaled one' ]
    [[ $(ships one | head -1) == 'scale of the sheet '*' -> '*'; both are drawn at one scale' ]]
    exits 1 diff --base old --fail-on changed dice.yaml
    exits 0 diff --base old --fail-on changed,moved --only one dice.yaml
    exits 1 diff --base old --fail-on rescaled --only one dice.yaml
    exits 0 diff --base old -v --only one dice.yaml
    says '    scale of the sheet * -> * px per unit; both are drawn at one scale'
    says '    rescaled one/hop/c-0/0000'
    exits 0 diff --base old --only one --markdown - dice.yaml
    says '*<br>`*scale of the sheet*| rescaled |*'
    exits 0 diff --base old --only one --junit junit.xml dice.yaml
    grep -q 'scale of the sheet' junit.xml
}

@test "where a group has one scale by itself, the others are moved" {
    copy_dice 'cell: 24, fit: {scope: all, pixels_per_unit: 4}'
    sed -i '/name: two/s/}/, transform: {scale: 1.5}}/' dice.yaml
    exits 0 diff --base old --json dice.yaml
    [ "$(states)" = 'changed two, moved one' ]
    [[ $(ships one) == $'the frame of the cell moved; both are drawn in one frame\npivot moves '*' px in c-'* ]]
}

@test "a scale that the list gives is no change of the pictures" {
    copy_dice 'cell: 24, fit: {pixels_per_unit: 2}'
    sed -i 's/pixels_per_unit: 2/pixels_per_unit: 3/' dice.yaml
    exits 0 diff --base old --json dice.yaml
    [ "$(states)" = 'rescaled one, rescaled two' ]
    [[ $(ships one) == "scale of the sheet 2 -> 3 px per unit; both are drawn at one scale"* ]]
}

@test "each frame by itself, or each clip: they are compared in one frame, too" {
    local scope
    for scope in frame animation; do
        copy_dice "cell: 24, fit: {scope: $scope}"
        sed -i '/name: two/s/}/, transform: {scale: 1.5}}/' dice.yaml
        exits 0 diff --base old --json dice.yaml
        [ "$(states)" = 'changed two' ]
        jq -e '.sheets[].clips[].frames[] | .before.scale == .after.scale and .shipped.before.scale != .shipped.after.scale' <<<"$output"
        rm -r old game && mkdir old
    done
}

@test "a range of depths that grows is none of the picture: the depths are drawn with one for both" {
    copy_dice 'cell: 24, fit: {scope: all, pixels_per_unit: 1}, passes: [depth]'
    sed -i '/name: two/s/}/, transform: {scale: 1.5}}/' dice.yaml
    exits 0 diff --base old --json dice.yaml
    [ "$(states)" = 'changed two, rescaled one' ]
    [[ $(ships one) == *'range of depths '*' to '*' -> '*' to '* ]]
    [[ $(ships one) == *'pivot moves '* || $(ships one) != *'both are shown '* ]]
}

@test "a pair of which one cannot be looked at is compared as it ships, and says so" {
    copy_dice 'cell: 25'
    sed -i '/name: two/s/}/, transform: {scale: 1.5}}/' dice.yaml
    local attempts found=0
    # The worker that packs what a job shows, or the one that draws it, does not get the file at the Nth attempt.
    for ((attempts = 0; attempts < 12 && found == 0; attempts++)); do
        LOSE_MODEL=two.md2 LOSE_AFTER=$attempts LD_PRELOAD=$TOOLS/trouble.so \
            run --separate-stderr "$SHEETBAKE" diff --base old -j 1 --json dice.yaml
        [ "$status" = 0 ]
        [[ $(states) == 'changed two' || $(states) == 'unknown two' ]]
        [[ $(states) == unknown* ]] || [[ $(ships two) != *'not drawn in one frame'* ]] || found=1
    done
    [ "$found" = 1 ]
    [ "$(states)" = 'changed two' ]
    [ "$(ships two | head -1)" = 'not drawn in one frame: what it shows before could not be found out' ]
    jq -e '.sheets[].clips[].frames[] | .shipped == null and .before.scale != .after.scale' <<<"$output"
}

@test "a cell of another size, odd or even, larger or smaller: both are drawn into the larger one, and rescaled" {
    local cell
    for cell in 33 40 48 31 24 '[40, 24]'; do
        copy_dice 'cell: 32'
        sed -i "s/cell: 32/cell: $cell/" dice.yaml
        exits 0 diff --base old --json dice.yaml
        [ "$(states)" = 'rescaled one, rescaled two' ]
        rm -r old game && mkdir old
    done
    # At a scale that is given, the size of the cell is no change of the scale. Its pages hold the larger cells, too.
    copy_dice 'cell: 24, fit: {pixels_per_unit: 2}, sheet: {max_size: 64}'
    sed -i 's/cell: 24/cell: 71/; s/max_size: 64/max_size: 128/' dice.yaml
    exits 0 diff --base old --json dice.yaml
    [ "$(states)" = 'moved one, moved two' ]
}

@test "a cell of another size, trimmed or packed: rescaled; with another skin besides, as much changed as in cells of one size" {
    local sheet cell alone
    for sheet in '{}' '{trim: true}' '{layout: packed}'; do
        for cell in 33 64; do
            copy_dice "cell: 32, sheet: $sheet"
            sed -i "s/cell: 32/cell: $cell/" dice.yaml
            exits 0 diff --base old --json dice.yaml
            [ "$(states)" = 'rescaled one, rescaled two' ]
            [[ $(ships one | head -1) == "cell 32x32 -> ${cell}x$cell, scale of "*'; both are drawn in one frame' ]]
            convert game/textures/die.png -fill '#123456' -draw 'rectangle 0,0 3,3' game/textures/other.png
            sed -i '/name: two/s/}/, skin: textures\/other.png}/' dice.yaml
            exits 0 diff --base old --json dice.yaml
            [ "$(states)" = 'changed two, rescaled one' ]
            local both=$(jq -c '.sheets[] | select(.job == "two") | .change, [.clips[].frames[].change.pixels]' <<<"$output")
            sed -i "s/cell: 32/cell: $cell/" old/dice.yaml
            exits 0 diff --base old --json dice.yaml
            [ "$(states)" = 'changed two' ]
            [ "$both" = "$(jq -c '.sheets[] | .change, [.clips[].frames[].change.pixels]' <<<"$output")" ]
            rm -r old game && mkdir old
        done
    done
}

# -- Two folders --

@test "two folders: another scale is said and not compared, and no gate for changes lets it pass" {
    copy_dice 'cell: 26'
    exits 0 render -q -o before dice.yaml
    sed -i '/name: two/s/}/, transform: {scale: 1.5}}/' dice.yaml
    exits 0 render -q -o after dice.yaml
    exits 0 diff --json before after
    [ "$(states)" = 'rescaled two' ]
    [[ $(ships two) == 'scale of the sheet '* ]]
    jq -e '.sheets[] | .clips[].frames[].change == null' <<<"$output"
    [ "$(jq -r '.sheets[].frames_text' <<<"$output")" = '4 rescaled: not compared' ]
    exits 1 diff --fail-on changed before after
    exits 1 diff --fail-on rescaled before after
    exits 0 diff --fail-on moved,failed before after
    exits 0 diff --base old --fail-on rescaled,moved dice.yaml
}

@test "two folders: frames lie on each other at their pivots, so what moves as a whole is moved" {
    write_list die <<-END
	- {name: die, model: models/die.md2, animations: [], cell: 48, supersample: 1, fit: {pixels_per_unit: 2},
	   cameras: [{name: c, projection: orthographic, eye: [100, 0, 0], target: [0, 0, 0]}]}
	END
    exits 0 render -q -o before die.yaml
    sed -i 's/eye: .*/eye: [100, 0, 2], target: [0, 0, 2]}]}/' die.yaml
    exits 0 render -q -o after die.yaml
    exits 0 diff --json before after
    [ "$(states)" = 'moved die' ]
    [ "$(ships die)" = 'pivot moves 4 px in c' ]
    # A dot is one, wherever the pivot is.
    cp -r "$DIE" dotted
    convert dotted/textures/die.png -fill '#123456' -draw 'rectangle 0,0 1,1' png:new && mv new dotted/textures/die.png
    sed -i "s|^assets: .*|assets: dotted|" die.yaml
    exits 0 render -q -o dotted-after die.yaml
    exits 0 diff --json before dotted-after
    local moved=$(jq '.sheets[0].change.pixels' <<<"$output")
    exits 0 diff --json after dotted-after
    [ "$moved" = "$(jq '.sheets[0].change.pixels' <<<"$output")" ]
}

@test "two folders: at one scale, a cell that puts the pixels half a pixel aside is not compared, and never changed" {
    copy_dice 'cell: 32, fit: {pixels_per_unit: 2}'
    exits 0 render -q -o before dice.yaml
    sed -i 's/cell: 32/cell: 34/' dice.yaml
    exits 0 render -q -o even dice.yaml
    exits 0 diff --json before even
    [ "$(states)" = 'moved one, moved two' ]
    sed -i 's/cell: 34/cell: 33/' dice.yaml
    exits 0 render -q -o odd dice.yaml
    exits 0 diff --json before odd
    [ "$(states)" = 'rescaled one, rescaled two' ]
    [ "$(jq -r '.sheets[].frames_text' <<<"$output" | uniq)" = '4 rescaled: not compared' ]
    exits 1 diff --fail-on changed before odd
}

@test "two folders: another name does not hide that a sheet has not been compared" {
    copy_dice 'cell: 32'
    exits 0 render -q -o before --only one dice.yaml
    sed -i 's/name: one,/name: other, transform: {scale: 2},/' dice.yaml
    exits 0 render -q -o after --only other dice.yaml
    cmp before/one.png after/other.png
    exits 1 diff --json --fail-on changed before after
    [ "$(states)" = 'rescaled other' ]
    [ "$(jq -r '.sheets[0] | .old_name + ": " + .frames_text' <<<"$output")" = 'dice/one: 4 rescaled: not compared' ]
}

# -- The page --

@test "the page has the pictures of one frame and those that ship; a rescaled sheet needs the first once" {
    copy_dice 'cell: 24, fit: {scope: all}'
    sed -i '/name: two/s/}/, transform: {scale: 2}}/' dice.yaml
    exits 0 diff -q --base old dice.yaml --html page/
    data_of page/index.html >data.json
    jq -e '.sheets[] | select(.job == "one").strips | .before == {} and ([.after, .shipped_before, .shipped_after] | all(.color[0].src))' data.json
    exits 0 render -q -o after dice.yaml
    exits 0 render -q -o before old/dice.yaml
    local side job name cell src columns at
    for side in before after; do
        for job in one two; do
            while read -r name src columns cell; do
                at=$(jq -r --arg name "$name" '.frames[$name].frame | "\(.w)x\(.h)+\(.x)+\(.y)"' $side/$job.json)
                convert $side/$job.png -crop "$at" +repage rgba:wanted
                convert "page/$src" -crop "24x24+$((cell % columns * 24))+$((cell / columns * 24))" +repage rgba:found
                cmp wanted found
            done < <(jq -r --arg job $job '.sheets[] | select(.job == $job) | .strips.shipped_'$side'.color as $pictures
                | .clips[].frames[] | .shipped.'$side'.cell as $cell | ($pictures[] | select(.first <= $cell and $cell < .first + .count)) as $of
                | "\(.name) \($of.src) \($of.columns) \($cell - $of.first)"' data.json)
        done
    done
    # Two folders: both sides are shown, though they are not compared.
    exits 0 diff -q before after --html folders.html
    data_of folders.html | jq -e '.sheets[] | select(.job == "one") | .state == "rescaled" and (.strips | .before.color[0].src and .after.color[0].src)'
}
