#!/usr/bin/env bash
# Compares what two builds of vidmm do: for a change that must leave behaviour alone. Prints each
# difference as a line - case, member, old value, new value - and "N compared, N differ".
#
#   scripts/compare-builds.sh [--quick] [--only run|check] OLD_BUILD_DIR NEW_BUILD_DIR
#
# Runs (vidmm run --json): every workload with each memory model (--model physical, gpummu, iommu) and
# 25 % and 75 % of its memory; one workload with each fault of the software GPU, and with each driver.
# Checks (vidmm check --format json): the reference driver at eight interface versions and with
# GPU virtual memory and dirty bits; every drivers/NAME.so, with NAME-hardware.so where there is one;
# OLD's drivers under NEW's vidmm; each fault of the software GPU; the matrix of the mutants.
#
# Of a run every member of the JSON report is compared but for words, of a check the findings (id,
# severity, where, step, times), stages, rules, counts and status; of both the exit code. NEW may have
# members that OLD has not. Rule R340 is excused: it counts in neither build.
#
# --quick: four workloads, 25 %, 40 frames, two versions, no faults, no mutants: about a minute.
# JOBS (default 2): how many at once. VIDMM_WORKLOADS: the recordings, by default those of this tree.
# Exit code: 0 equal, 1 different, 2 bad usage.
set -u
usage="usage: compare-builds.sh [--quick] [--only run|check] OLD_BUILD_DIR NEW_BUILD_DIR"
quick=0
only=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --only)
        only=${2:-}
        if [ "$only" != run ] && [ "$only" != check ]; then
            echo "$usage" >&2
            exit 2
        fi
        shift
        ;;
    -*)
        echo "$usage" >&2
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
if [ $# -ne 2 ]; then
    echo "$usage" >&2
    exit 2
fi
for build in "$@"; do
    if [ ! -x "$build/vidmm" ]; then
        echo "compare-builds: $build/vidmm is not built" >&2
        exit 2
    fi
done
export VIDMM_WORKLOADS=${VIDMM_WORKLOADS:-$(cd "$(dirname "$0")/.." && pwd)/workloads}

QUICK=$quick ONLY=$only OLD=$(realpath "$1") NEW=$(realpath "$2") exec python3 - <<'PYTHON'
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

OLD, NEW = os.environ['OLD'], os.environ['NEW']
QUICK = os.environ['QUICK'] == '1'
ONLY = os.environ['ONLY']
JOBS = int(os.environ.get('JOBS', '2'))

EXCUSED = 'R340'
QUICK_WORKLOADS = ['openarena-tour', 'processes', 'tiled-resource', 'offers']
MODELS = ['physical', 'gpummu', 'iommu']
VERSIONS = ['vista', 'win7', 'win8', 'wddm1.3', 'wddm2.0', 'wddm2.6', 'wddm2.9', 'wddm3.2']
QUICK_VERSIONS = ['wddm1.3']
VIRTUAL = ['--ddi', 'wddm3.2', '--set', 'MmuLevels=4', '--set', 'DirtyPageBytes=4K']
MUTANTS = ['tests/zoo/zoo-test', 'tests/mutants/mutants-test', 'tests/mutants/*-test', 'tests/negative/*-test']
MOST_LINES = 12  # of one case
LONGEST = 1200  # seconds of one command
PRINTED = '(printed)'  # no member: what a command printed that wrote no report

# The fault kinds of vidmm/softgpu.h, by what the board must have for them.
FAULTS_ANY, FAULTS_MMU, FAULTS_DIRTY = range(1, 8), range(8, 12), range(12, 17)

# Words in the report of a run, which may change: of these only whether there are any is compared.
RUN_WORDS = {'text', 'refusal', 'first_mismatch.text'}
# Of a check these are compared; the others are words, wall time (stages' ms), or details of a finding.
CHECK_NUMBERS = ['status', 'driver', 'interface_version', 'seed', 'judged', 'passed', 'broken', 'not_reached',
                 'calls', 'dropped_findings']
FINDING = ['id', 'severity', 'where', 'step', 'times']
STAGE = ['name', 'outcome', 'calls']
RULE = ['id', 'outcome', 'kept', 'broken']

Case = collections.namedtuple('Case', 'name kind options cross')  # options: of a build directory


# ---- What a command says: {member: value}

def command(arguments, report):
    """(exit code, what is in the file `report`, what was printed)."""
    try:
        run = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST,
                             stdin=subprocess.DEVNULL)
        code, printed = run.returncode, run.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired:
        code, printed = f'none after {LONGEST} s', ''
    except OSError as error:
        code, printed = f'none: {error.strerror}', ''
    try:
        with open(report, errors='replace') as file:
            return code, file.read(), printed
    except OSError:
        return code, '', printed


