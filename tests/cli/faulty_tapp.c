/**
 * A small TAPP library of nested loops. The environment variable FAULT selects a fault that
 * `tcplan check` must find; without it the library conforms to TAPP.
 */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include <tapp.h>

enum { DIMENSIONS = 16, INDICES = 64, A = 0, B, C, D, TENSORS };

struct info {
    TAPP_datatype type;
    int rank;
    int64_t extent[DIMENSIONS];
    int64_t stride[DIMENSIONS];
};

struct plan {
    struct info info[TENSORS];
    TAPP_element_op op[TENSORS];
    int64_t index[TENSORS][DIMENSIONS];
};

struct loops {
    int count;
    int result_count;
    int64_t index[INDICES], extent[INDICES], step[INDICES];
};

static bool has_fault(const char *name) {
    static const char *fault;
    if (!fault) fault = getenv("FAULT");
    if (!fault) fault = "none";
    return strcmp(fault, name) == 0;
}

static double complex get(const void *at, int64_t offset, TAPP_datatype type) {
    switch (type) {
    case TAPP_F32: return ((const float *)at)[offset];
    case TAPP_F64: return ((const double *)at)[offset];
    case TAPP_C32: return ((const float complex *)at)[offset];
    default: return ((const double complex *)at)[offset];
    }
}

static void put(void *at, int64_t offset, TAPP_datatype type, double complex value) {
    switch (type) {
    case TAPP_F32: ((float *)at)[offset] = (float)creal(value); return;
    case TAPP_F64: ((double *)at)[offset] = creal(value); return;
    case TAPP_C32: ((float complex *)at)[offset] = (float complex)value; return;
    default: ((double complex *)at)[offset] = value; return;
    }
}

/* Objects. */

TAPP_error TAPP_create_handle(TAPP_handle *handle) {
    *handle = 1;
    return 0;
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
    (void)handle;
    return 0;
}

TAPP_error TAPP_create_executor(TAPP_executor *exec) {
    *exec = 1;
    return 0;
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec) {
    (void)exec;
    return 0;
}

TAPP_error TAPP_destroy_status(TAPP_status status) {
    (void)status;
    return 0;
}

bool TAPP_check_success(TAPP_error error) {
    return error == 0;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message) {
    (void)error;
    if (maxlen > 0) message[0] = '\0';
    return 0;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode,
                                   const int64_t *extents, const int64_t *strides) {
    struct info *out;
    if (nmode < 0) return 14;
    for (int d = 0; d < nmode; d++) {
        if (extents[d] < 0) return 15;
    }
    out = malloc(sizeof *out);
    out->type = type;
    out->rank = nmode;
    memcpy(out->extent, extents, (size_t)nmode * sizeof *extents);
    memcpy(out->stride, strides, (size_t)nmode * sizeof *strides);
    *info = (TAPP_tensor_info)out;
    return 0;
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info) {
    free((void *)info);
    return 0;
}

/* Products. */

/** Adds the loops over the indices of tensor t. Returns false if an index has two extents, or if it
 * is new and `may_add` is false. */
static bool add_loops(struct loops *loops, const struct plan *plan, int t, bool may_add) {
    for (int d = 0; d < plan->info[t].rank; d++) {
        int i = 0;
        while (i < loops->count && loops->index[i] != plan->index[t][d]) i++;
        if (i == loops->count) {
            if (!may_add) return false;
            loops->index[loops->count] = plan->index[t][d];
            loops->step[loops->count] = 0;
            loops->extent[loops->count++] = plan->info[t].extent[d];
        } else if (loops->extent[i] != plan->info[t].extent[d]) {
            return false;
        }
    }
    return true;
}

static bool has_index(const struct plan *plan, int t, int64_t index) {
    for (int d = 0; d < plan->info[t].rank; d++) {
        if (plan->index[t][d] == index) return true;
    }
    return false;
}

static int64_t offset(const struct loops *loops, const struct plan *plan, int t) {
    int64_t at = 0;
    for (int d = 0; d < plan->info[t].rank; d++) {
        int64_t stride = plan->info[t].stride[d];
        int i = 0;
        while (loops->index[i] != plan->index[t][d]) i++;
        if (has_fault("strides") && t == B && stride < 0) stride = -stride;
        at += loops->step[i] * stride;
    }
    return at;
}

static bool advance(struct loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (++loops->step[i] < loops->extent[i]) return true;
        loops->step[i] = 0;
    }
    return false;
}

static bool is_empty(const struct loops *loops, int first, int last) {
    for (int i = first; i < last; i++) {
        if (loops->extent[i] == 0) return true;
    }
    return false;
}

