/*
 * stage_room.c - paging operations in a paging buffer with little room left: none, a byte, a byte
 * less than the operation needs, a page. As with every system, a buffer begins whole and another
 * operation uses the room. The driver may return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER while its
 * operation makes progress, and must not write behind the buffer; each operation must take effect
 * once. At the end commands of an application have more than one DMA buffer (raw_draw.c), and so have the
 * rectangles of a present and the commands of GDI (raw_present.c).
 */
#include "carry.h"
#include "raw.h"

#include <vidmm/virtual.h>

#define PATTERN 0x5a17c0deu
#define ROOMS   24u

/* An operation and a check of its effect. The referee judges the effect, too. */
struct trial {
    const char *name;
    bool (*possible)(const struct raw_submitter *raw);
    bool (*before)(struct raw_submitter *raw); /* and done; NULL: nothing */
    bool (*first)(struct raw_submitter *raw);  /* into the same buffer */
    bool (*build)(struct raw_submitter *raw);
    bool (*after)(struct raw_submitter *raw); /* and done; NULL: nothing */
    uint32_t rule;                            /* judged by `good`; 0: not judged */
    bool (*good)(struct raw_submitter *raw);
};

/* ---- Operations ------------------------------------------------------------------------------ */

static bool with_memory(const struct raw_submitter *raw) {
    return raw->memory.id != 0;
}

static bool named(const struct raw_submitter *raw) {
    return with_memory(raw) && raw->allocation;
}

static bool with_aperture(const struct raw_submitter *raw) {
    return with_memory(raw) && raw->aperture.id != 0;
}

static bool in(struct raw_submitter *raw) {
    const struct raw_piece all = {.pages = RAW_PAGES, .in = true};
    return raw_transfer(raw, &all);
}

static bool out(struct raw_submitter *raw) {
    const struct raw_piece all = {.pages = RAW_PAGES};
    return raw_transfer(raw, &all);
}

static bool all_out(struct raw_submitter *raw) {
    return raw_move(raw, false, RAW_PAGES);
}

static bool room_fill(struct raw_submitter *raw) {
    return raw_fill(raw, 0, RAW_PAGES, PATTERN);
}

static bool filled(struct raw_submitter *raw) {
    bool good = true;
    for (uint32_t page = 0; page < RAW_PAGES; page++)
        good = good && raw_filled(raw, page, PATTERN);
    return good;
}

static bool map(struct raw_submitter *raw) {
    return raw_map(raw, &raw->aperture, 0, RAW_PAGES, raw->target, 0);
}

static bool unmap(struct raw_submitter *raw) {
    return raw_unmap(raw, &raw->aperture, 0, RAW_PAGES);
}

/* What is in memory goes to the pages that are mapped: where others are, as a finding says, nothing is sent there. */
static bool show_and_unmap(struct raw_submitter *raw) {
    return (raw_explained(raw) || raw_move_through(raw, 0, 0, RAW_PAGES)) && unmap(raw);
}

/* Without memory: another page of the aperture is what comes first in the buffer. */
static bool alone(const struct raw_submitter *raw) {
    return raw->memory.id == 0;
}

static bool map_one(struct raw_submitter *raw) {
    return raw_map(raw, &raw->aperture, RAW_PAGES, 1, raw->source, 0);
}

static bool unmap_one(struct raw_submitter *raw) {
    return raw_unmap(raw, &raw->aperture, RAW_PAGES, 1);
}

static bool unmap_both(struct raw_submitter *raw) {
    return unmap(raw) && unmap_one(raw);
}

static bool alone_unseen(const struct raw_submitter *raw) {
    return alone(raw) && !raw->through;
}

static bool alone_through(const struct raw_submitter *raw) {
    return alone(raw) && raw->through;
}

static bool show_and_unmap_both(struct raw_submitter *raw) {
    return show_and_unmap(raw) && unmap_one(raw);
}

static bool flush_write(struct raw_submitter *raw) {
    return raw_touch(raw, RAW_PAGES + 1, true);
}

/* A fill comes first, as for a new allocation, and after a discard. */
static const struct trial trials[] = {
    {"map, without memory", alone_unseen, NULL, map_one, map, unmap_both, 0, NULL},
    {"map, without memory", alone_through, NULL, map_one, map, show_and_unmap_both, 194, raw_same},
    {"unmap, without memory", alone, map, map_one, unmap, unmap_one, 0, NULL},
    {"fill", named, NULL, room_fill, room_fill, all_out, 188, filled},
    {"transfer in", with_memory, NULL, out, in, all_out, 161, raw_same},
    {"transfer out", with_memory, NULL, in, out, NULL, 161, raw_same},
    {"map", with_aperture, NULL, in, map, show_and_unmap, 194, raw_same},
    {"unmap", with_aperture, map, out, unmap, NULL, 0, NULL},
    {"write", with_memory, NULL, out, flush_write, NULL, 0, NULL},
    {"discard", named, NULL, room_fill, raw_discard, NULL, 0, NULL},
};

