# bats file_tags=asan

# `rules`: what a sheet has to be like, judged by check, render and diff, in all that they write.
load sheets
load repository

# An atlas of two dice in game/: hop is a clip of the die that starts where it ends.
write_dice() { # rules
    [ -d game ] || cp -r "$DIE" game
    write_list dice game <<END
defaults: {cell: 16, cameras: [front], rules: $1}
jobs:
- {name: die, model: models/die.md2}
END
}

record_of() { # record, jq filter
    jq -c "$2" "$1.sheetbake"
}

made() { # number of pages that the run of the log made
    [ "$(jq -s '[.[] | select(.status == "made")] | length' log)" = "$1" ]
}

@test "a bound warns or fails: in messages, exit codes, the log, the report, records and SARIF" {
    write_dice '{triangles: {warn: 2, fail: 1000}, joints: 5}'
    exits 0 render --log log --sarif sarif dice.yaml
    says 'warning: die.png: 12 triangles, at most 2 (rule triangles)'
    jq -es '.[0] | .status == "made" and (.findings | length == 1) and .findings[0] ==
        {rule: "triangles", level: "warning", text: "12 triangles, at most 2", cell: null, file: "dice.yaml", line: 4}' log
    exits 3 render --strict dice.yaml
    says 'error: die.png: 12 triangles, at most 2 (rule triangles) (--strict)'
    write_dice '{triangles: {warn: 2}, materials: {warn: 0}}'
    exits 3 render --strict dice.yaml
    says 'error: die.png: 12 triangles, at most 2 (rule triangles), and 1 more warning (--strict)'

    write_dice '{triangles: {warn: 2, fail: 5}, materials: 0}'
    exits 3 render --log log --junit junit --sarif sarif dice.yaml
    says 'error: die.png: 12 triangles, at most 5 (rule triangles), and 1 more finding'
    says 'error: die.png: 1 materials, at most 0 (rule materials)'
    made 0
    [ "$(record_of out/dice/die '[.findings[] | .level + " " + .rule]')" = '["failure triangles","failure materials"]' ]
    [ "$(record_of out/dice/die '.words | has("rules.triangles")')" = false ]
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" junit
    [[ $(xmllint --xpath 'string(//testcase/failure/@message)' junit) == '12 triangles, at most 5 '* ]]
    jq -e '.version == "2.1.0" and (.runs | length) == 1 and .runs[0].tool.driver.name == "sheetbake"' sarif
    jq -e '.runs[0].results | map([.ruleId, .level]) == [["triangles", "error"], ["materials", "error"]]' sarif
    jq -e '.runs[0] | .results[0].message.text == "dice/die: 12 triangles, at most 5 (rule triangles)" and
        ([.results[] | .ruleIndex as $i | .ruleId] == [.tool.driver.rules[.results[].ruleIndex].id])' sarif
    [ "$(xmllint --xpath 'string(//system-out)' junit)" = 'failure: 1 materials, at most 0 (rule materials)' ]
    jq -e '.runs[0].results[0].locations[0] | .physicalLocation ==
        {artifactLocation: {uri: "dice.yaml"}, region: {startLine: 4}} and .logicalLocations[0].fullyQualifiedName == "dice/die"' sarif
    GITHUB_ACTIONS=true exits 3 render dice.yaml
    says '::error file=dice.yaml,line=4,*title=die.png::1 materials, at most 0 (rule materials)'
    "$SHEETBAKE" verify -q dice.yaml
}

