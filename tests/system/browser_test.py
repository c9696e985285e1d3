#!/usr/bin/env python3
"""HTML reports (docs/html-report.md) in a browser, at 400 and 2000 pixels, light and dark: nothing in its
console; nothing wider than the page; a click and keys tell the allocation that is there; the picture changes where an
allocation was evicted; buttons change the colours. Skipped where there is no Chromium.

  browser_test.py VIDMM
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'scripts'))
import webdriver  # noqa: E402

LOCATE = '''const canvas = document.querySelectorAll('canvas.map')[arguments[0]];
canvas.scrollIntoView({block: 'center'}); const box = canvas.getBoundingClientRect(); return [box.left, box.top];'''
COLOUR = '''const canvas = document.querySelectorAll('canvas.map')[arguments[0]];
return [...canvas.getContext('2d').getImageData(arguments[1], arguments[2], 1, 1).data];'''
EVICTED = '''const memory = new Set(vidmmReport.data.segments.filter(one => one.memory).map(one => one.id));
const large = vidmmReport.stays.filter(stay => { const at = vidmmReport.locate(stay.index);
  return memory.has(stay.segment) && stay.left < 8 && at.width > 8 && at.height > 4; });
const found = large.sort((a, b) => (b.end - b.begin) * b.size - (a.end - a.begin) * a.size)[0];
return [found.index, found.owner.name, vidmmReport.locate(found.index)];'''


def pointed(browser, at):
    left, top = browser.run(LOCATE, at['canvas'])
    return left + at['x'], top + at['y']


def check_click(browser):
    """A click, a touch and a key each tell who is there; Escape ends it."""
    index, name, at = browser.run(EVICTED)
    for kind in ('mouse', 'touch'):
        browser.pointer(*pointed(browser, at), kind=kind)
        told = browser.run("return document.getElementById('detail').innerText")
        assert name in told and 'left for system memory' in told, (kind, name, told)
        browser.run("document.querySelectorAll('canvas.map')[arguments[0]].focus()", at['canvas'])
        browser.key('\ue00c')
        assert 'Nothing is selected' in browser.run("return document.getElementById('detail').innerText")
    browser.pointer(*pointed(browser, at), press=False)
    tip = browser.run("const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.innerText")
    assert name in tip and 'came:' in tip, tip
    box = browser.run("const box = document.getElementById('tip').getBoundingClientRect(); return [box.left, box.right, innerWidth]")
    assert 0 <= box[0] and box[1] <= box[2], box
    browser.key('\ue011')
    first = browser.run("return document.querySelector('#detail h3').innerText")
    browser.key('\ue014')
    second = browser.run("return document.querySelector('#detail h3').innerText")
    assert first and second and 'Who left for it' in browser.run("return document.getElementById('detail').innerText")
    browser.key('\ue00c')


def check_eviction(browser):
    """Where an allocation lay its colour is there until it is evicted, and another one after that."""
    _, name, at = browser.run(EVICTED)
    before = browser.run(COLOUR, at['canvas'], round(at['x']), round(at['y']))
    after_x = round(at['x'] + at['width'] / 2 + 3)
    after = browser.run(COLOUR, at['canvas'], after_x, round(at['y']))
    assert before != after, (name, before, after)
    inside = browser.run(COLOUR, at['canvas'], round(at['x'] + at['width'] / 4), round(at['y']))
    assert inside == before, (name, inside, before)
    for mode in ('process', 'heat', 'dirt'):
        browser.run("document.querySelector('[data-mode=' + arguments[0] + ']').click()", mode)
        browser.settle()
        assert browser.run("return document.querySelectorAll('[aria-pressed=true]').length") == 1
    assert browser.run(COLOUR, at['canvas'], round(at['x']), round(at['y'])) != before
    browser.run("document.querySelector('[data-mode=allocation]').click()")
    browser.settle()


def check_zoom(browser):
    """Zooming shows another picture, and all of it again the first one."""
    canvas = "document.querySelector('canvas.map').toDataURL()"
    whole = browser.run('return ' + canvas)
    browser.run("document.querySelector('[data-zoom=in]').click()")
    browser.settle()
    assert browser.run('return ' + canvas) != whole
    browser.run("document.querySelector('[data-zoom=all]').click()")
    browser.settle()
    assert browser.run('return ' + canvas) == whole


def check_page(browser, path, width, dark):
    browser.open(path, width, 900, dark)
    overflow = browser.run('return document.documentElement.scrollWidth - innerWidth')
    assert overflow <= 0, (path, width, overflow)
    paper = browser.run('return getComputedStyle(document.body).backgroundColor')
    assert (paper == 'rgb(255, 255, 255)') != dark, paper


def make(vidmm, work, name, *options):
    path = os.path.join(work, name + '.html')
    subprocess.run([vidmm, *options, '--html', path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return path


def main():
    if webdriver.missing():
        print(f'skipped: {webdriver.missing()} not installed (scripts/install-deps.sh all)')
        return 77
    vidmm = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        pages = [make(vidmm, work, 'run', 'run', '--quiet', '--vram', '25%', '--frames', '60', 'minetest'),
                 make(vidmm, work, 'check', 'check', '--stage', 'paging', '--set', 'FaultKind=7', '--set', 'FaultAt=2')]
        browser = webdriver.Browser()
        try:
            for width, dark in ((400, False), (2000, True)):
                for path in pages:
                    check_page(browser, path, width, dark)
                browser.open(pages[0], width, 900, dark)
                check_click(browser)
                check_eviction(browser)
                check_zoom(browser)
            console = browser.console()
            assert not console, console
        finally:
            browser.close()
    print('the browser shows what the reports say')
    return 0


sys.exit(main())
