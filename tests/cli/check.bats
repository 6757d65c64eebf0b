# bats file_tags=asan
load sheets

setup() {
    work_in_empty_folder
}

# bats test_tags=quick
@test "check says what would be made, and makes nothing" {
    write_list some <<-END
	defaults: {cell: [32, 24], cameras: [front, left]}
	jobs:
	- {name: die, model: models/die.md2}
	- {name: cube, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim, sampling: {count: 3}}], split: camera}
	END
    touch marker
    exits 0 check some.yaml
    [ -z "$stderr" ]
    says 'some.yaml: into out/some'
    says '  die: 1 page, 12 cells of 32x24, 2 cameras, 7.2 pixels per unit; stand 4, hop 2'
    says '  cube: 2 pages, 6 cells of 32x24, 2 cameras, 8.1 pixels per unit; hop 3'
    says '2 jobs, 3 pages, 18 cells'
    [ "$(files .)" = 'marker some.yaml' ]
    [ "$(find "$DIE" . -newer marker -type f)" = '' ]
}

@test "check counts the pictures of passes" {
    write_list some <<-END
	- {name: die, model: models/die.md2, cell: 16, passes: [normal, depth]}
	- {name: cube, model: models/die.md5mesh, animations: []}
	END
    exits 0 check some.yaml
    says '  die: 1 page in 3 passes, 6 cells of 16x16, 1 camera, *; *'
    says '  cube: 1 page, 1 cell of *'
    says '2 jobs, 2 pages in 4 pictures, 7 cells'
    exits 0 render -q some.yaml
    [ "$(ls out/some | grep -c png)" = 4 ]
}

@test "check -v lists pages and textures, check -q only what is wrong" {
    write_list some <<<"- {name: die, model: models/die.md2, cell: 16, cameras: [front, left], sheet: {max_size: 48}}"
    exits 0 check -v some.yaml
    says '    die.png: 48x48, 8 cells' # stand from both sides
    says '    die@1.png: 48x32, 4 cells'
    says "    surface *: diffuse: *found textures/die.png"
    exits 0 check -q some.yaml
    [[ $output != *die* ]]
}

@test "jobs of one model are checked like each of them alone" {
    cp -r "$DIE" assets
    write_list some assets <<-END
	defaults: {cell: 8, cameras: [front]}
	jobs:
	- {name: hop, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim}]}
	- {name: both, model: models/die.md5mesh, animations: [{file: anims/turn.md5anim}, {file: anims/hop.md5anim, name: up}]}
	- {name: twice, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim, name: a}, {file: anims/hop.md5anim, name: b}]}
	- {name: bind, model: models/die.md5mesh}
	- {name: md2, model: models/die.md2}
	- {name: strips, model: models/die.md2, geometry: glcommands}
	- {name: other, model: models/die.md2, animations: [hop]}
	- {name: worn, model: models/die.md2, attach: [{model: models/die.md5mesh, animation: {file: anims/hop.md5anim}}]}
	END
    check -v some.yaml
    local together=$output job
    head -n -1 <<<"$together" >together
    head -n 1 together >alone
    for job in hop both twice bind md2 strips other worn; do
        check -v --only $job some.yaml
        head -n -1 <<<"$output" | tail -n +2 >>alone
    done
    diff together alone
    [ "$(wc -l <alone)" -gt 16 ]
}

# bats test_tags=quick
@test "check names the jobs that would fail, and goes on" {
    cp -r "$DIE" assets
    head -c 100 "$DIE/models/die.md2" >assets/models/broken.md2
    write_list some assets <<-END
	- {name: bad, model: models/broken.md2}
	- {name: run, model: models/die.md2, animations: [stnad]}
	- {name: late, model: models/die.md2, animations: [{name: stand, sampling: {times: 9}}]}
	- {name: good, model: models/die.md2}
	END
    exits 3 check some.yaml
    says '  FAILED bad: models/broken.md2: *'
    says "  FAILED run: some.yaml:6:*no animation 'stnad', did you mean 'stand'?*"
    says "  FAILED late: some.yaml:7:*animation 'stand'*9*"
    says '  good: 1 page, *'
    says '4 jobs, 1 page, *, 3 failed'
    [ ! -e out ]
}

