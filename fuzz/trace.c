/*
 * trace.c - libFuzzer over the reader of recordings: any bytes are a workload or one sentence.
 */
#include <stddef.h>
#include <stdint.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    if (vidmm_workload_parse("fuzz", (const char *)data, size, &workload, &error)) {
        check_workload(&workload);
        vidmm_workload_free(&workload);
    } else if (error.text[0] == 0) {
        abort();
    }
    return 0;
}
