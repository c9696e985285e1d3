/*
 * play_virtual.c - the player as a user-mode driver of WDDM 2: every allocation has an address in
 * its process's space, what a submission needs is made resident before it, and commands are packets
 * that name addresses (vidmm/umd.h).
 *
 * Mappings may be gathered: the submission that needs the first of them has all of them written.
 *
 * A process keeps its allocations resident until it is asked to trim or a request does not fit:
 * then it evicts the least recently used first, as a runtime does. A request of another thread may
 * ask for a trim at any time; while the process is busy it only adds up the bytes and trims
 * afterwards.
 */
#include "player.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (256u << 10) /* of packets in one submission */
#define PACKET_BYTES ((uint32_t)sizeof(struct vidmm_umd_draw))
/* Command buffers begin anywhere in their allocation, not at a page alone. */
#define BEGINS     4u
#define BEGIN_STEP 64u

/* ---- What stays resident --------------------------------------------------------------------- */

static void unlink_allocation(struct player_allocation *allocation) {
    struct player_process *process = allocation->process;
    if (allocation->older)
        allocation->older->newer = allocation->newer;
    else
        process->oldest = allocation->newer;
    if (allocation->newer)
        allocation->newer->older = allocation->older;
    else
        process->newest = allocation->older;
    allocation->older = allocation->newer = NULL;
}

static void link_newest(struct player_allocation *allocation) {
    struct player_process *process = allocation->process;
    allocation->older = process->newest;
    if (process->newest)
        process->newest->newer = allocation;
    else
        process->oldest = allocation;
    process->newest = allocation;
}

/* Evicts at least `bytes` that the current submission does not need; returns the bytes evicted. */
static uint64_t virtual_trim(struct player_process *process, uint64_t bytes) {
    uint64_t freed = 0;
    struct player_allocation *newer;
    process->trims++;
    for (struct player_allocation *one = process->oldest; one && freed < bytes; one = newer) {
        newer = one->newer;
        if (one->used == process->submission || one->offered)
            continue;
        if (vidmm_device_evict(process->device, &one->handle, 1, 0, NULL) != VIDMM_OK)
            continue;
        freed += one->size;
        one->resident = false;
        unlink_allocation(one);
    }
    process->trimmed_bytes += freed;
    return freed;
}

static void asked_to_trim(void *ctx, uint32_t flags, uint64_t bytes) {
    struct player_process *process = ctx;
    if ((flags & VIDMM_TRIM_TO_BUDGET) == 0)
        return;
    if (pthread_mutex_trylock(&process->lists) != 0) {
        atomic_store(&process->trim_due, bytes);
        return;
    }
    (void)virtual_trim(process, bytes);
    pthread_mutex_unlock(&process->lists);
}

/* Records the use of every reference; those not on the device's list go to process->list. */
static uint32_t virtual_missing(struct player_process *process,
                                struct player_allocation *commands) {
    uint32_t count = 0;
    for (uint32_t i = 0; i <= process->reference_count; i++) {
        struct player_allocation *one =
            i < process->reference_count ? process->referenced[i] : commands;
        bool seen = one->used == process->submission;
        one->used = process->submission;
        if (one->resident) {
            unlink_allocation(one);
            link_newest(one);
        } else if (!seen) {
            process->list[count++] = one->handle;
        }
    }
    return count;
}

static void virtual_keep(struct player_process *process, struct player_allocation *commands) {
    for (uint32_t i = 0; i <= process->reference_count; i++) {
        struct player_allocation *one =
            i < process->reference_count ? process->referenced[i] : commands;
        if (one->resident)
            continue;
        one->resident = true;
        link_newest(one);
    }
}

