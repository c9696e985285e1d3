/*
 * study.c - a study file: an object whose members are the axes, in JSON.
 *
 * A file is refused with its line: jansson knows the lines of syntax alone, so those of members are
 * looked up in the text, which it has accepted by then.
 */
#include "axes.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/lookup.h>

#define STUDY_MOST (1u << 20)

struct study_file {
    const char *path;
    char *content;
    char *text; /* the sentence */
    size_t size;
};

static bool read_file(struct study_file *file) {
    FILE *stream = fopen(file->path, "rbe");
    file->content = stream ? malloc(STUDY_MOST + 1) : NULL;
    size_t length = file->content ? fread(file->content, 1, STUDY_MOST + 1, stream) : 0;
    bool read = file->content && !ferror(stream);
    if (!read)
        (void)snprintf(file->text, file->size, "the study '%s' cannot be read: %s", file->path,
                       strerror(errno));
    else if (length > STUDY_MOST)
        (void)snprintf(file->text, file->size, "the study '%s' has more than 1 MiB", file->path);
    if (stream)
        (void)fclose(stream);
    if (!read || length > STUDY_MOST)
        return false;
    file->content[length] = '\0';
    return true;
}

/* The closing quote of the string that begins at `at`, of valid JSON. */
static const char *string_end(const char *at) {
    for (at++; *at != '\0' && *at != '"'; at++)
        at += *at == '\\' && at[1] != '\0';
    return at;
}

static bool is_name(const char *at, const char *end, const char *name) {
    return (size_t)(end - at) - 1 == strlen(name) && memcmp(at + 1, name, strlen(name)) == 0;
}

/* The line of a member of the study, or (`outer`) of a member of one of its objects. */
static uint32_t line_of(const char *text, const char *outer, const char *name) {
    uint32_t line = 1, depth = 0;
    bool inside = !outer;
    for (const char *at = text; *at != '\0'; at++) {
        line += *at == '\n';
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        if (*at != '"')
            continue;
        const char *end = string_end(at);
        if (*end == '\0')
            break;
        if (end[1 + strspn(end + 1, " \t\r\n")] == ':') {
            if (outer && depth == 1)
                inside = is_name(at, end, outer);
            if (inside && depth == (outer ? 2u : 1u) && is_name(at, end, name))
                return line;
        }
        at = end;
    }
    return 1;
}

static bool study_refuse(const struct study_file *file, const char *outer, const char *name,
                         const char *sentence) {
    (void)snprintf(file->text, file->size, "%s:%" PRIu32 ": %s%s'%s': %s", file->path,
                   line_of(file->content, outer, name), outer ? outer : "", outer ? " " : "", name,
                   sentence);
    return false;
}

static bool take_one(const struct study_file *file, struct sweep_axis *axis,
                     const struct sweep_kind *kind, const json_t *value, const char *name) {
    char word[256], why[400];
    const char *outer = kind ? NULL : "settings", *given = word;
    if (json_is_string(value))
        given = json_string_value(value);
    else if (json_is_integer(value))
        (void)snprintf(word, sizeof(word), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else {
        (void)snprintf(why, sizeof(why), "a value is neither a string nor a whole number, but %s",
                       kind ? kind->expected : "a number or a size");
        return study_refuse(file, outer, name, why);
    }
    return sweep_axis_add(axis, kind, given, why, sizeof(why)) ||
           study_refuse(file, outer, name, why);
}

/* A value or a list of them. */
static bool take_values(const struct study_file *file, struct sweep_axis *axis,
                        const struct sweep_kind *kind, const json_t *value, const char *name) {
    sweep_axis_clear(axis);
    if (!json_is_array(value))
        return take_one(file, axis, kind, value, name);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!take_one(file, axis, kind, json_array_get(value, i), name))
            return false;
    return json_array_size(value) != 0 ||
           study_refuse(file, kind ? NULL : "settings", name, "the list has no value");
}

static bool take_settings(const struct study_file *file, struct vidmm_study *study,
                          json_t *settings) {
    const char *name;
    json_t *value;
    if (!json_is_object(settings))
        return study_refuse(file, NULL, "settings",
                            "this is not an object {NAME: VALUE or [VALUE, ...]}");
    json_object_foreach(settings, name, value) {
        struct sweep_axis *axis = *name != '\0' && !strchr(name, '=') && strlen(name) < 64
                                      ? sweep_axis_setting(study, name)
                                      : NULL;
        if (!axis)
            return study_refuse(file, "settings", name,
                                "this is no name of a setting, or there are too many");
        if (!take_values(file, axis, NULL, value, name))
            return false;
    }
    return true;
}

static bool refuse_member(const struct study_file *file, const char *name) {
    struct vidmm_meant meant = {.word = name};
    char near[64], why[400];
    int length = snprintf(why, sizeof(why), "no member of a study is called so");
    for (size_t i = 0; i < SWEEP_KINDS; i++)
        vidmm_meant_try(&meant, sweep_kinds[i].member);
    vidmm_meant_try(&meant, "settings");
    length += snprintf(why + length, sizeof(why) - (size_t)length, "%s; they are",
                       vidmm_meant_text(&meant, "", near, sizeof(near)));
    for (size_t i = 0; i < SWEEP_KINDS; i++)
        length +=
            snprintf(why + length, sizeof(why) - (size_t)length, " %s,", sweep_kinds[i].member);
    (void)snprintf(why + length, sizeof(why) - (size_t)length, " settings");
    return study_refuse(file, NULL, name, why);
}

static bool take_member(const struct study_file *file, struct vidmm_study *study, const char *name,
                        json_t *value) {
    if (strcmp(name, "settings") == 0)
        return take_settings(file, study, value);
    for (size_t i = 0; i < SWEEP_KINDS; i++)
        if (strcmp(sweep_kinds[i].member, name) == 0)
            return take_values(file, &study->axis[i], &sweep_kinds[i], value, name);
    return refuse_member(file, name);
}

static bool take_content(const struct study_file *file, struct vidmm_study *study) {
    json_error_t error;
    json_t *root = json_loads(file->content, JSON_REJECT_DUPLICATES, &error), *value;
    const char *name;
    bool done = json_is_object(root);
    if (!root)
        (void)snprintf(file->text, file->size, "%s:%d: %s", file->path, error.line, error.text);
    else if (!done)
        (void)snprintf(file->text, file->size, "%s:1: a study is an object, {\"workloads\": ...}",
                       file->path);
    if (done) {
        json_object_foreach(root, name, value) {
            done = done && take_member(file, study, name, value);
        }
    }
    json_decref(root);
    return done;
}

bool vidmm_study_read(struct vidmm_study *study, const char *path, char *text, size_t size) {
    struct study_file file = {.path = path, .text = text, .size = size};
    bool done = read_file(&file) && take_content(&file, study);
    free(file.content);
    return done;
}
