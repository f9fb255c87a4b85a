/**
 * What functions return. Codes are numbers; those of this library have names in tapp/tcplan.h.
 */
#ifndef TAPP_ERROR_H_
#define TAPP_ERROR_H_

#include <stdbool.h>
#include <stddef.h>

#include "tapp/util.h"

/** 0: success. */
typedef int TAPP_error;

/** Whether a code means success. */
TAPP_EXPORT bool TAPP_check_success(TAPP_error error);

/**
 * Describes a code. In the thread whose last failed call returned this code the text has its
 * particulars: which index, which extents.
 *
 * @param maxlen   bytes that `message` has room for, the terminating null counted; 0: nothing is
 *                 written
 * @param message  receives the text, truncated to maxlen; always terminated. May be NULL if maxlen
 *                 is 0.
 * @return the length of the text written; where maxlen is 0, of the whole text; both without the
 *         terminating null
 */
TAPP_EXPORT size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message);

#endif
