#include "routines/blocked/algorithms/product.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "routines/blocked/algorithms/builder.h"

enum { PIECE = 24, STEPS = 640, TEMPORARIES = 256, NOTE = 90 };

/** A factor: a matrix of the text, or the intermediate product of several. */
struct piece {
    char text[PIECE];             /* the factor as in a statement, such as `B^T` */
    char name[TCPLAN_BLOCK_NAME]; /* name of the matrix: `B` */
    int rows, columns;            /* numbers of the sizes of op(B) */
    struct tcplan_view shape;
    bool transposed, conjugated, inverted;
    bool is_given; /* whether it is a matrix of the text, which must not be overwritten */
};

/** A way to compute the product of some consecutive factors. */
struct way {
    struct piece result;
    char steps[STEPS], temporaries[TEMPORARIES], note[NOTE];
};

/** All ways for some consecutive factors. */
struct ways {
    int count;
    struct way *of;
};

struct expansion {
    struct builder builder;
    struct tcplan_blocked *scratch; /* algorithm that holds the names in the text; owned by the
                                       builder */
    struct scope scope;
    int count;
    struct piece factor[PRODUCT_FACTORS];
    struct piece result;
    char prefix; /* first letter of the names of temporaries; no matrix has a name that begins with
                    this letter */
    bool no_memory;
};

/** Returns a word without trailing blanks. */
static struct word trimmed(struct word word) {
    while (word.length > 0 && word.text[word.length - 1] == ' ') word.length--;
    return word;
}

static struct piece piece_of(const struct expansion *product, const struct tcplan_factor *factor,
                             struct word written) {
    const struct tcplan_view *view = &product->scratch->blocks.view[factor->block.view];
    struct piece out = {.rows = factor->block.rows,
                        .columns = factor->block.columns,
                        .shape = *view,
                        .transposed = factor->transposed,
                        .conjugated = factor->conjugated,
                        .inverted = factor->inverted,
                        .is_given = true};
    snprintf(out.name, sizeof out.name, "%s", view->name);
    snprintf(out.text, sizeof out.text, "%.*s", (int)written.length, written.text);
    if (!factor->transposed) return out;
    out.rows = factor->block.columns;
    out.columns = factor->block.rows;
    return out;
}

/** Removes the transposition of a symmetric matrix, or the conjugate transposition of a Hermitian
 * one: both equal the matrix itself. */
static void drop_op(struct piece *piece) {
    const bool is_own = (piece->shape.triangle == TCPLAN_SYMMETRIC && !piece->conjugated) ||
                        (piece->shape.triangle == TCPLAN_HERMITIAN && piece->conjugated);
    if (!piece->transposed || !is_own || piece->inverted) return;
    piece->transposed = piece->conjugated = false;
    memcpy(piece->text, piece->name, sizeof piece->name);
}

static bool read_piece(struct expansion *product, struct scan *scan) {
    struct tcplan_factor factor = {.inverted = false};
    struct word written = {(scan_peek(scan), scan->at), 0};
    if (product->count == PRODUCT_FACTORS)
        return scan_expected(scan, "expected at most six factors");
    if (!statement_read_factor(&factor, &product->scope, scan)) return false;
    written = trimmed(scan_since(scan, written));
    if (written.length >= PIECE)
        return scan_refuse(scan, written,
                           "expected a matrix, optionally with ^T, ^H, ^-1, ^-T or ^-H");
    struct piece *piece = &product->factor[product->count];
    *piece = piece_of(product, &factor, written);
    drop_op(piece);
    if (piece->rows == product->scope.single || piece->columns == product->scope.single)
        return scan_refuse(scan, written, "vectors cannot be factors here");
    if (piece->inverted && piece->shape.triangle != TCPLAN_TRIANGLE)
        return scan_refuse(scan, written, "only triangular matrices can be inverted here");
    if (product->count > 0 && product->factor[product->count - 1].columns != piece->rows)
        return scan_refuse(
            scan, written,
            "sizes do not match: its rows are not the columns of the factor before it");
    product->count++;
    return true;
}

