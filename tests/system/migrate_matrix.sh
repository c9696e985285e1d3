#!/usr/bin/env bash
# Every recording and generator moves in mid-run, over a link as fast as it is, through one of 1 Gb/s,
# and by file; then either process is killed at seeded instants. Prints a line each.
#
#   tests/system/migrate_matrix.sh [--full] [VIDMM]
#
# --full: whole workloads instead of 150 frames, and 200 kills instead of 40.
set -u
frames=150 kills=40
if [ "${1:-}" = --full ]; then
    frames=0 kills=200
    shift
fi
vidmm=${1:-build/vidmm}
here=$(dirname "$0")
failures=0
for workload in $("$vidmm" workloads | awk '/^  / { print $1 }'); do
    "$here/migrate_test.sh" "$vidmm" "$workload" $frames unix || failures=$((failures + 1))
    "$here/migrate_test.sh" "$vidmm" "$workload" $frames unix --rate 1Gb/s || failures=$((failures + 1))
    "$here/migrate_test.sh" "$vidmm" "$workload" $frames file || failures=$((failures + 1))
done
"$here/migrate_kill_test.sh" "$vidmm" $kills "${SEED:-1}" 2>/dev/null || failures=$((failures + 1))
echo "$failures failed"
[ "$failures" -eq 0 ]
