# Not under the sanitizers: it compares drivers; golden pictures are drawn under the sanitizers.

# The two back ends side by side, and `--backend`.

load sheets

setup() {
    work_in_empty_folder
}

renderer_of() { # record
    jq -r .renderer.name "$1"
}

# The two back ends may draw on different hardware, whose rasterisers differ in samples on edges and in the last bits of
# filters and shading. At most 1 pixel in 200 may differ by more than 2 % in a channel, and the mean by at most half a
# level of 255. Where both are llvmpipe they make the same bytes.
agree() { # picture, other
    [ "$(size_of "$1")" = "$(size_of "$2")" ]
    local pixels differing mean
    pixels=$(identify -format '%[fx:w*h]' "$1")
    differing=$(compare -metric AE -fuzz 2% "$1" "$2" null: 2>&1 || true)
    mean=$(compare -metric MAE "$1" "$2" null: 2>&1 || true) # "12.3 (0.000188)", of 65535
    awk -v pixels="$pixels" -v differing="$differing" -v mean="${mean%% *}" \
        'BEGIN { exit !(differing <= pixels / 200 && mean <= 257 / 2) }' || {
        echo "$1: $differing of $pixels pixels differ, by $mean of 65535 on average"
        return 1
    }
}

@test "OSMesa and EGL draw the demo list alike" {
    local jobs picture count=0
    jobs=$(realpath "$BATS_TEST_DIRNAME/../../jobs")
    exits 0 render -q --backend osmesa -o osmesa "$jobs/demo.yaml"
    exits 0 render -q --backend egl -o egl "$jobs/demo.yaml"
    [ "$(files osmesa)" = "$(files egl)" ]
    for picture in $(cd osmesa && find . -name '*.png'); do
        agree "osmesa/$picture" "egl/$picture"
        count=$((count + 1))
    done
    [ $count -ge 7 ]
}

@test "the comparison finds pictures that differ" {
    convert -size 64x64 xc:'#808080' grey.png
    convert -size 64x64 xc:'#848484' lighter.png
    convert -size 64x64 xc:'#808080' -fill red -draw 'rectangle 0,0 9,9' marked.png
    agree grey.png grey.png
    run agree grey.png lighter.png
    [ "$status" = 1 ]
    run agree grey.png marked.png
    [ "$status" = 1 ]
}

@test "the sheet says which back end drew it" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    local backend
    for backend in osmesa egl; do
        exits 0 render --backend $backend -o $backend one.yaml
    done
    [[ $(renderer_of osmesa/die.sheetbake) == 'OSMesa '[0-9]*', '* ]]
    [[ $(renderer_of egl/die.sheetbake) == 'EGL '[0-9]*', '* ]]
}

@test "auto takes OSMesa, and EGL where OSMesa does not work" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    exits 0 render --backend auto one.yaml
    [[ $(renderer_of out/one/die.sheetbake) == 'OSMesa '* ]]
    hide libOSMesa.so.8
    exits 0 render one.yaml
    [[ $(renderer_of out/one/die.sheetbake) == 'EGL '* ]]
}

@test "a back end that is asked for by name is the only one tried" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    hide libOSMesa.so.8
    exits 4 render --backend osmesa one.yaml
    never grep stopped <<<"$stderr"
    says 'sheetbake: OSMesa does not work: *'
    [[ $stderr != *EGL* ]]
    hide libEGL.so.1
    exits 4 render --backend egl one.yaml
    says 'sheetbake: EGL does not work: the library has no egl*'
    [ -z "$(find out -type f ! -name .sheetbake.lock 2>/dev/null)" ]
}

@test "EGL without a driver says so" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    mkdir vendors
    __EGL_VENDOR_LIBRARY_DIRS=$PWD/vendors exits 4 render --backend egl one.yaml
    says 'sheetbake: EGL does not work: no driver*libegl-mesa0*'
    LIBGL_DRIVERS_PATH=$PWD/vendors exits 4 render --backend egl one.yaml
    says 'sheetbake: EGL does not work: *driver*'
}

