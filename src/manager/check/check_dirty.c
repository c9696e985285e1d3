/*
 * check_dirty.c - memory bases, the planes that gather what they tell, and the migration under way.
 */
#include "base/bitmap.h"
#include "migration/dirty.h"
#include "check/books.h"

static bool ranges_fit(const struct vidmm_memory_basis *basis, const struct segment *segment) {
    for (uint32_t i = 0; i < basis->count; i++) {
        const struct vidmm_memory_range *range = &basis->ranges[i];
        if (!range->size || range->offset > segment->size ||
            range->size > segment->size - range->offset ||
            (range->offset | range->size) % basis->page)
            return false;
    }
    return true;
}

static void check_basis(struct vidmm_adapter *adapter, const struct vidmm_memory_basis *basis) {
    const struct segment *segment = query_segment(&adapter->facts, basis->segment);
    struct check_object object = check_object("memory basis of segment", basis->segment);
    CHECK(adapter, *basis->link == basis, object, "not linked both ways");
    CHECK(adapter, segment && basis->page == adapter->facts.dirty.page[basis->segment - 1], object,
          "of a segment that is not tracked, or in other pages");
    CHECK(adapter, !segment || ranges_fit(basis, segment), object,
          "a range is not of whole pages of its segment");
}

static bool basis_is_listed(const struct vidmm_adapter *adapter,
                            const struct vidmm_memory_basis *basis) {
    const struct vidmm_memory_basis *one = adapter->dirty.bases;
    while (one && one != basis)
        one = one->next;
    return one;
}

/* What has to be sent was written, and nothing is written behind the last page. */
static void check_bits(struct vidmm_adapter *adapter, const struct dirty_plane *plane,
                       struct check_object object) {
    bool subset = true;
    for (size_t i = 0; i < bitmap_bytes(plane->pages); i++)
        subset = subset && !(plane->pending[i] & ~plane->written[i]);
    CHECK(adapter, subset, object, "a page has to be sent that nobody has written");
    CHECK(adapter,
          bitmap_next(plane->written, plane->pages, bitmap_bytes(plane->pages) * 8, true) ==
              bitmap_bytes(plane->pages) * 8,
          object, "a page was written behind the last one");
}

static void check_plane(struct vidmm_adapter *adapter, uint32_t index) {
    const struct dirty_plane *plane = &adapter->dirty.planes[index];
    const struct segment *segment = query_segment(&adapter->facts, index + 1);
    struct check_object object = check_object("dirty plane of segment", index + 1);
    uint32_t page = adapter->facts.dirty.page[index];
    if (!plane->pages)
        return;
    CHECK(adapter, segment && page && plane->pages == (segment->size + page - 1) / page, object,
          "its pages are not those of its segment");
    CHECK(adapter,
          !plane->basis ||
              (basis_is_listed(adapter, plane->basis) && plane->basis->segment == index + 1),
          object, "its basis is gone, or another segment's");
    CHECK(adapter, !plane->pending == !plane->written, object, "it has one of two maps");
    if (plane->pending && plane->written)
        check_bits(adapter, plane, object);
}

static void check_migration(struct vidmm_adapter *adapter) {
    const struct migration *migration = &adapter->migration;
    struct check_object object = check_object("migration", 0);
    CHECK(adapter, migration->active || !migration->paused, object,
          "paused, and none is under way");
    CHECK(adapter, !migration->staging || (migration->cpu && migration->extents), object,
          "staging pages without a view or a list");
}

void check_dirty(struct vidmm_adapter *adapter) {
    for (const struct vidmm_memory_basis *one = adapter->dirty.bases; one; one = one->next)
        check_basis(adapter, one);
    for (uint32_t i = 0; i < SEGMENTS_MAX; i++)
        check_plane(adapter, i);
    check_migration(adapter);
}
