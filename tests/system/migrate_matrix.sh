#!/usr/bin/env bash
# Every recording and generator moves in mid-run, over a link as fast as it is, through one of 1 Gb/s,
# through that at 30 frames a second, and by file; then either process is killed at seeded instants, and the link cut or spoilt at seeded
# bytes. Prints a line each, and last how many failed and how many cost more than they should: a pause
# of 750 ms or more, or, for the recordings that mostly read, 1.3 times what is in use or more on the wire.
#
#   tests/system/migrate_matrix.sh [--full] [VIDMM [PROXY]]
#
# --full: whole workloads instead of 150 frames, and 200 kills and 200 bytes instead of 40 each. JOBS
# workloads move at once (half as many as there are processors: each is two processes, and a pause is
# a time); as many disturbances as there are processors, which mostly wait. On two processors that
# takes about a quarter of an hour, and with --full half an hour or more. RUN_OPTIONS='--set MmuFeatures=15'
# and the like are options of the moved runs.
set -u
frames=150 harms=40
if [ "${1:-}" = --full ]; then
    frames=0 harms=200
    shift
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/system
vidmm=$(realpath "${1:-$root/build/vidmm}")
proxy=$(realpath "${2:-$(dirname "$vidmm")/tests/system/migrate_proxy}")
for program in "$vidmm" "$proxy"; do
    [ -x "$program" ] || {
        echo "migrate matrix: $program is not built" >&2
        exit 2
    }
done
export VIDMM_WORKLOADS=${VIDMM_WORKLOADS:-$root/workloads}
processors=$(nproc)
jobs=${JOBS:-$(((processors + 1) / 2))}
seed=${SEED:-1}
mostly_read='minetest glmark2'
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# A test, in a line.
one() {
    local output
    if output=$("$@" 2>/dev/null); then
        echo "$output"
    else
        echo "FAILED: $* $(tr '\n' ' ' <<<"$output")"
    fi
}
export -f one

for workload in $("$vidmm" workloads | awk '/^  / { print $1 }'); do
    echo "$here/migrate_test.sh $vidmm $workload $frames unix"
    echo "$here/migrate_test.sh $vidmm $workload $frames unix --rate 1Gb/s"
    echo "$here/migrate_test.sh $vidmm $workload $frames unix --rate 1Gb/s --fps 30"
    echo "$here/migrate_test.sh $vidmm $workload $frames file"
done | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one | tee "$table"
for ((part = 0; part < 4; part++)); do
    echo "$here/migrate_kill_test.sh $vidmm $((harms / 4)) $((seed * 4 + part))"
    echo "$here/migrate_harm_test.sh $vidmm $proxy $((harms / 4)) $((seed * 4 + part))"
done | xargs -P "$processors" -L 1 bash -c 'one "$@"' one | tee -a "$table"

failures=$(grep -c FAILED "$table")
violations=$(awk -v mostly_read="$mostly_read" '
    BEGIN { split(mostly_read, names); for (i in names) reads[names[i]] = 1 }
    / in use, sent / {
        for (i = 2; i < NF; i++) {
            if ($i == "wire") sent = $(i + 1)
            if ($i == "pause") pause = $(i + 1)
        }
        count += $2 != "file" && (pause >= 750 || ($1 in reads && sent >= 1.3))
    }
    END { print count + 0 }' "$table")
echo "$(wc -l <"$table") lines, $failures failed, $violations too expensive"
[ "$failures" -eq 0 ]
