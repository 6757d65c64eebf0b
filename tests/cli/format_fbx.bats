# bats file_tags=asan

# FBX files as their programs wrote them. The files are written here.

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
clip() { # number of the first of four objects, name, to which value, more of the curve, more of the stack
    printf '	AnimationStack: %s, "AnimStack::%s", "" {
%s
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
%s
	}\n' "$1" "$2" "${5-}" $(($1 + 1)) $(($1 + 2)) $(($1 + 3)) "$3" "${4-}"
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

@test "joints of one name are told apart by what the file connects" {
    write_twins flag.fbx 0 rise
    sed -i 's/"Lcl Translation", "Vector3D", "Vector", "",10,0,0/"Lcl Translation", "Vector3D", "Vector", "",0,0,0/' flag.fbx
    expect_places '0.000 0.000 -1.000;0.000 1.000 -1.000;3.000 0.000 -1.000;' flag.fbx --animation rise --time 0
    expect_places '0.000 0.000 4.000;0.000 1.000 4.000;3.000 0.000 4.000;' flag.fbx --animation rise --time 1
    exits 0 pose flag.fbx
    never says '*may be the wrong one*'
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

# The triangle on a node, with a clip of one property.
write_moved() { # file, property, axis, to which value, more of the curve, more of the stack
    write_fbx "$1" "$TRIANGLE$(node 2 flag Mesh)$(clip 4 move "$4" "${5-}" "${6-}")" "	C: \"OO\",2,0
	C: \"OO\",1,2
$(plays 4 2 "$2" "$3")"
}

# Of two keys: cubic, with slopes of the user; flat, or with the first one's weights of 0.9 and 0.1.
flat_slopes() { # flags, the packed weights
    printf '		KeyAttrFlags: *1 {
			a: %s
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,%s,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}' "${1:-1032}" "${2:-218434821}"
}

@test "a curve goes by the slopes of its keys, and by their weights" {
    write_moved flag.fbx 'Lcl Rotation' Y 90 "$(flat_slopes)"
    expect_places '0.000 0.000 0.000;0.000 1.000 0.000;3.000 0.000 0.000;' flag.fbx --time 0
    expect_places '-0.243 0.970 0.000;0.000 0.000 0.000;2.910 0.729 0.000;' flag.fbx --time 0.25 # 14.06 degrees
    write_moved flag.fbx 'Lcl Translation' Y 8 "$(flat_slopes $((1032 + 0x3000000)) $((9000 + (1000 << 16))))"
    # At 0.4 along the curve its time is 0.712 and its value 0.352 of 8.
    expect_places '0.000 0.000 2.816;0.000 1.000 2.816;3.000 0.000 2.816;' flag.fbx --time 0.712
    write_moved flag.fbx 'Lcl Translation' Y 8 "$(flat_slopes 516 2143289344)" # straight, whatever its slopes would be
    expect_places '0.000 0.000 4.000;0.000 1.000 4.000;3.000 0.000 4.000;' flag.fbx --time 0.5
}

# The triangle rises by 4 in a second, and by 2 more in the next.
write_rising() { # file, flags of the keys, their data
    write_moved "$1" 'Lcl Translation' Y 4 "		KeyAttrFlags: *1 {
			a: $2
		}
		KeyAttrDataFloat: *4 {
			a: $3
		}
		KeyAttrRefCount: *1 {
			a: 3
		}"
    sed -i 's/KeyTime: \*2/KeyTime: *3/; s/a: 0,46186158000$/&,92372316000/; s/KeyValueFloat: \*2/KeyValueFloat: *3/; s/a: 0,4$/&,6/' "$1"
}

@test "keys without slopes of the user have automatic ones, that may be clamped, or those of tension, continuity and bias" {
    local at
    local -A data=([automatic]='264 0,0,0,0' [clamped]='16648 0,0,0,0' [loose]='520 0,0,0,0' [tense]='520 1065353216,0,0,0')
    local -A heights=([automatic]=2.125 [clamped]=1.625 [loose]=2.125 [tense]=2.000)
    for at in automatic clamped loose tense; do
        write_rising flag.fbx ${data[$at]}
        expect_places "0.000 0.000 ${heights[$at]};0.000 1.000 ${heights[$at]};3.000 0.000 ${heights[$at]};" flag.fbx --time 0.5
        expect_places '0.000 0.000 6.000;0.000 1.000 6.000;3.000 0.000 6.000;' flag.fbx --time 2
    done
}

