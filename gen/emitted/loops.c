/*
 * Kernels of loops as C, see gen/emitted/loops.h. A kernel is a function for each instruction set, made of a function for each kind of tile (whole ones, and
 * those at the borders) and the loops over tiles.
 */
#include "gen/emitted/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/scalar.h"
#include "gen/emit/runtime_text.h"
#include "gen/emit/text.h"
#include "gen/emitted/cut.h"

enum {
    BLOCK_TILES = 8,       /* of turned vectors: tiles along them that are gone through column by column */
    MOST_ROUNDS = 8,       /* of an unrolled loop */
    ROUND_STATEMENTS = 96, /* in which there are at most so many products */
    LINE_BYTES = 64,
    AHEAD_COLUMNS = 16,
    NAME = 64,
    BLOCK_SUMS = 8, /* of a loop over what is summed up, whose steps are so long, in a factor that is so large */
    LONG_BYTES = 4096,
    FAR_BYTES = 512 << 10,
    MOST_RUN_BYTES = 16 << 10, /* in one piece along vectors: what is longer is read as a stream for each column */
    STREAMS = 4, /* of a factor of so many bytes, which most last caches do not hold: memory is faster with several at a time */
    MEMORY_BYTES = 32 << 20,
    STREAM_VECTORS = 2, /* of a tile, so that its sums do not wait for each other */
    MANY_TILES = 64,    /* of turned vectors: where there are more, they are gone through in blocks */
    NEAR_COLUMNS =
        512 /* of a streamed result: their pages, and those of a factor, stay in a second TLB of 1024 entries, as processors have at least */
};

static const char *const set_name[EMITTED_SETS] = {"plain", "avx2", "avx512"};
static const char *const set_macro[EMITTED_SETS] = {"KERNEL_PLAIN", "KERNEL_AVX2", "KERNEL_AVX512"};
static const char *const set_condition[EMITTED_SETS] = {"1", "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")",
                                                        "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"fma\")"};
static const char letters[] = "abc";

/** A kernel for one instruction set on its way. */
struct writer {
    struct strbuf *out;
    const char *name;
    const struct emitted_loops *loops;
    struct emitted_cut cut;
    enum emitted_set set;
    enum tcplan_dtype real;
    char letter;      /**< of its vectors' types */
    const char *type; /**< of its numbers */
    int parts;        /**< numbers in an element */
    int whole;        /**< elements in a vector */
    int first;        /**< the factor of which vectors are read, and the other one */
    bool is_summed;   /**< vectors lie along a loop that is summed over */
    bool has_sums;
    int sums_before; /**< of other pieces, whose sums are numbered first */
};

/** A tile: pieces of vectors one behind the other, and columns. */
struct loops_tile {
    const int *elems;
    int pieces;
    int columns;
};

static int64_t stride_of(const struct writer *writer, int part, int loop) {
    return loop < 0 ? 0 : writer->loops->loop[loop].stride[part];
}

static bool streams(const struct emitted_loops *loops) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    bool are_whole = loops->streamed && scalar_is(loops->beta, 0);
    for (int l = 0; l < loops->count && are_whole; l++)
        are_whole = loops->loop[l].stride[2] == 1 || loops->loop[l].stride[2] * bytes % 16 == 0;
    return are_whole;
}

/* Expressions. */

static void indent(const struct writer *writer, int level) {
    for (int l = 0; l < level; l++) strbuf_add(writer->out, "    ");
}

static void add_type(const struct writer *writer, int elems) {
    strbuf_add(writer->out, "kernel_%c%d", writer->letter, elems * writer->parts);
}

static void add_number(const struct writer *writer, double value) {
    emit_constant(writer->out, writer->real, (struct tcplan_scalar){value, 0});
}

/** ` + 8 * i3`: a step in elements as one in numbers; nothing where it is 0. */
static void add_step(const struct writer *writer, int64_t elems, int loop) {
    const int64_t numbers = elems * writer->parts;
    if (numbers == 0) return;
    strbuf_add(writer->out, numbers < 0 ? " - " : " + ");
    if (numbers != 1 && numbers != -1) strbuf_add(writer->out, "%lld * ", (long long)llabs(numbers));
    strbuf_add(writer->out, "i%d", loop);
}

/** ` + 128`. */
static void add_offset(const struct writer *writer, int64_t elems, int numbers) {
    const int64_t offset = elems * writer->parts + numbers;
    if (offset != 0) strbuf_add(writer->out, " %c %lld", offset < 0 ? '-' : '+', (long long)llabs(offset));
}

/** Where an element of a tensor lies in a tile: `a + 8 * i3 + 24`, at the loops over what is summed up. */
static void add_place(const struct writer *writer, int part, int64_t elems, int numbers) {
    strbuf_add(writer->out, "%c", letters[part]);
    for (int l = 0; l < writer->loops->count && part < 2; l++) {
        if (writer->loops->loop[l].stride[2] == 0 && l != writer->cut.column) add_step(writer, writer->loops->loop[l].stride[part], l);
    }
    add_offset(writer, elems, numbers);
}

/** `{-1.0, 1.0, -1.0, 1.0}` behind its type. */
static void add_alternating(const struct writer *writer, int elems, double even, double odd) {
    strbuf_add(writer->out, "(");
    add_type(writer, elems);
    strbuf_add(writer->out, "){");
    for (int e = 0; e < elems; e++) {
        strbuf_add(writer->out, e > 0 ? ", " : "");
        add_number(writer, even);
        strbuf_add(writer->out, ", ");
        add_number(writer, odd);
    }
    strbuf_add(writer->out, "}");
}

/** `KERNEL_MIX_d4(x, y, 0, 4, 2, 6)`: element `from[e]` of x and y, of which each is as long as the result, for e = 0, 1, ... */
static void add_mixed(const struct writer *writer, int numbers, const char *x, const char *y, const int from[]) {
    strbuf_add(writer->out, "KERNEL_MIX_%c%d(%s, %s", writer->letter, numbers, x, y);
    for (int e = 0; e < numbers; e++) strbuf_add(writer->out, ", %d", from[e]);
    strbuf_add(writer->out, ")");
}

/* Loading. */

static int elems_before(const struct loops_tile *tile, int piece) {
    int elems = 0;
    for (int p = 0; p < piece; p++) elems += tile->elems[p];
    return elems;
}

