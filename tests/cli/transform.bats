# bats file_tags=asan

# Axes and units of models (`transform`): a model that the list transforms gives the sheets of the same model, transformed
# in its file.

load models
load sheets

# `thumb` draws in its own process in a build with the sanitizers: see thumb.bats.
setup_file() {
    export LSAN_OPTIONS=$LSAN_OPTIONS:use_tls=0
}

setup() {
    work_in_empty_folder
    MODELS=$BATS_TEST_DIRNAME/../../jobs/assets
    mkdir own
}

# The sprout below nodes, the outermost first, that do in the file what a job's `transform` would: glTF has y up and z in
# front, we have z up and x in front.
write_wrapped() { # name, transforms of nodes in JSON...
    edit_glb "$MODELS/models/sprout/sprout.glb" "own/$1.glb" "[$(IFS=, && echo "${*:2}")] as \$wraps"' |
        reduce ($wraps | reverse[]) as $wrap (.; .scenes[0].nodes as $roots
            | .nodes += [$wrap + {name: "wrap\(.nodes | length)", children: $roots}]
            | .scenes[0].nodes = [.nodes | length - 1])'
}

# Whether the pictures of two jobs have hardly a level between them: rounding differs.
looks_alike() { # folder, job, job
    local file other
    for file in "$1/$2".png "$1/$2".*.png; do
        other=$1/$3${file#"$1/$2"}
        [ "$(compare -metric AE -fuzz 1% "$file" "$other" null: 2>&1)" -le 6 ] || {
            echo "$file and $other differ"
            return 1
        }
    done
}

# What the JSON of a job says of its frames, cameras and sockets, to a hundredth of a pixel or unit.
told_of() { # file
    jq '[.frames[] | [.pivot, .duration, .sourceSize]], .meta.sheetbake.cameras, [.meta.sheetbake.sockets[]?[]]
        | walk(if type == "number" then (if fabs > 100 then 1 else 100 end) as $parts | . * $parts | round / $parts + 0 else . end)' "$1"
}

# Both jobs with these keys.
render_both() { # list, transform, more keys, more of the file's own job, more of the list's
    write_list "$1" "[own, $MODELS]" <<-END
	defaults:
	  cell: 64
	  light: rim
	  cameras: [front, three_quarter, {name: near, yaw: 70, pitch: 10, projection: perspective, fov: 40}]
	  sampling: {count: 2}
	  passes: [normal, depth, mask, skeleton, bounds]
	  $3
	jobs:
	- {name: file, model: $1.glb $4}
	- {name: list, model: models/sprout/sprout.glb, transform: $2 $5}
	- {name: plain, model: models/sprout/sprout.glb}
	END
    exits 0 render "$1.yaml"
    looks_alike "out/$1" file list
    never looks_alike "out/$1" plain list
    told_of "out/$1/file.json" >file.told
    told_of "out/$1/list.json" >list.told
    diff file.told list.told
}

@test "a model that the list turns and scales is drawn as one that its file turns and scales" {
    write_wrapped turned '{"rotation": [0, 0.7071068, 0, 0.7071068], "scale": [0.01, 0.01, 0.01]}'
    render_both turned '{scale: 0.01, rotation: [0, 0, 90]}' 'ground: shadow'
    facts() { jq -r .facts.bounds "out/turned/$1.sheetbake"; }
    [ "$(facts file)" = "$(facts list)" ]
    [ "$(facts list)" != "$(facts plain)" ]
}

@test "axes of a file are those that the list names, with all that hangs on the model" {
    # x to y, y to z and z to x, whoever counts
    write_wrapped axes '{"rotation": [0, 0.7071068, 0, 0.7071068]}' '{"rotation": [0.5, 0.5, 0.5, 0.5], "scale": [3, 3, 3]}'
    local joint
    joint=$("$SHEETBAKE" info --json "$MODELS/models/sprout/sprout.glb" | jq -r '.files[0].joints[-1].name')
    render_both axes '{up: y, scale: 3, rotation: [0, 0, 90]}' $'ground: contact\n  '"sockets: [$joint]" \
        ", attach: {model: models/plum/plum.md2, at: $joint, scale: 0.03}" \
        ", attach: {model: models/plum/plum.md2, at: $joint, scale: 0.01}"
}

@test "what hangs on a model or stands at its origin goes along with it" {
    write_list along "[$MODELS]" <<-END
	defaults:
	  cell: 64
	  passes: [normal, skeleton]
	  ground: contact
	  sockets: [tag_weapon]
	  animations: [LEGS_RUN+TORSO_STAND]
	  attach: [{model: models/plum/plum.md2, at: tag_weapon, scale: 0.2}, {name: beside, model: models/plum/plum.md2, offset: [0, 20, 0]}]
	jobs:
	- {name: plain, model: models/players/bolt, cameras: [{name: it, yaw: 20, pitch: 10}]}
	- {name: moved, model: models/players/bolt, cameras: [{name: it, yaw: 110, pitch: 10}], transform: {rotation: [0, 0, 90], scale: 20}}
	- {name: tags, model: models/players/bolt/upper.md3, animations: [], cameras: [{name: it, yaw: 20, pitch: 10}]}
	- {name: tags-moved, model: models/players/bolt/upper.md3, animations: [], cameras: [{name: it, yaw: 110, pitch: 10}], transform: {rotation: [0, 0, 90], scale: 20}}
	END
    exits 0 render along.yaml
    looks_alike out/along plain moved
    looks_alike out/along tags tags-moved
    scaled() { jq --argjson by "$2" '[.frames[].pivot], [.meta.sheetbake.sockets[][] | .depth /= $by] | walk(if type == "number" then . * 20 | round else . end)' "out/along/$1.json"; }
    diff <(scaled plain 1) <(scaled moved 20)
    diff <(scaled tags 1) <(scaled tags-moved 20)
}

@test "the way over the ground that is taken out is that of the model as it stands" {
    write_march own/march.md5anim 130
    cp "$MODELS"/models/pip/pip.md5mesh own
    write_list travel "[own, $MODELS]" <<-END
	defaults: {cell: 48, passes: [normal], animations: {file: march.md5anim}, sampling: {count: 3}}
	jobs:
	- {name: plain, model: pip.md5mesh, cameras: [{name: it, yaw: 0}]}
	- {name: turned, model: pip.md5mesh, cameras: [{name: it, yaw: 90}], transform: {rotation: [0, 0, 90], scale: 2}}
	- {name: lying, model: pip.md5mesh, cameras: [{name: it, pitch: -90, yaw: 270}], transform: {up: -y, front: x}}
	- {name: falling, model: pip.md5mesh, cameras: [{name: it, yaw: 0}], transform: {up: x, front: -z}}
	END
    exits 0 render travel.yaml
    looks_alike out/travel plain turned
    travel() { jq -c '.meta.sheetbake.animations[] | .travel // empty | [.distance, .x, .y, [.moved[] | [.x, .y]]]' "out/travel/$1.json"; }
    [ "$(travel plain)" = '[130,130,0,[[0,0],[43.333,0],[86.667,0]]]' ]
    [ "$(travel turned)" = '[260,0,260,[[0,0],[0,86.667],[0,173.333]]]' ]
    [ "$(travel lying)" = "$(travel plain)" ]
    [ -z "$(travel falling)" ]
}

@test "one axis leaves the other where it is most at home, and a transform holds in patterns and over defaults" {
    write_list home "$MODELS" <<-END
	defaults: {cell: 32, animations: [], passes: [normal], transform: {scale: 2}}
	jobs:
	- {name: y, model: models/plum/plum.md2, transform: {up: y}}
	- {name: y-z, model: models/plum/plum.md2, transform: {up: y, front: z}}
	- {name: z, model: models/plum/plum.md2, transform: {front: -z}}
	- {name: z-y, model: models/plum/plum.md2, transform: {front: -z, up: y}}
	- {name: minus, model: models/plum/plum.md2, transform: {up: -z}}
	- {name: minus-x, model: models/plum/plum.md2, transform: {up: -z, front: x}}
	- {name: side, model: models/plum/plum.md2, transform: {front: -y}}
	- {name: "any/{stem}", model: models/plum/*.md2, transform: {up: auto, rotation: [0, 0, 90]}}
	END
    exits 0 render home.yaml
    cmp out/home/y.png out/home/y-z.png
    cmp out/home/z.png out/home/z-y.png
    cmp out/home/minus.png out/home/minus-x.png
    looks_alike out/home side any/plum
    never looks_alike out/home y z
    [ "$(jq -r '.settings | with_entries(select(.key | startswith("transform"))) | map_values(tostring) | [to_entries[] | "\(.key)=\(.value)"] | join(" ")' out/home/any/plum.sheetbake)" = \
        'transform.front=auto transform.rotation=[0, 0, 90] transform.scale=2 transform.up=auto' ]
}

@test "what makes no sense in a transform is refused where it stands" {
    refuses() { # transform, message
        write_list bad <<<"- {name: a, model: models/die.md2, transform: $1}"
        exits 2 check bad.yaml
        says "bad.yaml:*$2"
    }
    refuses '{up: y, front: -y}' "'up: y' and 'front: -y' are one axis*"
    refuses '{up: -x, front: -x}' "'up: -x' and 'front: -x' are one axis*"
    refuses '{up: w}' "*'up'*'x'*'-z'*"
    refuses '{scale: 0}' "*'scale' must be a number from 0.0001 to 10000, found 0"
    refuses '{scale: -1}' "*'scale' must be a number from 0.0001 to 10000, found -1"
    refuses '{scale: nan}' "*'scale'*nan*"
    refuses '{scale: 1e30}' "*'scale' must be a number from 0.0001 to 10000, found 1e30"
    refuses '{rotation: [0, 0]}' "*'rotation'*"
    refuses '{rotate: 90}' "*unknown key 'rotate'*"
    refuses 2 "*'transform' must be a mapping*"
}

# The die is 2 units on each side.
@test "a scale that cuts a figure off is a warning with one that does not" {
    write_crop() { # pixels per unit of jobs that fit, and of others
        write_list crop <<-END
	defaults: {cell: [64, 48], animations: [{name: a, frames: 0}], cameras: [{name: near, projection: perspective}]}
	jobs:
	- {name: fits, model: models/die.md2, cameras: [front], fit: {pixels_per_unit: $1}}
	- {name: cut, model: models/die.md2, cameras: [front, left], fit: {scope: animation, pixels_per_unit: ${2-$1.1}}}
	- {name: near, model: models/die.md2, fit: {scope: frame, pixels_per_unit: ${3-30}}}
	- {name: grouped, model: models/die.md2, fit: {scope: all, pixels_per_unit: ${4-30}}}
	- {name: wall, model: models/die.md2, cameras: [{name: wall, eye: [9, 0, 0], target: [0, 0, 0.5]}], fit: {pixels_per_unit: ${5-24}}}
	END
    }
    holds() { sed -n "s/.*warning: $1: .*pixels_per_unit.*seen by.*holds it at //p" <<<"$stderr$output"; }
    # How many rows and columns at the edges of its first cell have something in them.
    at_the_edge() {
        local side
        for side in 64x1+0+0 64x1+0+47 1x48+0+0 1x48+63+0; do
            convert "out/crop/$1.png" -alpha extract -crop $side +repage -format '%[fx:maxima > 0]\n' info:
        done | grep -c 1 || true
    }
    write_crop 24
    exits 0 render -v crop.yaml
    local fitting
    fitting=$(for job in cut near grouped wall; do holds $job; done)
    [ "$(wc -w <<<"$fitting")" = 4 ]
    [ "$(head -n 1 <<<"$fitting")" = 23.99 ] # the margin of other scales is room, too
    never says '*warning: fits:*'
    [ "$(at_the_edge cut) $(at_the_edge near) $(at_the_edge grouped)" = '2 4 4' ]
    write_crop 24 $fitting
    exits 0 render --strict crop.yaml
    [ "$(at_the_edge near)$(at_the_edge grouped)" = 00 ]
    # A tenth more is too much, though it may be within the margin.
    write_crop 24 $(awk '{ print $1 * 1.12 }' <<<"$fitting")
    exits 3 check --strict crop.yaml
    says '  FAILED cut: *' && says '  FAILED near: *' && says '  FAILED wall: *'
}

@test "a group of models in other units says so once, and what the smallest and the largest are" {
    write_list group <<-END
	defaults: {cell: 32, animations: [], cameras: [front, left], fit: {scope: party}}
	jobs:
	- {name: giant, model: models/die.md2, transform: {scale: 10}}
	- {name: plain, model: models/die.md2, cell: 8, transform: {scale: 0.11}}
	- {name: dwarf, model: models/die.md2, transform: {scale: 0.099}}
	- {name: other, model: models/die.md2, transform: {scale: 0.0011}, fit: {scope: others}}
	- {name: others, model: models/die.md2, transform: {scale: 0.1}, fit: {scope: others}}
	END
    exits 0 render -j 3 group.yaml
    says "warning: dwarf: group 'party': 'giant' is 101 times as large as 'dwarf'; *\`transform: {scale: ...}\`*"
    [ "$(grep -c transform <<<"$stderr$output")" = 1 ]
    exits 0 render -v group.yaml
    [ "$(grep -c "'giant' is 101 times" <<<"$stderr$output")" = 1 ]
    exits 0 check -j 3 group.yaml
    [ "$(grep -c "'giant' is 101 times" <<<"$stderr$output")" = 1 ]
}

@test "pose takes the transform of a job, and says what is wrong with one" {
    exits 0 pose "$DIE/models/die.md2" -o plain.obj
    exits 0 pose "$DIE/models/die.md2" --transform '{rotation: [0, 0, 90], scale: 2}' -o turned.obj
    paste -d ' ' <(grep '^v ' plain.obj) <(grep '^v ' turned.obj) |
        awk 'function off(a, b) { return a - b > 1e-4 || b - a > 1e-4 }
            off($6, -2 * $3) || off($7, 2 * $2) || off($8, 2 * $4) { bad = 1 } END { exit bad || NR < 8 }'
    # thumb, too, reading its model once.
    exits 0 thumb "$DIE/models/die.md2" --camera '{yaw: 30}' -o plain.png
    exits 0 thumb "$DIE/models/die.md2" --camera '{yaw: 120}' --transform '{rotation: [0, 0, 90]}' -o turned.png
    exits 0 thumb "$DIE/models/die.md2" --camera '{yaw: 120}' -o other.png
    looks_like() { [ "$(compare -metric AE -fuzz 2% "$1" "$2" null: 2>&1)" -le 20 ]; }
    looks_like plain.png turned.png
    never looks_like plain.png other.png
    exits 2 pose "$DIE/models/die.md2" --transform '{up: y, front: -y}'
    says "sheetbake pose: --transform: 'up: y' and 'front: -y' are one axis*"
    exits 2 pose "$DIE/models/die.md2" --transform 90
    says 'sheetbake pose: --transform: *'
}

@test "check says the scale of each sheet, as its JSON has it" {
    write_list scale <<-END
	defaults: {cell: 32, animations: [], cameras: [front]}
	jobs:
	- {name: fit, model: models/die.md2}
	- {name: fixed, model: models/die.md2, fit: {pixels_per_unit: 3}}
	- {name: clips, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim}], fit: {scope: animation}}
	- {name: small, model: models/die.md2, transform: {scale: 0.1}, fit: {scope: pair}}
	- {name: large, model: models/die.md2, cell: 64, fit: {scope: pair}}
	END
    exits 0 render -q scale.yaml
    exits 0 check scale.yaml
    told() { sed -nE "s/^  $1: .*, (.*) pixels per unit.*/\1/p" <<<"$output"; }
    scales() { jq -r '[.. | .pixelsPerUnit? // empty] | unique[]' "out/scale/$1.json" | awk '{ printf "%s%.4g", (NR > 1 ? " to " : ""), $1 }'; }
    for job in fit fixed clips small large; do [ "$(told $job)" = "$(scales $job)" ]; done
    says '  small: *, 28.8 pixels per unit in group pair; bind 1'
    exits 0 check --only small scale.yaml # the rest of its group is looked at all the same
    says '  small: *, 28.8 pixels per unit in group pair; bind 1'
}
