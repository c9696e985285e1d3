#!/usr/bin/env bash
# One mistake of one engine of the GPU is found, and blamed on the operation that did it.
#
#   fault_test.sh VIDMM KIND OPERATION POSITIONS [OPTION...]
# KIND is the hardware's FaultKind; OPERATION the blamed one in the report, null: no paging operation,
# lost: no wrong byte comes of it, for the GPU faults on an address that leads nowhere, which is named;
# POSITIONS which actions of the engine are damaged, one a run.
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 kind=$2 operation=$3 positions=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.json

for at in $positions; do
    text=$("$vidmm" run --quiet --json "$report" --set FaultKind="$kind" --set FaultAt="$at" "$@" 2>&1)
    code=$?
    echo "kind $kind at $at: exit $code, $text"
    if [ "$operation" = lost ]; then
        [ "$code" -ne 0 ] && [[ $text == *"the device was lost: the GPU could not "* ]] || fail "fault kind $kind at $at: no page fault"
        continue
    fi
    [ "$code" -eq 1 ] || fail "fault kind $kind at $at: exit code $code instead of 1"
    [ "$(member "$report" mismatched_bytes)" != 0 ] || fail "fault kind $kind at $at: no wrong byte seen"
    [ "$(blamed "$report")" = "$operation" ] ||
        fail "fault kind $kind at $at: blamed on $(blamed "$report") instead of $operation"
done
finish
