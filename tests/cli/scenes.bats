# bats file_tags=asan

# Several models in one picture, passes beside it, and sockets, by the sample models: Pip (an MD5 with joints) and Plum (an
# MD2 with two skins).

load sheets

setup() {
    work_in_empty_folder
    ASSETS=$BATS_TEST_DIRNAME/../../jobs/assets
}

# The color of a mask that a JSON lists for a part, as rrggbbff.
mask_of() { # JSON, part
    jq -r --arg part "$2" '.meta.sheetbake.mask[] | select(.part == $part) | .color' "$1" | head -1 | sed 's/^#\(.*\)/\1ff/'
}

# How many pixels of a picture have this color.
count_color() { # file, rrggbbaa
    convert "$1" -depth 8 rgba:- | od -An -v -tx1 -w4 | tr -d ' ' | grep -cx "$2"
}

@test "an attachment hangs on its joint, and moves with it" {
    write_list plum "$ASSETS" <<-END
	defaults: {cell: 96, cameras: [front], passes: [mask], fit: {pixels_per_unit: 1}, animations: [{file: wave.md5anim, sampling: {count: 4}}]}
	jobs:
	- name: pip
	  model: models/pip/pip.md5mesh
	  attach: {name: ball, model: models/plum/plum.md2, at: HAND_L, scale: 0.1, animation: stand}
	  sockets: [hand_l]
	END
    exits 0 render plum.yaml
    local ball frame x y left top
    ball=$(mask_of out/plum/pip.json ball)
    open_pixels out/plum/pip.mask.png
    for frame in 0 1 2 3; do
        # Plum is small and stands on the hand: a few pixels above the socket there is nothing else.
        read -r x y left top < <(jq -r --arg f "pip/wave/front/000$frame" \
            '(.meta.sheetbake.sockets.hand_l[$f] | "\(.x | floor) \(.y | floor)") + " " + (.frames[$f].frame | "\(.x) \(.y)")' out/plum/pip.json)
        near_color $((left + x)) $((top + y)) "$ball" || { echo "frame $frame: no ball at $x,$y"; return 1; }
    done
}

# Whether a pixel of this color is within three pixels of a place.
near_color() { # x, y, rrggbbaa
    local x y
    for y in -3 -2 -1 0 1 2 3; do
        for x in -3 -2 -1 0 1 2 3; do
            [ "$(pixel $(($1 + x)) $(($2 + y)))" = "$3" ] && return
        done
    done
    return 1
}

@test "attachments hang on attachments: the scene is the same whichever of its models is the job's" {
    write_list chain "$ASSETS" <<-END
	defaults: {cell: 96, cameras: [front, left], fit: {pixels_per_unit: 1}}
	jobs:
	- name: pip
	  model: models/pip/pip.md5mesh
	  animations: [{file: wave.md5anim, sampling: {times: [0, 0.2, 0.5]}}]
	  attach:
	  - {name: plum, model: models/plum/plum.md2, offset: [0, 40, 0], animation: stand}
	  - {name: ball, model: models/plum/plum.md2, at: hand_l, scale: 0.2, rotation: [0, 90, 0]}
	  - {name: speck, model: models/plum/plum.md2, at: hand_l, scale: 0.1, rotation: [0, 90, 0], offset: [6, 0, 0]}
	- name: plum
	  model: models/plum/plum.md2
	  animations: [{name: stand, sampling: {times: [0, 0.2, 0.5]}}]
	  attach:
	  - {name: speck, to: ball, model: models/plum/plum.md2, scale: 0.5, offset: [0, 0, 30]}
	  - {name: ball, to: PIP, model: models/plum/plum.md2, at: hand_l, scale: 0.2, rotation: [0, 90, 0]}
	  - {name: pip, model: models/pip/pip.md5mesh, animation: {file: wave.md5anim}, offset: [0, -40, 0]}
	END
    render chain.yaml
    exited 0
    # The origins of the two scenes are 40 units apart, and so are their pictures.
    local different
    different=$(compare -metric AE -fuzz 1% \( out/chain/pip.png -trim +repage \) \( out/chain/plum.png -trim +repage \) null: 2>&1)
    [ "$different" -lt 20 ]
}

