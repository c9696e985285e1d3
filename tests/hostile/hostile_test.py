#!/usr/bin/env python3
"""A driver that does to its process what no driver may: never a signal or a hang of vidmm, never exit code 0
without the reason that it may be, never without a sentence, and nothing that is left running.

    hostile_test.py VIDMM DRIVER HARDWARE [--all] [--command run|check|inspect|migrate] [ACT...]

Without --all each act is tried in two of the slots, others for each, so that all slots come up."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

# The order of driver.c. "ends": the process dies or is ended. "marks": it goes on, and what it did is a finding.
# "quiet": nothing that vidmm relies on is touched: if nothing is found, the report has to be whole.
ACTS = ['none quiet', 'null_write ends', 'wild_jump ends', 'loop ends', 'exit ends', 'quick_exit ends', 'abort ends',
        'sigkill ends', 'sigstop ends', 'sigterm ends', 'longjmp ends', 'recursion ends', 'close_all ends',
        'close_streams marks', 'rubbish ends', 'dpc_flood ends', 'fork marks', 'fork_bomb marks', 'daemon marks',
        'unmap_shared quiet', 'overwrite_shared quiet', 'free_handed ends', 'double_free ends', 'huge_malloc ends',
        'timer marks', 'handlers marks', 'block_and_loop ends', 'ptrace ends', 'chdir marks', 'unlink quiet',
        'thread_stays marks', 'thread_exits quiet', 'limits marks', 'dup_over ends', 'flood_stderr quiet',
        'flood_stdout quiet', 'priority marks', 'kill_parent ends', 'term_parent marks', 'stop_parent ends',
        'kill_group ends', 'prctl marks', 'illegal ends', 'divide ends', 'misaligned ends', 'read_only ends',
        'callback_thread quiet', 'ignore_and_loop ends', 'exec ends', 'umask marks', 'break ends', 'block_signals marks']
SLOTS = ['DriverEntry', 'AddDevice', 'StartDevice', 'QueryAdapterInfo', 'CreateAllocation', 'BuildPagingBuffer',
         'SubmitCommand', 'InterruptRoutine', 'DpcRoutine', 'StopDevice', 'RemoveDevice', 'Unload']
COMMANDS = ['run', 'check', 'inspect', 'migrate']
# The driver has no GPU virtual addresses, so a migration starts and stops it and says so.
START_AND_STOP = [slot for slot in range(len(SLOTS)) if SLOTS[slot] in
                  ('DriverEntry', 'AddDevice', 'StartDevice', 'QueryAdapterInfo', 'StopDevice', 'RemoveDevice', 'Unload')]
# These return to the function that they act in; the place of what dies at once must be that function.
AT_ONCE = {'null_write', 'abort', 'exit', 'quick_exit', 'illegal', 'divide', 'read_only', 'misaligned', 'loop', 'sigkill'}
DEADLINE = 2
# Each how many of the tries are made; tests/share.h says when.
SHARE = max(1, int(os.environ.get('VIDMM_SHARE', '1')))
# vidmm's deadline, its attempts to end what is left, and a machine that has other things to do.
MOST_SECONDS = 90


def command_line(args, command, act, slot, work):
    adapter = ['--driver', args.driver, '--hardware', args.hardware, '--set', f'Act={act}', '--set', f'Slot={slot}']
    if command == 'migrate':
        return [args.vidmm, 'migrate', 'send', '--to', f'unix:{work}/link', *adapter, '--driver-timeout', str(DEADLINE),
                '--frames', '2', 'vkcube']
    words = [args.vidmm, command, *adapter, '--timeout', str(DEADLINE)]
    if command == 'run':
        words += ['--frames', '2', '--json', os.path.join(work, 'report'), 'vkcube']
    if command == 'check':
        words += ['--stage', 'paging', '--format', 'text', '--output', os.path.join(work, 'report')]
    return words


def left_running(mark):
    """Processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/environ', 'rb') as environ:
                if mark.encode() in environ.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def report_text(work):
    try:
        with open(os.path.join(work, 'report'), encoding='utf-8', errors='replace') as report:
            return report.read()
    except OSError:
        return ''


