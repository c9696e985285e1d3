/*
 * table.c - the commands that only a board with an MMU has: writing and copying page table
 * entries, flushing the TLB, signalling, and storing data that is in the command itself.
 *
 * Entries are written whole, so that a walk on another engine meets the old entry or the new one.
 */
#include <string.h>

#include "hardware/copy.h"
#include "hardware/mmu.h"

#define ENTRY_NS         4u
#define FLUSH_NS         500u
#define STORE_BYTES_A_NS 16u
#define COPY_WORDS       512u
#define WRITE_WORDS      64u
#define FAR_AWAY         (UINT64_C(1) << 60) /* no address of any kind is as large */
#define WORD             ((uint32_t)sizeof(uint64_t))

/* ---- Words ----------------------------------------------------------------------------------- */

/* The aligned words at `address`, as the command means it: as many of `*words` as its page has. */
static enum gpu_fault words_at(struct hw *hw, struct hw_engine *engine, uint32_t access,
                               uint64_t address, hw_entry **word, uint32_t *words) {
    unsigned char *at = NULL;
    uint64_t bytes = (uint64_t)*words * WORD, room = GPU_PAGE - address % GPU_PAGE;
    if (bytes > room)
        bytes = room;
    enum gpu_fault fault = hw_reach(hw, hw_operand_space(engine), access, address, &at, &bytes);
    *word = (hw_entry *)(void *)at;
    *words = (uint32_t)(bytes / WORD);
    return fault;
}

/* What is written: words that follow each other at `at`, or, NULL, a series from `word` on. */
struct words {
    const unsigned char *at;
    uint64_t word, each;
};

