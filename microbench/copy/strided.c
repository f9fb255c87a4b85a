#include "microbench/copy/strided.h"

#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "gen/lower/copy_shape.h"
#include "gen/lower/sharing.h"
#include "microbench/copy/copy.h"

enum { LEAST_RUN = 64 };

static void add_dimension(struct strided *block, const struct copy_shape_dimension *dimension,
                          ptrdiff_t element_bytes) {
    const int d = block->rank + block->summed;
    block->extent[d] = dimension->extent;
    block->to_bytes[d] = (ptrdiff_t)dimension->to * element_bytes;
    block->from_bytes[d] = (ptrdiff_t)dimension->from * element_bytes;
}

static struct strided bind(const struct refined_problem *problem, const struct copy_shape *shape,
                           struct tcplan_scalar factor) {
    static const struct copy_shape_dimension one = {.extent = 1, .to = 1, .from = 1};
    struct strided block = {.dtype = problem->written.dtype,
                            .factor = kernel_scalar_of(factor, problem->written.dtype)};
    for (; block.rank < shape->rank; block.rank++)
        add_dimension(&block, &shape->dimension[block.rank],
                      (ptrdiff_t)problem->written.element_bytes);
    if (shape->rank == 0) {
        add_dimension(&block, &one, (ptrdiff_t)problem->written.element_bytes);
        block.rank = 1;
    }
    for (; block.summed < shape->summed; block.summed++) {
        add_dimension(&block, &shape->dimension[shape->rank + block.summed],
                      (ptrdiff_t)problem->written.element_bytes);
    }
    return block;
}

/** Reduces a block to its box number `number` in a state of the loops; returns false if the
 * block has fewer boxes. */
static bool cut(struct strided *block, const struct copy_shape *shape,
                const struct refined_problem *problem, unsigned partial, int number) {
    struct copy_box box;
    if (!copy_shape_box(&box, shape, problem, partial, number)) return false;
    for (int d = 0; d < shape->rank; d++) block->extent[d] = box.extent[d];
    block->to_first_bytes = (ptrdiff_t)(box.to * (int64_t)problem->written.element_bytes);
    block->from_first_bytes = (ptrdiff_t)(box.from * (int64_t)problem->written.element_bytes);
    return true;
}

bool strided_copy_box(struct strided *out, const struct refined_problem *problem,
                      const struct tcplan_copy *copy, struct blas_call_place place, int number) {
    const struct tcplan_scalar one = {1, 0};
    const struct tcplan_scalar beta =
        place.later ? one : tcplan_problem_scalar(&problem->written, copy->update.beta);
    const struct copy_shape shape = copy_shape_of(problem, copy);
    const bool multiplies = copy_scales(&problem->written, copy);
    struct strided block =
        bind(problem, &shape,
             multiplies ? tcplan_problem_scalar(&problem->written, copy->update.alpha) : beta);
    if (!cut(&block, &shape, problem, place.partial, number)) return false;
    block.multiplies = multiplies;
    block.accumulates = beta.re != 0 || beta.im != 0;
    block.streamed = heuristics_stream(problem, copy);
    block.conjugates = scalar_conjugates(copy->conjugated, problem->written.dtype);
    *out = block;
    return true;
}

bool strided_scale_box(struct strided *out, const struct refined_problem *problem,
                       const struct tcplan_scale *scale, struct blas_call_place place, int number) {
    const struct copy_shape shape =
        copy_shape_of(problem, &(struct tcplan_copy){.to = scale->slice, .from = scale->slice});
    const struct tcplan_scalar beta = tcplan_problem_scalar(&problem->written, scale->beta);
    struct strided block = bind(problem, &shape, beta);
    if (!cut(&block, &shape, problem, place.partial, number)) return false;
    block.scales = true;
    block.conjugates = scalar_conjugates(scale->conjugated, problem->written.dtype);
    block.zero = scalar_is(beta, 0);
    memset(block.from_bytes, 0, sizeof block.from_bytes);
    if (block.to_bytes[0] == (ptrdiff_t)problem->written.element_bytes)
        block.contiguous_bytes = (size_t)block.extent[0] * problem->written.element_bytes;
    *out = block;
    return true;
}

struct strided strided_copy(const struct refined_problem *problem, const struct tcplan_copy *copy,
                            struct blas_call_place place) {
    struct strided block = {.rank = 0};
    strided_copy_box(&block, problem, copy, place, 0);
    return block;
}

struct strided strided_scale(const struct refined_problem *problem,
                             const struct tcplan_scale *scale, struct blas_call_place place) {
    struct strided block = {.rank = 0};
    strided_scale_box(&block, problem, scale, place, 0);
    return block;
}

