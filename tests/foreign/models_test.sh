#!/bin/sh
# SPDX-License-Identifier: MIT
# The models of a virtio GPU and of a standard VGA display work with drivers of ours: each driver passes `vidmm check` on its
# model, and refuses to start on the other one. $1: vidmm; then hardware and driver of each device: virtio GPU, standard VGA.
vidmm=$1 virtio_hardware=$2 virtio_driver=$3 vga_hardware=$4 vga_driver=$5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

# What it shows, the exit code, the one expected, and a line that the report has.
expect() {
    if [ "$2" -eq "$3" ] && grep -q "$4" "$work/report"; then
        echo "ok: $1"
    else
        echo "FAILED: $1: exit code $2, expected $3 and a line '$4'"
        cat "$work/report"
        failed=1
    fi
}

"$vidmm" check --hardware "$virtio_hardware" "$virtio_driver" > "$work/report"
expect "the virtio GPU answers its driver" $? 0 '^  start  *done'
expect "its aperture is paged" 0 0 '^  paging  *done'
"$vidmm" check --hardware "$vga_hardware" "$virtio_driver" > "$work/report"
expect "the driver of the virtio GPU refuses another device" $? 3 'DxgkDdiStartDevice failed'

"$vidmm" check --hardware "$vga_hardware" "$vga_driver" > "$work/report"
expect "the standard VGA display answers its driver" $? 0 '^  start  *done'
expect "it has a picture and no memory to manage" 0 0 'the driver only displays'
"$vidmm" check --hardware "$virtio_hardware" "$vga_driver" > "$work/report"
expect "the driver of the standard VGA display refuses another device" $? 3 'DxgkDdiStartDevice failed'
"$vidmm" inspect --hardware "$vga_hardware" --driver "$vga_driver" > "$work/report" 2>&1
expect "a driver without memory is told apart from one that fails" $? 3 'the driver only displays'

# The devices themselves.
if command -v qemu-system-x86_64 > /dev/null; then
    "$vidmm" check --device qemu:virtio-gpu-pci "$virtio_driver" > "$work/report"
    expect "QEMU's virtio GPU answers the driver" $? 0 '^  paging  *done'
    "$vidmm" check --device qemu:VGA "$vga_driver" > "$work/report"
    expect "QEMU's standard VGA display answers the driver" $? 0 'the driver only displays'
    "$vidmm" check --device qemu:VGA "$virtio_driver" > "$work/report"
    expect "the driver of the virtio GPU refuses QEMU's VGA" $? 3 'DxgkDdiStartDevice failed'
fi
exit $failed
