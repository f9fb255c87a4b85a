/*
 * Products of matrices with any extents and strides, see gen/emitted/general.h and
 * gen/templates/general.
 *
 * There is a function for each tile up to a maximum of vectors and columns, so no remainder is left
 * except parts of a vector. Code without vectors is emitted once for all instruction sets. B is
 * packed in the order of the tiles. A is packed as well, a panel of some tiles at a time, or read
 * in place. Tables hold the places of rows, columns and contracted indices, so fused indices need
 * not be contiguous.
 */
#include "gen/emitted/general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ast/scalar.h"
#include "gen/emit/runtime_text.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/blocks.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/sums.h"
#include "gen/emitted/tile.h"

enum {
    VECTORS = 3,
    MOST_ROWS = 1024, /* maximum number of rows in a panel; their tables are on the stack */
    MOST_K = 2048,
    MOST_UNPACKED = 64 << 10, /* products from which packing takes a small part of the time */
    NARROW_BYTES = 16 << 10,  /* bytes of a block of B if all of A is packed: a part of a small L1
                                 cache */
    IN_PLACE_BYTES = 16 << 10 /* bytes of a panel of A that is read in place, for one group of
                                 columns after the other */
};

/** State of generating a kernel. */
struct writer {
    enum tcplan_dtype dtype;
    enum emitted_set set;
    char name[96]; /**< prefix of the names that all instruction sets share */
    char own[112]; /**< prefix of the names of this instruction set */
    struct template_values values;
    struct emitted_numbers numbers;
    int elems;   /**< elements in a vector */
    int vectors; /**< vectors of the largest tiles */
    int columns; /**< columns of the largest tiles with all vectors */
    int round;   /**< products between two prefetches; the loop over them is unrolled */
    const struct kernel_gemm *only; /**< the only product to compute; NULL: any */
};

/** Requirements on the text that all instruction sets share: sizes of tables, and functions that
 * some products do not need. */
struct needs {
    int64_t rows, columns, k; /**< of a panel of A or a block of B */
    int64_t tile_rows, tiles; /**< rows of a tile, and tiles of a panel */
    bool scales_result, scales_block;
    bool looks_ahead;  /**< whether tiles prefetch the next panel of A */
    bool looks_behind; /**< whether tiles prefetch the next block of B */
};

/** Returns the most columns of a tile of `vectors`, so that its sums, a column of A and an element
 * of B fit in registers. */
static int most_columns(enum tcplan_dtype dtype, enum emitted_set set, int vectors) {
    const int parts = emitted_reals(dtype);
    return ((emitted_registers(set) - 1) / vectors - 1) / parts;
}

/** Returns how many products are computed between two prefetches. */
static int round_of(const struct emitted_gemm *gemm) {
    return gemm->tile.unroll > 0 ? gemm->tile.unroll : BLOCKS_ROUND;
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

static int vector_numbers(const struct writer *writer) {
    return writer->elems * writer->numbers.parts;
}

/** Returns the rows of the largest tiles. */
static int64_t tile_rows(const struct writer *writer) {
    return (int64_t)writer->vectors * writer->elems;
}

/** Returns the vectors of the tile that computes the remaining rows; 0 if none remain. */
static int rest_vectors(const struct writer *writer) {
    return (int)blocks_divide_up(writer->only->m % tile_rows(writer), writer->elems);
}

/** Returns whether the rows of some tile of A are followed by another panel, which is prefetched.
 */
static bool looks_ahead(const struct writer *writer) {
    const struct kernel_gemm *only = writer->only;
    const int parts = writer->numbers.parts;
    return !only || (only->m > only->panel_rows && !only->in_place &&
                     only->panel_rows == tile_rows(writer) &&
                     (only->rows.stride[0][0] == parts ||
                      (only->by_rows && only->contracted.stride[0][0] == parts)));
}

/** Returns whether there are several blocks of B, which are contiguous along some dimension. */
static bool looks_behind(const struct writer *writer) {
    const struct kernel_gemm *only = writer->only;
    return !only || ((only->n > only->block_columns || only->k > only->block_k) &&
                     (only->apart[1] > 0 || only->columns.stride[0][0] == writer->numbers.parts));
}

static bool transposes(const struct writer *writer) {
    return !writer->only || writer->only->apart[0] > 0 || writer->only->apart[1] > 0;
}

static struct needs needs_of(const struct writer *writer) {
    const struct kernel_gemm *only = writer->only;
    struct needs needs = {.rows = MOST_ROWS,
                          .columns = BLOCKS_MOST_COLUMNS,
                          .k = MOST_K,
                          .tile_rows = tile_rows(writer),
                          .tiles = MOST_ROWS / writer->elems + 1,
                          .scales_result = true,
                          .scales_block = true,
                          .looks_ahead = looks_ahead(writer),
                          .looks_behind = looks_behind(writer)};
    if (!only) return needs;
    needs.rows = only->panel_rows;
    needs.columns = only->block_columns;
    needs.k = only->block_k;
    needs.tiles = blocks_divide_up(only->panel_rows, tile_rows(writer));
    needs.scales_result = (only->beta[0] != 0 && only->beta[0] != 1) || only->beta[1] != 0;
    needs.scales_block = only->alpha[0] != 1 || only->alpha[1] != 0;
    return needs;
}

/** Extends `all` to the requirements of another instruction set. */
static void extend_needs(struct needs *all, const struct needs *more) {
    int64_t *const number[] = {&all->rows, &all->columns, &all->k, &all->tile_rows, &all->tiles};
    const int64_t other[] = {more->rows, more->columns, more->k, more->tile_rows, more->tiles};
    for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
        if (*number[n] < other[n]) *number[n] = other[n];
    }
    all->scales_result |= more->scales_result;
    all->scales_block |= more->scales_block;
    all->looks_ahead |= more->looks_ahead;
    all->looks_behind |= more->looks_behind;
}

