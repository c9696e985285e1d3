/*
 * messages.c - see messages.h.
 */
#include "messages.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *before, *after; /* of the first name in quotes; `after` NULL: anything */
    enum cc_kind kind;
} patterns[] = {
    {"'", "' file not found", CC_HEADER},
    {"unknown type name '", NULL, CC_TYPE},
    {"no type named '", NULL, CC_TYPE},
    {"incomplete definition of type '", NULL, CC_TYPE},
    {"has incomplete type '", NULL, CC_TYPE},
    {"implicit declaration of function '", NULL, CC_FUNCTION},
    {"implicitly declaring library function '", NULL, CC_FUNCTION},
    {"call to undeclared function '", NULL, CC_FUNCTION},
    {"call to undeclared library function '", NULL, CC_FUNCTION},
    {"use of undeclared identifier '", NULL, CC_NAME},
    {"use of undeclared label '", NULL, CC_NAME},
    {"no member named '", NULL, CC_MEMBER},
};

/* The name that the message is about; false: it is about none that is missing. */
static bool message_name(const char *message, enum cc_kind *kind, char name[256]) {
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const char *at = strstr(message, patterns[i].before);
        if (!at)
            continue;
        at += strlen(patterns[i].before);
        size_t length = strcspn(at, "'");
        if (patterns[i].after &&
            strncmp(at + length, patterns[i].after, strlen(patterns[i].after)) != 0)
            continue;
        *kind = patterns[i].kind;
        const char *in = *kind == CC_MEMBER ? strstr(at, "' in '") : NULL;
        if (in)
            snprintf(name, 256, "%.*s.%.*s", (int)strcspn(in + 6, "'"), in + 6, (int)length, at);
        else
            snprintf(name, 256, "%.*s", (int)length, at);
        return true;
    }
    return false;
}

/* FILE:LINE of a message that begins with FILE:LINE:COLUMN. */
static void message_place(char *begin, const char *colon, char place[256]) {
    size_t length = (size_t)(colon - begin);
    while (length > 0 && begin[length - 1] != ':')
        length--;
    snprintf(place, 256, "%.*s", (int)(length > 0 ? length - 1 : (size_t)(colon - begin)), begin);
}

void cc_messages_take(struct cc_missing *missing, const char *source, char *text,
                      char header[256]) {
    struct cc_list others = {0};
    bool lacks = false;
    char *save = NULL;
    header[0] = '\0';
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *error = strstr(line, "error: "), name[256], place[256];
        enum cc_kind kind;
        if (!error)
            continue;
        if (!message_name(error, &kind, name)) {
            cc_list_add(&others, "%s", line);
            continue;
        }
        char *fatal = strstr(line, "fatal error: ");
        message_place(line, (fatal ? fatal : error) - (error > line + 2 ? 2 : 0), place);
        cc_missing_add(missing, kind, name, place);
        if (kind == CC_HEADER)
            snprintf(header, 256, "%s", name);
        lacks = true;
    }
    if (lacks && !cc_list_has(&missing->files, source))
        cc_list_add(&missing->files, "%s", source);
    if (!lacks)
        cc_list_add_all(&missing->errors, &others);
    cc_list_free(&others);
}
