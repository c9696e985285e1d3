/*
 * queue.c - a list with a lock.
 */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t content(const struct migrate_message *message) {
    return sizeof(struct migrate_item) + migrate_message_bytes(message);
}

bool migrate_queue_init(struct migrate_queue *queue, size_t most) {
    pthread_condattr_t attributes;
    memset(queue, 0, sizeof(*queue));
    queue->end = &queue->first;
    queue->most = most;
    if (pthread_mutex_init(&queue->lock, NULL) != 0)
        return false;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool ok = pthread_cond_init(&queue->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!ok)
        pthread_mutex_destroy(&queue->lock);
    return ok;
}

static struct migrate_item *reserved_locked(struct migrate_queue *queue, enum migrate_news news) {
    struct migrate_item *item = &queue->reserve[news];
    return news == MIGRATE_MESSAGE || item->news != MIGRATE_NO_NEWS ? NULL : item;
}

static void item_free_locked(struct migrate_queue *queue, struct migrate_item *item) {
    if (item >= queue->reserve && item <= &queue->reserve[MIGRATE_DOWN])
        item->news = MIGRATE_NO_NEWS;
    else
        free(item);
}

void migrate_item_free(struct migrate_queue *queue, struct migrate_item *item) {
    pthread_mutex_lock(&queue->lock);
    item_free_locked(queue, item);
    pthread_mutex_unlock(&queue->lock);
}

static void clear_locked(struct migrate_queue *queue) {
    while (queue->first) {
        struct migrate_item *item = queue->first;
        queue->first = item->next;
        migrate_message_drop(&item->message);
        item_free_locked(queue, item);
    }
    queue->end = &queue->first;
    queue->bytes = 0;
    pthread_cond_broadcast(&queue->changed);
}

void migrate_queue_clear(struct migrate_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    clear_locked(queue);
    pthread_mutex_unlock(&queue->lock);
}

void migrate_queue_destroy(struct migrate_queue *queue) {
    migrate_queue_clear(queue);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

bool migrate_queue_put(struct migrate_queue *queue, enum migrate_news news,
                       struct migrate_message *message, const char *text) {
    struct migrate_item *item = calloc(1, sizeof(*item));
    pthread_mutex_lock(&queue->lock);
    if (!item)
        item = reserved_locked(queue, news);
    bool taken = item && !queue->closed;
    if (taken) {
        *item = (struct migrate_item){.news = news};
        if (message)
            item->message = *message;
        if (text)
            snprintf(item->text, sizeof(item->text), "%s", text);
        queue->bytes += content(&item->message);
        *queue->end = item;
        queue->end = &item->next;
        pthread_cond_broadcast(&queue->changed);
    } else {
        item_free_locked(queue, item);
        if (message)
            migrate_message_drop(message);
    }
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

bool migrate_queue_room(struct migrate_queue *queue, bool wait) {
    pthread_mutex_lock(&queue->lock);
    while (wait && queue->bytes >= queue->most && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    bool room = queue->bytes < queue->most;
    pthread_mutex_unlock(&queue->lock);
    return room;
}

size_t migrate_queue_bytes(struct migrate_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    size_t bytes = queue->bytes;
    pthread_mutex_unlock(&queue->lock);
    return bytes;
}

static void deadline_in(uint64_t ns, struct timespec *at) {
    clock_gettime(CLOCK_MONOTONIC, at);
    uint64_t sum = (uint64_t)at->tv_nsec + ns;
    at->tv_sec += (time_t)(sum / 1000000000);
    at->tv_nsec = (int32_t)(sum % 1000000000);
}

static void wait_locked(struct migrate_queue *queue, uint64_t ns) {
    struct timespec until;
    deadline_in(ns, &until);
    while (ns != 0 && !queue->first && !queue->closed)
        if (pthread_cond_timedwait(&queue->changed, &queue->lock, &until) != 0)
            return;
}

void migrate_queue_wait(struct migrate_queue *queue, uint64_t ns) {
    pthread_mutex_lock(&queue->lock);
    wait_locked(queue, ns);
    pthread_mutex_unlock(&queue->lock);
}

struct migrate_item *migrate_queue_take(struct migrate_queue *queue, uint64_t ns) {
    pthread_mutex_lock(&queue->lock);
    wait_locked(queue, ns);
    struct migrate_item *item = queue->first;
    if (item) {
        queue->taken = true;
        queue->first = item->next;
        if (!queue->first)
            queue->end = &queue->first;
        queue->bytes -= content(&item->message);
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return item;
}

void migrate_queue_done(struct migrate_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->taken = false;
    pthread_mutex_unlock(&queue->lock);
}

bool migrate_queue_empty(struct migrate_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    bool empty = !queue->first && !queue->taken;
    pthread_mutex_unlock(&queue->lock);
    return empty;
}

void migrate_queue_close(struct migrate_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
