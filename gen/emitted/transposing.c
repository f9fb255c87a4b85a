/*
 * Kernels whose result is contiguous along another row index than the first factor, and is written
 * by non-temporal stores, see gen/emitted/emitted.h: C_abe := A_efa B_bf with a and e as rows.
 *
 * Rows are divided into those contiguous in the result (x), those contiguous in A (y), and others
 * (z). Vectors run along y while products are summed. A tile of as many rows x as a cache line has
 * elements is then transposed in registers. Its vectors, now along x, are whole lines, which memory
 * absorbs while the next tile is computed. The first tile of a panel, a line of rows x by a vector
 * of rows y, also packs the panel: its lines conflict in the L1 cache, and vectors cross lines.
 * Tiles prefetch a later panel, because the hardware prefetches only within pages. On Zen 4, with
 * arrays from malloc, C_abcde=A_efcad*B_bf (a=e=48, b=24, c=d=f=32) takes 101 ms; a gemm of libxsmm
 * with a copy of the result takes 126 ms, and products alone 73 ms.
 *
 * As in gen/emitted/lines.c, rows x are processed from the first one that begins a line, and the
 * rows before it follow the last row.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ast/scalar.h"
#include "gen/emit/runtime_text.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/blocks.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/tile.h"

enum {
    MOST_ROWS = 2048,       /* maximum number of rows x, of y, and of others, and of columns:
                               their tables are on the stack */
    PANEL_BYTES = 64 << 10, /* maximum bytes of a panel and of B: parts of a small L2 cache */
    MOST_AHEAD = 8,         /* maximum distance of a panel that is prefetched */
    LEAST_COLUMNS = 4,      /* fewest columns for which packing A is a small part of the work */
    LEAST_LINES = 2         /* fewest cache lines of rows x: one of them may be shared */
};

/** Indices of a role, the nearest in memory first. */
struct part {
    int count;
    int64_t elems;
    int64_t extent[BLAS_CALL_PIECES], stride[2][BLAS_CALL_PIECES];
};

/** The indices of a product. */
struct layout {
    struct part x, y, z, columns, contracted;
};

struct writer {
    const struct emitted_gemm *gemm;
    char name[96]; /**< prefix of the names of the kernel's functions */
    struct layout layout;
    struct template_values values;
    struct emitted_numbers numbers;
    int elems;   /**< elements in a vector */
    int line;    /**< elements in a cache line */
    int columns; /**< columns of a tile */
    int fetches; /**< rows that a square prefetches */
    bool joined; /**< whether columns of the result are contiguous with each other */
};

/** Adds an index to a part, sorted by its stride in operand `by`. */
static void add_index(struct part *part, int64_t extent, const int64_t stride[2], int by) {
    int at = part->count++;
    for (; at > 0 && part->stride[by][at - 1] > stride[by]; at--) {
        part->extent[at] = part->extent[at - 1];
        for (int o = 0; o < 2; o++) part->stride[o][at] = part->stride[o][at - 1];
    }
    part->extent[at] = extent;
    for (int o = 0; o < 2; o++) part->stride[o][at] = stride[o];
    part->elems *= extent;
}

static struct part part_of(const struct blas_call_split *split, int64_t extent, int64_t first,
                           int64_t second, int by) {
    struct part out = {.elems = 1};
    if (split->count == 0) add_index(&out, extent, (int64_t[]){first, second}, by);
    for (int d = 0; d < split->count; d++)
        add_index(&out, split->extent[d], (int64_t[]){split->stride[0][d], split->stride[1][d]},
                  by);
    return out;
}

/** Moves the indices that are contiguous in an operand from `rows` to a part. */
static void take_contiguous(struct part *out, struct part *rows, int operand) {
    *out = (struct part){.elems = 1};
    for (int d = 0; d < rows->count;) {
        if (rows->stride[operand][d] != out->elems) {
            d++;
            continue;
        }
        const int64_t stride[2] = {rows->stride[0][d], rows->stride[1][d]};
        struct part rest = {.elems = 1};
        add_index(out, rows->extent[d], stride, operand);
        for (int other = 0; other < rows->count; other++) {
            if (other != d)
                add_index(&rest, rows->extent[other],
                          (int64_t[]){rows->stride[0][other], rows->stride[1][other]}, 0);
        }
        *rows = rest;
        d = 0;
    }
}

