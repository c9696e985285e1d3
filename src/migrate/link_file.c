/*
 * link_file.c - quick migration: a file in the place of the other side.
 *
 * The file is committed by its name: it is written as PATH.part, is on the disk before the link
 * reports READY, and is renamed to PATH after COMMIT was written. The process that goes on with the
 * guest renames the file first: if two processes try, one succeeds.
 */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "greeting.h"
#include "io.h"

#define ANSWERS 4

struct file_link {
    struct migrate_address address;
    char other[272]; /* writing: PATH.part; reading: PATH.taken */
    int fd;
    uint32_t number;
    struct migrate_traffic traffic;
    /* Writing: the answers that the link reports for the file. */
    struct migrate_message answer[ANSWERS];
    unsigned first, count;
    bool begun, agreed, failed, reported_up; /* begun: HELLO is written */
    char why[256];
    /* Reading: */
    struct migrate_reader reader;
    bool ended;
};

static void file_fail(struct file_link *file, const char *doing) {
    if (!file->failed)
        snprintf(file->why, sizeof(file->why), "%s %.200s: %s", doing, file->address.path,
                 strerror(errno));
    file->failed = true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void answer(struct file_link *file, const struct migrate_message *message) {
    if (file->count < ANSWERS)
        file->answer[(file->first + file->count++) % ANSWERS] = *message;
}

/* Renames the file and makes the name durable. */
static bool name_file(struct file_link *file) {
    char path[sizeof(file->address.path)];
    if (fsync(file->fd) != 0 || rename(file->other, file->address.path) != 0)
        return false;
    memcpy(path, file->address.path, sizeof(path));
    int directory = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory); /* the file has its name: an error changes nothing */
        close(directory);
    }
    return true;
}

/* What a target would answer. */
static void react(struct file_link *file, enum migrate_type type, uint64_t event, uint64_t digest) {
    struct migrate_message reply = {.event = event, .digest = digest};
    switch (type) {
    case MIGRATE_STAND:
        reply.type = MIGRATE_STANDING;
        break;
    case MIGRATE_SEAL:
        if (fsync(file->fd) != 0)
            file_fail(file, "writing");
        reply.type = MIGRATE_READY;
        break;
    case MIGRATE_COMMIT:
        reply.type = MIGRATE_OWNER;
        if (!file->failed && !name_file(file)) {
            /* The file was not renamed to PATH, so no process can play it: the source may take back
             * the guest. */
            reply.type = MIGRATE_ABORT;
            unlink(file->other);
        }
        break;
    case MIGRATE_SEGMENT:
        if (file->agreed)
            return;
        file->agreed = true;
        reply = migrate_hello(MIGRATE_NEW, 0);
        break;
    default:
        return;
    }
    if (!file->failed || reply.type == MIGRATE_ABORT)
        answer(file, &reply);
}

static void file_send(void *ctx, struct migrate_message *message) {
    struct file_link *file = ctx;
    enum migrate_type type = message->type;
    uint64_t before = migrate_clock_ns(), event = message->event, digest = message->digest;
    size_t size = 0;
    bool after = type == MIGRATE_OWNER || type == MIGRATE_ABORT; /* no part of a file */
    uint8_t *frame =
        after || file->failed ? NULL : migrate_frame_encode(message, file->number++, 0, &size);
    migrate_message_drop(message);
    if (after)
        return;
    if (!frame || !migrate_write_all(write, file->fd, frame, size))
        file_fail(file, "writing");
    free(frame);
    file->traffic.bytes += size;
    file->traffic.busy_ns += migrate_clock_ns() - before;
    react(file, type, event, digest);
}

/* What greets a target begins the file; a file that failed stays so. */
static void written_reopen(void *ctx, const struct migrate_message *hello) {
    struct file_link *file = ctx;
    struct migrate_message message = *hello;
    if (!file->begun)
        file_send(ctx, &message);
    file->begun = true;
}

