/*
 * ask.h - runs a program of the system and keeps what it says.
 */
#ifndef SWEEP_ASK_H
#define SWEEP_ASK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs the program words[0] (words end with NULL), found in PATH, without a shell, and waits for it. `said` gets the
 * beginning of what it wrote, standard error included. false: it could not be started or did not end with 0.
 */
bool sweep_ask(const char *const *words, char *said, size_t size);

#endif