def parsed(text, drivers):
    """A report as an object, with the drivers named without the directory that they are in."""
    try:
        value = json.loads(text.replace(f'{drivers}/', ''))
        return value if isinstance(value, dict) else None
    except ValueError:
        return None


def said_run(value, path=''):
    """Every member of a run's report as {path: value}, words as whether there are any."""
    if path == 'violations':
        rules = [rule for text in value for rule in re.findall(r'\bR\d+\b', text)]
        other = [text for text in value if set(re.findall(r'\bR\d+\b', text)) != {EXCUSED}]
        return {'violations': len(other),
                'violations.rules': dict(collections.Counter(rule for rule in rules if rule != EXCUSED))}
    if path in RUN_WORDS:
        return {path: 'words' if value else 'no words'}
    if isinstance(value, dict):
        said = {path: 'object'} if path else {}
        for name, member in value.items():
            said.update(said_run(member, f'{path}.{name}' if path else name))
        return said
    if isinstance(value, list):
        said = {path: f'array of {len(value)}'}
        for i, member in enumerate(value):
            said.update(said_run(member, f'{path}[{i}]'))
        return said
    return {path: value}


def multiset(objects, members):
    """{'member=value ...': how many of the objects say so}, without the excused rule."""
    return collections.Counter(' '.join(f'{member}={object.get(member)!r}' for member in members)
                               for object in objects if object.get('id') != EXCUSED)


def said_check(report):
    counts = {member: report.get(member) for member in CHECK_NUMBERS}
    for rule in report.get('rules', []):
        if rule['id'] == EXCUSED:
            outcome = rule['outcome'].replace(' ', '_')
            for member in ('judged', outcome):
                if isinstance(counts.get(member), int):
                    counts[member] -= 1
    for what, members in ('findings', FINDING), ('stages', STAGE), ('rules', RULE):
        for text, times in multiset(report.get(what, []), members).items():
            counts[f'{what}: {text}'] = times
    return counts


def said_matrix(text):
    """Each mutant's rule, the side that broke it, and the other rules found broken with it."""
    found = collections.Counter()
    for line in text.splitlines():
        ids = re.match(r'(R\d+) (\S+) (.*?):', line + ':')
        if ids and ids.group(1) != EXCUSED:
            others = sorted(set(re.findall(r'R\d+', ids.group(3))) - {EXCUSED})
            found[f'{ids.group(1)} {ids.group(2)} {"with " + " ".join(others) if others else "alone"}'] += 1
    return {'mutants': sum(found.values()), **found}


def mutants_of(build):
    found = [path for pattern in MUTANTS for path in sorted(glob.glob(os.path.join(build, pattern)))]
    return found[0] if found else None


def observe(case, build, drivers):
    """What the vidmm of `build` says of the case with the drivers in the directory `drivers`."""
    with tempfile.TemporaryDirectory() as directory:
        report = os.path.join(directory, 'report')
        vidmm = os.path.join(build, 'vidmm')
        options = [option.replace('@DRIVERS@', drivers) for option in case.options]
        if case.kind == 'run':
            code, text, printed = command([vidmm, 'run', '--quiet', '--json', report, *options], report)
            said = parsed(text, drivers)
            said = {'report': 'none', PRINTED: printed.strip()[-200:]} if said is None else said_run(said)
        elif case.kind == 'check':
            code, text, printed = command(
                [vidmm, 'check', '--timeout', '60', '--format', 'json', '--output', report, *options], report)
            said = parsed(text, drivers)
            said = {'report': 'none', PRINTED: printed.strip()[-200:]} if said is None else said_check(said)
        elif case.kind == 'mutants':
            program = mutants_of(build)
            if not program:
                return {'report': 'none', PRINTED: 'there is none of ' + ' '.join(MUTANTS)}
            code, text, _ = command([program, '--matrix', report], report)
            said = said_matrix(text)
        else:
            code, _, printed = command([vidmm, 'workloads'], report)
            said = {'names': re.findall(r'^  (\S+)', printed, re.M)}
        return {'exit code': code, **said}


# ---- What is compared

def driver_options(name):
    hardware = os.path.join(OLD, 'drivers', f'{name}-hardware.so')
    return ['--driver', f'@DRIVERS@/{name}.so',
            *(['--hardware', f'@DRIVERS@/{name}-hardware.so'] if os.path.exists(hardware) else [])]


