/*
 * standard.c - the surfaces that the system creates by itself: private data that the driver
 * makes for them (DxgkDdiGetStandardAllocationDriverData), and the driver's description of existing
 * allocations (DxgkDdiDescribeAllocation).
 *
 * That an allocation is a primary is not said to the driver in CreateAllocation; the private data
 * tells, when it is one of the last that were made here.
 */
#include "state/given.h"
#include "state/hash.h"
#include "watch/allocation.h"
#include "watch/thunk.h"

static struct standards_data *standard_find(struct vidmm_referee *referee, uint64_t hash,
                                            size_t size) {
    for (uint32_t i = 0; i < STANDARDS_REMEMBERED; i++) {
        if (referee->standards.remembered[i].size == size &&
            referee->standards.remembered[i].hash == hash && size != 0)
            return &referee->standards.remembered[i];
    }
    return NULL;
}

struct standards_data standard_of(struct vidmm_referee *referee, const void *private_data,
                                  size_t size) {
    const struct standards_data *known = NULL;
    if (private_data && size != 0)
        known = standard_find(referee, hash_bytes(HASH_START, private_data, size), size);
    return known ? *known : (struct standards_data){.size = 0};
}

/* ---- Rows and bytes -------------------------------------------------------------------------- */

/* What the system wants, and what the driver answers. */
struct standard_shape {
    uint32_t width, height, pixel; /* bytes a pixel; 0: not known */
    uint32_t pitch;
    bool pitched;  /* the driver has to answer the pitch */
    bool lockable; /* the CPU accesses the surface */
    uint32_t format;
    bool shared;          /* drivers of other adapters access it */
    bool aligned;         /* its pitch, to AlignmentShift of PresentationCaps */
    D3DDDI_RATIONAL rate; /* of a primary */
};

/* D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT and _HEIGHT_ (ns-d3dkmddi-_dxgk_vidmmcaps.md) */
#define SHARED_PITCH_STEP  128u
#define SHARED_HEIGHT_STEP 4u

static uint32_t standard_pixel(D3DDDIFORMAT format) {
    switch (format) {
    case D3DDDIFMT_A8:
    case D3DDDIFMT_P8:
        return 1;
    case D3DDDIFMT_R5G6B5:
    case D3DDDIFMT_X1R5G5B5:
    case D3DDDIFMT_A1R5G5B5:
        return 2;
    case D3DDDIFMT_A8R8G8B8:
    case D3DDDIFMT_X8R8G8B8:
    case D3DDDIFMT_A8B8G8R8:
    case D3DDDIFMT_X8B8G8R8:
    case D3DDDIFMT_A2B10G10R10:
    case D3DDDIFMT_A2R10G10B10:
        return 4;
    case D3DDDIFMT_A16B16G16R16:
    case D3DDDIFMT_A16B16G16R16F:
        return 8;
    default:
        return 0;
    }
}

/* ns-d3dkmdt-_d3dkmdt_gdisurfacedata.md: the pitch must be returned for these types. */
static bool standard_gdi_pitched(D3DKMDT_GDISURFACETYPE type) {
    return type == D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE ||
           type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM ||
           type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
}

/* ne-d3dkmdt-_d3dkmdt_gdisurfacetype.md: visible to the CPU. */
static bool standard_gdi_lockable(D3DKMDT_GDISURFACETYPE type) {
    return type == D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE ||
           type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM;
}

/* Shadow and staging surfaces are lockable (ns-d3dkmdt-_d3dkmdt_shadowsurfacedata.md,
 * ns-d3dkmdt-_d3dkmdt_stagingsurfacedata.md). */
