#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "routines/blocked/algorithms/builder.h"

enum { NAMED = 8 };

/** The routine that the form of a statement requires, with the values of named arguments. */
struct wanted {
    const char *routine; /* name of the routine without the letter of the type */
    int flag_count;
    struct {
        const char *name;
        char value;
    } flag[NAMED];
    int data_count;
    struct {
        const char *name;
        struct tcplan_block block;
    } data[STATEMENT_PRODUCTS];
    bool has_alpha, has_beta;
};

/** State of deriving a call from a statement. */
struct derivation {
    struct builder *builder;
    const struct statement *statement; /* the statement; NULL in derive_routine(), which has none */
    struct scan *scan;
    struct tcplan_call *call;
    struct blocked_statement *out;
    bool is_set[SIGNATURE_MAX_ARGUMENTS];
};

static struct word text_of(const struct derivation *at) {
    return at->statement ? at->statement->text : (struct word){at->scan->at, 0};
}

static const struct tcplan_view *view_of(const struct builder *builder, struct tcplan_block block) {
    return &builder->out->blocks.view[block.view];
}

static bool is_complex(const struct builder *builder) {
    return tcplan_dtype_is_complex(builder->out->dtype);
}

bool ranges_agree(const struct builder *builder, int a, int b) {
    if (a == b) return true;
    const struct tcplan_range *first = &builder->out->blocks.range[a],
                              *second = &builder->out->blocks.range[b];
    if (first->loop < 0 || first->loop != second->loop || first->part != second->part) return false;
    const bool is_counted = first->part == TCPLAN_RANGE_FIRST ||
                            first->part == TCPLAN_RANGE_CURRENT ||
                            first->part == TCPLAN_RANGE_NOT_LAST;
    return is_counted && builder->is_coupled[first->loop];
}

bool block_is_diagonal(const struct builder *builder, struct tcplan_block block) {
    return ranges_agree(builder, block.rows, block.columns);
}

/** Returns whether a block is on the diagonal of a view that is triangular, symmetric or Hermitian.
 */
static bool is_shaped(const struct builder *builder, struct tcplan_block block) {
    return view_of(builder, block)->triangle != TCPLAN_GENERAL && block_is_diagonal(builder, block);
}

static bool is_triangle(const struct builder *builder, struct tcplan_block block) {
    return view_of(builder, block)->triangle == TCPLAN_TRIANGLE &&
           block_is_diagonal(builder, block);
}

static bool is_symmetric(const struct builder *builder, struct tcplan_block block) {
    const enum tcplan_triangle triangle = view_of(builder, block)->triangle;
    return (triangle == TCPLAN_SYMMETRIC || triangle == TCPLAN_HERMITIAN) &&
           block_is_diagonal(builder, block);
}

/** Returns whether two blocks have the same elements, possibly under different names, such as L21
 * and A21. */
static bool is_same(const struct builder *builder, struct tcplan_block a, struct tcplan_block b) {
    return view_of(builder, a)->matrix == view_of(builder, b)->matrix && a.rows == b.rows &&
           a.columns == b.columns;
}

/**
 * Returns whether two ranges of a matrix overlap. Only different parts of one division do not
 * overlap.
 */
static bool ranges_meet(const struct builder *builder, int a, int b) {
    static const unsigned parts[TCPLAN_RANGE_PARTS] = {1, 2, 4, 3, 6};
    const struct tcplan_range *range = builder->out->blocks.range;
    for (int at = a; range[at].part != TCPLAN_RANGE_WHOLE; at = range[at].of) {
        for (int other = b; range[other].part != TCPLAN_RANGE_WHOLE; other = range[other].of) {
            if (range[at].of == range[other].of && range[at].loop == range[other].loop &&
                !(parts[range[at].part] & parts[range[other].part]))
                return false;
        }
    }
    return true;
}

static bool blocks_meet(const struct builder *builder, struct tcplan_block a,
                        struct tcplan_block b) {
    return view_of(builder, a)->matrix == view_of(builder, b)->matrix &&
           ranges_meet(builder, a.rows, b.rows) && ranges_meet(builder, a.columns, b.columns);
}

static bool has_no_op(const struct tcplan_factor *factor) {
    return !factor->transposed && !factor->inverted;
}

