#!/usr/bin/env python3
"""Derives from the sources what the rule table does not write down.

    scripts/rule-tables.py --out FILE [--depfile FILE] ROOT   the header that the rows are built with
    scripts/rule-tables.py --check ROOT                       compares rows and judging code; exit 1: they differ

The header has, for every row RULE(n, ...) of src/referee/rules/group_*.c, RULE_JUDGED_n: true when
code of the referee or of the conformance check judges rule n, which is when it says
DRIVER_MUST(n, MANAGER_MUST(n, vidmm_ledger_judge(ledger, n, check_judge(check, n or raw_judge(submitter, n
with the number itself; and the lists RULE_ARRAYS and RULE_ROWS, by which a row is found by its number.

A rule by which the manager refuses a driver (.rule = "R88" in its sources) is not judged by that
alone, but must have a row.
"""
import argparse
import glob
import os
import re
import sys

JUDGEMENT = re.compile(
    r'\b(?:(?:DRIVER|MANAGER)_MUST\s*\(|(?:vidmm_ledger_judge|(?:check|raw)_judge)\s*\([^,()]*,)'
    r'\s*(?:[^,?]*\?\s*(\d+)\s*:\s*)?(\d+)\s*,')
REFUSAL = re.compile(r'"R(\d+)"')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
ARRAY = re.compile(r'\bconst struct vidmm_rule (\w+)\[\] = \{')
ROW = re.compile(r'\bRULE\((\d+),')
LAST = re.compile(r'#define VIDMM_RULES_LAST (\d+)u')

ROWS = ['src/referee/rules/group_*.c']
JUDGES = ['src/referee/**/*.c', 'src/check/*.c']
MANAGER = ['src/manager/**/*.c']


def sources(patterns):
    return sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True))


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return COMMENT.sub('', file.read())


def numbers_in(patterns, expression):
    """{number: the first file that has it}"""
    found = {}
    for path in sources(patterns):
        for match in expression.finditer(text_of(path)):
            for number in filter(None, match.groups()):
                found.setdefault(int(number), path)
    return found


def rows():
    """[(number, array, index in it, file)] of every row."""
    found = []
    for path in sources(ROWS):
        text = text_of(path)
        array = ARRAY.search(text)
        if array:
            found += [(int(match.group(1)), array.group(1), i, path)
                      for i, match in enumerate(ROW.finditer(text, array.end()))]
    return found


def header(table, judged):
    sizes = {}
    for _, array, _, _ in table:
        sizes[array] = sizes.get(array, 0) + 1
    lines = ['/* Made by scripts/rule-tables.py. */', '#ifndef REFEREE_RULE_TABLES_H', '#define REFEREE_RULE_TABLES_H', '']
    lines += [f'#define RULE_JUDGED_{number} {str(number in judged).lower()}' for number, *_ in table]
    lines += ['', '#define RULE_ARRAYS(ARRAY) ' + ' '.join(f'ARRAY({array}, {size})' for array, size in sizes.items())]
    lines += ['', '#define RULE_ROWS(ROW) ' + ' '.join(f'ROW({number}, {array}, {i})' for number, array, i, _ in table)]
    return '\n'.join(lines + ['', '#endif', ''])


def write_if_changed(path, text):
    """Only then, so that nothing is compiled again for a change that leaves the header as it was."""
    if os.path.isfile(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def write_depfile(path, target, root):
    """Folders as well: a new file changes its folder."""
    files = sources(ROWS + JUDGES)
    names = files + sorted({os.path.dirname(file) for file in files})
    with open(path, 'w', encoding='utf-8') as out:
        out.write(f'{target}: ' + ' '.join(os.path.join(root, name).replace(' ', '\\ ') for name in names) + '\n')


def check(table, judged):
    with open('include/vidmm/rules.h', encoding='utf-8') as file:
        last = int(LAST.search(file.read()).group(1))
    wrong, seen = [], {}
    for number, _, _, path in table:
        if number in seen:
            wrong.append(f'R{number}: a row in {seen[number]} and one in {path}')
        if not 0 < number <= last:
            wrong.append(f'R{number}: {path} has a number beyond VIDMM_RULES_LAST')
        seen[number] = path
    for number, path in sorted({**numbers_in(MANAGER, REFUSAL), **judged}.items()):
        if number not in seen:
            wrong.append(f'R{number}: {path} speaks of it, and there is no row')
    print('\n'.join(wrong) or f'check-rules: {len(table)} rules, the code judges {len(judged)}')
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--out')
    parser.add_argument('--depfile')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('root')
    options = parser.parse_args()
    out = options.out and os.path.abspath(options.out)
    depfile = options.depfile and os.path.abspath(options.depfile)
    os.chdir(options.root)
    table, judged = rows(), numbers_in(JUDGES, JUDGEMENT)
    if out:
        write_if_changed(out, header(table, judged))
    if depfile:
        write_depfile(depfile, options.out, os.path.abspath('.'))
    return check(table, judged) if options.check else 0


sys.exit(main())