static enum cut_way way_of(const struct writer *writer, const struct loops_tile *tile, int part, int piece) {
    return cut_way_of(writer->loops, &writer->cut, part, tile->elems[piece], writer->whole, tile->columns);
}

/** Where a piece of a column begins in a tensor, in elements from where the tile does. */
static int64_t place_of(const struct writer *writer, const struct loops_tile *tile, int part, int piece, int column) {
    return elems_before(tile, piece) * stride_of(writer, part, writer->cut.vector) + column * stride_of(writer, part, writer->cut.column);
}

/** A vector's elements, wherever they lie. */
static void add_vector(const struct writer *writer, int part, int elems, enum cut_way way, int64_t place) {
    if (way == CUT_STRAIGHT) {
        strbuf_add(writer->out, "*(const ");
        add_type(writer, elems);
        strbuf_add(writer->out, " *)(");
        add_place(writer, part, place, 0);
        strbuf_add(writer->out, ")");
        return;
    }
    strbuf_add(writer->out, "(");
    add_type(writer, elems);
    strbuf_add(writer->out, "){");
    for (int e = 0; e < elems; e++) {
        for (int n = 0; n < writer->parts; n++) {
            strbuf_add(writer->out, "%s*(", e + n > 0 ? ", " : "");
            add_place(writer, part, place + e * stride_of(writer, part, writer->cut.vector), n);
            strbuf_add(writer->out, ")");
        }
    }
    strbuf_add(writer->out, "}");
}

/** `const kernel_d4 a0_1 = `: the name of what is loaded for a piece and a column. */
static void begin_vector(const struct writer *writer, int level, const char *prefix, int elems, int piece, int column) {
    indent(writer, level);
    strbuf_add(writer->out, "const ");
    add_type(writer, elems);
    strbuf_add(writer->out, " %s%d_%d = ", prefix, piece, column);
}

/** A square block: vectors along the columns, which stages of exchanges turn, pairs of numbers, then of pairs, and so on. */
static void add_turned(const struct writer *writer, int level, int part, const struct loops_tile *tile, int piece, int column) {
    const int whole = writer->whole, numbers = whole * writer->parts;
    const int64_t row = stride_of(writer, part, writer->cut.vector);
    char prefix[NAME], x[NAME], y[NAME], last[NAME];
    int stage = 0;
    for (int e = 0; e < whole; e++) {
        snprintf(prefix, sizeof prefix, "%ct0_%d_", letters[part], piece);
        begin_vector(writer, level, prefix, whole, column, e);
        add_vector(writer, part, whole, CUT_STRAIGHT, place_of(writer, tile, part, piece, column) + e * row);
        strbuf_add(writer->out, ";\n");
    }
    for (int distance = whole / 2; distance >= 1; distance /= 2, stage++) {
        const bool is_last = distance == 1;
        snprintf(prefix, sizeof prefix, "%ct%d_%d_", letters[part], stage + 1, piece);
        snprintf(last, sizeof last, "%c", letters[part]);
        for (int e = 0; e < whole; e++) { /* exchange: what is `distance` behind in rows and in columns change places */
            const int low = e & ~distance, high = low | distance;
            int from[32];
            for (int c = 0; c < whole; c++) {
                for (int n = 0; n < writer->parts; n++) {
                    const bool of_high = (c & distance) != 0;
                    const int lane = (e & distance) ? (c | distance) : (c & ~distance);
                    from[c * writer->parts + n] = lane * writer->parts + n + (of_high ? numbers : 0);
                }
            }
            snprintf(x, sizeof x, "%ct%d_%d_%d_%d", letters[part], stage, piece, column, low);
            snprintf(y, sizeof y, "%ct%d_%d_%d_%d", letters[part], stage, piece, column, high);
            if (is_last) {
                begin_vector(writer, level, last, whole, piece, column + e);
            } else {
                begin_vector(writer, level, prefix, whole, column, e);
            }
            add_mixed(writer, numbers, x, y, from);
            strbuf_add(writer->out, ";\n");
        }
    }
}

/** One element for all: its parts. */
static void add_same(const struct writer *writer, int level, int part, int column, int64_t place) {
    for (int n = 0; n < writer->parts; n++) {
        indent(writer, level);
        strbuf_add(writer->out, "const %s %c%s%d = *(", writer->type, letters[part], n == 0 ? "" : "i", column);
        add_place(writer, part, place, n);
        strbuf_add(writer->out, ");\n");
    }
}

/** What a factor has for a column. */
static void add_loads(const struct writer *writer, int level, int part, const struct loops_tile *tile, int column) {
    if (way_of(writer, tile, part, 0) == CUT_SAME) {
        add_same(writer, level, part, column, place_of(writer, tile, part, 0, column));
        return;
    }
    for (int p = 0; p < tile->pieces; p++) {
        const enum cut_way way = way_of(writer, tile, part, p);
        if (way == CUT_TURNED) {
            if (column % writer->whole == 0) add_turned(writer, level, part, tile, p, column);
            continue;
        }
        const char prefix[] = {letters[part], '\0'};
        begin_vector(writer, level, prefix, tile->elems[p], p, column);
        add_vector(writer, part, tile->elems[p], way, place_of(writer, tile, part, p, column));
        strbuf_add(writer->out, ";\n");
    }
}

/** Vectors of the first factor times i, conjugated: what complex products take besides. */
static void add_rotated(const struct writer *writer, int level, const struct loops_tile *tile, int column) {
    const char letter = letters[writer->first];
    const bool conjugated = writer->loops->conjugated[writer->first];
    for (int p = 0; p < tile->pieces && writer->parts == 2; p++) {
        char name[NAME];
        int from[32];
        const int elems = tile->elems[p];
        for (int n = 0; n < 2 * elems; n++) from[n] = n ^ 1;
        snprintf(name, sizeof name, "%c%d_%d", letter, p, column);
        begin_vector(writer, level, "r", elems, p, column);
        add_mixed(writer, 2 * elems, name, name, from);
        strbuf_add(writer->out, " * ");
        add_alternating(writer, elems, conjugated ? 1 : -1, 1);
        strbuf_add(writer->out, ";\n");
        if (!conjugated) continue;
        begin_vector(writer, level, "s", elems, p, column);
        strbuf_add(writer->out, "%s * ", name);
        add_alternating(writer, elems, 1, -1);
        strbuf_add(writer->out, ";\n");
    }
}

