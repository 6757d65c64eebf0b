# Not under the sanitizers: counts; test_shard.
load sheets

setup() {
    work_in_empty_folder
}

# Jobs with one page and several, packed, trimmed and split.
write_variety() {
    write_list variety <<-END
	defaults: {cell: 16, cameras: [front, left]}
	jobs:
	- {name: pages, model: models/die.md2, sheet: {max_size: 32}}
	- {name: listed, model: models/die.md2, animations: [], sheet: {max_size: 16}}
	- {name: cubes/split, model: models/die.md5mesh, split: animation, animations: [{file: anims/hop.md5anim}, {file: anims/turn.md5anim, loop: false}]}
	- {name: cubes/files, model: models/die.md5mesh, split: animation, animations: [{file: "anims/*.md5anim", sampling: {count: 2}}]}
	- {name: cubes/optional, model: models/die.md5mesh, sheet: {max_size: 16}, animations: [{file: anims/hop.md5anim, sampling: {count: 2}}, {file: anims/none.md5anim, sampling: {count: 3}, optional: true}]}
	- {name: cubes/cameras, model: models/die.md2, split: camera, sheet: {max_size: 48}}
	- {name: packed, model: models/die.md2, sheet: {layout: packed, max_size: 32}}
	- {name: trimmed, model: models/die.md5mesh, split: camera, sheet: {trim: true}, metadata: [aseprite]}
	- {name: passes, model: models/die.md2, passes: [mask, depth], animations: [], cameras: [front, left, top], sheet: {max_size: 32}}
	- {name: still, model: models/die.md5mesh}
	END
}

# Renders each shard into a folder of its own and collects them in shares/. Fails unless exactly one shard makes each file,
# and all together make what one run makes.
expect_the_same_of_shards() { # count, options of each shard...
    local count=$1 number
    shift
    rm -rf shard shares
    mkdir shares
    for ((number = 1; number <= count; number++)); do
        exits 0 render --shard $number/$count "$@" -o shard variety.yaml
        says "sheetbake: shard $number of $count"
        cp -rn shard/. shares
        files shard | tr ' ' '\n' >>made
        rm -rf shard
    done
    diff -r out/variety shares
    [ -z "$(sort made | uniq -d)" ]
    rm made
}

@test "shards together make what one run makes, and no page twice" {
    write_variety
    exits 0 render variety.yaml
    local count
    for count in 1 2 3 7; do
        expect_the_same_of_shards $count
    done
}

# A hash decides which shard has page 0 of a job (tests/unit/test_shard.c).
@test "--dry-run of a shard promises no more than the shard makes" {
    local name number promised made all=0
    { for name in a b c d e f; do echo "- {name: $name, model: models/die.md2, cell: 16}"; done; } | write_list many
    for number in 1 2 3; do
        exits 0 render --dry-run --shard $number/3 many.yaml
        promised=$(sed -n 's/^at least \([0-9]*\) sheets\? would be made, and pages of \([0-9]*\) more jobs\? if this shard has any,.*/\1+\2/p' <<<"$stderr")
        [ $((promised)) = 6 ] # all may have some
        exits 0 render --shard $number/3 -o "shard$number" many.yaml
        made=$(find "shard$number" -name '*.png' | wc -l)
        [ "$made" -ge "${promised%+*}" ]
        all=$((all + ${promised%+*}))
    done
    [ $all = 6 ]
}

@test "shards may share an output folder at the same time" {
    write_variety
    exits 0 render variety.yaml
    local number
    for number in 1 2 3 4; do
        "$SHEETBAKE" render -q -j 1 --shard $number/4 -o together variety.yaml 3>&- &
    done
    wait
    diff -r out/variety together
    exits 0 render --shard 1/2 -o together variety.yaml # of another number: the folder is free again
    says '*up to date*'
}

@test "what shards have made is up to date for a run of everything" {
    write_variety
    local number
    for number in 1 2 3; do
        exits 0 render --shard $number/3 variety.yaml
    done
    exits 0 render variety.yaml
    says 'nothing to do: 20 sheets up to date*'
}

