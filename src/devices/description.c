/*
 * description.c - reads the file of a described device; see described.h.
 *
 * A line is a statement of words between blanks, up to a '#'. The first word says which one it is;
 * the others are NAME=VALUE or stand where the statement wants them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "described.h"

enum { LINE_MOST = 512, WORDS_MOST = 16 };
#define BAR_MOST (UINT64_C(1) << 34)

struct reading {
    struct description *to;
    const char *path;
    uint32_t line;
    char *text; /* for a sentence */
    size_t size;
    char *word[WORDS_MOST];
    uint32_t words;
};

static bool description_refuse(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool description_refuse(const struct reading *reading, const char *format, ...) {
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    snprintf(reading->text, reading->size, "%s:%u: %s", reading->path, reading->line, what);
    return false;
}

/* ---- Words ------------------------------------------------------------------------------------- */

static bool number(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long read = strtoull(text, &end, 0);
    *value = read;
    return errno == 0 && *end == '\0' && *value <= most;
}

/* A number with a unit behind it, out of `units`, each `step` times the one before. */
static bool measured(const char *text, const char *const units[], uint64_t step, uint64_t most,
                     uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long read = strtoull(text, &end, 0);
    uint64_t factor = 1;
    while (*units && strcmp(end, *units) != 0) {
        units++;
        factor *= step;
    }
    if (errno != 0 || !*units || read > most / factor)
        return false;
    *value = read * factor;
    return true;
}

static bool size_of(const char *text, uint64_t *value) {
    static const char *const units[] = {"", "K", "M", "G", NULL};
    return measured(text, units, 1024, BAR_MOST, value);
}

static bool time_of(const char *text, uint64_t *value) {
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    return measured(text, units, 1000, UINT64_C(3600) * 1000000000, value);
}

/* The value of a word NAME=VALUE, or NULL. */
static const char *value_of(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool take_number(const struct reading *reading, const char *value, uint64_t most,
                        uint64_t *to) {
    return number(value, most, to) ||
           description_refuse(reading, "'%s' is no number from 0 to 0x%llx", value,
                              (unsigned long long)most);
}

static bool few_words(const struct reading *reading, uint32_t least, const char *form) {
    return reading->words >= least || description_refuse(reading, "expected %s", form);
}

/* ---- identity and bar -------------------------------------------------------------------------- */

static bool take_subsystem(const struct reading *reading, const char *value) {
    char vendor[32];
    uint64_t first, second;
    size_t length = strcspn(value, ":");
    if (length >= sizeof(vendor) || value[length] != ':')
        return description_refuse(reading, "subsystem=VENDOR:ID expected, not '%s'", value);
    memcpy(vendor, value, length);
    vendor[length] = '\0';
    if (!take_number(reading, vendor, UINT16_MAX, &first) ||
        !take_number(reading, value + length + 1, UINT16_MAX, &second))
        return false;
    reading->to->subsystem_vendor = (uint16_t)first;
    reading->to->subsystem = (uint16_t)second;
    return true;
}

static bool take_identity_word(struct reading *reading, const char *word) {
    struct description *to = reading->to;
    uint64_t read = 0;
    const char *value;
    if ((value = value_of(word, "vendor"))) {
        if (!take_number(reading, value, UINT16_MAX, &read))
            return false;
        to->vendor = (uint16_t)read;
    } else if ((value = value_of(word, "device"))) {
        if (!take_number(reading, value, UINT16_MAX, &read))
            return false;
        to->id = (uint16_t)read;
    } else if ((value = value_of(word, "revision"))) {
        if (!take_number(reading, value, UINT8_MAX, &read))
            return false;
        to->revision = (uint8_t)read;
    } else if ((value = value_of(word, "class"))) {
        if (!take_number(reading, value, 0xffffff, &read))
            return false;
        to->class_code = (uint32_t)read;
    } else if ((value = value_of(word, "subsystem"))) {
        return take_subsystem(reading, value);
    } else {
        return description_refuse(
            reading, "'%s' is none of vendor=, device=, subsystem=, revision=, class=", word);
    }
    return true;
}

static bool read_identity(struct reading *reading) {
    for (uint32_t i = 1; i < reading->words; i++)
        if (!take_identity_word(reading, reading->word[i]))
            return false;
    return true;
}

static bool read_bar(struct reading *reading) {
    uint64_t bar, size;
    if (!few_words(reading, 4, "bar NUMBER registers|memory SIZE") ||
        !take_number(reading, reading->word[1], VIDMM_HW_BARS - 1, &bar))
        return false;
    bool memory = strcmp(reading->word[2], "memory") == 0;
    if (!memory && strcmp(reading->word[2], "registers") != 0)
        return description_refuse(reading, "'%s' is neither registers nor memory",
                                  reading->word[2]);
    if (!size_of(reading->word[3], &size) || size == 0 || size % 4096 != 0)
        return description_refuse(reading, "'%s' is no size of whole pages of 4K, at most 16G",
                                  reading->word[3]);
    if (reading->to->bar[bar].kind != VIDMM_HW_BAR_NONE)
        return description_refuse(reading, "BAR %u is described twice", (unsigned)bar);
    reading->to->bar[bar] =
        (struct described_bar){memory ? VIDMM_HW_BAR_MEMORY : VIDMM_HW_BAR_REGISTERS, size};
    return true;
}

/* display BAR WIDTHxHEIGHT */
static bool read_display(struct reading *reading) {
    struct description *to = reading->to;
    uint32_t width, height;
    uint64_t bar = 0;
    int end = 0;
    if (!few_words(reading, 3, "display BAR WIDTHxHEIGHT") ||
        !take_number(reading, reading->word[1], VIDMM_HW_BARS - 1, &bar))
        return false;
    if (sscanf(reading->word[2], "%5ux%5u%n", &width, &height, &end) != 2 ||
        reading->word[2][end] != '\0' || width == 0 || height == 0)
        return description_refuse(reading, "'%s' is not WIDTHxHEIGHT", reading->word[2]);
    if (to->bar[bar].kind != VIDMM_HW_BAR_MEMORY ||
        (uint64_t)width * height * 4 > to->bar[bar].size)
        return description_refuse(reading,
                                  "BAR %u is not described above as memory for %ux%u pixels",
                                  (unsigned)bar, width, height);
    to->display = (struct vidmm_hw_display){(uint32_t)bar, width, height};
    return true;
}

/* ---- register ---------------------------------------------------------------------------------- */

static uint64_t all_bits(uint32_t width) {
    return UINT64_MAX >> (64 - 8 * width);
}

static bool take_register_word(struct reading *reading, const char *word,
                               struct described_register *to) {
    const char *value;
    uint64_t read;
    if (strcmp(word, "readonly") == 0) {
        to->readonly = UINT64_MAX;
        return true;
    }
    if ((value = value_of(word, "bar"))) {
        if (!take_number(reading, value, VIDMM_HW_BARS - 1, &read))
            return false;
        to->bar = (uint32_t)read;
        return true;
    }
    if ((value = value_of(word, "width"))) {
        if (!take_number(reading, value, 8, &read))
            return false;
        to->width = (uint32_t)read;
        return read == 1 || read == 2 || read == 4 || read == 8 ||
               description_refuse(reading, "a register is 1, 2, 4 or 8 bytes wide, not %u",
                                  (unsigned)read);
    }
    if ((value = value_of(word, "at")))
        return take_number(reading, value, BAR_MOST, &to->offset);
    if ((value = value_of(word, "reset")))
        return take_number(reading, value, UINT64_MAX, &to->reset);
    if ((value = value_of(word, "readonly")))
        return take_number(reading, value, UINT64_MAX, &to->readonly);
    if ((value = value_of(word, "clears")))
        return take_number(reading, value, UINT64_MAX, &to->clears);
    return description_refuse(reading,
                              "'%s' is none of bar=, at=, width=, reset=, readonly, clears=", word);
}

static bool find_register(const struct description *in, const char *name, size_t length,
                          uint32_t *index) {
    for (uint32_t i = 0; i < in->regs; i++)
        if (strlen(in->reg[i].name) == length && memcmp(in->reg[i].name, name, length) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static bool check_register(const struct reading *reading, const struct described_register *to) {
    const struct description *in = reading->to;
    const struct described_bar *bar = &in->bar[to->bar];
    if (bar->kind != VIDMM_HW_BAR_REGISTERS)
        return description_refuse(reading, "BAR %u is not described above as one of registers",
                                  to->bar);
    if (to->offset % to->width != 0 || to->offset + to->width > bar->size)
        return description_refuse(reading,
                                  "offset 0x%llx is not aligned to %u bytes, or outside of BAR %u",
                                  (unsigned long long)to->offset, to->width, to->bar);
    if (to->reset > all_bits(to->width))
        return description_refuse(reading, "the reset value is wider than the register");
    for (uint32_t i = 0; i < in->regs; i++) {
        const struct described_register *other = &in->reg[i];
        if (other->bar == to->bar && other->offset < to->offset + to->width &&
            to->offset < other->offset + other->width)
            return description_refuse(reading, "it overlaps register %s", other->name);
    }
    return true;
}

static bool read_register(struct reading *reading) {
    struct description *in = reading->to;
    struct described_register to = {.width = 4};
    uint32_t same;
    if (!few_words(reading, 3, "register NAME at=OFFSET ..."))
        return false;
    size_t length = strlen(reading->word[1]);
    if (length >= sizeof(to.name))
        return description_refuse(reading, "a register's name has at most %zu letters",
                                  sizeof(to.name) - 1);
    if (find_register(in, reading->word[1], length, &same))
        return description_refuse(reading, "register %s is described twice", reading->word[1]);
    if (in->regs == DESCRIBED_REGISTERS)
        return description_refuse(reading, "more than %d registers", DESCRIBED_REGISTERS);
    memcpy(to.name, reading->word[1], length + 1);
    for (uint32_t i = 2; i < reading->words; i++)
        if (!take_register_word(reading, reading->word[i], &to))
            return false;
    if (!check_register(reading, &to))
        return false;
    in->reg[in->regs++] = to;
    return true;
}

/* ---- follow, set, clear, interrupt ------------------------------------------------------------- */

/* NAME, NAME:BIT or NAME:HIGH-LOW. */
static bool take_bits(const struct reading *reading, const char *word, struct described_bits *to) {
    size_t length = strcspn(word, ":");
    if (!find_register(reading->to, word, length, &to->of))
        return description_refuse(reading, "'%.*s' is no register that is described above",
                                  (int)length, word);
    uint32_t bits = reading->to->reg[to->of].width * 8;
    uint32_t high = bits - 1, low = 0;
    if (word[length] == ':') {
        int end = 0, got = sscanf(word + length + 1, "%2u-%2u%n", &high, &low, &end);
        if (got == 1)
            got = sscanf(word + length + 1, "%2u%n", &high, &end) == 1 ? 2 : 0, low = high;
        if (got != 2 || word[length + 1 + (size_t)end] != '\0' || high >= bits || low > high)
            return description_refuse(
                reading, "'%s' is not NAME:BIT or NAME:HIGH-LOW with bits below %u", word, bits);
    }
    to->shift = low;
    to->mask = UINT64_MAX >> (63 - (high - low));
    return true;
}

static bool add_rule(const struct reading *reading, const struct described_rule *rule) {
    struct description *to = reading->to;
    if (to->rules == DESCRIBED_RULES)
        return description_refuse(reading,
                                  "more than %d statements of follow, set, clear and interrupt",
                                  DESCRIBED_RULES);
    to->rule[to->rules++] = *rule;
    return true;
}

static bool take_after(const struct reading *reading, const char *word,
                       struct described_rule *rule) {
    const char *value = value_of(word, "after");
    if (value && time_of(value, &rule->after))
        return true;
    return description_refuse(reading, "'%s' is not after=TIME with ns, us, ms or s", word);
}

/* follow TO FROM [inverted] [after=TIME] */
static bool read_follow(struct reading *reading) {
    struct described_rule rule = {.kind = DESCRIBED_FOLLOW};
    if (!few_words(reading, 3, "follow BITS SOURCE [inverted] [after=TIME]") ||
        !take_bits(reading, reading->word[1], &rule.to) ||
        !take_bits(reading, reading->word[2], &rule.from))
        return false;
    for (uint32_t i = 3; i < reading->words; i++) {
        if (strcmp(reading->word[i], "inverted") == 0)
            rule.inverted = true;
        else if (!take_after(reading, reading->word[i], &rule))
            return false;
    }
    if (rule.to.mask != rule.from.mask)
        return description_refuse(reading, "%s and %s have different numbers of bits",
                                  reading->word[1], reading->word[2]);
    return add_rule(reading, &rule);
}

/* set|clear TO when FROM written|rises|falls [after=TIME] */
static bool read_set(struct reading *reading) {
    static const char *const whens[] = {"written", "rises", "falls"};
    struct described_rule rule = {.kind =
                                      reading->word[0][0] == 's' ? DESCRIBED_SET : DESCRIBED_CLEAR};
    if (!few_words(reading, 5, "set|clear BITS when BITS written|rises|falls [after=TIME]") ||
        !take_bits(reading, reading->word[1], &rule.to) ||
        !take_bits(reading, reading->word[3], &rule.from))
        return false;
    uint32_t when = 0;
    while (when < 3 && strcmp(reading->word[4], whens[when]) != 0)
        when++;
    if (strcmp(reading->word[2], "when") != 0 || when == 3)
        return description_refuse(reading, "expected set|clear BITS when BITS written|rises|falls");
    rule.when = (enum described_when)when;
    if (reading->words > 5 && !take_after(reading, reading->word[5], &rule))
        return false;
    return add_rule(reading, &rule);
}

/* interrupt MESSAGE when FROM [enabled BITS] */
static bool read_interrupt(struct reading *reading) {
    struct described_rule rule = {.kind = DESCRIBED_INTERRUPT};
    uint64_t message;
    if (!few_words(reading, 4, "interrupt MESSAGE when BITS [enabled BITS]") ||
        !take_number(reading, reading->word[1], 2047, &message) ||
        !take_bits(reading, reading->word[3], &rule.from))
        return false;
    rule.message = (uint32_t)message;
    rule.enabled = reading->words == 6 && strcmp(reading->word[4], "enabled") == 0;
    if (strcmp(reading->word[2], "when") != 0 || (reading->words != 4 && !rule.enabled))
        return description_refuse(reading, "expected interrupt MESSAGE when BITS [enabled BITS]");
    if (rule.enabled && !take_bits(reading, reading->word[5], &rule.to))
        return false;
    return add_rule(reading, &rule);
}

/* ---- The file ---------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    bool (*read)(struct reading *reading);
} statements[] = {{"identity", read_identity}, {"display", read_display},    {"bar", read_bar},
                  {"register", read_register}, {"follow", read_follow},      {"set", read_set},
                  {"clear", read_set},         {"interrupt", read_interrupt}};

static bool read_statement(struct reading *reading) {
    for (unsigned i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        if (strcmp(reading->word[0], statements[i].word) == 0)
            return statements[i].read(reading);
    return description_refuse(
        reading, "'%s' is none of identity, bar, display, register, follow, set, clear, interrupt",
        reading->word[0]);
}

static bool read_line(struct reading *reading, char *line) {
    char *rest = NULL;
    line[strcspn(line, "#\r\n")] = '\0';
    reading->words = 0;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (reading->words == WORDS_MOST)
            return description_refuse(reading, "more than %d words", WORDS_MOST);
        reading->word[reading->words++] = word;
    }
    return reading->words == 0 || read_statement(reading);
}

static bool read_lines(struct reading *reading, FILE *file) {
    char line[LINE_MOST];
    while (fgets(line, sizeof(line), file)) {
        reading->line++;
        if (!strchr(line, '\n') && strlen(line) == sizeof(line) - 1)
            return description_refuse(reading, "a line of more than %d letters", LINE_MOST - 2);
        if (!read_line(reading, line))
            return false;
    }
    return true;
}

bool description_read(const char *path, struct description *to, char *text, size_t size) {
    struct reading reading = {.to = to, .path = path, .text = text, .size = size};
    *to = (struct description){.vendor = 0x1af4, .class_code = 0x030000};
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(text, size, "the description '%s' cannot be read: %s", path, strerror(errno));
        return false;
    }
    bool good = read_lines(&reading, file);
    if (good && ferror(file)) {
        snprintf(text, size, "the description '%s' cannot be read: %s", path, strerror(errno));
        good = false;
    }
    fclose(file);
    if (!good)
        return false;
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (to->bar[i].kind != VIDMM_HW_BAR_NONE)
            return true;
    snprintf(text, size, "%s: it describes no BAR", path);
    return false;
}
