/*
 * imports.c - what a driver image imports, by library: the names that vidmm does not have first.
 */
#include <vidmm/printable.h>
#include <vidmm/report.h>

#include <string.h>

#define WIDTH  100 /* of a line */
#define INDENT 13

static bool same_library(const struct vidmm_inspection *inspection, size_t a, size_t b) {
    return strcmp(inspection->imports[a].library, inspection->imports[b].library) == 0;
}

static size_t count_names(const struct vidmm_inspection *inspection, size_t of, bool known) {
    size_t count = 0;
    for (size_t i = 0; i < inspection->import_count; i++)
        count += same_library(inspection, i, of) && inspection->imports[i].known == known;
    return count;
}

static void print_names(FILE *out, const struct vidmm_inspection *inspection, size_t of,
                        bool known) {
    size_t at = INDENT;
    const char *before = "";
    if (count_names(inspection, of, known) == 0)
        return;
    fprintf(out, "    %-*s", INDENT - 4, known ? "known" : "unknown");
    for (size_t i = 0; i < inspection->import_count; i++) {
        const struct vidmm_run_import *import = &inspection->imports[i];
        if (!same_library(inspection, i, of) || import->known != known)
            continue;
        fputs(before, out);
        if (at != INDENT && at + strlen(import->name) + 2 > WIDTH)
            at = (size_t)fprintf(out, "\n%*s", INDENT, "") - 1;
        at += (size_t)fprintf(out, "%s%s", at == INDENT ? "" : " ", import->name) + 1;
        before = ",";
    }
    fputs("\n", out);
}

void vidmm_report_imports(FILE *out, const struct vidmm_inspection *inspection) {
    char driver[256];
    if (inspection->import_count == 0)
        return;
    fprintf(out, "imports of %s\n",
            vidmm_printable_copy(inspection->driver, driver, sizeof(driver)));
    for (size_t i = 0; i < inspection->import_count; i++) {
        size_t first = 0;
        while (!same_library(inspection, first, i))
            first++;
        if (first != i)
            continue;
        size_t unknown = count_names(inspection, i, false),
               names = unknown + count_names(inspection, i, true);
        fprintf(out, "  %s: %zu name%s, %zu unknown\n", inspection->imports[i].library, names,
                names == 1 ? "" : "s", unknown);
        print_names(out, inspection, i, false);
        print_names(out, inspection, i, true);
    }
    fputs("\n", out);
}
