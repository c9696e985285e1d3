/*
 * tracking.h - what the driver has made and must give back, with the code that made each thing: for the
 * places of leaks. Only with vidmm_host_config.track.
 */
#ifndef HOST_TRACKING_H
#define HOST_TRACKING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum host_tracked {
    HOST_TRACKED_POOL,
    HOST_TRACKED_CONTIGUOUS,
    HOST_TRACKED_MDL,
    HOST_TRACKED_MAPPING,
    HOST_TRACKED_TIMER,
    HOST_TRACKED_EX_TIMER,
    HOST_TRACKED_THREAD,
    HOST_TRACKED_EVENT,
    HOST_TRACKED_WORK_ITEM,
    HOST_TRACKED_CALLBACK,
    HOST_TRACKED_IO,
    HOST_TRACKED_HANDLE, /* of what is no thread and no event */
    HOST_TRACKED_NOT,    /* nothing of the driver's */
};

#define HOST_TRACE_MOST 6u

/* Code of the driver that was running, innermost first: offsets in its file. */
struct host_trace {
    uint32_t count;
    uint64_t frame[HOST_TRACE_MOST];
};

struct host_tracking {
    pthread_mutex_t lock;
    uint32_t (*walk)(uint64_t *frame, uint32_t most); /* of the calling thread; NULL: no tracking */
    struct host_made **bucket;
    uint64_t made; /* so far */
};

/* `walk` NULL: nothing is tracked. */
void host_tracking_init(struct host_tracking *tracking,
                        uint32_t (*walk)(uint64_t *frame, uint32_t most));
void host_tracking_done(struct host_tracking *tracking);
/* The calling thread has made it for the driver; and it is given back. */
void host_track(enum host_tracked kind, const void *thing);
void host_untrack(enum host_tracked kind, const void *thing);
/* The code that made the oldest thing of this kind that is left; of count 0: not known. */
struct host_trace host_tracked_oldest(enum host_tracked kind);

#endif
