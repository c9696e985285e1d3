/* status.c - see status.h. What has no name stays a number. */
#include "state/status.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/statuses.h>

#define DIGITS 8u /* of a status */

/* What goes before a status in a sentence; the length of it if `text` begins with it, else 0. */
static size_t status_before(const char *text) {
    static const char *const before[] = {"status ", "returned ", "return value is ", ", then "};
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        if (strncmp(text, before[i], strlen(before[i])) == 0)
            return strlen(before[i]);
    return 0;
}

/* The name of the status that `text` begins with, "0xc0000225"; or NULL. */
static const char *status_at(const char *text) {
    if (strncmp(text, "0x", 2) != 0 || strspn(text + 2, "0123456789abcdef") != DIGITS)
        return NULL;
    return vidmm_status_name((NTSTATUS)strtoul(text, NULL, 16));
}

void status_words(const char *text, char *named, size_t size) {
    size_t length = 0;
    while (*text != '\0' && length + 1 < size) {
        size_t words = status_before(text);
        const char *name = words != 0 ? status_at(text + words) : NULL;
        if (!name || length + words + strlen(name) >= size) {
            named[length++] = *text++;
            continue;
        }
        memcpy(named + length, text, words);
        memcpy(named + length + words, name, strlen(name));
        length += words + strlen(name);
        text += words + 2 + DIGITS;
    }
    named[length] = '\0';
}
