/*
 * map.c - the record of events as a map of memory; see map.h.
 *
 * A stay begins when an allocation comes to a place of a segment, and ends when it leaves, is freed, or
 * the adapter is reset. What follows the counted part of a run, which verifies and frees everything, is
 * left out.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define QUANTUM 1000u /* ns of the first columns */

/* ---- Owners ---------------------------------------------------------------------------------- */

static uint32_t owner_hash(uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (MAP_SLOTS - 1);
}

/* The living one of that key, or a new one; NULL: there is no room. */
static struct map_owner *owner_of(struct map_shared *shared, uint64_t key) {
    uint32_t at = owner_hash(key);
    for (uint32_t tries = 0; shared->slot[at] != 0 && tries < MAP_SLOTS; tries++) {
        struct map_owner *owner = &shared->owner[(shared->slot[at] - 1) % MAP_OWNERS];
        if (owner->key == key && !owner->dead)
            return owner;
        at = (at + 1) & (MAP_SLOTS - 1);
    }
    if (shared->owners >= MAP_OWNERS) {
        shared->unfollowed++;
        return NULL;
    }
    struct map_owner *owner = &shared->owner[shared->owners++];
    *owner = (struct map_owner){.key = key, .began = shared->now};
    shared->slot[at] = shared->owners;
    return owner;
}

/* Handles are those of one start of the driver. */
static uint64_t handle_key(const struct map_shared *shared, uint32_t handle) {
    return shared->starts << 32 | handle;
}

static uint64_t move_key(const struct map_shared *shared, const struct vidmm_plan_move *move,
                         const struct vidmm_place *place) {
    if (move->allocation != 0)
        return handle_key(shared, move->allocation);
    return UINT64_C(1) << 63 | (uint64_t)(place->segment % MAP_SEGMENTS) << 56 |
           (place->offset >> 12);
}

/* ---- Figures over time ----------------------------------------------------------------------- */

static void count_bytes(struct map_shared *shared, uint32_t segment, uint32_t process,
                        uint64_t size, bool adds) {
    uint64_t *used = &shared->used[segment], *resident = &shared->resident[process];
    bool memory = shared->memory[segment];
    *used = adds ? *used + size : *used > size ? *used - size : 0;
    if (memory)
        *resident = adds ? *resident + size : *resident > size ? *resident - size : 0;
}

/* Between plans: of two that are exchanged by one the first may come before the other leaves. */
static void count_most(struct map_shared *shared) {
    struct map_column *column = &shared->columns[shared->column];
    for (uint32_t i = 0; i < MAP_SEGMENTS; i++) {
        if (shared->used[i] > column->used[i])
            column->used[i] = shared->used[i];
    }
    for (uint32_t i = 0; i < MAP_PROCESSES; i++) {
        if (shared->resident[i] > column->resident[i])
            column->resident[i] = shared->resident[i];
    }
}

/* ---- Stays ----------------------------------------------------------------------------------- */

static struct map_stay *open_stay(struct map_shared *shared, const struct map_owner *owner) {
    return owner->open != 0 && owner->open <= shared->stays ? &shared->stay[owner->open - 1] : NULL;
}

static void end_stay(struct map_shared *shared, struct map_owner *owner, uint8_t left) {
    struct map_stay *stay = open_stay(shared, owner);
    owner->open = 0;
    if (!stay)
        return;
    stay->end = shared->now;
    stay->left = left;
    if (shared->memory[stay->segment % MAP_SEGMENTS])
        owner->resident_ns += shared->now - stay->begin;
    count_bytes(shared, stay->segment % MAP_SEGMENTS, owner->process, stay->size, false);
}

static void map_leave(struct map_shared *shared, const struct vidmm_record_move *moved) {
    const struct vidmm_plan_move *move = &moved->move;
    struct map_owner *owner = owner_of(shared, move_key(shared, move, &move->from));
    bool freed = moved->plan == VIDMM_PLAN_DESTROY;
    struct map_stay *stay = owner ? open_stay(shared, owner) : NULL;
    if (!owner)
        return;
    if (stay) {
        stay->to = (uint8_t)move->to.segment;
        stay->plan_left = moved->plan_number;
        stay->why_left = (uint8_t)moved->plan;
    }
    end_stay(shared, owner, freed ? MAP_FREED : (uint8_t)move->reason);
    owner->dead = freed || move->allocation == 0;
    if (!move->from_memory)
        return;
    owner->evictions++;
    owner->gone = shared->now;
    owner->gone_submission = shared->submissions;
    owner->gone_plan = moved->plan_number;
    owner->gone_segment = (uint8_t)move->from.segment;
    owner->gone_reason = (uint8_t)move->reason;
}

