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
          "  vidmm run [WORKLOAD]         replay a workload and verify it\n"
          "  vidmm check [DRIVER]         examine a driver by the rules\n"
          "  vidmm inspect                show what a driver reports about its memory\n"
          "  vidmm migrate send|recv      move a run to another process while it plays\n"
          "  vidmm migrate resolve        decide for one that is in doubt\n"
          "  vidmm workloads              list what can be replayed\n"
          "  vidmm rules [RULE]           list the rules, or explain one\n"
          "  vidmm --version\n"
          "\n"
          "vidmm COMMAND --help says more.\n"
          "\n"
          "Exit code: 0 verified, 1 a wrong byte or a broken rule, 2 bad usage or input,\n"
          "3 the driver failed; of migrate also 4 and 5.\n",
          out);
}

static void help_adapter(FILE *out) {
    fputs("      --driver PATH      a shared object that exports DriverEntry; without it the\n"
          "                         reference driver over a software GPU\n"
          "      --hardware PATH    a shared object with the model of the hardware behind that\n"
          "                         driver's BARs (vidmm/hwmodel.h); without it plain memory\n"
          "      --seed N           scatters physical pages; makes a generated workload\n"
          "      --threads N        N submitting threads, a thread for each engine and wall-clock\n"
          "                         time; 0 (default): one thread and virtual time\n"
          "      --ddi VERSION      interface version of the reference driver:",
          out);
    for (size_t i = 0; vidmm_run_ddi_at(i); i++) {
        fputs(i % 6 == 0 ? "\n                         " : " ", out);
        fputs(vidmm_run_ddi_at(i), out);
    }
    fputs("\n      --model MODEL      how the GPU reaches memory: physical, gpummu or iommu "
          "(default:\n"
          "                         gpummu where the driver has it, then iommu; the reference\n"
          "                         driver has what is named here, gpummu with --set MmuLevels=2\n"
          "                         to 6 and iommu with --set Iommu=1)\n"
          "      --set NAME=VALUE   a setting of the driver or the hardware, as in\n"
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
          "                         has live at its peak (default: all of it); with --model\n"
          "                         iommu there is none: of the aperture segment\n"
          "      --frames N         stop after N frames\n"
          "      --dirty            what each frame writes of GPU memory, for pages of 4 KiB to\n"
          "                         2 MiB: what a migration would send again; the reference\n"
          "                         driver is of WDDM 3.2 then\n"
          "      --unjudged         without the referee: bytes are verified, rules are not\n"
          "      --json FILE        the report as JSON too; - is standard output\n"
          "      --quiet            no table and no progress bar\n",
          out);
    help_adapter(out);
}

void cli_help_inspect(FILE *out) {
    fputs("Usage: vidmm inspect [OPTION...]\n"
          "\n"
          "Starts a driver and shows what it reported: caps, segments, banks, paging buffer;\n"
          "page tables, page sizes and budgets of GPU virtual memory.\n"
          "\n"
          "      --vram SIZE        GPU memory of the software GPU\n"
          "      --json FILE        the same as JSON; - is standard output\n",
          out);
    help_adapter(out);
}

void cli_help_workloads(FILE *out) {
    fputs("Usage: vidmm workloads\n"
          "\n"
          "Lists the shipped recordings and the generators.\n"
          "\n"
          "  -h, --help\n",
          out);
}

static void help_stages(FILE *out) {
    const char *summary;
    for (size_t i = 0; vidmm_check_stage_at(i, &summary); i++)
        fprintf(out, "                           %-13s %s\n", vidmm_check_stage_at(i, NULL),
                summary);
}

static void help_readings(FILE *out) {
    const struct vidmm_reading_choice *choice;
    for (size_t i = 0; (choice = vidmm_reading_at(i)); i++) {
        fprintf(out, "                           %s=%s", choice->name, choice->value[0]);
        for (size_t j = 1; j < 3 && choice->value[j]; j++)
            fprintf(out, "|%s", choice->value[j]);
        fputc('\n', out);
    }
}

void cli_help_check(FILE *out) {
    fputs("Usage: vidmm check [OPTION...] [DRIVER]\n"
          "\n"
          "Examines a driver by the rules of the memory contract, stage by stage, each in a\n"
          "process of its own. DRIVER is a shared object that exports DriverEntry; without it\n"
          "the reference driver over a software GPU.\n"
          "\n"
          "      --driver PATH      the same as DRIVER\n"
          "      --hardware PATH    a shared object with the model of the hardware behind the\n"
          "                         driver's BARs (vidmm/hwmodel.h); without it plain memory\n"
          "      --only R1,R2,A     judge these rules, or groups of rules, alone\n"
          "      --stage NAME       one stage alone:\n",
          out);
    help_stages(out);
    fputs("      --reading NAME=VALUE  where pages contradict each other, which one holds; the\n"
          "                         first of each is the default:\n",
          out);
    help_readings(out);
    fputs("      --format FORMAT    text (default), json, junit or sarif\n"
          "      --output FILE      the report's file, whole or not at all\n"
          "      --timeout SECONDS  most time of one run of a stage (default 10)\n"
          "      --color WHEN       auto (default), always or never\n"
          "      --seed N           another conformance check of the same kind\n"
          "      --ddi VERSION      interface version of the reference driver\n"
          "      --set NAME=VALUE   a setting of the driver or the hardware\n"
          "      --trace            every DDI call and DbgPrint on standard error\n"
          "  -v, --verbose          every rule with its outcome; stages as they begin\n"
          "  -h, --help\n"
          "\n"
          "Exit code: 0 every rule that was reached is kept, 1 a broken rule, a crash, a hang\n"
          "or a leak, 2 bad usage or input, 3 the driver failed without breaking a rule.\n",
          out);
}

void cli_help_rules(FILE *out) {
    fputs("Usage: vidmm rules [OPTION...]\n"
          "       vidmm rules RULE\n"
          "\n"
          "Lists the rules of the memory contract, or explains one: vidmm rules R152.\n"
          "\n"
          "      --group LETTER     only this group, A to T\n"
          "      --side SIDE        only what driver or manager must obey\n"
          "      --judged           only what vidmm judges\n"
          "      --markdown         the whole table as a document\n"
          "      --matrix FILE      with a column of what became of those who broke the rules:\n"
          "                         lines like 'R152 driver caught alone'\n"
          "  -h, --help\n",
          out);
}
