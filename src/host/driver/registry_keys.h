/*
 * registry_keys.h - the keys of the registry and their values, for the life of the host.
 *
 * Every key can be opened, and shows the settings of the run, and as `Linked` how many devices are
 * linked, if several are: numbers up to 32 bits are REG_DWORD, larger ones REG_QWORD. What a driver writes into a key is in that key alone, before the setting of
 * the same name; a value that it deletes is gone, a setting too. Names are the same in capitals or
 * not. A value stays where it is until the end of the host, whatever happens to the key.
 */
#ifndef HOST_REGISTRY_KEYS_H
#define HOST_REGISTRY_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <ntddk.h>

struct host_key;

struct host_value {
    const WCHAR *name; /* terminated */
    size_t units;      /* of the name */
    ULONG type, size;
    const void *data;
};

/* The key at `path`, of so many units, below `root` or, NULL, from the top. NULL: no memory.
 * `created`, unless NULL: it was not there before. */
struct host_key *host_key_at(struct host_key *root, const WCHAR *path, size_t units, bool *created);
/* Its path, without a separator at the ends. */
const WCHAR *host_key_path(const struct host_key *key, size_t *units);
/* The name of the child of that number, from 0 on; false: there are not so many. A key that was
 * opened is there, and so are those above it. */
bool host_key_child(struct host_key *parent, size_t index, const WCHAR **name, size_t *units);
/* Deletes a key; false: it has children. */
bool host_key_remove(struct host_key *key);
bool host_key_deleted(const struct host_key *key);
/* False: the key has no such value. */
bool host_key_value(struct host_key *key, const WCHAR *name, size_t units,
                    struct host_value *value);
/* The value of that number, from 0 on; false: there are not so many. */
bool host_key_value_at(struct host_key *key, size_t index, struct host_value *value);
/* False: no memory. */
bool host_key_set(struct host_key *key, const struct host_value *value);
/* False: there is no such value, or no memory. */
bool host_key_delete(struct host_key *key, const WCHAR *name, size_t units);
void host_keys_done(void);

#endif
