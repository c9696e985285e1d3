/*
 * groups.h - the rows, a file a group. Numbers run on from group to group without gaps, so a rule
 * is found by where its group begins (rules.c); a group's array has exactly its numbers, in order.
 */
#ifndef REFEREE_RULES_GROUPS_H
#define REFEREE_RULES_GROUPS_H

#include <wddm_version.h>

#include <vidmm/rules.h>

extern const struct vidmm_rule rules_a[31]; /* R1 - R31 */
extern const struct vidmm_rule rules_b[41]; /* R32 - R72 */
extern const struct vidmm_rule rules_c[18]; /* R73 - R90 */
extern const struct vidmm_rule rules_d[56]; /* R91 - R146 */
extern const struct vidmm_rule rules_e[27]; /* R147 - R173 */
extern const struct vidmm_rule rules_f[19]; /* R174 - R192 */
extern const struct vidmm_rule rules_g[15]; /* R193 - R207 */
extern const struct vidmm_rule rules_h[42]; /* R208 - R249 */
extern const struct vidmm_rule rules_i[15]; /* R250 - R264 */
extern const struct vidmm_rule rules_j[8];  /* R265 - R272 */
extern const struct vidmm_rule rules_k[11]; /* R273 - R283 */
extern const struct vidmm_rule rules_l[27]; /* R284 - R310 */
extern const struct vidmm_rule rules_m[21]; /* R311 - R331 */
extern const struct vidmm_rule rules_n[11]; /* R332 - R342 */
extern const struct vidmm_rule rules_o[11]; /* R343 - R353 */
extern const struct vidmm_rule rules_p[6];  /* R354 - R359 */
extern const struct vidmm_rule rules_q[4];  /* R360 - R363 */
extern const struct vidmm_rule rules_r[5];  /* R364 - R368 */
extern const struct vidmm_rule rules_s[24]; /* R369 - R392 */
extern const struct vidmm_rule rules_t[10]; /* R393 - R402 */

#endif
