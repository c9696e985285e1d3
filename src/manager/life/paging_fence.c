/*
 * paging_fence.c - see paging_fence.h.
 */
#include "life/paging_fence.h"

#include "paging/space.h"

#define FENCES (PAGE_BYTES / sizeof(uint64_t))
#define WORDS  (FENCES / 64u)

/* Kept until the adapter goes, like its address. */
struct fence_page {
    struct fence_page *next;
    PMDL mdl;
    uint64_t va; /* in the paging process of physical adapter 0, which signals */
    uint64_t *cpu;
    uint64_t used[WORDS];
};

/* False: all are taken. */
static bool paging_fence_take(struct fence_page *page, struct paging_fence *fence) {
    for (uint32_t i = 0; i < WORDS; i++) {
        if (page->used[i] == UINT64_MAX)
            continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(~page->used[i]);
        page->used[i] |= UINT64_C(1) << bit;
        *fence = (struct paging_fence){page, i * 64u + bit};
        page->cpu[fence->index] = 0;
        return true;
    }
    return false;
}

static void paging_fence_drop(struct vidmm_adapter *adapter, struct fence_page *page) {
    if (page->mdl)
        adapter->os.pages_free(adapter->os.ctx, page->mdl);
    adapter_free(adapter, page, sizeof(*page));
}

static struct fence_page *add_page(struct vidmm_adapter *adapter) {
    const struct vidmm_os *os = &adapter->os;
    uint64_t highest = (uint64_t)adapter->facts.caps.HighestAcceptableAddress.QuadPart;
    struct fence_page *page = adapter_alloc(adapter, sizeof(*page));
    if (!page)
        return NULL;
    page->mdl = os->pages_alloc(os->ctx, 1, VIDMM_PAGES_CONTIGUOUS, highest ? highest : UINT64_MAX);
    page->cpu = page->mdl ? os->pages_map(os->ctx, page->mdl) : NULL;
    page->va = page->cpu ? space_keep_pages(adapter, 0, page->mdl, PAGE_BYTES) : 0;
    if (!page->va) {
        paging_fence_drop(adapter, page);
        return NULL;
    }
    space_kept_late(adapter, 0, page->va, PAGE_BYTES);
    page->next = adapter->fence_pages;
    adapter->fence_pages = page;
    return page;
}

bool paging_fence_create(struct vidmm_adapter *adapter, struct paging_fence *fence) {
    *fence = (struct paging_fence){0};
    /* Behind an IOMMU no paging process sees the pages. */
    if (!adapter->gpummu || adapter->facts.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        return true;
    struct fence_page *page = adapter->fence_pages;
    while (page && !paging_fence_take(page, fence))
        page = page->next;
    if (!page)
        page = add_page(adapter);
    return page && (fence->page || paging_fence_take(page, fence));
}

void paging_fence_destroy(struct paging_fence *fence) {
    if (fence->page)
        fence->page->used[fence->index / 64u] &= ~(UINT64_C(1) << (fence->index % 64u));
    fence->page = NULL;
}

uint64_t paging_fence_address(const struct paging_fence *fence) {
    return fence->page ? fence->page->va + fence->index * sizeof(uint64_t) : 0;
}

struct signal {
    struct vidmm_adapter *adapter;
    uint64_t address, value;
};

static enum vidmm_status signal_once(void *ctx) {
    const struct signal *signal = ctx;
    struct plan plan;
    plan_begin(&plan, signal->adapter, VIDMM_PLAN_FENCE);
    struct plan_op *op =
        space_flush_kept(&plan, 0) ? plan_add(&plan, VIDMM_OP_SIGNAL_FENCE, NULL) : NULL;
    if (!op) {
        plan_end(&plan);
        return VIDMM_NO_MEMORY;
    }
    op->op.size = sizeof(signal->value);
    op->op.va_to = signal->address;
    op->op.value = signal->value;
    return plan_run(&plan);
}

void paging_fence_signal(struct vidmm_adapter *adapter, const struct paging_fence *fence,
                         uint64_t value) {
    if (!fence->page)
        return;
    struct signal signal = {adapter, paging_fence_address(fence), value};
    if (adapter->stopped || adapter_persist(adapter, signal_once, &signal) != VIDMM_OK)
        fence->page->cpu[fence->index] = value;
}

void paging_fences_end(struct vidmm_adapter *adapter) {
    while (adapter->fence_pages) {
        struct fence_page *page = adapter->fence_pages;
        adapter->fence_pages = page->next;
        paging_fence_drop(adapter, page);
    }
}
