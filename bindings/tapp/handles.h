/** Handles and executors. */
#ifndef TAPP_HANDLES_H
#define TAPP_HANDLES_H

#include <stdatomic.h>

#include <tapp/executor.h>
#include <tapp/handle.h>

#include "bindings/tapp/settings.h"

struct tapp_handle {
    struct tapp_settings *settings;
};

struct tapp_executor {
    int threads; /**< number of threads; 0: the number for which the product was planned */
};

/**
 * Returns a handle's settings, with one more user. An invalid handle counts as a default one,
 * because programs for the reference implementation do not always create a handle.
 *
 * @return NULL if there are no settings; `error` then receives the code, which tapp_fail() has
 *     recorded
 */
struct tapp_settings *tapp_handle_settings(TAPP_handle handle, TAPP_error *error);

#endif
