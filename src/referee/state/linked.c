/* linked.c - the devices of a link, found by what names them; see linked.h. */
#include "state/judge.h"

uint32_t linked_count(const struct vidmm_referee *referee) {
    return referee->linked.devices > 1 ? referee->linked.devices : 1;
}

uint32_t linked_index(const struct vidmm_referee *referee, uint32_t index) {
    return index < linked_count(referee) ? index : 0;
}

uint32_t linked_of_affinity(const struct vidmm_referee *referee, uint32_t affinity) {
    uint32_t index = 0;
    while (affinity >> 1 >> index != 0)
        index++;
    return linked_index(referee, index);
}

struct linked_device *linked_of_handle(struct vidmm_referee *referee, HANDLE handle) {
    for (uint32_t i = 0; handle && i < referee->linked.devices; i++)
        if (referee->linked.device[i].handle == handle)
            return &referee->linked.device[i];
    return NULL;
}

struct linked_device *linked_of_context(struct vidmm_referee *referee, PVOID context) {
    for (uint32_t i = 0; i < referee->linked.devices; i++)
        if (referee->linked.device[i].context == context)
            return &referee->linked.device[i];
    return NULL;
}
