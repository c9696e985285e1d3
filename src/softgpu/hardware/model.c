/*
 * model.c - the software GPU as the host sees it (vidmm/hwmodel.h): straps, BARs, registers.
 */
#include <vidmm/softgpu.h>

#include "hardware/dirty.h"
#include "hardware/mmu.h"

/* ---- Building -------------------------------------------------------------------------------- */

static uint64_t model_setting(const struct hw *hw, const char *name, uint64_t otherwise) {
    return hw->host.setting(hw->host.ctx, name, otherwise);
}

static bool page_multiple(uint64_t bytes) {
    return bytes % GPU_PAGE == 0 && bytes <= GPU_MEMORY_LIMIT;
}

static bool read_memories(struct hw *hw) {
    hw->vram.size = model_setting(hw, "VramBytes", UINT64_C(256) << 20);
    if (hw->host.physical != 0)
        hw->vram.size = model_setting(hw, "LinkedVram", hw->vram.size);
    hw->visible = model_setting(hw, "VramVisibleBytes", hw->vram.size);
    if (hw->visible > hw->vram.size)
        hw->visible = hw->vram.size;
    if (hw->vram.size == 0 || !page_multiple(hw->vram.size) || !page_multiple(hw->visible))
        return hw_refuse(hw,
                         "VramBytes (--vram) and VramVisibleBytes are pages of 4096 bytes, at most "
                         "1 TiB, and at least one of the first");
    hw->aperture[0].pages = model_setting(hw, "ApertureBytes", UINT64_C(512) << 20);
    hw->aperture[1].pages = model_setting(hw, "EvictionApertureBytes", 0);
    for (uint32_t i = 0; i < GPU_APERTURES; i++) {
        if (!page_multiple(hw->aperture[i].pages))
            return hw_refuse(hw, "ApertureBytes and EvictionApertureBytes are pages of 4096 bytes, "
                                 "at most 1 TiB");
        hw->aperture[i].pages /= GPU_PAGE;
    }
    return true;
}

/* Reads what the board is; false when it makes no sense. */
static bool read_straps(struct hw *hw) {
    uint64_t nodes = model_setting(hw, "Nodes", GPU_ENGINES);
    uint64_t ranges = model_setting(hw, "SwizzlingRanges", 2);
    if (nodes == 0 || nodes > GPU_ENGINES)
        return hw_refuse(hw, "Nodes is 1 or 2");
    if (ranges > GPU_RANGE_LIMIT)
        return hw_refuse(hw, "SwizzlingRanges is at most 64");
    hw->nodes = (uint32_t)nodes;
    hw->range_count = (uint32_t)ranges;
    hw->iommu = model_setting(hw, "Iommu", 0) != 0 && hw->host.iommu;
    hw->no_content = model_setting(hw, "NoContent", 0) != 0;
    hw->damage_kind = model_setting(hw, "FaultKind", HW_DAMAGE_NONE);
    hw->damage_at = model_setting(hw, "FaultAt", 0);
    hw->hang_at[GPU_DOORBELL_RENDER] = model_setting(hw, "HangAt", 0);
    hw->hang_at[GPU_DOORBELL_PAGING] = model_setting(hw, "HangPagingAt", 0);
    if (hw->damage_kind >= HW_DAMAGE_KINDS)
        return hw_refuse(hw, "FaultKind is at most 16");
    if (hw->no_content && model_setting(hw, "ContextBytes", 0) != 0)
        return hw_refuse(hw, "NoContent goes without ContextBytes, whose content the GPU reads");
    return hw_displays_make(hw, model_setting(hw, "Displays", 0)) && read_memories(hw);
}

