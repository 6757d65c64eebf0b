# Not under the sanitizers: they make system calls of their own, and the leak checker cannot be traced.

# How much work a run does, counted: opened files, system calls, draws. Each number is what the program does today, as an
# upper bound; who makes it do less writes the new number here.

load sheets
load models

setup() {
    work_in_empty_folder
}

# Runs the program, and lists its system calls and those of all its processes in `calls`: see calls.c.
traced() { # code, arguments
    "$TOOLS/calls" calls /bin/true || skip "no process can be traced here"
    run --separate-stderr "$TOOLS/calls" calls "$SHEETBAKE" "${@:2}"
    exited "$1"
}

opened() { # name of a file -> how often it was opened
    grep -cE "^open (.*/)?$1\$" calls || true
}

# Runs it while the calls of its OSMesa are counted: see odd_osmesa.c.
drawn() { # arguments of render
    counted render "$@"
}

counted() { # command, arguments
    REAL=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libOSMesa\.so\.8 .*=> //p' | head -n1) \
        COUNTS=$PWD/counts LD_PRELOAD=$TOOLS/odd_osmesa.so exits 0 "$1" --backend osmesa "${@:2}"
}

number_of() { # what
    awk -v what="$1" '$2 == what { print $1 }' counts
}

at_most() { # number, limit; at least one, or nothing was counted
    [ "$1" -gt 0 ] && [ "$1" -le "$2" ] || {
        echo "$1, not at most $2"
        return 1
    }
}

# -- A page of several workers --

# One page, which takes more than a second, is made by one worker and then by three: the same bytes.
check_shared() { # keys of the job, samples, milliseconds for each draw
    echo "- {name: die, model: models/die.md2, cell: 16, sampling: {count: $2}, cameras: {directions: 8}, $1}" | write_list one
    rm -rf alone out
    drawn -q -j1 -o alone one.yaml
    alone=$(number_of draws)
    SLOW=$3 drawn -q -j3 -o out one.yaml
    diff -r alone out
}

@test "workers with nothing to do help with a page, whose bytes stay the same" {
    local keys alone
    for keys in 'passes: [normal]' 'split: camera' 'sheet: {layout: packed, trim: true}, passes: [mask]'; do
        check_shared "$keys" 8 20
        [ "$(number_of drawers)" -ge 2 ]
        # Groups of four cells that two helpers have begun at the end are drawn twice.
        at_most "$(number_of draws)" $((alone * 5 / 4))
    done
}

@test "helpers get the palette of a page, which is found in cells that are drawn once" {
    local alone
    check_shared 'pixel: {palette: 4}' 64 2
    [ "$alone" = $((2 * 512)) ]
    [ "$(number_of drawers)" -ge 2 ]
    at_most "$(number_of draws)" $((alone * 5 / 4)) # the owner alone has them
}

@test "a helper that is killed costs nothing but its cells" {
    local alone
    KILL_SECOND=9 check_shared 'passes: [normal]' 8 20
    [ "$(number_of drawers)" -ge 2 ]
    [ -z "$output$stderr" ]
}

@test "a helper that writes anything into shared memory spoils a page, and ends no run" {
    local keys
    for keys in 'passes: [normal]' 'sheet: {layout: packed, trim: true}'; do
        echo "- {name: die, model: models/die.md2, cell: 16, sampling: {count: 8}, cameras: {directions: 8}, $keys}" | write_list one
        rm -rf alone out
        render -q -o alone one.yaml
        SPOIL_SECOND=9 SLOW=20 drawn -q -j2 -o out one.yaml
        run cmp alone/die.png out/die.png
        [ "$status" = 1 ]
        exits 0 verify -o out one.yaml
    done
}

# -- A run with nothing to do --

# The system calls for files: read, close, stat, fstat, lseek, pread64, getdents64, newfstatat, statx.
file_calls() {
    grep -cE '^(open .*|0|3|4|5|8|17|217|262|332)$' calls
}

write_jobs() { # number
    local i
    for ((i = 0; i < $1; i++)); do
        echo "- {name: die$i, model: models/die.md2, cell: 8}"
    done | write_list "many$1"
}

# bats test_tags=quick
@test "a page that is up to date costs a few system calls, and its inputs are read once for all pages" {
    local fewer
    write_jobs 10
    write_jobs 30
    exits 0 render -q many10.yaml many30.yaml
    traced 0 render -q many10.yaml
    fewer=$(file_calls)
    at_most "$fewer" 700 # 570, of which the libraries take 400
    traced 0 render -q many30.yaml
    # 12 for each page: two files are opened, looked at, read and closed, and names are looked at four times. Some of the
    # others depend on the moment.
    at_most $(($(file_calls) - fewer)) $((20 * 12 + 15))
    at_most "$(opened die.md2)" 1
    at_most "$(opened die.png)" 1
    at_most "$(opened die0.sheetbake)" 1
    at_most "$(opened die0.json)" 1
}

