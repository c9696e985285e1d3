/*
 * paging.c - the commands that paging buffers are made of: copy, fill, map, unmap, touch.
 */
#include <string.h>

#include "hardware/copy.h"
#include "hardware/hw.h"

#define SYSTEM_BYTES_A_NS 16u
#define VRAM_BYTES_A_NS   128u
#define ENTRY_NS          4u

static void paging_charge(struct hw *hw, struct hw_engine *engine, uint64_t destination,
                          uint64_t source, uint64_t bytes) {
    bool local = engine->translate ? !engine->remote
                                   : hw_in_vram(hw, destination, 1) && hw_in_vram(hw, source, 1);
    engine->cost_ns += bytes / (local ? VRAM_BYTES_A_NS : SYSTEM_BYTES_A_NS);
}

/* ---- Copy ------------------------------------------------------------------------------------ */

/* `ahead`: where the source goes on, for `stream`. */
static void move_piece(void *to, const void *from, size_t bytes, const void *ahead, bool stream) {
    if (stream)
        hw_stream_copy(to, from, bytes, ahead);
    else
        memmove(to, from, bytes);
}

/* Forward, piece by piece. */
static enum gpu_fault copy_walks(struct hw_walk *to, struct hw_walk *from, uint64_t bytes) {
    bool stream = bytes >= HW_STREAM_BYTES;
    enum gpu_fault fault;
    while (bytes != 0) {
        struct hw_piece *in = hw_walk_piece(from, &fault);
        if (!in)
            return fault;
        struct hw_piece *out = hw_walk_piece(to, &fault);
        if (!out)
            return fault;
        uint64_t part = in->bytes < out->bytes ? in->bytes : out->bytes;
        if (!to->hw->no_content)
            move_piece(out->at, in->at, (size_t)part, stream ? hw_walk_ahead(from, part) : NULL,
                       stream);
        if (to->hw->dirty)
            hw_dirty_note(to->hw, out->at, part, HW_DAMAGE_LOSE_COPY);
        bytes -= part;
        hw_walk_take(from, part);
        hw_walk_take(to, part);
    }
    return GPU_FAULT_NONE;
}

/*
 * Two ranges of addresses that share some, `destination` above `source`: the end goes first, in
 * parts that do not overlap. Through apertures and page tables that works a page at a time and no
 * finer.
 */
static enum gpu_fault copy_down(struct hw *hw, struct hw_engine *engine, uint64_t destination,
                                uint64_t source, uint64_t bytes) {
    uint64_t distance = destination - source;
    enum gpu_fault fault = GPU_FAULT_NONE;
    while (bytes != 0 && fault == GPU_FAULT_NONE) {
        uint64_t part = distance < bytes ? distance : bytes;
        struct hw_walk to, from;
        bytes -= part;
        hw_walk_address(&to, hw, engine, GPU_ACCESS_WRITE, destination + bytes, part);
        hw_walk_address(&from, hw, engine, GPU_ACCESS_READ, source + bytes, part);
        fault = copy_walks(&to, &from, part);
    }
    return fault;
}

static enum gpu_fault copy_overlapping(struct hw *hw, struct hw_engine *engine,
                                       const struct gpu_copy *copy) {
    struct hw_walk to, from;
    if (!engine->translate && hw_in_vram(hw, copy->source, 1)) {
        unsigned char *at = hw->vram.bytes + (copy->destination - GPU_VRAM_BASE);
        if (!hw->no_content)
            memmove(at, hw->vram.bytes + (copy->source - GPU_VRAM_BASE), (size_t)copy->bytes);
        hw_wrote(hw, at, copy->bytes);
        return GPU_FAULT_NONE;
    }
    if ((copy->destination - copy->source) % GPU_PAGE != 0)
        return GPU_FAULT_COMMAND;
    if (copy->destination > copy->source)
        return copy_down(hw, engine, copy->destination, copy->source, copy->bytes);
    hw_walk_address(&to, hw, engine, GPU_ACCESS_WRITE, copy->destination, copy->bytes);
    hw_walk_address(&from, hw, engine, GPU_ACCESS_READ, copy->source, copy->bytes);
    return copy_walks(&to, &from, copy->bytes);
}

