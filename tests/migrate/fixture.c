/*
 * fixture.c - the guest, the link and the clock of the tests.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK UINT64_C(1000000)

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* ---- The guest ------------------------------------------------------------------------------- */

static uint8_t *page_of(const struct fixture_side *side, unsigned segment, unsigned page) {
    return side->memory[segment] + (size_t)page * FIXTURE_PAGE;
}

static void fill(struct fixture_side *side, unsigned segment) {
    uint64_t words = (uint64_t)side->fixture->pages * FIXTURE_PAGE / sizeof(words);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = mix(i + segment * words + 1);
        memcpy(side->memory[segment] + i * sizeof(word), &word, sizeof(word));
    }
    memset(side->used[segment], true, side->fixture->pages);
}

static void forget(struct fixture_side *side) {
    for (unsigned s = 0; s < FIXTURE_SEGMENTS; s++) {
        free(side->memory[s]);
        free(side->dirty[s]);
        free(side->used[s]);
    }
}

void fixture_restart(struct fixture_side *side) {
    unsigned pages = side->fixture->pages;
    forget(side);
    for (unsigned s = 0; s < FIXTURE_SEGMENTS; s++) {
        side->memory[s] = calloc(pages, FIXTURE_PAGE);
        side->dirty[s] = calloc(pages, sizeof(bool));
        side->used[s] = calloc(pages, sizeof(bool));
        if (side->fixture->full)
            fill(side, s);
    }
    memset(side->state, 0, sizeof(side->state));
    side->next = side->calls = 0;
    side->ended = false;
}

/* What a page becomes hangs on what another one was: a byte that is lost is never made up for. */
static void write_page(struct fixture_side *side, uint64_t event, unsigned k) {
    const struct fixture *fixture = side->fixture;
    uint64_t draw = mix(event * 64 + k + 1);
    unsigned segment = (unsigned)(draw % FIXTURE_SEGMENTS);
    unsigned page = (unsigned)(draw / 8 % (fixture->hot != 0 ? fixture->hot : fixture->pages));
    unsigned from = (unsigned)(draw / 1024 % fixture->pages);
    if (!side->used[segment][page])
        return;
    const uint8_t *other = page_of(side, segment, side->used[segment][from] ? from : page);
    uint8_t *to = page_of(side, segment, page);
    for (unsigned i = 0; i < FIXTURE_PAGE; i += 37)
        to[i] = (uint8_t)(to[i] * 5 + other[FIXTURE_PAGE - 1 - i] + event + 1);
    side->dirty[segment][page] = true;
}

/* Memory comes in cleared, and is forgotten when it goes. */
static void turn_page(struct fixture_side *side, uint64_t event) {
    uint64_t draw = mix(event ^ 0x5555);
    unsigned segment = (unsigned)(draw % FIXTURE_SEGMENTS);
    unsigned page = (unsigned)(draw / 8 % side->fixture->pages);
    bool *used = &side->used[segment][page];
    *used = !*used;
    memset(page_of(side, segment, page), *used ? 0 : 0xee, FIXTURE_PAGE);
    side->dirty[segment][page] = *used;
}

static void play(struct fixture_side *side) {
    uint64_t event = side->next++;
    if (event % 5 == 0 && !side->fixture->full)
        turn_page(side, event);
    for (unsigned k = 0; k < side->fixture->writes; k++)
        write_page(side, event, k);
    side->state[event % FIXTURE_STATE] +=
        (uint8_t)(side->state[(event + 1) % FIXTURE_STATE] + event);
    side->calls = mix(side->calls + event + 1);
}

bool fixture_right(const struct fixture_side *side) {
    const struct fixture *fixture = side->fixture;
    struct fixture_side *other = calloc(1, sizeof(*other));
    bool right = side->next == fixture->events;
    other->fixture = side->fixture;
    fixture_restart(other);
    while (right && other->next < fixture->events)
        play(other);
    for (unsigned s = 0; right && s < FIXTURE_SEGMENTS; s++)
        for (unsigned p = 0; p < fixture->pages; p++)
            right = right && side->used[s][p] == other->used[s][p] &&
                    (!other->used[s][p] ||
                     memcmp(page_of(side, s, p), page_of(other, s, p), FIXTURE_PAGE) == 0);
    right = right && side->calls == other->calls &&
            memcmp(side->state, other->state, FIXTURE_STATE) == 0;
    forget(other);
    free(other);
    return right;
}

