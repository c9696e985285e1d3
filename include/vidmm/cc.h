/*
 * vidmm/cc.h - builds a driver from its unedited sources, for vidmm check and vidmm run.
 *
 * clang compiles for a Windows target: calling convention, sizes of types and layouts are Windows';
 * the result is a shared object, or a driver image where the output ends in .sys. Names that the headers lack are gathered
 * over all files of a build and told in one list.
 */
#ifndef VIDMM_CC_H
#define VIDMM_CC_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a build ended: the exit codes of vidmm cc. */
enum vidmm_cc_status {
    VIDMM_CC_BUILT = 0,
    VIDMM_CC_WRONG = 1,     /* the sources: missing names, errors of the compiler */
    VIDMM_CC_BAD_INPUT = 2, /* the command line, a project file, a path */
    VIDMM_CC_FAILED = 3,    /* no compiler, no room on the disk */
};

struct vidmm_cc_options {
    const char *output;        /* a shared object; NAME.sys: a driver image */
    const char *const *words;  /* flags of the compiler; sources, directories, .vcxproj files */
    size_t word_count;         /* */
    const char *configuration; /* of a project; NULL: its first Release of the platform */
    const char *platform;      /* NULL: x64 */
    FILE *report;              /* the list of missing names, the compiler's errors */
};

/* `text`: one sentence, empty where the report has said everything. */
enum vidmm_cc_status vidmm_cc(const struct vidmm_cc_options *options, char *text,
                              size_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
