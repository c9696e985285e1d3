/*
 * instrument.h - what -fsanitize=address, -fsanitize=undefined and --coverage become in a build.
 *
 * Their run times are Linux libraries, and a driver calls by Windows' convention: the sources in
 * crt/instrument stand between the two, or in the place of a run time.
 */
#ifndef CC_INSTRUMENT_H
#define CC_INSTRUMENT_H

#include "build.h"
#include "missing.h"

/* The user's flags, as they make clang compile the index-th source. */
void cc_instrument_words(const struct cc_build *build, size_t index, struct cc_list *words);
/* The flags with which the C functions for drivers are compiled: their accesses are checked, too. */
void cc_instrument_run_time_words(const struct cc_build *build, struct cc_list *words);
/* Whether a source of crt/instrument belongs into the driver. */
bool cc_instrument_needs(const struct cc_build *build, const char *source);
/* A name that a run time in the process has. */
bool cc_instrument_has(const char *name);
/* What to know about the driver that was built. */
void cc_instrument_tell(const struct cc_build *build);

#endif
