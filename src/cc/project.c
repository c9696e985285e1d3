/*
 * project.c - see project.h.
 *
 * As MSBuild does, three passes over the project and what it imports, in the order of the text:
 * properties, then definitions of items, then items. Sheets of the tools ($(VCTargetsPath)) are not
 * there; what they would set is set in project_begin. What one file of the project adds to include
 * directories and definitions is added for all of them.
 */
#include "project.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "paths.h"
#include "properties.h"
#include "xml.h"

#define IMPORTS_MOST 16 /* in each other */

enum pass { PASS_CONFIGURATIONS, PASS_PROPERTIES, PASS_DEFINITIONS, PASS_ITEMS };

struct project {
    struct cc_build *build;
    struct cc_settings *settings;
    unsigned index;
    struct cc_properties properties;
    enum pass pass;
    const char *path; /* of the file that is walked, which may be imported */
    char directory[PATH_MAX];
    unsigned imports;        /* that the walk is in */
    struct cc_list imported; /* files, each of which counts once */
    char configuration[128]; /* "" until one is found */
};

static bool holds(const struct project *project, const struct cc_xml *node) {
    char directory[PATH_MAX];
    cc_directory_of(project->path, directory);
    return cc_condition(&project->properties, cc_xml_attribute(node, "Condition"), directory);
}

static char *node_value(const struct project *project, const struct cc_xml *node) {
    char *value = cc_expand(&project->properties, node->text ? node->text : "");
    if (!value)
        project->settings->includes.failed = true;
    return value;
}

static void set_property(struct project *project, const struct cc_xml *node, const char *prefix) {
    char name[256], *value = node_value(project, node);
    if (value && snprintf(name, sizeof(name), "%s%s", prefix, node->name) < (int)sizeof(name))
        cc_property_set(&project->properties, name, value);
    free(value);
}

/* The children of a group, or of a definition of ClCompile, that hold. */
static void set_properties(struct project *project, const struct cc_xml *group,
                           const char *prefix) {
    for (const struct cc_xml *node = group->child; node; node = node->next) {
        if (holds(project, node))
            set_property(project, node, prefix);
    }
}

/* A ProjectConfiguration, "Release|x64": of the platform, and a Release rather than another. */
static void take_configuration(struct project *project, const struct cc_xml *node) {
    const char *name = cc_xml_attribute(node, "Include"), *bar = strchr(name, '|');
    const struct vidmm_cc_options *options = project->build->options;
    if (!bar || (size_t)(bar - name) >= sizeof(project->configuration) ||
        strcasecmp(bar + 1, options->platform ? options->platform : "x64") != 0)
        return;
    char configuration[sizeof(project->configuration)];
    snprintf(configuration, sizeof(configuration), "%.*s", (int)(bar - name), name);
    bool asked = options->configuration && strcasecmp(options->configuration, configuration) == 0;
    bool better = !strcasestr(project->configuration, "release") &&
                  (!project->configuration[0] || strcasestr(configuration, "release"));
    if (asked || (!options->configuration && better))
        strcpy(project->configuration, configuration);
}

static bool excluded(const struct project *project, const struct cc_xml *item) {
    for (const struct cc_xml *node = item->child; node; node = node->next) {
        if (strcmp(node->name, "ExcludedFromBuild") == 0 && node->text && holds(project, node) &&
            strcasestr(node->text, "true"))
            return true;
    }
    return false;
}

static void take_source(struct project *project, const char *name) {
    char path[PATH_MAX];
    if (!cc_is_source(name))
        return;
    if (cc_find_path(project->directory, name, path))
        cc_add_source(project->build, path, project->index);
    else
        cc_stop(project->build, "the project '%s' names the source '%s', which is not there",
                project->path, path);
}

/* "*.cpp": the sources of one directory. */
static void take_pattern(struct project *project, const char *pattern) {
    char found[PATH_MAX], directory[PATH_MAX];
    cc_find_path(project->directory, pattern, found);
    cc_directory_of(found, directory);
    const char *ending = strchr(cc_name_of(found), '*') + 1;
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name), tail = strlen(ending);
        if (length >= tail && strcasecmp(name + length - tail, ending) == 0 &&
            snprintf(found, sizeof(found), "%s/%s", directory, name) < (int)sizeof(found) &&
            cc_is_source(found))
            cc_add_source(project->build, found, project->index);
        free(entries[i]);
    }
    free(entries);
}