static void add_products(const struct writer *writer, struct strbuf *out, const char *indent,
                         int vectors, int columns) {
    emitted_add_packed_products(out, &writer->numbers, indent, writer->elems, vectors, columns);
    strbuf_add(out, "%sa += step;\n%sb += %d;\n", indent, indent, columns * writer->numbers.parts);
}

/** For complex types, emits the additions that combine the sums for the real and the imaginary
 * parts of B: the latter are multiplied by i, which exchanges the parts of each number. */
static void add_joined(const struct writer *writer, struct strbuf *out, int vectors, int columns) {
    for (int c = 0; c < columns && writer->numbers.parts == 2; c++) {
        for (int v = 0; v < vectors; v++) {
            strbuf_add(out, "        c%d_%d += KERNEL_SWAP_%c%d(c%d_%d) * ", v, 2 * c,
                       writer->numbers.letter, vector_numbers(writer), v, 2 * c + 1);
            emitted_add_alternating(out, &writer->numbers, writer->elems, -1, 1);
            strbuf_add(out, ";\n");
        }
    }
}

/** Prints a vector in memory: `*(kernel_d8 *)(to + 8)`. */
static void add_vector_at(const struct writer *writer, struct strbuf *out, const char *to,
                          int64_t offset) {
    strbuf_add(out, "*(");
    emitted_add_type(out, &writer->numbers, writer->elems);
    strbuf_add(out, " *)(%s + %lld)", to, (long long)offset);
}

/** Emits the function that writes a column of a tile. */
static void add_store(const struct writer *writer, struct strbuf *out, int vectors) {
    strbuf_add(out,
               "/* Writes %d vectors of a column, or adds them. */\n"
               "%s KERNEL_TILE %s_store_%d(%s *to, int adds",
               vectors, emitted_set_text[writer->set].macro, writer->own, vectors,
               writer->numbers.type);
    for (int v = 0; v < vectors; v++) {
        strbuf_add(out, ", ");
        emitted_add_type(out, &writer->numbers, writer->elems);
        strbuf_add(out, " x%d", v);
    }
    strbuf_add(out, ") {\n    if (adds) {\n");
    for (int v = 0; v < vectors; v++) {
        strbuf_add(out, "        x%d += ", v);
        add_vector_at(writer, out, "to", (int64_t)v * vector_numbers(writer));
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "    }\n");
    for (int v = 0; v < vectors; v++) {
        strbuf_add(out, "    ");
        add_vector_at(writer, out, "to", (int64_t)v * vector_numbers(writer));
        strbuf_add(out, " = x%d;\n", v);
    }
    strbuf_add(out, "}\n\n");
}

/** Prints `NAME_store_2(c + column[0], strip->adds, c0_0, c1_0);` without what precedes the sums.
 */
static void add_stored(const struct writer *writer, struct strbuf *out, int vectors, int column) {
    for (int v = 0; v < vectors; v++)
        strbuf_add(out, ", c%d_%d", v, writer->numbers.parts * column);
    strbuf_add(out, ");\n");
}

/** Returns whether rows of C are contiguous, and the tiles of some size are always whole. */
static bool writes_vectors(const struct writer *writer, int vectors) {
    const struct kernel_gemm *only = writer->only;
    if (!only) return true;
    const bool is_whole = only->m % writer->elems == 0 || vectors != rest_vectors(writer);
    return only->rows.stride[1][0] == writer->numbers.parts &&
           (is_whole || vectors == only->vectors);
}

