/*
 * oracle_ops.c - the oracle as the adapter's observer: compares paging operations with the
 * versions.
 *
 * After each operation that moves content the bytes at its destination are compared page by page.
 * If a page is wrong and differs from its source, the operation is wrong; if it equals its source,
 * an earlier write is (a render, a CPU write).
 */
#include "oracle.h"

#include <stdio.h>
#include <string.h>

#include <vidmm/virtual.h>

#define PAGE VIDMM_PATTERN_PAGE

/* ---- Looking at bytes ------------------------------------------------------------------------ */

const void *oracle_system_page(const struct oracle *oracle, PMDL mdl, uint64_t page) {
    if (!mdl)
        return NULL;
    const PFN_NUMBER *pfns = MmGetMdlPfnArray(mdl);
    return vidmm_host_memory(oracle->host, (uint64_t)pfns[page] * PAGE, PAGE);
}

/* One side of an operation. */
struct side {
    struct oracle_allocation *allocation;
    const struct vidmm_op *op;
    const struct vidmm_place *place;
};

/*
 * A page of an allocation whose pages may lie anywhere in its segment. Its old memory may already
 * belong to another allocation.
 */
static const void *scattered_page(const struct side *side, uint64_t page) {
    struct oracle *oracle = side->allocation->oracle;
    uint64_t offset;
    if (vidmm_allocation_page(side->op->allocation, page, &offset) != side->place->segment)
        return NULL;
    uint32_t segment = side->place->segment;
    return oracle_segment_bytes(oracle, segment, oracle->segment_base[segment] + offset, PAGE);
}

/*
 * Page `i` of the operation at that side, in linear order; NULL: the model has no peek(). For an
 * aperture the allocation's own system pages are read directly, because judge_mapping checks that
 * the aperture maps them.
 */
static const void *side_page(const struct side *side, uint64_t i, unsigned char *scratch) {
    struct oracle *oracle = side->allocation->oracle;
    uint32_t segment = side->place->segment;
    uint64_t page = side->op->at / PAGE + i;
    if (segment == 0)
        return oracle_system_page(oracle, side->place->mdl, side->place->mdl_page + i);
    if (segment > ORACLE_SEGMENTS)
        return NULL;
    if (oracle->segment_aperture[segment])
        return oracle_system_page(oracle, vidmm_allocation_backing(side->op->allocation), page);
    if (side->allocation->pitch == ORACLE_OPAQUE)
        return NULL;
    if (vidmm_op_address(side->op->kind) == VIDMM_ADDRESS_VIRTUAL)
        return scattered_page(side, page);
    uint64_t address = oracle->segment_base[segment] + side->place->offset;
    if (side->allocation->pitch != 0)
        return oracle_tiled_page(side->allocation, segment, address - side->op->at, page, scratch);
    return oracle_segment_bytes(oracle, segment, address + i * PAGE, PAGE);
}

/* ---- Judging --------------------------------------------------------------------------------- */

/*
 * Compares the source of a wrong page. All operations of a paging buffer are done when the observer
 * is called for the first one, so the source memory may already have other content: then the
 * operation is blamed until the GPU reports that the page was wrong before (oracle_gpu_result).
 */
enum verdict { VERDICT_GUILTY, VERDICT_SUSPECT, VERDICT_FAITHFUL };

/* What was wrong before an operation moved it. */
static void blame_writer(const struct oracle_allocation *allocation, char *text, size_t size) {
    if (allocation->by_cpu)
        snprintf(text, size, "what the CPU wrote there went wrong");
    else if (allocation->drawn != 0)
        snprintf(text, size,
                 "what the GPU drew in event %llu, by the addresses in its DMA buffer, went wrong",
                 (unsigned long long)allocation->drawn);
    else
        snprintf(text, size, "something that was rendered or written by the CPU went wrong");
}

/* A wrong page at the destination. */
static void blame(const struct side *to, uint64_t page, uint32_t byte, uint32_t wrong,
                  enum verdict verdict, uint64_t buffer) {
    struct oracle *oracle = to->allocation->oracle;
    bool faithful = verdict == VERDICT_FAITHFUL;
    if (!oracle_note(to->allocation, (uint32_t)page, byte, wrong))
        return;
    oracle->certain = verdict != VERDICT_SUSPECT;
    struct vidmm_mismatch *first = &oracle->first;
    first->by_op = !faithful;
    first->certain = oracle->certain;
    first->op = to->op->kind;
    first->paging_buffer = buffer;
    if (faithful) {
        char writer[96];
        blame_writer(to->allocation, writer, sizeof(writer));
        snprintf(first->text, sizeof(first->text),
                 "byte %u of page %llu of allocation %u was wrong before %s in paging buffer %llu "
                 "moved it, event %llu: %s",
                 byte, (unsigned long long)page, first->allocation, vidmm_op_name(to->op->kind),
                 (unsigned long long)buffer, (unsigned long long)first->event, writer);
    } else {
        snprintf(first->text, sizeof(first->text),
                 "byte %u of page %llu of allocation %u is wrong after %s in paging buffer %llu, "
                 "event %llu",
                 byte, (unsigned long long)page, first->allocation, vidmm_op_name(to->op->kind),
                 (unsigned long long)buffer, (unsigned long long)first->event);
    }
}

