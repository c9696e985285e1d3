#!/usr/bin/env python3
"""table.py - the table of `make bench`: what each piece of work reaches beside its limit.

usage: table.py BUILD            runs the benchmarks of a build, writes BUILD/bench.json
       table.py --compare OLD NEW
                                 runs those of two builds in turn, prints what changed

VIDMM_BENCH_QUICK=1: fewer rounds, for trying. The programs bench-* measure their work and its limit in
turn in one run and hand over rows (rows.h); whole runs of vidmm are measured here. Figures are in SI
units: bytes or entries a second, runs a second, seconds. The ratio is ours over the limit; the goal is a
least ratio for rates and a largest one for costs."""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["place", "path", "moves", "tables", "growth", "notes", "dirty"]
QUICK = "VIDMM_BENCH_QUICK" in os.environ
RUN_ROUNDS = 3 if QUICK else 7
COMPARE_ROUNDS = 1 if QUICK else 3
# Recordings of so many live allocations, the same with bytes at every size.
GENERATED = ["frame-loop", "level-changes", "training-step", "processes"]
COSTS = ("s", "B")  # at most the goal; anything else is a rate
JUDGED = {"1e3": 1000, "1e4": 10000, "1e5": 100000}
if not QUICK:
    JUDGED["1e6"] = 1000000  # minutes, and 6.5 GB


def fail(sentence):
    sys.exit(f"bench: {sentence}")


def program_of(build, name):
    program = build / "bench" / f"bench-{name}"
    if not program.exists():
        fail(f"{program} does not exist; build first")
    return program


def program_rows(build, name):
    """Runs bench-NAME, whose own figures go to standard error; its rows."""
    program = program_of(build, name)
    with tempfile.NamedTemporaryFile("r", suffix=".rows") as rows:
        environment = dict(os.environ, VIDMM_BENCH_ROWS=rows.name)
        code = subprocess.run([program], env=environment, stdout=sys.stderr).returncode
        if code != 0:
            fail(f"{program} ended with {code}")
        return [json.loads(line) for line in rows]


# ---- Whole runs ----------------------------------------------------------------------------------


def run(build, *words):
    """CPU and wall-clock seconds of a run of vidmm with the driver's process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [build / "vidmm", "run", "--quiet", *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        fail(f"vidmm run {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def medians(measure, *kinds):
    """The median for each kind, measured in turn."""
    rounds = [[measure(kind) for kind in kinds] for _ in range(RUN_ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds)]


def row(work, unit, limit, ours, goal):
    return {"work": work, "unit": unit, "limit": limit, "ours": ours, "goal": goal}


def judged_rows(build):
    """CPU time with the referee over that without: bytes verified in both, then without bytes."""
    rows = []
    for name, count in JUDGED.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as recording:
            words = [HERE / "scale.py", str(count), "100", "100"]
            subprocess.run([sys.executable, *words], stdout=recording, check=True)
            for content, goal, how in (("all", 1.5, ""), ("none", 3, ", no bytes")):
                without, judged = medians(
                    lambda option: run(build, *option, "--bytes", content, recording.name)[0],
                    ["--unjudged"], [])
                rows.append(row(f"judged {name}{how}", "s", without, judged, goal))
    return rows


def thread_rows(build):
    one, two = medians(lambda threads: run(build, "--threads", threads, "processes")[1], "1", "2")
    return [row("two threads over one", "runs/s", 1 / one, 1 / two, 1.4)]


def report_of(build, *words):
    """What --json says of an unjudged run. vidmm writes a new file in place of the old one."""
    with tempfile.TemporaryDirectory() as place:
        report = pathlib.Path(place) / "run.json"
        run(build, "--unjudged", "--json", report, *words)
        return json.loads(report.read_text())


def series_rate(build):
    """Bytes a second through zstd and a socket alone (series.c)."""
    return float(subprocess.run([program_of(build, "series")], stdout=subprocess.PIPE, check=True).stdout)


def migration_rate(build):
    """Bytes a second in the first round of a migration; the target rehearses meanwhile."""
    with tempfile.TemporaryDirectory() as place:
        report = pathlib.Path(place) / "send.json"
        link = f"unix:{place}/link"
        migrate = [build / "vidmm", "migrate"]
        send = [*migrate, "send", "--to", link, "--fps", "10", "--quiet", "--json", report, "processes"]
        with subprocess.Popen([*migrate, "recv", "--from", link, "--quiet", "processes"]) as target:
            source = subprocess.run(send)
        if source.returncode != 0 or target.returncode != 0:
            fail(f"vidmm migrate of processes ended with {source.returncode}, {target.returncode}")
        first = json.loads(report.read_text())["rounds"][0]
        return first["bytes"] / first["ns"] * 1e9


def migration_rows(build):
    limit, ours = medians(lambda measure: measure(build), series_rate, migration_rate)
    return [row("migration", "B/s", limit, ours, 0.8)]


def overlap_rows(build):
    """The end of a run in virtual time, over that with paging and rendering one after another."""
    rows = []
    for workload in ("training-step", "ncnn-bench-cnn"):
        words = ["--model", "physical", "--vram", "50%", workload]
        serial, ours = (report_of(build, "--paging", paging, *words)["virtual_ns"] / 1e9
                        for paging in ("serial", "overlapped"))
        rows.append(row(f"overlap {workload}", "s", serial, ours, round(1 / 1.5, 3)))
    return rows


def moved_over_bound(build, *words):
    """Bytes that a run moved into GPU memory, and the least that anybody could; None: no such bound."""
    bound = report_of(build, *words).get("bound")
    return (bound["moved_bytes"], bound["bytes"]) if bound else None


def eviction_rows(build):
    """Geometric means over the generators' workloads, amounts of VRAM and models."""
    workloads = GENERATED[:1] if QUICK else GENERATED
    cells = [moved_over_bound(build, "--model", model, "--vram", share, workload)
             for workload in workloads for share in ("25%", "50%", "75%")
             for model in ("physical", "gpummu")]
    cells = [cell for cell in cells if cell and cell[0] != 0]
    if not cells:
        return []
    moved, bound = (statistics.geometric_mean(column) for column in zip(*cells))
    return [row("evictions", "B", bound, moved, 1.4)]


