/* Tiles of loop kernels as C, see gen/emitted/loops_tile.h: loads, products and stores. */
#include "gen/emitted/loops_tile.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/scalar.h"

enum {
    MOST_ROUNDS = 8,       /* maximum number of iterations to unroll */
    ROUND_STATEMENTS = 96, /* maximum number of products in the unrolled loop */
    AHEAD_LINES = 2,
    NAME = 64
};

const char loops_letters[] = "abc";

int64_t loops_stride(const struct loops_writer *writer, int part, int loop) {
    return loop < 0 ? 0 : writer->loops->loop[loop].stride[part];
}

bool loops_streams(const struct emitted_loops *loops) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    bool are_whole = loops->streamed && scalar_is(loops->beta, 0);
    for (int l = 0; l < loops->count && are_whole; l++)
        are_whole = loops->loop[l].stride[2] == 1 || loops->loop[l].stride[2] * bytes % 16 == 0;
    return are_whole;
}

void loops_indent(const struct loops_writer *writer, int level) {
    for (int l = 0; l < level; l++) strbuf_add(writer->out, "    ");
}

/** Prints ` + 8 * i3`: a step in elements, converted to real numbers; nothing if the step is 0. */
void loops_add_step(const struct loops_writer *writer, int64_t elems, int loop) {
    char index[NAME];
    snprintf(index, sizeof index, "i%d", loop);
    emitted_add_step(writer->out, &writer->numbers, elems, index);
}

/** Prints the address of an element of a tile: `a + 8 * i3 + 24`, in the loops over summed indices.
 */
static void add_place(const struct loops_writer *writer, int part, int64_t elems, int numbers) {
    strbuf_add(writer->out, "%c", loops_letters[part]);
    for (int l = 0; l < writer->loops->count && part < 2; l++) {
        const struct blas_call_loop *loop = &writer->loops->loop[l];
        if (loop->stride[2] == 0 && loop->extent > 1 && l != writer->cut.column)
            loops_add_step(writer, loop->stride[part], l);
    }
    emitted_add_offset(writer->out, &writer->numbers, elems, numbers);
}

int loops_tile_elems(const struct loops_tile *tile, int piece) {
    int elems = 0;
    for (int p = 0; p < piece; p++) elems += tile->elems[p];
    return elems;
}

enum cut_way loops_way(const struct loops_writer *writer, const struct loops_tile *tile, int part,
                       int piece) {
    return cut_way_of(writer->loops, &writer->cut, part, tile->elems[piece], writer->whole,
                      tile->columns);
}

/** Returns the offset of a piece of a column from the start of the tile, in elements. */
static int64_t place_of(const struct loops_writer *writer, const struct loops_tile *tile, int part,
                        int piece, int column) {
    return loops_tile_elems(tile, piece) * loops_stride(writer, part, writer->cut.vector) +
           column * loops_stride(writer, part, writer->cut.column);
}

/** Emits a vector whose elements are loaded one by one. */
static void add_vector(const struct loops_writer *writer, int part, int elems, enum cut_way way,
                       int64_t place) {
    if (way == CUT_STRAIGHT) {
        emitted_begin_load(writer->out, &writer->numbers, elems);
        add_place(writer, part, place, 0);
        emitted_end_load(writer->out, &writer->numbers, elems);
        return;
    }
    strbuf_add(writer->out, "(");
    emitted_add_type(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, "){");
    for (int e = 0; e < elems; e++) {
        for (int n = 0; n < writer->numbers.parts; n++) {
            strbuf_add(writer->out, "%s*(", e + n > 0 ? ", " : "");
            add_place(writer, part, place + e * loops_stride(writer, part, writer->cut.vector), n);
            strbuf_add(writer->out, ")");
        }
    }
    strbuf_add(writer->out, "}");
}

/** Begins the declaration `const kernel_d4 a0_1 = ` of a vector, named after its piece and column.
 */
static void begin_vector(const struct loops_writer *writer, int level, const char *prefix,
                         int elems, int piece, int column) {
    loops_indent(writer, level);
    strbuf_add(writer->out, "const ");
    emitted_add_type(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, " %s%d_%d = ", prefix, piece, column);
}

/** Emits loads of a square block along the columns, and its transposition in stages, which exchange
 * single elements, then pairs, and so on. */
