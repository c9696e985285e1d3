/*
 * stream.c - plain sockets, and GnuTLS over them: the only file that uses it.
 */
#include "stream.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "io.h"

/* The key authenticates both sides; the key exchange of each connection keeps recordings secret
 * from somebody who learns the key later. */
#define PRIORITY "SECURE128:-VERS-ALL:+VERS-TLS1.3:-KX-ALL:+ECDHE-PSK"
#define IDENTITY "vidmm"

/* ---- The library ----------------------------------------------------------------------------- */

/* Loaded for the first link with a key: it brings ten others with it, and most runs of the command have none. */
#define LIBRARY "libgnutls.so.30"
#define FUNCTIONS(ROW)                                                                             \
    ROW(alert_get)                                                                                 \
    ROW(alert_get_name)                                                                            \
    ROW(alert_send_appropriate)                                                                    \
    ROW(bye)                                                                                       \
    ROW(credentials_set)                                                                           \
    ROW(deinit)                                                                                    \
    ROW(error_is_fatal)                                                                            \
    ROW(handshake)                                                                                 \
    ROW(init)                                                                                      \
    ROW(priority_set_direct)                                                                       \
    ROW(psk_allocate_client_credentials)                                                           \
    ROW(psk_allocate_server_credentials)                                                           \
    ROW(psk_free_client_credentials)                                                               \
    ROW(psk_free_server_credentials)                                                               \
    ROW(psk_set_client_credentials)                                                                \
    ROW(psk_set_server_credentials_function)                                                       \
    ROW(record_check_pending)                                                                      \
    ROW(record_recv)                                                                               \
    ROW(record_send)                                                                               \
    ROW(session_get_ptr)                                                                           \
    ROW(session_set_ptr)                                                                           \
    ROW(strerror)                                                                                  \
    ROW(transport_set_int2)                                                                        \
    ROW(transport_set_pull_function)                                                               \
    ROW(transport_set_push_function)                                                               \
    ROW(malloc) /* a variable */

