#!/usr/bin/env python3
"""Attacks on a migration between two processes, from a seeded table: replay, reorder, splice, flip, truncate, stall, slow,
flood, two peers, wrong key, older version, kill, half-open connections, slow greetings, downgrades of TLS, tickets of earlier
sessions, renegotiation, bytes after COMMIT, a journal of another migration; over TCP and Unix sockets, with a key and without.

After each: never two owners; whoever is left with the guest ends it verified; nobody takes longer than the deadlines; whoever
failed or was refused, or refused somebody, has said so in a sentence. Prints a line for each kind.

  attacks.py VIDMM [--count 475] [--seed 1] [--only KIND] [--jobs 3] [--patience TIMES]

On a machine that is busy with other work the deadlines are too short for what is not attacked: --patience multiplies them.
Without it they are as long as an undisturbed migration needs here: once to four times as long as on an idle machine.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import secrets
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

TIMEOUT, DEADLINE, LIMIT = 2.0, 8.0, 25.0  # of a link, of a migration; in which all must have ended
RUN = ['--frames', '60', '--vram', '60%', '--seed', '3']
WORKLOAD = 'vkcube'
TRANSPORTS = ['unix', 'unix-key', 'tcp', 'tcp-key']
HELLO, ABORT, CHALLENGE, COMMIT = 2, 16, 17, 14
MAGIC = 0x4d445656


MOST_PATIENCE = 4


def be_patient(times):
    global TIMEOUT, DEADLINE, LIMIT
    TIMEOUT, DEADLINE, LIMIT = TIMEOUT * times, DEADLINE * times, LIMIT * times


class Wrong(Exception):
    """What an attack must not come to."""


# ---- Bytes -------------------------------------------------------------------------------------------------------------

def frame(kind, payload, number=0, check=None):
    """A frame; without a hash of ours its checksum is drawn, which serves where it is refused anyway."""
    check = secrets.token_bytes(8) if check is None else check
    return struct.pack('<IHHII', MAGIC, kind, 0, len(payload), number) + check + payload


def units(data, key):
    """Whole frames, or records of TLS, and what is left."""
    out, at = [], 0
    while True:
        head = 5 if key else 24
        if len(data) - at < head:
            return out, data[at:]
        size = struct.unpack_from('>H', data, at + 3)[0] if key else struct.unpack_from('<I', data, at + 8)[0]
        if len(data) - at < head + size:
            return out, data[at:]
        out.append(data[at:at + head + size])
        at += head + size


# ---- In between --------------------------------------------------------------------------------------------------------

class Proxy:
    """Stands between the two and lets `harm` change the first connection; later ones are served faithfully."""

    def __init__(self, case, harm=None):
        self.case, self.harm, self.kept = case, harm, {'to_target': b'', 'to_source': b''}
        self.listener, self.address = case.listen('near')
        self.first, self.closed, self.done = True, False, False
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.closed:
            try:
                source = self.listener.accept()[0]
            except OSError:
                return
            target = self.case.reach()
            if not target:
                source.close()
                continue
            harm, self.first = (self.harm if self.first else None), False
            link = [source, target]
            for name, ends in (('to_target', (source, target)), ('to_source', (target, source))):
                threading.Thread(target=self.carry, args=(name, *ends, link, harm), daemon=True).start()

    def carry(self, name, come, go, link, harm):
        worker = harm(name) if harm else None
        try:
            while True:
                data = come.recv(65536)
                if not data:
                    break
                self.kept[name] += data
                for piece in (worker(data) if worker else [data]):
                    if piece is None:  # cut
                        self.done = True
                        for end in link:
                            end.close() if end is go else end.shutdown(socket.SHUT_RDWR)
                        return
                    go.sendall(piece)
            go.shutdown(socket.SHUT_WR)
        except OSError:
            for end in link:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.closed = True
        self.listener.close()


def at_byte(way, byte, change, come=None):
    """A harm that lets `byte` bytes pass on `way`, and changes what follows; `come`: since that has come about."""
    def harm(name):
        if name != way:
            return None
        state = {'left': byte, 'state': None}

        def work(data):
            state['came'] = state.get('came') or not come or come()
            if not state['came']:
                yield data
                return
            if state['left'] > 0:
                piece, data = data[:state['left']], data[state['left']:]
                state['left'] -= len(piece)
                yield piece
            if data:
                yield from change(data, state)
        return work
    return harm


def flip(bit):
    def change(data, state):
        if state['state'] is None:
            state['state'] = 'flipped'
            data = bytes([data[0] ^ (1 << bit)]) + data[1:]
        yield data
    return change


def put(byte):
    def change(data, state):
        yield data if state['state'] else bytes([byte]) + data[1:]
        state['state'] = 'put'
    return change


def cut(data, state):
    yield None


def stall(data, state):
    """Nothing goes on; the connection stays."""
    while True:
        time.sleep(0.2)
        yield b''


def slow(data, state):
    for i in range(len(data)):
        time.sleep(0.05)
        yield data[i:i + 1]


def by_unit(way, number, key, change):
    """A harm that changes unit `number` of `way`; `change` gets it and all those before it."""
    def harm(name):
        if name != way:
            return None
        state = {'rest': b'', 'seen': [], 'held': None}

        def work(data):
            whole, state['rest'] = units(state['rest'] + data, key)
            for unit in whole:
                state['seen'].append(unit)
                yield from change(unit, len(state['seen']) - 1, number, state)
        return work
    return harm


def swap(unit, at, number, state):
    if at == number:
        state['held'] = unit
        return
    yield unit
    if state['held']:
        yield state['held']
        state['held'] = None


def twice(unit, at, number, state):
    yield unit
    if at == number:
        yield unit


def leave_out(unit, at, number, state):
    if at != number:
        yield unit


def splice_with(foreign):
    def change(unit, at, number, state):
        if at == number:
            piece = foreign
            if struct.unpack_from('<I', unit)[0] == MAGIC and len(foreign) >= 24:  # the number fits, at least
                piece = foreign[:12] + unit[12:16] + foreign[16:]
            yield piece
        yield unit
    return change


# ---- One migration -----------------------------------------------------------------------------------------------------

class Case:
    def __init__(self, vidmm, transport, rng):
        self.vidmm, self.transport, self.rng = vidmm, transport, rng
        self.key = transport.endswith('-key')
        self.tcp = transport.startswith('tcp')
        self.place = tempfile.mkdtemp(prefix='vidmm-attack-')
        self.journal = f'{self.place}/journal'
        self.processes, self.open, self.killed, self.refuses, self.doubts = {}, [], set(), False, False
        self.write_key('key')
        self.write_key('other')
        self.far = self.free_port() if self.tcp else f'{self.place}/far'

    def write_key(self, name):
        fd = os.open(f'{self.place}/{name}', os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(fd, secrets.token_hex(32).encode() + b'\n')
        os.close(fd)

    @staticmethod
    def free_port():
        with socket.socket() as one:
            one.bind(('127.0.0.1', 0))
            return one.getsockname()[1]

    def words(self, where):
        return f'tcp:127.0.0.1:{where}' if self.tcp else f'unix:{where}'

    def listen(self, name):
        one = socket.socket(socket.AF_INET if self.tcp else socket.AF_UNIX)
        one.bind(('127.0.0.1', 0) if self.tcp else f'{self.place}/{name}')
        one.listen(16)
        self.open.append(one)
        return one, one.getsockname()[1] if self.tcp else f'{self.place}/{name}'

    def reach(self, wait=5.0):
        """A connection to the receiver; None: there is none."""
        until = time.monotonic() + wait
        while time.monotonic() < until:
            one = socket.socket(socket.AF_INET if self.tcp else socket.AF_UNIX)
            one.settimeout(TIMEOUT)
            try:
                one.connect(('127.0.0.1', self.far) if self.tcp else self.far)
                one.settimeout(None)
                self.open.append(one)
                return one
            except OSError:
                one.close()
                time.sleep(0.02)
        return None

    def start(self, name, side, where, key='key', extra=()):
        command = [self.vidmm, 'migrate', side, '--to' if side == 'send' else '--from', self.words(where), '--json',
                   f'{self.place}/{name}.json', '--journal', self.journal, '--control', f'{self.place}/{name}.control',
                   '--timeout', f'{TIMEOUT}s', '--deadline', f'{DEADLINE}s', *RUN, *extra]
        if side == 'send':
            command += ['--at', '30%']
        if self.key and key:
            command += ['--key', f'{self.place}/{key}']
        with open(f'{self.place}/{name}.txt', 'w', encoding='utf-8') as said:
            self.processes[name] = subprocess.Popen(command + [WORKLOAD], stdout=subprocess.DEVNULL, stderr=said)

    def receive(self):
        self.start('recv', 'recv', self.far)
        until = time.monotonic() + 2.5 * TIMEOUT
        while time.monotonic() < until:  # it listens
            one = self.reach(0.05)
            if one:
                one.close()
                return
        raise Wrong('the receiver does not listen')

    def send(self, where=None, **more):
        self.start('send', 'send', where or self.far, **more)

    # ---- Judging

    def deeds(self):
        try:
            lines = open(self.journal, encoding='ascii').read().splitlines()[1:]
        except OSError:
            return []
        return [(words[2], words[3]) for words in (line.split() for line in lines) if len(words) == 7]

    def resolve(self, name, *verdict):
        return subprocess.run([self.vidmm, 'migrate', 'resolve', *verdict, f'{self.place}/{name}.control'],
                              capture_output=True, text=True, check=False).stdout

    def said(self, name):
        return open(f'{self.place}/{name}.txt', encoding='utf-8').read()

    def settle(self, name, until):
        """Waits for its end. In doubt, after another was killed, it is told who has the guest, as the journal says; a
        receiver that no source came to is ended."""
        process, waiting = self.processes[name], 0
        while process.poll() is None:
            if time.monotonic() > until:
                raise Wrong(f'{name} does not end: {self.resolve(name)} {self.said(name)}')
            state = self.resolve(name)
            if state.startswith('in doubt') and (self.killed or self.doubts):
                owned = ('target', 'own') in self.deeds()
                self.resolve(name, '--drop' if name != 'recv' and owned else '--take')
            others = [other for who, other in self.processes.items() if who != name and other.poll() is None]
            waiting = waiting + 1 if name == 'recv' and 'not begun' in state and not others else 0
            if waiting > 10:
                process.kill()
                self.killed.add(name)
            time.sleep(0.03)

    def verify(self, name, hash_wanted):
        report = json.load(open(f'{self.place}/{name}.json', encoding='utf-8'))
        if report['calls_hash'] != hash_wanted or report['mismatched_bytes'] != 0:
            raise Wrong(f'the guest ended wrong at {name}: {report}')

    def judge(self, hash_wanted):
        until = time.monotonic() + LIMIT
        for name in sorted(self.processes, reverse=True):  # sources first
            self.settle(name, until)
        deeds = self.deeds()
        given = ('source', 'commit') in deeds
        runs = given and ('source', 'run') in deeds[deeds.index(('source', 'commit')):]
        owns = deeds.count(('target', 'own'))
        if owns > 1 or (owns and runs):
            raise Wrong(f'two owners: {deeds}')
        codes = {name: process.returncode for name, process in self.processes.items()}
        for name, code in codes.items():
            if code != 0 and name not in self.killed and not self.said(name).strip():
                raise Wrong(f'{name} ended with {code} and said nothing')
            unsure = code == 1 and self.doubts and 'the journal' in self.said(name)  # it lacks a line
            if code not in (0, 2, 4) and not unsure and name not in self.killed:
                raise Wrong(f'{name} ended with {code}: {self.said(name)}')
        if owns and 'recv' not in self.killed:
            self.verify('recv', hash_wanted)
        if not owns and 'send' not in self.killed and codes.get('send') is not None:
            self.verify('send', hash_wanted)
        if self.refuses and 'refused' not in self.said('recv'):
            raise Wrong('the receiver did not say whom it refused')
        return 'moved' if owns else 'stayed'

    def close(self, keep):
        for one in self.open:
            try:
                one.close()
            except OSError:
                pass
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
        if not keep:
            shutil.rmtree(self.place)


# ---- The attacks -------------------------------------------------------------------------------------------------------

class Recordings:
    """One faithful migration of each transport without its key: what an eavesdropper has."""

    def __init__(self, vidmm):
        self.bytes, self.hash, self.longest, self.journal = {}, None, 0, b''
        for transport in TRANSPORTS:
            case = Case(vidmm, transport, random.Random(0))
            proxy, began = Proxy(case), time.monotonic()
            case.receive()
            case.send(proxy.address)
            until = began + LIMIT
            for name in ('send', 'recv'):
                case.settle(name, until)
            self.longest = max(self.longest, time.monotonic() - began)
            report = json.load(open(f'{case.place}/recv.json', encoding='utf-8'))
            if report['status'] != 'done' or (self.hash and self.hash != report['calls_hash']):
                raise Wrong(f'undisturbed, {transport} came to {report}')
            self.hash = report['calls_hash']
            self.bytes[transport] = dict(proxy.kept)
            with open(case.journal, 'rb') as file:
                self.journal = file.read()
            proxy.close()
            case.close(False)


def harmed(case, harm):
    proxy = Proxy(case, harm)
    case.receive()
    case.send(proxy.address)
    return proxy


def somewhere(case, old, change):
    """At any byte; or where the owner changes: after what the journal says, in the bytes of READY, COMMIT or OWNER."""
    if case.rng.random() < 0.4:
        way = case.rng.choice(['to_target', 'to_target', 'to_source'])
        return at_byte(way, case.rng.randrange(len(old[way])), change)
    way, deed = case.rng.choice([('to_target', ('source', 'pause')), ('to_source', ('target', 'ready')),
                                 ('to_target', ('source', 'commit')), ('to_source', ('target', 'own')),
                                 ('to_source', ('source', 'commit')), ('to_target', ('target', 'own'))])
    return at_byte(way, case.rng.choice([0, 0, case.rng.randrange(64)]), change, lambda: deed in case.deeds())


def some_unit(case, old):
    way = case.rng.choice(['to_target', 'to_target', 'to_source'])
    count = len(units(old[way], case.key)[0])
    late = case.rng.random() < 0.5  # SEAL, READY, COMMIT and OWNER are the last ones
    return way, max(0, count - 1 - case.rng.randrange(min(5, count))) if late else case.rng.randrange(count)


def replay(case, old):
    """The recording comes before the source, while it is there, or in the target's place."""
    how = case.rng.randrange(3)
    if how == 2:  # to a source that connects to the attacker
        listener, address = case.listen('near')

        def answer():
            try:
                while True:
                    one = listener.accept()[0]
                    case.open.append(one)
                    one.sendall(old['to_source'])
            except OSError:
                pass
        threading.Thread(target=answer, daemon=True).start()
        case.send(address)
        return None
    case.receive()
    case.refuses = how == 0
    if how == 1:
        case.send()
    for _ in range(case.rng.randrange(1, 4)):
        one = case.reach(0.5 if how else 5)
        if one:
            try:
                one.sendall(old['to_target'][:200000])
            except OSError:
                pass
    if how == 0:
        time.sleep(0.05)
        case.send()
    return 'moved'


