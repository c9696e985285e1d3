/*
 * refuse.c - the one sentence on standard error when a command line is refused.
 */
#include "cli.h"

#include <getopt.h>
#include <stdarg.h>

int cli_refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("vidmm: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return VIDMM_RUN_BAD_INPUT;
}

/* Replaces getopt's messages by one sentence. */
bool cli_refuse_option(int id, char **argv) {
    const char *word = argv[optind - 1];
    if (id == ':')
        cli_refuse("%s needs a value; see vidmm %s --help", word, argv[0]);
    else
        cli_refuse("vidmm %s does not take '%s'; see vidmm %s --help", argv[0], word, argv[0]);
    return false;
}

bool cli_refuse_value(const char *option, const char *value, const char *expected) {
    cli_refuse("--%s '%s' is not %s", option, value, expected);
    return false;
}
