#!/bin/bash
# places_test.sh BUILD [shared] - findings, crashes, leaks and broken callbacks carry function, file and line: of shared objects by gcc and
# clang (DWARF), of images by mingw (DWARF) and by clang (PDB). BUILD has vidmm and the images of broken_driver.c (make images), which
# `shared` leaves out.
set -u
. "$(dirname "$0")/lib.sh"
build=${1:?"usage: places_test.sh BUILD [shared]"}
kinds=${2:-all}
for program in gcc clang python3 llvm-symbolizer; do
    command -v $program >/dev/null || exit 77
done
root=$(cd "$(dirname "$0")/../.." && pwd)
source=tests/system/broken_driver.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A crash is wanted, also of a vidmm under a sanitizer that would stop before it.
export UBSAN_OPTIONS=halt_on_error=0
# Leaks are wanted, too, requests of the driver among them.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

check() { # FILE BREAK [OPTION...]
    "$build/vidmm" check --stage objects --set "Break=$2" "${@:3}" "$1" 2>/dev/null
}

line() { # MARK
    grep -n "/\* $1 \*/" "$root/$source" | head -n 1 | cut -d: -f1
}

build_shared() { # COMPILER OUTPUT
    (cd "$root" && "$1" -g -O1 -w -shared -fPIC -Iinclude/wddm -Idrivers/common $source drivers/cpu-vram/driver.c \
        drivers/common/skeleton.c drivers/common/cpu_pager.c drivers/common/instant.c -Wl,-Bsymbolic -o "$2")
}

# The function and line of each place of the first finding, or of the first leak: "write_to 51".
stack() { # FILE BREAK [leak]
    check "$1" "$2" --format json | python3 -c '
import json, os, sys
findings = json.load(sys.stdin)["findings"]
finding = next(found for found in findings if sys.argv[1] in ("", found["kind"]))
for frame in finding["stack"]:
    print(frame["function"], os.path.basename(frame["file"] or "-"), frame["line"])' "${3:-}"
}

# What was left of each kind, with the place where it was made.
leaks() { # FILE
    check "$1" 11 --format json | python3 -c '
import json, os, sys
for finding in json.load(sys.stdin)["findings"]:
    if finding["kind"] == "leak":
        what = finding["found"].split(" were left")[0].split(" (")[0]
        print(what + ":", finding["function"], finding["line"])'
}

made() { # FUNCTION MARK
    echo "$1 $(line "$2")"
}
all_leaks="1 contiguous blocks: $(made leave_memory contiguous)
1 MDLs: $(made leave_memory mdl)
1 I/O mappings: $(made leave_memory mapping)
1 timers that are set: $(made leave_objects timer)
1 timers of ExAllocateTimer: $(made leave_objects 'ex timer')
1 thread handles or references: $(made leave_objects thread)
1 event handles or references: $(made leave_objects event)
1 open handles of registry keys: $(made leave_objects key)
1 work items: $(made leave_objects work)
1 registered callbacks: $(made leave_objects callback)
1 requests, DMA adapters or registrations: $(made leave_objects request)"

build_shared gcc "$work/gcc.so"
build_shared clang "$work/clang.so"
drivers=("$work/gcc.so" "$work/clang.so")
[ "$kinds" = shared ] || drivers+=("$build/drivers/broken-mingw.sys" "$build/drivers/broken-clang.sys")
for driver in "${drivers[@]}"; do
    name=$(basename "$driver")
    crash="write_to broken_driver.c $(line crash)"
    expect "crash in $name" "$crash" "$(stack "$driver" 1 | sed -n 1p)"
    expect "what led to the crash in $name" "broken_create_device broken_driver.c" "$(stack "$driver" 1 | sed -n 's/ [0-9]*$//;2p')"
    expect "leak of $name" "broken_create_device broken_driver.c $(line leak)" "$(stack "$driver" 2 leak)"
    expect "IRQL of a callback in $name" "at_dispatch broken_driver.c $(line irql)" "$(stack "$driver" 3 | sed -n 1p)"
    expect "what led to the leak of $name" "broken_create_device broken_driver.c $(line called_leaks)" "$(stack "$driver" 11 | sed -n 2p)"
    expect "leaks of $name" "$all_leaks" "$(leaks "$driver")"
    expect "IRQL of a callback by the interface in $name" "call_back broken_driver.c $(line table)" "$(stack "$driver" 12 | sed -n 1p)"
    expect "a refused call of $name" "broken_create_device broken_driver.c $(line called)" "$(stack "$driver" 8)"
    expect "crash in the kernel, called by $name" "broken_create_device broken_driver.c $(line inside)" "$(stack "$driver" 9)"
    expect "a damaged list of $name" "remove_twice broken_driver.c" "$(stack "$driver" 14 | sed -n 's/ [0-9]*$//;1p')"
    [[ $name != *.so ]] || expect "its line in $name" "$(line list)" "$(stack "$driver" 14 | sed -n 's/.* //;1p')"
    expect "jump of $name to nowhere" "broken_create_device broken_driver.c $(line jump)" "$(stack "$driver" 10)"
    [[ $name == *.so ]] || expect "too many variables in $name" "with_locals broken_driver.c" "$(stack "$driver" 13 | sed -n 's/ [0-9]*$//;1p')"
    expect "overflow of the stack in $name" "deeper broken_driver.c" "$(stack "$driver" 6 | sed -n 's/ [0-9]*$//;2p')"
