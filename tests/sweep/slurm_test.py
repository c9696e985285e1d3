#!/usr/bin/env python3
"""A sweep by a real slurmctld and slurmd of this machine: its table is that of a local sweep, whatever was killed,
drained or stopped in the middle. Ends with 77 (skipped) where there is no Slurm.

  slurm_test.py VIDMM
"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import slurm_lib

VIDMM = os.path.realpath(sys.argv[1])
STUDY = {'workloads': ['frame-loop', 'training-step'], 'vram': ['40%', '70%'], 'policies': ['lru', 'adaptive'], 'seeds': '0..1',
         'frames': 60, 'bytes': 'none'}
RUNS = 16


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.slurm = slurm_lib.Slurm(os.path.join(cls.place.name, 'slurm'), array=5)

    @classmethod
    def tearDownClass(cls):
        cls.slurm.stop()
        cls.place.cleanup()

    def setUp(self):
        self.directory = tempfile.mkdtemp(dir=self.place.name)

    def study(self, name, **members):
        with open(os.path.join(self.directory, name), 'w', encoding='utf-8') as file:
            json.dump({**STUDY, **members}, file)
        return name

    def begin(self, *words):
        return subprocess.Popen([VIDMM, 'sweep', *words], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def sweep(self, *words):
        process = self.begin(*words)
        out, said = process.communicate(timeout=300)
        return process.returncode, out, said

    def rows(self, store):
        try:
            base = sqlite3.connect(os.path.join(self.directory, store))
            try:
                return base.execute('SELECT * FROM runs ORDER BY run').fetchall()
            finally:
                base.close()
        except sqlite3.OperationalError:
            return []

    def running(self):
        """The array tasks that run, as JOB_INDEX."""
        return self.slurm.ask('squeue', '--noheader', '--states=RUNNING', '--format=%i').split()

    def test_a_task_killed_and_a_node_drained_in_the_middle_change_no_row(self):
        self.assertEqual(self.sweep(self.study('local.json'))[0], 0)
        study = self.study('slurm.json')
        process = self.begin('--slurm', study)
        self.slurm.wait(self.running, 'task that runs')
        killed = self.running()[0]
        self.slurm.ask('scancel', '--signal=KILL', '--full', killed)
        self.slurm.wait(lambda: len(self.rows('slurm.db')) >= 2, 'rows')
        self.slurm.ask('scontrol', 'update', f'NodeName={self.slurm.host}', 'State=DRAIN', 'Reason=test')
        self.slurm.wait(lambda: not self.running(), 'end of what runs on the drained node')
        had = len(self.rows('slurm.db'))
        self.assertLess(had, RUNS)
        time.sleep(2)
        self.assertIsNone(process.poll(), 'the sweep does not wait for a drained node')
        self.slurm.ask('scontrol', 'update', f'NodeName={self.slurm.host}', 'State=RESUME')
        out, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, out + said)
        self.assertIn('ended without a result; the same command submits them again', said)
        self.assertLess(len(self.rows('slurm.db')), RUNS)
        self.assertEqual(self.sweep('--slurm', study)[0], 0)
        self.assertEqual(self.rows('slurm.db'), self.rows('local.db'))
        self.assertEqual(len(self.rows('slurm.db')), RUNS)
        self.assertFalse(os.path.exists(os.path.join(self.directory, 'slurm.slurm')))
        with open(os.path.join(self.directory, 'slurm.csv'), 'rb') as one, open(os.path.join(self.directory, 'local.csv'), 'rb') as two:
            self.assertEqual(one.read(), two.read())

    def test_who_is_stopped_or_killed_goes_on_with_the_jobs_that_are_there(self):
        self.assertEqual(self.sweep(self.study('local.json'))[0], 0)
        study = self.study('slurm.json')
        self.slurm.ask('scontrol', 'update', f'NodeName={self.slurm.host}', 'State=DRAIN', 'Reason=test')
        first = self.begin('--slurm', '--runs-per-task', '2', study)
        jobs = lambda: self.slurm.ask('squeue', '--noheader', '--array', '--format=%i').split()
        self.slurm.wait(jobs, 'job')
        first.send_signal(signal.SIGKILL)  # perhaps in the middle of the submission
        first.communicate()
        second = self.begin('--slurm', '--runs-per-task', '2', study)
        self.slurm.wait(lambda: len(jobs()) >= RUNS // 2, 'all tasks')
        time.sleep(3)
        self.assertEqual(len(jobs()), RUNS // 2, 'a run has two jobs, or none')
        second.send_signal(signal.SIGINT)
        said = second.communicate(timeout=60)[1]
        self.assertEqual(second.returncode, 130)
        self.assertIn('Slurm goes on', said)
        self.slurm.ask('scontrol', 'update', f'NodeName={self.slurm.host}', 'State=RESUME')
        self.slurm.wait(lambda: not jobs(), 'end of the jobs')
        code, out, said = self.sweep('--slurm', '--runs-per-task', '2', study)
        self.assertEqual(code, 0, out + said)
        self.assertEqual(self.rows('slurm.db'), self.rows('local.db'))

    def test_a_run_that_fails_is_a_row_as_in_a_local_sweep(self):
        with open(os.path.join(self.directory, 'bad.jsonl'), 'w', encoding='utf-8') as file:
            file.write('{"no": "recording"}\n')
        members = {'workloads': ['./bad.jsonl', 'frame-loop'], 'vram': '64M', 'policies': 'lru', 'seeds': 0, 'frames': 3}
        self.assertEqual(self.sweep(self.study('local.json', **members))[0], 1)
        code, _, said = self.sweep('--slurm', self.study('slurm.json', **members))
        self.assertEqual(code, 1)
        self.assertIn('1 of 2 runs failed', said)
        self.assertEqual(self.rows('slurm.db'), self.rows('local.db'))

    def test_without_a_controller_it_is_one_sentence(self):
        conf = os.environ['SLURM_CONF']
        os.environ['SLURM_CONF'] = os.path.join(self.directory, 'none.conf')
        try:
            code, _, said = self.sweep('--slurm', self.study('slurm.json'))
        finally:
            os.environ['SLURM_CONF'] = conf
        self.assertEqual(code, 2)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn('squeue: ', said)


if __name__ == '__main__':
    reason = slurm_lib.absent()
    if reason:
        print(reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
