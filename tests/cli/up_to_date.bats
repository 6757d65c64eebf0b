# Not under the sanitizers: what is made; record reads records, and fuzz_record.
load models
load sheets

# What is up to date stays. A small world has a job for each kind of input. Each test changes an input; then a run makes
# exactly the sheets that depend on it, and leaves what a full run makes of the changed world.

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/world"
    cd "$BATS_FILE_TMPDIR/world"
    make_world
    "$SHEETBAKE" render -q world.yaml
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/world" "$BATS_TEST_TMPDIR/world"
    cd "$BATS_TEST_TMPDIR/world"
    options=()
}

# Two tags at the origin, one above the other, for the six frames of the die.
write_tag() { # file, height by its bits
    local frame
    {
        printf JDP2
        le32 1 1 6 32 96 $((96 + 6 * 48)) $((96 + 6 * 64))
        padded tag_hand 64
        for frame in 1 2 3 4 5 6; do
            le32 $ONE 0 0 0 $ONE 0 0 0 $ONE 0 0 "$2"
        done
    } >"$1"
}

make_world() {
    mkdir -p base/models base/anims base/textures base/materials base/skins base/def mods
    local name
    for name in die runner holder held pages packed extras shot grouped companion; do
        cp "$DIE/models/die.md2" base/models/$name.md2
    done
    cp "$DIE/models/die.md5mesh" base/models/mesh.md5mesh
    cp "$DIE"/anims/*.md5anim base/anims
    cp "$DIE/textures/die.png" base/textures
    for name in red plain; do
        cp "$DIE/textures/die.png" base/textures/$name.png
    done
    for name in robot plain; do
        sed "s#textures/die#textures/$name#" base/models/mesh.md5mesh >base/models/$name.md5mesh
    done
    cp base/models/robot.md5mesh base/models/partner.md5mesh
    cp base/models/mesh.md5mesh base/models/droid.md5mesh
    echo "walk 0 2 10 run 2 4 10" >base/models/runner.anm
    write_tag base/models/holder.tag $ZERO
    echo "textures/robot { diffusemap textures/red.png }" >base/materials/robot.mtr
    echo "textures/nobody { diffusemap textures/red.png }" >base/materials/unused.mtr
    echo "skin red { textures/robot textures/red }" >base/skins/robot.skin
    echo "model droid { mesh models/droid.md5mesh anim hop anims/hop.md5anim }" >base/def/droid.def
    echo "cameras: {own: {yaw: 20}}" | write_included cameras.yaml
    cat >world.yaml <<-END
	version: 1
	assets: [mods, base]
	output: out
	include: cameras.yaml
	defaults: {cell: 16, supersample: 1, cameras: [front], animations: []}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: runner, model: models/runner.md2, animations: [walk], sampling: {count: 2}}
	- {name: holder, model: models/holder.md2, attach: {name: held, model: models/held.md2, at: tag_hand, scale: 0.5}}
	- {name: mesh, model: models/mesh.md5mesh, animations: [{file: anims/hop.md5anim, sampling: {count: 2}}]}
	- {name: robot, model: models/robot.md5mesh}
	- {name: skinned, model: models/partner.md5mesh, skin: 'skins/robot.skin#red'}
	- {name: droid, model: 'def:droid', animations: [hop], sampling: {count: 2}}
	- {name: plain, model: models/plain.md5mesh}
	- {name: companion, model: models/companion.md2, skin: textures/plain.png}
	- {name: pair/a, model: models/grouped.md2, fit: {scope: pair}}
	- {name: pair/b, model: models/grouped.md2, fit: {scope: pair}, cell: 24}
	- {name: pages, model: models/pages.md2, animations: [stand], sampling: {count: 3}, sheet: {max_size: 20}}
	- {name: packed, model: models/packed.md2, cameras: [front, left, top], sheet: {layout: packed, max_size: 20}}
	- {name: extras, model: models/extras.md2, passes: [normal, mask], metadata: [aseprite, godot]}
	- {name: shot, model: models/shot.md2, cameras: [own]}
	END
}

write_included() { # file; the rest of it is standard input
    { echo "version: 1" && cat; } >"$1"
}

# Moves the first vertex of an MD2 in each of its frames.
nudge() { # file
    local frames size
    frames=$(od -An -tu4 -j56 -N4 "$1") size=$(od -An -tu4 -j16 -N4 "$1")
    local frame
    for frame in 0 1 2 3 4 5; do
        printf '\100' | dd of="$1" bs=1 seek=$((frames + frame * size + 40)) conv=notrunc status=none
    done
}

comment() { # files
    local file
    for file; do
        printf '\n// changed\n' >>"$file"
    done
}

# Fails unless the next run makes these sheets and no others, and leaves what a full run makes.
remakes() { # sheets without suffix...
    printf '%s\n' "$@" | sed '/^$/d' | LC_ALL=C sort >expected
    "$SHEETBAKE" render --dry-run -q "${options[@]}" world.yaml >announced
    "$SHEETBAKE" render -q --log - "${options[@]}" world.yaml >log
    jq -r 'select(.status == "made") | .sheet | rtrimstr(".png")' log | LC_ALL=C sort >made
    diff expected made
    if [ -s expected ] && ! [ -s announced ] || [ -s announced ] && ! [ -s expected ]; then
        echo "$(wc -l <expected) were made, announced were:" && cat announced
        return 1
    fi
    rm -rf full
    "$SHEETBAKE" render -q -j1 -o full "${options[@]}" world.yaml
    diff -r -x .sheetbake.lock out full
}

remakes_nothing() {
    remakes ''
}

# -- Nothing to do --

# bats test_tags=quick
@test "a second run makes nothing, says so, and loads no renderer" {
    remakes_nothing
    exits 0 render world.yaml
    says "nothing to do: * sheets up to date*"
    opens_no_renderer render world.yaml
}

@test "times of files do not matter" {
    find base world.yaml cameras.yaml -exec touch -d '+1 hour' {} +
    remakes_nothing
}

@test "a copy of the output folder elsewhere is up to date, too" {
    mv out elsewhere
    exits 0 render --dry-run -o elsewhere world.yaml
    [ -z "$output" ]
}

# -- Each kind of input --

# bats test_tags=quick
@test "a changed model remakes its sheets" {
    nudge base/models/die.md2
    remakes die
}

@test "a changed animation file remakes what uses it" {
    comment base/anims/hop.md5anim
    remakes mesh droid
}

@test "an .anm is changed, removed and added" {
    echo "walk 1 2 10" >base/models/runner.anm
    remakes runner
    echo "run 0 1 10" >base/models/die.anm
    remakes die
    rm base/models/die.anm
    remakes die
}

@test "an .mdx is added, changed and removed" {
    echo broken >base/models/die.mdx
    remakes die
    echo broken too >base/models/die.mdx
    remakes die
    rm base/models/die.mdx
    remakes die
}

@test "a .tag is changed" {
    write_tag base/models/holder.tag $ONE
    remakes holder
}

@test "an attachment's model is changed" {
    nudge base/models/held.md2
    remakes holder
}

@test "a skin is changed" {
    convert base/textures/plain.png -negate base/textures/plain.png
    remakes plain companion
}

@test "a skin that was used is removed" {
    rm base/textures/red.png
    run --separate-stderr "$SHEETBAKE" render --dry-run world.yaml
    says "robot: input textures/red.png is gone*"
    remakes robot skinned
}

@test "a skin earlier in the search order is added and removed" {
    convert base/textures/plain.png -negate base/textures/plain.tga
    remakes plain
    rm base/textures/plain.tga
    remakes plain
}

@test "a skin in an earlier root is added and removed" {
    mkdir mods/textures
    convert base/textures/plain.png -negate mods/textures/plain.png
    remakes plain companion
    rm mods/textures/plain.png
    remakes plain companion
}

@test "a file of the very spelling goes before one of another case" {
    sed -i 's#textures/plain#textures/Plain#' base/models/plain.md5mesh
    remakes plain
    convert base/textures/plain.png -negate base/textures/Plain.png
    remakes plain
    rm base/textures/Plain.png
    remakes plain
}

@test "a skin whose name is not UTF-8, or looks like a pattern, is one like others" {
    local name
    for name in $'pl\xe4in' 'plain[n]'; do
        cp base/models/mesh.md5mesh base/models/plain.md5mesh
        sed -i "s#textures/die#textures/$name#" base/models/plain.md5mesh
        remakes plain
        remakes_nothing
        cp base/textures/plain.png "base/textures/$name.png"
        remakes plain
        remakes_nothing
        rm "base/textures/$name.png"
        remakes plain
    done
}

@test "a normal map and a specular map beside a skin are added, changed and removed" {
    convert -size 8x8 'xc:#8080ff' base/textures/plain_local.png
    remakes plain
    convert -size 8x8 'xc:#9080ff' base/textures/plain_local.png
    remakes plain
    convert -size 8x8 'xc:#808080' base/textures/plain_s.png
    remakes plain
    rm base/textures/plain_local.png base/textures/plain_s.png
    remakes plain
}

@test "a material file remakes what uses a material of it" {
    comment base/materials/robot.mtr
    remakes robot
    comment base/materials/unused.mtr
    remakes_nothing
}

@test "a material file that declares what was looked for in vain" {
    echo "textures/plain { diffusemap textures/red.png }" >base/materials/plain.mtr
    remakes plain
    rm base/materials/plain.mtr
    remakes plain
}

@test "a material file that declares again what another has" {
    echo "textures/robot { diffusemap textures/plain.png }" >base/materials/a.mtr
    remakes robot
    rm base/materials/a.mtr
    remakes robot
    echo "textures/robot { diffusemap textures/plain.png }" >base/materials/z.mtr
    remakes robot # its warning says where
    rm base/materials/z.mtr
    remakes robot
}

@test "an unused material file is added and removed" {
    echo "textures/more { diffusemap textures/plain.png }" >base/materials/more.mtr
    remakes_nothing
    rm base/materials/more.mtr base/materials/unused.mtr
    remakes_nothing
}

@test "a Doom 3 skin file is changed" {
    comment base/skins/robot.skin
    remakes skinned
}

@test "of the skins of a Quake III model those that a job wears are its inputs" {
    local bolt=base/models/players/bolt name file
    mkdir -p base/models/players
    cp -r "$BATS_TEST_DIRNAME/../../jobs/assets/models/players/bolt" base/models/players
    for file in lower upper head; do
        cp $bolt/${file}_rust.skin $bolt/${file}_blue.skin
    done
    mkdir base/models/box
    cp $bolt/head.md3 base/models/box/box.md3
    for name in a b; do
        cp $bolt/head_default.skin base/models/box/box_$name.skin
    done
    echo "nothing,of.it" >base/models/box/box_0.skin
    cat >>world.yaml <<-END
	- {name: bolt, model: models/players/bolt}
	- {name: rust, model: models/players/bolt, skin: rust}
	- {name: legs, model: models/players/bolt/lower.md3, skin: 1}
	- {name: skins, model: models/players/bolt/head.md3, skins: all}
	- {name: painted, model: models/players/bolt/head.md3, skin: {h_head: textures/plain.png}}
	- {name: carrier, model: models/die.md2, attach: {model: models/players/bolt/head.md3, name: head}}
	- {name: box, model: models/box/box.md3}
	- {name: box_b, model: models/box/box.md3, skin: b}
	END
    remakes bolt rust legs skins painted carrier box box_b
    echo >>$bolt/upper_rust.skin
    remakes rust
    echo >>$bolt/upper_default.skin
    remakes bolt
    echo >>$bolt/lower_blue.skin
    remakes legs
    echo >>$bolt/head_blue.skin
    remakes skins painted
    echo >>$bolt/head_default.skin
    remakes bolt carrier skins painted
    rm $bolt/head_rust.skin # now rust wears the default one there; and another list of skins is a change for all
    remakes bolt rust carrier skins painted
    echo >>$bolt/head_default.skin
    remakes bolt rust carrier skins painted
    echo "h_head,models/players/bolt/rust.png" >$bolt/head_rust.skin
    remakes bolt rust carrier skins painted
    echo >>base/models/box/box_b.skin
    remakes box_b
    echo >>base/models/box/box_a.skin
    remakes box
    cp base/models/box/box_a.skin base/models/box/box_0.skin # and now it is the first
    remakes box
}

@test "a model declaration is changed, and another declares it again" {
    comment base/def/droid.def
    remakes_nothing
    sed -i 's/^model droid { /&offset ( 0 0 1 ) /' base/def/droid.def
    remakes droid
    cp base/def/droid.def base/def/a.def
    remakes droid
}

# -- The list --

@test "a job is added" {
    echo "- {name: more, model: models/die.md2, cameras: [left]}" >>world.yaml
    remakes more
}

@test "a job is removed: its sheets stay" {
    sed -i '/name: die/d' world.yaml
    "$SHEETBAKE" render -q --log - world.yaml >log
    [ "$(jq -r 'select(.status == "made") | .sheet' log)" = '' ]
    [ -f out/die.png ]
}

# bats test_tags=quick
@test "a setting of a job is changed" {
    sed -i '/name: die/s/die.md2/die.md2, cell: 20/' world.yaml
    remakes die
}

@test "a comment in the list, and the order of jobs, do not matter" {
    sed -i '/name: die/{h;d};$G' world.yaml
    sed -i '/name: pair.a/{h;d};/name: pair.b/G' world.yaml
    echo "# changed" >>world.yaml
    remakes_nothing
}

@test "defaults are changed: jobs that give the key themselves stay" {
    sed -i 's/defaults: {cell: 16/defaults: {cell: 18/' world.yaml
    remakes die runner holder mesh robot skinned droid plain companion pair/a pair/b pages pages@1 pages@2 \
        packed packed@1 packed@2 extras shot
}

@test "a camera of an included list is changed" {
    echo "cameras: {own: {yaw: 21}}" | write_included cameras.yaml
    remakes shot
}

@test "an included list gives a default" {
    write_included cameras.yaml <<-END
	cameras: {own: {yaw: 20}}
	defaults: {outline: {width: 1}}
	END
    remakes die runner holder mesh robot skinned droid plain companion pair/a pair/b pages pages@1 pages@2 \
        packed packed@1 packed@2 extras shot
}

@test "the config is changed" {
    printf 'version: 1\ndefaults: {light: flat}\n' >config.yaml
    exits 0 render --dry-run --config config.yaml world.yaml
    says "die: light: flat, was not set (config.yaml:2)*"
    options=(--config config.yaml)
    remakes die runner holder mesh robot skinned droid plain companion pair/a pair/b pages pages@1 pages@2 \
        packed packed@1 packed@2 extras shot
    remakes_nothing
}

@test "a job of a group is changed: all of the group are made" {
    sed -i '/name: pair.b/s/grouped.md2/grouped.md2, animations: [stand]/' world.yaml
    remakes pair/a pair/b
}

@test "a job joins a group, and leaves it" {
    sed -i '/name: die/s/die.md2/die.md2, fit: {scope: pair}/' world.yaml
    remakes die pair/a pair/b
    sed -i '/name: die/s/, fit: .*/}/' world.yaml
    remakes die pair/a pair/b
}

