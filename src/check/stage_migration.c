/*
 * stage_migration.c - a live migration of the adapter to itself, in pauses of a short workload:
 * dirty pages are read round by round; then all memory in use is overwritten, the driver gets the
 * state of another GPU, and both are restored. The workload goes on from there, and its bytes must
 * be what they were.
 */
#include "user.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/migration.h>
#include <vidmm/umd.h>

#define VRAM   (UINT64_C(24) << 20)
#define FRAMES 24u
#define ROUNDS 3u
#define POISON 0xd7

/* State of the stage between the pauses. */
static struct {
    uint32_t rounds;
    bool moved, refused, able;
    void *board; /* immutable data of the source */
    size_t board_size;
    struct user tenant; /* whose surface is in an aperture all the time */
    bool inhabited;
} stage;

static bool good(struct check *check, enum vidmm_status status) {
    stage.refused = stage.refused || !check_good(check, status);
    return !stage.refused;
}

/* ---- Apertures ------------------------------------------------------------------------------- */

#define TENANT_PAGES 4u

/* What is mapped there is state of the driver's own. The workload has nothing that needs an aperture. */
static bool move_in(struct check *check) {
    const uint32_t surface = 0;
    if (!check_speaks(check))
        return true;
    stage.inhabited = user_open(check, &stage.tenant);
    return stage.inhabited &&
           user_make(&stage.tenant, 0, VIDMM_UMD_ACCESSED_PHYSICALLY, TENANT_PAGES) &&
           user_make_resident(&stage.tenant, NULL, &surface, 1, 0) && user_rest(&stage.tenant);
}

