/* registry_keys.c - the keys and values of registry_keys.h. */
#include "driver/registry_keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/asked.h"
#include "base/thread.h"
#include "base/world.h"
#include "text/case.h"

/* A value that was written, or the mark that one was deleted. A newer one of the same name comes
 * before it in the list. */
#define NO_SETTING UINT32_MAX

struct written {
    struct written *next;
    struct host_value value;
    bool deleted;
    uint32_t setting; /* number of the setting that it is; NO_SETTING: none */
    WCHAR name[];     /* and the data behind it */
};

struct host_key {
    struct host_key *next;
    struct written *written; /* the newest first */
    size_t units;
    bool deleted; /* not found any more, and kept for what still points to it */
    WCHAR path[]; /* no separator at its ends */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_key *keys;
static struct written *settings; /* of the run, behind every key; made when first looked for */
static bool settings_made;

static bool same_text(const WCHAR *a, const WCHAR *b, size_t units) {
    for (size_t i = 0; i < units; i++)
        if (host_upcase(a[i]) != host_upcase(b[i]))
            return false;
    return true;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Adds a path without separators at its ends, behind one if there is something before it. */
static void path_add(struct host_key *key, const WCHAR *path, size_t units) {
    while (units != 0 && *path == '\\') {
        path++;
        units--;
    }
    while (units != 0 && path[units - 1] == '\\')
        units--;
    if (units != 0 && key->units != 0)
        key->path[key->units++] = '\\';
    if (units != 0)
        memcpy(key->path + key->units, path, units * sizeof(WCHAR));
    key->units += units;
}

/* Under the lock. */
static struct host_key *key_find(const WCHAR *path, size_t units) {
    struct host_key *key = keys;
    while (key && (key->deleted || key->units != units || !same_text(key->path, path, units)))
        key = key->next;
    return key;
}

/* Behind the others, so that numbers of keys stay when there are more. Under the lock. */
static void key_add(struct host_key *key) {
    struct host_key **end = &keys;
    while (*end)
        end = &(*end)->next;
    *end = key;
}

struct host_key *host_key_at(struct host_key *root, const WCHAR *path, size_t units,
                             bool *created) {
    size_t room = (root ? root->units + 1 : 0) + units;
    struct host_key *made = calloc(1, sizeof(*made) + room * sizeof(WCHAR));
    if (!made)
        return NULL;
    if (root)
        path_add(made, root->path, root->units);
    path_add(made, path, units);
    pthread_mutex_lock(&lock);
    struct host_key *key = key_find(made->path, made->units);
    if (created)
        *created = !key;
    if (!key)
        key_add(made);
    pthread_mutex_unlock(&lock);
    if (key)
        free(made);
    return key ? key : made;
}

/* The name of `key` if its parent is `parent`, or the part below that of the path; NULL: it is
 * elsewhere. */
static const WCHAR *key_below(const struct host_key *parent, const struct host_key *key,
                              size_t *units) {
    size_t skip = parent->units != 0 ? parent->units + 1 : 0;
    if (key->deleted || key->units <= skip || !same_text(key->path, parent->path, parent->units) ||
        (skip != 0 && key->path[parent->units] != '\\'))
        return NULL;
    *units = 0;
    while (skip + *units < key->units && key->path[skip + *units] != '\\')
        ++*units;
    return key->path + skip;
}

bool host_key_child(struct host_key *parent, size_t index, const WCHAR **name, size_t *units) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (struct host_key *key = keys; key && !found; key = key->next) {
        const WCHAR *at = key_below(parent, key, units);
        bool first = at;
        /* Several keys may lie below one child. */
        for (struct host_key *before = keys; first && before != key; before = before->next) {
            size_t other;
            const WCHAR *same = key_below(parent, before, &other);
            first = !same || other != *units || !same_text(same, at, other);
        }
        found = first && index-- == 0;
        *name = at;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool host_key_deleted(const struct host_key *key) {
    pthread_mutex_lock(&lock);
    bool deleted = key->deleted;
    pthread_mutex_unlock(&lock);
    return deleted;
}

bool host_key_remove(struct host_key *key) {
    const WCHAR *name;
    size_t units;
    if (host_key_child(key, 0, &name, &units))
        return false;
    pthread_mutex_lock(&lock);
    key->deleted = true;
    pthread_mutex_unlock(&lock);
    return true;
}

const WCHAR *host_key_path(const struct host_key *key, size_t *units) {
    *units = key->units;
    return key->path;
}

static void written_free(struct written *w) {
    while (w) {
        struct written *next = w->next;
        free(w);
        w = next;
    }
}

void host_keys_done(void) {
    written_free(settings);
    settings = NULL;
    settings_made = false;
    while (keys) {
        struct host_key *key = keys;
        keys = key->next;
        written_free(key->written);
        free(key);
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A copy; NULL: no memory. */
static struct written *written_make(const struct host_value *value) {
    size_t name = (value->units + 1) * sizeof(WCHAR);
    struct written *w = calloc(1, sizeof(*w) + name + value->size);
    if (!w)
        return NULL;
    memcpy(w->name, value->name, value->units * sizeof(WCHAR));
    if (value->size != 0)
        memcpy((char *)w->name + name, value->data, value->size);
    w->setting = NO_SETTING;
    w->value = *value;
    w->value.name = w->name;
    w->value.data = (char *)w->name + name;
    return w;
}

static struct written *setting_make(const struct vidmm_host_setting *setting) {
    WCHAR name[128];
    size_t units = strnlen(setting->name, 128);
    bool wide = setting->value > UINT32_MAX;
    for (size_t i = 0; i < units; i++)
        name[i] = (unsigned char)setting->name[i];
    return written_make(&(struct host_value){name, units, wide ? REG_QWORD : REG_DWORD,
                                             wide ? 8 : 4, &setting->value});
}

static void settings_add(const struct vidmm_host_setting *setting, uint32_t number) {
    struct written *w = setting_make(setting);
    if (!w)
        return;
    w->setting = number;
    w->next = settings;
    settings = w;
}

/* Last, and so hidden by a setting of that name, how many devices are linked. Under the lock. */
static struct written *settings_list(void) {
    if (settings_made)
        return settings;
    settings_made = true;
    if (host_world->config.linked > 1)
        settings_add(&(struct vidmm_host_setting){"Linked", host_world->config.linked}, NO_SETTING);
    for (uint32_t i = host_world->config.setting_count; i-- > 0;)
        settings_add(&host_world->settings[i], i);
    return settings;
}

/* The first of the list under this name, or NULL. Under the lock. */
static struct written *written_find(struct written *list, const WCHAR *name, size_t units) {
    struct written *w = list;
    while (w && (w->value.units != units || !same_text(w->value.name, name, units)))
        w = w->next;
    return w;
}

bool host_key_value(struct host_key *key, const WCHAR *name, size_t units,
                    struct host_value *value) {
    host_asked_units(name, units);
    pthread_mutex_lock(&lock);
    const struct written *w = written_find(key->written, name, units);
    if (!w)
        w = written_find(settings_list(), name, units);
    bool found = w && !w->deleted;
    if (found) {
        *value = w->value;
        host_show_setting(w->setting);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Counts *index down at each value of the list that is not hidden by an earlier one of its name,
 * there or in `before`; the value at which it was 0, or NULL. Under the lock. */
static const struct written *written_at(struct written *list, struct written *before,
                                        size_t *index) {
    for (struct written *w = list; w; w = w->next) {
        const WCHAR *name = w->value.name;
        size_t units = w->value.units;
        if (w->deleted || written_find(before, name, units) || written_find(list, name, units) != w)
            continue;
        if ((*index)-- == 0)
            return w;
    }
    return NULL;
}

bool host_key_value_at(struct host_key *key, size_t index, struct host_value *value) {
    pthread_mutex_lock(&lock);
    const struct written *w = written_at(key->written, NULL, &index);
    if (!w)
        w = written_at(settings_list(), key->written, &index);
    if (w) {
        *value = w->value;
        host_show_setting(w->setting);
        host_asked_units(w->value.name, w->value.units);
    }
    pthread_mutex_unlock(&lock);
    return w;
}

static bool write_value(struct host_key *key, const struct host_value *value, bool deleted) {
    struct written *w = host_may_allocate() ? written_make(value) : NULL;
    if (!w)
        return false;
    w->deleted = deleted;
    pthread_mutex_lock(&lock);
    w->next = key->written;
    key->written = w;
    pthread_mutex_unlock(&lock);
    return true;
}

bool host_key_set(struct host_key *key, const struct host_value *value) {
    return write_value(key, value, false);
}

bool host_key_delete(struct host_key *key, const WCHAR *name, size_t units) {
    struct host_value value;
    return host_key_value(key, name, units, &value) &&
           write_value(key, &(struct host_value){.name = name, .units = units}, true);
}