/** Returns whether some tiles of a size have fewer rows, or rows that are not contiguous. */
static bool writes_parts(const struct writer *writer, int vectors) {
    const struct kernel_gemm *only = writer->only;
    return !only || only->rows.count > 1 || only->rows.stride[1][0] != writer->numbers.parts ||
           (only->m % writer->elems != 0 && vectors == rest_vectors(writer));
}

static void add_writing(const struct writer *writer, struct strbuf *out, int vectors, int columns) {
    const int height = vectors * vector_numbers(writer);
    const bool parts = writes_parts(writer, vectors), whole = writes_vectors(writer, vectors);
    if (parts && whole) strbuf_add(out, "        if (strip->rows == 0) {\n");
    for (int c = 0; c < columns && whole; c++) {
        strbuf_add(out, "%s        %s_store_%d(c + column[%d], strip->adds", parts ? "    " : "",
                   writer->own, vectors, c);
        add_stored(writer, out, vectors, c);
    }
    if (parts && whole) strbuf_add(out, "            continue;\n        }\n");
    if (!parts) return;
    strbuf_add(out, "        %s sums[%d] __attribute__((aligned(64)));\n", writer->numbers.type,
               height * columns);
    for (int c = 0; c < columns; c++) {
        strbuf_add(out, "        %s_store_%d(sums + %d, 0", writer->own, vectors, height * c);
        add_stored(writer, out, vectors, c);
    }
    strbuf_add(out, "        %s_write(sums, %d, %d, c, column, strip);\n", writer->own, height,
               columns);
}

/** Returns the number of cache lines in the rows of the largest tiles. */
static int lines_of(const struct writer *writer) {
    const int bytes = (int)tile_rows(writer) * (int)tcplan_dtype_bytes(writer->dtype);
    return (bytes + EMITTED_LINE_BYTES - 1) / EMITTED_LINE_BYTES;
}

/** Emits the loop over k; the products that fill no round follow if there are any. */
static void add_rounds(const struct writer *writer, struct strbuf *out, int vectors, int columns) {
    const int round = writer->round;
    strbuf_add(out,
               "        ptrdiff_t k = strip->k;\n"
               "        for (; k >= %d; k -= %d) {\n",
               round, round);
    if (looks_ahead(writer) || looks_behind(writer))
        strbuf_add(out, "            %s_fetch(&fetched, %d);\n", writer->name, lines_of(writer));
    strbuf_add(out,
               "            KERNEL_UNROLL(%d)\n"
               "            for (int u = 0; u < %d; u++) {\n",
               round, round);
    add_products(writer, out, "                ", vectors, columns);
    strbuf_add(out, "            }\n        }\n");
    if (writer->only && writer->only->k % round == 0) return;
    strbuf_add(out, "        for (; k > 0; k--) {\n");
    add_products(writer, out, "            ", vectors, columns);
    strbuf_add(out, "        }\n");
}

static void add_tile(const struct writer *writer, struct strbuf *out, int vectors, int columns) {
    const char *type = writer->numbers.type, *name = writer->name;
    strbuf_add(out,
               "%s static void %s_%dx%d(\n"
               "    const struct %s_strip *strip, const %s *first, %s *begin, const ptrdiff_t "
               "*column,\n    const struct %s_ahead *ahead) {\n",
               emitted_set_text[writer->set].macro, writer->own, vectors, columns, name, type, type,
               name);
    if (looks_ahead(writer) || looks_behind(writer)) {
        strbuf_add(out, "    struct %s_ahead fetched = *ahead;\n", name);
    } else {
        strbuf_add(out, "    (void)ahead;\n");
    }
    strbuf_add(out,
               "    const ptrdiff_t step = strip->step;\n"
               "    for (ptrdiff_t t = 0; t < strip->tiles; t++) {\n"
               "        const %s *a = strip->a[t], *b = first;\n"
               "        %s *c = begin + strip->start[t];\n",
               type, type);
    emitted_add_packed_sums(out, &writer->numbers, "        ", writer->elems, vectors, columns);
    strbuf_add(out, "        %s_fetch_result(strip, c, column, %d, %d);\n", name, columns,
               vectors * vector_numbers(writer));
    add_rounds(writer, out, vectors, columns);
    add_joined(writer, out, vectors, columns);
    add_writing(writer, out, vectors, columns);
    strbuf_add(out, "    }\n}\n\n");
}

/** Returns whether there are tiles with some vectors: for a single product, as many as usual, or
 * those that compute the remaining rows. */
static bool has_vectors(const struct writer *writer, int vectors) {
    const struct kernel_gemm *only = writer->only;
    return !only || vectors == rest_vectors(writer) ||
           (vectors == only->vectors && only->m >= tile_rows(writer));
}

/** Returns whether there is a tile of this size: it fits in registers and, for a single product, it
 * is the usual one, or computes the remaining rows or columns. */
