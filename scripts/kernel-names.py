#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which functions and macros of the kernel a driver finds here: docs/kernel-names.md.

    scripts/kernel-names.py            prints the page
    scripts/kernel-names.py --check    fails when the page in docs/ is another; the test kernel-names

Declared: the headers in include/wddm and src/cc/crt. Tested: named, or another name of it, in tests/host or tests/cc. Not
supported: implemented in src/host/driver/absent*.c or requests.c, where nothing is behind a function.
Absent: a name of scripts/kernel-names.txt, which were tried, that no header declares; the reason is in
scripts/kernel-absent.txt, a line NAME REASON each.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
DECLARED = re.compile(r'\bNT(?:KERNEL|SYS|HAL)API\b[^;{}#]*?\bNTAPI\s+(\w+)\s*\(')
INLINE = re.compile(r'^FORCEINLINE\s+[^(]*?\b(\w+)\(', re.MULTILINE)
MACRO = re.compile(r'^\s*#\s*define\s+([A-Za-z_]\w+)(?:\(|\s+[A-Za-z_]\w+\s*$)', re.MULTILINE)
C_FUNCTION = re.compile(r'^[^\s#].*FOREIGN_CALL (\w+)\(', re.MULTILINE)
DEFINED = re.compile(r'\bNTAPI\s+(\w+)\s*\([^;{}]*\)\s*\{')
FUNCTION_NAME = re.compile(r'^(?:Ex|Ke|Kf|Mm|Io|Iof|Po|Ob|Obf|Ps|Zw|Rtl|Se|Etw|Dbg|Hal|Interlocked|(?:Read|Write)[A-Z]\w*|Wmi|Cm|Aux|Bit|Ver|READ_|WRITE_|_mm_|_Read|_Write|_byteswap|_Bit|Yield|Population|__(?!except)[a-z]|READ_REGISTER|Debug|DrvRt|Unsigned|Query)')
KERNEL = ('wdm', 'ntd', 'nti', 'nts', 'aux')


def read(pattern):
    for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
        with open(path, encoding='utf-8') as file:
            yield os.path.basename(path), file.read()


def declared():
    """{name: header}"""
    names = {}
    for header, text in read('include/wddm/*.h'):
        if not header.startswith(KERNEL):
            continue
        for name in DECLARED.findall(text) + INLINE.findall(text):
            if not name.startswith('Wddm'): # what a macro with the field's name stands for
                names.setdefault(name, header)
        for name in MACRO.findall(text):
            if FUNCTION_NAME.match(name):
                names.setdefault(name, header)
    # Functions that a macro makes for each type.
    text = dict(read('include/wddm/wdm_interlocked.h'))['wdm_interlocked.h']
    made = re.findall(r'FORCEINLINE \w+ (Read|Write)##suffix##(\w+)', text)
    for suffix in re.findall(r'^WDDM_ORDERED\((\w*),', text, re.MULTILINE):
        for verb, order in made:
            names.setdefault(verb + suffix + order, 'wdm_interlocked.h')
    for header, text in read('src/cc/crt/*.h'):
        for name in C_FUNCTION.findall(text):
            names.setdefault(name, header)
    text = dict(read('src/cc/crt/string.h'))['string.h']
    for uses in re.findall(r'^FOREIGN_STRINGS\((strlen[^)]*|wcslen[^)]*), \w+\)', text, re.MULTILINE):
        for name in re.findall(r'\w+', uses):
            names.setdefault(name, 'string.h')
    return names


def words(*patterns):
    found = set()
    for pattern in patterns:
        for _, text in read(pattern):
            found.update(re.findall(r'\w+', text))
    return found


def renamed():
    """{name: the other name that it is}"""
    plain = re.compile(r'^\s*#\s*define\s+(\w+)\s+([A-Za-z_]\w+)\s*$', re.MULTILINE)
    return {name: other for _, text in read('include/wddm/*.h') for name, other in plain.findall(text)}


def unsupported():
    names = set()
    for pattern in ('src/host/driver/absent*.c', 'src/host/driver/requests.c'):
        for _, text in read(pattern):
            names.update(DEFINED.findall(text))
    return names


def page():
    names, tested, refused = declared(), words('tests/host/**/*.c', 'tests/cc/*'), unsupported()
    tested |= {name for name, other in renamed().items() if other in tested}
    reasons = dict(line.split(' ', 1)
                   for line in next(read('scripts/kernel-absent.txt'))[1].splitlines())
    tried = next(read('scripts/kernel-names.txt'))[1].split()
    lines = ['# Kernel names', '',
             'Printed by `scripts/kernel-names.py` from the headers, the host and its tests.', '',
             '| Answer | Meaning |', '|---|---|',
             '| works, tested | does what its page says; a test of the host names it |',
             '| works | does what its page says |',
             '| not supported | nothing is behind it here: it answers as its page says of a system without |',
             '| absent | declared nowhere, and why; `vidmm cc` lists it |', '',
             '| Name | Header | Answer |', '|---|---|---|']
    for name in sorted(set(names) | set(tried), key=lambda name: (name.lower(), name)):
        answer = ('absent: ' + reasons.get(name, 'not looked at yet') if name not in names else 'not supported' if name in refused
                  else 'works, tested' if name in tested else 'works')
        lines.append(f'| `{name}` | {names.get(name, "")} | {answer} |')
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        path = os.path.join(ROOT, 'docs/kernel-names.md')
        with open(path, encoding='utf-8') as file:
            if file.read() != page():
                sys.exit('docs/kernel-names.md is not what scripts/kernel-names.py prints')
    else:
        sys.stdout.write(page())