@test "what steps jumps at its key, and linear angles of more than half a turn go all the way" {
    write_moved flag.fbx 'Lcl Translation' Y 8 "$(flat_slopes 2)"
    expect_places '0.000 0.000 0.000;0.000 1.000 0.000;3.000 0.000 0.000;' flag.fbx --time 0.99
    expect_places '0.000 0.000 8.000;0.000 1.000 8.000;3.000 0.000 8.000;' flag.fbx --time 1
    write_moved flag.fbx 'Lcl Rotation' Y 720
    expect_places '-3.000 0.000 0.000;0.000 -1.000 0.000;0.000 0.000 0.000;' flag.fbx --time 0.25
}

@test "a take has its own span, in which curves go on as they say" {
    local stop='		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",138558474000
		}' after
    local -A heights=([C]=5.000 [R]=2.500 [M]=2.500 [A]=12.500 [K]=12.500)
    for after in C R M A K; do
        write_moved flag.fbx 'Lcl Translation' Y 5 "		Post-Extrapolation:  {
			Type: $after
			Repetition: -1
		}" "$stop"
        expect_places "0.000 0.000 ${heights[$after]};0.000 1.000 ${heights[$after]};3.000 0.000 ${heights[$after]};" flag.fbx --time 2.5
    done
    exits 0 info flag.fbx
    says '*move * 3.00*'
    write_moved flag.fbx 'Lcl Translation' Y 5 "		Post-Extrapolation:  {
			Type: R
			Repetition: -1
		}" "${stop/138558474000/41567542200000000}" # of 900,000 seconds
    sed -i 's/a: 0,46186158000$/a: 0,461861580/' flag.fbx
    exits 2 info flag.fbx
    says '*flag.fbx: curves that repeat have more than 4194304 keys'
}

# A layer above that of the clip, in which a property has a value of Y.
add_layer() { # file, property, value, weight
    sed -i 's/^Connections:  {/&\n	C: "OO",22,21\n	C: "OP",22,2, "'"$2"'"/; s/^	C: "OO",5,4$/&\n	C: "OO",21,4/; s/^Objects:  {/&\
	AnimationLayer: 21, "AnimLayer::more", "" {\
		Properties70:  {\
			P: "Weight", "Number", "", "A",'"$4"'\
		}\
	}\
	AnimationCurveNode: 22, "AnimCurveNode::T", "" {\
		Properties70:  {\
			P: "d|X", "Number", "", "A",0\
			P: "d|Y", "Number", "", "A",'"$3"'\
			P: "d|Z", "Number", "", "A",0\
		}\
	}/' "$1"
}

@test "a layer adds to what is below it, by its weight, or takes its place" {
    write_moved flag.fbx 'Lcl Translation' Y 4
    add_layer flag.fbx 'Lcl Translation' 6 50
    expect_places '0.000 0.000 5.000;0.000 1.000 5.000;3.000 0.000 5.000;' flag.fbx --time 0.5
    sed -i 's/P: "Weight", "Number", "", "A",50/&\n			P: "BlendMode", "enum", "", "",2/' flag.fbx
    expect_places '0.000 0.000 4.000;0.000 1.000 4.000;3.000 0.000 4.000;' flag.fbx --time 0.5
    sed -i 's/P: "BlendMode", "enum", "", "",2/P: "BlendMode", "enum", "", "",1/' flag.fbx
    expect_places '0.000 0.000 6.000;0.000 1.000 6.000;3.000 0.000 6.000;' flag.fbx --time 0.5
}

@test "a property that only a layer above the first moves, or that has a value and no curve, begins where it rests" {
    write_moved flag.fbx 'Lcl Rotation' X 0
    sed -i 's/	Model: 2, .*/&\n		Properties70:  {\n			P: "Lcl Translation", "Vector3D", "Vector", "",10,0,0\n		}/' flag.fbx
    add_layer flag.fbx 'Lcl Translation' 6 50
    expect_places '0.000 10.000 3.000;0.000 11.000 3.000;3.000 10.000 3.000;' flag.fbx --time 0.5
    sed -i 's/^Connections:  {/&\n	C: "OP",23,22, "d|Y"/; s/^Objects:  {/&\
	AnimationCurve: 23, "AnimCurve::", "" {\
		KeyTime: *2 {\
			a: 0,46186158000\
		}\
		KeyValueFloat: *2 {\
			a: 6,12\
		}\
	}/' flag.fbx
    expect_places '0.000 10.000 4.500;0.000 11.000 4.500;3.000 10.000 4.500;' flag.fbx --time 0.5
    sed -i 's/	C: "OO",22,21/	C: "OO",22,5/; /C: "OP",23,22/d' flag.fbx
    expect_places '0.000 0.000 6.000;0.000 1.000 6.000;3.000 0.000 6.000;' flag.fbx --time 0.5
}

