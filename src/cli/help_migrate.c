/*
 * help_migrate.c - the text of vidmm migrate --help.
 */
#include "cli.h"

static void help_sides(FILE *out) {
    fputs("Usage: vidmm migrate send --to LINK [OPTION...] [WORKLOAD]\n"
          "       vidmm migrate recv --from LINK [OPTION...] [WORKLOAD]\n"
          "       vidmm migrate resolve [--take|--drop] CONTROL\n"
          "\n"
          "Moves the memory of a virtual GPU to another process while its workload runs. send\n"
          "plays WORKLOAD and moves it to the other process during the run; recv, with the\n"
          "same workload and options, waits for it and plays the rest. LINK is tcp:HOST:PORT,\n"
          "unix:PATH or file:PATH; a file holds the paused guest until recv reads it.\n"
          "\n"
          "send:\n"
          "      --to LINK          where recv listens\n"
          "      --at EVENT|N%      event at which the migration begins (default: 50%)\n"
          "      --rate RATE        limit the link to 1Gb/s, 100MB/s ...\n"
          "      --fps N            limit the guest to N frames a second, as a display does\n"
          "      --pause-target T   pause the guest when the pause will take less than T\n"
          "                         (default 300ms)\n"
          "      --pause-limit T    never pause it for longer than T (default 750ms)\n"
          "      --rounds N         rounds until the guest counts as too dirty (default 30)\n"
          "      --if-too-dirty X   throttle (default), stop, or pause for a long time\n"
          "      --retry N          begin again after a failure, up to N times\n"
          "recv:\n"
          "      --from LINK        where to listen\n"
          "both:\n",
          out);
}

static void help_both(FILE *out) {
    fputs(
        "      --timeout T        time after which a silent link is lost, and for which send\n"
        "                         waits for recv (default 10s)\n"
        "      --driver-timeout SECONDS  time in which a call of the driver must begin or return\n"
        "                         (default 10)\n"
        "      --deadline T       time for everything up to the commit (default 3600s)\n"
        "      --key FILE|fd:N    encrypt and authenticate the link with this key: 32 to 128\n"
        "                         hexadecimal digits in a file that only its owner may read\n"
        "      --plain            TCP beyond this machine without a key, open to everybody\n"
        "      --journal FILE     append a line for every change of ownership\n"
        "      --control PATH     socket for resolve (default: in $XDG_RUNTIME_DIR or /tmp)\n"
        "      --doubt-time T     give up after T in doubt (default: never)\n"
        "      --json FILE        the report as JSON; - is standard output\n"
        "      --html FILE        the report to look at: rounds, the pause, maps of memory\n"
        "      --picture FILE     the map of memory alone; FILE ends in .svg or .png\n"
        "      --quiet            no report, no progress\n"
        "  -h, --help\n"
        "and all options of vidmm run except --threads and --linked. The defaults are\n"
        "--ddi wddm3.2, --model gpummu and --set DirtyPageBytes=4096.\n"
        "\n"
        "A process is in doubt if the link broke between commit and acknowledgement and the\n"
        "other process does not return: it cannot know which process owns the guest. resolve\n"
        "decides: --take gives the guest to the process of CONTROL, --drop to the other one.\n"
        "Without either, resolve prints the state.\n"
        "\n"
        "Exit code: 0 moved (send), verified to the end (recv); 1 a wrong byte or a broken\n"
        "rule; 2 bad usage or input; 3 the driver failed; 4 the guest did not move; 5 ended in\n"
        "doubt.\n",
        out);
}

void cli_help_migrate(FILE *out) {
    help_sides(out);
    help_both(out);
}
