#include "microbench/strided.h"

#include <string.h>

#include "base/indexset.h"

/** Adds dimensions in the order of the strides of `order`, innermost first, merging those that continue the one before. */
static void add_dimensions(struct strided *block, const struct tcplan_problem *problem, struct tcplan_slice order, struct tcplan_slice to,
                           const struct tcplan_slice *from, unsigned partial) {
    const ptrdiff_t bytes = (ptrdiff_t)problem->element_bytes;
    for (uint64_t rest = order.span; rest;) {
        int nearest = indexset_first(rest);
        for (uint64_t others = rest; others; others &= others - 1) {
            int index = indexset_first(others);
            if (slice_stride(problem, order, index) < slice_stride(problem, order, nearest)) nearest = index;
        }
        rest &= ~indexset_of(nearest);
        const int64_t extent = blas_call_extent(problem, nearest, partial);
        const ptrdiff_t to_step = (ptrdiff_t)slice_stride(problem, to, nearest) * bytes;
        const ptrdiff_t from_step = from ? (ptrdiff_t)slice_stride(problem, *from, nearest) * bytes : 0;
        if (extent == 1) continue;
        const int last = block->rank - 1;
        bool continues = last >= 0 && to_step == block->to_bytes[last] * block->extent[last] &&
                         (!from || from_step == block->from_bytes[last] * block->extent[last]);
        if (continues) {
            block->extent[last] *= extent;
            continue;
        }
        block->extent[block->rank] = extent;
        block->to_bytes[block->rank] = to_step;
        block->from_bytes[block->rank] = from_step;
        block->rank++;
    }
    if (block->rank > 0) return;
    block->extent[0] = 1;
    block->to_bytes[0] = block->from_bytes[0] = bytes;
    block->rank = 1;
}

static union kernel_scalar typed(struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    const struct blas_call call = {.alpha = scalar};
    return kernel_bind(&call, dtype).alpha;
}

struct strided strided_copy(const struct tcplan_problem *problem, const struct tcplan_copy *copy, unsigned partial, bool later) {
    const struct tcplan_scalar one = {1, 0};
    const struct tcplan_scalar factor = later ? one : problem->contraction->beta;
    struct strided block = {.dtype = problem->dtype,
                            .factor = typed(factor, problem->dtype),
                            .accumulates = copy->accumulates && (factor.re != 0 || factor.im != 0),
                            .streamed = copy->streamed};
    add_dimensions(&block, problem, copy->to.temporary ? copy->to : copy->from, copy->to, &copy->from, partial);
    return block;
}

struct strided strided_scale(const struct tcplan_problem *problem, const struct tcplan_scale *scale) {
    const struct tcplan_scalar beta = problem->contraction->beta;
    struct strided block = {.dtype = problem->dtype, .factor = typed(beta, problem->dtype), .zero = beta.re == 0 && beta.im == 0};
    add_dimensions(&block, problem, scale->slice, scale->slice, NULL, 0);
    if (block.to_bytes[0] == (ptrdiff_t)problem->element_bytes) block.contiguous_bytes = (size_t)block.extent[0] * problem->element_bytes;
    return block;
}

static double footprint_of(const struct strided *block, const ptrdiff_t *step_bytes, int64_t unit_bytes) {
    struct region region = {.rank = block->rank, .element_bytes = (int64_t)tcplan_dtype_bytes(block->dtype)};
    for (int d = 0; d < block->rank; d++) region.dimension[d] = (struct region_dimension){block->extent[d], step_bytes[d]};
    region_sort(&region);
    return region_footprint_bytes(&region, unit_bytes);
}

double strided_footprint_bytes(const struct strided *block, int64_t unit_bytes) {
    const double to = footprint_of(block, block->to_bytes, unit_bytes);
    return block->from_bytes[0] == 0 ? to : to + footprint_of(block, block->from_bytes, unit_bytes);
}

