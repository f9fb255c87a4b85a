#include <inttypes.h>
#include <math.h>

#include "study/conformance/cases.h"
#include "study/conformance/reduce.h"

/* Maximum number of elements in an initialiser, and of results that the program prints. */
enum { LISTED = 64 };

static const char names[] = "ABCD";

/* Printing a product as a line of einsum. */

static void add_indices(struct strbuf *out, const struct product *product, int t) {
    const struct product_loops loops = product_loops(product);
    const struct product_tensor *tensor = &product->tensor[t];
    for (int d = 0; d < tensor->rank; d++) {
        const int loop = product_loop_of(&loops, tensor->index[d]);
        strbuf_add(out, "%c", loop < 0 ? '?' : 'a' + loop);
    }
}

static void add_part(struct strbuf *out, double part) {
    strbuf_add(out, "%.15g", part);
}

/** Appends a number as Python reads it. */
static void add_factor(struct strbuf *out, double complex value) {
    if (cimag(value) == 0) {
        add_part(out, creal(value));
        return;
    }
    strbuf_add(out, "(");
    add_part(out, creal(value));
    strbuf_add(out, "%+.15gj)", cimag(value));
}

static const char *conjugate(const struct product *product, int t) {
    return product->tensor[t].op == TAPP_CONJUGATE ? ".conj()" : "";
}

static void add_shape(struct strbuf *out, const struct product *product) {
    const struct product_loops loops = product_loops(product);
    for (int i = 0; i < loops.count; i++)
        strbuf_add(out, "%s%c=%" PRId64, i > 0 ? " " : "; ", 'a' + i, loops.extent[i]);
    const TAPP_datatype type = product->tensor[PRODUCT_D].type;
    bool is_mixed = false;
    for (int t = 0; t < PRODUCT_TENSORS; t++)
        is_mixed = is_mixed || product->tensor[t].type != type;
    strbuf_add(out, "; %s", type_name(type));
    for (int t = 0; is_mixed && t < PRODUCT_D; t++)
        strbuf_add(out, ", %c %s", names[t], type_name(product->tensor[t].type));
}

static void add_strides(struct strbuf *out, const struct product *product) {
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        const struct product_tensor *tensor = &product->tensor[t];
        struct product_tensor dense = *tensor;
        product_make_dense(&dense);
        if (product->is_invalid) {
            strbuf_add(out, "; %c extents", names[t]);
            for (int d = 0; d < tensor->rank; d++)
                strbuf_add(out, "%c%" PRId64, d > 0 ? ',' : ' ', tensor->extent[d]);
        }
        const bool is_absent = t == PRODUCT_C && (product->beta == 0 || product->is_in_place);
        if (is_absent || product_same_strides(&dense, tensor)) continue;
        strbuf_add(out, "; %c strides", names[t]);
        for (int d = 0; d < tensor->rank; d++)
            strbuf_add(out, "%c%" PRId64, d > 0 ? ',' : ' ', tensor->stride[d]);
    }
}

static void add_tensors(struct strbuf *out, unsigned tensors) {
    const char *between = "";
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        if (!(tensors >> t & 1)) continue;
        strbuf_add(out, "%s%c", between, names[t]);
        between = ", ";
    }
}

void product_add_einsum(struct strbuf *out, const struct product *product) {
    const bool conjugates = product->tensor[PRODUCT_D].op == TAPP_CONJUGATE;
    strbuf_add(out, "D = %s", conjugates ? "conj(" : "");
    if (product->alpha != 1) {
        add_factor(out, product->alpha);
        strbuf_add(out, " * ");
    }
    strbuf_add(out, "einsum(\"");
    add_indices(out, product, PRODUCT_A);
    strbuf_add(out, ",");
    add_indices(out, product, PRODUCT_B);
    strbuf_add(out, "->");
    add_indices(out, product, PRODUCT_D);
    strbuf_add(out, "\", A%s, %s%s)", conjugate(product, PRODUCT_A),
               product->is_one_factor ? "A" : "B", conjugate(product, PRODUCT_B));
    if (product->beta != 0) {
        strbuf_add(out, " + ");
        if (product->beta != 1) {
            add_factor(out, product->beta);
            strbuf_add(out, " * ");
        }
        strbuf_add(out, "%s%s", product->is_in_place ? "D" : "C", conjugate(product, PRODUCT_C));
    }
    if (conjugates) strbuf_add(out, ")");
    add_shape(out, product);
    add_strides(out, product);
    if (product->is_in_place && product->beta == 0) strbuf_add(out, "; C is D");
    if (product->lacks_C) strbuf_add(out, "; C is NULL");
    if (product->unread) {
        strbuf_add(out, "; NaN in ");
        add_tensors(out, product->unread);
    }
    if (product->with_nan) {
        strbuf_add(out, "; first element NaN: ");
        add_tensors(out, product->with_nan);
    }
    if (product->is_guarded) strbuf_add(out, "; no accessible memory behind the tensors");
    if (product->call == PRODUCT_TWICE) strbuf_add(out, "; executed twice");
    if (product->call == PRODUCT_BATCHED) strbuf_add(out, "; in a batch of two");
}

