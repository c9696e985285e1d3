/*
 * surfaces.h - the newest surface of the system's that the driver gave private data for: an allocation with these data is
 * that surface.
 */
#ifndef RECORD_SURFACES_H
#define RECORD_SURFACES_H

#include <stdbool.h>
#include <stdint.h>

/* Longer private data are not compared. */
#define SURFACE_PRIVATE 256u

struct surface_said {
    uint32_t kind; /* D3DKMDT_STANDARDALLOCATION_TYPE; 0: there is none */
    uint32_t width, height, format, type, pitch;
    uint32_t size; /* of the private data */
    unsigned char data[SURFACE_PRIVATE];
};

#endif
