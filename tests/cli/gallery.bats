# bats file_tags=asan
load sheets

# `gallery`: the files that it writes. What the page does with them is in tests/browser.

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    write_list dice <<-END
	defaults: {cell: 16, supersample: 1}
	jobs:
	- {name: red/die, model: models/die.md2, passes: [normal], cameras: [front, left]}
	- {name: "it's #1, 100%", model: models/die.md2, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}
	END
    exits 0 render dice.yaml
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
}

# The data of a page, and of a script, as JSON.
list() { # gallery
    sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1/index.html"
}
data() { # file
    sed 's/^addSheet("[0-9a-f]*",//; s/);$//' "$1"
}
script_of() { # gallery, name of a sheet
    echo "$1/index@files/sheets/$(list "$1" | jq -r --arg name "$2" '.sheets[] | select(.name == $name).id').js"
}

@test "whose a page is, its record says: labels that begin like a scale, copies of records" {
    write_list odd <<-END
	defaults: {cell: 16, supersample: 1}
	jobs:
	- {name: pip, model: models/die.md2, cameras: [{name: 2x.a, yaw: 0}, {name: 2x.b, yaw: 90}], split: camera, atlas: all}
	- {name: plum, model: models/die.md2, scales: [1, 2], animations: [{clip: hop, name: 2x.hop}], split: animation}
	END
    exits 0 render odd.yaml
    [ -e out/odd/pip@2x.a.png ]
    [ -e out/odd/plum@2x@2x.hop.png ]
    exits 0 gallery out/odd
    [ "$(list out/odd | jq -c '.sheets | map([.name, .frames])')" = '[["all",12],["pip",12],["plum",2],["plum@2x",2]]' ]
    cp -r out/odd before
    exits 0 diff --fail-on changed before out/odd
    [ "$output" = 'sheets: 4 same' ]
    cp out/odd/pip@2x.a.sheetbake out/odd/pop@2x.a.sheetbake
    exits 3 gallery out/odd
    says "*pop@2x.a.sheetbake: it is the record of another page, of job 'pip'"
}

# bats test_tags=quick
@test "a gallery lies in the folder of its sheets and has no pixels" {
    exits 0 gallery dice.yaml
    [ "$output" = 'out/dice/index.html: 2 sheets, 3 files written' ]
    [ "$(files out/dice/index@files | sed 's/[0-9a-f]\{16\}/ID/g')" = 'sheets/ID.js sheets/ID.js' ]
    [ "$(list out/dice | jq -c '.sheets | map(.name)')" = "[\"it's #1, 100%\",\"red/die\"]" ]
    data "$(script_of out/dice red/die)" >die.json
    [ "$(jq -c '[(.pages[0] | map(.[0])), (.clips | map(.name))]' die.json)" = '[["color","normal"],["hop/front","hop/left","stand/front","stand/left"]]' ]
    list out/dice | jq -e '.sheets[1].facts | has("triangles")'
    # What the JSON says of each frame.
    jq -c '.clips[].frames[].place[:4]' die.json | sort -u >shown
    jq -c '.frames[].frame | [.x, .y, .w, .h]' out/dice/red/die.json | sort -u | diff - shown
    exits 0 verify out/dice
    [[ $output != *note:* ]]
}

@test "of a list, jobs without pages are shown with the reason" {
    write_list half <<-END
	defaults: {cell: 16, supersample: 1, cameras: [front]}
	jobs:
	- {name: good, model: models/die.md2}
	- {name: gone, model: models/no.md2}
	- {name: later, model: models/die.md2, cameras: [top]}
	END
    exits 3 render half.yaml --only 'go*'
    exits 0 gallery half.yaml
    [ "$(list out/half | jq -c '.sheets | map([.name, .absent, .frames])')" = '[["good",null,6],["gone",true,0],["later",true,0]]' ]
    [[ $(list out/half | jq -r '.sheets[1].problem') == *"models/no.md2"* ]]
    [ "$(list out/half | jq -r '.sheets[2].problem')" = "it was not made; 'sheetbake render half.yaml' says why" ]
    exits 0 gallery out/half
    [ "$(list out/half | jq -c '.sheets | map(.name)')" = '["good"]' ]
}

