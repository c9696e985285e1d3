/*
 * stage_operations.c - paging operations by hand: transfers in one piece and in many with every
 * offset, fills back to back through paging buffers that run full, maps in pieces, unmaps and
 * remaps. What must come of them is compared byte by byte.
 */
#include "hand.h"

#include <string.h>

#define PAGES 16u /* that an operation moves */
#define FIRST 3u  /* page of the source that it begins with */
#define PLACE 5u  /* page of the target */

/* ---- Transfers ------------------------------------------------------------------------------- */

static void transfers(struct hand *hand) {
    static const uint32_t chunks[] = {HAND_PAGES, 1, 3, 7, 16};
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        exam_step(hand->exam, "operations: transfers of %u pages", chunks[i]);
        hand_paint(hand, hand->source, 2 * i);
        hand_paint(hand, hand->target, 2 * i + 1);
        if (!hand_move(hand, true, chunks[i]) || !hand_move(hand, false, HAND_PAGES))
            return;
        hand_judge(hand, chunks[i] == HAND_PAGES ? 161 : 176, hand_same(hand),
                   "the bytes of the source pages at the same offsets of the allocation",
                   "other bytes after a transfer in and out");
        hand_paint(hand, hand->target, 2 * i + 1);
        if (!hand_move(hand, false, chunks[i]))
            return;
        hand_judge(hand, chunks[i] == HAND_PAGES ? 161 : 177, hand_same(hand),
                   "the bytes of the allocation in the pages from MdlOffset on",
                   "other bytes after a transfer out in pieces");
    }
}

/* ---- Fills ----------------------------------------------------------------------------------- */

/* Everything once, as for a new allocation. */
static void first_fill(struct hand *hand) {
    const uint32_t pattern = 0x11c0ffeeu;
    if (hand->allocation == NULL)
        return; /* a fill needs one */
    exam_step(hand->exam, "operations: a fill");
    if (!hand_fill(hand, 0, HAND_PAGES, pattern) || !hand_flush(hand) ||
        !hand_move(hand, false, HAND_PAGES))
        return;
    bool good = true;
    for (uint32_t page = 0; page < HAND_PAGES; page++)
        good = good && hand_filled(hand, page, pattern);
    hand_judge(hand, 188, good, "FillSize bytes of the 32-bit pattern",
               "other bytes after a fill and a transfer out");
}

/* One after the other into the same buffer, until it has run full some times. */
static void many_fills(struct hand *hand) {
    const uint32_t rounds = 32;
    if (hand->allocation == NULL)
        return;
    exam_step(hand->exam, "operations: fills back to back");
    for (uint32_t i = 0; i < rounds * HAND_PAGES; i++)
        if (!hand_fill(hand, i % HAND_PAGES, 1, 0x01010101u * (i % 251)))
            return;
    if (!hand_flush(hand) || !hand_move(hand, false, HAND_PAGES))
        return;
    bool good = true;
    for (uint32_t page = 0; page < HAND_PAGES; page++)
        good = good &&
               hand_filled(hand, page, 0x01010101u * (((rounds - 1) * HAND_PAGES + page) % 251));
    hand_judge(hand, 154, good, "each of the operations in the buffer done once",
               "other bytes after fills back to back");
}

/* ---- The aperture ---------------------------------------------------------------------------- */

/* From memory into the aperture: it arrives in the pages that are mapped there. */
static bool move_through(struct hand *hand, uint32_t page) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = DXGK_OPERATION_TRANSFER};
    args.Transfer.TransferSize = (SIZE_T)PAGES * EXAM_PAGE;
    args.Transfer.Source.SegmentId = hand->memory.id;
    args.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)hand_memory_at(hand, FIRST);
    args.Transfer.Destination.SegmentId = hand->aperture.id;
    args.Transfer.Destination.SegmentAddress.QuadPart =
        (LONGLONG)(hand->aperture.base + (uint64_t)page * EXAM_PAGE);
    args.Transfer.Flags.TransferStart = 1;
    args.Transfer.Flags.TransferEnd = 1;
    return hand_build(hand, &args) && hand_flush(hand);
}

