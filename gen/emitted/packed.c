/*
 * Kernels of large products, see gen/emitted/emitted.h: both factors are packed as the tiles read them, straight from their strides.
 *
 * A block of B, some columns and a part of k, is packed once and stays in the second cache, or the last one; A goes by in panels of a tile's rows, each of which
 * is packed once for all columns of the block and stays in the first cache. While a panel is multiplied the next one is fetched, so that loading A and
 * computing go on at the same time. Panels are filled up with zeros, so that there is one tile; what it has beyond the result is dropped.
 *
 * A complex number of B counts as two columns, its parts: the product with i, which exchanges the parts of A, is left to the end.
 */
#include <stdio.h>

#include "gen/emit_text.h"
#include "gen/emitted/tile.h"
#include "gen/template.h"
#include "gen/template_text.h"

enum {
    ROUND = 4,               /* products between two fetches */
    LINE_BYTES = 64,         /* what a fetch brings */
    STACK_BYTES = 160 << 10, /* of a block of B: a part of a small second cache */
    FAR_BYTES = 2 << 20,     /* the same where it is allocated: a part of the last cache */
    MOST_ASPECT = 8          /* where the result is so many times as wide as high it is turned, whatever it is contiguous in */
};

/** A panel of A: five eighths of a small first cache, and of one that comes with longer vectors; the rest is for tiles' columns of B and results. */
static const int panel_bytes[EMITTED_SETS] = {20 << 10, 20 << 10, 30 << 10};

/** A kernel for one instruction set on its way. */
struct writer {
    const struct emitted_gemm *gemm;
    struct template_values values;
    enum tcplan_dtype real;
    char letter;
    int parts;   /**< numbers in an element */
    int elems;   /**< elements in a vector */
    int vectors; /**< of rows in a tile */
    int columns; /**< of a tile */
    int64_t block_k;
    int64_t block_columns; /**< in whole tiles, or all */
    int64_t near_columns;  /**< the same where no memory was to be had; block_columns where none is asked for */
};

bool emitted_packs(const struct emitted_gemm *gemm) {
    return gemm->k > EMITTED_MAX_K || (gemm->strides[2][0] != 1 && gemm->strides[2][1] != 1);
}

bool emitted_turns(const struct emitted_gemm *gemm) {
    const bool is_contiguous[2] = {gemm->strides[2][0] == 1, gemm->strides[2][1] == 1};
    if (!emitted_packs(gemm)) return !is_contiguous[0] && is_contiguous[1];
    if (is_contiguous[0] == is_contiguous[1]) return gemm->n > gemm->m;
    const int rows = is_contiguous[0] ? gemm->m : gemm->n;
    const int columns = is_contiguous[0] ? gemm->n : gemm->m;
    return is_contiguous[0] == (columns / MOST_ASPECT > rows);
}

static int rows_of(const struct writer *writer) {
    return writer->vectors * writer->elems;
}

static int64_t bytes_of(const struct writer *writer, int64_t elems) {
    return elems * (int64_t)tcplan_dtype_bytes(writer->gemm->dtype);
}

static int64_t number_bytes(const struct writer *writer) {
    return bytes_of(writer, 1) / writer->parts;
}

