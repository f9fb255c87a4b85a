/*
 * Tests which indices of canonical products are fused or dropped. Every element of a tensor keeps
 * its address and its combination of indices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ast/problem/canonical_product.h"
#include "base/indexset.h"
#include "support/random_contraction.h"

enum { RANDOM = 4000, MOST_POINTS = 20000 };

/** Writes the canonical indices, separated by |. A fused index consists of the names of the
 * original indices, innermost first: `ab|i` has ab and i. */
static void describe(char *out, const struct canonical_product *product) {
    *out = '\0';
    for (int i = 0; i < product->contraction.index_count; i++) {
        if (i > 0) strcat(out, "|");
        for (int p = 0; p < product->index[i].count; p++)
            strcat(out, product->source->contraction->index[product->index[i].part[p]].name);
    }
}

struct fused {
    const char *contraction;
    const char *sizes;
    const char *strides;
    enum tcplan_order order;
    const char *expected;
};

static void check_fused(const struct fused *fused, size_t count) {
    for (size_t f = 0; f < count; f++) {
        struct random_contraction given;
        struct canonical_product product;
        char text[512];
        random_contraction_strided(&given, fused[f].contraction, fused[f].sizes, fused[f].strides,
                                   fused[f].order, TCPLAN_DOUBLE_COMPLEX);
        canonical_product_make(&product, &given.problem);
        describe(text, &product);
        assert_string_equal(text, fused[f].expected);
        random_contraction_free(&given);
    }
}

