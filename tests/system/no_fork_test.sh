#!/usr/bin/env bash
# With --no-fork the same calls are made, and the same is found, as without it.
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
expect "vidmm inspect" "$("$vidmm" inspect)" "$("$vidmm" inspect --no-fork)"
expect "vidmm run" "$("$vidmm" run --quiet --frames 5 --json - vkcube)" \
    "$("$vidmm" run --quiet --no-fork --frames 5 --json - vkcube)"
[ "$failed" -eq 0 ]
