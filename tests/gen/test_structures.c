/*
 * Tests which sets of indices the structures of the full space fuse, and that the number of
 * structures stays bounded as the number of indices grows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "base/strbuf.h"
#include "gen/space/groups.h"
#include "gen/space/structures.h"
#include "gen/space/whole.h"
#include "support/random_contraction.h"
#include "tcplan/nest.h"

enum { CONTRACTIONS = 200, MANY = 38, MOST = TCPLAN_MAX_INDICES, MOST_COLLECTED = 40000 };

static bool has_group(const struct groups *groups, uint64_t set) {
    for (int g = 0; g < groups->count; g++) {
        if (groups->set[g] == set) return true;
    }
    return false;
}

static uint64_t indices_of_role(const struct tcplan_contraction *contraction, int role) {
    return tcplan_contraction_indices(contraction, algorithm_kind_of_role((enum tcplan_role)role));
}

/** Returns whether a set of indices is contiguous in some operand, so that it can be fused in
 * place. */
static bool fits_somewhere(const struct tcplan_contraction *contraction, int role, uint64_t set) {
    bool fits = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        struct tcplan_algorithm algorithm = {.kernel = role == TCPLAN_H ? TCPLAN_MUL : TCPLAN_GEMM};
        algorithm.group[role] = set;
        algorithm.copy[t].depth = -1;
        if (set & contraction->tensor[t].indices)
            fits = fits || algorithm_fits_in_place(&algorithm, contraction, (enum tcplan_operand)t);
    }
    return fits;
}

static void assert_groups(const struct random_contraction *given, int role) {
    const uint64_t all = indices_of_role(given->contraction, role);
    struct groups groups;
    groups_find(&groups, given->contraction, (enum tcplan_role)role, false);
    for (uint64_t set = all;; set = (set - 1) & all) {
        const bool wanted = indexset_size(all) <= 3 ||
                            fits_somewhere(given->contraction, role, set) || set == all || set == 0;
        if (wanted && !has_group(&groups, set))
            fail_msg("%s: no group %#llx", random_contraction_describe(given),
                     (unsigned long long)set);
        if (set == 0) break;
    }
    for (int g = 0; g < groups.count; g++) {
        assert_true((groups.set[g] & ~all) == 0);
        if (g > 0)
            assert_true(indexset_size(groups.set[g]) <= indexset_size(groups.set[g - 1]) &&
                        groups.set[g] != groups.set[g - 1]);
    }
}

static void every_set_that_fits_an_operand_in_place_is_a_group_and_every_set_of_three_indices(
    void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_rank = 7;
    options.max_indices = 8;
    for (uint64_t seed = 0; seed < CONTRACTIONS; seed++) {
        struct random_contraction given;
        random_contraction_init(&given, seed, &options);
        for (int role = 0; role < TCPLAN_ROLES; role++) assert_groups(&given, role);
        random_contraction_free(&given);
    }
}

