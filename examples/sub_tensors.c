/**
 * Sub-tensors: a product of parts of larger arrays, in place, without a copy of any of them.
 * Strides describe where the elements of a part are stored; pointers are to the element whose
 * indices are all 0.
 *
 * The product is described twice: by text, and by lists of labels, extents and strides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/tcplan.h>

/** Three row-major arrays of the program, and the extents of the parts that are multiplied. */
enum { ROWS = 40, COLUMNS = 50, SLICES = 30, A = 12, B = 20, I = 16 };
static double field[ROWS][COLUMNS][SLICES], weight[ROWS][SLICES], result[ROWS][COLUMNS];

static void fill(void) {
    for (int r = 0; r < ROWS; r++) {
        for (int s = 0; s < SLICES; s++) weight[r][s] = 1.0 / (1 + r + 2 * s);
        for (int c = 0; c < COLUMNS; c++) {
            result[r][c] = r - c;
            for (int s = 0; s < SLICES; s++) field[r][c][s] = cos(r + 2.0 * c + 3.0 * s);
        }
    }
}

/** Returns the largest error of result[5 + a][10 + b] := sum over i of field[a][49 - 2 b][i]
 * weight[3 + i][7]. The part of `field` has every other column, in reverse order. Elements of
 * `result` outside the part must be unchanged. */
static double largest_error(void) {
    double largest = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            double expected = r - c;
            if (r >= 5 && r < 5 + A && c >= 10 && c < 10 + B) {
                expected = 0;
                for (int i = 0; i < I; i++)
                    expected += field[r - 5][COLUMNS - 1 - 2 * (c - 10)][i] * weight[3 + i][7];
            }
            largest = fmax(largest, fabs(result[r][c] - expected));
        }
    }
    return largest;
}

/** Describes the product by text. A stride is the distance in elements from one value of an index
 * to the next; strides are listed in the order of the tensor's indices. */
static enum tcplan_status from_text(struct tcplan_product **out, struct tcplan_error *error) {
    char sizes[64];
    char strides[128];
    snprintf(sizes, sizeof sizes, "a=%d,b=%d,i=%d", A, B, I);
    snprintf(strides, sizeof strides, "F=%d,%d,1;W=%d;R=%d,1", COLUMNS * SLICES, -2 * SLICES,
             SLICES, COLUMNS);
    return tcplan_product_parse(out, "R_ab=F_abi*W_i", sizes, strides, TCPLAN_DOUBLE,
                                TCPLAN_ROW_MAJOR, error);
}

/** Describes the same product by lists. Labels may be any numbers; equal labels denote the same
 * index. */
static enum tcplan_status from_lists(struct tcplan_product **out, struct tcplan_error *error) {
    const struct tcplan_dimensions first = {3, (int64_t[]){'a', 'b', 'i'}, (int64_t[]){A, B, I},
                                            (int64_t[]){COLUMNS * SLICES, -2 * SLICES, 1}, false};
    const struct tcplan_dimensions second = {1, (int64_t[]){'i'}, (int64_t[]){I},
                                             (int64_t[]){SLICES}, false};
    const struct tcplan_dimensions product = {2, (int64_t[]){'a', 'b'}, (int64_t[]){A, B},
                                              (int64_t[]){COLUMNS, 1}, false};
    return tcplan_product_make(out, &first, &second, NULL, &product, TCPLAN_DOUBLE,
                               TCPLAN_ROW_MAJOR, error);
}

/** Plans and executes the product, and checks the result. Frees the product. */
static int compute(const char *what, struct tcplan_product *product) {
    struct tcplan_error error;
    struct tcplan_plan *plan = NULL;
    enum tcplan_status status = tcplan_plan_new(&plan, NULL, product, &error);
    if (status == TCPLAN_OK) {
        fill();
        status = tcplan_plan_execute(plan, &field[0][COLUMNS - 1][0], &weight[3][7], &result[5][10],
                                     NULL);
        printf("%s: %s, largest error %.1e\n", what, tcplan_plan_algorithm(plan), largest_error());
    } else {
        fprintf(stderr, "sub_tensors: %s\n", error.message);
    }
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return status == TCPLAN_OK && largest_error() < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
    struct tcplan_error error;
    struct tcplan_product *product;
    if (from_text(&product, &error) == TCPLAN_OK && compute("from text", product) == EXIT_SUCCESS &&
        from_lists(&product, &error) == TCPLAN_OK) {
        return compute("from lists", product);
    }
    fprintf(stderr, "sub_tensors: failed\n");
    return EXIT_FAILURE;
}
