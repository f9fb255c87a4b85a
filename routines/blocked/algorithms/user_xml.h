/**
 * Users' own algorithms, from XML:
 *
 *   <algorithms format="1">
 *     <algorithm name="mine" matrices="+A(n,n).hermitian.lower L=A.lower" routine="potrf uplo=L"
 *     note="right-looking">
 *       for n down:
 *         A11 := potf2(A11)
 *         A21 := A21 L11^-H
 *         A22 := A22 - A21 A21^H
 *     </algorithm>
 *     <product name="chain" matrices="A(m,k) L(k,k).lower B(k,n) =D(m,n)"> D := A L^T B </product>
 *   </algorithms>
 *
 * A product defines one algorithm for each way to compute it (product.h), `chain_1`, `chain_2`,
 * ...
 *
 * text.h defines the syntax of matrices and steps. Algorithms may call earlier ones in the file,
 * and tcplan's.
 */
#ifndef BLOCKED_USER_XML_H
#define BLOCKED_USER_XML_H

#include "contractions/schema.h"
#include "tcplan/blocked.h"
#include "tcplan/xml.h"

extern const struct schema schema_algorithms;

enum {
    USER_ALGORITHMS = 256,       /**< maximum number of algorithms in a file */
    USER_STEPS_BYTES = 16 * 1024 /**< maximum bytes of an attribute or text */
};

/** Reads algorithms like tcplan_blocked_read(), but from any source. */
enum tcplan_status user_algorithms_from(struct tcplan_blocked ***out, int *count,
                                        tcplan_read_fn *read, void *context,
                                        enum tcplan_dtype dtype, struct tcplan_error *error);

#endif
