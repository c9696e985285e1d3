/*
 * user.h - the conformance check as the user mode of a process on the GpuMmu model: it sends
 * requests to the manager (vidmm/virtual.h) and reports them with the answers to the referee
 * (vidmm/services.h).
 *
 * Each request returns false only when the conformance check cannot go on; the referee judges all
 * other answers.
 */
#ifndef VIDMM_CHECK_USER_H
#define VIDMM_CHECK_USER_H

#include "stage.h"

#include <vidmm/services.h>
#include <vidmm/virtual.h>

#define USER_SURFACES 6u

struct user_surface {
    struct vidmm_allocation *allocation; /* NULL: none */
    uint64_t size, va;
    bool offered;
    uint8_t letter; /* byte that the CPU filled it with; 0: content does not count */
};

struct user {
    struct check *check;
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
    struct user_surface commands; /* the command buffer */
    struct user_surface surface[USER_SURFACES];
    bool speaks;   /* vidmm/umd.h; else surfaces are the system's, and command buffers empty */
    void *cpu;     /* where the CPU sees the command buffer */
    uint32_t sent; /* bytes of the packet there */
    bool null_rendering;      /* the GPU is to run nothing of what is sent */
    uint64_t fence;           /* of the last submission */
    uint32_t give;            /* surface to evict when asked to trim: index + 1 */
    enum vidmm_status status; /* of the last request */
};

/* Reports the record to the referee; a test's spoiler may change it first. */
void check_request(struct check *check, struct vidmm_request_record *record);
enum vidmm_answer user_answer(enum vidmm_status status);
/* Makes a finding of a status that a manager may not answer to a request. */
bool user_fine(struct user *user, enum vidmm_status status);

/* user.c: surfaces of the driver can be described, in vidmm/umd.h or as the system's. */
bool user_describes(struct check *check);
/* Of drivers that do not speak vidmm/umd.h, which cannot be told VIDMM_UMD_LOCAL_ONLY: what may lie in memory
 * segments lies there from here on, whatever the driver prefers. */
void user_local_first(struct check *check);
/* The process, with a command buffer. */
bool user_open(struct check *check, struct user *user);
void user_close(struct user *user);
/* VIDMM_UMD_* flags; mapped at an address that the manager chooses. The caller destroys the first. */
bool user_surface_make(struct user *user, struct user_surface *surface, uint32_t flags,
                       uint32_t pages);
bool user_make(struct user *user, uint32_t index, uint32_t flags, uint32_t pages);
void user_drop(struct user *user, uint32_t index);
/* It has a place: a request for it that found no room leaves it without one. */
bool user_has(const struct user *user, uint32_t index);
/* The CPU fills it with `letter`. */
bool user_write(struct user *user, uint32_t index, uint8_t letter);
/* True: its bytes are not those that the CPU wrote, and no finding explains it. */
bool user_lost(struct user *user, uint32_t index);
/* The GPU works for `steps`, or does nothing; it writes no surface. */
bool user_submit(struct user *user, uint32_t steps);
/* The GPU executes a packet of vidmm/umd.h. */
bool user_send(struct user *user, const void *packet, uint32_t size);
/* What was sent last once more, whether it is done or not. */
bool user_repeat(struct user *user);
/* What both sent last is sent again, by one and by the other, and is waited for. `*resident`: the system had nothing to
 * page for it, as it does where memory has no room for the page tables of both. Paging waits for its interrupt, so that
 * none may be held back then. */
bool user_in_turn(struct user *first, struct user *second, bool *resident);
bool user_rest(struct user *user);
/* The same of work that the driver has to report: one that does only when the manager, which has waited too long,
 * preempts it is named (R597, or `since`, as of check_unreported), and it was not `*told`. */
bool user_rest_told(struct user *user, uint32_t since, bool *told);
/* An empty submission, for which that is done. */
bool user_complete(struct user *user);
/* user_complete in each node but that of paging. */
bool user_completes_each(struct check *check);

/* What a process of its own, whose device may be lost by it, does in a context of the node. A driver may have nodes
 * that it makes no contexts for. */
bool user_in_node(struct check *check, uint32_t node, bool (*work)(struct user *, uint32_t));
/* The same in each node from `first` on but the one that pages, until it fails. */
bool user_in_nodes(struct check *check, uint32_t first, bool (*work)(struct user *, uint32_t));

/* user_hang.c: the hooks of a run, as a table of check_setup; and what hangs in the node, or might. */
void user_hang_table(DRIVER_INITIALIZATION_DATA *table);
bool user_hangs(struct check *check, uint32_t node);

/* user_root.c: the hook of a run, as a table of check_setup; and a write of one process beyond its root page table. */
void user_root_table(DRIVER_INITIALIZATION_DATA *table);
bool user_beyond_root(struct check *check);

/* user_requests.c; `owners`: the owners of the surfaces, NULL: this user. A list of `count`
 * indices. */
bool user_make_resident(struct user *user, const struct user *owners, const uint32_t *list,
                        uint32_t count, uint32_t flags);
bool user_evict(struct user *user, const uint32_t *list, uint32_t count, uint32_t flags);
bool user_offer(struct user *user, uint32_t index, uint32_t priority);
bool user_reclaim(struct user *user, uint32_t index);
bool user_lock(struct user *user, uint32_t index, uint32_t flags);
bool user_budget(struct user *user);
/* Limits it to the segments of `set`; the driver may refuse. */
bool user_place(struct user *user, uint32_t index, uint32_t set);

/* user_addresses.c: all requests about addresses; destroys surface `gone`. */
bool user_addresses(struct user *user, uint32_t mapped, uint32_t gone);
/* Entries of surface `index` are copied between two leaf tables, some onto each other. */
bool user_copies(struct user *user, uint32_t index);
/* Maps surface `index` at a second range of addresses, frees a page out of its middle, maps that
 * again, and frees all of it. */
bool user_split(struct user *user, uint32_t index);
/* Maps all of it at a second range of addresses without the right to write, and frees that. */
bool user_protected(struct user *user, uint32_t index);
/* Maps pages that read as zero, where the driver has them, and frees them. */
bool user_zeroes(struct user *user, uint64_t size);
/* Surface `index` in a leaf table of its own, beside pages that read as zero where the driver has those. It
 * leaves and comes back; then a page of 4 KB comes into the table, which may have had pages of 64 KB. */
bool user_tables(struct user *user, uint32_t index);
/* user_many.c: processes that are alive at a time, and work in turn. */
bool user_many(struct check *check);
/* user_null.c: what is sent with NullRendering does not write surface `index`. */
bool user_null(struct user *user, uint32_t index);
/* user_contexts.c: several contexts while their memory moves; maps surface `index` again. */
bool user_contexts(struct user *user, uint32_t index);

#endif