static bool has_tile(const struct writer *writer, int vectors, int columns) {
    const struct kernel_gemm *only = writer->only;
    if (!only) return columns <= most_columns(writer->dtype, writer->set, vectors);
    return has_vectors(writer, vectors) && ((columns == only->tile_columns && only->n >= columns) ||
                                            columns == only->n % only->tile_columns);
}

/** Emits the stores that tiles call, the tiles, and their table. */
static void add_tiles(const struct writer *writer, struct strbuf *out) {
    for (int v = 1; v <= writer->vectors; v++) {
        if (has_vectors(writer, v)) add_store(writer, out, v);
    }
    for (int v = 1; v <= writer->vectors; v++) {
        for (int c = 1; c <= writer->columns; c++) {
            if (has_tile(writer, v, c)) add_tile(writer, out, v, c);
        }
    }
    strbuf_add(out, "static %s_tile_fn *const %s_tiles[%d] = {\n", writer->name, writer->own,
               writer->vectors * writer->columns);
    for (int v = 1; v <= writer->vectors; v++) {
        strbuf_add(out, "   ");
        for (int c = 1; c <= writer->columns; c++) {
            if (has_tile(writer, v, c)) {
                strbuf_add(out, " %s_%dx%d,", writer->own, v, c);
            } else {
                strbuf_add(out, " NULL,");
            }
        }
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "};\n");
}

/** Prints a vector that conjugates complex numbers if the variable `sign` is -1. */
static void add_signs(const struct writer *writer, struct strbuf *out) {
    strbuf_add(out, "(");
    emitted_add_type(out, &writer->numbers, writer->elems);
    strbuf_add(out, "){");
    for (int e = 0; e < writer->elems; e++) strbuf_add(out, "%s1, sign", e > 0 ? ", " : "");
    strbuf_add(out, "}");
}

static void set_transpose(struct writer *writer) {
    struct strbuf *out = value(writer, "transpose");
    for (int e = 0; e < writer->elems; e++) {
        char at[32];
        snprintf(at, sizeof at, "from + lane[%d]", e);
        emitted_begin_transpose(out, &writer->numbers, writer->elems, e, at);
        if (writer->numbers.parts == 2) {
            strbuf_add(out, " * ");
            add_signs(writer, out);
        }
        strbuf_add(out, ";\n");
    }
    emitted_add_transpose(out, &writer->numbers, writer->elems, "to", "step");
}

static void set_copies(struct writer *writer) {
    const int parts = writer->numbers.parts;
    struct strbuf *out = value(writer, "copy_element");
    strbuf_add(out, "            at[0] = from[lane[i] + place[p]];\n");
    if (parts == 2) strbuf_add(out, "            at[1] = sign * from[lane[i] + place[p] + 1];\n");
    out = value(writer, "conjugate");
    if (parts == 2) {
        strbuf_add(out, "            x *= ");
        add_signs(writer, out);
        strbuf_add(out, ";\n");
    }
    set_transpose(writer);
    out = value(writer, "write_element");
    for (int part = 0; part < parts; part++)
        strbuf_add(out, "            to[%d] = strip->adds ? to[%d] + from[%d] : from[%d];\n", part,
                   part, part, part);
}

/** Emits a multiplication by alpha or beta. A real factor multiplies the real and imaginary parts
 * separately, so that an infinity in one part does not spread to the other. */
static void add_scaling(const struct writer *writer, struct strbuf *out, const char *factor) {
    const char *type = writer->numbers.type;
    if (writer->numbers.parts == 1) {
        strbuf_add(out, "        to[0] = re * (%s)gemm->%s[0];\n", type, factor);
        return;
    }
    strbuf_add(out,
               "        to[0] = re * (%s)gemm->%s[0];\n"
               "        to[1] = im * (%s)gemm->%s[0];\n"
               "        if (gemm->%s[1] != 0) {\n"
               "            to[0] -= im * (%s)gemm->%s[1];\n"
               "            to[1] += re * (%s)gemm->%s[1];\n        }\n",
               type, factor, type, factor, factor, type, factor, type, factor);
}

static void set_scaling(struct writer *writer, const char *name, const char *factor) {
    const char *type = writer->numbers.type;
    struct strbuf *out = value(writer, name);
    strbuf_add(out, "        const %s re = to[0];\n", type);
    if (writer->numbers.parts == 2) strbuf_add(out, "        const %s im = to[1];\n", type);
    add_scaling(writer, out, factor);
}

void general_add_common(struct strbuf *out) {
    strbuf_add(out, "%s\n%s\n", general_text, parts_text);
}

