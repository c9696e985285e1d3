/*
 * link_socket.c - a link over a TCP or Unix socket.
 *
 * Two threads: the reader connects or accepts and greets (greeting.c, door.c), then reads frames until
 * the connection ends; the writer compresses, paces and writes the queued messages. Pings show that
 * a silent link is alive. The guest's thread only touches the queues.
 */
#include "channel.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "door.h"
#include "frame.h"
#include "greeting.h"
#include "io.h"
#include "pacer.h"
#include "queue.h"

#define OUT_BYTES         ((size_t)4 << 20)
#define IN_BYTES          ((size_t)32 << 20)
#define MS                UINT64_C(1000000)
#define LOOK_MS           50 /* interval at which a wait checks whether the link is closing */
#define PING_NS           (1000 * MS)
#define FLUSH_NS          (2000 * MS)
#define PART_NS           (500 * MS)
#define SERVE_NS          (20 * MS)
#define LEAST_BYTES_PER_S (UINT64_C(16) << 10) /* a frame is not slower than this */

struct socket_link {
    struct migrate_address address;
    struct migrate_channel_options options;
    struct migrate_pacer pacer;
    bool listens;
    struct migrate_door door;     /* listens */
    struct migrate_message hello; /* the source's; connects: greets with it */
    struct migrate_greeting next; /* listens: the same source, connected anew */
    bool has_next;
    uint64_t looked_at; /* listens: when the door was served last, while one is in */
    pthread_t life, writer;
    struct migrate_queue in, out;
    pthread_mutex_t lock; /* over the rest */
    pthread_cond_t changed;
    struct migrate_stream stream;
    uint64_t bond; /* of the connection */
    bool want, up, closing;
    bool lost;                      /* there was no memory for a message of this side */
    bool writing;                   /* the writer uses `stream` */
    bool parting;                   /* shut down when all is written */
    uint64_t parted_at;             /* since when */
    bool parted_now;                /* was shut down so */
    uint32_t number;                /* of the next frame */
    char why[256];                  /* reason for `parting` */
    struct migrate_traffic traffic; /* `waiting`: only what is being written */
};

static const char lost[] = "closed, or out of memory for a message";

static bool is_closing(struct socket_link *link) {
    pthread_mutex_lock(&link->lock);
    bool closing = link->closing;
    pthread_mutex_unlock(&link->lock);
    return closing;
}

static bool is_parting(struct socket_link *link) {
    pthread_mutex_lock(&link->lock);
    bool parting = link->parting;
    pthread_mutex_unlock(&link->lock);
    return parting;
}

/* Whoever goes on talking after the connection was ended is not listened to for long. */
static bool parted_long_ago(struct socket_link *link, uint64_t now) {
    pthread_mutex_lock(&link->lock);
    uint64_t most = PART_NS + (link->parted_now ? 0 : FLUSH_NS);
    bool long_ago = link->parting && now > link->parted_at + most;
    pthread_mutex_unlock(&link->lock);
    return long_ago;
}

/* ---- Making a connection --------------------------------------------------------------------- */

static void tell_refused(struct socket_link *link) {
    char text[256];
    if (migrate_door_said(&link->door, text, sizeof(text)))
        (void)migrate_queue_put(&link->in, MIGRATE_REFUSED, NULL, text);
}

static bool accept_one(struct socket_link *link, struct migrate_greeting *in, char *text,
                       size_t text_size) {
    if (link->has_next) {
        *in = link->next;
        link->has_next = false;
        return true;
    }
    while (!is_closing(link)) {
        bool came = migrate_door_wait(&link->door, LOOK_MS, in);
        tell_refused(link);
        if (came)
            return true;
    }
    snprintf(text, text_size, "closed");
    return false;
}

/* Greets on a new connection, until `until`. */
static enum migrate_greeted call(struct socket_link *link, struct migrate_greeting *greeting,
                                 uint64_t until, char *text, size_t text_size) {
    int fd = migrate_address_connect(&link->address, text, text_size);
    if (fd < 0 ||
        !migrate_greeting_open(greeting, fd, link->options.key, &link->hello, text, text_size))
        return MIGRATE_GREETING_ENDED;
    enum migrate_greeted greeted = MIGRATE_GREETING;
    while (greeted == MIGRATE_GREETING && migrate_clock_ns() <= until && !is_closing(link)) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        greeted = migrate_greeting_step(greeting, text, text_size);
        if (greeted == MIGRATE_GREETING)
            (void)poll(&poll_fd, 1, LOOK_MS);
    }
    if (greeted == MIGRATE_GREETING)
        snprintf(text, text_size,
                 "the other side took a connection and did not greet in time (is there a key on "
                 "one side only?)");
    if (greeted != MIGRATE_GREETED)
        migrate_greeting_close(greeting);
    return greeted;
}

