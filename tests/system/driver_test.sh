#!/usr/bin/env bash
# A driver from a shared object: it is inspected, and pages without a byte going wrong or a rule
# being broken. Without a hardware model there is nothing but plain memory behind its BARs.
#
#   driver_test.sh VIDMM DRIVER RECORDING FRAMES copies|maps|virtual VRAM [OPTION...]
#
# copies: it has a memory segment of VRAM, and bytes go both ways. maps: it has an aperture and no memory,
# so that pages are mapped and no byte is moved. virtual: it has both and page tables, through which bytes
# are moved. OPTIONs are for vidmm, such as --hardware FILE.
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 driver=$2 workload=$3 frames=$4 moves=$5 vram=$6
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

output=$("$vidmm" inspect --driver "$driver" "$@" 2>&1) || fail "vidmm inspect: $output"
case $moves:$output in
copies:*CpuVisible* | virtual:*CpuVisible*) ;;
maps:*CpuVisible*) fail "vidmm inspect: a memory segment: $output" ;;
maps:*Aperture*) ;;
*) fail "vidmm inspect: not the segments of the driver: $output" ;;
esac

# Bytes in and out, and the number of maps.
check_moves() {
    local in out maps
    in=$(member "$report" paged_in_bytes) out=$(member "$report" paged_out_bytes)
    maps=$(sed -n '/"map_aperture": {/{n;s/.*"count": \([0-9]*\).*/\1/p;q}' "$report")
    echo "$workload: $in bytes in, $out bytes out, ${maps:-0} maps"
    if [ "$moves" = virtual ]; then
        [ "$in" -gt 0 ] || fail "$workload: nothing was paged in"
        grep -q '"update_page_table": {' "$report" || fail "$workload: no page table was written"
    elif [ "$moves" = copies ]; then
        [ "$in" -gt 0 ] && [ "$out" -gt 0 ] || fail "$workload: paging in one direction only"
    else
        [ "$in" -eq 0 ] && [ "$out" -eq 0 ] || fail "$workload: bytes were moved"
        [ "${maps:-0}" -gt 0 ] || fail "$workload: nothing was mapped"
    fi
}

if verify --driver "$driver" --vram "$vram" --frames "$frames" "$@" "$workload"; then
    check_moves
    grep -q '^  "violations": \[\]' "$report" || fail "$workload: a rule was broken"
fi
finish
