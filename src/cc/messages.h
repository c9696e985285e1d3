/*
 * messages.h - what the compiler says, sorted into missing names and other errors.
 */
#ifndef CC_MESSAGES_H
#define CC_MESSAGES_H

#include "missing.h"

/* Takes clang's messages about the file `source` in. Cuts `text` up. Other errors of a file that
 * lacks names follow from those more often than not, and are left out. `header`: gets the name of a
 * header that is not found, else "". */
void cc_messages_take(struct cc_missing *missing, const char *source, char *text, char header[256]);

#endif
