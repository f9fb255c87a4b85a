/** Block-sparse entries of libraries (`tcplan/blocksparse.h`): their products and findings. */
#ifndef STUDY_BLOCKS_H
#define STUDY_BLOCKS_H

#include "base/strbuf.h"
#include "study/finding.h"
#include "tcplan/blocksparse.h"
#include "tcplan/library.h"
#include "tcplan/results.h"

/** Returns whether an entry is block-sparse. */
static inline bool entry_is_blocks(const struct tcplan_library_entry *entry) {
    return *entry->sections != '\0';
}

/** Appends the texts that distinguish block-sparse entries of equal type and threads. */
void blocks_key(struct strbuf *out, const struct tcplan_library_entry *entry);

/**
 * Makes the product of an entry that has no fault.
 *
 * @param wrong  receives the text that `error` marks, or NULL
 * @return a status of tcplan_block_product_parse()
 */
enum tcplan_status blocks_product(struct tcplan_block_product **out,
                                  const struct tcplan_library_entry *entry, const char **wrong,
                                  struct tcplan_error *error);

/**
 * Plans a block-sparse product and makes its finding, as finding_make() does for a problem. If
 * `measured` is above 0, every way is measured.
 *
 * @param plans  NULL: without stored plans
 */
enum tcplan_status blocks_finding(struct finding **out, const struct tcplan_block_product *product,
                                  enum tcplan_dtype dtype,
                                  const struct tcplan_rank_options *options, size_t measured,
                                  const struct tcplan_stored_plans *plans,
                                  struct finding_plan *plan, struct tcplan_error *error);

/** Returns whether a record is that of block-sparse tensors. */
static inline bool result_is_blocks(const struct tcplan_result *result) {
    return result->sections && *result->sections;
}

/**
 * Makes the plan of a block-sparse record's winner again, without timing: the stored plan if it has
 * the winner's way, otherwise an estimate of that way.
 *
 * @param plans  folder of stored plans; NULL: none
 */
enum tcplan_status blocks_winner(struct tcplan_block_plan **out, const struct tcplan_result *result,
                                 int threads, const char *plans, struct tcplan_error *error);

#endif
