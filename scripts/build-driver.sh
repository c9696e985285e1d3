#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: scripts/build-driver.sh OUTPUT.so [COMPILER-FLAGS] SOURCES
# Builds a driver in C++ or C as the WDK's compiler would: everything has Windows' calling convention, sizes of types and layouts,
# also what names none; the result is a shared object for Linux. Needs clang and x86-64; CLANG names another clang.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
output=${1:?"usage: scripts/build-driver.sh OUTPUT.so [COMPILER-FLAGS] SOURCES"}
shift

# Before 17 clang takes -fcheck-new and forgets it: where an operator new may fail and does not say so, the constructor runs at NULL.
checks_new() {
    [ "$("$1" -dumpversion 2> /dev/null | sed 's/\..*//')" -ge 17 ] 2> /dev/null
}

find_clang() {
    for name in clang clang-21 clang-20 clang-19 clang-18 clang-17; do
        if checks_new "$name"; then
            echo "$name"
            return
        fi
    done
    echo clang
}

clang=${CLANG:-$(find_clang)}
command -v "$clang" > /dev/null || {
    echo "build-driver.sh: $clang is not installed, and no other compiler has Windows' conventions and writes ELF" >&2
    exit 2
}
checks_new "$clang" ||
    echo "build-driver.sh: $clang is older than 17: unlike Microsoft's compiler it runs a constructor also where operator new" \
        "failed; what is found about that in stage memory is the compiler's" >&2

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT INT TERM
# Words without blanks, so that they may be split below.
windows="-target x86_64-pc-windows-itanium-elf -Xclang -mrelocation-model -Xclang pic -Xclang -pic-level -Xclang 2"
kernel="-ffreestanding -fms-extensions -fms-compatibility -fno-exceptions -fno-rtti -fno-threadsafe-statics -fcheck-new -mno-stack-arg-probe"
# What is a warning of Microsoft's compiler and an error of newer clangs.
lenient="-Wno-incompatible-function-pointer-types -Wno-int-conversion"
headers="-D_KERNEL_MODE -I$root/include/wddm -I$root/tests/foreign/crt"

number=0
flags=
for word in "$@"; do
    case $word in
    *.c | *.cpp | *.cxx) ;;
    *) flags="$flags $word" ;;
    esac
done
for word in "$@"; do
    number=$((number + 1))
    case $word in
    *.c) language=c standard=c11 ;;
    *.cpp | *.cxx) language=c++ standard=c++17 ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086
    "$clang" $windows $kernel -w $lenient -O1 -g $headers $flags -x "$language" "-std=$standard" -c "$word" -o "$objects/$number.o"
done
# shellcheck disable=SC2086
"$clang" $windows -std=c11 -O1 -ffreestanding -fno-builtin -c "$root/tests/foreign/crt/memory.c" -o "$objects/memory.o"
cc -shared -nostdlib -Wl,-Bsymbolic "$objects"/*.o -o "$output"
