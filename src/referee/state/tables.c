/*
 * tables.c - the store of page tables that tables.h describes: tables by place, processes, and the
 * walk from a root to a page.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "state/grow.h"
#include "state/judge.h"
#include "state/space.h"
#include "state/memory.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint64_t tables_key(D3DGPU_PHYSICAL_ADDRESS place) {
    return place.SegmentOffset >> TABLES_PAGE_SHIFT ^ (uint64_t)place.SegmentId << 56;
}

static bool tables_same_place(D3DGPU_PHYSICAL_ADDRESS a, D3DGPU_PHYSICAL_ADDRESS b) {
    return a.SegmentId == b.SegmentId && a.SegmentOffset == b.SegmentOffset;
}

struct tables_table *tables_find(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place) {
    struct keyed *at = keyed_find(&referee->tables.all, tables_key(place));
    while (at && !tables_same_place(((struct tables_table *)at)->place, place))
        at = keyed_find_older(at);
    return (struct tables_table *)at;
}

static void tables_table_free(struct vidmm_referee *referee, struct tables_table *table) {
    keyed_remove(&referee->tables.all, &table->keyed);
    interval_remove(&referee->tables.places, &table->at);
    tables_space_leave(referee, table);
    owners_drop(referee, table);
    free(table->entry);
    free(table);
}

struct tables_table *tables_each(struct vidmm_referee *referee, const struct tables_table *after) {
    struct keyed *next = after ? after->keyed.after : referee->tables.all.first;
    return (struct tables_table *)next;
}

/* A table with bytes of [start, end) of GPU physical addresses, behind `after`; NULL: none. */
static struct tables_table *tables_at(struct vidmm_referee *referee, uint64_t start, uint64_t end,
                                      const struct tables_table *after) {
    struct interval *at =
        interval_meets(&referee->tables.places, start, end, after ? &after->at : NULL);
    return at ? (struct tables_table *)((char *)at - offsetof(struct tables_table, at)) : NULL;
}

/* Segments may share addresses; a table makes room for one of its own segment. */
static void tables_make_room(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place,
                             uint64_t bytes) {
    uint64_t start = tables_gpu_address(referee, place.SegmentId, place.SegmentOffset);
    struct tables_table *table = tables_at(referee, start, start + bytes, NULL), *next;
    for (; table; table = next) {
        next = tables_at(referee, start, start + bytes, table);
        if (table->place.SegmentId == place.SegmentId)
            tables_table_free(referee, table);
    }
}

/* Of the root of two levels: in proportion to what the driver offered for so many entries. */
uint64_t tables_bytes(const struct tables_mmu *mmu, uint32_t level, bool wide, uint32_t entries) {
    uint64_t bytes = mmu->level[level].PageTableSizeInBytes;
    if (wide)
        return mmu->caps.LeafPageTableSizeFor64KPagesInBytes;
    if (mmu->levels == 2 && level == 1 && mmu->root_entries != 0 &&
        entries > 1u << mmu->level[1].PageTableIndexBitCount)
        bytes = (uint64_t)mmu->root_bytes * entries / mmu->root_entries;
    return bytes != 0 ? bytes : SHADOW_PAGE;
}

struct tables_table *tables_make(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place,
                                 HANDLE process, uint32_t level, bool wide, uint32_t entries) {
    const struct tables_mmu *mmu = tables_mmu(referee, linked_space_physical(process));
    uint64_t bytes = tables_bytes(mmu, level, wide, entries);
    tables_make_room(referee, place, bytes);
    struct tables_table *table = memory_calloc(1, sizeof(*table));
    if (!table)
        return NULL;
    table->physical = linked_space_physical(process);
    table->kinds = mmu->pages == TABLES_DUAL && level == 1 ? 2 : 1;
    table->alike = table->kinds == 1;
    table->entry =
        memory_calloc(table->alike ? 1 : (size_t)entries * table->kinds, sizeof(*table->entry));
    table->space = table->entry ? tables_space_make(referee, process) : NULL;
    if (!table->space || !keyed_add(&referee->tables.all, &table->keyed, tables_key(place))) {
        tables_space_end(referee, table->space);
        free(table->entry);
        free(table);
        return NULL;
    }
    const struct tables_process *of = tables_process(referee, process);
    table->place = place;
    table->process = process;
    table->user = of && !of->system;
    table->level = level;
    table->entries = entries;
    table->wide = wide;
    table->bytes = bytes;
    tables_bear(referee, table);
    table->made = table->born;
    uint64_t at = tables_gpu_address(referee, place.SegmentId, place.SegmentOffset);
    interval_add(&referee->tables.places, &table->at, at, at + bytes);
    tables_space_enter(referee, table);
    return table;
}