@test "a texture that is not found is a warning, and no failure; -v lists what was tried" {
    cp -r "$DIE" assets
    rm assets/textures/*
    write_list some assets <<-END
	- {name: md2, model: models/die.md2, cell: 8}
	- {name: md5, model: models/die.md5mesh, cell: 8, animations: []}
	END
    exits 0 check some.yaml
    says '  warning: models/die.md2: no texture*; 22 places tried, see -v'
    says "  warning: models/die.md5mesh: no texture for 'textures/die' of 'die' and 1 more, *; 32 places tried, see -v"
    says '2 jobs, 2 pages, 7 cells, 2 warnings'
    check -v some.yaml
    says '*diffuse: tried textures/die.pcx, textures/die.tga, *models/die.png*; found nothing'
    says '*diffuse: tried materials/*.mtr, textures/die.tga, *textures/die_d.png*; found nothing'
    exits 0 info -v assets/models/die.md2
    says '*diffuse: tried textures/die.pcx, textures/die.tga, *models/die.png*; found nothing'
    exits 0 render some.yaml
    says 'warning: md2: models/die.md2: no texture*; 22 places tried, see -v'
    says 'warning: md5: *; 32 places tried, see -v'
    says '2 sheets in *, 2 warnings -> *'
    jq -e '.warnings | length == 1' out/some/md2.sheetbake
    render -v --force some.yaml
    says "md2: surface * diffuse: tried textures/die.pcx, textures/die.tga, *models/die.png*; found nothing"
}

@test "a picture that cannot be read fails the jobs that wear it, as in render" {
    cp -r "$DIE" assets
    head -c 100 "$DIE/textures/die.png" >assets/textures/cut.png
    write_list some assets <<-END
	- {name: cut, model: models/die.md2, skin: textures/cut.png, cell: 8}
	- {name: again, model: models/die.md2, skin: textures/cut.png, cell: 16}
	- {name: good, model: models/die.md2, cell: 8}
	END
    exits 3 check some.yaml
    says '  FAILED cut: textures/cut.png: PNG: *'
    says '  FAILED again: textures/cut.png: PNG: *'
    says '  good: 1 page, *'
    says '3 jobs, 1 page, *, 2 failed'
    local reason=${output#*FAILED cut: }
    exits 3 render some.yaml
    says "error: cut: ${reason%%$'\n'*}"
}

@test "control characters in names of a model do not reach the terminal" {
    cp -r "$DIE" assets
    sed -i $'s/shader "[^"]*"/shader "\e[2J\e]0;title\a"/; s/"root"/"ro\eot"/' assets/models/die.md5mesh
    write_list some assets <<-END
	- {name: good, model: models/die.md5mesh}
	- {name: bad, model: models/die.md5mesh, animations: [{file: anims/hop.md5anim}]}
	END
    exits 0 check -v some.yaml
    says "  warning: models/die.md5mesh: no texture for '?[[]2J?]0;title?'*"
    says "    surface '?[[]2J?]0;title?': diffuse: tried *; found nothing"
    says "  warning: some.yaml:*: anims/hop.md5anim: joints by number, as their names differ: 'root' moves 'ro?ot'; *"
    [[ $output$stderr != *[$'\e\a']* ]]
}

@test "a skin that the job names and that is not there is a warning too" {
    write_list some <<<"- {name: die, model: models/die.md2, cell: 8, animations: [], skin: textures/gold.png}"
    check some.yaml
    [ "$status" = 0 ] || exited 2 # a path the list itself names may also be one of its problems
    says '*textures/gold.png*'
}

# bats test_tags=quick
@test "all problems of all lists are reported with their place, and nothing runs" {
    cat >bad.yaml <<-END
	version: 1
	assets: $DIE
	defualts: {cell: 8}
	jobs:
	- name: one
	  modle: models/die.md2
	- name: two
	  model: models/missing.md2
	  supersample: 8
	- name: three
	  model: models/die.md2
	  cameras: [frnt]
	END
    printf 'version: 2\nassets: missing\njobs: []\n' >worse.yaml
    write_list good <<<"- {name: die, model: models/die.md2}"
    local command
    for command in check render; do
        exits 2 $command good.yaml bad.yaml worse.yaml
        [ -z "$output" ]
        says "bad.yaml:3:1: unknown key 'defualts'*did you mean 'defaults'?"
        says "bad.yaml:6:3: unknown key 'modle'*did you mean 'model'?"
        says 'bad.yaml:8:10: *models/missing.md2*'
        says 'bad.yaml:9:16: *supersample*1 to 4*8*'
        says "bad.yaml:12:13: *camera*'frnt'*did you mean 'front'?"
        says 'worse.yaml:1:10: *version*'
        says 'sheetbake: * problems, nothing was done'
        grep -vE '^(bad|worse)\.yaml:[0-9]+:[0-9]+: |^sheetbake: ' <<<"$stderr" && false
        [ ! -e out ]
    done
}

@test "the line about problems that are not shown is none itself" {
    { printf 'version: 1\njobs:\n- {name: a, model: models/die.md2}\n'; yes 'version: 1' | head -1500; } >many.yaml
    exits 2 check many.yaml
    says 'more than 1000 problems: the rest is not shown'
    says 'sheetbake: more than 1000 problems, nothing was done'
    printf 'version: 2\njobs: []\n' >two.yaml
    run --separate-stderr "$SHEETBAKE" check two.yaml
    says 'sheetbake: 1 problem, nothing was done'
    [[ "$stderr" != *'more than'* ]]
}

@test "two lists that would write the same file are a problem" {
    write_list one <<<"- {name: die, model: models/die.md2}"
    write_list two <<<"- {name: die, model: models/die.md5mesh}"
    local command
    for command in check render; do
        exits 2 $command -o out/both one.yaml two.yaml
        says "two.yaml:5:*job 'die' * writes the same files as job 'die' * at one.yaml:5:*"
        [ ! -e out ]
    done
    exits 0 check one.yaml two.yaml
}

@test "two lists that name the same folder in different ways write the same file, too" {
    mkdir -p lists/more
    printf 'version: 1\nassets: %s\noutput: ../sheets\njobs: [{name: die, model: models/die.md2}]\n' "$DIE" >lists/one.yaml
    printf 'version: 1\nassets: %s\noutput: ../../sheets/.//\njobs: [{name: die, model: models/die.md2}]\n' "$DIE" >lists/more/two.yaml
    exits 2 check lists/one.yaml lists/more/two.yaml
    says "lists/*.yaml:4:*writes the same files as job 'die'*lists/*.yaml:4:*"
    mkdir sheets
    ln -s sheets link
    sed -i 's,^output.*,output: ../../link,' lists/more/two.yaml
    exits 2 check lists/one.yaml lists/more/two.yaml
}

@test "a job that takes more than --memory fails, and the others go on" {
    cp -r "$DIE" assets
    printf '\0\0\2\0\0\0\0\0\0\0\0\0\0\40\0\40\30\40' >assets/textures/large.tga # 8192x8192
    truncate -s $((18 + 8192 * 8192 * 3)) assets/textures/large.tga
    write_list some assets <<-END
	- {name: large, model: models/die.md2, skin: textures/large.tga}
	- {name: die, model: models/die.md2}
	END
    exits 3 check --memory 100M some.yaml
    says '  FAILED large: exceeded its memory limit of 100 MiB with models/die.md2: the worker was killed (--memory)'
    says '  die: 1 page, *'
    exits 0 check some.yaml
}

@test "of many jobs with one model only the one that takes more than --memory fails" {
    cp -r "$DIE" assets
    printf '\0\0\2\0\0\0\0\0\0\0\0\0\0\40\0\40\30\40' >assets/textures/large.tga # 8192x8192
    truncate -s $((18 + 8192 * 8192 * 3)) assets/textures/large.tga
    local i
    for i in {0..199}; do
        echo "- {name: die$i, model: models/die.md2, skin: textures/$([ $i = 77 ] && echo large.tga || echo die.png)}"
    done | write_list many assets
    exits 3 check --memory 100M -j2 many.yaml
    says '  FAILED die77: exceeded its memory limit of 100 MiB with models/die.md2: the worker was killed (--memory)'
    says '200 jobs, 199 pages, *, 1 failed'
    [ "$(sed -n 's/^  \(FAILED \)\?die\([0-9]*\): .*/\2/p' <<<"$output" | paste -sd' ')" = "$(echo {0..199})" ]
}

