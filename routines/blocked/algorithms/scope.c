#include <string.h>

#include "ast/nest/blocks.h"
#include "routines/blocked/algorithms/builder.h"

/** A declared matrix or view. */
struct declaration {
    struct word name;
    int of; /* number of the declared matrix of which this is a view; -1: it is a matrix */
    enum tcplan_matrix_role role;
    int rows, columns;
    struct tcplan_view shape;
    bool is_integer, is_real;
};

struct declarations {
    struct scope *scope;
    struct scan *scan;
    bool *is_real; /* for each matrix of the algorithm: whether its elements are real */
    int count;
    struct declaration of[TCPLAN_MAX_VIEWS];
};

static void set_name(char out[TCPLAN_BLOCK_NAME], struct word name) {
    memcpy(out, name.text, name.length);
    out[name.length] = '\0';
}

static bool read_name(struct word *out, struct scan *scan, const char *what) {
    *out = scan_run(scan, scan_is_letter);
    if (out->length == 0) return scan_expected(scan, what);
    if (out->length < TCPLAN_BLOCK_NAME) return true;
    return scan_refuse(scan, *out, "the name %s is too long: at most %d letters",
                       scan_excerpt(*out).text, TCPLAN_BLOCK_NAME - 1);
}

static int find_size(const struct scope *scope, struct word name) {
    for (int s = 0; s < scope->size_count; s++) {
        if (word_equal(word_of(scope->size[s].name), name)) return s;
    }
    return -1;
}

int scope_read_size(struct scope *scope, struct scan *scan) {
    struct word name;
    if (!read_name(&name, scan, "a size")) return -1;
    const int found = find_size(scope, name);
    if (found < 0) scan_refuse(scan, name, "no matrix has a size %s", scan_excerpt(name).text);
    return found;
}

/** Declares a size if its name is new in the declarations. */
static int declare_size(struct scope *scope, struct scan *scan) {
    struct word name;
    if (!read_name(&name, scan, "a size")) return -1;
    const int found = find_size(scope, name);
    if (found >= 0) return found;
    if (scope->size_count == TCPLAN_BLOCK_SIZES) {
        scan_refuse(scan, name, "%s is one size too many: at most %d", scan_excerpt(name).text,
                    TCPLAN_BLOCK_SIZES);
        return -1;
    }
    struct scope_size *size = &scope->size[scope->size_count];
    *size = (struct scope_size){.range = -1, .first = -1};
    set_name(size->name, name);
    return scope->size_count++;
}

static int find_declaration(const struct declarations *all, struct word name) {
    for (int d = 0; d < all->count; d++) {
        if (word_equal(all->of[d].name, name)) return d;
    }
    return -1;
}

/* words = { "." ( "lower" | "upper" | "unit" | "symmetric" | "hermitian" | "int" | "real" ) } */
static bool read_words(struct declaration *out, struct scan *scan) {
    bool has_triangle = false;
    struct word last = {scan->at, 0};
    while (scan_accept(scan, ".")) {
        const struct word word = last = scan_run(scan, scan_is_letter);
        if (word_equal(word, word_of("lower")) || word_equal(word, word_of("upper"))) {
            has_triangle = true;
            out->shape.is_upper = *word.text == 'u';
        } else if (word_equal(word, word_of("unit"))) {
            out->shape.is_unit = true;
        } else if (word_equal(word, word_of("symmetric"))) {
            out->shape.triangle = TCPLAN_SYMMETRIC;
        } else if (word_equal(word, word_of("hermitian"))) {
            out->shape.triangle = TCPLAN_HERMITIAN;
        } else if (word_equal(word, word_of("int"))) {
            out->is_integer = true;
        } else if (word_equal(word, word_of("real"))) {
            out->is_real = true;
        } else {
            return scan_refuse(
                scan, word,
                "expected lower, upper, unit, symmetric, hermitian, int or real, found %s",
                scan_excerpt(word).text);
        }
    }
    if (has_triangle && out->shape.triangle == TCPLAN_GENERAL)
        out->shape.triangle = TCPLAN_TRIANGLE;
    if (!has_triangle && (out->shape.triangle != TCPLAN_GENERAL || out->shape.is_unit))
        return scan_refuse(scan, last, "a triangle must be lower or upper");
    if (out->shape.is_unit && out->shape.triangle != TCPLAN_TRIANGLE)
        return scan_refuse(scan, last, "only triangular matrices have a unit diagonal");
    return true;
}

