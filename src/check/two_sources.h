/*
 * two_sources.h - two sources of a network that show surfaces at once: what is asked of one leaves the other as it is. A part
 * of stage display (stage_display.c).
 */
#ifndef VIDMM_CHECK_TWO_SOURCES_H
#define VIDMM_CHECK_TWO_SOURCES_H

#include "screen.h"

/*
 * `screen` shows a surface of its source, and does so again behind it. R639, R640. Drivers whose hardware shows one
 * source are done at once. False: `*why` says why not; NULL: a finding does.
 */
bool two_sources_play(struct screen *screen, const char **why);

#endif
