# Small models for the tests of `info` and `pose`, and helpers that check what they print.

bats_require_minimum_version 1.5.0
SHEETBAKE=${SHEETBAKE:-build/release/sheetbake}
ARM=$BATS_TEST_DIRNAME/../fixtures/arm

le16() { # numbers -> little-endian bytes
    local n
    for n; do printf "\\x$(printf %02x $((n & 255)))\\x$(printf %02x $((n >> 8 & 255)))"; done
}

le32() {
    local n
    for n; do le16 $((n & 65535)) $((n >> 16 & 65535)); done
}

padded() { # text, size
    printf %s "$1"
    head -c $(($2 - ${#1})) /dev/zero
}

ZERO=0 ONE=0x3f800000 HALF=0x3f000000 # floats, by their bits

# A square of 8 x 8 in four frames, "stand1", "stand2", "Run1", "Run2": frame f lies at z = 10 f. Its skin is called
# "models/square/skin.pcx". With "gl", its GL commands draw the same two triangles as a fan.
write_md2() { # file, gl or nothing
    local commands=0 glcmds='' frame names=(stand1 stand2 Run1 Run2) zs=($ZERO 0x41200000 0x41a00000 0x41f00000)
    [ "${2-}" ] && commands=14
    local skins=68 st=$((68 + 64)) frames tris glcmds_at end
    tris=$((st + 4 * 4)) frames=$((tris + 2 * 12)) glcmds_at=$((frames + 4 * 56)) end=$((glcmds_at + 4 * commands))
    {
        printf IDP2
        le32 8 64 32 56 1 4 4 2 $commands 4 $skins $st $tris $frames $glcmds_at $end
        padded models/square/skin.pcx 64
        le16 0 0 32 0 32 32 0 32
        le16 0 1 2 0 1 2 0 2 3 0 2 3
        for frame in 0 1 2 3; do
            le32 $ONE $ONE $ONE $ZERO $ZERO ${zs[frame]}
            padded ${names[frame]} 16
            # x, y, z and a normal of each corner; a model with one normal for all counts as one without
            printf '\0\0\0\5\10\0\0\5\10\10\0\5\0\10\0\6'
        done
        if [ $commands -gt 0 ]; then
            le32 -4 $ZERO $ZERO 0 $HALF $ZERO 1 $HALF $ONE 2 $ZERO $ONE 3 0
        fi
    } >"$1"
}

# An .mdx for the square: a normal for each of the 6 corners of its triangles.
write_mdx() { # file, the numbers of the normals
    local file=$1
    shift
    { printf UFOMDX; le32 1 6 $#; le32 "$@"; } >"$file"
}

# The `v` line of a vertex (from 1) in the OBJ that `pose` prints, with three decimals and no minus zero.
vertex() { # number, arguments of pose
    local number=$1
    shift
    "$SHEETBAKE" pose "$@" | awk -v n="$number" '
        $1 == "v" && ++i == n { printf "%.3f %.3f %.3f\n", $2, $3, $4 }' |
        sed 's/-0\.000/0.000/g'
}

# Fails when the program, run with these arguments, opens a library that can draw.
opens_no_renderer() {
    LD_DEBUG=files "$SHEETBAKE" "$@" >"$BATS_TEST_TMPDIR/loaded" 2>&1
    grep -q libjansson "$BATS_TEST_TMPDIR/loaded"
    never grep -iE 'mesa|libGL|libEGL|LLVM' "$BATS_TEST_TMPDIR/loaded"
}

printed() { # whether the output holds this line, runs of spaces counting as one
    grep -qxF -- "$1" <<<"$(sed -E 's/ +/ /g; s/^ //; s/ $//' <<<"$output")" || {
        printf 'no line "%s" in:\n%s\n' "$1" "$output"
        return 1
    }
}

# A GLB whose JSON went through a filter.
edit_glb() { # from, to, filter of jq
    local length json
    length=$(od -An -tu4 -j12 -N4 "$1" | tr -d ' ')
    json=$(tail -c +21 "$1" | head -c "$length" | jq -c "$3")
    while ((${#json} % 4)); do json+=' '; done
    {
        printf glTF
        le32 2 $((12 + 8 + ${#json} + $(wc -c <"$1") - 20 - length)) ${#json}
        printf 'JSON%s' "$json"
        tail -c +$((21 + length)) "$1"
    } >"$2"
}

# An FBX of what stands in Objects and Connections, in metres.
write_fbx() { # file, objects, connections, Creator, UnitScaleFactor, more settings
    cat >"$1" <<END
; FBX 7.3.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7300
	Creator: "${4:-FBX SDK/FBX Plugins version 2013.3}"
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UnitScaleFactor", "double", "Number", "",${5:-100}
${6-}
	}
}
Objects:  {
$2
}
Connections:  {
$3
}
END
}

# A triangle from (0, 0, 0) to (1, 0, 0) and (0, 0, 3), in the axes of the file: Y up, Z to the front.
TRIANGLE='
	Geometry: 1, "Geometry::flag", "Mesh" {
		Vertices: *9 {
			a: 0,0,0,1,0,0,0,0,3
		}
		PolygonVertexIndex: *3 {
			a: 0,1,-3
		}
		GeometryVersion: 124
	}'
