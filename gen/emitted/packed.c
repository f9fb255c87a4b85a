/*
 * Kernels of large products, see gen/emitted/emitted.h.
 *
 * Both factors are packed in the order of the tiles, directly from their strides. A block of B
 * (some columns and a part of k) is packed once and stays in the second or last cache. A is
 * processed in panels of a tile's rows; each is packed once for all columns of the block and stays
 * in the first cache. While a panel is multiplied, the next one is prefetched, so that loads of A
 * overlap with computation. Panels are padded with zeros, so one tile shape suffices; the excess is
 * dropped.
 *
 * Fused indices need not be contiguous. For those that are not, tables hold the places of the
 * elements: of a panel's rows, a block's columns, and a part of k.
 *
 * A complex number of B counts as two columns, its parts; the product with i, which exchanges the
 * parts of A, is applied at the end.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "ast/scalar.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/blocks.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/sums.h"
#include "gen/emitted/tile.h"

enum {
    MOST_ASPECT = 8 /* a result with this many times more columns than rows is transposed, whichever
                       dimension is contiguous */
};

static const int role_of[3][2] = {{ROLE_ROWS, ROLE_CONTRACTED},
                                  {ROLE_CONTRACTED, ROLE_COLUMNS},
                                  {ROLE_ROWS, ROLE_COLUMNS}}; /* roles of rows and columns of A, B
                                                                 and C */
static const char *const role_name[ROLES] = {"row", "column", "k"};
static const char part_name[3] = {'a', 'b', 'c'};

/** State of generating a kernel for one instruction set. */
struct writer {
    const struct emitted_gemm *gemm;
    char name[96]; /**< prefix of the names of the kernel's functions */
    struct template_values values;
    struct emitted_numbers numbers;
    int elems;      /**< elements in a vector */
    int vectors;    /**< vectors of rows in a tile */
    int columns;    /**< columns of a tile */
    int round;      /**< products between two prefetches; the loop over them is unrolled */
    int64_t most_k; /**< maximum extent of k that is packed at once */
    int64_t block_k;
    int64_t block_columns; /**< columns of a block: a multiple of a tile's, or all */
    int64_t near_columns;  /**< columns of a block if no memory can be allocated; equal to
                              block_columns if none is needed */
};

bool emitted_packs(const struct emitted_gemm *gemm) {
    if (emitted_goes_by_lines(gemm) || emitted_transposes(gemm)) return false;
    if (blocks_is_split(gemm, ROLE_ROWS) || blocks_is_split(gemm, ROLE_COLUMNS) ||
        blocks_is_split(gemm, ROLE_CONTRACTED))
        return true;
    return gemm->k > EMITTED_MAX_K || (gemm->strides[2][0] != 1 && gemm->strides[2][1] != 1);
}

bool emitted_turns(const struct emitted_gemm *gemm) {
    const bool is_contiguous[2] = {gemm->strides[2][0] == 1, gemm->strides[2][1] == 1};
    const int transposes = emitted_transposes(gemm);
    if (transposes) return transposes == 2;
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
    return bytes_of(writer, 1) / writer->numbers.parts;
}

