#!/usr/bin/env python3
"""Drivers with one mistake each, made by seeded operators from the example drivers' sources.

  tests/mutation/mutate.py BUILD [--count N] [--seed N] [--driver NAME]... [--out FILE] [--at SOURCE:LINE]

Each mutant is compiled as BUILD compiles the driver, examined by `vidmm check`, and put in one class:

  named        the first finding is a rule's
  symptom      a crash, a hang, a leak or a failed start was all that was seen
  passed       nothing was found
  equivalent   nothing was found, and equivalent.txt says why the mutant is as good as the original
  not visible  nothing was found, and equivalent.txt says what nobody can see from outside

Mutants that compile to the code of the original are not counted. FILE gets a JSON line for each.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

from operators import Source, mutations

# What compilers of drivers do not let pass: a pointer made of 32 bits is no mistake that a check gets to see.
REFUSED = ["-Werror=" + warning for warning in (
    "int-conversion", "pointer-to-int-cast", "int-to-pointer-cast", "incompatible-pointer-types")]
# Rows of what the host sees that are no crash, hang, lost work, wrong byte or failed start.
EXACT = re.compile(r"K([1-9]|1[0-27-9]|2[0-2567]) ")
OUTCOMES = ("named", "symptom", "passed", "equivalent", "not visible")
JUDGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "equivalent.txt")
DRIVERS = {  # name -> model of its hardware
    "aperture-only": None, "banked": None, "cpu-vram": None, "gpummu": None, "ring": "ring-hardware",
    "softgpu": "softgpu-hardware",
}
# What a driver is examined with, one after the other until something is found: a driver that speaks
# several interfaces has code for each.
OPTIONS = {"softgpu": [line.split() for line in (
    "",
    "--ddi win8 --set Agp=1 --set Banks=4",
    "--ddi win7 --set Banks=4",
    "--ddi wddm2.9 --set MmuLevels=3 --set MmuFeatures=15 --set MmuUpdateMode=0",
    "--ddi wddm3.2 --set MmuLevels=4 --set DirtyPageBytes=4096 --set ContextBytes=8192",
    "--linked 2 --set MmuLevels=4 --set MmuPages=2",
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
        self.compile = {}
        for command in commands[:-1]:
            command = command[1:] if command[0].endswith("ccache") else command
            self.compile[os.path.normpath(os.path.join(build, command[-1]))] = command

    def object_of(self, source, text, directory):
        """Compiles `text` in the place of `source`; the object's path, or None."""
        command = self.compile[source]
        changed, out = os.path.join(directory, "mutant.c"), os.path.join(directory, "mutant.o")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text)
        words = [w for i, w in enumerate(command)
                 if not w.startswith("-W") and w not in ("-g", "-MD") and command[i - 1] not in ("-MQ", "-MF", "-o")
                 and w not in ("-MQ", "-MF", "-o", "-c") and w != command[-1]]
        words += REFUSED + ["-O1", "-iquote", os.path.dirname(os.path.abspath(source)), "-c", changed, "-o", out]
        done = subprocess.run(words, cwd=self.build, capture_output=True)
        return out if done.returncode == 0 else None

    def module(self, source, object_path, directory):
        out = os.path.join(directory, self.name + ".so")
        original = self.compile[source][self.compile[source].index("-o") + 1]
        words = [object_path if w == original else w for w in self.link]
        words[words.index("-o") + 1] = out
        return out if subprocess.run(words, cwd=self.build, capture_output=True).returncode == 0 else None


def code_of(path):
    """The object without what only names its source."""
    out = path + ".code"
    subprocess.run(["objcopy", "--strip-debug", "--remove-section=.comment", path, out], check=True)
    with open(out, "rb") as file:
        return file.read().replace(b"mutant.c", b"")


def examine(vidmm, driver, module, directory):
    for options in OPTIONS.get(driver.name, ([],)):
        report = examine_with(vidmm, driver, module, directory, options)
        if verdict(report) != "passed":
            break
    return report