static bool paging_overlap(const struct gpu_copy *copy) {
    uint64_t distance = copy->destination > copy->source ? copy->destination - copy->source
                                                         : copy->source - copy->destination;
    return !(copy->head.flags & (GPU_FLAG_SOURCE_PAGES | GPU_FLAG_DESTINATION_PAGES)) &&
           distance < copy->bytes;
}

/* A walk over one side; its run list, if it has one, begins at `runs` of the command. */
static void paging_side(struct hw_walk *walk, struct hw *hw, struct hw_engine *engine,
                        const struct gpu_copy *copy, uint16_t pages_flag, uint64_t address,
                        uint32_t runs) {
    if (copy->head.flags & pages_flag)
        hw_walk_runs(walk, hw, engine, engine->cursor + runs, engine->cursor + copy->head.size,
                     copy->bytes);
    else
        hw_walk_address(walk, hw, engine,
                        pages_flag == GPU_FLAG_SOURCE_PAGES ? GPU_ACCESS_READ : GPU_ACCESS_WRITE,
                        address, copy->bytes);
}

static enum gpu_fault copy_linear(struct hw *hw, struct hw_engine *engine,
                                  const struct gpu_copy *copy) {
    struct hw_walk to, from;
    if (paging_overlap(copy))
        return copy_overlapping(hw, engine, copy);
    paging_side(&to, hw, engine, copy, GPU_FLAG_DESTINATION_PAGES, copy->destination,
                sizeof(*copy));
    paging_side(&from, hw, engine, copy, GPU_FLAG_SOURCE_PAGES, copy->source, sizeof(*copy));
    return copy_walks(&to, &from, copy->bytes);
}

static enum gpu_fault copy_tiled(struct hw *hw, struct hw_engine *engine,
                                 const struct gpu_copy *copy, const struct gpu_tiling *tiling) {
    bool tile = (copy->head.flags & GPU_FLAG_TILE) != 0;
    uint32_t runs = sizeof(*copy) + sizeof(*tiling);
    uint64_t at = tiling->offset, end = at + copy->bytes;
    struct hw_walk linear;
    enum gpu_fault fault;
    if (tile)
        paging_side(&linear, hw, engine, copy, GPU_FLAG_SOURCE_PAGES, copy->source, runs);
    else
        paging_side(&linear, hw, engine, copy, GPU_FLAG_DESTINATION_PAGES, copy->destination, runs);
    while (at != end) {
        struct hw_piece *piece = hw_walk_piece(&linear, &fault);
        if (!piece)
            return fault;
        uint64_t part = piece->bytes;
        if (tile)
            hw_tile(hw, copy->destination, tiling->pitch, tiling->surface, at, piece->at, part);
        else
            hw_untile(hw, copy->source, tiling->pitch, tiling->surface, at, piece->at, part);
        at += part;
        hw_walk_take(&linear, part);
    }
    return GPU_FAULT_NONE;
}

/* Behind the other operands. */
static enum gpu_fault copy_tiling(struct hw *hw, struct hw_engine *engine,
                                  const struct gpu_command *head, struct gpu_tiling *tiling) {
    if (head->size < sizeof(struct gpu_copy) + sizeof(*tiling))
        return GPU_FAULT_COMMAND;
    return hw_engine_fetch(hw, engine, engine->cursor + (uint32_t)sizeof(struct gpu_copy), tiling,
                           sizeof(*tiling));
}