@test "a turn by a layer above the first alone goes on past half a turn" {
    write_moved flag.fbx 'Lcl Translation' Y 0
    add_layer flag.fbx 'Lcl Rotation' 0 100
    sed -i 's/^Connections:  {/&\n	C: "OP",23,22, "d|X"/; s/^Objects:  {/&\
	AnimationCurve: 23, "AnimCurve::", "" {\
		KeyTime: *2 {\
			a: 0,46186158000\
		}\
		KeyValueFloat: *2 {\
			a: 90,270\
		}\
	}/' flag.fbx
    expect_places '-3.000 0.000 0.001;0.000 0.000 0.000;0.000 1.000 0.000;' flag.fbx --time 0.5001
}

@test "layers turn about X, then Y, then Z, and the node turns by the result in its own order" {
    write_moved flag.fbx 'Lcl Rotation' X 90
    add_layer flag.fbx 'Lcl Rotation' 30 100
    expect_places '0.000 0.000 0.000;0.000 0.866 0.500;0.000 1.500 -2.598;' flag.fbx --time 1
    sed -i 's/	Model: 2, .*/&\n		Properties70:  {\n			P: "RotationOrder", "enum", "", "",5\n		}/' flag.fbx
    expect_places '0.000 0.000 -3.000;0.000 0.000 0.000;0.500 0.866 0.000;' flag.fbx --time 1
}

# The triangle at x = 2, bound there to a joint, and a clip that brings a node to x = 5.
write_bound() { # file, parent of the mesh and of the joint, node of the clip, program
    write_fbx "$1" "$TRIANGLE$(node 2 flag Mesh "$(vector 'Lcl Translation' 2,0,0)")$(node 10 group Null)$(node 11 bone LimbNode)
	Deformer: 30, \"Deformer::\", \"Skin\" {
	}
	Deformer: 31, \"SubDeformer::\", \"Cluster\" {
		Indexes: *3 {
			a: 0,1,2
		}
		Weights: *3 {
			a: 1,1,1
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
	}
$(clip 4 move 5)" "	C: \"OO\",10,0
	C: \"OO\",11,$2
	C: \"OO\",2,$2
	C: \"OO\",1,2
	C: \"OO\",30,1
	C: \"OO\",31,30
	C: \"OO\",11,31
$(plays 4 "$3" 'Lcl Translation' X)"
    sed -i 's/^	Creator: .*/&\
	SceneInfo: "SceneInfo::GlobalInfo", "UserData" {\
		Properties70:  {\
			P: "Original|ApplicationName", "KString", "", "", "'"$4"'"\
		}\
	}/' "$1"
}

@test "a skinned mesh goes where its own node goes in Maya's files, and never twice with a group" {
    local rest='0.000 2.000 0.000;0.000 3.000 0.000;3.000 2.000 0.000;'
    write_bound flag.fbx 0 2 Maya
    expect_places "$rest" flag.fbx --bind
    expect_places '0.000 5.000 0.000;0.000 6.000 0.000;3.000 5.000 0.000;' flag.fbx --time 1
    write_bound flag.fbx 0 2 '3ds Max'
    expect_places "$rest" flag.fbx --time 1
    write_bound flag.fbx 10 10 Maya
    expect_places '0.000 7.000 0.000;0.000 8.000 0.000;3.000 7.000 0.000;' flag.fbx --time 1
}

# The triangle hangs in equal parts on a joint that stands still and on one that is bent by 90 degrees, at x = 1.
write_bent() { # file, more of the skin
    local joint objects= links='	C: "OO",30,1'
    for joint in 11 12; do
        objects+="
	Deformer: 2$joint, \"SubDeformer::\", \"Cluster\" {
		Indexes: *3 {
			a: 0,1,2
		}
		Weights: *3 {
			a: 0.5,0.5,0.5
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,$((11 - joint)),0,0,1
		}
	}"
        links+="
	C: \"OO\",2$joint,30
	C: \"OO\",$joint,2$joint"
    done
    write_more "$1" "$(node 11 still LimbNode)$(node 12 bent LimbNode "$(vector 'Lcl Translation' 1,0,0)
$(vector 'Lcl Rotation' 0,0,90)")
	Deformer: 30, \"Deformer::\", \"Skin\" {
${2-}
	}$objects" "$links"
}

