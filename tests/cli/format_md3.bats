# bats file_tags=asan

# MD3 from outside, with the shaders and the players of Quake III. Bolt (tools/samples/bolt.c) is a player of three MD3.

load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/models/players game/scripts
    BOLT=game/models/players/bolt
    cp -r "$(realpath "$BATS_TEST_DIRNAME/../../jobs/assets/models/players/bolt")" game/models/players
}

why() { # list; the job's reason in a dry run
    exits 0 render --dry-run -v "$1.yaml"
}

shader() { # name, stages
    printf '%s\n{\n%s\n}\n' "$1" "$2" >game/scripts/test.shader
}

@test "info says what is in an MD3, whatever it is called" {
    cp $BOLT/upper.md3 game/models/odd.mdl
    for file in $BOLT/upper.md3 game/models/odd.mdl; do
        exits 0 info "$file"
        says '  format *MD3'
        says '  tags *tag_head, tag_weapon, tag_torso'
        says '*frames *0-11 *12 *10 *1.20'
    done
    "$SHEETBAKE" info --json $BOLT/lower.md3 >info.json
    jq -e '.files[0] | [.clips[].name] == ["frames"] and [.surfaces[].name] == ["l_left", "l_right"] and
        [.skins[].name] == ["default", "rust"] and .tags == ["tag_torso"] and
        .surfaces[0].material.diffuse == "models/players/bolt/bolt.png"' info.json
}

@test "info shows a player by its folder, and does not list all pairs of its clips" {
    for way in "$BOLT" "$BOLT/animation.cfg" "--assets game models/players/bolt"; do
        # shellcheck disable=SC2086
        exits 0 info $way
        says '  format *Quake III player'
        says '*tag_weapon*'
        says '*LEGS_RUN *0-7 *8 *16 *0.50'
        says '*and 84 pairs of these, such as *'
        never grep -q 'LEGS_WALK+TORSO_STAND ' <<<"$output"
    done
}

