#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: scripts/foreign-driver.sh CHECKOUT [ARGUMENTS OF vidmm check]
# Builds the driver of a checkout, unedited, and examines it:
#   coskmd    the compute-only sample of github.com/microsoft/graphics-driver-samples
#   viogpu3d  the driver of virtio GPUs with 3D, branch viogpu3d of github.com/max8rr8/kvm-guest-drivers-windows; its hardware
#             is tests/foreign/virtio_gpu
#   stdvga    the display-only driver of Bochs' and QEMU's display in github.com/virtio-win/kvm-guest-drivers-windows; its
#             hardware is tests/foreign/std_vga
#   KMDOD     the display-only sample of github.com/microsoft/Windows-driver-samples
# What a build of theirs would bring besides the sources comes from tests/foreign/stubs (headers of other interfaces) and is
# generated here (the trace calls, which the WDK makes of comments). VIDMM names the program, OUTPUT the shared object to keep.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
vidmm=${VIDMM:-$root/build/vidmm}
microsoft=https://github.com/microsoft/graphics-driver-samples
virtio="-b viogpu3d https://github.com/max8rr8/kvm-guest-drivers-windows"
virtio_win=https://github.com/virtio-win/kvm-guest-drivers-windows
samples=https://github.com/microsoft/Windows-driver-samples

die() {
    echo "foreign-driver.sh: $*" >&2
    exit 2
}

build() {
    name=$1
    shift
    driver=${OUTPUT:-$work/$name.so}
    "$root/scripts/build-driver.sh" "$driver" "-I$root/tests/foreign/stubs" "-I$work" "$@" || die "$name could not be built"
}

model() {
    hardware=$work/$1.so
    "${CC:-cc}" -shared -fPIC -std=c11 -D_GNU_SOURCE -O2 -g -pthread "-I$root/include" "$root/tests/foreign/$1"/*.c \
        -o "$hardware" || die "the model of the hardware could not be built"
}

coskmd() {
    sample=$1/compute-only-sample
    sed -n 's|^// *FUNC  *\([A-Za-z_]*\).*|#undef \1\n#define \1(...) ((void)0)|p' "$sample/coscommon/CosLogging.h" \
        > "$work/trace.h"
    sed -n 's|^ *#include "\(.*\.tmh\)".*|\1|p' "$sample"/coskmd/*.cpp | while read -r name; do
        echo '#include "trace.h"' > "$work/$name"
    done
    build coskmd "-I$sample/coscommon" "-I$sample/vpucommon" "$sample"/coskmd/*.cpp
}

# The sources of this and the next write names of headers in another case than the files have.
viogpu3d() {
    driver_of=$1/viogpu library=$1/VirtIO
    echo '#include "VirtIO.h"' > "$work/virtio.h"
    build viogpu3d -DVIOGPU_3D=1 "-I$driver_of/viogpu3d" "-I$driver_of/common" "-I$driver_of/shared" "-I$library" \
        "$driver_of"/viogpu3d/*.cpp "$driver_of"/common/*.cpp "$library"/*.c
    model virtio_gpu
}

stdvga() {
    build stdvga "$1"/stdvga/*.cpp
    model std_vga
}

KMDOD() {
    echo '#include "bdd.hxx"' > "$work/BDD.hxx"
    echo '#include "bdd_errorlog.hxx"' > "$work/BDD_ErrorLog.hxx"
    build KMDOD "-I$1/video/KMDOD" "$1"/video/KMDOD/*.cxx
}

[ $# -gt 0 ] || die "name a checkout: git clone $microsoft"
checkout=$1
shift
if [ -f "$checkout/compute-only-sample/coskmd/CosKmdGlobal.cpp" ]; then
    recipe=coskmd
elif [ -f "$checkout/viogpu/viogpu3d/viogpu_adapter.cpp" ]; then
    recipe=viogpu3d
elif [ -f "$checkout/stdvga/hw.cpp" ]; then
    recipe=stdvga
elif [ -f "$checkout/video/KMDOD/bdd.cxx" ]; then
    recipe=KMDOD
else
    die "there is neither '$checkout/compute-only-sample/coskmd' nor viogpu/viogpu3d, stdvga or video/KMDOD:" \
        "git clone $microsoft, $virtio, $virtio_win or $samples, and name the directory"
fi
[ -x "$vidmm" ] || die "'$vidmm' is not there: build it (make), or say where it is in VIDMM"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
hardware=
"$recipe" "$checkout"
"$vidmm" check ${hardware:+--hardware "$hardware"} "$driver" "$@"
