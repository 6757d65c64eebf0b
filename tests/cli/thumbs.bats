# bats file_tags=asan

# `thumb` of several views, and of many models in one call.
load sheets

# See thumb.bats.
setup_file() {
    export LSAN_OPTIONS=$LSAN_OPTIONS:use_tls=0
}

setup() {
    work_in_empty_folder
    cp -r "$DIE" die
    head -c 100 die/models/die.md2 >die/models/cut.md2
}

teardown() {
    [ -z "${SERVICE_PID-}" ] || kill "$SERVICE_PID" 2>/dev/null || true
}

# Whether two pictures are the same to the pixel.
same() { # picture, other
    [ "$(compare -metric AE "$1" "$2" null: 2>&1)" = 0 ]
}

# The columns of a row of pixels that have one of the colours, as numbers from the cell's left edge, with spaces.
columns_of() { # picture, the row, the cell's left edge, its width, colours with '|' between them
    convert "$1" -crop "$4x1+$3+$2" +repage -depth 8 txt: | grep -E "#($5)" | cut -d, -f1 | tr '\n' ' '
}

PANEL=3A3F47 LINE=585F6A RED=E24C4C GREEN=68C448 BLUE=548CFF

@test "--views: a grid of known units, with coloured axes through the origin" {
    exits 0 thumb --views front,left,top --size 200 -o board.png die/models/die.md2
    [ "$(size_of board.png)" = 602x215 ] # three cells with a gap between them; a line for the legend below
    # The die is 2 units wide in 200 - 2 * 18 pixels, so a square of 0.2 units is 16.4 pixels wide, from 100 on.
    local left
    for left in 0 201 402; do
        [ "$(columns_of board.png 2 $left 200 $LINE)" = '1 18 34 50 67 83 116 132 149 165 182 198 ' ]
    done
    [ "$(columns_of board.png 2 0 200 $BLUE)" = '100 ' ] # z is up
    [ "$(columns_of board.png 2 201 200 $BLUE)" = '100 ' ]
    [ "$(columns_of board.png 2 402 200 $RED)" = '100 ' ] # seen from above, x is
    # To the left and to the right of the die, whose front faces the viewer, is y, and from its left side x.
    [[ "$(columns_of board.png 100 0 200 $GREEN)" == '0 1 2 '*' 198 199 ' ]]
    [[ "$(columns_of board.png 100 201 200 $RED)" == '0 1 2 '*' 198 199 ' ]]
    [[ "$(columns_of board.png 100 402 200 $GREEN)" == '0 1 2 '*' 198 199 ' ]]
    # The legend: letters light on dark, and nothing to the right of them.
    [ -n "$(columns_of board.png 207 0 300 DEE2E8)" ]
    [ -z "$(columns_of board.png 207 300 302 DEE2E8)" ]
}

@test "--views: all have the scale of the one that needs most room" {
    exits 0 thumb --views front --size 200 -o front.png die/models/die.md2
    exits 0 thumb --views front,three_quarter --size 200 -o both.png die/models/die.md2
    local other="$PANEL|$LINE|$RED|$GREEN|$BLUE" alone both
    alone=$((200 - $(columns_of front.png 60 0 200 "$other" | wc -w)))
    both=$((200 - $(columns_of both.png 60 0 200 "$other" | wc -w)))
    echo "$alone and $both pixels"
    # Seen from 20 degrees above and 30 to the side, it is cos 20 + sin 20 (cos 30 + sin 30) as high.
    ((alone >= 163 && alone <= 165 && both >= 116 && both <= 118))
    # So a unit has 58.3 pixels, and a square 0.5 units.
    [ "$(columns_of both.png 2 0 200 $LINE)" = '12 41 70 129 158 187 ' ]
}

@test "--views: a letter of the axes that does not fit into a small cell is left out" {
    local size
    for size in 16 17 19 21 24; do # from the front, y points left
        exits 0 thumb --views front,back --size $size -o small.png die/models/die.md2
        [ "$(size_of small.png)" = $((2 * size + 1))x$((size + 15)) ]
    done
}

@test "--views draws what the cameras of job lists see" {
    exits 0 thumb --views front,three_quarter --size 64 -o one.png die/models/die.md2
    exits 0 thumb --views front,three_quarter --size 64 -o again.png die/models/die.md2
    cmp one.png again.png
    exits 2 thumb --views frnt die/models/die.md2
    says "sheetbake: --views: *'frnt'*'front'*"
    exits 2 thumb --views '{yaw: 3}' die/models/die.md2
    exits 2 thumb --views front --camera left die/models/die.md2
    exits 2 thumb --passes clay die/models/die.md2
    exits 2 thumb --views front --passes depth die/models/die.md2
    exits 2 thumb --views front --passes clya die/models/die.md2
    says "sheetbake: --passes: *'clya'*'clay'*"
}

