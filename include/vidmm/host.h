/*
 * host.h - the parts of ntoskrnl and dxgkrnl that one display miniport calls.
 *
 * A host owns simulated physical memory, pool, IRQL, DPCs, interrupts, the hardware model behind
 * the BARs and the driver itself, loaded from a shared object or linked in. One host exists at a
 * time in a process (the driver's ntoskrnl names have no instance argument).
 */
#ifndef VIDMM_HOST_H
#define VIDMM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/hwmodel.h>
#include <vidmm/interrupt.h>
#include <vidmm/os.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Physical adapters behind a logical one, at most. */
#define VIDMM_LINKED_MOST 4u

struct vidmm_host;

struct vidmm_host_setting {
    const char *name; /* ASCII; what the driver reads with RtlQueryRegistryValues, the model with
                         setting() */
    uint64_t value;
};

/* Receives what the driver reports to dxgkrnl; src/harness forwards it to the manager. Members may
 * be NULL. */
struct vidmm_host_sink {
    void *ctx;
    /* `physical`: the physical adapter that the report names (its EngineOrdinal). */
    void (*completed)(void *ctx, uint32_t physical, uint32_t node, uint32_t fence);
    void (*preempted)(void *ctx, uint32_t physical, uint32_t node, uint32_t fence,
                      uint32_t last_completed);
    void (*faulted)(void *ctx, uint32_t physical, uint32_t node, uint32_t fence);
    /* NULL: page faults go to `faulted`, too. */
    void (*page_faulted)(void *ctx, const struct vidmm_interrupt *report);
    NTSTATUS (*create_context_allocation)(void *ctx, DXGKARGCB_CREATECONTEXTALLOCATION *args);
    NTSTATUS (*destroy_context_allocation)(void *ctx, HANDLE allocation);
    /* `inside`: on a thread that is inside a DDI call. */
    D3DGPU_VIRTUAL_ADDRESS(*map_context_allocation)
    (void *ctx, const DXGKARGCB_MAPCONTEXTALLOCATION *args, bool inside);
    NTSTATUS(*update_context_allocation)
    (void *ctx, const DXGKARGCB_UPDATECONTEXTALLOCATION *args, bool inside);
    NTSTATUS (*reserve_addresses)(void *ctx, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args);
    /* DxgkCbGetHandleData: the driver's handle behind a D3DKMT_HANDLE of DxgkDdiOpenAllocation. */
    void *(*handle_data)(void *ctx, const DXGKARGCB_GETHANDLEDATA *data);
};

/*
 * Stands between the host and the driver, in both directions: src/referee has one. Members may be
 * NULL.
 */
struct vidmm_host_interposer {
    void *ctx;
    /* `table` as DriverEntry filled it; the host calls the functions that are in its slots
     * afterwards. */
    void (*ddi)(void *ctx, DRIVER_INITIALIZATION_DATA *table);
    /* The callbacks that the driver will get from StartDevice. */
    void (*callbacks)(void *ctx, DXGKRNL_INTERFACE *callbacks);
    /* A life-cycle call begins; NULL: it returned. */
    void (*calling)(void *ctx, const char *call);
    /* The driver did what ntoskrnl or dxgkrnl forbids: one sentence. */
    void (*violation)(void *ctx, const char *text);
    /* The driver takes or locks memory by a function of ntoskrnl, "MmProbeAndLockPages", instead of
     * a callback of dxgkrnl. */
    void (*kernel_memory)(void *ctx, const char *function);
    /* The driver maps that much memory of the system at a physical address, by MmMapIoSpace or DxgkCbMapMemory. */
    void (*maps_memory)(void *ctx, uint64_t physical, uint64_t bytes);
    /* The driver reads `address`, which is no memory, or writes to it, and dies of it: in the signal's
     * handler, on the thread that does. */
    void (*faulting)(void *ctx, uint64_t address, bool write);
    /* The same of an address that the interposer may have put out of reach; true: it is within reach now, and the
     * driver goes on. */
    bool (*gone)(void *ctx, uint64_t address, bool write);
};

/* A call of a function of the driver by the system. */
struct vidmm_host_call {
    const char *name;   /* "DxgkDdiPatch", "DriverEntry" */
    bool counted;       /* a function for the memory manager: one of vidmm_host_calls */
    HANDLE handle;      /* its first argument */
    const void *args;   /* its structure of arguments, or NULL */
    uint64_t others[3]; /* its other arguments, in their order */
    uint32_t other_count;
    KIRQL irql;
    uint64_t answer;  /* when it has returned: its status, if it has one */
    uint64_t kept[4]; /* the watcher's own, from `called` to `returned` */
};

