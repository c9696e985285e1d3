/*
 * dropped_test.c - nothing that the manager does for page tables, TLBs and fences can be left out
 * without being named, or without a reason why it could not be detected.
 *
 *   dropped-calls-test [--full] [--seed N] [SCENE [KIND [AT]]]
 *
 * Without --full long scenes are sampled. What was not detected is printed with the command that
 * repeats it.
 */
#include "dropped_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/rules.h>

#include "../share.h"

#define EARLY_SAMPLE 2u /* of what comes before the replay, of each kind */

static struct {
    bool full, verbose;
    uint64_t seed;
    const char *scene, *kind, *at;
} options = {.seed = 1};

static struct {
    uint64_t left_out[DROPPED_KINDS], outcome[DROPPED_KINDS][OUTCOMES];
    uint64_t rule[DROPPED_KINDS][VIDMM_RULES_SIZE];
} table;

/* ---- What is left out ------------------------------------------------------------------------ */

static struct dropped_call *list;
static uint32_t listed, room;

static void add(enum dropped_kind kind, uint64_t at) {
    if (listed == room) {
        room = room != 0 ? 2 * room : 256;
        list = realloc(list, room * sizeof(*list));
        if (!list)
            abort();
    }
    list[listed++] =
        (struct dropped_call){.on = true, .kind = kind, .at = at, .seed = options.seed};
}

/* `sample` of [first, end), one from each of as many parts; 0: all. */
static void add_sample(enum dropped_kind kind, uint64_t first, uint64_t end, uint64_t sample) {
    uint64_t count = end - first, parts = sample != 0 && sample < count ? sample : count;
    uint64_t random = options.seed * UINT64_C(0x9e3779b97f4a7c15) + kind;
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t start = count * i / parts, stop = count * (i + 1) / parts;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        add(kind, first + start + (random >> 33) % (stop - start));
    }
}

static void choose(const struct scene *scene, const struct dropped_seen *seen) {
    listed = 0;
    for (int kind = 0; kind < DROPPED_KINDS; kind++) {
        if (options.kind && strcmp(options.kind, dropped_text(kind)) != 0)
            continue;
        if (options.at) {
            add(kind, strtoull(options.at, NULL, 10));
            continue;
        }
        add_sample(kind, 0, seen->begins[kind], options.full ? 0 : EARLY_SAMPLE);
        add_sample(kind, seen->begins[kind], seen->occasions[kind],
                   options.full ? 0 : scene->sample);
    }
}

/* ---- What came of it ------------------------------------------------------------------------- */

static const char *outcome_text(enum outcome outcome) {
    static const char *const text[OUTCOMES] = {"oracle", "referee", "no difference", "SURVIVED",
                                               "BROKEN"};
    return text[outcome];
}

static bool tell(const struct scene *scene, const struct dropped_call *dropped_call,
                 const struct verdict *verdict) {
    bool good = verdict->outcome < OUTCOME_SURVIVED;
    table.left_out[dropped_call->kind]++;
    table.outcome[dropped_call->kind][verdict->outcome]++;
    table.rule[dropped_call->kind][verdict->rule]++;
    if (!good || options.verbose)
        printf("%s: --seed %llu %s %s %llu\n    left out: %s\n    %s\n",
               outcome_text(verdict->outcome), (unsigned long long)dropped_call->seed, scene->name,
               dropped_text(dropped_call->kind), (unsigned long long)dropped_call->at,
               verdict->what, verdict->equal ? verdict->equal : verdict->text);
    return good;
}

/* Of those that were chosen each Nth. */
static void keep_share(void) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < listed; i += share())
        list[kept++] = list[i];
    listed = kept;
}

static uint32_t run_scene(const struct scene *scene) {
    struct dropped_seen seen;
    char text[640] = "";
    uint32_t failures = 0;
    if (!run_begin(scene, &seen, text, sizeof(text))) {
        printf("%s does not verify as it is: %s\n", scene->name, text);
        run_end();
        return 1;
    }
    choose(scene, &seen);
    keep_share();
    struct verdict *verdicts = calloc(listed + 1u, sizeof(*verdicts));
    if (!verdicts || !run_each(list, listed, verdicts)) {
        printf("%s cannot be run\n", scene->name);
        failures++;
        listed = 0;
    }
    for (uint32_t i = 0; i < listed; i++)
        failures += !tell(scene, &list[i], &verdicts[i]);
    free(verdicts);
    run_end();
    return failures;
}

static void print_table(void) {
    printf("%-11s %8s %8s %8s %14s %9s %7s   rules\n", "kind", "left out", "oracle", "referee",
           "no difference", "survived", "broken");
    for (int kind = 0; kind < DROPPED_KINDS; kind++) {
        const uint64_t *outcome = table.outcome[kind];
        printf("%-11s %8llu %8llu %8llu %14llu %9llu %7llu  ", dropped_text(kind),
               (unsigned long long)table.left_out[kind],
               (unsigned long long)outcome[OUTCOME_ORACLE],
               (unsigned long long)outcome[OUTCOME_REFEREE],
               (unsigned long long)outcome[OUTCOME_EQUAL],
               (unsigned long long)outcome[OUTCOME_SURVIVED],
               (unsigned long long)outcome[OUTCOME_BROKEN]);
        for (uint32_t rule = 1; rule < VIDMM_RULES_SIZE; rule++)
            if (table.rule[kind][rule] != 0)
                printf(" R%u %llu", rule, (unsigned long long)table.rule[kind][rule]);
        printf("\n");
    }
}

static bool parse(int argc, char **argv) {
    const char **names[] = {&options.scene, &options.kind, &options.at};
    size_t name = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0)
            options.full = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            options.verbose = true;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            options.seed = strtoull(argv[++i], NULL, 10);
        else if (argv[i][0] != '-' && name < sizeof(names) / sizeof(names[0]))
            *names[name++] = argv[i];
        else
            return false;
    }
    options.verbose = options.verbose || options.at;
    return true;
}

int main(int argc, char **argv) {
    uint32_t failures = 0, scenes_run = 0;
    if (!parse(argc, argv)) {
        fprintf(stderr, "dropped-calls-test [--full] [--verbose] [--seed N] [SCENE [KIND [AT]]]\n");
        return 2;
    }
    for (uint32_t i = 0; i < scene_count; i++) {
        if (options.scene && strcmp(options.scene, scenes[i].name) != 0)
            continue;
        failures += run_scene(&scenes[i]);
        scenes_run++;
    }
    free(list);
    print_table();
    return failures != 0 || scenes_run == 0;
}
