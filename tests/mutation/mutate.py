#!/usr/bin/env python3
"""Drivers with one mistake each, made by seeded operators from the example drivers' sources.

  tests/mutation/mutate.py BUILD [--count N] [--seed N] [--driver NAME]... [--out FILE] [--at SOURCE:LINE]

Each mutant is compiled as BUILD compiles the driver, examined by `vidmm check`, and put in one class:

  named        the first finding is a rule's
  placed       the first finding is the host's, and tells of the place of the mistake (places.py)
  symptom      the first finding is another one
  passed       nothing was found
  equivalent   nothing was found, and equivalent.txt says why the mutant is as good as the original, or the
               whole driver, optimized as one program, has the code of the original
  not visible  nothing was found, and equivalent.txt says what nobody can see from outside

Mutants that compile to the code of the original, and of functions that no examination calls (reach.py), are
not counted. FILE gets a JSON line for each that is; `causes` are its findings that follow from no other.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

from operators import Source, mutations
from places import Places
from reach import reach_of

# What compilers of drivers do not let pass: a pointer made of 32 bits is no mistake that a check gets to see.
REFUSED = ["-Werror=" + warning for warning in (
    "int-conversion", "pointer-to-int-cast", "int-to-pointer-cast", "incompatible-pointer-types", "overflow")]
# The whole driver as one program, of which only DriverEntry is called from outside.
AS_ONE = ("-O2", "-flto", "-ffat-lto-objects")
SAME = "the whole driver, optimized as one program, has the code of the original"
OUTCOMES = ("named", "placed", "symptom", "passed", "equivalent", "not visible")
JUDGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "equivalent.txt")
DRIVERS = {  # name -> model of its hardware
    "aperture-only": None, "banked": None, "cpu-vram": None, "gpummu": None, "ring": "ring-hardware",
    "softgpu": "softgpu-hardware", "wdk-style": None,
}
# What a driver is examined with, one after the other until something is found: a driver that speaks
# several interfaces has code for each.
OPTIONS = {"softgpu": [line.split() for line in (
    "",
    "--ddi win8 --set Agp=1 --set Banks=4",
    "--ddi win7 --set Banks=4 --set Gdi=1",
    "--ddi wddm2.9 --set MmuLevels=3 --set MmuPages=1 --set MmuFeatures=15 --set MmuUpdateMode=0",
    "--ddi wddm2.9 --set MmuLevels=4 --set MmuPages=2 --set MmuFeatures=0 --set MmuUpdateMode=0",
    "--ddi wddm3.2 --set MmuLevels=4 --set DirtyPageBytes=4096 --set ContextBytes=8192",
    "--ddi wddm3.2 --set DirtyPageBytes=4096",
    "--linked 2 --set MmuLevels=4 --set MmuPages=2",
    "--ddi wddm2.1 --set VprBytes=1048576",
    "--set Displays=2",
    "--ddi wddm2.9 --set Displays=2",
)]}


class Driver:
    """How BUILD makes one driver: a command for each object, and one that links them."""

    def __init__(self, build, name):
        self.name, self.build = name, build
        self.hardware = DRIVERS[name] and os.path.join(build, "drivers", DRIVERS[name] + ".so")
        lines = subprocess.run(["ninja", "-C", build, "-t", "commands", f"drivers/{name}.so"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
        commands = [shlex.split(line) for line in lines if line and not line.startswith("ninja:")]
        self.link = commands[-1]
        self.scratch = tempfile.TemporaryDirectory()
        self.compile = {}
        for command in commands[:-1]:
            command = command[1:] if command[0].endswith("ccache") else command
            self.compile[os.path.normpath(os.path.join(build, command[-1]))] = command

    def object_of(self, source, text, directory, how=("-O1", "-fno-inline")):
        """Compiles `text` in the place of `source`; the object's path, or None."""
        command = self.compile[source]
        is_c = source.endswith(".c")
        changed = os.path.join(directory, "mutant" + os.path.splitext(source)[1])
        out = os.path.join(directory, "mutant.o")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text)
        # Without the precompiled header, which was made with other words.
        words = [w for i, w in enumerate(command)
                 if not w.startswith("-W") and w not in ("-MD", "-fpch-preprocess")
                 and command[i - 1] not in ("-MQ", "-MF", "-o", "-include")
                 and w not in ("-MQ", "-MF", "-o", "-c", "-include") and w != command[-1]]
        words += REFUSED if is_c else REFUSED[-1:]
        words += [*how, "-iquote", os.path.dirname(os.path.abspath(source)), "-c", changed, "-o", out]
        done = subprocess.run(words, cwd=self.build, capture_output=True)
        return out if done.returncode == 0 else None

    @functools.lru_cache(maxsize=None)
    def original(self, source, text):
        """The code that `source` compiles to."""
        with tempfile.TemporaryDirectory() as directory:
            return code_of(self.object_of(source, text, directory))

    @functools.lru_cache(maxsize=None)
    def _others(self):
        """The objects of all sources for `program`."""
        objects = {}
        for source in self.compile:
            directory = tempfile.mkdtemp(dir=self.scratch.name)
            with open(source, encoding="utf-8") as file:
                objects[source] = self.object_of(source, file.read(), directory, AS_ONE)
        return objects

    def program(self, source, text, directory):
        """The code of the whole driver, optimized as one program with `text` in the place of `source`; or None."""
        objects = dict(self._others())
        objects[source] = self.object_of(source, text, directory, AS_ONE)
        exports = os.path.join(directory, "exports")
        with open(exports, "w", encoding="utf-8") as file:
            file.write("{ global: DriverEntry; local: *; };")
        module = all(objects.values()) and self.module(
            objects, directory, (*AS_ONE, "-Wl,--build-id=none", f"-Wl,--version-script={exports}"))
        return code_of(module, "--strip-all") if module else None

    @functools.lru_cache(maxsize=None)
    def original_program(self, source, text):
        with tempfile.TemporaryDirectory() as directory:
            return self.program(source, text, directory)

    def module(self, objects, directory, more=()):
        """Links `objects`, source -> object, in the place of the driver's own."""
        out = os.path.join(directory, self.name + ".so")
        own = {self.compile[s][self.compile[s].index("-o") + 1]: path for s, path in objects.items()}
        words = [own.get(word, word) for word in self.link] + list(more)
        words[words.index("-o") + 1] = out
        return out if subprocess.run(words, cwd=self.build, capture_output=True).returncode == 0 else None


