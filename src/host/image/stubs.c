/* stubs.c - see stubs.h. */
#include "image/stubs.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "image/call_out.h"
#include "image/stack.h"

enum { BLOCK_STUBS = 32 }; /* of one page of code, and a page of records */

/* A page of stubs, and what they are for. */
struct stub_block {
    uint8_t code[PE_PAGE]; /* first: it can be run, not written */
    struct stub_block *next;
    uint32_t made;
    struct image_import import[BLOCK_STUBS]; /* `target` alone: a call in */
};

_Static_assert(BLOCK_STUBS *STUB_BYTES <= PE_PAGE, "the stubs are in the page");

/* Of all images. */
static pthread_mutex_t stubs_guard = PTHREAD_MUTEX_INITIALIZER;

static uint8_t *put_bytes(uint8_t *code, const void *bytes, size_t size) {
    memcpy(code, bytes, size);
    return code + size;
}

/* mov r11, what; mov r10, to; jmp r10 */
void stub_write(uint8_t *code, const void *what, const void *to) {
    code = put_bytes(code, "\x49\xbb", 2);
    code = put_bytes(code, &what, sizeof(what));
    code = put_bytes(code, "\x49\xba", 2);
    code = put_bytes(code, &to, sizeof(to));
    (void)put_bytes(code, "\x41\xff\xe2", 3);
}

static const void *stub_find(const struct host_image *image, const void *function) {
    for (const struct stub_block *block = image->more_stubs; block; block = block->next)
        for (uint32_t i = 0; i < block->made; i++)
            if (block->import[i].target == function)
                return block->code + (size_t)i * STUB_BYTES;
    return NULL;
}

/* A block with room; NULL: out of memory. */
static struct stub_block *block_with_room(struct host_image *image) {
    struct stub_block *block = image->more_stubs;
    if (block && block->made < BLOCK_STUBS)
        return block;
    block = mmap(NULL, pe_whole_pages(sizeof(*block)), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    block->next = image->more_stubs;
    image->more_stubs = block;
    return block;
}

/* Other threads may run stubs of the block: its code can be run while it is written. */
static const void *stub_make(struct host_image *image, const void *function, const char *name) {
    struct stub_block *block = block_with_room(image);
    if (!block || mprotect(block->code, PE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return function;
    struct image_import *import = &block->import[block->made];
    uint8_t *code = block->code + (size_t)block->made * STUB_BYTES;
    *import = (struct image_import){.target = function, .name = name, .library = "dxgkrnl.sys"};
    if (name)
        stub_write(code, import, image_call_out);
    else
        stub_write(code, function, image_call_in);
    if (mprotect(block->code, PE_PAGE, PROT_READ | PROT_EXEC) != 0)
        return function;
    block->made++;
    return code;
}

static const void *stub_of(struct host_image *image, const void *function, const char *name) {
    pthread_mutex_lock(&stubs_guard);
    const void *stub = stub_find(image, function);
    if (!stub)
        stub = stub_make(image, function, name);
    pthread_mutex_unlock(&stubs_guard);
    return stub;
}

void stubs_in(void *table, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const void *function;
        memcpy(&function, (char *)table + i * sizeof(function), sizeof(function));
        struct host_image *image = image_of(function);
        if (image)
            function = stub_of(image, function, NULL);
        memcpy((char *)table + i * sizeof(function), &function, sizeof(function));
    }
}

const void *stub_out(const void *function, const char *name) {
    struct host_image *image = image_driver();
    return image && function ? stub_of(image, function, name) : function;
}

void stubs_out(void *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        const void *function;
        memcpy(&function, (char *)table + i * sizeof(function), sizeof(function));
        function = stub_out(function, name);
        memcpy((char *)table + i * sizeof(function), &function, sizeof(function));
    }
}

void stubs_free(struct host_image *image) {
    while (image->more_stubs) {
        struct stub_block *block = image->more_stubs;
        image->more_stubs = block->next;
        munmap(block, pe_whole_pages(sizeof(*block)));
    }
}
