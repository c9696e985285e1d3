#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/build-images.sh DIR: every example driver, and the reference driver, as images: DIR/drivers/NAME-mingw.sys (DWARF) and
# DIR/drivers/NAME-clang.sys (with its PDB beside it).
set -eu
cd "$(dirname "$0")/.."
to=${1:?"usage: scripts/build-images.sh DIR"}/drivers
mkdir -p "$to"
skeleton=drivers/common/skeleton.c
pager="$skeleton drivers/common/cpu_pager.c drivers/common/instant.c"
for kind in mingw clang; do
    for name in cpu-vram aperture-only banked; do
        # shellcheck disable=SC2086
        scripts/build-image.sh $kind "$to/$name-$kind.sys" "drivers/$name/driver.c" drivers/common/cpu_entry.c $pager
    done
    # shellcheck disable=SC2086
    scripts/build-image.sh $kind "$to/gpummu-$kind.sys" drivers/gpummu/driver.c $pager
    scripts/build-image.sh $kind "$to/ring-$kind.sys" drivers/ring/driver.c $skeleton
    scripts/build-image.sh $kind "$to/wdk-style-$kind.sys" drivers/wdk-style/driver.cpp
    scripts/build-image.sh $kind "$to/softgpu-$kind.sys" -Iinclude -Isrc/softgpu -Dvidmm_softgpu_entry=DriverEntry src/softgpu/driver/*.c
    # shellcheck disable=SC2086
    scripts/build-image.sh $kind "$to/broken-$kind.sys" -Idrivers/common tests/system/broken_driver.c drivers/cpu-vram/driver.c $pager
done
# Mutants of the reference driver, chosen by a setting.
for family in query allocation paging submission present operation placement preempt interrupts engines residency own_memory ranges isolation \
    host_aperture virtual page_tables gpu agp; do
    mutants="${mutants:-} tests/mutants/break_$family.c"
done
for kind in mingw clang; do
    # shellcheck disable=SC2086
    scripts/build-image.sh $kind "$to/mutants-$kind.sys" -Iinclude -Isrc/softgpu -Dvidmm_softgpu_entry=DriverEntry \
        -DDxgkInitialize=take_table src/softgpu/driver/*.c tests/mutants/query_spoil.c tests/mutants/virtual_fault.c $mutants tests/mutants/image_entry.c
done
# Exceptions and instructions that only an image has; mingw's compiler has no __try.
scripts/build-image.sh clang "$to/self-test-clang.sys" tests/host/image/self_test.c
for kind in mingw clang; do
    scripts/build-image.sh $kind "$to/stack-test-$kind.sys" tests/host/image/stack_test.c
done
echo "$(find "$to" -name '*.sys' | wc -l) images in $to"
