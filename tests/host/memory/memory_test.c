/* memory_test.c - simulated physical memory, MDLs, contiguous memory and pool. */
#include "fixture/tiny.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define PAGE   4096u
#define BEYOND (UINT64_C(1) << 20) /* the first frame beyond 4 GiB */

static const PHYSICAL_ADDRESS any = {.QuadPart = -1};
static const PHYSICAL_ADDRESS zero = {.QuadPart = 0};

static bool is_one_run(PMDL mdl, size_t pages) {
    PFN_NUMBER *frames = MmGetMdlPfnArray(mdl);
    for (size_t i = 1; i < pages; i++)
        if (frames[i] != frames[0] + i)
            return false;
    return true;
}

/* Byte `i` of the list through RAM, not through the view. */
static uint8_t *byte_of(struct vidmm_host *host, PMDL mdl, size_t i) {
    return vidmm_host_memory(host, MmGetMdlPfnArray(mdl)[i / PAGE] * PAGE + i % PAGE, 1);
}

static void linear_view_of(struct vidmm_host *host, PMDL mdl, size_t pages) {
    const struct vidmm_os *os = vidmm_host_os(host);
    uint8_t *view = os->pages_map(os->ctx, mdl);
    assert_non_null(view);
    assert_ptr_equal(view, os->pages_map(os->ctx, mdl));
    for (size_t i = 0; i < pages * PAGE; i += 611) {
        assert_int_equal(view[i], 0);
        view[i] = (uint8_t)(i % 251 + 1);
    }
    for (size_t i = 0; i < pages * PAGE; i += 611)
        assert_int_equal(*byte_of(host, mdl, i), i % 251 + 1);
}

static void a_part_describes_pages_that_are_not_its_own(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    (void)state;
    PMDL mdl = os->pages_alloc(os->ctx, 8, 0, UINT64_MAX);
    PMDL part = os->pages_part(os->ctx, mdl, 3, 2);
    assert_int_equal(part->ByteCount, 2 * PAGE);
    assert_memory_equal(part + 1, MmGetMdlPfnArray(mdl) + 3, 2 * sizeof(PFN_NUMBER));
    *byte_of(host, mdl, 3 * PAGE) = 0x5a;
    assert_int_equal(*(uint8_t *)os->pages_map(os->ctx, part), 0x5a);
    os->pages_free(os->ctx, part);
    linear_view_of(host, mdl, 3); /* the pages are still taken */
    PMDL other = os->pages_alloc(os->ctx, 8, 0, UINT64_MAX);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_not_equal(MmGetMdlPfnArray(other)[i % 8], MmGetMdlPfnArray(mdl)[i / 8]);
    os->pages_free(os->ctx, other);
    os->pages_free(os->ctx, mdl);
    assert_true(tiny_down(host, &error));
}

static void pages_without_a_seed_are_one_run(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    (void)state;
    PMDL mdl = os->pages_alloc(os->ctx, 300, 0, UINT64_MAX);
    assert_true(is_one_run(mdl, 300));
    assert_int_equal(mdl->ByteCount, 300 * PAGE);
    linear_view_of(host, mdl, 300);
    os->pages_free(os->ctx, mdl);
    assert_true(tiny_down(host, &error));
}

static void scattered_pages_have_a_linear_view(void **state) {
    struct vidmm_host_config config = tiny_config();
    PFN_NUMBER seen[2][700];
    (void)state;
    for (int run = 0; run < 2; run++) {
        struct vidmm_host_error error;
        config.seed = 42;
        struct vidmm_host *host = tiny_up(&config);
        const struct vidmm_os *os = vidmm_host_os(host);
        PMDL mdl = os->pages_alloc(os->ctx, 700, 0, UINT64_MAX);
        assert_false(is_one_run(mdl, 700));
        memcpy(seen[run], MmGetMdlPfnArray(mdl), sizeof(seen[run]));
        linear_view_of(host, mdl, 700);
        os->pages_free(os->ctx, mdl);
        assert_true(tiny_down(host, &error));
    }
    assert_memory_equal(seen[0], seen[1], sizeof(seen[0]));
}