def reorder(case, old):
    way, number = some_unit(case, old)
    return harmed(case, by_unit(way, number, case.key, case.rng.choice([swap, twice, leave_out])))


def splice(case, old):
    way, number = some_unit(case, old)
    foreign = case.rng.choice(units(old[way], case.key)[0][-6:])
    return harmed(case, by_unit(way, number, case.key, splice_with(foreign)))


def flip_bit(case, old):
    return harmed(case, somewhere(case, old, flip(case.rng.randrange(8))))


def truncate(case, old):
    return harmed(case, somewhere(case, old, cut))


def stalled(case, old):
    return harmed(case, somewhere(case, old, stall))


def slowed(case, old):
    return harmed(case, somewhere(case, old, slow))


def flood(case, old):
    case.receive()
    pieces = [b'', b'G', b'GET / HTTP/1.1\r\n\r\n', old['to_target'][:30], old['to_target'][:4000], secrets.token_bytes(500),
              frame(9, b'', 0)[:20]]

    def one_of_many():
        one = case.reach(0.2)
        try:
            if one:
                one.sendall(case.rng.choice(pieces))
        except OSError:
            pass
    for _ in range(case.rng.randrange(20, 90)):
        one_of_many()
    case.send()
    for _ in range(30):
        one_of_many()
    return 'moved'


