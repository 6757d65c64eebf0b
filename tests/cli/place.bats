# bats file_tags=asan

# Where the model's origin is in the cells (`fit: {origin}`), and sets of cameras: directions with names and mirror images,
# views for octahedral impostors.

load models
load sheets

setup() {
    work_in_empty_folder
    mkdir -p game
    cp -r "$DIE"/. game
    convert -size 4x4 xc:white game/textures/white.png
}

# The middle of what a cell of 48 x 48 shows: "24 40". Cells are in rows of `columns`.
middle_of() { # picture, columns, number
    convert "$1" -crop "48x48+$(($3 % $2 * 48))+$(($3 / $2 * 48))" +repage -format '%@' info: |
        tr 'x+' '  ' | awk '{ print $3 + $1 / 2, $4 + $2 / 2 }'
}

# For each camera, the free pixels beside the model on the side that has the fewest, of what is not margin. `reach` is how far
# the die goes up: its corners are at -1 and 1. Cameras are "name yaw pitch fov", with a fov of 0 for orthographic ones. A
# second implementation: from the pivot and the scale that the JSON says.
room_of() { # json, cell, margin, reach, cameras
    local camera
    for camera in "${@:5}"; do
        set -- "$1" "$2" "$3" "$4" $camera
        jq -r --arg name "$5" '.meta.sheetbake | "\(.pivot.x) \(.pivot.y) \(.cameras[$name].pixelsPerUnit)"' "$1" |
            awk -v cell="$2" -v margin="$3" -v reach="$4" -v name="$5" -v yaw="$6" -v pitch="$7" -v fov="$8" '
            function least(a, b) { return a < b ? a : b }
            {
                px = $1; py = $2; scale = $3; turn = atan2(0, -1) / 180; room = cell
                yaw *= turn; pitch *= turn; half = fov / 2 * turn
                f = fov ? cell / 2 * cos(half) / sin(half) : 1e9
                distance = f / scale            # of the camera from the plane of the origin
                for (i = 0; i < 16; i++) {
                    x = i % 2 * 2 - 1; y = int(i / 2) % 2 * 2 - 1; z = int(i / 4) % 2 ? 1 : -1
                    if (i >= 8 && z > 0) z = reach
                    right = -x * sin(yaw) + y * cos(yaw)
                    near = (x * cos(yaw) + y * sin(yaw)) * cos(pitch) + z * sin(pitch)
                    up = -(x * cos(yaw) + y * sin(yaw)) * sin(pitch) + z * cos(pitch)
                    # The camera looks past the origin: its axis is at the middle of the cell.
                    u = cell / 2 + f * (right - (cell / 2 - px) / scale) / (distance - near)
                    v = cell / 2 - f * (up - (py - cell / 2) / scale) / (distance - near)
                    room = least(room, least(least(u, cell - u), least(v, cell - v)) - margin * cell)
                }
                printf "%s %.2f\n", name, room
            }'
    done
}

@test "the origin is at one whole pixel of all cells: directions, clips, cameras and jobs of a group" {
    write_list place game <<-END
	defaults: {cell: 48, fit: {scope: units, origin: [0.5, 0.6], margin: 0.04}, light: $UNLIT, sheet: {columns: 8}}
	jobs:
	- {name: die, model: models/die.md2, animations: [stand, hop],
	   cameras: [{camera: dimetric, directions: 8, name: c}, {name: near, projection: perspective, fov: 50, yaw: 20, pitch: 20}]}
	- {name: marker, model: models/die.md2, animations: [], transform: {scale: 0.2},
	   cameras: [{camera: isometric, directions: 8, name: c}, {name: near, projection: perspective, yaw: 110, pitch: 40},
	             {name: far, eye: [9, 7, 2], target: [0, 1, 5]}]}
	END
    exits 0 render place.yaml
    local file
    for file in out/place/die.json out/place/marker.json; do
        jq -e '[.frames[] | .anchor, .pivot | [.x * 48, .y * 48] | map(. * 1000 | round / 1000)] | unique == [[24, 29]]' $file
        jq -e '.meta.sheetbake.pivot == {x: 24, y: 29}' $file
    done
    # What is drawn there: a small die around the origin.
    local i
    for ((i = 0; i < 10; i++)); do
        [ "$(middle_of out/place/marker.png 8 $i)" = '24 29' ]
    done
    # Nothing of the large die is in the margin, and one of its cells has no more room.
    room_of out/place/die.json 48 0.04 2 'c-0 0 30 0' 'c-1 45 30 0' 'c-2 90 30 0' 'c-3 135 30 0' 'near 20 20 50' >room
    cat room
    awk '$2 < -0.01 { bad = 1 } $2 < 0.05 { tight = 1 } END { exit bad || !tight }' room
}

