#!/usr/bin/env bash
# A policy of eviction from a shared object decides which allocation leaves, whether it was built with
# vidmm or by its author's compiler against the one header; a bad one is refused with one sentence.
#
#   policy_test.sh VIDMM SOURCE_ROOT EXAMPLE COMPILER...
set -u
vidmm=$(realpath "$1") root=$2 example=$(realpath "$3")
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

member() { # REPORT NAME
    python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"
}

replay() { # REPORT POLICY...
    local report=$work/$1
    shift
    "$vidmm" run --quiet --vram 50% --frames 30 --json "$report" "$@" training-step >/dev/null ||
        fail "a run with $* did not verify"
}

replay default.json
replay lru.json --policy lru
replay example.json --policy "$example"
[ "$(member "$work/default.json" policy)" = adaptive ] || fail "the default is not the first that --help lists"
[ "$(member "$work/lru.json" policy)" = lru ] || fail "the report does not name the policy lru"
[ "$(member "$work/example.json" policy)" = interval ] || fail "the report does not name the example"
[ "$(member "$work/example.json" calls_hash)" != "$(member "$work/lru.json" calls_hash)" ] ||
    fail "the example decides as lru does"

# Its author has the header that is installed, and nothing else of vidmm.
mkdir -p "$work/include/vidmm"
cp "$root/include/vidmm/policy.h" "$work/include/vidmm/"
"$@" -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "$work/include" -o "$work/mine.so" "$root/policies/interval.c" ||
    fail "the example does not compile against policy.h alone"
(cd "$work" && replay mine.json --policy ./mine.so)
[ "$(member "$work/mine.json" calls_hash)" = "$(member "$work/example.json" calls_hash)" ] ||
    fail "the same policy from another compiler run decides otherwise"

refused() { # WORDS POLICY
    local said status
    said=$("$vidmm" run --quiet --policy "$2" training-step 2>&1 >/dev/null)
    status=$?
    [ "$status" -ne 0 ] || fail "--policy $2 was taken"
    [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] || fail "--policy $2: not one line: $said"
    case $said in *"$1"*) ;; *) fail "--policy $2 does not say '$1': $said" ;; esac
}

echo 'int other;' | "$@" -shared -fPIC -x c -o "$work/other.so" -
sed 's/VIDMM_POLICY_VERSION,/VIDMM_POLICY_VERSION + 1,/' "$root/policies/interval.c" |
    "$@" -shared -fPIC -I "$root/include" -x c -o "$work/newer.so" -
echo 'no shared object' >"$work/text.so"
refused "is not one of adaptive lru" nonsense
refused "there is no such file" "$work/missing.so"
refused "cannot be loaded" "$work/text.so"
refused "exports no vidmm_policy" "$work/other.so"
refused "another version" "$work/newer.so"
refused "cannot be loaded" "$work"

[ "$failures" -eq 0 ]
