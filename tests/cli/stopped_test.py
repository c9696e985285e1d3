#!/usr/bin/env python3
"""A signal that ends a command leaves no socket, no temporary file or directory, and no process behind.

  stopped_test.py VIDMM
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1]
PATIENCE = 60
wrong = []


def until(true, what):
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            wrong.append('never: ' + what)
            return False
        time.sleep(0.02)
    return True


def users(place):
    """Processes that have `place` on their command lines."""
    found = []
    for number in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{number}/cmdline', 'rb') as file:
                if place.encode() in file.read():
                    found.append(number)
        except OSError:
            pass
    return found


def stop(vidmm, words, number, begun, left, code=None, times=1):
    """Starts it in a directory of its own, waits for what `begun` names, sends the signal; `left`: files that may stay."""
    place = tempfile.mkdtemp(prefix='vidmm-stopped-')
    words = [word.replace('PLACE', place) for word in words]
    env = dict(os.environ, TMPDIR=place)
    what = f'{" ".join(words[:2])} and {signal.Signals(number).name}'
    # SIGINT is ignored in what a shell starts in the background.
    process = subprocess.Popen([vidmm] + words, env=env, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in SIGNALS])
    if until(lambda: begun(place) or process.poll() is not None, what + ': it begins'):
        for again in range(times):
            time.sleep(0.02 if again else 0)
            process.send_signal(number)
    try:
        got = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        got = 'no end'
    if got != (-number if code is None else code):
        wrong.append(f'{what}: ended with {got}')
    until(lambda: not users(place), what + ': no process is left')
    files = [name for name in os.listdir(place) if name not in left]
    if files:
        wrong.append(f'{what}: left {files}')
    shutil.rmtree(place)


def has(*names):
    return lambda place: all(any(name in file for file in os.listdir(place)) for name in names)


def main():
    vidmm = os.path.abspath(sys.argv[1])
    receive = ['migrate', 'recv', '--from', 'unix:PLACE/link', '--control', 'PLACE/control', 'vkcube']
    for number in SIGNALS:
        stop(vidmm, receive, number, has('link', 'control'), [])
    send = ['migrate', 'send', '--to', 'unix:PLACE/nobody', '--control', 'PLACE/control', '--retry', '9999', 'openarena-tour']
    stop(vidmm, send, signal.SIGHUP, has('control'), [])
    stop(vidmm, ['run', '--driver', os.path.abspath(sys.argv[2]), '--hardware', os.path.abspath(sys.argv[3]),
                 '--plan', 'PLACE/plan', 'openarena-tour'], signal.SIGTERM,
         has('plan.'), [])
    play = ['run', '--calls', 'PLACE/calls', '--timeline', 'PLACE/timeline', '--html', 'PLACE/html', 'openarena-tour']
    for times in 1, 3:
        stop(vidmm, play, signal.SIGINT, has('timeline.'), ['calls'], times=times)  # calls grow as they are made
    stop(vidmm, ['run', '--no-fork'] + play[1:], signal.SIGTERM, has('timeline.'), ['calls'])
    save = ['migrate', 'send', '--to', 'file:PLACE/guest', '--control', 'PLACE/control', 'openarena-tour']
    stop(vidmm, save, signal.SIGTERM, has('guest.part'), [])
    fuzz = ['fuzz', '--output', 'PLACE/found', '--jobs', '2', os.path.abspath(sys.argv[2]), '--hardware', os.path.abspath(sys.argv[3])]
    if shutil.which('clang'):
        stop(vidmm, fuzz, signal.SIGTERM, has('vidmm-fuzz-'), ['found'], times=2)
    check = ['check', '--jobs', '4', '--output', 'PLACE/report', '--stage', 'paging,memory']
    stop(vidmm, check, signal.SIGTERM, lambda place: len(users(place)) >= 7, [])  # a guard and a driver's process each
    study = ["sweep", "--store", "PLACE/store", "--csv", "PLACE/csv", "--seed", "1,2,3", "--jobs", "1", "--workload", "openarena-tour"]
    stop(vidmm, study, signal.SIGHUP, has('store'), ['store', 'csv', 'store-journal', 'store-wal', 'store-shm', 'store.lock'],
         128 + signal.SIGHUP)
    if shutil.which('clang'):
        compile_until(vidmm)
    for sentence in wrong:
        print(sentence)
    return len(wrong) != 0


def compile_until(vidmm):
    """A macro that takes the compiler a while."""
    source = tempfile.mkdtemp(prefix='vidmm-source-')
    with open(source + '/driver.c', 'w', encoding='ascii') as file:
        file.write('#define A0 0,0,0,0,0,0,0,0,0,0\n')
        for i in range(1, 9):
            file.write(f'#define A{i} ' + ','.join([f'A{i - 1}'] * 10) + '\n')
        file.write('int much[] = {A8};\n')
    words = ['cc', '-o', 'PLACE/driver.so', source + '/driver.c']
    stop(vidmm, words, signal.SIGTERM, lambda place: has('vidmm-cc-')(place) and len(users(place)) > 1, [])
    stop(vidmm, words, signal.SIGQUIT, lambda place: has('vidmm-cc-')(place) and len(users(place)) > 1, [])
    # clang has made a file of its own next to the object.
    stop(vidmm, words, signal.SIGINT, lambda place: glob.glob(place + '/vidmm-cc-*/*.tmp'), [])
    shutil.rmtree(source)


if __name__ == '__main__':
    sys.exit(main())
