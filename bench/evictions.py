#!/usr/bin/env python3
"""How far policies of eviction are from what nobody could beat.

Each workload is replayed with 25, 50 and 75 % of the memory that it wants, on physical and on GPU
virtual addresses, under lru and under the policies named (default: the library's default). A cell
is what a run moved into GPU memory, or read where it lay elsewhere, over the bound of `vidmm bound`.
The last lines have the geometric means, and the worst cell against lru.

  bench/evictions.py VIDMM [--policy NAME]... [--seed N] [--frames N] [--jobs N] [WORKLOAD...]
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SHARES = ('25%', '50%', '75%')
MODELS = ('physical', 'gpummu')


def names(vidmm):
    """Recordings and generators, as `vidmm workloads` lists them."""
    said = subprocess.run([vidmm, 'workloads'], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in said.splitlines() if line.startswith('  ')]


def moved(args, workload, share, model, policy):
    """What a run moved over the bound; None: there is none, or the run was not verified."""
    with tempfile.NamedTemporaryFile(suffix='.json') as report:
        words = [args.vidmm, 'run', '--quiet', '--unjudged', '--bytes', 'none', '--vram', share, '--model', model, '--seed', str(args.seed),
                 '--json', report.name]
        words += ['--policy', policy] if policy else []
        words += ['--frames', str(args.frames)] if args.frames else []
        done = subprocess.run(words + [workload], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(f'{workload} {share} {model} {policy}: {done.stderr.strip()}', file=sys.stderr)
            return None
        bound = json.load(open(report.name))['bound']
    return bound['ratio'] if bound else None


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else float('nan')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('vidmm')
    parser.add_argument('workloads', nargs='*')
    parser.add_argument('--policy', action='append')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--frames', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=2)
    args = parser.parse_intermixed_args()
    policies = ['lru'] + (args.policy or [''])
    cells = [(workload, share, model) for workload in args.workloads or names(args.vidmm) for model in MODELS
             for share in SHARES]
    with ThreadPoolExecutor(args.jobs) as pool:
        found = {cell: [pool.submit(moved, args, *cell, policy) for policy in policies] for cell in cells}
        print(f'{"over the bound":34}' + ''.join(f'{policy or "default":>12}' for policy in policies))
        ratios = {}
        for cell, results in found.items():
            values = [result.result() for result in results]
            if None in values:
                continue
            ratios[cell] = values
            print(f'{cell[0]:20} {cell[2]:9}{cell[1]:4}' + ''.join(f'{value:12.2f}' for value in values), flush=True)
    for model in MODELS:
        rows = [values for cell, values in ratios.items() if cell[2] == model]
        print(f'{"geometric mean":21}{model:13}' + ''.join(f'{mean(column):12.2f}' for column in zip(*rows)))
    print(f'{"geometric mean":34}' + ''.join(f'{mean(column):12.2f}' for column in zip(*ratios.values())))
    print(f'{"worst cell over lru":34}' +
          ''.join(f'{max(values[i] / values[0] for values in ratios.values()):12.2f}' for i in range(len(policies))))


if __name__ == '__main__':
    main()
