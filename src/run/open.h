/*
 * open.h - from a run's options to a started harness; shared by run.c and inspect.c.
 */
#ifndef VIDMM_RUN_OPEN_H
#define VIDMM_RUN_OPEN_H

#include <vidmm/run.h>

/* Printable name of the driver that the options choose. */
void run_driver_name(const struct vidmm_run_options *options, char *name, size_t size);
/*
 * Starts host, driver and manager. `peak`: the workload's peak of live bytes, for the size of
 * simulated memory; 0 without a workload. `ledger` NULL: without a referee.
 */
enum vidmm_run_status run_open(const struct vidmm_run_options *options, uint64_t peak,
                               const struct vidmm_observer *observer, struct vidmm_ledger *ledger,
                               struct vidmm_harness *harness, char *text, size_t text_size);

/* Fills in the imports of the driver if it is an image. false: `text` has one sentence. */
bool run_imports(const struct vidmm_run_options *options, struct vidmm_inspection *inspection,
                 char *text, size_t text_size);

#endif
