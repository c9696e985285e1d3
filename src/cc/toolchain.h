/*
 * toolchain.h - the compiler, and the words that make it compile as the WDK's does.
 */
#ifndef CC_TOOLCHAIN_H
#define CC_TOOLCHAIN_H

#include "build.h"
#include "missing.h"

/* A clang, of 17 or later where there is one. false: build->text says why. */
bool cc_find_compiler(struct cc_build *build);
/* Conventions, sizes and layouts of Windows, in position-independent ELF or in COFF; C or C++ by the
 * name. */
void cc_toolchain_words(const struct cc_build *build, const char *source, struct cc_list *words);
/* Links the objects with what each driver gets into options->output; symbols that nothing defines
 * into `missing`. false: build->text says why. */
bool cc_link(struct cc_build *build, const struct cc_list *objects, struct cc_missing *missing);

#endif
