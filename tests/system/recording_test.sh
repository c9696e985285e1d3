#!/usr/bin/env bash
# A recording replays right at a quarter of its memory on all three segment queries and behind an
# IOMMU, and the same seed makes the same calls.
#
#   recording_test.sh VIDMM RECORDING FRAMES
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 workload=$2 frames=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

query_of() { # DDI
    case $1 in win7) echo 1 ;; wddm1.3) echo 3 ;; wddm2.0) echo 4 ;; esac
}

for ddi in win7 wddm1.3 wddm2.0; do
    verify --vram 25% --ddi "$ddi" --frames "$frames" --seed 3 "$workload" || continue
    [ "$(member "$report" query_version)" = "$(query_of "$ddi")" ] || fail "$workload $ddi: query version"
    hash=$(member "$report" calls_hash)
    echo "$workload $ddi: $(member "$report" verified_bytes) bytes, $(member "$report" page_ins) page-ins, $hash"
done
verify --vram 25% --ddi wddm2.0 --frames "$frames" --seed 3 "$workload"
[ "$(member "$report" calls_hash)" = "$hash" ] || fail "$workload: the same seed made other calls"

# And where CPU and GPU use the same pointers, which the hash takes no notice of.
verify --model iommu --vram 25% --frames "$frames" --seed 3 "$workload" &&
    hash=$(member "$report" calls_hash)
verify --model iommu --vram 25% --frames "$frames" --seed 3 "$workload"
[ "$(member "$report" calls_hash)" = "$hash" ] ||
    fail "$workload: the same seed made other calls with the model iommu"
finish
