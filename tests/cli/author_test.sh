#!/usr/bin/env bash
# The lines of docs/driver-authors.md make a driver of C sources that is found clean, with gcc also one
# whose every function is called in Windows' way.
#
#   author_test.sh VIDMM SOURCE_ROOT COMPILER...
set -eu
vidmm=$1 root=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=("$root/drivers/cpu-vram/driver.c" "$root"/drivers/common/{skeleton,cpu_entry,cpu_pager,instant}.c)

passes() { # NAME COMPILER-WORD...
    local driver=$work/$1.so
    shift
    "$@" -shared -fPIC -fno-strict-aliasing -I "$root/include/wddm" "${sources[@]}" -Wl,-Bsymbolic -o "$driver"
    "$vidmm" check --stage paging "$driver"
}

passes plain "$@"
if "$@" -dM -E -x c /dev/null | grep -q __clang__; then exit 0; fi
sources+=("$root/src/cc/crt/memory.c")
passes windows "$@" -mabi=ms -fno-builtin
