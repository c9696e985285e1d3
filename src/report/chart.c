/*
 * chart.c - one quantity over time in one line of text.
 */
#include <vidmm/report.h>

#define LEVELS 9

static unsigned level_of(uint64_t sample, uint64_t full) {
    if (full == 0 || sample == 0)
        return 0;
    if (sample >= full)
        return LEVELS - 1;
    /* Anything above nothing shows. */
    unsigned level = (unsigned)((double)sample / (double)full * (LEVELS - 1) + 0.5);
    return level == 0 ? 1 : level;
}

void vidmm_report_bar(FILE *out, const uint64_t *samples, uint32_t count, uint64_t full,
                      const struct vidmm_report_style *style) {
    static const char *const blocks[LEVELS] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[LEVELS] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    for (uint32_t i = 0; i < count; i++) {
        unsigned level = level_of(samples[i], full);
        fputs(style->unicode ? blocks[level] : ascii[level], out);
    }
}