@test "a model of a group is changed: all of the group are made" {
    nudge base/models/grouped.md2
    remakes pair/a pair/b
}

# -- What was made --

# bats test_tags=quick
@test "a missing page of several is made alone" {
    rm out/pages@1.png
    remakes pages@1
    rm out/pages@2.json
    remakes pages@2
    rm out/pages@2.sheetbake
    remakes pages@2
    rm out/pages.png out/pages.sheetbake
    remakes pages
}

@test "a page with a picture of another size is made alone" {
    echo >>out/pages@1.png
    remakes pages@1
}

@test "a changed model remakes all pages" {
    nudge base/models/pages.md2
    remakes pages pages@1 pages@2
}

@test "a packed sheet is made as a whole" {
    [ -f out/packed@1.png ]
    rm out/packed@1.png
    remakes packed packed@1 packed@2
    rm out/packed@2.json
    remakes packed packed@1 packed@2
    rm out/packed@2.sheetbake
    remakes packed packed@1 packed@2
    nudge base/models/packed.md2
    remakes packed packed@1 packed@2
}

@test "missing passes and metadata are made" {
    rm out/extras.normal.png
    remakes extras
    rm out/extras.aseprite.json
    remakes extras
    rm out/extras.tres
    remakes extras
}

@test "a record that somebody edited, or cut, is made anew" {
    sed -i 's/"pages": 1/"pages": 3/' out/die.sheetbake
    run "$SHEETBAKE" render --dry-run -v world.yaml
    says 'die: die.sheetbake: it is cut off, or was changed since it was written'
    remakes die
    head -c 300 out/die.sheetbake >cut && mv cut out/die.sheetbake
    remakes die
    : >out/die.sheetbake
    remakes die
}

