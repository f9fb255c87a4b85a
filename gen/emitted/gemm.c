/*
 * Products of matrices as C, see gen/emitted/emitted.h.
 *
 * Vectors run along the rows of the result; if its columns are contiguous instead, the transposed
 * product is generated. A is read in place if its rows are contiguous; otherwise it is packed
 * before, block of rows by block of rows, in the order in which tiles read it.
 */
#include <stdio.h>
#include <string.h>

#include "ast/scalar.h"
#include "gen/emit/text.h"
#include "gen/emitted/general.h"
#include "gen/emitted/sums.h"
#include "gen/emitted/tile.h"

/* NEAR_SETS, FAR_SETS: sets of small L1 and L2 caches. CACHE_WAYS: their ways, less one for other
 * data. MANY_TILES: number of column tiles from which packing A is a small part of the work.
 * SOME_TILES: the same if the lines of A conflict in the L2 cache too. */
enum { NEAR_SETS = 64, FAR_SETS = 1024, CACHE_WAYS = 7, MANY_TILES = 12, SOME_TILES = 2 };

/*
 * PANEL_BYTES of A are multiplied by one group of columns after the other: half of a small first
 * cache. A non-temporal result is computed in a cached block and written from there; longer panels
 * then have fewer partial lines.
 */
enum { PANEL_BYTES = 16 << 10, STREAMED_PANEL_BYTES = 64 << 10, BLOCK_BYTES = 16 << 10 };

/** State of generating the kernel for one instruction set. */
struct writer {
    struct strbuf *out;
    const char *name;
    const struct emitted_gemm *gemm;
    enum emitted_set set;
    struct emitted_tile tile;
    struct emitted_rows rows[EMITTED_ROW_BLOCKS];
    int blocks;
    struct emitted_numbers numbers;
    bool packs;         /**< whether A is packed */
    int64_t panel_rows; /**< rows of a panel with whole blocks, which is read again for each group
                           of columns */
    int joined;         /**< contiguous columns of C that are written as one run; 0: columns are not
                           contiguous */
    bool streams;       /**< whether tiles write to a buffer, which non-temporal stores copy to C */
    int64_t result[2];  /**< strides of the memory that tiles write to: C or the buffer */
};

/** A range of rows: blocks of one or several sizes, possibly packed. */
struct span {
    int first, end; /**< numbers of the block sizes, from `first` to before `end` */
    const char *base;
    bool is_panel; /**< whether only rows from `h` to before `end`, variables of the emitted code,
                      are computed */
    const char *column; /**< expression for the buffer's column that tiles write next */
};

struct bounds {
    char from[32];
    char to[32];
};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

struct emitted_gemm emitted_gemm_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct emitted_gemm out = {.dtype = dtype,
                               .m = call->m,
                               .n = call->n,
                               .k = call->k,
                               .alpha = call->alpha,
                               .beta = call->beta,
                               .tile = call->tile,
                               .streamed = call->streamed};
    for (int part = 0; part < 3; part++) {
        for (int side = 0; side < 2; side++) out.strides[part][side] = call->strides[part][side];
        if (part < 2) out.conjugated[part] = call->conjugated[part];
        out.split[part] = call->split[part];
    }
    return out;
}

bool emitted_streams(const struct emitted_gemm *gemm) {
    return gemm->streamed && !emitted_packs(gemm) && scalar_is(gemm->beta, 0);
}

bool emitted_takes(const struct emitted_gemm *gemm) {
    return gemm->m >= 1 && gemm->n >= 1 && gemm->k >= 1;
}

static int first_row(const struct emitted_rows *rows, int piece) {
    int row = 0;
    for (int p = 0; p < piece; p++) row += rows->elems[p];
    return row;
}

/** Emits the load of the old value of a piece of a result column. */
static void add_old(const struct writer *writer, int elems, int row, int column) {
    strbuf_add(writer->out, "        ");
    emitted_add_type(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, " y0 = ");
    emitted_begin_load(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, "c");
    emitted_add_offset(writer->out, &writer->numbers, row + writer->result[1] * column, 0);
    emitted_end_load(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, ";\n");
}