/*
 * Sees what passes between the system and the driver: each call on the thread that makes it, before
 * the driver's function is entered and after it has returned. Members may not be NULL.
 */
struct vidmm_host_watcher {
    void *ctx;
    void (*called)(void *ctx, struct vidmm_host_call *call);
    void (*returned)(void *ctx, const struct vidmm_host_call *call);
    /* What a DxgkCbNotifyInterrupt says about submitted work. */
    void (*reported)(void *ctx, const struct vidmm_interrupt *report);
};

struct vidmm_host_config {
    const char *driver_path;         /* shared object that exports DriverEntry, or NULL */
    DRIVER_INITIALIZE *driver_entry; /* linked-in driver, when driver_path is NULL */
    const struct vidmm_hw_model
        *model;             /* NULL: BARs of plain memory, submissions are the driver's affair */
    const char *model_path; /* shared object with a model, when `model` is NULL; or NULL */
    const struct vidmm_host_setting *settings;
    uint32_t setting_count;
    uint64_t plain_bytes;  /* of the second BAR, of a board without a model; 0: 256 MiB */
    uint32_t linked;       /* physical adapters behind the logical one; 0: one */
    bool second;           /* there is another board, not linked: vidmm_host_second_start */
    uint64_t memory_bytes; /* simulated RAM; 0: 4 GiB; sparse */
    uint64_t high_bytes;   /* RAM besides, beyond 4 GiB, where a device of any address reaches it */
    bool no_content;       /* pages of RAM that are used again are not zeroed: nobody looks */
    bool keep_memory;      /* clean, for the next host of the process, if it has as much RAM */
    uint64_t seed;         /* scatters physical pages; 0: runs of pages in order */
    bool threads;          /* engine threads and wall-clock time instead of virtual time */
    bool line;             /* the interrupt is line-based and shared; else message-signalled */
    bool eager;            /* virtual time: the hardware works before a register write returns */
    bool overlapping;      /* virtual time: it works on while an interrupt is served */
    uint64_t fail_at; /* the n-th allocation of host, driver, model or manager fails; 0: none */
    /* Called before the n-th allocation, at any IRQL and in any thread; or NULL. */
    void (*allocating)(void *ctx, uint64_t number);
    void *allocating_ctx;
    FILE *device_log; /* each access to registers, ports and configuration space; NULL: nowhere */
    FILE *log;        /* DbgPrint and DDI trace; NULL: nowhere */
    bool trace_calls; /* one line a DDI call on `log` */
    bool track;       /* remember the code that makes what the driver must give back */
    bool watch_pool;  /* a sanitizer in the process knows of pool, whatever built the driver */
    const struct vidmm_host_interposer *interposer; /* NULL: none; copied */
    const struct vidmm_host_watcher *watcher;       /* NULL: none; outlives the host */
};

/* One sentence about what failed: never empty after a failure. */
struct vidmm_host_error {
    char text[512];
    NTSTATUS status; /* of the driver's call, if it was one */
};

/* A name that a driver image wants of the kernel. */
struct vidmm_host_import {
    const char *library, *name; /* "#5": by ordinal */
    bool known;                 /* else it has a stub that says so when it is called */
};

/* Calls `found` for each import of the driver image at `path`, in the order of the file; of none if
 * it is a shared object. false: it is a damaged image. */
bool vidmm_host_imports(const char *path,
                        void (*found)(void *ctx, const struct vidmm_host_import *import), void *ctx,
                        struct vidmm_host_error *error);

/* Loads driver and model and calls DriverEntry. false: nothing is left behind. */
bool vidmm_host_create(const struct vidmm_host_config *config, struct vidmm_host **out,
                       struct vidmm_host_error *error);
/* AddDevice, LinkDevice, StartDevice, of every device. */
bool vidmm_host_start(struct vidmm_host *host, struct vidmm_host_error *error);
/* StopDevice, RemoveDevice; false with `error` when the driver refused or leaked. */
bool vidmm_host_stop(struct vidmm_host *host, struct vidmm_host_error *error);
/* NumberOfChildren of the first device, as it was started last. */
uint32_t vidmm_host_children(const struct vidmm_host *host);
/* Its NumberOfVideoPresentSources. */
uint32_t vidmm_host_sources(const struct vidmm_host *host);
/* A mode stays set of that target until the first device stops: DxgkDdiStopDeviceAndReleasePostDisplayOwnership gets the
 * target, and the frame buffer that it answers must be one that the CPU reaches. False: the driver is not asked for it. */
