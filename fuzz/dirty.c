/*
 * dirty.c - libFuzzer over memory bases and their queries, from the manager down to the board's
 * plane: any sequence of calls is refused or right. A model of a few lines knows which pages the
 * CPU wrote since each basis last asked; what is answered has to be just that, in a buffer that
 * ends where it says.
 *
 * Input: steps of eight bytes; struct step.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/harness.h>
#include <vidmm/migration.h>
#include <vidmm/softgpu.h>

#define SEGMENT     2u /* the reference driver's visible memory */
#define PAGE        4096u
#define SLOTS       3u
#define RANGES_MOST 4u
#define PAGES_MOST  256u /* of the segment */
#define TAIL        8u
#define FILLER      0xa5

enum { STEP_CREATE, STEP_DESTROY, STEP_START, STEP_STOP, STEP_WRITE, STEP_QUERY, STEP_KINDS };

struct step {
    uint8_t kind, slot;
    uint8_t flags; /* QUERY: FLAG_*; CREATE: how many ranges */
    uint8_t index;
    uint16_t first, size; /* pages, or bytes where a flag says so */
};

/* A macro, so that a report names the line. */
#define check(good)                                                                                \
    do {                                                                                           \
        if (!(good))                                                                               \
            abort();                                                                               \
    } while (0)

#define FLAG_CLEAR 1u
#define FLAG_ALL   2u
#define FLAG_BYTES 4u
#define FLAG_SHORT 8u /* a buffer that is a byte too small */
#define FLAG_LONG  16u

struct slot {
    struct vidmm_memory_basis *basis;
    struct vidmm_memory_range range[RANGES_MOST];
    uint32_t count;
    bool started;
    bool written[PAGES_MOST]; /* pages of the segment */
};

static struct vidmm_harness harness;
static unsigned char *memory;
static uint64_t pages;
static struct slot slots[SLOTS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_harness(void) {
    static const struct vidmm_host_setting settings[] = {
        {"VramBytes", PAGES_MOST * PAGE},
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
        {"DirtyPageBytes", PAGE},
    };
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = sizeof(settings) / sizeof(settings[0])};
    const struct vidmm_adapter_config adapter = {.model = VIDMM_MODEL_PHYSICAL};
    struct vidmm_segment_info segment;
    char text[512];
    if (vidmm_harness_open(&host, &adapter, &harness, text, sizeof(text)) != VIDMM_HARNESS_OK) {
        fprintf(stderr, "fuzz-dirty: %s\n", text);
        abort();
    }
    check(vidmm_segment_info(harness.adapter, SEGMENT, &segment) && segment.cpu_base != 0);
    memory = vidmm_host_io(harness.host, segment.cpu_base, (size_t)segment.size);
    pages = segment.size / PAGE;
    check(memory && pages <= PAGES_MOST);
}

/* ---- Bases ----------------------------------------------------------------------------------- */

/* What the manager may accept. */
static bool good_ranges(const struct slot *slot) {
    for (uint32_t i = 0; i < slot->count; i++) {
        const struct vidmm_memory_range *a = &slot->range[i];
        if (a->size == 0 || (a->offset | a->size) % PAGE != 0 || a->offset > pages * PAGE ||
            a->size > pages * PAGE - a->offset)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (a->offset < slot->range[k].offset + slot->range[k].size &&
                slot->range[k].offset < a->offset + a->size)
                return false;
    }
    return slot->count != 0;
}

static void create(struct slot *slot, const struct step *step) {
    if (slot->basis)
        return;
    memset(slot, 0, sizeof(*slot));
    slot->count = step->flags % (RANGES_MOST + 1u);
    for (uint32_t i = 0; i < slot->count; i++) {
        uint64_t unit = step->index & 0x80u ? 1 : PAGE;
        slot->range[i].offset = (step->first + i * (uint64_t)(step->index & 0x3fu)) * unit;
        slot->range[i].size = step->size * unit;
    }
    enum vidmm_status status =
        vidmm_basis_create(harness.adapter, SEGMENT, slot->range, slot->count, &slot->basis);
    check(status == (good_ranges(slot) ? VIDMM_OK : VIDMM_BAD_ARGUMENT));
    check((status == VIDMM_OK) == !!slot->basis);
}

static void start(struct slot *slot) {
    check(vidmm_basis_start(slot->basis) == (slot->started ? VIDMM_BAD_ARGUMENT : VIDMM_OK));
    if (!slot->started)
        memset(slot->written, 0, sizeof(slot->written));
    slot->started = true;
}

