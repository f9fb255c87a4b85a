#include <string.h>

#include "base/random.h"
#include "study/conformance/product.h"

enum { DRAWN_INDICES = 6, DRAWN_EXTENT = 5 };

/** Which tensors have an index. FREE_A and FREE_B are also in D. */
enum place { FREE_A, FREE_B, CONTRACTED, BATCH, ONLY_A, ONLY_B, PLACES };

static bool once_in(struct random *random, int times) {
    return random_below(random, times) == 0;
}

static void insert(struct product_tensor *tensor, int64_t index, int64_t extent,
                   struct random *random) {
    const int at = (int)random_below(random, tensor->rank + 1); /* inserts the dimension at a random
                                                                   position */
    const size_t rest = (size_t)(tensor->rank - at) * sizeof *tensor->index;
    if (tensor->rank == PRODUCT_RANK) return;
    memmove(&tensor->index[at + 1], &tensor->index[at], rest);
    memmove(&tensor->extent[at + 1], &tensor->extent[at], rest);
    tensor->index[at] = index;
    tensor->extent[at] = extent;
    tensor->rank++;
}

static void draw_indices(struct product *out, struct random *random) {
    struct product_tensor *tensor = out->tensor;
    const int count = (int)random_below(random, DRAWN_INDICES + 1);
    for (int i = 0; i < count; i++) {
        const enum place place = (enum place)random_below(random, PLACES);
        const int64_t extent = once_in(random, 20) ? 0 : 1 + random_below(random, DRAWN_EXTENT);
        const bool in[PRODUCT_TENSORS] = {[PRODUCT_A] = place != FREE_B && place != ONLY_B,
                                          [PRODUCT_B] = place != FREE_A && place != ONLY_A,
                                          [PRODUCT_D] =
                                              place == FREE_A || place == FREE_B || place == BATCH};
        for (int t = 0; t < PRODUCT_TENSORS; t++) {
            if (in[t]) insert(&tensor[t], 'a' + i, extent, random);
            if (in[t] && once_in(random, 10))
                insert(&tensor[t], 'a' + i, extent,
                       random); /* the index occurs twice in the tensor, which takes its diagonal */
        }
    }
}

/** Draws strides of a part of a larger tensor, in any order and of any sign. Strides of an input
 * may be 0, which repeats its elements. */
static void draw_strides(struct product_tensor *tensor, bool is_input, struct random *random) {
    int order[PRODUCT_RANK] = {0};
    for (int d = 0; d < tensor->rank; d++) {
        const int at = (int)random_below(random, d + 1);
        order[d] = order[at];
        order[at] = d;
    }
    int64_t stride = once_in(random, 4) ? 2 : 1;
    for (int d = 0; d < tensor->rank; d++) {
        tensor->stride[order[d]] = once_in(random, 4) ? -stride : stride;
        stride *= tensor->extent[order[d]] + (once_in(random, 4) ? 1 : 0);
        if (stride == 0) stride = 1;
        if (is_input && once_in(random, 10)) tensor->stride[order[d]] = 0;
    }
}

/** Draws the strides of C: strides of its own, or those of D. In the latter case, C may use the
 * memory of D. */
static void draw_addend(struct product *out, struct random *random) {
    struct product_tensor *C = &out->tensor[PRODUCT_C];
    const TAPP_element_op op = C->op;
    const bool is_like_D = once_in(random, 2);
    *C = out->tensor[PRODUCT_D];
    C->op = op;
    if (!is_like_D) draw_strides(C, true, random);
    out->is_in_place = is_like_D && once_in(random, 2);
}

static double complex draw_factor(TAPP_datatype type, struct random *random) {
    static const double values[] = {1, 1, -1, 0.5, 2};
    const double re = values[random_below(random, 5)], im = values[random_below(random, 5)];
    return re + (product_is_complex(type) && once_in(random, 2) ? im : 0) * I;
}

void product_draw(struct product *out, uint64_t seed) {
    struct random random = {seed};
    const TAPP_datatype type = (TAPP_datatype)random_below(&random, 4);
    *out = (struct product){.prec = TAPP_DEFAULT_PREC};
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        out->tensor[t].type = type;
        out->tensor[t].op = once_in(&random, 3) ? TAPP_CONJUGATE : TAPP_IDENTITY;
    }
    draw_indices(out, &random);
    for (int t = 0; t < PRODUCT_TENSORS; t++)
        draw_strides(&out->tensor[t], t == PRODUCT_A || t == PRODUCT_B, &random);
    draw_addend(out, &random);
    out->alpha = draw_factor(type, &random);
    out->beta = once_in(&random, 2) ? 0 : draw_factor(type, &random);
    if (out->beta != 0) return;
    out->unread = 1U << PRODUCT_C | 1U << PRODUCT_D;
    out->lacks_C = !out->is_in_place && once_in(&random, 2);
}
