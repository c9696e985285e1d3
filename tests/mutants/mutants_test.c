/*
 * mutants_test.c - every rule that is judged is broken once, and has to be named, alone or with
 * what follows from it.
 *
 *   mutants_test FAMILY        its mutants, or with VIDMM_SHARE=N each Nth; mutants.h lists the families
 *   mutants_test FAMILY R152   only those of one rule, with what was found
 *   mutants_test --matrix FILE [FAMILY]
 *                              the kill matrix of all families, or of one: what docs/rules.md shows
 *   mutants_test --families    their names, in the order of the matrix
 *   mutants_test --causes [FAMILY]   how many findings a mistake of the driver is told as, in whole runs,
 *                              and whether its rule stands first
 *   mutants_test --image HARDWARE FILE...   mutants of drivers as images break the same rules; with VIDMM_SHARE each
 *                              as one of the images, in turn
 *   mutants_test --complete    every side that a rule of the memory calls judges is broken
 */
#include "mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/check.h>

#include "report/check.h"

#include "../share.h"

DRIVER_INITIALIZATION_DATA mutants_good, mutants_below;
struct vidmm_gart mutants_gart;

static const struct mutant *now;

static const struct {
    const char *name;
    const struct mutant *mutant;
    const uint32_t *count;
} families[] = {
#define FAMILY(family, name) {name, mutants_##family, &mutants_##family##_count},
    MUTANTS_FAMILIES(FAMILY)
#undef FAMILY
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static void spoil(DRIVER_INITIALIZATION_DATA *table) {
    if (!now->install)
        return;
    mutants_good = *table;
    now->install(table);
}

static void spoil_gart(struct vidmm_gart *gart) {
    mutants_gart = *gart;
    now->gart(gart);
}

static void spoil_devices(DRIVER_INITIALIZATION_DATA *table) {
    mutants_good = *table;
    now->devices(table);
}

static void set_scene(DRIVER_INITIALIZATION_DATA *table) {
    mutants_below = *table;
    now->scene(table);
}

static bool whole_runs; /* all stages, instead of the one that is enough */

/* The image that is all mutants of drivers, one at a time; NULL: the reference driver, spoiled here. */
static const char *image, *image_hardware;
static uint32_t image_number;

static void examine(const struct mutant *mutant, struct vidmm_check_result *result) {
    struct vidmm_host_setting settings[MUTANTS_SETTINGS + 1];
    const struct vidmm_spoiler spoiler = {
        .driver = mutant->side == VIDMM_SIDE_DRIVER ? spoil
                  : mutant->scene                   ? set_scene
                                                    : NULL,
        .manager = mutant->side == VIDMM_SIDE_MANAGER ? spoil
                   : mutant->scene                    ? set_scene
                                                      : NULL,
        .callbacks = mutant->callbacks,
        .gart = mutant->gart ? spoil_gart : NULL,
        .sizes = mutant->sizes,
        .request = mutant->request,
        .devices = mutant->devices ? spoil_devices : NULL,
    };
    struct vidmm_check_options options = {.settings = settings,
                                          .stage = whole_runs ? NULL : mutant->stage,
                                          .spoiler = &spoiler,
                                          .seed = 1,
                                          .readings = mutant->readings,
                                          .linked = mutant->linked};
    while (options.setting_count < MUTANTS_SETTINGS &&
           mutant->settings[options.setting_count].name) {
        uint32_t i = options.setting_count++;
        settings[i] =
            (struct vidmm_host_setting){mutant->settings[i].name, mutant->settings[i].value};
    }
    if (image) {
        options.driver_path = image;
        options.model_path = image_hardware;
        options.spoiler = NULL;
        settings[options.setting_count++] = (struct vidmm_host_setting){"Mutant", image_number};
    }
    now = mutant;
    vidmm_check(&options, result);
}

static bool expected(const struct mutant *mutant, uint32_t rule) {
    bool follows = rule == mutant->rule;
    for (uint32_t i = 0; i < MUTANTS_CONSEQUENCES; i++)
        follows = follows || (mutant->consequences[i] != 0 && mutant->consequences[i] == rule);
    return follows;
}

static void show(const struct vidmm_check_result *result) {
    char text[640];
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        vidmm_finding_text(&result->ledger.finding[i], text, sizeof(text));
        printf("    %s\n", text);
    }
    for (uint32_t i = 0; i < result->stages; i++)
        if (result->stage[i].text[0] != 0)
            printf("    stage %s: %s\n", result->stage[i].name, result->stage[i].text);
}

