/*
 * imports.c - see imports.h. The table is read from the image, which may hold anything: every
 * offset is checked before it is used.
 */
#include "image/imports.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/world.h"
#include "image/call_out.h"
#include "image/exports.h"
#include "image/seh.h"
#include "image/stubs.h"

enum {
    DESCRIPTOR_BYTES = 20, /* of the import directory: names, .., .., library, addresses */
    ORDINAL_TEXT = 8,
};

#define BY_ORDINAL (UINT64_C(1) << 63)

/* One import while the table is walked. */
struct walk {
    const struct host_image *image;
    const char *library;
    uint32_t names, slots; /* offsets of the next entries */
    uint32_t count;        /* so far, of all libraries */
    struct vidmm_host_error *error;
};

struct walked {
    const char *name; /* NULL: by ordinal */
    uint16_t ordinal;
    uint32_t slot; /* offset of the entry that gets the address */
};

/* Text in the image that ends in it, and soon; NULL: there is none. */
static const char *text_at(const struct host_image *image, uint64_t offset) {
    if (!image_has(image, offset, 1))
        return NULL;
    const char *text = (const char *)image->base + offset;
    size_t most = image->size - offset < IMAGE_NAME_MAX ? image->size - offset : IMAGE_NAME_MAX;
    return memchr(text, 0, most) ? text : NULL;
}

static bool damaged(const struct walk *walk, const char *what, uint64_t offset) {
    return host_fail(walk->error, "its import table is damaged: %s at offset 0x%llx", what,
                     (unsigned long long)offset);
}

/* The next import of the library; `*end` when it was the last. */
static bool next_import(struct walk *walk, struct walked *out, bool *end) {
    uint64_t entry;
    if (!image_has(walk->image, walk->names, 8) || !image_has(walk->image, walk->slots, 8))
        return damaged(walk, "a list of names does not end", walk->names);
    memcpy(&entry, walk->image->base + walk->names, sizeof(entry));
    *end = entry == 0;
    if (*end)
        return true;
    if (++walk->count > IMPORTS_MAX)
        return damaged(walk, "more than 8192 names", walk->names);
    *out = (struct walked){.slot = walk->slots};
    if (entry & BY_ORDINAL)
        out->ordinal = (uint16_t)entry;
    else if (!(out->name = text_at(walk->image, (entry & UINT32_MAX) + 2)))
        return damaged(walk, "a name that is not in the image", walk->names);
    walk->names += 8;
    walk->slots += 8;
    return true;
}

/* The descriptor at `at`: its library and lists; `*end` behind the last one. */
static bool next_library(struct walk *walk, uint32_t at, bool *end) {
    const struct host_image *image = walk->image;
    if (!image_has(image, at, DESCRIPTOR_BYTES))
        return damaged(walk, "its libraries do not end", at);
    uint32_t names = pe_u32(image->base + at), library = pe_u32(image->base + at + 12);
    walk->slots = pe_u32(image->base + at + 16);
    *end = library == 0 || walk->slots == 0;
    if (*end)
        return true;
    walk->names = names ? names : walk->slots;
    walk->library = text_at(image, library);
    return walk->library || damaged(walk, "a library without a name", at);
}

/* Calls `each` for every import of every library. */
static bool imports_walk(struct walk *walk,
                         bool (*each)(void *ctx, const struct walk *walk,
                                      const struct walked *import),
                         void *ctx) {
    uint32_t at = walk->image->directories[PE_IMPORTS].address;
    for (bool end = at == 0; !end; at += DESCRIPTOR_BYTES) {
        if (!next_library(walk, at, &end))
            return false;
        for (bool last = end; !last;) {
            struct walked import = {.slot = 0};
            if (!next_import(walk, &import, &last) || (!last && !each(ctx, walk, &import)))
                return false;
        }
    }
    return true;
}

/* ---- Listing --------------------------------------------------------------------------------- */

struct listing {
    void (*found)(void *ctx, const struct vidmm_host_import *import);
    void *ctx;
};

static bool list_one(void *ctx, const struct walk *walk, const struct walked *import) {
    const struct listing *listing = ctx;
    char ordinal[ORDINAL_TEXT];
    struct image_export to;
    struct vidmm_host_import name = {walk->library, import->name, false};
    if (import->name)
        name.known = image_export(import->name, &to);
    else {
        snprintf(ordinal, sizeof(ordinal), "#%u", import->ordinal);
        name.name = ordinal;
    }
    listing->found(listing->ctx, &name);
    return true;
}

