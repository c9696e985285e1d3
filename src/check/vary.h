/*
 * vary.h - operations of a manager that pages by GPU virtual address, in shapes that the pages allow and the
 * manager does not use: fills with a pattern, parts of an allocation, invalid entries that are not all
 * zero, flushes of the whole space, fences of 64 bits; and operations that find little room. It stands between
 * manager and referee (struct check_setup: `table`), so that the referee judges what the driver is asked for.
 */
#ifndef VIDMM_CHECK_VARY_H
#define VIDMM_CHECK_VARY_H

#include "stage.h"

/* For check_setup.table: puts itself before DxgkDdiBuildPagingBuffer of the manager's table. */
void vary_table(DRIVER_INITIALIZATION_DATA *table);
/* From here on an operation without an effect that can be compared, of which a driver writes nothing behind others, comes
 * again where there is room. */
void vary_begin(struct check *check);
/* From here on fills and transfers have other shapes, or no longer; and the referee looks at the pages
 * beside them. An operation that no driver knows comes before the first of them. Invalid entries and flushes have another shape all along. */
void vary_operations(struct check *check, bool on);
/* From here on, or no longer, transfers have addresses of page tables that nobody asked for and that lead nowhere, unless
 * the driver reports SourcePageTableVaInTransfer. False: they are the manager's. */
bool vary_tables(struct check *check, bool on);
/* From here on operations find little room behind others, or none: all but those that the CPU carries out, and updates of the paging process. And
 * entries of system memory are coherent where the driver knows that. */
void vary_little(struct check *check);

#endif
