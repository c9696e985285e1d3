/*
 * command_cc.c - vidmm cc. Its words are the compiler's but for a few of its own.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/cc.h>

/* The value of the option at `*index`: the rest of the word, or the next word. NULL: there is
 * none. */
static const char *option_value(int argc, char **argv, int *index, size_t name_length) {
    const char *rest = argv[*index] + name_length;
    if (*rest)
        return *rest == '=' ? rest + 1 : rest;
    return *index + 1 < argc ? argv[++*index] : NULL;
}

/* One of the command's own options; false: a word of the compiler. */
static bool take_own(int argc, char **argv, int *index, struct vidmm_cc_options *options) {
    struct {
        const char *name;
        const char **value;
    } const own[] = {{"--configuration", &options->configuration},
                     {"--platform", &options->platform},
                     {"-o", &options->output}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        size_t length = strlen(own[i].name);
        const char *word = argv[*index];
        if (strncmp(word, own[i].name, length) != 0 ||
            (length > 2 && word[length] != '\0' && word[length] != '='))
            continue;
        *own[i].value = option_value(argc, argv, index, length);
        return true;
    }
    return false;
}

int cli_cc(int argc, char **argv) {
    struct vidmm_cc_options options = {.report = stderr};
    const char **words = calloc((size_t)argc, sizeof(*words));
    if (!words)
        return cli_refuse("no memory");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_help_cc(stdout);
            free(words);
            return 0;
        }
        if (!take_own(argc, argv, &i, &options))
            words[options.word_count++] = argv[i];
    }
    options.words = words;
    char text[512] = "";
    int status = VIDMM_CC_BAD_INPUT;
    if (!options.output || !*options.output)
        cli_refuse("no output; see vidmm cc --help");
    else
        status = (int)vidmm_cc(&options, text, sizeof(text));
    if (text[0])
        cli_refuse("%s", text);
    free(words);
    return status;
}
