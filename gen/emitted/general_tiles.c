/*
 * Tiles that read both factors in place, with extents and strides as arguments, see
 * gen/emitted/general.h and gen/templates/general/tiles.c.
 *
 * There is a function for each way of reading the factors and each number of vectors and columns,
 * and one for a single vector of which a part is used. Each runs two loops over tiles, so that a
 * small call makes few calls of functions. general_tiles_of() lays out all loops in advance.
 */
#include <stdio.h>

#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/sums.h"
#include "gen/emitted/tile.h"

struct writer {
    enum tcplan_dtype dtype;
    enum emitted_set set;
    const char *name,
        *loops; /**< prefixes of functions: of the tiles, and of the kernel of loops */
    struct template_values values;
    struct emitted_numbers numbers;
    int elems; /**< elements in a vector */
};

/** The function of a tile. */
struct tile_shape {
    enum kernel_tile_way way;
    int vectors, columns;
    bool is_part; /**< whether a part of the only vector is used */
};

static const char *const way_name[KERNEL_TILE_WAYS] = {
    "same", "each", "pairs", "same_gathered", "pairs_gathered", "pairs_turned"};

/** Returns whether tiles read single elements of b. */
static bool has_elements(enum kernel_tile_way way) {
    return way == KERNEL_TILE_SAME || way == KERNEL_TILE_SAME_GATHERED;
}

/** Returns whether tiles read other vectors of a for each column. */
static bool has_pairs(enum kernel_tile_way way) {
    return way == KERNEL_TILE_PAIRS || way == KERNEL_TILE_PAIRS_GATHERED ||
           way == KERNEL_TILE_PAIRS_TURNED;
}

/** Returns which factor is gathered: 'a', 'b' or 0. */
static char gathered_part(enum kernel_tile_way way) {
    if (way == KERNEL_TILE_PAIRS_GATHERED || way == KERNEL_TILE_PAIRS_TURNED) return 'b';
    return way > KERNEL_TILE_PAIRS ? 'a' : 0;
}

int general_tiles_most_vectors(enum kernel_tile_way way, int64_t columns) {
    if (gathered_part(way) != 0) return 1;
    if (columns == 1) return KERNEL_TILE_VECTORS;
    return way == KERNEL_TILE_SAME ? KERNEL_TILE_VECTORS - 1 : KERNEL_TILE_VECTORS - 2;
}

int general_tiles_most_columns(enum tcplan_dtype dtype, enum emitted_set set,
                               enum kernel_tile_way way, int vectors) {
    const int parts = has_elements(way) ? emitted_reals(dtype) : 1;
    if (way == KERNEL_TILE_PAIRS_TURNED) return emitted_vector_elems(dtype, set);
    const int most = ((emitted_registers(set) - 1) / vectors - 1) / parts;
    const int limit = has_elements(way) ? KERNEL_TILE_COLUMNS : KERNEL_TILE_COLUMNS / 2;
    if (vectors > general_tiles_most_vectors(way, KERNEL_TILE_COLUMNS)) return 1;
    return most < limit ? most : limit;
}

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

static int vector_numbers(const struct writer *writer) {
    return writer->elems * writer->numbers.parts;
}

/** Prints the address of a column: `(const double *)((const char *)y + 2 * b3)`. */
static void add_column(const struct writer *writer, struct strbuf *out, const char *base, char part,
                       int column) {
    static const int times[8] = {0, 1, 2, 1, 4, 1, 2, 1};
    const int odd = column > 0 ? column / times[column] : 0;
    if (column == 0) {
        strbuf_add(out, "%s", base);
        return;
    }
    strbuf_add(out, "(const %s *)((const char *)%s + ", writer->numbers.type, base);
    if (times[column] > 1) strbuf_add(out, "%d * ", times[column]);
    strbuf_add(out, "%c%d)", part, odd);
}

/** Emits the load of a vector whose elements have equal distances: `const kernel_d4 x0_1 = {x_1[0],
 * ...};`. */
