# bats file_tags=asan
load models
load sheets

# `thumb` draws in its own process in a build with the sanitizers. The leak checker of clang 14 then dies of the thread-local
# memory of threads that the driver has ended, so it leaves that memory out.
setup_file() {
    export LSAN_OPTIONS=$LSAN_OPTIONS:use_tls=0
}

setup() {
    work_in_empty_folder
    cp -r "$DIE" die
    SAMPLES=$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets")
}

thumb() {
    run --separate-stderr "$SHEETBAKE" thumb "$@"
}

# Whether two pictures are the same to the pixel.
same() { # picture, other
    [ "$(compare -metric AE "$1" "$2" null: 2>&1)" = 0 ]
}

# Pixels that are not transparent.
drawn() { # picture
    convert "$1" -alpha extract -threshold 50% -format '%[fx:int(mean*w*h+0.5)]' info:
}

# bats test_tags=quick
@test "a picture of a model, with nothing else said" {
    exits 0 thumb die/models/die.md2
    [ -z "$stderr" ]
    [ "$(size_of die-thumb.png)" = 256x256 ]
    [ "$(drawn die-thumb.png)" -gt 20000 ] # it fills its square
    [ "$(find . -newer "$DIE" -name '*.png' -not -path './die/*')" = ./die-thumb.png ]
}

@test "the default side is a three-quarter view of the front" {
    exits 0 thumb -o any.png die/models/die.md2
    exits 0 thumb -o chosen.png --camera '{yaw: 30, pitch: 20}' die/models/die.md2
    same any.png chosen.png
}

@test "it is the picture that render makes" {
    exits 0 thumb -o thumb.png --size 64 --camera left die/models/die.md2
    write_list one die <<<"- {name: die, model: models/die.md2, animations: [], cell: 64, supersample: 4, cameras: [left], fit: {scope: frame, margin: 0.04}}"
    exits 0 render one.yaml
    same thumb.png out/one/die.png
}

@test "--size is the size, and - standard output" {
    "$SHEETBAKE" thumb --size 40 -o - die/models/die.md2 >piped.png
    [ "$(size_of piped.png)" = 40x40 ]
    thumb --size 40 -o file.png die/models/die.md2
    cmp piped.png file.png
    exits 2 thumb --size 0 die/models/die.md2
}

