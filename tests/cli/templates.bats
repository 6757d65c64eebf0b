# bats file_tags=asan
load sheets

# `metadata`: what templates write, those built in and a job's own.

setup() {
    work_in_empty_folder
    cp -r "$DIE" game
}

# A list of one job whose metadata are these.
write_job() { # metadata, more keys
    write_list it game <<<"  - {name: it, model: models/die.md2, cell: 16, supersample: 1, metadata: $1${2:+, $2}}"
}

write_template() { # name; standard input is its text
    cat >"game/$1"
}

@test "each exporter writes its file, and verify knows it" {
    write_job '[texturepacker, libgdx, unity, cocos, gzdoom, love, tiled]'
    exits 0 render -q it.yaml
    [ "$(files out/it)" = 'it.atlas it.json it.lua it.plist it.png it.sheetbake it.texturepacker.json it.textures it.tpsheet it.tsx' ]
    exits 0 verify out/it
    jq -e '.frames[0].frame.w == 16 and .meta.image == "it.png"' out/it/it.texturepacker.json
    xmllint --noout out/it/it.tsx
    xmllint --noout --nonet out/it/it.plist
    grep -qx 'it.png' out/it/it.atlas
    exits 0 render it.yaml
    says 'nothing to do: 1 sheet up to date *'
    write_job '[love]'
    exits 0 render -q it.yaml
    [ "$(files out/it)" = 'it.json it.lua it.png it.sheetbake' ]
}

@test "files about a sheet go with its first page, others with each page" {
    write_job '[love, unity, all.txt.mustache, one.csv.mustache]' 'sheet: {max_size: 32}, cameras: [{directions: 8}]'
    write_template all.txt.mustache <<<'{{#pages}}{{image}}:{{#frames}}{{id}},{{/frames}} {{/pages}}'
    write_template one.csv.mustache <<<'{{image}}:{{#frames}}{{id}},{{/frames}}'
    exits 0 render -q it.yaml
    [ -e out/it/it@1.tpsheet ]
    [ ! -e out/it/it@1.lua ]
    [ ! -e out/it/it@1.txt ]
    [[ $(<out/it/it.txt) == 'it.png:0,1,2,3, it@1.png:4,5,6,7, '* ]]
    [ "$(<out/it/it@1.csv)" = 'it@1.png:0,1,2,3,' ]
}

@test "a template of the job's own is an asset, or beside the model" {
    mkdir game/engines
    write_template engines/my.atlas.mustache <<<'{{name}} {{cell_width}}'
    write_template models/near.mustache <<<'near {{name}}'
    write_job '[engines/my.atlas.mustache, near.mustache]'
    exits 0 check it.yaml
    exits 0 render -q it.yaml
    [ "$(<out/it/it.atlas)" = 'it 16' ]
    [ "$(<out/it/it.near)" = 'near it' ]
    exits 0 verify out/it
    jq -e '.inputs["engines/my.atlas.mustache"] and .settings.metadata == "json, engines/my.atlas.mustache, models/near.mustache"' out/it/it.sheetbake
}

@test "a template names the passes that its job has" {
    write_template my.txt.mustache <<<'{{albedo}} {{teamcolor}} {{#normal}}{{normal}}{{/normal}}'
    write_job '[my.txt.mustache]' 'passes: [albedo], teamcolor: {mesh: "*"}'
    exits 0 check it.yaml
    exits 0 render -q it.yaml
    [ "$(<out/it/it.txt)" = 'it.albedo.png it.teamcolor.png ' ]
    write_template my.txt.mustache <<<'{{normal}}'
    for command in check render; do
        exits 3 $command it.yaml
        says "*it: my.txt.mustache: line 1: 'normal' has no value here"
    done
}

@test "blanks in tags, and tags in comments, change nothing" {
    write_template my.txt.mustache <<<'{{! a {{#pages}}{{ image }}'
    write_job '[my.txt.mustache]' 'cameras: [front, left, top], sheet: {max_size: 32}'
    exits 0 render -q it.yaml
    [ "$(<out/it/it@1.txt)" = it@1.png ]
    write_template my.txt.mustache <<<'{{# pages }}{{image}} {{/ pages}}'
    exits 0 render -q it.yaml
    [[ "$(<out/it/it.txt)" == 'it.png it@1.png '* ]]
    [ ! -e out/it/it@1.txt ]
}

