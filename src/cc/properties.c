/*
 * properties.c - see properties.h.
 */
#include "properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPANDED_MOST (1u << 20) /* a property may name itself again and again */

void cc_property_set(struct cc_properties *properties, const char *name, const char *value) {
    for (size_t i = 0; i < properties->names.count; i++) {
        if (strcasecmp(properties->names.word[i], name) != 0)
            continue;
        char *copy = strdup(value);
        if (!copy) {
            properties->values.failed = true;
            return;
        }
        free(properties->values.word[i]);
        properties->values.word[i] = copy;
        return;
    }
    cc_list_add(&properties->values, "%s", value);
    if (!properties->values.failed)
        cc_list_add(&properties->names, "%s", name);
}

const char *cc_property(const struct cc_properties *properties, const char *name) {
    for (size_t i = 0; i < properties->names.count; i++) {
        if (strcasecmp(properties->names.word[i], name) == 0)
            return properties->values.word[i];
    }
    return "";
}

void cc_properties_free(struct cc_properties *properties) {
    cc_list_free(&properties->names);
    cc_list_free(&properties->values);
}

/* Behind the closing parenthesis of the one at `open`; NULL: there is none. */
static const char *past_parenthesis(const char *open) {
    unsigned depth = 0;
    for (const char *c = open; *c; c++) {
        depth += *c == '(';
        if (*c == ')' && --depth == 0)
            return c + 1;
    }
    return NULL;
}

/* The value of what lies between the parentheses. */
static const char *value_between(const struct cc_properties *properties, char kind,
                                 const char *begin, const char *end) {
    char name[256];
    const char *prefix = kind == '%' ? "ClCompile." : "";
    if (kind == '@' || end - begin > 200)
        return "";
    snprintf(name, sizeof(name), "%s%.*s", prefix, (int)(end - begin), begin);
    return cc_property(properties, name);
}

char *cc_expand(const struct cc_properties *properties, const char *text) {
    char *out = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&out, &bytes);
    if (!stream)
        return NULL;
    for (const char *c = text; *c && ftello(stream) < EXPANDED_MOST;) {
        const char *past =
            (*c == '$' || *c == '%' || *c == '@') && c[1] == '(' ? past_parenthesis(c + 1) : NULL;
        if (past)
            fputs(value_between(properties, *c, c + 2, past - 1), stream);
        else
            fputc(*c, stream);
        c = past ? past : c + 1;
    }
    bool failed = fclose(stream) != 0;
    if (failed) {
        free(out);
        return NULL;
    }
    return out;
}
