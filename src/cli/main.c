/*
 * main.c - picks the command.
 */
#include "cli.h"

#include <locale.h>
#include <stdarg.h>
#include <string.h>

int cli_refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("vidmm: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return VIDMM_RUN_BAD_INPUT;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"run", cli_run},         {"check", cli_check},         {"inspect", cli_inspect},
        {"migrate", cli_migrate}, {"workloads", cli_workloads}, {"rules", cli_rules}};

    setlocale(LC_CTYPE, "");
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word == NULL)
        return cli_refuse("no command; see vidmm --help");
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        cli_help(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        puts("vidmm " VIDMM_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, word) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    return cli_refuse("no command '%s'; see vidmm --help", word);
}
