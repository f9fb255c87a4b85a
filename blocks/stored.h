/** Stored plans of block-sparse products. */
#ifndef BLOCKS_STORED_H
#define BLOCKS_STORED_H

#include "base/strbuf.h"
#include "blocks/block_plan.h"

/**
 * Sets a plan to the decision that was stored for the same structure, machine and options with at
 * least the requested effort. Times nothing.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if no such decision is stored, or if it is damaged; the
 *     plan must then be freed; TCPLAN_NO_MEMORY
 */
enum tcplan_status block_stored_recall(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Stores the decision of a plan, replacing an earlier decision. Does nothing if the plan cannot be
 * stored. */
void block_stored_keep(struct tcplan_block_plan *plan);

/** Appends the decision of a plan as text. */
void block_stored_write(struct strbuf *out, const struct tcplan_block_plan *plan);

/** Reads a decision into a plan that has no decision yet. TCPLAN_INVALID if the text is damaged or
 * belongs to another structure. */
enum tcplan_status block_stored_read(struct tcplan_block_plan *plan, const char *text,
                                     struct tcplan_error *error);

/** Makes a plan of a product from a decision as text, with the default options. Status as
 * block_stored_read(). */
enum tcplan_status block_plan_of_text(struct tcplan_block_plan **out,
                                      const struct tcplan_block_product *product, const char *text,
                                      struct tcplan_error *error);

#endif