/* What a driver makes of the first piece is wrong for those behind it. */
static void short_lists_have_pieces_of_different_lengths(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    uint32_t whole = 0;
    (void)state;
    config.seed = 42;
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    for (int i = 0; i < 32; i++) {
        PMDL mdl = os->pages_alloc(os->ctx, 24, 0, UINT64_MAX);
        whole += is_one_run(mdl, 24);
        os->pages_free(os->ctx, mdl);
    }
    assert_true(whole <= 8);
    assert_true(tiny_down(host, &error));
}

static void given_back_pages_come_back_zeroed(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    (void)state;
    for (int i = 0; i < 4; i++) {
        PMDL mdl = os->pages_alloc(os->ctx, 16, 0, UINT64_MAX);
        linear_view_of(host, mdl, 16);
        os->pages_free(os->ctx, mdl);
    }
    assert_true(tiny_down(host, &error));
}

/* Of the upper half, which nobody else has: that all of it is zero, and then none of it. */
static void write_clean_pages(struct vidmm_host *host, uint64_t at, uint32_t pages) {
    static const uint8_t clean[PAGE];
    for (uint32_t i = 0; i < pages; i++) {
        uint8_t *page = vidmm_host_memory(host, at + i * PAGE, PAGE);
        assert_non_null(page);
        assert_memory_equal(page, clean, PAGE);
        memset(page, 0x5a, PAGE);
    }
}

static void memory_that_is_kept_for_the_next_host_is_as_new(void **state) {
    static const uint32_t written[] = {1, 100, 3000, 100, 0, 100}; /* 3000: more than is kept */
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    config.keep_memory = true;
    for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
        uint64_t bytes = config.memory_bytes;
        struct vidmm_host *host = tiny_up(&config);
        void *block = ExAllocatePoolUninitialized(NonPagedPoolNx, 3 * PAGE, 1);
        write_clean_pages(host, bytes / 2, written[i]);
        ExFreePoolWithTag(block, 1);
        assert_true(tiny_down(host, &error));
        config.memory_bytes = i == 3 ? bytes / 2 : bytes;
    }
    config.keep_memory = false;
    struct vidmm_host *host = tiny_up(&config);
    write_clean_pages(host, config.memory_bytes / 2, 100);
    assert_true(tiny_down(host, &error));
}

/* The process could have it, since nobody touches it yet. */
static void a_block_larger_than_the_machine_is_refused(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    config.memory_bytes = 4096 * PAGE;
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    assert_null(os->alloc(os->ctx, 4096 * PAGE + 1));
    void *block = os->alloc(os->ctx, 4096 * PAGE);
    assert_non_null(block);
    os->free(os->ctx, block, 4096 * PAGE);
    assert_true(tiny_down(host, &error));
}

static void all_pages_can_be_had_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        static uint8_t seen[4096];
        PMDL lists[4096];
        size_t count = 0, pages = 0;
        config.seed = seed;
        config.memory_bytes = sizeof(seen) * PAGE;
        memset(seen, 0, sizeof(seen));
        struct vidmm_host *host = tiny_up(&config);
        const struct vidmm_os *os = vidmm_host_os(host);
        while ((lists[count] = os->pages_alloc(os->ctx, 7, 0, UINT64_MAX))) {
            for (int i = 0; i < 7; i++) {
                PFN_NUMBER frame = MmGetMdlPfnArray(lists[count])[i];
                assert_in_range(frame, 1, sizeof(seen) - 1);
                assert_int_equal(seen[frame]++, 0);
            }
            count++;
            pages += 7;
        }
        assert_true(pages >= sizeof(seen) - 16);
        while (count > 0)
            os->pages_free(os->ctx, lists[--count]);
        assert_true(tiny_down(host, &error));
    }
}

