# Not under the sanitizers: a tool of tests.
bats_require_minimum_version 1.5.0

# The last line of `make test`: the counts of tests/with-total and of the runners.

TESTS=$BATS_TEST_DIRNAME/..

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset TEST_COUNTS # of the run that these tests are in
    export TESTS
}

# A unit test program that prints what cmocka prints, and exits with a status.
write_program() { # name, status, then a result of each test: ok, skipped, failed, or died
    local name=$1 status=$2 result number=0
    shift 2
    {
        echo '#!/bin/sh'
        echo "echo 1..$#"
        for result; do
            number=$((number + 1))
            case $result in
            ok) echo "echo ok $number - it" ;;
            skipped) echo "echo not ok $number '# SKIP it'" ;;
            failed) echo "echo not ok $number - it; echo '# because'" ;;
            died) echo 'kill -SEGV $$' ;;
            esac
        done
        echo "exit $status"
    } >"$name"
    chmod +x "$name"
}

last() {
    tail -n 1 <<<"$output"
}

units() { # programs
    run "$TESTS/with-total" "$TESTS/run-tests" units "$@"
}

@test "units that pass are added up" {
    write_program ./a 0 ok ok
    write_program ./b 0 ok
    units ./a ./b
    [ "$status" = 0 ]
    [ "$(last)" = '3 passed, 0 failed' ]
}

@test "a unit test that is skipped does not count, and is not a failure" {
    write_program ./a 0 ok skipped
    units ./a
    [ "$status" = 0 ]
    [[ $output == *', 1 skipped'* ]]
    [ "$(last)" = '1 passed, 0 failed' ]
}

@test "a unit test that fails counts once, with those that pass" {
    write_program ./a 1 ok failed ok
    units ./a
    [ "$status" = 1 ]
    [ "$(last)" = '2 passed, 1 failed' ]
}

@test "what a program that dies has not run counts as failed" {
    write_program ./a 0 ok died ok
    units ./a
    [ "$status" = 1 ]
    [ "$(last)" = '1 passed, 2 failed' ]
    [[ $output == *'FAILED: ./a (killed by SIGSEGV)'*'ok 1 - it'* ]]
}

@test "a program that hangs is ended, and fails" {
    printf '#!/bin/sh\necho 1..2\necho ok 1 - it\nsleep 100\n' >a
    chmod +x a
    TIME_LIMIT_S=1 units ./a
    [ "$status" = 1 ]
    [[ $output == *'FAILED: ./a (still running after 1 s)'* ]]
    [ "$(last)" = '1 passed, 1 failed' ]
}

@test "a program that is missing fails" {
    write_program ./b 0 ok
    units ./a ./b
    [ "$status" -ne 0 ]
    [ "$(last)" = '0 passed, 1 failed' ]
}

@test "a program that fails although its tests pass counts as one that failed" {
    write_program ./a 1 ok ok # a leak, say
    units ./a
    [ "$status" = 1 ]
    [ "$(last)" = '2 passed, 1 failed' ]
}

@test "a program without a test fails, and so does a run without programs" {
    write_program ./a 0
    write_program ./b 0 ok
    units ./a ./b
    [ "$status" = 1 ]
    [ "$(last)" = '1 passed, 1 failed' ]
    units
    [ "$status" = 1 ]
    [ "$(last)" = '0 passed, 1 failed' ]
}

# Bats in Bats: the inner one must not see variables of the outer one.
cli() { # files
    run env -i "PATH=/usr/local/bin:/usr/bin:/bin" "HOME=$HOME" ${TAG:+TEST_TAG="$TAG"} \
        "$TESTS/with-total" "$TESTS/run-tests" cli "$@"
}

@test "tests of the command line are added up, without those that are skipped" {
    printf '@test "a" { true; }\n@test "b" { skip; }\n@test "c" { true; }\n' | sed 's/; }/\n}/; s/{ /{\n/' >a.bats
    cli a.bats
    [ "$status" = 0 ]
    [ "$(last)" = '2 passed, 0 failed' ]
    printf '@test "d" {\nfalse\n}\n' >>a.bats
    cli a.bats
    [ "$status" -ne 0 ]
    [ "$(last)" = '2 passed, 1 failed' ]
}

@test "a file of tests without one fails" {
    printf '@test "a" {\ntrue\n}\n' >a.bats
    echo '# nothing' >b.bats
    cli a.bats b.bats
    [ "$status" -ne 0 ]
    [[ $output == *'FAILED: b.bats'*'no test was run'* ]]
    [ "$(last)" = '1 passed, 1 failed' ]
}

@test "with a tag only the tests that have it run" {
    printf '@test "a" {\nfalse\n}\n# bats test_tags=quick\n@test "b" {\ntrue\n}\n' >a.bats
    TAG=quick cli a.bats
    [ "$status" = 0 ]
    [ "$(last)" = '1 passed, 0 failed' ]
}

# A file without the mark would be left out without a word.
@test "each file here says whether it runs under the sanitizers" {
    local file
    for file in "$BATS_TEST_DIRNAME"/*.bats; do
        head -n 1 "$file" | grep -qE '^# (bats file_tags=asan|Not under the sanitizers: .*\.)$' || {
            echo "$file does not"
            return 1
        }
    done
}

@test "what fails without a test counts as a test that failed" {
    run "$TESTS/with-total" false
    [ "$status" = 1 ]
    [ "$output" = '0 passed, 1 failed' ]
    run "$TESTS/with-total" sh -c '"$TESTS/count" some 5 0; exit 3'
    [ "$status" = 3 ]
    [ "$(last)" = '5 passed, 1 failed' ]
}

@test "a run without any test fails" {
    run "$TESTS/with-total" true
    [ "$status" = 1 ]
    [ "$output" = '0 passed, 1 failed' ]
    run "$TESTS/count" some 0 0
    [ "$status" = 1 ]
}

@test "a failure that its runner did not pass on still fails the whole" {
    run "$TESTS/with-total" sh -c '"$TESTS/count" some 5 1; true'
    [ "$status" = 1 ]
    [ "$(last)" = '5 passed, 1 failed' ]
}

@test "only the outermost prints the total" {
    run "$TESTS/with-total" sh -c '"$TESTS/with-total" "$TESTS/count" one 2 0 && "$TESTS/with-total" "$TESTS/count" two 3 0'
    [ "$status" = 0 ]
    [ "$output" = 'one: 2 passed, 0 failed
two: 3 passed, 0 failed
5 passed, 0 failed' ]
}

@test "make keeps a CDPATH away from its scripts" {
    CDPATH=. run make -s -C "$TESTS/.." --eval 'show: ; @echo "[$$CDPATH]"' show
    [ "$output" = '[]' ]
}
