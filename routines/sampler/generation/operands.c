#include "routines/sampler/generation/operands.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/copy/touch.h"
#include "routines/sampler/generation/leading.h"

/* Number of rows that pivots may refer to, unless a leading dimension is smaller. */
enum { PIVOT_ROWS = LEADING_LEAST };

enum { PAGE_BYTES = 4096, MOST_POOLS = 256, LINE_BYTES = 64, TRASH_PAGES = 8192 };

#define BESIDE_DIAGONAL 1e-6

/** Contents of operands. */
enum fill {
    FILL_RANDOM,
    FILL_IDENTITY, /* close to the identity, both triangles */
    FILL_HALVES,   /* upper triangle close to half the identity, zeros below: Sylvester's equation
                      then keeps the magnitude of its result */
    FILL_PIVOTS /* pivots for a matrix of PIVOT_ROWS rows, or fewer: row i is swapped with any row
                   from i on, as in partial pivoting of random numbers */
};

/** Memory shared by operands of the same kind that have the same position among the operands of
 * their calls. */
struct pool {
    enum fill fill;
    int operand; /* position among a call's operands */
    bool is_template;
    int element_bytes;
    int real_bytes;      /* bytes of a real number, 4 or 8; 0: elements are integers */
    int64_t pivot_rows;  /* for FILL_PIVOTS: number of rows of the matrix, PIVOT_ROWS or the leading
                            dimension */
    int64_t place_bytes; /* distance of the second place from the first, for matrices close to the
                            identity; 0: the second place follows the first */
    int64_t bytes;       /* reserved address space in bytes */
    int64_t backed_bytes;
    char *memory;
};

struct operands {
    int count;
    struct operands_case *of;
    int places;
    struct routine copy[TCPLAN_DTYPES]; /* the routine lacpy for each type; not bound if its
                                           function is NULL */
    int pools;
    struct pool pool[MOST_POOLS];
    char *trash; /* memory whose pages operands_evict() touches */
};

/** The layout of an operand at some sizes. */
struct shape {
    int64_t rows, columns; /* number of rows and columns; columns 1: a vector */
    int64_t step_bytes;    /* bytes between rows */
    int64_t column_bytes;  /* bytes between columns */
    int64_t next_bytes;    /* bytes to the place where a loop over slices continues */
    int64_t extent_bytes;  /* bytes from the first to the last element, inclusive */
};

static bool is_operand(const struct signature_argument *argument) {
    return argument->class == SIGNATURE_DATA || argument->class == SIGNATURE_WORK;
}

static bool is_square(const struct signature_argument *argument) {
    return argument->class == SIGNATURE_DATA &&
           (argument->storage == SIGNATURE_TRIANGLE || argument->storage == SIGNATURE_SYMMETRIC);
}

/** Returns whether a routine reads row numbers (pivots). Its matrix then has more rows than the
 * sizes of the call, up to the leading dimension. */
static bool reads_pivots(const struct signature *signature) {
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class == SIGNATURE_DATA && argument->elements == SIGNATURE_INTEGER &&
            (argument->access & SIGNATURE_READ))
            return true;
    }
    return false;
}

static struct shape shape_of(const struct signature *signature, const int64_t value[], int number) {
    const struct signature_argument *argument = &signature->argument[number];
    const int64_t bytes = signature_element_bytes(signature, number);
    const int64_t extent = signature_extent(signature, value, number);
    struct shape shape = {.rows = extent,
                          .columns = 1,
                          .step_bytes = bytes,
                          .extent_bytes = saturated_mul_i64(extent, bytes)};
    if (argument->class != SIGNATURE_DATA || argument->stride < 0) {
        shape.next_bytes = (shape.extent_bytes / LINE_BYTES + 1) * LINE_BYTES;
        return shape;
    }
    signature_shape(signature, value, number, &shape.rows, &shape.columns);
    const int64_t stride_bytes = value[argument->stride] * bytes;
    if (signature->argument[argument->stride].class == SIGNATURE_INC) {
        shape.columns = 1;
        shape.step_bytes = stride_bytes;
        shape.next_bytes = stride_bytes > LINE_BYTES ? LINE_BYTES : shape.rows * bytes;
    } else {
        shape.column_bytes = stride_bytes;
        shape.next_bytes = saturated_mul_i64(stride_bytes, shape.columns);
        if (reads_pivots(signature)) {
            shape.rows = value[argument->stride];
            shape.extent_bytes = shape.next_bytes;
        }
    }
    return shape;
}