@test "a skin of dual quaternions keeps the distance to its joint, and a blended one by the weights of its points" {
    write_bent flag.fbx
    expect_places '0.000 0.500 -0.500;0.000 1.000 0.000;3.000 0.500 -0.500;' flag.fbx
    write_bent flag.fbx '		SkinningType: "DualQuaternion"'
    expect_places '0.000 0.293 -0.707;0.000 1.000 0.000;3.000 0.293 -0.707;' flag.fbx
    write_bent flag.fbx '		SkinningType: "Blend"
		Indexes: *2 {
			a: 0,2
		}
		BlendWeights: *2 {
			a: 1,0.5
		}'
    expect_places '0.000 0.293 -0.707;0.000 1.000 0.000;3.000 0.396 -0.604;' flag.fbx
    exits 0 info flag.fbx
    never says '*quaternion*'
}

@test "a layer that does not say what it goes by goes by corners, if it has as many values" {
    local layer='LayerElementNormal: 0 {
			Normals: *9 {
				a: 0,0,1,0,0,1,0,0,1
			}
		}'
    write_fbx flag.fbx "${TRIANGLE/GeometryVersion: 124/$layer}$(node 2 flag Mesh)" '	C: "OO",2,0
	C: "OO",1,2'
    exits 0 pose flag.fbx
    [ "$(grep '^vn' <<<"$output" | sort -u)" = 'vn 1 0 0' ]
    sed -i 's/LayerElementNormal: 0 {/&\n			MappingInformationType: "ByEdge"/' flag.fbx
    exits 0 pose flag.fbx
    [ "$(grep '^vn' <<<"$output" | sort -u)" = 'vn 0 0 -1' ]
}

@test "a node takes the size of its parent with its shape, by its own axes, or not" {
    local inherit
    local -A places=([1]='-1.000 2.000 0.000;0.000 2.000 0.000;0.000 8.000 0.000;'
        [0]='-2.000 2.000 0.000;0.000 2.000 0.000;0.000 5.000 0.000;'
        [2]='-1.000 2.000 0.000;0.000 2.000 0.000;0.000 5.000 0.000;')
    for inherit in 0 1 2; do
        write_fbx flag.fbx "$TRIANGLE$(node 2 pole LimbNode "$(vector 'Lcl Scaling' 2,1,1)")$(node 3 flag Mesh "$(vector 'Lcl Translation' 1,0,0)
$(vector 'Lcl Rotation' 0,90,0)
			P: \"InheritType\", \"enum\", \"\", \"\",$inherit")" '	C: "OO",2,0
	C: "OO",3,2
	C: "OO",1,3'
        expect_places "${places[$inherit]}" flag.fbx
    done
}

@test "a clip that sizes a node leaves what does not take its shape as it is" {
    write_fbx flag.fbx "$TRIANGLE$(node 2 pole LimbNode)$(node 3 flag Mesh "$(vector 'Lcl Translation' 1,0,0)
$(vector 'Lcl Rotation' 0,90,0)
			P: \"InheritType\", \"enum\", \"\", \"\",2")
$(clip 4 grow 2)" "	C: \"OO\",2,0
	C: \"OO\",3,2
	C: \"OO\",1,3
$(plays 4 2 'Lcl Scaling' X)"
    sed -i 's/^	AnimationCurveNode: 6, .*/&\
		Properties70:  {\
			P: "d|Y", "Number", "", "A",1\
			P: "d|Z", "Number", "", "A",1\
		}/' flag.fbx
    expect_places '-1.000 1.000 0.000;0.000 1.000 0.000;0.000 4.000 0.000;' flag.fbx --time 0.5
    expect_places '-1.000 2.000 0.000;0.000 2.000 0.000;0.000 5.000 0.000;' flag.fbx --time 1
}

@test "3ds Max' pivot moves the geometry of its node, and nothing else" {
    write_fbx flag.fbx "$TRIANGLE$(node 2 pole Mesh "$(vector GeometricTranslation 0,4,0)
$(vector GeometricScaling 1,1,-2)")$(node 3 flag Mesh)" '	C: "OO",2,0
	C: "OO",3,2
	C: "OO",1,2
	C: "OO",1,3'
    expect_places '-6.000 0.000 4.000;0.000 0.000 0.000;0.000 0.000 4.000;0.000 1.000 0.000;0.000 1.000 4.000;3.000 0.000 0.000;' flag.fbx
}

