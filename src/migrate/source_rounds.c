/*
 * source_rounds.c - rounds of the source: due pages, batches, the rate.
 *
 * A round sends the pages that were due when it began. A page in use is due if it became dirty or
 * was never sent. A page that is no longer in use counts as never sent, so that it is sent when it
 * is used again.
 */
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXED_NS                                                                                   \
    UINT64_C(10000000) /* of a pause, beside its pages: pausing, state, acknowledging */
/* A page that the guest writes in every frame is sent in each round, so rounds should be few. */
#define ROUND_NS    UINT64_C(20000000)
#define REPORT_NS   UINT64_C(100000000) /* progress */
#define GUESS_PER_S (UINT64_C(256) << 20)

/* ---- What is due ----------------------------------------------------------------------------- */

static void settle(struct migrate_area *area) {
    size_t words = (size_t)((area->due.pages + 63) / 64);
    for (size_t i = 0; i < words; i++) {
        uint64_t used = area->used.word[i];
        area->moved.word[i] &= used;
        area->due.word[i] = (area->due.word[i] & used) | (used & ~area->moved.word[i]);
    }
}

static bool source_collect(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    for (uint32_t i = 0; i < party->areas.count; i++) {
        struct migrate_area *area = &party->areas.area[i];
        if (!party->device.dirty(party->device.ctx, area->segment.id, &area->due))
            return false;
    }
    if (!migrate_areas_used(&party->areas, &party->device))
        return false;
    for (uint32_t i = 0; i < party->areas.count; i++)
        settle(&party->areas.area[i]);
    source->due_bytes = source->dirty_bytes = migrate_areas_due_bytes(&party->areas);
    return true;
}

static uint64_t traffic_bytes(const struct migrate_source *source) {
    struct migrate_traffic traffic;
    source->party.link.traffic(source->party.link.ctx, &traffic);
    return traffic.bytes;
}

static void round_starts(struct migrate_source *source) {
    source->round_at = migrate_now(&source->party);
    source->round_not_before = source->round_at + ROUND_NS;
    source->round_pages = source->round_bytes = 0;
}

bool source_rounds_begin(struct migrate_source *source) {
    for (uint32_t i = 0; i < source->party.areas.count; i++) {
        page_set_clear(&source->party.areas.area[i].moved);
        page_set_clear(&source->party.areas.area[i].due);
    }
    source->round = source->stuck = 0;
    source->party.result->round_count = 0;
    source->read_bytes = source->read_ns = 0;
    source->traffic_start = traffic_bytes(source);
    source->wire_memory = 0;
    round_starts(source);
    return source_collect(source);
}

/* Adds the ended round to the report; further rounds are added to the last row. */
static void record(struct migrate_source *source) {
    struct vidmm_migrate_result *result = source->party.result;
    bool more = result->round_count == VIDMM_MIGRATE_ROUNDS;
    struct vidmm_migrate_round *round = &result->round[result->round_count - (more ? 1u : 0u)];
    if (!more)
        *round = (struct vidmm_migrate_round){0};
    round->pages += source->round_pages;
    round->bytes += source->round_bytes;
    round->ns += migrate_now(&source->party) - source->round_at;
    round->dirty_bytes = source->dirty_bytes;
    round->predicted_pause_ns = source_rounds_predict(source);
    result->round_count += more ? 0 : 1;
}

bool source_rounds_next(struct migrate_source *source) {
    uint64_t before = source->dirty_bytes;
    bool sent = source->round_pages != 0;
    if (!source_collect(source))
        return false;
    if (sent) { /* else only the dirty bits were read */
        record(source);
        source->round++;
        source->stuck = source->dirty_bytes > before - before / 8 ? source->stuck + 1 : 0;
    }
    round_starts(source);
    return true;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void note_sent(struct migrate_source *source, struct migrate_area *area,
                      const struct vidmm_memory_range *range, const uint8_t *bytes) {
    uint32_t page_bytes = area->segment.page_bytes;
    uint64_t page = range->offset / page_bytes, count = range->size / page_bytes;
    for (uint64_t k = 0; k < count; k++) {
        area->hash[page + k] = migrate_page_hash(bytes + k * page_bytes, page_bytes);
        page_set_add(&area->moved, page + k);
    }
    source->round_pages += count;
}

/* Room for the pages of `ranges`; NULL: none. */
static struct migrate_pages *pages_of(const struct migrate_area *area,
                                      const struct vidmm_memory_range *ranges, uint32_t count,
                                      size_t bytes) {
    struct migrate_pages *pages = calloc(1, sizeof(*pages));
    if (!pages || !(pages->raw = malloc(bytes))) {
        free(pages);
        return NULL;
    }
    pages->raw_bytes = bytes;
    pages->segment = area->segment.id;
    pages->page_bytes = area->segment.page_bytes;
    pages->run_count = count;
    for (uint32_t i = 0; i < count; i++)
        pages->run[i] = (struct migrate_run){ranges[i].offset / pages->page_bytes,
                                             (uint32_t)(ranges[i].size / pages->page_bytes), false};
    return pages;
}

static bool read_pages(struct migrate_source *source, struct migrate_area *area,
                       const struct vidmm_memory_range *ranges, uint32_t count,
                       struct migrate_pages *pages) {
    struct migrate_party *party = &source->party;
    uint64_t before = migrate_now(party);
    size_t at = 0;
    if (!party->device.read(party->device.ctx, area->segment.id, ranges, count, pages->raw))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        note_sent(source, area, &ranges[i], pages->raw + at);
        at += (size_t)ranges[i].size;
    }
    source->read_bytes += at;
    source->read_ns += migrate_now(party) - before;
    return true;
}