/* A machine of 5 GiB of addresses with 128 MiB, in two halves. */
static void memory_goes_on_beyond_4_gib(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        uint64_t high = 0;
        config.seed = seed;
        config.high_bytes = config.memory_bytes;
        struct vidmm_host *host = tiny_up(&config);
        const struct vidmm_os *os = vidmm_host_os(host);
        assert_int_equal(os->memory_bytes(os->ctx), 2 * config.memory_bytes);
        assert_int_equal(os->memory_highest(os->ctx), BEYOND * PAGE + config.high_bytes - 1);
        assert_null(vidmm_host_memory(host, config.memory_bytes, 1));
        assert_null(vidmm_host_memory(host, BEYOND * PAGE - 1, 2));
        PMDL mdl = os->pages_alloc(os->ctx, 1000, 0, UINT64_MAX);
        for (int i = 0; i < 1000; i++)
            high += MmGetMdlPfnArray(mdl)[i] >= BEYOND;
        assert_in_range(high, 501, seed == 0 ? 1000 : 999);
        linear_view_of(host, mdl, 1000);
        os->pages_free(os->ctx, mdl);
        mdl = os->pages_alloc(os->ctx, 1000, 0, BEYOND * PAGE - 1);
        for (int i = 0; i < 1000; i++)
            assert_true(MmGetMdlPfnArray(mdl)[i] < BEYOND);
        os->pages_free(os->ctx, mdl);
        vidmm_host_low_memory(host);
        assert_int_equal(os->memory_highest(os->ctx), config.memory_bytes - 1);
        mdl = os->pages_alloc(os->ctx, 1000, 0, UINT64_MAX);
        assert_true(MmGetMdlPfnArray(mdl)[0] < BEYOND && MmGetMdlPfnArray(mdl)[999] < BEYOND);
        os->pages_free(os->ctx, mdl);
        assert_true(tiny_down(host, &error));
    }
}

static void pages_stay_below_the_highest_address(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    (void)state;
    assert_null(os->pages_alloc(os->ctx, 1024, 0, 1024 * PAGE - 1));
    PMDL mdl = os->pages_alloc(os->ctx, 1000, 0, 1024 * PAGE - 1);
    for (int i = 0; i < 1000; i++)
        assert_true(MmGetMdlPfnArray(mdl)[i] < 1024);
    os->pages_free(os->ctx, mdl);
    assert_null(os->pages_alloc(os->ctx, 0, 0, UINT64_MAX));
    assert_null(os->pages_alloc(os->ctx, SIZE_MAX, 0, UINT64_MAX));
    assert_true(tiny_down(host, &error));
}

