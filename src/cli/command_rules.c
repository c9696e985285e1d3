/*
 * command_rules.c - vidmm rules.
 */
#include "cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The parsed command line. */
struct rules_options {
    struct vidmm_rule_filter filter;
    const char *const *words; /* none: the table */
    size_t word_count;
    const char *matrix; /* NULL: none */
    const char *json;   /* NULL: none */
    bool markdown;
    bool codes;
    bool records;
    bool help;
};

/* Width of the terminal; 0: there is none. */
static uint32_t terminal_columns(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static bool take_group(const char *word, struct rules_options *options) {
    char letter = (char)(word[0] >= 'a' && word[0] <= 'z' ? word[0] - 'a' + 'A' : word[0]);
    if (letter == '\0' || word[1] != '\0' || !vidmm_rule_group(letter)) {
        cli_refuse("no group '%s': groups are the letters A to U and Z", word);
        return false;
    }
    options->filter.group = letter;
    return true;
}

static bool take_side(const char *word, struct rules_options *options) {
    if (strcmp(word, "driver") == 0)
        options->filter.side = VIDMM_SIDE_DRIVER;
    else if (strcmp(word, "manager") == 0)
        options->filter.side = VIDMM_SIDE_MANAGER;
    else {
        cli_refuse("--side '%s' is neither driver nor manager", word);
        return false;
    }
    return true;
}

static bool take_option(int id, const char *value, struct rules_options *options) {
    switch (id) {
    case 'g':
        return take_group(value, options);
    case 's':
        return take_side(value, options);
    case 'j':
        options->filter.judged = true;
        return true;
    case 'm':
        options->markdown = true;
        return true;
    case 'x':
        options->matrix = value;
        return true;
    case 'c':
        options->codes = true;
        return true;
    case 'r':
        options->records = true;
        return true;
    case 'o':
        options->json = value;
        return true;
    default:
        options->help = true;
        return true;
    }
}

/* What words lead to, a whole document, or some rows of the table. */
static bool rules_fit(const struct rules_options *options) {
    const struct vidmm_rule_filter *filter = &options->filter;
    bool some = filter->group != 0 || filter->side != 0 || filter->judged;
    bool tables = options->codes || options->records;
    const char *text = NULL;
    if (options->word_count != 0 && (some || options->markdown || options->matrix || tables))
        text = "a rule, a code or a word is explained without options other than --json";
    else if (tables && (some || (options->codes && options->records)))
        text = "--codes or --records are all of them, without --group, --side and --judged";
    else if (options->markdown && some)
        text = "--markdown is the whole table, without --group, --side and --judged";
    else if (options->matrix && (!options->markdown || tables))
        text = "--matrix goes with --markdown of the rules";
    else if (options->json && options->word_count == 0)
        text = "--json goes with a rule, a code or a word";
    if (text)
        cli_refuse("%s; see vidmm rules --help", text);
    return !text;
}

static bool rules_parse(int argc, char **argv, struct rules_options *options) {
    static const struct option known[] = {
        {"group", required_argument, NULL, 'g'},  {"side", required_argument, NULL, 's'},
        {"judged", no_argument, NULL, 'j'},       {"markdown", no_argument, NULL, 'm'},
        {"matrix", required_argument, NULL, 'x'}, {"codes", no_argument, NULL, 'c'},
        {"records", no_argument, NULL, 'r'},      {"json", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    memset(options, 0, sizeof(*options));
    opterr = 0;
    int id;
    while ((id = cli_next_option(argc, argv, ":h", known)) != -1) {
        if (id == 0 || !take_option(id, optarg, options))
            return false;
    }
    options->words = (const char *const *)argv + optind;
    options->word_count = (size_t)(argc - optind);
    return options->help || rules_fit(options);
}

/* "R351 K13": each word is a rule, and none is a number, which may be of a code. */
static bool each_is_rule(const struct rules_options *options) {
    for (size_t i = 0; i < options->word_count; i++)
        if (!strchr("RrKk", options->words[i][0]) || !vidmm_rule_parse(options->words[i]))
            return false;
    return options->word_count > 1 && !options->json;
}

static int explain_words(const struct rules_options *options, const char *const *words,
                         size_t count) {
    char text[512];
    struct vidmm_lookup lookup;
    if (!vidmm_lookup(words, count, &lookup))
        return cli_refuse("%s", lookup.text);
    if (!options->json)
        vidmm_report_lookup(stdout, &lookup, terminal_columns());
    else if (!vidmm_report_lookup_json(options->json, &lookup, text, sizeof(text)))
        return cli_refuse("%s", text);
    return 0;
}

static int explain(const struct rules_options *options) {
    if (!each_is_rule(options))
        return explain_words(options, options->words, options->word_count);
    for (size_t i = 0; i < options->word_count; i++) {
        if (i != 0)
            putchar('\n');
        (void)explain_words(options, &options->words[i], 1);
    }
    return 0;
}

static int codes(bool markdown) {
    if (markdown)
        vidmm_report_codes_markdown(stdout);
    else
        vidmm_report_codes(stdout);
    return 0;
}

static int records(bool markdown) {
    if (markdown)
        vidmm_report_records_markdown(stdout);
    else
        vidmm_report_records(stdout, terminal_columns());
    return 0;
}

static int document(const char *path) {
    if (!path) {
        vidmm_report_rules_markdown(stdout, NULL);
        return 0;
    }
    struct vidmm_rule_matrix *matrix = malloc(sizeof(*matrix));
    if (!matrix)
        return cli_refuse("out of memory");
    char text[512];
    int code = 0;
    if (vidmm_report_read_matrix(path, matrix, text, sizeof(text)))
        vidmm_report_rules_markdown(stdout, matrix);
    else
        code = cli_refuse("%s", text);
    free(matrix);
    return code;
}

int cli_rules(int argc, char **argv) {
    struct rules_options options;
    if (!rules_parse(argc, argv, &options))
        return VIDMM_RUN_BAD_INPUT;
    if (options.help) {
        cli_help_rules(stdout);
        return 0;
    }
    if (options.word_count != 0)
        return explain(&options);
    if (options.codes)
        return codes(options.markdown);
    if (options.records)
        return records(options.markdown);
    if (options.markdown)
        return document(options.matrix);
    vidmm_report_rules(stdout, &options.filter, terminal_columns());
    return 0;
}
