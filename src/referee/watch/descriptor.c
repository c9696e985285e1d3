/*
 * descriptor.c - judges what the segment descriptors say, each by itself and all together, and
 * makes the referee's segments of them; see watch/query.h.
 */
#include <stdlib.h>
#include <string.h>

#include "watch/query.h"
#include "state/memory.h"

#define BANKS_MAX 127u /* seven bits in DXGK_SEGMENTBANKPREFERENCE */
#define PAGES_MAX (1u << 24)

#define HEX(value) (unsigned long long)(value)

/* ---- One descriptor: flags ------------------------------------------------------------------- */

static uint32_t descriptor_known_flags(struct vidmm_referee *referee) {
    static const struct {
        uint32_t version, bits;
    } gates[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM2_9, 22},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_1, 21},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 16},
        {DXGKDDI_INTERFACE_VERSION_WIN8, 11},
    };
    for (size_t i = 0; i < sizeof(gates) / sizeof(*gates); i++)
        if (referee->adapter.version >= gates[i].version)
            return (1u << gates[i].bits) - 1u;
    return (1u << 10) - 1u;
}

static void descriptor_judge_agp(struct vidmm_referee *referee, const struct described *d,
                                 uint32_t id) {
    DXGK_SEGMENTFLAGS alone = {.Value = 0};
    uint64_t base, size;
    alone.Agp = 1;
    DRIVER_MUST(14, segment_agp(referee, &base, &size),
                "no AGP segment where the query reports no AGP aperture",
                "segment %u has the Agp flag", id);
    DRIVER_MUST(33, d->flags.Value == alone.Value, "Agp as the only flag of its segment",
                "segment %u has flags 0x%x", id, d->flags.Value);
}

static void descriptor_judge_flags(struct vidmm_referee *referee, const struct described *d,
                                   uint32_t id) {
    DXGK_SEGMENTFLAGS f = d->flags;
    DRIVER_MUST(54, (f.Value & ~descriptor_known_flags(referee)) == 0,
                "0 in every flag that the interface version does not define",
                "segment %u has flags 0x%x, of which 0x%x are unknown", id, f.Value,
                f.Value & ~descriptor_known_flags(referee));
    DRIVER_MUST(58, !f.ReservedSysMem, "ReservedSysMem 0: only the system sets it",
                "segment %u has flags 0x%x", id, f.Value);
    DRIVER_MUST(45, f.Aperture || !f.CacheCoherent, "CacheCoherent only together with Aperture",
                "memory segment %u has flags 0x%x", id, f.Value);
    DRIVER_MUST(48, !f.Aperture || !f.PopulatedFromSystemMemory,
                "PopulatedFromSystemMemory only of memory segments",
                "aperture segment %u has flags 0x%x", id, f.Value);
    DRIVER_MUST(59, !f.SupportsCpuHostAperture || !f.CpuVisible,
                "SupportsCpuHostAperture without CpuVisible", "segment %u has flags 0x%x", id,
                f.Value);
    DRIVER_MUST(60, f.SupportsCpuHostAperture || !f.SupportsCachedCpuHostAperture,
                "SupportsCachedCpuHostAperture only together with SupportsCpuHostAperture",
                "segment %u has flags 0x%x", id, f.Value);
    if (referee->adapter.caps.MiscCaps.ComputeOnly)
        DRIVER_MUST(26, !f.Agp && !f.UseBanking && !f.PitchAlignment,
                    "only linear memory and linear aperture segments with ComputeOnly",
                    "segment %u has flags 0x%x", id, f.Value);
}

static void descriptor_judge_preservation(struct vidmm_referee *referee, const struct described *d,
                                          uint32_t id) {
    bool standby = d->flags.PreservedDuringStandby;
    bool hibernate = d->flags.PreservedDuringHibernate;
    bool partial = d->flags.PartiallyPreservedDuringHibernate;
    DRIVER_MUST(49, !(hibernate && partial) && (standby || !(hibernate || partial)),
                "one of the hibernate flags at most, and with it PreservedDuringStandby",
                "segment %u has PreservedDuringStandby %u, PreservedDuringHibernate %u, "
                "PartiallyPreservedDuringHibernate %u",
                id, standby, hibernate, partial);
    DRIVER_MUST(52, (d->end != 0) == partial && (d->end == 0 || d->end < d->size),
                "an offset in the segment with PartiallyPreservedDuringHibernate, else 0",
                "SystemMemoryEndAddress of segment %u is 0x%llx, "
                "PartiallyPreservedDuringHibernate %u",
                id, HEX(d->end), partial);
}

