# Not under the sanitizers: it looks at pixels; test_movie.
load sheets

# Previews of clips, as other programs decode them.

setup() {
    work_in_empty_folder
    SAMPLES=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets")
}

# Writes each frame of a moving picture, as it is seen, to DIR/N.png; `frames` has a line for each: its milliseconds.
take_apart() { # file, dir
    local line i=0 size
    mkdir -p "$2"
    if [[ $1 == *.webp ]]; then
        "$TOOLS/webp_frames" "$1" "$2" >"$2/info"
        plays=$(sed -n 's/^plays //p' "$2/info")
        frames=$(sed 1,2d "$2/info")
        for i in $(seq 0 $(($(wc -w <<<"$frames") - 1))); do
            convert -size "$(sed -n 2p "$2/info")" -depth 8 "rgba:$2/$i.rgba" "$2/$i.png"
        done
        return
    fi
    mkdir -p "$2/parts"
    "$BATS_TEST_DIRNAME/apng_frames" "$1" "$2/parts" >"$2/info"
    plays=$(sed -n 's/^plays //p' "$2/info")
    frames=$(sed -n '2,$s/ .*//p' "$2/info")
    size=$(size_of "$2/parts/0.png")
    convert -size "$size" canvas:none "$2/canvas.png"
    while read -r _ place dispose blend; do
        [ "$dispose $blend" = '0 0' ]
        convert "$2/canvas.png" "$2/parts/$i.png" -geometry "+${place#*+}" -compose copy -composite "$2/$i.png"
        cp "$2/$i.png" "$2/canvas.png"
        i=$((i + 1))
    done < <(sed 1d "$2/info")
}

# Fails unless the frames of a moving picture are these cells of a sheet with one page.
frames_are_cells() { # folder of take_apart, sheet without suffix, frame names...
    local i=0 name x y w h
    for name in "${@:3}"; do
        read -r x y w h < <(jq -r --arg name "$name" '.frames[$name].frame | "\(.x) \(.y) \(.w) \(.h)"' "$2.json")
        convert "$2.png" -crop "${w}x$h+$x+$y" +repage cell.png
        [ "$(compare -metric AE cell.png "$1/$i.png" null: 2>&1)" = 0 ] || {
            echo "frame $i of $1 is not $name"
            return 1
        }
        i=$((i + 1))
    done
    [ ! -e "$1/$i.png" ]
}

write_pip() { # name, previews
    write_list "$1" "$SAMPLES" <<-END
	- name: pip
	  model: models/pip/pip.md5mesh
	  animations: [{name: walk, file: walk.md5anim, sampling: {count: 6}}, {name: jump, file: jump.md5anim, loop: false, sampling: {count: 3}}]
	  cameras: {name: compass, directions: 4, pitch: 30}
	  cell: [48, 64]
	  previews: $2
	END
}

walk_frames() { # direction
    printf "pip/walk/compass-$1/%04d\n" 0 1 2 3 4 5
}

@test "a preview has the pixels of its cells, the durations of its clip, and repeats as the clip does" {
    local format suffix
    for format in apng webp; do
        suffix=${format/apng/png}
        write_pip "$format" "{format: $format}"
        exits 0 render "$format.yaml"
        [ "$(files "out/$format")" = "pip.json pip.png pip.preview@jump@compass-0.$suffix pip.preview@walk@compass-0.$suffix pip.sheetbake" ]
        take_apart "out/$format/pip.preview@walk@compass-0.$suffix" "$format-walk"
        frames_are_cells "$format-walk" "out/$format/pip" $(walk_frames 0)
        jq -r '[.frames | to_entries[] | select(.key | startswith("pip/walk/compass-0/")) | .value.duration] | add' "out/$format/pip.json" >sum
        [ "$(paste -sd+ <<<"$frames" | bc)" = "$(printf '%.0f' "$(cat sum)")" ]
        [ "$(sort -u <<<"$frames" | paste -sd' ')" = "$(jq -r '[.frames["pip/walk/compass-0/0000"].duration | floor, ceil] | unique | map(tostring) | join(" ")' "out/$format/pip.json")" ]
        [ "$plays" = 0 ]
        take_apart "out/$format/pip.preview@jump@compass-0.$suffix" "$format-jump"
        frames_are_cells "$format-jump" "out/$format/pip" pip/jump/compass-0/000{0,1,2}
        [ "$plays" = 1 ]
    done
    # Each frame of an APNG has what changed: the first has all.
    sed -n 2p apng-walk/info | grep -q ' 48x64+0+0 '
    sed 1,2d apng-walk/info | never grep ' 48x64+0+0 '
    # A program with another parser agrees.
    webpinfo out/webp/pip.preview@walk@compass-0.webp >webpinfo
    grep -q 'No error detected' webpinfo
    [ "$(grep -c 'Duration: 16[67]' webpinfo)" = 6 ]
}

