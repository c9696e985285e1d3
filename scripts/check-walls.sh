#!/usr/bin/env bash
# Enforces the walls between the rooms of the house (docs/architecture.md): which room may include
# which headers, and inside a room with sub-folders which folder may include headers of which other.
# Prints every violation as file:line: sentence; exits 1 when there is one.
#
# The folders' order stands in their room.md, in one line that begins with "May use:" and names the
# other folders of the room, or "nothing":
#
#   May use: base, memory.
#
# Where one folder of a room has such a line, every folder with C files has one, and no folder may
# use itself by way of others.
#
#   scripts/check-walls.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

exec python3 - <<'PYTHON'
import fnmatch
import os
import re
import sys

FREESTANDING = {'stdalign.h', 'stdarg.h', 'stdbool.h', 'stddef.h', 'stdint.h', 'limits.h', 'float.h',
                'iso646.h', 'stdnoreturn.h'}

# The words of classify() that the files of each room may use. The first pattern that fits decides.
ALLOWED = [
    ('include/wddm/*', 'own wddm free string'),
    ('include/vidmm/os.h', 'wddm free vidmm/os vidmm/manager vidmm/readings'),
    ('include/vidmm/policy.h', 'free'),
    ('include/vidmm/manager.h', 'wddm free vidmm/operations vidmm/os vidmm/manager vidmm/policy vidmm/readings'),
    ('include/vidmm/virtual.h', 'wddm free vidmm/os vidmm/manager vidmm/readings'),
    ('include/vidmm/migration.h', 'wddm free vidmm/os vidmm/manager vidmm/readings'),
    ('include/vidmm/readings.h', 'wddm free vidmm/os vidmm/manager vidmm/readings'),
    ('include/vidmm/interrupt.h', 'wddm free'),
    ('include/vidmm/hwmodel.h', 'free string'),
    ('include/vidmm/umd.h', 'free string'),
    ('include/vidmm/pattern.h', 'free string'),
    ('include/vidmm/operations.h', 'free'),
    ('include/vidmm/segment_queries.h', 'free'),
    ('include/vidmm/interfaces.h', 'wddm free string'),
    ('include/vidmm/statuses.h', 'wddm free'),
    ('include/vidmm/printable.h', 'free string'),
    ('include/vidmm/lookup.h', 'free vidmm/rules'),
    ('include/vidmm/*', 'wddm free string system vidmm/*'),
    ('src/manager/*', 'own wddm free string vidmm/operations vidmm/segment_queries vidmm/interfaces vidmm/os '
                      'vidmm/policy vidmm/manager vidmm/virtual vidmm/migration vidmm/readings'),
    ('src/softgpu/hardware/*', 'own free string system vidmm/hwmodel vidmm/umd vidmm/pattern vidmm/softgpu'),
    ('src/softgpu/*', 'own wddm free string vidmm/umd vidmm/softgpu'),
    ('src/referee/rules/*', 'own wddm free string system vidmm/rules vidmm/readings'),
    ('src/referee/*', 'own wddm free string system vidmm/rules vidmm/readings vidmm/referee vidmm/interrupt '
                      'vidmm/services vidmm/operations vidmm/segment_queries vidmm/interfaces vidmm/statuses vidmm/printable'),
    ('src/host/*', 'own wddm free string system vidmm/host vidmm/vidpn vidmm/hwmodel vidmm/os vidmm/interrupt vidmm/interfaces vidmm/statuses '
                   'vidmm/printable'),
    ('src/record/*', 'own wddm free string system vidmm/record vidmm/operations vidmm/statuses'),
    ('src/harness/*', 'own wddm free string system vidmm/record vidmm/host vidmm/manager vidmm/virtual vidmm/os vidmm/harness '
                      'vidmm/referee vidmm/interfaces vidmm/statuses vidmm/printable'),
    ('src/workload/*', 'own free string system vidmm/host vidmm/manager vidmm/virtual vidmm/harness vidmm/workload '
                       'vidmm/umd vidmm/pattern vidmm/operations vidmm/printable'),
    ('src/watch/*', 'own free string system vidmm/watch vidmm/referee vidmm/rules vidmm/host vidmm/settings vidmm/stop vidmm/printable vidmm/lookup'),
    ('src/check/*', 'own wddm free string system vidmm/*'),
    ('src/fuzz/*', 'own wddm free string system vidmm/*'),
    ('src/run/*', 'own free string system vidmm/*'),
    ('src/migrate/*', 'own free string system vidmm/*'),
    ('src/lookup/*', 'own wddm free string system vidmm/rules vidmm/lookup'),
    ('src/report/*', 'own free string system vidmm/*'),
    ('src/devices/*', 'own free string system vidmm/hwmodel vidmm/device'),
    ('src/sweep/*', 'own free string system vidmm/*'),
    ('src/cc/crt/*', 'own wddm free string'),
    ('src/cc/*', 'own free string system vidmm/cc vidmm/stop vidmm/printable'),
    ('src/cli/*', 'own free string system vidmm/*'),
    ('src/pch/*', 'wddm free string system'),
    ('policies/*', 'free vidmm/policy'),
    ('examples/*', 'wddm free string system vidmm/*'),
    ('drivers/common/*', 'own wddm free string'),
    ('drivers/*/hardware.*', 'own free string system vidmm/hwmodel'),
    ('drivers/*', 'own common wddm free string'),
]