@test "rules that were changed are judged by records alone: each file is opened as by a run with nothing to do" {
    write_jobs 10
    exits 0 render -q many10.yaml
    sed 's/^jobs:/defaults: {rules: {triangles: {warn: 1}, empty_cells: 0, darkest: {warn: 0.999}}}\n&/' many10.yaml >ruled.yaml
    mv ruled.yaml many10.yaml
    traced 0 render many10.yaml
    at_most "$(opened die.md2)" 1
    at_most "$(opened die.png)" 1
    at_most "$(opened die0.sheetbake)" 1
    exits 0 render --log log many10.yaml
    [ "$(jq -s '[.[] | select(.status == "up-to-date") | .findings[].rule] | unique | join(" ")' log)" = '"darkest triangles"' ]
    drawn many10.yaml
    sed 's/999/998/' many10.yaml >ruled.yaml
    mv ruled.yaml many10.yaml
    cp counts counts.nothing
    drawn many10.yaml
    diff counts.nothing counts
}

# What a run that is up to date unpacks.
unpacked() {
    rm -f count
    UNPACKED=$PWD/count LD_PRELOAD=$TOOLS/trouble.so exits 0 render "$@"
    says 'nothing to do: 1 sheet up to date*'
    [ ! -e count ] || wc -c <count
}

@test "of an archive a file is unpacked only where its packed bytes are not as they were" {
    command -v zip >/dev/null || skip "zip is not installed"
    cp -r "$DIE" game
    head -c 20000 /dev/zero >>game/models/die.md2 # packs otherwise at each level
    seq 5000 >>game/models/die.md2
    pack() {
        rm -f game.pk3
        (cd game && zip -q -r "$@" ../game.pk3 models textures)
    }
    pack -9
    write_list die game.pk3 <<<"- {name: die, model: models/die.md2, cell: 16}"
    UNPACKED=$PWD/count LD_PRELOAD=$TOOLS/trouble.so exits 0 render --sandbox off die.yaml
    at_most "$(wc -c <count)" 2
    [ "$(unpacked die.yaml)" = "" ]
    pack -1
    at_most "$(unpacked die.yaml)" 2 # other packed bytes, the same contents
    pack -0
    [ "$(unpacked die.yaml)" = "" ]
    echo more >>game/models/die.md2
    pack -9
    exits 0 render --dry-run die.yaml
    says 'die: input models/die.md2 changed'
}

peak_of() { # jobs -> KiB: the least of five runs, as where pages of memory lie is left to chance
    local i
    mkdir -p "game$1/models"
    for ((i = 0; i < $1; i++)); do ln "$DIE/models/die.md2" "game$1/models/die$i.md2" || cp "$DIE/models/die.md2" "game$1/models/die$i.md2"; done
    write_list "many$1" "game$1" <<<"- {name: '{path}', model: 'models/*.md2', cell: 8}"
    exits 0 render -q "many$1.yaml"
    for i in 1 2 3 4 5; do
        PEAK=$PWD/peak LD_PRELOAD=$TOOLS/trouble.so exits 0 render -q "many$1.yaml"
        cat peak
        echo
    done | sort -n | awk 'NF { print; exit }'
}

@test "a job of a run with nothing to do takes at most 2 KiB of memory" {
    local fewer more
    fewer=$(peak_of 10)
    more=$(peak_of 500)
    at_most $((more - fewer)) 1000 # 680; it was 1,400
}

# -- Models --

@test "a job opens its model once, however many pages it has" {
    write_list pages <<<"- {name: pages, model: models/die.md2, cell: 16, animations: [{name: a, frames: 0-5}], sheet: {max_size: 20}}"
    traced 0 render -q -j1 pages.yaml
    [ "$(find out -name '*.png' | wc -l)" -ge 6 ]
    at_most "$(opened die.md2)" 1
}

@test "a thumbnail reads its model once, though it looks at it before there is a job" {
    traced 0 thumb -o die.png "$DIE/models/die.md2"
    [ "$(opened die.md2)" -eq 1 ]
}

