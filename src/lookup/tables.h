/*
 * tables.h - the tables of codes and records, and what their rows are written with.
 */
#ifndef LOOKUP_TABLES_H
#define LOOKUP_TABLES_H

#include <vidmm/lookup.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers of records in a row: W(21), F(20). */
#define W(number) (number)
#define F(number) (VIDMM_RECORD_MISTAKE + (number))

struct record_table {
    const struct vidmm_record *rows;
    size_t count;
};

struct code_table {
    const struct vidmm_code *rows;
    size_t count;
};

/* What Windows was seen to do: W rows. */
extern const struct record_table records_seen;
/* What drivers got wrong: F rows. */
extern const struct record_table records_mistakes;

extern const struct code_table codes_video;   /* bugchecks and live dumps of graphics */
extern const struct code_table codes_general; /* bugchecks of any driver */
extern const struct code_table codes_problem; /* the Device Manager's */
extern const struct code_table codes_status;  /* statuses of which there is something to say */
extern const struct code_table codes_named;   /* statuses of which only the name is known */

/* By parameter 1: of 0x10E, 0x119, 0x1E4 and 0x1B0. */
extern const struct vidmm_case_table cases_memory;
extern const struct vidmm_case_table cases_scheduler;
extern const struct vidmm_case_table cases_iommu;
extern const struct vidmm_case_table cases_miniport;

#endif