# Records made of parts that the folders of their room define: they may include headers of each of them.
RECORDS = {'src/manager/base/adapter.h', 'src/manager/base/device.h', 'src/manager/base/process.h'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCE = re.compile(r'\.[ch](pp)?$')
MAY_USE = re.compile(r'^May use:\s*(.*?)\.?\s*$', re.MULTILINE)


def room_of(path):
    return '/'.join(path.split('/')[:2]) if path.startswith(('src/', 'drivers/')) else os.path.dirname(path)


def folder_of(path):
    """The folder inside the room; '.' of a file in none."""
    return os.path.relpath(os.path.dirname(path), room_of(path))


def resolve(path, name):
    """In a room with sub-folders, names begin at the room."""
    from_room = os.path.join(room_of(path), name)
    if not name.startswith('../') and os.path.isfile(from_room):
        return os.path.normpath(from_room)
    return os.path.normpath(os.path.join(os.path.dirname(path), name))


def classify_quoted(path, target):
    room = room_of(path)
    if target.startswith('src/softgpu/') and path.startswith('src/softgpu/'):
        shared = target.startswith('src/softgpu/registers/')  # what the two halves share
        return 'own' if shared or target.split('/')[2] == path.split('/')[2] else 'other-half'
    if target.startswith(room + '/'):
        return 'own'
    if target.startswith('drivers/common/'):
        return 'common'
    if target.startswith('include/wddm/'):
        return 'wddm'
    if target.startswith('include/vidmm/'):
        return 'vidmm/' + os.path.basename(target).removesuffix('.h')
    return 'room'


def classify(path, bracket, name):
    """What an include line is, in one word:
    own         a header of the same room, in src/softgpu of the same half (driver, hardware)
    other-half  one of the other half
    common      a header of what the example drivers share, drivers/common
    wddm        a contract header
    vidmm/NAME  a public header of the library
    free        C freestanding
    string      <string.h>: the mem* functions
    system      anything else from the system
    room        a header of another room"""
    if bracket == '"':
        return classify_quoted(path, resolve(path, name))
    if name.startswith('vidmm/'):
        return name.removesuffix('.h')
    if name in FREESTANDING:
        return 'free'
    if name == 'string.h':
        return 'string'
    return 'wddm' if os.path.isfile(os.path.join('include/wddm', name)) else 'system'


def allowed(path):
    return next((words.split() for pattern, words in ALLOWED if fnmatch.fnmatch(path, pattern)), [])


def sources():
    for top in ('include', 'src', 'drivers', 'policies', 'examples'):
        for directory, _, names in os.walk(top):
            yield from (os.path.join(directory, name) for name in names if SOURCE.search(name))


def folder_lines(paths):
    """{room: {folder: the folders that its room.md lets it use, or None}} of the rooms with such a line."""
    rooms = {}
    for path in paths:
        if path.startswith('src/') and folder_of(path) != '.':
            rooms.setdefault(room_of(path), {})[folder_of(path)] = None
    for room, folders in rooms.items():
        for folder in folders:
            page = os.path.join(room, folder, 'room.md')
            line = MAY_USE.search(open(page, encoding='utf-8').read()) if os.path.isfile(page) else None
            if line:
                names = [name.strip(' `') for name in line.group(1).split(',')]
                folders[folder] = set() if names == ['nothing'] else set(names)
    return {room: folders for room, folders in rooms.items() if any(use is not None for use in folders.values())}


def reached(folders, start):
    """The folders that `start` uses, by way of others too."""
    seen, rest = set(), [start]
    while rest:
        for folder in (folders.get(rest.pop()) or set()) - seen:
            seen.add(folder)
            rest.append(folder)
    return seen


def check_lines(order):
    wrong = []
    for room, folders in sorted(order.items()):
        for folder, uses in sorted(folders.items()):
            page = f'{room}/{folder}/room.md'
            if uses is None:
                wrong.append(f'{page}: no line "May use:", which other folders of {room} have')
            for name in sorted((uses or set()) - set(folders)):
                wrong.append(f'{page}: {room} has no folder {name}')
            if folder in reached(folders, folder):
                wrong.append(f'{page}: {folder} may use itself by way of {", ".join(sorted(uses))}')
    return wrong


def check_folder(path, name, order):
    """What is wrong with an include inside a room as to folders; None: nothing."""
    folders, target = order.get(room_of(path)), resolve(path, name)
    mine, its = folder_of(path), folder_of(target)
    if path in RECORDS or not folders or mine == '.' or its == mine:
        return None
    uses = folders.get(mine) or set()
    if its in uses:
        return None
    return f'{room_of(path)}/{mine} may not include {name}; it may use: {", ".join(sorted(uses)) or "nothing"}'


def check_file(path, order):
    wrong = []
    words = allowed(path)
    with open(path, encoding='utf-8', errors='replace') as file:
        for number, text in enumerate(file, 1):
            match = INCLUDE.match(text)
            if not match:
                continue
            bracket, name = match.groups()
            word = classify(path, bracket, name)
            sentence = None
            if not any(fnmatch.fnmatch(word, pattern) for pattern in words):
                sentence = (f'{room_of(path)} may not include {name} ({word}); it may use: '
                            + (' '.join(words) or 'nothing, the room has no rule'))
            elif word == 'own' and bracket == '"':
                sentence = check_folder(path, name, order)
            if sentence:
                wrong.append(f'{path}:{number}: {sentence}')
    return wrong


paths = sorted(sources())
order = folder_lines(paths)
violations = check_lines(order)
for path in paths:
    violations += check_file(path, order)
if violations:
    print(*violations, sep='\n')
    print(f'check-walls: {len(violations)} lines break a wall', file=sys.stderr)
    sys.exit(1)
rooms = ', '.join(room.removeprefix('src/') for room in sorted(order)) or 'none'
print(f'check-walls: every include stays inside its walls; rooms with an order of folders: {rooms}')
PYTHON
