# Not under the sanitizers: lists; fuzz targets read them.
load sheets

# Patterns of models: what they leave out, and jobs in their place.

setup() {
    work_in_empty_folder
    cp -r "$DIE" game
    mkdir -p game/units/far
    for name in a a_low b far/c far/c_LOW; do cp game/models/die.md2 "game/units/$name.md2"; done
}

# The jobs of it.yaml, in one line.
jobs() {
    "$SHEETBAKE" render --dry-run -q it.yaml >/dev/null && "$SHEETBAKE" check it.yaml | sed -n 's/^  \([^ :]*\): .*/\1/p' | tr '\n' ' ' | sed 's/ $//'
}

@test "exclude leaves out files by their names, or by their paths" {
    write_list it game <<<'  - {name: "{path}", model: "units/**/*.md2", cell: 16}'
    [ "$(jobs)" = 'a a_low b far/c far/c_LOW' ]
    write_list it game <<<'  - {name: "{path}", model: "units/**/*.md2", cell: 16, exclude: "*_low.md2"}'
    [ "$(jobs)" = 'a b far/c' ]
    write_list it game <<<'  - {name: "{path}", model: "units/**/*.md2", cell: 16, exclude: ["units/*_low.md2", "[b].md2"]}'
    [ "$(jobs)" = 'a far/c far/c_LOW' ]
    write_list it game <<<'  - {name: "{path}", model: "units/**/*.md2", cell: 16, exclude: []}'
    [ "$(jobs)" = 'a a_low b far/c far/c_LOW' ]
}

@test "a sheet stays up to date when another file is left out, and pruning removes that one's" {
    write_list it game <<<'  - {name: "{path}", model: "units/*.md2", cell: 16, supersample: 1}'
    exits 0 render -q it.yaml
    write_list it game <<<'  - {name: "{path}", model: "units/*.md2", cell: 16, supersample: 1, exclude: "*_low*"}'
    exits 0 render --prune it.yaml
    says '*2 sheets up to date*'
    [ "$(files out/it)" = 'a.json a.png a.sheetbake b.json b.png b.sheetbake' ]
}

@test "mistakes with exclude are named" {
    write_list it game <<<'  - {name: it, model: units/a.md2, exclude: "*_low.md2"}'
    exits 2 check it.yaml
    says "it.yaml:*: 'units/a.md2' is no pattern, so \`exclude\` has nothing to leave out"
    write_list it game <<<'  - {name: it, model: "units/*.md2", exclude: "*"}'
    exits 2 check it.yaml
    says "it.yaml:*: \`exclude\` leaves no model of the 3 files that match 'units/\*.md2'"
    write_list it game <<<'  - {name: it, model: "units/*.md2", exclude: {a: b}}'
    exits 2 check it.yaml
    says 'it.yaml:*: a name or pattern must be text, found a mapping'
    printf 'defaults: {exclude: a}\njobs: [{name: it, model: units/a.md2}]\n' | write_list it game
    exits 2 check it.yaml
    says "it.yaml:*: unknown key 'exclude' in 'defaults'*"
}

@test "a job of a model's own takes the place of the pattern's" {
    # Before the pattern, and after it.
    for order in 'own; all' 'all; own'; do
        local own='  - {name: a, model: units/a.md2, cell: 32, supersample: 1}' all='  - {name: "{path}", model: "units/*.md2", cell: 16, supersample: 1}'
        case $order in own*) printf '%s\n%s\n' "$own" "$all" ;; *) printf '%s\n%s\n' "$all" "$own" ;; esac | write_list it game
        [ "$(jobs | tr ' ' '\n' | sort | tr '\n' ' ')" = 'a a_low b ' ]
        exits 0 render -q --force it.yaml
        [ "$(jq '.frames["a/frame/front/0000"] // .frames[] | .sourceSize.w' out/it/a.json | head -1)" = 32 ]
        [ "$(jq '.frames[].sourceSize.w' out/it/b.json | head -1)" = 16 ]
    done
}

