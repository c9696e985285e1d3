#!/usr/bin/env bash
# Either process of a migration is killed at seeded instants: never do two owners run, and the guest
# ends verified wherever a process that has it is left.
#
#   migrate_kill_test.sh VIDMM TIMES SEED
set -u
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/migrate_lib.sh"
vidmm=$1 times=$2 seed=$3
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
RANDOM=$seed
declare -A seen

# What a person says who has looked: the target's journal tells whether the guest was ever its own.
verdict() { # CONTROL
    if [ "$1" = source ] && did target own; then echo --drop; else echo --take; fi
}

# Waits for PID while it may end by itself; in doubt it is told what to do.
settle() { # PID CONTROL
    local i stands
    for ((i = 0; i < 200; i++)); do
        kill -0 "$1" 2>/dev/null || break
        stands=$("$vidmm" migrate resolve "$work/$2" 2>/dev/null)
        case $stands in
        'in doubt'*)
            seen[doubt]=$((${seen[doubt]:-0} + 1))
            "$vidmm" migrate resolve "$(verdict "$2")" "$work/$2" >/dev/null
            ;;
        *'not begun'*) # no source ever came, and one may still
            if [ "$2" = target ] && [ "$i" -gt 20 ]; then
                echo "nobody came" >"$work/recv.txt"
                kill "$1"
                wait "$1" 2>/dev/null
                code=4
                return
            fi
            ;;
        esac
        sleep 0.05
    done
    if kill -0 "$1" 2>/dev/null; then
        fail "$what: the process that is left does not end: $stands"
        kill -9 "$1"
    fi
    wait "$1"
    code=$?
}

source_left() {
    settle "$sender" source
    if did target own; then # the target had it, and took it along
        [ "$code" = 0 ] || fail "$what: send ended with $code"
        return
    fi
    explained "$code" send
    verified "$work/send.json"
}

target_left() {
    settle "$receiver" target
    if [ "$code" = 0 ]; then
        verified "$work/recv.json"
    else
        explained "$code" recv
    fi
}

stay
started=$(date +%s%N)
begin "$work/link" "$work/link"
wait "$sender" "$receiver"
whole=$((($(date +%s%N) - started) / 1000000))
for ((n = 0; n < times; n++)); do
    delay=$((RANDOM * (whole + whole / 10) / 32768))
    begin "$work/link" "$work/link"
    if [ $((n % 4)) -lt 2 ]; then
        sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
    else # around the commit
        for ((k = 0; k < 200; k++)); do
            did source pause && break
            sleep 0.005
        done
        sleep "0.0$((RANDOM % 30 / 10))$((RANDOM % 10))"
        delay=pause
    fi
    if [ $((n % 2)) = 0 ]; then
        what="source killed after $delay ms"
        kill -9 "$sender" 2>/dev/null
        wait "$sender" 2>/dev/null
        target_left
    else
        what="target killed after $delay ms"
        kill -9 "$receiver" 2>/dev/null
        wait "$receiver" 2>/dev/null
        source_left
    fi
    one_owner
    seen[$code]=$((${seen[$code]:-0} + 1))
done
echo "$times kills within $whole ms; who was left ended with:$(for k in "${!seen[@]}"; do printf ' %s (%s times)' "$k" "${seen[$k]}"; done)"
finish
