/*
 * symbols.h - which names vidmm has for drivers, and which symbols of a shared object nothing
 * defines: neither its sources nor vidmm.
 */
#ifndef CC_SYMBOLS_H
#define CC_SYMBOLS_H

#include "missing.h"

/* A function of the kernel, or one of C that images get from it. */
bool cc_kernel_has(const char *name);
/* false: the file cannot be read. */
bool cc_symbols(const char *path, struct cc_missing *missing);

#endif
