#!/usr/bin/env python3
"""scale.py - writes a recording with many live allocations to standard output.

usage: scale.py ALLOCATIONS FRAMES LISTED

ALLOCATIONS pages of 4 KiB, all live to the end; each of FRAMES submissions references LISTED of them
in no order (a fixed sequence: the same arguments give the same recording), half of them written."""

import json
import random
import sys


def scale(allocations, frames, listed, out):
    """The recording's lines, written one by one: a million of them need no memory."""
    heaps = [{"size": 1 << 40, "flags": [flag]} for flag in ("device_local", "host_visible")]
    draw = random.Random(1)
    time = 0

    def line(event):
        out.write(json.dumps(event, separators=(",", ":")) + "\n")

    line({"vidmm_trace": 1, "source": "scale", "api": "vulkan", "note": "", "heaps": heaps})
    for number in range(1, allocations + 1):
        line({"t": time, "op": "alloc", "id": number, "size": 4096, "heap": 0,
              "flags": ["device_local"], "name": "page"})
        time += 10
    for _ in range(frames):
        chosen = draw.sample(range(1, allocations + 1), min(listed, allocations))
        half = len(chosen) // 2
        line({"t": time, "op": "submit", "queue": 0, "reads": chosen[:half], "writes": chosen[half:]})
        line({"t": time + 1000, "op": "present"})
        time += 2000


if __name__ == "__main__":
    if len(sys.argv) != 4 or not all(word.isdigit() and int(word) > 0 for word in sys.argv[1:]):
        sys.exit(__doc__)
    scale(*map(int, sys.argv[1:]), sys.stdout)