static int64_t size_of(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/** Whether the rows of A lie nearer to each other than its columns. */
static bool has_rows_together(const struct emitted_gemm *gemm) {
    return size_of(gemm->strides[0][0]) <= size_of(gemm->strides[0][1]);
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

static void set_number(struct writer *writer, const char *name, int64_t number) {
    strbuf_add(value(writer, name), "%lld", (long long)number);
}

/** ` + 64 * (p)`, elements as numbers; nothing where they are 0. */
static void add_step(const struct writer *writer, struct strbuf *out, int64_t elems, const char *times) {
    const int64_t numbers = elems * writer->parts;
    if (numbers == 0) return;
    strbuf_add(out, "%c ", numbers < 0 ? '-' : '+');
    if (size_of(numbers) != 1) strbuf_add(out, "%lld * ", (long long)size_of(numbers));
    strbuf_add(out, "%s", times);
}

static void set_step(struct writer *writer, const char *name, int64_t elems, const char *times) {
    struct strbuf *out = value(writer, name);
    add_step(writer, out, elems, times);
}

/** `kernel_d4`: a whole vector. */
static void add_type(const struct writer *writer, struct strbuf *out) {
    strbuf_add(out, "kernel_%c%d", writer->letter, writer->elems * writer->parts);
}

static void add_constant(const struct writer *writer, struct strbuf *out, double number) {
    emit_constant(out, writer->real, (struct tcplan_scalar){number, 0});
}

/** `(kernel_d4){-1.0, 1.0, -1.0, 1.0}`. */
static void add_alternating(const struct writer *writer, struct strbuf *out, double even, double odd) {
    strbuf_add(out, "(");
    add_type(writer, out);
    strbuf_add(out, "){");
    for (int e = 0; e < writer->elems * writer->parts; e++) {
        strbuf_add(out, e > 0 ? ", " : "");
        add_constant(writer, out, e % 2 == 0 ? even : odd);
    }
    strbuf_add(out, "}");
}

/* The tile. */

static void set_sums(struct writer *writer) {
    struct strbuf *out = value(writer, "sums");
    for (int c = 0; c < writer->columns * writer->parts; c++) {
        strbuf_add(out, "    ");
        add_type(writer, out);
        for (int v = 0; v < writer->vectors; v++) strbuf_add(out, "%s c%d_%d = {0}", v > 0 ? "," : "", v, c);
        strbuf_add(out, ";\n");
    }
}

static void set_products(struct writer *writer) {
    struct strbuf *out = value(writer, "products");
    const char *indent = "            ";
    for (int v = 0; v < writer->vectors; v++) {
        strbuf_add(out, "%sconst ", indent);
        add_type(writer, out);
        strbuf_add(out, " a%d = *(const ", v);
        add_type(writer, out);
        strbuf_add(out, " *)(a + %d);\n", v * writer->elems * writer->parts);
    }
    for (int c = 0; c < writer->columns * writer->parts; c++) {
        strbuf_add(out, "%s", indent);
        for (int v = 0; v < writer->vectors; v++) strbuf_add(out, "%sc%d_%d += a%d * b[%d];", v > 0 ? " " : "", v, c, v, c);
        strbuf_add(out, "\n");
    }
}

/** How many columns of the next panel, or rows where those are contiguous, are fetched in a round: all of it while a block's columns go by. */
static int64_t fetched_at_once(const struct writer *writer) {
    const int64_t tiles = divide_up(writer->near_columns, writer->columns);
    return has_rows_together(writer->gemm) ? divide_up(ROUND, tiles) : divide_up(rows_of(writer), tiles);
}

/** The lines of a part of a column, each by its last element; the line that an earlier panel begins in that has brought. */
static void add_column_fetches(const struct writer *writer, struct strbuf *out, int64_t column) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t in_line = LINE_BYTES / bytes_of(writer, 1);
    const int64_t rows = rows_of(writer);
    const int64_t apart = gemm->strides[0][0] * gemm->strides[0][0] == 1 ? in_line : 1;
    for (int64_t row = apart; row < rows + apart; row += apart) {
        const int64_t last = (row < rows ? row : rows) - 1;
        const int64_t offset = (last * gemm->strides[0][0] + column * gemm->strides[0][1]) * writer->parts;
        strbuf_add(out, "        __builtin_prefetch(fetch + %lld, 0, 2);\n", (long long)offset);
    }
}

static void set_fetches(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t count = fetched_at_once(writer);
    const bool by_columns = has_rows_together(gemm);
    struct strbuf *out = value(writer, "fetches");
    for (int64_t f = 0; f < count; f++) {
        if (by_columns) {
            add_column_fetches(writer, out, f);
        } else {
            const int64_t offset = (f * gemm->strides[0][0] + (ROUND - 1) * gemm->strides[0][1]) * writer->parts;
            strbuf_add(out, "        __builtin_prefetch(fetch + %lld, 0, 2);\n", (long long)offset);
        }
    }
    set_number(writer, "fetch_step", (by_columns ? count : ROUND) * gemm->strides[0][1] * writer->parts);
    set_number(writer, "fetching_columns", writer->columns * divide_up(by_columns ? ROUND : rows_of(writer), count));
    out = value(writer, "fetch_next");
    if (by_columns) {
        strbuf_add(out, "%lld * (rounded / %d)", (long long)(count * gemm->strides[0][1] * writer->parts), ROUND);
    } else {
        strbuf_add(out, "%lld", (long long)(count * gemm->strides[0][0] * writer->parts));
    }
}

/** The lines of the result's tile. */
static void set_fetch_result(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "fetch_result");
    const bool has_columns = size_of(gemm->strides[2][0]) == 1;
    strbuf_add(out, "    for (ptrdiff_t j = 0; j < columns; j++) {\n");
    if (has_columns) {
        strbuf_add(out, "        __builtin_prefetch(c ");
        add_step(writer, out, gemm->strides[2][1], "j");
        strbuf_add(out, ", 1);\n        __builtin_prefetch(c ");
        add_step(writer, out, gemm->strides[2][0], "(rows - 1)");
    } else {
        strbuf_add(out, "        for (ptrdiff_t i = 0; i < rows; i++) __builtin_prefetch(c ");
        add_step(writer, out, gemm->strides[2][0], "i");
    }
    strbuf_add(out, " ");
    add_step(writer, out, gemm->strides[2][1], "j");
    strbuf_add(out, ", 1);\n    }\n");
}