@test "two jobs of one name stay a mistake, where neither is a pattern's, or the model is another" {
    write_list it game <<-'END'
	  - {name: a, model: units/b.md2}
	  - {name: "{path}", model: "units/*.md2"}
	END
    sed -i 's/^\t*//' it.yaml
    exits 2 check it.yaml
    says "*job 'a' (model 'units/a.md2') writes the same files as job 'a' (model 'units/b.md2') at *"
    write_list it game <<<'  - {name: a, model: units/a.md2}
  - {name: a, model: units/a.md2}'
    exits 2 check it.yaml
    says "*job 'a' * writes the same files as job 'a' *"
}

@test "where two files of a pattern get one name, the message says what tells them apart" {
    cp game/units/a.md2 game/units/far
    write_list it game <<<'  - {name: "{stem}", model: "units/**/*.md2"}'
    exits 2 check it.yaml
    says "*job 'a' (model 'units/far/a.md2') writes the same files as job 'a' (model 'units/a.md2') at *; use {path} in the name, or \`exclude\` one"
    cp game/units/a.md2 game/units/a.MD3
    write_list it game <<<'  - {name: "{path}", model: "units/a.*"}'
    exits 2 check it.yaml
    says "*writes the same files as *; \`exclude\` one"
}

# bats test_tags=quick
@test "a model with ':' in its name, which no path can have, is told with the cure" {
    cp game/models/die.md2 'game/units/old: die.md2'
    cp game/models/die.md2 'game/units/back\slash.md2'
    touch 'game/units/a.md2:Zone.Identifier'
    write_list it game <<<'  - {name: "{path}", model: "units/*.md2", cell: 16, supersample: 1}'
    exits 2 check it.yaml
    says "it.yaml:5:29: units/old: die.md2: a path has no ':' and no '\\\\': rename the file"
    [ "$(wc -l <<<"$stderr")" = 3 ]
    exits 3 render it.yaml
    says "*it.yaml:5:29: units/old: die.md2: a path has no ':' and no '\\\\': rename the file*"
    [ "$(files out/it)" = 'a.json a.png a.sheetbake a_low.json a_low.png a_low.sheetbake b.json b.png b.sheetbake' ]
    exits 0 init -o new.yaml game
    says "sheetbake: left out: units/back?slash.md2, units/old: die.md2 (2): a path has no ':' and no '\\\\': rename the file"
    write_list it game <<<'  - {name: "{path}", model: "units/*.md2", cell: 16, exclude: ["old*", "back*"]}'
    exits 0 check it.yaml
    write_list it game <<<'  - {name: "{path}", model: "units/old*.md2", cell: 16}'
    exits 3 render it.yaml
    says "*units/old: die.md2: a path has no ':'*"
}

# bats test_tags=quick
@test "a folder with ':' in its name is told once, where it hides a model that the pattern would match" {
    mkdir -p 'game/units/v1: old/more' 'game/units/notes: old'
    cp game/models/die.md2 'game/units/v1: old/a.md2'
    cp game/models/die.md2 'game/units/v1: old/more/b.md2'
    echo >'game/units/notes: old/read.txt'
    write_list it game <<<'  - {name: "{path}", model: "units/**/*.md2", cell: 16, supersample: 1}'
    exits 2 check it.yaml
    says "it.yaml:5:29: units/v1: old: a path has no ':' and no '\\\\': rename the folder"
    [ "$(wc -l <<<"$stderr")" = 2 ]
    exits 3 render it.yaml
    exits 0 gallery it.yaml
    grep -q "units/v1: old: a path has no ':'" out/it/index.html
    exits 0 init -o new.yaml game
    says "sheetbake: left out: units/v1: old: a path has no ':' and no '\\\\': rename the folder"
    write_list it game <<<'  - {name: "{path}", model: "units/*.md2", cell: 16}'
    exits 0 check it.yaml
}

@test "a job takes the place of the pattern's at all scales" {
    printf '%s\n' '  - {name: "{path}", model: "units/*.md2", cell: 16, scales: [1, 2]}' '  - {name: a, model: units/a.md2, cell: 32}' |
        write_list it game
    [ "$(jobs)" = 'a_low a_low@2x b b@2x a' ]
}