double strided_reduce(struct strided *block, int64_t unit_bytes, double bytes) {
    double scale = 1;
    int d = block->rank - 1;
    while (d >= 0 && strided_footprint_bytes(block, unit_bytes) > bytes) {
        if (block->extent[d] == 1) {
            d--;
            continue;
        }
        const int64_t kept = (block->extent[d] + 1) / 2;
        scale *= (double)block->extent[d] / (double)kept;
        if (d == 0) block->contiguous_bytes = block->contiguous_bytes / (size_t)block->extent[0] * (size_t)kept;
        block->to_first_bytes += (ptrdiff_t)(block->extent[d] - kept) * block->to_bytes[d];
        block->from_first_bytes += (ptrdiff_t)(block->extent[d] - kept) * block->from_bytes[d];
        block->extent[d] = kept;
    }
    return scale;
}

/** Copies one run of elements of a type that is moved as a whole. */
#define COPY_RUN(type)                                                                                                                     \
    for (int64_t i = 0; i < count; i++) {                                                                                                  \
        memcpy(to + i * to_step, from + i * from_step, sizeof(type));                                                                      \
    }

static void copy_run(enum tcplan_dtype dtype, int64_t count, char *restrict to, ptrdiff_t to_step, const char *restrict from,
                     ptrdiff_t from_step) {
    switch (dtype) {
    case TCPLAN_FLOAT: COPY_RUN(float) break;
    case TCPLAN_DOUBLE:
    case TCPLAN_FLOAT_COMPLEX: COPY_RUN(double) break;
    case TCPLAN_DOUBLE_COMPLEX: COPY_RUN(double[2]) break;
    case TCPLAN_DTYPES: break;
    }
}

/** to := from + factor * to, on one run. */
static void accumulate_run(const struct strided *block, char *to, const char *from) {
    const float *c = block->factor.c;
    const double *z = block->factor.z;
    for (int64_t i = 0; i < block->extent[0]; i++, to += block->to_bytes[0], from += block->from_bytes[0]) {
        float *s = (float *)to;
        double *d = (double *)to;
        const float *sf = (const float *)from;
        const double *df = (const double *)from;
        switch (block->dtype) {
        case TCPLAN_FLOAT: *s = *sf + block->factor.s * *s; break;
        case TCPLAN_DOUBLE: *d = *df + block->factor.d * *d; break;
        case TCPLAN_FLOAT_COMPLEX: {
            const float re = sf[0] + c[0] * s[0] - c[1] * s[1];
            s[1] = sf[1] + c[0] * s[1] + c[1] * s[0];
            s[0] = re;
            break;
        }
        case TCPLAN_DOUBLE_COMPLEX: {
            const double re = df[0] + z[0] * d[0] - z[1] * d[1];
            d[1] = df[1] + z[0] * d[1] + z[1] * d[0];
            d[0] = re;
            break;
        }
        case TCPLAN_DTYPES: break;
        }
    }
}

static void copy_level(const struct strided *block, int level, char *to, const char *from) {
    if (level == 0 && block->accumulates) {
        accumulate_run(block, to, from);
        return;
    }
    if (level == 0) {
        copy_run(block->dtype, block->extent[0], to, block->to_bytes[0], from, block->from_bytes[0]);
        return;
    }
    for (int64_t i = 0; i < block->extent[level]; i++) {
        copy_level(block, level - 1, to + i * block->to_bytes[level], from + i * block->from_bytes[level]);
    }
}

void strided_run_copy(const struct strided *block, char *to, const char *from) {
    copy_level(block, block->rank - 1, to + block->to_first_bytes, from + block->from_first_bytes);
}

/** Zeroes one strided run of elements of a type. */
#define ZERO_RUN(type)                                                                                                                     \
    for (int64_t i = 0; i < count; i++) {                                                                                                  \
        memset(to + i * step, 0, sizeof(type));                                                                                            \
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
            const float re = c[0] * s[0] - c[1] * s[1];
            s[1] = c[0] * s[1] + c[1] * s[0];
            s[0] = re;
            break;
        }
        case TCPLAN_DOUBLE_COMPLEX: {
            const double re = z[0] * d[0] - z[1] * d[1];
            d[1] = z[0] * d[1] + z[1] * d[0];
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
    for (int64_t i = 0; i < block->extent[level]; i++) scale_level(block, level - 1, to + i * block->to_bytes[level]);
}

void strided_run_scale(const struct strided *block, char *to) {
    scale_level(block, block->rank - 1, to + block->to_first_bytes);
}