/* Most tables of large address spaces are filled once, with one value. */
static bool tables_differ(struct tables_table *table) {
    struct tables_entry *entry = memory_calloc(table->entries, sizeof(*entry));
    for (uint32_t i = 0; entry && i < table->entries; i++)
        entry[i] = *table->entry;
    if (!entry)
        return false;
    free(table->entry);
    table->entry = entry;
    table->alike = false;
    return true;
}

struct tables_entry *tables_own_entry(struct tables_table *table, uint32_t kind, uint32_t index) {
    bool there = kind < table->kinds && index < table->entries;
    if (!there || (table->alike && !tables_differ(table)))
        return NULL;
    return &table->entry[kind * table->entries + index];
}

uint32_t tables_valid_entries(const struct tables_table *table) {
    uint32_t count = 0, kept = table->alike ? 1 : table->entries * table->kinds;
    for (uint32_t i = 0; i < kept; i++)
        count += table->entry[i].known[TABLES_ASKED] && table->entry[i].value[TABLES_ASKED].Valid;
    return table->alike ? count * table->entries : count;
}

void tables_bear(struct vidmm_referee *referee, struct tables_table *table) {
    table->born = ++referee->tables.births;
}

uint64_t tables_births(struct vidmm_referee *referee) {
    return referee->tables.births;
}

bool tables_take(struct vidmm_referee *referee, uint32_t segment, uint64_t gpu_address,
                 uint64_t before) {
    bool system = !shadow_segment(referee, segment);
    uint64_t end = gpu_address + SHADOW_PAGE;
    const struct tables_table *table =
        referee->tables.births != before ? tables_at(referee, gpu_address, end, NULL) : NULL;
    while (table &&
           (table->born <= before || !shadow_segment(referee, table->place.SegmentId) != system))
        table = tables_at(referee, gpu_address, end, table);
    return table;
}

uint32_t tables_entries(const struct tables_mmu *mmu, uint32_t level, bool wide) {
    uint32_t bits = mmu->level[level].PageTableIndexBitCount;
    uint32_t entries = bits < 31 ? 1u << bits : 1u << 31;
    if (mmu->levels == 2 && level == 1 && mmu->root_entries > entries)
        return mmu->root_entries;
    return wide ? entries >> (TABLES_WIDE_SHIFT - TABLES_PAGE_SHIFT) : entries;
}

struct tables_table *tables_leaf(struct vidmm_referee *referee,
                                 const struct tables_process *process, uint64_t va, bool wide) {
    HANDLE handle = process->handle;
    struct tables_table *table = tables_translating(referee, handle, va, va + 1, NULL);
    while (table && (table->level != 0 || table->wide != wide))
        table = tables_translating(referee, handle, va, va + 1, table);
    return table;
}

bool tables_cut(struct vidmm_referee *referee, const struct tables_table *table, uint64_t start,
                uint64_t end, uint32_t *first, uint32_t *last) {
    uint32_t shift = tables_entry_shift(referee, table);
    uint64_t stop = table->start + ((uint64_t)table->entries << shift);
    uint64_t from = start > table->start ? start : table->start, to = end < stop ? end : stop;
    if (from >= to)
        return false;
    *first = (uint32_t)((from - table->start) >> shift);
    *last = (uint32_t)((to - 1 - table->start) >> shift);
    return true;
}

