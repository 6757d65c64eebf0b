# bats file_tags=asan

# FBX files as their programs wrote them: what assimp makes of them and we mend. The files are written here.

load models
load sheets

setup() {
    work_in_empty_folder
}

node() { # number, name, kind, properties
    printf '	Model: %s, "Model::%s", "%s" {
		Version: 232
		Properties70:  {
%s
		}
	}\n' "$1" "$2" "$3" "${4-}"
}

vector() { # name, x,y,z
    printf '			P: "%s", "Vector3D", "Vector", "",%s\n' "$1" "$2"
}

# What a clip does in a second, from 0: to connect it, see `plays`.
clip() { # number of the first of four objects, name, to which value
    printf '	AnimationStack: %s, "AnimStack::%s", "" {
	}
	AnimationLayer: %s, "AnimLayer::layer", "" {
	}
	AnimationCurveNode: %s, "AnimCurveNode::X", "" {
	}
	AnimationCurve: %s, "AnimCurve::", "" {
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,%s
		}
	}\n' "$1" "$2" $(($1 + 1)) $(($1 + 2)) $(($1 + 3)) "$3"
}

plays() { # number of the clip, node, property, axis
    printf '	C: "OO",%s,%s\n	C: "OO",%s,%s\n	C: "OP",%s,%s, "%s"\n	C: "OP",%s,%s, "d|%s"\n' \
        $(($1 + 1)) "$1" $(($1 + 2)) $(($1 + 1)) $(($1 + 2)) "$2" "$3" $(($1 + 3)) $(($1 + 2)) "$4"
}

# The places of points, to a thousandth, without repetition.
places() { # arguments of pose
    "$SHEETBAKE" pose --clamp "$@" | awk '/^v / {for (i = 2; i <= 4; i++) printf "%.3f%s", $i + (($i < 0 ? -$i : $i) < 5e-4 ? -$i : 0), i < 4 ? " " : "\n"}' |
        sort -u | tr '\n' ';'
}

expect_places() { # places, arguments of pose
    local found
    found=$(places "${@:2}")
    echo "found $found"
    [ "$found" = "$1" ]
}

# The triangle stands 5 above the ground, and turns about its own Z, which the properties bring upright.
write_turning() { # file, more properties
    write_fbx "$1" "$TRIANGLE$(node 2 flag Mesh "$(vector 'Lcl Translation' 0,5,0)
$(vector PreRotation -90,0,0)${2+$'\n'$2}")
$(clip 4 turn 90)" "	C: \"OO\",2,0
	C: \"OO\",1,2
$(plays 4 2 'Lcl Rotation' Z)"
}

@test "a node with a pre-rotation is moved and turned once where a clip turns it" {
    write_turning flag.fbx
    expect_places '0.000 0.000 5.000;0.000 0.000 8.000;0.000 1.000 5.000;' flag.fbx --bind
    expect_places '0.000 0.000 5.000;0.000 0.000 8.000;0.000 1.000 5.000;' flag.fbx --animation turn --time 0
    expect_places '-1.000 0.000 5.000;0.000 0.000 5.000;0.000 0.000 8.000;' flag.fbx --animation turn --time 1
}

@test "a node with a pre-rotation and a pivot keeps both where a clip turns it" {
    write_turning flag.fbx "$(vector RotationPivot 1,0,0)"
    expect_places '0.000 1.000 5.000;1.000 1.000 5.000;1.000 1.000 8.000;' flag.fbx --animation turn --time 1
}

# Two armatures at x = 0 and x = 10, each with a Bone that stands 1 above it, and the triangle on the second one's.
write_twins() { # file, parent of the mesh, name of the clip, name of the mesh
    write_fbx "$1" "$TRIANGLE$(node 2 "${4:-flag}" Mesh)$(node 10 first Null)$(node 20 second Null "$(vector 'Lcl Translation' 10,0,0)")
$(node 11 Bone LimbNode "$(vector 'Lcl Translation' 0,1,0)")$(node 21 Bone LimbNode "$(vector 'Lcl Translation' 0,1,0)")
	Deformer: 30, \"Deformer::\", \"Skin\" {
		Version: 101
	}
	Deformer: 31, \"SubDeformer::\", \"Cluster\" {
		Version: 100
		Indexes: *3 {
			a: 0,1,2
		}
		Weights: *3 {
			a: 1,1,1
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,-1,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,10,1,0,1
		}
	}
