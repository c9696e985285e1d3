/*
 * check.h - the adapter's records against each other, at the highest level of assertions
 * (base/assert.h): after each call of the API, with api_lock and lock still held.
 *
 * A record is what the manager keeps of one concept in one place; most of its content follows from
 * another record as well. A contradiction is reported through vidmm_os.assertion_failed, in a
 * sentence that names the record and the object: "segment 2: ...". The checks change nothing and
 * take no memory.
 */
#ifndef VIDMM_MANAGER_CHECK_H
#define VIDMM_MANAGER_CHECK_H

#include <vidmm/manager.h>

/* api_lock and lock are held, and no plan is under way. */
void adapter_check(struct vidmm_adapter *adapter);

#endif
