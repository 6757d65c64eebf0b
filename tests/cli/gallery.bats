# bats file_tags=asan
load sheets

# `gallery`: the files that it writes. What the page does with them is in tests/browser.

setup() {
    work_in_empty_folder
    write_list dice <<-END
	defaults: {cell: 16, supersample: 1}
	jobs:
	- {name: red/die, model: models/die.md2, passes: [normal], cameras: [front, left]}
	- {name: "it's #1, 100%", model: models/die.md2, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}
	END
    exits 0 render dice.yaml
}

# The data of a script, as JSON: data of a file, or of the sheet with a name in it.
data() { # file
    sed 's/^sheetbake\.[a-z]*(//; s/^"[0-9a-f]*",//; s/);$//' "$1"
}
list() { data "$1/index@files/list.js"; }
script_of() { # gallery, name of a sheet
    echo "$1/index@files/sheets/$(list "$1" | jq -r --arg name "$2" '.rows[] | select(.[1] == $name)[0]').js"
}

# bats test_tags=quick
@test "a gallery lies in the folder of its sheets and has no pixels" {
    exits 0 gallery dice.yaml
    [ "$output" = 'out/dice/index.html: 2 sheets, 8 files written' ]
    [ "$(files out/dice/index@files | sed 's/[0-9a-f]\{16\}/ID/g')" = 'common.css common.js gallery.css gallery.js list.js sheets/ID.js sheets/ID.js' ]
    [ "$(list out/dice | jq -c '.rows | map(.[1])')" = "[\"it's #1, 100%\",\"red/die\"]" ]
    data "$(script_of out/dice red/die)" >die.json
    [ "$(jq -c '[(.pages[0] | map(.name)), (.clips | map(.name)), (.facts | map(.[0]) | index("triangles") != null)]' die.json)" = '[["color","normal"],["hop/front","hop/left","stand/front","stand/left"],true]' ]
    # What the JSON says of each frame.
    jq -c '.clips[].frames[][1:5]' die.json | sort -u >shown
    jq -c '.frames[].frame | [.x, .y, .w, .h]' out/dice/red/die.json | sort -u | diff - shown
    exits 0 verify out/dice
    [[ $output != *note:* ]]
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
    [ "$(find out/dice/index* -type f -newermt 2002-01-01 | sort)" = "$(printf "%s\n" out/dice/index@files/list.js "$(script_of out/dice red/die)")" ]
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
    [ "$(list out/dice | jq -c '.rows | map(.[4])')" = '[["hop","stand"],["stand"]]' ]
    rm "$(script_of out/dice red/die)"
    exits 0 gallery out/dice
    [ "$output" = 'out/dice/index.html: 2 sheets, 1 file written' ]
    echo 'sheetbake.list({"version":"", "rows":[[1],["x"],3' >out/dice/index@files/list.js
    exits 0 gallery out/dice
}

@test "a gallery elsewhere leads to the pictures of several folders" {
    write_list more <<<"- {name: red/die, model: models/die.md2, cell: 16}"
    exits 0 render more.yaml
    exits 2 gallery dice.yaml out/more
    says 'sheetbake gallery: 2 folders of sheets: say with -o where the page goes'
    exits 0 gallery -o a/site dice.yaml out/more ./out/more
    [ "$output" = 'a/site/index.html: 3 sheets, 9 files written' ]
    list a/site | jq -r '.folders as $f | .rows[] | $f[.[2]] + .[3][0]' >urls
    [ "$(wc -l <urls)" = 3 ]
    while IFS= read -r url; do
        [ -f "a/site/$(printf '%b' "${url//%/\\x}")" ]
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
    says 'out/dice/index.html: 2 sheets, 8 files written'
    [ "$(list out/dice | jq -c '.rows | map(.[10])')" = '[0,1]' ]
    [[ $(data "$(script_of out/dice red/die)" | jq -r .problem) == *red/die.json* ]]
}
