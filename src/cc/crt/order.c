/* SPDX-License-Identifier: MIT */
/* Order and search of stdlib.h. */
#include "stdlib.h"

static void swap(char *a, char *b, size_t bytes) {
    while (bytes-- > 0) {
        char c = *a;
        *a++ = *b;
        *b++ = c;
    }
}

/* A heap: no memory, no stack, n log n in every case. */
static void sift(char *base, size_t root, size_t count, size_t bytes, foreign_order compare) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(base + child * bytes, base + (child + 1) * bytes) < 0)
            child++;
        if (compare(base + root * bytes, base + child * bytes) >= 0)
            return;
        swap(base + root * bytes, base + child * bytes, bytes);
    }
}

FOREIGN_FUNCTION void qsort(void *base, size_t count, size_t bytes, foreign_order compare) {
    for (size_t i = count / 2; i-- > 0;)
        sift(base, i, count, bytes, compare);
    for (size_t last = count; last-- > 1;) {
        swap(base, (char *)base + last * bytes, bytes);
        sift(base, 0, last, bytes, compare);
    }
}

FOREIGN_FUNCTION void *bsearch(const void *key, const void *base, size_t count, size_t bytes,
                               foreign_order compare) {
    const char *low = base;
    for (; count > 0; count /= 2) {
        const char *middle = low + count / 2 * bytes;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            low = middle + bytes;
            count--;
        }
    }
    return NULL;
}
