# Not under the sanitizers: examples of the docs; diff_base reads the same.

# Runs the commands of action.yml, github-comment.yml, github-verdict.yml, gitlab-ci.yml and forgejo.yml on the pull request of a small repository: a bare
# remote, a base branch that has moved on, a branch with a change, and shallow clones as the hosts make them. Only what
# belongs to the hosts has stand-ins: their actions, `gh`, and the interfaces of GitLab and Forgejo behind `curl`.
load sheets

GIT=(git -c user.name=test -c user.email=test@example.com -c init.defaultBranch=main -c advice.detachedHead=false)

setup() {
    RECIPES=$BATS_TEST_DIRNAME/../../docs/recipes
    ACTION=../../action.yml # from there
    command -v git >/dev/null || skip 'there is no git'
    work_in_empty_folder
    export HOME=$PWD/home HOST=$PWD/host LIST=jobs/demo.yaml TMPDIR=$PWD/temporary
    unset GITHUB_ACTIONS GITLAB_CI
    mkdir home host stand-ins temporary
    write_stand_ins
    PATH=$PWD/stand-ins:$PATH
    make_remote
    # Where the host has the repository, for who has a token.
    git config --global url."file://$PWD/remote".insteadOf https://x-access-token:token@hub.test/TEAM/game
}

# -- The repository --------------------------------------------------------------------------------------------------

# The branch `change` alters the skin of one die. After it was made, `main` has got another sheet.
make_remote() {
    "${GIT[@]}" init -q --bare remote
    # The hosts give out any commit, whether or not it is that of a branch.
    git -C remote config uploadpack.allowAnySHA1InWant true
    "${GIT[@]}" clone -q remote team 2>/dev/null
    mkdir -p team/jobs/assets
    cp -r "$DIE"/. team/jobs/assets
    cp team/jobs/assets/textures/die.png team/jobs/assets/textures/other.png
    write_team_list 'die, skin: textures/die.png' 'other, skin: textures/other.png'
    commit 'two dice'
    in_team switch -q -c change
    convert -negate "$DIE/textures/die.png" team/jobs/assets/textures/other.png
    commit 'a new skin'
    in_team switch -q main
    write_team_list 'die, skin: textures/die.png' 'other, skin: textures/other.png' 'third, skin: textures/die.png'
    commit 'a third die'
    in_team push -q origin main change
    merge_pull_request
}

write_team_list() { # jobs...
    printf 'version: 1\nassets: assets\noutput: ../out/demo\ndefaults: {cell: 16, animations: [hop]}\njobs:\n' >team/jobs/demo.yaml
    printf -- '- {model: models/die.md2, name: %s}\n' "$@" >>team/jobs/demo.yaml
}

in_team() {
    "${GIT[@]}" -C "$BATS_TEST_TMPDIR/work/team" "$@"
}

commit() { # message
    in_team add -A
    in_team commit -q -m "$1"
}

# What GitHub keeps of a pull request: its merge into the base branch.
merge_pull_request() {
    in_team switch -q --detach main
    in_team merge -q --no-edit change
    in_team push -q -f origin HEAD:refs/pull/7/merge
    in_team switch -q main
}

push_change() { # message
    commit "$1"
    in_team push -q origin change
    merge_pull_request
}

undo_change() {
    in_team switch -q change
    in_team checkout -q change^ -- jobs
    push_change 'the old skin'
}

# As actions/checkout does it with this depth, or GitLab's runner.
check_out() { # ref, depth
    rm -rf clone
    "${GIT[@]}" init -q clone
    git -C clone remote add origin "file://$PWD/remote"
    git -C clone fetch -q --no-tags --depth "$2" origin "$1"
    "${GIT[@]}" -C clone checkout -q FETCH_HEAD
    mkdir -p clone/.sheetbake/bin
    mkdir -p "$HOME/.sheetbake/bin"
    ln -sf "$SHEETBAKE" clone/.sheetbake/bin/sheetbake
    ln -sf "$SHEETBAKE" "$HOME/.sheetbake/bin/sheetbake"
}

# -- The recipes -----------------------------------------------------------------------------------------------------

# The lines below `inner`, the first after `outer`, that are indented more than it; without their indentation.
block() { # file, outer, inner
    awk -v outer="$2" -v inner="$3" '
        !inside && $0 ~ outer { inside = 1; next }
        inside == 1 && $0 ~ inner { inside = 2; match($0, /^ */); base = RLENGTH; next }
        inside == 2 && NF { match($0, /^ */); if (RLENGTH <= base) exit; if (!indent) indent = RLENGTH }
        inside == 2 { print substr($0, indent + 1) }
    ' "$RECIPES/$1" >block
    [ -s block ] || { echo "$1 has no $2" && return 1; }
    cat block
}

# The commands of a step of GitHub Actions.
step() { # file, name
    block "$1" "^ *- name: $2\$" '^ *run: [|]$'
}

# The script of a job of GitLab CI: a list of lines and blocks.
script() { # job
    block gitlab-ci.yml "^$1:" '^  script:$' | sed -E '/^- \|$/d; s/^(- |  )//'
}

# Each host stops at the first command that fails.
run_step() { # file, name
    step "$1" "$2" >step.sh
    (cd clone && sh -e ../step.sh)
}

# As an action is run: with the environment that its step has, of the inputs that github.yml leaves as they are.
run_action() { # name of the step
    step "$ACTION" "$1" >step.sh
    (cd clone && env GITHUB_ACTION_PATH="$(realpath "$BATS_TEST_DIRNAME/../..")" GITHUB_WORKSPACE="$PWD" GITHUB_OUTPUT="$PWD/../output" \
        GITHUB_PATH="$PWD/../path" LISTS="${LISTS-$LIST}" BASE="${BASE-$(default base)}" FAIL_ON="${FAIL_ON-$(default fail-on)}" \
        STRICT="${STRICT-$(default strict)}" ACCEPTED="${ACCEPTED-$(default accepted)}" MAX_SIZE="${MAX_SIZE-$(default max-size)}" \
            FORM="${FORM-$(default page)}" bash --noprofile --norc -eo pipefail ../step.sh)
}

