/*
 * check_test.c - an inconsistency in any of the manager's records is found, under the name of the
 * record: with GPU virtual addresses. core_check_test.c has what only physical ones use.
 */
#include "dirty_world.h"
#include "virtual_players.h"

#include "base/device.h"
#include "base/process.h"
#include "damage.h"
#include "life/paging_queue.h"
#include "memory/placer_block.h"
#include "object/allocation.h"
#include "paging/table.h"

#define DIRTY_UNIT (UINT64_C(16) * 1024)
#define TILES      (UINT64_C(4) * WIDE)

struct scene {
    struct game *game;
    struct vidmm_adapter *adapter;
    struct vidmm_allocation *listed;    /* by both players, in VRAM, mapped by the first */
    struct vidmm_allocation *left;      /* in VRAM, on no list: a victim */
    struct vidmm_allocation *elsewhere; /* in the aperture */
    struct vidmm_allocation *offered;
    struct vidmm_process *process;
    struct vidmm_device *device;
    uint64_t va;
};

/* ---- The scene ------------------------------------------------------------------------------- */

static void fill(struct scene *scene) {
    struct player *first = &scene->game->players[0], *second = &scene->game->players[1];
    scene->listed = make(first, 4 * WIDE, SET(VRAM));
    must_list(first, scene->listed);
    assert_int_equal(vidmm_allocation_open(second->device, scene->listed), VIDMM_OK);
    must_list(second, scene->listed);
    scene->left = make(first, 2 * WIDE, SET(VRAM));
    must_list(first, scene->left);
    evict(first, scene->left, 0);
    scene->elsewhere = make(second, 2 * WIDE, SET(APERTURE));
    must_list(second, scene->elsewhere);
    scene->offered = make(first, 2 * WIDE, SET(VRAM));
    must_list(first, scene->offered);
    assert_int_equal(vidmm_offer(first->device, &scene->offered, 1, VIDMM_OFFER_LOW), VIDMM_OK);
}

static void map_some(struct scene *scene) {
    struct player *player = &scene->game->players[0];
    const struct vidmm_va_request request = {
        .allocation = scene->listed, .size = TILES, .protection = VIDMM_VA_WRITE};
    uint64_t fence;
    assert_int_equal(vidmm_va_map(player->queue, &request, &scene->va, &fence), VIDMM_OK);
    must_submit(player);
}

static struct scene begin(void) {
    struct scene scene = {.game = calloc(1, sizeof(*scene.game))};
    scene.game->world = world_new(2, PAGES_4K, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL);
    scene.game->world->os.assertion_failed = note_finding;
    world_track(scene.game->world, true, (uint32_t)DIRTY_UNIT);
    findings.count = 0;
    game_start(scene.game, 2);
    scene.adapter = scene.game->world->adapter;
    scene.process = scene.game->players[0].process;
    scene.device = scene.game->players[0].device;
    fill(&scene);
    map_some(&scene);
    assert_int_equal(findings.count, 0); /* nor during any of these calls */
    return scene;
}

static struct segment *vram(const struct scene *scene) {
    return &scene->adapter->facts.segments[VRAM - 1];
}

static struct table *leaf(const struct scene *scene) {
    uint64_t at = scene->va;
    struct table *table = table_leaf(scene->process->space, &at, scene->va + TILES);
    assert_non_null(table);
    return table;
}

static struct mapping *range(const struct scene *scene) {
    return va_find(scene->process->space->va, scene->va);
}

static struct residency_entry *entry_of(const struct scene *scene) {
    return residency_entry_find(scene->listed, scene->device);
}

/* ---- Segments and what lies in them ---------------------------------------------------------- */

static void segment_use(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->used, vram(scene)->used - PAGE);
}

static void segment_residents(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->residents, vram(scene)->residents + 1);
}

static void segment_kept(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->kept, vram(scene)->kept + PAGE);
}

static void segment_shared(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->facts.shared.used, 0);
}

static void placer_use(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->placer.used, vram(scene)->placer.used - PAGE);
}

static void placer_gap(void *ctx) {
    struct scene *scene = ctx;
    struct placer_block *block = scene->left->place.block;
    SPOIL(block->pages, block->pages - 1);
}

static void placer_bin(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->placer.class_map, 0);
}

static void place_overlaps(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->place.block, scene->listed->place.block);
}

static void place_outside(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->place.offset, vram(scene)->size);
}

static void place_without_segment(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->segment, NULL);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static void content_in_aperture(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->elsewhere->stale, true);
}

static void lock_count(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->locks, 1);
}

static void shown_offset(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->shown.offset, scene->left->shown.offset + PAGE);
}

static void future_number(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->last_number, UINT64_MAX);
}

static void pinned_victim(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->pinned, true);
}

/* ---- Queues of victims ----------------------------------------------------------------------- */

