#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "tcplan/network_search.h"

enum { MOST = 8 };

/** A network with extents. */
struct subject {
    struct tcplan_network *network;
    int64_t extent[256];
};

static struct subject subject_of(const char *text, const char *sizes) {
    struct subject subject = {.network = NULL};
    struct tcplan_error error = {0};
    if (tcplan_network_parse(&subject.network, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    if (tcplan_network_sizes(subject.extent, subject.network, sizes, &error) != TCPLAN_OK)
        fail_msg("%s: %s", sizes, error.message);
    return subject;
}

/** Draws a network: each tensor has up to four of eight indices. Each index may be in any number of
 * tensors, and in the result. */
static struct subject random_subject(struct random *random, int tensors) {
    char text[512];
    struct subject subject = {.network = NULL};
    size_t length = 0;
    bool used[MOST] = {false};
    char factors[256] = "";
    for (int t = 0; t < tensors; t++) {
        const int rank = (int)random_below(random, 4) + 1;
        length += (size_t)snprintf(factors + length, sizeof factors - length, "%s%c_",
                                   t > 0 ? "*" : "", 'A' + t);
        for (int d = 0; d < rank; d++) {
            const int index = (int)random_below(random, MOST);
            used[index] = true;
            length +=
                (size_t)snprintf(factors + length, sizeof factors - length, "%c", 'a' + index);
        }
    }
    length = (size_t)snprintf(text, sizeof text, "Z");
    for (int i = 0, rank = 0; i < MOST; i++) {
        if (!used[i] || random_below(random, 4) != 0) continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%c", rank++ ? "" : "_",
                                   'a' + i);
    }
    snprintf(text + length, sizeof text - length, "=%s", factors);
    assert_int_equal(tcplan_network_parse(&subject.network, text, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    for (int i = 0; i < subject.network->index_count; i++)
        subject.extent[i] = random_below(random, 6) + 2;
    return subject;
}

static struct tcplan_network_found search(const struct subject *subject,
                                          const struct tcplan_network_search_options *options) {
    struct tcplan_network_found found = {.tree = NULL};
    struct tcplan_error error = {0};
    if (tcplan_network_search(&found, subject->network, subject->extent, TCPLAN_DOUBLE, options,
                              &error) != TCPLAN_OK) {
        fail_msg("%s", error.message);
    }
    return found;
}

/* Enumerates all orders of one term: tries each pair of the remaining tensors. */

struct all {
    const struct subject *subject;
    int pair[MOST][2];
    int steps;
    double flops, peak; /* minimum flops and minimum peak memory, each over all orders */
};

static void try_all(struct all *all, const int *left, int count) {
    if (count == 1) {
        struct tcplan_tree *tree = NULL;
        assert_int_equal(tcplan_tree_make(&tree, all->subject->network, all->subject->extent,
                                          TCPLAN_DOUBLE, (const int(*)[2])all->pair, all->steps,
                                          NULL),
                         TCPLAN_OK);
        all->flops = fmin(all->flops, tcplan_tree_totals(tree).flops);
        all->peak = fmin(all->peak, tcplan_tree_totals(tree).peak_bytes);
        tcplan_tree_free(tree);
        return;
    }
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            int rest[MOST], kept = 0;
            for (int i = 0; i < count; i++) {
                if (i != a && i != b) rest[kept++] = left[i];
            }
            rest[kept++] = all->subject->network->operand_count + all->steps;
            all->pair[all->steps][0] = left[a];
            all->pair[all->steps++][1] = left[b];
            try_all(all, rest, kept);
            all->steps--;
        }
    }
}

/** Only the flops of products are compared: sums over indices of one factor are the same in all
 * orders. */
static void no_order_has_fewer_operations_or_needs_less_memory(void **state) {
    (void)state;
    struct random random = {7};
    for (int n = 0; n < 12; n++) {
        struct subject subject = random_subject(&random, 3 + n % 3);
        struct all all = {.subject = &subject, .flops = INFINITY, .peak = INFINITY};
        int left[MOST];
        for (int o = 0; o < subject.network->operand_count; o++) left[o] = o;
        try_all(&all, left, subject.network->operand_count);
        struct tcplan_network_search_options options = tcplan_network_search_defaults();
        options.objective = TCPLAN_OBJECTIVE_MEMORY;
        struct tcplan_network_found found = search(&subject, &options);
        char *text = tcplan_network_text(subject.network);
        if (tcplan_tree_totals(found.tree).peak_bytes > all.peak) fail_msg("%s: peak", text);
        if (tcplan_tree_totals(found.flops).flops > 1.3 * all.flops) fail_msg("%s: flops", text);
        free(text);
        assert_true(found.exact);
        tcplan_network_found_free(&found);
        tcplan_network_free(subject.network);
    }
}

static void fewest_operations_of_a_chain_are_found(void **state) {
    (void)state;
    struct subject chain = subject_of("F_ae=A_ab*B_bc*C_cd*D_de",
                                      "a=40,b=20,c=30,d=10,e=30"); /* the order (A(BC))D of Cormen
                                                                      et al., section 15.2 */
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    options.objective = TCPLAN_OBJECTIVE_FLOPS;
    struct tcplan_network_found found = search(&chain, &options);
    assert_true(tcplan_tree_totals(found.tree).flops == 2 * 26000);
    assert_true(tcplan_tree_totals(found.flops).flops == 2 * 26000);
    tcplan_network_found_free(&found);
    tcplan_network_free(chain.network);
}

static void the_best_takes_no_longer_than_other_orders(void **state) {
    (void)state;
    struct random random = {3};
    for (int n = 0; n < 4; n++) {
        struct subject subject = random_subject(&random, 5);
        struct tcplan_network_found found = search(&subject, NULL);
        const struct tcplan_tree_totals best = tcplan_tree_totals(found.tree);
        assert_true(best.seconds > 0 && best.seconds <= tcplan_tree_totals(found.flops).seconds);
        for (int s = 0; s < found.tree->step_count; s++)
            assert_non_null(found.tree->step[s].algorithm);
        char *text = tcplan_tree_text(found.tree);
        struct tcplan_tree *again = NULL;
        assert_int_equal(
            tcplan_tree_parse(&again, subject.network, subject.extent, TCPLAN_DOUBLE, text, NULL),
            TCPLAN_OK);
        tcplan_tree_free(again);
        free(text);
        tcplan_network_found_free(&found);
        tcplan_network_free(subject.network);
    }
}

/** Writes a ring of `count` matrices, each of which has an additional index of its own. */
static void write_ring(char *text, size_t size, char *sizes, size_t sizes_size, int count) {
    size_t length = (size_t)snprintf(text, size, "R["), sizes_length = 0;
    for (int n = 0; n < count; n += 4)
        length += (size_t)snprintf(text + length, size - length, "%sx%d", n > 0 ? "," : "", n);
    length += (size_t)snprintf(text + length, size - length, "]=");
    for (int n = 0; n < count; n++) {
        length += (size_t)snprintf(text + length, size - length, "%sA%d[i%d,x%d,i%d]",
                                   n > 0 ? "*" : "", n, n, n / 4 * 4, (n + 1) % count);
        sizes_length += (size_t)snprintf(sizes + sizes_length, sizes_size - sizes_length, "%si%d=3",
                                         n > 0 ? "," : "", n);
        if (n % 4 == 0)
            sizes_length +=
                (size_t)snprintf(sizes + sizes_length, sizes_size - sizes_length, ",x%d=2", n);
    }
}

static void many_factors_are_searched(void **state) {
    (void)state;
    char text[2048], sizes[1024];
    write_ring(text, sizeof text, sizes, sizeof sizes, 24);
    struct subject ring = subject_of(text, sizes);
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    options.starts = 16;
    struct tcplan_network_found found = search(&ring, &options), again = search(&ring, &options);
    assert_false(found.exact);
    assert_true(tcplan_tree_totals(found.tree).seconds <= tcplan_tree_totals(found.flops).seconds);
    char *first = tcplan_tree_text(found.tree), *second = tcplan_tree_text(again.tree);
    assert_string_equal(first, second); /* the same seed gives the same order */
    free(first);
    free(second);
    tcplan_network_found_free(&found);
    tcplan_network_found_free(&again);
    tcplan_network_free(ring.network);
}

static void terms_are_searched_one_by_one(void **state) {
    (void)state;
    struct subject sum =
        subject_of("R_ad+=2*A_ab*B_bc*C_cd-0.5*D_da+E_ab*F_bd", "a=30,b=20,c=20,d=20");
    struct tcplan_network_found found = search(&sum, NULL);
    assert_int_equal(found.tree->step_count, 4);
    assert_true(found.tree->step[1].last && found.tree->step[2].right == TCPLAN_TREE_ONE &&
                found.tree->step[3].last);
    assert_true(found.tree->step[2].seconds > 0);
    tcplan_network_found_free(&found);
    tcplan_network_free(sum.network);
}

static void indices_are_sliced_if_memory_is_short(void **state) {
    (void)state;
    struct subject chain = subject_of("s=A_abc*B_cde*C_efg*D_gab*E_df", "a=b=c=d=e=f=g=8");
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    struct tcplan_network_found found = search(&chain, &options);
    const double peak = tcplan_tree_totals(found.tree).peak_bytes;
    assert_int_equal(found.tree->sliced_count, 0);
    tcplan_network_found_free(&found);
    options.max_memory_bytes = 1024;
    assert_true(peak > 1024);
    found = search(&chain, &options);
    assert_true(found.tree->sliced_count > 0 && tcplan_tree_totals(found.tree).peak_bytes <= 1024);
    assert_true(tcplan_tree_totals(found.tree).slices >= 8);
    tcplan_network_found_free(&found);
    options.max_memory_bytes = 1;
    struct tcplan_error error;
    assert_int_equal(
        tcplan_network_search(&found, chain.network, chain.extent, TCPLAN_DOUBLE, &options, &error),
        TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "intermediates take at least 16 B, and no index is left to slice; expected at most 1 B");
    tcplan_network_free(chain.network);
}

static void an_intermediate_has_the_layout_its_reader_prefers(void **state) {
    (void)state;
    /* With the layout T_ca of T = A_ab*B_bc, the sum over a and c with C is one product without
     * copies. */
    struct subject subject = subject_of("E_de=A_abd*B_bc*C_cae", "a=b=c=d=e=24");
    struct tcplan_network_found found = search(&subject, NULL);
    const struct tcplan_tree_step *last = &found.tree->step[1];
    assert_true(last->last);
    if (strchr(last->algorithm, '\'')) {
        char *text = tcplan_tree_text(found.tree);
        fail_msg("%s: %s", text, last->algorithm);
    }
    tcplan_network_found_free(&found);
    tcplan_network_free(subject.network);
}

/** In each single term, B*C first is cheaper. But both terms contain A*B, which is then computed
 * once. */
static void orders_are_chosen_so_that_terms_share(void **state) {
    (void)state;
    const struct subject sum =
        subject_of("R_ae=A_ab*B_bc*C_ce+D_xa*E_ae*B_yx*A_ay", "a=100,b=100,c=100,e=90,x=100,y=100");
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    for (int objective = TCPLAN_OBJECTIVE_TIME; objective <= TCPLAN_OBJECTIVE_FLOPS; objective++) {
        options.objective = (enum tcplan_objective)objective;
        struct tcplan_network_found found = search(&sum, &options);
        assert_int_equal(found.tree->step[2].same, 0);
        assert_true(tcplan_tree_totals(found.tree).flops == 2 * 1e6 + 2 * 9e5 + 2 * 1e4 + 2 * 9e3);
        assert_true(tcplan_tree_totals(found.tree).seconds < found.apart_seconds);
        tcplan_network_found_free(&found);
    }
    options.objective =
        TCPLAN_OBJECTIVE_MEMORY; /* nothing is shared: sharing never reduces memory */
    struct tcplan_network_found found = search(&sum, &options);
    assert_true(found.tree->step[2].same < 0);
    tcplan_network_found_free(&found);
    tcplan_network_free(sum.network);
}

/** An order is found even with a very short time limit. With enough time, either the dominant
 * steps or all steps are timed. */
static void steps_are_planned_by_timing_on_request(void **state) {
    (void)state;
    const struct subject chain =
        subject_of("R_ad=A_ab*B_bc*C_cd+D_ax*B_xy*C_yd", "a=9,b=8,c=7,d=6,x=8,y=7");
    struct tcplan_rank_options rank = tcplan_rank_defaults();
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    options.timing = &rank;
    for (int limited = 0; limited < 2; limited++) {
        rank.effort = limited ? TCPLAN_EFFORT_NORMAL : TCPLAN_EFFORT_THOROUGH;
        options.time_limit_seconds = limited ? 1e-9 : 0;
        struct tcplan_network_found found = search(&chain, &options);
        assert_true(limited || found.timed > 0);
        assert_true(found.estimate_seconds > 0);
        for (int s = 0; s < found.tree->step_count; s++) {
            const struct tcplan_tree_step *step = &found.tree->step[s];
            assert_true(step->seconds > 0 && step->algorithm);
            assert_true(limited || step->idle || step->timed);
        }
        for (int s = 0; s < found.flops->step_count; s++) assert_false(found.flops->step[s].timed);
        tcplan_network_found_free(&found);
    }
    tcplan_network_free(chain.network);
}

/** The ladder term of coupled cluster with 20 virtual orbitals: all steps but the last one take
 * little time. */
static void steps_that_do_not_dominate_keep_their_estimates(void **state) {
    (void)state;
    const struct subject ladder =
        subject_of("R_abij=V_abef*T_efij*S_ik*S_jl*U_kl", "a=b=e=f=20,i=j=k=l=6");
    struct tcplan_rank_options rank = tcplan_rank_defaults();
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    rank.effort = TCPLAN_EFFORT_QUICK;
    options.timing = &rank;
    struct tcplan_network_found found = search(&ladder, &options);
    int timed = 0;
    double longest = 0;
    for (int s = 0; s < found.tree->step_count; s++) {
        timed += found.tree->step[s].timed;
        longest = fmax(longest, found.tree->step[s].seconds);
    }
    assert_in_range(timed, 1, found.tree->step_count - 1);
    assert_true(found.timed <= 8);
    for (int s = 0; s < found.tree->step_count; s++)
        assert_true(found.tree->step[s].timed || found.tree->step[s].seconds < longest);
    tcplan_network_found_free(&found);
    tcplan_network_free(ladder.network);
}

static void memory_may_run_out(void **state) {
    (void)state;
    static const char *const texts[] = {"E_ad=A_ab*B_bc*C_cd",
                                        "E_ad=A_ab*B_bc*C_cd+C_cd*B_bc*A_ab"};
    for (int n = 0; n < 2; n++) {
        struct subject chain = subject_of(texts[n], "a=2,b=3,c=4,d=5");
        enum tcplan_status status = TCPLAN_NO_MEMORY;
        for (long successes = 0; status == TCPLAN_NO_MEMORY;
             successes += successes < 120 ? 1 : 97) {
            struct tcplan_network_found found = {.tree = NULL};
            base_alloc_fail_after(successes);
            status = tcplan_network_search(&found, chain.network, chain.extent, TCPLAN_DOUBLE, NULL,
                                           NULL);
            base_alloc_fail_after(-1);
            assert_true(status == TCPLAN_OK ? found.tree != NULL : found.tree == NULL);
            tcplan_network_found_free(&found);
        }
        assert_int_equal(status, TCPLAN_OK);
        tcplan_network_free(chain.network);
    }
}

/** Rewrites an expression by the distributive law for the fewest operations. NULL: it is not
 * changed. */
static char *with_sums(const char *text, const char *sizes, int64_t max_memory_bytes) {
    struct subject subject = subject_of(text, sizes);
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    options.objective = TCPLAN_OBJECTIVE_FLOPS;
    options.max_memory_bytes = max_memory_bytes;
    struct tcplan_network_found found = search(&subject, &options);
    char *made = found.network ? tcplan_network_text(found.network) : NULL;
    assert_ptr_equal(found.tree->network, found.network ? found.network : subject.network);
    assert_ptr_equal(found.flops->network, subject.network);
    for (int t = 0; t < subject.network->tensor_count && found.network; t++) {
        assert_string_equal(found.network->operand[found.network->tensor[t]].name,
                            subject.network->operand[subject.network->tensor[t]].name);
        assert_int_equal(found.network->operand[found.network->tensor[t]].tensor, t);
    }
    tcplan_network_found_free(&found);
    tcplan_network_free(subject.network);
    return made;
}

static void factors_that_terms_have_in_common_are_taken_out(void **state) {
    static const struct {
        const char *text, *sizes, *made;
    } cases[] = {
        {"R_ab=A_ac*B_cb+A_ac*D_cb", "a=b=c=20", "S1_cb=B_cb+D_cb; R_ab=A_ac*S1_cb"},
        {"R_ab=2*A_ac*B_cb-3*A_ac*D_cb+R_ab", "a=b=c=20",
         "S1_cb=B_cb-1.5*D_cb; R_ab+=2*A_ac*S1_cb"},
        {"R_ab=3*A_ac*B_cb+A_ac*D_cb", "a=b=c=20",
         "S1_cb=3*B_cb+D_cb; R_ab=A_ac*S1_cb"}, /* 1/3 is not exact */
        {"R_ab=A_ac*B_cb+4*A_ak*D_kb+A_ac*E_cb", "a=b=c=k=20",
         "S1_cb=B_cb+4*D_cb+E_cb; R_ab=A_ac*S1_cb"}, /* the same sum with renamed indices */
        {"R_ab=V_abcd*T_cd+W_abcd*T_cd+V_abcd*U_c*U_d+W_abcd*U_c*U_d", "a=b=c=d=20",
         "S1_cd=T_cd+U_c*U_d; R_ab=V_abcd*S1_cd+W_abcd*S1_cd"}, /* T+U*U occurs twice, so it is a
                                                                   named sum; a sum of V and W would
                                                                   save nothing */
        {"R_abij=V_abcd*T_cdij+W_abcd*T_cdij", "a=b=c=d=i=j=8",
         "S1_abcd=V_abcd+W_abcd; R_abij=T_cdij*S1_abcd"},
        {"R_ab=A_ac*B_cb+A_bc*D_ca", "a=b=c=20", NULL},       /* not changed: the sum would need a
                                                                 transposed result */
        {"R_ab=A_ac*B_cb+conj(A)_ac*D_cb", "a=b=c=20", NULL}, /* not changed, even for real types:
                                                                 conj(A) is not A */
        {"R_ab=A_ac*B_cb+C_ad*D_db", "a=b=c=20,d=21", NULL},
        {"R_ab=A_a*B_b+A_a*D_b", "a=2,b=2000", NULL}, /* not changed: additions would cost as much
                                                         as multiplications */
        {"R_abc=A_a*B_b*E_c+A_a*D_b*C_bc", "a=b=c=20", "S1_bc=B_b*E_c+D_b*C_bc; R_abc=A_a*S1_bc"},
        {"R_abc=A_a*B_b*E_c+A_a*D_b*C_bca", "a=b=c=20", NULL}, /* not changed: index a of the common
                                                                  factor is in one of the remaining
                                                                  factors only */
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *made = with_sums(cases[c].text, cases[c].sizes, 0);
        if (!made != !cases[c].made || (made && strcmp(made, cases[c].made) != 0))
            fail_msg("%s: %s", cases[c].text, made ? made : "nothing");
        free(made);
    }
}

/* Cancelling. */

/** Cancels a search at check number `at`, and counts the checks before and after it. */
struct canceller {
    int64_t at; /* 0: never */
    int64_t checks;
};

static bool count_check(const void *context) {
    struct canceller *canceller = *(struct canceller *const *)context;
    canceller->checks++;
    return canceller->at > 0 && canceller->checks >= canceller->at;
}

/** Searches an order for a chain of tensors, cancelled at check number `at`. Returns the number of
 * checks. */
static int64_t checks_of(const struct subject *subject, int64_t at, enum tcplan_status expected) {
    struct canceller canceller = {.at = at}, *context = &canceller;
    struct tcplan_rank_options rank = tcplan_rank_defaults();
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    struct tcplan_network_found found = {.tree = NULL};
    struct tcplan_error error = {0};
    rank.is_cancelled = count_check;
    rank.cancel_context = &context;
    options.rank = &rank;
    const enum tcplan_status status = tcplan_network_search(
        &found, subject->network, subject->extent, TCPLAN_DOUBLE, &options, &error);
    if (status != expected)
        fail_msg("cancelled at check %lld: status %d, %s", (long long)at, (int)status,
                 error.message);
    if (status == TCPLAN_OK) tcplan_network_found_free(&found);
    return canceller.checks;
}

static void a_search_that_is_cancelled_ends_within_a_few_checks(void **state) {
    const char *chains[] = {"Z_aj=A_ab*B_bc*C_cd*D_de*E_ef*F_fg*G_gh*H_hi*I_ij",
                            "Z_ac=A_ab*B_bx*C_xc+A_ab*D_by*C_yc"};
    (void)state;
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        struct subject subject =
            subject_of(chains[c], c == 0 ? "a=b=c=d=e=f=g=h=i=j=5" : "a=b=c=x=y=5");
        const int64_t all = checks_of(&subject, 0, TCPLAN_OK);
        assert_true(all > 1000); /* the exact search checks once for each of hundreds of subsets */
        for (int64_t at = 1; at < all; at += at / 2 + 1) {
            const int64_t more = checks_of(&subject, at, TCPLAN_CANCELLED) - at;
            if (more > 200)
                fail_msg("%lld checks after the %lldth, which cancelled", (long long)more,
                         (long long)at);
        }
        tcplan_network_free(subject.network);
    }
}

