#!/bin/sh
# The manager has no operating system in it: nothing that its objects leave undefined comes from
# anywhere but the manager itself and the four mem* functions that a C compiler may call on its own.
#
#   scripts/check-freestanding.sh [DIR]    a plain build, no sanitizers; default build
set -eu
cd "$(dirname "$0")/.."
archive=${1:-build}/src/manager/libvidmm-manager.a
[ -f "$archive" ] || {
    echo "check-freestanding: $archive is not built" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm --defined-only "$archive" | awk 'NF == 3 && $2 ~ /[TDRBC]/ { print $3 }' | sort -u >"$work/defined"
printf '%s\n' memcpy memmove memset memcmp _GLOBAL_OFFSET_TABLE_ >>"$work/defined"
sort -u -o "$work/defined" "$work/defined"
nm -A --undefined-only "$archive" | awk '{ print $NF }' | sort -u >"$work/undefined"
comm -13 "$work/defined" "$work/undefined" >"$work/foreign"

if [ -s "$work/foreign" ]; then
    while read -r symbol; do
        users=$(nm -A --undefined-only "$archive" |
            awk -v symbol="$symbol" '$NF == symbol { n = split($1, part, ":"); print part[n - 1] != "" ? part[n - 1] : $1 }' |
            sort -u | tr '\n' ' ')
        echo "check-freestanding: $symbol is not the manager's own (used by ${users% })"
    done <"$work/foreign"
    exit 1
fi
echo "check-freestanding: the manager's $(nm "$archive" | grep -c '\.o:$') objects need nothing but mem* functions"
