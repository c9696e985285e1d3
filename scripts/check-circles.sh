#!/usr/bin/env bash
# Finds circles of files in the rooms under src by the symbols of the object files of a build: file A
# uses file B when A's object leaves a symbol undefined that B's object defines, function or data.
# Prints the largest circle of each room. Exits 1 when there is
#   - a circle of rooms,
#   - inside a room a circle of folders (a file in no sub-folder of the room lies in folder "."),
#   - inside a folder a circle of more than 4 files,
# each with the uses that make it, a line each: FILE -> FILE: SYMBOL, SYMBOL. The two halves of
# src/softgpu are rooms of their own. What headers share (types, inline functions) is not counted.
#
#   scripts/check-circles.sh [--all] [BUILD_DIR]
#   scripts/check-circles.sh --graph ROOM [BUILD_DIR]
#
# --all prints every circle of files and every use between folders of a room too, and for each circle
# of folders the order of the folders that has the fewest uses against it: the ones to cut.
# --graph prints the uses between the files of one room, a line each: FILE FILE SYMBOL...
# BUILD_DIR (default build) must be built. NM names another nm.
set -u
show_all=0
graph=
while [ $# -gt 0 ]; do
    case $1 in
    --all) show_all=1 ;;
    --graph)
        if [ $# -lt 2 ]; then
            echo "check-circles: --graph needs the name of a room" >&2
            exit 2
        fi
        graph=$2
        shift
        ;;
    -*)
        echo "check-circles: unknown option $1" >&2
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
if [ $# -gt 1 ]; then
    echo "check-circles: one word too many: $2" >&2
    exit 2
fi
build=${1:-$(dirname "$0")/../build}

SHOW_ALL=$show_all GRAPH=$graph BUILD=$build exec python3 - <<'PYTHON'
import json
import os
import subprocess
import sys

MOST_FILES = 4  # of a circle inside one folder
BUILD = os.path.realpath(os.environ['BUILD'])
SHOW_ALL = os.environ['SHOW_ALL'] == '1'
GRAPH = os.environ['GRAPH']
NM = os.environ.get('NM', 'nm')


def unusable(text):
    print(f'check-circles: {text}', file=sys.stderr)
    sys.exit(2)


def source_root():
    """What meson says, and without it the directory around the build directory."""
    try:
        with open(os.path.join(BUILD, 'meson-info', 'meson-info.json')) as info:
            return os.path.realpath(json.load(info)['directories']['source'])
    except (OSError, ValueError, KeyError):
        return os.path.dirname(BUILD)


def objects():
    """{source path from the root: [object path]} of the sources under src, those in no room left out."""
    root, found = source_root(), {}
    try:
        with open(os.path.join(BUILD, 'compile_commands.json')) as commands:
            entries = json.load(commands)
    except (OSError, ValueError) as error:
        unusable(f'{BUILD} is no build directory: {error}')
    for entry in entries:
        directory = os.path.join(BUILD, entry['directory'])
        path = os.path.relpath(os.path.realpath(os.path.join(directory, entry['file'])), root)
        # A header that is precompiled has commands, too.
        if path.startswith('src/') and path.count('/') >= 2 and path.endswith('.c'):
            found.setdefault(path, []).append(os.path.join(directory, entry['output']))
    for path, outputs in found.items():
        source = os.path.join(root, path)
        outputs[:] = sorted({output for output in outputs if os.path.exists(output)})
        if not outputs:
            unusable(f'{path} is not built in {BUILD}')
        if os.path.exists(source) and os.path.getmtime(source) > max(map(os.path.getmtime, outputs)):
            unusable(f'{path} is newer than its object; build first')
    if not found:
        unusable(f'{BUILD} builds no file of a room under {root}/src')
    return found


def symbols(found):
    """{path: symbols it defines}, {path: symbols it leaves undefined}."""
    path_of = {output: path for path, outputs in found.items() for output in outputs}
    run = subprocess.run([NM, '-A', '-P', '-g', *path_of], capture_output=True, text=True)
    if run.returncode != 0:
        unusable(f'{NM} failed: {run.stderr.strip()}')
    defined = {path: set() for path in found}
    undefined = {path: set() for path in found}
    for line in run.stdout.splitlines():
        output, _, rest = line.rpartition(': ')
        name, kind = rest.split()[:2]
        if kind in 'TDRBCVWSGiu':
            defined[path_of[output]].add(name)
        elif kind in 'Uvw':
            undefined[path_of[output]].add(name)
    if not any(defined.values()):
        unusable(f'{NM} finds no symbol in the objects of {BUILD}')
    return defined, undefined


def room_of(path):
    parts = path.split('/')
    if parts[1] != 'softgpu':
        return '/'.join(parts[:2])
    if len(parts) > 3:
        return '/'.join(parts[:3])
    return 'src/softgpu/' + ('hardware' if parts[2].startswith('hw') else 'driver')


def folder_of(path):
    """The folder inside the room."""
    room, directory = room_of(path), os.path.dirname(path)
    return directory[len(room) + 1:] or '.'


def uses(defined, undefined):
    """{(user, definer): sorted symbols}; what is defined in the user's room too comes from there."""
    definers = {}
    for path, names in defined.items():
        for name in names:
            definers.setdefault(name, set()).add(path)
    edges = {}
    for user, names in undefined.items():
        for name in names - defined[user]:
            candidates = definers.get(name, set())
            near = {path for path in candidates if room_of(path) == room_of(user)}
            for definer in near or candidates:
                edges.setdefault((user, definer), []).append(name)
    return {edge: sorted(names) for edge, names in sorted(edges.items())}


def circles(nodes, edges):
    """Strongly connected components of two nodes or more, the largest first (Tarjan)."""
    after = {node: [] for node in nodes}
    for a, b in edges:
        if a in after and b in after and a != b:
            after[a].append(b)
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def enter(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        return node, iter(after[node])

    for start in sorted(nodes):
        work = [] if start in index else [enter(start)]
        while work:
            node, rest = work[-1]
            other = next(rest, None)
            if other is not None:
                if other not in index:
                    work.append(enter(other))
                elif other in on_stack:
                    low[node] = min(low[node], index[other])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                circle = stack[stack.index(node):]
                del stack[-len(circle):]
                on_stack.difference_update(circle)
                if len(circle) > 1:
                    found.append(sorted(circle))
    return sorted(found, key=lambda circle: (-len(circle), circle))


def between(edges, key, members):
    """The edges from one member to another, as key names the groups of files."""
    return {(a, b): names for (a, b), names in edges.items()
            if key(a) != key(b) and key(a) in members and key(b) in members}


def lines(edges):
    return [f'  {a} -> {b}: {", ".join(names)}' for (a, b), names in edges.items()]


def order_with_fewest_uses_against(folders, edges):
    """The folders, users first, and the edges that go against this order. Exact up to 16 folders."""
    if len(folders) > 16:
        return None, {}
    weight = {}
    for (a, b), names in edges.items():
        pair = folders.index(folder_of(a)), folders.index(folder_of(b))
        weight[pair] = weight.get(pair, 0) + 1
    best = {0: (0, None, None)}  # set of folders placed first: (cost, last of them, set before it)
    for placed in range(1 << len(folders)):
        cost = best[placed][0]
        for i in range(len(folders)):
            if placed >> i & 1:
                continue
            against = sum(weight.get((i, j), 0) for j in range(len(folders)) if placed >> j & 1)
            next_set = placed | 1 << i
            if next_set not in best or cost + against < best[next_set][0]:
                best[next_set] = (cost + against, i, placed)
    order, placed = [], (1 << len(folders)) - 1
    while placed:
        _, last, placed = best[placed]
        order.insert(0, folders[last])
    rank = {folder: i for i, folder in enumerate(order)}
    against = {edge: names for edge, names in edges.items()
               if rank[folder_of(edge[0])] > rank[folder_of(edge[1])]}
    return order, against


def check_room(room, files, edges):
    """Prints the room's line; returns (violations, its circles)."""
    inside = {(a, b): names for (a, b), names in edges.items() if a in files and b in files}
    folders = sorted({folder_of(path) for path in files})
    all_circles = circles(files, inside)
    text = 'no circle'
    if all_circles:
        names = ' '.join(path[len(os.path.commonpath([room, path])) + 1:] for path in all_circles[0])
        text = f'largest circle {len(all_circles[0])} files: {names}'
    print(f'{room}: {len(files)} files in {len(folders)} folder{"s" * (len(folders) > 1)}, {text}')
    violations = []
    if SHOW_ALL:
        for circle in all_circles:
            print(f'  circle of {len(circle)} files: {" ".join(circle)}')
        for line in lines(between(inside, folder_of, folders)):
            print(line)
    for circle in circles(folders, {(folder_of(a), folder_of(b)) for a, b in inside}):
        edges_of_circle = between(inside, folder_of, circle)
        violations.append([f'{room}: a circle of {len(circle)} folders: {", ".join(circle)}',
                           *lines(edges_of_circle)])
        if SHOW_ALL:
            order, against = order_with_fewest_uses_against(circle, edges_of_circle)
            if order:
                violations[-1] += [f'  fewest uses, {len(against)}, go against this order, users first: '
                                   + ', '.join(order), *[f'  cut{line[1:]}' for line in lines(against)]]
    for folder in folders:
        own = {path for path in files if folder_of(path) == folder}
        for circle in circles(own, inside):
            if len(circle) > MOST_FILES:
                among = {(a, b): names for (a, b), names in inside.items() if a in circle and b in circle}
                violations.append([f'{os.path.normpath(os.path.join(room, folder))}: a circle of {len(circle)} files, '
                                   f'more than {MOST_FILES}: {" ".join(circle)}', *lines(among)])
    return violations, all_circles


def main():
    found = objects()
    edges = uses(*symbols(found))
    rooms = sorted({room_of(path) for path in found})
    if GRAPH:
        room = 'src/' + GRAPH.rstrip('/').removeprefix('src/')
        if room not in rooms:
            unusable(f'no room {room}; there are: {" ".join(rooms)}')
        for (a, b), names in edges.items():
            if room_of(a) == room and room_of(b) == room:
                print(a, b, *names)
        return 0
    violations, largest = [], []
    for room in rooms:
        files = {path for path in found if room_of(path) == room}
        wrong, all_circles = check_room(room, files, edges)
        violations += wrong
        largest = max([largest, *all_circles[:1]], key=len)
    for circle in circles(rooms, {(room_of(a), room_of(b)) for a, b in edges}):
        violations.append([f'a circle of {len(circle)} rooms: {", ".join(circle)}',
                           *lines(between(edges, room_of, circle))])
    for violation in violations:
        print(*violation, sep='\n')
    where = f'largest circle {len(largest)} files ({os.path.commonpath(largest)})' if largest else 'no circle of files'
    if violations:
        print(f'check-circles: {len(rooms)} rooms, {len(violations)} circles too many, {where}')
        return 1
    print(f'check-circles: {len(rooms)} rooms, no circle between folders, {where}')
    return 0


sys.exit(main())
PYTHON
