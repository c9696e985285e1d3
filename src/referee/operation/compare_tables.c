/*
 * compare_tables.c - what the tables say against what the GPU makes of it: at chosen addresses the
 * hardware model is asked where they lead (struct vidmm_referee_world.translate).
 *
 * A wrong answer from the tables names the rule of the operation that wrote them, unless it is
 * wrong in a way that tells more: the start of the segment was not counted, or counted twice
 * (R223), or a page that reads as zero leads to memory (R221, and R516 if that is zero). A wrong
 * answer from a TLB means something only after a flush. The hardware may be ahead of what it
 * reported complete: an address is left alone as long as anything is under way that changes an entry
 * on its way. What was found wrong once is not known any more, so that it is named once.
 */
#include <stdio.h>
#include <string.h>

#include "state/judge.h"
#include "operation/table.h"

#define SAMPLES 4u /* random addresses in a range */

static uint64_t compare_random_below(struct vidmm_referee *referee, uint64_t limit) {
    referee->tables.random ^= referee->tables.random << 13;
    referee->tables.random ^= referee->tables.random >> 7;
    referee->tables.random ^= referee->tables.random << 17;
    return referee->tables.random % limit;
}

struct compared {
    const struct tables_process *process;
    uint64_t va;
    struct tables_found want;
    struct vidmm_referee_translation found;
};

static uint64_t compare_wanted_address(struct vidmm_referee *referee,
                                       const struct compared *compared) {
    return tables_gpu_address(referee, compared->want.segment, compared->want.offset);
}

static bool compare_same_rights(const struct compared *compared) {
    const DXGK_PTE *entry = &compared->want.entry;
    return (bool)entry->ReadOnly == compared->found.read_only &&
           (bool)entry->NoExecute == compared->found.no_execute;
}

static bool compare_agree(struct vidmm_referee *referee, const struct compared *compared) {
    const struct tables_found *want = &compared->want;
    const struct vidmm_referee_translation *found = &compared->found;
    if (want->valid != found->valid)
        return false;
    if (!want->valid)
        return true;
    if (want->zero || found->zero)
        return want->zero == found->zero;
    return compare_wanted_address(referee, compared) == found->address &&
           compare_same_rights(compared);
}

/* The page is right, counted from a wrong start. */
static bool compare_wrong_start(struct vidmm_referee *referee, const struct compared *compared) {
    const struct shadow_segment *segment = shadow_segment(referee, compared->want.segment);
    const struct vidmm_referee_translation *found = &compared->found;
    uint32_t physical = linked_physical(compared->want.segment);
    return segment && segment->base != 0 && compared->want.valid && !compared->want.zero &&
           found->valid && !found->zero &&
           (found->address == linked_address(physical, compared->want.offset) ||
            found->address == shadow_address(segment, segment->base + compared->want.offset));
}

/* The page is right but for the bits of its offset beyond 32. */
static bool compare_cut(struct vidmm_referee *referee, const struct compared *compared) {
    const struct shadow_segment *segment = shadow_segment(referee, compared->want.segment);
    const struct vidmm_referee_translation *found = &compared->found;
    return segment && compared->want.offset > UINT32_MAX && compared->want.valid &&
           !compared->want.zero && found->valid && !found->zero &&
           found->address == shadow_address(segment, (uint32_t)compared->want.offset);
}

static bool compare_shown(struct vidmm_referee *referee, uint64_t address) {
    return world_peek(referee, address & ~(uint64_t)(SHADOW_PAGE - 1), SHADOW_PAGE);
}

/* The page is one of memory, and BaseAddress of the segment leads to where there is none. */
static bool compare_wrong_base(struct vidmm_referee *referee, const struct compared *compared) {
    const struct shadow_segment *segment = shadow_segment(referee, compared->want.segment);
    const struct vidmm_referee_translation *found = &compared->found;
    if (!segment || segment->flags.Aperture || !compared->want.valid || compared->want.zero ||
        !found->valid || found->zero)
        return false;
    return compare_shown(referee, found->address) &&
           !compare_shown(referee, compare_wanted_address(referee, compared));
}

/* The hardware model shows memory of some segment. */
static bool compare_shows_any(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id))
        if (!shadow_segment(referee, id)->flags.Aperture &&
            compare_shown(referee, tables_gpu_address(referee, id, 0)))
            return true;
    return false;
}

