/*
 * formats_test.c - a conformance check, made by hand, as SARIF 2.1.0 and as JUnit: the members and
 * elements that strict readers of these formats require are there, and no others.
 */
#include "report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

/* ---- An conformance check -------------------------------------------------------------------- */

static struct vidmm_check_result result;

/* Of the conformance check's room, which this test does without. */
void vidmm_check_reason(const struct vidmm_check_result *of, uint32_t rule, char *text,
                        size_t size) {
    (void)of;
    snprintf(text, size, "R%u: no \"such\" segment & no <other>", rule);
}

void vidmm_check_share(const struct vidmm_check_result *of, struct vidmm_check_share *share) {
    (void)of;
    *share = (struct vidmm_check_share){.rules = 0};
}

bool vidmm_identity_parse(const char *text) {
    return !!strchr(text, '-');
}

bool vidmm_identities_add(struct vidmm_identities *list, const char *identity) {
    (void)identity;
    return ++list->count != 0;
}

const char *vidmm_check_outcome(const struct vidmm_check_result *of, uint32_t rule) {
    return of->ledger.broken[rule] != 0 ? "broken" : "not reached";
}

static void add(enum vidmm_finding_kind kind, uint16_t rule, const char *where) {
    struct vidmm_finding *finding = &result.ledger.finding[result.ledger.findings++];
    struct vidmm_finding_mark *mark = &result.mark[result.ledger.findings - 1];
    *finding = (struct vidmm_finding){.kind = (uint8_t)kind,
                                      .who = VIDMM_SIDE_DRIVER,
                                      .rule = rule,
                                      .times = 1 + result.ledger.findings,
                                      .call = result.ledger.findings};
    snprintf(finding->where, sizeof(finding->where), "%s", where);
    snprintf(finding->found, sizeof(finding->found), "a <\"%s\"> & 'bell' \a", "\xc3\xa4\xff");
    snprintf(mark->identity, sizeof(mark->identity), "R%u-%06x", rule, result.ledger.findings);
    result.ledger.broken[rule]++;
}

static int set_up(void **state) {
    (void)state;
    memset(&result, 0, sizeof(result));
    result.status = VIDMM_CHECK_BROKEN;
    snprintf(result.driver, sizeof(result.driver), "my drivers/100%%.so");
    for (uint32_t rule = 150; rule < 160; rule++)
        result.examined[rule] = 1;
    result.judged = 10;
    result.broken = 2;
    result.not_reached = 8;
    add(VIDMM_FINDING_RULE, 152, "DxgkDdiBuildPagingBuffer(TRANSFER)");
    add(VIDMM_FINDING_RULE, 152, "DxgkDdiBuildPagingBuffer(FILL)");
    add(VIDMM_FINDING_RULE, 157, "DxgkDdiBuildPagingBuffer(TRANSFER)");
    add(VIDMM_FINDING_RULE, 300, "DxgkDdiOpenAllocation"); /* not among the examined */
    add(VIDMM_FINDING_CRASH, VIDMM_K_CRASH, "DxgkDdiPatch");
    add(VIDMM_FINDING_LEAK, VIDMM_K_LEAK_POOL, "");
    result.mark[1].follows = 1;
    result.mark[2].follows = 1;
    result.mark[5].state = VIDMM_STATE_KNOWN;
    result.ledger.finding[4].after = 1;
    return 0;
}

/* ---- SARIF ----------------------------------------------------------------------------------- */

/* `object` has every member of `required` and none that is in neither list. Words end in a space.
 */
static void expect_members(const json_t *object, const char *required, const char *optional) {
    char word[64];
    const char *name;
    json_t *value;
    assert_true(json_is_object(object));
    for (const char *at = required; *at != '\0'; at = strchr(at, ' ') + 1) {
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
        if (!json_object_get(object, word))
            fail_msg("\"%s\" is missing", word);
    }
    json_object_foreach((json_t *)object, name, value) {
        snprintf(word, sizeof(word), "%s ", name);
        if (!strstr(required, word) && !strstr(optional, word))
            fail_msg("\"%s\" is not a member of the standard", name);
    }
}

static const char *string_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    assert_non_null(text);
    assert_true(text[0] != '\0');
    return text;
}

static void expect_message(const json_t *message) {
    expect_members(message, "text ", "markdown id arguments properties ");
    (void)string_of(message, "text");
}

static void expect_word(const char *word, const char *words) {
    if (!strstr(words, word))
        fail_msg("\"%s\" is none of %s", word, words);
}

