/*
 * scenes.c - what is replayed: two short recordings made for this, in page tables of every shape,
 * with so little memory that allocations, and where tables lie in it tables, move in and out; and
 * the beginnings of longer workloads.
 */
#include "dropped.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)

#define CROWD(NAME, ...)                                                                           \
    {                                                                                              \
        .name = NAME, .workload = "crowd.jsonl", .vram = MIB, .sample = 4, .settings = {           \
            {"ApertureBytes", 1536 * KIB},                                                         \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define LONG(NAME, VRAM, FRAMES, ...)                                                              \
    {                                                                                              \
        .name = NAME, .workload = NAME, .vram = VRAM, .frames = FRAMES, .sample = 2, .settings = { \
            {"ApertureBytes", 24 * MIB},                                                           \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Of 128 and 256 KiB. */
#define LARGE                                                                                      \
    {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}, {"MmuFeatures", 15}, {                \
        "MmuIndexBits", 0x09090105                                                                 \
    }

const struct scene scenes[] = {
    {.name = "rebinds",
     .workload = "../system/rebinds.jsonl",
     .vram = 16 * MIB,
     .frames = 6,
     .sample = 8,
     .settings = {{"MmuLevels", 2}}},
    CROWD("four-levels", {"MmuLevels", 4}),
    CROWD("root-grows", {"MmuLevels", 2}, {"MmuPages", 2}, {"MmuUpdateMode", 1}),
    CROWD("by-address", {"MmuLevels", 3}, {"MmuUpdateMode", 1}),
    CROWD("by-cpu", {"MmuLevels", 3}, {"MmuUpdateMode", 0}),
    CROWD("converted", {"MmuLevels", 5}, {"MmuPages", 1}, {"MmuDemands", 3}),
    CROWD("large-pages", {"MmuLevels", 4}, LARGE),
    CROWD("large-dual", {"MmuLevels", 4}, {"MmuPages", 2}, LARGE),
    CROWD("tables-move", {"MmuLevels", 3}, {"MmuTableSegment", 2}),
    CROWD("caches-nothing", {"MmuLevels", 2}, {"MmuFeatures", 16 + 7}, {"TlbSets", 1024}),
    {.name = "notices",
     .workload = "crowd.jsonl",
     .vram = MIB,
     .notices = true,
     .sample = 4,
     .settings = {{"ApertureBytes", 1536 * KIB}, {"MmuLevels", 3}}},
    LONG("address-churn", 24 * MIB, 2, {"MmuLevels", 2}),
    LONG("frame-loop", 24 * MIB, 2, {"MmuLevels", 2}, {"MmuPages", 2}),
    LONG("tiled-resource", 24 * MIB, 3, {"MmuLevels", 2}, {"MmuUpdateMode", 1}),
    LONG("offers", 24 * MIB, 3, {"MmuLevels", 2}, {"MmuPages", 1}),
    LONG("vkcube", 2 * MIB, 3, {"MmuLevels", 2}),
};
const uint32_t scene_count = sizeof(scenes) / sizeof(scenes[0]);
