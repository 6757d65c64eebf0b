# Not under the sanitizers: numbers of poses; scenes and pose parse the same.

# Root motion, and loops that close. Pip's walk (24 keyframes at 24 Hz) stays in place, and no keyframe repeats another.
# His march is the same walk in the style of Doom 3: it travels, and a 25th keyframe repeats the first.

load sheets
load models

setup() {
    work_in_empty_folder
    mkdir own
    cp "$BATS_TEST_DIRNAME"/../../jobs/assets/models/pip/{pip.md5mesh,walk.md5anim} own
    write_march own/march.md5anim 130
    OWN="[own, $BATS_TEST_DIRNAME/../../jobs/assets]"
}

# How many pixels of a picture are not empty.
area() { # file
    convert "$1" -alpha extract -threshold 1% -format '%[fx:round(mean*w*h)]' info:
}

# Far from the origin floats are coarser: a few pixels at edges may differ.
differing_pixels() { # two files
    compare -metric AE -fuzz 2% "$1" "$2" null: 2>&1 || true
}

looks_like() { # two files
    [ "$(differing_pixels "$1" "$2")" -le 10 ]
}

cells() { jq '.frames | length' "$1"; }
milliseconds() { jq '[.frames[].duration] | add | round' "$1"; }

@test "a clip that travels is drawn as if it stayed in place, with all that hangs on it" {
    write_list in-place "$OWN" <<-END
	defaults:
	  cell: 48
	  cameras: [left, three_quarter]
	  ground: shadow
	  sampling: {frames: [0, 7, 13, 23]}
	  sockets: [hand_l]
	  attach: {model: models/plum/plum.md2, at: hand_r, scale: 0.2, animation: stand}
	jobs:
	- {name: a, model: pip.md5mesh, animations: {name: go, file: walk.md5anim}}
	- {name: b, model: pip.md5mesh, animations: {name: go, file: march.md5anim}}
	- {name: keep, model: pip.md5mesh, animations: {name: go, file: march.md5anim, root_motion: keep}}
	END
    exits 0 render in-place.yaml
    looks_like out/in-place/a.png out/in-place/b.png
    [ "$(differing_pixels out/in-place/a.png out/in-place/keep.png)" -gt 100 ]
    for job in a b; do
        jq '[.frames[] | [.pivot, .duration]], [.meta.sheetbake.sockets.hand_l[] | map_values(. * 100 | round)]' out/in-place/$job.json >$job.places
    done
    diff a.places b.places
    # The shadows make up for some of it.
    [ $((2 * $(area out/in-place/keep.png))) -lt "$(area out/in-place/b.png)" ]
}

@test "the JSON tells how far a clip travels that stays in place" {
    write_list travel "$OWN" <<-END
	defaults: {cell: 16, sampling: {count: 4}}
	jobs:
	- {name: march, model: pip.md5mesh, animations: {file: march.md5anim}}
	- {name: once, model: pip.md5mesh, animations: {file: march.md5anim}, loop: false}
	- {name: keep, model: pip.md5mesh, animations: {file: march.md5anim}, root_motion: keep}
	- {name: walk, model: pip.md5mesh, animations: {file: walk.md5anim}}
	END
    exits 0 render travel.yaml
    travel() { jq -c '.meta.sheetbake.animations[].travel | [.distance, .x, .y, [.moved[].x]]' "out/travel/$1.json"; }
    [ "$(travel march)" = '[130,130,0,[0,32.5,65,97.5]]' ]
    [ "$(travel once)" = '[130,130,0,[0,43.333,86.667,130]]' ]
    [ "$(jq '.meta.sheetbake.animations[] | has("travel")' out/travel/{keep,walk}.json)" = $'false\nfalse' ]
}

