/*
 * referee.h - stands between manager and driver and judges both by the rule table.
 *
 * The referee replaces the driver's DDI table and the driver's DXGKRNL_INTERFACE by tables of its
 * own, whose functions check arguments and results and pass the call on. It changes no call: with
 * and without it the same calls are made. Its findings go into a ledger of plain data without
 * pointers, which may be in memory shared with another process, so that it survives a crash of the
 * driver.
 *
 * Several referees may exist in a process, 16 at a time, each between one manager and one driver
 * and with a ledger of its own. The table through which a call comes determines its referee, so
 * that handles of two drivers may be equal. The functions may be called from any thread.
 */
#ifndef VIDMM_REFEREE_H
#define VIDMM_REFEREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/interrupt.h>
#include <vidmm/readings.h>
#include <vidmm/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Code of the driver. */
struct vidmm_spot {
    uint64_t offset; /* in the driver's file */
    uint32_t line;   /* 0: not known */
    char function[96], file[160];
};

#define VIDMM_PLACES 6u
/* Answers INSUFFICIENT_DMA_BUFFER of one operation in a row that write and leave MultipassOffset where it was: one more
 * breaks R157. */
#define VIDMM_REPEATED_PASSES 4096u
#define VIDMM_FOUND           512u /* bytes of a sentence */

struct vidmm_finding {
    uint8_t kind;        /* enum vidmm_finding_kind */
    uint8_t who;         /* VIDMM_SIDE_DRIVER or VIDMM_SIDE_MANAGER */
    uint16_t rule;       /* its row */
    uint16_t after;      /* of an end: index + 1 of the finding that it came after; 0: none */
    uint64_t after_call; /* and the call of that */
    /* Of a rule: times that it was kept until this call, a reset or a change of power, and never since. 0: none. */
    uint32_t kept_until;
    uint32_t until; /* enum vidmm_turn */
    uint64_t until_call;
    uint32_t times; /* number of equal findings at this place */
    uint64_t call;  /* number of the DDI call, from 1, of the first time */
    char where[96]; /* "DxgkDdiBuildPagingBuffer(TRANSFER)" */
    char step[96];  /* step of the conformance check, or empty */
    char found[VIDMM_FOUND];
    char expected[192];
    /* Where the driver was, innermost first, or the function of its table that was called; the
     * words of a place are empty until its symbols have been read. */
    uint32_t places;
    struct vidmm_spot place[VIDMM_PLACES];
};

/* Calls behind which hardware has lost what a driver may take for known. */
enum vidmm_turn { VIDMM_TURN_NONE, VIDMM_TURN_RESTART, VIDMM_TURN_RESET_ENGINE, VIDMM_TURN_POWER };

#define VIDMM_FINDINGS 256u

/* A finding in one life of a driver. */
struct vidmm_ledger_seen {
    uint32_t finding; /* index */
    uint64_t call;    /* of the first time */
};

/* What is said of a ledger that is short of memory. */
#define VIDMM_LEDGER_SHORT                                                                         \
    "out of memory for the referee or the examination: what came after is not judged"

#define VIDMM_MUTED_ASIDE 2u

/* Plain data; zero is an empty ledger. */
struct vidmm_ledger {
    uint32_t kept[VIDMM_RULES_SIZE];   /* times that the rule was judged and kept */
    uint32_t broken[VIDMM_RULES_SIZE]; /* times that it was broken */
    uint32_t unseen[VIDMM_RULES_SIZE]; /* times that there was no view to judge it by */
    /* ... of which segments: a bit for each id; none: of page tables, or of system memory */
    uint32_t unseen_in[VIDMM_RULES_SIZE];
    /* Times that it would have been found broken, had not something been found before that may explain it. */
    uint32_t held[VIDMM_RULES_SIZE];
    uint8_t muted[VIDMM_RULES_SIZE]; /* not 0: broken is counted, no finding is made */
    uint32_t aside;                  /* counted here, where that is VIDMM_MUTED_ASIDE */
    /* Not 0: what the driver breaks that it never broke before, the host's rules too, is told as this rule, once. */
    uint32_t instead;
    char instead_expected[96];
    uint32_t findings, dropped;
    struct vidmm_finding finding[VIDMM_FINDINGS];
    /* Those since vidmm_ledger_begin, in the order in which they came. */
    uint32_t seen;
    struct vidmm_ledger_seen seen_as[VIDMM_FINDINGS];
    uint64_t calls;
    /* The newest of this life, and the times that each rule was kept before the life and before the call. */
    struct {
        uint32_t call_is; /* enum vidmm_turn */
        uint64_t call;
        uint32_t kept_before[VIDMM_RULES_SIZE], kept_until[VIDMM_RULES_SIZE];
    } turn;
    uint32_t depth;   /* of DDI calls under way */
    char calling[96]; /* the DDI call under way, or empty */
    char step[96];
    /* Not 0: a referee or the examination was refused memory. What came after it is not verified, and
     * a referee makes no finding of it. */
    uint32_t short_of_memory;
};