bool vidmm_host_leave_display(struct vidmm_host *host, uint32_t target);
/* StopDevice and StartDevice of every device without RemoveDevice, as when resources are rebalanced: in
 * between BARs move to other addresses. false: the devices are stopped and removed. */
bool vidmm_host_rebalance(struct vidmm_host *host, struct vidmm_host_error *error);
/*
 * Unload, then judges what is left: pool blocks, contiguous memory, MDLs, mappings, damaged guard
 * bytes. Returns false and a sentence if anything is left. The host is freed in both cases, except
 * for what system threads of the driver still use if they do not end; no other host can then be
 * created in this process.
 */
bool vidmm_host_destroy(struct vidmm_host *host, struct vidmm_host_error *error);
/*
 * AddDevice and StartDevice of the second board, which is an adapter of its own, with `second` of the configuration. false:
 * the driver refused, or is not one of single adapters, and the first one goes on alone.
 */
bool vidmm_host_second_start(struct vidmm_host *host, struct vidmm_host_error *error);
/* StopDevice and RemoveDevice of the first adapter; the second one goes on. */
bool vidmm_host_first_stop(struct vidmm_host *host, struct vidmm_host_error *error);
/* Whom vidmm_host_adapter and all that is asked of a physical adapter mean from here on: the second one, or the first again.
 * The other has no work then: what is reported of it is a violation. */
void vidmm_host_turn(struct vidmm_host *host, bool second);
/* From here on there is no memory beyond 4 GiB but what is in use; before vidmm_host_start, again. */
void vidmm_host_low_memory(struct vidmm_host *host);
/*
 * Whom the driver's reports go to from here on; `*sink` is copied, its `ctx` stays the caller's.
 * NULL: nobody. Not while the driver runs.
 */
void vidmm_host_set_sink(struct vidmm_host *host, const struct vidmm_host_sink *sink);

/*
 * The driver's table as the manager must call it: each slot that the driver filled is a thunk that
 * sets the IRQL the page documents, logs and hashes the call, calls the driver, and checks that
 * IRQL came back. Slots the driver left NULL are NULL.
 */
const DRIVER_INITIALIZATION_DATA *vidmm_host_ddi(struct vidmm_host *host);
/* The driver only displays (DxgkInitializeDisplayOnlyDriver): it has no memory to manage. */
bool vidmm_host_displays_only(struct vidmm_host *host);
/* Physical adapters behind the logical one: 1 unless they are linked. */
uint32_t vidmm_host_linked(struct vidmm_host *host);
/* hAdapter for those thunks: the leading link's. */
HANDLE vidmm_host_adapter(struct vidmm_host *host);
/* The manager's operating system. Valid until vidmm_host_destroy. */
const struct vidmm_os *vidmm_host_os(struct vidmm_host *host);

/* The time of the host that exists, in nanoseconds from an arbitrary start; without a host 0. */
uint64_t vidmm_host_time(void);
/* Hash over every DDI call so far: function, arguments without pointers, result. */
uint64_t vidmm_host_calls_hash(struct vidmm_host *host);
/* How many DDI calls that hash covers. Any thread. */
uint64_t vidmm_host_calls(struct vidmm_host *host);
/*
 * DDI calls made while `unhashed` do not belong to the run: they have a hash and a count of their
 * own, and their fences are subtracted from the fences of later calls. They must not change
 * anything else. For one thread. The fence of Patch is not changed, because Patch names no node.
 */
void vidmm_host_unhashed(struct vidmm_host *host, bool unhashed);
/* The hash over the calls that were made while `unhashed`, and their number. Any thread. */
uint64_t vidmm_host_unhashed_hash(struct vidmm_host *host);
/* See vidmm_host_unhashed_hash. */
uint64_t vidmm_host_unhashed_calls(struct vidmm_host *host);
/* Allocations counted for fail_at so far; whether the failure has happened. */
uint64_t vidmm_host_allocations(struct vidmm_host *host);
/* The allocation of that number fails (from 1; 0: none), as with fail_at of the configuration. */
void vidmm_host_fail_at(struct vidmm_host *host, uint64_t number);
/* Interrupts wait while they are held, as if they were lost; work goes on. With virtual time they come all the same, and
 * so do DPCs and engines that are held, when every thread waits and nothing else has a time. */
void vidmm_host_hold_interrupts(struct vidmm_host *host, bool held);
/* DPCs wait while they are held, as those do whose processor is long at DISPATCH_LEVEL. Meanwhile the
 * driver gets only calls of that level: others may wait for a DPC. */
void vidmm_host_hold_dpcs(struct vidmm_host *host, bool held);
/* What another processor does as soon as a DPC of the driver's has had a routine synchronized with the
 * interrupt, before that DPC goes on: `run`, once, on a thread of its own. */