/** The column of a factor: 0 where it is the same in all. */
static int column_of(const struct writer *writer, int part, int column) {
    return stride_of(writer, part, writer->cut.column) != 0 ? column : 0;
}

/** The real or imaginary part of the second factor. */
static void add_part(const struct writer *writer, const struct loops_tile *tile, int piece, int column, int part) {
    const int second = 1 - writer->first, own = column_of(writer, second, column);
    const int elems = tile->elems[piece];
    if (way_of(writer, tile, second, piece) == CUT_SAME) {
        strbuf_add(writer->out, "%c%s%d", letters[second], part == 0 ? "" : "i", own);
    } else if (writer->parts == 1) {
        strbuf_add(writer->out, "%c%d_%d", letters[second], piece, own);
    } else {
        char name[NAME];
        int from[32];
        for (int n = 0; n < 2 * elems; n++) from[n] = (n & ~1) + part;
        snprintf(name, sizeof name, "%c%d_%d", letters[second], piece, own);
        add_mixed(writer, 2 * elems, name, name, from);
    }
}

/** All products of a column, added to its sums or by themselves. */
static void add_products(const struct writer *writer, int level, const struct loops_tile *tile, int column) {
    const int own = column_of(writer, writer->first, column);
    const char *prefix = writer->loops->conjugated[writer->first] && writer->parts == 2 ? "s" : writer->first == 0 ? "a" : "b";
    const char sign = writer->loops->conjugated[1 - writer->first] ? '-' : '+';
    for (int p = 0; p < tile->pieces; p++) {
        if (writer->has_sums) {
            indent(writer, level);
            strbuf_add(writer->out, "c%d_%d += %s%d_%d * ", writer->sums_before + p, column, prefix, p, own);
        } else {
            begin_vector(writer, level, "c", tile->elems[p], p, column);
            strbuf_add(writer->out, "%s%d_%d * ", prefix, p, own);
        }
        add_part(writer, tile, p, column, 0);
        if (writer->parts == 2 && writer->has_sums) {
            strbuf_add(writer->out, ";\n");
            indent(writer, level);
            strbuf_add(writer->out, "c%d_%d %c= r%d_%d * ", writer->sums_before + p, column, sign, p, own);
        } else if (writer->parts == 2) {
            strbuf_add(writer->out, " %c r%d_%d * ", sign, p, own);
        }
        if (writer->parts == 2) add_part(writer, tile, p, column, 1);
        strbuf_add(writer->out, ";\n");
    }
}

/**
 * Where a factor is turned, and the result streamed, columns of the other one come from memory a few lines at a time, which no hardware foresees: those that so
 * many columns later need are fetched.
 */
static void add_fetches(const struct writer *writer, int level, const struct loops_tile *tile, int column) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(writer->loops->dtype);
    const bool turns = way_of(writer, tile, 0, 0) == CUT_TURNED || way_of(writer, tile, 1, 0) == CUT_TURNED;
    for (int part = 0; part < 2 && turns && streams(writer->loops) && !writer->has_sums; part++) {
        if (way_of(writer, tile, part, 0) != CUT_STRAIGHT || stride_of(writer, part, writer->cut.column) * bytes < LONG_BYTES) continue;
        for (int64_t elems = 0; elems < elems_before(tile, tile->pieces); elems += LINE_BYTES / bytes) {
            indent(writer, level);
            strbuf_add(writer->out, "__builtin_prefetch(%c", letters[part]);
            add_offset(writer, elems + (column + AHEAD_COLUMNS) * stride_of(writer, part, writer->cut.column), 0);
            strbuf_add(writer->out, ");\n");
        }
    }
}

/** A column: what it needs that no column before had, and its products. */
static void add_column(const struct writer *writer, int level, const struct loops_tile *tile, int column) {
    add_fetches(writer, level, tile, column);
    for (int part = 0; part < 2; part++) {
        if (column_of(writer, part, column) != column) continue;
        add_loads(writer, level, part, tile, column);
    }
    if (column_of(writer, writer->first, column) == column) add_rotated(writer, level, tile, column);
    add_products(writer, level, tile, column);
}

/* Writing. */

/** `x * re + KERNEL_MIX(x) * {-im, im}`: numbers times a complex factor. */
static void add_times(const struct writer *writer, int elems, struct tcplan_scalar factor, const char *name) {
    int from[32];
    strbuf_add(writer->out, "%s", name);
    if (scalar_is(factor, 1)) return;
    strbuf_add(writer->out, " * ");
    add_number(writer, factor.re);
    if (factor.im == 0) return;
    for (int n = 0; n < 2 * elems; n++) from[n] = n ^ 1;
    strbuf_add(writer->out, " + ");
    add_mixed(writer, 2 * elems, name, name, from);
    strbuf_add(writer->out, " * ");
    add_alternating(writer, elems, -factor.im, factor.im);
}

static void add_store(const struct writer *writer, int level, int elems, enum cut_way way, int64_t place, const char *value) {
    const int numbers = elems * writer->parts;
    if (way == CUT_STRAIGHT) {
        indent(writer, level);
        if (streams(writer->loops)) {
            strbuf_add(writer->out, "if (streamed) KERNEL_PAST_%c%d(c", writer->letter, numbers);
            add_offset(writer, place, 0);
            strbuf_add(writer->out, ", %s); else ", value);
        }
        strbuf_add(writer->out, "*(");
        add_type(writer, elems);
        strbuf_add(writer->out, " *)(c");
        add_offset(writer, place, 0);
        strbuf_add(writer->out, ") = %s;\n", value);
        return;
    }
    for (int n = 0; n < numbers; n++) {
        indent(writer, level);
        strbuf_add(writer->out, "*(c");
        add_offset(writer, place + n / writer->parts * stride_of(writer, 2, writer->cut.vector), n % writer->parts);
        strbuf_add(writer->out, ") = %s[%d];\n", value, n);
    }
}

