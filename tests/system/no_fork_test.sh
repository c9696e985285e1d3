#!/usr/bin/env bash
# With --no-fork the same calls are made, and the same is found, as without it; and with any number of runs at the same time.
#
#   no_fork_test.sh VIDMM DRIVER
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 driver=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The report without its times.
report() { # OPTION...
    "$vidmm" check --format json "$@" | sed '/"ms":/d'
}

for words in "" "$driver" "--set MmuLevels=4 --ddi wddm3.2"; do
    # shellcheck disable=SC2086
    expect "vidmm check $words" "$(report $words)" "$(report --no-fork $words)"
done
fault="--set FaultKind=7 --set FaultAt=2 --stage start,paging,objects,locks"
# shellcheck disable=SC2086
one=$(report --jobs 1 $fault)
for jobs in 2 7; do
    # shellcheck disable=SC2086
    expect "vidmm check --jobs $jobs $fault" "$one" "$(report --jobs $jobs $fault)"
done
expect "the fault shows" "1" "$(echo "$one" | grep -c '"broken": [1-9]' | sed 's/^[1-9][0-9]*$/1/')"
expect "vidmm inspect" "$("$vidmm" inspect)" "$("$vidmm" inspect --no-fork)"
expect "vidmm run" "$("$vidmm" run --quiet --frames 5 --json - vkcube)" \
    "$("$vidmm" run --quiet --no-fork --frames 5 --json - vkcube)"
[ "$failed" -eq 0 ]
