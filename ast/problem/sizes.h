/** Parses sizes of anything that has named indices. */
#ifndef AST_PROBLEM_SIZES_H
#define AST_PROBLEM_SIZES_H

#include "tcplan/sizes.h"

/** Parses like tcplan_sizes_parse_more(), for `count` indices of these names. */
enum tcplan_status sizes_parse_names(struct tcplan_sizes **out, const char *const name[], int count,
                                     const char *text, char *unused, struct tcplan_error *error);

/** Works like tcplan_sizes_point(), with one element of `extent` for each index. */
void sizes_point_names(const struct tcplan_sizes *sizes, int64_t point, int64_t extent[]);

#endif
