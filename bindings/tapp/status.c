#include "bindings/tapp/statuses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/objects.h"

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static TAPP_status kept[TAPP_STATUSES]; /* statuses, protected by the lock, as is `next` */
static unsigned next;

TAPP_status tapp_status_add(const struct tapp_status *status, const char *algorithm) {
    const size_t bytes = strlen(algorithm) + 1;
    struct tapp_status *own = malloc(sizeof *own + bytes);
    const TAPP_status number = own ? tapp_object_add(TAPP_KIND_STATUS, own) : 0;
    if (!number) {
        free(own);
        return 0;
    }
    *own = *status;
    memcpy(own->algorithm, algorithm, bytes);
    pthread_mutex_lock(&changing);
    const TAPP_status forgotten = kept[next % TAPP_STATUSES];
    kept[next++ % TAPP_STATUSES] = number;
    pthread_mutex_unlock(&changing);
    free(tapp_object_remove(forgotten, TAPP_KIND_STATUS));
    return number;
}

TAPP_error TAPP_destroy_status(TAPP_status status) {
    free(tapp_object_remove(status, TAPP_KIND_STATUS)); /* the status may already have been dropped
                                                         */
    return TAPP_TCPLAN_SUCCESS;
}
