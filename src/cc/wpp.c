/*
 * wpp.c - see wpp.h.
 */
#include "wpp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "paths.h"
#include "workspace.h"

/* Words of the comments that declare no function. */
static bool declares_none(const char *word, size_t length) {
    static const char *const words[] = {"USEPREFIX",        "USESUFFIX",          "CUSTOM_TYPE",
                                        "DEFINE_CPLX_TYPE", "DEFINE_SIMPLE_TYPE", "DEFINE_FLAVOR",
                                        "NOPREFIX",         "NOSUFFIX",           "MACRO",
                                        "ENUMLIST"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0)
            return true;
    }
    return false;
}

static size_t identifier_length(const char *text) {
    size_t length = 0;
    if (isdigit((unsigned char)*text))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* FUNC Name{...}(...); or without the word FUNC. */
static void take_declaration(const char *line, struct cc_list *functions) {
    line += strspn(line, "/* \t");
    if (strncasecmp(line, "FUNC", 4) == 0 && isblank((unsigned char)line[4]))
        line += 4 + strspn(line + 4, " \t");
    size_t length = identifier_length(line);
    const char *behind = line + length + strspn(line + length, " \t");
    if (length == 0 || length > 100 || (*behind != '{' && *behind != '(') ||
        declares_none(line, length))
        return;
    char name[128];
    snprintf(name, sizeof(name), "%.*s", (int)length, line);
    if (!cc_list_has(functions, name))
        cc_list_add(functions, "%s", name);
}

void cc_wpp_scan(const char *path, struct cc_list *functions) {
    FILE *file = fopen(path, "r");
    char line[4096];
    bool inside = false;
    while (file && fgets(line, sizeof(line), file)) {
        if (strstr(line, "end_wpp"))
            inside = false;
        if (inside)
            take_declaration(line, functions);
        if (strstr(line, "begin_wpp"))
            inside = strstr(line, "config");
    }
    if (file)
        fclose(file);
}

/* The name in #include "name.tmh", into `name`. */
static bool includes_tmh(const char *line, char name[256]) {
    line += strspn(line, " \t");
    if (*line != '#')
        return false;
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, "include", 7) != 0)
        return false;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '"' && *line != '<')
        return false;
    size_t length = strcspn(line + 1, "\">");
    if (length < 5 || length >= 250 || strncasecmp(line + 1 + length - 4, ".tmh", 4) != 0)
        return false;
    snprintf(name, 256, "%.*s", (int)length, line + 1);
    return !strchr(name, '/') && !strchr(name, '\\');
}

static bool write_tmh(struct cc_build *build, const char *path, const struct cc_list *functions) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return cc_stop(build, "no memory for the build");
    fputs("#include <vidmm_wpp.h>\n", stream);
    for (size_t i = 0; i < functions->count; i++)
        fprintf(stream, "#undef %s\n#define %s(...) ((void)0)\n", functions->word[i],
                functions->word[i]);
    bool written = fclose(stream) == 0 && cc_workspace_write(build, path, text);
    free(text);
    return written;
}

bool cc_wpp_write(struct cc_build *build, const char *source, const struct cc_list *functions,
                  const char *directory) {
    FILE *file = fopen(source, "r");
    char line[4096], name[256], path[PATH_MAX];
    bool written = true;
    while (file && written && fgets(line, sizeof(line), file)) {
        if (includes_tmh(line, name))
            written = cc_workspace_path(build, path, "%s/%s", cc_name_of(directory), name) &&
                      write_tmh(build, path, functions);
    }
    if (file)
        fclose(file);
    return written;
}