/** Whether parts of k come one after the other, the first of which does not read the result. */
static bool has_later(const struct writer *writer) {
    return emitted_is_real(writer->gemm->beta, 0) && writer->block_k < writer->gemm->k;
}

/** A vector of the result's tile. */
static void add_sum(const struct writer *writer, struct strbuf *out, int v, int column) {
    if (writer->parts == 1) {
        strbuf_add(out, "c%d_%d", v, column);
        return;
    }
    strbuf_add(out, "c%d_%d + KERNEL_SWAP_%c%d(c%d_%d) * ", v, 2 * column, writer->letter, writer->elems * writer->parts, v,
               2 * column + 1);
    add_alternating(writer, out, -1, 1);
}

/** `x = y;`, `x += y;`, or the one that applies. */
static void add_assignment(const struct writer *writer, struct strbuf *out, const char *at, const char *sum) {
    if (has_later(writer)) strbuf_add(out, "if (later) %s += %s;\n            ", sum, at);
    strbuf_add(out, "%s %s %s;\n", at, emitted_is_real(writer->gemm->beta, 0) ? "=" : "+=", sum);
}

/** Tiles that are whole, of a result whose rows are contiguous. */
static void set_write_whole(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "write_whole");
    if (gemm->strides[2][0] != 1) return;
    strbuf_add(out, "    if (rows == %d && columns == %d) {\n", rows_of(writer), writer->columns);
    for (int c = 0; c < writer->columns; c++) {
        for (int v = 0; v < writer->vectors; v++) {
            char at[96];
            snprintf(at, sizeof at, "*(kernel_%c%d *)(c + %lld)", writer->letter, writer->elems * writer->parts,
                     (long long)((gemm->strides[2][1] * c + (int64_t)v * writer->elems) * writer->parts));
            if (writer->parts == 2) {
                strbuf_add(out, "        c%d_%d = ", v, 2 * c);
                add_sum(writer, out, v, c);
                strbuf_add(out, ";\n");
            }
            char sum[32];
            snprintf(sum, sizeof sum, "c%d_%d", v, c * writer->parts);
            strbuf_add(out, "            ");
            add_assignment(writer, out, at, sum);
        }
    }
    strbuf_add(out, "        return;\n    }\n");
}

/** All others: number by number. */
static void set_write_elements(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int numbers = rows_of(writer) * writer->parts;
    struct strbuf *out = value(writer, "write_sums");
    for (int c = 0; c < writer->columns; c++) {
        for (int v = 0; v < writer->vectors; v++) {
            strbuf_add(out, "    *(");
            add_type(writer, out);
            strbuf_add(out, " *)(sums + %d) = ", numbers * c + v * writer->elems * writer->parts);
            add_sum(writer, out, v, c);
            strbuf_add(out, ";\n");
        }
    }
    out = value(writer, "write_elements");
    strbuf_add(out, "            %s *to = c ", emit_type(writer->real));
    add_step(writer, out, gemm->strides[2][0], "i");
    strbuf_add(out, " ");
    add_step(writer, out, gemm->strides[2][1], "j");
    strbuf_add(out, ";\n");
    for (int part = 0; part < writer->parts; part++) {
        char at[16], sum[48];
        snprintf(at, sizeof at, "to[%d]", part);
        snprintf(sum, sizeof sum, "sums[%d * j + %d * i + %d]", numbers, writer->parts, part);
        strbuf_add(out, "            ");
        add_assignment(writer, out, at, sum);
    }
    set_number(writer, "tile_numbers", (int64_t)numbers * writer->columns);
}

