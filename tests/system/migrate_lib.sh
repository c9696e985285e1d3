# shellcheck shell=bash
# migrate_lib.sh - two processes of a migration that is disturbed, and who owns the guest then. Source
# it after lib.sh; $work is a directory, $run the options of the run, $what says what is going on.

workload=vkcube
run=(--frames 90 --vram 60% --seed 3)

# Starts both; $sender, $receiver.
begin() { # ADDRESS-TO-LISTEN ADDRESS-TO-CONNECT [OPTION of both...]
    local from=$1 to=$2
    shift 2
    rm -f "$work"/*.json "$work"/*.txt "$work/journal" "$from"
    "$vidmm" migrate recv --from "unix:$from" --quiet --json "$work/recv.json" --journal "$work/journal" \
        --control "$work/target" "$@" "${run[@]}" "$workload" 2>"$work/recv.txt" &
    receiver=$!
    "$vidmm" migrate send --to "unix:$to" --quiet --json "$work/send.json" --journal "$work/journal" \
        --control "$work/source" --at 30% "$@" "${run[@]}" "$workload" 2>"$work/send.txt" &
    sender=$!
}

# Plays the guest without a migration; $hash.
stay() {
    report=$work/run.json
    verify --ddi wddm3.2 --model gpummu --set DirtyPageBytes=4096 "${run[@]}" "$workload" || finish
    hash=$(member "$report" calls_hash)
}

# Whether SIDE did DEED, by the journal.
did() { # SIDE DEED
    [ -e "$work/journal" ] && awk -v side="$1" -v deed="$2" '$3 == side && $4 == deed { found = 1 } END { exit !found }' "$work/journal"
}

# A source that gave the guest away runs it again only if the target never had it; a target has it once.
one_owner() {
    [ ! -e "$work/journal" ] ||
        awk '$3 == "source" && $4 == "commit" { given = 1 }
             $3 == "source" && $4 == "run" { runs = given }
             $3 == "target" && $4 == "own" { owns++ }
             END { exit (owns > 1) || (owns && runs) }' "$work/journal" ||
        fail "$what: two owners: $(cat "$work/journal")"
}

verified() { # FILE: the guest ended here
    [ "$(member "$1" calls_hash)" = "$hash" ] || fail "$what: the guest that is left did not end as it should"
    [ "$(member "$1" mismatched_bytes)" = 0 ] || fail "$what: the guest that is left has wrong bytes"
}

# Exit code 4 and a sentence: it has no guest, or kept it, and said why.
explained() { # CODE SIDE
    [ "$1" = 4 ] || fail "$what: $2 ended with $1: $(cat "$work/$2.txt")"
    [ -s "$work/$2.txt" ] || fail "$what: $2 said nothing"
}