/* Words `first` on, each `step` behind the one before. */
static void store_words(hw_entry *to, uint32_t step, const struct words *from, uint64_t first,
                        uint32_t count) {
    uint64_t word = from->word + first * from->each;
    const unsigned char *at = from->at ? from->at + first * WORD : NULL;
    if (step == 1 && at) {
        hw_store_words((uint64_t *)(void *)to, at, count);
        return;
    }
    if (step == 1) {
        hw_store_series((uint64_t *)(void *)to, word, from->each, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++, word += from->each) {
        if (at)
            memcpy(&word, at + (size_t)i * WORD, WORD);
        atomic_store_explicit(&to[(size_t)i * step], word, memory_order_relaxed);
    }
}

/* A page of the table at a time. */
static enum gpu_fault put_words(struct hw *hw, struct hw_engine *engine, uint64_t address,
                                uint32_t step, const struct words *from, uint32_t count) {
    for (uint32_t done = 0; done < count;) {
        uint32_t words = (count - done - 1) * step + 1;
        hw_entry *word;
        enum gpu_fault fault = words_at(hw, engine, GPU_ACCESS_WRITE, address, &word, &words);
        if (fault != GPU_FAULT_NONE)
            return fault;
        uint32_t part = (words + step - 1) / step;
        store_words(word, step, from, done, part);
        hw_wrote(hw, word, ((uint64_t)(part - 1) * step + 1) * WORD);
        address += (uint64_t)part * step * WORD;
        done += part;
    }
    atomic_thread_fence(memory_order_release);
    return GPU_FAULT_NONE;
}

static enum gpu_fault get_words(struct hw *hw, struct hw_engine *engine, uint64_t address,
                                uint64_t *value, uint32_t count) {
    while (count != 0) {
        uint32_t words = count;
        hw_entry *word;
        enum gpu_fault fault = words_at(hw, engine, GPU_ACCESS_READ, address, &word, &words);
        if (fault != GPU_FAULT_NONE)
            return fault;
        for (uint32_t i = 0; i < words; i++)
            value[i] = atomic_load_explicit(&word[i], memory_order_acquire);
        address += (uint64_t)words * WORD;
        value += words;
        count -= words;
    }
    return GPU_FAULT_NONE;
}

static bool words_named(uint64_t address, uint64_t words) {
    return address % WORD == 0 && address < FAR_AWAY && words <= GPU_ENTRIES_LIMIT;
}

/* ---- Page table entries ---------------------------------------------------------------------- */

/* What FaultKind 11 writes in place of an entry: one for a neighbour that exists. */
static uint64_t wrong_entry(struct hw *hw, uint64_t entry) {
    uint64_t far = entry ^ GPU_PAGE_64K, near = entry ^ GPU_PAGE, bytes = GPU_PAGE;
    unsigned char *at;
    return hw_at(hw, far & GPU_PTE_ADDRESS, &at, &bytes) == GPU_FAULT_NONE ? far : near;
}

/* The entries of a command whose submission is scattered over host memory. */
static enum gpu_fault write_fetched(struct hw *hw, struct hw_engine *engine,
                                    const struct gpu_write_entries *write, uint64_t at) {
    uint32_t from = engine->cursor + (uint32_t)sizeof(*write);
    enum gpu_fault fault = GPU_FAULT_NONE;
    for (uint32_t done = 0; done < write->count && fault == GPU_FAULT_NONE;) {
        uint32_t left = write->count - done, part = left < WRITE_WORDS ? left : WRITE_WORDS;
        unsigned char entry[WRITE_WORDS * WORD];
        const struct words words = {entry, 0, 0};
        fault = hw_engine_fetch(hw, engine, from + done * WORD, entry, part * WORD);
        if (fault == GPU_FAULT_NONE)
            fault = put_words(hw, engine, at, write->step, &words, part);
        at += (uint64_t)part * write->step * WORD;
        done += part;
    }
    return fault;
}

static enum gpu_fault write_entries(struct hw *hw, struct hw_engine *engine,
                                    const struct gpu_write_entries *write) {
    uint64_t at = write->table + (uint64_t)write->first * WORD;
    uint32_t from = engine->cursor + (uint32_t)sizeof(*write);
    struct words words = {NULL, 0, write->each}, wrong = {NULL, 0, 0};
    if (write->count == 0)
        return GPU_FAULT_NONE;
    enum gpu_fault fault = hw_engine_fetch(hw, engine, from, &words.word, WORD);
    if (fault != GPU_FAULT_NONE)
        return fault;
    bool spoil = (words.word & GPU_PTE_VALID) && hw_damaged(hw, HW_DAMAGE_ENTRY);
    if (spoil)
        wrong.word = wrong_entry(hw, words.word);
    if (!(write->head.flags & GPU_FLAG_REPEAT) && engine->commands)
        words.at = engine->commands + from;
    if (write->head.flags & GPU_FLAG_REPEAT || words.at)
        fault = put_words(hw, engine, at, write->step, &words, write->count);
    else
        fault = write_fetched(hw, engine, write, at);
    if (fault == GPU_FAULT_NONE && spoil)
        fault = put_words(hw, engine, at, 1, &wrong, 1);
    return fault;
}

enum gpu_fault hw_write_entries_command(struct hw *hw, struct hw_engine *engine,
                                        const struct gpu_command *head) {
    struct gpu_write_entries write;
    enum gpu_fault fault = hw_operands(hw, engine, head, &write, sizeof(write));
    if (fault != GPU_FAULT_NONE)
        return fault;
    write.head = *head;
    uint64_t held = (head->size - sizeof(write)) / WORD;
    uint64_t needed = head->flags & GPU_FLAG_REPEAT ? write.count != 0 : write.count;
    if (!words_named(write.table, write.count) || write.step == 0 || write.step > 2 ||
        held < needed)
        return GPU_FAULT_COMMAND;
    engine->cost_ns += (uint64_t)write.count * ENTRY_NS;
    if (write.count != 0 && hw_damaged(hw, HW_DAMAGE_DROP_ENTRIES))
        return GPU_FAULT_NONE;
    return write_entries(hw, engine, &write);
}

/* Words that all are read before the first is written. */
static enum gpu_fault copy_words(struct hw *hw, struct hw_engine *engine, uint64_t destination,
                                 uint64_t source, uint32_t words) {
    uint64_t word[COPY_WORDS];
    enum gpu_fault fault = get_words(hw, engine, source, word, words);
    const struct words copied = {(const unsigned char *)word, 0, 0};
    return fault == GPU_FAULT_NONE ? put_words(hw, engine, destination, 1, &copied, words) : fault;
}

/* Upwards or downwards, whichever leaves what is still to be read alone. */
enum gpu_fault hw_copy_entries_command(struct hw *hw, struct hw_engine *engine,
                                       const struct gpu_command *head) {
    struct gpu_copy_entries copy;
    enum gpu_fault fault = hw_operands(hw, engine, head, &copy, sizeof(copy));
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (!words_named(copy.destination, copy.words) || !words_named(copy.source, copy.words))
        return GPU_FAULT_COMMAND;
    engine->cost_ns += (uint64_t)copy.words * ENTRY_NS;
    if (copy.words != 0 && hw_damaged(hw, HW_DAMAGE_DROP_ENTRIES))
        return GPU_FAULT_NONE;
    for (uint32_t done = 0; done < copy.words && fault == GPU_FAULT_NONE;) {
        uint32_t left = copy.words - done, part = left < COPY_WORDS ? left : COPY_WORDS;
        uint64_t at = (uint64_t)(copy.destination > copy.source ? left - part : done) * WORD;
        fault = copy_words(hw, engine, copy.destination + at, copy.source + at, part);
        done += part;
    }
    return fault;
}

/* ---- The others ------------------------------------------------------------------------------ */

enum gpu_fault hw_flush_command(struct hw *hw, struct hw_engine *engine,
                                const struct gpu_command *head) {
    struct gpu_flush flush;
    enum gpu_fault fault = hw_operands(hw, engine, head, &flush, sizeof(flush));
    if (fault != GPU_FAULT_NONE)
        return fault;
    engine->cost_ns += FLUSH_NS;
    return hw_mmu_flush(hw, flush.what, flush.space, flush.start, flush.end) ? GPU_FAULT_NONE
                                                                             : GPU_FAULT_COMMAND;
}

enum gpu_fault hw_signal_command(struct hw *hw, struct hw_engine *engine,
                                 const struct gpu_command *head) {
    struct gpu_signal signal;
    enum gpu_fault fault = hw_operands(hw, engine, head, &signal, sizeof(signal));
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (!words_named(signal.address, 1))
        return GPU_FAULT_COMMAND;
    hw_dirty_settle(hw); /* the driver may ask for dirty bits as soon as it sees the signal */
    hw_stream_fence();
    const struct words value = {NULL, signal.value, 0};
    fault = put_words(hw, engine, signal.address, 1, &value, 1);
    if (fault == GPU_FAULT_NONE && (head->flags & GPU_FLAG_NOTIFY)) {
        pthread_mutex_lock(&hw->lock);
        engine->events |= GPU_EVENT_SIGNALED;
        pthread_mutex_unlock(&hw->lock);
        engine->notify = true;
    }
    return fault;
}

enum gpu_fault hw_store_command(struct hw *hw, struct hw_engine *engine,
                                const struct gpu_command *head) {
    struct gpu_store store;
    unsigned char data[256];
    uint32_t at = engine->cursor + (uint32_t)sizeof(store);
    enum gpu_fault fault = hw_operands(hw, engine, head, &store, sizeof(store));
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (store.bytes > head->size - sizeof(store) || store.address >= FAR_AWAY)
        return GPU_FAULT_COMMAND;
    engine->cost_ns += store.bytes / STORE_BYTES_A_NS;
    for (uint64_t done = 0; done < store.bytes && fault == GPU_FAULT_NONE;) {
        uint64_t left = store.bytes - done;
        uint32_t part = left < sizeof(data) ? (uint32_t)left : (uint32_t)sizeof(data);
        fault = hw_engine_fetch(hw, engine, at + (uint32_t)done, data, part);
        if (fault == GPU_FAULT_NONE)
            fault = hw_write(hw, hw_operand_space(engine), store.address + done, data, part);
        done += part;
    }
    return fault;
}