/* Printing a product as a program in C. */

static const char *c_type(TAPP_datatype type) {
    static const char *const types[] = {"float", "double", "float complex", "double complex"};
    return types[type];
}

static void add_number(struct strbuf *out, double complex value, TAPP_datatype type) {
    const char *suffix = type == TAPP_C32 ? "F" : "";
    if (isnan(creal(value)) && !product_is_complex(type))
        strbuf_add(out, "NAN");
    else if (isnan(creal(value)))
        strbuf_add(out, "CMPLX%s(NAN, NAN)", suffix);
    else if (!product_is_complex(type))
        strbuf_add(out, "%.17g", creal(value));
    else
        strbuf_add(out, "CMPLX%s(%.17g, %.17g)", suffix, creal(value), cimag(value));
}

static void add_list(struct strbuf *out, const char *name, int t, const int64_t *value, int count) {
    strbuf_add(out, "    const int64_t %s_%c[] = {", name, names[t]);
    for (int i = 0; i < count; i++) strbuf_add(out, "%s%" PRId64, i > 0 ? ", " : "", value[i]);
    strbuf_add(out, "%s};\n", count > 0 ? "" : "0");
}

/** Appends an assignment for each element of a tensor whose memory is large. */
static void add_elements(struct strbuf *out, const struct tensor_memory *own,
                         const struct product_tensor *tensor, int t) {
    const struct product alone = {.tensor = {[PRODUCT_D] = *tensor}};
    struct product_loops loops = product_loops(&alone);
    if (product_is_empty(&loops, 0, loops.count)) return;
    do {
        const int64_t at = own->span.first + product_offset(&loops, tensor);
        strbuf_add(out, "    %c[%" PRId64 "] = ", names[t], at);
        add_number(out, product_get(own->memory, at, tensor->type), tensor->type);
        strbuf_add(out, ";\n");
    } while (product_advance(&loops, 0, loops.count));
}

/** Appends the declaration of a tensor's memory, and fills it. */
static void add_memory(struct strbuf *out, const struct tensors *tensors, int t) {
    const struct product_tensor *tensor = &tensors->product->tensor[t];
    const struct tensor_memory *own = &tensors->tensor[t];
    if (own->span.elems > LISTED) {
        strbuf_add(out, "    %s *%c = calloc(%" PRId64 ", sizeof *%c);\n", c_type(tensor->type),
                   names[t], own->span.elems, names[t]);
        add_elements(out, own, tensor, t);
        return;
    }
    strbuf_add(out, "    %s %c[] = {", c_type(tensor->type), names[t]);
    for (int64_t e = 0; e < own->span.elems; e++) {
        if (e > 0) strbuf_add(out, ", ");
        add_number(out, product_get(own->memory, e, tensor->type), tensor->type);
    }
    strbuf_add(out, "};\n");
}

static void add_at(struct strbuf *out, const struct tensors *tensors, int t) {
    const struct product *product = tensors->product;
    if (t == PRODUCT_C && product->lacks_C) {
        strbuf_add(out, "NULL");
        return;
    }
    if (t == PRODUCT_C && product->is_in_place) t = PRODUCT_D;
    if (t == PRODUCT_B && product->is_one_factor) t = PRODUCT_A;
    strbuf_add(out, "%c", names[t]);
    if (tensors->tensor[t].span.first > 0)
        strbuf_add(out, " + %" PRId64, tensors->tensor[t].span.first);
}