/** Returns whether the stride between A's rows is at most that between its columns. */
static bool has_rows_together(const struct emitted_gemm *gemm) {
    return llabs(gemm->strides[0][0]) <= llabs(gemm->strides[0][1]);
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

static void set_number(struct writer *writer, const char *name, int64_t number) {
    strbuf_add(value(writer, name), "%lld", (long long)number);
}

/** Sets the text of the offset at which the current block, panel or part of k begins in an operand;
 * empty if tables contain it. */
static void set_base(struct writer *writer, const char *name, int part, int side,
                     const char *times) {
    struct strbuf *out = value(writer, name);
    if (!blocks_is_split(writer->gemm, role_of[part][side]))
        emitted_add_term(out, &writer->numbers, writer->gemm->strides[part][side], times);
}

/** Prints the offset of an element from the base that set_base() sets, in real numbers: `+ 64 * i`,
 * or an entry of a table. */
static void add_place(const struct writer *writer, struct strbuf *out, int part, int side,
                      const char *index) {
    const int role = role_of[part][side];
    if (blocks_is_split(writer->gemm, role)) {
        strbuf_add(out, "+ %s_%c[%s]", role_name[role], part_name[part], index);
    } else {
        emitted_add_term(out, &writer->numbers, writer->gemm->strides[part][side], index);
    }
}

/** Prints the parameters or arguments for tables of offsets: `const ptrdiff_t *row_c, `, or
 * `column_c + (j - first), `. */
static void add_tables(const struct writer *writer, struct strbuf *out, int part, bool is_call,
                       bool within_block) {
    for (int side = 0; side < 2; side++) {
        const int role = role_of[part][side];
        if (!blocks_is_split(writer->gemm, role)) continue;
        strbuf_add(out, "%s%s_%c", is_call ? "" : "const ptrdiff_t *", role_name[role],
                   part_name[part]);
        strbuf_add(out, "%s, ",
                   is_call && within_block && role == ROLE_COLUMNS ? " + (j - first)" : "");
    }
}

/** Returns how many columns of A's next panel (or rows, if these are contiguous) to prefetch per
 * round, so that the whole panel is prefetched when all columns of the block are done. */
static int64_t fetched_at_once(const struct writer *writer) {
    const int64_t tiles = blocks_divide_up(writer->near_columns, writer->columns);
    return has_rows_together(writer->gemm) ? blocks_divide_up(writer->round, tiles)
                                           : blocks_divide_up(rows_of(writer), tiles);
}

/** Emits a prefetch of an element some rows and columns after `fetch`. */
static void add_fetch(const struct writer *writer, struct strbuf *out, int64_t row,
                      int64_t column) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t elems =
        row * gemm->strides[0][0] +
        (blocks_is_split(gemm, ROLE_CONTRACTED) ? 0 : column * gemm->strides[0][1]);
    const int64_t offset = elems * writer->numbers.parts;
    strbuf_add(out, "        __builtin_prefetch(fetch + %lld", (long long)offset);
    if (blocks_is_split(gemm, ROLE_CONTRACTED))
        strbuf_add(out, " + ahead[%lld]", (long long)column);
    strbuf_add(out, ", 0, 2);\n");
}

/** Emits prefetches of the cache lines in a part of a column, each by its last element; the first
 * line was fetched with an earlier panel. */
static void add_column_fetches(const struct writer *writer, struct strbuf *out, int64_t column) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t in_line = EMITTED_LINE_BYTES / bytes_of(writer, 1);
    const int64_t rows = rows_of(writer);
    const int64_t apart = gemm->strides[0][0] * gemm->strides[0][0] == 1 ? in_line : 1;
    for (int64_t row = apart; row < rows + apart; row += apart) {
        add_fetch(writer, out, (row < rows ? row : rows) - 1, column);
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
            add_fetch(writer, out, f, writer->round - 1);
        }
    }
    const bool by_table = blocks_is_split(gemm, ROLE_CONTRACTED);
    const int64_t columns = by_columns ? count : writer->round;
    const int64_t step = by_table ? columns : columns * gemm->strides[0][1] * writer->numbers.parts;
    const char *pointer = by_table ? "ahead" : "fetch";
    strbuf_add(value(writer, "fetch_on"), "        %s += step;\n", pointer);
    set_number(writer, "fetch_step", step);
    set_number(writer, "fetching_columns",
               writer->columns *
                   blocks_divide_up(by_columns ? writer->round : rows_of(writer), count));
    out = value(writer, "fetch_next");
    if (by_columns) {
        strbuf_add(out, "                    if (fetches) %s += %lld * (rounded / %d);\n",
                   by_table ? "ahead" : "next", (long long)step, writer->round);
    } else {
        const int64_t rows = count * gemm->strides[0][0] * writer->numbers.parts;
        strbuf_add(out, "                    if (fetches) next += %lld;\n", (long long)rows);
    }
}