$(clip 4 "$3" 5)" "	C: \"OO\",10,0
	C: \"OO\",20,0
	C: \"OO\",11,10
	C: \"OO\",21,20
	C: \"OO\",2,$2
	C: \"OO\",1,2
	C: \"OO\",30,1
	C: \"OO\",31,30
	C: \"OO\",21,31
$(plays 4 21 'Lcl Translation' Y)"
}

# Moved by the second Bone: its channel takes the place of the bone's own 1.
MOVED='0.000 10.000 4.000;0.000 11.000 4.000;3.000 10.000 4.000;'

@test "of joints of one name the one in the armature of the mesh counts, in a clip the one in the clip's armature" {
    write_twins flag.fbx 20 'second|rise'
    expect_places '0.000 10.000 0.000;0.000 11.000 0.000;3.000 10.000 0.000;' flag.fbx --bind
    expect_places "$MOVED" flag.fbx --animation second_rise --time 1
    exits 0 info flag.fbx
    never says '*may be the wrong one*'
}

@test "of joints of one name the one counts that holds the mesh where it is, and never the mesh itself" {
    write_twins flag.fbx 0 'second|rise' Bone
    sed -i 's/0,-1,0,1$/-10,-1,0,1/' flag.fbx
    expect_places '0.000 0.000 0.000;0.000 1.000 0.000;3.000 0.000 0.000;' flag.fbx --bind
    expect_places '0.000 0.000 4.000;0.000 1.000 4.000;3.000 0.000 4.000;' flag.fbx --animation second_rise --time 1
    exits 0 info flag.fbx
    never says '*may be the wrong one*'
}

@test "where nothing tells joints of one name apart, a warning names them" {
    write_twins flag.fbx 0 rise
    sed -i 's/"Lcl Translation", "Vector3D", "Vector", "",10,0,0/"Lcl Translation", "Vector3D", "Vector", "",0,0,0/' flag.fbx
    exits 0 pose flag.fbx
    says "*warning: *flag.fbx: the joint 'Bone' may be the wrong one: several nodes are called so*"
    says "*warning: *flag.fbx: what a clip moves as 'Bone' may be the wrong one: several nodes are called so*"
}

# What says that a mesh has one material.
LAYER='GeometryVersion: 124
		LayerElementMaterial: 0 {
			Version: 101
			MappingInformationType: "AllSame"
			ReferenceInformationType: "IndexToDirect"
			Materials: *1 {
				a: 0
			}
		}
		Layer: 0 {
			Version: 100
			LayerElement:  {
				Type: "LayerElementMaterial"
				TypedIndex: 0
			}
		}'

# The triangle of a plain red that glows in green, both 0.6.
write_colored() { # file, Creator
    write_fbx "$1" "${TRIANGLE/GeometryVersion: 124/$LAYER}$(node 2 flag Mesh)
	Material: 3, \"Material::paint\", \"\" {
		Version: 102
		ShadingModel: \"lambert\"
		Properties70:  {
			P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.6,0,0
			P: \"EmissiveColor\", \"Color\", \"\", \"A\",0,0.6,0
			P: \"SpecularColor\", \"Color\", \"\", \"A\",0,0,0
		}
	}" "	C: \"OO\",2,0
	C: \"OO\",1,2
	C: \"OO\",3,2" "${2-}"
}

color_of() { # model, more keys
    write_small flag "model: $1, animations: []${2+, $2}" 'name: side, yaw: 0, pitch: 90'
    "$SHEETBAKE" render -q --force flag.yaml >&2
    open_pixels out/flag/flag.png
    pixel 14 10
}

