#!/usr/bin/env python3
"""Fails the allocations of vidmm's checkers, one at a time and from one on, and counts how the runs end.

faults.py VIDMM FAIL_ALLOC.so [--sample N] [--seed N] [--most N] [--only WORD] [--list FILE] [--survive]

A run is first played whole to see where each allocation is made (fail_alloc.c); those made in the rooms
below are points. A run with a failure must say "out of memory", exit with neither 0 nor a signal, and
accuse no one; only stage memory, which refuses memory itself, may pass. The runs are --no-fork: one process, so that the N-th allocation is the same each time.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOMS = re.compile(r"src/(referee|check|workload|report|migrate|run|harness)/")
STAGES = ("start query paging operations room preempt interrupts engines objects failures locks promises ranges residency "
          "memory dirty migration").split()
SECONDS = 60


def jobs():
    for model in "physical", "gpummu", "iommu":
        yield "run " + model, ["run", "--no-fork", "--frames", "3", "--vram", "25%", "--model", model, "openarena-tour"]
    for stage in STAGES:
        yield "check " + stage, ["check", "--no-fork", "--stage", stage]


def play(vidmm, preload, arguments, **settings):
    env = dict(os.environ, LD_PRELOAD=preload, **settings)
    try:
        done = subprocess.run([vidmm] + arguments, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""


def points(vidmm, preload, arguments):
    """The numbers of the allocations that the rooms make, and the function that makes each."""
    with tempfile.TemporaryDirectory() as room:
        log = os.path.join(room, "log")
        code, text = play(vidmm, preload, arguments, FAULTS_LOG=log)
        if code != 0:
            sys.exit("%s: ends with %s without a failure:\n%s" % (" ".join(arguments), code, text[-2000:]))
        with open(log, "rb") as file:
            offsets = [offset - 1 for offset, in struct.iter_unpack("=Q", file.read())]
    unique = sorted(set(offsets))
    lines = subprocess.run(["addr2line", "-f", "-e", vidmm], input="".join("0x%x\n" % offset for offset in unique),
                           stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    where = {offset: lines[2 * i] + " " + lines[2 * i + 1] for i, offset in enumerate(unique)}
    return [(number, where[offset]) for number, offset in enumerate(offsets, 1) if ROOMS.search(where[offset])]


def judge(name, code, text):
    if code is None:
        return "hang"
    if code < 0 or code >= 128 or " crashed " in text or "died in " in text:
        return "signal"
    if re.search(r"^violations +[1-9]|^\d+ rules judged: .* [1-9]\d* broken|^mismatched bytes +[1-9]", text, re.M):
        return "accusation"
    if code == 0: # stage memory refuses memory itself, and goes on
        return "out of memory" if name == "check memory" else "exit code 0"
    return "out of memory" if "out of memory" in text.lower() or "STATUS_NO_MEMORY" in text else "another sentence"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vidmm")
    parser.add_argument("preload")
    parser.add_argument("--sample", type=int, default=0, help="points in all, drawn by seed (0: all)")
    parser.add_argument("--most", type=int, default=2000, help="points of one run, beyond which they are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", help="each point that did not end as it must")
    options = parser.parse_args()
    preload, drawn, counts, bad = os.path.abspath(options.preload), random.Random(options.seed), {}, []
    work = []
    for name, arguments in jobs():
        if options.only in name:
            found = points(options.vidmm, preload, arguments)
            if len(found) > options.most:
                found = drawn.sample(found, options.most)
            work += [(name, arguments, number, where, on) for number, where in found for on in (False, True)]
    if options.sample and options.sample < len(work):
        work = drawn.sample(work, options.sample)

    def one(point):
        name, arguments, number, where, on = point
        settings = {"FAULTS_AT": str(number), **({"FAULTS_ON": "1"} if on else {})}
        code, text = play(options.vidmm, preload, arguments, **settings)
        return point, judge(name, code, text), code, text

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, _, number, where, on), how, code, text in pool.map(one, work):
            counts.setdefault(name, collections.Counter())[how] += 1
            if how != "out of memory":
                bad.append("%s\t%s\t%u%s\t%s\t%s\t%s" % (how, name, number, "+" if on else "", where, code, text[-600:].replace("\n", " | ")))
    for name, counter in counts.items():
        print("%-18s %5u points: %s" % (name, sum(counter.values()), ", ".join("%u %s" % (n, how) for how, n in counter.most_common())))
    total = sum(counts.values(), collections.Counter())
    print("%-18s %5u points: %s" % ("all", sum(total.values()), ", ".join("%u %s" % (n, how) for how, n in total.most_common())))
    if options.list:
        with open(options.list, "w") as file:
            file.write("\n".join(bad) + "\n")
    if not total:
        print("no points: is vidmm built with debug information?")
        return 77
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
