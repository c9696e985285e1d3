/* SPDX-License-Identifier: MIT */
/* Version numbers of the build; the samples include the file and use none. */
