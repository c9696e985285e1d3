/*
 * crt_names.h - what src/cc/crt is in this process: the C functions that driver images import.
 *
 * Included before every line of it (meson.build). The C library has functions of the same names with
 * another calling convention, so each is called vidmm_crt_NAME here, which is how exports.c finds it.
 */
#ifndef HOST_CRT_NAMES_H
#define HOST_CRT_NAMES_H

#define FOREIGN_CALL                   __attribute__((ms_abi))
#define FOREIGN_FUNCTION               __attribute__((ms_abi))
#define FOREIGN_VA_LIST                __builtin_ms_va_list
#define FOREIGN_VA_START(list, before) __builtin_ms_va_start(list, before)
#define FOREIGN_VA_END(list)           __builtin_ms_va_end(list)

#define __cxa_pure_virtual vidmm_crt___cxa_pure_virtual
#define _snprintf          vidmm_crt__snprintf
#define _snwprintf         vidmm_crt__snwprintf
#define _stricmp           vidmm_crt__stricmp
#define _strnicmp          vidmm_crt__strnicmp
#define _vsnprintf         vidmm_crt__vsnprintf
#define _vsnwprintf        vidmm_crt__vsnwprintf
#define _wcsicmp           vidmm_crt__wcsicmp
#define _wcsnicmp          vidmm_crt__wcsnicmp
#define abs                vidmm_crt_abs
#define atoi               vidmm_crt_atoi
#define atol               vidmm_crt_atol
#define bsearch            vidmm_crt_bsearch
#define isdigit            vidmm_crt_isdigit
#define islower            vidmm_crt_islower
#define isprint            vidmm_crt_isprint
#define isspace            vidmm_crt_isspace
#define isupper            vidmm_crt_isupper
#define isxdigit           vidmm_crt_isxdigit
#define memchr             vidmm_crt_memchr
#define memcmp             vidmm_crt_memcmp
#define memcpy             vidmm_crt_memcpy
#define memcpy_s           vidmm_crt_memcpy_s
#define memmove            vidmm_crt_memmove
#define memmove_s          vidmm_crt_memmove_s
#define memset             vidmm_crt_memset
#define qsort              vidmm_crt_qsort
#define rand               vidmm_crt_rand
#define sprintf            vidmm_crt_sprintf
#define sprintf_s          vidmm_crt_sprintf_s
#define srand              vidmm_crt_srand
#define strcat             vidmm_crt_strcat
#define strcat_s           vidmm_crt_strcat_s
#define strchr             vidmm_crt_strchr
#define strcmp             vidmm_crt_strcmp
#define strcpy             vidmm_crt_strcpy
#define strcpy_s           vidmm_crt_strcpy_s
#define strlen             vidmm_crt_strlen
#define strncat            vidmm_crt_strncat
#define strncmp            vidmm_crt_strncmp
#define strncpy            vidmm_crt_strncpy
#define strnlen            vidmm_crt_strnlen
#define strrchr            vidmm_crt_strrchr
#define strstr             vidmm_crt_strstr
#define strtol             vidmm_crt_strtol
#define strtoul            vidmm_crt_strtoul
#define swprintf_s         vidmm_crt_swprintf_s
#define tolower            vidmm_crt_tolower
#define toupper            vidmm_crt_toupper
#define towlower           vidmm_crt_towlower
#define towupper           vidmm_crt_towupper
#define vsprintf           vidmm_crt_vsprintf
#define vsprintf_s         vidmm_crt_vsprintf_s
#define vswprintf_s        vidmm_crt_vswprintf_s
#define wcscat             vidmm_crt_wcscat
#define wcscat_s           vidmm_crt_wcscat_s
#define wcschr             vidmm_crt_wcschr
#define wcscmp             vidmm_crt_wcscmp
#define wcscpy             vidmm_crt_wcscpy
#define wcscpy_s           vidmm_crt_wcscpy_s
#define wcslen             vidmm_crt_wcslen
#define wcsncat            vidmm_crt_wcsncat
#define wcsncmp            vidmm_crt_wcsncmp
#define wcsncpy            vidmm_crt_wcsncpy
#define wcsnlen            vidmm_crt_wcsnlen
#define wcsrchr            vidmm_crt_wcsrchr
#define wcsstr             vidmm_crt_wcsstr

#endif
