/*
 * vidpn.h - video present networks (VidPN): what the system's network manager keeps, and a driver reads
 * and changes by DxgkCbQueryVidPnInterface.
 *
 * A network has paths from sources to targets and a set of modes for each of them, all empty at first.
 * The caller changes it by the same functions as a driver (vidmm_vidpn_interface). What the driver got
 * from them and has not given back is asked for behind each of its calls (vidmm_vidpn_kept).
 */
#ifndef VIDMM_VIDPN_H
#define VIDMM_VIDPN_H

#include <vidmm/host.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_vidpn;

/* Of an adapter with sources 0 to `sources` - 1 and `count` targets; NULL: out of memory. It ends before the host. */
struct vidmm_vidpn *vidmm_vidpn_create(struct vidmm_host *host, uint32_t sources,
                                       const D3DDDI_VIDEO_PRESENT_TARGET_ID *targets,
                                       uint32_t count);
/* Handles of it, and of what is in it, are invalid from here on. NULL is allowed. */
void vidmm_vidpn_destroy(struct vidmm_vidpn *network);
/* The handle that the driver gets: hDesiredVidPn, hConstrainingVidPn, hFunctionalVidPn. */
D3DKMDT_HVIDPN vidmm_vidpn_handle(struct vidmm_vidpn *network);
/* What DxgkCbQueryVidPnInterface answers. */
const DXGK_VIDPN_INTERFACE *vidmm_vidpn_interface(void);
/* How often a set of modes was assigned to a source; 0 of one that the network does not have. */
uint32_t vidmm_vidpn_source_changes(const struct vidmm_vidpn *network,
                                    D3DDDI_VIDEO_PRESENT_SOURCE_ID source);
/* The same of a target. */
uint32_t vidmm_vidpn_target_changes(const struct vidmm_vidpn *network,
                                    D3DDDI_VIDEO_PRESENT_TARGET_ID target);

#define VIDMM_VIDPN_PLACES 6u

/* An object that was acquired or created, and neither released nor given to the network since. */
struct vidmm_vidpn_kept {
    const char *function; /* "pfnAcquireSourceModeSet" */
    uint32_t places;      /* where in the driver it was called (vidmm_host_places) */
    uint64_t place[VIDMM_VIDPN_PLACES];
};
/* Number `index` of them, the oldest first; false: there are no more. */
bool vidmm_vidpn_kept(const struct vidmm_vidpn *network, uint32_t index,
                      struct vidmm_vidpn_kept *out);
/* They are not asked for any more. */
void vidmm_vidpn_forgive(struct vidmm_vidpn *network);

#ifdef __cplusplus
}
#endif

#endif