/* Sooner, or as soon and larger. */
static bool undone_before(const struct map_undone *a, const struct map_undone *b) {
    return a->between != b->between ? a->between < b->between : a->size > b->size;
}

static void note_undone(struct map_shared *shared, const struct map_undone *undone) {
    uint32_t at = shared->undones;
    shared->undone_all++;
    if (undone->between > MAP_SOON)
        return;
    shared->undone_soon++;
    shared->undone_bytes += undone->size;
    while (at > 0 && undone_before(undone, &shared->undone[at - 1])) {
        if (at < MAP_UNDONE)
            shared->undone[at] = shared->undone[at - 1];
        at--;
    }
    if (at == MAP_UNDONE)
        return;
    shared->undone[at] = *undone;
    if (shared->undones < MAP_UNDONE)
        shared->undones++;
}

static void map_page_in(struct map_shared *shared, struct map_owner *owner, uint64_t size) {
    owner->page_ins++;
    shared->columns[shared->column].page_ins++;
    if (owner->gone_plan == 0)
        return;
    const struct map_undone undone = {.gone = owner->gone,
                                      .back = shared->now,
                                      .between = shared->submissions - owner->gone_submission,
                                      .size = size,
                                      .plan = owner->gone_plan,
                                      .owner = (uint32_t)(owner - shared->owner),
                                      .segment = owner->gone_segment,
                                      .reason = owner->gone_reason};
    note_undone(shared, &undone);
    owner->gone_plan = 0;
}

static void stay_place(struct map_stay *stay, const struct vidmm_record_move *moved) {
    uint64_t offset, size;
    for (uint32_t i = 0; vidmm_plan_part(moved->of, moved->index, i, &offset, &size); i++) {
        stay->scattered++;
        if (i < MAP_PARTS)
            stay->part[stay->parts++] =
                (struct map_part){.page = (uint32_t)(offset / MAP_PAGE),
                                  .pages = (uint32_t)((size + MAP_PAGE - 1) / MAP_PAGE)};
    }
}

static void map_come(struct map_shared *shared, const struct vidmm_record_move *moved) {
    const struct vidmm_plan_move *move = &moved->move;
    uint32_t segment = move->to.segment % MAP_SEGMENTS;
    struct map_owner *owner = owner_of(shared, move_key(shared, move, &move->to));
    if (!owner)
        return;
    owner->handle = move->allocation;
    owner->process = move->process < MAP_PROCESSES ? move->process : MAP_PROCESSES - 1;
    owner->size = move->size;
    end_stay(shared, owner, MAP_STOPPED); /* a move that was not seen */
    shared->memory[segment] |= move->to_memory;
    struct map_stay *stay = map_stay_add(shared);
    if (!stay) {
        shared->unfollowed++;
        return;
    }
    *stay = (struct map_stay){.offset = move->to.offset,
                              .size = move->size,
                              .begin = shared->now,
                              .end = shared->now,
                              .plan = moved->plan_number,
                              .submission = shared->submissions,
                              .owner = (uint32_t)(owner - shared->owner),
                              .bin_ns = QUANTUM,
                              .segment = (uint8_t)segment,
                              .from = (uint8_t)move->from.segment,
                              .came = (uint8_t)move->reason,
                              .why = (uint8_t)moved->plan,
                              .left = MAP_OPEN};
    owner->open = shared->stays;
    shared->seen[segment] = true;
    stay_place(stay, moved);
    map_reach(shared, stay);
    count_bytes(shared, segment, owner->process, stay->size, true);
    if (move->to_memory)
        map_page_in(shared, owner, move->size);
}

