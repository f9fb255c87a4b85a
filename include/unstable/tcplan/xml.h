/** XML: writes documents piece by piece, and loop nests as nested elements. */
#ifndef TCPLAN_XML_H
#define TCPLAN_XML_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Receives `length` bytes of a document; returns false to end the writing. */
typedef bool tcplan_write_fn(void *context, const char *text, size_t length);

/** Writes up to `size` bytes of a document (at least 1) to `buffer`; returns their number, 0 at the
 * end, or -1 on failure. */
typedef ptrdiff_t tcplan_read_fn(void *context, char *buffer, size_t size);

/** A document that is being written: UTF-8, indented. The memory needed does not depend on its
 * length. */
struct tcplan_xml;

/**
 * Begins a document.
 *
 * @param out    receives the document, to be completed and freed with tcplan_xml_finish()
 * @param write  called with pieces of the document
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_xml_new(struct tcplan_xml **out, tcplan_write_fn *write,
                                             void *context, struct tcplan_error *error);

/** Opens an element inside the element that was opened last and is still open. */
TCPLAN_API void tcplan_xml_begin(struct tcplan_xml *xml, const char *element);

/** Adds an attribute to the element just opened. Bytes that XML cannot hold become question marks.
 */
TCPLAN_API void tcplan_xml_text(struct tcplan_xml *xml, const char *attribute, const char *value);
TCPLAN_API void tcplan_xml_integer(struct tcplan_xml *xml, const char *attribute, int64_t value);

/** Adds a finite number as an attribute, with the shortest text that reads back to the same number.
 */
TCPLAN_API void tcplan_xml_number(struct tcplan_xml *xml, const char *attribute, double value);

/** Appends markup unchanged. */
TCPLAN_API void tcplan_xml_markup(struct tcplan_xml *xml, const char *markup);

/** Closes the element opened last. */
TCPLAN_API void tcplan_xml_end(struct tcplan_xml *xml);

/**
 * Appends a loop nest. Each node is an element inside the element of the surrounding loop:
 *
 *   <nest>
 *     <loop index="c" extent="400">
 *       <kernel name="dgemm" transposition="NN" alpha="1" beta="0">
 *         <slice role="result" tensor="C" text="C[:,:,c]"><dimension index="a" extent="400"
 *         stride="1"/>...</slice>
 *         <slice role="left" tensor="A" text="A[:,:]" transposed="false">...</slice>
 *         <slice role="right" ...>...</slice>
 *
 * There are also <copy> with the slices `to` and `from`, and <scale beta="..."> with the slice
 * `result`. Roles and transpositions are those of the formula that tcplan_nest_text() prints.
 * Matrices have the attribute `transposed`, slices of temporaries `temporary="true"`. A kernel has
 * `beta` unless it only accumulates. The dimensions of a slice are those that it spans, in the
 * order of the tensor, or of the temporary.
 *
 * A loop over steps has an attribute with the length of a step, `step="8"`. A loop within a tile,
 * over points or shorter steps, has the length of the tile, `tile="8"`; so have the dimensions
 * that it runs over. (`extent` is the number of iterations of such a loop, or of points in a full
 * tile.) Further attributes: `padding="8"` on slices of a padded temporary; `parallel="true"` on a
 * loop; `provider` on a kernel that is not the BLAS's; `beta` on a copy that accumulates;
 * `where="i = 1"` with a beta that is 1 everywhere else; `summed="i"` on a copy or kernel that
 * sums over indices; `stores="streamed"` on a kernel that streams its result, and on a copy if the
 * algorithm, or with sizes the machine's heuristics, demand it; `fetches="ahead"` on a kernel if
 * the heuristics demand it.
 *
 * @param problem  NULL: extents and strides are omitted
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
 * <steps> has `step` if the step is not the block size, and `together` if cuts have blocks of the
 * same size and end together. Factors may be `inverted`, `transposed`, `conjugated`; a block that
 * a routine takes unchanged has the role `argument`; `where` names the range that must not be
 * empty for the call to be made.
 */
TCPLAN_API void tcplan_xml_steps(struct tcplan_xml *xml, const struct tcplan_blocks *blocks,
                                 const struct tcplan_node *body, enum tcplan_dtype dtype);

/**
 * Closes all open elements and frees the document; NULL is fine.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if memory ran out, or TCPLAN_ENVIRONMENT if `write` returned
 *     false, at any time since the document began
 */
TCPLAN_API enum tcplan_status tcplan_xml_finish(struct tcplan_xml *xml, struct tcplan_error *error);

/** Returns name and version of the library that writes XML, such as `libxml2 2.9.14`. */
TCPLAN_API const char *tcplan_xml_library(void);

#ifdef __cplusplus
}
#endif

#endif
