/*
 * render.c - the commands of the render engine: writing and checking patterns (vidmm/umd.h,
 * vidmm/pattern.h), and taking time.
 */
#include <stddef.h>

#include <vidmm/pattern.h>
#include <vidmm/umd.h>

#include "hardware/hw.h"

#define SPIN_NS       1000u
#define VRAM_PAGE_NS  32u
#define OTHER_PAGE_NS 256u

/* User-mode drivers write these packets without our headers. */
#define SAME(member, theirs)                                                                       \
    _Static_assert(offsetof(struct gpu_draw, member) == offsetof(struct vidmm_umd_draw, theirs),   \
                   "a packet is a command")
SAME(address, address);
SAME(result, result);
SAME(oracle, oracle);
SAME(surface, bytes);
SAME(page, page);
SAME(pages, pages);
SAME(version, version);
_Static_assert(
    sizeof(struct gpu_draw) == sizeof(struct vidmm_umd_draw) &&
        sizeof(struct gpu_copy) == sizeof(struct vidmm_umd_copy) &&
        sizeof(struct gpu_fill) == sizeof(struct vidmm_umd_fill) &&
        sizeof(struct gpu_touch) == sizeof(struct vidmm_umd_touch) &&
        sizeof(struct gpu_spin) == sizeof(struct vidmm_umd_spin) &&
        sizeof(struct gpu_signal) == sizeof(struct vidmm_umd_signal) &&
        GPU_STAMP == (int)VIDMM_UMD_PACKET_STAMP && GPU_CHECK == (int)VIDMM_UMD_PACKET_CHECK &&
        GPU_COPY == (int)VIDMM_UMD_PACKET_COPY && GPU_FILL == (int)VIDMM_UMD_PACKET_FILL &&
        GPU_READ == (int)VIDMM_UMD_PACKET_READ && GPU_WRITE == (int)VIDMM_UMD_PACKET_WRITE &&
        GPU_SPIN == (int)VIDMM_UMD_PACKET_SPIN && GPU_SIGNAL == (int)VIDMM_UMD_PACKET_SIGNAL,
    "a packet is a command");

static bool render_tiled(const struct gpu_draw *draw) {
    return (draw->head.flags & GPU_FLAG_TILED) != 0;
}

static enum gpu_fault render_judge(struct hw *hw, const struct hw_engine *engine,
                                   const struct gpu_draw *draw) {
    uint64_t end = ((uint64_t)draw->page + draw->pages) * GPU_PAGE;
    if (end > draw->surface || draw->surface == 0)
        return GPU_FAULT_COMMAND;
    if (render_tiled(draw) && !hw_tiled_surface(hw, draw->address, draw->pitch, draw->surface))
        return GPU_FAULT_COMMAND;
    return hw_named(hw, engine, draw->address, draw->surface) ? GPU_FAULT_NONE : GPU_FAULT_ADDRESS;
}

/* Where the CPU has a page of a surface that is not tiled, if it is there in one piece; else NULL. */
static enum gpu_fault page_in_place(struct hw *hw, struct hw_engine *engine, uint32_t access,
                                    const struct gpu_draw *draw, uint64_t page,
                                    unsigned char **at) {
    uint64_t bytes = GPU_PAGE;
    *at = NULL;
    if (render_tiled(draw))
        return GPU_FAULT_NONE;
    enum gpu_fault fault =
        hw_reach(hw, hw_operand_space(engine), access, draw->address + page * GPU_PAGE, at, &bytes);
    if (fault == GPU_FAULT_NONE && bytes < GPU_PAGE)
        *at = NULL;
    return fault;
}

static enum gpu_fault put_page(struct hw *hw, struct hw_engine *engine, const struct gpu_draw *draw,
                               uint64_t page, const unsigned char *bytes) {
    if (!render_tiled(draw))
        return hw_write(hw, hw_operand_space(engine), draw->address + page * GPU_PAGE, bytes,
                        GPU_PAGE);
    hw_tile(hw, draw->address, draw->pitch, draw->surface, page * GPU_PAGE, bytes, GPU_PAGE);
    return GPU_FAULT_NONE;
}

static enum gpu_fault get_page(struct hw *hw, struct hw_engine *engine, const struct gpu_draw *draw,
                               uint64_t page, unsigned char *bytes) {
    if (!render_tiled(draw))
        return hw_read(hw, hw_operand_space(engine), GPU_ACCESS_READ,
                       draw->address + page * GPU_PAGE, bytes, GPU_PAGE);
    hw_untile(hw, draw->address, draw->pitch, draw->surface, page * GPU_PAGE, bytes, GPU_PAGE);
    return GPU_FAULT_NONE;
}

static void stamp_bytes(const struct hw *hw, unsigned char *bytes, const struct gpu_draw *draw,
                        uint64_t page, bool wrong) {
    if (hw->no_content)
        return;
    vidmm_pattern_write(bytes, vidmm_pattern_key(draw->oracle, page, draw->version));
    if (wrong)
        bytes[GPU_PAGE / 2] ^= 0x10u;
}

