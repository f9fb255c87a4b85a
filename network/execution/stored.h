/** Reads and writes stored orders as text; the format is described in network_stored.c. */
#ifndef NETWORK_EXECUTION_STORED_H
#define NETWORK_EXECUTION_STORED_H

#include "tcplan/network_stored.h"

/** Returns the lines of a stored order; NULL if memory runs out. The caller frees them with
 * free(). */
char *order_stored_write(const struct tcplan_network_found *found, enum tcplan_effort effort);

/**
 * Reads the lines of a stored order, and modifies `text`.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if they are damaged or belong to another expression;
 *     TCPLAN_NOT_APPLICABLE if their effort is less than that of the key; TCPLAN_NO_MEMORY
 */
enum tcplan_status order_stored_read(struct tcplan_network_found *out, char *text,
                                     const struct tcplan_order_key *key,
                                     struct tcplan_error *error);

#endif