/* ---- One descriptor: extents ----------------------------------------------------------------- */

static void descriptor_judge_commit_limit(struct vidmm_referee *referee, const struct described *d,
                                          uint32_t id, uint32_t version) {
    if (d->flags.Aperture)
        DRIVER_MUST(63, d->commit_limit <= d->size && d->commit_limit >= SHADOW_PAGE,
                    "a CommitLimit of at least a page and at most Size",
                    "CommitLimit of aperture segment %u is 0x%llx, Size 0x%llx", id,
                    HEX(d->commit_limit), HEX(d->size));
    else if (version < 4 || referee->readings.commit_limit == 1)
        DRIVER_MUST(62, d->commit_limit == d->size, "CommitLimit equal to Size",
                    "CommitLimit of memory segment %u is 0x%llx, Size 0x%llx", id,
                    HEX(d->commit_limit), HEX(d->size));
}

/* The first and the last page of the range are behind a BAR, or the driver's, as far as the world
 * can tell. */
static bool descriptor_behind_bar(struct vidmm_referee *referee, uint64_t base, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    return !world->io || size < SHADOW_PAGE ||
           (world->io(world->ctx, base, SHADOW_PAGE) &&
            world->io(world->ctx, base + size - SHADOW_PAGE, SHADOW_PAGE));
}

static uint64_t descriptor_page(const struct described *d) {
    return d->flags.Use64KBPages ? SHADOW_LARGE_PAGE : SHADOW_PAGE;
}

static uint64_t descriptor_host_bytes(const struct described *d) {
    return d->host_pages * descriptor_page(d);
}

static void descriptor_judge_cpu_access(struct vidmm_referee *referee, const struct described *d,
                                        uint32_t id) {
    /* Both ways in at once contradict each other, and so would what is said of them. */
    if (d->flags.Aperture || (d->flags.SupportsCpuHostAperture && d->flags.CpuVisible))
        return;
    if (d->flags.SupportsCpuHostAperture) {
        DRIVER_MUST(61, d->host_base != 0 && d->host_base % SHADOW_PAGE == 0 && d->host_pages != 0,
                    "CpuHostAperture filled in with SupportsCpuHostAperture",
                    "CpuHostAperture of segment %u is %u pages at 0x%llx", id, d->host_pages,
                    HEX(d->host_base));
        DRIVER_MUST(61, descriptor_behind_bar(referee, d->host_base, descriptor_host_bytes(d)),
                    "a CpuHostAperture that ends where its resource does",
                    "the 0x%x pages of 0x%llx bytes of segment %u, from 0x%llx on, end elsewhere",
                    d->host_pages, HEX(descriptor_page(d)), id, HEX(d->host_base));
        return;
    }
    if (!d->flags.CpuVisible)
        return;
    bool range =
        d->cpu_base != 0 && d->cpu_base % SHADOW_PAGE == 0 && d->cpu_base <= UINT64_MAX - d->size;
    /* System memory is segment 0 without being described; what a driver took of it for its device,
     * in one piece, is the device's. */
    uint64_t seen =
        d->size % SHADOW_PAGE == 0 ? d->size : SHADOW_PAGE; /* else it is no size (R32) */
    bool own = range && referee->world.io && descriptor_behind_bar(referee, d->cpu_base, seen);
    bool system = range && !own && !d->flags.PopulatedFromSystemMemory &&
                  world_memory(referee, d->cpu_base, SHADOW_PAGE);
    bool elsewhere = system || d->flags.PopulatedFromSystemMemory;
    bool reached = range && (elsewhere || descriptor_behind_bar(referee, d->cpu_base, d->size));
    DRIVER_MUST(18, !system, "no descriptor of system memory, which is segment 0 implicitly",
                "CpuTranslatedAddress 0x%llx of segment %u is system memory", HEX(d->cpu_base), id);
    DRIVER_MUST(39, reached,
                "the physical address at which the CPU sees all of a CpuVisible segment",
                "CpuTranslatedAddress of segment %u with 0x%llx bytes is 0x%llx", id, HEX(d->size),
                HEX(d->cpu_base));
}

