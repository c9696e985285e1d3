/* SPDX-License-Identifier: MIT */
/* Error codes of user mode, of which kernel-mode drivers use none. */
