#!/bin/sh
# Draws a picture beside each file of a Manyfold library that has none, or an older one. See docs/recipes/README.md,
# section Manyfold.
#
#     manyfold.sh /srv/models
set -eu
cd "$1"
find . -type f \( -iname '*.glb' -o -iname '*.gltf' -o -iname '*.obj' -o -iname '*.stl' -o -iname '*.ply' -o \
    -iname '*.fbx' -o -iname '*.md2' -o -iname '*.md3' -o -iname '*.md5mesh' -o -iname '*.iqm' \) -print |
    while IFS= read -r file; do
        if [ -z "$(find "$file-thumb.png" -newer "$file" 2>/dev/null)" ]; then printf '%s\n' "$file"; fi
    done |
    sheetbake thumb --size 512 --background '#3a3f47' -o ./ -
