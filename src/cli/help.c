/*
 * help.c - what --help says.
 */
#include "cli.h"

void cli_help(FILE *out) {
    fputs("Usage: vidmm COMMAND [OPTION...]\n"
          "\n"
          "Plays the operating system's half of the WDDM memory contract against a display\n"
          "miniport driver, moves real bytes, and checks every byte and every rule.\n"
          "\n"
          "  vidmm run [WORKLOAD]   replay a workload and verify it\n"
          "  vidmm inspect          show what a driver reports about its memory\n"
          "  vidmm workloads        list what can be replayed\n"
          "  vidmm --version\n"
          "\n"
          "vidmm COMMAND --help says more.\n"
          "\n"
          "Exit code: 0 verified, 1 a wrong byte or a broken rule, 2 bad usage or input,\n"
          "3 the driver failed.\n",
          out);
}

static void help_adapter(FILE *out) {
    fputs("      --driver PATH      a shared object that exports DriverEntry; without it the\n"
          "                         reference driver over a software GPU\n"
          "      --seed N           scatters physical pages; makes a generated workload\n"
          "      --threads N        N submitting threads, a thread for each engine and wall-clock\n"
          "                         time; 0 (default): one thread and virtual time\n"
          "      --ddi VERSION      interface version of the reference driver:",
          out);
    for (size_t i = 0; vidmm_run_ddi_at(i) != NULL; i++) {
        fputs(i % 6 == 0 ? "\n                         " : " ", out);
        fputs(vidmm_run_ddi_at(i), out);
    }
    fputs("\n      --set NAME=VALUE   a setting of the driver or the hardware, as in\n"
          "                         --set Banks=3 --set PagingBufferBytes=4K\n"
          "      --trace            every DDI call and DbgPrint on standard error\n"
          "  -h, --help\n",
          out);
}

void cli_help_run(FILE *out) {
    fputs("Usage: vidmm run [OPTION...] [WORKLOAD]\n"
          "\n"
          "Replays WORKLOAD: a recording's path, a generator's name or a shipped recording's\n"
          "name (vidmm workloads lists them; default " VIDMM_RUN_DEFAULT_WORKLOAD ").\n"
          "\n"
          "      --vram SIZE|N%     GPU memory: 64M, 1.5GiB, or a share of what the workload\n"
          "                         has live at its peak (default: all of it)\n"
          "      --frames N         stop after N frames\n"
          "      --json FILE        the report as JSON too; - is standard output\n"
          "      --quiet            no table and no progress bar\n",
          out);
    help_adapter(out);
}

void cli_help_inspect(FILE *out) {
    fputs("Usage: vidmm inspect [OPTION...]\n"
          "\n"
          "Starts a driver and shows what it reported: caps, segments, banks, paging buffer.\n"
          "\n"
          "      --vram SIZE        GPU memory of the software GPU\n",
          out);
    help_adapter(out);
}

void cli_help_workloads(FILE *out) {
    fputs("Usage: vidmm workloads\n"
          "\n"
          "Lists the shipped recordings and the generators.\n",
          out);
}
