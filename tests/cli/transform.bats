# Axes and units of models (`transform`): a model that the list transforms gives the sheets of the same model, transformed
# in its file.

load sheets

setup() {
    work_in_empty_folder
    MODELS=$BATS_TEST_DIRNAME/../../jobs/assets
    mkdir own
}

# The sprout below nodes, the outermost first, that do in the file what a job's `transform` would: glTF has y up and z in
# front, we have z up and x in front.
write_wrapped() { # name, transforms of nodes in JSON...
    local glb=$MODELS/models/sprout/sprout.glb length
    length=$(od -An -tu4 -j12 -N4 "$glb")
    tail -c +21 "$glb" | head -c "$length" |
        jq --argjson wraps "[$(IFS=, && echo "${*:2}")]" '
            reduce ($wraps | reverse[]) as $wrap (.; .scenes[0].nodes as $roots
                | .nodes += [$wrap + {name: "wrap\(.nodes | length)", children: $roots}]
                | .scenes[0].nodes = [.nodes | length - 1])
            | .buffers[0].uri = "sprout.bin"' >"own/$1.gltf"
    tail -c +$((29 + length)) "$glb" >own/sprout.bin
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
	- {name: file, model: $1.gltf $4}
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
	END
    exits 0 render along.yaml
    looks_alike out/along plain moved
    scaled() { jq --argjson by "$2" '[.frames[].pivot], [.meta.sheetbake.sockets[][] | .depth /= $by] | walk(if type == "number" then . * 20 | round else . end)' "out/along/$1.json"; }
    diff <(scaled plain 1) <(scaled moved 20)
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
