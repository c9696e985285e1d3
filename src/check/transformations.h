/*
 * transformations.h - a network of one path of which no rotation and no scaling is pinned: the driver says which ones the
 * path supports. A part of stage display (stage_display.c).
 */
#ifndef VIDMM_CHECK_TRANSFORMATIONS_H
#define VIDMM_CHECK_TRANSFORMATIONS_H

#include "display.h"

/* R642 and R638: of the path that `display` has, which the driver supports. */
void display_transformations(const struct display *display);

#endif
