# bats file_tags=asan

# The record of a page has everything that its bytes depend on, and nothing else.

load sheets

setup() {
    work_in_empty_folder
    mkdir -p assets/models assets/materials
    cp "$BATS_TEST_DIRNAME"/../../jobs/assets/models/pip/{pip.md5mesh,*.png,*.tga,walk.md5anim} assets/models 2>/dev/null || true
    cp "$BATS_TEST_DIRNAME"/../../jobs/assets/models/plum/* assets/models
    SHADER=$(sed -n 's/^[[:space:]]*shader "\(.*\)"/\1/p' assets/models/pip.md5mesh | head -n1)
    cp assets/models/plum.pcx assets/models/paint.pcx
    printf '%s {\ndiffusemap models/paint.tga\n}\nother { }\n' "$SHADER" >assets/materials/pip.mtr
    printf 'nobody { }\n' >assets/materials/more.mtr
}

# A field of a page's record.
build() { # JSON, jq filter
    jq -r "$2" "out/$1.sheetbake"
}

# Three jobs that share a material and a texture, in this order.
write_jobs() { # list, jobs in their order
    local job jobs=''
    for job in "${@:2}"; do
        case $job in
        a) jobs+="- {name: a, model: models/pip.md5mesh, animations: []}"$'\n' ;;
        b) jobs+="- {name: b, model: models/pip.md5mesh, animations: [], cameras: [back]}"$'\n' ;;
        c) jobs+="- {name: c, model: models/plum.md2, animations: [], skin: models/paint.pcx}"$'\n' ;;
        esac
    done
    printf 'version: 1\nassets: %s\noutput: %s\ndefaults: {cell: 16}\njobs:\n%s' "$PWD/assets" "$PWD/out/$1" "$jobs" >"list.yaml"
}

@test "a page says the same whatever its worker made before" {
    local job order workers
    write_jobs all a b c
    exits 0 render -q -j1 list.yaml
    for order in "c b a" "b c a" "c a b"; do
        write_jobs other $order
        exits 0 render -q --force -j1 list.yaml
        diff -r out/all out/other
        rm -r out/other
    done
    for workers in 2 3; do
        exits 0 render -q --force "-j$workers" list.yaml
        diff -r out/all out/other
        rm -r out/other
    done
    for job in a b c; do
        write_jobs one $job
        exits 0 render -q list.yaml
        cmp out/all/$job.json out/one/$job.json
        cmp out/all/$job.sheetbake out/one/$job.sheetbake
    done
}

# bats test_tags=quick
@test "a record has what was read, found elsewhere and not found" {
    write_jobs r a c
    exits 0 render -q list.yaml
    [ "$(jq -r '.inputs | keys | map(select(test("png") | not)) | join(" ")' out/r/a.sheetbake)" = \
        "materials/pip.mtr models/paint.pcx models/pip.md5mesh" ]
    [ "$(build r/a ".declared[\"materials $SHADER\"]")" = materials/pip.mtr ]
    [ "$(build r/a '.absent | index("models/paint.tga") != null')" = true ]
    [ "$(jq -r '.inputs | keys | join(" ")' out/r/c.sheetbake)" = "models/paint.pcx models/plum.md2" ]
    [ "$(build r/c '.absent | index("models/plum.anm") != null')" = true ]
    [ "$(build r/c '.list + " " + .job')" = "list c" ]
    [ "$(build r/c '.files | keys | join(" ")')" = "c.json c.png" ]
    [ "$(build r/c '.files["c.png"].bytes')" = "$(stat -c %s out/r/c.png)" ]
    [ "$(build r/c '.settings.cell')" = '[16, 16]' ]
}

@test "all other files of a page are in its record" {
    write_list files "$PWD/assets" <<-END
	defaults: {cell: 16, metadata: [aseprite, godot], passes: [normal, depth], sheet: {max_size: 64}}
	jobs:
	- {name: plum, model: models/plum.md2, animations: [stand], sampling: {count: 20}}
	END
    exits 0 render -q files.yaml
    [ "$(build files/plum '.files | keys | join(" ")')" = \
        "plum.aseprite.json plum.depth.png plum.json plum.normal.png plum.png plum.tres" ]
    [ "$(build files/plum@1 '.files | keys | join(" ")')" = \
        "plum@1.aseprite.json plum@1.depth.png plum@1.json plum@1.normal.png plum@1.png" ]
    [ "$(build files/plum@1 '"\(.page) of \(.pages)"')" = "1 of 2" ]
    run -0 "$SHEETBAKE" verify out/files
}

@test "a packed sheet is one page in several parts" {
    write_list packed "$PWD/assets" <<-END
	defaults: {cell: 16, sheet: {layout: packed, max_size: 64}}
	jobs:
	- {name: plum, model: models/plum.md2, animations: [stand], sampling: {count: 20}, cameras: [front, left]}
	END
    exits 0 render -q packed.yaml
    [ "$(build packed/plum '"\(.page) of \(.pages), \(.part) of \(.parts)"')" = "0 of 1, 0 of $(ls out/packed/*.png | wc -l)" ]
    [ "$(build packed/plum@1 '"\(.page) of \(.pages), \(.part) of \(.parts)"')" = "0 of 1, 1 of $(ls out/packed/*.png | wc -l)" ]
}

@test "jobs of a group have the files of all of them, and one hash of their settings" {
    write_list group "$PWD/assets" <<-END
	defaults: {cell: 16, fit: {scope: units}}
	jobs:
	- {name: a, model: models/pip.md5mesh, animations: []}
	- {name: b, model: models/plum.md2, animations: []}
	- {name: c, model: models/plum.md2, animations: [], fit: {scope: job}}
	END
    exits 0 render -q -j2 group.yaml
    local job
    for job in a b; do
        [ "$(jq -r '.inputs | keys | map(select(test("md"))) | join(" ")' out/group/$job.sheetbake)" = \
            "models/pip.md5mesh models/plum.md2" ]
    done
    [ "$(build group/a .group)" = "$(build group/b .group)" ]
    [ "$(build group/c '.group == null')" = true ]
    [ "$(jq -r '.inputs["models/pip.md5mesh"]' out/group/c.sheetbake)" = null ]
}

@test "a page contains neither paths of this machine nor the release" {
    write_jobs p a
    sed -i 's/\[\]}/[], skin: {nothing: models\/paint.pcx}}/' list.yaml
    exits 0 render list.yaml
    says "warning: a: *list.yaml:6:*has no skin or shader 'nothing' *"
    jq -e '.warnings[0] | startswith("models/pip.md5mesh has no skin")' out/p/a.sheetbake
    never grep -F "$PWD" out/p/a.json out/p/a.sheetbake
    never grep -F "\"$("$SHEETBAKE" --version | sed -n 's/^sheetbake \([0-9.]*\).*/\1/p')\"" out/p/a.json out/p/a.sheetbake
    cp out/p/a.sheetbake first
    sed -i '1a # a line more' list.yaml
    exits 0 render -q --force list.yaml
    cmp first out/p/a.sheetbake
}

# A key that is new and is recorded where nobody gives it makes every page of every user stale: its row wants `.is_new`.
@test "of records of 0.5.0, only what CHANGELOG.md names is stale" {
    cp -r "$BATS_TEST_DIRNAME/../golden-record/made" out
    "$SHEETBAKE" render --dry-run --json -o out "$(realpath "$BATS_TEST_DIRNAME/../golden-record/list.yaml")" >dry.json
    # Their pictures are not here, and each machine has its own renderer.
    jq -r '[.sheets[].reasons[] | select(.kind | IN("file", "renderer", "library") | not) | .text] | unique[]' dry.json >reasons
    cat >expected <<-END
	animations[0].root_motion: remove -> auto
	animations[1].root_motion: remove -> auto
	fit.origin: [0.5, 0.875] -> [0.5, 0.9]
	made by another version of sheetbake
	root_motion: remove -> auto
	END
    diff expected reasons
    jq -e ".sheets | length == 7 and all(.[].reasons[]; .kind != \"new\")" dry.json
}
