# bats file_tags=asan

# What games are told of a frame besides its picture: boxes of parts, and events of clips.

load sheets

setup() {
    work_in_empty_folder
    ASSETS=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets")
}

# The frames of a job, one in a line: what a filter says of each.
frames() { # job, filter
    jq -c ".frames | to_entries[] | $2" "out/${1%%/*}.json"
}

# Compares the boxes of meshes with what the same job draws where all other meshes are hidden: cells that are trimmed to it.
compare_meshes() { # keys of the job, its meshes, most pixels that a side of a box may lie outside of what is drawn
    local keys=$1 meshes=($2) mesh other
    {
        echo "defaults: {cell: 96, supersample: 4, cameras: [three_quarter, {name: below, pitch: -40, roll: 20}], fit: {pixels_per_unit: $3, origin: [0.5, 0.75]}, sheet: {layout: packed, trim: true}}"
        echo "jobs:"
        echo "- {name: all, $keys, boxes: [$(printf '%s,' "${meshes[@]}")]}"
        for mesh in "${meshes[@]}"; do
            echo "- {name: $mesh, $keys, hide: [$(for other in "${meshes[@]}"; do [ "$other" = "$mesh" ] || printf '%s,' "$other"; done)]}"
        done
    } | write_list meshes "$ASSETS"
    exits 0 render --force meshes.yaml
    for mesh in "${meshes[@]}"; do
        jq -e --arg mesh "$mesh" --argjson most "$4" --slurpfile alone "out/meshes/$mesh.json" '.frames | length > 3 and
            all(to_entries[]; (.key | sub("^all"; $mesh)) as $frame | .value.boxes[$mesh] as $box
                | $alone[0].frames[$frame].spriteSourceSize as $drawn
                | [$drawn.x - $box.x, $drawn.y - $box.y, $box.x + $box.w - $drawn.x - $drawn.w,
                   $box.y + $box.h - $drawn.y - $drawn.h] | all(. >= 0 and . <= $most) or error("\($frame) \($box) \($drawn)"))' \
            out/meshes/all.json
    done
}

@test "the box of a mesh is around what is drawn of it, in all formats" {
    compare_meshes 'model: models/pip/pip.md5mesh, animations: [{file: wave.md5anim, sampling: {count: 3}}]' 'shell cloth face' 0.8 1
    compare_meshes 'model: models/pip/pip.glb, animations: [walk], sampling: {count: 3}' 'shell cloth face' 40 1
    compare_meshes 'model: models/plum/plum.md2, animations: [run], sampling: {count: 3}' 'mesh' 0.7 1
    compare_meshes 'model: models/players/bolt, animations: [LEGS_RUN], sampling: {count: 3}' 'l_left l_right u_torso u_left u_right h_head h_visor' 1 1
}

