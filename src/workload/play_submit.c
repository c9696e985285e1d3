/*
 * play_submit.c - submissions, with commands whose reads and writes can be checked.
 *
 * The GPU checks a share of the pages that a workload reads. Pages that it writes are checked,
 * stamped with a new version, and checked again at once, to tell a bad write from a bad transfer
 * later. A driver without such commands gets empty buffers, and the CPU writes instead.
 */
#include "player.h"

#include <stdlib.h>

#define WHOLE_PAGES 64u /* small allocations are always touched whole */
#define RUNS_MAX    32u /* CHECK commands for one share at most */

struct oracle_range play_share(const struct vidmm_player *player,
                               const struct player_allocation *allocation, uint32_t *turn) {
    uint32_t pages = allocation->oracle.pages, part = (pages - 1) / player->share + 1;
    if (part < WHOLE_PAGES)
        part = pages < WHOLE_PAGES ? pages : WHOLE_PAGES;
    uint32_t parts = (pages - 1) / part + 1;
    uint32_t first = (*turn)++ % parts * part;
    return (struct oracle_range){first, pages - first < part ? pages - first : part};
}

/* ---- Putting together ------------------------------------------------------------------------ */

static bool grow_references(struct player_process *process) {
    uint32_t room = process->reference_room * 2 + 16;
    struct vidmm_reference *grown = realloc(process->references, room * sizeof(*grown));
    if (grown)
        process->references = grown;
    struct player_allocation **known =
        realloc(process->referenced, room * sizeof(*process->referenced));
    if (known)
        process->referenced = known;
    if (!grown || !known)
        return player_fail(process->player, VIDMM_NO_MEMORY, "a submission");
    process->reference_room = room;
    return true;
}

static bool add_reference(struct player_process *process, struct player_allocation *allocation,
                          bool write) {
    if (process->reference_count == process->reference_room && !grow_references(process))
        return false;
    process->referenced[process->reference_count] = allocation;
    process->references[process->reference_count++] =
        (struct vidmm_reference){.allocation = allocation->handle, .write = write};
    return true;
}

static bool grow_commands(struct player_process *process) {
    uint32_t room = process->command_room * 2 + 16;
    struct vidmm_umd_command *grown = realloc(process->commands, room * sizeof(*grown));
    if (grown)
        process->commands = grown;
    uint64_t *addresses = realloc(process->addresses, room * sizeof(*addresses));
    if (addresses)
        process->addresses = addresses;
    if (!grown || !addresses)
        return player_fail(process->player, VIDMM_NO_MEMORY, "a submission");
    process->command_room = room;
    return true;
}

/* A command for the reference added last, through one address. */
static bool add_command_at(struct player_process *process, uint32_t opcode, uint64_t oracle_id,
                           struct oracle_range range, uint32_t version, uint64_t address) {
    if (process->command_count == process->command_room && !grow_commands(process))
        return false;
    process->addresses[process->command_count] = address;
    process->commands[process->command_count++] =
        (struct vidmm_umd_command){.opcode = opcode,
                                   .index = process->reference_count - 1,
                                   .oracle = oracle_id,
                                   .page = range.first,
                                   .pages = range.pages,
                                   .version = version};
    process->checks |= opcode == VIDMM_UMD_CHECK;
    return true;
}

/* Commands for the reference added last, one for each address that is used for a part. */
static bool add_command(struct player_process *process, uint32_t opcode, uint64_t oracle_id,
                        struct oracle_range range, uint32_t version) {
    struct player_allocation *allocation = process->referenced[process->reference_count - 1];
    const struct player_alias *alias = play_range_choose(allocation);
    do {
        struct oracle_range part = range;
        uint64_t address = play_range_address(process, allocation, alias, &part);
        if (!add_command_at(process, opcode, oracle_id, part, version, address))
            return false;
        range.first += part.pages;
        range.pages -= part.pages;
    } while (range.pages != 0);
    return true;
}

