#!/usr/bin/env python3
"""What commands tell while they run stays in one line of a terminal of 40 columns, or of 7; one that cannot move its
cursor (TERM=dumb) is told nothing.

  narrow_test.py VIDMM
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

wrong = []


def told(vidmm, columns, place, *words, term='xterm'):
    """What it writes to a terminal that wide and of that kind."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    process = subprocess.Popen([vidmm, *words], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal,
                               env={**os.environ, 'TERM': term})
    os.close(terminal)
    said = b''
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # nobody has the terminal open any more
            part = b''
        if not part:
            break
        said += part
    os.close(main)
    if process.wait() != 0:
        wrong.append(f'{words[0]}: exit code {process.returncode}: {said[-300:]}')
    return said.decode()


def lines(*arguments):
    return re.split('[\r\n]+', told(*arguments).replace('\x1b[K', ''))


def main():
    vidmm = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        for columns in 40, 7:
            for number, words in enumerate([
                    ['run', '--vram', '25%', '--frames', '60', 'minetest'],
                    ['sweep', '--store', f'store{columns}', '--workload', 'frame-loop', '--frames', '5', '--seed', '1..4', '--bytes', 'none'],
                    ['migrate', 'send', '--to', f'file:guest{columns}', '--frames', '20', 'vkcube']]):
                said = [line for line in lines(vidmm, columns, place, *words) if not line.startswith('vidmm: ')]
                if number < 2 and not any(said):
                    wrong.append(f'{words[0]} tells nothing')
                wrong.extend(f'{words[0]} at {columns} columns: {line!r}' for line in said if len(line) >= columns)
        for words in ['run', '--frames', '60', 'minetest'], ['sweep', '--store', 'dumb', '--workload', 'frame-loop', '--frames', '5', '--bytes', 'none']:
            said = told(vidmm, 80, place, *words, term='dumb')
            if said:
                wrong.append(f'{words[0]} to TERM=dumb: {said!r}')
    for sentence in wrong:
        print(sentence)
    return len(wrong) != 0


if __name__ == '__main__':
    sys.exit(main())