@test "a rule that was changed judges anew, makes nothing, and writes the record alone" {
    write_dice '{empty_cells: 0, brightest: 1, loop_jump: 100}'
    exits 0 render --log log dice.yaml
    made 1
    cp -p out/dice/die.png out/dice/die.json .
    write_dice '{empty_cells: 0, brightest: {warn: 0.01}, texture_side: 4, need_clips: {warn: ["hop", "dance*"]}}'
    exits 3 render --log log dice.yaml
    made 0
    says "warning: die.png: no clip 'dance\**' (rule need_clips)"
    says 'error: die.png: a texture with a side of 96 pixels, at most 4: textures/die.png *'
    [ "$(record_of out/dice/die '[.findings[].rule]')" = '["texture_side","need_clips","brightest"]' ]
    [ "$(record_of out/dice/die '.findings[2].cell')" = "$(record_of out/dice/die '.measured.brightest | split(" ")[1]')" ]
    jq -e --arg cell "$(record_of out/dice/die '.findings[2].cell' | tr -d '"')" '.frames | has($cell)' out/dice/die.json
    cmp die.png out/dice/die.png
    [ ! out/dice/die.png -nt die.png ]
    cp out/dice/die.sheetbake before
    exits 3 render dice.yaml
    cmp before out/dice/die.sheetbake
    write_dice none
    exits 2 render dice.yaml
    says "dice.yaml:4:*: 'rules' must be a mapping (key: value), found 'none'"
    write_dice '{}'
    exits 0 render dice.yaml
    [ "$(record_of out/dice/die .findings)" = null ]
    exits 0 render --dry-run dice.yaml
    "$SHEETBAKE" verify -q dice.yaml
}

@test "a dry run writes no findings" {
    write_dice '{}'
    exits 0 render dice.yaml
    cp out/dice/die.sheetbake before
    write_dice '{triangles: 1}'
    exits 0 render --dry-run dice.yaml
    cmp before out/dice/die.sheetbake
}

@test "a record of before makes its page stale where rules ask for more, once and with a reason" {
    write_dice '{}'
    exits 0 render dice.yaml
    cat >strip.py <<-'END'
	import ctypes, re, sys
	class Hash(ctypes.Structure):
	    _fields_ = [('low', ctypes.c_uint64), ('high', ctypes.c_uint64)]
	hash_of = ctypes.CDLL('libxxhash.so.0').XXH3_128bits
	hash_of.restype, hash_of.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]
	text = re.sub(r' "measured": \{.*?\},\n', '', open(sys.argv[1]).read(), flags=re.S)
	text = re.sub(r'(\n "self": ")[0-9a-f]*', lambda m: m.group(1) + '0' * 32, text)
	is_ = hash_of(text.encode(), len(text.encode()))
	text = re.sub(r'(\n "self": ")[0-9a-f]*', lambda m: '%s%016x%016x' % (m.group(1), is_.high, is_.low), text)
	open(sys.argv[1], 'w').write(text)
	END
    python3 strip.py out/dice/die.sheetbake
    exits 0 render --log log dice.yaml
    made 0
    write_dice '{empty_cells: 0, triangles: 100}'
    exits 0 render --dry-run dice.yaml
    says 'die: the rule empty_cells asks for what was not measured'
    exits 0 render --log log dice.yaml
    made 1
    exits 0 render --log log dice.yaml
    made 0
}

