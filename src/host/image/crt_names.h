/*
 * crt_names.h - what src/cc/crt is in this process: the C functions that driver images import.
 *
 * Included before every line of it (meson.build). The C library has functions of the same names with
 * another calling convention, so each is called crt_NAME here, which is how exports.c finds it.
 */
#ifndef HOST_CRT_NAMES_H
#define HOST_CRT_NAMES_H

#define FOREIGN_CALL                   __attribute__((ms_abi))
#define FOREIGN_FUNCTION               __attribute__((ms_abi))
#define FOREIGN_VA_LIST                __builtin_ms_va_list
#define FOREIGN_VA_START(list, before) __builtin_ms_va_start(list, before)
#define FOREIGN_VA_END(list)           __builtin_ms_va_end(list)

#define __cxa_pure_virtual crt___cxa_pure_virtual
#define _snprintf          crt__snprintf
#define _snwprintf         crt__snwprintf
#define _stricmp           crt__stricmp
#define _strnicmp          crt__strnicmp
#define _vsnprintf         crt__vsnprintf
#define _vsnwprintf        crt__vsnwprintf
#define _wcsicmp           crt__wcsicmp
#define _wcsnicmp          crt__wcsnicmp
#define abs                crt_abs
#define atoi               crt_atoi
#define atol               crt_atol
#define bsearch            crt_bsearch
#define isdigit            crt_isdigit
#define islower            crt_islower
#define isprint            crt_isprint
#define isspace            crt_isspace
#define isupper            crt_isupper
#define isxdigit           crt_isxdigit
#define memchr             crt_memchr
#define memcmp             crt_memcmp
#define memcpy             crt_memcpy
#define memcpy_s           crt_memcpy_s
#define memmove            crt_memmove
#define memmove_s          crt_memmove_s
#define memset             crt_memset
#define qsort              crt_qsort
#define rand               crt_rand
#define sprintf            crt_sprintf
#define sprintf_s          crt_sprintf_s
#define srand              crt_srand
#define strcat             crt_strcat
#define strcat_s           crt_strcat_s
#define strchr             crt_strchr
#define strcmp             crt_strcmp
#define strcpy             crt_strcpy
#define strcpy_s           crt_strcpy_s
#define strlen             crt_strlen
#define strncat            crt_strncat
#define strncmp            crt_strncmp
#define strncpy            crt_strncpy
#define strnlen            crt_strnlen
#define strrchr            crt_strrchr
#define strstr             crt_strstr
#define strtol             crt_strtol
#define strtoul            crt_strtoul
#define swprintf_s         crt_swprintf_s
#define tolower            crt_tolower
#define toupper            crt_toupper
#define towlower           crt_towlower
#define towupper           crt_towupper
#define vsprintf           crt_vsprintf
#define vsprintf_s         crt_vsprintf_s
#define vswprintf_s        crt_vswprintf_s
#define wcscat             crt_wcscat
#define wcscat_s           crt_wcscat_s
#define wcschr             crt_wcschr
#define wcscmp             crt_wcscmp
#define wcscpy             crt_wcscpy
#define wcscpy_s           crt_wcscpy_s
#define wcslen             crt_wcslen
#define wcsncat            crt_wcsncat
#define wcsncmp            crt_wcsncmp
#define wcsncpy            crt_wcsncpy
#define wcsnlen            crt_wcsnlen
#define wcsrchr            crt_wcsrchr
#define wcsstr             crt_wcsstr

#endif