/** Sets the text that prefetches the cache lines of a tile of the result. */
static void set_fetch_result(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "fetch_result");
    const bool has_columns = llabs(gemm->strides[2][0]) == 1;
    const char *const row[2] = {has_columns ? "0" : "i",
                                blocks_is_split(gemm, ROLE_ROWS) ? "rows - 1" : "(rows - 1)"};
    strbuf_add(out, "    for (ptrdiff_t j = 0; j < columns; j++) {\n");
    for (int end = 0; end < (has_columns ? 2 : 1); end++) {
        strbuf_add(out, "        %s__builtin_prefetch(c ",
                   has_columns ? "" : "for (ptrdiff_t i = 0; i < rows; i++) ");
        add_place(writer, out, 2, 0, row[end]);
        strbuf_add(out, " ");
        add_place(writer, out, 2, 1, "j");
        strbuf_add(out, ", 1);\n");
    }
    strbuf_add(out, "    }\n");
}

/** Returns whether only the later parts of k add to the result: beta is 0, and k is divided into
 * several parts. */
static bool has_later(const struct writer *writer) {
    return scalar_is(writer->gemm->beta, 0) && writer->block_k < writer->gemm->k;
}

/** Prints the sum for a vector of a tile. */
static void add_sum(const struct writer *writer, struct strbuf *out, int v, int column) {
    if (writer->numbers.parts == 1) {
        strbuf_add(out, "c%d_%d", v, column);
        return;
    }
    strbuf_add(out, "c%d_%d + KERNEL_SWAP_%c%d(c%d_%d) * ", v, 2 * column, writer->numbers.letter,
               writer->elems * writer->numbers.parts, v, 2 * column + 1);
    emitted_add_alternating(out, &writer->numbers, writer->elems, -1, 1);
}

/** Emits `x = y;`, `x += y;`, or a choice between both at run time. */
static void add_assignment(const struct writer *writer, struct strbuf *out, const char *at,
                           const char *sum) {
    if (has_later(writer)) strbuf_add(out, "if (later) %s += %s;\n            ", sum, at);
    strbuf_add(out, "%s %s %s;\n", at, scalar_is(writer->gemm->beta, 0) ? "=" : "+=", sum);
}

/** Sets the text that writes whole tiles if the result's rows are contiguous. */
static void set_write_whole(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "write_whole");
    if (gemm->strides[2][0] != 1) return;
    strbuf_add(out, "    if (whole && columns == %d) {\n", writer->columns);
    for (int c = 0; c < writer->columns; c++) {
        for (int v = 0; v < writer->vectors; v++) {
            const int64_t column =
                blocks_is_split(gemm, ROLE_COLUMNS) ? 0 : gemm->strides[2][1] * c;
            const int64_t offset = (column + (int64_t)v * writer->elems) * writer->numbers.parts;
            char at[96], table[32] = "";
            if (blocks_is_split(gemm, ROLE_COLUMNS))
                snprintf(table, sizeof table, " + column_c[%d]", c);
            snprintf(at, sizeof at, "*(kernel_%c%d *)(c + %lld%s%s)", writer->numbers.letter,
                     writer->elems * writer->numbers.parts, (long long)offset,
                     blocks_is_split(gemm, ROLE_ROWS) ? " + row_c[0]" : "", table);
            if (writer->numbers.parts == 2) {
                strbuf_add(out, "        c%d_%d = ", v, 2 * c);
                add_sum(writer, out, v, c);
                strbuf_add(out, ";\n");
            }
            char sum[32];
            snprintf(sum, sizeof sum, "c%d_%d", v, c * writer->numbers.parts);
            strbuf_add(out, "            ");
            add_assignment(writer, out, at, sum);
        }
    }
    strbuf_add(out, "        return;\n    }\n");
}

/** Sets the text that writes a tile one number at a time, for tiles that the text of
 * set_write_whole() does not write. */