static void add_gathered(const struct writer *writer, struct strbuf *out, char part, int column) {
    const char letter = part == 'a' ? 'x' : 'y', base[2] = {letter, 0};
    char near[32], far[32];
    snprintf(near, sizeof near, "%c_%d", letter, column);
    snprintf(far, sizeof far, "%c_far%d", letter, column);
    strbuf_add(out, "            const %s *const %s = ", writer->numbers.type, near);
    add_column(writer, out, base, part, column);
    strbuf_add(out, ";\n");
    if (writer->elems > 8)
        strbuf_add(out,
                   "            const %s *const %s = (const %s *)((const char *)%s + 8 * g1);\n",
                   writer->numbers.type, far, writer->numbers.type, near);
    strbuf_add(out, "            const ");
    emitted_add_type(out, &writer->numbers, writer->elems);
    strbuf_add(out, " %c0_%d = {", letter, column);
    for (int e = 0; e < writer->elems; e++) {
        for (int n = 0; n < writer->numbers.parts; n++) {
            strbuf_add(out, "%s(", e + n > 0 ? ", " : "");
            add_column(writer, out, e < 8 ? near : far, 'g', e % 8);
            strbuf_add(out, ")[%d]", n);
        }
    }
    strbuf_add(out, "};\n");
}

/** Emits the vectors of all columns of b, transposed in stages that exchange off-diagonal blocks.
 */
static void add_turned(const struct writer *writer, struct strbuf *out) {
    const int elems = writer->elems;
    int stage = 0;
    for (int e = 0; e < elems; e++) {
        strbuf_add(out, "            const ");
        emitted_add_type(out, &writer->numbers, elems);
        strbuf_add(out, " t0_%d = *(const ", e);
        emitted_add_type(out, &writer->numbers, elems);
        strbuf_add(out, " *)(");
        add_column(writer, out, "y", 'g', e);
        strbuf_add(out, ");\n");
    }
    for (int distance = elems / 2; distance >= 1; distance /= 2, stage++) {
        for (int e = 0; e < elems; e++) {
            char x[32], y[32];
            strbuf_add(out, "            const ");
            emitted_add_type(out, &writer->numbers, elems);
            if (distance > 1) strbuf_add(out, " t%d_%d = ", stage + 1, e);
            if (distance == 1) strbuf_add(out, " y0_%d = ", e);
            snprintf(x, sizeof x, "t%d_%d", stage, e & ~distance);
            snprintf(y, sizeof y, "t%d_%d", stage, e | distance);
            emitted_add_exchanged(out, &writer->numbers, elems, e, distance, x, y);
            strbuf_add(out, ";\n");
        }
    }
}

/** Emits the load of a vector: `const kernel_d8 x0 = *(const kernel_d8 *)(x + 0);`. */
static void add_load(const struct writer *writer, struct strbuf *out, const struct tile_shape *tile,
                     char part, int vector, int column) {
    const char base[2] = {part == 'a' ? 'x' : 'y', 0};
    const int numbers = vector_numbers(writer);
    if (part == gathered_part(tile->way)) {
        add_gathered(writer, out, part, column);
        return;
    }
    strbuf_add(out, "            const ");
    emitted_add_type(out, &writer->numbers, writer->elems);
    if (tile->is_part) {
        strbuf_add(out, " %c%d_%d = KERNEL_LOAD_%c%d(", base[0], vector, column,
                   writer->numbers.letter, numbers);
        add_column(writer, out, base, part, column);
        strbuf_add(out, ", part);\n");
        return;
    }
    strbuf_add(out, " %c%d_%d = *(const ", base[0], vector, column);
    emitted_add_type(out, &writer->numbers, writer->elems);
    strbuf_add(out, " *)(");
    add_column(writer, out, base, part, column);
    strbuf_add(out, " + %d);\n", vector * numbers);
}

/** Begins `c0_1 = `, the first product of a sum, or `c0_1 += `. */
static void begin_sum(struct strbuf *out, bool is_first, int vector, int sum) {
    strbuf_add(out, "            c%d_%d %s= ", vector, sum, is_first ? "" : "+");
}

/** Emits the products with an element of b in a column. A complex number of b counts as two
 * columns. */
static void add_element_products(const struct writer *writer, struct strbuf *out,
                                 const struct tile_shape *tile, int column, bool is_first) {
    const int parts = writer->numbers.parts;
    for (int p = 0; p < parts; p++) {
        strbuf_add(out, "            const %s y%d_%d = (", writer->numbers.type, column, p);
        add_column(writer, out, "y", 'b', column);
        strbuf_add(out, ")[%d];\n", p);
        for (int v = 0; v < tile->vectors; v++) {
            begin_sum(out, is_first, v, parts * column + p);
            strbuf_add(out, "x%d_0 * y%d_%d;\n", v, column, p);
        }
    }
}