/** Returns whether two index tuples address the same element of D, by comparing all pairs. */
static bool overlaps(const struct plan *plan) {
    struct loops one = {0};
    add_loops(&one, plan, D, true);
    if (is_empty(&one, 0, one.count)) return false;
    do {
        struct loops other = one;
        while (advance(&other, 0, other.count)) {
            if (offset(&one, plan, D) == offset(&other, plan, D)) return true;
        }
    } while (advance(&one, 0, one.count));
    return false;
}

static TAPP_error check(struct loops *loops, const struct plan *plan) {
    for (int d = 0; d < plan->info[D].rank; d++) {
        if (!has_index(plan, A, plan->index[D][d]) && !has_index(plan, B, plan->index[D][d]))
            return 4;
    }
    if (!add_loops(loops, plan, D, true)) return 11;
    loops->result_count = loops->count;
    if (!add_loops(loops, plan, A, true)) return 2;
    if (!add_loops(loops, plan, B, true)) return 1;
    if (plan->info[C].rank != plan->info[D].rank) return 5;
    for (int d = 0; d < plan->info[D].rank; d++) {
        if (plan->index[C][d] != plan->index[D][d]) return 6;
        if (plan->info[C].extent[d] != plan->info[D].extent[d]) return 7;
    }
    return 0;
}

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info info_A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info info_B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info info_C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info info_D, const int64_t *idx_D, TAPP_prectype prec) {
    const TAPP_tensor_info info[] = {info_A, info_B, info_C, info_D};
    const TAPP_element_op op[] = {op_A, op_B, op_C, op_D};
    const int64_t *const index[] = {idx_A, idx_B, idx_C, idx_D};
    struct plan *out = malloc(sizeof *out);
    struct loops loops = {0};
    TAPP_error error = 0;
    (void)handle;
    (void)prec;
    for (int t = 0; t < TENSORS; t++) {
        out->info[t] = *(const struct info *)info[t];
        out->op[t] = op[t];
        memcpy(out->index[t], index[t], (size_t)out->info[t].rank * sizeof *index[t]);
    }
    if (!has_fault("accepts")) error = check(&loops, out);
    if (error == 0 && !has_fault("accepts") && overlaps(out)) error = 8;
    if (has_fault("refuses") && out->info[D].rank == 0) error = 99;
    if (error == 0)
        *plan = (TAPP_tensor_product)out;
    else
        free(out);
    return error;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
    free((void *)plan);
    return 0;
}

static double complex element(const struct plan *plan, int t, const struct loops *loops,
                              const void *memory) {
    const double complex value = get(memory, offset(loops, plan, t), plan->info[t].type);
    const bool conjugates = plan->op[t] == TAPP_CONJUGATE && !(has_fault("conjugation") && t == B);
    return conjugates ? conj(value) : value;
}

TAPP_error TAPP_execute_product(TAPP_tensor_product product, TAPP_executor exec,
                                TAPP_status *status, const void *alpha, const void *a,
                                const void *b, const void *beta, const void *c, void *d) {
    const struct plan *plan = (const struct plan *)product;
    const TAPP_datatype type = plan->info[D].type;
    const double complex factor = get(alpha, 0, type), added = get(beta, 0, type);
    struct loops loops = {0};
    (void)exec;
    if (status) *status = 0;
    if (has_fault("accepts")) {
        const TAPP_error error = check(&loops, plan);
        if (error != 0) return 0;
    } else {
        check(&loops, plan);
    }
    if (added != 0 && !c) return has_fault("accepts") ? 0 : 12;
    if (has_fault("crash") && plan->info[A].rank == 4) abort();
    if (has_fault("hang") && plan->info[A].rank == 4) {
        for (volatile int forever = 1; forever;) {
        }
    }
    if (is_empty(&loops, 0, loops.result_count)) return 0;
    do {
        double complex sum = 0;
        if (!is_empty(&loops, loops.result_count, loops.count)) {
            do {
                sum += element(plan, A, &loops, a) * element(plan, B, &loops, b);
            } while (advance(&loops, loops.result_count, loops.count));
        }
        sum *= factor;
        if (added != 0 || (has_fault("nan") && c)) sum += added * element(plan, C, &loops, c);
        put(d, offset(&loops, plan, D), type, plan->op[D] == TAPP_CONJUGATE ? conj(sum) : sum);
    } while (advance(&loops, 0, loops.result_count));
    if (has_fault("writes")) put(d, offset(&loops, plan, D) + 1, type, 7);
    return 0;
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                        TAPP_status *status, int num_batches, const void *alpha,
                                        const void **a, const void **b, const void *beta,
                                        const void **c, void **d) {
    TAPP_error error = 0;
    for (int n = 0; n < num_batches && error == 0; n++)
        error = TAPP_execute_product(plan, exec, status, alpha, a[n], b[n], beta, c ? c[n] : NULL,
                                     d[n]);
    return error;
}
