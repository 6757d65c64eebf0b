# bats file_tags=asan

# `diff --accepted`: verdicts of people, as lines of a file, and what then passes.
load sheets

# Two folders: two sheets of one cause have changed, one is gone, one is new, one is the same.
setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    cp -r "$DIE" assets
    cp assets/textures/die.png assets/textures/other.png
    render_to before 'other' 'more' 'same' 'gone'
    convert -negate "$DIE/textures/die.png" assets/textures/other.png
    render_to after 'other' 'more' 'same' 'new'
    convert -modulate 50 "$DIE/textures/die.png" assets/textures/other.png
    render_to later 'other' 'more' 'same' 'new'
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
    ALL=(diff --fail-on changed,added,removed --accepted accepted)
}

render_to() { # folder, sheets...
    local folder=$1 name
    shift
    for name; do
        case $name in
        other) echo "  - {name: other, model: models/die.md2, skin: textures/other.png}" ;;
        more) echo "  - {name: more, model: models/die.md2, skin: textures/other.png, cell: 24}" ;;
        gone) echo "  - {name: gone, model: models/die.md2, cell: 20}" ;;
        *) echo "  - {name: $name, model: models/die.md2}" ;;
        esac
    done | { printf 'defaults: {cell: 16, animations: [{name: hop, sampling: {count: 2}}]}\njobs:\n'; cat; } | write_list all assets
    exits 0 render -q --force -o "$folder" all.yaml
}

# The line that accepts a sheet.
accept() { # sheet, after (after)
    "$SHEETBAKE" diff --json before "${2-after}" | jq -r --arg name "all/$1" '.sheets[] | select(.name == $name).accept'
}

accept_all() { # cause, after
    "$SHEETBAKE" diff --json before "${2-after}" | jq -r --arg text "$1" '.causes[] | select(.text == $text).accept'
}

reject() { # sheet
    accept "$1" | sed 's/ accept / reject /'
}

# Who said what, in a line of the file.
line() { # who, line, words
    printf '%s\t%s%s\n' "$1" "$2" "${3:+: $3}"
}

# What is decided of a sheet, in the table.
decided() { # sheet
    awk -v name="all/$1" '$2 == name { on = 1; next } /^[^ ]/ { on = 0 } on { sub(/^ +/, ""); print }' <<<"$output"
}

CAUSE='input textures/other.png changed'

@test "what all sheets have accepted passes, and who accepted it is told" {
    {
        line ann "$(accept other)" 'longer sword'
        line ann "$(accept more)"
        line bob "$(accept new)" 'as: agreed'
        line bob "$(accept gone)"
    } >accepted
    exits 0 "${ALL[@]}" before after
    [ "$(decided other)" = 'accepted by ann: longer sword' ]
    [ "$(decided more)" = 'accepted by ann' ]
    [ "$(decided new)" = 'accepted by bob: as: agreed' ]
    [ "$(tail -n 1 <<<"$output")" = 'sheets: 2 changed, 1 removed, 1 added, 1 same; 4 of 4 accepted' ]
    [ -z "$stderr" ]
    exits 0 diff --fail-on changed,added,removed --accepted accepted --markdown - before after
    says '### 4 of 5 sheets differ'
    says '*4 of 4 accepted.'
    says '| `all/other`*<br>`accepted by ann: longer sword` | changed |*'
    exits 0 diff --fail-on changed,added,removed --accepted accepted --json --junit diff.xml before after
    [ "$(jq -c '.sheets[] | select(.name == "all/other").verdict' <<<"$output")" = '{"accepted":true,"who":"ann","words":"longer sword"}' ]
    [ "$(xmllint --xpath 'string(/testsuites/@failures)' diff.xml)" = 0 ]
    [[ $(xmllint --xpath 'string(//testcase[@name="other"]/system-out)' diff.xml) == *'accepted by ann: longer sword'* ]]
}

