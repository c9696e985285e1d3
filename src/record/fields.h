/*
 * fields.h - how the members of arguments and answers are told to a visitor, and the families of
 * calls that tell theirs: one function before a call, one after it.
 */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include "record.h"

/* Elements of a list that are told; of the others their number. */
#define FIELDS_LISTED 128u

struct fields {
    const struct vidmm_field_visitor *visitor;
    struct vidmm_record *record;
    const struct vidmm_host_call *call;
    bool succeeded; /* it has returned with success: what the driver wrote counts */
};

static inline void field_number(const struct fields *f, const char *name, uint64_t value) {
    f->visitor->number(f->visitor->ctx, name, value);
}

static inline void field_hex(const struct fields *f, const char *name, uint64_t value) {
    f->visitor->hex(f->visitor->ctx, name, value);
}

static inline void field_text(const struct fields *f, const char *name, const char *value) {
    f->visitor->text(f->visitor->ctx, name, value);
}

static inline void field_begin(const struct fields *f, const char *name, bool list) {
    f->visitor->begin(f->visitor->ctx, name, list);
}

static inline void field_end(const struct fields *f) {
    f->visitor->end(f->visitor->ctx);
}

/* A member of the structure `a` by its own name. */
#define NUMBER(member)          field_number(f, #member, (uint64_t)a->member)
#define HEX(member)             field_hex(f, #member, (uint64_t)a->member)
#define FLAGS(member)           field_hex(f, #member, (uint64_t)a->member.Value)
#define HANDLE_OF(kind, member) field_handle(f, #member, HANDLE_##kind, a->member)
#define ADDRESS(member)         field_hex(f, #member, (uint64_t)a->member.QuadPart)

/* "allocation 3"; of NULL, nothing. */
void field_handle(const struct fields *f, const char *name, enum handle_kind kind,
                  const void *handle);
/* Of `count` elements those that are told; a list is begun. */
uint32_t field_list(const struct fields *f, const char *name, uint64_t count);
/* Ends that list. */
void field_list_end(const struct fields *f, uint64_t count);
/* Pages of an MDL: how many, and the first. */
void field_mdl(const struct fields *f, const char *name, const MDL *mdl);

/* What the watcher keeps of a call: what is read through pointers after it is bounded by what they
 * were before it, since the driver may have changed them. The last one is the call's number. */
#define FIELDS_NUMBER 3u
void fields_keep(struct vidmm_host_call *call);
/* An object is gone, if the call succeeded: the driver may give out its handle again. */
void fields_forget(struct vidmm_record *record, const struct vidmm_host_call *call);

/* One family of calls: the arguments of a call, and what the driver wrote. */
struct said {
    const char *name; /* "DxgkDdiPatch" */
    void (*arguments)(const struct fields *f, const void *args);
    void (*answers)(const struct fields *f, const void *args);
    void (*keep)(struct vidmm_host_call *call); /* before the call, for `answers`; NULL: nothing */
    enum handle_kind of;                        /* what the first argument is */
    enum handle_kind object; /* what the other one is; HANDLE_ADAPTER: no handle */
    const char *others[3];   /* the names of those beside handle and structure */
    bool no_status;          /* it returns something else */
};

extern const struct said said_objects[], said_allocations[], said_work[], said_queries[],
    said_migration[], said_displays[];
/* say_surfaces.c: a surface of the system's; what an allocation with such private data is, if that is known. */
void say_standard(const struct fields *f, const void *args);
void say_standard_answer(const struct fields *f, const void *args);
void say_surface_of(const struct fields *f, const void *data, uint32_t size);
/* say_paging.c */
void say_keep_paging(struct vidmm_host_call *call);
void say_paging(const struct fields *f, const void *args);
void say_paging_answer(const struct fields *f, const void *args);

#endif