static bool arrived(struct hand *hand) {
    for (uint32_t page = 0; page < PAGES; page++)
        if (memcmp(hand_page(hand, hand->source, FIRST + page),
                   hand_page(hand, hand->target, PLACE + page), EXAM_PAGE) != 0)
            return false;
    return true;
}

/* PAGES pages of the target from PLACE on, mapped in pieces of `chunk` at aperture page `page`. */
static bool map_round(struct hand *hand, uint32_t page, uint32_t chunk) {
    exam_step(hand->exam, "operations: maps of %u pages at page %u", chunk, page);
    hand_paint(hand, hand->target, page + chunk);
    for (uint32_t at = 0; at < PAGES; at += chunk) {
        uint32_t pages = PAGES - at < chunk ? PAGES - at : chunk;
        if (!hand_map(hand, &hand->aperture, page + at, pages, hand->target, PLACE + at))
            return false;
    }
    if (!hand_flush(hand) || !move_through(hand, page))
        return false;
    hand_judge(hand, 194, arrived(hand), "aperture pages that lead to PFN[MdlOffset + i]",
               "other bytes in the pages that are mapped");
    return hand_unmap(hand, &hand->aperture, page, PAGES) && hand_flush(hand);
}

static void apertures(struct hand *hand) {
    static const uint32_t chunks[] = {PAGES, 1, 5};
    if (hand->aperture.id == 0)
        return;
    hand_paint(hand, hand->source, 99);
    if (!hand_move(hand, true, HAND_PAGES))
        return;
    for (uint32_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++)
        if (!map_round(hand, 2 * i, chunks[i]))
            return;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static void physical(struct hand *hand) {
    exam_step(hand->exam, "operations: READ_PHYSICAL, WRITE_PHYSICAL");
    if (hand_touch(hand, 1, false) && hand_touch(hand, HAND_PAGES + 1, true))
        (void)hand_flush(hand);
}

static void discard(struct hand *hand) {
    if (hand->allocation == NULL)
        return;
    exam_step(hand->exam, "operations: DISCARD_CONTENT");
    if (hand_discard(hand))
        (void)hand_flush(hand);
}

/* An operation that no system has asked for yet: the driver lets it be. */
static void unknown(struct hand *hand) {
    DXGKARG_BUILDPAGINGBUFFER args = {.Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)0x7fff};
    if (hand->refused)
        return;
    exam_step(hand->exam, "operations: an unknown one");
    args.hSystemContext = hand->context;
    args.pDmaBuffer = hand->cpu;
    args.DmaSize = hand->info.paging_size;
    args.pDmaBufferPrivateData = hand->private_data;
    args.DmaBufferPrivateDataSize = hand->info.paging_private;
    NTSTATUS status = hand->ddi->DxgkDdiBuildPagingBuffer(hand->adapter, &args);
    bool kept = status == STATUS_SUCCESS && args.pDmaBuffer == (void *)hand->cpu;
    hand->refused = !kept; /* nobody knows what would become of the buffer */
    vidmm_ledger_judge(&hand->exam->shared->ledger, 167, VIDMM_SIDE_DRIVER, kept,
                       "STATUS_SUCCESS and nothing written", "status 0x%08x and %lld bytes",
                       (unsigned)status, (long long)((unsigned char *)args.pDmaBuffer - hand->cpu));
}

enum vidmm_stage_outcome stage_operations(struct exam *exam, uint32_t number) {
    static const struct exam_world worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20},
                      {"PagingBufferBytes", EXAM_PAGE},
                      {"PagingPrivateBytes", 64},
                      {"BusyEvery", 2}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"PagingBufferSegment", 1}}},
    };
    struct hand hand;
    exam_step(exam, "operations: run %u", number + 1);
    if (!exam_open(exam, &worlds[number]))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = hand_open(&hand, exam);
    if (opened != VIDMM_STAGE_DONE)
        return opened;
    first_fill(&hand);
    transfers(&hand);
    apertures(&hand);
    many_fills(&hand);
    physical(&hand);
    discard(&hand);
    unknown(&hand);
    return hand_close(&hand);
}
