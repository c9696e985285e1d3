/*
 * play_work.c - commands with their allocation and patch location lists, escapes, and the driver's
 * private information.
 */
#include "play.h"

#include <stdlib.h>
#include <string.h>

#define QUERY_MOST 1024u

/* ---- Commands -------------------------------------------------------------------------------- */

/* The low half of `value` says which slots are referenced, the high one which of them are written. */
static uint32_t work_references(struct play *play, const struct fuzz_call *call,
                                struct vidmm_reference list[PLAY_ALLOCATIONS]) {
    uint32_t count = 0, device = play->context_device[call->a % PLAY_CONTEXTS];
    for (uint32_t i = 0; i < PLAY_ALLOCATIONS; i++) {
        struct play_allocation *slot = &play->allocation[i];
        if (slot->allocation && (call->value >> i & 1u) != 0 && (slot->open >> device & 1u) != 0)
            list[count++] =
                (struct vidmm_reference){slot->allocation, (call->value >> (8 + i) & 1u) != 0};
    }
    return count;
}

/* Of the data the last b % 8 patch locations, before them the commands; the flag 2 says that there are
 * none, and the driver presents. */
static void work_submit(struct play *play, const struct fuzz_call *call) {
    struct vidmm_reference references[PLAY_ALLOCATIONS];
    D3DDDI_PATCHLOCATIONLIST patches[8];
    uint32_t count = call->b % 8u;
    while (count * sizeof(patches[0]) > call->size)
        count--;
    uint32_t size = call->size - count * (uint32_t)sizeof(patches[0]);
    if (count != 0)
        memcpy(patches, call->data + size, count * sizeof(patches[0]));
    const struct vidmm_submission submission = {.references = references,
                                                .count = work_references(play, call, references),
                                                .commands = (call->flags & 2u) != 0 ? NULL
                                                            : call->data            ? call->data
                                                                         : (const void *)"",
                                                .commands_size = size,
                                                .present = (call->flags & 1u) != 0,
                                                .null_rendering = (call->flags & 4u) != 0,
                                                .patches = patches,
                                                .patch_count = count};
    uint64_t fence = 0;
    (void)fuzz_life_good(play->life,
                         vidmm_submit(play->context[call->a % PLAY_CONTEXTS], &submission, &fence));
}

/* The commands go into the first allocation of `value`, whose address they are submitted by; the last
 * b % 64 bytes are private data. Where there is none, the address is `value` itself. */
static void work_submit_virtual(struct play *play, const struct fuzz_call *call) {
    uint32_t own = call->b % 64u < call->size ? call->b % 64u : call->size;
    struct vidmm_virtual_submission submission = {.commands = (uint64_t)call->value << 12,
                                                  .size = call->size - own,
                                                  .private_size = own,
                                                  .present = (call->flags & 1u) != 0,
                                                  .null_rendering = (call->flags & 4u) != 0};
    uint64_t fence = 0;
    void *cpu = NULL;
    for (uint32_t i = 0; i < PLAY_ALLOCATIONS; i++) {
        const struct play_allocation *slot = &play->allocation[i];
        if (!slot->allocation || (call->value >> i & 1u) == 0 || slot->va == 0)
            continue;
        if (fuzz_life_good(play->life, vidmm_lock(slot->allocation, 0, &cpu))) {
            if (submission.size != 0 && submission.size <= slot->size)
                memcpy(cpu, call->data, submission.size);
            vidmm_unlock(slot->allocation);
        }
        submission.commands = slot->va;
        break;
    }
    void *private_data = fuzz_play_copy(call->data + submission.size, own);
    submission.private_data = private_data;
    (void)fuzz_life_good(play->life, vidmm_submit_virtual(play->context[call->a % PLAY_CONTEXTS],
                                                          &submission, &fence));
    free(private_data);
}

/* A copy between the first two slots of `value`, with private data; by drivers that page by GPU virtual
 * addresses nothing is presented. */
static void work_present(struct play *play, const struct fuzz_call *call) {
    struct vidmm_reference references[PLAY_ALLOCATIONS];
    struct vidmm_context *context = play->context[call->a % PLAY_CONTEXTS];
    if (play->virtual_addresses)
        return;
    void *data = fuzz_play_copy(call->data, call->size);
    const struct vidmm_submission submission = {.references = references,
                                                .count = work_references(play, call, references),
                                                .present = true,
                                                .present_data = data,
                                                .present_size = data ? call->size : 0};
    uint64_t fence = 0;
    (void)fuzz_life_good(play->life, vidmm_submit(context, &submission, &fence));
    free(data);
}

void fuzz_play_submit(struct play *play, const struct fuzz_call *call) {
    if (!play->context[call->a % PLAY_CONTEXTS])
        return;
    if (call->op == FUZZ_OP_PRESENT)
        work_present(play, call);
    else if (play->virtual_addresses)
        work_submit_virtual(play, call);
    else
        work_submit(play, call);
    if ((call->flags & 4u) != 0)
        (void)fuzz_life_good(play->life, vidmm_wait_idle(play->adapter));
}

/* ---- Private ways ---------------------------------------------------------------------------- */

void fuzz_play_escape(struct play *play, const struct fuzz_call *call) {
    struct vidmm_device *device = play->device[call->a % PLAY_DEVICES];
    if (!device)
        return;
    void *data = fuzz_play_copy(call->data, call->size);
    (void)fuzz_life_good(play->life, vidmm_escape(device, play->context[call->b % PLAY_CONTEXTS],
                                                  call->flags & 1u, data, data ? call->size : 0));
    free(data);
}

/* What user mode passes on through D3DKMTQueryAdapterInfo. */
void fuzz_play_query(struct play *play, const struct fuzz_call *call) {
    const struct vidmm_harness *harness = &play->life->harness;
    UINT size = call->value % QUERY_MOST;
    void *in = fuzz_play_copy(call->data, call->size), *out = calloc(1, size + (size_t)1);
    const DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_UMDRIVERPRIVATE,
                                            .pInputData = in,
                                            .InputDataSize = in ? call->size : 0,
                                            .pOutputData = out,
                                            .OutputDataSize = size};
    if (out)
        (void)harness->spoken.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(harness->host), &query);
    free(in);
    free(out);
}