@test "each scope has the largest scale around the origin, also of a camera in perspective" {
    write_list scopes game <<-END
	defaults: {cell: 64, animations: [hop], light: $UNLIT}
	jobs:
	- {name: tall, model: models/die.md2, cameras: [{name: c, yaw: 30, pitch: 50}], fit: {origin: [0.3, 0.75]}}
	- {name: near, model: models/die.md2, cameras: [{name: c, yaw: 200, pitch: 15, projection: perspective, fov: 70}],
	   fit: {origin: [0.6, 0.4], scope: animation, margin: 0.1}}
	- {name: frame, model: models/die.md2, cameras: [{name: c, yaw: 200, pitch: 15}], fit: {origin: [0.5, 0.5], scope: frame}}
	END
    exits 0 render scopes.yaml
    [[ "$(room_of out/scopes/tall.json 64 0.05 2 'c 30 50 0')" =~ ^c\ -?0\.00$ ]]
    [[ "$(room_of out/scopes/near.json 64 0.1 2 'c 200 15 70')" =~ ^c\ -?0\.0[01]$ ]]
    jq -e '.frames | all(.[]; .pivot == {x: 0.5, y: 0.5})' out/scopes/frame.json
    jq -e '.meta.sheetbake.frames | length == 2 and (map(.pixelsPerUnit) | unique | length == 2)' out/scopes/frame.json
}

