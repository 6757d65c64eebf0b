# bats file_tags=asan

# The page of `diff --html`: what is in its file. How it looks and works is tested in a browser (tests/browser/diff.mjs).
load sheets

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    cp -r "$DIE" assets
    for side in before after; do
        { printf 'defaults: {cell: 16, sampling: {count: 4}}\njobs:\n'; lines $side; } | write_list all assets
        exits 0 render -q --force -o $side all.yaml
        convert -negate "$DIE/textures/die.png" assets/textures/die.png
    done
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
}

lines() { # side
    echo '  - {name: die, model: models/die.md2, animations: [hop], passes: [normal]}'
    echo '  - {name: other, model: models/die.md2, animations: [hop], cameras: [top]}'
    echo "  - {name: only-$1, model: models/die.md2, animations: [hop], cell: 24}"
}

data_of() { # file
    sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1"
}

# The picture with this number.
picture_of() { # file number
    sed -n "s/.*id=\"picture-$2\">\(.*\)<\/script>\$/\1/p" "$1" | base64 -d
}

@test "the page has the cells of both sides, as they are in the sheets" {
    exits 0 diff before after --html page.html
    data_of page.html >data.json
    for side in before after; do
        jq -r --arg side $side '.sheets[] | select(.job == "die") | .strips[$side].color as $pictures | .clips[].frames[] | .[$side].cell as $cell
            | ($pictures[] | select(.first <= $cell and $cell < .first + .count)) as $of
            | "\(.name) \($of.src) \($of.columns) \($of.cell[0]) \($cell - $of.first)"' data.json >cells
        [ "$(wc -l <cells)" = "$(jq '[.sheets[] | select(.job == "die").clips[].frames[]] | length' data.json)" ]
        while read -r name src columns size cell; do
            [ "$size" = 16 ]
            picture_of page.html "${src#\#picture-}" >strip.webp
            dwebp -quiet strip.webp -o strip.png
            at=$(jq -r --arg name "$name" '.frames[$name].frame | "\(.w)x\(.h)+\(.x)+\(.y)"' $side/die.json)
            convert $side/die.png -crop "$at" +repage rgba:wanted
            convert strip.png -crop "16x16+$((cell % columns * 16))+$((cell / columns * 16))" +repage rgba:found
            cmp wanted found
        done <cells
    done
    # The normals are the same on both sides: there once.
    jq -e '.sheets[] | select(.job == "die") | .strips | (.before | has("normal") | not) and .after.normal[0].src' data.json
    jq -e '.sheets[] | select(.job == "only-before") | .strips == {before: .strips.before, after: {}} and .strips.before.color[0].src' data.json
}

