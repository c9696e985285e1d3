/*
 * described.c - a described device as a hardware model: registers that behave as the file says.
 *
 * A BAR of registers is bytes; a description puts rules on some of them, and the others keep what is
 * written. After each write the statements are looked at in the order of the file, again and again
 * while something changes; an effect with a delay waits in its rule until the device's time has come.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "described.h"

enum { ROUNDS = 16 /* of statements that move each other */ };

struct described_device {
    struct vidmm_device device;
    struct description description;
};

/* Of a rule. */
struct rule_state {
    bool waits;
    uint64_t due, value; /* then */
    uint64_t last;       /* value of the source */
};

struct described {
    const struct vidmm_hw_host *host;
    const struct description *is;
    pthread_mutex_t lock;
    uint8_t *bytes[VIDMM_HW_BARS];
    uint64_t written[DESCRIBED_REGISTERS]; /* bits written 1 by the access that is done now */
    struct rule_state rule[DESCRIBED_RULES];
    uint64_t messages[2048 / 64]; /* to be raised */
    bool raises;
};

/* ---- Values ------------------------------------------------------------------------------------ */

static uint64_t bytes_get(const uint8_t *from, uint32_t width) {
    uint64_t value = 0;
    memcpy(&value, from, width);
    return value;
}

static uint8_t *place_of(const struct described *hw, const struct described_register *reg) {
    return hw->bytes[reg->bar] + reg->offset;
}

static uint64_t value_of(const struct described *hw, uint32_t reg) {
    const struct described_register *is = &hw->is->reg[reg];
    return bytes_get(place_of(hw, is), is->width);
}

static uint64_t bits_get(const struct described *hw, const struct described_bits *bits) {
    return value_of(hw, bits->of) >> bits->shift & bits->mask;
}

/* True when that changed anything. */
static bool bits_put(struct described *hw, const struct described_bits *bits, uint64_t value) {
    const struct described_register *is = &hw->is->reg[bits->of];
    uint64_t before = value_of(hw, bits->of);
    uint64_t after = (before & ~(bits->mask << bits->shift)) | (value & bits->mask) << bits->shift;
    memcpy(place_of(hw, is), &after, is->width);
    return before != after;
}

/* ---- Statements -------------------------------------------------------------------------------- */

static bool cause(struct described *hw, const struct described_rule *rule, struct rule_state *state,
                  uint64_t now) {
    uint64_t last = state->last;
    switch (rule->when) {
    case DESCRIBED_RISES:
        return (now & ~last) != 0;
    case DESCRIBED_FALLS:
        return (last & ~now) != 0;
    case DESCRIBED_WRITTEN:
        break;
    }
    return (hw->written[rule->from.of] >> rule->from.shift & rule->from.mask) != 0;
}

/* The effect: at once, or when it is due. */
static bool effect(struct described *hw, const struct described_rule *rule,
                   struct rule_state *state, uint64_t value) {
    if (rule->after == 0)
        return bits_put(hw, &rule->to, value);
    state->waits = true;
    state->due = hw->host->now(hw->host->ctx) + rule->after;
    state->value = value;
    return false;
}

static void raise(struct described *hw, const struct described_rule *rule, uint64_t newly) {
    if (newly == 0)
        return;
    hw->messages[rule->message / 64] |= UINT64_C(1) << rule->message % 64;
    hw->raises = true;
}

/* True when it changed a register. */
static bool rule_look(struct described *hw, uint32_t index) {
    const struct described_rule *rule = &hw->is->rule[index];
    struct rule_state *state = &hw->rule[index];
    uint64_t now = bits_get(hw, &rule->from);
    bool changed = false;
    switch (rule->kind) {
    case DESCRIBED_FOLLOW:
        if (now != state->last)
            changed = effect(hw, rule, state, rule->inverted ? ~now : now);
        break;
    case DESCRIBED_SET:
    case DESCRIBED_CLEAR:
        if (cause(hw, rule, state, now))
            changed = effect(hw, rule, state, rule->kind == DESCRIBED_SET ? UINT64_MAX : 0);
        break;
    case DESCRIBED_INTERRUPT:
        if (rule->enabled)
            now &= bits_get(hw, &rule->to);
        raise(hw, rule, now & ~state->last);
        break;
    }
    state->last = now;
    return changed;
}

