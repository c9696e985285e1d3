/*
 * say_surfaces.c - what calls say of surfaces of the system's: which the driver is asked private data for, and which of
 * them an allocation with such data is.
 */
#include "fields.h"

#include <string.h>

/* ---- What is asked for ----------------------------------------------------------------------- */

static void read_shadow(struct surface_said *said, const D3DKMDT_SHADOWSURFACEDATA *a) {
    said->width = a->Width;
    said->height = a->Height;
    said->format = (uint32_t)a->Format;
    said->pitch = a->Pitch;
}

static void read_primary(struct surface_said *said, const D3DKMDT_SHAREDPRIMARYSURFACEDATA *a) {
    said->width = a->Width;
    said->height = a->Height;
    said->format = (uint32_t)a->Format;
}

static void read_staging(struct surface_said *said, const D3DKMDT_STAGINGSURFACEDATA *a) {
    said->width = a->Width;
    said->height = a->Height;
    said->pitch = a->Pitch;
}

static void read_gdi(struct surface_said *said, const D3DKMDT_GDISURFACEDATA *a) {
    said->width = a->Width;
    said->height = a->Height;
    said->format = (uint32_t)a->Format;
    said->type = (uint32_t)a->Type;
    said->pitch = a->Pitch;
}

/* Of kind 0: nothing is known of it. The arms of the union are pointers; of the one for guests nothing is told. */
static struct surface_said surface_read(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *a) {
    struct surface_said said = {.kind = (uint32_t)a->StandardAllocationType};
    if (!a->pCreateSharedPrimarySurfaceData)
        said.kind = 0;
    else if (said.kind == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE)
        read_primary(&said, a->pCreateSharedPrimarySurfaceData);
    else if (said.kind == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE)
        read_shadow(&said, a->pCreateShadowSurfaceData);
    else if (said.kind == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE)
        read_staging(&said, a->pCreateStagingSurfaceData);
    else if (said.kind == D3DKMDT_STANDARDALLOCATION_GDISURFACE)
        read_gdi(&said, a->pCreateGdiSurfaceData);
    else
        said.kind = 0;
    return said;
}

/* Before the call the pitch is not there: all but the primary's is the driver's answer. */
static void say_surface(const struct fields *f, const struct surface_said *a, bool pitch) {
    if (a->kind == 0)
        return;
    field_begin(f, "Surface", false);
    field_number(f, "Width", a->width);
    field_number(f, "Height", a->height);
    if (a->kind != D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE)
        field_number(f, "Format", a->format);
    if (a->kind == D3DKMDT_STANDARDALLOCATION_GDISURFACE)
        field_number(f, "Type", a->type);
    if (pitch && a->kind != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE)
        field_number(f, "Pitch", a->pitch);
    field_end(f);
}

/* ---- DxgkDdiGetStandardAllocationDriverData -------------------------------------------------- */

void say_standard(const struct fields *f, const void *args) {
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *a = args;
    const struct surface_said surface = surface_read(a);
    NUMBER(StandardAllocationType);
    say_surface(f, &surface, false);
    NUMBER(AllocationPrivateDriverDataSize);
    NUMBER(ResourcePrivateDriverDataSize);
}

/* The first call asks for the sizes alone; with the second the driver gives the data. */
void say_standard_answer(const struct fields *f, const void *args) {
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *a = args;
    struct surface_said surface = surface_read(a);
    NUMBER(StandardAllocationType);
    NUMBER(AllocationPrivateDriverDataSize);
    NUMBER(ResourcePrivateDriverDataSize);
    if (!f->succeeded || !a->pAllocationPrivateDriverData)
        return;
    say_surface(f, &surface, true);
    surface.size = a->AllocationPrivateDriverDataSize;
    if (surface.size > SURFACE_PRIVATE)
        surface.kind = 0;
    else
        memcpy(surface.data, a->pAllocationPrivateDriverData, surface.size);
    f->record->surface = surface;
}

/* ---- An allocation --------------------------------------------------------------------------- */

void say_surface_of(const struct fields *f, const void *data, uint32_t size) {
    const struct surface_said *surface = &f->record->surface;
    if (!data || surface->kind == 0 || size == 0 || size != surface->size ||
        memcmp(data, surface->data, size) != 0)
        return;
    field_number(f, "StandardAllocationType", surface->kind);
    say_surface(f, surface, true);
}
