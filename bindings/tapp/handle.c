#include <stdlib.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/handles.h"
#include "bindings/tapp/objects.h"

struct tapp_settings *tapp_handle_settings(TAPP_handle handle, TAPP_error *error) {
    const struct tapp_handle *own = tapp_object_find(handle, TAPP_KIND_HANDLE);
    *error = TAPP_TCPLAN_SUCCESS;
    return own ? tapp_settings_share(own->settings) : tapp_settings_usual(error);
}

TAPP_error TAPP_create_handle(TAPP_handle *handle) {
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    if (!handle) return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer for the handle is NULL.");
    *handle = 0;
    struct tapp_settings *settings = tapp_settings_new(&error);
    if (!settings) return error;
    struct tapp_handle *own = calloc(1, sizeof *own);
    if (own) {
        own->settings = settings;
        *handle = tapp_object_add(TAPP_KIND_HANDLE, own);
    }
    if (*handle) return TAPP_TCPLAN_SUCCESS;
    free(own);
    tapp_settings_release(settings);
    return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
    struct tapp_handle *own = tapp_object_remove(handle, TAPP_KIND_HANDLE);
    if (!own) return tapp_fail(TAPP_TCPLAN_NO_OBJECT, "This is not a handle, or it was destroyed.");
    tapp_settings_release(own->settings);
    free(own);
    return TAPP_TCPLAN_SUCCESS;
}