static void look_at_all(struct described *hw) {
    bool changed = true;
    for (unsigned round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t i = 0; i < hw->is->rules; i++)
            changed |= rule_look(hw, i);
        memset(hw->written, 0, sizeof(hw->written));
    }
}

/* ---- Time -------------------------------------------------------------------------------------- */

/* The rule whose effect is due first, or NULL. */
static const struct described_rule *first_due(const struct described *hw, uint32_t *index) {
    const struct described_rule *first = NULL;
    for (uint32_t i = 0; i < hw->is->rules; i++)
        if (hw->rule[i].waits && (!first || hw->rule[i].due < hw->rule[*index].due)) {
            first = &hw->is->rule[i];
            *index = i;
        }
    return first;
}

static bool pass_time(struct described *hw) {
    uint32_t index = 0;
    const struct described_rule *rule = first_due(hw, &index);
    if (!rule)
        return false;
    struct rule_state *state = &hw->rule[index];
    uint64_t now = hw->host->now(hw->host->ctx);
    if (state->due > now)
        hw->host->advance(hw->host->ctx, state->due - now);
    if (state->due > hw->host->now(hw->host->ctx))
        return true; /* real time: again */
    state->waits = false;
    if (bits_put(hw, &rule->to, state->value))
        look_at_all(hw);
    return true;
}

/* Takes one message that is to be raised; false: none. */
static bool take_message(struct described *hw, uint32_t *message) {
    pthread_mutex_lock(&hw->lock);
    bool found = false;
    for (uint32_t word = 0; word < 2048 / 64 && hw->raises && !found; word++) {
        uint64_t bits = hw->messages[word];
        if (bits == 0)
            continue;
        *message = word * 64 + (uint32_t)__builtin_ctzll(bits);
        hw->messages[word] = bits & (bits - 1);
        found = true;
    }
    hw->raises = found;
    pthread_mutex_unlock(&hw->lock);
    return found;
}

static bool described_step(void *hardware, uint32_t engine) {
    struct described *hw = hardware;
    uint32_t message;
    (void)engine;
    pthread_mutex_lock(&hw->lock);
    bool worked = !hw->raises && pass_time(hw);
    pthread_mutex_unlock(&hw->lock);
    while (take_message(hw, &message)) {
        hw->host->interrupt(hw->host->ctx, message);
        worked = true;
    }
    return worked;
}

/* ---- Accesses ---------------------------------------------------------------------------------- */

/* `value` of `width` bytes at `offset` of the BAR, as far as it falls on the register. */
static void write_register(struct described *hw, uint32_t index, uint64_t offset, uint32_t width,
                           uint64_t value) {
    const struct described_register *reg = &hw->is->reg[index];
    uint64_t all = UINT64_MAX >> (64 - 8 * width), before = value_of(hw, index);
    uint64_t mask, bits;
    if (offset >= reg->offset) {
        uint64_t shift = 8 * (offset - reg->offset);
        mask = all << shift;
        bits = (value & all) << shift;
    } else {
        uint64_t shift = 8 * (reg->offset - offset);
        mask = all >> shift;
        bits = (value & all) >> shift;
    }
    uint64_t plain = mask & ~reg->readonly & ~reg->clears;
    uint64_t after = (before & ~plain) | (bits & plain);
    after &= ~(bits & mask & reg->clears & ~reg->readonly);
    memcpy(place_of(hw, reg), &after, reg->width);
    hw->written[index] = bits & mask;
}

static bool overlaps(const struct described_register *reg, uint32_t bar, uint64_t offset,
                     uint32_t width) {
    return reg->bar == bar && reg->offset < offset + width && offset < reg->offset + reg->width;
}

