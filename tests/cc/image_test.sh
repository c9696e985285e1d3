#!/bin/sh
# SPDX-License-Identifier: MIT
# vidmm cc -o NAME.sys builds a driver image from what it builds a shared object from: the same calls, findings with file and line,
# __try, WPP, projects, missing names in one list.
# $1: vidmm.
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$(realpath "$1")
for program in clang lld-link llvm-dlltool llvm-symbolizer; do
    command -v $program > /dev/null || exit 77
done
[ "$(uname -m)" = x86_64 ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0
cd "$work" || exit 1

expect() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: $2, expected $3"
        cat said 2> /dev/null
        failed=1
    fi
}

says() {
    if grep -q -- "$2" said; then
        echo "ok: $1"
    else
        echo "FAILED: $1: nothing says '$2'"
        cat said
        failed=1
    fi
}

cc() {
    "$vidmm" cc "$@" > said 2>&1
}

# How many calls there are, and how often a rule was kept, depends on the instructions between which others come (K30).
verdict() { # DRIVER
    "$vidmm" check --format json "$1" | grep -vE '"(ms|driver|calls|kept)":'
}

# C++ and C, as a shared object and as an image.
sed 's/ APIENTRY//; s/ NTAPI//; s/u"/L"/g' "$root/drivers/wdk-style/driver.cpp" > bare.cpp
cc -o bare.so bare.cpp
cc -o bare.sys bare.cpp
expect "a C++ driver is built as an image" $? 0
expect "with its symbols beside it" "$(ls bare.pdb)" bare.pdb
verdict bare.so > wanted
verdict bare.sys > got
expect "the image gets the verdict of the shared object" "$(cmp wanted got 2>&1)" ""
grep -q '"status": "passed"' got
expect "which is that it passes" $? 0
"$vidmm" inspect bare.sys > said 2>&1
says "all that it imports is there" 'ntoskrnl.exe: [0-9]* names, 0 unknown'

# An object that is left behind is named by who made it, not by the driver's operator new.
sed '/static_cast<Object \*>(object);/s/delete/(void)/' bare.cpp > keeps.cpp
made=$(grep -n 'args->hDevice = new Object' keeps.cpp | cut -d: -f1)
for kind in so sys; do
    cc -o keeps.$kind keeps.cpp
    "$vidmm" check --stage objects keeps.$kind > said 2>&1
    says "who made what is left behind, in a .$kind" "at:* .*CreateDevice.*keeps.cpp:$made"
done

# A crash, its place by the PDB and by DWARF, and a stack that is too small.
pieces="$root/tests/system/broken_driver.c $root/drivers/cpu-vram/driver.c $root/drivers/common/skeleton.c
    $root/drivers/common/cpu_pager.c $root/drivers/common/instant.c"
for symbols in -gcodeview -gdwarf-4; do
    # shellcheck disable=SC2086
    cc -o "broken$symbols.sys" "-I$root/drivers/common" $symbols $pieces
    expect "a C driver is built as an image with $symbols" $? 0
    "$vidmm" check --stage objects --set Break=1 "broken$symbols.sys" > said 2>&1
    says "its crash has function, file and line" "at: *write_to (.*broken_driver.c:$(grep -n '/\* crash \*/' "$root/tests/system/broken_driver.c" | cut -d: -f1))"
    "$vidmm" check --stage objects --set Break=13 "broken$symbols.sys" > said 2>&1
    says "variables beyond its stack are told" "found: *the driver used more than 24 KiB of kernel stack in DxgkDdiCreateDevice"
done
[ ! -e broken-gdwarf-4.pdb ]
expect "DWARF is in the image, without a PDB" $? 0

# __try, a WPP trace, an import that is declared with dllimport, floating point, a pure virtual function.
mkdir features
cat > features/c.c << 'END'
#include <ntddk.h>
// begin_wpp config
// FUNC TraceMe(MSG, ...);
// end_wpp
#include "c.tmh"
__declspec(dllimport) VOID NTAPI KeStallExecutionProcessor(ULONG);
double Half(double Whole) { return Whole / 2; }
__declspec(noinline) void Raise(void) { ExRaiseStatus(STATUS_NO_MEMORY); }
NTSTATUS Caught(void)
{
    NTSTATUS status = STATUS_SUCCESS;
    TraceMe("a %d", 1);
    KeStallExecutionProcessor(1);
    __try {
        Raise();
    } __except (GetExceptionCode() == STATUS_NO_MEMORY ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
        status = STATUS_NOT_FOUND;
    }
    return Half(3.0) == 1.5 ? status : STATUS_UNSUCCESSFUL;
}
END
cat > features/cpp.cpp << 'END'
#include <ntddk.h>
extern "C" NTSTATUS Caught(void);
struct Base { virtual NTSTATUS Get() = 0; };
struct Derived : Base { NTSTATUS Get() override { return Caught(); } };
static Derived derived;
static Base *volatile base = &derived;
extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) { return base->Get(); }
END
cc -o features.sys features
expect "C and C++ with __try, WPP, floating point and virtual functions are built" $? 0
"$vidmm" inspect features.sys > said 2>&1
says "they work" 'DriverEntry failed with status STATUS_NOT_FOUND (0xc0000225)'

# A project.
mkdir project
cp features/* project/
cat > project/driver.vcxproj << 'END'
<Project><ItemGroup Label="ProjectConfigurations"><ProjectConfiguration Include="Release|x64"/></ItemGroup>
<ItemGroup><ClCompile Include="C.c"/><ClCompile Include="CPP.cpp"/></ItemGroup></Project>
END
cc -o project.sys project/driver.vcxproj
expect "a project is built as an image" $? 0
"$vidmm" inspect project.sys > said 2>&1
says "it is the same driver" 'DriverEntry failed with status STATUS_NOT_FOUND (0xc0000225)'

# What is missing: in one list, with the place of the first use.
mkdir missing
printf 'int k(void);\nint h(void) { return k(); }\n' > missing/c.c
cc -o missing.sys missing
expect "an undefined symbol ends the build" $? 1
says "the symbol is named with its place" 'symbol *k  (.*missing/c.c:2, uses: 1)'
says "so is an entry that is not there" 'symbol *DriverEntry'
[ ! -e missing.sys ] && [ ! -e missing.pdb ]
expect "nothing is left where the driver would be" $? 0

# What an image cannot have, and a machine without the linker.
cc -o bare.sys -fsanitize=address bare.cpp
expect "a sanitizer is refused" $? 3
says "in one sentence" '^vidmm: -fsanitize=address works in a shared object'
mkdir bin
printf '#!/bin/sh\nPATH=%s\nexec clang "$@"\n' "$PATH" > bin/clang
chmod +x bin/clang
PATH=$work/bin cc -o bare.sys bare.cpp
expect "a machine without lld-link is told" $? 3
says "which program is missing" '^vidmm: no lld-link'

# From a directory of a source tree, however deep.
mkdir -p tree/build-ci/gcc/deep
ln -s "$root/include" "$root/src" tree/
cp "$vidmm" tree/build-ci/gcc/deep/vidmm
tree/build-ci/gcc/deep/vidmm cc -o deep.sys bare.cpp > said 2>&1
expect "a program in a deep build directory finds the headers" $? 0
exit $failed