@test "a JSON that somebody edited or minified is made anew" {
    sed -i '0,/"x": 0/s//"x": 1/' out/die.json
    run "$SHEETBAKE" render --dry-run -v world.yaml
    says 'die.png: die.json was changed since it was made'
    remakes die
    jq -c . out/die.json >small && mv small out/die.json
    run "$SHEETBAKE" render --dry-run -v world.yaml
    says 'die.png: die.json has * bytes, had * when it was made'
    remakes die
    sed -i '0,/"x": 0/s//"x": 1/' out/extras.aseprite.json
    remakes extras
}

@test "a folder of a version that kept the record in the JSON is made anew, once" {
    rm out/*.sheetbake out/*/*.sheetbake
    "$SHEETBAKE" render -q --log - world.yaml >log
    [ "$(jq -s '[.[] | select(.status == "up-to-date")] | length' log)" = 0 ]
    remakes_nothing
    "$SHEETBAKE" verify out
}

@test "a named pipe in place of a record does not block" {
    rm out/die.sheetbake
    mkfifo out/die.sheetbake
    run timeout 120 "$SHEETBAKE" render --dry-run -v world.yaml
    says 'die: die.sheetbake: *out/die.sheetbake: not a regular file'
    remakes die
    mkfifo out/other.sheetbake
    run timeout 120 "$SHEETBAKE" render --prune world.yaml
    exited 0
    run timeout 120 "$SHEETBAKE" verify out
    exited 3
    says 'out/other.sheetbake: broken: *'
}

