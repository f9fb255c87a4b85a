/*
 * Tests that the reductions of failing products of `tcplan check` leave each element of the result
 * its own memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/conformance/reduce.h"

/** Returns the product "a,e->aae" of double precision with e empty, and strides of D under which
 * only the elements beside its diagonal share memory. */
static struct product empty_product(void) {
    struct product product = {.alpha = 1, .beta = 0, .lacks_C = true};
    static const struct product_tensor tensor[PRODUCT_TENSORS] = {
        [PRODUCT_A] = {.type = TAPP_F64, .rank = 1, .index = {'a'}, .extent = {3}, .stride = {1}},
        [PRODUCT_B] = {.type = TAPP_F64, .rank = 1, .index = {'e'}, .extent = {0}, .stride = {1}},
        [PRODUCT_D] = {.type = TAPP_F64,
                       .rank = 3,
                       .index = {'a', 'a', 'e'},
                       .extent = {3, 3, 0},
                       .stride = {2, 1, 3}}};
    for (int t = 0; t < PRODUCT_TENSORS; t++) product.tensor[t] = tensor[t];
    product.tensor[PRODUCT_C] = product.tensor[PRODUCT_D];
    return product;
}

static bool has_empty_index(const struct product *product) {
    const struct product_tensor *D = &product->tensor[PRODUCT_D];
    for (int d = 0; d < D->rank; d++) {
        if (D->extent[d] == 0) return true;
    }
    return false;
}

/** A library may refuse a result whose elements share memory, so that no valid product may be
 * reduced to one. */
static void no_reduction_makes_elements_of_the_result_share_memory(void **state) {
    (void)state;
    const struct product product = empty_product();
    struct product smaller;
    int reductions = 0, found = 0;
    for (int step = 0; (found = product_reduce(&smaller, &product, step)) >= 0; step++) {
        reductions += found;
        if (found == 0 || has_empty_index(&smaller)) continue;
        const struct product_tensor *D = &smaller.tensor[PRODUCT_D];
        assert_true(D->rank < 2 || D->stride[0] >= D->extent[1] * D->stride[1] ||
                    D->stride[1] >= D->extent[0] * D->stride[0]);
    }
    assert_true(reductions > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_reduction_makes_elements_of_the_result_share_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