static enum migrate_news written_receive(void *ctx, struct migrate_message *out, char *text,
                                         size_t text_size) {
    struct file_link *file = ctx;
    if (!file->begun)
        return MIGRATE_NO_NEWS;
    if (!file->reported_up) {
        file->reported_up = true;
        return MIGRATE_UP;
    }
    if (file->count != 0) {
        *out = file->answer[file->first];
        file->first = (file->first + 1) % ANSWERS;
        file->count--;
        return MIGRATE_MESSAGE;
    }
    if (!file->failed || file->ended)
        return MIGRATE_NO_NEWS;
    file->ended = true;
    snprintf(text, text_size, "%s", file->why);
    return MIGRATE_DOWN;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_send(void *ctx, struct migrate_message *message) {
    (void)ctx; /* a file does not listen */
    migrate_message_drop(message);
}

static enum migrate_news ended(struct file_link *file, char *text, size_t text_size,
                               const char *why) {
    file->ended = true;
    snprintf(text, text_size, "%s", why);
    return MIGRATE_DOWN;
}

static enum migrate_news take_commit(struct file_link *file, struct migrate_message *commit,
                                     char *text, size_t text_size) {
    if (link(file->address.path, file->other) == 0 && unlink(file->address.path) == 0)
        return MIGRATE_MESSAGE;
    migrate_message_drop(commit);
    return ended(file, text, text_size, "another process has taken the file, or took it before");
}

static enum migrate_news read_receive(void *ctx, struct migrate_message *out, char *text,
                                      size_t text_size) {
    struct file_link *file = ctx;
    enum migrate_read read_so_far = MIGRATE_READ_MORE;
    if (!file->reported_up) {
        file->reported_up = true;
        return MIGRATE_UP;
    }
    if (file->ended)
        return MIGRATE_NO_NEWS;
    while (read_so_far == MIGRATE_READ_MORE) {
        uint8_t *where = NULL;
        size_t want = migrate_reader_want(&file->reader, &where);
        ssize_t got = read(file->fd, where, want);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ended(file, text, text_size, "the file ends before the migration does");
        read_so_far = migrate_reader_got(&file->reader, (size_t)got, out, text, text_size);
    }
    if (read_so_far == MIGRATE_READ_BAD) {
        file->ended = true;
        return MIGRATE_DOWN;
    }
    if (out->type != MIGRATE_COMMIT)
        return MIGRATE_MESSAGE;
    file->ended = true;
    return take_commit(file, out, text, text_size);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static bool file_room(void *ctx) {
    (void)ctx;
    return true;
}

static void read_reopen(void *ctx, const struct migrate_message *hello) {
    (void)ctx; /* a failed file stays failed; no event follows */
    (void)hello;
}

static void file_hang_up(void *ctx, const char *why) {
    struct file_link *file = ctx;
    snprintf(file->why, sizeof(file->why), "%s", why);
    file->failed = true;
}

static void file_traffic(void *ctx, struct migrate_traffic *out) {
    struct file_link *file = ctx;
    *out = file->traffic;
}

static void file_wait(void *ctx, uint64_t ns) {
    (void)ctx;
    (void)ns;
}

static void file_close(void *ctx) {
    struct file_link *file = ctx;
    close(file->fd);
    migrate_reader_reset(&file->reader);
    free(file);
}

/* A file that was not renamed to PATH belongs to no process. */
static void written_close(void *ctx) {
    struct file_link *file = ctx;
    unlink(file->other);
    file_close(file);
}

static bool open_file(struct migrate_channel *channel, const struct migrate_address *address,
                      bool writes, char *text, size_t text_size) {
    struct file_link *file = calloc(1, sizeof(*file));
    snprintf(text, text_size, "out of memory for the link");
    if (!file)
        return false;
    file->address = *address;
    snprintf(file->other, sizeof(file->other), "%s%s", address->path, writes ? ".part" : ".taken");
    file->fd = writes ? open(file->other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                      : open(address->path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0) {
        snprintf(text, text_size, "cannot open %.200s: %s", writes ? file->other : address->path,
                 strerror(errno));
        free(file);
        return false;
    }
    *channel = (struct migrate_channel){.link = {.ctx = file,
                                                 .send = writes ? file_send : read_send,
                                                 .room = file_room,
                                                 .receive = writes ? written_receive : read_receive,
                                                 .reopen = writes ? written_reopen : read_reopen,
                                                 .hang_up = file_hang_up,
                                                 .traffic = file_traffic},
                                        .wait = file_wait,
                                        .close = writes ? written_close : file_close};
    return true;
}

bool migrate_file_write(struct migrate_channel *channel, const struct migrate_address *address,
                        char *text, size_t text_size) {
    struct stat there;
    if (stat(address->path, &there) == 0) {
        snprintf(text, text_size, "%.200s is there already, and may hold another guest",
                 address->path);
        return false;
    }
    return open_file(channel, address, true, text, text_size);
}

bool migrate_file_read(struct migrate_channel *channel, const struct migrate_address *address,
                       char *text, size_t text_size) {
    return open_file(channel, address, false, text, text_size);
}
