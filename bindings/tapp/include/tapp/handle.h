/**
 * Handles: settings of a library. In this library, how products are planned (attributes in
 * tapp/tcplan.h).
 */
#ifndef TAPP_HANDLE_H_
#define TAPP_HANDLE_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

typedef intptr_t TAPP_handle;

TAPP_EXPORT TAPP_error TAPP_create_handle(TAPP_handle *handle);

/** Destroys a handle. Products that were made with it stay valid. */
TAPP_EXPORT TAPP_error TAPP_destroy_handle(TAPP_handle handle);

#endif
