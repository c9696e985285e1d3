/*
 * workload.c - a short game that uses all functions of a manager with little memory: surfaces of
 * all kinds, more than fit, used, read by the CPU, destroyed and created again.
 */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

#define LIVE        24u /* surfaces alive at a time */
#define EVENTS_MOST 8192u
#define LISTS_MOST  16384u

struct maker {
    struct vidmm_workload *workload;
    uint64_t dice;
    uint32_t live[LIVE]; /* allocation indices */
    uint64_t size[LIVE], bytes;
};

/* splitmix64 */
static uint32_t roll(struct maker *maker, uint32_t most) {
    uint64_t x = maker->dice += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ (x >> 31)) % most);
}

static struct vidmm_event *workload_add(struct maker *maker, enum vidmm_event_kind kind) {
    struct vidmm_event *event = &maker->workload->events[maker->workload->event_count++];
    *event = (struct vidmm_event){.kind = kind};
    return event;
}

static void allocate(struct maker *maker, uint32_t slot) {
    static const uint32_t kinds[] = {
        VIDMM_UMD_LOCAL,
        VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE,
        VIDMM_UMD_LOCAL | VIDMM_UMD_SWIZZLED,
        VIDMM_UMD_CPU_VISIBLE,
        VIDMM_UMD_LOCAL | VIDMM_UMD_EVICT_TO_APERTURE,
        VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED,
        VIDMM_UMD_LOCAL_ONLY,
        VIDMM_UMD_LOCAL | VIDMM_UMD_FROM_END,
        VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PERMANENT_SYSMEM,
    };
    struct vidmm_event *event = workload_add(maker, VIDMM_EVENT_ALLOC);
    event->allocation = maker->live[slot] = maker->workload->allocation_count++;
    event->size = (uint64_t)(1 + roll(maker, 40)) * CHECK_PAGE;
    event->umd_flags = slot == 0 ? VIDMM_UMD_LOCAL | VIDMM_UMD_PRIMARY
                                 : kinds[slot % (sizeof(kinds) / sizeof(kinds[0]))];
    maker->size[slot] = event->size;
    maker->bytes += event->size;
    if (maker->bytes > maker->workload->peak_live_bytes)
        maker->workload->peak_live_bytes = maker->bytes;
}

static void workload_drop(struct maker *maker, uint32_t slot) {
    workload_add(maker, VIDMM_EVENT_FREE)->allocation = maker->live[slot];
    maker->bytes -= maker->size[slot];
}

static void workload_touch(struct maker *maker, uint32_t slot) {
    workload_add(maker, VIDMM_EVENT_MAP)->allocation = maker->live[slot];
    workload_add(maker, VIDMM_EVENT_UNMAP)->allocation = maker->live[slot];
}

/* Reads three neighbours and writes the two after them. */
static void workload_submit(struct maker *maker, uint32_t slot) {
    struct vidmm_workload *workload = maker->workload;
    struct vidmm_event *event = workload_add(maker, VIDMM_EVENT_SUBMIT);
    event->first = (uint32_t)workload->list_count;
    event->reads = 3;
    event->writes = 2;
    for (uint32_t i = 0; i < event->reads + event->writes; i++)
        workload->lists[workload->list_count++] = maker->live[(slot + i) % LIVE];
}

static void frame(struct maker *maker, uint32_t number) {
    uint32_t start = roll(maker, LIVE);
    for (uint32_t i = 0; i < LIVE; i += 5)
        workload_submit(maker, (start + i) % LIVE);
    for (uint32_t i = 0; i < 3; i++)
        workload_touch(maker, roll(maker, LIVE));
    if (number % 3 == 2) {
        uint32_t slot = 1 + roll(maker, LIVE - 1);
        workload_drop(maker, slot);
        allocate(maker, slot);
    }
    workload_add(maker, VIDMM_EVENT_PRESENT);
}

bool check_workload(uint64_t seed, uint32_t frames, struct vidmm_workload *out) {
    struct maker maker = {.workload = out, .dice = seed};
    memset(out, 0, sizeof(*out));
    snprintf(out->name, sizeof(out->name), "conformance check");
    out->events = calloc(EVENTS_MOST, sizeof(*out->events));
    out->lists = calloc(LISTS_MOST, sizeof(*out->lists));
    out->process_count = 1;
    if (!out->events || !out->lists) {
        vidmm_workload_free(out);
        return false;
    }
    for (uint32_t slot = 0; slot < LIVE; slot++)
        allocate(&maker, slot);
    for (uint32_t i = 0; i < frames && out->event_count < EVENTS_MOST - 64; i++)
        frame(&maker, i);
    return true;
}
