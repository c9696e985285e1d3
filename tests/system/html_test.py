#!/usr/bin/env python3
"""HTML reports (docs/html-report.md) without a browser: each is one sound page that asks for no other
file; its data is what the JSON report says; text of a driver or a recording cannot become markup; its size is
bounded; a picture is an SVG or a PNG; with them the same calls are made as without.

  html_test.py VIDMM SOURCE_ROOT COMPILER...
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

VOID = {'meta', 'br', 'hr', 'img', 'input', 'link'}


class Page(html.parser.HTMLParser):
    """Elements are closed in their order, ids are there once, and nothing refers to another file."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.text, self.data, self.scripts = [], set(), [], None, 0
        self.controls = []
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert text.startswith('<!doctype html>')

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        assert tag not in ('link', 'img', 'iframe', 'object', 'embed', 'base'), tag
        for name in ('src', 'srcset', 'action', 'data', 'background', 'xlink:href'):
            assert name not in found, (tag, name)
        assert found.get('href', '#').startswith('#'), found
        assert not any(name.startswith('on') for name in found), found
        if 'id' in found:
            assert found['id'] not in self.ids, found['id']
            self.ids.add(found['id'])
        self.scripts += tag == 'script'
        if tag in ('canvas', 'svg'):
            assert found.get('role') and found.get('aria-label'), found
        if tag == 'canvas':
            assert found.get('tabindex') == '0', found
        if tag not in VOID:
            self.open.append((tag, found.get('id')))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, text):
        inside = self.open[-1] if self.open else ('', None)
        if inside == ('script', 'data'):
            self.data = json.loads(text)
        elif inside[0] in ('style', 'script'):
            assert 'url(' not in text and '@import' not in text and 'http' not in text, inside
        else:
            self.text.append(text)


