/*
 * symbols.h - which symbols of a built driver nothing defines: neither its sources nor vidmm.
 */
#ifndef CC_SYMBOLS_H
#define CC_SYMBOLS_H

#include "missing.h"

/* false: the file cannot be read. */
bool cc_symbols(const char *path, struct cc_missing *missing);

#endif
