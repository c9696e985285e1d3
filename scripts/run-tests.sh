#!/bin/sh
# scripts/run-tests.sh DIR [meson test option...]: runs the tests of a build and closes with one
# line "N passed, N failed" over all of them. Exit code: meson's own. The suites that need more than a
# build does (Slurm, Chromium, pandas) run with VIDMM_TEST_ALL=1 alone, as `make test-all` sets it.
set -u
cd "$(dirname "$0")/.." || exit 2
dir=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

[ "${VIDMM_TEST_ALL:-0}" = 1 ] || set -- --no-suite slurm --no-suite research --no-suite workflows --no-suite browser "$@"

# Meson would fill what malloc gives with a number drawn for each run. A seed repeats a run only without that, and half of the page
# faults of an examination came of it; the allocator of AddressSanitizer fills blocks, too.
export MALLOC_PERTURB_="${MALLOC_PERTURB_:-0}"

# Sanitizers stop at their first finding; other builds ignore these.
export ASAN_OPTIONS="${ASAN_OPTIONS:-halt_on_error=1:detect_leaks=1:abort_on_error=0}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}"

# A python3 that is a script, as pyenv's, starts thirty programs before the interpreter, in each of two hundred calls: put what it
# starts before it.
python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null)
if [ -x "$python/python3" ] && ! [ "$python/python3" -ef "$(command -v python3)" ]; then
    export PATH="$python:$PATH"
fi

# Some tests mostly wait, for deadlines of what hangs: one more than there are processors runs beside them.
jobs=$(($(nproc) + 1))

no_rebuild=--no-rebuild
[ "${VIDMM_REBUILD:-0}" = 0 ] || no_rebuild=

# A pipe would lose meson's exit code in plain sh.
status_file=$(mktemp)
trap 'rm -f "$log" "$status_file"' EXIT
{
    # With VIDMM_REBUILD=1 what the chosen tests need is built first.
    # shellcheck disable=SC2086
    meson test -C "$dir" ${no_rebuild} --num-processes "$jobs" --print-errorlogs "$@"
    echo $? >"$status_file"
} 2>&1 | tee "$log"
status=$(cat "$status_file")

awk '
    /^Ok: / { ok = $2 }
    /^Expected Fail: / { ok += $3 }
    /^Fail: / { bad = $2 }
    /^Unexpected Pass: / { bad += $3 }
    /^Timeout: / { bad += $2 }
    END { printf "%d passed, %d failed\n", ok, bad }
' "$log"
exit "$status"
