#!/usr/bin/env bash
# headers_test.sh INCLUDE CC...: each public header compiles alone, as strict C11 without a warning, whatever the system
# declares beside the standard.
set -u
include=$1
shift
failed=0
for header in "$include"/vidmm/*.h; do
    echo "#include <vidmm/${header##*/}>" |
        "$@" -std=c11 -pedantic -Wall -Wextra -Werror -I "$include" -I "$include/wddm" -x c -fsyntax-only - || {
        echo "FAIL: $header"
        failed=1
    }
done
exit $failed