# The rectangle of 0.8 pixels to a unit, around the origin at 48, 72 of the cell, that holds the points which a joint moves
# most: by the weights of an md5mesh and the points of an OBJ of it, seen from the front.
box_of() { # joint, md5mesh, OBJ
    awk -v wanted="$1" '
        FNR == 1 { file++ }
        file == 1 && /^joints/ { inside = 1; next }
        file == 1 && inside && /^}/ { inside = 0 }
        file == 1 && inside { gsub(/"/, "", $1); if ($1 == wanted) joint = n; n++ }
        file == 1 && $1 == "numverts" { first += verts; verts = $2 }
        file == 1 && $1 == "vert" { from[first + $2] = $7; count[first + $2] = $8 }
        file == 1 && $1 == "weight" { of[$2] = $3; bias[$2] = $4; weights = $2 + 1 }
        file == 1 && $1 == "numweights" { left = $2 }
        file == 1 && $1 == "weight" && --left == 0 {
            for (v = first; v < first + verts; v++) {
                most = from[v]
                for (w = from[v]; w < from[v] + count[v]; w++) if (bias[w] > bias[most]) most = w
                is_in[v] = of[most] == joint
            }
        }
        file == 2 && $1 == "v" {
            if (is_in[points++]) {
                x = 48 + 0.8 * $3; y = 72 - 0.8 * $4
                if (!any++) { left_x = right_x = x; top = bottom = y }
                if (x < left_x) left_x = x; if (x > right_x) right_x = x
                if (y < top) top = y; if (y > bottom) bottom = y
            }
        }
        function up(a) { return a > int(a) ? int(a) + 1 : int(a) }
        END {
            x = int(left_x + 0.001); y = int(top + 0.001)
            printf "{\"h\":%d,\"w\":%d,\"x\":%d,\"y\":%d}\n", up(bottom - 0.001) - y, up(right_x - 0.001) - x, x, y
        }' "$2" "$3"
}

# The same model with the weights of each point in the opposite order.
turn_weights() { # md5mesh
    awk 'NR == FNR { if ($1 == "numweights") counts[++meshes] = $2; next }
        $1 == "numverts" { count = counts[++mesh] }
        $1 == "vert" { $7 = count - $7 - $8 }
        $1 == "weight" { $2 = count - 1 - $2; kept[$2] = $0; if ($2 == 0) for (w = 0; w < count; w++) print kept[w]; next }
        { print }' "$1" "$1"
}

@test "the box of a joint is around the points that it moves most" {
    local pip=$ASSETS/models/pip model joint frame clip
    mkdir -p game/models/pip
    cp "$pip"/*.md5anim game/models/pip
    turn_weights "$pip/pip.md5mesh" >game/models/pip/turned.md5mesh
    cp "$pip/pip.md5mesh" game/models/pip
    write_list joints game <<END
defaults: {cell: 96, cameras: [front], fit: {pixels_per_unit: 0.8, origin: [0.5, 0.75]}, boxes: [head, hand_l, antenna_2, FOREARM_L, scarf_2, chest, toes_r, "*_arm_?"],
  animations: [{file: wave.md5anim, sampling: {frames: [0, 7, 20]}}, {file: jump.md5anim, sampling: {frames: 10}}]}
jobs: [{name: pip, model: models/pip/pip.md5mesh}, {name: turned, model: models/pip/turned.md5mesh}]
END
    exits 0 render joints.yaml
    for model in pip turned; do
        for frame in wave:0:0 wave:1:7 wave:2:20 jump:0:10; do
            IFS=: read -r clip frame at <<<"$frame"
            "$SHEETBAKE" pose --animation "$clip.md5anim" --frame "$at" -o posed.obj "game/models/pip/$model.md5mesh"
            for joint in head hand_l antenna_2 FOREARM_L scarf_2 chest toes_r; do
                [ "$(jq -cS --arg frame "$model/$clip/front/000$frame" --arg joint "$joint" '.frames[$frame].boxes[$joint]' "out/joints/$model.json")" \
                    = "$(box_of "${joint,,}" "game/models/pip/$model.md5mesh" posed.obj)" ] || { echo "$joint in $clip $at of $model"; return 1; }
            done
        done
    done
    # A pattern has one box around all that it matches.
    sed 's/boxes: .*/boxes: [upper_arm_l, upper_arm_r],/' joints.yaml >apart.yaml
    exits 0 render -o apart apart.yaml
    jq -ce --slurpfile apart apart/pip.json 'all(.frames | to_entries[]; [$apart[0].frames[.key].boxes[]] as $arms
        | .value.boxes["*_arm_?"] | .x == ($arms | map(.x) | min) and .y + .h == ($arms | map(.y + .h) | max)
            and .x + .w == ($arms | map(.x + .w) | max))' out/joints/pip.json
}

@test "boxes of joints are the same whatever the format" {
    write_list formats "$ASSETS" <<END
defaults: {cell: 96, cameras: [three_quarter], animations: [], boxes: ["*head", "*forearm_l", "*scarf_2", "*chest", "*toes_r"]}
jobs:
- {name: md5, model: models/pip/pip.md5mesh, fit: {pixels_per_unit: 0.8, origin: [0.5, 0.75]}}
- {name: glb, model: models/pip/pip.glb, fit: {pixels_per_unit: 40, origin: [0.5, 0.75]}}
- {name: fbx, model: models/pip/pip.fbx, fit: {pixels_per_unit: 40, origin: [0.5, 0.75]}}
END
    exits 0 render formats.yaml
    local format
    for format in glb fbx; do
        jq -e --slurpfile other "out/formats/$format.json" '.frames[].boxes as $boxes | $other[0].frames[].boxes as $others | ($boxes | length == 5)
            and all($boxes | paths(numbers); . as $at | ($boxes | getpath($at)) - ($others | getpath($at)) | . >= -1 and . <= 1)' out/formats/md5.json
    done
}

