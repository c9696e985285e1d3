#!/usr/bin/env bash
# The record of calls (docs/calls.md): the same report with it as without; each call has its return; the report's figures follow from
# it; a driver that does not return leaves its call last, and the file is whole.
#
#   calls_test.sh VIDMM SOURCE_ROOT COMPILER...
set -u
. "$(dirname "$0")/lib.sh"
vidmm=$1 root=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export UBSAN_OPTIONS=halt_on_error=0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# FILE [REPORT]: "sound", or what is wrong with a record.
sound() {
    python3 - "$@" <<'PYTHON'
import json
import sys

events = [json.loads(line) for line in open(sys.argv[1])]
report = json.load(open(sys.argv[2])) if len(sys.argv) > 2 else None
names = {'step', 'call', 'return', 'interrupt', 'operation', 'move', 'lost', 'finding', 'submitted', 'counted', 'segment', 'end'}
open_calls, functions, where, last = [], {}, {}, 0
counted = {'page_ins': 0, 'evictions': 0}
operations = {}
counts, lost = True, False
for event in events:
    assert event['event'] in names, event
    if event['event'] == 'call':
        open_calls.append(event['function'])
        if event['function'] == 'DriverEntry':
            where, last, lost = {}, 0, False
        lost = lost or event['function'] == 'DxgkDdiResetFromTimeout'
        if 'call' in event:
            functions[event['call']] = event['function']
    elif event['event'] == 'return':
        assert event['function'] in open_calls, event
        open_calls.remove(event['function'])
    elif event['event'] == 'move':
        assert lost or event['allocation'] == 0 or where.get(event['allocation']) == event['from'], event
        where[event['allocation']] = event['to']
        counted['page_ins'] += counts and event['page_in']
        counted['evictions'] += counts and event['eviction']
    elif event['event'] == 'operation' and counts:
        one = operations.setdefault(event['operation'], {'count': 0, 'bytes': 0})
        one['count'] += 1
        one['bytes'] += event['bytes']
    elif event['event'] == 'finding' and event['where'].startswith('DxgkDdi') and event['rule'][0] == 'R':
        assert event['call'] in functions, event
    elif event['event'] == 'counted':
        counts = False
    assert event['ns'] >= last or event['event'] == 'step', event
    last = event['ns']
assert events[-1]['event'] == 'end', events[-1]
assert not open_calls, open_calls
if report:
    for name, value in counted.items():
        assert report[name] == value, (name, report[name], value)
    for name, value in report['operations'].items():
        got = operations.get(name, {'count': 0, 'bytes': 0})
        assert name in ('update_page_table', 'flush_tlb') or got == value, (name, got, value)
print('sound')
PYTHON
}

# FILE: "sound", if a record has the rectangles of presents, and what the driver wrote for them.
drawn() {
    python3 - "$1" <<'PYTHON'
import json
import sys

events = [json.loads(line) for line in open(sys.argv[1])]
calls = [e for e in events if e['event'] == 'call' and e['function'] == 'DxgkDdiPresent']
returns = [e for e in events if e['event'] == 'return' and e['function'] in ('DxgkDdiPresent', 'DxgkDdiRender')]
blits = [e for e in calls if int(e['Flags'], 16) & 1]
assert blits and all(e['SrcRect']['right'] > e['SrcRect']['left'] and e['DstRect']['bottom'] > e['DstRect']['top'] for e in blits), blits[:1]
assert any(len(e['DstSubRects']) > 1 for e in blits)
for name in ('DxgkDdiPresent', 'DxgkDdiRender'):
    assert any(e['DmaBufferBytes'] > 0 and e['PatchLocations'] > 0 for e in returns if e['function'] == name), name
print('sound')
PYTHON
}

# FILE: "sound", if a record of the reference driver with GDI has what the driver wrote for its commands, of a query for the
# count of segments the count alone, and the surfaces that were asked for.
surfaces() {
    python3 - "$1" <<'PYTHON'
import json
import sys

events = [json.loads(line) for line in open(sys.argv[1])]
returns = [e for e in events if e['event'] == 'return']


def of(function, among=events, kind='call'):
    found = [e for e in among if e['event'] == kind and e['function'] == 'DxgkDdi' + function]
    assert found, function
    return found


for e in of('RenderKm', returns, 'return') + of('Render', returns, 'return') + of('Present', returns, 'return'):
    assert e['DmaBufferBytes'] <= 1 << 20 and e['PatchLocations'] <= 1 << 16 and e['DmaBufferPrivateDataBytes'] <= 1 << 16, e
assert any(e['DmaBufferBytes'] > 0 and e['PatchLocations'] > 0 for e in of('RenderKm', returns, 'return'))

queries = [e for e in of('QueryAdapterInfo', returns, 'return') if 'NbSegment' in e]
counts = [e for e in queries if 'Segments' not in e]
assert counts and len(queries) > len(counts)
assert all(set(e) <= {'event', 'ns', 'call', 'function', 'status', 'NbSegment'} for e in counts), counts[0]
assert all('PagingBufferSegmentId' in e for e in queries if 'Segments' in e)

standard = of('GetStandardAllocationDriverData')
assert all(e['Surface']['Width'] > 0 and e['Surface']['Height'] > 0 and 'Pitch' not in e['Surface'] for e in standard), standard[0]
assert any(e['StandardAllocationType'] == 4 and e['Surface']['Type'] != 0 and e['Surface']['Format'] == 21 for e in standard)
given = [e for e in of('GetStandardAllocationDriverData', returns, 'return') if 'Surface' in e]
assert any(e['StandardAllocationType'] == 4 and e['Surface']['Pitch'] >= 4 * e['Surface']['Width'] for e in given)

created = [one for e in of('CreateAllocation') for one in e['Allocations']]
made = [one for one in created if 'Surface' in one]
assert any(one['StandardAllocationType'] == 4 and one['Surface']['Pitch'] >= 4 * one['Surface']['Width'] for one in made), created[:3]
assert len(made) < len(created) and all(one['PrivateDriverDataSize'] > 0 for one in made)
print('sound')
PYTHON
}

