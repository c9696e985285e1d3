#!/bin/bash
# images_test.sh BUILD - driver images are served as shared objects are: the same calls, rules and stage outcomes for each example
# driver as .so, as mingw's image and as clang's. BUILD has both (make all, make images).
set -u
. "$(dirname "$0")/lib.sh"
build=${1:?"usage: images_test.sh BUILD"}
vidmm=$build/vidmm

hardware() { # NAME
    case $1 in
    ring | softgpu) echo "--hardware $build/drivers/$1-hardware.so" ;;
    esac
}

calls() { # NAME FILE [OPTION...]
    # shellcheck disable=SC2046
    "$vidmm" run --quiet --json - --frames 20 --vram 50% --driver "$build/drivers/$2" $(hardware "$1") "${@:3}" minetest |
        grep -E '"(calls|calls_hash|violations)":'
}

# The whole report but for times and the driver's name.
# How many calls there are, and how often a rule was kept, depends on the instructions between which others come (K30).
verdict() { # NAME FILE [OPTION...]
    # shellcheck disable=SC2046
    "$vidmm" check --format json $(hardware "$1") "${@:3}" "$build/drivers/$2" | grep -vE '"(ms|driver|calls|kept)":'
}

for name in cpu-vram aperture-only banked gpummu ring wdk-style softgpu; do
    wanted=$(calls $name $name.so)
    for kind in mingw clang; do
        expect "calls of $name-$kind" "$wanted" "$(calls $name $name-$kind.sys)"
    done
done
for name in cpu-vram gpummu ring; do
    wanted=$(verdict $name $name.so)
    for kind in mingw clang; do
        expect "check of $name-$kind" "$wanted" "$(verdict $name $name-$kind.sys)"
    done
done
for stage in locks paging engines; do
    wanted=$(verdict softgpu softgpu.so --stage $stage)
    for kind in mingw clang; do
        expect "check of softgpu-$kind, $stage" "$wanted" "$(verdict softgpu softgpu-$kind.sys --stage $stage)"
    done
done
expect "self-test-clang" "vidmm: DriverEntry failed with status 0xe0000000" \
    "$("$vidmm" run --frames 1 --driver "$build/drivers/self-test-clang.sys" minetest 2>&1)"

for kind in mingw clang; do
    expect "stack-test-$kind" "vidmm: DriverEntry failed with status 0xe0000000" \
        "$("$vidmm" run --frames 1 --driver "$build/drivers/stack-test-$kind.sys" minetest 2>&1)"
done

# Sections that are gone, and those that may be paged out.
violations() { # FILE BREAK
    "$vidmm" check --stage objects --set "Break=$2" "$build/drivers/$1" 2>&1 |
        sed -nE 's/^ *(found|then): *//p' | sed 's/+0x[0-9a-f]*//g'
}
for kind in mingw clang; do
    expect "pageable code at DISPATCH_LEVEL in broken-$kind" \
        "the driver runs code at broken-$kind.sys, in section 'PAGE', which can be paged out, at DISPATCH_LEVEL or above (IRQL 2, from broken-$kind.sys)" \
        "$(violations broken-$kind.sys 4)"
    expect "locked code at DISPATCH_LEVEL in broken-$kind" "none" "$(violations broken-$kind.sys 7)none"
done
expect "code of DriverEntry's section" \
    "the driver runs code at broken-clang.sys, in section 'INIT', which is gone after DriverEntry (IRQL 0, from broken-clang.sys)
K13 signal 11 (Segmentation fault) in DxgkDdiCreateDevice (2 times)" "$(violations broken-clang.sys 5)"

# More of the stack than a thread of Windows has, by recursion and by variables that reach beyond a page.
for kind in mingw clang; do
    for break in 6 13; do
        expect "overflow $break of the stack in broken-$kind" "the driver used more than 24 KiB of kernel stack in DxgkDdiCreateDevice" \
            "$(violations broken-$kind.sys $break)"
    done
done
expect "overflow of the stack in a run" "vidmm: the driver crashed: the driver used more than 24 KiB of kernel stack in DxgkDdiCreateDevice" \
    "$("$vidmm" run --frames 1 --set Break=6 --driver "$build/drivers/broken-clang.sys" minetest 2>&1 | sed -n 1p)"

imports() { # FILE
    "$vidmm" inspect "$build/drivers/$1" 2>/dev/null | grep -E '^imports|^  [^ ]*: |unknown  '
}
expect "imports of self-test-clang" "imports of $build/drivers/self-test-clang.sys
  ntoskrnl.exe: 19 names, 1 unknown
    unknown  OfNoKernel" "$(imports self-test-clang.sys)"
expect "imports of a shared object" "none" "$(imports ring.so)none"

# The driver moves to another process in mid-run.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
migrate() { # send|recv LINK-OPTION
    "$vidmm" migrate "$1" "$2" "file:$work/link" --quiet --journal "$work/journal" --frames 20 --seed 3 --vram 60% \
        --ddi wddm3.2 --driver "$build/drivers/softgpu-$kind.sys" --hardware "$build/drivers/softgpu-hardware.so" vkcube 2>&1
}
for kind in mingw clang; do
    expect "migration of softgpu-$kind" "0 0" "$(migrate send --to >&2; echo $?) $(migrate recv --from >&2; echo $?)"
    rm -f "$work"/*
done

echo "images: $passed passed, $failed failed"
[ $failed -eq 0 ]