struct strided strided_start_result(const struct tcplan_problem *problem) {
    const struct tcplan_refinement none = refinement_none(problem->contraction);
    const struct refined_problem unrefined = problem_refine(problem, &none);
    const struct tcplan_tensor *tensor = problem->contraction->tensor;
    const struct tcplan_slice whole = {.operand = TCPLAN_C, .span = none.indices[TCPLAN_C]};
    const struct tcplan_slice addend = {.operand = TCPLAN_ADDEND, .span = whole.span};
    const struct tcplan_scale scale = {
        .slice = whole, .beta = problem->beta, .conjugated = tensor[TCPLAN_C].conjugated};
    const struct tcplan_copy copy = {.to = whole,
                                     .from = addend,
                                     .update = {.alpha = problem->beta},
                                     .conjugated = tensor[TCPLAN_ADDEND].conjugated};
    return contraction_added(problem->contraction) == TCPLAN_ADDEND
               ? strided_copy(&unrefined, &copy, (struct blas_call_place){0})
               : strided_scale(&unrefined, &scale, (struct blas_call_place){0});
}

void strided_dimensions(struct region *out, const struct strided *block,
                        const ptrdiff_t *step_bytes) {
    out->rank = step_bytes == block->to_bytes ? block->rank : block->rank + block->summed;
    for (int d = 0; d < out->rank; d++)
        out->dimension[d] = (struct region_dimension){block->extent[d], step_bytes[d]};
}

static double footprint_of(const struct strided *block, const ptrdiff_t *step_bytes,
                           int64_t unit_bytes) {
    struct region region = {.element_bytes = (int64_t)tcplan_dtype_bytes(block->dtype)};
    strided_dimensions(&region, block, step_bytes);
    region_sort(&region);
    return region_footprint_bytes(&region, unit_bytes);
}

double strided_footprint_bytes(const struct strided *block, int64_t unit_bytes) {
    const double to = footprint_of(block, block->to_bytes, unit_bytes);
    return block->scales ? to : to + footprint_of(block, block->from_bytes, unit_bytes);
}

/** Halves a dimension of a block, keeping the last part; returns the ratio of the work before and
 * after. */
static double halve(struct strided *block, int d) {
    const int64_t kept = (block->extent[d] + 1) / 2;
    const double scale = (double)block->extent[d] / (double)kept;
    if (d == 0)
        block->contiguous_bytes = block->contiguous_bytes / (size_t)block->extent[0] * (size_t)kept;
    block->to_first_bytes += (ptrdiff_t)(block->extent[d] - kept) * block->to_bytes[d];
    block->from_first_bytes += (ptrdiff_t)(block->extent[d] - kept) * block->from_bytes[d];
    block->extent[d] = kept;
    return scale;
}

bool strided_part(struct strided *out, const struct strided *block, int part, int parts) {
    const int d = sharing_dimension(block->rank, block->extent, block->to_bytes, parts);
    const struct sharing sharing = {.threads = parts, .unit = 1};
    const struct iterations own = sharing_part(&sharing, block->extent[d], part);
    *out = *block;
    if (own.begin == own.end) return false;
    if (d == 0)
        out->contiguous_bytes =
            block->contiguous_bytes / (size_t)block->extent[0] * (size_t)(own.end - own.begin);
    out->extent[d] = own.end - own.begin;
    out->to_first_bytes += (ptrdiff_t)own.begin * block->to_bytes[d];
    out->from_first_bytes += (ptrdiff_t)own.begin * block->from_bytes[d];
    return true;
}

double strided_bytes(const struct strided *block) {
    double bytes = (double)tcplan_dtype_bytes(block->dtype);
    for (int d = 0; d < block->rank; d++) bytes *= (double)block->extent[d];
    return bytes;
}

/** Returns whether a dimension is contiguous on one side, so that shortening it would leave
 * partial lines. */
static bool is_contiguous(const struct strided *block, int d) {
    const ptrdiff_t element = (ptrdiff_t)tcplan_dtype_bytes(block->dtype);
    return block->to_bytes[d] == element || block->from_bytes[d] == element;
}

/**
 * Lists the dimensions in the order in which they are shortened: outermost first. For copies that
 * sum, outermost in the source, so that a part has the same rows as the whole.
 */
static void cutting_order(int order[], const struct strided *block) {
    const int rank = block->rank + block->summed;
    for (int d = 0; d < rank; d++) {
        int place = d;
        const ptrdiff_t step = block->from_bytes[rank - 1 - d];
        for (; block->summed > 0 && place > 0 && block->from_bytes[order[place - 1]] < step;
             place--)
            order[place] = order[place - 1];
        order[place] = rank - 1 - d;
    }
}

