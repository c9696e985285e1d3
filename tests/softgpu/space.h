/*
 * space.h - GPU virtual address spaces by hand, for the MMU tests: builds page tables from the
 * documented format, with code of its own, and submits work into them.
 *
 * The board's system memory: commands first, then 1 MiB of tables and the rest of it data; VRAM:
 * tables in its second half, data in its first. Virtual page COMMAND_VA shows the commands.
 */
#ifndef SOFTGPU_TEST_SPACE_H
#define SOFTGPU_TEST_SPACE_H

#include "board.h"

#define COMMAND_BYTES (64u << 10)
#define COMMAND_VA    UINT64_C(0x40000)
#define RAM_TABLES    (RAM_BASE + COMMAND_BYTES)
#define RAM_DATA      (RAM_BASE + 3 * MIB)
#define RAM_DATA_END  (RAM_BASE + RAM_BYTES)
#define VRAM_DATA     GPU_VRAM_BASE
#define VRAM_TABLES   (GPU_VRAM_BASE + 4 * MIB)
#define VRAM_END      (GPU_VRAM_BASE + 8 * MIB)

#define ALL_FEATURES                                                                               \
    (GPU_MMU_HAS_READ_ONLY | GPU_MMU_HAS_NO_EXECUTE | GPU_MMU_HAS_ZERO | GPU_MMU_HAS_LARGE)

/* Virtual addresses for the tests, clear of the commands; any format covers them. */
#define VA       (UINT64_C(16) << 20)
#define OTHER_VA (UINT64_C(64) << 20)
#define OUT_VA   (UINT64_C(128) << 20) /* where space_word has it fetched to */

/* A board with an MMU; `features` are GPU_MMU_HAS_*. */
void space_board(struct board *board, uint32_t levels, uint32_t pages, uint64_t features);

struct space {
    struct board *board;
    struct gpu_mmu_format format;
    uint32_t va_bits;
    uint32_t id;
    uint64_t root;
    uint32_t entries;     /* of the root */
    uint64_t *next_table; /* where the next table goes; shared by the spaces of a board */
};

/* An empty space, but for the commands. */
void space_make(struct space *space, struct board *board, uint32_t id, uint64_t *next_table);
/* The word that translates a page of 1 << shift bytes at `va`; makes the tables above it. */
uint64_t *space_entry(struct space *space, uint64_t va, uint32_t shift);
/* The word (`half` of a dual one) of `level` over `va`, made as far as the tables above it. */
uint64_t *space_table_entry(struct space *space, uint64_t va, uint32_t level, uint32_t half);
/* `flags` besides GPU_PTE_VALID. */
void space_map(struct space *space, uint64_t va, uint64_t address, uint32_t shift, uint64_t flags);

/* Queues `size` bytes of commands that lie at `va`. */
void space_queue(struct space *space, uint32_t engine, uint64_t va, uint32_t size, uint32_t kind);
/* Puts them at COMMAND_VA first, runs them on engine 0: true when they completed. */
bool space_execute(struct space *space, const void *commands, uint32_t size, uint32_t kind);
/* An engine that a page fault halted goes on. */
void space_resume(struct space *space, uint32_t engine);

bool space_copy(struct space *space, uint64_t destination, uint64_t source, uint64_t bytes);
bool space_fill(struct space *space, uint64_t destination, uint32_t pattern, uint64_t bytes);
/* By a command. */
void space_flush(struct space *space, uint32_t what, uint64_t start, uint64_t end);

/* What the hardware's back door says of `va`. */
struct vidmm_hw_translation space_translation(struct space *space, uint64_t va);
/* The 64-bit word that the GPU finds at `va`. */
uint64_t space_word(struct space *space, uint64_t va);

#define ROW_PAGES 24u

/* Maps a row of pages at VA to `address`; each begins with the word `tag` + its number. */
void space_map_row(struct space *space, uint64_t address, uint64_t tag);
/* Has them all in the TLB, which has room for them. */
void space_touch_row(struct space *space);

/* A board and a space with 4 KiB pages in three levels, tables in VRAM, and every feature. */
struct space_simple {
    struct board board; /* settings from the seventh on are the test's */
    struct space space;
    uint64_t next;
};

void space_simple(struct space_simple *simple);

#endif
