#!/usr/bin/env python3
"""Fails the allocations of vidmm's checkers, one at a time and from one on, and counts how the runs end; then what else a
system may refuse: descriptors, maps, address space, sizes of files, room on a disk.

faults.py VIDMM FAIL_ALLOC.so [--sample N] [--seed N] [--most N] [--only WORD] [--list FILE] [--survive]

A run is first played whole to see where each allocation is made (fail_alloc.c); those made in the rooms
below are points. A run with a failure must say "out of memory", exit with neither 0 nor a signal, and
accuse no one. Stage memory, which refuses memory itself and goes on, may pass where the failing allocation came after its
first run; that is counted apart. The runs are --no-fork, so that the N-th allocation is the same each time; a migration has two
sides, of which one has the failure and the other must end by itself; never do both have the guest. It makes more or fewer
allocations with the time that it takes: "not reached" is a run that ended before the N-th one, or in which that was none of the
rooms'. A message of a socket that finds no memory ends the connection; where both sides then come to their ends on a new one,
and both journals have all lines, nothing is missing: "said again". A receiver that turned its source away says so, and waits for
the next one: "waits".
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOMS = re.compile(r"src/(referee|check|workload|report|migrate|run|harness)/")
LINK = re.compile(r"src/migrate/(queue|frame|message|pages|link_socket)\.c")
STAGES = ("start query paging operations room preempt interrupts engines objects failures locks promises ranges residency "
          "host-aperture memory dirty display migration agp linked adapters large-pages").split()
SECONDS = 60
# A recording of three surfaces, and page tables of which the referee knows a thousand entries: each allocation can fail.
SMALL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "small.jsonl")
SMALL_TABLES = ["--set", "MmuLevels=3", "--set", "MmuIndexBits=0x040909", "--set", "MmuTableSegment=2"]
NEWEST = ["--ddi", "wddm3.2", "--set", "DirtyPageBytes=4096", "--set", "MmuLevels=2"]
STAGE_OPTIONS = {"operations": SMALL_TABLES, "room": SMALL_TABLES, "engines": SMALL_TABLES, "residency": SMALL_TABLES,
                 "dirty": NEWEST, "migration": NEWEST, "large-pages": NEWEST,
                 "agp": ["--ddi", "win7", "--set", "Agp=1"], "linked": ["--linked", "2", *SMALL_TABLES]}


def jobs():
    for model in "physical", "iommu":
        yield "run " + model, ["run", "--no-fork", "--frames", "3", "--vram", "25%", "--model", model, "openarena-tour"]
    yield "run gpummu", ["run", "--no-fork", "--vram", "25%", "--model", "gpummu", *SMALL_TABLES, SMALL]
    for stage in STAGES:
        yield "check " + stage, ["check", "--no-fork", "--stage", stage, *STAGE_OPTIONS.get(stage, [])]
    for side in "send", "recv":
        for link in "unix", "file":
            yield "migrate %s %s" % (side, link), ["migrate", side, link]


def start(vidmm, arguments, env=None, limits=()):
    def limit():
        for which, size in limits:
            resource.setrlimit(which, (size, size))
    return subprocess.Popen([vidmm] + arguments, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, preexec_fn=limit)


def finish(process):
    try:
        text = process.communicate(timeout=SECONDS)[0]
        return process.returncode, text.decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, ""


def side_words(side, link, room):
    address = "%s:%s/link" % (link, room)
    words = ["migrate", side, "--to" if side == "send" else "--from", address, "--journal", room + "/journal",
             "--control", "%s/%s" % (room, side), "--timeout", "3s", "--deadline", "20s", "--doubt-time", "5s"]
    return words + (["--at", "2"] if side == "send" else []) + ["--vram", "60%", *SMALL_TABLES, SMALL]


def deeds(room):
    try:
        with open(room + "/journal", encoding="ascii") as file:
            lines = [line.split() for line in file.read().splitlines()[1:]]
    except OSError:
        return []
    return [(words[2], words[3]) for words in lines if len(words) == 7]


WHOLE = "the guest moved, and both journals say all of it"


def whole_move(room):
    done = deeds(room)
    return all(deed in done for deed in (("source", "commit"), ("source", "drop"), ("source", "left"), ("target", "own"), ("target", "end")))


def two_owners(room):
    done = deeds(room)
    given = ("source", "commit") in done
    runs = given and ("source", "run") in done[done.index(("source", "commit")):]
    return done.count(("target", "own")) > 1 or (("target", "own") in done and runs)


def play_side(vidmm, env, side, link, limits):
    """The side with the failure; "hang" where the other one does not end, and an accusation where both have the guest."""
    room = tempfile.mkdtemp(prefix="vidmm-faults-")
    try:
        if link == "file" and side == "recv":
            finish(start(vidmm, side_words("send", link, room)))
        other = start(vidmm, side_words("recv" if side == "send" else "send", link, room)) if link == "unix" else None
        code, text = finish_side(start(vidmm, side_words(side, link, room), env, limits), side, room, vidmm)
        other_code = finish_other(other, code, room, vidmm) if other else None
        if other and other_code is None:
            return None, "the other side does not end"
        if two_owners(room):
            return code, "violations 1"
        return code, WHOLE if code == other_code == 0 and whole_move(room) else text
    finally:
        shutil.rmtree(room)


def finish_other(other, code, room, vidmm):
    """A receiver that no source came to waits for the next one, as it should: it is ended when it has said so for a while."""
    begun, waits = time.monotonic(), 0
    while True:
        try:
            other.communicate(timeout=0.5)
            return other.returncode
        except subprocess.TimeoutExpired:
            waits = waits + 1 if not_begun(room, "recv", vidmm) else 0
        took = time.monotonic() - begun
        if waits == 4 or took > SECONDS or (took > (15 if code == 0 else 8) and not_begun(room, "send", vidmm)):
            other.kill()
            other.communicate()
            return None if took > SECONDS else other.returncode


WAITS = "waits for the next source: "


def finish_side(process, side, room, vidmm):
    """A receiver that goes on waiting longer than a source tries is told to end; its text begins with WAITS."""
    waits = 0
    while side == "recv" and waits < 12:
        try:
            text = process.communicate(timeout=0.5)[0]
            return process.returncode, text.decode(errors="replace")
        except subprocess.TimeoutExpired:
            if not not_begun(room, "recv", vidmm):
                break
            waits += 1
    if waits == 12:
        process.terminate()
    code, text = finish(process)
    return (3, WAITS + text) if waits == 12 and code is not None else (code, text)


def not_begun(room, name, vidmm):
    asked = subprocess.run([vidmm, "migrate", "resolve", "%s/%s" % (room, name)], capture_output=True, text=True, check=False)
    return "not begun" in asked.stdout


def play(vidmm, preload, arguments, limits=(), **settings):
    env = dict(os.environ, **settings)
    if preload:
        env["LD_PRELOAD"] = preload
    if arguments[0] == "migrate":
        return play_side(vidmm, env, arguments[1], arguments[2], limits)
    return finish(start(vidmm, arguments, env, limits))


def logged(log):
    with open(log, "rb") as file:
        return [offset - 1 for offset, in struct.iter_unpack("=Q", file.read())]


def places(vidmm, offsets):
    unique = sorted(set(offsets))
    lines = subprocess.run(["addr2line", "-f", "-e", vidmm], input="".join("0x%x\n" % offset for offset in unique),
                           stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    return {offset: lines[2 * i] + " " + lines[2 * i + 1] for i, offset in enumerate(unique)}


def points(vidmm, preload, arguments, of="memory"):
    """The numbers of the allocations that the rooms make, and the function that makes each."""
    with tempfile.TemporaryDirectory() as room:
        log = os.path.join(room, "log")
        code, text = play(vidmm, preload, arguments, FAULTS_LOG=log, FAULTS_OF=of)
        if code != 0:
            sys.exit("%s: ends with %s without a failure:\n%s" % (" ".join(arguments), code, text[-2000:]))
        offsets = logged(log)
    where = places(vidmm, offsets)
    return [(number, where[offset]) for number, offset in enumerate(offsets, 1)
            if of != "memory" or ROOMS.search(where[offset])]


def judge(name, code, text):
    if code is None:
        return "hang"
    if code < 0 or code >= 128 or " crashed " in text or "died in " in text:
        return "signal"
    if re.search(r"^violations +[1-9]|^\d+ rules judged: .* [1-9]\d* broken|^mismatched bytes +[1-9]", text, re.M):
        return "accusation"
    if code == 0: # stage memory refuses memory itself, and goes on
        return "refused as stage memory refuses it" if name == "check memory" else "exit code 0"
    if not text.strip():
        return "no sentence"
    if text.startswith(WAITS):
        return "waits" if "out of memory" in text else "no sentence"
    if re.search("out of memory|no memory|cannot allocate memory|status_no_memory", text.lower()):
        return "out of memory"
    return "another sentence"


def judge_refused(vidmm, refused, on, how, text):
    """What came of a run that does not name memory, by what was refused: the first of these, or all of them."""
    refused = refused if on else refused[:1]
    found = places(vidmm, refused) if refused else {}
    of_rooms = [where for where in found.values() if ROOMS.search(where)]
    if not of_rooms:
        return "not reached"
    return "said again" if text == WHOLE and all(LINK.search(where) for where in of_rooms) else how


# ---- What else may be refused --------------------------------------------------------------------------------------------

def small_jobs():
    """Each writes a report, so that files and their sizes count."""
    yield "run", ["run", "--frames", "3", "--vram", "25%", "--json", "REPORT", "openarena-tour"]
    yield "check", ["check", "--stage", "start", "--format", "json", "--output", "REPORT"]
    yield "migrate send", ["migrate", "send", "unix"]
    yield "migrate recv", ["migrate", "recv", "unix"]


def refusals(options, drawn):
    """(name, arguments, limits, settings): each descriptor and map that the program asks for, and sizes."""
    for name, words in small_jobs():
        if options.only.split(",")[0] not in name:
            continue
        for of in "descriptors", "maps":
            found = points(options.vidmm, options.preload, ["/dev/null" if word == "REPORT" else word for word in words], of)
            found = drawn.sample(found, min(len(found), options.most))
            for number, _ in found:
                for on in {}, {"FAULTS_ON": "1"}:
                    yield "%s, %s" % (name, of), words, (), dict(FAULTS_OF=of, FAULTS_AT=str(number), **on)
        for size in (3, 4, 5, 6, 8, 10, 12, 16):
            yield name + ", descriptors", words, ((resource.RLIMIT_NOFILE, size),), {}
        for size in (0, 1, 100, 4096, 65536):
            yield name + ", size of files", words, ((resource.RLIMIT_FSIZE, size),), {}
        for size in (16, 32, 64, 128, 256, 512, 1024):
            yield name + ", address space", words, ((resource.RLIMIT_AS, size << 20),), {}
        if not name.startswith("migrate"):
            yield name + ", disk full", [("/dev/full" if word == "REPORT" else word) for word in words], (), {}


def judge_refusal(code, text, limits):
    """Whoever has no room says so, or does not need it."""
    how = judge("", code, text)
    if how == "exit code 0":
        return "not needed"
    if how == "no sentence" and limits and code == 127:
        return "not started"  # the system's loader had no room
    return "a sentence" if how in ("another sentence", "out of memory") else how


def play_refusal(options, work):
    name, words, limits, settings = work
    with tempfile.TemporaryDirectory(prefix="vidmm-faults-") as room:
        words = [word.replace("REPORT", room + "/report") for word in words]
        code, text = play(options.vidmm, options.preload if settings else None, words, limits, **settings)
        how = judge_refusal(code, text, limits)
        if how == "no sentence" and code != 0 and whole(room + "/report"):
            how = "a sentence"  # in the report
        if how == "not needed" and words[-1] != "unix" and "/report" in " ".join(words) and not whole(room + "/report"):
            how = "half a report"
        if [left for left in os.listdir(room) if left.endswith(".tmp")]:
            how = "a file left"
        return work, how, code, text


def whole(path):
    try:
        with open(path, encoding="utf-8") as file:
            json.load(file)
        return True
    except (OSError, ValueError):
        return False


GOOD = ("out of memory", "refused as stage memory refuses it", "not reached", "said again", "waits", "a sentence", "not needed", "not started")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vidmm", type=os.path.abspath)
    parser.add_argument("preload", type=os.path.abspath)
    parser.add_argument("--sample", type=int, default=0, help="points in all, drawn by seed (0: all); allocations of run and check alone without --only")
    parser.add_argument("--most", type=int, default=2000, help="points of one run, beyond which they are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", help="each point that did not end as it must")
    options = parser.parse_args()
    drawn = random.Random(options.seed)
    work = []
    quick = options.sample and not options.only  # a side that waits for another one takes seconds
    for name, arguments in jobs():
        if options.only in name and not (quick and "migrate" in name):
            found = points(options.vidmm, options.preload, arguments)
            if len(found) > options.most:
                found = drawn.sample(found, options.most)
            work += [(name, arguments, number, where, on) for number, where in found for on in (False, True)]
    others = [] if quick else [one for one in refusals(options, drawn) if options.only in one[0]]
    if options.sample:
        work = drawn.sample(work, min(len(work), options.sample))
        others = drawn.sample(others, min(len(others), options.sample // 2))

    def one(point):
        name, arguments, number, where, on = point
        settings = {"FAULTS_AT": str(number), **({"FAULTS_ON": "1"} if on else {})}
        with tempfile.NamedTemporaryFile(prefix="vidmm-faults-") as log:
            code, text = play(options.vidmm, options.preload, arguments, FAULTS_LOG=log.name, **settings)
            how = judge(name, code, text)
            if how in ("exit code 0", "another sentence"):
                how = judge_refused(options.vidmm, logged(log.name)[number - 1:], on, how, text)
        return name, how, "%u%s\t%s" % (number, "+" if on else "", where), code, text

    def other(refusal):
        (name, words, limits, settings), how, code, text = play_refusal(options, refusal)
        return name, how, "%s %s %s" % (" ".join(words), limits, settings), code, text

    counts, bad = {}, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each, points_of in ((one, work), (other, others)):
            for name, how, where, code, text in pool.map(each, points_of):
                counts.setdefault(name, collections.Counter())[how] += 1
                if how not in GOOD:
                    bad.append("%s\t%s\t%s\t%s\t%s" % (how, name, where, code, text[-600:].replace("\n", " | ")))
    total = sum(counts.values(), collections.Counter())
    for name, counter in [*counts.items(), ("all", total)]:
        print("%-28s %5u points: %s" % (name, sum(counter.values()), ", ".join("%u %s" % (n, how) for how, n in counter.most_common())))
    for line in bad[:20]:
        print(line)
    if options.list:
        with open(options.list, "w", encoding="utf-8") as file:
            file.write("\n".join(bad) + "\n")
    if not work and not others:
        print("no points: is vidmm built with debug information?")
        return 77
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