@test "polygons that are holes are not drawn" {
    local quads='
	Geometry: 1, "Geometry::flag", "Mesh" {
		Vertices: *18 {
			a: 0,0,0,1,0,0,2,0,0,0,0,1,1,0,1,2,0,1
		}
		PolygonVertexIndex: *8 {
			a: 0,3,4,-2,1,4,5,-3
		}
		LayerElementHole: 0 {
			MappingInformationType: "ByPolygon"
			ReferenceInformationType: "Direct"
			Hole: *2 {
				a: 1,0
			}
		}
	}'
    write_fbx flag.fbx "$quads
$(node 2 flag Mesh)" '	C: "OO",2,0
	C: "OO",1,2'
    expect_places '0.000 1.000 0.000;0.000 2.000 0.000;1.000 1.000 0.000;1.000 2.000 0.000;' flag.fbx
}

shape() { # number, how far it raises the second point
    printf '	Geometry: %s, "Geometry::", "Shape" {
		Version: 100
		Indexes: *1 {
			a: 1
		}
		Vertices: *3 {
			a: 0,%s,0
		}
	}\n' "$1" "$2"
}

# The triangle, whose second point is raised by 1 at 50 percent and by 5 at 100.
write_shaped() { # file, percent
    write_fbx "$1" "$TRIANGLE$(node 2 flag Mesh)$(shape 30 1)$(shape 31 5)
	Deformer: 32, \"Deformer::\", \"BlendShape\" {
	}
	Deformer: 33, \"SubDeformer::lift\", \"BlendShapeChannel\" {
		DeformPercent: $2
		FullWeights: *2 {
			a: 50,100
		}
	}
$(clip 4 lift 100)" "	C: \"OO\",2,0
	C: \"OO\",1,2
	C: \"OO\",32,1
	C: \"OO\",33,32
	C: \"OO\",30,33
	C: \"OO\",31,33
$(plays 4 33 DeformPercent DeformPercent)"
}

@test "blend shapes are there at rest and in clips, with those in between" {
    local percent
    local -A heights=([0]=0.000 [25]=0.500 [50]=1.000 [75]=3.000 [100]=5.000)
    for percent in 0 25 50 75 100; do
        write_shaped flag.fbx "$percent"
        expect_places "$(printf '%s\n' '0.000 0.000 0.000' "0.000 1.000 ${heights[$percent]}" '3.000 0.000 0.000' | sort | tr '\n' ';')" flag.fbx --bind
        expect_places "$(printf '%s\n' '0.000 0.000 0.000' "0.000 1.000 ${heights[$percent]}" '3.000 0.000 0.000' | sort | tr '\n' ';')" \
            flag.fbx --time "$(bc <<<"scale=2; $percent / 100")"
    done
}

# Geometry is in its node, and what is connected goes by its name. The node rises by 8 with flat slopes.
write_old() { # file
    cat >"$1" <<'END'
; FBX 6.1.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 6100
}
Objects:  {
	Model: "Model::flag", "Mesh" {
		Version: 232
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",0,0,0
			Property: "RotationActive", "bool", "",1
		}
		Vertices: 0,0,0,100,0,0
        ,0,0,300
		PolygonVertexIndex: 0,1,-3
		GeometryVersion: 124
	}
}
Connections:  {
	Connect: "OO", "Model::flag", "Model::Scene"
}
Takes:  {
	Current: "rise"
	Take: "rise" {
		LocalTime: 0,46186158000
		Model: "Model::flag" {
			Version: 1.1
			Channel: "Transform" {
				Channel: "T" {
					Channel: "X" {
						Default: 0
					}
					Channel: "Y" {
						Default: 0
						KeyVer: 4005
						KeyCount: 2
						Key: 0,0,U,s,0,0,n,46186158000,800,U,s,0,0,n
					}
					LayerType: 1
				}
			}
		}
	}
}
END
}

@test "a file of version 6.1 has its geometry in nodes, and takes" {
    write_old old.fbx
    expect_places '0.000 0.000 1.250;0.000 1.000 1.250;3.000 0.000 1.250;' old.fbx --time 0.25
    exits 0 info --json old.fbx
    [ "$(jq -c '.files[0] | .format, [.clips[] | .name, .seconds_once]' <<<"$output")" = '"FBX"
["rise",1]' ]
}

@test "in a file of version 6.1 instances of a geometry share the skin of the first" {
    local name
    {
        printf '; FBX 6.1.0 project file\nObjects:  {\n'
        for name in flag again; do
            printf '	Model: "Model::%s", "Mesh" {
		Vertices: 0,0,0,100,0,0,0,0,300
		PolygonVertexIndex: 0,1,-3
		NodeAttributeName: "Geometry::flag"
	}\n' "$name"
        done
        cat <<'END'
	Model: "Model::bone", "LimbNode" {
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",0,500,0
		}
	}
	Deformer: "Deformer::skin", "Skin" {
	}
	Deformer: "SubDeformer::bone", "Cluster" {
		Indexes: 0,1,2
		Weights: 1,1,1
		Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
	}
}
Connections:  {
	Connect: "OO", "Model::flag", "Model::Scene"
	Connect: "OO", "Model::again", "Model::Scene"
	Connect: "OO", "Deformer::skin", "Model::flag"
	Connect: "OO", "SubDeformer::bone", "Deformer::skin"
	Connect: "OO", "Model::bone", "SubDeformer::bone"
}
END
    } >old.fbx
    expect_places '0.000 0.000 5.000;0.000 1.000 5.000;3.000 0.000 5.000;' old.fbx
}

