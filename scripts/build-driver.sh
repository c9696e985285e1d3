#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: scripts/build-driver.sh OUTPUT.so [COMPILER-FLAGS] SOURCES
# Builds a driver in C++ or C as the WDK's compiler would: everything has Windows' calling convention, sizes of types and layouts,
# also what names none; the result is a shared object for Linux. Needs clang++ and x86-64.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
output=${1:?"usage: scripts/build-driver.sh OUTPUT.so [COMPILER-FLAGS] SOURCES"}
shift
command -v clang++ > /dev/null || {
    echo "build-driver.sh: clang++ is not installed, and no other compiler has Windows' conventions and writes ELF" >&2
    exit 2
}

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT INT TERM
# Words without blanks, so that they may be split below.
windows="-target x86_64-pc-windows-itanium-elf -Xclang -mrelocation-model -Xclang pic -Xclang -pic-level -Xclang 2"
kernel="-ffreestanding -fms-extensions -fms-compatibility -fno-exceptions -fno-rtti -fno-threadsafe-statics -fcheck-new"
headers="-D_KERNEL_MODE -I$root/include/wddm -I$root/tests/foreign/crt"

number=0
flags=
for word in "$@"; do
    case $word in
    *.c | *.cpp) ;;
    *) flags="$flags $word" ;;
    esac
done
for word in "$@"; do
    number=$((number + 1))
    case $word in
    *.c) standard=c11 ;;
    *.cpp) standard=c++17 ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086
    clang++ $windows $kernel -w -O1 -g $headers $flags -x "${standard%[0-9][0-9]}" "-std=$standard" -c "$word" \
        -o "$objects/$number.o"
done
# shellcheck disable=SC2086
clang $windows -std=c11 -O1 -ffreestanding -fno-builtin -c "$root/tests/foreign/crt/memory.c" -o "$objects/memory.o"
cc -shared -nostdlib -Wl,-Bsymbolic "$objects"/*.o -o "$output"