@test "the page asks for nothing, and runs its own script alone" {
    exits 0 diff before after --html page.html
    [ "$(grep -cE '(src|href)="?[a-z]*:?//' page.html)" = 0 ]
    policy=$(sed -n "s/.*Content-Security-Policy\" content=\"\(.*\)\">/\1/p" page.html)
    [[ $policy == "default-src 'none'; "* ]] && [[ $policy != *unsafe* ]]
    for element in style script; do
        hash=$(tr '\n' '\r' <page.html | grep -oP "<$element>\K.*?(?=</$element>)" | head -c -1 | tr '\r' '\n' | sha256sum)
        hash=$(printf "$(sed 's/ .*//; s/../\\x&/g' <<<"$hash")" | base64)
        [[ $policy == *"$element-src 'sha256-$hash'"* ]]
    done
    [ "$(grep -c '@@[A-Z]*@@' page.html)" = 0 ]
}

@test "no id is in a page twice" {
    exits 0 diff before after --html page.html
    exits 0 gallery after -o gallery
    for page in page.html gallery/index.html; do
        [ "$(grep -oE ' id="[^"]*"' $page | sort | uniq -d)" = '' ]
    done
}

@test "names of others stay inside the page's data" {
    evil="</script><script>alert(1)</script>&<!--'\""
    mkdir -p "$evil"
    cp -r before "$evil/side"
    exits 0 diff "$evil/side" after --html page.html
    [ "$(data_of page.html | grep -c '[<>&]')" = 0 ]
    [ "$(data_of page.html | jq -r .before.name)" = "$evil/side" ]
}

@test "a folder has the page and its pictures, and no limit" {
    exits 0 diff before after --html new/review/ --max-size 1
    data_of new/review/index.html | jq -r '.sheets[].strips[][][].src' >sources
    [ "$(wc -l <sources)" = 7 ]
    while read -r src; do
        [ "$(identify -format %m "new/review/$src")" = PNG ]
    done <sources
    [ "$(grep -c 'id="picture-' new/review/index.html)" = 0 ]
}

@test "a renamed sheet has the pictures of its first clip, once" {
    for name in old new; do
        write_list all assets <<<"$(printf 'defaults: {cell: 16}\njobs:\n  - {name: %s, model: models/die.md2, sampling: {count: 2}, cameras: [top, front]}\n' $name)"
        exits 0 render -q --force -o $name all.yaml
    done
    exits 0 diff old new --html page.html
    data_of page.html | jq -e '.sheets | length == 1 and .[0].state == "renamed" and .[0].strips.before == {}'
    data_of page.html | jq -e '.sheets[0].clips | length > 1 and ([.[] | [.frames[].after.cell != null] | all] == [range(length) == 0])'
}

@test "of a sheet with a damaged picture no other picture is on the page" {
    rm before/die.*
    convert after/die.normal.png -crop 16x16+0+0 +repage small.png
    cp small.png after/die.normal.png
    exits 0 diff before after --html site/
    says '*die: its pictures are not on the page: *'
    data_of site/index.html | jq -e '.sheets[] | select(.job == "die") | .strips == null and .clips == []'
    [ "$(data_of site/index.html | jq -r '.sheets[] | select(.strips).strips[][][].src' | sort)" = "$(cd site && ls index@files/*)" ]
    exits 0 diff before after --html page.html
    [ "$(grep -c 'id="picture-' page.html)" = "$(ls site/index@files | wc -l)" ]
}

@test "a folder's index.html that no diff wrote stays" {
    mkdir site
    echo mine >site/index.html
    exits 2 diff before after --html site/
    says 'sheetbake: site/index.html: `sheetbake diff` did not write this; choose another folder'
    [ "$(cat site/index.html)" = mine ]
    rm site/index.html
    mkdir site/pictures
    echo mine | tee site/pictures/00000.png >site/00000.png
    exits 0 diff before after --html site/
    touch site/index@files/old.png
    exits 0 diff before after --html site/
    [ "$(cat site/pictures/00000.png site/00000.png)" = $'mine\nmine' ]
    [ "$(data_of site/index.html | jq -r '.sheets[].strips[][][].src' | sort)" = "$(cd site && ls index@files/*)" ]
}

# Two folders of sheets with noise, which no format makes small.
make_noise() { # count, size of the cell, keys of each job
    local i side
    rm -rf noise-before noise-after
    for side in before after; do
        for ((i = 1; i <= $1; i++)); do
            convert -size "$2x$2" -seed "$i${#side}" xc: +noise Random "PNG24:assets/noise$i.png"
            echo "  - {name: noise$i, model: models/die.md2, skin: noise$i.png, cell: $2, $3}"
        done | { printf 'defaults: {sampling: {count: 4}}\njobs:\n' && cat; } | write_list all assets
        exits 0 render -q --force -o noise-$side all.yaml
    done
}

sheets_with() { # file, jq filter of a sheet
    data_of "$1" | jq "[.sheets[] | select($2)] | length"
}

@test "each sheet has the clip that differs most on the page, all that differ count in its matrix" {
    make_noise 6 64 'animations: [hop, stand], cameras: {name: c, directions: 8}'
    exits 0 diff --json noise-before noise-after --html folder/
    jq -r '.sheets[] | (.clips | max_by([.frames[].change.mean] | max)).name' <<<"$output" >worst
    exits 0 diff noise-before noise-after --html page.html --max-size 1
    says '*page.html: of 6 sheets only what differs most has pictures*--max-size 1;*'
    [ "$(stat -c %s page.html)" -le 1000000 ]
    data_of page.html | jq -r '.sheets[].clips | map(select(.frames | map(.after.cell != null) | any))[] | .name' >there
    [ "$(wc -l <there)" -ge 6 ]
    while read -r name; do grep -qxF "$name" there; done <worst
    [ "$(sheets_with page.html '.strips and (.clips | length) == 16 and ([.clips[].frames[].change.max] | length) == 64')" = 6 ]
    [ "$(sheets_with folder/index.html '[.clips[].frames[].after.cell != null] | all')" = 6 ]
}

@test "a sheet of which no clip fits has one frame, with loss if need be; what does not fit is listed, and counted" {
    local still='([.clips[] | select(.still)] | length) == 1 and (.clips[] | select(.still) | .still as $at | [.frames[].after.cell != null] | index(true) == $at and (map(select(.)) | length) == 1)'
    make_noise 6 128 'animations: [hop], cameras: [front, top], sampling: {count: 30}'
    exits 0 diff noise-before noise-after --html page.html --max-size 1
    says '*page.html: of 6 sheets only what differs most has pictures*'
    [ "$(sheets_with page.html "$still and ([.clips[].lossy] | any | not)")" = 6 ]
    make_noise 6 256 'animations: [hop], cameras: [front, top]'
    exits 0 diff noise-before noise-after --html page.html --max-size 1
    [ "$(stat -c %s page.html)" -le 1000000 ]
    [ "$(sheets_with page.html "$still")" = 6 ]
    [ "$(sheets_with page.html '[.clips[].lossy] | any')" -ge 1 ]
    make_noise 2 2048 'animations: [hop], cameras: [front]'
    exits 0 diff noise-before noise-after --html page.html --max-size 1
    says '*page.html: the pictures of 2 sheets are left out*--max-size 1;*'
    [ "$(sheets_with page.html '.strips == null and .clips == []')" = 2 ]
    [ "$(grep -c 'id="picture-' page.html)" = 0 ]
}

@test "a page that cannot be written is said before anything is compared" {
    touch file
    exits 2 diff before after --html file/page.html
    exits 2 diff before after --html file/
    exits 2 diff before after --html ''
    exits 2 diff before after --html page.html --max-size 0
    exits 0 diff before before --html page.html
    data_of page.html | jq -e '.sheets == []'
}