/* Packing. */

/** A vector of a column of A. */
static void add_gathered(const struct writer *writer, struct strbuf *out, int v) {
    const struct emitted_gemm *gemm = writer->gemm;
    if (gemm->strides[0][0] == 1) {
        strbuf_add(out, "*(const ");
        add_type(writer, out);
        strbuf_add(out, " *)(a + %d ", v * writer->elems * writer->parts);
        add_step(writer, out, gemm->strides[0][1], "p");
        strbuf_add(out, ")");
    } else {
        strbuf_add(out, "(");
        add_type(writer, out);
        strbuf_add(out, "){");
        for (int e = 0; e < writer->elems * writer->parts; e++) {
            const int64_t offset = (v * writer->elems + e / writer->parts) * gemm->strides[0][0] * writer->parts + e % writer->parts;
            strbuf_add(out, "%sa[%lld ", e > 0 ? ", " : "", (long long)offset);
            add_step(writer, out, gemm->strides[0][1], "p");
            strbuf_add(out, "]");
        }
        strbuf_add(out, "}");
    }
    if (!gemm->conjugated[0]) return;
    strbuf_add(out, " * ");
    add_alternating(writer, out, 1, -1);
}

static void set_pack_a(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int numbers = rows_of(writer) * writer->parts;
    struct strbuf *out = value(writer, "pack_whole");
    for (int v = 0; v < writer->vectors; v++) {
        strbuf_add(out, "        *(");
        add_type(writer, out);
        strbuf_add(out, " *)(to + %d * p + %d) = ", numbers, v * writer->elems * writer->parts);
        add_gathered(writer, out, v);
        strbuf_add(out, ";\n");
    }
    out = value(writer, "pack_row");
    for (int part = 0; part < writer->parts; part++) {
        strbuf_add(out, "            to[%d * p + %d * i + %d] = i < rows && p < k ? %sa[%d ", numbers, writer->parts, part,
                   part == 1 && gemm->conjugated[0] ? "-" : "", part);
        add_step(writer, out, gemm->strides[0][0], "i");
        strbuf_add(out, " ");
        add_step(writer, out, gemm->strides[0][1], "p");
        strbuf_add(out, "] : 0;\n");
    }
}

/** `x * 2.0`. */
static void add_times(const struct writer *writer, struct strbuf *out, const char *name, double factor) {
    strbuf_add(out, "%s", name);
    if (factor == 1) return;
    strbuf_add(out, " * ");
    add_constant(writer, out, factor);
}

/** A part of a factor times the complex number `re`, `im`; infinities stay in their parts where the factor is real. */
static void add_product(const struct writer *writer, struct strbuf *out, struct tcplan_scalar factor, int part) {
    add_times(writer, out, part == 0 ? "re" : "im", factor.re);
    if (factor.im == 0) return;
    strbuf_add(out, part == 0 ? " - " : " + ");
    add_times(writer, out, part == 0 ? "im" : "re", factor.im);
}

/** An element of B times alpha, as numbers for its columns. */
static void set_pack_column(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const struct tcplan_scalar alpha = gemm->alpha;
    const char *indent = "            ";
    const int numbers = writer->columns * writer->parts;
    struct strbuf *out = value(writer, "pack_column");
    strbuf_add(out, "%sconst %s *from = b ", indent, emit_type(writer->real));
    add_step(writer, out, gemm->strides[1][0], "p");
    strbuf_add(out, " ");
    add_step(writer, out, gemm->strides[1][1], "j");
    strbuf_add(out, ";\n");
    if (writer->parts == 1) {
        strbuf_add(out, "%sto[%d * p + j] = ", indent, numbers);
        add_times(writer, out, "*from", alpha.re);
        strbuf_add(out, ";\n");
        return;
    }
    strbuf_add(out, "%sconst %s re = from[0], im = %sfrom[1];\n", indent, emit_type(writer->real), gemm->conjugated[1] ? "-" : "");
    for (int part = 0; part < 2; part++) {
        strbuf_add(out, "%sto[%d * p + 2 * j + %d] = ", indent, numbers, part);
        add_product(writer, out, alpha, part);
        strbuf_add(out, ";\n");
    }
}