@test "pictures: empty, dark and cut cells, and too many bytes, each with its cell" {
    cp -r "$DIE" game
    write_list dice game <<-'END'
	defaults: {cell: 16, supersample: 1, animations: [hop]}
	cameras:
	  away: {position: [10, 0, 0], target: [20, 0, 0]}
	jobs:
	- {name: gone, model: models/die.md2, cameras: [{name: away, eye: [90, 0, 0], target: [180, 0, 0], projection: perspective}], rules: {empty_cells: 0, cut_cells: {warn: 0}}}
	- {name: cut, model: models/die.md2, cameras: [front], fit: {pixels_per_unit: 50}, rules: {cut_cells: 1, bytes: 20}}
	- {name: dark, model: models/die.md2, cameras: [front], background: '#ffffff', light: {key: {strength: 0}, fill: {strength: 0}, sky: {strength: 0}, ground: {strength: 0}, rim: {strength: 0}}, rules: {darkest: 0.1, brightest: 0.1}}
	- {name: fine, model: models/die.md2, cameras: [front], rules: {empty_cells: 0, cut_cells: 0, darkest: 0.01, brightest: 1, bytes: 1000000}}
	END
    sed -i '/^cameras:/,/away:/d' dice.yaml
    exits 3 render --log log dice.yaml
    says 'error: gone.png: * empty cells, at most 0, worst in gone/hop/away/0000 (rule empty_cells)'
    says 'error: cut.png: * cells cut off by the frame, at most 1, worst in cut/hop/front/* (rule cut_cells), and 1 more finding'
    says 'error: cut.png: * bytes, at most 20 (rule bytes)'
    says 'error: dark.png: the darkest cell has a lightness of 0, at least 0.1, worst in dark/hop/front/0000 (rule darkest)'
    [ "$(jq -c 'select(.job == "fine") | [.status, .findings]' log)" = '["made",[]]' ]
    # Packed pages are judged each by its own cells.
    sed -i 's/cell: 16,/cell: 16, sheet: {layout: packed, trim: true, max_size: 24},/' dice.yaml
    exits 3 render --force --only cut --log log dice.yaml
    [ "$(cat out/dice/cut*.sheetbake | jq -s '[.[].measured.cut_cells | split(" ")[0] | tonumber] | add')" = "$(jq -s '[.[] | .frames | length] | max' out/dice/cut.json)" ] ||
        jq -s '[.[].measured]' out/dice/cut*.sheetbake
}

@test "check judges what needs no picture, and says how the rest of a run would end" {
    write_dice '{triangles: 5, empty_cells: 0, bytes: 1, unused_textures: {warn: 0}, below_ground: {warn: 1 %}, loop_jump: {warn: 0}}'
    cp "$DIE/textures/die.png" game/models/old.png
    exits 3 check --sarif sarif dice.yaml
    says '  FAILED die: 12 triangles, at most 5 (rule triangles)'
    says '  warning: 1 unused textures, at most 0: models/old.png (rule unused_textures)'
    says '1 job, *, 1 failed'
    jq -e '[.runs[0].results[].ruleId] | index("triangles") != null and index("empty_cells") == null' sarif
    jq -e '.runs[0].invocations[0] == {executionSuccessful: true, exitCode: 3, toolExecutionNotifications: []}' sarif
    # What check finds of the model, render finds, too, at the same place.
    exits 3 render --log log --sarif whole dice.yaml
    [ "$(jq -c '.runs[0].results' sarif)" = "$(jq -c '[.runs[0].results[] | select(.ruleId != "bytes")]' whole)" ]
    [ "$(jq -c 'select(.type == "page") | [.findings[].rule]' log)" = "$(jq -c '[.runs[0].results[].ruleId] + ["bytes"]' sarif)" ]
    echo 'version: 2' >wrong.yaml
    exits 2 check --sarif sarif wrong.yaml
    jq -e '.runs[0] | .results == [] and (.invocations[0] | .executionSuccessful == false and (.toolExecutionNotifications | length) == 1)' sarif
}

@test "feet that only rounding puts below the ground stand on it" {
    cp -r "$BATS_TEST_DIRNAME/../../jobs/assets" game
    write_list dice game <<-'END'
	jobs:
	- {name: plum, model: models/plum/plum.md2, animations: [stand], rules: {below_ground: 0}}
	END
    exits 0 check dice.yaml
    sed -i 's/rules:/transform: {rotation: [0, 30, 0]}, rules:/' dice.yaml
    exits 3 check dice.yaml
    says '  FAILED plum: * % of its height below the ground, at most 0, worst in plum/*'
}

@test "an unused picture that comes later is found without drawing" {
    write_dice '{unused_textures: 0}'
    exits 0 render dice.yaml
    cp "$DIE/textures/die.png" game/models/later.png
    exits 3 render --log log dice.yaml
    says 'error: die.png: 1 unused textures, at most 0: models/later.png (rule unused_textures)'
    made 0
}