/** Returns the approximate bytes of the pages that an operand touches; columns that are far apart
 * are on different pages. */
static double backed_bytes(const struct shape *shape) {
    const double run = shape->step_bytes >= PAGE_BYTES
                           ? (double)shape->rows * PAGE_BYTES
                           : (double)shape->rows * (double)shape->step_bytes;
    if (shape->columns == 1 || (double)shape->column_bytes < run + PAGE_BYTES)
        return (double)shape->extent_bytes;
    return (run + PAGE_BYTES) * (double)shape->columns;
}

static enum fill fill_of(const struct signature *signature, int number) {
    const struct signature_argument *argument = &signature->argument[number];
    if (argument->elements == SIGNATURE_INTEGER) return FILL_PIVOTS;
    if (!is_square(argument)) return FILL_RANDOM;
    return signature_argument(signature, "uplo") < 0 && argument->access == SIGNATURE_READ
               ? FILL_HALVES
               : FILL_IDENTITY;
}

/** Returns whether a routine's operand is refilled before each execution. */
static bool is_restored(const struct signature *signature, int number) {
    const struct signature_argument *argument = &signature->argument[number];
    if (argument->class != SIGNATURE_DATA ||
        argument->access != (SIGNATURE_READ | SIGNATURE_WRITTEN))
        return false;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_INFO) return true;
    }
    return false;
}

static int real_bytes_of(const struct signature *signature, int number) {
    const int bytes = signature_element_bytes(signature, number);
    if (signature->argument[number].elements == SIGNATURE_INTEGER) return 0;
    const bool is_single =
        signature->dtype == TCPLAN_FLOAT || signature->dtype == TCPLAN_FLOAT_COMPLEX;
    return bytes == 4 || (is_single && bytes == 8 &&
                          signature->argument[number].elements == SIGNATURE_OWN)
               ? 4
               : 8;
}

/**
 * Returns the number of rows to which pivots refer: PIVOT_ROWS, or fewer if the leading dimension
 * is smaller.
 */
static int64_t pivot_rows_of(const struct operands_case *bound) {
    return bound->leading < PIVOT_ROWS ? bound->leading : PIVOT_ROWS;
}

static bool is_alike(const struct pool *a, const struct pool *b) {
    return a->fill == b->fill && a->operand == b->operand && a->is_template == b->is_template &&
           a->element_bytes == b->element_bytes && a->real_bytes == b->real_bytes &&
           a->pivot_rows == b->pivot_rows;
}

static int64_t larger_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/** Makes room for an operand at the largest sizes; returns the number of its pool, or -1 if there
 * are too many. */
static int add_pool(struct operands *operands, const struct pool *wanted,
                    const struct shape *shape) {
    int p = 0;
    while (p < operands->pools && !is_alike(&operands->pool[p], wanted)) p++;
    if (p == MOST_POOLS) return -1;
    if (p == operands->pools) operands->pool[operands->pools++] = *wanted;
    struct pool *pool = &operands->pool[p];
    const bool is_apart = wanted->fill == FILL_IDENTITY || wanted->fill == FILL_HALVES;
    const int64_t whole =
        saturated_mul_i64((shape->extent_bytes + 2 * PAGE_BYTES) / PAGE_BYTES, PAGE_BYTES);
    if (is_apart) pool->place_bytes = larger_of(pool->place_bytes, whole);
    const int64_t behind = whole < INT64_MAX / 2 && shape->next_bytes < INT64_MAX / 2
                               ? shape->next_bytes + whole
                               : INT64_MAX;
    const int64_t both = is_apart ? saturated_mul_i64(pool->place_bytes, operands->places)
                         : operands->places > 1 ? behind
                                                : whole;
    pool->bytes = larger_of(pool->bytes, both);
    pool->backed_bytes =
        larger_of(pool->backed_bytes, saturated_i64(operands->places * backed_bytes(shape)));
    return p;
}