char factor_letter(const struct builder *builder, const struct tcplan_factor *factor) {
    return !factor->transposed ? 'N' : factor->conjugated && is_complex(builder) ? 'C' : 'T';
}

static void want_flag(struct wanted *out, const char *name, char value) {
    out->flag[out->flag_count].name = name;
    out->flag[out->flag_count++].value = value;
}

static void want_data(struct wanted *out, const char *name, struct tcplan_block block) {
    out->data[out->data_count].name = name;
    out->data[out->data_count++].block = block;
}

static void want_triangle(struct wanted *out, const struct builder *builder,
                          struct tcplan_block block) {
    want_flag(out, "uplo", view_of(builder, block)->is_upper ? 'U' : 'L');
}

/** Returns which of the two factors is the triangle T in B := c op(T) B or B := c B op(T); -1:
 * neither. */
static int triangle_of(const struct derivation *at, const struct product *product) {
    for (int f = 0; f < 2; f++) {
        const struct tcplan_factor *triangle = &product->factor[f],
                                   *other = &product->factor[1 - f];
        if (is_triangle(at->builder, triangle->block) && has_no_op(other) &&
            is_same(at->builder, other->block, at->statement->result))
            return f;
    }
    return -1;
}

static void want_triangular(struct wanted *out, const struct derivation *at,
                            const struct product *product, int triangle) {
    const struct tcplan_factor *factor = &product->factor[triangle];
    out->routine = factor->inverted ? "trsm" : "trmm";
    want_flag(out, "side", triangle == 0 ? 'L' : 'R');
    want_triangle(out, at->builder, factor->block);
    want_flag(out, "transA", factor_letter(at->builder, factor));
    want_flag(out, "diag", view_of(at->builder, factor->block)->is_unit ? 'U' : 'N');
    want_data(out, "A", factor->block);
    want_data(out, "B", at->statement->result);
    out->has_alpha = true;
}

/** Returns which factor is transposed in F F^T or F^T F, added to a block on the diagonal; -1:
 * another form. */
static int rank_update_of(const struct derivation *at, const struct product *product, bool same) {
    const struct tcplan_factor *first = &product->factor[0], *second = &product->factor[1];
    if (!is_shaped(at->builder, at->statement->result) || first->transposed == second->transposed)
        return -1;
    if (same && !is_same(at->builder, first->block, second->block)) return -1;
    return first->transposed ? 0 : 1;
}

/** Returns the routine for a rank update: herk or her2k if the transposed factor is conjugated,
 * else syrk or syr2k. */
static const char *rank_routine(const struct derivation *at, const struct tcplan_factor *transposed,
                                const char *real, const char *hermitian) {
    return factor_letter(at->builder, transposed) == 'C' ? hermitian : real;
}

static void want_rank_update(struct wanted *out, const struct derivation *at,
                             const struct product *product, int transposed) {
    const struct tcplan_factor *factor = &product->factor[transposed];
    out->routine = rank_routine(at, factor, "syrk", "herk");
    want_triangle(out, at->builder, at->statement->result);
    want_flag(out, "trans", transposed == 1 ? 'N' : factor_letter(at->builder, factor));
    want_data(out, "A", factor->block);
    want_data(out, "C", at->statement->result);
    out->has_alpha = out->has_beta = true;
}

/** Returns whether two products have the form c F G^T + c G F^T or c F^T G + c G^T F. */
static bool is_mirrored(const struct derivation *at, const struct product *first,
                        const struct product *second) {
    if (first->count != 2 || second->count != 2 || first->coefficient != second->coefficient)
        return false;
    for (int f = 0; f < 2; f++) {
        const struct tcplan_factor *a = &first->factor[f], *b = &second->factor[f];
        if (a->transposed != b->transposed || a->conjugated != b->conjugated || a->inverted ||
            b->inverted)
            return false;
        if (!is_same(at->builder, a->block, second->factor[1 - f].block)) return false;
    }
    return rank_update_of(at, first, false) >= 0;
}

