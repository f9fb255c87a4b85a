/**
 * Reads any lines as notation, sizes and strides of a product of each type and order. Errors must
 * have a message and mark existing text; accepted input must have texts that read back to an equal
 * product. The input is also read as einsum of arrays.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/product.h"

enum { LINES = 3 };

/** Checks that the operand's pointer is within the memory that the operand spans. */
static void check_operand(const struct tcplan_product *product, enum tcplan_operand operand) {
    int64_t extent[64], stride[64], first = 0;
    const int rank = tcplan_product_rank(product, operand);
    const int64_t span = tcplan_product_span(product, operand, &first);
    require(rank <= 64 &&
            (rank < 0 || tcplan_product_shape(product, operand, extent, stride) == TCPLAN_OK));
    require(span >= 0 && first >= 0 && (span == 0 || first < span));
    for (int d = 0; d < rank; d++) require(extent[d] >= 0 && extent[d] <= 2147483647);
}

static void check_product(const struct tcplan_product *product) {
    struct tcplan_product *again = NULL;
    char *notation = tcplan_product_text(product), *sizes = tcplan_product_sizes(product),
         *strides = tcplan_product_strides(product);
    require(notation && sizes && strides);
    require(tcplan_product_parse(&again, notation, sizes, *strides ? strides : NULL,
                                 tcplan_product_dtype(product), tcplan_product_order(product),
                                 NULL) == TCPLAN_OK);
    char *same = tcplan_product_text(again), *same_sizes = tcplan_product_sizes(again),
         *same_strides = tcplan_product_strides(again);
    require(strcmp(notation, same) == 0 && strcmp(sizes, same_sizes) == 0 &&
            strcmp(strides, same_strides) == 0);
    require(tcplan_product_flops(product) == tcplan_product_flops(again) &&
            tcplan_product_flops(product) >= 0);
    check_operand(product, TCPLAN_A);
    check_operand(product, TCPLAN_B);
    check_operand(product, TCPLAN_C);
    check_operand(product, TCPLAN_ADDEND);
    free(same_strides);
    free(same_sizes);
    free(same);
    free(strides);
    free(sizes);
    free(notation);
    tcplan_product_free(again);
}

static bool marks(const struct tcplan_error *error, const char *text) {
    return text && error->column - 1 + error->length <= strlen(text) + 1;
}

static void take(enum tcplan_status status, struct tcplan_product *product,
                 const struct tcplan_error *error, char *const line[LINES]) {
    if (status == TCPLAN_OK) {
        check_product(product);
    } else {
        require((status == TCPLAN_INVALID || status == TCPLAN_OVERFLOW) && !product &&
                error->message[0] != '\0');
        require(error->column == 0 || marks(error, line[0]) || marks(error, line[1]) ||
                marks(error, line[2]));
    }
    tcplan_product_free(product);
}

/** Reads at most `most` numbers from a line; returns their number. */
static int read_numbers(int64_t out[], int most, const char *line) {
    int count = 0;
    char *end;
    for (const char *at = line; at && count < most; at = end) {
        out[count] = strtoll(at, &end, 10);
        if (end == at) break;
        count++;
        end += *end == ',';
    }
    return count;
}

static void take_einsum(char *const line[LINES], enum tcplan_dtype dtype, enum tcplan_order order) {
    enum { MOST = 80 };
    int64_t extent[2][MOST];
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_dimensions A = {.rank = read_numbers(extent[0], MOST, line[1]),
                                        .extent = extent[0]};
    const struct tcplan_dimensions B = {.rank = read_numbers(extent[1], MOST, line[2]),
                                        .extent = extent[1]};
    const enum tcplan_status status =
        tcplan_product_einsum(&product, line[0], &A, &B, NULL, dtype, order, &error);
    take(status, product, &error, line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *line[LINES] = {NULL};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *rest = text;
    for (int l = 0; l < LINES; l++) line[l] = strsep(&rest, "\n");
    for (int kind = 0; kind < 2; kind++) {
        struct tcplan_product *product = NULL;
        struct tcplan_error error = {0};
        const enum tcplan_dtype dtype = kind == 0 ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_FLOAT;
        const enum tcplan_order order = kind == 0 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
        const enum tcplan_status status =
            tcplan_product_parse(&product, line[0], line[1], line[2], dtype, order, &error);
        take(status, product, &error, line);
        take_einsum(line, dtype, order);
    }
    free(text);
    return 0;
}