static struct standard_shape
standard_shape_of(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    const D3DKMDT_SHAREDPRIMARYSURFACEDATA *primary = args->pCreateSharedPrimarySurfaceData;
    const D3DKMDT_SHADOWSURFACEDATA *shadow = args->pCreateShadowSurfaceData;
    const D3DKMDT_STAGINGSURFACEDATA *staging = args->pCreateStagingSurfaceData;
    const D3DKMDT_GDISURFACEDATA *gdi = args->pCreateGdiSurfaceData;
    switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
        return (struct standard_shape){.width = primary->Width,
                                       .height = primary->Height,
                                       .pixel = standard_pixel(primary->Format),
                                       .format = primary->Format,
                                       .rate = primary->RefreshRate};
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        return (struct standard_shape){.width = shadow->Width,
                                       .height = shadow->Height,
                                       .pixel = standard_pixel(shadow->Format),
                                       .pitch = shadow->Pitch,
                                       .pitched = true,
                                       .lockable = true,
                                       .format = shadow->Format};
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: /* always X8R8G8B8 */
        return (struct standard_shape){.width = staging->Width,
                                       .height = staging->Height,
                                       .pixel = 4,
                                       .pitch = staging->Pitch,
                                       .pitched = true,
                                       .lockable = true,
                                       .format = D3DDDIFMT_X8R8G8B8};
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        return (struct standard_shape){.width = gdi->Width,
                                       .height = gdi->Height,
                                       .pixel = standard_pixel(gdi->Format),
                                       .pitch = gdi->Pitch,
                                       .pitched = standard_gdi_pitched(gdi->Type),
                                       .lockable = standard_gdi_lockable(gdi->Type),
                                       .aligned = standard_gdi_lockable(gdi->Type),
                                       .format = gdi->Format,
                                       .shared =
                                           gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER};
    default:
        return (struct standard_shape){.pixel = 0};
    }
}

/* Shift 0: a driver that leaves the member out, for the least that it may say is 2. */
static void standard_judge_alignment(struct vidmm_referee *referee,
                                     const struct standard_shape *wanted, uint32_t pitch) {
    uint32_t shift = referee->adapter.caps.PresentationCaps.AlignmentShift;
    if (wanted->aligned && shift != 0)
        DRIVER_MUST(598, pitch % (1u << shift) == 0,
                    "a Pitch that is a multiple of 1 << AlignmentShift bytes",
                    "Pitch is %u, AlignmentShift %u", pitch, shift);
}

/* The pitch that the driver answered must hold a row; what its allocation must hold at least. */
static uint64_t standard_judge_pitch(struct vidmm_referee *referee,
                                     const struct standard_shape *wanted, uint32_t pitch) {
    uint64_t row = (uint64_t)wanted->width * wanted->pixel;
    if (row == 0 || wanted->height == 0)
        return 0;
    if (!wanted->pitched)
        return row * wanted->height;
    DRIVER_MUST(527, pitch >= row, "a Pitch that holds a row of the surface",
                "Pitch is %u, for %u pixels of %u bytes", pitch, wanted->width, wanted->pixel);
    standard_judge_alignment(referee, wanted, pitch);
    uint64_t rows = wanted->height;
    if (wanted->shared) {
        DRIVER_MUST(552, pitch % SHARED_PITCH_STEP == 0,
                    "a Pitch that is a multiple of 128 bytes, for other adapters", "Pitch is %u",
                    pitch);
        rows += (0 - rows) % SHARED_HEIGHT_STEP;
    }
    return pitch >= row ? pitch * (rows - 1) + row : 0;
}

/* ---- What the driver's private data stands for ----------------------------------------------- */

static bool standard_is_primary(uint32_t type) {
    return type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
}

static bool standard_same_rate(D3DDDI_RATIONAL one, D3DDDI_RATIONAL other) {
    return (one.Denominator == 0) == (other.Denominator == 0) &&
           (uint64_t)one.Numerator * other.Denominator ==
               (uint64_t)other.Numerator * one.Denominator;
}

/* One more surface that the driver makes the same private data for. Of kinds that are alike all that
 * matters is whether one is a primary. */
static void standard_join(struct standards_data *known, const struct standards_data *data) {
    if (standard_is_primary(known->type) != standard_is_primary(data->type))
        known->type = 0;
    if (data->bytes == 0 || known->bytes == 0)
        known->bytes = 0;
    else if (known->bytes < data->bytes)
        known->bytes = data->bytes;
    known->lockable = known->lockable || data->lockable;
    known->shared = known->shared && data->shared;
    if (known->width != data->width || known->height != data->height)
        known->width = known->height = 0;
    if (known->format != data->format)
        known->format = 0;
    if (!standard_same_rate(known->rate, data->rate))
        known->rate.Denominator = 0;
}

