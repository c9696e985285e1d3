#!/usr/bin/env bash
# Either process of a migration is killed at seeded instants: never do two owners run, and the guest
# ends verified wherever a process that has it is left.
#
#   migrate_kill_test.sh VIDMM TIMES SEED
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 times=$2 seed=$3
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
report=$work/run.json
export XDG_RUNTIME_DIR=$work
workload=vkcube
run=(--frames 90 --vram 60% --seed 3)
RANDOM=$seed
declare -A seen

begin() { # starts both; $sender, $receiver
    rm -f "$work"/*.json "$work/journal" "$work/link"
    "$vidmm" migrate recv --from "unix:$work/link" --quiet --json "$work/recv.json" --journal "$work/journal" \
        --control "$work/target" "${run[@]}" "$workload" 2>"$work/recv.txt" &
    receiver=$!
    "$vidmm" migrate send --to "unix:$work/link" --quiet --json "$work/send.json" --journal "$work/journal" \
        --control "$work/source" --at 30% "${run[@]}" "$workload" 2>"$work/send.txt" &
    sender=$!
}

# Whether SIDE did DEED, by the journal.
did() { # SIDE DEED
    [ -e "$work/journal" ] && awk -v side="$1" -v deed="$2" '$3 == side && $4 == deed { found = 1 } END { exit !found }' "$work/journal"
}

# A source that gave the guest away runs it again only if the target never had it; a target has it once.
one_owner() {
    awk '$3 == "source" && $4 == "commit" { given = 1 }
         $3 == "source" && $4 == "run" { runs = given }
         $3 == "target" && $4 == "own" { owns++ }
         END { exit (owns > 1) || (owns && runs) }' "$work/journal"
}

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

verified() { # FILE: the guest ended here
    [ "$(member "$1" calls_hash)" = "$hash" ] || fail "$what: the guest that is left did not end as it should"
}

source_left() {
    settle "$sender" source
    if did target own; then # the target had it, and took it along
        [ "$code" = 0 ] || fail "$what: send ended with $code"
        return
    fi
    [ "$code" = 4 ] || fail "$what: send ended with $code: $(cat "$work/send.txt")"
    [ -s "$work/send.txt" ] || fail "$what: send said nothing"
    verified "$work/send.json"
}

target_left() {
    settle "$receiver" target
    case $code in
    0) verified "$work/recv.json" ;;
    4) [ -s "$work/recv.txt" ] || fail "$what: recv said nothing" ;;
    *) fail "$what: recv ended with $code: $(cat "$work/recv.txt")" ;;
    esac
}

verify --ddi wddm3.2 --model gpummu --set DirtyPageBytes=4096 "${run[@]}" "$workload" || finish
hash=$(member "$report" calls_hash)
started=$(date +%s%N)
begin
wait "$sender" "$receiver"
whole=$((($(date +%s%N) - started) / 1000000))
for ((n = 0; n < times; n++)); do
    delay=$((RANDOM * (whole + whole / 10) / 32768))
    begin
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
    [ ! -e "$work/journal" ] || one_owner || fail "$what: two owners: $(cat "$work/journal")"
    seen[$code]=$((${seen[$code]:-0} + 1))
done
echo "$times kills within $whole ms; who was left ended with:$(for k in "${!seen[@]}"; do printf ' %s (%s times)' "$k" "${seen[$k]}"; done)"
finish
