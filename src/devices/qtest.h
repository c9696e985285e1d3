/*
 * qtest.h - a QEMU that runs no guest, and the protocol by which its machine is worked from outside.
 *
 * QEMU is a child process whose processor halts at its first instruction. Commands and answers are
 * lines over a socket pair (-qtest). pci.c and qemu.c speak through this file; it knows nothing of
 * devices.
 */
#ifndef DEVICES_QTEST_H
#define DEVICES_QTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Descriptors of the child: what its command line names. */
enum { QTEST_SOCKET = 3, QTEST_MEMORY = 4, QTEST_FIRMWARE = 5 };

struct qtest {
    pid_t pid;
    int socket, errors; /* -1: none */
    bool lost;          /* it ended, or does not answer */
    char why[240];      /* then: a clause */
    char *line;         /* what was received */
    size_t have, room;
    size_t answered; /* bytes of `line` that the last answer takes */
};

/*
 * Starts `arguments`, ending in NULL, with the descriptor `memory` as QTEST_MEMORY. False, with
 * `why`, when the machine does not answer. End it with qtest_end in either case.
 */
bool qtest_begin(struct qtest *qtest, const char *const arguments[], int memory);
void qtest_end(struct qtest *qtest);
/*
 * Sends one command line and waits for its answer: what follows OK, which stays until the next
 * command; NULL: the machine is lost.
 */
const char *qtest_ask(struct qtest *qtest, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The letter by which a command says its width in bytes: b, w, l, q for memory, and no q for ports. */
char qtest_letter(uint32_t width);
/* The answer as a number; all ones when the machine is lost. */
uint64_t qtest_number(const char *answer);
/* Memory by physical address. False: the machine is lost. */
bool qtest_read(struct qtest *qtest, uint64_t address, uint8_t *to, size_t size);
bool qtest_write(struct qtest *qtest, uint64_t address, const uint8_t *from, size_t size);

#endif
