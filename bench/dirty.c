/*
 * dirty.c - DxgkDdiQueryDirtyBitData, query and clear of a whole segment, beside plain loops over
 * a plane of the same size in the same run: an exchange for every word, and a scan with vector
 * registers that exchanges what is not zero. By density and by size of (simulated) VRAM.
 *
 * Bits are put into the plane as the GPU puts them, without moving the bytes that they stand for.
 */
#include "bench.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registers/softgpu_regs.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PAGE UINT64_C(4096)
#define GIB  (UINT64_C(1) << 30)
/* Where nothing is visible: the aperture is segment 1. */
#define MEMORY_SEGMENT 2

typedef _Atomic uint64_t word;

struct setup {
    struct vidmm_host *host;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter, basis;
    uint64_t pages, words;
    word *plane, *summary; /* the GPU's */
    word *raw;             /* a plane of our own */
    uint64_t *out;
};

/* ---- The loops that it is compared with ------------------------------------------------------ */

static void exchange_all(struct setup *s) {
    for (uint64_t i = 0; i < s->words; i++)
        s->out[i] = atomic_exchange(&s->raw[i], 0);
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void scan_wide(struct setup *s) {
    const __m512i none = _mm512_setzero_si512();
    for (uint64_t i = 0; i < s->words; i += 8) {
        __m512i eight = _mm512_loadu_si512((const void *)&s->raw[i]);
        __mmask8 some = _mm512_test_epi64_mask(eight, eight);
        _mm512_storeu_si512((void *)&s->out[i], none);
        for (uint32_t left = some; left != 0; left &= left - 1) {
            uint64_t at = i + (uint32_t)__builtin_ctz(left);
            s->out[at] = atomic_exchange(&s->raw[at], 0);
        }
    }
}
#endif

static void scan(struct setup *s) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        scan_wide(s);
        return;
    }
#endif
    for (uint64_t i = 0; i < s->words; i++)
        s->out[i] = atomic_load_explicit(&s->raw[i], memory_order_relaxed) != 0
                        ? atomic_exchange(&s->raw[i], 0)
                        : 0;
}

/* ---- Setting bits ---------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* In both planes. `run` pages in a row. */
static void set(struct setup *s, double density, uint64_t run) {
    uint64_t random = 0x5eed5eed5eedu, count = (uint64_t)((double)s->pages * density) / run;
    if (density >= 1) {
        memset((void *)s->plane, 0xff, s->words * 8);
        memset((void *)s->raw, 0xff, s->words * 8);
        memset((void *)s->summary, 0xff, s->words / 8);
        return;
    }
    for (; count != 0; count--) {
        uint64_t first = next(&random) % (s->pages / run) * run;
        for (uint64_t page = first; page < first + run; page++) {
            s->raw[page / 64] |= UINT64_C(1) << page % 64;
            s->plane[page / 64] |= UINT64_C(1) << page % 64;
            s->summary[page / 4096] |= UINT64_C(1) << page / 64 % 64;
        }
    }
}

/* ---- The driver ------------------------------------------------------------------------------ */

static struct vidmm_hw_bar bars_now[VIDMM_HW_BARS];

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    void *hw = vidmm_softgpu_model.create(host, bars);
    memcpy(bars_now, bars, sizeof(bars_now));
    return hw;
}

