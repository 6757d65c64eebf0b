# Not under the sanitizers: it looks at pixels; own_materials and format_md3 parse the same.

# Layers of Doom 3's and Quake III's materials from outside. Neither game has an sRGB framebuffer, so layers blend the
# codes of colours. The model is a square that fills the cell and wears the material `test`; its picture has the codes
# 200, 100, 50.

load sheets

setup() {
    work_in_empty_folder
    mkdir -p game/models game/materials game/scripts
    convert -size 4x4 xc:'rgb(200,100,50)' PNG24:game/a.png
    write_square
}

# A square; with `colors` each corner has the codes 128, 255, 0, which glTF keeps as light.
write_square() { # colors or nothing
    local corners='AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgD8AAAAA' order='AAABAAIAAAACAAMA'
    local colors='N/8A/zf/AP83/wD/N/8A/w==' attribute=${1:+', "COLOR_0": 2'}
    cat >game/models/square.gltf <<END
{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "materials": [{"name": "paint"}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0 $attribute}, "indices": 1, "material": 0}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
               {"bufferView": 2, "componentType": 5121, "count": 4, "type": "VEC4", "normalized": true}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12},
                 {"buffer": 0, "byteOffset": 60, "byteLength": 16}],
 "buffers": [{"byteLength": 76, "uri": "data:application/octet-stream;base64,$corners$order$colors"}]}
END
}

# A triangle as an MD5, whose picture lies on it.
write_triangle() {
    MODEL=one.md5mesh
    echo 'MD5Version 10 commandline "" numJoints 1 numMeshes 1 joints { "root" -1 ( 0 0 0 ) ( 0 0 0 ) }
        mesh { shader "test" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1
            numtris 1 tri 0 0 1 2 numweights 3 weight 0 0 1 ( 0 -1 -1 ) weight 1 0 1 ( 0 0 1 )
            weight 2 0 1 ( 0 1 -1 ) }' >game/models/one.md5mesh
}

doom() { # what the material says
    printf 'test\n{\n%s\n}\n' "$1" >game/materials/test.mtr
}

quake() { # stages
    printf 'test\n{\n%s\n}\n' "$1" >game/scripts/test.shader
}

