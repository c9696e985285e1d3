/* once.c - see once.h. */
#include "once.h"

#include <string.h>

#include <vidmm/umd.h>

#define SURFACE 0u /* of the user */
#define BEFORE  'o'
#define BEHIND  0x7e7e7e7eu /* in the first page */

struct packets {
    struct vidmm_umd_copy copy;
    struct vidmm_umd_fill fill;
};

/* The page that was copied is what the first one was; `*first`: that one was written. */
static bool once_copied(const struct user *user, bool *first) {
    void *cpu = NULL;
    if (vidmm_lock(user->surface[SURFACE].allocation, VIDMM_LOCK_READ_ONLY, &cpu) != VIDMM_OK)
        return *first = false;
    const uint8_t *page = cpu;
    *first = page[0] == (uint8_t)BEHIND;
    bool copied = page[CHECK_PAGE] == BEFORE;
    vidmm_unlock(user->surface[SURFACE].allocation);
    return copied;
}

bool once_prepare(const struct once *once) {
    struct user *user = once->user;
    const uint64_t va = user->surface[SURFACE].va;
    const uint32_t index = SURFACE;
    const struct packets packets = {
        .copy = {.head = {.opcode = VIDMM_UMD_PACKET_COPY, .size = sizeof(packets.copy)},
                 .destination = va + CHECK_PAGE,
                 .source = va,
                 .bytes = CHECK_PAGE},
        .fill = {.head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(packets.fill)},
                 .pattern = BEHIND,
                 .destination = va,
                 .bytes = CHECK_PAGE}};
    if (!once->shows)
        return true;
    if (!user_write(user, index, BEFORE) || !user_make_resident(user, NULL, &index, 1, 0) ||
        !user_rest(user))
        return false;
    memcpy(user->cpu, &packets, sizeof(packets));
    user->sent = sizeof(packets);
    return true;
}

bool once_open(struct once *once, struct user *user) {
    *once = (struct once){.user = user};
    if (!user->speaks || !check_executes(user->check, VIDMM_UMD_PACKET_COPY) ||
        !check_executes(user->check, VIDMM_UMD_PACKET_FILL))
        return true;
    once->shows = user_make(user, SURFACE, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 2);
    if (!once->shows || !once_prepare(once) || !user_repeat(user) || !user_rest(user))
        return false;
    bool written, copied = once_copied(user, &written);
    once->shows = copied && written;
    return true;
}

void once_judge(const struct once *once) {
    bool written;
    if (!once->shows)
        return;
    bool copied = once_copied(once->user, &written);
    check_judge(once->user->check, 281, VIDMM_SIDE_DRIVER, copied || !written,
                "the fence of all that was done, with the preemption", "%s",
                "work that was done when it was preempted was done again: the report "
                "did not have its fence");
}

void once_close(struct once *once) {
    if (once->user->surface[SURFACE].allocation)
        user_drop(once->user, SURFACE);
    once->user->sent = 0;
}