static void queue_count(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(vram(scene)->queue.count, 0);
}

static void queue_order(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->resident.node.rank, UINT64_MAX);
}

static void queue_turn(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->resident.turn, 0);
}

static void queue_member(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->resident.queue, NULL);
}

/* ---- Residency lists and budgets ------------------------------------------------------------- */

static void list_missing(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->link[CHAIN_MISSING].on, true);
}

static void list_count(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->device->list.chains[CHAIN_ALL].count, 0);
}

static void list_unsettled(void *ctx) {
    struct scene *scene = ctx;
    bool stands = entry_of(scene)->link[CHAIN_UNSETTLED].on;
    SPOIL(entry_of(scene)->link[CHAIN_UNSETTLED].on, !stands);
}

static void list_unused(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->count, 0);
}

static void list_updates(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->queued, 3);
}

static void list_chain(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->listed->residency_entries, scene->listed->residency_entries->other);
}

static void list_queue(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->segment, NULL);
}

static void charged_twice(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->charged, false);
}

static void budget_held(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->process->held[VIDMM_GROUP_LOCAL], 1);
}

static void budget_listed(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->process->listed[VIDMM_GROUP_LOCAL], 1);
}

static void budget_charge_of_one(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(entry_of(scene)->held[VIDMM_GROUP_LOCAL], PAGE);
}

/* ---- Addresses and page tables --------------------------------------------------------------- */

static void range_past_end(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(range(scene)->use.offset, PAGE);
}

static void range_empty(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(range(scene)->end, range(scene)->start);
}

static void range_gap(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->process->space->va->root->gap, UINT64_MAX);
}

static void range_link(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->listed->mappings, NULL);
}

static void range_to_nothing(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(range(scene)->use.kind, VA_NOTHING);
}

static void entry_invalid(void *ctx) {
    struct scene *scene = ctx;
    uint64_t *word = leaf(scene)->memory[0].valid;
    keep(word, sizeof(*word));
    *word = ~*word;
}

static void entry_link(void *ctx) {
    struct scene *scene = ctx;
    uint64_t *word = scene->process->space->root->memory[0].valid;
    keep(word, sizeof(*word));
    *word = 0;
}

static void table_children(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(leaf(scene)->parent->children, 0);
}

static void table_parent(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(leaf(scene)->parent, leaf(scene));
}

static void table_bytes(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->stats.table_bytes, scene->adapter->stats.table_bytes + PAGE);
}

static void table_window(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(leaf(scene)->memory[0].window, scene->adapter->physical[0].spaces.scratch_start - PAGE);
}

static void table_place(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(leaf(scene)->memory[0].place.size, PAGE / 2);
}

static void stale_translation(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->process->space->stale_end, PAGE);
}

/* ---- The GPU's work and the paging queue ----------------------------------------------------- */

static void fence_order(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->fences.nodes[0].completed, scene->adapter->fences.nodes[0].submitted + 1);
}

static void fence_future(void *ctx) {
    struct scene *scene = ctx;
    struct node *node = &scene->adapter->fences.nodes[0];
    assert_true(node->count > 0);
    SPOIL(fence_record(node, 0)->number, UINT64_MAX);
}

static void fence_device(void *ctx) {
    struct scene *scene = ctx;
    struct node *node = &scene->adapter->fences.nodes[0];
    assert_true(node->count > 0);
    SPOIL(fence_record(node, 0)->device, (struct vidmm_device *)ctx);
}

static void paging_rest(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->physical[0].paging.used, 8);
}

static void paging_outstanding(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->outstanding.end, scene->adapter->outstanding.first + 1);
}

static void paging_scratch(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->physical[0].spaces.scratch_next,
          scene->adapter->physical[0].spaces.scratch_end + PAGE);
}

/* ---- Owners ---------------------------------------------------------------------------------- */

static void handle_slot(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->handles.slots[0].object, NULL);
}

static void handle_of_another(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->kernel, scene->listed->kernel);
}

static void resource_alive(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->resource->alive, 2);
}

static void resource_creator(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->left->resource->creator, (struct vidmm_device *)ctx);
}

static void device_count(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->process->devices, 2);
}

static void device_number(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->device->number, 99);
}

static void context_node(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->device->contexts->node, 99);
}

/* ---- Dirty bits ------------------------------------------------------------------------------ */

static void dirty_pending(void *ctx) {
    struct scene *scene = ctx;
    struct dirty_plane *plane = &scene->adapter->dirty.planes[VRAM - 1];
    assert_non_null(plane->pending);
    SPOIL(plane->pending[0], 1);
    SPOIL(plane->written[0], 0);
}

static void dirty_pages(void *ctx) {
    struct scene *scene = ctx;
    struct dirty_plane *plane = &scene->adapter->dirty.planes[VRAM - 1];
    SPOIL(plane->pages, plane->pages - 1);
}

