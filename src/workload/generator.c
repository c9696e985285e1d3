/*
 * generator.c - functions of all generators; see generator.h.
 */
#include "generator.h"

#include <string.h>

#include "lines.h"

void generator_start(struct generator *generator, const char *name, uint64_t seed) {
    memset(generator, 0, sizeof(*generator));
    builder_start(&generator->builder, name);
    generator->dice = seed;
}

bool generator_finish(struct generator *generator, struct vidmm_workload *out,
                      struct vidmm_workload_error *error) {
    memset(error, 0, sizeof(*error));
    if (generator->result == BUILDER_OK) {
        builder_finish(&generator->builder, out);
        return true;
    }
    lines_fail(error, generator->builder.workload.name, 0, 0,
               generator->result == BUILDER_NO_MEMORY ? "out of memory"
                                                      : "there are too many events");
    builder_abandon(&generator->builder);
    return false;
}

/* splitmix64 */
static uint64_t generator_dice(struct generator *generator) {
    uint64_t x = generator->dice += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t generator_roll(struct generator *generator, uint64_t least, uint64_t most) {
    return least + generator_dice(generator) % (most - least + 1);
}

uint64_t generator_size(struct generator *generator, uint64_t least, uint64_t most) {
    uint32_t doublings = 0;
    while (least << (doublings + 1) <= most)
        doublings++;
    uint64_t base = least << generator_roll(generator, 0, doublings);
    uint64_t top = base * 2 - 1 < most ? base * 2 - 1 : most;
    uint64_t size = generator_roll(generator, base, top) / KIB * KIB;
    return size < least ? least : size;
}

uint32_t generator_alloc(struct generator *generator, uint32_t process, uint64_t size,
                         uint32_t umd_flags, uint32_t priority) {
    const struct builder_alloc alloc = {
        .size = size, .process = process, .umd_flags = umd_flags, .priority = priority};
    uint32_t index = 0;
    if (generator->result == BUILDER_OK)
        generator->result = builder_alloc(&generator->builder, &alloc, &index);
    return index;
}

static void generator_touch(struct generator *generator, enum vidmm_event_kind kind,
                            uint32_t allocation) {
    if (generator->result == BUILDER_OK)
        generator->result = builder_touch(&generator->builder, kind, allocation);
}

void generator_free(struct generator *generator, uint32_t allocation) {
    generator_touch(generator, VIDMM_EVENT_FREE, allocation);
}

void generator_cpu(struct generator *generator, uint32_t allocation) {
    generator_touch(generator, VIDMM_EVENT_MAP, allocation);
    generator_touch(generator, VIDMM_EVENT_UNMAP, allocation);
}

void generator_read(struct generator *generator, uint32_t allocation) {
    if (generator->read_count < GENERATOR_LIST)
        generator->reads[generator->read_count++] = allocation;
    else
        generator->result = BUILDER_TOO_MUCH;
}

void generator_write(struct generator *generator, uint32_t allocation) {
    if (generator->write_count < GENERATOR_LIST)
        generator->writes[generator->write_count++] = allocation;
    else
        generator->result = BUILDER_TOO_MUCH;
}

void generator_submit(struct generator *generator, uint32_t process) {
    if (generator->result == BUILDER_OK)
        generator->result =
            builder_submit(&generator->builder, process, generator->reads, generator->read_count,
                           generator->writes, generator->write_count);
    generator->read_count = 0;
    generator->write_count = 0;
}

void generator_present(struct generator *generator, uint32_t process) {
    if (generator->result == BUILDER_OK)
        generator->result = builder_present(&generator->builder, process);
}

/* ---- Ranges and offers ----------------------------------------------------------------------- */

static uint32_t generator_range(struct generator *generator, struct vidmm_event event) {
    if (generator->result == BUILDER_OK)
        generator->result = builder_range(&generator->builder, &event);
    return event.range;
}

uint32_t generator_reserve(struct generator *generator, uint32_t process, uint64_t size) {
    return generator_range(
        generator,
        (struct vidmm_event){.kind = VIDMM_EVENT_RESERVE, .process = process, .size = size});
}

uint32_t generator_view(struct generator *generator, uint32_t process,
                        const struct generator_part *part, uint32_t like) {
    return generator_range(generator, (struct vidmm_event){.kind = VIDMM_EVENT_VIEW,
                                                           .process = process,
                                                           .allocation = part->allocation,
                                                           .offset = part->offset,
                                                           .size = part->size,
                                                           .like = like});
}

void generator_release(struct generator *generator, uint32_t range) {
    generator_range(generator, (struct vidmm_event){.kind = VIDMM_EVENT_RELEASE, .range = range});
}

void generator_bind(struct generator *generator, uint32_t range, uint64_t at,
                    const struct generator_part *part) {
    generator_range(generator, (struct vidmm_event){.kind = VIDMM_EVENT_BIND,
                                                    .range = range,
                                                    .at = at,
                                                    .allocation = part->allocation,
                                                    .offset = part->offset,
                                                    .size = part->size});
}

void generator_unbind(struct generator *generator, uint32_t range, uint64_t at, uint64_t size) {
    generator_range(
        generator,
        (struct vidmm_event){.kind = VIDMM_EVENT_UNBIND, .range = range, .at = at, .size = size});
}

void generator_copy(struct generator *generator, uint32_t range, uint64_t at, uint64_t from,
                    uint64_t size) {
    generator_range(
        generator,
        (struct vidmm_event){
            .kind = VIDMM_EVENT_COPY, .range = range, .at = at, .offset = from, .size = size});
}

void generator_offer(struct generator *generator, uint32_t allocation) {
    generator_touch(generator, VIDMM_EVENT_OFFER, allocation);
}

void generator_reclaim(struct generator *generator, uint32_t allocation) {
    generator_touch(generator, VIDMM_EVENT_RECLAIM, allocation);
}
