#!/bin/sh
# SPDX-License-Identifier: MIT
# A driver with a table of the newest interface and an older DRIVERCAPS.WDDMVersion is spoken to in the older interface, and one
# sentence says so. The drivers bugcheck when they are asked anything newer. $1: vidmm; $2, $3: the drivers of WDDM 1.2 and 1.3.
vidmm=$1 of_1_2=$2 of_1_3=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

# What it shows, the exit code, the one expected, and a text that the report has.
expect() {
    if [ "$2" -eq "$3" ] && grep -qF -- "$4" "$work/report"; then
        echo "ok: $1"
    else
        echo "FAILED: $1: exit code $2, expected $3 and '$4'"
        cat "$work/report"
        failed=1
    fi
}

note='DRIVER_INITIALIZATION_DATA.Version is 0x11007 (wddm3.2), DRIVERCAPS.WDDMVersion 0x1300 (wddm1.3): vidmm speaks wddm1.3; build the driver with -DDXGKDDI_INTERFACE_VERSION=DXGKDDI_INTERFACE_VERSION_WDDM1_3'

"$vidmm" check "$of_1_3" > "$work/report"
expect "no call of the check is newer than WDDMVersion 1.3" $? 0 ', interface wddm1.3,'
expect "the check says which versions the driver states" 0 0 "$note"
expect "paging is examined" 0 0 '  paging        done'
"$vidmm" check "$of_1_2" > "$work/report"
expect "no call of the check is newer than WDDMVersion 1.2" $? 0 'vidmm speaks win8;'
"$vidmm" check --only R27 --format json "$of_1_2" > "$work/report"
expect "the JSON report has the sentence, too" $? 0 '"interface_note": "DRIVER_INITIALIZATION_DATA.Version is 0x11007'

"$vidmm" run --driver "$of_1_3" --vram 50% --frames 40 minetest > "$work/report"
expect "a run speaks the older interface" $? 0 'interface wddm1.3, segment query version 3'
expect "a run says so" 0 0 "$note"
"$vidmm" inspect --driver "$of_1_3" > "$work/report"
expect "inspect speaks the older interface" $? 0 '0x4002 wddm1.3'
expect "inspect says so" 0 0 "$note"

# --ddi chooses, up to what the table has: the driver does not know what it is asked then.
"$vidmm" inspect --driver "$of_1_3" --ddi wddm2.0 > "$work/report" 2>&1
expect "--ddi has the driver asked by another interface" $? 3 'KeBugCheckEx(0x119'
"$vidmm" run --driver "$of_1_3" --ddi win8 --vram 50% --frames 40 minetest > "$work/report"
expect "--ddi has it asked by an older one" $? 0 'vidmm speaks win8;'
exit $failed
