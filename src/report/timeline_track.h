/*
 * timeline_track.h - the tracks of a timeline and the events on them, as packets in its file; see
 * timeline.c for what becomes an event.
 *
 * Packets go into memory that is shared with the processes that are forked afterwards, and from there
 * into the file when it is full: what a process that died left there its parent writes.
 */
#ifndef VIDMM_REPORT_TIMELINE_TRACK_H
#define VIDMM_REPORT_TIMELINE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "write.h"

#define TIMELINE_ROOM      (256u << 10) /* of packets that are not written yet */
#define TIMELINE_PHYSICAL  4u           /* physical adapters */
#define TIMELINE_NODES     64u          /* of each */
#define TIMELINE_ENGINES   (TIMELINE_PHYSICAL * TIMELINE_NODES)
#define TIMELINE_SEGMENTS  33u  /* counted from 1 */
#define TIMELINE_PROCESSES 256u /* counted from 1; the last one stands for all others */

/* Their numbers; the format's are one more. */
enum timeline_track {
    TRACK_ROOT,
    TRACK_RUN, /* steps, submissions of the workload, resets, the end */
    TRACK_FINDINGS,
    TRACK_SUBMISSIONS, /* to the driver: where flows begin */
    TRACK_MOVES,
    TRACK_PAGING, /* of each physical adapter */
    TRACK_ENGINE = TRACK_PAGING + TIMELINE_PHYSICAL,
    TRACK_SEGMENT = TRACK_ENGINE + TIMELINE_ENGINES,  /* counters from here on */
    TRACK_MEMORY = TRACK_SEGMENT + TIMELINE_SEGMENTS, /* of each process, likewise */
    TRACK_APERTURE = TRACK_MEMORY + TIMELINE_PROCESSES,
    TRACK_BUDGET = TRACK_APERTURE + TIMELINE_PROCESSES,
    TRACKS = TRACK_BUDGET + TIMELINE_PROCESSES
};

enum timeline_type { TIMELINE_BEGIN = 1, TIMELINE_END, TIMELINE_INSTANT, TIMELINE_COUNTER };

#define TIMELINE_NOTES 10u

struct timeline_note {
    const char *name;
    const char *text; /* NULL: `number` */
    uint64_t number;
};

struct timeline_event {
    enum timeline_type type;
    uint32_t track;
    uint64_t ns;
    const char *name; /* NULL: of counters and ends */
    uint64_t counter;
    uint64_t flow, flow_ending; /* 0: none */
    uint32_t notes;
    struct timeline_note note[TIMELINE_NOTES];
};

/* Shared with forked processes; a driver may damage it. */
struct timeline_packets {
    uint32_t used;
    int32_t error; /* of a write that failed: nothing is written any more */
    bool begun;
    bool described[TRACKS];
    unsigned char bytes[TIMELINE_ROOM];
};

struct timeline_file {
    struct report_stream stream;
    struct timeline_packets *packets;
};

void timeline_put(struct timeline_file *file, const struct timeline_event *event);
/* Writes what is left of the packets. */
void timeline_flush(struct timeline_file *file);

void timeline_note_number(struct timeline_event *event, const char *name, uint64_t number);
void timeline_note_text(struct timeline_event *event, const char *name, const char *text);

#endif
