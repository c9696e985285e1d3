/*
 * query_test.c - what the reference driver says of itself, in each version of the segment query,
 * and that it writes nothing beyond what it was asked for.
 */
#include "fixture/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MIB    (UINT64_C(1) << 20)
#define POISON 0xcdu

static NTSTATUS query(struct fixture *fixture, DXGK_QUERYADAPTERINFOTYPE type, void *in,
                      uint32_t in_size, void *out, uint32_t out_size) {
    DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                     .pInputData = in,
                                     .InputDataSize = in_size,
                                     .pOutputData = out,
                                     .OutputDataSize = out_size};
    return fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &args);
}

static void is_poison(const void *at, size_t bytes) {
    const unsigned char *byte = at;
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(byte[i], POISON);
}

#define SETTINGS(version)                                                                          \
    {"VramBytes", 16 * MIB}, {"VramVisibleBytes", 4 * MIB}, {"VramSegments", 3},                   \
        {"ApertureBytes", 8 * MIB}, {"Banks", 4}, {"PagingPrivateBytes", 64},                      \
        {"PagingBufferSegment", 1}, {                                                              \
        "InterfaceVersion", version                                                                \
    }
#define SETTING_COUNT 8

/* ---- The three segment queries --------------------------------------------------------------- */

static void banks_are_sound(const SIZE_T *end, UINT banks, SIZE_T size) {
    assert_int_equal(banks, 4);
    for (UINT i = 1; i < banks; i++)
        assert_true(end[i - 1] < end[i]);
    assert_true(end[0] != 0);
    assert_int_equal(end[banks - 1], size);
}

static void version_1_in_two_calls(void **state) {
    const struct vidmm_host_setting settings[] = {SETTINGS(DXGKDDI_INTERFACE_VERSION_WIN7)};
    DXGK_SEGMENTDESCRIPTOR descriptor[6];
    DXGK_QUERYSEGMENTIN in = {0};
    DXGK_QUERYSEGMENTOUT out;
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, settings, SETTING_COUNT);
    memset(&out, POISON, sizeof(out));
    memset(descriptor, POISON, sizeof(descriptor));
    out.pSegmentDescriptor = NULL;
    assert_int_equal(query(&fixture, DXGKQAITYPE_QUERYSEGMENT, &in, sizeof(in), &out, sizeof(out)),
                     0);
    assert_int_equal(out.NbSegment, 5);
    is_poison(&out.PagingBufferSegmentId, 12);
    out.pSegmentDescriptor = descriptor;
    assert_int_equal(query(&fixture, DXGKQAITYPE_QUERYSEGMENT, &in, sizeof(in), &out, sizeof(out)),
                     0);
    is_poison(&descriptor[5], sizeof(descriptor[5]));
    assert_int_equal(out.PagingBufferSegmentId, 1);
    assert_int_equal(out.PagingBufferSize, 65536);
    assert_int_equal(out.PagingBufferPrivateDataSize, 64);
    SIZE_T vram = 0;
    for (UINT i = 0; i < 5; i++) {
        assert_int_equal(descriptor[i].CommitLimit, descriptor[i].Size);
        assert_int_equal(descriptor[i].Flags.Aperture, i == 0);
        assert_int_equal(descriptor[i].Flags.CpuVisible, i == 1);
        assert_int_equal(descriptor[i].Flags.UseBanking, i == 1);
        vram += i != 0 ? descriptor[i].Size : 0;
    }
    assert_int_equal(vram, 16 * MIB);
    banks_are_sound(descriptor[1].pBankRangeTable, descriptor[1].NbOfBanks, descriptor[1].Size);
    fixture_close(&fixture);
}