static void want_rank_2(struct wanted *out, const struct derivation *at,
                        const struct product *product) {
    const int transposed = rank_update_of(at, product, false);
    const struct tcplan_factor *factor = &product->factor[transposed];
    out->routine = rank_routine(at, factor, "syr2k", "her2k");
    want_triangle(out, at->builder, at->statement->result);
    want_flag(out, "trans", transposed == 1 ? 'N' : factor_letter(at->builder, factor));
    want_data(out, "A", product->factor[0].block);
    want_data(out, "B", product->factor[1].block);
    want_data(out, "C", at->statement->result);
    out->has_alpha = out->has_beta = true;
}

/** Returns which factor is a symmetric block without an operation; -1: neither. */
static int symmetric_of(const struct derivation *at, const struct product *product) {
    if (!has_no_op(&product->factor[0]) || !has_no_op(&product->factor[1])) return -1;
    return is_symmetric(at->builder, product->factor[0].block)   ? 0
           : is_symmetric(at->builder, product->factor[1].block) ? 1
                                                                 : -1;
}

static void want_symmetric(struct wanted *out, const struct derivation *at,
                           const struct product *product, int symmetric) {
    const struct tcplan_block block = product->factor[symmetric].block;
    const bool is_hermitian =
        view_of(at->builder, block)->triangle == TCPLAN_HERMITIAN && is_complex(at->builder);
    out->routine = is_hermitian ? "hemm" : "symm";
    want_flag(out, "side", symmetric == 0 ? 'L' : 'R');
    want_triangle(out, at->builder, block);
    want_data(out, "A", block);
    want_data(out, "B", product->factor[1 - symmetric].block);
    want_data(out, "C", at->statement->result);
    out->has_alpha = out->has_beta = true;
}

/** Selects gemm for a product. Returns false if a factor is inverted, or if a factor or the result
 * is a triangle: gemm would read or write the other triangle, which may contain any values. */
static bool want_general(struct wanted *out, const struct derivation *at,
                         const struct product *product) {
    const struct tcplan_factor *first = &product->factor[0], *second = &product->factor[1];
    if (first->inverted || second->inverted || is_shaped(at->builder, first->block) ||
        is_shaped(at->builder, second->block) || is_shaped(at->builder, at->statement->result))
        return false;
    out->routine = "gemm";
    want_flag(out, "transA", factor_letter(at->builder, first));
    want_flag(out, "transB", factor_letter(at->builder, second));
    want_data(out, "A", first->block);
    want_data(out, "B", second->block);
    want_data(out, "C", at->statement->result);
    out->has_alpha = out->has_beta = true;
    return true;
}

/** Finds the routine for B := B + c op(F) or B := F. If F is transposed and B := F, build.c copies
 * row by row instead. */
static bool want_moved(struct wanted *out, const struct derivation *at,
                       const struct product *product, bool adds) {
    const struct tcplan_factor *factor = &product->factor[0];
    if (factor->inverted || is_shaped(at->builder, at->statement->result) ||
        is_shaped(at->builder, factor->block))
        return false;
    if (!adds && (factor->transposed || product->coefficient != 1)) return false;
    out->routine = adds ? "addop" : "lacpy";
    want_flag(out, adds ? "trans" : "uplo", adds ? factor_letter(at->builder, factor) : 'A');
    want_data(out, "A", factor->block);
    want_data(out, "B", at->statement->result);
    out->has_alpha = adds;
    return true;
}

/** Returns whether the first product of a sum is the result itself, to which the other products are
 * added. */
static bool adds_to_result(const struct derivation *at) {
    const struct product *first = &at->statement->product[0];
    return first->count == 1 && first->coefficient == 1 && has_no_op(&first->factor[0]) &&
           is_same(at->builder, first->factor[0].block, at->statement->result) &&
           at->statement->product_count > 1;
}

static bool refuse_form(const struct derivation *at) {
    return scan_refuse(at->scan, text_of(at),
                       "no routine computes %s; name the routine, as in A11 := potf2(A11)",
                       scan_excerpt(text_of(at)).text);
}

