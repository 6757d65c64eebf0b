# bats file_tags=asan
load sheets

# How pictures are packed into files: palettes, rows for git, cells that are cut.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
}

# The pixels of pictures as RGBA.
pixels() {
    local file
    for file in "$@"; do convert "$file" -depth 8 RGBA:-; done
}

# What is between the flushes of a picture, a line each; none, where there is no flush.
packed_rows() {
    xxd -p "$1" | tr -d '\n' | sed 's/^.*49444154//; s/0000ffff/\n/g' # from IDAT on
}

@test "a picture of few colours gets a palette, and has the same pixels" {
    write_list plain assets <<-END
	- {name: few, model: models/die.md2, animations: [], cell: 12, cameras: [front, left], light: flat, supersample: 1, passes: [mask, depth], sheet: {bleed: 2, padding: 4}}
	- {name: many, model: models/die.md2, animations: [], cell: 200, cameras: {directions: 8, name: c}, passes: [mask]}
	END
    sed 's/^output.*/output: out\/small/; s/^- {/&png: {indexed: true}, /' plain.yaml >small.yaml
    exits 0 render -q plain.yaml small.yaml
    local file pngs=
    for file in {few,few.mask,few.depth,many,many.mask}.png; do
        cmp <(pixels "out/plain/$file") <(pixels "out/small/$file")
        pngs="$pngs $(identify -format '%[png:IHDR.color_type]' "out/small/$file" | tr -dc 0-9)"
    done
    [ "$pngs" = ' 3 3 0 6 3' ] # palettes, but of depth; and none where there are more than 256 colours
    [ "$(convert out/small/few.png -unique-colors -format %w info:)" -gt 4 ]
    [ "$(stat -c %s out/small/many.mask.png)" -lt "$(stat -c %s out/plain/many.mask.png)" ]
    cmp out/plain/many.png out/small/many.png
    cmp out/plain/few.json out/small/few.json
    exits 0 diff out/plain out/small
    says 'sheets: 2 repacked'
}

@test "png: rows: flush leaves the bytes of the other rows alone when one changes" {
    write_list before assets <<-END
	- {name: it, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim}],
	   cell: 48, cameras: [front, left], sampling: {count: 6}, sheet: {padding: 3, extrude: 1}, png: {rows: flush}}
	END
    sed 's/^output.*/output: out\/joined/; s/rows: flush/rows: joined/' before.yaml >joined.yaml
    sed 's/^output.*/output: out\/after/; s/{file: anims.turn.md5anim}/{file: anims\/turn.md5anim, sampling: {times: [0, 0.1, 0.15, 0.2, 0.3, 0.31]}}/' before.yaml >after.yaml
    exits 0 render -q before.yaml after.yaml joined.yaml
    cmp <(pixels out/before/it.png) <(pixels out/joined/it.png)
    [ "$(packed_rows out/before/it.png | wc -l)" = 4 ] # the last has no flush, and the file no end of line
    [ "$(packed_rows out/joined/it.png | wc -l)" = 0 ]
    never cmp -s <(pixels out/before/it.png) <(pixels out/after/it.png)
    cmp <(packed_rows out/before/it.png | head -2) <(packed_rows out/after/it.png | head -2)
    never cmp -s <(packed_rows out/before/it.png | head -3) <(packed_rows out/after/it.png | head -3)
}