/* Reads block ":=" factor factor { factor }. */
static bool read_product(struct expansion *product, struct scan *scan) {
    struct tcplan_factor result = {.inverted = false};
    struct word written = {(scan_peek(scan), scan->at), 0};
    if (!scope_read_block(&result.block, &product->scope, scan)) return false;
    written = trimmed(scan_since(scan, written));
    product->result = piece_of(product, &result, written);
    if (!scan_accept(scan, ":=")) return scan_expected(scan, "':='");
    while (scan_peek(scan)) {
        if (!read_piece(product, scan)) return false;
    }
    if (product->count < 2) return scan_expected(scan, "expected at least two factors");
    if (product->result.rows != product->factor[0].rows ||
        product->result.columns != product->factor[product->count - 1].columns)
        return scan_refuse(scan, written,
                           "sizes do not match: the result and the product have different sizes");
    for (int f = 0; f < product->count; f++) {
        if (product->factor[f].shape.matrix == product->result.shape.matrix)
            return scan_refuse(scan, written, "the result must not be one of the factors");
    }
    return true;
}

static void choose_prefix(struct expansion *product) {
    for (product->prefix = 'T'; product->prefix > 'A'; product->prefix--) {
        bool is_free = true;
        for (int v = 0; v < product->scope.view_count; v++)
            is_free = is_free && *product->scope.view[v].name != product->prefix;
        if (is_free) return;
    }
}

static bool append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool append(char *out, size_t size, const char *format, ...) {
    const size_t length = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(out + length, size - length, format, arguments);
    va_end(arguments);
    return added >= 0 && (size_t)added < size - length;
}

static bool is_general(const struct piece *piece) {
    return piece->shape.triangle == TCPLAN_GENERAL;
}

static bool is_triangle(const struct piece *piece) {
    return piece->shape.triangle == TCPLAN_TRIANGLE;
}

static bool is_symmetric(const struct piece *piece) {
    return (piece->shape.triangle == TCPLAN_SYMMETRIC ||
            piece->shape.triangle == TCPLAN_HERMITIAN) &&
           !piece->transposed;
}

/** Returns the piece that receives a product: the result of the statement, or a new temporary,
 * which is added to the way. */
static struct piece destination(struct way *out, const struct expansion *product, int first,
                                int last, enum tcplan_triangle triangle) {
    struct piece to = product->result;
    if (first > 0 || last + 1 < product->count) {
        const struct scope_size *size = product->scope.size;
        to = (struct piece){.rows = product->factor[first].rows,
                            .columns = product->factor[last].columns,
                            .shape.triangle = triangle};
        snprintf(to.name, sizeof to.name, "%c%c%c", product->prefix, 'a' + first, 'a' + last);
        append(out->temporaries, sizeof out->temporaries, " ~%s(%s,%s)%s", to.name,
               size[to.rows].name, size[to.columns].name,
               triangle == TCPLAN_SYMMETRIC   ? ".symmetric.lower"
               : triangle == TCPLAN_HERMITIAN ? ".hermitian.lower"
                                              : "");
    }
    memcpy(to.text, to.name, sizeof to.name);
    to.is_given = false;
    return to;
}

/** Begins a way to compute the product of two intermediate results: copies the statements that
 * compute the two. Returns NULL if there are too many ways. */
static struct way *begin_way(struct ways *out, const struct way *left, const struct way *right) {
    if (out->count == PRODUCT_WAYS) return NULL;
    struct way *way = &out->of[out->count];
    *way = (struct way){.steps = ""};
    const bool fits =
        append(way->steps, sizeof way->steps, "%s%s", left->steps, right->steps) &&
        append(way->temporaries, sizeof way->temporaries, "%s%s", left->temporaries,
               right->temporaries) &&
        append(way->note, sizeof way->note, strchr(left->note, ' ') ? "(%s) " : "%s ",
               left->note) &&
        append(way->note, sizeof way->note, strchr(right->note, ' ') ? "(%s)" : "%s", right->note);
    return fits ? way : NULL;
}

static void end_way(struct ways *out, struct way *way, struct piece to) {
    way->result = to;
    out->count++;
}

