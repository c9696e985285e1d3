#!/usr/bin/env python3
"""A journal, a control socket, a socket, a migration's file and a key where something else lies: a directory, a FIFO, a device, a
link, a file of somebody's. Each side ends with code 2, or 4 where a file's content is no migration, and a sentence, soon; what lay
there is as it was, and still there.

  odd_files_test.py VIDMM
"""
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

PRECIOUS = b'precious\n'
GOOD_KEY = b'0123456789abcdef' * 4 + b'\n'
SECONDS = 60


def put_file(path, content=PRECIOUS, mode=0o600):
    with open(path, 'wb') as file:
        file.write(content)
    os.chmod(path, mode)


def put_link(path):
    put_file(path + '.aim')
    os.symlink(path + '.aim', path)


def put_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path)


def put_loop(path):
    os.symlink(path, path)


ODD = {
    'directory': os.mkdir,
    'FIFO': os.mkfifo,
    'file': put_file,
    'link to a file': put_link,
    'link to a device': lambda path: os.symlink('/dev/zero', path),
    'link to itself': put_loop,
    'link into nowhere': lambda path: os.symlink('/nonexistent/aim', path),
}
NO_MIGRATION = ('file to read: file', 'file to read: link to a file')
KEYS = {
    'read by its group': lambda path: put_file(path, GOOD_KEY, 0o640),
    'read by others': lambda path: put_file(path, GOOD_KEY, 0o604),
    'written by others': lambda path: put_file(path, GOOD_KEY, 0o602),
    'executed by its group': lambda path: put_file(path, GOOD_KEY, 0o610),
    'empty': lambda path: put_file(path, b''),
    'of one digit too many': lambda path: put_file(path, b'1' + GOOD_KEY),
    'of two lines': lambda path: put_file(path, GOOD_KEY + GOOD_KEY),
    'with a zero byte': lambda path: put_file(path, GOOD_KEY[:40] + b'\0' + GOOD_KEY[41:]),
    'too long': lambda path: put_file(path, GOOD_KEY[:-1] * 1000),
}


def seen(path):
    """What lies at a path and where it leads: kind, number, size, mode and bytes."""
    of = os.lstat(path)
    content = None
    if os.path.isfile(path):
        with open(path, 'rb') as file:
            content = file.read()
    return stat.S_IFMT(of.st_mode), of.st_ino, of.st_mode, content


def play(vidmm, room, side, **where):
    words = {'link': f'unix:{room}/link', 'journal': f'{room}/journal', 'control': f'{room}/control', **where}
    command = [vidmm, 'migrate', side, '--to' if side == 'send' else '--from', words['link'], '--journal', words['journal'],
               '--control', words['control'], '--timeout', '2s', '--deadline', '8s', '--frames', '6']
    command += ['--at', '2'] if side == 'send' else []
    command += ['--key', words['key']] if 'key' in words else []
    return subprocess.run([*command, 'vkcube'], capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)


def cases():
    """(side, name, what puts it there, the argument, how the path is written in it)."""
    for side in 'recv', 'send':
        for name, put in ODD.items():
            yield side, f'journal: {name}', put, 'journal', '{}'
            yield side, f'control: {name}', put, 'control', '{}'
            yield side, f'key: {name}', put, 'key', '{}'
        yield side, 'journal: socket', put_socket, 'journal', '{}'
        yield side, 'key: socket', put_socket, 'key', '{}'
        for name, put in KEYS.items():
            yield side, f'key: {name}', put, 'key', '{}'
    for name, put in ODD.items():
        yield 'recv', f'socket: {name}', put, 'link', 'unix:{}'
        yield 'recv', f'file to read: {name}', put, 'link', 'file:{}'
        yield 'send', f'file to write: {name}', put, 'link', 'file:{}'
        yield 'send', f'file half written: {name}', put, 'link', 'file:{bare}'


def main():
    vidmm, wrong, count = os.path.abspath(sys.argv[1]), 0, 0
    for side, name, put, argument, form in cases():
        room = tempfile.mkdtemp(prefix='vidmm-odd-')
        try:
            path = f'{room}/odd.part'
            put(path)
            before = seen(path)
            try:
                done = play(vidmm, room, side, **{argument: form.format(path, bare=path.removesuffix('.part'))})
                said = done.stderr.strip()
                good = done.returncode == (4 if name in NO_MIGRATION else 2) and said.startswith('vidmm') and '\n' not in said
                came = f'ends with {done.returncode}: {said}'
            except subprocess.TimeoutExpired:
                good, came = False, 'does not end'
            if not os.path.lexists(path) or seen(path) != before:
                good, came = False, came + '; what lay there was changed'
            count += 1
            wrong += not good
            if not good or '-v' in sys.argv:
                print(f'{side}, {name}: {came}')
        finally:
            shutil.rmtree(room)
    print(f'{count - wrong} passed, {wrong} failed')
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