@test "--passes: a row for each" {
    exits 0 thumb --views front,left --passes clay,wireframe --size 64 -o rows.png die/models/die.md2
    [ "$(size_of rows.png)" = 129x209 ] # two cells and a gap; three of them, two gaps and the legend
    convert rows.png -crop 64x64+0+0 +repage color.png
    convert rows.png -crop 64x64+0+65 +repage clay.png
    convert rows.png -crop 64x64+0+130 +repage wire.png
    never same color.png clay.png
    never same clay.png wire.png
}

@test "--passes: rows are in the order that was asked for" {
    exits 0 thumb --views front,left --passes clay,wireframe --size 64 -o rows.png die/models/die.md2
    exits 0 thumb --views front,left --passes wireframe,clay --size 64 -o other.png die/models/die.md2
    local row
    for row in '0 0' '65 130' '130 65'; do
        convert rows.png -crop "64x64+0+${row% *}" +repage one.png
        convert other.png -crop "64x64+0+${row#* }" +repage two.png
        same one.png two.png
    done
    exits 2 thumb --views front --passes 'clay, wireframe' die/models/die.md2
    says "*--passes those of passes*"
}

@test "--views nine: eight sides from the front to the left, and the top, numbered" {
    exits 0 thumb --views nine --size 64 -o nine.png die/models/die.md2
    [ "$(size_of nine.png)" = $((9 * 65 - 1))x$((64 + 15)) ]
    exits 0 thumb --views front,left,top --size 64 -o three.png die/models/die.md2
    # The ninth is the top, but for scale and name: of the die one face is seen, square and without the grid of the ground.
    convert nine.png -crop 64x64+$((8 * 65))+0 +repage -crop 8x8+28+28 +repage -scale 1x1 top.png
    convert three.png -crop 64x64+130+0 +repage -crop 8x8+28+28 +repage -scale 1x1 plain.png
    [ "$(compare -metric AE -fuzz 5% top.png plain.png null: 2>&1)" = 0 ]
    local i j
    for i in 0 1 2 3 4 5 6 7; do # no two have the same name and picture
        convert nine.png -crop 64x64+$((i * 65))+0 +repage view-$i.png
        for ((j = 0; j < i; j++)); do never same view-$i.png view-$j.png; done
    done
}

@test "many models: a picture and a line of JSON for each, and a broken one fails alone" {
    cp die/models/die.md2 die/models/other.md2
    exits 3 thumb --json -o thumbs/ die/models/die.md2 die/models/cut.md2 none.md2 die/models/other.md2
    [ -z "$stderr" ]
    [ "$(wc -l <<<"$output")" = 4 ]
    [ "$(cd thumbs && find . -type f | sort)" = $'./die/models/die.md2-thumb.png\n./die/models/other.md2-thumb.png' ]
    jq -es 'map(select(.file == "die/models/die.md2")) | .[0] | .pictures == ["thumbs/die/models/die.md2-thumb.png"] and
        .facts.triangles == "12" and .facts.format == "MD2" and .warnings == [] and (has("errors") | not)' <<<"$output"
    jq -es 'map(select(.file == "die/models/cut.md2")) | .[0].errors | length == 1 and (.[0] | test("^die/models/cut.md2: "))' <<<"$output"
    jq -es 'map(select(.file == "none.md2")) | .[0].errors == ["none.md2: No such file or directory"]' <<<"$output"
    exits 0 thumb -o one.png die/models/die.md2
    cmp one.png thumbs/die/models/die.md2-thumb.png
}

@test "without --json, what is wrong is told as for one model" {
    exits 3 thumb -o thumbs/ die/models/die.md2 die/models/cut.md2
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" = 1 ]
    says 'sheetbake: die/models/cut.md2: *'
    rm -r die/textures
    exits 0 thumb -o thumbs/ die/models/die.md2
    says 'sheetbake: warning: *untextured*'
    exits 0 thumb -q -o thumbs/ die/models/die.md2
    [ -z "$stderr" ]
}

@test "several models, sizes and JSON need a folder" {
    exits 2 thumb die/models/die.md2 die/models/die.md5mesh
    says 'sheetbake thumb: *-o DIR/*'
    exits 2 thumb -o one.png -
    exits 2 thumb --json -o one.png die/models/die.md2
    exits 2 thumb --size 16,32 -o one.png die/models/die.md2
    local size
    for size in 0 4097 16, ,16 16x x '' 1,2,3,4,5,6,7,8,9; do
        exits 2 thumb --size "$size" -o thumbs/ die/models/die.md2
    done
    [ ! -e thumbs ]
}

