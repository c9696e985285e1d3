/* json_text.c - see json_text.h. */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *report_json_text(const char *text) {
    json_t *value = json_string(text ? text : "");
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c != '\0'; c++)
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    value = json_string(copy ? copy : "");
    free(copy);
    return value;
}
