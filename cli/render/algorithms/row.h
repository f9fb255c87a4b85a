/**
 * What every format says about one algorithm.
 */
#ifndef CLI_RENDER_ALGORITHMS_ROW_H
#define CLI_RENDER_ALGORITHMS_ROW_H

#include "cli/render/fields.h"
#include "tcplan/nest.h"

/** A tensor of which a temporary is copied. */
struct row_copy {
    const char *operand; /**< the tensor's name */
    const char *inside;  /**< the loop that carries the copy, in steps as `a:8`; NULL: in front of
                            all loops */
    bool turned; /**< the second of its roles is contiguous in the temporary: of the `full` space */
    bool streamed; /**< written out with non-temporal stores: likewise */
};

/** Borrows from the contraction it was made for. */
struct row {
    const struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
    struct tcplan_nest *nest;
    char *name;
    char kernel[8];       /**< with the type's letter, as `dgemm` */
    const char *provider; /**< whose kernel, as `openblas` */
    double model_seconds; /**< of a candidate listed without timing: calls, copies and misses;
                             negative: not known */
    int loop_count;
    const char *loop[TCPLAN_MAX_INDICES]; /**< from the outside in, those in steps as `a:8` */
    int copy_count;
    struct row_copy copy[TCPLAN_OPERANDS];
};

/** Describes an algorithm; false when memory is out, and nothing is to be freed then. */
bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype);

void row_free(struct row *row);

/** "A@i B@": copied operands and, behind the @, the loop that carries the copy. */
struct field_value row_copies(const struct row *row);

extern const struct field row_copy_fields[];

#endif