/* What a URI reference may consist of. */
static void expect_uri(const char *uri) {
    static const char others[] = "-._~/:?#[]@!$&'()*+,;=%";
    for (const char *c = uri; *c != '\0'; c++) {
        bool plain =
            (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        bool escape = *c != '%' || strspn(c + 1, "0123456789ABCDEF") >= 2;
        if ((!plain && !strchr(others, *c)) || !escape)
            fail_msg("no URI: %s", uri);
    }
}

static void expect_rule(const json_t *rule) {
    expect_members(rule, "id ",
                   "name shortDescription fullDescription messageStrings helpUri help "
                   "defaultConfiguration properties ");
    expect_message(json_object_get(rule, "shortDescription"));
    expect_message(json_object_get(rule, "fullDescription"));
    expect_uri(string_of(rule, "helpUri"));
}

static void expect_location(const json_t *location) {
    const json_t *physical = json_object_get(location, "physicalLocation");
    const json_t *artifact = json_object_get(physical, "artifactLocation");
    expect_members(location, "", "id physicalLocation logicalLocations message properties ");
    expect_members(physical, "artifactLocation ", "region contextRegion address properties ");
    expect_members(artifact, "uri ", "uriBaseId index description properties ");
    expect_uri(string_of(artifact, "uri"));
    const json_t *logical = json_array_get(json_object_get(location, "logicalLocations"), 0);
    expect_members(logical, "fullyQualifiedName ", "name index decoratedName kind properties ");
}

static void expect_result(const json_t *finding) {
    expect_members(finding, "message partialFingerprints ",
                   "ruleId level locations occurrenceCount properties baselineState suppressions ");
    const json_t *prints = json_object_get(finding, "partialFingerprints");
    assert_non_null(strchr(string_of(prints, "vidmmIdentity/v1"), '-'));
    expect_word(string_of(finding, "baselineState"), "new unchanged updated absent");
    expect_message(json_object_get(finding, "message"));
    expect_word(string_of(finding, "level"), "none note warning error");
    assert_true(json_integer_value(json_object_get(finding, "occurrenceCount")) >= 1);
    expect_location(json_array_get(json_object_get(finding, "locations"), 0));
}

static void sarif_has_what_the_standard_requires(void **state) {
    (void)state;
    size_t i;
    json_t *each, *root = json_loads(report_text(&result, VIDMM_CHECK_SARIF, false),
                                     JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    expect_members(root, "version runs ", "$schema inlineExternalProperties properties ");
    assert_string_equal(string_of(root, "version"), "2.1.0");
    expect_uri(string_of(root, "$schema"));
    assert_int_equal(json_array_size(json_object_get(root, "runs")), 1);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    expect_members(run, "tool ", "results invocations artifacts properties ");
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    expect_members(driver, "name ", "version informationUri rules properties ");
    assert_int_equal(json_array_size(json_object_get(driver, "rules")), 10 + 2);
    json_array_foreach(json_object_get(driver, "rules"), i, each) expect_rule(each);
    assert_int_equal(json_array_size(json_object_get(run, "results")), result.ledger.findings);
    json_array_foreach(json_object_get(run, "results"), i, each) expect_result(each);
    json_decref(root);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

#define DEPTH 8u

/* Looks at XML of the plain kind: elements, attributes, text. */
struct reader {
    const char *at;
    char open[DEPTH][32];
    uint32_t depth;
};

static void take(struct reader *reader, const char *text) {
    size_t length = strlen(text);
    if (strncmp(reader->at, text, length) != 0)
        fail_msg("expected %s at: %.40s", text, reader->at);
    reader->at += length;
}

/* Text or the value of an attribute, up to `end`: printable ASCII, and & only in a reference. */
static void take_text(struct reader *reader, char end) {
    for (; *reader->at != end; reader->at++) {
        char c = *reader->at;
        assert_true((c >= ' ' && c <= '~') || (c == '\n' && end == '<'));
        assert_true(c != '<');
        if (c == '&')
            assert_true(strcspn(reader->at, ";") <= 6);
    }
}

/* Attributes of an element; counts those that `required` names. */
static uint32_t take_attributes(struct reader *reader, const char *required) {
    char word[34];
    uint32_t found = 0;
    while (*reader->at == ' ') {
        reader->at++;
        snprintf(word, sizeof(word), " %.*s ", (int)strcspn(reader->at, "="), reader->at);
        found += !!strstr(required, word);
        reader->at += strlen(word) - 2;
        take(reader, "=\"");
        take_text(reader, '"');
        take(reader, "\"");
    }
    return found;
}

/* What each element must have, and where it may be. Words have a space on both sides. */
static const struct grammar {
    const char *name, *parent, *attributes;
    uint32_t count;
} grammar[] = {
    {"testsuites", "", "", 0},
    {"testsuite", "testsuites",
     " name timestamp hostname tests failures errors skipped time id package ", 10},
    {"properties", "testsuite", "", 0},
    {"testcase", "testsuite", " classname name time ", 3},
    {"failure", "testcase", " type message ", 2},
    {"skipped", "testcase", " message ", 1},
    {"system-out", "testsuite", "", 0},
    {"system-err", "testsuite", "", 0},
};

static uint32_t elements[sizeof(grammar) / sizeof(grammar[0])];

static void read_element(struct reader *reader) {
    char name[32];
    size_t kind = 0, kinds = sizeof(grammar) / sizeof(grammar[0]);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(reader->at, " />"), reader->at);
    while (kind < kinds && strcmp(grammar[kind].name, name) != 0)
        kind++;
    if (kind == kinds)
        fail_msg("no element of a JUnit report: %s", name);
    elements[kind]++;
    assert_string_equal(reader->depth != 0 ? reader->open[reader->depth - 1] : "",
                        grammar[kind].parent);
    reader->at += strlen(name);
    if (take_attributes(reader, grammar[kind].attributes) != grammar[kind].count)
        fail_msg("%s lacks one of%s", name, grammar[kind].attributes);
    if (*reader->at == '/') {
        take(reader, "/>");
        return;
    }
    take(reader, ">");
    assert_true(reader->depth < DEPTH);
    memcpy(reader->open[reader->depth++], name, sizeof(name));
}

static void read_end(struct reader *reader) {
    assert_true(reader->depth != 0);
    take(reader, reader->open[--reader->depth]);
    take(reader, ">");
}

static void read_document(const char *text) {
    struct reader reader = {.at = text};
    memset(elements, 0, sizeof(elements));
    take(&reader, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    do {
        take(&reader, "<");
        if (*reader.at == '/') {
            reader.at++;
            read_end(&reader);
        } else {
            read_element(&reader);
        }
        if (reader.depth != 0)
            take_text(&reader, '<');
    } while (reader.depth != 0);
    assert_string_equal(reader.at, "\n");
}

static uint32_t number_of(const char *text, const char *attribute) {
    const char *at = strstr(text, attribute);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(attribute), NULL, 10);
}

static void junit_is_well_formed_and_its_figures_are_right(void **state) {
    (void)state;
    const char *text = report_text(&result, VIDMM_CHECK_JUNIT, false);
    read_document(text);
    assert_int_equal(elements[0], 1);
    assert_int_equal(elements[1], 1);
    assert_int_equal(elements[3], number_of(text, " tests=\""));
    assert_int_equal(elements[4], number_of(text, " failures=\""));
    assert_int_equal(elements[5], number_of(text, " skipped=\""));
    /* Rules, rows of the host, and a finding of a rule that is not among the examined. */
    assert_int_equal(elements[3], 10 + (VIDMM_K_END - VIDMM_K_FIRST) + 1);
    assert_int_equal(elements[4], 1 + 1 + 1); /* not what follows, nor what is known */
    const char *timestamp = strstr(text, " timestamp=\"") + strlen(" timestamp=\"");
    assert_int_equal(strspn(timestamp, "0123456789-T:"), strlen("2000-01-01T00:00:00"));
}

/* Bytes that any writer may stumble over, by a generator of their own; no NUL. */
static void odd_name(uint32_t *seed, char *name, size_t size) {
    static const char *const parts[] = {
        "\"",       "\\",       "<i>odd", "</script>", "]]>",      "&amp;", "'",
        "\x1b[2J",  "\n",       "\x7f",   "\xff",      "\xc0\x80", "%s",    "\xed\xa0\x80",
        "\xf4\x90", "\xe2\x80", "-->",    "\x01",      "\xc3\xa4", "a"};
    size_t used = 0;
    name[0] = '\0';
    for (uint32_t i = 0; i < 12 && used + 12 < size; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        used += (size_t)snprintf(name + used, size - used, "%s",
                                 parts[(*seed >> 16) % (sizeof(parts) / sizeof(parts[0]))]);
    }
}

static void odd_names_leave_each_format_readable(void **state) {
    const struct vidmm_check_result whole = result;
    (void)state;
    for (uint32_t number = 0, seed = 17; number < 100; number++) {
        result = whole;
        odd_name(&seed, result.driver, sizeof(result.driver));
        /* The words of findings are printable when they come from the driver's process. */
        assert_null(strpbrk(report_text(&result, VIDMM_CHECK_TEXT, true), "\x1b\x7f\x01"));
        for (uint32_t i = 0; i < result.ledger.findings; i++) {
            struct vidmm_finding *finding = &result.ledger.finding[i];
            odd_name(&seed, finding->found, sizeof(finding->found));
            odd_name(&seed, finding->expected, sizeof(finding->expected));
            odd_name(&seed, finding->where, sizeof(finding->where));
            finding->places = 1;
            odd_name(&seed, finding->place[0].function, sizeof(finding->place[0].function));
            odd_name(&seed, finding->place[0].file, sizeof(finding->place[0].file));
        }
        for (enum vidmm_check_format format = VIDMM_CHECK_JSON; format <= VIDMM_CHECK_SARIF;
             format = (enum vidmm_check_format)(format + 1)) {
            const char *text = report_text(&result, format, true);
            if (format == VIDMM_CHECK_JUNIT) {
                read_document(text);
                continue;
            }
            json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
            assert_non_null(root);
            json_decref(root);
        }
    }
}

static void what_cannot_hang_is_said(void **state) {
    const char *said = "paging work that hangs (R281) was not observed";
    (void)state;
    result.examined[281] = 1;
    result.ledger.kept[281] = 1;
    assert_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false), said));
    result.ledger.unseen[281] = 1;
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false), said));
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void expect_sum(const char *sum) {
    char line[160];
    snprintf(line, sizeof(line), "\n10 rules judged: 0 passed, %s\n", sum);
    if (!strstr(report_text(&result, VIDMM_CHECK_TEXT, false), line))
        fail_msg("no line:%s", line);
}

