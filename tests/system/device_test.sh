#!/usr/bin/env bash
# A driver with a described device, and with one of QEMU where there is one: it is checked as with
# plain memory, and what is wrong with the device is one sentence and exit code 2 or 3.
#
#   device_test.sh VIDMM DRIVER       DRIVER: cpu-vram, which pages with the CPU into BAR 1
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1
driver=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf 'identity vendor=0x1af4 device=0x4d56\nbar 0 memory 4K\nbar 1 memory 256M\n' >"$work/plain.regs"

verdict() { # the last lines of a check: stages without their times
    "$vidmm" check --stage paging "$@" "$driver" 2>&1 | sed 's/ *[0-9]* ms//'
}

[ "$(verdict)" = "$(verdict --device "regs:$work/plain.regs")" ] ||
    fail "a described device of plain memory changes no verdict"

"$vidmm" run --quiet --vram 50% --frames 20 --driver "$driver" --device "regs:$work/plain.regs" \
    --device-log "$work/log" vkcube ||
    fail "a run with a described device is verified"

refused() { # CODE TEXT OPTION...
    local code=$1 text=$2
    shift 2
    "$vidmm" inspect "$@" >"$work/out" 2>&1
    [ $? -eq "$code" ] && grep -qF -- "$text" "$work/out" && [ "$(wc -l <"$work/out")" -eq 1 ]
}

refused 2 "a device is named qemu:NAME" --driver "$driver" --device VGA ||
    fail "a device of no kind is refused"
refused 2 "goes with a driver" --device "regs:$work/plain.regs" ||
    fail "a device without a driver is refused"
refused 2 "one kind of hardware" --driver "$driver" --device "regs:$work/plain.regs" --hardware x.so ||
    fail "two kinds of hardware are refused"
refused 2 "cannot write" --driver "$driver" --device-log "$work/no/such" ||
    fail "a log that cannot be written is refused"
echo 'bar 9 registers 4K' >"$work/wrong.regs"
refused 2 "wrong.regs:1: '9' is no number from 0 to 0x5" --driver "$driver" --device "regs:$work/wrong.regs" ||
    fail "a wrong description is refused with its line"
VIDMM_QEMU=/no/such/qemu refused 3 "install QEMU" --driver "$driver" --device qemu:VGA ||
    fail "a QEMU that is not there is named"

if command -v qemu-system-x86_64 >/dev/null; then
    refused 3 "'no-such' is not a valid device model name" --driver "$driver" --device qemu:no-such ||
        fail "a device that QEMU has not is refused in its words"
fi
finish