static void version_3_in_two_calls(void **state) {
    const struct vidmm_host_setting settings[] = {SETTINGS(DXGKDDI_INTERFACE_VERSION_WDDM1_3)};
    DXGK_SEGMENTDESCRIPTOR3 descriptor[6];
    DXGK_QUERYSEGMENTIN in = {0};
    DXGK_QUERYSEGMENTOUT3 out;
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, settings, SETTING_COUNT);
    memset(&out, POISON, sizeof(out));
    memset(descriptor, POISON, sizeof(descriptor));
    out.pSegmentDescriptor = NULL;
    assert_int_equal(query(&fixture, DXGKQAITYPE_QUERYSEGMENT3, &in, sizeof(in), &out, sizeof(out)),
                     0);
    assert_int_equal(out.NbSegment, 5);
    is_poison(&out.PagingBufferSegmentId, 12);
    out.pSegmentDescriptor = descriptor;
    assert_int_equal(query(&fixture, DXGKQAITYPE_QUERYSEGMENT3, &in, sizeof(in), &out, sizeof(out)),
                     0);
    is_poison(&descriptor[5], sizeof(descriptor[5]));
    for (UINT i = 0; i < 5; i++) {
        assert_int_equal(descriptor[i].Reserved, 0);
        assert_int_equal(descriptor[i].SystemMemoryEndAddress, 0);
        assert_int_equal(descriptor[i].CommitLimit, descriptor[i].Size);
    }
    banks_are_sound(descriptor[1].pBankRangeTable, descriptor[1].NbOfBanks, descriptor[1].Size);
    fixture_close(&fixture);
}

static void version_4_walks_by_the_stride_it_is_given(void **state) {
    static const SIZE_T strides[] = {64, sizeof(DXGK_SEGMENTDESCRIPTOR4),
                                     sizeof(DXGK_SEGMENTDESCRIPTOR4) + 24, 512};
    const struct vidmm_host_setting settings[] = {SETTINGS(DXGKDDI_INTERFACE_VERSION_WDDM2_0)};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, settings, SETTING_COUNT);
    for (size_t s = 0; s < sizeof(strides) / sizeof(strides[0]); s++) {
        DXGK_QUERYSEGMENTIN4 in = {0};
        DXGK_QUERYSEGMENTOUT4 out;
        BYTE array[6 * 512];
        SIZE_T written = strides[s] < sizeof(DXGK_SEGMENTDESCRIPTOR4)
                             ? strides[s]
                             : sizeof(DXGK_SEGMENTDESCRIPTOR4);
        memset(&out, POISON, sizeof(out));
        memset(array, POISON, sizeof(array));
        out.NbSegment = 0;
        assert_int_equal(
            query(&fixture, DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out)), 0);
        assert_int_equal(out.NbSegment, 5);
        is_poison((BYTE *)&out + 8, sizeof(out) - 8);
        out.pSegmentDescriptor = array;
        out.SegmentDescriptorStride = strides[s];
        assert_int_equal(
            query(&fixture, DXGKQAITYPE_QUERYSEGMENT4, &in, sizeof(in), &out, sizeof(out)), 0);
        assert_int_equal(out.SegmentDescriptorStride, strides[s]);
        for (UINT i = 0; i < 5; i++) {
            DXGK_SEGMENTDESCRIPTOR4 descriptor = {0};
            memcpy(&descriptor, array + i * strides[s], written);
            assert_true(descriptor.Size != 0 && descriptor.Size % FIXTURE_PAGE == 0);
            assert_int_equal(descriptor.Flags.UseBanking, 0);
            assert_int_equal(descriptor.NumInvalidMemoryRanges, 0);
            is_poison(array + i * strides[s] + written, strides[s] - written);
        }
        is_poison(array + 5 * strides[s], sizeof(array) - 5 * strides[s]);
    }
    fixture_close(&fixture);
}

static void segments_do_not_overlap(void **state) {
    static const struct vidmm_host_setting settings[] = {
        {"VramBytes", 64 * MIB},
        {"VramVisibleBytes", 5 * MIB + FIXTURE_PAGE},
        {"VramSegments", 7},
        {"EvictionApertureBytes", 3 * MIB},
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}};
    struct fixture_segment segment[31];
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, settings, 5);
    uint32_t count = fixture_segments(&fixture, segment, 31);
    assert_int_equal(count, 10);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(segment[i].base >= segment[j].base + segment[j].size ||
                        segment[j].base >= segment[i].base + segment[i].size);
    fixture_close(&fixture);
}

static void agp_only_where_the_system_has_it(void **state) {
    static const struct vidmm_host_setting settings[] = {
        {"Agp", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_VISTA}};
    for (int has = 0; has < 2; has++) {
        DXGK_QUERYSEGMENTIN in = {0};
        DXGK_QUERYSEGMENTOUT out = {0};
        DXGK_SEGMENTDESCRIPTOR descriptor[8] = {0};
        struct fixture fixture;
        (void)state;
        fixture_open(&fixture, settings, 2);
        in.AgpApertureBase.QuadPart = has ? 0xd0000000 : 0;
        in.AgpApertureSize.QuadPart = has ? 64 * MIB : 0;
        assert_int_equal(
            query(&fixture, DXGKQAITYPE_QUERYSEGMENT, &in, sizeof(in), &out, sizeof(out)), 0);
        assert_int_equal(out.NbSegment, 2 + has);
        out.pSegmentDescriptor = descriptor;
        assert_int_equal(
            query(&fixture, DXGKQAITYPE_QUERYSEGMENT, &in, sizeof(in), &out, sizeof(out)), 0);
        for (UINT i = 0; i < out.NbSegment; i++)
            assert_int_equal(descriptor[i].Flags.Value == 2, has && i == 2);
        fixture_close(&fixture);
    }
}

