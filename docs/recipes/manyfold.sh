#!/bin/sh
# Draws a picture beside each file of a Manyfold library that has none, or an older one. See docs/recipes/README.md,
# section Manyfold.
#
#     manyfold.sh /srv/models
set -eu
cd "$1"
# What reads the strangers' files writes into a folder of its own. The picture of each file is taken from there at the end.
work=$(mktemp -d)
place() {
    xargs -0 -r sh -c 'for file; do
        if [ -f "$0/$file-thumb.png" ] && [ ! -L "$0/$file-thumb.png" ]; then mv -fT "$0/$file-thumb.png" "$file-thumb.png"; fi
    done' "$work/made" <"$work/names"
    rm -rf "$work"
}
trap place EXIT
trap 'exit 130' INT TERM
find . -type f \( -iname '*.glb' -o -iname '*.gltf' -o -iname '*.vrm' -o -iname '*.obj' -o -iname '*.stl' -o -iname '*.ply' -o \
    -iname '*.fbx' -o -iname '*.md2' -o -iname '*.md3' -o -iname '*.md5mesh' -o -iname '*.iqm' \) -exec sh -c 'for file; do
        [ -n "$(find "$file-thumb.png" -newer "$file" 2>/dev/null)" ] || printf "%s\0" "$file"
    done' sh {} + >"$work/names"
sheetbake thumb --size 512 --background '#3a3f47' -o "$work/made/" - <"$work/names"
