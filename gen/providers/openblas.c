/*
 * CBLAS libraries: the one that tcplan is linked with, usually OpenBLAS, and those opened as files.
 * The kernel classes emit their calls.
 */
#include <limits.h>
#include <string.h>

#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"
#include "gen/providers/linked_blas.h"
#include "gen/providers/provider_code.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/** Returns the distance between the first and the last of the result columns that are written at
 * once, in elements. */
static int64_t scattered_elems(const struct blas_call *call, enum tcplan_dtype dtype) {
    (void)dtype;
    return (int64_t)call->ld[2] * (smaller(call->n, call->transposed[1] ? 16 : 4) - 1);
}

/** Returns the bytes of a ger's vector x that OpenBLAS copies to a contiguous buffer. */
static int64_t packed_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    return call->ld[0] == 1 ? 0 : (int64_t)call->m * (int64_t)tcplan_dtype_bytes(dtype);
}

static int64_t vector_elems(const struct blas_call *call, enum tcplan_dtype dtype) {
    (void)dtype;
    return (int64_t)call->m + call->n;
}

static const struct provider_limit limits[] = {
    /*
     * Limits of OpenBLAS's sgemm for small products on AVX-512 (0.3.21 and its development branch):
     * it writes 16 columns at once if the second factor is transposed, otherwise 4, through 32-bit
     * offsets. 40 x 33 x 37 with ldc = INT_MAX was wrong, 5 x 3 x 4 crashed. OpenBLAS alone decides
     * which products are small.
     */
    {1U << TCPLAN_GEMM, 1U << TCPLAN_FLOAT, INT32_MAX, scattered_elems,
     "elements between columns of the result that are written together"},

    /* Limits of OpenBLAS's ger, which copies an x with gaps to a buffer: 128 MiB on x86-64
     * (0.3.21: m = 20000000 in double precision crashed), 32 MiB on 64-bit Arm and RISC-V. */
    {1U << TCPLAN_GER, PROVIDER_ANY, (int64_t)32 << 20, packed_bytes,
     "bytes in a vector with gaps"},

    /*
     * Limit of OpenBLAS 0.3.21's complex gemv, which computes a buffer size of 2 (m + n) + 32
     * numbers in 32 bits: on overflow the buffer is too small. Found by reading its source, not by
     * a test.
     */
    {1U << TCPLAN_GEMV, 1U << TCPLAN_FLOAT_COMPLEX | 1U << TCPLAN_DOUBLE_COMPLEX, INT_MAX - 64,
     vector_elems, "elements in both vectors"},
};

/** Emits the limits beyond the BLAS integer, for extents that are arguments. If a limit applies to
 * a sum of two extents, each may be at most half of it. */
static void emit_limits(const struct emitter *emitter, const struct emit_call *call) {
    enum { COLUMNS_TOGETHER = 15, PACKED_BYTES = 32 << 20 };
    const struct blas_call *blas = &call->blas;
    const struct kernel_code *code = kernel_code_of(blas->kernel);
    if (blas->kernel == TCPLAN_GEMM && emitter->problem->dtype == TCPLAN_FLOAT)
        emit_step_limit(emitter, call, 2, INT32_MAX / COLUMNS_TOGETHER);
    if (blas->kernel == TCPLAN_GER && !emit_step_is_1(emitter, call, 0)) {
        emit_extent_limit(emitter, &call->node->group[code->role_at(call, 0)],
                          PACKED_BYTES / (int)emitter->problem->element_bytes);
    }
    for (int place = 0; place < 2 && blas->kernel == TCPLAN_GEMV && emit_is_complex(emitter);
         place++) {
        emit_extent_limit(emitter, &call->node->group[code->role_at(call, place)],
                          INT32_MAX / 2 - 32);
    }
}

static void emit_include(struct strbuf *out) {
    strbuf_add(out, "#include <cblas.h>\n");
}

/** Appends a file name, quoted for the shell. */
static void add_word(struct strbuf *out, const char *text, size_t length) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,=";
    if (strspn(text, plain) >= length) {
        strbuf_add(out, "%.*s", (int)length, text);
        return;
    }
    strbuf_add(out, "'");
    for (size_t c = 0; c < length; c++) strbuf_add(out, text[c] == '\'' ? "'\\''" : "%c", text[c]);
    strbuf_add(out, "'");
}

/** Appends a library by its path, with the run-time path to find it. */
static void add_file(struct strbuf *out, const char *path) {
    const char *slash = strrchr(path, '/');
    add_word(out, path, strlen(path));
    if (!slash || slash == path) return;
    strbuf_add(out, " -Wl,-rpath,");
    add_word(out, path, (size_t)(slash - path));
}

void emit_libraries(struct strbuf *out, const char *const *library) {
    for (int l = 0; library[l]; l++) {
        if (l > 0) strbuf_add(out, " ");
        if (*library[l] == '/') {
            add_file(out, library[l]);
        } else {
            strbuf_add(out, *library[l] == '-' ? "" : "-l");
            add_word(out, library[l], strlen(library[l]));
        }
    }
}

static const char *const linked[] = {
    TCPLAN_BLAS_LIBRARIES, NULL}; /* the build defines the list (cmake/tcplan_providers.cmake) */

void emit_linked_blas(struct strbuf *out) {
    emit_libraries(out, linked);
}

void emit_linked_blas_cmake(struct strbuf *out) {
    if (strcmp(linked[0], "openblas") == 0 && !linked[1]) {
        strbuf_add(out, "find_library(CBLAS_LIBRARY NAMES openblas cblas REQUIRED)\n");
        return;
    }
    strbuf_add(out, "set(CBLAS_LIBRARY");
    for (int l = 0; linked[l]; l++) strbuf_add(out, " \"%s\"", linked[l]);
    strbuf_add(out, " CACHE STRING \"The CBLAS that tcplan was built with\")\n");
}

static void emit_link(struct strbuf *out, const char *file) {
    if (file) {
        add_file(out, file);
    } else {
        emit_linked_blas(out);
    }
}

static const char *const prefixes[] = {"cblas_",    "Cblas", "CBLAS_",  "openblas_",
                                       "OPENBLAS_", "goto_", "catlas_", NULL};

PROVIDER_CODE(openblas, emit_include, emit_link, .limits = limits,
              .limit_count = sizeof limits / sizeof *limits, .emit_limits = emit_limits,
              .calls_cblas = true, .prefixes = prefixes);
