/*
 * apart.h - a side of a migration in a process of its own, so that what ends the driver does not end
 * the caller.
 */
#ifndef VIDMM_MIGRATE_APART_H
#define VIDMM_MIGRATE_APART_H

#include <vidmm/migrate.h>

/* One side in this process: send.c, recv.c. */
typedef enum vidmm_migrate_status (*migrate_side)(const struct vidmm_workload *workload,
                                                  const struct vidmm_run_options *run,
                                                  const struct vidmm_migrate_options *options,
                                                  struct vidmm_migrate_result *result);

enum vidmm_migrate_status migrate_send_here(const struct vidmm_workload *workload,
                                            const struct vidmm_run_options *run,
                                            const struct vidmm_migrate_options *options,
                                            struct vidmm_migrate_result *result);
enum vidmm_migrate_status migrate_recv_here(const struct vidmm_workload *workload,
                                            const struct vidmm_run_options *run,
                                            const struct vidmm_migrate_options *options,
                                            struct vidmm_migrate_result *result);

/* In the process of the driver: the run begins anew, and what was wrong with it so far counts for
 * nothing. Elsewhere nothing. */
void migrate_apart_again(void);
enum vidmm_migrate_status migrate_apart(migrate_side side, const struct vidmm_workload *workload,
                                        const struct vidmm_run_options *run,
                                        const struct vidmm_migrate_options *options,
                                        struct vidmm_migrate_result *result);

#endif
