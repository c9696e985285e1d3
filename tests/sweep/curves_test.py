#!/usr/bin/env python3
"""examples/curves.py reads a store of vidmm sweep with pandas and draws it with matplotlib, as docs/research.md shows.

  curves_test.py VIDMM SOURCE_ROOT POLICY
"""
import os
import subprocess
import sys
import tempfile
import unittest

VIDMM, ROOT, POLICY = (os.path.realpath(word) for word in sys.argv[1:4])


def python():
    """One that has both libraries, or None: the system's may not be the first on the path."""
    for name in ('python3', '/usr/bin/python3'):
        if subprocess.run([name, '-c', 'import pandas, matplotlib'], capture_output=True, check=False).returncode == 0:
            return name
    return None


class Curves(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def draw(self, store):
        return subprocess.run([python(), os.path.join(ROOT, 'examples/curves.py'), store, 'curves.png'], cwd=self.place.name,
                              capture_output=True, text=True, check=False)

    def test_a_policy_of_ones_own_stands_beside_lru(self):
        subprocess.run([VIDMM, 'sweep', '--workload', 'frame-loop', '--vram', '50%,100%', '--policy', f'lru,{POLICY}', '--frames', '10',
                        '--bytes', 'none', '--store', 'study.db'], cwd=self.place.name, check=True, capture_output=True)
        drawn = self.draw('study.db')
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        header, *_ = drawn.stdout.splitlines()
        self.assertEqual(header.split(), ['policy', 'frequency', 'lru'])
        with open(os.path.join(self.place.name, 'curves.png'), 'rb') as picture:
            self.assertEqual(picture.read(8), b'\x89PNG\r\n\x1a\n')


if __name__ == '__main__':
    if python() is None:
        print('there is no python3 with pandas and matplotlib')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
