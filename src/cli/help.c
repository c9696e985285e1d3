/*
 * help.c - the text of --help.
 */
#include "cli.h"

void cli_help(FILE *out) {
    fputs("Usage: vidmm COMMAND [OPTION...]\n"
          "\n"
          "Plays the operating system's half of the WDDM memory contract against a display\n"
          "miniport driver, moves real bytes, and checks every byte and every rule.\n"
          "\n"
          "  vidmm run [WORKLOAD]         replay a workload and verify it\n"
          "  vidmm cc -o OUT WHAT         build a driver from its sources\n"
          "  vidmm check [DRIVER]         check that a driver keeps the rules\n"
          "  vidmm fuzz DRIVER            fuzz a driver with what user mode controls\n"
          "  vidmm inspect [DRIVER]       show what a driver reports about its memory\n"
          "  vidmm migrate send|recv      move a run to another process while it plays\n"
          "  vidmm migrate resolve        decide a migration that is in doubt\n"
          "  vidmm workloads              list what can be replayed\n"
          "  vidmm bound [WORKLOAD]       what nobody could beat in that much GPU memory\n"
          "  vidmm sweep [STUDY]          many runs, in parallel, into a store; goes on when "
          "stopped\n"
          "  vidmm plot STORE             the runs of a sweep as curves\n"
          "  vidmm rules [WORD...]        list the rules, explain one, find those of a bugcheck\n"
          "  vidmm --version\n"
          "\n"
          "vidmm COMMAND --help, or vidmm help COMMAND, lists the options of a command.\n"
          "\n"
          "Exit code: 0 verified, 1 a wrong byte or a broken rule, 2 bad usage or input,\n"
          "3 the driver failed; of migrate also 4 and 5.\n",
          out);
}

static void help_device(FILE *out) {
    fputs("      --device DEVICE    the hardware instead: qemu:NAME[,PROPERTY=VALUE...], a device "
          "of\n"
          "                         QEMU, or regs:FILE, a described one (docs/devices.md)\n"
          "      --device-log FILE  each access to registers, ports and configuration space\n"
          "      --calls FILE       each call of the driver with arguments and answer, paging\n"
          "                         operations, moves and findings, a line of JSON each\n"
          "      --timeline FILE    the same as a timeline for ui.perfetto.dev (docs/timeline.md)\n"
          "      --no-fork          the driver runs in this process, for debuggers: no deadline\n"
          "      --timeout SECONDS  time in which a call of the driver must begin or return\n"
          "                         (default 10)\n",
          out);
}

