# bats file_tags=asan

# Clips from other files with joints: a GLB that is cut in two, joints by other names, files that are broken.

load sheets
load models

setup() {
    work_in_empty_folder
    SPROUT=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb")
    mkdir whole game
    # Two clips that move joints: that of the sample, and a part of it.
    edit_glb "$SPROUT" whole/sprout.glb '.animations |= [.[0], (.[0] | .name = "swing" | .channels |= .[1:])]'
    SPROUT=whole/sprout.glb
    edit_glb "$SPROUT" game/sprout.glb "$ONLY_MESH"
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS"
}

ONLY_MESH='del(.animations)'
ONLY_CLIPS='del(.meshes, .skins, .materials, .textures, .images, .nodes[].mesh, .nodes[].skin)'
JOINTS='["root", "middle", "top", "leaf_l", "leaf_r"]'

one_clip() { # name -> filter
    printf '%s' "$ONLY_CLIPS | .animations |= map(select(.name == \"$1\"))"
}

sprout_list() { # name, assets, animations, more keys
    write_list "$1" "$PWD/$2" <<<"- {name: sprout, model: sprout.glb, cell: 48, sampling: {count: 5}, cameras: [front], animations: [$3]${4-}}"
}

# Whether the sheet of these entries is that of the whole model's clips.
is_whole() { # animations, more keys
    sprout_list whole whole 'sway, swing'
    sprout_list cut game "$@"
    exits 0 render --force whole.yaml
    exits 0 render --force cut.yaml
    diff -x '*.sheetbake' -r out/whole out/cut
}

fails_with() { # animations, more keys, pattern
    sprout_list cut game "$1" "$2"
    exits 3 render --force cut.yaml
    says "$3"
}

# bats test_tags=quick
@test "a GLB that is cut into a mesh and its clips gives the sheets of the whole" {
    is_whole '{file: moves.glb, clip: sway}, {file: moves.glb, clip: swing}'
    never says 'warning*'
    is_whole '{file: moves.glb, clip: "sw*"}'
    is_whole '{file: moves.glb}'
    mkdir game/clips
    edit_glb "$SPROUT" game/clips/sway.glb "$(one_clip sway) | .animations[].name = \"mixamo.com\""
    edit_glb "$SPROUT" game/clips/b.glb "$(one_clip swing)"
    is_whole '{file: "clips/s*.glb"}, {file: clips/b.glb, name: swing}'
    is_whole '{file: clips/sway.glb, clip: MIXAMO.com}, {file: clips/b.glb, clip: "*", name: swing}'
    mv game/clips/b.glb game/clips/swing.glb
    is_whole '{file: "clips/*.glb"}'
    # A mesh in the file of the clips is not looked at.
    edit_glb "$SPROUT" game/moves.glb '.meshes |= map({})'
    is_whole '{file: moves.glb, clip: "sw*"}'
}

@test "without clip all clips of a file come, and its record names the file" {
    sprout_list cut game '{file: moves.glb}'
    exits 0 render cut.yaml
    [ "$(jq -r '[.meta.frameTags[].name] | join(" ")' out/cut/sprout.json)" = "sway/front swing/front" ]
    [ "$(jq -c '.inputs | keys' out/cut/sprout.sheetbake)" = '["moves.glb","sprout.glb"]' ]
    exits 0 render cut.yaml
    says 'nothing to do*'
    edit_glb "$SPROUT" game/moves.glb "$(one_clip sway)"
    exits 0 render --dry-run cut.yaml
    says '*input moves.glb changed'
    sprout_list cut game '{file: moves.glb}' ', retarget: exact'
    exits 0 render --dry-run -v cut.yaml
    says '*retarget*'
}

@test "a clip has the name that the list gives, where it is but one" {
    sprout_list cut game '{file: moves.glb, clip: SWAY, name: walk}, {file: moves.glb, clip: "sway", name: stroll}'
    exits 0 render cut.yaml
    [ "$(jq -r '[.meta.frameTags[].name] | join(" ")' out/cut/sprout.json)" = "walk/front stroll/front" ]
    fails_with '{file: moves.glb, name: walk}' '' "*moves.glb: 2 clips could be 'walk'; \`clip:\` says which: sway, swing"
    fails_with '{file: moves.glb, clip: "sw*", name: walk}' '' "*moves.glb: 2 clips could be 'walk'*"
    fails_with '{file: moves.glb, clip: swya}' '' "*moves.glb: no animation 'swya', did you mean 'sway'?*"
    sprout_list cut game 'bind, {file: moves.glb, clip: none, optional: true}, {file: moves.glb, clip: sway}'
    sed -i 's/bind, //' cut.yaml
    exits 0 render cut.yaml
    says "warning: *passed over: moves.glb: no animation 'none'*"
}

