#!/bin/sh
# SPDX-License-Identifier: MIT
# Drivers that vidmm cc builds with -fsanitize=address, -fsanitize=undefined and --coverage: a planted overrun is named with its
# line, so is undefined behaviour, and gcov reads what a check counted. $1: vidmm.
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$(realpath "$1")
command -v clang > /dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0
cd "$work" || exit 1

# What it shows, the file that says it, and a text that it has.
says() {
    if grep -qF -- "$3" "$2"; then
        echo "ok: $1"
    else
        echo "FAILED: $1: nothing says '$3'"
        cat "$2"
        failed=1
    fi
}

cat > planted.c << 'END'
#include <ntddk.h>
static volatile int by = 40;
static void fill(char *to) { for (int i = 0; i <= 24; i++) to[i] = 1; }
static void copy(char *to, char *from) { RtlCopyMemory(to, from, by - 15); }
static int freed(char *from) { return from[3]; }
NTSTATUS DriverEntry(PDRIVER_OBJECT object, PUNICODE_STRING path)
{
    char *block = ExAllocatePoolWithTag(NonPagedPoolNx, 24, 'tset'), local[64] = {0};
    UNREFERENCED_PARAMETER(object);
    UNREFERENCED_PARAMETER(path);
    if (FILLS) fill(block);
    if (COPIES) copy(block, local);
    if (STACK) by += local[by + 24];
    by = 1 << by;
    ExFreePool(block);
    if (FREED || by == 7) by = freed(block);
    return STATUS_UNSUCCESSFUL;
}
END

# A planted error, the flags, and what the report on standard error has.
plant() {
    "$vidmm" cc -o planted.so -O1 -DFILLS="$1" -DCOPIES="$2" -DSTACK="$3" -DFREED="$4" -fsanitize=address planted.c > built 2>&1
    LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 "$vidmm" inspect --driver ./planted.so > said 2>&1
}

runtime=$(clang -print-file-name=libclang_rt.asan-x86_64.so)
[ -e "$runtime" ] || runtime=$(cc -print-file-name=libasan.so)
# A program with a sanitizer of its own has the run time.
nm -D "$vidmm" | grep -q ' [TW] __asan_init' && runtime=
if [ -e "$runtime" ]; then
    plant 1 0 0 0
    says "the build says how the driver is checked" built 'LD_PRELOAD='
    says "a write beyond a pool block is named" said 'AddressSanitizer: use-after-poison'
    says "with its place in the driver" said 'planted.c:3'
    plant 0 1 0 0
    says "so is a copy beyond it" said 'planted.c:4'
    plant 0 0 1 0
    says "so is a write beyond a variable of the stack" said 'AddressSanitizer: stack-buffer-overflow'
    plant 0 0 0 1
    says "so is a use of a block that is freed" said 'planted.c:5'
    plant 0 0 0 0
    says "without an error it only refuses, as it does anyway" said 'DriverEntry failed with status STATUS_UNSUCCESSFUL (0xc0000001)'
    plant 1 0 0 0
    "$vidmm" inspect --driver ./planted.so > said 2>&1
    says "without the run time one sentence says what is missing" said 'set LD_PRELOAD to what'
    sed 's/ APIENTRY//; s/ NTAPI//; s/u"/L"/g' "$root/drivers/wdk-style/driver.cpp" > bare.cpp
    "$vidmm" cc -o bare.so -fsanitize=address,undefined bare.cpp > built 2>&1
    LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 "$vidmm" check --timeout 60 ./bare.so > said 2>&1 && echo "exit 0" >> said
    says "a driver without errors passes under both" said 'exit 0'
fi

"$vidmm" cc -o planted.so -DFILLS=0 -DCOPIES=0 -DSTACK=0 -DFREED=0 -fsanitize=undefined planted.c > built 2>&1
"$vidmm" check planted.so > said 2>&1
says "undefined behaviour is a finding with its place" said 'planted.c:14:12: a shift by more than the type has bits'

"$vidmm" cc -o planted.so -DFILLS=0 -DCOPIES=0 -DSTACK=0 -DFREED=0 --coverage planted.c > built 2>&1
says "the build says how coverage is read" built 'llvm-cov gcov planted.so.*.gcda'
"$vidmm" inspect --driver ./planted.so > said 2>&1
"$vidmm" inspect --driver ./planted.so > said 2>&1
gcov=$(command -v llvm-cov llvm-cov-14 llvm-cov-17 llvm-cov-18 llvm-cov-19 | head -n 1)
[ -s planted.so.planted.c.gcda ] || { echo "FAILED: no counts were written"; failed=1; }
if [ -n "$gcov" ]; then
    "$gcov" gcov planted.so.planted.c.gcda > said 2>&1
    says "gcov reads them, of both runs together" planted.c.gcov '2:   14:    by = 1 << by;'
    says "a line that was not reached shows as that" planted.c.gcov '#####:    5:'
fi
exit $failed
