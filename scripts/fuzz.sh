#!/bin/bash
# Every libFuzzer target for a while, all at once, under ASan and UBSan. A finding is printed with the file
# that holds it and how to see it again. What reaches something new stays in DIR/fuzz-corpus, from which the
# next campaign goes on; with FUZZ_SEED nothing is kept.
#
#   scripts/fuzz.sh [SECONDS] [DIR]    default: 60 seconds, build-fuzz
#   FUZZ_SEED=1 scripts/fuzz.sh        the same inputs again, as far as they follow from a seed
set -u
cd "$(dirname "$0")/.." || exit 2
seconds=${1:-60}
dir=${2:-build-fuzz}
if [ ! -f "$dir/build.ninja" ]; then
    # A gate takes as long to build as it runs.
    CC=clang meson setup "$dir" -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false ${FUZZ_SEED:+-Doptimization=1 -Dc_args=-g1} || exit 1
fi
ninja -C "$dir" fuzz-targets || exit 1
# Else UBSan prints what it finds, and the target goes on.
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
found=$dir/fuzz-findings
mkdir -p "$found"

# Options of a target in the form that OSS-Fuzz takes, fuzz/NAME.options.
options_of() {
    [ ! -f "fuzz/$1.options" ] || sed -n 's/^\([a-z_]*\) = \(.*\)$/-\1=\2/p' "fuzz/$1.options"
}

names=()
for source in fuzz/*.c; do
    name=$(basename "$source" .c)
    names+=("$name")
    kept=$dir/fuzz-corpus/$name
    [ -z "${FUZZ_SEED:-}" ] || kept=$found/$name.new
    mkdir -p "$kept"
    dictionary=
    [ ! -f "fuzz/$name.dict" ] || dictionary=-dict=fuzz/$name.dict
    # shellcheck disable=SC2046
    "$dir/fuzz/fuzz-$name" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=2048 $(options_of "$name") $dictionary \
        -artifact_prefix="$found/$name-" "$kept" "fuzz/corpus/$name" >"$found/$name.log" 2>&1 &
    pids[${#names[@]}]=$!
done

passed=0
failed=0
for i in "${!names[@]}"; do
    name=${names[$i]}
    if wait "${pids[$((i + 1))]}"; then
        echo "fuzz-$name: $(grep -E '^Done' "$found/$name.log"), $(grep -o 'cov: [0-9]*' "$found/$name.log" | tail -n 1), nothing found"
        passed=$((passed + 1))
    else
        tail -n 40 "$found/$name.log"
        echo "fuzz-$name: again with $dir/fuzz/fuzz-$name $found/$name-*"
        failed=$((failed + 1))
    fi
    rm -rf "$found/$name.new"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