@test "nodes in a circle, and an array that is not there, fail with a reason" {
    write_fbx ring.fbx "$TRIANGLE$(node 2 a Mesh)$(node 3 b Null)" '	C: "OO",2,3
	C: "OO",3,2
	C: "OO",1,2'
    exits 2 info ring.fbx
    says '*ring.fbx: nodes hang on each other in a circle'
    write_fbx far.fbx "${TRIANGLE/a: 0,1,-3/a: 0,7,-3}$(node 2 a Mesh)" '	C: "OO",2,0
	C: "OO",1,2'
    exits 2 info far.fbx
    says "*far.fbx: geometry 'flag': corner 1 is at control point 7 of 3"
    write_fbx via.fbx "$TRIANGLE$(node 2 a Mesh)" '	C: "OO",2,0
	C: "OO",1,2'
    exits 2 info --via assimp via.fbx
    says '*via.fbx: assimp is not asked for FBX: *'
}

@test "a record names the build of assimp where it read something, and another build makes only such sheets again" {
    mkdir game
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >game/flag.obj
    cp "$DIE/models/die.md2" game
    write_list both game <<END
defaults: {cell: 16, supersample: 1, animations: [], cameras: [{name: front}]}
jobs: [{name: flag, model: flag.obj}, {name: die, model: die.md2}, {name: other, model: die.md2, via: assimp}]
END
    mkdir odd
    export LD_LIBRARY_PATH=$PWD/odd
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

@test "a picture in the file may be cut into texts, and belong to another Video of its name" {
    local code half
    convert -size 5x5 xc:'#e02010' PNG:red.png
    code=$(base64 -w0 red.png)
    half=$((${#code} / 8 * 4))
    write_fbx flag.fbx "$TRIANGLE$(node 2 flag Mesh)
	Material: 10, \"Material::cloth\", \"\" {
		ShadingModel: \"lambert\"
	}
	Texture: 11, \"Texture::cloth\", \"\" {
		RelativeFilename: \"..\\cloth.png\"
	}
	Video: 12, \"Video::cloth\", \"Clip\" {
		RelativeFilename: \"..\\cloth.png\"
	}
	Video: 13, \"Video::cloth\", \"Clip\" {
		RelativeFilename: \"..\\cloth.png\"
		Content: ,
		\"${code:0:half}\",
		\"${code:half}\"
	}" '	C: "OO",2,0
	C: "OO",1,2
	C: "OO",10,2
	C: "OP",11,10, "DiffuseColor"
	C: "OO",12,11'
    run "$SHEETBAKE" info flag.fbx
    says '*flag.fbx:1*'
    write_list list . <<<'- {name: flag, model: flag.fbx, cell: 32, passes: [albedo], cameras: [top]}'
    exits 0 render list.yaml
    convert out/list/flag.albedo.png -alpha off -unique-colors txt:- | grep -qi '#E02010'
}

# Two triangles at a right angle: their normals, each once.
normals_of_roof() { # how the ridge is smoothed, by edge: 1 soft, 0 hard
    write_fbx roof.fbx "
	Geometry: 1, \"Geometry::roof\", \"Mesh\" {
		Vertices: *12 {
			a: 0,0,0,0,0,2,1,-1,0,-1,-1,0
		}
		PolygonVertexIndex: *6 {
			a: 0,1,-3,1,0,-4
		}
		Edges: *5 {
			a: 0,1,2,4,5
		}
		LayerElementSmoothing: 0 {
			MappingInformationType: \"ByEdge\"
			ReferenceInformationType: \"Direct\"
			Smoothing: *5 {
				a: $1,1,1,1,1
			}
		}
	}$(node 2 roof Mesh)" '	C: "OO",2,0
	C: "OO",1,2'
    "$SHEETBAKE" pose roof.fbx | grep '^vn' | sort -u
}

@test "without normals, edges that are hard or soft say what is smooth" {
    [ "$(normals_of_roof 0 | wc -l)" = 2 ]
    [ "$(normals_of_roof 1 | wc -l)" = 3 ]
}

