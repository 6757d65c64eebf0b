# Not under the sanitizers: runs that are killed report nothing.
load sheets

# `make kill-test` does so 200 times.
@test "whatever moment a run is killed at, all that it leaves is whole, and the next run makes the rest" {
    run "$(dirname "$BATS_TEST_FILENAME")/../kill/run" "$SHEETBAKE" 12
    echo "$output"
    [ "$status" = 0 ]
}