default() { # input
    sed -n "/^  $1:/,/default:/s/^ *default: //p" "$RECIPES/$ACTION" | tr -d "'"
}

compare_as_github() {
    check_out refs/pull/7/merge 2
    run_action compare
}

compare_as_gitlab() { # the base of the merged result, or nothing
    check_out refs/heads/change 1
    script changes >script.sh
    (cd clone && env CI_MERGE_REQUEST_TARGET_BRANCH_SHA="${1-}" CI_JOB_ID=5 CI_JOB_URL=https://lab.test/jobs/5 \
        CI_MERGE_REQUEST_DIFF_BASE_SHA="$(in_team merge-base main change)" bash -eo pipefail ../script.sh)
}

# -- Stand-ins -------------------------------------------------------------------------------------------------------

# Both keep comments in host/comments.json, what people may do in host/people.json, and what they were asked in host/asked.
# Pages of what is asked by GraphQL have two comments.
write_stand_ins() {
    echo '[]' >host/comments.json
    cat >stand-ins/gh <<'END'
#!/bin/bash
set -eu
if [ "$1" = run ]; then
    [ "$2 $4 $5" = 'download --name diff.md' ]
    [ "${6-}" != --dir ] || { mkdir -p "$7" && cd "$7"; }
    [ -e "$HOST/artifacts/diff.md" ] && cp -r "$HOST/artifacts/." .
    exit
fi
shift
declare -A field
method=GET
while [ $# -gt 0 ]; do
    case "$1" in
    --method) method=$2; shift ;;
    --jq) filter=$2; shift ;;
    -f) field[${2%%=*}]=${2#*=}; shift ;;
    -F) case "$2" in *=@*) field[${2%%=*}]=$(cat "${2#*=@}") ;; *) field[${2%%=*}]=${2#*=} ;; esac; shift ;;
    --paginate | --silent) ;;
    *) path=${1%%\?*} ;;
    esac
    shift
done
cd "$HOST"
echo "$method $path" >>asked
change() { jq "$@" comments.json >new && mv new comments.json; }
case "$method $path" in
'GET repos/TEAM/game/pulls') jq --arg head "${field[head]}" 'map(select(.head.label == $head))' pulls.json ;;
'GET repos/TEAM/game/actions/runs/99/artifacts')
    echo '{"artifacts": [{"name": "diff.md", "id": 1}, {"name": "diff.html", "id": 2}]}' ;;
'GET repos/TEAM/game/issues/7/comments') cat comments.json ;;
'POST repos/TEAM/game/issues/7/comments')
    change --arg body "${field[body]}" '. + [{id: (length + 40), user: {login: "github-actions[bot]"}, body: $body}]' ;;
'PATCH repos/TEAM/game/issues/comments/'*)
    change --argjson id "${path##*/}" --arg body "${field[body]}" 'map(if .id == $id then .body = $body else . end)' ;;
'GET repos/TEAM/game/pulls/7') jq '.[0]' pulls.json ;;
'GET repos/TEAM/game/collaborators/'*'/permission')
    jq -e --arg name "$(cut -d/ -f5 <<<"$path")" '{permission: (.[$name] // error("404"))}' people.json ;;
'GET graphql')
    [[ ${field[query]} == *'after: $endCursor'*'pageInfo { hasNextPage endCursor }'* ]]
    [ "${field[owner]}/${field[name]} ${field[number]}" = 'TEAM/game 7' ]
    jq -c '[.[] | {author: {__typename: (.user.type // "User"), login: .user.login}, body,
        lastEditedAt: (if has("editor") then .updated_at else null end), editor: (if .editor then {login: .editor} else null end)}] |
        _nwise(2) | {data: {repository: {pullRequest: {comments: {nodes: .}}}}}' comments.json ;;
'POST repos/TEAM/game/statuses/'*)
    jq -n --arg sha "${path##*/}" --arg state "${field[state]}" --arg context "${field[context]}" --arg url "${field[target_url]}" \
        --arg text "${field[description]}" '[$sha, $context, $state, $url, $text]' -c >>statuses ;;
*) echo "gh: $method $path" >&2; exit 1 ;;
esac | jq -r "${filter-.}"
END
    # Uploads are kept by name in host/uploads, as what they were; a host may refuse them.
    cat >stand-ins/curl <<'END'
#!/bin/bash
set -eu
method=GET out=/dev/stdout
while [ $# -gt 0 ]; do
    case "$1" in
    -fsS) ;;
    --header) case "$2" in 'PRIVATE-TOKEN: secret' | 'Authorization: token secret') has_token=1 ;; Content-Type:*) ;; *) exit 22 ;; esac; shift ;;
    --request) method=$2; shift ;;
    --data-urlencode) body=$(cat "${2#body@}"); shift ;;
    --data) body=$(jq -r .body); shift ;;
    --form) method=POST file=${2#*=@} name=${2#*;filename=} file=${file%%;*}; shift ;;
    -o) out=$2; shift ;;
    *) url=${1%%\?*} page=$(grep -oP '[?&]page=\K\d+' <<<"$1") || page=1 ;;
    esac
    shift