static void add_store(const struct writer *writer, const char *indent, int elems, int row,
                      int column, const char *value) {
    strbuf_add(writer->out, "%s", indent);
    emitted_begin_store(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, "c");
    emitted_add_offset(writer->out, &writer->numbers, row + writer->result[1] * column, 0);
    emitted_end_store(writer->out, &writer->numbers, elems, value);
}

/** Emits the multiplication by alpha and beta, and the store of a result vector. */
static void add_result(const struct writer *writer, const struct emitted_rows *rows, int v,
                       int column) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int elems = rows->elems[v];
    const int row = first_row(rows, v);
    char sum[32];
    snprintf(sum, sizeof sum, "c%d_", v);
    if (scalar_is(gemm->alpha, 1) && scalar_is(gemm->beta, 0)) {
        snprintf(sum, sizeof sum, "c%d_%d", v, column);
        add_store(writer, "    ", elems, row, column, sum);
        return;
    }
    strbuf_add(writer->out, "    {\n");
    if (!scalar_is(gemm->beta, 0)) add_old(writer, elems, row, column);
    strbuf_add(writer->out, "        const ");
    emitted_add_type(writer->out, &writer->numbers, elems);
    strbuf_add(writer->out, " x0 = ");
    emitted_add_times(writer->out, &writer->numbers, elems, gemm->alpha, sum, column);
    if (!scalar_is(gemm->beta, 0)) {
        strbuf_add(writer->out, " + ");
        emitted_add_times(writer->out, &writer->numbers, elems, gemm->beta, "y", 0);
    }
    strbuf_add(writer->out, ";\n");
    add_store(writer, "        ", elems, row, column, "x0");
    strbuf_add(writer->out, "    }\n");
}

static void add_tile(const struct writer *writer, const struct emitted_rows *rows, int columns) {
    strbuf_add(
        writer->out,
        "/* Computes %d x %d elements of the result. */\n%s KERNEL_TILE %s_%s_%dx%d(const %s *a, "
        "const %s *b, %s *c) {\n",
        rows->rows, columns, emitted_set_text[writer->set].macro, writer->name,
        emitted_set_text[writer->set].name, rows->rows, columns, writer->numbers.type,
        writer->numbers.type, writer->numbers.type);
    int64_t place[EMITTED_MAX_PIECES];
    for (int v = 0; v < rows->pieces; v++) place[v] = first_row(rows, v);
    const struct emitted_sums sums = {.gemm = writer->gemm,
                                      .numbers = writer->numbers,
                                      .vectors = rows->pieces,
                                      .elems = rows->elems,
                                      .place = place,
                                      .step =
                                          writer->packs ? rows->rows : writer->gemm->strides[0][1],
                                      .columns = columns,
                                      .unroll = writer->tile.unroll};
    emitted_add_sums(writer->out, &sums);
    for (int c = 0; c < columns; c++) {
        for (int v = 0; v < rows->pieces; v++) add_result(writer, rows, v, c);
    }
    strbuf_add(writer->out, "}\n\n");
}

/** Returns the number of rows in blocks of sizes before number `b`. */
static int64_t rows_before(const struct writer *writer, int b) {
    int64_t rows = 0;
    for (int before = 0; before < b; before++)
        rows += (int64_t)writer->rows[before].count * writer->rows[before].rows;
    return rows;
}

/** Prints the address of a packed row of A: `packed + 8 * (i - h)`. */
static void add_packed(const struct writer *writer, const struct span *span, const char *i) {
    strbuf_add(writer->out, "packed + %d * ", writer->gemm->k * writer->numbers.parts);
    if (strcmp(span->base, "0") == 0) {
        strbuf_add(writer->out, "%s", i);
    } else {
        strbuf_add(writer->out, "(%s - %s)", i, span->base);
    }
}

/** Prints `, block + i - h`: the address in the buffer for a row of C. */
static void add_place_in_block(const struct writer *writer, const struct span *span,
                               const char *i) {
    strbuf_add(writer->out, ", block");
    if (strcmp(i, span->base) == 0) return;
    emitted_add_step(writer->out, &writer->numbers, 1, i);
    if (strcmp(span->base, "0") != 0)
        emitted_add_step(writer->out, &writer->numbers, -1, span->base);
}

