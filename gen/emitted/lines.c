/*
 * Kernels that write non-temporal results line by line, see gen/emitted/emitted.h: tiles write
 * lines from registers, so that memory absorbs them while others are computed. Writing to a cached
 * block first, and from there in runs of kilobytes, alternates between computing and writing: 32 ms
 * instead of 23 ms for C_abc=A_ai*B_ibc with a=b=c=400 and i=8 on Zen 4, whose memory needs 18 ms
 * and whose products need as long.
 *
 * A result may begin anywhere within a line, but all its columns begin alike. Rows are processed
 * from the first one that begins a line, and the rows before it follow the last row. All lines are
 * then whole; the last is shared by the end of a column and the beginning of the same column or, if
 * columns continue each other, of the next one.
 */
#include <stdio.h>

#include "ast/scalar.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/sums.h"
#include "gen/emitted/tile.h"

enum {
    PANEL_BYTES = 64 << 10, /* bytes of a panel of A: a part of a small L2 cache. Tiles read two of
                               its vectors for sixteen products */
    MOST_K = 512, /* maximum k: a tile's columns of B stay in an L1 cache of 48 KiB or in the L2
                     cache; a panel has two lines */
    LEAST_COLUMNS = 16, /* fewest columns for which packing one cache line of rows of A is a small
                           part of the work */
    MANY_COLUMNS = 64,  /* fewest columns for which packing all of A is a small part of the work */
    LONG_K = 32, /* k from which tiles of three lines are faster: between the measured 24 and 72 */
    MOST_LINES = 4 /* maximum number of cache lines in a tile: writing more at once delays products
                      (nt5x4: 26 ms, nt2x8: 22 ms) */
};

struct writer {
    const struct emitted_gemm *gemm;
    char name[96]; /**< prefix of the names of the kernel's functions */
    enum emitted_set set;
    struct template_values values;
    struct emitted_numbers numbers;
    int elems;    /**< elements in a vector */
    int line;     /**< elements in a cache line */
    int vectors;  /**< vectors in a cache line */
    int lines;    /**< cache lines of rows in a tile */
    int columns;  /**< columns of a tile */
    bool joined;  /**< whether columns of the result are contiguous with each other */
    bool packs;   /**< whether all of A is packed; otherwise only the rows of the line that two
                     columns share */
    bool may_not; /**< whether elements may be misaligned, so that no cache line begins with an
                     element */
};

static int line_elems(const struct emitted_gemm *gemm) {
    return EMITTED_LINE_BYTES / (int)tcplan_dtype_bytes(gemm->dtype);
}