static void set_write_elements(struct writer *writer) {
    const int numbers = rows_of(writer) * writer->numbers.parts;
    struct strbuf *out = value(writer, "write_sums");
    for (int c = 0; c < writer->columns; c++) {
        for (int v = 0; v < writer->vectors; v++) {
            strbuf_add(out, "    *(");
            emitted_add_type(out, &writer->numbers, writer->elems);
            strbuf_add(
                out, " *)(sums + %d) = ", numbers * c + v * writer->elems * writer->numbers.parts);
            add_sum(writer, out, v, c);
            strbuf_add(out, ";\n");
        }
    }
    out = value(writer, "write_elements");
    strbuf_add(out, "            %s *to = c ", writer->numbers.type);
    add_place(writer, out, 2, 0, "i");
    strbuf_add(out, " ");
    add_place(writer, out, 2, 1, "j");
    strbuf_add(out, ";\n");
    for (int part = 0; part < writer->numbers.parts; part++) {
        char at[16], sum[48];
        snprintf(at, sizeof at, "to[%d]", part);
        snprintf(sum, sizeof sum, "sums[%d * j + %d * i + %d]", numbers, writer->numbers.parts,
                 part);
        strbuf_add(out, "            ");
        add_assignment(writer, out, at, sum);
    }
    set_number(writer, "tile_numbers", (int64_t)numbers * writer->columns);
}

/** Emits the load of vector `v` of column p of A: at once if rows are contiguous, otherwise element
 * by element. */
static void add_gathered(const struct writer *writer, struct strbuf *out, int v) {
    const struct emitted_gemm *gemm = writer->gemm;
    if (gemm->strides[0][0] == 1) {
        strbuf_add(out, "*(const ");
        emitted_add_type(out, &writer->numbers, writer->elems);
        strbuf_add(out, " *)(a + %d%s ", v * writer->elems * writer->numbers.parts,
                   blocks_is_split(gemm, ROLE_ROWS) ? " + row_a[0]" : "");
        add_place(writer, out, 0, 1, "p");
        strbuf_add(out, ")");
    } else {
        strbuf_add(out, "(");
        emitted_add_type(out, &writer->numbers, writer->elems);
        strbuf_add(out, "){");
        for (int e = 0; e < writer->elems * writer->numbers.parts; e++) {
            const int64_t offset = (v * writer->elems + e / writer->numbers.parts) *
                                       gemm->strides[0][0] * writer->numbers.parts +
                                   e % writer->numbers.parts;
            strbuf_add(out, "%sa[%lld%s ", e > 0 ? ", " : "", (long long)offset,
                       blocks_is_split(gemm, ROLE_ROWS) ? " + row_a[0]" : "");
            add_place(writer, out, 0, 1, "p");
            strbuf_add(out, "]");
        }
        strbuf_add(out, "}");
    }
    if (!gemm->conjugated[0]) return;
    strbuf_add(out, " * ");
    emitted_add_alternating(out, &writer->numbers, writer->elems, 1, -1);
}

static void set_pack_a(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int numbers = rows_of(writer) * writer->numbers.parts;
    struct strbuf *out = value(writer, "pack_whole");
    for (int v = 0; v < writer->vectors; v++) {
        strbuf_add(out, "        *(");
        emitted_add_type(out, &writer->numbers, writer->elems);
        strbuf_add(out, " *)(to + %d * p + %d) = ", numbers,
                   v * writer->elems * writer->numbers.parts);
        add_gathered(writer, out, v);
        strbuf_add(out, ";\n");
    }
    out = value(writer, "pack_row");
    for (int part = 0; part < writer->numbers.parts; part++) {
        strbuf_add(out, "            to[%d * p + %d * i + %d] = i < rows && p < k ? %sa[%d ",
                   numbers, writer->numbers.parts, part,
                   part == 1 && gemm->conjugated[0] ? "-" : "", part);
        add_place(writer, out, 0, 0, "i");
        strbuf_add(out, " ");
        add_place(writer, out, 0, 1, "p");
        strbuf_add(out, "] : 0;\n");
    }
}

/** Adds `x * 2.0`. */
static void add_times(const struct writer *writer, struct strbuf *out, const char *name,
                      double factor) {
    strbuf_add(out, "%s", name);
    if (factor == 1) return;
    strbuf_add(out, " * ");
    emitted_add_number(out, &writer->numbers, factor);
}

/** Emits a part of a factor times the complex number `re`, `im`. A real factor multiplies the real
 * and imaginary parts separately, so that an infinity in one part does not spread to the other. */
static void add_product(const struct writer *writer, struct strbuf *out,
                        struct tcplan_scalar factor, int part) {
    add_times(writer, out, part == 0 ? "re" : "im", factor.re);
    if (factor.im == 0) return;
    strbuf_add(out, part == 0 ? " - " : " + ");
    add_times(writer, out, part == 0 ? "im" : "re", factor.im);
}

