/*
 * inspection_json.c - what a driver reported, as JSON. Member names are stable: scripts read them.
 */
#include <vidmm/report.h>

#include "json_text.h"
#include "mmu_json.h"
#include "names.h"
#include "write.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void put_count(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

/* A limit that is all ones is no limit. */
static void put_limit(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name,
                        value == UINT64_MAX ? json_null() : json_integer((json_int_t)value));
}

static json_t *caps(const struct vidmm_adapter_info *info) {
    json_t *object = json_object();
    uint32_t memory;
    memcpy(&memory, &info->caps.MemoryManagementCaps, sizeof(memory));
    put_limit(object, "highest_acceptable_address",
              (uint64_t)info->caps.HighestAcceptableAddress.QuadPart);
    put_limit(object, "aperture_segment_commit_limit",
              (uint64_t)info->caps.ApertureSegmentCommitLimit);
    put_count(object, "max_allocation_list_slot_id", info->caps.MaxAllocationListSlotId);
    uint32_t ranges = info->caps.NumberOfSwizzlingRanges;
    put_count(object, "swizzling_ranges", ranges);
    put_count(object, "swizzling_ranges_used",
              ranges < VIDMM_SWIZZLING_RANGES ? ranges : VIDMM_SWIZZLING_RANGES);
    put_count(object, "memory_management_caps", memory);
    put_count(object, "nodes", info->nodes);
    put_count(object, "paging_node", info->paging_node);
    put_limit(object, "apertures_together", info->shared_limit);
    return object;
}

static json_t *flags(uint32_t value) {
    json_t *list = json_array();
    char name[16];
    for (unsigned bit = 0; bit < 32; bit++)
        if (value >> bit & 1u)
            json_array_append_new(list, json_string(report_segment_flag(bit, name)));
    return list;
}

static json_t *segment(const struct vidmm_segment_info *info) {
    json_t *object = json_object();
    json_t *banks = json_array();
    put_count(object, "id", info->id);
    put_count(object, "physical", info->physical);
    put_count(object, "driver_id", info->driver_id);
    json_object_set_new(object, "kind",
                        json_string(info->agp        ? "AGP"
                                    : info->aperture ? "aperture"
                                                     : "memory"));
    put_count(object, "base", info->base);
    put_count(object, "cpu_address", info->cpu_base);
    put_count(object, "bytes", info->size);
    put_limit(object, "commit_limit", info->commit_limit);
    json_object_set_new(object, "flags", flags(info->flags));
    for (uint32_t i = 0; i < info->banks; i++)
        json_array_append_new(banks, json_integer((json_int_t)info->bank_ends[i]));
    json_object_set_new(object, "bank_ends", banks);
    put_count(object, "vpr_start", info->vpr_start);
    put_count(object, "vpr_bytes", info->vpr_size);
    put_count(object, "vpr_reserved_bytes", info->vpr_reserve);
    return object;
}

static json_t *paging_buffer(const struct vidmm_adapter_info *info) {
    json_t *object = json_object();
    put_count(object, "segment", info->paging_segment);
    put_count(object, "bytes", info->paging_size);
    put_count(object, "private_bytes", info->paging_private);
    return object;
}

static json_t *imports(const struct vidmm_inspection *inspection) {
    json_t *list = json_array();
    for (size_t i = 0; i < inspection->import_count; i++) {
        json_t *import = json_object();
        json_object_set_new(import, "library", report_json_text(inspection->imports[i].library));
        json_object_set_new(import, "name", report_json_text(inspection->imports[i].name));
        json_object_set_new(import, "known", json_boolean(inspection->imports[i].known));
        json_array_append_new(list, import);
    }
    return list;
}

/* Of an image that did not start, what it imports. */
static json_t *document(const struct vidmm_inspection *inspection) {
    json_t *root = json_object();
    json_object_set_new(root, "driver", report_json_text(inspection->driver));
    json_object_set_new(root, "imports", imports(inspection));
    report_json_unread(root, &inspection->unread);
    if (!inspection->segments && inspection->import_count != 0)
        return root;
    report_json_interface(root, inspection->adapter.registered_version,
                          (uint32_t)inspection->adapter.caps.WDDMVersion,
                          inspection->adapter.interface_version);
    put_count(root, "linked", inspection->adapter.linked);
    put_count(root, "query_version", inspection->adapter.query_version);
    json_object_set_new(root, "caps", caps(&inspection->adapter));
    json_t *segments = json_array();
    for (uint32_t i = 0; i < inspection->adapter.segments; i++)
        json_array_append_new(segments, segment(&inspection->segments[i]));
    json_object_set_new(root, "segments", segments);
    json_object_set_new(root, "paging_buffer", paging_buffer(&inspection->adapter));
    json_object_set_new(root, "mmu", report_mmu_json(&inspection->mmu));
    if (inspection->mmu.on) {
        put_limit(root, "local_budget", inspection->local_budget);
        put_limit(root, "non_local_budget", inspection->non_local_budget);
    }
    return root;
}

bool vidmm_report_inspection_json(const char *path, const struct vidmm_inspection *inspection,
                                  char *text, size_t text_size) {
    return report_write_json(path, document(inspection), text, text_size);
}
