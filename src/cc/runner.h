/*
 * runner.h - runs the compiler: by its words, never by a shell.
 */
#ifndef CC_RUNNER_H
#define CC_RUNNER_H

#include "list.h"

/* Runs words->word[0] with the others; its standard error into *messages, to be freed. Its exit
 * code; -1: it could not be run or was killed. */
int cc_spawn(const struct cc_list *words, char **messages);

#endif
