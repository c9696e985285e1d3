/*
 * space_driver.h - what the driver and the rest of space_world.h share.
 */
#ifndef VIDMM_TESTS_SPACE_DRIVER_H
#define VIDMM_TESTS_SPACE_DRIVER_H

#include "space_world.h"

void driver_table(struct world *world);
/* Runs one job; false: there is none that can run. */
bool gpu_step(struct world *world);

#endif