/* ---- The device ------------------------------------------------------------------------------ */

static bool grant(struct fixture_side *side) {
    return ++side->asked != side->fail_at;
}

static uint32_t device_segments(void *ctx, struct migrate_segment *list, uint32_t room) {
    const struct fixture_side *side = ctx;
    (void)room;
    for (uint32_t i = 0; i < FIXTURE_SEGMENTS; i++)
        list[i] = (struct migrate_segment){i + 1, FIXTURE_PAGE,
                                           (uint64_t)side->fixture->pages * FIXTURE_PAGE};
    return FIXTURE_SEGMENTS;
}

static bool device_prepare(void *ctx, enum vidmm_migration_side as) {
    struct fixture_side *side = ctx;
    if (!grant(side))
        return false;
    side->prepared = true;
    side->paused = as == VIDMM_MIGRATION_TARGET;
    for (unsigned s = 0; s < FIXTURE_SEGMENTS; s++) {
        if (as == VIDMM_MIGRATION_SOURCE)
            memset(side->dirty[s], true, side->fixture->pages);
        else /* hardware that is made ready for another's state has none of its own */
            memset(side->memory[s], 0x99, (size_t)side->fixture->pages * FIXTURE_PAGE);
    }
    if (as == VIDMM_MIGRATION_TARGET)
        memset(side->state, 0x99, sizeof(side->state));
    return true;
}

static void device_end(void *ctx) {
    struct fixture_side *side = ctx;
    side->prepared = side->paused = false;
}

static bool device_pause(void *ctx) {
    struct fixture_side *side = ctx;
    side->paused = true;
    return grant(side);
}

static bool device_save(void *ctx, enum vidmm_migration_data kind, uint8_t **data, size_t *size) {
    struct fixture_side *side = ctx;
    *size = kind == VIDMM_MIGRATION_MUTABLE ? FIXTURE_STATE : 8;
    *data = malloc(*size);
    memcpy(*data, kind == VIDMM_MIGRATION_MUTABLE ? side->state : (const uint8_t *)"hardware",
           *size);
    if (grant(side))
        return true;
    free(*data);
    return false;
}

static bool device_restore(void *ctx, enum vidmm_migration_data kind, const uint8_t *data,
                           size_t size) {
    struct fixture_side *side = ctx;
    if (kind == VIDMM_MIGRATION_IMMUTABLE)
        return grant(side) && size == 8 && memcmp(data, "hardware", 8) == 0;
    if (!grant(side) || size != FIXTURE_STATE)
        return false;
    memcpy(side->state, data, size);
    return true;
}

static bool device_dirty(void *ctx, uint32_t id, struct page_set *pages) {
    struct fixture_side *side = ctx;
    for (unsigned p = 0; p < side->fixture->pages; p++) {
        if (side->dirty[id - 1][p] && side->used[id - 1][p])
            page_set_add(pages, p);
        side->dirty[id - 1][p] = false;
    }
    return grant(side);
}

static bool device_used(void *ctx, uint32_t id, struct page_set *pages) {
    struct fixture_side *side = ctx;
    for (unsigned p = 0; p < side->fixture->pages; p++)
        if (side->used[id - 1][p])
            page_set_add(pages, p);
    return grant(side);
}

static bool device_read(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges,
                        uint32_t count, uint8_t *out) {
    struct fixture_side *side = ctx;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(out, side->memory[id - 1] + ranges[i].offset, (size_t)ranges[i].size);
        out += ranges[i].size;
        side->fixture->now += ranges[i].size / FIXTURE_PAGE * side->fixture->read_ns;
    }
    return grant(side);
}

static bool device_write(void *ctx, uint32_t id, const struct vidmm_memory_range *ranges,
                         uint32_t count, const uint8_t *in) {
    struct fixture_side *side = ctx;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(side->memory[id - 1] + ranges[i].offset, in, (size_t)ranges[i].size);
        in += ranges[i].size;
    }
    return grant(side);
}

static uint64_t device_calls_hash(void *ctx) {
    const struct fixture_side *side = ctx;
    return side->calls;
}

static const char *device_why(void *ctx) {
    (void)ctx;
    return "the device failed";
}