/** alpha, beta, and where it lies: of a vector of the result that is called `value`. */
static void add_result(const struct writer *writer, int elems, enum cut_way way, int64_t place, const char *value) {
    const struct emitted_loops *loops = writer->loops;
    if (scalar_is(loops->alpha, 1) && scalar_is(loops->beta, 0)) {
        add_store(writer, 1, elems, way, place, value);
        return;
    }
    strbuf_add(writer->out, "    {\n");
    if (!scalar_is(loops->beta, 0)) {
        strbuf_add(writer->out, "        const ");
        add_type(writer, elems);
        strbuf_add(writer->out, " y = ");
        add_vector(writer, 2, elems, way, place);
        strbuf_add(writer->out, ";\n");
    }
    strbuf_add(writer->out, "        const ");
    add_type(writer, elems);
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

static void add_column_results(const struct writer *writer, const struct loops_tile *tile, int column) {
    for (int p = 0; p < tile->pieces; p++) {
        char name[NAME];
        snprintf(name, sizeof name, "c%d_%d", p, column);
        add_result(writer, tile->elems[p], way_of(writer, tile, 2, p), place_of(writer, tile, 2, p, column), name);
    }
}

/* Tiles. */

static void add_sum_variables(const struct writer *writer, const struct loops_tile *tile) {
    for (int p = 0; p < tile->pieces; p++) {
        for (int c = 0; c < tile->columns; c++) {
            strbuf_add(writer->out, "    ");
            add_type(writer, tile->elems[p]);
            strbuf_add(writer->out, " c%d_%d = {0};\n", p, c);
        }
    }
}

/** Rounds of the innermost loop that stand one behind the other. */
static int rounds_of(const struct loops_tile *tile, int64_t extent) {
    const int products = tile->pieces * tile->columns;
    int rounds = ROUND_STATEMENTS / products < MOST_ROUNDS ? ROUND_STATEMENTS / products : MOST_ROUNDS;
    if (rounds > extent) rounds = (int)extent;
    return rounds < 1 ? 1 : rounds;
}

/** Loops over what is summed up but for one, -1: for none, and that of the columns, the longest steps outside; returns how many. */
static int begin_sums(const struct writer *writer, const struct loops_tile *tile, int without) {
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
            indent(writer, 1 + o);
            strbuf_add(writer->out, "KERNEL_UNROLL(%d)\n", rounds_of(tile, extent));
        }
        indent(writer, 1 + o);
        strbuf_add(writer->out, "for (ptrdiff_t i%d = 0; i%d < %lld; i%d++) {\n", order[o], order[o], extent, order[o]);
    }
    return count;
}

static void end_loops(const struct writer *writer, int level, int count) {
    for (int l = count - 1; l >= 0; l--) {
        indent(writer, level + l);
        strbuf_add(writer->out, "}\n");
    }
}

static void begin_tile(const struct writer *writer, const struct loops_tile *tile, const char *what) {
    strbuf_add(writer->out,
               "/* %d columns of %s. */\n%s KERNEL_TILE %s_%s_%dx%d(const %s *restrict a, const %s *restrict b, %s *restrict c%s) {\n",
               tile->columns, what, set_macro[writer->set], writer->name, set_name[writer->set], elems_before(tile, tile->pieces),
               tile->columns, writer->type, writer->type, writer->type, streams(writer->loops) ? ", int streamed" : "");
    if (streams(writer->loops)) strbuf_add(writer->out, "    (void)streamed;\n");
    strbuf_add(writer->out, "    KERNEL_APART();\n");
}

static void add_tile(const struct writer *writer, const struct loops_tile *tile) {
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
        end_loops(writer, 1, sums);
        for (int c = 0; c < tile->columns; c++) add_column_results(writer, tile, c);
    }
    strbuf_add(writer->out, "}\n\n");
}

/* Tiles whose vectors are summed up. */

/** All of some pieces' numbers of some columns as one, which has the number of the first. */
static void add_total(const struct writer *writer, const struct loops_tile *tile, int first, int count) {
    indent(writer, 1);
    strbuf_add(writer->out, "const ");
    add_type(writer, 1);
    strbuf_add(writer->out, " t%d = %s", first, writer->parts == 2 ? "{" : "");
    for (int n = 0; n < writer->parts; n++) {
        strbuf_add(writer->out, n > 0 ? ", " : "");
        for (int term = 0; term < count * tile->pieces; term++) {
            const int p = term % tile->pieces, column = first + term / tile->pieces;
            const int numbers = tile->elems[p] * writer->parts;
            for (int e = n; e < numbers; e += writer->parts) {
                strbuf_add(writer->out, term + e > n ? " + c%d_%d" : "c%d_%d", p, column);
                if (numbers > 1) strbuf_add(writer->out, "[%d]", e);
            }
        }
    }
    strbuf_add(writer->out, "%s;\n", writer->parts == 2 ? "}" : "");
}

/** Each vector is added to the sums of its own length, all of which are added up in the end. */
static void add_summed_tile(const struct writer *writer, const struct loops_tile *whole, const struct loops_tile *rest) {
    const int vector = writer->cut.vector;
    const int block = elems_before(whole, whole->pieces);
    const int64_t length = writer->loops->loop[vector].extent, end = length / block * block;
    int elems[2 * CUT_PIECES];
    memcpy(elems, whole->elems, (size_t)whole->pieces * sizeof *elems);
    memcpy(elems + whole->pieces, rest->elems, (size_t)rest->pieces * sizeof *elems);
    const struct loops_tile all = {elems, whole->pieces + rest->pieces, whole->columns};
    begin_tile(writer, whole, "sums of vectors");
    add_sum_variables(writer, &all);
    const int sums = begin_sums(writer, whole, vector);
    indent(writer, 1 + sums);
    strbuf_add(writer->out, "KERNEL_UNROLL(%d)\n", rounds_of(whole, length / block));
    indent(writer, 1 + sums);
    strbuf_add(writer->out, "for (ptrdiff_t i%d = 0; i%d < %lld; i%d += %d) {\n", vector, vector, (long long)end, vector, block);
    for (int c = 0; c < whole->columns; c++) add_column(writer, 2 + sums, whole, c);
    end_loops(writer, 1 + sums, 1);
    if (rest->pieces > 0) {
        struct writer behind = *writer;
        behind.sums_before = whole->pieces;
        indent(writer, 1 + sums);
        strbuf_add(writer->out, "{\n");
        indent(writer, 2 + sums);
        strbuf_add(writer->out, "const ptrdiff_t i%d = %lld;\n", vector, (long long)end);
        if (stride_of(writer, 0, vector) == 0 && stride_of(writer, 1, vector) == 0) {
            indent(writer, 2 + sums);
            strbuf_add(writer->out, "(void)i%d;\n", vector);
        }
        for (int c = 0; c < rest->columns; c++) add_column(&behind, 2 + sums, rest, c);
        end_loops(writer, 1 + sums, 1);
    }
    end_loops(writer, 1, sums);
    const bool is_one = writer->cut.column >= 0 && writer->loops->loop[writer->cut.column].stride[2] == 0; /* result of all columns */
    for (int c = 0; c < (is_one ? 1 : all.columns); c++) {
        char name[NAME];
        snprintf(name, sizeof name, "t%d", c);
        add_total(writer, &all, c, is_one ? all.columns : 1);
        add_result(writer, 1, CUT_STRAIGHT, c * stride_of(writer, 2, writer->cut.column), name);
    }
    strbuf_add(writer->out, "}\n\n");
}

