/*
 * properties.h - the properties of a project while it is evaluated, and the conditions over them.
 *
 * Names are compared without case. Metadata of ClCompile are properties with that name and a dot
 * before theirs, so that %(Name) is another property of the same table.
 */
#ifndef CC_PROPERTIES_H
#define CC_PROPERTIES_H

#include "list.h"

struct cc_properties {
    struct cc_list names;
    struct cc_list values;
};

void cc_property_set(struct cc_properties *properties, const char *name, const char *value);
/* "" where there is none. */
const char *cc_property(const struct cc_properties *properties, const char *name);
/* `text` with $(Name) and %(Name) replaced, to be freed; NULL: no memory. What calls a function
 * ($(Name.Replace(...)), $([Class]::...)) or lists items is replaced by nothing. */
char *cc_expand(const struct cc_properties *properties, const char *text);
/* condition.c: whether a Condition holds, "" always does. `directory`: where Exists begins. What it
 * cannot read does not hold. */
bool cc_condition(const struct cc_properties *properties, const char *text, const char *directory);
void cc_properties_free(struct cc_properties *properties);

#endif
