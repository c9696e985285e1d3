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

# What is asked of a driver by --set, then a part of the sentence by which it is refused, with exit code 2.
refused() {
    what=$1 sentence=$2
    shift 2
    "$vidmm" "$@" > "$work/report" 2>&1
    [ $? -eq 2 ] || { echo "FAILED: $what: no exit code 2" && failed=1; }
    [ "$(wc -l < "$work/report")" -eq 1 ] || { echo "FAILED: $what: more than one sentence" && failed=1; }
    expect "$what" "^vidmm: --set $sentence"
}

"$vidmm" check --stage start --set VramBytes=64M "$memory" > "$work/report" 2>&1 || failed=1
expect "a setting that the driver asks for is taken" '!vidmm: --set'
asked='the driver asked for no such setting by the end of its start'
refused "a check refuses a setting that nobody asked for" "Foo: $asked; see" check --set VramBytes=64M --set Foo=1 "$memory"
refused "the nearest name is told" "VramByte: $asked; it asked for VramBytes" check --stage paging --set VramByte=64M "$memory"
refused "a run refuses it, too" "VramByte: $asked; it asked for VramBytes$" run --driver "$memory" --set VramByte=1 vkcube
refused "so does inspect" "VramByte: $asked; it asked for VramBytes$" inspect --driver "$memory" --set VramByte=1
refused "so does a migration" "VramByte: $asked; it asked for VramBytes" \
    migrate recv --from "unix:$work/in" --driver "$tables" --set VramByte=1 vkcube
refused "and a driver in this process" "Foo: $asked" run --no-fork --driver "$memory" --set Foo=1 vkcube
printf '[Version]\nSignature="$Windows NT$"\n[Manufacturer]\n%%M%%=S,NTamd64\n[S.NTamd64]\n"G"=I,PCI\\VEN_1\n[I]\nAddReg=A\n[A]\nHKR,,Foo,0x10001,1\n[Strings]\nM="m"\n' > "$work/driver.inf"
"$vidmm" inspect --driver "$memory" --inf "$work/driver.inf" --json - > "$work/report" 2>&1 || failed=1
expect "settings of an INF file stand in the JSON of inspect" '"settings_unread": \[$'
"$vidmm" check --stage start --inf "$work/driver.inf" --format json "$memory" > "$work/report" 2>/dev/null || failed=1
expect "they stand in the JSON of check" '^    "Foo"$'
exit $failed
