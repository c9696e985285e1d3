#!/usr/bin/env bash
# Every recording and generator at 25, 50, 75 and 150 % of its peak, on segment query versions 1, 3
# and 4: all bytes right, each run in under two minutes. Prints a table and "N passed, N failed".
#
#   tests/system/matrix.sh [--quick] [VIDMM]     --quick: 25 % only, a hundred frames
set -u
. "$(dirname "$0")/lib.sh"
shares="25 50 75 150"
frames=0
if [ "${1:-}" = --quick ]; then
    shift
    shares=25
    frames=100
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$(realpath "${1:-$root/build/vidmm}")
[ -x "$vidmm" ] || {
    echo "matrix: $vidmm is not built" >&2
    exit 2
}
export VIDMM_WORKLOADS=${VIDMM_WORKLOADS:-$root/workloads}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One cell: a line of the table on standard output, with FAILED in it when it did.
cell() { # WORKLOAD SHARE DDI
    local report=$work/$1-$2-$3.json text code begin hundredths
    begin=$(date +%s%N)
    text=$(timeout 120 "$vidmm" run --quiet --vram "$2%" --ddi "$3" --frames "$frames" --json "$report" "$1" 2>&1)
    code=$?
    hundredths=$((($(date +%s%N) - begin) / 10000000))
    if [ "$code" -ne 0 ] || [ "$(member "$report" mismatched_bytes)" != 0 ]; then
        printf '%-18s %4s%% %-8s FAILED, exit code %s: %s\n' "$1" "$2" "$3" "$code" "$text"
        return
    fi
    printf '%-18s %4s%% %-8s %7d.%02d %9d %9d %9d %8d  %s\n' "$1" "$2" "$3" $((hundredths / 100)) $((hundredths % 100)) \
        $(($(member "$report" verified_bytes) >> 20)) $(($(member "$report" paged_in_bytes) >> 20)) \
        $(($(member "$report" paged_out_bytes) >> 20)) "$(member "$report" refused_submissions)" \
        "$(member "$report" calls_hash)"
}

export -f cell member
export vidmm frames work

# Runs are independent: as many at once as there are processors, each with one line when it is done.
printf '%-18s %5s %-8s %10s %9s %9s %9s %8s  %s\n' workload vram ddi seconds 'ver. MiB' 'in MiB' 'out MiB' refused calls
for workload in $("$vidmm" workloads | awk '/^  / { print $1 }'); do
    for share in $shares; do
        for ddi in win7 wddm1.3 wddm2.0; do
            echo "$workload $share $ddi"
        done
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'cell "$@"' cell | tee "$work/table"

failures=$(grep -c FAILED "$work/table")
passed=$(($(wc -l <"$work/table") - failures))
echo "$passed passed, $failures failed"
[ "$failures" -eq 0 ] && [ "$passed" -gt 0 ]