@test "the sheets of another list, and a copy under another name, do not count" {
    mv out/die.sheetbake out/die@old.sheetbake
    "$SHEETBAKE" render -q --log - world.yaml >log
    [ "$(jq -r 'select(.status == "made") | .sheet' log)" = die.png ]
    rm out/die@old.sheetbake
    remakes_nothing
    sed 's/^/ /' world.yaml >other.yaml
    run --separate-stderr "$SHEETBAKE" render --dry-run other.yaml
    says "die: die.sheetbake was made for job 'die' of list 'world'"
}

@test "a job that fails is tried again each time" {
    printf x >base/models/die.md2
    for _ in 1 2; do
        exits 3 render world.yaml
        says "error: die: *"
    done
}

# -- Options --

@test "--force makes everything, and changes nothing" {
    cp -a out before
    "$SHEETBAKE" render -q --force --log - world.yaml >log
    [ "$(jq -s '.[-1].counts.upToDate' log)" = 0 ]
    diff -r out before
}

@test "--only leaves the rest as it is, stale or not" {
    nudge base/models/die.md2
    nudge base/models/shot.md2
    "$SHEETBAKE" render -q --only shot --log - world.yaml >log
    [ "$(jq -r 'select(.status == "made") | .sheet' log)" = shot.png ]
    remakes die
}

