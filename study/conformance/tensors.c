#include "study/conformance/tensors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

/* Tensors larger than DENSE_BYTES are filled and compared at their elements only. Tensors without
 * guard pages have SLACK_BYTES before and after them. */
enum { DENSE_BYTES = 1 << 22, SLACK_BYTES = 4096 };

static bool is_small(const struct product_tensor *tensor, struct product_span span) {
    return span.elems <= DENSE_BYTES / (int64_t)product_bytes(tensor->type);
}

bool tensor_init(struct tensor_memory *out, const struct product_tensor *tensor, bool is_guarded) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    out->span = product_span(tensor);
    const size_t bytes = (size_t)out->span.elems * product_bytes(tensor->type),
                 slack = is_guarded ? 0 : SLACK_BYTES,
                 inner = (bytes + 2 * slack + page - 1) / page * page;
    out->map_bytes = inner + 2 * page;
    void *memory = mmap(NULL, out->map_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    out->map = memory;
    mprotect(out->map, page, PROT_NONE);
    mprotect(out->map + page + inner, page, PROT_NONE);
    const bool at_begin = out->span.first > 0;
    out->memory = out->map + page + (at_begin ? slack : inner - slack - bytes);
    out->at = out->memory + (size_t)out->span.first * product_bytes(tensor->type);
    return true;
}

void tensor_free(struct tensor_memory *operand) {
    if (operand->map) munmap(operand->map, operand->map_bytes);
    *operand = (struct tensor_memory){0};
}

static void fill_all(struct tensor_memory *out, int t, const struct product_tensor *tensor,
                     bool is_nan) {
    for (int64_t e = 0; e < out->span.elems; e++)
        product_put(out->memory, e, tensor->type, is_nan ? NAN + NAN * I : product_number(t, e));
}

/** Fills the elements of a tensor; memory between them is not changed. */
static void fill_elements(struct tensor_memory *out, int t, const struct product_tensor *tensor,
                          bool is_nan) {
    const struct product alone = {.tensor = {[PRODUCT_D] = *tensor}};
    struct product_loops loops = product_loops(&alone);
    if (product_is_empty(&loops, 0, loops.count)) return;
    do {
        const int64_t at = out->span.first + product_offset(&loops, tensor);
        product_put(out->memory, at, tensor->type, is_nan ? NAN + NAN * I : product_number(t, at));
    } while (product_advance(&loops, 0, loops.count));
}

static void fill(struct tensors *out, int t) {
    const struct product *product = out->product;
    const struct product_tensor *tensor = &product->tensor[t];
    struct tensor_memory *own = &out->tensor[t];
    const bool is_unread = product->unread >> t & 1;
    if (product->is_invalid) { /* the elements of an invalid product are undefined */
        fill_all(own, t, tensor, false);
        return;
    }
    if (is_small(tensor, own->span)) fill_all(own, t, tensor, t != PRODUCT_D || is_unread);
    if (!is_unread) fill_elements(own, t, tensor, false);
    if (is_unread && !is_small(tensor, own->span)) fill_elements(own, t, tensor, true);
    if (product->with_nan >> t & 1) product_put(own->at, 0, tensor->type, NAN);
}

bool tensors_init(struct tensors *out, const struct product *product) {
    *out = (struct tensors){.product = product};
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        const bool is_shared = (t == PRODUCT_B && product->is_one_factor) ||
                               (t == PRODUCT_C && (product->lacks_C || product->is_in_place));
        if (is_shared) continue;
        if (!tensor_init(&out->tensor[t], &product->tensor[t], product->is_guarded)) return false;
        fill(out, t);
    }
    if (product->is_one_factor) out->tensor[PRODUCT_B] = out->tensor[PRODUCT_A];
    if (product->is_in_place) out->tensor[PRODUCT_C] = out->tensor[PRODUCT_D];
    const struct tensor_memory *D = &out->tensor[PRODUCT_D];
    const size_t bytes = (size_t)D->span.elems * product_bytes(product->tensor[PRODUCT_D].type);
    if (is_small(&product->tensor[PRODUCT_D], D->span)) {
        out->image = base_alloc(bytes + 1);
        if (!out->image) return false;
        memcpy(out->image, D->memory, bytes);
    }
    struct product_loops loops = product_loops(product);
    double count = 1;
    for (int i = 0; i < loops.result_count; i++) count *= (double)loops.extent[i];
    if (product->is_invalid) count = 0;
    out->count = (int64_t)count;
    out->expected = base_alloc_zero((size_t)out->count + 1, sizeof *out->expected);
    out->magnitude = base_alloc_zero((size_t)out->count + 1, sizeof *out->magnitude);
    return out->expected && out->magnitude;
}

