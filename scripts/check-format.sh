#!/bin/sh
# Every C file of the project is as clang-format would leave it. `--fix` writes instead of judging.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-}
set -- --dry-run -Werror
[ "$mode" != --fix ] || set -- -i
# Files of the index and new ones, but nothing that git ignores.
git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' | while read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
done | xargs clang-format "$@"
[ "$mode" = --fix ] || echo "check-format: every file is formatted"