def examine_with(vidmm, driver, module, directory, options):
    out = os.path.join(directory, "check.json")
    words = [vidmm, "check", "--format", "json", "--output", out, "--timeout", "60"] + options
    if driver.hardware:
        words += ["--hardware", driver.hardware]
    done = subprocess.run(words + [module], capture_output=True, text=True)
    try:
        with open(out, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {"status": "no report", "text": done.stderr, "findings": [], "stages": []}


def verdict(report):
    findings = [f for f in report["findings"] if f.get("severity") != "advice"]
    if findings and re.match(r"R\d", findings[0]["id"]):
        return "named"
    return "symptom" if findings or report["status"] not in ("passed",) else "passed"


def identity(row):
    """What a mutant is, whatever moves in its source."""
    return tuple(" ".join(row[member].split()) for member in ("source", "function", "kind", "was", "is"))


def read_judged(path):
    """identity -> [(drivers, or None for all; outcome; why)] of the survivors that were judged by hand."""
    judged = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^#.*\n", "", file.read(), flags=re.M)
    for number, block in enumerate(filter(None, (b.strip() for b in text.split("\n\n"))), 1):
        row = dict(line.split(": ", 1) for line in block.split("\n"))
        missing = {"source", "function", "kind", "was", "is"} - set(row)
        outcome = next((o for o in ("equivalent", "not visible") if o in row), None)
        if missing or not outcome:
            sys.exit(f"{path}: block {number} has no {', '.join(sorted(missing)) or 'reason'}")
        judged[identity(row)].append((row["drivers"].split() if "drivers" in row else None, outcome, row[outcome]))
    return judged


def settle(row, judged):
    """A survivor that was judged by hand gets that class; says so when one that was is found now."""
    for drivers, outcome, why in judged.get(identity(row), ()):
        if drivers is not None and row["driver"] not in drivers:
            continue
        if row["outcome"] == "passed":
            row["outcome"], row["why"] = outcome, why
        else:
            print(f"{row['source']}:{row['line']} is in equivalent.txt, but {row['outcome']} on {row['driver']}")
        return


def run(vidmm, driver, source_path, source, mutation):
    start = source.text.rfind("\n", 0, mutation.start) + 1
    end = source.text.find("\n", mutation.end)
    text = source.text[:mutation.start] + mutation.text + source.text[mutation.end:]
    row = {
        "driver": driver.name, "source": os.path.relpath(source_path), "kind": mutation.kind,
        "line": source.text.count("\n", 0, mutation.start) + 1,
        "function": source.function_at(mutation.start), "was": source.text[start:end].strip(),
        "is": (source.text[start:mutation.start] + mutation.text + source.text[mutation.end:end]).strip(),
    }
    with tempfile.TemporaryDirectory() as directory:
        original = driver.object_of(source_path, source.text, directory)
        before = code_of(original)
        changed = driver.object_of(source_path, text, directory)
        if not changed:
            return None
        if code_of(changed) == before:
            return None
        module = driver.module(source_path, changed, directory)
        if not module:
            return None
        report = examine(vidmm, driver, module, directory)
    row["outcome"] = verdict(report)
    row["status"] = report["status"]
    row["found"] = ["{id} {where} [{step}] {found}".format(**f)[:160] for f in report["findings"]]
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
    judged = total["named"] + total["symptom"] + total["passed"]
    if judged:
        exact = sum(row["outcome"] == "symptom" and bool(EXACT.match((row["found"] or [""])[0])) for row in rows)
        print(f"of the symptoms {exact} begin with what the host saw of the mistake itself: a leak, a refusal, a function")
        print(f"of the {judged} that are neither equivalent nor not visible {100 * total['named'] / judged:.0f} % are named")


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
    source = drawn(of_line(table, options.at) if options.at else table, options.seed)
    vidmm = os.path.join(build, "vidmm")
    judged, rows = read_judged(JUDGED), []
    out = open(options.out, "w", encoding="utf-8") if options.out else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = set()
        while len(rows) < options.count:
            while len(waiting) < options.jobs * 2:
                candidate = next(source, None)
                if candidate is None:
                    break
                waiting.add(pool.submit(run, vidmm, *candidate))
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