@test "what attachments hang on has to be there, and must not hang on them" {
    write_list circle "$ASSETS" <<-END
	- name: circle
	  model: models/plum/plum.md2
	  attach:
	  - {name: hat, to: head, model: models/plum/plum.md2}
	  - {name: head, to: torso, model: models/plum/plum.md2}
	  - {name: torso, to: head, model: models/plum/plum.md2}
	- name: absent
	  model: models/plum/plum.md2
	  attach:
	  - {name: hat, to: hed, model: models/plum/plum.md2}
	  - {name: head, model: models/plum/plum.md2}
	END
    check circle.yaml
    exited 2
    says "*circle.yaml:*: attachments hang on each other in a circle: 'head' to 'torso' to 'head'"
    says "*circle.yaml:*: no attachment is called 'hed'; did you mean 'head'?"
}

@test "the mask tells surfaces and attachments apart, in the colors that the JSON lists" {
    write_list mask "$ASSETS" <<-END
	- {name: two, model: models/plum/plum.md2, animations: [], cell: 64, passes: [mask], attach: {name: other, model: models/plum/plum.md2, offset: [0, 60, 0]}}
	END
    exits 0 render mask.yaml
    local own other all
    own=$(count_color out/mask/two.mask.png "$(mask_of out/mask/two.json plum)")
    other=$(count_color out/mask/two.mask.png "$(mask_of out/mask/two.json other)")
    all=$(convert out/mask/two.mask.png -depth 8 rgba:- | od -An -v -tx1 -w4 | grep -vc '00 00 00 00')
    [ "$own" -gt 100 ]
    [ "$other" -gt 100 ]
    [ $((own + other)) = "$all" ]
}

@test "depths are grey of 16 bits, from the nearest to the farthest" {
    write_list depth "$ASSETS" <<-END
	- {name: pip, model: models/pip/pip.md5mesh, animations: [], cell: 64, cameras: [front], supersample: 1, passes: [depth]}
	END
    exits 0 render depth.yaml
    [ "$(identify -format '%z %[channels]' out/depth/pip.depth.png)" = "16 gray" ]
    convert out/depth/pip.depth.png -depth 16 gray:depth.raw
    local codes nearest farthest
    codes=$(od -An -v -tu2 -w2 depth.raw | tr -d ' ' | sort -n | uniq)
    [ "$(head -1 <<<"$codes")" = 0 ]
    [ "$(tail -1 <<<"$codes")" -gt 60000 ]
    [ "$(wc -l <<<"$codes")" -gt 256 ]
    read -r nearest farthest < <(jq -r '.meta.sheetbake.cameras.front | "\(.nearest) \(.farthest)"' out/depth/pip.json)
    awk "BEGIN { exit !(0 < $nearest && $nearest < $farthest) }"
}

@test "all skins of a model are sets of cells, in the order of the model" {
    write_list skins "$ASSETS" <<-END
	- {name: plum, model: models/plum/plum.md2, skins: all, animations: [stand], sampling: {count: 2}, cell: 32}
	END
    exits 0 render skins.yaml
    [ "$(jq -r '.frames | keys[]' out/skins/plum.json | tr '\n' ' ')" = \
        "plum/lime/stand/three_quarter/0000 plum/lime/stand/three_quarter/0001 plum/plum/stand/three_quarter/0000 plum/plum/stand/three_quarter/0001 " ]
    check -v skins.yaml
    says "    surface '*' in skin 'lime': diffuse: *found models/plum/lime.tga"
    says "    surface '*' in skin 'plum': diffuse: *found models/plum/plum.pcx"
}

@test "a joint that does not exist fails its job alone, with the nearest and those there are" {
    write_list joints "$ASSETS" <<-END
	defaults: {cell: 16, animations: []}
	jobs:
	- {name: good, model: models/plum/plum.md2}
	- {name: bad, model: models/pip/pip.md5mesh, attach: {model: models/plum/plum.md2, at: hand_left}}
	- {name: worse, model: models/plum/plum.md2, sockets: [tag_hand]}
	END
    local command
    for command in check render; do
        $command joints.yaml
        exited 3
        says "*bad*joints.yaml:7:54: attachment 'plum': models/pip/pip.md5mesh: no joint 'hand_left', did you mean 'hand_l'*it has origin, hips, *"
        says "*worse*joints.yaml:8:56: socket 'tag_hand': models/plum/plum.md2: there is no 'tag_hand': it has neither joints nor a .tag file*"
    done
    [ "$(files out)" = "joints/good.json joints/good.png joints/good.sheetbake" ]
}

