#!/usr/bin/env bash
# Paging runs beside rendering: in virtual time a run ends sooner than with vidmm run --paging serial, where
# nothing runs beside anything; both are verified and twice the same.
#
#   overlap_test.sh VIDMM
set -u
vidmm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

# PAGING OPTION...: the virtual time of a verified run.
time_of() {
    local paging=$1
    shift
    "$vidmm" run --quiet --vram 50% --paging "$paging" --json "$work/run.json" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out" >&2; return; }
    member "$work/run.json" virtual_ns
}

# PERCENT OPTION...: serial takes at least so much of the overlapped time.
gains() {
    local percent=$1 serial overlapped
    shift
    serial=$(time_of serial "$@")
    overlapped=$(time_of overlapped "$@")
    if [ -z "$serial" ] || [ -z "$overlapped" ]; then
        fail "$*: no verified run"
    elif [ $((serial * 100)) -lt $((overlapped * percent)) ]; then
        fail "$*: $overlapped ns overlapped, $serial ns one after another"
    fi
    [ "$overlapped" = "$(time_of overlapped "$@")" ] || fail "$*: another time the second time"
}

gains 118 --model physical --frames 120 training-step
gains 105 --model physical --frames 200 ncnn-bench-cnn
gains 100 --model gpummu --frames 60 training-step
"$vidmm" run --paging sometimes training-step >"$work/out" 2>&1 && fail "--paging sometimes is not refused"
grep -q 'overlapped or serial' "$work/out" || fail "it says $(cat "$work/out")"
finish
