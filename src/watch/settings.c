/*
 * settings.c - which settings of a host nobody read; see vidmm/settings.h.
 */
#include <vidmm/settings.h>

#include <vidmm/host.h>

void vidmm_unread(struct vidmm_unread *unread, const struct vidmm_host_setting *settings,
                  uint32_t count, uint64_t read) {
    unread->count = 0;
    for (uint32_t i = 0; i < count && i < VIDMM_UNREAD_MOST; i++)
        if ((read >> i & 1u) == 0)
            unread->name[unread->count++] = settings[i].name;
}