def half_open(case, old):
    """More than a receiver greets at once come and stay, before the source and beside it: silent, with a part of a greeting,
    with their side closed, or reset."""
    case.receive()
    case.refuses = True
    starts = [b'', b'', old['to_target'][:1], old['to_target'][:23], old['to_target'][:60]]

    def come(count):
        for _ in range(count):
            one = case.reach(0.5)
            if not one:
                return
            try:
                one.sendall(case.rng.choice(starts))
                how = case.rng.randrange(6)
                if how == 0:
                    one.shutdown(socket.SHUT_WR)
                elif how == 1:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                    one.close()
            except OSError:
                pass
    come(case.rng.randrange(35, 60))
    case.send()
    come(20)
    return 'moved'


def slow_greeting(case, old):
    """Strangers who greet by the byte, each too slowly for the time that a greeting may take."""
    case.receive()
    case.refuses = True
    ended = time.monotonic() + 2 * TIMEOUT

    def drip(one):
        try:
            for byte in old['to_target'][:44]:
                one.sendall(bytes([byte]))
                time.sleep(TIMEOUT / 20)
                if time.monotonic() > ended:
                    return
        except OSError:
            pass
    for _ in range(case.rng.randrange(1, 20)):
        one = case.reach()
        if one:
            threading.Thread(target=drip, args=(one,), daemon=True).start()
    case.send()
    return 'moved'