/* VRAM, windows, and one block for the page tables of apertures and windows. */
static bool make_memories(struct hw *hw) {
    uint64_t window_pages = GPU_WINDOW_BYTES / GPU_PAGE;
    uint64_t entries = hw->range_count * window_pages;
    for (uint32_t i = 0; i < GPU_APERTURES; i++)
        entries += hw->aperture[i].pages;
    if (!hw_memory_make(&hw->vram, hw->vram.size) ||
        !hw_memory_make(&hw->windows, hw->range_count * GPU_WINDOW_BYTES) ||
        !hw_memory_make(&hw->tables, entries * sizeof(hw_entry)))
        return false;
    hw_entry *next = (hw_entry *)(void *)hw->tables.bytes;
    for (uint32_t i = 0; i < GPU_APERTURES; i++) {
        hw->aperture[i].entries = next;
        next += hw->aperture[i].pages;
    }
    for (uint32_t i = 0; i < hw->range_count; i++) {
        hw->range[i].window = hw->windows.bytes + i * GPU_WINDOW_BYTES;
        hw->range[i].backing = next;
        next += window_pages;
    }
    return true;
}

/* Where dirty bits are kept every way to VRAM is watched, and those of peers are not. */
static bool link_sensible(const struct hw *hw) {
    if (hw_linked(hw) && hw->dirty)
        return hw_refuse(hw, "DirtyPageBytes is for a board that is not linked");
    return hw->host.linked <= GPU_LINK_LIMIT;
}

/* For the same reason, with dirty bits there is no such aperture. Nor is there one where the CPU
 * reaches all of VRAM without. */
static bool make_host_aperture(struct hw *hw) {
    uint64_t bytes = model_setting(hw, "CpuHostApertureBytes", 0);
    if (!page_multiple(bytes))
        return hw_refuse(hw, "CpuHostApertureBytes is pages of 4096 bytes");
    return hw_host_aperture_make(hw, hw->visible < hw->vram.size && !hw->dirty ? bytes : 0);
}

