/*
 * lookup_test.c - codes, statuses, calls, fields and words lead to the right rules and records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/lookup.h>

#define EACH_RECORD(record)                                                                        \
    for (const struct vidmm_record *record = vidmm_record_after(NULL); record;                     \
         record = vidmm_record_after(record))

#define EACH_CODE(code, i)                                                                         \
    const struct vidmm_code *code;                                                                 \
    for (size_t i = 0; (code = vidmm_code_at(i)); i++)

static struct vidmm_lookup found;

/* Looks up the words of one line, which are apart by a blank. */
static bool look_up(const char *line) {
    static char text[256];
    const char *words[8];
    size_t count = 0;
    snprintf(text, sizeof(text), "%s", line);
    for (char *word = strtok(text, " "); word && count < 8; word = strtok(NULL, " "))
        words[count++] = word;
    return vidmm_lookup(words, count, &found);
}

/* "R149", "W21" or "F19" is in what was found. */
static bool is_found(const char *name) {
    uint32_t number = (uint32_t)strtoul(name + 1, NULL, 10);
    if (name[0] == 'R')
        return found.rules[number];
    return found.records[name[0] == 'F' ? VIDMM_RECORD_MISTAKE + number : number];
}

static void assert_leads(const char *line, const char *names) {
    char text[128];
    if (!look_up(line))
        fail_msg("'%s': %s", line, found.text);
    snprintf(text, sizeof(text), "%s", names);
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        if (!is_found(name))
            fail_msg("'%s' does not lead to %s", line, name);
    }
}

static void assert_unknown(const char *line, const char *text) {
    assert_false(look_up(line));
    if (!strstr(found.text, text))
        fail_msg("'%s': \"%s\" instead of \"%s\"", line, found.text, text);
}

/* All codes that records and mistakes mention, and what they lead to. */
static void bugchecks_and_codes_of_the_records_lead_to_their_rules(void **state) {
    (void)state;
    assert_leads("0x10E", "R149 R154 W21 F19");
    assert_leads("0x10E 0xB", "R149 R154 R163 R167 W21 F19");
    assert_leads("0x50", "R152 W18 F37");
    assert_leads("0x3B", "R169 W10");
    assert_leads("SYSTEM_SERVICE_EXCEPTION", "R169 W10");
    assert_leads("code43", "R27 R8 R7 R73 R30 W1 W3 W5 W6 W20 F1 F2 F3");
}

static void statuses_of_the_records_lead_to_their_rules(void **state) {
    (void)state;
    assert_leads("STATUS_BUFFER_TOO_SMALL", "R27 W1 F1");
    assert_leads("STATUS_NOT_SUPPORTED", "R27 R149 R167 W7 W26 W30 F4 F19");
    assert_leads("STATUS_INSUFFICIENT_RESOURCES", "R149 R154 W21 F19");
    assert_leads("STATUS_NOT_IMPLEMENTED", "R149 R167 R314 F19");
    assert_leads("STATUS_NO_MEMORY", "R7 R27 R137 R149 F14");
    assert_leads("STATUS_SUCCESS", "R37 R153 W12 F17 F18");
    assert_leads("STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER", "R154 R156 R157");
    assert_leads("STATUS_GRAPHICS_ALLOCATION_BUSY", "R163 R164");
    assert_leads("STATUS_GRAPHICS_DRIVER_MISMATCH", "R27 R137");
    assert_leads("STATUS_DEVICE_REMOVED", "R384 W24 F36");
}

static void a_parameter_narrows_a_bugcheck(void **state) {
    (void)state;
    assert_leads("0x10E 0x12", "R152 R153 R154");
    assert_non_null(found.of);
    assert_false(found.rules[163]);
    assert_leads("0x10E 0x25", "R194 R200 F28");
    assert_leads("0x10E 0x13", "R166");
    assert_leads("0x10E 0x3", "R37 R199");
    assert_leads("0x119 0x1", "R281");
    assert_leads("0x119 0x2", "R277 R279");
    assert_leads("0x119 0x3", "R277");
    assert_leads("0x119 0xD", "R380");
    assert_leads("0x1B0 0x2", "R27 R73");
}

static void parameters_are_as_a_debugger_prints_them(void **state) {
    (void)state;
    assert_leads("0x10e b ffff8a04`1c0f3010 ffffffffc000009a 0", "R149 W21");
    assert_int_equal(found.parameter, 0xB);
    assert_int_equal(found.status_count, 1);
    assert_string_equal(found.statuses[0]->name, "STATUS_INSUFFICIENT_RESOURCES");
    assert_leads("0x0000010E 0x000000000000000B", "R149");
    assert_leads("bugcheck 0x10E 0xB", "R149");
}