/* The bytes of no register keep what is written. */
static void write_plain(struct described *hw, uint32_t bar, uint64_t offset, uint32_t width,
                        uint64_t value) {
    for (uint32_t i = 0; i < width; i++) {
        uint32_t reg = 0;
        while (reg < hw->is->regs && !overlaps(&hw->is->reg[reg], bar, offset + i, 1))
            reg++;
        if (reg == hw->is->regs)
            hw->bytes[bar][offset + i] = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t described_read(void *hardware, uint32_t bar, uint64_t offset, uint32_t width) {
    struct described *hw = hardware;
    pthread_mutex_lock(&hw->lock);
    uint64_t value = bytes_get(hw->bytes[bar] + offset, width);
    pthread_mutex_unlock(&hw->lock);
    return value;
}

static void described_write(void *hardware, uint32_t bar, uint64_t offset, uint32_t width,
                            uint64_t value) {
    struct described *hw = hardware;
    pthread_mutex_lock(&hw->lock);
    for (uint32_t i = 0; i < hw->is->regs; i++)
        if (overlaps(&hw->is->reg[i], bar, offset, width))
            write_register(hw, i, offset, width, value);
    write_plain(hw, bar, offset, width, value);
    look_at_all(hw);
    pthread_mutex_unlock(&hw->lock);
}

/* ---- Its life ---------------------------------------------------------------------------------- */

static void described_destroy(void *hardware) {
    struct described *hw = hardware;
    const struct vidmm_hw_host *host = hw->host;
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (hw->bytes[i])
            munmap(hw->bytes[i], hw->is->bar[i].size);
    pthread_mutex_destroy(&hw->lock);
    host->free(host->ctx, hw, sizeof(*hw));
}

static bool make_bar(struct described *hw, uint32_t i, struct vidmm_hw_bar *bar) {
    const struct described_bar *is = &hw->is->bar[i];
    if (is->kind == VIDMM_HW_BAR_NONE)
        return true;
    void *bytes = mmap(NULL, is->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    hw->bytes[i] = bytes;
    *bar =
        (struct vidmm_hw_bar){is->kind, is->size, is->kind == VIDMM_HW_BAR_MEMORY ? bytes : NULL};
    return true;
}

static void *described_create(const struct vidmm_hw_host *host,
                              struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    const struct described_device *device = (const void *)host->model;
    struct described *hw = host->alloc(host->ctx, sizeof(*hw));
    if (!hw)
        return NULL;
    hw->host = host;
    hw->is = &device->description;
    pthread_mutex_init(&hw->lock, NULL);
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (!make_bar(hw, i, &bars[i])) {
            described_destroy(hw);
            return NULL;
        }
    for (uint32_t i = 0; i < hw->is->regs; i++)
        memcpy(place_of(hw, &hw->is->reg[i]), &hw->is->reg[i].reset, hw->is->reg[i].width);
    for (uint32_t i = 0; i < hw->is->rules; i++)
        if (hw->is->rule[i].kind != DESCRIBED_INTERRUPT)
            hw->rule[i].last = bits_get(hw, &hw->is->rule[i].from);
    return hw;
}

static void described_configure(void *hardware, unsigned char *space) {
    const struct description *is = ((const struct described *)hardware)->is;
    const uint16_t identity[2] = {is->vendor, is->id},
                   sub[2] = {is->subsystem_vendor, is->subsystem};
    const uint32_t class_code = is->class_code << 8 | is->revision;
    memcpy(space, identity, sizeof(identity));
    memcpy(space + 8, &class_code, sizeof(class_code));
    memcpy(space + 0x2c, sub, sizeof(sub));
}

static bool described_display(void *hardware, struct vidmm_hw_display *display) {
    *display = ((const struct described *)hardware)->is->display;
    return display->width != 0;
}

static void described_device_close(struct vidmm_device *device) {
    free(device);
}

struct vidmm_device *described_device_open(const char *path, char *text, size_t size) {
    struct described_device *device = calloc(1, sizeof(*device));
    if (!device) {
        snprintf(text, size, "out of memory");
        return NULL;
    }
    if (!description_read(path, &device->description, text, size)) {
        free(device);
        return NULL;
    }
    device->device = (struct vidmm_device){.model = {.name = "described",
                                                     .create = described_create,
                                                     .destroy = described_destroy,
                                                     .configure = described_configure,
                                                     .display = described_display,
                                                     .reg_read = described_read,
                                                     .reg_write = described_write,
                                                     .engines = 1,
                                                     .step = described_step},
                                           .close = described_device_close};
    return &device->device;
}