static void add_transposed(const struct loops_writer *writer, int level, int part,
                           const struct loops_tile *tile, int piece, int column) {
    const int whole = writer->whole;
    const int64_t row = loops_stride(writer, part, writer->cut.vector);
    char prefix[NAME], x[NAME], y[NAME], last[NAME];
    int stage = 0;
    for (int e = 0; e < whole; e++) {
        snprintf(prefix, sizeof prefix, "%ct0_%d_", loops_letters[part], piece);
        begin_vector(writer, level, prefix, whole, column, e);
        add_vector(writer, part, whole, CUT_STRAIGHT,
                   place_of(writer, tile, part, piece, column) + e * row);
        strbuf_add(writer->out, ";\n");
    }
    for (int distance = whole / 2; distance >= 1; distance /= 2, stage++) {
        const bool is_last = distance == 1;
        snprintf(prefix, sizeof prefix, "%ct%d_%d_", loops_letters[part], stage + 1, piece);
        snprintf(last, sizeof last, "%c", loops_letters[part]);
        for (int e = 0; e < whole;
             e++) { /* exchanges off-diagonal blocks at this distance in rows and columns */
            snprintf(x, sizeof x, "%ct%d_%d_%d_%d", loops_letters[part], stage, piece, column,
                     e & ~distance);
            snprintf(y, sizeof y, "%ct%d_%d_%d_%d", loops_letters[part], stage, piece, column,
                     e | distance);
            if (is_last) {
                begin_vector(writer, level, last, whole, piece, column + e);
            } else {
                begin_vector(writer, level, prefix, whole, column, e);
            }
            emitted_add_exchanged(writer->out, &writer->numbers, whole, e, distance, x, y);
            strbuf_add(writer->out, ";\n");
        }
    }
}

/** Emits the load of an element that multiplies all elements of a vector: one real number, or two
 * for complex types. */
static void add_same(const struct loops_writer *writer, int level, int part, int column,
                     int64_t place) {
    for (int n = 0; n < writer->numbers.parts; n++) {
        loops_indent(writer, level);
        strbuf_add(writer->out, "const %s %c%s%d = *(", writer->numbers.type, loops_letters[part],
                   n == 0 ? "" : "i", column);
        add_place(writer, part, place, n);
        strbuf_add(writer->out, ");\n");
    }
}

/** Emits the loads of a factor for a column. */
static void add_loads(const struct loops_writer *writer, int level, int part,
                      const struct loops_tile *tile, int column) {
    if (loops_way(writer, tile, part, 0) == CUT_SAME) {
        add_same(writer, level, part, column, place_of(writer, tile, part, 0, column));
        return;
    }
    for (int p = 0; p < tile->pieces; p++) {
        const enum cut_way way = loops_way(writer, tile, part, p);
        if (way == CUT_TURNED) {
            if (column % writer->whole == 0) add_transposed(writer, level, part, tile, p, column);
            continue;
        }
        const char prefix[] = {loops_letters[part], '\0'};
        begin_vector(writer, level, prefix, tile->elems[p], p, column);
        add_vector(writer, part, tile->elems[p], way, place_of(writer, tile, part, p, column));
        strbuf_add(writer->out, ";\n");
    }
}

/** For complex products, emits the vectors of the first factor times i; if the factor is
 * conjugated, also those of its conjugate. */
static void add_rotated(const struct loops_writer *writer, int level, const struct loops_tile *tile,
                        int column) {
    const char letter = loops_letters[writer->first];
    const bool conjugated = writer->loops->conjugated[writer->first];
    for (int p = 0; p < tile->pieces && writer->numbers.parts == 2; p++) {
        char name[NAME];
        int from[32];
        const int elems = tile->elems[p], lanes = emitted_lanes(&writer->numbers, elems);
        for (int n = 0; n < lanes; n++) from[n] = n ^ 1;
        snprintf(name, sizeof name, "%c%d_%d", letter, p, column);
        begin_vector(writer, level, "r", elems, p, column);
        emitted_add_mix(writer->out, &writer->numbers, lanes, name, name, from);
        strbuf_add(writer->out, " * ");
        emitted_add_alternating(writer->out, &writer->numbers, elems, conjugated ? 1 : -1, 1);
        strbuf_add(writer->out, ";\n");
        if (!conjugated) continue;
        begin_vector(writer, level, "s", elems, p, column);
        strbuf_add(writer->out, "%s * ", name);
        emitted_add_alternating(writer->out, &writer->numbers, elems, 1, -1);
        strbuf_add(writer->out, ";\n");
    }
}

