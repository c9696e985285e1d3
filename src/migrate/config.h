/*
 * config.h - the configuration of a run as lines NAME=VALUE, which must be equal on both sides.
 */
#ifndef VIDMM_MIGRATE_CONFIG_H
#define VIDMM_MIGRATE_CONFIG_H

#include <vidmm/migrate.h>

/* malloc'd; NULL: `text` says why not. */
char *migrate_config(const struct vidmm_workload *workload, const struct vidmm_run_options *run,
                     char *text, size_t text_size);

#endif
