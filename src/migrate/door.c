/*
 * door.c - see door.h.
 */
#include "door.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "io.h"

#define QUIET_NS UINT64_C(200000000) /* between two sentences */
#define WRITE_MS 500                 /* a greeting's few bytes go out in this time, or never */

static void turn_away(struct migrate_door *door, unsigned i, const char *why) {
    migrate_greeting_close(&door->caller[i]);
    door->caller[i] = door->caller[--door->count];
    memset(&door->caller[door->count], 0, sizeof(door->caller[0]));
    door->unsaid++;
    snprintf(door->said, sizeof(door->said), "%s", why);
}

/* Somebody has to go: the first of those who said nothing, else the first of all. */
static void make_room(struct migrate_door *door) {
    unsigned goes = 0;
    for (unsigned i = 1; i < door->count; i++) {
        const struct migrate_greeting *one = &door->caller[i], *other = &door->caller[goes];
        bool heard = migrate_greeting_heard(one), other_heard = migrate_greeting_heard(other);
        if (heard != other_heard ? other_heard : one->began < other->began)
            goes = i;
    }
    turn_away(door, goes, "too many connections came that did not greet");
}

static int take_socket(struct migrate_door *door) {
    const struct timeval timeout = {.tv_usec = WRITE_MS * 1000};
    int fd = accept4(door->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    return fd;
}

static void take_caller(struct migrate_door *door) {
    char text[256];
    int fd = take_socket(door);
    if (fd < 0)
        return;
    if (door->count == MIGRATE_DOOR_CALLERS)
        make_room(door);
    if (migrate_greeting_open(&door->caller[door->count], fd, door->key, NULL, text, sizeof(text)))
        door->count++;
}

/* True: caller `i` is in. */
static bool serve(struct migrate_door *door, unsigned i) {
    char text[256] = "";
    switch (migrate_greeting_step(&door->caller[i], text, sizeof(text))) {
    case MIGRATE_GREETING:
        return false;
    case MIGRATE_GREETED:
        return true;
    case MIGRATE_GREETING_ENDED:
    case MIGRATE_GREETING_NEVER:
        migrate_greeting_refuse(&door->caller[i], text);
        turn_away(door, i, text);
        break;
    }
    return false;
}

static void expire(struct migrate_door *door) {
    uint64_t now = migrate_clock_ns();
    for (unsigned i = door->count; i-- != 0;)
        if (now > door->caller[i].began + door->greeting_ns)
            turn_away(door, i, "a connection did not greet in time");
}

bool migrate_door_wait(struct migrate_door *door, int ms, struct migrate_greeting *in) {
    struct pollfd polls[MIGRATE_DOOR_CALLERS + 1];
    unsigned count = door->count;
    polls[count] = (struct pollfd){.fd = door->listener.fd, .events = POLLIN};
    for (unsigned i = 0; i < count; i++)
        polls[i] = (struct pollfd){.fd = door->caller[i].stream.fd, .events = POLLIN};
    int ready = poll(polls, count + 1, ms);
    for (unsigned i = count; ready > 0 && i-- != 0;) {
        if (polls[i].revents == 0 || !serve(door, i))
            continue;
        *in = door->caller[i];
        door->caller[i] = door->caller[--door->count];
        return true;
    }
    expire(door);
    if (ready > 0 && polls[count].revents != 0)
        take_caller(door);
    return false;
}

bool migrate_door_said(struct migrate_door *door, char *text, size_t text_size) {
    uint64_t now = migrate_clock_ns();
    if (door->unsaid == 0 || now < door->told_at + QUIET_NS)
        return false;
    if (door->unsaid == 1)
        snprintf(text, text_size, "a connection was refused: %.180s", door->said);
    else
        snprintf(text, text_size, "%u connections were refused, the last one: %.160s", door->unsaid,
                 door->said);
    door->unsaid = 0;
    door->told_at = now;
    return true;
}

void migrate_door_close(struct migrate_door *door) {
    while (door->count != 0)
        migrate_greeting_close(&door->caller[--door->count]);
    migrate_address_unlisten(&door->listener);
}
