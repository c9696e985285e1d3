#!/usr/bin/env python3
"""What somebody who makes a study relies on: that it goes on where it was, that a run that fails costs one
row, that mistakes are one sentence, and that the curves are those of the rows.

  sweep_test.py VIDMM SOURCE_ROOT EXAMPLE_POLICY
"""
import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

VIDMM, ROOT, POLICY = (os.path.realpath(word) for word in sys.argv[1:4])
STUDY = {'workloads': ['frame-loop', 'training-step'], 'vram': ['40%', '70%'], 'seeds': '0..1', 'frames': 60, 'bytes': 'none'}
SVG = '{http://www.w3.org/2000/svg}'


class Sweep(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def study(self, name='study.json', **members):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            json.dump({**STUDY, **members}, file, indent=1)
        return self.path(name)

    def vidmm(self, *words):
        return subprocess.run([VIDMM, *words], cwd=self.directory.name, capture_output=True, text=True, check=False)

    def rows(self, name):
        base = sqlite3.connect(self.path(name))
        try:
            return base.execute('SELECT * FROM runs ORDER BY run').fetchall()
        finally:
            base.close()

    def column(self, name, column):
        base = sqlite3.connect(self.path(name))
        try:
            return [row[0] for row in base.execute(f'SELECT {column} FROM runs ORDER BY run')]
        finally:
            base.close()

    def stop_after(self, study, rows, how):
        """Begins the sweep, and ends it when the store has that many rows. Returns the rows it has then."""
        process = subprocess.Popen([VIDMM, 'sweep', '--jobs', '1', study], cwd=self.directory.name,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        store = study.replace('.json', '.db')
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            try:
                if len(self.rows(os.path.basename(store))) >= rows:
                    while process.poll() is None:  # whoever stops a sweep may say so twice, and at any time
                        process.send_signal(how)
                        time.sleep(0.001)
                    break
            except sqlite3.OperationalError:
                pass  # it has no table yet
            time.sleep(0.01)
        said = process.communicate(timeout=60)[1]
        return len(self.rows(os.path.basename(store))), process.returncode, said

    def assert_refused(self, words, *said):
        result = self.vidmm(*words)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for part in said:
            self.assertIn(part, result.stderr)

    def test_a_study_that_was_stopped_and_killed_has_the_rows_of_one_that_was_not(self):
        whole, stopped = self.study('whole.json', seeds='0..3'), self.study('stopped.json', seeds='0..3')
        self.assertEqual(self.vidmm('sweep', whole).returncode, 0)
        had, code, said = self.stop_after(stopped, 2, signal.SIGINT)
        self.assertTrue(2 <= had < 16, had)
        self.assertEqual(code, 130)
        self.assertIn('goes on', said)
        more, code, _ = self.stop_after(stopped, had + 2, signal.SIGKILL)
        self.assertTrue(had < more < 16, more)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual(self.vidmm('sweep', stopped).returncode, 0)
        self.assertEqual(self.rows('stopped.db'), self.rows('whole.db'))
        self.assertEqual(len(self.rows('whole.db')), 16)
        with open(self.path('stopped.csv'), 'rb') as one, open(self.path('whole.csv'), 'rb') as other:
            self.assertEqual(one.read(), other.read())

    def test_a_row_makes_its_run_again(self):
        self.assertEqual(self.vidmm('sweep', self.study(workloads=['frame-loop'], frames=5)).returncode, 0)
        with open(self.path('study.csv'), newline='', encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row['seed'] for row in rows], ['0', '1', '0', '1'])
        words = rows[3]['command'].split()[1:]
        report = json.loads(self.vidmm(*words[:1], '--quiet', '--json', '-', *words[1:]).stdout)
        self.assertEqual(report['calls_hash'], rows[3]['calls_hash'])
        self.assertEqual(report['paged_in_bytes'], int(rows[3]['paged_in_bytes']))
        version = self.vidmm('--version').stdout.split()[1]
        self.assertEqual((rows[3]['driver_name'], rows[3]['vidmm_version']), ('softgpu', version))

    def test_the_same_study_does_nothing_again_and_a_changed_one_is_refused(self):
        study = self.study(workloads=['frame-loop'], frames=3)
        self.assertIn('4 of 4 runs', self.vidmm('sweep', study).stdout)
        self.assertIn(' 0 of them new', self.vidmm('sweep', study).stdout)
        before = self.rows('study.db')
        self.study(workloads=['frame-loop'], frames=4)
        self.assert_refused(['sweep', study], 'another study', '--store')
        self.assertEqual(self.rows('study.db'), before)

    def test_a_policy_that_was_built_anew_is_another_study(self):
        policy = self.path('mine.so')
        with open(POLICY, 'rb') as file, open(policy, 'wb') as copy:
            copy.write(file.read())
        words = ['sweep', '--workload', 'frame-loop', '--vram', '50%', '--frames', '3', '--bytes', 'none', '--policy',
                 'lru,default,./mine.so']
        self.assertEqual(self.vidmm(*words).returncode, 0)
        self.assertEqual(self.column('sweep.db', 'policy'), ['lru', 'default', './mine.so'])
        self.assertEqual(self.column('sweep.db', 'policy_name'), ['lru', 'adaptive', 'interval'])
        with open(policy, 'ab') as file:
            file.write(b'\0')
        self.assert_refused(words, 'a file that the study names was changed')

    def test_a_run_that_fails_is_a_row_and_said_at_the_end(self):
        with open(self.path('bad.jsonl'), 'w', encoding='utf-8') as file:
            file.write('{"no": "recording"}\n')
        words = ['sweep', '--workload', './bad.jsonl,frame-loop', '--frames', '3', '--bytes', 'none', '--vram', '64M']
        result = self.vidmm(*words)
        self.assertEqual(result.returncode, 1)
        self.assertIn('exit code 2: vidmm run', result.stderr)
        self.assertIn('1 of 2 runs failed', result.stderr)
        self.assertEqual(self.column('sweep.db', 'exit_code'), [2, 0])
        self.assertIn('bad.jsonl', self.column('sweep.db', 'sentence')[0])
        self.assertIn(' 0 of them new', self.vidmm(*words).stdout)
        self.assertIn(' 1 of them new', self.vidmm(*words, '--retry').stdout)

    def test_ranges_are_lists_of_their_values(self):
        words = ['sweep', '--workload', 'frame-loop', '--frames', '1', '--bytes', 'none', '--vram', '60%..100%/20%,128M..256M/128M']
        self.assertEqual(self.vidmm(*words).returncode, 0)
        self.assertEqual(self.column('sweep.db', 'vram'), ['60%', '80%', '100%', '128M', '256M'])

    def test_mistakes_in_a_study_are_one_sentence_with_their_line(self):
        self.assert_refused(['sweep', self.study(sedes=[1])], 'study.json:13:', "did you mean 'seeds'?", 'workloads')
        self.assert_refused(['sweep', self.study(vram=['40%', '70'])], 'study.json:6:', "'70' is not a size")
        self.assert_refused(['sweep', self.study(workloads='frame-lop')], "did you mean 'frame-loop'?")
        self.assert_refused(['sweep', self.study(workloads='openarena-tuor')], "did you mean 'openarena-tour'?")
        self.assert_refused(['sweep', self.study(policies=['lrv'])], "'lrv' is not a policy")
        self.assert_refused(['sweep', self.study(seeds=[])], 'no value')
        self.assert_refused(['sweep', self.study(seeds=[{}])], 'neither a string nor a whole number')
        self.assert_refused(['sweep', self.study(seeds='1e400..1e400')], 'beyond 2^53')
        self.assert_refused(['sweep', self.study(seeds='4..0')], 'not a range')
        self.assert_refused(['sweep', self.study(seeds='0..999999999')], 'values')
        self.assert_refused(['sweep', self.study(settings={'Banks': ['x']})], 'settings', "'x' is not a number")
        for content, said in (('[', 'study.json:'), ('[]', 'is an object'), ('{"seeds":1,"seeds":2}', 'study.json:1')):
            with open(self.path('study.json'), 'w', encoding='utf-8') as file:
                file.write(content)
            self.assert_refused(['sweep', 'study.json'], said)
        self.assert_refused(['sweep', 'missing.json'], 'No such file')

    def test_a_file_that_is_no_store_is_refused_and_kept(self):
        with open(self.path('text.db'), 'w', encoding='utf-8') as file:
            file.write('no database\n' * 100)
        base = sqlite3.connect(self.path('other.db'))
        base.execute('CREATE TABLE t(x)')
        base.commit()
        base.close()
        for name, said in (('text.db', 'not a database'), ('other.db', 'no store of vidmm sweep')):
            with open(self.path(name), 'rb') as file:
                before = file.read()
            self.assert_refused(['sweep', '--store', name], said)
            self.assert_refused(['plot', name], said)
            with open(self.path(name), 'rb') as file:
                self.assertEqual(file.read(), before)

    def test_a_plot_has_a_curve_for_each_policy_in_each_chart(self):
        study = self.study(policies=['lru', POLICY], vram='40%..80%/40%', frames=5)
        self.assertEqual(self.vidmm('sweep', study).returncode, 0)
        self.assertEqual(self.vidmm('plot', 'study.db').returncode, 0)
        charts = xml.parse(self.path('study.svg')).getroot().findall(SVG + 'g')
        self.assertEqual(len(charts), 2 * 4)
        for chart in charts:
            names = [line.findtext(SVG + 'title') for line in chart.findall(SVG + 'polyline')]
            self.assertEqual(sorted(names), sorted(['lru', POLICY]))
            self.assertEqual([len(line.get('points').split()) for line in chart.findall(SVG + 'polyline')], [2, 2])
            self.assertEqual([len(band.get('points').split()) for band in chart.findall(SVG + 'polygon')], [4, 4])
        one = self.vidmm('plot', '-o', '-', '--measure', 'bound', '--workload', 'frame-loop', 'study.db').stdout
        self.assertEqual(len(xml.fromstring(one).findall(SVG + 'g')), 1)
        self.assert_refused(['plot', '--measure', 'bond', 'study.db'], "did you mean 'bound'?")

    def test_a_store_that_would_never_be_drawn_is_refused(self):
        endless = 'WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n%s) '
        self.assertEqual(self.vidmm('sweep', self.study(workloads='frame-loop', vram='40%', seeds=0, frames=5)).returncode, 0)
        for script, said in (
                ('ALTER TABLE runs RENAME TO kept; CREATE VIEW runs AS ' + endless % '' + 'SELECT kept.* FROM n, kept', 'cannot be drawn'),
                ('INSERT INTO runs(run, workload, vram, policy, exit_code) ' + endless % ' WHERE i<1000' +
                 "SELECT i, 'w'||i, '40%', 'lru', 0 FROM n", 'more than 200 workloads')):
            with open(self.path('study.db'), 'rb') as file, open(self.path('spoilt.db'), 'wb') as copy:
                copy.write(file.read())
            base = sqlite3.connect(self.path('spoilt.db'))
            base.executescript(script)
            base.close()
            self.assert_refused(['plot', 'spoilt.db'], said)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
