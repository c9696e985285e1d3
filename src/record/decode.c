/*
 * decode.c - finds the functions that tell what a call's arguments and answers are; see fields.h.
 */
#include "fields.h"

#include <string.h>

#include <vidmm/statuses.h>

static const struct said *fields_find(const char *name) {
    static const struct said *const families[] = {said_work,    said_allocations, said_objects,
                                                  said_queries, said_migration,   said_displays};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        for (const struct said *said = families[i]; said->name; said++)
            if (strcmp(said->name, name) == 0)
                return said;
    return NULL;
}

void fields_keep(struct vidmm_host_call *call) {
    const struct said *said = fields_find(call->name);
    if (said && said->keep)
        said->keep(call);
}

/* The first argument where it is no adapter, and those beside the structure. */
static void fields_common(const struct fields *f, const struct said *said) {
    const struct vidmm_host_call *call = f->call;
    if (said->of != HANDLE_ADAPTER)
        field_handle(f, "handle", said->of, call->handle);
    if (said->object != HANDLE_ADAPTER)
        field_handle(f, "object", said->object, (const void *)(uintptr_t)call->others[0]);
    for (uint32_t i = 0; i < call->other_count && said->others[i]; i++)
        field_number(f, said->others[i], call->others[i]);
}

static void fields_status(const struct fields *f, const struct said *said) {
    NTSTATUS status = (NTSTATUS)f->call->answer;
    const char *name = vidmm_status_name(status);
    if (said->no_status)
        return;
    if (name)
        field_text(f, "status", name);
    else
        field_hex(f, "status", (uint32_t)status);
}

void vidmm_record_fields(const struct vidmm_record *record, const struct vidmm_record_event *event,
                         const struct vidmm_field_visitor *visitor) {
    const struct vidmm_host_call *call = event->ddi;
    static const struct said plain = {.name = ""};
    const struct said *known = fields_find(call->name), *said = known ? known : &plain;
    const struct fields f = {.visitor = visitor,
                             .record = (struct vidmm_record *)record,
                             .call = call,
                             .succeeded = event->kind == VIDMM_RECORD_RETURN &&
                                          (said->no_status || NT_SUCCESS((NTSTATUS)call->answer))};
    if (event->kind == VIDMM_RECORD_CALL) {
        fields_common(&f, said);
        if (said->arguments)
            said->arguments(&f, call->args);
    } else {
        fields_status(&f, said);
        if (said->answers)
            said->answers(&f, call->args);
    }
}
