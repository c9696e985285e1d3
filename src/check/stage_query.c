/*
 * stage_query.c - unusual queries to the started driver: caps with the sizes that systems pass,
 * repeated queries, the segments, unknown types; and the children of the adapter.
 */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/interfaces.h>

#define GUARD 64u
#define ASH   0x5au
#define NEWER (sizeof(DXGK_DRIVERCAPS) + 16) /* of a system that has more to ask for */

struct caps_room { /* of answers */
    unsigned char whole[NEWER + GUARD], first[NEWER + GUARD], again[NEWER + GUARD];
};

static NTSTATUS query_ask(struct check *check, DXGKARG_QUERYADAPTERINFO *query) {
    const DRIVER_INITIALIZATION_DATA *ddi = &check->harness.spoken;
    return ddi->DxgkDdiQueryAdapterInfo(vidmm_host_adapter(check->harness.host), query);
}

static bool is_ash(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ASH)
            return false;
    return true;
}

/* One query with a zeroed buffer of exactly `size` bytes; the driver must not write behind it. */
static NTSTATUS ask_sized(struct check *check, DXGK_QUERYADAPTERINFOTYPE type, uint32_t size,
                          unsigned char *bytes) {
    memset(bytes, 0, size);
    memset(bytes + size, ASH, GUARD);
    DXGKARG_QUERYADAPTERINFO query = {.Type = type, .pOutputData = bytes, .OutputDataSize = size};
    NTSTATUS status = query_ask(check, &query);
    if (!is_ash(bytes + size, GUARD) && check->shared->ledger.broken[545] == 0)
        vidmm_ledger_judge(&check->shared->ledger, 545, VIDMM_SIDE_DRIVER, false,
                           "an answer of no more than OutputDataSize bytes",
                           "bytes behind the %u of the answer to type %d were written", size,
                           (int)type);
    return status;
}

static void same_answer(struct check *check, NTSTATUS first, NTSTATUS second, bool same_bytes) {
    vidmm_ledger_judge(&check->shared->ledger, 28, VIDMM_SIDE_DRIVER,
                       first == second && (first != STATUS_SUCCESS || same_bytes),
                       "the same answer to the same question",
                       "status 0x%08x, then 0x%08x, or other bytes", (unsigned)first,
                       (unsigned)second);
}

/* Sizes that systems pass, from that of the driver's version on, and some beyond, twice each. All of
 * it comes first, as from a system, and once more at the end: equal questions have equal answers. */
static void caps(struct check *check, struct caps_room *room) {
    static const uint32_t sizes[] = {0x150, 0x151, 0x210, 0x220, 0x228, 0x240, 0x248, NEWER};
    const uint32_t whole = sizeof(DXGK_DRIVERCAPS);
    uint32_t least = vidmm_interface_caps_size(check->shared->told.registered_version);
    check_step(check, "query: DRIVERCAPS");
    NTSTATUS status = ask_sized(check, DXGKQAITYPE_DRIVERCAPS, whole, room->whole);
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i] < least)
            continue;
        check_step(check, "query: DRIVERCAPS of %u bytes", sizes[i]);
        NTSTATUS first = ask_sized(check, DXGKQAITYPE_DRIVERCAPS, sizes[i], room->first);
        NTSTATUS second = ask_sized(check, DXGKQAITYPE_DRIVERCAPS, sizes[i], room->again);
        same_answer(check, first, second, memcmp(room->first, room->again, sizes[i]) == 0);
    }
    check_step(check, "query: DRIVERCAPS once more");
    NTSTATUS again = ask_sized(check, DXGKQAITYPE_DRIVERCAPS, whole, room->again);
    same_answer(check, status, again, memcmp(room->whole, room->again, whole) == 0);
}

/* One query with input; any answer that the rules allow is right. */
static void ask_with(struct check *check, DXGK_QUERYADAPTERINFOTYPE type, void *input,
                     uint32_t size, uint32_t out) {
    unsigned char bytes[256] = {0};
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = input,
                                      .InputDataSize = size,
                                      .pOutputData = bytes,
                                      .OutputDataSize = out};
    check_step(check, "query: type %d", (int)type);
    (void)query_ask(check, &query);
}

/* Other queries of systems that the driver's interface has; those of GPU virtual addresses only if
 * the driver has them. */
static void optional(struct check *check, const DXGK_DRIVERCAPS *caps) {
    DXGK_QUERYGPUMMUCAPSIN mmu = {.PhysicalAdapterIndex = 0};
    DXGK_QUERYPAGETABLELEVELDESCIN level = {.LevelIndex = 0};
    uint32_t precision = 0;
    uint32_t version = check->harness.spoken.Version;
    uint32_t nodes = caps->SchedulingCaps.MultiEngineAware
                         ? caps->GpuEngineTopology.NbAsymetricProcessingNodes
                         : 1;
    nodes = nodes < DXGK_MAX_ASYMETRICAL_PROCESSING_NODES ? nodes
                                                          : DXGK_MAX_ASYMETRICAL_PROCESSING_NODES;
    /* A history buffer is of a context, which a display-only driver does not have. */
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM1_3 && !check_displays_only(check))
        ask_with(check, DXGKQAITYPE_HISTORYBUFFERPRECISION, &precision, sizeof(precision),
                 nodes * (uint32_t)sizeof(DXGKARG_HISTORYBUFFERPRECISION));
    if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 || !caps->MemoryManagementCaps.GpuMmuSupported)
        return;
    ask_with(check, DXGKQAITYPE_GPUMMUCAPS, &mmu, sizeof(mmu), sizeof(DXGK_GPUMMUCAPS));
    ask_with(check, DXGKQAITYPE_PAGETABLELEVELDESC, &level, sizeof(level),
             sizeof(DXGK_PAGE_TABLE_LEVEL_DESC));
}