/* The loops over tiles. */

/** Columns of a tile: in the loop over them, or beginning at one. */
struct columns {
    int count;
    int64_t at;
    bool in_loop;
    bool is_plain; /**< it is not streamed */
};

/** `NAME_avx2_8x4(a + i1 + 64 * i0, ..., c + ...);`, its vectors being in the loop over them, or beginning at `at`. */
static void add_call(const struct writer *writer, int level, const struct loops_tile *tile, int64_t at, struct columns columns,
                     bool in_vectors) {
    const struct emitted_loops *loops = writer->loops;
    indent(writer, level);
    strbuf_add(writer->out, "%s_%s_%dx%d(", writer->name, set_name[writer->set], elems_before(tile, tile->pieces), tile->columns);
    for (int part = 0; part < 3; part++) {
        strbuf_add(writer->out, "%s%c", part > 0 ? ", " : "", letters[part]);
        for (int l = 0; l < loops->count; l++) {
            if (loops->loop[l].stride[2] == 0 || (l == writer->cut.vector && !in_vectors) || (l == writer->cut.column && !columns.in_loop))
                continue;
            add_step(writer, loops->loop[l].stride[part], l);
        }
        add_offset(writer, at * stride_of(writer, part, writer->cut.vector) + columns.at * stride_of(writer, part, writer->cut.column), 0);
    }
    strbuf_add(writer->out, "%s);\n", !streams(loops) ? "" : columns.is_plain ? ", 0" : ", streamed");
}

/** `for (ptrdiff_t i3 = FROM; i3 < 64; i3 += 8) {`. */
static void begin_loop(const struct writer *writer, int level, int loop, const char *from, const char *end, int step) {
    indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t i%d = %s; i%d < %s; i%d += %d) {\n", loop, from, loop, end, loop, step);
}

/** The kinds of tiles: whole and smaller ones along vectors. */
struct kinds {
    int full[CUT_PIECES], rest[CUT_PIECES];
    int fulls, rests;
    int block;       /**< elements of a whole one */
    int64_t blocks;  /**< elements in whole ones */
    int64_t columns; /**< in whole ones */
    int left;        /**< columns */
};

static struct kinds kinds_of(const struct writer *writer) {
    struct kinds kinds = {0};
    const int64_t length = writer->cut.vector < 0 ? 1 : writer->loops->loop[writer->cut.vector].extent;
    const int64_t width = writer->cut.column < 0 ? 1 : writer->loops->loop[writer->cut.column].extent;
    const int64_t most = (int64_t)writer->whole * writer->cut.vectors;
    kinds.fulls = cut_pieces(kinds.full, length < most ? length : most, writer->whole);
    kinds.block = (int)(length < most ? length : most);
    kinds.blocks = length / kinds.block * kinds.block;
    kinds.rests = cut_pieces(kinds.rest, length - kinds.blocks, writer->whole);
    kinds.columns = width / writer->cut.columns * writer->cut.columns;
    kinds.left = (int)(width - kinds.columns);
    return kinds;
}

/** Tiles of some columns, along the whole vectors from `from` to before `end`. */
static void add_along(const struct writer *writer, int level, const struct kinds *kinds, struct columns columns, const char *from,
                      const char *end) {
    const struct loops_tile full = {kinds->full, kinds->fulls, columns.count};
    if (writer->is_summed || kinds->blocks == kinds->block) {
        add_call(writer, level, &full, 0, columns, false);
    } else {
        begin_loop(writer, level, writer->cut.vector, from, end, kinds->block);
        add_call(writer, level + 1, &full, 0, columns, true);
        end_loops(writer, level, 1);
    }
}

/** Those behind them. */
static void add_behind(const struct writer *writer, int level, const struct kinds *kinds, struct columns columns) {
    const struct loops_tile rest = {kinds->rest, kinds->rests, columns.count};
    if (kinds->rests > 0 && !writer->is_summed) add_call(writer, level, &rest, kinds->blocks, columns, false);
}

/** What of the vectors: from `from` to before `end` in whole tiles; those behind. */
struct part {
    const char *from;
    const char *end;
    bool has_rest;
    bool is_rest;
    bool is_here;  /**< one tile, where the loop over vectors is */
    bool by_lines; /**< all, lines of the result as a whole: see add_by_lines() */
    bool is_plain; /**< they are not streamed */
    bool in_block; /**< of the columns only those from `g` to before `last`: see add_column_blocks() */
};

static void add_across(const struct writer *writer, int level, const struct kinds *kinds, struct part part);

/** One tile, or one of each column, or of each of a block, where vectors begin at an expression. */
static void add_here(const struct writer *writer, int level, const struct kinds *kinds, const struct columns *columns, bool in_block,
                     bool is_plain) {
    if (columns) {
        struct columns own = *columns;
        own.is_plain = is_plain;
        add_call(writer, level, &(struct loops_tile){kinds->full, kinds->fulls, own.count}, 0, own, true);
    } else {
        add_across(writer, level, kinds, (struct part){.is_here = true, .is_plain = is_plain, .in_block = in_block});
    }
}

/**
 * Tiles that begin with a line of the result. Those before the first line, and behind the last whole tile, overlap others and are stored as usual: what is
 * written twice is the same. `columns`: of some; NULL: each of all columns, or of a block of them.
 */