/* dividing-a-memory-space-segment-into-banks.md: end offsets; that of the last bank is Size. */
static void descriptor_judge_banks(struct vidmm_referee *referee, const struct described *d,
                                   uint32_t id) {
    bool there = d->banks >= 1 && d->banks <= BANKS_MAX && d->bank_ends;
    uint64_t previous = 0;
    if (!d->flags.UseBanking) {
        DRIVER_MUST(562, !d->bank_ends, "no pBankRangeTable without UseBanking",
                    "pBankRangeTable of segment %u is %p, NbOfBanks %u, and UseBanking is 0", id,
                    (const void *)d->bank_ends, d->banks);
        return;
    }
    DRIVER_MUST(40, there, "1 to 127 banks and a table of them with UseBanking",
                "NbOfBanks of segment %u is %u, pBankRangeTable %p", id, d->banks,
                (const void *)d->bank_ends);
    DRIVER_MUST(599, !d->banks_gone, "a pBankRangeTable in memory that outlives the call",
                "that of segment %u is on the stack of the call", id);
    for (uint32_t i = 0; there && !d->banks_gone && i + 1 < d->banks; i++) {
        uint64_t end = d->bank_ends[i];
        DRIVER_MUST(41, end > previous && end < d->size,
                    "banks one after the other from offset 0 up to Size",
                    "bank %u of segment %u ends at 0x%llx, the one before at 0x%llx, Size is "
                    "0x%llx",
                    i, id, HEX(end), HEX(previous), HEX(d->size));
        DRIVER_MUST(595, end <= previous || end - previous >= SHADOW_PAGE,
                    "banks that have room for a page",
                    "bank %u of segment %u has 0x%llx bytes, from 0x%llx on", i, id,
                    HEX(end - previous), HEX(previous));
        previous = end;
    }
}

static void descriptor_judge_protected(struct vidmm_referee *referee, const struct described *d,
                                       uint32_t id) {
    uint64_t unit = d->vpr_alignment != 0 ? d->vpr_alignment : 1;
    if (d->vpr_size == 0 || d->flags.Aperture)
        return;
    DRIVER_MUST(429, d->vpr_start % unit == 0 && d->vpr_size % unit == 0,
                "a protected range that begins and ends at multiples of VprAlignment",
                "that of segment %u has 0x%llx bytes at 0x%llx, VprAlignment 0x%llx", id,
                HEX(d->vpr_size), HEX(d->vpr_start), HEX(d->vpr_alignment));
    DRIVER_MUST(429, d->vpr_start <= d->size && d->vpr_size <= d->size - d->vpr_start,
                "a protected range inside its segment",
                "that of segment %u has 0x%llx bytes at 0x%llx, the segment 0x%llx", id,
                HEX(d->vpr_size), HEX(d->vpr_start), HEX(d->size));
}

static bool descriptor_seen(struct vidmm_referee *referee, uint32_t physical,
                            const struct described *d, uint64_t offset) {
    return world_peek(referee, linked_address(physical, d->base + offset), SHADOW_PAGE);
}

/* R32: a hardware model that shows the beginning of memory shows its end, too. Its last page may be one that the driver
 * calls invalid. */
static void descriptor_judge_end(struct vidmm_referee *referee, uint32_t physical,
                                 const struct described *d, uint32_t id) {
    uint64_t size = d->size / SHADOW_PAGE * SHADOW_PAGE;
    if (!d->flags.Aperture && size != 0 && d->invalid == 0 &&
        descriptor_seen(referee, physical, d, 0))
        DRIVER_MUST(32, descriptor_seen(referee, physical, d, size - SHADOW_PAGE),
                    "a Size that is all there",
                    "segment %u has 0x%llx bytes at 0x%llx, of which the hardware model shows the "
                    "first page, and not the last",
                    id, HEX(d->size), HEX(d->base));
}

static void descriptor_judge_one(struct vidmm_referee *referee, uint32_t physical,
                                 const struct described *d, uint32_t id, uint32_t version) {
    if (d->flags.Agp) {
        descriptor_judge_agp(referee, d, id);
        return;
    }
    descriptor_judge_flags(referee, d, id);
    DRIVER_MUST(32, d->size % SHADOW_PAGE == 0, "a Size in whole pages",
                "Size of segment %u is 0x%llx", id, HEX(d->size));
    DRIVER_MUST(540, d->size != 0, "a Size that something can be placed in",
                "Size of segment %u is 0", id);
    descriptor_judge_end(referee, physical, d, id);
    DRIVER_MUST(54, d->reserved == 0, "Reserved 0", "Reserved of segment %u is 0x%llx", id,
                HEX(d->reserved));
    descriptor_judge_preservation(referee, d, id);
    descriptor_judge_commit_limit(referee, d, id, version);
    descriptor_judge_cpu_access(referee, d, id);
    descriptor_judge_protected(referee, d, id);
    if (d->flags.SupportsCpuHostAperture)
        slots_judge_host_aperture(referee);
    if (version < 4)
        descriptor_judge_banks(referee, d, id);
}