for words in "" "--model gpummu" "--linked 2"; do
    # shellcheck disable=SC2086
    "$vidmm" run --quiet --vram 25% $words --json "$work/with.json" --calls "$work/calls" minetest --frames 60
    # shellcheck disable=SC2086
    "$vidmm" run --quiet --vram 25% $words --json "$work/without.json" minetest --frames 60
    expect "report $words" "$(cat "$work/without.json")" "$(cat "$work/with.json")"
    expect "record of run $words" sound "$(sound "$work/calls" "$work/with.json" 2>&1)"
done
cp "$work/calls" "$work/first"
"$vidmm" run --quiet --vram 25% --linked 2 --calls "$work/calls" minetest --frames 60
expect "the record of a second run" same "$(cmp "$work/first" "$work/calls" 2>&1 && echo same)"
"$vidmm" run --quiet --unjudged --frames 3 --calls "$work/calls" vkcube
expect "record of run --unjudged" sound "$(sound "$work/calls" 2>&1)"
"$vidmm" inspect --calls "$work/calls" > "$work/out"
expect "record of inspect" sound "$(sound "$work/calls" 2>&1)"

# Findings are in it, with the calls that they are of; so is what the check does.
"$vidmm" check --calls "$work/calls" --set FaultKind=7 --set FaultAt=2 > "$work/out"
expect "record of check" sound "$(sound "$work/calls" 2>&1)"
expect "what a present asks for, and what the driver wrote" sound "$(drawn "$work/calls" 2>&1)"
expect "the finding" "R200" "$(sed -n 's/.*"event":"finding".*"rule":"\([^"]*\)".*/\1/p' "$work/calls" | sort -u)"
expect "steps" "step" "$(sed -n 's/.*"event":"\(step\)".*"text":"room: run[^"]*".*/\1/p' "$work/calls" | sort -u)"

"$vidmm" check --stage room,paging,power --set Gdi=1 --calls "$work/calls" > "$work/out"
expect "commands of GDI, segments and surfaces" sound "$(surfaces "$work/calls" 2>&1)"
for pause in 'paging: after event 192, a reset' 'paging: after event 64, an eviction of everything' \
    'power: after event 64, D3 and D0 for standby'; do
    expect "a step names what came before" "$pause" "$(grep -o "\"text\":\"$pause\"" "$work/calls" | sort -u | cut -d '"' -f 4)"
done

# The calls that start a driver have no number, and are in a trace.
"$vidmm" check --stage start --jobs 1 --trace > /dev/null 2> "$work/err"
for line in 'DriverEntry at IRQL 0: 0x0 (STATUS_SUCCESS)' '  DxgkCbGetDeviceInformation: an interrupt, by message' \
    'DxgkDdiStartDevice at IRQL 0: 0x0 (STATUS_SUCCESS)'; do
    expect "the trace of a start" "$line" "$(grep -xF "$line" "$work/err" | sort -u)"
done

# A driver that does not return.
"$@" -g -O1 -w -shared -fPIC -I"$root/include/wddm" -I"$root/drivers/common" "$root/tests/system/broken_driver.c" \
    "$root/drivers/cpu-vram/driver.c" "$root"/drivers/common/{skeleton,cpu_pager,instant}.c -Wl,-Bsymbolic -o "$work/broken.so" ||
    exit 1
"$vidmm" check --stage objects --set Break=1 --calls "$work/calls" "$work/broken.so" > "$work/out"
expect "the last call of check" "DxgkDdiCreateDevice" \
    "$(grep '"event":"call"' "$work/calls" | tail -n 1 | sed 's/.*"function":"\([^"]*\)".*/\1/')"
expect "the end of check" 'finding end' "$(tail -n 2 "$work/calls" | sed 's/{"event":"\([a-z]*\)".*/\1/' | paste -s -d ' ')"
"$vidmm" run --driver "$work/broken.so" --set Break=1 --calls "$work/calls" --frames 2 vkcube > "$work/out" 2>&1
expect "the last call of run" "DxgkDdiCreateDevice" \
    "$(grep '"event":"call"' "$work/calls" | tail -n 1 | sed 's/.*"function":"\([^"]*\)".*/\1/')"
expect "the end of run" 'end' "$(tail -n 1 "$work/calls" | sed 's/{"event":"\([a-z]*\)".*/\1/')"
expect "the place of a crash" 'in DxgkDdiCreateDevice' "$(tail -n 1 "$work/calls" | grep -o 'in DxgkDdiCreateDevice')"

# Files that cannot be written.
for file in "$work/no/such" /dev/full; do
    "$vidmm" check --stage start --calls "$file" > "$work/out" 2> "$work/err"
    expect "--calls $file: exit code" 2 $?
    expect "--calls $file: sentence" "vidmm: cannot write '$file'" "$(sed 's/: [^:]*$//' "$work/err")"
done
[ "$failed" -eq 0 ]
