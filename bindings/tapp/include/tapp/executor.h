/**
 * Executors: where products are executed. In this library, with how many threads (an attribute in
 * tapp/tcplan.h).
 */
#ifndef TAPP_EXECUTOR_H_
#define TAPP_EXECUTOR_H_

#include <stdint.h>

#include "tapp/error.h"
#include "tapp/util.h"

typedef intptr_t TAPP_executor;

TAPP_EXPORT TAPP_error TAPP_create_executor(TAPP_executor *exec);

TAPP_EXPORT TAPP_error TAPP_destroy_executor(TAPP_executor exec);

#endif