static void unknown(struct check *check, unsigned char *bytes) {
    static const int types[] = {0x7ffe, 0x7fff};
    for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        check_step(check, "query: unknown type %d", types[i]);
        NTSTATUS status = ask_sized(check, (DXGK_QUERYADAPTERINFOTYPE)types[i], 64, bytes);
        vidmm_ledger_judge(&check->shared->ledger, 529, VIDMM_SIDE_DRIVER, !NT_SUCCESS(status),
                           "an error for a query that no version of the interface has",
                           "status 0x%08x", (unsigned)status);
    }
}

/* What nobody filled in is TypeUninitialized. */
static bool children_whole(const DXGK_CHILD_DESCRIPTOR *child, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (child[i].ChildDeviceType == TypeUninitialized)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (child[k].ChildUid == child[i].ChildUid)
                return false;
    }
    return true;
}

static void judge_children(struct check *check, NTSTATUS status, const DXGK_CHILD_DESCRIPTOR *child,
                           uint32_t count) {
    static const DXGK_CHILD_DESCRIPTOR none;
    struct vidmm_ledger *ledger = &check->shared->ledger;
    vidmm_ledger_judge(ledger, 623, VIDMM_SIDE_DRIVER, status == STATUS_SUCCESS, "STATUS_SUCCESS",
                       "status 0x%08x of %u children", (unsigned)status, count);
    if (status != STATUS_SUCCESS)
        return;
    vidmm_ledger_judge(ledger, 623, VIDMM_SIDE_DRIVER, children_whole(child, count),
                       "a descriptor of each child, with a ChildUid of its own",
                       "not every descriptor of the %u children was filled in, or two are alike",
                       count);
    vidmm_ledger_judge(ledger, 623, VIDMM_SIDE_DRIVER,
                       memcmp(&child[count], &none, sizeof(none)) == 0,
                       "the descriptor behind those of the children left zeroed",
                       "that behind the %u of the children was written", count);
}

/* nc-dispmprt-dxgkddi_query_child_relations.md */
static void query_children(struct check *check) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    uint32_t count = vidmm_host_children(check->harness.host);
    if (count != 0)
        vidmm_ledger_judge(&check->shared->ledger, 623, VIDMM_SIDE_DRIVER,
                           table->DxgkDdiQueryChildRelations,
                           "a function that describes the children",
                           "DxgkDdiQueryChildRelations is NULL, and there are %u children", count);
    if (count != 0)
        check_step(check, "query: the children of the adapter");
    NTSTATUS status;
    DXGK_CHILD_DESCRIPTOR *child = check_children(check, &count, &status);
    if (child)
        judge_children(check, status, child, count);
    if (child && status == STATUS_SUCCESS)
        query_descriptors(check, child, count);
    free(child);
}

/* User mode chooses the size (ns-d3dkmthk-_d3dkmt_queryadapterinfo.md): whatever it is, and what is answered. */
static void private_answers(struct check *check, struct caps_room *room) {
    static const uint32_t sizes[] = {0, 1, 4, 15};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_step(check, "query: UMDRIVERPRIVATE of %u bytes", sizes[i]);
        (void)ask_sized(check, DXGKQAITYPE_UMDRIVERPRIVATE, sizes[i], room->first);
    }
}

static void ask_all(struct check *check, struct caps_room *room) {
    DXGK_DRIVERCAPS answer;
    caps(check, room);
    memcpy(&answer, room->whole, sizeof(answer));
    check_speak(check, (uint32_t)answer.WDDMVersion);
    optional(check, &answer);
    query_nodes(check, &answer);
    query_groups(check, &answer);
    query_segments(check);
    query_iommu(check, &answer);
    private_answers(check, room);
    unknown(check, room->first);
    query_children(check);
}

enum vidmm_stage_outcome stage_query(struct check *check, uint32_t number) {
    const struct check_setup setup = {.fail_at = 0};
    struct caps_room *room = malloc(sizeof(*room));
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_STOPPED;
    (void)number;
    if (!room) {
        (void)check_say(check, VIDMM_STAGE_STOPPED, "out of memory");
    } else if (check_open(check, &setup)) {
        outcome = check->harness.spoken.DxgkDdiQueryAdapterInfo
                      ? VIDMM_STAGE_DONE
                      : check_say(check, VIDMM_STAGE_SKIPPED, "the driver answers no queries");
        if (outcome == VIDMM_STAGE_DONE)
            ask_all(check, room);
    }
    check_close(check);
    free(room);
    return outcome;
}