done

# vidmm run and inspect: a crash ends them with its place, a violation carries one.
run() { # FILE BREAK [OPTION...]
    "$build/vidmm" run --frames 1 --driver "$1" --set "Break=$2" "${@:3}" minetest 2>&1
}
for driver in "${drivers[@]}"; do
    name=$(basename "$driver")
    expect "a crash of $name in vidmm run" "vidmm: the driver crashed: signal 11 (Segmentation fault) in DxgkDdiCreateDevice
  at:       write_to ($root/$source:$(line crash)) 3" "$(run "$driver" 1 >"$work/out"; code=$?; echo "$(head -n 2 "$work/out") $code")"
    expect "the crash of $name as JSON" "crashed write_to $(line crash)" \
        "$(run "$driver" 1 --json "$work/crash.json" >/dev/null; python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(report["status"], report["crash"]["function"], report["crash"]["line"])' "$work/crash.json")"
    expect "a crash of $name in vidmm inspect" "  at:       write_to ($root/$source:$(line crash))" \
        "$("$build/vidmm" inspect --driver "$driver" --set Break=1 2>&1 | grep ' at: ')"
    expect "a violation of $name in vidmm run" "      at:       at_dispatch ($root/$source:$(line irql))" "$(run "$driver" 3 | grep -m 1 ' at: ')"
    expect "a leak of $name in vidmm run" "broken_create_device $(line leak)" "$(run "$driver" 2 --quiet --json "$work/leak.json" >/dev/null; python3 -c '
import json, sys
place = json.load(open(sys.argv[1]))["violation_places"][0]
print(place["function"], place["line"])' "$work/leak.json")"
done

# Of the last one.
expect "the text of a report" "      at:       write_to ($root/$source:$(line crash))" "$(check "$driver" 1 | grep ' at: ')"
expect "the region of a result" "$root/$source $(line crash)" "$(check "$driver" 1 --format sarif | python3 -c '
import json, sys
place = json.load(sys.stdin)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
print(place["artifactLocation"]["uri"], place["region"]["startLine"])')"
expect "the place in a failure of JUnit" "  at write_to ($root/$source:$(line crash))" \
    "$(check "$driver" 1 --format junit | sed 's/&#10;/\n/g' | grep '^  at ')"

# Without symbols, and without the program that reads them.
strip -o "$work/alone.so" "$work/gcc.so"
expect "an object without its symbols" "alone.so+0x" "$(check "$work/alone.so" 1 | sed -n 's/.* at: *\(.*0x\).*/\1/p')"
if [ "$kinds" != shared ]; then
    x86_64-w64-mingw32-strip -o "$work/alone.sys" "$build/drivers/broken-mingw.sys"
    expect "an image without its symbols" "alone.sys+0x" "$(check "$work/alone.sys" 1 | sed -n 's/.* at: *\(.*0x\).*/\1/p')"
fi
mkdir "$work/bin"
expect "a machine without llvm-symbolizer" "$(basename "$driver")+0x" \
    "$(PATH=$work/bin check "$driver" 1 | sed -n 's/.* at: *\(.*0x\).*/\1/p')"

echo "places: $passed passed, $failed failed"
[ $failed -eq 0 ]