/* view = name "=" name words ; the first name has been read */
static bool read_view(struct declarations *all, struct declaration *out) {
    struct word matrix;
    if (!read_name(&matrix, all->scan, "the matrix of which this is a view")) return false;
    const int of = find_declaration(all, matrix);
    if (of < 0)
        return scan_refuse(all->scan, matrix, "unknown matrix %s: declare it before its views",
                           scan_excerpt(matrix).text);
    if (all->of[of].of >= 0)
        return scan_refuse(all->scan, matrix, "%s is a view: name its matrix instead",
                           scan_excerpt(matrix).text);
    out->of = of;
    out->rows = all->of[of].rows;
    out->columns = all->of[of].columns;
    return read_words(out, all->scan);
}

/* "(" size [ "," size ] ")" words */
static bool read_matrix(struct declarations *all, struct declaration *out) {
    struct scan *scan = all->scan;
    if (!scan_accept(scan, "(")) return scan_expected(scan, "'(' with sizes, or '=' and a matrix");
    out->rows = declare_size(all->scope, scan);
    out->columns = -1;
    if (out->rows < 0) return false;
    if (scan_accept(scan, ",")) {
        out->columns = declare_size(all->scope, scan);
        if (out->columns < 0) return false;
    }
    if (!scan_accept(scan, ")")) return scan_expected(scan, "')'");
    if (!read_words(out, scan)) return false;
    if (out->shape.triangle != TCPLAN_GENERAL && out->rows != out->columns)
        return scan_refuse(scan, out->name,
                           "%s is a triangle and must have as many columns as rows",
                           scan_excerpt(out->name).text);
    return true;
}

static enum tcplan_matrix_role read_role(struct scan *scan) {
    if (scan_accept(scan, "+")) return TCPLAN_MATRIX_UPDATED;
    if (scan_accept(scan, "=")) return TCPLAN_MATRIX_OUTPUT;
    return scan_accept(scan, "~") ? TCPLAN_MATRIX_TEMPORARY : TCPLAN_MATRIX_INPUT;
}

static bool read_declaration(struct declarations *all) {
    struct scan *scan = all->scan;
    if (all->count == TCPLAN_MAX_VIEWS)
        return scan_refuse(scan, (struct word){scan->at, 1},
                           "too many matrices and views: at most %d", TCPLAN_MAX_VIEWS);
    struct declaration *out = &all->of[all->count];
    *out = (struct declaration){.of = -1, .role = read_role(scan)};
    if (!read_name(&out->name, scan, "a matrix")) return false;
    if (find_declaration(all, out->name) >= 0)
        return scan_refuse(scan, out->name, "there is a %s already", scan_excerpt(out->name).text);
    const bool is_read = out->role == TCPLAN_MATRIX_INPUT && scan_accept(scan, "=")
                             ? read_view(all, out)
                             : read_matrix(all, out);
    all->count += is_read;
    return is_read;
}

/** Adds the first ranges of an algorithm: its sizes, then the single column of vectors. */
static void add_sizes(struct tcplan_blocks *blocks, struct scope *scope) {
    for (int s = 0; s < scope->size_count; s++) {
        memcpy(blocks->size_name[s], scope->size[s].name, sizeof blocks->size_name[s]);
        blocks->range[s] =
            (struct tcplan_range){.part = TCPLAN_RANGE_WHOLE, .of = (int8_t)s, .loop = -1};
        scope->size[s].range = s;
    }
    blocks->size_count = scope->size_count;
    blocks->range[scope->size_count] =
        (struct tcplan_range){.part = TCPLAN_RANGE_WHOLE, .of = -1, .loop = -1};
    blocks->range_count = scope->size_count + 1;
}

