#include "gen/providers/variants.h"

#include "ast/nest/refine.h"
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"

/** Numbers of conditions. 0 to 2: the call is in the last tile of m, n, k; BATCH: in that of a
 * batch index, of kernels with loops; LATER: it is not the first visit of the result. */
enum { BATCH = LOOPS_BATCH, LATER, CONDITIONS };

static bool has_condition(const struct emitter *emitter, const struct emit_call *call,
                          int condition) {
    if (condition == LATER) return call->node->update.first_of != 0;
    if (condition == BATCH && call->blas.kernel != TCPLAN_LOOPS) return false;
    return emit_varying_index(emitter, call, condition) >= 0;
}

int variants_conditions(const struct emitter *emitter, const struct emit_call *call) {
    int count = 0;
    for (int c = 0; c < CONDITIONS; c++) count += has_condition(emitter, call, c);
    return count;
}

bool variants_lower(struct blas_call *out, const struct emitter *emitter,
                    const struct emit_call *call, int number) {
    const struct refined_problem *problem = emitter->refined;
    struct blas_call_place place = {0};
    for (int c = 0; c < CONDITIONS; c++) {
        if (!has_condition(emitter, call, c)) continue;
        const bool holds = number & 1;
        number >>= 1;
        if (!holds) continue;
        if (c == LATER) {
            place.later = true;
        } else {
            place.partial |= 1U << refinement_tile_around(problem->refinement,
                                                          emit_varying_index(emitter, call, c));
        }
    }
    blas_call_lower(out, emitter->nest, call->node, problem, place,
                    NULL); /* cannot fail: the call is smaller than one that was lowered */
    return place.later;
}

void variants_add_choice(const struct emitter *emitter, const struct emit_call *call) {
    int weight = 1;
    for (int c = 0; c < CONDITIONS; c++) {
        if (!has_condition(emitter, call, c)) continue;
        strbuf_add(emitter->out, weight == 1 ? "[" : " + %d * ", weight);
        weight *= 2;
        strbuf_add(emitter->out, c == LATER ? "!(" : "(");
        if (c == LATER) {
            emit_first(emitter, call->node->update.first_of);
        } else {
            const int index = emit_varying_index(emitter, call, c);
            emit_extent(emitter, index);
            strbuf_add(emitter->out, " < %lld", (long long)emitter->refined->extent[index]);
        }
        strbuf_add(emitter->out, ")");
    }
    strbuf_add(emitter->out, weight > 1 ? "]" : "");
}
