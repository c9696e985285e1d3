#!/usr/bin/env bash
# scripts/check-tidy.sh --dialect accepts code in the dialect and finds each kind of line that is not.
#
#   tidy_test.sh SOURCE_ROOT
set -u
failures=0
repository=$(mktemp -d)
trap 'rm -rf "$repository"' EXIT
mkdir -p "$repository/scripts" "$repository/src/room" "$repository/tests"
cp "$1/scripts/check-tidy.sh" "$repository/scripts"
command -v git >/dev/null || {
    echo "skipped: git is not installed"
    exit 77
}
git init -q "$repository" || exit 1

# expect FILE LINE TEXT: the line that is found in the file with this text; 0: none is.
expect() {
    local file=$1 line=$2 text=$3 output code expected=0
    printf '%s\n' "$text" >"$repository/$file"
    output=$("$repository/scripts/check-tidy.sh" --dialect 2>&1)
    code=$?
    [ "$line" -eq 0 ] || expected=1
    if [ "$code" -ne "$expected" ] || { [ "$line" -ne 0 ] && ! grep -q "^$file:$line: " <<<"$output"; }; then
        echo "FAIL: exit code $code: $output: $text"
        failures=$((failures + 1))
    fi
    rm -f "$repository/$file"
}

expect src/room/a.c 0 'bool room_has(const char *p) { return p && sizeof(p) == 8; }'
expect src/room/a.c 0 '/* never p == NULL, never sizeof p */'
expect src/room/a.c 0 'const char *text = "p == NULL";'
expect src/room/a.c 0 $'#define HAS(p) \\\n    ((p) != NULL)'
expect tests/a.c 1 'bool has(const char *p) { return p != NULL; }'
expect src/room/a.c 1 'bool has(const char *p) { return NULL == p; }'
expect src/room/a.c 2 $'/* two */\nsize_t size = sizeof size;'

expect src/room/a.c 0 $'void f(void) {\n    if (a)\n        b();\n    else\n        c();\n}'
expect src/room/a.c 0 $'void f(void) {\n    if (a) {\n        b();\n        c();\n    } else {\n        c();\n    }\n}'
expect src/room/a.c 0 $'void f(void) {\n    for (;;) {\n        if (a)\n            b();\n    }\n}'
expect src/room/a.c 0 $'void f(void) {\n    if (a) {\n        int b = c();\n    }\n}'
expect src/room/a.c 2 $'void f(void) {\n    if (a) {\n        b();\n    }\n}'
expect src/room/a.c 2 $'void f(void) {\n    if (a) {\n        b();\n    } else if (c) {\n        d();\n    }\n}'
expect src/room/a.c 2 $'void f(void) {\n    while (a(";")) {\n        b(1, 2);\n    }\n}'

expect src/room/a.c 0 'static bool room_find(void) { return true; }'
expect tests/a.c 0 'static bool find(void) { return true; }'
expect src/room/a.c 1 'static bool find(void) { return true; }'
expect src/room/a.c 1 'static const struct thing *make(int a) { return 0; }'

[ "$failures" -eq 0 ] || exit 1
