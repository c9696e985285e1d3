/*
 * trim.h - asks processes to evict allocations from their residency lists
 * (ns-d3dukmdt-d3dddi_trimresidencyset_flags, process-residency-budgets.md).
 *
 * Callbacks are chosen under the adapter's locks and run without them, inside the call that needs
 * the memory. The bytes to trim are computed when the callback runs.
 */
#ifndef VIDMM_MANAGER_TRIM_H
#define VIDMM_MANAGER_TRIM_H

#include <vidmm/virtual.h>

/* Of a device. */
struct trim {
    vidmm_trim_callback *callback; /* NULL: does not want to be asked */
    void *ctx;
    uint32_t flags;   /* VIDMM_TRIM_* it is to be called with; 0: none */
    uint32_t running; /* calls under way; under the adapter's fence_lock */
};

/*
 * Asks every process but that of `asking` that lists more than its budget. False: there was none;
 * true: locks were released meanwhile.
 */
bool trim_others(struct vidmm_device *asking);
/* Asks those whose budget has shrunk below what they list, but for `except`, once each time. */
void trim_shrunken(struct vidmm_adapter *adapter, const struct vidmm_process *except);

#endif
