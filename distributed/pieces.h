/** Counts the elements that a rank sends when a tensor changes its layout, and the panels of
 * operands. */
#ifndef DISTRIBUTED_PIECES_H
#define DISTRIBUTED_PIECES_H

#include "distributed/runtime/shape.h"

/** Returns the sum of dist_piece() over all receiving ranks, the rank itself included. */
int64_t pieces_sent(const struct dist_plan *plan, int tensor, const struct dist_layout *from,
                    const struct dist_layout *to, int rank);

/** Returns the number of panels of a rank's local product, whose ends dist_panel_end() returns. The
 * plan must have a panel index. */
int64_t pieces_panels(const struct dist_plan *plan, int rank);

#endif