/* A GPU virtual address as the GPU translates it now, also by stale TLB entries. */
struct vidmm_referee_translation {
    bool valid;  /* false: every access faults */
    bool cached; /* from a TLB, even if the tables differ */
    bool zero;   /* reads give zero; there is no address */
    bool read_only, no_execute, coherent;
    uint32_t physical; /* whose memory it is; of system memory 0 */
    uint64_t address;  /* GPU physical address of the byte, as that physical adapter has it */
};

/* Access of the referee to memory and GPU; every member may be NULL. `physical`: index of the
 * physical adapter whose GPU it is, 0 where adapters are not linked. */
struct vidmm_referee_world {
    void *ctx;
    KIRQL (*irql)(void *ctx);
    /* Host pointer to system memory, or NULL. */
    void *(*memory)(void *ctx, uint64_t pa, size_t size);
    /* `size` bytes at a GPU physical address (segment base + offset) as the GPU sees them, not
     * across a page in an aperture; or NULL. */
    const void *(*peek)(void *ctx, uint32_t physical, uint64_t gpu_address, size_t size);
    /* Translates `va` by the root table at GPU physical address `root` of `entries` entries; false:
     * no MMU, or not accessible. */
    bool (*translate)(void *ctx, uint32_t physical, uint64_t root, uint32_t entries, uint64_t va,
                      struct vidmm_referee_translation *out);
    /* Whether the GPU's accesses to a page of an aperture snoop the CPU's caches; false: not known. */
    bool (*snoops)(void *ctx, uint32_t physical, uint64_t gpu_address, bool *snoops);
    /* What the IOMMU has at an address of the process with that PASID: memory of at least a byte, which the GPU can
     * reach by it now. */
    bool (*shared)(void *ctx, uint32_t pasid, uint64_t va);
    /* GPU physical address of the root table by which the newest work of a node was translated;
     * false: it was not, or it cannot be seen. */
    bool (*root)(void *ctx, uint32_t physical, uint32_t node, uint64_t *root);
    /* The CPU's view of a physical range behind a BAR or in the driver's contiguous memory, or
     * NULL. */
    void *(*io)(void *ctx, uint64_t pa, size_t size);
    /* Bytes of system memory, and the address behind its end; 0: it has no hole. */
    uint64_t memory_bytes, memory_end;
    /* The first physical address that the device does not reach; 0: none is known. */
    uint64_t reach;
    /* True: an allocation failed on purpose, so that a driver may report that it has no memory. */
    bool (*starved)(void *ctx);
    /* The driver has a stack of its own in the calling thread, and what is at `address` there is gone when its function
     * returns. */
    bool (*leaves)(void *ctx, const void *address);
};

struct vidmm_referee_config {
    struct vidmm_ledger *ledger; /* the caller's; must outlive the referee */
    struct vidmm_referee_world world;
    struct vidmm_readings readings;
    uint32_t interface_version; /* as vidmm_adapter_config.interface_version */
    bool no_content;            /* memory has none: copies are judged by their places alone */
};

struct vidmm_referee;

/* NULL: out of memory, or too many referees. */
struct vidmm_referee *vidmm_referee_create(const struct vidmm_referee_config *config);
/* Judges open handles and unfinished work, then frees. */
void vidmm_referee_destroy(struct vidmm_referee *referee);
/* Replaces `config.world`, for example when a host exists. */
void vidmm_referee_set_world(struct vidmm_referee *referee,
                             const struct vidmm_referee_world *world);

