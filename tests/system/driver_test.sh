#!/usr/bin/env bash
# A driver from a shared object, with nothing but plain memory behind its BARs: it is inspected, and
# pages in both directions without a byte going wrong.
#
#   driver_test.sh VIDMM DRIVER RECORDING FRAMES
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 driver=$2 workload=$3 frames=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

output=$("$vidmm" inspect --driver "$driver" 2>&1) || fail "vidmm inspect: $output"
case $output in
*CpuVisible*Aperture*) ;;
*) fail "vidmm inspect: not the two segments of the driver: $output" ;;
esac

if verify --driver "$driver" --vram 25% --frames "$frames" "$workload"; then
    in=$(member "$report" paged_in_bytes) out=$(member "$report" paged_out_bytes)
    echo "$workload: $in bytes in, $out bytes out"
    [ "$in" -gt 0 ] && [ "$out" -gt 0 ] || fail "$workload: paging in one direction only"
    grep -q '^  "violations": \[\]' "$report" || fail "$workload: the driver broke a rule"
fi
finish
