#!/bin/sh
# Line coverage of src/manager with src/softgpu, of src/referee and of src/check, under the suites that
# reach them: replays, races, what is left out in turn and hostile drivers repeat lines that the rooms' own
# suites have.
#
#   scripts/coverage.sh [--min PERCENT] [DIR]    exits 1 where one is below; default: only prints
set -eu
cd "$(dirname "$0")/.."
minimum=0
if [ "${1:-}" = --min ]; then
    minimum=$2
    shift 2
fi
dir=${1:-build-coverage}
# A little optimization: the oracle compares gigabytes. A line is reached or not: counts that two threads lose
# are no loss, and counts that are atomic, as gcc makes them for programs with threads, take seven times as long.
scripts/build.sh "$dir" -Db_coverage=true -Doptimization=1 "-Dc_args=-g1 -fprofile-update=single"
find "$dir" -name '*.gcda' -delete
scripts/run-tests.sh "$dir" --timeout-multiplier 4 --no-suite contract --no-suite source --no-suite long --no-suite replay \
    --no-suite threads --no-suite stress --no-suite dropped-calls --no-suite migrate --no-suite hostile \
    --no-suite sweep --no-suite host --no-suite report --no-suite lookup --no-suite devices --no-suite install
# gcov reads the whole build once. Where lost counts contradict each other it computes a branch that was taken -5 times, which
# gcovr refuses to read: that branch is left out, and its line counts all the same.
gcovr --root . --gcov-ignore-parse-errors --object-directory "$dir" --exclude-throw-branches --filter src/ --json "$dir/coverage.json" "$dir"
status=0
measure() {
    gcovr --root . --add-tracefile "$dir/coverage.json" "$@" --print-summary --fail-under-line "$minimum" || status=1
}
measure --filter src/manager/ --filter src/softgpu/
measure --filter src/referee/
measure --filter src/check/
exit $status
