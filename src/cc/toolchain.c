/*
 * toolchain.c - see toolchain.h.
 */
#include "toolchain.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "instrument.h"
#include "paths.h"
#include "runner.h"
#include "symbols.h"
#include "workspace.h"

static unsigned compiler_version(const char *name) {
    struct cc_list words = {0};
    char *answer = NULL;
    cc_list_add(&words, "%s", name);
    cc_list_add(&words, "-dumpversion");
    unsigned version = 0;
    if (cc_spawn(&words, &answer) == 0 && answer)
        version = (unsigned)strtoul(answer, NULL, 10);
    free(answer);
    cc_list_free(&words);
    return version;
}

/* Before 17 clang takes -fcheck-new and forgets it: a constructor runs also where operator new
 * failed. */
#define CHECKS_NEW 17
#define OLDEST     14
#define NEWEST     21

/* The program `clang` where it is new enough, else the newest. Those with a version in their name are run only
 * where that is newer than what was found. */
static unsigned choose_compiler(struct cc_build *build) {
    static char versioned[24];
    unsigned best = compiler_version("clang");
    build->compiler = "clang";
    for (unsigned wanted = NEWEST; best < CHECKS_NEW && wanted >= OLDEST && wanted > best;
         wanted--) {
        char name[sizeof(versioned)];
        snprintf(name, sizeof(name), "clang-%u", wanted);
        unsigned version = compiler_version(name);
        if (version <= best)
            continue;
        best = version;
        memcpy(versioned, name, sizeof(name));
        build->compiler = versioned;
    }
    return best;
}

bool cc_find_compiler(struct cc_build *build) {
    build->compiler = getenv("CLANG");
    unsigned best = build->compiler ? compiler_version(build->compiler) : choose_compiler(build);
    if (best == 0)
        return cc_stop(build,
                       "no clang: no other compiler has Windows' conventions and writes ELF");
    if (best < CHECKS_NEW)
        fprintf(
            build->options->report,
            "%s is version %u: before 17 a constructor runs also where operator new failed; what "
            "stage memory finds about that is the compiler's\n",
            build->compiler, best);
    return true;
}

static void add_words(struct cc_list *list, const char *const *words) {
    for (; *words; words++)
        cc_list_add(list, "%s", *words);
}

static void add_conventions(const struct cc_build *build, struct cc_list *words) {
    static const char *const conventions[] = {"-target", "x86_64-pc-windows-itanium-elf",
                                              "-Xclang", "-mrelocation-model",
                                              "-Xclang", "pic",
                                              "-Xclang", "-pic-level",
                                              "-Xclang", "2",
                                              NULL};
    if (build->image)
        cc_image_words(build, words);
    else
        add_words(words, conventions);
}

void cc_toolchain_words(const struct cc_build *build, const char *source, struct cc_list *words) {
    /* What is a warning of Microsoft's compiler and an error of newer clangs is one of neither; a
     * function without a declaration is a missing name. A variable without a value is common to the
     * sources, as with that compiler. Without unwind tables an image's exceptions do not pass
     * through a function, and the stack of a finding ends there. */
    static const char *const language[] = {"-ffreestanding",
                                           "-fms-extensions",
                                           "-fms-compatibility",
                                           "-fno-exceptions",
                                           "-fasynchronous-unwind-tables",
                                           "-fno-threadsafe-statics",
                                           "-fcheck-new",
                                           "-fno-strict-aliasing",
                                           "-fcommon",
                                           "-fno-color-diagnostics",
                                           "-fno-caret-diagnostics",
                                           "-fno-spell-checking",
                                           "-ferror-limit=0",
                                           "-Wno-everything",
                                           "-Werror=implicit-function-declaration",
                                           "-O1",
                                           "-g",
                                           "-D_KERNEL_MODE=1",
                                           "-D_AMD64_=1",
                                           "-D_WIN64=1",
                                           "-D_M_AMD64=100",
                                           "-D_M_X64=100",
                                           NULL};
    bool c = cc_is_c(source);
    cc_list_add(words, "%s", build->compiler);
    add_conventions(build, words);
    add_words(words, language);
    if (!build->image) /* an image probes the pages of its small stack */
        cc_list_add(words, "-mno-stack-arg-probe");
    if (!c)
        cc_list_add(words, "-fno-rtti");
    cc_list_add(words, "-x");
    cc_list_add(words, "%s", c ? "c" : "c++");
    cc_list_add(words, "-std=%s", c ? "c11" : "c++17");
}