/* No rule is made up for a value that leads to none. */
static void a_parameter_without_a_rule_has_none(void **state) {
    (void)state;
    assert_true(look_up("0x10E 0x22"));
    assert_true(found.has_parameter);
    assert_null(found.of);
    assert_true(look_up("0x10E 0x1B"));
    assert_non_null(found.of);
    assert_int_equal(found.rule_count, 0);
    assert_true(look_up("0x10D"));
    assert_int_equal(found.rule_count, 0);
    assert_true(look_up("0x113"));
    assert_int_equal(found.rule_count, 0);
}

static void timeouts_lead_to_fences_and_resets(void **state) {
    (void)state;
    assert_leads("0x116", "R421 R422 R361 R362 W33 W35 F40");
    assert_leads("0x117", "R281 R153 R380 W9");
    assert_leads("VIDEO_TDR_FAILURE", "R361");
    assert_leads("0x141", "R281 R282");
    assert_leads("code 43", "R27");
    assert_leads("Code-10", "R27 W7");
}

static void a_number_is_its_name(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"0xC0000017", "STATUS_NO_MEMORY"},
        {"0xffffffffc000009a", "STATUS_INSUFFICIENT_RESOURCES"},
        {"0xC01E0001", "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER"},
        {"0x119", "VIDEO_SCHEDULER_INTERNAL_ERROR"},
        {"code43", "CM_PROB_FAILED_POST_START"},
        {"status_no_memory", "STATUS_NO_MEMORY"},
        {"0xC01E0108", "STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_true(look_up(pairs[i][0]));
        assert_non_null(found.code);
        assert_string_equal(found.code->name, pairs[i][1]);
    }
}

static void a_call_leads_to_its_rules(void **state) {
    (void)state;
    assert_leads("DxgkDdiBuildPagingBuffer", "R149 R153 R148");
    assert_leads("dxgkddibuildpagingbuffer", "R149");
    assert_leads("BuildPagingBuffer", "R149");
    assert_leads("DXGKARG_BUILDPAGINGBUFFER", "R149 R152");
    assert_leads("DXGK_OPERATION_FILL", "R187 R188");
    assert_leads("DxgkDdiSubmitCommand", "R277");
    assert_false(found.rules[279]); /* of DxgkDdiSubmitCommandVirtual alone */
    assert_leads("DXGKQAITYPE_QUERYSEGMENT4", "R4 R5 R8");
}

static void a_field_leads_to_its_rules(void **state) {
    (void)state;
    assert_leads("CommitLimit", "R62 R63 R64 W26 F11");
    assert_leads("DXGK_PTE.Segment", "R223 W16 F32");
    assert_leads("_DXGK_PTE->Segment", "R223");
    assert_leads("PagingBufferSegmentId", "R73 R74 W11 F5");
    assert_leads("SegmentDescriptorStride", "R8 R9 F6");
    assert_leads("DXGK_QUERYSEGMENTOUT4.SegmentDescriptorStride", "R8");
}

static void a_word_leads_to_rules_and_records(void **state) {
    (void)state;
    assert_leads("stride", "R8 R9 F6 W26");
    assert_leads("black display", "R37 R153 W12 F17");
    assert_leads("invalid NTSTATUS", "R27 W7 F4");
    assert_leads("device removed", "R98 W24 F36");
    assert_leads("DummyPage", "R200 F28");
    assert_leads("swizz", "R182 R202");
    assert_unknown("age", "no rule, code or word 'age'"); /* "page" does not begin with it */
}

static void a_rule_brings_its_records(void **state) {
    (void)state;
    assert_leads("R149", "R149 W21 W30 F19");
    assert_ptr_equal(found.rule, vidmm_rule(149));
    assert_leads("r73", "W11 F5");
    assert_leads("119", "R119");
    assert_string_equal(found.alike->name, "VIDEO_SCHEDULER_INTERNAL_ERROR");
    assert_leads("R119", "R119");
    assert_null(found.alike);
    assert_leads("152", "R152");
    assert_int_equal(found.record_count, 0);
}

static void a_record_brings_its_rules(void **state) {
    (void)state;
    assert_leads("W21", "W21 R149 R154");
    assert_leads("f28", "F28 R200");
    assert_leads("W32", "W32");
    assert_int_equal(found.rule_count, 0);
    assert_false(look_up("W99"));
}