/** Returns the number of the column that a factor is loaded for; 0 if all columns use the same
 * vectors. */
static int column_of(const struct loops_writer *writer, int part, int column) {
    return loops_stride(writer, part, writer->cut.column) != 0 ? column : 0;
}

/** Prints the real or imaginary part of an element of the second factor. */
static void add_part(const struct loops_writer *writer, const struct loops_tile *tile, int piece,
                     int column, int part) {
    const int second = 1 - writer->first, own = column_of(writer, second, column);
    const int lanes = emitted_lanes(&writer->numbers, tile->elems[piece]);
    if (loops_way(writer, tile, second, piece) == CUT_SAME) {
        strbuf_add(writer->out, "%c%s%d", loops_letters[second], part == 0 ? "" : "i", own);
    } else if (writer->numbers.parts == 1) {
        strbuf_add(writer->out, "%c%d_%d", loops_letters[second], piece, own);
    } else {
        char name[NAME];
        int from[32];
        for (int n = 0; n < lanes; n++) from[n] = (n & ~1) + part;
        snprintf(name, sizeof name, "%c%d_%d", loops_letters[second], piece, own);
        emitted_add_mix(writer->out, &writer->numbers, lanes, name, name, from);
    }
}

/** Emits all products of a column, which are added to its sums or assigned to variables. */
static void add_products(const struct loops_writer *writer, int level,
                         const struct loops_tile *tile, int column) {
    const int own = column_of(writer, writer->first, column);
    const char *prefix = writer->loops->conjugated[writer->first] && writer->numbers.parts == 2
                             ? "s"
                         : writer->first == 0 ? "a"
                                              : "b";
    const char sign = writer->loops->conjugated[1 - writer->first] ? '-' : '+';
    for (int p = 0; p < tile->pieces; p++) {
        if (writer->has_sums) {
            loops_indent(writer, level);
            strbuf_add(writer->out, "c%d_%d += %s%d_%d * ", writer->sums_before + p, column, prefix,
                       p, own);
        } else {
            begin_vector(writer, level, "c", tile->elems[p], p, column);
            strbuf_add(writer->out, "%s%d_%d * ", prefix, p, own);
        }
        add_part(writer, tile, p, column, 0);
        if (writer->numbers.parts == 2 && writer->has_sums) {
            strbuf_add(writer->out, ";\n");
            loops_indent(writer, level);
            strbuf_add(writer->out, "c%d_%d %c= r%d_%d * ", writer->sums_before + p, column, sign,
                       p, own);
        } else if (writer->numbers.parts == 2) {
            strbuf_add(writer->out, " %c r%d_%d * ", sign, p, own);
        }
        if (writer->numbers.parts == 2) add_part(writer, tile, p, column, 1);
        strbuf_add(writer->out, ";\n");
    }
}

/**
 * Emits prefetches of the lines of a transposed factor that the next columns read, AHEAD_LINES
 * lines before they are needed. They are emitted if the result is non-temporal: the lines then come
 * from memory, in a pattern that hardware prefetchers do not predict.
 */
static void add_fetches(const struct loops_writer *writer, int level, const struct loops_tile *tile,
                        int column) {
    const int64_t line = EMITTED_LINE_BYTES / (int64_t)tcplan_dtype_bytes(writer->loops->dtype);
    if (!loops_streams(writer->loops) || writer->has_sums || column % line != 0) return;
    for (int part = 0; part < 2; part++) {
        if (loops_way(writer, tile, part, 0) != CUT_TURNED) continue;
        for (int e = 0; e < loops_tile_elems(tile, tile->pieces); e++) {
            loops_indent(writer, level);
            strbuf_add(writer->out, "__builtin_prefetch(%c", loops_letters[part]);
            emitted_add_offset(writer->out, &writer->numbers,
                               e * loops_stride(writer, part, writer->cut.vector) + column +
                                   AHEAD_LINES * line,
                               0);
            strbuf_add(writer->out, ", 0, 2);\n");
        }
    }
}