static int add_matrix(struct tcplan_blocks *blocks, const struct declaration *declared) {
    if (blocks->matrix_count == TCPLAN_MAX_MATRICES) return -1;
    struct tcplan_matrix *matrix = &blocks->matrix[blocks->matrix_count];
    *matrix = (struct tcplan_matrix){
        .role = declared->role,
        .rows = (int8_t)declared->rows,
        .columns =
            (int8_t)(declared->columns < 0 ? blocks_single_column(blocks) : declared->columns),
        .is_integer = declared->is_integer};
    set_name(matrix->name, declared->name);
    return blocks->matrix_count++;
}

/** Returns the number of the view of a matrix with this shape, existing or new; -1: too many views.
 */
static int add_view(struct tcplan_blocks *blocks, int matrix, const struct tcplan_view *shape,
                    const char *name) {
    for (int v = 0; v < blocks->view_count; v++) {
        const struct tcplan_view *view = &blocks->view[v];
        if (view->matrix == matrix && view->triangle == shape->triangle &&
            view->is_upper == shape->is_upper && view->is_unit == shape->is_unit &&
            (!name || strcmp(view->name, name) == 0))
            return v;
    }
    if (blocks->view_count == TCPLAN_MAX_VIEWS) return -1;
    struct tcplan_view *view = &blocks->view[blocks->view_count];
    *view = *shape;
    view->matrix = (int8_t)matrix;
    memcpy(view->name, name ? name : blocks->matrix[matrix].name, sizeof view->name);
    return blocks->view_count++;
}

/** Transposes the shape of a declared triangle: a lower one becomes an upper one or the other way
 * round, and the name L becomes U. */
static void turn(struct declaration *declared) {
    if (declared->shape.triangle == TCPLAN_GENERAL) return;
    declared->shape.is_upper = !declared->shape.is_upper;
    if (word_equal(declared->name, word_of("L"))) declared->name = word_of("U");
}

/** Binds a matrix of a called text to the block that the call passes. The matrix's sizes become the
 * block's ranges. */
static bool bind(struct scope *scope, const struct declaration *declared, struct tcplan_block block,
                 const struct tcplan_blocks *blocks, struct scan *call, struct word where) {
    const struct tcplan_view *view = &blocks->view[block.view];
    const int place[2] = {declared->rows, declared->columns};
    const int range[2] = {block.rows, block.columns};
    for (int d = 0; d < 2; d++) {
        if (place[d] < 0) continue;
        struct scope_size *size = &scope->size[place[d]];
        if (size->range >= 0 && size->range != range[d])
            return scan_refuse(
                call, where,
                "two blocks have different sizes, but both are size %s of the algorithm",
                size->name);
        size->range = range[d];
    }
    if ((declared->columns < 0) != blocks_is_vector(blocks, view->matrix))
        return scan_refuse(call, where,
                           "expected a vector for a vector and a matrix for a matrix: %s",
                           scan_excerpt(declared->name).text);
    if (declared->shape.triangle != TCPLAN_GENERAL && view->triangle != TCPLAN_GENERAL &&
        declared->shape.is_upper != view->is_upper)
        return scan_refuse(call, where, "the algorithm takes the other triangle of %s", view->name);
    return true;
}

static bool is_full(struct scan *scan) {
    return scan_refuse(scan, (struct word){scan->text, 0},
                       "too many matrices or views: at most %d and %d", TCPLAN_MAX_MATRICES,
                       TCPLAN_MAX_VIEWS);
}

/** Adds the matrices and views of the algorithm itself. */
static bool add_own(struct tcplan_blocks *blocks, struct scope *out, struct declarations *all,
                    int matrix[TCPLAN_MAX_VIEWS]) {
    add_sizes(blocks, out);
    for (int d = 0; d < all->count; d++) {
        struct declaration declared = all->of[d];
        char name[TCPLAN_BLOCK_NAME];
        if (out->transposed) turn(&declared);
        matrix[d] = declared.of < 0 ? add_matrix(blocks, &declared) : matrix[declared.of];
        if (matrix[d] < 0) return is_full(all->scan);
        all->is_real[matrix[d]] = all->is_real[matrix[d]] || declared.is_real;
        set_name(name, declared.name);
        out->view[d].view = add_view(blocks, matrix[d], &declared.shape, name);
        if (out->view[d].view < 0) return is_full(all->scan);
    }
    return true;
}

