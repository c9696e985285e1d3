#!/usr/bin/env bash
# Every recording and generator with large pages and without, with an AGP segment and without, on one
# physical adapter and on two, at 25 and 150 % of its peak: all bytes right, judged, no rule broken.
# Prints a line a run and "N passed, N failed".
#
#   tests/system/contract_matrix.sh [OPTION...] [VIDMM]
#
#   --quick        short runs, and of all cells a sample that has each pair of values
#   --seed N       which sample
#   --frames N     frames of a run; 0: all of them
#   -j N           runs at once; else as many as there are processors
#   --only REGEX   cells whose line, "WORKLOAD KIND ADAPTERS SHARE", matches
#   --list         print the cells and do not run them
#
# Kinds: `small` and `large`, GPU virtual addresses without and with large pages; `plain` and `agp`,
# WDDM 1.1 without and with an AGP segment. No driver has both: large pages came with WDDM 2.1, and
# AGP segments went with WDDM 1.3. The reference driver links devices from WDDM 2.0 on.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
quick= only=. list= frames= seed=1
jobs=$(nproc)

usage() {
    echo "contract_matrix: $1" >&2
    exit 2
}

while [[ ${1:-} == -* ]]; do
    case $1 in
    --quick) quick=1 ;;
    --list) list=1 ;;
    --seed | --frames | -j | --only)
        [ $# -gt 1 ] || usage "$1 wants a value"
        case $1 in
        --seed) seed=$2 ;;
        --frames) frames=$2 ;;
        -j) jobs=$2 ;;
        --only) only=$2 ;;
        esac
        shift
        ;;
    *) usage "what is $1?" ;;
    esac
    shift
done
vidmm=$(realpath "${1:-$root/build/vidmm}")
[ -x "$vidmm" ] || usage "$vidmm is not built"
frames=${frames:-${quick:+12}}
frames=${frames:-0}
export VIDMM_WORKLOADS=${VIDMM_WORKLOADS:-$root/workloads}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Two physical adapters, where this build can link them.
adapters=1
"$vidmm" run --help 2>&1 | grep -q -- '--linked' && adapters='1 2'

cells() {
    local workload kind linked share
    for workload in $("$vidmm" workloads | awk '/^  / { print $1 }'); do
        for kind in small large plain agp; do
            for linked in $adapters; do
                [[ $linked = 1 || $kind = small || $kind = large ]] || continue
                for share in 25 150; do
                    echo "$workload $kind $linked $share"
                done
            done
        done
    done
}

# In an order that the seed chooses, each cell that has a pair of values that none before it has.
sample() {
    awk -v seed="$seed" '{ seed = (seed * 16807 + 12345) % 2147483647; print seed "\t" $0 }' | sort -n | cut -f 2 |
        awk '{
            fresh = 0
            for (i = 1; i < NF; i++)
                for (j = i + 1; j <= NF; j++)
                    if (!((i, $i, j, $j) in seen)) {
                        seen[i, $i, j, $j] = 1
                        fresh = 1
                    }
            if (fresh) print
        }' | sort
}

options_of() { # KIND ADAPTERS
    case $1 in
    small) options=(--model gpummu --ddi wddm2.1) ;;
    large) options=(--model gpummu --ddi wddm2.1 --set MmuFeatures=15) ;;
    plain) options=(--model physical --ddi win7) ;;
    agp) options=(--model physical --ddi win7 --set Agp=1 --set AgpBytes=256M --set ApertureBytes=0) ;;
    esac
    [ "$2" = 1 ] || options+=(--linked "$2")
}

# One cell: a line, with FAILED and the command in it when it did.
cell() { # WORKLOAD KIND ADAPTERS SHARE
    local report=$work/$1-$2-$3-$4.json text code begin options
    options_of "$2" "$3"
    begin=$SECONDS
    text=$(timeout 900 "$vidmm" run --quiet --vram "$4%" "${options[@]}" --frames "$frames" --json "$report" "$1" 2>&1)
    code=$?
    if [ "$code" -ne 0 ] || [ "$(member "$report" mismatched_bytes)" != 0 ] || [ "$(member "$report" violations)" != '[]' ]; then
        printf '%-18s %-5s %s %4s%% FAILED, exit code %s: vidmm run --vram %s%% %s --frames %s %s: %s\n' "$1" "$2" "$3" "$4" \
            "$code" "$4" "${options[*]}" "$frames" "$1" "$text"
        return
    fi
    printf '%-18s %-5s %s %4s%% %5d s %9d %9d %9d  %s\n' "$1" "$2" "$3" "$4" $((SECONDS - begin)) \
        $(($(member "$report" verified_bytes) >> 20)) $(($(member "$report" paged_in_bytes) >> 20)) \
        $(($(member "$report" paged_out_bytes) >> 20)) "$(member "$report" calls_hash)"
    rm -f "$report"
}

if [ -n "$quick" ]; then
    cells | sample
else
    cells
fi | grep -E -- "$only" >"$work/cells"
if [ -n "$list" ]; then
    cat "$work/cells"
    exit
fi

export -f cell member options_of
export vidmm frames work
printf '%-18s %-5s %s %5s %7s %9s %9s %9s  %s\n' workload kind n vram seconds 'ver. MiB' 'in MiB' 'out MiB' calls
xargs -P "$jobs" -L 1 bash -c 'cell "$@"' cell <"$work/cells" | tee "$work/table"

failures=$(grep -c FAILED "$work/table")
passed=$(($(wc -l <"$work/table") - failures))
echo "$passed passed, $failures failed"
[ "$failures" -eq 0 ] && [ "$passed" -eq "$(wc -l <"$work/cells")" ]