static void add_products(const struct writer *writer, struct strbuf *out,
                         const struct tile_shape *tile, bool is_first) {
    const bool turns = tile->way == KERNEL_TILE_PAIRS_TURNED;
    for (int v = 0; v < tile->vectors && !has_pairs(tile->way); v++)
        add_load(writer, out, tile, 'a', v, 0);
    if (turns) add_turned(writer, out);
    for (int c = 0; c < tile->columns; c++) {
        if (has_elements(tile->way)) {
            add_element_products(writer, out, tile, c, is_first);
            continue;
        }
        for (int v = 0; v < tile->vectors; v++) {
            const int from = has_pairs(tile->way) ? c : 0;
            if (has_pairs(tile->way)) add_load(writer, out, tile, 'a', v, c);
            if (!turns) add_load(writer, out, tile, 'b', v, c);
            begin_sum(out, is_first, v, c);
            if (writer->numbers.parts == 1) {
                strbuf_add(out, "x%d_%d * y%d_%d;\n", v, from, v, c);
            } else {
                strbuf_add(out, "%s_times(x%d_%d, y%d_%d, turn);\n", writer->name, v, from, v, c);
            }
        }
    }
}

/** Returns the sums of a column: complex elements of b have two each. */
static int sums_per_column(const struct writer *writer, const struct tile_shape *tile) {
    return has_elements(tile->way) ? writer->numbers.parts : 1;
}

static void add_sums(const struct writer *writer, struct strbuf *out,
                     const struct tile_shape *tile) {
    const int sums = sums_per_column(writer, tile);
    for (int c = 0; c < sums * tile->columns; c++) {
        strbuf_add(out, "        ");
        emitted_add_type(out, &writer->numbers, writer->elems);
        for (int v = 0; v < tile->vectors; v++)
            strbuf_add(out, "%s c%d_%d", v > 0 ? "," : "", v, c);
        strbuf_add(out, ";\n");
    }
    strbuf_add(out, "        const %s *x = a_tile, *y = b_tile;\n        {\n",
               writer->numbers.type);
    add_products(writer, out, tile, true);
    strbuf_add(out, "        }\n        ptrdiff_t p = depth - 1;\n"
                    "        for (ptrdiff_t q = 0;;) {\n"
                    "            for (; p > 0; p--) {\n"
                    "            x += step_a;\n            y += step_b;\n");
    add_products(writer, out, tile, false);
    strbuf_add(out, "            }\n            if (++q >= sums) break;\n"
                    "            x = a_tile + tiles->place[0][q] - step_a;\n"
                    "            y = b_tile + tiles->place[1][q] - step_b;\n"
                    "            p = depth;\n        }\n");
    for (int c = 0; c < tile->columns && sums == 2; c++) {
        for (int v = 0; v < tile->vectors; v++)
            strbuf_add(out, "        c%d_%d += KERNEL_SWAP_%c%d(c%d_%d) * turn;\n", v, 2 * c,
                       writer->numbers.letter, vector_numbers(writer), v, 2 * c + 1);
    }
}

/** Emits the store of a sum, possibly added to the old value. */
static void add_store(const struct writer *writer, struct strbuf *out,
                      const struct tile_shape *tile, int vector, int sum, bool adds) {
    const char letter = writer->numbers.letter;
    const int numbers = vector_numbers(writer), at = vector * numbers;
    strbuf_add(out, "            ");
    if (tile->is_part) {
        strbuf_add(out, "KERNEL_STORE_%c%d(to, part, c%d_%d", letter, numbers, vector, sum);
        if (adds) strbuf_add(out, " + KERNEL_LOAD_%c%d(to, part)", letter, numbers);
        strbuf_add(out, ");\n");
        return;
    }
    strbuf_add(out, "*(kernel_%c%d *)(to + %d) %s= c%d_%d;\n", letter, numbers, at, adds ? "+" : "",
               vector, sum);
}

