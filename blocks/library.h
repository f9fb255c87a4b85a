/** Pieces of an emitted library (tcplan/emit_library.h) for a block-sparse product. */
#ifndef BLOCKS_LIBRARY_H
#define BLOCKS_LIBRARY_H

#include "blocks/block_plan.h"
#include "tcplan/emit_library.h"

/**
 * Writes the text of NAME.c, as tcplan_block_plan_emit() does, including the library's header. With
 * CONTRACTIONS_MAIN defined, the file is a program that checks its function.
 */
enum tcplan_status block_library_source(char **out, const struct tcplan_block_plan *plan,
                                        const char *function, struct tcplan_error *error);

/**
 * Writes the piece of a file that lists all functions.
 *
 * @param remark  remark for the comment, such as the origin of the product
 */
enum tcplan_status block_library_function(char **out, enum tcplan_emit_library_file file,
                                          const struct tcplan_block_plan *plan,
                                          const char *function, const char *remark,
                                          struct tcplan_error *error);

#endif