@test "a model is opened once more for all pictures in it" {
    local picture i
    mkdir game
    picture=$(base64 -w0 "$DIE/textures/die.png")
    cat >game/four.gltf <<-END
	{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
	"buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64,$(printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200?\0\0\0\0\0\0\0\0\0\0\200?' | base64 -w0)"}],
	"bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24}],
	"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
	    {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
	"meshes": [{"primitives": [$(for i in 0 1 2 3; do echo '{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": '$i'},'; done | sed '$s/,$//')]}],
	"materials": [$(for i in 0 1 2 3; do echo '{"pbrMetallicRoughness": {"baseColorTexture": {"index": '$i'}}},'; done | sed '$s/,$//')],
	"textures": [{"source": 0}, {"source": 1}, {"source": 2}, {"source": 3}],
	"images": [$(for i in 0 1 2 3; do echo '{"uri": "data:image/png;base64,'"$picture"'"},'; done | sed '$s/,$//')]}
	END
    write_list four game <<<"- {name: four, model: four.gltf, cell: 16, cameras: [front]}"
    traced 0 render -q -j1 four.yaml
    [ -z "$stderr" ]
    at_most "$(opened four.gltf)" 2
    write_list imported game <<<"- {name: imported, model: four.gltf, via: assimp, cell: 16, cameras: [front]}"
    traced 0 render -q -j1 imported.yaml
    [ -z "$stderr" ]
    at_most "$(opened four.gltf)" 2
    traced 0 check four.yaml
    at_most "$(opened four.gltf)" 2
}

@test "jobs of one model open it once, and their records name it" {
    local i
    for i in {0..9}; do
        echo "- {name: die$i, model: models/die.md2, cell: $((8 + i)), cameras: [front]}"
    done | write_list many
    traced 0 render -q -j1 many.yaml
    at_most "$(opened die.md2)" 1
    at_most "$(opened die.png)" 1
    for i in {0..9}; do
        [ "$(jq -c '.inputs | keys' out/many/die$i.sheetbake)" = '["models/die.md2","textures/die.png"]' ]
    done
}

@test "a model that a later job names or attaches is opened once, whatever jobs are in between" {
    local i model
    mkdir game
    for model in a b c; do cp "$DIE/models/die.md2" "game/$model.md2"; done
    for i in {0..3}; do
        for model in a b c; do # larger cells begin first
            echo "- {name: $model$i, model: $model.md2, cell: $((8 + i % 2)), cameras: [front], animations: []}"
        done
    done >jobs
    echo "- {name: held, model: c.md2, attach: [{model: a.md2}], cell: 7, cameras: [front], animations: []}" >>jobs
    write_list many game <jobs
    traced 0 render -q -j1 many.yaml
    for model in a b c; do at_most "$(opened $model.md2)" 1; done
    traced 0 render -q -j2 --force many.yaml
    for model in a b c; do at_most "$(opened $model.md2)" 2; done
    traced 0 check many.yaml
    for model in a b c; do at_most "$(opened $model.md2)" 2; done
}

# A square of 4 MiB, in 512 frames that are alike.
write_large_md2() { # file
    local frames
    {
        printf IDP2
        le32 8 32 32 8216 0 2044 3 2 0 512 68 68 80 104 104 $((104 + 512 * 8216))
        le16 0 0 32 0 32 32
        le16 0 1 2 0 1 2 0 2 3 0 2 1
    } >"$1"
    {
        le32 $ONE $ONE $ONE $ZERO $ZERO $ZERO
        padded stand 16
        printf '\0\0\0\5\10\0\0\5\10\10\0\5\0\10\0\6'
        head -c $((4 * 2040)) /dev/zero
    } >frame
    for ((frames = 1; frames < 512; frames *= 2)); do
        cat frame frame >frames
        mv frames frame
    done
    cat frame >>"$1"
}

@test "a model that no later job names is freed before the next is opened" {
    local i
    mkdir game
    write_large_md2 game/0.md2
    for i in {0..15}; do
        [ $i = 0 ] || ln game/0.md2 game/$i.md2
        echo "- {name: large$i, model: $i.md2, cell: 8, cameras: [front], animations: []}"
    done | write_list many game
    exits 0 render -q -j1 --log log.jsonl many.yaml
    at_most "$(jq -s '[.[].peakKiB // empty] | length' log.jsonl)" 16
    at_most "$(jq -s '[.[].peakKiB // empty] | 1 + last - first' log.jsonl)" 10000 # of 64 MiB
}

