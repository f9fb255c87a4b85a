#include "plan/sketch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/orientation.h"
#include "base/alloc.h"
#include "base/indexset.h"

enum { FIRST_CAPACITY = 256 };

static int compare_numbers(const struct sketch *x, const struct sketch *y) {
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_families(const struct sketch *x, const struct sketch *y) {
    if (x->structure.kernel != y->structure.kernel)
        return x->structure.kernel < y->structure.kernel ? -1 : 1;
    return memcmp(x->structure.group, y->structure.group, sizeof x->structure.group);
}

/** Sorts structures by family, then by cost. */
static int compare_within_families(const void *a, const void *b) {
    const struct sketch *x = a;
    const struct sketch *y = b;
    const int families = compare_families(x, y);
    if (families != 0) return families;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return compare_numbers(x, y);
}

static int compare_places(const void *a, const void *b) {
    const struct sketch *x = a;
    const struct sketch *y = b;
    if (x->behind != y->behind) return x->behind < y->behind ? -1 : 1;
    return compare_numbers(x, y);
}

void sketches_sort(struct sketches *sketches) {
    int place = 0;
    if (sketches->count == 0) return;
    qsort(sketches->sketch, sketches->count, sizeof *sketches->sketch, compare_within_families);
    for (size_t s = 0; s < sketches->count; s++) {
        struct sketch *sketch = &sketches->sketch[s];
        place = s > 0 && compare_families(sketch - 1, sketch) == 0 ? place + 1 : 1;
        sketch->behind = sketches->by_guess ? sketch->seconds : sketch->seconds * sqrt(place);
    }
    qsort(sketches->sketch, sketches->count, sizeof *sketches->sketch, compare_places);
    if (sketches->count <= sketches->most) return;
    sketches->count = sketches->most;
    sketches->limit_seconds = sketches->sketch[sketches->count - 1].behind;
}

static bool grow(struct sketches *sketches) {
    const size_t capacity = sketches->capacity > 0 ? 2 * sketches->capacity : FIRST_CAPACITY;
    struct sketch *grown = base_realloc(sketches->sketch, capacity * sizeof *grown);
    if (!grown) return false;
    sketches->sketch = grown;
    sketches->capacity = capacity;
    return true;
}

bool sketches_add(struct sketches *sketches, const struct tcplan_algorithm *structure,
                  double seconds) {
    const uint32_t number = sketches->added++;
    /* with this cost, the structure would be sorted after all listed ones, whatever its family
     * is */
    if (sketches->limit_seconds > 0 && seconds >= sketches->limit_seconds) return true;
    if (sketches->count >= 2 * sketches->most) sketches_sort(sketches);
    if (sketches->count == sketches->capacity && !grow(sketches)) return false;
    sketches->sketch[sketches->count++] =
        (struct sketch){.seconds = seconds, .number = number, .structure = *structure};
    return true;
}

void sketches_free(struct sketches *sketches) {
    base_free(sketches->sketch);
    *sketches = (struct sketches){.most = sketches->most};
}

/* Calls. */

/** Sets the extents of a structure's indices and steps; a divided index has the extent of a tile.
 * @param extent by the number of the index or step */
static void find_extents(double extent[TCPLAN_MAX_INDICES], const struct tcplan_problem *problem,
                         const struct tcplan_algorithm *structure) {
    const int index_count = problem->contraction->index_count;
    for (int i = 0; i < index_count; i++) extent[i] = (double)problem->extent[i];
    for (int s = 0; s < structure->split_count; s++) {
        const struct tcplan_split split = structure->split[s];
        extent[index_count + s] = fmax(extent[split.index] / split.step,
                                       1); /* the partial last step counts as a fraction */
        extent[split.index] = fmin(extent[split.index], split.step);
    }
}

static double product_of(const double extent[TCPLAN_MAX_INDICES], uint64_t indices) {
    double product = 1;
    for (; indices; indices &= indices - 1) product *= extent[indexset_first(indices)];
    return product;
}

static int int_of(double value) {
    return value < INT_MAX ? (int)value : INT_MAX;
}

/** Sets the rows and columns of the matrix of a gemv. */
static void size_matrix(double *m, double *n, const double role[TCPLAN_ROLES],
                        const struct tcplan_contraction *contraction,
                        const struct tcplan_algorithm *structure) {
    const enum tcplan_operand matrix = algorithm_first_factor(structure, contraction);
    const double free = role[matrix == TCPLAN_A ? TCPLAN_M : TCPLAN_N];
    const bool transposed = algorithm_transposes(structure, contraction, matrix);
    *m = transposed ? role[TCPLAN_K] : free;
    *n = transposed ? free : role[TCPLAN_K];
}

struct blas_call sketch_call(double *calls, const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *structure) {
    double extent[TCPLAN_MAX_INDICES];
    double role[TCPLAN_ROLES];
    double m = 1, n = 1, k = 1, length = 0;
    find_extents(extent, problem, structure);
    *calls = 1;
    for (int l = 0; l < structure->loop_count; l++) *calls *= extent[structure->loop[l]];
    for (int r = 0; r < TCPLAN_ROLES; r++) role[r] = product_of(extent, structure->group[r]);
    switch (kernel_shape(structure->kernel)) {
    case KERNEL_OF_ELEMENTS: length = role[TCPLAN_H]; break;
    case KERNEL_OF_VECTORS: m = role[TCPLAN_M] * role[TCPLAN_N] * role[TCPLAN_K]; break;
    case KERNEL_OF_MATRIX_FIRST: size_matrix(&m, &n, role, problem->contraction, structure); break;
    case KERNEL_OF_OUTER:
    case KERNEL_OF_MATRICES: {
        const bool is_row = algorithm_rows(structure, problem->contraction) == TCPLAN_M;
        m = role[is_row ? TCPLAN_M : TCPLAN_N] * role[TCPLAN_H];
        n = role[is_row ? TCPLAN_N : TCPLAN_M];
        k = role[TCPLAN_K];
    }
    }
    return (struct blas_call){.kernel = structure->kernel,
                              .provider = structure->provider,
                              .m = int_of(m),
                              .n = int_of(n),
                              .k = int_of(k),
                              .products = structure->group[TCPLAN_R] ? int_of(role[TCPLAN_R]) : 0,
                              .length = (int64_t)length};
}
