# bats file_tags=asan

# Mistakes in YAML: the message and its line.

setup() {
    SHEETBAKE=$(realpath "${SHEETBAKE:-build/release/sheetbake}")
    cd "$BATS_TEST_TMPDIR"
}

# Each mistake: the place and the start of its message after "# ", then the list.
mistakes() {
    cat <<'EOF'
# 3:8: a ':' is missing after 'model'
jobs:
- name: a
  model a.md2
  cell: 64
# 2:7: a ':' is missing after 'name'
jobs:
- name a
  model: a.md2
# 1:5: a ':' is missing after 'jobs'
jobs
- name: a
# 2:5: a ':' is missing after 'cell'
version: 1
cell 64

# the end
# 1:9: a space is missing after 'version:'
version:1
assets: game
# 3:9: a space is missing after 'model:'
jobs:
- name: a
  model:a.md2
# 2:2: a space is missing after '-'
jobs:
-name: a
 model: a.md2
# 4:7: indented deeper than line 3, which has a value already
jobs:
- name: a
  model: a.md2
      cell: 64
# 4:2: the indentation fits no line above
jobs:
 - name: a
   model: a.md2
 cell: 64
# 4:2: this '-' is in a column of its own
jobs:
  - name: a
    model: a.md2
 - name: b
# 2:1: a tab; lines are indented with spaces
jobs:
TAB- name: a
# 3:1: a tab; lines are indented with spaces
jobs:
- name: a
TABmodel: a.md2
# 1:9: the quote that opens here is never closed
assets: "game
jobs:
- name: a
# 1:14: text after the end of a value; put quotes around all of it
assets: 'bob's game'
# 1:12: no such escape; in double quotes '\' is written '\\'
assets: "C:\game"
# 2:12: this '[' is not closed, or lacks a ','
jobs:
- cameras: [side,
  cell: 64
# 2:27: '#' starts a comment here
jobs:
- {name: orc, background: #102040}
# 2:20: '#' starts a comment here
jobs:
- outline: {color: #102040,
            width: 2}
# 1:20: a ',' or ']' is missing before this
cameras: [{yaw: 3} {yaw: 4}]
# 1:8: a value that starts with '*' must be in quotes
model: */a.md2
# 1:8: no anchor (&name) is called like this alias
model: *orc
# 1:9: a value cannot start with '@'; put it into quotes
assets: @game
# 1:8: a second ': ' in one line
name: a: b
# 1:7: a list with '-' starts in a line of its own, below its key
jobs: - name: a
EOF
}

check_one() { # wanted, file
    [ -s "$2" ] || return 0
    count=$((count + 1))
    run "$SHEETBAKE" check "$2"
    if [ "$status" != 2 ] || [[ "${lines[0]}" != "$2:${1/: /: not valid YAML: }"* ]] || [ "${#lines[@]}" != 2 ]; then
        echo "wanted $1, got: $output"
        wrong=$((wrong + 1))
    fi
}

# bats test_tags=quick
@test "mistakes in YAML have a plain message with their line" {
    local wanted='' line count=0 wrong=0
    : >list.yaml
    while IFS= read -r line; do
        if [[ "$line" =~ ^'# '[0-9]+: ]]; then
            check_one "$wanted" list.yaml
            wanted=${line#\# }
            : >list.yaml
        else
            printf '%s\n' "${line/TAB/$'\t'}" >>list.yaml
        fi
    done < <(mistakes)
    check_one "$wanted" list.yaml
    [ "$count" = 24 ]
    [ "$wrong" = 0 ]
}

@test "lines are counted with any line breaks" {
    printf 'version: 1\r\njobs:\r\n- name: a\r\n  model a.md2\r\n  cell: 64\r\n' >list.yaml
    run "$SHEETBAKE" check list.yaml
    [ "${lines[0]}" = "list.yaml:4:8: not valid YAML: a ':' is missing after 'model'" ]
}

@test "other mistakes have libyaml's own message" {
    printf '%s\n' '%YAML 3.0' '---' 'version: 1' >list.yaml
    run "$SHEETBAKE" check list.yaml
    [[ "${lines[0]}" = "list.yaml:1:1: not valid YAML: "* ]]
}
