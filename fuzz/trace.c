/*
 * trace.c - libFuzzer over the reader of recordings: any bytes are a workload or one sentence.
 *
 * The bytes are read twice: as they are, and as a list of events that is written as a recording, so that an
 * empty corpus reaches what lies behind the syntax.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vidmm/workload.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const struct vidmm_workload *workload, const struct vidmm_event *event) {
    bool target = event->kind == VIDMM_EVENT_VIEW || event->kind == VIDMM_EVENT_BIND;
    if (event->range >= workload->range_count ||
        (target && event->allocation >= workload->allocation_count) ||
        (event->size | event->at | event->offset) % VIDMM_TILE_BYTES != 0)
        abort();
}

/* What the player relies on. */
static void check_workload(const struct vidmm_workload *workload) {
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        if (event->process >= workload->process_count)
            abort();
        if (event->kind == VIDMM_EVENT_SUBMIT) {
            for (uint32_t k = 0; k < event->reads + event->writes; k++)
                if (event->first + k >= workload->list_count ||
                    workload->lists[event->first + k] >= workload->allocation_count)
                    abort();
        } else if (event->kind >= VIDMM_EVENT_RESERVE && event->kind <= VIDMM_EVENT_COPY) {
            check_range(workload, event);
        } else if (event->kind != VIDMM_EVENT_PRESENT &&
                   event->allocation >= workload->allocation_count) {
            abort();
        }
    }
}

static void read_text(const char *text, size_t size) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (vidmm_workload_parse("fuzz", text, size, &workload, &error)) {
        check_workload(&workload);
        vidmm_workload_free(&workload);
    } else if (error.text[0] == 0) {
        abort();
    }
}

/* ---- A recording from the bytes -------------------------------------------------------------- */

#define EVENT_BYTES  6u
#define EVENTS_MOST  64u
#define EVENT_LENGTH 192u

/* Mostly small numbers and whole tiles, which are accepted; some that are not. */
static long long number_of(uint8_t byte, bool tiles) {
    static const long long odd[] = {-1, 0, 1, 4095, 65535, 65537, 1LL << 40, 9223372036854775807LL};
    if (byte >= 248)
        return odd[byte - 248];
    return tiles ? (long long)(byte % 16) * 65536 : byte % 8;
}

static int write_event(char *to, const uint8_t *event) {
    static const char *const touches[] = {"free", "map", "unmap", "offer", "reclaim"};
    long long id = number_of(event[1], false), other = number_of(event[2], false);
    long long size = number_of(event[3], true), at = number_of(event[4], true);
    switch (event[0] % 12) {
    case 0:
        return sprintf(
            to, "{\"op\":\"alloc\",\"id\":%lld,\"size\":%lld,\"heap\":%d,\"flags\":[\"%s\"]}\n", id,
            size, event[4] % 3, event[5] % 2 ? "host_visible" : "protected");
    case 1:
        return sprintf(to, "{\"op\":\"submit\",\"reads\":[%lld],\"writes\":[%lld]}\n", id, other);
    case 2:
        return sprintf(to, "{\"op\":\"reserve\",\"range\":%lld,\"size\":%lld}\n", id, size);
    case 3:
        return sprintf(to,
                       "{\"op\":\"bind\",\"range\":%lld,\"at\":%lld,\"size\":%lld,\"id\":%lld,"
                       "\"offset\":%lld}\n",
                       id, at, size, other, number_of(event[5], true));
    case 4:
        return sprintf(to, "{\"op\":\"unbind\",\"range\":%lld,\"at\":%lld,\"size\":%lld}\n", id, at,
                       size);
    case 5:
        return sprintf(to,
                       "{\"op\":\"copy\",\"range\":%lld,\"at\":%lld,\"size\":%lld,\"from\":%lld}\n",
                       id, at, size, number_of(event[5], true));
    case 6:
        return sprintf(to,
                       "{\"op\":\"view\",\"range\":%lld,\"id\":%lld,\"offset\":%lld,\"size\":%lld,"
                       "\"like\":%lld}\n",
                       id, other, at, size, number_of(event[5], false));
    case 7:
        return sprintf(to, "{\"op\":\"release\",\"range\":%lld}\n", id);
    case 8:
        return sprintf(to, "{\"op\":\"present\"}\n");
    case 9:
        return sprintf(
            to, "{\"op\":\"view\",\"range\":%lld,\"id\":%lld,\"offset\":%lld,\"size\":%lld}\n", id,
            other, at, size);
    default:
        return sprintf(to, "{\"op\":\"%s\",\"id\":%lld}\n", touches[event[5] % 5], id);
    }
}

static void read_events(const uint8_t *data, size_t size) {
    char text[EVENT_LENGTH * (EVENTS_MOST + 1)];
    size_t length =
        (size_t)sprintf(text, "{\"vidmm_trace\":1,\"source\":\"fuzz\",\"api\":\"none\"}\n");
    for (size_t i = 0; i < EVENTS_MOST && size - i * EVENT_BYTES >= EVENT_BYTES; i++)
        length += (size_t)write_event(text + length, data + i * EVENT_BYTES);
    read_text(text, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_text((const char *)data, size);
    read_events(data, size);
    return 0;
}
