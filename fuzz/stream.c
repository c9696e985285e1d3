/*
 * stream.c - libFuzzer over the reader of migration streams: any bytes are messages within their
 * limits or one sentence, and what is read is written back as the same message.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../src/migrate/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pages(const struct migrate_pages *pages) {
    uint64_t all = 0, full = 0, end = 0;
    if (pages->run_count > MIGRATE_BATCH_RUNS || pages->raw_bytes > MIGRATE_BATCH_BYTES)
        abort();
    for (uint32_t r = 0; r < pages->run_count; r++) {
        const struct migrate_run *run = &pages->run[r];
        if (run->count == 0 || run->first < end)
            abort();
        end = run->first + run->count;
        all += run->count;
        full += run->zero ? 0 : run->count;
    }
    if (all * pages->page_bytes > MIGRATE_BATCH_BYTES ||
        full * pages->page_bytes != pages->raw_bytes)
        abort();
}

/* Written and read again it is what it was; batches may have lost zero pages' content. */
static void check_again(struct migrate_message *message) {
    struct migrate_reader reader = {0};
    struct migrate_message again;
    char text[256] = "";
    size_t size = 0, at = 0;
    enum migrate_read got = MIGRATE_READ_MORE;
    uint8_t *frame = migrate_frame_encode(message, 0, 0, &size);
    while (frame && got == MIGRATE_READ_MORE) {
        uint8_t *where = NULL;
        size_t want = migrate_reader_want(&reader, &where);
        if (at + want > size)
            abort();
        memcpy(where, frame + at, want);
        at += want;
        got = migrate_reader_got(&reader, want, &again, text, sizeof(text));
    }
    free(frame);
    if (got != MIGRATE_READ_MESSAGE || again.type != message->type || again.size != message->size)
        abort();
    migrate_message_drop(&again);
    migrate_reader_reset(&reader);
}

static void check(struct migrate_message *message) {
    if (message->pages)
        check_pages(message->pages);
    if (message->size > migrate_payload_limit(message->type))
        abort();
    check_again(message);
    migrate_message_drop(message);
}

/* Right magic, number and checksum, so that more than the head of the first frame is seen. */
static void repair(uint8_t *bytes, size_t size) {
    uint32_t number = 0;
    for (size_t at = 0; size - at >= MIGRATE_FRAME_HEAD;) {
        uint8_t *head = bytes + at;
        size_t length = (size_t)migrate_get(head + 8, 4);
        if (length > size - at - MIGRATE_FRAME_HEAD)
            return;
        migrate_put(head, MIGRATE_FRAME_MAGIC, 4);
        migrate_put(head + 12, number++, 4);
        migrate_put(head + 16, XXH64(head + MIGRATE_FRAME_HEAD, length, XXH64(head, 16, 0)), 8);
        at += MIGRATE_FRAME_HEAD + length;
    }
}

static void read_stream(const uint8_t *data, size_t size) {
    struct migrate_reader reader = {0};
    struct migrate_message message;
    char text[256] = "";
    while (size != 0) {
        uint8_t *where = NULL;
        size_t want = migrate_reader_want(&reader, &where);
        size_t piece = want < size ? want : size;
        memcpy(where, data, piece);
        data += piece;
        size -= piece;
        switch (migrate_reader_got(&reader, piece, &message, text, sizeof(text))) {
        case MIGRATE_READ_MORE:
            break;
        case MIGRATE_READ_MESSAGE:
            check(&message);
            break;
        case MIGRATE_READ_BAD:
            if (text[0] == 0)
                abort();
            size = 0;
        }
    }
    migrate_reader_reset(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    read_stream(data, size);
    memcpy(copy, data, size);
    repair(copy, size);
    read_stream(copy, size);
    free(copy);
    return 0;
}
