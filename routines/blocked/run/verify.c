/* Compares an algorithm's result with that of LAPACK's routine for the whole operation. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/program/buffers.h"
#include "routines/blocked/run/binding.h"
#include "routines/blocked/run/ending.h"
#include "routines/blocked/run/inputs.h"

enum { MARGIN_BYTES = 64, CANARY = 0xff }; /* bytes that are a NaN in any floating-point type */

/** The accepted error is ROUNDINGS * (n + MORE_ROWS) units of roundoff, where n is the largest size
 * of the problem. */
enum { ROUNDINGS = 8, MORE_ROWS = 8 };

/** Three copies of a matrix: its initial content, and the algorithm's and LAPACK's results. */
struct triple {
    struct inputs_shape shape;
    enum tcplan_dtype dtype; /* type of the elements, unless they are integers */
    size_t element_bytes, bytes;
    char *before, *result, *expected; /* the copies, each with a margin before and after it */
};

struct comparison {
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    struct triple triple[TCPLAN_MAX_MATRICES];
    struct tcplan_blocked_verdict *out;
    bool without_result; /* whether the matrices are changed so that the operation fails */
};

/** Fills elements that must not be read with NaN: gaps, and those outside of the triangle. */
static void spoil(const struct triple *triple) {
    const struct inputs_shape *shape = &triple->shape;
    for (int64_t column = 0; column < shape->columns && shape->rows > 0; column++) {
        char *const at = triple->before + (size_t)(column * shape->leading) * triple->element_bytes;
        for (int64_t row = 0; row < shape->rows && !shape->reads_zeros; row++) {
            if (!inputs_touches(shape, row, column))
                memset(at + (size_t)row * triple->element_bytes, CANARY, triple->element_bytes);
        }
        if (column + 1 == shape->columns) break;
        memset(at + (size_t)shape->rows * triple->element_bytes, CANARY,
               (size_t)(shape->leading - shape->rows) * triple->element_bytes);
    }
}

/**
 * Allocates memory with margins and returns a pointer to the bytes after the first margin; NULL if
 * memory runs out. After the second margin there is room for a stride, because OpenBLAS 0.3.21
 * reads one stride beyond the end of complex vectors.
 */
static char *reserve(size_t bytes, size_t stride_bytes) {
    const size_t all = bytes + 2 * (size_t)MARGIN_BYTES + stride_bytes;
    char *memory = base_aligned_alloc(MARGIN_BYTES, all);
    if (memory) memset(memory, CANARY, all);
    return memory ? memory + MARGIN_BYTES : NULL;
}

static void release(char *memory) {
    if (memory) base_free(memory - MARGIN_BYTES);
}

/** A change of the matrices that makes an operation fail. */
struct defect {
    const char *base;  /* name of LAPACK's routine for the operation, without the letter of the type
                        */
    double diagonal;   /* the new diagonal element */
    bool whole_column; /* whether all elements of the column of this diagonal element become 0 */
};

static const struct defect *defect_of(const struct tcplan_blocked *blocked) {
    static const struct defect defects[] = {
        {"potrf", -1, false}, {"trtri", 0, false}, {"getrf", 0, true}};
    for (size_t d = 0; d < sizeof defects / sizeof *defects; d++) {
        const int diag = signature_argument(blocked->whole, "diag");
        if (strcmp(blocked->whole->base, defects[d].base) == 0 &&
            (diag < 0 || blocked->whole_value[diag] != 'U'))
            return &defects[d];
    }
    return NULL;
}

/** Makes the operation fail: sets a random diagonal element, or its whole column, to the defect's
 * value. */
static void take_result_away(const struct comparison *of, const struct triple *triple,
                             uint64_t seed) {
    const struct defect *defect = defect_of(of->blocked);
    const struct inputs_shape *shape = &triple->shape;
    const int64_t order = shape->rows < shape->columns ? shape->rows : shape->columns;
    struct random random = {.state = seed + 1};
    if (order == 0) return;
    const int64_t at = random_below(&random, order);
    for (int64_t row = 0; row < shape->rows; row++) {
        if (row != at && !defect->whole_column) continue;
        inputs_put(triple->before + (size_t)(row + at * shape->leading) * triple->element_bytes,
                   of->blocked->dtype, defect->diagonal, 0);
    }
}