static void move_out(void) {
    if (stage.inhabited)
        user_close(&stage.tenant);
    stage.inhabited = false;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* All pieces of a segment, in order. */
struct copy {
    uint32_t segment, count;
    struct vidmm_memory_range *ranges;
    uint64_t size;
    unsigned char *bytes;
};

static void migration_drop(struct check *check, struct copy *copy) {
    vidmm_migration_release_ranges(check->harness.adapter, copy->ranges, copy->count);
    free(copy->bytes);
    *copy = (struct copy){.count = 0};
}

static void measure(struct check *check, struct copy *copy) {
    for (uint32_t i = 0; i < copy->count; i++)
        copy->size += copy->ranges[i].size;
    copy->bytes = check_memory(check, (size_t)copy->size + 1);
}

typedef enum vidmm_status mover(struct check *check, uint32_t segment,
                                const struct vidmm_memory_range *ranges, uint32_t count,
                                unsigned char *bytes);

static enum vidmm_status read_pieces(struct check *check, uint32_t segment,
                                     const struct vidmm_memory_range *ranges, uint32_t count,
                                     unsigned char *bytes) {
    return vidmm_migration_read(check->harness.adapter, segment, ranges, count, bytes);
}

static enum vidmm_status write_pieces(struct check *check, uint32_t segment,
                                      const struct vidmm_memory_range *ranges, uint32_t count,
                                      unsigned char *bytes) {
    return vidmm_migration_write(check->harness.adapter, segment, ranges, count, bytes);
}

#define BATCH 64u

/* As many pieces as there are staging pages; the last piece may be cut. */
static bool migration_move(struct check *check, const struct copy *copy, mover *one) {
    uint64_t done = 0, inside = 0;
    for (uint32_t i = 0; copy->bytes && i < copy->count;) {
        struct vidmm_memory_range batch[BATCH];
        uint64_t size = 0;
        uint32_t count = 0;
        for (; i < copy->count && count < BATCH && size < VIDMM_MIGRATION_STAGING; count++) {
            uint64_t left = copy->ranges[i].size - inside, room = VIDMM_MIGRATION_STAGING - size;
            batch[count].offset = copy->ranges[i].offset + inside;
            batch[count].size = left < room ? left : room;
            size += batch[count].size;
            inside += batch[count].size;
            if (inside == copy->ranges[i].size)
                inside = 0, i++;
        }
        if (!good(check, one(check, copy->segment, batch, count, copy->bytes + done)))
            return false;
        done += size;
    }
    return copy->bytes;
}

static bool next_memory(struct check *check, uint32_t *id) {
    struct vidmm_segment_info info = {.aperture = true};
    while (vidmm_segment_info(check->harness.adapter, ++*id, &info))
        if (!info.aperture)
            return true;
    return false;
}

static void read_round(struct check *check) {
    for (uint32_t id = 0; !stage.refused && next_memory(check, &id);) {
        struct copy copy = {.segment = id};
        if (good(check,
                 vidmm_migration_dirty(check->harness.adapter, id, &copy.ranges, &copy.count))) {
            measure(check, &copy);
            (void)migration_move(check, &copy, read_pieces);
        }
        migration_drop(check, &copy);
    }
}

/* ---- The driver's own state ------------------------------------------------------------------ */

struct state {
    void *data;
    size_t size;
};

typedef NTSTATUS APIENTRY saver(const HANDLE adapter,
                                DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *args);

/* Into a buffer that is a byte too short; what the driver answers is its own affair. */
static void save_shortly(struct check *check, saver *save) {
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    UINT64 size = 0;
    DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA args = {.DataSize = &size};
    if (save(adapter, &args) != STATUS_SUCCESS || size < 2)
        return;
    args.Data = check_memory(check, (size_t)size);
    if (!args.Data)
        return;
    size--;
    vidmm_referee_short_buffers(check->harness.referee, true);
    (void)save(adapter, &args);
    vidmm_referee_short_buffers(check->harness.referee, false);
    free(args.Data);
}

static void migration_save(struct check *check, struct state *state) {
    save_shortly(check, check->harness.spoken.DxgkDdiSaveMutableMigrationData);
    (void)good(check, vidmm_migration_save(check->harness.adapter, VIDMM_MIGRATION_MUTABLE,
                                           &state->data, &state->size));
}

/* Called right after the preparation; for the target, which is prepared later. */
static void keep_board(struct check *check) {
    struct state state = {NULL, 0};
    save_shortly(check, check->harness.spoken.DxgkDdiSaveImmutableMigrationData);
    if (!good(check, vidmm_migration_save(check->harness.adapter, VIDMM_MIGRATION_IMMUTABLE,
                                          &state.data, &state.size)))
        return;
    stage.board = check_memory(check, state.size + 1);
    if (stage.board) {
        memcpy(stage.board, state.data, state.size);
        stage.board_size = state.size;
    }
    vidmm_migration_release(check->harness.adapter, state.data, state.size);
}

static void migration_release(struct check *check, struct state *state) {
    vidmm_migration_release(check->harness.adapter, state->data, state->size);
    *state = (struct state){NULL, 0};
}

/* Invalid data; the referee judges the driver's answer. */
static void show_others(struct check *check) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    unsigned char *other = check_memory(check, stage.board_size + 1);
    check_step(check, "migration: state of another GPU");
    for (size_t i = 0; other && i < stage.board_size; i++)
        other[i] = (unsigned char)~((const unsigned char *)stage.board)[i];
    if (other && stage.board_size != 0) {
        (void)vidmm_migration_restore(adapter, VIDMM_MIGRATION_IMMUTABLE, other, stage.board_size);
        (void)vidmm_migration_restore(adapter, VIDMM_MIGRATION_IMMUTABLE, stage.board,
                                      stage.board_size / 2);
        (void)vidmm_migration_restore(adapter, VIDMM_MIGRATION_IMMUTABLE, other, 0);
    }
    free(other);
}

/* ---- From the adapter to itself -------------------------------------------------------------- */

#define SEGMENTS 8u

struct whole {
    struct state mutable;
    struct copy copies[SEGMENTS];
    uint32_t count;
};