# Draws it in light of a strength from everywhere, or from above alone with GROUND=0, and takes the pixel in the middle.
draw() { # strength
    write_list square game <<END
lights: {even: {sky: {color: '#ffffff', strength: $1}, ground: {color: '#ffffff', strength: ${GROUND-$1}},
         key: {strength: 0}, fill: {strength: 0}}}
jobs:
  - {name: square, model: models/${MODEL-square.gltf}, skin: {paint: test}, light: even, cell: 16, animations: [],
     cameras: [{name: front, yaw: 0, pitch: 0}]}
END
    exits 0 render square.yaml
    open_pixels out/square/square.png
    found=$(pixel 8 8)
    found=($((16#${found:0:2})) $((16#${found:2:2})) $((16#${found:4:2})) $((16#${found:6:2})))
}

# Fails unless each channel of that pixel is within $SLACK of these.
shows() { # strength, r, g, b, a
    local i off
    draw "$1"
    for i in 0 1 2 3; do
        off=$((found[i] - ${*:i+2:1}))
        if ((off > ${SLACK-0} || -off > ${SLACK-0})); then
            echo "found ${found[*]}, not ${*:2}"
            return 1
        fi
    done
}

@test "stages of Doom 3 add, filter and blend codes" {
    doom 'diffusemap a.png { blend add map a.png }'
    shows 1 255 200 100 255
    doom 'diffusemap a.png { blend filter map _white rgb 0.5 }'
    shows 1 100 50 25 255
    doom 'diffusemap a.png { blend blend map _white alpha 0.2 }'
    shows 1 211 131 91 255
    doom 'diffusemap a.png { blend add map a.png rgb 0.5 }'
    shows 1 255 150 75 255
    doom '{ map a.png rgb 0.5 } { blend gl_one, gl_one_minus_src_color map a.png }'
    shows 1 222 130 70 255
}

@test "stages of Quake III do, too" {
    quake '{ map a.png rgbGen lightingDiffuse } { map a.png blendFunc add }'
    shows 1 255 200 100 255
    quake '{ map a.png rgbGen lightingDiffuse } { map $whiteimage blendFunc filter rgbGen const ( 0.5 0.5 0.5 ) }'
    shows 1 100 50 25 255
    quake '{ map $whiteimage rgbGen const ( 0.2 0.2 0.2 ) } { map a.png blendFunc GL_DST_COLOR GL_SRC_COLOR }'
    shows 1 80 40 20 255
}

# Half of the light makes of 200, 100, 50 the codes 147, 72, 34.
@test "light falls on each diffuse stage, and their codes are added" {
    doom 'diffusemap a.png { blend diffusemap map _white rgb 0.2 }'
    shows 1 251 151 101 255
    SLACK=1
    doom 'diffusemap a.png'
    shows 0.5 147 72 34 255
    doom 'diffusemap a.png diffusemap a.png'
    shows 0.5 255 144 68 255
    doom '{ blend add map a.png } diffusemap a.png { blend diffusemap map a.png if 0 }'
    shows 0.5 255 172 84 255
}

@test "layers leave the holes of their surface open" {
    doom '{ blend diffusemap map makeAlpha(_black) alphaTest 0.5 } { blend diffusemap map a.png } { blend add map a.png }'
    shows 1 0 0 0 0
}

@test "each diffuse stage has the bumps of the material" {
    local words one flat
    write_triangle
    convert -size 2x4 xc:'rgb(128,128,255)' xc:'rgb(220,128,220)' +append PNG24:game/n.png
    GROUND=0
    doom 'diffusemap _white'
    draw 0.1
    flat=${found[0]}
    for words in '' unsmoothedTangents; do
        doom "$words diffusemap _white { blend bumpmap map n.png translate 0.25, 0 }"
        draw 0.1
        one=${found[0]}
        [ $((one - flat)) -gt 10 ]
        doom "$words diffusemap _white { blend bumpmap map n.png translate 0.25, 0 } { blend diffusemap map _white }"
        SLACK=1
        shows 0.1 $((2 * one)) $((2 * one)) $((2 * one)) 255
    done
}

@test "a layer over nothing keeps its colour and alpha, and light that is added has the alpha it needs" {
    SLACK=1
    doom '{ blend blend map a.png alpha 0.4 }'
    shows 1 200 100 50 102
    doom '{ blend blend map a.png alpha 0.4 } { blend blend map a.png alpha 0.5 }'
    shows 1 200 100 50 178
    doom '{ blend add map _white rgb 0.5 }' # a fifth of the light
    shows 1 255 255 255 55
    doom 'translucent diffusemap a.png { blend diffusemap map _white rgb 0.2 }'
    shows 1 255 154 103 246
}

@test "vertexColor and inverseVertexColor take the colours at the vertices" {
    write_square colors
    doom 'diffusemap a.png'
    shows 1 200 100 50 255
    doom '{ blend diffusemap map a.png vertexColor }'
    shows 1 100 100 0 255
    doom '{ blend diffusemap map a.png inverseVertexColor }'
    shows 1 100 0 50 255
    doom '{ blend diffusemap map a.png vertexColor } { blend diffusemap map a.png inverseVertexColor }'
    shows 1 200 100 50 255
    doom 'diffusemap a.png { blend add map _white rgb 0.2 vertexColor }'
    shows 1 226 151 50 255
}

@test "without such colours they are white, and black for an MD5, as in Doom 3" {
    doom '{ blend diffusemap map a.png vertexColor }'
    shows 1 200 100 50 255
    write_triangle
    shows 1 0 0 0 255
    doom '{ blend diffusemap map a.png inverseVertexColor }'
    shows 1 200 100 50 255
    doom 'diffusemap a.png { blend add map a.png vertexColor }'
    shows 1 200 100 50 255
}

@test "layers of an attachment leave the light of the model as it is, to the byte" {
    local kind
    write_triangle
    write_list hero "[$BATS_TEST_DIRNAME/../../jobs/assets, game]" <<'EOF'
jobs:
  - {name: hero, model: models/pip/pip.glb, cell: 64, animations: [], cameras: [{name: front, yaw: 0, pitch: 0}],
     attach: {model: models/one.md5mesh, scale: 0.4, offset: [0, 2, 0.6]}}
EOF
    doom 'diffusemap a.png'
    for kind in plain doom quake; do
        case $kind in
        doom) doom 'diffusemap a.png { blend add map a.png rgb 0.2 }' ;;
        quake) rm game/materials/test.mtr && quake '{ map a.png } { map a.png; blendFunc add }' ;;
        esac
        exits 0 render -o $kind hero.yaml
        # The attachment is to the right of the middle, the model to the left.
        convert $kind/hero.png -crop 32x64+32+0 +repage RGBA:$kind.worn
        convert $kind/hero.png -crop 32x64+0+0 +repage RGBA:$kind.hero
        [ $kind = plain ] || ! cmp -s plain.worn $kind.worn
        cmp plain.hero $kind.hero
    done
}
