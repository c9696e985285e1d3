#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: scripts/build-image.sh mingw|clang OUTPUT.sys [COMPILER-FLAGS] SOURCES
# Builds a driver image, PE32+ for x64, from C and C++ against the headers of this tree: by mingw (DWARF), or by clang and lld-link
# (PDB beside the image). Every name that the sources leave undefined is imported from ntoskrnl.exe.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
usage="usage: scripts/build-image.sh mingw|clang OUTPUT.sys [COMPILER-FLAGS] SOURCES"
kind=${1:?"$usage"}
output=${2:?"$usage"}
shift 2
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT INT TERM

kernel="-ffreestanding -fasynchronous-unwind-tables -fno-exceptions -fno-stack-protector -O1 -g -D_KERNEL_MODE -isystem $root/include/wddm"
case $kind in
mingw)
    cc=x86_64-w64-mingw32-gcc cxx=x86_64-w64-mingw32-g++ nm=x86_64-w64-mingw32-nm
    kernel="$kernel -fms-extensions -mno-stack-arg-probe"
    ;;
clang)
    cc="clang -target x86_64-pc-windows-msvc" cxx=$cc nm=llvm-nm
    kernel="$kernel -fms-extensions -gcodeview -isystem $root/src/cc/crt"
    ;;
*)
    echo "build-image.sh: no compiler '$kind'; $usage" >&2
    exit 2
    ;;
esac

number=0
flags=
for word in "$@"; do
    case $word in
    *.c | *.cpp | *.cxx) ;;
    *) flags="$flags $word" ;;
    esac
done
displib=$root/src/cc/crt/image/displib.c # not the driver's: without its flags
for word in "$@" "$displib"; do
    number=$((number + 1))
    [ "$word" != "$displib" ] || flags=
    case $word in
    *.c) compile="$cc -std=c11" ;;
    *.cpp | *.cxx) compile="$cxx -std=c++17 -fno-rtti -fno-threadsafe-statics" ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086
    $compile $kernel $flags -c "$word" -o "$objects/$number.o"
done

# What is defined nowhere, not even in the compiler's own library, is the kernel's.
own=
[ $kind = clang ] || own=$($cc -print-libgcc-file-name)
# shellcheck disable=SC2086
$nm "$objects"/*.o $own | awk '$1 == "U" { wanted[$2] = 1 } NF == 3 { have[$3] = 1 }
    END { print "LIBRARY ntoskrnl.exe\nEXPORTS"; for (name in wanted) if (!(name in have)) print name }' > "$objects/kernel.def"
case $kind in
mingw)
    x86_64-w64-mingw32-dlltool -d "$objects/kernel.def" -l "$objects/kernel.a"
    $cc -nostdlib -shared -Wl,--subsystem,native -Wl,--entry,DriverEntry -Wl,--dynamicbase -Wl,--exclude-all-symbols \
        -o "$output" "$objects"/*.o "$objects/kernel.a" "$own" 2> "$objects/log" || {
        cat "$objects/log" >&2
        exit 1
    }
    ;;
clang)
    llvm-dlltool -m i386:x86-64 -d "$objects/kernel.def" -l "$objects/kernel.lib"
    lld-link /nologo /driver /subsystem:native /entry:DriverEntry /nodefaultlib /dynamicbase /section:INIT,erd /debug \
        "/pdb:${output%.sys}.pdb" "/out:$output" "$objects"/*.o "$objects/kernel.lib"
    ;;
esac
