/* spoken.c - see spoken.h. */
#include "spoken.h"

#include "surface.h"

enum vidmm_stage_outcome check_plain_context(struct check *check, struct vidmm_device *device,
                                             struct vidmm_context **context) {
    enum vidmm_status status = vidmm_context_create(device, 0, 0, context);
    if (status == VIDMM_DRIVER_REFUSED && check_virtual(check))
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "the driver makes no contexts without virtual addresses");
    return check_good(check, status) ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}

enum vidmm_stage_outcome spoken_open(struct spoken *spoken, struct check *check, const char *stage,
                                     uint64_t chunk) {
    const struct check_setup setup = {.settings = {{"VramBytes", SPOKEN_VRAM}},
                                      .transfer_chunk = chunk};
    check_step(check, "%s: start", stage);
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (!check_speaks(check))
        return check_say(
            check, VIDMM_STAGE_SKIPPED,
            "the driver does not use vidmm/umd.h, so its surfaces cannot be described");
    if (!check_good(check, vidmm_device_create(check->harness.adapter, &spoken->device)))
        return VIDMM_STAGE_STOPPED;
    return check_plain_context(check, spoken->device, &spoken->context);
}

static enum vidmm_status spoken_ask(struct vidmm_device *device, uint32_t flags, uint64_t pages,
                                    struct vidmm_allocation **out) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = flags,
                                        .size = pages * CHECK_PAGE,
                                        .pitch = flags & VIDMM_UMD_SWIZZLED ? SPOKEN_PITCH : 0};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    return vidmm_allocation_create(device, &request, out);
}

enum vidmm_status spoken_create(struct vidmm_device *device, uint32_t flags, uint64_t pages,
                                struct vidmm_allocation **out) {
    const uint32_t both = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE;
    enum vidmm_status status = spoken_ask(device, flags, pages, out);
    return status == VIDMM_DRIVER_REFUSED && (flags & both) == both
               ? spoken_ask(device, flags & ~VIDMM_UMD_CPU_VISIBLE, pages, out)
               : status;
}

bool spoken_alternates(struct vidmm_adapter *adapter, struct vidmm_device *device) {
    const uint32_t flags =
        VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PRIMARY | VIDMM_UMD_ALTERNATE_VA;
    struct vidmm_umd_allocation data = {
        .magic = VIDMM_UMD_MAGIC, .flags = flags, .size = CHECK_PAGE};
    const struct vidmm_allocation_request request = {
        .private_data = &data, .private_size = sizeof(data), .primary = true};
    struct vidmm_allocation *primary = NULL;
    if (vidmm_allocation_create(device, &request, &primary) != VIDMM_OK)
        return false;
    bool has = check_has_alternate(adapter, primary);
    vidmm_allocation_destroy(primary);
    return has;
}
