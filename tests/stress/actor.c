/*
 * actor.c - see actor.h.
 */
#include "actor.h"

#include <string.h>
#include <time.h>

#include <vidmm/pattern.h>

#define LONGEST_NS UINT64_C(30000000000) /* that a request may take, sanitizers and all */

_Static_assert(2 * BATCH + POOLS * POOL_PAGES + TILE_PACKETS <= PACKETS_MOST,
               "a submission fits into the command buffer");

/* ---- Requests: each is timed ----------------------------------------------------------------- */

uint64_t actor_now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void took(struct actor *actor, const char *what, uint64_t begin) {
    uint64_t ns = actor_now_ns() - begin;
    if (ns > LONGEST_NS)
        stress_fail("%s: %s took %llu ms", actor->name, what, (unsigned long long)(ns / 1000000));
    if (ns <= actor->longest_ns)
        return;
    actor->longest_ns = ns;
    actor->longest = what;
}

void actor_must(struct actor *actor, enum vidmm_status status, const char *what, uint64_t begin) {
    struct vidmm_error error;
    char text[512];
    took(actor, what, begin);
    if (status == VIDMM_OK)
        return;
    vidmm_last_error(actor->adapter, &error);
    vidmm_error_text(&error, text, sizeof(text));
    stress_fail("%s: %s: status %d: %s", actor->name, what, (int)status, text);
}