/* `wrong`: the bytes at the destination of page `i`. */
static enum verdict judge_source(const struct side *from, uint64_t i, const void *wrong) {
    unsigned char scratch[PAGE];
    uint32_t first;
    if (!from)
        return VERDICT_GUILTY; /* FILL has no source */
    const void *source = side_page(from, i, scratch);
    if (!source)
        return VERDICT_SUSPECT;
    /* Both places may be zero for other reasons. */
    if (memcmp(source, wrong, PAGE) == 0)
        return vidmm_pattern_check(wrong, 0) == PAGE ? VERDICT_SUSPECT : VERDICT_FAITHFUL;
    uint32_t page = (uint32_t)(from->op->at / PAGE + i);
    bool right = oracle_wrong_bytes(from->allocation, page, source, &first) == 0;
    return right ? VERDICT_GUILTY : VERDICT_SUSPECT;
}

/* In a memory segment, and tiled as the driver likes. */
static bool is_own_tiles(const struct side *side) {
    const struct oracle_allocation *allocation = side->allocation;
    uint32_t segment = side->place->segment;
    return allocation->oracle->own_tiles && allocation->pitch != 0 &&
           allocation->pitch != ORACLE_OPAQUE && segment != 0 && segment <= ORACLE_SEGMENTS &&
           !allocation->oracle->segment_aperture[segment] &&
           vidmm_op_address(side->op->kind) != VIDMM_ADDRESS_VIRTUAL;
}

/* A part may lie anywhere in its surface: all of it is compared behind the last one. */
static void judge_own_tiles(const struct side *to, uint64_t buffer) {
    struct oracle_allocation *allocation = to->allocation;
    struct oracle *oracle = allocation->oracle;
    uint64_t bytes = (uint64_t)allocation->pages * PAGE;
    uint64_t address = oracle->segment_base[to->place->segment] + to->place->offset - to->op->at;
    if (to->op->at + to->op->size != bytes)
        return;
    enum oracle_words words = oracle_words(allocation, to->place->segment, address);
    oracle->verified_bytes += words == ORACLE_WORDS_UNSEEN ? 0 : bytes;
    if (words != ORACLE_WORDS_WRONG)
        return;
    bool is_first = oracle_note(allocation, 0, 0, PAGE);
    for (uint32_t page = 0; page < allocation->pages; page++)
        allocation->versions[page] = ORACLE_UNKNOWN;
    if (!is_first)
        return;
    oracle->certain = true;
    oracle->first.by_op = oracle->first.certain = true;
    oracle->first.op = to->op->kind;
    oracle->first.paging_buffer = buffer;
    snprintf(oracle->first.text, sizeof(oracle->first.text),
             "the tiled surface of allocation %u has other words, in whatever order, after %s, the "
             "last of it in paging buffer %llu, event %llu",
             allocation->index, vidmm_op_name(to->op->kind), (unsigned long long)buffer,
             (unsigned long long)oracle->event);
}

static void judge_moved(const struct side *from, const struct side *to, uint64_t buffer) {
    unsigned char scratch[PAGE];
    struct oracle *oracle = to->allocation->oracle;
    if (is_own_tiles(to)) {
        judge_own_tiles(to, buffer);
        return;
    }
    for (uint64_t i = 0; i < to->op->size / PAGE; i++) {
        uint64_t page = to->op->at / PAGE + i;
        uint32_t first;
        if (page >= to->allocation->pages)
            return;
        const void *bytes = side_page(to, i, scratch);
        if (!bytes || to->allocation->versions[page] == ORACLE_UNKNOWN)
            continue;
        oracle->verified_bytes += PAGE;
        uint32_t wrong = oracle_wrong_bytes(to->allocation, (uint32_t)page, bytes, &first);
        if (wrong != 0)
            blame(to, page, first, wrong, judge_source(from, i, bytes), buffer);
    }
}

static void blame_unmap(struct oracle_allocation *allocation, const struct vidmm_op *op,
                        uint64_t page, uint64_t buffer) {
    const struct side aperture = {allocation, op, &op->from};
    blame(&aperture, page, 0, PAGE, VERDICT_GUILTY, buffer);
}

/*
 * An UNMAP is wrong if the aperture still maps the page afterwards, unless the same plan mapped the
 * allocation there again, which the observer gets next (forget_kept). During another thread's plan
 * an allocation counts as resident at its old place: then the page cannot be judged yet.
 */
void oracle_judge_kept(struct oracle *oracle) {
    for (uint32_t i = 0; i < oracle->kept_count; i++) {
        const struct oracle_kept *kept = &oracle->kept[i];
        struct vidmm_allocation_info info;
        vidmm_allocation_info(kept->handle, &info);
        if (info.segment == kept->segment && info.offset + kept->at == kept->offset)
            continue;
        const struct vidmm_op op = {
            .kind = VIDMM_OP_UNMAP, .allocation = kept->handle, .at = kept->at};
        blame_unmap(vidmm_allocation_user(kept->handle), &op, kept->page, kept->buffer);
    }
    oracle->kept_count = 0;
}

