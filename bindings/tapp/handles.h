/** The internals of handles and executors. */
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
    int threads; /**< 0: as many as were planned for */
};

/**
 * The settings of a handle, with one more user. An invalid handle means a default one: programs
 * that are written against the reference implementation do not always make one.
 *
 * @return NULL: there are none, and `error` says why, which is noted
 */
struct tapp_settings *tapp_handle_settings(TAPP_handle handle, TAPP_error *error);

#endif
