# bats file_tags=asan
load sheets

# Pixel art of the robot and the die, compared with what awk computes of the same cells without a palette.

setup() {
    work_in_empty_folder
    ln -s "$BATS_TEST_DIRNAME/../../jobs/assets" robot
}

# Jobs of the robot, each a name and what its `pixel` says, then more keys.
write_robots() { # list, more defaults; standard input: NAME PIXEL
    local name pixel
    while read -r name pixel; do
        echo "- {name: $name, pixel: $pixel}"
    done >jobs
    printf 'version: 1\nassets: [robot, .]\noutput: out\ndefaults: {cell: 32, cameras: [{name: compass, directions: 2, pitch: 30}], %s}\njobs:\n' "$2" >"$1.yaml"
    sed 's#{name:#{model: models/pip/pip.glb, name:#' jobs >>"$1.yaml"
}

WALK="animations: [{name: walk, sampling: {count: 3}}]"

# A line for each pixel: red green blue alpha.
pixels() { # picture
    convert "$1" -depth 8 rgba:- | od -An -v -tu1 -w4
}

colors_of() { # picture...
    local picture
    for picture; do pixels "$picture"; done | awk '$4 > 0 { print $1, $2, $3 }' | sort -u
}

write_palette() { # the same sixteen colours, in each format
    local color
    printf '%s\n' 1a1c2c 5d275d b13e53 ef7d57 ffcd75 a7f070 38b764 257179 29366f 3b5dc9 41a6f6 73eff7 f4f4f4 94b0c2 566c86 333c57 >sweetie.hex
    {
        printf 'GIMP Palette\nName: Sweetie\n#\n'
        while read -r color; do printf '%3d %3d %3d\tA name\n' 0x${color:0:2} 0x${color:2:2} 0x${color:4:2}; done <sweetie.hex
    } >sweetie.gpl
    {
        printf 'JASC-PAL\r\n0100\r\n16\r\n'
        while read -r color; do printf '%d %d %d\r\n' 0x${color:0:2} 0x${color:2:2} 0x${color:4:2}; done <sweetie.hex
    } >sweetie.pal
    convert -size 1x1 $(sed 's/^/xc:#/' sweetie.hex) +append sweetie.png
}