static enum tcplan_status make_triple(struct comparison *of, int m, uint64_t seed,
                                      struct tcplan_error *error) {
    struct triple *triple = &of->triple[m];
    triple->shape = inputs_shape_of(of->blocked, of->sizes, m);
    triple->dtype = blocked_element_type(of->blocked, m);
    triple->element_bytes = binding_element_bytes(of->blocked, m);
    triple->bytes = (size_t)tcplan_blocked_bytes(of->blocked, of->sizes, m);
    const size_t stride_bytes = (size_t)triple->shape.leading * triple->element_bytes;
    triple->before = reserve(triple->bytes, 0);
    triple->result = reserve(triple->bytes, stride_bytes);
    triple->expected = reserve(triple->bytes, stride_bytes);
    if (!triple->before || !triple->result || !triple->expected) return error_no_memory(error);
    inputs_fill(of->blocked, of->sizes, m, triple->before, seed);
    if (of->without_result && m == 0) take_result_away(of, triple, seed);
    spoil(triple);
    memcpy(triple->result, triple->before, triple->bytes);
    memcpy(triple->expected, triple->before, triple->bytes);
    return TCPLAN_OK;
}

static void set_values(const struct comparison *of, int64_t value[]) {
    const struct tcplan_blocked *blocked = of->blocked;
    const struct signature *whole = blocked->whole;
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    memcpy(value, blocked->whole_value, (size_t)whole->count * sizeof *value);
    for (int a = 0; a < whole->count; a++) {
        const struct signature_argument *argument = &whole->argument[a];
        given[a] = argument->class == SIGNATURE_FLAG;
        if (argument->class == SIGNATURE_DIM) {
            const int size = blocked->whole_size[a];
            if (size >= 0)
                value[a] = size == WHOLE_BLOCK ? of->sizes->block : of->sizes->size[size];
            given[a] = true;
        } else if (argument->class == SIGNATURE_LD && blocked->whole_matrix[argument->of] >= 0) {
            value[a] = of->triple[blocked->whole_matrix[argument->of]].shape.leading;
            given[a] = true;
        }
    }
    signature_complete(whole, value, given);
}

/** Copies the band that LAPACK's routine returned to the triangle of its first matrix in which the
 * algorithm leaves the band. */
static void unpack_band(const struct comparison *of, const int64_t value[],
                        const struct signature_argument *band, const char *from) {
    const struct triple *triple = &of->triple[0];
    const int64_t diagonals = value[signature_argument(of->blocked->whole, "kd")],
                  leading = value[band->stride];
    for (int64_t column = 0; column < triple->shape.columns; column++) {
        const int64_t above = column < diagonals ? column : diagonals,
                      below = triple->shape.rows - 1 - column,
                      count = 1 + (triple->shape.is_upper ? above
                                   : below < diagonals    ? below
                                                          : diagonals);
        const int64_t row = triple->shape.is_upper ? column - above : column,
                      band_row = triple->shape.is_upper ? diagonals - above : 0;
        memcpy(triple->expected +
                   (size_t)(row + column * triple->shape.leading) * triple->element_bytes,
               from + (size_t)(band_row + column * leading) * triple->element_bytes,
               (size_t)count * triple->element_bytes);
    }
}

/** Runs LAPACK's routine on the copies. */
static enum tcplan_status run_lapack(struct comparison *of, struct tcplan_error *error) {
    const struct signature *whole = of->blocked->whole;
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL}, *work[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    struct call *call = base_aligned_alloc(_Alignof(struct call), sizeof *call);
    struct routine routine;
    enum tcplan_status status =
        call ? routine_bind(&routine, whole, TCPLAN_PROVIDER_BLAS, error) : error_no_memory(error);
    set_values(of, value);
    for (int a = 0; a < whole->count && status == TCPLAN_OK; a++) {
        const enum signature_class class = whole->argument[a].class;
        if (class != SIGNATURE_DATA && class != SIGNATURE_WORK) continue;
        if (of->blocked->whole_matrix[a] >= 0) {
            data[a] = of->triple[of->blocked->whole_matrix[a]].expected;
        } else {
            const size_t elements = (size_t)signature_extent(whole, value, a) + 1;
            data[a] = work[a] =
                base_alloc_zero(elements, (size_t)signature_element_bytes(whole, a));
            if (!work[a]) status = error_no_memory(error);
        }
    }
    if (status == TCPLAN_OK) status = call_prepare(call, &routine, value, NULL, data, error);
    if (status == TCPLAN_OK) {
        call_make(call);
        of->out->lapack_info = call_info(call);
        for (int a = 0; a < whole->count; a++) {
            if (whole->argument[a].storage == SIGNATURE_BAND && work[a])
                unpack_band(of, value, &whole->argument[a], work[a]);
        }
    }
    for (int a = 0; a < whole->count; a++) base_free(work[a]);
    base_free(call);
    return status;
}

static bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

/** Returns a real number, or a part of a complex one. */
static double part_at(const char *at, enum tcplan_dtype dtype, int part) {
    double d;
    float s;
    if (!is_single(dtype)) {
        memcpy(&d, at + (size_t)part * sizeof d, sizeof d);
        return d;
    }
    memcpy(&s, at + (size_t)part * sizeof s, sizeof s);
    return (double)s;
}

static double magnitude(const char *at, const char *less, enum tcplan_dtype dtype) {
    double part[2] = {0, 0};
    for (int p = 0; p < (tcplan_dtype_is_complex(dtype) ? 2 : 1); p++)
        part[p] = part_at(at, dtype, p) - (less ? part_at(less, dtype, p) : 0);
    return hypot(part[0], part[1]);
}

/** Returns the larger of two numbers; NaN counts as larger than all numbers. */
static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

/** Returns the largest difference between the elements of both results, relative to the largest
 * element. */
static double difference(const struct triple *triple) {
    const enum tcplan_dtype dtype = triple->dtype;
    double most = 0, largest = 0;
    for (int64_t column = 0; column < triple->shape.columns; column++) {
        for (int64_t row = 0; row < triple->shape.rows; row++) {
            const size_t at =
                (size_t)(row + column * triple->shape.leading) * triple->element_bytes;
            if (!inputs_touches(&triple->shape, row, column)) continue;
            most = larger(magnitude(triple->result + at, triple->expected + at, dtype), most);
            largest = larger(magnitude(triple->expected + at, NULL, dtype), largest);
        }
    }
    return largest > 0 ? most / largest : most;
}

/** Returns whether memory that must not be written is unchanged: the bytes before and after a
 * matrix, its gaps, and the elements outside of the accessed part. */
static bool is_untouched(const struct triple *triple, bool may_be_written) {
    const struct inputs_shape *shape = &triple->shape;
    char margin[MARGIN_BYTES];
    memset(margin, CANARY, sizeof margin);
    if (memcmp(triple->result - MARGIN_BYTES, margin, sizeof margin) != 0) return false;
    if (memcmp(triple->result + triple->bytes, margin, sizeof margin) != 0) return false;
    if (!may_be_written) return memcmp(triple->result, triple->before, triple->bytes) == 0;
    for (size_t at = 0; at < triple->bytes; at += triple->element_bytes) {
        const int64_t element = (int64_t)(at / triple->element_bytes),
                      leading = shape->leading > 0 ? shape->leading : 1;
        const int64_t row = element % leading, column = element / leading;
        if (row < shape->rows && inputs_touches(shape, row, column)) continue;
        if (memcmp(triple->result + at, triple->before + at, triple->element_bytes) != 0)
            return false;
    }
    return true;
}

static bool is_written(const struct tcplan_matrix *matrix) {
    return matrix->role == TCPLAN_MATRIX_UPDATED || matrix->role == TCPLAN_MATRIX_OUTPUT;
}

static void compare_matrix(struct comparison *of, int m) {
    const struct tcplan_matrix *matrix = &of->blocked->blocks.matrix[m];
    const struct triple *triple = &of->triple[m];
    struct tcplan_blocked_verdict *out = of->out;
    if (!is_untouched(triple, is_written(matrix))) out->touched = matrix->name;
    if (!is_written(matrix) || out->outcome.end != TCPLAN_BLOCKED_COMPUTED) return;
    const double error =
        matrix->is_integer
            ? (memcmp(triple->result, triple->expected, triple->bytes) == 0 ? 0 : INFINITY)
            : difference(triple);
    if (isnan(error) || error > out->error) {
        out->error = error;
        out->worst = matrix->name;
    }
}

static int64_t least_size(const struct comparison *of) {
    int64_t least = INT64_MAX;
    for (int s = 0; s < of->blocked->blocks.size_count; s++)
        least = of->sizes->size[s] < least ? of->sizes->size[s] : least;
    return least;
}

static int64_t larger_size(const struct comparison *of) {
    int64_t most = 0;
    for (int s = 0; s < of->blocked->blocks.size_count; s++)
        most = of->sizes->size[s] > most ? of->sizes->size[s] : most;
    return most;
}

