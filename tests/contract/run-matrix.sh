#!/bin/sh
# SPDX-License-Identifier: MIT
# Compile the layout asserts, the unchanged driver and the whole driver (C++ alone) with every compiler here, as C11 and
# C++17, at every interface version; run the layout program where the compiler builds for this machine. Last line: "N
# passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
inc=$here/../../include/wddm
flags="-Wall -Wextra -Werror"
versions="VISTA VISTA_SP1 WIN7 WIN8 WDDM1_3 WDDM2_0 WDDM2_1 WDDM2_2 WDDM2_3 WDDM2_4 WDDM2_5 WDDM2_6 WDDM2_7 WDDM2_8
WDDM2_9 WDDM3_0 WDDM3_1 WDDM3_2"
# VIDMM_SHARE=3: each third of them, and the newest.
share=${VIDMM_SHARE:-1}
# shellcheck disable=SC2086
versions=$(printf '%s\n' $versions | awk -v share="$share" 'NR % share == 1 % share || $1 == "WDDM3_2"')
jobs=${CONTRACT_JOBS:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# One cell of the matrix: compiler, language standard, version, mode, source.
cat > "$work/cell" <<'CELL'
#!/bin/sh
cc=$1 std=$2 version=$3 mode=$4 src=$5
case $std in c++*) lang=c++ ;; *) lang=c ;; esac
name="$cc $std $version $mode $(basename "$src")"
extra=
case $mode in
*ms) # a source that names no calling convention anywhere: the switch makes the Windows one the default
    extra=-mabi=ms
    bare=$(mktemp "$WORK/bare.XXXXXX")
    sed 's/ APIENTRY//' "$src" > "$bare"
    src=$bare ;;
*kernel) extra="-D_KERNEL_MODE=1 -fshort-wchar" ;;
*dbg) extra=-DDBG=1 ;;
esac
set -- $FLAGS $extra -x "$lang" "-std=$std" "-DDXGKDDI_INTERFACE_VERSION=DXGKDDI_INTERFACE_VERSION_$version" -I "$INC" "$src"
case $mode in
run)
    out=$(mktemp "$WORK/bin.XXXXXX")
    log=$("$cc" "$@" -x none -o "$out" 2>&1 && "$out" 2>&1) && result=pass || result=fail
    rm -f "$out" ;;
*)
    log=$("$cc" "$@" -fsyntax-only 2>&1) && result=pass || result=fail ;;
esac
echo "$result $name"
[ $result = pass ] || printf '%s\n' "$log" | head -n 20 | sed 's/^/    /'
exit 0
CELL
chmod +x "$work/cell"

have() { command -v "$1" > /dev/null 2>&1; }
# A compiler of the other word size would see other layouts; the contract is asserted for 64 bits.
{
    for pair in gcc:c11 clang:c11 x86_64-w64-mingw32-gcc:c11 g++:c++17 clang++:c++17 x86_64-w64-mingw32-g++:c++17; do
        cc=${pair%%:*} std=${pair#*:}
        have "$cc" || continue
        for v in $versions; do
            case $cc in
            x86_64-w64-*) mode=syntax ;;
            *) mode=run ;;
            esac
            echo "$cc $std $v $mode $here/layout.c"
            echo "$cc $std $v $mode $here/display_layout.c"
            echo "$cc $std $v syntax $here/unchanged_driver.c"
            case $std in
            c++*) echo "$cc $std $v syntax-kernel $here/whole_driver.cpp" ;;
            esac
        done
        echo "$cc $std WDDM3_2 syntax-dbg $here/unchanged_driver.c"
        case $cc-$(uname -m) in
        gcc-x86_64 | g++-x86_64)
            for v in VISTA WDDM2_0 WDDM3_2; do echo "$cc $std $v syntax-ms $here/unchanged_driver.c"; done ;;
        esac
    done
} > "$work/list"

FLAGS=$flags INC=$inc WORK=$work xargs -P "$jobs" -n 5 "$work/cell" < "$work/list" > "$work/log"
grep -v '^pass ' "$work/log"
passed=$(grep -c '^pass ' "$work/log")
failed=$(grep -c '^fail ' "$work/log")
total=$(wc -l < "$work/list")
lost=$((total - passed - failed))
echo "$passed passed, $((failed + lost)) failed"
[ "$passed" -gt 0 ] && [ $((failed + lost)) -eq 0 ]
