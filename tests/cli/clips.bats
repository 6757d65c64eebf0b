# Not under the sanitizers: what clips are found; the models are those of formats.

# Clips from animation files: patterns over files, optional clips, and models without animation.
load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/arm game/textures
    cp "$BATS_TEST_DIRNAME"/../fixtures/arm/* game/arm
    cp "$DIE/textures/die.png" game/textures/sleeve.png
    cp "$DIE/textures/die.png" game/textures/skin.png
}

# The animation "bend" for arms that are nearly this one: the elbow has another name; there is a hand; there is no elbow.
add_like() {
    sed 's/elbow/knee/' game/arm/bend.md5anim >game/arm/called.md5anim
    sed -e 's/^numJoints 2/numJoints 3/' -e 's/^\t"elbow" 0.*/&\n\t"hand" 1 0 0/' -e 's/^\t( 0 0 4 ).*/&\n&/' \
        game/arm/bend.md5anim >game/arm/more.md5anim
    sed -e 's/^numJoints 2/numJoints 1/' -e '/"elbow"/d' -e '/^\t( 0 0 4 )/d' -e 's/^numAnimatedComponents 3/numAnimatedComponents 0/' \
        -e 's/^\t0 .*//' game/arm/bend.md5anim >game/arm/fewer.md5anim
}

# And for others: an elbow that hangs on nothing; three joints of other names; one more is called as the model that it is for.
add_others() {
    sed 's/"elbow" 0/"elbow" -1/' game/arm/bend.md5anim >game/arm/loose.md5anim
    add_like
    sed -e 's/shoulder/root/' -e 's/elbow/tail/' game/arm/more.md5anim >game/arm/tail.md5anim
    mv game/arm/more.md5anim game/arm/hand.md5anim
    cp game/arm/arm.md5mesh game/arm/hand.md5mesh
    rm game/arm/{called,fewer}.md5anim
}

arm_list() { # entries of `animations`, further keys
    write_list it "$PWD/game" <<<"- {name: arm, model: arm/arm.md5mesh, cell: 16, cameras: front, animations: [$1]${2-}}"
}

# Clips of a sheet, in order.
clips() { # json
    jq -r '[.meta.frameTags[].name | rtrimstr("/front")] | join(" ")' "$1"
}

@test "a pattern takes each file beside the model as a clip, called after its file" {
    arm_list '{file: "*.md5anim", sampling: {count: 3}}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "bend swing" ]
    cp out/it/arm.png patterned.png
    arm_list '{file: bend.md5anim, sampling: {count: 3}}, {file: swing.md5anim, sampling: {count: 3}}'
    exits 0 render it.yaml
    cmp out/it/arm.png patterned.png
}

@test "a clip called as one that dies plays once, whoever named it, unless the job says otherwise" {
    loops() { jq -r '.meta.sheetbake.animations | to_entries | map("\(.key | rtrimstr("/front")):\(.value.loop)") | join(" ")' out/it/arm.json; }
    cp game/arm/bend.md5anim game/arm/enemy_die.md5anim
    cp game/arm/bend.md5anim game/arm/soldier.md5anim
    arm_list '{file: bend.md5anim}, {file: enemy_die.md5anim}, {file: soldier.md5anim}, {name: Death01, file: bend.md5anim}'
    exits 0 render it.yaml
    [ "$(loops)" = "Death01:false bend:true enemy_die:false soldier:true" ]
    arm_list '{name: bend, file: enemy_die.md5anim}, {name: dying, file: bend.md5anim, loop: true}'
    exits 0 render it.yaml
    [ "$(loops)" = "bend:true dying:true" ]
    write_list it "$DIE" <<<"- {name: arm, model: models/die.md2, cell: 16, cameras: front, animations: [{name: death, frames: 0-1}]}"
    exits 0 render it.yaml
    [ "$(loops)" = "death:false" ]
}

@test "a pattern over paths in the assets goes before one beside the model" {
    mkdir game/moves
    cp game/arm/bend.md5anim game/moves/nod.md5anim
    arm_list '{file: "moves/n*.md5anim"}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = nod ]
}