static enum tcplan_status plan_operand(struct operands *operands, struct operands_case *bound,
                                       const int64_t value[], int number, int operand,
                                       struct tcplan_error *error) {
    const struct signature *signature = bound->of->signature;
    const struct shape shape = shape_of(signature, value, number);
    struct pool wanted = {.fill = fill_of(signature, number),
                          .operand = operand,
                          .element_bytes = signature_element_bytes(signature, number),
                          .real_bytes = real_bytes_of(signature, number),
                          .pivot_rows = signature->argument[number].elements == SIGNATURE_INTEGER
                                            ? pivot_rows_of(bound)
                                            : 0};
    bound->pool[number] = add_pool(operands, &wanted, &shape);
    wanted.is_template = true;
    bound->source[number] =
        is_restored(signature, number) ? add_pool(operands, &wanted, &shape) : -1;
    if (bound->pool[number] >= 0 && shape.extent_bytes < INT64_MAX / 8) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "the operands of %.100s exceed the memory",
                     bound->of->text);
}

/** Records the memory that a case needs. */
static enum tcplan_status plan_case(struct operands *operands, struct operands_case *bound,
                                    struct tcplan_error *error) {
    const struct signature *signature = bound->of->signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    int operand = 0;
    case_values(value, bound->of, bound->of->domain.high, bound->leading);
    enum tcplan_status status = signature_check(signature, value, NULL, error);
    for (int a = 0; a < signature->count && status == TCPLAN_OK; a++) {
        bound->pool[a] = bound->source[a] = -1;
        if (is_operand(&signature->argument[a]))
            status = plan_operand(operands, bound, value, a, operand++, error);
    }
    return status;
}

static enum tcplan_status bind(struct operands *operands, struct operands_case *bound,
                               enum tcplan_provider provider, struct tcplan_error *error) {
    const struct signature *signature = bound->of->signature;
    const enum tcplan_provider whose = signature->is_own ? TCPLAN_PROVIDER_BLAS : provider;
    static const char letters[] = {'s', 'd', 'c', 'z'};
    char name[] = "?lacpy";
    enum tcplan_status status = routine_bind(&bound->routine, signature, whose, error);
    if (status != TCPLAN_OK || operands->copy[signature->dtype].function) return status;
    name[0] = letters[signature->dtype];
    status = signature_find(&signature, name, error);
    return status == TCPLAN_OK ? routine_bind(&operands->copy[signature->dtype], signature,
                                              TCPLAN_PROVIDER_BLAS, error)
                               : status;
}

static void *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int64_t operands_bytes(const struct operands *operands) {
    int64_t bytes = (int64_t)TRASH_PAGES * PAGE_BYTES;
    for (int p = 0; p < operands->pools; p++)
        bytes = saturated_i64((double)bytes + (double)operands->pool[p].backed_bytes);
    return bytes;
}

static enum tcplan_status reserve(struct operands *operands, int64_t most_bytes,
                                  struct tcplan_error *error) {
    const int64_t bytes = operands_bytes(operands);
    if (most_bytes > 0 && bytes > most_bytes) {
        return error_set(
            error, TCPLAN_INVALID,
            "the domains need %s of memory, but only %s may be used; take smaller domains, or fewer "
            "routines at a time",
            quantity_bytes((double)bytes).text, quantity_bytes((double)most_bytes).text);
    }
    for (int p = 0; p < operands->pools; p++) {
        operands->pool[p].memory = map((size_t)operands->pool[p].bytes);
        if (!operands->pool[p].memory) return error_no_memory(error);
    }
    operands->trash = map((size_t)TRASH_PAGES * PAGE_BYTES);
    if (!operands->trash) return error_no_memory(error);
    memset(operands->trash, 1, (size_t)TRASH_PAGES * PAGE_BYTES);
    return TCPLAN_OK;
}