@test "trim: {alpha: N} cuts off what is fainter" {
    write_list list assets <<-END
	- {name: all, model: models/die.md2, animations: [], cell: 64, cameras: [three_quarter], ground: {kind: shadow, strength: 0.1}, sheet: {trim: true}}
	- {name: less, model: models/die.md2, animations: [], cell: 64, cameras: [three_quarter], ground: {kind: shadow, strength: 0.1}, passes: [depth], sheet: {trim: {alpha: 60}}}
	- {name: packed, model: models/die.md2, animations: [], cell: 64, cameras: [three_quarter], ground: {kind: shadow, strength: 0.1}, sheet: {trim: {alpha: 60}, layout: packed}}
	END
    exits 0 render -q list.yaml
    local name seen
    seen=$(convert out/list/all.png -alpha extract -threshold 23% -format %@ info:)
    [ "$(identify -format %P out/list/all.png)" != "${seen%%+*}" ]
    for name in less packed; do
        [ "$(identify -format %P "out/list/$name.png")" = "${seen%%+*}" ]
        jq -e '.frames[] | .trimmed and .spriteSourceSize.w == .frame.w and .sourceSize.w == 64' "out/list/$name.json"
    done
    jq -e '.settings["sheet.trim"] == "alpha: 60"' out/list/less.sheetbake
    sed -i 's/alpha: 60/alpha: 0/; s/indexed: true/indexed: 3/' list.yaml
    exits 2 check list.yaml
    says "list.yaml:*: 'alpha' must be *from 1 to 255, found 0"
}