/** Finds the routine that computes a sum. */
static bool want_sum(struct wanted *out, struct derivation *at) {
    const struct statement *statement = at->statement;
    const bool adds = adds_to_result(at);
    const struct product *product = &statement->product[adds];
    const int products = statement->product_count - adds;
    *at->call = (struct tcplan_call){
        .alpha = product->coefficient, .beta = adds, .factor_count = product->count};
    for (int f = 0; f < product->count; f++) at->call->factor[f] = product->factor[f];
    if (products == 2 && adds && is_mirrored(at, product, product + 1)) {
        at->call->mirrored = true;
        want_rank_2(out, at, product);
        return true;
    }
    if (products != 1) return refuse_form(at);
    if (product->count == 1) return want_moved(out, at, product, adds) || refuse_form(at);
    const int triangle = adds ? -1 : triangle_of(at, product),
              symmetric = symmetric_of(at, product);
    const int transposed = rank_update_of(at, product, true);
    if (triangle >= 0) {
        want_triangular(out, at, product, triangle);
    } else if (transposed >= 0 && !product->factor[0].inverted && !product->factor[1].inverted) {
        want_rank_update(out, at, product, transposed);
    } else if (symmetric >= 0 && !is_shaped(at->builder, statement->result) &&
               !is_shaped(at->builder, product->factor[1 - symmetric].block)) {
        want_symmetric(out, at, product, symmetric);
    } else if (!want_general(out, at, product)) {
        return refuse_form(at);
    }
    return true;
}

const struct signature *find_routine(const struct builder *builder, struct word name) {
    const char letter = tcplan_dtype_letter(builder->out->dtype);
    const struct signature *out = NULL;
    char full[SIGNATURE_NAME];
    if (name.length + 2 > sizeof full) return NULL;
    snprintf(full, sizeof full, "%c%.*s", letter, (int)name.length, name.text);
    if (signature_find(&out, full, NULL) == TCPLAN_OK && out->dtype == builder->out->dtype)
        return out;
    for (int k = 0; k < 2; k++) {
        static const char *const real[] = {"sy", "or"}, *const complex[] = {"he", "un"};
        if (strncmp(full + 1, real[k], 2) != 0) continue;
        memcpy(full + 1, complex[k], 2);
        char *const stage = strstr(full, "_sy2sb");
        if (stage) memcpy(stage, "_he2hb", 6);
        if (signature_find(&out, full, NULL) == TCPLAN_OK && out->dtype == builder->out->dtype)
            return out;
    }
    return NULL;
}

static bool set_routine(struct derivation *at, struct word name) {
    at->out->signature = find_routine(at->builder, name);
    if (!at->out->signature)
        return scan_refuse(at->scan, name, "unknown routine %c%.*s, and unknown algorithm %s",
                           tcplan_dtype_letter(at->builder->out->dtype),
                           (int)(name.length < 40 ? name.length : 40), name.text,
                           scan_excerpt(name).text);
    if (at->out->signature->result == SIGNATURE_NOTHING) return true;
    return scan_refuse(at->scan, name, "%s returns a number, which cannot be assigned to a block",
                       at->out->signature->name);
}

static void set_value(struct derivation *at, int argument, int64_t value) {
    at->out->value[argument] = value;
    at->is_set[argument] = true;
}

/** Sets a flag if the routine has it and it is not set yet. */
static void set_flag(struct derivation *at, const char *name, char value) {
    const int argument = signature_argument(at->out->signature, name);
    if (argument >= 0 && !at->is_set[argument]) set_value(at, argument, value);
}

/** Sets the flags uplo and diag from the triangle in which the data of an argument are; several
 * triangles must agree. */
static bool set_triangle(struct derivation *at, int argument, struct tcplan_block block) {
    const struct signature *signature = at->out->signature;
    const enum signature_storage storage = signature->argument[argument].storage;
    const struct tcplan_view *view = view_of(at->builder, block);
    if (storage != SIGNATURE_TRIANGLE && storage != SIGNATURE_SYMMETRIC) return true;
    if (!block_is_diagonal(at->builder, block) || view->triangle == TCPLAN_GENERAL)
        return scan_refuse(
            at->scan, text_of(at),
            "%s of %s must be triangular: a diagonal block of a view that is lower or upper",
            signature->argument[argument].name, signature->name);
    const int uplo = signature_argument(signature, "uplo"),
              diag = signature_argument(signature, "diag");
    const char wanted = view->is_upper ? 'U' : 'L';
    set_flag(at, "uplo", wanted);
    set_flag(at, "diag", view->is_unit ? 'U' : 'N');
    const bool fits = uplo >= 0 ? at->out->value[uplo] == wanted : view->is_upper;
    if (fits && (diag >= 0 || !view->is_unit)) return true;
    return scan_refuse(at->scan, text_of(at), "%s does not take this triangle of %s",
                       signature->name, view->name);
}