static void dirty_range(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->dirty.bases->ranges[0].offset, 1);
}

static void migration_paused(void *ctx) {
    struct scene *scene = ctx;
    SPOIL(scene->adapter->migration.paused, true);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Which change is found under which name. */
static const struct damage damages[] = {
    CASE(segment_use, "segment 1: the bytes used"),
    CASE(segment_residents, "segment 1: the places"),
    CASE(segment_kept, "segment 1: a range is taken by nobody"),
    CASE(segment_shared, "shared system memory 0: "),
    CASE(placer_use, "placer of segment 1: the bytes used"),
    CASE(placer_gap, "placer of segment 1: a block does not begin"),
    CASE(placer_bin, "placer of segment 1: the map of bins"),
    CASE(place_overlaps, "allocation *: its place is not taken"),
    CASE(place_outside, "allocation *: its place is not taken"),
    CASE(place_without_segment, "allocation *: in no segment, but it has a place"),
    CASE(content_in_aperture, "allocation *: stale in an aperture"),
    CASE(lock_count, "allocation *: the count of locks"),
    CASE(shown_offset, "allocation *: shown at another offset"),
    CASE(future_number, "allocation *: a submission references it"),
    CASE(pinned_victim, "allocation *: in the queue of victims"),
    CASE(queue_count, "queue of segment 1: its members"),
    CASE(queue_order, "queue of segment 1: its members"),
    CASE(queue_turn, "queue of segment 1: its members are not where they belong"),
    CASE(queue_member, "queue of segment 1: "),
    CASE(list_missing, "residency list of device 1: listed as missing"),
    CASE(list_count, "residency list of device 1: a chain"),
    CASE(list_unsettled, "residency list of device 1: listed as not written"),
    CASE(list_unused, "residency list of device 1: an entry counts for nothing"),
    CASE(list_updates, "residency list of device 1: the queued updates"),
    CASE(list_chain, "residency list of device *: an entry is not linked"),
    CASE(list_queue, "residency list of device 1: an entry is in the queue"),
    CASE(charged_twice, "allocation *: not charged to exactly one"),
    CASE(budget_held, "budget of process 1: the bytes held"),
    CASE(budget_listed, "budget of process 1: the bytes listed"),
    CASE(budget_charge_of_one, "budget of process 1: charged with other bytes"),
    CASE(range_past_end, "addresses of process 1: a range leads past"),
    CASE(range_empty, "addresses of process 1: ranges overlap"),
    CASE(range_gap, "addresses of process 1: a node of the treap"),
    CASE(range_link, "addresses of process 1: a range is not linked"),
    CASE(range_to_nothing, "page tables of process 1: an entry is valid"),
    CASE(entry_invalid, "page tables of process 1: an entry is "),
    CASE(entry_link, "page tables of process 1: an entry is valid without"),
    CASE(table_children, "page tables of process 1: the tables below"),
    CASE(table_parent, "page tables of process 1: a table below"),
    CASE(table_bytes, "statistics of page tables 0: their bytes"),
    CASE(table_window, "page tables of process 1: a table's window"),
    CASE(table_place, "page table of process 1: its place"),
    CASE(stale_translation, "page tables of process 1: translations are stale"),
    CASE(fence_order, "fences of node 0: more is completed"),
    CASE(fence_future, "fences of node 0: a submission that is still to come"),
    CASE(fence_device, "fences of node 0: work of a device that is gone"),
    CASE(paging_rest, "paging queue 0: operations were built"),
    CASE(paging_outstanding, "paging queue 0: operations are outstanding"),
    CASE(paging_scratch, "paging process 0: "),
    CASE(handle_slot, "table of kernel handles 0: a slot"),
    CASE(handle_of_another, "allocation *: its kernel handle"),
    CASE(resource_alive, "resource of allocation *: its allocations"),
    CASE(resource_creator, "resource of allocation *: no device"),
    CASE(device_count, "process 1: its devices"),
    CASE(device_number, "device 99: "),
    CASE(context_node, "context of device 1: "),
    CASE(dirty_pending, "dirty plane of segment 1: a page has to be sent"),
    CASE(dirty_pages, "dirty plane of segment 1: its pages"),
    CASE(dirty_range, "memory basis of segment *: a range"),
    CASE(migration_paused, "migration 0: "),
};

static void damage_is_found(void **state) {
    const struct damage *damage = *state;
    struct scene scene = begin();
    expect_found(scene.adapter, damage->inflict, &scene, damage->record);
    game_end(scene.game);
    assert_int_equal(findings.count, 0);
}

int main(void) {
    return damage_run(damages, sizeof(damages) / sizeof(damages[0]), damage_is_found);
}