/** Prints a call of a tile: `NAME_avx2_12x4(a + i, b + 8 * j, c + i + 64 * j);`; the first row is
 * `i` or a number. */
static void add_call(const struct writer *writer, const struct span *span, const char *indent,
                     int b, int columns, const char *i, const char *j) {
    const struct emitted_gemm *gemm = writer->gemm;
    strbuf_add(writer->out, "%s%s_%s_%dx%d(", indent, writer->name,
               emitted_set_text[writer->set].name, writer->rows[b].rows, columns);
    if (writer->packs) {
        add_packed(writer, span, i);
    } else {
        strbuf_add(writer->out, "a");
        emitted_add_step(writer->out, &writer->numbers, gemm->strides[0][0], i);
    }
    strbuf_add(writer->out, ", b");
    emitted_add_step(writer->out, &writer->numbers, gemm->strides[1][1], j);
    if (writer->streams) {
        add_place_in_block(writer, span, i);
        emitted_add_step(writer->out, &writer->numbers, writer->result[1], span->column);
    } else {
        strbuf_add(writer->out, ", c");
        emitted_add_step(writer->out, &writer->numbers, gemm->strides[2][0], i);
        emitted_add_step(writer->out, &writer->numbers, gemm->strides[2][1], j);
    }
    strbuf_add(writer->out, ");\n");
}

/** Sets the first row of the blocks of size number `b`, and the row after their last one. */
static void set_bounds(struct bounds *out, const struct writer *writer, const struct span *span,
                       int b) {
    snprintf(out->from, sizeof out->from, "%lld", (long long)rows_before(writer, b));
    snprintf(out->to, sizeof out->to, "%lld", (long long)rows_before(writer, b + 1));
    if (!span->is_panel) return;
    snprintf(out->from, sizeof out->from, "h");
    snprintf(out->to, sizeof out->to, "end");
}

/** Emits the calls for blocks of size number `b` and some columns. */
static void add_rows(const struct writer *writer, const struct span *span, const char *indent,
                     int b, int columns, const char *j) {
    char inner[64];
    struct bounds bounds;
    set_bounds(&bounds, writer, span, b);
    if (writer->rows[b].count == 1) {
        add_call(writer, span, indent, b, columns, bounds.from, j);
        return;
    }
    snprintf(inner, sizeof inner, "%s    ", indent);
    strbuf_add(writer->out, "%sfor (ptrdiff_t i = %s; i < %s; i += %d) {\n", indent, bounds.from,
               bounds.to, writer->rows[b].rows);
    add_call(writer, span, inner, b, columns, "i", j);
    strbuf_add(writer->out, "%s}\n", indent);
}

/** Emits the loops that pack the rows of A in the blocks `rows[b]`, in the order in which tiles
 * read them. The outer loop runs over columns of A if these are contiguous, else over blocks of
 * rows. */
static void add_packing(const struct writer *writer, const struct span *span, const char *indent,
                        int b) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int rows = writer->rows[b].rows;
    struct strbuf *out = writer->out;
    struct bounds bounds;
    set_bounds(&bounds, writer, span, b);
    for (int level = 0; level < 2; level++) {
        strbuf_add(out, "%s%s", indent, level > 0 ? "    " : "");
        if ((level == 0) == (gemm->strides[0][0] == 1)) {
            strbuf_add(out, "for (ptrdiff_t p = 0; p < %d; p++) {\n", gemm->k);
        } else {
            strbuf_add(out, "for (ptrdiff_t i = %s; i < %s; i += %d) {\n", bounds.from, bounds.to,
                       rows);
        }
    }
    strbuf_add(out, "%s        for (ptrdiff_t r = 0; r < %d; r++) {\n", indent, rows);
    for (int part = 0; part < writer->numbers.parts; part++) {
        strbuf_add(out, "%s            *(", indent);
        add_packed(writer, span, "i");
        emitted_add_step(writer->out, &writer->numbers, rows, "p");
        emitted_add_step(writer->out, &writer->numbers, 1, "r");
        emitted_add_offset(writer->out, &writer->numbers, 0, part);
        strbuf_add(out, ") = *(a");
        emitted_add_step(writer->out, &writer->numbers, gemm->strides[0][0], "(i + r)");
        emitted_add_step(writer->out, &writer->numbers, gemm->strides[0][1], "p");
        emitted_add_offset(writer->out, &writer->numbers, 0, part);
        strbuf_add(out, ");\n");
    }
    strbuf_add(out, "%s        }\n%s    }\n%s}\n", indent, indent, indent);
}

