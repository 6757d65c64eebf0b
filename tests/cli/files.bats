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
