/**
 * XML: documents written piece by piece, and loop nests as nested elements.
 */
#ifndef TCPLAN_XML_H
#define TCPLAN_XML_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a document goes: takes `length` bytes, or returns false to end the writing. */
typedef bool tcplan_write_fn(void *context, const char *text, size_t length);

/** Where a document comes from: puts up to `size` bytes (at least 1) into `buffer`; returns their
 * number, 0 at the end, -1 if that fails. */
typedef ptrdiff_t tcplan_read_fn(void *context, char *buffer, size_t size);

/** A document in the making: UTF-8, indented. Needs the same memory however long the document
 * grows. */
struct tcplan_xml;

/**
 * Begins a document.
 *
 * @param out    receives the document, to be ended and freed with tcplan_xml_finish()
 * @param write  called with pieces of the document until then
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_xml_new(struct tcplan_xml **out, tcplan_write_fn *write,
                                             void *context, struct tcplan_error *error);

/** Opens an element in the one that is open. */
TCPLAN_API void tcplan_xml_begin(struct tcplan_xml *xml, const char *element);

/** An attribute of the element just opened. Bytes that XML cannot hold become question marks. */
TCPLAN_API void tcplan_xml_text(struct tcplan_xml *xml, const char *attribute, const char *value);
TCPLAN_API void tcplan_xml_integer(struct tcplan_xml *xml, const char *attribute, int64_t value);

/** As tcplan_xml_text(), with the shortest text that reads back to the same finite number. */
TCPLAN_API void tcplan_xml_number(struct tcplan_xml *xml, const char *attribute, double value);

/** Appends existing markup unchanged. */
TCPLAN_API void tcplan_xml_markup(struct tcplan_xml *xml, const char *markup);

/** Closes the element opened last. */
TCPLAN_API void tcplan_xml_end(struct tcplan_xml *xml);

/**
 * Appends a loop nest, each node an element in that of the loop around it:
 *
 *   <nest>
 *     <loop index="c" extent="400">
 *       <kernel name="dgemm" transposition="NN" alpha="1" beta="0">
 *         <slice role="result" tensor="C" text="C[:,:,c]"><dimension index="a" extent="400"
 *         stride="1"/>...</slice>
 *         <slice role="left" tensor="A" text="A[:,:]" transposed="false">...</slice>
 *         <slice role="right" ...>...</slice>
 *
 * besides <copy> with slices `to` and `from`, and <scale beta="..."> with the slice `result`. Roles
 * and transpositions are those of the formula that tcplan_nest_text() prints; `transposed` is there
 * for matrices only, `beta` of a kernel if it does not just accumulate, `temporary="true"` where
 * the slice is of a temporary. Dimensions are those that the slice spans, in the order of the
 * tensor.
 *
 * A loop in steps has their length, `step="8"`, and what runs within a tile, points or shorter
 * steps, has that of the tile, `tile="8"`, as loop and as dimension (extents are the iterations of
 * such a loop and the points of a whole tile); `padding="8"` on slices of a padded temporary;
 * `parallel="true"` on a loop; `provider` of a kernel that is not the BLAS's; `beta` of a copy that
 * accumulates; `where="i = 1"` with a beta that is 1 everywhere else; `stores="streamed"` on a
 * copy, with sizes also where the machine's heuristics say so, as `fetches="ahead"` on a kernel
 * does, and on a kernel that streams its result; `summed="i"` on a copy or kernel that sums over
 * indices. Dimensions of temporaries are in the order of the temporary.
 *
 * @param problem  NULL: extents and strides are left out
 */
TCPLAN_API void tcplan_xml_nest(struct tcplan_xml *xml, const struct tcplan_nest *nest,
                                const struct tcplan_problem *problem, enum tcplan_dtype dtype);

/**
 * Appends the nest of a blocked algorithm (tcplan/blocked.h):
 *
 *   <nest>
 *     <steps><cut range="n" block="n1" direction="down"/>
 *       <call routine="dtrsm" flags="RLTN" text="A21 := A21 L11^-T" alpha="1" beta="0">
 *         <block role="result" matrix="A" text="A21" rows="n2" columns="n1"/>
 *         <block role="factor" .../>
 *
 * `step` on <steps> if that is not the block size, `together` where cuts have blocks of the same
 * size and end together. Factors may be `inverted`, `transposed`, `conjugated`; what a routine
 * takes as it stands has the role `argument`; `where` names the range without which a call is left
 * out.
 */
TCPLAN_API void tcplan_xml_steps(struct tcplan_xml *xml, const struct tcplan_blocks *blocks,
                                 const struct tcplan_node *body, enum tcplan_dtype dtype);

/**
 * Closes all that is open and frees the document; NULL is fine.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY or, where `write` returned false, TCPLAN_ENVIRONMENT if that
 *         happened at any time since the beginning
 */
TCPLAN_API enum tcplan_status tcplan_xml_finish(struct tcplan_xml *xml, struct tcplan_error *error);

/** Name and version of the library that writes XML, as `libxml2 2.9.14`. */
TCPLAN_API const char *tcplan_xml_library(void);

#ifdef __cplusplus
}
#endif

#endif
