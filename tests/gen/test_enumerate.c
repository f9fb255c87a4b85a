/*
 * Tests enumerations of algorithms. For Peise's contractions, the numbers of algorithms are those
 * of section 6.1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/indexset.h"
#include "gen/space/enumerate.h"
#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

static struct tcplan_contraction *contraction_of(const char *text) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error))
        fail_msg("%s: %s", text, error.message);
    return contraction;
}

/** Counts algorithms by enumerating them. */
static void count_enumerated(const struct tcplan_contraction *contraction,
                             uint64_t count[TCPLAN_KERNELS + 1]) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    memset(count, 0, (TCPLAN_KERNELS + 1) * sizeof *count);
    tcplan_enumerator_init(&enumerator, contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        count[algorithm.kernel]++;
        count[TCPLAN_KERNELS]++;
    }
}

/** Indices of expected numbers: one for each kernel from dot to gemm, and their sum. The `blas`
 * space has no other kernels. */
enum { COUNTS = TCPLAN_GEMM + 2 };

static void assert_counts(const char *text, const uint64_t expected[COUNTS]) {
    uint64_t counted[TCPLAN_KERNELS + 1], enumerated[TCPLAN_KERNELS + 1];
    struct tcplan_contraction *contraction = contraction_of(text);
    assert_int_equal(tcplan_algorithm_count(contraction, counted), TCPLAN_OK);
    count_enumerated(contraction, enumerated);
    for (int kernel = 0; kernel <= TCPLAN_KERNELS; kernel++) {
        const uint64_t wanted = kernel <= TCPLAN_GEMM      ? expected[kernel]
                                : kernel == TCPLAN_KERNELS ? expected[COUNTS - 1]
                                                           : 0;
        assert_int_equal(counted[kernel], wanted);
        assert_int_equal(enumerated[kernel], wanted);
    }
    tcplan_contraction_free(contraction);
}

static void the_contractions_of_the_dissertation_have_36_8_and_176_algorithms(void **state) {
    (void)state;
    assert_counts("C_abc=A_ai*B_ibc", (const uint64_t[]){6, 18, 6, 4, 2, 36});
    assert_counts("C_a=A_iaj*B_ji", (const uint64_t[]){4, 2, 2, 0, 0, 8});
    assert_counts("C_abc=A_ija*B_jbic", (const uint64_t[]){48, 72, 36, 12, 8, 176});
}

static void small_contractions_are_counted(void **state) {
    (void)state;
    assert_counts("C=A_i*B_i", (const uint64_t[]){1, 0, 0, 0, 0, 1});
    assert_counts("C=A_ij*B_ji", (const uint64_t[]){2, 0, 0, 0, 0, 2});
    assert_counts("C_a=A_a*B", (const uint64_t[]){0, 1, 0, 0, 0, 1});
    assert_counts("C_b=A*B_b", (const uint64_t[]){0, 1, 0, 0, 0, 1});
    assert_counts("C_ab=A_a*B_b", (const uint64_t[]){0, 2, 0, 1, 0, 3});
    assert_counts("C_ab=A_ai*B_ib", (const uint64_t[]){2, 4, 2, 1, 1, 10});
    assert_counts("C_x=A_xi*B_ix", (const uint64_t[]){1, 0, 0, 0, 0, 1});
}

static void batch_indices_alone_leave_the_dot_of_one_element(void **state) {
    (void)state;
    assert_counts("C=A*B", (const uint64_t[]){1, 0, 0, 0, 0, 1});
    assert_counts("C_a=A_a*B_a", (const uint64_t[]){1, 0, 0, 0, 0, 1});
    assert_counts("C_abc=A_abc*B_cba", (const uint64_t[]){6, 0, 0, 0, 0, 6});
    struct tcplan_contraction *contraction = contraction_of("C_ab=A_ab*B_ab");
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    tcplan_enumerator_init(&enumerator, contraction);
    assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
    assert_int_equal(algorithm.kernel, TCPLAN_DOT);
    assert_int_equal(algorithm.loop_count, 2);
    for (int role = 0; role < TCPLAN_ROLES; role++) assert_true(algorithm.group[role] == 0);
    tcplan_contraction_free(contraction);
}

/* Returns n!, for the formula of the header. */

static uint64_t factorial(int n) {
    uint64_t product = 1;
    for (int i = 2; i <= n; i++) product *= (uint64_t)i;
    return product;
}

static uint64_t indices_of(const struct tcplan_contraction *contraction,
                           enum tcplan_index_kind kind) {
    uint64_t count = 0;
    for (int i = 0; i < contraction->index_count; i++) count += contraction->index[i].kind == kind;
    return count;
}

