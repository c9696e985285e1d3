/*
 * surface.h - standard surfaces (DxgkDdiGetStandardAllocationDriverData), which the conformance
 * check can create with any driver, without its user-mode half.
 */
#ifndef VIDMM_CHECK_SURFACE_H
#define VIDMM_CHECK_SURFACE_H

#include "stage.h"

/* Kinds; those that most likely prefer GPU memory first. */
enum check_surface_kind {
    CHECK_SURFACE_PRIMARY,
    CHECK_SURFACE_GDI_TEXTURE,
    CHECK_SURFACE_SHADOW,
    CHECK_SURFACE_GDI_STAGING,
    CHECK_SURFACE_STAGING,
    CHECK_SURFACES,
    CHECK_SURFACE_CROSS_ADAPTER = CHECK_SURFACES, /* of drivers with CrossAdapterResource alone */
};

struct check_surface {
    union {
        D3DKMDT_SHAREDPRIMARYSURFACEDATA primary;
        D3DKMDT_SHADOWSURFACEDATA shadow;
        D3DKMDT_STAGINGSURFACEDATA staging;
        D3DKMDT_GDISURFACEDATA gdi;
    } wanted;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA ask;
    void *data, *resource; /* the driver's private data */
    uint32_t size, resource_size;
};

/* The driver's private data for a surface of 32 bits a pixel; false: it has none of this kind. To
 * be closed in both cases. */
bool check_surface_open(struct check *check, struct check_surface *surface,
                        enum check_surface_kind kind, uint32_t width, uint32_t height);
/* The same with a format. */
bool check_surface_open_as(struct check *check, struct check_surface *surface,
                           enum check_surface_kind kind, D3DDDIFORMAT format, uint32_t width,
                           uint32_t height);
void check_surface_close(struct check_surface *surface);
/* Created and destroyed without a manager: the referee compares Size with the shape. In between `look` may ask about it;
 * NULL: nothing. */
void check_surface_create_alone(struct check *check, const struct check_surface *surface,
                                void (*look)(struct check *check, HANDLE allocation));
/* The driver describes a surface of some kind, primaries aside. */
bool check_surface_any(struct check *check);
/* The driver gave the allocation an alternate address: UseAlternateVA of WDDM 1, whose bit WDDM 2 uses otherwise. */
bool check_has_alternate(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation);
/* What the stages say of a driver whose surfaces nobody can describe. */
#define CHECK_NO_SURFACES                                                                          \
    "could not be examined: the driver does not speak vidmm/umd.h and makes no standard surfaces"

/* short_data.c: creates it from less than its private data, and from zeros. */
void check_short_data(struct check *check, const struct check_surface *surface);

struct vidmm_allocation_request check_surface_request(const struct check_surface *surface,
                                                      bool primary);

#endif
