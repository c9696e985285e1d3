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
    const char *rule;   /* NULL: the table */
    const char *matrix; /* NULL: none */
    bool markdown;
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
        cli_refuse("no group '%s': groups are the letters A to T", word);
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
    default:
        options->help = true;
        return true;
    }
}

/* One rule, the whole document, or some rows of the table. */
static bool rules_fit(const struct rules_options *options) {
    const struct vidmm_rule_filter *filter = &options->filter;
    bool some = filter->group != 0 || filter->side != 0 || filter->judged;
    const char *text = NULL;
    if (options->rule && (some || options->markdown || options->matrix))
        text = "one rule is explained without options";
    else if (options->markdown && some)
        text = "--markdown is the whole table, without --group, --side and --judged";
    else if (options->matrix && !options->markdown)
        text = "--matrix goes with --markdown";
    if (text)
        cli_refuse("%s; see vidmm rules --help", text);
    return !text;
}

static bool rules_parse(int argc, char **argv, struct rules_options *options) {
    static const struct option known[] = {
        {"group", required_argument, NULL, 'g'},
        {"side", required_argument, NULL, 's'},
        {"judged", no_argument, NULL, 'j'},
        {"markdown", no_argument, NULL, 'm'},
        {"matrix", required_argument, NULL, 'x'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    memset(options, 0, sizeof(*options));
    opterr = 0;
    int id;
    while ((id = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
        if (id == '?' || id == ':')
            return cli_refuse_option(id, argv);
        if (!take_option(id, optarg, options))
            return false;
    }
    if (argc - optind > 1) {
        cli_refuse("one word too many: '%s'; see vidmm rules --help", argv[optind + 1]);
        return false;
    }
    options->rule = argv[optind];
    return options->help || rules_fit(options);
}

static int explain(const char *word) {
    const struct vidmm_rule *rule = vidmm_rule_parse(word);
    if (!rule)
        return cli_refuse("no rule '%s'; `vidmm rules` lists them", word);
    vidmm_report_rule(stdout, rule);
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
    if (options.rule)
        return explain(options.rule);
    if (options.markdown)
        return document(options.matrix);
    vidmm_report_rules(stdout, &options.filter, terminal_columns());
    return 0;
}