@test "a shard without pages of its own has nothing to do" {
    write_list one <<<"- {name: die, model: models/die.md2, animations: [], cell: 16}"
    local number made=0
    for number in 1 2 3 4; do
        exits 0 render --shard $number/4 one.yaml
        [ ! -e out/one/die.png ] || made=$((made + 1))
        rm -rf out/one
    done
    [ $made = 1 ]
}

@test "a job whose model is broken fails in every shard, for each asks it how many pages there are" {
    cp -r "$DIE" assets
    echo broken >assets/models/broken.md2
    write_list broken assets <<-END
	- {name: broken, model: models/broken.md2, cell: 16}
	- {name: first, model: models/broken.md2, cell: 16, animations: []}
	END
    local number
    for number in 1 2 3; do
        exits 3 render --shard $number/3 broken.yaml
        says 'error: broken: models/broken.md2: *'
        says 'error: first: models/broken.md2: *'
    done
}

# The costliest job is opened first.
@test "a broken job that a shard only asks for its pages is counted as one more sheet, and hides none that was not begun" {
    cp -r "$DIE" assets
    echo broken >assets/models/broken.md2
    { echo "- {name: broken, model: models/broken.md2, cell: 256}"
      for name in a b c d; do echo "- {name: $name, model: models/die.md2, cell: 16, animations: []}"; done; } | write_list some assets
    local number others
    for number in 1 2 3; do
        exits 0 render --dry-run --only '?' --shard $number/3 some.yaml
        others=$(sed -n 's/^\(at least \)\?\([0-9]*\) sheets\? would be made.*/\2/p' <<<"$stderr")
        exits 3 render -j1 --fail-fast --shard $number/3 --log log some.yaml
        [ "$(jq -c 'select(.type == "run").counts | [.failed, .notBegun]' log)" = "[1,$others]" ]
        says "stopped at the first failure: 0 of $((others + 1)) sheet*, 1 failed*"
    done
}

@test "a job whose pages are known to be other shards' is not opened" {
    write_list known <<<"- {name: die, model: models/die.md2, animations: [], cell: 16}"
    exits 0 render known.yaml
    rm out/known/die.png
    local number ours=0
    for number in 1 2 3 4; do
        exits 0 render --dry-run --shard $number/4 known.yaml
        says '@(0 sheets|1 sheet) would be made, 0 up to date'
        [ -z "$output" ] || ours=$((ours + 1))
    done
    [ $ours = 1 ]
}

@test "--shard auto takes the shard from the environment and says from where" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 16}"
    SHEETBAKE_SHARD_INDEX=1 SHEETBAKE_SHARD_TOTAL=3 exits 0 render --shard auto one.yaml
    says 'sheetbake: shard 2 of 3, from SHEETBAKE_SHARD_INDEX'
    SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=16 SLURM_ARRAY_TASK_STEP=2 \
        SLURM_ARRAY_TASK_COUNT=4 exits 0 render --shard auto one.yaml
    says 'sheetbake: shard 3 of 4, from SLURM_ARRAY_TASK_ID'
    SHEETBAKE_SHARD_INDEX=1 SHEETBAKE_SHARD_TOTAL=3 exits 0 render --shard auto -q one.yaml
    [ -z "$stderr" ]
}

@test "--shard auto without both variables runs nothing" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 16}"
    exits 2 render --shard auto one.yaml
    says '*--shard auto: neither SHEETBAKE_SHARD_INDEX nor SLURM_ARRAY_TASK_ID is set'
    SHEETBAKE_SHARD_INDEX=1 exits 2 render --shard auto one.yaml
    says '*--shard auto: SHEETBAKE_SHARD_TOTAL is not set'
    exits 2 render --shard 0/3 one.yaml
    says '*--shard: shard 0 of 3: shards are numbered from 1 to 3'
    [ ! -e out ]
}
