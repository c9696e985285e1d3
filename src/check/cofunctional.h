/*
 * cofunctional.h - networks of one path in which other things are pinned than in the one that is shown: whether what a driver
 * offers for them goes together. A part of stage display (stage_display.c).
 */
#ifndef VIDMM_CHECK_COFUNCTIONAL_H
#define VIDMM_CHECK_COFUNCTIONAL_H

#include "display.h"

/* R634, R642 and R638: of the path that `display` has, which the driver supports. */
void display_cofunctional(const struct display *display);

#endif