def client_hello(old):
    """The first record of a source with a key; it is not encrypted."""
    return units(old['to_target'], True)[0][0]


def downgrade(case, old):
    """Without TLS, with an older one, without a key where there has to be one; or on the way, the offer of TLS 1.3 is taken out of
    what the source says."""
    how = case.rng.randrange(4)
    if case.key and how == 3:
        offer = client_hello(old).index(b'\x00\x2b\x00\x03\x02\x03\x04') + 6  # supported_versions: 3.4
        return harmed(case, at_byte('to_target', offer, put(3)))
    case.receive()
    case.refuses = True
    one = case.reach()
    if case.key and how == 2:
        one.sendall(frame(HELLO, bytes(20)) + b'G' * 100)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if how == 1:
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        one.settimeout(4 * TIMEOUT)
        try:
            context.wrap_socket(one)
        except OSError:  # ssl.SSLError among them
            pass
        else:
            raise Wrong('a peer without the key was greeted')
    case.send()
    return 'moved'


def ticket(case, old):
    """What begins like the session of an earlier source, whose identity is now a ticket, with early data."""
    case.receive()
    case.refuses = True
    kept = old['to_target']
    if case.key:
        hello = client_hello(old)
        name = hello.rindex(b'vidmm')
        records = units(kept, True)[0]
        kept = hello[:name] + secrets.token_bytes(5) + hello[name + 5:] + b''.join(records[1:case.rng.randrange(2, 9)])
    for _ in range(case.rng.randrange(1, 4)):
        one = case.reach()
        try:
            one.sendall(kept[:200000])
        except OSError:
            pass
    case.send()
    return 'moved'


