#!/usr/bin/env bash
# Searches for the five planted mistakes, from nothing, with several seeds; says when each was found.
#
#   tests/fuzz_driver/long.sh BUILD [SECONDS] [SEED...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
seconds=${2:-300}
shift $(($# < 2 ? $# : 2))
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/build.sh" "$work" planted || exit 1
for seed in "${@:-1}"; do
    echo "seed $seed"
    "$build/vidmm" fuzz --seconds "$seconds" --seed "$seed" --output "$work/found-$seed" "$work/planted.so" > "$work/report" 2>&1
    grep -E 'after|executions|edges' "$work/report"
    for place in planted_escape planted_name planted_allocation planted_flag planted_present; do
        grep -q "$place" "$work/report" || { echo "seed $seed: nothing in $place"; failed=1; }
    done
done
exit $failed