# bats test_tags=quick
@test "of a list, sheets that are not what would be made now are stale: their jobs failed, or did not run" {
    cp -r "$DIE" art
    cp art/models/die.md2 art/models/other.md2
    write_list aged art <<-END
	defaults: {cell: 16, supersample: 1, cameras: [front]}
	jobs:
	- {name: broken, model: models/other.md2}
	- {name: good, model: models/die.md2, skin: models/die.md2.png}
	- {name: lost, model: models/die.md2, skin: textures/die.png}
	END
    sed -i 's/, skin: models.*png/, cell: 20/' aged.yaml
    stale() { list out/aged | jq -c '[.sheets[] | select(.stale) | [.name, .stale]]'; }
    exits 0 render -q aged.yaml
    exits 0 gallery aged.yaml
    [ "$(stale)" = '[]' ]
    head -c 100 art/models/other.md2 >new && mv new art/models/other.md2
    mv art/textures art/pictures
    exits 3 render -q aged.yaml
    exits 0 gallery aged.yaml
    [ "$(stale | jq -r '.[] | "\(.[0]): \(.[1])"' | sed 's/: no file.*/: no file/; s/ [0-9]* skins of.*//' | paste -sd,)" = 'broken: input models/other.md2 changed; it cannot be made now: models/other.md2:,lost: aged.yaml:8:45: no file' ] || { stale; return 1; }
    sed -i 's/cell: 20/cell: 24/' aged.yaml
    exits 0 gallery aged.yaml
    [[ $(stale) == *'["good","cell: 20 -> 24 (aged.yaml:7)"]'* ]]
    exits 0 gallery out/aged
    [ "$(stale)" = '[]' ]
}

@test "of a list, an atlas is stale while its jobs are, or were made again" {
    cp -r "$DIE" art
    write_list packed art <<-END
	defaults: {cell: 16, supersample: 1, cameras: [front], atlas: all}
	jobs:
	- {name: one, model: models/die.md2}
	- {name: two, model: models/die.md2, cell: 20}
	END
    stale() { list out/packed | jq -c '[.sheets[] | select(.stale) | [.name, .stale]]'; }
    exits 0 render -q packed.yaml
    exits 0 gallery packed.yaml
    [ "$(stale)" = '[]' ]
    sed -i 's/cell: 20/cell: 24/' packed.yaml
    exits 0 gallery packed.yaml
    [ "$(stale)" = '[["all","input two changed"],["two","cell: 20 -> 24 (packed.yaml:7)"]]' ] || { stale; return 1; }
    exits 0 render -q --only two packed.yaml
    exits 0 gallery packed.yaml
    [ "$(stale)" = '[["all","input two changed"]]' ] || { stale; return 1; }
    exits 0 render -q packed.yaml
    exits 0 gallery packed.yaml
    [ "$(stale)" = '[]' ]
}

@test "the still is the frame that shows most" {
    write_list shapes <<<'jobs: [{name: die, model: models/die.md2, cell: 32, cameras: [front, {name: corner, yaw: 40, pitch: 30}, top]}]'
    exits 0 render shapes.yaml
    exits 0 gallery shapes.yaml
    jq -r '.frames | to_entries[] | "\(.key) \(.value.frame | "\(.w)x\(.h)+\(.x)+\(.y)")"' out/shapes/die.json >frames
    while read -r frame at; do
        echo "$(convert out/shapes/die.png -crop "$at" +repage -alpha extract -format '%[fx:mean*w*h]' info:) $frame"
    done <frames | sort -k1,1gr >shown
    still=$(list out/shapes | jq -r '.sheets[0].still.name')
    [ "$(grep " $still\$" shown | cut -d' ' -f1)" = "$(head -n1 shown | cut -d' ' -f1)" ]
    [ "$(grep " $(grep '+0+0$' frames | cut -d' ' -f1)\$" shown | cut -d' ' -f1)" != "$(head -n1 shown | cut -d' ' -f1)" ]
}

@test "only what changed is written again, and what is gone is removed" {
    exits 0 gallery out/dice
    find out/dice/index* -type f -exec touch -d 2001-01-01 {} +
    exits 0 gallery out/dice
    [ "$output" = 'out/dice/index.html: 2 sheets, 0 files written' ]
    sed -i 's/passes: .normal., //' dice.yaml
    exits 0 render dice.yaml
    exits 0 gallery -q dice.yaml
    [ -z "$output$stderr" ]
    [ "$(find out/dice/index* -type f -newermt 2002-01-01 | sort)" = "$(printf "%s\n" out/dice/index.html "$(script_of out/dice red/die)")" ]
    gone=$(script_of out/dice red/die)
    sed -i '/red.die/d' dice.yaml
    exits 0 render --prune dice.yaml
    [ -e out/dice/index.html ] && [ -e "$gone" ]
    touch out/dice/mine.js out/dice/index@files/sheets/0123456789abcdef.js
    exits 0 gallery out/dice/
    [ "$output" = 'out/dice/index.html: 1 sheet, 1 file written' ]
    [ ! -e "$gone" ] && [ -e out/dice/mine.js ] && [ "$(ls out/dice/index@files/sheets | wc -l)" = 1 ]
}