def renegotiate(case, old):
    """In the middle of a connection, what begins one: a hello, a change of the cipher, an alert that is not encrypted."""
    way, number = some_unit(case, old)
    beginning = units(old[way], case.key)[0][:3]
    if case.key:
        beginning += [b'\x14\x03\x03\x00\x01\x01', b'\x15\x03\x03\x00\x02\x01\x00', b'\x15\x03\x03\x00\x02\x02\x28']
    return harmed(case, by_unit(way, number, case.key, splice_with(case.rng.choice(beginning))))


def after_commit(case, old):
    """With COMMIT and behind it: the same bytes again, a recorded COMMIT, ABORT, anything."""
    last = units(old['to_target'], case.key)[0][-4:]
    extra = case.rng.choice([None, *last, b''.join(last), frame(ABORT, b'no', 7), frame(COMMIT, bytes(8), 7), secrets.token_bytes(100000)])
    before = case.rng.random() < 0.3

    def change(data, state):
        first, state['state'] = state['state'] is None, 'done'
        if not first:
            yield data
            return
        yield from ([extra or data, data] if before else [data, extra or data])
    return harmed(case, at_byte('to_target', 0, change, lambda: ('source', 'commit') in case.deeds()))


def other_journal(case, old):
    """The journal is replaced by that of another migration, for a while; what has the guest waits with its step or ends."""
    foreign = f'{case.place}/foreign'
    with open(foreign, 'wb') as file:
        file.write(case.recorded_journal)
    case.receive()
    case.send()
    until = time.monotonic() + 5
    deed = case.rng.choice([('source', 'pause'), ('target', 'ready'), ('source', 'commit'), ('target', 'own')])
    while deed not in case.deeds() and time.monotonic() < until:
        time.sleep(0.001)
    case.doubts = True
    kept = f'{case.place}/kept'
    os.rename(case.journal, kept)
    os.rename(foreign, case.journal)
    time.sleep(case.rng.random() * TIMEOUT)
    with open(case.journal, 'rb') as file:
        written = file.read() != case.recorded_journal
    os.rename(kept, case.journal)
    if written:
        raise Wrong('a line went into the journal of another migration')
    return None


