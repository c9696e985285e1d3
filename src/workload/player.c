/*
 * player.c - replays a workload over a started harness and compares every byte with the oracle.
 */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Approximate bytes that the GPU checks and stamps in a run. */
#define TOUCHED_GOAL (UINT64_C(12) << 30)

/* ---- Making ---------------------------------------------------------------------------------- */

/* Bytes that CHECK and STAMP would cover without shares. */
static uint64_t touched_bytes(const struct vidmm_workload *workload, uint64_t *sizes) {
    uint64_t touched = 0;
    for (size_t i = 0; i < workload->event_count; i++) {
        const struct vidmm_event *event = &workload->events[i];
        if (event->kind == VIDMM_EVENT_ALLOC)
            sizes[event->allocation] = event->size;
        if (event->kind != VIDMM_EVENT_SUBMIT)
            continue;
        const uint32_t *list = workload->lists + event->first;
        for (uint32_t k = 0; k < event->reads + event->writes; k++) {
            uint64_t bytes = sizes[list[k]] * (k < event->reads ? 1 : 3);
            touched = touched > UINT64_MAX - bytes ? UINT64_MAX : touched + bytes;
        }
    }
    return touched;
}

static bool choose_share(struct vidmm_player *player) {
    uint64_t *sizes = calloc((size_t)player->workload->allocation_count + 1, sizeof(*sizes));
    if (!sizes)
        return false;
    uint64_t share = touched_bytes(player->workload, sizes) / TOUCHED_GOAL + 1;
    player->share = share > UINT32_MAX ? UINT32_MAX : (uint32_t)share;
    free(sizes);
    return true;
}

/* In a process without presents every submission ends a frame. */
static void find_presenters(struct vidmm_player *player) {
    const struct vidmm_workload *workload = player->workload;
    for (size_t i = 0; i < workload->event_count; i++)
        if (workload->events[i].kind == VIDMM_EVENT_PRESENT)
            player->processes[workload->events[i].process].presents = true;
}

struct vidmm_player *vidmm_player_create(const struct vidmm_workload *workload) {
    struct vidmm_player *player = calloc(1, sizeof(*player));
    if (!player)
        return NULL;
    player->workload = workload;
    player->allocations =
        calloc((size_t)workload->allocation_count + 1, sizeof(*player->allocations));
    player->processes = calloc((size_t)workload->process_count + 1, sizeof(*player->processes));
    player->ranges = calloc((size_t)workload->range_count + 1, sizeof(*player->ranges));
    bool ok = player->allocations && player->processes && player->ranges && choose_share(player) &&
              pthread_mutex_init(&player->lock, NULL) == 0;
    if (ok && !oracle_init(&player->oracle)) {
        pthread_mutex_destroy(&player->lock);
        ok = false;
    }
    if (!ok) {
        free(player->ranges);
        free(player->allocations);
        free(player->processes);
        free(player);
        return NULL;
    }
    player->frames = vidmm_workload_frames(workload);
    find_presenters(player);
    oracle_observe(&player->oracle, &player->observer);
    return player;
}

void vidmm_player_destroy(struct vidmm_player *player) {
    if (!player)
        return;
    oracle_destroy(&player->oracle);
    pthread_mutex_destroy(&player->lock);
    free(player->ranges);
    free(player->allocations);
    free(player->processes);
    free(player);
}

const struct vidmm_observer *vidmm_player_observer(struct vidmm_player *player) {
    return &player->observer;
}

/* The process is lost: its further events are not played, its bytes not compared. */
static void player_lose_process(struct player_process *process) {
    struct vidmm_player *player = process->player;
    if (atomic_exchange(&process->dead, true))
        return;
    pthread_mutex_lock(&player->lock);
    player->result->lost_processes++;
    pthread_mutex_unlock(&player->lock);
}

/* ---- Running --------------------------------------------------------------------------------- */

#define PROGRESS 64u /* events between two reports of the progress */

struct player_thread {
    struct vidmm_player *player;
    uint32_t index;
    pthread_t thread;
};

