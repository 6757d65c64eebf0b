load sheets
load background

# What a run does about the troubles of the machine it runs on: memory, signals, disks, files that change under it.

setup() {
    work_in_empty_folder
    sheetbake_pid=
}

teardown() {
    end_render
}

# -- Memory --

# Three pages, one of which takes some 700 MiB.
write_large() {
    cp -r "$DIE" assets
    cp assets/models/die.md2 assets/models/large.md2
    write_list memory assets <<-END
	- {name: large, model: models/large.md2, cell: 2048, supersample: 4, animations: [], sheet: {max_size: 4096}}
	- {name: larger, model: models/large.md2, cell: 2048, supersample: 4, animations: []}
	- {name: small, model: models/die.md2, cell: 16}
	END
}

@test "a page that takes more than --memory is ended, tried again alone, and then named with limit and stage" {
    write_large
    render -j2 --memory 400M memory.yaml
    exited 3
    [ "$(files out/memory)" = 'small.json small.png' ]
    says 'error: larg*.png: exceeded its memory limit of 400 MiB in stage * with models/large.md2: the worker was killed (--memory), and again when it was tried alone'
    says 'error: larg*.png: *models/large.md2 is quarantined for this run, *'
    render --memory 0 memory.yaml
    exited 0
}

@test "--memory takes sizes, and nothing else" {
    write_list one <<<'- {name: die, model: models/die.md2, cell: 8}'
    local size
    for size in 1G 1.5G 2048M 900MiB 900mb 1048576K 0; do
        render --force --memory "$size" one.yaml
        exited 0
    done
    for size in '' G 1 512 2X 2GG 2GiBs 10 nan 1Bi; do
        render --memory "$size" one.yaml
        exited 2
        says "sheetbake render: --memory: '$size' is no size such as 512M or 2G"
    done
    for size in 1M 17T -1G infG nanG; do
        render --memory "$size" one.yaml
        exited 2
        says "sheetbake render: --memory: $size is out of range, 16M to 16T are allowed, or 0 for no limit"
    done
}

@test "a worker that the system refuses memory says so, at whatever stage" {
    [[ $ASAN_OPTIONS ]] && skip "the address sanitizer takes all addresses there are"
    write_large
    local megabytes
    for megabytes in 700 500 400 300; do
        (
            ulimit -v $((megabytes * 1024))
            exec "$SHEETBAKE" render --force -j1 memory.yaml
        ) 2>stderr || status=$?
        stderr=$(cat stderr) output=
        exited 3
        says 'error: larg*.png: out of memory in stage * with models/large.md2*, and again when it was tried alone'
        [ -e out/memory/small.png ]
    done
}