/* Nothing is found, and the root page table is where BaseAddress of its segment leads to no memory. */
static bool compare_wrong_root(struct vidmm_referee *referee, const struct compared *compared) {
    const D3DGPU_PHYSICAL_ADDRESS *root = &compared->process->root;
    const struct shadow_segment *segment = shadow_segment(referee, root->SegmentId);
    return segment && !segment->flags.Aperture && compared->want.valid && !compared->found.valid &&
           !compare_shown(referee,
                          tables_gpu_address(referee, root->SegmentId, root->SegmentOffset)) &&
           compare_shows_any(referee);
}

static bool compare_ask(struct vidmm_referee *referee, struct compared *compared) {
    const struct tables_process *process = compared->process;
    uint64_t root =
        tables_gpu_address(referee, process->root.SegmentId, process->root.SegmentOffset);
    if (!world_translate(referee, process->physical, root, process->root_entries, compared->va,
                         &compared->found))
        return false;
    if (compared->want.segment == 0) /* each sees the same system memory */
        compared->found.address = linked_address_own(compared->found.address);
    return true;
}

static void compare_describe(struct vidmm_referee *referee, const struct compared *compared,
                             char *text, size_t size) {
    const struct tables_found *want = &compared->want;
    const struct vidmm_referee_translation *found = &compared->found;
    int at = snprintf(text, size, "address 0x%llx ", LLU(compared->va));
    if (at < 0 || (size_t)at >= size)
        return;
    if (!found->valid)
        snprintf(text + at, size - (size_t)at, "is a fault%s", found->cached ? " by a TLB" : "");
    else if (found->zero)
        snprintf(text + at, size - (size_t)at, "reads as zero");
    else
        snprintf(text + at, size - (size_t)at, "leads to 0x%llx%s%s%s", LLU(found->address),
                 found->read_only ? ", read-only" : "", found->no_execute ? ", no-execute" : "",
                 found->cached ? ", by a TLB" : "");
    size_t used = strlen(text);
    if (!want->valid)
        snprintf(text + used, size - used, "; its entry is invalid");
    else if (want->zero)
        snprintf(text + used, size - used, "; its entry has Zero");
    else
        snprintf(text + used, size - used, "; its entry leads to 0x%llx (segment %u)%s%s",
                 LLU(compare_wanted_address(referee, compared)), want->segment,
                 want->entry.ReadOnly ? ", ReadOnly" : "",
                 want->entry.NoExecute ? ", NoExecute" : "");
    used = strlen(text);
    if (want->valid && want->entry.CacheCoherent && !found->coherent)
        snprintf(text + used, size - used, ", CacheCoherent, and it is not snooped");
    used = strlen(text);
    if (want->table && want->table->place.SegmentId != 0 &&
        want->table->place.SegmentOffset > UINT32_MAX)
        snprintf(text + used, size - used, "; its table is behind 4 GiB, at 0x%llx of segment %u",
                 LLU(want->table->place.SegmentOffset), want->table->place.SegmentId);
}

#define WANTED "the translation that the entries give"

static void compare_judge_base(struct vidmm_referee *referee, const struct compared *compared,
                               bool good, const char *found) {
    const D3DGPU_PHYSICAL_ADDRESS *root = &compared->process->root;
    if (compared->found.valid)
        DRIVER_MUST(39, good, "memory where BaseAddress of the segment says that it is", "%s",
                    found);
    else
        DRIVER_MUST(39, good, "memory where BaseAddress of the segment says that it is",
                    "%s; the root page table is at 0x%llx (segment %u), where the hardware model "
                    "shows no memory",
                    found, LLU(tables_gpu_address(referee, root->SegmentId, root->SegmentOffset)),
                    root->SegmentId);
}