/** Sets the text that packs an element of B times alpha, as one or two real columns. */
static void set_pack_column(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const struct tcplan_scalar alpha = gemm->alpha;
    const char *indent = "            ";
    const int numbers = writer->columns * writer->numbers.parts;
    struct strbuf *out = value(writer, "pack_column");
    strbuf_add(out, "%sconst %s *from = b ", indent, writer->numbers.type);
    add_place(writer, out, 1, 0, "p");
    strbuf_add(out, " ");
    add_place(writer, out, 1, 1, "j");
    strbuf_add(out, ";\n");
    if (writer->numbers.parts == 1) {
        strbuf_add(out, "%sto[%d * p + j] = ", indent, numbers);
        add_times(writer, out, "*from", alpha.re);
        strbuf_add(out, ";\n");
        return;
    }
    strbuf_add(out, "%sconst %s re = from[0], im = %sfrom[1];\n", indent, writer->numbers.type,
               gemm->conjugated[1] ? "-" : "");
    for (int part = 0; part < 2; part++) {
        strbuf_add(out, "%sto[%d * p + 2 * j + %d] = ", indent, numbers, part);
        add_product(writer, out, alpha, part);
        strbuf_add(out, ";\n");
    }
}

static void set_pack_b(struct writer *writer) {
    static const char *const by_k = "for (ptrdiff_t p = 0; p < k; p++)";
    static const char *const by_columns = "for (ptrdiff_t j = 0; j < columns; j++)";
    const bool has_columns_together =
        llabs(writer->gemm->strides[1][1]) <= llabs(writer->gemm->strides[1][0]);
    strbuf_add(value(writer, "pack_b_outer"), "%s", has_columns_together ? by_k : by_columns);
    strbuf_add(value(writer, "pack_b_inner"), "%s", has_columns_together ? by_columns : by_k);
    set_pack_column(writer);
}

/** Emits the function that returns the offset of an index of a role in an operand. */
static void add_finding(const struct writer *writer, struct strbuf *out, int part, int side) {
    const int role = role_of[part][side];
    const struct blas_call_split *split = &writer->gemm->split[role];
    const int own = role == ROLE_CONTRACTED ? part : part == 2; /* number of the operand among the
                                                                   two that have the role */
    int64_t before = 1;
    strbuf_add(out, "static inline ptrdiff_t %s_%s_%c(ptrdiff_t x) {\n    return ", writer->name,
               role_name[role], part_name[part]);
    for (int d = 0; d < split->count; d++) {
        const int64_t stride = split->stride[own][d] * writer->numbers.parts;
        strbuf_add(out, "%s%lld * (x", d > 0 ? " + " : "", (long long)stride);
        if (before > 1) strbuf_add(out, " / %lld", (long long)before);
        if (d + 1 < split->count) strbuf_add(out, " %% %d", split->extent[d]);
        strbuf_add(out, ")");
        before *= split->extent[d];
    }
    strbuf_add(out, ";\n}\n\n");
}

static void set_places(struct writer *writer) {
    struct strbuf *out = value(writer, "places");
    for (int part = 0; part < 3; part++) {
        for (int side = 0; side < 2; side++) {
            if (blocks_is_split(writer->gemm, role_of[part][side]))
                add_finding(writer, out, part, side);
        }
    }
}

/** Prints the offset of an index of a role in an operand, computed without a table. */
static void add_found(const struct writer *writer, struct strbuf *out, int part, int side,
                      const char *index) {
    const int role = role_of[part][side];
    if (blocks_is_split(writer->gemm, role)) {
        strbuf_add(out, "+ %s_%s_%c(%s)", writer->name, role_name[role], part_name[part], index);
    } else {
        emitted_add_term(out, &writer->numbers, writer->gemm->strides[part][side], index);
    }
}

/** Emits the code that fills the table of offsets of a role: `length` offsets from index `base` on,
 * then zeros up to `room`. */