/* Sends one batch of `area`, if a page is due. */
static bool send_batch(struct migrate_source *source, struct migrate_area *area) {
    struct migrate_party *party = &source->party;
    struct vidmm_memory_range ranges[MIGRATE_BATCH_RUNS];
    struct migrate_message message = {.type = MIGRATE_PAGES};
    size_t bytes = 0;
    uint32_t count = migrate_area_take(area, ranges, MIGRATE_BATCH_RUNS, &bytes);
    if (count == 0)
        return true;
    message.pages = pages_of(area, ranges, count, bytes);
    if (!message.pages || !read_pages(source, area, ranges, count, message.pages)) {
        migrate_pages_free(message.pages);
        return false;
    }
    source->round_bytes += bytes;
    source->wire_memory += bytes;
    source->due_bytes -= bytes < source->due_bytes ? bytes : source->due_bytes;
    party->result->memory_bytes += bytes;
    party->link.send(party->link.ctx, &message);
    return true;
}

bool source_rounds_pump(struct migrate_source *source, uint64_t until) {
    struct migrate_party *party = &source->party;
    for (uint32_t i = 0; i < party->areas.count; i++) {
        struct migrate_area *area = &party->areas.area[i];
        while (page_set_next(&area->due, 0) < area->due.pages) {
            if (!party->link.room(party->link.ctx) || migrate_now(party) >= until)
                return true;
            if (!send_batch(source, area))
                return false;
        }
    }
    return true;
}

/* ---- How fast -------------------------------------------------------------------------------- */

static uint64_t per_second(uint64_t bytes, uint64_t ns) {
    return ns < 1000 ? 0 : (uint64_t)((double)bytes * 1e9 / (double)ns);
}

/* Bytes a second on the wire, while there was something to write. */
static uint64_t link_rate(const struct migrate_source *source) {
    struct migrate_traffic traffic;
    source->party.link.traffic(source->party.link.ctx, &traffic);
    uint64_t rate = per_second(traffic.bytes, traffic.busy_ns);
    uint64_t paced = source->party.options->bits_per_s / 8;
    if (rate == 0)
        rate = GUESS_PER_S;
    return paced != 0 && rate > paced ? paced : rate;
}

uint64_t source_rounds_read_rate(const struct migrate_source *source) {
    uint64_t rate = per_second(source->read_bytes, source->read_ns);
    return rate == 0 ? GUESS_PER_S : rate;
}

/* Reading and writing overlap except for the last batches, so their sum is an upper bound. */
uint64_t source_rounds_predict(const struct migrate_source *source) {
    struct migrate_traffic traffic;
    source->party.link.traffic(source->party.link.ctx, &traffic);
    double wire = (double)(traffic.bytes - source->traffic_start);
    double share = source->wire_memory == 0 ? 1 : wire / (double)source->wire_memory;
    double due = (double)source->due_bytes, ahead = (double)traffic.waiting;
    double seconds = due / (double)source_rounds_read_rate(source) +
                     (due + ahead) * (share > 1.1 ? 1.1 : share) / (double)link_rate(source);
    return FIXED_NS + (uint64_t)(seconds * 1e9);
}

void source_rounds_progress(struct migrate_source *source) {
    struct migrate_party *party = &source->party;
    uint64_t now = migrate_now(party);
    if (now < source->reported + REPORT_NS)
        return;
    source->reported = now;
    party->result->bytes_per_s = link_rate(source);
    const struct vidmm_migrate_progress progress = {.phase = party->phase,
                                                    .round = source->round,
                                                    .event = party->event,
                                                    .events = source->last + 1,
                                                    .due_bytes = source->due_bytes,
                                                    .sent_bytes = traffic_bytes(source),
                                                    .bytes_per_s = party->result->bytes_per_s,
                                                    .predicted_pause_ns =
                                                        source_rounds_predict(source)};
    party->world.progress(party->world.ctx, &progress);
}
