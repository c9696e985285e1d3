/*
 * runner.c - see runner.h.
 */
#include "runner.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/printable.h>
#include <vidmm/stop.h>

#define MESSAGES_MOST (64u << 20) /* the rest of a flood is read and dropped */

/* A signal that ends this process ends the other one, too. */
static void runner_await(int fd, pid_t child) {
    struct pollfd from = {.fd = fd, .events = POLLIN};
    if (vidmm_stop_poll(&from, 1, -1) < 0 && vidmm_stop_signal() != 0)
        (void)kill(-child, SIGKILL);
}

/* Everything that comes out of the pipe, with a NUL. */
static char *read_all(int fd, pid_t child) {
    size_t room = 64u << 10, count = 0;
    char *text = malloc(room);
    char dropped[4096];
    for (;;) {
        if (text && count + 1 == room && room < MESSAGES_MOST) {
            char *grown = realloc(text, room * 2);
            room = grown ? room * 2 : room;
            text = grown ? grown : text;
        }
        bool full = !text || count + 1 == room;
        runner_await(fd, child);
        ssize_t got =
            read(fd, full ? dropped : text + count, full ? sizeof(dropped) : room - count - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        count += full ? 0 : (size_t)got;
    }
    if (text)
        text[count] = '\0';
    return text ? vidmm_printable(text, true) : NULL;
}

static int wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cc_spawn(const struct cc_list *words, char **messages) {
    *messages = NULL;
    int pipes[2];
    if (words->failed || vidmm_stop_signal() != 0 || pipe(pipes) != 0)
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipes[1]);
    posix_spawnattr_t own_group;
    posix_spawnattr_init(&own_group);
    posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
    pid_t child;
    int error = posix_spawnp(&child, words->word[0], &actions, &own_group, words->word, environ);
    posix_spawnattr_destroy(&own_group);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    if (error == 0)
        *messages = read_all(pipes[0], child);
    close(pipes[0]);
    return error == 0 ? wait_for(child) : -1;
}
