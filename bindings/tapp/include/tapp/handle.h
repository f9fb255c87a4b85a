/**
 * Handles: what a library has to know before it makes products. Here: how they are planned
 * (attributes in tapp/tcplan.h).
 */
#ifndef TAPP_HANDLE_H_
#define TAPP_HANDLE_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

typedef intptr_t TAPP_handle;

TAPP_EXPORT TAPP_error TAPP_create_handle(TAPP_handle *handle);

/** Products made with it stay as they are. */
TAPP_EXPORT TAPP_error TAPP_destroy_handle(TAPP_handle handle);

#endif
