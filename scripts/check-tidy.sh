#!/usr/bin/env bash
# The dialect of the C code. Prints every violation as file:line: sentence; exits 1 when there is one.
#
# In every C file of the repository:
#   - pointers are tested bare: no == NULL and != NULL (macros may, where a compiler warns otherwise);
#   - sizeof has parentheses;
#   - a single statement has no braces, unless another branch of its if has them.
# In src:
#   - a static function carries the prefix of its file or room: none has a name that many files could
#     have, such as find or drop, by itself (BARE below), so that a backtrace says where it is;
#   - what .clang-tidy says: sizes of functions among others.
#
#   scripts/check-tidy.sh --dialect     without clang-tidy: no build is needed
#   scripts/check-tidy.sh [BUILD_DIR]   all of it, over the compile commands of BUILD_DIR (default build)
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 2

dialect() {
    python3 - <<'PYTHON'
import re
import subprocess
import sys

# Names that say nothing without their file.
BARE = set('''add apply ask bad begin check choose clean clear close collect compare copy count create cut
describe destroy done drop dump end enter fail fill find finish fits free get give go grow handle init insert
keep leave link list lock look lookup make mark match merge move name next note open parse pass pick place
play print put read refuse release remember remove report reset resolve restore resume run save say search
send set show sort start step stop store submit take tell test touch undo unlink unlock update use verify
wait walk write'''.split())

# Rooms that still have such names, and how many: the numbers may only go down.
BARE_MOST = {}

COMMENT_OR_LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
NULL_TEST = re.compile(r'[!=]=\s*NULL\b|\bNULL\s*[!=]=')
BARE_SIZEOF = re.compile(r'\bsizeof\b\s*[^\s(]')
STATIC_FUNCTION = re.compile(r'^static\s[\w\s*]*?\b(\w+)\(', re.M)
HEAD = re.compile(r'\b(if|for|while)\b')
NESTED = re.compile(r'(if|for|while|switch|do|else|case|default)\b|\w+:')
DECLARATION = re.compile(r'(static|const|struct|enum|union|unsigned|\w+_t|bool|char|int|double|[A-Z]\w+)\s+\**\w')


def blank(text):
    """The text with comments as spaces and literals as x, every character at its place."""
    def cover(match):
        found = match.group()
        if found[0] == '/':
            return re.sub(r'[^\n]', ' ', found)
        return found[0] + 'x' * (len(found) - 2) + found[-1]
    return COMMENT_OR_LITERAL.sub(cover, text)


def without_macros(code):
    """The code with #define and its continuation lines as spaces."""
    return re.sub(r'^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group()), code,
                  flags=re.M)


def skip(code, at):
    while at < len(code) and code[at].isspace():
        at += 1
    return at


def closing(code, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in '([{') - (code[i] in ')]}')
        if depth == 0:
            return i
    return len(code) - 1


def end_of_simple(code, at):
    """The place behind the simple statement at `at`; None if it is not a simple one."""
    if HEAD.match(code, at) or re.compile(r'switch\b|do\b').match(code, at):
        return None
    while at < len(code) and code[at] != ';':
        at = closing(code, at) + 1 if code[at] in '([{' else at + 1
    return at + 1


def bodies(code, at, keyword):
    """The braced bodies of the if with its elses, or of the loop, that begins at `at`; None: a body is a
    compound statement without braces."""
    found, at = [], at + len(keyword)
    while True:
        at = skip(code, at)
        if at >= len(code) or code[at] != '(':
            return None
        while True:  # the branch, and an else without an if
            at = skip(code, closing(code, at) + 1) if code[at] == '(' else at
            if at >= len(code):
                return None
            if code[at] == '{':
                end = closing(code, at)
                found.append((at, end))
                at = end + 1
            else:
                at = end_of_simple(code, at)
                if at is None:
                    return None
            at = skip(code, at)
            if keyword != 'if' or not re.compile(r'else\b').match(code, at):
                return found
            at = skip(code, at + len('else'))
            if re.compile(r'if\b').match(code, at):
                at += len('if')
                break


def is_single(body):
    """Whether what stands between two braces is one simple statement."""
    body = body.strip()
    if not body.endswith(';') or '#' in body or NESTED.match(body) or DECLARATION.match(body):
        return False
    return end_of_simple(body, 0) == len(body)


def braces(code):
    for match in HEAD.finditer(code):
        line = code[code.rfind('\n', 0, match.start()) + 1:match.start()]
        if line.lstrip().startswith('#') or re.search(r'\belse\s*$', line):
            continue
        found = bodies(code, match.start(), match.group())
        if found and all(is_single(code[start + 1:end]) for start, end in found):
            yield match.start()


def check(path, text):
    code = without_macros(blank(text))
    wrong = [(match.start(), 'a test of a pointer against NULL') for match in NULL_TEST.finditer(code)]
    wrong += [(match.start(), 'sizeof without parentheses') for match in BARE_SIZEOF.finditer(code)]
    wrong += [(at, 'braces around a single statement') for at in braces(code)]
    return sentences(path, text, wrong)


def bare_names(path, text):
    return sentences(path, text, [
        (match.start(1), f'{match.group(1)}() says nothing in a backtrace: prefix it after its file')
        for match in STATIC_FUNCTION.finditer(blank(text)) if match.group(1) in BARE])


def sentences(path, text, wrong):
    return [f'{path}:{text.count(chr(10), 0, at) + 1}: {sentence}' for at, sentence in sorted(wrong)]


names = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '--', '*.c', '*.h', '*.cpp'],
                       capture_output=True, text=True, check=True).stdout.split()