/* True: the replay goes on; the caller's gate may end it at any event. */
static bool gate_open(struct vidmm_player *player, uint64_t event) {
    const struct vidmm_play_options *options = player->options;
    if (!options->gate || options->gate(options->gate_ctx, player->harness, event))
        return true;
    pthread_mutex_lock(&player->lock);
    player->result->gated = true;
    pthread_mutex_unlock(&player->lock);
    atomic_store(&player->failed, true); /* nothing is compared any more */
    atomic_store(&player->stop, true);
    return false;
}

static void *play_events(void *ctx) {
    const struct player_thread *thread = ctx;
    struct vidmm_player *player = thread->player;
    const struct vidmm_workload *workload = player->workload;
    const struct vidmm_play_options *options = player->options;
    uint64_t reported = 0; /* events at the last call of `progress` */
    for (size_t i = 0; i < workload->event_count && !atomic_load(&player->stop); i++) {
        struct player_process *process = &player->processes[workload->events[i].process];
        if (workload->events[i].process % player->threads != thread->index)
            continue;
        if (!gate_open(player, i))
            break;
        if (atomic_load(&process->dead))
            continue;
        play_ahead(player, thread->index, i);
        if (!play_event(player, i) && !atomic_load(&player->stop))
            player_lose_process(process);
        uint64_t done = atomic_fetch_add(&player->done, 1) + 1;
        if (!options->progress || thread->index != 0 || done / PROGRESS == reported / PROGRESS)
            continue; /* other threads count too, so this one may skip multiples */
        reported = done;
        options->progress(options->progress_ctx, done, workload->event_count);
    }
    return NULL;
}

static void play_all(struct vidmm_player *player) {
    struct player_thread *threads = calloc(player->threads, sizeof(*threads));
    uint32_t started = 1;
    if (!threads) {
        player_fail(player, VIDMM_NO_MEMORY, "starting");
        return;
    }
    threads[0] = (struct player_thread){.player = player};
    for (; started < player->threads; started++) {
        threads[started] = (struct player_thread){.player = player, .index = started};
        if (pthread_create(&threads[started].thread, NULL, play_events, &threads[started]) != 0) {
            player_fail(player, VIDMM_NO_MEMORY, "starting threads");
            break;
        }
    }
    play_events(&threads[0]);
    vidmm_host_away(true);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i].thread, NULL);
    vidmm_host_away(false);
    free(threads);
}

static bool start_physical(struct player_process *process) {
    struct vidmm_player *player = process->player;
    enum vidmm_status status = vidmm_device_create(player->harness->adapter, &process->device);
    if (status == VIDMM_OK)
        status = play_linked_contexts(process);
    return status == VIDMM_OK || player_fail(player, status, "a device");
}

static bool start_linked(struct vidmm_player *player) {
    return play_linked_start(player) || player_fail(player, VIDMM_NO_MEMORY, "linked adapters");
}

static bool start_processes(struct vidmm_player *player) {
    for (uint32_t i = 0; i < player->workload->process_count; i++) {
        struct player_process *process = &player->processes[i];
        process->player = player;
        if (!(player->gpummu ? play_virtual_start(process) : start_physical(process)) ||
            !play_frames_start(process))
            return false;
    }
    return true;
}

/* ---- The end --------------------------------------------------------------------------------- */

static void destroy_processes(struct vidmm_player *player) {
    for (uint32_t i = 0; i < player->workload->process_count; i++) {
        struct player_process *process = &player->processes[i];
        play_frames_stop(process);
        if (player->gpummu)
            play_virtual_stop(process);
        for (uint32_t k = 0; k < VIDMM_LINKED_MOST; k++)
            if (process->contexts[k])
                vidmm_context_destroy(process->contexts[k]);
        if (process->device)
            vidmm_device_destroy(process->device);
        vidmm_process_destroy(process->space);
        free(process->list);
        free(process->referenced);
        free(process->references);
        free(process->commands);
        free(process->addresses);
        *process = (struct player_process){.presents = process->presents};
    }
}

