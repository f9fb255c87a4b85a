#include "bindings/tapp/convert.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    ROW = 256
}; /* number of elements converted at a time: 4 KiB of numbers, which fit the first cache */

struct row {
    double re[ROW];
    double im[ROW];
};

struct tcplan_scalar tapp_scalar(const void *number, enum tcplan_dtype type) {
    switch (type) {
    case TCPLAN_FLOAT: return (struct tcplan_scalar){.re = *(const float *)number};
    case TCPLAN_DOUBLE: return (struct tcplan_scalar){.re = *(const double *)number};
    case TCPLAN_FLOAT_COMPLEX:
        return (struct tcplan_scalar){.re = ((const float *)number)[0],
                                      .im = ((const float *)number)[1]};
    case TCPLAN_DOUBLE_COMPLEX:
        return (struct tcplan_scalar){.re = ((const double *)number)[0],
                                      .im = ((const double *)number)[1]};
    case TCPLAN_DTYPES: break;
    }
    return (struct tcplan_scalar){0};
}

/* Rows of elements. */

static void load_float(struct row *row, const float *from, int64_t stride, int count) {
    for (int i = 0; i < count; i++) row->re[i] = (double)from[i * stride];
    for (int i = 0; i < count; i++) row->im[i] = 0;
}

static void load_double(struct row *row, const double *from, int64_t stride, int count) {
    for (int i = 0; i < count; i++) row->re[i] = from[i * stride];
    for (int i = 0; i < count; i++) row->im[i] = 0;
}

static void load_float_complex(struct row *row, const float *from, int64_t stride, int count) {
    for (int i = 0; i < count; i++) {
        row->re[i] = (double)from[2 * i * stride];
        row->im[i] = (double)from[2 * i * stride + 1];
    }
}

static void load_double_complex(struct row *row, const double *from, int64_t stride, int count) {
    for (int i = 0; i < count; i++) {
        row->re[i] = from[2 * i * stride];
        row->im[i] = from[2 * i * stride + 1];
    }
}

/** Loads elements of a tensor from position `offset`, counted from the element whose indices are
 * all 0. */
static void load(struct row *row, const struct tapp_elements *from, int64_t offset, int64_t stride,
                 int count) {
    switch (from->type) {
    case TCPLAN_FLOAT: load_float(row, (const float *)from->at + offset, stride, count); return;
    case TCPLAN_DOUBLE: load_double(row, (const double *)from->at + offset, stride, count); return;
    case TCPLAN_FLOAT_COMPLEX:
        load_float_complex(row, (const float *)from->at + 2 * offset, stride, count);
        return;
    case TCPLAN_DOUBLE_COMPLEX:
    case TCPLAN_DTYPES:
        load_double_complex(row, (const double *)from->at + 2 * offset, stride, count);
        return;
    }
}

static void store_float_complex(float *to, const struct row *row, int64_t stride, int count) {
    for (int i = 0; i < count; i++) {
        to[2 * i * stride] = (float)row->re[i];
        to[2 * i * stride + 1] = (float)row->im[i];
    }
}

static void store_double_complex(double *to, const struct row *row, int64_t stride, int count) {
    for (int i = 0; i < count; i++) {
        to[2 * i * stride] = row->re[i];
        to[2 * i * stride + 1] = row->im[i];
    }
}

static void store(const struct tapp_elements *to, const struct row *row, int64_t offset,
                  int64_t stride, int count) {
    float *floats = to->at;
    double *doubles = to->at;
    switch (to->type) {
    case TCPLAN_FLOAT:
        for (int i = 0; i < count; i++) floats[offset + i * stride] = (float)row->re[i];
        return;
    case TCPLAN_DOUBLE:
        for (int i = 0; i < count; i++) doubles[offset + i * stride] = row->re[i];
        return;
    case TCPLAN_FLOAT_COMPLEX: store_float_complex(floats + 2 * offset, row, stride, count); return;
    case TCPLAN_DOUBLE_COMPLEX:
        store_double_complex(doubles + 2 * offset, row, stride, count);
        return;
    case TCPLAN_DTYPES: return;
    }
}

static void conjugate(struct row *row, int count) {
    for (int i = 0; i < count; i++) row->im[i] = -row->im[i];
}

/** Computes row := factor * row. A real factor multiplies real and imaginary parts separately, so
 * that a NaN in one does not spread to the other. */
