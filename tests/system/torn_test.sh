#!/bin/bash
# torn_test.sh VIDMM DRIVER HARDWARE - a driver that reads dirty bits and then makes them zero loses what the GPU writes
# between two instructions of it; one that does both in one step does not. So it is with an interrupt routine that reads
# which events there are and then acknowledges all, with one that acknowledges when it has read what is complete, and with a
# preemption that is noted behind the write that asks for it.
set -u
vidmm=$1 driver=$2 hardware=$3
source "$(dirname "$0")/lib.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

torn() { # VALUE
    "$vidmm" check --stage dirty --set InterfaceVersion=0x11007 --set DirtyPageBytes=4096 --set MmuLevels=3 --set "Torn=$1" \
        --hardware "$hardware" "$driver" > "$work/out"
}

torn 0
expect "exit code of the right one" 0 $?
expect "the stage of the right one" done "$(sed -n 's/^  dirty *\([a-z]*\) .*/\1/p' "$work/out")"
torn 1
expect "exit code of the other" 1 $?
expect "the first finding of the other" R323 "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
expect "findings of the other" "1 finding" "$(grep -E '^[0-9]+ findings?$' "$work/out")"

# An event of an engine that comes when the driver has looked for some, and acknowledges all, is lost.
synced() { # VALUE
    "$vidmm" check --stage display --set InterfaceVersion=0x11007 --set Displays=1 --set "Torn=$1" \
        --hardware "$hardware" "$driver" > "$work/out"
}

synced 0
expect "exit code of one that acknowledges what it read" 0 $?
expect "its stage" done "$(sed -n 's/^  display *\([a-z]*\) .*/\1/p' "$work/out")"
synced 2
expect "exit code of one that acknowledges all" 1 $?
expect "its first finding" K30 "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
expect "its findings" "1 finding" "$(grep -E '^[0-9]+ findings?$' "$work/out")"
synced 4
expect "exit code of one that flips at once" 1 $?
expect "its first finding" R624 "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
expect "its findings" "1 finding" "$(grep -E '^[0-9]+ findings?$' "$work/out")"

# So is one that comes behind the fence that the routine reads.
served() { # VALUE MMULEVELS
    "$vidmm" check --stage interrupts --set "MmuLevels=$2" --set "Torn=$1" --hardware "$hardware" "$driver" > "$work/out"
}

for levels in 0 4; do
    served 0 "$levels"
    expect "exit code of one that acknowledges before it reads, MmuLevels $levels" 0 $?
    served 3 "$levels"
    expect "exit code of one that acknowledges behind it, MmuLevels $levels" 1 $?
    expect "its first finding, MmuLevels $levels" K30 "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
    expect "the call it is in, MmuLevels $levels" DxgkDdiInterruptRoutine "$(sed -n 's/^      found: *\([A-Za-z]*\): work ended.*/\1/p' "$work/out")"
    served 5 "$levels"
    expect "exit code of one that notes a preemption too late, MmuLevels $levels" 1 $?
    expect "its first finding, MmuLevels $levels" K30 "$(sed -n 's/^  \([KR][0-9]*\)-.*/\1/p' "$work/out" | head -n 1)"
    expect "its findings, MmuLevels $levels" "1 finding" "$(grep -E '^[0-9]+ findings?$' "$work/out")"
done

# The pages do not say with whose handle an adapter of a link reports, and tells of it in its DPC.
"$vidmm" check --linked 2 --stage interrupts,engines,linked --set MmuLevels=4 --set Torn=6 --hardware "$hardware" "$driver" > "$work/out"
expect "exit code of linked adapters that report with the lead's handle" 0 $?
[ "$failed" -eq 0 ]