/* CHECK commands, one for each run of pages with one version. */
static bool add_checks(struct player_process *process, struct player_allocation *allocation,
                       struct oracle_range range, uint32_t runs) {
    uint64_t id = allocation->oracle.index + UINT64_C(1);
    while (range.pages != 0 && runs-- != 0) {
        uint32_t version;
        struct oracle_range run = {range.first,
                                   oracle_same_version(&allocation->oracle, range, &version)};
        if (version != ORACLE_UNKNOWN && !add_command(process, VIDMM_UMD_CHECK, id, run, version))
            return false;
        range.first += run.pages;
        range.pages -= run.pages;
    }
    return true;
}

static bool add_read(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    return add_reference(process, allocation, false) &&
           (!player->shim.native ||
            add_checks(process, allocation, play_share(player, allocation, &allocation->read_turn),
                       RUNS_MAX));
}

static bool add_write(struct player_process *process, struct player_allocation *allocation) {
    struct vidmm_player *player = process->player;
    if (!player->shim.native)
        return play_cpu(player, allocation, true) && add_reference(process, allocation, true);
    struct oracle_range range = play_share(player, allocation, &allocation->write_turn);
    uint64_t id = allocation->oracle.index + UINT64_C(1);
    if (!add_reference(process, allocation, true) ||
        !add_checks(process, allocation, range, RUNS_MAX))
        return false;
    uint32_t version = oracle_write_begin(&allocation->oracle, range);
    return add_command(process, VIDMM_UMD_STAMP, id, range, version) &&
           add_command(process, VIDMM_UMD_CHECK, id, range, version);
}

/* The frame's result allocation comes last in the list, and every CHECK names it. */
static bool add_result(struct player_process *process) {
    struct player_result *result = play_result(process);
    if (!process->checks)
        return true;
    if (!add_reference(process, &result->page, true))
        return false;
    for (uint32_t i = 0; i < process->command_count; i++)
        process->commands[i].result = process->reference_count - 1;
    if (!result->used)
        result->lost = oracle_lost(&process->player->oracle);
    result->used = true;
    return true;
}

/* ---- Submitting ------------------------------------------------------------------------------ */

/* True: the run goes on; the submission was accepted or does not fit. */
static bool note_status(struct player_process *process, enum vidmm_status status) {
    if (status == VIDMM_OK)
        return true;
    if (status != VIDMM_DOES_NOT_FIT)
        return player_fail(process->player, status, "a submission");
    return player_refused(process->player);
}

static uint64_t checked_bytes(const struct player_process *process) {
    uint64_t pages = 0;
    for (uint32_t i = 0; i < process->command_count; i++)
        if (process->commands[i].opcode == VIDMM_UMD_CHECK)
            pages += process->commands[i].pages;
    return pages * PAGE_BYTES;
}

static bool submit_work(struct player_process *process, bool *accepted) {
    const struct vidmm_submission submission = {
        .references = process->references,
        .count = process->reference_count,
        .commands = process->command_count == 0 ? NULL : process->commands,
        .commands_size = process->command_count * (uint32_t)sizeof(*process->commands)};
    uint64_t fence = 0;
    enum vidmm_status status = process->player->gpummu
                                   ? play_virtual_submit(process, &fence)
                                   : vidmm_submit(process->context, &submission, &fence);
    *accepted = status == VIDMM_OK;
    if (*accepted) {
        process->fence = fence;
        play_result(process)->expected += checked_bytes(process);
    }
    for (uint32_t i = 0; i < process->reference_count; i++) {
        struct oracle_allocation *oracle = vidmm_allocation_user(process->references[i].allocation);
        if (process->references[i].write && oracle)
            oracle_write_end(oracle, *accepted);
    }
    return note_status(process, status);
}

static void submit_start(struct player_process *process) {
    process->reference_count = 0;
    process->command_count = 0;
    process->checks = false;
}

struct whereabouts {
    uint64_t vram, aperture, system, remote; /* bytes; remote: what would rather be in VRAM */
};