/* Operands of a copy, judged. */
static enum gpu_fault copy_operands(struct hw *hw, struct hw_engine *engine,
                                    const struct gpu_command *head, struct gpu_copy *copy,
                                    struct gpu_tiling *tiling) {
    const uint16_t pages = head->flags & (GPU_FLAG_SOURCE_PAGES | GPU_FLAG_DESTINATION_PAGES);
    const uint16_t tiled = head->flags & (GPU_FLAG_TILE | GPU_FLAG_UNTILE);
    enum gpu_fault fault = hw_operands(hw, engine, head, copy, sizeof(*copy));
    if (fault == GPU_FAULT_NONE && tiled)
        fault = copy_tiling(hw, engine, head, tiling);
    if (fault != GPU_FAULT_NONE)
        return fault;
    copy->head = *head;
    if (pages == (GPU_FLAG_SOURCE_PAGES | GPU_FLAG_DESTINATION_PAGES) ||
        tiled == (GPU_FLAG_TILE | GPU_FLAG_UNTILE) ||
        (tiled == GPU_FLAG_TILE && pages == GPU_FLAG_DESTINATION_PAGES) ||
        (tiled == GPU_FLAG_UNTILE && pages == GPU_FLAG_SOURCE_PAGES))
        return GPU_FAULT_COMMAND;
    if (tiled) {
        uint64_t base = tiled == GPU_FLAG_TILE ? copy->destination : copy->source;
        /* A copy may reach beyond the surface, to where the memory manager rounded its size. */
        if (tiling->offset > GPU_MEMORY_LIMIT || copy->bytes > GPU_MEMORY_LIMIT ||
            !hw_tiled_surface(hw, base, tiling->pitch, tiling->surface) ||
            !hw_in_vram(hw, base, tiling->offset + copy->bytes))
            return GPU_FAULT_COMMAND;
    }
    if ((!(pages & GPU_FLAG_SOURCE_PAGES) && tiled != GPU_FLAG_UNTILE &&
         !hw_named(hw, engine, copy->source, copy->bytes)) ||
        (!(pages & GPU_FLAG_DESTINATION_PAGES) && tiled != GPU_FLAG_TILE &&
         !hw_named(hw, engine, copy->destination, copy->bytes)))
        return GPU_FAULT_ADDRESS;
    return GPU_FAULT_NONE;
}

/* One wrong byte in the middle of what a command wrote, as ordered by FaultKind. */
static void damage_copy(struct hw *hw, struct hw_engine *engine, const struct gpu_copy *copy,
                        const struct gpu_tiling *tiling) {
    struct hw_walk to;
    enum gpu_fault fault;
    uint64_t skip = copy->bytes / 2;
    if (copy->head.flags & GPU_FLAG_TILE) {
        hw_walk_address(&to, hw, engine, GPU_ACCESS_WRITE,
                        copy->destination +
                            gpu_tiled(tiling->offset + skip, tiling->pitch, tiling->surface),
                        1);
        skip = 0;
    } else {
        paging_side(&to, hw, engine, copy, GPU_FLAG_DESTINATION_PAGES, copy->destination,
                    copy->head.flags & GPU_FLAG_UNTILE ? sizeof(*copy) + sizeof(*tiling)
                                                       : sizeof(*copy));
    }
    struct hw_piece *piece;
    while ((piece = hw_walk_piece(&to, &fault))) {
        if (skip < piece->bytes) {
            piece->at[skip] ^= 0x10u;
            hw_wrote(hw, &piece->at[skip], 1);
            return;
        }
        skip -= piece->bytes;
        hw_walk_take(&to, piece->bytes);
    }
}

/* Is this side a range of physical addresses? Windows show nothing else. */
static bool paging_plain(const struct hw_engine *engine, const struct gpu_command *head,
                         uint16_t pages_flag) {
    return !engine->translate && !(head->flags & pages_flag);
}

