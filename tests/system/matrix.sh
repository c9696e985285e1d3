#!/usr/bin/env bash
# Every recording and generator at 25, 50, 75 and 150 % of its peak, on segment query versions 1, 3
# and 4, and with GPU virtual addresses: all bytes right, each run in under two minutes. Prints a
# table and "N passed, N failed".
#
#   tests/system/matrix.sh [--quick] [--gpummu] [VIDMM]
#
# --quick: 25 % only, a hundred frames. --gpummu: every shape of page tables instead: 2 to 5 levels,
# all page sizes, all ways to update them, a hundred frames.
set -u
. "$(dirname "$0")/lib.sh"
shares="25 50 75 150"
kinds="win7 wddm1.3 wddm2.0 mmu-4-0-2"
frames=0
while [[ ${1:-} == --* ]]; do
    frames=100
    case $1 in
    --quick) shares=25 ;;
    --gpummu)
        kinds=
        for levels in 2 3 4 5; do
            for pages in 0 1 2; do
                for mode in 0 1 2; do
                    kinds="$kinds mmu-$levels-$pages-$mode"
                done
            done
        done
        ;;
    *)
        echo "matrix: what is $1?" >&2
        exit 2
        ;;
    esac
    shift
done
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$(realpath "${1:-$root/build/vidmm}")
[ -x "$vidmm" ] || {
    echo "matrix: $vidmm is not built" >&2
    exit 2
}
export VIDMM_WORKLOADS=${VIDMM_WORKLOADS:-$root/workloads}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An interface version, or mmu-LEVELS-PAGES-MODE, as options in `options`.
options_of() { # KIND
    local levels pages mode
    options=(--ddi "$1" --model physical)
    [[ $1 == mmu-* ]] || return 0
    IFS=- read -r _ levels pages mode <<<"$1"
    options=(--model gpummu --set MmuLevels="$levels" --set MmuPages="$pages" --set MmuUpdateMode="$mode")
}

# The GPU memory: with large page tables in it, never so little that there is no room for anything else.
vram_of() { # SHARE KIND WORKLOAD
    [[ $2 == mmu-2-* && $3 == vkcube ]] && echo 16M || echo "$1%"
}

# One cell: a line of the table on standard output, with FAILED in it when it did.
cell() { # WORKLOAD SHARE KIND
    local report=$work/$1-$2-$3.json text code begin hundredths options
    options_of "$3"
    begin=$(date +%s%N)
    text=$(timeout 120 "$vidmm" run --quiet --vram "$(vram_of "$2" "$3" "$1")" "${options[@]}" --frames "$frames" \
        --json "$report" "$1" 2>&1)
    code=$?
    hundredths=$((($(date +%s%N) - begin) / 10000000))
    if [ "$code" -ne 0 ] || [ "$(member "$report" mismatched_bytes)" != 0 ]; then
        printf '%-18s %4s%% %-9s FAILED, exit code %s: %s\n' "$1" "$2" "$3" "$code" "$text"
        return
    fi
    printf '%-18s %4s%% %-9s %7d.%02d %9d %9d %9d %8d  %s\n' "$1" "$2" "$3" $((hundredths / 100)) $((hundredths % 100)) \
        $(($(member "$report" verified_bytes) >> 20)) $(($(member "$report" paged_in_bytes) >> 20)) \
        $(($(member "$report" paged_out_bytes) >> 20)) "$(member "$report" refused_submissions)" \
        "$(member "$report" calls_hash)"
}

export -f cell member options_of vram_of
export vidmm frames work

# Runs are independent: as many at once as there are processors, each with one line when it is done.
printf '%-18s %5s %-9s %10s %9s %9s %9s %8s  %s\n' workload vram kind seconds 'ver. MiB' 'in MiB' 'out MiB' refused calls
for workload in $("$vidmm" workloads | awk '/^  / { print $1 }'); do
    for share in $shares; do
        for kind in $kinds; do
            echo "$workload $share $kind"
        done
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'cell "$@"' cell | tee "$work/table"

failures=$(grep -c FAILED "$work/table")
passed=$(($(wc -l <"$work/table") - failures))
echo "$passed passed, $failures failed"
[ "$failures" -eq 0 ] && [ "$passed" -gt 0 ]
