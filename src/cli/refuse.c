/*
 * refuse.c - the one sentence on standard error when a command line is refused.
 */
#include "cli.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include <vidmm/printable.h>

int cli_refuse(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "vidmm: %s\n", vidmm_printable(text, false));
    return VIDMM_RUN_BAD_INPUT;
}

/* "-25%" is none. */
static bool looks_like_option(const char *word) {
    return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static void refuse_unknown(const char *command, const char *word, const struct option *list) {
    char name[64], text[128];
    struct vidmm_meant meant = {.word = name};
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    memmove(name, name + strspn(name, "-"), strlen(name + strspn(name, "-")) + 1);
    for (; list->name; list++)
        vidmm_meant_try(&meant, list->name);
    if (meant.distance == 0) /* the word has a value that the option does not take, or is short */
        meant.known[0] = '\0';
    cli_refuse("vidmm %s does not take '%s'%s; see vidmm %s --help", command, word,
               vidmm_meant_text(&meant, "--", text, sizeof(text)), command);
}

int cli_next_option(int argc, char **argv, const char *letters, const struct option *list) {
    int id = getopt_long(argc, argv, letters, list, NULL);
    const char *word = argv[optind - 1];
    if (id == ':')
        cli_refuse("%s needs a value; see vidmm %s --help", word, argv[0]);
    else if (id == '?')
        refuse_unknown(argv[0], word, list);
    else if (id != -1 && optarg == word && looks_like_option(word))
        cli_refuse(
            "%s needs a value, which '%s' is not: it looks like an option; see vidmm %s --help",
            argv[optind - 2], word, argv[0]);
    else
        return id;
    return 0;
}

bool cli_refuse_value(const char *option, const char *value, const char *expected) {
    cli_refuse("--%s '%s' is not %s", option, value, expected);
    return false;
}
