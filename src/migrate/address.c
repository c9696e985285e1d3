/*
 * address.c - addresses and their sockets.
 */
#include "address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool address_keep(char *to, size_t room, const char *from, size_t length) {
    if (length == 0 || length >= room)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool parse_tcp(const char *words, struct migrate_address *out) {
    const char *colon = strrchr(words, ':');
    if (!colon || !address_keep(out->port, sizeof(out->port), colon + 1, strlen(colon + 1)))
        return false;
    size_t length = (size_t)(colon - words);
    if (length > 2 && words[0] == '[' && words[length - 1] == ']')
        return address_keep(out->path, sizeof(out->path), words + 1, length - 2);
    return address_keep(out->path, sizeof(out->path), words, length);
}

bool migrate_address_parse(const char *words, struct migrate_address *out, char *text,
                           size_t text_size) {
    memset(out, 0, sizeof(*out));
    snprintf(out->text, sizeof(out->text), "%s", words);
    bool good = false;
    if (strncmp(words, "tcp:", 4) == 0) {
        out->kind = MIGRATE_TCP;
        good = parse_tcp(words + 4, out);
    } else if (strncmp(words, "unix:", 5) == 0) {
        out->kind = MIGRATE_UNIX;
        good = address_keep(out->path, sizeof((struct sockaddr_un *)0)->sun_path, words + 5,
                            strlen(words + 5));
    } else if (strncmp(words, "file:", 5) == 0) {
        out->kind = MIGRATE_FILE;
        good = address_keep(out->path, sizeof(out->path) - 8, words + 5, strlen(words + 5));
    }
    if (!good)
        snprintf(text, text_size, "'%.200s' is none of tcp:HOST:PORT, unix:PATH and file:PATH",
                 words);
    return good;
}

static void fill_unix(const struct migrate_address *address, struct sockaddr_un *name) {
    memset(name, 0, sizeof(*name));
    name->sun_family = AF_UNIX;
    memcpy(name->sun_path, address->path, strlen(address->path));
}

/* Closes `fd`, if there is one; errno stays what it is. */
static int address_failed(int fd) {
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

static int connect_unix(const struct migrate_address *address) {
    struct sockaddr_un name;
    fill_unix(address, &name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
        return fd;
    return address_failed(fd);
}

static int listen_unix(const struct migrate_address *address) {
    struct sockaddr_un name;
    fill_unix(address, &name);
    int other = connect_unix(address);
    if (other >= 0) {
        close(other);
        errno = EADDRINUSE;
        return -1;
    }
    if (errno == ECONNREFUSED)
        unlink(address->path); /* left behind by a process that was killed */
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(fd, 4) == 0)
        return fd;
    return address_failed(fd);
}

static bool prepare_tcp(int fd, const struct addrinfo *one, bool listening) {
    int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (!listening)
        return connect(fd, one->ai_addr, one->ai_addrlen) == 0;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    return bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, 4) == 0;
}

static int open_tcp(const struct migrate_address *address, bool listening, const char **why) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = listening ? AI_PASSIVE : 0};
    struct addrinfo *list = NULL;
    int answer = getaddrinfo(address->path, address->port, &hints, &list);
    if (answer != 0) {
        *why = gai_strerror(answer);
        return -1;
    }
    int fd = -1, error = EADDRNOTAVAIL;
    for (const struct addrinfo *one = list; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        if (fd < 0 || prepare_tcp(fd, one, listening))
            continue;
        error = errno;
        close(fd);
        fd = -1;
    }
    freeaddrinfo(list);
    *why = strerror(error);
    return fd;
}

static int address_open(const struct migrate_address *address, bool listening, char *text,
                        size_t text_size) {
    const char *why = NULL;
    int fd;
    if (address->kind != MIGRATE_UNIX)
        fd = open_tcp(address, listening, &why);
    else
        fd = listening ? listen_unix(address) : connect_unix(address);
    if (fd < 0)
        snprintf(text, text_size, "cannot %s %s: %s", listening ? "listen on" : "connect to",
                 address->text, why ? why : strerror(errno));
    return fd;
}

int migrate_address_listen(const struct migrate_address *address, char *text, size_t text_size) {
    return address_open(address, true, text, text_size);
}

int migrate_address_connect(const struct migrate_address *address, char *text, size_t text_size) {
    return address_open(address, false, text, text_size);
}
