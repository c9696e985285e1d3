/*
 * dirty.h - measures what a workload writes in each frame (vidmm run --dirty): the dirty bits of
 * every memory segment are read and cleared at the end of each frame.
 */
#ifndef VIDMM_RUN_DIRTY_H
#define VIDMM_RUN_DIRTY_H

#include <vidmm/migration.h>
#include <vidmm/run.h>

struct run_dirty;

/*
 * Starts tracking on `harness`. NULL: `text` says why not. `result` is filled as frames go by and
 * complete after run_dirty_stop.
 */
struct run_dirty *run_dirty_start(struct vidmm_harness *harness,
                                  const struct vidmm_workload *workload, uint64_t frame_limit,
                                  struct vidmm_run_dirty *result, char *text, size_t text_size);
/* vidmm_play_options.gate; ctx is the struct run_dirty. */
bool run_dirty_gate(void *ctx, struct vidmm_harness *harness, uint64_t event);
/* False: a query failed; `text` says so. NULL is fine. */
bool run_dirty_stop(struct run_dirty *dirty, char *text, size_t text_size);

#endif