/** Returns whether all strides of an operand but those of contiguous indices are whole lines. */
static bool are_lines(const struct part *part, int operand, int line) {
    for (int d = 0; d < part->count; d++) {
        if (part->stride[operand][d] < 1 || part->stride[operand][d] % line != 0) return false;
    }
    return true;
}

/** Sorts the indices of a product. Returns false if it has no index that is contiguous in the
 * result and another one that is contiguous in the first factor, or not enough of them. */
static bool lay_out(struct layout *out, const struct emitted_gemm *gemm) {
    const int line = EMITTED_LINE_BYTES / (int)tcplan_dtype_bytes(gemm->dtype);
    const int64_t panel =
        (int64_t)gemm->k * EMITTED_LINE_BYTES * emitted_vector_elems(gemm->dtype, EMITTED_AVX512);
    const int64_t factor = (int64_t)gemm->k * gemm->n * (int64_t)tcplan_dtype_bytes(gemm->dtype);
    if (gemm->split[ROLE_ROWS].count < 2 || tcplan_dtype_is_complex(gemm->dtype) ||
        !gemm->streamed || !scalar_is(gemm->beta, 0) || panel > PANEL_BYTES ||
        factor > PANEL_BYTES || gemm->n < LEAST_COLUMNS)
        return false;
    out->z = part_of(&gemm->split[ROLE_ROWS], 0, 0, 0, 0);
    out->columns =
        part_of(&gemm->split[ROLE_COLUMNS], gemm->n, gemm->strides[1][1], gemm->strides[2][1], 1);
    out->contracted = part_of(&gemm->split[ROLE_CONTRACTED], gemm->k, gemm->strides[0][1],
                              gemm->strides[1][0], 0);
    take_contiguous(&out->x, &out->z, 1);
    take_contiguous(&out->y, &out->z, 0);
    const int64_t most = out->x.elems > out->y.elems ? out->x.elems : out->y.elems;
    return out->x.count > 0 && out->y.count > 0 && most <= MOST_ROWS && gemm->n <= MOST_ROWS &&
           out->z.elems <= MOST_ROWS && out->x.extent[0] % line == 0 && out->y.elems % line == 0 &&
           out->x.elems >= LEAST_LINES * line && are_lines(&out->y, 1, line) &&
           are_lines(&out->z, 1, line) && are_lines(&out->columns, 1, line);
}

