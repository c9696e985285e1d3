/*
 * carry.h - operations that a manager carries out beside its own: each is built behind one of the manager's in its
 * paging buffer, whose context, addresses and submission it shares. The way to the driver for what is asked of
 * apertures where it pages by GPU virtual address: there the system paging process has the paging buffers
 * (system-paging-process.md). Between manager and referee (struct check_setup: `table`), which judges what the
 * driver is asked for.
 */
#ifndef VIDMM_CHECK_CARRY_H
#define VIDMM_CHECK_CARRY_H

#include "stage.h"

/* For check_setup.table: puts itself before DxgkDdiBuildPagingBuffer of the manager's table. */
void carry_table(DRIVER_INITIALIZATION_DATA *table);
/* Behind the operations that wait, which the next paging buffers get; false: there is no room. */
bool carry_add(const DXGKARG_BUILDPAGINGBUFFER *args);
/* The operation that is added next finds room for so many bytes in its first buffer, if something is before it there,
 * and nothing comes behind it. */
void carry_shorten(struct vidmm_referee *referee, uint32_t room);
/* Bytes that the operation carried last wrote into its last buffer. */
uint32_t carry_took(void);
/* Those that wait are carried out by nobody; what they name may go. */
void carry_drop(void);
/* How many wait. */
uint32_t carry_waiting(void);
/* The manager has nothing mapped in that part of an aperture. */
bool carry_is_free(UINT segment, uint64_t page, uint64_t pages);

#endif