@test "several sizes: the model is read once, and the largest is drawn as it is alone" {
    exits 0 thumb --size 16,128,64 -o thumbs/ --json die/models/die.md2
    jq -e '.pictures == ["thumbs/die/models/die.md2-16-thumb.png", "thumbs/die/models/die.md2-128-thumb.png", "thumbs/die/models/die.md2-64-thumb.png"]' <<<"$output"
    exits 0 thumb --size 128 -o large.png die/models/die.md2
    cmp large.png thumbs/die/models/die.md2-128-thumb.png
    [ "$(size_of thumbs/die/models/die.md2-16-thumb.png)" = 16x16 ]
    exits 0 thumb --size 64 -o small.png die/models/die.md2
    # Made smaller, it is nearly what is drawn small.
    [ "$(compare -metric MAE small.png thumbs/die/models/die.md2-64-thumb.png null: 2>&1 | sed 's/\..*\|(.*//')" -lt 1500 ]
}

@test "a name that leaves the folder has no place in DIR" {
    mkdir in
    cd in
    exits 3 thumb --json -o thumbs/ ../die/models/die.md2
    jq -e '.errors[0] | test("has no place")' <<<"$output"
    exits 0 thumb --json -o thumbs/ ../in/../../work/die/models/../models/die.md2 "$PWD/../die/models/die.md2" ||
        [ "$status" = 3 ]
    [ "$(find .. -name '*.png' -not -path '../in/thumbs/*' -not -path '../die/*')" = "" ]
    exits 0 thumb -o thumbs/ --assets ../die models/die.md2
    [ -e thumbs/models/die.md2-thumb.png ]
}

@test "a picture beside a model is not taken for its texture" {
    rm -r die/textures
    exits 0 thumb -q -o ./ die/models/die.md2
    cp die/models/die.md2-thumb.png first.png
    exits 0 thumb -q -o ./ die/models/die.md2
    cmp first.png die/models/die.md2-thumb.png
}

# -- A service --

start_service() { # arguments...
    coproc SERVICE { exec "$SHEETBAKE" thumb --json -o thumbs/ "$@" -; }
}

ask() { # name
    printf '%s\n' "$1" >&"${SERVICE[1]}"
    IFS= read -r -t 60 answer <&"${SERVICE[0]}"
    [ "$(jq -r .file <<<"$answer")" = "$1" ]
}

end_service() { # expected exit code
    local pid=$SERVICE_PID code=0 input=${SERVICE[1]}
    exec {input}>&-
    wait "$pid" || code=$?
    [ "$code" = "$1" ]
}

@test "names from standard input are answered while it stays open" {
    local answer
    start_service
    ask die/models/die.md2
    [ -e thumbs/die/models/die.md2-thumb.png ]
    ask die/models/cut.md2
    [ "$(jq '.errors | length' <<<"$answer")" = 1 ]
    cp die/models/die.md2 $'die/models/a "b"\t\\.md2'
    ask $'die/models/a "b"\t.md2' || true # there is no such file
    printf '\n\n' >&"${SERVICE[1]}" # is nobody's name
    ask die/models/die.md5mesh
    end_service 3
}

@test "the last name needs no end of its line, and an empty input is no mistake" {
    exits 0 thumb --json -o thumbs/ - <<<''
    [ -z "$output" ]
    printf 'die/models/die.md2' >names
    exits 0 thumb --json -o thumbs/ - <names
    jq -e '.file == "die/models/die.md2" and (.pictures | length == 1)' <<<"$output"
}

@test "lines of a list may end as Windows ends them" {
    printf 'die/models/cut.md2\r\n\r\ndie/models/die.md2\r\n' >names
    exits 3 thumb --json -o thumbs/ - <names
    [ "$(jq -s -c 'map([.file, (.pictures | length)]) | sort' <<<"$output")" = '[["die/models/cut.md2",0],["die/models/die.md2",1]]' ]
    printf 'die/models/die.md2\r' >names # without an end
    exits 0 thumb -o thumbs/ - <names
    cp die/models/die.md2 $'die/models/odd\r'
    printf 'die/models/odd\r\0' >names # its own
    exits 0 thumb --json -o thumbs/ - <names
    jq -e '.file == "die/models/odd\r"' <<<"$output"
}

