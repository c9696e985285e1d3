/*
 * generator.h - functions of all generators (generate_*.c): random numbers, and appending with a
 * remembered failure.
 *
 * A generator draws everything from one seeded stream, so a seed always gives the same workload.
 * Sizes are those of programs with small budgets: 64 to 256 MiB live at the peak and at most some
 * 10 GB touched, so that a run takes seconds.
 */
#ifndef VIDMM_WORKLOAD_GENERATOR_H
#define VIDMM_WORKLOAD_GENERATOR_H

#include <vidmm/umd.h>
#include <vidmm/workload.h>

#include "builder.h"

#define KIB            UINT64_C(1024)
#define MIB            (UINT64_C(1024) * KIB)
#define GENERATOR_LIST 256 /* most references of one submission */

struct generator {
    struct builder builder;
    enum builder_result result; /* the first failure; everything after it is ignored */
    uint64_t dice;
    /* The submission under construction: */
    uint32_t reads[GENERATOR_LIST], writes[GENERATOR_LIST];
    uint32_t read_count, write_count;
};

void generator_start(struct generator *generator, const char *name, uint64_t seed);
/* Moves the workload to `out`, or reports the failure. */
bool generator_finish(struct generator *generator, struct vidmm_workload *out,
                      struct vidmm_workload_error *error);

/* A number from `least` to `most`, both included. */
uint64_t generator_roll(struct generator *generator, uint64_t least, uint64_t most);
/* A size from `least` to `most`, small ones as likely as large ones, in whole KiB. */
uint64_t generator_size(struct generator *generator, uint64_t least, uint64_t most);

uint32_t generator_alloc(struct generator *generator, uint32_t process, uint64_t size,
                         uint32_t umd_flags, uint32_t priority);
void generator_free(struct generator *generator, uint32_t allocation);
/* Map, then unmap: the CPU reads it and writes a part. */
void generator_cpu(struct generator *generator, uint32_t allocation);
void generator_read(struct generator *generator, uint32_t allocation);
void generator_write(struct generator *generator, uint32_t allocation);
/* Submits what generator_read and generator_write collected. */
void generator_submit(struct generator *generator, uint32_t process);
void generator_present(struct generator *generator, uint32_t process);

/* Further addresses; sizes and places in bytes, whole tiles. */
uint32_t generator_reserve(struct generator *generator, uint32_t process, uint64_t size);
/* A part of an allocation, where the released range `like` was, or anywhere (VIDMM_EVENT_NOTHING).
 */
struct generator_part {
    uint32_t allocation;
    uint64_t offset, size;
};
uint32_t generator_view(struct generator *generator, uint32_t process,
                        const struct generator_part *part, uint32_t like);
void generator_release(struct generator *generator, uint32_t range);
void generator_bind(struct generator *generator, uint32_t range, uint64_t at,
                    const struct generator_part *part);
void generator_unbind(struct generator *generator, uint32_t range, uint64_t at, uint64_t size);
void generator_copy(struct generator *generator, uint32_t range, uint64_t at, uint64_t from,
                    uint64_t size);
void generator_offer(struct generator *generator, uint32_t allocation);
void generator_reclaim(struct generator *generator, uint32_t allocation);

bool generate_frame_loop(uint64_t seed, struct vidmm_workload *out,
                         struct vidmm_workload_error *error);
bool generate_level_changes(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error);
bool generate_training_step(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error);
bool generate_processes(uint64_t seed, struct vidmm_workload *out,
                        struct vidmm_workload_error *error);
bool generate_tiled_resource(uint64_t seed, struct vidmm_workload *out,
                             struct vidmm_workload_error *error);
bool generate_address_churn(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error);
bool generate_offers(uint64_t seed, struct vidmm_workload *out, struct vidmm_workload_error *error);

#endif