static struct writer writer_of(const char *name, enum tcplan_dtype dtype, enum emitted_set set) {
    struct writer writer = {.dtype = dtype,
                            .set = set,
                            .numbers = emitted_numbers_of(dtype),
                            .elems = emitted_vector_elems(dtype, set),
                            .vectors = VECTORS,
                            .columns = most_columns(dtype, set, VECTORS),
                            .round = BLOCKS_ROUND};
    snprintf(writer.name, sizeof writer.name, "%s", name);
    snprintf(writer.own, sizeof writer.own, "%s_%s", name, emitted_set_text[set].name);
    return writer;
}

static struct writer writer_of_gemm(const char *name, const struct emitted_gemm *gemm,
                                    enum emitted_set set, const struct kernel_gemm *only) {
    struct writer writer = writer_of(name, gemm->dtype, set);
    writer.vectors = only->vectors;
    writer.columns = only->tile_columns;
    writer.round = round_of(gemm);
    writer.only = only;
    return writer;
}

/** Sets the values of all templates. */
static void set_values(struct writer *writer) {
    const int numbers = vector_numbers(writer), part_numbers = numbers > 4 ? numbers / 2 : 2;
    const int64_t number_bytes = (int64_t)tcplan_dtype_bytes(writer->numbers.real);
    strbuf_add(value(writer, "name"), "%s", writer->name);
    strbuf_add(value(writer, "own"), "%s", writer->own);
    strbuf_add(value(writer, "target"), "%s", emitted_set_text[writer->set].macro);
    strbuf_add(value(writer, "number"), "%s", writer->numbers.type);
    emitted_add_type(value(writer, "vector"), &writer->numbers, writer->elems);
    template_number(&writer->values, "vector_numbers", numbers);
    template_number(&writer->values, "parts", writer->numbers.parts);
    strbuf_add(value(writer, "part"), "kernel_%c%d", writer->numbers.letter, part_numbers);
    template_number(&writer->values, "part_numbers", part_numbers);
    template_number(&writer->values, "elems", writer->elems);
    template_number(&writer->values, "round", writer->round);
    template_number(&writer->values, "line", EMITTED_LINE_BYTES / number_bytes);
    template_number(&writer->values, "line_elems",
                    EMITTED_LINE_BYTES / (number_bytes * writer->numbers.parts));
    set_copies(writer);
    set_scaling(writer, "times_alpha", "alpha");
    set_scaling(writer, "times_beta", "beta");
}

/** Sets a value to the call of an optional function. */
static void set_call(struct writer *writer, const char *name, bool is_needed, int indent,
                     const char *arguments) {
    struct strbuf *out = value(writer, name);
    if (is_needed) strbuf_add(out, "%*s%s_%s(%s);\n", indent, "", writer->name, name, arguments);
}

/** Emits the types and functions that all instruction sets share. */
static void add_shared(struct strbuf *out, struct writer *writer, const struct needs *needs) {
    set_values(writer);
    template_number(&writer->values, "most_rows", needs->rows);
    template_number(&writer->values, "most_columns", needs->columns);
    template_number(&writer->values, "most_k", needs->k);
    template_number(&writer->values, "most_tiles", needs->tiles);
    template_number(&writer->values, "tile_rows", needs->tile_rows);
    set_call(writer, "look_ahead", needs->looks_ahead, 8, "&ahead, call, i + rows, block");
    set_call(writer, "fetched", needs->looks_ahead, 8, "ahead, call, &block->depth");
    set_call(writer, "divide_next", needs->looks_behind, 12, "&next, gemm");
    set_call(writer, "look_behind", needs->looks_behind, 8, "ahead, gemm, next");
    set_call(writer, "scale_result", needs->scales_result, 4, "gemm, call->c");
    set_call(writer, "scale_block", needs->scales_block, 12, "b_packed, columns * k, gemm");
    template_add(out, &writer->values, general_types_text);
    if (needs->looks_ahead || needs->looks_behind)
        template_add(out, &writer->values, general_fetch_text);
    if (needs->looks_ahead) template_add(out, &writer->values, general_ahead_text);
    if (needs->looks_behind) template_add(out, &writer->values, general_behind_text);
    if (needs->scales_result) template_add(out, &writer->values, general_scale_result_text);
    if (needs->scales_block) template_add(out, &writer->values, general_scale_block_text);
    template_add(out, &writer->values, general_driver_text);
    template_free(&writer->values);
}

/** Emits the function for an instruction set: for any product as its argument, or for a single one,
 * which is in the constant NAME_SET_gemm. */
