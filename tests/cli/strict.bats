# Not under the sanitizers: exit codes and words.

# --strict: a sheet with a warning has failed, though it is made.
load sheets

setup() {
    work_in_empty_folder
    cp -r "$DIE" game
    write_list dice game <<-END
	- {name: bare, model: models/bare.md2, cell: 16}
	- {name: die, model: models/die.md2, cell: 16}
	END
    # It names a texture that is not there.
    sed 's|textures/die\.|textures/non.|; s|models/die|models/non|g' game/models/die.md2 >game/models/bare.md2
}

lines_of() { # kind: lines of standard error that begin with it
    grep -c "^$1: " <<<"$stderr" || true
}

@test "a sheet with a warning fails, is made, and stays: in the messages, the log, the report and the exit code" {
    exits 3 render --strict --log log --junit report.xml dice.yaml
    says "error: bare.png: models/bare.md2: *drawn untextured* (--strict)"
    says '1 of 2 sheets in *, 1 failed, 1 warning -> *'
    [ "$(files out/dice)" = 'bare.json bare.png bare.sheetbake die.json die.png die.sheetbake' ]
    "$SHEETBAKE" verify -q dice.yaml
    [ "$(jq -c 'select(.type == "page") | [.job, .status, .stage]' log | sort | paste -sd' ')" = '["bare","failed",null] ["die","made",null]' ]
    [[ $(jq -r 'select(.job == "bare").reason' log) == 'models/bare.md2: '*'drawn untextured'*' (--strict)' ]]
    jq -e 'select(.type == "run") | .counts.failed == 1 and .counts.made == 1 and .exitCode == 3' log
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" report.xml
    [ "$(xmllint --xpath 'string(//testcase[failure]/@name)' report.xml)" = bare ]
    exits 0 render --force dice.yaml
}

@test "it fails again when it is up to date, and quiet runs say so" {
    exits 0 render -q dice.yaml
    [ -z "$stderr" ]
    exits 3 render -q --strict --log log dice.yaml
    [ "$(lines_of error)" = 1 ] && [ "${#stderr_lines[@]}" = 1 ]
    jq -e 'select(.type == "run") | .counts == {made: 0, upToDate: 1, failed: 1, cancelled: 0, notBegun: 0, warnings: 1}' log
    exits 3 render --strict dice.yaml
    says '0 of 1 sheet in *, 1 up to date, 1 failed, 1 warning *'
    cp game/textures/die.png game/textures/non.png
    exits 0 render --strict dice.yaml
}

@test "one page of a job has the job's warnings, and fails" {
    sed -i 's/cell: 16}/cell: 16, cameras: {directions: 4, name: c}, sheet: {max_size: 48}}/' dice.yaml
    for round in made kept; do
        exits 3 render --strict --log log.$round dice.yaml
        [ "$(jq -r 'select(.job == "bare" and .status == "failed").page' log.$round)" = 0 ]
        jq -se 'map(select(.job == "bare" and .status != "failed")) | length > 0' log.$round
    done
}

@test "each shard that makes pages of a job looks at its warnings, and so does the one that has its first page" {
    local shard failed=0
    for round in made kept; do
        failed=0
        for shard in 1 2; do
            run "$SHEETBAKE" render --strict -q --shard $shard/2 dice.yaml
            [ "$status" = 0 ] || failed=$((failed + 1))
        done
        [ "$failed" = 1 ]
    done
}

@test "nothing is written for make where a sheet has a warning" {
    exits 3 render --strict --depfile x.d dice.yaml
    [ ! -e x.d ]
}

@test "--fail-fast stops at a warning" {
    exits 3 render --strict --fail-fast -j1 --log log dice.yaml
    jq -e 'select(.type == "run") | .counts.notBegun + .counts.cancelled == 1' log
    exits 0 render -q dice.yaml
    rm out/dice/die.*
    exits 3 render --strict --fail-fast dice.yaml
    [ ! -e out/dice/die.png ]
}

@test "what other things a run says is not a warning of a sheet" {
    sed -i '/bare/d' dice.yaml
    exits 0 render --strict dice.yaml
    exits 2 render --strict --dry-run dice.yaml
    says '*--strict and --dry-run*'
}