@test "diff --base judges the side after, and what grew; --fail-on failed fails for a rule" {
    make_repository game
    sed -i 's/animations: \[hop\]}/animations: [hop], rules: {growth: {bytes: {warn: 1 %, fail: 9000 %}, texture_side: "50 %"}, materials: {warn: 0}}}/' game/jobs/units.yaml
    commit game rules
    convert game/art/models/one.png -scale 200% game/art/models/one.png
    exits 0 diff --base HEAD --json --sarif sarif game/jobs/units.yaml
    [ "$(jq -c '[.sheets[] | .name, (.findings[] | .level + " " + .rule)]' <<<"$output")" = \
        '["units/one","warning materials","failure growth.texture_side"]' ]
    [ "$(jq -r '.sheets[0].findings[1].text' <<<"$output")" = 'the largest texture grew by 100 %, at most 50: 96 before, 192 now' ]
    [[ $(jq -r '.sheets[0].findings[0].place' <<<"$output") == game/jobs/units.yaml:3 ]]
    jq -e '.runs[0].results | map(select(.level == "error").ruleId) == ["growth.texture_side"]' sarif
    exits 1 diff --base HEAD --fail-on failed --junit junit --markdown md game/jobs/units.yaml
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" junit
    grep -q 'failure: `the largest texture grew by 100 %' md
    exits 0 diff --base HEAD --fail-on added game/jobs/units.yaml
}

@test "diff --strict fails for a warning of a rule that is new; JUnit, annotations and comment have what fails" {
    make_repository game
    sed -i 's/animations: \[hop\]}/animations: [hop], rules: {texture_side: {warn: 100, fail: 9000}, materials: {warn: 0}}}/' game/jobs/units.yaml
    commit game rules
    darken game/art/models/one.png
    exits 0 diff --base HEAD --strict --fail-on failed --junit junit game/jobs/units.yaml
    says ' *warning: 1 materials, at most 0 (rule materials)'
    never grep '<failure' junit
    convert game/art/models/one.png -scale 200% game/art/models/one.png
    exits 0 diff --base HEAD --fail-on failed game/jobs/units.yaml
    exits 1 diff --base HEAD --strict --fail-on failed --junit junit --markdown md --sarif sarif --ci github game/jobs/units.yaml
    local text='a texture with a side of 192 pixels, at most 100: models/one.png (rule texture_side) (--strict)'
    grep -qF "<failure message=\"$text\" type=\"rule\">" junit
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" junit
    [ "$(grep -c '^::error' <<<"$stderr")" = 1 ]
    says "::error file=*units.yaml,line=3*title=units/one::$text"
    says '::warning *1 materials, at most 0 (rule materials)'
    grep -qF "failure: \`$text\`" md
    jq -e '.runs[0].results | map(select(.level == "error").ruleId) == ["texture_side"]' sarif
    # Of two folders, by their records.
    exits 0 render -o new game/jobs/units.yaml
    git -C game checkout -q art
    exits 0 render -o old game/jobs/units.yaml
    exits 1 diff --strict --fail-on failed old new
    says " *failure: $text"
    exits 0 diff --strict --fail-on failed new old
}

@test "with --strict a sheet that breaks a rule and has a warning tells the rule first" {
    write_dice '{triangles: 2}'
    rm game/textures/die.png
    exits 3 render --strict --log log --junit junit dice.yaml
    [ "$(jq -r 'select(.reason).reason' log | head -n 1)" = '12 triangles, at most 2 (rule triangles)' ]
    grep -q '<failure message="12 triangles, at most 2 (rule triangles)"' junit
}

