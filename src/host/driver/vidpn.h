/*
 * vidpn.h - the objects of video present networks (vidmm/vidpn.h), for the three files that have the
 * functions of their tables: vidpn.c the network, vidpn_modes.c sets of modes, vidpn_topology.c paths.
 *
 * An object stays until its network ends, so that a handle or a pointer that was given back is known
 * for what it is. What the driver has to give back is on loan.
 */
#ifndef HOST_VIDPN_H
#define HOST_VIDPN_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/vidpn.h>

/* The first member of each object. */
struct vidpn_object {
    struct vidpn_object *next;
    bool gone; /* it was released, and nobody else has it */
};

/* A mode of a source or of a target, by `vidpn_set.of_target`. */
struct vidpn_mode {
    struct vidpn_object object;
    struct vidpn_mode *next; /* in its set, once it was added */
    bool added;
    union {
        UINT id; /* the first member of both */
        D3DKMDT_VIDPN_SOURCE_MODE source;
        D3DKMDT_VIDPN_TARGET_MODE target;
    } info;
};

struct vidpn_set {
    struct vidpn_object object;
    struct vidmm_vidpn *network;
    struct vidpn_set *next; /* of the network */
    bool of_target;
    uint32_t end; /* of the source or the target that it was made for: index in `ends` */
    struct vidpn_mode *modes, **last;
    struct vidpn_mode *pinned;
    UINT ids;
};

/* A source, or a target. */
struct vidpn_end {
    uint32_t id;
    struct vidpn_set *set;
    uint32_t changes; /* sets that were assigned to it */
};

struct vidpn_path {
    struct vidpn_object object;
    struct vidpn_path *next; /* in the topology, once it was added */
    bool added;
    D3DKMDT_VIDPN_PRESENT_PATH info;
};

struct vidpn_loan {
    struct vidpn_object object;
    struct vidpn_loan *next;
    const void *thing;
    struct vidmm_vidpn_kept kept;
};

struct vidmm_vidpn {
    struct vidmm_vidpn *next;
    struct vidpn_object *objects;
    struct vidpn_set *sets;
    struct vidpn_path *paths;
    struct vidpn_loan *loans; /* the oldest first */
    uint32_t sources, targets;
    struct vidpn_end ends[]; /* of the sources, then of the targets */
};

/* The network with that handle; NULL: there is none. */
struct vidmm_vidpn *vidpn_network(const void *handle);
/* The first of all networks; NULL: there is none. */
const struct vidmm_vidpn *vidpn_first(void);
/* A zeroed object of `size` bytes that ends with the network; NULL: out of memory. */
void *vidpn_make(struct vidmm_vidpn *network, size_t size);
/* The driver has to give `thing` back, which it got from `function`; false: out of memory. */
bool vidpn_lend(struct vidmm_vidpn *network, const void *thing, const char *function);
/* The driver gives it back; false: it does not have it. */
bool vidpn_return(struct vidmm_vidpn *network, const void *thing);

/* vidpn_modes.c: an empty set for source or target `end`; NULL: out of memory. */
struct vidpn_set *vidpn_set_make(struct vidmm_vidpn *network, uint32_t end);
/* The set with that handle; NULL: there is none. */
struct vidpn_set *vidpn_set_of(const void *handle, bool of_target);
extern const DXGK_VIDPNSOURCEMODESET_INTERFACE vidpn_source_set_interface;
extern const DXGK_VIDPNTARGETMODESET_INTERFACE vidpn_target_set_interface;
/* vidpn_topology.c. */
extern const DXGK_VIDPNTOPOLOGY_INTERFACE vidpn_topology_interface;

/* DxgkCbQueryVidPnInterface. */
NTSTATUS APIENTRY host_vidpn_query(const D3DKMDT_HVIDPN handle,
                                   const DXGK_VIDPN_INTERFACE_VERSION version,
                                   const DXGK_VIDPN_INTERFACE **out);

#endif
