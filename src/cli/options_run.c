/*
 * options_run.c - values of the options of runs, of the adapter that they have, and of fuzzing.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A whole number, decimal or with 0x, that JSON can hold: at most 2^63 - 1. */
static bool parse_number(const char *text, uint64_t most, uint64_t *value) {
    if (!isdigit((unsigned char)*text))
        return false;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, hexadecimal ? 16 : 10);
    if (errno != 0 || *end != '\0' || number > most)
        return false;
    *value = number;
    return true;
}

static bool take_number(const char *option, const char *text, uint64_t most, uint64_t *value) {
    if (parse_number(text, most, value))
        return true;
    cli_refuse("--%s '%s' is not a whole number from 0 to %" PRIu64, option, text, most);
    return false;
}

/* Nobody means so few bytes. */
bool cli_take_vram(char *text, struct cli_options *options) {
    static const uint64_t page = 64u << 10;
    uint64_t bytes = 0;
    options->vram = text;
    if (!parse_number(text, INT64_MAX, &bytes) || bytes >= page || bytes == 0)
        return true;
    cli_refuse("--vram '%s' is that many bytes: was a share (%s%%) or a size (%sM) meant?", text,
               text, text);
    return false;
}

bool cli_take_threads(char *text, struct cli_options *options) {
    uint64_t value = 0;
    if (!take_number("threads", text, 256, &value))
        return false;
    options->run.threads = (uint32_t)value;
    return true;
}

bool cli_take_linked(char *text, struct cli_options *options) {
    uint64_t value = 0;
    if (!parse_number(text, VIDMM_LINKED_MOST, &value) || value == 0)
        return cli_refuse_value("linked", text, "a number of physical adapters from 1 to 4");
    options->run.linked = (uint32_t)value;
    return true;
}

bool cli_take_ddi(char *text, struct cli_options *options) {
    options->ddi_name = text;
    if (vidmm_run_parse_ddi(text, &options->run.ddi_version))
        return true;
    char all[1024] = "";
    for (size_t i = 0, length = 0; vidmm_run_ddi_at(i) && length < sizeof(all); i++)
        length += (size_t)snprintf(all + length, sizeof(all) - length, " %s", vidmm_run_ddi_at(i));
    cli_refuse("--ddi '%s' is not one of%s", text, all);
    return false;
}

bool cli_take_policy(char *text, struct cli_options *options) {
    char why[512];
    if (vidmm_run_policy(text, &options->run.policy, why, sizeof(why)))
        return true;
    cli_refuse("%s", why);
    return false;
}

bool cli_take_bytes(char *text, struct cli_options *options) {
    options->run.no_bytes = strcmp(text, "none") == 0;
    return options->run.no_bytes || strcmp(text, "all") == 0 ||
           cli_refuse_value("bytes", text, "all or none");
}

bool cli_take_paging(char *text, struct cli_options *options) {
    options->run.serial_paging = strcmp(text, "serial") == 0;
    return options->run.serial_paging || strcmp(text, "overlapped") == 0 ||
           cli_refuse_value("paging", text, "overlapped or serial");
}

/* NAME=VALUE; the value is a number or a size. `word` is cut in two. */
bool cli_take_setting(char *word, struct cli_options *options) {
    char *equals = strchr(word, '=');
    uint64_t value = 0;
    if (!equals || equals == word ||
        !(parse_number(equals + 1, INT64_MAX, &value) || vidmm_run_parse_size(equals + 1, &value)))
        return cli_refuse_value("set", word, "NAME=VALUE with a number or a size");
    if (options->run.setting_count == CLI_SETTINGS) {
        cli_refuse("more than %d settings", CLI_SETTINGS);
        return false;
    }
    *equals = '\0';
    options->settings[options->run.setting_count++] = (struct vidmm_host_setting){word, value};
    return true;
}

bool cli_take_model(char *value, struct cli_options *options) {
    options->model_name = value;
    if (vidmm_run_parse_model(value, &options->run.memory_model))
        return true;
    cli_refuse("--model '%s' is not one of physical, gpummu, iommu", value);
    return false;
}

bool cli_take_count(const char *option, const char *text, uint32_t *count) {
    uint64_t value = 0;
    if (!take_number(option, text, 1000000, &value))
        return false;
    *count = (uint32_t)value;
    return true;
}

/* The end of a picture's name says what it is. */
bool cli_take_picture(char *path, struct cli_options *options) {
    const char *end = strrchr(path, '.');
    options->picture = path;
    return (end && (strcmp(end, ".svg") == 0 || strcmp(end, ".png") == 0)) ||
           cli_refuse_value("picture", path, "a file that ends in .svg or .png");
}

bool cli_take_seed(char *text, struct cli_options *options) {
    return take_number("seed", text, INT64_MAX, &options->run.seed);
}

bool cli_take_frames(char *text, struct cli_options *options) {
    return take_number("frames", text, INT64_MAX, &options->run.frame_limit);
}

bool cli_take_seconds(char *text, struct cli_options *options) {
    return cli_take_count("seconds", text, &options->fuzz.seconds) &&
           (options->fuzz.seconds != 0 ||
            cli_refuse_value("seconds", text, "a number of seconds from 1"));
}

bool cli_take_jobs(char *text, struct cli_options *options) {
    uint32_t *jobs = &options->fuzz.jobs;
    return cli_take_count("jobs", text, jobs) &&
           ((*jobs != 0 && *jobs <= VIDMM_FUZZ_JOBS) ||
            cli_refuse_value("jobs", text, "a number of processes from 1 to 64"));
}