/** Emits a copy of contiguous elements from the buffer to C. */
static void add_run(const struct writer *writer, const struct span *span, const char *indent,
                    const char *column, const char *numbers) {
    const bool is_late = strcmp(span->base, "0") != 0;
    strbuf_add(writer->out, "%skernel_write_%c(c", indent, writer->numbers.letter);
    if (is_late) emitted_add_step(writer->out, &writer->numbers, 1, span->base);
    emitted_add_step(writer->out, &writer->numbers, writer->gemm->strides[2][1], column);
    strbuf_add(writer->out, ", block");
    if (strcmp(column, "j") != 0)
        emitted_add_step(writer->out, &writer->numbers, writer->result[1], "x");
    strbuf_add(writer->out, ", %s);\n", numbers);
}

/** Emits a copy of columns from the buffer to C, each as a separate run. */
static void add_runs(const struct writer *writer, const struct span *span, const char *indent,
                     int columns, const char *j) {
    char inner[64], column[48], rows[96];
    const int64_t count = rows_before(writer, span->end) - rows_before(writer, span->first);
    snprintf(inner, sizeof inner, "%s    ", indent);
    snprintf(column, sizeof column, "(%s + x)", j);
    if (span->is_panel) {
        snprintf(rows, sizeof rows, writer->numbers.parts == 2 ? "2 * (end - h)" : "end - h");
    } else {
        snprintf(rows, sizeof rows, "%lld", (long long)count * writer->numbers.parts);
    }
    strbuf_add(writer->out, "%sfor (ptrdiff_t x = 0; x < %d; x++) {\n", indent, columns);
    add_run(writer, span, inner, column, rows);
    strbuf_add(writer->out, "%s}\n", indent);
}

/** Emits the computation of some columns by blocks of all sizes. */
static void add_columns(const struct writer *writer, const struct span *span, const char *indent,
                        int columns, const char *j) {
    for (int b = span->first; b < span->end; b++) add_rows(writer, span, indent, b, columns, j);
    if (writer->streams) add_runs(writer, span, indent, columns, j);
}

/** Emits the computation of all columns for a range of rows, after packing A if needed: whole tiles
 * first, then the remaining columns. */
static void add_span(const struct writer *writer, const struct span *span, const char *indent) {
    const int n = writer->gemm->n;
    const int columns = smaller(writer->tile.columns, n);
    const int whole = n - n % columns;
    char inner[64], rest[32];
    snprintf(inner, sizeof inner, "%s    ", indent);
    snprintf(rest, sizeof rest, "%d", whole);
    for (int b = span->first; b < span->end && writer->packs; b++)
        add_packing(writer, span, indent, b);
    strbuf_add(writer->out, "%sfor (ptrdiff_t j = 0; j < %d; j += %d) {\n", indent, whole, columns);
    add_columns(writer, span, inner, columns, "j");
    strbuf_add(writer->out, "%s}\n", indent);
    if (whole < n) add_columns(writer, span, indent, n - whole, rest);
}

/** Emits the computation of contiguous columns: as many as fit in the buffer are written as one
 * run. */
