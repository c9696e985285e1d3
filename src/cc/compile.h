/*
 * compile.h - the sources into objects.
 */
#ifndef CC_COMPILE_H
#define CC_COMPILE_H

#include "build.h"
#include "missing.h"

/* Compiles all sources; what is missing, and errors, into `missing`. false: build->text says why
 * nothing could be compiled. */
bool cc_compile(struct cc_build *build, struct cc_missing *missing, struct cc_list *objects);
#endif