/** Returns whether the elements of a block have the type that a routine expects: integers, real
 * numbers, or numbers of the routine's type. */
static bool has_elements(const struct derivation *at, int argument, struct tcplan_block block) {
    const enum signature_elements wanted = at->out->signature->argument[argument].elements;
    const struct tcplan_blocked *out = at->builder->out;
    const int matrix = view_of(at->builder, block)->matrix;
    const bool is_real = out->is_real[matrix] && is_complex(at->builder),
               wants_real = wanted == SIGNATURE_REAL && is_complex(at->builder);
    return out->blocks.matrix[matrix].is_integer == (wanted == SIGNATURE_INTEGER) &&
           is_real == wants_real;
}

static bool set_data(struct derivation *at, int argument, struct tcplan_block block) {
    const struct signature *signature = at->out->signature;
    if (!has_elements(at, argument, block))
        return scan_refuse(at->scan, text_of(at), "%s of %s has elements of another type",
                           signature->argument[argument].name, signature->name);
    at->out->has_block[argument] = true;
    at->out->block[argument] = block;
    return set_triangle(at, argument, block);
}

static bool set_named(struct derivation *at, const struct argument *given) {
    const struct signature *signature = at->out->signature;
    char name[SIGNATURE_NAME] = "";
    if (given->name.length < sizeof name) memcpy(name, given->name.text, given->name.length);
    const int argument = signature_argument(signature, name);
    const enum signature_class class =
        argument < 0 ? SIGNATURE_CLASSES : signature->argument[argument].class;
    if (class != SIGNATURE_FLAG && class != SIGNATURE_DIM)
        return scan_refuse(at->scan, given->name, "%s has no flag or size %s", signature->name,
                           scan_excerpt(given->name).text);
    if (given->range >= 0) {
        if (class == SIGNATURE_FLAG)
            return scan_refuse(at->scan, given->name, "%s of %s is not a size", name,
                               signature->name);
        at->out->size[at->out->size_count++] =
            (struct statement_size){.argument = (int8_t)argument, .range = (int8_t)given->range};
        at->is_set[argument] = true;
        return true;
    }
    const bool is_letter = given->value.length == 1 && scan_is_letter(*given->value.text);
    const int64_t value = is_letter ? *given->value.text : strtol(given->value.text, NULL, 10);
    if (class == SIGNATURE_DIM && (is_letter || value < 1))
        return scan_refuse(at->scan, given->value,
                           "%s of %s must be a number of at least 1, or a size such as m0", name,
                           signature->name);
    set_value(at, argument, value);
    return true;
}

/** Returns the range of a size that is already known; -1: the size is unknown. */
static int range_of_size(const struct blocked_statement *statement, int argument) {
    for (int s = 0; s < statement->size_count; s++) {
        if (statement->size[s].argument == argument) return statement->size[s].range;
    }
    return -1;
}

/** Sets a size of the call from an extent of its data, or compares the extent with the size that is
 * already known. */
static bool set_extent(struct derivation *at, int argument, bool columns, int range) {
    const struct signature *signature = at->out->signature;
    const int size = signature_size_of(signature, at->out->value, argument, columns);
    const bool is_vector = signature->argument[argument].storage == SIGNATURE_VECTOR;
    if (size < 0 || (columns && is_vector)) return true;
    const int known = range_of_size(at->out, size);
    if (known < 0 && !at->is_set[size]) {
        at->out->size[at->out->size_count++] =
            (struct statement_size){.argument = (int8_t)size, .range = (int8_t)range};
        at->is_set[size] = true;
        return true;
    }
    if (known < 0 || ranges_agree(at->builder, known, range)) return true;
    if (signature->argument[argument].elements ==
        SIGNATURE_INTEGER) { /* pivots have the number of swapped rows, not of the matrix's rows */
        for (int s = 0; s < at->out->size_count; s++) {
            if (at->out->size[s].argument == size) at->out->size[s].range = (int8_t)range;
        }
        return true;
    }
    struct strbuf text = {0};
    blocks_print_range(&text, &at->builder->out->blocks, known);
    strbuf_add(&text, " and ");
    blocks_print_range(&text, &at->builder->out->blocks, range);
    scan_refuse(at->scan, text_of(at), "sizes of blocks do not match: %s of %s is %s",
                signature->argument[size].name, signature->name,
                text.failed || !text.text ? "two sizes" : text.text);
    strbuf_free(&text);
    return false;
}