@test "what is attached at a joint or tag is in its box" {
    write_list carried "$ASSETS" <<END
defaults:
  cell: 96
  supersample: 4
  cameras: [front, left]
  fit: {pixels_per_unit: 0.8, origin: [0.5, 0.7]}
  sheet: {layout: packed, trim: true}
  animations: [LEGS_RUN]
  attach: [{name: ball, model: models/plum/plum.md2, at: tag_weapon, scale: 0.2, animation: run}, {name: hat, to: ball, model: models/plum/plum.md2, scale: 0.5, offset: [0, 0, 90]}]
jobs:
- {name: bolt, model: models/players/bolt, boxes: [tag_weapon]}
- {name: alone, model: models/players/bolt, hide: '*'}
END
    exits 0 render carried.yaml
    jq -e --slurpfile alone out/carried/alone.json '.frames | length > 3 and all(to_entries[];
        .value.boxes.tag_weapon as $box | $alone[0].frames[.key | sub("^bolt"; "alone")].spriteSourceSize as $drawn
        | [$drawn.x - $box.x, $drawn.y - $box.y, $box.x + $box.w - $drawn.x - $drawn.w, $box.y + $box.h - $drawn.y - $drawn.h]
        | all(. >= 0 and . <= 1))' out/carried/bolt.json
}

@test "boxes are cut off at the cell, and what is outside has none" {
    write_list near "$ASSETS" <<END
defaults: {cell: 64, cameras: [front], fit: {pixels_per_unit: 4, origin: [0.5, 0.5]}, animations: [{file: wave.md5anim, sampling: {count: 2}}]}
jobs:
- {name: pip, model: models/pip/pip.md5mesh, boxes: [antenna_2, "*"]}
END
    exits 0 render near.yaml
    jq -ce '[.frames[].boxes] == [{"*": {x: 0, y: 0, w: 64, h: 32}}, {"*": {x: 0, y: 0, w: 64, h: 32}}]' out/near/pip.json
}

@test "a mesh that is hidden has its box, and pictures stay as they are" {
    write_list hidden "$ASSETS" <<END
defaults: {cell: 64, cameras: [front], animations: [{file: wave.md5anim, sampling: {count: 2}}]}
jobs:
- {name: pip, model: models/pip/pip.md5mesh, hide: face, boxes: [face], events: {wave: {0: a}}}
- {name: plain, model: models/pip/pip.md5mesh, hide: face}
END
    exits 0 render hidden.yaml
    cmp out/hidden/pip.png out/hidden/plain.png
    jq -e 'all(.frames[]; .boxes.face.w > 0)' out/hidden/pip.json
    jq -e 'del(.frames[].events, .frames[].boxes)' out/hidden/pip.json | sed 's/pip/plain/' >without.json
    jq . out/hidden/plain.json | diff without.json -
    never grep -q 'boxes\|events' out/hidden/plain.json out/hidden/plain.sheetbake
}

# The numbers of the frames that have each event of a clip, in order: "0 0 1 2".
frames_of() { # file, clip
    jq -r --arg clip "$2" '[.animations[$clip][] as $name | .frames[$name].events[]? | {event: tonumber, frame: ($name | split("/") | last | tonumber)}]
        | sort_by(.event) | map(.frame) | join(" ")' "$1"
}

@test "each event is in the frame that shows its keyframe, once" {
    local sampling frames job=0
    cat >rows <<END
animations: [run], sampling: {frames: all}|0 1 2 3 4 5 6 7
animations: [run], sampling: {count: 4}|0 0 1 1 2 2 3 3
animations: [run], sampling: {count: 3}|0 0 0 1 1 1 2 2
animations: [run], sampling: {count: 1}|0 0 0 0 0 0 0 0
animations: [run], sampling: {fps: 30}|0 3 6 9 12 15 18 21
animations: [run], sampling: {fps: 7}|0 0 1 2 2 3 4 4
animations: [run], sampling: {times: [0.3, 0.5]}|1 1 1 0 0 1 1 1
animations: [run], sampling: {times: [0.3, 0.5]}, loop: false|0 0 0 0 0 1 1 1
animations: [run], sampling: {times: [0, 0.2, 0.2, 0.4, 0.2]}|0 0 1 1 3 3 3 3
animations: [run], sampling: {count: 4}, loop: closed|0 0 1 1 2 2 3 0
animations: [run], sampling: {count: 2, range: [0.2, 0.6]}|0 0 1 1
animations: [run], sampling: {count: 2, range: [0.2, 0.6]}, loop: false|0 0 0 0 1
animations: [{name: run, rate: 20, sampling: {count: 4}}]|0 0 1 1 2 2 3 3
END
    {
        echo "defaults: {cell: 16, events: {RUN: {0: '0', 1: '1', 2: '2', 3: '3', 4: '4', 5: '5', 6: '6', 7: '7'}}}"
        echo 'jobs:'
        while IFS='|' read -r sampling frames; do
            echo "- {name: plum$((job++)), model: models/plum/plum.md2, cameras: [front, left], $sampling}"
        done <rows
    } | write_list events "$ASSETS"
    exits 0 render events.yaml
    job=0
    while IFS='|' read -r sampling frames; do
        [ "$(frames_of "out/events/plum$job.json" run/front)" = "$frames" ] ||
            { echo "$sampling: $(frames_of "out/events/plum$job.json" run/front), not $frames"; return 1; }
        [ "$(frames_of "out/events/plum$job.json" run/left)" = "$frames" ]
        job=$((job + 1))
    done <rows
    [ $job = 13 ]
}