static void scale(struct row *row, struct tcplan_scalar factor, int count) {
    if (factor.im == 0) {
        for (int i = 0; i < count; i++) row->re[i] *= factor.re;
        for (int i = 0; i < count; i++) row->im[i] *= factor.re;
        return;
    }
    for (int i = 0; i < count; i++) {
        const double re = row->re[i], im = row->im[i];
        row->re[i] = factor.re * re - factor.im * im;
        row->im[i] = factor.re * im + factor.im * re;
    }
}

static void add(struct row *row, const struct row *other, int count) {
    for (int i = 0; i < count; i++) row->re[i] += other->re[i];
    for (int i = 0; i < count; i++) row->im[i] += other->im[i];
}

/* Tensors. */

static void combine_row(const struct tapp_combination *all, int64_t D, int64_t T, int64_t C,
                        const int64_t stride[3], int count) {
    struct row sum, other;
    if (all->T.at) {
        load(&sum, &all->T, T, stride[1], count);
        scale(&sum, all->alpha, count);
    } else {
        sum = (struct row){0};
    }
    if (all->C.at) {
        load(&other, &all->C, C, stride[2], count);
        if (all->conjugates_C) conjugate(&other, count);
        scale(&other, all->beta, count);
        add(&sum, &other, count);
    }
    if (all->conjugates_D) conjugate(&sum, count);
    store(&all->D, &sum, D, stride[0], count);
}

/** Returns the sort key of a dimension, which determines the dimension of rows: the distance of D's
 * elements along it; if its extent is 1, the largest key. */
static int64_t distance(const struct tapp_shape *shape, const int64_t stride[], int dimension) {
    return shape->extent[dimension] > 1 ? llabs(stride[dimension]) : INT64_MAX;
}

/** Sorts the dimensions of a shape, the best for rows first. */
static void order_dimensions(int order[TAPP_MAX_INDICES], const struct tapp_shape *shape,
                             const int64_t stride[]) {
    for (int d = 0; d < shape->rank; d++) {
        int place = d;
        while (place > 0 &&
               distance(shape, stride, order[place - 1]) > distance(shape, stride, d)) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = d;
    }
}

static int64_t stride_of(const struct tapp_elements *elements, int dimension) {
    return elements->at ? elements->stride[dimension] : 0;
}

/** Combines all rows, each of which runs along the dimension chosen for rows. */
static void combine_run(const struct tapp_combination *all, const int64_t offset[3],
                        const int64_t stride[3], int64_t extent) {
    for (int64_t first = 0; first < extent; first += ROW) {
        const int count = extent - first < ROW ? (int)(extent - first) : ROW;
        combine_row(all, offset[0] + first * stride[0], offset[1] + first * stride[1],
                    offset[2] + first * stride[2], stride, count);
    }
}

void tapp_combine(const struct tapp_shape *shape, const struct tapp_combination *combination) {
    const struct tapp_elements *tensor[3] = {&combination->D, &combination->T, &combination->C};
    int64_t offset[3] = {0}, along[3] = {0}, step[TAPP_MAX_INDICES] = {0};
    int order[TAPP_MAX_INDICES] = {0};
    for (int d = 0; d < shape->rank; d++) {
        if (shape->extent[d] == 0) return;
    }
    order_dimensions(order, shape, combination->D.stride);
    for (int t = 0; t < 3 && shape->rank > 0; t++) along[t] = stride_of(tensor[t], order[0]);
    const int64_t extent = shape->rank > 0 ? shape->extent[order[0]] : 1;
    for (;;) {
        combine_run(combination, offset, along, extent);
        int next = 1;
        for (; next < shape->rank; next++) { /* increments the indices like an odometer */
            const int d = order[next];
            const bool turns = ++step[next] == shape->extent[d];
            for (int t = 0; t < 3; t++)
                offset[t] += stride_of(tensor[t], d) * (turns ? 1 - shape->extent[d] : 1);
            if (!turns) break;
            step[next] = 0;
        }
        if (next >= shape->rank) return;
    }
}

void tapp_convert(const struct tapp_shape *shape, struct tapp_elements to,
                  struct tapp_elements from) {
    const struct tapp_combination copy = {.D = to, .T = from, .alpha = {.re = 1}};
    tapp_combine(shape, &copy);
}
