/*
 * control.c - verdicts by socket: a letter in, a line out.
 */
#include "control.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_MS 50

static const char letters[] = {
    [VIDMM_MIGRATE_ASK] = '?', [VIDMM_MIGRATE_TAKE] = 't', [VIDMM_MIGRATE_DROP] = 'd'};

static const char *control_describe(enum vidmm_migrate_phase phase) {
    switch (phase) {
    case VIDMM_MIGRATE_WAITING:
        return "the migration has not begun; nothing is in doubt";
    case VIDMM_MIGRATE_BROWNOUT:
        return "memory is moving; nothing is in doubt";
    case VIDMM_MIGRATE_BLACKOUT:
        return "the guest is paused; nothing is in doubt";
    case VIDMM_MIGRATE_DOUBT:
        return "in doubt: paused, with its whole state";
    case VIDMM_MIGRATE_ENDED:
        break;
    }
    return "the migration is over; nothing is in doubt";
}

/* '+' and a sentence: done; '-': not. */
static void reply(struct migrate_control *control, char letter, char *line, size_t size) {
    pthread_mutex_lock(&control->lock);
    bool doubt = control->phase == VIDMM_MIGRATE_DOUBT;
    if (letter == letters[VIDMM_MIGRATE_ASK]) {
        snprintf(line, size, "+%s", control_describe(control->phase));
    } else if (!doubt) {
        snprintf(line, size, "-%s", control_describe(control->phase));
    } else if (letter == letters[VIDMM_MIGRATE_TAKE]) {
        control->verdict = VIDMM_MIGRATE_TAKE;
        snprintf(line, size, "+the guest goes on here");
    } else {
        control->verdict = VIDMM_MIGRATE_DROP;
        snprintf(line, size, "+the guest is given up here");
    }
    pthread_mutex_unlock(&control->lock);
}

static void serve(struct migrate_control *control, int fd) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char letter = 0, line[128];
    if (poll(&poll_fd, 1, 1000) > 0 && recv(fd, &letter, 1, 0) == 1 && letter != 0 &&
        memchr(letters, letter, sizeof(letters))) {
        reply(control, letter, line, sizeof(line));
        (void)send(fd, line, strlen(line), MSG_NOSIGNAL);
    }
    close(fd);
}

static bool closing(struct migrate_control *control) {
    pthread_mutex_lock(&control->lock);
    bool now = control->closing;
    pthread_mutex_unlock(&control->lock);
    return now;
}

static void *listen_all(void *ctx) {
    struct migrate_control *control = ctx;
    while (!closing(control)) {
        struct pollfd poll_fd = {.fd = control->listener.fd, .events = POLLIN};
        if (poll(&poll_fd, 1, LOOK_MS) <= 0)
            continue;
        int fd = accept4(control->listener.fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            serve(control, fd);
    }
    return NULL;
}

/* unix:PATH */
static bool control_find(const char *path, struct migrate_address *out, char *text,
                         size_t text_size) {
    char words[300];
    snprintf(words, sizeof(words), "unix:%s", path);
    return migrate_address_parse(words, out, text, text_size);
}

bool migrate_control_open(struct migrate_control *control, const char *path, char *text,
                          size_t text_size) {
    struct migrate_address address;
    memset(control, 0, sizeof(*control));
    control->listener.fd = -1;
    pthread_mutex_init(&control->lock, NULL);
    if (!path)
        return true;
    if (!control_find(path, &address, text, text_size) ||
        !migrate_address_listen(&address, &control->listener, text, text_size))
        return false;
    control->on = pthread_create(&control->thread, NULL, listen_all, control) == 0;
    if (!control->on) {
        migrate_address_unlisten(&control->listener);
        snprintf(text, text_size, "no thread for the control socket");
    }
    return control->on;
}

void migrate_control_close(struct migrate_control *control) {
    if (control->on) {
        pthread_mutex_lock(&control->lock);
        control->closing = true;
        pthread_mutex_unlock(&control->lock);
        pthread_join(control->thread, NULL);
        migrate_address_unlisten(&control->listener);
    }
    pthread_mutex_destroy(&control->lock);
}

void migrate_control_phase(struct migrate_control *control, enum vidmm_migrate_phase phase) {
    pthread_mutex_lock(&control->lock);
    control->phase = phase;
    pthread_mutex_unlock(&control->lock);
}

enum vidmm_migrate_verdict migrate_control_verdict(struct migrate_control *control) {
    pthread_mutex_lock(&control->lock);
    enum vidmm_migrate_verdict verdict = control->verdict;
    control->verdict = VIDMM_MIGRATE_ASK;
    pthread_mutex_unlock(&control->lock);
    return verdict;
}

bool vidmm_migrate_resolve(const char *path, enum vidmm_migrate_verdict verdict, char *text,
                           size_t text_size) {
    struct migrate_address address;
    char line[160] = "";
    size_t have = 0;
    ssize_t got;
    if (!control_find(path, &address, text, text_size))
        return false;
    int fd = migrate_address_connect(&address, text, text_size);
    if (fd < 0)
        return false;
    bool asked = send(fd, &letters[verdict], 1, MSG_NOSIGNAL) == 1;
    while (asked && have < sizeof(line) - 1 &&
           (got = recv(fd, line + have, sizeof(line) - 1 - have, 0)) > 0)
        have += (size_t)got;
    close(fd);
    snprintf(text, text_size, "%s", have > 1 ? line + 1 : "it did not answer");
    return line[0] == '+';
}