@test "jobs that take clips of one file open it once, and their records name it" {
    local i
    mkdir game
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb" game/moves.glb
    cp game/moves.glb game/a.glb
    cp game/moves.glb game/b.glb
    for i in {0..9}; do
        echo "- {name: a$i, model: a.glb, cell: $((8 + i)), cameras: [front], animations: [{file: moves.glb, clip: sway}]}"
        echo "- {name: b$i, model: b.glb, cell: $((8 + i)), cameras: [front], animations: [{file: 'm*.glb', clip: s*y}]}"
    done | write_list many game
    traced 0 render -q -j1 many.yaml
    at_most "$(opened moves.glb)" 1
    at_most "$(opened a.glb)" 2 # and its picture
    for i in {0..9}; do
        [ "$(jq -c '.inputs | keys' out/many/a$i.sheetbake)" = '["a.glb","moves.glb"]' ]
        [ "$(jq -c '.inputs | keys' out/many/b$i.sheetbake)" = '["b.glb","moves.glb"]' ]
    done
    exits 0 render --dry-run many.yaml
    says '0 sheets would be made, 20 up to date'
}

@test "models of groups are opened once to frame them and once to draw them, by any number of workers" {
    local i list
    cp -r "$DIE" dice
    for i in {0..19}; do
        ln dice/models/die.md2 "dice/models/odd$i.md2"
        ln dice/models/die.md2 "dice/models/even$i.md2"
    done
    for list in odd even; do
        write_grouped $list 1
        sed -Ei "s|name: ($list[0-9]+), model: models/die.md2|name: \\1, model: models/\\1.md2|" $list.yaml
        sed -Ei "s|^assets: .*|assets: dice|" $list.yaml
    done
    traced 0 render -q -j4 odd.yaml even.yaml
    [ "$(find out -name '*.png' | wc -l)" = 40 ]
    at_most "$(opened '(odd|even)[0-9]*.md2')" 80
    [ "$(jq '.inputs | keys | map(select(endswith(".md2"))) | length' out/even/even7.sheetbake)" = 20 ]
    cp -r out all
    exits 0 render -q -j1 --force odd.yaml even.yaml
    diff -r out all

    # One model for all: each worker opens it once to frame, and once to draw.
    write_grouped odd 1
    write_grouped even 2
    traced 0 render -q --force -j4 odd.yaml even.yaml
    at_most "$(opened die.md2)" 16
}

# -- Targets --

@test "a sample of a cell takes memory for its light and depth alone: 12 bytes" {
    write_list large <<<"- {name: large, model: models/die.md2, cell: 1024, supersample: 4, cameras: [front], animations: []}"
    write_list small <<<"- {name: small, model: models/die.md2, cell: 8, supersample: 1, cameras: [front], animations: []}"
    exits 0 render -q -j1 --log large.jsonl large.yaml
    exits 0 render -q -j1 --log small.jsonl small.yaml
    at_most $(($(jq -s '[.[].peakKiB // empty] | max' large.jsonl) - $(jq -s '[.[].peakKiB // empty] | max' small.jsonl))) 240000 # 12 bytes: 196,608
}

# -- Draws --

# A die of one surface: 3 moments, seen from 4 sides.
write_turning() { # more keys
    write_list turning <<<"- {name: die, model: models/die.md2, cell: 16, supersample: 1, cameras: [{name: c, directions: 4}], animations: [{name: a, frames: 0-5}], sampling: {count: 3}${1:+, $1}}"
}

# bats test_tags=quick
@test "a cell is drawn once for each pass, and a model posed once for each moment and pass" {
    write_turning
    drawn -q turning.yaml
    at_most "$(number_of draws)" 12
    at_most "$(number_of uploads)" 7 # positions and normals of each pose, and one at the start
    write_turning 'passes: [normal, depth, mask]'
    drawn -q turning.yaml
    at_most "$(number_of draws)" 48
    at_most "$(number_of uploads)" 25
    write_turning 'passes: [normal, depth, mask], sheet: {layout: packed}'
    drawn -q turning.yaml
    at_most "$(number_of draws)" 48
    at_most "$(number_of uploads)" 7 # here once for all passes
}