def run(vidmm, work, name, *options, code=0, verb='run'):
    path = os.path.join(work, name + '.html')
    done = subprocess.run([vidmm, verb, *options, '--html', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, (done.returncode, done.stderr)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    return Page(text), text


def check_run(vidmm, work, model):
    """The figures of the page's data are those of the report."""
    json_path = os.path.join(work, 'report.json')
    page, _ = run(vidmm, work, model, '--quiet', '--model', model, '--vram', '25%', '--frames', '60', '--json', json_path, 'minetest')
    with open(json_path, encoding='utf-8') as file:
        report = json.load(file)
    data = page.data
    assert page.scripts == 2
    memory = {segment['id'] for segment in data['segments'] if segment['memory']}
    assert sum(column[2] for column in data['moved']) == report['page_ins']
    assert sum(column[3] for column in data['moved']) == report['evictions']
    assert sum(column[0] for column in data['moved']) == report['paged_in_bytes']
    assert sum(column[1] for column in data['moved']) == report['paged_out_bytes']
    assert sum(column[4] for column in data['moved']) == report['submissions']
    assert sum(stay[1] in memory for stay in data['stays']) == report['page_ins']
    for segment in data['segments']:
        assert not segment['memory'] or max(segment['used']) <= segment['size'], segment['id']
    for section in ('summary', 'findings', 'maps', 'time', 'costs', 'undone', 'bound'):
        assert section in page.ids, section
    said = ''.join(page.text)
    assert ('Bytes of each process in GPU memory' in said) == bool(memory), model
    if not memory:  # its one segment has a quarter of the peak, however high what lies in it is drawn
        quarter = report['peak_live_bytes'] / 4
        assert f'aperture, {-(-quarter // 65536) / 16:.1f} MiB, ' in said, said  # --vram rounds up to 64 KiB
        assert data['segments'][-1]['size'] > quarter + 65536 and 'So drawn they reach' in said
    return data


def check_apart(data):
    """Two stays are in no byte of a segment at one time."""
    for segment in data['segments']:
        stays = sorted((stay for stay in data['stays'] if stay[1] == segment['id'] and stay[4] > stay[3]), key=lambda stay: stay[3])
        for index, stay in enumerate(stays):
            for other in stays[index + 1:]:
                if other[3] >= stay[4]:
                    break
                for a in range(0, len(stay[19]), 2):
                    for b in range(0, len(other[19]), 2):
                        assert stay[19][a] >= other[19][b] + other[19][b + 1] or other[19][b] >= stay[19][a] + stay[19][a + 1], (stay, other)


def check_escapes(vidmm, work):
    """A recording with a hostile name, and a command with hostile words."""
    name = 'x</script><script>alert(1)</script>&"\'<!--'
    recording = os.path.join(work, name.replace('/', '_') + '.jsonl')
    with open(recording, 'w', encoding='utf-8') as file:
        file.write(json.dumps({'vidmm_trace': 1, 'source': name, 'api': name, 'note': name}) + '\n')
        file.write('{"op":"alloc","id":1,"size":65536,"heap":0}\n{"op":"submit","reads":[],"writes":[1]}\n{"op":"present"}\n{"op":"free","id":1}\n')
    page, text = run(vidmm, work, 'hostile', '--quiet', recording)
    assert page.scripts == 2 and 'alert(1)' in ''.join(page.text)
    assert '<script>alert' not in text and text.count('</script>') == 2 and '<!--' not in text


def check_same_calls(vidmm, work):
    reports = []
    for options in ([], ['--html', os.path.join(work, 'a.html'), '--picture', os.path.join(work, 'a.svg'),
                         '--calls', os.path.join(work, 'a.jsonl'), '--timeline', os.path.join(work, 'a.pftrace')]):
        path = os.path.join(work, 'same.json')
        subprocess.run([vidmm, 'run', '--quiet', '--vram', '25%', '--frames', '40', '--json', path, *options, 'minetest'], check=True)
        with open(path, encoding='utf-8') as file:
            reports.append(file.read())
    assert reports[0] == reports[1]
    with open(os.path.join(work, 'a.html'), encoding='utf-8') as file:
        first = file.read()
    again, second = run(vidmm, work, 'a', '--quiet', '--vram', '25%', '--frames', '40', '--json', path,
                        '--picture', os.path.join(work, 'b.svg'), 'minetest')
    data = re.compile(r'<script type="application/json".*?</script>', re.S)
    assert data.findall(first) == data.findall(second) and again.data['stays'], 'the same options draw the same'


def check_pictures(vidmm, work):
    svg, png = os.path.join(work, 'a.svg'), os.path.join(work, 'a.png')
    assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith('svg')
    subprocess.run([vidmm, 'run', '--quiet', '--frames', '10', '--picture', png, 'vkcube'], check=True)
    with open(png, 'rb') as file:
        assert file.read(8) == b'\x89PNG\r\n\x1a\n'
    for path, what in (('a.jpg', 'ends in .svg or .png'), (os.path.join(work, 'no', 'a.png'), 'cannot write')):
        done = subprocess.run([vidmm, 'run', '--quiet', '--frames', '2', '--picture', path, 'vkcube'], stderr=subprocess.PIPE)
        assert done.returncode == 2 and what in done.stderr.decode(), done.stderr
    done = subprocess.run([vidmm, 'run', '--quiet', '--frames', '2', '--html', os.path.join(work, 'no', 'a.html'), 'vkcube'], stderr=subprocess.PIPE)
    assert done.returncode == 2 and b'cannot write' in done.stderr and done.stderr.count(b'\n') == 1, done.stderr
    assert not [name for name in os.listdir(work) if name.endswith('.tmp')]


def check_findings(vidmm, work, root, compiler):
    """A finding has its rule, its page, and the driver's lines; a driver that crashes still has a page."""
    page, _ = run(vidmm, work, 'check', '--stage', 'paging', '--set', 'FaultKind=7', '--set', 'FaultAt=2', code=1, verb='check')
    text = ' '.join(' '.join(page.text).split())
    for words in ('R200', 'After UNMAP_APERTURE_SEGMENT every page', 'nc-d3dkmddi-dxgkddi_buildpagingbuffer', 'broken'):
        assert words in text, words
    source, driver = os.path.join(work, 'crash.c'), os.path.join(work, 'crash.so')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('#include <wdm.h>\nNTSTATUS DriverEntry(PDRIVER_OBJECT object, PUNICODE_STRING path) {\n'
                   '    (void)object; (void)path;\n    *(volatile int *)0 = 1; /* <b>here</b> */\n    return 0;\n}\n')
    subprocess.run([*compiler, '-g', '-shared', '-fPIC', '-I', os.path.join(root, 'include/wddm'), source, '-o', driver], check=True)
    page, text = run(vidmm, work, 'crash', '--quiet', '--driver', driver, '--frames', '2', 'vkcube', code=3)
    assert '*(volatile int *)0 = 1;' in ' '.join(page.text) and '<b>here' not in text


def check_size(vidmm, work):
    """However much moves, a page stays small."""
    page, text = run(vidmm, work, 'many', '--quiet', '--bytes', 'none', '--vram', '3%', '--frames', '60', 'openarena-tour')
    assert len(text) < 3000000, len(text)
    assert len(page.data['stays']) <= 12000, len(page.data['stays'])


def main():
    vidmm, root, compiler = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as work:
        for model in ('physical', 'gpummu', 'iommu'):
            check_apart(check_run(vidmm, work, model))
        check_escapes(vidmm, work)
        check_same_calls(vidmm, work)
        check_pictures(vidmm, work)
        check_findings(vidmm, work, root, compiler)
        check_size(vidmm, work)
    print('HTML reports are sound')


main()