violations, bare = [], {}
for name in names:
    try:
        with open(name, encoding='utf-8') as file:
            text = file.read()
    except FileNotFoundError:  # deleted, not yet committed
        continue
    violations += check(name, text)
    if name.startswith('src/'):
        bare.setdefault('/'.join(name.split('/')[:2]), []).extend(bare_names(name, text))
for room, found in sorted(bare.items()):
    if len(found) > BARE_MOST.get(room, 0):
        violations += found
    elif found:
        print(f'check-tidy: {room} has {len(found)} static functions with a bare name')
if violations:
    print(*violations, sep='\n')
    print(f'check-tidy: {len(violations)} lines are not in the dialect', file=sys.stderr)
    sys.exit(1)
print(f'check-tidy: {len(names)} files are in the dialect')
PYTHON
}

# The sources of src in the build, each once.
sources() { # BUILD_DIR
    BUILD=$1 python3 - <<'PYTHON'
import json
import os
build = os.environ['BUILD']
with open(os.path.join(build, 'compile_commands.json')) as commands:
    files = {os.path.relpath(os.path.join(entry['directory'], entry['file'])) for entry in json.load(commands)}
print('\n'.join(sorted(name for name in files if name.startswith('src/'))))
PYTHON
}

tidy() { # BUILD_DIR
    local log status
    log=$(mktemp)
    # What gcc has precompiled clang reads as a header.
    sources "$1" | xargs -r -P "$(nproc)" -n 8 "${CLANG_TIDY:-clang-tidy}" -p "$1" --quiet --extra-arg="-I$PWD/src/pch" >"$log" 2>&1
    status=$?
    grep -E 'error:|note:' "$log" | sed "s|^.*/\.\./||" | sort -u
    # A failure that named no line is one of clang-tidy itself.
    if [ "$status" -ne 0 ] && ! grep -q 'error:' "$log"; then cat "$log"; fi
    rm -f "$log"
    [ "$status" -eq 0 ] && echo "check-tidy: clang-tidy finds nothing in src"
}

dialect
verdict=$?
[ "${1:-}" = --dialect ] && exit "$verdict"
build=${1:-build}
if [ ! -f "$build/compile_commands.json" ]; then
    echo "check-tidy: $build is no build directory" >&2
    exit 2
fi
tidy "$build" && [ "$verdict" -eq 0 ]