static void take_item(struct project *project, const struct cc_xml *item) {
    if (strcmp(item->name, "ProjectConfiguration") == 0 && project->pass == PASS_CONFIGURATIONS)
        take_configuration(project, item);
    if (strcmp(item->name, "ClCompile") != 0 || project->pass != PASS_ITEMS ||
        excluded(project, item))
        return;
    char *names = cc_expand(&project->properties, cc_xml_attribute(item, "Include"));
    struct cc_list parts = {0};
    if (names)
        cc_list_add_parts(&parts, names, ';');
    for (size_t i = 0; i < parts.count; i++) {
        if (strchr(cc_name_of(parts.word[i]), '*'))
            take_pattern(project, parts.word[i]);
        else
            take_source(project, parts.word[i]);
    }
    project->build->sources.failed |= parts.failed || !names;
    cc_list_free(&parts);
    free(names);
    set_properties(project, item, "ClCompile.");
}

static void project_walk(struct project *project, struct cc_xml *root);

static void walk_import(struct project *project,
                        struct cc_xml *node) { /* NOLINT(misc-no-recursion) */
    if (!node->imported && project->pass == PASS_PROPERTIES && project->imports < IMPORTS_MOST) {
        char directory[PATH_MAX], looked[PATH_MAX], found[PATH_MAX];
        cc_directory_of(project->path, directory);
        char *name = cc_expand(&project->properties, cc_xml_attribute(node, "Project"));
        bool there = name && cc_find_path(directory, name, looked) && realpath(looked, found);
        if (there && !cc_list_has(&project->imported, found)) {
            cc_list_add(&project->imported, "%s", found);
            node->imported = cc_xml_read(found, project->build->text, sizeof(project->build->text));
        }
        free(name);
    }
    if (!node->imported)
        return;
    const char *path = project->path;
    project->imports++;
    project->path = node->imported->path;
    project_walk(project, node->imported);
    project->path = path;
    project->imports--;
}

static void walk_definitions(struct project *project, const struct cc_xml *group) {
    for (const struct cc_xml *node = group->child; node; node = node->next) {
        if (strcmp(node->name, "ClCompile") == 0 && holds(project, node))
            set_properties(project, node, "ClCompile.");
    }
}

static void walk_items(struct project *project, const struct cc_xml *group) {
    for (const struct cc_xml *node = group->child; node; node = node->next) {
        if (holds(project, node))
            take_item(project, node);
    }
}

/* Project, ImportGroup: what the pass is about. */
static void project_walk(struct project *project,
                         struct cc_xml *root) { /* NOLINT(misc-no-recursion) */
    for (struct cc_xml *node = root->child; node; node = node->next) {
        if (project->build->text[0] || !holds(project, node))
            continue;
        if (strcmp(node->name, "Import") == 0)
            walk_import(project, node);
        else if (strcmp(node->name, "ImportGroup") == 0)
            project_walk(project, node);
        else if (strcmp(node->name, "PropertyGroup") == 0 && project->pass == PASS_PROPERTIES)
            set_properties(project, node, "");
        else if (strcmp(node->name, "ItemDefinitionGroup") == 0 &&
                 project->pass == PASS_DEFINITIONS)
            walk_definitions(project, node);
        else if (strcmp(node->name, "ItemGroup") == 0)
            walk_items(project, node);
    }
}

/* The directory of the solution: the nearest one above that has a .sln file, else the project's. */
static void solution_directory(const char *directory, char found[PATH_MAX]) {
    char real[PATH_MAX];
    if (!realpath(directory, real))
        strcpy(real, directory);
    snprintf(found, PATH_MAX, "%s", real);
    for (char *slash = real + strlen(real); slash; slash = strrchr(real, '/')) {
        *slash = '\0';
        DIR *entries = opendir(real[0] ? real : "/");
        bool solution = false;
        for (struct dirent *entry; entries && !solution && (entry = readdir(entries));) {
            const char *dot = strrchr(entry->d_name, '.');
            solution = dot && strcasecmp(dot, ".sln") == 0;
        }
        if (entries)
            closedir(entries);
        if (solution) {
            snprintf(found, PATH_MAX, "%s", real);
            return;
        }
    }
}