def all_rows(build):
    build = pathlib.Path(build)
    rows = [row for name in PROGRAMS for row in program_rows(build, name)]
    rows += judged_rows(build) + thread_rows(build)
    return rows + migration_rows(build) + overlap_rows(build) + eviction_rows(build)


# ---- Tables --------------------------------------------------------------------------------------


def finished(row):
    """With the six members of bench.json."""
    ratio = row["ours"] / row["limit"]
    met = ratio <= row["goal"] if row["unit"] in COSTS else ratio >= row["goal"]
    return {"work": row["work"], "limit": row["limit"], "ours": row["ours"],
            "ratio": round(ratio, 4), "goal": row["goal"], "met": met}


def amount(value, unit):
    if unit == "s":
        scale, name = next((s, n) for s, n in ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
                           if value >= s or s == 1e-9)
        return f"{value / scale:.3g} {name}"
    scale, name = next((s, n) for s, n in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))
                       if value >= s or s == 1)
    return f"{value / scale:.3g} {name}{unit}"


def print_table(rows):
    line = "{:<26} {:>16} {:>16} {:>7} {:>10}  {}"
    print(line.format("work", "limit", "ours", "ratio", "goal", ""))
    for row in rows:
        end = finished(row)
        goal = ("<= " if row["unit"] in COSTS else ">= ") + f"{row['goal']:g}"
        print(line.format(row["work"], amount(row["limit"], row["unit"]),
                          amount(row["ours"], row["unit"]), f"{end['ratio']:.3g}", goal,
                          "met" if end["met"] else "missed"))


def write_json(rows, path):
    """Whole or not at all."""
    part = path.with_suffix(".json.part")
    part.write_text(json.dumps([finished(row) for row in rows], indent=2) + "\n")
    part.replace(path)


def compare(old, new):
    rounds = [(all_rows(old), all_rows(new)) for _ in range(COMPARE_ROUNDS)]
    line = "{:<26} {:>16} {:>16} {:>9} {:>11} {:>11}"
    print(line.format("work", "old", "new", "new/old", "old ratio", "new ratio"))
    old_rows = {row["work"]: row for row in rounds[0][0]}
    for row in rounds[0][1]:
        if row["work"] not in old_rows:
            continue
        columns = []
        for side in (0, 1):
            found = [r for pair in rounds for r in pair[side] if r["work"] == row["work"]]
            columns.append((statistics.median(r["ours"] for r in found),
                            statistics.median(r["ours"] / r["limit"] for r in found)))
        (was, was_ratio), (now, now_ratio) = columns
        print(line.format(row["work"], amount(was, row["unit"]), amount(now, row["unit"]),
                          f"{now / was:.3g}", f"{was_ratio:.3g}", f"{now_ratio:.3g}"))


def main(words):
    if len(words) == 3 and words[0] == "--compare":
        compare(*words[1:])
    elif len(words) == 1 and not words[0].startswith("-"):
        rows = all_rows(words[0])
        print_table(rows)
        write_json(rows, pathlib.Path(words[0]) / "bench.json")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