@test "a pattern leaves out the clips of entries before it, and a file of this very name is meant" {
    cp game/arm/bend.md5anim 'game/arm/[b]end.md5anim'
    arm_list '{name: Bend, file: swing.md5anim, loop: false}, {file: "?????.md5anim"}, {file: "[b]end.md5anim"}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "Bend swing [b]end" ]
    arm_list '{name: swing, file: bend.md5anim}, {file: "*.md5anim"}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "swing b_end bend" ]
}

@test "clips for other joints are passed over, and named with the joint" {
    add_others
    arm_list '{file: "*.md5anim"}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "bend swing" ]
    says "*arm/loose.md5anim: *joint 'elbow' has parent '-1' in the animation and 'shoulder' in the mesh; \`joints\` can map it"
    says "*arm/tail.md5anim: *0 of 3 joints match; joints that are not in the model: root, tail, hand; *: shoulder, elbow; *\`joints\` can map them"
    says "*arm/hand.md5anim: it is for arm/hand.md5mesh: joints that are not in the model: hand; *"
}

@test "what a clip of an attachment does not match is told, and passes no --strict" {
    add_like
    arm_list "{file: bend.md5anim}" ", attach: {model: arm/arm.md5mesh, at: shoulder, offset: [0, 9, 0], animation: {file: called.md5anim}}"
    exits 0 render it.yaml
    says "warning: arm: it.yaml:*: attachment 'arm': arm/called.md5anim: joints by number, as their names differ: 'knee' moves 'elbow'; *"
    exits 3 render --strict --force it.yaml
}

@test "what is attached plays a clip once that is no loop" {
    cp game/arm/bend.md5anim game/arm/death.md5anim
    # The job's clip takes twice as long.
    sed 's/^frameRate 2/frameRate 0.25/' game/arm/bend.md5anim >game/arm/slow.md5anim
    for clip in bend death; do
        arm_list '{file: slow.md5anim, sampling: {times: [0, 0.5, 3, 3.5]}}' \
            ", attach: {model: arm/arm.md5mesh, at: shoulder, offset: [0, 9, 0], animation: {file: $clip.md5anim}}"
        exits 0 render it.yaml
        convert out/it/arm.png -crop 16x16 +repage -crop 8x16+8+0 +repage $clip-%d.png
    done
    ! cmp -s bend-1.png bend-2.png
    [ "$(compare -metric AE death-1.png death-2.png null: 2>&1)" = 0 ]
}

points() { "$SHEETBAKE" pose "$@" | grep '^v '; } # model, options

@test "an md5anim of nearly the same joints moves those of the same names, and says what it does not match" {
    add_like
    for file in called more; do
        diff <(points game/arm/arm.md5mesh --animation game/arm/bend.md5anim --time 0.5) \
            <(points game/arm/arm.md5mesh --animation game/arm/$file.md5anim --time 0.5)
    done
    # The elbow stays as it is bound: straight.
    diff <(points game/arm/arm.md5mesh) <(points game/arm/arm.md5mesh --animation game/arm/fewer.md5anim --time 0.5)
    arm_list '{file: called.md5anim}, {file: more.md5anim}, {file: fewer.md5anim}, {file: bend.md5anim}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "called more fewer bend" ]
    [ "$(grep -c warning: <<<"$stderr")" = 3 ]
    says "*arm/called.md5anim: joints by number, as their names differ: 'knee' moves 'elbow'; \`joints\` can map them"
    says "*arm/more.md5anim: joints that are not in the model: hand; \`joints\` can map them"
    says "*arm/fewer.md5anim: joints that are not in the animation and stay as they are bound: elbow; \`joints\` can map them*"
    # What the job says of them counts, and not the number.
    arm_list '{file: called.md5anim}' ', joints: {knee: elbow}'
    exits 0 render it.yaml
    never says '*warning*'
}