/* ---- All together ---------------------------------------------------------------------------- */

static bool descriptor_overlap(const struct described *a, const struct described *b) {
    return !a->flags.Agp && !b->flags.Agp && a->base < b->base + b->size &&
           b->base < a->base + a->size;
}

static void descriptor_judge_places(struct vidmm_referee *referee, const struct described *segments,
                                    uint32_t count) {
    uint32_t agp = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct described *a = &segments[i];
        agp += a->flags.Agp;
        DRIVER_MUST(20, a->flags.Agp || a->base <= UINT64_MAX - a->size,
                    "segments within 64 bits of address", "segment %u has 0x%llx bytes at 0x%llx",
                    i + 1, HEX(a->size), HEX(a->base));
        for (uint32_t j = 0; j < i; j++)
            DRIVER_MUST(20, !descriptor_overlap(a, &segments[j]),
                        "ranges of the GPU address space that do not overlap",
                        "segment %u has 0x%llx bytes at 0x%llx, segment %u 0x%llx at 0x%llx", j + 1,
                        HEX(segments[j].size), HEX(segments[j].base), i + 1, HEX(a->size),
                        HEX(a->base));
    }
    DRIVER_MUST(34, agp <= 1, "one AGP segment at most", "%u segments have the Agp flag", agp);
}

static void descriptor_judge_kinds(struct vidmm_referee *referee, const struct described *segments,
                                   uint32_t count, uint32_t version) {
    uint32_t apertures = 0, memories = 0, preserved = 0;
    uint32_t least = referee->adapter.caps.MiscCaps.ComputeOnly ? 0 : 1;
    for (uint32_t i = 0; i < count; i++) {
        DXGK_SEGMENTFLAGS f = segments[i].flags;
        bool memory = !f.Aperture && !f.Agp;
        apertures += f.Aperture;
        memories += memory;
        preserved += memory && (f.PreservedDuringStandby || f.PreservedDuringHibernate ||
                                f.PartiallyPreservedDuringHibernate);
    }
    if (version >= 4)
        DRIVER_MUST(21, apertures >= least && apertures <= 1,
                    "exactly one aperture segment (none or one with ComputeOnly)",
                    "%u segments have the Aperture flag", apertures);
    if (version != 1)
        DRIVER_MUST(55, memories == 0 || preserved != 0,
                    "memory whose content survives standby, if the hardware can do it",
                    "none of %u memory segments has a flag that says so", memories);
}

/* ---- The same again -------------------------------------------------------------------------- */

/*
 * Asked again, a driver that was started has as many segments of the same types. Base, size and what
 * the CPU sees may be others: a BAR may have been resized in between (resizable-bar-support.md).
 */

static uint32_t descriptor_type(const struct described *d) {
    DXGK_SEGMENTFLAGS type = {.Value = 0};
    type.Aperture = d->flags.Aperture;
    type.Agp = d->flags.Agp;
    return type.Value;
}

static void descriptor_judge_again(struct vidmm_referee *referee, uint32_t physical,
                                   const struct described *segments, uint32_t count) {
    struct queries_described *before = &referee->segments.described[physical];
    if (before->any)
        DRIVER_MUST(19, count == before->count, "as many segments whenever they are asked for",
                    "%u segments after %u before", count, before->count);
    for (uint32_t i = 0; before->any && i < count && i < before->count; i++)
        DRIVER_MUST(19, descriptor_type(&segments[i]) == before->type[i],
                    "segments of the same types whenever they are asked for",
                    "segment %u is of type 0x%x (Aperture, Agp) after 0x%x", i + 1,
                    descriptor_type(&segments[i]), before->type[i]);
    before->any = true;
    before->count = count;
    for (uint32_t i = 0; i < count; i++)
        before->type[i] = descriptor_type(&segments[i]);
}

void descriptors_forget(struct vidmm_referee *referee) {
    memset(referee->segments.described, 0, sizeof(referee->segments.described));
}

/* ---- The shadow ------------------------------------------------------------------------------ */

