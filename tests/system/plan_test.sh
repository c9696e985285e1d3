#!/usr/bin/env bash
# The plans of a run (docs/plan.md): the report's page-ins, evictions, bytes and operations follow from
# them; a file that cannot be written is refused; with --plan the same calls are made as without.
#
#   plan_test.sh VIDMM
set -u
vidmm=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME OPTION...: runs openarena-tour, and compares the report with what its plans come to.
recompute() {
    local name=$1
    shift
    "$vidmm" run --quiet --json "$work/report.json" --plan "$work/plans.jsonl" "$@" openarena-tour ||
        { echo "$name: vidmm run failed"; exit 1; }
    python3 - "$name" "$work/plans.jsonl" "$work/report.json" <<'PYTHON' || exit 1
import json
import sys

name, plans_path, report_path = sys.argv[1:]
CONTENT = {'transfer', 'fill', 'special_lock_transfer', 'virtual_transfer', 'virtual_fill'}
PLAN = {'plan': int, 'reason': str, 'executed': bool, 'submissions': int, 'moves': list, 'operations': list}
MOVE = {'allocation': int, 'reason': str, 'from': (dict, type(None)), 'to': (dict, type(None)),
        'bytes': int, 'discard': bool}
OPERATION = {'operation': str, 'allocation': int, 'from': (dict, type(None)), 'to': (dict, type(None)),
             'at': int, 'bytes': int, 'done': bool}


def check(members, value):
    assert set(value) == set(members), (name, sorted(value))
    for member, kind in members.items():
        assert isinstance(value[member], kind), (name, member, value[member])


def memory(place):
    return place is not None and place['memory']


found = dict.fromkeys(('page_ins', 'evictions', 'paged_in_bytes', 'paged_out_bytes'), 0)
operations = {}
where = {}
lost = False
with open(plans_path) as lines:
    for number, line in enumerate(lines, 1):
        plan = json.loads(line)
        check(PLAN, plan)
        assert plan['plan'] == number, (name, number)
        lost = lost or plan['reason'] == 'reset'
        for move in plan['moves']:
            check(MOVE, move)
            # What leaves a place has come to it before, but for what a reset took.
            if plan['executed']:
                assert lost or where.get(move['allocation']) == move['from'], (name, number, move)
                where[move['allocation']] = move['to']
                found['page_ins'] += memory(move['to'])
                found['evictions'] += memory(move['from'])
        for op in plan['operations']:
            check(OPERATION, op)
            if not op['done']:
                continue
            count, size = operations.get(op['operation'], (0, 0))
            operations[op['operation']] = (count + 1, size + op['bytes'])
            if op['operation'] in CONTENT:
                found['paged_in_bytes'] += op['bytes'] * memory(op['to'])
                found['paged_out_bytes'] += op['bytes'] * memory(op['from'])

with open(report_path) as file:
    report = json.load(file)
for member, value in found.items():
    assert report[member] == value, (name, member, 'report', report[member], 'plans', value)
assert where, name
assert name == 'iommu' or (found['page_ins'] > 0 and found['paged_in_bytes'] > 0), (name, found)
for operation, reported in report['operations'].items():
    count, size = operations.get(operation, (0, 0))
    assert reported['count'] == count, (name, operation, reported, count)
    if operation != 'flush_tlb':
        assert reported['bytes'] == size, (name, operation, reported, size)
print(name, found)
PYTHON
}

recompute physical --vram 25% --frames 60
hash_with=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["calls_hash"])' "$work/report.json")
"$vidmm" run --quiet --vram 25% --frames 60 --json "$work/without.json" openarena-tour || exit 1
hash_without=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["calls_hash"])' "$work/without.json")
if [ "$hash_with" != "$hash_without" ]; then
    echo "--plan changes the calls: $hash_with, without $hash_without"
    exit 1
fi
recompute gpummu --vram 25% --model gpummu --frames 60
recompute iommu --vram 25% --model iommu --frames 20
recompute hang --vram 25% --model gpummu --frames 30 --set HangPagingAt=60

message=$("$vidmm" run --quiet --frames 1 --plan "$work/none/plans.jsonl" openarena-tour 2>&1)
code=$?
if [ $code -ne 2 ] || [ "$message" != "vidmm: cannot write '$work/none/plans.jsonl': No such file or directory" ]; then
    echo "a file that cannot be written: exit code $code, '$message'"
    exit 1
fi