@test "each pass is a file of its own, listed by check and in the JSON" {
    write_list passes "$ASSETS" <<-END
	- {name: pip, model: models/pip/pip.md5mesh, animations: [], cell: 24, passes: [normal, depth, mask, uv, wireframe, clay, skeleton, bounds]}
	END
    local passes=" bounds clay depth mask normal skeleton uv wireframe" pass
    check -v passes.yaml
    for pass in $passes; do says "    pip.$pass.png: *"; done
    exits 0 render passes.yaml
    [ "$(files out/passes)" = "pip.bounds.png pip.clay.png pip.depth.png pip.json pip.mask.png pip.normal.png pip.png pip.sheetbake pip.skeleton.png pip.uv.png pip.wireframe.png" ]
    for pass in $passes; do
        [ "$(jq -r ".meta.sheetbake.passes.$pass" out/passes/pip.json)" = "pip.$pass.png" ]
        [ "$(size_of "out/passes/pip.$pass.png")" = "$(size_of out/passes/pip.png)" ]
        never cmp -s "out/passes/pip.$pass.png" out/passes/pip.png
    done
}

@test "the skeletons of attachments are drawn, too" {
    write_list bones "$ASSETS" <<-END
	- {name: both, model: models/plum/plum.md2, animations: [], cell: 64, passes: [clay, skeleton], attach: {model: models/pip/pip.md5mesh}}
	END
    exits 0 render bones.yaml
    [[ "$stderr" != *skeleton* ]]
    never cmp -s out/bones/both.clay.png out/bones/both.skeleton.png
}

@test "a model declaration gives mesh, skin and animations" {
    mkdir -p assets/def assets/models
    cp -r "$ASSETS/models/pip" assets/models
    cat >assets/def/robots.def <<-END
	model robot { mesh models/pip/pip.md5mesh offset ( 0 0 10 ) anim walk1 models/pip/walk.md5anim anim walk2 models/pip/walk.md5anim }
	model pip { inherit robot anim wave models/pip/wave.md5anim { frame 3 sound_hello } }
	model loop { inherit loop2 } model loop2 { inherit loop }
	END
    write_list robots "$PWD/assets" <<-END
	defaults: {cell: 24, sampling: {count: 2}}
	jobs:
	- {name: all, model: 'def:pip'}
	- {name: walks, model: 'def:PIP', animations: [walk]}
	- {name: loop, model: 'def:loop'}
	END
    exits 3 render robots.yaml
    says "error: loop: *inherit*"
    [ "$(jq -r '.animations | keys | join(" ")' out/robots/all.json)" = \
        "walk1/three_quarter walk2/three_quarter wave/three_quarter" ]
    [ "$(jq -r '.animations | keys | join(" ")' out/robots/walks.json)" = "walk1/three_quarter walk2/three_quarter" ]
    jq -e '.inputs["def/robots.def"]' out/robots/all.sheetbake
}

@test "a model declaration with a missing skin draws the model's own look, with a warning" {
    mkdir -p assets/def assets/models assets/skins
    cp -r "$ASSETS/models/pip" assets/models
    echo 'skin skins/burnt { * models/pip/face }' >assets/skins/a.skin
    cat >assets/def/pip.def <<-END
	model pip { "mesh" models/pip/pip.md5mesh }
	model pip_burnt { "inherit" "pip" "skin" "skins/brunt" }
	END
    write_list pips "$PWD/assets" <<-END
	defaults: {cell: 24, animations: []}
	jobs:
	- {name: plain, model: 'def:pip'}
	- {name: burnt, model: 'def:pip_burnt'}
	END
    exits 0 render pips.yaml
    says "warning: burnt: def:pip_burnt: no skin 'skins/brunt' is declared; drawn without it"
    cmp out/pips/plain.png out/pips/burnt.png
    echo 'skin skins/brunt { * models/pip/face }' >>assets/skins/a.skin
    exits 0 render pips.yaml
    never cmp -s out/pips/plain.png out/pips/burnt.png
}

@test "packed sheets are the same bytes from any number of workers" {
    write_list some <<-END
	defaults:
	  cell: 24
	  cameras: {directions: 4, name: side}
	  passes: [normal]
	  metadata: [aseprite, godot]
	jobs:
	- {name: a, model: models/die.md2, sheet: {layout: packed, trim: true, max_size: 64, bleed: 2, padding: 2}}
	- {name: b, model: models/die.md5mesh, sheet: {layout: packed, trim: true, power_of_two: true}}
	- {name: c, model: models/die.md2, sheet: {trim: true}, split: camera}
	END
    local workers
    for workers in 1 2 8; do
        exits 0 render -q -j $workers -o out/$workers some.yaml
    done
    diff -r out/1 out/2
    diff -r out/1 out/8
}