/** Adds a product by gemm or symm: one statement. */
static void add_plain(struct ways *out, const struct expansion *product, int first, int last,
                      const struct way *left, const struct way *right) {
    struct way *way = begin_way(out, left, right);
    if (!way) return;
    const struct piece to = destination(way, product, first, last, TCPLAN_GENERAL);
    if (!is_general(&to)) return;
    if (append(way->steps, sizeof way->steps, "%s := %s %s; ", to.name, left->result.text,
               right->result.text))
        end_way(out, way, to);
}

/** Adds A A^T by syrk, which computes one triangle. */
static void add_square(struct ways *out, const struct expansion *product, int first, int last,
                       const struct way *left, const struct way *right) {
    const struct piece *x = &left->result, *y = &right->result;
    if (!x->is_given || !y->is_given || x->shape.matrix != y->shape.matrix ||
        x->transposed == y->transposed)
        return;
    const bool conjugated = x->conjugated || y->conjugated;
    struct way *way = begin_way(out, left, right);
    if (!way) return;
    const struct piece to =
        destination(way, product, first, last, conjugated ? TCPLAN_HERMITIAN : TCPLAN_SYMMETRIC);
    const enum tcplan_triangle is = to.shape.triangle;
    if (is != TCPLAN_SYMMETRIC && is != TCPLAN_HERMITIAN) return;
    if (tcplan_dtype_is_complex(product->scratch->dtype) && (is == TCPLAN_HERMITIAN) != conjugated)
        return;
    if (append(way->steps, sizeof way->steps, "%s := %s %s; ", to.name, x->text, y->text))
        end_way(out, way, to);
}

/** Adds a product by trmm or trsm. The routine overwrites the factor that is not a triangle, so
 * this factor is first copied to the destination unless it is there. */
static void add_triangular(struct ways *out, const struct expansion *product, int first, int last,
                           const struct way *left, const struct way *right) {
    const bool is_left = is_triangle(&left->result);
    const struct piece *triangle = is_left ? &left->result : &right->result,
                       *other = is_left ? &right->result : &left->result;
    struct way *way = begin_way(out, left, right);
    /* no statement copies a square matrix transposed */
    if (!way || !is_general(other) || (other->transposed && other->rows == other->columns)) return;
    struct piece to = *other;
    bool fits = true;
    if (other->is_given) {
        to = destination(way, product, first, last, TCPLAN_GENERAL);
        fits = append(way->steps, sizeof way->steps, "%s := %s; ", to.name, other->text);
    }
    if (!is_general(&to)) return;
    const char *const first_factor = is_left ? triangle->text : to.name, *const second_factor =
                                                                             is_left
                                                                                 ? to.name
                                                                                 : triangle->text;
    fits = fits && append(way->steps, sizeof way->steps, "%s := %s %s; ", to.name, first_factor,
                          second_factor);
    if (fits) end_way(out, way, to);
}

static void add_ways(struct ways *out, const struct expansion *product, int first, int last,
                     const struct way *left, const struct way *right) {
    const struct piece *x = &left->result, *y = &right->result;
    if (is_general(x) && is_general(y)) {
        add_plain(out, product, first, last, left, right);
        add_square(out, product, first, last, left, right);
    } else if (is_triangle(x) != is_triangle(y) && (is_general(x) || is_general(y))) {
        add_triangular(out, product, first, last, left, right);
    } else if ((is_symmetric(x) && is_general(y) && !y->transposed) ||
               (is_symmetric(y) && is_general(x) && !x->transposed)) {
        add_plain(out, product, first, last, left, right);
    }
}

static void find_ways(struct ways *out, struct expansion *product, int first, int last,
                      int as_first, int as_last);

/**
 * Adds the ways whose last step multiplies the product of the factors up to `middle` by the
 * product of the remaining factors. A product with a triangle overwrites the second operand, so
 * that operand is computed in the destination of the whole product.
 */
static void find_split(struct ways *out, struct expansion *product, int first, int middle, int last,
                       int as_first, int as_last) {
    const bool left_goes = middle == first && is_triangle(&product->factor[first]);
    const bool right_goes = middle + 1 == last && is_triangle(&product->factor[last]);
    struct ways left = {.count = 0}, right = {.count = 0};
    find_ways(&left, product, first, middle, right_goes ? as_first : first,
              right_goes ? as_last : middle);
    find_ways(&right, product, middle + 1, last, left_goes ? as_first : middle + 1,
              left_goes ? as_last : last);
    for (int l = 0; l < left.count; l++) {
        for (int r = 0; r < right.count; r++)
            add_ways(out, product, as_first, as_last, &left.of[l], &right.of[r]);
    }
    base_free(left.of);
    base_free(right.of);
}

