/*
 * registry.h - the referees of this process.
 *
 * Functions of the DDI have no argument that tells two adapters apart: their handles are the
 * driver's, and two drivers may give out equal ones; some callbacks have no handle at all. So each
 * referee has a slot, each watched function exists once a slot (watch/thunk.h), and the tables that
 * a referee interposes lead to the functions of its slot. A call tells its referee by the table
 * that it came through.
 */
#ifndef REFEREE_REGISTRY_H
#define REFEREE_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

struct vidmm_referee;

/* Referees at a time. */
#define REGISTRY_SLOTS 16u

/* X(0, ...) to X(15, ...). */
#define REGISTRY_EACH(X, ...) REGISTRY_LOW(X, __VA_ARGS__) REGISTRY_HIGH(X, __VA_ARGS__)
/* clang-format off */
#define REGISTRY_LOW(X, ...)                                                                       \
    X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)                        \
    X(4, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__) X(7, __VA_ARGS__)
#define REGISTRY_HIGH(X, ...)                                                                      \
    X(8, __VA_ARGS__) X(9, __VA_ARGS__) X(10, __VA_ARGS__) X(11, __VA_ARGS__)                      \
    X(12, __VA_ARGS__) X(13, __VA_ARGS__) X(14, __VA_ARGS__) X(15, __VA_ARGS__)
/* clang-format on */

/* Sets referee->slot; false: there are as many as can be. */
bool registry_add(struct vidmm_referee *referee);
void registry_remove(struct vidmm_referee *referee);
/* The referee in a slot. */
struct vidmm_referee *registry_at(uint32_t slot);

#endif