static void must(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

static void open_setup(struct setup *s, uint64_t vram) {
    const struct vidmm_host_setting settings[] = {
        {"VramBytes", vram},
        {"VramVisibleBytes", 0},
        {"SwizzlingRanges", 0},
        {"DirtyPageBytes", PAGE},
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
    };
    static struct vidmm_hw_model model;
    struct vidmm_host_error error;
    model = vidmm_softgpu_model;
    model.create = create;
    const struct vidmm_host_config config = {.driver_entry = vidmm_softgpu_entry,
                                             .model = &model,
                                             .settings = settings,
                                             .setting_count =
                                                 sizeof(settings) / sizeof(settings[0])};
    must(vidmm_host_create(&config, &s->host, &error) && vidmm_host_start(s->host, &error),
         "the host");
    s->ddi = vidmm_host_ddi(s->host);
    s->adapter = vidmm_host_adapter(s->host);
    s->pages = vram / PAGE;
    s->words = s->pages / 64;
    s->plane = bars_now[GPU_BAR_DIRTY].memory;
    s->summary = (word *)(void *)((unsigned char *)bars_now[GPU_BAR_DIRTY].memory +
                                  gpu_dirty_summary(s->pages));
    s->raw = aligned_alloc(4096, (s->words * 8 + 4095) / 4096 * 4096);
    s->out = aligned_alloc(4096, (s->words * 8 + 4095) / 4096 * 4096);
    must(s->raw && s->out, "aligned_alloc");
    memset((void *)s->raw, 0, s->words * 8);
    memset(s->out, 0, s->words * 8);
    const DXGKARG_CREATEMEMORYBASIS args = {MEMORY_SEGMENT, 1, {{0, vram}}};
    s->basis = s->ddi->DxgkDdiCreateMemoryBasis(s->adapter, &args);
    must(s->basis && NT_SUCCESS(s->ddi->DxgkDdiStartDirtyTracking(s->adapter, s->basis)),
         "DxgkDdiStartDirtyTracking");
}

static void close_setup(struct setup *s) {
    struct vidmm_host_error error;
    must(NT_SUCCESS(s->ddi->DxgkDdiDestroyMemoryBasis(s->adapter, s->basis)) &&
             vidmm_host_stop(s->host, &error) && vidmm_host_destroy(s->host, &error),
         "the host's end");
    free((void *)s->raw);
    free(s->out);
}

static void query(struct setup *s) {
    DXGKARG_QUERYDIRTYBITDATA args = {.MemoryBasis = s->basis,
                                      .Buffer = s->out,
                                      .BufferSize = s->words * 8,
                                      .Flags = DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA};
    must(NT_SUCCESS(s->ddi->DxgkDdiQueryDirtyBitData(s->adapter, &args)),
         "DxgkDdiQueryDirtyBitData");
}

/* No page is in the answer: the cost that every answer has. */
static void zeros(struct setup *s) {
    memset(s->out, 0, s->words * 8);
    __asm__ volatile("" ::: "memory");
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static double timed(struct setup *s, void (*what)(struct setup *)) {
    double start = bench_now();
    what(s);
    return bench_now() - start;
}

static struct bench_row row(struct setup *s, const char *name, double density, uint64_t run) {
    struct bench_series ours, all, wide, none;
    for (uint32_t i = 0; i < (uint32_t)bench_rounds(); i++) {
        set(s, density, run);
        ours.value[i] = timed(s, query);
        all.value[i] = timed(s, exchange_all);
        set(s, density, run);
        wide.value[i] = timed(s, scan);
        query(s);
        none.value[i] = timed(s, zeros);
    }
    double mine = bench_median(&ours), raw = bench_median(&wide);
    printf(
        "  %-22s %9.1f us, %7.1f Gpages/s; %5.2f of the scan, %5.2f of exchanges; %4.1f us of it "
        "zeros\n",
        name, mine * 1e6, (double)s->pages / mine * 1e-9, raw / mine, bench_median(&all) / mine,
        bench_median(&none) * 1e6);
    return (struct bench_row){.unit = BENCH_ENTRIES_PER_SECOND,
                              .limit = (double)s->pages / raw,
                              .ours = (double)s->pages / mine};
}

static void add_row(struct bench_row figures, const char *work, double goal) {
    figures.work = work;
    figures.goal = goal;
    bench_row(&figures);
}

int main(void) {
    static const uint64_t gib[] = {1, 64, 256};
    for (uint32_t i = 0; i < sizeof(gib) / sizeof(gib[0]); i++) {
        struct setup s;
        open_setup(&s, gib[i] * GIB);
        printf("%u GiB of VRAM, query and clear of all:\n", (unsigned)gib[i]);
        struct bench_row clean = row(&s, "clean", 0, 1);
        struct bench_row some = row(&s, "1 %, runs of 256 pages", 0.01, 256);
        (void)row(&s, "1 %, single pages", 0.01, 1);
        (void)row(&s, "all dirty", 1, 1);
        if (gib[i] == 64) {
            add_row(clean, "harvest, clean", 10);
            add_row(some, "harvest, 1 % dirty", 1);
        }
        close_setup(&s);
    }
    return 0;
}
