/*
 * speaker.h - the user-mode half of a driver, as far as the player needs one.
 *
 * WDDM leaves private data of allocations and commands to the driver. A miniport that knows
 * vidmm/umd.h is spoken to in that language (speaker_native.c); for every other one allocations are
 * described by the driver itself as standard ones, and the CPU does the writing
 * (speaker_standard.c).
 */
#ifndef VIDMM_WORKLOAD_SPEAKER_H
#define VIDMM_WORKLOAD_SPEAKER_H

#include <vidmm/umd.h>
#include <vidmm/workload.h>

struct speaker {
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE hadapter;
    bool native;      /* understands vidmm/umd.h, with STAMP and CHECK */
    uint32_t version; /* of the driver's interface */
};

/* Asks the driver which language it speaks. */
void speaker_start(struct speaker *speaker, struct vidmm_lab *lab);

/* What shall be made. */
struct speaker_request {
    uint64_t size;
    uint32_t umd_flags, priority;
    uint32_t pitch; /* of a swizzled surface, else 0 */
    void *user;
};

/* Rows of a swizzled surface of about `size` bytes; different surfaces get different ones. */
uint32_t speaker_pitch(uint64_t size, uint32_t index);
enum vidmm_status speaker_create(const struct speaker *speaker, struct vidmm_device *device,
                                 const struct speaker_request *request,
                                 struct vidmm_allocation **out);

/* The two ways of doing that. */
enum vidmm_status speaker_create_native(struct vidmm_device *device,
                                        const struct speaker_request *request,
                                        struct vidmm_allocation **out);
enum vidmm_status speaker_create_standard(const struct speaker *speaker,
                                          struct vidmm_device *device,
                                          const struct speaker_request *request,
                                          struct vidmm_allocation **out);

#endif
