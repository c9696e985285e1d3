/*
 * words.h - the words of the command line: flags of the compiler, and what is built.
 */
#ifndef CC_WORDS_H
#define CC_WORDS_H

#include "build.h"

/* Sources, directories and projects into the build. false: build->text says why. */
bool cc_take_words(struct cc_build *build);

#endif