done
: "$has_token"
{
    [ -z "${file-}" ] || cp "$file" "$HOST/new.webp"
    cd "$HOST"
    path=${url#https://*.test/api/}
    echo "$method $path" >>asked
    ! grep -sqxF "$method $path" refused || exit 22
    change() { jq "$@" comments.json >new && mv new comments.json; }
    case "$method $path" in
    'GET user') echo '{"id": 3}' ;;
    'GET projects/12/merge_requests/7/notes') jq --argjson page "$page" '.[($page - 1) * 100:$page * 100]' comments.json ;;
    'GET projects/12/members/all/'*) jq -e --arg id "${path##*/}" '.[$id] // error("404")' people.json ;;
    'POST projects/12/merge_requests/7/notes')
        change --arg body "$body" '. + [{id: (length + 40), author: {id: 3}, body: $body}]' ;;
    'PUT projects/12/merge_requests/7/notes/'*)
        change --argjson id "${path##*/}" --arg body "$body" 'map(if .id == $id then .body = $body else . end)' ;;
    'POST projects/12/uploads')
        mkdir -p uploads && mv new.webp "uploads/$name"
        jq -n --arg name "$name" '{url: "/uploads/66dbcd21ec5d24ed/\($name)", full_path: "/-/project/12/uploads/66dbcd21ec5d24ed/\($name)"}' ;;
    'GET repos/TEAM/game/issues/7/comments') cat comments.json ;;
    'POST repos/TEAM/game/issues/7/comments')
        change --arg body "$body" '. + [{id: (length + 40), user: {login: "forgejo-actions"}, body: $body}]'
        jq '.[-1]' comments.json ;;
    'PATCH repos/TEAM/game/issues/comments/'*)
        change --argjson id "${path##*/}" --arg body "$body" 'map(if .id == $id then .body = $body else . end)' ;;
    'GET repos/TEAM/game/issues/comments/40/assets') mkdir -p uploads
        ls uploads | jq -Rn '[inputs | {id: ("id-" + .), name: ., browser_download_url: ("https://forge.test/attachments/" + .)}]' ;;
    'POST repos/TEAM/game/issues/comments/40/assets')
        mkdir -p uploads && mv new.webp "uploads/$name"
        jq -n --arg name "$name" '{browser_download_url: "https://forge.test/attachments/\($name)"}' ;;
    'DELETE repos/TEAM/game/issues/comments/40/assets/id-'*) rm "uploads/${path##*/id-}" ;;
    *) echo "curl: $method $path" >&2; exit 22 ;;
    esac
} >"$out"
END
    chmod +x stand-ins/*
}

# In folders of their own: the second workflow has nothing of the first but the artifact, and its second job of the first
# only what that says.
comment_as_github() { # OWNER:BRANCH of the run, its commit
    leave_artifact
    check_as_github
    jq -n --arg sha "$(in_team rev-parse change)" \
        '[{number: 7, head: {label: "TEAM:change", sha: $sha}}, {number: 8, head: {label: "FORK:change", sha: "0"}}]' \
        >host/pulls.json
    step github-comment.yml comment >step.sh
    rm -rf comment && mkdir comment
    (cd comment && env GH_REPO=TEAM/game GH_TOKEN=token GITHUB_SERVER_URL=https://hub.test RUN=99 RUN_URL=https://hub.test/runs/99 \
        GOOD="$good" HEAD="${1-TEAM:change}" HEAD_SHA="${2-$(in_team rev-parse change)}" bash -e ../step.sh)
}

leave_artifact() {
    [ -d host/artifacts ] || mkdir host/artifacts
    [ ! -f clone/diff.md ] || cp -r clone/diff.md clone/strips host/artifacts
}

check_as_github() {
    step github-comment.yml check >step.sh
    rm -rf check && mkdir check
    (cd check && GITHUB_OUTPUT=$PWD/output RUN=99 bash -e ../step.sh)
    good=$(sed -n 's/^good=//p' check/output 2>/dev/null || true)
}

close_as_github() { # number
    step github-comment.yml remove >step.sh
    rm -rf remove && mkdir remove
    (cd remove && env GH_REPO=TEAM/game GH_TOKEN=token GITHUB_SERVER_URL=https://hub.test PULL="$1" bash -e ../step.sh)
}

comment_as_gitlab() {
    [ -n "${HAS_COMMENT_FOLDER-}" ] || { rm -rf comment && mkdir comment; }
    [ ! -f clone/diff.md ] || cp -r clone/diff.md clone/changes.job clone/strips comment
    script comment >script.sh
    (cd comment && env REVIEW_TOKEN=secret CI_JOB_URL=https://lab.test/jobs/6 CI_API_V4_URL=https://lab.test/api CI_MERGE_REQUEST_PROJECT_ID=12 \
        CI_MERGE_REQUEST_IID=7 CI_PIPELINE_URL=https://lab.test/pipelines/4 bash -eo pipefail ../script.sh)
}

compare_as_forgejo() {
    check_out refs/heads/change 9
    git -C clone fetch -q origin main
    step forgejo.yml compare >step.sh
    (cd clone && BASE=$(in_team merge-base main change) sh -e ../step.sh)
}

comment_as_forgejo() {
    step forgejo.yml comment >step.sh
    (cd clone && env TOKEN="${TOKEN-secret}" REPO_API=https://forge.test/api/repos/TEAM/game RUN_URL=https://forge.test/runs/9 PULL=7 \
        sh -e ../step.sh)
}

# The pictures of a comment: their names, in order.
pictures_of() { # jq filter of the comment
    comments "$1.body" | grep -oE '!\[before, after, difference\]\([^)]*\)' | sed -E 's/.*\((.*)\)/\1/'
}

comments() { # jq filter
    jq -r "$1" host/comments.json
}

# -- Tests -----------------------------------------------------------------------------------------------------------

# The change is in one sheet. What main has got since is none of the pull request's.
shows_other_alone() { # file
    grep -q '`demo/other`' "$1" && ! grep -q 'demo/[dt]' "$1"
}

@test "GitHub: the commands show what the pull request changes, and no more" {
    compare_as_github
    [ "$(git -C clone rev-list --count HEAD)" = 3 ] # the merge and its parents, no more history
    shows_other_alone clone/diff.md
    grep -qi '<!doctype html>' clone/diff.html
    GITHUB_STEP_SUMMARY=$PWD/summary PAGE=https://hub.test/artifacts/2 run_action summarize
    [ "$(head -n 1 summary)" = '**[See what changed](https://hub.test/artifacts/2)**' ]
    diff <(grep -v '](strips/' clone/diff.md) <(tail -n +3 summary)
}

@test "GitHub: the clone may belong to another user, as it does in a container" {
    [ "$(id -u)" = 0 ] || skip 'only root can give files away'
    check_out refs/pull/7/merge 2
    chown -R 1234:1234 clone
    run_action install
    run_action compare
    shows_other_alone clone/diff.md
}

@test "GitHub: a sheet that fails fails the step, and leaves page and Markdown" {
    in_team switch -q change
    echo broken >team/jobs/assets/models/die.md2
    push_change 'a broken model'
    run compare_as_github
    [ "$status" = 1 ]
    [ -s clone/diff.html ]
    GITHUB_STEP_SUMMARY=$PWD/summary PAGE= run_action summarize
    grep -q '`demo/die`.*| failed |' summary
}

@test "GitHub: there is one comment, which is updated" {
    echo '[{"id": 1, "user": {"login": "someone"}, "body": "<!-- sheetbake -->"}]' >host/comments.json
    compare_as_github
    comment_as_github
    comment_as_github
    [ "$(comments length)" = 2 ]
    comments '.[1].body' >body
    shows_other_alone body
    grep -qxF '**[See what changed](https://hub.test/runs/99/artifacts/2)**' body
    undo_change
    compare_as_github
    comment_as_github
    [ "$(comments length)" = 2 ]
    [[ $(comments '.[1].body') == *'No differences'* ]]
    [ "$(comments '.[0].body')" = '<!-- sheetbake -->' ]
}

@test "GitHub: there is no comment while nothing differs" {
    undo_change
    compare_as_github
    comment_as_github
    [ "$(comments length)" = 0 ]
}

@test "GitHub: the comment says that the sheets could not be compared" {
    check_out refs/pull/7/merge 2
    comment_as_github
    [[ $(comments '.[0].body') == *'could not be compared: see the [run](https://hub.test/runs/99)'* ]]
}

@test "GitHub: a commit that is not the newest of an open pull request gets no comment" {
    compare_as_github
    comment_as_github TEAM:change 1234567
    comment_as_github FORK:change
    comment_as_github TEAM:main
    never grep -v '^GET' host/asked
}

@test "GitHub: what may write neither checks out nor runs, and no text of others is part of a script" {
    never grep -nE 'uses:|sheetbake [a-z]+ ' "$RECIPES/github-comment.yml"
    never grep -n write "$RECIPES/github.yml" "$RECIPES/$ACTION"
    for file in "$ACTION" github-comment.yml github-verdict.yml forgejo.yml; do
        sed -nE 's/^ *- name: //p' "$RECIPES/$file" | sed 's/ #.*//' | while read -r name; do
            grep -A 9 -- "- name: $name" "$RECIPES/$file" | grep -q 'run: |' || continue
            step "$file" "$name" | never grep -F '${{'
        done
    done
}

