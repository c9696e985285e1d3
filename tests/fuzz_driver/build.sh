#!/usr/bin/env bash
# Builds drivers for vidmm fuzz with clang: shared objects with libFuzzer's coverage and the address
# sanitizer.
#
#   tests/fuzz_driver/build.sh DIRECTORY [NAME...]     NAME: planted, or an example driver; all of them
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
clang=${CLANG:-clang}
flags="-g -O1 -fPIC -shared -Wl,-Bsymbolic -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address -I$root/include/wddm -I$root/include"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"

build() {
    local name=$1
    shift
    # shellcheck disable=SC2086
    $clang $flags -o "$out/$name.so" "$@"
}

common="drivers/common/skeleton.c"
cpu="$common drivers/common/cpu_entry.c drivers/common/cpu_pager.c drivers/common/instant.c"
for name in ${*:-planted cpu-vram aperture-only banked gpummu ring softgpu wdk-style}; do
    # shellcheck disable=SC2086
    case $name in
    planted) build planted -DDxgkInitialize=planted_initialize tests/fuzz_driver/planted.c drivers/cpu-vram/driver.c $cpu ;;
    cpu-vram | aperture-only | banked) build "$name" "drivers/$name/driver.c" $cpu ;;
    gpummu) build gpummu drivers/gpummu/driver.c $common drivers/common/cpu_pager.c drivers/common/instant.c ;;
    ring) build ring drivers/ring/driver.c $common ;;
    softgpu) build softgpu -Dsoftgpu_driver_entry=DriverEntry -Isrc/softgpu $(ls src/softgpu/driver/*.c src/softgpu/registers/*.c 2>/dev/null) ;;
    wdk-style) build wdk-style -D_KERNEL_MODE=1 -fms-extensions -fno-exceptions -fno-rtti -std=c++17 drivers/wdk-style/driver.cpp ;;
    *) echo "build.sh: no driver '$name'" >&2 && exit 2 ;;
    esac
done
