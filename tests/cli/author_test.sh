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
    "$@" -shared -fPIC -fno-strict-aliasing ${gcc_only:+"$gcc_only"} -I "$root/include/wddm" "${sources[@]}" -Wl,-Bsymbolic -o "$driver"
    "$vidmm" check --stage paging "$driver"
}

# Each documented line for gcc has the flag without which the loop below ends after one resource.
documented=$(grep -cE '^(gcc|g\+\+) .*(-fno-aggressive-loop-optimizations|--variable=gccflags vidmm-ddk)' "$root/docs/driver-authors.md")
lines=$(grep -cE '^(gcc|g\+\+|cc|c\+\+) +-shared' "$root/docs/driver-authors.md")
[ "$documented" = 4 ] && [ "$lines" = 4 ] || { echo "FAIL: $documented of $lines lines have the flag, expected 4 of 4"; exit 1; }
gcc_only=
if ! "$@" -dM -E -x c /dev/null | grep -q __clang__; then gcc_only=-fno-aggressive-loop-optimizations; fi
passes plain "$@"
if [ -z "$gcc_only" ]; then exit 0; fi
cat > "$work/loop.c" << 'SOURCE'
#include <wdm.h>
struct { CM_RESOURCE_LIST list; CM_PARTIAL_RESOURCE_DESCRIPTOR others[3]; } given = {.list.List[0].PartialResourceList.Count = 4};
__attribute__((noinline)) ULONG count(PCM_RESOURCE_LIST list) {
    ULONG memory = 0;
    for (ULONG i = 0; i < list->List[0].PartialResourceList.Count; i++)
        if (list->List[0].PartialResourceList.PartialDescriptors[i].Type == CmResourceTypeMemory)
            memory++;
    return memory;
}
int main(void) {
    PCM_PARTIAL_RESOURCE_DESCRIPTOR descriptor = given.list.List[0].PartialResourceList.PartialDescriptors;
    for (int i = 0; i < 4; i++)
        descriptor[i].Type = CmResourceTypeMemory;
    return count(&given.list) == 4 ? 0 : 1;
}
SOURCE
for level in -O0 -O1 -O2; do
    "$@" "$level" -w -fno-strict-aliasing "$gcc_only" -I "$root/include/wddm" "$work/loop.c" -o "$work/loop"
    "$work/loop" || { echo "FAIL: $level: a loop over PartialDescriptors ends early"; exit 1; }
done
sources+=("$root/src/cc/crt/memory.c")
passes windows "$@" -mabi=ms -fno-builtin