static void compare_judge(struct vidmm_referee *referee, const struct compared *compared,
                          uint32_t rule, bool good) {
    char found[256] = "";
    if (!good)
        compare_describe(referee, compared, found, sizeof(found));
    if (rule == 39)
        compare_judge_base(referee, compared, good, found);
    if (rule == 210)
        DRIVER_MUST(210, good, WANTED ", written where PageTableAddress is by UpdateMode", "%s",
                    found);
    if (rule == 211)
        DRIVER_MUST(211, good, WANTED, "%s", found);
    if (rule == 215)
        DRIVER_MUST(215, good, WANTED, "%s", found);
    if (rule == 221)
        DRIVER_MUST(221, good, WANTED, "%s", found);
    if (rule == 516)
        DRIVER_MUST(516, good, "writes discarded where the entry has Zero", "%s", found);
    if (rule == 223)
        DRIVER_MUST(223, good, WANTED, "%s", found);
    if (rule == 230)
        DRIVER_MUST(230, good, WANTED " once they were flushed", "%s", found);
    if (rule == 232)
        DRIVER_MUST(232, good, WANTED " once all was flushed", "%s", found);
    if (rule == 239)
        DRIVER_MUST(239, good, WANTED " after they were copied", "%s", found);
    if (rule == 427)
        DRIVER_MUST(427, good, WANTED ", which were invalid before and are flushed from no TLB",
                    "%s", found);
    if (rule == 425)
        DRIVER_MUST(425, good, WANTED ", with the CPU's caches snooped", "%s", found);
    if (rule == 508)
        DRIVER_MUST(508, good, WANTED ", on the physical adapter that they name", "%s", found);
    if (rule == 472)
        DRIVER_MUST(472, good, "accesses that the entry allows, and no others", "%s", found);
    if (rule == 379)
        DRIVER_MUST(379, good, WANTED ", those of a table of 64 KB pages", "%s", found);
    if (rule == 378)
        DRIVER_MUST(378, good, WANTED ", those of both arrays", "%s", found);
}

/* It was named: what else comes of it is not news. */
static void compare_forget_entry(const struct tables_found *want) {
    for (uint32_t kind = 0; want->table && kind < want->table->kinds; kind++) {
        struct tables_entry *entry = tables_own_entry(want->table, kind, want->index);
        if (entry)
            entry->known[TABLES_DONE] = false;
    }
}

/* The page is the right one, and the GPU may do more with it than the entry allows. */
static bool compare_lost_rights(struct vidmm_referee *referee, const struct compared *compared) {
    const DXGK_PTE *entry = &compared->want.entry;
    const struct vidmm_referee_translation *found = &compared->found;
    return compared->want.valid && found->valid && !compared->want.zero && !found->zero &&
           compare_wanted_address(referee, compared) == found->address &&
           ((entry->ReadOnly && !found->read_only) || (entry->NoExecute && !found->no_execute));
}

/* The page is right, on another physical adapter. */
static bool compare_wrong_adapter(struct vidmm_referee *referee, const struct compared *compared) {
    const struct vidmm_referee_translation *found = &compared->found;
    uint64_t wanted = compare_wanted_address(referee, compared);
    return compared->want.valid && !compared->want.zero && found->valid && !found->zero &&
           found->address != wanted &&
           linked_address_own(found->address) == linked_address_own(wanted);
}

/* Instead of a page that drops what is written: one of zeroes, which is so until then. */
static bool compare_of_zeroes(struct vidmm_referee *referee, const struct compared *compared) {
    const struct vidmm_referee_translation *found = &compared->found;
    if (!compared->want.valid || !compared->want.zero || !found->valid || found->zero)
        return false;
    uint64_t page = found->address & ~(uint64_t)(SHADOW_PAGE - 1);
    const uint8_t *bytes = world_peek(referee, page, SHADOW_PAGE);
    for (uint32_t i = 0; bytes && i < SHADOW_PAGE; i++)
        if (bytes[i] != 0)
            return false;
    return bytes;
}

static uint32_t compare_rule_for(struct vidmm_referee *referee, const struct compared *compared,
                                 struct tables_blame blame) {
    const struct tables_found *want = &compared->want;
    if (compare_lost_rights(referee, compared))
        return 472;
    if (compare_wrong_adapter(referee, compared) && !compared->found.cached)
        return 508;
    if (compare_wrong_base(referee, compared) || compare_wrong_root(referee, compared))
        return 39;
    if (compare_cut(referee, compared))
        return 223;
    if (compared->found.cached)
        return blame.rule_tlb;
    if (compare_wrong_start(referee, compared))
        return 223;
    if (compare_of_zeroes(referee, compared))
        return 516;
    bool both = want->valid && compared->found.valid;
    if ((both && want->zero != compared->found.zero) || (want->valid && want->zero))
        return 221;
    /* Before a page another one leads nowhere: what leads to a wrong one was written. */
    return both && blame.rule_table == 211 ? 215 : blame.rule_table;
}

