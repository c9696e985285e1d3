/*
 * messages.h - the last lines that the driver printed in the call that it is in (DbgPrint and its
 * relatives), for the sentence about a call that failed.
 */
#ifndef HOST_MESSAGES_H
#define HOST_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

/* A call begins: what was printed before is not about it. */
void host_messages_begin(void);
/* Text that the driver printed: lines, or parts of one. */
void host_messages_add(const char *text);
/* Adds the last lines to the sentence at `text`, which has `room` bytes. */
void host_messages_append(char *text, size_t room);

#endif
