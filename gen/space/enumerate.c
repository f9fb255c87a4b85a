#include "gen/space/enumerate.h"

#include <assert.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/contraction/contraction.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"

/** Returns whether all indices except summed ones are batch indices, or there are none. They are
 * then loops around a dot of one element. */
static bool only_batch(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_BATCH) == contraction_run(contraction);
}

/** Returns the next index after `after` (-1: the first) whose kind suits a role; -1 if there is
 * none. */
static int next_candidate(const struct tcplan_contraction *contraction, int role, int after) {
    uint64_t above = after < 0 ? ~(uint64_t)0 : after >= 63 ? 0 : ~(uint64_t)0 << (after + 1);
    uint64_t candidates =
        tcplan_contraction_indices(contraction, algorithm_kind_of_role((enum tcplan_role)role)) &
        above;
    return candidates ? indexset_first(candidates) : -1;
}

/** Makes all indices outside of the kernel loops, in ascending order. */
static void reset_loops(struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction) {
    uint64_t rest = contraction_run(contraction) & ~algorithm_kernel_indices(algorithm);
    for (algorithm->loop_count = 0; rest; rest &= rest - 1)
        algorithm->loop[algorithm->loop_count++] = (uint8_t)indexset_first(rest);
}

/** Sets the index of a role; -1: none. */
static void set_role(struct tcplan_algorithm *algorithm, int role, int index) {
    algorithm->group[role] = index >= 0 ? indexset_of(index) : 0;
}

/** Sets the first choice of kernel indices for a set of roles; false if the contraction has no
 * index for one of them. */
static bool first_roles(struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction, unsigned roles) {
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const bool wanted = (roles >> role & 1U) != 0;
        set_role(algorithm, role, wanted ? next_candidate(contraction, role, -1) : -1);
        if (wanted && !algorithm->group[role]) return false;
    }
    return true;
}

/** Advances to the next choice of indices for the same roles; the index of the last role varies
 * fastest. */
static bool next_roles(struct tcplan_algorithm *algorithm,
                       const struct tcplan_contraction *contraction) {
    for (int role = TCPLAN_ROLES - 1; role >= 0; role--) {
        if (!algorithm->group[role]) continue;
        const int next = next_candidate(contraction, role, indexset_first(algorithm->group[role]));
        set_role(algorithm, role, next >= 0 ? next : next_candidate(contraction, role, -1));
        if (next >= 0) return true;
    }
    return false;
}

/** Sets the first choice of indices for the set of roles after number `set` of kernel class
 * `kernel`, or for the first possible set of the following classes. Returns false after the last
 * set of the last BLAS class. */
static bool first_behind(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction, int kernel, int set) {
    for (; kernel < TCPLAN_KERNELS; kernel++, set = -1) {
        const struct kernel_class *class = kernel_class_of((enum tcplan_kernel)kernel);
        algorithm->kernel = (enum tcplan_kernel)kernel;
        while (class->is_blas && class->role_sets[++set]) {
            assert(set + 1 < KERNEL_ROLE_SETS);
            if (first_roles(algorithm, contraction, class->role_sets[set])) return true;
        }
    }
    return false;
}

/** Returns the position of an algorithm's set of roles in the list of its kernel class. */
static int set_of(const struct tcplan_algorithm *algorithm) {
    const unsigned *sets = kernel_class_of(algorithm->kernel)->role_sets;
    int set = 0;
    while (sets[set] && sets[set] != algorithm_roles(algorithm)) set++;
    assert(sets[set] == algorithm_roles(algorithm)); /* an algorithm with batch indices only has no
                                                        roles: the last entry of the list */
    return set;
}

static void swap_loops(uint8_t *a, uint8_t *b) {
    uint8_t old = *a;
    *a = *b;
    *b = old;
}

/** Advances to the next permutation in lexicographic order; false after the last. */
static bool next_permutation(uint8_t *loop, int count) {
    int pivot = count - 2;
    while (pivot >= 0 && loop[pivot] >= loop[pivot + 1]) pivot--;
    if (pivot < 0) return false;
    int larger = count - 1;
    while (loop[larger] <= loop[pivot]) larger--;
    assert(larger > pivot); /* the loops are distinct, so there is a larger one */
    swap_loops(&loop[pivot], &loop[larger]);
    for (int low = pivot + 1, high = count - 1; low < high; low++, high--)
        swap_loops(&loop[low], &loop[high]);
    return true;
}