@test "check: a job with a warning would fail" {
    exits 0 check -q dice.yaml
    says '  warning: models/bare.md2: *'
    exits 3 check --strict dice.yaml
    says '  FAILED bare: models/bare.md2: *drawn untextured*'
    says '2 jobs, 2 pages, *, 1 warning, 1 failed'
    GITHUB_ACTIONS=true exits 3 check -q --strict dice.yaml
    says '::error file=dice.yaml*bare*'
    cp game/textures/die.png game/textures/non.png
    exits 0 check --strict dice.yaml
}

# As `dice`, before and after a texture is lost that was there.
lose_texture() { # options of diff
    sed -i 's/- {name: die/- {name: sad, model: models\/sad.md2, cell: 16}\n&/' dice.yaml
    sed 's|textures/die\.|textures/sad.|; s|models/die|models/sad|g' game/models/die.md2 >game/models/sad.md2
    cp game/textures/die.png game/textures/sad.png
    "$SHEETBAKE" render -q -o before dice.yaml
    cp -r . "$BATS_TEST_TMPDIR/old"
    rm game/textures/sad.png
    "$SHEETBAKE" render -q -o after dice.yaml
}

@test "diff --strict: a new warning fails its sheet, which has both pictures; an old warning does not" {
    lose_texture
    exits 0 diff --fail-on failed before after
    exits 1 diff --strict --fail-on failed before after
    says 'texture-lost *dice/sad *6 of 6 frames *input textures/sad.png is gone'
    says ' *failure: models/sad.md2: *drawn untextured* (--strict)'
    says 'sheets: 1 texture-lost, 2 same'
    exits 1 diff --strict --fail-on failed --base "$BATS_TEST_TMPDIR/old" --html page/ --markdown - dice.yaml
    says '*`dice/sad`*drawn untextured*| texture-lost |*'
    grep -q 'drawn untextured[^"]* (--strict)' page/index.html
    never grep 'see -v' page/index.html
    exits 0 gallery -o site after
    grep -q 'drawn untextured' site/index.html
    never grep 'see -v' site/index.html
    [ "$(ls page/index@files/*.png | wc -l)" = 4 ] # of two clips, before and after
    exits 1 diff --strict --fail-on failed --json before after
    jq -e '.sheets[0] | .state == "texture-lost" and .name == "dice/sad" and .frames.changed == 6' <<<"$output"
}

@test "diff --strict: a sheet with a new warning and no other state fails in all outputs with one sentence" {
    "$SHEETBAKE" render -q -o before dice.yaml
    sed -i 's|textures/non|textures/nun|' game/models/bare.md2
    "$SHEETBAKE" render -q -o after dice.yaml
    exits 0 diff --fail-on failed before after
    exits 1 diff --strict --fail-on failed --junit junit --sarif sarif --markdown md --html page/ --ci github before after
    says 'new-warning *dice/bare *input models/bare.md2 changed'
    local text="models/bare.md2: no texture for 'textures/nun.pcx' of 'mesh', drawn untextured* (--strict)"
    says " *failure: $text"
    says "::error title=dice/bare::$text"
    [ "$(grep -c 'nun.pcx' <<<"$stderr")" = 1 ]
    [[ $(xmllint --xpath 'string(//testcase/failure/@message)' junit) == $text ]]
    [ "$(xmllint --xpath 'string(//testcase/system-out)' junit)" = 'new-warning: input models/bare.md2 changed' ]
    [[ $(jq -r '.runs[0].results[] | .level + " " + .message.text' sarif) == "error dice/bare: "$text ]]
    grep -q "dice/bare.*nun.pcx.*(--strict).*| new-warning |" md
    ls page/index@files/*.png
    exits 1 diff --strict --fail-on new-warning before after
}

@test "diff --strict: a warning fails a new sheet, and one that could not be made before" {
    "$SHEETBAKE" render -q -o before --only die dice.yaml
    "$SHEETBAKE" render -q -o after dice.yaml
    exits 1 diff --strict --fail-on failed before after
    says 'new-warning *dice/bare *not made before'
    exits 1 diff --strict --fail-on added before after
    exits 0 diff --strict before after
    cp -r . "$BATS_TEST_TMPDIR/old"
    rm "$BATS_TEST_TMPDIR/old/game/models/bare.md2"
    exits 1 diff --strict --fail-on failed --base "$BATS_TEST_TMPDIR/old" dice.yaml
    says ' *failure: models/bare.md2: *drawn untextured* (--strict)'
}
