#!/usr/bin/env bash
# A recording replays right over linked physical adapters, in each way to reach memory, with little
# memory and with enough: every adapter has work where it can have, and the same seed makes the same
# calls.
#
#   linked_test.sh VIDMM RECORDING FRAMES
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 workload=$2 frames=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

# Physical adapters without any submission.
idle_adapters() {
    tr -d ' \n' <"$report" | sed 's/.*"submissions_by_adapter":\[\([0-9,]*\)\].*/\1/' | tr ',' '\n' | grep -cx 0
}

for model in physical gpummu iommu; do
    for vram in 25% 150%; do
        verify --linked 2 --model "$model" --vram "$vram" --frames "$frames" "$workload" || continue
        [ "$(member "$report" linked)" = 2 ] || fail "$workload $model: not two adapters"
        [ "$model" != gpummu ] || [ "$(idle_adapters)" = 0 ] || fail "$workload $model: an idle adapter"
    done
done
verify --linked 3 --model gpummu --vram 25% --frames "$frames" "$workload" && hash=$(member "$report" calls_hash)
verify --linked 3 --model gpummu --vram 25% --frames "$frames" "$workload"
[ "$(member "$report" calls_hash)" = "$hash" ] || fail "$workload: the same seed made other calls"
finish