static void add_function(const struct writer *writer, struct strbuf *out) {
    const struct kernel_gemm *only = writer->only;
    const char *own = writer->own, *type = writer->numbers.type;
    const int64_t number_bytes = (int64_t)tcplan_dtype_bytes(writer->numbers.real);
    const int64_t panel_numbers = only ? only->panel_rows * only->block_k * writer->numbers.parts
                                       : BLOCKS_KEPT_BYTES / number_bytes;
    const int64_t near_numbers = only ? only->near_columns * only->block_k * writer->numbers.parts
                                      : BLOCKS_NEAR_BYTES / number_bytes;
    if (!only)
        strbuf_add(out,
                   "void %s(const struct kernel_gemm *gemm, const %s *a, const %s *b, %s *c);\n",
                   own, type, type, type);
    strbuf_add(out, "%svoid %s(%sconst %s *a, const %s *b, %s *c) {\n", only ? "static " : "", own,
               only ? "" : "const struct kernel_gemm *gemm, ", type, type, type);
    strbuf_add(out,
               "    static const struct %s_set set = {%s_tiles, %s_copy, %s%s, %d, %d, %d};\n"
               "    %s panel[%lld] __attribute__((aligned(64)));\n"
               "    %s near[%lld] __attribute__((aligned(64)));\n",
               writer->name, own, own, transposes(writer) ? own : "NULL",
               transposes(writer) ? "_transpose" : "", writer->elems, writer->columns,
               lines_of(writer), type, (long long)panel_numbers, type, (long long)near_numbers);
    strbuf_add(out,
               "    const struct %s_call call = {&set, %s%s%s, a, b, c, panel, near};\n"
               "    %s_run(&call);\n}\n\n",
               writer->name, only ? "&" : "", only ? own : "", only ? "_gemm" : "gemm",
               writer->name);
}

/** Emits the functions for an instruction set. */
static void add_set(struct strbuf *out, struct writer *writer) {
    bool parts = false;
    for (int v = 1; v <= writer->vectors; v++)
        parts |= has_vectors(writer, v) && writes_parts(writer, v);
    set_values(writer);
    if (parts) template_add(out, &writer->values, general_write_text);
    add_tiles(writer, out);
    template_add(out, &writer->values, general_copy_text);
    if (transposes(writer)) template_add(out, &writer->values, general_transpose_text);
    strbuf_add(out, "\n");
    add_function(writer, out);
    template_free(&writer->values);
}

void general_add_gemm(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                      enum emitted_set set) {
    struct writer shared = writer_of(name, dtype, set), own = shared;
    const struct needs needs = needs_of(&shared);
    add_shared(out, &shared, &needs);
    add_set(out, &own);
}

void general_add_shared(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                        unsigned sets) {
    struct writer writer = {0};
    struct needs all = {0};
    struct kernel_gemm only;
    for (int set = 0; set < EMITTED_SETS; set++) {
        if (!(sets >> set & 1U)) continue;
        general_blocks_of(&only, gemm, (enum emitted_set)set);
        writer = writer_of_gemm(name, gemm, (enum emitted_set)set, &only);
        const struct needs needs = needs_of(&writer);
        extend_needs(&all, &needs);
    }
    add_shared(out, &writer, &all);
}