@test "pictures are named by the first process, whatever a worker answers" {
    export ANSWER='{"pictures": 2, "file": "/etc/passwd", "warnings": []}'
    LIE=answer LD_PRELOAD=$TOOLS/lie.so exits 0 thumb --json -o thumbs/ die/models/die.md2
    [ "$(jq -c '[.file, .pictures]' <<<"$output")" = '["die/models/die.md2",["thumbs/die/models/die.md2-thumb.png"]]' ]
    ANSWER='{"pictures": ["/etc/passwd", "../it.png"], "warnings": []}' LIE=answer LD_PRELOAD=$TOOLS/lie.so \
        exits 0 thumb --json -o thumbs/ die/models/die.md2
    [ "$(jq -c .pictures <<<"$output")" = '[]' ]
}

@test "bytes that a worker leaves in shared memory are no truth values" {
    write_list list "$PWD/die" <<<'- {name: cut, model: models/cut.md2}'
    LIE=twos LD_PRELOAD=$TOOLS/lie.so exits 3 render -j1 list.yaml
    says 'error: cut: models/cut.md2: *'
}

@test "names end with a NUL, too, one that is too long fails, and none that has no end holds up a signal" {
    printf 'die/models/die.md2\0die/models/cut.md2\0' | "$SHEETBAKE" thumb --json -o thumbs/ - >told || [ $? = 3 ]
    [ "$(jq -s -c 'map([.file, (.pictures | length)]) | sort' told)" = '[["die/models/cut.md2",0],["die/models/die.md2",1]]' ]
    # A cut name would be that of the model.
    local dots
    dots=$(printf './%.0s' {1..2038})
    name=die/models/die.md2
    [ "$((${#dots} + ${#name}))" = 4094 ]
    printf '%s\n' "$dots./${name}and-more" | "$SHEETBAKE" thumb --json -o thumbs/ - >told || [ $? = 3 ]
    jq -e '.errors == ["this name is too long"]' told
    local code=0
    timeout -k 10 2 "$SHEETBAKE" thumb --json -o thumbs/ - </dev/zero || code=$?
    [ "$code" = 124 ] # else it was killed: 137
    tr '\0' a </dev/zero | (timeout -k 10 2 "$SHEETBAKE" thumb --json -o thumbs/ - || echo $? >code) || true
    [ "$(cat code)" = 124 ]
}

@test "an input that cannot be read is no end" {
    exits 3 thumb --json -o thumbs/ - </
    says 'sheetbake: standard input: Is a directory'
}

@test "a worker that is killed while it waits costs nothing" {
    local answer
    start_service -j 1
    ask die/models/die.md2
    kill -9 "$(pgrep -P "$SERVICE_PID" | head -n1)"
    ask die/models/die.md2
    [ "$(jq '.pictures | length' <<<"$answer")" = 1 ]
    end_service 0
}

@test "a model that kills its worker, or takes too long, fails alone, and leaves nothing behind" {
    cp die/models/die.md2 die/models/other.md2
    SIGNAL_AT_MODEL=9 LD_PRELOAD=$TOOLS/trouble.so exits 3 thumb --json -j 1 -o thumbs/ die/models/die.md2 die/models/die.md5mesh
    jq -es 'map(select(.file == "die/models/die.md2")) | .[0].errors[0] | test("killed by signal 9")' <<<"$output"
    [ "$(find thumbs -type f)" = thumbs/die/models/die.md5mesh-thumb.png ]
    rm -r thumbs
    STALL_WRITES=1 LD_PRELOAD=$TOOLS/trouble.so exits 3 thumb --json -j 1 --timeout 1 -o thumbs/ die/models/die.md2
    jq -e '.errors[0] | test("--timeout")' <<<"$output"
    [ -z "$(find thumbs -type f)" ]
}

@test "Ctrl-C ends it, and leaves whole pictures alone" {
    local answer
    start_service
    ask die/models/die.md2
    local pid=$SERVICE_PID code=0
    kill -INT "$pid"
    wait "$pid" || code=$?
    [ "$code" = 130 ]
    [ "$(find thumbs -type f)" = thumbs/die/models/die.md2-thumb.png ]
    [ -z "$(pgrep -P "$pid")" ]
}

@test "all models of a call are drawn with one driver for each worker" {
    command -v strace >/dev/null || skip "there is no strace"
    local i
    for i in 1 2 3 4 5 6; do cp die/models/die.md2 "die/models/die$i.md2"; done
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -ff -o trace -e trace=openat "$SHEETBAKE" thumb --sandbox off -j 2 -o thumbs/ die/models/die?.md2
    [ "$(find thumbs -type f | wc -l)" = 6 ]
    local drivers
    drivers=$(cat trace.* | grep -c 'libOSMesa.so.8".* = [0-9]')
    echo "$drivers times the driver"
    [ "$drivers" -ge 1 ] && [ "$drivers" -le 2 ]
    [ "$(cat trace.* | grep -c 'die[1-6].md2".* = [0-9]')" = 6 ] # each model is read once
}
