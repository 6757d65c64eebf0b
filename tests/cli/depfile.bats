# Not under the sanitizers: a short text; test_depfile.
load sheets

# Dependency files, read by make and by ninja.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
    mkdir -p more/models
    write_list dice '[more, assets]' <<-END
	include: extra.yaml
	jobs:
	- {name: "{stem}", model: models/die.md*, cell: 8, animations: []}
	END
    printf 'version: 1\njobs:\n- {name: extra, model: models/die.md2, cell: 8}\n' >extra.yaml
    printf 'version: 1\ndefaults: {supersample: 1}\n' >config.yaml
    printf 'dice.stamp:\n\t"$$SHEETBAKE" render -q --config config.yaml --depfile $@.d dice.yaml && touch $@\n-include dice.stamp.d\n' >Makefile
    printf 'rule bake\n  command = "$$SHEETBAKE" render -q --config config.yaml --depfile $out.d dice.yaml && touch $out\n  depfile = $out.d\nbuild dice.stamp: bake\n' >build.ninja
    # md2 and md5mesh are of one stem
    sed -i 's/die.md\*/die.md5*/' dice.yaml
}

make_is_done() {
    make -q dice.stamp
}

ninja_is_done() {
    ninja -n | grep -q 'no work to do'
}

# Fails unless the tool has nothing to do before the change, and something after it.
needs_after() { # tool, change...
    local tool=$1
    shift
    "$tool" dice.stamp >log 2>&1 || {
        cat log
        return 1
    }
    sleep 0.02
    "${tool}_is_done" || {
        echo "$tool: not done after its run, before: $*"
        return 1
    }
    "$@"
    ! "${tool}_is_done" || {
        echo "$tool: nothing to do after: $*"
        return 1
    }
}

check_tool() { # make or ninja
    local tool=$1
    needs_after "$tool" touch dice.yaml
    needs_after "$tool" touch extra.yaml
    needs_after "$tool" touch config.yaml
    needs_after "$tool" touch assets/models/die.md2
    needs_after "$tool" touch assets/models/die.md5mesh
    needs_after "$tool" touch assets/textures/die.png
    # One more that the pattern matches, beside the first, and a new folder at the root
    needs_after "$tool" cp assets/models/die.md5mesh assets/models/die.md5mesh2
    rm assets/models/die.md5mesh2
    needs_after "$tool" mkdir more/textures
    "$tool" dice.stamp
    "${tool}_is_done"
}

@test "make runs when anything changes that was read, or a file comes beside it, and not else" {
    check_tool make
}

@test "ninja does, too" {
    check_tool ninja
}

@test "names with spaces and signs are understood by both" {
    local folder='assets/a b#$=%'
    mkdir "$folder"
    mv assets/models/die.md2 "$folder/d ie.md2"
    printf 'version: 1\njobs:\n- {name: extra, model: "a b#$=%%/d ie.md2", cell: 8}\n' >extra.yaml
    needs_after make touch "$folder/d ie.md2"
    needs_after ninja touch "$folder/d ie.md2"
}

@test "an archive is one file, and sheets that are up to date count" {
    (cd assets && zip -qr ../assets.pk3 .)
    write_list dice assets.pk3 <<<'- {name: die, model: models/die.md2, cell: 8}'
    exits 0 render dice.yaml
    needs_after make touch assets.pk3
    [ "$(sed -n 's/^  \([^ ]*\).*/\1/p' dice.stamp.d | tr '\n' ' ')" = 'assets.pk3 config.yaml dice.yaml ' ]
}

@test "the file is not touched when it stays the same, and not written when a sheet fails" {
    exits 0 render --depfile a.d dice.yaml
    local before=$(stat -c '%i %y' a.d)
    exits 0 render --force --depfile a.d dice.yaml
    [ "$(stat -c '%i %y' a.d)" = "$before" ]
    [[ $(head -1 a.d) == 'a: '* ]]
    render --depfile a.d --depfile-target 'b c' dice.yaml
    [[ $(head -1 a.d) == 'b\ c: '* ]]
    rm a.d
    echo nonsense >assets/models/die.md2
    exits 3 render --depfile a.d dice.yaml
    [ ! -e a.d ]
}

@test "while a file is missing make and ninja try again, and are done once it is back" {
    local tool
    for tool in make ninja; do
        rm -rf dice.stamp out
        "$tool" dice.stamp >log 2>&1
        mv assets/models/die.md2 kept
        never "$tool" dice.stamp >log 2>&1
        grep -q "error: extra: extra.yaml:3:24: no file 'models/die.md2' in the assets" log
        never "$tool" dice.stamp >log 2>&1
        mv kept assets/models/die.md2
        "$tool" dice.stamp >log 2>&1
        "${tool}_is_done"
    done
}

@test "a file that cannot be written ends the run before it begins" {
    local path
    mkdir folder.d
    for path in folder.d /proc/a.d "$(printf '%0250d' 1).d"; do
        exits 2 render --depfile "$path" dice.yaml
        says "sheetbake: $path: *"
    done
    [ ! -e out ]
}

@test "a target without a name is an error" {
    exits 2 render --depfile deps dice.yaml
    says "*--depfile: 'deps' does not end in .d*"
    exits 2 render --depfile-target a dice.yaml
    says "*--depfile-target needs --depfile"
    local name
    for name in 'a*.d' a=b.d a%b.d; do
        exits 2 render --depfile "$name" dice.yaml
        says "*--depfile: make and ninja cannot both read the name*"
    done
    exits 2 render --depfile /proc/none/a.d dice.yaml
    says '*/proc/none*'
}
