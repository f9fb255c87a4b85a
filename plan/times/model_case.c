#include "plan/times/model_case.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "base/error.h"
#include "gen/kernels/kernel_code.h"

enum { VALUE = 8, EXTENTS = 3 };

/** Value for a scalar other than -1, 0 and 1. */
#define ANY_SCALAR 2.0

/** Returns the number of sizes in the cases of a kernel class: 1 (m), 2 (m, n) or 3 (m, n, k). */
static int sizes_of(enum tcplan_kernel kernel) {
    switch (kernel_shape(kernel)) {
    case KERNEL_OF_VECTORS:
    case KERNEL_OF_ELEMENTS: return 1;
    case KERNEL_OF_OUTER:
    case KERNEL_OF_MATRIX_FIRST: return 2;
    case KERNEL_OF_MATRICES: break;
    }
    return EXTENTS;
}

/** Returns the arguments in the cases of a kernel class; the last element has no name. */
static const struct kernel_argument *arguments_of(enum tcplan_kernel kernel) {
    return kernel_code_of(kernel)->argument;
}

static bool has_cases(enum tcplan_kernel kernel) {
    return arguments_of(kernel)->name != NULL;
}

/** Converts matrices with arbitrary strides to BLAS form, row-major or column-major; false if a
 * matrix is neither. */
static bool set_transpositions(struct blas_call *call) {
    const int extent[TCPLAN_OPERANDS][2] = {
        {call->m, call->k}, {call->k, call->n}, {call->m, call->n}};
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const bool by_columns = call->strides[part][0] == 1 || extent[part][0] == 1;
        const bool by_rows = call->strides[part][1] == 1 || extent[part][1] == 1;
        if (!by_columns && (part == 2 || !by_rows)) return false;
        if (part < 2) call->transposed[part] = !by_columns;
    }
    return true;
}

/** Writes the transposition flag of a matrix; returns false if no flag expresses it: conjugated
 * but not transposed. */
static bool flag_of(char *out, const struct blas_call *call, int part) {
    snprintf(out, VALUE, "%s", !call->transposed[part] ? "N" : call->conjugated[part] ? "C" : "T");
    return call->transposed[part] || !call->conjugated[part];
}

static void scalar_of(char *out, struct tcplan_scalar scalar, bool any) {
    const bool is_whole =
        scalar.im == 0 && (scalar.re == 0 || (!any && (scalar.re == 1 || scalar.re == -1)));
    snprintf(out, VALUE, is_whole ? "%.0f" : "any", scalar.re == 0 ? 0.0 : scalar.re);
}

static bool is_of_elements(const struct blas_call *call) {
    return kernel_shape(call->kernel) == KERNEL_OF_ELEMENTS;
}

/** Returns the number of elements of a vector. */
static int64_t length_of(const struct blas_call *call, int part) {
    switch (kernel_shape(call->kernel)) {
    case KERNEL_OF_OUTER: return part == 0 ? call->m : call->n;
    case KERNEL_OF_MATRIX_FIRST: return (part == 1) == call->transposed[0] ? call->m : call->n;
    case KERNEL_OF_ELEMENTS: return call->length;
    case KERNEL_OF_VECTORS:
    case KERNEL_OF_MATRICES: break;
    }
    return call->m;
}

const char *model_case_increment(struct model_case *model_case, double increment,
                                 enum tcplan_dtype dtype, int64_t line_bytes) {
    model_case->line = (double)line_bytes / (double)tcplan_dtype_bytes(dtype);
    if (increment < model_case->line) model_case->increment = increment;
    return "large";
}

/** State of writing a case. */
struct making {
    struct model_case *model_case;
    const struct blas_call *call;
    enum tcplan_dtype dtype;
    struct model_case_choice choice;
    double near_sum; /* sum of the increments that are between 1 and a cache line */
    int near_count;
};

/** Sets the increment of a vector; returns false if several elements have the increment 0. */
static bool increment_of(char *out, struct making *making, int part) {
    const struct blas_call *call = making->call;
    const int64_t increment = llabs(is_of_elements(call) ? call->strides[part][0] : call->ld[part]);
    const bool is_one = increment == 1 || length_of(call, part) == 1;
    const bool is_near = !is_one && increment < making->choice.line_bytes /
                                                    (int64_t)tcplan_dtype_bytes(making->dtype);
    snprintf(out, VALUE, "%s", is_one || (is_near && making->choice.near_as_one) ? "1" : "large");
    making->near_sum += is_near ? (double)increment : 0;
    making->near_count += is_near;
    return is_one || increment > 0;
}