@test "an origin has the same pixel at other scales" {
    write_list scales game <<-END
	- {name: die, model: models/die.md2, cell: 33, scales: [1, 2, 3], animations: [], fit: {origin: [0.5, 0.77]}, metadata: [godot]}
	END
    exits 0 render scales.yaml
    [ "$(jq -c .meta.sheetbake.pivot out/scales/die.json)" = '{"x":17,"y":25}' ]
    [ "$(jq -c .meta.sheetbake.pivot out/scales/die@2x.json)" = '{"x":34,"y":50}' ]
    [ "$(jq -c .meta.sheetbake.pivot out/scales/die@3x.json)" = '{"x":51,"y":75}' ]
    grep -q 'metadata/pivot = Vector2(17, 25)' out/scales/*.tres*
}

@test "an origin is recorded where it is given, and a changed one makes the sheet anew" {
    write_small plain "model: models/die.md2, animations: []"
    write_small there "model: models/die.md2, animations: [], fit: {origin: [0, 0], pixels_per_unit: 5}"
    exits 0 render plain.yaml there.yaml
    never grep -q origin out/plain/plain.sheetbake
    grep -q '"fit.origin": "\[0, 0\]"' out/there/there.sheetbake
    never grep -q pivot.: out/plain/plain.sheetbake
    [ "$(jq -c .meta.sheetbake.pivot out/plain/plain.json)" = null ]
    exits 0 render there.yaml
    says '*1 sheet up to date*'
    sed -i 's/origin: \[0, 0\]/origin: [0.5, 1]/' there.yaml
    exits 0 render there.yaml
    says '1 sheet in *'
    # None takes back what the defaults say.
    sed -i 's/light: even/light: even, fit: {origin: [0.5, 0.5]}/; s/animations/fit: {origin: none}, animations/' plain.yaml
    exits 0 render plain.yaml
    says '*1 sheet up to date*'
}

@test "an origin without room, or behind the camera, fails its job" {
    write_list edge game <<-END
	defaults: {cell: 32, animations: [], fit: {origin: [0.5, 1], margin: 0}}
	jobs:
	- {name: die, model: models/die.md2, cameras: [front]}
	- {name: near, model: models/die.md2, cameras: [{name: close, projection: perspective}]}
	- {name: all, model: models/die.md2, fit: {scope: all}, cameras: [{camera: front, name: low}]}
	END
    exits 3 check edge.yaml
    exits 3 render edge.yaml
    local text="no scale fits around \`origin\` of \`fit\`, or it is behind the camera"
    says "error: die: seen by 'front', $text"
    says "error: near: seen by 'close', $text"
    says "error: all: seen by 'low', $text"
    [ "$(files out/edge)" = '' ]
    # At a given scale it is a matter of taste.
    sed -i 's/margin: 0/pixels_per_unit: 4/' edge.yaml
    exits 0 render edge.yaml
    says "*\`pixels_per_unit\` cuts it off: *"
}

@test "an origin that makes the model small is told, with one that does not" {
    write_list small game <<-END
	defaults: {cell: 64, animations: [], cameras: [front, left], fit: {margin: 0.1}}
	jobs:
	- {name: free, model: models/die.md2}
	- {name: half, model: models/die.md2, fit: {origin: [0.5, 0.65]}}
	- {name: given, model: models/die.md2, fit: {origin: [0.5, 0.85], pixels_per_unit: 1}}
	- {name: little, model: models/die.md2, fit: {origin: [0.5, 0.85]}}
	END
    exits 0 check small.yaml
    says "  warning: models/die.md2: \`fit.origin\` \[0.5, 0.85\] has little room on one side, and makes it small: with \[*\] it would be up to *.? times as large"
    [ "$(grep -c 'has little room' <<<"$output")" = 1 ]
    # In a group, it is said to the job that is why.
    write_list party game <<-END
	defaults: {cell: 64, animations: [], fit: {scope: units, origin: [0.5, 0.5], margin: 0.1}}
	jobs:
	- {name: small, model: models/die.md2, transform: {scale: 0.1}, cameras: [left]}
	- {name: big, model: models/die.md2, cameras: [front]}
	END
    exits 0 check party.yaml
    never says '*has little room*'
    sed -i 's/\[0.5, 0.5\]/[0.5, 0.85]/' party.yaml
    exits 0 check party.yaml
    [ "$(grep -c 'has little room' <<<"$output")" = 1 ]
    exits 0 check small.yaml
    # What it says is true: to the pixel that an origin is rounded to.
    local best factor
    best=$(sed -n 's/.*: with \(\[[^]]*\]\) it.*/\1/p' <<<"$output") factor=$(sed -n 's/.*up to \([0-9.]*\) times.*/\1/p' <<<"$output")
    scale_of() { sed -n "s/^  $1: .* \([0-9.]*\) pixels per unit.*/\1/p" <<<"$output"; }
    was=$(scale_of little)
    sed -i "/little/s/\[0.5, 0.85\]/$best/" small.yaml
    exits 0 check small.yaml
    awk -v was="$was" -v is="$(scale_of little)" -v factor="$factor" 'BEGIN { exit !(is / was > 0.95 * factor && is / was < 1.05 * factor) }'
}