static void add_tapp_calls(struct strbuf *out, const struct tensors *tensors) {
    const struct product *product = tensors->product;
    static const char lower[] = "abcd";
    strbuf_add(out, "    TAPP_handle handle;\n    TAPP_executor executor;\n"
                    "    TAPP_tensor_info a, b, c, d;\n    TAPP_tensor_product product;\n"
                    "    TAPP_status status;\n    TAPP_create_handle(&handle);\n"
                    "    TAPP_create_executor(&executor);\n    int error = 0;\n");
    for (int t = 0; t < PRODUCT_TENSORS; t++)
        strbuf_add(out,
                   "    error = error ? error : TAPP_create_tensor_info(&%c, TAPP_%s, %d, "
                   "extents_%c, strides_%c);\n",
                   lower[t], type_name(product->tensor[t].type), product->tensor[t].rank, names[t],
                   names[t]);
    strbuf_add(out, "    if (error == 0)\n"
                    "        error = TAPP_create_tensor_product(&product, handle");
    for (int t = 0; t < PRODUCT_TENSORS; t++)
        strbuf_add(out, ", %s, %c, idx_%c",
                   product->tensor[t].op == TAPP_CONJUGATE ? "TAPP_CONJUGATE" : "TAPP_IDENTITY",
                   lower[t], names[t]);
    strbuf_add(out, ", TAPP_DEFAULT_PREC);\n    if (error == 0)\n"
                    "        error = TAPP_execute_product(product, executor, &status, &alpha, ");
    add_at(out, tensors, PRODUCT_A);
    strbuf_add(out, ", ");
    add_at(out, tensors, PRODUCT_B);
    strbuf_add(out, ", &beta, ");
    add_at(out, tensors, PRODUCT_C);
    strbuf_add(out, ", ");
    add_at(out, tensors, PRODUCT_D);
    strbuf_add(out, ");\n    printf(\"error %%d\\n\", error);\n");
}

/** Appends the call of a routine of BLAS. */
static void add_cblas_call(struct strbuf *out, const struct tensors *tensors) {
    static const char letters[] = "sdcz";
    const struct product *product = tensors->product;
    const TAPP_datatype type = product->tensor[PRODUCT_D].type;
    const char letter = letters[type], *by = product_is_complex(type) ? "&" : "",
               *order = product->is_row_major ? "CblasRowMajor" : "CblasColMajor";
    const char *transpose[2];
    int64_t leading[PRODUCT_TENSORS];
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        const struct product_tensor *tensor = &product->tensor[t];
        const bool is_transposed = product->transposed >> t & 1;
        leading[t] = tensor->stride[tensor->rank == 2 && is_transposed == product->is_row_major];
        if (t > PRODUCT_B) continue;
        transpose[t] = !is_transposed                 ? "CblasNoTrans"
                       : tensor->op == TAPP_CONJUGATE ? "CblasConjTrans"
                                                      : "CblasTrans";
    }
    const int64_t *A = product->tensor[PRODUCT_A].extent, *D = product->tensor[PRODUCT_D].extent;
    const bool is_transposed = product->transposed >> PRODUCT_A & 1;
    const bool is_complex = product_is_complex(type);
    switch (product->routine) {
    case CBLAS_GEMM:
        strbuf_add(out,
                   "    cblas_%cgemm(%s, %s, %s, %" PRId64 ", %" PRId64 ", %" PRId64
                   ", %salpha, A, %" PRId64 ", B, %" PRId64 ", %sbeta, D, %" PRId64 ");\n",
                   letter, order, transpose[0], transpose[1], D[0], D[1], A[1], by, leading[0],
                   leading[1], by, leading[PRODUCT_D]);
        return;
    case CBLAS_GEMV:
        strbuf_add(out,
                   "    cblas_%cgemv(%s, %s, %" PRId64 ", %" PRId64 ", %salpha, A, %" PRId64
                   ", B, %" PRId64 ", %sbeta, D, %" PRId64 ");\n",
                   letter, order, transpose[0], A[is_transposed], A[!is_transposed], by, leading[0],
                   leading[1], by, leading[PRODUCT_D]);
        return;
    case CBLAS_GER:
        strbuf_add(out,
                   "    cblas_%cger%s(%s, %" PRId64 ", %" PRId64 ", %salpha, A, %" PRId64
                   ", B, %" PRId64 ", D, %" PRId64 ");\n",
                   letter,
                   !is_complex                                       ? ""
                   : product->tensor[PRODUCT_B].op == TAPP_CONJUGATE ? "c"
                                                                     : "u",
                   order, D[0], D[1], by, leading[0], leading[1], leading[PRODUCT_D]);
        return;
    case CBLAS_DOT:
        strbuf_add(out,
                   is_complex
                       ? "    cblas_%cdot%s(%" PRId64 ", A, %" PRId64 ", B, %" PRId64 ", D);\n"
                       : "    D[0] = cblas_%cdot%s(%" PRId64 ", A, %" PRId64 ", B, %" PRId64 ");\n",
                   letter,
                   !is_complex                                       ? ""
                   : product->tensor[PRODUCT_A].op == TAPP_CONJUGATE ? "c_sub"
                                                                     : "u_sub",
                   A[0], leading[0], leading[1]);
        return;
    default:
        strbuf_add(out, "    cblas_%caxpy(%" PRId64 ", %sB[0], A, %" PRId64 ", D, %" PRId64 ");\n",
                   letter, D[0], by, leading[0], leading[PRODUCT_D]);
    }
}