void general_add_set(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                     enum emitted_set set, const struct kernel_gemm *only) {
    struct writer writer = writer_of_gemm(name, gemm, set, only);
    add_set(out, &writer);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static struct kernel_role role_of(const struct emitted_gemm *gemm, int role, int64_t extent,
                                  int64_t first, int64_t second) {
    const struct blas_call_split *split = &gemm->split[role];
    const int parts = emitted_reals(gemm->dtype);
    struct kernel_role out = {
        .count = 1, .extent = {extent}, .stride = {{parts * first}, {parts * second}}};
    if (split->count == 0) return out;
    out.count = split->count;
    for (int d = 0; d < split->count; d++) {
        out.extent[d] = split->extent[d];
        for (int o = 0; o < 2; o++) out.stride[o][d] = parts * split->stride[o][d];
    }
    return out;
}

/** Chooses the vectors of rows in a tile: with fused indices, so that tiles do not cross the
 * innermost one; otherwise, so that tiles are equal. */
static int choose_vectors(const struct kernel_gemm *gemm, int elems) {
    for (int v = VECTORS; v > 0 && gemm->rows.count > 1; v--) {
        if (gemm->rows.extent[0] % (v * elems) == 0) return v;
    }
    return (int)blocks_even_part(blocks_divide_up(gemm->m, elems), VECTORS);
}

/** Returns whether A is read in place: its rows are contiguous, it is not conjugated, and k is
 * short and a single index. */
static bool reads_in_place(const struct kernel_gemm *gemm, const struct emitted_gemm *own) {
    const int parts = emitted_reals(own->dtype);
    return gemm->rows.stride[0][0] == parts && gemm->contracted.count == 1 && !own->conjugated[0] &&
           gemm->k <= EMITTED_MAX_K;
}

/** Chooses the columns of a tile: all, or whole vectors of them, which are packed faster. */
static int choose_columns(const struct emitted_gemm *gemm, enum emitted_set set) {
    const int most = most_columns(gemm->dtype, set, VECTORS);
    const int elems = emitted_vector_elems(gemm->dtype, set);
    if (gemm->n <= most) return gemm->n;
    return (int)blocks_even_part(gemm->n, most > elems ? most / elems * elems : most);
}

static void choose_blocks(struct kernel_gemm *out, const struct emitted_gemm *gemm,
                          enum emitted_set set, int64_t block_k) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(gemm->dtype);
    const int elems = emitted_vector_elems(gemm->dtype, set);
    const int64_t panel_bytes = blocks_panel_bytes(set);
    const int round = round_of(gemm);
    out->vectors = choose_vectors(out, elems);
    out->tile_columns = choose_columns(gemm, set);
    if (gemm->tile.vectors > 0) {
        out->vectors = gemm->tile.vectors;
        out->tile_columns = (int)smaller(gemm->tile.columns, gemm->n);
    }
    const int64_t rows = (int64_t)out->vectors * elems;
    const int64_t most_k = larger(smaller(panel_bytes / (rows * bytes), MOST_K) / round, 1) * round;
    out->block_k =
        block_k > 0 ? block_k : blocks_divide_up(blocks_even_part(gemm->k, most_k), round) * round;
    const int64_t k = smaller(out->block_k, gemm->k);
    const int64_t tiles = larger(IN_PLACE_BYTES / (rows * k * bytes), 1);
    out->panel_rows = rows * smaller(tiles, MOST_ROWS / rows);
    const int64_t column_bytes = out->block_k * bytes;
    const int64_t all = blocks_divide_up(gemm->m, rows) * rows;
    out->keeps =
        gemm->k <= out->block_k && all <= MOST_ROWS && all * column_bytes <= BLOCKS_KEPT_BYTES;
    if (out->keeps) {
        out->panel_rows = all;
        out->block_columns = out->near_columns =
            blocks_columns(gemm->n, out->tile_columns, column_bytes, NARROW_BYTES);
        return;
    }
    out->near_columns = blocks_columns(gemm->n, out->tile_columns, column_bytes, BLOCKS_NEAR_BYTES);
    out->block_columns = blocks_columns(gemm->n, out->tile_columns, column_bytes, BLOCKS_FAR_BYTES);
}

bool general_gemm_tiles(struct kernel_tiles *out, bool *exchanged, enum emitted_set *set,
                        const struct emitted_gemm *gemm) {
    const double products = (double)gemm->m * gemm->n * gemm->k;
    if (gemm->streamed ? !emitted_streams(gemm) || emitted_transposes(gemm)
                       : gemm->k > EMITTED_MAX_K && products > MOST_UNPACKED)
        return false;
    const struct emitted_loops loops = general_tiles_loops(gemm);
    return loops.count > 0 && general_tiles_of(out, exchanged, set, &loops);
}

bool general_takes(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct kernel_tiles tiles;
    bool exchanged;
    return emitted_takes(gemm) && gemm->tile.vectors == 0 && gemm->tile.unroll == 0 &&
           (!gemm->streamed || general_gemm_tiles(&tiles, &exchanged, &set, gemm));
}

/* Coefficients of general_suffices(), fitted to 700 random products on an Emerald Rapids. */
#define PACKING_REAL 2.5 /* products per element of a vector in the time of packing one element */
#define PACKING_COMPLEX 1.4
#define OTHER_PACKS 0.4 /* share of the packing cost if the compiled kernel would pack B too */
#define TRANSPOSING 0.4 /* share of the packing cost of transposing A */
#define SCATTERED 0.2   /* cost per element of C, in packed elements; see CONTIGUOUS */
#define CONTIGUOUS 0.04
#define START_ELEMENTS 800.0 /* cost of one call, in packed elements */
#define MOST_OVERHEAD 0.125  /* maximum share of packing in the total cost; 5 % on average */

bool general_suffices(const struct emitted_gemm *gemm, enum emitted_set set) {
    if (!general_takes(gemm, set)) return false;
    const struct emitted_gemm own = emitted_turns(gemm) ? emitted_transposed(gemm) : *gemm;
    const double packing = emitted_vector_elems(own.dtype, set) *
                           (emitted_reals(own.dtype) == 2 ? PACKING_COMPLEX : PACKING_REAL);
    const double others = emitted_packs(gemm) ? OTHER_PACKS : 1;
    const bool transposes = own.strides[0][0] != 1, scatters = own.strides[2][0] != 1;
    const double overhead = others / own.m + (transposes ? TRANSPOSING * others / own.n : 0) +
                            (scatters ? SCATTERED : CONTIGUOUS) / own.k +
                            START_ELEMENTS / ((double)own.m * own.n * own.k);
    return packing * overhead <= MOST_OVERHEAD;
}

