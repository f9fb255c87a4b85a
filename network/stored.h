/** The text of stored orders, see network_stored.c. */
#ifndef NETWORK_STORED_H
#define NETWORK_STORED_H

#include "tcplan/network_stored.h"

/** Returns the lines with an order; NULL if memory runs out. The caller frees them with free(). */
char *order_stored_write(const struct tcplan_network_found *found, enum tcplan_effort effort);

/**
 * Reads these lines, which it changes.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if they are damaged or belong to another expression;
 *     TCPLAN_NOT_APPLICABLE if their effort is less than that of the key; TCPLAN_NO_MEMORY
 */
enum tcplan_status order_stored_read(struct tcplan_network_found *out, char *text,
                                     const struct tcplan_order_key *key,
                                     struct tcplan_error *error);

#endif