/** Advances to the first algorithm with the next choice of kernel indices. */
static bool advance_roles(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction) {
    bool found = next_roles(algorithm, contraction) ||
                 first_behind(algorithm, contraction, algorithm->kernel, set_of(algorithm));
    if (found) reset_loops(algorithm, contraction);
    return found;
}

static bool advance(struct tcplan_algorithm *algorithm,
                    const struct tcplan_contraction *contraction) {
    return next_permutation(algorithm->loop, algorithm->loop_count) ||
           advance_roles(algorithm, contraction);
}

void tcplan_enumerator_init(struct tcplan_enumerator *out,
                            const struct tcplan_contraction *contraction) {
    *out = (struct tcplan_enumerator){.contraction = contraction, .next = tcplan_algorithm_empty()};
    if (!only_batch(contraction)) out->done = !first_behind(&out->next, contraction, 0, -1);
    if (!out->done) reset_loops(&out->next, contraction);
}

bool tcplan_enumerator_next(struct tcplan_enumerator *enumerator, struct tcplan_algorithm *out) {
    if (enumerator->done) return false;
    *out = enumerator->next;
    algorithm_apply_rules(out, enumerator->contraction);
    enumerator->done = !advance(&enumerator->next, enumerator->contraction);
    return true;
}

/** Writes the first algorithm of each structure while there is room; returns the number of
 * structures. */
static size_t write_structures(struct tcplan_algorithm *out, size_t room,
                               const struct tcplan_contraction *contraction) {
    struct tcplan_enumerator enumerator;
    size_t count = 0;
    tcplan_enumerator_init(&enumerator, contraction);
    for (bool more = !enumerator.done; more;
         more = advance_roles(&enumerator.next, contraction), count++) {
        if (count >= room) continue;
        out[count] = enumerator.next;
        algorithm_apply_rules(&out[count], contraction);
    }
    return count;
}

struct tcplan_algorithm *enumerator_structures(const struct tcplan_contraction *contraction,
                                               size_t *count) {
    *count = write_structures(NULL, 0, contraction);
    struct tcplan_algorithm *structure = base_alloc(*count * sizeof *structure);
    if (structure) write_structures(structure, *count, contraction);
    return structure;
}

double enumerator_orders(const struct tcplan_algorithm *structure) {
    double orders = 1;
    for (int l = 2; l <= structure->loop_count; l++) orders *= l;
    return orders;
}

/** Computes choices * (orders!); returns false on overflow. */
static bool times_factorial(uint64_t choices, int orders, uint64_t *out) {
    *out = choices;
    for (int i = 2; i <= orders && choices > 0; i++) {
        if (!checked_mul_u64(*out, (uint64_t)i, out)) return false;
    }
    return true;
}

/** Counts the algorithms of a class with one set of roles: all choices of an index for each role,
 * times all orders of the loops. */
static bool count_set(const struct tcplan_contraction *contraction, unsigned roles, uint64_t *out) {
    int orders = indexset_size(contraction_run(contraction));
    *out = 1;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (!(roles >> role & 1U)) continue;
        *out *= (uint64_t)indexset_size(tcplan_contraction_indices(
            contraction, algorithm_kind_of_role((enum tcplan_role)role)));
        orders--;
    }
    return times_factorial(*out, orders, out);
}

static bool count_class(const struct tcplan_contraction *contraction,
                        const struct kernel_class *class, uint64_t *out) {
    bool fits = true;
    *out = 0;
    if (!class->is_blas) return true;
    if (class->takes_elements && only_batch(contraction)) return count_set(contraction, 0, out);
    for (const unsigned *set = class->role_sets; *set; set++) {
        uint64_t own;
        fits = count_set(contraction, *set, &own) && checked_add_u64(*out, own, out) && fits;
    }
    return fits;
}

enum tcplan_status tcplan_algorithm_count(const struct tcplan_contraction *contraction,
                                          uint64_t count[TCPLAN_KERNELS + 1]) {
    bool fits = true;
    count[TCPLAN_KERNELS] = 0;
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        fits =
            count_class(contraction, kernel_class_of((enum tcplan_kernel)kernel), &count[kernel]) &&
            fits;
        fits =
            fits && checked_add_u64(count[TCPLAN_KERNELS], count[kernel], &count[TCPLAN_KERNELS]);
    }
    return fits ? TCPLAN_OK : TCPLAN_OVERFLOW;
}
