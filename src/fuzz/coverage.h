/*
 * coverage.h - what a driver with coverage calls at its edges and comparisons: this program has these
 * functions, and libFuzzer gets the calls once it is loaded.
 *
 * A driver would else find those of an address sanitizer's run time, which do nothing.
 */
#ifndef FUZZ_COVERAGE_H
#define FUZZ_COVERAGE_H

/* From now on the functions of this shared object are called. */
void fuzz_coverage_from(void *object);

#endif