static void map_move(struct map_shared *shared, const struct vidmm_record_move *moved) {
    shared->moves++;
    if (moved->move.from.segment != 0)
        map_leave(shared, moved);
    if (moved->move.from_memory)
        shared->columns[shared->column].evictions++;
    if (moved->move.to.segment != 0 && moved->move.size != 0)
        map_come(shared, moved);
    if (moved->index + 1 == moved->of->moves)
        count_most(shared);
}

static void end_all_stays(struct map_shared *shared, uint8_t left) {
    for (uint32_t i = 0; i < shared->owners; i++) {
        end_stay(shared, &shared->owner[i], left);
        shared->owner[i].gone_plan = 0;
    }
}

/* ---- Use ------------------------------------------------------------------------------------- */

static void bins_halve(uint8_t bins[MAP_BINS]) {
    for (uint32_t i = 0; i < MAP_BINS / 2; i++) {
        uint32_t sum = (uint32_t)bins[2 * i] + bins[2 * i + 1];
        bins[i] = (uint8_t)(sum < UINT8_MAX ? sum : UINT8_MAX);
    }
    memset(bins + MAP_BINS / 2, 0, MAP_BINS / 2);
}

static void use_stay(struct map_shared *shared, struct map_stay *stay, bool write) {
    while ((shared->now - stay->begin) / stay->bin_ns >= MAP_BINS) {
        bins_halve(stay->used);
        bins_halve(stay->written);
        stay->bin_ns *= 2;
    }
    uint32_t bin = (uint32_t)((shared->now - stay->begin) / stay->bin_ns);
    stay->uses++;
    stay->used[bin] += stay->used[bin] < UINT8_MAX;
    if (!write)
        return;
    if (stay->writes++ == 0)
        stay->first_write = shared->now;
    stay->written[bin] += stay->written[bin] < UINT8_MAX;
}

static void map_use(struct map_shared *shared, const struct vidmm_record_reference *reference) {
    uint64_t key = handle_key(shared, reference->allocation);
    struct map_owner *owner = owner_of(shared, key);
    if (owner && owner->number != 0 && owner->number != reference->number) {
        owner->dead = true; /* freed, and another one has its handle */
        owner = owner_of(shared, key);
    }
    if (!owner)
        return;
    struct map_stay *stay = open_stay(shared, owner);
    owner->handle = reference->allocation;
    owner->number = reference->number;
    owner->uses++;
    owner->writes += reference->write;
    if (!stay || !shared->memory[stay->segment % MAP_SEGMENTS])
        owner->remote += owner->size;
    if (stay && stay->bin_ns != 0 && stay->begin <= shared->now)
        use_stay(shared, stay, reference->write);
}

static void map_submitted(struct map_shared *shared,
                          const struct vidmm_record_submitted *submitted) {
    shared->submissions++;
    shared->columns[shared->column].submissions++;
    for (uint32_t i = 0; i < submitted->count; i++)
        map_use(shared, &submitted->references[i]);
}

