/*
 * api_lock.h - what surrounds each call of the manager's API: its two locks, and the reset of the
 * adapter when the GPU hangs during the call.
 *
 * The order of the locks stands at the top of adapter.h.
 */
#ifndef VIDMM_MANAGER_API_LOCK_H
#define VIDMM_MANAGER_API_LOCK_H

#include <vidmm/manager.h>

/* What an API call needs of later folders; the adapter's start fills it in. */
struct adapter_hooks {
    /* Resets the adapter. VIDMM_GPU_LOST: the GPU hung again during the reset. */
    enum vidmm_status (*reset)(struct vidmm_adapter *adapter);
    /* Before the locks are released: destroys what the driver gave up in a callback. */
    void (*call_ends)(struct vidmm_adapter *adapter);
    /*
     * After that: the adapter's records agree with each other (check/check.h). NULL below the
     * highest level of assertions.
     */
    void (*check)(struct vidmm_adapter *adapter);
};

/* Takes api_lock and lock. */
void adapter_enter(struct vidmm_adapter *adapter);
/* Destroys what the driver gave up in callbacks, then releases both. */
void adapter_leave(struct vidmm_adapter *adapter);
/* VIDMM_STOPPED with an error when the adapter only serves destroy calls. */
enum vidmm_status adapter_serves(struct vidmm_adapter *adapter, const char *call);

/* Around a level-0 DDI call: only api_lock is held in between. */
void adapter_open(struct vidmm_adapter *adapter);
/* Resets the adapter if the GPU hung in work that the driver asked for during the DDI call. */
void adapter_return(struct vidmm_adapter *adapter);
/* Around what a callback does from inside such a DDI call: takes lock alone. */
void adapter_close(struct vidmm_adapter *adapter);

/*
 * Resets, and again when the GPU hangs on what the reset itself submits; if that does not help
 * either the adapter is stopped.
 */
enum vidmm_status adapter_recover(struct vidmm_adapter *adapter);
/*
 * Runs `attempt` until it answers something else than VIDMM_GPU_LOST, with a reset after each hang.
 * VIDMM_GPU_LOST: resets did not help, the adapter is stopped.
 */
enum vidmm_status adapter_persist(struct vidmm_adapter *adapter,
                                  enum vidmm_status (*attempt)(void *ctx), void *ctx);
/* The same as all of a call of the API: takes and releases the locks, and the adapter has to serve `call`. */
enum vidmm_status adapter_persist_call(struct vidmm_adapter *adapter, const char *call,
                                       enum vidmm_status (*attempt)(void *ctx), void *ctx);

#endif