@test "GitHub: the page is one file of a size, or a folder of any" {
    check_out refs/pull/7/merge 2
    MAX_SIZE=1 run_action compare
    [ -f clone/diff.html ]
    FORM=folder run_action compare
    [ -f clone/diff.html/index.html ]
    compgen -G 'clone/diff.html/index@files/*.png'
    MAX_SIZE=0 run run_action compare
    [ "$status" = 2 ]
    FORM=site run run_action compare
    [ "$status" = 2 ]
    [[ $output == *"page: 'site', allowed are file and folder"* ]]
    [ ! -e clone/diff.html ]
}

@test "GitHub: the action has inputs for lists, base, what fails and strictness" {
    check_out refs/pull/7/merge 2
    cp clone/jobs/demo.yaml clone/jobs/more.yaml
    sed -i 's|out/demo|out/more|' clone/jobs/more.yaml
    LISTS=$'jobs/demo.yaml\njobs/more.yaml' run_action compare
    shows_other_alone clone/diff.md
    grep -q '`more/other`' clone/diff.md
    LISTS=jobs/demo.yaml FAIL_ON=changed run run_action compare
    [ "$status" = 1 ]
    LISTS=jobs/demo.yaml BASE=HEAD FAIL_ON=changed run_action compare
    sed -i 's|^assets: .*|assets: bare|; s|, skin: .*}|}|' clone/jobs/more.yaml # a warning: there are no textures
    mkdir -p clone/jobs/bare/models
    cp "$DIE/models/die.md2" clone/jobs/bare/models
    LISTS=jobs/more.yaml run run_action compare
    [ "$status" = 1 ]
    LISTS=jobs/more.yaml STRICT=false run_action compare
    LISTS=jobs/more.yaml FAIL_ON= run_action compare
}

@test "GitHub: inputs are words for the program, and no commands or options" {
    check_out refs/pull/7/merge 2
    touch clone/a.yaml
    for words in '$(touch pwned)' '`touch pwned`' '--html=pwned' 'x; touch pwned' "'; touch pwned; '"; do
        LISTS=$words run run_action compare
        [ "$status" = 2 ]
        BASE=$words run run_action compare
        [ "$status" = 2 ]
        FAIL_ON=$words run run_action compare
        [ "$status" = 2 ]
        MAX_SIZE=$words run run_action compare
        [ "$status" = 2 ]
        FORM=$words run run_action compare
        [ "$status" = 2 ]
    done
    LISTS='*.yaml' run run_action compare
    [[ $output == *'*.yaml'* ]]
    [ -z "$(find . -name 'pwned*')" ]
}

@test "GitHub: files of the pull request's own are not uploaded in place of what was found" {
    check_out refs/pull/7/merge 2
    mkdir clone/strips
    echo stranger | tee clone/diff.md clone/diff.html >clone/strips/0.webp
    LISTS=none.yaml run run_action compare
    [ "$status" = 2 ]
    [ ! -e clone/diff.md ]
    [ ! -e clone/diff.html ]
    [ -z "$(ls clone/strips)" ]
}

