/*
 * parse.c - parses options of a migration.
 */
#include <vidmm/migrate.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool vidmm_migrate_parse_rate(const char *text, uint64_t *bits_per_s) {
    static const struct {
        const char *unit;
        double bits;
    } units[] = {{"b/s", 1}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9},
                 {"B/s", 8}, {"kB/s", 8e3}, {"MB/s", 8e6}, {"GB/s", 8e9}};
    char *end = NULL;
    errno = 0;
    double value = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!end || errno != 0 || !isfinite(value))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) != 0)
            continue;
        value *= units[i].bits;
        *bits_per_s = value >= 8e3 && value < 1e15 ? (uint64_t)value : 0;
        return *bits_per_s != 0;
    }
    return false;
}