void *tensors_at(const struct tensors *tensors, int tensor) {
    return tensors->tensor[tensor].at;
}

/* The result. */

static double complex element(const struct tensors *tensors, int t,
                              const struct product_loops *loops) {
    const struct product_tensor *tensor = &tensors->product->tensor[t];
    const double complex value =
        product_get(tensors->tensor[t].at, product_offset(loops, tensor), tensor->type);
    return tensor->op == TAPP_CONJUGATE ? conj(value) : value;
}

/** Rounds a factor to the type in which the library receives it. */
static double complex rounded(double complex value, TAPP_datatype type) {
    double complex room = 0;
    product_put(&room, 0, type, value);
    return product_get(&room, 0, type);
}

double complex tensors_sum(struct tensors *out, struct product_loops *loops, double *magnitude) {
    double complex sum = 0;
    out->terms = 0;
    *magnitude = 0;
    if (product_is_empty(loops, loops->result_count, loops->count)) return 0;
    do {
        const double complex term = element(out, PRODUCT_A, loops) * element(out, PRODUCT_B, loops);
        sum += term;
        *magnitude += cabs(term);
        out->terms++;
    } while (product_advance(loops, loops->result_count, loops->count));
    return sum;
}

void tensors_expect(struct tensors *out) {
    const struct product *product = out->product;
    const struct product_tensor *D = &product->tensor[PRODUCT_D];
    struct product_loops loops = product_loops(product);
    const double complex alpha = rounded(product->alpha, D->type),
                         beta = rounded(product->beta, D->type);
    int64_t number = 0;
    if (product_is_empty(&loops, 0, loops.result_count)) return;
    do {
        double magnitude = 0;
        double complex value = alpha == 0 ? 0 : alpha * tensors_sum(out, &loops, &magnitude);
        magnitude *= cabs(alpha);
        if (beta != 0) {
            const double complex added = beta * element(out, PRODUCT_C, &loops);
            value += added;
            magnitude += cabs(added);
        }
        out->expected[number] = D->op == TAPP_CONJUGATE ? conj(value) : value;
        out->magnitude[number++] = magnitude;
    } while (product_advance(&loops, 0, loops.result_count));
}

void tensors_reset(struct tensors *tensors) {
    const struct product_tensor *D = &tensors->product->tensor[PRODUCT_D];
    struct tensor_memory *own = &tensors->tensor[PRODUCT_D];
    if (tensors->image)
        memcpy(own->memory, tensors->image, (size_t)own->span.elems * product_bytes(D->type));
    else
        fill(tensors, PRODUCT_D);
}

/* Comparing. */

static bool is_double(TAPP_datatype type) {
    return type == TAPP_F64 || type == TAPP_C64;
}

/** Returns the maximum error, relative to the magnitudes of the terms, of sums in any order in the
 * precision of the widest operand. */
static double tolerance(const struct tensors *tensors) {
    const struct product_tensor *tensor = tensors->product->tensor;
    const double terms = 8 + tensors->terms;
    const bool computes_double = is_double(tensor[PRODUCT_A].type) ||
                                 is_double(tensor[PRODUCT_B].type) ||
                                 is_double(tensor[PRODUCT_D].type);
    if (!computes_double) return 2 * terms * (double)FLT_EPSILON;
    return 2 * terms * DBL_EPSILON + (is_double(tensor[PRODUCT_D].type) ? 0 : (double)FLT_EPSILON);
}

static bool is_nan(double complex value) {
    return isnan(creal(value)) || isnan(cimag(value));
}

static bool is_close(double complex got, double complex expected, double bound) {
    if (is_nan(expected)) return is_nan(got);
    return cabs(got - expected) <= bound; /* the comparison is false for NaN */
}

