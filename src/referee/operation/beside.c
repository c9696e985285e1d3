/* beside.c - see beside.h. The file of the operation says where it writes: operation/virtual.c. */
#include "operation/beside.h"

#include "state/hash.h"

/* 0: it cannot be seen. */
static uint64_t beside_hash(struct vidmm_referee *referee, const struct beside_page *page) {
    const uint8_t *bytes = world_page(referee, page->segment, page->address, SHADOW_PAGE);
    return bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
}

/* Another operation writes there, too, or did before this one. */
static bool beside_others(struct vidmm_referee *referee, const struct shadow_operation *operation,
                          uint64_t address) {
    return later_pages(referee, operation, address, address + SHADOW_PAGE, NULL);
}

static void beside_note_page(struct vidmm_referee *referee,
                             const struct shadow_operation *operation,
                             const struct tables_process *process, struct beside_page *page) {
    struct tables_found found;
    tables_walk(referee, process, page->va, TABLES_ASKED, &found);
    if (!found.known || !found.valid || found.zero)
        return;
    page->segment = (uint16_t)found.segment;
    page->address = tables_gpu_address(referee, found.segment, found.offset);
    page->hash = beside_hash(referee, page);
    page->known = page->hash != 0 && !beside_others(referee, operation, page->address);
}

void beside_note(struct vidmm_referee *referee, const struct shadow_operation *operation,
                 const struct tables_process *process, uint64_t va, uint64_t size,
                 struct beside *beside) {
    *beside = (struct beside){.page = {{.va = va - SHADOW_PAGE}, {.va = va + size}}};
    for (uint32_t i = 0; referee->beside && process && i < 2; i++)
        if (size != 0 && (va | size) % SHADOW_PAGE == 0 && (i == 1 || va != 0))
            beside_note_page(referee, operation, process, &beside->page[i]);
}

void beside_judge(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const struct beside *beside) {
    for (uint32_t i = 0; i < 2; i++) {
        const struct beside_page *page = &beside->page[i];
        if (page->known && !beside_others(referee, operation, page->address))
            DRIVER_MUST(560, beside_hash(referee, page) == page->hash,
                        "all other pages as they were",
                        "other bytes in the page %s those that it writes to, at 0x%llx",
                        i == 0 ? "before" : "behind", LLU(page->va));
    }
}