bool emitted_goes_by_lines(const struct emitted_gemm *gemm) {
    const int line = line_elems(gemm);
    const bool is_transposed = gemm->strides[2][0] != 1;
    const int rows = is_transposed ? gemm->n : gemm->m, columns = is_transposed ? gemm->m : gemm->n;
    for (int role = 0; role < 3; role++) {
        if (gemm->split[role].count > 0) return false;
    }
    if (!gemm->streamed || !scalar_is(gemm->beta, 0) || gemm->strides[2][is_transposed] != 1 ||
        gemm->k > MOST_K)
        return false;
    return columns >= LEAST_COLUMNS && rows % line == 0 &&
           gemm->strides[2][!is_transposed] % line == 0;
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

/** Returns how many real numbers one cache line of rows of A has in all k columns. */
static int64_t line_panel(const struct writer *writer) {
    return (int64_t)writer->gemm->k * writer->line * writer->numbers.parts;
}

/** Returns the type of the numbers in a mask. */
static const char *mask_type(const struct writer *writer) {
    return writer->numbers.letter == 's' ? "int32_t" : "int64_t";
}

/** Returns the last argument of calls of storing functions: `, passes` if elements may be
 * misaligned, otherwise "". */
static const char *passes(const struct writer *writer) {
    return writer->may_not ? ", passes" : "";
}

/** Emits the sums for some lines and columns; each line of A is packed separately or read in place.
 */
static void add_sums(const struct writer *writer, struct strbuf *out, int lines, int columns,
                     bool is_packed) {
    const int64_t apart = is_packed ? (int64_t)writer->gemm->k * writer->line : writer->line;
    int elems[EMITTED_MAX_PIECES * MOST_LINES];
    int64_t place[EMITTED_MAX_PIECES * MOST_LINES];
    for (int v = 0; v < lines * writer->vectors; v++) {
        elems[v] = writer->elems;
        place[v] = v / writer->vectors * apart + v % writer->vectors * writer->elems;
    }
    const struct emitted_sums sums = {
        .gemm = writer->gemm,
        .numbers = writer->numbers,
        .vectors = lines * writer->vectors,
        .elems = elems,
        .place = place,
        .step = is_packed ? writer->line : writer->gemm->strides[0][1],
        .columns = columns,
        .unroll = writer->gemm->tile.unroll > 0 ? writer->gemm->tile.unroll : 4};
    emitted_add_sums(out, &sums);
    if (scalar_is(writer->gemm->alpha, 1)) return;
    for (int c = 0; c < columns; c++) {
        for (int v = 0; v < sums.vectors; v++) {
            char name[32];
            snprintf(name, sizeof name, "c%d_", v);
            strbuf_add(out, "    c%d_%d = ", v, c);
            emitted_add_times(out, &writer->numbers, writer->elems, writer->gemm->alpha, name, c);
            strbuf_add(out, ";\n");
        }
    }
}

/** Emits the store of vector `x` at `c` plus `elems` elements. `less` is text that subtracts from
 * the address, such as ` - rest`, or "". */
static void add_store(const struct writer *writer, struct strbuf *out, const char *indent,
                      int64_t elems, const char *less, const char *x) {
    char to[96];
    struct strbuf offset = {0};
    emitted_add_offset(&offset, &writer->numbers, elems, 0);
    if (offset.failed) out->failed = true;
    snprintf(to, sizeof to, "c%s%s", less, offset.length > 0 ? offset.text : "");
    strbuf_free(&offset);
    const char letter = writer->numbers.letter;
    const int numbers = writer->elems * writer->numbers.parts;
    strbuf_add(out, "%s%sKERNEL_LINE_%c%d(%s, %s);\n", indent,
               writer->may_not ? "if (passes) " : "", letter, numbers, to, x);
    if (writer->may_not)
        strbuf_add(out, "%selse *(kernel_%c%d *)(%s) = %s;\n", indent, letter, numbers, to, x);
}

/** Adds the function of a tile that writes whole lines. */
static void add_tile(const struct writer *writer, struct strbuf *out, int lines, int columns) {
    const char *type = writer->numbers.type;
    strbuf_add(out,
               "/* Computes %d cache lines in %d columns of the result. */\n%s KERNEL_TILE "
               "%s_%dx%d(const %s *a, const %s *b, %s *c%s) {\n",
               lines, columns, emitted_set_text[writer->set].macro, writer->name, lines, columns,
               type, type, type, writer->may_not ? ", int passes" : "");
    add_sums(writer, out, lines, columns, writer->packs);
    for (int c = 0; c < columns; c++) {
        for (int v = 0; v < lines * writer->vectors; v++) {
            char sum[32];
            snprintf(sum, sizeof sum, "c%d_%d", v, c);
            add_store(writer, out, "    ",
                      writer->gemm->strides[2][1] * c + (int64_t)v * writer->elems, "", sum);
        }
    }
    strbuf_add(out, "}\n\n");
}

/** Emits ordinary stores of elements of `shared`, a cache line, to the result. */
static void add_part(struct strbuf *out, const char *indent, const char *from, const char *end,
                     const char *to) {
    strbuf_add(out, "%sfor (ptrdiff_t e = %s; e < %s; e++) c[%s] = shared[e];\n", indent, from, end,
               to);
}

static void add_keep(const struct writer *writer, struct strbuf *out, const char *indent, int v,
                     int column) {
    const int numbers = writer->elems * writer->numbers.parts;
    strbuf_add(out, "%s*(kernel_%c%d *)(shared + %d) = c%d_%d;\n", indent, writer->numbers.letter,
               numbers, v * numbers, v, column);
}

/** Emits the computation of the cache line that has the end of one column and the beginning of the
 * next. */
static void add_joint(const struct writer *writer, struct strbuf *out, int column) {
    const char letter = writer->numbers.letter;
    const int numbers = writer->elems * writer->numbers.parts;
    const char *indent = column == 0 ? "        " : "    ";
    for (int v = 0; v < writer->vectors; v++) {
        char before[48], x[192];
        snprintf(before, sizeof before, "c%d_%d", v, column - 1);
        if (column == 0)
            snprintf(before, sizeof before, "*(const kernel_%c%d *)(shared + %d)", letter, numbers,
                     v * numbers);
        snprintf(x, sizeof x, "KERNEL_JOIN_%c%d(e%d, %s, c%d_%d)", letter, numbers, v, before, v,
                 column);
        add_store(writer, out, indent,
                  writer->gemm->strides[2][1] * column + (int64_t)v * writer->elems, " - rest", x);
    }
}

static void add_joints(const struct writer *writer, struct strbuf *out, int columns) {
    const int numbers = writer->elems * writer->numbers.parts;
    char all[16];
    snprintf(all, sizeof all, "%d", writer->line * writer->numbers.parts);
    for (int v = 0; v < writer->vectors; v++) {
        strbuf_add(out, "    const kernel_m%c%d e%d = *(const kernel_m%c%d *)(ends + %d);\n",
                   writer->numbers.letter, numbers, v, writer->numbers.letter, numbers,
                   v * numbers);
    }
    strbuf_add(out, "    if (is_first) {\n");
    for (int v = 0; v < writer->vectors; v++) add_keep(writer, out, "        ", v, 0);
    add_part(out, "        ", "rest", all, "e - rest");
    strbuf_add(out, "    } else {\n");
    add_joint(writer, out, 0);
    strbuf_add(out, "    }\n");
    for (int c = 1; c < columns; c++) add_joint(writer, out, c);
    for (int v = 0; v < writer->vectors; v++) add_keep(writer, out, "    ", v, columns - 1);
}

/** Emits the stores of both parts of a shared cache line, if columns are not contiguous with each
 * other. */
static void add_parts(const struct writer *writer, struct strbuf *out, int columns) {
    const int64_t parts = writer->numbers.parts;
    char all[16], to[64];
    snprintf(all, sizeof all, "%d", (int)(writer->line * parts));
    for (int c = 0; c < columns; c++) {
        const int64_t column = writer->gemm->strides[2][1] * c;
        strbuf_add(out, "    if (rest == %s) {\n", all);
        for (int v = 0; v < writer->vectors; v++) {
            char sum[32];
            snprintf(sum, sizeof sum, "c%d_%d", v, c);
            add_store(writer, out, "        ",
                      column + writer->gemm->m - writer->line + (int64_t)v * writer->elems, "",
                      sum);
        }
        strbuf_add(out, "    } else {\n");
        for (int v = 0; v < writer->vectors; v++) add_keep(writer, out, "        ", v, c);
        snprintf(to, sizeof to, "e + %lld - rest", (long long)(column + writer->gemm->m) * parts);
        add_part(out, "        ", "0", "rest", to);
        snprintf(to, sizeof to, "e + %lld - rest", (long long)column * parts);
        add_part(out, "        ", "rest", all, to);
        strbuf_add(out, "    }\n");
    }
}

/** Emits the last line of a column, together with the first part of another one; `rest` elements
 * belong to the end. */
static void add_ends(const struct writer *writer, struct strbuf *out, int columns) {
    const char *type = writer->numbers.type;
    strbuf_add(
        out,
        "%s KERNEL_TILE %s_ends_%d(const %s *a, const %s *b, %s *c, ptrdiff_t rest, %s *shared%s%s) {\n",
        emitted_set_text[writer->set].macro, writer->name, columns, type, type, type, type,
        !writer->joined                 ? ""
        : writer->numbers.letter == 's' ? ", const int32_t *ends, int is_first"
                                        : ", const int64_t *ends, int is_first",
        writer->may_not ? ", int passes" : "");
    add_sums(writer, out, 1, columns, true);
    if (writer->joined) {
        add_joints(writer, out, columns);
    } else {
        add_parts(writer, out, columns);
    }
    strbuf_add(out, "}\n\n");
}

/* Prefetching during tiles. */

/** Cache lines to prefetch from a part of a factor: `per` in each contiguous run; runs are `outer`
 * elements apart. */
struct fetched {
    int64_t count, per, outer;
    int64_t at_once; /* lines to prefetch before each tile */
};

/** Returns the cache lines to prefetch for some rows and columns of a factor; none if neither rows
 * nor columns are contiguous. */
static struct fetched fetched_of(const struct writer *writer, int part, int64_t rows,
                                 int64_t columns) {
    const int64_t *strides = writer->gemm->strides[part];
    const int along = strides[0] == 1 ? 0 : 1;
    const int64_t length = along == 0 ? rows : columns, runs = along == 0 ? columns : rows;
    struct fetched out = {0};
    if (strides[along] != 1) return out;
    out.per = (length + writer->line - 1) / writer->line;
    out.outer = strides[1 - along];
    if (out.outer == length) { /* the part is a single contiguous run */
        out.per = (length * runs + writer->line - 1) / writer->line;
        out.outer = 0;
    }
    out.count = out.outer == 0 ? out.per : out.per * runs;
    return out;
}

/** Returns how many cache lines of rows a panel has: as many as fit, in panels of equal size. */
static int panel_lines(const struct writer *writer) {
    const int all = writer->gemm->m / writer->line;
    const int most = PANEL_BYTES / (EMITTED_LINE_BYTES * writer->gemm->k);
    const int panels = (all + most - 1) / most;
    return (all + panels - 1) / panels;
}

/** Returns the number of tiles in one group of columns of a panel, without the cache lines that two
 * columns share. */
static int64_t tiles_of(const struct writer *writer) {
    const int lines = panel_lines(writer), all = writer->gemm->m / writer->line;
    const int whole = lines < all || lines == 1 ? lines : lines - 1;
    return whole / writer->lines + whole % writer->lines;
}

/** Returns the part of B to prefetch: the columns that follow the current ones. */
static struct fetched columns_ahead(const struct writer *writer, int columns) {
    struct fetched out = fetched_of(writer, 1, writer->gemm->k, columns);
    out.at_once = (out.count + tiles_of(writer) - 1) / tiles_of(writer);
    return out;
}

/** Returns the part of A to prefetch while a panel is processed: the next panel; empty if there is
 * only one. */
static struct fetched panel_ahead(const struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int64_t tiles = tiles_of(writer) * (gemm->n / writer->columns);
    struct fetched out =
        fetched_of(writer, 0, (int64_t)panel_lines(writer) * writer->line, gemm->k);
    if (panel_lines(writer) == gemm->m / writer->line) return (struct fetched){0};
    out.at_once = (out.count + tiles - 1) / tiles;
    return out;
}

/** Emits `NAME_fetch_b(from, x)`, which prefetches cache lines from number x on. */
static void add_fetching(const struct writer *writer, struct strbuf *out, char factor,
                         struct fetched fetched) {
    const int64_t start = factor == 'b' ? writer->gemm->strides[1][1] * writer->columns
                                        : 0; /* offset of the columns after the present tile */
    char run[32], in_run[32];
    if (fetched.count == 0) return;
    snprintf(run, sizeof run, "(x / %lld)", (long long)fetched.per);
    snprintf(in_run, sizeof in_run, fetched.outer == 0 ? "x" : "(x %% %lld)",
             (long long)fetched.per);
    strbuf_add(
        out,
        "KERNEL_TILE %s_fetch_%c(const %s *from, ptrdiff_t x) {\n    for (ptrdiff_t end = x + %lld; x < end; x++) ",
        writer->name, factor, writer->numbers.type, (long long)fetched.at_once);
    /* The address is computed as an integer, because the last addresses may be outside of the
     * factor, where pointers are undefined. */
    strbuf_add(out,
               "__builtin_prefetch((const void *)((uintptr_t)from + sizeof *from * (size_t)(%lld",
               (long long)start * writer->numbers.parts);
    emitted_add_step(out, &writer->numbers, fetched.outer, run);
    emitted_add_step(out, &writer->numbers, writer->line, in_run);
    strbuf_add(out, ")), 0, 2);\n}\n\n");
}

/** Emits prefetches before a tile: its share of all lines to prefetch. */
static void add_fetches(const struct writer *writer, struct strbuf *out, const char *indent,
                        int columns) {
    const struct fetched b = columns_ahead(writer, columns), a = panel_ahead(writer);
    if (b.count > 0 && columns == writer->columns) {
        strbuf_add(out, "%s%s_fetch_b(b, x);\n%sx += %lld;\n", indent, writer->name, indent,
                   (long long)b.at_once);
    }
    if (a.count > 0) {
        strbuf_add(out, "%sif (next) %s_fetch_a(next, fetched);\n%sfetched += %lld;\n", indent,
                   writer->name, indent, (long long)a.at_once);
    }
}

/** Emits the tiles for lines of a panel and some columns, in groups of a number of lines. */
static void add_lines(const struct writer *writer, struct strbuf *out, int lines, int columns) {
    if (lines < writer->lines) { /* whole tiles that remain after the groups */
        strbuf_add(out, "    for (int left = %d; left > 0 && l < whole; left--, l++) {\n",
                   writer->lines - 1);
    } else {
        strbuf_add(out, "    for (; l + %d <= whole; l += %d) {\n", lines, lines);
    }
    add_fetches(writer, out, "        ", columns);
    strbuf_add(out, "        %s_%dx%d(", writer->name, lines, columns);
    if (writer->packs) {
        strbuf_add(out, "packed + %lld * (l - h)", (long long)line_panel(writer));
    } else {
        strbuf_add(out, "a + %d * l", writer->line * writer->numbers.parts);
    }
    strbuf_add(out, ", b, to + %d * l%s);\n    }\n", writer->line * writer->numbers.parts,
               passes(writer));
}

/** Emits the tiles for all lines of a panel and some columns. */
static void add_columns(const struct writer *writer, struct strbuf *out, int columns) {
    const char *type = writer->numbers.type;
    const int line = writer->line * writer->numbers.parts, all = writer->gemm->m / writer->line;
    strbuf_add(
        out,
        "%s KERNEL_TILE %s_by_%d(const %s *a, const %s *packed, const %s *b, %s *c, ptrdiff_t lead, ptrdiff_t h, ptrdiff_t end, ",
        emitted_set_text[writer->set].macro, writer->name, columns, type, type, type, type);
    strbuf_add(out,
               "%s *shared, const %s *ends, int is_first, const %s *next, ptrdiff_t fetched%s) {\n",
               type, mask_type(writer), type, writer->may_not ? ", int passes" : "");
    strbuf_add(out, "    const ptrdiff_t whole = end < %d ? end : %d;\n    ptrdiff_t l = h;\n", all,
               all - 1);
    strbuf_add(out, "    %s *to = c + %d * lead;\n", type, writer->numbers.parts);
    if (columns_ahead(writer, columns).count > 0 && columns == writer->columns)
        strbuf_add(out, "    ptrdiff_t x = 0;\n");
    add_lines(writer, out, writer->lines, columns);
    if (writer->lines > 1) add_lines(writer, out, 1, columns);
    if (all == 1) add_fetches(writer, out, "    ", columns);
    strbuf_add(
        out,
        "    if (end == %d) %s_ends_%d(packed + %lld * (%s), b, c, %d - %d * lead, shared%s%s);\n",
        all, writer->name, columns, (long long)line_panel(writer), writer->packs ? "l - h" : "0",
        line, writer->numbers.parts, writer->joined ? ", ends, is_first" : "", passes(writer));
    strbuf_add(out, "    (void)a, (void)ends, (void)is_first, (void)next, (void)fetched;\n}\n\n");
}

static void add_functions(const struct writer *writer, struct strbuf *out, int columns) {
    if (columns == writer->columns) {
        add_fetching(writer, out, 'a', panel_ahead(writer));
        add_fetching(writer, out, 'b', columns_ahead(writer, columns));
    }
    add_tile(writer, out, writer->lines, columns);
    if (writer->lines > 1) add_tile(writer, out, 1, columns);
    add_ends(writer, out, columns);
    add_columns(writer, out, columns);
}

/** Sets the text that packs one cache line of A's rows, column by column, if rows are contiguous.
 */
static void set_pack_whole(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int numbers = writer->elems * writer->numbers.parts;
    struct strbuf *out = value(writer, "pack_whole");
    if (gemm->strides[0][0] != 1) return;
    strbuf_add(out,
               "        if (row + %d <= %d) {\n            for (ptrdiff_t p = 0; p < %d; p++) {\n",
               writer->line, gemm->m, gemm->k);
    for (int v = 0; v < writer->vectors; v++) {
        strbuf_add(out, "                *(kernel_%c%d *)(to", writer->numbers.letter, numbers);
        emitted_add_step(out, &writer->numbers, writer->line, "p");
        emitted_add_offset(out, &writer->numbers, (int64_t)v * writer->elems, 0);
        strbuf_add(out, ") = *(const kernel_%c%d *)(a", writer->numbers.letter, numbers);
        emitted_add_step(out, &writer->numbers, 1, "row");
        emitted_add_step(out, &writer->numbers, gemm->strides[0][1], "p");
        emitted_add_offset(out, &writer->numbers, (int64_t)v * writer->elems, 0);
        strbuf_add(out, ");\n");
    }
    strbuf_add(out, "            }\n            to += %lld;\n            continue;\n        }\n",
               (long long)line_panel(writer));
}

static void set_pack_element(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "pack_element");
    for (int part = 0; part < writer->numbers.parts; part++) {
        strbuf_add(out, "                *(to");
        emitted_add_step(out, &writer->numbers, writer->line, "p");
        emitted_add_step(out, &writer->numbers, 1, "r");
        emitted_add_offset(out, &writer->numbers, 0, part);
        strbuf_add(out, ") = *(a");
        emitted_add_step(out, &writer->numbers, gemm->strides[0][0], "x");
        emitted_add_step(out, &writer->numbers, gemm->strides[0][1], "p");
        emitted_add_offset(out, &writer->numbers, 0, part);
        strbuf_add(out, ");\n");
    }
}