def two_peers(case, old):
    case.receive()
    if case.rng.random() < 0.5:  # another receiver on the same name
        case.start('other', 'recv', case.far)
        if case.processes['other'].wait(5 * TIMEOUT) != 2:
            raise Wrong('a second receiver listens, too')
        case.send()
    else:
        case.send()
        time.sleep(case.rng.random() * 0.3)
        case.start('sent', 'send', case.far)
        case.killed.add('sent')  # which of the two is let in is not said; neither may be a second owner
        if case.processes['sent'].wait(LIMIT) not in (0, 4) or case.processes['send'].wait(LIMIT) not in (0, 4):
            raise Wrong('two sources, and one ended badly')
        if sorted([case.processes['sent'].returncode, case.processes['send'].returncode]) != [0, 4]:
            raise Wrong('two sources, and not one of them gave the guest away')
        if case.processes['sent'].returncode == 0:
            case.killed.add('send')
    return 'moved'


def wrong_key(case, old):
    case.receive()
    extra = 'other' if case.key else None
    if case.key:
        case.refuses = True
        case.start('sent', 'send', case.far, key=case.rng.choice([extra, None]))
        if case.processes['sent'].wait(LIMIT) != 4 or not case.said('sent').strip():
            raise Wrong('a source with another key was not refused with a sentence')
    else:  # a source with a key at a receiver that has none
        case.key = case.refuses = True
        case.start('sent', 'send', case.far)
        case.key = False
        if case.processes['sent'].wait(LIMIT) != 4 or not case.said('sent').strip():
            raise Wrong('a source with a key went without it')
    case.send()
    return 'moved'