/** Makes C_ab = A_a... B_...b with `count` contracted indices, some of extent 2. */
static void many_contracted(struct random_contraction *out, int count) {
    struct strbuf names = {0}, text = {0}, sizes = {0};
    for (int i = 0; i < count; i++) strbuf_add(&names, "%si%d", i > 0 ? "," : "", i);
    char *list = strbuf_finish(&names);
    strbuf_add(&text, "C[a,b]=A[a,%s]*B[%s,b]", list, list);
    strbuf_add(&sizes, "a=b=9");
    for (int i = 0; i < count; i++) strbuf_add(&sizes, ",i%d=%d", i, i % 16 == 0 ? 2 : 1);
    char *given = strbuf_finish(&text), *extents = strbuf_finish(&sizes);
    random_contraction_given(out, given, extents, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    free(list);
    free(given);
    free(extents);
}

struct counting {
    const struct tcplan_contraction *contraction;
    int64_t count;
    int64_t most;
};

static bool count_structure(void *context, const struct tcplan_algorithm *structure) {
    struct counting *counting = context;
    struct tcplan_error error = {0};
    if (counting->count++ % 100 == 0 && algorithm_check(structure, counting->contraction, &error))
        fail_msg("%s", error.message);
    return counting->most == 0 || counting->count < counting->most;
}

static struct structures_options options_for(const struct random_contraction *given) {
    return (struct structures_options){.problem = &given->problem,
                                       .line_elems = 8,
                                       .near_elems = {4096, 131072},
                                       .provider = {[TCPLAN_PROVIDER_BLAS] = true},
                                       .threads = 1};
}

/** Numbers of structures with a parallel kernel, by the number of steps. */
struct shares {
    int whole, equal, grid, other;
};

static bool count_share(void *context, const struct tcplan_algorithm *structure) {
    struct shares *shares = context;
    if (structure->parallel < 0 || structure->copy[TCPLAN_C].depth >= 0) return true;
    const int last = structure->split_count - 1;
    const int step = structure->split[last].step;
    if (structure->collapsed) {
        shares->grid += step == 40 && structure->split[last - 1].step == 40;
    } else if (step == 40) {
        shares->whole++;
    } else if (step == 36) {
        assert_int_equal(structure->split[last].index, 1); /* b, because a is contiguous in C */
        shares->equal++;
    } else {
        shares->other++;
    }
    return true;
}

static struct shares shares_of(int threads) {
    struct random_contraction given;
    struct shares shares = {0};
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=72,b=72,i=50", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    struct structures_options options = options_for(&given);
    options.threads = threads;
    structures_visit(&options, count_share, &shares);
    random_contraction_free(&given);
    return shares;
}

static void kernels_are_shared_in_lines_in_equal_parts_and_in_a_grid(void **state) {
    (void)state;
    const struct shares of_one = shares_of(1), of_two = shares_of(2), of_four = shares_of(4);
    assert_int_equal(of_one.whole + of_one.equal + of_one.grid + of_one.other, 0);
    assert_true(of_two.whole > 0 && of_two.equal > 0 && of_two.grid == 0);
    assert_true(of_four.grid > 0 && of_four.other > 0);
}

/** Numbers of structures of element-wise products that copy the result, with and without
 * non-temporal stores. */
struct results {
    int streamed, stored;
};

static bool count_result(void *context, const struct tcplan_algorithm *structure) {
    struct results *results = context;
    if (structure->kernel != TCPLAN_MUL || structure->copy[TCPLAN_C].depth < 0) return true;
    results->streamed += structure->copy[TCPLAN_C].streamed;
    results->stored += !structure->copy[TCPLAN_C].streamed;
    return true;
}

/** Counts the copies of the result C_ljb of element-wise products: their temporary is contiguous
 * along b, so that the copy writes short rows, of l or of j elements. */
static struct results results_of(const char *sizes) {
    struct random_contraction given;
    struct results results = {0};
    random_contraction_given(&given, "C_ljb=A_kjb*B_klb", sizes, TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct structures_options options = options_for(&given);
    structures_visit(&options, count_result, &results);
    random_contraction_free(&given);
    return results;
}

static void kernels_with_loops_are_shared_by_the_widest_index_that_divides_equally(void **state) {
    static const struct {
        const char *contraction, *sizes;
        int threads;
        const char *name; /* NULL: no index is long enough */
    } cases[] = {{"C_a=A_iaj*B_ji", "a=64,i=5,j=3", 2, "a:32|-dloops@emitted"},
                 {"C_a=A_iaj*B_ji", "a=60,i=5,j=3", 3, "a:24|-dloops@emitted"},
                 {"C_a=A_iaj*B_ji", "a=8,i=5,j=3", 2, NULL},
                 {"C_ab=A_ia*B_ib", "a=64,b=8,i=3", 2, "b:4|-dloops@emitted"},
                 {"C_ab=A_ia*B_ib", "a=64,b=7,i=3", 2, "a:32|-dloops@emitted"},
                 {"C_ab=A_ia*B_ib", "a=64,b=1,i=3", 4, "a:16|-dloops@emitted"},
                 {"C_abz=A_az*B_bz", "a=5,b=3,z=9", 2, "z:5|-dloops@emitted"},
                 {"C_zab=A_az*B_bz", "a=5,b=2,z=9", 4, "a:2|-dloops@emitted"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct random_contraction given;
        struct tcplan_algorithm whole, shared;
        random_contraction_given(&given, cases[c].contraction, cases[c].sizes, TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        assert_true(whole_loops(&whole, given.contraction));
        const bool is_shared = whole_in_parts(&shared, &whole, &given.problem, cases[c].threads);
        assert_int_equal(is_shared, cases[c].name != NULL);
        char *name =
            is_shared ? tcplan_algorithm_name(&shared, given.contraction, TCPLAN_DOUBLE) : NULL;
        if (is_shared) assert_string_equal(name, cases[c].name);
        free(name);
        random_contraction_free(&given);
    }
}

static void short_rows_of_a_result_are_not_streamed(void **state) {
    (void)state;
    const struct results of_nine = results_of("l=j=k=3,b=150000"),
                         of_lines = results_of("l=4,j=4,k=3,b=150000"),
                         of_long = results_of("l=7,j=5,k=3,b=150000");
    assert_true(of_nine.streamed == 0 && of_nine.stored > 0);
    assert_true(of_lines.streamed > 0);
    assert_true(of_long.streamed > 0);
}

static void structures_of_38_contracted_indices_end(void **state) {
    (void)state;
    struct random_contraction given;
    many_contracted(&given, MANY);
    const struct structures_options options = options_for(&given);
    struct counting counting = {.contraction = given.contraction};
    structures_visit(&options, count_structure, &counting);
    assert_in_range(counting.count, 1, 1000000); /* much less than 2^38 */
    random_contraction_free(&given);
}

static void structures_of_as_many_indices_as_there_may_be_are_algorithms(void **state) {
    (void)state;
    struct random_contraction given;
    many_contracted(&given, MOST - 2);
    assert_int_equal(given.contraction->index_count, MOST);
    const struct structures_options options = options_for(&given);
    struct counting counting = {.contraction = given.contraction, .most = 20000};
    structures_visit(&options, count_structure, &counting);
    assert_true(counting.count > 0);
    random_contraction_free(&given);
}

static void beyond_the_deadline_only_the_first_groups_are_tried(void **state) {
    (void)state;
    struct random_contraction given;
    many_contracted(&given, 3);
    struct structures_options options = options_for(&given);
    struct counting all = {.contraction = given.contraction}, first = all;
    structures_visit(&options, count_structure, &all);
    options.deadline = (struct deadline){.ns = 1};
    structures_visit(&options, count_structure, &first);
    assert_in_range(first.count, 1, all.count - 1);
    random_contraction_free(&given);
}

/* Families. */

struct collected {
    const struct structures_options *options;
    size_t count;
    struct tcplan_algorithm structure[MOST_COLLECTED];
};

static bool collect(void *context, const struct tcplan_algorithm *structure) {
    struct collected *collected = context;
    if (collected->count == MOST_COLLECTED) fail_msg("more than %d structures", MOST_COLLECTED);
    collected->structure[collected->count++] = *structure;
    return true;
}

static bool collect_family(void *context, const struct tcplan_algorithm *family) {
    struct collected *collected = context;
    const size_t first = collected->count;
    assert_true(
        structures_of_family(collected->options, family, STRUCTURES_ALL, collect, collected));
    for (size_t s = first; s < collected->count; s++) {
        for (int role = 0; role < TCPLAN_R; role++)
            assert_true(collected->structure[s].group[role] == family->group[role]);
    }
    return true;
}

static int compare(const void *a, const void *b) {
    return algorithm_compare(a, b);
}

/** Each structure belongs to exactly one family. */
static void the_structures_of_all_families_are_all_structures(void **state) {
    static struct collected all, of_families;
    (void)state;
    struct random_contraction_options random = random_contraction_defaults();
    random.zeros = false;
    for (uint64_t seed = 0; seed < CONTRACTIONS; seed++) {
        struct random_contraction given;
        random_contraction_init(&given, seed, &random);
        struct structures_options options = options_for(&given);
        options.provider[TCPLAN_PROVIDER_LIBXSMM] = true;
        all.options = of_families.options = &options;
        all.count = of_families.count = 0;
        structures_visit(&options, collect, &all);
        structures_families(&options, collect_family, &of_families);
        assert_int_equal(all.count, of_families.count);
        if (all.count > 0) {
            qsort(all.structure, all.count, sizeof *all.structure, compare);
            qsort(of_families.structure, of_families.count, sizeof *of_families.structure, compare);
        }
        for (size_t s = 0; s < all.count; s++) {
            if (!tcplan_algorithm_equal(&all.structure[s], &of_families.structure[s]))
                fail_msg("%s", random_contraction_describe(&given));
        }
        random_contraction_free(&given);
    }
}

static bool count_and_stop(void *context, const struct tcplan_algorithm *structure) {
    int *left = context;
    (void)structure;
    return --*left > 0;
}

static void a_family_ends_at_its_limit(void **state) {
    (void)state;
    struct random_contraction given;
    many_contracted(&given, 3);
    const struct structures_options options = options_for(&given);
    int left = 2;
    structures_families(&options, count_and_stop, &left);
    assert_int_equal(left, 0);
    struct tcplan_algorithm family = tcplan_algorithm_empty();
    family.kernel = TCPLAN_GEMM;
    for (int index = 0; index < given.contraction->index_count; index++) {
        const enum tcplan_role role =
            given.contraction->index[index].kind == TCPLAN_CONTRACTED ? TCPLAN_K
            : given.contraction->index[index].kind == TCPLAN_FREE_A   ? TCPLAN_M
                                                                      : TCPLAN_N;
        family.group[role] |= indexset_of(index);
    }
    left = 1;
    assert_false(structures_of_family(&options, &family, STRUCTURES_ALL, count_and_stop, &left));
    assert_int_equal(left, 0);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            every_set_that_fits_an_operand_in_place_is_a_group_and_every_set_of_three_indices),
        cmocka_unit_test(kernels_are_shared_in_lines_in_equal_parts_and_in_a_grid),
        cmocka_unit_test(kernels_with_loops_are_shared_by_the_widest_index_that_divides_equally),
        cmocka_unit_test(short_rows_of_a_result_are_not_streamed),
        cmocka_unit_test(structures_of_38_contracted_indices_end),
        cmocka_unit_test(structures_of_as_many_indices_as_there_may_be_are_algorithms),
        cmocka_unit_test(beyond_the_deadline_only_the_first_groups_are_tried),
        cmocka_unit_test(the_structures_of_all_families_are_all_structures),
        cmocka_unit_test(a_family_ends_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
