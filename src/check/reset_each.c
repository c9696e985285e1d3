/* reset_each.c - see reset_each.h. */
#include "reset_each.h"

#include <string.h>

#include <vidmm/umd.h>

#define WRITTEN 0x7e57ab1eu
#define STEPS   1000u /* before it is written */
#define APART   64u   /* bytes of the command buffer for each */

/* Work of a node that writes a page, which the reset ends. */
struct write {
    struct vidmm_context *context; /* NULL: the driver makes none there */
    uint64_t at;                   /* GPU address of the page; 0: not known */
    bool done;                     /* before the reset returned */
    bool spins;                    /* its engine knows VIDMM_UMD_PACKET_SPIN */
};

static struct {
    PDXGKDDI_RESETFROMTIMEOUT reset;
    struct check *check; /* NULL: there is none, or it was looked at */
    struct write write[USER_SURFACES];
    uint32_t nodes;
} each;

/* ---- Behind DxgkDdiResetFromTimeout ----------------------------------------------------------- */

/* False, too, where nobody can look. */
static bool is_written(struct vidmm_host *host, uint64_t at) {
    const uint32_t pattern = WRITTEN;
    const void *page = at != 0 ? vidmm_host_peek(host, 0, at, CHECK_PAGE) : NULL;
    return page && memcmp(page, &pattern, sizeof(pattern)) == 0;
}

/* Interrupts may tell of it, too: what memory tells comes first. */
static void judge_stopped(struct check *check) {
    struct vidmm_host *host = check->harness.host;
    for (uint32_t node = 0; node < each.nodes; node++)
        each.write[node].done = is_written(host, each.write[node].at);
    vidmm_host_hold_interrupts(host, true);
    vidmm_host_run(host);
    for (uint32_t node = 0; node < each.nodes; node++)
        vidmm_ledger_judge(&check->shared->ledger, 421, VIDMM_SIDE_DRIVER,
                           each.write[node].done || !is_written(host, each.write[node].at),
                           "a GPU that neither reads nor writes memory after the reset",
                           "work that node %u had before the reset wrote memory after it", node);
    vidmm_host_hold_interrupts(host, false);
}

static NTSTATUS APIENTRY reset_looking(const HANDLE adapter) {
    struct check *check = each.check;
    NTSTATUS status = each.reset(adapter);
    each.check = NULL;
    if (check)
        judge_stopped(check);
    return status;
}

void reset_each_table(DRIVER_INITIALIZATION_DATA *table) {
    each.reset = table->DxgkDdiResetFromTimeout;
    if (each.reset)
        table->DxgkDdiResetFromTimeout = reset_looking;
}

/* ---- Before it ------------------------------------------------------------------------------- */

static bool make_page(struct user *user, uint32_t node) {
    return user_make(user, node, VIDMM_UMD_LOCAL, 1) &&
           user_make_resident(user, NULL, &node, 1, 0) && user_rest(user);
}

static uint64_t page_address(struct user *user, uint32_t node) {
    struct vidmm_allocation_info where;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(user->surface[node].allocation, &where);
    return vidmm_segment_info(user->check->harness.adapter, where.segment, &segment)
               ? segment.base + where.offset
               : 0;
}

/* A while later, where the engine can: hardware may work on until it is reset. Returns the number of bytes. */
static uint32_t write_commands(const struct user *user, uint32_t node) {
    const struct vidmm_umd_spin spin = {
        .head = {.opcode = VIDMM_UMD_PACKET_SPIN, .size = sizeof(spin)}, .steps = STEPS};
    const struct vidmm_umd_fill fill = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(fill)},
        .pattern = WRITTEN,
        .destination = user->surface[node].va,
        .bytes = CHECK_PAGE};
    const uint32_t first = each.write[node].spins ? sizeof(spin) : 0;
    unsigned char *at = (unsigned char *)user->cpu + node * APART;
    memcpy(at, &spin, first);
    memcpy(at + first, &fill, sizeof(fill));
    return first + (uint32_t)sizeof(fill);
}

static bool send_write(struct user *user, uint32_t node) {
    const struct vidmm_virtual_submission submission = {
        .commands = user->commands.va + node * APART,
        .size = user->speaks ? write_commands(user, node) : 0};
    return !each.write[node].context ||
           check_good(user->check,
                      vidmm_submit_virtual(each.write[node].context, &submission, &user->fence));
}

/* In a process of its own, which it may cost the device. */
static bool try_spin(struct user *user, uint32_t node) {
    bool good = user_submit(user, 1) && user_rest(user);
    each.write[node].spins = good && !vidmm_device_lost(user->device);
    return good;
}

/* A driver may have nodes that it makes no contexts for. */
static bool open_node(struct user *user, uint32_t node) {
    struct write *write = &each.write[node];
    enum vidmm_status made = vidmm_context_create(user->device, 0, node, &write->context);
    bool good = made == VIDMM_OK || made == VIDMM_DRIVER_REFUSED || check_good(user->check, made);
    if (good && write->context && check_executes(user->check, VIDMM_UMD_PACKET_SPIN))
        good = user_in_node(user->check, node, try_spin);
    if (good && write->context) {
        good = make_page(user, node);
        write->at = good ? page_address(user, node) : 0;
    }
    return good;
}

static bool open_nodes(struct user *user) {
    struct vidmm_adapter_info info;
    bool good = true;
    vidmm_adapter_info(user->check->harness.adapter, &info);
    memset(each.write, 0, sizeof(each.write));
    each.nodes = info.nodes < USER_SURFACES ? info.nodes : USER_SURFACES;
    for (uint32_t node = 0; good && node < each.nodes; node++)
        good = open_node(user, node);
    return good;
}

bool reset_each(struct user *user) {
    struct check *check = user->check;
    check_step(check, "preempt: a reset behind work of a process on each node");
    bool good = open_nodes(user);
    for (uint32_t node = 0; good && node < each.nodes; node++)
        good = send_write(user, node);
    each.check = check;
    if (good)
        check_reset(check);
    each.check = NULL;
    for (uint32_t node = 0; node < each.nodes; node++)
        if (each.write[node].context)
            vidmm_context_destroy(each.write[node].context);
    return good;
}
