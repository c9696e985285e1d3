/*
 * build.h - what a build is made from, whoever named it: the command line (words.c) or a project
 * file (project.c).
 */
#ifndef CC_BUILD_H
#define CC_BUILD_H

#include <limits.h>

#include <vidmm/cc.h>

#include "list.h"

#define CC_PROJECTS 16 /* projects in one build */
#define CC_TEXT     512
#define CC_TOOL     32

/* How the sources of one project are compiled; the first are those of the command line. */
struct cc_settings {
    struct cc_list includes; /* directories */
    struct cc_list defines;  /* NAME or NAME=VALUE */
    struct cc_list forced;   /* headers before each source */
    struct cc_list traces;   /* names of WPP's functions that an option of the project declares */
    struct cc_list configs;  /* headers that have WPP's control comments */
};

struct cc_build {
    const struct vidmm_cc_options *options;
    struct cc_list flags;   /* the user's, for each call of the compiler */
    struct cc_list sources; /* paths */
    unsigned *settings_of;  /* of each source, an index */
    struct cc_settings settings[CC_PROJECTS + 1];
    unsigned projects;
    char headers[PATH_MAX];   /* include/wddm */
    char run_time[PATH_MAX];  /* the C functions that a driver gets with it */
    char workspace[PATH_MAX]; /* a directory of its own below $TMPDIR, removed at the end */
    const char *compiler;
    bool image;           /* a driver image is built, no shared object */
    char linker[CC_TOOL]; /* of an image; and what makes its import library */
    char librarian[CC_TOOL];
    char text[CC_TEXT]; /* why it stops, one sentence */
};

/* Sets the sentence, unless there is one. Returns false. */
bool cc_stop(struct cc_build *build, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cc_add_source(struct cc_build *build, const char *path, unsigned settings);
bool cc_is_source(const char *path);
bool cc_is_c(const char *path);

#endif
