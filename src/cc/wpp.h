/*
 * wpp.h - the .tmh files that the WDK's preprocessor of traces would make from the control comments
 * of a driver (pages "WPP software tracing", "Can I customize DoTraceMessage?").
 *
 * There is nothing that would take the traces, so each function that the comments declare becomes a
 * macro that does nothing.
 */
#ifndef CC_WPP_H
#define CC_WPP_H

#include "build.h"

/* The functions that the comments between begin_wpp and end_wpp in the file declare. */
void cc_wpp_scan(const char *path, struct cc_list *functions);
/* Writes the .tmh files that the source includes into `directory`. */
bool cc_wpp_write(struct cc_build *build, const char *source, const struct cc_list *functions,
                  const char *directory);

#endif
