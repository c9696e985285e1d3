/*
 * door.h - the listening socket of a target: greets many at a time, and lets one in.
 *
 * Who says nothing, says it slowly or says something else is turned away and keeps nobody waiting.
 */
#ifndef VIDMM_MIGRATE_DOOR_H
#define VIDMM_MIGRATE_DOOR_H

#include "address.h"
#include "greeting.h"

#define MIGRATE_DOOR_CALLERS 32u

struct migrate_door {
    struct migrate_listener listener;
    const struct vidmm_migrate_key *key; /* NULL: none */
    uint64_t greeting_ns;                /* time that one has for its greeting */
    struct migrate_greeting caller[MIGRATE_DOOR_CALLERS];
    unsigned count;
    /* The last one that was turned away, until it is told: */
    char said[256];
    unsigned unsaid; /* how many were since */
    uint64_t told_at;
};

/* Waits for `ms` at the most. True: `*in` is in, the caller's to close. */
bool migrate_door_wait(struct migrate_door *door, int ms, struct migrate_greeting *in);
/* A sentence about those who were turned away, a few times a second at the most. */
bool migrate_door_said(struct migrate_door *door, char *text, size_t text_size);
void migrate_door_close(struct migrate_door *door);

#endif
