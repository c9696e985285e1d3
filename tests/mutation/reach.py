"""Which functions and statements of a driver its examinations reach.

The driver is built once with a probe at the start of each function and before each statement, and examined
as its mutants will be. A mutant of a function that an examination does not call is as good as the original
there: mutate.py examines it only where the function is called, and makes none where no one calls it.
"""

import os
import subprocess

PROBE = """
#include <fcntl.h>
#include <sys/mman.h>

void mutation_reached(unsigned n);
void mutation_reached(unsigned n) {
    static volatile unsigned char *volatile seen;
    if (!seen) {
        void *map = mmap(0, %d, PROT_READ | PROT_WRITE, MAP_SHARED, open("%s", O_RDWR), 0);
        seen = map == MAP_FAILED ? 0 : map;
    }
    if (seen)
        seen[n] = 1;
}
"""
DECLARATION, CPP = "void mutation_reached(unsigned n);\n", 'extern "C" '


class Reach:
    """For one driver: asked with a source, a position in it and the number of an examination."""

    def __init__(self):
        self.functions, self.statements = {}, {}

    def calls(self, path, source, position, examination):
        """Whether the function around a position is called."""
        for start, end in source.bodies:
            if start <= position < end:
                return examination in self.functions[path, start]
        return True

    def passes(self, path, source, position):
        """Whether any examination runs the statement at a position; None: it is no statement's."""
        for start, end in source.statements + source.exits:
            if start <= position < end:
                return bool(self.statements[path, start])
        return None


def probed(source, declaration, first):
    """The source's text with numbered probes; (position, is it a function's) of each number from `first` on."""
    marks = sorted([(start, start, True) for start, _ in source.bodies] +
                   [(start, end, False) for start, end in source.statements + source.exits])
    text, at, probes = [], 0, []
    for start, end, is_function in marks:
        call = f"mutation_reached({first + len(probes)});"
        text.append(source.text[at:start])
        text.append(call if is_function else "{ " + call + source.text[start:end] + " }")
        at = end
        probes.append((start, is_function))
    return declaration + "".join(text) + source.text[at:], probes


def reach_of(driver, sources, examinations, examine, directory):
    """`sources`: path -> Source; `examine(module, number)` runs one examination."""
    reach, objects, numbers = Reach(), {}, []
    for path, source in sources.items():
        text, probes = probed(source, DECLARATION if path.endswith(".c") else CPP + DECLARATION, len(numbers))
        objects[path] = driver.object_of(path, text, directory)
        if not objects[path]:
            raise RuntimeError(f"{path} does not compile with probes")
        os.rename(objects[path], objects[path] + str(len(objects)))
        objects[path] += str(len(objects))
        for start, is_function in probes:
            table = reach.functions if is_function else reach.statements
            numbers.append(table.setdefault((path, start), set()))
    seen = os.path.join(directory, "reached")
    probe = os.path.join(directory, "probe.c")
    with open(probe, "w", encoding="utf-8") as file:
        file.write(PROBE % (len(numbers), seen))
    subprocess.run(["cc", "-O1", "-fPIC", "-c", probe, "-o", probe + ".o"], check=True)
    module = driver.module(objects, directory, [probe + ".o"])
    for number in range(examinations):
        with open(seen, "wb") as file:
            file.write(bytes(len(numbers)))
        examine(module, number)
        with open(seen, "rb") as file:
            for mark, examined in zip(file.read(), numbers):
                if mark:
                    examined.add(number)
    return reach