/** Emits a column: loads of operands that no earlier column loaded, and its products. */
static void add_column(const struct loops_writer *writer, int level, const struct loops_tile *tile,
                       int column) {
    add_fetches(writer, level, tile, column);
    for (int part = 0; part < 2; part++) {
        if (column_of(writer, part, column) != column) continue;
        add_loads(writer, level, part, tile, column);
    }
    if (column_of(writer, writer->first, column) == column)
        add_rotated(writer, level, tile, column);
    add_products(writer, level, tile, column);
}

/** Prints `x * re + KERNEL_MIX(x) * {-im, im}`: a vector times a complex factor. */
static void add_times(const struct loops_writer *writer, int elems, struct tcplan_scalar factor,
                      const char *name) {
    int from[32];
    strbuf_add(writer->out, "%s", name);
    if (scalar_is(factor, 1)) return;
    strbuf_add(writer->out, " * ");
    emitted_add_number(writer->out, &writer->numbers, factor.re);
    if (factor.im == 0) return;
    const int lanes = emitted_lanes(&writer->numbers, elems);
    for (int n = 0; n < lanes; n++) from[n] = n ^ 1;
    strbuf_add(writer->out, " + ");
    emitted_add_mix(writer->out, &writer->numbers, lanes, name, name, from);
    strbuf_add(writer->out, " * ");
    emitted_add_alternating(writer->out, &writer->numbers, elems, -factor.im, factor.im);
}

static void add_store(const struct loops_writer *writer, int level, int elems, enum cut_way way,
                      int64_t place, const char *value) {
    const int numbers = elems * writer->numbers.parts;
    if (way == CUT_STRAIGHT) {
        loops_indent(writer, level);
        if (loops_streams(writer->loops)) {
            strbuf_add(writer->out, "if (streamed) KERNEL_PAST_%c%d(c", writer->numbers.letter,
                       numbers);
            emitted_add_offset(writer->out, &writer->numbers, place, 0);
            strbuf_add(writer->out, ", %s); else ", value);
        }
        emitted_begin_store(writer->out, &writer->numbers, elems);
        strbuf_add(writer->out, "c");
        emitted_add_offset(writer->out, &writer->numbers, place, 0);
        emitted_end_store(writer->out, &writer->numbers, elems, value);
        return;
    }
    for (int n = 0; n < numbers; n++) {
        loops_indent(writer, level);
        strbuf_add(writer->out, "*(c");
        emitted_add_offset(writer->out, &writer->numbers,
                           place + n / writer->numbers.parts *
                                       loops_stride(writer, 2, writer->cut.vector),
                           n % writer->numbers.parts);
        strbuf_add(writer->out, ") = %s[%d];\n", value, n);
    }
}

/** Emits the multiplications by alpha and beta, and the store of the result vector `value`. */
static void add_result(const struct loops_writer *writer, int elems, enum cut_way way,
                       int64_t place, const char *value) {
    const struct emitted_loops *loops = writer->loops;
    if (scalar_is(loops->alpha, 1) && scalar_is(loops->beta, 0)) {
        add_store(writer, 1, elems, way, place, value);
        return;
    }
    strbuf_add(writer->out, "    {\n");
    if (!scalar_is(loops->beta, 0)) {
        strbuf_add(writer->out, "        const ");
        emitted_add_type(writer->out, &writer->numbers, elems);
        strbuf_add(writer->out, " y = ");
        add_vector(writer, 2, elems, way, place);
        strbuf_add(writer->out, ";\n");
    }
    strbuf_add(writer->out, "        const ");
    emitted_add_type(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, " x = ");
    add_times(writer, elems, loops->alpha, value);
    if (!scalar_is(loops->beta, 0)) {
        strbuf_add(writer->out, " + ");
        add_times(writer, elems, loops->beta, "y");
    }
    strbuf_add(writer->out, ";\n");
    add_store(writer, 2, elems, way, place, "x");
    strbuf_add(writer->out, "    }\n");
}

static void add_column_results(const struct loops_writer *writer, const struct loops_tile *tile,
                               int column) {
    for (int p = 0; p < tile->pieces; p++) {
        char name[NAME];
        snprintf(name, sizeof name, "c%d_%d", p, column);
        add_result(writer, tile->elems[p], loops_way(writer, tile, 2, p),
                   place_of(writer, tile, 2, p, column), name);
    }
}