/** Returns the number of indices that are in more than one tensor. */
static int indices_run_over(const struct tcplan_contraction *contraction) {
    int count = 0;
    for (int i = 0; i < contraction->index_count; i++) {
        int tensors = 0;
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            tensors += indexset_has(contraction->tensor[t].indices, i);
        count += tensors > 1;
    }
    return count;
}

static void count_by_formula(const struct tcplan_contraction *contraction,
                             uint64_t count[TCPLAN_KERNELS + 1]) {
    const uint64_t a = indices_of(contraction, TCPLAN_FREE_A),
                   b = indices_of(contraction, TCPLAN_FREE_B);
    const uint64_t c = indices_of(contraction, TCPLAN_CONTRACTED);
    const int n = indices_run_over(contraction);
    memset(count, 0, (TCPLAN_KERNELS + 1) * sizeof *count);
    count[TCPLAN_DOT] = a + b + c == 0 ? factorial(n) : c * factorial(n - 1);
    count[TCPLAN_AXPY] = (a + b) * factorial(n - 1);
    count[TCPLAN_GEMV] = c * (a + b) * factorial(n - 2);
    count[TCPLAN_GER] = a * b * factorial(n - 2);
    count[TCPLAN_GEMM] = a * b * c * factorial(n - 3);
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) count[TCPLAN_KERNELS] += count[kernel];
}

static void check_counts(const struct random_contraction *random) {
    uint64_t expected[TCPLAN_KERNELS + 1], counted[TCPLAN_KERNELS + 1],
        enumerated[TCPLAN_KERNELS + 1];
    count_by_formula(random->contraction, expected);
    assert_int_equal(tcplan_algorithm_count(random->contraction, counted), TCPLAN_OK);
    count_enumerated(random->contraction, enumerated);
    for (int kernel = 0; kernel <= TCPLAN_KERNELS; kernel++) {
        if (counted[kernel] != expected[kernel] || enumerated[kernel] != expected[kernel]) {
            fail_msg("%s: kernel %d: %llu counted, %llu enumerated, %llu expected",
                     random_contraction_describe(random), kernel,
                     (unsigned long long)counted[kernel], (unsigned long long)enumerated[kernel],
                     (unsigned long long)expected[kernel]);
        }
    }
}

/** Calls `check` for `count` random contractions of up to `max_indices` indices; some have scalar
 * operands. */
static void for_random_contractions(int count, int max_indices,
                                    void (*check)(const struct random_contraction *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    options.max_indices = max_indices;
    for (int seed = 1; seed <= count; seed++) {
        struct random_contraction random;
        random_contraction_init(&random, (uint64_t)seed, &options);
        check(&random);
        random_contraction_free(&random);
    }
}

static void random_contractions_have_as_many_algorithms_as_the_formula(void **state) {
    (void)state;
    for_random_contractions(400, 7, check_counts);
}

/* Checks that each index of a kernel has a role that its tensors permit. */

static void assert_role_kinds(const struct tcplan_contraction *contraction,
                              const struct tcplan_algorithm *algorithm) {
    static const enum tcplan_index_kind kind[TCPLAN_ROLES] = {[TCPLAN_M] = TCPLAN_FREE_A,
                                                              [TCPLAN_N] = TCPLAN_FREE_B,
                                                              [TCPLAN_K] = TCPLAN_CONTRACTED,
                                                              [TCPLAN_H] = TCPLAN_BATCH};
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (algorithm->group[role])
            assert_int_equal(contraction->index[indexset_first(algorithm->group[role])].kind,
                             kind[role]);
    }
}

static void assert_kernel_fits_roles(const struct tcplan_algorithm *algorithm) {
    static const int free_roles[TCPLAN_KERNELS] = {0, 1, 1, 2, 2};
    static const bool has_k[TCPLAN_KERNELS] = {true, false, true, false, true};
    const int free_count = (algorithm->group[TCPLAN_M] != 0) + (algorithm->group[TCPLAN_N] != 0);
    assert_int_equal(free_count, free_roles[algorithm->kernel]);
    assert_int_equal(algorithm->group[TCPLAN_K] != 0, has_k[algorithm->kernel]);
}

static void assert_partition(const struct tcplan_contraction *contraction,
                             const struct tcplan_algorithm *algorithm) {
    uint64_t seen = 0;
    int members = algorithm->loop_count;
    for (int l = 0; l < algorithm->loop_count; l++) seen |= indexset_of(algorithm->loop[l]);
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (!algorithm->group[role]) continue;
        seen |= algorithm->group[role];
        members++;
    }
    assert_int_equal(members, indices_run_over(contraction));
    assert_int_equal(indexset_size(seen), members);
    assert_true(contraction->index_count == TCPLAN_MAX_INDICES ||
                seen >> contraction->index_count == 0);
}

