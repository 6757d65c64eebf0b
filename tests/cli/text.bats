# bats file_tags=asan
load sheets

# Text that is not UTF-8 follows one rule everywhere: valid characters stay, each other byte becomes a '?'.

setup() {
    work_in_empty_folder
    cp -r "$DIE" assets
    # "grün" in UTF-8 and then in Latin-1, and a start of a character without its end.
    LC_ALL=C sed -i 's#shader "[^"]*"#shader "textures/gr\xc3\xbcn gr\xfcn\xe2\x82"#' assets/models/die.md5mesh
    LC_ALL=C sed -n 's/.*shader "textures.\(.*\)"/\1/p' assets/models/die.md5mesh | head -n1 >name
    write_list list assets <<<'- {name: die, model: models/die.md5mesh, animations: [], cell: 16, metadata: [godot]}'
}

SHOWN='grün gr?n??'

is_utf8() { # files
    iconv -f UTF-8 -t UTF-8 "$@" >/dev/null
}

@test "info shows what is not a character as '?'" {
    run --separate-stderr "$SHEETBAKE" info assets/models/die.md5mesh
    [[ $output == *"textures/$SHOWN"* ]]
    "$SHEETBAKE" info --json assets/models/die.md5mesh >info.json
    is_utf8 info.json
    jq -e --arg shown "textures/$SHOWN" '[.. | .shader? // empty] | length > 0 and all(. == $shown)' info.json
}

@test "so do messages, the log, the report and the page" {
    exits 0 render -v --log log.jsonl --junit junit.xml list.yaml
    says "warning: die: *textures/$SHOWN*"
    is_utf8 log.jsonl junit.xml out/list/*.json out/list/*.tres
    jq -se --arg shown "textures/$SHOWN" '.[0].warnings | length > 0 and any(contains($shown))' log.jsonl
    jq -e --arg shown "textures/$SHOWN" '.warnings | any(contains($shown))' out/list/die.sheetbake
    # The paths of the record alone are told exactly.
    jq -e '.absent | any(startswith("textures/grün gr\uEFFCn\uEFE2\uEF82"))' out/list/die.sheetbake
    xmllint --xpath 'string(//system-out)' junit.xml | grep -qF "textures/$SHOWN"
}

@test "so does --dry-run, of files that are found now" {
    write_list list assets <<<'- {name: die, model: models/die.md5mesh, animations: [], cell: 16, skin: textures/die.png}'
    mkdir assets/materials
    write_list other assets <<<'- {name: die, model: models/die.md2, animations: [], cell: 16, skin: textures/missing}'
    render -q other.yaml
    echo 'textures/missing { diffusemap textures/die.png }' >"assets/materials/$(cat name).mtr"
    "$SHEETBAKE" render --dry-run --json other.yaml >reasons.json
    is_utf8 reasons.json
    jq -e --arg shown "materials/$SHOWN.mtr" '.sheets[0].reasons | any(.is == $shown and (.text | contains($shown)))' reasons.json
    run --separate-stderr "$SHEETBAKE" render --dry-run -v other.yaml
    says "*materials/$SHOWN.mtr*"
}

@test "so does doctor, and a variable of drivers still counts" {
    export LP_NAME
    LP_NAME=$(cat name)
    "$SHEETBAKE" doctor --json >doctor.json || [ $? = 4 ] # where there is no EGL, either
    is_utf8 doctor.json
    jq -e --arg shown "LP_NAME=$SHOWN" '.environment | any(. == $shown)' doctor.json
    run --separate-stderr "$SHEETBAKE" doctor
    says "environment   LP_NAME=$SHOWN"
    write_list plain <<<'- {name: die, model: models/die.md2, cell: 16}'
    exits 0 render -q plain.yaml
    [ -z "$("$SHEETBAKE" render -q --dry-run plain.yaml)" ]
    LP_NAME+=$'\xe9'
    [ "$("$SHEETBAKE" render -q --dry-run plain.yaml)" ]
}

@test "so does verify" {
    exits 0 render -q list.yaml
    cp out/list/die.png "out/list/$(cat name).png"
    "$SHEETBAKE" verify --json out >verify.json
    is_utf8 verify.json
    jq -e --arg shown "$SHOWN.png" '.notes | any(.path | endswith($shown))' verify.json
    run --separate-stderr "$SHEETBAKE" verify out
    says "*$SHOWN.png*"
}

@test "what was typed shows by the same rule" {
    exits 2 render "--lock=$(cat name)" list.yaml
    says "sheetbake render: --lock: '$SHOWN'*"
}

@test "sheets of a list whose name is not UTF-8, and sheets of any name, are up to date like others" {
    local odd=$'\xee\xbe\x80' latin=$'gr\xfcn.yaml'
    cp assets/models/die.md2 "assets/models/$odd.md2"
    write_list list assets <<<"- {name: '$odd', model: 'models/$odd.md2', cell: 16}"
    mv list.yaml "$latin"
    exits 0 render "$latin"
    jq -e '.list == "gr\uEFFCn"' "out/list/$odd.sheetbake"
    exits 0 render "$latin"
    says 'nothing to do: 1 sheet up to date *'
    write_list list assets <<<"- {name: die, model: models/die.md2, cell: 16}"
    mv list.yaml "$latin"
    exits 0 render --prune "$latin"
    [ ! -e "out/list/$odd.png" ]
}
