/* sections.h - section objects (pages nf-wdm-zwcreatesection, nf-wdm-zwmapviewofsection): memory that
 * is no file's, with handles, references and views. One lives as long as one of these. */
#ifndef HOST_SECTIONS_H
#define HOST_SECTIONS_H

#include <ntddk.h>

/* Adds to the references of the section; the count that is left; 0 and nothing else: it is none. */
LONG host_section_reference(void *object, LONG change);
/* Its name; NULL: it is no section. */
const UNICODE_STRING *host_section_name(const void *object);
/* A handle more; NULL: it is no section, or no memory. */
HANDLE host_section_handle(void *object);
/* What a driver left behind goes; returns how many handles were open. */
uint32_t host_sections_forget(void);

#endif