static void indices_that_continue_each_other_everywhere_are_one(void **state) {
    static const struct fused fused[] = {
        {"C_abcd=A_abij*B_ijcd", "a=2,b=3,c=4,d=5,i=6,j=7", "", TCPLAN_COLUMN_MAJOR, "ab|cd|ij"},
        {"C_abcd=A_abij*B_ijcd", "a=2,b=3,c=4,d=5,i=6,j=7", "", TCPLAN_ROW_MAJOR, "ba|dc|ji"},
        {"C_abcd=A_abij*B_jicd", "a=2,b=3,c=4,d=5,i=6,j=7", "", TCPLAN_COLUMN_MAJOR, "ab|cd|i|j"},
        {"C_abc=A_abc*B_abc", "a=2,b=3,c=4", "", TCPLAN_COLUMN_MAJOR, "abc"},
        {"C_ab=A_abij*B_ijkl", "a=2,b=3,i=4,j=5,k=6,l=7", "", TCPLAN_COLUMN_MAJOR, "ab|ij|kl"},
        {"C_ab=conj(A)_abi*B_i", "a=2,b=3,i=4", "", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"D_ab=A_abi*B_i+C_ba", "a=2,b=3,i=4", "", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"D_ab=A_abi*B_i+C_ab", "a=2,b=3,i=4", "", TCPLAN_COLUMN_MAJOR, "ab|i"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

/** Two indices are fused only if they are contiguous in every tensor that has them. Strides may be
 * negative or 0. */
static void strides_decide_which_indices_continue(void **state) {
    static const struct fused fused[] = {
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=1,2", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=1,3", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=3,6;C=5,10,30", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=-3,-6", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=-3,6", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=0,0", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "A=0,1", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "C=1,2,7", TCPLAN_COLUMN_MAJOR, "ab|i"},
        {"C_abi=A_ab*B_i", "a=2,b=3,i=4", "C=1,8,2", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abi=A_ba*B_i", "a=2,b=3,i=4", "A=2,1", TCPLAN_COLUMN_MAJOR, "ab|i"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

static void a_diagonal_is_not_fused(void **state) {
    static const struct fused fused[] = {
        {"C_ab=A_aab*B_b", "a=2,b=3", "", TCPLAN_COLUMN_MAJOR, "a|b"},
        {"C_abcab=A_abc*B_c", "a=2,b=3,c=2", "", TCPLAN_COLUMN_MAJOR, "a|b|c"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

/** An index of extent 1 is dropped, unless algorithms need it to use a tensor in place. */
static void an_extent_of_1_is_dropped(void **state) {
    static const struct fused fused[] = {
        {"C_axb=A_axi*B_ib", "a=2,b=3,i=4,x=1", "", TCPLAN_COLUMN_MAJOR, "ax|b|i"},
        {"C_abx=A_axi*B_ib", "a=2,b=3,i=4,x=1", "", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_ab=A_axi*B_ibx", "a=2,b=3,i=4,x=1", "", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abx=A_xai*B_ib", "a=2,b=3,i=4,x=1", "", TCPLAN_COLUMN_MAJOR, "a|b|x|i"},
        {"C_ab=A_axi*B_ib", "a=2,b=3,i=4,x=1", "", TCPLAN_COLUMN_MAJOR, "a|b|x|i"},
        {"C_a=A_a*B", "a=1", "", TCPLAN_COLUMN_MAJOR, "a"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

static void without_multiplication_nothing_is_fused(void **state) {
    static const struct fused fused[] = {
        {"C_abi=A_ab*B_i", "a=2,b=0,i=1", "", TCPLAN_COLUMN_MAJOR, "a|b|i"},
        {"C_abi=0*A_ab*B_i", "a=2,b=2,i=1", "", TCPLAN_COLUMN_MAJOR, "a|b|i"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

static void an_index_is_no_longer_than_the_blas_integer(void **state) {
    static const struct fused fused[] = {
        {"C=A_abcd*B_abcd", "a=b=65536,c=d=2", "", TCPLAN_COLUMN_MAJOR, "a|bcd"},
        {"C=A_abcd*B_abcd", "a=b=c=d=2000", "", TCPLAN_COLUMN_MAJOR, "ab|cd"},
        {"C=A_abcd*B_abcd", "a=d=2,b=c=2000", "", TCPLAN_COLUMN_MAJOR, "abcd"}};
    (void)state;
    check_fused(fused, sizeof fused / sizeof *fused);
}

/* Properties. */

static struct random_contraction_options parted(void) {
    struct random_contraction_options options = random_contraction_defaults();
    options.max_rank = 4;
    options.max_parts = 3;
    return options;
}

static void fail_naming(const struct random_contraction *random, const char *what) {
    fail_msg("%s: %s", random_contraction_describe(random), what);
}

/** Converts index values of the canonical product to index values of the original product. */
static void fuse_point(int64_t out[], const struct canonical_product *product,
                       const int64_t point[]) {
    for (int i = 0; i < product->contraction.index_count; i++) {
        const struct canonical_index *index = &product->index[i];
        out[i] = 0;
        for (int p = index->count; p-- > 0;)
            out[i] = out[i] * product->source->extent[index->part[p]] + point[index->part[p]];
    }
}

static int64_t place_of(const struct tcplan_problem *problem, int operand, const int64_t point[]) {
    int64_t place = problem->first_elems[operand];
    for (int i = 0; i < problem->contraction->index_count; i++)
        place += problem->stride_elems[operand][i] * point[i];
    return place;
}

static bool next_point(int64_t point[], const struct tcplan_problem *problem) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (++point[i] < problem->extent[i]) return true;
        point[i] = 0;
    }
    return false;
}

static double points_of(const struct tcplan_problem *problem) {
    double points = 1;
    for (int i = 0; i < problem->contraction->index_count; i++)
        points *= (double)problem->extent[i];
    return points;
}

/** The canonical product combines the same elements of A, B and C as the original product. */
static void every_element_keeps_its_address(void **state) {
    const struct random_contraction_options options = parted();
    int fused = 0, dropped = 0;
    (void)state;
    for (uint64_t seed = 0; seed < RANDOM; seed++) {
        struct random_contraction random;
        struct canonical_product product;
        int64_t point[TCPLAN_MAX_INDICES] = {0}, own[TCPLAN_MAX_INDICES];
        random_contraction_init(&random, seed, &options);
        canonical_product_make(&product, &random.problem);
        const double points = points_of(&random.problem);
        if (points_of(&product.problem) != points) fail_naming(&random, "other points");
        for (bool more = points > 0 && points <= MOST_POINTS; more;
             more = next_point(point, &random.problem)) {
            fuse_point(own, &product, point);
            for (int t = 0; t < TCPLAN_TENSORS; t++) {
                if (place_of(&product.problem, t, own) != place_of(&random.problem, t, point))
                    fail_naming(&random, "an element lies elsewhere");
            }
        }
        fused += product.contraction.index_count + indexset_size(product.dropped) <
                 random.contraction->index_count;
        dropped += product.dropped != 0;
        random_contraction_free(&random);
    }
    assert_true(fused > RANDOM / 3 && dropped > RANDOM / 40);
}

/** Products made from strides equal those that the functions for contractions make. */
static void a_canonical_product_is_a_valid_problem(void **state) {
    const struct random_contraction_options options = parted();
    (void)state;
    for (uint64_t seed = 0; seed < RANDOM; seed++) {
        struct random_contraction random;
        struct canonical_product product;
        struct tcplan_problem made;
        random_contraction_init(&random, seed, &options);
        canonical_product_make(&product, &random.problem);
        if (tcplan_problem_init(&made, &product.contraction, product.problem.extent,
                                product.problem.dtype, NULL) != TCPLAN_OK)
            fail_naming(&random, "no problem");
        if (memcmp(made.stride_elems, product.problem.stride_elems, sizeof made.stride_elems) != 0)
            fail_naming(&random, "other strides");
        if (memcmp(made.elems, product.problem.elems, sizeof made.elems) != 0 ||
            memcmp(made.first_elems, product.problem.first_elems, sizeof made.first_elems) != 0)
            fail_naming(&random, "other elements");
        random_contraction_free(&random);
    }
}

/** Dropping an index of extent 1 can make two others adjacent: these are fused at once, not only in
 * a second conversion. */
static void a_canonical_product_is_its_own_canonical_product(void **state) {
    const struct random_contraction_options options = parted();
    (void)state;
    for (uint64_t seed = 0; seed < RANDOM; seed++) {
        struct random_contraction random;
        struct canonical_product product, again;
        random_contraction_init(&random, seed, &options);
        canonical_product_make(&product, &random.problem);
        canonical_product_make(&again, &product.problem);
        if (product.dropped == 0 && again.contraction.index_count + indexset_size(again.dropped) <
                                        product.contraction.index_count)
            fail_naming(&random, "more can be fused");
        random_contraction_free(&random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_that_continue_each_other_everywhere_are_one),
        cmocka_unit_test(strides_decide_which_indices_continue),
        cmocka_unit_test(a_diagonal_is_not_fused),
        cmocka_unit_test(an_extent_of_1_is_dropped),
        cmocka_unit_test(without_multiplication_nothing_is_fused),
        cmocka_unit_test(an_index_is_no_longer_than_the_blas_integer),
        cmocka_unit_test(every_element_keeps_its_address),
        cmocka_unit_test(a_canonical_product_is_a_valid_problem),
        cmocka_unit_test(a_canonical_product_is_its_own_canonical_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