@test "colours of Blender's files are linear, of others those of a screen, and colors: says otherwise" {
    mkdir game
    write_colored game/blender.fbx 'Blender (stable FBX IO) - 2.79 (sub 0) - 3.7.17'
    write_colored game/maya.fbx
    [ "$(color_of blender.fbx)" = cbcb00ff ]
    [ "$(color_of maya.fbx)" = 999900ff ]
    [ "$(color_of blender.fbx 'colors: srgb')" = 999900ff ]
    [ "$(color_of maya.fbx 'colors: linear')" = cbcb00ff ]
    "$SHEETBAKE" render -q flag.yaml
    sed -i 's/, colors: linear//' flag.yaml
    exits 0 render --dry-run -v flag.yaml
    says '*colors*'
}

@test "a file in centimetres and one in metres come out in metres" {
    write_fbx metres.fbx "$TRIANGLE$(node 2 flag Mesh "$(vector 'Lcl Translation' 0,5,0)")" '	C: "OO",2,0
	C: "OO",1,2'
    write_fbx centimetres.fbx "${TRIANGLE/0,0,0,1,0,0,0,0,3/0,0,0,100,0,0,0,0,300}$(node 2 flag Mesh "$(vector 'Lcl Translation' 0,500,0)")" \
        '	C: "OO",2,0
	C: "OO",1,2' '' 1
    expect_places '0.000 0.000 5.000;0.000 1.000 5.000;3.000 0.000 5.000;' metres.fbx
    expect_places '0.000 0.000 5.000;0.000 1.000 5.000;3.000 0.000 5.000;' centimetres.fbx
}

@test "what assimp says of single vertices is one line with their number" {
    write_twins flag.fbx 20 'second|rise'
    sed -i 's/a: 1,1,1/a: 0.5,0.25,0.125/' flag.fbx
    exits 0 info flag.fbx
    says '*bone weight sum != 1.0 (sum is 0.5*) (3 such lines)*'
    [ "$(grep -c 'bone weight sum' <<<"$output")" = 1 ]
    exits 0 info -v flag.fbx
    for sum in 0.5 0.25 0.125; do says "*bone weight sum != 1.0 (sum is $sum*)"; done
    [ "$(grep -c 'bone weight sum' <<<"$output")" = 3 ]
}

@test "a record names the build of assimp where it read something, and another build makes only such sheets again" {
    mkdir game
    write_colored game/flag.fbx
    cp "$DIE/models/die.md2" game
    write_list both game <<END
defaults: {cell: 16, supersample: 1, animations: [], cameras: [{name: front}]}
jobs: [{name: flag, model: flag.fbx}, {name: die, model: die.md2}, {name: other, model: die.md2, via: assimp}]
END
    be_odd blank # a probe for each build takes seconds
    exits 0 render both.yaml
    [[ $(jq -r .assimp out/both/flag.sheetbake) == 'libassimp.so.5 '* ]]
    [ "$(jq -r .assimp out/both/other.sheetbake)" = "$(jq -r .assimp out/both/flag.sheetbake)" ]
    [ "$(jq -r .assimp out/both/die.sheetbake)" = null ]
    exits 0 render --dry-run -v both.yaml
    never says '*another build*'
    ODD_MINOR=$("$SHEETBAKE" doctor --json | jq -r '.assimp | split(".")[1]')
    cp "$TOOLS/odd_assimp.so" odd/libassimp.so.5
    export ODD_MINOR
    exits 0 render --dry-run -v both.yaml
    says '*flag*the library libassimp.so.5, which reads models, is another build*'
    says '*other*the library libassimp.so.5, which reads models, is another build*'
    never says '*die*another build*'
}

@test "the bones of Half-Life's models hang on each other" {
    local man='/usr/share/assimp/models/MDL/MDL (HL1)/man.mdl'
    [ -f "$man" ] || skip "needs assimp-testmodels"
    cp "${man%.mdl}"*.mdl .
    exits 0 info --json man.mdl
    [ "$(jq -r '.files[0].joints as $j | $j[] | .name + ">" + ($j[.parent].name // "")' <<<"$output" | grep -E '^(Neck|Pelvis|RightLeg)' | sort)" = 'Neck>Spine
Pelvis>Root
RightLeg>Pelvis' ]
    # He stands: with his bones side by side he had his head at his knees.
    [ "$(jq -c '.files[0].bounds.first | (.min[2] | fabs < 0.1), .max[2] > 9' <<<"$output" | sort -u)" = true ]
}
