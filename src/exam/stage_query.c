/*
 * stage_query.c - questions of odd shape to the started driver: caps of every size that a system
 * ever asked for and of sizes that none did, answers that must not change, and questions that it
 * cannot know.
 */
#include "exam.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 64u
#define ASH   0x5au

static NTSTATUS ask(struct exam *exam, DXGKARG_QUERYADAPTERINFO *query) {
    const DRIVER_INITIALIZATION_DATA *ddi = &exam->lab.table;
    return ddi->DxgkDdiQueryAdapterInfo(vidmm_host_adapter(exam->lab.host), query);
}

static bool is_ash(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ASH)
            return false;
    return true;
}

/* One question with room for exactly `size` bytes, zeroed, since drivers fill in what they have;
 * what lies behind them is not the driver's. */
static NTSTATUS ask_sized(struct exam *exam, DXGK_QUERYADAPTERINFOTYPE type, uint32_t size,
                          unsigned char *bytes) {
    memset(bytes, 0, size);
    memset(bytes + size, ASH, GUARD);
    DXGKARG_QUERYADAPTERINFO query = {.Type = type, .pOutputData = bytes, .OutputDataSize = size};
    NTSTATUS status = ask(exam, &query);
    if (!is_ash(bytes + size, GUARD) && exam->shared->ledger.broken[27] == 0)
        vidmm_ledger_judge(&exam->shared->ledger, 27, VIDMM_SIDE_DRIVER, false,
                           "an answer of no more than OutputDataSize bytes",
                           "bytes behind the %u of the answer to type %d were written", size,
                           (int)type);
    return status;
}

/* Each size twice: the same question has the same answer. */
static void caps(struct exam *exam, unsigned char *bytes, unsigned char *again) {
    static const uint32_t sizes[] = {0,
                                     1,
                                     4,
                                     0x100,
                                     0x14f,
                                     0x150,
                                     0x151,
                                     0x210,
                                     0x220,
                                     0x228,
                                     0x240,
                                     0x248,
                                     sizeof(DXGK_DRIVERCAPS)};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        exam_step(exam, "query: DRIVERCAPS of %u bytes", sizes[i]);
        NTSTATUS first = ask_sized(exam, DXGKQAITYPE_DRIVERCAPS, sizes[i], bytes);
        NTSTATUS second = ask_sized(exam, DXGKQAITYPE_DRIVERCAPS, sizes[i], again);
        bool same =
            first == second && (first != STATUS_SUCCESS || memcmp(bytes, again, sizes[i]) == 0);
        vidmm_ledger_judge(&exam->shared->ledger, 28, VIDMM_SIDE_DRIVER, same,
                           "the same answer to the same question",
                           "status 0x%08x, then 0x%08x, or other bytes", (unsigned)first,
                           (unsigned)second);
    }
}

/* One question with input, whose answer may be anything that the rules allow. */
static void ask_with(struct exam *exam, DXGK_QUERYADAPTERINFOTYPE type, void *input, uint32_t size,
                     uint32_t out) {
    unsigned char bytes[256] = {0};
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = input,
                                      .InputDataSize = size,
                                      .pOutputData = bytes,
                                      .OutputDataSize = out};
    exam_step(exam, "query: type %d", (int)type);
    (void)ask(exam, &query);
}

/* What systems ask besides; of GPU virtual addresses only those who have them. */
static void optional(struct exam *exam, const DXGK_DRIVERCAPS *caps) {
    DXGK_QUERYGPUMMUCAPSIN mmu = {.PhysicalAdapterIndex = 0};
    DXGK_QUERYPAGETABLELEVELDESCIN level = {.LevelIndex = 0};
    uint32_t precision = 0;
    ask_with(exam, DXGKQAITYPE_HISTORYBUFFERPRECISION, &precision, sizeof(precision),
             sizeof(DXGKARG_HISTORYBUFFERPRECISION));
    if (!caps->MemoryManagementCaps.GpuMmuSupported)
        return;
    ask_with(exam, DXGKQAITYPE_GPUMMUCAPS, &mmu, sizeof(mmu), sizeof(DXGK_GPUMMUCAPS));
    ask_with(exam, DXGKQAITYPE_PAGETABLELEVELDESC, &level, sizeof(level),
             sizeof(DXGK_PAGE_TABLE_LEVEL_DESC));
}

static void unknown(struct exam *exam, unsigned char *bytes) {
    static const int types[] = {0x7ffe, 0x7fff};
    for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        exam_step(exam, "query: unknown type %d", types[i]);
        (void)ask_sized(exam, (DXGK_QUERYADAPTERINFOTYPE)types[i], 64, bytes);
    }
}

enum vidmm_stage_outcome stage_query(struct exam *exam, uint32_t number) {
    const struct exam_world world = {.fail_at = 0};
    size_t room = sizeof(DXGK_DRIVERCAPS) + 0x400 + GUARD;
    unsigned char *bytes = malloc(room), *again = malloc(room);
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_STOPPED;
    (void)number;
    if (bytes == NULL || again == NULL) {
        (void)exam_say(exam, VIDMM_STAGE_STOPPED, "out of memory");
    } else if (exam_open(exam, &world)) {
        outcome = VIDMM_STAGE_SKIPPED;
        if (exam->lab.table.DxgkDdiQueryAdapterInfo == NULL)
            (void)exam_say(exam, outcome, "the driver answers no queries");
        else {
            DXGK_DRIVERCAPS answer;
            caps(exam, bytes, again);
            memcpy(&answer, bytes, sizeof(answer)); /* the last size was all of it */
            optional(exam, &answer);
            query_iommu(exam, &answer);
            unknown(exam, bytes);
            outcome = VIDMM_STAGE_DONE;
        }
    }
    exam_close(exam);
    free(bytes);
    free(again);
    return outcome;
}