static void fill_bars(const struct hw *hw, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        bars[i] = (struct vidmm_hw_bar){VIDMM_HW_BAR_NONE, 0, NULL};
    bars[GPU_BAR_REGISTERS] =
        (struct vidmm_hw_bar){VIDMM_HW_BAR_REGISTERS, GPU_REGISTER_BYTES, NULL};
    if (hw->visible != 0)
        bars[GPU_BAR_VRAM] =
            (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, hw->visible, hw_view_bytes(hw)};
    if (hw->windows.size != 0)
        bars[GPU_BAR_WINDOWS] =
            (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, hw->windows.size, hw->windows.bytes};
    const struct hw_memory *window = &hw->host_aperture.window;
    if (window->size != 0)
        bars[GPU_BAR_HOST] =
            (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, window->size, window->bytes};
    if (!hw->dirty)
        return;
    uint64_t entries = (hw->aperture[0].pages + hw->aperture[1].pages) * sizeof(hw_entry);
    bars[GPU_BAR_DIRTY] =
        (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, hw->dirty->plane.size, hw->dirty->plane.bytes};
    if (hw->mmu && entries != 0)
        bars[GPU_BAR_APERTURES] = (struct vidmm_hw_bar){
            VIDMM_HW_BAR_MEMORY, (entries + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE, hw->tables.bytes};
}

static void model_destroy(void *context) {
    struct hw *hw = context;
    struct vidmm_hw_host host = hw->host;
    for (uint32_t i = 0; i < GPU_ENGINES; i++)
        hw_engine_drop(hw, &hw->engine[i]);
    hw_mmu_drop(hw);
    hw_dirty_drop(hw);
    hw_memory_drop(&hw->tables);
    hw_memory_drop(&hw->windows);
    hw_memory_drop(&hw->vram);
    hw_host_aperture_drop(hw);
    pthread_mutex_destroy(&hw->ranges_lock);
    pthread_mutex_destroy(&hw->lock);
    host.free(host.ctx, hw, sizeof(*hw));
}

static void *model_create(const struct vidmm_hw_host *host,
                          struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    struct hw *hw = host->alloc(host->ctx, sizeof(*hw));
    if (!hw)
        return NULL;
    hw->host = *host;
    hw->host_aperture.file = -1;
    pthread_mutex_init(&hw->lock, NULL);
    pthread_mutex_init(&hw->ranges_lock, NULL);
    bool good = read_straps(hw) && make_memories(hw) && hw_mmu_make(hw) && hw_dirty_make(hw) &&
                link_sensible(hw) && make_host_aperture(hw);
    for (uint32_t i = 0; i < GPU_ENGINES && good; i++)
        good = hw_engine_make(hw, i);
    if (!good) {
        model_destroy(hw);
        return NULL;
    }
    fill_bars(hw, bars);
    return hw;
}

/* ---- Registers ------------------------------------------------------------------------------- */

/* Which block an offset is in, and where in it. */
static bool in_engines(const struct hw *hw, uint64_t offset) {
    return offset >= GPU_ENGINE(0) && offset < GPU_ENGINE(hw->nodes);
}

static bool in_ranges(const struct hw *hw, uint64_t offset) {
    return offset >= GPU_RANGE(0) && offset < GPU_RANGE(hw->range_count);
}

static bool in_displays(uint64_t offset) {
    return (offset >= GPU_REG_DISPLAYS && offset <= GPU_REG_VSYNC_EVENTS) ||
           (offset >= GPU_DISPLAY(0) && offset < GPU_DISPLAY(GPU_DISPLAYS));
}

static struct hw_engine *engine_of(struct hw *hw, uint64_t offset, uint32_t *within) {
    *within = (uint32_t)(offset - GPU_ENGINE(0)) % 0x100u;
    return &hw->engine[(offset - GPU_ENGINE(0)) / 0x100u];
}

static uint32_t interrupt_status(struct hw *hw) {
    uint32_t status = 0;
    pthread_mutex_lock(&hw->lock);
    for (uint32_t i = 0; i < hw->nodes; i++)
        status |= (hw->engine[i].events != 0 ? 1u : 0u) << i;
    status |= hw->vsync_events != 0 ? GPU_INT_VSYNC : 0;
    pthread_mutex_unlock(&hw->lock);
    return status;
}

static uint64_t read_global(struct hw *hw, uint32_t offset) {
    switch (offset) {
    case GPU_REG_ID:
        return GPU_ID_VALUE;
    case GPU_REG_NODES:
        return hw->nodes;
    case GPU_REG_RANGES:
        return hw->range_count;
    case GPU_REG_INT_STATUS:
        return interrupt_status(hw);
    case GPU_REG_VRAM:
        return hw->vram.size;
    case GPU_REG_VISIBLE:
        return hw->visible;
    case GPU_REG_APERTURE(0):
        return hw->aperture[0].pages * GPU_PAGE;
    case GPU_REG_APERTURE(1):
        return hw->aperture[1].pages * GPU_PAGE;
    case GPU_REG_IOMMU:
        return hw->iommu;
    case GPU_REG_LINK:
        return hw_linked(hw) ? hw->host.linked | hw->host.physical << 8 : 0;
    case GPU_REG_CHAIN:
        return hw_linked(hw) ? GPU_CHAIN_ID : 0;
    case GPU_REG_HOST_BYTES:
        return hw_host_aperture_read(hw);
    case GPU_REG_DIRTY_PAGE:
        return hw_dirty_read(hw);
    default:
        return hw_mmu_read(hw, offset);
    }
}

static uint64_t reg_read(void *context, uint32_t bar, uint64_t offset, uint32_t width) {
    struct hw *hw = context;
    uint64_t value;
    if (bar != GPU_BAR_REGISTERS || offset >= GPU_REGISTER_BYTES || width < 4 ||
        offset % width != 0)
        return UINT64_MAX;
    if (in_engines(hw, offset)) {
        uint32_t within;
        struct hw_engine *engine = engine_of(hw, offset, &within);
        value = hw_engine_read(hw, engine, within);
        return width == 4 ? (uint32_t)value : value;
    }
    if (in_displays(offset))
        value = hw_displays_read(hw, (uint32_t)offset);
    else
        value = in_ranges(hw, offset) ? hw_range_read(hw, (uint32_t)offset)
                                      : read_global(hw, (uint32_t)offset);
    return width == 4 ? (uint32_t)value : value;
}

static void write_engine(struct hw *hw, uint64_t offset, uint64_t value) {
    uint32_t within;
    struct hw_engine *engine = engine_of(hw, offset, &within);
    if (within == GPU_ENGINE_DOORBELL) {
        hw_engine_doorbell(hw, engine, (uint32_t)value);
        return;
    }
    if (within == GPU_ENGINE_PREEMPT) {
        hw_engine_preempt(hw, engine, (uint32_t)value);
        return;
    }
    if (within == GPU_ENGINE_STATE && value == 1)
        hw_engine_stop(hw, engine);
    else
        hw_engine_write(hw, engine, within, value);
}

static void model_reset(struct hw *hw) {
    for (uint32_t i = 0; i < hw->nodes; i++)
        hw_engine_stop(hw, &hw->engine[i]);
    hw_ranges_stop(hw);
    hw_memory_clear(&hw->vram);
    hw_host_aperture_reset(hw);
    hw_dirty_reset(hw);
    hw_displays_stop(hw);
    hw_mmu_stop(hw);
}

static void enable_interrupts(struct hw *hw, bool enable) {
    pthread_mutex_lock(&hw->lock);
    hw->interrupts = enable;
    pthread_mutex_unlock(&hw->lock);
    if (enable && interrupt_status(hw) != 0)
        hw_interrupt(hw);
}

static void reg_write(void *context, uint32_t bar, uint64_t offset, uint32_t width,
                      uint64_t value) {
    struct hw *hw = context;
    if (bar != GPU_BAR_REGISTERS || offset >= GPU_REGISTER_BYTES || width < 4 ||
        offset % width != 0)
        return;
    if (in_engines(hw, offset))
        write_engine(hw, offset, value);
    else if (in_ranges(hw, offset))
        hw_range_write(hw, (uint32_t)offset, value);
    else if (in_displays(offset))
        hw_displays_write(hw, (uint32_t)offset, value);
    else if (offset == GPU_REG_INT_ENABLE)
        enable_interrupts(hw, value != 0);
    else if (offset == GPU_REG_RESET && value == 1)
        model_reset(hw);
    else if (offset >= GPU_REG_DIRTY && offset <= GPU_REG_DIRTY_END)
        hw_dirty_write(hw, (uint32_t)offset, value);
    else if (offset == GPU_REG_HOST_PAGE || offset == GPU_REG_HOST_TARGET)
        hw_host_aperture_write(hw, (uint32_t)offset, value);
    else
        hw_mmu_write(hw, (uint32_t)offset, value);
}

/* ---- The rest -------------------------------------------------------------------------------- */

static bool model_step(void *context, uint32_t engine) {
    struct hw *hw = context;
    bool synced = engine == 0 && hw_displays_step(hw);
    return (engine < hw->nodes && hw_engine_step(hw, &hw->engine[engine])) || synced;
}

static const void *model_peek(void *context, uint64_t gpu_address, size_t size) {
    struct hw *hw = context;
    uint64_t bytes = size;
    unsigned char *at;
    hw = hw_owner(hw, &gpu_address);
    if (hw && size != 0)
        hw_ranges_before(hw, gpu_address, size);
    if (!hw || hw_at(hw, gpu_address, &at, &bytes) != GPU_FAULT_NONE || bytes < size)
        return NULL;
    return at;
}

static bool model_translate(void *context, uint64_t root, uint32_t entries, uint64_t va,
                            struct vidmm_hw_translation *out) {
    return hw_mmu_query(context, root, entries, va, out);
}

static bool model_snoops(void *context, uint64_t gpu_address, bool *snoops) {
    struct hw *hw = hw_owner(context, &gpu_address);
    return hw && hw_aperture_snoops(hw, gpu_address, snoops);
}

static bool model_scanout(void *context, uint32_t head, struct vidmm_hw_scanout *out) {
    return hw_display_scanout(context, head, out);
}

static void model_power(void *context, enum vidmm_hw_power power) {
    hw_power(context, power);
}

static bool model_root(void *context, uint32_t engine, uint64_t *root) {
    struct hw *hw = context;
    *root = hw->engine[engine].ran;
    return hw->mmu && *root != HW_NO_ROOT;
}

const struct vidmm_hw_model vidmm_softgpu_model = {
    .name = "softgpu",
    .create = model_create,
    .destroy = model_destroy,
    .reg_read = reg_read,
    .reg_write = reg_write,
    .engines = GPU_ENGINES,
    .step = model_step,
    .peek = model_peek,
    .translate = model_translate,
    .root = model_root,
    .snoops = model_snoops,
    .scanout = model_scanout,
    .power = model_power,
    .reaches_to = GPU_BUS_END,
};
