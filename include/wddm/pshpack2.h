/* SPDX-License-Identifier: MIT */
/* From here to poppack.h structures are packed to a byte; may be included any number of times. */
#pragma pack(push, 2)
