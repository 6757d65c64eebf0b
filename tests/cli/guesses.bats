# Not under the sanitizers: exit codes and words.

# Pictures that a model does not name: they are told, with the key that decides, and pass no gate.
load sheets
load repository

# A job whose model wears textures/die.png, by the name of its skin. Pictures lie beside the model as well.
make_world() { # pictures beside the model...
    local picture
    git init -q game
    mkdir -p game/models game/textures
    cp "$DIE/models/die.md2" game/models/cube.md2
    cp "$DIE/textures/die.png" game/textures
    for picture; do convert -size 4x4 "xc:#8080ff" "png:game/models/$picture"; done
    cat >game/all.yaml <<-END
	version: 1
	assets: .
	defaults: {cell: 16, cameras: [front], animations: [], rules: {missing_textures: 0}}
	jobs: [{name: die, model: models/cube.md2}]
	END
    commit game whole
}

# Removes the texture: every gate has to tell.
loses_it() {
    exits 0 render --strict -o before game/all.yaml
    rm game/textures/die.png
    never "$SHEETBAKE" render -q -o after game/all.yaml
    exits 3 render -q --force -o after game/all.yaml # a rule is broken
    says "error: die.png: ? missing textures, at most 0 (rule missing_textures)"
    sed -i 's/, rules: {missing_textures: 0}//' game/all.yaml
    exits 0 render --force -o after game/all.yaml
    exits 3 render --strict --force -o after game/all.yaml
    exits 3 check --strict game/all.yaml
    local sides
    for sides in 'before after' '--base HEAD game/all.yaml'; do
        exits 1 diff --fail-on failed,texture-lost $sides
        [[ $output == *'texture-lost  '*'die '* ]]
        exits 1 diff --strict --fail-on failed $sides
        exits 1 diff --fail-on changed $sides
    done
}

@test "a texture is lost where its normal map is left" {
    make_world die_nm.png
    loses_it
    rm -rf game before after
    make_world cube_n.png DIE_S.png other_gm.png
    loses_it
    exits 0 render --force -o after game/all.yaml
    says "warning: die: models/cube.md2: no texture for 'textures/die.pcx' of 'mesh', drawn untextured; \`skin\` chooses a picture; * places tried, see -v"
}

@test "a texture is lost where the only other picture of the folder is worn, or one that is called like the model" {
    local picture
    for picture in other.png cube.png skin.png; do
        make_world $picture
        loses_it
        exits 0 render --force -o after game/all.yaml
        says "warning: die: models/cube.md2: no texture for 'textures/die.pcx' of 'mesh', drawn in 'models/$picture' by a guess, which \`skin: models/$picture\` would make sure; * places tried, see -v"
        sed -i "s|md2}|md2, skin: models/$picture}|" game/all.yaml
        exits 0 render --strict --force -o after game/all.yaml
        rm -rf game before after
    done
}

@test "a texture of an MD5 is lost where the only other picture of the folder is worn" {
    make_world other.png
    cp "$DIE/models/die.md5mesh" game/models
    sed -i 's/cube.md2/die.md5mesh/' game/all.yaml
    commit game md5
    loses_it
}

@test "a model that names no picture and wears one by a guess says so, and passes no gate until \`skin\` says it" {
    make_world other.png
    sed -i 's|textures/die\.pcx|\x00extures/die.pcx|' game/models/cube.md2
    exits 3 render --force game/all.yaml
    says "error: die.png: 1 missing textures, at most 0 (rule missing_textures)"
    says "warning: die: models/cube.md2: it names no texture for 'mesh', drawn in 'models/other.png' by a guess, which \`skin: models/other.png\` would make sure"
    [ "$(grep -c 'by a guess' <<<"$stderr")" = 1 ]
    sed -i 's|md2}|md2, skin: models/other.png}|' game/all.yaml
    exits 0 render --force --strict game/all.yaml
}

