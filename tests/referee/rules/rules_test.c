/*
 * rules_test.c - the rule table is whole: every row is found, and says what it must.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/readings.h>
#include <vidmm/referee.h>
#include <vidmm/rules.h>

#define EACH_RULE(rule)                                                                            \
    for (const struct vidmm_rule *rule = vidmm_rule_after(NULL); rule;                             \
         rule = vidmm_rule_after(rule))

static void a_row_is_found_by_its_number(void **state) {
    (void)state;
    uint32_t before = 0, rules = 0;
    EACH_RULE(rule) {
        assert_true(rule->number > before && rule->number < VIDMM_RULES_SIZE);
        assert_true((rule->number >= VIDMM_K_FIRST) == (rule->group == 'Z'));
        assert_ptr_equal(vidmm_rule(rule->number), rule);
        assert_non_null(vidmm_rule_group(rule->group));
        before = rule->number;
        rules++;
    }
    assert_true(rules >= 402);
    assert_null(vidmm_rule(0));
    assert_null(vidmm_rule(VIDMM_RULES_SIZE));
    assert_null(vidmm_rule(UINT32_MAX));
    assert_null(vidmm_rule_group('X'));
    assert_null(vidmm_rule_group('\0'));
}

static void an_id_leads_to_its_row_and_back(void **state) {
    (void)state;
    char id[8];
    EACH_RULE(rule) {
        assert_ptr_equal(vidmm_rule_parse(vidmm_rule_id(rule->number, id)), rule);
        assert_int_equal(id[0], rule->group == 'Z' ? 'K' : 'R');
    }
    assert_int_equal(vidmm_rule_parse("k1")->number, VIDMM_K_IRQL);
    assert_int_equal(vidmm_rule_parse("K20")->number, VIDMM_K_IMPORT);
    static const char *const none[] = {"K",   "K0",  "K01",          "K999", "R660",
                                       "660", "661", "K99999999999", "KK1"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_null(vidmm_rule_parse(none[i]));
}

/* Numbers that were given once are not given up; every group has some of them. */
static void every_early_number_has_its_row(void **state) {
    (void)state;
    char group = 'A';
    for (uint32_t number = 1; number <= 402; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        assert_non_null(rule);
        assert_true(rule->group == group || rule->group == group + 1);
        group = rule->group;
    }
    assert_int_equal(group, 'T');
}

/* Derived from the sources: sampled. */
static void rules_are_judged_that_code_judges(void **state) {
    (void)state;
    assert_true(vidmm_rule(1)->judged);
    assert_true(vidmm_rule(385)->judged);
    assert_false(vidmm_rule(42)->judged); /* no code */
    assert_false(vidmm_rule(362)->judged);
}

static void assert_said(const struct vidmm_rule *rule, const char *what, const char *text) {
    if (!text || *text == '\0')
        fail_msg("R%u does not say %s", rule->number, what);
}

static void every_row_says_what_it_must(void **state) {
    (void)state;
    EACH_RULE(rule) {
        assert_said(rule, "what it is", rule->statement);
        assert_said(rule, "its page", rule->page);
        assert_said(rule, "how it is judged", rule->how);
        assert_said(rule, "why", rule->why);
        assert_said(rule, "what Windows does", rule->windows);
        assert_true(rule->side != 0 && (rule->side & ~(VIDMM_SIDE_BOTH | VIDMM_SIDE_USER)) == 0);
        assert_true(rule->severity < VIDMM_SEVERITIES);
        assert_true(rule->confidence <= VIDMM_OBSERVED);
        assert_true(rule->first == 0 || rule->last == 0 || rule->first <= rule->last);
        if (strpbrk(rule->page, rule->group == 'Z' ? " ." : " ./"))
            fail_msg("R%u: '%s' is no page", rule->number, rule->page);
    }
}

