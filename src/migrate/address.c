/*
 * address.c - addresses and their sockets.
 *
 * The name of a Unix socket changes hands under a lock of its directory, which ends with the process
 * that holds it: of two that find a dead socket, only one replaces it.
 */
#include "address.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_S 3
#define BACKLOG   64
#define UNPROTECTED                                                                                \
    "this is not a loopback address, and there is no key: take --key FILE, or --plain to go "      \
    "without protection"
#define LOCKS 100 /* tries, ten milliseconds apart */

static bool address_keep(char *to, size_t room, const char *from, size_t length) {
    if (length == 0 || length >= room)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* The resolver would cut a number to 16 bits. Names of services are its affair. */
static bool is_port(const char *word) {
    bool number = word[strspn(word, "0123456789")] == '\0';
    return !number || (*word != '\0' && strtoull(word, NULL, 10) <= UINT16_MAX);
}

static bool parse_tcp(const char *words, struct migrate_address *out) {
    const char *colon = strrchr(words, ':');
    if (!colon || !is_port(colon + 1) ||
        !address_keep(out->port, sizeof(out->port), colon + 1, strlen(colon + 1)))
        return false;
    size_t length = (size_t)(colon - words);
    if (length > 2 && words[0] == '[' && words[length - 1] == ']')
        return address_keep(out->path, sizeof(out->path), words + 1, length - 2);
    return address_keep(out->path, sizeof(out->path), words, length);
}

bool migrate_address_parse(const char *words, struct migrate_address *out, char *text,
                           size_t text_size) {
    const size_t socket_room = sizeof((struct sockaddr_un *)0)->sun_path;
    memset(out, 0, sizeof(*out));
    snprintf(out->text, sizeof(out->text), "%s", words);
    bool good = false;
    if (strncmp(words, "tcp:", 4) == 0) {
        out->kind = MIGRATE_TCP;
        good = parse_tcp(words + 4, out);
    } else if (strncmp(words, "unix:", 5) == 0) {
        out->kind = MIGRATE_UNIX;
        good = address_keep(out->path, socket_room, words + 5, strlen(words + 5));
    } else if (strncmp(words, "file:", 5) == 0) {
        out->kind = MIGRATE_FILE;
        good = address_keep(out->path, sizeof(out->path) - 8, words + 5, strlen(words + 5));
    }
    if (!good && out->kind == MIGRATE_UNIX && strlen(words) >= 5 + socket_room)
        snprintf(text, text_size, "the path of '%.200s' is longer than the %zu bytes of a socket's",
                 words, socket_room - 1);
    else if (!good)
        snprintf(text, text_size, "'%.200s' is none of tcp:HOST:PORT, unix:PATH and file:PATH",
                 words);
    return good;
}

static void limit_connect(int fd) {
    const struct timeval timeout = {.tv_sec = CONNECT_S};
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

/* Closes `fd`, if there is one; errno stays what it is. */
static int address_failed(int fd) {
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* ---- Unix sockets ---------------------------------------------------------------------------- */

static void fill_unix(const struct migrate_address *address, struct sockaddr_un *name) {
    memset(name, 0, sizeof(*name));
    name->sun_family = AF_UNIX;
    memcpy(name->sun_path, address->path, strlen(address->path));
}

static int connect_unix(const struct migrate_address *address, int flags) {
    struct sockaddr_un name;
    fill_unix(address, &name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd >= 0)
        limit_connect(fd);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
        return fd;
    return address_failed(fd);
}

/* The directory of the socket, locked; -1: errno says why not. */
static int lock_directory(const struct migrate_address *address) {
    char path[sizeof(address->path)];
    memcpy(path, address->path, sizeof(path));
    int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; fd >= 0 && i < LOCKS; i++) {
        const struct timespec nap = {.tv_nsec = 10000000};
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        nanosleep(&nap, NULL);
    }
    return address_failed(fd);
}

/* Only this user's socket on which nobody listens; the directory is locked. */
static void remove_dead(const struct migrate_address *address) {
    struct stat of;
    if (lstat(address->path, &of) != 0 || !S_ISSOCK(of.st_mode) || of.st_uid != geteuid())
        return;
    int other = connect_unix(address, SOCK_NONBLOCK);
    if (other >= 0)
        close(other);
    else if (errno == ECONNREFUSED)
        (void)unlink(address->path);
}

static bool bind_unix(struct migrate_listener *out) {
    struct sockaddr_un name;
    struct stat of;
    fill_unix(&out->address, &name);
    out->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (out->fd < 0 || bind(out->fd, (struct sockaddr *)&name, sizeof(name)) != 0) {
        out->fd = address_failed(out->fd);
        return false;
    }
    /* Before anybody can connect: it is this user's alone. */
    if (chmod(out->address.path, S_IRUSR | S_IWUSR) == 0 && lstat(out->address.path, &of) == 0 &&
        listen(out->fd, BACKLOG) == 0) {
        out->device = of.st_dev;
        out->file = of.st_ino;
        return true;
    }
    out->fd = address_failed(out->fd);
    return false;
}

static bool listen_unix(struct migrate_listener *out) {
    int directory = lock_directory(&out->address);
    if (directory < 0)
        return false;
    remove_dead(&out->address);
    bool ok = bind_unix(out);
    (void)address_failed(directory);
    return ok;
}

void migrate_address_sweep(const struct migrate_address *address) {
    int directory = lock_directory(address);
    if (directory < 0)
        return;
    remove_dead(address);
    close(directory);
}

static void remove_own(const struct migrate_listener *listener) {
    struct stat of;
    int directory = lock_directory(&listener->address);
    if (directory < 0)
        return;
    if (lstat(listener->address.path, &of) == 0 && of.st_dev == listener->device &&
        of.st_ino == listener->file)
        (void)unlink(listener->address.path);
    close(directory);
}

/* ---- TCP ------------------------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *name) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    if (name->sa_family == AF_INET) {
        memcpy(&v4, name, sizeof(v4));
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    if (name->sa_family != AF_INET6)
        return false;
    memcpy(&v6, name, sizeof(v6));
    const uint8_t *bytes = v6.sin6_addr.s6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && bytes[12] == 127);
}

static bool prepare_tcp(int fd, const struct addrinfo *one, bool listening) {
    int yes = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (!listening) {
        limit_connect(fd);
        return connect(fd, one->ai_addr, one->ai_addrlen) == 0;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    return bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
}

/* The first address of the list that works. */
static int try_all(const struct migrate_address *address, const struct addrinfo *list,
                   bool listening, const char **why) {
    *why = UNPROTECTED;
    for (const struct addrinfo *one = list; one; one = one->ai_next) {
        if (!address->anywhere && !is_loopback(one->ai_addr))
            continue;
        int fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        if (fd >= 0 && prepare_tcp(fd, one, listening))
            return fd;
        *why = strerror(errno == EINPROGRESS ? ETIMEDOUT : errno);
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

bool migrate_address_open_to_all(const struct migrate_address *address, char *text,
                                 size_t text_size) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
    struct addrinfo *list = NULL;
    if (address->kind != MIGRATE_TCP || address->anywhere ||
        getaddrinfo(address->path, NULL, &hints, &list) != 0)
        return false;
    bool open = !is_loopback(list->ai_addr);
    freeaddrinfo(list);
    if (open)
        snprintf(text, text_size, "cannot connect to %s: " UNPROTECTED, address->text);
    return open;
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
    int fd = try_all(address, list, listening, why);
    freeaddrinfo(list);
    return fd;
}

/* ---- Both ------------------------------------------------------------------------------------ */

bool migrate_address_listen(const struct migrate_address *address, struct migrate_listener *out,
                            char *text, size_t text_size) {
    const char *why = NULL;
    *out = (struct migrate_listener){.fd = -1, .address = *address};
    if (address->kind == MIGRATE_UNIX)
        (void)listen_unix(out);
    else
        out->fd = open_tcp(address, true, &why);
    if (out->fd < 0)
        snprintf(text, text_size, "cannot listen on %s: %s", address->text,
                 why ? why : strerror(errno));
    return out->fd >= 0;
}

void migrate_address_unlisten(struct migrate_listener *listener) {
    if (listener->fd < 0)
        return;
    if (listener->address.kind == MIGRATE_UNIX)
        remove_own(listener);
    close(listener->fd);
    listener->fd = -1;
}

int migrate_address_connect(const struct migrate_address *address, char *text, size_t text_size) {
    const char *why = NULL;
    int fd =
        address->kind == MIGRATE_UNIX ? connect_unix(address, 0) : open_tcp(address, false, &why);
    if (fd < 0)
        snprintf(text, text_size, "cannot connect to %s: %s", address->text,
                 why ? why : strerror(errno));
    return fd;
}
