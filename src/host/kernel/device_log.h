/*
 * device_log.h - what a driver does with its device, access by access, in a file.
 *
 * One line an access: when, of which kind and width, where, the value, and the DDI call in which it
 * was made. The same access again and again, as a poll, is one line with a count.
 */
#ifndef HOST_DEVICE_LOG_H
#define HOST_DEVICE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* `space` is "bar0" or "config"; `width` in bytes. Does nothing without a log. Any thread. */
void host_device_log(const char *space, uint64_t offset, uint32_t width, bool write,
                     uint64_t value);
/* The device raised message `message`. */
void host_device_log_interrupt(uint32_t message);
/* Ends the line that still counts. */
void host_device_log_end(void);

#endif