@test "a loop that closes has its first keyframe once, and takes as long as in its game" {
    write_list loops "$OWN" <<-END
	defaults: {cell: 32, sampling: {frames: all}, sheet: {columns: 1}, fit: {scope: same}}
	jobs:
	- {name: found, model: pip.md5mesh, animations: {file: march.md5anim}}
	- {name: closed, model: pip.md5mesh, animations: {file: march.md5anim, loop: closed}}
	- {name: open, model: pip.md5mesh, animations: {file: march.md5anim}, loop: open}
	- {name: once, model: pip.md5mesh, animations: {file: march.md5anim}, loop: false}
	- {name: walk, model: pip.md5mesh, animations: {file: walk.md5anim}}
	- {name: shut, model: pip.md5mesh, animations: {file: walk.md5anim}, loop: closed}
	- {name: count, model: pip.md5mesh, animations: {file: march.md5anim, sampling: {count: 5}}}
	- {name: range, model: pip.md5mesh, animations: {file: march.md5anim, sampling: {frames: all, range: [0.5, 1]}}}
	- {name: md2, model: models/plum/plum.md2, animations: run}
	- {name: md2-closed, model: models/plum/plum.md2, animations: {name: run, loop: closed}}
	END
    exits 0 render loops.yaml
    local keyframes
    keyframes=$(cells out/loops/md2.json)
    length() { echo "$(cells "out/loops/$1.json") $(milliseconds "out/loops/$1.json")"; }
    [ "$(length found)" = '24 1000' ]
    [ "$(length closed)" = '24 1000' ]
    [ "$(length open)" = '25 1042' ]
    [ "$(length once)" = '25 1042' ] # the last is shown as long as the one before
    [ "$(length walk)" = '24 1000' ]
    [ "$(length shut)" = '23 958' ]
    [ "$(length count)" = '5 1000' ]
    [ "$(length range)" = '12 500' ]
    [ "$(cells out/loops/md2-closed.json)" = $((keyframes - 1)) ]
    local job
    for job in found open; do
        convert out/loops/$job.png -crop x32 +repage $job-%02d.png
    done
    looks_like open-00.png open-24.png
    [ "$(differing_pixels found-00.png found-23.png)" -gt 30 ]
}

@test "a named joint carries the model" {
    write_list joint "$OWN" <<-END
	defaults: {cell: 32, sampling: {count: 3}, fit: {scope: same}}
	jobs:
	- {name: first, model: pip.md5mesh, animations: {file: march.md5anim}}
	- {name: origin, model: pip.md5mesh, animations: {file: march.md5anim, root_motion: {joint: ORIGIN}}}
	- {name: hips, model: pip.md5mesh, animations: {file: march.md5anim}, root_motion: {joint: hips}}
	END
    exits 0 render joint.yaml
    cmp out/joint/first.png out/joint/origin.png
    looks_like out/joint/first.png out/joint/hips.png # hips sway, and still do
}

@test "a joint that is not there is a mistake, but of 'defaults' where a model has none at all" {
    write_list mixed "$OWN" <<-END
	defaults: {cell: 16, root_motion: {joint: hips}}
	jobs:
	- {name: fine, model: models/plum/plum.md2, animations: stand}
	- {name: none, model: models/plum/plum.md2, animations: stand, root_motion: {joint: hips}}
	- {name: wrong, model: pip.md5mesh, animations: {file: walk.md5anim, root_motion: {joint: hip}}}
	END
    exits 3 check mixed.yaml
    says "*none*animation 'stand': 'root_motion': models/plum/plum.md2 has no joints"
    says "*wrong*animation 'walk': 'root_motion': pip.md5mesh: no joint 'hip', did you mean 'hips'?*"
    never says '*FAILED fine*'
}

