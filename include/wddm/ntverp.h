/* SPDX-License-Identifier: MIT */
/* Version numbers of the build; drivers include the file and use none. */
