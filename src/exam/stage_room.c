/*
 * stage_room.c - paging operations built into what little room a paging buffer has left: none, a
 * byte, a byte less than the operation wants, a page. As with every system a buffer begins whole,
 * and it is another operation that takes the room. The driver may say
 * STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER as often as it gets on with its operation, and has to
 * leave alone what lies behind the buffer; at the end all of it must have been done, once.
 */
#include "hand.h"

#define PATTERN 0x5a17c0deu
#define ROOMS   24u

/* An operation, and whether it came out well. The referee looks at its effects besides. */
struct trial {
    const char *name;
    bool (*possible)(const struct hand *hand); /* NULL: always */
    bool (*before)(struct hand *hand);         /* and done; NULL: nothing */
    bool (*first)(struct hand *hand);          /* into the same buffer */
    bool (*build)(struct hand *hand);
    bool (*after)(struct hand *hand); /* and done; NULL: nothing */
    uint32_t rule;                    /* judged by `good`; 0: by nobody */
    bool (*good)(struct hand *hand);
};

/* ---- Operations ------------------------------------------------------------------------------ */

static bool named(const struct hand *hand) {
    return hand->allocation != NULL;
}

static bool with_aperture(const struct hand *hand) {
    return hand->aperture.id != 0;
}

static bool in(struct hand *hand) {
    const struct hand_piece all = {.pages = HAND_PAGES, .in = true};
    return hand_transfer(hand, &all);
}

static bool out(struct hand *hand) {
    const struct hand_piece all = {.pages = HAND_PAGES};
    return hand_transfer(hand, &all);
}

static bool all_out(struct hand *hand) {
    return hand_move(hand, false, HAND_PAGES);
}

static bool fill(struct hand *hand) {
    return hand_fill(hand, 0, HAND_PAGES, PATTERN);
}

static bool filled(struct hand *hand) {
    bool good = true;
    for (uint32_t page = 0; page < HAND_PAGES; page++)
        good = good && hand_filled(hand, page, PATTERN);
    return good;
}

static bool map(struct hand *hand) {
    return hand_map(hand, &hand->aperture, 0, HAND_PAGES, hand->target, 0);
}

static bool unmap(struct hand *hand) {
    return hand_unmap(hand, &hand->aperture, 0, HAND_PAGES);
}

static bool flush_write(struct hand *hand) {
    return hand_touch(hand, HAND_PAGES + 1, true);
}

/* A fill comes first, as for a new allocation, and after a discard. */
static const struct trial trials[] = {
    {"fill", named, NULL, fill, fill, all_out, 188, filled},
    {"transfer in", NULL, NULL, out, in, all_out, 161, hand_same},
    {"transfer out", NULL, NULL, in, out, NULL, 161, hand_same},
    {"map", with_aperture, NULL, out, map, unmap, 0, NULL},
    {"unmap", with_aperture, map, out, unmap, NULL, 0, NULL},
    {"write", NULL, NULL, out, flush_write, NULL, 0, NULL},
    {"discard", named, NULL, fill, hand_discard, NULL, 0, NULL},
};

/* ---- Rooms ----------------------------------------------------------------------------------- */

/* Something that is not tried, done in a buffer of its own. */
static bool aside(struct hand *hand, bool (*what)(struct hand *hand)) {
    return hand_flush(hand) && (what == NULL || (what(hand) && hand_flush(hand)));
}

/* One operation behind another; `*bytes`: what it took in the last buffer. */
static bool one_trial(struct hand *hand, const struct trial *trial, uint32_t room,
                      uint32_t *bytes) {
    hand_paint(hand, hand->source, 3);
    hand_paint(hand, hand->target, 2);
    if (!aside(hand, trial->before) || !trial->first(hand))
        return false;
    uint32_t taken = hand->used;
    hand_shorten(hand, room);
    if (!trial->build(hand))
        return false;
    *bytes = hand->used - (hand->used > taken ? taken : 0);
    if (!hand_flush(hand) || !aside(hand, trial->after))
        return false;
    if (trial->good != NULL)
        hand_judge(hand, trial->rule, trial->good(hand),
                   "an operation that is done once, room or not",
                   "other bytes after an operation that had little room");
    return true;
}

/* Around what the operation and a part of it want, and some that nobody thinks of. */
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
    rooms[count++] = EXAM_PAGE - 1;
    rooms[count++] = EXAM_PAGE;
    return count;
}

/* The first time with all the room there is, to see how much it wants. */
static bool all_rooms(struct hand *hand, const struct trial *trial) {
    uint32_t rooms[ROOMS], bytes = 0, last;
    exam_step(hand->exam, "room: %s", trial->name);
    bool good = one_trial(hand, trial, HAND_WHOLE, &bytes);
    uint32_t count = choose_rooms(bytes, rooms);
    for (uint32_t i = 0; good && i < count; i++) {
        exam_step(hand->exam, "room: %s into %u bytes", trial->name, rooms[i]);
        good = one_trial(hand, trial, rooms[i], &last);
    }
    return good;
}

enum vidmm_stage_outcome stage_room(struct exam *exam, uint32_t number) {
    static const struct exam_world worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20},
                      {"PagingBufferBytes", EXAM_PAGE},
                      {"PagingPrivateBytes", 64}}},
    };
    struct hand hand;
    exam_step(exam, "room: run %u", number + 1);
    if (!exam_open(exam, &worlds[number]))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = hand_open(&hand, exam);
    if (opened != VIDMM_STAGE_DONE)
        return opened;
    for (uint32_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
        if ((trials[i].possible == NULL || trials[i].possible(&hand)) &&
            !all_rooms(&hand, &trials[i]))
            break;
    return hand_close(&hand);
}
