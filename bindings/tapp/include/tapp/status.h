/**
 * Statuses: information about an execution. In this library, which algorithm ran and for how long
 * (attributes in tapp/tcplan.h).
 */
#ifndef TAPP_STATUS_H_
#define TAPP_STATUS_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

/** A status, made by an execution and to be destroyed by the caller. This library keeps the last
 * 4096 statuses and destroys older ones. */
typedef intptr_t TAPP_status;

TAPP_EXPORT TAPP_error TAPP_destroy_status(TAPP_status status);

#endif