static void judge_kept_page(const struct side *aperture, uint64_t page, uint64_t buffer) {
    struct oracle *oracle = aperture->allocation->oracle;
    if (aperture->allocation->leaving)
        blame_unmap(aperture->allocation, aperture->op, page, buffer);
    else if (oracle->kept_count < ORACLE_KEPT)
        oracle->kept[oracle->kept_count++] =
            (struct oracle_kept){.handle = aperture->op->allocation,
                                 .segment = aperture->place->segment,
                                 .offset = aperture->place->offset,
                                 .at = aperture->op->at,
                                 .page = page,
                                 .buffer = buffer};
}

/* This MAP or UNMAP changed the same pages: an earlier UNMAP does not matter any more. */
static void forget_kept(struct oracle *oracle, const struct side *aperture) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < oracle->kept_count; i++) {
        const struct oracle_kept *kept = &oracle->kept[i];
        if (kept->handle != aperture->op->allocation || kept->segment != aperture->place->segment ||
            kept->offset != aperture->place->offset)
            oracle->kept[left++] = *kept;
    }
    oracle->kept_count = left;
}

/*
 * After MAP each page of the aperture must lead to its page of the allocation, after UNMAP to
 * another. The addresses are compared, not the content, because the GPU uses the same entry.
 */
static void judge_mapping(const struct side *aperture, uint64_t buffer) {
    struct oracle *oracle = aperture->allocation->oracle;
    const struct vidmm_place *place = aperture->place;
    bool map = aperture->op->kind == VIDMM_OP_MAP;
    PMDL mdl = vidmm_allocation_backing(aperture->op->allocation);
    forget_kept(oracle, aperture);
    for (uint64_t i = 0; i < aperture->op->size / PAGE; i++) {
        uint64_t page = aperture->op->at / PAGE + i;
        uint64_t address = oracle->segment_base[place->segment] + place->offset + i * PAGE;
        const void *shown = oracle_segment_bytes(oracle, place->segment, address, PAGE);
        if (!shown || page >= aperture->allocation->pages)
            continue;
        const void *own = oracle_system_page(oracle, mdl, page);
        oracle->verified_bytes += PAGE;
        if (map && shown != own)
            blame(aperture, page, 0, PAGE, VERDICT_GUILTY, buffer);
        else if (!map && shown == own) {
            judge_kept_page(aperture, page, buffer);
            return; /* one page is enough */
        }
    }
}

static void judge(struct oracle_allocation *allocation, const struct vidmm_op *op,
                  uint64_t buffer) {
    const struct side from = {allocation, op, &op->from}, to = {allocation, op, &op->to};
    const struct side *aperture = op->to.segment != 0 ? &to : &from;
    switch (vidmm_op_effect(op->kind)) {
    case VIDMM_EFFECT_COPY:
        judge_moved(&from, &to, buffer);
        break;
    case VIDMM_EFFECT_FILL:
        judge_moved(NULL, &to, buffer);
        break;
    case VIDMM_EFFECT_APERTURE:
        if (aperture->place->segment != 0 && aperture->place->segment <= ORACLE_SEGMENTS)
            judge_mapping(aperture, buffer);
        break;
    case VIDMM_EFFECT_NONE:
    case VIDMM_EFFECT_PAGE_TABLE:
        break;
    }
}

/* ---- The observer ---------------------------------------------------------------------------- */

static void op_done(void *ctx, const struct vidmm_op *op, uint64_t first_buffer,
                    uint64_t last_buffer) {
    struct oracle *oracle = ctx;
    struct oracle_allocation *allocation =
        !op->allocation ? NULL : vidmm_allocation_user(op->allocation);
    (void)first_buffer;
    /* Only whole pages have a pattern; the manager moves whole pages. */
    if (oracle->blind || !allocation || (op->at | op->size) % PAGE != 0)
        return;
    if (allocation->device && vidmm_device_lost(allocation->device))
        return;
    pthread_mutex_lock(&oracle->lock);
    if (oracle->host)
        judge(allocation, op, last_buffer);
    pthread_mutex_unlock(&oracle->lock);
}

static void content_lost(void *ctx, struct vidmm_allocation *lost) {
    struct oracle *oracle = ctx;
    struct oracle_allocation *allocation = vidmm_allocation_user(lost);
    pthread_mutex_lock(&oracle->lock);
    oracle->lost++;
    if (allocation) {
        allocation->lost++;
        for (uint32_t page = 0; page < allocation->pages; page++)
            allocation->versions[page] = ORACLE_UNKNOWN;
    }
    pthread_mutex_unlock(&oracle->lock);
}

void oracle_observe(struct oracle *oracle, struct vidmm_observer *observer) {
    *observer =
        (struct vidmm_observer){.ctx = oracle, .op_done = op_done, .content_lost = content_lost};
}
