/*
 * options_check.c - values of the options that only the conformance check has.
 */
#include "options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool add_group(char letter, uint8_t *rules) {
    bool any = false;
    for (uint32_t number = 1; number < VIDMM_RULES_SIZE; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        if (!rule || rule->group != letter)
            continue;
        rules[number] = 1;
        any = true;
    }
    return any;
}

/* "R152", "K13", or a group's letter. */
static bool add_word(const char *word, uint8_t *rules) {
    const struct vidmm_rule *rule = vidmm_rule_parse(word);
    if (rule)
        rules[rule->number] = 1;
    return rule || (strlen(word) == 1 && add_group((char)toupper((unsigned char)word[0]), rules));
}

/* Words with commas between them; false: there is none. */
static bool has_words(const char *option, const char *words) {
    if (words[strspn(words, ",")] != '\0')
        return true;
    cli_refuse("--%s '%s' names no rule and no group", option, words);
    return false;
}

bool cli_take_only(char *words, struct cli_options *options) {
    char *rest = NULL;
    if (!has_words("only", words))
        return false;
    options->check.only_some = true;
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (!add_word(word, options->check.only)) {
            cli_refuse("--only: there is neither a rule nor a group '%s'", word);
            return false;
        }
    }
    return true;
}

/* An identity, or what --only takes. */
static bool ignore_word(const char *word, struct cli_options *options) {
    if (vidmm_identity_parse(word)) {
        if (vidmm_identities_add(&options->check.ignored, word))
            return true;
        cli_refuse("out of memory");
    } else {
        if (add_word(word, options->check.ignore))
            return true;
        cli_refuse("--ignore: there is neither a rule, a group nor an identity '%s'", word);
    }
    return false;
}

bool cli_take_ignore(char *words, struct cli_options *options) {
    char *rest = NULL;
    if (!has_words("ignore", words))
        return false;
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (!ignore_word(word, options))
            return false;
    }
    return true;
}

bool cli_take_fail_on(char *word, struct cli_options *options) {
    static const char *const words[VIDMM_SEVERITIES] = {
        [VIDMM_SEVERITY_BUGCHECK] = "bugcheck",       [VIDMM_SEVERITY_START_FAILS] = "start",
        [VIDMM_SEVERITY_CREATION_FAILS] = "creation", [VIDMM_SEVERITY_DEVICE_LOST] = "lost",
        [VIDMM_SEVERITY_CORRUPTION] = "corruption",   [VIDMM_SEVERITY_PERFORMANCE] = "performance",
    };
    for (uint32_t i = 0; i < VIDMM_SEVERITIES; i++) {
        if (strcmp(words[i], word) != 0)
            continue;
        options->check.fail_some = true;
        options->check.fail_on = (enum vidmm_severity)i;
        return true;
    }
    return cli_refuse_value("fail-on", word,
                            "bugcheck, start, creation, lost, corruption or performance");
}

bool cli_take_baseline(char *path, struct cli_options *options) {
    char text[512];
    if (vidmm_report_read_baseline(path, &options->check.known, text, sizeof(text)))
        return true;
    cli_refuse("--baseline: %s", text);
    return false;
}

bool cli_take_replay(char *identity, struct cli_options *options) {
    options->check.replay = identity;
    return vidmm_identity_parse(identity) ||
           cli_refuse_value("replay", identity, "an identity of a report, such as R200-1d04dd");
}

static void say_readings(void) {
    const struct vidmm_reading_choice *choice;
    for (size_t i = 0; (choice = vidmm_reading_at(i)); i++)
        for (size_t j = 0; j < 3 && choice->value[j]; j++)
            fprintf(stderr, "  %s=%s\n", choice->name, choice->value[j]);
}

/* A reading without effect is no error, but the report does not show it. */
static void say_idle(const char *word) {
    const struct vidmm_reading_choice *choice;
    for (size_t i = 0; (choice = vidmm_reading_at(i)); i++) {
        size_t length = strlen(choice->name);
        if (!choice->idle || strncmp(word, choice->name, length) != 0 || word[length] != '=')
            continue;
        (void)cli_refuse("--reading %s acts nowhere yet: it waits for %s", word, choice->idle);
    }
}

bool cli_take_reading(char *word, struct cli_options *options) {
    if (vidmm_reading_parse(word, &options->check.readings)) {
        say_idle(word);
        return true;
    }
    cli_refuse("--reading '%s' is not one of", word);
    say_readings();
    return false;
}

bool cli_take_timeout(const char *option, const char *text, uint32_t *ms) {
    char *end = NULL;
    double seconds = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!end || *end != '\0' || seconds < 0.001 || seconds > 86400) {
        cli_refuse("--%s '%s' is not a number of seconds from 0.001 to 86400", option, text);
        return false;
    }
    *ms = (uint32_t)(seconds * 1000);
    return true;
}

bool cli_take_format(char *word, struct cli_options *options) {
    if (vidmm_check_format_parse(word, &options->format))
        return true;
    cli_refuse("--format '%s' is not text, json, junit or sarif", word);
    return false;
}

bool cli_take_color(char *word, struct cli_options *options) {
    options->color = word;
    if (strcmp(word, "auto") == 0 || strcmp(word, "always") == 0 || strcmp(word, "never") == 0)
        return true;
    cli_refuse("--color '%s' is not auto, always or never", word);
    return false;
}

bool cli_take_stage(char *names, struct cli_options *options) {
    char word[VIDMM_WORD_LONGEST + 1], near[VIDMM_WORD_LONGEST + 32];
    struct vidmm_meant meant = {.word = word};
    size_t length = 0, used = strlen(options->stages);
    const char *stage, *unknown = vidmm_check_stage_unknown(names, &length);
    if (unknown) {
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, unknown);
        for (size_t i = 0; (stage = vidmm_check_stage_at(i, NULL)); i++)
            vidmm_meant_try(&meant, stage);
        cli_refuse("--stage: there is no stage '%.*s'%s; see vidmm check --help", (int)length,
                   unknown, vidmm_meant_text(&meant, "", near, sizeof(near)));
        return false;
    }
    if (used + 1 + strlen(names) >= sizeof(options->stages)) {
        cli_refuse("--stage: the names of all stages have more than %zu bytes",
                   sizeof(options->stages));
        return false;
    }
    (void)snprintf(options->stages + used, sizeof(options->stages) - used, "%s%s",
                   used != 0 ? "," : "", names);
    options->check.stage = options->stages;
    return true;
}
