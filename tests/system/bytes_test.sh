#!/usr/bin/env bash
# vidmm run --bytes none: the decisions, DDI calls and times of the run with bytes, for each model; nothing
# is verified and the report says so; what cannot be without bytes is refused.
#
#   bytes_test.sh VIDMM
set -u
vidmm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# OPTION...: both runs, whose reports may differ in the bytes alone.
same() {
    "$vidmm" run --quiet --json "$work/all.json" "$@" &&
        "$vidmm" run --quiet --json "$work/none.json" --bytes none "$@" || { echo "$*: vidmm run failed"; exit 1; }
    python3 - "$*" "$work/all.json" "$work/none.json" <<'PYTHON' || exit 1
import json
import sys

name, *paths = sys.argv[1:]
whole, none = (json.load(open(path)) for path in paths)
said = (whole.pop("bytes"), none.pop("bytes"))
verified = (whole.pop("verified_bytes"), none.pop("verified_bytes"))
if said != ("all", "none") or verified[0] == 0 or verified[1] != 0:
    sys.exit(f"{name}: the reports say bytes {said}, verified {verified}")
differ = [member for member in whole if whole[member] != none[member]]
if differ:
    sys.exit(f"{name}: without bytes other values of {differ}")
PYTHON
}

# WORDS OPTION...: refused with these words.
refused() {
    local words=$1
    shift
    "$vidmm" run --quiet --bytes none "$@" >"$work/out" 2>&1 && { echo "$*: not refused"; exit 1; }
    grep -q -- "$words" "$work/out" || { echo "$*: it says $(cat "$work/out")"; exit 1; }
}

for model in physical gpummu iommu; do
    for workload in frame-loop level-changes processes tiled-resource; do
        same --model "$model" --vram 50% --frames 6 "$workload"
    done
    same --model "$model" --vram 25% --frames 20 --seed 3 minetest
done
same --model gpummu --vram 25% --frames 6 --set MmuUpdateMode=0 level-changes
same --model gpummu --vram 25% --frames 6 --set MmuUpdateMode=1 level-changes
same --model physical --ddi vista --vram 25% --frames 6 --set VramVisibleBytes=0 level-changes
refused 'all or none' --bytes some
refused '--dirty needs bytes' --dirty
refused 'goes with the reference driver' --driver nowhere.so
refused 'ContextBytes' --model gpummu --set ContextBytes=8192
"$vidmm" run --bytes none --frames 2 frame-loop >"$work/out" || exit 1
grep -q 'no byte was verified' "$work/out" || { echo "the table claims verified bytes"; exit 1; }

# More than simulated system memory can have room for is said in the workload's words.
{
    echo '{"vidmm_trace":1,"source":"test"}'
    for id in $(seq 129); do
        echo "{\"op\":\"alloc\",\"id\":$id,\"size\":1073741824,\"heap\":0}"
    done
} >"$work/large.jsonl"
refused 'the workload has 129 GiB live at its peak' --vram 1T "$work/large.jsonl"
