/*
 * contract.h - what rooms that speak the contract have precompiled: the headers of the contract, which
 * each of their sources would otherwise have the compiler read again, and those of C beside them. It
 * declares nothing of its own, and no source includes it: each includes what it uses, which a build
 * with -Db_pch=false shows.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __STDC_HOSTED__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#include <d3dkmddi.h>