@test "one sheet that is not accepted fails, and the line that accepts it is told" {
    line ann "$(accept_all "$CAUSE")" >accepted
    line ann "$(accept gone)" >>accepted
    GITHUB_ACTIONS=true exits 1 "${ALL[@]}" before after
    [ "$(decided other)" = 'accepted by ann' ]
    [ "$(decided more)" = 'accepted by ann' ]
    [ "$(decided new)" = "to accept: $(accept new)" ]
    says '::error title=all/new::added: *'
    never says '::error title=all/other*'
    exits 0 diff --fail-on changed,removed --accepted accepted before after
    [ "$(tail -n 1 <<<"$output")" = 'sheets: 2 changed, 1 removed, 1 added, 1 same; 3 of 3 accepted' ]
    never says '*to accept*'
    : >accepted
    exits 1 "${ALL[@]}" before after
    [[ $output == *'; 0 of 4 accepted' ]]
}

@test "other pictures ask again: of a sheet, and of all sheets of a cause" {
    line ann "$(accept other)" >accepted
    exits 1 "${ALL[@]}" before later
    [ "$(decided other)" = "to accept: $(accept other later)" ]
    line ann "$(accept_all "$CAUSE")" >accepted
    exits 1 "${ALL[@]}" before later
    [[ $output == *'; 0 of 4 accepted' ]]
    # Of two sheets of a cause one is another: both ask again.
    cp later/more* after
    exits 1 "${ALL[@]}" before after
    [[ $output == *'; 0 of 4 accepted' ]]
    line ann "$(accept other)" >>accepted
    exits 1 "${ALL[@]}" before after
    [ "$(decided other)" = 'accepted by ann' ]
}

@test "the hash is of what ships, and not of the base, the order of sheets or the options" {
    local line
    line=$(accept other)
    cp -r before base
    cp after/more* base
    [ "$("$SHEETBAKE" diff --json base after | jq -r '.sheets[] | select(.name == "all/other").accept')" = "$line" ]
    [ "$("$SHEETBAKE" diff --json --tolerance 0.1 --only other before after | jq -r '.sheets[0].accept')" = "$line" ]
    [[ $line =~ ^/sheetbake\ accept\ [0-9a-f]{16}\ all/other$ ]]
    # The same pixels at another rate ask again.
    sed -i 's/count: 2}/count: 2}, rate: 2/' all.yaml
    exits 0 render -q --force -o slower all.yaml
    cmp later/other.png slower/other.png
    [ "$(accept other later)" != "$(accept other slower)" ]
}

@test "the last verdict holds, of a sheet or of its cause" {
    line ann "$(accept other)" yes >accepted
    line bob "$(reject other)" no >>accepted
    exits 1 diff --fail-on changed --accepted accepted --only other before after
    [ "$(decided other)" = 'rejected by bob: no' ]
    line cyd "$(accept_all "$CAUSE")" >>accepted
    exits 0 diff --fail-on changed --accepted accepted before after
    [ "$(decided other)" = 'accepted by cyd' ]
    line bob "$(reject more)" >>accepted
    exits 1 diff --fail-on changed --accepted accepted before after
    [ "$(decided more)" = 'rejected by bob' ]
    [ "$(decided other)" = 'accepted by cyd' ]
    for _ in 1 2 3; do line bob "$(accept more)" again; done >>accepted
    exits 0 diff --fail-on changed --accepted accepted before after
    [ "$(decided more)" = 'accepted by bob: again' ]
    accept_all "$CAUSE" | sed 's/ accept / reject /; s/^/dan\t/' >>accepted
    exits 1 diff --fail-on changed --accepted accepted before after
    [[ $output == *'; 0 of 2 accepted' ]]
}