static void descriptor_drop_segment(struct shadow_segment *segment) {
    free(segment->pages);
    free(segment->gart);
    free(segment->invalid);
    memset(segment, 0, sizeof(*segment));
}

/* A segment that is described again as it was keeps its pages. */
static void descriptor_shadow_fill(struct vidmm_referee *referee, struct shadow_segment *segment,
                                   const struct described *d, uint32_t id) {
    uint64_t base = d->base, size = d->size / SHADOW_PAGE * SHADOW_PAGE; /* what is used (R32) */
    uint64_t cpu_base = d->flags.CpuVisible ? d->cpu_base : 0;
    if (d->flags.Agp)
        segment_agp(referee, &base, &size);
    if (segment->id == id && segment->flags.Value == d->flags.Value && segment->base == base &&
        segment->size == size && segment->cpu_base == cpu_base &&
        segment->host_base == d->host_base && segment->system_memory_end == d->end)
        return;
    descriptor_drop_segment(segment);
    segment->id = id;
    segment->flags = d->flags;
    segment->aperture = d->flags.Aperture && !d->flags.Agp;
    segment->base = base;
    segment->size = size;
    segment->system_memory_end = d->end;
    segment->commit_limit = d->commit_limit;
    /* Size is the platform's, so that the driver can name any limit. */
    if (d->flags.Agp && (d->commit_limit == 0 || d->commit_limit > size))
        segment->commit_limit = size;
    segment->cpu_base = cpu_base;
    if (d->flags.Aperture || (!d->flags.CpuVisible && !d->flags.SupportsCpuHostAperture))
        segment->cpu_stray = d->cpu_base;
    segment->page_size = descriptor_page(d);
    segment->banks = d->flags.UseBanking ? d->banks : 0;
    segment->host_base = d->host_base;
    segment->vpr_start = d->vpr_start;
    segment->vpr_size = d->flags.Aperture ? 0 : d->vpr_size;
    segment->host_pages = d->flags.SupportsCpuHostAperture ? d->host_pages : 0;
    if (segment->aperture && size / SHADOW_PAGE != 0 && size / SHADOW_PAGE <= PAGES_MAX)
        segment->pages = memory_calloc(size / SHADOW_PAGE, sizeof(*segment->pages));
    if (segment->flags.Agp && size / SHADOW_PAGE != 0 && size / SHADOW_PAGE <= PAGES_MAX)
        segment->gart = memory_calloc(size / SHADOW_PAGE, sizeof(*segment->gart));
}

/* What the CPU sees of one physical adapter's memory is no other's. */
static void descriptor_judge_linked(struct vidmm_referee *referee, uint32_t physical) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *other = shadow_segment(referee, id);
        for (uint32_t own = 1; own <= shadow_segments(referee, physical); own++) {
            const struct shadow_segment *segment =
                shadow_segment(referee, linked_segment(physical, own));
            if (linked_physical(id) == physical || segment->cpu_base == 0 || other->cpu_base == 0)
                continue;
            DRIVER_MUST(511,
                        segment->cpu_base >= other->cpu_base + other->size ||
                            other->cpu_base >= segment->cpu_base + segment->size,
                        "the memory of the physical adapter that the query names",
                        "segment %u is at CpuTranslatedAddress 0x%llx, where segment %u of "
                        "another physical adapter is",
                        segment->id, HEX(segment->cpu_base), id);
        }
    }
}

void descriptors_judge(struct vidmm_referee *referee, uint32_t physical,
                       const struct described *segments, uint32_t count, uint32_t version) {
    struct shadow_physical *adapter = &referee->adapter.physical[physical];
    struct shadow_segment *shadow = &referee->adapter.segment[linked_segment(physical, 1) - 1];
    for (uint32_t i = 0; i < count; i++)
        descriptor_judge_one(referee, physical, &segments[i], i + 1, version);
    descriptor_judge_places(referee, segments, count);
    descriptor_judge_kinds(referee, segments, count, version);
    descriptor_judge_again(referee, physical, segments, count);
    for (uint32_t i = 0; i < count; i++)
        descriptor_shadow_fill(referee, &shadow[i], &segments[i], linked_segment(physical, i + 1));
    for (uint32_t i = count; i < adapter->segments; i++)
        descriptor_drop_segment(&shadow[i]);
    adapter->segments = count;
    adapter->query_version = version;
    descriptor_judge_linked(referee, physical);
}
