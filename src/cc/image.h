/*
 * image.h - a driver image (.sys) out of the same sources as a shared object: PE32+ for x64, by clang
 * for Microsoft's conventions and lld-link, with a PDB beside it.
 */
#ifndef CC_IMAGE_H
#define CC_IMAGE_H

#include "build.h"
#include "missing.h"

/* The output is to be an image. */
bool cc_image_wanted(const char *output);
/* What a shared object can have and an image cannot, and the programs that link one. false:
 * build->text says why. */
bool cc_image_possible(struct cc_build *build);
/* The target, and the kind of symbols. */
void cc_image_words(const struct cc_build *build, struct cc_list *words);
/* Links the objects into options->output: what they lack is imported from the kernel, or goes into
 * `missing`. false: build->text says why. */
bool cc_image_link(struct cc_build *build, const struct cc_list *objects,
                   struct cc_missing *missing);
/* Removes what a link has written. */
void cc_image_remove(const struct cc_build *build);

#endif
