#!/usr/bin/env python3
"""The workflows of docs/ci.md do what the page says: their steps in a shell, in the order of the file, for a driver that
keeps the rules and for one that does not.

  ci_test.py VIDMM SOURCE_ROOT
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

VIDMM, ROOT = (os.path.realpath(word) for word in sys.argv[1:3])


def blocks():
    """The two workflows."""
    with open(os.path.join(ROOT, 'docs/ci.md'), encoding='utf-8') as file:
        return re.findall(r'```yaml\n(.*?)```', file.read(), re.S)


def github_steps(text):
    return re.findall(r'run: \|\n +(.*)\n', text)


def gitlab_steps(text):
    """A list of one shell, before_script included."""
    found = []
    for part in ('before_script', 'script'):
        body = re.search(rf'^  {part}:\n((?:    - .*\n)+)', text, re.M).group(1)
        found += [line[6:].strip("'") if line[6] == "'" else line[6:] for line in body.splitlines()]
    return found


class Workflows(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        driver, tools = self.path('driver'), self.path('.vidmm/bin')
        os.makedirs(tools)
        os.symlink(VIDMM, os.path.join(tools, 'vidmm'))  # as from the cache
        os.makedirs(driver)
        for name in ('cpu-vram/driver.c', 'common/skeleton.c', 'common/cpu_entry.c', 'common/cpu_pager.c', 'common/instant.c'):
            shutil.copy(os.path.join(ROOT, 'drivers', name), driver)
        shutil.copytree(os.path.join(ROOT, 'drivers/common'), self.path('common'))
        for name in os.listdir(self.path('common')):
            if name.endswith('.h'):
                shutil.copy(os.path.join(self.path('common'), name), driver)

    def path(self, name):
        return os.path.join(self.place.name, name)

    def break_driver(self):
        """The dummy page is forgotten: R200."""
        path = self.path('driver/cpu_pager.c')
        with open(path, encoding='utf-8') as file:
            text = file.read()
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text.replace('entry[i] = dummy;', '(void)dummy, (void)entry;'))

    def shell(self, script):
        return subprocess.run(['bash', '-c', script.replace('[ "$(id -u)" = 0 ]', 'false')], cwd=self.place.name,
                              capture_output=True, text=True, check=False)

    def github(self):
        for step in github_steps(blocks()[0]):
            result = self.shell('set -e -o pipefail; ' + step)
            if result.returncode != 0:
                return result
        return result

    def test_github(self):
        result = self.github()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.break_driver()
        self.assertEqual(self.github().returncode, 1)
        with open(self.path('vidmm.sarif'), encoding='utf-8') as file:
            found = [one['ruleId'] for one in json.load(file)['runs'][0]['results'] if one.get('kind', 'fail') == 'fail']
        self.assertIn('R200', found)
        known = '.vidmm/bin/vidmm check --format json --output known.json ./driver.so'
        with open(os.path.join(ROOT, 'docs/ci.md'), encoding='utf-8') as file:
            self.assertIn(known.replace('.vidmm/bin/', '').replace('./', ''), file.read())
        self.shell(known)
        self.assertEqual(self.github().returncode, 0)

    def test_gitlab(self):
        script = 'set -e; ' + '\n'.join(gitlab_steps(blocks()[1]))
        self.break_driver()
        result = self.shell(script)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertTrue(xml.parse(self.path('vidmm.xml')).findall('.//failure'))
        self.assertTrue(os.path.exists(self.path('vidmm.sarif')))


if __name__ == '__main__':
    if not shutil.which('clang'):
        print('without clang there is no vidmm cc')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
