/*
 * play.h - plays the calls of an input against a driver that runs. Files: play.c objects and the whole,
 * fuzz_play_memory.c allocations and their memory, play_work.c commands and escapes, play_address.c
 * residency and GPU virtual addresses.
 *
 * A process, a device and a context are there before the first call, if the driver makes them without
 * private data. Another process is there when the first of its devices is made. What the manager refuses of user mode is no finding.
 */
#ifndef FUZZ_PLAY_H
#define FUZZ_PLAY_H

#include <vidmm/virtual.h>

#include "input.h"
#include "life.h"

#define PLAY_PROCESSES   2u
#define PLAY_DEVICES     4u
#define PLAY_CONTEXTS    4u
#define PLAY_ALLOCATIONS 8u
#define PLAY_REFUSED     64u /* allocations of memory, one of which is refused */

struct play_allocation {
    struct vidmm_allocation *allocation; /* NULL: the slot is free */
    uint32_t device;                     /* that made it */
    uint32_t open;                       /* bit n: device n has it open */
    uint32_t locks;
    uint64_t va, size; /* of GPU addresses; va 0: none */
};

struct play {
    struct fuzz_life *life;
    struct vidmm_adapter *adapter;
    bool virtual_addresses; /* else there are no processes */
    struct vidmm_process *process[PLAY_PROCESSES];
    struct vidmm_device *device[PLAY_DEVICES];
    struct vidmm_paging_queue *queue[PLAY_DEVICES];
    struct vidmm_context *context[PLAY_CONTEXTS];
    uint32_t context_device[PLAY_CONTEXTS];
    struct play_allocation allocation[PLAY_ALLOCATIONS];
    uint64_t reserved; /* the newest reservation; 0: none */
};

/* Bytes of a reservation. */
#define PLAY_RESERVED UINT64_C(0x10000)

/* Starts the driver, plays, stops it. Not VIDMM_FUZZ_NOTHING: it was not played, and `text` says why. */
enum vidmm_fuzz_status fuzz_play(const struct vidmm_fuzz_options *options,
                                 struct vidmm_ledger *ledger, const struct fuzz_input *input,
                                 char *text, size_t size);

/* What a call means; each may find that its objects are not there. */
void fuzz_play_allocate(struct play *play, const struct fuzz_call *call);
void fuzz_play_standard(struct play *play, const struct fuzz_call *call);
void fuzz_play_free(struct play *play, struct play_allocation *allocation);
void fuzz_play_memory(struct play *play, const struct fuzz_call *call);
void fuzz_play_submit(struct play *play, const struct fuzz_call *call);
void fuzz_play_escape(struct play *play, const struct fuzz_call *call);
void fuzz_play_query(struct play *play, const struct fuzz_call *call);
void fuzz_play_residency(struct play *play, const struct fuzz_call *call);
void fuzz_play_addresses(struct play *play, const struct fuzz_call *call);
/* Maps all of a new allocation and lists it, as user mode does with each. */
void fuzz_play_map_all(struct play *play, struct play_allocation *allocation);
/* The call's data in memory of its own, exactly as long, so that a sanitizer sees what is read behind
 * it; NULL: none. To be freed. */
void *fuzz_play_copy(const uint8_t *data, size_t size);

/* Where there are GPU virtual addresses: the first devices are of one process, the others of another. */
static inline struct vidmm_process *fuzz_play_process(const struct play *play, uint32_t device) {
    return play->process[device % PLAY_DEVICES / (PLAY_DEVICES / PLAY_PROCESSES)];
}

static inline struct play_allocation *fuzz_play_slot(struct play *play, uint32_t index) {
    return &play->allocation[index % PLAY_ALLOCATIONS];
}

#endif