static void expect_json(const char *name, int count) {
    json_t *root = json_loads(report_text(&result, VIDMM_CHECK_JSON, false), 0, NULL);
    const json_t *as = json_object_get(root, "broken_as");
    assert_int_equal(json_integer_value(json_object_get(as, name)), count);
    assert_int_equal(json_integer_value(json_object_get(root, "broken")), 2);
    json_decref(root);
}

/* Rules 152 (findings 0 and 1) and 157 (finding 2) are broken; of the host's, a crash counts and a leak is known. */
static void rules_are_broken_as_their_findings_count(void **state) {
    (void)state;
    expect_sum("2 broken, 8 not reached; of the host's (K) 1 broken, 1 known");
    expect_json("counts", 2);
    result.mark[2].state = VIDMM_STATE_MINOR;
    expect_sum("1 broken, 1 minor, 8 not reached; of the host's (K) 1 broken, 1 known");
    expect_json("minor", 1);
    result.mark[0].state = VIDMM_STATE_IGNORED; /* the other one of its findings counts */
    expect_sum("1 broken, 1 minor, 8 not reached; of the host's (K) 1 broken, 1 known");
    result.mark[1].state = VIDMM_STATE_IGNORED;
    result.mark[4].state = VIDMM_STATE_KNOWN;
    expect_sum("0 broken, 1 ignored, 1 minor, 8 not reached; of the host's (K) 0 broken, 2 known");
    expect_json("ignored", 1);
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, true), "R157  minor "));
    result.ledger.broken[157] = result.ledger.broken[152] = 0;
    result.ledger.findings = 0;
    result.ledger.broken[152] = 1; /* more findings than are listed */
    expect_sum("1 broken, 8 not reached; of the host's (K) 2 broken");
}