/* ---- The link -------------------------------------------------------------------------------- */

static struct fixture_pipe *outgoing(struct fixture_side *side) {
    return side->is_target ? &side->fixture->link.to_source : &side->fixture->link.to_target;
}

static struct fixture_pipe *incoming(struct fixture_side *side) {
    return side->is_target ? &side->fixture->link.to_target : &side->fixture->link.to_source;
}

/* Nothing that is written from here on arrives; what has been written does. */
static void disconnect(struct fixture *fixture) {
    fixture->link.connected = false;
}

static void pipe_write(struct fixture *fixture, struct fixture_pipe *pipe, const uint8_t *bytes,
                       size_t size) {
    uint64_t begin = pipe->carried;
    bool cut = pipe->cut_at - begin < size; /* also false behind it */
    if (cut)
        size = (size_t)(pipe->cut_at - begin);
    if (pipe->lost_at - begin < size)
        size = (size_t)(pipe->lost_at - begin);
    if (pipe->size + size > pipe->room) {
        pipe->room = (pipe->size + size) * 2;
        pipe->bytes = realloc(pipe->bytes, pipe->room);
    }
    if (size != 0)
        memcpy(pipe->bytes + pipe->size, bytes, size);
    if (pipe->spoil_at - begin < size)
        pipe->bytes[pipe->size + (size_t)(pipe->spoil_at - begin)] ^= 0x10;
    pipe->size += size;
    pipe->carried += size;
    if (cut) {
        pipe->cut_at = FIXTURE_NEVER;
        disconnect(fixture);
    }
}

static void link_send(void *ctx, struct migrate_message *message) {
    struct fixture_side *side = ctx;
    size_t size = 0;
    if (side->up && side->fixture->link.connected) {
        uint8_t *frame = migrate_frame_encode(message, side->number++, side->bond, &size);
        pipe_write(side->fixture, outgoing(side), frame, size);
        free(frame);
    }
    migrate_message_drop(message);
}

static bool link_room(void *ctx) {
    struct fixture_side *side = ctx;
    const struct fixture_pipe *pipe = outgoing(side);
    return pipe->size - pipe->read < 3 * MIGRATE_BATCH_BYTES / 100;
}

/* The connection is over for this side. */
static enum migrate_news go_down(struct fixture_side *side, const char *why, char *text,
                                 size_t size) {
    disconnect(side->fixture);
    side->up = side->wants = false;
    migrate_reader_reset(&side->reader);
    if (why != text)
        snprintf(text, size, "%s", why);
    return MIGRATE_DOWN;
}

static enum migrate_news link_receive(void *ctx, struct migrate_message *out, char *text,
                                      size_t text_size) {
    struct fixture_side *side = ctx;
    struct fixture_pipe *pipe = incoming(side);
    if (side->told_up) {
        side->told_up = false;
        return MIGRATE_UP;
    }
    while (side->up && pipe->read < pipe->allowed) {
        uint8_t *where = NULL;
        size_t piece = migrate_reader_want(&side->reader, &where),
               there = pipe->allowed - pipe->read;
        piece = piece < there ? piece : there;
        memcpy(where, pipe->bytes + pipe->read, piece);
        pipe->read += piece;
        switch (migrate_reader_got(&side->reader, piece, out, text, text_size)) {
        case MIGRATE_READ_MORE:
            break;
        case MIGRATE_READ_BAD:
            return go_down(side, text, text, text_size);
        case MIGRATE_READ_MESSAGE:
            return MIGRATE_MESSAGE;
        }
    }
    if (side->told_down) {
        side->told_down = false;
        return go_down(side, side->why, text, text_size);
    }
    if (side->up && !side->fixture->link.connected && pipe->read == pipe->size)
        return go_down(side, "the link broke", text, text_size);
    return MIGRATE_NO_NEWS;
}

static void link_reopen(void *ctx, const struct migrate_message *hello) {
    struct fixture_side *side = ctx;
    if (hello)
        side->hello = *hello;
    side->wants = true;
}

static void link_hang_up(void *ctx, const char *why) {
    struct fixture_side *side = ctx;
    snprintf(side->why, sizeof(side->why), "%s", why);
    side->told_down = side->up;
}

