/**
 * Reads any bytes as strides. Errors must mark existing text and change nothing; accepted strides
 * must have a text that reads back to the same, and make a problem whose elements are within its
 * memory, or be rejected by it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/problem.h"
#include "tcplan/strides.h"

static struct tcplan_contraction *contraction_new(void) {
    struct tcplan_contraction *contraction = NULL;
    require(tcplan_contraction_parse(&contraction, "C[a,b,col]=A[a,i,a]*B[i,b,col]+D[col,b,a]",
                                     TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK);
    return contraction;
}

static void check_error(const struct tcplan_error *error, const char *text) {
    require((error->status == TCPLAN_INVALID || error->status == TCPLAN_OVERFLOW) &&
            error->message[0] != '\0');
    require(error->column == 0 || error->column - 1 + error->length <= strlen(text));
}

static void check_same(const struct tcplan_contraction *a, const struct tcplan_contraction *b) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct tcplan_tensor *x = &a->tensor[t], *y = &b->tensor[t];
        require(x->strided == y->strided && x->falling == y->falling && x->still == y->still);
        require(memcmp(x->stride, y->stride, sizeof x->stride) == 0 &&
                memcmp(x->nearest, y->nearest, sizeof x->nearest) == 0);
    }
}

/** Checks that the first and last elements of a tensor in each dimension are within the memory that
 * it spans. */
static void check_span(const struct tcplan_problem *problem, int operand) {
    const int count = problem->contraction->index_count;
    for (unsigned corner = 0; corner < 1U << count; corner++) {
        int64_t at = problem->first_elems[operand];
        for (int i = 0; i < count; i++)
            at +=
                corner >> i & 1U ? (problem->extent[i] - 1) * problem->stride_elems[operand][i] : 0;
        require(at >= 0 && at < problem->elems[operand]);
    }
}

static void check_problem(const struct tcplan_contraction *contraction) {
    static const int64_t extent[TCPLAN_MAX_INDICES] = {3, 1, 2, 5};
    struct tcplan_problem problem;
    enum tcplan_status status =
        tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, NULL);
    require(status == TCPLAN_OK || status == TCPLAN_OVERFLOW || status == TCPLAN_INVALID);
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) check_span(&problem, t);
}

static void check_read(const struct tcplan_contraction *contraction) {
    struct tcplan_contraction *again = contraction_new();
    char *printed = tcplan_strides_text(contraction);
    require(printed && tcplan_strides_parse(again, printed, NULL) == TCPLAN_OK);
    check_same(again, contraction);
    check_problem(contraction);
    free(printed);
    tcplan_contraction_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    struct tcplan_contraction *contraction = contraction_new(), *unchanged = contraction_new();
    struct tcplan_error error = {0};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (tcplan_strides_parse(contraction, text, &error) == TCPLAN_OK) {
        check_read(contraction);
    } else {
        check_error(&error, text);
        check_same(contraction, unchanged);
    }
    tcplan_contraction_free(contraction);
    tcplan_contraction_free(unchanged);
    free(text);
    return 0;
}
