/* pci.c - see pci.h. */
#include "pci.h"

#include <stdio.h>
#include <string.h>

enum {
    CONFIG_ADDRESS = 0xcf8,
    CONFIG_DATA = 0xcfc,
    COMMAND = 0x04,
    COMMAND_ALL = 0x7, /* ports, memory, bus master */
    STATUS_INTERRUPT = 1 << 19,
    STATUS_CAPABILITIES = 1 << 20,
    BAR_FIRST = 0x10,
    BAR_PORTS = 0x1,
    BAR_WIDE = 0x4,
    CAPABILITIES = 0x34,
    INTERRUPT_PIN = 0x3d,
    CAPABILITY_MSI = 0x05,
    CAPABILITY_MSIX = 0x11,
    PAGE = 4096,
};

/* Of a board; the next one's follows. */
#define NARROW_AT    UINT64_C(0xc0000000)
#define NARROW_BYTES UINT64_C(0x0f000000)
#define WIDE_AT      UINT64_C(0x4000000000)
#define WIDE_BYTES   UINT64_C(0x1000000000)
#define PORTS_AT     UINT64_C(0xc000)
#define PORTS_BYTES  UINT64_C(0x400)

/* ---- Configuration space ----------------------------------------------------------------------- */

static void config_select(struct pci *pci, uint32_t offset) {
    (void)qtest_ask(pci->qtest, "outl 0x%x 0x%x", CONFIG_ADDRESS,
                    0x80000000u | PCI_SLOT << 11 | (offset & ~3u));
}

uint32_t pci_config_read(struct pci *pci, uint32_t offset, uint32_t width) {
    config_select(pci, offset);
    return (uint32_t)qtest_number(
        qtest_ask(pci->qtest, "in%c 0x%x", qtest_letter(width), CONFIG_DATA + (offset & 3u)));
}

void pci_config_write(struct pci *pci, uint32_t offset, uint32_t width, uint32_t value) {
    config_select(pci, offset);
    (void)qtest_ask(pci->qtest, "out%c 0x%x 0x%x", qtest_letter(width), CONFIG_DATA + (offset & 3u),
                    value);
}

static uint32_t config_read(struct pci *pci, uint32_t offset) {
    return pci_config_read(pci, offset, 4);
}

static void config_write(struct pci *pci, uint32_t offset, uint32_t value) {
    pci_config_write(pci, offset, 4, value);
}

/* Where a capability is; 0: there is none. */
static uint32_t capability(struct pci *pci, uint32_t id) {
    if (!(config_read(pci, COMMAND) & STATUS_CAPABILITIES))
        return 0;
    uint32_t at = config_read(pci, CAPABILITIES) & 0xfcu;
    for (unsigned left = PCI_SPACE / 4; at != 0 && left != 0; left--) {
        uint32_t head = config_read(pci, at);
        if ((head & 0xffu) == id)
            return at;
        at = head >> 8 & 0xfcu;
    }
    return 0;
}

/* ---- BARs -------------------------------------------------------------------------------------- */

struct window {
    uint64_t next, end;
};

/* Size as the register tells it, with `value` written to it and read. */
static uint64_t bar_size(struct pci *pci, uint32_t offset, struct pci_bar *bar) {
    config_write(pci, offset, UINT32_MAX);
    uint64_t mask = config_read(pci, offset);
    if (mask == 0 || mask == UINT32_MAX)
        return 0;
    bar->ports = mask & BAR_PORTS;
    bar->wide = !bar->ports && (mask & BAR_WIDE);
    if (bar->ports)
        return (~(mask & ~UINT64_C(3)) + 1) & UINT16_MAX;
    mask &= ~UINT64_C(0xf);
    if (bar->wide) {
        config_write(pci, offset + 4, UINT32_MAX);
        mask |= (uint64_t)config_read(pci, offset + 4) << 32;
    } else {
        mask |= UINT64_C(0xffffffff) << 32;
    }
    return ~mask + 1;
}

static bool bar_give(struct pci *pci, uint32_t offset, struct pci_bar *bar,
                     struct window windows[3]) {
    struct window *window = &windows[bar->ports ? 2 : bar->wide];
    uint64_t align = bar->ports || bar->size > PAGE ? bar->size : PAGE;
    bar->at = (window->next + align - 1) & ~(align - 1);
    if (bar->at + bar->size > window->end)
        return false;
    window->next = bar->at + bar->size;
    config_write(pci, offset, (uint32_t)bar->at);
    if (bar->wide)
        config_write(pci, offset + 4, (uint32_t)(bar->at >> 32));
    return true;
}

