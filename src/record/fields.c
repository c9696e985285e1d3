/*
 * fields.c - the members of more than one word; see fields.h.
 */
#include "fields.h"

#include <stdio.h>

void field_handle(const struct fields *f, const char *name, enum handle_kind kind,
                  const void *handle) {
    char text[32];
    uint32_t number = handle_number(&f->record->handles, kind, handle);
    snprintf(text, sizeof(text), "%s %u", handle_kind_name(kind), number);
    field_text(f, name, handle ? text : NULL);
}

uint32_t field_list(const struct fields *f, const char *name, uint64_t count) {
    field_begin(f, name, true);
    return count < FIELDS_LISTED ? (uint32_t)count : FIELDS_LISTED;
}

void field_list_end(const struct fields *f, uint64_t count) {
    char text[48];
    snprintf(text, sizeof(text), "and %llu more", (unsigned long long)(count - FIELDS_LISTED));
    if (count > FIELDS_LISTED)
        field_text(f, NULL, text);
    field_end(f);
}

void field_mdl(const struct fields *f, const char *name, const MDL *mdl) {
    if (!mdl) {
        field_text(f, name, NULL);
        return;
    }
    uint64_t pages = ((uint64_t)mdl->ByteOffset + mdl->ByteCount + PAGE_SIZE - 1) / PAGE_SIZE;
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(mdl + 1);
    field_begin(f, name, false);
    field_number(f, "pages", pages);
    if (pages != 0)
        field_hex(f, "first_page", (uint64_t)frames[0] * PAGE_SIZE);
    field_end(f);
}