@test "what check says of a job does not depend on jobs before it, nor on how many workers there are" {
    local i
    local -a looks=('cell: 24' 'cameras: [left]' 'animations: [hop]' 'sampling: {count: 3}' 'fit: {scope: frame}'
        'fit: {scope: animation}' 'background: "#204060"' 'fit: {margin: 0.2}' 'transform: {scale: 2}'
        'passes: [color, normal]' 'attach: {model: models/die.md2, offset: [0, 0, 3]}' 'rules: {below_ground: 1}')
    for i in {0..239}; do
        echo "- {name: die$i, model: models/die.md2, ${looks[i * 7 % ${#looks[@]}]}}"
        [ $((i % 20)) -gt 0 ] || echo "- {name: cube$i, model: models/die.md5mesh, fit: {origin: auto}, sampling: {frames: [1]}, animations: [{name: go, file: anims/$([ $((i % 40)) = 0 ] && echo hop || echo turn).md5anim}]}"
    done >jobs
    write_list some <jobs
    write_list shuffled < <(shuf --random-source="$SHEETBAKE" jobs)
    told() { # arguments of check: what it says of each job
        "$SHEETBAKE" check --json "$@" | jq -c '.jobs[] | del(.list)' | sort
        "$SHEETBAKE" check "$@" | sed -n '/^  [dc]/h;/^  [a-z]*:/{H;x;s/\n/ /;p;x};/^  [dc]/p' | sort
    }
    told -j1 some.yaml >all
    [ "$(grep -c pixels all)" -ge 252 ]
    told -j4 some.yaml | diff all -
    told -j4 shuffled.yaml | diff all -
    for i in die{0..11} cube0 cube20; do
        [ "$(told --only $i some.yaml)" = "$(grep -E "\"$i\"|^  $i:" all)" ]
    done
}

