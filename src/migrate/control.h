/*
 * control.h - a Unix socket on which an operator asks for the state of a migration, and decides
 * which side owns the guest if the other side is lost.
 */
#ifndef VIDMM_MIGRATE_CONTROL_H
#define VIDMM_MIGRATE_CONTROL_H

#include <pthread.h>

#include "address.h"
#include "party.h"

struct migrate_control {
    bool on;
    struct migrate_listener listener;
    pthread_t thread;
    pthread_mutex_t lock; /* over the rest */
    bool closing;
    enum vidmm_migrate_phase phase;
    enum vidmm_migrate_verdict verdict;
};

/* `path` NULL: none. false: `text` says why not. */
bool migrate_control_open(struct migrate_control *control, const char *path, char *text,
                          size_t text_size);
void migrate_control_close(struct migrate_control *control);
void migrate_control_phase(struct migrate_control *control, enum vidmm_migrate_phase phase);
/* The operator's decision since the last call. */
enum vidmm_migrate_verdict migrate_control_verdict(struct migrate_control *control);

#endif
