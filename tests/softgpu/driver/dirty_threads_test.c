/*
 * dirty_threads_test.c - dirty bits are taken while an engine's thread and a thread of the CPU
 * write: everything that was written is in some answer until the first that begins afterwards, and
 * nothing else is in any. A reader that copies the dirty pages after each answer has all bytes in
 * the end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/dirty.h"

#define VRAM   (UINT64_C(64) << 20)
#define PAGES  (VRAM / 2 / FIXTURE_PAGE)
#define ROUNDS 12u
#define FILLS  150u

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static _Atomic uint32_t completed;

static void note_completed(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    (void)ctx;
    (void)physical;
    (void)node;
    atomic_store(&completed, fence);
}

/* ---- Writers --------------------------------------------------------------------------------- */

struct writer {
    struct dirty *d;
    uint64_t random;
    unsigned char wrote[PAGES / 8];
};

static void note(struct writer *writer, uint64_t offset, uint64_t bytes) {
    for (uint64_t page = offset / FIXTURE_PAGE; page <= (offset + bytes - 1) / FIXTURE_PAGE; page++)
        writer->wrote[page / 8] |= (unsigned char)(1u << page % 8);
}

/* Some pages again and again: what was just taken is written again. The lower half is the CPU's. */
static void *cpu_writes(void *context) {
    struct writer *writer = context;
    for (uint32_t i = 0; i < 6000; i++) {
        uint64_t page = next(&writer->random) % (i % 2 == 0 ? 40 : PAGES / 2);
        writer->d->cpu[page * FIXTURE_PAGE + i % FIXTURE_PAGE] = (unsigned char)i;
        note(writer, page * FIXTURE_PAGE, 1);
    }
    return NULL;
}

/* Fills of all sizes in one paging buffer, on its way when this returns. */
static uint32_t gpu_begins(struct writer *writer) {
    struct dirty *d = writer->d;
    struct fixture *fixture = &d->fixture;
    uint32_t used = 0;
    for (uint32_t i = 0; i < FILLS; i++) {
        uint64_t room = VRAM / 4,
                 size = (1 + next(&writer->random) % (i % 10 == 0 ? 200000 : 3000)) * 4;
        uint64_t offset = VRAM / 4 + next(&writer->random) % (room - size) / 4 * 4;
        DXGKARG_BUILDPAGINGBUFFER args =
            fixture_fill(d->visible, d->visible_at.base + offset, size, i);
        args.pDmaBuffer = fixture->buffer_cpu + used;
        args.DmaSize = FIXTURE_BUFFER - used;
        assert_int_equal(fixture->ddi->DxgkDdiBuildPagingBuffer(fixture->adapter, &args),
                         STATUS_SUCCESS);
        used = (uint32_t)((unsigned char *)args.pDmaBuffer - fixture->buffer_cpu);
        note(writer, offset, size);
    }
    DXGKARG_SUBMITCOMMAND submit = {0};
    submit.DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(MmGetMdlPfnArray(fixture->buffer)[0] * FIXTURE_PAGE);
    submit.DmaBufferSize = FIXTURE_BUFFER;
    submit.DmaBufferSubmissionEndOffset = used;
    submit.SubmissionFenceId = ++fixture->fence;
    submit.Flags.Paging = 1;
    submit.NodeOrdinal = 1;
    assert_int_equal(fixture->ddi->DxgkDdiSubmitCommand(fixture->adapter, &submit), STATUS_SUCCESS);
    return fixture->fence;
}

/* ---- Who takes ------------------------------------------------------------------------------- */

#define TAKERS 2u

struct taker {
    HANDLE basis;
    unsigned char seen[PAGES / 8];
    uint64_t copy[VRAM / 2 / 8];
};

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define RACING __attribute__((no_sanitize("thread"), noinline))
#else
#define RACING
#endif

/* While others write it: what is torn is dirty again. */
RACING static void copy_page(uint64_t *to, const volatile uint64_t *from) {
    for (size_t i = 0; i < FIXTURE_PAGE / sizeof(*to); i++)
        to[i] = from[i];
}

static void take(struct dirty *d, struct taker *taker) {
    unsigned char bits[PAGES / 8];
    dirty_take(d, taker->basis, true, bits, sizeof(bits));
    for (size_t i = 0; i < sizeof(bits); i++)
        taker->seen[i] |= bits[i];
    for (uint64_t page = 0; page < PAGES; page++)
        if (dirty_bit(bits, page))
            copy_page(&taker->copy[page * FIXTURE_PAGE / 8],
                      (const volatile uint64_t *)(const void *)(d->cpu + page * FIXTURE_PAGE));
}

static void one_round(struct dirty *d, struct taker taker[TAKERS], uint32_t round) {
    struct writer *cpu = calloc(1, sizeof(*cpu)), *gpu = calloc(1, sizeof(*gpu));
    pthread_t thread;
    assert_true(cpu && gpu);
    *cpu = (struct writer){.d = d, .random = 77 + round};
    *gpu = (struct writer){.d = d, .random = 99 + round};
    for (uint32_t i = 0; i < TAKERS; i++)
        memset(taker[i].seen, 0, sizeof(taker[i].seen));
    assert_int_equal(pthread_create(&thread, NULL, cpu_writes, cpu), 0);
    uint32_t fence = gpu_begins(gpu);
    for (uint32_t turn = 0; atomic_load(&completed) != fence; turn++)
        take(d, &taker[turn % TAKERS]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (uint32_t i = 0; i < TAKERS; i++) {
        take(d, &taker[i]);
        for (size_t k = 0; k < sizeof(taker[i].seen); k++)
            assert_int_equal(taker[i].seen[k], cpu->wrote[k] | gpu->wrote[k]);
        assert_memory_equal(taker[i].copy, d->cpu, VRAM / 2);
    }
    free(cpu);
    free(gpu);
}

static void what_is_written_meanwhile_is_in_this_answer_or_the_next(void **state) {
    static struct taker taker[TAKERS];
    struct dirty d;
    (void)state;
    dirty_open_threaded(&d, VRAM);
    const struct vidmm_host_sink sink = {.ctx = &d, .completed = note_completed};
    vidmm_host_set_sink(d.fixture.host, &sink);
    for (uint32_t i = 0; i < TAKERS; i++)
        taker[i].basis = dirty_all(&d, d.visible);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(&d, taker, round);
    for (uint32_t i = 0; i < TAKERS; i++)
        dirty_destroy(&d, taker[i].basis);
    dirty_close(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_meanwhile_is_in_this_answer_or_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
