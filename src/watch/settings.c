/*
 * settings.c - which settings of a host nobody read or asked for; see vidmm/settings.h.
 */
#include <vidmm/settings.h>

#include <stdio.h>

#include <vidmm/host.h>
#include <vidmm/lookup.h>

void vidmm_unread(struct vidmm_unread *unread, const struct vidmm_host_setting *settings,
                  uint32_t count, uint64_t read) {
    unread->count = 0;
    for (uint32_t i = 0; i < count && i < VIDMM_UNREAD_MOST; i++)
        if ((read >> i & 1u) == 0)
            unread->name[unread->count++] = settings[i].name;
}

bool vidmm_unasked(const struct vidmm_host_setting *settings, uint32_t count, char *text,
                   size_t text_size) {
    char near[160];
    uint32_t i = 0;
    while (i < count && vidmm_host_asked_for(settings[i].name))
        i++;
    if (i == count)
        return false;
    vidmm_nearest(settings[i].name, vidmm_host_asked, near, sizeof(near));
    (void)snprintf(text, text_size,
                   "--set %.64s: the driver asked for no such setting by the end of its start%s%s",
                   settings[i].name, near[0] != '\0' ? "; it asked for " : "", near);
    return true;
}
