/** Error codes, with details of each thread's last failure. */
#ifndef TAPP_ERRORS_H
#define TAPP_ERRORS_H

#include <stdint.h>

#include <tapp/error.h>
#include <tapp/tcplan.h>

/**
 * Records a message for TAPP_explain_error() in this thread, and returns the code.
 *
 * @param format format of the message, as for printf(); NULL: the general message of the code
 */
TAPP_error tapp_fail(TAPP_error code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Returns a code that was returned before. If it is the code of this thread's last failure, the
 * recorded message remains. */
TAPP_error tapp_fail_again(TAPP_error code);

enum { TAPP_LAST_CODE = 256 }; /* a number greater than all codes */

struct tapp_text {
    char text[40];
};

/** Returns the text of an index for a message: `97 ('a')`. */
struct tapp_text tapp_index_text(int64_t index);

#endif