/** Returns the distance of contracted indices that are neighbours in memory of a factor; 0: none
 * are in the same part of k. */
static ptrdiff_t neighbours_apart(const struct kernel_gemm *gemm, int factor, int parts) {
    const struct kernel_role *role = &gemm->contracted;
    ptrdiff_t apart = 1;
    for (int d = 0; d < role->count && apart <= gemm->block_k; d++) {
        if (role->stride[factor][d] == parts && role->extent[d] > 1) return apart;
        apart *= role->extent[d];
    }
    return 0;
}

void general_blocks_of(struct kernel_gemm *out, const struct emitted_gemm *gemm,
                       enum emitted_set set) {
    struct emitted_gemm own = blocks_in_order(gemm);
    const int elems = emitted_vector_elems(own.dtype, set);
    const int vectors = gemm->tile.vectors > 0 ? gemm->tile.vectors : VECTORS;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(own.dtype);
    const int64_t block_k =
        blocks_is_split(&own, ROLE_CONTRACTED)
            ? blocks_cut_contracted(&own, blocks_panel_bytes(set) / (vectors * elems * bytes),
                                    round_of(gemm))
            : 0;
    *out = (struct kernel_gemm){
        .m = own.m,
        .n = own.n,
        .k = own.k,
        .rows = role_of(&own, ROLE_ROWS, own.m, own.strides[0][0], own.strides[2][0]),
        .columns = role_of(&own, ROLE_COLUMNS, own.n, own.strides[1][1], own.strides[2][1]),
        .contracted = role_of(&own, ROLE_CONTRACTED, own.k, own.strides[0][1], own.strides[1][0]),
        .alpha = {own.alpha.re, own.alpha.im},
        .beta = {own.beta.re, own.beta.im},
        .sign = {own.conjugated[0] ? -1 : 1, own.conjugated[1] ? -1 : 1}};
    choose_blocks(out, &own, set, block_k);
    for (int factor = 0; factor < 2; factor++)
        out->apart[factor] = neighbours_apart(out, factor, emitted_reals(own.dtype));
    const ptrdiff_t row = out->rows.stride[0][0], column = out->contracted.stride[0][0];
    out->by_rows = column * column < row * row;
    out->in_place = reads_in_place(out, &own);
}

void general_gemm_of(struct kernel_gemm *out, bool *turned, const struct emitted_gemm *gemm,
                     enum emitted_set set) {
    *turned = emitted_turns(gemm);
    const struct emitted_gemm own = *turned ? emitted_transposed(gemm) : *gemm;
    general_blocks_of(out, &own, set);
}

/** Returns whether vectors of rows are contiguous in an operand of the role. */
static bool rows_lie(const struct kernel_gemm *gemm, int operand, int parts, int elems) {
    return gemm->rows.stride[operand][0] == parts &&
           (gemm->rows.count == 1 || gemm->rows.extent[0] % elems == 0);
}

struct general_access general_access_of(const struct emitted_gemm *gemm, enum emitted_set set) {
    struct kernel_gemm own;
    bool turned;
    const int elems = emitted_vector_elems(gemm->dtype, set), parts = emitted_reals(gemm->dtype);
    struct emitted_gemm contiguous = *gemm;
    if (gemm->strides[2][0] == 0) {
        const int64_t strides[3][2] = {{1, gemm->m}, {1, gemm->k}, {1, gemm->m}};
        memcpy(contiguous.strides, strides, sizeof strides);
    }
    general_gemm_of(&own, &turned, &contiguous, set);
    struct kernel_tiles tiles;
    enum emitted_set tiles_set = set;
    const bool packs = !general_gemm_tiles(&tiles, &turned, &tiles_set, &contiguous);
    const ptrdiff_t *row[2] = {own.rows.stride[0], own.rows.stride[1]};
    const ptrdiff_t *column[2] = {own.columns.stride[0], own.columns.stride[1]};
    const ptrdiff_t *contracted[2] = {own.contracted.stride[0], own.contracted.stride[1]};
    const double blocks = own.keeps ? 1 : ceil((double)own.n / (double)own.block_columns);
    return (struct general_access){
        .m = own.m,
        .n = own.n,
        .k = own.k,
        .row = packs ? own.m : tiles.length / parts,
        .packs = packs,
        .gathers = packs && !rows_lie(&own, 0, parts, elems),
        .scatters = packs && !rows_lie(&own, 1, parts, elems),
        .times = {packs ? blocks : 1, 1, packs ? ceil((double)own.k / (double)own.block_k) : 1},
        .along = {row[0][0] == parts || contracted[0][0] == parts,
                  column[0][0] == parts || contracted[1][0] == parts,
                  row[1][0] == parts || column[1][0] == parts}};
}
