/*
 * writer.c - see writer.h.
 */
#include "driver/writer.h"

void kmd_put_around(struct kmd_writer *writer, const void *fixed_part, UINT fixed, UINT rest) {
    struct gpu_command head;
    RtlCopyMemory(writer->at, fixed_part, fixed);
    RtlCopyMemory(&head, fixed_part, sizeof(head));
    head.flags |= writer->flags;
    head.size = fixed + rest;
    RtlCopyMemory(writer->at, &head, sizeof(head));
    writer->at += head.size;
    writer->room -= head.size;
}

bool kmd_put(struct kmd_writer *writer, const void *command, UINT bytes) {
    if (writer->room < bytes)
        return false;
    kmd_put_around(writer, command, bytes, 0);
    return true;
}

/* Length of the run of following page numbers at `page`. */
static SIZE_T run_length(const PFN_NUMBER *page, SIZE_T pages) {
    SIZE_T length = 1;
    while (length < pages && length < GPU_RUN_LIMIT && page[length] == page[0] + length)
        length++;
    return length;
}

SIZE_T kmd_put_pages(struct kmd_writer *writer, const void *fixed_part, UINT fixed,
                     const PFN_NUMBER *page, SIZE_T pages, PUCHAR *command) {
    SIZE_T done = 0;
    UINT bytes = fixed;
    if (pages == 0 || writer->room < fixed + sizeof(uint64_t))
        return 0;
    while (done < pages && writer->room - bytes >= sizeof(uint64_t)) {
        SIZE_T length = run_length(page + done, pages - done);
        uint64_t run = GPU_RUN(page[done], length);
        RtlCopyMemory(writer->at + bytes, &run, sizeof(run));
        bytes += (UINT)sizeof(run);
        done += length;
    }
    *command = writer->at;
    kmd_put_around(writer, fixed_part, fixed, bytes - fixed);
    return done;
}
