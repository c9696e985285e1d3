#!/usr/bin/env bash
# A workload moves to another process in mid-run and ends there with every byte verified, after the
# same calls as a run that stayed. Prints a line: what was in use, how many times that was sent as
# memory and on the wire, the pause and what was predicted of it.
#
#   migrate_test.sh VIDMM WORKLOAD FRAMES LINK [OPTION of send...]
#
# LINK: unix, tcp or file. RUN_OPTIONS: options of the run on both sides.
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 workload=$2 frames=$3 kind=$4
shift 4
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
report=$work/run.json
export XDG_RUNTIME_DIR=$work
# shellcheck disable=SC2206
run=(--frames "$frames" --vram 60% --seed 3 ${RUN_OPTIONS:-})
case $kind in
tcp) link=tcp:127.0.0.1:$((20000 + $$ % 20000)) ;;
*) link=$kind:$work/link ;;
esac

send() {
    "$vidmm" migrate send --to "$link" --timeout 30s --quiet --json "$work/send.json" --journal "$work/journal" \
        "${run[@]}" "$@" "$workload" || fail "$workload: send ended with $?"
}
recv() {
    "$vidmm" migrate recv --from "$link" --timeout 30s --quiet --json "$work/recv.json" --journal "$work/journal" \
        "${run[@]}" "$workload" || fail "$workload: recv ended with $?"
}

# Memory that is in use when the migration begins, or at its end: workloads free a lot in their last
# frames, and more than a copy of what is left then has to be sent.
in_use() {
    local first used
    first=$(sed -n '/"rounds"/,$s/^      "bytes": \([0-9]*\).*/\1/p' "$work/send.json" | head -n 1)
    used=$(member "$work/send.json" used_bytes)
    echo $((${first:-0} > used ? first : used))
}

line() {
    local used memory wire
    used=$(in_use)
    memory=$(member "$work/send.json" memory_bytes)
    wire=$(member "$work/send.json" wire_bytes)
    awk -v used="$used" -v memory="$memory" -v wire="$wire" -v pause="$(member "$work/send.json" pause_ns)" \
        -v predicted="$(member "$work/send.json" predicted_pause_ns)" -v name="$workload" -v link="$*" 'BEGIN {
            times = used > 0 ? used : 1
            printf "%-16s %-16s %7.1f MiB in use, sent %5.2f times, on the wire %5.2f, pause %4d ms, predicted %4d ms\n",
                name, link, used / 1048576, memory / times, wire / times, pause / 1000000, predicted / 1000000
        }'
}

verify --ddi wddm3.2 --model gpummu --set DirtyPageBytes=4096 "${run[@]}" "$workload" || finish
if [ "$kind" = file ]; then
    send "$@"
    recv
    [ -e "$work/link" ] && fail "$workload: the file can be taken once more"
else
    recv &
    receiver=$!
    send "$@"
    # A source that never came would be waited for.
    [ -e "$work/send.json" ] || finish
    wait $receiver
fi
[ "$(member "$work/send.json" status)" = done ] || fail "$workload: $(member "$work/send.json" text)"
[ "$(member "$work/recv.json" status)" = done ] || fail "$workload: $(member "$work/recv.json" text)"
[ "$(member "$work/recv.json" mismatched_bytes)" = 0 ] || fail "$workload: wrong bytes"
for name in calls_hash verified_bytes; do
    [ "$(member "$work/recv.json" $name)" = "$(member "$report" $name)" ] ||
        fail "$workload: $name is not that of a run that stayed"
done
[ "$(awk '$4 == "own" && $3 == "target"' "$work/journal" | wc -l)" = 1 ] || fail "$workload: not owned once"
line "$kind" "$@"
finish