static void set_directory(struct project *project, const char *name, const char *directory) {
    char text[PATH_MAX + 1];
    snprintf(text, sizeof(text), "%s/", directory);
    cc_property_set(&project->properties, name, text);
}

static void project_begin(struct project *project) {
    char real[PATH_MAX], solution[PATH_MAX];
    struct cc_properties *properties = &project->properties;
    if (!realpath(project->directory, real))
        strcpy(real, project->directory);
    solution_directory(real, solution);
    set_directory(project, "ProjectDir", real);
    set_directory(project, "MSBuildThisFileDirectory", real);
    cc_property_set(properties, "MSBuildProjectDirectory", real);
    set_directory(project, "SolutionDir", solution);
    cc_property_set(properties, "Configuration", project->configuration);
    const char *platform = project->build->options->platform;
    cc_property_set(properties, "Platform", platform ? platform : "x64");
}

static void take_path_list(const struct project *project, const char *name, struct cc_list *list) {
    struct cc_list parts = {0};
    cc_list_add_parts(&parts, cc_property(&project->properties, name), ';');
    for (size_t i = 0; i < parts.count; i++) {
        char found[PATH_MAX];
        if (cc_find_path(project->directory, parts.word[i], found))
            cc_list_add(list, "%s", found);
    }
    list->failed |= parts.failed;
    cc_list_free(&parts);
}

/* What the passes found, into the settings. */
static void project_end(struct project *project) {
    const struct cc_properties *properties = &project->properties;
    struct cc_settings *settings = project->settings;
    take_path_list(project, "ClCompile.AdditionalIncludeDirectories", &settings->includes);
    take_path_list(project, "IncludePath", &settings->includes);
    cc_list_add(&settings->includes, "%s", project->directory);
    cc_list_add_parts(&settings->defines,
                      cc_property(properties, "ClCompile.PreprocessorDefinitions"), ';');
    take_path_list(project, "ClCompile.WppScanConfigurationData", &settings->configs);
    cc_list_add_parts(&settings->traces, cc_property(properties, "ClCompile.WppTraceFunction"),
                      ';');
    cc_list_add_parts(&settings->forced, cc_property(properties, "ClCompile.ForcedIncludeFiles"),
                      ';');
    settings->defines.failed |= properties->names.failed || properties->values.failed;
}

static void project_evaluate(struct project *project, struct cc_xml *root) {
    project->pass = PASS_CONFIGURATIONS;
    project_walk(project, root);
    const char *asked = project->build->options->configuration;
    if (!project->configuration[0]) {
        cc_stop(project->build, "the project '%s' has no configuration %s|%s", project->path,
                asked ? asked : "for", cc_property(&project->properties, "Platform"));
        return;
    }
    project_begin(project);
    char real[PATH_MAX];
    if (realpath(project->path, real))
        cc_list_add(&project->imported, "%s", real);
    for (int pass = PASS_PROPERTIES; pass <= PASS_ITEMS; pass++) {
        project->pass = (enum pass)pass;
        project_walk(project, root);
    }
    project_end(project);
}

bool cc_take_project(struct cc_build *build, const char *path) {
    if (build->projects == CC_PROJECTS)
        return cc_stop(build, "more than %d projects", CC_PROJECTS);
    struct cc_xml *root = cc_xml_read(path, build->text, sizeof(build->text));
    if (!root)
        return false;
    unsigned index = ++build->projects;
    struct project project = {
        .build = build, .index = index, .settings = &build->settings[index], .path = path};
    cc_directory_of(path, project.directory);
    size_t before = build->sources.count;
    const char *platform = build->options->platform;
    cc_property_set(&project.properties, "Platform", platform ? platform : "x64");
    if (strcmp(root->name, "Project") != 0)
        cc_stop(build, "'%s' is no project: its root element is %s", path, root->name);
    else
        project_evaluate(&project, root);
    cc_list_free(&project.imported);
    cc_properties_free(&project.properties);
    cc_xml_free(root);
    if (!build->text[0] && build->sources.count == before)
        cc_stop(build, "the project '%s' names no source for %s", path, project.configuration);
    return !build->text[0];
}