/* ---- Rooms ----------------------------------------------------------------------------------- */

/* An operation that is not tested, in a buffer of its own. */
static bool aside(struct raw_submitter *raw, bool (*what)(struct raw_submitter *raw)) {
    return raw_flush(raw) && (!what || (what(raw) && raw_flush(raw)));
}

/* One operation behind another; `*bytes`: its size in the last buffer. */
static bool one_trial(struct raw_submitter *raw, const struct trial *trial, uint32_t room,
                      uint32_t *bytes) {
    raw_paint(raw, raw->source, 3);
    raw_paint(raw, raw->target, 2);
    if (!aside(raw, trial->before) || !trial->first(raw))
        return false;
    uint32_t taken = raw->used;
    raw_shorten(raw, room);
    if (!trial->build(raw))
        return false;
    *bytes = raw->used - (raw->used > taken ? taken : 0);
    if (!raw_flush(raw))
        return false;
    if (raw->carrier)
        *bytes = carry_took();
    if (!aside(raw, trial->after))
        return false;
    if (trial->good)
        raw_judge(raw, trial->rule, trial->good(raw), "an operation that is done once, room or not",
                  "other bytes after an operation that had little room");
    return true;
}

/* Sizes near those of the operation and of its parts, and some others. */
static uint32_t choose_rooms(uint32_t bytes, uint32_t rooms[ROOMS]) {
    static const uint32_t odd[] = {0, 1, 3, 4, 7, 8, 15, 16, 24, 31, 32, 33, 48, 63, 64, 100};
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        rooms[count++] = odd[i];
    if (bytes > 1) {
        rooms[count++] = bytes / 2;
        rooms[count++] = bytes - 1;
        rooms[count++] = bytes;
        rooms[count++] = bytes + 1;
    }
    rooms[count++] = CHECK_PAGE - 1;
    rooms[count++] = CHECK_PAGE;
    return count;
}

/* First with all room, to measure its size. */
static bool all_rooms(struct raw_submitter *raw, const struct trial *trial) {
    uint32_t rooms[ROOMS], bytes = 0, last;
    check_step(raw->check, "room: %s", trial->name);
    bool good = one_trial(raw, trial, RAW_WHOLE, &bytes);
    uint32_t count = choose_rooms(bytes, rooms);
    for (uint32_t i = 0; good && i < count; i++) {
        check_step(raw->check, "room: %s into %u bytes", trial->name, rooms[i]);
        good = one_trial(raw, trial, rooms[i], &last);
    }
    return good;
}

static void trials_run(struct raw_submitter *raw) {
    for (uint32_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
        if (trials[i].possible(raw) && !all_rooms(raw, &trials[i]))
            break;
}

/* In paging buffers of the manager. */
static bool carried(struct user *user) {
    struct raw_submitter raw;
    if (raw_open_carried(&raw, user, 0) && raw_is_free(&raw, 0, RAW_PAGES + 1))
        trials_run(&raw);
    raw_close_carried(&raw);
    return !raw.refused;
}

/* Presents of a driver that pages by GPU virtual address. */
static enum vidmm_stage_outcome presented(struct check *check) {
    static const struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)4 << 20}}};
    struct vidmm_gpummu_info mmu;
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &mmu);
    if (mmu.on && check->options->linked <= 1)
        raw_presents_managed(check);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome stage_room(struct check *check, uint32_t number) {
    static const struct check_setup over_manager = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}, .table = carry_table};
    static const struct check_setup worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20},
                      {"PagingBufferBytes", CHECK_PAGE},
                      {"PagingPrivateBytes", 64}}},
    };
    /* Paging by address goes wrong in other ways by the same mistakes. */
    static const uint16_t known[] = {152, 153, 154, 161, 188};
    struct raw_submitter raw;
    check_step(check, "room: run %u", number + 1);
    if (number == sizeof(worlds) / sizeof(worlds[0]))
        return check_broke(check, known, sizeof(known) / sizeof(known[0]))
                   ? VIDMM_STAGE_DONE
                   : raw_carried_run(check, &over_manager, carried);
    if (number > sizeof(worlds) / sizeof(worlds[0]))
        return presented(check);
    if (!check_open(check, &worlds[number]))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = raw_open_aperture(&raw, check);
    if (opened != VIDMM_STAGE_DONE)
        return raw_unopened(&raw, opened);
    raw.through = alone(&raw) && raw_moves_through(&raw);
    trials_run(&raw);
    if (number == 0 && !raw.refused)
        raw_draws(&raw);
    if (number == 0 && !raw.refused)
        raw_damaged(&raw);
    if (number == 0 && !raw.refused)
        raw_presents(&raw);
    if (number == 0 && !raw.refused)
        raw_draws_last(&raw);
    return raw_close(&raw);
}
