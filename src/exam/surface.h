/*
 * surface.h - surfaces that the system makes for itself (DxgkDdiGetStandardAllocationDriverData):
 * the ones that the examination can have of any driver, whatever its user-mode half speaks.
 */
#ifndef VIDMM_EXAM_SURFACE_H
#define VIDMM_EXAM_SURFACE_H

#include "exam.h"

/* Kinds, most likely first to be at home in GPU memory. */
enum exam_surface_kind {
    EXAM_SURFACE_PRIMARY,
    EXAM_SURFACE_GDI_TEXTURE,
    EXAM_SURFACE_SHADOW,
    EXAM_SURFACE_GDI_STAGING,
    EXAM_SURFACE_STAGING,
    EXAM_SURFACES,
};

struct exam_surface {
    union {
        D3DKMDT_SHAREDPRIMARYSURFACEDATA primary;
        D3DKMDT_SHADOWSURFACEDATA shadow;
        D3DKMDT_STAGINGSURFACEDATA staging;
        D3DKMDT_GDISURFACEDATA gdi;
    } wanted;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA ask;
    void *data, *resource; /* the driver's private data */
    uint32_t size;         /* of `data` */
};

/* The driver's private data for a surface of 32 bits a pixel; false: it makes none of this kind.
 * Closed in either case. */
bool exam_surface_open(struct exam *exam, struct exam_surface *surface, enum exam_surface_kind kind,
                       uint32_t width, uint32_t height);
void exam_surface_close(struct exam_surface *surface);
struct vidmm_allocation_request exam_surface_request(const struct exam_surface *surface,
                                                     bool primary);

#endif