double strided_reduce(struct strided *block, int64_t unit_bytes, double bytes) {
    double scale = 1;
    int order[TCPLAN_MAX_INDICES];
    cutting_order(order, block);
    for (int pass = 0; pass < 3; pass++) {
        /* Contiguous dimensions are halved below a cache line only if no other dimension can be
         * halved. */
        const int64_t least[] = {1, LEAST_RUN, 1};
        for (int o = 0; o < block->rank + block->summed; o++) {
            const int d = order[o];
            if (pass == 0 && is_contiguous(block, d)) continue;
            while (block->extent[d] > least[pass] &&
                   strided_footprint_bytes(block, unit_bytes) > bytes)
                scale *= halve(block, d);
        }
    }
    return scale;
}

static const struct copy_kernel *kernel_of(enum tcplan_dtype dtype) {
    static const struct copy_kernel *const kernel[TCPLAN_DTYPES] = {&copy_s, &copy_d, &copy_c,
                                                                    &copy_z};
    return kernel[dtype];
}

void strided_run_copy_part(const struct strided *block, const int64_t extent[], char *to,
                           const char *from) {
    kernel_of(block->dtype)
        ->run(block, extent, to + block->to_first_bytes, from + block->from_first_bytes, NULL);
}

void strided_run_copy_on(const struct strided *block, char *to, const char *from, char *ends) {
    kernel_of(block->dtype)
        ->run(block, block->extent, to + block->to_first_bytes, from + block->from_first_bytes,
              ends);
}

void strided_write_ends(enum tcplan_dtype dtype, char *ends, int64_t count) {
    kernel_of(dtype)->write_ends(ends, count);
}

void strided_run_copy(const struct strided *block, char *to, const char *from) {
    strided_run_copy_part(block, block->extent, to, from);
}

void strided_fence(void) {
    copy_d.fence();
}

/** Sets strided elements of a type to 0. */
#define ZERO_RUN(type)                                                                             \
    for (int64_t i = 0; i < count; i++) {                                                          \
        memset(to + i * step, 0, sizeof(type));                                                    \
    }

static void zero_strided_run(enum tcplan_dtype dtype, int64_t count, char *to, ptrdiff_t step) {
    switch (dtype) {
    case TCPLAN_FLOAT: ZERO_RUN(float) break;
    case TCPLAN_DOUBLE:
    case TCPLAN_FLOAT_COMPLEX: ZERO_RUN(double) break;
    case TCPLAN_DOUBLE_COMPLEX: ZERO_RUN(double[2]) break;
    case TCPLAN_DTYPES: break;
    }
}

static void zero_run(const struct strided *block, char *to) {
    if (block->contiguous_bytes > 0) {
        memset(to, 0, block->contiguous_bytes);
    } else {
        zero_strided_run(block->dtype, block->extent[0], to, block->to_bytes[0]);
    }
}

static void scale_run(const struct strided *block, char *to) {
    const ptrdiff_t step = block->to_bytes[0];
    for (int64_t i = 0; i < block->extent[0]; i++, to += step) {
        float *s = (float *)to;
        double *d = (double *)to;
        const float *c = block->factor.c;
        const double *z = block->factor.z;
        switch (block->dtype) {
        case TCPLAN_FLOAT: *s *= block->factor.s; break;
        case TCPLAN_DOUBLE: *d *= block->factor.d; break;
        case TCPLAN_FLOAT_COMPLEX: {
            const float im = block->conjugates ? -s[1] : s[1];
            const float re = c[0] * s[0] - c[1] * im;
            s[1] = c[0] * im + c[1] * s[0];
            s[0] = re;
            break;
        }
        case TCPLAN_DOUBLE_COMPLEX: {
            const double im = block->conjugates ? -d[1] : d[1];
            const double re = z[0] * d[0] - z[1] * im;
            d[1] = z[0] * im + z[1] * d[0];
            d[0] = re;
            break;
        }
        case TCPLAN_DTYPES: break;
        }
    }
}

static void scale_level(const struct strided *block, int level, char *to) {
    if (level == 0) {
        if (block->zero) {
            zero_run(block, to);
        } else {
            scale_run(block, to);
        }
        return;
    }
    for (int64_t i = 0; i < block->extent[level]; i++)
        scale_level(block, level - 1, to + i * block->to_bytes[level]);
}

void strided_run_scale(const struct strided *block, char *to) {
    scale_level(block, block->rank - 1, to + block->to_first_bytes);
}
