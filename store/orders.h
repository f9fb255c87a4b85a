/**
 * Texts that are stored under an identity: orders of products, one entry for each expression of
 * several tensors (network/execution/network_stored.c), and plans of block-sparse products
 * (blocks/stored.c). They are in the folder of stored plans. A file of plans without a folder
 * cannot contain them.
 */
#ifndef STORE_ORDERS_H
#define STORE_ORDERS_H

#include "tcplan/stored_plans.h"

enum stored_texts { STORED_ORDERS, STORED_BLOCKS };

/**
 * Finds a stored text of this machine.
 *
 * @param out       receives the text after `identity`, to be freed with base_free()
 * @param identity  the first lines of the text: everything that it depends on
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is none; TCPLAN_INVALID if the entry is
 *         damaged; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status stored_text_find(char **out, const struct tcplan_stored_plans *plans,
                                    enum stored_texts kind, const char *identity,
                                    struct tcplan_error *error);

/** Stores a text, replacing an earlier one with the same identity. Status as
 * tcplan_store_keep_ceilings(). */
enum tcplan_status stored_text_keep(const struct tcplan_stored_plans *plans, enum stored_texts kind,
                                    const char *identity, const char *text,
                                    struct tcplan_error *error);

#endif
