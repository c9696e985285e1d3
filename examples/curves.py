#!/usr/bin/env python3
"""Draws a store of vidmm sweep with pandas and matplotlib: bytes moved over the bound against GPU memory, a curve for each
policy, and prints the means.

    python3 curves.py STORE PICTURE
"""
import sqlite3
import sys

import matplotlib
matplotlib.use('Agg')  # a file, no window
import matplotlib.pyplot as plt
import pandas as pd


def read(store):
    with sqlite3.connect(store) as base:
        runs = pd.read_sql('SELECT workload, policy, seed, vram_bytes, peak_live_bytes, over_bound, paged_in_bytes, remote_bytes '
                           'FROM runs WHERE exit_code = 0', base)
    runs['share'] = (100 * runs.vram_bytes / runs.peak_live_bytes).round().astype(int)
    runs['policy'] = runs.policy.str.replace(r'.*/|\.so$', '', regex=True)
    return runs


def draw(runs, picture):
    workloads = sorted(runs.workload.unique())
    figure, axes = plt.subplots(1, len(workloads), figsize=(4 * len(workloads), 3.5), squeeze=False)
    for axis, workload in zip(axes[0], workloads):
        of_one = runs[runs.workload == workload]
        for policy, group in of_one.groupby('policy'):
            over = group.groupby('share').over_bound.agg(['mean', 'min', 'max'])
            line, = axis.plot(over.index, over['mean'], marker='o', label=policy)
            axis.fill_between(over.index, over['min'], over['max'], alpha=0.2, color=line.get_color())
        axis.axhline(1, color='gray', linestyle=':')  # what nobody could beat
        axis.set(title=workload, xlabel='GPU memory, % of the peak', ylabel='moved / bound')
        axis.legend()
    figure.tight_layout()
    figure.savefig(picture)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    runs = read(sys.argv[1])
    if runs.empty:
        sys.exit('curves.py: the store has no run that was verified')
    draw(runs, sys.argv[2])
    print(runs.pivot_table(index=['workload', 'share'], columns='policy', values='over_bound').round(2).to_string())


if __name__ == '__main__':
    main()
