/*
 * loader.c - dlopen of a driver or a hardware model, or an image of a driver into memory. The
 * program itself exports the ntoskrnl and dxgkrnl names for both.
 */
#include "driver/loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world.h"
#include "image/image.h"
#include "image/imports.h"
#include "memory/pool.h"
#include "image/paged.h"

/* ---- Images ---------------------------------------------------------------------------------- */

struct file_bytes {
    void *bytes; /* NULL: not read */
    size_t size;
};

/* A regular file that is not empty. */
static struct file_bytes map_file(const char *path) {
    struct file_bytes file = {NULL, 0};
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        file.size = (size_t)about.st_size;
        file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file.bytes == MAP_FAILED)
            file.bytes = NULL;
    }
    close(fd);
    return file;
}

static bool refuse_image(const char *path, struct vidmm_host_error *error) {
    char why[sizeof(error->text)];
    snprintf(why, sizeof(why), "%s", error->text);
    return host_fail(error, "the driver image '%.128s' could not be loaded: %.320s", path, why);
}

/* In memory, with everything that it imports. */
static bool make_image(const struct file_bytes *file, struct host_image *image,
                       struct vidmm_host_error *error) {
    struct pe pe;
    if (!pe_read(file->bytes, file->size, &pe, error) || !image_load(&pe, image, error))
        return false;
    if (imports_bind(image, error) && image_protect(image, error))
        return true;
    image_free(image);
    return false;
}

static bool load_image(const char *path, const struct file_bytes *file, struct host_module *module,
                       DRIVER_INITIALIZE **entry, struct vidmm_host_error *error) {
    struct host_image *image = calloc(1, sizeof(*image));
    if (!image)
        return host_fail(error, "out of memory for the driver image");
    if (!make_image(file, image, error)) {
        free(image);
        return refuse_image(path, error);
    }
    const char *name = strrchr(path, '/');
    snprintf(image->name, sizeof(image->name), "%s", name ? name + 1 : path);
    image_paged_come(image, !host_world->config.threads);
    const void *at = image->base + image->entry;
    memcpy(entry, &at, sizeof(*entry));
    module->image = image;
    return true;
}

bool vidmm_host_imports(const char *path,
                        void (*found)(void *ctx, const struct vidmm_host_import *import), void *ctx,
                        struct vidmm_host_error *error) {
    struct file_bytes file = map_file(path);
    struct host_image image;
    struct pe pe;
    bool listed = true;
    if (file.bytes && pe_recognised(file.bytes, file.size)) {
        listed = pe_read(file.bytes, file.size, &pe, error) && image_load(&pe, &image, error);
        if (listed) {
            listed = imports_list(&image, found, ctx, error);
            image_free(&image);
        }
        if (!listed)
            (void)refuse_image(path, error);
    }
    if (file.bytes)
        munmap(file.bytes, file.size);
    return listed;
}

/* ---- Shared objects -------------------------------------------------------------------------- */

/* A driver that vidmm cc built with -fsanitize=address needs what its linker did not give it. */
static void refuse_shared(const char *path, const char *what, const char *why,
                          struct vidmm_host_error *error) {
    if (strstr(why, "__asan_"))
        snprintf(error->text, sizeof(error->text),
                 "the %s '%s' was built with -fsanitize=address, and the sanitizer's run time is "
                 "not in this process: set LD_PRELOAD to what "
                 "'clang -print-file-name=libclang_rt.asan-x86_64.so' prints, or to libasan.so",
                 what, path);
    else
        snprintf(error->text, sizeof(error->text), "the %s '%s' could not be loaded: %s", what,
                 path, why);
}

/* Opens `path` and finds `name` in it; `what` the file is, `hint` how the name gets into it. */
static void *loader_load(const char *path, const char *name, const char *what, const char *hint,
                         struct host_module *module, struct vidmm_host_error *error) {
    /* A path without a slash would make dlopen search the library path. */
    char local[4096];
    snprintf(local, sizeof(local), "%s%s", strchr(path, '/') ? "" : "./", path);
    module->shared = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!module->shared) {
        refuse_shared(path, what, dlerror(), error);
        return NULL;
    }
    void *symbol = dlsym(module->shared, name);
    if (!symbol) {
        snprintf(error->text, sizeof(error->text), "the %s '%s' has no %s: %s", what, path, name,
                 hint);
        dlclose(module->shared);
        module->shared = NULL;
    }
    return symbol;
}

bool host_load(const char *path, struct host_module *module, DRIVER_INITIALIZE **entry,
               struct vidmm_host_error *error) {
    struct file_bytes file = map_file(path);
    bool image = file.bytes && pe_recognised(file.bytes, file.size), loaded = false;
    if (image) {
        loaded = load_image(path, &file, module, entry, error);
    } else {
        void *symbol =
            loader_load(path, "DriverEntry", "driver",
                        "export it with C linkage and default visibility", module, error);
        memcpy(entry, &symbol, sizeof(*entry));
        loaded = symbol;
        if (loaded &&
            (host_world->config.watch_pool || dlsym(module->shared, "vidmm_sanitized_address")))
            host_pool_watch(host_world->pool);
    }
    if (file.bytes)
        munmap(file.bytes, file.size);
    return loaded;
}

/* The bytes of what lies at `symbol`, as its shared object says; 0: it does not. */
static size_t symbol_bytes(const void *symbol) {
    const ElfW(Sym) *entry = NULL;
    void *found = NULL;
    Dl_info about;
    if (!dladdr1(symbol, &about, &found, RTLD_DL_SYMENT))
        return 0;
    entry = found;
    return entry && about.dli_saddr == symbol ? (size_t)entry->st_size : 0;
}

/* The structure grows at its end: what a model of older headers has not is as if it were NULL. */
bool host_load_model(const char *path, struct host_module *module,
                     const struct vidmm_hw_model **model, struct vidmm_host_error *error) {
    const void *symbol = loader_load(
        path, VIDMM_HARDWARE_SYMBOL, "hardware model",
        "define a struct vidmm_hw_model of that name with C linkage and default visibility", module,
        error);
    size_t bytes = symbol ? symbol_bytes(symbol) : 0;
    if (!symbol)
        return false;
    if (bytes == 0 || bytes > sizeof(module->model))
        bytes = sizeof(module->model);
    memcpy(&module->model, symbol, bytes);
    *model = &module->model;
    return true;
}

/* What dlopen takes for another file. */
static int copy_file(const char *path) {
    struct file_bytes file = map_file(path);
    int copy = file.bytes ? memfd_create("hardware model", MFD_CLOEXEC) : -1;
    if (copy >= 0 && write(copy, file.bytes, file.size) != (ssize_t)file.size) {
        close(copy);
        copy = -1;
    }
    if (file.bytes)
        munmap(file.bytes, file.size);
    return copy;
}

bool host_load_model_copy(const char *path, struct host_module *module,
                          const struct vidmm_hw_model **model, struct vidmm_host_error *error) {
    char name[64];
    int copy = copy_file(path);
    if (copy < 0)
        return host_fail(error, "the hardware model could not be copied");
    snprintf(name, sizeof(name), "/proc/self/fd/%d", copy);
    bool loaded = host_load_model(name, module, model, error);
    close(copy);
    return loaded;
}

void host_load_entered(const struct host_module *module) {
    if (module->image)
        image_discard(module->image);
}

void host_unload(struct host_module *module) {
    if (module->shared)
        dlclose(module->shared);
    if (module->image) {
        image_paged_go();
        image_free(module->image);
        free(module->image);
    }
    *module = (struct host_module){.shared = NULL};
}