/** Adds views of the blocks passed for the text's matrices. */
static bool add_bound(struct tcplan_blocks *blocks, struct scope *out, struct declarations *all,
                      const struct tcplan_block bound[], int bound_count, struct scan *call) {
    const struct word where = {call->at, 0};
    int block[TCPLAN_MAX_VIEWS], used = 0;
    for (int d = 0; d < all->count; d++) {
        struct declaration declared = all->of[d];
        if (out->transposed) turn(&declared);
        if (declared.of < 0 && used == bound_count)
            return scan_refuse(call, where, "the algorithm has more than %d matrices", bound_count);
        block[d] = declared.of < 0 ? used++ : block[declared.of];
        const struct tcplan_view *given = &blocks->view[bound[block[d]].view];
        if (declared.of < 0 && (declared.is_real != all->is_real[given->matrix] ||
                                declared.is_integer != blocks->matrix[given->matrix].is_integer))
            return scan_refuse(call, where, "the elements of %s have another type", given->name);
        if (declared.of < 0 && !bind(out, &declared, bound[block[d]], blocks, call, where))
            return false;
        out->view[d].view = add_view(blocks, given->matrix, &declared.shape, NULL);
        if (out->view[d].view < 0) return is_full(call);
    }
    return used == bound_count ||
           scan_refuse(call, where, "the algorithm takes %d matrices, found %d", used, bound_count);
}

bool scope_declare(struct builder *builder, struct scope *out, struct scan *scan,
                   const struct tcplan_block bound[], int bound_count, struct scan *call) {
    struct declarations all = {.scope = out, .scan = scan, .is_real = builder->out->is_real};
    int matrix[TCPLAN_MAX_VIEWS];
    while (scan_peek(scan)) {
        if (!read_declaration(&all)) return false;
    }
    if (all.count == 0) return scan_expected(scan, "a matrix, such as +A(n,n)");
    out->view_count = all.count;
    for (int d = 0; d < all.count; d++) {
        set_name(out->view[d].name, all.of[d].name);
        out->view[d].is_matrix = all.of[d].of < 0;
        out->view[d].rows = all.of[d].rows;
        out->view[d].columns = all.of[d].columns;
    }
    struct tcplan_blocks *blocks = &builder->out->blocks;
    const bool is_added = bound ? add_bound(blocks, out, &all, bound, bound_count, call)
                                : add_own(blocks, out, &all, matrix);
    out->single = blocks_single_column(blocks);
    return is_added;
}

/** A parsed block. */
struct written {
    const struct scope_view *view;
    enum tcplan_range_part rows, columns;
};

static bool read_part(enum tcplan_range_part *out, const struct scope *scope, int size,
                      struct scan *scan, struct word name) {
    *out = TCPLAN_RANGE_WHOLE;
    if (size < 0 || scope->size[size].first < 0) return true;
    if (*scan->at < '0' || *scan->at > '2') {
        struct word found = {scan->at, *scan->at ? 1 : 0};
        return scan_refuse(scan, found, "expected 0, 1 or 2 after %s: the loop divides its size %s",
                           scan_excerpt(name).text, scope->size[size].name);
    }
    *out = (enum tcplan_range_part)(*scan->at++ - '0');
    return true;
}

int scope_read_range(const struct scope *scope, struct scan *scan) {
    const struct word name = scan_run(scan, scan_is_letter);
    const int size = find_size(scope, name);
    enum tcplan_range_part part;
    if (name.length == 0) {
        scan_expected(scan, "a size and a digit");
        return -1;
    }
    if (size < 0) {
        scan_refuse(scan, name, "no matrix has a size %s", scan_excerpt(name).text);
        return -1;
    }
    if (!read_part(&part, scope, size, scan, name)) return -1;
    return part == TCPLAN_RANGE_WHOLE ? scope->size[size].range
                                      : scope->size[size].first + (int)part;
}

