/*
 * paths.c - see paths.h.
 */
#include "paths.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Appends the component `name` as the directory `path` spells it, or as it is. */
static bool append(char path[PATH_MAX], const char *name) {
    char exact[PATH_MAX];
    const char *separator = path[0] && path[strlen(path) - 1] != '/' ? "/" : "";
    if (snprintf(exact, sizeof(exact), "%s%s%s", path, separator, name) >= (int)sizeof(exact))
        return false;
    struct stat status;
    bool there = stat(exact, &status) == 0;
    DIR *directory = there ? NULL : opendir(path[0] ? path : ".");
    for (struct dirent *entry; directory && !there && (entry = readdir(directory));) {
        if (strcasecmp(entry->d_name, name) != 0)
            continue;
        there = snprintf(exact, sizeof(exact), "%s%s%s", path, separator, entry->d_name) <
                (int)sizeof(exact);
    }
    if (directory)
        closedir(directory);
    strcpy(path, exact);
    return there;
}

bool cc_find_path(const char *directory, const char *path, char found[PATH_MAX]) {
    char rest[PATH_MAX];
    found[0] = '\0';
    if (snprintf(rest, sizeof(rest), "%s", path) >= (int)sizeof(rest))
        return false;
    for (char *c = rest; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    if (snprintf(found, PATH_MAX, "%s", rest[0] == '/' ? "/" : directory) >= PATH_MAX)
        return false;
    bool there = true;
    char *save = NULL;
    for (char *name = strtok_r(rest, "/", &save); name; name = strtok_r(NULL, "/", &save))
        there = append(found, name) && there;
    return there && found[0];
}

void cc_directory_of(const char *path, char directory[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(directory, ".");
    else
        snprintf(directory, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char *cc_name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
