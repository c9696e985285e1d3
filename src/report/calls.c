/*
 * calls.c - the record of events as JSON Lines, an event a line. Member names are stable;
 * docs/calls.md says what each means.
 *
 * Lines go into memory that is shared with the processes that are forked afterwards, and from there
 * into the file: all of them before the driver is entered, so that the last line of the file is the
 * call that did not return. What a process that died left in that memory its parent writes. No line
 * is ever written in part but where a disk is full, and there the rest is cut off again.
 */
#include <vidmm/report.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS_ROOM  (192u << 10) /* of lines that are not written yet */
#define CALLS_LINE  (96u << 10)  /* of one line: what does not fit is left out of it */
#define CALLS_CLOSE 64u          /* of it for the ends of lists and objects */

/* Shared with forked processes; a driver may damage it. */
struct calls_shared {
    uint32_t used;
    int32_t error; /* of a write that failed: nothing is written any more */
    char lines[CALLS_ROOM];
};

struct vidmm_report_calls {
    struct vidmm_record *record;
    struct calls_shared *shared;
    const char *path; /* the caller's */
    int file;
    bool regular;
    /* The line that is made: */
    uint32_t length;
    bool full, first;     /* no more fits; the next member is the first of its object */
    uint32_t depth, open; /* lists and objects that were begun, and those of them in the line */
    char ends[CALLS_CLOSE];
    char line[CALLS_LINE];
};

/* ---- The file -------------------------------------------------------------------------------- */

static void calls_fail(struct vidmm_report_calls *calls, int error, size_t written) {
    off_t end = calls->regular ? lseek(calls->file, 0, SEEK_CUR) : -1;
    size_t part = 0;
    while (part < written && calls->shared->lines[written - part - 1] != '\n')
        part++;
    if (end >= 0)
        (void)!ftruncate(calls->file, end - (off_t)part);
    calls->shared->error = error;
}

static void calls_flush(struct vidmm_report_calls *calls) {
    struct calls_shared *shared = calls->shared;
    size_t size = shared->used < CALLS_ROOM ? shared->used : CALLS_ROOM, written = 0;
    shared->used = 0;
    while (written < size && shared->error == 0) {
        ssize_t n = write(calls->file, shared->lines + written, size - written);
        if (n >= 0)
            written += (size_t)n;
        else if (errno != EINTR)
            calls_fail(calls, errno, written);
    }
}

static void calls_keep(struct vidmm_report_calls *calls) {
    struct calls_shared *shared = calls->shared;
    if (shared->used > CALLS_ROOM - calls->length)
        calls_flush(calls);
    memcpy(shared->lines + shared->used, calls->line, calls->length);
    shared->used += calls->length;
}

/* ---- The line -------------------------------------------------------------------------------- */

static void line_put(struct vidmm_report_calls *calls, const char *text, size_t length) {
    memcpy(calls->line + calls->length, text, length);
    calls->length += (uint32_t)length;
}

/* Room for a member of so many characters; from the first that has none on all are left out. */
static bool line_room(struct vidmm_report_calls *calls, const char *name, size_t size) {
    size += (name ? strlen(name) : 0) + 8;
    calls->full = calls->full || calls->length + size + CALLS_CLOSE > CALLS_LINE;
    return !calls->full;
}

/* The comma, and `"name":`. */
static void line_name(struct vidmm_report_calls *calls, const char *name) {
    if (!calls->first)
        line_put(calls, ",", 1);
    calls->first = false;
    if (!name)
        return;
    line_put(calls, "\"", 1);
    line_put(calls, name, strlen(name));
    line_put(calls, "\":", 2);
}

static void line_number(void *ctx, const char *name, uint64_t value) {
    struct vidmm_report_calls *calls = ctx;
    char text[24];
    if (!line_room(calls, name, sizeof(text)))
        return;
    line_name(calls, name);
    char *digit = text + sizeof(text);
    do
        *--digit = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    line_put(calls, digit, (size_t)(text + sizeof(text) - digit));
}

