#!/usr/bin/env bash
# tests/unusual/repeat.sh BUILD_DIR [TIMES [BUSY]]: examines every correct driver of unusual shape TIMES
# times (5), each time with another seed, and then as often beside BUSY (8) loops that never rest: no
# verdict may depend on how fast the machine is. Exit code: 1 when one of them was accused.
set -u
build=$1
times=${2:-5}
busy=${3:-8}
pids=()

# Only what this script started.
quiet() {
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
    pids=()
}
trap quiet EXIT
trap 'exit 1' INT TERM

failed=0
examine() {
    local group
    for group in shapes examples settings; do
        UNUSUAL_TIMES=$times "$build/tests/unusual/unusual" "$group" || failed=1
    done
}

echo "=== $times times"
examine
echo "=== $times times beside $busy busy loops"
for ((i = 0; i < busy; i++)); do
    (while :; do :; done) &
    pids+=($!)
done
examine
exit "$failed"