@test "frames that are alike are kept, and take next to nothing" {
    write_list still <<-END
	- {name: die, model: models/die.md2, animations: [stand], previews: {}}
	END
    exits 0 render still.yaml
    take_apart out/still/die.preview@stand@three_quarter.png frames
    [ "$(paste -sd' ' <<<"$frames")" = '100 100 100 100' ]
    frames_are_cells frames out/still/die die/stand/three_quarter/000{0,1,2,3}
    [ "$(sed 1,2d frames/info | sort -u)" = '100 1x1+0+0 0 0' ]
}

@test "clips and cameras are chosen by names and patterns, and what no job has is a warning" {
    write_pip some '{clips: "W*", cameras: ["*-1", "*-3"]}'
    exits 0 render some.yaml
    [ "$(files out/some)" = 'pip.json pip.png pip.preview@walk@compass-1.png pip.preview@walk@compass-3.png pip.sheetbake' ]
    take_apart out/some/pip.preview@walk@compass-3.png frames
    frames_are_cells frames out/some/pip $(walk_frames 3)

    write_pip none '{clips: wlak, cameras: [compass-0, front]}'
    exits 0 check none.yaml
    says "*no preview of 'wlak': the job has no such clip"
    says "*no preview by 'front': the job has no such camera"

    write_list skins "$SAMPLES" <<-END
	- {name: plum, model: models/plum/plum.md2, skins: all, animations: [stand], sampling: {count: 2}, cell: 32, previews: {}}
	END
    exits 0 render skins.yaml
    [ "$(files out/skins)" = 'plum.json plum.png plum.preview@lime@stand@three_quarter.png plum.preview@plum@stand@three_quarter.png plum.sheetbake' ]
    take_apart out/skins/plum.preview@lime@stand@three_quarter.png lime
    frames_are_cells lime out/skins/plum plum/lime/stand/three_quarter/000{0,1}
}

@test "what does not move is shown by its cameras in turn" {
    write_list turn <<-END
	- {name: die, model: models/die.md5mesh, animations: [], cell: 24, cameras: {name: turn, directions: 8}, previews: {}}
	- {name: some, model: models/die.md5mesh, animations: [], cell: 24, cameras: [front, back, left], previews: {cameras: [left, front]}}
	END
    exits 0 render turn.yaml
    take_apart out/turn/die.preview@bind.png frames
    frames_are_cells frames out/turn/die $(printf 'die/bind/turn-%d/0000\n' 0 1 2 3 4 5 6 7)
    [ "$plays" = 0 ]
    [ "$(sort -u <<<"$frames")" = 375 ]
    take_apart out/turn/some.preview@bind.png some
    frames_are_cells some out/turn/some some/bind/{front,left}/0000
}

@test "frames of several pages, of packed and of trimmed sheets" {
    local name
    write_list pages <<-END
	defaults: {cell: 24, animations: [{name: jump, frames: 0-5}], cameras: [three_quarter], previews: {}}
	jobs:
	- {name: torn, model: models/die.md2, sheet: {max_size: 48, columns: 2}}
	- {name: packed, model: models/die.md2, sheet: {layout: packed, trim: true}}
	- {name: trimmed, model: models/die.md2, sheet: {trim: true, bleed: 3, padding: 4}}
	- {name: plain, model: models/die.md2}
	- {name: split, model: models/die.md2, split: animation}
	END
    exits 0 render pages.yaml
    [ -e out/pages/torn@1.png ]
    for name in torn packed trimmed split@jump; do
        cmp "out/pages/$name.preview@jump@three_quarter.png" out/pages/plain.preview@jump@three_quarter.png
        jq -e --arg name "$name.preview@jump@three_quarter.png" '.files | has($name)' "out/pages/$name.sheetbake"
    done
    jq -e '.files | keys | all(contains("preview") | not)' out/pages/torn@1.sheetbake
    exits 0 render pages.yaml
    says '*6 sheets up to date*'
}