static void what_was_not_made_is_said_behind_the_verdict(void **state) {
    const char *said = "most work of stage paging was not made, and not examined: words";
    (void)state;
    result.status = VIDMM_CHECK_PASSED;
    snprintf(result.text, sizeof(result.text), "%s", said);
    const char *last = strstr(report_text(&result, VIDMM_CHECK_TEXT, false), "\npassed: most work");
    assert_non_null(last);
    assert_non_null(strstr(last, said));
}

static void commands_that_were_refused_are_said(void **state) {
    const char *said = "commands of GDI were refused, and not examined (R604): ";
    (void)state;
    assert_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false), "commands of GDI"));
    result.gdi_asked = true;
    assert_non_null(strstr(report_text(&result, VIDMM_CHECK_TEXT, false),
                           "commands of GDI other than BITBLT and COLORFILL were not asked for"));
    result.gdi_refused = 1u << VIDMM_GDI_BITBLT | 1u << VIDMM_GDI_COLORFILL;
    result.gdi_status = STATUS_ILLEGAL_INSTRUCTION;
    const char *line = strstr(report_text(&result, VIDMM_CHECK_TEXT, false), said);
    assert_non_null(line);
    assert_non_null(strstr(line, "BITBLT, COLORFILL, with STATUS_ILLEGAL_INSTRUCTION\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sarif_has_what_the_standard_requires, set_up),
        cmocka_unit_test_setup(junit_is_well_formed_and_its_figures_are_right, set_up),
        cmocka_unit_test_setup(odd_names_leave_each_format_readable, set_up),
        cmocka_unit_test_setup(what_cannot_hang_is_said, set_up),
        cmocka_unit_test_setup(rules_are_broken_as_their_findings_count, set_up),
        cmocka_unit_test_setup(what_was_not_made_is_said_behind_the_verdict, set_up),
        cmocka_unit_test_setup(commands_that_were_refused_are_said, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