static void destroy_allocations(struct vidmm_player *player) {
    for (uint32_t i = 0; i < player->workload->allocation_count; i++) {
        struct player_allocation *allocation = &player->allocations[i];
        if (!allocation->handle)
            continue;
        oracle_allocation_leave(&allocation->oracle);
        play_virtual_leave(allocation);
        vidmm_allocation_destroy(allocation->handle);
        allocation->handle = NULL;
        oracle_allocation_destroy(&allocation->oracle);
    }
}

static void verify_all(struct vidmm_player *player) {
    uint32_t count = player->workload->allocation_count;
    for (uint32_t i = 0; i < count && !atomic_load(&player->failed); i++) {
        struct player_allocation *allocation = &player->allocations[i];
        if (!allocation->handle || atomic_load(&allocation->process->dead))
            continue;
        if (allocation->pinned)
            (void)vidmm_allocation_pin(allocation->handle, false);
        if ((allocation->offered && !play_reclaim(allocation->process, allocation)) ||
            !play_verify_last(player, allocation))
            player_lose_process(allocation->process);
    }
}

static void finish_frames(struct vidmm_player *player) {
    for (uint32_t i = 0; i < player->workload->process_count; i++) {
        struct player_process *process = &player->processes[i];
        if (!atomic_load(&player->failed) && !atomic_load(&process->dead) &&
            !play_frames_finish(process))
            player_lose_process(process);
        play_free_finish(process, true);
    }
}

static void player_report(struct vidmm_player *player, uint64_t started) {
    struct vidmm_play_result *result = player->result;
    const struct vidmm_os *os = vidmm_host_os(player->harness->host);
    vidmm_stats(player->harness->adapter, &result->stats);
    if (player->options->counted)
        player->options->counted(player->options->counted_ctx);
    for (uint32_t i = 0; player->gpummu && i < player->workload->process_count; i++)
        play_virtual_report(&player->processes[i]);
    result->virtual_ns = os->now(os->ctx) - started;
}

/* Fills in the result: what was played, the findings, the verdict. */
static void player_conclude(struct vidmm_player *player) {
    struct vidmm_play_result *result = player->result;
    result->verified_bytes = player->oracle.verified_bytes;
    result->mismatched_bytes = player->oracle.mismatched_bytes;
    result->first = player->oracle.first;
    if (player->status == VIDMM_PLAY_OK && result->mismatched_bytes != 0) {
        player->status = VIDMM_PLAY_WRONG;
        snprintf(player->text, player->text_size, "%s", result->first.text);
    }
}

enum vidmm_play_status vidmm_player_run(struct vidmm_player *player, struct vidmm_harness *harness,
                                        const struct vidmm_play_options *options,
                                        struct vidmm_play_result *result, char *text,
                                        size_t text_size) {
    const struct vidmm_os *os = vidmm_host_os(harness->host);
    uint64_t started = os->now(os->ctx);
    uint32_t processes = player->workload->process_count;
    struct vidmm_gpummu_info mmu;
    memset(result, 0, sizeof(*result));
    text[0] = 0;
    player->harness = harness;
    player->options = options;
    player->result = result;
    player->text = text;
    player->text_size = text_size;
    player->threads = options->threads < processes ? options->threads : processes;
    if (player->threads == 0)
        player->threads = 1;
    player->oracle.blind = options->no_content;
    player->oracle.own_tiles = options->own_tiles;
    player->oracle.wrong = options->wrong;
    player->oracle.wrong_ctx = options->wrong_ctx;
    oracle_attach(&player->oracle, harness);
    umd_shim_start(&player->shim, harness);
    vidmm_gpummu_info(harness->adapter, 0, &mmu);
    player->gpummu = mmu.on || mmu.iommu;
    player->iommu = mmu.iommu;
    player->linked = vidmm_host_linked(harness->host);
    play_ranges_start(player);
    if (start_linked(player) && start_processes(player)) {
        play_all(player);
        finish_frames(player);
    } else {
        atomic_store(&player->failed, true);
    }
    player_report(player, started);
    verify_all(player);
    finish_frames(player);
    destroy_allocations(player);
    play_ranges_stop(player);
    play_linked_stop(player);
    destroy_processes(player);
    player_conclude(player);
    return player->status;
}
