#!/bin/sh
# Makes a repository whose list changed in most of its commits: tests/browser/history.sh FOLDER
set -eu
models=$(cd "$(dirname "$0")" && pwd)/../../jobs/assets/models
rm -rf "$1"
mkdir -p "$1/art" "$1/home"
export HOME="$1/home" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@example.org
cd "$1"
cp -r "$models/pip" "$models/plum" art
git init -q -b main .
echo home >.git/info/exclude

day=10
commit() { # author, message
    export GIT_AUTHOR_NAME="$1" GIT_AUTHOR_DATE="2026-03-${day}T12:00:00Z" GIT_COMMITTER_DATE="2026-03-${day}T12:00:00Z"
    git add -A
    git commit -qm "$2"
    day=$((day + 1))
}

cat >units.yaml <<'END'
version: 1
assets: art
defaults: {cell: 48, cameras: [front, right], sampling: {count: 4}}
jobs:
- {name: heroes/pip, model: pip/pip.md5mesh, animations: [{file: pip/walk.md5anim}, {file: pip/wave.md5anim}]}
- {name: foes/plum, model: plum/plum.md2, animations: [run]}
- {name: foes/twin, model: plum/plum.md2, animations: [stand]}
END
commit 'Ada Byron' 'The first units'
echo read >readme.txt
commit 'Ada Byron' 'A readme'
sed -i '/plum,/s/, anim/, skin: plum\/lime.tga, anim/' units.yaml
commit '<img src=x onerror="window.hit=1">' 'Plum is </script><b onclick="hit=1">green</b>'
git switch -qc side
sed -i '/pip/s/}$/, transform: {scale: 1.3}}/' units.yaml
commit 'Grace Hopper' 'On a branch'
git switch -q main
echo more >>readme.txt
commit 'Ada Byron' 'More to read'
GIT_AUTHOR_NAME='Grace Hopper' GIT_AUTHOR_DATE=2026-03-20T12:00:00Z GIT_COMMITTER_DATE=2026-03-20T12:00:00Z git merge -q --no-ff -m "Pip is larger: merge of 'side'" side
day=21
sed -i 's/foes.plum/foes\/grape/' units.yaml
commit 'Ada Byron' 'Plum is called grape'
sed -i 's/wave.md5anim/jump.md5anim/' units.yaml
commit 'Ada Byron' 'Pip jumps, and waves no more'
sed -i '/twin/d' units.yaml
commit 'Ada Byron' 'No twin'
