/*
 * xml.c - see xml.h. A document type, where entities would come from, ends the reading; so do a
 * file of more than FILE_MOST bytes and more than DEPTH_MOST elements in each other.
 */
#include "xml.h"

#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST  (8u << 20)
#define DEPTH_MOST 32
#define NODES_MOST 100000

struct reading {
    XML_Parser parser;
    struct cc_xml *root, *at;
    unsigned depth, nodes;
    const char *why; /* NULL: nothing is wrong yet */
};

static void reading_stop(struct reading *reading, const char *why) {
    if (!reading->why)
        reading->why = why;
    XML_StopParser(reading->parser, XML_FALSE);
}

static void on_doctype(void *data, const XML_Char *name, const XML_Char *system,
                       const XML_Char *public, int internal) {
    (void)name, (void)system, (void)public, (void)internal;
    reading_stop(data, "it has a document type, which no project has");
}

static bool copy_attributes(struct cc_xml *node, const XML_Char **attributes) {
    size_t count = 0;
    while (attributes[count])
        count++;
    node->attribute = calloc(count + 1, sizeof(*node->attribute));
    for (size_t i = 0; node->attribute && i < count; i++) {
        node->attribute[i] = strdup(attributes[i]);
        if (!node->attribute[i])
            return false;
    }
    return node->attribute;
}

static void node_append(struct cc_xml *parent, struct cc_xml *node) {
    node->parent = parent;
    if (!parent)
        return;
    if (parent->last)
        parent->last->next = node;
    else
        parent->child = node;
    parent->last = node;
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes) {
    struct reading *reading = data;
    if (reading->depth++ == DEPTH_MOST || reading->nodes++ == NODES_MOST) {
        reading_stop(reading, "it has more elements than any project");
        return;
    }
    struct cc_xml *node = calloc(1, sizeof(*node));
    if (!node) {
        reading_stop(reading, "there is no memory for it");
        return;
    }
    node_append(reading->at, node);
    if (!reading->root)
        reading->root = node;
    reading->at = node;
    node->name = strdup(name);
    if (!node->name || !copy_attributes(node, attributes))
        reading_stop(reading, "there is no memory for it");
}

static void on_end(void *data, const XML_Char *name) {
    (void)name;
    struct reading *reading = data;
    reading->depth--;
    reading->at = reading->at->parent;
}

static void on_text(void *data, const XML_Char *bytes, int count) {
    struct reading *reading = data;
    struct cc_xml *node = reading->at;
    size_t have = node->text ? strlen(node->text) : 0;
    char *text = realloc(node->text, have + (size_t)count + 1);
    if (!text) {
        reading_stop(reading, "there is no memory for it");
        return;
    }
    memcpy(text + have, bytes, (size_t)count);
    text[have + (size_t)count] = '\0';
    node->text = text;
}

static void read_file(struct reading *reading, FILE *file) {
    size_t total = 0, got;
    do {
        char bytes[16384];
        got = fread(bytes, 1, sizeof(bytes), file);
        total += got;
        if (total > FILE_MOST)
            reading->why = "it is larger than 8 MiB";
        else if (XML_Parse(reading->parser, bytes, (int)got, got == 0) != XML_STATUS_OK &&
                 !reading->why)
            reading->why = XML_ErrorString(XML_GetErrorCode(reading->parser));
    } while (got > 0 && !reading->why);
}

struct cc_xml *cc_xml_read(const char *path, char *text, size_t text_bytes) {
    struct reading reading = {.parser = XML_ParserCreate(NULL)};
    FILE *file = fopen(path, "rb");
    if (!file || !reading.parser)
        reading.why = file ? "there is no memory for it" : strerror(errno);
    if (reading.parser) {
        XML_SetUserData(reading.parser, &reading);
        XML_SetElementHandler(reading.parser, on_start, on_end);
        XML_SetCharacterDataHandler(reading.parser, on_text);
        XML_SetStartDoctypeDeclHandler(reading.parser, on_doctype);
    }
    if (!reading.why)
        read_file(&reading, file);
    if (!reading.why && !(reading.root->path = strdup(path)))
        reading.why = "there is no memory for it";
    if (reading.why) {
        unsigned long line = reading.parser ? XML_GetCurrentLineNumber(reading.parser) : 0;
        snprintf(text, text_bytes, "the project '%s' cannot be read: line %lu: %s", path, line,
                 reading.why);
        cc_xml_free(reading.root);
        reading.root = NULL;
    }
    if (file)
        fclose(file);
    if (reading.parser)
        XML_ParserFree(reading.parser);
    return reading.root;
}

/* DEPTH_MOST and the depth of imports bound the calls in each other. */
void cc_xml_free(struct cc_xml *node) { /* NOLINT(misc-no-recursion) */
    while (node) {
        struct cc_xml *next = node->next;
        cc_xml_free(node->child);
        cc_xml_free(node->imported);
        for (size_t i = 0; node->attribute && node->attribute[i]; i++)
            free(node->attribute[i]);
        free(node->attribute);
        free(node->name);
        free(node->text);
        free(node->path);
        free(node);
        node = next;
    }
}

const char *cc_xml_attribute(const struct cc_xml *node, const char *name) {
    for (size_t i = 0; node->attribute && node->attribute[i] && node->attribute[i + 1]; i += 2) {
        if (strcmp(node->attribute[i], name) == 0)
            return node->attribute[i + 1];
    }
    return "";
}