static void add_filling(const struct writer *writer, struct strbuf *out, int role,
                        const char *indent, const char *base, const char *length,
                        const char *room) {
    const int part[ROLES][2] = {{0, 2}, {1, 2}, {0, 1}};
    if (!blocks_is_split(writer->gemm, role)) return;
    strbuf_add(out, "%sfor (ptrdiff_t x = 0; x < %s; x++) {\n", indent, room ? room : length);
    for (int o = 0; o < 2; o++) {
        const char own = part_name[part[role][o]];
        strbuf_add(out, "%s    %s_%c[x] = ", indent, role_name[role], own);
        if (room) strbuf_add(out, "x < %s ? ", length);
        strbuf_add(out, "%s_%s_%c(%s + x)%s;\n", writer->name, role_name[role], own, base,
                   room ? " : 0" : "");
    }
    strbuf_add(out, "%s}\n", indent);
}

static void set_tables(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t count =
        fetched_at_once(writer); /* the last prefetches may exceed the part of k */
    const int64_t ahead =
        blocks_divide_up(writer->round, count) * count * (writer->block_k / writer->round) + count +
        writer->round;
    char room[32];
    struct strbuf *out = value(writer, "tables");
    if (blocks_is_split(gemm, ROLE_ROWS))
        strbuf_add(out, "    ptrdiff_t row_a[%d], row_c[%d];\n", rows_of(writer), rows_of(writer));
    if (blocks_is_split(gemm, ROLE_COLUMNS))
        strbuf_add(out, "    ptrdiff_t column_b[%lld], column_c[%lld];\n",
                   (long long)writer->block_columns, (long long)writer->block_columns);
    if (blocks_is_split(gemm, ROLE_CONTRACTED)) {
        strbuf_add(out, "    ptrdiff_t k_a[%lld], k_b[%lld];\n", (long long)ahead,
                   (long long)ahead);
        strbuf_add(out, "    static const ptrdiff_t none[%lld] = {0};\n", (long long)ahead);
    }
    snprintf(room, sizeof room, "%lld", (long long)ahead);
    add_filling(writer, value(writer, "find_columns"), ROLE_COLUMNS, "        ", "first",
                "end - first", NULL);
    add_filling(writer, value(writer, "find_k"), ROLE_CONTRACTED, "            ", "p", "k", room);
    out = value(writer, "find_rows");
    add_filling(writer, out, ROLE_ROWS, "                ", "i", "rows", NULL);
    if (blocks_is_split(gemm, ROLE_CONTRACTED))
        strbuf_add(out, "                const ptrdiff_t *ahead = k_a;\n");
    out = value(writer, "is_whole");
    if (blocks_is_split(gemm, ROLE_ROWS))
        strbuf_add(out, "&& i %% %d + %d <= %d", gemm->split[ROLE_ROWS].extent[0], rows_of(writer),
                   gemm->split[ROLE_ROWS].extent[0]);
    out = value(writer, "tile_parameters");
    add_tables(writer, out, 2, false, true);
    if (blocks_is_split(gemm, ROLE_CONTRACTED)) strbuf_add(out, "const ptrdiff_t *ahead, ");
    if (has_later(writer)) strbuf_add(out, "int later, ");
    out = value(writer, "tile_arguments");
    add_tables(writer, out, 2, true, true);
    if (blocks_is_split(gemm, ROLE_CONTRACTED)) strbuf_add(out, "fetches ? ahead : none, ");
    if (has_later(writer)) strbuf_add(out, "p > 0, ");
    add_tables(writer, value(writer, "pack_a_parameters"), 0, false, false);
    add_tables(writer, value(writer, "pack_a_arguments"), 0, true, false);
    add_tables(writer, value(writer, "pack_b_parameters"), 1, false, true);
    add_tables(writer, value(writer, "pack_b_arguments"), 1, true, true);
}