static void add_joined(const struct writer *writer) {
    const int n = writer->gemm->n, columns = smaller(writer->tile.columns, n),
              whole = n - n % columns;
    const struct span span = {.first = 0, .end = writer->blocks, .base = "0", .column = "(x - j)"};
    const struct span last = {.first = 0, .end = writer->blocks, .base = "0", .column = "0"};
    char rest[32], numbers[64];
    struct strbuf *out = writer->out;
    for (int b = 0; b < writer->blocks && writer->packs; b++) add_packing(writer, &span, "    ", b);
    strbuf_add(out, "    for (ptrdiff_t j = 0; j < %d; j += %d) {\n", whole, writer->joined);
    strbuf_add(out, "        const ptrdiff_t stop = j + %d < %d ? j + %d : %d;\n", writer->joined,
               whole, writer->joined, whole);
    strbuf_add(out, "        for (ptrdiff_t x = j; x < stop; x += %d) {\n", columns);
    for (int b = 0; b < writer->blocks; b++)
        add_rows(writer, &span, "            ", b, columns, "x");
    strbuf_add(out, "        }\n");
    snprintf(numbers, sizeof numbers, "%d * (stop - j)", writer->gemm->m * writer->numbers.parts);
    add_run(writer, &span, "        ", "j", numbers);
    strbuf_add(out, "    }\n");
    if (whole == n) return;
    snprintf(rest, sizeof rest, "%d", whole);
    for (int b = 0; b < writer->blocks; b++) add_rows(writer, &last, "    ", b, n - whole, rest);
    strbuf_add(out, "    kernel_write_%c(c", writer->numbers.letter);
    emitted_add_step(writer->out, &writer->numbers, writer->gemm->strides[2][1], rest);
    strbuf_add(out, ", block, %d);\n", writer->gemm->m * (n - whole) * writer->numbers.parts);
}

/** Emits loops for many rows: each panel of rows stays in the L1 cache for all columns; the
 * remaining rows follow. */
static void add_panels(const struct writer *writer) {
    const long long rows = rows_before(writer, 1);
    const long long panel = writer->panel_rows;
    char base[32];
    strbuf_add(writer->out, "    for (ptrdiff_t h = 0; h < %lld; h += %lld) {\n", rows, panel);
    strbuf_add(writer->out, "        const ptrdiff_t end = h + %lld < %lld ? h + %lld : %lld;\n",
               panel, rows, panel, rows);
    add_span(writer,
             &(struct span){.first = 0, .end = 1, .base = "h", .is_panel = true, .column = "0"},
             "        ");
    strbuf_add(writer->out, "    }\n");
    snprintf(base, sizeof base, "%lld", rows);
    if (writer->blocks > 1)
        add_span(writer,
                 &(struct span){.first = 1, .end = writer->blocks, .base = base, .column = "0"},
                 "    ");
}

/** Emits the function for one instruction set. */
static void add_loops(const struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t first = rows_before(writer, 1);
    const bool in_panels = writer->panel_rows < first;
    const int64_t left = in_panels ? gemm->m - first : gemm->m;
    const int64_t rows = in_panels && writer->panel_rows > left ? writer->panel_rows : left;
    strbuf_add(writer->out, "%s static void %s_%s(const %s *a, const %s *b, %s *c) {\n",
               emitted_set_text[writer->set].macro, writer->name,
               emitted_set_text[writer->set].name, writer->numbers.type, writer->numbers.type,
               writer->numbers.type);
    if (writer->packs) {
        strbuf_add(writer->out, "    %s packed[%lld] __attribute__((aligned(64)));\n",
                   writer->numbers.type, (long long)rows * gemm->k * writer->numbers.parts);
    }
    if (writer->streams) {
        const int columns =
            writer->joined > 0 ? writer->joined : smaller(writer->tile.columns, gemm->n);
        strbuf_add(writer->out, "    %s block[%lld] __attribute__((aligned(64)));\n",
                   writer->numbers.type,
                   (long long)writer->result[1] * columns * writer->numbers.parts);
    }
    if (writer->joined > 0) {
        add_joined(writer);
    } else if (in_panels) {
        add_panels(writer);
    } else {
        add_span(writer,
                 &(struct span){.first = 0, .end = writer->blocks, .base = "0", .column = "0"},
                 "    ");
    }
    strbuf_add(writer->out, "}\n\n");
}

/** Returns how many rows, in whole blocks, fit in a panel. */
static int64_t choose_panel(const struct writer *writer) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(writer->gemm->dtype);
    const int64_t block = writer->rows[0].rows;
    int64_t most =
        (writer->streams ? STREAMED_PANEL_BYTES : PANEL_BYTES) / (bytes * writer->gemm->k);
    if (writer->streams && most > BLOCK_BYTES / (bytes * writer->tile.columns))
        most = BLOCK_BYTES / (bytes * writer->tile.columns);
    return most > block ? most / block * block : block;
}