static void stop(struct slot *slot) {
    check(vidmm_basis_stop(slot->basis) == (slot->started ? VIDMM_OK : VIDMM_BAD_ARGUMENT));
    slot->started = false;
}

/* ---- Queries --------------------------------------------------------------------------------- */

static bool good_query(const struct slot *slot, const struct vidmm_dirty_query *query) {
    if (query->size == 0)
        return query->index == 0 && query->offset == 0;
    if (query->index >= slot->count)
        return false;
    uint64_t range = slot->range[query->index].size;
    return (query->offset | query->size) % PAGE == 0 && query->offset <= range &&
           query->size <= range - query->offset;
}

/* Compares the bits of one range with the model, from bit `at` on; where the next one begins. */
static uint64_t compare(struct slot *slot, const struct vidmm_dirty_query *query, uint32_t index,
                        const unsigned char *bits, uint64_t at) {
    uint64_t first = (slot->range[index].offset + query->offset) / PAGE;
    uint64_t count = (query->size != 0 ? query->size : slot->range[index].size) / PAGE;
    for (uint64_t i = 0; i < count; i++, at++) {
        check((bits[at / 8] >> at % 8 & 1u) == slot->written[first + i]);
        if (query->clear)
            slot->written[first + i] = false;
    }
    return at;
}

static void compare_answer(struct slot *slot, const struct vidmm_dirty_query *query,
                           const unsigned char *bits, size_t need) {
    uint64_t at = 0;
    if (query->size != 0)
        at = compare(slot, query, query->index, bits, at);
    for (uint32_t i = 0; query->size == 0 && i < slot->count; i++)
        at = compare(slot, query, i, bits, at);
    for (; at < need * 8; at++)
        check((bits[at / 8] >> at % 8 & 1u) == 0);
}

static void ask(struct slot *slot, const struct step *step) {
    uint64_t unit = step->flags & FLAG_BYTES ? 1 : PAGE;
    struct vidmm_dirty_query query = {.index = step->index,
                                      .offset = step->first * unit,
                                      .size = step->size * unit,
                                      .clear = step->flags & FLAG_CLEAR};
    if (step->flags & FLAG_ALL)
        query = (struct vidmm_dirty_query){.clear = query.clear};
    size_t need = vidmm_basis_query_bytes(slot->basis, &query);
    bool good = good_query(slot, &query);
    check(good == (need != 0));
    bool too_short = good && step->flags & FLAG_SHORT;
    size_t size = need - (too_short ? 1 : 0) + (step->flags & FLAG_LONG ? TAIL : 0);
    too_short = size < need;
    unsigned char *bits = malloc(size + 1);
    memset(bits, FILLER, size + 1);
    enum vidmm_status status = vidmm_basis_query(slot->basis, &query, bits, size);
    good = good && slot->started && !too_short;
    check(status == (good ? VIDMM_OK : VIDMM_BAD_ARGUMENT));
    for (size_t i = good ? need : 0; i <= size; i++)
        check(bits[i] == FILLER);
    if (good)
        compare_answer(slot, &query, bits, need);
    free(bits);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void destroy(struct slot *slot) {
    vidmm_basis_destroy(slot->basis);
    memset(slot, 0, sizeof(*slot));
}

static void write_page(uint64_t page, uint8_t byte) {
    memory[page % pages * PAGE + byte] ^= 1;
    for (uint32_t i = 0; i < SLOTS; i++)
        slots[i].written[page % pages] = slots[i].started;
}

static void play(const struct step *step) {
    struct slot *slot = &slots[step->slot % SLOTS];
    uint32_t kind = step->kind % STEP_KINDS;
    if (kind == STEP_CREATE)
        create(slot, step);
    else if (kind == STEP_WRITE)
        write_page(step->first, step->index);
    else if (!slot->basis)
        return;
    else if (kind == STEP_DESTROY)
        destroy(slot);
    else if (kind == STEP_START)
        start(slot);
    else if (kind == STEP_STOP)
        stop(slot);
    else
        ask(slot, step);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!memory)
        open_harness();
    for (size_t i = 0; i + sizeof(struct step) <= size; i += sizeof(struct step)) {
        struct step step;
        memcpy(&step, data + i, sizeof(step));
        play(&step);
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        destroy(&slots[i]);
    return 0;
}