static void add_writing(const struct writer *writer, struct strbuf *out,
                        const struct tile_shape *tile) {
    const int sums = sums_per_column(writer, tile), numbers = vector_numbers(writer);
    const int height = tile->vectors * numbers;
    for (int adds = 0; adds < 2; adds++) {
        strbuf_add(out, "        %sif (finish == %s) {\n", adds ? "} else " : "",
                   adds ? "KERNEL_FINISH_ADD" : "KERNEL_FINISH_STORE");
        for (int c = 0; c < tile->columns; c++) {
            if (c > 0) strbuf_add(out, "            to += column;\n");
            for (int v = 0; v < tile->vectors; v++)
                add_store(writer, out, tile, v, sums * c, adds != 0);
        }
    }
    strbuf_add(out, "        } else {\n            %s kept[%d] __attribute__((aligned(64)));\n",
               writer->numbers.type, height * tile->columns);
    for (int c = 0; c < tile->columns; c++) {
        for (int v = 0; v < tile->vectors; v++)
            strbuf_add(out, "            *(kernel_%c%d *)(kept + %d) = c%d_%d;\n",
                       writer->numbers.letter, numbers, height * c + numbers * v, v, sums * c);
    }
    strbuf_add(out, "            %s_finish(tiles, group, kept, %d, ", writer->name, height);
    if (tile->is_part) {
        strbuf_add(out, "tiles->part");
    } else {
        strbuf_add(out, "%d", height);
    }
    strbuf_add(out, ", %d, to);\n        }\n", tile->columns);
}

static void add_name(const struct writer *writer, struct strbuf *out,
                     const struct tile_shape *tile) {
    strbuf_add(out, "%s_%s_%dx%d%s", writer->name, way_name[tile->way], tile->vectors,
               tile->columns, tile->is_part ? "_part" : "");
}

static void add_tile(const struct writer *writer, struct strbuf *out,
                     const struct tile_shape *tile) {
    const char *type = writer->numbers.type;
    const bool is_complex = writer->numbers.parts == 2;
    strbuf_add(out, "%s static void ", emitted_set_text[writer->set].macro);
    add_name(writer, out, tile);
    strbuf_add(out,
               "(const struct kernel_tiles *tiles, const struct kernel_group *group,\n"
               "    const %s *a, const %s *b, %s *c) {\n"
               "    const ptrdiff_t depth = tiles->depth, sums = tiles->sums;\n"
               "    const ptrdiff_t step_a = tiles->step[0], step_b = tiles->step[1];\n"
               "    const enum kernel_finish finish = tiles->finish;\n",
               type, type, type);
    const int last = tile->way == KERNEL_TILE_PAIRS_TURNED ? 0 : 1; /* parts with columns */
    for (int part = has_pairs(tile->way) ? 0 : 1; part <= last; part++) {
        for (int odd = 1; odd < tile->columns; odd += 2)
            strbuf_add(out,
                       "    const ptrdiff_t %c%d = %d * (ptrdiff_t)sizeof(%s) * "
                       "tiles->column[%d];\n",
                       part == 0 ? 'a' : 'b', odd, odd, type, part);
    }
    for (int odd = 1; gathered_part(tile->way) != 0 && odd < writer->elems && odd < 8; odd += 2)
        strbuf_add(out, "    const ptrdiff_t g%d = %d * (ptrdiff_t)sizeof(%s) * tiles->along;\n",
                   odd, odd, type);
    if (tile->columns > 1) strbuf_add(out, "    const ptrdiff_t column = tiles->column[2];\n");
    if (tile->is_part)
        strbuf_add(out, "    const kernel_part_%c%d part = KERNEL_PART_%c%d(tiles->part);\n",
                   writer->numbers.letter, vector_numbers(writer), writer->numbers.letter,
                   vector_numbers(writer));
    if (is_complex) {
        strbuf_add(out, "    const ");
        emitted_add_type(out, &writer->numbers, writer->elems);
        strbuf_add(out, " turn = %s_all((const %s[2]){(%s)-tiles->sign[1], (%s)tiles->sign[1]});\n",
                   writer->loops, type, type, type);
    }
    strbuf_add(out,
               "    const ptrdiff_t(*const begin)[3] = tiles->offsets + group->begin;\n"
               "    const ptrdiff_t(*const end)[3] = tiles->offsets + group->end;\n"
               "    for (ptrdiff_t o = 0; o < group->count[1]; o++) {\n"
               "    const %s *a_tiles = a, *b_tiles = b;\n    %s *c_tiles = c;\n"
               "    for (ptrdiff_t i = 0; i < group->count[0]; i++) {\n"
               "    for (const ptrdiff_t(*offset)[3] = begin; offset < end; offset++) {\n"
               "        const %s *a_tile = a_tiles + (*offset)[0], *b_tile = b_tiles + "
               "(*offset)[1];\n",
               type, type, type);
    add_sums(writer, out, tile);
    strbuf_add(out, "        %s *to = c_tiles + (*offset)[2];\n", type);
    add_writing(writer, out, tile);
    strbuf_add(out, "    }\n        a_tiles += group->step[0][0];\n"
                    "        b_tiles += group->step[0][1];\n"
                    "        c_tiles += group->step[0][2];\n    }\n"
                    "    a += group->step[1][0];\n    b += group->step[1][1];\n"
                    "    c += group->step[1][2];\n    }\n}\n\n");
}

