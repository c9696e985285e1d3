/*
 * stage_migration.c - a live migration of the adapter to itself, in the pauses of a short game:
 * what is dirty is read round by round; then all that is in use is overwritten, the driver is shown
 * state that is not its own, and both are restored. The game goes on from there, and its bytes
 * must be what they were.
 */
#include "exam.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/migration.h>

#define VRAM   (UINT64_C(24) << 20)
#define FRAMES 24u
#define ROUNDS 3u
#define POISON 0xd7

/* What the stage keeps between the pauses: in its process, one at a time. */
static struct {
    uint32_t rounds;
    bool moved, refused, able;
    void *board; /* immutable data of the source */
    size_t board_size;
} stage;

static bool good(struct exam *exam, enum vidmm_status status) {
    stage.refused = stage.refused || !exam_good(exam, status);
    return !stage.refused;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* All pieces of a segment, one behind the other. */
struct copy {
    uint32_t segment, count;
    struct vidmm_memory_range *ranges;
    uint64_t size;
    unsigned char *bytes;
};

static void drop(struct exam *exam, struct copy *copy) {
    vidmm_migration_release_ranges(exam->lab.adapter, copy->ranges, copy->count);
    free(copy->bytes);
    *copy = (struct copy){.count = 0};
}

static void measure(struct copy *copy) {
    for (uint32_t i = 0; i < copy->count; i++)
        copy->size += copy->ranges[i].size;
    copy->bytes = malloc((size_t)copy->size + 1);
}

typedef enum vidmm_status mover(struct exam *exam, uint32_t segment,
                                const struct vidmm_memory_range *ranges, uint32_t count,
                                unsigned char *bytes);

static enum vidmm_status read_pieces(struct exam *exam, uint32_t segment,
                                     const struct vidmm_memory_range *ranges, uint32_t count,
                                     unsigned char *bytes) {
    return vidmm_migration_read(exam->lab.adapter, segment, ranges, count, bytes);
}

static enum vidmm_status write_pieces(struct exam *exam, uint32_t segment,
                                      const struct vidmm_memory_range *ranges, uint32_t count,
                                      unsigned char *bytes) {
    return vidmm_migration_write(exam->lab.adapter, segment, ranges, count, bytes);
}

#define BATCH 64u

/* As many pieces at once as there are staging pages for, the last of them cut. */
static bool move(struct exam *exam, const struct copy *copy, mover *one) {
    uint64_t done = 0, inside = 0;
    for (uint32_t i = 0; copy->bytes != NULL && i < copy->count;) {
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
        if (!good(exam, one(exam, copy->segment, batch, count, copy->bytes + done)))
            return false;
        done += size;
    }
    return copy->bytes != NULL;
}

static bool next_memory(struct exam *exam, uint32_t *id) {
    struct vidmm_segment_info info = {.aperture = true};
    while (vidmm_segment_info(exam->lab.adapter, ++*id, &info))
        if (!info.aperture)
            return true;
    return false;
}

static void read_round(struct exam *exam) {
    for (uint32_t id = 0; !stage.refused && next_memory(exam, &id);) {
        struct copy copy = {.segment = id};
        if (good(exam, vidmm_migration_dirty(exam->lab.adapter, id, &copy.ranges, &copy.count))) {
            measure(&copy);
            (void)move(exam, &copy, read_pieces);
        }
        drop(exam, &copy);
    }
}

/* ---- The driver's own state ------------------------------------------------------------------ */

struct state {
    void *data;
    size_t size;
};

static void save(struct exam *exam, struct state *state) {
    (void)good(exam, vidmm_migration_save(exam->lab.adapter, VIDMM_MIGRATION_MUTABLE, &state->data,
                                          &state->size));
}

/* Right after the preparation; for a target that is prepared later. */
static void keep_board(struct exam *exam) {
    struct state state = {NULL, 0};
    if (!good(exam, vidmm_migration_save(exam->lab.adapter, VIDMM_MIGRATION_IMMUTABLE, &state.data,
                                         &state.size)))
        return;
    stage.board = malloc(state.size + 1);
    if (stage.board != NULL) {
        memcpy(stage.board, state.data, state.size);
        stage.board_size = state.size;
    }
    vidmm_migration_release(exam->lab.adapter, state.data, state.size);
}

static void release(struct exam *exam, struct state *state) {
    vidmm_migration_release(exam->lab.adapter, state->data, state->size);
    *state = (struct state){NULL, 0};
}

/* What no driver may take for its own: whatever it answers, the referee judges. */
static void show_others(struct exam *exam) {
    struct vidmm_adapter *adapter = exam->lab.adapter;
    unsigned char *other = malloc(stage.board_size + 1);
    exam_step(exam, "migration: state of another GPU");
    for (size_t i = 0; other != NULL && i < stage.board_size; i++)
        other[i] = (unsigned char)~((const unsigned char *)stage.board)[i];
    if (other != NULL && stage.board_size != 0) {
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

static void read_all(struct exam *exam, struct whole *whole) {
    for (uint32_t id = 0; whole->count < SEGMENTS && !stage.refused && next_memory(exam, &id);) {
        struct copy *copy = &whole->copies[whole->count++];
        copy->segment = id;
        if (!good(exam, vidmm_migration_used(exam->lab.adapter, id, &copy->ranges, &copy->count)))
            return;
        measure(copy);
        (void)move(exam, copy, read_pieces);
    }
}

static void poison(struct exam *exam, const struct copy *copy) {
    struct copy other = *copy;
    other.bytes = malloc((size_t)copy->size + 1);
    if (other.bytes != NULL)
        memset(other.bytes, POISON, (size_t)copy->size);
    (void)move(exam, &other, write_pieces);
    free(other.bytes);
}

static void receive(struct exam *exam, struct whole *whole) {
    struct vidmm_adapter *adapter = exam->lab.adapter;
    exam_step(exam, "migration: target");
    if (!good(exam, vidmm_migration_prepare(adapter, VIDMM_MIGRATION_TARGET)))
        return;
    show_others(exam);
    (void)good(exam, vidmm_migration_restore(adapter, VIDMM_MIGRATION_IMMUTABLE, stage.board,
                                             stage.board_size));
    for (uint32_t i = 0; !stage.refused && i < whole->count; i++) {
        poison(exam, &whole->copies[i]);
        (void)move(exam, &whole->copies[i], write_pieces);
    }
    if (!stage.refused)
        (void)good(exam, vidmm_migration_restore(adapter, VIDMM_MIGRATION_MUTABLE,
                                                 whole->mutable.data, whole->mutable.size));
    vidmm_migration_end(adapter);
}

static void give(struct exam *exam) {
    static struct whole whole;
    memset(&whole, 0, sizeof(whole));
    exam_step(exam, "migration: the guest is paused");
    if (!good(exam, vidmm_migration_pause(exam->lab.adapter)))
        return;
    read_round(exam);
    read_all(exam, &whole);
    save(exam, &whole.mutable);
    vidmm_migration_end(exam->lab.adapter);
    if (!stage.refused)
        receive(exam, &whole);
    stage.moved = !stage.refused;
    for (uint32_t i = 0; i < whole.count; i++)
        drop(exam, &whole.copies[i]);
    release(exam, &whole.mutable);
}

/* One pause of the game: a round, the last of them the move. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct exam *exam = ctx;
    struct vidmm_dirty_info info;
    (void)done, (void)events;
    vidmm_dirty_info(exam->lab.adapter, &info);
    stage.able = info.migration;
    if (!info.migration || stage.refused || stage.moved)
        return;
    exam_step(exam, "migration: round %u", stage.rounds + 1);
    if (stage.rounds == 0) {
        if (!good(exam, vidmm_migration_prepare(exam->lab.adapter, VIDMM_MIGRATION_SOURCE)))
            return;
        keep_board(exam);
    }
    read_round(exam);
    if (++stage.rounds == ROUNDS && !stage.refused)
        give(exam);
}

enum vidmm_stage_outcome stage_migration(struct exam *exam, uint32_t number) {
    struct exam_world world = {.settings = {{"VramBytes", VRAM},
                                            {"DirtyPageBytes", EXAM_PAGE},
                                            {"DirtyPerformant", number}}};
    memset(&stage, 0, sizeof(stage));
    exam_step(exam, "migration: run %u", number + 1);
    enum vidmm_stage_outcome outcome = exam_play(exam, &world, FRAMES, between);
    free(stage.board);
    if (outcome == VIDMM_STAGE_DONE && !stage.able)
        return exam_say(exam, VIDMM_STAGE_SKIPPED, "the driver reports no live migration");
    if (outcome == VIDMM_STAGE_DONE && stage.refused)
        return VIDMM_STAGE_STOPPED;
    return outcome;
}
