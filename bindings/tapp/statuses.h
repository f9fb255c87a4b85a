/**
 * Statuses of executions. Many clients do not destroy statuses, because the reference
 * implementation makes none. Therefore only the last TAPP_STATUSES statuses are kept.
 */
#ifndef TAPP_STATUSES_H
#define TAPP_STATUSES_H

#include <tapp/status.h>

enum { TAPP_STATUSES = 4096 };

struct tapp_status {
    const char *origin; /**< origin of the plan's algorithm, a constant text */
    double seconds;
    int threads;
    int batches;
    char algorithm[]; /**< name of the algorithm */
};

/**
 * Adds a status.
 *
 * @return its number; 0 if out of memory
 */
TAPP_status tapp_status_add(const struct tapp_status *status, const char *algorithm);

#endif