enum gpu_fault hw_copy_command(struct hw *hw, struct hw_engine *engine,
                               const struct gpu_command *head) {
    struct gpu_copy copy;
    struct gpu_tiling tiling = {0};
    enum gpu_fault fault = copy_operands(hw, engine, head, &copy, &tiling);
    if (fault != GPU_FAULT_NONE || copy.bytes == 0)
        return fault;
    bool tile = (head->flags & GPU_FLAG_TILE) != 0, untile = (head->flags & GPU_FLAG_UNTILE) != 0;
    if (hw_damaged(hw, HW_DAMAGE_DROP))
        return GPU_FAULT_NONE;
    if (paging_plain(engine, head, GPU_FLAG_SOURCE_PAGES))
        hw_ranges_before(hw, copy.source, copy.bytes + (untile ? tiling.surface : 0));
    if (paging_plain(engine, head, GPU_FLAG_DESTINATION_PAGES))
        hw_ranges_before(hw, copy.destination, copy.bytes + (tile ? tiling.surface : 0));
    fault =
        tile || untile ? copy_tiled(hw, engine, &copy, &tiling) : copy_linear(hw, engine, &copy);
    if (fault == GPU_FAULT_NONE &&
        hw_damaged(hw, tile || untile ? HW_DAMAGE_SWIZZLE : HW_DAMAGE_COPY))
        damage_copy(hw, engine, &copy, &tiling);
    if (paging_plain(engine, head, GPU_FLAG_DESTINATION_PAGES))
        hw_ranges_after(hw, copy.destination, copy.bytes + (tile ? tiling.surface : 0));
    paging_charge(hw, engine, copy.destination, copy.source, copy.bytes);
    return fault;
}

/* ---- Fill ------------------------------------------------------------------------------------ */

static enum gpu_fault fill_walk(struct hw_walk *to, uint32_t pattern, uint64_t bytes) {
    bool stream = bytes >= HW_STREAM_BYTES;
    enum gpu_fault fault;
    while (bytes != 0) {
        struct hw_piece *piece = hw_walk_piece(to, &fault);
        if (!piece)
            return fault;
        uint64_t part = piece->bytes;
        if (!to->hw->no_content)
            (stream ? hw_stream_fill : hw_plain_fill)(piece->at, pattern, (size_t)part);
        if (to->hw->dirty)
            hw_dirty_note(to->hw, piece->at, part, HW_DAMAGE_LOSE_FILL);
        /* A piece that is no multiple of the pattern turns it for the next one. */
        uint32_t turn = (uint32_t)(part % 4) * 8;
        if (turn != 0)
            pattern = pattern >> turn | pattern << (32 - turn);
        bytes -= part;
        hw_walk_take(to, part);
    }
    return GPU_FAULT_NONE;
}

enum gpu_fault hw_fill_command(struct hw *hw, struct hw_engine *engine,
                               const struct gpu_command *head) {
    struct gpu_fill fill;
    struct hw_walk to;
    enum gpu_fault fault = hw_operands(hw, engine, head, &fill, sizeof(fill));
    if (fault != GPU_FAULT_NONE || fill.bytes == 0)
        return fault;
    bool pages = (head->flags & GPU_FLAG_DESTINATION_PAGES) != 0;
    if (!pages && !hw_named(hw, engine, fill.destination, fill.bytes))
        return GPU_FAULT_ADDRESS;
    if (pages)
        hw_walk_runs(&to, hw, engine, engine->cursor + (uint32_t)sizeof(fill),
                     engine->cursor + head->size, fill.bytes);
    else
        hw_walk_address(&to, hw, engine, GPU_ACCESS_WRITE, fill.destination, fill.bytes);
    if (paging_plain(engine, head, GPU_FLAG_DESTINATION_PAGES))
        hw_ranges_before(hw, fill.destination, fill.bytes);
    fault = fill_walk(&to, fill.pattern, fill.bytes);
    if (fault == GPU_FAULT_NONE && hw_damaged(hw, HW_DAMAGE_FILL)) {
        struct gpu_copy as_copy = {*head, fill.destination, 0, fill.bytes};
        damage_copy(hw, engine, &as_copy, &(struct gpu_tiling){0});
    }
    if (paging_plain(engine, head, GPU_FLAG_DESTINATION_PAGES))
        hw_ranges_after(hw, fill.destination, fill.bytes);
    paging_charge(hw, engine, fill.destination, fill.destination, fill.bytes);
    return fault;
}

/* ---- Aperture pages -------------------------------------------------------------------------- */

static enum gpu_fault aperture_range(struct hw *hw, uint32_t index, uint64_t first, uint64_t pages,
                                     hw_entry **entries) {
    if (index >= GPU_APERTURES || first > hw->aperture[index].pages ||
        pages > hw->aperture[index].pages - first)
        return GPU_FAULT_ADDRESS;
    *entries = hw->aperture[index].entries + first;
    return GPU_FAULT_NONE;
}