/** Sets the text of C := beta C, if beta is neither 0 nor 1. */
static void set_scale(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const struct tcplan_scalar beta = gemm->beta;
    struct strbuf *out = value(writer, "scale");
    if (scalar_is(beta, 0) || scalar_is(beta, 1)) return;
    strbuf_add(
        out,
        "    for (ptrdiff_t j = 0; j < %d; j++) {\n        for (ptrdiff_t i = 0; i < %d; i++) {\n",
        gemm->n, gemm->m);
    strbuf_add(out, "            %s *to = c ", writer->numbers.type);
    add_found(writer, out, 2, 0, "i");
    strbuf_add(out, " ");
    add_found(writer, out, 2, 1, "j");
    strbuf_add(out, ";\n");
    if (writer->numbers.parts == 1) {
        strbuf_add(out, "            *to = ");
        add_times(writer, out, "*to", beta.re);
    } else {
        strbuf_add(out, "            const %s re = to[0], im = to[1];\n            to[0] = ",
                   writer->numbers.type);
        add_product(writer, out, beta, 0);
        strbuf_add(out, ";\n            to[1] = ");
        add_product(writer, out, beta, 1);
    }
    strbuf_add(out, ";\n        }\n    }\n");
}

/** Sets the text that provides memory for a packed block of B, and its number of columns. */
static void set_block(struct writer *writer) {
    const char *type = writer->numbers.type;
    const int64_t near_numbers = writer->near_columns * writer->block_k * writer->numbers.parts;
    const int64_t line_numbers = EMITTED_LINE_BYTES / number_bytes(writer);
    struct strbuf *out = value(writer, "block");
    if (writer->block_columns == writer->near_columns) {
        strbuf_add(
            out,
            "    enum { block_columns = %lld };\n    %s block[%lld] __attribute__((aligned(64)));\n",
            (long long)writer->block_columns, type, (long long)near_numbers);
        return;
    }
    const int64_t numbers = writer->block_columns * writer->block_k * writer->numbers.parts;
    strbuf_add(out, "    %s near[%lld] __attribute__((aligned(64)));\n", type,
               (long long)near_numbers);
    const int64_t far_bytes = (numbers + line_numbers) * number_bytes(writer);
    strbuf_add(out, "    void *far = malloc(%lld);\n", (long long)far_bytes);
    strbuf_add(out, "    %s *block = far ? (%s *)(((uintptr_t)far + %d) / %d * %d) : near;\n", type,
               type, EMITTED_LINE_BYTES - 1, EMITTED_LINE_BYTES, EMITTED_LINE_BYTES);
    strbuf_add(out, "    const ptrdiff_t block_columns = far ? %lld : %lld;\n",
               (long long)writer->block_columns, (long long)writer->near_columns);
}

static void set_release(struct writer *writer) {
    struct strbuf *out = value(writer, "release");
    if (writer->block_columns > writer->near_columns) strbuf_add(out, "    free(far);\n");
}

/** Chooses parts of k and of the columns so that panels and blocks stay in their caches. */
static void choose_blocks(struct writer *writer) {
    const int64_t round = writer->round;
    const int64_t most_k = writer->most_k > round ? writer->most_k : round;
    if (writer->block_k == 0)
        writer->block_k =
            blocks_divide_up(blocks_even_part(writer->gemm->k, most_k), round) * round;
    const int64_t column_bytes = bytes_of(writer, writer->block_k);
    writer->near_columns =
        blocks_columns(writer->gemm->n, writer->columns, column_bytes, BLOCKS_NEAR_BYTES);
    writer->block_columns =
        blocks_columns(writer->gemm->n, writer->columns, column_bytes, BLOCKS_FAR_BYTES);
    assert(writer->block_k > 0 && writer->block_k % round == 0);
    assert(writer->near_columns % writer->columns == 0);
    assert(writer->near_columns <= writer->block_columns);
    assert(writer->block_columns % writer->columns == 0);
}

