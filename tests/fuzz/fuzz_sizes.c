/**
 * Reads any bytes as sizes. Errors must mark existing text; accepted sizes must have extents
 * within the BLAS integer at their first and last point, and make a problem or be rejected by it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/problem.h"
#include "tcplan/sizes.h"

static void check_point(const struct tcplan_contraction *contraction,
                        const struct tcplan_sizes *sizes, int64_t point) {
    int64_t extent[TCPLAN_MAX_INDICES];
    tcplan_sizes_point(sizes, point, extent);
    for (int index = 0; index < contraction->index_count; index++)
        require(extent[index] >= 0 && extent[index] <= 2147483647);
    struct tcplan_problem problem;
    enum tcplan_status status =
        tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, NULL);
    require(status == TCPLAN_OVERFLOW || (status == TCPLAN_OK && problem.elems[TCPLAN_C] >= 0));
}

static void check_error(const struct tcplan_error *error, const char *text) {
    require((error->status == TCPLAN_INVALID || error->status == TCPLAN_OVERFLOW) &&
            error->message[0] != '\0');
    require(error->column == 0 || error->column - 1 + error->length <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    struct tcplan_contraction *contraction = NULL;
    require(tcplan_contraction_parse(&contraction, "C[a,b,col]=A[a,i,a]*B[i,b,col]",
                                     TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error = {0};
    if (tcplan_sizes_parse(&sizes, contraction, text, &error) == TCPLAN_OK) {
        check_point(contraction, sizes, 0);
        check_point(contraction, sizes, tcplan_sizes_count(sizes) - 1);
    } else {
        check_error(&error, text);
    }
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
    free(text);
    return 0;
}
