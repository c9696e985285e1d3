/*
 * check_segments.c - the places in the segments: of allocations, DMA buffers, paging buffers and
 * page tables. Each place is a taken range of its segment's placer, which hands out disjoint ones;
 * and the sums of all places are what the segments count, so that no range is taken twice, and none
 * is taken without an owner.
 */
#include "base/process.h"
#include "memory/placer_block.h"
#include "object/allocation.h"
#include "check/bookkeeping.h"

/* What lies in one segment. */
struct placed {
    uint64_t bytes;  /* of all places */
    uint64_t ranges; /* of those in the placer, without the video protected range */
    uint64_t tables; /* of page tables */
    uint32_t count;
};

struct census {
    struct vidmm_adapter *adapter;
    struct placed placed[SEGMENTS_TOTAL];
};

static bool segment_of_adapter(const struct vidmm_adapter *adapter, const struct segment *segment) {
    return segment && query_segment(&adapter->facts, segment->id) == segment;
}

/* `block` is taken, and is [offset, offset + size). */
static bool block_is(const struct placement *place, const struct placer_block *block,
                     uint64_t offset, uint64_t size) {
    return block && block->pages && !placer_is_free(block) && block->previous->next == block &&
           placer_offset(place->placer, block) == offset &&
           placer_size(place->placer, block) == size;
}

static bool extents_agree(const struct placement *place) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < place->extent_count; i++) {
        const struct extent *extent = &place->extents[i];
        if (extent->at != at || !block_is(place, extent->block, extent->offset, extent->size))
            return false;
        at += extent->size;
    }
    return at == place->size && place->offset == place->extents[0].offset;
}

static bool place_agrees(const struct segment *segment, const struct placement *place) {
    if (place->floating)
        return segment->aperture && !place->block && !place->extents;
    if (place->placer != &segment->placer && place->placer != &segment->vpr_placer)
        return false;
    return place->extents ? extents_agree(place)
                          : block_is(place, place->block, place->offset, place->size);
}

/* Counts a place, and says whether it can be one. */
static void check_place(struct census *census, struct segment *segment,
                        const struct placement *place, struct check_object object) {
    bool known = segment_of_adapter(census->adapter, segment);
    CHECK(census->adapter, known, object, "the segment is none of the adapter's");
    if (!known)
        return;
    struct placed *placed = &census->placed[segment->id - 1];
    CHECK(census->adapter, place_agrees(segment, place), object,
          "its place is not taken in its segment");
    CHECK(census->adapter, place->size % segment->page_size == 0 && place->size, object,
          "its place is no multiple of the segment's page");
    placed->bytes += place->size;
    placed->count++;
    if (place->placer == &segment->placer && !place->floating)
        placed->ranges += place->size;
}

/* ---- Owners of places ------------------------------------------------------------------------ */

static void check_allocation_place(void *ctx, struct vidmm_allocation *allocation) {
    struct census *census = ctx;
    const struct placement *place = &allocation->place;
    struct segment *segment = allocation->segment;
    struct check_object object = check_allocation(allocation);
    if (!segment) {
        CHECK(census->adapter, !place->block && !place->extents && !place->size, object,
              "in no segment, but it has a place");
        return;
    }
    check_place(census, segment, place, object);
    bool in_vpr = place->placer == &segment->vpr_placer;
    CHECK(census->adapter, place->size >= allocation->size, object,
          "its place is smaller than it is");
    CHECK(census->adapter, in_vpr == allocation_in_vpr(allocation), object,
          "not in the video protected range, or there without CreateInVpr");
    CHECK(census->adapter,
          place->extents || place->floating || !allocation->info.Alignment ||
              place->offset % allocation->info.Alignment == 0,
          object, "its place is not aligned");
    CHECK(census->adapter, !place->extents || !allocation_contiguous(allocation), object,
          "scattered, and it has to lie in one row");
}

static void check_buffer(struct census *census, const struct dma_buffer *buffer,
                         struct check_object object) {
    if (buffer->place.block)
        check_place(census, buffer->segment, &buffer->place, object);
}

static void check_contexts(struct census *census, const struct vidmm_device *device) {
    const struct vidmm_context *context = device ? device->contexts : NULL;
    for (; context; context = context->next) {
        for (uint32_t i = 0; i < DMA_BUFFERS; i++)
            check_buffer(census, &context->dma.buffers[i],
                         check_object("DMA buffer of device", device->number));
    }
}

static void check_memory(struct census *census, const struct table_memory *memory,
                         struct check_object object) {
    if (!memory->size || !memory->segment)
        return;
    check_place(census, memory->segment, &memory->place, object);
    if (segment_of_adapter(census->adapter, memory->segment))
        census->placed[memory->segment->id - 1].tables += memory->place.size;
}

static void check_tree(struct census *census, const struct table *table,
                       struct check_object object) {
    check_memory(census, &table->memory[0], object);
    check_memory(census, &table->memory[1], object);
    for (uint32_t i = 0; table->child && i < table->entries; i++) {
        if (table->child[i])
            check_tree(census, table->child[i], object);
    }
}

static void check_space_places(struct census *census, const struct vidmm_process *process) {
    if (!process)
        return;
    struct check_object object = check_object("page table of process", process->number);
    for (const struct space *space = process->space; space; space = space->peer) {
        if (space->root)
            check_tree(census, space->root, object);
        check_memory(census, &space->old_root, object);
    }
}

static void take_census(struct census *census) {
    struct vidmm_adapter *adapter = census->adapter;
    allocation_each(adapter, check_allocation_place, census);
    for (const struct vidmm_device *device = adapter->devices.first; device; device = device->next)
        check_contexts(census, device);
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        for (uint32_t b = 0; b <= PAGING_BUFFERS; b++)
            check_buffer(census, &adapter->physical[i].paging.buffers[b],
                         check_object("paging buffer", b));
        check_space_places(census, adapter->physical[i].process);
    }
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next)
        check_space_places(census, one);
}

/* ---- What the segments count ----------------------------------------------------------------- */

static void check_sums(struct vidmm_adapter *adapter, const struct segment *segment,
                       const struct placed *placed) {
    struct check_object object = check_object("segment", segment->id);
    CHECK(adapter, segment->used == placed->bytes, object,
          "the bytes used are not the sum of the places");
    CHECK(adapter, segment->residents == placed->count, object,
          "the places are not as many as counted");
    CHECK(adapter, segment->used <= segment->peak, object, "its peak is below what is used");
    CHECK(adapter, !segment->aperture || segment->used <= segment->commit_limit, object,
          "more is mapped than its commit limit");
    CHECK(adapter, segment->kept >= placed->tables, object,
          "page tables are not counted as kept from processes");
    /* What was withheld at the start, the whole protected range with it, is taken as well. */
    CHECK(adapter, segment->placer.used == placed->ranges + (segment->kept - placed->tables),
          object, "a range is taken by nobody");
}

void check_segments(struct vidmm_adapter *adapter) {
    struct census census = {.adapter = adapter};
    uint64_t shared = 0;
    take_census(&census);
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        check_placer(adapter, &segment->placer, check_object("placer of segment", segment->id));
        check_placer(adapter, &segment->vpr_placer,
                     check_object("placer of the protected range of segment", segment->id));
        check_sums(adapter, segment, &census.placed[i]);
        shared += segment->aperture ? segment->used : 0;
    }
    CHECK(adapter, adapter->facts.shared.used == shared, check_object("shared system memory", 0),
          "the bytes used are not the sum over the apertures");
    CHECK(adapter, shared <= adapter->facts.shared.limit, check_object("shared system memory", 0),
          "more is used than its limit");
}
