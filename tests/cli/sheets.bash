# Helpers for tests of `render` and `check`: small job lists of the die (tests/fixtures/die.c), and checks of the output.

# Equal light from all sides: pixels have the colours of the texture.
UNLIT="{key: {strength: 0}, fill: {strength: 0}, sky: {color: '#ffffff', strength: 1}, ground: {color: '#ffffff', strength: 1}}"

# Puts libraries that lack everything where the linker finds them first.
hide() { # file name...
    local name
    mkdir -p useless
    for name; do cp "$TOOLS/empty.so" "useless/$name"; done
    export LD_LIBRARY_PATH=$PWD/useless
}

# An OSMesa that misbehaves: see odd_osmesa.c.
be_odd() { # how
    mkdir -p odd
    cp "$TOOLS/odd_osmesa.so" odd/libOSMesa.so.8
    REAL=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libOSMesa\.so\.8 .*=> //p' | head -n1)
    export REAL ODD=$1 LD_LIBRARY_PATH=$PWD/odd
}

# Bats keeps files of its own in $BATS_TEST_TMPDIR.
work_in_empty_folder() {
    mkdir "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work"
}

# Runs a command with a file system of this size mounted at ./disk.
with_disk() { # size, command...
    [ "$(id -u)" = 0 ] || skip "only root can mount"
    mkdir -p disk
    mount -t tmpfs -o "size=$1" none disk 2>/dev/null || skip "cannot mount"
    shift
    local result=0
    "$@" || result=$?
    umount -l disk
    return $result
}

# Writes a job list for the assets $DIE with output in out/NAME. Standard input is the rest of the list, or only the lines
# of its jobs.
write_list() { # name, assets
    local rest
    rest=$(cat)
    [[ $rest =~ (^|$'\n')jobs: ]] || rest="jobs:"$'\n'$rest
    printf 'version: 1\nassets: %s\noutput: out/%s\n%s\n' "${2-$DIE}" "$1" "$rest" >"$1.yaml"
}

# Writes the job list NAME.yaml of a small job NAME in even light, for the assets in game/.
write_small() { # name, more keys of the job, its camera (the front)
    write_list "$1" game <<END
lights: {even: $UNLIT}
defaults: {light: even, cell: 32, supersample: 1, cameras: [{${3-name: front, yaw: 0, pitch: 0}}]}
jobs: [{name: $1, $2}]
END
}

render() {
    run --separate-stderr "$SHEETBAKE" render "$@"
}

check() {
    run --separate-stderr "$SHEETBAKE" check "$@"
}

# Runs the program, and fails unless it ends with this exit code.
exits() { # code, command, arguments...
    run --separate-stderr "$SHEETBAKE" "${@:2}"
    exited "$1"
}

# Runs a command without the right of root to read and write everything.
as_other() { # command...
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

# Fails, and prints all output, unless the command ended with this exit code.
exited() { # code
    [ "$status" = "$1" ] || {
        printf 'exit code %s, not %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "$stderr"
        return 1
    }
}

# Whether a line of standard error (or output) matches a pattern as in [[ ]].
says() { # pattern
    local line
    while IFS= read -r line; do
        [[ $line == $1 ]] && return
    done <<<"$stderr"$'\n'"$output"
    printf 'no line like "%s" in:\n%s\n%s\n' "$1" "$stderr" "$output"
    return 1
}

# Fails where the command does not. A `!` in front of one that is not a test's last would let it pass.
never() { # command...
    ! "$@"
}

# Files below a folder, hidden ones too, in one line.
files() { # folder
    (cd "$1" && find . -type f ! -name .sheetbake.lock -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
}

# WIDTHxHEIGHT of a picture; fails for a broken one.
size_of() { # file
    identify -regard-warnings -format '%wx%h' "$1"
}

# Decodes a picture for `pixel`.
open_pixels() { # file
    convert "$1" -depth 8 rgba:pixels.raw
    PIXELS_WIDTH=$(identify -format %w "$1")
}

pixel() { # x, y -> rrggbbaa
    od -An -tx1 -j $((($2 * PIXELS_WIDTH + $1) * 4)) -N 4 pixels.raw | tr -d ' \n'
}

# Polls until the command succeeds; fails after two minutes.
until_true() { # command...
    local i
    for ((i = 0; i < 12000; i++)); do
        ! "$@" || return 0
        sleep 0.01
    done
    echo "never came true: $*"
    return 1
}

# Installs into ./root without building anything (-o).
install_here() {
    local build
    build=$(dirname "$SHEETBAKE")
    [[ $build == */build/* ]] || skip 'not in a build folder'
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$build/../.." config="$(basename "$build")" PREFIX=/usr DESTDIR="$PWD/root" \
        -o all install >/dev/null
}

# Writes Pip's walk in the style of Doom 3: the last keyframe repeats the first, and the first joint moves `far` units
# along x.
write_march() { # file, far
    awk -v far="$2" '
        function end_frame(number) { printf "\t%.6f\n}\n", number * far / count }
        /^numFrames/ { count = $2; $0 = "numFrames " count + 1 }
        /^numAnimatedComponents/ { components = $2; $0 = "numAnimatedComponents " components + 1 }
        /^hierarchy/ { print; getline; sub(/-1 .*/, "-1 1 " components) }
        /^frame / { inside = 1; number = $2; print; next }
        inside && /^}/ { inside = 0; end_frame(number); next }
        inside && number == 0 { first = first $0 "\n" }
        { print }
        END { printf "\nframe %d {\n%s", count, first; end_frame(count) }
    ' "$BATS_TEST_DIRNAME/../../jobs/assets/models/pip/walk.md5anim" >"$1"
}

# Twenty jobs of one group, of costs 1, 3, 5, ... or 2, 4, 6, ...
write_grouped() { # name, the first cost
    local i
    for ((i = 0; i < 20; i++)); do
        echo "- {name: $1$i, model: models/die.md2, cell: 8, cameras: [front], fit: {scope: all}, sampling: {count: $((2 * i + $2))}, animations: [{name: a, frames: 0-5}]}"
    done | write_list "$1"
}