@test "scales: [1, 2] gives the same sheet twice, the second at twice the size" {
    write_list list assets <<-END
	defaults: {cell: [24, 32], scales: [1, 2], animations: [{file: anims/hop.md5anim}], sampling: {count: 3}, fit: {scope: party}, sheet: {padding: 2, extrude: 1}}
	jobs:
	- {name: die, model: models/die.md5mesh, cameras: {directions: 2, name: c}, split: camera, previews: {}}
	- {name: fixed, model: models/die.md2, animations: [], cameras: [front], fit: {pixels_per_unit: 1.5}, outline: {width: 1, color: '#000000'}, metadata: [aseprite]}
	END
    exits 0 render list.yaml
    [ "$(cd out/list && echo *.png)" = 'die@2x@c-0.png die@2x@c-1.png die@c-0.png die@c-0.preview@hop@c-0.png die@c-1.png fixed.png fixed@2x.png' ]
    local name
    for name in die fixed; do
        local one="out/list/$name.json" two="out/list/$name@2x.json"
        [ $name = fixed ] || one=out/list/die@c-0.json two=out/list/die@2x@c-0.json
        doubled='[.. | .frame?, .sourceSize?, .meta?.size? | select(.) | map_values(. * 2)]'
        [ "$(jq -c "$doubled" "$one")" = "$(jq -c "${doubled//\* 2/* 1}" "$two")" ]
        [ "$(jq -c '.frames | map_values(.anchor)' "$one")" = "$(jq -c '.frames | map_values(.anchor)' "$two")" ] # and names
        [ "$(jq -r .meta.scale "$one") $(jq -r .meta.scale "$two")" = '1 2' ]
        [ "$(jq '[.. | .pixelsPerUnit? // empty][0] * 2' "$one")" = "$(jq '[.. | .pixelsPerUnit? // empty][0]' "$two")" ]
        # The larger one, made smaller again, looks as the smaller one.
        convert "${two%json}png" -scale 50% half.png
        [ "$(compare -metric AE -fuzz 20% half.png "${one%json}png" null: 2>&1)" -lt 60 ] # of 2,000: edges
    done
    jq -e '.meta.scale == "2"' out/list/fixed@2x.aseprite.json
    exits 0 render -q list.yaml
    exits 0 verify out/list
    exits 0 render --dry-run list.yaml
    says '0 sheets would be made, 6 up to date'
    cp -r out/list before
    exits 0 diff before out/list
    sed -i 's/scales: \[1, 2\]/scales: 2/' list.yaml
    exits 0 render --prune list.yaml
    [ "$(cd out/list && echo *.png)" = 'die@2x@c-0.png die@2x@c-0.preview@hop@c-0.png die@2x@c-1.png fixed@2x.png' ]
    sed -i 's/scales: 2/scales: [1, 9]/' list.yaml
    exits 2 check list.yaml
    says '*a scale must be *from 1 to 8*'
    sed -i 's/scales: \[1, 9\]/scales: 8, max_size: 16/; s/cell: \[24, 32\]/cell: 2000/' list.yaml
    exits 2 check list.yaml
    sed -i 's/, max_size: 16//' list.yaml
    exits 2 check list.yaml
    says '*a cell of 16000x16000 is drawn at *'
    sed -i 's/scales: 8/scales: 1/; s/cell: 2000/cell: 8/; s/{directions: 2, name: c}/[{name: 2x, yaw: 3}]/' list.yaml
    exits 2 check list.yaml
    says "*a camera's name is that of a scale, such as 2x*"
}

# What chunk TYPE of a PNG holds, as two signed numbers.
chunk() { # file, type
    local at
    at=$(LC_ALL=C grep -obUaP "$2" "$1" | head -1 | cut -d: -f1)
    tail -c +$((at + 5)) "$1" | head -c 8 | od -An -t d4 --endian=big | xargs
}

@test "frames: each frame is a file, with the pixels that the sheet has, and its place" {
    write_list list assets <<-END
	defaults: {cell: 24, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim}], sampling: {count: 3}, cameras: {directions: 2, name: c}}
	jobs:
	- {name: some/die, model: models/die.md5mesh, split: camera, frames: {name: "{job}-{clip}_{direction}_{frame:2}.png"}, sheet: {trim: true, layout: packed, padding: 3, extrude: 1, max_size: 48}}
	- {name: doom, model: models/die.md5mesh, frames: {name: "DIEE{letter}{rotation}.png"}}
	END
    exits 0 render list.yaml
    [ "$(cd out/list/doom.frames && echo *)" = "$(echo DIEE{A..F}{1,5}.png)" ]
    local json page frame file count=0
    for json in out/list/doom.json out/list/some/*.json; do
        page=${json%.json}.png
        while IFS=$'\t' read -r file rect place width height x y; do
            convert "$page" -crop "$rect" +repage -depth 8 RGBA:cut
            cmp cut <(pixels "$(dirname "$json")/$file")
            [ "$(chunk "$(dirname "$json")/$file" oFFs)" = "$place" ]
            # The origin is where the JSON has it, to half a pixel.
            read -r left top <<<"$(chunk "$(dirname "$json")/$file" grAb)"
            [ "$(echo "($left - $x)^2 <= 0.26 && ($top - $y)^2 <= 0.26" | bc)" = 1 ]
            count=$((count + 1))
        done < <(jq -r '.frames | to_entries[] | .value | [.file, "\(.frame.w)x\(.frame.h)+\(.frame.x)+\(.frame.y)",
            "\(.spriteSourceSize.x) \(.spriteSourceSize.y)", .frame.w, .frame.h,
            .anchor.x * .sourceSize.w - .spriteSourceSize.x, .anchor.y * .sourceSize.h - .spriteSourceSize.y] | @tsv' "$json")
    done
    [ $count = 24 ]
    [ "$(find out -path '*.frames/*.png' | wc -l)" = 24 ]
    [ "$(ls -A out/list/some/*.frames | grep -c tmp)" = 0 ]

    # They are made, judged and removed with their page.
    exits 0 render list.yaml
    says 'nothing to do: *'
    exits 0 verify out/list
    echo x >>out/list/doom.frames/DIEEC1.png
    exits 3 verify out/list
    says '*DIEEC1.png*'
    touch out/list/doom.frames/other.png
    exits 0 render list.yaml
    says '*doom.png*'
    exits 0 verify out/list
    says '*other.png: note: undescribed: no record beside it names this file'
    rm out/list/doom.frames/other.png
    exits 0 verify out/list
    sed -i 's/DIEE/DIEF/' list.yaml
    exits 0 render list.yaml
    [ "$(cd out/list/doom.frames && echo *)" = "$(echo DIEF{A..F}{1,5}.png)" ]
    cp -r out/list before
    exits 0 diff before out/list
    exits 0 gallery out/list -o gallery
    sed -i 's/, frames: {name: "DIEF.*"}/, frames: none/; /some.die/d' list.yaml
    exits 0 render --prune list.yaml
    says '*removed *die@c-0.sheetbake, die@c-0.json, die@c-0.frames/, die@c-0.png: *'
    [ "$(cd out/list && echo *)" = 'doom.json doom.png doom.sheetbake' ]
}

@test "{rotation} is that of ZDoom: the front is 1, the left of the model 3, and of a mirrored direction both are named" {
    drawn() { # cameras; prints the names of the first frame
        rm -rf out
        write_list list assets <<<"- {name: die, model: models/die.md5mesh, cell: 8, fit: {scope: frame}, animations: [{file: anims/hop.md5anim}], sampling: {count: 1}, cameras: $1, frames: {name: 'DIEE{letter}{rotation}.png'}, metadata: [gzdoom]}"
        exits 0 render list.yaml
        names=$(cd out/list/die.frames && echo *)
        [ "$(grep -o 'DIE1A[^"]*' out/list/die.textures | sort | sed 's/1A/EA/; s/$/.png/' | xargs)" = "$names" ]
        directions=$(jq -r '[.meta.sheetbake.cameras | keys[]] | join(" ")' out/list/die.json)
    }
    drawn '{directions: 8, names: [1, 2, 3, 4, 5, 6, 7, 8], mirror: force}'
    [ "$names" = 'DIEEA1.png DIEEA2A8.png DIEEA3A7.png DIEEA4A6.png DIEEA5.png' ]
    [ "$directions" = '1 2 3 4 5' ]
    drawn '{directions: 8, names: [7, 8, 1, 2, 3, 4, 5, 6], start: 270, mirror: force}'
    [ "$names" = 'DIEEA1.png DIEEA4A6.png DIEEA5.png DIEEA7A3.png DIEEA8A2.png' ]
    [ "$directions" = '1 4 5 7 8' ]
    drawn '{directions: 16, turn: clockwise, name: c, mirror: force}'
    [ "$names" = 'DIEEA1.png DIEEA5.png DIEEA6A4.png DIEEA7A3.png DIEEA8A2.png DIEEADAC.png DIEEAEAB.png DIEEAFAA.png DIEEAGA9.png' ]
    drawn '[front, left, back, right]'
    [ "$names" = 'DIEEA1.png DIEEA3.png DIEEA5.png DIEEA7.png' ]
    drawn '{eye: [40, 3, 2], name: c}'
    [ "$names" = 'DIEEA0.png' ]
    # The side that leaves its pictures is the one that they show.
    drawn '[left]'
    cp out/list/die.frames/DIEEA0.png left.png
    drawn '{directions: 8, name: c}'
    cmp <(pixels left.png) <(pixels out/list/die.frames/DIEEA3.png)
}

@test "{rotation} needs no letters, but for mirrored directions" {
    write_list list assets <<<"- {name: die, model: models/die.md5mesh, cell: 8, animations: [{file: anims/hop.md5anim}], sampling: {count: 30}, cameras: {directions: 8, name: c}, frames: {name: '{frame:2}_{rotation}.png'}}"
    exits 0 render list.yaml
    [ "$(ls out/list/die.frames | wc -l)" = 240 ]
    sed -i 's/name: c/&, mirror: force/' list.yaml
    exits 3 check list.yaml
    says "*'frames' asks for letters, which end at Z*"
}

@test "names of frames are checked, and no two of a sheet may be the same" {
    refuses() { # name, message
        write_list list assets <<<"- {name: die, model: models/die.md5mesh, cell: 8, animations: [{file: anims/hop.md5anim}], cameras: {directions: 9, name: c}, frames: {name: \"$1\"}}"
        run --separate-stderr "$SHEETBAKE" check list.yaml
        [ $status != 0 ]
        says "$2"
    }
    refuses '{clip}_{frame}.png' "*'frames' gives two frames one name, 'hop_0.png': {clip}, {direction}, {frame} and, of several skins, {skin} tell them apart"
    refuses '{clip}.jpg' "list.yaml:*: the name of frames must end in '.png'"
    refuses '.png' "list.yaml:*: the name of frames must end in '.png'"
    refuses '../{frame}.png' "list.yaml:*: the name of frames holds '/'; they lie in a folder of their own, NAME.frames"
    refuses '.{frame}.png' "list.yaml:*: the name of frames has a part that starts with '.'*"
    refuses '{frme}.png' "list.yaml:*: '{frme}.png' in the name of frames: allowed in braces are {job}, *"
    refuses 'a}{frame}.png' "list.yaml:*: '}{frame}.png' in the name of frames: *"
    refuses '{frame:0}.png' "list.yaml:*: '{frame:0}.png' in the name of frames: *"
    refuses 'X{letter}{rotation}.png' "*'frames' asks for rotations, which are yaws of 0, 22.5, 45 and so on, and the camera 'c-1' has none of these"
    sed -i 's/{rotation}/{direction}/; s/directions: 9/directions: 1/; s/cell: 8/&, sampling: {count: 27}/' list.yaml
    exits 3 check list.yaml
    says "*'frames' asks for letters, which end at Z, *"
    write_list list assets <<<'- {name: die, model: models/die.md2, cell: 8, sampling: {count: 1}, frames: {name: "{skin}.png"}}'
    exits 3 check list.yaml
    says "*'frames' gives a frame the name '.png', which starts with '.'*"
    sed -i "s/{skin}/$(printf '{job}%.0s' {1..62})/; s/: die,/: diedie,/" list.yaml
    exits 3 check list.yaml
    says "*'frames' gives a frame a name of 376 bytes, 'diediedie*...', at most 200 are allowed"
    sed -i 's/frames: {.*/frames: yes}/' list.yaml
    exits 2 check list.yaml
    says "*'frames' must be 'none' or {name: *"
}