static void line_hex(void *ctx, const char *name, uint64_t value) {
    struct vidmm_report_calls *calls = ctx;
    char text[24];
    if (!line_room(calls, name, sizeof(text)))
        return;
    line_name(calls, name);
    line_put(calls, text, (size_t)snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", value));
}

static void line_flag(struct vidmm_report_calls *calls, const char *name, bool value) {
    if (!line_room(calls, name, 5))
        return;
    line_name(calls, name);
    line_put(calls, value ? "true" : "false", value ? 4 : 5);
}

/* A character of a string: what JSON forbids is escaped, and what may be no character is a '?'. */
static void line_character(struct vidmm_report_calls *calls, unsigned char c) {
    char escaped[8];
    if (c == '"' || c == '\\')
        line_put(calls, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\%c", c));
    else if (c < 0x20)
        line_put(calls, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\u%04x", c));
    else
        line_put(calls, c < 0x7f ? (const char *)&c : "?", 1);
}

static void line_text(void *ctx, const char *name, const char *value) {
    struct vidmm_report_calls *calls = ctx;
    if (!line_room(calls, name, value ? strlen(value) * 6 : 0))
        return;
    line_name(calls, name);
    if (!value) {
        line_put(calls, "null", 4);
        return;
    }
    line_put(calls, "\"", 1);
    for (; *value != '\0'; value++)
        line_character(calls, (unsigned char)*value);
    line_put(calls, "\"", 1);
}

/* A list that has no room has no elements either, but is ended. */
static void line_begin(void *ctx, const char *name, bool list) {
    struct vidmm_report_calls *calls = ctx;
    calls->depth++;
    if (!line_room(calls, name, 0))
        return;
    line_name(calls, name);
    line_put(calls, list ? "[" : "{", 1);
    calls->ends[calls->open++] = list ? ']' : '}';
    calls->first = true;
}

static void line_end(void *ctx) {
    struct vidmm_report_calls *calls = ctx;
    if (calls->depth-- > calls->open)
        return;
    line_put(calls, &calls->ends[--calls->open], 1);
    calls->first = false;
}

static const struct vidmm_field_visitor line_visitor = {.number = line_number,
                                                        .hex = line_hex,
                                                        .text = line_text,
                                                        .begin = line_begin,
                                                        .end = line_end};

/* ---- Events ---------------------------------------------------------------------------------- */

static void calls_call(struct vidmm_report_calls *calls, const struct vidmm_record_event *event) {
    const struct vidmm_host_call *call = event->ddi;
    if (event->call != 0)
        line_number(calls, "call", event->call);
    line_text(calls, "function", call->name);
    if (event->kind == VIDMM_RECORD_CALL)
        line_number(calls, "irql", call->irql);
    struct vidmm_field_visitor visitor = line_visitor;
    visitor.ctx = calls;
    vidmm_record_fields(calls->record, event, &visitor);
}

static void calls_interrupt(struct vidmm_report_calls *calls,
                            const struct vidmm_interrupt *interrupt) {
    const char *type = vidmm_interrupt_name((uint32_t)interrupt->type);
    line_text(calls, "type", type);
    line_number(calls, "physical", interrupt->physical);
    line_number(calls, "node", interrupt->node);
    line_number(calls, "fence", interrupt->fence);
    line_number(calls, "last_completed", interrupt->last_completed);
    line_hex(calls, "address", interrupt->address);
    line_hex(calls, "flags", interrupt->flags);
}

/* A place in a segment; null: system memory. */
static void calls_place(struct vidmm_report_calls *calls, const char *name,
                        const struct vidmm_place *place) {
    if (place->segment == 0) {
        line_text(calls, name, NULL);
        return;
    }
    line_begin(calls, name, false);
    line_number(calls, "segment", place->segment);
    line_number(calls, "offset", place->offset);
    line_end(calls);
}

static void calls_operation(struct vidmm_report_calls *calls,
                            const struct vidmm_record_operation *done) {
    line_text(calls, "operation", vidmm_op_json(done->op.kind));
    line_number(calls, "physical", done->op.physical);
    line_number(calls, "allocation", done->allocation);
    calls_place(calls, "from", &done->op.from);
    calls_place(calls, "to", &done->op.to);
    line_number(calls, "at", done->op.at);
    line_number(calls, "bytes", done->op.size);
    line_number(calls, "first_buffer", done->first_buffer);
    line_number(calls, "last_buffer", done->last_buffer);
}

static void calls_move(struct vidmm_report_calls *calls, const struct vidmm_record_move *moved) {
    const struct vidmm_plan_move *move = &moved->move;
    line_number(calls, "allocation", move->allocation);
    line_number(calls, "process", move->process);
    line_text(calls, "reason", vidmm_move_reason_name(move->reason));
    line_text(calls, "plan", vidmm_plan_reason_name(moved->plan));
    line_number(calls, "plan_number", moved->plan_number);
    calls_place(calls, "from", &move->from);
    calls_place(calls, "to", &move->to);
    line_flag(calls, "page_in", move->to_memory);
    line_flag(calls, "eviction", move->from_memory);
    line_number(calls, "bytes", move->size);
    line_flag(calls, "discard", move->discard);
}

static void calls_submitted(struct vidmm_report_calls *calls,
                            const struct vidmm_record_submitted *submitted) {
    line_number(calls, "number", submitted->number);
    line_number(calls, "process", submitted->process);
    line_number(calls, "budget", submitted->budget);
}

static void calls_segment(struct vidmm_report_calls *calls,
                          const struct vidmm_record_segment *segment) {
    line_number(calls, "segment", segment->id);
    line_flag(calls, "aperture", segment->aperture);
    line_number(calls, "bytes", segment->size);
}

static void calls_finding(struct vidmm_report_calls *calls,
                          const struct vidmm_record_event *event) {
    const struct vidmm_finding *finding = event->finding;
    char id[8];
    line_number(calls, "call", event->call);
    line_text(calls, "rule", vidmm_rule_id(finding->rule, id));
    line_text(calls, "side", vidmm_side_text(finding->who));
    line_text(calls, "where", finding->where);
    line_text(calls, "found", finding->found);
    line_text(calls, "expected", finding->expected);
    line_text(calls, "step", finding->step);
}

static void calls_say(struct vidmm_report_calls *calls, const struct vidmm_record_event *event) {
    switch (event->kind) {
    case VIDMM_RECORD_CALL:
    case VIDMM_RECORD_RETURN:
        calls_call(calls, event);
        break;
    case VIDMM_RECORD_INTERRUPT:
        calls_interrupt(calls, event->interrupt);
        break;
    case VIDMM_RECORD_OPERATION:
        calls_operation(calls, &event->operation);
        break;
    case VIDMM_RECORD_MOVE:
        calls_move(calls, &event->move);
        break;
    case VIDMM_RECORD_LOST:
        line_number(calls, "allocation", event->lost);
        break;
    case VIDMM_RECORD_SUBMITTED:
        calls_submitted(calls, &event->submitted);
        break;
    case VIDMM_RECORD_SEGMENT:
        calls_segment(calls, &event->segment);
        break;
    case VIDMM_RECORD_FINDING:
        calls_finding(calls, event);
        break;
    case VIDMM_RECORD_STEP:
    case VIDMM_RECORD_END:
        line_text(calls, "text", event->text);
        break;
    case VIDMM_RECORD_COUNTED:
    case VIDMM_RECORD_KINDS:
        break;
    }
}

static void calls_event(void *ctx, const struct vidmm_record_event *event) {
    struct vidmm_report_calls *calls = ctx;
    calls->length = calls->depth = calls->open = 0;
    calls->full = false;
    calls->first = true;
    line_begin(calls, NULL, false);
    line_text(calls, "event", vidmm_record_event_name(event->kind));
    line_number(calls, "ns", event->ns);
    calls_say(calls, event);
    if (calls->full)
        line_put(calls, ",\"cut\":true", 11);
    line_end(calls);
    line_put(calls, "\n", 1);
    calls_keep(calls);
    if (event->kind == VIDMM_RECORD_CALL || event->kind == VIDMM_RECORD_FINDING ||
        event->kind == VIDMM_RECORD_END)
        calls_flush(calls);
}

/* ---- From beginning to end ------------------------------------------------------------------- */

static bool calls_open_file(struct vidmm_report_calls *calls, const char *path) {
    struct stat there;
    calls->path = path;
    calls->file = strcmp(path, "-") == 0
                      ? dup(STDOUT_FILENO)
                      : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    calls->regular = calls->file >= 0 && fstat(calls->file, &there) == 0 && S_ISREG(there.st_mode);
    return calls->file >= 0;
}

static void calls_free(struct vidmm_report_calls *calls) {
    vidmm_record_destroy(calls->record);
    if (calls->shared)
        munmap(calls->shared, sizeof(*calls->shared));
    if (calls->file >= 0)
        close(calls->file);
    free(calls);
}

struct vidmm_report_calls *vidmm_report_calls_open(const char *path, char *text, size_t text_size) {
    struct vidmm_report_calls *calls = calloc(1, sizeof(*calls));
    struct vidmm_record_sink sink = {.ctx = calls, .event = calls_event};
    if (!calls) {
        snprintf(text, text_size, "out of memory for the record of calls");
        return NULL;
    }
    calls->file = -1;
    void *shared = mmap(NULL, sizeof(*calls->shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls->shared = shared != MAP_FAILED ? shared : NULL;
    calls->record = vidmm_record_create(&sink);
    if (!calls->shared || !calls->record)
        snprintf(text, text_size, "out of memory for the record of calls");
    else if (!calls_open_file(calls, path))
        snprintf(text, text_size, "cannot write '%s': %s", path, strerror(errno));
    else
        return calls;
    calls_free(calls);
    return NULL;
}

struct vidmm_record *vidmm_report_calls_record(struct vidmm_report_calls *calls) {
    return calls->record;
}

bool vidmm_report_calls_close(struct vidmm_report_calls *calls, const char *end, char *text,
                              size_t text_size) {
    vidmm_record_end(calls->record, end);
    calls_flush(calls);
    int error = calls->shared->error;
    if (error != 0)
        snprintf(text, text_size, "cannot write '%s': %s", calls->path, strerror(error));
    calls_free(calls);
    return error == 0;
}
