/*
 * image.c - see image.h.
 *
 * The linker says what nothing defines. What of it vidmm has for images is imported from
 * ntoskrnl.exe, by a library that is made of these names; everything else is missing.
 */
#include "image.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runner.h"
#include "symbols.h"
#include "workspace.h"

#define ENDING    ".sys"
#define UNDEFINED "undefined symbol: "
#define IMPORTED  "__imp_" /* before a name that is declared __declspec(dllimport) */
#define REFERENCE ">>> referenced by "

bool cc_image_wanted(const char *output) {
    size_t length = strlen(output);
    return length > strlen(ENDING) && strcasecmp(output + length - strlen(ENDING), ENDING) == 0;
}

/* Whether a directory of PATH has the program. */
static bool program_there(const char *name) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        char file[PATH_MAX];
        int length = (int)strcspn(at, ":");
        if (snprintf(file, sizeof(file), "%.*s/%s", length, at, name) < (int)sizeof(file) &&
            access(file, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* A program of LLVM by its name, or with the version of a package behind it; false: none. */
static bool find_tool(char found[CC_TOOL], const char *name) {
    for (unsigned version = 0; version < 22; version = version ? version + 1 : 14) {
        if (version == 0)
            snprintf(found, CC_TOOL, "%s", name);
        else
            snprintf(found, CC_TOOL, "%s-%u", name, version);
        if (program_there(found))
            return true;
    }
    return false;
}

static const char *unfit_flag(const struct cc_build *build) {
    for (size_t i = 0; i < build->flags.count; i++) {
        const char *flag = build->flags.word[i];
        if (strncmp(flag, "-fsanitize=", 11) == 0 || strcmp(flag, "--coverage") == 0 ||
            strcmp(flag, "-coverage") == 0)
            return flag;
    }
    return NULL;
}

bool cc_image_possible(struct cc_build *build) {
    const char *flag = unfit_flag(build);
    if (flag)
        return cc_stop(build, "%s works in a shared object: give -o a name that ends in .so", flag);
    return (find_tool(build->linker, "lld-link") ||
            cc_stop(build, "no lld-link: it is what links a driver image")) &&
           (find_tool(build->librarian, "llvm-dlltool") ||
            cc_stop(build, "no llvm-dlltool: it makes the library of the kernel's names for a "
                           "driver image"));
}

static bool wants_dwarf(const struct cc_build *build) {
    for (size_t i = 0; i < build->flags.count; i++) {
        if (strncmp(build->flags.word[i], "-gdwarf", 7) == 0)
            return true;
    }
    return false;
}

void cc_image_words(const struct cc_build *build, struct cc_list *words) {
    cc_list_add(words, "-target");
    cc_list_add(words, "x86_64-pc-windows-msvc");
    if (!wants_dwarf(build))
        cc_list_add(words, "-gcodeview");
}

/* ---- The names that are undefined ------------------------------------------------------------ */

/* The source of an object in the workspace, which is called by the source's number; NULL for another. */
static const char *source_of(const struct cc_build *build, const char *object) {
    size_t length = strlen(build->workspace);
    char *end;
    if (strncmp(object, build->workspace, length) != 0 || object[length] != '/' ||
        !isdigit((unsigned char)object[length + 1]))
        return NULL;
    size_t index = strtoul(object + length + 1, &end, 10);
    return strncmp(end, ".o:", 3) == 0 && index < build->sources.count ? build->sources.word[index]
                                                                       : NULL;
}

/* "path:12" of the line behind the name, which may be missing, or the source where no line is known, as of
 * a table; "" for none. */
static void first_reference(const struct cc_build *build, const char *line, char place[256]) {
    place[0] = '\0';
    if (!line || strncmp(line, REFERENCE, strlen(REFERENCE)) != 0)
        return;
    const char *at = line + strlen(REFERENCE), *source = source_of(build, at);
    if (source || strchr(at, ':'))
        snprintf(place, 256, "%s", source ? source : at);
}

/* Of each name, whether the kernel has it. */
static void sort_names(const struct cc_build *build, char *messages, struct cc_list *kernel,
                       struct cc_missing *missing) {
    char *save = NULL;
    char *line = strtok_r(messages, "\n", &save);
    while (line) {
        const char *name = strstr(line, UNDEFINED);
        char place[256];
        line = strtok_r(NULL, "\n", &save);
        if (!name)
            continue;
        name += strlen(UNDEFINED);
        if (strncmp(name, IMPORTED, strlen(IMPORTED)) == 0)
            name += strlen(IMPORTED);
        first_reference(build, line, place);
        if (!cc_kernel_has(name))
            cc_missing_add(missing, CC_SYMBOL, name, place);
        else if (!cc_list_has(kernel, name))
            cc_list_add(kernel, "%s", name);
    }
}

/* ---- Linking --------------------------------------------------------------------------------- */

static void symbols_path(const struct cc_build *build, char path[PATH_MAX]) {
    const char *output = build->options->output;
    snprintf(path, PATH_MAX, "%.*s.pdb", (int)(strlen(output) - strlen(ENDING)), output);
}

/* An __inline function that is declared again is a definition in each source: as in a shared object
 * the first one serves. The PDB is found beside the image, wherever both are moved. */
static void link_words(const struct cc_build *build, const struct cc_list *objects,
                       struct cc_list *words) {
    static const char *const flags[] = {"/nologo",
                                        "/driver",
                                        "/subsystem:native",
                                        "/entry:DriverEntry",
                                        "/nodefaultlib",
                                        "/dynamicbase",
                                        "/section:INIT,erd",
                                        "/demangle:no",
                                        "/errorlimit:0",
                                        "/force:multiple",
                                        NULL};
    char symbols[PATH_MAX];
    symbols_path(build, symbols);
    cc_list_add(words, "%s", build->linker);
    for (size_t i = 0; flags[i]; i++)
        cc_list_add(words, "%s", flags[i]);
    if (wants_dwarf(build)) {
        cc_list_add(words, "/debug:dwarf");
    } else {
        cc_list_add(words, "/debug");
        cc_list_add(words, "/pdb:%s", symbols);
        cc_list_add(words, "/pdbaltpath:%%_PDB%%");
    }
    cc_list_add(words, "/out:%s", build->options->output);
    cc_list_add_all(words, objects);
}

/* A library that imports the names from the kernel. */
static bool make_library(struct cc_build *build, const struct cc_list *names,
                         char library[PATH_MAX]) {
    char definition[PATH_MAX], *messages = NULL;
    struct cc_list words = {0};
    if (!cc_workspace_path(build, definition, "kernel.def") ||
        !cc_workspace_path(build, library, "kernel.lib"))
        return false;
    FILE *file = fopen(definition, "w");
    if (!file)
        return cc_stop(build, "cannot write '%s'", definition);
    fputs("LIBRARY ntoskrnl.exe\nEXPORTS\n", file);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, "%s\n", names->word[i]);
    bool made = fclose(file) == 0;
    cc_list_add(&words, "%s", build->librarian);
    cc_list_add(&words, "-m");
    cc_list_add(&words, "i386:x86-64");
    cc_list_add(&words, "-d");
    cc_list_add(&words, "%s", definition);
    cc_list_add(&words, "-l");
    cc_list_add(&words, "%s", library);
    made = made && cc_spawn(&words, &messages) == 0;
    if (!made)
        cc_stop(build, "%s does not make the library of the kernel's names: %s", build->librarian,
                messages ? messages : "");
    free(messages);
    cc_list_free(&words);
    return made;
}

static bool refused(struct cc_build *build, const char *messages) {
    fputs(messages ? messages : "", build->options->report);
    return cc_stop(build, "the driver image cannot be linked");
}

/* Again, now with the kernel's names. */
static bool link_with_kernel(struct cc_build *build, struct cc_list *words,
                             const struct cc_list *kernel) {
    char library[PATH_MAX], *messages = NULL;
    if (!make_library(build, kernel, library))
        return false;
    cc_list_add(words, "%s", library);
    bool linked = cc_spawn(words, &messages) == 0 || refused(build, messages);
    free(messages);
    return linked;
}

bool cc_image_link(struct cc_build *build, const struct cc_list *objects,
                   struct cc_missing *missing) {
    struct cc_list words = {0}, kernel = {0};
    char *messages = NULL;
    link_words(build, objects, &words);
    bool linked = cc_spawn(&words, &messages) == 0, good = linked;
    if (!linked && messages && strstr(messages, UNDEFINED)) {
        sort_names(build, messages, &kernel, missing);
        good = missing->count > 0 || link_with_kernel(build, &words, &kernel);
    } else if (!linked) {
        good = refused(build, messages);
    }
    free(messages);
    cc_list_free(&kernel);
    cc_list_free(&words);
    return good;
}

void cc_image_remove(const struct cc_build *build) {
    char symbols[PATH_MAX];
    symbols_path(build, symbols);
    unlink(symbols);
}