@test "a size scales in linear light, a background lies behind, and quality loses some" {
    write_pip plain '{clips: walk}'
    write_pip small '{clips: walk, size: 32}'
    write_pip large '{clips: walk, size: 128}'
    write_pip behind "{clips: walk, background: '#ff000080'}"
    write_pip lossless '{clips: walk, format: webp}'
    write_pip lossy '{clips: walk, format: webp, quality: 40}'
    exits 0 render plain.yaml small.yaml large.yaml behind.yaml lossless.yaml lossy.yaml
    for name in plain small large behind lossy; do
        take_apart out/$name/pip.preview@walk@compass-0.* $name
    done
    [ "$(size_of small/0.png)" = 24x32 ]
    [ "$(size_of large/0.png)" = 96x128 ]
    # Both ways the picture keeps its colour and cover, which another program weighs in linear light.
    mean() { convert "$1" -alpha on -colorspace RGB -background black -scale 1x1! -format '%[fx:round(255*u.r*u.a)] %[fx:round(255*u.g*u.a)] %[fx:round(255*u.a)]\n' info:; }
    read -r red green alpha < <(mean plain/0.png)
    for name in small large; do
        read -r r g a < <(mean $name/0.png)
        [ $((r - red)) -ge -2 ] && [ $((r - red)) -le 2 ]
        [ $((g - green)) -ge -2 ] && [ $((g - green)) -le 2 ]
        [ $((a - alpha)) -ge -2 ] && [ $((a - alpha)) -le 2 ]
    done
    open_pixels behind/0.png
    [ "$(pixel 0 0)" = ff000080 ]
    [ "$(stat -c %s out/lossy/*.webp)" -lt "$(($(stat -c %s out/lossless/*.webp) * 2 / 3))" ]
    [ "$(compare -metric AE plain/0.png lossy/0.png null: 2>&1)" != 0 ]
}

@test "previews are made, verified and removed with their page" {
    local walk=out/list/pip.preview@walk@compass-0.png
    write_pip list '{clips: walk}'
    exits 0 render list.yaml
    exits 0 render list.yaml
    says '*1 sheet up to date*'
    exits 0 verify list.yaml

    cp "$walk" kept.png
    printf x >>"$walk"
    exits 3 verify list.yaml
    says "*pip.preview@walk@compass-0.png: *its bytes are not those that were written"
    exits 0 render list.yaml
    cmp kept.png "$walk"
    rm "$walk"
    exits 0 render --dry-run list.yaml
    says '*pip.preview@walk@compass-0.png*'
    exits 0 render list.yaml
    cmp kept.png "$walk"

    write_pip list '{clips: walk, format: webp}' # another format takes the place of the first
    exits 0 render list.yaml
    [ "$(files out/list)" = 'pip.json pip.png pip.preview@walk@compass-0.webp pip.sheetbake' ]
    write_pip list 'none'
    exits 0 render --dry-run list.yaml
    says '*previews*'
    exits 0 render list.yaml
    [ "$(files out/list)" = 'pip.json pip.png pip.sheetbake' ]

    write_pip list '{}'
    exits 0 render list.yaml
    write_list list "$SAMPLES" <<<'- {name: other, model: models/plum/plum.md2, cell: 16}'
    exits 0 render --prune list.yaml
    [ "$(files out/list)" = 'other.json other.png other.sheetbake' ]
    cp kept.png out/list/foreign.preview@walk.png
    exits 0 verify out/list
    says '*foreign.preview@walk.png: note: undescribed: no record beside it names this file'
}

