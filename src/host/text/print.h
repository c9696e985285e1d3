/* print.h - the format language of Windows, into a string. */
#ifndef HOST_PRINT_H
#define HOST_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include <ntddk.h>

/* With a terminator, for which `room`, not 0, counts; false: it was cut. */
bool host_print_narrow(PSTR text, size_t room, PCSTR format, __builtin_ms_va_list *args);
bool host_print_wide(PWSTR text, size_t room, PCWSTR format, __builtin_ms_va_list *args);

#endif