/* True when the rule was named, by the right side, and nothing that does not follow from it. */
static bool caught(const struct mutant *mutant, const struct vidmm_check_result *result) {
    bool named = false, others = false;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        if (finding->kind != VIDMM_FINDING_RULE)
            continue;
        named = named || (finding->rule == mutant->rule && finding->who == mutant->side);
        others = others || !expected(mutant, finding->rule);
    }
    return named && !others;
}

static void matrix_line(FILE *matrix, const struct mutant *mutant,
                        const struct vidmm_check_result *result) {
    fprintf(matrix, "R%u %s caught", mutant->rule, vidmm_side_text((uint8_t)mutant->side));
    const char *with = " with";
    for (uint32_t rule = 1; rule <= VIDMM_RULES_LAST; rule++) {
        if (rule != mutant->rule && result->ledger.broken[rule] != 0) {
            fprintf(matrix, "%s R%u", with, rule);
            with = "";
        }
    }
    fprintf(matrix, "%s: %s\n", *with != 0 ? " alone" : "", mutant->what);
}

static uint32_t run_family(size_t family, const struct vidmm_rule *only, FILE *matrix) {
    static struct vidmm_check_result result;
    uint32_t failures = 0;
    uint32_t each = only ? 1 : share();
    for (uint32_t i = (uint32_t)family % each; i < *families[family].count; i += each) {
        const struct mutant *mutant = &families[family].mutant[i];
        if (only && only->number != mutant->rule)
            continue;
        examine(mutant, &result);
        bool good = caught(mutant, &result);
        if (!good || only) {
            printf("%s R%u: a %s that %s\n", good ? "caught" : "NOT CAUGHT", mutant->rule,
                   vidmm_side_text((uint8_t)mutant->side), mutant->what);
            show(&result);
        }
        if (good && matrix)
            matrix_line(matrix, mutant, &result);
        failures += !good;
    }
    return failures;
}

/* ---- Findings of one mistake ----------------------------------------------------------------- */

struct causes_sum {
    uint32_t mutants, one, two, first;
};

static bool of_driver(const struct mutant *mutant) {
    return mutant->side == VIDMM_SIDE_DRIVER;
}

static void sum_causes(const struct mutant *mutant, const struct vidmm_check_result *result,
                       struct causes_sum *sum) {
    uint32_t order[VIDMM_FINDINGS], leads = 0;
    report_check_order(result, order);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        leads += report_check_leads(result, i);
    bool first =
        result->ledger.findings != 0 && result->ledger.finding[order[0]].rule == mutant->rule;
    sum->mutants++;
    sum->one += leads <= 1;
    sum->two += leads <= 2;
    sum->first += first;
    if (leads <= 2 && first)
        return;
    printf("R%u, a driver that %s: %u findings\n", mutant->rule, mutant->what, leads);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[order[i]];
        printf("    %s%s %s, call %llu [%s]: %s\n",
               report_check_leads(result, order[i]) ? "" : "  ", result->mark[order[i]].identity,
               finding->where, (unsigned long long)finding->call, finding->step, finding->found);
    }
}

/* Targets of the whole: one finding in most cases, at most two in nine of ten. */
static int causes(const char *family) {
    static struct vidmm_check_result result;
    struct causes_sum sum = {0, 0, 0, 0};
    whole_runs = true;
    for (size_t i = 0; i < FAMILIES; i++)
        for (uint32_t k = 0;
             (!family || strcmp(family, families[i].name) == 0) && k < *families[i].count; k++) {
            const struct mutant *mutant = &families[i].mutant[k];
            if (!of_driver(mutant))
                continue;
            examine(mutant, &result);
            sum_causes(mutant, &result, &sum);
        }
    printf(
        "%u mistakes of a driver: %u told as one finding, %u as two at most, the right rule first "
        "in %u\n",
        sum.mutants, sum.one, sum.two, sum.first);
    return sum.one * 2 < sum.mutants || sum.two * 10 < sum.mutants * 9;
}

/* ---- As images ------------------------------------------------------------------------------- */

/* Broken by the driver alone, in its table. */
static bool fits_image(const struct mutant *mutant) {
    return mutant->side == VIDMM_SIDE_DRIVER && mutant->install && !mutant->scene &&
           !mutant->callbacks && !mutant->gart && !mutant->sizes && !mutant->request &&
           !mutant->devices && !mutant->unlike;
}

