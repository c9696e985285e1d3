#!/bin/sh
# Line coverage of src/manager and src/softgpu under the whole suite; then that of src/referee and
# src/exam, for which there is no minimum yet.
#
#   scripts/coverage.sh [--min PERCENT] [DIR]    exits 1 below PERCENT; default: only prints
set -eu
cd "$(dirname "$0")/.."
minimum=0
if [ "${1:-}" = --min ]; then
    minimum=$2
    shift 2
fi
dir=${1:-build-coverage}
# A little optimization: the oracle compares gigabytes.
scripts/build.sh "$dir" -Db_coverage=true -Doptimization=1
find "$dir" -name '*.gcda' -delete
scripts/run-tests.sh "$dir" --timeout-multiplier 4 --no-suite contract --no-suite long
gcovr --root . --object-directory "$dir" --filter src/manager/ --filter src/softgpu/ \
    --exclude-throw-branches --print-summary --fail-under-line "$minimum" "$dir"
gcovr --root . --object-directory "$dir" --filter src/referee/ --filter src/exam/ \
    --exclude-throw-branches --print-summary "$dir"