void tables_set_stale(struct vidmm_referee *referee, struct tables_table *table,
                      struct tables_entry *entry, enum tables_when when, bool stale) {
    if (entry->stale[when] == (uint8_t)stale)
        return;
    entry->stale[when] = stale;
    tables_space_count(table, when, stale, table->alike ? table->entries : 1);
    uint32_t index = (uint32_t)(entry - table->entry);
    if (when == TABLES_ASKED && !stale && index < table->entries)
        owners_flushed(referee, table, index);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static struct tables_process *tables_process_find(struct vidmm_referee *referee, HANDLE space) {
    return (struct tables_process *)keyed_find(&referee->tables.processes, keyed_handle(space));
}

/* That of an adapter other than the first is made when it is asked for. */
struct tables_process *tables_process(struct vidmm_referee *referee, HANDLE space) {
    struct tables_process *process = tables_process_find(referee, space);
    const struct tables_process *first =
        !process && linked_space_physical(space) != 0
            ? tables_process_find(referee, linked_space_process(space))
            : NULL;
    return first ? tables_process_add(referee, space, first->name, first->system) : process;
}

/* The newest of the system's processes that pages for a physical adapter, or NULL. */
static struct tables_process *tables_system(struct vidmm_referee *referee, uint32_t physical) {
    struct tables_process *system = referee->tables.paging;
    while (system && system->pages_for != physical)
        system = system->next;
    return system;
}

bool tables_of_system(struct vidmm_referee *referee, HANDLE handle) {
    const struct tables_process *process = tables_process_find(referee, handle);
    return process && process->system;
}

uint32_t tables_pages_for(struct vidmm_referee *referee, HANDLE handle) {
    const struct tables_process *process = tables_process_find(referee, handle);
    return process && process->system ? process->pages_for : 0;
}

/* One of an adapter that has none of its own is the first one's. */
struct tables_process *tables_paging(struct vidmm_referee *referee, uint32_t physical) {
    const struct tables_process *own = tables_system(referee, physical);
    const struct tables_process *paging = own ? own : referee->tables.paging;
    return paging ? tables_process(referee, linked_space(physical, paging->handle)) : NULL;
}

struct tables_process *tables_process_add(struct vidmm_referee *referee, HANDLE handle, HANDLE name,
                                          bool system) {
    struct tables_process *process = memory_calloc(1, sizeof(*process));
    if (!process || !keyed_add(&referee->tables.processes, &process->keyed, keyed_handle(handle))) {
        free(process);
        return NULL;
    }
    process->handle = handle;
    process->physical = linked_space_physical(handle);
    process->name = name;
    process->system = system;
    if (system && process->physical == 0) {
        while (process->pages_for + 1 < linked_count(referee) &&
               tables_system(referee, process->pages_for))
            process->pages_for++;
        process->next = referee->tables.paging;
        referee->tables.paging = process;
    }
    return process;
}

static void tables_process_free(struct vidmm_referee *referee, struct tables_process *process) {
    struct tables_process **link = &referee->tables.paging;
    while (*link && *link != process)
        link = &(*link)->next;
    if (*link)
        *link = process->next;
    for (uint32_t physical = 0; physical < LINKED_MOST; physical++)
        if (referee->tables.first_used[physical] == process)
            referee->tables.first_used[physical] = NULL; /* another may be where it was */
    keyed_remove(&referee->tables.processes, &process->keyed);
    free(process);
}

static void tables_space_remove(struct vidmm_referee *referee, HANDLE space) {
    struct tables_process *process = tables_process_find(referee, space);
    struct tables_table *table;
    if (!process)
        return;
    tables_process_free(referee, process);
    while ((table = tables_translating(referee, space, 0, UINT64_MAX, NULL)))
        tables_table_free(referee, table);
}

void tables_process_remove(struct vidmm_referee *referee, HANDLE handle) {
    for (uint32_t physical = LINKED_MOST; physical-- > 0;)
        tables_space_remove(referee, linked_space(physical, handle));
}

struct tables_process *tables_process_of(struct vidmm_referee *referee,
                                         const struct shadow_context *context) {
    if (!context)
        return NULL;
    uint32_t physical = context->physical;
    HANDLE handle = context->owner ? context->owner->process : NULL;
    struct tables_process *own =
        handle ? tables_process(referee, linked_space(physical, handle)) : NULL;
    return !own && context->system ? tables_paging(referee, physical) : own;
}

bool tables_companion(struct vidmm_referee *referee, const struct shadow_context *context) {
    const struct tables_process *process = tables_process_of(referee, context);
    return context && context->system && process && !process->system;
}

void tables_context_made(struct vidmm_referee *referee, struct shadow_context *context) {
    context->companion = tables_companion(referee, context);
    if (context->companion)
        tables_process_of(referee, context)->companions++;
}

/* Its process may be gone by now, and another have that handle. */
void tables_context_gone(struct vidmm_referee *referee, const struct shadow_context *context) {
    struct tables_process *process =
        context->companion ? tables_process_of(referee, context) : NULL;
    if (process && process->companions != 0)
        process->companions--;
}

bool tables_privileged(struct vidmm_referee *referee, HANDLE handle) {
    for (uint32_t physical = 0; physical < linked_count(referee); physical++) {
        const struct tables_process *process =
            tables_process_find(referee, linked_space(physical, handle));
        if (process && process->companions != 0)
            return true;
    }
    return false;
}

struct tables_process *tables_paging_of(struct vidmm_referee *referee,
                                        const struct shadow_operation *operation) {
    struct tables_process *runs =
        tables_process_of(referee, shadow_context(referee, operation->arg.hSystemContext));
    return runs && runs->system ? runs : tables_paging(referee, operation->physical);
}

struct tables_process *tables_running(struct vidmm_referee *referee,
                                      const struct shadow_operation *operation) {
    const struct shadow_context *context = shadow_context(referee, operation->arg.hSystemContext);
    return tables_companion(referee, context) ? tables_process_of(referee, context)
                                              : tables_paging_of(referee, operation);
}

static void tables_free_tables(struct vidmm_referee *referee) {
    struct tables_table *table;
    while ((table = tables_each(referee, NULL)))
        tables_table_free(referee, table);
    keyed_clear(&referee->tables.all);
}

void tables_forget(struct vidmm_referee *referee) {
    referee->tables.lost = referee->tables.lost || tables_each(referee, NULL);
    tables_free_tables(referee);
    owners_forget(referee);
}

void tables_clear(struct vidmm_referee *referee) {
    tables_free_tables(referee);
    while (referee->tables.processes.first)
        tables_process_free(referee, (struct tables_process *)referee->tables.processes.first);
    keyed_clear(&referee->tables.processes);
    keyed_clear(&referee->tables.spaces);
    owners_clear(referee);
    grow_free(&referee->tables.owed.flush, &referee->tables.owed.room);
    referee->tables.owed.count = 0;
    free(referee->tables.bits);
    referee->tables.bits = NULL;
    memset(referee->tables.mmu, 0, sizeof(referee->tables.mmu));
    referee->tables.lost = false;
}

bool tables_intact(struct vidmm_referee *referee) {
    return !referee->tables.lost;
}

/* ---- Translation ----------------------------------------------------------------------------- */

struct walk {
    const struct tables_mmu *mmu;
    uint64_t va;
    enum tables_when when;
    struct tables_found *found;
};

/* Reads an entry; false: the walk ends here. */
static bool tables_read_entry(const struct walk *walk, struct tables_table *table, uint32_t kind,
                              uint64_t index) {
    struct tables_found *found = walk->found;
    const struct tables_entry *entry =
        index < table->entries ? tables_entry(table, kind, (uint32_t)index) : NULL;
    /* Zero without Valid can be a zero page as well as a fault (R221). */
    if (!entry || !entry->known[walk->when] ||
        (entry->value[walk->when].Zero && !entry->value[walk->when].Valid)) {
        found->known = false;
        return false;
    }
    found->settled = found->settled && entry->pending == 0;
    found->stale = found->stale || entry->stale[walk->when];
    found->entry = entry->value[walk->when];
    found->table = table;
    found->index = (uint32_t)index;
    return found->entry.Valid;
}

static void tables_take_page(const struct walk *walk, uint32_t shift) {
    struct tables_found *found = walk->found;
    found->valid = true;
    found->zero = found->entry.Zero;
    found->page = UINT64_C(1) << shift;
    found->segment = tables_entry_segment(&found->entry);
    found->offset =
        ((uint64_t)found->entry.PageAddress << TABLES_PAGE_SHIFT) + (walk->va & (found->page - 1));
}

/* The table that the entry just read leads to, of the kind that it says; NULL: not known. */
static struct tables_table *tables_child_of(struct vidmm_referee *referee, const struct walk *walk,
                                            uint32_t level, bool wide) {
    const DXGK_PTE *entry = &walk->found->entry;
    D3DGPU_PHYSICAL_ADDRESS place = {.SegmentId = tables_entry_segment(entry),
                                     .SegmentOffset = (uint64_t)entry->PageTableAddress
                                                      << TABLES_PAGE_SHIFT};
    struct tables_table *table = tables_find(referee, place);
    walk->found->other_kind = table && table->level == level && table->wide != wide;
    if (!table || table->level != level || table->wide != wide) {
        walk->found->known = false;
        return NULL;
    }
    return table;
}

static void tables_read_leaf(const struct walk *walk, struct tables_table *table) {
    uint32_t shift = table->wide ? TABLES_WIDE_SHIFT : TABLES_PAGE_SHIFT;
    uint64_t mask = (UINT64_C(1) << walk->mmu->level[0].PageTableIndexBitCount) - 1;
    uint64_t index = (walk->va >> TABLES_PAGE_SHIFT & mask) >> (shift - TABLES_PAGE_SHIFT);
    walk->found->wide = table->wide;
    if (tables_read_entry(walk, table, 0, index))
        tables_take_page(walk, shift);
}

/* Of both kinds of tables that of 64 KB pages comes first. */
static bool tables_read_wide_half(struct vidmm_referee *referee, const struct walk *walk,
                                  struct tables_table *table, uint64_t index) {
    if (!tables_read_entry(walk, table, 1, index))
        return !walk->found->known;
    struct tables_table *leaf = tables_child_of(referee, walk, 0, true);
    if (leaf)
        tables_read_leaf(walk, leaf);
    bool ends = walk->found->valid || !walk->found->known;
    walk->found->wide = ends;
    return ends;
}

static uint64_t tables_index_of(const struct tables_mmu *mmu, uint64_t va, uint32_t level) {
    uint64_t index = va >> tables_shift(mmu, level);
    uint32_t bits = mmu->level[level].PageTableIndexBitCount;
    return level + 1 == mmu->levels ? index : index & ((UINT64_C(1) << bits) - 1);
}

static void tables_walk_down(struct vidmm_referee *referee, const struct walk *walk,
                             struct tables_table *table) {
    for (uint32_t level = walk->mmu->levels - 1; table; level--) {
        uint64_t index = tables_index_of(walk->mmu, walk->va, level);
        if (level == 1 && table->kinds == 2 && tables_read_wide_half(referee, walk, table, index))
            return;
        if (!tables_read_entry(walk, table, 0, index))
            return;
        if (walk->found->entry.LargePage || walk->found->entry.Zero) {
            tables_take_page(walk, tables_shift(walk->mmu, level));
            return;
        }
        bool wide = level == 1 && walk->mmu->pages == TABLES_SINGLE &&
                    walk->found->entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
        table = tables_child_of(referee, walk, level - 1, wide);
        if (level == 1 && table) {
            tables_read_leaf(walk, table);
            return;
        }
    }
}

void tables_walk(struct vidmm_referee *referee, const struct tables_process *process, uint64_t va,
                 enum tables_when when, struct tables_found *found) {
    const struct tables_mmu *mmu = tables_mmu(referee, process->physical);
    struct walk walk = {.mmu = mmu, .va = va, .when = when, .found = found};
    *found = (struct tables_found){.known = true, .settled = true};
    struct tables_table *root = process->rooted ? tables_find(referee, process->root) : NULL;
    if (!mmu->known || !root || root->level + 1 != mmu->levels) {
        found->known = false;
        return;
    }
    if (va >= tables_limit(mmu) || tables_index_of(mmu, va, root->level) >= root->entries)
        return;
    tables_walk_down(referee, &walk, root);
}

uint64_t tables_gpu_address(struct vidmm_referee *referee, uint32_t segment, uint64_t offset) {
    const struct shadow_segment *shadow = shadow_segment(referee, segment);
    return linked_address(linked_physical(segment), (shadow ? shadow->base : 0) + offset);
}

/* ---- Where tables are ------------------------------------------------------------------------ */

/* In a memory segment that the CPU sees; what a driver took of system memory for one is it, too. */
static bool tables_place_in_view(struct vidmm_referee *referee, const uint8_t *bytes,
                                 D3DGPU_PHYSICAL_ADDRESS *place) {
    const struct vidmm_referee_world *world = &referee->world;
    for (uint32_t id = shadow_next_segment(referee, 0); world->io && id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (!segment || segment->cpu_base == 0)
            continue;
        const uint8_t *view = world->io(world->ctx, segment->cpu_base, segment->size);
        if (!view || (uintptr_t)bytes < (uintptr_t)view ||
            (uintptr_t)bytes - (uintptr_t)view >= segment->size)
            continue;
        *place = (D3DGPU_PHYSICAL_ADDRESS){
            .SegmentId = id, .SegmentOffset = (uint64_t)((uintptr_t)bytes - (uintptr_t)view)};
        return true;
    }
    return false;
}

/* In memory that the CPU sees page by page: the place is behind the page of the CPU host aperture. */
static bool tables_place_in_window(struct vidmm_referee *referee, const uint8_t *bytes,
                                   D3DGPU_PHYSICAL_ADDRESS *place) {
    const struct vidmm_referee_world *world = &referee->world;
    const struct host_aperture *aperture = &referee->host_aperture;
    const struct shadow_segment *segment = shadow_memory(referee, aperture->segment);
    if (!segment || segment->host_base == 0 || !world->io)
        return false;
    uint64_t size = (uint64_t)segment->host_pages * segment->page_size;
    const uint8_t *view = world->io(world->ctx, segment->host_base, size);
    if (!view || (uintptr_t)bytes < (uintptr_t)view || (uintptr_t)bytes - (uintptr_t)view >= size)
        return false;
    uint64_t at = (uintptr_t)bytes - (uintptr_t)view, page = at / segment->page_size;
    if (page >= aperture->pages || aperture->page[page].behind == HOST_APERTURE_UNMAPPED)
        return false;
    *place = (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = aperture->segment,
                                       .SegmentOffset =
                                           aperture->page[page].behind * segment->page_size +
                                           at % segment->page_size};
    return true;
}

/* The CPU's pointer leads to a segment that it sees, or into system memory. */
static bool tables_place_of_pointer(struct vidmm_referee *referee, const uint8_t *bytes,
                                    D3DGPU_PHYSICAL_ADDRESS *place) {
    if (!bytes)
        return false;
    if (tables_place_in_view(referee, bytes, place) ||
        tables_place_in_window(referee, bytes, place))
        return true;
    const uint8_t *memory = world_memory(referee, 0, 1);
    *place = (D3DGPU_PHYSICAL_ADDRESS){
        .SegmentId = 0, .SegmentOffset = (uint64_t)((uintptr_t)bytes - (uintptr_t)memory)};
    return world_is_memory(referee, bytes);
}

bool tables_place(struct vidmm_referee *referee, const struct tables_process *process,
                  const DXGK_PAGETABLEUPDATEADDRESS *address, DXGK_PAGETABLEUPDATEMODE mode,
                  D3DGPU_PHYSICAL_ADDRESS *place) {
    struct tables_found found;
    if (mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        return tables_place_of_pointer(referee, address->CpuVirtual, place);
    if (mode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
        *place = address->GpuPhysical;
        return true;
    }
    if (!process)
        return false;
    tables_walk(referee, process, address->GpuVirtual, TABLES_ASKED, &found);
    *place = (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = found.segment, .SegmentOffset = found.offset};
    return found.known && found.valid && !found.zero;
}

bool tables_at_root(const struct shadow_context *context, const struct tables_process *process) {
    return context->root_entries != 0 && context->root.SegmentId == process->root.SegmentId &&
           context->root.SegmentOffset == process->root.SegmentOffset;
}
