#!/bin/sh
# SPDX-License-Identifier: MIT
# A driver as the WDK would build it, that names no calling convention and writes L"...", is examined like any other; and the
# script for the driver that is not ours says what it misses. $1: vidmm.
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$1
command -v clang > /dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

expect() {
    if [ "$2" -eq "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: $2, expected $3"
        failed=1
    fi
}

sed 's/ APIENTRY//; s/ NTAPI//; s/u"/L"/g' "$root/drivers/wdk-style/driver.cpp" > "$work/bare.cpp"
"$root/scripts/build-driver.sh" "$work/bare.so" "$work/bare.cpp"
expect "a driver without calling conventions is built" $? 0
"$vidmm" check "$work/bare.so" > "$work/report"
expect "and keeps every rule" $? 0
[ $failed -eq 0 ] || cat "$work/report"

VIDMM=$vidmm "$root/scripts/foreign-driver.sh" "$work" 2> "$work/error"
expect "a directory without the sample is bad usage" $? 2
grep -q "there is neither '$work/compute-only-sample/coskmd' nor .*: git clone https://" "$work/error"
expect "and the sentence says what to clone" $? 0
[ "$(wc -l < "$work/error")" -eq 1 ]
expect "in one line" $? 0
exit $failed