@test "a sheet whose records and JSON are as before is not read again" {
    exits 0 gallery out/dice
    list out/dice >first
    # As the record does not change, so would a JSON that is read again not matter: break it, and keep its size and time.
    cp -p out/dice/red/die.json keep
    tr '{' '[' <keep >out/dice/red/die.json
    touch -r keep out/dice/red/die.json
    exits 0 gallery out/dice
    list out/dice | diff first -
    touch out/dice/red/die.json
    exits 3 gallery out/dice
    says '*red/die.json: *'
    exits 3 gallery out/dice
    cp -p keep out/dice/red/die.json
    exits 0 gallery out/dice
    list out/dice | diff first -
    # Animations that are gone leave the list, and the others keep their names.
    sed -i 's/cameras: .front, left./animations: [stand], cameras: [front, left]/' dice.yaml
    exits 0 render dice.yaml
    exits 0 gallery out/dice
    [ "$(list out/dice | jq -c '.sheets | map(.animations)')" = '[["hop","stand"],["stand"]]' ]
    rm "$(script_of out/dice red/die)"
    exits 0 gallery out/dice
    [ "$output" = 'out/dice/index.html: 2 sheets, 1 file written' ]
    # Data that are not a gallery's.
    version=$(list out/dice | jq .sheetbake)
    for rows in '[1,["x"],{"id":2},{"id":null},{}]' '{"a":1}' '[{"id"' 'null'; do
        sed -i 's|\(id="data">\).*\(</script>\)$|\1{"sheetbake":'"$version"',"sheets":'"$rows"'}\2|' out/dice/index.html
        exits 0 gallery out/dice
        [ "$(list out/dice | jq -c '.sheets | map(.name)')" = "[\"it's #1, 100%\",\"red/die\"]" ]
    done
}

@test "a gallery elsewhere leads to the pictures of several folders" {
    write_list more <<<"- {name: red/die, model: models/die.md2, cell: 16}"
    exits 0 render more.yaml
    exits 2 gallery dice.yaml out/more
    says 'sheetbake gallery: 2 folders of sheets: say with -o where the page goes'
    exits 0 gallery -o a/site dice.yaml out/more ./out/more
    [ "$output" = 'a/site/index.html: 3 sheets, 4 files written' ]
    list a/site | jq -r '.folders as $f | .sheets[] | $f[.folder] + .picture' >urls
    [ "$(wc -l <urls)" = 3 ]
    while IFS= read -r url; do
        [ -f "a/site/$url" ]
    done <urls
    exits 0 gallery -o out out/more
    [ "$(list out | jq -r '.folders[0]')" = ./more/ ]
    exits 0 gallery -o out/more/a out/more
    [ "$(list out/more/a | jq -r '.folders[0]')" = ./../ ]
}

@test "a page of somebody else stays, and a folder without sheets is named" {
    echo '<p>mine</p>' >out/dice/index.html
    exits 2 gallery dice.yaml
    says "sheetbake: out/dice/index.html: \`sheetbake gallery\` did not write this; choose another folder"
    [ "$(files out/dice | grep -c index@)" = 0 ]
    mkdir empty
    exits 2 gallery empty
    says 'sheetbake: empty: *'
    [ -z "$(ls empty)" ]
    exits 2 gallery missing
    says 'missing: *'
}

@test "a sheet that cannot be read is shown as such, and the others are there" {
    truncate -s 100 out/dice/red/die.json
    exits 3 gallery dice.yaml
    says 'sheetbake: *red/die.json: *'
    says 'out/dice/index.html: 2 sheets, 3 files written'
    [ "$(list out/dice | jq -c '.sheets | map(.problem != null)')" = '[false,true]' ]
    [[ $(list out/dice | jq -r '.sheets[1].problem') == *red/die.json* ]]
}

@test "a link in the place of a folder of the page is named, and nothing behind it is touched" {
    local link
    mkdir theirs theirs/sheets
    touch theirs/notes.txt theirs/sheets/notes.txt
    cp -r theirs before
    for link in index@files index@files/sheets; do
        rm -rf page
        mkdir -p "page/$(dirname "$link")"
        ln -s "$PWD/theirs" "page/$link"
        exits 2 gallery --sandbox off -o page dice.yaml
        says "sheetbake: page/$link: a link, and files are written into this folder: remove it"
        diff -r before theirs
    done
}
