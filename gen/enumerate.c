#include "gen/enumerate.h"

#include "ast/algorithm.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"

/** The index kind that fills each role. */
static const enum tcplan_index_kind role_kind[TCPLAN_ROLES] = {
    [TCPLAN_M] = TCPLAN_FREE_A, [TCPLAN_N] = TCPLAN_FREE_B, [TCPLAN_K] = TCPLAN_CONTRACTED};

/** The role sets of the kernels in the order of the enumeration: bit r stands for role r. */
static const unsigned patterns[] = {
    1U << TCPLAN_K,                                  /* dot */
    1U << TCPLAN_M,                                  /* axpy */
    1U << TCPLAN_N,                                  /* axpy */
    1U << TCPLAN_M | 1U << TCPLAN_K,                 /* gemv */
    1U << TCPLAN_N | 1U << TCPLAN_K,                 /* gemv */
    1U << TCPLAN_M | 1U << TCPLAN_N,                 /* ger */
    1U << TCPLAN_M | 1U << TCPLAN_N | 1U << TCPLAN_K /* gemm */
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static unsigned pattern_of(const struct tcplan_algorithm *algorithm) {
    unsigned pattern = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) pattern |= (algorithm->group[role] ? 1U : 0U) << role;
    return pattern;
}

/** All loops are over batch indices (or there are none): the only kernel is the dot of one element. */
static bool only_batch(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_BATCH) == contraction_run(contraction);
}

/** The smallest index of a role's kind above `after` (-1 for the first); -1 where there is none. */
static int next_candidate(const struct tcplan_contraction *contraction, int role, int after) {
    uint64_t above = after < 0 ? ~(uint64_t)0 : after >= 63 ? 0 : ~(uint64_t)0 << (after + 1);
    uint64_t candidates = tcplan_contraction_indices(contraction, role_kind[role]) & above;
    return candidates ? indexset_first(candidates) : -1;
}

/** The remaining indices become the loops, in ascending order. */
static void reset_loops(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    uint64_t rest = contraction_run(contraction) & ~algorithm_kernel_indices(algorithm);
    for (algorithm->loop_count = 0; rest; rest &= rest - 1) algorithm->loop[algorithm->loop_count++] = (uint8_t)indexset_first(rest);
}

/** Gives a role one index, or none (-1). */
static void set_role(struct tcplan_algorithm *algorithm, int role, int index) {
    algorithm->group[role] = index >= 0 ? indexset_of(index) : 0;
}

/** The first choice of kernel indices for a role set; false where the contraction lacks an index of some role. */
static bool first_roles(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, unsigned pattern) {
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const bool wanted = (pattern >> role & 1U) != 0;
        set_role(algorithm, role, wanted ? next_candidate(contraction, role, -1) : -1);
        if (wanted && !algorithm->group[role]) return false;
    }
    algorithm_kernel_of_roles(pattern & 1U << TCPLAN_M, pattern & 1U << TCPLAN_N, pattern & 1U << TCPLAN_K, &algorithm->kernel);
    return true;
}

/** The next choice of kernel indices within the same role set, the last role varying fastest. */
static bool next_roles(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    for (int role = TCPLAN_ROLES - 1; role >= 0; role--) {
        if (!algorithm->group[role]) continue;
        const int next = next_candidate(contraction, role, indexset_first(algorithm->group[role]));
        set_role(algorithm, role, next >= 0 ? next : next_candidate(contraction, role, -1));
        if (next >= 0) return true;
    }
    return false;
}

static bool first_of_patterns(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int from) {
    for (int p = from; p < PATTERNS; p++) {
        if (first_roles(algorithm, contraction, patterns[p])) return true;
    }
    return false;
}

static int pattern_position(const struct tcplan_algorithm *algorithm) {
    int position = 0;
    while (position < PATTERNS && patterns[position] != pattern_of(algorithm)) position++;
    return position;
}

static void swap_loops(uint8_t *a, uint8_t *b) {
    uint8_t old = *a;
    *a = *b;
    *b = old;
}

