#!/usr/bin/env bash
# The rules that the table says are judged are those that the referee and the conformance check judge:
# every DRIVER_MUST(n, MANAGER_MUST(n, vidmm_ledger_judge(ledger, n and raw_judge(hand, n in their
# sources has a row with .judged = true, and the other way round. A rule by which the manager refuses
# a driver ("R88" in its sources) may be judged by that alone: the conformance check enters what the
# manager says into its ledger. Prints the differences; exits 1 when there are any.
#
#   scripts/check-rules.sh [--fix] [ROOT]
#
# --fix marks rows that no code judges as not judged and says so in .how.
set -u
fix=0
if [ "${1:-}" = --fix ]; then
    fix=1
    shift
fi
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2

FIX=$fix exec python3 - <<'PYTHON'
import glob
import os
import re
import shutil
import subprocess
import sys

JUDGEMENT = re.compile(
    r'\b(?:(?:DRIVER|MANAGER)_MUST\s*\(|(?:vidmm_ledger_judge|raw_judge)\s*\([^,()]*,)'
    r'\s*(?:[^,?]*\?\s*(\d+)\s*:\s*)?(\d+)\s*,')
REFUSAL = re.compile(r'"R(\d+)"')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
ROW = re.compile(r'\.number = (\d+),')
JUDGED = re.compile(r'(\.judged = )(true|false),')
HOW = re.compile(r'\.how =\s*"')
NOT_YET = 'not judged yet: '


def judged_in_code():
    numbers = {}
    for path in sorted(glob.glob('src/referee/**/*.c', recursive=True) + glob.glob('src/check/*.c')):
        text = COMMENT.sub('', open(path).read())
        for match in JUDGEMENT.finditer(text):
            for number in match.groups():
                if number is not None:
                    numbers.setdefault(int(number), path)
    return numbers


def refused_by_manager():
    numbers = set()
    for path in glob.glob('src/manager/**/*.c', recursive=True):
        numbers.update(int(number) for number in REFUSAL.findall(open(path).read()))
    return numbers


def rows():
    """(number, path, start, end) of every row."""
    for path in sorted(glob.glob('src/referee/rules/group_*.c')):
        text = open(path).read()
        starts = list(ROW.finditer(text))
        for i, match in enumerate(starts):
            end = starts[i + 1].start() if i + 1 < len(starts) else len(text)
            yield int(match.group(1)), path, text[match.start():end]


def unjudge(path, number):
    row = next(row for other, _, row in rows() if other == number)
    changed = JUDGED.sub(r'\1false,', row, count=1)
    how = HOW.search(changed)
    if how and not changed.startswith(NOT_YET, how.end()):
        first, rest = changed[how.end()], changed[how.end() + 1:]
        if rest[0].islower() or rest[0] == ' ':
            first = first.lower()
        changed = changed[:how.end()] + NOT_YET + first + rest
    text = open(path).read()
    with open(path, 'w') as out:
        out.write(text.replace(row, changed, 1))
    if shutil.which('clang-format'):
        subprocess.run(['clang-format', '-i', path], check=True)


def main():
    code = judged_in_code()
    refused = refused_by_manager()
    fix = os.environ['FIX'] == '1'
    wrong = 0
    for number, path, row in list(rows()):
        match = JUDGED.search(row)
        says = match is not None and match.group(2) == 'true'
        if says and number not in code and number not in refused:
            if fix:
                unjudge(path, number)
                print(f'R{number}: marked as not judged in {path}')
                continue
            print(f'R{number}: {path} says it is judged, no code judges it')
            wrong = 1
        elif not says and number in code:
            print(f'R{number}: {code[number]} judges it, {path} says it is not')
            wrong = 1
    if not wrong:
        print(f'check-rules: the code judges {len(code)} rules, as the table says')
    return wrong


sys.exit(main())
PYTHON