@test "one guess in the place of another loses the texture" {
    make_world other.png
    rm game/textures/die.png
    sed -i 's/, rules: {missing_textures: 0}//' game/all.yaml
    commit game 'the texture is gone'
    exits 0 render -o before game/all.yaml
    convert -size 4x4 xc:red png:game/models/another.png
    rm game/models/other.png
    exits 0 render -o after game/all.yaml
    for sides in 'before after' '--base HEAD game/all.yaml'; do exits 1 diff --fail-on texture-lost $sides; done
}

@test "a picture under another suffix, or beside the model by its own name, is no guess that is told" {
    make_world other.png
    exits 0 render --strict -o before game/all.yaml
    mv game/textures/die.png game/models/die.jpg # what it is, its content says
    exits 0 render --strict -o after game/all.yaml
    exits 0 diff --strict --fail-on failed,texture-lost before after
}

# A model that has texture coordinates and names no picture.
write_bare() { # path
    mkdir -p "$(dirname "$1")"
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n' >"$1"
}

# A list of jobs that are called as their models in game/.
list_models() { # models, or a model and more keys of its job
    local model
    for model; do echo "- {name: $(basename "${model%%,*}" .obj), model: $model}"; done |
        write_list all game
}

@test "check notes a model without a picture beside pictures that no job uses" {
    write_bare game/models/x.obj
    mkdir -p game/models/textures
    convert -size 4x4 xc:red game/models/a.png
    convert -size 4x4 xc:red game/models/textures/b.tga
    convert -size 4x4 xc:red game/models/x-thumb.png
    convert -size 4x4 xc:red game/models/a_n.png
    convert -size 4x4 xc:red game/preview.png
    cp game/models/a.png game/models/[c].png
    list_models models/x.obj
    exits 0 check --strict all.yaml
    says 'note: models/x.obj: drawn without a picture; beside it: models/textures/b.tga, models/[[]c].png, models/a.png, which no job uses; `skin` takes one'
    [[ $output != *warning* ]]
    exits 0 check -q all.yaml
    [[ $output != *note:* ]]
    exits 0 check --json all.yaml
    [[ $output != *note* && $(jq '.jobs[0].files | length' <<<"$output") = 3 ]]
    # One that another job uses is not named, and where all are used there is nothing to say.
    write_bare game/models/y.obj
    list_models models/x.obj 'models/y.obj, skin: models/a.png'
    exits 0 check all.yaml
    says 'note: models/x.obj: *: models/textures/b.tga, models/[[]c].png, which *'
    [ "$(grep -c note: <<<"$output")" = 1 ]
    exits 0 check --only y all.yaml
    [[ $output != *note:* ]]
    list_models models/x.obj 'models/y.obj, skin: "models/[c].png"' 'models/y.obj, name: z, skin: models/a.png'
    rm game/models/textures/b.tga
    sed -i 's/name: y, \(.*\), name: z/name: z, \1/' all.yaml
    exits 0 check all.yaml
    [[ $output != *note:* ]]
}

@test "check notes no model that has colours, or is not made to wear a picture" {
    mkdir -p game/models
    convert -size 4x4 xc:red game/models/a.png
    convert -size 4x4 xc:red game/models/b.png
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >game/models/plain.obj
    printf 'v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n' >game/models/colors.obj
    printf 'newmtl r\nKd 1 0 0\nnewmtl g\nKd 0 1 0\n' >game/models/kinds.mtl
    printf 'mtllib kinds.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl r\nf 1/1 2/2 3/3\nusemtl g\nf 3/3 2/2 1/1\n' >game/models/kinds.obj
    list_models models/plain.obj models/colors.obj models/kinds.obj
    exits 0 check all.yaml
    [[ $output != *note:* ]]
    write_bare game/models/x.obj
    list_models models/x.obj
    exits 0 check all.yaml
    says 'note: models/x.obj: *'
}
