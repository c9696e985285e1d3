/*
 * stage_memory.c - memory runs out: the n-th allocation of everybody in turn fails once, and a
 * driver may then refuse what was asked, but neither die nor leave anything behind.
 */
#include "exam.h"

#define FRAMES 2u
#define SINGLE 24u /* runs that fail one of the first allocations; the rest are spread */

enum vidmm_stage_outcome stage_memory(struct exam *exam, uint32_t number) {
    struct exam_world world = {.settings = {{"VramBytes", (uint64_t)1 << 20}}};
    uint64_t total = exam->shared->figure;
    if (number != 0) {
        uint64_t spread = total > SINGLE ? total - SINGLE : 1;
        world.fail_at = number <= SINGLE
                            ? number
                            : SINGLE + 1 + (number - SINGLE - 1) * spread / (MEMORY_RUNS - SINGLE);
        exam_step(exam, "memory: allocation %llu fails", (unsigned long long)world.fail_at);
    }
    enum vidmm_stage_outcome outcome = exam_play(exam, &world, FRAMES, NULL);
    if (number == 0)
        return outcome;
    exam->shared->figure = total;
    exam->shared->text[0] = 0;
    return VIDMM_STAGE_DONE; /* to be refused is what this is about */
}
