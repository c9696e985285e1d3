/*
 * paged.h - sections of driver images that Windows may page out (PAGE): out of reach at raised IRQL.
 *
 * Whether a page is there when a driver touches it at DISPATCH_LEVEL is luck in Windows; here it
 * never is. That needs one thread at a time: with several, another one may be at PASSIVE_LEVEL.
 * Pages: making-drivers-pageable.md, when-should-code-and-data-be-pageable-.md.
 */
#ifndef HOST_PAGED_H
#define HOST_PAGED_H

#include "image/image.h"

/* Some image has such sections, and one thread runs at a time. */
extern bool image_paged;

/* An image has come, or goes. `alone`: one thread at a time. */
void image_paged_come(const struct host_image *image, bool alone);
void image_paged_go(void);
/* Takes such sections out of reach, or back; those that the driver locked stay. */
void image_paged_reach(bool reach);
/* The section of `address` is out of reach because of the IRQL. */
bool image_paged_out(const struct host_image *image, const struct pe_section *section);

#endif
