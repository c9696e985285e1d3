/* iommu_test.c - the host's IOMMU: processes, their ranges, and what a device reaches through
 * it. */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE  4096u
#define PAGES 64u

static struct vidmm_hw_host device; /* what the hardware was given */

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    device = *host;
    return tiny_model.create(host, bars);
}

static struct vidmm_host *up(uint64_t seed) {
    static struct vidmm_hw_model model; /* the host keeps the pointer */
    struct vidmm_host_config config = tiny_config();
    model = tiny_model;
    model.create = create;
    config.model = &model;
    config.seed = seed;
    return tiny_up(&config);
}

/* As much of [va, va + bytes) as the process reaches is what `cpu` shows there. */
static void assert_reaches(uint32_t pasid, uint64_t va, size_t bytes, const unsigned char *cpu) {
    for (size_t done = 0; done < bytes;) {
        size_t size = bytes - done;
        const unsigned char *at = device.iommu(device.ctx, pasid, va + done, &size);
        assert_non_null(at);
        assert_in_range(size, 1, bytes - done);
        assert_memory_equal(at, cpu + done, size);
        done += size;
    }
}

static void assert_errors(uint32_t pasid, uint64_t va) {
    size_t size = 1;
    assert_null(device.iommu(device.ctx, pasid, va, &size));
}

static unsigned char *scribble(const struct vidmm_os *os, PMDL mdl, unsigned seed) {
    unsigned char *cpu = os->pages_map(os->ctx, mdl);
    assert_non_null(cpu);
    for (size_t i = 0; i < (size_t)PAGES * PAGE; i++)
        cpu[i] = (unsigned char)(i * 31 + i / PAGE + seed);
    return cpu;
}

/* In one piece of RAM or scattered, and whether the CPU looks before the device or after. */
static void a_device_reaches_what_the_cpu_sees_at_an_address(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct vidmm_host *host = up(seed);
        const struct vidmm_os *os = vidmm_host_os(host);
        struct vidmm_host_error error;
        PMDL mdl = os->pages_alloc(os->ctx, PAGES, 0, UINT64_MAX);
        uint32_t pasid = os->iommu->attach(os->ctx);
        if (seed == 2)
            assert_non_null(os->pages_map(os->ctx, mdl));
        uint64_t va = os->iommu->map(os->ctx, pasid, mdl);
        assert_int_not_equal(va, 0);
        os->iommu->show(os->ctx, pasid, va, true);
        const unsigned char *cpu = scribble(os, mdl, (unsigned)seed);
        assert_int_equal((uintptr_t)cpu, va);
        assert_reaches(pasid, va, PAGES * PAGE, cpu);
        assert_reaches(pasid, va + 5 * PAGE - 3, 2 * PAGE, cpu + 5 * PAGE - 3);
        os->iommu->unmap(os->ctx, pasid, va);
        os->iommu->detach(os->ctx, pasid);
        os->pages_free(os->ctx, mdl);
        assert_true(tiny_down(host, &error));
    }
}

static void nothing_else_is_reached(void **state) {
    struct vidmm_host *host = up(7);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    PMDL mdl = os->pages_alloc(os->ctx, PAGES, 0, UINT64_MAX);
    uint32_t one = os->iommu->attach(os->ctx), other = os->iommu->attach(os->ctx);
    (void)state;
    assert_int_not_equal(one, other);
    uint64_t va = os->iommu->map(os->ctx, one, mdl), end = va + PAGES * PAGE;
    assert_errors(one, va); /* not shown yet */
    os->iommu->show(os->ctx, one, va, true);
    size_t size = 2 * PAGE;
    assert_non_null(device.iommu(device.ctx, one, end - 1, &size));
    assert_int_equal(size, 1); /* not a byte behind the range */
    assert_errors(one, end);
    assert_errors(one, va - 1);
    assert_errors(one, 0);
    assert_errors(one, UINT64_MAX);
    assert_errors(other, va);
    assert_errors(0, va);
    assert_errors(UINT32_MAX, va);
    os->iommu->show(os->ctx, one, va, false);
    assert_errors(one, va);
    os->iommu->show(os->ctx, one, va, true);
    os->iommu->unmap(os->ctx, one, va);
    assert_errors(one, va);
    os->iommu->detach(os->ctx, one);
    os->iommu->detach(os->ctx, other);
    assert_errors(one, va);
    os->pages_free(os->ctx, mdl);
    assert_true(tiny_down(host, &error));
}

/* Random maps, unmaps and shows of many ranges in several processes, against a plain list. */
static void many_ranges_of_many_processes_stay_apart(void **state) {
    enum { PROCESSES = 12, RANGES = 40, TURNS = 4000 };
    static struct {
        PMDL mdl;
        uint64_t va[PROCESSES];
        bool shown[PROCESSES];
        const unsigned char *cpu;
    } range[RANGES];
    struct vidmm_host *host = up(3);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    uint32_t pasid[PROCESSES];
    uint64_t random = 88172645463325252u;
    (void)state;
    memset(range, 0, sizeof(range));
    for (uint32_t p = 0; p < PROCESSES; p++)
        pasid[p] = os->iommu->attach(os->ctx);
    for (uint32_t r = 0; r < RANGES; r++) {
        range[r].mdl = os->pages_alloc(os->ctx, PAGES, 0, UINT64_MAX);
        range[r].cpu = scribble(os, range[r].mdl, r);
    }
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint32_t r = (uint32_t)(random % RANGES), p = (uint32_t)(random >> 32) % PROCESSES;
        bool mapped = range[r].va[p] != 0;
        if (!mapped) {
            range[r].va[p] = os->iommu->map(os->ctx, pasid[p], range[r].mdl);
            range[r].shown[p] = false;
        } else if ((random >> 20) % 3 == 0) {
            os->iommu->unmap(os->ctx, pasid[p], range[r].va[p]);
            range[r].va[p] = 0;
        } else {
            range[r].shown[p] = !range[r].shown[p];
            os->iommu->show(os->ctx, pasid[p], range[r].va[p], range[r].shown[p]);
        }
        uint64_t at = (uintptr_t)range[r].cpu + random % (PAGES * PAGE);
        if (range[r].va[p] != 0 && range[r].shown[p])
            assert_reaches(pasid[p], at, 1, range[r].cpu + (at - range[r].va[p]));
        else
            assert_errors(pasid[p], at);
    }
    for (uint32_t p = 0; p < PROCESSES; p++)
        os->iommu->detach(os->ctx, pasid[p]);
    for (uint32_t r = 0; r < RANGES; r++)
        os->pages_free(os->ctx, range[r].mdl);
    assert_true(tiny_down(host, &error));
}

static void a_process_that_is_left_attached_is_named(void **state) {
    struct vidmm_host *host = up(0);
    const struct vidmm_os *os = vidmm_host_os(host);
    struct vidmm_host_error error;
    (void)state;
    assert_int_not_equal(os->iommu->attach(os->ctx), 0);
    assert_false(tiny_down(host, &error));
    assert_non_null(strstr(error.text, "blocks of the manager"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_reaches_what_the_cpu_sees_at_an_address),
        cmocka_unit_test(nothing_else_is_reached),
        cmocka_unit_test(many_ranges_of_many_processes_stay_apart),
        cmocka_unit_test(a_process_that_is_left_attached_is_named),
    };
    return cmocka_run_group_tests_name("iommu", tests, NULL, NULL);
}