/** Returns whether a block is a single row of a matrix, from a loop over single rows. */
static bool is_row(const struct builder *builder, struct tcplan_block block) {
    const struct tcplan_range *rows = &builder->out->blocks.range[block.rows];
    return rows->part == TCPLAN_RANGE_CURRENT && builder->is_single[rows->loop];
}

static bool set_extents(struct derivation *at, int argument) {
    const struct tcplan_blocks *blocks = &at->builder->out->blocks;
    const struct tcplan_block block = at->out->block[argument];
    if (at->out->signature->argument[argument].storage != SIGNATURE_VECTOR) {
        return set_extent(at, argument, false, block.rows) &&
               set_extent(at, argument, true, block.columns);
    }
    const bool row = is_row(at->builder, block);
    const struct tcplan_range *columns = &blocks->range[block.columns];
    const bool is_column =
        blocks_is_vector(blocks, blocks->view[block.view].matrix) ||
        (columns->part == TCPLAN_RANGE_CURRENT && at->builder->is_single[columns->loop]);
    if (!row && !is_column)
        return scan_refuse(at->scan, text_of(at), "%s takes vectors, but this is a matrix",
                           at->out->signature->name);
    at->out->is_row[argument] = row;
    return set_extent(at, argument, false, row ? block.columns : block.rows);
}

static bool set_all_extents(struct derivation *at) {
    const struct signature *signature = at->out->signature;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_FLAG && !at->is_set[a])
            set_value(at, a, signature->argument[a].value[0]);
    }
    for (int a = 0; a < signature->count; a++) {
        if (at->out->has_block[a] && !set_extents(at, a)) return false;
    }
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class != SIGNATURE_DIM || at->is_set[a]) continue;
        return scan_refuse(
            at->scan, text_of(at), "no block determines %s of %s; state it, as in %s=1",
            signature->argument[a].name, signature->name, signature->argument[a].name);
    }
    return true;
}

/** Appends the flags to the name of the call as one word: `RLTN`, `1L`. */
static bool set_letters(struct derivation *at) {
    const struct signature *signature = at->out->signature;
    char letters[TCPLAN_BLOCKED_FLAGS] = "";
    size_t length = 0;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class != SIGNATURE_FLAG || length + 4 > sizeof letters) continue;
        const int64_t value = at->out->value[a];
        length +=
            (size_t)snprintf(letters + length, sizeof letters - length,
                             argument->elements == SIGNATURE_CHARACTER ? "%c" : "%d", (int)value);
    }
    at->call->letters = arena_strndup(&at->builder->out->arena, letters, length);
    at->call->routine = signature->base;
    at->builder->no_memory = at->builder->no_memory || !at->call->letters;
    return at->call->letters != NULL;
}

/**
 * Checks that flags have values that the routine takes, and that the block written by the routine
 * is the result of the statement.
 */
static bool check(struct derivation *at) {
    const struct signature *signature = at->out->signature;
    bool writes = false;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        bool is_known = argument->class != SIGNATURE_FLAG;
        for (int v = 0; v < argument->values && !is_known; v++)
            is_known = argument->value[v] == at->out->value[a];
        if (!is_known)
            return scan_refuse(at->scan, text_of(at), "%s of %s cannot have this value",
                               argument->name, signature->name);
        writes = writes || (at->out->has_block[a] && (argument->access & SIGNATURE_WRITTEN) &&
                            is_same(at->builder, at->out->block[a], at->call->result));
    }
    return writes || scan_refuse(at->scan, text_of(at),
                                 "%s does not write the block on the left of :=", signature->name);
}

static bool finish(struct derivation *at) {
    return set_all_extents(at) && check(at) && set_letters(at);
}

/** Checks that the inputs of a routine do not overlap its result: for trmm and trsm the triangle,
 * for other routines both factors. */
