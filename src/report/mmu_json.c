/*
 * mmu_json.c - see mmu_json.h.
 */
#include "mmu_json.h"

#include "names.h"

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

/* Leaves first, as the driver counts them. */
static json_t *levels(const struct vidmm_gpummu_info *mmu) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < mmu->levels; i++) {
        const struct vidmm_level_info *level = &mmu->level[i];
        json_t *one = json_object();
        json_object_set_new(one, "index_bits", number(level->index_bits));
        json_object_set_new(one, "covers_bytes", number(report_level_bytes(mmu, i)));
        json_object_set_new(one, "table_bytes", number(level->size));
        json_object_set_new(one, "alignment", number(level->alignment));
        json_object_set_new(one, "segment", number(level->segment));
        json_object_set_new(one, "paging_process_segment", number(level->paging_segment));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *features(const DXGK_GPUMMUCAPS *caps) {
    json_t *list = json_array();
    for (unsigned bit = 0; report_mmu_feature(bit); bit++)
        if (caps->Value >> bit & 1u)
            json_array_append_new(list, json_string(report_mmu_feature(bit)));
    return list;
}

static json_t *page_sizes(const struct vidmm_gpummu_info *mmu) {
    json_t *list = json_array();
    json_array_append_new(list, number(4096));
    if (mmu->caps.LeafPageTableSizeFor64KPagesInBytes != 0)
        json_array_append_new(list, number(65536));
    uint64_t large = mmu->large_bytes;
    for (uint32_t level = 1; large != 0 && level < mmu->levels;
         large <<= mmu->level[level++].index_bits)
        json_array_append_new(list, number(large));
    return list;
}

json_t *report_mmu_json(const struct vidmm_gpummu_info *mmu) {
    if (mmu->levels == 0)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "used", json_boolean(mmu->on));
    json_object_set_new(object, "address_bits", number(mmu->caps.VirtualAddressBitCount));
    json_object_set_new(object, "page_sizes", page_sizes(mmu));
    json_object_set_new(object, "dual", json_boolean(mmu->caps.DualPteSupported));
    json_object_set_new(object, "update_mode",
                        json_string(report_update_mode(mmu->caps.PageTableUpdateMode)));
    json_object_set_new(object, "features", features(&mmu->caps));
    json_object_set_new(object, "paging_process_bytes", number(mmu->paging_bytes));
    json_object_set_new(object, "levels", levels(mmu));
    return object;
}
