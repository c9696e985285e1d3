/*
 * inspect_apart.c - what a driver in a process of its own reports about its memory.
 */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

/* More segments than any driver can have. */
#define SEGMENTS_MOST 1024u
#define BANKS_MOST    4096u

struct life {
    const struct vidmm_run_options *options;
    struct vidmm_inspection *inspection;
    struct run_worse verdict;
    bool told;
    uint32_t segments; /* that were told */
};

/* ---- In the driver's process ----------------------------------------------------------------- */

static void say_segment(const struct vidmm_segment_info *segment) {
    size_t banks = segment->banks * sizeof(*segment->bank_ends);
    unsigned char *words = malloc(sizeof(*segment) + banks);
    if (!words)
        return; /* a segment is missing, which the caller sees */
    memcpy(words, segment, sizeof(*segment));
    if (banks != 0)
        memcpy(words + sizeof(*segment), segment->bank_ends, banks);
    vidmm_watch_say(RUN_SEGMENT, words, sizeof(*segment) + banks);
    free(words);
}

static void live(void *ctx) {
    const struct life *life = ctx;
    struct vidmm_inspection *inspection = life->inspection;
    struct run_inspected told;
    memset(&told, 0, sizeof(told));
    told.verdict.status = (uint32_t)run_inspect_here(life->options, inspection, told.verdict.text,
                                                     sizeof(told.verdict.text));
    told.adapter = inspection->adapter;
    told.mmu = inspection->mmu;
    told.local_budget = inspection->local_budget;
    told.non_local_budget = inspection->non_local_budget;
    if (!inspection->segments)
        told.adapter.segments = 0;
    vidmm_watch_say(RUN_INSPECTED, &told, sizeof(told));
    for (uint32_t i = 0; i < told.adapter.segments; i++)
        say_segment(&inspection->segments[i]);
}

/* ---- In the caller --------------------------------------------------------------------------- */

static bool take_inspected(struct life *life, const void *bytes) {
    struct vidmm_inspection *inspection = life->inspection;
    struct run_inspected told;
    memcpy(&told, bytes, sizeof(told));
    if (life->told || told.verdict.status > VIDMM_RUN_DRIVER_FAILED ||
        !memchr(told.verdict.text, '\0', sizeof(told.verdict.text)) ||
        told.adapter.segments > SEGMENTS_MOST || told.mmu.levels > VIDMM_LEVELS_MAX)
        return false;
    inspection->adapter = told.adapter;
    inspection->mmu = told.mmu;
    inspection->local_budget = told.local_budget;
    inspection->non_local_budget = told.non_local_budget;
    life->verdict = told.verdict;
    if (told.adapter.segments != 0)
        inspection->segments = calloc(told.adapter.segments + 1u, sizeof(*inspection->segments));
    return life->told = true;
}

static bool take_segment(struct life *life, const void *bytes, size_t size) {
    struct vidmm_segment_info segment;
    if (!life->inspection->segments || size < sizeof(segment) ||
        life->segments >= life->inspection->adapter.segments)
        return false;
    memcpy(&segment, bytes, sizeof(segment));
    size_t banks = segment.banks * sizeof(*segment.bank_ends);
    if (segment.banks > BANKS_MOST || size != sizeof(segment) + banks)
        return false;
    uint64_t *ends = banks != 0 ? malloc(banks) : NULL;
    if (ends)
        memcpy(ends, (const unsigned char *)bytes + sizeof(segment), banks);
    segment.banks = ends ? segment.banks : 0;
    segment.bank_ends = ends;
    life->inspection->segments[life->segments++] = segment;
    return true;
}

static bool hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    if (kind == RUN_SEGMENT)
        return take_segment(ctx, bytes, size);
    return kind == RUN_INSPECTED && size == sizeof(struct run_inspected) &&
           take_inspected(ctx, bytes);
}

/* The verdict of a process that ended well. */
static enum vidmm_run_status judge(const struct life *life, const struct vidmm_watch_end *end,
                                   char *text, size_t text_size) {
    bool whole = life->told && life->segments == life->inspection->adapter.segments;
    bool well = life->verdict.status == VIDMM_RUN_VERIFIED;
    snprintf(text, text_size, "%s",
             !whole ? "the driver's process did not tell all"
             : well ? end->changed
                    : life->verdict.text);
    if (!whole)
        return VIDMM_RUN_DRIVER_FAILED;
    return well && end->changed[0] != '\0' ? VIDMM_RUN_WRONG
                                           : (enum vidmm_run_status)life->verdict.status;
}

enum vidmm_run_status run_inspect_apart(const struct vidmm_run_options *options,
                                        struct vidmm_inspection *inspection, char *text,
                                        size_t text_size) {
    struct life life = {.options = options, .inspection = inspection};
    const struct vidmm_watch_options watch = {
        .timeout_ms = options->timeout_ms, .run = live, .heard = hear, .ctx = &life};
    struct vidmm_watch_end end;
    bool done = vidmm_watch(&watch, &end);
    vidmm_unread(&inspection->unread, options->settings, options->setting_count, end.settings);
    if (done) {
        enum vidmm_run_status status = judge(&life, &end, text, text_size);
        inspection->adapter.segments = life.segments;
        return status;
    }
    inspection->ended = run_ended(&end);
    inspection->adapter.segments = life.segments;
    vidmm_watch_text(&end, text, text_size);
    return VIDMM_RUN_DRIVER_FAILED;
}
