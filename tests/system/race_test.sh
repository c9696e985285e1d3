#!/bin/bash
# race_test.sh VIDMM ROOT CC... - a queue that a submission and a DPC, a system thread or a work item share, and a list and a table
# that two processes change: where the driver protects them the check is clean; each mistake is one finding, at its line.
set -u
vidmm=$1 root=$2
shift 2
source "$root/tests/system/lib.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

source=$root/tests/system/racing_driver.c
"$@" -g -O1 -w -shared -fPIC -I"$root/include/wddm" -I"$root/drivers/common" "$source" "$root/drivers/cpu-vram/driver.c" \
    "$root"/drivers/common/{skeleton,cpu_pager,instant}.c -Wl,-Bsymbolic -o "$work/racing.so" || exit 1

# Whether the line is the one with the mark, or near it: a place is that of the next instruction, and a compiler moves some.
near() { # LINE MARK
    local at
    at=$(grep -n "/\* $2 \*/" "$source" | cut -d : -f 1)
    [ -n "$1" ] && [ "$1" -ge $((at - 2)) ] && [ "$1" -le $((at + 2)) ] && echo yes
}

for right in 0 7 10; do
    "$vidmm" check --stage interrupts,preempt,objects --set "Race=$right" "$work/racing.so" > "$work/out"
    expect "exit code of a right one, $right" 0 $?
    expect "findings of a right one, $right" passed "$(tail -n 1 "$work/out")"
done
for mistake in 1:taken:K30 2:busy:K30 3:dpc:K30 4:preempt:K30 5:list:K17 6:slot:K30 8:taken:K30 9:taken:K30 11:taken:K30; do
    IFS=: read -r race mark rule <<< "$mistake"
    "$vidmm" check --stage interrupts,objects --set "Race=$race" "$work/racing.so" > "$work/out"
    expect "exit code of $race, $mark" 1 $?
    expect "the first finding of $race, $mark" "$rule" "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
    expect "findings of $race, $mark" "1 finding" "$(grep -E '^[0-9]+ findings?$' "$work/out")"
    expect "the line of $race, $mark" yes "$(near "$(sed -n 's/.*at: .*racing_driver.c:\([0-9]*\).*/\1/p' "$work/out" | head -n 1)" "$mark")"
done
[ "$failed" -eq 0 ]