static void contiguous_pages_are_one_run_under_fragmentation(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    PMDL lists[200];
    (void)state;
    config.seed = 7;
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    for (int i = 0; i < 200; i++)
        lists[i] = os->pages_alloc(os->ctx, 3, 0, UINT64_MAX);
    for (int i = 0; i < 200; i += 2)
        os->pages_free(os->ctx, lists[i]);
    PMDL mdl = os->pages_alloc(os->ctx, 2000, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    assert_true(is_one_run(mdl, 2000));
    linear_view_of(host, mdl, 2000);
    os->pages_free(os->ctx, mdl);
    for (int i = 1; i < 200; i += 2)
        os->pages_free(os->ctx, lists[i]);
    assert_true(tiny_down(host, &error));
}

static void contiguous_memory_has_physical_addresses(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    PHYSICAL_ADDRESS boundary = {.QuadPart = 65536}, high = {.QuadPart = (16 << 20) - 1};
    (void)state;
    uint8_t *odd = MmAllocateContiguousMemory(5 * PAGE, any);
    uint8_t *block = MmAllocateContiguousMemorySpecifyCache(60000, zero, high, boundary, MmCached);
    assert_non_null(block);
    uint64_t pa = (uint64_t)MmGetPhysicalAddress(block + 5000).QuadPart - 5000;
    assert_int_equal(pa / 65536, (pa + 60000 - 1) / 65536);
    assert_true(pa + 60000 <= 16 << 20);
    assert_ptr_equal(vidmm_host_memory(host, pa, 60000), block);
    MmFreeContiguousMemory(block);
    MmFreeContiguousMemory(odd);
    MmFreeContiguousMemory(odd);
    assert_true(tiny_violated(host, "no contiguous block"));
    assert_true(tiny_down(host, &error));
}

static void device_stores(uint64_t address) {
    WRITE_REGISTER_ULONG64((PULONG64)(uintptr_t)(tiny.registers + TINY_STORE), address);
}

static void a_device_may_reach_what_somebody_allocated(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    uint8_t *block = MmAllocateContiguousMemory(PAGE + 1, any);
    uint64_t address = (uint64_t)MmGetPhysicalAddress(block).QuadPart;
    device_stores(address);
    device_stores(address + 2 * PAGE - 1);
    MmFreeContiguousMemory(block);
    assert_int_equal(vidmm_host_violations(host), 0);
    device_stores(address);
    assert_true(tiny_violated(host, "in a page of system memory that nobody has allocated"));
    assert_int_equal(vidmm_host_violations(host), 1);
    device_stores(0);
    assert_true(tiny_violated(host, "the device reached physical address 0x0, in a page"));
    assert_true(tiny_down(host, &error));
}

static void what_is_written_behind_contiguous_memory_is_told(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    uint8_t *by_device = MmAllocateContiguousMemory(PAGE, any);
    uint8_t *by_cpu = MmAllocateContiguousMemory(2 * PAGE, any);
    device_stores((uint64_t)MmGetPhysicalAddress(by_device).QuadPart + PAGE);
    by_cpu[2 * PAGE + 8] = 1;
    MmFreeContiguousMemory(by_device);
    assert_true(tiny_violated(host, "behind a contiguous block of 4096 bytes was written, at "
                                    "offset 0x1000 of the block"));
    MmFreeContiguousMemory(by_cpu);
    assert_true(tiny_violated(host, "behind a contiguous block of 8192 bytes was written, at "
                                    "offset 0x2008 of the block"));
    assert_true(tiny_down(host, &error));
}

/* A page and more, and less: what is touched is told once for each time that the IRQL is raised. */
static void paged_pool_is_out_of_reach_at_raised_irql(void **state) {
    static const size_t sizes[] = {24, PAGE - 32, 3 * PAGE};
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    for (int i = 0; i < 3; i++) {
        volatile uint8_t *paged = ExAllocatePoolWithTag(PagedPool, sizes[i], 0x67617050);
        volatile uint8_t *other = ExAllocatePoolWithTag(NonPagedPoolNx, sizes[i], 0x67617050);
        char text[64];
        KIRQL old;
        paged[sizes[i] - 1] = other[0] = 7;
        uint32_t before = vidmm_host_violations(host);
        KeRaiseIrql(DISPATCH_LEVEL, &old);
        other[1] = other[0];
        assert_int_equal(vidmm_host_violations(host), before);
        paged[sizes[i] - 1]++;
        paged[0] = 1;
        KeLowerIrql(old);
        paged[1] = 1;
        snprintf(text, sizeof(text), "%zu bytes of paged pool, at offset %zu", sizes[i],
                 sizes[i] - 1);
        assert_true(tiny_violated(host, text));
        assert_int_equal(vidmm_host_violations(host), before + 1);
        assert_int_equal(paged[sizes[i] - 1], 8);
        KeRaiseIrql(HIGH_LEVEL, &old);
        assert_int_equal(paged[1], 1);
        KeLowerIrql(old);
        assert_int_equal(vidmm_host_violations(host), before + 2);
        KeRaiseIrql(DISPATCH_LEVEL, &old);
        ExFreePool((void *)(uintptr_t)other);
        KeLowerIrql(old);
        ExFreePool((void *)(uintptr_t)paged);
        assert_int_equal(vidmm_host_violations(host), before + 2);
    }
    assert_true(tiny_down(host, &error));
}

/* As a driver maps what it is to page, one page and scattered ones. */
static void mappings_of_the_systems_pages_end_with_them(void **state) {
    (void)state;
    for (size_t pages = 1; pages <= 40; pages += 39) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        config.seed = 7;
        struct vidmm_host *host = tiny_up(&config);
        const struct vidmm_os *os = vidmm_host_os(host);
        PMDL mdl = os->pages_alloc(os->ctx, pages, 0, UINT64_MAX);
        uint8_t *mine = os->pages_map(os->ctx, mdl);
        volatile uint8_t *view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
        assert_ptr_not_equal(view, mine);
        view[pages * PAGE - 1] = 9;
        assert_int_equal(mine[pages * PAGE - 1], 9);
        assert_int_equal(MmGetPhysicalAddress((void *)(uintptr_t)view).QuadPart % PAGE, 0);
        MmUnmapLockedPages((void *)(uintptr_t)view, mdl);
        assert_int_equal(mine[pages * PAGE - 1], 9);
        assert_false(tiny_violated(host, "MDL"));
        assert_int_equal(view[0], 0);
        assert_true(tiny_violated(host, "reads its mapping of an MDL"));
        assert_true(tiny_violated(host, "after MmUnmapLockedPages"));
        view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
        os->pages_free(os->ctx, mdl);
        view[pages * PAGE - 1] = 1;
        assert_true(tiny_violated(host, "writes to its mapping of an MDL"));
        assert_true(tiny_violated(host, "after the system had freed the MDL"));
        assert_null(MmMapLockedPages(mdl, KernelMode));
        MmUnmapLockedPages((void *)(uintptr_t)view, mdl);
        assert_true(tiny_violated(host, "MmUnmapLockedPages of an MDL that was freed"));
        (void)tiny_down(host, &error);
    }
}