static void add_sum_variables(const struct loops_writer *writer, const struct loops_tile *tile) {
    for (int p = 0; p < tile->pieces; p++) {
        for (int c = 0; c < tile->columns; c++) {
            strbuf_add(writer->out, "    ");
            emitted_add_type(writer->out, &writer->numbers, tile->elems[p]);
            strbuf_add(writer->out, " c%d_%d = {0};\n", p, c);
        }
    }
}

/** Returns how many iterations of the innermost loop are unrolled. */
static int rounds_of(const struct loops_writer *writer, const struct loops_tile *tile,
                     int64_t extent) {
    if (writer->cut.unroll > 0) return writer->cut.unroll;
    const int products = tile->pieces * tile->columns;
    int rounds =
        ROUND_STATEMENTS / products < MOST_ROUNDS ? ROUND_STATEMENTS / products : MOST_ROUNDS;
    if (rounds > extent) rounds = (int)extent;
    return rounds < 1 ? 1 : rounds;
}

/** Begins loops over the summed indices, those with the longest strides outermost, except the index
 * along the columns and the index `without` (-1: none). Returns the number of loops. */
static int begin_sums(const struct loops_writer *writer, const struct loops_tile *tile,
                      int without) {
    const struct emitted_loops *loops = writer->loops;
    int order[EMITTED_LOOPS], count = 0;
    for (int l = 0; l < loops->count; l++) {
        if (l == without || l == writer->cut.column || loops->loop[l].stride[2] != 0) continue;
        int at = count++;
        const int64_t own = llabs(loops->loop[l].stride[0]) + llabs(loops->loop[l].stride[1]);
        for (; at > 0; at--) {
            const struct blas_call_loop *before = &loops->loop[order[at - 1]];
            if (llabs(before->stride[0]) + llabs(before->stride[1]) >= own) break;
            order[at] = order[at - 1];
        }
        order[at] = l;
    }
    for (int o = 0; o < count; o++) {
        const long long extent = (long long)loops->loop[order[o]].extent;
        if (o == count - 1 && without < 0) {
            loops_indent(writer, 1 + o);
            strbuf_add(writer->out, "KERNEL_UNROLL(%d)\n", rounds_of(writer, tile, extent));
        }
        loops_indent(writer, 1 + o);
        strbuf_add(writer->out, "for (ptrdiff_t i%d = 0; i%d < %lld; i%d++) {\n", order[o],
                   order[o], extent, order[o]);
    }
    return count;
}

void loops_end(const struct loops_writer *writer, int level, int count) {
    for (int l = count - 1; l >= 0; l--) {
        loops_indent(writer, level + l);
        strbuf_add(writer->out, "}\n");
    }
}

static void begin_tile(const struct loops_writer *writer, const struct loops_tile *tile,
                       const char *what) {
    strbuf_add(
        writer->out,
        "/* Computes %d columns of %s. */\n%s KERNEL_TILE %s_%s_%dx%d(const %s *restrict a, const "
        "%s *restrict b, %s *restrict c%s) {\n",
        tile->columns, what, emitted_set_text[writer->set].macro, writer->name,
        emitted_set_text[writer->set].name, loops_tile_elems(tile, tile->pieces), tile->columns,
        writer->numbers.type, writer->numbers.type, writer->numbers.type,
        loops_streams(writer->loops) ? ", int streamed" : "");
    if (loops_streams(writer->loops)) strbuf_add(writer->out, "    (void)streamed;\n");
    strbuf_add(writer->out, "    KERNEL_APART();\n");
}

void loops_add_tile(const struct loops_writer *writer, const struct loops_tile *tile) {
    int sums = 0;
    begin_tile(writer, tile, "the result");
    if (writer->has_sums) {
        add_sum_variables(writer, tile);
        sums = begin_sums(writer, tile, -1);
    }
    for (int c = 0; c < tile->columns; c++) {
        add_column(writer, 1 + sums, tile, c);
        if (!writer->has_sums) add_column_results(writer, tile, c);
    }
    if (writer->has_sums) {
        loops_end(writer, 1, sums);
        for (int c = 0; c < tile->columns; c++) add_column_results(writer, tile, c);
    }
    strbuf_add(writer->out, "}\n\n");
}