static void read_all(struct check *check, struct whole *whole) {
    for (uint32_t id = 0; whole->count < SEGMENTS && !stage.refused && next_memory(check, &id);) {
        struct copy *copy = &whole->copies[whole->count++];
        copy->segment = id;
        if (!good(check,
                  vidmm_migration_used(check->harness.adapter, id, &copy->ranges, &copy->count)))
            return;
        measure(check, copy);
        (void)migration_move(check, copy, read_pieces);
    }
}

static void poison(struct check *check, const struct copy *copy) {
    struct copy other = *copy;
    other.bytes = check_memory(check, (size_t)copy->size + 1);
    if (other.bytes)
        memset(other.bytes, POISON, (size_t)copy->size);
    (void)migration_move(check, &other, write_pieces);
    free(other.bytes);
}

static void receive(struct check *check, struct whole *whole) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    check_step(check, "migration: target");
    if (!good(check, vidmm_migration_prepare(adapter, VIDMM_MIGRATION_TARGET)))
        return;
    show_others(check);
    (void)good(check, vidmm_migration_restore(adapter, VIDMM_MIGRATION_IMMUTABLE, stage.board,
                                              stage.board_size));
    for (uint32_t i = 0; !stage.refused && i < whole->count; i++) {
        poison(check, &whole->copies[i]);
        (void)migration_move(check, &whole->copies[i], write_pieces);
    }
    if (!stage.refused)
        (void)good(check, vidmm_migration_restore(adapter, VIDMM_MIGRATION_MUTABLE,
                                                  whole->mutable.data, whole->mutable.size));
    vidmm_referee_migrated(check->harness.referee, check->harness.referee);
    vidmm_migration_end(adapter);
}

static void migration_give(struct check *check) {
    static struct whole whole;
    memset(&whole, 0, sizeof(whole));
    check_step(check, "migration: the guest is paused");
    if (!good(check, vidmm_migration_pause(check->harness.adapter)))
        return;
    read_round(check);
    read_all(check, &whole);
    migration_save(check, &whole.mutable);
    vidmm_migration_end(check->harness.adapter);
    if (!stage.refused)
        receive(check, &whole);
    stage.moved = !stage.refused;
    for (uint32_t i = 0; i < whole.count; i++)
        migration_drop(check, &whole.copies[i]);
    migration_release(check, &whole.mutable);
}

static bool is_able(struct check *check) {
    struct vidmm_dirty_info info;
    vidmm_dirty_info(check->harness.adapter, &info);
    stage.able = info.migration;
    return stage.able;
}

/* One pause of the workload: a round, or at last the restore. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct check *check = ctx;
    (void)done, (void)events;
    if (stage.refused || stage.moved)
        return;
    check_step(check, "migration: round %u", stage.rounds + 1);
    if (stage.rounds == 0) {
        if (!move_in(check) ||
            !good(check, vidmm_migration_prepare(check->harness.adapter, VIDMM_MIGRATION_SOURCE)))
            return;
        keep_board(check);
    }
    read_round(check);
    if (++stage.rounds == ROUNDS && !stage.refused) {
        migration_give(check);
        move_out();
    }
}

enum vidmm_stage_outcome stage_migration(struct check *check, uint32_t number) {
    struct check_setup setup = {.settings = {{"VramBytes", VRAM},
                                             {"DirtyPageBytes", CHECK_PAGE},
                                             {"DirtyPerformant", number}},
                                .able = is_able};
    memset(&stage, 0, sizeof(stage));
    check_step(check, "migration: run %u", number + 1);
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED, "linked physical adapters are not moved");
    enum vidmm_stage_outcome outcome = check_play(check, &setup, FRAMES, between);
    free(stage.board);
    if (outcome == VIDMM_STAGE_DONE && !stage.able)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver reports no live migration");
    if (outcome == VIDMM_STAGE_DONE && stage.refused)
        return VIDMM_STAGE_STOPPED;
    return outcome;
}