/** The next permutation in lexicographic order; false after the last. */
static bool next_permutation(uint8_t *loop, int count) {
    int pivot = count - 2;
    while (pivot >= 0 && loop[pivot] >= loop[pivot + 1]) pivot--;
    if (pivot < 0) return false;
    int larger = count - 1;
    while (loop[larger] <= loop[pivot]) larger--;
    swap_loops(&loop[pivot], &loop[larger]);
    for (int low = pivot + 1, high = count - 1; low < high; low++, high--) swap_loops(&loop[low], &loop[high]);
    return true;
}

/** The first algorithm with the next kernel indices. */
static bool advance_roles(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    bool found = next_roles(algorithm, contraction) || first_of_patterns(algorithm, contraction, pattern_position(algorithm) + 1);
    if (found) reset_loops(algorithm, contraction);
    return found;
}

static bool advance(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    return next_permutation(algorithm->loop, algorithm->loop_count) || advance_roles(algorithm, contraction);
}

void tcplan_enumerator_init(struct tcplan_enumerator *out, const struct tcplan_contraction *contraction) {
    *out = (struct tcplan_enumerator){.contraction = contraction, .next = tcplan_algorithm_empty()};
    if (!only_batch(contraction)) out->done = !first_of_patterns(&out->next, contraction, 0);
    if (!out->done) reset_loops(&out->next, contraction);
}

bool tcplan_enumerator_next(struct tcplan_enumerator *enumerator, struct tcplan_algorithm *out) {
    if (enumerator->done) return false;
    *out = enumerator->next;
    algorithm_apply_rules(out, enumerator->contraction);
    enumerator->done = !advance(&enumerator->next, enumerator->contraction);
    return true;
}

bool enumerator_next_family(struct tcplan_enumerator *enumerator, struct tcplan_algorithm *out) {
    if (enumerator->done) return false;
    *out = enumerator->next;
    algorithm_apply_rules(out, enumerator->contraction);
    enumerator->done = !advance_roles(&enumerator->next, enumerator->contraction);
    return true;
}

bool enumerator_next_order(uint8_t *loop, int count) {
    return next_permutation(loop, count);
}

/** choices * (orders)!; false on overflow. */
static bool times_factorial(uint64_t choices, int orders, uint64_t *out) {
    *out = choices;
    for (int i = 2; i <= orders && choices > 0; i++) {
        if (!checked_mul_u64(*out, (uint64_t)i, out)) return false;
    }
    return true;
}

enum tcplan_status tcplan_algorithm_count(const struct tcplan_contraction *contraction, uint64_t count[TCPLAN_KERNELS + 1]) {
    const int n = indexset_size(contraction_run(contraction));
    const uint64_t a = (uint64_t)indexset_size(tcplan_contraction_indices(contraction, TCPLAN_FREE_A));
    const uint64_t b = (uint64_t)indexset_size(tcplan_contraction_indices(contraction, TCPLAN_FREE_B));
    const uint64_t c = (uint64_t)indexset_size(tcplan_contraction_indices(contraction, TCPLAN_CONTRACTED));
    bool fits = only_batch(contraction) ? times_factorial(1, n, &count[TCPLAN_DOT]) : times_factorial(c, n - 1, &count[TCPLAN_DOT]);
    fits = times_factorial(a + b, n - 1, &count[TCPLAN_AXPY]) && fits;
    fits = times_factorial(c * (a + b), n - 2, &count[TCPLAN_GEMV]) && fits;
    fits = times_factorial(a * b, n - 2, &count[TCPLAN_GER]) && fits;
    fits = times_factorial(a * b * c, n - 3, &count[TCPLAN_GEMM]) && fits;
    count[TCPLAN_KERNELS] = 0;
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        fits = fits && checked_add_u64(count[TCPLAN_KERNELS], count[kernel], &count[TCPLAN_KERNELS]);
    }
    return fits ? TCPLAN_OK : TCPLAN_OVERFLOW;
}