/** Appends lines that print the elements of D next to the expected numbers. */
static void add_results(struct strbuf *out, const struct tensors *tensors) {
    const struct product_tensor *D = &tensors->product->tensor[PRODUCT_D];
    struct product_loops loops = product_loops(tensors->product);
    const bool is_complex = product_is_complex(D->type);
    int64_t number = 0;
    if (tensors->product->is_invalid) {
        strbuf_add(out, "    /* an error is expected */\n");
        return;
    }
    if (product_is_empty(&loops, 0, loops.result_count)) return;
    do {
        const int64_t at = tensors->tensor[PRODUCT_D].span.first + product_offset(&loops, D);
        const double complex expected = tensors->expected[number];
        if (is_complex)
            strbuf_add(out,
                       "    printf(\"%%.9g%%+.9gi, expected %.9g%+.9gi\\n\", creal(D[%" PRId64
                       "]), cimag(D[%" PRId64 "]));\n",
                       creal(expected), cimag(expected), at, at);
        else
            strbuf_add(out, "    printf(\"%%.9g, expected %.9g\\n\", D[%" PRId64 "]);\n",
                       creal(expected), at);
    } while (++number < LISTED && product_advance(&loops, 0, loops.result_count));
}

static void add_tensors_code(struct strbuf *out, const struct tensors *tensors) {
    const struct product *product = tensors->product;
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        const struct product_tensor *tensor = &product->tensor[t];
        const bool is_shared = (t == PRODUCT_B && product->is_one_factor) ||
                               (t == PRODUCT_C && (product->lacks_C || product->is_in_place));
        if (product->routine == 0) {
            add_list(out, "idx", t, tensor->index, tensor->rank);
            add_list(out, "extents", t, tensor->extent, tensor->rank);
            add_list(out, "strides", t, tensor->stride, tensor->rank);
        }
        if (!is_shared) add_memory(out, tensors, t);
    }
    const TAPP_datatype type = product->tensor[PRODUCT_D].type;
    const bool has_beta = product->routine <= CBLAS_GEMV;
    if (product->routine > CBLAS_GER) return;
    strbuf_add(out, "    const %s alpha = ", c_type(type));
    add_number(out, product->alpha, type);
    if (has_beta) {
        strbuf_add(out, ", beta = ");
        add_number(out, product->beta, type);
    }
    strbuf_add(out, ";\n");
}

void product_add_code(struct strbuf *out, const struct product *product, const char *why) {
    struct tensors tensors;
    if (tensors_init(&tensors, product)) {
        if (!product->is_invalid) tensors_expect(&tensors);
        strbuf_add(out, "/* %s */\n#include <complex.h>\n#include <math.h>\n#include <stdio.h>\n",
                   why);
        strbuf_add(out, "#include <stdlib.h>\n\n#include <%s>\n\nint main(void) {\n",
                   product->routine == 0 ? "tapp.h" : "cblas.h");
        add_tensors_code(out, &tensors);
        if (product->routine == 0)
            add_tapp_calls(out, &tensors);
        else
            add_cblas_call(out, &tensors);
        add_results(out, &tensors);
        strbuf_add(out, "}\n");
    }
    tensors_free(&tensors);
}