@test "GitHub: the action builds what it installs, and calls it by its sources; it checks out where nobody has" {
    local first
    [ "$(basename "$(dirname "$SHEETBAKE")")" = release ] || skip 'another build is not what the action makes'
    mkdir clone
    run_action prepare
    first=$(grep '^key=sheetbake-' output)
    never grep has-files output
    mkdir clone/.git
    run_action prepare
    [ "$(grep -c "^$first\$" output)" = 2 ]
    grep -qx has-files=true output
    printf '#!/bin/sh\ncase "$*" in *deps*) exit ;; esac\nexec /usr/bin/make -s -o all "$@"\n' >stand-ins/make
    chmod +x stand-ins/make
    unset MAKEFLAGS MAKELEVEL
    run_action build
    run_action install
    [ "$(cat path)" = "$HOME/.sheetbake/bin" ]
    ln -s "$(cat path)/sheetbake" link
    cd /
    [ "$(env -i "$OLDPWD/link" --version)" = "$("$SHEETBAKE" --version)" ]
    env -i "$OLDPWD/link" thumb "$DIE/models/die.md2" -o "$OLDPWD/theirs.png"
    "$SHEETBAKE" thumb "$DIE/models/die.md2" -o "$OLDPWD/ours.png"
    cmp "$OLDPWD/theirs.png" "$OLDPWD/ours.png"
}

@test "GitLab: the commands show what the merge request changes, and no more" {
    compare_as_gitlab
    shows_other_alone clone/diff.md
    grep -qi '<!doctype html>' clone/diff.html
    xmllint --noout --relaxng "$BATS_TEST_DIRNAME/junit.rng" clone/diff.xml
}

@test "GitLab: there is one comment, which is updated" {
    compare_as_gitlab
    comment_as_gitlab
    comment_as_gitlab
    [ "$(comments length)" = 1 ]
    comments '.[0].body' >body
    shows_other_alone body
    grep -qxF '[See what changed](https://lab.test/jobs/5/artifacts/file/diff.html)' body
    undo_change
    compare_as_gitlab
    comment_as_gitlab
    [[ $(comments '.[].body') == *'No differences'* ]]
    rm clone/diff.md
    comment_as_gitlab
    [[ $(comments '.[].body') == *'(https://lab.test/pipelines/4)'*'could not be compared'* ]]
}

# -- Pictures --------------------------------------------------------------------------------------------------------