/** Sets the text for the address of the current columns: `b + 8 * j`. */
static void set_column(struct writer *writer, const char *name, int part, const char *j) {
    emitted_add_term(value(writer, name), &writer->numbers, writer->gemm->strides[part][1], j);
}

/** Sets the text for the columns that fill no whole tile, and for the end of the last column. */
static void set_rest(struct writer *writer, int whole) {
    const struct emitted_gemm *gemm = writer->gemm;
    struct strbuf *out = value(writer, "rest");
    char from[32];
    snprintf(from, sizeof from, "%d", whole);
    if (whole < gemm->n) {
        strbuf_add(out, "        %s_by_%d(a + %d * lead, packed, b", writer->name, gemm->n - whole,
                   writer->numbers.parts);
        emitted_add_step(out, &writer->numbers, gemm->strides[1][1], from);
        strbuf_add(out, ", c");
        emitted_add_step(out, &writer->numbers, gemm->strides[2][1], from);
        strbuf_add(out, ", lead, h, end, shared, ends, 0, NULL, 0%s);\n", passes(writer));
    }
    out = value(writer, "last");
    if (!writer->joined) return;
    const int line = writer->line * writer->numbers.parts;
    strbuf_add(
        out,
        "    for (ptrdiff_t e = 0; e < %d - %d * lead; e++) c[%lld + %d * lead + e] = shared[e];\n",
        line, writer->numbers.parts,
        (long long)((gemm->strides[2][1] * (gemm->n - 1) + gemm->m) * writer->numbers.parts - line),
        writer->numbers.parts);
}

