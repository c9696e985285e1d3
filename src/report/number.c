/*
 * number.c - numbers in readable form.
 */
#include <vidmm/report.h>

char *vidmm_report_size(uint64_t bytes, char *text, size_t size) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, size, "%u B", (unsigned)bytes);
        return text;
    }
    /* A figure that would be printed as 1024.0 belongs to the next unit. */
    double value = (double)bytes / 1024;
    unsigned unit = 0;
    while (value >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    snprintf(text, size, "%.1f %s", value, units[unit]);
    return text;
}

char *vidmm_report_count(uint64_t count, char *text, size_t size) {
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i != 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}
