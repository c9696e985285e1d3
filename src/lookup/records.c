/*
 * records.c - finds the row of a record by its number, in either table.
 */
#include "tables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct record_table *const tables[] = {&records_seen, &records_mistakes};

const struct vidmm_record *vidmm_record_after(const struct vidmm_record *record) {
    const struct vidmm_record *next = NULL;
    uint32_t after = record ? record->number : 0;
    for (size_t i = 0; i < COUNT(tables); i++) {
        for (size_t j = 0; j < tables[i]->count; j++) {
            const struct vidmm_record *row = &tables[i]->rows[j];
            if (row->number > after && (!next || row->number < next->number))
                next = row;
        }
    }
    return next;
}

const struct vidmm_record *vidmm_record(uint32_t number) {
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (record->number == number)
            return record;
    }
    return NULL;
}

char *vidmm_record_name(const struct vidmm_record *record, char text[8]) {
    bool mistake = record->number > VIDMM_RECORD_MISTAKE;
    snprintf(text, 8, "%c%u", mistake ? 'F' : 'W',
             mistake ? record->number - VIDMM_RECORD_MISTAKE : record->number);
    return text;
}

bool vidmm_record_names(const struct vidmm_record *record, uint32_t rule) {
    for (size_t i = 0; i < VIDMM_RECORD_RULES && record->rules[i] != 0; i++) {
        if (record->rules[i] == rule)
            return true;
    }
    return false;
}

bool vidmm_record_rests(const struct vidmm_record *record, const struct vidmm_source *source) {
    char name[8];
    if (source->kind != VIDMM_SOURCE_RECORD)
        return false;
    vidmm_record_name(record, name);
    const char *at = strstr(source->where, name);
    while (at && isdigit((unsigned char)at[strlen(name)])) /* W2 is not W21 */
        at = strstr(at + 1, name);
    return at;
}