static void an_unknown_word_is_refused_with_the_nearest(void **state) {
    (void)state;
    assert_unknown("DxgkDdiBuildPagingBufer", "did you mean DxgkDdiBuildPagingBuffer?");
    assert_unknown("STATUS_NO_MEMRY", "did you mean STATUS_NO_MEMORY?");
    assert_unknown("0x10F", "0x10E");
    assert_unknown("code44", "code43");
    assert_unknown("R403", "no rule 'R403'");
    assert_unknown("R1 R2", "one word too many: 'R2'");
    assert_unknown("0x10E zz", "'zz' is no parameter");
    assert_unknown("0x10E 1 2 3 4 5", "one word too many: '5'");
    assert_unknown("STATUS_DELETE_PENDING",
                   "no rule and no record speaks of STATUS_DELETE_PENDING");
}

/* One line of ASCII, whatever was asked. */
static void assert_refused_in_one_line(const char *const *words, size_t count) {
    if (vidmm_lookup(words, count, &found))
        fail_msg("%zu words that begin with '%.40s' lead somewhere", count,
                 count != 0 ? words[0] : "");
    size_t length = strlen(found.text);
    assert_in_range(length, 1, sizeof(found.text) - 1);
    for (size_t i = 0; i < length; i++)
        assert_true(isprint((unsigned char)found.text[i]));
}

static void hostile_words_are_refused(void **state) {
    (void)state;
    static char huge[1 << 20];
    memset(huge, 'a', sizeof(huge) - 1);
    const char *const bad[] = {
        "",   " ",    "\xff\xfe\x80", "\x1b[31m",         "\n\n\n", "...",
        "->", "____", "0xG",          "\xc3\xa9\xc3\xa8", huge,     "0x11111111111111111111"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *const parameter[] = {"0x10E", bad[i]};
        const char *const many[] = {huge, bad[i], huge, bad[i], huge, bad[i], huge, bad[i], huge};
        assert_refused_in_one_line(&bad[i], 1);
        assert_refused_in_one_line(parameter, 2);
        assert_refused_in_one_line(many, 9);
    }
    assert_refused_in_one_line(bad, 0);
    assert_false(look_up("0x10E 0x"));
    assert_false(look_up("0x10E %s%n"));
}

/* Any short string gets an answer or one sentence. */
static void every_pair_of_bytes_is_answered(void **state) {
    (void)state;
    char word[4] = {0};
    for (unsigned a = 1; a < 256; a += 11) {
        for (unsigned b = 1; b < 256; b += 7) {
            word[0] = (char)a;
            word[1] = (char)b;
            const char *words[] = {word, word};
            if (!vidmm_lookup(words, 1 + b % 2, &found))
                assert_true(found.text[0] != '\0');
        }
    }
}

static void assert_rules(const char *who, const uint16_t *rules, size_t size) {
    for (size_t i = 0; i < size && rules[i] != 0; i++) {
        if (!vidmm_rule(rules[i]))
            fail_msg("%s names R%u, which is no rule", who, rules[i]);
    }
}

static void records_are_whole_and_name_rules_that_exist(void **state) {
    (void)state;
    uint32_t seen = 0, mistakes = 0;
    EACH_RECORD(record) {
        char name[8];
        vidmm_record_name(record, name);
        assert_rules(name, record->rules, VIDMM_RECORD_RULES);
        assert_non_null(record->done);
        assert_non_null(record->seen);
        assert_ptr_equal(vidmm_record(record->number), record);
        if (record->number > VIDMM_RECORD_MISTAKE) {
            mistakes++;
            assert_null(record->system);
        } else {
            seen++;
            assert_int_equal(record->number, seen);
            assert_non_null(record->system);
            assert_non_null(record->source);
        }
    }
    assert_int_equal(seen, 35);
    assert_int_equal(mistakes, 40);
}

/* What a rule says that its severity rests on names the rule, too. */
static void records_name_the_rules_that_rest_on_them(void **state) {
    (void)state;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        const struct vidmm_source *sources[] = {&rule->severity_source, &rule->windows_source};
        char line[8], names[128];
        for (size_t i = 0; i < 2; i++) {
            if (sources[i]->kind != VIDMM_SOURCE_RECORD)
                continue;
            vidmm_rule_id(rule->number, line);
            snprintf(names, sizeof(names), "%s", sources[i]->where);
            for (char *comma = names; (comma = strchr(comma, ','));)
                *comma = ' ';
            assert_leads(line, names);
        }
    }
}