static void set_values(struct writer *writer, const struct emitted_packed *packed) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int rows = rows_of(writer);
    struct strbuf *out;
    char next[64];
    strbuf_add(value(writer, "name"), "%s", writer->name);
    strbuf_add(value(writer, "target"), "%s", emitted_set_text[packed->set].macro);
    strbuf_add(value(writer, "number"), "%s", writer->numbers.type);
    set_number(writer, "round", writer->round);
    set_number(writer, "round_less", writer->round - 1);
    set_number(writer, "m", gemm->m);
    set_number(writer, "n", gemm->n);
    set_number(writer, "k", gemm->k);
    set_number(writer, "rows", rows);
    set_number(writer, "columns", writer->columns);
    set_number(writer, "panel_a", (int64_t)rows * writer->numbers.parts);
    set_number(writer, "panel_b", (int64_t)writer->columns * writer->numbers.parts);
    set_number(writer, "panel_numbers", rows * writer->block_k * writer->numbers.parts);
    set_number(writer, "block_k", writer->block_k);
    snprintf(next, sizeof next, "(i + %d)", rows);
    out = value(writer, "a_next");
    add_found(writer, out, 0, 0, next);
    set_base(writer, "a_i", 0, 0, "i");
    set_base(writer, "a_p", 0, 1, "p");
    set_base(writer, "b_p", 1, 0, "p");
    set_base(writer, "b_j", 1, 1, "j");
    set_base(writer, "c_i", 2, 0, "i");
    set_base(writer, "c_j", 2, 1, "j");
}

/* Cost of a load while products are computed, in cycles; fitted to measurements, in which 3 x 4
 * vectors were faster than 2 x 6. */
#define LOAD_CYCLES 0.25

/** Returns the cycles of all tiles for one value of k: for products, loads, and the latency of
 * sums. */
static double cycles(const struct writer *writer, int vectors, int columns) {
    const struct emitted_gemm *gemm = writer->gemm;
    const double products = 0.5 * vectors * columns * writer->numbers.parts;
    const double loads = 0.5 * (vectors + columns * writer->numbers.parts);
    double own = products > loads ? products : loads;
    if (own < EMITTED_LATENCY) own = EMITTED_LATENCY;
    own += LOAD_CYCLES * (vectors + columns * writer->numbers.parts);
    return own * (double)blocks_divide_up(gemm->m, (int64_t)vectors * writer->elems) *
           (double)blocks_divide_up(gemm->n, columns);
}

/**
 * Chooses the given tile; otherwise the fastest one whose sums, a column of A and an element of B
 * fit in registers. Of equally fast ones, the largest with the fewest rows: its panels have the
 * largest part of k.
 */
static void choose_tile(struct writer *writer, enum emitted_set set) {
    const struct tcplan_register_tile given = writer->gemm->tile;
    double least = 0;
    writer->round = given.unroll > 0 ? given.unroll : BLOCKS_ROUND;
    writer->vectors = given.vectors;
    writer->columns = given.columns;
    if (given.vectors > 0) return;
    for (int vectors = 1; vectors <= 3; vectors++) {
        for (int columns = 1;
             vectors * (columns * writer->numbers.parts + 1) < emitted_registers(set); columns++) {
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
    struct emitted_gemm own = blocks_in_order(packed->gemm);
    const struct emitted_gemm *const gemm = &own;
    struct writer writer = {.gemm = gemm,
                            .numbers = emitted_numbers_of(gemm->dtype),
                            .elems = emitted_vector_elems(gemm->dtype, packed->set)};
    snprintf(writer.name, sizeof writer.name, "%s_%s", name, emitted_set_text[packed->set].name);
    choose_tile(&writer, packed->set);
    assert(writer.vectors > 0 && writer.columns > 0 && writer.round > 0);
    writer.most_k = blocks_panel_bytes(packed->set) / bytes_of(&writer, rows_of(&writer));
    if (blocks_is_split(gemm, ROLE_CONTRACTED))
        writer.block_k = blocks_cut_contracted(&own, writer.most_k, writer.round);
    choose_blocks(&writer);
    set_values(&writer, packed);
    set_places(&writer);
    emitted_add_packed_sums(value(&writer, "sums"), &writer.numbers, writer.elems, writer.vectors,
                            writer.columns);
    set_fetch_result(&writer);
    set_fetches(&writer);
    emitted_add_packed_products(value(&writer, "products"), &writer.numbers, writer.elems,
                                writer.vectors, writer.columns);
    set_write_whole(&writer);
    set_write_elements(&writer);
    set_pack_a(&writer);
    set_pack_b(&writer);
    set_tables(&writer);
    set_scale(&writer);
    set_block(&writer);
    set_release(&writer);
    if (writer.values.text.failed) out->failed = true;
    if (!out->failed) template_add(out, &writer.values, packed_text);
    template_free(&writer.values);
}
