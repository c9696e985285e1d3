/* SPDX-License-Identifier: MIT */
/* From here to poppack.h structures are packed to two bytes; may be included any number of times. */
#pragma pack(push, 2)