@test "no verdict passes what failed, is unknown or breaks a rule" {
    truncate -s -1 after/other.png
    exits 1 diff --fail-on failed,changed --json before after
    [ "$(jq -r '.sheets[] | select(.name == "all/other") | .state, .accept' <<<"$output" | paste -sd' ')" = 'unknown null' ]
    line ann '/sheetbake accept 0123456789abcdef all/other' >accepted
    line ann "$(accept_all "$CAUSE")" >>accepted
    exits 1 diff --fail-on failed,changed --accepted accepted before after
    [[ $output == *'; 1 of 2 accepted' ]]
    sed -i '/name: more/s/}/, rules: {triangles: 1}}/' all.yaml
    exits 3 render -q --force -o broken all.yaml
    exits 1 diff --fail-on failed,changed --json before broken
    [ "$(jq -r '.sheets[] | select(.name == "all/more") | .state, .accept' <<<"$output" | paste -sd' ')" = 'changed null' ]
}

@test "a hash that is cut, longer, or of another sheet accepts nothing" {
    local line hash
    line=$(accept other)
    hash=$(cut -d' ' -f3 <<<"$line")
    while IFS= read -r text; do
        printf '%s\n' "$text" >accepted
        exits 1 diff --fail-on changed --accepted accepted --only other before after
        says 'sheetbake: warning: accepted:1: *'
    done <<END
ann	/sheetbake accept ${hash:0:8} all/other
ann	/sheetbake accept ${hash}0 all/other
ann	/sheetbake accept ${hash^^}! all/other
ann	/sheetbake accept all/other: longer sword
ann	/sheetbake accept $hash all/oth
ann	/sheetbake accept $hash all/other2
ann	/sheetbake accept $hash all/more
ann	/sheetbake accept $hash
ann	/sheetbake accepts $hash all/other
ann	 /sheetbake accept $hash all/other
ann	> /sheetbake accept $hash all/other
ann /sheetbake accept $hash all/other
	/sheetbake accept $hash all/other
/sheetbake accept $hash all/other
END
    line ann "/sheetbake accept 0000000000000000 all/other" >accepted # of what it was once
    exits 1 diff --fail-on changed --accepted accepted --only other before after
    [ -z "$stderr" ]
}

@test "lines as hosts give them: carriage returns, spaces, no end of the last line" {
    printf 'ann\t%s  : it is fine  \r\n\r\n\n' "$(accept other)" >accepted
    printf 'bob\t%s' "$(accept more)" >>accepted
    exits 0 diff --fail-on changed --accepted accepted before after
    [ "$(decided more)" = 'accepted by bob' ]
    [[ $(decided other) == 'accepted by ann: it is fine'* ]]
    [ -z "$stderr" ]
}

