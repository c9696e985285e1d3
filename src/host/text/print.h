/* print.h - the format language of Windows, into a string. */
#ifndef HOST_PRINT_H
#define HOST_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include <ntddk.h>

/* With a terminator, for which `room`, not 0, counts; false: it was cut. */
bool host_print_narrow(PSTR text, size_t room, PCSTR format, __builtin_ms_va_list *args);
bool host_print_wide(PWSTR text, size_t room, PCWSTR format, __builtin_ms_va_list *args);

/* The same for the C functions of src/cc/crt, as those of ntstrsafe.h answer, at any IRQL. */
NTSTATUS NTAPI vidmm_host_print_narrow(char *text, size_t room, const char *format,
                                       WDDM_VA_LIST arguments);
NTSTATUS NTAPI vidmm_host_print_wide(WCHAR *text, size_t room, const WCHAR *format,
                                     WDDM_VA_LIST arguments);

#endif