/** Visits all tiles: emits their functions or, for the table, their names. */
static void add_tiles(const struct writer *writer, struct strbuf *out, bool is_table) {
    for (int way = 0; way < KERNEL_TILE_WAYS; way++) {
        for (int v = 0; v <= general_tiles_most_vectors((enum kernel_tile_way)way, 1); v++) {
            struct tile_shape tile = {
                .way = (enum kernel_tile_way)way, .vectors = v > 0 ? v : 1, .is_part = v == 0};
            const int most =
                general_tiles_most_columns(writer->dtype, writer->set, tile.way, tile.vectors);
            for (tile.columns = 1; tile.columns <= most; tile.columns++) {
                if (writer->elems == 1 && (tile.is_part || gathered_part(tile.way) != 0)) continue;
                if (tile.is_part && gathered_part(tile.way) != 0) continue;
                if (tile.way == KERNEL_TILE_PAIRS_TURNED &&
                    (tile.columns < most || most > KERNEL_TILE_COLUMNS))
                    continue;
                if (!is_table) {
                    add_tile(writer, out, &tile);
                    continue;
                }
                strbuf_add(out, "    [%d] = ", KERNEL_TILE_NUMBER(way, v, tile.columns));
                add_name(writer, out, &tile);
                strbuf_add(out, ",\n");
            }
        }
    }
}

void general_add_tiles(struct strbuf *out, const char *name, const char *loops,
                       enum tcplan_dtype dtype, enum emitted_set set) {
    struct writer writer = {.dtype = dtype,
                            .set = set,
                            .name = name,
                            .loops = loops,
                            .numbers = emitted_numbers_of(dtype),
                            .elems = emitted_vector_elems(dtype, set)};
    strbuf_add(value(&writer, "name"), "%s", name);
    strbuf_add(value(&writer, "loops"), "%s", loops);
    strbuf_add(value(&writer, "target"), "%s", emitted_set_text[set].macro);
    strbuf_add(value(&writer, "number"), "%s", writer.numbers.type);
    emitted_add_type(value(&writer, "vector"), &writer.numbers, writer.elems);
    strbuf_add(value(&writer, "vector_numbers"), "%d", vector_numbers(&writer));
    strbuf_add(value(&writer, "parts"), "%d", writer.numbers.parts);
    strbuf_add(value(&writer, "elems"), "%d", writer.elems);
    strbuf_add(value(&writer, "write"), "kernel_write_%c", writer.numbers.letter);
    strbuf_add(value(&writer, "swap"), "KERNEL_SWAP_%c%d", writer.numbers.letter,
               vector_numbers(&writer));
    for (int part = 0; part < 2; part++) {
        struct strbuf *out_parts = value(&writer, part == 0 ? "real_parts" : "imaginary_parts");
        strbuf_add(out_parts, "KERNEL_MIX_%c%d(y, y", writer.numbers.letter,
                   vector_numbers(&writer));
        for (int n = 0; n < vector_numbers(&writer); n++)
            strbuf_add(out_parts, ", %d", (n & ~1) + part);
        strbuf_add(out_parts, ")");
    }
    struct strbuf *fold = value(&writer, "fold");
    for (int distance = vector_numbers(&writer) / 2; distance >= writer.numbers.parts;
         distance /= 2) {
        strbuf_add(fold, "        all += KERNEL_MIX_%c%d(all, all", writer.numbers.letter,
                   vector_numbers(&writer));
        for (int n = 0; n < vector_numbers(&writer); n++) strbuf_add(fold, ", %d", n ^ distance);
        strbuf_add(fold, ");\n");
    }
    add_tiles(&writer, value(&writer, "tiles"), false);
    struct strbuf *table = value(&writer, "table");
    strbuf_add(table, "static %s_fn *const %s_tiles[] = {\n", name, name);
    add_tiles(&writer, table, true);
    strbuf_add(table, "};\n");
    template_add(out, &writer.values, general_tiles_text);
    template_free(&writer.values);
}