/** Returns by how much the accepted error of a reduction to a band grows with its steps. */
static double growth_of(const struct comparison *of) {
    const struct inputs_shape *shape = &of->triple[0].shape;
    return shape->band > 0 ? 1 + (double)shape->rows / (double)shape->band : 1;
}

static void compare(struct comparison *of) {
    struct tcplan_blocked_verdict *out = of->out;
    const double unit = is_single(of->blocked->dtype) ? FLT_EPSILON : DBL_EPSILON;
    out->allowed = ROUNDINGS * (double)(larger_size(of) + MORE_ROWS) * unit * growth_of(of);
    for (int m = 0; m < of->blocked->blocks.matrix_count; m++) {
        if (of->triple[m].before) compare_matrix(of, m);
    }
    out->passed = out->error <= out->allowed && !out->touched &&
                  out->outcome.info == out->lapack_info &&
                  (!of->without_result || out->outcome.info > 0 || least_size(of) == 0);
}

/** Checks that there is memory for three copies of each matrix. */
static enum tcplan_status check_memory(const struct comparison *of, struct tcplan_error *error) {
    const int64_t available = buffers_available_bytes();
    int64_t bytes = 0;
    for (int m = 0; m < of->blocked->blocks.matrix_count; m++) {
        const int64_t each = tcplan_blocked_bytes(of->blocked, of->sizes, m);
        const int copies = of->blocked->blocks.matrix[m].role == TCPLAN_MATRIX_TEMPORARY ? 1 : 3;
        if (!checked_add_i64(bytes, saturated_mul_i64(each, copies), &bytes)) bytes = INT64_MAX;
    }
    if (available == 0 || bytes <= available) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "three copies of the matrices need %s of memory, but only %s may be used; take smaller sizes",
        quantity_bytes((double)bytes).text, quantity_bytes((double)available).text);
}

static enum tcplan_status run_both(struct comparison *of, uint64_t seed,
                                   struct tcplan_error *error) {
    const struct tcplan_blocks *blocks = &of->blocked->blocks;
    void *matrix[TCPLAN_MAX_MATRICES] = {NULL};
    enum tcplan_status status = TCPLAN_OK;
    for (int m = 0; m < blocks->matrix_count && status == TCPLAN_OK; m++) {
        if (blocks->matrix[m].role == TCPLAN_MATRIX_TEMPORARY) continue;
        status = make_triple(of, m, seed, error);
        matrix[m] = of->triple[m].result;
    }
    if (status == TCPLAN_OK)
        status = tcplan_blocked_run(&of->out->outcome, of->blocked, of->sizes, TCPLAN_PROVIDER_BLAS,
                                    matrix, error);
    return status == TCPLAN_OK ? run_lapack(of, error) : status;
}

static enum tcplan_status verify(struct tcplan_blocked_verdict *out,
                                 const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes, uint64_t seed,
                                 bool without_result, struct tcplan_error *error) {
    struct comparison of = {
        .blocked = blocked, .sizes = sizes, .out = out, .without_result = without_result};
    *out = (struct tcplan_blocked_verdict){.lapack = blocked->whole ? blocked->whole->name : NULL};
    if (!blocked->whole) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "%s names no LAPACK routine that computes the same",
                         tcplan_blocked_name(blocked));
    }
    if (without_result && !defect_of(blocked))
        return error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "%s does not report matrices without a result, because %s does not check the matrices",
            tcplan_blocked_name(blocked), blocked->whole->name);
    enum tcplan_status status = tcplan_blocked_check(blocked, sizes, error);
    if (status == TCPLAN_OK) status = check_memory(&of, error);
    if (status == TCPLAN_OK) status = run_both(&of, seed, error);
    if (status == TCPLAN_OK) compare(&of);
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) {
        release(of.triple[m].before);
        release(of.triple[m].result);
        release(of.triple[m].expected);
    }
    return status;
}

enum tcplan_status tcplan_blocked_verify(struct tcplan_blocked_verdict *out,
                                         const struct tcplan_blocked *blocked,
                                         const struct tcplan_blocked_sizes *sizes, uint64_t seed,
                                         struct tcplan_error *error) {
    return verify(out, blocked, sizes, seed, false, error);
}

enum tcplan_status tcplan_blocked_verify_info(struct tcplan_blocked_verdict *out,
                                              const struct tcplan_blocked *blocked,
                                              const struct tcplan_blocked_sizes *sizes,
                                              uint64_t seed, struct tcplan_error *error) {
    return verify(out, blocked, sizes, seed, true, error);
}
