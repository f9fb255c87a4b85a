/**
 * Statuses: what came of an execution. Here: which algorithm ran and for how long (attributes in
 * tapp/tcplan.h).
 */
#ifndef TAPP_STATUS_H_
#define TAPP_STATUS_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

/** Made by functions that execute; to be destroyed. This library keeps the last 4096: older ones
 * that were not destroyed are dropped. */
typedef intptr_t TAPP_status;

TAPP_EXPORT TAPP_error TAPP_destroy_status(TAPP_status status);

#endif