static enum gpu_fault stamp_page(struct hw *hw, struct hw_engine *engine,
                                 const struct gpu_draw *draw, uint64_t page, bool wrong) {
    unsigned char *at;
    enum gpu_fault fault = page_in_place(hw, engine, GPU_ACCESS_WRITE, draw, page, &at);
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (!at) {
        unsigned char bytes[GPU_PAGE] = {0};
        stamp_bytes(hw, bytes, draw, page, wrong);
        return put_page(hw, engine, draw, page, bytes);
    }
    stamp_bytes(hw, at, draw, page, wrong);
    hw_wrote(hw, at, GPU_PAGE);
    return GPU_FAULT_NONE;
}

static enum gpu_fault render_stamp(struct hw *hw, struct hw_engine *engine,
                                   const struct gpu_draw *draw) {
    enum gpu_fault fault = GPU_FAULT_NONE;
    bool wrong = draw->pages != 0 && hw_damaged(hw, HW_DAMAGE_STAMP);
    for (uint32_t i = 0; i < draw->pages && fault == GPU_FAULT_NONE; i++)
        fault =
            stamp_page(hw, engine, draw, (uint64_t)draw->page + i, wrong && i == draw->pages / 2);
    return fault;
}

/* `*wrong`: offset of the first wrong byte of a page; GPU_PAGE: it is right. */
static enum gpu_fault check_page(struct hw *hw, struct hw_engine *engine,
                                 const struct gpu_draw *draw, uint64_t page, uint32_t *wrong) {
    unsigned char bytes[GPU_PAGE], *at;
    enum gpu_fault fault = page_in_place(hw, engine, GPU_ACCESS_READ, draw, page, &at);
    if (fault == GPU_FAULT_NONE && !at)
        fault = get_page(hw, engine, draw, page, bytes);
    if (fault != GPU_FAULT_NONE)
        return fault;
    *wrong = GPU_PAGE;
    if (!hw->no_content)
        *wrong = vidmm_pattern_check(at ? at : bytes,
                                     vidmm_pattern_key(draw->oracle, page, draw->version));
    return GPU_FAULT_NONE;
}

static enum gpu_fault render_check(struct hw *hw, struct hw_engine *engine,
                                   const struct gpu_draw *draw) {
    struct vidmm_umd_result result;
    struct hw_engine *by = hw_operand_space(engine);
    enum gpu_fault fault = hw_read(hw, by, GPU_ACCESS_READ, draw->result, &result, sizeof(result));
    for (uint32_t i = 0; i < draw->pages && fault == GPU_FAULT_NONE; i++) {
        uint32_t wrong;
        fault = check_page(hw, engine, draw, (uint64_t)draw->page + i, &wrong);
        if (fault != GPU_FAULT_NONE)
            break;
        result.checked_bytes += GPU_PAGE;
        if (wrong == GPU_PAGE)
            continue;
        if (result.first_oracle == 0) {
            result.first_oracle = draw->oracle;
            result.first_page = draw->page + i;
            result.first_byte = wrong;
        }
        result.wrong_pages++;
    }
    return fault != GPU_FAULT_NONE ? fault
                                   : hw_write(hw, by, draw->result, &result, sizeof(result));
}

enum gpu_fault hw_draw_command(struct hw *hw, struct hw_engine *engine,
                               const struct gpu_command *head) {
    struct gpu_draw draw;
    bool write = head->opcode == GPU_STAMP;
    enum gpu_fault fault = hw_operands(hw, engine, head, &draw, sizeof(draw));
    draw.head = *head;
    if (fault == GPU_FAULT_NONE)
        fault = render_judge(hw, engine, &draw);
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (!engine->translate)
        hw_ranges_before(hw, draw.address, draw.surface);
    fault = write ? render_stamp(hw, engine, &draw) : render_check(hw, engine, &draw);
    if (write && !engine->translate)
        hw_ranges_after(hw, draw.address, draw.surface);
    bool vram = engine->translate ? !engine->remote : hw_in_vram(hw, draw.address, 1);
    engine->cost_ns += (uint64_t)draw.pages * (vram ? VRAM_PAGE_NS : OTHER_PAGE_NS);
    return fault;
}

enum gpu_fault hw_spin_command(struct hw *hw, struct hw_engine *engine,
                               const struct gpu_command *head) {
    struct gpu_spin spin;
    enum gpu_fault fault = hw_operands(hw, engine, head, &spin, sizeof(spin));
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (spin.steps == UINT32_MAX) {
        pthread_mutex_lock(&hw->lock);
        engine->hung = true;
        pthread_mutex_unlock(&hw->lock);
        engine->waiting = true;
    } else if (engine->spun < spin.steps) {
        engine->spun++;
        engine->cost_ns += SPIN_NS;
        engine->waiting = true;
    } else {
        engine->spun = 0;
    }
    return GPU_FAULT_NONE;
}