static void add_by_lines(const struct writer *writer, int level, const struct kinds *kinds, const struct columns *columns, bool in_block) {
    const int vector = writer->cut.vector;
    const long long last = (long long)writer->loops->loop[vector].extent - kinds->block;
    indent(writer, level);
    strbuf_add(writer->out, "if (lead > 0) {\n");
    indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t i%d = 0;\n", vector);
    add_here(writer, level + 1, kinds, columns, in_block, true);
    end_loops(writer, level, 1);
    indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t i%d = lead; i%d <= %lld; i%d += %d) {\n", vector, vector, last, vector, kinds->block);
    add_here(writer, level + 1, kinds, columns, in_block, false);
    end_loops(writer, level, 1);
    indent(writer, level);
    strbuf_add(writer->out, "if ((%lld - lead) %% %d != 0) {\n", last, kinds->block);
    indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t i%d = %lld;\n", vector, last);
    add_here(writer, level + 1, kinds, columns, in_block, true);
    end_loops(writer, level, 1);
}

/** Whether tiles are to begin with lines: of a result that is streamed, all columns of which lie alike to lines. */
static bool goes_by_lines(const struct writer *writer, const struct kinds *kinds) {
    const struct emitted_loops *loops = writer->loops;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    const int vector = writer->cut.vector;
    if (!streams(loops) || writer->is_summed || vector < 0 || loops->loop[vector].stride[2] != 1) return false;
    for (int l = 0; l < loops->count; l++) {
        if (l != vector && loops->loop[l].stride[2] * bytes % LINE_BYTES != 0) return false;
    }
    return loops->loop[vector].extent >= 2 * kinds->block && kinds->block * bytes % LINE_BYTES == 0;
}

static void add_part_of(const struct writer *writer, int level, const struct kinds *kinds, struct columns columns, struct part part) {
    if (part.is_here) {
        add_here(writer, level, kinds, &columns, false, part.is_plain);
    } else if (part.by_lines) {
        add_by_lines(writer, level, kinds, &columns, false);
    } else {
        if (!part.is_rest) add_along(writer, level, kinds, columns, part.from, part.end);
        if (part.has_rest || part.is_rest) add_behind(writer, level, kinds, columns);
    }
}

/** Tiles of all columns. */
static void add_across(const struct writer *writer, int level, const struct kinds *kinds, struct part part) {
    const int count = writer->cut.columns;
    if (kinds->columns > count) {
        char number[NAME];
        snprintf(number, sizeof number, "%lld", (long long)kinds->columns);
        begin_loop(writer, level, writer->cut.column, part.in_block ? "g" : "0", part.in_block ? "last" : number, count);
        add_part_of(writer, level + 1, kinds, (struct columns){.count = count, .in_loop = true}, part);
        end_loops(writer, level, 1);
    } else if (kinds->columns > 0) {
        add_part_of(writer, level, kinds, (struct columns){.count = count}, part);
    }
    if (kinds->left > 0 && !part.in_block)
        add_part_of(writer, level, kinds, (struct columns){.count = kinds->left, .at = kinds->columns}, part);
}

/** Lines of all columns, some columns at a time: each lies on a page of its own, and is come back to for the next lines. */
static void add_column_blocks(const struct writer *writer, int level, const struct kinds *kinds) {
    const int step = NEAR_COLUMNS / writer->cut.columns * writer->cut.columns;
    const long long end = (long long)kinds->columns;
    if (end <= step) {
        add_by_lines(writer, level, kinds, NULL, false);
        return;
    }
    indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t g = 0; g < %lld; g += %d) { /* columns whose pages stay at hand */\n", end, step);
    indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t last = g + %d < %lld ? g + %d : %lld;\n", step, end, step, end);
    add_by_lines(writer, level + 1, kinds, NULL, true);
    end_loops(writer, level, 1);
    if (kinds->left > 0) add_by_lines(writer, level, kinds, &(struct columns){.count = kinds->left, .at = end}, false);
}

static bool turns(const struct writer *writer, const struct kinds *kinds) {
    const struct loops_tile full = {kinds->full, kinds->fulls, writer->cut.columns};
    return way_of(writer, &full, 0, 0) == CUT_TURNED || way_of(writer, &full, 1, 0) == CUT_TURNED;
}

/** In blocks along vectors, so that lines which are read along columns are used up while they are in cache. */
static void add_blocks(const struct writer *writer, int level, const struct kinds *kinds) {
    const int step = BLOCK_TILES * kinds->block;
    const long long end = (long long)kinds->blocks;
    indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t h = 0; h < %lld; h += %d) {\n", end, step);
    indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t end = h + %d < %lld ? h + %d : %lld;\n", step, end, step, end);
    add_across(writer, level + 1, kinds, (struct part){.from = "h", .end = "end"});
    end_loops(writer, level, 1);
    if (kinds->rests > 0) add_across(writer, level, kinds, (struct part){.is_rest = true});
}

/** Loops over what neither vectors nor columns run along, the longest steps of the result outside; returns how many. */
static int begin_others(const struct writer *writer) {
    const struct emitted_loops *loops = writer->loops;
    int order[EMITTED_LOOPS], count = 0;
    for (int l = 0; l < loops->count; l++) {
        if (l == writer->cut.vector || l == writer->cut.column || loops->loop[l].stride[2] == 0) continue;
        int at = count++;
        for (; at > 0 && loops->loop[order[at - 1]].stride[2] < loops->loop[l].stride[2]; at--) order[at] = order[at - 1];
        order[at] = l;
    }
    for (int o = 0; o < count; o++) {
        char end[32];
        snprintf(end, sizeof end, "%lld", (long long)loops->loop[order[o]].extent);
        begin_loop(writer, 1 + o, order[o], "0", end, 1);
    }
    return count;
}