static void standard_remember(struct vidmm_referee *referee, const struct standards_data *data) {
    struct standards_data *known = standard_find(referee, data->hash, data->size);
    if (known) {
        standard_join(known, data);
        return;
    }
    referee->standards.newest = (referee->standards.newest + 1) % STANDARDS_REMEMBERED;
    referee->standards.remembered[referee->standards.newest] = *data;
}

/* With private data for the resource, too, the allocation's own need not tell one size from another. */
static void standard_described(struct vidmm_referee *referee,
                               const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args,
                               const struct standard_shape *wanted, const struct guard *data) {
    UINT size = args->AllocationPrivateDriverDataSize;
    uint64_t bytes = standard_judge_pitch(referee, wanted, standard_shape_of(args).pitch);
    bool alone = args->ResourcePrivateDriverDataSize == 0;
    const D3DDDI_RATIONAL none = {0, 0};
    if (size > data->size)
        return;
    standard_remember(referee,
                      &(struct standards_data){.hash = hash_bytes(HASH_START, data->original, size),
                                               .size = size,
                                               .type = (uint32_t)args->StandardAllocationType,
                                               .bytes = alone ? bytes : 0,
                                               .lockable = alone && wanted->lockable,
                                               .shared = wanted->shared,
                                               .width = alone ? wanted->width : 0,
                                               .height = alone ? wanted->height : 0,
                                               .format = alone ? wanted->format : 0,
                                               .rate = alone ? wanted->rate : none});
}

/* When the driver is asked for the sizes; later it is told them. */
static const struct given standard_answered[] = {
    GIVEN(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, AllocationPrivateDriverDataSize),
    GIVEN(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, ResourcePrivateDriverDataSize),
    GIVEN_END,
};

static NTSTATUS
watch_GetStandardAllocationDriverData(struct vidmm_referee *referee, const HANDLE adapter,
                                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *args) {
    struct referee_call call;
    struct guard data, resource, answer;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA mine = *args;
    struct standard_shape wanted = standard_shape_of(args);
    bool sizes = !args->pAllocationPrivateDriverData && !args->pResourcePrivateDriverData;
    /* What is [out] has any value before: in every other question that of the caller. */
    bool unset = sizes && referee->standards.asked++ % 2 != 0;
    referee_enter(referee, &call, "DxgkDdiGetStandardAllocationDriverData", REFEREE_REENTRANT);
    guard_make(referee, &data, args->pAllocationPrivateDriverData,
               args->AllocationPrivateDriverDataSize);
    guard_make(referee, &resource, args->pResourcePrivateDriverData,
               args->ResourcePrivateDriverDataSize);
    mine.pAllocationPrivateDriverData = data.bytes;
    mine.pResourcePrivateDriverData = resource.bytes;
    if (sizes)
        referee_gives_null(&call, 551, "pAllocationPrivateDriverData");
    guard_make(referee, &answer, &mine, sizeof(mine));
    if (unset)
        given_unset(&answer, standard_answered);
    referee_leave(referee);
    NTSTATUS status =
        referee->real.DxgkDdiGetStandardAllocationDriverData(adapter, (void *)answer.bytes);
    referee_return(referee);
    if (unset)
        given_judge_written(referee, &answer, standard_answered, status == STATUS_SUCCESS);
    given_answered(referee, &answer);
    mine.StandardAllocationType =
        args->StandardAllocationType; /* whatever the driver wrote there */
    mine.pCreateSharedPrimarySurfaceData = args->pCreateSharedPrimarySurfaceData;
    if (sizes) /* it came back */
        DRIVER_MUST(551, true, "nothing written where the system gives no memory", "it was");
    guard_judge(referee, &data, "pAllocationPrivateDriverData");
    guard_judge(referee, &resource, "pResourcePrivateDriverData");
    guard_give(&data, 0, data.size);
    guard_give(&resource, 0, resource.size);
    guard_free(referee, &data);
    guard_free(referee, &resource);
    if (NT_SUCCESS(status) && data.original)
        standard_described(referee, &mine, &wanted, &data);
    mine.pAllocationPrivateDriverData = data.original;
    mine.pResourcePrivateDriverData = resource.original;
    *args = mine;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, GetStandardAllocationDriverData, const HANDLE,
          DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *)