static bool value_of(char *out, const struct kernel_argument *argument, struct making *making) {
    const struct blas_call *call = making->call;
    switch (argument->kind) {
    case KERNEL_FLAG: return flag_of(out, call, argument->part);
    case KERNEL_ALPHA: scalar_of(out, call->alpha, making->choice.any_scalars); return true;
    case KERNEL_BETA: scalar_of(out, call->beta, making->choice.any_scalars); return true;
    case KERNEL_FACTOR: snprintf(out, VALUE, "%s", "any"); return true;
    case KERNEL_INCREMENT: return increment_of(out, making, argument->part);
    }
    return false;
}

static void set_sizes(struct model_case *out, const struct blas_call *call, int sizes) {
    const int64_t size[EXTENTS] = {is_of_elements(call) ? call->length : call->m, call->n, call->k};
    out->sizes = sizes;
    for (int s = 0; s < sizes && s < EXTENTS; s++) out->size[s] = size[s];
}

static void note_near(struct making *making) {
    if (making->near_count == 0) return;
    making->model_case->increment = making->near_sum / making->near_count;
    making->model_case->line =
        (double)making->choice.line_bytes / (double)tcplan_dtype_bytes(making->dtype);
}

bool model_case_of(struct model_case *out, const struct blas_call *call, enum tcplan_dtype dtype,
                   struct model_case_choice choice) {
    const bool has_any_strides = kernel_shape(call->kernel) == KERNEL_OF_MATRICES &&
                                 provider_traits_of(call->provider)->takes_any_strides;
    struct blas_call plain = *call;
    struct making making = {.model_case = out, .call = &plain, .dtype = dtype, .choice = choice};
    *out = (struct model_case){0};
    if (!has_cases(call->kernel) || (has_any_strides && !set_transpositions(&plain))) return false;
    const char *routine =
        kernel_routine(call->kernel, dtype, call->conjugated[0], call->conjugated[1]);
    int length = snprintf(out->text, sizeof out->text, "%c%s", tcplan_dtype_letter(dtype), routine);
    for (const struct kernel_argument *argument = arguments_of(call->kernel); argument->name;
         argument++) {
        char value[VALUE];
        if (!value_of(value, argument, &making)) return false;
        length += snprintf(out->text + length, sizeof out->text - (size_t)length, " %s=%s",
                           argument->name, value);
    }
    set_sizes(out, call, sizes_of(call->kernel));
    note_near(&making);
    return true;
}

const char *model_case_provider(const struct blas_call *call) {
    return kernel_class_of(call->kernel)->is_own ? "own" : tcplan_provider_name(call->provider);
}

/** Reads the routine at the beginning of a case: its type, its class, and whether it conjugates a
 * factor. */
static bool find_routine(struct blas_call *out, enum tcplan_dtype *dtype, const char *routine,
                         size_t length) {
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        for (int type = TCPLAN_FLOAT;
             has_cases((enum tcplan_kernel)kernel) && type <= TCPLAN_DOUBLE_COMPLEX; type++) {
            for (int conjugates = 0; conjugates < 2; conjugates++) {
                char name[TCPLAN_MODEL_NAME];
                snprintf(name, sizeof name, "%c%s", tcplan_dtype_letter((enum tcplan_dtype)type),
                         kernel_routine((enum tcplan_kernel)kernel, (enum tcplan_dtype)type, false,
                                        conjugates));
                if (strlen(name) != length || memcmp(name, routine, length) != 0) continue;
                out->kernel = (enum tcplan_kernel)kernel;
                out->conjugated[1] = conjugates;
                *dtype = (enum tcplan_dtype)type;
                return true;
            }
        }
    }
    return false;
}

static bool set_flag(struct blas_call *out, int part, const char *value) {
    if (strlen(value) != 1 || !strchr("NTC", *value)) return false;
    out->transposed[part] = *value != 'N';
    out->conjugated[part] = *value == 'C';
    return true;
}

