/** Results of functions. Codes are numbers; those of this library have names in tapp/tcplan.h. */
#ifndef TAPP_ERROR_H_
#define TAPP_ERROR_H_

#include <stdbool.h>
#include <stddef.h>

#include "tapp/util.h"

/** 0: success; any other value: an error. */
typedef int TAPP_error;

/** Returns whether a code means success. */
TAPP_EXPORT bool TAPP_check_success(TAPP_error error);

/**
 * Describes a code. If it is the code of the calling thread's last failure, the text contains
 * details, such as the index and the extents.
 *
 * @param maxlen  size of `message` in bytes, including the terminating null; 0: nothing is written
 * @param message  receives the text, truncated to maxlen and always terminated. May be NULL if
 *     maxlen is 0.
 * @return the length of the text written or, if maxlen is 0, of the whole text, without the
 *     terminating null
 */
TAPP_EXPORT size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message);

#endif