static void add_number(char *out, size_t size, double complex value, bool is_complex) {
    const size_t length = strlen(out);
    if (is_complex)
        snprintf(out + length, size - length, "%.9g%+.9gi", creal(value), cimag(value));
    else
        snprintf(out + length, size - length, "%.9g", creal(value));
}

/** Writes `D[1,0] is 2, expected 3`. */
static void tell_wrong(char *why, size_t size, const struct product_loops *loops,
                       const struct product_tensor *D, double complex got,
                       double complex expected) {
    snprintf(why, size, D->rank > 0 ? "D[" : "D");
    for (int d = 0; d < D->rank; d++) {
        const size_t length = strlen(why);
        snprintf(why + length, size - length, "%s%" PRId64, d > 0 ? "," : "",
                 loops->step[product_loop_of(loops, D->index[d])]);
    }
    size_t length = strlen(why);
    snprintf(why + length, size - length, D->rank > 0 ? "] is " : " is ");
    add_number(why, size, got, product_is_complex(D->type));
    length = strlen(why);
    snprintf(why + length, size - length, ", expected ");
    add_number(why, size, expected, product_is_complex(D->type));
}

/** Returns whether the memory between the elements of D is unchanged: copies D, restores its
 * elements from the image, and compares the rest. */
static bool is_rest_untouched(const struct tensors *tensors, char *why, size_t size) {
    const struct product *product = tensors->product;
    const struct product_tensor *D = &product->tensor[PRODUCT_D];
    const struct tensor_memory *own = &tensors->tensor[PRODUCT_D];
    const size_t bytes = product_bytes(D->type), all = (size_t)own->span.elems * bytes;
    struct product_loops loops = product_loops(product);
    if (!tensors->image) return true;
    unsigned char *seen = base_alloc(all + 1);
    if (!seen) return true;
    memcpy(seen, own->memory, all);
    if (!product_is_empty(&loops, 0, loops.result_count)) {
        do {
            const size_t at = (size_t)(own->span.first + product_offset(&loops, D)) * bytes;
            memcpy(seen + at, tensors->image + at, bytes);
        } while (product_advance(&loops, 0, loops.result_count));
    }
    const bool is_same = memcmp(seen, tensors->image, all) == 0;
    size_t at = 0;
    while (!is_same && seen[at] == tensors->image[at]) at++;
    base_free(seen);
    if (!is_same)
        snprintf(why, size, "memory between the elements of D changed, %zu bytes from its start",
                 at);
    return is_same;
}

bool tensors_are_right(const struct tensors *tensors, char *why, size_t size) {
    const struct product_tensor *D = &tensors->product->tensor[PRODUCT_D];
    struct product_loops loops = product_loops(tensors->product);
    const double allowed = tolerance(tensors);
    int64_t number = 0;
    if (!product_is_empty(&loops, 0, loops.result_count)) {
        do {
            const double complex got =
                product_get(tensors_at(tensors, PRODUCT_D), product_offset(&loops, D), D->type);
            double complex expected = tensors->expected[number];
            if (!product_is_complex(D->type)) expected = creal(expected);
            if (!is_close(got, expected, allowed * tensors->magnitude[number])) {
                tell_wrong(why, size, &loops, D, got, expected);
                return false;
            }
            number++;
        } while (product_advance(&loops, 0, loops.result_count));
    }
    return is_rest_untouched(tensors, why, size);
}

bool tensors_are_untouched(const struct tensors *tensors, char *why, size_t size) {
    const struct tensor_memory *own = &tensors->tensor[PRODUCT_D];
    const size_t bytes =
        (size_t)own->span.elems * product_bytes(tensors->product->tensor[PRODUCT_D].type);
    if (!tensors->image || memcmp(own->memory, tensors->image, bytes) == 0) return true;
    snprintf(why, size, "an error is returned, but D changed");
    return false;
}

void tensors_free(struct tensors *tensors) {
    for (int t = PRODUCT_TENSORS - 1; t >= 0; t--) {
        struct tensor_memory *own = &tensors->tensor[t];
        const bool is_shared = (t == PRODUCT_B && tensors->product->is_one_factor) ||
                               (t == PRODUCT_C && tensors->product->is_in_place);
        if (!is_shared) tensor_free(own);
    }
    base_free(tensors->image);
    base_free(tensors->expected);
    base_free(tensors->magnitude);
}