@test "animation and time show what pose writes" {
    thumb -o rest.png --camera front die/models/die.md2
    exits 0 thumb -o hop.png --animation hop --camera '{eye: [20, 0, 0], target: [0, 0, 0], projection: perspective, fov: 20}' die/models/die.md2
    exits 0 thumb -o up.png --animation HOP --time 0.1 --camera '{eye: [20, 0, 0], target: [0, 0, 0], projection: perspective, fov: 20}' die/models/die.md2
    # One unit up, of 7.05 that the camera sees at the die's middle: 36 of 256 pixels.
    local before after
    before=$(convert hop.png -trim -format %Y info:) after=$(convert up.png -trim -format %Y info:)
    ((${before#+} - ${after#+} >= 30 && ${before#+} - ${after#+} <= 42))
}

@test "a time past the end comes round again" {
    thumb -o first.png --animation hop --time 0.1 die/models/die.md2
    exits 0 thumb -o later.png --animation hop --time 2.1 die/models/die.md2
    same first.png later.png
    exits 0 thumb -o before.png --animation hop --time -0.1 die/models/die.md2
    same first.png before.png
}

@test "a clip that plays once by its name stays at its end" {
    cp die/anims/turn.md5anim die/models/die.md5anim
    exits 0 thumb -o end.png --camera front --animation die.md5anim --time 0.5 die/models/die.md5mesh
    exits 0 thumb -o later.png --camera front --animation die.md5anim --time 9 die/models/die.md5mesh
    same end.png later.png
    thumb -o begin.png --camera front --animation die.md5anim die/models/die.md5mesh
    never same end.png begin.png
}

@test "an animation file is found in the assets, by path or beside the model" {
    cp die/anims/turn.md5anim die/models
    exits 0 thumb --assets die -o path.png --camera front --animation anims/turn.md5anim --time 0.25 models/die.md5mesh
    exits 0 thumb -o beside.png --camera front --animation turn.md5anim --time 0.25 die/models/die.md5mesh
    same path.png beside.png
    thumb -o bind.png --camera front die/models/die.md5mesh
    never same bind.png beside.png
}

@test "a model with one clip is shown in that" {
    local sprout=$BATS_TEST_DIRNAME/../../jobs/assets/models/sprout/sprout.glb
    edit_glb "$sprout" one.glb '.animations |= [.[1] | .name = "Death"]'
    exits 0 thumb one.glb -o default.png
    exits 0 thumb one.glb --animation death -o named.png
    cmp default.png named.png
    exits 0 thumb one.glb --animate turn.png
    exits 0 thumb one.glb --animation death --animate clip.png
    cmp turn.png clip.png
}

@test "an MD5 is shown at rest where there is an animation for that" {
    thumb -o bind.png --camera left die/models/die.md5mesh
    cp die/anims/turn.md5anim die/models/walk.md5anim
    thumb -o walk.png --camera left die/models/die.md5mesh
    same bind.png walk.png
    cp die/anims/hop.md5anim die/models/die_idle_long.md5anim
    cp die/anims/turn.md5anim die/models/Idle.md5anim
    exits 0 thumb -o idle.png --camera left die/models/die.md5mesh
    exits 0 thumb -o turn.png --camera left --animation Idle.md5anim die/models/die.md5mesh
    same idle.png turn.png
}

@test "an MD5 is shown in the only animation beside it that fits" {
    thumb -o bind.png --camera left die/models/die.md5mesh
    sed 's/^numFrames .*/numFrames 1/; /^frame 0/,/}/d; s/^frame 1/frame 0/' die/anims/turn.md5anim >die/models/turned.md5anim
    exits 0 thumb -o turned.png --camera left --animation turned.md5anim die/models/die.md5mesh
    exits 0 thumb -o only.png --camera left die/models/die.md5mesh
    same only.png turned.png
    cp "$SAMPLES"/models/pip/{idle,wave}.md5anim die/models # of another skeleton
    thumb -o only.png --camera left die/models/die.md5mesh
    same only.png turned.png
    cp die/anims/hop.md5anim die/models
    exits 0 thumb -o several.png --camera left die/models/die.md5mesh
    same several.png bind.png
    run ! same bind.png turned.png
}

@test "an MD2 is shown in a standing or idle clip, and any of its keyframes" {
    local fixed="{eye: [20, 0, 0], target: [0, 0, 0], projection: perspective, fov: 20}" # a hop shows
    exits 0 thumb -o first.png --frames 0 --camera "$fixed" die/models/die.md2
    exits 0 thumb -o up.png --frames 5 --camera "$fixed" die/models/die.md2
    run ! same first.png up.png
    thumb -o default.png --camera "$fixed" die/models/die.md2
    same first.png default.png
    printf 'fall 0 0 10\ncstand 0 0 10\nstand_2 5 5 10\n' >die/models/die.anm
    exits 0 thumb -o standing.png --camera "$fixed" die/models/die.md2
    same standing.png up.png
    exits 0 thumb -o run.png --frames 4-5 --time 0.1 --camera "$fixed" die/models/die.md2
    same run.png up.png
    exits 2 thumb --frames 99 die/models/die.md2
    says 'sheetbake: die/models/die.md2: no keyframe 99, it has 0-*'
    exits 2 thumb --frames 1 --animation hop die/models/die.md2
}

@test "an idle animation of another skeleton does not matter" {
    thumb -o bind.png die/models/die.md5mesh
    cp "$SAMPLES/models/pip/idle.md5anim" die/models
    exits 0 thumb -o still.png die/models/die.md5mesh
    same bind.png still.png
}

@test "background, skin and light are those of job lists" {
    exits 0 thumb --size 32 -o plain.png --background '#102030' die/models/die.md2
    open_pixels plain.png
    [ "$(pixel 0 0)" = 102030ff ]
    convert -size 8x8 xc:'#ff8000' die/textures/orange.png
    exits 0 thumb --assets die --size 32 -o orange.png --camera front --skin textures/orange.png --light "$UNLIT" models/die.md2
    open_pixels orange.png
    [ "$(pixel 16 16)" = ff8000ff ]
    exits 0 thumb --assets "$SAMPLES" --size 32 -o by-number.png --skin 1 models/plum/plum.md2
    exits 0 thumb --assets "$SAMPLES" --size 32 -o by-name.png --skin lime models/plum/plum.md2
    same by-number.png by-name.png
}

@test "an error in an option names it" {
    exits 2 thumb --camera frnt die/models/die.md2
    says "sheetbake: --camera: *'frnt'*'front'*"
    exits 2 thumb --camera '{yaw: 10, ptch: 1}' die/models/die.md2
    says "sheetbake: --camera: *'ptch'*'pitch'*"
    exits 2 thumb --background nothing die/models/die.md2
    says "sheetbake: --background: *"
    exits 2 thumb --skin none.png die/models/die.md2
    says "sheetbake: --skin: *'none.png'*"
    exits 2 thumb --animation jog die/models/die.md2
    says "sheetbake: die/models/die.md2: no animation 'jog'*"
    exits 2 thumb --time 1 die/models/die.md5mesh
    says "sheetbake: die/models/die.md5mesh: it has no animation*"
    [ "$(find . -name '*.png' -not -path './die/*' | wc -l)" = 0 ]
}

@test "options that would be YAML are not" {
    local name
    for name in $'front\nmodel: x' 'front", x' '*a' '!!int' '{' '[[[['; do
        exits 2 thumb --camera "$name" die/models/die.md2
        says 'sheetbake: *'
    done
}

@test "models with odd names are drawn" {
    local name
    for name in 'a "b".md2' 'c[1]*.md2' "d' #e f.md2" '-g.md2' 'ü.md2'; do
        cp die/models/die.md2 "./$name"
        exits 0 thumb -q -o odd.png "./$name"
        rm odd.png
    done
}

@test "a model that is missing or broken is an error, and leaves no file" {
    exits 2 thumb none.md2
    says 'sheetbake: none.md2: No such file or directory'
    head -c 100 die/models/die.md2 >cut.md2
    exits 2 thumb -o cut.png cut.md2
    says 'sheetbake: cut.md2: *'
    [ ! -e cut.png ]
    exits 2 thumb
    exits 2 thumb a.md2 b.md2
}

@test "a picture that cannot be written is an error" {
    exits 5 thumb -o nowhere/picture.png die/models/die.md2
    "$SHEETBAKE" thumb -o - die/models/die.md2 >/dev/full 2>message || status=$?
    [ "$status" = 5 ]
}

@test "without a texture there is a warning, or none with --quiet" {
    rm -r die/textures
    exits 0 thumb -o plain.png die/models/die.md2
    says 'sheetbake: warning: *untextured*'
    exits 0 thumb -q -o quiet.png die/models/die.md2
    [ -z "$stderr" ]
    same plain.png quiet.png
}

@test "no back end: exit code 4" {
    hide libOSMesa.so.8 libEGL.so.1
    exits 4 thumb die/models/die.md2
    unset LD_LIBRARY_PATH
    exits 0 thumb --backend egl -o egl.png die/models/die.md2
}

@test "the samples show their faces" {
    local model
    for model in pip/pip.md5mesh plum/plum.md2; do
        exits 0 thumb -o any.png "$SAMPLES/models/$model"
        thumb -o front.png --camera '{yaw: 30, pitch: 20}' "$SAMPLES/models/$model"
        same any.png front.png
    done
}

# -- As a thumbnailer of a desktop --

# A value of the one section that the installed entry has.
entry() { # key
    sed -n "s/^$1=//p" root/usr/share/thumbnailers/sheetbake.thumbnailer
}

@test "make install brings a thumbnailer, whose Exec line draws a picture" {
    install_here
    [ "$(head -n1 root/usr/share/thumbnailers/sheetbake.thumbnailer)" = '[Thumbnailer Entry]' ]
    [ -x "root/usr/bin/$(entry TryExec)" ]
    cp die/models/die.md2 'my die.md2'
    local words word command=()
    read -ra words <<<"$(entry Exec)"
    for word in "${words[@]}"; do
        case $word in
        %s) word=128 ;;
        %i) word="$PWD/my die.md2" ;;
        %o) word="$PWD/thumbnail.png" ;;
        esac
        [[ $word != *%* ]]
        command+=("$word")
    done
    PATH=$PWD/root/usr/bin:$PATH run --separate-stderr "${command[@]}"
    exited 0
    [ -z "$output$stderr" ]
    [ "$(size_of thumbnail.png)" = 128x128 ]
    [ "$(drawn thumbnail.png)" -gt 5000 ]
}

