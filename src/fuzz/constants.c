/*
 * constants.c - see constants.h.
 *
 * Each byte of the executable sections may be the first one of an instruction: cmp, sub, xor with 32
 * bits in it, which is how compilers write comparisons and switches; and cmp of a byte with 8 bits, for tags.
 * Bytes that are none add some numbers that nobody compares with, which does no harm.
 */
#include "constants.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST        1024u /* numbers */
#define PE_HEADER   24u   /* bytes of signature and file header */
#define PE_SECTION  40u
#define PE_EXECUTES 0x20000000u
#define SMALL       0x80u /* a number below it is found by chance */
#define LONGEST     11u   /* bytes of opcode, ModRM, SIB, displacement and number */

struct constants {
    const uint8_t *byte;
    size_t size;
    uint32_t count;
    uint32_t number[MOST];
    uint64_t byte_seen[4]; /* bit n: something is compared with the byte n */
};

static uint32_t constants_u32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void constants_add(struct constants *constants, uint32_t number) {
    if (number < SMALL || number > UINT32_MAX - SMALL || constants->count == MOST)
        return;
    for (uint32_t i = 0; i < constants->count; i++)
        if (constants->number[i] == number)
            return;
    constants->number[constants->count++] = number;
}

/* Bytes from ModRM to the number. */
static uint32_t constants_operand(const uint8_t *at) {
    uint32_t mode = at[0] >> 6, memory = at[0] & 7u, bytes = 1;
    bool scaled = mode != 3 && memory == 4;
    bytes += scaled;
    if (mode == 1)
        bytes += 1;
    else if (mode == 2 || (mode == 0 && (scaled ? at[1] & 7u : memory) == 5))
        bytes += 4;
    return bytes;
}

static void constants_add_byte(struct constants *constants, uint8_t byte) {
    constants->byte_seen[byte / 64] |= UINT64_C(1) << byte % 64;
}

static void constants_scan(struct constants *constants, size_t from, size_t size) {
    if (from > constants->size || size > constants->size - from || size < LONGEST)
        return;
    const uint8_t *at = constants->byte + from;
    for (size_t i = 0; i + LONGEST <= size; i++) {
        uint32_t operation = at[i + 1] >> 3 & 7u;
        if (at[i] == 0x3d || at[i] == 0x2d || at[i] == 0x35)
            constants_add(constants, constants_u32(at + i + 1));
        else if (at[i] == 0x81 && operation >= 5)
            constants_add(constants, constants_u32(at + i + 1 + constants_operand(at + i + 1)));
        else if (at[i] == 0x3c)
            constants_add_byte(constants, at[i + 1]);
        else if (at[i] == 0x80 && operation == 7)
            constants_add_byte(constants, at[i + 1 + constants_operand(at + i + 1)]);
    }
}

static void constants_elf(struct constants *constants) {
    Elf64_Ehdr header;
    if (constants->size < sizeof(header))
        return;
    memcpy(&header, constants->byte, sizeof(header));
    for (uint32_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr part;
        uint64_t at = header.e_phoff + (uint64_t)i * sizeof(part);
        if (at > constants->size || constants->size - at < sizeof(part))
            return;
        memcpy(&part, constants->byte + at, sizeof(part));
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
            constants_scan(constants, part.p_offset, part.p_filesz);
    }
}

static void constants_pe(struct constants *constants) {
    const uint8_t *byte = constants->byte;
    size_t header = constants->size >= 64 ? constants_u32(byte + 60) : constants->size;
    if (header > constants->size || constants->size - header < PE_HEADER)
        return;
    uint32_t count = byte[header + 6] | (uint32_t)byte[header + 7] << 8;
    size_t at = header + PE_HEADER + (byte[header + 20] | (size_t)byte[header + 21] << 8);
    for (uint32_t i = 0; i < count; i++, at += PE_SECTION) {
        if (at > constants->size || constants->size - at < PE_SECTION)
            return;
        if ((constants_u32(byte + at + 36) & PE_EXECUTES) != 0)
            constants_scan(constants, constants_u32(byte + at + 20), constants_u32(byte + at + 16));
    }
}

static bool constants_say(const struct constants *constants, const char *dictionary) {
    FILE *file = constants->count != 0 ? fopen(dictionary, "w") : NULL;
    if (!file)
        return false;
    for (uint32_t i = 0; i < constants->count; i++) {
        uint32_t number = constants->number[i];
        fprintf(file, "\"\\x%02x\\x%02x\\x%02x\\x%02x\"\n", number & 0xffu, number >> 8 & 0xffu,
                number >> 16 & 0xffu, number >> 24);
    }
    return fclose(file) == 0;
}

static bool constants_read(struct constants *constants, const char *driver) {
    struct stat about;
    int fd = driver ? open(driver, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (fstat(fd, &about) == 0 && about.st_size > 4)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    constants->byte = bytes;
    constants->size = (size_t)about.st_size;
    if (memcmp(bytes, ELFMAG, SELFMAG) == 0)
        constants_elf(constants);
    else if (memcmp(bytes, "MZ", 2) == 0)
        constants_pe(constants);
    munmap(bytes, (size_t)about.st_size);
    return true;
}

bool fuzz_constants_write(const char *driver, const char *dictionary) {
    struct constants constants = {.count = 0};
    return constants_read(&constants, driver) && constants_say(&constants, dictionary);
}

uint32_t fuzz_constants_list(const char *driver, uint32_t *number, uint32_t most) {
    struct constants constants = {.count = 0};
    if (!constants_read(&constants, driver))
        return 0;
    if (most > constants.count)
        most = constants.count;
    memcpy(number, constants.number, most * sizeof(*number));
    return most;
}

uint32_t fuzz_constants_bytes(const char *driver, uint8_t byte[UINT8_MAX + 1]) {
    struct constants constants = {.count = 0};
    uint32_t count = 0;
    if (!constants_read(&constants, driver))
        return 0;
    for (uint32_t i = 0; i <= UINT8_MAX; i++)
        if ((constants.byte_seen[i / 64] >> i % 64 & 1u) != 0)
            byte[count++] = (uint8_t)i;
    return count;
}
