/*
 * list.c - see list.h.
 */
#include "list.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_take(struct cc_list *list, char *word) {
    if (list->count + 2 > list->room) {
        size_t room = list->room ? list->room * 2 : 16;
        char **grown = realloc(list->word, room * sizeof(*grown));
        if (!grown)
            list->failed = true;
        else {
            list->word = grown;
            list->room = room;
        }
    }
    if (!word || list->failed) {
        list->failed = true;
        free(word);
        return;
    }
    list->word[list->count++] = word;
    list->word[list->count] = NULL;
}

void cc_list_add(struct cc_list *list, const char *format, ...) {
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0)
        word = NULL;
    va_end(arguments);
    list_take(list, word);
}

void cc_list_add_bytes(struct cc_list *list, const char *text, size_t bytes) {
    list_take(list, strndup(text, bytes));
}

void cc_list_add_all(struct cc_list *list, const struct cc_list *from) {
    for (size_t i = 0; i < from->count; i++)
        list_take(list, strdup(from->word[i]));
    list->failed |= from->failed;
}

void cc_list_add_parts(struct cc_list *list, const char *text, char separator) {
    while (*text) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        const char *next = text + length + (end ? 1 : 0);
        while (length > 0 && isspace((unsigned char)*text))
            text++, length--;
        while (length > 0 && isspace((unsigned char)text[length - 1]))
            length--;
        if (length > 0)
            cc_list_add_bytes(list, text, length);
        text = next;
    }
}

bool cc_list_has(const struct cc_list *list, const char *word) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->word[i], word) == 0)
            return true;
    }
    return false;
}

void cc_list_free(struct cc_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->word[i]);
    free(list->word);
    *list = (struct cc_list){0};
}
