/*
 * also.h - what is wrong beside what an error tells, so that an author hears all of it at once.
 */
#ifndef VIDMM_MANAGER_ALSO_H
#define VIDMM_MANAGER_ALSO_H

#include <vidmm/manager.h>

#include "reported/query.h"

/* One more name in `error->also`, while there is room. */
void error_also(struct vidmm_error *error, const char *name);
/* Behind a query that the driver did not answer: asks the others that a start needs of such a driver,
 * and names those that it does not answer either. */
void query_rest(const struct query_context *context, struct adapter_facts *facts,
                struct vidmm_error *error);

#endif