@test "joints of an md5mesh and an md5anim may stand in any order" {
    sed -E -e '/^\t"shoulder"/d' -e 's/^\t"elbow" 0(.*)/\t"elbow" 1\1\n\t"shoulder" -1 ( 0 0 0 ) ( 0 0 0 )/' \
        -e 's/^\tweight ([0-9]+) 0 /\tweight \1 x /; s/^\tweight ([0-9]+) 1 /\tweight \1 0 /; s/ x / 1 /' game/arm/arm.md5mesh >game/arm/turned.md5mesh
    sed -E -e '/^\t"shoulder"/d' -e 's/^\t"elbow" 0(.*)/\t"elbow" 1\1\n\t"shoulder" -1 0 0/' \
        -e '/^\t\( 0 0 0 \)/d' -e 's/^\t\( 0 0 4 \).*/&\n\t( 0 0 0 ) ( 0 0 0 )/' game/arm/bend.md5anim >game/arm/turned.md5anim
    for mesh in arm turned; do
        for anim in bend turned; do
            diff <(points game/arm/arm.md5mesh --animation game/arm/bend.md5anim --time 0.5) \
                <(points game/arm/$mesh.md5mesh --animation game/arm/$anim.md5anim --time 0.5)
        done
    done
    sed -i 's/"shoulder" -1/"shoulder" 0/' game/arm/turned.md5mesh
    exits 2 info game/arm/turned.md5mesh
    says "*7: joint 0, 'elbow', is below itself"
}

@test "init lists the clips of nearly the same joints, and not those that are for another model" {
    add_others
    sed 's/elbow/knee/' game/arm/bend.md5anim >game/arm/called.md5anim
    exits 0 init game
    says '*left out: arm/loose.md5anim, arm/tail.md5anim (2): clips that no model here can play; *'
    diff <(grep -E 'model:|file:' sheetbake.yaml) - <<-END
	    model: arm/arm.md5mesh
	      - {file: arm/bend.md5anim, name: bend}
	      - {file: arm/called.md5anim, name: called}
	      - {file: arm/swing.md5anim, name: swing}
	    model: arm/hand.md5mesh
	      - {file: arm/bend.md5anim, name: bend}
	      - {file: arm/called.md5anim, name: called}
	      - {file: arm/hand.md5anim, name: hand}
	      - {file: arm/swing.md5anim, name: swing}
	END
}

@test "a pattern of which nothing fits, or that nothing matches, fails its job" {
    add_others
    rm game/arm/{bend,swing}.md5anim
    arm_list '{file: "*.md5anim"}'
    exits 3 render it.yaml
    says "*it.yaml:5:*: none of the files that match '\*.md5anim' fits arm/arm.md5mesh; the first: *hand.md5mesh*"
    rm game/arm/{*.md5anim,hand.md5mesh}
    exits 3 render it.yaml
    says "*it.yaml:5:*: no file in the assets matches '\*.md5anim', nor beside 'arm/arm.md5mesh'; 'arm' has 1 .md5mesh files"
    exits 2 check it.yaml
    says "it.yaml:5:*: no file in the assets matches '\*.md5anim', nor beside 'arm/arm.md5mesh'; 'arm' has 1 .md5mesh files"
}

@test "a damaged file that a pattern matches fails the job: a clip must not get lost in silence" {
    head -c 250 game/arm/bend.md5anim >game/arm/cut.md5anim
    arm_list '{file: "*.md5anim"}'
    exits 3 render it.yaml
    says '*arm/cut.md5anim: *'
}

@test "a file more that matches makes the sheet stale, and one that does not match leaves it" {
    arm_list '{file: "*.md5anim"}'
    exits 0 render it.yaml
    cp game/arm/bend.md5anim game/arm/bend.txt
    render it.yaml
    says '*1 sheet up to date*'
    cp game/arm/bend.md5anim game/arm/nod.md5anim
    run --separate-stderr "$SHEETBAKE" render --dry-run -v it.yaml
    says '*nod.md5anim*'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "bend nod swing" ]
    rm game/arm/swing.md5anim
    render it.yaml
    [ "$(clips out/it/arm.json)" = "bend nod" ]
}

@test "an optional clip that is missing costs the clip, and a warning" {
    arm_list 'nod, {file: bend.md5anim}'
    exits 3 render it.yaml
    arm_list '{name: nod, optional: true}, {file: bend.md5anim}, {file: gone.md5anim, optional: true}, {file: "x*", optional: true}'
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = bend ]
    says "*it.yaml:5:*: passed over: *no animation 'nod'*"
    says "*passed over: no file 'gone.md5anim' in the assets, nor beside 'arm/arm.md5mesh'"
    says "*passed over: no file in the assets matches 'x\*', nor beside 'arm/arm.md5mesh'"
    exits 0 check it.yaml
    cp game/arm/bend.md5anim game/arm/gone.md5anim
    exits 0 render it.yaml
    [ "$(clips out/it/arm.json)" = "bend gone" ]
    never says "*'gone.md5anim'*"
}

