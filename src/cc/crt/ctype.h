/* SPDX-License-Identifier: MIT */
/* Kinds of characters: stdlib.h has the few that a driver gets. */
#ifndef FOREIGN_CTYPE_H
#define FOREIGN_CTYPE_H

#include "stdlib.h"

#endif
