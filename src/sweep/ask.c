/*
 * ask.c - see ask.h.
 *
 * The program gets no signals of the terminal and starts with none blocked, whatever the sweep does with its own.
 */
#include "ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ask_start(const char *const *words, int out, pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t manner;
    sigset_t none;
    sigemptyset(&none);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&manner);
    (void)posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setsigmask(&manner, &none);
    (void)posix_spawnattr_setpgroup(&manner, 0);
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    int why =
        posix_spawnp(pid, words[0], &files, &manner, (char *const *)(uintptr_t)words, environ);
    (void)posix_spawnattr_destroy(&manner);
    (void)posix_spawn_file_actions_destroy(&files);
    return why;
}

/* Reads to the end and keeps the beginning. */
static void ask_read(int from, char *said, size_t size) {
    char block[4096];
    size_t kept = 0;
    ssize_t got;
    while ((got = read(from, block, sizeof(block))) > 0 || (got < 0 && errno == EINTR)) {
        size_t part = got < 0 ? 0 : (size_t)got;
        part = part < size - 1 - kept ? part : size - 1 - kept;
        memcpy(said + kept, block, part);
        kept += part;
    }
    said[kept] = '\0';
}

bool sweep_ask(const char *const *words, char *said, size_t size) {
    int ends[2], status = -1;
    pid_t pid = 0;
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        (void)snprintf(said, size, "%s", strerror(errno));
        return false;
    }
    int why = ask_start(words, ends[1], &pid);
    (void)close(ends[1]);
    if (why == 0) {
        ask_read(ends[0], said, size);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    } else {
        (void)snprintf(said, size, "%s", strerror(why));
    }
    (void)close(ends[0]);
    return why == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