static struct vidmm_host *beside_host;

static void end_if_said(int number) {
    (void)number;
    _exit(tiny_violated(beside_host, "the driver writes beside its mapping of an MDL of 3 pages")
              ? 0
              : 1);
}

/* Page -1 and the page behind the last; the process ends. */
static void beside_a_mapping_there_is_no_memory(void **state) {
    (void)state;
    for (int page = -1; page <= 3; page += 4) {
        int status = 0;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const struct vidmm_host_config config = tiny_config();
            (void)signal(SIGSEGV, end_if_said);
            beside_host = tiny_up(&config);
            const struct vidmm_os *os = vidmm_host_os(beside_host);
            PMDL mdl = os->pages_alloc(os->ctx, 3, 0, UINT64_MAX);
            volatile uint8_t *view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
            view[0] = view[3 * PAGE - 1] = 1;
            view[page * (int)PAGE] = 2;
            _exit(2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* As a driver copies page by page, through an MDL of its own into which it writes frame numbers. */
static void mappings_of_pages_that_an_mdl_borrows_end_when_they_are_unmapped(void **state) {
    (void)state;
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    config.seed = 7;
    struct vidmm_host *host = tiny_up(&config);
    const struct vidmm_os *os = vidmm_host_os(host);
    PMDL page = os->pages_alloc(os->ctx, 1, 0, UINT64_MAX);
    uint8_t *mine = os->pages_map(os->ctx, page);
    PMDL window = IoAllocateMdl(NULL, PAGE, FALSE, FALSE, NULL);
    MmGetMdlPfnArray(window)[0] = MmGetMdlPfnArray(page)[0];
    window->MdlFlags |= MDL_PAGES_LOCKED;
    volatile uint8_t *view = MmMapLockedPages(window, KernelMode);
    view[3] = 9;
    assert_int_equal(mine[3], 9);
    MmUnmapLockedPages((void *)(uintptr_t)view, window);
    assert_false(tiny_violated(host, "MDL"));
    view[3] = 1;
    assert_int_equal(mine[3], 9);
    assert_true(tiny_violated(host, "writes to its mapping of an MDL"));
    IoFreeMdl(window);
    os->pages_free(os->ctx, page);
    (void)tiny_down(host, &error);
}

static void mdls_of_a_driver_can_be_mapped(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    config.seed = 3;
    struct vidmm_host *host = tiny_up(&config);
    PMDL mdl = MmAllocatePagesForMdl(zero, any, zero, 300 * PAGE);
    uint8_t *view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    assert_non_null(view);
    view[299 * PAGE + 5] = 0x77;
    assert_int_equal(*byte_of(host, mdl, 299 * PAGE + 5), 0x77);
    assert_int_equal(MmGetPhysicalAddress(view + 299 * PAGE + 5).QuadPart,
                     MmGetMdlPfnArray(mdl)[299] * PAGE + 5);
    MmUnmapLockedPages(view, mdl);
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);

    uint8_t *block = MmAllocateContiguousMemory(3 * PAGE, any);
    PMDL over = IoAllocateMdl(block + 100, 2 * PAGE, FALSE, FALSE, NULL);
    MmBuildMdlForNonPagedPool(over);
    for (int i = 0; i < 3; i++)
        assert_int_equal(MmGetMdlPfnArray(over)[i] * PAGE,
                         MmGetPhysicalAddress(block + i * PAGE).QuadPart);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(over, NormalPagePriority), block + 100);
    PMDL part = IoAllocateMdl(block + PAGE, 10, FALSE, FALSE, NULL);
    IoBuildPartialMdl(over, part, block + PAGE, 10);
    assert_int_equal(MmGetMdlPfnArray(part)[0], MmGetMdlPfnArray(over)[1]);
    IoFreeMdl(part);
    IoFreeMdl(over);
    MmFreeContiguousMemory(block);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

/* As another thread of a driver does, or the manager for a lock. */
static void *map_and_unmap(void *mdl) {
    for (int i = 0; i < 500; i++)
        MmUnmapLockedPages(MmMapLockedPages(mdl, KernelMode), mdl);
    return NULL;
}

/* The address of a register is looked for in all views first. */
static void addresses_are_looked_up_while_views_come_and_go(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    pthread_t thread;
    (void)state;
    config.seed = 7; /* scattered: a view is mapped for it */
    struct vidmm_host *host = tiny_up(&config);
    PMDL mdl = MmAllocatePagesForMdl(zero, any, zero, 64 * PAGE);
    assert_non_null(mdl);
    assert_int_equal(pthread_create(&thread, NULL, map_and_unmap, mdl), 0);
    PVOID registers = (PVOID)(uintptr_t)tiny.registers;
    LONGLONG first = MmGetPhysicalAddress(registers).QuadPart;
    for (int i = 0; i < 5000; i++)
        assert_int_equal(MmGetPhysicalAddress(registers).QuadPart, first);
    assert_int_equal(pthread_join(thread, NULL), 0);
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static void damage_is_reported(void **state) {
    static const struct {
        size_t flag;
        const char *text;
    } cases[] = {
        {offsetof(struct tiny, overrun), "past the end of its pool block 'Tiny' of 40 bytes"},
        {offsetof(struct tiny, underrun), "wrote before its pool block 'Tiny' of 40 bytes"},
        {offsetof(struct tiny, double_free), "freed its pool block 'Tiny' of 40 bytes twice"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vidmm_host_config config = tiny_config();
        struct vidmm_host_error error;
        *((bool *)&tiny + cases[i].flag) = true;
        struct vidmm_host *host = tiny_up(&config);
        assert_true(tiny_violated(host, cases[i].text));
        assert_true(tiny_down(host, &error));
    }
}

static void damage_of_a_live_block_fails_destroy(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    tiny.overrun = tiny.leak_pool = true;
    struct vidmm_host *host = tiny_up(&config);
    assert_false(tiny_down(host, &error));
    assert_non_null(strstr(error.text, "past the end of its pool block"));
}

/* Violations of the quarantine are found when it is full. */
static void a_write_after_free_is_found(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host_error error;
    (void)state;
    tiny.write_after_free = true;
    struct vidmm_host *host = tiny_up(&config);
    for (int i = 0; i < 40; i++)
        ExFreePool(ExAllocatePool2(POOL_FLAG_NON_PAGED, 65536, 1));
    assert_true(tiny_violated(host, "'Tiny' of 40 bytes after freeing it"));
    assert_true(tiny_down(host, &error));
}

/* At once, with the place in the block. `at`: the IRQL of the read. */
static void read_a_freed_block(POOL_FLAGS flags, KIRQL at) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    KIRQL before;
    volatile uint8_t *block = ExAllocatePool2(flags, 40, 0x646c6942u);
    ExFreePool((void *)(uintptr_t)block);
    KeRaiseIrql(DISPATCH_LEVEL, &before); /* what is paged goes out of reach, and comes back */
    KeLowerIrql(before);
    KeRaiseIrql(at, &before);
    (void)block[8];
    assert_true(tiny_violated(
        host, "the driver read its pool block 'Bild' of 40 bytes after freeing it, at "
              "offset 8"));
    assert_int_equal(vidmm_host_violations(host), 1);
    KeLowerIrql(before);
    (void)block[9];
    assert_int_equal(vidmm_host_violations(host), 1);
    assert_true(tiny_down(host, &error));
}

static void a_read_after_free_is_found(void **state) {
    (void)state;
    read_a_freed_block(POOL_FLAG_NON_PAGED, PASSIVE_LEVEL);
    read_a_freed_block(POOL_FLAG_NON_PAGED, DISPATCH_LEVEL);
    read_a_freed_block(POOL_FLAG_PAGED, PASSIVE_LEVEL);
    read_a_freed_block(POOL_FLAG_PAGED, DISPATCH_LEVEL);
}

static void pool_blocks_are_as_documented(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    void *blocks[600];
    (void)state;
    uint8_t *zeroed = ExAllocatePool2(POOL_FLAG_NON_PAGED, 10000, 1);
    assert_int_equal((uintptr_t)zeroed % PAGE, 0);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(zeroed[i], 0);
    for (size_t i = 0; i < 600; i++) {
        blocks[i] = ExAllocatePoolWithTag(PagedPool, i, 2);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
    }
    for (size_t i = 0; i < 600; i++)
        ExFreePoolWithTag(blocks[i], 2);
    assert_int_equal(vidmm_host_violations(host), 0);
    ExFreePoolWithTag(zeroed, 3);
    assert_true(tiny_violated(host, "another tag"));
    ExFreePool(&blocks);
    assert_true(tiny_violated(host, "no pool block"));
    assert_true(tiny_down(host, &error));
}

/* Every page of a block is where MmGetPhysicalAddress says, and no small block crosses one. */
static void nonpaged_pool_can_be_reached_by_a_device(void **state) {
    static const size_t sizes[] = {1, 40, 512, 3000, 4060, 4090, 4096, 5 * PAGE + 7};
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *block = ExAllocatePoolWithTag(NonPagedPoolNx, sizes[i], 1);
        assert_true(MmIsAddressValid(block));
        assert_true(sizes[i] >= PAGE || (uintptr_t)block % PAGE + sizes[i] <= PAGE);
        for (size_t at = 0; at < sizes[i]; at += PAGE) {
            uint64_t pa = (uint64_t)MmGetPhysicalAddress(block + at).QuadPart;
            assert_ptr_equal(vidmm_host_memory(host, pa, 1), block + at);
        }
        ExFreePoolWithTag(block, 1);
    }
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_false(MmIsAddressValid(NULL));
    void *paged = ExAllocatePoolWithTag(PagedPool, 40, 1);
    assert_int_equal(MmGetPhysicalAddress(paged).QuadPart, 0);
    assert_true(tiny_violated(host, "neither nonpaged pool"));
    ExFreePoolWithTag(paged, 1);
    assert_true(tiny_down(host, &error));
}

/* Locked down and mapped again, both views show the same bytes. */
static void nonpaged_pool_can_be_described_by_an_mdl(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    uint8_t *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 3 * PAGE, 1);
    PMDL mdl = IoAllocateMdl(block, 3 * PAGE, FALSE, FALSE, NULL);
    MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
    uint8_t *again = MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, 0);
    assert_non_null(again);
    block[2 * PAGE + 5] = 77;
    assert_int_equal(again[2 * PAGE + 5], 77);
    assert_int_equal(*byte_of(host, mdl, 2 * PAGE + 5), 77);
    MmUnmapLockedPages(again, mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    ExFreePoolWithTag(block, 1);
    assert_true(tiny_down(host, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_describes_pages_that_are_not_its_own),
        cmocka_unit_test(pages_without_a_seed_are_one_run),
        cmocka_unit_test(scattered_pages_have_a_linear_view),
        cmocka_unit_test(short_lists_have_pieces_of_different_lengths),
        cmocka_unit_test(given_back_pages_come_back_zeroed),
        cmocka_unit_test(memory_that_is_kept_for_the_next_host_is_as_new),
        cmocka_unit_test(a_block_larger_than_the_machine_is_refused),
        cmocka_unit_test(all_pages_can_be_had_once),
        cmocka_unit_test(memory_goes_on_beyond_4_gib),
        cmocka_unit_test(pages_stay_below_the_highest_address),
        cmocka_unit_test(contiguous_pages_are_one_run_under_fragmentation),
        cmocka_unit_test(contiguous_memory_has_physical_addresses),
        cmocka_unit_test(a_device_may_reach_what_somebody_allocated),
        cmocka_unit_test(what_is_written_behind_contiguous_memory_is_told),
        cmocka_unit_test(paged_pool_is_out_of_reach_at_raised_irql),
        cmocka_unit_test(mappings_of_the_systems_pages_end_with_them),
        cmocka_unit_test(beside_a_mapping_there_is_no_memory),
        cmocka_unit_test(mappings_of_pages_that_an_mdl_borrows_end_when_they_are_unmapped),
        cmocka_unit_test(mdls_of_a_driver_can_be_mapped),
        cmocka_unit_test(addresses_are_looked_up_while_views_come_and_go),
        cmocka_unit_test(damage_is_reported),
        cmocka_unit_test(damage_of_a_live_block_fails_destroy),
        cmocka_unit_test(a_write_after_free_is_found),
        cmocka_unit_test(a_read_after_free_is_found),
        cmocka_unit_test(pool_blocks_are_as_documented),
        cmocka_unit_test(nonpaged_pool_can_be_reached_by_a_device),
        cmocka_unit_test(nonpaged_pool_can_be_described_by_an_mdl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