# `info` tells one thing of a file, as a warning or as an oddity, and --strict stops at a warning.
expect_told() { # warnings or oddities, text, file
    local other=oddities wanted=3
    [ "$1" = warnings ] || other=warnings wanted=0
    exits 0 info --json "$3"
    jq -r '.files[0] | .warnings[], .oddities[]' <<<"$output"
    jq -e --arg text "$2" ".files[0] | (.$1 | any(endswith(\$text))) and (.$other | all(endswith(\$text) | not))" <<<"$output"
    mkdir -p game
    cp "$3" game
    write_small flag "model: $3" "name: top, yaw: 0, pitch: 90"
    exits "$wanted" render -q --strict --force flag.yaml
}

# With the triangle a file of more objects and connections.
write_more() { # file, objects, connections
    write_fbx "$1" "$TRIANGLE$(node 2 flag Mesh)$2" "	C: \"OO\",2,0
	C: \"OO\",1,2
$3"
}

@test "what is not drawn as the file has it is a warning, with a count and the first name" {
    write_more flag.fbx
    sed -i 's/^		GeometryVersion: .*/&\n		Smoothness: 2/' flag.fbx
    expect_told warnings "surfaces that are subdivided are drawn as their cage: save them smoothed: 1, such as 'flag'" flag.fbx
    write_more flag.fbx '
	Geometry: 3, "Geometry::bent", "NurbsSurface" {
		Points: *4 {
			a: 0,0,0,1
		}
	}
	Geometry: 4, "Geometry::more", "NurbsSurface" {
		Points: *4 {
			a: 0,0,0,1
		}
	}' '	C: "OO",3,2
	C: "OO",4,2'
    expect_told warnings "curved surfaces (NURBS, patches) and lines are left out: save polygons: 2, such as 'bent'" flag.fbx
    write_more flag.fbx '
	Cache: 3, "Cache::wind", "" {
	}'
    expect_told warnings "caches of moving points are left out: save shapes or joints: 1, such as 'wind'" flag.fbx
}

@test "a constraint is a warning where no curve moves what it moves" {
    write_moved flag.fbx 'Lcl Translation' Y 4
    sed -i '0,/^Objects:  {/s//&\
	Constraint: 20, "Constraint::eye", "Aim" {\
	}/; s/^Connections:  {/&\
	C: "OP",2,20, "Constrained Object"/' flag.fbx
    expect_told oddities "constraints are left out: 1, such as 'eye'" flag.fbx
    sed -i 's/"Lcl Translation"/"Visibility"/' flag.fbx
    expect_told warnings "constraints that move what no curve moves are left out: bake them: 1, such as 'eye'" flag.fbx
}

@test "more than 16 weights of a point are a warning, which very small ones are not" {
    local bone objects= links='	C: "OO",30,1'
    for bone in {41..57}; do
        objects+="$(node "$bone" "bone$bone" LimbNode)
	Deformer: 1$bone, \"SubDeformer::\", \"Cluster\" {
		Indexes: *1 {
			a: 1
		}
		Weights: *1 {
			a: 0.05
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
	}"
        links+="
	C: \"OO\",1$bone,30
	C: \"OO\",$bone,1$bone"
    done
    write_more flag.fbx "
	Deformer: 30, \"Deformer::\", \"Skin\" {
	}$objects" "$links"
    expect_told warnings "of points on more than 16 joints the largest weights count: 1, such as 'flag'" flag.fbx
    sed -i '0,/a: 0.05/s//a: 0.0005/' flag.fbx
    exits 0 info flag.fbx
    never says '*largest weights*'
}

@test "what is guessed, or left out without being seen, is told by info" {
    write_more flag.fbx '
	Material: 3, "Material::paint", "" {
		Properties70:  {
			P: "Shininess", "Number", "", "A",20
		}
	}' '	C: "OO",3,2'
    expect_told oddities "surfaces without normals and smoothing are smooth up to 60 degrees: 1, such as 'flag'" flag.fbx
    expect_told oddities "roughness is guessed from the shininess of materials: 1, such as 'paint'" flag.fbx
    write_moved flag.fbx 'Lcl Translation' Y 4 '' '		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",46206158000
		}'
    expect_told oddities "takes begin or end at a key that is less than 2 ms away: 1, such as 'move'" flag.fbx
    add_layer flag.fbx 'Lcl Translation' 6 50
    sed -i 's/P: "Weight", "Number", "", "A",50/&\n			P: "Mute", "bool", "", "",1/' flag.fbx
    expect_told oddities "muted layers are left out: 1, such as 'more'" flag.fbx
}

