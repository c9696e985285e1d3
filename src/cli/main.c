/*
 * main.c - runs the command that is named, and checks that its output was written.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"

/* Opens /dev/null for a standard stream that is closed: else the next file or socket would get its
 * number, and the output. In the wrong direction, so that its use fails. */
static void keep_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(VIDMM_RUN_BAD_INPUT);
    }
}

/* The command's exit code, unless its output could not be written, as on a full disk, and the
 * command did not report that itself. */
static int close_output(int code) {
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code == VIDMM_RUN_BAD_INPUT)
        return code;
    return cli_refuse("cannot write standard output: %s",
                      errno != 0 ? strerror(errno) : "a write failed");
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", cli_run},         {"check", cli_check}, {"inspect", cli_inspect},
                {"migrate", cli_migrate}, {"cc", cli_cc},       {"workloads", cli_workloads},
                {"bound", cli_bound},     {"rules", cli_rules}, {"sweep", cli_sweep},
                {"plot", cli_plot},       {"fuzz", cli_fuzz}};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int run_named(int argc, char **argv) {
    struct vidmm_meant meant = {.word = argv[0]};
    char text[64];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, argv[0]) == 0)
            return commands[i].run(argc, argv);
        vidmm_meant_try(&meant, commands[i].name);
    }
    vidmm_meant_try(&meant, "--help");
    vidmm_meant_try(&meant, "--version");
    return cli_refuse("no command '%s'%s; see vidmm --help", argv[0],
                      vidmm_meant_text(&meant, "", text, sizeof(text)));
}

/* vidmm help COMMAND is vidmm COMMAND --help. */
static int run_help(const char *command) {
    char name[64], option[] = "--help";
    char *words[] = {name, option, NULL};
    (void)snprintf(name, sizeof(name), "%s", command);
    return run_named(2, words);
}

static int run_command(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word)
        return cli_refuse("no command; see vidmm --help");
    if (strcmp(word, "help") == 0 && argc > 2)
        return run_help(argv[2]);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        cli_help(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        puts("vidmm " VIDMM_VERSION " (" VIDMM_COMMIT ")");
        return 0;
    }
    return run_named(argc - 1, argv + 1);
}

/*
 * With the run time of AddressSanitizer by LD_PRELOAD, as drivers need that are built with it, p11-kit, which GnuTLS
 * loads, waits for the lock of locales for ever when its library ends.
 */
static bool ends_early(void) {
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "asan");
}

int main(int argc, char **argv) {
    bool early = ends_early();
    keep_streams();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a sentence */
    int code = close_output(run_command(argc, argv));
    if (early)
        _exit(code);
    return code;
}
