/*
 * watch.h - the functions that put a file's watching functions into the tables that a referee
 * interposes (thunk.h), and the few calls from one of these files to another.
 */
#ifndef REFEREE_WATCH_H
#define REFEREE_WATCH_H

#include "state/judge.h"
#include "watch/thunk.h"

void referee_watch_query(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_device(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_allocation(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_build(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_submit_virtual(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_process(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_preempt(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_reset(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_power(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
void referee_watch_interrupt(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_interrupt_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
void referee_watch_services(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_process_callbacks(struct vidmm_referee *referee, DXGKRNL_INTERFACE *callbacks);
void referee_watch_display(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_passed(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
void referee_watch_lent(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
/* DxgkDdiGetRootPageTableSize is watched. */
void mmu_watch(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);

/* linked.c: DxgkDdiAddDevice to DxgkDdiRemoveDevice, and DxgkDdiLinkDevice, are watched. */
void referee_watch_linked(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table);
/* DxgkDdiStopDevice of a device. */
void linked_stopping(struct vidmm_referee *referee, PVOID context);
/* A call names a physical adapter by its index (R504). */
void linked_judge_index(struct vidmm_referee *referee, uint32_t index);

/* reset.c, R360: level 3, but for memory. */
void reset_judge_at_rest(struct vidmm_referee *referee, const struct referee_call *call);
/* `rule`: what a reset, or power, that has come to its end promises of the work behind it. */
void reset_begin_anew(struct vidmm_referee *referee, uint32_t rule);
/* power.c, R363. */
void power_judge_initialised(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args);
/* descriptor.c: a device is about to start; what was described before does not bind it (R19). */
void descriptors_forget(struct vidmm_referee *referee);
/* slots.c: judges the table itself, when it is wrapped. */
void referee_judge_table(struct vidmm_referee *referee, const DRIVER_INITIALIZATION_DATA *table);
/* segment.c: the manager goes on from asking what the adapter is to using it. */
void query_judge_use(struct vidmm_referee *referee);
/* device.c: work is given to a context, or to a device of a driver without contexts. */
void device_judge_use(struct vidmm_referee *referee, uint32_t physical,
                      const DXGK_CONTEXTINFO *info);
/* R530: the driver's handle of an object that it has just created. */
void device_judge_handle(struct vidmm_referee *referee, enum shadow_handle kind, HANDLE handle);
/* R525: the driver was told that an object ends. */
void device_judge_ended(struct vidmm_referee *referee, NTSTATUS status);
/* R628: the driver was told to create, or open, what a system does not go on without. */
void device_judge_needed(struct vidmm_referee *referee, NTSTATUS status, const char *what);
/* callbacks.c: the handles of context allocations are freed. */
void callbacks_end(struct vidmm_referee *referee);
/* allocation.c: this thread is in the driver's DxgkDdiOpenAllocation. */
bool allocation_opening(void);
/* allocation.c: nothing is left at the end of the adapter's life. */
void allocation_judge_end(struct vidmm_referee *referee);
/* submit.c: what DxgkDdiSubmitCommandVirtual says, in the members of the other call; NULL: no memory.
 * And where the driver did not take it. */
struct shadow_submission *submit_given(struct vidmm_referee *referee,
                                       const struct referee_call *call,
                                       const DXGKARG_SUBMITCOMMAND *args);
void submit_refused(struct vidmm_referee *referee, const DXGKARG_SUBMITCOMMAND *args,
                    struct shadow_submission *submission);
/* The physical adapter of work: its context's, else the one of EngineOrdinal. */
uint32_t submit_physical(struct vidmm_referee *referee, HANDLE handle, uint32_t ordinal);
/* The same, R433: the level of DxgkDdiSubmitCommand and DxgkDdiPreemptCommand. */
void submit_judge_irql(struct vidmm_referee *referee, const struct referee_call *call);
/* R278: of work that is no paging. */
void submit_judge_malformed(struct vidmm_referee *referee, const struct shadow_context *context);
/* submit_virtual.c, R172: an operation comes first in a paging buffer. */
void submit_judge_buffer(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args);

#endif