static bool give_bars(struct pci *pci, uint32_t board) {
    struct window windows[3] = {
        {NARROW_AT + board * NARROW_BYTES, NARROW_AT + (board + 1) * NARROW_BYTES},
        {WIDE_AT + board * WIDE_BYTES, WIDE_AT + (board + 1) * WIDE_BYTES},
        {PORTS_AT + board * PORTS_BYTES, PORTS_AT + (board + 1) * PORTS_BYTES}};
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++) {
        struct pci_bar *bar = &pci->bar[i];
        uint32_t offset = BAR_FIRST + 4 * i;
        bar->size = bar_size(pci, offset, bar);
        if (bar->size != 0 && !bar_give(pci, offset, bar, windows))
            return false;
        i += bar->wide;
    }
    return true;
}

/* ---- Messages ---------------------------------------------------------------------------------- */

static uint64_t message_at(uint32_t message) {
    return PCI_MESSAGES_AT + (uint64_t)message * PCI_MESSAGE_BYTES;
}

static void set_table(struct pci *pci, uint64_t table) {
    for (uint32_t i = 0; i < pci->messages; i++) {
        uint64_t entry = table + UINT64_C(16) * i;
        (void)qtest_ask(pci->qtest, "writel 0x%llx 0x%llx", (unsigned long long)entry,
                        (unsigned long long)message_at(i));
        (void)qtest_ask(pci->qtest, "writel 0x%llx 0", (unsigned long long)entry + 4);
        (void)qtest_ask(pci->qtest, "writel 0x%llx 1", (unsigned long long)entry + 8);
        (void)qtest_ask(pci->qtest, "writel 0x%llx 0", (unsigned long long)entry + 12);
    }
}

static bool set_msix(struct pci *pci) {
    enum { ENABLE = 1u << 31, MASK_ALL = 1u << 30 };
    uint32_t at = capability(pci, CAPABILITY_MSIX);
    if (at == 0)
        return false;
    uint32_t head = config_read(pci, at), place = config_read(pci, at + 4);
    const struct pci_bar *bar = &pci->bar[(place & 7u) % VIDMM_HW_BARS];
    pci->messages = (head >> 16 & 0x7ffu) + 1;
    set_table(pci, bar->at + (place & ~7u));
    config_write(pci, at, (head | (uint32_t)ENABLE) & ~(uint32_t)MASK_ALL);
    return true;
}

static bool set_msi(struct pci *pci) {
    enum { ENABLE = 1 << 16, SEVERAL = 0x7 << 20, WIDE = 1 << 23 };
    uint32_t at = capability(pci, CAPABILITY_MSI);
    if (at == 0)
        return false;
    uint32_t head = config_read(pci, at);
    bool wide = head & WIDE;
    config_write(pci, at + 4, (uint32_t)message_at(0));
    if (wide)
        config_write(pci, at + 8, 0);
    config_write(pci, at + (wide ? 12 : 8), 1);
    config_write(pci, at, (head & ~(uint32_t)SEVERAL) | ENABLE);
    pci->messages = 1;
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------- */

static bool pci_refuse(char *why, size_t size, const char *text) {
    snprintf(why, size, "%s", text);
    return false;
}

bool pci_begin(struct pci *pci, struct qtest *qtest, uint32_t board, char *why, size_t size) {
    *pci = (struct pci){.qtest = qtest};
    if (config_read(pci, 0) == UINT32_MAX)
        return pci_refuse(why, size, qtest->lost ? qtest->why : "it is no PCI device");
    if (!give_bars(pci, board))
        return pci_refuse(why, size, "its BARs are larger than the addresses that there are");
    config_write(pci, COMMAND, COMMAND_ALL);
    pci->line =
        !set_msix(pci) && !set_msi(pci) && (config_read(pci, INTERRUPT_PIN) >> 8 & 0xffu) != 0;
    for (uint32_t i = 0; i < PCI_SPACE; i += 4) {
        uint32_t value = config_read(pci, i);
        memcpy(pci->space + i, &value, sizeof(value));
    }
    return !qtest->lost || pci_refuse(why, size, qtest->why);
}

bool pci_line_raised(struct pci *pci) {
    return pci->line && (config_read(pci, COMMAND) & STATUS_INTERRUPT);
}