static void add_function(struct strbuf *out, const char *name, const struct emitted_loops *loops, enum emitted_set set,
                         const struct emitted_cut *cut) {
    const bool is_single = loops->dtype == TCPLAN_FLOAT || loops->dtype == TCPLAN_FLOAT_COMPLEX;
    struct writer writer = {.out = out,
                            .name = name,
                            .loops = loops,
                            .cut = *cut,
                            .set = set,
                            .real = is_single ? TCPLAN_FLOAT : TCPLAN_DOUBLE,
                            .letter = is_single ? 's' : 'd',
                            .type = is_single ? "float" : "double",
                            .parts = emitted_reals(loops->dtype),
                            .whole = emitted_vector_elems(loops->dtype, set)};
    writer.first = cut_first_factor(loops, &writer.cut);
    writer.is_summed = cut_is_summed(loops, &writer.cut);
    writer.has_sums = cut_sums(loops) > 1;
    struct kinds kinds = kinds_of(&writer);
    const bool by_lines = goes_by_lines(&writer, &kinds);
    if (by_lines) kinds.rests = 0;
    const int widths[2] = {writer.cut.columns, kinds.left};
    for (int side = 0; side < 2; side++) {
        const struct loops_tile full = {kinds.full, kinds.fulls, widths[side]}, rest = {kinds.rest, kinds.rests, widths[side]};
        if (widths[side] == 0) continue;
        if (writer.is_summed) {
            add_summed_tile(&writer, &full, &rest);
            continue;
        }
        add_tile(&writer, &full);
        if (rest.pieces > 0) add_tile(&writer, &rest);
    }
    strbuf_add(out, "%s static void %s_%s(const %s *restrict a, const %s *restrict b, %s *restrict c%s) {\n", set_macro[set], name,
               set_name[set], writer.type, writer.type, writer.type, streams(loops) ? ", int streamed" : "");
    if (by_lines) {
        strbuf_add(
            out,
            "    const ptrdiff_t lead = streamed ? (ptrdiff_t)((%d - (uintptr_t)c %% %d) %% %d / %d) : 0; /* elements before a line */\n",
            LINE_BYTES, LINE_BYTES, LINE_BYTES, (int)tcplan_dtype_bytes(loops->dtype));
    }
    const int others = begin_others(&writer);
    if (by_lines && turns(&writer, &kinds)) {
        add_column_blocks(&writer, 1 + others, &kinds);
    } else if (by_lines) {
        add_across(&writer, 1 + others, &kinds, (struct part){.by_lines = true});
    } else if (!writer.is_summed && turns(&writer, &kinds) && kinds.blocks / kinds.block > MANY_TILES) {
        add_blocks(&writer, 1 + others, &kinds);
    } else {
        char end[32];
        snprintf(end, sizeof end, "%lld", (long long)kinds.blocks);
        add_across(&writer, 1 + others, &kinds, (struct part){.from = "0", .end = end, .has_rest = true});
    }
    end_loops(&writer, 1, others);
    strbuf_add(out, "}\n\n");
}

/* Sums of many columns, and streams. */

/** How some values of a loop over what is summed up are added to the result before the others. */
struct blocks {
    int loop; /**< -1: all at once */
    int size; /**< values at a time */
    struct emitted_cut cut;
};

/** Whether every element of a factor is used once. */
static bool goes_by(const struct emitted_loops *loops, int part) {
    for (int l = 0; l < loops->count; l++) {
        if (loops->loop[l].stride[part] == 0 && loops->loop[l].stride[2] != 0) return false;
    }
    return true;
}

static int64_t factor_bytes(const struct emitted_loops *loops, int part) {
    int64_t elems = 1;
    for (int l = 0; l < loops->count; l++) elems *= loops->loop[l].stride[part] != 0 ? loops->loop[l].extent : 1;
    return elems * (int64_t)tcplan_dtype_bytes(loops->dtype);
}

/** The loop over what is summed up with the longest steps in a factor, but for one; -1: none has steps of LONG_BYTES. */
static int longest_sum(const struct emitted_loops *loops, int part, int without) {
    int longest = -1;
    for (int l = 0; l < loops->count; l++) {
        const int64_t stride = llabs(loops->loop[l].stride[part]);
        if (l == without || loops->loop[l].stride[2] != 0) continue;
        if (longest < 0 || stride > llabs(loops->loop[longest].stride[part])) longest = l;
    }
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    return longest >= 0 && llabs(loops->loop[longest].stride[part]) * bytes >= LONG_BYTES ? longest : -1;
}

/**
 * A factor that lies in memory, every element of which is used once. Where vectors are summed up, and the columns' pieces of it are short, it is read from end to
 * end, a column at a time, if the other factor lies alike; from memory as several such streams, each for another value of the loop with the longest steps. Where
 * the result's vectors lie along it, some values of that loop at a time are added to the result: each tile would read a line here and there.
 */
static struct blocks blocks_of(const struct emitted_loops *loops, const struct emitted_cut *cut) {
    const int first = cut_first_factor(loops, cut);
    const bool is_summed = cut_is_summed(loops, cut);
    struct blocks blocks = {.loop = -1, .cut = *cut};
    if (cut->vector < 0 || loops->loop[cut->vector].stride[first] != 1 || !goes_by(loops, first)) return blocks;
    const int64_t bytes = factor_bytes(loops, first);
    const int64_t run_bytes = loops->loop[cut->vector].extent * (int64_t)tcplan_dtype_bytes(loops->dtype);
    const int longest = longest_sum(loops, first, cut->vector);
    const bool is_short = run_bytes <= MOST_RUN_BYTES && loops->loop[cut->vector].stride[1 - first] == 1;
    const int size = !is_summed ? BLOCK_SUMS : bytes >= MEMORY_BYTES ? STREAMS : 1;
    if (bytes < FAR_BYTES || longest < 0 || loops->loop[longest].extent < 2 * size || (is_summed && !is_short)) return blocks;
    blocks.loop = longest;
    blocks.size = size;
    if (is_summed) blocks.cut = (struct emitted_cut){.vector = cut->vector, .column = longest, .vectors = STREAM_VECTORS, .columns = size};
    return blocks;
}

/** The kernel of some values of a loop. */
static void add_block(struct strbuf *out, const char *name, const char *suffix, const struct emitted_loops *loops, enum emitted_set set,
                      const struct blocks *blocks) {
    struct emitted_cut cut = blocks->cut;
    struct strbuf own = {0};
    if (cut.column == blocks->loop) cut.columns = (int)loops->loop[blocks->loop].extent;
    strbuf_add(&own, "%s_%s", name, suffix);
    if (own.failed) out->failed = true;
    if (!own.failed) add_function(out, own.text, loops, set, &cut);
    strbuf_free(&own);
}

