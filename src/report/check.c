/*
 * check.c - writes the report of a conformance check in one of the formats to its file.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "write.h"

bool vidmm_check_format_parse(const char *word, enum vidmm_check_format *format) {
    static const char *const words[] = {
        [VIDMM_CHECK_TEXT] = "text",
        [VIDMM_CHECK_JSON] = "json",
        [VIDMM_CHECK_JUNIT] = "junit",
        [VIDMM_CHECK_SARIF] = "sarif",
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], word) == 0) {
            *format = (enum vidmm_check_format)i;
            return true;
        }
    }
    return false;
}

static void check_format(FILE *out, enum vidmm_check_format format,
                         const struct vidmm_check_result *result,
                         const struct vidmm_check_style *style) {
    switch (format) {
    case VIDMM_CHECK_TEXT:
        report_check_text(out, result, style);
        break;
    case VIDMM_CHECK_JSON:
        report_check_json(out, result);
        break;
    case VIDMM_CHECK_JUNIT:
        report_check_junit(out, result);
        break;
    case VIDMM_CHECK_SARIF:
        report_check_sarif(out, result);
        break;
    }
}

bool vidmm_report_check(const char *path, enum vidmm_check_format format,
                        const struct vidmm_check_result *result,
                        const struct vidmm_check_style *style, char *text, size_t text_size) {
    char *whole = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&whole, &size);
    if (out)
        check_format(out, format, result, style);
    if (!out || fclose(out) != 0 || size == 0) {
        free(whole);
        snprintf(text, text_size, "out of memory for the report");
        return false;
    }
    if (whole[size - 1] == '\n') /* report_write ends the last line */
        whole[size - 1] = 0;
    bool done = report_write(path, whole, text, text_size);
    free(whole);
    return done;
}
