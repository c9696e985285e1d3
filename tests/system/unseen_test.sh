#!/bin/sh
# What a check could not see, and what nobody read, is said. Drivers of each kind without a model of their hardware: only an
# aperture; memory behind a BAR; page tables that the CPU writes. $1: vidmm; then the drivers, and one with its hardware.
vidmm=$1 aperture=$2 memory=$3 tables=$4 ring=$5 hardware=$6
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

# What it shows, and a line that the report must have, or with ! must not.
expect() {
    case $2 in
    !*) ! grep -q "${2#!}" "$work/report" ;;
    *) grep -q "$2" "$work/report" ;;
    esac && echo "ok: $1" && return
    echo "FAILED: $1: '$2'"
    cat "$work/report"
    failed=1
}

view='were not observed: no view of'
"$vidmm" check "$aperture" > "$work/report" 2>&1 || failed=1
expect "transfers through an aperture alone show its maps" "!$view"
"$vidmm" check "$memory" > "$work/report" 2>&1 || failed=1
expect "transfers through the aperture show its maps" '!effects of MAP_APERTURE_SEGMENT'
expect "transfers to unmapped pages show what is behind an unmap" '!effects of UNMAP_APERTURE_SEGMENT'
expect "transfers and fills were seen" '!effects of [TF]'
"$vidmm" check "$tables" > "$work/report" 2>&1 || failed=1
expect "no map of an aperture that nothing goes through was seen" "^effects of MAP_APERTURE_SEGMENT (R194, R197) $view segment 2; --hardware"
expect "no unmap of it was seen" "^effects of UNMAP_APERTURE_SEGMENT (R200) $view segment 2;"
expect "no flush of a TLB was seen" "^effects of FLUSH_TLB (R230.*) $view the hardware's page tables;"
"$vidmm" check --hardware "$hardware" "$ring" > "$work/report" 2>&1 || failed=1
expect "hardware shows everything" "!$view"

"$vidmm" check --stage start --set VramBytes=64M --set Foo=1 --set Bar=2 "$memory" > "$work/report" 2>&1 || failed=1
expect "settings that nobody read are told in one line" '^vidmm: --set Foo, Bar were never read by the driver$'
"$vidmm" check --stage start --set VramBytes=64M "$memory" > "$work/report" 2>&1 || failed=1
expect "those that were read are not" '!never read'
"$vidmm" run --frames 2 --driver "$memory" --set Foo=1 vkcube > "$work/report" 2>&1 || failed=1
expect "a run tells it, too" '^vidmm: --set Foo was never read by the driver$'
"$vidmm" inspect --driver "$memory" --set Foo=1 > "$work/report" 2>&1 || failed=1
expect "inspect tells it, too" '^vidmm: --set Foo was never read by the driver$'
"$vidmm" check --stage start --set Foo=1 --format json "$memory" > "$work/report" 2>/dev/null || failed=1
expect "it stands in the JSON of check" '^    "Foo"$'
"$vidmm" inspect --driver "$memory" --set Foo=1 --json - > "$work/report" 2>/dev/null || failed=1
expect "it stands in the JSON of inspect" '"settings_unread": \[$'
exit $failed