/** Sets the texts for the address of A's next panel, and for the number of lines of that panel that
 * were prefetched with earlier columns. */
static void set_next(struct writer *writer) {
    const struct fetched a = panel_ahead(writer);
    const int all = writer->gemm->m / writer->line;
    struct strbuf *out = value(writer, "next");
    strbuf_add(out, "        const %s *next = ", writer->numbers.type);
    if (a.count > 0) {
        char row[64];
        snprintf(row, sizeof row, "(lead + %d * end)", writer->line);
        strbuf_add(out, "end < %d ? a", all);
        emitted_add_step(out, &writer->numbers, writer->gemm->strides[0][0], row);
        strbuf_add(out, " : NULL;\n");
    } else {
        strbuf_add(out, "NULL;\n");
    }
    strbuf_add(value(writer, "arguments"), ", next, j / %d * %lld%s", writer->columns,
               (long long)tiles_of(writer) * a.at_once, passes(writer));
}

static void set_values(struct writer *writer) {
    const struct emitted_gemm *gemm = writer->gemm;
    const int whole = gemm->n - gemm->n % writer->columns;
    const int parts = writer->numbers.parts;
    struct strbuf *out;
    strbuf_add(value(writer, "name"), "%s", writer->name);
    strbuf_add(value(writer, "target"), "%s", emitted_set_text[writer->set].macro);
    strbuf_add(value(writer, "number"), "%s", writer->numbers.type);
    strbuf_add(value(writer, "mask"), "%s", mask_type(writer));
    template_number(&writer->values, "parts", parts);
    template_number(&writer->values, "m", gemm->m);
    template_number(&writer->values, "k", gemm->k);
    template_number(&writer->values, "line", writer->line);
    template_number(&writer->values, "line_numbers", (int64_t)writer->line * parts);
    template_number(&writer->values, "line_panel", line_panel(writer));
    template_number(&writer->values, "lines", gemm->m / writer->line);
    template_number(&writer->values, "panel", panel_lines(writer));
    template_number(&writer->values, "packed",
                    (writer->packs ? panel_lines(writer) : 1) * line_panel(writer));
    strbuf_add(value(writer, "first_packed"), writer->packs ? "h" : "(end < %d ? end : %d)",
               gemm->m / writer->line, gemm->m / writer->line - 1);
    template_number(&writer->values, "columns", writer->columns);
    template_number(&writer->values, "whole_columns", whole);
    set_column(writer, "b_j", 1, "j");
    set_column(writer, "c_j", 2, "j");
    set_next(writer);
    out = value(writer, "passes");
    if (writer->may_not)
        strbuf_add(out, "    const int passes = (uintptr_t)c %% (%d * sizeof *c) == 0;\n", parts);
    strbuf_add(value(writer, "lead"),
               "%s(ptrdiff_t)((%d - (uintptr_t)c %% %d) %% %d / (%d * sizeof *c))%s",
               writer->may_not ? "passes ? " : "", EMITTED_LINE_BYTES, EMITTED_LINE_BYTES,
               EMITTED_LINE_BYTES, parts, writer->may_not ? " : 0" : "");
    set_rest(writer, whole);
    out = value(writer, "tiles");
    add_functions(writer, out, writer->columns);
    if (whole < gemm->n) add_functions(writer, out, gemm->n - whole);
}