static bool set_scalar(struct tcplan_scalar *out, const char *value) {
    static const struct {
        const char *text;
        double value;
    } known[] = {{"-1", -1}, {"0", 0}, {"1", 1}, {"any", ANY_SCALAR}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(value, known[k].text) != 0) continue;
        *out = (struct tcplan_scalar){known[k].value, 0};
        return true;
    }
    return false;
}

static bool set_increment(struct blas_call *out, int part, const char *value) {
    const bool is_large = strcmp(value, "large") == 0;
    out->ld[part] = is_large ? MODEL_CASE_LARGE_INCREMENT : 1;
    out->strides[part][0] = out->ld[part]; /* for mul, the increments are stored as strides */
    return is_large || strcmp(value, "1") == 0;
}

static bool set_value(struct blas_call *out, const struct kernel_argument *argument,
                      const char *value) {
    struct tcplan_scalar factor;
    switch (argument->kind) {
    case KERNEL_FLAG: return set_flag(out, argument->part, value);
    case KERNEL_ALPHA: return set_scalar(&out->alpha, value);
    case KERNEL_BETA: return set_scalar(&out->beta, value);
    case KERNEL_FACTOR: return set_scalar(&factor, value);
    case KERNEL_INCREMENT: return set_increment(out, argument->part, value);
    }
    return false;
}

/** Reads ` NAME=VALUE`; returns the text after it, or NULL. */
static const char *read_argument(struct blas_call *out, const char *text,
                                 const struct kernel_argument *argument) {
    const size_t length = strlen(argument->name);
    char value[VALUE] = "";
    if (*text != ' ' || strncmp(text + 1, argument->name, length) != 0 || text[length + 1] != '=')
        return NULL;
    const char *begin = text + length + 2;
    const size_t count = strcspn(begin, " ");
    if (count >= sizeof value) return NULL;
    memcpy(value, begin, count);
    return set_value(out, argument, value) ? begin + count : NULL;
}

static bool set_extents(struct blas_call *out, const struct model_case *model_case) {
    int *const extent[EXTENTS] = {&out->m, &out->n, &out->k};
    for (int s = 0; s < model_case->sizes && s < EXTENTS; s++) {
        if (model_case->size[s] < 1 || model_case->size[s] > INT_MAX) return false;
        *extent[s] = (int)model_case->size[s];
    }
    switch (kernel_shape(out->kernel)) {
    case KERNEL_OF_VECTORS: break;
    case KERNEL_OF_ELEMENTS:
        out->length = out->m;
        out->m = 1;
        break;
    case KERNEL_OF_OUTER: out->ld[2] = out->m; break;
    case KERNEL_OF_MATRIX_FIRST: out->ld[0] = out->m; break;
    case KERNEL_OF_MATRICES:
        out->ld[0] = out->transposed[0] ? out->k : out->m;
        out->ld[1] = out->transposed[1] ? out->n : out->k;
        out->ld[2] = out->m;
    }
    return true;
}

enum tcplan_status model_case_call(struct blas_call *out, enum tcplan_dtype *dtype,
                                   const struct model_case *model_case,
                                   struct tcplan_error *error) {
    const char *text = model_case->text;
    const size_t length = strcspn(text, " ");
    *out = (struct blas_call){.first = TCPLAN_A,
                              .second = TCPLAN_B,
                              .m = 1,
                              .n = 1,
                              .k = 1,
                              .ld = {1, 1, 1},
                              .alpha = {1, 0},
                              .beta = {1, 0}};
    if (!find_routine(out, dtype, text, length)) {
        return error_set(error, TCPLAN_INVALID, "'%.40s' is not a case of a kernel", text);
    }
    text += length;
    for (const struct kernel_argument *argument = arguments_of(out->kernel); argument->name;
         argument++) {
        const char *next = read_argument(out, text, argument);
        if (!next)
            return error_set(error, TCPLAN_INVALID, "expected ' %s=' and its value, found '%.40s'",
                             argument->name, text);
        text = next;
    }
    if (*text)
        return error_set(error, TCPLAN_INVALID, "expected the end of the case, found '%.40s'",
                         text);
    const int sizes = sizes_of(out->kernel);
    if (model_case->sizes != sizes) {
        return error_set(error, TCPLAN_INVALID, "expected %d sizes, found %d", sizes,
                         model_case->sizes);
    }
    if (!set_extents(out, model_case))
        return error_set(error, TCPLAN_INVALID,
                         "a size is below 1, or beyond integers of the BLAS");
    return TCPLAN_OK;
}