/* Where the allocations of the workload lie that the newest submission references. */
static struct whereabouts submit_whereabouts(struct player_process *process) {
    const struct player_allocation *result = &play_result(process)->page;
    struct vidmm_adapter *adapter = process->player->harness->adapter;
    struct whereabouts where = {0};
    for (uint32_t i = 0; i < process->reference_count; i++) {
        const struct player_allocation *one = process->referenced[i];
        struct vidmm_allocation_info info;
        struct vidmm_segment_info segment;
        if (one == result)
            continue;
        vidmm_allocation_info(one->handle, &info);
        if (!vidmm_segment_info(adapter, info.segment, &segment))
            where.system += one->size;
        else if (segment.aperture)
            where.aperture += one->size;
        else
            where.vram += one->size;
        if (one->local && (!info.segment || segment.aperture))
            where.remote += one->size;
    }
    return where;
}

/* What a submission references, without the results of its checks. NULL: no memory, or nothing. */
static struct vidmm_record_reference *recorded_references(struct player_process *process,
                                                          uint32_t *count) {
    const struct player_allocation *result = &play_result(process)->page;
    struct vidmm_record_reference *list = calloc(process->reference_count + 1u, sizeof(*list));
    *count = 0;
    for (uint32_t i = 0; list && i < process->reference_count; i++) {
        const struct player_allocation *one = process->referenced[i];
        if (one == result)
            continue;
        list[(*count)++] =
            (struct vidmm_record_reference){.allocation = vidmm_allocation_handle(one->handle),
                                            .number = one->oracle.index + 1,
                                            .write = process->references[i].write};
    }
    return list;
}

/* For a timeline: an event of the workload, what its process should hold now, and what is referenced. */
static void record_submission(struct player_process *process, const struct vidmm_event *event) {
    const struct vidmm_player *player = process->player;
    struct vidmm_budget budget = {0};
    uint32_t count;
    if (!player->harness->record)
        return;
    struct vidmm_record_reference *references = recorded_references(process, &count);
    if (process->space)
        vidmm_process_budget(process->space, 0, VIDMM_GROUP_LOCAL, &budget);
    const struct vidmm_record_submitted submitted = {
        .number = (uint64_t)(event - player->workload->events) + 1,
        .process = process->space ? (uint32_t)(process - player->processes) + 1 : 0,
        .budget = budget.budget,
        .count = count,
        .references = references};
    vidmm_record_submitted(player->harness->record, &submitted);
    free(references);
}

bool play_submit(struct player_process *process, const struct vidmm_event *event) {
    struct vidmm_player *player = process->player;
    const uint32_t *list = player->workload->lists + event->first;
    if (!play_linked_switch(process, play_linked_event(player, event)))
        return false;
    submit_start(process);
    for (uint32_t i = 0; i < event->reads + event->writes; i++) {
        struct player_allocation *allocation = &player->allocations[list[i]];
        if (!allocation->handle || allocation->leaving)
            continue;
        if (!(i < event->reads ? add_read(process, allocation) : add_write(process, allocation)))
            return false;
    }
    bool accepted;
    if (!add_result(process) || !submit_work(process, &accepted))
        return false;
    if (accepted) {
        record_submission(process, event);
        struct whereabouts where = submit_whereabouts(process);
        pthread_mutex_lock(&player->lock);
        player->result->referenced_vram += where.vram;
        player->result->referenced_aperture += where.aperture;
        player->result->referenced_system += where.system;
        player->result->referenced_remote += where.remote;
        play_frame_references(player, where.vram, where.aperture, where.system);
        player->result->submissions++;
        player->result->on_physical[process->physical]++;
        pthread_mutex_unlock(&player->lock);
    }
    return true;
}

bool play_submit_check(struct player_process *process, struct player_allocation *allocation) {
    const struct vidmm_player *player = process->player;
    const struct oracle_range all = {0, allocation->oracle.pages};
    bool accepted;
    if (!player->gpummu &&
        !play_linked_switch(process, play_linked_home(player, allocation->oracle.index)))
        return false;
    submit_start(process);
    if (!add_reference(process, allocation, false) ||
        !add_checks(process, allocation, all, UINT32_MAX) || !process->checks)
        return !atomic_load(&player->stop);
    return add_result(process) && submit_work(process, &accepted);
}
