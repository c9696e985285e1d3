/*
 * globals.h - the variables of a shared object, which stays loaded from one life of the driver to the
 * next: each begins with what they were when it was loaded.
 */
#ifndef FUZZ_GLOBALS_H
#define FUZZ_GLOBALS_H

/* Loads a shared object for the rest of the process and keeps its variables; of what cannot be loaded
 * so (an image) nothing is kept. */
void fuzz_globals_keep(const char *path);
/* All that were kept get their values back. */
void fuzz_globals_restore(void);

#endif