uint64_t actor_below(struct actor *actor, uint64_t limit) {
    return stress_random(&actor->random) % limit;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static void map(struct actor *actor, struct thing *thing) {
    const struct vidmm_va_request request = {.size = thing->size,
                                             .allocation = thing->allocation,
                                             .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    uint64_t fence = 0;
    MUST(actor, vidmm_va_map(actor->queue, &request, &thing->va, &fence));
    if (fence)
        MUST(actor, vidmm_paging_wait(actor->queue, fence));
}

static void create(struct actor *actor, struct thing *thing, uint64_t size, uint32_t flags) {
    struct vidmm_umd_allocation data = {
        .magic = VIDMM_UMD_MAGIC, .flags = flags | VIDMM_UMD_CPU_VISIBLE, .size = size};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    *thing = (struct thing){.size = size, .oracle = ++actor->next_oracle, .known = true};
    MUST(actor, vidmm_allocation_create(actor->device, &request, &thing->allocation));
    map(actor, thing);
}

/* From a page to THING_BYTES, all magnitudes alike. */
static void create_random(struct actor *actor, struct thing *thing) {
    uint64_t most = PAGE << actor_below(actor, 8);
    uint64_t size = (actor_below(actor, most) / PAGE + 1) * PAGE;
    create(actor, thing, size, VIDMM_UMD_LOCAL);
    thing->versions = tiles_pool(actor, thing);
}

static void destroy(struct actor *actor, struct thing *thing) {
    uint64_t begin = actor_now_ns();
    vidmm_allocation_destroy(thing->allocation);
    took(actor, "vidmm_allocation_destroy", begin);
    *thing = (struct thing){0};
}

static struct thing *any(struct actor *actor) {
    return &actor->things[actor_below(actor, THINGS)];
}

/* ---- Through the CPU ------------------------------------------------------------------------- */

static uint32_t version_of(const struct thing *thing, uint64_t page) {
    return thing->versions ? thing->versions[page] : thing->version;
}

/* All of it is written anew. */
static void renew(struct thing *thing) {
    thing->version++;
    thing->known = true;
    for (uint64_t page = 0; thing->versions && page < thing->size / PAGE; page++)
        thing->versions[page] = thing->version;
}

static void compare(struct actor *actor, const struct thing *thing, const unsigned char *cpu) {
    for (uint64_t page = 0; page < thing->size / PAGE; page++) {
        uint32_t version = version_of(thing, page);
        uint64_t key = vidmm_pattern_key(thing->oracle, page, version);
        uint32_t wrong = vidmm_pattern_check(cpu + page * PAGE, key);
        if (wrong != PAGE)
            stress_fail(
                "%s: allocation %llu, version %u: byte %u of page %llu is wrong for the CPU",
                actor->name, (unsigned long long)thing->oracle, version, wrong,
                (unsigned long long)page);
    }
    actor->checked_bytes += thing->size;
}

static void look(struct actor *actor, struct thing *thing, bool write) {
    void *cpu = NULL;
    MUST(actor, vidmm_lock(thing->allocation, write ? 0 : VIDMM_LOCK_READ_ONLY, &cpu));
    if (thing->known)
        compare(actor, thing, cpu);
    if (write) {
        renew(thing);
        for (uint64_t page = 0; page < thing->size / PAGE; page++)
            vidmm_pattern_write((unsigned char *)cpu + page * PAGE,
                                vidmm_pattern_key(thing->oracle, page, thing->version));
    }
    vidmm_unlock(thing->allocation);
}

/* ---- Residency ------------------------------------------------------------------------------- */

/* Off the list once; says so if the GPU wrote nothing, sometimes. */
static void evict(struct actor *actor, struct thing *thing) {
    uint32_t flags = 0;
    if (actor_below(actor, 2))
        flags |= VIDMM_EVICT_ONLY_IF_NECESSARY;
    if (!thing->written && actor_below(actor, 2))
        flags |= VIDMM_EVICT_NOT_WRITTEN_TO;
    MUST(actor, vidmm_device_evict(actor->device, &thing->allocation, 1, flags, NULL));
    if (--thing->listed == 0)
        thing->written = false;
}

/* Lets go of so many bytes, starting anywhere; what it let go of. */
static uint64_t trim(struct actor *actor, uint64_t bytes) {
    uint64_t freed = 0;
    uint32_t first = (uint32_t)actor_below(actor, THINGS);
    for (uint32_t i = 0; i < THINGS && freed < bytes; i++) {
        struct thing *thing = &actor->things[(first + i) % THINGS];
        if (!thing->listed)
            continue;
        freed += thing->size;
        while (thing->listed)
            evict(actor, thing);
    }
    return freed;
}

static void asked_to_trim(void *ctx, uint32_t flags, uint64_t bytes) {
    struct actor *actor = ctx;
    if (flags & VIDMM_TRIM_TO_BUDGET)
        atomic_store(&actor->trim_due, bytes);
}

void actor_make_resident(struct actor *actor, struct thing *const *list, uint32_t count) {
    struct vidmm_allocation *allocations[BATCH];
    enum vidmm_status status;
    uint64_t fence = 0, bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        allocations[i] = list[i]->allocation;
    do {
        uint64_t begin = actor_now_ns();
        status = vidmm_make_resident(actor->queue, allocations, count, 0, &fence, &bytes);
        took(actor, "vidmm_make_resident", begin);
    } while (status == VIDMM_DOES_NOT_FIT && trim(actor, bytes ? bytes : 1));
    if (status == VIDMM_DOES_NOT_FIT)
        MUST(actor, vidmm_make_resident(actor->queue, allocations, count, VIDMM_RESIDENT_CANT_TRIM,
                                        &fence, NULL));
    else
        MUST(actor, status);
    if (fence)
        MUST(actor, vidmm_paging_wait(actor->queue, fence));
    for (uint32_t i = 0; i < count; i++)
        list[i]->listed++;
}

static uint32_t choose(struct actor *actor, struct thing **list, uint32_t most) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < most; i++) {
        struct thing *thing = any(actor);
        if (thing->allocation && !thing->offered)
            list[count++] = thing;
    }
    return count;
}

