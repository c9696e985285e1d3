/*
 * options_inf.c - --inf FILE: registry values from the driver's own INF file, as settings.
 *
 * Of the lines of the sections that an AddReg names, HKR,subkey,name,flags,value with a number
 * (FLG_ADDREG_TYPE_DWORD, page inf-addreg-directive) become settings, %strings% replaced. What --set
 * says goes before. Strings and binary values have no setting and are passed over.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INF_MOST    (4u << 20)
#define FIELDS_MOST 8
#define TYPE_MASK   0xffff0001u
#define TYPE_DWORD  0x00010001u

/* The whole file as bytes of ASCII; UTF-16 loses what is beyond. NULL: errno says why. */
static char *inf_read(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(INF_MOST + 1) : NULL;
    size_t length = text ? fread(text, 1, INF_MOST, file) : 0, kept = 0;
    if (file)
        fclose(file);
    if (!text)
        return NULL;
    bool wide = length >= 2 && (unsigned char)text[0] == 0xff && (unsigned char)text[1] == 0xfe;
    for (size_t i = wide ? 2 : 0; i < length; i += wide ? 2 : 1) {
        bool ascii = (unsigned char)text[i] < 128 && (!wide || i + 1 == length || text[i + 1] == 0);
        text[kept++] = (char)(ascii && text[i] ? text[i] : '?');
    }
    text[kept] = '\0';
    return text;
}

/* The next line without comment and blanks around it, cut out of *at; NULL: the end. */
static char *inf_line(char **at) {
    char *line = *at;
    if (!*line)
        return NULL;
    char *end = line + strcspn(line, "\n");
    *at = *end ? end + 1 : end;
    bool quoted = false;
    for (char *c = line; c < end; c++) {
        quoted ^= *c == '"';
        if (*c == ';' && !quoted)
            end = c;
    }
    while (end > line && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return line + strspn(line, " \t");
}

/* Cuts a line into its fields, without blanks and quotes around them. */
static size_t inf_fields(char *line, char *fields[FIELDS_MOST]) {
    size_t count = 0;
    for (char *rest = line; rest && count < FIELDS_MOST;) {
        char *field = rest;
        bool quoted = false;
        while (*rest && (*rest != ',' || quoted))
            quoted ^= *rest++ == '"';
        char *end = rest;
        rest = *rest ? rest + 1 : NULL;
        *end = '\0';
        field += strspn(field, " \t\"");
        for (end = field + strlen(field); end > field && strchr(" \t\"", end[-1]); end--)
            end[-1] = '\0';
        fields[count++] = field;
    }
    return count;
}

/* Whether some AddReg of the file names the section. */
static bool inf_adds(const char *whole, const char *section) {
    char *copy = strdup(whole), *at = copy, *line;
    bool adds = false;
    while (copy && !adds && (line = inf_line(&at))) {
        char *equals = strchr(line, '=');
        if (strncasecmp(line, "AddReg", 6) != 0 || !equals || strspn(line + 6, " \t=") == 0)
            continue;
        char *fields[FIELDS_MOST];
        size_t count = inf_fields(equals + 1, fields);
        for (size_t i = 0; i < count; i++)
            adds |= strcasecmp(fields[i], section) == 0;
    }
    free(copy);
    return adds;
}

/* The text of %name% out of [Strings]; `token` itself where there is none. */
static const char *inf_string(const char *whole, const char *token, char text[256]) {
    size_t length = strlen(token);
    char *copy = length > 2 && token[0] == '%' && token[length - 1] == '%' ? strdup(whole) : NULL;
    char *at = copy, *line;
    const char *found = token;
    while (copy && (line = inf_line(&at))) {
        char *equals = strchr(line, '=');
        char *end = equals;
        while (end && end > line && isspace((unsigned char)end[-1]))
            end--;
        if (!equals || (size_t)(end - line) != length - 2 ||
            strncasecmp(line, token + 1, length - 2) != 0)
            continue;
        char *fields[FIELDS_MOST];
        if (inf_fields(equals + 1, fields) > 0)
            snprintf(text, 256, "%s", fields[0]);
        found = text;
        break;
    }
    free(copy);
    return found;
}

static void add_setting(struct cli_options *options, const char *name, uint64_t value) {
    for (uint32_t i = 0; i < options->run.setting_count; i++) {
        if (strcasecmp(options->settings[i].name, name) == 0)
            return;
    }
    if (options->run.setting_count == CLI_SETTINGS || strlen(name) >= sizeof(options->inf_names[0]))
        return;
    char *kept = options->inf_names[options->run.setting_count];
    strcpy(kept, name);
    options->settings[options->run.setting_count++] = (struct vidmm_host_setting){kept, value};
}

static void take_line(struct cli_options *options, const char *whole, char *line) {
    char *fields[FIELDS_MOST], text[256], number[256];
    size_t count = inf_fields(line, fields);
    if (count < 5 || strcasecmp(fields[0], "HKR") != 0 || !*fields[2])
        return;
    uint32_t flags = (uint32_t)strtoul(inf_string(whole, fields[3], text), NULL, 0);
    if (strcasecmp(fields[3], "%REG_DWORD%") == 0 && flags == 0)
        flags = TYPE_DWORD;
    if ((flags & TYPE_MASK) != TYPE_DWORD)
        return;
    const char *value = inf_string(whole, fields[4], number);
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(value, &end, 0);
    if (errno == 0 && *value && !*end && parsed <= UINT32_MAX)
        add_setting(options, inf_string(whole, fields[2], text), parsed);
}

bool cli_take_inf(const char *path, struct cli_options *options) {
    char *whole = inf_read(path);
    if (!whole) {
        cli_refuse("--inf '%s' cannot be read: %s", path, strerror(errno));
        return false;
    }
    char *copy = strdup(whole), *at = copy, *line;
    bool inside = false, sections = false;
    while (copy && (line = inf_line(&at))) {
        char *close = line[0] == '[' ? strchr(line, ']') : NULL;
        if (close) {
            *close = '\0';
            inside = inf_adds(whole, line + 1);
            sections = true;
        } else if (inside && *line)
            take_line(options, whole, line);
    }
    free(copy);
    free(whole);
    if (!sections)
        cli_refuse("--inf '%s' is no INF file: it has no section", path);
    return sections;
}
