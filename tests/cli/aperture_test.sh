#!/usr/bin/env bash
# A driver whose only segment is an aperture, without a model of its hardware: what it maps shows in the pages that it moves bytes
# into, and where it moves none the report says that nothing was seen.
#
#   aperture_test.sh VIDMM SOURCE_ROOT COMPILER...
set -u
vidmm=$1 root=$2
shift 2
compiler=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

compile() { "${compiler[@]}" -w -fPIC -fno-strict-aliasing -I "$root/include/wddm" -I "$root/drivers/common" "$@" || exit 1; }
for source in aperture-only/driver common/cpu_entry common/skeleton common/cpu_pager common/instant; do
    compile -c "$root/drivers/$source.c" -o "$work/${source#*/}.o"
done

# check CODE PATTERN WHAT OLD NEW [FILE]: the report on the example whose line OLD is NEW, in FILE or cpu_pager, has PATTERN; a finding that fits is the first.
check() {
    local code=$1 pattern=$2 what=$3 file=${6:-cpu_pager} got
    sed "s|$4|$5|" "$root/drivers/common/$file.c" > "$work/$file.c"
    cmp -s "$root/drivers/common/$file.c" "$work/$file.c" && echo "FAIL: $what: no such line" && failures=$((failures + 1))
    mv "$work/$file.o" "$work/$file.right"
    compile -shared "$work/$file.c" "$work"/*.o -Wl,-Bsymbolic -o "$work/driver.so"
    mv "$work/$file.right" "$work/$file.o"
    "$vidmm" check --stage operations,preempt "$work/driver.so" > "$work/out" 2>&1 < /dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep '^  [RK][0-9]*-\|^effects' "$work/out" | head -n 1 | grep -q -- "$pattern"; then
        echo "FAIL: $what: exit code $got, wanted $code and $pattern:"
        cat "$work/out"
        failures=$((failures + 1))
    fi
}

check 1 '^  R194-' 'maps one page less' 'args->MapApertureSegment.NumberOfPages \* sizeof' '(args->MapApertureSegment.NumberOfPages - 1) * sizeof'
check 1 '^  R194-' 'takes the pages of a list for one run' 'RtlCopyMemory(&pager->table\[args->MapApertureSegment.OffsetInPages\], pages,' \
    'for (SIZE_T i = 0; i < args->MapApertureSegment.NumberOfPages; i++) pager->table[args->MapApertureSegment.OffsetInPages + i] = pages[0] + i; (void)('
check 1 '^  R200-' 'leaves pages mapped' '        unmap(pager, args);' '        (void)unmap;'
check 1 '^  R197-' 'unmaps one page more' 'i < args->UnmapApertureSegment.NumberOfPages; i++' 'i <= args->UnmapApertureSegment.NumberOfPages; i++'
check 1 '^  R281-' 'names the preemption as the fence that was completed last' 'LastCompletedFenceId = .*;' \
    'LastCompletedFenceId = notice->data.DmaPreempted.PreemptionFenceId;' instant
check 0 '^effects of MAP_APERTURE_SEGMENT (R194, R197) were not observed' 'moves nothing' '        transfer(pager, args);' '        (void)transfer;'
exit $((failures != 0))
