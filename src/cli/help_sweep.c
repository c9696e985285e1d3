/*
 * help_sweep.c - the text of vidmm sweep --help and vidmm plot --help.
 */
#include "cli.h"

void cli_help_sweep(FILE *out) {
    fputs(
        "Usage: vidmm sweep [OPTION...] [STUDY]\n"
        "\n"
        "Makes many runs, each of vidmm run in a process of its own, and keeps a row for each\n"
        "in a store (SQLite) and as CSV. STUDY is a JSON file that names values for each axis\n"
        "(docs/sweeps.md); each combination is one run. A sweep that was stopped or killed goes\n"
        "on when the same command is given again.\n"
        "\n"
        "Axes; each takes a list, as in --vram 10%..100%/5% --policy lru,default,./mine.so\n"
        "--seed 0..4, and replaces the values of the study file; default is that of vidmm run:\n"
        "\n"
        "      --workload LIST    recordings, generators, shipped recordings\n"
        "      --vram LIST        GPU memory: sizes, shares, ranges START..END/STEP\n"
        "      --policy LIST      policies of eviction, or shared objects with one\n"
        "      --model LIST       physical, gpummu, iommu\n"
        "      --driver LIST      drivers; the reference driver without it\n"
        "      --hardware LIST    models of hardware of a driver\n"
        "      --ddi LIST         interface versions\n"
        "      --linked LIST      linked physical adapters\n"
        "      --frames LIST      stop after so many frames\n"
        "      --bytes LIST       all or none\n"
        "      --seed LIST        seeds\n"
        "      --set NAME=LIST    a setting of the driver or the hardware\n"
        "\n"
        "      --store FILE       the store (default: STUDY with .db, or sweep.db)\n"
        "      --csv FILE         its rows as text (default: the store with .csv); written when\n"
        "                         the sweep ends or is stopped\n"
        "      --jobs N           runs at the same time (default: one for each processor)\n"
        "      --retry            makes the runs that failed again\n"
        "      --slurm            has Slurm make the runs, as job arrays, and collects what they\n"
        "                         say; the directory must be one that its nodes share\n"
        "      --runs-per-task N  that one task of an array makes (default: 1)\n"
        "      --quiet            no progress and no line at the end\n"
        "  -h, --help\n"
        "\n"
        "Exit code: 0 all runs verified, 1 some failed, 2 bad usage, a changed study or a store\n"
        "that cannot be used, more than 128: stopped by a signal (130: SIGINT).\n",
        out);
}

void cli_help_plot(FILE *out) {
    fputs("Usage: vidmm plot [OPTION...] STORE\n"
          "\n"
          "Draws the runs of vidmm sweep against GPU memory as SVG: a row of charts for each\n"
          "workload, a column for each measure, a curve for each policy (and each other axis with\n"
          "more than one value). A curve is the mean over the seeds, its band reaches from the\n"
          "least to the most.\n"
          "\n"
          "  -o, --output FILE      the picture (default: STORE with .svg); - is standard output\n"
          "      --workload NAME    only this one\n"
          "      --measure NAME     only moved (bytes moved into GPU memory), remote (bytes\n"
          "                         referenced where they lay), frame (virtual time of a frame)\n"
          "                         or bound (both kinds of bytes over what nobody could beat)\n"
          "  -h, --help\n",
          out);
}