/** Finds the ways to multiply some factors. The result gets the destination that the product of the
 * factors from `as_first` to `as_last` has. */
static void find_ways(struct ways *out, struct expansion *product, int first, int last,
                      int as_first, int as_last) {
    *out = (struct ways){.of = base_alloc((first == last ? 1 : PRODUCT_WAYS) * sizeof(struct way))};
    if (!out->of) {
        product->no_memory = true;
        return;
    }
    if (first == last) {
        out->of[0] = (struct way){.result = product->factor[first]};
        snprintf(out->of[0].note, NOTE, "%s", product->factor[first].text);
        out->count = 1;
        return;
    }
    for (int middle = first; middle < last && !product->no_memory; middle++)
        find_split(out, product, first, middle, last, as_first, as_last);
}

static enum tcplan_status take_ways(struct product_ways *out, const struct expansion *product,
                                    const struct ways *ways, const char *matrices,
                                    struct tcplan_error *error) {
    if (product->no_memory) return error_no_memory(error);
    if (ways->count == 0) {
        error_set(
            error, TCPLAN_INVALID,
            "no order of routines computes this product: no routine multiplies two matrices that "
            "are triangular or symmetric");
        if (error) error->column = 1;
        return TCPLAN_INVALID;
    }
    out->of = base_alloc_zero((size_t)ways->count, sizeof *out->of);
    if (!out->of) return error_no_memory(error);
    for (int w = 0; w < ways->count; w++) {
        struct product_way *way = &out->of[out->count];
        const bool fits = append(way->matrices, sizeof way->matrices, "%s%s", matrices,
                                 ways->of[w].temporaries) &&
                          append(way->steps, sizeof way->steps, "%s", ways->of[w].steps) &&
                          append(way->note, sizeof way->note, "%s", ways->of[w].note);
        if (!fits)
            return error_set(error, TCPLAN_INVALID, "the names of the matrices are too long");
        out->count++;
    }
    return TCPLAN_OK;
}

static enum tcplan_status read_all(struct expansion *product, const char *matrices,
                                   const char *statement, enum blocked_place *place,
                                   struct tcplan_error *error) {
    struct scan scan;
    *place = BLOCKED_IN_MATRICES;
    if (!scan_init(&scan, matrices, error) ||
        !scope_declare(&product->builder, &product->scope, &scan, NULL, 0, NULL))
        return scan.status;
    *place = BLOCKED_IN_STEPS;
    return scan_init(&scan, statement, error) && read_product(product, &scan) ? TCPLAN_OK
                                                                              : scan.status;
}

enum tcplan_status product_ways_find(struct product_ways *out, const char *matrices,
                                     const char *statement, enum tcplan_dtype dtype,
                                     enum blocked_place *place, struct tcplan_error *error) {
    struct tcplan_error unseen;
    struct ways ways = {.count = 0};
    struct expansion *product = base_alloc_zero(1, sizeof *product);
    *out = (struct product_ways){.count = 0};
    if (product) product->scratch = base_alloc_zero(1, sizeof *product->scratch);
    if (!product || !product->scratch) {
        base_free(product);
        return error_no_memory(error);
    }
    product->scratch->dtype = dtype;
    product->builder = (struct builder){.out = product->scratch, .error = error ? error : &unseen};
    enum tcplan_status status =
        read_all(product, matrices, statement, place, product->builder.error);
    if (status == TCPLAN_OK) {
        choose_prefix(product);
        find_ways(&ways, product, 0, product->count - 1, 0, product->count - 1);
        status = take_ways(out, product, &ways, matrices, error);
    }
    base_free(ways.of);
    tcplan_blocked_free(product->scratch);
    base_free(product);
    return status;
}

void product_ways_free(struct product_ways *ways) {
    base_free(ways->of);
    *ways = (struct product_ways){.count = 0};
}