/** Emits the declaration of the variable `t` with number `first`: the sum of all elements of the
 * sums of `count` columns from `first` on. */
static void add_total(const struct loops_writer *writer, const struct loops_tile *tile, int first,
                      int count) {
    loops_indent(writer, 1);
    strbuf_add(writer->out, "const ");
    emitted_add_type(writer->out, &writer->numbers, 1);
    strbuf_add(writer->out, " t%d = %s", first, writer->numbers.parts == 2 ? "{" : "");
    for (int n = 0; n < writer->numbers.parts; n++) {
        strbuf_add(writer->out, n > 0 ? ", " : "");
        for (int term = 0; term < count * tile->pieces; term++) {
            const int p = term % tile->pieces, column = first + term / tile->pieces;
            const int numbers = tile->elems[p] * writer->numbers.parts;
            for (int e = n; e < numbers; e += writer->numbers.parts) {
                strbuf_add(writer->out, term + e > n ? " + c%d_%d" : "c%d_%d", p, column);
                if (numbers > 1) strbuf_add(writer->out, "[%d]", e);
            }
        }
    }
    strbuf_add(writer->out, "%s;\n", writer->numbers.parts == 2 ? "}" : "");
}

/** Emits a tile whose vectors run along a summed loop. Each vector is added to the sums of its own
 * length; all sums are added up at the end. */
void loops_add_summed_tile(const struct loops_writer *writer, const struct loops_tile *whole,
                           const struct loops_tile *rest) {
    const int vector = writer->cut.vector;
    const int block = loops_tile_elems(whole, whole->pieces);
    assert(block > 0); /* a whole tile has a vector of this length */
    const int64_t length = writer->loops->loop[vector].extent, end = length / block * block;
    int elems[2 * CUT_PIECES];
    memcpy(elems, whole->elems, (size_t)whole->pieces * sizeof *elems);
    memcpy(elems + whole->pieces, rest->elems, (size_t)rest->pieces * sizeof *elems);
    const struct loops_tile all = {elems, whole->pieces + rest->pieces, whole->columns};
    begin_tile(writer, whole, "sums of vectors");
    add_sum_variables(writer, &all);
    const int sums = begin_sums(writer, whole, vector);
    loops_indent(writer, 1 + sums);
    strbuf_add(writer->out, "KERNEL_UNROLL(%d)\n", rounds_of(writer, whole, length / block));
    loops_indent(writer, 1 + sums);
    strbuf_add(writer->out, "for (ptrdiff_t i%d = 0; i%d < %lld; i%d += %d) {\n", vector, vector,
               (long long)end, vector, block);
    for (int c = 0; c < whole->columns; c++) add_column(writer, 2 + sums, whole, c);
    loops_end(writer, 1 + sums, 1);
    if (rest->pieces > 0) {
        struct loops_writer behind = *writer;
        behind.sums_before = whole->pieces;
        loops_indent(writer, 1 + sums);
        strbuf_add(writer->out, "{\n");
        loops_indent(writer, 2 + sums);
        strbuf_add(writer->out, "const ptrdiff_t i%d = %lld;\n", vector, (long long)end);
        if (loops_stride(writer, 0, vector) == 0 && loops_stride(writer, 1, vector) == 0) {
            loops_indent(writer, 2 + sums);
            strbuf_add(writer->out, "(void)i%d;\n", vector);
        }
        for (int c = 0; c < rest->columns; c++) add_column(&behind, 2 + sums, rest, c);
        loops_end(writer, 1 + sums, 1);
    }
    loops_end(writer, 1, sums);
    /* A stride of 0 means that the result has no columns. */
    const bool is_one =
        writer->cut.column >= 0 && writer->loops->loop[writer->cut.column].stride[2] == 0;
    for (int c = 0; c < (is_one ? 1 : all.columns); c++) {
        char name[NAME];
        snprintf(name, sizeof name, "t%d", c);
        add_total(writer, &all, c, is_one ? all.columns : 1);
        add_result(writer, 1, CUT_STRAIGHT, c * loops_stride(writer, 2, writer->cut.column), name);
    }
    strbuf_add(writer->out, "}\n\n");
}
