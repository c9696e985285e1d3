/*
 * dropped.h - the manager with one thing left out.
 *
 * A scene (scenes.c) is a short replay over the reference driver. First it runs as it is, and every
 * occasion is counted: each flush, each update of page tables, each copy of entries, each wait for
 * the GPU, each notice of residency, each root. Then it runs once more for every occasion, which is
 * left out: by operation.c before the referee and the driver see it, by waits.c where the manager
 * would have slept. What that does to bytes the oracle has to name, or the referee its rule.
 */
#ifndef DROPPED_H
#define DROPPED_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/hwmodel.h>
#include <vidmm/harness.h>

enum dropped_kind {
    DROPPED_FLUSH,  /* a FLUSH_TLB */
    DROPPED_NARROW, /* the first or the last page of a FLUSH_TLB */
    DROPPED_ENTRY,  /* one entry of an UPDATE_PAGE_TABLE: it keeps its old value */
    DROPPED_UPDATE, /* all of an UPDATE_PAGE_TABLE */
    DROPPED_COPY,   /* a COPY_PAGE_TABLE_ENTRIES */
    DROPPED_NOTICE, /* a NOTIFY_RESIDENCY */
    DROPPED_ROOT,   /* a DxgkDdiSetRootPageTable */
    DROPPED_WAIT,   /* a wait for the GPU that would have slept */
    DROPPED_KINDS
};
const char *dropped_text(enum dropped_kind kind);

/* What is left out: occasion `at` of `kind`, from 0 on. */
struct dropped_call {
    bool on;
    enum dropped_kind kind;
    uint64_t at;
    uint64_t seed; /* chooses the entry, and the end of a flush */
};

/* What is found out on the way. Plain data: it lies in memory shared with the test. */
struct dropped_seen {
    uint64_t occasions[DROPPED_KINDS];
    uint64_t begins[DROPPED_KINDS]; /* those of them before the replay */
    bool hit;                       /* it was left out */
    const char *equal;              /* why that makes no difference; NULL: it may */
    char what[160];                 /* it, in words */
};

void dropped_begin(const struct dropped_call *dropped_call, struct dropped_seen *seen);
/* An occasion of `kind` comes: true when it is the one that is left out. */
bool dropped_comes(enum dropped_kind kind);
const struct dropped_call *dropped_now(void);
struct dropped_seen *dropped_seen(void);

/* ---- operation.c: the calls of the driver ---------------------------------------------------- */

void operation_install(DRIVER_INITIALIZATION_DATA *table);
/* What the table of an update is told from others by. */
uint64_t operation_table(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update);
/* The harness that the calls are made in, once there is one. */
void operation_in(const struct vidmm_harness *harness);

/* ---- ranges.c -------------------------------------------------------------------------------- */

enum range_set {
    RANGES_STALE,  /* entries changed that were not flushed since */
    RANGES_MAPPED, /* leaf entries lead somewhere */
    RANGES_LARGE,  /* entries above them do */
    RANGES_SETS
};

void ranges_add(enum range_set set, HANDLE process, uint64_t start, uint64_t end);
void ranges_remove(enum range_set set, HANDLE process, uint64_t start, uint64_t end);
/* Some address of [start, end) is in it. */
bool ranges_any(enum range_set set, HANDLE process, uint64_t start, uint64_t end);
/* Some address of it leads to memory. */
bool ranges_lead(HANDLE process, uint64_t start, uint64_t end);

/* ---- unused.c: entries and flushes that were left out, and whether anybody used the addresses ---
 */

/* The `i`-th entry of an update says something new. */
typedef bool entry_differs(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT i);
/* Bytes of an entry of a table. */
typedef uint64_t entry_size(UINT level);

/* What entries do above the leaves. */
enum link_change {
    LINKS_OTHER,
    LINKS_BEGIN, /* they lead to tables, and led nowhere before */
    LINKS_END    /* they lead nowhere, and led to tables of which no entry leads anywhere */
};

/* `count` entries from `first` of those of `update` are left out, each for 1 << `shift` bytes;
 * `paging`: only paging goes through these addresses. */
void unused_left_out(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, UINT first, UINT count,
                     uint32_t shift, bool paging, enum link_change links, entry_differs *differs);
/* A flush of [start, end). */
void unused_flush(HANDLE process, uint64_t start, uint64_t end, bool paging);
/* Another flush was asked for. */
void unused_flushed(void);
/* Before the driver is asked for `asked`, which uses addresses of `process`; `known` has the
 * tables' names that the paging process knows. */
void unused_operation(const DXGKARG_BUILDPAGINGBUFFER *asked,
                      const DXGKARG_BUILDPAGINGBUFFER *known, HANDLE process, entry_size *size_of);
/* Paging or work that uses addresses of `process`. */
void unused_submission(const DXGKARG_SUBMITCOMMANDVIRTUAL *args, HANDLE process);

/* ---- waits.c --------------------------------------------------------------------------------- */

/* The manager asks the driver for something; `paging`: for something that the paging node does in
 * its turn, or that paging under way has nothing to do with; `takes`: something away that work
 * under way may use. */
void waits_called(bool paging, bool takes);
/* Paging of bytes is asked for; it goes with the next paging buffer. */
void waits_move(const struct vidmm_adapter *adapter);
/* Likewise what may concern anything, and what concerns addresses of the process alone and goes
 * through none itself: a flush, or (`entries`) entries of its tables by their physical place. */
void waits_change(const struct vidmm_adapter *adapter);
void waits_addresses(struct vidmm_adapter *adapter, HANDLE process, uint64_t start, uint64_t end,
                     bool entries);
/* Of the paging that was not waited for only flushes are left. */
bool waits_flush_left(void);
/* Or what concerns no address that leads work of the process anywhere. */
bool waits_unmapped(HANDLE process);
/* The hardware whose engine is held back that is not waited for. */
const struct vidmm_hw_model *waits_hardware(void);

/* ---- bookkeeping.c --------------------------------------------------------------------------- */

/* Tells the referee where the addresses have to lead that work of the context may use. The driver's
 * handle of its process, or NULL. */
HANDLE bookkeeping_tell(const struct vidmm_harness *harness,
                        const DXGKARG_SUBMITCOMMANDVIRTUAL *args);
/* Work under way may use some address of [start, end). */
bool bookkeeping_used(const struct vidmm_harness *harness, HANDLE process, uint64_t start,
                      uint64_t end);
/* Work under way may use an address of the allocation. */
bool bookkeeping_uses(const struct vidmm_harness *harness, HANDLE allocation);
/* Tables that an operation of a companion context names by its own addresses get the names that the
 * paging process has for them; `args` is the caller's own. */
void bookkeeping_name(const struct vidmm_harness *harness, DXGKARG_BUILDPAGINGBUFFER *args);
/* The process in whose addresses the driver's context runs if it is a companion context, which has
 * no work while its root is set; NULL: it is none. */
HANDLE bookkeeping_companion(const struct vidmm_harness *harness, HANDLE context);
/* Only companion contexts use the addresses of the process. */
bool bookkeeping_privileged(const struct vidmm_harness *harness, HANDLE process);

/* ---- scenes.c -------------------------------------------------------------------------------- */

#define SCENE_SETTINGS 8u

struct scene {
    const char *name;
    const char *workload; /* a file beside the test, a generator, or a recording */
    uint64_t vram, frames;
    uint64_t sample; /* the suite leaves out so many of each kind; 0: all */
    bool notices;    /* the driver wants to be told of residency */
    struct vidmm_host_setting settings[SCENE_SETTINGS];
};

extern const struct scene scenes[];
extern const uint32_t scene_count;

#endif