/* Alpha that nobody reads makes no difference to what is shown. */
static uint32_t standard_opaque(uint32_t format) {
    switch (format) {
    case D3DDDIFMT_A8R8G8B8:
        return D3DDDIFMT_X8R8G8B8;
    case D3DDDIFMT_A8B8G8R8:
        return D3DDDIFMT_X8B8G8R8;
    default:
        return format;
    }
}

/* Without video present sources nothing is shown at any rate. */
static void describe_judge_rate(struct vidmm_referee *referee,
                                const struct shadow_allocation *known, D3DDDI_RATIONAL rate) {
    if (known->rate.Denominator != 0 && referee->adapter.sources != 0)
        DRIVER_MUST(400, standard_same_rate(rate, known->rate),
                    "the refresh rate that the primary was created with",
                    "a rate of %u/%u, for %u/%u", rate.Numerator, rate.Denominator,
                    known->rate.Numerator, known->rate.Denominator);
    else
        DRIVER_MUST(400, rate.Numerator == 0 || rate.Denominator != 0,
                    "a refresh rate of a primary with a denominator", "a rate of %u/0",
                    rate.Numerator);
}

/* Of a standard surface the system knows the size and the format: it asked for them. */
static void describe_judge(struct vidmm_referee *referee, const struct shadow_allocation *known,
                           const DXGKARG_DESCRIBEALLOCATION *args) {
    if (known->width != 0 && known->height != 0)
        DRIVER_MUST(400, args->Width == known->width && args->Height == known->height,
                    "the size that the surface was asked for with",
                    "%u times %u pixels, for %u times %u", args->Width, args->Height, known->width,
                    known->height);
    if (known->format != 0)
        DRIVER_MUST(400, standard_opaque((uint32_t)args->Format) == standard_opaque(known->format),
                    "the format that the surface was asked for with", "format %u, for %u",
                    (unsigned)args->Format, known->format);
    if (standard_is_primary(known->standard))
        describe_judge_rate(referee, known, args->RefreshRate);
}

static const struct given describe_given[] = {
    GIVEN(DXGKARG_DESCRIBEALLOCATION, hAllocation),
    GIVEN_END,
};

static NTSTATUS watch_DescribeAllocation(struct vidmm_referee *referee, const HANDLE adapter,
                                         DXGKARG_DESCRIBEALLOCATION *args) {
    struct referee_call call;
    const DXGKARG_DESCRIBEALLOCATION asked = *args;
    struct guard answer;
    referee_enter(referee, &call, "DxgkDdiDescribeAllocation", REFEREE_REENTRANT);
    const struct shadow_allocation *allocation = shadow_allocation(referee, args->hAllocation);
    const struct shadow_allocation known =
        allocation ? *allocation : (struct shadow_allocation){.standard = 0};
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiDescribeAllocation(adapter, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    given_judge(referee, describe_given, &asked, args);
    if (standard_is_primary(known.standard))
        DRIVER_MUST(400, NT_SUCCESS(status) && args->Width != 0 && args->Height != 0,
                    "a description of a primary", "status 0x%08x, %u times %u pixels",
                    (unsigned)status, args->Width, args->Height);
    if (NT_SUCCESS(status))
        describe_judge(referee, &known, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, DescribeAllocation, const HANDLE, DXGKARG_DESCRIBEALLOCATION *)

void referee_watch_standard(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    for (uint32_t i = 0; i < STANDARDS_REMEMBERED; i++)
        referee->standards.remembered[i] = (struct standards_data){.size = 0};
    WATCH(table, GetStandardAllocationDriverData);
    WATCH(table, DescribeAllocation);
}