@test "a player's legs and torso play their clips, with a weapon in its hand" {
    write_list bolt game <<END
defaults: {cell: 48, sampling: {count: 2}, cameras: [front]}
jobs:
  - name: bolt
    model: models/players/bolt
    skin: rust
    animations: [LEGS_RUN, "TORSO_A*", LEGS_BACK+TORSO_GESTURE]
    attach: {model: models/players/bolt/head.md3, name: gun, at: tag_weapon}
    sockets: [tag_weapon, tag_head]
  - {name: "all/{path}", model: models/players/*/animation.cfg}
END
    exits 0 render bolt.yaml
    [ "$(jq -r '.animations | keys | join(" ")' out/bolt/bolt.json)" = \
        "LEGS_BACK+TORSO_GESTURE/front LEGS_RUN/front TORSO_ATTACK/front TORSO_ATTACK2/front" ]
    jq -e '.meta.sheetbake.sockets | keys == ["tag_head", "tag_weapon"]' out/bolt/bolt.json
    # All: those of the game, without the pairs; it falls once and runs on.
    jq -e '.animations | length == 25' out/bolt/all/bolt.json
    jq -e '.meta.sheetbake.animations | .["LEGS_RUN/front"].loop and (.["BOTH_DEATH1/front"].loop | not)' out/bolt/all/bolt.json
}

@test "of a pair of clips the half that is not there is named" {
    write_list pairs game <<END
jobs:
  - {name: torso, model: models/players/bolt, animations: [LEGS_RUN+TORSO_ATACK]}
  - {name: legs, model: models/players/bolt, animations: [LEGS_RUM+TORSO_ATTACK]}
  - {name: whole, model: models/players/bolt, animations: [TORSO_ATTACK+LEGS_RUN]}
END
    exits 3 check pairs.yaml
    says "*: 'LEGS_RUN+TORSO_ATACK': no animation 'TORSO_ATACK', did you mean 'TORSO_ATTACK'? (*"
    says "*: 'LEGS_RUM+TORSO_ATTACK': no animation 'LEGS_RUM', did you mean 'LEGS_RUN'[?]"
    says "*: no animation 'TORSO_ATTACK+LEGS_RUN', did you mean 'TORSO_ATTACK', 'LEGS_RUN'[?]"
}

@test "skins of a player are worn by all its parts" {
    write_list skins game <<END
defaults: {cell: 48, animations: []}
jobs:
  - {name: plain, model: models/players/bolt}
  - {name: rust, model: models/players/bolt, skin: rust}
  - {name: all, model: models/players/bolt, skins: all}
  - {name: legs, model: models/players/bolt/lower.md3, skin: 1}
END
    exits 0 render skins.yaml
    never cmp -s out/skins/plain.png out/skins/rust.png
    [ "$(jq -r '[.animations | keys[] | split("/")[0]] | join(" ")' out/skins/all.json)" = "default rust" ]
    sed -i 's/skin: rust/skin: chrome/' skins.yaml
    exits 3 render skins.yaml
    says "*no skin 'chrome'*2 skins: default, rust*"
    sed -i 's,skin: chrome,skin: models/players/bolt/upper_rust.skin,' skins.yaml
    exits 2 render skins.yaml
    says "skins.yaml:7:*'models/players/bolt/upper_rust.skin' is a file of skins; *; of a Quake III model write 'skin: rust'"
}

@test "shaders say what surfaces look like: holes, colours, two sides, nothing" {
    write_list look game <<END
jobs: [{name: look, model: models/players/bolt/head.md3, cell: 64, light: flat, cameras: [front], animations: []}]
END
    # Light of strength 1 from everywhere: the picture as it is.
    shader models/players/bolt/bolt '{ map $whiteimage rgbGen const ( 1 0 0 ) }'
    exits 0 render look.yaml
    open_pixels out/look/look.png
    [ "$(pixel 32 52)" = ff0000ff ]
    shader models/players/bolt/bolt '{ map models/players/bolt/missing.tga }'
    exits 0 render look.yaml
    says "*scripts/test.shader:3: a stage of 'models/players/bolt/bolt*': no picture 'models/players/bolt/missing.tga'*"
    open_pixels out/look/look.png
    [ "$(pixel 32 52)" = 00000000 ]
}

@test "a sheet on which nothing is visible is a warning, one with some empty cells is none" {
    local part
    for part in bolt visor; do # what takes nothing away
        printf 'models/players/bolt/%s\n{\n{ map $whiteimage blendFunc filter }\n}\n' $part
    done >game/scripts/test.shader
    write_list empty game <<END
defaults: {cell: 32, animations: []}
jobs:
  - {name: grid, model: models/players/bolt/head.md3}
  - {name: packed, model: models/players/bolt/head.md3, sheet: {layout: packed, trim: true}}
  - {name: filled, model: models/players/bolt/head.md3, background: '#405060'}
END
    exits 0 render empty.yaml
    says "warning: grid: models/players/bolt/head.md3: nothing is visible in any cell of 'grid'"
    says "warning: packed: models/players/bolt/head.md3: nothing is visible in any cell of 'packed'"
    says '3 sheets in *, 2 warnings -> *'
    jq -e '.warnings | length == 1' out/empty/grid.sheetbake
    exits 0 thumb --assets game -o thumb.png models/players/bolt/head.md3
    says "sheetbake: warning: *nothing is visible in any cell of*"

    cp $BOLT/head_default.skin $BOLT/head_other.skin
    sed -i 's,models/players/bolt/bolt,models/players/bolt/rust,' $BOLT/head_other.skin
    write_list some game <<END
jobs: [{name: skins, model: models/players/bolt/head.md3, cell: 32, animations: [], skins: all}]
END
    exits 0 render some.yaml
    [[ $stderr != *nothing* ]]
}

@test "a page is made again when a shader, a skin, a part or the clips of its model change" {
    write_list bolt game <<END
jobs: [{name: bolt, model: models/players/bolt, cell: 32, animations: [LEGS_RUN], sampling: {count: 2}}]
END
    exits 0 render bolt.yaml
    why bolt
    says '0 sheets would be made, 1 up to date'
    shader models/players/bolt/visor '{ map models/players/bolt/rust.png }'
    why bolt
    says '*scripts*'
    exits 0 render bolt.yaml
    echo 'h_head,models/players/bolt/rust.png' >>$BOLT/head_default.skin
    why bolt
    says '*models/players/bolt/head_default.skin*'
    exits 0 render bolt.yaml
    echo 'h_head,models/players/bolt/rust.png' >$BOLT/head_new.skin
    why bolt
    says '*other files match models/players/bolt/head_*.skin now*'
    exits 0 render bolt.yaml
    sed -i 's/12 8 8 16/12 8 8 8/' $BOLT/animation.cfg
    why bolt
    says '*models/players/bolt/animation.cfg*'
    exits 0 render bolt.yaml
    printf '\1' | dd of=$BOLT/upper.md3 bs=1 seek=3000 conv=notrunc status=none
    why bolt
    says '*models/players/bolt/upper.md3*'
}

@test "a clip that plays once is marked by info, and thumb holds its end" {
    exits 0 info $BOLT
    says '*BOTH_DEATH1 *0-3 *4 *8 *0.38  once'
    says '*TORSO_STAND *0-3 *4 *4 *1.00'
    local time
    for time in 0 0.375 100; do
        exits 0 thumb -o death$time.png --camera front --animation BOTH_DEATH1 --time $time $BOLT
    done
    cmp death0.375.png death100.png
    ! cmp -s death0.png death100.png || false
}

@test "what is broken fails with its place" {
    write_list bolt game <<END
jobs: [{name: bolt, model: models/players/bolt, cell: 32}]
END
    truncate -s 3000 $BOLT/upper.md3
    exits 3 render bolt.yaml
    says '*models/players/bolt/animation.cfg: models/players/bolt/upper.md3: *past the end of the file (3000 bytes)*'
    rm $BOLT/upper.md3
    exits 3 render bolt.yaml
    says '*models/players/bolt/upper.md3: no such file in the assets*'
    rm $BOLT/animation.cfg
    exits 3 render bolt.yaml
    says "*no file 'models/players/bolt' in the assets*"
    exits 2 info $BOLT
    says '*a folder, not a file*'
}

@test "a player is called by its folder, by whichever path" {
    write_list names game <<-END
	- {name: "p/{stem}", model: models/players/bolt}
	- {name: "q/{path}", model: models/players/bolt/animation.cfg}
	END
    exits 0 check names.yaml
    says '*p/bolt: *'
    says '*q/bolt: *'
}

@test "an MD3 of tags alone, as Quake III's hands are, has a box of no size" {
    printf '\0\0\0\0' | dd of=$BOLT/lower.md3 bs=1 seek=84 conv=notrunc status=none # surfaces
    write_list tags "$PWD/game" <<<'- {name: legs, model: models/players/bolt/lower.md3, animations: [], cell: 8}'
    exits 0 render tags.yaml
    jq -e '.facts.bounds == "0.000 0.000 0.000 to 0.000 0.000 0.000"' out/tags/legs.sheetbake
}
