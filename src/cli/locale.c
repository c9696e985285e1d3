/*
 * locale.c - whether the terminal reads UTF-8, from the environment as POSIX orders it.
 *
 * setlocale() would know, too, but a program that has the run time of AddressSanitizer by LD_PRELOAD, as drivers need that are built
 * with it, and GnuTLS does not end after it: p11-kit makes a locale before the sanitizer is ready, which leaves the lock of locales
 * wrong, and waits for that lock when the program ends.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *locale = getenv(names[i]);
        if (!locale || *locale == '\0')
            continue;
        const char *charset = strchr(locale, '.');
        return charset &&
               (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
    }
    return false;
}