/** Returns one number of an operand. The real and imaginary parts are equal, except on the
 * diagonal, which is real. */
static double number_at(struct random *random, const struct pool *pool, int64_t row, int64_t column,
                        bool imaginary) {
    const enum fill fill = pool->fill;
    const double noise = 0.5 + random_unit(random) / 2;
    if (fill == FILL_PIVOTS)
        return (double)(row + 1) + (row < pool->pivot_rows
                                        ? floor((2 * noise - 1) * (double)(pool->pivot_rows - row))
                                        : 0);
    if (fill == FILL_RANDOM) return noise;
    if (fill == FILL_HALVES && row > column) return 0;
    if (row == column) return imaginary ? 0 : fill == FILL_HALVES ? 0.5 : 1;
    return noise * BESIDE_DIAGONAL;
}

static void put_number(char *at, int real_bytes, double number) {
    const float s = (float)number;
    const int i = (int)number;
    memcpy(at,
           real_bytes == 8   ? (const void *)&number
           : real_bytes == 4 ? (const void *)&s
                             : (const void *)&i,
           real_bytes == 8 ? 8 : 4);
}

/** Fills an operand whose layout begins at `memory`. */
static void fill(const struct pool *pool, const struct shape *shape, char *memory) {
    const int part_bytes = pool->real_bytes == 8 ? 8 : 4;
    for (int64_t column = 0; column < shape->columns; column++) {
        struct random random = {.state = (uint64_t)column};
        for (int64_t row = 0; row < shape->rows; row++) {
            char *at = memory + column * shape->column_bytes + row * shape->step_bytes;
            for (int byte = 0; byte < pool->element_bytes; byte += part_bytes) {
                put_number(at + byte, pool->real_bytes,
                           number_at(&random, pool, row, column, byte > 0));
            }
        }
    }
}

static char *place_of(const struct pool *pool, const struct shape *shape, int place) {
    return pool->memory + place * (pool->place_bytes > 0 ? pool->place_bytes : shape->next_bytes);
}

static void fill_case(const struct operands *operands, const struct operands_case *bound) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    case_values(value, bound->of, bound->of->domain.high, bound->leading);
    for (int a = 0; a < bound->of->signature->count; a++) {
        if (bound->pool[a] < 0) continue;
        const struct shape shape = shape_of(bound->of->signature, value, a);
        const struct pool *pool = &operands->pool[bound->pool[a]];
        for (int place = 0; place < operands->places; place++)
            fill(pool, &shape, place_of(pool, &shape, place));
        if (bound->source[a] >= 0)
            fill(&operands->pool[bound->source[a]], &shape,
                 operands->pool[bound->source[a]].memory);
    }
}

enum tcplan_status operands_new(struct operands **out, const struct generation_case of[],
                                const int64_t leading[], int count, enum tcplan_provider provider,
                                int places, int64_t most_bytes, struct tcplan_error *error) {
    struct operands *operands = base_alloc_zero(1, sizeof *operands);
    enum tcplan_status status = TCPLAN_OK;
    *out = NULL;
    if (operands) operands->of = base_alloc_zero((size_t)count, sizeof *operands->of);
    if (!operands || !operands->of) {
        base_free(operands);
        return error_no_memory(error);
    }
    operands->places = places;
    for (int c = 0; c < count && status == TCPLAN_OK; c++) {
        struct operands_case *bound = &operands->of[operands->count++];
        *bound = (struct operands_case){.of = &of[c], .leading = leading[c]};
        status = bind(operands, bound, provider, error);
        if (status == TCPLAN_OK) status = plan_case(operands, bound, error);
    }
    if (status == TCPLAN_OK) status = reserve(operands, most_bytes, error);
    for (int c = 0; c < count && status == TCPLAN_OK; c++) fill_case(operands, &operands->of[c]);
    if (status == TCPLAN_OK) {
        *out = operands;
    } else {
        operands_free(operands);
    }
    return status;
}

