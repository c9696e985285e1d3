/*
 * options_migrate.c - values of the options that only a migration takes.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_take_at(char *text, struct cli_options *options) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!end || errno != 0 || (*end != '\0' && strcmp(end, "%") != 0) ||
        (*end == '%' && (value == 0 || value > 100)))
        return cli_refuse_value("at", text, "the number of an event, or a share like 50%");
    options->migrate.start_event = *end == '%' ? 0 : value;
    options->migrate.start_percent = *end == '%' ? (uint32_t)value : 0;
    return true;
}

bool cli_take_duration(const char *option, const char *text, uint64_t *ns) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"us", 1e3}};
    char *end = NULL;
    errno = 0;
    double value = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    for (size_t i = 0; end && errno == 0 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) != 0 || value * units[i].ns < 1 ||
            value * units[i].ns > 1e18)
            continue;
        *ns = (uint64_t)(value * units[i].ns);
        return true;
    }
    return cli_refuse_value(option, text, "a time like 300ms or 1.5s");
}

bool cli_take_rate(char *text, struct cli_options *options) {
    return vidmm_migrate_parse_rate(text, &options->migrate.bits_per_s) ||
           cli_refuse_value("rate", text, "a rate like 1Gb/s or 100MB/s");
}

bool cli_take_too_dirty(char *text, struct cli_options *options) {
    static const char *const words[] = {[VIDMM_MIGRATE_THROTTLE] = "throttle",
                                        [VIDMM_MIGRATE_STOP] = "stop",
                                        [VIDMM_MIGRATE_PAUSE] = "pause"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], text) != 0)
            continue;
        options->migrate.too_dirty = (enum vidmm_migrate_too_dirty)i;
        return true;
    }
    return cli_refuse_value("if-too-dirty", text, "one of throttle, stop, pause");
}
