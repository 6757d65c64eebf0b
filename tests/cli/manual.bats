# The manual page and the completion of bash, which are made from the tables of options.

load sheets

PAGE=$(dirname "$SHEETBAKE")/sheetbake.1
COMPLETION=$(dirname "$SHEETBAKE")/sheetbake.bash
ROOT=$BATS_TEST_DIRNAME/../..

commands() {
    "$SHEETBAKE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

read_page() {
    groff -man -ww -Tascii -P-c -P-b -P-u -rLL=1000n "$PAGE" 2>"$BATS_TEST_TMPDIR/warnings"
}

@test "the manual page is well-formed and has every command, option and exit code" {
    local text command option
    text=$(read_page)
    [ ! -s "$BATS_TEST_TMPDIR/warnings" ]
    for command in $(commands); do
        grep -qF "sheetbake $command [OPTION...]" <<<"$text"
        for option in $("$SHEETBAKE" "$command" --help | grep -oE '^ .{5}--[a-z-]+' | grep -oE -e '--.*' | grep -vx -e --help); do
            grep -qE -e "^ +(-[a-z], )?$option( |$)" <<<"$text"
        done
    done
    grep -qF "'{yaw: 90, pitch: 10}'" <<<"$text"
    grep -qE '^ +6 +another run has an output folder' <<<"$text"
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
