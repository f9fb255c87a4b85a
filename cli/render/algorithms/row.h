/**
 * The description of an algorithm for all formats.
 */
#ifndef CLI_RENDER_ALGORITHMS_ROW_H
#define CLI_RENDER_ALGORITHMS_ROW_H

#include "cli/render/fields.h"
#include "tcplan/nest.h"

/** A copy of a tensor to or from a temporary. */
struct row_copy {
    const char *operand; /**< the tensor's name */
    const char *inside;  /**< the loop that carries the copy, with steps as `a:8`; NULL: outside all
                            loops */
    bool transposed; /**< transposed: the second of its roles is contiguous in the temporary; `full`
                    space */
    bool streamed;   /**< written with non-temporal stores; `full` space */
};

/** Borrows from its contraction. */
struct row {
    const struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
    struct tcplan_nest *nest;
    char *name;
    char kernel[8];       /**< with the type's letter, as `dgemm` */
    const char *provider; /**< library of the kernel, as `openblas` */
    double model_seconds; /**< of a candidate without timing: calls, copies and misses; negative:
                             unknown */
    int loop_count;
    const char *loop[TCPLAN_MAX_INDICES]; /**< from the outside in; with steps as `a:8` */
    int copy_count;
    struct row_copy copy[TCPLAN_OPERANDS];
};

/** Describes an algorithm; false: out of memory, and there is nothing to free. */
bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype);

void row_free(struct row *row);

/** Returns "A@i B@": copied operands and, after the @, the loop that carries the copy. */
struct field_value row_copies(const struct row *row);

extern const struct field row_copy_fields[];

#endif