@test "each pixel has the nearest color of a palette in OKLab, whatever file it is in" {
    write_palette
    write_robots art "$WALK" <<-END
	hard {}
	hex {palette: sweetie.hex}
	gpl {palette: sweetie.gpl}
	pal {palette: sweetie.pal}
	png {palette: sweetie.png}
	END
    exits 0 render art.yaml
    local format
    for format in gpl pal png; do
        cmp out/hex.png out/$format.png
    done
    paste -d ' ' <(pixels out/hard.png) <(pixels out/hex.png) | awk -v palette="$(tr '\n' ' ' <sweetie.hex)" '
        function linear(code) { code /= 255; return code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ^ 2.4 }
        function root(x) { return x > 0 ? exp(log(x) / 3) : 0 }
        function lab(r, g, b, out,    l, m, s) {
            r = linear(r); g = linear(g); b = linear(b)
            l = root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
            m = root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
            s = root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
            out[1] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
            out[2] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s
            out[3] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
        }
        function hex(text) { return 16 * (index("0123456789abcdef", substr(text, 1, 1)) - 1) + index("0123456789abcdef", substr(text, 2, 1)) - 1 }
        function apart(a, b) { return (a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2 }
        BEGIN {
            count = split(palette, texts)
            for (i = 1; i <= count; i++)
                known[hex(substr(texts[i], 1, 2)) " " hex(substr(texts[i], 3, 2)) " " hex(substr(texts[i], 5, 2))]
        }
        $4 != $8 || ($4 != 0 && $4 != 255) { print "alpha " $0; bad = 1 }
        $4 == 0 { next }
        !(($5 " " $6 " " $7) in known) { print "not in the palette: " $0; bad = 1 }
        {
            seen++
            lab($1, $2, $3, wanted)
            lab($5, $6, $7, given)
            for (color in known) {
                split(color, rgb, " ")
                lab(rgb[1], rgb[2], rgb[3], other)
                if (apart(wanted, other) < apart(wanted, given) - 1e-5) { print "nearer is " color ": " $0; bad = 1 }
            }
        }
        END { exit bad || seen < 1000 }'
}

@test "a number of colors is found for all pages of a job, and none is more" {
    write_robots pages "$WALK, supersample: 4, sheet: {max_size: 64}, previews: {size: 100}" <<-END
	few {palette: 6}
	lined {palette: 6, outline: outside, outline_color: '#ff00ff'}
	mixed {palette: 6, dither: blue_noise}
	two {palette: 2, outline: outside, outline_color: '#a0a0a0'}, background: '#103010'
	END
    exits 0 render -j1 pages.yaml
    local name
    for name in few lined mixed; do
        [ "$(files out | tr ' ' '\n' | grep -c "^$name.*@.*\.json$\|^$name.json$")" -ge 2 ]
        [ "$(colors_of out/$name.png out/$name@*.png | wc -l)" -le 6 ]
        [ "$(jq -c .meta.sheetbake.palette out/$name.json out/$name@*.json | sort -u | wc -l)" = 1 ]
        jq -r '.meta.sheetbake.palette[][1:]' out/$name.json >$name.hex
        [ "$(wc -l <$name.hex)" = 6 ]
        pixels out/$name.png | awk '$4 != 0 && $4 != 255 { exit 1 }'
        # Its frames are larger, of the same colours.
        [ "$(size_of out/$name.preview@walk@compass-0.png)" = 100x100 ]
        [ -z "$(comm -13 <(colors_of out/$name.png out/$name@*.png) <(colors_of out/$name.preview@walk@compass-0.png))" ]
    done
    [ "$(jq -r '.meta.sheetbake.palette[0]' out/lined.json)" = '#ff00ff' ]
    [ "$(jq -r '.meta.sheetbake.palette[0]' out/two.json)" = '#a0a0a0' ]
    # What was found does as a file: of the same job, and of others.
    write_robots pages "$WALK, supersample: 4, sheet: {max_size: 64}" <<-END
	few {palette: few.hex}
	lined {palette: lined.hex, outline: outside, outline_color: '#ff00ff'}
	END
    exits 0 render --force -o again pages.yaml
    for name in few lined; do
        cmp out/$name.png again/$name.png
    done
}

@test "the same bytes with any number of workers, and of shards" {
    write_robots many "$WALK, sheet: {max_size: 64}" <<-END
	few {palette: 6, dither: bayer, outline: inside, light_steps: 4}
	packed {palette: 9, dither: blue_noise}
	END
    exits 0 render -j1 many.yaml
    exits 0 render -j4 -o four many.yaml
    diff -r out four
    exits 0 render --shard 1/2 -o shards many.yaml
    exits 0 render --shard 2/2 -o shards many.yaml
    diff -r out shards
}

@test "patterns lie still in the cell, wherever that is on the page" {
    local dither
    for dither in bayer blue_noise; do
        write_list $dither <<-END
	lights: {even: $UNLIT}
	defaults: {cell: 24, pixel: {palette: 3, dither: $dither}, animations: [{name: a, frames: 2-2}, {name: b, frames: 2-2}]}
	jobs:
	- {name: grid, model: models/die.md2}
	- {name: moved, model: models/die.md2, sheet: {padding: 5}}
	- {name: trimmed, model: models/die.md2, sheet: {layout: packed, trim: true}}
	- {name: plain, model: models/die.md2, pixel: {dither: none}}
	END
        exits 0 render $dither.yaml
        # Two frames of one picture; the same in other places; and what is left of them where they are cut.
        local name
        for name in grid moved trimmed; do
            jq -r '.frames | to_entries | sort_by(.key)[] | .value | "\(.frame.w)x\(.frame.h)+\(.frame.x)+\(.frame.y) \(.spriteSourceSize.x) \(.spriteSourceSize.y)"' \
                out/$dither/$name.json | while read -r crop x y; do
                convert out/$dither/$name.png -crop "$crop" +repage -background none -extent 24x24-$x-$y rgba:-
            done >$name.cells
            [ "$(wc -c <$name.cells)" = $((2 * 24 * 24 * 4)) ]
            cmp <(head -c 2304 $name.cells) <(tail -c 2304 $name.cells)
            cmp grid.cells $name.cells
        done
        never cmp out/$dither/grid.png out/$dither/plain.png
    done
}

@test "a line of one pixel is around the silhouette, or along its edge" {
    write_robots lines "animations: [], fit: {margin: 0.1}" <<-END
	none {}
	outside {outline: outside, outline_color: '#ff00ff'}
	inside {outline: inside, outline_color: '#ff00ff'}
	END
    exits 0 render lines.yaml
    local width
    width=$(identify -format %w out/none.png)
    paste -d ' ' <(pixels out/none.png) <(pixels out/outside.png) <(pixels out/inside.png) | awk -v width="$width" '
        { solid[NR] = $4 == 255; outside[NR] = $5 == 255 && $6 == 0 && $7 == 255 && $8 == 255; inside[NR] = $9 == 255 && $10 == 0 && $11 == 255 && $12 == 255 }
        END {
            for (i = 1; i <= NR; i++) {
                sum = 0
                sum += i > width && solid[i - width] == !solid[i]
                sum += i <= NR - width && solid[i + width] == !solid[i]
                sum += (i - 1) % width > 0 && solid[i - 1] == !solid[i]
                sum += i % width > 0 && solid[i + 1] == !solid[i]
                if ((sum && !solid[i]) != outside[i] || (sum && solid[i]) != inside[i]) { print "pixel " i; bad = 1 }
                lines += outside[i] + inside[i]
            }
            exit bad || lines < 100
        }'
}

@test "only what shows colors is pixel art; light in steps has few shades" {
    write_list passes <<-END
	defaults: {cell: 32, animations: [], supersample: 4, passes: [normal, mask, clay]}
	jobs:
	- {name: plain, model: models/die.md2}
	- {name: art, model: models/die.md2, pixel: {palette: 4, outline: outside, light_steps: 3}}
	END
    exits 0 render passes.yaml
    local pass
    for pass in normal mask clay; do
        cmp out/passes/plain.$pass.png out/passes/art.$pass.png
    done
    write_robots steps "animations: [], supersample: 1" <<-END
	smooth {}
	steps {light_steps: 3}
	END
    exits 0 render steps.yaml
    [ "$(colors_of out/steps.png | wc -l)" -lt "$(colors_of out/smooth.png | wc -l)" ]
}

@test "a pattern between colors that no palette has is told" {
    write_robots plain "animations: []" <<-END
	a {dither: bayer}
	b {dither: bayer, palette: 4}
	END
    exits 0 render plain.yaml
    says "warning: a: models/pip/pip.glb: \`dither\` changes nothing without a \`palette\`"
    never says "warning: b: *"
}

@test "the mask of team colors has hard edges, too, and single pixels" {
    write_list team '[robot]' <<-END
	defaults: {cell: 32, cameras: [dimetric, front], supersample: 4, animations: [walk], teamcolor: {material: [cloth, face]}}
	jobs:
	- {name: smooth, model: models/pip/pip.glb}
	- {name: art, model: models/pip/pip.glb, pixel: {}}
	END
    exits 0 render team.yaml
    paste -d ' ' <(pixels out/team/smooth.teamcolor.png) <(pixels out/team/art.teamcolor.png) | awk '
        $8 != ($4 >= 128 ? 255 : 0) { print "alpha " $0; bad = 1 }
        $8 && ($5 " " $6 " " $7) != "255 255 255" { print "no white " $0; bad = 1 }
        { soft += $4 % 255 != 0 }
        END { exit bad || soft < 100 }'
}

@test "a palette that changes makes its sheets anew, and no others" {
    write_palette
    write_robots stale "animations: []" <<-END
	file {palette: sweetie.hex}
	found {palette: 6}
	END
    exits 0 render stale.yaml
    exits 0 render stale.yaml
    says "*2 sheets up to date*"
    sed -i 's/1a1c2c/000000/' sweetie.hex
    exits 0 render --dry-run stale.yaml
    says "file: input sweetie.hex*changed*"
    never says "found: *"
    exits 0 render stale.yaml
    sed -i 's/palette: 6/palette: 7/' stale.yaml
    exits 0 render --dry-run stale.yaml
    says "found: pixel.palette: 6 -> 7*"
    never says "file: *"
}

@test "jobs of a group that ask for a number of colors share them, however many workers there are" {
    cp -r "$DIE" game
    convert -size 16x16 gradient:red-orange game/textures/die.png
    write_list party '[robot, game]' <<-END
	defaults: {cell: 24, cameras: [front, left], fit: {scope: party}, sampling: {count: 2}, pixel: {palette: 9}}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: pip, model: models/pip/pip.glb, animations: [walk]}
	- {name: lined, model: models/pip/pip.glb, animations: [walk], pixel: {palette: 5, outline: outside, outline_color: '#00ff00'}}
	- {name: alone, model: models/pip/pip.glb, animations: [walk], fit: {scope: job}}
	- {name: plain, model: models/pip/pip.glb, animations: [walk], pixel: {palette: none}}
	END
    exits 0 render -j1 -o one party.yaml
    exits 0 render -j3 -o three party.yaml
    diff -r one three
    palette_of() { jq -r '.meta.sheetbake.palette[]' "one/$1.json"; }
    [ "$(palette_of die | wc -l)" = 9 ]
    [ "$(palette_of die)" = "$(palette_of pip)" ]
    never [ "$(palette_of alone)" = "$(palette_of pip)" ]
    [ "$(palette_of lined | head -n 1)" = '#00ff00' ]
    [ "$(palette_of lined | wc -l)" = 5 ]
    # A picture of one job is an input of all that share their colours.
    convert -size 16x16 gradient:blue-lime game/textures/die.png
    exits 0 render --dry-run -o one party.yaml
    for job in die pip lined; do says "*$job: input textures/die.png*changed*"; done
    never says "*alone: *"
    never says "*plain: *"
    cp -r one before
    exits 0 render -o one party.yaml
    never cmp before/pip.png one/pip.png
    exits 0 render -o one party.yaml
    says '*5 sheets up to date*'
    # Neither the order of jobs nor a second one with the same settings changes them.
    cp -r one before2
    sed -i '/name: die/{h;d}; /name: plain/{G;s/$/\n- {name: die2, model: models\/die.md2}/}' party.yaml
    exits 0 render --force -o one party.yaml
    for job in die pip lined plain; do cmp before2/$job.png one/$job.png; done
    echo "this is no picture" >game/textures/die.png
    exits 3 check --only pip party.yaml
    says "  FAILED pip: the palette of group 'party': job 'die*': textures/die.png: *"
    exits 3 render -o one party.yaml
    says "error: pip: the palette of group 'party': job 'die*': textures/die.png: *"
    exits 0 verify one
}

@test "what is no palette fails its jobs with one message, also of check" {
    echo "these are no colors" >broken.hex
    write_robots broken "animations: []" <<-END
	bad {palette: broken.hex}
	good {palette: 6}
	END
    exits 3 check broken.yaml
    says "*bad*broken.hex: neither a palette of GIMP, JASC or hexadecimal digits nor a picture*"
    exits 3 render broken.yaml
    says "*bad*broken.hex: neither a palette of GIMP, JASC or hexadecimal digits nor a picture*"
    printf 'GIMP Palette\n1 2 300\n1 2 3\n' >broken.hex
    exits 3 check broken.yaml
    says "*bad*broken.hex: line 2: neither three numbers up to 255 nor six hexadecimal digits"
    [ -f out/good.png ]
    [ ! -e out/bad.png ]
}
