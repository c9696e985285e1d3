/*
 * help_cc.c - the text of vidmm cc --help.
 */
#include "cli.h"

void cli_help_cc(FILE *out) {
    fputs("Usage: vidmm cc -o OUT [FLAG...] WHAT...\n"
          "\n"
          "Builds a driver from its unedited sources into the shared object OUT, or, if OUT ends\n"
          "in .sys, into a driver image with its PDB beside it; with Windows' calling convention,\n"
          "sizes of types and layouts. WHAT: directories (the .c, .cpp, .cxx and .cc files in\n"
          "them), sources, Visual Studio projects (.vcxproj).\n"
          "\n"
          "  -o OUT                 OUT.so or OUT.sys, for vidmm check, run and inspect; an image\n"
          "                         has __try and 24 KiB of stack, and wants lld-link\n"
          "      --configuration NAME  of a project; without it its first Release\n"
          "      --platform NAME    of a project (default: x64)\n"
          "  -DNAME[=VALUE] -IDIR -O -g -include FILE ...\n"
          "                         go to clang as they are\n"
          "  -gdwarf-4              of an image: its symbols in itself instead of a PDB\n"
          "  -fsanitize=address     overruns of pool and stack and uses of what is freed end the\n"
          "                         run with their place; needs clang's run time by LD_PRELOAD,\n"
          "                         as the build says\n"
          "  -fsanitize=undefined   undefined behaviour is a finding with its place\n"
          "  --coverage             OUT.SOURCE.gcda beside OUT, for llvm-cov gcov\n"
          "                         (these three of a shared object alone)\n"
          "  -h, --help\n"
          "\n"
          "Headers are found in any letter case, and .tmh files are made from the control\n"
          "comments of WPP. All names that are missing in a build are printed in one list, with\n"
          "what to do about each. CLANG in the environment names another clang.\n"
          "\n"
          "Exit code: 0 built, 1 missing names or errors in the sources, 2 bad usage or input,\n"
          "3 the build could not run.\n",
          out);
}
