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
        jq -r '.sheets[] | select(.job == "die") | .strips.'$side'.color | "\(.src) \(.columns) \(.cell[0])"' data.json >strip
        read -r src columns size <strip
        [ "$size" = 16 ]
        picture_of page.html "${src#\#picture-}" >strip.png
        jq -r '.sheets[] | select(.job == "die") | .clips[].frames[] | "\(.name) \(.'$side'.cell)"' data.json >cells
        [ "$(wc -l <cells)" -ge 4 ]
        while read -r name cell; do
            at=$(jq -r --arg name "$name" '.frames[$name].frame | "\(.w)x\(.h)+\(.x)+\(.y)"' $side/die.json)
            convert $side/die.png -crop "$at" +repage rgba:wanted
            convert strip.png -crop "16x16+$((cell % columns * 16))+$((cell / columns * 16))" +repage rgba:found
            cmp wanted found
        done <cells
    done
    # The normals are the same on both sides: there once.
    jq -e '.sheets[] | select(.job == "die") | .strips | (.before | has("normal") | not) and .after.normal.src' data.json
    jq -e '.sheets[] | select(.job == "only-before") | .strips == {before: .strips.before, after: {}} and .strips.before.color.src' data.json
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
    data_of new/review/index.html | jq -r '.sheets[].strips[][] | select(.) | .src' >sources
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
    [ "$(data_of site/index.html | jq -r '.sheets[] | select(.strips).strips[][] | select(.) | .src' | sort)" = "$(cd site && ls index@files/*)" ]
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
    [ "$(data_of site/index.html | jq -r '.sheets[].strips[][] | select(.) | .src' | sort)" = "$(cd site && ls index@files/*)" ]
}

@test "what does not fit into --max-size is listed, and counted" {
    echo '  - {name: noise, model: models/die.md2, animations: [hop], skin: noise.png, cell: 512, sampling: {count: 4}}' >more
    for side in before after; do
        convert -size 256x256 -seed ${#side} xc: +noise Random PNG24:assets/noise.png
        { printf 'defaults: {cell: 16, sampling: {count: 4}}\njobs:\n'; lines $side; cat more; } | write_list all assets
        exits 0 render -q --force -o $side all.yaml
    done
    exits 0 diff before after --html page.html --max-size 1
    says '*page.html: the pictures of 1 sheet are left out*--max-size 1*'
    [ "$(stat -c %s page.html)" -le 1000000 ]
    data_of page.html | jq -e '.sheets[] | select(.job == "noise") | .strips == null and .clips == []'
    data_of page.html | jq -e '[.sheets[] | select(.strips)] | length == 1'
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
