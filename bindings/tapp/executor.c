#include <stdlib.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/handles.h"
#include "bindings/tapp/objects.h"

TAPP_error TAPP_create_executor(TAPP_executor *exec) {
    if (!exec) return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer for the executor is NULL.");
    *exec = 0;
    struct tapp_executor *own = calloc(1, sizeof *own);
    if (own) *exec = tapp_object_add(TAPP_KIND_EXECUTOR, own);
    if (*exec) return TAPP_TCPLAN_SUCCESS;
    free(own);
    return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec) {
    struct tapp_executor *own = tapp_object_remove(exec, TAPP_KIND_EXECUTOR);
    if (!own)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The handle is not an executor, or the executor was destroyed.");
    free(own);
    return TAPP_TCPLAN_SUCCESS;
}