@test "an origin that is found is the same for all of a group, at all scales, and no sheet is larger with another" {
    write_list found game <<-END
	defaults: {cell: 40, animations: [], cameras: [front, left]}
	jobs:
	- {name: alone, model: models/die.md2, fit: {origin: auto}, scales: [1, 3]}
	- {name: high, model: models/die.md2, fit: {origin: [0.5, auto]}}
	- {name: small, model: models/die.md2, fit: {scope: units, origin: auto}, transform: {scale: 0.3, rotation: [0, 90, 0]}}
	- {name: big, model: models/die.md2, fit: {scope: units, origin: auto}}
	END
    exits 0 check found.yaml
    scale_of() { sed -n "s/^  $1: .*, \([0-9.]*\) pixels per unit.*/\1/p" <<<"$output"; }
    origin_of() { sed -n "s/^  $1: .*, origin \(\[[^]]*\]\).*/\1/p" <<<"$output"; }
    local found=$output alone y best=0
    alone=$(origin_of alone)
    [ "$(origin_of small)" = "$(origin_of big)" ]
    [[ "$(origin_of high)" = "[0.5, "* ]]
    exits 0 check --json found.yaml
    jq -e '.jobs[] | select(.job == "alone") | .origin | .at == .best and .gain == 1' <<<"$output"
    # Once more with what is said, and with each other height.
    local was
    was=$(output=$found scale_of high)
    sed "s/fit: {origin: auto}, scales: .*/fit: {origin: $alone}}/; /high/d; /units/d" found.yaml >given.yaml
    for y in $(seq 2 38); do
        echo "- {name: y$y, model: models/die.md2, fit: {origin: [0.5, $(awk "BEGIN { print $y / 40 }")]}}" >>given.yaml
    done
    exits 0 check given.yaml
    [ "$(scale_of alone)" = "$(output=$found scale_of alone)" ]
    best=$(sed -n 's/^  y[0-9]*: .*, \([0-9.]*\) pixels per unit.*/\1/p' <<<"$output" | sort -g | tail -n 1)
    [ "$best" = "$was" ]
    # The pictures are there, too, and a list that says auto is stale where it said a number.
    exits 0 render found.yaml
    [ "$(jq -c .meta.sheetbake.pivot out/found/small.json)" = "$(jq -c .meta.sheetbake.pivot out/found/big.json)" ]
    jq -es '.[0].meta.sheetbake.pivot as $a | .[1].meta.sheetbake.pivot as $b | $b.x == 3 * $a.x and $b.y == 3 * $a.y' out/found/alone{,@3x}.json
    grep -q '"fit.origin": "\[0.5, auto\]"' out/found/high.sheetbake
    exits 0 render found.yaml
    says '*5 sheets up to date*'
    # What changes one of a group moves the origin of all.
    sed -i 's/rotation: \[0, 90, 0\]/rotation: [0, -90, 0]/' found.yaml
    exits 0 render found.yaml
    says '*3 up to date*'
    sed -i 's/\[0.5, auto\]/[0.5, 0.6]/' found.yaml
    exits 0 render found.yaml
    says '*4 up to date*'
}

@test "check tells a given origin that costs more than a quarter of the size, with the best one" {
    write_list guess game <<-END
	defaults: {cell: 64, animations: [], cameras: [front, left]}
	jobs:
	- {name: good, model: models/die.md2, fit: {origin: [0.5, 0.55]}}
	- {name: wrong, model: models/die.md2, fit: {origin: [0.5, 0.65]}}
	- {name: fixed, model: models/die.md2, fit: {origin: [0.5, 0.75], pixels_per_unit: 1}}
	END
    exits 0 check --strict guess.yaml
    says '  wrong: *, origin \[0.5, 0.65\] (1.[4-9]? times as large with \[0.5, 0.[0-9]*\])*'
    [ "$(grep -c 'as large with' <<<"$output")" = 1 ]
    exits 0 check --json guess.yaml
    jq -e '.jobs | map(.origin.gain) | .[0] < 4/3 and .[1] > 4/3 and .[2] == 1' <<<"$output"
    sed -i '/wrong/!{/- {/d}; s/, fit: .*/}/' guess.yaml
    exits 0 check --json guess.yaml
    jq -e '.jobs[0] | has("origin") and .origin == null' <<<"$output"
}

# The messages of a list of one job with these keys.
refuses() { # keys, message
    write_list bad game <<<"- {name: die, model: models/die.md2, $1}"
    exits 2 check bad.yaml
    says "bad.yaml:*: $2" || {
        echo "of: $1"
        return 1
    }
}

@test "bad origins are refused" {
    refuses 'pivot: [0.5, 0.85]' "*'pivot'*'fit: {origin: auto}' shows the model's origin at one pixel of all cells"
    refuses 'fit: {origin: 0.5}' "'origin' must be \[x, y\], parts of the cell from its top left or auto; auto or none, found *"
    refuses 'fit: {origin: [0.5, atuo]}' "a part of the cell, or auto, must be a number from 0 to 1, found 'atuo'"
    refuses 'fit: {origin: [0.5, 0.5, 0.5]}' "'origin' must be \[x, y\]*"
    refuses 'fit: {origin: [0.5, 48]}' "a part of the cell, or auto, must be *0 to 1*48*"
    refuses 'fit: {origin: [0.5, 0.97]}' "'origin' of 'fit' is at 0.97 of the cell, in the margin of 0.05; it must be from 0.05 to 0.95"
    refuses 'fit: {origin: [0.5, 0.5]}, cameras: {eye: [3, 0, 0], projection: perspective}' \
        "'origin' of 'fit' moves cameras, and the perspective camera 'camera-1' stands at its 'eye'"
}

