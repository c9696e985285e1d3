/*
 * settings.h - settings of a host that neither driver nor hardware read or asked for, such as misspelt ones.
 */
#ifndef VIDMM_SETTINGS_H
#define VIDMM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_host_setting;

#define VIDMM_UNREAD_MOST 64u

/* The names are the caller's. */
struct vidmm_unread {
    uint32_t count;
    const char *name[VIDMM_UNREAD_MOST];
};

/* `read`: bit i: setting i was read (struct vidmm_watch_end). Settings without a bit count as read. */
void vidmm_unread(struct vidmm_unread *unread, const struct vidmm_host_setting *settings,
                  uint32_t count, uint64_t read);
/*
 * In the process of the host, when the driver has started: true: nobody has asked for one of `settings` so
 * far, and `text` says which, and what is nearest to it of the names that were asked for. Any thread.
 */
bool vidmm_unasked(const struct vidmm_host_setting *settings, uint32_t count, char *text,
                   size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