/* Entries that become valid are flushed only where a TLB may hold that they were not. False: this one does. */
static bool compare_promise(struct vidmm_referee *referee, const struct compared *compared) {
    const struct tables_mmu *mmu = tables_mmu(referee, compared->process->physical);
    if (!mmu->caps.InvalidTlbEntriesNotCached || !compared->want.valid || compared->want.stale)
        return true;
    bool good = compared->found.valid || !compared->found.cached;
    compare_judge(referee, compared, 427, good);
    return good;
}

/* What is not coherent may be snooped all the same. */
static void compare_coherence(struct vidmm_referee *referee, const struct compared *compared) {
    if (compared->want.valid && !compared->want.zero && compared->want.entry.CacheCoherent)
        compare_judge(referee, compared, 425, compared->found.coherent);
}

/* The driver's promise that no TLB keeps what is invalid, at an address that was just used. */
void tables_compare_faulted(struct vidmm_referee *referee, const struct tables_process *process,
                            uint64_t va) {
    struct compared compared = {.process = process, .va = va};
    tables_walk(referee, process, va, TABLES_DONE, &compared.want);
    if (!tables_mmu(referee, process->physical)->caps.InvalidTlbEntriesNotCached ||
        !compared.want.known || !compared.want.settled || compared.want.stale ||
        compared.want.valid || change_open(referee, process->handle, va) ||
        !compare_ask(referee, &compared))
        return;
    DRIVER_MUST(427, compared.found.valid || !compared.found.cached,
                "no TLB that keeps that an address is invalid",
                "address 0x%llx, which faulted, is invalid by a TLB", LLU(va));
}

void tables_compare(struct vidmm_referee *referee, const struct tables_process *process,
                    uint64_t va, struct tables_blame blame) {
    struct compared compared = {.process = process, .va = va};
    tables_walk(referee, process, va, TABLES_DONE, &compared.want);
    if (!compared.want.known || !compared.want.settled ||
        change_open(referee, process->handle, va) ||
        va >= tables_limit(tables_mmu(referee, process->physical)))
        return;
    if (!compare_ask(referee, &compared)) {
        uint32_t unseen = blame.rule_table != 0 ? blame.rule_table : blame.rule_tlb;
        if (unseen != 0)
            judge_unseen(referee, unseen, 0);
        return;
    }
    if (!compare_promise(referee, &compared)) {
        compare_forget_entry(&compared.want);
        return;
    }
    if (compared.found.cached && (compared.want.stale || blame.rule_tlb == 0))
        return;
    bool good = compare_agree(referee, &compared);
    uint32_t rule = compare_rule_for(referee, &compared, blame);
    if (rule == 0)
        return;
    compare_judge(referee, &compared, rule, good);
    if (good && compared.want.valid && compared.want.segment != 0)
        compare_judge(referee, &compared, 223, true);
    if (good && compared.want.valid && linked_physical(compared.want.segment) != process->physical)
        compare_judge(referee, &compared, 508, true);
    if (good && compared.want.valid && compared.want.zero)
        compare_judge(referee, &compared, 516, true);
    if (good)
        compare_coherence(referee, &compared);
    if (good && compared.want.valid &&
        (compared.want.entry.ReadOnly || compared.want.entry.NoExecute))
        compare_judge(referee, &compared, 472, true);
    if (!good)
        compare_forget_entry(&compared.want);
}

void tables_compare_range(struct vidmm_referee *referee, const struct tables_process *process,
                          uint64_t start, uint64_t end, struct tables_blame blame) {
    const struct tables_process *known = tables_process(referee, process->handle);
    if (!known || start >= end || !referee->world.translate)
        return;
    uint64_t pages = (end - start) / SHADOW_PAGE;
    tables_compare(referee, process, start, blame);
    if (pages > 1)
        tables_compare(referee, process, end - SHADOW_PAGE, blame);
    if (start != 0)
        tables_compare(referee, process, start - SHADOW_PAGE, blame);
    if (end < tables_limit(tables_mmu(referee, process->physical)))
        tables_compare(referee, process, end, blame);
    for (uint32_t i = 0; i < SAMPLES && pages > 2; i++)
        tables_compare(referee, process, start + compare_random_below(referee, pages) * SHADOW_PAGE,
                       blame);
}

void change_compare(struct vidmm_referee *referee, const struct table_change *change,
                    struct tables_blame blame) {
    const struct tables_process *process = tables_process(referee, change->process);
    uint64_t bytes = (uint64_t)change->count << change_shift(referee, change);
    if (process && !change->unsure)
        tables_compare_range(referee, process, change->va, change->va + bytes, blame);
}
