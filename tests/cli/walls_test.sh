#!/usr/bin/env bash
# scripts/check-walls.sh accepts a clean house and finds a hole in each kind of wall.
#
#   walls_test.sh SOURCE_ROOT
set -u
check=$1/scripts/check-walls.sh
failures=0
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT

build_house() { # a small one with one file in each room
    mkdir -p "$house"/include/{wddm,vidmm} "$house"/src/{manager,softgpu/{driver,hardware,registers},host,harness,workload,cli,attic}
    mkdir -p "$house"/drivers/{common,plain,other}
    touch "$house/include/wddm/ntddk.h" "$house/include/vidmm/manager.h"
    echo '#include "own.h"' >"$house/src/manager/own.c"
    touch "$house"/src/softgpu/{driver/kmd,hardware/hw,registers/softgpu_regs}.h
    touch "$house/src/manager/own.h" "$house/drivers/common/skeleton.h" "$house/drivers/other/other.h"
    mkdir -p "$house"/src/manager/{base,memory,api}
    touch "$house"/src/manager/{base,memory,api}/it.h
    printf 'Ground.\n\nMay use: nothing.\n' >"$house/src/manager/base/room.md"
    printf '# memory\n\nMay use: base.\n' >"$house/src/manager/memory/room.md"
    printf 'May use: `base`, memory.\n' >"$house/src/manager/api/room.md"
}

# restore FILE: as it is in a house that was just built.
restore() {
    rm -f "$house/$1"
    case $1 in
    *.h | *room.md) build_house ;;
    esac
}

# expect STATUS FILE INCLUDE: the verdict on a house with this one line added to FILE.
expect() {
    local status=$1 file=$2 line=$3 output code
    printf '/* first line */\n#include %s\n' "$line" >"$house/$file"
    output=$("$check" "$house" 2>&1)
    code=$?
    if [ "$code" -ne "$status" ] || { [ "$status" -ne 0 ] && ! grep -q "^$file:2: " <<<"$output"; }; then
        echo "FAIL: $line in $file: exit code $code: $output"
        failures=$((failures + 1))
    fi
    restore "$file"
}

build_house
expect 0 src/manager/a.c '<string.h>'
expect 0 src/manager/a.c '<ntddk.h>'
expect 0 src/manager/a.c '"own.h"'
expect 0 src/softgpu/hardware/a.c '<vidmm/hwmodel.h>'
expect 0 src/host/a.c '<pthread.h>'
expect 0 src/cli/a.c '<vidmm/manager.h>'
expect 1 src/manager/a.c '<stdio.h>'
expect 1 src/manager/a.c '<stdlib.h>'
expect 1 src/manager/a.c '<vidmm/host.h>'
expect 1 src/manager/a.c '"../softgpu/hardware/hw.h"'
expect 1 src/softgpu/driver/a.c '"../../manager/own.h"'
expect 1 src/softgpu/driver/a.c '<vidmm/manager.h>'
expect 1 src/softgpu/driver/b.c '<vidmm/hwmodel.h>'
expect 1 src/softgpu/hardware/a.c '<ntddk.h>'
expect 0 src/softgpu/driver/a.c '"driver/kmd.h"'
expect 0 src/softgpu/driver/a.c '"registers/softgpu_regs.h"'
expect 1 src/softgpu/driver/a.c '"hardware/hw.h"'
expect 1 src/softgpu/hardware/a.c '"driver/kmd.h"'
expect 1 src/host/a.c '<vidmm/manager.h>'
expect 1 src/harness/a.c '"../manager/own.h"'
expect 1 src/workload/a.c '<ntddk.h>'
expect 1 src/cli/a.c '"../manager/own.h"'
expect 1 include/vidmm/manager.h '<vidmm/host.h>'
expect 1 include/wddm/a.h '<vidmm/os.h>'
expect 1 src/attic/a.c '<stdio.h>'
expect 0 drivers/plain/driver.c '<ntddk.h>'
expect 0 drivers/plain/driver.c '<stdint.h>'
expect 0 drivers/plain/driver.cpp '"../common/skeleton.h"'
expect 0 drivers/common/skeleton.c '"skeleton.h"'
expect 0 drivers/plain/hardware.c '<vidmm/hwmodel.h>'
expect 0 drivers/plain/hardware.c '<pthread.h>'
expect 1 drivers/plain/driver.c '<vidmm/hwmodel.h>'
expect 1 drivers/plain/driver.c '<vidmm/host.h>'
expect 1 drivers/plain/driver.c '<stdio.h>'
expect 1 drivers/plain/driver.c '"../other/other.h"'
expect 1 drivers/plain/driver.c '"../../src/manager/own.h"'
expect 1 drivers/plain/driver.cpp '<vector>'
expect 1 drivers/plain/hardware.c '<ntddk.h>'
expect 1 drivers/plain/hardware.c '<vidmm/host.h>'
expect 1 drivers/plain/hardware.c '"../common/skeleton.h"'
expect 1 drivers/common/skeleton.c '<vidmm/hwmodel.h>'
expect 1 drivers/common/skeleton.c '"../plain/driver.h"'

# Folders of a room, by the lines of their room.md.
expect 0 src/manager/memory/a.c '"base/it.h"'
expect 0 src/manager/memory/a.c '"it.h"'
expect 0 src/manager/memory/a.c '"memory/it.h"'
expect 0 src/manager/api/a.c '"../memory/it.h"'
expect 0 src/manager/a.c '"api/it.h"'
expect 1 src/manager/base/a.h '"memory/it.h"'
expect 1 src/manager/memory/a.c '"api/it.h"'
expect 1 src/manager/memory/a.c '"../api/it.h"'
expect 1 src/manager/memory/a.c '"own.h"'

# expect_lines STATUS PATTERN FOLDER TEXT: the verdict when this is the room.md of a folder.
expect_lines() {
    local status=$1 pattern=$2 folder=$3 text=$4 output code
    mkdir -p "$house/src/manager/$folder"
    touch "$house/src/manager/$folder/it.h"
    [ -z "$text" ] || echo "$text" >"$house/src/manager/$folder/room.md"
    output=$("$check" "$house" 2>&1)
    code=$?
    if [ "$code" -ne "$status" ] || ! grep -q "$pattern" <<<"$output"; then
        echo "FAIL: $folder with '$text': exit code $code: $output"
        failures=$((failures + 1))
    fi
    rm -rf "$house/src/manager/top"
    restore "src/manager/$folder/room.md"
}

expect_lines 0 'an order of folders: manager$' top 'May use: base, memory, api.'
expect_lines 1 '^src/manager/top/room.md: no line "May use:"' top ''
expect_lines 1 '^src/manager/top/room.md: src/manager has no folder cellar' top 'May use: base, cellar.'
expect_lines 1 '^src/manager/base/room.md: base may use itself by way of api' base 'May use: api.'
expect_lines 1 '^src/manager/api/room.md: api may use itself by way of api' api 'May use: api.'

[ "$failures" -eq 0 ] || exit 1
