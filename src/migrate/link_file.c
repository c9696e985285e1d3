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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "greeting.h"
#include "io.h"

#define ANSWERS 4

struct file_link {
    struct migrate_address address;
    char other[272]; /* writing: PATH.part; reading: PATH.taken */
    int fd;
    off_t size; /* writing: so far */
    uint32_t number;
    struct migrate_traffic traffic;
    /* Writing: the answers that the link reports for the file. */
    struct migrate_message answer[ANSWERS];
    unsigned first, count;
    bool begun, agreed, named, failed, reported_up; /* begun: HELLO is written */
    char why[256];
    /* Reading: */
    struct migrate_reader reader;
    bool ended, taken;
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

/*
 * Renames the file and makes the name durable. If that fails, the name is taken back; a reader that
 * was faster has the file then, and with it the guest.
 */
static bool name_file(struct file_link *file) {
    const struct migrate_files *files = migrate_files();
    int fd = file->fd, held = dup(fd); /* the lock of PATH.part ends with its last descriptor */
    file->fd = held;
    if (held < 0 || files->sync(fd) != 0) {
        int why = errno;
        (void)files->close(fd);
        errno = why;
        return false;
    }
    if (files->close(fd) != 0 || files->rename(file->other, file->address.path) != 0)
        return false;
    file->named = migrate_files_sync_directory(file->address.path) ||
                  files->rename(file->address.path, file->other) != 0;
    return file->named;
}

/* The file was not renamed to PATH, so no process can play it: the source may take back the guest. */
static struct migrate_message unnamed(struct file_link *file) {
    struct migrate_message reply = {.type = MIGRATE_ABORT};
    char text[256];
    if (!file->failed)
        file_fail(file, "naming");
    snprintf(text, sizeof(text), "%s", file->why);
    reply.data = (uint8_t *)strdup(text);
    reply.size = reply.data ? strlen(text) : 0;
    return reply;
}

/* What a target would answer. */
static void react(struct file_link *file, enum migrate_type type, uint64_t event, uint64_t digest) {
    struct migrate_message reply = {.event = event, .digest = digest};
    switch (type) {
    case MIGRATE_STAND:
        reply.type = MIGRATE_STANDING;
        break;
    case MIGRATE_SEAL:
        if (migrate_files()->sync(file->fd) != 0)
            file_fail(file, "writing");
        reply.type = MIGRATE_READY;
        break;
    case MIGRATE_COMMIT:
        reply.type = MIGRATE_OWNER;
        if (file->failed || !name_file(file))
            reply = unnamed(file);
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
    if (!frame || file->fd < 0 || !migrate_files_write(file->fd, frame, size, file->size))
        file_fail(file, "writing");
    free(frame);
    file->size += (off_t)size;
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

/* A file does not listen; but if its reader cannot take the guest after all, it is there again. */
static void read_send(void *ctx, struct migrate_message *message) {
    struct file_link *file = ctx;
    if (message->type == MIGRATE_ABORT && file->taken &&
        migrate_files()->rename(file->other, file->address.path) == 0)
        file->taken = false;
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
    const struct migrate_files *files = migrate_files();
    char why[300];
    if (files->rename(file->address.path, file->other) == 0) {
        file->taken = migrate_files_sync_directory(file->address.path);
        if (file->taken)
            return MIGRATE_MESSAGE;
        snprintf(why, sizeof(why), "the file could not be taken: %s", strerror(errno));
        if (files->rename(file->other, file->address.path) != 0)
            snprintf(why, sizeof(why), "the file could not be taken; the guest is in %.250s",
                     file->other);
    } else if (errno == ENOENT || errno == EEXIST) {
        snprintf(why, sizeof(why), "another process has taken the file, or took it before");
    } else {
        snprintf(why, sizeof(why), "the file could not be taken: %s", strerror(errno));
    }
    migrate_message_drop(commit);
    return ended(file, text, text_size, why);
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
    if (file->fd >= 0)
        close(file->fd);
    migrate_reader_reset(&file->reader);
    free(file);
}

/* A file that was not renamed to PATH belongs to no process. */
static void written_close(void *ctx) {
    struct file_link *file = ctx;
    if (file->count != 0)
        migrate_message_drop(&file->answer[file->first]);
    if (!file->named)
        (void)migrate_files()->unlink(file->other);
    file_close(file);
}

/* Locked, and still what the name stands for; false: another process writes it. */
static bool hold_part(int fd, const char *name) {
    struct stat opened, named;
    errno = EBUSY;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
           lstat(name, &named) == 0 && opened.st_ino == named.st_ino;
}

/* Empty, or the beginning of a stream, as a process left it that was killed; false: somebody's file, or none. */
static bool part_of_stream(int fd) {
    const uint32_t magic = MIGRATE_FRAME_MAGIC;
    uint8_t begin[sizeof(magic)];
    struct stat of;
    bool regular = fstat(fd, &of) == 0 && S_ISREG(of.st_mode);
    ssize_t got = regular ? pread(fd, begin, sizeof(begin), 0) : -1;
    errno = EEXIST;
    return got >= 0 && memcmp(begin, &magic, (size_t)got) == 0;
}

/* Whoever waits at the other end of a FIFO is not waited for. */
#define PART_FLAGS (O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* PATH.part, unless another process writes it or it is somebody's. */
static int open_part(const struct file_link *file) {
    int fd = open(file->other, PART_FLAGS | O_CREAT, 0600);
    if (fd < 0 || (hold_part(fd, file->other) && part_of_stream(fd) && ftruncate(fd, 0) == 0))
        return fd;
    int why = errno == EWOULDBLOCK ? EBUSY : errno;
    close(fd);
    errno = why;
    return -1;
}

void migrate_file_sweep(const struct migrate_address *address) {
    char part[272];
    snprintf(part, sizeof(part), "%s.part", address->path);
    int fd = open(part, PART_FLAGS);
    if (fd >= 0 && hold_part(fd, part) && part_of_stream(fd))
        (void)migrate_files()->unlink(part);
    if (fd >= 0)
        close(fd);
}

static bool open_file(struct migrate_channel *channel, const struct migrate_address *address,
                      bool writes, char *text, size_t text_size) {
    struct file_link *file = calloc(1, sizeof(*file));
    snprintf(text, text_size, "out of memory for the link");
    if (!file)
        return false;
    file->address = *address;
    snprintf(file->other, sizeof(file->other), "%s%s", address->path, writes ? ".part" : ".taken");
    file->fd = writes ? open_part(file)
                      : open(address->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
    if (lstat(address->path, &there) == 0) {
        snprintf(text, text_size, "%.200s is there already, and may hold another guest",
                 address->path);
        return false;
    }
    return open_file(channel, address, true, text, text_size);
}

bool migrate_file_read(struct migrate_channel *channel, const struct migrate_address *address,
                       char *text, size_t text_size) {
    struct stat there;
    if (stat(address->path, &there) == 0 && !S_ISREG(there.st_mode)) {
        snprintf(text, text_size, "%.200s is no regular file", address->path);
        return false;
    }
    return open_file(channel, address, false, text, text_size);
}