/* A sentence of the other side is worth more than one about a socket that came later. */
static bool connect_one(struct socket_link *link, struct migrate_greeting *in, char *text,
                        size_t text_size) {
    uint64_t until = migrate_clock_ns() + link->options.timeout_ns;
    bool spoke = false;
    for (;;) {
        char why[256] = "";
        enum migrate_greeted greeted = call(link, in, until, why, sizeof(why));
        if (greeted == MIGRATE_GREETED)
            return true;
        bool speaks = strncmp(why, "cannot connect", 14) != 0;
        if (speaks || !spoke)
            snprintf(text, text_size, "%s", why);
        spoke = spoke || speaks;
        if (greeted == MIGRATE_GREETING_NEVER || migrate_clock_ns() > until || is_closing(link))
            return false;
        const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000};
        nanosleep(&nap, NULL);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void set_timeout(int fd, uint64_t ns) {
    struct timeval timeout = {.tv_sec = (time_t)(ns / 1000000000),
                              .tv_usec = (int32_t)(ns % 1000000000 / 1000)};
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

/*
 * While a source is in, another is told so. But if the source itself lost the connection, or was made
 * to, and calls again about the same session, its new connection takes the place of this one. True: so.
 */
static bool replaced(struct socket_link *link) {
    struct migrate_greeting in;
    uint64_t now = migrate_clock_ns();
    if (!link->listens || now < link->looked_at + SERVE_NS)
        return false;
    link->looked_at = now;
    bool came = migrate_door_wait(&link->door, 0, &in);
    tell_refused(link);
    if (!came)
        return false;
    if (in.hello.stance != MIGRATE_NEW && in.hello.session == link->hello.session) {
        link->next = in;
        return link->has_next = true;
    }
    migrate_greeting_refuse(&in, "another source is connected");
    migrate_greeting_close(&in);
    return false;
}

/* How long the other side may be silent, and when the frame that it began has to be whole. */
struct patience {
    uint64_t heard, until;
};

/* Why the connection ends without a word of the other side; NULL: it does not. */
static const char *impatient(struct socket_link *link, const struct patience *patience,
                             uint64_t now) {
    static const char silent[] = "nothing was heard from the other side for the time of --timeout";
    if (replaced(link))
        return "the source connected anew";
    if (now > patience->until)
        return "the other side sends a message too slowly";
    return now > patience->heard + link->options.timeout_ns ? silent : NULL;
}

/* Waits until there is something to read; false: the connection ended, `text` says why. */
static bool await_bytes(struct socket_link *link, const struct patience *patience, char *text,
                        size_t text_size) {
    for (;;) {
        uint64_t now = migrate_clock_ns();
        const char *why = impatient(link, patience, now);
        if (is_closing(link) || parted_long_ago(link, now))
            why = "closed";
        if (why) {
            snprintf(text, text_size, "%s", why);
            return false;
        }
        struct pollfd poll_fd = {.fd = link->stream.fd, .events = POLLIN};
        if (migrate_stream_pending(&link->stream) || poll(&poll_fd, 1, LOOK_MS) > 0)
            return true;
    }
}

/* One piece from the connection into the reader; false: the connection ended. */
static bool read_piece(struct socket_link *link, struct migrate_reader *reader, char *text,
                       size_t text_size) {
    struct migrate_message message;
    uint8_t *where = NULL;
    size_t want = migrate_reader_want(reader, &where);
    ssize_t got = migrate_stream_read(&link->stream, where, want);
    if (got < 0 && errno == EAGAIN)
        return true;
    if (got <= 0) {
        snprintf(text, text_size, "the other side closed the link%s%s%s",
                 migrate_reader_between(reader) ? "" : " in the middle of a frame",
                 got < 0 ? ": " : "", got < 0 ? migrate_stream_why(&link->stream) : "");
        return false;
    }
    switch (migrate_reader_got(reader, (size_t)got, &message, text, text_size)) {
    case MIGRATE_READ_MORE:
        return true;
    case MIGRATE_READ_BAD:
        return false;
    case MIGRATE_READ_MESSAGE:
        break;
    }
    if (message.type == MIGRATE_PING || is_parting(link)) {
        migrate_message_drop(&message);
        return true;
    }
    if (!migrate_queue_put(&link->in, MIGRATE_MESSAGE, &message, NULL)) {
        snprintf(text, text_size, "%s", lost);
        return false;
    }
    return true;
}

/* Only bytes of a frame count: a piece of one of TLS's records is none yet. */
static void read_all(struct socket_link *link, struct migrate_reader *reader, char *text,
                     size_t text_size) {
    struct patience patience = {migrate_clock_ns(), UINT64_MAX};
    uint64_t begun = 0;
    bool alive = true;
    while (alive) {
        uint64_t before = migrate_clock_ns();
        (void)migrate_queue_room(&link->in, true);
        uint64_t waited = migrate_clock_ns() - before; /* this side took no bytes */
        patience.heard += waited;
        begun += waited;
        patience.until = migrate_reader_between(reader)
                             ? UINT64_MAX
                             : begun + link->options.timeout_ns +
                                   reader->length * UINT64_C(1000000000) / LEAST_BYTES_PER_S;
        size_t have = reader->have;
        uint32_t number = reader->number;
        alive = await_bytes(link, &patience, text, text_size) &&
                read_piece(link, reader, text, text_size);
        if (reader->have == have && reader->number == number)
            continue;
        patience.heard = migrate_clock_ns();
        begun = have == 0 || reader->number != number ? patience.heard : begun;
    }
    migrate_reader_reset(reader);
}

/* ---- The life of a connection ---------------------------------------------------------------- */

/* The state machine learns of it, and a target of the HELLO that has come already. False: there is no
 * memory for that. */
static bool connected(struct socket_link *link, struct migrate_greeting *greeting) {
    set_timeout(greeting->stream.fd, link->options.timeout_ns);
    pthread_mutex_lock(&link->lock);
    migrate_queue_clear(&link->out);
    link->stream = greeting->stream;
    link->bond = greeting->bond;
    link->number = greeting->number;
    link->hello = greeting->hello;
    link->up = true;
    link->parting = link->parted_now = link->lost = false;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    greeting->reader.most = 0;
    (void)migrate_queue_put(&link->in, MIGRATE_UP, NULL, NULL);
    return !link->listens || migrate_queue_put(&link->in, MIGRATE_MESSAGE, &greeting->hello, NULL);
}

static void disconnected(struct socket_link *link, char *text, size_t text_size) {
    pthread_mutex_lock(&link->lock);
    link->up = link->want = false;
    if (link->parting)
        snprintf(text, text_size, "%s", link->why);
    else if (link->lost)
        snprintf(text, text_size, "out of memory for a message");
    shutdown(link->stream.fd, SHUT_RDWR);
    while (link->writing)
        pthread_cond_wait(&link->changed, &link->lock);
    migrate_stream_close(&link->stream);
    migrate_queue_clear(&link->out);
    /* The writer may still hold a message of this connection, which must not go into the next. */
    while (!migrate_queue_empty(&link->out))
        pthread_cond_wait(&link->changed, &link->lock);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    (void)migrate_queue_put(&link->in, MIGRATE_DOWN, NULL, text);
}

static bool await_want(struct socket_link *link) {
    pthread_mutex_lock(&link->lock);
    while (!link->want && !link->closing)
        pthread_cond_wait(&link->changed, &link->lock);
    bool closing = link->closing;
    pthread_mutex_unlock(&link->lock);
    return !closing;
}

static void *live(void *ctx) {
    struct socket_link *link = ctx;
    while (await_want(link)) {
        struct migrate_greeting greeting;
        char text[256] = "";
        if (link->listens ? accept_one(link, &greeting, text, sizeof(text))
                          : connect_one(link, &greeting, text, sizeof(text))) {
            if (connected(link, &greeting))
                read_all(link, &greeting.reader, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "%s", lost);
            disconnected(link, text, sizeof(text));
            continue;
        }
        pthread_mutex_lock(&link->lock);
        link->want = false;
        pthread_mutex_unlock(&link->lock);
        (void)migrate_queue_put(&link->in, MIGRATE_DOWN, NULL, text);
    }
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void sleep_until(uint64_t at) {
    const struct timespec until = {.tv_sec = (time_t)(at / 1000000000),
                                   .tv_nsec = (int32_t)(at % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static bool write_bytes(struct socket_link *link, const uint8_t *bytes, size_t size) {
    size_t most = link->pacer.bits_per_s != 0 ? MIGRATE_PACE_PIECE : size;
    while (size != 0) {
        size_t piece = size < most ? size : most;
        if (!migrate_stream_write(&link->stream, bytes, piece))
            return false;
        bytes += piece;
        size -= piece;
        uint64_t now = migrate_clock_ns(), next = migrate_pace(&link->pacer, now, piece);
        if (next > now)
            sleep_until(next);
    }
    return true;
}

/* Reserves the connection for the writer, until given back; false: there is none. */
static bool borrow(struct socket_link *link, size_t waiting, uint32_t *number, uint64_t *bond) {
    pthread_mutex_lock(&link->lock);
    bool up = link->up;
    link->writing = up;
    *number = link->number;
    *bond = link->bond;
    link->number += up ? 1 : 0;
    link->traffic.waiting = up ? waiting : 0;
    pthread_mutex_unlock(&link->lock);
    return up;
}

static void give_back(struct socket_link *link, bool ok, size_t bytes, uint64_t ns) {
    pthread_mutex_lock(&link->lock);
    link->writing = false;
    link->traffic.waiting = 0;
    link->traffic.bytes += bytes;
    link->traffic.busy_ns += ns;
    if (!ok)
        shutdown(link->stream.fd, SHUT_RDWR); /* the reader notices and reports it */
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

/* A message is lost, and with it the stream: the reader notices, and says so. */
static void lose_locked(struct socket_link *link) {
    link->lost = true;
    shutdown(link->stream.fd, SHUT_RDWR);
}

static void lose(struct socket_link *link) {
    pthread_mutex_lock(&link->lock);
    lose_locked(link);
    pthread_mutex_unlock(&link->lock);
}

static void write_message(struct socket_link *link, struct migrate_message *message) {
    uint32_t number = 0;
    uint64_t bond = 0;
    size_t size = 0;
    if (!borrow(link, migrate_message_bytes(message), &number, &bond))
        return;
    uint64_t before = migrate_clock_ns();
    uint8_t *frame = migrate_frame_encode(message, number, bond, &size);
    bool ok = frame && write_bytes(link, frame, size);
    if (!frame)
        lose(link);
    free(frame);
    give_back(link, ok, ok ? size : 0,
              message->type == MIGRATE_PAGES ? migrate_clock_ns() - before : 0);
}

/* The message taken from the queue is written, or belongs to an ended connection. */
static void let_go(struct socket_link *link, struct migrate_item *item) {
    migrate_message_drop(&item->message);
    migrate_item_free(&link->out, item);
    pthread_mutex_lock(&link->lock);
    migrate_queue_done(&link->out);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

/* All is written: shut down, so that the peer sees the end. */
static void part(struct socket_link *link) {
    pthread_mutex_lock(&link->lock);
    if (link->parting && !link->parted_now && link->up && migrate_queue_empty(&link->out)) {
        migrate_stream_end(&link->stream);
        link->parted_now = true;
        link->parted_at = migrate_clock_ns();
    }
    pthread_mutex_unlock(&link->lock);
}

static void *write_all(void *ctx) {
    struct socket_link *link = ctx;
    uint64_t pinged = migrate_clock_ns();
    while (!is_closing(link) || !migrate_queue_empty(&link->out)) {
        struct migrate_item *item = migrate_queue_take(&link->out, LOOK_MS * MS);
        if (item) {
            write_message(link, &item->message);
            let_go(link, item);
            pinged = migrate_clock_ns();
        } else if (migrate_clock_ns() > pinged + PING_NS && !is_parting(link)) {
            struct migrate_message ping = {.type = MIGRATE_PING};
            write_message(link, &ping);
            pinged = migrate_clock_ns();
        }
        part(link);
    }
    return NULL;
}

/* ---- The link's own face --------------------------------------------------------------------- */

static void socket_send(void *ctx, struct migrate_message *message) {
    struct socket_link *link = ctx;
    pthread_mutex_lock(&link->lock);
    bool up = link->up && !link->parting;
    if (up && !migrate_queue_put(&link->out, MIGRATE_MESSAGE, message, NULL))
        lose_locked(link);
    pthread_mutex_unlock(&link->lock);
    if (!up)
        migrate_message_drop(message);
}

static bool socket_room(void *ctx) {
    struct socket_link *link = ctx;
    return migrate_queue_room(&link->out, false);
}

static enum migrate_news socket_receive(void *ctx, struct migrate_message *out, char *text,
                                        size_t text_size) {
    struct socket_link *link = ctx;
    struct migrate_item *item = migrate_queue_take(&link->in, 0);
    while (item && item->news == MIGRATE_MESSAGE && is_parting(link)) {
        migrate_message_drop(&item->message);
        migrate_item_free(&link->in, item);
        item = migrate_queue_take(&link->in, 0);
    }
    if (!item)
        return MIGRATE_NO_NEWS;
    enum migrate_news news = item->news;
    *out = item->message;
    snprintf(text, text_size, "%s", item->text);
    migrate_item_free(&link->in, item);
    return news;
}

static void socket_reopen(void *ctx, const struct migrate_message *hello) {
    struct socket_link *link = ctx;
    pthread_mutex_lock(&link->lock);
    if (hello)
        link->hello = *hello;
    link->want = true;
    link->parting = link->parted_now = false;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

static void socket_hang_up(void *ctx, const char *why) {
    struct socket_link *link = ctx;
    pthread_mutex_lock(&link->lock);
    link->parting = true;
    link->parted_at = migrate_clock_ns();
    snprintf(link->why, sizeof(link->why), "%s", why);
    pthread_mutex_unlock(&link->lock);
}

static void socket_traffic(void *ctx, struct migrate_traffic *out) {
    struct socket_link *link = ctx;
    pthread_mutex_lock(&link->lock);
    *out = link->traffic;
    out->waiting += migrate_queue_bytes(&link->out);
    pthread_mutex_unlock(&link->lock);
}

static void socket_wait(void *ctx, uint64_t ns) {
    struct socket_link *link = ctx;
    migrate_queue_wait(&link->in, ns);
}

/* ---- Open and close -------------------------------------------------------------------------- */

static void dispose(struct socket_link *link) {
    if (link->has_next)
        migrate_greeting_close(&link->next);
    if (link->listens)
        migrate_door_close(&link->door);
    migrate_queue_destroy(&link->in);
    migrate_queue_destroy(&link->out);
    pthread_cond_destroy(&link->changed);
    pthread_mutex_destroy(&link->lock);
    free(link);
}

static void flush(struct socket_link *link) {
    uint64_t until = migrate_clock_ns() + FLUSH_NS;
    bool left = true;
    while (left && migrate_clock_ns() < until) {
        pthread_mutex_lock(&link->lock);
        left = link->up && (link->writing || !migrate_queue_empty(&link->out));
        pthread_mutex_unlock(&link->lock);
        if (left)
            sleep_until(migrate_clock_ns() + MS);
    }
}

static void socket_close(void *ctx) {
    struct socket_link *link = ctx;
    flush(link);
    pthread_mutex_lock(&link->lock);
    link->closing = true;
    if (link->stream.fd >= 0)
        shutdown(link->stream.fd, SHUT_WR);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    migrate_queue_close(&link->in);
    migrate_queue_close(&link->out);
    pthread_join(link->writer, NULL);
    pthread_join(link->life, NULL);
    dispose(link);
}

static bool socket_start(struct socket_link *link) {
    if (pthread_create(&link->life, NULL, live, link) != 0)
        return false;
    if (pthread_create(&link->writer, NULL, write_all, link) == 0)
        return true;
    pthread_mutex_lock(&link->lock);
    link->closing = true;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    pthread_join(link->life, NULL);
    return false;
}

/* NULL: out of memory. */
static struct socket_link *socket_make(const struct migrate_address *address, bool listens,
                                       const struct migrate_channel_options *options) {
    struct socket_link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    link->address = *address;
    link->options = *options;
    link->pacer.bits_per_s = options->bits_per_s;
    link->listens = link->want = listens;
    link->stream.fd = link->door.listener.fd = -1;
    link->door.key = options->key;
    link->door.greeting_ns = options->timeout_ns;
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->changed, NULL);
    migrate_queue_init(&link->in, IN_BYTES);
    migrate_queue_init(&link->out, OUT_BYTES);
    return link;
}

bool migrate_socket_open(struct migrate_channel *channel, const struct migrate_address *address,
                         bool listens, const struct migrate_channel_options *options, char *text,
                         size_t text_size) {
    struct socket_link *link = socket_make(address, listens, options);
    snprintf(text, text_size, "out of memory for the link");
    if (!link)
        return false;
    if ((listens && !migrate_address_listen(address, &link->door.listener, text, text_size)) ||
        (!listens && migrate_address_open_to_all(address, text, text_size)) ||
        !socket_start(link)) {
        dispose(link);
        return false;
    }
    *channel = (struct migrate_channel){.link = {.ctx = link,
                                                 .send = socket_send,
                                                 .room = socket_room,
                                                 .receive = socket_receive,
                                                 .reopen = socket_reopen,
                                                 .hang_up = socket_hang_up,
                                                 .traffic = socket_traffic},
                                        .wait = socket_wait,
                                        .close = socket_close};
    return true;
}
