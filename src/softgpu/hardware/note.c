/*
 * note.c - the bits of the plane (dirty.h), and noting in it what engines write.
 *
 * The plane is sparse: what was never written costs no memory, and a summary leads past it. What an
 * engine writes is listed, neighbours as one, and goes into the plane with one fence for the whole
 * list; a bit that is set already costs no store.
 */
#include "hardware/dirty.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- Bits ------------------------------------------------------------------------------------ */

bool hw_bits_make(struct hw_bits *bits, struct hw_memory *memory, uint64_t count) {
    if (!hw_memory_make(memory, gpu_dirty_bytes(count)))
        return false;
    bits->word = (_Atomic uint64_t *)(void *)memory->bytes;
    bits->summary = (_Atomic uint64_t *)(void *)(memory->bytes + gpu_dirty_summary(count));
    return true;
}

static void set_in(_Atomic uint64_t *word, uint64_t mask) {
    if ((atomic_load(word) & mask) != mask)
        atomic_fetch_or(word, mask);
}

void hw_bits_set(struct hw_bits *bits, uint64_t first, uint64_t last) {
    for (uint64_t word = first / 64; word <= last / 64; word++) {
        set_in(&bits->word[word], hw_bits_inside(word, first, last));
        set_in(&bits->summary[word / 64], UINT64_C(1) << word % 64);
    }
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Nothing that follows is done before all that was written is visible, past the cache too. */
static void full_fence(void) {
#if defined(__x86_64__)
    _mm_mfence();
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

bool hw_dirty_on(const struct hw *hw) {
    return hw->dirty && atomic_load_explicit(&hw->dirty->on, memory_order_relaxed);
}

static void note_mark(struct hw *hw, const unsigned char *at, const unsigned char *end) {
    struct hw_dirty *dirty = hw->dirty;
    uint64_t first = (uint64_t)(at - hw->vram.bytes) >> dirty->shift;
    uint64_t last = (uint64_t)(end - 1 - hw->vram.bytes) >> dirty->shift;
    if (hw_damaged(hw, HW_DAMAGE_MARK_WRONG)) {
        first = first + 1 < dirty->pages ? first + 1 : first - (first != 0);
        last = last > first ? last : first;
    }
    hw_bits_set(&dirty->dirty, first, last);
}

/* Of the engine that this thread executes for; NULL: it does for none. */
static _Thread_local struct hw_notes *taking;

static void note_settle(struct hw *hw, struct hw_notes *notes) {
    if (notes->count == 0)
        return;
    full_fence();
    for (uint32_t i = 0; i < notes->count; i++)
        note_mark(hw, notes->note[i].at, notes->note[i].end);
    notes->count = 0;
}

void hw_dirty_note(struct hw *hw, const void *written, uint64_t bytes, enum hw_damage lost) {
    const unsigned char *at = written;
    struct hw_notes *notes = taking;
    if (bytes == 0 || (uintptr_t)at - (uintptr_t)hw->vram.bytes >= hw->vram.size ||
        !hw_dirty_on(hw) || (lost != HW_DAMAGE_NONE && hw_damaged(hw, lost)))
        return;
    if (!notes) {
        full_fence();
        note_mark(hw, at, at + bytes);
        return;
    }
    if (notes->count != 0 && notes->note[notes->count - 1].end == at) {
        notes->note[notes->count - 1].end = at + bytes;
        return;
    }
    if (notes->count == HW_NOTES)
        note_settle(hw, notes);
    notes->note[notes->count++] = (struct hw_note){at, at + bytes};
}

void hw_dirty_begin(struct hw *hw, const struct hw_engine *engine) {
    if (hw->dirty)
        taking = &hw->dirty->notes[engine->index];
}

void hw_dirty_settle(struct hw *hw) {
    if (taking)
        note_settle(hw, taking);
}

void hw_dirty_end(struct hw *hw) {
    hw_dirty_settle(hw);
    taking = NULL;
}
