#!/usr/bin/env bash
# The link between the processes of a migration is cut, or a bit of the stream flipped, at seeded
# bytes: one side ends the guest verified and alone, and who does not says why.
#
#   migrate_harm_test.sh VIDMM PROXY TIMES SEED
set -u
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/migrate_lib.sh"
vidmm=$1 proxy=$2 times=$3 seed=$4
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
RANDOM=$seed
declare -A seen

# A migration with harm in between; $kept and $took are the exit codes. Nobody is killed: in doubt they
# find each other again.
disturbed() { # cut|flip target|source TYPE BYTE
    what="$1 byte $4 of type $3 to the $2"
    rm -f "$work/near" "$work/harm"
    "$proxy" "$work/near" "$work/far" "$@" >"$work/harm" &
    local standing=$!
    begin "$work/far" "$work/near"
    wait "$sender"
    kept=$?
    give_up_waiting
    wait "$receiver"
    took=$?
    [ "$took" != 143 ] || { took=4 && echo "nobody came" >"$work/recv.txt"; }
    kill "$standing"
    wait "$standing" 2>/dev/null
}

# A receiver that let no source in waits for one, for ever.
give_up_waiting() {
    local i
    for ((i = 0; kept == 4 && i < 100; i++)); do
        case $("$vidmm" migrate resolve "$work/target" 2>/dev/null) in
        *'not begun'*) [ "$i" -lt 10 ] || kill "$receiver" 2>/dev/null ;;
        *) kill -0 "$receiver" 2>/dev/null || return ;;
        esac
        sleep 0.05
    done
}

judge() {
    one_owner
    if did target own; then
        [ "$kept-$took" = 0-0 ] || fail "$what: moved, and they ended with $kept and $took"
        verified "$work/recv.json"
        seen[moved]=$((${seen[moved]:-0} + 1))
        did source doubt && seen[doubted]=$((${seen[doubted]:-0} + 1))
        return
    fi
    explained "$kept" send
    explained "$took" recv
    verified "$work/send.json"
    seen[stayed]=$((${seen[stayed]:-0} + 1))
}

stay
disturbed flip target 99 0 # there is no such frame
[ "$kept-$took" = 0-0 ] || fail "undisturbed, they ended with $kept and $took"
read -r _ to_target to_source < <(grep carried "$work/harm")
for ((n = 0; n < times; n++)); do
    harm=(cut flip)
    bytes=$((RANDOM * 32768 + RANDOM))
    case $((n % 6)) in # any byte; and where who owns the guest is said: READY, COMMIT, OWNER
    0 | 1) disturbed "${harm[n % 2]}" target 0 $((bytes % to_target)) ;;
    2) disturbed "${harm[n / 6 % 2]}" source 0 $((bytes % to_source)) ;;
    3) disturbed "${harm[n / 6 % 2]}" source 13 $((bytes % 32)) ;;
    4) disturbed "${harm[n / 6 % 2]}" target 14 $((bytes % 32)) ;;
    5) disturbed "${harm[n / 6 % 2]}" source 15 $((bytes % 32)) ;;
    esac
    judge
    grep -q byte "$work/harm" && seen[harmed]=$((${seen[harmed]:-0} + 1))
done
echo "$times of $to_target bytes there and $to_source back:$(for k in "${!seen[@]}"; do printf ' %s %s times' "$k" "${seen[$k]}"; done)"
finish