void vidmm_host_beside(struct vidmm_host *host, void (*run)(void *ctx), void *ctx);
/* What comes between two instructions. */
enum vidmm_host_between {
    VIDMM_HOST_INTERRUPT, /* an interrupt, where the IRQL lets it in */
    VIDMM_HOST_CALL,      /* a call of the driver's table by another thread */
};
/*
 * The same inside of the next call of a function of the driver's table, "DxgkDdiSubmitCommand", or of the next DPC
 * routine of the driver's ("a DPC routine"), or in the next system thread of the driver's that comes back from a wait,
 * or begins a work item ("a system thread"): behind the instruction number `moment`, from 0, of those that touch memory
 * which other processors may see, or call a function outside of the driver. The call goes on when `run` waits for a lock
 * that it holds. false: the calls of this driver cannot be followed (it is part of the program, or a debugger follows the
 * process), or it has no such function or thread.
 */
bool vidmm_host_beside_at(struct vidmm_host *host, const char *call, uint32_t moment,
                          enum vidmm_host_between between, void (*run)(void *ctx), void *ctx);
/* The call is not followed any longer; how many moments there were up to here. */
uint32_t vidmm_host_beside_moments(struct vidmm_host *host);
/* From here on, or no longer, findings outside of the driver's code have the place of that moment. */
void vidmm_host_beside_place(struct vidmm_host *host, bool told);
/* It is over when this returns; false: the moment did not come, and it did not run. */
bool vidmm_host_beside_end(struct vidmm_host *host);
/* Lets so much time pass in which no other thread of the driver runs: hardware works, and timers fire. */
void vidmm_host_pass(struct vidmm_host *host, uint64_t ns);
/* Interrupts that the leading link's hardware raised while its device was stopped, since the host began. */
uint32_t vidmm_host_stray_interrupts(const struct vidmm_host *host);
/*
 * Calls the interrupt routine of the leading link's driver, as the system does when a device on the
 * same line has interrupted. Takes over what the hardware has raised. false: there is no routine,
 * and nothing was filled in.
 */
struct vidmm_host_asked {
    bool raised;  /* the hardware had raised an interrupt */
    bool claimed; /* the routine returned TRUE */
    bool again;   /* the hardware raised another during the call */
};
/* See struct vidmm_host_asked, which it fills in. */
bool vidmm_host_ask_interrupt(struct vidmm_host *host, struct vidmm_host_asked *asked);
/* Pool blocks that the driver holds. */
uint64_t vidmm_host_pool_blocks(struct vidmm_host *host);
/*
 * True when the allocation of fail_at, or of vidmm_host_fail_at, was asked for and failed. Any
 * thread.
 */
bool vidmm_host_failed_once(struct vidmm_host *host);
/* True when a driver image has left the address behind on its stack in the calling thread, where functions of it that have
 * not returned do not reach it. */
bool vidmm_host_left_on_stack(const void *address);
/* Rules the driver broke that the host itself saw (IRQL, pool, pointers); `text` of each, in
 * order. */
uint32_t vidmm_host_violations(struct vidmm_host *host);
/* From a driver that vidmm cc built with -fsanitize=undefined: a violation at this place of it. */
void APIENTRY vidmm_host_undefined(const char *what, const char *file, uint32_t line,
                                   uint32_t column);
/*
 * The sentence of violation `index`, from 0, good until vidmm_host_destroy; NULL: there is none.
 * Any thread.
 */
const char *vidmm_host_violation(struct vidmm_host *host, uint32_t index);

/* What the calling thread runs, if it is no DDI call: an interrupt or DPC routine, a system thread
 * of the driver, the hardware model; else NULL. May be called from a signal handler. */
const char *vidmm_host_doing(void);
/* What the driver did that ended it, to go before " in DxgkDdiPatch", if it is more than a signal
 * says; else NULL. In a handler of the signal. */
const char *vidmm_host_crash_reason(void);
/* The crash was an access of vidmm's own to memory of a BAR, and the driver had no part in it. In a handler
 * of the signal. */
bool vidmm_host_crash_own(void);
/* The DDI call that the calling thread is in, without its prefix "DxgkDdi"; NULL: none. */
const char *vidmm_host_calling(void);
/* The callback that was refused last on the calling thread inside of the call that a sentence begins with,
 * "DxgkDdiCreateContext: ...", in the last such call; NULL: none. */
const char *vidmm_host_refused_in(const char *call);
/* In memory that another process sees: `turns` grows when a call of the driver's table begins or
 * returns; `call`: the one that began last, "DxgkDdiPatch"; empty: it returned. */
