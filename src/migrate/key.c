/*
 * key.c - reads the key of a migration: hexadecimal digits in a file that only its owner may read,
 * or from a descriptor. It never stands on the command line, which other users can read.
 */
#include <vidmm/migrate.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST   16u /* bytes */
#define MOST    512u
#define WAIT_MS 5000

/* false: somebody else may read or write what is in the file. */
static bool private(const struct stat *of) {
    bool owned = of->st_uid == geteuid() || of->st_uid == 0;
    return !S_ISREG(of->st_mode) || (owned && (of->st_mode & (S_IRWXG | S_IRWXO)) == 0);
}

/* Everything up to its end, or to `most`; -1: errno says why not. */
static ssize_t read_text(int fd, char *text, size_t most) {
    size_t have = 0;
    while (have < most) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, WAIT_MS) == 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        ssize_t got = read(fd, text + have, most - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

static unsigned digit(char c) {
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

/* Digits, which line ends may follow. */
static bool take_digits(const char *text, size_t size, struct vidmm_migrate_key *key) {
    while (size != 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    key->size = size / 2;
    if (size % 2 != 0 || key->size < LEAST || key->size > sizeof(key->bytes))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isxdigit((unsigned char)text[i]))
            return false;
    for (size_t i = 0; i < key->size; i++)
        key->bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return true;
}

static bool take_key(int fd, const char *words, struct vidmm_migrate_key *key, char *text,
                     size_t text_size) {
    char digits[MOST];
    struct stat of;
    bool there = fstat(fd, &of) == 0;
    if (there && !private(&of)) {
        snprintf(text, text_size,
                 "the key %.200s can be read or changed by others: chmod 600, and its owner has to "
                 "be this user",
                 words);
        return false;
    }
    ssize_t got = there ? read_text(fd, digits, sizeof(digits)) : -1;
    bool good = got > 0 && take_digits(digits, (size_t)got, key);
    if (got < 0)
        snprintf(text, text_size, "cannot read the key %.200s: %s", words, strerror(errno));
    else if (!good)
        snprintf(text, text_size,
                 "the key %.200s is not 32 to 128 hexadecimal digits, an even number of them, on "
                 "one line",
                 words);
    explicit_bzero(digits, sizeof(digits));
    return good;
}

/* The descriptor of fd:N; -1: it is none. */
static int given_fd(const char *words) {
    char *end = NULL;
    if (strncmp(words, "fd:", 3) != 0 || !isdigit((unsigned char)words[3]))
        return -1;
    uint64_t number = strtoull(words + 3, &end, 10);
    return *end == '\0' && number < 1u << 20 ? (int)number : -1;
}

bool vidmm_migrate_read_key(const char *words, struct vidmm_migrate_key *key, char *text,
                            size_t text_size) {
    int fd = given_fd(words);
    memset(key, 0, sizeof(*key));
    if (fd < 0)
        fd = open(words, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        snprintf(text, text_size, "cannot open the key %.200s: %s", words, strerror(errno));
        return false;
    }
    bool good = take_key(fd, words, key, text, text_size);
    close(fd);
    return good;
}
