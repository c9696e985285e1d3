#!/usr/bin/env python3
"""bench_test.py - bench/table.py: what is in the table, and which rows are met. The builds are of
programs that hand over canned rows.

usage: bench_test.py SOURCE_ROOT"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TABLE = None
PROGRAMS = ["place", "path", "moves", "tables", "growth", "notes", "dirty"]
RUN = "#!/bin/sh\nexit 0\n"
VIDMM = """#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" != --json ] || echo '{"virtual_ns": 1000, "bound": {"moved_bytes": 13, "bytes": 10},
        "rounds": [{"bytes": 1000, "ns": 2000}]}' >"$2"
    shift
done
"""


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def build(directory, **rows):
    """A build whose bench-path hands over `rows`: work: (unit, limit, ours, goal)."""
    names = ("unit", "limit", "ours", "goal")
    lines = [json.dumps({"work": work, **dict(zip(names, row))}) for work, row in rows.items()]
    for name in PROGRAMS:
        own = "\n".join(lines) if name == "path" else ""
        program(directory / "bench" / f"bench-{name}", f"#!/bin/sh\ncat >>\"$VIDMM_BENCH_ROWS\" <<'E'\n{own}\nE\n"
                if own else RUN)
    program(directory / "bench" / "bench-series", "#!/bin/sh\necho 1e9\n")
    program(directory / "vidmm", VIDMM)
    return directory


def table(*words):
    environment = dict(os.environ, VIDMM_BENCH_QUICK="1")
    return subprocess.run([sys.executable, TABLE, *map(str, words)], env=environment,
                          capture_output=True, text=True)


class Table(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)
        self.here = pathlib.Path(self.room.name)

    def rows(self, **rows):
        done = table(build(self.here / "b", **rows))
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["work"]: row for row in json.loads((self.here / "b/bench.json").read_text())}

    def test_every_row_has_the_six_members_and_no_others(self):
        rows = self.rows(copy=("B/s", 10e9, 9e9, 0.95))
        self.assertIn("judged 1e5", rows)
        self.assertEqual(rows["migration"]["ratio"], 0.5)
        for row in rows.values():
            self.assertEqual(set(row), {"work", "limit", "ours", "ratio", "goal", "met"})

    def test_a_rate_is_met_from_its_goal_on_and_a_cost_up_to_it(self):
        rows = self.rows(slow=("B/s", 10e9, 9e9, 0.95), fast=("B/s", 10e9, 9.6e9, 0.95),
                         cheap=("s", 2.0, 2.8, 1.5), dear=("s", 2.0, 3.2, 1.5))
        self.assertEqual([rows[name]["met"] for name in ("slow", "fast", "cheap", "dear")],
                         [False, True, True, False])
        self.assertEqual(rows["dear"]["ratio"], 1.6)

    def test_a_benchmark_that_fails_ends_it_with_a_sentence_and_no_file(self):
        where = build(self.here / "b")
        program(where / "bench/bench-dirty", "#!/bin/sh\nexit 3\n")
        done = table(where)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("bench-dirty ended with 3", done.stderr)
        self.assertFalse((where / "bench.json").exists())

    def test_two_builds_are_compared_row_by_row(self):
        old = build(self.here / "old", copy=("B/s", 10e9, 5e9, 0.95))
        new = build(self.here / "new", copy=("B/s", 10e9, 10e9, 0.95))
        done = table("--compare", old, new)
        self.assertEqual(done.returncode, 0, done.stderr)
        copy = [line.split() for line in done.stdout.splitlines() if line.startswith("copy")]
        self.assertEqual(copy, [["copy", "5", "GB/s", "10", "GB/s", "2", "0.5", "1"]])


if __name__ == "__main__":
    TABLE = os.path.join(sys.argv.pop(1), "bench", "table.py")
    unittest.main()
