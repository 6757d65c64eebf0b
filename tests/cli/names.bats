# Not under the sanitizers: words.
load sheets

# No two files get one name: the separators of file names cannot stand in the names of jobs, clips and cameras.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
}

@test "names that look like pages, clips and passes of other jobs are theirs alone" {
    cp assets/models/die.md2 assets/models/orc.md2
    printf 'run 0 2 10\n1 0 3 10\nrun.normal 0 1 10\n"run@1" 0 1 10\n' >assets/models/orc.anm
    write_list x "$PWD/assets" <<-END
	defaults: {cell: 16, cameras: [front, left], passes: [normal], supersample: 1}
	jobs:
	- {name: orc, model: models/orc.md2, split: animation}
	- {name: orc-1, model: models/die.md5mesh}
	- {name: orc-run, model: models/die.md2, split: camera}
	- {name: orc-run-left, model: models/die.md5mesh}
	- {name: die, model: models/die.md2, sheet: {max_size: 48}}
	- {name: die-1, model: models/die.md5mesh}
	- {name: DIE-2, model: models/die.md2, cameras: {directions: 4, name: side}, sheet: {layout: packed, max_size: 32}}
	END
    exits 0 check x.yaml
    exits 0 render -q -j 4 x.yaml
    [ "$(cd out/x && echo *.sheetbake)" = 'DIE-2.sheetbake DIE-2@1.sheetbake DIE-2@2.sheetbake die-1.sheetbake die.sheetbake die@1.sheetbake orc-1.sheetbake orc-run-left.sheetbake orc-run@front.sheetbake orc-run@left.sheetbake orc@1.sheetbake orc@run.normal_2.sheetbake orc@run.sheetbake orc@run_1.sheetbake' ]
    [ "$(jq -r .job out/x/orc-1.sheetbake out/x/orc@1.sheetbake out/x/die@1.sheetbake out/x/orc-run@left.sheetbake | xargs)" = 'orc-1 orc die orc-run' ]
    # Each file is named by the record of one page.
    for record in out/x/*.sheetbake; do jq -r '.files | keys[]' "$record"; done | sort >listed
    [ -z "$(uniq -d listed)" ]
    (cd out/x && printf '%s\n' *.json *.png) | sort | diff listed -
    render x.yaml
    says 'nothing to do: *'
}

@test "a list refuses names that could be those of files of other jobs" {
    write_list x "$PWD/assets" <<-END
	- {name: die@1, model: models/die.md2}
	- {name: die.normal, model: models/die.md2}
	- {name: die, model: models/die.md2, animations: [{name: hop.depth, frames: 0}]}
	END
    exits 2 render x.yaml
    says "x.yaml:5:10: a job's name, 'die@1', holds '@', which separates clip, camera and page in file names"
    says "x.yaml:6:10: a job's name, 'die.normal', has a part that ends like an output file, 'die.normal'"
    says "x.yaml:7:*: an animation's name has a part that ends like an output file, 'hop.depth'"
    [ ! -e out ]
}

@test "jobs of two lists for one folder have names of their own, regardless of case" {
    write_list a "$PWD/assets" <<<"- {name: die, model: models/die.md2}"
    write_list b "$PWD/assets" <<<"- {name: DIE, model: models/die.md2}"
    exits 2 render -o both a.yaml b.yaml
    says "b.yaml:5:3: job 'DIE' (model '*') writes the same files as job 'die' (model '*') at a.yaml:5:3"
    exits 0 render a.yaml b.yaml
}