static bool check_apart(struct derivation *at, const struct wanted *wanted) {
    for (int d = 0; d + 1 < wanted->data_count; d++) {
        if (!blocks_meet(at->builder, wanted->data[d].block, at->statement->result)) continue;
        return scan_refuse(at->scan, text_of(at),
                           "%s does not take the block that it writes as a factor",
                           at->out->signature->name);
    }
    return true;
}

static void set_scalars(struct derivation *at, const struct wanted *wanted) {
    const int alpha = signature_argument(at->out->signature, "alpha"),
              beta = signature_argument(at->out->signature, "beta");
    if (wanted->has_alpha && alpha >= 0) at->out->scalar[alpha] = at->call->alpha;
    if (wanted->has_beta && beta >= 0) at->out->scalar[beta] = at->call->beta;
}

static bool derive_sum(struct derivation *at) {
    struct wanted wanted = {0};
    if (!want_sum(&wanted, at) || !set_routine(at, word_of(wanted.routine))) return false;
    at->call->result = at->statement->result;
    for (int f = 0; f < wanted.flag_count; f++)
        set_flag(at, wanted.flag[f].name, wanted.flag[f].value);
    for (int d = 0; d < wanted.data_count; d++) {
        const int argument = signature_argument(at->out->signature, wanted.data[d].name);
        if (!set_data(at, argument, wanted.data[d].block)) return false;
    }
    set_scalars(at, &wanted);
    return check_apart(at, &wanted) && finish(at);
}

/** Returns the next argument after `after` whose data is a block of the text, unlike scale and
 * work. */
static int next_data(const struct signature *signature, int after) {
    int argument = after + 1;
    while (argument < signature->count && signature->argument[argument].class != SIGNATURE_DATA)
        argument++;
    return argument;
}

static bool derive_blocks(struct derivation *at, const struct tcplan_block block[], int count) {
    const struct signature *signature = at->out->signature;
    int argument = -1;
    if (count == 0 || count > TCPLAN_MAX_CALL_BLOCKS)
        return scan_refuse(at->scan, text_of(at), "%s expects 1 to %d blocks, found %d",
                           signature->name, TCPLAN_MAX_CALL_BLOCKS, count);
    for (int b = 0; b < count; b++) {
        argument = next_data(signature, argument);
        if (argument == signature->count)
            return scan_refuse(at->scan, text_of(at), "%s takes %d blocks at most, found %d",
                               signature->name, b, count);
        if (!set_data(at, argument, block[b])) return false;
        at->call->block[b] = block[b];
    }
    at->call->block_count = count;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_SCALAR)
            return scan_refuse(at->scan, text_of(at), "%s has scalars; write the call as a sum",
                               signature->name);
    }
    return finish(at);
}

static bool derive_function(struct derivation *at) {
    struct tcplan_block block[STATEMENT_ARGUMENTS];
    int count = 0;
    if (!set_routine(at, at->statement->function)) return false;
    *at->call = (struct tcplan_call){.result = at->statement->result, .alpha = 1};
    for (int a = 0; a < at->statement->argument_count; a++) {
        const struct argument *argument = &at->statement->argument[a];
        if (argument->name.length == 0) {
            block[count++] = argument->block;
        } else if (!set_named(at, argument)) {
            return false;
        }
    }
    return derive_blocks(at, block, count);
}

bool derive_call(struct tcplan_call *call, struct blocked_statement *out, struct builder *builder,
                 const struct statement *statement, struct scan *scan) {
    struct derivation at = {
        .builder = builder, .statement = statement, .scan = scan, .call = call, .out = out};
    *out = (struct blocked_statement){.needs = -1};
    if (!(statement->function.length > 0 ? derive_function(&at) : derive_sum(&at))) return false;
    call->needs = (int8_t)statement->needs;
    return true;
}

bool derive_routine(struct tcplan_call *call, struct blocked_statement *out,
                    struct builder *builder, const char *routine, const struct tcplan_block block[],
                    int count, struct scan *scan) {
    struct derivation at = {.builder = builder, .scan = scan, .call = call, .out = out};
    *out = (struct blocked_statement){.needs = -1};
    *call = (struct tcplan_call){.result = block[count - 1], .alpha = 1, .needs = -1};
    if (!set_routine(&at, word_of(routine))) return false;
    return derive_blocks(&at, block, count);
}
