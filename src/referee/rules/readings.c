/*
 * readings.c - the readings that can be chosen (--reading NAME=VALUE) and their words.
 *
 * A reading is a byte of struct vidmm_readings whose value is the index of its word, so the tables
 * here and the structure must have the values in the same order. The rows of disputed rules
 * (rules.h) name the same words. docs/readings.md has the pages and the reasons.
 */
#include <string.h>

#include <vidmm/readings.h>

#define VALUES 2

static const struct reading {
    struct vidmm_reading_choice choice;
    size_t offset; /* in struct vidmm_readings */
} readings[] = {
    {{"transfer-offset",
      {"segment", "both"},
      177,
      {"TransferOffset counts on the segment side, MdlOffset on the MDL side",
       "the MDL side starts at MdlOffset + TransferOffset / 4096"},
      NULL},
     offsetof(struct vidmm_readings, transfer_offset)},
    {{"paging-segment",
      {"zero-is-memory", "aperture"},
      73,
      {"PagingBufferSegmentId 0 is contiguous system memory", "it must name an aperture segment"},
      NULL},
     offsetof(struct vidmm_readings, paging_segment)},
    {{"hibernate-end",
      {"last-byte", "first-byte"},
      52,
      {"what ends at or before SystemMemoryEndAddress is kept",
       "what begins at or before SystemMemoryEndAddress is kept"},
      "a manager that purges memory for hibernation"},
     offsetof(struct vidmm_readings, hibernate_end)},
    {{"commit-limit",
      {"aperture-only", "equals-size"},
      62,
      {"memory segments of descriptor version 4 may leave CommitLimit 0",
       "it must equal Size there too"},
      NULL},
     offsetof(struct vidmm_readings, commit_limit)},
    {{"paging-patch",
      {"yes", "no"},
      273,
      {"DxgkDdiPatch is called for paging buffers", "it is not"},
      NULL},
     offsetof(struct vidmm_readings, paging_patch)},
    {{"first-call",
      {"null", "count-only"},
      2,
      {"the first call of QUERYSEGMENT4 has no array",
       "it has one, and NbSegment 0 alone tells that it is the first"},
      NULL},
     offsetof(struct vidmm_readings, first_call)},
    {{"insufficient",
      {"keeps", "drops"},
      156,
      {"what was written before INSUFFICIENT_DMA_BUFFER is submitted",
       "it is not, and the operation starts over in the next buffer"},
      NULL},
     offsetof(struct vidmm_readings, insufficient)},
    {{"system-segment",
      {"zero", "count-plus-one"},
      18,
      {"system memory is segment 0 everywhere", "the driver's page tables name it NbSegment + 1"},
      NULL},
     offsetof(struct vidmm_readings, system_segment)},
    {{"dma-patch",
      {"always", "when-moved"},
      607,
      {"DxgkDdiPatch is called for each DMA buffer with patch locations",
       "it is not for one whose allocations are where they were when it was built"},
      NULL},
     offsetof(struct vidmm_readings, dma_patch)},
    {{"fence-ids",
      {"increase", "wrap"},
      646,
      {"fence ids only go up", "0 comes behind the last one of 32 bits"},
      NULL},
     offsetof(struct vidmm_readings, fence_ids)},
};
#define READINGS (sizeof(readings) / sizeof(readings[0]))

bool vidmm_reading_parse(const char *text, struct vidmm_readings *chosen) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return false;
    size_t length = (size_t)(equals - text);
    for (size_t i = 0; i < READINGS; i++) {
        const struct vidmm_reading_choice *choice = &readings[i].choice;
        if (strlen(choice->name) != length || memcmp(choice->name, text, length) != 0)
            continue;
        for (uint8_t value = 0; value < VALUES; value++) {
            if (strcmp(choice->value[value], equals + 1) == 0) {
                ((uint8_t *)chosen)[readings[i].offset] = value;
                return true;
            }
        }
        return false;
    }
    return false;
}

const struct vidmm_reading_choice *vidmm_reading_at(size_t index) {
    return index < READINGS ? &readings[index].choice : NULL;
}
