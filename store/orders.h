/**
 * Stored orders of products: one entry for each expression of several tensors, with the texts that
 * network/network_stored.c writes and reads. They are in the folder of stored plans; plans in a
 * file without a folder have none.
 */
#ifndef STORE_ORDERS_H
#define STORE_ORDERS_H

#include "tcplan/stored_plans.h"

/**
 * Finds a stored order of this machine.
 *
 * @param out       receives its text after `identity`, to be freed with base_free()
 * @param identity  the first lines of the text: the expression and everything else that the order
 *     depends on
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is none; TCPLAN_INVALID if the entry is
 * damaged; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status stored_order_find(char **out, const struct tcplan_stored_plans *plans,
                                     const char *identity, struct tcplan_error *error);

/** Stores an order, replacing an earlier one with the same identity. Status as
 * tcplan_store_keep_ceilings(). */
enum tcplan_status stored_order_keep(const struct tcplan_stored_plans *plans, const char *identity,
                                     const char *text, struct tcplan_error *error);

#endif