@test "directions start from any camera" {
    write_list same game <<-END
	defaults: {cell: 32, animations: [], light: $UNLIT}
	cameras: {tiles: {camera: dimetric, roll: 3}}
	jobs:
	- {name: long, model: models/die.md2, cameras: {name: iso, directions: 8, pitch: 35.26439}}
	- {name: short, model: models/die.md2, cameras: {name: iso, directions: 8, camera: isometric}}
	- {name: own, model: models/die.md2, cameras: {camera: tiles, pitch: -20, projection: perspective}}
	- {name: own-long, model: models/die.md2, cameras: {yaw: 45, pitch: -20, roll: 3, projection: perspective}}
	END
    exits 0 render same.yaml
    cmp out/same/long.png out/same/short.png
    cmp out/same/own.png out/same/own-long.png
    [ "$(grep '"cameras\[' out/same/long.sheetbake)" = "$(grep '"cameras\[' out/same/short.sheetbake)" ]
}

@test "directions have names, and turn either way" {
    write_list names game <<-END
	defaults: {cell: 32, animations: [], light: $UNLIT, sheet: {columns: 8}}
	jobs:
	- {name: doom, model: models/die.md2, cameras: {directions: 8, pitch: 30, names: [1, 2, 3, 4, 5, 6, 7, 8]}}
	- {name: back, model: models/die.md2, cameras: {directions: 8, pitch: 30, start: 315, turn: clockwise, names: [se, e, ne, n, nw, w, sw, s]}}
	END
    exits 0 render names.yaml
    [ "$(jq -r '.animations | keys | join(" ")' out/names/doom.json)" = 'bind/1 bind/2 bind/3 bind/4 bind/5 bind/6 bind/7 bind/8' ]
    jq -e '.animations | has("bind/se") and has("bind/s")' out/names/back.json
    local i
    for ((i = 0; i < 8; i++)); do
        convert out/names/doom.png -crop 32x32+$((i * 32))+0 +repage one.png
        convert out/names/back.png -crop 32x32+$(((7 - i) * 32))+0 +repage other.png
        [ "$(compare -metric AE -fuzz 1% one.png other.png null: 2>&1)" = 0 ]
    done
    # Rotation 3 of Doom is seen from the model's left, which is green here.
    convert out/names/doom.png -crop 32x32+64+0 +repage cell.png
    open_pixels cell.png
    [ "$(pixel 12 15)" = 00ff00ff ]
}

@test "bad directions are refused" {
    refuses 'cameras: {camera: isometrc}' "no camera is called 'isometrc'; did you mean 'isometric'?"
    refuses 'cameras: {camera: [front]}' "'camera' must be text, found *"
    refuses 'cameras: {camera: front, eye: [1, 0, 0]}' "'camera' cannot be given together with 'eye'"
    refuses 'cameras: {directions: 3, names: [a, b]}' "2 names for 3 directions"
    refuses 'cameras: {directions: 2, names: [a, a]}' "camera 'a' is twice in this list"
    refuses 'cameras: {directions: 4, mirror: true, names: [s, w, n, s]}' "camera 's' is twice in this list"
    refuses 'cameras: {directions: 2, names: [a/b, c]}' "the name of a direction *'/'*"
    refuses 'cameras: {directions: 2, name: c, names: [a, b]}' "'name' cannot be given together with 'names'"
    refuses 'cameras: {names: [a, b]}' "'names' has a meaning only together with 'directions'"
    refuses 'cameras: {directions: 2, turn: left}' "'turn' must be 'counterclockwise' or 'clockwise', found *"
    refuses 'cameras: {directions: 8, mirror: maybe}' "'mirror' must be *"
    refuses 'cameras: {mirror: true}' "'mirror' has a meaning only together with 'directions'"
    refuses 'cameras: {directions: 8, start: 10, mirror: true}' "no direction is the mirror image of another: *"
    refuses 'cameras: {directions: 8, roll: 10, mirror: true}' "no direction is the mirror image of another: *"
    refuses 'cameras: {octahedral: 1}' "'octahedral' must be a whole number from 2 to 31, found *"
    refuses 'cameras: {octahedral: 4, pitch: 20}' "'pitch' cannot be given together with 'octahedral'"
    refuses 'cameras: {octahedral: 4, directions: 8}' "'octahedral' cannot be given together with 'directions'"
    refuses 'cameras: {octahedral: 4, sphere: whole}' "'sphere' must be 'half' or 'full', found *"
    write_list bad game <<-END
	cameras: {round: {directions: 4}, window: {eye: [3, 0, 0]}}
	jobs: [{name: die, model: models/die.md2, cameras: [{camera: round, name: a}, {camera: window, yaw: 3}]}]
	END
    exits 2 check bad.yaml
    says "bad.yaml:*: 'round' is several cameras, so no other camera can be made of it"
    says "bad.yaml:*: 'window' stands at its 'eye', so no other camera can be made of it"
}

# A pyramid whose point leans back. Its left side is like its right one; it has no normals, so its faces are flat.
write_pyramid() { # name
    local minus=0xbf800000 two=0x40000000 corner triangle a b c d e
    a="$minus $ZERO $minus" b="$ONE $ZERO $minus" c="$ONE $ZERO $ONE" d="$minus $ZERO $ONE" e="$ZERO $two $minus"
    for triangle in 'a b c' 'a c d' 'd c e' 'c b e' 'b a e' 'a d e'; do
        for corner in $triangle; do le32 ${!corner}; done
    done >"$1.bin"
    cat >"$1.gltf" <<-END
	{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
	 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
	 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 18, "type": "VEC3", "min": [-1, 0, -1], "max": [1, 2, 1]}],
	 "bufferViews": [{"buffer": 0, "byteLength": 216}], "buffers": [{"uri": "${1##*/}.bin", "byteLength": 216}]}
	END
}

