/*
 * timeline_track.c - see timeline_track.h.
 */
#include "timeline_track.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "timeline.pb-c.h"

#define TEXT_MOST     400u /* characters of a text: the rest is left out */
#define SEQUENCE      1u   /* of the packets: all are of one */
#define STATE_CLEARED 1u
#define UNIT_BYTES    3u

/* ---- The file -------------------------------------------------------------------------------- */

void timeline_flush(struct timeline_file *file) {
    struct timeline_packets *packets = file->packets;
    size_t size = packets->used < TIMELINE_ROOM ? packets->used : TIMELINE_ROOM, written = 0;
    packets->used = 0;
    while (written < size && packets->error == 0) {
        ssize_t n = write(fileno(file->stream.file), packets->bytes + written, size - written);
        if (n >= 0)
            written += (size_t)n;
        else if (errno != EINTR)
            packets->error = errno;
    }
}

static void put_packet(struct timeline_file *file, Vidmm__Packet *packet) {
    struct timeline_packets *packets = file->packets;
    Vidmm__Trace trace = VIDMM__TRACE__INIT;
    trace.n_packet = 1;
    trace.packet = &packet;
    packet->has_sequence_id = true;
    packet->sequence_id = SEQUENCE;
    packet->has_sequence_flags = !packets->begun;
    packet->sequence_flags = STATE_CLEARED;
    packets->begun = true;
    size_t size = vidmm__trace__get_packed_size(&trace);
    if (size > TIMELINE_ROOM)
        return;
    if (packets->used > TIMELINE_ROOM - size)
        timeline_flush(file);
    packets->used += (uint32_t)vidmm__trace__pack(&trace, packets->bytes + packets->used);
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static void name_track(uint32_t track, char *name, size_t size) {
    static const char *const single[] = {[TRACK_ROOT] = "vidmm",
                                         [TRACK_RUN] = "run",
                                         [TRACK_FINDINGS] = "findings",
                                         [TRACK_SUBMISSIONS] = "submissions",
                                         [TRACK_MOVES] = "moves"};
    static const struct {
        uint32_t first;
        const char *before, *after;
    } many[] = {{TRACK_BUDGET, "process", ": budget"},
                {TRACK_APERTURE, "process", ": in apertures"},
                {TRACK_MEMORY, "process", ": in GPU memory"},
                {TRACK_SEGMENT, "segment", ""}};
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        if (track < many[i].first)
            continue;
        (void)snprintf(name, size, "%s %" PRIu32 "%s", many[i].before, track - many[i].first,
                       many[i].after);
        return;
    }
    uint32_t engine = track - TRACK_ENGINE;
    if (track >= TRACK_ENGINE)
        (void)snprintf(name, size, "adapter %" PRIu32 ", engine %" PRIu32, engine / TIMELINE_NODES,
                       engine % TIMELINE_NODES);
    else if (track >= TRACK_PAGING)
        (void)snprintf(name, size, "adapter %" PRIu32 ", paging queue", track - TRACK_PAGING);
    else
        (void)snprintf(name, size, "%s", single[track]);
}

/* Before the first event on it. */
static void describe_track(struct timeline_file *file, uint32_t number) {
    Vidmm__Packet packet = VIDMM__PACKET__INIT;
    Vidmm__Track track = VIDMM__TRACK__INIT;
    Vidmm__Process process = VIDMM__PROCESS__INIT;
    Vidmm__Counter counter = VIDMM__COUNTER__INIT;
    char name[64];
    if (file->packets->described[number])
        return;
    file->packets->described[number] = true;
    if (number != TRACK_ROOT)
        describe_track(file, TRACK_ROOT);
    name_track(number, name, sizeof(name));
    packet.track = &track;
    track.has_uuid = true;
    track.uuid = number + 1;
    track.name = name;
    track.has_parent = number != TRACK_ROOT;
    track.parent = TRACK_ROOT + 1;
    process.has_pid = true;
    process.pid = 1;
    process.name = name;
    counter.has_unit = true;
    counter.unit = UNIT_BYTES;
    track.process = number == TRACK_ROOT ? &process : NULL;
    track.counter = number >= TRACK_SEGMENT ? &counter : NULL;
    put_packet(file, &packet);
}

/* ---- Events ---------------------------------------------------------------------------------- */

void timeline_note_number(struct timeline_event *event, const char *name, uint64_t number) {
    if (event->notes < TIMELINE_NOTES)
        event->note[event->notes++] = (struct timeline_note){.name = name, .number = number};
}

void timeline_note_text(struct timeline_event *event, const char *name, const char *text) {
    if (event->notes < TIMELINE_NOTES && text)
        event->note[event->notes++] = (struct timeline_note){.name = name, .text = text};
}

/* A driver's text need not be characters. */
static char *printable(const char *text, char *copy) {
    size_t length = 0;
    for (; text[length] != '\0' && length < TEXT_MOST; length++)
        copy[length] = text[length] >= 0x20 && text[length] < 0x7f ? text[length] : '?';
    copy[length] = '\0';
    return copy;
}

static void fill_note(const struct timeline_note *from, Vidmm__Note *note, char *copy) {
    vidmm__note__init(note);
    note->name = (char *)from->name;
    if (from->text)
        note->text = printable(from->text, copy);
    note->has_number = !from->text;
    note->number = from->number;
}

static void put_event(struct timeline_file *file, const struct timeline_event *from,
                      Vidmm__Event *event) {
    Vidmm__Packet packet = VIDMM__PACKET__INIT;
    uint64_t flow = from->flow, ending = from->flow_ending;
    char name[TEXT_MOST + 1];
    packet.has_timestamp = true;
    packet.timestamp = from->ns;
    packet.event = event;
    event->has_type = event->has_track = true;
    event->type = from->type;
    event->track = from->track + 1;
    event->name = from->name ? printable(from->name, name) : NULL;
    event->has_counter = from->type == TIMELINE_COUNTER;
    event->counter = (int64_t)from->counter;
    event->n_flow = flow != 0;
    event->flow = &flow;
    event->n_flow_ending = ending != 0;
    event->flow_ending = &ending;
    put_packet(file, &packet);
}

void timeline_put(struct timeline_file *file, const struct timeline_event *event) {
    Vidmm__Event out = VIDMM__EVENT__INIT;
    Vidmm__Note note[TIMELINE_NOTES], *notes[TIMELINE_NOTES];
    char copy[TIMELINE_NOTES][TEXT_MOST + 1];
    describe_track(file, event->track);
    for (uint32_t i = 0; i < event->notes; i++) {
        fill_note(&event->note[i], &note[i], copy[i]);
        notes[i] = &note[i];
    }
    out.n_note = event->notes;
    out.note = notes;
    put_event(file, event, &out);
}
