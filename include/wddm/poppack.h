/* SPDX-License-Identifier: MIT */
/* The end of what pshpack1.h began. */
#pragma pack(pop)
