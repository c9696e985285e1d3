#!/bin/sh
# SPDX-License-Identifier: MIT
# The drivers that nobody here wrote are built and examined, and the report says of each what docs/driver-authors.md says.
# $1: vidmm. VIDMM_FOREIGN names a directory with their checkouts (of viogpu3d's branch under that name); without it, or without
# one of them, that one is left out.
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$1
command -v clang > /dev/null && [ "$(uname -m)" = x86_64 ] && [ -d "${VIDMM_FOREIGN:-}" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0 examined=0

# A checkout, a file that shows it is one, and lines that the report has to have.
examine() {
    checkout=$VIDMM_FOREIGN/$1 report=$work/$(basename "$2")
    [ -f "$checkout/$2" ] || return 0
    examined=$((examined + 1))
    VIDMM=$vidmm "$root/scripts/foreign-driver.sh" "$checkout" > "$report" 2>&1
    code=$?
    [ $code -eq 1 ] || failed=1
    echo "$2: exit code $code, expected 1"
    shift 2
    for line in "$@"; do
        if grep -q "$line" "$report"; then
            echo "ok: $line"
        else
            echo "FAILED: no line '$line'"
            failed=1
        fi
    done
    [ $failed -eq 0 ] || cat "$report"
}

examine graphics-driver-samples compute-only-sample/coskmd/CosKmdGlobal.cpp '^  R176 driver' '^  paging  *done' '^  memory  *done'
examine viogpu3d viogpu/viogpu3d/viogpu_adapter.cpp '^  R136 driver' '^  leak driver' '^  hang driver' '^  start  *done' \
    '^  paging  *done' '^  objects  *done' '^  locks  *done'
examine kvm-guest-drivers-windows stdvga/hw.cpp '^  R27 driver' '^  start  *done' '^  query  *done' 'only displays'
examine Windows-driver-samples video/KMDOD/bdd.cxx '^  R27 driver' '^  start  *done' '^  query  *done' 'only displays'
[ $examined -ne 0 ] || exit 77
exit $failed
