/*
 * xml.h - a project file as a tree: expat reads it, nothing of it is believed.
 */
#ifndef CC_XML_H
#define CC_XML_H

#include <stddef.h>

struct cc_xml {
    char *name;
    char **attribute; /* name, value, name, value ..., NULL */
    char *text;       /* between the tags, NULL for none */
    struct cc_xml *child, *last, *next;
    struct cc_xml *parent;
    struct cc_xml *imported; /* what an Import names; set by project.c */
    char *path;              /* of the file, in its root */
};

/* NULL: `text` says in one sentence what is wrong with the file. */
struct cc_xml *cc_xml_read(const char *path, char *text, size_t text_bytes);
void cc_xml_free(struct cc_xml *node);
/* An attribute's value, "" for none. */
const char *cc_xml_attribute(const struct cc_xml *node, const char *name);

#endif