static void link_traffic(void *ctx, struct migrate_traffic *out) {
    struct fixture_side *side = ctx;
    const struct fixture_pipe *pipe = outgoing(side);
    uint64_t waiting = pipe->size - pipe->allowed;
    *out = (struct migrate_traffic){pipe->carried - waiting, pipe->busy * TICK, waiting};
}

static void pipe_reset(struct fixture_pipe *pipe) {
    pipe->size = pipe->read = pipe->allowed = 0;
    if (pipe->carried == pipe->lost_at)
        pipe->lost_at = FIXTURE_NEVER;
}

static void connect_sides(struct fixture *fixture) {
    struct fixture_side *sides[] = {&fixture->source, &fixture->target};
    if (fixture->source.wants && !fixture->source.up && !fixture->target.alive) {
        snprintf(fixture->source.why, sizeof(fixture->source.why), "nobody listens");
        fixture->source.told_down = true;
    }
    if (fixture->link.connected || fixture->source.up || fixture->target.up ||
        !fixture->source.wants || !fixture->target.wants || !fixture->source.alive ||
        !fixture->target.alive)
        return;
    fixture->link.connected = true;
    pipe_reset(&fixture->link.to_source);
    pipe_reset(&fixture->link.to_target);
    for (unsigned i = 0; i < 2; i++) {
        sides[i]->up = sides[i]->told_up = true;
        sides[i]->number = 0;
        migrate_reader_reset(&sides[i]->reader);
        sides[i]->bond = sides[i]->reader.bond = fixture->connections + 1;
    }
    fixture->connections++;
    link_send(&fixture->source, &fixture->source.hello); /* what a socket's greeting passes on */
}

/* ---- The world ------------------------------------------------------------------------------- */

static uint64_t world_now(void *ctx) {
    const struct fixture_side *side = ctx;
    return side->fixture->now += 1000;
}

static uint64_t world_draw(void *ctx) {
    return mix(world_now(ctx)) | 1;
}

static bool world_deed(void *ctx, enum migrate_deed deed, uint64_t session, uint64_t event,
                       char *text, size_t text_size) {
    struct fixture_side *side = ctx;
    if (!migrate_journal_note(&side->journal, deed, session, event, text, text_size))
        return false;
    side->deeds[deed]++;
    if (deed == MIGRATE_TAKES)
        side->own_event = event;
    return true;
}

static enum vidmm_migrate_verdict world_verdict(void *ctx) {
    struct fixture_side *side = ctx;
    enum vidmm_migrate_verdict verdict = side->verdict;
    side->verdict = VIDMM_MIGRATE_ASK;
    return verdict;
}

static void world_progress(void *ctx, const struct vidmm_migrate_progress *progress) {
    struct fixture_side *side = ctx;
    if (progress->text)
        snprintf(side->fixture->said, sizeof(side->fixture->said), "%s", progress->text);
}

static struct migrate_party make_party(struct fixture_side *side) {
    return (struct migrate_party){
        .link = {side, link_send, link_room, link_receive, link_reopen, link_hang_up, link_traffic},
        .device = {side, device_segments, device_prepare, device_end, device_pause, device_save,
                   device_restore, device_dirty, device_used, device_read, device_write,
                   device_calls_hash, device_why},
        .world = {side, world_now, world_draw, world_deed, world_verdict, world_progress},
        .config = "workload=test\n",
        .options = &side->options,
        .result = &side->result};
}

/* ---- Time ------------------------------------------------------------------------------------ */

static void side_start(struct fixture *fixture, struct fixture_side *side, bool is_target) {
    side->fixture = fixture;
    side->journal.fd = -1;
    side->is_target = is_target;
    side->alive = true;
    side->wants = is_target;
    side->options.whole_ns = FIXTURE_NEVER / 2;
    side->options.pause_ns = 20 * TICK;
    side->options.pause_most_ns = 60 * TICK;
    side->options.timeout_ns = 400 * TICK;
    side->options.rounds = 12;
    side->own_event = FIXTURE_NEVER;
}

