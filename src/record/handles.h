/*
 * handles.h - names for the handles that a driver gives: pointers differ from run to run, "allocation
 * 3" is the third allocation of a host in each.
 */
#ifndef RECORD_HANDLES_H
#define RECORD_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

enum handle_kind {
    HANDLE_ADAPTER,
    HANDLE_DEVICE,
    HANDLE_CONTEXT,
    HANDLE_PROCESS,
    HANDLE_RESOURCE,
    HANDLE_ALLOCATION,
    HANDLE_OPENED, /* what a driver gives out for an allocation in a device */
    HANDLE_BASIS,
    HANDLE_KINDS
};

struct handle_names {
    struct handle_name *slot; /* a hash table by kind and handle */
    uint32_t room, used;
    uint32_t given[HANDLE_KINDS]; /* names so far */
};

/* "allocation" */
const char *handle_kind_name(enum handle_kind kind);
/* The number of a handle, which is new if it has none; 0: NULL, or out of memory. */
uint32_t handle_number(struct handle_names *names, enum handle_kind kind, const void *handle);
/* The object is gone: the driver may give out its handle again. */
void handle_gone(struct handle_names *names, enum handle_kind kind, const void *handle);
/* Forgets all. */
void handle_forget(struct handle_names *names);

#endif