/* C functions for drivers, which are in one source; `extra`: more words. */
static void compile_c_functions(struct cc_build *build, const char *source, const char *object,
                                const struct cc_list *extra, struct cc_list *objects) {
    static const char *const flags[] = {"-std=c11",
                                        "-O1",
                                        "-ffreestanding",
                                        "-fno-builtin",
                                        "-ffunction-sections",
                                        "-D_KERNEL_MODE=1",
                                        "-w",
                                        NULL};
    char *messages = NULL;
    struct cc_list words = {0};
    cc_list_add(&words, "%s", build->compiler);
    add_conventions(build, &words);
    add_words(&words, flags);
    cc_list_add_all(&words, extra);
    cc_list_add(&words, "-I%s", build->headers);
    cc_list_add(&words, "-I%s", build->run_time);
    cc_list_add(&words, "-c");
    cc_list_add(&words, "%s", source);
    cc_list_add(&words, "-o");
    cc_list_add(&words, "%s", object);
    if (cc_spawn(&words, &messages) != 0)
        cc_stop(build, "%s does not compile the C functions of drivers: %s", build->compiler,
                messages ? messages : "");
    cc_list_add(objects, "%s", object);
    cc_list_free(&words);
    free(messages);
}

static int is_c_entry(const struct dirent *entry) {
    return cc_is_c(entry->d_name);
}

/* A source that includes each that is needed of a directory below the run time's, "" or "NAME/"; false: it needs
 * none, or cannot be written. */
static bool write_functions(struct cc_build *build, const char *below, const char *source) {
    char directory[PATH_MAX];
    struct dirent **entries = NULL;
    size_t needed = 0;
    FILE *file = fopen(source, "w");
    if (!file)
        return cc_stop(build, "cannot write '%s'", source);
    int count = snprintf(directory, sizeof(directory), "%s/%s", build->run_time, below) <
                        (int)sizeof(directory)
                    ? scandir(directory, &entries, is_c_entry, alphasort)
                    : 0;
    for (int i = 0; i < count; i++) {
        if (cc_instrument_needs(build, entries[i]->d_name)) {
            fprintf(file, "#include \"%s%s\"\n", below, entries[i]->d_name);
            needed++;
        }
        free(entries[i]);
    }
    free(entries);
    if (fclose(file) != 0)
        cc_stop(build, "cannot write '%s'", source);
    return needed > 0 && !build->text[0];
}

/* One source and not each: a compiler takes longer to begin than to compile one of them. */
static void compile_directory(struct cc_build *build, const char *below, const char *name,
                              const struct cc_list *extra, struct cc_list *objects) {
    char source[PATH_MAX], object[PATH_MAX];
    if (!build->text[0] && cc_workspace_path(build, source, "crt-%s.c", name) &&
        cc_workspace_path(build, object, "crt-%s.o", name) && write_functions(build, below, source))
        compile_c_functions(build, source, object, extra, objects);
}

/* Images get the C functions from the kernel. */
static bool compile_image_run_time(struct cc_build *build, struct cc_list *objects) {
    static const struct cc_list none;
    compile_directory(build, "image/", "image", &none, objects);
    return !build->text[0];
}

/* The C functions, without the flags of the driver but with the checks of its accesses; and what
 * stands between those checks and their run time, without either. */
static bool compile_run_time(struct cc_build *build, struct cc_list *objects) {
    struct cc_list checks = {0}, frames = {0};
    cc_instrument_run_time_words(build, &checks);
    cc_list_add(&frames, "-fno-omit-frame-pointer"); /* the sanitizer walks over them */
    compile_directory(build, "", "functions", &checks, objects);
    compile_directory(build, "instrument/", "instrument", &frames, objects);
    cc_list_free(&frames);
    cc_list_free(&checks);
    return !build->text[0];
}

/* An __inline function that is declared again is a definition in each source: with Microsoft's
 * compiler any of them serves, so the first one does here. */
static void link_words(const struct cc_build *build, struct cc_list *words) {
    static const char *const flags[] = {"-shared",
                                        "-nostdlib",
                                        "-Wl,-Bsymbolic",
                                        "-Wl,--gc-sections",
                                        "-Wl,--exclude-libs,ALL",
                                        "-Wl,-z,muldefs",
                                        NULL};
    cc_list_add(words, "%s", build->compiler);
    add_words(words, flags);
    cc_list_add(words, "-o");
    cc_list_add(words, "%s", build->options->output);
}

static bool link_driver(struct cc_build *build, const struct cc_list *words) {
    char *messages = NULL;
    bool linked = cc_spawn(words, &messages) == 0;
    if (!linked) {
        fputs(messages ? messages : "", build->options->report);
        cc_stop(build, "the driver cannot be linked");
    }
    free(messages);
    return linked;
}

bool cc_link(struct cc_build *build, const struct cc_list *objects, struct cc_missing *missing) {
    struct cc_list words = {0};
    if (build->image) {
        cc_list_add_all(&words, objects);
        bool linked =
            compile_image_run_time(build, &words) && cc_image_link(build, &words, missing);
        cc_list_free(&words);
        return linked;
    }
    link_words(build, &words);
    cc_list_add_all(&words, objects);
    bool good = compile_run_time(build, &words) && link_driver(build, &words) &&
                cc_symbols(build->options->output, missing);
    cc_list_free(&words);
    return good;
}