bool imports_list(const struct host_image *image,
                  void (*found)(void *ctx, const struct vidmm_host_import *import), void *ctx,
                  struct vidmm_host_error *error) {
    struct walk walk = {.image = image, .error = error};
    struct listing listing = {found, ctx};
    return imports_walk(&walk, list_one, &listing);
}

/* ---- Binding --------------------------------------------------------------------------------- */

/* In image->stubs: code, which begins with the stub of unknown names, then records, then names. The
 * names in the image may be in a section that is gone after DriverEntry. */
struct stubs {
    uint8_t *code;
    struct image_import *records;
    char *text; /* for the next name */
    uint32_t made;
};

/* Called in place of a function that is not here. */
static NTSTATUS NTAPI unknown_called(const struct image_import *import) {
    host_violation("the driver calls %s of %s, which is not there", import->name, import->library);
    return STATUS_NOT_IMPLEMENTED;
}

/* mov rcx, r11; mov rax, unknown_called; jmp rax */
static void write_unknown(uint8_t *code) {
    NTSTATUS(NTAPI * called)(const struct image_import *) = unknown_called;
    const void *address;
    memcpy(&address, &called, sizeof(address));
    memcpy(code, "\x4c\x89\xd9\x48\xb8", 5);
    memcpy(code + 5, &address, sizeof(address));
    memcpy(code + 5 + sizeof(address), "\xff\xe0", 2);
}

static bool count_one(void *ctx, const struct walk *walk, const struct walked *import) {
    size_t *text = ctx;
    *text += strlen(walk->library) + 1 + (import->name ? strlen(import->name) + 1 : ORDINAL_TEXT);
    return image_has(walk->image, import->slot, 8) ||
           damaged(walk, "an address outside of the image", import->slot);
}

static const char *keep_text(struct stubs *stubs, const char *text) {
    char *kept = strcpy(stubs->text, text);
    stubs->text += strlen(text) + 1;
    return kept;
}

static const char *name_of(struct stubs *stubs, const struct walked *import) {
    char ordinal[ORDINAL_TEXT];
    if (import->name)
        return keep_text(stubs, import->name);
    snprintf(ordinal, sizeof(ordinal), "#%u", import->ordinal);
    return keep_text(stubs, ordinal);
}

static bool bind_one(void *ctx, const struct walk *walk, const struct walked *import) {
    struct stubs *stubs = ctx;
    struct image_export to = {NULL, false};
    bool known = import->name && image_export(import->name, &to);
    struct image_import *record = &stubs->records[stubs->made];
    uint8_t *stub = stubs->code + (size_t)(stubs->made + 1) * STUB_BYTES;
    *record = (struct image_import){
        known ? to.address : stubs->code, name_of(stubs, import), keep_text(stubs, walk->library),
        import->slot, to.data || (const void *)(uintptr_t)vidmm_crt___chkstk == to.address};
    stub_write(stub, record, image_call_out);
    stubs->made++;
    return true;
}

/* When all are known: the addresses may lie where the table still has names. */
static void put_addresses(const struct host_image *image, const struct stubs *stubs) {
    for (uint32_t i = 0; i < stubs->made; i++) {
        const struct image_import *record = &stubs->records[i];
        const void *stub = stubs->code + (size_t)(i + 1) * STUB_BYTES;
        const void *address = record->direct ? record->target : stub;
        memcpy(image->base + record->slot, &address, sizeof(address));
    }
}

bool imports_bind(struct host_image *image, struct vidmm_host_error *error) {
    struct walk walk = {.image = image, .error = error};
    size_t text = 0;
    if (!imports_walk(&walk, count_one, &text))
        return false;
    size_t code = pe_whole_pages((size_t)(walk.count + 1) * STUB_BYTES);
    size_t data = walk.count * sizeof(struct image_import) + text;
    image->stubs_size = code + pe_whole_pages(data);
    void *memory =
        mmap(NULL, image->stubs_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return host_fail(error, "out of memory for its %u imports", walk.count);
    image->stubs = memory;
    struct stubs stubs = {.code = memory, .records = (void *)((uint8_t *)memory + code)};
    stubs.text = (void *)(stubs.records + walk.count);
    write_unknown(stubs.code);
    walk = (struct walk){.image = image, .error = error};
    if (!imports_walk(&walk, bind_one, &stubs))
        return false;
    put_addresses(image, &stubs);
    if (mprotect(memory, code, PROT_READ | PROT_EXEC) != 0)
        return host_fail(error, "its imports' code could not be made to run");
    return true;
}