@test "a run that is killed between two frames leaves nothing that the next one does not clear" {
    write_list list assets <<<'- {name: die, model: models/die.md2, cell: 8, animations: [], cameras: {directions: 6, name: c}, frames: {name: "{direction}.png"}}'
    LD_PRELOAD=$TOOLS/pause_at_rename.so PAUSE_AT=/c-3.png setsid "$SHEETBAKE" render -j1 list.yaml >first 2>&1 3>&- &
    local run=$! worker=
    until worker=$(pgrep -P "$run" | head -1) && [ "$worker" ] && grep -q '^State:.T' "/proc/$worker/status"; do sleep 0.05; done
    kill -KILL -- -"$run"
    wait "$run" || true
    [ ! -e out/list/die.sheetbake ]
    [ "$(find out -name '.*.tmp' | wc -l)" -gt 3 ] # frames, and what describes them
    exits 0 render list.yaml
    [ "$(cd out/list && echo $(find . -type f ! -name .sheetbake.lock | sort))" = "./die.frames/c-0.png ./die.frames/c-1.png ./die.frames/c-2.png ./die.frames/c-3.png ./die.frames/c-4.png ./die.frames/c-5.png ./die.json ./die.png ./die.sheetbake" ]
    # A worker that is killed alone: its item is tried again, and nothing is left.
    rm -r out
    LD_PRELOAD=$TOOLS/pause_at_rename.so PAUSE_AT=/c-3.png setsid "$SHEETBAKE" render -j1 list.yaml >first 2>&1 3>&- &
    run=$!
    for attempt in 1 2; do
        until worker=$(pgrep -P "$run" | head -1) && [ "$worker" ] && grep -q '^State:.T' "/proc/$worker/status"; do sleep 0.05; done
        kill -KILL "$worker"
    done
    wait "$run" || true
    [ -z "$(find out -name '*.tmp' -o -name '*.json')" ]
}