static bool same_rules(const struct vidmm_check_result *a, const struct vidmm_check_result *b) {
    for (uint32_t rule = 1; rule <= VIDMM_RULES_LAST; rule++)
        if ((a->ledger.broken[rule] != 0) != (b->ledger.broken[rule] != 0))
            return false;
    return true;
}

/* True: the image breaks what the driver in this process does. */
static bool image_alike(const struct mutant *mutant, const struct vidmm_check_result *here,
                        const char *file) {
    static struct vidmm_check_result there;
    image = file;
    examine(mutant, &there);
    image = NULL;
    if (same_rules(here, &there))
        return true;
    printf("R%u, a driver that %s: the image %s breaks other rules\n", mutant->rule, mutant->what,
           file);
    show(&there);
    return false;
}

/* Of the images that are not alike the number. `turn`: so many mutants came before. */
static uint32_t images_unlike(const struct mutant *mutant, char *const *files, uint32_t turn) {
    static struct vidmm_check_result here;
    uint32_t count = 0, unlike = 0;
    while (files[count])
        count++;
    examine(mutant, &here);
    for (uint32_t i = 0; i < count; i++)
        if (share() == 1 || turn % count == i)
            unlike += !image_alike(mutant, &here, files[i]);
    return unlike;
}

static int compare_images(char *const *files) {
    static const struct {
        const struct mutant *mutant;
        const uint32_t *count;
    } lists[] = {
#define FAMILY(family, name) {mutants_##family, &mutants_##family##_count},
        MUTANTS_OF_IMAGES(FAMILY)
#undef FAMILY
    };
    uint32_t alike = 0, unlike = 0;
    for (uint32_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
        for (uint32_t i = 0; i < *lists[k].count; i++) {
            if (!fits_image(&lists[k].mutant[i]))
                continue;
            image_number = k * MUTANTS_FAMILY_STEP + i + 1;
            if (images_unlike(&lists[k].mutant[i], files, alike + unlike) == 0)
                alike++;
            else
                unlike++;
        }
    printf("%u mutants as images break the same rules, %u do not\n", alike, unlike);
    return unlike != 0 || alike < 60;
}

static bool has_mutant(uint32_t rule, enum vidmm_side side) {
    for (size_t family = 0; family < FAMILIES; family++)
        for (uint32_t i = 0; i < *families[family].count; i++)
            if (families[family].mutant[i].rule == rule && families[family].mutant[i].side == side)
                return true;
    return false;
}

/* Every side that a judged rule binds has a mutant: no row of the table is mere assertion. */
static int complete(void) {
    static const enum vidmm_side sides[] = {VIDMM_SIDE_DRIVER, VIDMM_SIDE_MANAGER};
    uint32_t missing = 0;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (!rule->judged || rule->number > VIDMM_RULES_LAST)
            continue;
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
            if ((rule->side & sides[i]) == 0 || has_mutant(rule->number, sides[i]))
                continue;
            printf("R%u has no %s that breaks it: %s\n", rule->number,
                   vidmm_side_text((uint8_t)sides[i]), rule->statement);
            missing++;
        }
    }
    printf("%u judged sides have no mutant\n", missing);
    return missing != 0;
}

static int list_families(void) {
    for (size_t i = 0; i < FAMILIES; i++)
        printf("%s\n", families[i].name);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--complete") == 0)
        return complete();
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "--causes") == 0)
        return causes(argc == 3 ? argv[2] : NULL);
    if (argc > 3 && strcmp(argv[1], "--image") == 0) {
        image_hardware = argv[2];
        return compare_images(&argv[3]);
    }
    if (argc == 2 && strcmp(argv[1], "--families") == 0)
        return list_families();
    bool matrix_wanted = argc >= 3 && strcmp(argv[1], "--matrix") == 0;
    FILE *matrix = matrix_wanted ? fopen(argv[2], "w") : NULL;
    if (matrix_wanted && !matrix)
        return 2;
    const char *family = matrix_wanted ? argv[3] : argv[1];
    uint32_t failures = 0, run = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        if (family ? strcmp(family, families[i].name) != 0 : !matrix)
            continue;
        failures += run_family(i, argc == 3 && !matrix ? vidmm_rule_parse(argv[2]) : NULL, matrix);
        run++;
    }
    if (matrix && fclose(matrix) != 0)
        return 2;
    if (run == 0) {
        fprintf(stderr, "mutants_test FAMILY [RULE], --matrix FILE [FAMILY], --families, --causes "
                        "or --complete\n");
        return 2;
    }
    printf("%u mutants were not caught, or not alone\n", failures);
    return failures != 0;
}
