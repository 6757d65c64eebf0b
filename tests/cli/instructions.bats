# Not under the sanitizers: it reads no file of others.

# The code that llvmpipe makes for our programs has no instruction whose result each maker of processors chooses.
load sheets

setup() {
    work_in_empty_folder
}

@test "no program that is drawn with approximates a reciprocal or a root" {
    [ "$(uname -m)" = x86_64 ] || skip "these are the instructions of x86_64"
    export XDG_CACHE_HOME=$PWD/cache # no probe of before
    CODE=$PWD/code LD_PRELOAD=$TOOLS/keep_code.so exits 0 doctor --timeout 600
    says 'osmesa        probe: *'
    # What is made executable is code alone: constants have pages of their own. So a listing has nothing that is not an
    # instruction. Thousands multiply, and some take roots; else it would not be that of our programs.
    objdump -D -b binary -m i386:x86-64 --no-show-raw-insn code | awk -F '\t' '{ split($2, word, " "); print word[1] }' |
        sort | uniq -c >instructions
    grep -E ' v?(mulps|sqrtps)$' instructions
    [ "$(awk '$2 ~ /^v?mulps$/ { print $1 }' instructions)" -gt 3000 ]
    [ "$(awk '$2 ~ /^v?sqrtps$/ { print $1 }' instructions)" -gt 20 ]
    never grep -E ' v?(rcp|rsqrt)| \(bad\)' instructions
}