# A picture of the branch of a pull request, as the comment links it.
is_on_branch() { # address
    local commit=${1#https://hub.test/TEAM/game/raw/}
    git -C remote show "${commit%%/*}:${commit#*/}" >shown.webp
    webpinfo -quiet shown.webp
    [ "$(git -C remote rev-parse sheetbake-strips/7)" = "${commit%%/*}" ]
}

@test "GitHub: the comment has the pictures, at the commit of an orphan branch, until it is closed" {
    local first
    compare_as_github
    comment_as_github
    [ "$(pictures_of '.[0]' | wc -l)" = 1 ]
    first=$(pictures_of '.[0]')
    is_on_branch "$first"
    cmp shown.webp clone/strips/*
    [ "$(git -C remote rev-list --count sheetbake-strips/7)" = 1 ]
    [ "$(git -C remote ls-tree --name-only sheetbake-strips/7)" = "$(sha256sum <shown.webp | cut -c -64).webp" ]
    comments '.[0].body' | never grep '](strips/'
    comment_as_github # a rerun of the same
    is_on_branch "$(pictures_of '.[0]')"
    in_team switch -q change
    convert -modulate 50 "$DIE/textures/die.png" team/jobs/assets/textures/other.png
    push_change 'another skin'
    compare_as_github
    rm -r host/artifacts
    comment_as_github
    [ "$(comments length)" = 1 ]
    [ "$(pictures_of '.[0]')" != "$first" ]
    is_on_branch "$(pictures_of '.[0]')"
    [ "$(git -C remote rev-list --count sheetbake-strips/7)" = 1 ]
    close_as_github 8
    git -C remote rev-parse -q --verify sheetbake-strips/7
    close_as_github 7
    never git -C remote rev-parse -q --verify sheetbake-strips/7
    close_as_github 7
}

@test "GitHub: without the right to push, the comment has no pictures and all else" {
    compare_as_github
    printf '#!/bin/sh\necho "refused: GH006 protected branch"\nexit 1\n' >remote/hooks/pre-receive
    chmod +x remote/hooks/pre-receive
    run comment_as_github
    [ "$status" = 0 ]
    [[ $output == *'::warning::refs/heads/sheetbake-strips/7 cannot be pushed'* ]]
    comments '.[0].body' >body
    shows_other_alone body
    never grep 'strips/\|!\[' body
    never git -C remote rev-parse -q --verify sheetbake-strips/7
}

@test "GitHub: a branch of that name that is somebody else's is left alone" {
    in_team push -q origin main:sheetbake-strips/7
    compare_as_github
    run comment_as_github
    [ "$status" = 0 ]
    [[ $output == *'::warning::'*'is not of this workflow'* ]]
    comments '.[0].body' >body
    shows_other_alone body
    never grep '!\[' body
    close_as_github 7
    [ "$(git -C remote rev-parse sheetbake-strips/7)" = "$(in_team rev-parse main)" ]
}

@test "GitHub: pictures of a stranger that are none, are too large or too many, are not pushed" {
    local picture i
    compare_as_github
    leave_artifact
    picture=$(echo host/artifacts/strips/*)
    name() { printf 'host/artifacts/strips/%032x.webp' "$1"; }
    echo '<script>' >"$(name 1)"
    head -c 900 "$picture" >"$(name 2)"                             # cut off
    { cat "$picture"; head -c 200000 /dev/zero; } >"$(name 3)"      # too large
    cp "$picture" 'host/artifacts/strips/a|b);w x.webp'             # of no name that the program gives
    cp "$picture" host/artifacts/strips/x.html
    mkdir "$(name 4)"
    for i in 1 2 3; do printf '![before, after, difference](strips/%032x.webp)\n' $i >>host/artifacts/diff.md; done
    printf '![x](strips/a|b);w x.webp)\n' >>host/artifacts/diff.md
    rm clone/diff.md
    comment_as_github
    [ "$(git -C remote ls-tree --name-only -r sheetbake-strips/7)" = "$(sha256sum <"$picture" | cut -c -64).webp" ]
    [ "$(pictures_of '.[0]' | wc -l)" = 1 ]
    comments '.[0].body' | never grep '](strips/'
    # Nothing that the job which decodes has not named, whatever the other one finds.
    rm host/artifacts/strips/*.webp -r
    convert -size 8x8 xc:red "$(name 5)"
    for i in 6 7 8 9 10 11 12; do convert -size ${i}x8 xc:red "$(name $i)"; done
    check_as_github
    [ "$(wc -w <<<"$good")" = 6 ]
}

@test "GitLab: the pictures are uploads, which are made once" {
    compare_as_gitlab
    comment_as_gitlab
    [ "$(pictures_of '.[0]')" = "/uploads/66dbcd21ec5d24ed/$(sha256sum <"$(echo clone/strips/*)" | cut -c -64).webp" ]
    cmp host/uploads/* clone/strips/*
    comment_as_gitlab
    [ "$(grep -c uploads host/asked)" = 1 ]
    [ "$(pictures_of '.[0]' | wc -l)" = 1 ]
    [ "$(comments length)" = 1 ]
}

@test "GitLab: where uploads are refused, the comment has no pictures and all else" {
    echo 'POST projects/12/uploads' >host/refused
    compare_as_gitlab
    comment_as_gitlab
    comments '.[0].body' >body
    shows_other_alone body
    never grep 'strips/\|!\[' body
}

@test "Forgejo: the commands show what the pull request changes, and no more" {
    compare_as_forgejo
    shows_other_alone clone/diff.md
    grep -qi '<!doctype html>' clone/diff.html
}

@test "Forgejo: there is one comment, with the pictures attached, which is updated" {
    compare_as_forgejo
    comment_as_forgejo
    comments '.[0].body' >body
    shows_other_alone body
    [ "$(pictures_of '.[0]')" = "https://forge.test/attachments/$(sha256sum <"$(echo clone/strips/*)" | cut -c -64).webp" ]
    cmp host/uploads/* clone/strips/*
    cp clone/diff.md kept.md
    compare_as_forgejo
    comment_as_forgejo # a rerun
    [ "$(grep -c 'POST.*assets' host/asked) $(comments length) $(ls host/uploads | wc -l)" = '1 1 1' ]
    [ "$(pictures_of '.[0]' | wc -l)" = 1 ]
    undo_change
    compare_as_forgejo
    comment_as_forgejo
    [ "$(comments length)" = 1 ]
    [[ $(comments '.[0].body') == *'No differences'* ]]
    [ -z "$(ls host/uploads)" ]
}

@test "Forgejo: there is no comment while nothing differs, and none where the token cannot write" {
    undo_change
    compare_as_forgejo
    comment_as_forgejo
    [ "$(comments length)" = 0 ]
    in_team switch -q change
    in_team revert -n HEAD
    push_change 'again'
    compare_as_forgejo
    echo 'POST repos/TEAM/game/issues/7/comments' >host/refused
    run comment_as_forgejo
    [ "$status" = 0 ]
    [[ $output == *'no comment: this token cannot write'* ]]
    [ "$(comments length)" = 0 ]
    # Attachments alone may be refused, too.
    echo 'POST repos/TEAM/game/issues/comments/40/assets' >host/refused
    comment_as_forgejo
    comments '.[0].body' >body
    shows_other_alone body
    never grep 'strips/\|!\[' body
}

# -- Verdicts --------------------------------------------------------------------------------------------------------

# A comment that someone has left; what GitHub or GitLab knows of it.
say() { # who, text, more of its object
    jq -c --arg who "$1" --arg text "$2" --argjson more "${3-{\}}" '. + [{id: (length + 1), user: {login: $who, type: "User"},
        author: {id: ($who | explode | add), username: $who}, system: false, updated_at: "2026-01-01", body: $text} + $more]' host/comments.json >new
    mv new host/comments.json
}

# The line of the page's that accepts the sheet that differs.
line_of_page() {
    local data
    data=$(sed -n 's|.*<script type="application/json" id="data">\(.*\)</script>.*|\1|p' clone/diff.html)
    jq -r '.sheets[] | select(.name == "demo/other").accept' <<<"$data"
}

# The three jobs of github-verdict.yml, after a push or, with a name, after a comment of that person.
judge_as_github() { # who commented
    jq -n --arg sha "$(in_team rev-parse change)" '[{number: 7, state: "open", head: {label: "TEAM:change", sha: $sha}}]' >host/pulls.json
    printf '#!/bin/sh\n' | tee stand-ins/apt-get stand-ins/sleep >/dev/null
    chmod +x stand-ins/*
    rm -rf read && mkdir read
    : >read/output
    step github-verdict.yml read >step.sh
    (cd read && env GH_REPO=TEAM/game GH_TOKEN=token GITHUB_OUTPUT=output PULL="${1:+7}" WHO="${1-}" HEAD=TEAM:change \
        HEAD_SHA="$(in_team rev-parse change)" bash -e ../step.sh)
    [ -s read/output ] || return 0
    pull=$(sed -n 's/^pull=//p' read/output) head=$(sed -n 's/^head=//p' read/output) seen=$(sed -n 's/^seen=//p' read/output)
    rm -rf clone && mkdir clone
    step github-verdict.yml fetch >step.sh
    (cd clone && env TOKEN=token PULL="$pull" HEAD_SHA="$head" GITHUB_SERVER_URL=https://hub.test \
        GITHUB_REPOSITORY=TEAM/game sh -e ../step.sh) || return 1
    [ "$(git -C clone rev-parse HEAD^2)" = "$(in_team rev-parse change)" ]
    [ ! -e clone/sheetbake-accepted ]
    cp read/sheetbake-accepted clone
    mkdir -p "$HOME/.sheetbake/bin"
    ln -sf "$SHEETBAKE" "$HOME/.sheetbake/bin/sheetbake"
    result=failure
    ! ACCEPTED=sheetbake-accepted FAIL_ON=$(sed -n 's/^ *fail-on: //p' "$RECIPES/github-verdict.yml") run_action compare || result=success
    step github-verdict.yml status >step.sh
    rm -f host/statuses
    "${MEANWHILE-:}"
    env GH_REPO=TEAM/game GH_TOKEN=token PULL="$pull" HEAD_SHA="$head" SEEN="$seen" RESULT=$result \
        RUN_URL=https://hub.test/runs/100 bash -e step.sh
}

# The state of the check at the last commit, or nothing.
check_is() { # state
    local expected=
    [ -z "$1" ] || expected='["'$(in_team rev-parse change)'","sprites","'$1'","https://hub.test/runs/100"'
    [ "$(sed 's/,"[^"]*"]$//' host/statuses 2>/dev/null)" = "$expected" ] || { cat host/statuses; return 1; }
}

@test "GitHub: the check is green when people who may push have accepted what differs, until that changes" {
    local line
    echo '{"ann": "write", "boss": "admin", "eve": "read", "eva": "none"}' >host/people.json
    compare_as_github
    line=$(line_of_page)
    judge_as_github
    check_is failure
    say ann $'## Sheets\r\n\r\n```\r\n'"$line"$': sharper\r\n```\r\n'
    judge_as_github ann
    check_is success
    GITHUB_STEP_SUMMARY=$PWD/summary PAGE= run_action summarize
    grep -qF '`accepted by ann: sharper`' summary
    in_team switch -q change
    convert -modulate 50 "$DIE/textures/die.png" team/jobs/assets/textures/other.png
    push_change 'another skin'
    judge_as_github
    check_is failure
    say ann "$(line_of_page)"
    judge_as_github ann
    check_is success
    say boss "$(line_of_page | sed 's/accept/reject/'): too dark"
    judge_as_github boss
    check_is failure
    [ -z "$(git -C clone status --porcelain jobs)" ]
    undo_change
    judge_as_github
    check_is success
}

@test "GitHub: lines of people who may not push, of bots and in quotes count as nothing" {
    local line
    echo '{"ann": "write", "eve": "read", "eva": "none", "builder": "write"}' >host/people.json
    compare_as_github
    line=$(line_of_page)
    say eve "$line"
    say eva "$line"
    say stranger "$line"
    say 'ann/../boss' "$line"
    say 'a b' "$line"
    say 'builder' "$line" '{"user": {"login": "builder", "type": "Bot"}}'
    say ann "> $line"
    say ann "  $line"
    say ann "see $line"
    say eve $'x\nann\t'"$line"
    say eve $'/sheetbake accept\nann ann '"$line"
    judge_as_github
    check_is failure
    never grep . read/sheetbake-accepted
    judge_as_github ann
    check_is failure
    rm host/statuses
    judge_as_github eve # whose comments start nothing
    check_is ''
}

@test "GitHub: a comment that was edited counts if the editor may push, too" {
    local line
    echo '{"ann": "write", "boss": "admin", "eve": "read"}' >host/people.json
    compare_as_github
    line=$(line_of_page)
    for who in 'eve boss failure' 'ann eve failure' 'ann gone failure' 'ann null failure' 'ann boss success' 'ann ann success'; do
        set -- $who
        echo '[]' >host/comments.json
        say "$1" "$line" "{\"editor\": $([ "$2" = null ] && echo null || echo "\"$2\"")}"
        judge_as_github ann
        check_is "$3"
    done
}

@test "GitHub: old hashes, and what was said or pushed meanwhile, make no check green" {
    local line
    echo '{"ann": "write"}' >host/people.json
    compare_as_github
    line=$(line_of_page)
    say ann "${line/accept ????????/accept 00000000}"
    judge_as_github ann
    check_is failure
    say ann "$line"
    deleted() { echo '[]' >host/comments.json; }
    MEANWHILE=deleted judge_as_github ann
    check_is ''
    echo '[]' >host/comments.json
    for _ in 1 2 3; do say someone 'a comment of more pages'; done
    say ann "$line"
    commented() { say 'github-actions' 'a comment of the other workflow: /sheetbake x' '{"user": {"login": "github-actions[bot]", "type": "Bot"}}'; }
    MEANWHILE=commented judge_as_github ann
    check_is success
    # GitHub has not merged the new commit yet.
    in_team switch -q change
    in_team commit -q --allow-empty -m 'not merged'
    rm host/statuses
    run judge_as_github
    [ "$status" = 1 ]
    check_is ''
}

@test "GitHub: what draws for the check cannot write, and what writes has no file of the pull request" {
    local job
    never grep -nE '^ *(contents|actions|packages|id-token): write' "$RECIPES/github-verdict.yml"
    [ "$(grep -c 'write$' "$RECIPES/github-verdict.yml")" = 1 ]
    job=$(sed -n '/^  status:/,$p' "$RECIPES/github-verdict.yml")
    [[ $job == *'statuses: write'* ]]
    never grep -E -- '- uses:|git |download' <<<"$job"
    job=$(sed -n '/^  judge:/,/^  status:/p' "$RECIPES/github-verdict.yml")
    [ "$(grep -A 1 permissions: <<<"$job" | tail -n 1)" = '      contents: read' ]
}

judge_as_gitlab() {
    check_out refs/heads/change 1
    printf '#!/bin/sh\n' >stand-ins/apt-get
    chmod +x stand-ins/apt-get
    script sprites >script.sh
    (cd clone && env REVIEW_TOKEN=secret CI_API_V4_URL=https://lab.test/api CI_MERGE_REQUEST_PROJECT_ID=12 CI_MERGE_REQUEST_IID=7 \
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA= CI_MERGE_REQUEST_DIFF_BASE_SHA="$(in_team merge-base main change)" bash -eo pipefail ../script.sh)
}

@test "GitLab: the job succeeds when people who may push have accepted what differs, until that changes" {
    local line i
    jq -n '["ann 30", "eve 20", "old 40"] | map(split(" ") | {key: (.[0] | explode | add | tostring), value: {access_level: (.[1] | tonumber),
        state: (if .[0] == "old" then "blocked" else "active" end)}}) | from_entries' >host/people.json
    compare_as_gitlab
    line=$(line_of_page)
    run judge_as_gitlab
    [ "$status" = 1 ]
    say eve "$line"
    say old "$line"
    say stranger "$line"
    say ann "> $line"
    say ann "$line" '{"system": true}'
    say ann "${line/accept ????????/accept 00000000}"
    run judge_as_gitlab
    [ "$status" = 1 ]
    [[ $output == *'to accept: '"$line"* ]]
    jq -n '[range(199) | {id: ., system: false, author: {id: 1, username: "x"}, body: "hello"}]' >host/comments.json # two pages
    say ann "$line: as agreed"
    run judge_as_gitlab
    [ "$status" = 0 ]
    [[ $output == *'accepted by ann: as agreed'*'1 of 1 accepted'* ]]
    in_team switch -q change
    convert -modulate 50 "$DIE/textures/die.png" team/jobs/assets/textures/other.png
    push_change 'another skin'
    run judge_as_gitlab
    [ "$status" = 1 ]
}

# -- Strangers -------------------------------------------------------------------------------------------------------

# Files that a stranger, or a worker that was taken over, has among those that a comment is made of: hooks of git, scripts of
# sed, names that are scripts, links to what is outside. All leave their mark if anything follows them.
plant() { # folder, with diff.md and strips/
    local name hook=$PWD/marks/hook
    mkdir -p marks private
    echo 'a secret' | tee private/secret >private/victim
    cp private/secret private/aaaa.webp
    for name in pushed . strips artifact; do
        mkdir -p "$1/$name"
        git init -q "$1/$name"
        git -C "$1/$name" config core.fsmonitor "touch $PWD/marks/monitor; false"
        for hook in pre-commit post-index-change pre-push reference-transaction; do
            printf '#!/bin/sh\ntouch "%s"\n' "$PWD/marks/$hook" >"$1/$name/.git/hooks/$hook"
            chmod +x "$1/$name/.git/hooks/$hook"
        done
    done
    echo "1e touch $PWD/marks/sed" >"$1/links.sed"
    cp "$(find "$1/strips" -name '*.webp' -type f | head -n 1)" "$1/strips/a)|b|e;#.webp"
    cp "$1/strips/a)|b|e;#.webp" "$1/strips/a)|b|;1etouch \$PWNED;#.webp"
    printf '%s\n' "touch $PWD/marks/name #](strips/a)" '![private](strips/bbbb.webp)' '![private](strips/cccc.webp)' >>"$1/diff.md"
    ln -s "$PWD/private/secret" "$1/strips/bbbb.webp"
    mkfifo "$1/strips/cccc.webp"
    for name in info sums files links text.md comment.md comment.json old.json assets.json frame.webp picture.webp; do
        ln -s "$PWD/private/victim" "$1/$name"
    done
    export PWNED=$PWD/marks/command
}

nothing_was_followed() {
    [ -z "$(ls marks)" ]
    [ "$(cat private/secret private/victim)" = $'a secret\na secret' ]
    comments '.[].body' | never grep 'secret\|strips/'
    never grep -rl 'a secret' host/uploads
    [ "$(pictures_of '.[0]' | wc -l)" = 1 ] # the one of the program
}

# The same, where what a comment is made of are links themselves.
plant_links() { # folder
    rm -rf "$1/diff.md" "$1/strips" "$1/changes.job"
    ln -s "$PWD/private/secret" "$1/diff.md"
    ln -s "$PWD/private/secret" "$1/changes.job"
    ln -s "$PWD/private" "$1/strips"
}

@test "GitHub: files, links, hooks and scripts in the artifact are data" {
    compare_as_github
    leave_artifact
    plant host/artifacts
    mv clone compared
    mkdir clone
    comment_as_github
    nothing_was_followed
    [ "$(git -C remote ls-tree -r --name-only sheetbake-strips/7 | wc -l)" = 1 ]
    plant_links host/artifacts
    comment_as_github
    [[ $(comments '.[0].body') == *'could not be compared'* ]]
    comments '.[0].body' | never grep secret
    [ -z "$good" ]
}

@test "GitLab: files, links, hooks and scripts in the artifact are data" {
    local HAS_COMMENT_FOLDER=1
    compare_as_gitlab
    cp -r clone/diff.md clone/changes.job clone/strips .
    rm -r clone/*
    mkdir comment
    cp -r diff.md changes.job strips comment
    plant comment
    comment_as_gitlab
    nothing_was_followed
    plant_links comment
    comment_as_gitlab
    [[ $(comments '.[0].body') == *'(https://lab.test/pipelines/4)'*'could not be compared'* ]]
    comments '.[0].body' | never grep 'secret\|!\['
    never grep -rl 'a secret' host/uploads
}

@test "Forgejo: files, links, hooks and scripts beside what was found are data" {
    compare_as_forgejo
    rm -rf clone/.git
    plant clone
    comment_as_forgejo
    nothing_was_followed
    plant_links clone
    comment_as_forgejo
    [[ $(comments '.[0].body') == *'could not be compared'* ]]
    comments '.[0].body' | never grep 'secret\|!\['
    never grep -rl 'a secret' host/uploads
}

@test "GitLab, Forgejo: files of the change's own are not shown in place of what was found" {
    local host
    for host in gitlab forgejo; do
        check_out refs/heads/change 9
        git -C clone fetch -q origin main
        mkdir clone/strips
        echo stranger | tee clone/diff.md clone/diff.html >clone/strips/0.webp
        if [ $host = gitlab ]; then script changes >step.sh; else step forgejo.yml compare >step.sh; fi
        (cd clone && env LIST=none.yaml BASE=HEAD CI_MERGE_REQUEST_TARGET_BRANCH_SHA="$(in_team merge-base main change)" CI_JOB_ID=5 \
            sh -e ../step.sh) || true
        [ ! -e clone/diff.md ]
        [ ! -e clone/diff.html ]
        [ ! -e clone/strips/0.webp ]
    done
}

@test "a clone without the base is told what to fetch" {
    check_out refs/pull/7/merge 1
    cd clone
    exits 2 diff --base HEAD^1 "$LIST"
    says '*git fetch*'
}