/* ---- Caps ------------------------------------------------------------------------------------ */

static void caps_fit_the_buffers_of_older_systems(void **state) {
    static const uint32_t sizes[] = {0x220, 0x228, 0x240, sizeof(DXGK_DRIVERCAPS),
                                     sizeof(DXGK_DRIVERCAPS) + 64};
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char bytes[sizeof(DXGK_DRIVERCAPS) + 128];
        DXGK_DRIVERCAPS caps;
        uint32_t written =
            sizes[i] < sizeof(DXGK_DRIVERCAPS) ? sizes[i] : (uint32_t)sizeof(DXGK_DRIVERCAPS);
        memset(bytes, POISON, sizeof(bytes));
        assert_int_equal(query(&fixture, DXGKQAITYPE_DRIVERCAPS, NULL, 0, bytes, sizes[i]), 0);
        is_poison(bytes + written, sizeof(bytes) - written);
        memcpy(&caps, bytes, sizeof(caps));
        assert_int_equal(caps.WDDMVersion, DXGKDDI_WDDMv2_0);
        assert_int_equal(caps.SupportSmoothRotation, 1);
        assert_true((uint64_t)caps.HighestAcceptableAddress.QuadPart >=
                    fixture.os->memory_highest(fixture.os->ctx));
        assert_int_equal(caps.GpuEngineTopology.NbAsymetricProcessingNodes, 2);
    }
    fixture_close(&fixture);
}

static void unknown_queries_get_an_allowed_status(void **state) {
    struct fixture fixture;
    (void)state;
    fixture_open(&fixture, NULL, 0);
    for (uint32_t type = 0; type < 64; type++) {
        unsigned char out[1024] = {0}, in[64] = {0};
        if (type == DXGKQAITYPE_QUERYSEGMENT || type == DXGKQAITYPE_QUERYSEGMENT3)
            continue;
        NTSTATUS status =
            query(&fixture, (DXGK_QUERYADAPTERINFOTYPE)type, in, sizeof(in), out, sizeof(out));
        assert_true(status == STATUS_SUCCESS || status == STATUS_INVALID_PARAMETER);
    }
    fixture_close(&fixture);
}

static void paging_node_is_the_last_of_both_caps(void **state) {
    for (uint64_t nodes = 1; nodes <= 2; nodes++) {
        const struct vidmm_host_setting settings[] = {{"Nodes", nodes}};
        DXGK_QUERYPHYSICALADAPTERCAPSIN in = {0};
        DXGK_PHYSICALADAPTERCAPS physical = {0};
        DXGK_DRIVERCAPS caps = {0};
        struct fixture fixture;
        (void)state;
        fixture_open(&fixture, settings, 1);
        assert_int_equal(query(&fixture, DXGKQAITYPE_PHYSICALADAPTERCAPS, &in, sizeof(in),
                               &physical, sizeof(physical)),
                         0);
        assert_int_equal(query(&fixture, DXGKQAITYPE_DRIVERCAPS, NULL, 0, &caps, sizeof(caps)), 0);
        assert_int_equal(physical.NumExecutionNodes, nodes);
        assert_int_equal(physical.PagingNodeIndex, nodes - 1);
        assert_int_equal(caps.MemoryManagementCaps.PagingNode, nodes - 1);
        fixture_close(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_in_two_calls),
        cmocka_unit_test(version_3_in_two_calls),
        cmocka_unit_test(version_4_walks_by_the_stride_it_is_given),
        cmocka_unit_test(segments_do_not_overlap),
        cmocka_unit_test(agp_only_where_the_system_has_it),
        cmocka_unit_test(caps_fit_the_buffers_of_older_systems),
        cmocka_unit_test(unknown_queries_get_an_allowed_status),
        cmocka_unit_test(paging_node_is_the_last_of_both_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