static bool is_rested_on(const struct vidmm_record *record) {
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (vidmm_record_rests(record, &rule->severity_source) ||
            vidmm_record_rests(record, &rule->windows_source))
            return true;
    }
    return false;
}

/* "check/records_test.c: w2_three_queries_are_enough": a file of tests/, and words in it. */
static void assert_test_exists(const char *test) {
    static char source[1 << 18];
    char path[512];
    const char *name = strstr(test, ": ");
    assert_non_null(name);
    snprintf(path, sizeof(path), "%s/%.*s", TESTS, (int)(name - test), test);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("there is no %s", path);
    source[fread(source, 1, sizeof(source) - 1, file)] = '\0';
    fclose(file);
    char wanted[128];
    bool unit = strstr(test, ".c: ");
    snprintf(wanted, sizeof(wanted), "%s%s%s", unit ? "cmocka_unit_test(" : "", name + 2,
             unit ? ")" : "");
    if (!strstr(source, wanted))
        fail_msg("%s has no '%s'", path, wanted);
}

/* A row rests on it, a test does what it tells, or it says why neither can be. */
static void every_record_is_held_to(void **state) {
    (void)state;
    EACH_RECORD(record) {
        if (record->number > VIDMM_RECORD_MISTAKE)
            continue;
        if (!is_rested_on(record) && !record->test && !record->cannot)
            fail_msg("W%u has no row, no test and no reason", record->number);
        if (record->test)
            assert_test_exists(record->test);
    }
}

static void a_record_is_not_taken_for_a_longer_number(void **state) {
    (void)state;
    const struct vidmm_source source = {VIDMM_SOURCE_RECORD, "W21, W3"};
    assert_false(vidmm_record_rests(vidmm_record(2), &source));
    assert_true(vidmm_record_rests(vidmm_record(3), &source));
    assert_true(vidmm_record_rests(vidmm_record(21), &source));
    assert_false(vidmm_record_rests(vidmm_record(31), &source));
}

static void codes_are_whole_and_name_what_exists(void **state) {
    (void)state;
    EACH_CODE(code, i) {
        assert_non_null(code->name);
        assert_non_null(code->meaning);
        assert_non_null(code->look[0]);
        assert_true((code->kind == VIDMM_CODE_STATUS) == !code->page);
        assert_rules(code->name, code->rules, VIDMM_CODE_RULES);
        for (size_t j = 0; j < VIDMM_CODE_RECORDS && code->records[j] != 0; j++)
            assert_non_null(vidmm_record(code->records[j]));
        for (size_t j = 0; code->cases && j < code->cases->count; j++) {
            assert_non_null(code->cases->rows[j].meaning);
            assert_rules(code->name, code->cases->rows[j].rules, VIDMM_CASE_RULES);
        }
    }
}

/* What a code is shown with is what its own name leads to. */
static void every_code_is_found_by_its_name(void **state) {
    (void)state;
    EACH_CODE(code, i) {
        assert_true(look_up(code->name));
        assert_ptr_equal(found.code, code);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bugchecks_and_codes_of_the_records_lead_to_their_rules),
        cmocka_unit_test(statuses_of_the_records_lead_to_their_rules),
        cmocka_unit_test(a_parameter_narrows_a_bugcheck),
        cmocka_unit_test(parameters_are_as_a_debugger_prints_them),
        cmocka_unit_test(a_parameter_without_a_rule_has_none),
        cmocka_unit_test(timeouts_lead_to_fences_and_resets),
        cmocka_unit_test(a_number_is_its_name),
        cmocka_unit_test(a_call_leads_to_its_rules),
        cmocka_unit_test(a_field_leads_to_its_rules),
        cmocka_unit_test(a_word_leads_to_rules_and_records),
        cmocka_unit_test(a_rule_brings_its_records),
        cmocka_unit_test(a_record_brings_its_rules),
        cmocka_unit_test(an_unknown_word_is_refused_with_the_nearest),
        cmocka_unit_test(hostile_words_are_refused),
        cmocka_unit_test(every_pair_of_bytes_is_answered),
        cmocka_unit_test(records_are_whole_and_name_rules_that_exist),
        cmocka_unit_test(records_name_the_rules_that_rest_on_them),
        cmocka_unit_test(every_record_is_held_to),
        cmocka_unit_test(a_record_is_not_taken_for_a_longer_number),
        cmocka_unit_test(codes_are_whole_and_name_what_exists),
        cmocka_unit_test(every_code_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
