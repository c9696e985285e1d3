/*
 * list.h - lists of words, the only memory that a build needs.
 *
 * A list that got no memory stays failed, and so does what is added to it later: the owner asks
 * once, at the end.
 */
#ifndef CC_LIST_H
#define CC_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct cc_list {
    char **word; /* NULL after the last, once there is one */
    size_t count;
    size_t room;
    bool failed;
};

void cc_list_add(struct cc_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The first `bytes` of `text`. */
void cc_list_add_bytes(struct cc_list *list, const char *text, size_t bytes);
void cc_list_add_all(struct cc_list *list, const struct cc_list *from);
/* Adds the parts of `text` between `separator`, without blanks around them and without empty ones. */
void cc_list_add_parts(struct cc_list *list, const char *text, char separator);
bool cc_list_has(const struct cc_list *list, const char *word);
void cc_list_free(struct cc_list *list);

#endif
