/*
 * null_context.h - getting the state of a context off the GPU.
 *
 * A GPU switches contexts lazily: it keeps the state of a context behind its last command, and
 * saves it when a command of another context comes (nc-d3dkmddi-dxgkcb_createcontextallocation.md).
 * Before the memory for that state is moved, the GPU is told to switch to no context
 * (ns-d3dkmddi-_dxgk_submitcommandflags.md). Applies only to contexts run through SubmitCommand;
 * struct node has the context that each node ran last.
 */
#ifndef VIDMM_MANAGER_NULL_CONTEXT_H
#define VIDMM_MANAGER_NULL_CONTEXT_H

#include "object/allocation.h"

/*
 * Before `allocation`, with which the GPU is done, leaves its place: sleeps until no engine has the
 * context any more that it belongs to.
 */
enum vidmm_status null_context_switch(struct vidmm_allocation *allocation);
/* The driver has destroyed `context`. */
void null_context_forget(const struct vidmm_context *context);

#endif