/* Replaces the slots of `table` (as the driver filled it) that the referee watches. */
void vidmm_referee_wrap_ddi(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
/* The same for the callbacks that the driver will get from StartDevice. */
void vidmm_referee_wrap_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
/*
 * Reports that the work of `node` of a physical adapter up to `fence` is complete, where no callback of a driver does.
 * Judges what the work should have done, before the caller acts on the completion.
 */
void vidmm_referee_completed(struct vidmm_referee *referee, uint32_t physical, uint32_t node,
                             uint32_t fence);

/* The same for any report of an interrupt. */
void vidmm_referee_reported(struct vidmm_referee *referee, const struct vidmm_interrupt *report);

/*
 * A caller that builds paging buffers itself says that the paging buffer in which `end` is, and in which operations are
 * built already, ends there: later operations may not use the rest.
 */
void vidmm_referee_shorten(struct vidmm_referee *referee, const void *end);
/* The hardware has no power until DxgkDdiSetPowerState with PowerDeviceD0: what memory keeps by its flags is looked at
 * then (R653). Any thread. */
void vidmm_referee_lose_power(struct vidmm_referee *referee);
/* The device that starts or stops from here on, or no longer, is another adapter of the driver's, which the manager does not
 * manage. */
void vidmm_referee_other_device(struct vidmm_referee *referee, bool on);
/* What is called from here on is another adapter of the driver's, which the manager that is started next manages; nothing is
 * under way. */
void vidmm_referee_turn(struct vidmm_referee *referee);
/* How much of the work so far the driver reported faulted. Any thread. */
uint32_t vidmm_referee_faults(struct vidmm_referee *referee);
/* The rule about what came before, when a reset of an engine or the adapter came to work under way and the driver had
 * reported nothing complete since: the reset before (R618), power (R651, R652). R561 when only a preemption was under way.
 * 0: neither was so. Any thread. */
uint32_t vidmm_referee_deaf(struct vidmm_referee *referee);
/* The rule about a reset of the adapter (R618) or power (R651), when the first work of an application behind it was
 * reported faulted, and work of an application had been reported complete before. 0: that was not so. Any thread. */
uint32_t vidmm_referee_faulted_first(struct vidmm_referee *referee);
/* Work of an application by physical addresses, and the address of its commands. */
struct vidmm_faulted_work {
    uint32_t fence, node;
    uint64_t address;
};
/* That which was reported faulted last; fence 0: none. Any thread. */
struct vidmm_faulted_work vidmm_referee_faulted_work(struct vidmm_referee *referee);
/*
 * From here on, or no longer, the pages on both sides of what VIRTUAL_FILL and VIRTUAL_TRANSFER write to
 * are compared with what they were when the operation was asked for (R560). For a caller who sees to it
 * that nobody but paging operations writes memory meanwhile. Any thread.
 */
void vidmm_referee_look_beside(struct vidmm_referee *referee, bool on);
/* Fence of the oldest work of a node that is not complete; false: there is none. Any thread. */
bool vidmm_referee_oldest(struct vidmm_referee *referee, uint32_t physical, uint32_t node,
                          uint32_t *fence);
/* From here on, or no longer, the caller has surfaces placed elsewhere than the driver prefers: R97 is not judged. Any
 * thread. */
void vidmm_referee_placed_first(struct vidmm_referee *referee, bool on);
/*
 * From here on, or no longer, the caller gives queries of dirty bits and saves of a migration buffers that
 * are too short on purpose: only that the driver stays within them is judged (R328, R332). Any thread.
 */
void vidmm_referee_short_buffers(struct vidmm_referee *referee, bool on);

/*
 * From here on bytes of this value lie behind what the driver gets in calls of this thread: it may
 * neither write nor use them.
 */
#define VIDMM_REFEREE_GUARD 0xa5u /* unless told otherwise */
/* Sets that byte for the calling thread; VIDMM_REFEREE_GUARD is the usual one. */
void vidmm_referee_guards(uint8_t byte);

/* What a sanitizer of the process does with the `size` bytes from `start` on. */
typedef void (*vidmm_referee_range)(const volatile void *start, size_t size);
/*
 * From here on `forbid` is told of the bytes around each buffer that a driver gets, before it gets it, and `allow` before
 * the referee touches them again: with both of AddressSanitizer's functions, a driver that reads beyond its buffer is seen, too.
 * NULL, NULL: nobody is told, which is so at first. Call it while no referee is in use; it holds for all of them and all threads.
 */
void vidmm_referee_forbid(vidmm_referee_range forbid, vidmm_referee_range allow);

/*
 * The driver takes memory for its device by a function of ntoskrnl ("MmAllocateContiguousMemory",
 * kept by the referee) instead of a callback.
 */
void vidmm_referee_kernel_memory(struct vidmm_referee *referee, const char *function);
/* The driver maps that much memory of the system at a physical address (vidmm_host_interposer). */
void vidmm_referee_maps_memory(struct vidmm_referee *referee, uint64_t physical, uint64_t bytes);
/* The driver reads or writes `address` on the calling thread, and dies of it (vidmm_host_interposer). */
void vidmm_referee_faulting(struct vidmm_referee *referee, uint64_t address, bool write);
/* The driver reads or writes `address` on the calling thread; true: in a structure of a call that returned, which the
 * referee had put out of reach and has put back. */
bool vidmm_referee_gone(struct vidmm_referee *referee, uint64_t address, bool write);

/* What a manager has the GART do with pages of the AGP aperture (struct vidmm_gart). */
enum vidmm_gart_change { VIDMM_GART_MAP, VIDMM_GART_UNMAP, VIDMM_GART_FLUSH };

struct vidmm_referee_gart {
    enum vidmm_gart_change kind;
    uint64_t page, pages; /* of the aperture */
};
/* No DDI call carries it: the caller of the manager says it, before the GART does it. */
void vidmm_referee_gart(struct vidmm_referee *referee, const struct vidmm_referee_gart *change);

/*
 * The adapter of `source` moved to that of `target`, which may be the same: judges, when the target
 * ends its migration, whether its memory is what the source's was when its mutable data was saved
 * (R340). To be called after the last transfer from the source and before the end of the target.
 */
void vidmm_referee_migrated(struct vidmm_referee *source, struct vidmm_referee *target);

/* The manager's sizes of graphics memory for applications, judged by the driver's segments. */
struct vidmm_referee_sizes {
    uint64_t available, dedicated_video, dedicated_system, shared_system, total; /* bytes */
};
/*
 * Judges `*sizes` (R364 to R366), which the caller got from the manager after its start. Nothing
 * is judged before the driver's segments were seen (calculating-graphics-memory.md).
 */
void vidmm_referee_judge_sizes(struct vidmm_referee *referee,
                               const struct vidmm_referee_sizes *sizes);
/* What the driver answered for it in DxgkDdiCreateAllocation; its pointers are stale. False: there is no such
 * allocation. Any thread. */
bool vidmm_referee_answer(struct vidmm_referee *referee, HANDLE allocation,
                          DXGK_ALLOCATIONINFO *info);
/* What the driver has reported of the vertical syncs of a video present target. */
struct vidmm_referee_vsyncs {
    uint64_t count; /* so many, since its path was committed */
    uint64_t
        flipped; /* so many before the address that was set last was reported; UINT64_MAX: it was not */
    uint64_t address; /* of the newest */
};
/* False: none. Any thread. */
bool vidmm_referee_vsyncs(struct vidmm_referee *referee, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                          struct vidmm_referee_vsyncs *out);
/* `cpu`: pointer of a lock without a swizzling range, judged by the place of the allocation. */
void vidmm_referee_judge_lock(struct vidmm_referee *referee, HANDLE allocation, const void *cpu);

/*
 * Records a judgement: R`rule` was kept (`found` is not used), or broken by the side `who`. `found`
 * is one sentence without full stop, `expected` a noun phrase.
 */
void vidmm_ledger_judge(struct vidmm_ledger *ledger, uint32_t rule, enum vidmm_side who, bool kept,
                        const char *expected, const char *found, ...)
    __attribute__((format(printf, 6, 7)));
/* Counts that it would have been broken, where what was found before may explain it. */
void vidmm_ledger_hold(struct vidmm_ledger *ledger, uint32_t rule);
/* From here on, new findings of this process have places: `find` writes offsets of the driver code
 * that runs, or of the function `call` of its table. NULL: they have none. */
void vidmm_ledger_places(uint32_t (*find)(const char *call, uint64_t *frame, uint32_t most));
/* Where in the driver the calling thread is, by that function: how many frames of at most `most`. */
uint32_t vidmm_ledger_here(uint64_t *frame, uint32_t most);
/* What this thread finds from here on happened earlier, at up to VIDMM_PLACES frames, which stay where they are until
 * it says NULL and 0. */
void vidmm_ledger_was_at(const uint64_t *frame, uint32_t frames);
/*
 * Is told of what goes into the ledgers of this process, as it happens: of a finding, `index`, that is
 * new or came for the first time in this life of the driver; of a call that begins or ends, or another
 * step. NULL: nobody is.
 */
struct vidmm_ledger_mirror {
    void (*found)(const struct vidmm_ledger *ledger, uint32_t index, bool is_new);
    void (*moved)(const struct vidmm_ledger *ledger);
};
/* Sets the mirror of this process; `*mirror` is copied. Not beside a call that makes findings. */
void vidmm_ledger_set_mirror(const struct vidmm_ledger_mirror *mirror);
/* Records a finding that is no rule of the table. */
void vidmm_ledger_note(struct vidmm_ledger *ledger, enum vidmm_finding_kind kind,
                       enum vidmm_side who, const char *found, ...)
    __attribute__((format(printf, 4, 5)));

/* Called for each finding, after it has been entered and before anybody is told: a place for a
 * debugger to stop. */
void vidmm_finding(const struct vidmm_finding *finding);

/* From here on each finding of this process is told, each step, and each call that a referee sees,
 * before the driver is entered. Members but `ctx`, which tells watchers apart, may be NULL. */
struct vidmm_ledger_watcher {
    void *ctx;
    void (*finding)(void *ctx, const struct vidmm_finding *finding);
    void (*step)(void *ctx, const char *step);
    void (*entered)(void *ctx, uint64_t call, const char *name);
};
#define VIDMM_LEDGER_WATCHERS 2u /* at most at a time; of more, the others are told nothing */
/*
 * Adds a watcher, or replaces the one with the same `ctx`, which is not NULL. `*watcher` is
 * copied. Not beside a call that makes findings.
 */
void vidmm_ledger_watch(const struct vidmm_ledger_watcher *watcher);
/* Takes away the watcher with that `ctx`, if there is one. As vidmm_ledger_watch. */
void vidmm_ledger_unwatch(const void *ctx);
/* For a referee: the call that was counted last is made next. */
void vidmm_ledger_entered(struct vidmm_ledger *ledger, const char *name);

/* Another life of a driver begins. */
void vidmm_ledger_begin(struct vidmm_ledger *ledger);
/* "DxgkDdiRestartFromTimeout"; "": none. Any thread. */
const char *vidmm_turn_text(uint32_t turn);
/* The severity of its row. */
enum vidmm_severity vidmm_finding_severity(const struct vidmm_finding *finding);
/* A broken rule that reaches memory and work, and of which not only time is lost: bytes that are wrong behind it, and work
 * that is not carried out or reported, may follow from it. Any thread. */
bool vidmm_finding_explains(const struct vidmm_finding *finding);
/* A sentence with # for each number in it: what equal findings have in common. */
void vidmm_finding_plain(const char *text, char *plain, size_t size);
/* "[R152] DxgkDdiBuildPagingBuffer(TRANSFER): the driver ...; expected ..." */
void vidmm_finding_text(const struct vidmm_finding *finding, char *text, size_t size);

/* For findings: the current DDI call (NULL: it returned), the conformance check's step. */
void vidmm_ledger_calling(struct vidmm_ledger *ledger, const char *call);
/*
 * Sets the step, a sentence that findings from here on have; it is copied, and cut where there is
 * no room. NULL: none.
 */
void vidmm_ledger_step(struct vidmm_ledger *ledger, const char *step);

#ifdef __cplusplus
}
#endif

#endif
