load sheets

# Two jobs that come to the name of one file: whose it is does not hang on who is first, nor on what is made in which run.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
}

# A list of two jobs in this order.
write_both() { # defaults, job, job
    write_list x "$PWD/assets" <<-END
	defaults: {cell: 16, cameras: [front, left], $1}
	jobs:
	- {$2}
	- {$3}
	END
}

# What failed by the logs, as "JOB PAGE"; a page is told by one of them.
failures() { # logs...
    cat "$@" | jq -r 'select(.type == "page" and .status == "failed") | "\(.job) \(.page)"'
}

# The outputs are those of the run before, if there was one.
is_as_before() {
    [ -e wanted ] || cp -r out wanted
    diff -r wanted out
}

# However the list is made, this page fails, the file is the other job's, and all else is there.
expect_owner() { # job that fails, page, file, job that has it
    local options number
    for options in "-j 1" "-j 4" --force; do
        [ $options = --force ] || rm -rf out
        render $options --log log x.yaml
        exited 3
        [ "$(failures log)" = "$1 $2" ]
        is_as_before
    done
    rm -rf out
    for number in 1 2 3; do
        render --shard $number/3 --log log$number x.yaml
    done
    [ "$(failures log[123])" = "$1 $2" ]
    is_as_before
    rm -rf out
    render --only "$1" x.yaml
    exited 3
    render --only "$4" x.yaml
    exited 0
    is_as_before
    [ "$(jq -r .job "out/x/$3.sheetbake")" = "$4" ]
}

@test "a name that the list gives a job is no other's page" {
    local pages='name: die, model: models/die.md2, sheet: {max_size: 48}' one='name: die-1, model: models/die.md5mesh'
    write_both '' "$pages" "$one"
    expect_owner die 1 die-1 die-1
    write_both '' "$one" "$pages"
    expect_owner die 1 die-1 die-1
    check x.yaml
    exited 3
    says "  FAILED die: 'die-1' is the name of a file of job 'die-1' at x.yaml:6:3; give one of them another name"
}

@test "nor a page of a packed sheet, which is made as a whole or not" {
    local pages='name: die, model: models/die.md2, cameras: {directions: 4, name: side}, sheet: {layout: packed, max_size: 32}'
    local one='name: DIE-1, model: models/die.md5mesh'
    write_both 'supersample: 1' "$pages" "$one"
    render -q --only die x.yaml
    says "error: die.png: 'die-1' is the name of a file of job 'DIE-1' at x.yaml:7:3; give one of them another name"
    expect_owner die 0 DIE-1 DIE-1
    write_both 'supersample: 1' "$one" "$pages"
    expect_owner die 0 DIE-1 DIE-1
}

# Two models with clips of their own.
name_clips() { # clip of the first, of the second
    cp assets/models/die.md2 assets/models/orc.md2
    cp assets/models/die.md2 assets/models/big.md2
    echo "$1 0 2 10" >assets/models/orc.anm
    echo "$2 0 3 10" >assets/models/big.anm
}

@test "of two clips of one name the first job's counts" {
    name_clips big-run run
    local orc='name: orc, model: models/orc.md2, split: animation' big='name: orc-big, model: models/big.md2, split: animation'
    write_both '' "$orc" "$big"
    expect_owner orc-big 0 orc-big-run orc
    check x.yaml
    exited 3
    says "  FAILED orc-big: 'orc-big-run' is the name of a file of job 'orc' at x.yaml:6:3; give one of them another name"
    rm -r wanted
    write_both '' "$big" "$orc"
    expect_owner orc 0 orc-big-run orc-big
}

@test "a clip's name is no page that has it by its number" {
    name_clips big-1 run
    local orc='name: orc, model: models/orc.md2, split: animation' big='name: orc-big, model: models/big.md2, sheet: {max_size: 48}'
    write_both '' "$big" "$orc"
    expect_owner orc-big 1 orc-big-1 orc
    write_both '' "$orc" "$big"
    expect_owner orc-big 1 orc-big-1 orc
}

@test "clips that a job only might have take nothing away" {
    name_clips stand run
    printf nonsense >assets/models/orc2.md2
    write_list x "$PWD/assets" <<-END
	defaults: {cell: 16, split: animation}
	jobs:
	- {name: orc, model: models/orc.md2}
	- {name: orc-big, model: models/big.md2}
	- {name: orc-big-run, model: models/orc2.md2}
	- {name: orc-stand-1, model: models/orc.md2}
	END
    render x.yaml
    exited 3
    [ "$(files out/x)" = 'orc-big-run.json orc-big-run.png orc-big-run.sheetbake orc-stand-1-stand.json orc-stand-1-stand.png orc-stand-1-stand.sheetbake orc-stand.json orc-stand.png orc-stand.sheetbake' ]
}

@test "a page that another job has come to have the name of is not up to date" {
    local pages='name: die, model: models/die.md2, sheet: {max_size: 48}'
    write_both '' "$pages" 'name: other, model: models/die.md5mesh'
    render -q x.yaml
    exited 0
    write_both '' "$pages" 'name: die-1, model: models/die.md5mesh'
    run --separate-stderr "$SHEETBAKE" render --dry-run -v x.yaml
    says "die-1.png: die-1.png has a name that is one of job 'die-1' now"
    render -q x.yaml
    exited 3
    says "error: die-1.png: 'die-1' is the name of a file of job 'die-1' at x.yaml:7:3; give one of them another name"
    [ "$(jq -r .job out/x/die-1.sheetbake)" = die-1 ]
}
