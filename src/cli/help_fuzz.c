/*
 * help_fuzz.c - the text of vidmm fuzz --help.
 */
#include "cli.h"

void cli_help_fuzz(FILE *out) {
    fputs(
        "Usage: vidmm fuzz [OPTION...] DRIVER\n"
        "\n"
        "Fuzzes a driver with what user mode controls: private data of allocations, resources and\n"
        "contexts, commands, patch locations, allocation lists, escapes, and the order of all\n"
        "requests. libFuzzer searches by the driver's own coverage; the referee, the host and\n"
        "sanitizers judge. Each input is played from a fresh start of the driver.\n"
        "\n"
        "  clang -shared -fPIC -fsanitize=fuzzer-no-link,address -I include/wddm ...\n"
        "                         builds a driver for it, with coverage and the address "
        "sanitizer;\n"
        "                         without coverage, as of a .sys, the search goes by the "
        "driver's\n"
        "                         answers and by the numbers that its code compares with\n"
        "\n"
        "      --seconds N        time of the search (default 60)\n"
        "      --jobs N           processes that search (default 1)\n"
        "      --seed N           of the search\n"
        "      --corpus DIR       inputs to begin with and to go on with; kept there\n"
        "      --output DIR       where the inputs of findings are written (default: here)\n"
        "      --stop-at-first    ends at the first finding\n"
        "      --replay FILE      plays one input again: its calls in words, what it finds, and\n"
        "                         exit code 1\n"
        "      --trace            of a replay: each call of the driver\n"
        "      --hardware PATH    a shared object with the model of the hardware\n"
        "      --model MODEL      physical, gpummu or iommu (default: what the driver has)\n"
        "      --ddi VERSION      interface version that is spoken\n"
        "      --linked N         N physical adapters as one\n"
        "      --set NAME=VALUE   a setting that driver and hardware read\n"
        "      --inf FILE         the registry values of an INF file\n"
        "      --timeout SECONDS  time in which a call of the driver must begin or return\n"
        "                         (default 10)\n"
        "  -h, --help\n"
        "\n"
        "A finding has the identity that vidmm check prints, a minimised input and the command\n"
        "that plays it. Refused requests are no findings. Needs clang with libFuzzer.\n"
        "\n"
        "Exit code: 0 nothing was found, 1 findings, 2 bad usage or input, 3 the driver does not\n"
        "start.\n",
        out);
}
