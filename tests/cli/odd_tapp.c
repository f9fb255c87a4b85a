/* Faulty TAPP libraries for tapp.sh: -DWRONG doubles products, -DCRASH reads address 0, -DHANG
 * never returns, -DREFUSE returns an error for every product, and -DLATE returns an error when a
 * product with more than 32 elements in a mode is executed. -DFAST computes nothing in the process
 * with the number in the environment variable FAST_IN, so that it wins there. -DAPART returns an
 * error unless the library has a linker namespace of its own. Otherwise the library computes right
 * results by naive loops. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tapp.h>

enum { MODES = 12 };

struct info {
    TAPP_datatype type;
    int rank;
    int64_t extent[MODES], stride[MODES];
};

struct product {
    struct info info[3];
    int64_t index[3][MODES];
    int conjugated[2];
    int is_large;
};

TAPP_error TAPP_create_handle(TAPP_handle *handle) {
    *handle = 1;
    return 0;
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
    return handle == 1 ? 0 : 1;
}

TAPP_error TAPP_create_executor(TAPP_executor *exec) {
    *exec = 1;
    return 0;
}

TAPP_error TAPP_destroy_executor(TAPP_executor exec) {
    return exec == 1 ? 0 : 1;
}

bool TAPP_check_success(TAPP_error error) {
    return error == 0;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message) {
    static const char text[] = "not for this library";
    (void)error;
    if (maxlen > 0) strncpy(message, text, maxlen);
    return sizeof text - 1;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode,
                                   const int64_t *extents, const int64_t *strides) {
    struct info *out = calloc(1, sizeof *out);
    if (!out || nmode > MODES) return 2;
    *out = (struct info){.type = type, .rank = nmode};
    for (int m = 0; m < nmode; m++) {
        out->extent[m] = extents[m];
        out->stride[m] = strides[m];
    }
    *info = (TAPP_tensor_info)out;
    return 0;
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info) {
    free((void *)info);
    return 0;
}

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
    const TAPP_tensor_info info[3] = {A, B, D};
    const int64_t *const index[3] = {idx_A, idx_B, idx_D};
    struct product *out = calloc(1, sizeof *out);
    (void)handle, (void)op_C, (void)C, (void)idx_C, (void)op_D, (void)prec;
    if (!out) return 2;
    for (int t = 0; t < 3; t++) {
        out->info[t] = *(const struct info *)info[t];
        for (int m = 0; m < out->info[t].rank; m++) {
            out->index[t][m] = index[t][m];
            if (out->info[t].extent[m] > 32) out->is_large = 1;
        }
    }
    out->conjugated[0] = op_A == TAPP_CONJUGATE;
    out->conjugated[1] = op_B == TAPP_CONJUGATE;
    *plan = (TAPP_tensor_product)out;
#ifdef REFUSE
    return 3;
#else
    return out->info[2].type == TAPP_F64 ? 0 : 3;
#endif
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
    free((void *)plan);
    return 0;
}

/** Computes the product by nested loops over all indices, which have numbers below MODES. */
static void compute(const struct product *of, double alpha, const double *const factor[2],
                    double *D) {
    int64_t extent[MODES] = {0}, at[MODES] = {0};
    for (int t = 0; t < 3; t++) {
        for (int m = 0; m < of->info[t].rank; m++) extent[of->index[t][m]] = of->info[t].extent[m];
    }
    for (int index = 0; index < MODES;) {
        int64_t offset[3] = {0};
        for (int t = 0; t < 3; t++) {
            for (int m = 0; m < of->info[t].rank; m++)
                offset[t] += at[of->index[t][m]] * of->info[t].stride[m];
        }
        D[offset[2]] += alpha * factor[0][offset[0]] * factor[1][offset[1]];
        for (index = 0; index < MODES; index++) {
            if (++at[index] < extent[index]) break;
            at[index] = 0;
        }
    }
}

/** Computes D := beta D for the elements that compute() updates. */
static void scale(const struct product *of, double beta, double *D) {
    const struct info *info = &of->info[2];
    int64_t at[MODES] = {0};
    for (int m = 0; m < MODES;) {
        int64_t offset = 0;
        for (m = 0; m < info->rank; m++) offset += at[m] * info->stride[m];
        D[offset] = beta == 0 ? 0 : beta * D[offset];
        for (m = 0; m < info->rank; m++) {
            if (++at[m] < info->extent[m]) break;
            at[m] = 0;
        }
        if (m == info->rank) break;
    }
}

#ifdef APART
/** Returns whether the library was opened in another namespace than the program. */
static int is_apart(void) {
    static const char place = 0;
    Dl_info own;
    Lmid_t space = LM_ID_BASE;
    void *library = dladdr(&place, &own) ? dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library && dlinfo(library, RTLD_DI_LMID, &space) == 0 && space != LM_ID_BASE;
}
#endif

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                const void *alpha, const void *A, const void *B, const void *beta,
                                const void *C, void *D) {
    const struct product *of = (const struct product *)plan;
    const double *const factor[2] = {A, B};
    (void)exec, (void)C;
    *status = 0;
    if (!TAPP_check_success(0))
        return 5; /* the function of the program was called, not the one in this library */
#ifdef APART
    if (!is_apart()) return 5;
#endif
#ifdef LATE
    if (of->is_large) return 4;
#endif
#ifdef CRASH
    return *(volatile int *)8;
#endif
#ifdef HANG
    for (volatile int forever = 1; forever;) {
    }
#endif
#ifdef FAST
    const char *number = getenv("FAST_IN");
    if (number && atol(number) == (long)getpid()) return 0;
#endif
    scale(of, *(const double *)beta, D);
#ifdef WRONG
    const double factor_of_all = 2 * *(const double *)alpha;
#else
    const double factor_of_all = *(const double *)alpha;
#endif
    compute(of, factor_of_all, factor, D);
    return 0;
}
