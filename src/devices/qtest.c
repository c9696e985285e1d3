/* qtest.c - see qtest.h. */
#include "qtest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ANSWER_SECONDS = 20,
    COMMAND_MOST = 160,
    FIRMWARE_BYTES = 64 << 10,
    MEMORY_PIECE = 64 << 10, /* bytes of a memory command */
    NOT_STARTED = 127,
};

/* ---- Its end ----------------------------------------------------------------------------------- */

/* What QEMU printed first; false: nothing. */
static bool first_words(const struct qtest *qtest, char *text, size_t size) {
    char all[2048];
    ssize_t have = pread(qtest->errors, all, sizeof(all) - 1, 0);
    if (have <= 0)
        return false;
    all[have] = '\0';
    char *end = all + strcspn(all, "\n");
    *end = '\0';
    /* Behind the program's name and the option that is meant. */
    const char *words = all;
    for (unsigned part = 0; part < 2 && strstr(words, ": "); part++)
        if (part == 0 || strncmp(words, "-device", 7) == 0)
            words = strstr(words, ": ") + 2;
    snprintf(text, size, "%.*s", (int)size - 1, words);
    return true;
}

static void qtest_lose(struct qtest *qtest, const char *what) {
    char words[160];
    if (qtest->lost)
        return;
    qtest->lost = true;
    if (qtest->pid > 0 && kill(qtest->pid, SIGKILL) == 0)
        (void)waitpid(qtest->pid, NULL, 0);
    qtest->pid = -1;
    if (qtest->errors >= 0 && first_words(qtest, words, sizeof(words)))
        snprintf(qtest->why, sizeof(qtest->why), "QEMU: %s", words);
    else
        snprintf(qtest->why, sizeof(qtest->why), "QEMU %s", what);
}

void qtest_end(struct qtest *qtest) {
    if (qtest->pid > 0 && kill(qtest->pid, SIGKILL) == 0)
        (void)waitpid(qtest->pid, NULL, 0);
    if (qtest->socket >= 0)
        close(qtest->socket);
    if (qtest->errors >= 0)
        close(qtest->errors);
    free(qtest->line);
    *qtest = (struct qtest){.pid = -1, .socket = -1, .errors = -1, .lost = true};
}

/* ---- Its begin --------------------------------------------------------------------------------- */

/* Firmware that halts, since the machine wants one. */
static int make_firmware(void) {
    static const uint8_t halt[] = {0xf4, 0xeb, 0xfd}; /* hlt; jmp -1 */
    int file = memfd_create("vidmm-firmware", MFD_CLOEXEC);
    if (file >= 0 && (ftruncate(file, FIRMWARE_BYTES) != 0 ||
                      pwrite(file, halt, sizeof(halt), FIRMWARE_BYTES - 16) != sizeof(halt))) {
        close(file);
        return -1;
    }
    return file;
}

/* Moves a descriptor to `to`, where it outlives exec. */
static bool become(int from, int to) {
    if (from == to)
        return fcntl(from, F_SETFD, 0) == 0;
    return dup2(from, to) >= 0;
}

/* In the child, which ends with its parent. Only calls that are safe behind fork. */
static void run_child(const char *const arguments[], const int from[4]) {
    enum { SPARE = 16 };
    static const char missing[] =
        "qemu-system-x86_64 could not be run: install QEMU, or name it in VIDMM_QEMU\n";
    int spare[4];
    bool good = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    for (unsigned i = 0; i < 4; i++)
        spare[i] = fcntl(from[i], F_DUPFD, SPARE);
    int nothing = open("/dev/null", O_RDWR);
    good = good && become(nothing, STDIN_FILENO) && become(nothing, STDOUT_FILENO) &&
           become(spare[3], STDERR_FILENO) && become(spare[0], QTEST_SOCKET) &&
           become(spare[1], QTEST_MEMORY) && become(spare[2], QTEST_FIRMWARE);
    (void)close_range(QTEST_FIRMWARE + 1, ~0u, 0);
    if (good)
        (void)execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    if (write(STDERR_FILENO, missing, sizeof(missing) - 1) < 0)
        _exit(NOT_STARTED + 1);
    _exit(NOT_STARTED);
}