/** `NAME_next_avx2(a + 4096 * h, b + 64 * h, c);` */
static void add_block_call(struct strbuf *out, const char *name, const char *suffix, enum emitted_set set, const int64_t numbers[2],
                           const char *at) {
    strbuf_add(out, "%s_%s_%s(", name, suffix, set_name[set]);
    for (int part = 0; part < 2; part++) {
        strbuf_add(out, "%c", letters[part]);
        if (numbers[part] != 0) strbuf_add(out, " %c %lld * %s", numbers[part] < 0 ? '-' : '+', (long long)llabs(numbers[part]), at);
        strbuf_add(out, ", ");
    }
    strbuf_add(out, "c);\n");
}

static void add_in_blocks(struct strbuf *out, const char *name, const struct emitted_loops *loops, enum emitted_set set,
                          const struct blocks *blocks) {
    const int loop = blocks->loop, size = blocks->size;
    const int64_t extent = loops->loop[loop].extent, whole = extent / size * size;
    const int parts = emitted_reals(loops->dtype);
    const int64_t numbers[2] = {loops->loop[loop].stride[0] * parts, loops->loop[loop].stride[1] * parts};
    const bool is_single = loops->dtype == TCPLAN_FLOAT || loops->dtype == TCPLAN_FLOAT_COMPLEX;
    const char *type = is_single ? "float" : "double";
    struct emitted_loops block = *loops;
    char end[NAME];
    block.streamed = false;
    block.loop[loop].extent = size;
    add_block(out, name, "first", &block, set, blocks);
    block.beta = (struct tcplan_scalar){1, 0};
    add_block(out, name, "next", &block, set, blocks);
    block.loop[loop].extent = extent - whole;
    if (whole < extent) add_block(out, name, "last", &block, set, blocks);
    strbuf_add(out, "/* Some of i%d at a time. */\n", loop);
    strbuf_add(out, "%s static void %s_%s(const %s *restrict a, const %s *restrict b, %s *restrict c) {\n    ", set_macro[set], name,
               set_name[set], type, type, type);
    add_block_call(out, name, "first", set, (const int64_t[]){0, 0}, "0");
    strbuf_add(out, "    for (ptrdiff_t h = %d; h < %lld; h += %d) ", size, (long long)whole, size);
    add_block_call(out, name, "next", set, numbers, "h");
    snprintf(end, sizeof end, "%lld", (long long)whole);
    if (whole < extent) strbuf_add(out, "    ");
    if (whole < extent) add_block_call(out, name, "last", set, numbers, end);
    strbuf_add(out, "}\n\n");
}

static void add_set(struct strbuf *out, const char *name, const struct emitted_loops *loops, enum emitted_set set,
                    const struct emitted_cut *given) {
    const struct emitted_cut cut = given ? *given : emitted_choose_cut(loops, set);
    const struct blocks blocks = blocks_of(loops, &cut);
    if (streams(loops) || blocks.loop < 0) {
        add_function(out, name, loops, set, &cut);
    } else {
        add_in_blocks(out, name, loops, set, &blocks);
    }
}

/* The kernel. */

static void add_comment(struct strbuf *out, const struct emitted_loops *loops) {
    strbuf_add(out, "/*\n * c := ");
    if (!scalar_is(loops->alpha, 1)) strbuf_add(out, "alpha ");
    strbuf_add(out, loops->conjugated[0] ? "conj(a) " : "a ");
    strbuf_add(out, loops->conjugated[1] ? "conj(b)" : "b");
    if (!scalar_is(loops->beta, 0)) strbuf_add(out, scalar_is(loops->beta, 1) ? " + c" : " + beta c");
    strbuf_add(out, " of %s numbers, element by element over\n", tcplan_dtype_is_complex(loops->dtype) ? "complex" : "real");
    for (int l = 0; l < loops->count; l++) {
        const struct blas_call_loop *loop = &loops->loop[l];
        strbuf_add(out, " * i%d: %lld, strides %lld, %lld, %lld%s\n", l, (long long)loop->extent, (long long)loop->stride[0],
                   (long long)loop->stride[1], (long long)loop->stride[2], loop->stride[2] == 0 ? ", summed up" : "");
    }
    strbuf_add(out, " */\n");
}

static void add_choice(struct strbuf *out, const char *name, const struct emitted_loops *loops, unsigned sets) {
    const bool streamed = streams(loops);
    const int parts = emitted_reals(loops->dtype);
    const bool is_single = loops->dtype == TCPLAN_FLOAT || loops->dtype == TCPLAN_FLOAT_COMPLEX;
    const char *type = is_single ? "float" : "double";
    const char *arguments = streamed ? "a, b, c, streamed" : "a, b, c";
    int least = EMITTED_PLAIN;
    while (least < EMITTED_SETS - 1 && !(sets >> least & 1U)) least++;
    strbuf_add(out, "static void %s(const %s *a, const %s *b, %s *c) {\n", name, type, type, type);
    for (int part = 0; part < 3; part++) {
        if (loops->offset[part] != 0) strbuf_add(out, "    %c += %lld;\n", letters[part], (long long)loops->offset[part] * parts);
    }
    if (streamed) strbuf_add(out, "    const int streamed = KERNEL_PASTS(c);\n");
    for (int set = EMITTED_SETS - 1; set > least; set--) {
        if (!(sets >> set & 1U)) continue;
        strbuf_add(out, "#if defined(__x86_64__)\n    if (%s) {\n        %s_%s(%s);\n", set_condition[set], name, set_name[set], arguments);
        strbuf_add(out, "%s        return;\n    }\n#endif\n", streamed ? "        KERNEL_FENCE();\n" : "");
    }
    strbuf_add(out, "    %s_%s(%s);\n%s}\n\n", name, set_name[least], arguments, streamed ? "    KERNEL_FENCE();\n" : "");
}

void emitted_add_loops(struct strbuf *out, const char *name, const struct emitted_loops *loops, unsigned sets,
                       const struct emitted_cut *cut) {
    strbuf_add(out, "#ifndef KERNEL_MIXES\n#define KERNEL_MIXES\n%s#endif\n\n", mixes_text);
    add_comment(out, loops);
    for (int set = 0; set < EMITTED_SETS; set++) {
        if (!(sets >> set & 1U)) continue;
        if (set != EMITTED_PLAIN) strbuf_add(out, "#if defined(__x86_64__)\n");
        add_set(out, name, loops, (enum emitted_set)set, cut);
        if (set != EMITTED_PLAIN) strbuf_add(out, "#endif\n\n");
    }
    add_choice(out, name, loops, sets);
}