static void judged_rules_of_drivers_show_code(void **state) {
    (void)state;
    EACH_RULE(rule) {
        if (rule->judged && (rule->side & VIDMM_SIDE_DRIVER) != 0) {
            assert_said(rule, "what is wrong", rule->wrong);
            assert_said(rule, "what is right", rule->right);
        }
    }
}

/* Nothing that ends a system, or loses what it has, is advice, but for what a second device of a kind does of which a
 * system may have one (R654). */
static void advice_costs_time_or_needs_a_second_device_and_is_said_to_be_advice(void **state) {
    (void)state;
    assert_true(vidmm_rule(55)->advice);
    EACH_RULE(rule) {
        bool mild = rule->severity == VIDMM_SEVERITY_PERFORMANCE || rule->number == 654;
        assert_int_equal(rule->advice, strncmp(rule->how, "Advice", 6) == 0);
        assert_true(!rule->advice || mild);
    }
}

/* Of what happened earlier, as a report that is judged later, and of what happens now. */
static void a_finding_is_placed_where_it_happened(void **state) {
    static struct vidmm_ledger ledger;
    const uint64_t frame[2] = {0x10, 0x20};
    (void)state;
    vidmm_ledger_was_at(frame, 2);
    vidmm_ledger_judge(&ledger, 281, VIDMM_SIDE_DRIVER, false, "one", "%s", "of before");
    vidmm_ledger_was_at(NULL, 0);
    vidmm_ledger_judge(&ledger, 523, VIDMM_SIDE_DRIVER, false, "another", "%s", "of now");
    assert_int_equal(ledger.finding[0].places, 2);
    assert_int_equal(ledger.finding[0].place[1].offset, 0x20);
    assert_int_equal(ledger.finding[1].places, 0);
}

/* It names a call, and is no callback's row. */
static void a_device_that_reaches_foreign_memory_has_no_row_of_its_own(void **state) {
    static struct vidmm_ledger ledger;
    (void)state;
    vidmm_ledger_note(&ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                      "the device reached physical address 0x0, while engine 0 ran: "
                      "DxgkDdiSubmitCommand with fence 1 was the last for it");
    assert_int_equal(ledger.finding[0].rule, VIDMM_K_OTHER);
}

static void versions_have_names(void **state) {
    (void)state;
    EACH_RULE(rule) {
        assert_memory_equal(rule->first == 0 ? "WDDM" : vidmm_rule_version(rule->first), "WDDM", 4);
        assert_memory_equal(rule->last == 0 ? "WDDM" : vidmm_rule_version(rule->last), "WDDM", 4);
    }
}

/* Every NAME=VALUE in `text` is one that the command takes. Returns how many there are. */
static unsigned readings_named(const struct vidmm_rule *rule, const char *text) {
    unsigned count = 0;
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '=')) {
        const char *from = equals, *to = equals + 1;
        while (from > text && (isalpha((unsigned char)from[-1]) || from[-1] == '-'))
            from--;
        while (isalpha((unsigned char)*to) || *to == '-')
            to++;
        char name[64];
        struct vidmm_readings readings = {0};
        snprintf(name, sizeof(name), "%.*s", (int)(to - from), from);
        if (!vidmm_reading_parse(name, &readings))
            fail_msg("R%u names the reading '%s'", rule->number, name);
        count++;
    }
    return count;
}

static void disputed_rules_have_readings(void **state) {
    (void)state;
    EACH_RULE(rule) {
        assert_true((rule->confidence == VIDMM_DISPUTED) == !!rule->readings);
        if (rule->readings)
            readings_named(rule, rule->readings);
    }
}