static void check_each_algorithm(const struct random_contraction *random) {
    const bool only_batch = indices_of(random->contraction, TCPLAN_BATCH) ==
                            (uint64_t)indices_run_over(random->contraction);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    tcplan_enumerator_init(&enumerator, random->contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        assert_partition(random->contraction, &algorithm);
        assert_role_kinds(random->contraction, &algorithm);
        if (!only_batch) assert_kernel_fits_roles(&algorithm);
    }
}

static void loops_and_kernel_share_out_the_indices_and_batch_indices_are_loops(void **state) {
    (void)state;
    for_random_contractions(300, 6, check_each_algorithm);
}

/* Structures. */

static bool same_algorithm(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    return a->kernel == b->kernel && memcmp(a->group, b->group, sizeof a->group) == 0 &&
           a->loop_count == b->loop_count && memcmp(a->loop, b->loop, a->loop_count) == 0;
}

/** Checks that the enumeration lists structures one after the other, each with its first loop
 * order, then its other orders. */
static void check_structures(const struct random_contraction *random) {
    size_t count;
    struct tcplan_algorithm *structure = enumerator_structures(random->contraction, &count);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    assert_non_null(structure);
    tcplan_enumerator_init(&enumerator, random->contraction);
    for (size_t s = 0; s < count; s++) {
        const uint64_t orders = factorial(structure[s].loop_count);
        assert_true(enumerator_orders(&structure[s]) == (double)orders);
        assert_partition(random->contraction, &structure[s]);
        for (uint64_t o = 0; o < orders; o++) {
            assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
            if (o == 0 && !same_algorithm(&algorithm, &structure[s]))
                fail_msg("%s", random_contraction_describe(random));
            assert_memory_equal(algorithm.group, structure[s].group, sizeof algorithm.group);
        }
        for (size_t other = 0; other < s; other++) {
            assert_memory_not_equal(structure[other].group, structure[s].group,
                                    sizeof structure[s].group);
        }
    }
    assert_false(tcplan_enumerator_next(&enumerator, &algorithm));
    base_free(structure);
}

static void structures_and_the_orders_of_their_loops_are_the_enumeration(void **state) {
    (void)state;
    for_random_contractions(300, 6, check_structures);
}

/** The names of all algorithms of a contraction. */
struct names {
    size_t count;
    char **name;
};

static struct names names_of(const struct random_contraction *random) {
    uint64_t count[TCPLAN_KERNELS + 1];
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    assert_int_equal(tcplan_algorithm_count(random->contraction, count), TCPLAN_OK);
    struct names names = {.name = malloc((count[TCPLAN_KERNELS] + 1) * sizeof *names.name)};
    assert_non_null(names.name);
    tcplan_enumerator_init(&enumerator, random->contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        names.name[names.count] =
            tcplan_algorithm_name(&algorithm, random->contraction, random->problem.dtype);
        assert_non_null(names.name[names.count++]);
    }
    return names;
}

