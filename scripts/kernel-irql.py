#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the IRQL that each function's page allows with the one that the host enforces.

    scripts/kernel-irql.py [COMPILER...]   fails with a line for each difference; the test kernel-irql

scripts/kernel-irql.txt has a line NAME LEVEL PAGE for each function whose page gives a level:

    passive, apc, dispatch, dirql, ipi   the highest (of ipi: below it)
    =dispatch, dispatch+                 this one alone; the lowest
    any                                  any, as far as the memory is resident that it is given
    apc|dispatch                         the first or the second, by its arguments or that memory

Of functions that lock or unlock a spin lock and leave the IRQL alone the page that says most is followed
for all: nf-wdm-keacquirespinlockatdpclevel.

What the host enforces is read from its sources, which COMPILER (default: cc) preprocesses: the levels
in the calls of host_irql_at_most and its relatives in a function's body or, where there are none,
in the bodies of what it calls, the nearest first. Where a header of the contract is all that there is
of a function, the host cannot know.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
LEVELS = {'passive': 0, 'apc': 1, 'dispatch': 2, 'dirql': 12, 'ipi': 13}
DEFINITION = re.compile(r'(?:^|(?<=[}])) ?(?:[A-Za-z_(][^;{}=#]*?)?\b(\w+)\s*\(([^;{}]*)\)\s*\{', re.MULTILINE)
ATTRIBUTE = re.compile(r'__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)')
CALL = re.compile(r'\b([A-Za-z_]\w*)\s*\(')
CHECK = re.compile(r'\bhost_irql_(at_most|at_least|exactly)\(((?:[^(),]|\((?:[^()]|\([^()]*\))*\))*),')
INLINE = re.compile(r'^FORCEINLINE\s+[^(]*?\b(\w+)\(', re.MULTILINE)
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?[ \t\\]+((?:[^\n\\]|\\\n)*)', re.MULTILINE)
MARKER = re.compile(r'# \d+ "([^"]*)"')
DEPTH = 4


def preprocessed(compiler):
    """{path: its text}. All sources are read as one, so that what they include is read once."""
    includes = [f'-I{os.path.join(ROOT, path)}' for path in ('include/wddm', 'include', 'src/host', 'src')]
    paths = sorted(glob.glob(os.path.join(ROOT, 'src/host/*/*.c')))
    run = subprocess.run(compiler + ['-E', '-w', '-D_GNU_SOURCE'] + includes + ['-x', 'c', '-'], capture_output=True, text=True,
                         check=False, input=''.join(f'#include "{path}"\n' for path in map(os.path.abspath, paths)))
    if run.returncode != 0:
        sys.exit(run.stderr)
    texts, path = {}, ''
    for line in run.stdout.splitlines():
        marker = MARKER.match(line)
        if marker:
            path = os.path.relpath(marker[1], ROOT)
        elif not path.startswith('..') and line.strip():
            texts.setdefault(path, []).append(line)
    return {path: '\n'.join(lines) + '\n' for path, lines in texts.items()}


def body(text, start):
    """What stands between the brace before `start` and its partner."""
    depth = 1
    for brace in re.finditer(r'[{}]', text[start:]):
        depth += 1 if brace[0] == '{' else -1
        if depth == 0:
            return text[start:start + brace.start()]
    return text[start:]


def without_literals(text):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', re.sub(r"'(?:\\.|[^'\\])'", '0', text))


def definitions(compiler):
    """{name: {file: body}}: a static function's name may stand in several files."""
    functions = {}
    for path, text in preprocessed(compiler).items():
        # A prefix that is nothing leaves a space, or a line's indentation, before a definition.
        text = re.sub(r'^[ \t]+(?=\w[\w \t*]*\()', '', ATTRIBUTE.sub('', without_literals(text)), flags=re.M)
        match = DEFINITION.search(text)
        while match:
            inner = body(text, match.end())
            functions.setdefault(match[1], {})[path] = inner
            match = DEFINITION.search(text, match.end() + len(inner) + 1)
    return functions


def headers():
    """The names that are inline functions, and {macro: its text} in the form of a body."""
    inline, macros = set(), {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'include/wddm/*.h'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        inline.update(INLINE.findall(text))
        for name, parameters, meaning in MACRO.findall(text):
            macros[name] = meaning if parameters else meaning.strip() + '('
    return inline, macros


def value(expression):
    """Of numbers that are added and subtracted; None: of anything else."""
    expression = re.sub(r'\(\w+\)(?=[\d(])', '', expression.strip())
    if not re.fullmatch(r'[\d\s()+-]+', expression):
        return None
    return sum(int(term.replace(' ', '')) for term in re.findall(r'[+-]?\s*\d+', expression))


def levels_of(kind, expression):
    pieces = re.split(r'[?:]', expression)
    values = [value(piece) for piece in (pieces[1:] if len(pieces) > 1 else pieces)]
    kinds = ('at_most', 'at_least') if kind == 'exactly' else (kind,)
    return {f'{each} {number}' for each in kinds for number in values}


def enforced(functions, name):
    """The levels of the nearest checks below `name`, "at_most 2" and the like; empty: none."""
    frontier, seen = [(name, None)], set()
    for _ in range(DEPTH):
        below, found = [], set()
        for function, path in frontier:
            bodies = functions.get(function, {})
            for where in ([path] if path in bodies else bodies):
                if (function, where) in seen:
                    continue
                seen.add((function, where))
                for kind, check in CHECK.findall(bodies[where]):
                    found |= levels_of(kind, check)
                below += [(call, where) for call in CALL.findall(bodies[where])]
        if found:
            return found
        frontier = below
    return set()


def allowed(level):
    """What the host may enforce, and what it must."""
    if level == 'any':
        return set(), set()
    if level.startswith('='):
        both = {f'{kind} {LEVELS[level[1:]]}' for kind in ('at_most', 'at_least')}
        return both, both
    if level.endswith('+'):
        least = {f'at_least {LEVELS[level[:-1]]}'}
        return least, least
    some = {f'at_most {LEVELS[part]}' for part in level.split('|') if part != 'any'}
    return some, some if len(some) == 1 else set()


def differences(compiler):
    functions = definitions(compiler)
    inline, macros = headers()
    for name, text in macros.items():
        functions.setdefault(name, {})[None] = text
    with open(os.path.join(ROOT, 'scripts/kernel-irql.txt'), encoding='utf-8') as file:
        rows = [line.split() for line in file]
    for name, level, page in rows:
        if name not in functions:
            continue # not declared, which docs/kernel-names.md tells
        found = enforced(functions, name)
        may, must = allowed(level)
        if name in inline or name in macros: # it may give arguments that choose, and check nothing itself
            may, must = may | found, must if found else set()
        elif may and not found:
            must = may
        if not must <= found <= may:
            yield f'{name}: {page} says {level}, the host enforces {", ".join(sorted(found)) or "nothing"}'


if __name__ == '__main__':
    LINES = list(differences(sys.argv[1:] or ['cc']))
    for LINE in LINES:
        print(LINE)
    sys.exit(1 if LINES else 0)