static bool is_over(const void *context) {
    (void)context;
    return false;
}

static void a_search_past_its_time_limit_still_finds_a_tree(void **state) {
    struct subject subject =
        subject_of("Z_aj=A_ab*B_bc*C_cd*D_de*E_ef*F_fg*G_gh*H_hi*I_ij", "a=b=c=d=e=f=g=h=i=j=5");
    struct tcplan_rank_options rank = tcplan_rank_defaults();
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    struct tcplan_network_found found = {.tree = NULL};
    (void)state;
    rank.is_cancelled = is_over;
    options.rank = &rank;
    options.time_limit_seconds = 1e-9;
    assert_int_equal(tcplan_network_search(&found, subject.network, subject.extent, TCPLAN_DOUBLE,
                                           &options, NULL),
                     TCPLAN_OK);
    assert_int_equal(found.tree->step_count, 8);
    assert_false(found.exact);
    assert_true(found.estimated <= 8);
    tcplan_network_found_free(&found);
    tcplan_network_free(subject.network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_that_terms_have_in_common_are_taken_out),
        cmocka_unit_test(no_order_has_fewer_operations_or_needs_less_memory),
        cmocka_unit_test(fewest_operations_of_a_chain_are_found),
        cmocka_unit_test(the_best_takes_no_longer_than_other_orders),
        cmocka_unit_test(many_factors_are_searched),
        cmocka_unit_test(terms_are_searched_one_by_one),
        cmocka_unit_test(orders_are_chosen_so_that_terms_share),
        cmocka_unit_test(steps_are_planned_by_timing_on_request),
        cmocka_unit_test(steps_that_do_not_dominate_keep_their_estimates),
        cmocka_unit_test(indices_are_sliced_if_memory_is_short),
        cmocka_unit_test(an_intermediate_has_the_layout_its_reader_prefers),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_search_that_is_cancelled_ends_within_a_few_checks),
        cmocka_unit_test(a_search_past_its_time_limit_still_finds_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