static void list_some(struct actor *actor) {
    struct thing *list[BATCH];
    uint32_t count = choose(actor, list, (uint32_t)actor_below(actor, BATCH) + 1);
    if (count)
        actor_make_resident(actor, list, count);
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static void offer(struct actor *actor, struct thing *thing) {
    enum vidmm_offer_priority priority = (enum vidmm_offer_priority)(1 + actor_below(actor, 3));
    MUST(actor, vidmm_offer(actor->device, &thing->allocation, 1, priority));
    thing->offered = true;
}

static void reclaim(struct actor *actor, struct thing *thing) {
    enum vidmm_reclaim_result result = VIDMM_RECLAIM_OK;
    uint64_t fence = 0;
    MUST(actor, vidmm_reclaim(actor->queue, &thing->allocation, 1, &result, &fence));
    if (fence)
        MUST(actor, vidmm_paging_wait(actor->queue, fence));
    thing->offered = false;
    if (result == VIDMM_RECLAIM_DISCARDED)
        thing->known = false;
}

/* ---- Through the GPU ------------------------------------------------------------------------- */

static void draw(struct packets *packets, uint16_t opcode, uint64_t result, uint64_t oracle,
                 const struct span *span) {
    packets->at[packets->count++] =
        (struct vidmm_umd_draw){.head = {.opcode = opcode, .size = sizeof(struct vidmm_umd_draw)},
                                .address = span->va,
                                .result = result,
                                .oracle = oracle,
                                .bytes = (uint64_t)(span->page + span->pages) * PAGE,
                                .page = span->page,
                                .pages = span->pages,
                                .version = span->version};
}

void actor_check(struct actor *actor, struct packets *packets, uint64_t oracle,
                 const struct span *span) {
    draw(packets, VIDMM_UMD_PACKET_CHECK, actor->result.va, oracle, span);
}

void actor_stamp(struct packets *packets, struct thing *thing, const struct span *span) {
    draw(packets, VIDMM_UMD_PACKET_STAMP, 0, thing->oracle, span);
    thing->written = true;
    packets->written[packets->written_count++] = thing->allocation;
    if (span->page == 0)
        packets->stamped[packets->stamped_count++] = thing;
}

/* As many pages at once as are of one version. */
static void check_all(struct actor *actor, struct packets *packets, const struct thing *thing) {
    struct span span = {.va = thing->va};
    for (; span.page < thing->size / PAGE; span.page += span.pages) {
        span.version = version_of(thing, span.page);
        span.pages = 1;
        while (span.page + span.pages < thing->size / PAGE &&
               version_of(thing, span.page + span.pages) == span.version)
            span.pages++;
        actor_check(actor, packets, thing->oracle, &span);
    }
}

/* Checks what is known, then writes some of it. */
static void use(struct actor *actor, struct packets *packets, struct thing *thing) {
    if (thing->known)
        check_all(actor, packets, thing);
    if (thing->known && actor_below(actor, 3))
        return;
    renew(thing);
    const struct span all = {thing->va, 0, (uint32_t)(thing->size / PAGE), thing->version};
    actor_stamp(packets, thing, &all);
}

static void run(struct actor *actor, struct packets *packets) {
    bool listed = actor_below(actor, 2); /* the submission lists what it writes */
    const struct vidmm_virtual_submission submission = {
        .commands = actor->commands.va,
        .size = packets->count * (uint32_t)sizeof(struct vidmm_umd_draw),
        .written = listed ? packets->written : NULL,
        .written_count = listed ? packets->written_count : 0};
    uint64_t fence = 0;
    MUST(actor, vidmm_submit_virtual(actor->context, &submission, &fence));
    if (actor_below(actor, 2))
        tiles_queue_behind(actor);
    MUST(actor, vidmm_wait(actor->adapter, fence));
}

/* Where the first page of what is stamped lies. */
struct lair {
    uint32_t segment;
    uint64_t offset;
};

static void find(const struct packets *packets, struct lair *lairs) {
    for (uint32_t i = 0; i < packets->stamped_count; i++) {
        struct vidmm_allocation_info info;
        vidmm_allocation_info(packets->stamped[i]->allocation, &info);
        lairs[i] = (struct lair){info.segment, info.offset};
    }
}

/* What lies where it lay was written there: every reader has heard of it, or hears of it next. */
static void must_be_reported(struct actor *actor, const struct packets *packets,
                             const struct lair *before, const uint64_t *begin) {
    struct lair after[PACKETS_MOST];
    find(packets, after);
    for (uint32_t k = 0; k < HARVESTS; k++) {
        const struct harvest *harvest = &actor->harvest[k];
        harvest_settle(&actor->harvest[k]);
        for (uint32_t i = 0; i < packets->stamped_count; i++)
            if (before[i].segment != 0 && before[i].segment == after[i].segment &&
                before[i].offset == after[i].offset &&
                !harvest_reported(harvest, after[i].segment, after[i].offset, begin[k]))
                stress_fail("%s: a write to offset 0x%llx of segment %u was never reported as "
                            "dirty to reader %u",
                            actor->name, (unsigned long long)after[i].offset, after[i].segment, k);
    }
}

/* The same while others read dirty bits. */
static void run_watched(struct actor *actor, struct packets *packets) {
    struct lair before[PACKETS_MOST];
    uint64_t begin[HARVESTS];
    for (uint32_t k = 0; k < HARVESTS; k++)
        begin[k] = harvest_begin(&actor->harvest[k]);
    find(packets, before);
    run(actor, packets);
    if (actor_below(actor, 4) == 0) /* settling takes a while */
        must_be_reported(actor, packets, before, begin);
}

static void read_result(struct actor *actor) {
    struct vidmm_umd_result *result = NULL;
    MUST(actor, vidmm_lock(actor->result.allocation, 0, (void **)&result));
    if (result->wrong_pages)
        stress_fail("%s: %llu pages are wrong for the GPU; the first is page %u of allocation %llu",
                    actor->name, (unsigned long long)result->wrong_pages, result->first_page,
                    (unsigned long long)result->first_oracle);
    actor->checked_bytes += result->checked_bytes;
    memset(result, 0, sizeof(*result));
    vidmm_unlock(actor->result.allocation);
}

void actor_submit(struct actor *actor) {
    struct packets packets = {.at = actor->commands_cpu};
    uint32_t first = (uint32_t)actor_below(actor, THINGS), used = 0;
    for (uint32_t i = 0; i < THINGS && used < BATCH; i++) {
        struct thing *thing = &actor->things[(first + i) % THINGS];
        if (!thing->listed || thing->offered)
            continue;
        used++;
        use(actor, &packets, thing);
    }
    tiles_use(actor, &packets);
    packets.written[packets.written_count++] = actor->result.allocation;
    if (packets.count == 0)
        return;
    if (actor->harvest)
        run_watched(actor, &packets);
    else
        run(actor, &packets);
    read_result(actor);
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* To other addresses. */
static void remap(struct actor *actor, struct thing *thing) {
    MUST(actor, vidmm_va_free(actor->process, thing->va, thing->size));
    map(actor, thing);
}

static void act_on(struct actor *actor, struct thing *thing, uint64_t action) {
    if (thing->offered) {
        if (action < 12)
            reclaim(actor, thing);
    } else if (action < 3) {
        destroy(actor, thing);
    } else if (action < 8) {
        offer(actor, thing);
    } else if (action < 12) {
        remap(actor, thing);
    } else if (action < 24) {
        look(actor, thing, actor_below(actor, 2));
    } else if (action < 40 && thing->listed) {
        evict(actor, thing);
    }
}

void actor_step(struct actor *actor) {
    uint64_t due = atomic_exchange(&actor->trim_due, 0), action = actor_below(actor, 100);
    bool pool = actor_below(actor, 8) == 0;
    struct thing *thing = pool ? &actor->things[actor_below(actor, POOLS)] : any(actor);
    if (due && actor_below(actor, 4)) /* not every actor obeys at once */
        (void)trim(actor, due);
    if (!thing->allocation)
        create_random(actor, thing);
    else if (action < 40)
        act_on(actor, thing, action);
    else if (action < 55)
        list_some(actor);
    else if (action < 75)
        tiles_step(actor);
    else
        actor_submit(actor);
    atomic_fetch_add(&actor->steps, 1);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

void actor_want(struct actor *actor, uint64_t bytes) {
    uint64_t listed = 0;
    for (uint32_t i = 0; i < THINGS; i++) {
        struct thing *thing = &actor->things[i];
        if (!thing->allocation)
            create_random(actor, thing);
        if (thing->offered)
            reclaim(actor, thing);
        while (thing->listed)
            evict(actor, thing);
    }
    for (uint32_t i = 0; i < THINGS && listed < bytes; i++) {
        struct thing *thing = &actor->things[i];
        actor_make_resident(actor, &thing, 1);
        listed += thing->size;
    }
    atomic_fetch_add(&actor->steps, 1);
}

/* Segments have pages of 4 or of 64 KiB. */
static uint64_t bytes_in(const struct actor *actor, const struct vidmm_allocation_info *info) {
    struct vidmm_segment_info segment;
    DXGK_SEGMENTFLAGS flags;
    if (!info->segment || !vidmm_segment_info(actor->adapter, info->segment, &segment) ||
        segment.aperture)
        return 0;
    flags.Value = segment.flags;
    uint64_t page = flags.Use64KBPages ? 16 * PAGE : PAGE;
    return (info->size + page - 1) / page * page;
}

uint64_t actor_held(const struct actor *actor) {
    uint64_t held = 0;
    for (uint32_t i = 0; i < THINGS; i++) {
        struct vidmm_allocation_info info;
        if (!actor->things[i].listed)
            continue;
        vidmm_allocation_info(actor->things[i].allocation, &info);
        held += bytes_in(actor, &info);
    }
    return held;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* In system memory, where the CPU may keep its pointer to it. */
static void create_helper(struct actor *actor, struct thing *thing, uint64_t size) {
    create(actor, thing, size, VIDMM_UMD_CACHED);
    actor_make_resident(actor, &thing, 1);
}

void actor_start(struct actor *actor, struct vidmm_adapter *adapter, const char *name,
                 uint64_t seed) {
    memset(actor, 0, sizeof(*actor));
    actor->adapter = adapter;
    actor->name = name;
    actor->random = seed;
    actor->next_oracle = seed << 32 & UINT64_C(0x7fffffff00000000);
    MUST(actor, vidmm_process_create(adapter, &actor->process));
    MUST(actor, vidmm_process_device_create(actor->process, &actor->device));
    MUST(actor, vidmm_context_create(actor->device, 0, 0, &actor->context));
    MUST(actor, vidmm_paging_queue_create(actor->device, 0, &actor->queue));
    vidmm_device_trim(actor->device, asked_to_trim, actor);
    create_helper(actor, &actor->commands, BUFFER_BYTES);
    create_helper(actor, &actor->result, PAGE);
    MUST(actor, vidmm_lock(actor->commands.allocation, 0, &actor->commands_cpu));
    tiles_start(actor);
}

/* The device takes some pools, and what is queued for its context, with it. */
void actor_end(struct actor *actor) {
    tiles_queue(actor);
    for (uint32_t i = 0; i < THINGS; i++) {
        struct thing *thing = &actor->things[i];
        if (!thing->allocation)
            continue;
        if (thing->offered)
            reclaim(actor, thing);
        look(actor, thing, false);
        if (!thing->versions || actor_below(actor, 2))
            destroy(actor, thing);
        atomic_fetch_add(&actor->steps, 1);
    }
    tiles_queue(actor);
    vidmm_unlock(actor->commands.allocation);
    vidmm_device_destroy(actor->device);
    vidmm_process_destroy(actor->process);
}