def older(case, old):
    """A program of version 1, whose frames have a checksum without a bond, on either side."""
    # XXH64 of these two frames, as version 1 wrote them: HELLO 1 1 0 of session 77, number 0.
    hello = bytes.fromhex(V1_HELLO)
    if case.rng.random() < 0.5 or case.key:
        case.receive()
        case.refuses = True
        one = case.reach()
        one.sendall(hello + old['to_target'][68:4000])
        if not case.key:
            one.settimeout(TIMEOUT)
            if struct.unpack_from('<IHHIIQII', one.recv(1000))[6] != 2:
                raise Wrong('an older program does not learn which version this is')
        time.sleep(0.05)
        case.send()
        return 'moved'
    listener, address = case.listen('near')
    case.send(address)
    one = listener.accept()[0]
    case.open.append(one)
    one.sendall(hello)
    case.processes['send'].wait(LIMIT)
    if 'too old' not in case.said('send'):
        raise Wrong(f'a target of version 1 was not refused by its version: {case.said("send")}')
    return None


def kill(case, old):
    case.receive()
    case.send()
    victim = case.rng.choice(['send', 'recv'])
    if case.rng.random() < 0.5:
        until = time.monotonic() + 5
        while ('source', 'pause') not in case.deeds() and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(case.rng.random() * 0.02)
    else:
        time.sleep(case.rng.random() * 0.35)
    case.processes[victim].send_signal(signal.SIGKILL)
    case.killed.add(victim)
    return None


KINDS = {'replay': replay, 'reorder': reorder, 'splice': splice, 'flip': flip_bit, 'truncate': truncate, 'stall': stalled,
         'slow': slowed, 'flood': flood, 'two peers': two_peers, 'wrong key': wrong_key, 'older version': older, 'kill': kill,
         'half open': half_open, 'slow greeting': slow_greeting, 'downgrade': downgrade, 'ticket': ticket,
         'renegotiate': renegotiate, 'after commit': after_commit, 'other journal': other_journal}
V1_HELLO = '5656444d020000001400000000000000e3f7924303fdb4a30100000001000000000000004d00000000000000'


def attack(vidmm, recordings, number, seed, only):
    """(kind, what it came to, seconds), or the sentence that says what is wrong."""
    names = [only] if only else list(KINDS)
    kind, transport = names[number % len(names)], TRANSPORTS[number // len(names) % len(TRANSPORTS)]
    case = Case(vidmm, transport, random.Random(seed * 1000003 + number))
    case.recorded_journal = recordings.journal
    began, wrong = time.monotonic(), None
    try:
        wanted = KINDS[kind](case, recordings.bytes[transport])
        came = case.judge(recordings.hash)
        if wanted == 'moved' and came != 'moved':
            raise Wrong(f'the source was kept out: {case.said("send")} {case.said("recv")}')
    except Wrong as why:
        wrong = f'attack {number} ({kind}, {transport}): {why}; see {case.place}'
        came = 'wrong'
    case.close(keep=wrong)
    return kind, came, time.monotonic() - began, wrong


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument('vidmm')
    words.add_argument('--count', type=int, default=475)
    words.add_argument('--seed', type=int, default=1)
    words.add_argument('--first', type=int, default=0)
    words.add_argument('--only', choices=list(KINDS))
    words.add_argument('--jobs', type=int, default=3)
    words.add_argument('--patience', type=float)
    options = words.parse_args()
    be_patient(options.patience or MOST_PATIENCE)
    recordings = Recordings(options.vidmm)
    if not options.patience:  # each of the jobs takes a part of the machine
        wanted = recordings.longest * options.jobs / 3
        be_patient(max(1, min(MOST_PATIENCE, wanted)) / MOST_PATIENCE)
    came, longest, failed = collections.defaultdict(collections.Counter), collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(options.first, options.first + options.count)
        for kind, end, seconds, wrong in pool.map(
                lambda n: attack(options.vidmm, recordings, n, options.seed, options.only), numbers):
            came[kind][end] += 1
            longest[kind] = max(longest[kind], seconds)
            if wrong:
                failed += 1
                print(wrong, flush=True)
    for kind, ends in came.items():
        print(f'{kind:14} ' + ', '.join(f'{count} {end}' for end, count in sorted(ends.items())) +
              f'; the longest {longest[kind]:.1f} s')
    print(f'{options.count - failed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    raise SystemExit(main())