@test "events go by the names that clips have in the job, or patterns" {
    write_list names "$ASSETS" <<END
jobs:
- {name: plum, model: models/plum/plum.md2, cell: 16, cameras: [front], animations: [{name: dash, clip: run}, stand, jump],
   sampling: {frames: all}, events: {dash: {3: [step, "a/b"]}, "[ds]*": {0: begin, 9: late}}}
END
    exits 0 render names.yaml
    [ "$(jq -c '[.frames | to_entries[] | select(.value.events) | [.key, .value.events]]' out/names/plum.json)" = \
        '[["plum/dash/front/0000",["begin"]],["plum/dash/front/0003",["step","a/b"]],["plum/stand/front/0000",["begin"]],["plum/stand/front/0009",["late"]]]' ]
}

# Declarations of Pip in def/pip.def, with the commands of the animation `wave`.
write_def() { # commands
    mkdir -p game/def
    printf 'model pip {\n\tmesh models/pip/pip.md5mesh\n\tanim wave models/pip/wave.md5anim {\n%s\n\t}\n}\n' "$1" >game/def/pip.def
}

@test "frame commands of Doom 3's declarations are events: they count from 1" {
    write_def $'frame 1 sound_body snd_hey // a comment\n random_cycle_start\n FRAME 5 footstep frame 5 leftfoot\n frame 6 fx "fx/a b"'
    cat >pip.yaml <<END
{version: 1, assets: [game, $ASSETS], output: out, jobs: [{name: pip, model: "def:pip", cell: 16, cameras: [front], sampling: {frames: all}, events: {wave: {4: mine}}}]}
END
    exits 0 render pip.yaml
    [ -z "$(grep warning <<<"$stderr")" ]
    [ "$(jq -c '[.frames | to_entries[] | select(.value.events) | [.key, .value.events]]' out/pip.json)" = \
        '[["pip/wave/front/0000",["sound_body snd_hey"]],["pip/wave/front/0004",["footstep","leftfoot","mine"]],["pip/wave/front/0005",["fx \"fx/a b\""]]]' ]
    exits 0 render pip.yaml
    says '*1 sheet up to date*'
    write_def $'frame 2 footstep\nframe x footstep\nframe 0 footstep\nframe 3\nframe 4000 footstep'
    exits 0 render pip.yaml
    says "warning: pip: def/pip.def:5: 'frame' wants a number from 1 and what happens there"
    says "warning: pip: def/pip.def:6: 'frame' wants a number from 1 and what happens there"
    says "warning: pip: def/pip.def:7: 'frame' wants a number from 1 and what happens there"
    says "warning: pip: def/pip.def:1: animation 'wave' has no frame 4000"
    [ "$(jq -c '[.frames[] | .events | select(.)]' out/pip.json)" = '[["footstep"],["mine"]]' ]
}

@test "more events than an animation may have are told" {
    write_def "$(seq -f 'frame 1 event_%g' 300)"
    write_list pip "[game, $ASSETS]" <<<'- {name: pip, model: "def:pip", cell: 16, cameras: [front], sampling: {frames: all}}'
    exits 0 render pip.yaml
    says "warning: pip: def/pip.def:260: 'frame' comes too often: the first 256 count"
    [ "$(grep -c "^warning: " <<<"$stderr")" = 1 ]
    jq -e '[.frames[].events | select(.)] | length == 1 and (.[0] | length == 256)' out/pip/pip.json
}

@test "another event or box makes a sheet anew, and diff says so" {
    write_list play "$ASSETS" <<END
jobs: [{name: plum, model: models/plum/plum.md2, cell: 16, cameras: [front], animations: [run], events: {run: {3: step}}, boxes: [mesh]}]
END
    exits 0 render play.yaml
    exits 0 render play.yaml
    says '*1 sheet up to date*'
    cp -r out before
    sed -i 's/step/land/' play.yaml
    exits 0 render play.yaml
    says '*plum.png*'
    exits 0 diff --json before out
    jq -e '.sheets | length == 1 and .[0].state == "moved"' <<<"$output"
    sed -i 's/, boxes: .mesh.//' play.yaml
    exits 0 render play.yaml
    says '*plum.png*'
    cmp before/play/plum.png out/play/plum.png
}