def faults(kind, name, slot, command, code, said, report, seen):
    """What is wrong with the end of vidmm, one sentence each."""
    sentence = report if command == 'check' else said
    if code < 0:
        yield f'vidmm died of signal {-code}'
    elif code not in (0, 1, 3):
        yield f'exit code {code}'
    if not seen:
        if code != 0 and command != 'migrate':
            yield f'exit code {code}, and the driver did nothing'
        return
    if kind in ('ends', 'marks') and code == 0:
        yield 'exit code 0'
    if command != 'check' and kind == 'ends' and code != 3:
        yield f'exit code {code} of a driver that ended'
    if code != 0 and command != 'check' and not re.search(r'^vidmm: ', said, re.MULTILINE) and command != 'run':
        yield 'no sentence'
    if command == 'migrate' and re.search(r'no end within (?!%u )' % (DEADLINE * 1000), said):
        yield 'another deadline than was asked for'
    if code != 0 and command == 'check' and not re.search(r'found:|failed', sentence):
        yield 'no finding'
    if command == 'run' and code != 0 and not re.search(r'^vidmm: the driver|the process|violation|K28', said + report, re.MULTILINE):
        yield 'no sentence'
    if code == 0 and command != 'inspect' and not report:
        yield 'no report'
    if name in AT_ONCE and SLOTS[slot] not in ('InterruptRoutine', 'DpcRoutine') and SLOTS[slot] not in sentence:
        yield f'{SLOTS[slot]} is not in what is said'


def try_one(args, command, act, slot):
    name, kind = ACTS[act].split()
    with tempfile.TemporaryDirectory() as work:
        mark = f'HOSTILE_SEEN={work}/seen'
        environ = dict(os.environ, HOSTILE_SEEN=f'{work}/seen')
        begun = time.monotonic()
        try:
            done = subprocess.run(command_line(args, command, act, slot, work), cwd=work, env=environ, timeout=MOST_SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return command, act, slot, True, ['no end'], MOST_SECONDS
        seconds = time.monotonic() - begun
        said = (done.stdout + done.stderr).decode(errors='replace')
        seen = os.path.exists(f'{work}/seen')
        wrong = list(faults(kind, name, slot, command, done.returncode, said, report_text(work), seen))
        left = left_running(mark)
        if left:
            wrong.append(f'processes are left: {left}')
            for pid in left:
                os.kill(pid, 9)
        if wrong:
            wrong.append('said: ' + ' | '.join(line for line in said.splitlines() if line.startswith('vidmm:'))[:300])
        return command, act, slot, seen, wrong, seconds


def chosen(args):
    acts = [i for i, act in enumerate(ACTS) if not args.acts or act.split()[0] in args.acts]
    for command in [args.command] if args.command else COMMANDS:
        for act in acts:
            slots = set(range(len(SLOTS)))
            if not args.all and not args.acts:
                slots = {act * 5 % len(SLOTS), (act * 5 + 6 + act // 12) % len(SLOTS)}
            if command == 'migrate':
                slots = set(START_AND_STOP if args.all else [START_AND_STOP[act % len(START_AND_STOP)]])
            for slot in sorted(slots):
                yield command, act, slot


def main():
    parser = argparse.ArgumentParser()
    for name in ('vidmm', 'driver', 'hardware'):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--command', choices=COMMANDS)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('acts', nargs='*')
    args = parser.parse_args()
    table = {command: [0, 0, 0, 0.0] for command in COMMANDS}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for command, act, slot, seen, wrong, seconds in pool.map(lambda one: try_one(args, *one), list(chosen(args))[::SHARE]):
            row = table[command]
            row[0] += 1
            row[1] += seen
            row[2] += bool(wrong)
            row[3] = max(row[3], seconds)
            for fault in wrong:
                print(f'{command}: {ACTS[act].split()[0]} in {SLOTS[slot]}: {fault}', flush=True)
    for command, (tried, seen, wrong, longest) in table.items():
        print(f'{command}: {tried} tried, {seen} acted, {wrong} wrong, {longest:.1f} s at most')
    return 1 if any(row[2] for row in table.values()) else 0


sys.exit(main())