void fixture_start(struct fixture *fixture, unsigned writes) {
    memset(fixture, 0, sizeof(*fixture));
    fixture->now = TICK;
    fixture->writes = writes;
    fixture->pages = 48;
    fixture->events = 400;
    fixture->link.rate = 40000;
    struct fixture_pipe *pipes[] = {&fixture->link.to_source, &fixture->link.to_target};
    for (unsigned i = 0; i < 2; i++)
        pipes[i]->cut_at = pipes[i]->spoil_at = pipes[i]->lost_at = FIXTURE_NEVER;
    side_start(fixture, &fixture->source, false);
    side_start(fixture, &fixture->target, true);
}

void fixture_go(struct fixture *fixture) {
    struct migrate_party source = make_party(&fixture->source),
                         target = make_party(&fixture->target);
    fixture_restart(&fixture->source);
    fixture_restart(&fixture->target);
    migrate_source_start(&fixture->source.source, &source, 40, fixture->events - 1, false);
    migrate_target_start(&fixture->target.target, &target, false);
}

static enum migrate_verdict step(struct fixture_side *side) {
    struct migrate_source *source = &side->source;
    if (!side->is_target && source->party.event != side->next)
        source->idle_until = side->fixture->now + side->fixture->idle * TICK;
    return side->is_target ? migrate_target_step(&side->target, side->next)
                           : migrate_source_step(&side->source, side->next);
}

/* Whose guest it is runs; a rehearsal does not count. */
static void note_owner(struct fixture *fixture, const struct fixture_side *side) {
    const struct fixture_side *other = side->is_target ? &fixture->source : &fixture->target;
    bool owns = !side->is_target || side->own_event != FIXTURE_NEVER;
    if (!owns)
        return;
    if (side->is_target && other->next > side->own_event)
        fixture->two_owners = true;
    if (!side->is_target && other->own_event <= side->next)
        fixture->two_owners = true;
}

static void begin_again(struct fixture_side *side) {
    if (!side->is_target || !migrate_target_again(&side->target)) {
        side->ended = true;
        return;
    }
    fixture_restart(side);
}

static void side_tick(struct fixture *fixture, struct fixture_side *side) {
    if (!side->alive)
        return;
    if (side->ended) {
        bool done = side->is_target ? migrate_target_done(&side->target)
                                    : migrate_source_done(&side->source);
        if (done)
            fixture_kill(fixture, side); /* the process ends */
        return;
    }
    switch (step(side)) {
    case MIGRATE_RUN:
        note_owner(fixture, side);
        play(side);
        side->ended = side->next == fixture->events;
        return;
    case MIGRATE_HOLD:
        return;
    case MIGRATE_LEAVE:
        migrate_end(side->is_target ? &side->target.party : &side->source.party);
        begin_again(side);
    }
}

static void pipe_tick(struct fixture *fixture, struct fixture_pipe *pipe) {
    size_t allowed =
        fixture->link.rate == 0 ? pipe->size : pipe->allowed + (size_t)fixture->link.rate;
    pipe->busy += pipe->allowed < pipe->size ? 1 : 0;
    pipe->allowed = allowed < pipe->size ? allowed : pipe->size;
}

void fixture_tick(struct fixture *fixture) {
    connect_sides(fixture);
    side_tick(fixture, &fixture->source);
    for (unsigned i = 0; fixture->lag == 0 && i < 2; i++)
        side_tick(fixture, &fixture->target); /* rehearsing is faster than running and moving */
    if (fixture->lag != 0 && fixture->ticks % fixture->lag == 0)
        side_tick(fixture, &fixture->target);
    pipe_tick(fixture, &fixture->link.to_source);
    pipe_tick(fixture, &fixture->link.to_target);
    fixture->now += TICK;
    fixture->ticks++;
}

void fixture_kill(struct fixture *fixture, struct fixture_side *side) {
    side->alive = false;
    side->up = side->wants = false;
    disconnect(fixture);
}

void fixture_run(struct fixture *fixture, uint64_t ticks) {
    while (ticks-- != 0 && (fixture->source.alive || fixture->target.alive))
        fixture_tick(fixture);
}

void fixture_stop(struct fixture *fixture) {
    forget(&fixture->source);
    forget(&fixture->target);
    migrate_source_stop(&fixture->source.source);
    migrate_target_stop(&fixture->target.target);
    migrate_reader_reset(&fixture->source.reader);
    migrate_reader_reset(&fixture->target.reader);
    free(fixture->link.to_source.bytes);
    free(fixture->link.to_target.bytes);
}