@test "what check says, and in which order, does not depend on the number of workers" {
    cp -r "$DIE" assets
    local i
    for i in {10..40}; do echo "- {name: die$i, model: models/die.md2, cell: $i, cameras: {directions: $((i % 5 + 1)), name: c}}"; done >jobs
    write_list one assets <jobs
    write_list two assets <<<"- {name: cube, model: models/die.md5mesh, animations: [none]}"
    write_list three assets <jobs
    local lists='one.yaml two.yaml three.yaml'
    exits 3 check -v -j1 $lists
    local alone=$output
    exits 3 check -v -j4 $lists
    [ "$output" = "$alone" ]
    exits 3 check -v --sandbox off -j2 $lists
    [ "$output" = "$alone" ]
    [ "$(grep -c '^  die' <<<"$output")" = 62 ]
}

@test "check --only looks at those jobs" {
    write_list some <<-END
	- {name: die, model: models/die.md2}
	- {name: cube, model: models/die.md5mesh, animations: []}
	END
    exits 0 check --only 'c*' some.yaml
    says '  cube: 1 page, 1 cell of 128x128, 1 camera, *; *'
    says '1 job, 1 page, 1 cell'
    exits 2 check --only x some.yaml
}

@test "check shows what a worker says that was taken over, as far as it means something" {
    write_list some <<<'- {name: die, model: models/die.md2, rules: {triangles: {fail: 5}}}'
    export LIE=answer LD_PRELOAD=$TOOLS/lie.so
    ANSWER=$'hx y\1aa\33[2Jb\xff\1b\1dodd\1c1\1ctriangles\1cftriangles\n\nmany\1gx\1i\1atoo much\1' exits 3 check some.yaml
    [ "$output" = "some.yaml: into out/some
  FAILED die: many (rule triangles)
a?[2Jb?
  warning: odd
1 job, 0 pages, 0 cells, 1 warning, 1 failed" ]
    ANSWER=$'aa line\1i\1' exits 0 check --json some.yaml
    jq -e '.jobs | length == 1' <<<"$output"
    for ANSWER in '' a i $'\1' $'j\1' $'A\1i\1' $'alate\1' $'dlate\1a\1i'; do
        export ANSWER
        exits 3 check some.yaml
        says '  FAILED die: the worker did not say what became of it'
        exits 3 check --json some.yaml
        [ "$(jq -c '.jobs[] | [.failures, .files, .origin]' <<<"$output")" = '[["the worker did not say what became of it"],[],null]' ]
    done
}

@test "the lists that come along have no problems and no warnings" {
    cd "$BATS_TEST_DIRNAME/../.."
    exits 0 check jobs/demo.yaml jobs/unit.yaml jobs/hero.yaml docs/pictures/pictures.yaml
    [ -z "$stderr" ]
    [[ "$output" != *warning* ]]
}

@test "check -v and render -v show every path that was tried for a texture, in order, and what was found" {
    mkdir -p shop/models shop/materials shop/textures
    cp "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/pip.md5mesh" shop/models
    cp "$DIE/textures/die.png" shop/textures/cloth.png
    cp "$DIE/textures/die.png" shop/models/shell_d.png
    cp "$DIE/textures/die.png" shop/models/shell_nm.jpg # a PNG all the same
    printf '%s {\ndiffusemap textures/cloth\nbumpmap textures/nothing\n}\n' models/pip/cloth >shop/materials/a.mtr
    write_list some "$PWD/shop" <<<'- {name: it, model: models/pip.md5mesh, cell: 16}'
    exits 0 check -v some.yaml
    says "    surface '*': material 'models/pip/cloth': declared at materials/a.mtr:1"
    says "    surface '*': diffuse: tried textures/cloth.tga; found textures/cloth.png"
    local every=tga,png,jpg,jpeg,pcx,dds,bmp
    tried() { eval "printf '%s, ' $1.{$every}" | sed 's/, $//'; }
    says "    surface '*': normal: tried $(tried textures/nothing), dds/textures/nothing.dds; found nothing"
    says "    surface '*': diffuse: tried materials/*.mtr, $(tried models/pip/shell), $(tried models/pip/shell_d), models/pip/shell_00_00.lmp, $(tried models/shell), models/shell_d.tga; found models/shell_d.png"
    says "    surface '*': normal: tried $(tried models/shell_local), $(tried models/shell_n), models/shell_nm.tga, models/shell_nm.png; found models/shell_nm.jpg"
    says "    surface '*': diffuse: tried materials/*.mtr, $(tried models/pip/face), $(tried models/pip/face_d), models/pip/face_00_00.lmp, $(tried models/face), $(tried models/face_d), models/face_00_00.lmp; found nothing"
    local expected
    expected=$(grep -oE "surface '[a-z]*': .*" <<<"$output" | sort)
    render -v some.yaml
    [ "$(grep -oE "^it: surface '[a-z]*': .*"  <<<"$stderr" | cut -c5- | sort)" = "$expected" ]
    render --force some.yaml
    never grep -q '; found' <<<"$stderr"
}
