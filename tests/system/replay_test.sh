#!/usr/bin/env bash
# vidmm check --replay: each finding of many kinds comes again in the process of the command; a debugger stops at it; what does not
# come is one sentence.
#
#   replay_test.sh VIDMM SOURCE_ROOT COMPILER...
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 root=$2
shift 2
command -v llvm-symbolizer > /dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export UBSAN_OPTIONS=halt_on_error=0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

for driver in broken ending; do
    "$@" -g -O1 -w -shared -fPIC -I"$root/include/wddm" -I"$root/drivers/common" "$root/tests/system/${driver}_driver.c" \
        "$root/drivers/cpu-vram/driver.c" "$root"/drivers/common/{skeleton,cpu_pager,instant}.c -Wl,-Bsymbolic \
        -o "$work/$driver.so" || exit 1
done

# OPTION...: replays each finding of a check with these options.
identities=()
replays() {
    "$vidmm" check "$@" --format json --output "$work/report" 2> /dev/null
    local code=$? identity
    for identity in $(sed -n 's/^ *"identity": "\([^"]*\)".*/\1/p' "$work/report"); do
        timeout 120 "$vidmm" check "$@" --replay "$identity" > "$work/out" 2> "$work/err"
        expect "exit code of $* --replay $identity" "$code" $?
        expect "$* --replay $identity" "vidmm: $identity again" "$(grep -o "^vidmm: $identity again" "$work/err")"
        identities+=("$identity")
    done
}

for kind in 1 2 3 4 7; do
    replays --stage paging --set FaultKind=$kind --set FaultAt=2
done
for breaks in 1 2 3 6 8 11 12; do
    replays --stage objects --set Break=$breaks "$work/broken.so"
done
"$vidmm" check --stage objects --set Break=8 "$work/broken.so" > "$work/out"
expect "a status by its name" "return value is STATUS_NOT_FOUND" "$(grep -o 'return value is STATUS_NOT_FOUND' "$work/out" | head -n 1)"
for breaks in 2 5 1; do
    replays --stage objects --set Break=$breaks "$work/ending.so"
done
of_exit=${identities[-1]}
replays --stage memory --set Break=4 "$work/ending.so"
# What does not end has a deadline only if one is asked for.
replays --stage objects --set Break=3 --timeout 1 "$work/ending.so"
kinds=$(printf '%s\n' "${identities[@]}" | sort -u | wc -l)
expect "at least 20 findings of different kinds" yes "$([ "$kinds" -ge 20 ] && echo yes || echo "$kinds")"

# The stage need not be named, and the record of the run is as whole as any other.
"$vidmm" check --set FaultKind=7 --set FaultAt=2 --replay R200-1d04dd --calls "$work/calls" > "$work/out" 2> "$work/err"
expect "the stage" "  paging        done" "$(grep -o '^  paging        done' "$work/out")"
expect "the end of the record" '"event":"end"' "$(tail -n 1 "$work/calls" | grep -o '"event":"end"')"
"$vidmm" check --set Break=1 --replay "$of_exit" --calls "$work/calls" "$work/ending.so" \
    > "$work/out" 2> "$work/err"
expect "the end of the record of an exit" 'finding end' \
    "$(tail -n 2 "$work/calls" | sed 's/{"event":"\([a-z]*\)".*/\1/' | paste -s -d ' ')"

# What does not come, and what is no identity.
"$vidmm" check --stage start --replay R200-1d04dd > "$work/out" 2> "$work/err"
expect "exit code without the finding" 2 $?
expect "no finding" "vidmm: no finding R200-1d04dd comes with these options" "$(cat "$work/err")"
"$vidmm" check --replay R200 > "$work/out" 2> "$work/err"
expect "exit code of no identity" 2 $?
expect "no identity" 1 "$(wc -l < "$work/err")"

# A debugger stops before the call and at the finding, without a break point, and at vidmm_finding.
if command -v gdb > /dev/null && [ "${GDB_WORKS:-}" != no ]; then
    gdb -q -batch -ex 'set debuginfod enabled off' -ex run -ex continue -ex bt --args \
        "$vidmm" check --set FaultKind=7 --set FaultAt=2 --replay R200-1d04dd > "$work/out" 2>&1
    if grep -q 'ptrace: Operation not permitted' "$work/out"; then
        echo "gdb may not trace here"
    else
        expect "stops of a debugger" 2 "$(grep -c 'received signal SIGTRAP' "$work/out")"
        expect "the place of the second" "vidmm_ledger_judge" "$(grep -o vidmm_ledger_judge "$work/out" | head -n 1)"
        gdb -q -batch -ex 'set debuginfod enabled off' -ex 'break vidmm_finding' -ex run -ex 'print finding->rule' --args \
            "$vidmm" check --stage paging --no-fork --set FaultKind=7 --set FaultAt=2 > "$work/out" 2>&1
        expect "the break point" '$1 = 200' "$(grep -F '$1 =' "$work/out")"
    fi
fi
echo "$passed comparisons, $kinds identities"
[ "$failed" -eq 0 ]