static void set_pack_b(struct writer *writer) {
    static const char *const by_k = "for (ptrdiff_t p = 0; p < k; p++)";
    static const char *const by_columns = "for (ptrdiff_t j = 0; j < columns; j++)";
    const bool has_columns_together = size_of(writer->gemm->strides[1][1]) <= size_of(writer->gemm->strides[1][0]);
    strbuf_add(value(writer, "pack_b_outer"), "%s", has_columns_together ? by_k : by_columns);
    strbuf_add(value(writer, "pack_b_inner"), "%s", has_columns_together ? by_columns : by_k);
    set_pack_column(writer);
}

/* The whole. */

/** C := beta C, where that is neither 0 nor 1. */
static void set_scale(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const struct tcplan_scalar beta = gemm->beta;
    struct strbuf *out = value(writer, "scale");
    if (emitted_is_real(beta, 0) || emitted_is_real(beta, 1)) return;
    strbuf_add(out, "    for (ptrdiff_t j = 0; j < %d; j++) {\n        for (ptrdiff_t i = 0; i < %d; i++) {\n", gemm->n, gemm->m);
    strbuf_add(out, "            %s *to = c ", emit_type(writer->real));
    add_step(writer, out, gemm->strides[2][0], "i");
    strbuf_add(out, " ");
    add_step(writer, out, gemm->strides[2][1], "j");
    strbuf_add(out, ";\n");
    if (writer->parts == 1) {
        strbuf_add(out, "            *to = ");
        add_times(writer, out, "*to", beta.re);
    } else {
        strbuf_add(out, "            const %s re = to[0], im = to[1];\n            to[0] = ", emit_type(writer->real));
        add_product(writer, out, beta, 0);
        strbuf_add(out, ";\n            to[1] = ");
        add_product(writer, out, beta, 1);
    }
    strbuf_add(out, ";\n        }\n    }\n");
}

/** Where a block of B is packed, and how many columns it has. */
static void set_block(struct writer *writer) {
    const char *type = emit_type(writer->real);
    const int64_t near_numbers = writer->near_columns * writer->block_k * writer->parts;
    const int64_t line_numbers = LINE_BYTES / number_bytes(writer);
    struct strbuf *out = value(writer, "block");
    if (writer->block_columns == writer->near_columns) {
        strbuf_add(out, "    enum { block_columns = %lld };\n    %s block[%lld] __attribute__((aligned(64)));\n",
                   (long long)writer->block_columns, type, (long long)near_numbers);
        return;
    }
    const int64_t numbers = writer->block_columns * writer->block_k * writer->parts;
    strbuf_add(out, "    %s near[%lld] __attribute__((aligned(64)));\n", type, (long long)near_numbers);
    strbuf_add(out, "    void *far = malloc(%lld);\n", (long long)((numbers + line_numbers) * number_bytes(writer)));
    strbuf_add(out, "    %s *block = far ? (%s *)(((uintptr_t)far + %d) / %d * %d) : near;\n", type, type, LINE_BYTES - 1, LINE_BYTES,
               LINE_BYTES);
    strbuf_add(out, "    const ptrdiff_t block_columns = far ? %lld : %lld;\n", (long long)writer->block_columns,
               (long long)writer->near_columns);
}

static void set_release(struct writer *writer) {
    struct strbuf *out = value(writer, "release");
    if (writer->block_columns > writer->near_columns) strbuf_add(out, "    free(far);\n");
}

/** As many columns as fit, in whole tiles of equal blocks. */
static int64_t columns_in(const struct writer *writer, int64_t bytes) {
    const int64_t tiles = divide_up(writer->gemm->n, writer->columns);
    const int64_t most = bytes / bytes_of(writer, writer->block_k * writer->columns);
    return writer->columns * divide_up(tiles, divide_up(tiles, most > 1 ? most : 1));
}

/** Parts of k and columns, so that panels and blocks stay in their caches. */
static void choose_blocks(struct writer *writer, enum emitted_set set) {
    const int64_t k = writer->gemm->k;
    const int64_t most = panel_bytes[set] / bytes_of(writer, rows_of(writer));
    const int64_t part = divide_up(k, divide_up(k, most > ROUND ? most : ROUND));
    writer->block_k = divide_up(part, ROUND) * ROUND;
    writer->near_columns = columns_in(writer, STACK_BYTES);
    writer->block_columns = columns_in(writer, FAR_BYTES);
}