@test "info says which animations close and travel" {
    run "$SHEETBAKE" info own/pip.md5mesh own/march.md5anim own/walk.md5anim
    [ "$(grep -E '^  (frames|loop|travel)' <<<"$output" | sed -E 's/ +/ /g')" = \
        ' frames 25 at 24 Hz, 1.00 seconds
 loop closed: the last frame repeats the first
 travel 130 units by origin
 frames 24 at 24 Hz, 1.00 seconds
 loop open: the last frame blends into the first' ]
    run "$SHEETBAKE" info --json own/pip.md5mesh own/march.md5anim own/walk.md5anim
    [ "$(jq -c '.files[].clips[] | [.closes, .travel == 130, .travel == 0, .seconds_looped == 1]' <<<"$output")" = \
        $'[true,true,false,true]\n[false,false,true,true]' ]
}

@test "pose stays in place as render does" {
    at() { # x of the first vertex, in thousandths
        "$SHEETBAKE" pose own/pip.md5mesh "$@" | awk '$1 == "v" { printf "%.0f\n", $2 * 1000; exit }'
    }
    [ "$(at --animation march.md5anim --time 0.8125)" = "$(at --animation walk.md5anim --time 0.8125)" ]
    [ "$(at --animation march.md5anim --time 1.5)" = "$(at --animation walk.md5anim --time 0.5)" ]
    [ "$(at --animation march.md5anim --time 0.5 --root-motion keep)" = $(($(at --animation walk.md5anim --time 0.5) + 65000)) ]
}

@test "a figure whose hips travel stays in place, sways, and the job says so, unless its list does" {
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb" own
    write_march own/stroll.md5anim 12
    write_list hips "$OWN" <<-END
	defaults: {cell: 64, cameras: [left], sampling: {frames: [0, 7, 13, 23]}, retarget: exact}
	jobs:
	- {name: walk, model: pip.glb, animations: {name: go, file: walk.md5anim}}
	- {name: auto, model: pip.glb, animations: {name: go, file: march.md5anim}}
	- {name: remove, model: pip.glb, animations: {name: go, file: march.md5anim}, root_motion: remove}
	- {name: keep, model: pip.glb, animations: {name: go, file: march.md5anim}, root_motion: keep}
	- {name: stroll, model: pip.glb, animations: {name: go, file: stroll.md5anim}}
	- {name: part, model: pip.glb, animations: {name: go, file: march.md5anim, frames: 0-8, sampling: {frames: [0, 7]}}}
	END
    exits 0 render hips.yaml
    says "warning: auto: *pip.glb: drawn in place: go (*'hips'); \`root_motion: remove\` says that this is meant, \`keep\` shows the way"
    never says '*warning: remove*'
    never says '*warning: keep*'
    never says '*warning: stroll*'
    cmp out/hips/auto.png out/hips/remove.png
    looks_like out/hips/auto.png out/hips/walk.png
    [ $((2 * $(area out/hips/keep.png))) -lt "$(area out/hips/auto.png)" ]
    travels() { jq '.meta.sheetbake.animations[].travel.distance * 100 | round' out/hips/$1.json; }
    [ "$(travels auto)" = "$(travels remove)" ]
    [ "$(jq '.meta.sheetbake.animations[] | has("travel")' out/hips/{keep,stroll}.json)" = $'false\nfalse' ]
    exits 0 render -q -j1 -o together hips.yaml
    for name in walk auto remove keep stroll part; do
        exits 0 render -q -o apart --only $name hips.yaml
    done
    diff -r together apart
    exits 3 check --strict --only auto hips.yaml
    "$SHEETBAKE" pose own/pip.glb --animation own/march.md5anim --frame 12 2>said >/dev/null
    grep -qE "^sheetbake: warning: march: in place: it travels .* 'hips'; " said
    "$SHEETBAKE" pose own/pip.glb --animation own/march.md5anim --frame 12 --root-motion remove 2>said >/dev/null
    never grep 'in place' said
    exits 0 check --strict --only remove hips.yaml
}

@test "the joint that carries a figure is found by its name, or above both legs" {
    local glb="$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb" name
    travel_of() { # filter of jq
        edit_glb "$glb" own/made.glb "$1"
        "$SHEETBAKE" info --json own/made.glb | jq -r '.files[0].clips[0] | "\(.travels_by) \(.travel == 2)"'
    }
    # The only clip takes the hips 2 metres to the front in a second.
    local FAR='(.buffers | length) as $b | (.bufferViews | length) as $v | (.accessors | length) as $a |
        .buffers += [{uri: "data:;base64,AAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAACAPwAAAEA=", byteLength: 32}] |
        .bufferViews += [{buffer: $b, byteLength: 8}, {buffer: $b, byteOffset: 8, byteLength: 24}] |
        .accessors += [{bufferView: $v, componentType: 5126, type: "SCALAR", count: 2, min: [0], max: [1]},
            {bufferView: ($v + 1), componentType: 5126, type: "VEC3", count: 2}] |
        .animations = [{name: "go", samplers: [{input: $a, output: ($a + 1)}],
            channels: [{sampler: 0, target: {path: "translation", node: (.nodes | map(.name) | index("hips"))}}]}]'
    [ "$(travel_of .)" = 'null false' ]
    [ "$(travel_of "$FAR")" = 'hips true' ]
    for name in mixamorig:Hips Bip01_Pelvis ROOT; do
        [ "$(travel_of "$FAR | (.nodes[] | select(.name == \"hips\") | .name) = \"$name\"")" = "$name true" ]
    done
    [ "$(travel_of "$FAR | (.nodes[] | select(.name == \"hips\") | .name) = \"belly\"")" = 'belly true' ] # above both legs
    [ "$(travel_of "$FAR | (.nodes[] | select(.name | test(\"hips|thigh_l\")) | .name) |= \"some_\" + .[0:1]")" = 'null false' ]
}

@test "thumb shows a figure whose hips travel in place, as large as it is, unless asked otherwise" {
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.glb" own
    show() { # file, more options
        exits 0 thumb --animate "$1" --size 64 --animation march.md5anim --camera left "${@:2}" own/pip.glb
        convert "${1}[0]" "first-$1"
    }
    show auto.png
    says "*warning: *drawn in place: *'hips'*"
    show remove.png --root-motion remove
    never says '*drawn in place*'
    show keep.png --root-motion keep
    cmp auto.png remove.png
    [ $((2 * $(area first-keep.png))) -lt "$(area first-auto.png)" ]
    exits 2 thumb --root-motion drop -o no.png own/pip.glb
    says "*--root-motion: 'root_motion' must be 'auto', 'remove' or 'keep', found 'drop'"
}