static struct {
#define MEMBER(name) __typeof__(gnutls_##name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} gnutls;

static bool loaded;

static void stream_load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define LOAD(name) &&(gnutls.name = (__typeof__(gnutls.name))dlsym(library, "gnutls_" #name))
    loaded = library FUNCTIONS(LOAD);
#undef LOAD
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, stream_load) == 0 && loaded;
}

struct migrate_tls {
    gnutls_session_t session;
    gnutls_psk_server_credentials_t server; /* one of the two */
    gnutls_psk_client_credentials_t client;
    struct vidmm_migrate_key key;
};

/* ---- The socket below ------------------------------------------------------------------------ */

static int fd_of(gnutls_transport_ptr_t transport) {
    return (int)(intptr_t)transport;
}

static ssize_t pull(gnutls_transport_ptr_t transport, void *bytes, size_t size) {
    return recv(fd_of(transport), bytes, size, MSG_DONTWAIT);
}

/* A closed peer causes an error, no signal. */
static ssize_t send_quietly(int fd, const void *bytes, size_t size) {
    return send(fd, bytes, size, MSG_NOSIGNAL);
}

static ssize_t push(gnutls_transport_ptr_t transport, const void *bytes, size_t size) {
    return send_quietly(fd_of(transport), bytes, size);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int tell_key(gnutls_session_t session, const char *identity, gnutls_datum_t *out) {
    const struct migrate_tls *tls = gnutls.session_get_ptr(session);
    if (strcmp(identity, IDENTITY) != 0)
        return -1;
    out->data = (*gnutls.malloc)(tls->key.size);
    if (!out->data)
        return -1;
    memcpy(out->data, tls->key.bytes, tls->key.size);
    out->size = (unsigned)tls->key.size;
    return 0;
}

static int listen_with_key(struct migrate_tls *tls) {
    int error = gnutls.psk_allocate_server_credentials(&tls->server);
    if (error != 0)
        return error;
    gnutls.psk_set_server_credentials_function(tls->server, tell_key);
    return gnutls.credentials_set(tls->session, GNUTLS_CRD_PSK, tls->server);
}

static int call_with_key(struct migrate_tls *tls) {
    const gnutls_datum_t datum = {tls->key.bytes, (unsigned)tls->key.size};
    int error = gnutls.psk_allocate_client_credentials(&tls->client);
    if (error == 0)
        error =
            gnutls.psk_set_client_credentials(tls->client, IDENTITY, &datum, GNUTLS_PSK_KEY_RAW);
    return error != 0 ? error : gnutls.credentials_set(tls->session, GNUTLS_CRD_PSK, tls->client);
}

static int open_tls(struct migrate_tls *tls, int fd, bool listens) {
    unsigned flags = (listens ? GNUTLS_SERVER : GNUTLS_CLIENT) | GNUTLS_NO_TICKETS;
    int error = gnutls.init(&tls->session, flags);
    if (error != 0)
        return error;
    error = gnutls.priority_set_direct(tls->session, PRIORITY, NULL);
    if (error != 0)
        return error;
    gnutls.session_set_ptr(tls->session, tls);
    gnutls.transport_set_int2(tls->session, fd, fd);
    gnutls.transport_set_pull_function(tls->session, pull);
    gnutls.transport_set_push_function(tls->session, push);
    return listens ? listen_with_key(tls) : call_with_key(tls);
}

static void close_tls(struct migrate_tls *tls) {
    if (tls->session)
        gnutls.deinit(tls->session);
    if (tls->server)
        gnutls.psk_free_server_credentials(tls->server);
    if (tls->client)
        gnutls.psk_free_client_credentials(tls->client);
    explicit_bzero(tls, sizeof(*tls));
    free(tls);
}

bool migrate_stream_open(struct migrate_stream *stream, int fd, const struct vidmm_migrate_key *key,
                         bool listens, char *text, size_t text_size) {
    *stream = (struct migrate_stream){.fd = fd};
    if (!key)
        return true;
    if (!is_loaded()) {
        snprintf(text, text_size, "TLS cannot begin without " LIBRARY);
        migrate_stream_close(stream);
        return false;
    }
    stream->tls = calloc(1, sizeof(*stream->tls));
    int error = GNUTLS_E_MEMORY_ERROR;
    if (stream->tls) {
        stream->tls->key = *key;
        error = open_tls(stream->tls, fd, listens);
    }
    if (error == 0)
        return true;
    snprintf(text, text_size, "TLS cannot begin: %s", gnutls.strerror(error));
    migrate_stream_close(stream);
    return false;
}

void migrate_stream_close(struct migrate_stream *stream) {
    if (stream->tls)
        close_tls(stream->tls);
    if (stream->fd >= 0)
        close(stream->fd);
    *stream = (struct migrate_stream){.fd = -1};
}

/* ---- The handshake --------------------------------------------------------------------------- */

enum migrate_shake migrate_stream_shake(struct migrate_stream *stream, char *text,
                                        size_t text_size) {
    if (!stream->tls || stream->writes_in_tls)
        return MIGRATE_SHAKEN;
    gnutls_session_t session = stream->tls->session;
    int error;
    do
        error = gnutls.handshake(session);
    while (error == GNUTLS_E_INTERRUPTED);
    stream->writes_in_tls = error == 0;
    if (error == 0)
        return MIGRATE_SHAKEN;
    if (error == GNUTLS_E_AGAIN || !gnutls.error_is_fatal(error))
        return MIGRATE_SHAKE_MORE;
    (void)gnutls.alert_send_appropriate(session, error);
    if (error == GNUTLS_E_FATAL_ALERT_RECEIVED) {
        snprintf(text, text_size, "the other side has another key (TLS: %s)",
                 gnutls.alert_get_name(gnutls.alert_get(session)));
        return MIGRATE_SHAKE_REFUSED;
    }
    snprintf(text, text_size, "the other side has another key or none (TLS: %s)",
             gnutls.strerror(error));
    return MIGRATE_SHAKE_BROKE;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

ssize_t migrate_stream_read(struct migrate_stream *stream, uint8_t *bytes, size_t size) {
    ssize_t got;
    if (!stream->tls) {
        got = recv(stream->fd, bytes, size, MSG_DONTWAIT);
        stream->failure = got < 0 ? errno : 0;
        if (got < 0 && (errno == EINTR || errno == EWOULDBLOCK))
            errno = EAGAIN;
        return got;
    }
    got = gnutls.record_recv(stream->tls->session, bytes, size);
    if (got >= 0)
        return got;
    stream->failure = (int)got;
    errno = gnutls.error_is_fatal((int)got) ? EPROTO : EAGAIN;
    return -1;
}

const char *migrate_stream_why(const struct migrate_stream *stream) {
    return stream->tls ? gnutls.strerror(stream->failure) : strerror(stream->failure);
}

bool migrate_stream_pending(const struct migrate_stream *stream) {
    return stream->tls && gnutls.record_check_pending(stream->tls->session) != 0;
}

bool migrate_stream_write(struct migrate_stream *stream, const uint8_t *bytes, size_t size) {
    if (!stream->tls)
        return migrate_write_all(send_quietly, stream->fd, bytes, size);
    while (size != 0) {
        ssize_t sent = gnutls.record_send(stream->tls->session, bytes, size);
        if (sent == GNUTLS_E_INTERRUPTED)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

void migrate_stream_end(struct migrate_stream *stream) {
    if (stream->tls && stream->writes_in_tls)
        (void)gnutls.bye(stream->tls->session, GNUTLS_SHUT_WR);
    (void)shutdown(stream->fd, SHUT_WR);
}