/* MakeResident, with trims in between, as long as there is something to trim. */
static enum vidmm_status make_resident(struct player_process *process,
                                       struct player_allocation *commands) {
    uint64_t fence = 0, bytes = atomic_exchange(&process->trim_due, 0);
    uint32_t count = virtual_missing(process, commands);
    enum vidmm_status status = VIDMM_OK;
    if (bytes != 0)
        (void)virtual_trim(process, bytes);
    if (count == 0)
        return VIDMM_OK;
    do {
        status = vidmm_make_resident(process->queue, process->list, count, 0, &fence, &bytes);
    } while (status == VIDMM_DOES_NOT_FIT && virtual_trim(process, bytes != 0 ? bytes : 1) != 0);
    if (status == VIDMM_DOES_NOT_FIT)
        status = vidmm_make_resident(process->queue, process->list, count, VIDMM_RESIDENT_CANT_TRIM,
                                     &fence, NULL);
    if (status == VIDMM_OK && fence != 0)
        status = vidmm_paging_wait(process->queue, fence);
    if (status == VIDMM_OK)
        virtual_keep(process, commands);
    return status;
}

/* ---- Packets --------------------------------------------------------------------------------- */

static uint32_t write_packets(const struct player_process *process, unsigned char *cpu,
                              uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct vidmm_umd_command *command = &process->commands[first + i];
        const struct player_allocation *allocation = process->referenced[command->index];
        bool check = command->opcode == VIDMM_UMD_CHECK;
        const struct vidmm_umd_draw packet = {
            .head = {.opcode = check ? VIDMM_UMD_PACKET_CHECK : VIDMM_UMD_PACKET_STAMP,
                     .size = PACKET_BYTES},
            .address = process->addresses[first + i],
            .result = check ? process->referenced[command->result]->va : 0,
            .oracle = command->oracle,
            .bytes = allocation->size,
            .page = command->page,
            .pages = command->pages,
            .version = command->version};
        memcpy(cpu + (size_t)i * PACKET_BYTES, &packet, sizeof(packet));
    }
    return count * PACKET_BYTES;
}

/* Those that the commands write, then those that they only read; reuses process->list. */
static uint32_t virtual_used(struct player_process *process) {
    uint32_t written = 0, count = 0;
    for (uint32_t writes = 2; writes-- > 0;) {
        for (uint32_t i = 0; i < process->reference_count; i++)
            if (process->references[i].write == (writes == 1))
                process->list[count++] = process->references[i].allocation;
        written = writes ? count : written;
    }
    return written;
}

/* The next command buffer, once the GPU has read what was in it. */
static enum vidmm_status next_buffer(struct player_process *process, struct player_commands **out) {
    struct player_commands *commands = &process->ring[process->ring_next++ % COMMAND_BUFFERS];
    *out = commands;
    return commands->fence == 0 ? VIDMM_OK
                                : vidmm_wait(process->player->harness->adapter, commands->fence);
}

static enum vidmm_status submit_part(struct player_process *process, uint32_t first, uint32_t count,
                                     uint64_t *fence) {
    struct player_commands *commands;
    enum vidmm_status status = next_buffer(process, &commands);
    if (status == VIDMM_OK)
        status = make_resident(process, &commands->buffer);
    if (status != VIDMM_OK)
        return status;
    uint32_t begin = process->ring_next % BEGINS * BEGIN_STEP;
    const struct vidmm_virtual_submission submission = {
        .commands = commands->buffer.va + begin,
        .size = write_packets(process, commands->cpu + begin, first, count),
        .written = process->list,
        .written_count = virtual_used(process),
        .used = process->list,
        .used_count = process->reference_count};
    status = vidmm_submit_virtual(process->context, &submission, fence);
    commands->fence = status == VIDMM_OK ? *fence : 0;
    return status;
}

static bool room_for_lists(struct player_process *process) {
    uint32_t need = process->reference_count + 1;
    if (need <= process->list_room)
        return true;
    struct vidmm_allocation **grown = realloc(process->list, 2 * need * sizeof(*grown));
    if (!grown)
        return false;
    process->list = grown;
    process->list_room = 2 * need;
    return true;
}

