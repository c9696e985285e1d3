#!/bin/bash
# images_test.sh BUILD - driver images are served as shared objects are: the same calls, rules and stage outcomes for each example
# driver as .so, as mingw's image and as clang's. BUILD has both (make all, make images).
set -u
build=${1:?"usage: images_test.sh BUILD"}
vidmm=$build/vidmm
passed=0
failed=0

expect() { # WHAT WANTED GOT
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: wanted\n%s\ngot\n%s\n' "$1" "$2" "$3" | head -n 40
    fi
}

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
verdict() { # NAME FILE [OPTION...]
    # shellcheck disable=SC2046
    "$vidmm" check --format json $(hardware "$1") "${@:3}" "$build/drivers/$2" | grep -vE '"(ms|driver)":'
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

echo "images: $passed passed, $failed failed"
[ $failed -eq 0 ]
