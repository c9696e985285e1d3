/*
 * null_context.h - getting the state of a context off the GPU.
 *
 * A GPU switches contexts lazily: what it keeps of one stays on it behind the last command of that
 * context, until a command of another comes (nc-d3dkmddi-dxgkcb_createcontextallocation.md). Before
 * the memory where it would save that is moved it is told to switch to no context at all
 * (ns-d3dkmddi-_dxgk_submitcommandflags.md). Contexts that DxgkDdiSubmitCommand runs, that is; what
 * runs them is noted in struct node.
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
