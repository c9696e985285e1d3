#!/usr/bin/env bash
# What a gate does with findings: some do not count, and the exit code is that of the others.
#
#   gate_test.sh VIDMM SOURCE_ROOT COMPILER...
set -u
vidmm=$1 root=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# The reference driver that unmaps wrongly breaks R200: corruption, and nothing else.
wrong=(--stage paging --set FaultKind=7 --set FaultAt=2)

# check CODE PATTERN WORD...: exit code CODE and a standard output that fits PATTERN.
check() {
    local code=$1 pattern=$2 got
    shift 2
    "$vidmm" check "$@" > "$work/out" 2> "$work/err" < /dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -q -- "$pattern" "$work/out"; then
        echo "FAIL: vidmm check $*: exit code $got, wanted $code and $pattern:"
        head -n 30 "$work/out" "$work/err"
        failures=$((failures + 1))
    fi
}

check 1 '^  R200-' "${wrong[@]}"
identity=$(sed -n 's/^  \(R200-[0-9a-f]*\) .*/\1/p' "$work/out")
[ -n "$identity" ] || { echo "FAIL: no identity"; exit 1; }

check 0 "ignored $identity" "${wrong[@]}" --ignore R200
check 0 "ignored $identity" "${wrong[@]}" --ignore R1,200
check 0 "ignored $identity" "${wrong[@]}" --ignore R1 --ignore g
check 0 "ignored $identity" "${wrong[@]}" --ignore "K13,$identity"
check 1 "^  $identity" "${wrong[@]}" --ignore R201,K13,Z
check 1 "^  $identity" "${wrong[@]}" --ignore R200-000000

check 1 "^  $identity" "${wrong[@]}" --fail-on corruption
check 1 "^  $identity" "${wrong[@]}" --fail-on performance
check 0 "minor $identity" "${wrong[@]}" --fail-on lost
check 0 "minor $identity" "${wrong[@]}" --fail-on bugcheck

"$vidmm" check "${wrong[@]}" --format json --output "$work/old.json"
[ -s "$work/old.json" ] || { echo "FAIL: no report"; exit 1; }
check 0 "known $identity" "${wrong[@]}" --baseline "$work/old.json"
check 0 '^0 findings, 1 known' "${wrong[@]}" --baseline "$work/old.json"
check 0 '^passed' "${wrong[@]}" --baseline "$work/old.json"
"$vidmm" check --stage paging --format json --output "$work/clean.json"
check 1 "^  $identity" "${wrong[@]}" --baseline "$work/clean.json"

check 0 '^passed' "${wrong[@]}" --only R161
check 1 "^  $identity" "${wrong[@]}" --only R200
check 0 'not asked for' "${wrong[@]}" --only M

# Where nothing that was asked for was seen, nothing passes.
check 3 '^failed' --set VramBytes=1 --only E
check 0 '^passed' --only E --stage paging

# Advice alone (R55) is not wrong, in a run or in a check, and is told; a check fails for it where it is asked for.
sed '/PreservedDuringStandby = 1/d' "$root/drivers/common/skeleton.c" > "$work/skeleton.c"
"$@" -shared -fPIC -fno-strict-aliasing -I "$root/include/wddm" -I "$root/drivers/common" "$root/drivers/cpu-vram/driver.c" \
    "$work/skeleton.c" "$root"/drivers/common/{cpu_entry,cpu_pager,instant}.c -Wl,-Bsymbolic -o "$work/advice.so" || exit 1
check 0 '^  minor R55-' --stage paging "$work/advice.so"
check 0 '^passed' --stage paging "$work/advice.so"
check 0 '^[0-9]* rules judged: [0-9]* passed, 0 broken, 1 minor, [0-9]* not reached$' --stage paging "$work/advice.so"
check 1 '^[0-9]* rules judged: [0-9]* passed, 1 broken, [0-9]* not reached$' --stage paging --fail-on performance "$work/advice.so"
check 1 '^  R55-[0-9a-f]* performance: ' --stage paging --fail-on performance "$work/advice.so"
check 1 '^  R55-[0-9a-f]* performance: ' --stage paging --only R55 "$work/advice.so"
check 0 '^  minor R55-' --stage paging --fail-on corruption "$work/advice.so"
if ! "$vidmm" run --driver "$work/advice.so" --frames 2 --vram 25% --json "$work/run.json" vkcube > "$work/out" ||
    ! grep -q '^  advice  *1$' "$work/out" || ! grep -q '^verified' "$work/out" || ! grep -q '"advice": \[$' "$work/run.json"; then
    echo "FAIL: advice makes a run wrong, or is not told:"
    tail -n 12 "$work/out"
    failures=$((failures + 1))
fi
[ "$failures" -eq 0 ] || exit 1