static void map_operation(struct map_shared *shared, const struct vidmm_record_operation *done) {
    struct map_column *column = &shared->columns[shared->column];
    bool in = shared->memory[done->op.to.segment % MAP_SEGMENTS];
    bool out = shared->memory[done->op.from.segment % MAP_SEGMENTS];
    if (!vidmm_op_writes_content(done->op.kind) || (!in && !out))
        return;
    struct map_owner *owner =
        done->allocation != 0 ? owner_of(shared, handle_key(shared, done->allocation)) : NULL;
    column->in += in ? done->op.size : 0;
    column->out += out ? done->op.size : 0;
    if (!owner)
        return;
    owner->in += in ? done->op.size : 0;
    owner->out += out ? done->op.size : 0;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void map_note_mark(struct map_shared *shared, const char *text, size_t length) {
    struct map_mark *mark = &shared->mark[shared->marks % MAP_MARKS];
    if (shared->marks >= MAP_MARKS)
        return;
    mark->ns = shared->now;
    length = length < sizeof(mark->text) ? length : sizeof(mark->text) - 1;
    memcpy(mark->text, text, length);
    mark->text[length] = '\0';
    shared->marks++;
}

/* Of steps like "paging: run 1" the first of each stage. */
static void map_step(struct map_shared *shared, const char *text) {
    size_t length = strcspn(text, ":");
    const char *last = shared->marks != 0 ? shared->mark[(shared->marks - 1) % MAP_MARKS].text : "";
    if (strlen(last) != length || strncmp(last, text, length) != 0)
        map_note_mark(shared, text, length);
}

/* An allocation gets its handle, which one had that was freed in system memory. */
static void map_opens(struct map_shared *shared, const DXGKARG_OPENALLOCATION *open) {
    for (uint32_t i = 0; i < open->NumAllocations; i++) {
        struct map_owner *owner =
            owner_of(shared, handle_key(shared, open->pOpenAllocation[i].hAllocation));
        if (owner)
            owner->dead = owner->open == 0 && owner->handle != 0;
    }
}

static void map_call(struct map_shared *shared, const struct vidmm_host_call *call) {
    if (strcmp(call->name, "DxgkDdiOpenAllocation") == 0)
        map_opens(shared, call->args);
}

static void map_return(struct map_shared *shared, const struct vidmm_host_call *call) {
    if (strcmp(call->name, "DxgkDdiResetFromTimeout") != 0)
        return;
    end_all_stays(shared, MAP_RESET);
    map_note_mark(shared, "reset of the adapter", strlen("reset of the adapter"));
}

static void map_segment(struct map_shared *shared, const struct vidmm_record_segment *segment) {
    uint32_t id = segment->id % MAP_SEGMENTS;
    if (segment->id != id)
        return;
    shared->memory[id] = !segment->aperture;
    shared->seen[id] = true;
    if (segment->size > shared->reported[id])
        shared->reported[id] = segment->size;
    if (segment->size > shared->size[id])
        shared->size[id] = segment->size;
}

static void map_say(struct map_shared *shared, const struct vidmm_record_event *event) {
    switch (event->kind) {
    case VIDMM_RECORD_MOVE:
        map_move(shared, &event->move);
        break;
    case VIDMM_RECORD_SUBMITTED:
        map_submitted(shared, &event->submitted);
        break;
    case VIDMM_RECORD_OPERATION:
        map_operation(shared, &event->operation);
        break;
    case VIDMM_RECORD_CALL:
        map_call(shared, event->ddi);
        break;
    case VIDMM_RECORD_RETURN:
        map_return(shared, event->ddi);
        break;
    case VIDMM_RECORD_SEGMENT:
        map_segment(shared, &event->segment);
        break;
    case VIDMM_RECORD_STEP:
        map_step(shared, event->text);
        break;
    case VIDMM_RECORD_FINDING:
        shared->findings++;
        break;
    case VIDMM_RECORD_COUNTED:
        shared->frozen = true;
        break;
    default:
        break;
    }
}

/* Another start of a driver begins at 0: its times follow those of the one before. */
static void map_again(struct map_shared *shared) {
    end_all_stays(shared, MAP_STOPPED);
    shared->base = shared->now;
    shared->starts++;
    shared->frozen = false;
}

static void map_event(void *ctx, const struct vidmm_record_event *event) {
    struct map_shared *shared = ((struct vidmm_report_map *)ctx)->shared;
    if (event->kind == VIDMM_RECORD_CALL && strcmp(event->ddi->name, "DriverEntry") == 0)
        map_again(shared);
    if (shared->frozen)
        return;
    uint64_t now = shared->base + event->ns;
    map_advance(shared, now > shared->now ? now : shared->now);
    map_say(shared, event);
}

/* ---- From beginning to end ------------------------------------------------------------------- */

struct vidmm_report_map *vidmm_report_map_create(void) {
    struct vidmm_report_map *map = calloc(1, sizeof(*map));
    void *shared = mmap(NULL, sizeof(*map->shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!map || shared == MAP_FAILED) {
        if (shared != MAP_FAILED)
            munmap(shared, sizeof(*map->shared));
        free(map);
        return NULL;
    }
    map->shared = shared;
    map->shared->quantum = QUANTUM;
    return map;
}

struct vidmm_record_sink vidmm_report_map_sink(struct vidmm_report_map *map) {
    return (struct vidmm_record_sink){.ctx = map, .event = map_event};
}

void vidmm_report_map_destroy(struct vidmm_report_map *map) {
    if (!map)
        return;
    munmap(map->shared, sizeof(*map->shared));
    free(map);
}
