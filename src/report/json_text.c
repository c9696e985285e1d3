/* json_text.c - see json_text.h. */
#include "json_text.h"

#include "names.h"

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

void report_json_interface(json_t *root, uint32_t registered, uint32_t wddm, uint32_t spoken) {
    char note[REPORT_NOTE];
    report_interface_note(registered, wddm, spoken, note, sizeof(note));
    json_object_set_new(root, "interface_version", json_integer(spoken));
    json_object_set_new(root, "registered_version", json_integer(registered));
    json_object_set_new(root, "wddm_version", json_integer(wddm));
    json_object_set_new(root, "interface_note", report_json_text(note));
}

void report_json_unread(json_t *root, const struct vidmm_unread *unread) {
    json_t *names = json_array();
    for (uint32_t i = 0; i < unread->count; i++)
        json_array_append_new(names, report_json_text(unread->name[i]));
    json_object_set_new(root, "settings_unread", names);
}
