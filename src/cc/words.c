/*
 * words.c - see words.h. A directory stands for the sources in it, not below it.
 */
#include "words.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "project.h"

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool cc_is_c(const char *path) {
    return has_ending(path, ".c");
}

bool cc_is_source(const char *path) {
    return cc_is_c(path) || has_ending(path, ".cpp") || has_ending(path, ".cxx") ||
           has_ending(path, ".cc");
}

void cc_add_source(struct cc_build *build, const char *path, unsigned settings) {
    /* What begins with a dash would be a flag of the compiler. */
    cc_list_add(&build->sources, "%s%s", path[0] == '-' ? "./" : "", path);
    unsigned *grown =
        realloc(build->settings_of, (build->sources.count + 1) * sizeof(*build->settings_of));
    if (!grown)
        build->sources.failed = true;
    if (!grown || build->sources.failed)
        return;
    build->settings_of = grown;
    build->settings_of[build->sources.count - 1] = settings;
}

static int is_source_entry(const struct dirent *entry) {
    return cc_is_source(entry->d_name);
}

static bool take_directory(struct cc_build *build, const char *path) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_source_entry, alphasort);
    for (int i = 0; i < count; i++) {
        char source[PATH_MAX];
        if (snprintf(source, sizeof(source), "%s/%s", path, entries[i]->d_name) <
            (int)sizeof(source))
            cc_add_source(build, source, 0);
        free(entries[i]);
    }
    free(entries);
    if (count < 0)
        return cc_stop(build, "the directory '%s' cannot be read", path);
    if (count == 0)
        return cc_stop(build, "the directory '%s' has no .c, .cpp, .cxx or .cc file", path);
    cc_list_add(&build->settings[0].includes, "%s", path);
    return true;
}

static bool take_what(struct cc_build *build, const char *word) {
    struct stat status;
    if (stat(word, &status) != 0)
        return cc_stop(build, "'%s' is not there", word);
    if (S_ISDIR(status.st_mode))
        return take_directory(build, word);
    if (has_ending(word, ".vcxproj"))
        return cc_take_project(build, word);
    if (!cc_is_source(word))
        return cc_stop(
            build, "'%s' is no directory, no .vcxproj and no source (.c, .cpp, .cxx, .cc)", word);
    cc_add_source(build, word, 0);
    return true;
}

/* Flags whose value may be a word of its own. */
static bool takes_value(const char *word) {
    static const char *const flags[] = {"-D", "-I", "-U", "-include", "-isystem", "-Xclang"};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(word, flags[i]) == 0)
            return true;
    }
    return false;
}

bool cc_take_words(struct cc_build *build) {
    const struct vidmm_cc_options *options = build->options;
    for (size_t i = 0; i < options->word_count; i++) {
        const char *word = options->words[i];
        if (word[0] != '-') {
            if (!take_what(build, word))
                return false;
            continue;
        }
        if (takes_value(word) && i + 1 == options->word_count)
            return cc_stop(build, "%s needs a value", word);
        if (strncmp(word, "-I", 2) == 0) {
            cc_list_add(&build->settings[0].includes, "%s",
                        word[2] ? word + 2 : options->words[++i]);
            continue;
        }
        cc_list_add(&build->flags, "%s", word);
        if (takes_value(word))
            cc_list_add(&build->flags, "%s", options->words[++i]);
    }
    return build->sources.count > 0 ||
           cc_stop(build, "nothing to build: name a directory, sources or a .vcxproj");
}
