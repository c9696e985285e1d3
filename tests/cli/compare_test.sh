#!/usr/bin/env bash
# scripts/compare-builds.sh calls two builds equal when they say the same, and finds each kind of
# difference. The builds are of scripts that print canned reports.
#
#   compare_test.sh SOURCE_ROOT
set -u
compare=$1/scripts/compare-builds.sh
failures=0
houses=$(mktemp -d)
trap 'rm -rf "$houses"' EXIT
old=$houses/old
new=$houses/new

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# A build directory whose vidmm writes run.json or check.json beside it to the file asked for, and
# exits with the code in run.code or check.code. With a driver NAME.so it says what is in NAME.so.json,
# where there is that.
fake_build() { # DIRECTORY
    mkdir -p "$1/drivers" "$1/tests/zoo"
    touch "$1/drivers/plain.so" "$1/drivers/ring.so" "$1/drivers/ring-hardware.so"
    cat >"$1/vidmm" <<'VIDMM'
#!/bin/bash
here=${0%/*}
kind=$1
if [ "$kind" = workloads ]; then
    printf 'recordings:\n  openarena-tour\n\ngenerators:\n  offers   words about it\n'
    exit
fi
said=$here/$kind.json
driver=
while [ $# -gt 0 ]; do
    case $1 in
    --json | --output) report=$2 ;;
    --driver)
        driver=$2
        [ ! -f "$2.json" ] || said=$2.json
        ;;
    esac
    shift
done
words=$(<"$said")
echo "${words/DRIVER/"$driver"}" >"$report"
exit "$(<"$here/$kind.code")"
VIDMM
    cat >"$1/tests/zoo/zoo-test" <<'ZOO'
#!/bin/bash
cat "${0%/*}/matrix" >"$2"
ZOO
    chmod +x "$1/vidmm" "$1/tests/zoo/zoo-test"
    echo 0 >"$1/run.code"
    echo 1 >"$1/check.code"
    cat >"$1/run.json" <<'JSON'
{"status": "verified", "driver": "DRIVER", "text": "", "seed": 0, "evictions": 7, "mmu": null, "operations": {"fill": {"count": 2}},
 "residency": {"vram": [1, 2]}, "first_mismatch": {"page": 1, "text": "words"},
 "calls_hash": "0123456789abcdef", "violations": ["[R5] DxgkDdiX: the driver: words"]}
JSON
    cat >"$1/check.json" <<'JSON'
{"status": "broken", "driver": "DRIVER", "text": "", "judged": 3, "passed": 1, "broken": 1, "not_reached": 1, "calls": 9,
 "findings": [{"id": "R5", "severity": "corruption", "where": "DxgkDdiX", "step": "paging", "times": 2,
               "call": 4, "found": "words", "expected": "words"}],
 "stages": [{"name": "paging", "outcome": "done", "calls": 9, "ms": 12, "text": ""}],
 "rules": [{"id": "R5", "outcome": "broken", "kept": 1, "broken": 2},
           {"id": "R6", "outcome": "passed", "kept": 3, "broken": 0},
           {"id": "R7", "outcome": "not reached", "kept": 0, "broken": 0, "reason": "words"}]}
JSON
    printf 'R1 manager caught with R5: words\nR2 driver caught alone: words\n' >"$1/tests/zoo/matrix"
}

fresh() {
    rm -rf "${houses:?}"/*
    fake_build "$old"
    fake_build "$new"
}

# The verdict on the two.
judge() { # STATUS [OPTION...]
    local status=$1 code
    shift
    output=$("$compare" "$@" "$old" "$new" 2>&1)
    code=$?
    [ "$code" -eq "$status" ] || fail "exit code $code, not $status: $output"
}

# A line that the last verdict must have.
tells() { # LINE
    grep -qF -- "$1" <<<"$output" || fail "no '$1' in: $output"
}

expect() { # STATUS LINE [OPTION...]
    local line=$2
    judge "$1" "${@:3}"
    tells "$line"
}

# Changes FILE of NEW by sed scripts, each of which must change it, and judges by the cases that read it.
changed() { # STATUS FILE SED...
    local status=$1 file=$2 script
    shift 2
    fresh
    for script in "$@"; do
        cp "$new/$file" "$houses/before"
        sed -i "$script" "$new/$file"
        ! cmp -s "$houses/before" "$new/$file" || fail "$script changes nothing in $file"
    done
    judge "$status" --quick --only "${file%%.*}"
}

fresh
expect 0 ' compared, 0 differ'
expect 0 ' compared, 0 differ' --quick

# Differences in a run.
changed 1 run.json 's/cdef/cdee/' 's/s": 7/s": 8/' 's/"count": 2/"count": 3/' 's/\[1, 2\]/[1, 2, 3]/' \
    's/"page": 1/"page": true/' 's/R5/R6/' 's/"text": ""/"text": "words"/' 's/"seed"/"seeds"/'
tells "run offers iommu 25%: calls_hash: old '0123456789abcdef', new '0123456789abcdee'"
tells 'run openarena-tour physical 25%: evictions: old 7, new 8'
tells 'run level-changes with plain.so: evictions: old 7, new 8'
tells 'operations.fill.count: old 2, new 3'
tells "residency.vram: old 'array of 2', new 'array of 3'"
tells 'first_mismatch.page: old 1, new True'
tells "seed: old 0, new 'nothing'"
tells "violations.rules: old {'R5': 1}, new {'R6': 1}"
tells "text: old 'no words', new 'words'"
changed 1 run.json 's/s": 7/s": 8/'
tells '9 compared, 8 differ'
changed 1 run.code 's/0/3/'
tells 'exit code: old 0, new 3'
changed 1 run.json 's/{//g'
tells 'run offers iommu 25%: new writes no report: exit code 0'

# Words and new members of a run, and R340.
changed 0 run.json 's/words/other text/g' 's/"mmu"/"new": {"member": 1}, "mmu"/' 's/\["\[R5/["[R340] words", "[R5/'

# Differences in a check.
changed 1 check.code 's/1/0/'
tells 'exit code: old 1, new 0'
changed 1 check.json 's/"times": 2/"times": 3/' 's/"done"/"stopped"/' 's/"kept": 3/"kept": 4/' \
    's/"judged": 3/"judged": 4/'
tells "check plain.so: findings: id='R5' severity='corruption' where='DxgkDdiX' step='paging' times=2: old 1, new 'nothing'"
tells "stages: name='paging' outcome='stopped' calls=9: old 'nothing', new 1"
tells "rules: id='R6' outcome='passed' kept=3"
tells 'judged: old 3, new 4'
changed 1 check.json 's/"findings": \[\(.*\)/"findings": [{"id": "R5", "severity": "corruption", "where": "DxgkDdiX", "step": "paging", "times": 2}, \1/'
tells "step='paging' times=2: old 1, new 2"

# Words, wall time and new members of a check; and R340, which counts in neither.
changed 0 check.json 's/words/other text/g' 's/"ms": 12/"ms": 120/' 's/"call": 4/"call": 5, "new": 1/' \
    's/"judged": 3, "passed": 1/"judged": 4, "passed": 2/' \
    's/{"id": "R6"/{"id": "R340", "outcome": "passed", "kept": 1, "broken": 0}, &/'

# A driver that says something else, of NEW alone and - built by OLD - under NEW's vidmm alone.
fresh
sed 's/"times": 2/"times": 5/' "$new/check.json" >"$new/drivers/ring.so.json"
expect 1 'check ring.so: findings' --quick --only check
tells ', 1 differ'
fresh
sed -i "s,-f \"\$2.json\",\"\$2\" = $old/drivers/ring.so,; s,said=\$2.json,said=\$here/drivers/other.json," "$new/vidmm"
sed 's/"times": 2/"times": 5/' "$new/check.json" >"$new/drivers/other.json"
expect 1 'check ring.so of OLD under both: findings' --quick --only check
tells ', 1 differ'
fresh
sed -i 's/offers /offer /' "$new/vidmm"
expect 1 "names: old ['openarena-tour', 'offers'], new ['openarena-tour', 'offer']" --quick --only run

# The mutants: rule ids count, words do not.
fresh
sed -i 's/words/other text/' "$new/tests/zoo/matrix"
echo 'R340 manager caught alone: words' >>"$new/tests/zoo/matrix"
mkdir "$new/tests/mutants" && mv "$new/tests/zoo/zoo-test" "$new/tests/mutants/mutants-test"
mv "$new/tests/zoo/matrix" "$new/tests/mutants/matrix"
expect 0 ' 0 differ' --only check
sed -i 's/R5/R4/' "$new/tests/mutants/matrix"
expect 1 "mutants: R1 manager with R5: old 1, new 'nothing'" --only check
rm "$new/tests/mutants/mutants-test"
expect 1 'mutants: new writes no report' --only check

# Bad usage.
fresh
"$compare" "$old" >/dev/null 2>&1
[ $? -eq 2 ] || fail "one build is enough"
"$compare" --only everything "$old" "$new" >/dev/null 2>&1
[ $? -eq 2 ] || fail "--only takes everything"
"$compare" "$old" "$houses/nothing" >/dev/null 2>&1
[ $? -eq 2 ] || fail "a directory that is no build passed"

[ "$failures" -eq 0 ] || exit 1