@test "optional keyframes past the end, and no clip at all" {
    write_list it "$DIE" <<-END
	- {name: die, model: models/die.md2, cell: 16, cameras: front, animations: [{name: long, frames: 0-99, optional: true}, hop]}
	- {name: still, model: models/die.md2, cell: 16, cameras: front, animations: [{name: none, optional: true}]}
	END
    exits 0 render it.yaml
    [ "$(clips out/it/die.json)" = hop ]
    says '*passed over: frames 0-99 of models/die.md2: *'
    [ "$(clips out/it/still.json)" = bind ]
    says "*passed over: *no animation 'none' (it has *"
}

@test "a broken optional clip is still an error" {
    head -c 250 game/arm/bend.md5anim >game/arm/cut.md5anim
    arm_list '{file: cut.md5anim, optional: true}'
    exits 3 render it.yaml
}

@test "without animations an MD5 is in its bind pose, and a warning names what lies beside it" {
    write_list it "$PWD/game" <<<'- {name: arm, model: arm/arm.md5mesh, cell: 16}'
    exits 0 render it.yaml
    says "*arm/arm.md5mesh: drawn in its bind pose, *; next to it: arm/bend.md5anim, arm/swing.md5anim; \`animations: {file: \"\*.md5anim\"}\` takes all, *"
    rm game/arm/*.md5anim
    render it.yaml
    says "*arm/arm.md5mesh: drawn in its bind pose, *; next to it: none; *, \`animations: \[\]\` says that this is meant"
    write_list it "$PWD/game" <<<'- {name: arm, model: arm/arm.md5mesh, cell: 16, animations: []}'
    exits 0 render --force it.yaml
    never says '*bind pose*'
}

@test "a clip of an MD5 that is a file beside it is suggested" {
    arm_list bent
    check it.yaml
    says "*it.yaml:5:*: arm/arm.md5mesh: no animation 'bent', did you mean 'bend.md5anim'? (it has bend.md5anim, swing.md5anim); name a file as \`{file: NAME.md5anim}\`; \`optional: true\` does without it"
}

@test "'all' is the name of a clip like others, and whoever wants all is told how" {
    write_list it <<<"- {name: die, model: models/die.md2, cell: 16, animations: all}"
    exits 3 check it.yaml
    says "*no animation 'all' (it has stand, hop); \`\"\*\"\` means all"
    write_list it <<<"- {name: die, model: models/die.md2, cell: 16, animations: '*'}"
    exits 0 check it.yaml
}

@test "what there is instead of a missing clip is not said again for each job, but for CI systems and in the log" {
    write_list it <<-END
	defaults: {animations: [walk], cell: 16}
	jobs:
	- {name: a, model: models/die.md2}
	- {name: b, model: models/die.md2, skin: 0}
	- {name: c, model: models/die.md5mesh}
	- {name: d, model: models/die.md2}
	END
    local long="models/die.md2: no animation 'walk' (it has stand, hop); \`optional: true\` does without it"
    lines() { # what begins them
        sed -n "s/^$1\([a-d]: \)it.yaml:4:25: /\1/p" <<<"$stderr"$'\n'"$output" | grep -v "^c: .*, and none beside it"
    }
    expected="a: $long"$'\n'"b: models/die.md2: no animation 'walk'"$'\n'"d: $long"
    exits 3 check it.yaml
    [ "$(lines '  FAILED ')" = "$expected" ]
    exits 3 render -j 1 --log log it.yaml
    [ "$(lines 'error: ')" = "$expected" ]
    [ "$(jq -r '.reason // empty' log | grep -cF "$long")" = 3 ]
    exits 3 check --ci github it.yaml
    [ "$(grep -cF "$long" <<<"$output")" = 3 ]
    # The summary of a long run begins anew.
    for i in {1..25}; do echo "- {name: z$i, model: models/die.md2, animations: [stand]}"; done >>it.yaml
    exits 3 render -j 1 it.yaml
    [ "$(lines 'error: ')" = "$expected"$'\n'"$expected" ]
}

@test "a pattern has no name of its own" {
    arm_list '{name: all, file: "*.md5anim"}'
    exits 2 check it.yaml
    says "it.yaml:5:*: no file is called '\*.md5anim'; as a pattern it has no 'name': *"
}