/** Returns whether cache lines of a panel of A conflict in a cache with this many sets, because
 * many columns map to the same sets. */
static bool is_crowded(const struct writer *writer, int sets) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(gemm->dtype);
    const int64_t most = PANEL_BYTES / (bytes * gemm->k);
    const int64_t rows = most < gemm->m ? most : gemm->m;
    int ways[FAR_SETS] = {0};
    for (int p = 0; p < gemm->k; p++) {
        const int64_t first = gemm->strides[0][1] * bytes * p;
        const int64_t offset = first % EMITTED_LINE_BYTES < 0
                                   ? first % EMITTED_LINE_BYTES + EMITTED_LINE_BYTES
                                   : first % EMITTED_LINE_BYTES;
        for (int64_t line = 0;
             line < (offset + rows * bytes + EMITTED_LINE_BYTES - 1) / EMITTED_LINE_BYTES &&
             line < sets;
             line++) {
            const int64_t set = ((first - offset) / EMITTED_LINE_BYTES + line) % sets;
            if (++ways[set < 0 ? set + sets : set] > CACHE_WAYS) return true;
        }
    }
    return false;
}

/**
 * Returns whether A is packed: its rows are not contiguous or its cache lines conflict, and the
 * result has enough columns for packing to be worthwhile. Fewer columns suffice if lines conflict
 * in the L2 cache too, because each tile would then read A from beyond it.
 */
static bool packs(const struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int tiles = gemm->n / writer->tile.columns;
    if (gemm->strides[0][0] != 1) return true;
    return (tiles >= MANY_TILES && is_crowded(writer, NEAR_SETS)) ||
           (tiles >= SOME_TILES && is_crowded(writer, FAR_SETS));
}

/** Chooses the buffer for non-temporal results: the rows of a panel, or all rows, in the layout of
 * C. */
static void choose_block(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(gemm->dtype);
    const int columns = smaller(writer->tile.columns, gemm->n);
    const bool in_panels = writer->panel_rows < rows_before(writer, 1);
    const int64_t left = gemm->m - rows_before(writer, 1);
    if (!writer->streams) return;
    writer->result[0] = 1;
    writer->result[1] = !in_panels                  ? gemm->m
                        : writer->panel_rows > left ? writer->panel_rows
                                                    : left;
    if (in_panels || gemm->strides[2][1] != gemm->m) return;
    const int64_t most = BLOCK_BYTES / (bytes * gemm->m * columns);
    const int64_t whole = gemm->n / columns;
    writer->joined = columns * (int)(most < 1 ? 1 : most < whole ? most : whole);
}

static void add_set(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                    enum emitted_set set) {
    const struct emitted_packed packed = {.gemm = gemm, .set = set};
    if (emitted_goes_by_lines(gemm)) {
        emitted_add_lines(out, name, &packed);
        return;
    }
    if (emitted_transposes(gemm)) {
        emitted_add_transposing(out, name, &packed);
        return;
    }
    if (emitted_packs(gemm)) {
        emitted_add_packed(out, name, &packed);
        return;
    }
    struct writer writer = {.out = out,
                            .name = name,
                            .gemm = gemm,
                            .set = set,
                            .tile = emitted_choose_tile(gemm, set),
                            .numbers = emitted_numbers_of(gemm->dtype),
                            .streams = emitted_streams(gemm),
                            .result = {gemm->strides[2][0], gemm->strides[2][1]}};
    writer.blocks = emitted_split_rows(writer.rows, gemm, set, &writer.tile);
    writer.panel_rows = choose_panel(&writer);
    writer.packs = packs(&writer);
    choose_block(&writer);
    const int columns = smaller(writer.tile.columns, gemm->n);
    for (int b = 0; b < writer.blocks; b++) {
        add_tile(&writer, &writer.rows[b], columns);
        if (gemm->n % columns != 0) add_tile(&writer, &writer.rows[b], gemm->n % columns);
    }
    add_loops(&writer);
}