static void help_adapter(FILE *out) {
    fputs("      --driver PATH      a shared object that exports DriverEntry; without it the\n"
          "                         reference driver over a software GPU\n"
          "      --hardware PATH    a shared object with the model of the hardware behind that\n"
          "                         driver's BARs (vidmm/hwmodel.h); without it plain memory\n",
          out);
    help_device(out);
    fputs(
        "      --seed N           scatters physical pages; makes a generated workload\n"
        "      --threads N        N submitting threads, a thread for each engine and wall-clock\n"
        "                         time; 0 (default): one thread and virtual time\n"
        "      --ddi VERSION      interface version of the reference driver, and the one that any\n"
        "                         driver is spoken to in, at most its table's (default: the older\n"
        "                         of its table's and of DRIVERCAPS.WDDMVersion):",
        out);
    for (size_t i = 0; vidmm_run_ddi_at(i); i++) {
        fputs(i % 6 == 0 ? "\n                         " : " ", out);
        fputs(vidmm_run_ddi_at(i), out);
    }
    fputs(
        "\n      --model MODEL      how the GPU reaches memory: physical, gpummu or iommu "
        "(default:\n"
        "                         gpummu if the driver has it, else iommu; the reference\n"
        "                         driver gets the model named here, gpummu also with --set\n"
        "                         MmuLevels=2 to 6 and iommu with --set Iommu=1)\n"
        "      --linked N         N linked physical adapters, 1 to 4 (default: 1), each with the\n"
        "                         GPU memory of --vram\n"
        "      --set NAME=VALUE   a setting of the driver or the hardware, as in\n"
        "                         --set Banks=3 --set PagingBufferBytes=4K; one that the\n"
        "                         driver does not ask for by the end of its start is\n"
        "                         refused\n"
        "      --inf FILE         settings from the driver's INF file: the numbers of its\n"
        "                         AddReg sections; --set goes before\n"
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
          "                         has live at its peak (default: 100%); with --model iommu\n"
          "                         the size of the aperture segment\n"
          "      --policy NAME|FILE which allocation is evicted first:",
          out);
    for (size_t i = 0; vidmm_policy_at(i); i++)
        fprintf(out, "%s %s", i == 0 ? "" : ",", vidmm_policy_at(i)->name);
    fputs(
        " (the first is the\n"
        "                         default), or a shared object with a policy of yours, as in\n"
        "                         --policy ./mine.so (docs/policies.md)\n"
        "      --frames N         stop after N frames\n"
        "      --dirty            print what each frame writes to GPU memory, for pages of\n"
        "                         4 KiB to 2 MiB; a migration would send this again. The\n"
        "                         reference driver then has WDDM 3.2\n"
        "      --bytes none       memory has no content: decisions, page tables, fences and times\n"
        "                         as ever, but no byte is moved, written or compared; for studies\n"
        "                         that reach further than RAM (default: all)\n"
        "      --paging serial    no paging beside other work of the GPU, which is slower; to\n"
        "                         compare virtual times (default: overlapped)\n"
        "      --unjudged         no referee: verify bytes, do not check rules\n"
        "      --json FILE        the report as JSON too; - is standard output\n"
        "      --html FILE        the report to look at, with maps of memory over time: one file "
        "for a\n"
        "                         browser, without network (docs/html-report.md)\n"
        "      --picture FILE     the map of memory alone; FILE ends in .svg or .png\n"
        "      --plan FILE        each plan of the manager as a line of JSON: why it was made,\n"
        "                         what moves and why, its paging operations\n"
        "      --quiet            no table and no progress bar\n",
        out);
    help_adapter(out);
}

void cli_help_inspect(FILE *out) {
    fputs(
        "Usage: vidmm inspect [OPTION...] [DRIVER]\n"
        "\n"
        "Starts a driver and prints its caps, segments, banks and paging buffer, and of GPU\n"
        "virtual memory the page tables, page sizes and budgets. Of an image (.sys), which names\n"
        "it imports, and which of them vidmm does not have, whether it starts or not.\n"
        "\n"
        "      --host             starts no driver: in which ways the engines of the software\n"
        "                         GPU can copy on this machine, how fast, and which they chose\n"
        "      --vram SIZE        GPU memory of the software GPU\n"
        "      --json FILE        the same as JSON; - is standard output\n",
        out);
    help_adapter(out);
}

