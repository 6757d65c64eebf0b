# Not under the sanitizers: arguments and words.
load sheets

setup() {
    work_in_empty_folder
}

sheetbake() {
    run --separate-stderr "$SHEETBAKE" "$@"
}

@test "without a command, help goes to standard error" {
    exits 2
    [ -z "$output" ]
    says 'usage: sheetbake COMMAND *'
}

# bats test_tags=quick
@test "--help lists the commands, each of which has its own help" {
    exits 0 --help
    says '*glTF, FBX, MD2, MD3, MD5, IQM and Quake*'
    local command commands
    commands=$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$output")
    [ "$(tr '\n' ' ' <<<"$commands")" = 'render check verify diff history gallery info pose thumb doctor init schema ' ]
    for command in $commands; do
        exits 0 "$command" --help
        [ -z "$stderr" ]
        says "usage: sheetbake $command *"
        says '*-h, --help*'
        awk 'length > 79 { print; long = 1 } END { exit long }' <<<"$output"
        local help=$output
        sheetbake help "$command"
        [ "$output" = "$help" ]
        sheetbake "$command" -h
        [ "$output" = "$help" ]
    done
}

@test "--version tells the versions of the program and of the libraries, and loads nothing that draws" {
    LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/loaded exits 0 --version
    grep -q libpng loaded.*
    never grep -E 'libOSMesa|libEGL' loaded.*
    says 'sheetbake [0-9]*.[0-9]*'
    says 'libpng: *[0-9]*'
    says 'libwebp: *[0-9]*'
    says 'libjpeg-turbo: [0-9]*.[0-9]* (built with)'
    says 'libyaml: *[0-9]*'
}

@test "a mistyped command gets the nearest as a suggestion" {
    exits 2 rendr list.yaml
    says "sheetbake: unknown command 'rendr', did you mean 'render'?"
    exits 2 explain list.yaml
    says "sheetbake: unknown command 'explain', did you mean 'render --dry-run -v'?"
    exits 2 frobnicate
    says "sheetbake: unknown command 'frobnicate'*--help*"
    exits 2 help chekc
    says "sheetbake: unknown command 'chekc', did you mean 'check'?"
    exits 2 --verison
    says "sheetbake: unknown option '--verison', did you mean '--version'?"
}

@test "a mistyped option gets the nearest as a suggestion" {
    local command
    for command in render check; do
        exits 2 $command --ouput x list.yaml
        says "sheetbake $command: unknown option '--ouput', did you mean '--output'?"
        says "Try 'sheetbake $command --help'."
        sheetbake $command --ouput=x list.yaml
        says "*unknown option '--ouput', did you mean '--output'?"
        exits 2 $command --frobnicate list.yaml
        says "sheetbake $command: unknown option '--frobnicate'"
        exits 2 $command -cofnig x list.yaml
        says "sheetbake $command: unknown option '-cofnig', did you mean '--config'?"
        sheetbake $command -config x list.yaml
        says "sheetbake $command: option '-config' may mean '--config'"
        exits 2 $command -qx list.yaml
        says "sheetbake $command: unknown option '-x'"
        exits 2 $command -~ --help~
        says "sheetbake $command: unknown option '-~'"
    done
}

@test "options may be shortened as long as they are unambiguous" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    exits 0 render --qui --out=there one.yaml
    [ -e there/die.png ]
    exits 2 render --o there one.yaml
    says "*option '--o' may mean*--output*--only*"
}

@test "an option without its value, or with one it does not take, is a usage error" {
    exits 2 render list.yaml -o
    says "sheetbake render: option '-o' needs a value"
    exits 2 render list.yaml --only
    says "sheetbake render: option '--only' needs a value"
    exits 2 render --quiet=yes list.yaml
    says "sheetbake render: option '--quiet' takes no value"
    exits 2 render --fail-fast=1 list.yaml
    says "sheetbake render: option '--fail-fast' takes no value"
}

@test "numbers of options are checked" {
    local number
    for number in 0 -1 1025 2.5 x 1x '' nan inf; do
        exits 2 render -j "$number" list.yaml
        says "sheetbake render: --jobs: *"
    done
    exits 2 render --timeout -0.1 list.yaml
    says 'sheetbake render: --timeout: -0.1 is out of range, 0 to 86400 are allowed'
}

@test "render, check and verify want a list, which must be there" {
    local command
    for command in render check verify; do
        exits 2 $command
        says "sheetbake $command: no job list *given"
        exits 2 $command missing.yaml
        says 'missing.yaml: No such file or directory'
        mkdir -p folder.yaml
        [ $command = verify ] && continue # which takes folders
        exits 2 $command folder.yaml
        says "folder.yaml: not a regular file, but a folder; 'sheetbake init' makes a list of the models in it"
    done
}

@test "a command that wants a list and is given something else says what that is" {
    (cd "$DIE" && zip -qr "$OLDPWD/die.pk3" models)
    local command
    for command in render check verify; do
        exits 2 $command "$DIE/models/die.md2" die
        says "$DIE/models/die.md2: this is a model (MD2), not a job list; 'sheetbake thumb' makes a picture of it"
        exits 2 $command "$DIE/models/die.md5mesh" die
        says "$DIE/models/die.md5mesh: this is a model (MD5), not a job list; 'sheetbake thumb' makes*"
        exits 2 $command die.pk3 die
        says "die.pk3: this is an archive, not a job list; lists name it under 'assets'"
    done
}