@test "directions that are mirror images are left out, and are the others flipped" {
    write_pyramid game/models/pyramid
    write_list sides game <<-END
	defaults: {cell: 40, fit: {origin: [0.4, 0.7]}, sheet: {columns: 8}}
	jobs:
	- {name: five, model: models/pyramid.gltf, cameras: {camera: dimetric, directions: 8, names: [s, sw, w, nw, n, ne, e, se], mirror: true}}
	- {name: eight, model: models/pyramid.gltf, light: $UNLIT, fit: {origin: [0.6, 0.7]},
	   cameras: {camera: dimetric, directions: 8, names: [s, sw, w, nw, n, ne, e, se]}}
	- {name: flat, model: models/pyramid.gltf, light: $UNLIT, cameras: {camera: dimetric, directions: 8, mirror: true}}
	END
    exits 0 check sides.yaml
    says '*five: 1 page, 5 cells of 40x40, 5 cameras and 3 mirrored (pixels alike within 32 of 255 levels, 1 px away), *'
    exits 0 render sides.yaml # five: whatever side the light is on
    [ "$(jq -c '.meta.sheetbake.cameras | map_values(.mirrored)' out/sides/five.json)" = \
        '{"n":null,"nw":"ne","s":null,"sw":"se","w":"e"}' ]
    grep -q '"cameras\[1\]": "name: sw, .*, mirror: se"' out/sides/five.sheetbake
    never grep -q 'mirror' out/sides/eight.sheetbake
    # The pivot of the flipped cell is as far from the other side: 16 of 40 from the left are 24.
    local i
    for i in 1 2 3; do
        convert out/sides/flat.png -crop 40x40+$((i * 40))+0 +repage -flop one.png
        convert out/sides/eight.png -crop 40x40+$(((8 - i) * 40))+0 +repage other.png
        [ "$(compare -metric AE -fuzz 3% one.png other.png null: 2>&1)" = 0 ]
    done
    exits 0 render sides.yaml
    says '*3 sheets up to date*'
    # Made with force, a page is not taken for one that was looked at.
    sed -i '/five/s/mirror: true/mirror: force/' sides.yaml
    exits 0 render sides.yaml
    says '1 sheet in *'
}

