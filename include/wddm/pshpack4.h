/* SPDX-License-Identifier: MIT */
/* From here to poppack.h structures are packed to four bytes; may be included any number of times. */
#pragma pack(push, 4)
