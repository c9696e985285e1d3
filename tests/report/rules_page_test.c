/*
 * rules_page_test.c - rules as pages and tables: wrapping, addresses of pages, the matrix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/report.h>

struct paper {
    FILE *out;
    char *text;
    size_t size;
};

static void begin(struct paper *paper) {
    paper->out = open_memstream(&paper->text, &paper->size);
    assert_non_null(paper->out);
}

static void end(struct paper *paper) {
    assert_int_equal(fclose(paper->out), 0);
}

static size_t widest_line(const char *text) {
    size_t widest = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

/* The last line says how many rules of a group (0: of all) some side must obey. */
static void assert_counted(const char *text, char group, uint8_t side) {
    char line[32];
    unsigned count = 0;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule)))
        count += (group == 0 || rule->group == group) && (rule->side & side) != 0;
    snprintf(line, sizeof(line), "\n%u rule%s, ", count, count == 1 ? "" : "s");
    assert_non_null(strstr(text, line));
}

static void a_table_keeps_to_the_terminal(void **state) {
    (void)state;
    struct vidmm_rule_filter filter = {0};
    struct paper narrow, wide;
    begin(&narrow);
    vidmm_report_rules(narrow.out, &filter, 90);
    end(&narrow);
    begin(&wide);
    vidmm_report_rules(wide.out, &filter, 0);
    end(&wide);
    assert_true(widest_line(narrow.text) <= 90);
    assert_true(widest_line(wide.text) > 90);
    assert_counted(wide.text, 0, VIDMM_SIDE_BOTH | VIDMM_SIDE_USER);
    free(narrow.text);
    free(wide.text);
}

static void a_filter_leaves_out(void **state) {
    (void)state;
    struct vidmm_rule_filter filter = {.group = 'Q', .side = VIDMM_SIDE_DRIVER};
    struct paper paper;
    begin(&paper);
    vidmm_report_rules(paper.out, &filter, 0);
    end(&paper);
    assert_non_null(strstr(paper.text, "\nR362 "));
    assert_null(strstr(paper.text, "R360"));
    assert_counted(paper.text, 'Q', VIDMM_SIDE_DRIVER);
    free(paper.text);
}

static void a_page_says_everything(void **state) {
    (void)state;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        struct paper paper;
        begin(&paper);
        vidmm_report_rule(paper.out, rule);
        end(&paper);
        assert_non_null(
            strstr(paper.text, "https://learn.microsoft.com/windows-hardware/drivers/"));
        assert_non_null(strstr(paper.text, rule->page));
        assert_non_null(strstr(paper.text, "\nWhy\n"));
        assert_true(!!strstr(paper.text, "\nWrong\n") == !!rule->wrong);
        assert_true(!!strstr(paper.text, "\nReadings\n") == !!rule->readings);
        free(paper.text);
    }
}

static void a_document_has_the_matrix(void **state) {
    (void)state;
    struct vidmm_rule_matrix *matrix = calloc(1, sizeof(*matrix));
    assert_non_null(matrix);
    strcpy(matrix->cell[402], "manager caught alone");
    struct paper paper;
    begin(&paper);
    vidmm_report_rules_markdown(paper.out, matrix);
    end(&paper);
    assert_non_null(strstr(paper.text, " | manager caught alone |\n"));
    assert_non_null(strstr(paper.text, "\n### R402\n"));
    free(paper.text);
    free(matrix);
}

/* Every code: what to look at, and the rules that it names. */
static void a_code_says_what_to_look_at_first(void **state) {
    (void)state;
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        struct vidmm_lookup lookup;
        struct paper paper;
        assert_true(vidmm_lookup(&code->name, 1, &lookup));
        begin(&paper);
        vidmm_report_lookup(paper.out, &lookup, 0);
        end(&paper);
        assert_non_null(strstr(paper.text, code->name));
        assert_non_null(strstr(paper.text, "\nLook first at\n  1. "));
        for (size_t j = 0; j < VIDMM_CODE_RULES && code->rules[j] != 0; j++) {
            char row[16];
            snprintf(row, sizeof(row), "\nR%u ", code->rules[j]);
            assert_non_null(strstr(paper.text, row));
        }
        free(paper.text);
    }
}

/* Every link to a record, on the page of codes and that of rules, finds its row. */
static void links_to_records_find_their_rows(void **state) {
    (void)state;
    struct paper codes, records;
    begin(&codes);
    vidmm_report_codes_markdown(codes.out);
    vidmm_report_rules_markdown(codes.out, NULL);
    end(&codes);
    begin(&records);
    vidmm_report_records_markdown(records.out);
    end(&records);
    unsigned links = 0;
    for (const char *link = codes.text; (link = strstr(link, "(records.md#")); links++) {
        char row[32];
        link += strlen("(records.md#");
        snprintf(row, sizeof(row), "| <a id=\"%.*s\"></a>", (int)strcspn(link, ")"), link);
        assert_non_null(strstr(records.text, row));
    }
    assert_true(links > 75);
    free(codes.text);
    free(records.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_keeps_to_the_terminal),
        cmocka_unit_test(a_filter_leaves_out),
        cmocka_unit_test(a_page_says_everything),
        cmocka_unit_test(a_document_has_the_matrix),
        cmocka_unit_test(a_code_says_what_to_look_at_first),
        cmocka_unit_test(links_to_records_find_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