static void names_free(struct names *names) {
    for (size_t n = 0; n < names->count; n++) free(names->name[n]);
    free(names->name);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_unique(const struct random_contraction *random) {
    struct names names = names_of(random);
    qsort(names.name, names.count, sizeof *names.name, compare_names);
    for (size_t n = 1; n < names.count; n++) {
        if (strcmp(names.name[n - 1], names.name[n]) == 0) {
            fail_msg("%s: two algorithms are called %s", random_contraction_describe(random),
                     names.name[n]);
        }
    }
    names_free(&names);
}

static void names_are_unique(void **state) {
    (void)state;
    for_random_contractions(150, 6, check_unique);
}

static void check_order(const struct random_contraction *random) {
    struct names first = names_of(random), second = names_of(random);
    assert_int_equal(first.count, second.count);
    for (size_t n = 0; n < first.count; n++) assert_string_equal(first.name[n], second.name[n]);
    names_free(&first);
    names_free(&second);
}

static void the_order_is_the_same_every_time(void **state) {
    (void)state;
    for_random_contractions(50, 5, check_order);
}

static void the_order_is_kernels_then_their_indices_then_loops(void **state) {
    (void)state;
    static const char *const expected[] = {
        "abc-ddot",  "acb-ddot",  "bac-ddot",  "bca-ddot",  "cab-ddot",  "cba-ddot",
        "bci-daxpy", "bic-daxpy", "cbi-daxpy", "cib-daxpy", "ibc-daxpy", "icb-daxpy",
        "aci-daxpy", "aic-daxpy", "cai-daxpy", "cia-daxpy", "iac-daxpy", "ica-daxpy",
        "abi-daxpy", "aib-daxpy", "bai-daxpy", "bia-daxpy", "iab-daxpy", "iba-daxpy",
        "bc-dgemv",  "cb-dgemv",  "ac-dgemv",  "ca-dgemv",  "ab-dgemv",  "ba-dgemv",
        "ci-dger",   "ic-dger",   "bi-dger",   "ib-dger",   "c-dgemm",   "b-dgemm"};
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=i=2", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    struct names names = names_of(&given);
    assert_int_equal(names.count, sizeof expected / sizeof *expected);
    for (size_t n = 0; n < names.count; n++) assert_string_equal(names.name[n], expected[n]);
    names_free(&names);
    random_contraction_free(&given);
}

static void a_contraction_of_twelve_indices_is_enumerated_without_memory(void **state) {
    (void)state;
    enum { FIRST = 100000 };
    struct tcplan_contraction *contraction = contraction_of("C_abcdefgh=A_abcdijkl*B_lkjiefgh");
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm, before = {0};
    int delivered = 0;
    base_alloc_fail_after(0);
    tcplan_enumerator_init(&enumerator, contraction);
    while (delivered < FIRST && tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (delivered > 0 && memcmp(&before, &algorithm, sizeof before) == 0) break;
        before = algorithm;
        delivered++;
    }
    base_alloc_fail_after(-1);
    assert_int_equal(delivered, FIRST);
    tcplan_contraction_free(contraction);
}

static void as_many_algorithms_as_an_integer_holds_are_counted(void **state) {
    (void)state;
    /* Large counts: 20 indices have 19 times 19! axpy algorithms, for example. */
    uint64_t count[TCPLAN_KERNELS + 1];
    struct tcplan_contraction *contraction =
        contraction_of("C_abcdefghjklmnopqrst=A_abcdefghji*B_iklmnopqrst");
    assert_int_equal(tcplan_algorithm_count(contraction, count), TCPLAN_OK);
    assert_int_equal(count[TCPLAN_AXPY], 19 * factorial(19));
    tcplan_contraction_free(contraction);
}

static void more_algorithms_than_an_integer_holds_are_an_overflow(void **state) {
    (void)state;
    static const char *const contractions[] = {
        "C_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST=A_abcdefghijklmnopqrst*B_ABCDEFGHIJKLMNOPQRST",
        "C=A_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST*B_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST",
        "C_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST=A_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST*"
        "B_abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST",
        "C_abcdefghjklmnopqrstu=A_abcdefghji*B_iklmnopqrstu"};
    for (size_t c = 0; c < sizeof contractions / sizeof *contractions; c++) {
        uint64_t count[TCPLAN_KERNELS + 1];
        struct tcplan_contraction *contraction = contraction_of(contractions[c]);
        assert_int_equal(tcplan_algorithm_count(contraction, count), TCPLAN_OVERFLOW);
        tcplan_contraction_free(contraction);
    }
}

static void a_contraction_of_64_indices_is_enumerated_too(void **state) {
    (void)state;
    char text[4000] = "", list[1500] = "";
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%si%d", i > 0 ? "," : "", i);
    }
    snprintf(text, sizeof text, "C=A[%s]*B[%s]", list, list);
    struct tcplan_contraction *contraction = contraction_of(text);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    tcplan_enumerator_init(&enumerator, contraction);
    for (int i = 0; i < 1000; i++) {
        assert_true(tcplan_enumerator_next(&enumerator, &algorithm));
        assert_partition(contraction, &algorithm);
    }
    tcplan_contraction_free(contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contractions_of_the_dissertation_have_36_8_and_176_algorithms),
        cmocka_unit_test(small_contractions_are_counted),
        cmocka_unit_test(batch_indices_alone_leave_the_dot_of_one_element),
        cmocka_unit_test(random_contractions_have_as_many_algorithms_as_the_formula),
        cmocka_unit_test(loops_and_kernel_share_out_the_indices_and_batch_indices_are_loops),
        cmocka_unit_test(structures_and_the_orders_of_their_loops_are_the_enumeration),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(the_order_is_the_same_every_time),
        cmocka_unit_test(the_order_is_kernels_then_their_indices_then_loops),
        cmocka_unit_test(a_contraction_of_twelve_indices_is_enumerated_without_memory),
        cmocka_unit_test(as_many_algorithms_as_an_integer_holds_are_counted),
        cmocka_unit_test(more_algorithms_than_an_integer_holds_are_an_overflow),
        cmocka_unit_test(a_contraction_of_64_indices_is_enumerated_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
