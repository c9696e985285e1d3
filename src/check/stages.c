/* stages.c - the stages of the conformance check, in order, each with the groups of rules that it shows. */
#include "stage.h"

#include <string.h>

const struct check_stage check_stages[] = {
    {"start", "starts and stops the driver twice", "ABCDEHIMQRSTU", 1, stage_start},
    {"query", "sends unusual queries", "ABCDEIKQU", 1, stage_query},
    {"paging", "replays a short game with little memory", "ABCDEFGHIKLMQRSTUV", 4, stage_paging},
    {"operations", "builds each paging operation directly and compares", "ABCDEFGHIKLMQRSTUV", 7,
     stage_operations},
    {"room", "builds operations and commands in buffers with little room", "ABCDEFGHIKLMQRSTUV", 4,
     stage_room},
    {"preempt", "preempts, resubmits and loses queued work", "ABCDEFGHIKLMQRSTUV", 4,
     stage_preempt},
    {"interrupts", "asks whose an interrupt is, and for fences whose interrupt is lost",
     "ABCDEFGHIKLMQRSTUV", 4, stage_interrupts},
    {"engines", "resets one engine with queued work and after a page fault", "ABCDEFHIKLMQRSTUV", 9,
     stage_engines},
    {"objects", "shares surfaces between devices", "ABCDEHIKLMQRSTUV", 2, stage_objects},
    {"failures", "fails each allocation of creations, and looks for what is left",
     "ABCDEFHIKLMQRSTUV", 2, stage_failures},
    {"locks", "locks, shares and pins surfaces, also across resets", "ABCDEFGHIKLMOQRSTUV", 2,
     stage_locks},
    {"power", "takes the adapter through standby and hibernation during a game",
     "ABCDEFGHIKLMQRSTUV", 4, stage_power},
    {"promises", "checks what flags and preferences of surfaces promise", "ABCDEFGHIKLMQRSTUV", 1,
     stage_promises},
    {"ranges", "accesses two surfaces through swizzling ranges", "ABCDEFHIKLMOQRSTUV", 2,
     stage_ranges},
    {"host-aperture", "maps pages of the CPU host aperture to scattered memory", "ABCDJQU", 1,
     stage_host_aperture},
    {"residency", "sends requests for residency, addresses and locks", "ABCDEFHIKLMOQRSTUV", 7,
     stage_residency},
    {"agp", "replays a short game through the AGP aperture", "ABCDEFGHIKMQRSTUV", 1, stage_agp},
    {"linked", "works on each of several linked physical adapters", "ABCDEFHIKLQRSTUV", 3,
     stage_linked},
    {"adapters", "works on two adapters that are not linked", "ABCDEFGHIKLMQRSTUV", 1,
     stage_adapters},
    {"large-pages", "maps, moves and splits large pages", "ABCDEFHIKLMQRSTUV", 2, stage_large},
    {"dirty", "writes memory between queries of dirty bits", "ABCDEFHIKLMQRSTUV", 2, stage_dirty},
    {"display", "sets a mode and flips between surfaces", "ABCDEFGHIKLMOQRSTUVW", 2, stage_display},
    {"migration", "migrates the adapter to itself during a game", "ABCDEFGHIKLMNQRSTUV", 2,
     stage_migration},
    {"memory", "fails an allocation in each DDI call", "ABCDEFGHIKLMQRSTUV", 1 + CHECK_FAILURES,
     stage_memory},
};
const uint32_t check_stage_count = sizeof(check_stages) / sizeof(check_stages[0]);
_Static_assert(sizeof(check_stages) / sizeof(check_stages[0]) <= VIDMM_STAGES,
               "a result has room for every stage");

bool check_stage_asked(const struct vidmm_check_options *options, const struct check_stage *stage) {
    return !options->stage || check_stage_named(options->stage, stage->name);
}

bool check_stage_idle(const struct vidmm_check_options *options, const struct check_stage *stage) {
    const struct vidmm_rule *rule = NULL;
    if (!options->only_some || options->stage)
        return false;
    while ((rule = vidmm_rule_after(rule)))
        if (options->only[rule->number] != 0 &&
            (rule->number >= VIDMM_K_FIRST || strchr(stage->groups, rule->group)))
            return false;
    return true;
}

/* The first run of stage_memory.c plans the others. */
uint32_t check_stage_runs(const struct check *check, const struct check_stage *stage) {
    return stage->run == stage_memory ? 1 + check->shared->told.failures : stage->runs;
}

bool check_stage_next(const struct check *check, const struct check_stage **stage,
                      uint32_t *number) {
    if (++*number < check_stage_runs(check, *stage))
        return true;
    *number = 0;
    while (++*stage < check_stages + check_stage_count)
        if (check_stage_asked(check->options, *stage) && !check_stage_idle(check->options, *stage))
            return true;
    return false;
}

const char *vidmm_check_stage_at(size_t index, const char **summary) {
    if (index >= check_stage_count)
        return NULL;
    if (summary)
        *summary = check_stages[index].summary;
    return check_stages[index].name;
}

const char *vidmm_check_stage_groups(size_t index) {
    return index < check_stage_count ? check_stages[index].groups : NULL;
}

/* What comes behind a name: the next one, or NULL. */
static const char *stages_after(const char *name, size_t length) {
    return name[length] == ',' ? name + length + 1 : NULL;
}

static bool stages_is(const char *name, size_t length, const char *wanted) {
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

bool check_stage_named(const char *names, const char *name) {
    for (size_t length; names; names = stages_after(names, length)) {
        length = strcspn(names, ",");
        if (stages_is(names, length, name))
            return true;
    }
    return false;
}

static bool stages_have(const char *name, size_t length) {
    for (uint32_t i = 0; i < check_stage_count; i++)
        if (stages_is(name, length, check_stages[i].name))
            return true;
    return false;
}

const char *vidmm_check_stage_unknown(const char *names, size_t *length) {
    for (; names; names = stages_after(names, *length)) {
        *length = strcspn(names, ",");
        if (!stages_have(names, *length))
            return names;
    }
    return NULL;
}
