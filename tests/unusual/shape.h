/*
 * shape.h - a driver that is right by the pages, in as many shapes as struct shape can say: each is
 * built from parts of its own on top of drivers/common (skeleton.h, cpu_pager.h). The setting Shape
 * chooses one by its place in shapes.c.
 *
 * driver.c starts it, describes its segments and answers queries. work.c completes submissions,
 * later.c writes paging operations into paging buffers instead of doing them, surfaces.c makes
 * allocations. Hardware there is none: the CPU moves everything.
 */
#ifndef UNUSUAL_SHAPE_H
#define UNUSUAL_SHAPE_H

#include "../../drivers/common/cpu_pager.h"

#ifndef UNUSUAL_WIN7
#define UNUSUAL_WIN7 0
#endif

#define MOST_SEGMENTS 6u
#define MOST_NODES    3u
#define MIB           ((SIZE_T)1 << 20)

enum segment_kind { NO_SEGMENT, MEMORY, APERTURE };

/* In the order of ids. Of several memory segments each has an equal part of the memory. */
struct segment {
    enum segment_kind kind;
    ULONGLONG base;
    SIZE_T bytes; /* of an aperture */
};

/* When a submission is finished. */
enum completion { AT_ONCE, BY_DPC, BY_TIMER, BY_THREAD, BY_WORK_ITEM };

/* Where the operations of a paging buffer are. */
enum paging { DONE_WHEN_BUILT, IN_BUFFER, IN_PRIVATE_DATA };

/* What an allocation asks for, beside its bytes. */
struct surface_shape {
    UINT alignment;
    SIZE_T more;     /* bytes */
    BOOLEAN doubled; /* its size is a power of two */
    BOOLEAN no_preference;
    BOOLEAN evicts_to_aperture;
    BOOLEAN described_by_resource; /* the private data of allocations has no bytes */
    BOOLEAN long_data;             /* and of a resource, too */
    BOOLEAN numbered;              /* handles are numbers from 1 on, of allocations as of devices */
    BOOLEAN refused;               /* no standard surface is known */
};

struct shape {
    const char *name;
    struct segment segment[MOST_SEGMENTS];
    struct surface_shape surface;
    enum completion completion;
    enum paging paging;
    SIZE_T mapped_most;       /* bytes of apertures at once; 0: all */
    UINT paging_buffer_bytes; /* 0: a page */
    UINT paging_segment;      /* where paging buffers are; 0: in system memory */
    UINT pages_a_command;     /* 0: one */
    UINT commands_a_buffer;   /* 0: as many as there is room for */
    UINT nodes;               /* 0: one */
    UINT paging_node;
    BOOLEAN drops_when_preempted; /* what was not begun */
    BOOLEAN in_batches;           /* reports the last of several fences */
    BOOLEAN told_by_preemption;   /* ... and none where a preemption's report says it */
    BOOLEAN no_contexts;
    BOOLEAN wants_idle; /* moves no allocation that may be in use */
    BOOLEAN presents;   /* has DxgkDdiPresent, and no command of user mode is known */
    BOOLEAN resets;     /* has DxgkDdiResetFromTimeout */
    BOOLEAN borrows;    /* its memory is the system's, allocated when it starts */
};

extern const struct shape shapes[];
extern const UINT shape_count;
extern const struct shape *shape; /* the chosen one */
const char *shape_name(UINT number);

/* ---- work.c ---------------------------------------------------------------------------------- */

#define MOST_WORK 4096u

enum work_kind { EXECUTE, PREEMPT, DROPPED };

struct work {
    enum work_kind kind;
    UINT node, fence;
    const UCHAR *from, *to; /* private data of a paging buffer, or the same */
};

/* Submissions wait in a ring; both ends only grow. */
struct worker {
    KSPIN_LOCK lock; /* of the ring and of `busy` */
    struct work work[MOST_WORK];
    ULONG head, tail;
    BOOLEAN busy, ends;
    volatile UINT fence[MOST_NODES]; /* the last that was reported */
    KDPC dpc;
    KTIMER timer;
    KEVENT wakes, idle;
    PKTHREAD thread;
    PIO_WORKITEM item;
    PDEVICE_OBJECT device;
};

struct adapter {
    struct cpu_adapter cpu;
    struct worker worker;
    ULONGLONG delta[MOST_SEGMENTS];   /* from an address of a segment to one of the pager's */
    SIZE_T first_page[MOST_SEGMENTS]; /* of an aperture in the pager's table */
    SIZE_T memory[MOST_SEGMENTS];     /* of a memory segment in the BAR */
    SIZE_T bytes[MOST_SEGMENTS];
    PVOID borrowed;
};

NTSTATUS worker_start(struct adapter *adapter);
VOID worker_stop(struct adapter *adapter); /* also of one that did not start */
VOID worker_table(DRIVER_INITIALIZATION_DATA *table);

/* ---- later.c --------------------------------------------------------------------------------- */

/* `ours` is `args` with the pager's segments. later_execute does what is written from..to. */
NTSTATUS later_build(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *ours);
VOID later_execute(struct adapter *adapter, const UCHAR *from, const UCHAR *to);
UINT later_private_bytes(VOID);

/* ---- surfaces.c ------------------------------------------------------------------------------ */

VOID surfaces_hint(struct skeleton *base, DXGK_ALLOCATIONINFO *info);
VOID surfaces_table(DRIVER_INITIALIZATION_DATA *table);

#endif