def drivers():
    names = [os.path.basename(path)[:-3] for path in sorted(glob.glob(os.path.join(OLD, 'drivers', '*.so')))]
    return [name for name in names if not name.endswith('-hardware')]


def run_cases():
    workloads = observe(Case('workloads', 'workloads', [], False), OLD, '')['names']
    yield Case('workloads', 'workloads', [], False)
    for workload in workloads:
        if QUICK and workload not in QUICK_WORKLOADS:
            continue
        for model in MODELS:
            for share in ['25%'] if QUICK else ['25%', '75%']:
                options = ['--vram', share, '--model', model, *(['--frames', '40'] if QUICK else [])]
                yield Case(f'run {workload} {model} {share}', 'run', [*options, workload], False)
    short = ['--vram', '25%', '--frames', '40', 'level-changes']
    for name in drivers():
        yield Case(f'run level-changes with {name}.so', 'run', [*driver_options(name), *short], False)
    if QUICK:
        return
    for kinds, model in (FAULTS_ANY, 'physical'), ([*FAULTS_ANY, *FAULTS_MMU], 'gpummu'):
        for kind in kinds:
            fault = ['--model', model, '--set', f'FaultKind={kind}', '--set', 'FaultAt=2']
            yield Case(f'run level-changes {model} FaultKind={kind}', 'run', [*fault, *short], False)


def check_cases():
    if not QUICK:
        yield Case('mutants', 'mutants', [], False)
    for version in QUICK_VERSIONS if QUICK else VERSIONS:
        yield Case(f'check --ddi {version}', 'check', ['--ddi', version], False)
    yield Case(f'check {" ".join(VIRTUAL)}', 'check', VIRTUAL, False)
    for name in drivers():
        yield Case(f'check {name}.so', 'check', driver_options(name), False)
        yield Case(f'check {name}.so of OLD under both', 'check', driver_options(name), True)
    if QUICK:
        return
    for kind in [*FAULTS_ANY, *FAULTS_MMU, *FAULTS_DIRTY]:
        fault = ['--set', f'FaultKind={kind}', '--set', 'FaultAt=2']
        for stage in ['paging', *(['dirty', 'migration'] if kind in FAULTS_DIRTY else [])]:
            yield Case(f'check FaultKind={kind} --stage {stage}', 'check', [*fault, '--stage', stage], False)
            yield Case(f'check FaultKind={kind} --stage {stage} {" ".join(VIRTUAL)}', 'check',
                       [*fault, '--stage', stage, *VIRTUAL], False)


def differences(case, old, new):
    """A line for each: every member of OLD has the same value in NEW; of a check NEW has no other."""
    for side, said in ('old', old), ('new', new):
        if said.get('report') == 'none':  # of both too: then nothing is compared
            return [f'{case.name}: {side} writes no report: exit code {said.get("exit code")}: {said[PRINTED]!r}']
    lines = []
    for member, value in old.items():
        # 1 and True, 1 and 1.0 are not the same in JSON.
        if member not in new or new[member] != value or type(new[member]) is not type(value):
            lines.append(f'{case.name}: {member}: old {value!r}, new {new.get(member, "nothing")!r}')
    if case.kind in ('check', 'mutants'):
        lines += [f'{case.name}: {member}: old \'nothing\', new {value!r}'
                  for member, value in new.items() if member not in old]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f'{case.name}: and {len(lines) - MOST_LINES} differences more']
    return lines


def main():
    begin = time.monotonic()
    cases = [*(check_cases() if ONLY != 'run' else []), *(run_cases() if ONLY != 'check' else [])]
    old_drivers, new_drivers = os.path.join(OLD, 'drivers'), os.path.join(NEW, 'drivers')
    differ = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        both, observed = [], {}
        for case in cases:
            key = (case.kind, *case.options)  # what OLD says with its own drivers, once for two cases
            if key not in observed:
                observed[key] = pool.submit(observe, case, OLD, old_drivers)
            both.append((case, observed[key],
                         pool.submit(observe, case, NEW, old_drivers if case.cross else new_drivers)))
        for case, old, new in both:
            lines = differences(case, old.result(), new.result())
            differ += bool(lines)
            for line in lines:
                print(line, flush=True)
    print(f'compare-builds: {len(cases)} compared, {differ} differ ({time.monotonic() - begin:.0f} s; '
          f'{EXCUSED} excused)')
    return 1 if differ else 0


sys.exit(main())
PYTHON
