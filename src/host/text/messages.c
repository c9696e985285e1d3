/* messages.c - see messages.h. */
#include "text/messages.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LINES 3u
#define BYTES 73u /* of a line, with its end: three of them and a sentence fit into a finding */

/* The oldest first; the last one may go on. */
static struct {
    pthread_mutex_t lock;
    char line[LINES][BYTES];
    uint32_t count;
    bool open;
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_messages_begin(void) {
    pthread_mutex_lock(&said.lock);
    said.count = 0;
    said.open = false;
    pthread_mutex_unlock(&said.lock);
}

static void message_add(const char *text, size_t length) {
    if (!said.open && said.count == LINES)
        memmove(said.line[0], said.line[1], (LINES - 1) * sizeof(said.line[0]));
    else if (!said.open)
        said.count++;
    char *line = said.line[said.count - 1];
    size_t has = said.open ? strlen(line) : 0, room = BYTES - 1 - has;
    length = length < room ? length : room;
    memcpy(line + has, text, length);
    line[has + length] = '\0';
}

void host_messages_add(const char *text) {
    pthread_mutex_lock(&said.lock);
    while (*text != '\0') {
        size_t length = strcspn(text, "\r\n");
        bool ends = text[length] != '\0';
        if (length != 0)
            message_add(text, length);
        said.open = !ends && (length != 0 || said.open);
        text += length + ends;
    }
    pthread_mutex_unlock(&said.lock);
}

void host_messages_append(char *text, size_t room) {
    size_t used = strlen(text);
    pthread_mutex_lock(&said.lock);
    for (uint32_t i = 0; i < said.count && used < room; i++) {
        int more =
            snprintf(text + used, room - used, "%s\"%s\"", i ? ", " : "; it said ", said.line[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    pthread_mutex_unlock(&said.lock);
}
