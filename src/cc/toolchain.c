/*
 * toolchain.c - see toolchain.h.
 */
#include "toolchain.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool cc_find_compiler(struct cc_build *build) {
    static const char *const names[] = {"clang",    "clang-21", "clang-20", "clang-19", "clang-18",
                                        "clang-17", "clang-16", "clang-15", "clang-14"};
    build->compiler = getenv("CLANG");
    unsigned best = build->compiler ? compiler_version(build->compiler) : 0;
    for (size_t i = 0; !build->compiler && i < sizeof(names) / sizeof(names[0]); i++) {
        unsigned version = compiler_version(names[i]);
        best = version > best ? version : best;
        if (version >= CHECKS_NEW)
            build->compiler = names[i];
    }
    for (size_t i = 0; best > 0 && !build->compiler && i < sizeof(names) / sizeof(names[0]); i++) {
        if (compiler_version(names[i]) == best)
            build->compiler = names[i];
    }
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

static void add_conventions(struct cc_list *words) {
    static const char *const conventions[] = {"-target", "x86_64-pc-windows-itanium-elf",
                                              "-Xclang", "-mrelocation-model",
                                              "-Xclang", "pic",
                                              "-Xclang", "-pic-level",
                                              "-Xclang", "2",
                                              NULL};
    add_words(words, conventions);
}

void cc_toolchain_words(const struct cc_build *build, const char *source, struct cc_list *words) {
    /* What is a warning of Microsoft's compiler and an error of newer clangs is one of neither; a
     * function without a declaration is a missing name. */
    static const char *const language[] = {"-ffreestanding",
                                           "-fms-extensions",
                                           "-fms-compatibility",
                                           "-fno-exceptions",
                                           "-fno-threadsafe-statics",
                                           "-fcheck-new",
                                           "-mno-stack-arg-probe",
                                           "-fno-strict-aliasing",
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
    add_conventions(words);
    add_words(words, language);
    if (!c)
        cc_list_add(words, "-fno-rtti");
    cc_list_add(words, "-x");
    cc_list_add(words, "%s", c ? "c" : "c++");
    cc_list_add(words, "-std=%s", c ? "c11" : "c++17");
}

/* The C functions, without the flags of the driver: a sanitizer would look into itself. */
static bool compile_run_time(struct cc_build *build, struct cc_list *objects) {
    static const char *const flags[] = {"-std=c11",
                                        "-O1",
                                        "-ffreestanding",
                                        "-fno-builtin",
                                        "-ffunction-sections",
                                        "-D_KERNEL_MODE=1",
                                        "-w",
                                        NULL};
    struct dirent **entries = NULL;
    int count = scandir(build->run_time, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char object[PATH_MAX], *messages = NULL;
        if (cc_is_c(entries[i]->d_name) && !build->text[0] &&
            cc_workspace_path(build, object, "crt-%s.o", entries[i]->d_name)) {
            struct cc_list words = {0};
            cc_list_add(&words, "%s", build->compiler);
            add_conventions(&words);
            add_words(&words, flags);
            cc_list_add(&words, "-I%s", build->headers);
            cc_list_add(&words, "-I%s", build->run_time);
            cc_list_add(&words, "-c");
            cc_list_add(&words, "%s/%s", build->run_time, entries[i]->d_name);
            cc_list_add(&words, "-o");
            cc_list_add(&words, "%s", object);
            if (cc_spawn(&words, &messages) != 0)
                cc_stop(build, "%s does not compile %s: %s", build->compiler, entries[i]->d_name,
                        messages ? messages : "");
            cc_list_add(objects, "%s", object);
            cc_list_free(&words);
        }
        free(messages);
        free(entries[i]);
    }
    free(entries);
    return !build->text[0];
}

static void link_words(const struct cc_build *build, struct cc_list *words) {
    static const char *const flags[] = {
        "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL",
        NULL};
    cc_list_add(words, "%s", build->compiler);
    add_words(words, flags);
    cc_list_add(words, "-o");
    cc_list_add(words, "%s", build->options->output);
}

bool cc_link(struct cc_build *build, const struct cc_list *objects, struct cc_missing *missing) {
    struct cc_list words = {0};
    link_words(build, &words);
    cc_list_add_all(&words, objects);
    char *messages = NULL;
    if (compile_run_time(build, &words) && cc_spawn(&words, &messages) != 0) {
        fputs(messages ? messages : "", build->options->report);
        cc_stop(build, "the driver cannot be linked");
    }
    free(messages);
    cc_list_free(&words);
    return !build->text[0] && cc_symbols(build->options->output, missing);
}