/**
 * Uses the given tile, if any. Otherwise one line by six columns if there are registers for it;
 * three lines by eight columns if k is long, since more lines save loads but delay the stores,
 * which matters for short k. (Zen 4: ccsd_t0, k = 24, 39.5 ms with 1 x 6, 40.5 with 1 x 8, 46.2
 * with 2 x 8, 42.0 with 3 x 8; C_abc=A_ai*B_ibc, k = 8, 23.1 with 1 x 6, 24.5 with 3 x 8; ao2mo0, k
 * = 72, 83.7 with 2 x 8, 78.6 with 3 x 8.)
 */
static void choose_tile(struct writer *writer) {
    const struct tcplan_register_tile given = writer->gemm->tile;
    const bool are_many = emitted_registers(writer->set) > 16, is_long = writer->gemm->k > LONG_K;
    const int columns = !are_many ? 8 / writer->vectors : is_long ? 8 : 6;
    writer->lines = given.vectors > 0     ? given.vectors / writer->vectors
                    : are_many && is_long ? 3
                                          : 1;
    writer->columns = given.vectors > 0 ? given.columns : columns / writer->numbers.parts;
    if (writer->lines < 1) writer->lines = 1;
    if (writer->lines > MOST_LINES) writer->lines = MOST_LINES;
    if (writer->columns < 1) writer->columns = 1;
    if (writer->columns > writer->gemm->n) writer->columns = writer->gemm->n;
}

void emitted_add_lines(struct strbuf *out, const char *name, const struct emitted_packed *lines) {
    const struct emitted_gemm *gemm = lines->gemm;
    struct writer writer = {.gemm = gemm,
                            .set = lines->set,
                            .numbers = emitted_numbers_of(gemm->dtype),
                            .elems = emitted_vector_elems(gemm->dtype, lines->set),
                            .line = line_elems(gemm),
                            .joined = gemm->strides[2][1] == gemm->m,
                            .packs = gemm->strides[0][0] != 1 || gemm->n >= MANY_COLUMNS,
                            .may_not = tcplan_dtype_is_complex(gemm->dtype)};
    writer.vectors = writer.line / writer.elems;
    snprintf(writer.name, sizeof writer.name, "%s_%s", name, emitted_set_text[lines->set].name);
    choose_tile(&writer);
    set_pack_whole(&writer);
    set_pack_element(&writer);
    set_values(&writer);
    template_add(out, &writer.values, lines_text);
    template_free(&writer.values);
}
