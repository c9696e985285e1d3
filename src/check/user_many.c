/*
 * user_many.c - more processes at a time than hardware has address spaces for: each has other bytes at the address that all
 * of them use, and the GPU writes them in turn; see user.h.
 */
#include "user.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

#define MANY    24u
#define ROUNDS  2u
#define SURFACE 0u
#define BYTES   0x01010101u /* times a letter: a pattern of it */

/* In another order each round. */
static uint32_t turn_of(uint32_t round, uint32_t i, uint32_t count) {
    return round % 2 == 0 ? i : count - 1 - i;
}

struct trio {
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
};

static void trio_close(struct trio *trio) {
    if (trio->context)
        vidmm_context_destroy(trio->context);
    if (trio->device)
        vidmm_device_destroy(trio->device);
    if (trio->process)
        vidmm_process_destroy(trio->process);
}

static bool trio_open(struct check *check, struct trio *trio) {
    *trio = (struct trio){.process = NULL};
    return vidmm_process_create(check->harness.adapter, &trio->process) == VIDMM_OK &&
           vidmm_process_device_create(trio->process, &trio->device) == VIDMM_OK &&
           vidmm_context_create(trio->device, 0, 0, &trio->context) == VIDMM_OK;
}

/* So many as the driver has room for, which may be few: it may refuse each of these. */
static uint32_t processes_possible(struct check *check) {
    struct trio trio[MANY];
    uint32_t count = 0;
    while (count < MANY && trio_open(check, &trio[count]))
        count++;
    for (uint32_t i = count < MANY ? count + 1 : count; i-- > 0;)
        trio_close(&trio[i]);
    return count;
}

static bool many_open(struct user *user, struct check *check) {
    const uint32_t index = SURFACE;
    return user_open(check, user) &&
           user_make(user, SURFACE, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE, 1) &&
           user_make_resident(user, NULL, &index, 1, 0) && user_rest(user);
}

/* The letter is seen when the CPU reads the surface. */
static bool many_write(struct user *user, uint8_t letter) {
    struct user_surface *surface = &user->surface[SURFACE];
    const struct vidmm_umd_fill fill = {
        .head = {.opcode = VIDMM_UMD_PACKET_FILL, .size = sizeof(fill)},
        .pattern = BYTES * letter,
        .destination = surface->va,
        .bytes = surface->size};
    /* What is not said to be written is dropped when it has to make room. */
    const struct vidmm_virtual_submission submission = {.commands = user->commands.va,
                                                        .size = sizeof(fill),
                                                        .written = &surface->allocation,
                                                        .written_count = 1};
    surface->letter = letter;
    memcpy(user->cpu, &fill, sizeof(fill));
    return user_fine(user, vidmm_submit_virtual(user->context, &submission, &user->fence)) &&
           user_rest(user);
}

/* R423. */
static void many_judge(struct user *users, uint32_t count) {
    struct check *check = users[0].check;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++)
        wrong += user_lost(&users[i], SURFACE);
    check_judge(check, 423, VIDMM_SIDE_DRIVER, wrong == 0,
                "what each of them wrote, in its own memory",
                "%u of %u processes have other bytes than their work wrote, which is at "
                "the same address in each of them",
                wrong, count);
}

static bool many_play(struct user *users, uint32_t count) {
    bool good = true;
    for (uint32_t round = 0; good && round < ROUNDS; round++) {
        for (uint32_t i = 0; good && i < count; i++) {
            uint32_t turn = turn_of(round, i, count);
            good = many_write(&users[turn], (uint8_t)(1 + round * MANY + turn));
        }
        if (good)
            many_judge(users, count);
    }
    return good;
}

bool user_many(struct check *check) {
    if (!check_executes(check, VIDMM_UMD_PACKET_FILL))
        return true;
    uint32_t count = processes_possible(check), open = 0;
    struct user *users = check_memory(check, (count + 1) * sizeof(*users));
    bool good = users;
    check_step(check, "residency: %u processes at a time", count);
    while (good && open < count)
        good = many_open(&users[open++], check);
    good = good && (count == 0 || many_play(users, count));
    check_step(check, "residency: down");
    if (good)
        for (uint32_t i = open; i-- > 0;)
            user_close(&users[i]);
    free(users);
    return good;
}