@test "the number of workers and another run change no byte" {
    write_pip one '{format: webp, cameras: "*"}'
    write_pip two '{format: webp, cameras: "*"}'
    exits 0 render -j1 one.yaml
    exits 0 render -j2 two.yaml
    (cd out/one && sha256sum *.webp) >one.sums
    (cd out/two && sha256sum -c --quiet ../../one.sums)
}

@test "mistakes in previews are reported with their place" {
    write_pip bad '{clips: walk, quality: 50}'
    exits 2 check bad.yaml
    says "bad.yaml:*: 'quality' has a meaning only with 'format: webp'; an apng is always lossless"
    write_pip bad '{format: gif}'
    exits 2 check bad.yaml
    says "bad.yaml:*'format'*apng*webp*gif*"
    write_pip bad 'true'
    exits 2 check bad.yaml
    says "bad.yaml:*'previews' must be 'none' or a mapping; \`{}\` makes one of each clip*"
    write_pip bad '{clips: []}'
    exits 2 check bad.yaml
    says "bad.yaml:*a preview must have at least one clip and camera*"
    write_pip bad '{size: 8}'
    exits 2 check bad.yaml
    write_list many <<-END
	- {name: die, model: models/die.md2, cell: 8, cameras: {name: c, directions: 200}, previews: {cameras: "*"}}
	END
    exits 3 render many.yaml
    says "*sheet 'die' would have more than 256 previews: name fewer *"
    local long
    long=$(printf 'x%.0s' {1..60})
    write_list long <<-END
	- {name: $long$long, model: models/die.md2, animations: [{name: $long, frames: 0-1}], cell: 8, cameras: [{name: c$long}], previews: {}}
	END
    exits 3 render long.yaml
    says "*the file of a preview would be called '$long*c$long.png', which has * bytes; at most 223 are allowed"
    write_list ends <<<'- {name: a.preview, model: models/die.md2}'
    exits 2 check ends.yaml
    says '*ends like an output file*'
}

@test "thumb --animate shows a clip, or a turn around a model without one" {
    cp -r "$SAMPLES/models/pip" pip
    exits 0 thumb --animate walk.webp --animation walk.md5anim --size 48 pip/pip.md5mesh
    take_apart walk.webp walk
    [ "$(size_of walk/0.png)" = 48x48 ]
    [ "$(wc -w <<<"$frames")" -ge 8 ]
    exits 0 thumb --animate walk.png --animation walk.md5anim --size 48 pip/pip.md5mesh
    take_apart walk.png same
    for file in walk/*.png; do
        [ "$(compare -metric AE "$file" "same/${file#walk/}" null: 2>&1)" = 0 ]
    done

    rm pip/*.md5anim
    exits 0 thumb --animate turn.png --size 32 --camera front --background '#204060' pip/pip.md5mesh
    take_apart turn.png turn
    [ "$(paste -sd' ' <<<"$frames")" = "$(printf '125 %.0s' {1..24} | sed 's/ $//')" ]
    [ "$(identify -format %k turn/0.png)" -gt 10 ]
    [ "$(compare -metric AE turn/0.png turn/12.png null: 2>&1)" -gt 50 ] # its back

    exits 0 thumb --animate lossy.webp --quality 30 --size 64 pip/pip.md5mesh
    exits 0 thumb --animate exact.webp --size 64 pip/pip.md5mesh
    [ "$(stat -c %s lossy.webp)" -lt "$(stat -c %s exact.webp)" ]

    exits 2 thumb --animate walk.gif pip/pip.md5mesh
    says "*--animate writes a .png or a .webp, not 'walk.gif'*"
    exits 2 thumb --animate a.png -o b.png pip/pip.md5mesh
    exits 2 thumb --animate a.png --time 1 pip/pip.md5mesh
    exits 2 thumb --animate a.png --quality 3 pip/pip.md5mesh
    exits 2 thumb --quality 3 pip/pip.md5mesh
    exits 2 thumb --animate a.png --camera '{eye: [9, 0, 0], target: [0, 0, 0]}' pip/pip.md5mesh
    says "*--camera: this model has no clip, so the camera turns around it; one with an 'eye' does not turn"
    [ ! -e a.png ]
}
