#!/usr/bin/env bash
# headers_test.sh INCLUDE CC...: each public header compiles alone without a warning, as strict C11, whatever the system
# declares beside the standard, and where there is a C++ compiler as C++, with the names of C.
set -u
include=$1
shift
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "$include"/vidmm/*.h; do
    echo "#include <vidmm/${header##*/}>" >"$work/alone.c"
    "$@" -std=c11 -pedantic -Wall -Wextra -Werror -I "$include" -I "$include/wddm" -fsyntax-only "$work/alone.c" || {
        echo "FAIL: $header"
        failed=1
    }
    command -v c++ >/dev/null || continue
    c++ -Wall -Wextra -Werror -I "$include" -I "$include/wddm" -x c++ -fsyntax-only "$work/alone.c" || {
        echo "FAIL: $header as C++"
        failed=1
    }
    # Functions that a library has are declared for C: of the static ones of headers there is a body.
    if grep -Eq '^[a-z][a-z_ *0-9]*\b[a-z_0-9]+\(' "$header" && ! grep -q '^extern "C" {$' "$header"; then
        grep -E '^[a-z][a-z_ *0-9]*\b[a-z_0-9]+\(' "$header" | grep -Eqv '^(static|typedef|return|sizeof)' && {
            echo "FAIL: $header declares functions without extern \"C\""
            failed=1
        }
    fi
done
exit $failed