struct emitted_gemm emitted_transposed(const struct emitted_gemm *gemm) {
    struct emitted_gemm out = *gemm;
    out.m = gemm->n;
    out.n = gemm->m;
    for (int part = 0; part < 3; part++) {
        const int from = part < 2 ? 1 - part : 2;
        for (int side = 0; side < 2; side++)
            out.strides[part][side] = gemm->strides[from][1 - side];
        if (part < 2) out.conjugated[part] = gemm->conjugated[from];
        out.split[part] = gemm->split[from];
    }
    memcpy(out.split[2].stride[0], gemm->split[2].stride[1], sizeof out.split[2].stride[0]);
    memcpy(out.split[2].stride[1], gemm->split[2].stride[0], sizeof out.split[2].stride[1]);
    return out;
}

/** Adds a description of a matrix, such as `C is 64 x 4096, strides 1 and 64`. */
static void add_matrix(struct strbuf *out, const char *name, int rows, int columns,
                       const int64_t strides[2]) {
    strbuf_add(out, "%s is %d x %d, strides %lld and %lld", name, rows, columns,
               (long long)strides[0], (long long)strides[1]);
}

static void add_comment(struct strbuf *out, const struct emitted_gemm *gemm) {
    strbuf_add(out, "/*\n * c := ");
    if (!scalar_is(gemm->alpha, 1)) strbuf_add(out, "alpha ");
    strbuf_add(out, gemm->conjugated[0] ? "conj(a) " : "a ");
    strbuf_add(out, gemm->conjugated[1] ? "conj(b)" : "b");
    if (!scalar_is(gemm->beta, 0)) strbuf_add(out, scalar_is(gemm->beta, 1) ? " + c" : " + beta c");
    if (emitted_streams(gemm)) strbuf_add(out, ", past the caches,");
    strbuf_add(out, " of %s numbers: ", tcplan_dtype_is_complex(gemm->dtype) ? "complex" : "real");
    add_matrix(out, "a", gemm->m, gemm->k, gemm->strides[0]);
    strbuf_add(out, ";\n * ");
    add_matrix(out, "b", gemm->k, gemm->n, gemm->strides[1]);
    strbuf_add(out, "; ");
    add_matrix(out, "c", gemm->m, gemm->n, gemm->strides[2]);
    strbuf_add(out, ".\n */\n");
}

/** Emits the function that calls the one for the best available instruction set. A kernel that
 * computes the transposed product takes the factors in their original order. */
static void add_choice(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                       unsigned sets, bool turns) {
    const char *type = emitted_numbers_of(gemm->dtype).type;
    int least = EMITTED_PLAIN;
    while (least < EMITTED_SETS - 1 && !(sets >> least & 1U)) least++;
    const char *first = turns ? "b" : "a", *second = turns ? "a" : "b";
    strbuf_add(out, "static void %s(const %s *%s, const %s *%s, %s *c) {\n", name, type, first,
               type, second, type);
    for (int set = EMITTED_SETS - 1; set > least; set--) {
        if (!(sets >> set & 1U)) continue;
        strbuf_add(out, "#if defined(__x86_64__)\n    if (%s) {\n        %s_%s(a, b, c);\n",
                   emitted_set_text[set].condition, name, emitted_set_text[set].name);
        strbuf_add(out, "        return;\n    }\n#endif\n");
    }
    strbuf_add(out, "    %s_%s(a, b, c);\n}\n\n", name, emitted_set_text[least].name);
}

void emitted_add_gemm(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                      unsigned sets) {
    const bool turns = emitted_turns(gemm);
    const struct emitted_gemm own = turns ? emitted_transposed(gemm) : *gemm;
    struct strbuf text = {0};
    add_comment(&text, &own);
    if (emitted_packs(&own)) general_add_shared(&text, name, &own, sets);
    for (int set = 0; set < EMITTED_SETS; set++) {
        if (!(sets >> set & 1U)) continue;
        if (set != EMITTED_PLAIN) strbuf_add(&text, "#if defined(__x86_64__)\n");
        add_set(&text, name, &own, (enum emitted_set)set);
        if (set != EMITTED_PLAIN) strbuf_add(&text, "#endif\n\n");
    }
    add_choice(&text, name, &own, sets, turns);
    emitted_add_kernels(out, &text);
}
