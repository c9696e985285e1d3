/* asked.c - see asked.h. */
#include "base/asked.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include <vidmm/host.h>

#define ASKED_MOST 256u
#define NAME_MOST  64u

static struct {
    char name[ASKED_MOST][NAME_MOST]; /* each once */
    size_t count;
    bool more; /* names that there was no room for */
} asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The registry takes no notice of case. Under the lock. */
static bool is_kept(const char *name) {
    for (size_t i = 0; i < asked.count; i++)
        if (strcasecmp(asked.name[i], name) == 0)
            return true;
    return false;
}

void host_asked_clear(void) {
    pthread_mutex_lock(&lock);
    asked.count = 0;
    asked.more = false;
    pthread_mutex_unlock(&lock);
}

void host_asked(const char *name) {
    size_t length = strlen(name);
    pthread_mutex_lock(&lock);
    if (length >= NAME_MOST || (asked.count == ASKED_MOST && !is_kept(name)))
        asked.more = true;
    else if (!is_kept(name))
        memcpy(asked.name[asked.count++], name, length + 1);
    pthread_mutex_unlock(&lock);
}

void host_asked_units(const WCHAR *name, size_t units) {
    char text[NAME_MOST + 1];
    size_t length = units < NAME_MOST ? units : NAME_MOST;
    for (size_t i = 0; i < length; i++)
        text[i] = name[i] > ' ' && name[i] <= '~' ? (char)name[i] : '?';
    text[length] = '\0';
    host_asked(text);
}

const char *vidmm_host_asked(size_t index) {
    pthread_mutex_lock(&lock);
    const char *name = index < asked.count ? asked.name[index] : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}

bool vidmm_host_asked_for(const char *name) {
    pthread_mutex_lock(&lock);
    bool kept = asked.more || is_kept(name);
    pthread_mutex_unlock(&lock);
    return kept;
}
