#!/usr/bin/env bash
# At a quarter of its memory a recording really pages, in both directions.
#
#   paging_test.sh VIDMM RECORDING FRAMES
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 workload=$2 frames=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

if verify --vram 25% --frames "$frames" "$workload"; then
    in=$(member "$report" paged_in_bytes) out=$(member "$report" paged_out_bytes)
    echo "$workload: $in bytes in, $out bytes out"
    [ "$in" -gt 0 ] && [ "$out" -gt 0 ] || fail "$workload: paging in one direction only"
fi
finish
