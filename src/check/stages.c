/* stages.c - the stages of the conformance check, in order. */
#include "stage.h"

const struct check_stage check_stages[] = {
    {"start", "comes up and goes down, twice", 1, stage_start},
    {"query", "answers questions of odd shape", 1, stage_query},
    {"paging", "pages for a short game with little memory", 3, stage_paging},
    {"operations", "builds every paging operation by hand and compares", 3, stage_operations},
    {"room", "builds into what little room a paging buffer has left", 2, stage_room},
    {"preempt", "has queued paging work preempted, submitted again and lost", 2, stage_preempt},
    {"engines", "resets one engine, with work queued and after a page fault", 2, stage_engines},
    {"objects", "shares surfaces between devices that come and go", 1, stage_objects},
    {"locks", "locks, shares, pins and resets surfaces of every kind", 2, stage_locks},
    {"promises", "holds flags and preferences of surfaces to their word", 1, stage_promises},
    {"ranges", "looks at two surfaces through swizzling ranges at once", 1, stage_ranges},
    {"host-aperture", "leads pages of the CPU host aperture to scattered memory", 1,
     stage_host_aperture},
    {"residency", "asks for residency, addresses and locks as user mode does", 4, stage_residency},
    {"agp", "pages for a short game through the AGP aperture", 1, stage_agp},
    {"dirty", "writes memory between questions for dirty bits", 1, stage_dirty},
    {"migration", "moves the adapter to itself in the middle of a game", 2, stage_migration},
    {"memory", "runs out of memory in every call", 1 + CHECK_FAILURES, stage_memory},
};
const uint32_t check_stage_count = sizeof(check_stages) / sizeof(check_stages[0]);
_Static_assert(sizeof(check_stages) / sizeof(check_stages[0]) <= VIDMM_STAGES,
               "a result has room for all stages");

const char *vidmm_check_stage_at(size_t index, const char **summary) {
    if (index >= check_stage_count)
        return NULL;
    if (summary)
        *summary = check_stages[index].summary;
    return check_stages[index].name;
}