/* What FaultKind 3 maps in place of `pfn`: a neighbour that exists. */
static uint64_t wrong_page(struct hw *hw, uint64_t pfn) {
    bool above = hw->host.memory(hw->host.ctx, (pfn + 1) * GPU_PAGE, GPU_PAGE);
    return above || pfn == 0 ? pfn + 1 : pfn - 1;
}

enum gpu_fault hw_map_command(struct hw *hw, struct hw_engine *engine,
                              const struct gpu_command *head) {
    struct gpu_map map;
    hw_entry *entries;
    uint32_t at = engine->cursor + (uint32_t)sizeof(map), end = engine->cursor + head->size;
    uint64_t flags = HW_ENTRY_VALID | (head->flags & GPU_FLAG_COHERENT ? HW_ENTRY_COHERENT : 0);
    enum gpu_fault fault = hw_operands(hw, engine, head, &map, sizeof(map));
    if (fault == GPU_FAULT_NONE)
        fault = aperture_range(hw, map.aperture, map.first, map.pages, &entries);
    if (fault != GPU_FAULT_NONE)
        return fault;
    bool wrong = hw_damaged(hw, HW_DAMAGE_MAP);
    for (uint64_t page = 0; page < map.pages; at += 8) {
        uint64_t run;
        if (end - at < sizeof(run))
            return GPU_FAULT_COMMAND;
        fault = hw_engine_fetch(hw, engine, at, &run, sizeof(run));
        if (fault != GPU_FAULT_NONE)
            return fault;
        uint64_t pfn = GPU_RUN_PFN(run), count = GPU_RUN_PAGES(run);
        for (; count != 0 && page < map.pages; count--, pfn++, page++) {
            uint64_t mapped = wrong && page == 0 ? wrong_page(hw, pfn) : pfn;
            atomic_store_explicit(&entries[page], mapped * GPU_PAGE | flags, memory_order_release);
        }
    }
    engine->cost_ns += (uint64_t)map.pages * ENTRY_NS;
    return GPU_FAULT_NONE;
}

enum gpu_fault hw_unmap_command(struct hw *hw, struct hw_engine *engine,
                                const struct gpu_command *head) {
    struct gpu_unmap unmap;
    hw_entry *entries;
    enum gpu_fault fault = hw_operands(hw, engine, head, &unmap, sizeof(unmap));
    if (fault == GPU_FAULT_NONE && unmap.dummy % GPU_PAGE != 0)
        fault = GPU_FAULT_COMMAND;
    if (fault == GPU_FAULT_NONE)
        fault = aperture_range(hw, unmap.aperture, unmap.first, unmap.pages, &entries);
    if (fault != GPU_FAULT_NONE)
        return fault;
    uint64_t page = unmap.pages != 0 && hw_damaged(hw, HW_DAMAGE_UNMAP) ? 1 : 0;
    for (; page < unmap.pages; page++)
        atomic_store_explicit(&entries[page], unmap.dummy | HW_ENTRY_VALID, memory_order_release);
    engine->cost_ns += (uint64_t)unmap.pages * ENTRY_NS;
    return GPU_FAULT_NONE;
}

/* ---- Touching -------------------------------------------------------------------------------- */

enum gpu_fault hw_touch_command(struct hw *hw, struct hw_engine *engine,
                                const struct gpu_command *head) {
    struct gpu_touch touch;
    unsigned char byte;
    enum gpu_fault fault = hw_operands(hw, engine, head, &touch, sizeof(touch));
    if (fault == GPU_FAULT_NONE)
        fault = hw_read(hw, hw_operand_space(engine), GPU_ACCESS_READ, touch.address, &byte, 1);
    if (fault == GPU_FAULT_NONE && head->opcode == GPU_WRITE)
        fault = hw_write(hw, hw_operand_space(engine), touch.address, &byte, 1);
    return fault;
}
