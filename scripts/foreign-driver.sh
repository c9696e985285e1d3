#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: scripts/foreign-driver.sh CHECKOUT [ARGUMENTS OF vidmm check]
# Builds coskmd, the kernel-mode half of the compute-only sample of github.com/microsoft/graphics-driver-samples, unedited, and
# examines it. What its build would bring besides the sources comes from tests/foreign/stubs (headers of other interfaces) and
# is generated here (the trace calls, which the WDK makes of comments). VIDMM names the program, OUTPUT the shared object to keep.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
vidmm=${VIDMM:-$root/build/vidmm}

die() {
    echo "foreign-driver.sh: $*" >&2
    exit 2
}

[ $# -gt 0 ] || die "name a checkout: git clone https://github.com/microsoft/graphics-driver-samples"
sample=$1/compute-only-sample
shift
[ -f "$sample/coskmd/CosKmdGlobal.cpp" ] ||
    die "there is no '$sample/coskmd': clone https://github.com/microsoft/graphics-driver-samples and name its directory"
[ -x "$vidmm" ] || die "'$vidmm' is not there: build it (make), or say where it is in VIDMM"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
sed -n 's|^// *FUNC  *\([A-Za-z_]*\).*|#undef \1\n#define \1(...) ((void)0)|p' "$sample/coscommon/CosLogging.h" > "$work/trace.h"
sed -n 's|^ *#include "\(.*\.tmh\)".*|\1|p' "$sample"/coskmd/*.cpp | while read -r name; do
    echo '#include "trace.h"' > "$work/$name"
done

driver=${OUTPUT:-$work/coskmd.so}
"$root/scripts/build-driver.sh" "$driver" "-I$root/tests/foreign/stubs" "-I$work" "-I$sample/coscommon" "-I$sample/vpucommon" \
    "$sample"/coskmd/*.cpp ||
    die "coskmd could not be built"
"$vidmm" check "$driver" "$@"