@test "EGL draws the same bytes with one worker and with three" {
    write_list many <<<"- {name: 'die/{stem}', model: 'models/*.md2', cell: 16, cameras: {directions: 6, name: c}, split: camera}"
    exits 0 render -j1 --backend egl -o one many.yaml
    exits 0 render -j3 --backend egl -o three many.yaml
    diff -r one three
}

@test "a name that is none is refused" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    exits 2 render --backend vulkan one.yaml
    says "sheetbake render: --backend: 'vulkan' is not auto, osmesa or egl"
}

# Fails unless the record has this back end, with the variables that are read.
recorded() { # back end, as a pattern
    [[ $(jq -r .renderer.backend out/one/die.sheetbake) == $1 ]]
}

@test "LLVM's optimizer, which the probe does without, does not change it" {
    optimized=$(GALLIVM_PERF= "$SHEETBAKE" doctor --json | jq -r .backends[0].probe)
    [[ $optimized =~ ^[0-9a-f]{32}$ ]]
    [ "$optimized" = "$("$SHEETBAKE" doctor --json | jq -r .backends[0].probe)" ]
}

@test "a processor without FMA has another probe, and so has a filter that computes otherwise" {
    grep -qm1 '^flags.* fma ' /proc/cpuinfo || skip "this processor has no FMA"
    usual=$("$SHEETBAKE" doctor --json | jq -r .backends[0].probe)
    for variable in GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 GALLIVM_PERF=no_aos_sampling; do
        probe=$(env "$variable" "$SHEETBAKE" doctor --json | jq -r .backends[0].probe)
        [[ $probe =~ ^[0-9a-f]{32}$ ]]
        [ "$probe" != "$usual" ]
    done
}

@test "a probe that is not as it was kept is drawn anew" {
    export XDG_CACHE_HOME=$PWD/cache
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    render -q one.yaml
    file=$(echo cache/sheetbake/probe-*)
    cp "$file" kept
    for change in 's/^./g/' 's/^.\{9\}/000000000/' 's/.$/g/' 's/$/0/' d; do
        sed -i "$change" "$file"
        never cmp -s kept "$file"
        exits 0 render --dry-run one.yaml
        says '*0 sheets would be made, 1 up to date'
        cmp kept "$file"
    done
    mkdir other
    cp kept other/probe-of-another
    XDG_CACHE_HOME=$PWD/none MESA_SHADER_CACHE_DIR=$PWD/other exits 0 render --dry-run one.yaml
    says '*0 sheets would be made, 1 up to date'
    cmp kept "other/${file##*/}"
}

@test "variables that drivers read are in a page, those of graphics cards with EGL and as hashes" {
    write_list one <<<"- {name: die, model: models/die.md2, cell: 8}"
    VK_TOKEN=secret render -q --backend egl one.yaml
    recorded 'egl, VK_TOKEN=#????????'
    VK_TOKEN=secret render --dry-run --backend egl one.yaml
    says '*0 sheets would be made, 1 up to date'
    VK_TOKEN=other render --dry-run --backend egl one.yaml
    says '*its backend was egl, VK_TOKEN=#*, is egl, VK_TOKEN=#*'
    GALLIVM_DEBUG='' LP_NUM_THREADS=1 VK_TOKEN=secret exits 0 render -q one.yaml
    recorded 'osmesa, GALLIVM_DEBUG='
    LP_A=$'\xe4' render -q one.yaml
    LP_A=$'\xf6' render --dry-run one.yaml
    says '*its backend was osmesa, LP_A=#*, is osmesa, LP_A=#*'
    MESA_X=$(printf '%2000s' a) render -q one.yaml
    MESA_X=$(printf '%2000s' b) render --dry-run one.yaml
    says '*at least 1 sheet would be made*'
    render -q one.yaml
    recorded osmesa
}
