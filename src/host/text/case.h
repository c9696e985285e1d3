/*
 * case.h - letters in capitals: what comparisons without case and names of the registry go by.
 */
#ifndef HOST_CASE_H
#define HOST_CASE_H

#include <ntddk.h>

/* The capital of a UTF-16 unit, by the alphabets that have one letter for one; others as they are. */
WCHAR host_upcase(WCHAR c);
/* The small letter of a capital. */
WCHAR host_downcase(WCHAR c);

#endif