@test "the thumbnailer's MIME types are described, by suffix and by content" {
    install_here
    local xml=root/usr/share/mime/packages/sheetbake.xml type
    for type in $(entry MimeType | tr ';' ' '); do
        grep -qF "<mime-type type=\"$type\">" $xml
    done
    if command -v xmllint >/dev/null; then
        xmllint --noout $xml
    fi
    command -v update-mime-database >/dev/null || return 0
    update-mime-database root/usr/share/mime
    grep -qx 'model/x-quake2-md2:\*\.md2' root/usr/share/mime/globs
    grep -qx 'model/x-quake-mdl:\*\.mdl' root/usr/share/mime/globs
    grep -qx 'model/x-iqm:\*\.iqm' root/usr/share/mime/globs
    grep -qx 'model/x-doom3-md5mesh:\*\.md5mesh' root/usr/share/mime/globs
    grep -qa '\[60:model/x-quake2-md2\]' root/usr/share/mime/magic
    grep -qa '\[60:model/x-doom3-md5mesh\]' root/usr/share/mime/magic
}

@test "links in the installed pages lead to installed files" {
    install_here
    local page link
    for page in root/usr/share/doc/sheetbake/*.md root/usr/share/doc/sheetbake/docs/*.md; do
        for link in $(grep -oE '\]\([^)#: ]+' "$page" | cut -c3- | grep -v '^https$'); do
            echo "$page: $link"
            [ -e "$(dirname "$page")/$link" ]
        done
    done
}
