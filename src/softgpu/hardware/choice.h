/*
 * choice.h - the fastest way to copy, by the size of a copy: found by the first copies of each size
 * themselves, which take the ways in turn. So nothing is moved for the sake of measuring, memory is
 * as cold as it is, and a run with few copies pays nothing.
 *
 * Any thread may copy. What is copied does not depend on what is chosen.
 */
#ifndef SOFTGPU_HW_CHOICE_H
#define SOFTGPU_HW_CHOICE_H

#include <stddef.h>

/* As ways.h wants the arguments. */
void choice_copy(unsigned char *to, const unsigned char *from, size_t bytes,
                 const unsigned char *ahead);

#endif