@test "what has no names for the sprites of GZDoom is told by check, too" {
    refuses() { # more keys, message
        write_job '[gzdoom]' "$1"
        exits 3 check it.yaml
        says "  FAILED it: metadata 'gzdoom': $2"
        exits 3 render it.yaml
        says "error: it: metadata 'gzdoom': $2"
        [ ! -e out/it/it.json ]
    }
    refuses 'cameras: [front, {name: c, yaw: 30}]' "sprites of GZDoom have yaws of 0, 22.5, 45 and so on, and the camera 'c' has none of these"
    refuses 'animations: [{name: a, frames: 0-1}], sampling: {count: 27}' "clips of GZDoom have at most 26 frames, and 'a' has 27"
    refuses "animations: [$(printf '{name: a%d, frames: 0-1}, ' {1..36})]" 'a job for GZDoom has at most 35 clips, counted in each skin, and this one has 36'
    refuses 'cameras: [front, {name: low, yaw: 360, pitch: 10}]' "sprites of GZDoom differ in their yaws, and the cameras 'front' and 'low' do not"
    refuses 'cameras: [{directions: 8, mirror: force, name: c}, {name: again, yaw: 315}]' "sprites of GZDoom differ in their yaws, and the cameras 'c-1' and 'again' do not"
}

@test "a changed template makes its own sheets again, and no others" {
    write_template my.txt.mustache <<<'a'
    write_list it game <<-END
	- {name: it, model: models/die.md2, cell: 16, metadata: [my.txt.mustache], fit: {scope: all}}
	- {name: other, model: models/die.md2, cell: 16, fit: {scope: all}}
	END
    exits 0 render -q it.yaml
    write_template my.txt.mustache <<<'b'
    exits 0 render --dry-run it.yaml
    says 'it: input my.txt.mustache changed'
    says '*1 sheet would be made, 1 up to date*'
    exits 0 render -q --depfile it.d it.yaml
    [ "$(<out/it/it.txt)" = b ]
    grep -q 'my.txt.mustache' it.d
    exits 0 render it.yaml
    says 'nothing to do: 2 sheets up to date *'
}

@test "a job without templates is recorded as before there were any" {
    write_job '[json]'
    exits 0 render -q it.yaml
    jq -e '.settings.metadata == "json"' out/it/it.sheetbake
}

@test "a template with a mistake fails its job, with the line" {
    write_job '[my.txt.mustache]'
    printf 'a\n{{#frames}}\n' | write_template my.txt.mustache
    exits 3 check it.yaml
    says "*FAILED it: my.txt.mustache: line 2: the section 'frames' has no '{{/frames}}'"
    exits 3 render it.yaml
    says "*my.txt.mustache: line 2: the section 'frames' has no '{{/frames}}'"
    printf '{{#frames}}\n{{with}}{{/frames}}' | write_template my.txt.mustache
    exits 3 check it.yaml
    says "*my.txt.mustache: line 2: no value 'with', did you mean 'width'?*"
    exits 3 render it.yaml
    says "*my.txt.mustache: line 2: no value 'with', did you mean 'width'?*"
    # Long text: a few characters at a time it would take seconds.
    printf '{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{#frames}}{{x}}%01000d%s' \
        0 '{{/frames}}{{/frames}}{{/frames}}{{/frames}}{{/frames}}{{/frames}}{{/frames}}{{/frames}}{{/frames}}' |
        write_template my.txt.mustache
    write_job '[my.txt.mustache]' 'cameras: [{directions: 16}]'
    exits 3 render it.yaml
    says '*my.txt.mustache: it repeats too much: 256 MiB are allowed'
    [ ! -e out/it/it.json ]
}

@test "a template that is not there is named, with the nearest" {
    write_template mine.txt.mustache <<<'a'
    write_job '[mime.txt.mustache]'
    exits 2 check it.yaml
    says "it.yaml:5:*: no file 'mime.txt.mustache' in the assets*, did you mean 'mine.txt.mustache'?"
}

@test "templates may not write over other files of the sheet" {
    for name in json png sheetbake webp normal preview; do
        write_job "[my.$name.mustache]"
        exits 2 check it.yaml
        says "*'my.$name.mustache' would write 'NAME.$name', which *"
    done
    write_job '[libgdx, my.atlas.mustache]'
    exits 2 check it.yaml
    says "*'my.atlas.mustache' would write 'NAME.atlas', and so does another of this list"
    write_job '[a.txt.mustache, b.TXT.mustache]'
    exits 2 check it.yaml
    says "*'b.TXT.mustache' would write 'NAME.TXT', and so does another of this list"
    write_job '[a.mustache, b.mustache, c.mustache, d.mustache, e.mustache, f.mustache, g.mustache, h.mustache, i.mustache]'
    exits 2 check it.yaml
    says '*a job has at most 8 templates'
    write_job '[libgdxx]'
    exits 2 check it.yaml
    says "*libgdxx*did you mean 'libgdx'?"
    write_job "'my@.mustache'"
    exits 2 check it.yaml
    says "*'my@.mustache' would write 'NAME.my@', which holds '@'*"
}

