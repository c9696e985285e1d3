#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/build-driver.sh builds a driver as the WDK's compiler would: functions without a calling convention, L"..." of 16 bits,
# headers of other interfaces. `vidmm check` passes it like any other driver. $1: vidmm.
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
expect "it breaks no rule" $? 0
[ $failed -eq 0 ] || cat "$work/report"

# The headers of other interfaces, that such a driver includes beside the WDK's.
{
    echo '#include <d3dukmdt.h>'
    echo '#include <dxgiformat.h>' # d3d10umddi.h uses types of both
    for header in "$root"/tests/foreign/stubs/*.h; do
        echo "#include <$(basename "$header")>"
    done
    cat "$work/bare.cpp"
} > "$work/more.cpp"
"$root/scripts/build-driver.sh" "$work/more.so" "-I$root/tests/foreign/stubs" "$work/more.cpp"
expect "a driver that includes headers of other interfaces is built" $? 0
exit $failed
