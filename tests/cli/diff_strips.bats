# Not under the sanitizers: it looks at pixels; fuzz_review.

# The pictures of `diff --strips`, as other programs decode them, and the Markdown that shows them.
load sheets

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
}

render_to() { # folder, jobs on standard input
    { printf 'lights: {even: %s}\ndefaults: {cell: 16, light: even, animations: [hop], cameras: {name: compass, directions: 4, pitch: 20}}\njobs:\n' "$UNLIT"; cat; } |
        write_list all "$PWD/assets"
    exits 0 render -q --force -o "$1" all.yaml
}

# Of a sheet, the skin changes.
make_folders() { # size of the cell, more keys
    render_to before <<<"- {name: die, model: models/die.md2, cell: $1$2}"
    convert -negate assets/textures/die.png png:new
    mv new assets/textures/die.png
    render_to after <<<"- {name: die, model: models/die.md2, cell: $1$2}"
}

# Of the only strip in a folder: each frame becomes frames/N.png, as it is seen.
take_apart() { # folder
    local file i=0 place
    file=$(echo "$1"/*)
    rm -rf frames && mkdir frames
    if [[ $file == *.webp ]]; then
        "$TOOLS/webp_frames" "$file" frames >frames/info
        for ((i = 0; i < $(sed 1,2d frames/info | wc -l); i++)); do
            convert -size "$(sed -n 2p frames/info)" -depth 8 "rgba:frames/$i.rgba" "frames/$i.png"
        done
    else
        mkdir frames/parts
        "$BATS_TEST_DIRNAME/apng_frames" "$file" frames/parts >frames/info
        convert -size "$(size_of frames/parts/0.png)" canvas:none frames/canvas.png
        while read -r _ place _; do
            convert frames/canvas.png "frames/parts/$i.png" -geometry "+${place#*+}" -compose copy -composite "frames/$i.png"
            cp "frames/$i.png" frames/canvas.png
            i=$((i + 1))
        done < <(sed 1d frames/info)
    fi
    count=$(ls frames/*.png | grep -c '/[0-9]*\.png$')
}

# Cells of 16 pixels are shown twelve times as large: panels of 192 pixels, 3 pixels apart, below 13 pixels with the words.
panel_of() { # number, frame
    convert "frames/$2.png" -crop "192x192+$((3 + $1 * 195))+13" +repage -filter point -resize 16x16 panel.png
}

# The cell of a frame of the sheet, on the grey of the panels.
cell_of() { # folder, frame name
    local x y w h
    read -r x y w h < <(jq -r --arg name "$2" '.frames[$name].frame | "\(.x) \(.y) \(.w) \(.h)"' "$1/die.json")
    convert "$1/die.png" -crop "${w}x$h+$x+$y" +repage -background '#888888' -flatten cell.png
}

are_alike() { # file, file, levels of 255
    [ "$(compare -metric AE -fuzz "$(bc <<<"scale=3; $3 * 100 / 255")%" "$1" "$2" null: 2>&1)" = 0 ]
}

@test "a strip plays both sides and what differs in step, and both formats show the same" {
    make_folders 16 ''
    exits 0 diff before after --strips webp
    exits 0 diff before after --strips apng --strips-format apng
    [ "$(ls webp | wc -l) $(ls apng | wc -l)" = '1 1' ]
    [[ $(ls webp apng | paste -sd' ') =~ ^apng:\ ([0-9a-f]{32})\.png\ +webp:\ ([0-9a-f]{32})\.webp$ ]]
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
    exits 0 diff before after --json --strips webp
    name=$(jq -r '.sheets[0].strip' <<<"$output")
    [ -s "webp/$name" ]
    clip=$(jq -r '.sheets[0].strip_clip' <<<"$output")
    [[ $clip == hop/compass-? ]]
    take_apart apng
    mv frames apng_frames
    take_apart webp
    [ "$count" = 2 ] # hop has two frames
    [ "$(size_of frames/0.png)" = 588x208 ]
    for i in 0 1; do
        are_alike "apng_frames/$i.png" "frames/$i.png" 0
        for side in 0 1; do
            panel_of $side $i
            cell_of "$([ $side = 0 ] && echo before || echo after)" "die/$clip/000$i"
            are_alike panel.png cell.png 2
        done
    done
    # What changed is marked in red, and nothing else.
    cell_of before "die/$clip/0000"
    convert cell.png was.png
    cell_of after "die/$clip/0000"
    convert was.png cell.png -compose difference -composite -separate -evaluate-sequence max -threshold 0 changed.png
    panel_of 2 0
    convert panel.png -fx 'u.r > u.g + 0.1 ? 1 : 0' marked.png
    are_alike marked.png changed.png 0
}

@test "the words are in the pixels, and look alike without any font" {
    make_folders 16 ''
    FONTCONFIG_FILE=/dev/null exits 0 diff before after --strips webp
    take_apart webp
    convert frames/0.png -crop 66x7+393+3 +repage -threshold 50% txt: |
        awk -F'[,:() ]+' 'NR > 1 { if ($2 != y) { y = $2; print "" } printf "%s", /white|#FFFFFF/ ? "#" : "." } END { print "" }' >words
    [ "$(sed 's/\.*$//' words)" = '####...###..#####.#####.#####.####..#####.#...#..###..#####
#...#...#...#.....#.....#.....#...#.#.....#...#.#...#.#
#...#...#...#.....#.....#.....#...#.#.....##..#.#.....#
#...#...#...####..####..####..####..####..#.#.#.#.....####
#...#...#...#.....#.....#.....#.#...#.....#..##.#.....#
#...#...#...#.....#.....#.....#..#..#.....#...#.#...#.#
####...###..#.....#.....#####.#...#.#####.#...#..###..#####' ]
}

@test "a strip has at most 150 KB, whatever it shows" {
    local format
    convert -size 64x64 xc: +noise Random -seed 7 png:assets/textures/die.png
    make_folders 256 ', sampling: {count: 30}'
    for format in webp apng; do
        exits 0 diff before after --strips $format --strips-format $format
        take_apart $format
        [ "$(stat -c %s $format/*)" -le 150000 ]
        [ "$count" -gt 1 ]
        # It plays as long as the clip does, to a frame.
        sed -E '/^plays|^[0-9]+x/d; s/ .*//' frames/info | paste -sd+ | bc >shown
        jq '[.frames | to_entries[] | select(.key | startswith("die/hop/compass-0/")) | .value.duration] | add | round' after/die.json >clip
        [ "$(cat shown)" -ge "$(($(cat clip) - 2))" ]
        [ "$(cat shown)" -le "$(($(cat clip) * 5 / 4))" ]
    done
}

@test "it shows the clip and the direction that differ most" {
    render_to before <<<'- {name: die, model: models/die.md2, animations: [stand, hop], cameras: [front, {name: compass, directions: 8}]}'
    convert assets/textures/die.png -fill red -draw 'rectangle 32,0 63,31' PNG32:new
    mv new assets/textures/die.png
    render_to after <<<'- {name: die, model: models/die.md2, animations: [stand, hop], cameras: [front, {name: compass, directions: 8}]}'
    exits 0 diff --json before after --strips strips
    jq '.sheets[0].clips | map({name, worst: ([.frames[].change.mean // 0] | max)})' <<<"$output" >clips
    [ "$(jq -r 'max_by(.worst).name' clips)" != "$(jq -r '.[0].name' clips)" ] # the test tells something
    worst=$(jq -r '.sheets[0].strip_clip' <<<"$output")
    [ "$(jq --arg worst "$worst" 'max_by(.worst).worst == (.[] | select(.name == $worst).worst)' clips)" = true ]
}

@test "only sheets that look otherwise have strips, and no more than asked for" {
    render_to before <<'END'
- {name: a, model: models/die.md2}
- {name: b, model: models/die.md2, cell: 12}
- {name: gone, model: models/die.md2}
- {name: die, model: models/die.md2}
END
    convert -negate assets/textures/die.png png:new && mv new assets/textures/die.png
    render_to after <<'END'
- {name: a, model: models/die.md2}
- {name: b, model: models/die.md2, cell: 12}
- {name: fresh, model: models/die.md2, cell: 20}
- {name: die, model: models/die.md2}
END
    exits 0 diff --json before after --strips all
    [ "$(jq -c '[.sheets[] | [.state, .strip != null]]' <<<"$output")" = \
        '[["changed",true],["changed",true],["changed",true],["removed",true],["added",true]]' ]
    [ "$(ls all | wc -l)" = 5 ]
    exits 0 diff --json before after --strips two --strips-most 2
    [ "$(jq -c '[.sheets[] | [.state, .strip != null]]' <<<"$output")" = \
        '[["changed",true],["changed",false],["changed",false],["removed",true],["added",false]]' ]
    [ "$(ls two | wc -l)" = 2 ]
    exits 0 diff --json before before --strips none
    [ "$(ls none | wc -l)" = 0 ]
    # A sheet that is new or gone has one panel.
    exits 0 diff before after --strips gone --only gone
    take_apart gone
    [ "$(size_of frames/0.png)" = 198x208 ]
}

@test "a sheet that only moved or plays at another pace has no strip" {
    render_to before <<'END'
- {name: slow, model: models/die.md2, animations: [{name: hop, rate: 5}], sampling: {count: 4}}
- {name: wide, model: models/die.md2, cell: 16, fit: {pixels_per_unit: 4}}
END
    render_to after <<'END'
- {name: slow, model: models/die.md2, animations: [{name: hop, rate: 20}], sampling: {count: 4}}
- {name: wide, model: models/die.md2, cell: 24, fit: {pixels_per_unit: 4}}
END
    exits 0 diff --json before after --strips strips
    [ "$(jq -c '[.sheets[] | [.state, .strip]]' <<<"$output")" = '[["moved",null],["retimed",null]]' ]
    [ -z "$(ls strips)" ]
}

@test "cells of other sizes lie over each other at their pivots" {
    convert -size 96x64 xc:blue PNG32:assets/textures/die.png
    render_to before <<<'- {name: die, model: models/die.md2, cell: 16, fit: {pixels_per_unit: 4}, cameras: [front]}'
    convert -size 96x64 xc:red PNG32:assets/textures/die.png
    render_to after <<<'- {name: die, model: models/die.md2, cell: 24, fit: {pixels_per_unit: 4}, cameras: [front]}'
    exits 0 diff before after --strips strips
    take_apart strips
    # The silhouette is at one place, in a cell of 24 pixels shown eight times as large.
    for side in 0 1; do
        convert frames/0.png -crop "192x192+$((3 + side * 195))+13" +repage -fuzz 1% -fill black -opaque '#888888' -fill white +opaque black side$side.png
    done
    are_alike side0.png side1.png 0
    [ "$(convert side0.png -format '%[fx:mean > 0.05]' info:)" = 1 ]
}

@test "names of sheets and clips stay out of file names, and do no harm in Markdown" {
    render_to before <<<'- {name: "a b`c` (x)[y]&#64;me", model: models/die.md2}'
    convert -negate assets/textures/die.png png:new && mv new assets/textures/die.png
    render_to after <<<'- {name: "a b`c` (x)[y]&#64;me", model: models/die.md2}'
    exits 0 diff before after --strips strips --strips-url https://host.test/x --markdown diff.md
    [[ $(ls strips) =~ ^[0-9a-f]{32}\.webp$ ]]
    grep -qxE '`` all/a b`c` \(x\)\[y\]&#64;me `` `hop/compass-[0-3]`<br>!\[before, after, difference\]\(https://host.test/x/[0-9a-f]{32}.webp\)' diff.md
    grep -qF "/$(ls strips))" diff.md
    exits 0 diff before after --strips strips --strips-url https://host.test/x/ --markdown slash.md
    diff diff.md slash.md
}

@test "Markdown with strips has each cause once, worst first; without an address it is as before" {
    local names='alpha beta gamma' name
    cp assets/textures/die.png assets/textures/other.png
    for side in before after; do
        for name in $names; do echo "- {name: $name, model: models/die.md2, skin: textures/die.png}"; done >jobs
        echo '- {name: other, model: models/die.md2, skin: textures/other.png}' >>jobs
        render_to $side <jobs
        convert -negate assets/textures/die.png png:new && mv new assets/textures/die.png
        convert assets/textures/other.png -modulate 90 png:new && mv new assets/textures/other.png
    done
    exits 0 diff before after --strips strips --markdown plain.md
    exits 0 diff before after --markdown without.md
    cmp plain.md without.md
    exits 0 diff before after --strips strips --strips-url URL --markdown diff.md
    [ "$(grep -c '<details' diff.md) $(grep -c '^</details>$' diff.md) $(grep -c '<br>!\[' diff.md)" = '2 2 4' ]
    [ "$(grep -oE '^<details.*</summary>$' diff.md)" = '<details open><summary>3 sheets: <code>input textures/die.png changed</code></summary>
<details><summary>1 sheet: <code>input textures/other.png changed</code></summary>' ]
    [ "$(grep -c 'input textures' diff.md)" = 2 ]
    # Each picture is there.
    for name in $(sed -nE 's/.*<br>!.*\(URL\/(.*)\)$/\1/p' diff.md); do [ -s "strips/$name" ]; done
    # What does not fit is counted, and each fold is closed.
    exits 0 diff before after --strips strips --strips-url "$(printf 'u%.0s' {1..300})" --markdown diff.md --budget 2000
    [ "$(wc -m <diff.md)" -le 2000 ]
    [ "$(grep -c '<details' diff.md)" = "$(grep -c '^</details>$' diff.md)" ]
    grep -qE '^And [0-9] more: [0-9] changed\.$' diff.md
}

@test "each cause has a picture before one has a second, of the sheet that shows it best; the first with pictures is open" {
    cp assets/textures/die.png assets/textures/other.png
    for side in before after; do
        {
            echo '- {name: mild, model: models/die.md2, skin: textures/die.png, fit: {pixels_per_unit: 2}}'
            echo '- {name: strong, model: models/die.md2, skin: textures/die.png, fit: {pixels_per_unit: 6}}'
            echo '- {name: other, model: models/die.md2, skin: textures/other.png}'
            echo "- {name: $side, model: models/die.md2, cell: 20}"
            echo "- {name: slow, model: models/die.md2, loop: $([ $side = before ])}"
        } | sed "s/loop: /animations: [{name: hop, rate: $([ $side = before ] && echo 5 || echo 9)}]/" >jobs
        render_to $side <jobs
        convert -negate assets/textures/die.png png:new && mv new assets/textures/die.png
        convert assets/textures/other.png -modulate 95 png:new && mv new assets/textures/other.png
    done
    # A sheet that failed has no picture, and comes first.
    truncate -s -1 after/slow.png
    for most in 3 4 5; do
        exits 0 diff --json before after --strips s$most --strips-most $most --strips-url URL --markdown $most.md
        jq -r '.sheets[] | select(.strip) | .job' <<<"$output" | sort | paste -sd' ' >>chosen
    done
    # The causes: not compared, die.png, other.png, no longer made, not made before.
    [ "$(cat chosen)" = $'before other strong\nafter before other strong\nafter before mild other strong' ]
    [ "$(grep -c '^<details open>' 5.md) $(grep -n '^<details' 5.md | grep -n open | cut -d: -f1)" = '1 2' ]
}

@test "a clip in which the model stands shows what is of the whole model, and of a clip the frame that differs most" {
    for side in before after; do
        render_to $side <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 4}, animations: [hop, {name: my_Idle, clip: stand}]}'
        convert -negate assets/textures/die.png png:new && mv new assets/textures/die.png
    done
    exits 0 diff --json before after --strips whole
    [[ $(jq -r '.sheets[0].strip_clip' <<<"$output") == my_Idle/* ]]
    # Only the hop differs.
    render_to after <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 4}, animations: [{name: hop, frames: 0-1}, {name: my_Idle, clip: stand}]}'
    exits 0 diff --json before after --strips hop
    [[ $(jq -r '.sheets[0].strip_clip' <<<"$output") == hop/* ]]
}

@test "a new clip is shown before one that differs by what nobody sees, and counts among its frames" {
    render_to before <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 4}, animations: [hop]}'
    convert assets/textures/die.png -channel R -evaluate add 257 png:new && mv new assets/textures/die.png
    render_to after <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 4}, animations: [hop, {name: rest, clip: stand}]}'
    exits 0 diff --json before after --strips strips
    [[ $(jq -r '.sheets[0].strip_clip' <<<"$output") == rest/* ]]
    [[ $(jq -r '.sheets[0].frames_text' <<<"$output") == *' frames, of these '*' added' ]]
}

@test "a sheet whose scale is another in two folders shows both as they are" {
    render_to before <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 3}}'
    render_to after <<<'- {name: die, model: models/die.md2, fit: {pixels_per_unit: 5}}'
    exits 0 diff --json before after --strips strips
    [ "$(jq -c '[.sheets[] | [.state, .strip != null]]' <<<"$output")" = '[["rescaled",true]]' ]
    take_apart strips
    [ "$(identify -format %w frames/0.png)" -gt 400 ] # three panels
}

@test "of many sheets and causes each cause keeps its picture, and the comment has room for addresses" {
    local i
    for i in {1..12}; do cp assets/textures/die.png "assets/textures/skin$i.png"; done
    for side in before after; do
        for i in {1..60}; do echo "- {name: a-rather-long-name-of-a-unit-$i, model: models/die.md2, cameras: [{name: all, yaw: $([ $side = before ] && echo 0 || echo 40)}]}"; done >jobs
        for i in {1..3}; do echo "- {name: last-$i, model: models/die.md2, skin: textures/skin$i.png}" >>jobs; done
        render_to $side <jobs
        for i in {1..3}; do convert "assets/textures/skin$i.png" -modulate $((100 - 4 * i)) png:new && mv new "assets/textures/skin$i.png"; done
    done
    exits 0 diff before after --strips strips --strips-url URL --markdown diff.md --budget 5000
    [ "$(wc -m <diff.md)" -le 5000 ]
    [ "$(grep -c '<details' diff.md) $(grep -c '<br>!\[' diff.md)" = '4 6' ]
    grep -q '^<details open><summary>60 sheets: <code>' diff.md
    grep -qE '^And [0-9]+ more: [0-9]+ changed\.$' diff.md
    [ "$(($(grep -c '^| `' diff.md) + $(sed -nE 's/^And ([0-9]+) more.*/\1/p' diff.md)))" = 63 ]
}

@test "no line of a row is empty" {
    render_to before <<<'- {name: die, model: models/die.md2}'
    rm assets/textures/die.png
    render_to after <<<'- {name: die, model: models/die.md2}'
    exits 0 diff before after --strips strips --strips-url URL --markdown diff.md
    exits 0 diff before after --markdown plain.md
    grep -q '<br>new warning: ' diff.md
    never grep -E '\| *<br>|<br> *(<br>|\|)' diff.md plain.md
}

@test "a folder that cannot be written is told before anything is compared, and an address needs pictures" {
    mkdir before after
    touch file
    exits 2 diff before after --strips file
    says '*file*'
    exits 2 diff before after --strips file/below
    exits 2 diff before after --strips-url URL
    says 'sheetbake diff: --strips-url needs --strips'
    exits 2 diff before after --strips-most 0 --strips s
    exits 2 diff before after --strips-format gif --strips s
}

@test "a sheet that --strict fails has its strip" {
    render_to before <<<'- {name: die, model: models/die.md2}'
    rm assets/textures/die.png
    render_to after <<<'- {name: die, model: models/die.md2}'
    exits 0 diff --json --strict before after --strips strips
    [ "$(jq -c '[.sheets[] | [.state, .strip != null]]' <<<"$output")" = '[["texture-lost",true]]' ]
}

@test "a sheet whose picture is cut off has no strip, and the others have theirs" {
    make_folders 16 ''
    truncate -s -1 after/die.png
    exits 0 diff before after --strips strips
    says 'unknown *all/die *'
    [ -z "$(ls strips)" ]
}