void cli_help_bound(FILE *out) {
    fputs(
        "Usage: vidmm bound [OPTION...] [WORKLOAD]\n"
        "\n"
        "Says how many bytes a workload has to move into GPU memory, whoever knows the future.\n"
        "A submission references whole allocations, of which those count that prefer GPU\n"
        "memory. A referenced byte that does not lie in GPU\n"
        "memory costs one, paged in or read where it lies, the first reference included, as\n"
        "fresh memory is filled. Page by page (Belady) is a bound: pages leave at no cost, and a\n"
        "submission needs nothing at the same time; no run moves less. Whole allocations by the\n"
        "same rule are no bound, but what a good run can reach. Not included: what is written\n"
        "back, page tables, contiguity, priorities, budgets.\n"
        "\n"
        "      --vram SIZE|N%     GPU memory, as of vidmm run (default: 100%)\n"
        "      --frames N         stop after N frames\n"
        "      --seed N           makes a generated workload\n"
        "      --json FILE        as JSON; - is standard output\n"
        "  -h, --help\n",
        out);
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

/* Which findings count, and which runs are made. */
static void help_gate(FILE *out) {
    fputs(
        "      --only R1,R2,A     check only these rules or groups of rules; what else is found "
        "does\n"
        "                         not fail\n"
        "      --ignore WORDS     rules (R55), what the host sees (K9), groups (A) and findings\n"
        "                         (R55-3f9a1c) that do not fail\n"
        "      --fail-on WHAT     the least severity that fails: bugcheck, start, creation, lost,\n"
        "                         corruption or performance; by default all but advice (R55)\n"
        "      --baseline FILE    findings of this report (--format json) are known and do not "
        "fail\n"
        "      --replay IDENTITY  run what shows the finding again, alone and in this process, "
        "where\n"
        "                         a debugger stops; no deadline but --timeout (docs/debugging.md)\n"
        "      --jobs N           runs of stages at the same time, with the report of one after "
        "the\n"
        "                         other (default: one for each processor, at most 8)\n"
        "      --stage NAMES      run only these stages (--stage paging,room, or once for each):\n",
        out);
}

void cli_help_check(FILE *out) {
    fputs("Usage: vidmm check [OPTION...] [DRIVER]\n"
          "\n"
          "Checks that a driver keeps the rules of the memory contract. Each stage runs in its\n"
          "own process. DRIVER is a shared object that exports DriverEntry; without it the\n"
          "reference driver over a software GPU is checked.\n"
          "\n"
          "      --driver PATH      the same as DRIVER\n"
          "      --hardware PATH    a shared object with the model of the hardware behind the\n"
          "                         driver's BARs (vidmm/hwmodel.h); without it plain memory\n",
          out);
    help_device(out);
    help_gate(out);
    help_stages(out);
    fputs("      --reading NAME=VALUE  the reading to take where pages contradict each other\n"
          "                         (docs/readings.md); the first value is the default:\n",
          out);
    help_readings(out);
    fputs(
        "      --format FORMAT    text (default), json, junit or sarif\n"
        "      --output FILE      write the report to FILE, completely or not at all\n"
        "      --html FILE        the report to look at as well: one file for a browser, without\n"
        "                         network (docs/html-report.md)\n"
        "      --picture FILE     the map of memory alone; FILE ends in .svg or .png\n"
        "      --color WHEN       auto (default), always or never\n"
        "      --seed N           seed of the random choices (default 0)\n"
        "      --ddi VERSION      interface version, as of vidmm run\n"
        "      --linked N         N linked physical adapters, 1 to 4 (default: 1)\n"
        "      --set NAME=VALUE   a setting of the driver or the hardware; one that nobody\n"
        "                         reads is told\n"
        "      --inf FILE         settings from the driver's INF file\n"
        "      --trace            every DDI call and DbgPrint on standard error\n"
        "  -v, --verbose          print each rule with its outcome, and each stage\n"
        "  -h, --help\n"
        "\n"
        "Exit code: 0 no finding that counts, 1 a broken rule, a crash, a hang\n"
        "or a leak, 2 bad usage or input, 3 the driver failed without breaking a rule.\n",
        out);
}

void cli_help_rules(FILE *out) {
    fputs("Usage: vidmm rules [OPTION...]\n"
          "       vidmm rules [--json FILE] WORD...\n"
          "\n"
          "Lists the rules of the memory contract, explains one, or finds those of a code or a\n"
          "word, with what Windows was seen to do, and for a code what to look at first:\n"
          "\n"
          "  vidmm rules R152                       one rule, or several; K13: of the host's\n"
          "  vidmm rules 0x10E 0xB                  a bugcheck and its parameters, hexadecimal\n"
          "  vidmm rules code43                     a code of the Device Manager\n"
          "  vidmm rules STATUS_NO_MEMORY           a status, or its number: 0xC0000017\n"
          "  vidmm rules DxgkDdiBuildPagingBuffer   a call\n"
          "  vidmm rules DXGK_PTE.Segment           a field\n"
          "  vidmm rules stride                     a word, or several\n"
          "  vidmm rules W21                        a record\n"
          "\n"
          "      --codes            list the codes; with --markdown all of them as a document\n"
          "      --records          list what Windows was seen to do and what drivers got wrong\n"
          "      --json FILE        what is found, as JSON; - is standard output\n"
          "      --group LETTER     only this group, A to U, or Z: what the host sees\n"
          "      --side SIDE        only the rules for the driver or for the manager\n"
          "      --judged           only the rules that vidmm checks\n"
          "      --markdown         the whole table as a document\n"
          "      --matrix FILE      add the results of the negative tests, from lines like\n"
          "                         'R152 driver caught alone'\n"
          "  -h, --help\n",
          out);
}