@test "what is not its mirror image fails, unless it is forced" {
    write_list sides game <<-END
	defaults: {cell: 40, animations: [], sheet: {layout: packed}}
	jobs:
	- {name: five, model: models/die.md2, cameras: {directions: 4, names: [s, w, n, e], mirror: true}}
	END
    exits 3 render sides.yaml
    says "error: five.png: frame 0 of 'bind', seen by 'w', is not 'e' flipped: of *[0-9] pixels *[0-9] differ; \`mirror: force\` flips it all the same"
    [ "$(files out/sides)" = '' ]
    sed -i 's/mirror: true/mirror: force/' sides.yaml
    exits 0 check sides.yaml
    says '*, 3 cameras and 1 mirrored, *'
    exits 0 render sides.yaml
    jq -e '.meta.sheetbake.cameras.w.mirrored == "e"' out/sides/five.json
    # A turn of a model whose sides are alike: in its frames, not in its bind pose.
    write_list turned game <<-END
	- {name: die, model: models/die.md5mesh, skin: textures/white.png, animations: [{file: anims/turn.md5anim}], sampling: {times: [0, 0.1]},
	   cell: 40, light: $UNLIT, cameras: {camera: dimetric, directions: 8, mirror: true}}
	END
    exits 3 render turned.yaml
    says "error: die.png: frame 1 of 'turn', seen by 'camera-1-1', is not 'camera-1-7' flipped: *"
}

# What the shaders of impostors ask: the column and row of a direction. Standard input has yaw and pitch.
grid_of() { # half or full, cells on a side
    awk -v full="$([ "$1" = full ] && echo 1 || echo 0)" -v side="$2" '
        function sign(v) { return v < 0 ? -1 : 1 }
        function whole(v) { return int(v + 0.5) }
        {
            turn = atan2(0, -1) / 180
            x = sin($1 * turn) * cos($2 * turn); y = sin($2 * turn); z = cos($1 * turn) * cos($2 * turn)
            sum = x * sign(x) + y * sign(y) + z * sign(z); x /= sum; y /= sum; z /= sum
            if (full) {
                u = x; v = z
                if (y < -1e-6) { u = sign(x) * (1 - z * sign(z)); v = sign(z) * (1 - x * sign(x)) }
            } else { u = x + z; v = z - x }
            print whole((u + 1) / 2 * (side - 1)), whole((v + 1) / 2 * (side - 1))
        }'
}

@test "views of octahedral impostors are where shaders look for them" {
    write_list views game <<-END
	defaults: {cell: 24, animations: [], light: $UNLIT, fit: {origin: [0.5, 0.5]}}
	jobs:
	- {name: half, model: models/die.md2, cameras: {octahedral: 5, name: o}}
	- {name: full, model: models/die.md2, cameras: {octahedral: 6, name: o, sphere: full}}
	END
    exits 0 render views.yaml
    local sphere side i
    for sphere in half:5 full:6; do
        side=${sphere#*:} sphere=${sphere%:*}
        for ((i = 0; i < side * side; i++)); do
            sed -n "s/.*\"cameras\[$i\]\": \"name: o-$i, yaw: \([^,]*\), pitch: \([^,]*\),.*/\1 \2/p" "out/views/$sphere.sheetbake"
        done >views
        for ((i = 0; i < side * side; i++)); do echo $((i % side)) $((i / side)); done >expected
        grid_of $sphere $side <views >found
        # The edges of both spheres are folded: two cells there, and all four corners, are one view.
        [ $sphere = half ] || sed -i '1,7d; 12,13d; 18,19d; 24,25d; 30,$d' expected found
        diff expected found
        [ "$(size_of "out/views/$sphere.png")" = $((24 * side))x$((24 * side)) ]
    done
    [ "$(grep -c '"cameras.*, yaw: 0, pitch: -90,' out/views/full.sheetbake)" = 4 ]
    # From above, in the middle, the front is towards the top; the last cell is the front, those before it the right.
    open_pixels out/views/half.png
    [ "$(pixel $((48 + 16)) $((48 + 16)))" = 0000ffff ]
    [ "$(pixel $((96 + 10)) $((96 + 10)))" = ff0000ff ]
    [ "$(pixel $((0 + 10)) $((96 + 10)))" = ff00ffff ]
}
