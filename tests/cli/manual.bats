# Not under the sanitizers: words.

# The manual page and the completion of bash, made from the tables of options, and the commands in README and docs.

load sheets

PAGE=$(dirname "$SHEETBAKE")/sheetbake.1
COMPLETION=$(dirname "$SHEETBAKE")/sheetbake.bash
ROOT=$BATS_TEST_DIRNAME/../..

commands() {
    "$SHEETBAKE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

read_page() {
    groff -man -ww -Tascii -P-c -P-b -P-u -rLL=1000n -rHY=0 "$PAGE" 2>"$BATS_TEST_TMPDIR/warnings"
}

words() {
    tr -s '[:space:]' '\n' | sed '/^$/d'
}

@test "the manual page is well-formed, and says of every command what --help says" {
    local text command count=0
    text=$(read_page)
    [ ! -s "$BATS_TEST_TMPDIR/warnings" ]
    for command in $(commands); do
        count=$((count + 1))
        diff <("$SHEETBAKE" "$command" --help | sed 's/^usage: //; /^  -h, --help /d; s/^exit codes:$/Exit codes:/' | words) \
            <(awk -v heading="   sheetbake $command" '/^ ? ? ?[^ ]/ { inside = $0 == heading; next } inside' <<<"$text" | words)
    done
    [ "$count" -gt 5 ]
}

@test "the manual page names the environment variables that the program asks for" {
    local text name count=0
    text=$(read_page)
    for name in $(grep -rhoE '(getenv|is_true)\("[A-Z_]+"' "$ROOT/src" | grep -oE '[A-Z_]{2,}' | sort -u) SHEETBAKE_SHARD_INDEX; do
        [ "$name" != HOME ] || continue
        count=$((count + 1))
        grep -qw "$name" <<<"$text" || { echo "no $name"; return 1; }
    done
    [ "$count" -gt 8 ]
}

@test "commands in the docs have no options but those there are" {
    local line command option count=0
    while read -r line; do
        read -r _ command _ <<<"$line"
        for option in $(grep -oE -e ' --?[a-z][a-z-]*' <<<"$line"); do
            [[ $option == --* ]] || option=${option:0:2} # -j1
            count=$((count + 1))
            "$SHEETBAKE" "$command" --help | grep -qE -e "^ +(-[a-z], )?$option( |,|$)" || { echo "$line: $option"; return 1; }
        done
    done < <(grep -ohE "(sheetbake|SHEETBAKE) ($(commands | paste -sd'|'))( [^\`|;&>#]*)?" "$ROOT"/README.md "$ROOT"/docs/*.md \
        "$ROOT"/docs/recipes/* "$ROOT"/manual/sheetbake.1.in | tr -d '\\')
    [ "$count" -gt 30 ]
}

# "FILE#ANCHOR" of each heading of files, as code hosts make them.
anchors() { # awk's condition, file...
    awk 'FNR == 1 { code = 0 } /^```/ { code = !code } !code && '"$1"' {
        sub(/^#+ /, ""); line = tolower($0); gsub(/[^a-z0-9 _-]/, "", line); gsub(/ /, "-", line); print FILENAME "#" line }' "${@:2}"
}

@test "links in the docs lead to files and headings that are there, and contents name all sections" {
    local file link path anchor found count=0
    cd "$ROOT"
    found=$(anchors '/^#+ /' ./*.md docs/*.md docs/*/*.md | sed 's|^\./||')
    for file in *.md docs/*.md docs/*/*.md; do
        while read -r link; do
            count=$((count + 1))
            path=$(realpath -m --relative-to=. "$(dirname "$file")/${link%%#*}")
            [ -n "${link%%#*}" ] || path=$file
            [ -e "$path" ] || { echo "$file: $link: no such file"; return 1; }
            [[ $link != *.md#* && $link != '#'* ]] || grep -qxF "$path#${link#*#}" <<<"$found" || { echo "$file: $link: no such heading"; return 1; }
        done < <(tr '\n' ' ' <"$file" | grep -oE '\]\([^) ]+\)' | sed 's/^](\(.*\))$/\1/' | grep -vE '^https?:')
        if grep -q '^Contents:' "$file"; then
            for anchor in $(anchors '/^## /' "$file" | sed 's/.*#//'); do
                sed -n '/^Contents:/,/^$/p' "$file" | tr -d '\n' | grep -qF "(#$anchor)" || { echo "$file: no $anchor in its contents"; return 1; }
            done
        fi
    done
    [ "$count" -gt 200 ]
}

# The text of a section of README.md.
section() { # heading
    awk -v name="## $1" '/^## / { inside = $0 == name } inside' "$ROOT/README.md"
}

@test "README's first sheet, and its thumbnail, are made as it says" {
    work_in_empty_folder
    mkdir jobs bin
    ln -s "$(cd "$ROOT" && pwd)/jobs/assets" jobs/assets
    ln -s "$SHEETBAKE" bin/sheetbake
    section 'A first sheet' | sed -n '/^```yaml/,/^```/p' | sed '1d;$d' >jobs/mine.yaml
    section 'A first sheet' | sed -n 's/^    \(sheetbake .*\)/\1/p' >commands
    section Thumbnails | sed -n 's/^    \(sheetbake .*\)/\1/p' >>commands
    [ "$(wc -l <commands)" = 7 ]
    PATH=$PWD/bin:$PATH sh -e commands 2>messages
    grep -q 'model: models/pip/pip.glb' jobs/first.yaml
    grep -q -- '- walk' jobs/first.yaml
    grep -q '^nothing to do: 1 sheet up to date' messages
    [ "$(files out/mine)" = 'pip.json pip.png pip.sheetbake' ]
    [ -s pip-thumb.png ]
    [ "$(compare -metric AE -fuzz 3% views.png "$ROOT/docs/pictures/views.png" null: 2>&1)" -lt 50 ]
    sed -i 's/  model:/  modle:/' jobs/mine.yaml
    run --separate-stderr "$SHEETBAKE" check jobs/mine.yaml
    says "$(section 'A first sheet' | sed -n 's/^    \(jobs.mine.yaml:.*\)/\1/p')"
}

look_alike() { # picture, picture
    [ "$(identify -format '%wx%h ' "$1")" = "$(identify -format '%wx%h ' "$2")" ]
    [ "$(compare -metric AE -fuzz 3% "$1[0]" "$2[0]" null: 2>&1 | cut -d' ' -f1)" -lt 50 ]
}

@test "README's lists to start from are made without a warning, and look as their pictures" {
    work_in_empty_folder
    exits 0 render -o out "$ROOT/jobs/unit.yaml" "$ROOT/jobs/hero.yaml"
    never says '*warning*'
    pictures=$(section 'Lists to start from' | grep -o 'docs/pictures/[^)]*')
    [ "$(wc -l <<<"$pictures")" = 2 ]
    for picture in $pictures; do
        look_alike "out/${picture##*/}" "$ROOT/$picture"
    done
}

@test "the lists of the cookbook are made as they stand, without a warning, and look as their pictures" {
    work_in_empty_folder
    "$ROOT/tests/cookbook" lists
    [ "$(find lists -name '*.yaml' | wc -l)" = 14 ]
    for list in lists/*.yaml; do
        exits 0 render -o out "$list"
        never says '*warning*'
    done
    pictures=$(sed -n 's|^!\[.*\](pictures/cookbook/\(.*\))$|\1|p' "$ROOT/docs/cookbook.md")
    [ "$(wc -l <<<"$pictures")" -ge 12 ]
    for picture in $pictures; do
        look_alike "out/$picture" "$ROOT/docs/pictures/cookbook/$picture"
    done
}

complete_words() { # the words of a command line, of which the last is to be completed
    bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _sheetbake && echo "${COMPREPLY[*]}"' \
        "$COMPLETION" "$@"
}

@test "bash completes commands, options and choices" {
    [ "$(complete_words sheetbake re)" = render ]
    [ "$(complete_words sheetbake help ver)" = verify ]
    [ "$(complete_words sheetbake render --dep)" = '--depfile --depfile-target' ]
    [ "$(complete_words sheetbake check --dep)" = '' ]
    [ "$(complete_words sheetbake render --lock '')" = 'wait fail off' ]
    [ "$(complete_words sheetbake render --lock = f)" = fail ]
    [ "$(complete_words sheetbake render --lock =)" = 'wait fail off' ]
    [ "$(complete_words sheetbake render --ci g)" = 'github gitlab' ]
    [ "$(complete_words sheetbake render jobs/)" = '' ] # which makes bash take names of files
}

@test "make install brings both" {
    cd "$BATS_TEST_TMPDIR"
    install_here
    cmp "$PAGE" root/usr/share/man/man1/sheetbake.1
    cmp "$COMPLETION" root/usr/share/bash-completion/completions/sheetbake
}
