# Not under the sanitizers: they have other limits of memory.
load sheets

# Limits that only a whole run meets. Those of single files are in tests/unit/test_limits.c.

setup() {
    work_in_empty_folder
}

# A model of so many meshes, each with a shader of its own that does not exist.
write_meshes() { # count
    local i
    printf 'MD5Version 10\nnumJoints 1\nnumMeshes %d\njoints {\n"a" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n' "$1"
    for ((i = 0; i < $1; i++)); do
        printf 'mesh {\nshader "shader%d"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 0 1 ) 1 1\nvert 2 ( 1 0 ) 2 1\n' "$i"
        printf 'numtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 0 %d 0 )\n' "$((i + 1))"
        printf 'weight 2 0 1 ( 0 0 5 )\n}\n'
    done
}

@test "a job prints 200 warnings, and the number of the rest" {
    write_meshes 200 >at.md5mesh
    write_meshes 203 >past.md5mesh
    write_list many . <<<'- {name: "{stem}", model: "*.md5mesh", cell: 8, animations: []}'
    exits 0 render many.yaml
    says 'past.md5mesh: 3 more warnings'* || says '*past.md5mesh: 3 more warnings*'
    [ "$(grep -c 'past.md5mesh: no texture' <<<"$stderr")" = 200 ]
    [ "$(grep -c 'at.md5mesh: no texture' <<<"$stderr")" = 200 ]
    never grep -q 'at.md5mesh:.* more warnings' <<<"$stderr"
}

# An uncompressed TGA of one colour, with a hole behind its header.
write_tga() { # file, side
    printf '\0\0\2\0\0\0\0\0\0\0\0\0' >"$1"
    printf "\\x$(printf %02x $(($2 & 255)))\\x$(printf %02x $(($2 >> 8)))%.0s" 1 2 >>"$1"
    printf '\30\40' >>"$1"
    truncate -s $((18 + $2 * $2 * 3)) "$1"
}

@test "the textures of a job take 1 GiB at most" {
    write_meshes 4 >four.md5mesh
    local i
    for i in 0 1 2 3; do
        write_tga shader$i.tga 8192
    done
    write_meshes 1 >one.md5mesh
    write_list large . <<<'- {name: "{stem}", model: "*.md5mesh", cell: 8, animations: []}'
    exits 3 render -j 1 --timeout 0 large.yaml
    says 'error: four: *shader?.tga: with this picture those of the job take 1365 MiB, at most 1024 are allowed'
    [ "$(files out)" = 'large/one.json large/one.png large/one.sheetbake' ]
}