@test "damaged files fail with a reason" {
    local name
    local -A reasons=(
        [count-beyond-file]='value 0 of the node at byte 105 is damaged'
        [packed-length-beyond-file]='value 0 of the node at byte 105 is damaged'
        [packed-beyond-ratio]="geometry 'flag': an array of 17179869176 bytes in 19 packed ones"
        [packed-too-short]="geometry 'flag': a packed array of 19 bytes is damaged"
        [packed-cut]="geometry 'flag': a packed array of 12 bytes is damaged"
        [values-overflow]='the node at byte 27 does not fit in what holds it'
        [values-overflow-64-bit]='the node at byte 27 does not fit in what holds it'
        [more-values-than-bytes]='the node at byte 27 does not fit in what holds it'
        [end-before-begin]='the node at byte 27 does not fit in what holds it'
        [end-beyond-file-64-bit]='the node at byte 27 does not fit in what holds it'
        [text-overflow]='value 1 of the node at byte 47 is damaged'
        [corner-least-number]="geometry 'flag': corner 2 is at control point 2.14748e+09 of 3"
        [deep]='nodes are more than 48 deep'
        [deep-64-bit]='nodes are more than 48 deep'
        [circle-of-nodes]='nodes hang on each other in a circle'
    )
    for name in "${!reasons[@]}"; do
        cp "$BATS_TEST_DIRNAME/../bad/fbx/$name" "$name.fbx"
        exits 2 info "$name.fbx"
        says "*$name.fbx: ${reasons[$name]}"
    done
}

@test "nodes that do not take the shape of the one above are at most 256 below each other" {
    local i objects= links='	C: "OO",1,1300
	C: "OO",1000,0'
    for i in {1000..1300}; do
        objects+="$(node "$i" "n$i" Null "$(vector 'Lcl Scaling' 1,2,1)
			P: \"InheritType\", \"enum\", \"\", \"\",0")"
        links+="
	C: \"OO\",$((i + 1)),$i"
    done
    write_fbx flag.fbx "$TRIANGLE$objects" "$links"
    exits 2 info flag.fbx
    says '*flag.fbx: more than 256 nodes, each below the other, do not take the shape of the one above'
}

word() { # number: 4 bytes, the lowest first
    printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}

# A binary node to which `inside` has its values, and then the nodes below it.
binary_node() { # where it begins, name, number of values, bytes of these, file of values and nodes
    word $(($1 + 13 + ${#2} + $(stat -c %s "$5")))
    word "$3"
    word "$4"
    printf '%b%s' "\\x$(printf %02x ${#2})" "$2"
    cat "$5"
}

@test "packed arrays have at most so many numbers as a machine holds" {
    local count=$(((1 << 27) + 1)) zeros
    { # A stream of zlib is two bytes, that of gzip without its head and tail, and a checksum.
        printf '\x78\x9c'
        head -c "$count" /dev/zero | gzip -9n | tail -c +11 | head -c -8
        printf '%b' "$(printf '\\x%02x\\x%02x\\x00\\x01' $((count % 65521 >> 8)) $((count % 65521 & 255)))"
    } >zeros
    zeros=$(stat -c %s zeros)
    {
        printf b
        word "$count"
        word 1
        word "$zeros"
        cat zeros
    } >values
    {
        printf 'L\x01\x00\x00\x00\x00\x00\x00\x00S\x00\x00\x00\x00S\x00\x00\x00\x00'
        binary_node 87 Vertices 1 $((zeros + 13)) values
        head -c 13 /dev/zero
    } >geometry
    {
        binary_node 47 Geometry 3 19 geometry
        printf 'L\x02\x00\x00\x00\x00\x00\x00\x00S\x00\x00\x00\x00S\x00\x00\x00\x00' >model
        binary_node $((47 + 21 + $(stat -c %s geometry))) Model 3 19 model
        head -c 13 /dev/zero
    } >objects
    {
        printf 'S\x02\x00\x00\x00OOL\x01\x00\x00\x00\x00\x00\x00\x00L\x02\x00\x00\x00\x00\x00\x00\x00' >link
        binary_node $((27 + 20 + $(stat -c %s objects) + 24)) C 3 25 link
        head -c 13 /dev/zero
    } >links
    {
        printf 'Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0'
        binary_node 27 Objects 0 0 objects
        binary_node $((27 + 20 + $(stat -c %s objects))) Connections 0 0 links
        head -c 13 /dev/zero
    } >flag.fbx
    exits 2 info flag.fbx
    says "*flag.fbx: geometry '': packed arrays have more than 134217728 numbers"
}
