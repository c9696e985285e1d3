#!/bin/sh
# SPDX-License-Identifier: MIT
# vidmm cc builds a driver as the WDK's compiler would: from a directory, sources or a project; what is missing comes as one list.
# $1: vidmm.
root=$(cd "$(dirname "$0")/../.." && pwd)
vidmm=$(realpath "$1")
command -v clang > /dev/null && [ "$(uname -m)" = x86_64 ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
failed=0
cd "$work" || exit 1

expect() {
    if [ "$2" -eq "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: $2, expected $3"
        cat said report 2> /dev/null
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

# One driver for most of this: no calling conventions, L"..." of 16 bits.
sed 's/ APIENTRY//; s/ NTAPI//; s/u"/L"/g' "$root/drivers/wdk-style/driver.cpp" > bare.cpp
cc -o bare.so bare.cpp
expect "a driver without calling conventions is built" $? 0
"$vidmm" check bare.so > report 2>&1
expect "it breaks no rule" $? 0

cc -o nowhere/bare.so bare.cpp
expect "a driver in a directory that is not there is refused" $? 2
says "in one sentence" "^vidmm: cannot write 'nowhere/bare.so': No such file or directory$"
[ "$(wc -l < said)" -eq 1 ]
expect "and before anything is compiled" $? 0

{
    echo '#include <d3dukmdt.h>'
    echo '#include <dxgiformat.h>' # d3d10umddi.h uses types of both
    for header in "$root"/include/wddm/compat/*.h; do
        echo "#include <$(basename "$header")>"
    done
    cat bare.cpp
} > more.cpp
cc -o more.so more.cpp
expect "a driver that includes headers of other interfaces is built" $? 0

# Headers in any letter case and with backslashes; .tmh files out of control comments.
mkdir -p dir/Inc
cat > dir/Inc/Trace.h << 'END'
#define WPP_CONTROL_GUIDS WPP_DEFINE_CONTROL_GUID(MyGuid, (11111111,2222,3333,4444,555555555555), WPP_DEFINE_BIT(MY_FLAG))
// begin_wpp config
// USEPREFIX (TraceMe, "%!STDPREFIX!");
// FUNC TraceMe{LEVEL=VERBOSE}(FLAGS, MSG, ...);
// TraceBare(MSG, ...);
// end_wpp
END
cat > dir/one.c << 'END'
#include <NTDDK.H>
#include "inc\TRACE.H"
#include "one.tmh"
C_ASSERT(sizeof(long) == 4 && sizeof(L'x') == 2 && sizeof(void *) == 8);
NTSTATUS DriverEntry(PDRIVER_OBJECT Object, PUNICODE_STRING Path)
{
    WPP_INIT_TRACING(Object, Path);
    TraceMe(MY_FLAG, "a %d", 1);
    TraceBare("b");
    WPP_CLEANUP(Object);
    return WPP_BIT_MY_FLAG == 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
END
cc -o dir.so dir
expect "a directory is built: headers in another case, .tmh files from the control comments" $? 0

# As Microsoft's compiler lets it be in C.
printf '#include <ntddk.h>\ntypedef __int8 int8_t;\n#include <stdint.h>\nint8_t a;\nuint16_t b;\nNTSTATUS DriverEntry(PDRIVER_OBJECT o, PUNICODE_STRING p) { return o && p ? a + b : 0; }\n' > int8.c
cc -o int8.so int8.c
expect "a source that calls char int8_t beside stdint.h is built" $? 0

# Missing names of all files in one list, each once, also behind a header that is missing.
mkdir missing
printf '#include "absent.h"\n#include <ntddk.h>\nABSENT_TYPE a;\nvoid f(void) { AbsentCall(ABSENT_VALUE); }\n' > missing/a.c
printf '#include <ntddk.h>\nABSENT_TYPE b;\nint g(PKEVENT e) { return e->AbsentMember; }\n' > missing/b.c
printf 'int k(void);\nint h(void) { return k(); }\n' > missing/c.c
cc -o missing.so missing
expect "missing names end the build" $? 1
[ ! -e missing.so ]
expect "nothing is left where the driver would be" $? 0
for name in 'header *absent.h' 'type *ABSENT_TYPE .*uses: 2' 'function *AbsentCall' 'name *ABSENT_VALUE' 'member *.*AbsentMember' \
    '1 of 3 files compile'; do
    says "the list has $name" "$name"
done
cc -o missing.so missing/c.c
expect "an undefined symbol ends the build" $? 1
says "the symbol is named" 'symbol *k'
printf '#include <ntddk.h>\nDXGK_ABSENT x;\nint f(void) { return D3DKMDT_ABSENT; }\nint DriverEntry(void) { return strlen("a") + (int)sizeof(DXGKARG_SUBMITCOMMANDVIRTUAL); }\n' > old.c
cc -o old.so -DDXGKDDI_INTERFACE_VERSION=0x1052 old.c
says "a name that a header has is told with the header" 'd3dkmddi_.* has it'

# A project: conditions, property sheets, wildcards, names in another case.
mkdir -p project/src project/sheets project/inc
cp dir/one.c project/src/One.c
cp dir/Inc/Trace.h project/inc/trace.h
sed -i 's/inc.TRACE.H/TRACE.H/; s/^NTSTATUS/#if CHOSEN != 2\n#error not Release and x64\n#endif\nNTSTATUS/' project/src/One.c
printf 'int DebugOnly = 1;\n#error excluded\n' > project/src/excluded.c
cat > project/sheets/common.props << 'END'
<Project><PropertyGroup><Which>1</Which><Which Condition="'$(Configuration)'=='Win Release' and ('$(Platform)'=='X64' or false)">2</Which></PropertyGroup></Project>
END
cat > project/driver.vcxproj << 'END'
<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <ItemGroup Label="ProjectConfigurations">
    <ProjectConfiguration Include="Debug|x64"/><ProjectConfiguration Include="Win Release|x64"/>
    <ProjectConfiguration Include="Release|Win32"/>
  </ItemGroup>
  <Import Project="$(MSBuildProjectDirectory)\Sheets\Common.props" Condition="exists('$(ProjectDir)sheets\common.props')"/>
  <Import Project="$(VCTargetsPath)\Microsoft.Cpp.Default.props"/>
  <ItemDefinitionGroup><ClCompile>
    <AdditionalIncludeDirectories>INC;%(AdditionalIncludeDirectories);$(NoSuchPath)</AdditionalIncludeDirectories>
    <PreprocessorDefinitions>CHOSEN=$(Which);%(PreprocessorDefinitions)</PreprocessorDefinitions>
  </ClCompile></ItemDefinitionGroup>
  <ItemGroup>
    <ClCompile Include="Src\one.C"/>
    <ClCompile Include="src\excluded.c"><ExcludedFromBuild Condition="'$(Configuration)'!='Debug'">true</ExcludedFromBuild></ClCompile>
    <ClCompile Include="src\absent.c" Condition="'$(Platform)'=='Win32'"/>
  </ItemGroup>
</Project>
END
cc -o project.so project/driver.vcxproj
expect "a project is built for its Release and x64" $? 0
cc -o project.so --configuration Debug project/driver.vcxproj
expect "another configuration has other definitions and sources" $? 1
cc -o project.so --configuration Nothing project/driver.vcxproj
expect "a configuration that is not there is refused" $? 2
cc -o project.so --platform Win32 project/driver.vcxproj
says "a source that is not there is named" "names the source 'project/src/absent.c', which is not there"

# Damaged and hostile projects: one sentence.
refused() {
    cc -o hostile.so hostile.vcxproj
    expect "$1" $? 2
    expect "$1: in one sentence" "$(wc -l < said)" 1
}
printf '' > hostile.vcxproj
refused "an empty project"
printf '<Project><ItemGroup>' > hostile.vcxproj
refused "a project cut off"
printf '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><Project>&b;</Project>' > hostile.vcxproj
refused "a project with entities"
head -c 100000 /dev/urandom > hostile.vcxproj
refused "a project of random bytes"
{ echo '<Project>'; i=0; while [ $i -lt 1000 ]; do printf '<a>'; i=$((i + 1)); done; } > hostile.vcxproj
refused "elements in each other without end"
sed 's/<ItemDefinitionGroup>/<Import Project="hostile.vcxproj"\/>&/' project/driver.vcxproj > project/hostile.vcxproj
cc -o hostile.so project/hostile.vcxproj
expect "a project that imports itself is built" $? 0
grep -v CHOSEN dir/one.c > project/src/plain.c
cat > hostile.vcxproj << 'END'
<Project><ItemGroup><ProjectConfiguration Include="Release|x64"/><ClCompile Include="project\src\plain.c;-o injected.c;$(x.Replace('a', $([System.IO.File]::WriteAllText('injected', '')));&quot;;touch injected"/></ItemGroup>
<ItemDefinitionGroup><ClCompile><AdditionalIncludeDirectories>$(touch injected);`touch injected`;project\inc</AdditionalIncludeDirectories>
<PreprocessorDefinitions>A=`touch injected`;B=1 -o injected;-include injected</PreprocessorDefinitions></ClCompile></ItemDefinitionGroup></Project>
END
cc -o hostile.so hostile.vcxproj
cp dir/one.c 'a;touch injected.c'
cc -o injected.so -Idir 'a;touch injected.c'
expect "a source with a shell's characters in its name is built" $? 0
[ ! -e injected ]
expect "no shell reads what a project says" $? 0

# Settings from an INF file, in UTF-16 as INF files are. The reference driver reads Banks; --set goes before.
printf '[Version]\nSignature="$WINDOWS NT$"\n[Inst]\nAddReg = First, Second\n[First]\nHKR,, Banks, %%REG_DWORD%%, %%Count%% ; three\nHKR,,Text,,"x;y"\n[Other]\nHKR,,MmuLevels,0x00010001,4\n[Strings]\nCount = "3"\nREG_DWORD = 0x00010001\n' > plain.inf
printf '\377\376' > wide.inf
iconv -f ASCII -t UTF-16LE plain.inf >> wide.inf
for inf in plain.inf wide.inf; do
    "$vidmm" inspect --ddi win7 --inf $inf > said 2>&1
    "$vidmm" inspect --ddi win7 --set Banks=3 > report 2>&1
    cmp -s said report
    expect "the numbers of $inf are settings" $? 0
done
"$vidmm" inspect --ddi win7 --inf plain.inf --set Banks=0 > said 2>&1
"$vidmm" inspect --ddi win7 --set Banks=0 > report 2>&1
cmp -s said report
expect "a setting of the command line goes before" $? 0
head -c 4096 /dev/urandom | tr -d '[' > noise.inf
"$vidmm" inspect --inf noise.inf > said 2>&1
expect "what is no INF file is refused" $? 2
"$vidmm" inspect --inf absent.inf > said 2>&1
expect "an INF file that is not there is refused" $? 2

# What a header defines in each source that includes it: variables without a value, inline functions that are declared again.
mkdir twice
cat > twice/both.h << 'END'
#include <ntddk.h>
ULONG Shared;
__inline ULONG Next(void) { return ++Shared; }
extern ULONG Next(void);
END
printf '#include "both.h"\nvoid Other(void) { Next(); }\n' > twice/other.c
printf '#include "both.h"\nvoid Other(void);\nNTSTATUS DriverEntry(PDRIVER_OBJECT d, PUNICODE_STRING p) { (void)d; (void)p; Other(); return Next() == 2 ? STATUS_NOT_FOUND : STATUS_UNSUCCESSFUL; }\n' > twice/entry.c
cc -o twice.so twice
expect "sources that share what a header defines are built" $? 0
"$vidmm" inspect --driver twice.so > said 2>&1
says "they share one variable" 'DriverEntry failed with status STATUS_NOT_FOUND (0xc0000225)'

# Bad command lines.
cc bare.cpp
expect "no output is refused" $? 2
cc -o x.so absent.c
expect "a source that is not there is refused" $? 2
cc -o x.so
expect "nothing to build is refused" $? 2
mkdir empty
cc -o x.so empty
expect "a directory without sources is refused" $? 2
exit $failed