static void readings_are_what_they_say(void **state) {
    (void)state;
    const struct vidmm_reading_choice *choice;
    size_t count = 0;
    for (; (choice = vidmm_reading_at(count)); count++) {
        const struct vidmm_rule *rule = vidmm_rule(choice->rule);
        assert_non_null(rule);
        assert_int_equal(rule->confidence, VIDMM_DISPUTED);
        assert_true(readings_named(rule, rule->readings) >= 2);
        for (unsigned value = 0; choice->value[value]; value++) {
            char text[64];
            struct vidmm_readings readings = {0};
            uint8_t bytes[sizeof(readings)], sum = 0;
            assert_non_null(choice->meaning[value]);
            snprintf(text, sizeof(text), "%s=%s", choice->name, choice->value[value]);
            if (!strstr(rule->readings, text))
                fail_msg("R%u does not say what '%s' is", rule->number, text);
            assert_true(vidmm_reading_parse(text, &readings));
            memcpy(bytes, &readings, sizeof(bytes));
            for (size_t i = 0; i < sizeof(bytes); i++)
                sum = (uint8_t)(sum + bytes[i]);
            assert_int_equal(sum, value);
        }
    }
    assert_int_equal(count, sizeof(struct vidmm_readings));
}

static void readings_refuse(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "=",
                                      "transfer-offset",
                                      "transfer-offset=",
                                      "transfer-offset=Both",
                                      "transfer-offset=both ",
                                      "transfer=both",
                                      "first-call=both"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct vidmm_readings readings = {.first_call = 1}, before = readings;
        assert_false(vidmm_reading_parse(bad[i], &readings));
        assert_memory_equal(&readings, &before, sizeof(readings));
    }
}

static void words_to_rules(void **state) {
    (void)state;
    assert_ptr_equal(vidmm_rule_parse("R152"), vidmm_rule(152));
    assert_ptr_equal(vidmm_rule_parse("r1"), vidmm_rule(1));
    assert_ptr_equal(vidmm_rule_parse("402"), vidmm_rule(402));
    static const char *const bad[] = {
        "",    "R",    "R0",  "R499", "R-1", "RR1",  "R1x",         " R1",
        "R1 ", "0x10", "R01", "+1",   "1e2", "R1.5", "R4294967297", "R99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_null(vidmm_rule_parse(bad[i]));
}

static void enums_to_words(void **state) {
    (void)state;
    assert_string_equal(vidmm_side_text(VIDMM_SIDE_DRIVER), "driver");
    assert_string_equal(vidmm_side_text(VIDMM_SIDE_USER | VIDMM_SIDE_MANAGER), "user, manager");
    assert_string_equal(vidmm_side_text(0), "nobody");
    assert_string_equal(vidmm_confidence_text(VIDMM_OBSERVED), "observed");
    assert_string_equal(vidmm_confidence_text(99), "unknown");
    assert_string_equal(vidmm_severity_text(VIDMM_SEVERITY_BUGCHECK), "bugcheck");
    assert_string_equal(vidmm_severity_text(VIDMM_SEVERITIES), "unknown");
    assert_string_equal(vidmm_reach_text(VIDMM_REACH_DISPLAY), "what displays show");
    assert_string_equal(vidmm_reach_text(VIDMM_REACHES), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_found_by_its_number),
        cmocka_unit_test(an_id_leads_to_its_row_and_back),
        cmocka_unit_test(every_early_number_has_its_row),
        cmocka_unit_test(rules_are_judged_that_code_judges),
        cmocka_unit_test(every_row_says_what_it_must),
        cmocka_unit_test(judged_rules_of_drivers_show_code),
        cmocka_unit_test(advice_costs_time_or_needs_a_second_device_and_is_said_to_be_advice),
        cmocka_unit_test(a_finding_is_placed_where_it_happened),
        cmocka_unit_test(a_device_that_reaches_foreign_memory_has_no_row_of_its_own),
        cmocka_unit_test(versions_have_names),
        cmocka_unit_test(disputed_rules_have_readings),
        cmocka_unit_test(readings_are_what_they_say),
        cmocka_unit_test(readings_refuse),
        cmocka_unit_test(words_to_rules),
        cmocka_unit_test(enums_to_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
