#!/usr/bin/env python3
"""Which names of the display driver interface include/wddm has; docs/display-names.md is what it prints.

    scripts/display-names.py [--check]      prints the table; with --check compares it with the file in docs/
    scripts/display-names.py --pages DIR    reads the names and members anew from a checkout of the documentation

scripts/display-names.txt has a line for each page: the page, the names of its type, the members in the order of the page.
scripts/display-names-notes.txt says why a name or a member is not declared, or what a declaration rests on where its page
does not say it.

Macros make many of the names, and interface versions differ, so the headers are read as the C compiler's preprocessor
leaves them ($CC, or cc), at each interface version.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
DATA = os.path.join(ROOT, 'scripts/display-names.txt')
NOTES = os.path.join(ROOT, 'scripts/display-names-notes.txt')
TABLE = os.path.join(ROOT, 'docs/display-names.md')
VERSIONS = ('VISTA', 'VISTA_SP1', 'WIN7', 'WIN8', 'WDDM1_3', 'WDDM2_0', 'WDDM2_1', 'WDDM2_2', 'WDDM2_3', 'WDDM2_4',
            'WDDM2_5', 'WDDM2_6', 'WDDM2_7', 'WDDM2_8', 'WDDM2_9', 'WDDM3_0', 'WDDM3_1', 'WDDM3_2')
FOLDERS = ('d3dkmddi', 'dispmprt', 'd3dkmdt', 'd3dukmdt', 'd3dkmthk')

FRONT = r'^%s:[ \t]*(.*)$'
FIELD = re.compile(r'^### -field (\S+)', re.MULTILINE)
LINKED = re.compile(r'\bn[se]-d3dkmthk-[\w.]+(?=\.md)')
MARKER = re.compile(r'^# \d+ "([^"]*)"')
TAG = re.compile(r'\b(?:struct|union|enum)\b(?:\s*__attribute__\s*\(\([^)]*\)\))*\s*(\w*)\s*\{')
MEMBER = re.compile(r'\b([A-Za-z_]\w*)\s*(?=[;:,=)}\[])')


def front(text, key):
    found = re.search(FRONT % re.escape(key), text, re.MULTILINE)
    return found.group(1).strip() if found else ''


def names_of(text):
    title = re.sub(r'^_', '', front(text, 'title').split(' ')[0])
    names = [name.strip().lstrip('*') for name in front(text, 'req.typenames').split(',')]
    return [name for name in names if name] or [title]


def members_of(text):
    members = []
    for name in FIELD.findall(text):
        last = re.sub(r'\W.*', '', name.replace('\\', '').split('.')[-1])
        if re.match(r'[A-Za-z]\w*$', last) and not last.startswith('DUMMY') and last not in members:
            members.append(last)
    return members


def read_pages(folder):
    """Lines of the data file. Of d3dkmthk.h, the interface of user mode, only what the other pages link to."""
    pages, linked = {}, set()
    for header in FOLDERS:
        for path in glob.glob(f'{folder}/**/{header}/n[sec]-{header}-*.md', recursive=True):
            with open(path, encoding='utf-8-sig') as file:
                pages[os.path.basename(path)[:-3]] = file.read()
    for page, text in pages.items():
        if '-d3dkmthk-' not in page:
            linked.update(LINKED.findall(text))
    lines = []
    for page in sorted(pages):
        if '-d3dkmthk-' not in page or page in linked:
            text = pages[page]
            members = '' if page.startswith('nc-') else ' '.join(members_of(text))
            lines.append(f'{page} {",".join(names_of(text))}: {members}'.rstrip())
    return lines


def preprocessed(version):
    source = '#include <ntddk.h>\n#include <dispmprt.h>\n#include <d3dkmddi.h>\n#include <d3dkmthk.h>\n'
    command = os.environ.get('CC', 'cc').split() + [
        '-E', '-x', 'c', '-I', os.path.join(ROOT, 'include/wddm'),
        f'-DDXGKDDI_INTERFACE_VERSION=DXGKDDI_INTERFACE_VERSION_{version}', '-']
    return subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True, encoding='utf-8').stdout


def closing(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def bodies(text):
    """Of each struct, union and enum with a body: its names, and the names of its members."""
    for found in TAG.finditer(text):
        end = closing(text, found.end() - 1)
        names = [found.group(1)] + re.findall(r'\w+', text[end + 1:text.find(';', end) + 1])
        yield [name for name in names if name], set(MEMBER.findall(text[found.end():end + 1]))


def add_version(version, words, types):
    header, lines = '', []
    for line in preprocessed(version).splitlines():
        marker = MARKER.match(line)
        if marker:
            header = os.path.basename(marker.group(1))
            continue
        lines.append(line)
        for word in re.findall(r'\w+', line):
            words.setdefault(word, [header, version])
    text = '\n'.join(lines)
    aliases = re.findall(r'typedef\s+(?:struct\s+|enum\s+)?(\w+)\s+(\w+)(?:,\s*\*\w+)*;', text)
    for names, members in bodies(text):
        for name in names:
            types.setdefault(name, set()).update(members)
    for old, new in aliases:
        if old in types:
            types.setdefault(new, set()).update(types[old])


def declared():
    """Where each word stands and since which interface version, and the members of each type with a body."""
    words, types = {}, {}
    for version in VERSIONS:
        add_version(version, words, types)
    return words, types


def read_data():
    with open(DATA, encoding='utf-8') as file:
        for line in file:
            head, _, members = line.partition(':')
            page, names = head.split(' ')
            yield page, names.split(','), members.split()


def read_notes():
    notes = {}
    with open(NOTES, encoding='utf-8') as file:
        for line in file:
            name, _, note = line.rstrip('\n').partition(': ')
            notes[name] = note
    return notes


class Notes(dict):
    """The notes, and which of them the table has used."""

    def __init__(self, notes):
        super().__init__(notes)
        self.used = set()

    def of(self, name):
        self.used.add(name)
        return self.get(name, 'NO REASON')


def row(page, names, members, words, types, notes):
    name, said = names[0], []
    missing = [other for other in names if other not in words]
    if name in missing:
        answer = 'absent'
    elif page.startswith('nc-') or name in types:
        answer = 'declared'
        lack = [member for member in members if member not in types.get(name, ())]
        said = [f'`{member}`: {notes.of(name + "." + member)}' for member in lack]
        said += [f'`{other}`: {notes.of(other)}' for other in missing]
    else:
        answer = 'opaque'
    if answer != 'declared':
        said = [notes.of(name)]
    elif name in notes:
        said.insert(0, notes.of(name))
    header, version = words[name] if answer != 'absent' else ['', '']
    return f'| `{name}` | {page} | {header} | {version} | {answer} | {"; ".join(said)} |', answer


def table():
    words, types = declared()
    notes = Notes(read_notes())
    rows, counts, silent = [], {}, []
    for page, names, members in sorted(read_data(), key=lambda entry: (entry[1][0].lower(), entry[0])):
        line, answer = row(page, names, members, words, types, notes)
        rows.append(line)
        counts[answer] = counts.get(answer, 0) + 1
        if 'NO REASON' in line:
            silent.append(line)
    summary = ', '.join(f'{counts[answer]} {answer}' for answer in ('declared', 'opaque', 'absent') if answer in counts)
    lines = ['# Display names', '',
             'Printed by `scripts/display-names.py` from the headers and from `scripts/display-names.txt`: the types that have a',
             'reference page of d3dkmddi.h, dispmprt.h, d3dkmdt.h and d3dukmdt.h, and those of d3dkmthk.h that these pages name.', '',
             '| Answer | Meaning |', '|---|---|',
             '| declared | with all members of its page but those of the last column |',
             '| opaque | the name alone |',
             '| absent | declared nowhere; `vidmm cc` lists it |', '',
             '"Since" is the oldest interface version that has the name.', '',
             f'{sum(counts.values())} pages: {summary}.', '',
             '| Name | Page | Header | Since | Answer | What the page leaves open, or why not |', '|---|---|---|---|---|---|']
    return '\n'.join(lines + rows) + '\n', silent, sorted(set(notes) - notes.used)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--pages':
        lines = read_pages(sys.argv[2])
        if not lines:
            sys.exit(f'{sys.argv[2]} has no pages of {", ".join(FOLDERS)}')
        with open(DATA, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
        return
    page, silent, idle = table()
    if sys.argv[1:] != ['--check']:
        sys.stdout.write(page)
        return
    if silent:
        sys.exit('no reason in scripts/display-names-notes.txt for:\n' + '\n'.join(silent))
    if idle:
        sys.exit('scripts/display-names-notes.txt speaks of what has no gap: ' + ', '.join(idle))
    with open(TABLE, encoding='utf-8') as file:
        if file.read() != page:
            sys.exit('docs/display-names.md is not what scripts/display-names.py prints')


if __name__ == '__main__':
    main()