/* block = name { digit } */
static bool read_written(struct written *out, const struct scope *scope, struct scan *scan) {
    const struct word name = scan_run(scan, scan_is_letter);
    *out = (struct written){.view = NULL};
    for (int v = 0; v < scope->view_count; v++) {
        if (word_equal(word_of(scope->view[v].name), name)) out->view = &scope->view[v];
    }
    if (name.length == 0) return scan_expected(scan, "a block");
    if (!out->view) {
        scan_refuse(scan, name, "unknown matrix %s", scan_excerpt(name).text);
        return false;
    }
    if (!read_part(&out->rows, scope, out->view->rows, scan, name) ||
        !read_part(&out->columns, scope, out->view->columns, scan, name))
        return false;
    if (!scan_is_name(*scan->at)) return true;
    return scan_refuse(scan, (struct word){scan->at, 1}, "one digit too many after %s",
                       scan_excerpt(name).text);
}

static int range_of(const struct scope *scope, int size, enum tcplan_range_part part, int single) {
    if (size < 0) return single;
    return part == TCPLAN_RANGE_WHOLE ? scope->size[size].range
                                      : scope->size[size].first + (int)part;
}

/** Joins two adjacent parts of a range; false if they are not adjacent. */
static bool join(enum tcplan_range_part *out, enum tcplan_range_part second) {
    if (*out == TCPLAN_RANGE_FIRST && second == TCPLAN_RANGE_CURRENT) {
        *out = TCPLAN_RANGE_NOT_LAST;
    } else if (*out == TCPLAN_RANGE_CURRENT && second == TCPLAN_RANGE_LAST) {
        *out = TCPLAN_RANGE_NOT_FIRST;
    } else {
        return false;
    }
    return true;
}

static bool refuse_apart(struct scan *scan, const char *begin) {
    return scan_refuse(scan, (struct word){begin, (size_t)(scan->at - begin)},
                       "these blocks are not adjacent");
}

/* row = block [ "," block ] */
static bool read_row(struct written *out, const struct scope *scope, struct scan *scan,
                     const char *begin) {
    struct written second = {.view = NULL};
    if (!read_written(out, scope, scan)) return false;
    if (!scan_accept(scan, ",")) return true;
    if (!read_written(&second, scope, scan)) return false;
    const bool fits =
        out->view == second.view && out->rows == second.rows && join(&out->columns, second.columns);
    return fits || refuse_apart(scan, begin);
}

/* joined = "[" block "," block "]" | "[" row ";" row "]" */
static bool read_joined(struct written *out, const struct scope *scope, struct scan *scan) {
    struct written second = {.view = NULL};
    const char *begin = scan->at;
    if (!read_row(out, scope, scan, begin)) return false;
    if (scan_accept(scan, ";")) {
        if (!read_row(&second, scope, scan, begin)) return false;
        const bool fits = out->view == second.view && out->columns == second.columns &&
                          join(&out->rows, second.rows);
        if (!fits) return refuse_apart(scan, begin);
    } else if (out->columns != TCPLAN_RANGE_NOT_LAST && out->columns != TCPLAN_RANGE_NOT_FIRST) {
        return scan_expected(scan, "';' or ',' and another block");
    }
    return scan_accept(scan, "]") || scan_expected(scan, "']'");
}

bool scope_read_block(struct tcplan_block *out, const struct scope *scope, struct scan *scan) {
    struct written written = {.view = NULL};
    const bool is_read = scan_accept(scan, "[") ? read_joined(&written, scope, scan)
                                                : read_written(&written, scope, scan);
    if (!is_read || !written.view) return false;
    const struct scope_view *view = written.view;
    const int rows = range_of(scope, view->rows, written.rows, scope->single);
    const int columns = range_of(scope, view->columns, written.columns, scope->single);
    const bool swaps = scope->transposed && view->columns >= 0;
    *out = (struct tcplan_block){.view = (int8_t)view->view,
                                 .rows = (int8_t)(swaps ? columns : rows),
                                 .columns = (int8_t)(swaps ? rows : columns)};
    return true;
}
