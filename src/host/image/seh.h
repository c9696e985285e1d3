/*
 * seh.h - structured exceptions in driver images: __try, __except, __finally.
 *
 * An exception begins at an instruction of the image that faulted (faults.c), or in one of our
 * functions that an image called (seh_raise_status). Frames of the image are asked from the inside
 * out, up to where the driver was called: what nobody handles there ends the system, as it would in
 * a system thread of Windows. Pages: exception-handling-x64.md, nf-wdm-exraisestatus.md.
 */
#ifndef HOST_SEH_H
#define HOST_SEH_H

#include <stdbool.h>

#include "image/context.h"

/* EXCEPTION_DISPOSITION */
enum seh_disposition { SEH_CONTINUE_EXECUTION, SEH_CONTINUE_SEARCH };

/*
 * Asks the frames from `context` on. Does not return when one of them handles the exception. True:
 * a filter mended the cause, and execution goes on with `context`. False: no frame wants it.
 */
bool seh_dispatch(struct host_exception *record, struct host_context *context);
/*
 * Raised by the function of ours that the driver just called: does not return when the driver
 * handles it. Returns where the driver is no image, or does not handle it.
 */
void seh_raise_status(NTSTATUS status);
/* The place in an image whose call out is the newest of the calling thread. False: there is none. */
bool seh_caller(struct host_context *context);

/* What compilers refer to by name: C functions of images (crt_names.h). */
enum seh_disposition NTAPI vidmm_crt___C_specific_handler(struct host_exception *record,
                                                          void *frame, struct host_context *context,
                                                          struct host_dispatcher *dispatcher);
VOID NTAPI vidmm_crt__local_unwind(void *frame, void *target);
/* rax is how much stack the caller is about to take. No register changes. */
void vidmm_crt___chkstk(void);
/* A context in __chkstk becomes that of its caller. */
void seh_leave_probe(struct host_context *context);

#endif