def code_of(path, strip="--strip-debug"):
    """The object without what only names its source."""
    out = path + ".code"
    subprocess.run(["objcopy", strip, "--remove-section=.comment", path, out], check=True)
    with open(out, "rb") as file:
        return re.sub(rb"mutant\.c(pp)?", b"", file.read())


def same_program(driver, source, original, mutant, directory):
    was = driver.original_program(source, original)
    return was is not None and was == driver.program(source, mutant, directory)


def examine(vidmm, driver, module, directory, numbers):
    """With the options of these numbers, until something is found."""
    for number in numbers:
        report = examine_with(vidmm, driver, module, directory, OPTIONS.get(driver.name, ([],))[number])
        if verdict(report, lambda finding: False) != "passed":
            break
    return report


def examine_with(vidmm, driver, module, directory, options):
    out = os.path.join(directory, "check.json")
    words = [vidmm, "check", "--format", "json", "--output", out, "--timeout", "30"] + options
    if driver.hardware:
        words += ["--hardware", driver.hardware]
    done = subprocess.run(words + [module], capture_output=True, text=True)
    try:
        with open(out, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {"status": "no report", "text": done.stderr, "findings": [], "stages": []}


def verdict(report, right):
    """`right(finding)`: a finding of the host is about the right place."""
    findings = [f for f in report["findings"] if f.get("severity") != "advice"]
    if findings and re.match(r"R\d", findings[0]["id"]):
        return "named"
    if findings and right(findings[0]):
        return "placed"
    return "symptom" if findings or report["status"] not in ("passed",) else "passed"


def identity(row):
    """What a mutant is, whatever moves in its source."""
    return tuple(" ".join(row[member].split()) for member in ("source", "function", "kind", "was", "is"))


def read_judged(path):
    """identity -> [(block, outcome)] of the survivors that were judged by hand."""
    judged = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^#.*\n", "", file.read(), flags=re.M)
    for number, block in enumerate(filter(None, (b.strip() for b in text.split("\n\n"))), 1):
        row = dict(line.split(": ", 1) for line in block.split("\n"))
        missing = {"source", "function", "kind", "was", "is"} - set(row)
        outcome = next((o for o in ("equivalent", "not visible") if o in row), None)
        if missing or not outcome:
            sys.exit(f"{path}: block {number} has no {', '.join(sorted(missing)) or 'reason'}")
        judged[identity(row)].append((row, outcome))
    return judged


def settle(row, judged):
    """A survivor that was judged by hand gets that class; says so when one that was is found now."""
    for block, outcome in judged.get(identity(row), ()):
        if row["driver"] not in block.get("drivers", row["driver"]).split():
            continue
        if row["above"] != " ".join(block.get("above", row["above"]).split()):
            continue
        if row["outcome"] == "passed":
            row["outcome"], row["why"] = outcome, block[outcome]
        else:
            print(f"{row['source']}:{row['line']} is in equivalent.txt, but {row['outcome']} on {row['driver']}")
        return


def sources_of(driver, table):
    return {path: source for queue in table.values() for d, path, source, _ in queue if d is driver}


def reaches(vidmm, driver, table):
    """What the examinations of a driver reach of it."""
    sources = sources_of(driver, table)
    options = OPTIONS.get(driver.name, ([],))
    with tempfile.TemporaryDirectory() as directory:
        def examine_once(module, number):
            return examine_with(vidmm, driver, module, directory, options[number])
        return reach_of(driver, sources, len(options), examine_once, directory)


def above(text, start):
    """The line before the one that begins at `start`, as equivalent.txt has it."""
    return " ".join(text[:start].rstrip().rpartition("\n")[2].split())


def described(driver, source_path, source, mutation):
    """The mutant as a row of the table, without its outcome."""
    start = source.text.rfind("\n", 0, mutation.start) + 1
    end = source.text.find("\n", mutation.end)
    return {
        "driver": driver.name, "source": os.path.relpath(source_path), "kind": mutation.kind,
        "line": source.text.count("\n", 0, mutation.start) + 1,
        "function": source.function_at(mutation.start), "above": above(source.text, start), "was": source.text[start:end].strip(),
        "is": (source.text[start:mutation.start] + mutation.text + source.text[mutation.end:end]).strip(),
    }


def run(vidmm, reach, places, driver, source_path, source, mutation):
    """The mutant's row; None: it is none."""
    row = described(driver, source_path, source, mutation)
    text = source.text[:mutation.start] + mutation.text + source.text[mutation.end:]
    numbers = [number for number in range(len(OPTIONS.get(driver.name, ([],))))
               if reach[driver.name].calls(source_path, source, mutation.start, number)]
    if not numbers:
        return None
    with tempfile.TemporaryDirectory() as directory:
        changed = driver.object_of(source_path, text, directory)
        if not changed or code_of(changed) == driver.original(source_path, source.text):
            return None
        module = driver.module({source_path: changed}, directory)
        if not module:
            return None
        report = examine(vidmm, driver, module, directory, numbers)
        row["outcome"] = verdict(report, lambda finding: places[driver.name].right(finding, row["function"]))
        if row["outcome"] == "passed" and same_program(driver, source_path, source.text, text, directory):
            row["outcome"], row["why"] = "equivalent", SAME
    row["reached"] = reach[driver.name].passes(source_path, source, mutation.start)
    row["status"] = report["status"]
    row["found"] = ["{id} {where} [{step}] {found}".format(**f)[:160] for f in report["findings"]]
    row["causes"] = sum(not f["follows"] for f in report["findings"])
    row["stages"] = [f"{s['name']} {s['outcome']}" for s in report["stages"] if s["outcome"] not in ("done", "skipped")]
    return row


def candidates(drivers):
    """Per (driver, kind): what could be made."""
    table = collections.defaultdict(list)
    for driver in drivers:
        for path in sorted(driver.compile):
            with open(path, encoding="utf-8") as file:
                source = Source(file.read())
            for mutation in mutations(source):
                table[driver.name, mutation.kind].append((driver, path, source, mutation))
    return table


def of_line(table, place):
    """The candidates of one line, as `--at` names it."""
    name, line = place.rsplit(":", 1)
    return {key: [c for c in queue if c[1].endswith(name) and
                  c[2].text.count("\n", 0, c[3].start) + 1 == int(line)] for key, queue in table.items()}


def drawn(table, seed):
    """All candidates, in a seeded order that goes round the pairs of driver and kind."""
    queues = []
    for key in sorted(table):
        queue = sorted(table[key], key=lambda c: (c[1], c[3].start, c[3].text))
        random.Random(f"{seed} {key}").shuffle(queue)
        queues.append(queue)
    random.Random(seed).shuffle(queues)
    while any(queues):
        for queue in queues:
            if queue:
                yield queue.pop()


def print_table(rows):
    print(f"{'class':20} {'driver':14} " + " ".join(f"{o:>11}" for o in OUTCOMES))
    count = collections.Counter((row["kind"], row["driver"], row["outcome"]) for row in rows)
    for kind, driver in sorted({(row["kind"], row["driver"]) for row in rows}):
        print(f"{kind:20} {driver:14} " + " ".join(f"{count[kind, driver, o]:11}" for o in OUTCOMES))
    total = collections.Counter(row["outcome"] for row in rows)
    print(f"{len(rows)} mutants: " + ", ".join(f"{total[o]} {o}" for o in OUTCOMES))
    judged = sum(total[o] for o in ("named", "placed", "symptom", "passed"))
    if judged:
        print(f"of the {judged} that are neither equivalent nor not visible {100 * total['named'] / judged:.0f} % are "
              f"named by a rule, and {100 * total['placed'] / judged:.0f} % placed by what the host saw")
    causes = [row["causes"] for row in rows if row["causes"]]
    if causes:
        few = sum(n <= 2 for n in causes)
        print(f"findings of a mutant, without those that follow from another: median {statistics.median(causes):g}, "
              f"at most 2 of {100 * few / len(causes):.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--driver", action="append", choices=sorted(DRIVERS))
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--at", metavar="SOURCE:LINE", help="only mutants of this line")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    drivers = [Driver(build, name) for name in options.driver or sorted(DRIVERS)]
    table = candidates(drivers)
    chosen = of_line(table, options.at) if options.at else table
    drivers = [driver for driver in drivers if any(queue for (name, _), queue in chosen.items() if name == driver.name)]
    source = drawn(chosen, options.seed)
    vidmm = os.path.join(build, "vidmm")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda driver: reaches(vidmm, driver, table), drivers)
        reach = dict(zip((driver.name for driver in drivers), found))
    places = {driver.name: Places(sources_of(driver, table).values()) for driver in drivers}
    judged, rows = read_judged(JUDGED), []
    out = open(options.out, "w", encoding="utf-8") if options.out else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = set()
        while len(rows) < options.count:
            while len(waiting) < options.jobs * 2:
                candidate = next(source, None)
                if candidate is None:
                    break
                waiting.add(pool.submit(run, vidmm, reach, places, *candidate))
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                row = future.result()
                if row is None or len(rows) == options.count:
                    continue
                settle(row, judged)
                rows.append(row)
                if out:
                    out.write(json.dumps(row) + "\n")
                    out.flush()
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