@test "hostile names break no format" {
    write_list it game <<-END
	- name: "a'b & c; #d %e {f}"
	  model: models/die.md2
	  cell: 16
	  cameras: [{name: "x'; --", yaw: 0}]
	  metadata: [texturepacker, libgdx, unity, cocos, love, tiled]
	END
    sed -i 's/ {f}//' it.yaml
    exits 0 render -q it.yaml
    cd out/it
    jq -e --arg name "a'b & c; #d %e" '.frames[0].filename | startswith($name)' *.texturepacker.json
    [ "$(xmllint --xpath 'string(/tileset/@name)' *.tsx)" = "a'b & c; #d %e" ]
    [ "$(xmllint --nonet --xpath 'string(//key[.="realTextureFileName"]/following-sibling::string[1])' *.plist)" = "a'b & c; #d %e.png" ]
    grep -q "^a'b & c%3B %23d %25e/" *.tpsheet
    [ "$(awk -F';' '/^[^:#]/ && NF != 11' *.tpsheet)" = '' ]
}

@test "a killed run's temporary files are removed, whatever a template calls its files" {
    write_template my.zzz.mustache <<<'a'
    write_job '[my.zzz.mustache]'
    exits 0 render -q it.yaml
    : >out/it/.it.zzz.123-0a1b2c3d.tmp
    exits 0 render -q it.yaml
    [ "$(files out/it)" = 'it.json it.png it.sheetbake it.zzz' ]
}

@test "docs/formats.md lists all values, and each of them is there" {
    local page=$BATS_TEST_DIRNAME/../../docs/formats.md
    # Lines of "WHERE VALUE...".
    awk -F'|' '/^## /{on = /^## Templates/} on && $3 ~ /^ (top|page|clip|frame)/ {gsub("`", "", $2); print $3, $2}' "$page" |
        sed 's/top, page, clip/top/' | grep -v ' pages *$' >rows
    of() { sed -n "s/^ *$1  *//p" rows | tr -s ' ' '\n' | grep .; }
    {
        printf '{{^%s}}{{/%s}}' $(for name in $(of top) $(of page); do echo "$name" "$name"; done)
        echo '{{#clips}}'
        printf '{{^%s}}{{/%s}}' $(for name in $(of clip); do echo "$name" "$name"; done)
        echo '{{#frames}}'
        printf '{{^%s}}{{/%s}}' $(for name in $(of frame); do echo "$name" "$name"; done)
        echo '{{/frames}}{{/clips}}'
    } >game/all.txt.mustache
    [ "$(grep -o '{{^' game/all.txt.mustache | wc -l)" -gt 50 ]
    write_job '[all.txt.mustache]'
    exits 0 render -q it.yaml
    # What the built-in ones use is in the docs.
    grep -oh '{{[{#^]*[a-z_]*' "$BATS_TEST_DIRNAME"/../../src/page/templates/*.mustache | tr -d '{#^' | sort -u >used
    { of top; of page; of clip; of frame; echo pages; echo; } | sort -u >listed
    [ "$(comm -23 used listed)" = '' ]
}

@test "check --json names the files of templates, and render writes just these" {
    write_template all.txt.mustache <<<'{{#pages}}{{image}} {{/pages}}'
    write_template one.csv.mustache <<<'{{image}}'
    write_job '[texturepacker, libgdx, unity, cocos, gzdoom, love, tiled, all.txt.mustache, one.csv.mustache]' \
        'sheet: {max_size: 32}, cameras: [{directions: 8}]'
    exits 0 check --json it.yaml
    jq -r '.jobs[].files[]' <<<"$output" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//' >told
    exits 0 render -q it.yaml
    [ "$(files out/it)" = "$(cat told)" ]
}

@test "sprites of GZDoom are as large from sheets of any scale" {
    write_job '[gzdoom]' 'scales: [1, 2], cameras: [front], animations: [{name: a, frames: 0-1}]'
    exits 0 render -q it.yaml
    [ "$(grep -o 'Scale [0-9]* YScale [0-9]*' out/it/it.textures | sort -u)" = 'Scale 1 YScale 1' ]
    [ "$(grep -o 'Scale [0-9]* YScale [0-9]*' out/it/it@2x.textures | sort -u)" = 'Scale 2 YScale 2' ]
}