int emitted_transposes(const struct emitted_gemm *gemm) {
    struct layout layout;
    const struct emitted_gemm other = emitted_transposed(gemm);
    return lay_out(&layout, gemm) ? 1 : lay_out(&layout, &other) ? 2 : 0;
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

/** Emits the transposition of the square of a column, in stages that exchange blocks, and names the
 * result t0 to t7. */
static void add_transposition(const struct writer *writer, struct strbuf *out, int column) {
    const int whole = writer->elems;
    char type[32];
    snprintf(type, sizeof type, "kernel_%c%d", writer->numbers.letter, whole);
    int stage = 0;
    for (int distance = whole / 2; distance >= 1; distance /= 2, stage++) {
        for (int e = 0; e < whole; e++) {
            char from[2][48]; /* names of the exchanged vectors */
            for (int high = 0; high < 2; high++) {
                const int row = high ? e | distance : e & ~distance;
                if (stage == 0) snprintf(from[high], sizeof *from, "c%d_%d", row, column);
                if (stage > 0) snprintf(from[high], sizeof *from, "t%d_%d_%d", stage, column, row);
            }
            strbuf_add(out, "        const %s t%d_%d_%d = ", type, stage + 1, column, e);
            emitted_add_exchanged(out, &writer->numbers, whole, e, distance, from[0], from[1]);
            strbuf_add(out, ";\n");
        }
    }
}

static int stages_of(int elems) {
    int stages = 0;
    for (; elems > 1; elems /= 2) stages++;
    return stages;
}

/** Emits the sums of a square: rows x by a vector of rows y, for some columns. The first tile of a
 * panel also packs it. */
static void add_sums(const struct writer *writer, struct strbuf *out, int columns, bool packs) {
    const int elems = writer->elems;
    const char letter = writer->numbers.letter;
    for (int c = 0; c < columns; c++) {
        strbuf_add(out, "        kernel_%c%d ", letter, elems);
        for (int r = 0; r < elems; r++) strbuf_add(out, "%sc%d_%d = {0}", r > 0 ? ", " : "", r, c);
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "        %s%s *from = packed + %d * s;\n        const %s *factor = b;\n",
               packs ? "" : "const ", writer->numbers.type, elems, writer->numbers.type);
    strbuf_add(out, "        for (ptrdiff_t p = 0; p < %d; p++, from += %d, factor += %d) {\n",
               writer->gemm->k, writer->line * elems, columns);
    for (int f = 0; f < writer->fetches; f++)
        strbuf_add(out, "            __builtin_prefetch(ahead[%d] + k_a[p], 0, 0);\n", f);
    for (int r = 0; r < elems; r++) {
        strbuf_add(out, "            kernel_%c%d a%d = *(const kernel_%c%d *)(", letter, elems, r,
                   letter, elems);
        strbuf_add(out, packs ? "rows[s + %d] + k_a[p]);\n" : "from + %d);\n",
                   packs ? r : r * elems);
        strbuf_add(out, "            KERNEL_LOADED(a%d);\n", r);
        if (packs)
            strbuf_add(out, "            *(kernel_%c%d *)(from + %d) = a%d;\n", letter, elems,
                       r * elems, r);
        for (int c = 0; c < columns; c++)
            strbuf_add(out, "            c%d_%d += a%d * factor[%d];\n", r, c, r, c);
    }
    strbuf_add(out, "        }\n        ahead += %d;\n", writer->fetches);
}

/** Emits a store of transposed vectors: whole lines to the result (`way` 0), lines joined with the
 * end of the column before (1), or to `made` (2). */
static void add_store(const struct writer *writer, struct strbuf *out, int way, int c, int l) {
    const int elems = writer->elems;
    char t[64], type[32];
    snprintf(t, sizeof t, "t%d_%d_%d", stages_of(elems), c, l);
    snprintf(type, sizeof type, "%c%d", writer->numbers.letter, elems);
    if (way == 0) {
        strbuf_add(out, "            KERNEL_LINE_%s(c + lane[%d] + column[%d], %s);\n", type, l, c,
                   t);
    } else if (way == 1) {
        strbuf_add(
            out,
            "            KERNEL_LINE_%s(c + lane[%d] + column[%d] - %lld, KERNEL_JOIN_%s(of_end, "
            "*(const kernel_%s *)(lines->before + %d), %s));\n",
            type, l, c, (long long)writer->layout.x.elems, type, type, l * elems, t);
        strbuf_add(out, "            *(kernel_%s *)(lines->before + %d) = %s;\n", type, l * elems,
                   t);
    } else {
        strbuf_add(out, "            *(kernel_%s *)(lines->made + %d + s) = %s;\n", type,
                   (c * elems + l) * writer->line, t);
    }
}

/** Returns whether a tile joins its lines with the columns before: it has whole lines in registers,
 * and is not the first one. */
static bool joins_in_tile(const struct writer *writer, bool is_first) {
    return writer->joined && !is_first && writer->elems == writer->line;
}

/** Emits the stores of transposed squares. */
static void add_stores(const struct writer *writer, struct strbuf *out, int columns, bool packs) {
    static const char *const condition[] = {"if (lines->is_whole) ", "else ", "else "};
    const int elems = writer->elems;
    const bool is_line = elems == writer->line;
    for (int way = is_line ? 0 : 2; way < 3; way++) {
        const bool joins = joins_in_tile(writer, packs);
        if (way == 1 ? !joins : way == 2 && joins) continue;
        strbuf_add(out, "        %s{\n", is_line ? condition[way] : "");
        if (way == 1)
            strbuf_add(
                out,
                "            const kernel_m%c%d of_end = *(const kernel_m%c%d *)lines->ends;\n",
                writer->numbers.letter, elems, writer->numbers.letter, elems);
        for (int c = 0; c < columns; c++) {
            for (int l = 0; l < elems; l++) add_store(writer, out, way, c, l);
        }
        strbuf_add(out, "        }\n");
    }
}

/** Emits the function of a tile: a line of rows x, a vector of rows y, and some columns. */
static void add_tile(const struct writer *writer, struct strbuf *out, enum emitted_set set,
                     int columns, bool packs) {
    const char *type = writer->numbers.type;
    const int elems = writer->elems, line = writer->line;
    strbuf_add(out,
               "%s static void %s_%s_%d(%s%s *packed, const %s *b, %s *c, const ptrdiff_t *lane, "
               "const ptrdiff_t *column,\n    const %s *const *ahead, const ptrdiff_t *k_a, const "
               "struct %s_lines *lines%s%s%s) {\n",
               emitted_set_text[set].macro, writer->name, packs ? "first" : "by", columns,
               packs ? "" : "const ", type, type, type, type, writer->name, packs ? ", const " : "",
               packs ? type : "", packs ? " *const *rows" : "");
    strbuf_add(out, "    for (ptrdiff_t s = 0; s < %d; s += %d) {\n", line, elems);
    add_sums(writer, out, columns, packs);
    for (int c = 0; c < columns; c++) add_transposition(writer, out, c);
    add_stores(writer, out, columns, packs);
    strbuf_add(out, "    }\n");
    if (elems < line) {
        strbuf_add(out, "    for (ptrdiff_t i = 0; i < %d && lines->is_whole; i++) {\n",
                   columns * elems);
        strbuf_add(out, "        %s *to = c + lane[i %% %d] + column[i / %d];\n", type, elems,
                   elems);
        for (int e = 0; e < line; e += elems)
            strbuf_add(
                out,
                "        KERNEL_LINE_%c%d(to + %d, *(const kernel_%c%d *)(lines->made + %d * i + "
                "%d));\n",
                writer->numbers.letter, elems, e, writer->numbers.letter, elems, line, e);
        strbuf_add(out, "    }\n");
    }
    strbuf_add(out, "}\n\n");
}

/** Emits the loops that fill a table with the offsets of a part in an operand. */
static void add_table(struct strbuf *out, const char *table, const struct part *part, int operand) {
    strbuf_add(out, "    to_%s = 0;\n", table);
    for (int d = part->count - 1; d >= 0; d--)
        strbuf_add(out, "    for (ptrdiff_t i%d = 0; i%d < %lld; i%d++)\n", d, d,
                   (long long)part->extent[d], d);
    strbuf_add(out, "    %s[to_%s++] = 0", table, table);
    for (int d = 0; d < part->count; d++)
        strbuf_add(out, " + %lld * i%d", (long long)part->stride[operand][d], d);
    strbuf_add(out, ";\n");
}

static void set_tables(struct writer *writer) {
    const struct layout *layout = &writer->layout;
    const struct {
        const char *name;
        const struct part *part;
        int operand;
    } table[] = {{"x_a", &layout->x, 0},
                 {"y_c", &layout->y, 1},
                 {"z_a", &layout->z, 0},
                 {"z_c", &layout->z, 1},
                 {"column_b", &layout->columns, 0},
                 {"column_c", &layout->columns, 1},
                 {"k_a", &layout->contracted, 0},
                 {"k_b", &layout->contracted, 1}};
    enum { TABLES = sizeof table / sizeof *table };
    struct strbuf *out = value(writer, "tables");
    strbuf_add(out, "    ptrdiff_t ");
    for (int t = 0; t < TABLES; t++) strbuf_add(out, "%sto_%s", t > 0 ? ", " : "", table[t].name);
    strbuf_add(out, ";\n");
    for (int t = 0; t < TABLES; t++) add_table(out, table[t].name, table[t].part, table[t].operand);
}

/** Sets the text that joins the end of each column with the beginning of the next one. */
static void set_join(struct writer *writer) {
    struct strbuf *out = value(writer, "join");
    const char letter = writer->numbers.letter;
    const int elems = writer->elems, line = writer->line;
    if (!writer->joined) {
        value(writer, "last");
        return;
    }
    strbuf_add(out, "        %s *const kept = lines->before + %d * (y %% %d);\n",
               writer->numbers.type, line, elems);
    strbuf_add(out, "        const ptrdiff_t own = j + y / %d;\n", elems);
    strbuf_add(out, "        for (ptrdiff_t e = 0; e < %d; e += %d) {\n", line, elems);
    strbuf_add(
        out,
        "            const kernel_%c%d now = *(const kernel_%c%d *)(made + e), last = *(const "
        "kernel_%c%d *)(kept + e);\n",
        letter, elems, letter, elems, letter, elems);
    strbuf_add(
        out, "            const kernel_m%c%d is_last = *(const kernel_m%c%d *)(lines->ends + e);\n",
        letter, elems, letter, elems);
    strbuf_add(out,
               "            if (own > 0) KERNEL_LINE_%c%d(to + e, KERNEL_JOIN_%c%d(is_last, last, "
               "now));\n            *(kernel_%c%d *)(kept + e) = now;\n        }\n",
               letter, elems, letter, elems, letter, elems);
    strbuf_add(out,
               "        for (ptrdiff_t e = %d - lead; e < %d && own == 0; e++) to[e] = "
               "made[e];\n        continue;\n",
               line, line);
    out = value(writer, "last");
    strbuf_add(
        out,
        "        for (ptrdiff_t i = 0; i < %d && !lines.is_whole; i++) {\n            %s *to = "
        "to_z + y_c[y + i / %d] + column_c[%d] + %lld + lead;\n",
        elems * line, writer->numbers.type, line, writer->gemm->n - 1,
        (long long)writer->layout.x.elems - line);
    strbuf_add(out, "            if (i %% %d < %d - lead) to[i %% %d] = before[i];\n        }\n",
               line, line, line);
}

/** Emits the call of a tile that is not the first one of its panel. */
static void add_call(const struct writer *writer, struct strbuf *out, const char *indent,
                     int columns, const char *j) {
    const int per_tile = writer->line / writer->elems * writer->fetches;
    strbuf_add(
        out,
        "%s%s_by_%d(packed, factor + %d * %s, to_z + lead + x, y_c + y, column_c + %s, ahead "
        "+ %s / %d * %d, k_a, &lines);\n",
        indent, writer->name, columns, writer->gemm->k, j, j, j, writer->columns, per_tile);
    if (!joins_in_tile(writer, false))
        strbuf_add(
            out, "%sif (!lines.is_whole) %s_ends(to_z, &lines, y_c + y, column_c, %d, lead, %s);\n",
            indent, writer->name, columns, j);
}

/** Sets the text of all tiles of a panel after the first one. */
static void set_others(struct writer *writer, int whole) {
    struct strbuf *out = value(writer, "others");
    char rest[32];
    snprintf(rest, sizeof rest, "%d", whole);
    if (whole > writer->columns) {
        strbuf_add(out, "        for (ptrdiff_t j = %d; j < %d; j += %d) {\n", writer->columns,
                   whole, writer->columns);
        add_call(writer, out, "            ", writer->columns, "j");
        strbuf_add(out, "        }\n");
    }
    if (whole < writer->gemm->n) add_call(writer, out, "        ", writer->gemm->n - whole, rest);
}

/** Emits the position of a part that varies next fastest among panels. */
static void add_position(struct strbuf *out, const char *to, int64_t count, int64_t step) {
    if (count > 1)
        strbuf_add(out, "    %s = panel %% %lld * %lld;\n    panel /= %lld;\n", to,
                   (long long)count, (long long)step, (long long)count);
}

/** Sets the text that finds a panel. Blocks of rows x with one value of all but their first index
 * are the outermost, so that consecutive panels read adjacent memory. */
static void set_panels(struct writer *writer) {
    const struct layout *layout = &writer->layout;
    const int64_t near = layout->x.extent[0] / writer->line,
                  far = layout->x.elems / layout->x.extent[0],
                  vectors = layout->y.elems / writer->elems;
    struct strbuf *out = value(writer, "find");
    strbuf_add(out, "    *x = *y = *z = 0;\n");
    add_position(out, "*y", vectors, writer->elems);
    add_position(out, "*x", near, writer->line);
    add_position(out, "*z", layout->z.elems, 1);
    if (far > 1) strbuf_add(out, "    *x += panel * %lld;\n", (long long)layout->x.extent[0]);
    strbuf_add(out, "    (void)panel;\n");
    template_number(&writer->values, "panels", near * vectors * layout->z.elems * far);
}

static void set_values(struct writer *writer, enum emitted_set set) {
    const struct emitted_gemm *gemm = writer->gemm;
    const struct layout *layout = &writer->layout;
    const int whole = gemm->n - gemm->n % writer->columns;
    const int squares = writer->line / writer->elems;
    const int tiles = squares * (int)blocks_divide_up(gemm->n, writer->columns);
    writer->fetches = (int)blocks_divide_up(writer->line, tiles);
    strbuf_add(value(writer, "name"), "%s", writer->name);
    strbuf_add(value(writer, "target"), "%s", emitted_set_text[set].macro);
    strbuf_add(value(writer, "number"), "%s", writer->numbers.type);
    strbuf_add(value(writer, "vector"), "kernel_%c%d", writer->numbers.letter, writer->elems);
    strbuf_add(value(writer, "mask"), writer->numbers.letter == 's' ? "int32_t" : "int64_t");
    template_number(&writer->values, "line", writer->line);
    template_number(&writer->values, "lanes", writer->elems);
    template_number(&writer->values, "x", layout->x.elems);
    template_number(&writer->values, "y", layout->y.elems);
    template_number(&writer->values, "z", layout->z.elems);
    template_number(&writer->values, "n", gemm->n);
    template_number(&writer->values, "k", gemm->k);
    template_number(&writer->values, "packed", (int64_t)gemm->k * writer->line * writer->elems);
    template_number(&writer->values, "made",
                    (int64_t)writer->columns * writer->line * writer->elems);
    template_number(&writer->values, "distance",
                    layout->y.elems / writer->elems < MOST_AHEAD ? layout->y.elems / writer->elems
                                                                 : MOST_AHEAD);
    template_number(&writer->values, "columns", writer->columns);
    template_number(&writer->values, "ahead", (int64_t)tiles * writer->fetches);
    struct strbuf *out = value(writer, "alpha");
    if (!scalar_is(gemm->alpha, 1)) {
        emitted_add_number(out, &writer->numbers, gemm->alpha.re);
        strbuf_add(out, " *");
    }
    set_tables(writer);
    set_panels(writer);
    set_join(writer);
    set_others(writer, whole);
    out = value(writer, "tiles");
    add_tile(writer, out, set, writer->columns, true);
    if (whole > writer->columns) add_tile(writer, out, set, writer->columns, false);
    if (whole < gemm->n) add_tile(writer, out, set, gemm->n - whole, false);
}

/** Returns the given columns of a tile or, if none are given, as many as registers hold. */
static int choose_columns(const struct writer *writer, enum emitted_set set) {
    const int most = (emitted_registers(set) - 1) / (writer->elems + 1);
    const int given = writer->gemm->tile.columns > 0 ? writer->gemm->tile.columns : most;
    return (int)blocks_even_part(writer->gemm->n, given);
}

void emitted_add_transposing(struct strbuf *out, const char *name,
                             const struct emitted_packed *product) {
    const struct emitted_gemm *gemm = product->gemm;
    struct writer writer = {.gemm = gemm,
                            .numbers = emitted_numbers_of(gemm->dtype),
                            .elems = emitted_vector_elems(gemm->dtype, product->set),
                            .line = EMITTED_LINE_BYTES / (int)tcplan_dtype_bytes(gemm->dtype)};
    const bool fits = lay_out(&writer.layout, gemm);
    if (!fits) {
        out->failed = true;
        return;
    }
    const struct part *columns = &writer.layout.columns;
    writer.joined = columns->count == 1 && columns->stride[1][0] == writer.layout.x.elems;
    writer.columns = choose_columns(&writer, product->set);
    snprintf(writer.name, sizeof writer.name, "%s_%s", name, emitted_set_text[product->set].name);
    set_values(&writer, product->set);
    template_add(out, &writer.values, transposing_text);
    template_free(&writer.values);
}