static void set_values(struct writer *writer, const char *name, const struct emitted_packed *packed) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int rows = rows_of(writer);
    char next[32];
    strbuf_add(value(writer, "name"), "%s_%s", name, packed->suffix);
    strbuf_add(value(writer, "target"), "%s", packed->target);
    strbuf_add(value(writer, "number"), "%s", emit_type(writer->real));
    strbuf_add(value(writer, "later_parameter"), "%s", has_later(writer) ? "int later," : "");
    strbuf_add(value(writer, "later_argument"), "%s", has_later(writer) ? "p > 0," : "");
    set_number(writer, "round", ROUND);
    set_number(writer, "round_less", ROUND - 1);
    set_number(writer, "m", gemm->m);
    set_number(writer, "n", gemm->n);
    set_number(writer, "k", gemm->k);
    set_number(writer, "rows", rows);
    set_number(writer, "columns", writer->columns);
    set_number(writer, "panel_a", (int64_t)rows * writer->parts);
    set_number(writer, "panel_b", (int64_t)writer->columns * writer->parts);
    set_number(writer, "panel_numbers", rows * writer->block_k * writer->parts);
    set_number(writer, "block_k", writer->block_k);
    snprintf(next, sizeof next, "(i + %d)", rows);
    set_step(writer, "a_next", gemm->strides[0][0], next);
    set_step(writer, "a_i", gemm->strides[0][0], "i");
    set_step(writer, "a_p", gemm->strides[0][1], "p");
    set_step(writer, "b_p", gemm->strides[1][0], "p");
    set_step(writer, "b_j", gemm->strides[1][1], "j");
    set_step(writer, "c_i", gemm->strides[2][0], "i");
    set_step(writer, "c_j", gemm->strides[2][1], "j");
}

/** Cycles of all tiles for one of k: products, loads, and the time that a sum waits for the one before. */
static double cycles(const struct writer *writer, int vectors, int columns) {
    const struct emitted_gemm *gemm = writer->gemm;
    const double products = 0.5 * vectors * columns * writer->parts;
    const double loads = 0.5 * (vectors + columns * writer->parts);
    double own = products > loads ? products : loads;
    if (own < EMITTED_LATENCY) own = EMITTED_LATENCY;
    return own * (double)divide_up(gemm->m, (int64_t)vectors * writer->elems) * (double)divide_up(gemm->n, columns);
}

/** Sums, a column of A and an element of B stay in registers; of equally good ones the largest tile with fewest rows, whose panels have more of k. */
static void choose_tile(struct writer *writer, enum emitted_set set) {
    double least = 0;
    for (int vectors = 1; vectors <= 3; vectors++) {
        for (int columns = 1; vectors * (columns * writer->parts + 1) < emitted_registers(set); columns++) {
            const double own = cycles(writer, vectors, columns);
            const bool is_larger = vectors * columns > writer->vectors * writer->columns;
            if (least > 0 && (own > least || (own == least && !is_larger))) continue;
            least = own;
            writer->vectors = vectors;
            writer->columns = columns;
        }
    }
}

void emitted_add_packed(struct strbuf *out, const char *name, const struct emitted_packed *packed) {
    const struct emitted_gemm *gemm = packed->gemm;
    const bool is_single = gemm->dtype == TCPLAN_FLOAT || gemm->dtype == TCPLAN_FLOAT_COMPLEX;
    struct writer writer = {.gemm = gemm,
                            .real = is_single ? TCPLAN_FLOAT : TCPLAN_DOUBLE,
                            .letter = is_single ? 's' : 'd',
                            .parts = emitted_reals(gemm->dtype),
                            .elems = emitted_vector_elems(gemm->dtype, packed->set)};
    choose_tile(&writer, packed->set);
    if (packed->tile) {
        writer.vectors = packed->tile->vectors;
        writer.columns = packed->tile->columns;
    }
    choose_blocks(&writer, packed->set);
    set_values(&writer, name, packed);
    set_sums(&writer);
    set_fetch_result(&writer);
    set_fetches(&writer);
    set_products(&writer);
    set_write_whole(&writer);
    set_write_elements(&writer);
    set_pack_a(&writer);
    set_pack_b(&writer);
    set_scale(&writer);
    set_block(&writer);
    set_release(&writer);
    if (writer.values.text.failed) out->failed = true;
    if (!out->failed) template_add(out, &writer.values, packed_text);
    template_free(&writer.values);
}