@test "events and boxes that there are not are mistakes, with what there is" {
    write_list wrong "$ASSETS" <<END
defaults: {cell: 16, cameras: [front]}
jobs:
- {name: a, model: models/plum/plum.md2, animations: [run, pain], events: {rnu: {1: step}}}
- {name: b, model: models/plum/plum.md2, animations: [run, pain], events: {"*": {7: step}, pain: {5: ouch}}}
- {name: c, model: models/pip/pip.md5mesh, animations: [], boxes: [haed]}
- {name: d, model: models/pip/pip.md5mesh, animations: [], boxes: [origin]}
- {name: e, model: models/plum/plum.md2, boxes: [tag_hand]}
- {name: f, model: models/pip/pip.md5mesh, animations: [], events: {bind: {0: step}}}
END
    exits 3 render wrong.yaml
    says "error: a: wrong.yaml:6:*: event 'step': no clip 'rnu' has a keyframe 1; there are run 0-7, pain 0-4"
    says "error: b: wrong.yaml:7:*: event 'ouch': no clip 'pain' has a keyframe 5; there are run 0-7, pain 0-4"
    says "error: c: wrong.yaml:8:*: box 'haed': models/pip/pip.md5mesh: no visible part 'haed', did you mean 'head'?*"
    says "error: d: wrong.yaml:9:*: box 'origin': models/pip/pip.md5mesh: no visible part 'origin'*"
    says "error: e: wrong.yaml:10:*: box 'tag_hand': models/plum/plum.md2: no visible part 'tag_hand' (it has mesh)"
    says "error: f: wrong.yaml:11:*: event 'step': no clip 'bind' has a keyframe 0; there are none"
    check wrong.yaml
    [ "$status" = 3 ] && says "*no clip 'rnu' has a keyframe 1*"
}

@test "templates have events, boxes and sockets of all frames, and the directions that are flipped; of an atlas, too" {
    cat >my.txt.mustache <<<'{{#pages}}{{#frames}}{{name}}{{#events}} e:{{event}}{{/events}}{{#boxes}} b:{{box}}:{{x}},{{y}},{{width}},{{height}}{{/boxes}}{{#sockets}} s:{{socket}}:{{x}}{{/sockets}}
{{/frames}}{{/pages}}'
    cat >flips.lua.mustache <<<'{{#clips}}{{clip}}{{#mirrored}} {{mirrored}}{{/mirrored}}
{{/clips}}'
    write_list told "[$ASSETS, .]" <<END
defaults: {cell: 32, sampling: {count: 4}, metadata: [json, my.txt.mustache, flips.lua.mustache], sheet: {max_size: 64}, atlas: all}
jobs:
- {name: pip, model: models/pip/pip.md5mesh, cameras: {directions: 4, name: c, mirror: force}, animations: [{file: wave.md5anim}], boxes: [head, "hand*"], sockets: [hand_r], events: {wave: {0: [begin, go], 3: hey}}}
END
    exits 0 render -q told.yaml
    [ -e out/told/pip@2.json ]
    [ "$(cat out/told/pip.lua out/told/pip@?.lua)" = $'wave/c-0\nwave/c-1 c-3\nwave/c-2' ]
    # The words of each line in any order: a JSON sorts boxes by name.
    words() { grep . | xargs -n1 -d '\n' sh -c 'printf "%s\n" $0 | LC_ALL=C sort | paste -sd" "' | LC_ALL=C sort; }
    jq -r '.meta.sheetbake.sockets.hand_r as $at | .frames | to_entries[] | [.key, (.value.events // [] | map("e:" + .))[],
        (.value.boxes // {} | to_entries[] | "b:\(.key):\(.value.x),\(.value.y),\(.value.w),\(.value.h)"),
        "s:hand_r:\($at[.key].x)"] | join(" ")' out/told/pip.json out/told/pip@?.json | words >expected
    [ "$(wc -l <expected)" = 12 ]
    words <out/told/pip.txt | diff expected -
    words <out/told/all.txt | diff expected -
    grep -q 'wave/c-0/0000 e:begin e:go e:hey b:' out/told/pip.txt
    # check looks into these lists, too.
    sed -i 's/{{event}}/{{evnt}}/' my.txt.mustache
    exits 3 check told.yaml
    says "*my.txt.mustache: line 1: no value 'evnt'*"
}