@test "a folder or a picture in place of a model, a pattern without a job, and one without a clip lead on" {
    mkdir models
    write_list one <<-END
	- {name: dice/die, model: models/die.md2}
	- {name: picture, model: textures/die.png}
	- {name: still, model: models/die.md5mesh, animations: ["*"]}
	END
    exits 2 thumb -o one.png models
    says "sheetbake: models: a folder, not a file; 'sheetbake init' makes a list of the models in it"
    exits 2 thumb -o one.png "$DIE/textures/die.png"
    says "*: not a model file, but a picture; \`skin\` of a job shows it on a model"
    exits 3 check one.yaml
    says "*FAILED picture: textures/die.png: not a model file, but a picture; \`skin\` of a job shows it on a model"
    says "*FAILED still: *no animation '\*': the model has no clips, and none beside it; *"
    local command
    for command in check render; do
        exits 2 $command --only die one.yaml
        says "*no job's name matches --only 'die'; \`\*\` stands for any part of a name"
        exits 2 $command --only '*x' one.yaml
        says "*no job's name matches --only '\*x'"
    done
}

@test "--only: a star stands for any part of a name, also over folders" {
    write_list one <<-END
	defaults: {cell: 16, animations: []}
	jobs:
	- {name: axe, model: models/die.md2}
	- {name: units/axe, model: models/die.md2}
	- {name: units/orcs/grunt, model: models/die.md2}
	- {name: archer/walk, model: models/die.md2}
	END
    taken() { # pattern
        "$SHEETBAKE" render --dry-run --json --only "$1" one.yaml | jq -r '.sheets[].job' | sort | paste -sd,
    }
    [ "$(taken 'a*')" = archer/walk,axe ]
    [ "$(taken 'units/*')" = units/axe,units/orcs/grunt ]
    [ "$(taken '*/axe')" = units/axe ]
    [ "$(taken '**/axe')" = axe,units/axe ]
    [ "$(taken '*axe')" = axe,units/axe ]
    [ "$(taken '*r*nt')" = units/orcs/grunt ]
    [ "$(taken '*')" = archer/walk,axe,units/axe,units/orcs/grunt ]
    [ "$(taken axe)" = axe ]
    [ "$(taken 'units/ax?')" = units/axe ]
    exits 0 render -q one.yaml
    exits 0 render -q -o before --only 'u*' one.yaml
    exits 0 diff --only 'u*' before out/one
    says 'sheets: 2 same'
    mkdir old
    cp one.yaml old
    exits 0 diff --base old --only 'a*' one.yaml
    says 'sheets: 2 same'
}

# -- The rendering back end --

opens_no_renderer() { # arguments
    LD_DEBUG=files "$SHEETBAKE" "$@" 2>loaded >/dev/null
    grep -q libjansson loaded # or else we would not see the others either
    run -1 grep -iE 'mesa|libGL|libEGL|LLVM' loaded
}

@test "help and check load no renderer" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    opens_no_renderer --help
    opens_no_renderer render --help
    opens_no_renderer check --help
    opens_no_renderer check one.yaml
    [ ! -e out ]
}

@test "without a rendering back end the exit code is 4, and the message says what was tried" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    hide libOSMesa.so.8 libEGL.so.1
    exits 4 render -j2 one.yaml
    says 'sheetbake: no rendering back end works: OSMesa: *; EGL: *'
    [[ $stderr != *' 0 s'* ]]
    [ "$(files .)" = 'one.yaml useless/libEGL.so.1 useless/libOSMesa.so.8' ]
}

@test "a library that cannot be loaded is named with its package" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    mkdir useless
    tee useless/{libOSMesa.so{.8,.6,},libEGL.so.1} <<<'no library' >/dev/null
    LD_LIBRARY_PATH=$PWD/useless exits 4 render one.yaml
    says 'sheetbake: *cannot load libOSMesa.so.8*libosmesa6*'
    says 'sheetbake: *cannot load libEGL.so.1*libegl1*libgl1-mesa-dri*'
}

@test "check works where there is no rendering back end" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    hide libOSMesa.so.8 libEGL.so.1
    exits 0 check one.yaml
}

# -- Streams --

@test "results that cannot be written are an error" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    "$SHEETBAKE" check one.yaml >/dev/full 2>message || status=$?
    [ "$status" = 5 ]
    grep -q 'cannot write all of the result to standard output' message
    status=0
    "$SHEETBAKE" --help >/dev/full 2>message || status=$?
    [ "$status" = 5 ]
}

@test "a run goes on when the reader of its log leaves" {
    write_list many <<<"- {name: 'die/{stem}', model: 'models/*.md2', cell: 8, cameras: {directions: 40, name: c}, split: camera}"
    "$SHEETBAKE" render -j1 many.yaml 2> >(head -n1 >first)
    [ "$(find out -name '*.png' | wc -l)" = 40 ]
    [ "$(find out -name '.*' -type f ! -name .sheetbake.lock | wc -l)" = 0 ]
}

@test "a run works without standard streams and writes nothing of its log into sheets" {
    write_list many <<<"- {name: die, model: models/die.md2, cell: 8, cameras: {directions: 20, name: c}, split: camera}"
    "$SHEETBAKE" render many.yaml 2>/dev/null
    mv out/many expected
    "$SHEETBAKE" render -v -j3 many.yaml <&- >&- 2>&-
    diff -r expected out/many
}

@test "a path that is empty is an error before anything is done" {
    cp -r "$DIE" assets
    write_list one <<<'- {name: die, model: models/die.md2, cell: 8}'
    local option
    for option in output config depfile log junit; do
        exits 2 render --"$option" '' one.yaml
        says "sheetbake render: --$option: the path is empty"
    done
    [ ! -e out ]
    local command
    for command in check verify; do
        for option in output config; do
            exits 2 $command --"$option" '' one.yaml die
            says "sheetbake $command: --$option: the path is empty"
        done
    done
}
