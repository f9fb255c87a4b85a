/**
 * Calls whose code is made for given extents and factors, where these vary from call to call: in
 * the last tile of m, n and k, and in another visit of the result than the first. Each of these
 * conditions doubles the variants; variant `number` is that of the conditions whose bits are set.
 */
#ifndef GEN_PROVIDERS_VARIANTS_H
#define GEN_PROVIDERS_VARIANTS_H

#include "gen/emit/parts.h"

/** How many conditions there are: 1 << of them variants. */
int variants_conditions(const struct emitter *emitter, const struct emit_call *call);

/** Lowers a variant; whether it is that of other visits than the first. */
bool variants_lower(struct blas_call *out, const struct emitter *emitter,
                    const struct emit_call *call, int number);

/** Adds the index of the variant, `[(n_a < 8) + 2 * !(s_k == 0)]`; nothing if there is a single
 * one. */
void variants_add_choice(const struct emitter *emitter, const struct emit_call *call);

#endif
