#!/usr/bin/env python3
"""The timeline (docs/timeline.md), read by a decoder of its own: what it sums is what the report says;
each slice is closed and lies in no other, each flow has one beginning and one end; the file is whole
or not there; with it the same calls are made as without.

  timeline_test.py VIDMM SOURCE_ROOT COMPILER...
"""
import collections
import functools
import json
import os
import subprocess
import sys
import tempfile

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Number and value of each field of a message: an int, or bytes. Most numbers and sizes are one byte."""
    at, end = 0, len(data)
    while at < end:
        key, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
        if key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], 'little'), at + 8
        else:
            value, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
            if key & 7 != 0:
                assert key & 7 == 2, key
                at += value
                assert at <= end, 'a message is cut off'
                value = data[at - value:at]
        yield key >> 3, value


@functools.cache  # the same notes stand in many events
def decode_note(data):
    note = dict(fields(data))
    return note[10].decode(), note[6].decode() if 6 in note else note[3]


def decode_event(data, ns):
    event = {'ns': ns, 'notes': {}, 'flows': [], 'ends': [], 'name': None}
    for number, value in fields(data):
        if number == 4:
            name, note = decode_note(value)
            event['notes'][name] = note
        elif number in (47, 48):
            event['flows' if number == 47 else 'ends'].append(value)
        else:
            name = {9: 'type', 11: 'track', 23: 'name', 30: 'value'}[number]
            event[name] = value.decode() if number == 23 else value
    return event


def decode(path):
    """The names of the tracks by number, those that count bytes, and the events in their order."""
    tracks, counters, events = {}, set(), []
    with open(path, 'rb') as file:
        trace = file.read()
    for number, packet in fields(trace):
        assert number == 1
        packet = dict(fields(packet))
        assert packet[10] == 1, 'all packets are of one sequence'
        if 60 in packet:
            track = dict(fields(packet[60]))
            assert track[1] not in tracks
            tracks[track[1]] = track[2].decode()
            if 8 in track:
                counters.add(track[1])
        else:
            events.append(decode_event(packet[11], packet[8]))
            assert events[-1]['track'] in tracks, 'a track is described before its first event'
    return tracks, counters, events


def check_shape(tracks, counters, events):
    opened, began, ended = collections.Counter(), collections.Counter(), collections.Counter()
    for event in sorted(events, key=lambda event: event['ns']):  # stable, as the viewer does it
        began.update(event['flows'])
        ended.update(event['ends'])
        assert (event['type'] == COUNTER) == (event['track'] in counters), event
        if event['type'] in (BEGIN, END):
            opened[event['track']] += 1 if event['type'] == BEGIN else -1
            assert 0 <= opened[event['track']] <= 1, event
    assert not any(opened.values()), 'a slice is not closed'
    assert began == ended and set(began.values()) <= {1}, 'a flow is not paired'
    return len(began)


def sums(tracks, events):
    found = dict.fromkeys(('paged_in_bytes', 'page_ins', 'evictions', 'submissions'), 0)
    for event in events:
        if event['name'] == 'counted' and tracks[event['track']] == 'run':
            break
        if tracks[event['track']] == 'moves':
            found['page_ins'] += event['name'] == 'page-in'
            found['paged_in_bytes'] += event['notes']['bytes'] * (event['name'] == 'page-in')
            found['evictions'] += 'eviction' in event['notes']
        found['submissions'] += event['name'] == 'submission' and tracks[event['track']] == 'run'
    return found


def last_values(tracks, counters, events):
    return {tracks[event['track']]: event['value'] for event in events if event['track'] in counters}


def run(vidmm, *words, code=0):
    done = subprocess.run([vidmm, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stderr


def check_run(vidmm, work, *words):
    """The report and the timeline of a run agree."""
    timeline, with_it, without = (os.path.join(work, name) for name in ('timeline', 'with', 'without'))
    run(vidmm, 'run', '--quiet', '--json', with_it, '--timeline', timeline, *words)
    run(vidmm, 'run', '--quiet', '--json', without, *words)
    with open(with_it, encoding='ascii') as file:
        report = json.load(file)
    with open(without, encoding='ascii') as file:
        assert json.load(file) == report, 'the report differs with a timeline'
    tracks, counters, events = decode(timeline)
    found = sums(tracks, events)
    assert found == {name: report[name] for name in found}, (words, found)
    assert check_shape(tracks, counters, events) >= report['submissions']
    left = {name: value for name, value in last_values(tracks, counters, events).items() if value != 0 and 'budget' not in name}
    assert not left, ('not empty at the end', left)
    return report, tracks, events


def check_figures(vidmm, work):
    # The whole recording without bytes, of which a timeline has none; the shorter ones with them.
    report, tracks, events = check_run(vidmm, work, '--bytes', 'none', '--vram', '25%', 'openarena-tour')
    assert report['evictions'] > 0
    occupied = [event['value'] for event in events if tracks[event['track']] == 'segment 2']
    assert 0 < max(occupied) <= report['vram_bytes']
    # Engines are busy for some of the virtual time, and never for more than all of it.
    busy = sum((1 if event['type'] == END else -1) * event['ns'] for event in events
               if tracks[event['track']] == 'adapter 0, engine 0')
    assert 0 < busy <= events[-1]['ns'], busy
    _, tracks, _ = check_run(vidmm, work, '--vram', '25%', '--model', 'gpummu', '--frames', '60', 'openarena-tour')
    assert {'process 1: budget', 'process 1: in GPU memory'} <= set(tracks.values())
    check_run(vidmm, work, '--vram', '25%', '--linked', '2', '--model', 'gpummu', '--frames', '30', 'openarena-tour')


def check_hang(vidmm, work):
    """Work of an engine that hangs has an end in the timeline, too."""
    _, _, events = check_run(vidmm, work, '--model', 'gpummu', '--frames', '30', '--set', 'HangPagingAt=60', '--vram', '25%', 'openarena-tour')
    ends = {event['notes']['end'] for event in events if 'end' in event['notes']}
    assert ends & {'preempted', 'reset of the engine', 'reset'}, ends


def check_both(vidmm, work):
    """Lines and a timeline of the same run are what they are alone."""
    paths = [os.path.join(work, name) for name in ('calls', 'timeline', 'calls2', 'timeline2')]
    words = ('run', '--quiet', '--frames', '3', 'vkcube')
    run(vidmm, *words, '--calls', paths[0], '--timeline', paths[1])
    run(vidmm, *words, '--calls', paths[2])
    run(vidmm, *words, '--timeline', paths[3])
    content = []
    for path in paths:
        with open(path, 'rb') as file:
            content.append(file.read())
    assert content[0] == content[2] and content[1] == content[3]


def check_findings(vidmm, work):
    """Stages follow each other; a finding is an instant; what a crash left open is closed."""
    timeline = os.path.join(work, 'timeline')
    run(vidmm, 'check', '--timeline', timeline, '--set', 'FaultKind=7', '--set', 'FaultAt=2', code=1)
    tracks, counters, events = decode(timeline)
    check_shape(tracks, counters, events)
    assert 'R200' in {event['name'] for event in events if tracks[event['track']] == 'findings'}


def check_crash(vidmm, work, root, compiler):
    driver, timeline = os.path.join(work, 'broken.so'), os.path.join(work, 'timeline')
    common = [os.path.join(root, 'drivers/common', name) for name in ('skeleton.c', 'cpu_pager.c', 'instant.c')]
    subprocess.run([*compiler, '-w', '-shared', '-fPIC', '-I' + os.path.join(root, 'include/wddm'),
                    '-I' + os.path.join(root, 'drivers/common'), os.path.join(root, 'tests/system/broken_driver.c'),
                    os.path.join(root, 'drivers/cpu-vram/driver.c'), *common, '-Wl,-Bsymbolic', '-o', driver], check=True)
    run(vidmm, 'run', '--driver', driver, '--set', 'Break=1', '--timeline', timeline, '--frames', '2', 'vkcube', code=3)
    tracks, counters, events = decode(timeline)
    check_shape(tracks, counters, events)
    assert 'DxgkDdiCreateDevice' in events[-1]['name'], events[-1]


def check_refusals(vidmm, work):
    for path in (os.path.join(work, 'no/such'), '/dev/full'):
        sentence = run(vidmm, 'run', '--quiet', '--frames', '3', '--timeline', path, 'vkcube', code=2)
        assert sentence.startswith("vidmm: cannot write '" + path + "': ") and sentence.count('\n') == 1, sentence
    assert not [name for name in os.listdir(work) if name.endswith('.tmp')]


def write_busy(path):
    """A recording with twice the memory that it gets: some 400,000 events."""
    with open(path, 'w', encoding='ascii') as file:
        def line(**members):
            file.write(json.dumps(members) + '\n')
        line(vidmm_trace=1, source='a test', api='vulkan', note='')
        for number in range(1, 201):
            line(op='alloc', id=number, size=65536, heap=0, flags=['device_local'])
        for _ in range(300):
            for first in range(1, 201, 10):
                line(op='submit', reads=list(range(first, first + 9)), writes=[first + 9])
            line(op='present')
        for number in range(1, 201):
            line(op='free', id=number)


def check_rate(vidmm, work):
    """A million events in less than 3 seconds of the CPU: what a timeline adds to a run, of so many events that its start is
    nothing beside them."""
    timeline, recording = os.path.join(work, 'timeline'), os.path.join(work, 'busy.jsonl')
    write_busy(recording)
    words = ('run', '--quiet', '--bytes', 'none', '--unjudged', '--policy', 'lru', '--vram', '50%', recording)

    def spent(*more):
        before = os.times()
        run(vidmm, *words, *more)
        after = os.times()
        return after.children_user - before.children_user + after.children_system - before.children_system

    without = min(spent() for _ in range(3))
    with_it = min(spent('--timeline', timeline) for _ in range(3))
    with open(timeline, 'rb') as file:
        events = sum(1 for _ in fields(file.read()))
    print(f'{events} events: {with_it:.2f} s, without {without:.2f} s')
    assert events > 200000
    assert (with_it - without) * 1e6 / events < 3


def main():
    vidmm, root, *compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        check_figures(vidmm, work)
        check_hang(vidmm, work)
        check_both(vidmm, work)
        check_findings(vidmm, work)
        check_crash(vidmm, work, root, compiler)
        check_refusals(vidmm, work)
        if not os.environ.get('ASAN_OPTIONS'):
            check_rate(vidmm, work)


main()