void operands_free(struct operands *operands) {
    if (!operands) return;
    for (int p = 0; p < operands->pools; p++) {
        if (operands->pool[p].memory)
            munmap(operands->pool[p].memory, (size_t)operands->pool[p].bytes);
    }
    if (operands->trash) munmap(operands->trash, (size_t)TRASH_PAGES * PAGE_BYTES);
    base_free(operands->of);
    base_free(operands);
}

const struct operands_case *operands_case(const struct operands *operands, int number) {
    return &operands->of[number];
}

/** Prepares the call that restores an operand by copying its template. */
static enum tcplan_status prepare_restore(struct call *out, const struct operands *operands,
                                          const struct operands_case *bound, int number,
                                          const struct shape *shape, char *to,
                                          struct tcplan_error *error) {
    const struct routine *copy = &operands->copy[bound->of->signature->dtype];
    const struct signature *signature = copy->signature;
    const int64_t leading =
        shape->column_bytes > 0
            ? shape->column_bytes / signature_element_bytes(bound->of->signature, number)
            : shape->rows;
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    value[signature_argument(signature, "uplo")] = 'A';
    value[signature_argument(signature, "m")] = shape->rows;
    value[signature_argument(signature, "n")] = shape->columns;
    value[signature_argument(signature, "ldA")] = value[signature_argument(signature, "ldB")] =
        leading;
    data[signature_argument(signature, "A")] = operands->pool[bound->source[number]].memory;
    data[signature_argument(signature, "B")] = to;
    return call_prepare(out, copy, value, NULL, data, error);
}

enum tcplan_status operands_prepare(struct operands_calls *out, const struct operands *operands,
                                    int number, const int64_t size[], int place,
                                    struct tcplan_error *error) {
    const struct operands_case *bound = &operands->of[number];
    const struct signature *signature = bound->of->signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS];
    enum tcplan_status status = TCPLAN_OK;
    case_values(value, bound->of, size, bound->leading);
    out->restored = 0;
    for (int a = 0; a < signature->count && status == TCPLAN_OK; a++) {
        scalar[a] = (struct call_scalar){.re = bound->of->scalar[a]};
        if (bound->pool[a] < 0) continue;
        const struct shape shape = shape_of(signature, value, a);
        data[a] = place_of(&operands->pool[bound->pool[a]], &shape, place);
        if (bound->source[a] < 0 || out->restored == OPERANDS_RESTORED) continue;
        status = prepare_restore(&out->restore[out->restored++], operands, bound, a, &shape,
                                 data[a], error);
    }
    return status == TCPLAN_OK
               ? call_prepare(&out->call, &bound->routine, value, scalar, data, error)
               : status;
}

/** Reads one line of so many pages that the TLB no longer holds the operands' pages. */
static void forget_pages(const struct operands *operands) {
    for (int64_t p = 0; p < TRASH_PAGES; p++) {
        (void)*(volatile char *)(operands->trash + p * PAGE_BYTES + p * LINE_BYTES % PAGE_BYTES);
    }
}

bool operands_evict(const struct operands *operands, int number, const int64_t size[], int place,
                    int64_t line_bytes, bool pages) {
    const struct operands_case *bound = &operands->of[number];
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    bool all = true;
    case_values(value, bound->of, size, bound->leading);
    if (pages) forget_pages(operands);
    for (int a = 0; a < bound->of->signature->count; a++) {
        if (bound->pool[a] < 0) continue;
        const struct pool *pool = &operands->pool[bound->pool[a]];
        const struct shape shape = shape_of(bound->of->signature, value, a);
        if (shape.extent_bytes == 0) continue;
        struct region region = {
            .element_bytes = pool->element_bytes,
            .rank = 2,
            .dimension = {{shape.rows, shape.step_bytes}, {shape.columns, shape.column_bytes}}};
        if (shape.columns == 1) region.rank = 1;
        region_sort(&region);
        all = touch_evict(&region, place_of(pool, &shape, place), line_bytes) && all;
    }
    return all;
}