enum vidmm_status play_virtual_submit(struct player_process *process, uint64_t *fence) {
    const uint32_t most = (BUFFER_BYTES - BEGINS * BEGIN_STEP) / PACKET_BYTES;
    enum vidmm_status status = VIDMM_OK;
    uint32_t first = 0;
    if (!room_for_lists(process))
        return VIDMM_NO_MEMORY;
    pthread_mutex_lock(&process->lists);
    process->submission++;
    do {
        uint32_t left = process->command_count - first, count = left < most ? left : most;
        status = submit_part(process, first, count, fence);
        first += count;
    } while (status == VIDMM_OK && first < process->command_count);
    pthread_mutex_unlock(&process->lists);
    return status;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

enum vidmm_status play_virtual_made(struct player_process *process,
                                    struct player_allocation *allocation) {
    const struct vidmm_va_request request = {.size = allocation->size,
                                             .allocation = allocation->handle,
                                             .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    uint64_t fence = 0;
    allocation->process = process;
    return vidmm_va_map(process->queue, &request, &allocation->va, &fence);
}

void play_virtual_leave(struct player_allocation *allocation) {
    struct player_process *process = allocation->process;
    if (!process || !process->space)
        return;
    pthread_mutex_lock(&process->lists);
    if (allocation->resident)
        unlink_allocation(allocation);
    allocation->resident = false;
    pthread_mutex_unlock(&process->lists);
}

/* Cached system memory, because the CPU writes it often. */
static enum vidmm_status make_buffer(struct player_process *process,
                                     struct player_commands *commands) {
    const struct umd_shim_request request = {.size = BUFFER_BYTES,
                                             .umd_flags = VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED};
    enum vidmm_status status = umd_shim_create(&process->player->shim, process->device, &request,
                                               &commands->buffer.handle);
    commands->buffer.size = BUFFER_BYTES;
    if (status == VIDMM_OK)
        status = play_virtual_made(process, &commands->buffer);
    if (status == VIDMM_OK)
        status = vidmm_lock(commands->buffer.handle, 0, (void **)&commands->cpu);
    return status;
}

void play_virtual_report(struct player_process *process) {
    struct vidmm_budget local, other;
    if (!process->player)
        return; /* it did not start */
    struct vidmm_play_result *result = process->player->result;
    result->trims += process->trims;
    result->trimmed_bytes += process->trimmed_bytes;
    result->offers += process->offers;
    result->discards += process->discards;
    result->ranges += process->ranges;
    result->binds += process->binds;
    result->aliased += process->aliased;
    if (!process->space || result->process_count == VIDMM_PLAY_PROCESSES)
        return;
    vidmm_process_budget(process->space, 0, VIDMM_GROUP_LOCAL, &local);
    vidmm_process_budget(process->space, 0, VIDMM_GROUP_NON_LOCAL, &other);
    result->process[result->process_count++] =
        (struct vidmm_play_process){.local_budget = local.budget,
                                    .local_usage = local.usage,
                                    .non_local_budget = other.budget,
                                    .non_local_usage = other.usage};
}

bool play_virtual_start(struct player_process *process) {
    struct vidmm_player *player = process->player;
    if (pthread_mutex_init(&process->lists, NULL) != 0)
        return player_fail(player, VIDMM_NO_MEMORY, "a process");
    enum vidmm_status status = vidmm_process_create(player->harness->adapter, &process->space);
    if (status == VIDMM_OK)
        status = vidmm_process_device_create(process->space, &process->device);
    if (status == VIDMM_OK)
        status = play_linked_contexts(process);
    if (status == VIDMM_OK)
        status = vidmm_paging_queue_create(process->device, 0, &process->queue);
    if (status == VIDMM_OK)
        status = vidmm_paging_queue_gather(process->queue, player->options->gather);
    for (uint32_t i = 0; status == VIDMM_OK && i < COMMAND_BUFFERS; i++)
        status = make_buffer(process, &process->ring[i]);
    if (status != VIDMM_OK)
        return player_fail(player, status, "a process");
    vidmm_device_trim(process->device, asked_to_trim, process);
    return true;
}

void play_virtual_stop(struct player_process *process) {
    if (!process->player)
        return;
    for (uint32_t i = 0; i < COMMAND_BUFFERS; i++) {
        struct player_commands *commands = &process->ring[i];
        if (!commands->buffer.handle)
            continue;
        if (commands->cpu)
            vidmm_unlock(commands->buffer.handle);
        play_virtual_leave(&commands->buffer);
        vidmm_allocation_destroy(commands->buffer.handle);
    }
    vidmm_paging_queue_destroy(process->queue);
    pthread_mutex_destroy(&process->lists);
}
