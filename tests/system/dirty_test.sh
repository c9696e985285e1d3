#!/usr/bin/env bash
# What frames write is told for every page size, and asking for it changes nothing of the run.
#
#   dirty_test.sh VIDMM
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json
tracking="--ddi wddm3.2 --set DirtyPageBytes=4096"

# One line a page size: "PAGE BYTES".
page_sizes() {
    awk '/"page_bytes"/ { gsub(/[^0-9]/, "", $2); page = $2 }
         /"bytes"/ && page { gsub(/[^0-9]/, "", $2); print page, $2; page = "" }' "$report"
}

for model in physical gpummu 'gpummu --set MmuFeatures=15'; do
    for workload in minetest frame-loop; do
        options="--model $model --vram 50% --frames 20 $workload"
        # shellcheck disable=SC2086
        verify $tracking $options
        plain=$(member "$report" calls_hash)
        # shellcheck disable=SC2086
        verify --dirty $options
        [ "$(member "$report" calls_hash)" = "$plain" ] || fail "--dirty $options: other calls than without"
        [ "$(page_sizes | awk '{ printf "%s ", $1 }')" = "4096 32768 262144 2097152 " ] ||
            fail "--dirty $options: page sizes are $(page_sizes)"
        # Large pages are dirty with the small ones in them, and never more than all of them.
        page_sizes | awk '$2 % $1 != 0 || $2 < last || $2 > last * 512 && NR > 1 { exit 1 } { last = $2 }' ||
            fail "--dirty $options: $(page_sizes)"
    done
done

# Who does not track is told so, in one sentence.
output=$("$vidmm" run --quiet --dirty --ddi wddm2.0 vkcube 2>&1)
[ $? -eq 3 ] || fail "--dirty on WDDM 2.0: not refused"
[[ $output == *"tracks no dirty pages"* && $(wc -l <<<"$output") -eq 1 ]] || fail "--dirty on WDDM 2.0: $output"
finish
