/** Grids and distributions as users write them: `4x2`, and `A=a:0,i:1/64 C=a:0`. */
#ifndef DISTRIBUTED_DISTRIBUTION_H
#define DISTRIBUTED_DISTRIBUTION_H

#include "ast/scan.h"
#include "base/strbuf.h"
#include "distributed/runtime/shape.h"
#include "tcplan/problem.h"

/** The layouts that the caller prescribes. The other tensors are free: the planner chooses their
 * layouts. */
struct distribution {
    bool given[DIST_TENSORS];
    struct dist_layout layout[DIST_TENSORS];
};

enum { DISTRIBUTION_MOST_PROCESSES = 1 << 24 };

/** Reads a grid, such as `4x2`; returns false after an error. `1` is a grid without axes. */
bool grid_scan(struct dist_grid *out, struct scan *scan);

/** Reads a grid, such as `4x2`. The text must not contain anything else. */
enum tcplan_status grid_parse(struct dist_grid *out, const char *text, struct tcplan_error *error);

void grid_add_text(struct strbuf *out, const struct dist_grid *grid);

/**
 * Reads a distribution on a grid. Tensors are separated by blanks or semicolons; a tensor without
 * splits has a copy on every process. An index may be split along several axes: later ones divide
 * the blocks of earlier ones. `a:0/64` deals blocks of 64 elements in turn (block-cyclic).
 *
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked text: there is no such tensor, index or axis; a
 *     tensor, or an axis of a tensor, occurs twice; a split index occurs twice in the tensor (a
 *     diagonal); a block-cyclic index has another split
 */
enum tcplan_status distribution_parse(struct distribution *out,
                                      const struct tcplan_contraction *contraction,
                                      const struct dist_grid *grid, const char *text,
                                      struct tcplan_error *error);

/** Appends the splits of a layout, such as `a:0,i:1/64`; appends nothing if every process has a
 * copy. */
void layout_add_text(struct strbuf *out, const struct tcplan_contraction *contraction,
                     const struct dist_layout *layout);

/** Returns the indices that a tensor has in exactly one dimension: those that can be split. */
uint64_t distribution_single_indices(const struct tcplan_contraction *contraction, int tensor);

/** Returns the number of the index with this name; -1 if there is none. */
int distribution_index(const struct tcplan_contraction *contraction, struct word name);

#endif
