/*
 * odd_names_test.c - reports of names, sentences and findings of any bytes, HTML pages and the record of calls
 * among them: what fuzz/reports.c expects holds of inputs that a generator makes. And a driver's source in a page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vidmm/report.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 100, TEXTS = 80, PARTS = 12 };

/* What some writer may stumble over; a text ends with its NUL. */
static const char *const parts[] = {
    "\"",  "\\",       "<i>odd",       "</script>", "]]>",      "&amp;",
    "'",   "\x1b[2J",  "\n",           "\x7f",      "\xff",     "\xc0\x80",
    "%s",  "\xc2\x9b", "\xed\xa0\x80", "\xf4\x90",  "\xe2\x80", "\xe2\x80\xae",
    "-->", "\x01",     "\xc3\xa4",     "a",         "\r\n",     "\xf0\x9f\x98\x80"};

static size_t make_input(uint32_t seed, char *data, size_t room) {
    size_t size = 0;
    for (uint32_t text = 0; text < TEXTS; text++) {
        for (uint32_t i = 0; i < PARTS && size + 8 < room; i++) {
            seed = seed * 1664525u + 1013904223u;
            const char *part = parts[(seed >> 16) % (sizeof(parts) / sizeof(parts[0]))];
            memcpy(data + size, part, strlen(part));
            size += strlen(part);
        }
        data[size++] = '\0';
    }
    return size;
}

static void odd_names_leave_each_report_readable(void **state) {
    (void)state;
    static char data[1 << 15];
    int terminal = dup(STDOUT_FILENO); /* the reports are written to standard output */
    for (uint32_t seed = 0; seed < INPUTS; seed++) {
        size_t size = make_input(seed, data, sizeof(data) - TEXTS - 8);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    }
    (void)dup2(terminal, STDOUT_FILENO);
    close(terminal);
}

static void write_source(const char *path) {
    char line[400];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\0';
    fprintf(file, "first;\r\nsecond;\r\n%s\r\nfourth;\r\nfifth;\r\nsixth;\r\n", line);
    assert_int_equal(fclose(file), 0);
}

/* As editors of Windows write them, one of them longer than what is read at once. */
static void lines_around_a_finding_end_where_they_end(void **state) {
    static struct vidmm_check_result result;
    static char page[1 << 20];
    char source[] = "/tmp/vidmm-source-XXXXXX", path[] = "/tmp/vidmm-page-XXXXXX", why[512];
    const struct vidmm_report_page about = {.path = path};
    struct vidmm_finding *finding = &result.ledger.finding[0];
    (void)state;
    close(mkstemp(source));
    close(mkstemp(path));
    write_source(source);
    *finding = (struct vidmm_finding){.kind = VIDMM_FINDING_RULE, .rule = 152, .places = 1};
    finding->place[0].line = 4;
    snprintf(finding->place[0].file, sizeof(finding->place[0].file), "%s", source);
    result.ledger.findings = 1;
    assert_true(vidmm_report_check_html(&about, &result, why, sizeof(why)));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    fclose(file);
    unlink(source);
    unlink(path);
    assert_non_null(strstr(page, "<span class=\"line\"><i>2</i> second;\n</span>"));
    assert_non_null(strstr(page, "<span class=\"line\"><i>3</i> xxx"));
    assert_non_null(strstr(page, "<span class=\"here\"><i>4</i> fourth;\n</span>"));
    assert_non_null(strstr(page, "<span class=\"line\"><i>6</i> sixth;\n</span>"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_names_leave_each_report_readable),
                                       cmocka_unit_test(lines_around_a_finding_end_where_they_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
