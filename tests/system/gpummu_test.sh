#!/usr/bin/env bash
# A workload replays right with GPU virtual addresses, whatever the page tables look like, at a
# quarter of its memory; and the same seed makes the same calls.
#
#   gpummu_test.sh VIDMM WORKLOAD FRAMES [OPTION...]
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 workload=$2 frames=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

# LEVELS PAGES MODE; page tables that the CPU writes are in system memory, and fit a page.
for shape in "4 0 2" "3 1 1" "5 2 2" "4 0 0"; do
    read -r levels pages mode <<<"$shape"
    verify --model gpummu --vram 25% --frames "$frames" --seed 3 --set MmuLevels="$levels" --set MmuPages="$pages" \
        --set MmuUpdateMode="$mode" "$@" "$workload" || continue
    [ "$(member "$report" model)" = gpummu ] || fail "$workload: not run with GPU virtual addresses"
    [ "$(member "$report" page_table_peak_bytes)" -gt 0 ] || fail "$workload: no page tables"
    hash=$(member "$report" calls_hash)
    echo "$workload, $levels levels, pages $pages, mode $mode: $(member "$report" verified_bytes) bytes, $hash"
done
verify --model gpummu --vram 25% --frames "$frames" --seed 3 --set MmuLevels=4 --set MmuPages=0 --set MmuUpdateMode=0 \
    "$@" "$workload"
[ "$(member "$report" calls_hash)" = "$hash" ] || fail "$workload: the same seed made other calls"
finish
