/*
 * queue.h - messages between the guest's thread and the threads of a link, with the link's events
 * in order among them. The content is bounded: a thread asks for room, or waits, before it adds
 * pages.
 */
#ifndef VIDMM_MIGRATE_QUEUE_H
#define VIDMM_MIGRATE_QUEUE_H

#include <pthread.h>

#include "link.h"

struct migrate_item {
    struct migrate_item *next;
    enum migrate_news news;
    struct migrate_message message;
    char text[256];
};

struct migrate_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct migrate_item *first, **end;
    size_t bytes, most; /* of content */
    bool taken;         /* the message taken last is still in work */
    bool closed;
    /* One of each event of a link, which is told without memory, too; MIGRATE_NO_NEWS: it is not in the queue. A
     * link has no second MIGRATE_UP or DOWN there: it goes on when the last DOWN was taken. */
    struct migrate_item reserve[MIGRATE_DOWN + 1];
};

bool migrate_queue_init(struct migrate_queue *queue, size_t most);
void migrate_queue_destroy(struct migrate_queue *queue);
/* Takes the data of `message`; drops it if the queue is closed or memory is short (false). */
bool migrate_queue_put(struct migrate_queue *queue, enum migrate_news news,
                       struct migrate_message *message, const char *text);
/* There is room. With `wait`: sleeps until there is, or the queue is closed. */
bool migrate_queue_room(struct migrate_queue *queue, bool wait);
/* Bytes of content, without the message that is in work. */
size_t migrate_queue_bytes(struct migrate_queue *queue);
/* The oldest, the caller's to free (migrate_item_free); NULL: none after `ns`. */
struct migrate_item *migrate_queue_take(struct migrate_queue *queue, uint64_t ns);
void migrate_item_free(struct migrate_queue *queue, struct migrate_item *item);
/* Sleeps until there is one, the queue is closed, or for `ns`. */
void migrate_queue_wait(struct migrate_queue *queue, uint64_t ns);
/* The message taken last is done. */
void migrate_queue_done(struct migrate_queue *queue);
/* The queue is empty, and no message is in work. */
bool migrate_queue_empty(struct migrate_queue *queue);
/* Drops all messages. */
void migrate_queue_clear(struct migrate_queue *queue);
/* Wakes all threads; the queue takes no further message. */
void migrate_queue_close(struct migrate_queue *queue);

#endif