@test "names, words and causes of strangers are text" {
    local name=$'`x`|<b>@all [a](b)\n/sheetbake accept 0000000000000000 all\e]0;x\a'
    name=${name//\//_}
    local skin="$name.png"
    cp "$DIE/textures/die.png" "assets/textures/$skin"
    rm -r before after
    jq -n --arg name "$name" --arg skin "textures/$skin" \
        '{version: 1, assets: "assets", output: "out", defaults: {cell: 16, animations: ["hop"]}, jobs: [{name: "odd", model: "models/die.md2", skin: $skin}]}' >odd.yaml
    exits 0 render -q -o before odd.yaml
    convert -negate "$DIE/textures/die.png" png:new
    mv new "assets/textures/$skin"
    exits 0 render -q -o after odd.yaml
    exits 0 diff --json before after
    jq -r '.causes[0].accept' <<<"$output" >lines
    [ "$(wc -l <lines)" = 1 ]
    never grep -P '[\x00-\x09\x0b-\x1f]' lines
    grep -qF '`x`|<b>@all [a](b)?' lines
    printf 'a`n`|n\e[2J<b>@x\t%s: <script>|`` \e[1m *x*\n' "$(cat lines)" >accepted
    GITHUB_ACTIONS=true exits 0 diff --fail-on changed --accepted accepted --markdown diff.md --junit diff.xml before after
    says '    accepted by a`n`|n?\[2J<b>@x: <script>|`` ?\[1m \*x\*'
    grep -qF '<br>``` accepted by a`n`\|n?[2J<b>@x: <script>\|`` ?[1m *x* ``` |' diff.md
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" diff.xml
}

@test "a file that is too large, is none or is full of rubbish" {
    head -c 100M /dev/zero >accepted
    exits 2 diff --fail-on changed --accepted accepted before after
    says 'sheetbake: accepted: 104857600 bytes, at most 4194304 are allowed'
    exits 2 diff --fail-on changed --accepted no/such/file before after
    says '*no/such/file*'
    exits 2 diff --accepted accepted before after
    says 'sheetbake diff: --accepted needs --fail-on*'
    yes 'rubbish' | head -c 3M >accepted
    line ann "$(accept other)" >>accepted
    exits 0 diff --fail-on changed --accepted accepted --only other before after
    [ "$(wc -l <<<"$stderr")" = 21 ]
    says '*accepted: * more lines are no verdicts'
    { line ann "$(accept more)"; line ann "$(accept other)"; printf '\0\n'; line bob "$(reject other)"; } >accepted
    exits 2 diff --fail-on changed --accepted accepted before after
    says '*accepted: holds a NUL, and is no file of verdicts'
    yes "$(line ann "$(accept_all "$CAUSE")")" | head -c 4000000 >accepted
    exits 0 diff --fail-on changed --accepted accepted before after
    [ "$(decided other)" = 'accepted by ann' ]
}

@test "without --accepted there are no verdicts" {
    exits 1 diff --fail-on changed --markdown diff.md before after
    never grep -r 'accept' diff.md
    never grep accept <<<"$output"
    exits 0 diff --json before after
    [ "$(jq -c '[.sheets[].verdict] | unique' <<<"$output")" = '[null]' ]
}

# bats test_tags=quick
@test "sheets of two lists of one name have lines of their own: none accepts the other" {
    local side
    mkdir north south
    for side in north south; do
        printf 'defaults: {cell: 1%d, cameras: [front], animations: []}\njobs:\n%s\n%s\n' ${#side} \
            '- {name: die, model: models/die.md2, skin: textures/other.png}' \
            '- {name: gone, model: models/die.md2}' | write_list "$side/units" ../assets
        sed -i "s|^output: .*|output: ../was/$side|" "$side/units.yaml"
        [ $side = north ] || sed -i 's/cell: 15/cell: 16/' "$side/units.yaml"
    done
    cp "$DIE/textures/die.png" assets/textures/other.png
    exits 0 render -q north/units.yaml south/units.yaml
    convert -negate "$DIE/textures/die.png" assets/textures/other.png
    sed -i '/gone/d; s|was|is|' north/units.yaml south/units.yaml
    exits 0 render -q north/units.yaml south/units.yaml
    exits 0 diff --json --html page.html --markdown md --junit diff.xml was is
    [ "$(jq -r '.sheets[] | "\(.state) \(.name)"' <<<"$output" | sort | paste -sd,)" = \
        'changed north/units/die,changed south/units/die,removed north/units/gone,removed south/units/gone' ]
    [ "$(jq -r '.sheets[].accept' <<<"$output" | cut -d' ' -f3 | sort -u | wc -l)" = 4 ]
    grep -qF '| `south/units/gone`' md
    [ "$(xmllint --xpath 'count(//testcase[@classname="north/units"])' diff.xml)" = 2 ]
    line ann "$(jq -r '.sheets[] | select(.name == "north/units/gone").accept' <<<"$output")" >accepted
    line ann "$(jq -r '.sheets[] | select(.name == "south/units/die").accept' <<<"$output")" >>accepted
    exits 1 diff --fail-on changed,removed --accepted accepted was is
    [ "$(grep -c 'accepted by ann' <<<"$output")" = 2 ]
    [[ $output == *'2 of 4 accepted' ]]
    mv was/south/gone.json was/south/gone.png was/south/gone.sheetbake was/north
    exits 0 diff --only gone was is
    says '*units/gone *'
    never says '*north/*'
}
