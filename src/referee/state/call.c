/* call.c - the beginning and the end of a watched call; see call.h. */
#include <string.h>

#include "state/judge.h"

/* Where NULL leads, with what may lie behind it. */
#define NULL_BYTES 65536u

/* Behind an address that is taken for a pointer: an MDL and its page numbers, or a part of the content. */
#define TAKEN_BYTES ((uint64_t)1 << 20)

/* What the driver was given in the call that this thread is in. */
static _Thread_local struct {
    const struct referee_call *call; /* NULL: memory */
    uint32_t rule;
    const char *member;
    bool data; /* of user mode: to be read if it is there; else an answer's, to be written */
} nothing;

static _Thread_local struct {
    const struct referee_call *call; /* NULL: none */
    uint64_t address[REFEREE_ADDRESSES];
    uint32_t count;
    uint32_t rule;
} gpu;

/* Behind the end of a list: elements that are not there. */
#define BEHIND_BYTES ((uint64_t)4096)

static _Thread_local struct {
    const struct referee_call *call; /* NULL: none */
    struct {
        uint32_t rule;
        const char *member;
        uint64_t end;
        size_t size;
    } list[REFEREE_LISTS];
    uint32_t count;
} lists;

void referee_calling(struct vidmm_referee *referee, const char *name,
                     char outer[REFEREE_CALL_BYTES]) {
    _Static_assert(sizeof(referee->ledger->calling) == REFEREE_CALL_BYTES, "the copy is whole");
    memcpy(outer, referee->ledger->calling, REFEREE_CALL_BYTES);
    outer[REFEREE_CALL_BYTES - 1] = 0;
    vidmm_ledger_calling(referee->ledger, name);
}

void referee_enter(struct vidmm_referee *referee, struct referee_call *call, const char *name,
                   enum referee_class class) {
    pthread_mutex_lock(&referee->lock);
    struct vidmm_ledger *ledger = referee->ledger;
    call->class = class;
    call->irql = world_irql(referee);
    call->alone = referee->inside[class]++ == 0;
    ledger->calls++;
    ledger->depth++;
    referee_calling(referee, name, call->outer);
    vidmm_ledger_entered(ledger, name);
    if (referee->iommu.exclusive)
        MANAGER_MUST(355, false,
                     "no call between DxgkDdiBeginExclusiveAccess and "
                     "DxgkDdiEndExclusiveAccess",
                     "this one came");
}

void referee_gives_null(const struct referee_call *call, uint32_t rule, const char *member) {
    nothing.call = call;
    nothing.rule = rule;
    nothing.member = member;
    nothing.data = false;
}

void referee_gives_no_data(const struct referee_call *call, uint32_t rule, const char *member) {
    referee_gives_null(call, rule, member);
    nothing.data = true;
}

void referee_gives_address(const struct referee_call *call, uint32_t rule, uint64_t address) {
    if (gpu.call != call)
        gpu.count = 0;
    gpu.call = call;
    gpu.rule = rule;
    if (gpu.count < REFEREE_ADDRESSES && address >= NULL_BYTES)
        gpu.address[gpu.count++] = address;
}

static void call_judge_address(struct vidmm_referee *referee, uint64_t address) {
    for (uint32_t i = 0; gpu.call && i < gpu.count; i++) {
        uint64_t at = address - gpu.address[i];
        if (gpu.rule == 210)
            DRIVER_MUST(
                210, at >= TAKEN_BYTES, "the member of PageTableAddress that UpdateMode says",
                "byte %llu behind 0x%llx, its GpuVirtual, is accessed as memory of the CPU's",
                LLU(at), LLU(gpu.address[i]));
        else
            DRIVER_MUST(
                553, at >= TAKEN_BYTES, "SegmentAddress taken for an address of the GPU's",
                "byte %llu behind 0x%llx, a SegmentAddress, is accessed as memory of the CPU's",
                LLU(at), LLU(gpu.address[i]));
    }
}

void referee_gives_list(const struct referee_call *call, uint32_t rule, const char *member,
                        const void *list, size_t size) {
    if (lists.call != call)
        lists.count = 0;
    lists.call = call;
    if (lists.count == REFEREE_LISTS)
        return;
    lists.list[lists.count].rule = rule;
    lists.list[lists.count].member = member;
    lists.list[lists.count].end = (uintptr_t)list + size;
    lists.list[lists.count++].size = size;
}

static void call_judge_lists(struct vidmm_referee *referee, uint64_t address) {
    for (uint32_t i = 0; lists.call && i < lists.count; i++) {
        uint64_t behind = address - lists.list[i].end;
        if (lists.list[i].rule == 533)
            DRIVER_MUST(533, behind >= BEHIND_BYTES,
                        "nothing read or written behind PrivateDriverDataSize bytes",
                        "byte %llu of %s, which has %zu bytes, is accessed",
                        LLU(lists.list[i].size + behind), lists.list[i].member, lists.list[i].size);
        else
            DRIVER_MUST(626, behind >= BEHIND_BYTES,
                        "nothing read behind the elements that are counted",
                        "byte %llu of %s, which has %zu bytes, is accessed",
                        LLU(lists.list[i].size + behind), lists.list[i].member, lists.list[i].size);
    }
}

void vidmm_referee_faulting(struct vidmm_referee *referee, uint64_t address, bool write) {
    call_judge_address(referee, address);
    call_judge_lists(referee, address);
    if (nothing.call && (write || nothing.data) && address < NULL_BYTES)
        DRIVER_MUST(nothing.rule, false,
                    nothing.data ? "nothing used where there are no data"
                                 : "nothing written where the system gives no memory",
                    "%s is NULL, and byte %llu behind it is %s", nothing.member, LLU(address),
                    write ? "written" : "read");
}

void referee_leave(struct vidmm_referee *referee) {
    pthread_mutex_unlock(&referee->lock);
}

void referee_return(struct vidmm_referee *referee) {
    pthread_mutex_lock(&referee->lock);
}

void referee_exit(struct vidmm_referee *referee, struct referee_call *call) {
    referee->inside[call->class]--;
    referee->ledger->depth--;
    vidmm_ledger_calling(referee->ledger, call->outer);
    if (nothing.call == call)
        nothing.call = NULL;
    if (gpu.call == call)
        gpu.call = NULL;
    if (lists.call == call)
        lists.call = NULL;
    pthread_mutex_unlock(&referee->lock);
}
