#!/usr/bin/env python3
"""Makes the pictures of docs/html-report.md, docs/research.md, docs/sweeps.md and README.md again: HTML reports in a browser
at 2000 and 400 pixels, light and dark, a map of memory by --picture, and the curves of two studies. `make pictures` calls it.

  pictures.py VIDMM DOCS
"""
import os
import subprocess
import sys
import tempfile
import time

import webdriver

GAME = ['--quiet', '--vram', '25%', 'openarena-tour']
REPORTS = {
    'run-physical': ['run', *GAME],
    'run-gpummu': ['run', '--model', 'gpummu', '--set', 'ApertureBytes=128M', *GAME],
    'run-iommu': ['run', '--model', 'iommu', *GAME],
    'check': ['check', '--set', 'FaultKind=7', '--set', 'FaultAt=2'],
}
# Of each report: the picture's name, the section at its top (None: the page's), width, height, dark.
SHOTS = {
    'run-physical': [('wide', None, 2000, 1330, False), ('narrow', None, 400, 1500, False), ('wide-dark', 'maps', 2000, 1330, True)],
    'run-gpummu': [('wide', 'maps', 2000, 1330, False), ('narrow', 'maps', 400, 1500, True)],
    'run-iommu': [('wide', 'maps', 2000, 1330, True), ('narrow', 'maps', 400, 1500, False)],
    'check': [('wide', None, 2000, 1330, False), ('narrow', None, 400, 1500, True)],
    'migrate': [('wide', None, 2000, 1330, True), ('narrow', None, 400, 1500, False)],
}
# The studies of docs/research.md and docs/sweeps.md, run where `build/policies` is.
CURVES = ['--workload', 'minetest,frame-loop,level-changes', '--vram', '20%..100%/20%', '--policy', 'lru,adaptive,build/policies/frequency.so',
          '--seed', '0..2', '--frames', '60', '--bytes', 'none']
SWEEPS = ['--workload', 'frame-loop,openarena-tour', '--vram', '20%..100%/20%', '--policy', 'lru,build/policies/interval.so',
          '--seed', '0..4', '--frames', '40', '--bytes', 'none']


def migrate(vidmm, work):
    link = 'unix:link'
    side = ['--quiet', '--vram', '50%', 'minetest']
    target = subprocess.Popen([vidmm, 'migrate', 'recv', '--from', link, *side], cwd=work)
    while target.poll() is None and not os.path.exists(os.path.join(work, 'link')):
        time.sleep(0.05)
    subprocess.run([vidmm, 'migrate', 'send', '--to', link, '--at', '40%', '--rate', '1Gb/s', '--fps', '30', '--html', 'migrate.html', *side],
                   cwd=work, check=True)
    target.wait()


def save(path, png, colours=128):
    """As few bytes as the picture needs."""
    with open(path, 'wb') as file:
        file.write(png)
    subprocess.run(['pngquant', '--force', '--strip', '--output', path, str(colours), path], check=True)


def shoot(browser, html, path, section, width, height, dark):
    browser.open(html, width, height, dark)
    if section:
        browser.run('document.getElementById(arguments[0]).scrollIntoView()', section)
        browser.settle()
    save(path, browser.shot())


def python_with_pandas():
    """The system's may not be the first on the path."""
    for name in ('python3', '/usr/bin/python3'):
        if subprocess.run([name, '-c', 'import pandas, matplotlib'], capture_output=True, check=False).returncode == 0:
            return name
    sys.exit('there is no python3 with pandas and matplotlib')


def draw_studies(vidmm, docs, work):
    os.symlink(os.path.dirname(vidmm), os.path.join(work, 'build'))
    for store, study in ('curves.db', CURVES), ('sweeps.db', SWEEPS):
        subprocess.run([vidmm, 'sweep', *study, '--store', store], cwd=work, check=True)
    subprocess.run([vidmm, 'plot', 'sweeps.db', '-o', os.path.join(docs, 'sweeps.svg')], cwd=work, check=True)
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'examples', 'curves.py')
    path = os.path.join(docs, 'curves.png')
    subprocess.run([python_with_pandas(), script, os.path.join(work, 'curves.db'), path], check=True)
    with open(path, 'rb') as file:
        save(path, file.read())


def main():
    vidmm, docs = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(os.path.join(docs, 'pictures'), exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name, options in REPORTS.items():
            subprocess.run([vidmm, *options, '--html', name + '.html'], cwd=work, check=False, stdout=subprocess.DEVNULL)
        migrate(vidmm, work)
        browser = webdriver.Browser()
        try:
            for name, shots in SHOTS.items():
                for kind, section, width, height, dark in shots:
                    path = os.path.join(docs, 'pictures', f'{name}-{kind}.png')
                    shoot(browser, os.path.join(work, name + '.html'), path, section, width, height, dark)
                    print(path, os.path.getsize(path), 'bytes')
        finally:
            browser.close()
        path = os.path.join(docs, 'pictures', 'memory-map.png')
        subprocess.run([vidmm, 'run', '--quiet', '--vram', '25%', '--picture', path, 'openarena-tour'], check=True)
        with open(path, 'rb') as file:
            save(path, file.read(), 64)
        print(path, os.path.getsize(path), 'bytes')
        draw_studies(vidmm, docs, work)


main()
