# bats file_tags=asan
# A first list of the models in a folder.

load models
load sheets

SPROUT=$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb

setup() {
    work_in_empty_folder
    mkdir -p pack/characters pack/anims
    cp "$DIE/models/die.md5mesh" pack/characters
    cp "$DIE/anims/hop.md5anim" "$DIE/anims/turn.md5anim" pack/anims
    cp "$DIE/textures/die.png" pack/characters
}

# The list from the jobs on.
jobs() { # list
    sed '1,/^jobs:/d' "$1"
}

# bats test_tags=quick
@test "init writes a list that runs, with clips of a folder beside it that have the model's joints" {
    sed 's/"elbow" 0/"elbow" -1/' "$BATS_TEST_DIRNAME/../fixtures/arm/bend.md5anim" >pack/anims/other.md5anim
    exits 0 init pack -o jobs/mine.yaml
    [ "$(jobs jobs/mine.yaml)" = '  - name: die
    model: characters/die.md5mesh
    animations:
      - {file: anims/hop.md5anim, name: hop}
      - {file: anims/turn.md5anim, name: turn}' ]
    [ "$(head -n 1 jobs/mine.yaml)" = '# yaml-language-server: $schema=sheetbake.schema.json' ]
    [ "$(grep -c '^#' jobs/mine.yaml)" = 4 ]
    jq -e .properties.jobs jobs/sheetbake.schema.json >schema
    exits 0 check jobs/mine.yaml
    says '*die: 1 page*; hop *, turn *'
    [ -z "$stderr" ]
}

@test "a list that is there stays as it is, and init prints what is new to it" {
    exits 0 init pack
    cp sheetbake.yaml before.yaml
    exits 0 init pack
    says 'nothing new for sheetbake.yaml'
    cp pack/anims/hop.md5anim pack/anims/stomp.md5anim
    cp "$DIE/models/die.md2" pack/characters/cube.md2
    exits 0 init pack
    [ "$(grep -v '^#' <<<"$output")" = '  - name: cube
    model: characters/cube.md2
    animations:
      - stand
      - hop
  # for jobs of characters/die.md5mesh:
    animations:
      - {file: anims/stomp.md5anim, name: stomp}' ] || { echo "$output"; return 1; }
    cmp sheetbake.yaml before.yaml
    # What is printed can be added.
    grep '      - {' <<<"$output" >>sheetbake.yaml
    sed '1d; /# for/,$d' <<<"$output" >>sheetbake.yaml
    exits 0 init pack
    says 'nothing new for sheetbake.yaml'
    exits 0 check -q sheetbake.yaml
}

@test "of listed files init prints the clips that are new, and not those that an entry means" {
    local pip=$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb
    local bare='del(.meshes, .skins, .materials, .textures, .images, .nodes[].mesh, .nodes[].skin)'
    mkdir -p bots/anims
    edit_glb "$pip" bots/robot.glb 'del(.animations[2:])'
    edit_glb "$pip" bots/anims/all.glb "$bare | .animations |= (.[0:2] | map(.name += \"_2\"))"
    exits 0 init bots
    cp sheetbake.yaml all.yaml
    cp "$pip" bots/robot.glb
    edit_glb "$pip" bots/anims/all.glb "$bare | .animations |= map(.name += \"_2\")"
    exits 0 init bots
    [ "$(grep -v '^# ' <<<"$output")" = '  # for jobs of robot.glb:
    animations:
      - jump
      - wave
      - {file: anims/all.glb, clip: jump_2, name: jump_2}
      - {file: anims/all.glb, clip: wave_2, name: wave_2}' ] || { echo "$output"; return 1; }
    grep '^      - ' <<<"$output" >new
    sed -i '/all.glb, clip: walk/r new' sheetbake.yaml
    exits 0 init bots
    says 'nothing new for sheetbake.yaml'
    exits 0 check -q sheetbake.yaml
    # Patterns mean their matches, `file` alone and no `animations` all, and `animations: []` none.
    local entries
    for entries in 'animations: ["*", {file: anims/all.glb}]' 'animations: ["*", {file: "anims/*.glb"}]'; do
        printf 'version: 1\nassets: bots\njobs: [{name: a, model: robot.glb, %s}]\n' "$entries" >sheetbake.yaml
        exits 0 check -q sheetbake.yaml
        exits 0 init bots
        says 'nothing new for sheetbake.yaml'
    done
    rm bots/anims/all.glb
    for entries in 'cell: 8' 'animations: []' 'animations: [IDLE, {clip: "w*k", name: go}, wave, {name: j, clip: jump}]'; do
        printf 'version: 1\nassets: bots\njobs: [{name: a, model: robot.glb, %s}]\n' "$entries" >sheetbake.yaml
        exits 0 init bots
        says 'nothing new for sheetbake.yaml'
    done
}

@test "of a model that is named, clips in its folder and in a folder for clips beside that are found" {
    cp "$DIE/models/die.md2" pack/characters/other.md2
    cp pack/anims/turn.md5anim pack/characters/spin.md5anim
    mkdir pack/props
    echo broken >pack/props/crate.obj
    exits 0 init pack/characters/die.md5mesh -o first.yaml
    [ "$(jobs first.yaml)" = '  - name: die
    model: characters/die.md5mesh
    animations:
      - {file: characters/spin.md5anim, name: spin}' ] || { cat first.yaml; return 1; }
    [ -z "$stderr" ]
    exits 0 check -q first.yaml
    rm pack/characters/spin.md5anim
    cd pack/characters
    exits 0 init die.md5mesh -o first.yaml
    grep -qFx 'assets: [".."]' first.yaml
    [ "$(grep -c '{file: anims/' first.yaml)" = 2 ]
    exits 0 check -q first.yaml
    exits 0 init die.md5mesh -o first.yaml
    says 'nothing new for first.yaml'
    # A file for clips is a model where it is named itself.
    cd ../anims
    cp "$SPROUT" .
    exits 0 init sprout.glb
    grep -q 'name: sprout' sheetbake.yaml
}

@test "a list names its assets from its own folder" {
    local operand list
    mkdir -p jobs/assets far/jobs
    cp pack/characters/* jobs/assets
    named() { # operand, list -> its roots
        exits 0 init "$1" -o "$2"
        exits 0 check -q "$2"
        sed -n 's/^assets: //p' "$2"
    }
    [ "$(named jobs/assets jobs/a.yaml)" = '[assets]' ]
    [ "$(named jobs jobs/b.yaml)" = '["."]' ]
    [ "$(named pack ./jobs/c.yaml)" = '["../pack"]' ]
    [ "$(named pack far/jobs/d.yaml)" = '["../../pack"]' ]
    cd far
    [ "$(named ../jobs/assets ../jobs/e.yaml)" = '[assets]' ]
}

@test "init replaces neither list nor schema, and says what is wrong with a list that is there" {
    echo mine | tee sheetbake.yaml >sheetbake.schema.json
    exits 2 init pack
    says '*sheetbake.yaml:1:1: *'
    [ "$(cat sheetbake.yaml)" = mine ]
    exits 0 init pack -o other.yaml
    [ "$(cat sheetbake.schema.json)" = mine ]
    ln -s nowhere link.yaml
    exits 2 init pack -o link.yaml
    says '*link.yaml: No such file or directory*'
    [ -L link.yaml ] && [ ! -e nowhere ]
}

# A GLB with other names of its clips.
rename_clips() { # from, to, jq's function of a name
    local size json
    size=$(od -An -tu4 -j12 -N4 "$1")
    json=$(tail -c +21 "$1" | head -c "$size" | jq -c ".animations[].name |= $3")
    while [ $((${#json} % 4)) != 0 ]; do json+=' '; done
    {
        head -c 8 "$1"
        le32 $(($(stat -c %s "$1") - size + ${#json}))
        le32 ${#json}
        printf 'JSON%s' "$json"
        tail -c +$((21 + size)) "$1"
    } >"$2"
}

@test "names are without what their makers put in front" {
    mkdir new
    rename_clips "$SPROUT" new/sprout.glb '"CharacterArmature|" + ascii_upcase'
    exits 0 init new
    [ "$(grep '^      - ' sheetbake.yaml)" = '      - {clip: CharacterArmature_SWAY, name: SWAY}
      - {clip: CharacterArmature_SWELL, name: SWELL}
      - all' ]
    grep -qx '    # skins: all # clay, brass' sheetbake.yaml
    # Lists may call clips as the file does.
    printf 'version: 1\nassets: new\njobs: [{name: a, model: sprout.glb, animations: ["CharacterArmature|SWAY", "*|SWE*", all]}]\n' >own.yaml
    exits 0 check -q own.yaml
    exits 0 init new -o own.yaml
    says 'nothing new for own.yaml'
    mv pack/anims/hop.md5anim pack/anims/Armature_hop.md5anim
    mv pack/anims/turn.md5anim pack/anims/Die_turn.md5anim
    exits 0 init pack -o pack.yaml
    grep -q '{file: anims/Armature_hop.md5anim, name: hop}' pack.yaml
    grep -q '{file: anims/Die_turn.md5anim, name: turn}' pack.yaml
    exits 0 check -q pack.yaml
}

@test "of a file of several clips each is listed, without what all begin with, and not one that the model has" {
    local pip=$BATS_TEST_DIRNAME/../../jobs/assets/models/pip
    mkdir -p bots/anims
    cp "$pip/pip.glb" bots/robot.glb
    edit_glb "$pip/pip.glb" bots/anims/all.glb 'del(.meshes, .skins, .materials, .textures, .images, .nodes[].mesh, .nodes[].skin)
        | .animations |= map(.name |= if . == "walk" then "Rig_Medium_walk" elif . == "idle" then "Rig_Medium_sneak" else "Rig_Medium_\(.)_2nd" end)'
    exits 0 init bots
    [ "$(jobs sheetbake.yaml | grep -v '# attach')" = '  - name: robot
    model: robot.glb
    animations:
      - idle
      - walk
      - jump
      - wave
      - {file: anims/all.glb, clip: Rig_Medium_sneak, name: sneak}
      - {file: anims/all.glb, clip: Rig_Medium_jump_2nd, name: jump_2nd}
      - {file: anims/all.glb, clip: Rig_Medium_wave_2nd, name: wave_2nd}' ] || { cat sheetbake.yaml; return 1; }
    exits 0 init bots
    says 'nothing new for sheetbake.yaml'
    exits 0 check sheetbake.yaml
}

@test "of a model in several formats one is taken, and one that cannot be read is left out with a message" {
    mkdir -p new/OBJ new/glTF
    cp "$SPROUT" new/glTF/one.glb
    cp "$SPROUT" new/sword.glb
    cp pack/characters/die.md5mesh new
    cp pack/anims/hop.md5anim new/die.md5anim
    echo broken | tee new/OBJ/one.obj >new/broken.glb
    exits 0 init new
    says '*left out: broken.glb: not a model file*'
    says '*left out: OBJ/one.obj: the same model as glTF/one.glb, which is glTF'
    [ "$(grep -c 'left out' <<<"$stderr")" = 2 ]
    [ "$(sed -n 's/^    model: //p' sheetbake.yaml | sort)" = 'die.md5mesh
glTF/one.glb
sword.glb' ]
    grep -q '{file: die.md5anim, name: die}' sheetbake.yaml
    exits 0 check -q sheetbake.yaml
    # One that is named itself is meant.
    cp "$SPROUT" new/die.glb
    exits 0 init new/die.md5mesh -o die.yaml
    [ "$(sed -n 's/^    model: //p' die.yaml)" = die.md5mesh ]
}

@test "weapons are comments of a model that has a hand" {
    mkdir pack/weapons
    printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' | tee pack/weapons/axe.obj >pack/bowl.obj
    exits 0 init pack
    grep -q '  - name: weapons/axe' sheetbake.yaml # nobody has a hand
    rm sheetbake.yaml
    sed -i 's/"cube"/"hand_r"/' pack/characters/die.md5mesh pack/anims/*
    exits 0 init pack
    grep -qx '    # attach: {model: weapons/axe.obj, at: hand_r}' sheetbake.yaml
    never grep -q '  - name: weapons/axe' sheetbake.yaml
    grep -q '  - name: bowl' sheetbake.yaml
}

@test "without models there is no list" {
    mkdir empty
    exits 2 init empty
    says '*no models here*'
    exits 2 init nowhere
    says '*nowhere*No such file*'
    [ ! -e sheetbake.yaml ]
}

@test "the schema is printed whole" {
    exits 0 schema
    jq -e '.properties.jobs.items.properties.cell.description' <<<"$output"
    exits 2 schema --what
}

# Editors show the message of a key for a mistake in it, and complete what a text may be.
@test "the schema judges a value by what it is, and has the words and presets that editors complete" {
    exits 0 schema
    echo "$output" >schema
    [ "$(jq -c '[.. | objects | select(has("oneOf") or has("title"))]' schema)" = '[]' ]
    [ "$(jq -c '[.. | arrays | select(index("string") and index("boolean"))]' schema)" = '[]' ]
    jq .properties.defaults.properties schema >keys
    [ "$(jq -c '.cameras.anyOf[1].enum[:3], .light.anyOf[1].enum, .sheet.properties.trim.anyOf[1].enum' keys)" = '["front","left","back"]
["studio","flat","rim","topdown"]
[true,false]' ]
    [ "$(jq -c '.cameras.anyOf[0] | .if, .then.items.if, .then.items.examples[0]' keys)" = '{"type":"array"}
{"type":"object"}
"front"' ]
    [ "$(jq -c '.pixel.anyOf[0] | .if, .then.additionalProperties, .else' keys)" = '{"type":"object"}
false
{"enum":["none"]}' ]
    [ "$(jq -c '.sampling.dependencies.fps.allOf[0] | .properties, .errorMessage' keys)" = "{\"times\":false,\"count\":false,\"frames\":false}
\"cannot be given together with 'fps'\"" ]
}

@test "clips of one name in two cases are two" {
    mkdir cases
    edit_glb "$SPROUT" cases/sprout.glb '.animations |= (.[0].name = "Sway" | .[1].name = "sway")'
    exits 0 init cases -o cases.yaml
    grep -q '{clip: sway, name: sway_2}' cases.yaml
    exits 0 check cases.yaml
}

@test "a clip that blows the model up, as another object's action does, is left out and named" {
    local data
    data=data:application/octet-stream\;base64,$(printf '\0\0\0\0\0\0\20A\0\0\20A\0\0\20A' | base64) # 0, 9 9 9
    mkdir blown
    edit_glb "$SPROUT" blown/sprout.glb '(.buffers | length) as $b | (.bufferViews | length) as $v | (.accessors | length) as $a
        | .buffers += [{"uri": "'"$data"'", "byteLength": 16}]
        | .bufferViews += [{"buffer": $b, "byteLength": 4}, {"buffer": $b, "byteOffset": 4, "byteLength": 12}]
        | .accessors += [{"bufferView": $v, "componentType": 5126, "type": "SCALAR", "count": 1, "min": [0], "max": [0]},
            {"bufferView": ($v + 1), "componentType": 5126, "type": "VEC3", "count": 1}]
        | .animations += [{"name": "PlaneAction", "samplers": [{"input": $a, "output": ($a + 1)}],
            "channels": [{"sampler": 0, "target": {"node": .scenes[0].nodes[0], "path": "scale"}}]}]'
    exits 0 init blown
    # "all" plays it with the others.
    says '*left out: sprout.glb: PlaneAction, sprout.glb: all (2): most clips show the model less than a quarter as large: list it in `animations` *'
    [ "$(jobs sheetbake.yaml | sed -n '/animations/,$p')" = '    animations:
      - sway
      - swell
    # skins: all # clay, brass' ]
    exits 0 check sheetbake.yaml
    # What is listed is meant.
    sed -i 's/^    animations:/&\n      - PlaneAction/' sheetbake.yaml
    exits 0 init blown
    [ -z "$stderr" ]
    exits 0 check sheetbake.yaml
}

@test "only folders called after clips are for clips, and a figure in one that plays on no model is a model" {
    mkdir -p zoo/animals zoo/animated zoo/Animations
    cp "$SPROUT" zoo/animals/fox.glb
    cp "$SPROUT" zoo/animated/owl.glb
    edit_glb "$SPROUT" zoo/Animations/wave.glb '.animations |= map(.name |= "wave_" + .)'
    edit_glb "$SPROUT" zoo/Animations/eel.glb '.nodes |= map(.name |= "eel_" + .)'
    exits 0 init zoo
    [ "$(sed -n 's/^    model: //p' sheetbake.yaml)" = 'Animations/eel.glb
animals/fox.glb
animated/owl.glb' ]
    # Of morph targets are the others.
    [ "$(grep -c '      - {file: Animations/wave.glb, name: wave}' sheetbake.yaml)" = 2 ]
    [ -z "$stderr" ]
    exits 0 check -q sheetbake.yaml
}

@test "what is left out is named, a line for each reason" {
    local i
    touch pack/hero.vrm pack/house.vox pack/tree.m3d
    printf 'BLENDER-v300' >pack/new.blend
    printf 'UMD2....' | tee pack/ape.mdl >pack/bear.mdl
    printf '<irr_scene' | tee pack/hall.irr >pack/yard.irr
    printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >box.obj
    for i in 1 2 3 4 5 6 7 8 9; do cp box.obj "pack/box@$i.obj"; done
    sed 's/"elbow" 0/"elbow" -1/' "$BATS_TEST_DIRNAME/../fixtures/arm/bend.md5anim" | tee pack/anims/one.md5anim >pack/anims/two.md5anim
    cp "$DIE/anims/hop.md5anim" pack/anims/2x.md5anim
    exits 0 init pack
    cp sheetbake.yaml before.yaml
    says '*left out: hero.vrm: *empty*'
    says '*left out: house.vox, tree.m3d (2): no format that is read*glTF*'
    says '*left out: new.blend: assimp cannot read this file of Blender 3.0: export it as glTF'
    says "*left out: ape.mdl, bear.mdl (2): a model of Urho3D's: export it as glTF"
    says '*left out: hall.irr, yard.irr (2): assimp says: XML parse error while loading IRR file'
    says "*left out: box@1.obj, box@2.obj, *, box@8.obj and 1 more (9): the name of its job holds '@', *"
    says "*left out: anims/one.md5anim, anims/two.md5anim (2): clips that no model here can play; the first: anims/one.md5anim: *cube*"
    says '*left out: anims/2x.md5anim: 2x: the name is that of a scale, such as 2x*'
    [ "$(grep -c 'left out' <<<"$stderr")" = 8 ]
    # Of a list that is there: also what is gone, and not what is listed.
    rm pack/characters/die.md5mesh
    cp box.obj pack/box.obj
    exits 0 init pack
    says "*left out: job 'characters/die': it is listed, but files of it are gone; *"
    [ "$(grep -v '^#' <<<"$output")" = '  - name: box
    model: box.obj' ]
    cmp sheetbake.yaml before.yaml
    # A model that is named itself is not asked about all others.
    rm pack/new.blend pack/hero.vrm pack/*.mdl pack/*.irr
    exits 0 init pack/box.obj -o one.yaml
    [ -z "$stderr" ]
    mkdir -p far/dice far/anims
    cp "$DIE/models/die.md5mesh" "$DIE/anims/hop.md5anim" far/dice
    cp "$DIE/anims/turn.md5anim" far/anims
    exits 0 init far -o far.yaml
    says '*left out: anims/turn.md5anim: clips that no model has tried: *'
}

# Nothing but lines of printable ASCII.
is_plain() { # text
    ! LC_ALL=C grep -qP '[^ -~]' <<<"$1"
}

@test "names of strangers end no comment, and reach no terminal" {
    mkdir -p new/sub$'\n''output: evil'
    edit_glb "$SPROUT" new/man.glb '.nodes[.skins[0].joints[1]].name = "hand\u202e\u8d70\"\\" | .extensions.KHR_materials_variants.variants[0].name = "\u00e9\u2028a: b"'
    edit_glb "$SPROUT" new/woman.glb '.nodes[.skins[0].joints[1]].name = "hand\u2028    output: evil\u2028#"'
    cp new/man.glb "$(echo new/sub*)/imp.glb"
    printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"new/a sword 'é' 1.obj"
    exits 0 init new
    is_plain "$(cat sheetbake.yaml)"
    is_plain "$output$stderr"
    grep -qxF '    # attach: {model: "a sword '"'\u00E9'"' 1.obj", at: "hand\u202E\u8D70\"\\"}' sheetbake.yaml
    grep -qx '    # skins: all # "\\u00E9_a_ b", brass' sheetbake.yaml
    never grep -q evil sheetbake.yaml
    exits 0 check -q sheetbake.yaml
    edit_glb "$SPROUT" new/woman.glb '.animations[0].name = "\u6b69\u304f"'
    printf 'version: 1\nassets: new\njobs: [{name: a, model: woman.glb, animations: [swell]}]\n' >listed.yaml
    exits 0 init new -o listed.yaml
    is_plain "$output$stderr"
    grep -qx '      - "\\u6B69\\u304F"' <<<"$output"
    # The list may be called so, too.
    exits 0 init new -o $'my\nlist: {}.yaml'
    exits 0 check -q $'my\nlist: {}.yaml'
}

@test "lists of names that are hostile can be read" {
    local name names=('a{b' '{stem}' '{path}' $'del\177' $'line\u2028' $'next\u0085' $'c\033[31m' $'n\nl' 'a#b' ' #b' '- a' "it's"
        'say "a"' 'b\c' 'a[1]' '[!a]' 'a*' 'q?' 'x: y' '&a' '*b' '!c' '|d' '%e' '@f' '`g' 'null' 'true' '1' '2x' 'CON' 'aux.b'
        'a.normal' 'b.png' '.hidden' 'end.' 'end ' ' start' $'rtl\u202e' '走る' $'raw\377' 'Orc' 'orc' 'ORC' 'def:a' '...' '---'
        '~' '<a>' 'all' "$(printf 'long%.0s' {1..40})")
    mkdir -p 'bad/{folder}' 'bad/a[1]' bad/anims
    for name in "${names[@]}"; do
        printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"bad/$name.obj"
        cp "$DIE/anims/hop.md5anim" "bad/anims/$name.md5anim"
    done
    cp bad/Orc.obj bad/orc_obj.obj
    printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n' >bad/orc.stl
    cp "$DIE/models/die.md5mesh" 'bad/a[1]'
    cp "$DIE/models/die.md5mesh" 'bad/{folder}'
    exits 0 init bad
    is_plain "$(cat sheetbake.yaml)"
    says "*left out: a{b.obj*: '{b' in a job's name: allowed in braces are {path} and {stem}*"
    [ "$(grep -ci '^  - name: orc' sheetbake.yaml)" = 4 ]
    exits 0 check -q sheetbake.yaml
    exits 0 init bad
    says 'nothing new for sheetbake.yaml'
}

triangle() { # file...
    printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' | tee "$@" >/dev/null
}

@test "each model is there once, whatever formats and folders its pack has" {
    mkdir -p new/kit/{glTF,OBJ,fbx,'Blends (old)'} new/kit/fbx\(unity\)
    cp "$SPROUT" new/kit/glTF/sprout.gltf.glb
    edit_glb "$SPROUT" new/kit/glTF/still.glb 'del(.animations)'
    edit_glb "$SPROUT" new/kit/glTF/none.glb 'del(.animations)'
    cp "$DIE/models/die.md2" new/kit/glTF/still.md2
    echo broken >new/kit/glTF/box.glb
    triangle new/kit/OBJ/{sprout,box,Still,none,only}.obj
    touch new/kit/Blends\ \(old\)/{sprout,box}.blend
    # Two files of one format in folders of it are one, in others and in two cases two.
    cp "$SPROUT" new/kit/fbx/leaf.glb
    cp "$SPROUT" 'new/kit/fbx(unity)/leaf.glb'
    mkdir new/kit/{red,blue}
    triangle new/kit/{red,blue}/flag.obj new/kit/red/{rope,Rope}.obj
    exits 0 init new
    [ "$(grep -E '^  - name|^    model' sheetbake.yaml)" = '  - name: box
    model: kit/OBJ/box.obj
  - name: only
    model: kit/OBJ/only.obj
  - name: blue/flag
    model: kit/blue/flag.obj
  - name: leaf
    model: kit/fbx/leaf.glb
  - name: none
    model: kit/glTF/none.glb
  - name: sprout
    model: kit/glTF/sprout.gltf.glb
  - name: still
    model: kit/glTF/still.md2
  - name: red/Rope
    model: kit/red/Rope.obj
  - name: red/flag
    model: kit/red/flag.obj
  - name: red/rope_2
    model: kit/red/rope.obj' ] || { cat sheetbake.yaml; return 1; }
    says 'sheetbake.yaml is written, with 10 jobs; *'
    says '*left out: kit/glTF/still.glb: the same model as kit/glTF/still.md2, which is the one with clips'
    says '*left out: *sprout.obj* (4): the same model as kit/*, which is glTF'
    says '*left out: *box.blend: the same model as kit/OBJ/box.obj, which is .obj'
    says '*left out: kit/glTF/box.glb: not a model file*'
    exits 0 check -q sheetbake.yaml
    # What is listed counts, and nothing else is taken for it.
    sed -i 's,glTF/sprout.gltf.glb,OBJ/sprout.obj,; /^    animations/,/^  - /{ /^  - /!d }' sheetbake.yaml
    exits 0 init new
    never grep -q 'name: sprout' <<<"$output"
    says '*left out: *sprout.gltf.glb*: the same model as kit/OBJ/box.obj and so on, which is named or listed'
    # So does what is named itself.
    exits 0 init new/kit/glTF/still.glb -o named.yaml
    [ "$(sed -n 's/^    model: //p' named.yaml)" = still.glb ]
}

@test "makers' marks of all models are in no name" {
    mkdir new
    triangle new/mobs_mc_{bear,cow,SM_wolf}.obj
    exits 0 init new
    [ "$(sed -n 's/  - name: //p' sheetbake.yaml)" = 'SM_wolf
bear
cow' ]
    triangle new/SM_Rock.obj
    rm sheetbake.yaml
    exits 0 init new
    [ "$(sed -n 's/  - name: //p' sheetbake.yaml | head -n 1)" = Rock ]
}

@test "a file called X@Run is a clip of X, and one called @Run of the models of its folder" {
    local pip=$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb
    mkdir -p new/bots new/far
    one_clip() { # number, name of the clip, file
        edit_glb "$pip" "$3" ".animations |= [.[$1] | .name = \"$2\"]"
    }
    edit_glb "$pip" new/bots/Pip.glb 'del(.animations)'
    edit_glb "$pip" new/bots/pop.glb 'del(.animations)'
    edit_glb "$pip" new/far/other.glb 'del(.animations)'
    one_clip 0 'Take 001' new/bots/pip@Walk.glb
    one_clip 1 'Take 001' new/bots/@Jump.glb
    # Where there is no X, the first of its clips is one.
    one_clip 0 'Take 001' new/far/Nobody@Sit.glb
    one_clip 1 'Take 001' new/far/Nobody@Stand.glb
    exits 0 init new
    [ "$(jobs sheetbake.yaml | grep -v '# attach')" = '  - name: bots/Pip
    model: bots/Pip.glb
    animations:
      - {file: "bots/@Jump.glb", name: Jump}
      - {file: "bots/pip@Walk.glb", name: Walk}
  - name: bots/pop
    model: bots/pop.glb
    animations:
      - {file: "bots/@Jump.glb", name: Jump}
  - name: far/Nobody
    model: "far/Nobody@Sit.glb"
    animations:
      - {clip: "Take 001", name: Sit}
      - {file: "far/Nobody@Stand.glb", name: Stand}
  - name: far/other
    model: far/other.glb' ] || { cat sheetbake.yaml; return 1; }
    [ -z "$stderr" ] || { echo "$stderr"; return 1; }
    exits 0 check -q sheetbake.yaml
    exits 0 init new
    says 'nothing new for sheetbake.yaml'
}

@test "a list begins with what games want, and a job of many cells says what makes them fewer" {
    mkdir new
    edit_glb "$SPROUT" new/sprout.glb '.animations |= [range(9) as $i | .[0] | .name = "clip\($i)"]
        | .animations[3].name = "Idle" | .animations[4].name = "Walk_Slow" | .animations[5].name = "Walk"'
    exits 0 init new
    grep -qx '  cameras: \[{camera: isometric, directions: 8}\] # .*' sheetbake.yaml
    grep -qx '  sampling: {count: 8} # .*' sheetbake.yaml
    grep -qx '  # fit: {origin: auto} # .*' sheetbake.yaml
    grep -qx '  metadata: \[json\] # .*' sheetbake.yaml
    grep -qx '    # 576 cells: 9 clips of 8 frames in 8 directions. Fewer: sampling: {count: 6}, or only Idle, Walk' sheetbake.yaml
    exits 0 check sheetbake.yaml
    says '*576 cells*'
}

@test "on a terminal init says how far it is, and nothing of that is left" {
    SHELL=/bin/sh script -qec "\"$SHEETBAKE\" init pack" /dev/null </dev/null >typescript 2>&1
    grep -q 'looking at file 3 of 3' typescript
    grep -q 'trying clips on file' typescript
    exits 0 init pack -o other.yaml
    [ -z "$stderr" ]
}

@test "the picture of a model that names none is no guess where init found it" {
    mkdir -p new/props new/textures
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n' >new/props/crate.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' | tee new/props/bare.obj >new/props/box.obj
    cp "$DIE/textures/die.png" new/textures/crate.png
    # Those of which no picture has the name alone: no picture of another word, no map of normals.
    tee new/props/{dog,fox}.obj <new/props/crate.obj >new/props/cat.obj
    touch new/textures/cat.txt
    mkdir new/Blends
    cp new/textures/crate.png new/Blends/FoxFur.png
    cp new/textures/crate.png new/Blends/EelTexture.png
    mkdir -p new/previews new/Blends/Textures
    cp new/textures/crate.png new/previews/Yak.png
    cp new/textures/crate.png new/Blends/Textures/Asp.png
    tee new/props/{asp,eel}.obj <new/props/crate.obj >new/props/yak.obj
    tee new/textures/cat_{normal,red,tabby}.png <new/textures/crate.png >new/textures/catfish.png
    exits 0 init new
    [ "$(jobs sheetbake.yaml)" = '  - name: asp
    model: props/asp.obj
    skin: Blends/Textures/Asp.png # called like the model, which names no picture
  - name: bare
    model: props/bare.obj
  - name: box
    model: props/box.obj
  - name: cat
    model: props/cat.obj
    # skin: textures/cat_red.png # the model names no picture, and this begins with its name
  - name: crate
    model: props/crate.obj
    skin: textures/crate.png # called like the model, which names no picture
  - name: dog
    model: props/dog.obj
    # skin: FILE # the model names no picture
  - name: eel
    model: props/eel.obj
    skin: Blends/EelTexture.png # called like the model, which names no picture
  - name: fox
    model: props/fox.obj
    # skin: Blends/FoxFur.png # the model names no picture, and this begins with its name
  - name: yak
    model: props/yak.obj
    # skin: previews/Yak.png # the model names no picture, and this begins with its name' ] || { cat sheetbake.yaml; return 1; }
    exits 0 check --strict sheetbake.yaml
    sed -i '/skin: /d' sheetbake.yaml
    exits 0 check sheetbake.yaml
    says '*warning: *crate.png*'
}
