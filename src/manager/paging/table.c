/*
 * table.c - see table.h: the tree. A table has memory from the moment it is made; what has to leave
 * for that leaves when tables are prepared (struct table_place).
 */
#include "paging/table.h"

#include "base/assert.h"
#include "base/process.h"
#include "object/allocation.h"
#include "object/host_aperture.h"
#include "lists/budget.h"
#include "paging/table_mirror.h"

#define CALL_ROOT "DxgkDdiGetRootPageTableSize"
#define WIDE_MASK ((UINT64_C(1) << PAGE_SHIFT_LARGE) - 1)

/* What the manager maps for itself has pages of 4 KiB, whatever they could be. */
static bool has_narrow_pages(const struct space *space) {
    return space->paging || space_is_privileged(space);
}

uint64_t table_end(const struct table *table) {
    uint32_t shift = mmu_shift(table->space->mmu, table->level);
    return table->start + ((uint64_t)table->entries << shift);
}

D3DGPU_PHYSICAL_ADDRESS table_address(const struct table_memory *memory) {
    if (memory->segment)
        return (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = segment_driver_id(memory->segment),
                                         .SegmentOffset = memory->place.offset};
    return (D3DGPU_PHYSICAL_ADDRESS){
        .SegmentOffset = memory->mdl ? MmGetMdlPfnArray(memory->mdl)[0] << PAGE_SHIFT : 0};
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t valid_bytes(uint32_t entries) {
    return (entries + 63u) / 64u * sizeof(uint64_t);
}

void table_memory_free(struct space *space, struct table_memory *memory) {
    struct vidmm_adapter *adapter = space->adapter;
    adapter->stats.table_bytes -= memory->size;
    if (memory->window)
        (void)va_set(spaces_of(space)->paging->va, memory->window,
                     memory->window + page_round(memory->size), NULL);
    struct space *privileged = space_privileged_of(space);
    if (memory->privileged_va && privileged)
        (void)va_set(privileged->va, memory->privileged_va,
                     memory->privileged_va + page_round(memory->size), NULL);
    if (memory->host)
        host_aperture_close_table(memory->host);
    if (memory->place.block) {
        budget_keep(adapter, memory->segment, memory->place.size, true);
        segment_release(memory->segment, &memory->place);
    }
    if (memory->mdl)
        adapter->os.pages_free(adapter->os.ctx, memory->mdl);
    adapter_free(adapter, memory->valid, valid_bytes(memory->entries));
    memset(memory, 0, sizeof(*memory));
}

/* VIDMM_DOES_NOT_FIT: nothing is left that could leave. */
static enum vidmm_status table_take_place(struct space *space, struct table_memory *memory,
                                          uint32_t level) {
    struct vidmm_adapter *adapter = space->adapter;
    bool mirrored = table_is_mirrored(space, level);
    const struct segment_request request = {.size = memory->size,
                                            .alignment = space->mmu->level[level].alignment,
                                            .from_end = !mirrored};
    const struct table_place wanted = {
        .runs = space->process, .segment = memory->segment, .request = &request};
    enum vidmm_status status = mirrored
                                   ? table_mirror_place(space, &wanted, &memory->place)
                                   : spaces_of(space)->make_place(adapter, &wanted, &memory->place);
    if (status == VIDMM_OK)
        budget_keep(adapter, memory->segment, memory->place.size, false);
    else if (status == VIDMM_DOES_NOT_FIT)
        (void)FAIL(adapter, .status = VIDMM_DOES_NOT_FIT, .call = "vidmm page tables",
                   .field = "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId",
                   .expected = "room for page tables", .page = "gpu-virtual-address",
                   .index = ERROR_NO_INDEX, .value = memory->segment->driver_id);
    return status;
}

static enum vidmm_status take_pages(struct vidmm_adapter *adapter, struct table_memory *memory) {
    const struct vidmm_os *os = &adapter->os;
    uint64_t highest = (uint64_t)adapter->facts.caps.HighestAcceptableAddress.QuadPart;
    memory->mdl = os->pages_alloc(os->ctx, (size_t)(page_round(memory->size) / PAGE_BYTES),
                                  VIDMM_PAGES_CONTIGUOUS, highest ? highest : UINT64_MAX);
    return memory->mdl ? VIDMM_OK : error_no_memory(adapter, "vidmm page tables");
}

/* The CPU's view, where it is the CPU that writes. */
static enum vidmm_status reach(struct space *space, struct table_memory *memory) {
    struct vidmm_adapter *adapter = space->adapter;
    const struct vidmm_os *os = &adapter->os;
    if (!space->paging && space->mmu->caps.PageTableUpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        return VIDMM_OK;
    if (memory->segment && !memory->segment->flags.CpuVisible) {
        enum vidmm_status status = host_aperture_open_table(
            adapter, memory->segment, &memory->place, memory->size, &memory->host);
        if (status == VIDMM_OK)
            memory->cpu = host_aperture_table(memory->host, &memory->place);
        return status;
    }
    memory->cpu = memory->segment
                      ? os->io_map(os->ctx, memory->segment->cpu_base + memory->place.offset,
                                   (size_t)memory->size)
                      : os->pages_map(os->ctx, memory->mdl);
    return memory->cpu ? VIDMM_OK : error_no_memory(adapter, "vidmm page tables");
}

/* An address for the paging process, where tables are written through its space. */
static enum vidmm_status open_window(struct space *space, uint32_t level,
                                     struct table_memory *memory) {
    struct vidmm_adapter *adapter = space->adapter;
    const DXGK_GPUMMUCAPS *caps = &space->mmu->caps;
    struct va *va = spaces_of(space)->paging->va;
    struct va_use use = {.kind = VA_NOTHING};
    uint64_t size = page_round(memory->size);
    bool by_address = caps->PageTableUpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    bool source_va = caps->LegacyBehaviors.SourcePageTableVaInTransfer;
    if (space->paging ? level > 0 || !(by_address || source_va) : !by_address)
        return VIDMM_OK; /* above its leaves the paging process's tables never change */
    if (!va_pick(va, size, size > WIDE_MASK ? WIDE_MASK + 1 : PAGE_BYTES, va->from, va->limit,
                 &memory->window) ||
        !va_set(va, memory->window, memory->window + size, &use)) {
        memory->window = 0;
        return error_no_memory(adapter, "vidmm page tables");
    }
    return VIDMM_OK;
}

static enum vidmm_status memory_make(struct space *space, uint32_t level, uint64_t size,
                                     uint32_t entries, struct table_memory *memory) {
    struct vidmm_adapter *adapter = space->adapter;
    const struct vidmm_level_info *info = &space->mmu->level[level];
    struct vidmm_stats *stats = &adapter->stats;
    *memory = (struct table_memory){.size = size, .entries = entries};
    stats->table_bytes += size;
    if (stats->table_bytes_peak < stats->table_bytes)
        stats->table_bytes_peak = stats->table_bytes;
    memory->segment =
        query_segment(&adapter->facts, space->paging ? info->paging_segment : info->segment);
    memory->valid = adapter_alloc(adapter, valid_bytes(entries));
    enum vidmm_status status =
        memory->valid ? VIDMM_OK : error_no_memory(adapter, "vidmm page tables");
    if (status == VIDMM_OK)
        status =
            memory->segment ? table_take_place(space, memory, level) : take_pages(adapter, memory);
    if (status == VIDMM_OK)
        status = reach(space, memory);
    if (status == VIDMM_OK)
        status = open_window(space, level, memory);
    if (status)
        table_memory_free(space, memory);
    return status;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* R255: a root of two levels that has at least `*entries`, which becomes how many it has. */
static enum vidmm_status root_size(struct space *space, uint32_t *entries, uint64_t *size) {
    struct vidmm_adapter *adapter = space->adapter;
    const struct mmu *mmu = space->mmu;
    DXGKARG_GETROOTPAGETABLESIZE arg = {.NumberOfPte = *entries,
                                        .PhysicalAdapterIndex = space->physical};
    *size = adapter->ddi->DxgkDdiGetRootPageTableSize(adapter->hadapter, &arg);
    if (*size == 0 || *size % PAGE_BYTES || *size > UINT32_MAX || arg.NumberOfPte < *entries)
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL_ROOT,
                    .field = *size % PAGE_BYTES ? "return value"
                                                : "DXGKARG_GETROOTPAGETABLESIZE.NumberOfPte",
                    .expected = "a multiple of the page size, for at least the entries asked for",
                    .rule = "R255", .page = "nc-d3dkmddi-dxgkddi_getrootpagetablesize",
                    .index = ERROR_NO_INDEX, .value = *size);
    uint32_t most = mmu_entries(mmu, mmu->levels - 1);
    *entries = arg.NumberOfPte < most ? arg.NumberOfPte : most;
    return VIDMM_OK;
}

static enum vidmm_status make_memories(struct table *table, uint64_t root_bytes) {
    struct space *space = table->space;
    const struct mmu *mmu = space->mmu;
    uint64_t size = root_bytes ? root_bytes : mmu->level[table->level].size;
    bool leaf = table->level == 0;
    bool dual = leaf && mmu->pages == MMU_PAGES_DUAL && !has_narrow_pages(space);
    /* In place of the other kind when it is converted: room for both. */
    if (leaf && mmu->pages == MMU_PAGES_SINGLE && mmu->wide_size > size)
        size = mmu->wide_size;
    enum vidmm_status status =
        memory_make(space, table->level, size, table->entries, &table->memory[0]);
    if (status == VIDMM_OK && dual)
        status = memory_make(space, 0, mmu->wide_size,
                             table->entries >> (PAGE_SHIFT_LARGE - PAGE_SHIFT), &table->memory[1]);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void free_table(struct table *table) {
    struct vidmm_adapter *adapter = table->space->adapter;
    table_memory_free(table->space, &table->memory[0]);
    table_memory_free(table->space, &table->memory[1]);
    adapter_free(adapter, table->child, table->child_size * sizeof(*table->child));
    adapter_free(adapter, table, sizeof(*table));
}

/* Could the mapping be made of 64 KiB pages, as far as can be told before it is resident? */
static bool may_be_wide(struct vidmm_adapter *adapter, const struct mapping *mapping) {
    const struct va_use *use = &mapping->use;
    const struct vidmm_allocation *allocation = use->allocation;
    uint64_t all = mapping->start | mapping->end;
    uint32_t set = 0;
    if (use->kind != VA_PAGES)
        return use->kind == VA_NOTHING || !(all & WIDE_MASK);
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        if (adapter->facts.segments[i].flags.Use64KBPages)
            set |= 1u << i;
    }
    if (allocation->segment)
        set &= 1u << (allocation->segment->id - 1u);
    all |= use->origin | use->offset | use->repeat | allocation->size;
    return !(all & WIDE_MASK) && (set & (allocation->read_set | allocation->write_set)) != 0;
}

static bool wants_wide(const struct table *table) {
    const struct space *space = table->space;
    uint64_t end = table_end(table);
    if (table->level != 0 || has_narrow_pages(space) || space->mmu->pages != MMU_PAGES_SINGLE)
        return false;
    for (const struct mapping *mapping = va_find(space->va, table->start);
         mapping && mapping->start < end; mapping = mapping->after) {
        if (!may_be_wide(space->adapter, mapping))
            return false;
    }
    return true;
}

static enum vidmm_status new_table(struct space *space, uint32_t level, uint64_t start,
                                   uint32_t entries, uint64_t root_bytes, struct table **out) {
    struct vidmm_adapter *adapter = space->adapter;
    struct table *table = adapter_alloc(adapter, sizeof(*table));
    if (!table)
        return error_no_memory(adapter, "vidmm page tables");
    *table = (struct table){.space = space, .start = start, .level = level, .entries = entries};
    enum vidmm_status status = VIDMM_OK;
    if (level > 0 && !adapter_grow(adapter, (void **)&table->child, &table->child_size, entries,
                                   sizeof(*table->child)))
        status = error_no_memory(adapter, "vidmm page tables");
    if (status == VIDMM_OK)
        status = make_memories(table, root_bytes);
    if (status) {
        free_table(table);
        return status;
    }
    table->wide = wants_wide(table);
    *out = table;
    if (space->fresh)
        space->fresh_last->next = table;
    else
        space->fresh = table;
    space->fresh_last = table;
    return VIDMM_OK;
}

static enum vidmm_status grow_root(struct space *space, uint32_t entries, uint64_t bytes) {
    struct table *root = space->root;
    struct vidmm_adapter *adapter = space->adapter;
    struct table_memory memory;
    if (!adapter_grow(adapter, (void **)&root->child, &root->child_size, entries,
                      sizeof(*root->child)))
        return error_no_memory(adapter, "vidmm page tables");
    enum vidmm_status status = memory_make(space, root->level, bytes, entries, &memory);
    if (status)
        return status;
    space->old_root = root->memory[0];
    space->old_entries = root->entries;
    space->grown = false;
    root->memory[0] = memory;
    root->entries = entries;
    return VIDMM_OK;
}

/* A root that reaches `last`. */
static enum vidmm_status reach_root(struct space *space, uint64_t last) {
    const struct mmu *mmu = space->mmu;
    uint32_t level = mmu->levels - 1;
    uint32_t need = (uint32_t)(last >> mmu_shift(mmu, level)) + 1;
    uint32_t entries = mmu_entries(mmu, level);
    uint64_t bytes = 0;
    if (space->root && need <= space->root->entries)
        return VIDMM_OK;
    if (mmu_root_grows(mmu)) {
        uint32_t initial = 1u << mmu->level[level].index_bits;
        entries = need > initial || initial > entries ? need : initial;
        enum vidmm_status status = root_size(space, &entries, &bytes);
        if (status)
            return status;
    }
    return space->root ? grow_root(space, entries, bytes)
                       : new_table(space, level, 0, entries, bytes, &space->root);
}

static uint32_t index_in(const struct table *table, uint64_t at) {
    return (uint32_t)((at - table->start) >> mmu_shift(table->space->mmu, table->level));
}

static enum vidmm_status reach_leaf(struct space *space, uint64_t at, uint64_t *end) {
    const struct mmu *mmu = space->mmu;
    struct table *table = space->root;
    while (table->level > 0) {
        uint32_t index = index_in(table, at);
        if (!table->child[index]) {
            uint64_t start = table->start + ((uint64_t)index << mmu_shift(mmu, table->level));
            enum vidmm_status status =
                new_table(space, table->level - 1, start,
                          1u << mmu->level[table->level - 1].index_bits, 0, &table->child[index]);
            if (status)
                return status;
            table->child[index]->parent = table;
            table->children++;
        }
        table = table->child[index];
    }
    *end = table_end(table);
    return VIDMM_OK;
}

static enum vidmm_status prepare_one(struct space *space, uint64_t start, uint64_t end) {
    enum vidmm_status status = reach_root(space, end ? end - 1 : 0);
    for (uint64_t at = start; status == VIDMM_OK && at < end;)
        status = reach_leaf(space, at, &at);
    return status;
}

enum vidmm_status tables_prepare(struct space *space, uint64_t start, uint64_t end,
                                 struct tables_ready *ready) {
    VIDMM_ASSERT_LOCKED(space->adapter);
    enum vidmm_status status = VIDMM_OK;
    for (struct space *one = space; one && status == VIDMM_OK; one = one->peer)
        status = prepare_one(one, start, end);
    if (status)
        tables_drop(space);
    *ready = (struct tables_ready){.space = space};
    return status;
}

enum vidmm_status tables_prepare_roots(struct space *space, struct tables_ready *ready) {
    VIDMM_ASSERT_LOCKED(space->adapter);
    enum vidmm_status status = VIDMM_OK;
    for (struct space *one = space; one && status == VIDMM_OK; one = one->peer) {
        const struct table *root = one->root;
        status = root ? grow_root(one, root->entries, root->memory[0].size) : VIDMM_OK;
    }
    if (status)
        tables_drop(space);
    *ready = (struct tables_ready){.space = space};
    return status;
}

static void keep_one(struct space *space) {
    while (space->fresh) {
        struct table *table = space->fresh;
        space->fresh = table->next;
        table->next = NULL;
    }
    table_memory_free(space, &space->old_root);
}

void tables_keep(struct space *space) {
    for (; space; space = space->peer)
        keep_one(space);
}

static void unlink_table(struct table *table) {
    struct table *parent = table->parent;
    if (!parent) {
        table->space->root = NULL;
        return;
    }
    parent->child[index_in(parent, table->start)] = NULL;
    parent->children--;
}

static void drop_one(struct space *space) {
    struct table *leaves_first = NULL;
    while (space->fresh) {
        struct table *table = space->fresh;
        space->fresh = table->next;
        table->next = leaves_first;
        leaves_first = table;
    }
    while (leaves_first) {
        struct table *table = leaves_first;
        leaves_first = table->next;
        unlink_table(table);
        free_table(table);
    }
    if (space->old_root.size) {
        struct table_memory grown = space->root->memory[0];
        space->root->memory[0] = space->old_root;
        space->root->entries = space->old_entries;
        memset(&space->old_root, 0, sizeof(space->old_root));
        table_memory_free(space, &grown);
    }
}

void tables_drop(struct space *space) {
    for (; space; space = space->peer)
        drop_one(space);
}

/* ---- Finding --------------------------------------------------------------------------------- */

struct table *table_leaf(const struct space *space, uint64_t *at, uint64_t end) {
    const struct mmu *mmu = space->mmu;
    while (*at < end && space->root && *at < table_end(space->root)) {
        struct table *table = space->root;
        while (table && table->level > 0) {
            uint32_t index = index_in(table, *at);
            if (!table->child[index])
                *at = table->start + ((uint64_t)(index + 1) << mmu_shift(mmu, table->level));
            table = table->child[index];
        }
        if (table)
            return table;
    }
    return NULL;
}

/* ---- The end of tables ----------------------------------------------------------------------- */

static bool used(const struct table *table) {
    uint64_t end = table_end(table);
    const struct va *va = table->space->va;
    for (const struct mapping *mapping = va_find(va, table->start); mapping && mapping->start < end;
         mapping = mapping->after) {
        if (mapping->use.kind != VA_NOTHING)
            return true;
    }
    return false;
}

/* Adds to the end of a list. */
static struct table **detach_one(struct space *space, uint64_t start, uint64_t end,
                                 struct table **last) {
    struct table *table;
    for (uint64_t at = start; (table = table_leaf(space, &at, end));) {
        at = table_end(table);
        if (used(table))
            continue;
        while (table->parent && table->children == 0) {
            struct table *parent = table->parent;
            unlink_table(table);
            *last = table;
            last = &table->next;
            table = parent;
        }
    }
    return last;
}

struct table *tables_detach(struct space *space, uint64_t start, uint64_t end) {
    struct table *dying = NULL, **last = &dying;
    for (; space; space = space->peer)
        last = detach_one(space, start, end, last);
    return dying;
}

void tables_attach(struct table *dying) {
    while (dying) {
        struct table *next = dying->next;
        struct table *parent = dying->parent;
        dying->next = NULL;
        parent->child[index_in(parent, dying->start)] = dying;
        parent->children++;
        dying = next;
    }
}

void tables_free(struct table *dying) {
    while (dying) {
        struct table *next = dying->next;
        free_table(dying);
        dying = next;
    }
}

static void free_tree(struct table *table) {
    for (uint32_t i = 0; table->child && i < table->entries; i++) {
        if (table->child[i])
            free_tree(table->child[i]);
    }
    free_table(table);
}

void tables_end(struct space *space) {
    if (space->root)
        free_tree(space->root);
    space->root = NULL;
    space->fresh = NULL;
    table_memory_free(space, &space->old_root);
}
