/*
 * policy.c - a policy of eviction by name: one of the library's, or one in a shared object.
 *
 * A shared object stays loaded: what it exports is used until the process ends.
 */
#include <vidmm/run.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool policy_listed(const char *name, const struct vidmm_policy **out, char *text,
                          size_t text_size) {
    size_t length = 0;
    for (size_t i = 0; (*out = vidmm_policy_at(i)); i++) {
        if (strcmp((*out)->name, name) == 0)
            return true;
    }
    int done = snprintf(text, text_size, "the policy '%s' is not one of", name);
    for (size_t i = 0; vidmm_policy_at(i) && done > 0 && length + (size_t)done < text_size; i++) {
        length += (size_t)done;
        done = snprintf(text + length, text_size - length, " %s", vidmm_policy_at(i)->name);
    }
    return false;
}

/* What keeps a policy that was loaded from being used; NULL: nothing. */
static const char *policy_fault(const struct vidmm_policy *policy) {
    if (!policy)
        return "it exports no " VIDMM_POLICY_SYMBOL " (vidmm/policy.h)";
    if (policy->version != VIDMM_POLICY_VERSION)
        return "it was compiled with another version of vidmm/policy.h";
    return policy->name && *policy->name ? NULL : "it has no name";
}

static bool policy_load(const char *path, const struct vidmm_policy **out, char *text,
                        size_t text_size) {
    char whole[PATH_MAX];
    void *object = realpath(path, whole) ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!object) {
        const char *why = dlerror();
        snprintf(text, text_size, "the policy %s cannot be loaded: %s", path,
                 why ? why : "there is no such file");
        return false;
    }
    const struct vidmm_policy *policy = dlsym(object, VIDMM_POLICY_SYMBOL);
    const char *fault = policy_fault(policy);
    if (fault) {
        snprintf(text, text_size, "the policy %s cannot be used: %s", path, fault);
        dlclose(object);
        return false;
    }
    *out = policy;
    return true;
}

bool vidmm_run_policy(const char *name, const struct vidmm_policy **out, char *text,
                      size_t text_size) {
    return strchr(name, '/') ? policy_load(name, out, text, text_size)
                             : policy_listed(name, out, text, text_size);
}
