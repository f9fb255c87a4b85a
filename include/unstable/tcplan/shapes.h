/**
 * Shapes: the extents of both operands, as in calls of einsum.
 *
 *   8,64 64,32                the shape of the first factor, a blank, the shape of the second
 *   (8, 64) (64, 32)          with parentheses or brackets, as NumPy prints them
 *   8x64 64x32                with `x` between the extents
 *   () 3                      a scalar and a vector
 *
 * Shapes replace sizes, and determine the dimensions of an ellipsis:
 *
 *   tcplan_shapes_parse(&shapes, "10,8,64 10,64,32", &error);
 *         marks the shapes
 *   tcplan_contraction_parse_shaped(&contraction, "...ij,...jk", shapes, TCPLAN_ROW_MAJOR, &error);
 *         marks the contraction
 *   tcplan_shapes_sizes(&sizes, shapes, contraction, &error);
 *         marks the shapes
 */
#ifndef TCPLAN_SHAPES_H
#define TCPLAN_SHAPES_H

#include "tcplan/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The shapes of two factors. */
struct tcplan_shapes;

/**
 * Reads the shapes of two factors; if the second one is missing, that factor is a scalar.
 *
 * @param out  receives the shapes, to be freed with tcplan_shapes_free()
 * @return TCPLAN_OK, TCPLAN_INVALID (`error` marks the text), TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_shapes_parse(struct tcplan_shapes **out, const char *text,
                                                  struct tcplan_error *error);

/** Frees shapes; NULL is fine. */
TCPLAN_API void tcplan_shapes_free(struct tcplan_shapes *shapes);

/**
 * Parses a contraction as tcplan_contraction_parse() does, with the shapes that an ellipsis of
 * einsum requires. As in NumPy, an ellipsis denotes the dimensions of a factor without letters;
 * those of both factors are matched from the last one backwards. A dimension of extent 1 that
 * matches a larger one is omitted from its factor, which does not move any elements. The dimensions
 * get letters that the text does not use.
 *
 * @param shapes  NULL: an ellipsis is refused; otherwise omitted dimensions are also removed from
 *                the shapes
 * @return a status of tcplan_contraction_parse(); TCPLAN_INVALID also if the ellipses of both
 *     factors do not match
 */
TCPLAN_API enum tcplan_status tcplan_contraction_parse_shaped(struct tcplan_contraction **out,
                                                              const char *text,
                                                              struct tcplan_shapes *shapes,
                                                              enum tcplan_order order,
                                                              struct tcplan_error *error);

/**
 * Converts shapes to sizes with one point.
 *
 * @param out  receives the sizes, to be freed with tcplan_sizes_free(); they do not depend on
 *             `shapes` or `contraction` afterwards
 * @return TCPLAN_OK; TCPLAN_INVALID if a factor and its shape differ in the number of dimensions,
 *     or an index has two extents (`error` marks the text of the shapes); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_shapes_sizes(struct tcplan_sizes **out,
                                                  const struct tcplan_shapes *shapes,
                                                  const struct tcplan_contraction *contraction,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
