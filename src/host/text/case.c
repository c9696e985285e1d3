/* case.c - the alphabets of case.h: Latin, Greek, Cyrillic, Armenian, and letters in other shapes. */
#include "text/case.h"

#include <stddef.h>
#include <stdint.h>

/* Small letters from `first` to `last`, so far apart, whose capitals are so far away. */
static const struct {
    uint16_t first, last;
    uint8_t step;
    int16_t capital;
} alphabets[] = {
    {0x0061, 0x007a, 1, -32}, {0x00e0, 0x00f6, 1, -32}, {0x00f8, 0x00fe, 1, -32},
    {0x00ff, 0x00ff, 1, 121}, {0x0101, 0x012f, 2, -1},  {0x0133, 0x0137, 2, -1},
    {0x013a, 0x0148, 2, -1},  {0x014b, 0x0177, 2, -1},  {0x017a, 0x017e, 2, -1},
    {0x0183, 0x0185, 2, -1},  {0x0188, 0x0188, 1, -1},  {0x0192, 0x0192, 1, -1},
    {0x01a1, 0x01a5, 2, -1},  {0x01c6, 0x01cc, 3, -2},  {0x01ce, 0x01dc, 2, -1},
    {0x01df, 0x01ef, 2, -1},  {0x01f9, 0x021f, 2, -1},  {0x0223, 0x0233, 2, -1},
    {0x03ac, 0x03ac, 1, -38}, {0x03ad, 0x03af, 1, -37}, {0x03b1, 0x03c1, 1, -32},
    {0x03c3, 0x03cb, 1, -32}, {0x03cc, 0x03cc, 1, -64}, {0x03cd, 0x03ce, 1, -63},
    {0x03d9, 0x03ef, 2, -1},  {0x0430, 0x044f, 1, -32}, {0x0450, 0x045f, 1, -80},
    {0x0461, 0x0481, 2, -1},  {0x048b, 0x04bf, 2, -1},  {0x04c2, 0x04ce, 2, -1},
    {0x04d1, 0x052f, 2, -1},  {0x0561, 0x0586, 1, -48}, {0x1e01, 0x1e95, 2, -1},
    {0x1ea1, 0x1eff, 2, -1},  {0x2170, 0x217f, 1, -16}, {0x24d0, 0x24e9, 1, -26},
    {0xff41, 0xff5a, 1, -32},
};

#define COUNT (sizeof(alphabets) / sizeof(alphabets[0]))

WCHAR host_upcase(WCHAR c) {
    for (size_t i = 0; i < COUNT && c >= alphabets[i].first; i++)
        if (c <= alphabets[i].last && (c - alphabets[i].first) % alphabets[i].step == 0)
            return (WCHAR)(c + alphabets[i].capital);
    return c;
}

WCHAR host_downcase(WCHAR c) {
    for (size_t i = 0; i < COUNT; i++) {
        int small = c - alphabets[i].capital;
        if (small >= alphabets[i].first && small <= alphabets[i].last &&
            (small - alphabets[i].first) % alphabets[i].step == 0)
            return (WCHAR)small;
    }
    return c;
}