@test "diff draws what differs on both sides, and a second time only where the framing differs" {
    mkdir -p other/game game/models
    cp "$DIE"/models/die.md2 game/models/one.md2
    cp "$DIE"/models/die.md2 game/models/two.md2
    cp -r "$DIE/textures" game
    write_list dice game <<-END
	defaults: {cell: 16, supersample: 1, skin: textures/die.png, cameras: [front], animations: []}
	jobs:
	- {name: one, model: models/one.md2}
	- {name: two, model: models/two.md2}
	END
    cp -r game dice.yaml other
    convert game/textures/die.png -negate png:new && mv new game/textures/die.png
    counted diff -q --base other dice.yaml
    [ "$output" = 'sheets: 2 changed' ]
    [ "$(number_of draws)" = 4 ]
    sed -i '/name: two/s/}/, transform: {scale: 2}}/' dice.yaml
    counted diff -q --base other dice.yaml
    [ "$(number_of draws)" = 6 ]
    counted diff -q -j 1 --base other --only two dice.yaml
    [ "$(number_of draws)" = 4 ]
    cp dice.yaml other
    cp -r game other
    counted diff -q --base other dice.yaml
    [ "$output" = 'sheets: 2 same' ]
    [ "$(number_of draws)" = 0 ]
}

@test "diff --base opens each model once, and no picture that did not change" {
    mkdir -p game/models
    for name in one two; do
        cp "$DIE"/models/die.md2 game/models/$name.md2
        cp "$DIE"/textures/die.png game/models/$name.png
        echo "- {name: $name, model: models/$name.md2, skin: models/$name.png, cell: 16, cameras: [front]}"
    done | write_list dice game
    git init -q .
    git add game dice.yaml
    git -c user.name=tester -c user.email=tester@example.org commit -qm first
    traced 0 diff -q --base HEAD dice.yaml
    [ "$output" = 'sheets: 2 same' ]
    at_most "$(opened one.md2)" 2 # once to see that it is no pointer of Git LFS
    at_most "$(opened one.png)" 1
    convert game/models/two.png -negate png:new && mv new game/models/two.png
    traced 0 diff -q -j 1 --base HEAD dice.yaml
    [ "$output" = 'sheets: 1 changed, 1 same' ]
    at_most "$(opened one.md2)" 2
    at_most "$(opened one.png)" 1
}

# -- Atlases --

@test "an atlas that is up to date is not looked into; where a job changes, only that is drawn, and each sheet read once" {
    write_jobs 10
    sed -i 's/^jobs:/defaults: {atlas: all, supersample: 1, cameras: [front], animations: []}\n&/' many10.yaml
    exits 0 render -q many10.yaml
    traced 0 render -q many10.yaml
    at_most "$(opened all.sheetbake)" 1
    at_most "$(opened die5.sheetbake)" 1
    [ "$(opened 'all\.png')" = 0 ]
    [ "$(opened 'die5\.png')" = 0 ]
    sed -i 's/name: die5,/name: die5, light: rim,/' many10.yaml
    cp -r out before
    traced 0 render -q many10.yaml
    at_most "$(opened 'die4\.png')" 3 # its end, its hash, its pixels
    at_most "$(opened die4.sheetbake)" 2
    rm -r out
    mv before out
    drawn -q many10.yaml
    at_most "$(number_of draws)" 2 # of die5, and the probe's
}

@test "a run whose cache is empty compiles two programs more, and draws once more, however many workers it has" {
    write_jobs 10
    export XDG_CACHE_HOME=$PWD/cache
    drawn -q -j1 --force many10.yaml
    local programs draws
    programs=$(number_of programs) draws=$(number_of draws)
    drawn -q -j1 --force many10.yaml
    at_most "$programs" $(($(number_of programs) + 2)) # the probe's, and what each renderer begins with
    [ "$draws" = $(($(number_of draws) + 1)) ]
    rm -r cache
    drawn -q -j8 --force many10.yaml
    [ "$draws" = "$(number_of draws)" ]
}

# -- Compressing --

@test "pages are compressed once, with the job's level, and those that diff compares with the fastest" {
    write_list die <<<"- {name: die, model: models/die.md2, cell: 16, cameras: [front], animations: []}"
    drawn -q die.yaml
    [ "$(number_of slow)" -eq 1 ]
    mkdir other
    sed 's/cell: 16/cell: 24/' die.yaml >other/die.yaml
    counted diff --base other die.yaml
    [ "$(number_of slow)" -eq 0 ]
    at_most "$(number_of draws)" 4
    sed -i 's/cell: 16/cell: 16, png: {level: 1}/' die.yaml
    drawn -q die.yaml
    [ "$(number_of slow)" -eq 0 ]
    at_most "$(number_of draws)" 2
}

@test "jobs with one model are checked by few messages" {
    write_jobs 640
    traced 0 check -q many640.yaml
    at_most "$(opened die.md2)" $(($(nproc) + 1))
    at_most "$(grep -cE '^(44|45|46|47)$' calls)" 1500 # sendto, recvfrom, sendmsg, recvmsg: about 800; 3200 one by one
}
