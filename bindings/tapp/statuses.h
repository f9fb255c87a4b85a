/**
 * Outcome of an execution. Many clients do not destroy statuses, as the reference implementation
 * makes none: so only the last ones are kept.
 */
#ifndef TAPP_STATUSES_H
#define TAPP_STATUSES_H

#include <tapp/status.h>

enum { TAPP_STATUSES = 4096 };

struct tapp_status {
    const char *origin; /**< a constant */
    double seconds;
    int threads;
    int batches;
    char algorithm[]; /**< a text */
};

/**
 * Enters a status.
 *
 * @return its number; 0: memory runs out
 */
TAPP_status tapp_status_add(const struct tapp_status *status, const char *algorithm);

#endif
