/*
 * report_text.c - see report_text.h.
 */
#include "report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

char *report_text(const struct vidmm_check_result *result, enum vidmm_check_format format,
                  bool verbose) {
    static char text[1 << 20];
    char path[] = "/tmp/vidmm-report-XXXXXX", why[512];
    const struct vidmm_check_style style = {.verbose = verbose};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(vidmm_report_check(path, format, result, &style, why, sizeof(why)));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    fclose(in);
    unlink(path);
    return text;
}