struct vidmm_host_shown {
    uint64_t turns;
    char call[64];
    uint64_t settings; /* bit i: setting i of the configuration was read */
};
/* The name number `index` that driver or hardware asked for as a setting since the host was made, whether
 * there is one or not, up to 256; NULL: there are no more. Good until the next host is made. Any thread. */
const char *vidmm_host_asked(size_t index);
/* False: neither asked for a setting of this name. Any thread. */
bool vidmm_host_asked_for(const char *name);
/* From here on the host keeps `shown` true; NULL: it stops. */
void vidmm_host_show(struct vidmm_host_shown *shown);
/*
 * What the host that was destroyed last left behind, one kind at a time: the sentence number `index`,
 * or NULL. Until it is asked for another one vidmm_host_places tells the code that made the oldest
 * thing of that kind, if vidmm_host_config.track was set.
 */
const char *vidmm_host_leak(uint32_t index);
/*
 * Where in the driver the calling thread is, innermost first: offsets in the driver's file (of an
 * image, from its base). Where no code of the driver runs, the function of its table that `call`
 * names, "DxgkDdiPatch". Returns how many of at most `most`. `call` NULL: those alone that follow each other from
 * the innermost one on, and none where no code of the driver runs.
 */
uint32_t vidmm_host_places(const char *call, uint64_t *frame, uint32_t most);
/* The same of an instruction that a signal interrupted; `interrupted`: the handler's ucontext_t. */
uint32_t vidmm_host_crash_places(const void *interrupted, uint64_t *frame, uint32_t most);

/*
 * The calling thread is going to wait for other threads of the process by means of its own, such as
 * pthread_join, and later came back. Until then it counts as asleep: with virtual time other
 * threads run, and a wait of theirs that nothing can end is seen as one.
 */
void vidmm_host_away(bool away);
/* Runs the hardware and the driver's threads until all are idle (virtual time), or briefly
 * (threads). */
void vidmm_host_run(struct vidmm_host *host);
/*
 * The same, and then waits for what timers and sleeping threads of the driver still do: until `done`
 * says true (which is returned), or as long as Windows waits for a GPU (TDR: two seconds).
 */
bool vidmm_host_run_until(struct vidmm_host *host, bool (*done)(const void *ctx), const void *ctx);
/* With virtual time: the engines of the hardware stand still, as those of a GPU that hangs, or go on again. */
void vidmm_host_hold_engines(struct vidmm_host *host, bool held);
/* The peek() of a physical adapter's model (hwmodel.h); NULL if it has none. */
const void *vidmm_host_peek(struct vidmm_host *host, uint32_t physical, uint64_t gpu_address,
                            size_t size);
/* The model's view of a GPU virtual address; false when it has none. See hwmodel.h translate. */
bool vidmm_host_translate(struct vidmm_host *host, uint32_t physical, uint64_t root,
                          uint32_t entries, uint64_t va, struct vidmm_hw_translation *out);
/* Whether accesses to a page of an aperture snoop; false when that is not known. See hwmodel.h snoops. */
bool vidmm_host_snoops(struct vidmm_host *host, uint32_t physical, uint64_t gpu_address,
                       bool *snoops);
/* The GPU can use an address of the process with that PASID, by the IOMMU of the system. */
bool vidmm_host_shared(struct vidmm_host *host, uint32_t pasid, uint64_t va);
/* What a display of a physical adapter reads memory from; false: it has no such connector, or that is not known. See
 * hwmodel.h scanout. */
bool vidmm_host_scanout(struct vidmm_host *host, uint32_t physical, uint32_t head,
                        struct vidmm_hw_scanout *out);
/* Power of the boards; false: the model does not tell. See hwmodel.h power. */
bool vidmm_host_power(struct vidmm_host *host, enum vidmm_hw_power power);
/* The first physical address that the device does not reach; 0: it reaches all, or nothing says it. */
uint64_t vidmm_host_reach(struct vidmm_host *host);
/* The root table of an engine's newest submission; false when it had none. See hwmodel.h root. */
bool vidmm_host_root(struct vidmm_host *host, uint32_t physical, uint32_t engine, uint64_t *root);
/* The CPU's view of a physical range behind a memory BAR, or in contiguous memory that the driver
 * allocated; or NULL. */
void *vidmm_host_io(struct vidmm_host *host, uint64_t pa, size_t size);
/* Host pointer to simulated RAM, or NULL outside of it. */
void *vidmm_host_memory(struct vidmm_host *host, uint64_t pa, size_t size);

#ifdef __cplusplus
}
#endif

#endif