@test "clips of the model itself take other names, too" {
    sprout_list it whole '{clip: SWAY, name: walk}, {clip: "swi*", name: grow}, {clip: swing, name: grown}'
    exits 0 render it.yaml
    [ "$(jq -r '[.meta.frameTags[].name] | join(" ")' out/it/sprout.json)" = "walk/front grow/front grown/front" ]
    sprout_list it whole '{clip: "sw*", name: walk}'
    exits 3 render it.yaml
    says "*2 animations match 'sw\*', and only one can be called 'walk': sway, swing"
    sprout_list it whole '{clip: sw, name: walk}'
    exits 3 render it.yaml
    sprout_list it whole '{clip: swinging, name: walk}'
    exits 3 render it.yaml
    says "*no animation 'swinging', did you mean 'swing'? (it has sway, swing); \`optional: true\` does without it"
}

@test "near names are those that hold the word, and of many a few are listed" {
    edit_glb "$SPROUT" game/sprout.glb '.animations = [range(40) as $i | .animations[0] + {name: "Goblin_Move_\($i)"}] + [.animations[0] + {name: "Walking_A"}]'
    sprout_list it game 'walk'
    exits 3 render it.yaml
    says "*no animation 'walk', did you mean 'Walking_A'? (it has * and * more); *"
    never says '*Move_39*'
}

@test "joints match without prefixes and regardless of case" {
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .nodes[].name |= \"mixamorig:\\(.)\""
    is_whole '{file: moves.glb, clip: "sw*"}'
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .nodes[].name |= \"Armature|\\(ascii_upcase)\""
    is_whole '{file: moves.glb, clip: "sw*"}'
    # Two that only differ in their prefixes.
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .nodes[] |= if .name == \"middle\" then .name = \"a:top\" else . end | .nodes[] |= if .name == \"top\" then .name = \"b:top\" else . end"
    fails_with '{file: moves.glb, clip: sway}' '' "*moves.glb: joint 'top' of the model could be '?:top' or '?:top' of the clip"
}

@test "joints map the rest, and what has no match is one warning" {
    local rename='(.nodes[] | select(.name == "root" or .name == "middle") | .name)'
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | $rename |= \"Bone_\\(.)\""
    is_whole '{file: moves.glb, clip: "sw*"}' ', joints: {Bone_root: root, Bone_middle: middle}'
    sprout_list cut game '{file: moves.glb, clip: "sw*"}, {file: moves.glb, clip: sway, name: again}'
    exits 0 render cut.yaml
    [ "$(grep -c 'are not in the model' <<<"$stderr")" = 1 ]
    says "warning: *moves.glb: 1 of 2 joints that the clips move are not in the model: Bone_middle; *"
    fails_with '{file: moves.glb, clip: sway}' ', joints: {Bone_middle: rot}' "*\`joints\`: no joint 'rot', did you mean 'root'?*"
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .nodes[].name |= \"Bone_\\(.)\""
    fails_with '{file: moves.glb, clip: sway}' '' "*moves.glb: 0 of the * joints that its clips move are in sprout.glb, and 0 of the 3 *. Without a match in the clips: Bone_*. And in the model: root, middle, top. *"
    # A pair that names nothing may be why.
    fails_with '{file: moves.glb, clip: sway}' ', joints: {Bone_midle: middle, spine: top}' "*; no joint 'Bone_midle', as \`joints\` has it (did you mean 'Bone_middle'?); no joint 'spine', as \`joints\` has it. *"
    # Where the list can do without them, or has others, it does.
    edit_glb "$SPROUT" game/more.glb "$ONLY_CLIPS"
    sprout_list cut game '{file: "mo*.glb", clip: "sw*"}'
    exits 0 render cut.yaml
    says "warning: *passed over: moves.glb: 0 of the*"
    sprout_list cut game '{file: moves.glb}' ', joints: [root]'
    exits 2 render cut.yaml
    says "*'joints' must be a mapping*"
}