@test "two folders and the gallery show what records say, without a list" {
    write_dice '{triangles: {warn: 2}, darkest: 0.99}'
    exits 3 render dice.yaml
    cp -r out/dice before
    darken() { convert "$1" -modulate 40 "$1"; }
    darken game/textures/die.png
    exits 3 render dice.yaml
    exits 1 diff --json --fail-on failed before out/dice
    [ "$(jq -c '[.sheets[].findings[] | [.level, .rule, .place]]' <<<"$output")" = '[["warning","triangles",null],["failure","darkest",null]]' ]
    exits 0 gallery dice.yaml -o site
    grep -q '"rule":"darkest"' site/index.html
}

@test "SARIF: a result is known again when its number and its line have changed" {
    write_dice '{triangles: {warn: 2}, materials: 0}'
    exits 3 render --strict --sarif one dice.yaml
    sed -i '1i # a line more' dice.yaml
    sed -i 's/warn: 2/warn: 3/' dice.yaml
    exits 3 render --strict --sarif two dice.yaml
    local marks='[.runs[0].results[].partialFingerprints.primaryLocationLineHash]'
    [ "$(jq -c "$marks" one)" = "$(jq -c "$marks" two)" ]
    [ "$(jq -c "$marks | unique | length" one)" = 2 ]
    jq -e '.runs[0].tool.driver.rules | map(.id) == ["triangles", "materials"] and all(.shortDescription.text != "")' one
    # A warning that --strict fails is one result, as an error.
    write_dice '{triangles: {warn: 2}}'
    exits 3 render --strict --sarif one dice.yaml
    [ "$(jq -r '.runs[0].results[] | .level + " " + .message.text' one)" = \
        'error dice/die: 12 triangles, at most 2 (rule triangles) (--strict)' ]
}

@test "mistakes in rules are told with their place and what is meant" {
    write_dice '{trianlges: 5}'
    exits 2 check dice.yaml
    says "dice.yaml:4:*: unknown key 'trianlges' in 'rules'; did you mean 'triangles'?"
    write_dice '{triangles: {max: 5}}'
    exits 2 check dice.yaml
    says "*: unknown key 'max' in a rule; allowed are 'warn' or 'fail'"
    write_dice '{triangles: {warn: 10, fail: 5}}'
    exits 2 check dice.yaml
    says "*: 'triangles' never warns at 10, for it fails at 5"
    write_dice '{darkest: {warn: 0.1, fail: 0.2}}'
    exits 2 check dice.yaml
    for value in many -1 1e300 '[1, 2]' 20%; do
        write_dice "{triangles: $value}"
        exits 2 check dice.yaml
        says "*: the bound of a rule must be a number from 0 to 1e+12, found *"
    done
    write_dice '{need_clips: {warn: [{a: b}]}}'
    exits 2 check dice.yaml
    write_dice "{need_clips: [$(seq -s, 1 101)]}"
    exits 2 check dice.yaml
    says '*: 101 patterns, at most 100 are allowed'
    write_dice '{growth: {triangels: 5 %}, below_ground: 5 percent}'
    exits 2 check dice.yaml
    says "*: unknown key 'triangels' in 'growth'; did you mean 'triangles'?"
}

@test "jobs keep the bounds of defaults that they do not give, and drop them with none" {
    cp -r "$DIE" game
    write_list dice game <<-'END'
	defaults: {cell: 16, cameras: [front], rules: {triangles: {warn: 2, fail: 5}, materials: 0}}
	jobs:
	- {name: as, model: models/die.md2}
	- {name: more, model: models/die.md2, rules: {triangles: {fail: 50}, materials: none}}
	- {name: other, model: models/die.md2, rules: {triangles: 50}}
	END
    exits 3 check --sarif sarif dice.yaml
    [ "$(jq -c '[.runs[0].results[] | .locations[0].logicalLocations[0].fullyQualifiedName + " " + .level + " " + .ruleId]' sarif)" = \
        '["dice/as error triangles","dice/as error materials","dice/more warning triangles","dice/other error materials"]' ]
    jq -e '[.runs[0].results[].locations[0].physicalLocation.region.startLine] == [4, 4, 4, 4]' sarif
}
