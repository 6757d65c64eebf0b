# Not under the sanitizers: words; record and trouble look for files in vain, too.
load sheets

# A file that is missing in the assets fails the jobs that name it, and no others.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
}

# A job for each kind of file that can be missing. At first all are there; lose_all removes them.
write_all() {
    cp assets/models/die.md2 assets/models/gone.md2
    cp assets/anims/hop.md5anim assets/anims/gone.md5anim
    cp assets/textures/die.png assets/textures/gone.png
    mkdir -p assets/skins assets/odd
    echo 'skin red { textures/die textures/gone }' >assets/skins/gone.skin
    cp assets/models/die.md2 assets/odd/one.md2
    write_list all "$PWD/assets" <<-END
	defaults: {cell: 16}
	jobs:
	- {name: good, model: models/die.md2}
	- {name: model, model: models/gone.md2}
	- {name: animation, model: models/die.md5mesh, animations: [{file: anims/gone.md5anim}]}
	- {name: skin, model: models/die.md2, skin: textures/gone.png}
	- {name: skins, model: models/die.md5mesh, skin: {textures/die: textures/gone.png}}
	- {name: declared, model: models/die.md5mesh, skin: skins/gone.skin#red}
	- {name: held, model: models/die.md2, attach: {model: models/gone.md2}}
	- {name: moves, model: models/die.md2, attach: {model: models/die.md5mesh, animation: {file: anims/gone.md5anim}}}
	- {name: odd, model: odd/*.md2}
	- {name: last, model: models/die.md2, animations: []}
	END
}

lose_all() {
    rm assets/models/gone.md2 assets/anims/gone.md5anim assets/textures/gone.png assets/skins/gone.skin assets/odd/one.md2
}

expect_problems() { # before each place
    cat <<END
${1}7:24: no file 'models/gone.md2' in the assets
${1}8:68: no file 'anims/gone.md5anim' in the assets, nor beside 'models/die.md5mesh'
${1}9:45: no file 'textures/gone.png' in the assets, nor beside 'models/die.md2'
${1}10:65: no file 'textures/gone.png' in the assets, nor beside 'models/die.md5mesh'
${1}11:53: no file 'skins/gone.skin' in the assets, nor beside 'models/die.md5mesh'
${1}12:55: no file 'models/gone.md2' in the assets, nor beside 'models/die.md2'
${1}13:94: no file 'anims/gone.md5anim' in the assets, nor beside 'models/die.md5mesh'
${1}14:22: no file in the assets matches 'odd/*.md2'; 'odd' has no files
END
}

@test "a missing file fails the jobs that name it, with one message each, and the others are made" {
    write_all
    lose_all
    exits 3 render --log log all.yaml
    [ "$(files out/all)" = 'good.json good.png good.sheetbake last.json last.png last.sheetbake' ]
    expect_problems all.yaml: >expected
    sed -n 's/^error: [^:]*: //p' <<<"$stderr" | sort -u | sort -t: -nk2 | diff expected -
    says '2 of 10 sheets in *, 8 failed -> *'
    jq -r 'select(.status == "failed").reason' log | sort -t: -nk2 | diff expected -
    jq -e 'select(.type == "run") | .counts.failed == 8 and .counts.made == 2 and .exitCode == 3 and .problems == []' log
    [ "$(jq -r 'select(.job == "odd/{path}") | "\(.status) \(.line) \(.worker)"' log)" = 'failed 14 null' ]
}

@test "check tells all of it as problems of the list" {
    write_all
    lose_all
    exits 2 check all.yaml
    expect_problems all.yaml: | diff - <(grep '^all' <<<"$stderr")
    says 'sheetbake: 8 problems, nothing was done'
}

@test "a list with a problem of its own runs nothing, and tells what is missing with it" {
    write_all
    lose_all
    sed -i 's/animations: \[\]/animation: []/' all.yaml
    exits 2 render all.yaml
    [ ! -e out ]
    { expect_problems all.yaml: && echo "all.yaml:15:39: unknown key 'animation' in a job; did you mean 'animations'?"; } |
        diff - <(grep '^all' <<<"$stderr")
}

@test "a root of the assets that is missing is a problem of the list: other files would stand in for its own" {
    write_list roots '[mods, assets]' <<<'- {name: die, model: models/die.md2}'
    exits 2 render roots.yaml
    says 'roots.yaml:2:10: *mods*'
    [ ! -e out ]
}

@test "CI systems get it at its place" {
    write_list one "$PWD/assets" <<<'- {name: it, model: models/none.md2, animations: [{file: none.md5anim}]}'
    exits 3 render --ci github --junit junit.xml one.yaml
    says "::error file=one.yaml,line=5,col=21,title=it::one.yaml:5:21: no file 'models/none.md2' in the assets; one.yaml:5:58: *"
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" junit.xml
    [ "$(xmllint --xpath 'count(//testcase[@name="it"]/failure)' junit.xml)" = 1 ]
}

@test "jobs that fail keep their sheets, and what comes back as it was is up to date" {
    write_all
    exits 0 render -q all.yaml
    cp -r out before
    mkdir kept
    cp -r assets kept
    lose_all
    exits 3 render all.yaml
    diff -r before out
    says '*2 up to date, 8 failed -> *'
    cp -r kept/assets .
    exits 0 render all.yaml
    says 'nothing to do: *10*'
}

@test "what comes back as another is made anew" {
    write_all
    render -q all.yaml
    rm assets/models/gone.md2
    exits 3 render -q all.yaml
    printf x | cat assets/models/die.md2 - >assets/models/gone.md2
    exits 0 render --dry-run all.yaml
    [ "$output" = "model: input models/gone.md2 changed
held: input models/gone.md2 changed" ]
    exits 0 render all.yaml
}

@test "where all that is left cannot be made nothing is opened" {
    write_all
    render -q all.yaml
    lose_all
    LD_DEBUG=files "$SHEETBAKE" render all.yaml 2>loaded && false
    never grep -q libOSMesa loaded
}

@test "files of a pattern that cannot be jobs by their names fail alone" {
    write_list names "$PWD/assets" <<<'- {name: all, model: models/*.md2, cell: 16}'
    cp assets/models/die.md2 'assets/models/bad .md2'
    cp assets/models/die.md2 $'assets/models/worse\e.md2'
    exits 3 render names.yaml
    [ "$(files out/names)" = 'all/die.json all/die.png all/die.sheetbake' ]
    says "error: all/{path}: names.yaml:5:10: a job's name, 'all/bad ', *; names.yaml:5:10: a job's name, 'all/worse?', *"
    exits 2 check names.yaml
}

@test "a name that no file could mend is a mistake of the list" {
    write_list names "$PWD/assets" <<<'- {name: ".all/{stem}", model: models/*.md2}'
    exits 2 render names.yaml
    says "names.yaml:5:10: a job's name, '.all/a', has a part that starts with '.'*"
    write_list names "$PWD/assets" <<<'- {name: "all/{stm}", model: none/*.md2}'
    exits 2 render names.yaml
    says "names.yaml:5:10: '{stm}' in a job's name: *"
}

@test "a match of a pattern that lacks a file fails alone" {
    mkdir assets/models/{a,b}
    cp assets/models/die.md5mesh assets/models/a/it.md5mesh
    cp assets/models/die.md5mesh assets/models/b/it.md5mesh
    cp assets/anims/hop.md5anim assets/models/a
    write_list some "$PWD/assets" <<<'- {name: all, model: "models/?/it.md5mesh", cell: 16, animations: [{file: hop.md5anim}]}'
    exits 3 render some.yaml
    [ "$(files out/some)" = 'all/a/it.json all/a/it.png all/a/it.sheetbake' ]
    says "error: all/b/it: some.yaml:5:75: no file 'hop.md5anim' in the assets, nor beside 'models/b/it.md5mesh', did you mean 'anims/hop.md5anim'[?]"
}

@test "--prune removes nothing of a list in which something is missing" {
    write_all
    render -q all.yaml
    cp -r out before
    rm -r assets/models assets/odd
    mkdir assets/models # what a mount leaves that is gone
    sed -i '/name: last/d' all.yaml
    exits 3 render -q --prune all.yaml
    diff -r before out
    says "sheetbake: removed nothing of all.yaml while something that it names is missing: all.yaml:6:*: no file 'models/die.md2' in the assets"
    exits 3 render --dry-run --prune all.yaml
    says 'would remove nothing of all.yaml while *'
}

@test "--prune goes on with other lists, and with this one when nothing is missing" {
    write_list two "$PWD/assets" <<<'- {name: old, model: models/die.md2, cell: 16}'
    write_list one "$PWD/assets" <<<'- {name: old, model: models/die.md2, cell: 16}'
    render -q one.yaml two.yaml
    write_list two "$PWD/assets" <<<'- {name: new, model: models/die.md2, cell: 16}'
    write_list one "$PWD/assets" <<<'- {name: new, model: models/gone.md2, cell: 16}'
    exits 3 render -q --prune one.yaml two.yaml
    [ "$(files out)" = 'one/old.json one/old.png one/old.sheetbake two/new.json two/new.png two/new.sheetbake' ]
    cp assets/models/die.md2 assets/models/gone.md2
    exits 0 render -q --prune one.yaml two.yaml
    [ "$(files out)" = 'one/new.json one/new.png one/new.sheetbake two/new.json two/new.png two/new.sheetbake' ]
}

@test "a dry run and verify tell it, and all else as usual" {
    write_all
    render -q --only good all.yaml
    lose_all
    exits 3 render --dry-run all.yaml
    says 'last: new'
    says "model: would fail: all.yaml:7:24: no file 'models/gone.md2' in the assets"
    says 'at least 1 sheet would be made, 1 up to date, 8 jobs would fail'
    says "odd/{path}: would fail: all.yaml:14:22: no file in the assets matches 'odd/[*].md2'; 'odd' has no files"
    exits 3 render --dry-run --json --only model all.yaml
    [ "$(jq -r '.sheets[].reasons[].kind' <<<"$output")" = missing ]
    exits 3 render --dry-run --force --only model all.yaml
    says "model: would fail: all.yaml:7:24: no file 'models/gone.md2' in the assets"
    exits 3 render --dry-run --force --json --only model all.yaml
    [ "$(jq -r '.sheets[].reasons[].kind' <<<"$output")" = missing ]
    exits 3 verify all.yaml
    says 'out/all/model: missing: no page of this job is there'
    says "out/all/odd/{path}: missing: all.yaml:14:22: no file in the assets matches 'odd/[*].md2'; 'odd' has no files"
}

@test "--fail-fast stops before anything is drawn" {
    write_all
    lose_all
    exits 3 render --fail-fast all.yaml
    says 'stopped at the first failure: 0 of 10 sheets in *, 8 failed -> *'
    [ -z "$(files out/all)" ]
}

@test "--only asks for those jobs alone, and for patterns by the names of their jobs" {
    write_all
    lose_all
    exits 0 render --only good all.yaml
    exits 3 render --only 'odd/*' all.yaml
    says 'error: odd/{path}: *'
}

@test "a shard tells what is missing where it may have a page of it" {
    write_list shards "$PWD/assets" <<-END
	defaults: {cell: 16}
	jobs:
	- {name: still, model: models/none.md2, animations: []}
	- {name: open, model: models/none.md2}
	- {name: pattern, model: none/*.md2, animations: []}
	END
    local number
    for number in 1 2 3; do
        exits 3 render --shard $number/3 shards.yaml
        says "error: still: *"
        says "error: open: *"
        says "error: pattern/{path}: *"
    done
}

@test "a group is framed without a member that is missing, and anew when it is back" {
    cp assets/models/die.md2 assets/models/gone.md2
    write_list group "$PWD/assets" <<-END
	defaults: {cell: 16, fit: {scope: dice}}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: gone, model: models/gone.md2}
	END
    exits 0 render -q group.yaml
    rm assets/models/gone.md2
    exits 3 render group.yaml
    says '1 of 2 sheets in *'
    cp assets/models/die.md2 assets/models/gone.md2
    exits 0 render --dry-run group.yaml
    says 'die: fit of group *: settings of its jobs changed'
}

@test "check tells what each match of a pattern lacks, and what may be meant" {
    mkdir -p assets/models/{a,b,c,d} assets/textures
    for folder in a b c d; do cp "$DIE"/models/die.md2 assets/models/$folder/orc.md2; done
    touch assets/models/a/war.png assets/models/c/war.png assets/models/b/wra.png assets/textures/blue.png
    write_list some "$PWD/assets" <<-END
	- {name: all, model: "models/*/orc.md2", skin: war.png}
	- {name: one, model: models/a/ork.md2, skin: blue.png}
	END
    exits 2 check some.yaml
    [ "$(grep -c "'war.png'" <<<"$stderr")" = 2 ]
    says "*no file 'war.png' in the assets, nor beside 'models/b/orc.md2', did you mean 'models/b/wra.png'[?]"
    says "*no file 'war.png' in the assets, nor beside 'models/d/orc.md2', did you mean 'models/a/war.png'[?]"
    says "*no file 'models/a/ork.md2' in the assets, did you mean 'models/a/orc.md2'[?]"
    says "*no file 'blue.png' in the assets, nor beside 'models/a/ork.md2', did you mean 'textures/blue.png'[?]"
}

@test "a missing file gets the one that may be meant, in the assets and outside" {
    mkdir -p game/models/orc
    cp "$DIE"/models/die.md2 game/models/orc/orc.md2
    touch game/models/orc/skin.png game/models/orc/orc.txt game/models/orc/robot.{fbx,gltf,iqm}
    write_list suffix game <<-END
	- {name: model, model: models/orc/orc.md5mesh}
	- {name: skin, model: models/orc/orc.md2, skin: skin.tga}
	- {name: other, model: models/orc/skin.md2}
	- {name: robot, model: models/orc/robot.glb}
	END
    check suffix.yaml
    says "*no file 'models/orc/orc.md5mesh' in the assets, did you mean 'models/orc/orc.md2'[?]"
    says "*no file 'skin.tga' in the assets, nor beside *, did you mean 'models/orc/skin.png'[?]"
    says "*no file 'models/orc/skin.md2' in the assets"
    says "*no file 'models/orc/robot.glb' in the assets, did you mean 'models/orc/robot.gltf'[?]"

    write_list root gmae <<<'- {name: model, model: models/orc/orc.md2}'
    check root.yaml
    says "*assets 'gmae': No such file or directory, did you mean 'game'[?]"
    check rot.yaml
    says "rot.yaml: No such file or directory, did you mean 'root.yaml'[?]"
    check root.yml
    says "root.yml: No such file or directory, did you mean 'root.yaml'[?]"

    local command
    for command in info pose thumb; do
        exits 2 $command game/models/orc/orc.md5mesh
        says "sheetbake: game/models/orc/orc.md5mesh: No such file or directory, did you mean 'game/models/orc/orc.md2'[?]"
        exits 2 $command game/models/orc/robot.GLB
        says "sheetbake: game/models/orc/robot.GLB: No such file or directory, did you mean 'game/models/orc/robot.gltf'[?]"
        exits 2 $command --assets game models/orc/ocr.md2
        says "sheetbake: models/orc/ocr.md2: no such file in the assets, did you mean 'models/orc/orc.md2'[?]"
    done
}

@test "one wrong skin of a pattern of many models is not a wall of problems" {
    mkdir -p assets/many
    for i in {1..9}; do cp assets/models/die.md2 assets/many/$i.md2; done
    write_list many "$PWD/assets" <<<'- {name: "{stem}", model: "many/*.md2", skin: nosuch.png}'
    exits 2 check many.yaml
    [ "$(grep -c "no file 'nosuch.png'" <<<"$stderr")" = 4 ]
    says 'many.yaml:5:*: and 5 more problems here'
}

@test "where a file is missing beside archives that are not opened, the message says so" {
    mkdir game
    (cd assets && zip -qr ../game/pak0.pk3 models)
    write_list packed game <<<'- {name: die, model: models/die.md2}'
    exits 2 check packed.yaml
    says "packed.yaml:*: no file 'models/die.md2' in the assets; archives in them, such as 'pak0.pk3', are opened where they are named as assets"
    exits 2 info --assets game models/die.md2
    says "sheetbake: models/die.md2: no such file in the assets; archives in them, such as 'pak0.pk3', are opened where they are named as assets"
    exits 0 info --assets game/pak0.pk3 models/die.md2
    exits 2 info --assets game --assets game/pak0.pk3 models/none.md5mesh
    never says '*are opened where*'
}
