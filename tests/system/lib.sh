# shellcheck shell=bash
# lib.sh - what the end-to-end scripts share. Source it; $vidmm is the program under test.

# A top-level member of a report, without quotes and comma.
member() { # FILE NAME
    sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" "$1"
}

# The operation that the first mismatch is blamed on.
blamed() { # FILE
    sed -n 's/^    "operation": "\{0,1\}\([^",]*\).*/\1/p' "$1"
}

# Counts a comparison; an empty WANTED is a failure, too.
passed=0
failed=0
expect() { # WHAT WANTED GOT
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: wanted\n%s\ngot\n%s\n' "$1" "$2" "$3" | head -n 40
    fi
}

failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

finish() {
    [ "$failures" -eq 0 ] || {
        echo "$failures failed"
        exit 1
    }
    exit 0
}

# Plays one run and holds the report against what every run must satisfy. Leaves it in $report.
verify() { # [OPTION...] WORKLOAD
    local output code
    output=$("$vidmm" run --quiet --json "$report" "$@" 2>&1)
    code=$?
    if [ "$code" -ne 0 ]; then
        fail "vidmm run $*: exit code $code: $output"
        return 1
    fi
    [ "$(member "$report" mismatched_bytes)" = 0 ] || fail "vidmm run $*: wrong bytes"
    [ "$(member "$report" verified_bytes)" -gt 0 ] || fail "vidmm run $*: nothing was verified"
}