static bool spawn(struct qtest *qtest, const char *const arguments[], int memory, int firmware) {
    const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    const int from[4] = {pair[1], memory, firmware, qtest->errors};
    qtest->socket = pair[0];
    (void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    qtest->pid = fork();
    if (qtest->pid == 0)
        run_child(arguments, from);
    close(pair[1]);
    return qtest->pid > 0;
}

bool qtest_begin(struct qtest *qtest, const char *const arguments[], int memory) {
    *qtest = (struct qtest){.pid = -1, .socket = -1};
    int firmware = make_firmware();
    qtest->errors = memfd_create("vidmm-qemu-errors", MFD_CLOEXEC);
    bool spawned = firmware >= 0 && qtest->errors >= 0 && spawn(qtest, arguments, memory, firmware);
    if (firmware >= 0)
        close(firmware);
    if (!spawned)
        qtest_lose(qtest, "could not be started: no memory, or no more processes");
    return spawned && qtest_ask(qtest, "readb 0");
}

/* ---- Lines ------------------------------------------------------------------------------------- */

static bool send_all(struct qtest *qtest, const char *bytes, size_t size) {
    while (size != 0) {
        ssize_t sent = send(qtest->socket, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool receive_more(struct qtest *qtest) {
    if (qtest->room - qtest->have < 4096) {
        size_t room = qtest->room * 2 + 8192;
        char *line = realloc(qtest->line, room);
        if (!line)
            return false;
        qtest->line = line;
        qtest->room = room;
    }
    ssize_t got;
    do {
        got = recv(qtest->socket, qtest->line + qtest->have, qtest->room - qtest->have, 0);
    } while (got < 0 && errno == EINTR);
    qtest->have += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Drops what the last answer took of the buffer. */
static void forget_answer(struct qtest *qtest) {
    memmove(qtest->line, qtest->line + qtest->answered, qtest->have - qtest->answered);
    qtest->have -= qtest->answered;
    qtest->answered = 0;
}

/* One whole line, without its end; NULL: there will be none. */
static char *next_line(struct qtest *qtest) {
    size_t seen = 0;
    char *end = NULL;
    if (qtest->answered != 0)
        forget_answer(qtest);
    while (!end) {
        if (seen == qtest->have && !receive_more(qtest))
            return NULL;
        end = memchr(qtest->line + seen, '\n', qtest->have - seen);
        seen = qtest->have;
    }
    *end = '\0';
    qtest->answered = (size_t)(end + 1 - qtest->line);
    return qtest->line;
}

/* Lines that begin with IRQ tell of interrupts, which are taken from elsewhere (pci.h). */
static const char *answer(struct qtest *qtest) {
    for (;;) {
        const char *line = next_line(qtest);
        if (!line) {
            qtest_lose(qtest, "ended or does not answer");
            return NULL;
        }
        if (strncmp(line, "OK", 2) == 0)
            return line[2] == ' ' ? line + 3 : line + 2;
        if (strncmp(line, "IRQ", 3) != 0) {
            qtest_lose(qtest, "refused a command");
            return NULL;
        }
    }
}

static bool send_line(struct qtest *qtest, const char *line, size_t size) {
    if (qtest->lost)
        return false;
    if (send_all(qtest, line, size))
        return true;
    qtest_lose(qtest, "ended");
    return false;
}

const char *qtest_ask(struct qtest *qtest, const char *format, ...) {
    char line[COMMAND_MOST];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    line[size++] = '\n';
    return send_line(qtest, line, (size_t)size) ? answer(qtest) : NULL;
}

char qtest_letter(uint32_t width) {
    return width == 8 ? 'q' : width == 4 ? 'l' : width == 2 ? 'w' : 'b';
}

uint64_t qtest_number(const char *answer) {
    return answer ? strtoull(answer, NULL, 0) : UINT64_MAX;
}

/* ---- Memory, as digits ------------------------------------------------------------------------- */

static unsigned digit(char c) {
    return c <= '9' ? (unsigned)(c - '0') & 15u : ((unsigned)c & 7u) + 9u;
}

static bool read_piece(struct qtest *qtest, uint64_t address, uint8_t *to, size_t size) {
    const char *text = qtest_ask(qtest, "read 0x%llx 0x%zx", (unsigned long long)address, size);
    if (!text || strlen(text) != 2 + 2 * size)
        return false;
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(digit(text[2 + 2 * i]) << 4 | digit(text[3 + 2 * i]));
    return true;
}

static bool write_piece(struct qtest *qtest, uint64_t address, const uint8_t *from, size_t size) {
    static const char digits[] = "0123456789abcdef";
    char *line = malloc(COMMAND_MOST + 2 * size);
    if (!line)
        return false;
    int head =
        snprintf(line, COMMAND_MOST, "write 0x%llx 0x%zx 0x", (unsigned long long)address, size);
    char *at = line + head;
    for (size_t i = 0; i < size; i++) {
        *at++ = digits[from[i] >> 4];
        *at++ = digits[from[i] & 15];
    }
    *at++ = '\n';
    bool done = send_line(qtest, line, (size_t)(at - line)) && answer(qtest);
    free(line);
    return done;
}

bool qtest_read(struct qtest *qtest, uint64_t address, uint8_t *to, size_t size) {
    for (size_t at = 0; at < size; at += MEMORY_PIECE)
        if (!read_piece(qtest, address + at, to + at,
                        size - at < MEMORY_PIECE ? size - at : MEMORY_PIECE))
            return false;
    return true;
}

bool qtest_write(struct qtest *qtest, uint64_t address, const uint8_t *from, size_t size) {
    for (size_t at = 0; at < size; at += MEMORY_PIECE)
        if (!write_piece(qtest, address + at, from + at,
                         size - at < MEMORY_PIECE ? size - at : MEMORY_PIECE))
            return false;
    return true;
}