@test "names that lack what their exporter puts in front get a suggestion" {
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | (.nodes[] | select(.name == \"middle\") | .name) |= \"Bone\""
    edit_glb "$SPROUT" game/sprout.glb '(.nodes[] | select(.name == "middle") | .name) |= "mixamorig:Middle"'
    fails_with '{file: moves.glb, clip: sway}' ', joints: {Bone: middle}' "*\`joints\`: no joint 'middle', did you mean 'mixamorig?Middle'?*"
    fails_with sway ', sockets: [middle]' "*no joint 'middle', did you mean 'mixamorig?Middle'?*"
    fails_with sway ', attach: {model: sprout.glb, at: "Armature|MDIDLE"}' "*no joint 'Armature|MDIDLE', did you mean 'mixamorig?Middle'?*"
    # A name behind a mark is nearer than one that is a letter away.
    edit_glb "$SPROUT" game/sprout.glb '(.nodes[] | select(.name == "root") | .name) |= "Head" | (.nodes[] | select(.name == "middle") | .name) |= "Bone.Head3"'
    fails_with sway ', sockets: [Head3]' "*no joint 'Head3', did you mean 'Bone.Head3'?*"
}

@test "joints, the joint of root motion and sockets are named without the prefixes of their exporters" {
    local prefixed='(.nodes[] | select(.name == "root" or .name == "middle" or .name == "top") | .name) |= "mixamorig1:\(.)"'
    edit_glb "$SPROUT" game/sprout.glb "$prefixed"
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | (.nodes[] | select(.name == \"middle\") | .name) = \"rig:Bone\""
    sprout_list cut game '{file: moves.glb, clip: sway, root_motion: {joint: root}}' ', joints: {Bone: middle}, sockets: [top]'
    exits 0 render cut.yaml
    never says 'warning*'
    [ "$(jq -c '.meta.sheetbake.sockets | keys' out/cut/sprout.json)" = '["top"]' ]
    # Two joints that end so leave the question open.
    edit_glb "$SPROUT" game/sprout.glb '(.nodes[] | select(.name == "middle" or .name == "root") | .name) |= "\(.):limb"'
    fails_with sway ', sockets: [limb]' "*no joint 'limb', did you mean '*:limb'?*"
}

@test "clip chooses what an attachment plays of a file, or of its own" {
    edit_glb "$SPROUT" game/both.glb .
    held() { # animation -> hash of the sheet
        write_list held "$PWD/game" <<<"- {name: held, model: sprout.glb, cell: 48, sampling: {count: 5}, cameras: [front], animations: [{file: moves.glb, clip: sway}], attach: {model: ${2-sprout}.glb, offset: [20, 0, 0], animation: $1}}"
        exits 0 render --force held.yaml
        sha256sum <out/held/held.png
    }
    local sway swing
    sway=$(held '{file: moves.glb, clip: sway}')
    swing=$(held '{file: moves.glb, clip: "SWIN?"}')
    [ "$sway" != "$swing" ]
    [ "$(held '{clip: swing}' both)" = "$swing" ]
    [ "$(held swing both)" = "$swing" ]
    fails_with '{file: moves.glb, clip: sway}' ', attach: {model: sprout.glb, animation: {file: moves.glb, clip: swya}}' "*moves.glb: no animation 'swya', did you mean 'sway'?*"
    fails_with '{file: moves.glb, clip: sway}' ', attach: {model: sprout.glb, animation: {file: moves.glb, clip: "sw*"}}' "*2 clips could be 'sw\*'; \`clip:\` says which: sway, swing"
}

@test "where bind poses differ a line says by how much, and retarget chooses" {
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | (.nodes[] | select(.name == \"middle\") | .rotation) = [0, 0, 0.2588190451, 0.9659258263]"
    sprout_list cut game '{file: moves.glb, clip: sway}'
    exits 0 render cut.yaml
    says "warning: *moves.glb: bind poses differ, by up to 30 degrees, and joints are built alike: turns are copied, as \`retarget: exact\` says; *"
    cp out/cut/sprout.png auto.png
    sprout_list cut game '{file: moves.glb, clip: sway}' ', retarget: rest'
    exits 0 render cut.yaml
    never says 'warning*'
    never cmp out/cut/sprout.png auto.png
    sprout_list cut game '{file: moves.glb, clip: sway}' ', retarget: exact'
    exits 0 render cut.yaml
    cmp out/cut/sprout.png auto.png
    never says 'warning*'
    # By a degree and a half is nothing.
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | (.nodes[] | select(.name == \"middle\") | .rotation) = [0, 0, 0.0130896, 0.9999143]"
    sprout_list cut game '{file: moves.glb, clip: sway}'
    exits 0 render cut.yaml
    never says 'warning*'
}

@test "a broken file of clips fails its job alone" {
    head -c 300 game/moves.glb >game/cut.glb
    : >game/empty.glb
    edit_glb "$SPROUT" game/still.glb "$ONLY_MESH"
    edit_glb "$SPROUT" game/wrong.glb "$ONLY_CLIPS | .animations[].channels[].sampler = 99"
    cp "$BATS_TEST_DIRNAME"/../fixtures/arm/bend.md5anim game
    write_list all "$PWD/game" <<-END
	defaults: {cell: 16, cameras: [front], sampling: {count: 1}}
	jobs:
	- {name: cut, model: sprout.glb, animations: [{file: cut.glb}]}
	- {name: empty, model: sprout.glb, animations: [{file: empty.glb}]}
	- {name: still, model: sprout.glb, animations: [{file: still.glb}]}
	- {name: wrong, model: sprout.glb, animations: [{file: wrong.glb}]}
	- {name: bend, model: sprout.glb, animations: [{file: bend.md5anim}]}
	- {name: good, model: sprout.glb, animations: [{file: moves.glb}]}
	END
    exits 3 render all.yaml
    says 'error: cut: *cut.glb: *'
    says 'error: empty: *empty.glb: the file is empty'
    says 'error: still: *still.glb: no clips in it'
    says 'error: wrong: *wrong.glb: animation 0: *sampler*'
    says 'error: bend: *bend.md5anim: 0 of the 1 joints that its clips move are in sprout.glb, and 0 of the 3 *'
    [ "$(files out/all | tr ' ' '\n' | grep -c png)" = 1 ]
    cp "$BATS_TEST_DIRNAME"/../fixtures/arm/* game
    write_list arm "$PWD/game" <<<"- {name: arm, model: arm.md5mesh, cell: 16, animations: [{file: moves.glb}]}"
    exits 3 render arm.yaml
    says 'error: arm: *moves.glb: 0 of the * joints that its clips move are in arm.md5mesh, and 0 of the *'
}

robot_list() { # name, more keys of all
    ln -sfn "$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip")" robot
    write_list "$1" robot
}

# Whether two sheets of a list show the same, but for what rounding does to edges.
look_alike() { # list, sheet, sheet, pixels
    [ "$(compare -metric AE -fuzz 5% "out/$1/$2.png" "out/$1/$3.png" null: 2>&1 | cut -d' ' -f1)" -le "$4" ]
}

@test "an MD5 plays clips of GLB and FBX files as its own md5anims, and a GLB and an FBX play md5anims" {
    robot_list pip <<-END
	defaults: {sampling: {times: [0, 0.25, 0.5, 0.75]}, loop: false, cell: 128, cameras: [three_quarter]} # keyframes: between them an FBX turns by angles
	jobs:
	  - {name: md5-md5, model: pip.md5mesh, animations: [{file: walk.md5anim}, {file: jump.md5anim}]}
	  - {name: md5-glb, model: pip.md5mesh, animations: [{file: clips/walk.glb}, {file: pip.glb, clip: jump}]}
	  - {name: md5-fbx, model: pip.md5mesh, animations: [{file: clips/walk.fbx}, {file: clips/jump.fbx}]}
	  - {name: glb-glb, model: pip.glb, animations: [walk, jump]}
	  - {name: glb-md5, model: pip.glb, animations: [{file: walk.md5anim}, {file: jump.md5anim}]}
	  - {name: fbx-glb, model: pip.fbx, animations: [{file: clips/walk.glb}, {file: clips/jump.glb}]}
	  - {name: fbx-md5, model: pip.fbx, animations: [{file: walk.md5anim}, {file: jump.md5anim}]}
	END
    exits 0 render pip.yaml
    never says '*warning*'
    look_alike pip md5-md5 md5-glb 4
    look_alike pip md5-md5 md5-fbx 8
    look_alike pip glb-glb glb-md5 8
    look_alike pip fbx-glb fbx-md5 8
    never look_alike pip md5-md5 glb-glb 400
    [ "$(jq -c '.inputs | keys' out/pip/glb-md5.sheetbake)" = '["jump.md5anim","pip.glb","pip.md5mesh","walk.md5anim"]' ]
    exits 0 info robot/pip.md5mesh robot/clips/walk.glb
    says '*31 of 31 joints that the clips move match, retarget: exact'
    exits 0 info robot/pip.glb robot/walk.md5anim
    says '  plays on *robot/pip.glb'
    says '*32 of 32 joints that the clips move match, retarget: exact'
}

@test "an md5anim is bound as the mesh beside it, and without one as its base frame" {
    mkdir alone
    ln -s "$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip")" robot
    cp robot/pip.glb robot/walk.md5anim alone
    exits 0 info alone/pip.glb alone/walk.md5anim
    says '*bind poses differ, by up to * degrees, and *'
    cp robot/pip.md5mesh alone
    exits 0 info alone/pip.glb alone/walk.md5anim
    never says '*bind poses differ*'
    # It is no mesh for it with another joint.
    sed -i 's/"toes_r"/"toe_r"/' alone/pip.md5mesh
    exits 0 info alone/pip.glb alone/walk.md5anim
    says '*bind poses differ, by up to * degrees, and *'
}

@test "an md5anim with other joints than its MD5 plays where joints of the job says which is which" {
    cp -rL "$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip")" robot
    mkdir robot/other
    for file in pip.md5mesh walk.md5anim; do sed 's/"hips"/"pelvis"/; s/"forearm_l"/"elbow.L"/' robot/$file >robot/other/$file; done
    robot_list pip <<-END
	defaults: {sampling: {times: [0, 0.2, 0.5, 0.8]}, loop: false, cell: 128, cameras: [three_quarter]}
	jobs:
	  - {name: own, model: pip.md5mesh, animations: [{file: walk.md5anim}]}
	  - {name: other, model: pip.md5mesh, animations: [{file: other/walk.md5anim}], joints: {pelvis: hips, elbow.L: forearm_l}}
	  - {name: number, model: pip.md5mesh, animations: [{file: other/walk.md5anim}]}
	END
    exits 0 render pip.yaml
    says "warning: number: *other/walk.md5anim: *: 'pelvis' moves 'hips', 'elbow.L' moves 'forearm_l'; \`joints\` can map them"
    never says '*warning: other*'
    look_alike pip own other 8
    cmp out/pip/own.png out/pip/number.png
}

@test "tracks of morph targets are left out with a word" {
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .animations[0].channels += [.animations[0].channels[0], .animations[0].channels[1] | .target.path = \"weights\"]"
    sprout_list cut game '{file: moves.glb, clip: sway}, {file: moves.glb, clip: swing}'
    exits 0 render cut.yaml
    [ "$(grep -c 'warning: ' <<<"$stderr")" = 1 ]
    says 'warning: sprout: *moves.glb: 2 tracks of morph targets are left out'
}

@test "a pair of joints that nearly names one without a match is told once" {
    edit_glb "$SPROUT" game/more.glb "$ONLY_CLIPS | (.nodes[] | select(.name == \"middle\") | .name) = \"Bone_middle\""
    sprout_list cut game '{file: more.glb}, {file: moves.glb, clip: sway, name: again}' ', joints: {Bone_midle: middle, spine: middle}'
    exits 0 render cut.yaml
    [ "$(grep -c 'did you mean' <<<"$stderr")" = 1 ]
    says "warning: sprout: *more.glb: no joint 'Bone_midle', as \`joints\` has it; did you mean 'Bone_middle'?"
    sprout_list cut game '{file: more.glb}, {file: moves.glb, clip: sway, name: again}' ', joints: {Bone_middle: middle, middel: middle}'
    exits 0 render cut.yaml
    never says '*warning*'
}

@test "Mixamo's clips play on an avatar whose file says by VRM which joint is which" {
    local role='["hips", "spine", "head", "leftUpperArm", "rightUpperArm"]' mixamo='["Hips", "Spine", "Head", "LeftArm", "RightArm"]'
    local bones=". as \$all | [$JOINTS, $role] | transpose | map({bone: .[1], node: (.[0] as \$n | \$all.nodes | map(.name) | index(\$n))})"
    local rename="(.nodes[] | select(.name as \$n | $JOINTS | index(\$n)) | .name)"
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | [$JOINTS, $mixamo] as \$names | $rename |= (. as \$n | \"mixamorig:\" + \$names[1][\$names[0] | index(\$n)])"
    edit_glb "$SPROUT" game/sprout.glb "$ONLY_MESH | ($bones) as \$bones | $rename |= \"J_\" + . |
        .extensions.VRMC_vrm.humanoid.humanBones = (\$bones | map({(.bone): {node}}) | add)"
    is_whole '{file: moves.glb}'
    never says 'warning*'
    exits 0 info game/sprout.glb game/moves.glb
    says '*2 of 2 joints that the clips move match, retarget: exact'
    # VRM 0.x looks the other way: the model is turned, and the clip turns with it.
    edit_glb "$SPROUT" game/sprout.glb "$ONLY_MESH | ($bones) as \$bones | $rename |= \"J_\" + . | .extensions.VRM.humanoid.humanBones = \$bones"
    sprout_list cut game '{file: moves.glb}'
    exits 0 render --force cut.yaml
    never says 'warning*'
}

@test "info says what is in a file of clips, and how they play on a model named before it" {
    exits 0 info game/moves.glb
    says '  meshes *none: the clips are for models with these joints'
    says '*leaf_l'
    says '*sway *'
    exits 0 info game/sprout.glb game/moves.glb
    says '  plays on *game/sprout.glb'
    says '*[0-9] of [0-9] joints that the clips move match, retarget: exact'
    "$SHEETBAKE" info --json game/sprout.glb game/moves.glb >info.json
    jq -e '.files[0].match == null and (.files[1].match | length == 2)' info.json
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | .nodes[].name |= \"Bone_\\(.)\""
    exits 0 info game/sprout.glb game/moves.glb
    says '*0 of the * joints that its clips move are in *sprout.glb*'
}

@test "clips of an IQM play on a GLB, and those of a GLB on an IQM" {
    local crane=$BATS_TEST_DIRNAME/../fixtures/crane filter
    filter='(.nodes[] | select(.name == "root") | .name) = "shoulder" | (.nodes[] | select(.name == "middle") | .name) = "elbow"'
    cp "$crane"/*.iqm game
    edit_glb "$SPROUT" game/sprout.glb "$ONLY_MESH | $filter"
    edit_glb "$SPROUT" game/moves.glb "$ONLY_CLIPS | $filter"
    sprout_list cut game '{file: crane.iqm, clip: bend, name: sway}'
    exits 0 render cut.yaml
    [ "$(jq -r '[.meta.frameTags[].name] | join(" ")' out/cut/sprout.json)" = "sway/front" ]
    convert out/cut/sprout.png -crop 48x48 +repage cell-%d.png
    never cmp cell-0.png cell-2.png
    write_list crane "$PWD/game" <<<"- {name: crane, model: crane.iqm, cell: 48, sampling: {count: 5}, cameras: [front], animations: [{file: moves.glb, clip: sway}, {file: swing.iqm}]}"
    exits 0 render crane.yaml
    says 'warning: crane: *moves.glb: 1 of 2 joints that the clips move are not in the model: top; *'
    [ "$(jq -r '[.meta.frameTags[].name] | join(" ")' out/crane/crane.json)" = "sway/front swing/front" ]
}

@test "clips of a file that stands go on a model that lies in its own and that transform sets up" {
    edit_glb whole/sprout.glb lying.glb "$ONLY_MESH"' | .scenes[0].nodes as $roots
        | .nodes += [{name: "laid", rotation: [0.70710678, 0, 0, 0.70710678], children: $roots}]
        | .scenes[0].nodes = [.nodes | length - 1]'
    mv lying.glb game/sprout.glb
    sprout_list whole whole 'sway, swing'
    sprout_list cut game '{file: moves.glb}' ', transform: {up: x, front: "-z"}'
    exits 0 render --force whole.yaml
    exits 0 render --force cut.yaml
    [[ $output != *'bind poses differ'* ]]
    [ "$(compare -metric AE -fuzz 2% out/whole/sprout.png out/cut/sprout.png null: 2>&1)" -le 6 ]
}

@test "transform turns a model together with its clips where both lie alike in their files" {
    sprout_list whole whole 'sway, swing' ', transform: {rotation: [0, 0, 90]}'
    sprout_list cut game '{file: moves.glb}' ', transform: {rotation: [0, 0, 90]}'
    exits 0 render --force whole.yaml
    exits 0 render --force cut.yaml
    diff -x '*.sheetbake' -r out/whole out/cut
    [[ $output != *'bind poses differ'* ]]
}
