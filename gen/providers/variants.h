/**
 * Calls with fixed extents and factors that nevertheless vary: in the last tile of m, n and k, and
 * in later visits of the result. Each of these conditions doubles the number of variants; bit c of
 * a variant's number tells whether condition c holds.
 */
#ifndef GEN_PROVIDERS_VARIANTS_H
#define GEN_PROVIDERS_VARIANTS_H

#include "gen/emit/parts.h"

/** Returns the number of conditions, c; there are 2^c variants. */
int variants_conditions(const struct emitter *emitter, const struct emit_call *call);

/** Lowers a variant, and returns whether it is for later visits of the result. */
bool variants_lower(struct blas_call *out, const struct emitter *emitter,
                    const struct emit_call *call, int number);

/** Prints the index of the variant in the table, `[(n_a < 8) + 2 * !(s_k == 0)]`; nothing if there
 * is only one. */
void variants_add_choice(const struct emitter *emitter, const struct emit_call *call);

#endif