# bats test_tags=quick
@test "--dry-run says why, writes nothing, makes no folder and loads no renderer" {
    nudge base/models/die.md2
    sed -i '/name: shot/s/shot.md2/shot.md2, cell: 20/' world.yaml
    rm out/pages@1.png
    find . -printf '%p %i %s %T@\n' | LC_ALL=C sort >before
    exits 0 render --dry-run world.yaml
    find . -printf '%p %i %s %T@\n' | LC_ALL=C sort | grep -v ' ./before ' >"$BATS_TEST_TMPDIR/after"
    diff <(grep -v '^./before\|^\. ' before) <(grep -v '^./before\|^\. ' "$BATS_TEST_TMPDIR/after")
    local place="world.yaml:$(grep -n 'name: shot' world.yaml | cut -d: -f1)"
    [ "$output" = "die: input models/die.md2 changed
pages@1.png: pages@1.png is missing
shot: cell: 16 -> 20 ($place)" ]
    says "at least 3 sheets would be made, * up to date"
    opens_no_renderer render --dry-run world.yaml
    exits 0 render --dry-run -o new/folder world.yaml
    says "die: new"
    [ ! -e new ]
}

@test "the workers make what one would, whatever their number" {
    nudge base/models/pages.md2
    nudge base/models/packed.md2
    "$SHEETBAKE" render -q -j 8 world.yaml
    remakes_nothing
}

@test "what the shards of a run have made leaves nothing to do" {
    rm -rf out
    "$SHEETBAKE" render -q --shard 1/2 world.yaml
    "$SHEETBAKE" render -q --shard 2/2 world.yaml
    remakes_nothing
    nudge base/models/pages.md2
    "$SHEETBAKE" render -q --shard 1/2 world.yaml
    "$SHEETBAKE" render -q --shard 2/2 world.yaml
    remakes_nothing
}

@test "warnings of up-to-date sheets are counted, and -v prints them" {
    rm base/textures/red.png
    render world.yaml
    says "warning: robot: *"
    render world.yaml
    [[ $stderr == "nothing to do: "*", "*" warnings (-v shows all) -> out" ]]
    render -v world.yaml
    says "warning: robot: *"
    [ "$("$SHEETBAKE" render -q --log - world.yaml | jq -r 'select(.job == "robot") | .warnings[0]')" ]
}

@test "--dry-run --json has the pages that would be made" {
    rm out/pages@1.png
    exits 0 render --dry-run --json world.yaml
    says '1 sheet would be made, *'
    [ "$(jq -c '.sheets[] | [.list, .job, .sheet, .page, .pages >= 2, .reasons[].text]' <<<"$output")" = \
        '["world","pages","pages@1.png",1,true,"pages@1.png is missing"]' ]
    "$SHEETBAKE" render -q world.yaml
    [ "$("$SHEETBAKE" render -q --dry-run --json world.yaml | jq -c .)" = '{"sheets":[]}' ]
}

@test "--dry-run -v says everything that changed, and --json too" {
    nudge base/models/die.md2
    convert base/textures/die.png base/textures/die.tga
    rm out/die.png
    sed -i '/name: die/s/die.md2/die.md2, cell: 20/' world.yaml
    exits 0 render --dry-run -v --only die world.yaml
    local place="world.yaml:$(grep -n 'name: die' world.yaml | cut -d: -f1)"
    [ "$output" = "die: cell: 16 -> 20 ($place)
die: input models/die.md2 changed
die: textures/die.tga is there now: it was looked for
die: die.png is missing" ]
    exits 0 render --dry-run --json --only die world.yaml
    [ "$(jq -c '.sheets[] | [.list, .job, .sheet, .page, .pages, (.reasons | map(.kind))]' <<<"$output")" = \
        '["world","die","die",null,null,["setting","input","lookup","file"]]' ]
    [ "$(jq -c '.sheets[0].reasons[0]' <<<"$output")" = \
        "{\"is\":\"20\",\"kind\":\"setting\",\"place\":\"$place\",\"subject\":\"cell\",\"text\":\"cell: 16 -> 20 ($place)\",\"was\":\"16\"}" ]
    exits 2 render --json world.yaml
    says 'sheetbake render: --json needs --dry-run'
    exits 2 render --json --dry-run --prune world.yaml
    says 'sheetbake render: --json and --prune cannot be used together'
}
