/* SPDX-License-Identifier: MIT */
/* The interface of GDI display drivers; miniports include it for types that ntddvdeo.h has. */
