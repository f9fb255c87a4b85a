/**
 * Codes with the particulars of the last failure of each thread.
 */
#ifndef TAPP_ERRORS_H
#define TAPP_ERRORS_H

#include <stdint.h>

#include <tapp/error.h>
#include <tapp/tcplan.h>

/**
 * Records the message of TAPP_explain_error() for this code in this thread, and returns the code.
 *
 * @param format  as printf's; NULL: nothing but what the code means
 */
TAPP_error tapp_fail(TAPP_error code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Returns a code that was returned before: a message recorded for it as the last failure stays. */
TAPP_error tapp_fail_again(TAPP_error code);

enum { TAPP_LAST_CODE = 256 }; /* all codes are below */

struct tapp_text {
    char text[40];
};

/** An index for a message: `97 ('a')`. */
struct tapp_text tapp_index_text(int64_t index);

#endif
