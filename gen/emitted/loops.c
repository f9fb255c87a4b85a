/*
 * Kernels of loops as C, see gen/emitted/loops.h. Each instruction set has a function that loops
 * over tiles; each tile size, whole or at a border, has its own function
 * (gen/emitted/loops_tile.h).
 */
#include "gen/emitted/loops.h"

#include <stdio.h>
#include <stdlib.h>

#include "ast/scalar.h"
#include "gen/emitted/loops_tile.h"

enum {
    BLOCK_TILES =
        8, /* tiles in a block along transposed vectors; blocks are processed column by column */
    NAME = 64,
    BLOCK_SUMS =
        8, /* values of a summed loop in a block, if a large factor has long strides along it */
    FAR_BYTES = 512 << 10,
    MOST_RUN_BYTES = 16 << 10, /* largest run along vectors, in bytes; each column of a longer run
                                  is a separate stream */
    STREAMS = 4, /* streams that read a factor of at least the following bytes in parallel: it
                    exceeds most last caches, and memory is faster with several streams */
    MEMORY_BYTES = 32 << 20,
    STREAM_VECTORS =
        2,            /* independent sums in a tile, so that additions do not wait for each other */
    MANY_TILES = 64,  /* maximum number of columns of transposed vectors that are processed at once;
                         more are divided into blocks */
    NEAR_PAGES = 1024 /* pages that an L2 TLB holds: a block along the vectors of a non-temporal
                         result needs one for each element, in each transposed factor */
};

/** Columns of a tile: given by the variable of a loop, or by a fixed first column. */
struct columns {
    int count;
    int64_t at;
    bool in_loop;
    bool is_plain; /**< whether the tiles use ordinary stores */
};

/** Emits a call of a tile, `NAME_avx2_8x4(a + i1 + 64 * i0, ..., c + ...);`. Its vectors begin at
 * the loop variable, or at `at`. */
static void add_call(const struct loops_writer *writer, int level, const struct loops_tile *tile,
                     int64_t at, struct columns columns, bool in_vectors) {
    const struct emitted_loops *loops = writer->loops;
    loops_indent(writer, level);
    strbuf_add(writer->out, "%s_%s_%dx%d(", writer->name, emitted_set_text[writer->set].name,
               loops_tile_elems(tile, tile->pieces), tile->columns);
    for (int part = 0; part < 3; part++) {
        strbuf_add(writer->out, "%s%c", part > 0 ? ", " : "", loops_letters[part]);
        for (int l = 0; l < loops->count; l++) {
            if (loops->loop[l].stride[2] == 0 || (l == writer->cut.vector && !in_vectors) ||
                (l == writer->cut.column && !columns.in_loop))
                continue;
            loops_add_step(writer, loops->loop[l].stride[part], l);
        }
        emitted_add_offset(writer->out, &writer->numbers,
                           at * loops_stride(writer, part, writer->cut.vector) +
                               columns.at * loops_stride(writer, part, writer->cut.column),
                           0);
    }
    strbuf_add(writer->out, "%s);\n",
               !loops_streams(loops) ? ""
               : columns.is_plain    ? ", 0"
                                     : ", streamed");
}

/** Adds `for (ptrdiff_t i3 = FROM; i3 < 64; i3 += 8) {`. */
static void begin_loop(const struct loops_writer *writer, int level, int loop, const char *from,
                       const char *end, int step) {
    loops_indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t i%d = %s; i%d < %s; i%d += %d) {\n", loop, from, loop,
               end, loop, step);
}

/** Sizes of tiles: whole ones, and smaller ones for the remainder along vectors. */
struct kinds {
    int full[CUT_PIECES], rest[CUT_PIECES];
    int fulls, rests;
    int block;       /**< elements along vectors in a whole tile */
    int64_t blocks;  /**< elements in all whole tiles */
    int64_t columns; /**< columns in tiles of the full width */
    int left;        /**< columns that remain, in one narrower tile */
};

static struct kinds kinds_of(const struct loops_writer *writer) {
    struct kinds kinds = {0};
    const int64_t length =
        writer->cut.vector < 0 ? 1 : writer->loops->loop[writer->cut.vector].extent;
    const int64_t width =
        writer->cut.column < 0 ? 1 : writer->loops->loop[writer->cut.column].extent;
    const int64_t most = (int64_t)writer->whole * writer->cut.vectors;
    kinds.fulls = cut_pieces(kinds.full, writer->loops, writer->set, length < most ? length : most);
    kinds.block = (int)(length < most ? length : most);
    kinds.blocks = length / kinds.block * kinds.block;
    kinds.rests = cut_pieces(kinds.rest, writer->loops, writer->set, length - kinds.blocks);
    kinds.columns = width / writer->cut.columns * writer->cut.columns;
    kinds.left = (int)(width - kinds.columns);
    return kinds;
}

/** Emits the whole tiles from element `from` up to but not including `end` along the vectors, for
 * some columns. */
static void add_along(const struct loops_writer *writer, int level, const struct kinds *kinds,
                      struct columns columns, const char *from, const char *end) {
    const struct loops_tile full = {kinds->full, kinds->fulls, columns.count};
    if (writer->is_summed || kinds->blocks == kinds->block) {
        add_call(writer, level, &full, 0, columns, false);
    } else {
        begin_loop(writer, level, writer->cut.vector, from, end, kinds->block);
        add_call(writer, level + 1, &full, 0, columns, true);
        loops_end(writer, level, 1);
    }
}

/** Emits the smaller tiles after the whole ones, for some columns. */
static void add_behind(const struct loops_writer *writer, int level, const struct kinds *kinds,
                       struct columns columns) {
    const struct loops_tile rest = {kinds->rest, kinds->rests, columns.count};
    if (kinds->rests > 0 && !writer->is_summed)
        add_call(writer, level, &rest, kinds->blocks, columns, false);
}

/** A range of elements along the vectors: whole tiles from `from` up to but not including `end`, or
 * the remainder. */
struct part {
    const char *from;
    const char *end;
    bool has_rest;
    bool is_rest;
    bool is_here;  /**< whether the part is a single tile, within a loop over the vectors */
    bool by_lines; /**< whether all tiles begin at cache lines of the result: see add_by_lines() */
    bool is_plain; /**< whether the tiles use ordinary stores */
};

static void add_across(const struct loops_writer *writer, int level, const struct kinds *kinds,
                       struct part part);

/** Emits a full tile that begins at the current value of the vector loop's variable: one call for
 * `columns` or, if it is NULL, loops over all columns. */
static void add_here(const struct loops_writer *writer, int level, const struct kinds *kinds,
                     const struct columns *columns, bool is_plain) {
    if (columns) {
        struct columns own = *columns;
        own.is_plain = is_plain;
        add_call(writer, level, &(struct loops_tile){kinds->full, kinds->fulls, own.count}, 0, own,
                 true);
    } else {
        add_across(writer, level, kinds, (struct part){.is_here = true, .is_plain = is_plain});
    }
}

/** Returns how many factors are transposed in registers. */
static int turned_factors(const struct loops_writer *writer, const struct kinds *kinds) {
    const struct loops_tile full = {kinds->full, kinds->fulls, writer->cut.columns};
    return (loops_way(writer, &full, 0, 0) == CUT_TURNED) +
           (loops_way(writer, &full, 1, 0) == CUT_TURNED);
}

/**
 * Emits whole tiles from the first cache line on, for a block of elements along the vectors at a
 * time, and all columns in each. A transposed factor has each of these elements on a separate page,
 * whose next lines the next columns read.
 * @param last  the last element at which a whole tile can begin
 */
static void add_line_blocks(const struct loops_writer *writer, int level, const struct kinds *kinds,
                            long long last) {
    const int step = NEAR_PAGES / turned_factors(writer, kinds) / kinds->block * kinds->block;
    loops_indent(writer, level);
    strbuf_add(writer->out,
               "for (ptrdiff_t g = lead; g <= %lld; g += %d) { /* the TLB holds the pages of these "
               "rows */\n",
               last, step);
    loops_indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t end = g + %d <= %lld ? g + %d : %lld;\n", step, last,
               step, last + 1);
    add_across(writer, level + 1, kinds, (struct part){.from = "g", .end = "end"});
    loops_end(writer, level, 1);
}

/**
 * Emits tiles that begin at cache lines of the result. The tiles before the first line and after
 * the last whole tile overlap others and use ordinary stores of the same values. `columns`: NULL
 * for all columns, whose tiles are emitted in blocks.
 */
static void add_by_lines(const struct loops_writer *writer, int level, const struct kinds *kinds,
                         const struct columns *columns) {
    const int vector = writer->cut.vector;
    const long long last = (long long)writer->loops->loop[vector].extent - kinds->block;
    loops_indent(writer, level);
    strbuf_add(writer->out, "if (lead > 0) {\n");
    loops_indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t i%d = 0;\n", vector);
    add_here(writer, level + 1, kinds, columns, true);
    loops_end(writer, level, 1);
    if (columns) {
        loops_indent(writer, level);
        strbuf_add(writer->out, "for (ptrdiff_t i%d = lead; i%d <= %lld; i%d += %d) {\n", vector,
                   vector, last, vector, kinds->block);
        add_here(writer, level + 1, kinds, columns, false);
        loops_end(writer, level, 1);
    } else {
        add_line_blocks(writer, level, kinds, last);
    }
    loops_indent(writer, level);
    strbuf_add(writer->out, "if ((%lld - lead) %% %d != 0) {\n", last, kinds->block);
    loops_indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t i%d = %lld;\n", vector, last);
    add_here(writer, level + 1, kinds, columns, true);
    loops_end(writer, level, 1);
}

/** Returns whether tiles begin at cache lines: the result is non-temporal, and all its columns have
 * the same alignment. */
static bool goes_by_lines(const struct loops_writer *writer, const struct kinds *kinds) {
    const struct emitted_loops *loops = writer->loops;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    const int vector = writer->cut.vector;
    if (!loops_streams(loops) || writer->is_summed || vector < 0 ||
        loops->loop[vector].stride[2] != 1)
        return false;
    for (int l = 0; l < loops->count; l++) {
        if (l != vector && loops->loop[l].stride[2] * bytes % EMITTED_LINE_BYTES != 0) return false;
    }
    return loops->loop[vector].extent >= 2 * kinds->block &&
           kinds->block * bytes % EMITTED_LINE_BYTES == 0;
}

static void add_part_of(const struct loops_writer *writer, int level, const struct kinds *kinds,
                        struct columns columns, struct part part) {
    if (part.is_here) {
        add_here(writer, level, kinds, &columns, part.is_plain);
    } else if (part.by_lines) {
        add_by_lines(writer, level, kinds, &columns);
    } else {
        if (!part.is_rest) add_along(writer, level, kinds, columns, part.from, part.end);
        if (part.has_rest || part.is_rest) add_behind(writer, level, kinds, columns);
    }
}

/** Emits the tiles of all columns. */
static void add_across(const struct loops_writer *writer, int level, const struct kinds *kinds,
                       struct part part) {
    const int count = writer->cut.columns;
    if (kinds->columns > count) {
        char number[NAME];
        snprintf(number, sizeof number, "%lld", (long long)kinds->columns);
        begin_loop(writer, level, writer->cut.column, "0", number, count);
        add_part_of(writer, level + 1, kinds, (struct columns){.count = count, .in_loop = true},
                    part);
        loops_end(writer, level, 1);
    } else if (kinds->columns > 0) {
        add_part_of(writer, level, kinds, (struct columns){.count = count}, part);
    }
    if (kinds->left > 0)
        add_part_of(writer, level, kinds,
                    (struct columns){.count = kinds->left, .at = kinds->columns}, part);
}

/**
 * Emits blocks along vectors, so that cache lines read along columns are used completely while
 * they are in cache.
 */
static void add_blocks(const struct loops_writer *writer, int level, const struct kinds *kinds) {
    const int step = BLOCK_TILES * kinds->block;
    const long long end = (long long)kinds->blocks;
    loops_indent(writer, level);
    strbuf_add(writer->out, "for (ptrdiff_t h = 0; h < %lld; h += %d) {\n", end, step);
    loops_indent(writer, level + 1);
    strbuf_add(writer->out, "const ptrdiff_t end = h + %d < %lld ? h + %d : %lld;\n", step, end,
               step, end);
    add_across(writer, level + 1, kinds, (struct part){.from = "h", .end = "end"});
    loops_end(writer, level, 1);
    if (kinds->rests > 0) add_across(writer, level, kinds, (struct part){.is_rest = true});
}

/** Begins loops over all indices except those of the vectors and the columns. Indices with the
 * longest strides in the result are outermost. Returns the number of loops. */
static int begin_others(const struct loops_writer *writer) {
    const struct emitted_loops *loops = writer->loops;
    int order[EMITTED_LOOPS], count = 0;
    for (int l = 0; l < loops->count; l++) {
        if (l == writer->cut.vector || l == writer->cut.column || loops->loop[l].stride[2] == 0)
            continue;
        int at = count++;
        for (; at > 0 && loops->loop[order[at - 1]].stride[2] < loops->loop[l].stride[2]; at--)
            order[at] = order[at - 1];
        order[at] = l;
    }
    for (int o = 0; o < count; o++) {
        char end[32];
        snprintf(end, sizeof end, "%lld", (long long)loops->loop[order[o]].extent);
        begin_loop(writer, 1 + o, order[o], "0", end, 1);
    }
    return count;
}

static void add_function(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                         enum emitted_set set, const struct emitted_cut *cut) {
    struct loops_writer writer = {.out = out,
                                  .name = name,
                                  .loops = loops,
                                  .cut = *cut,
                                  .set = set,
                                  .numbers = emitted_numbers_of(loops->dtype),
                                  .whole = emitted_vector_elems(loops->dtype, set)};
    writer.first = cut_first_factor(loops, &writer.cut);
    writer.is_summed = cut_is_summed(loops, &writer.cut);
    writer.has_sums = cut_sums(loops) > 1;
    struct kinds kinds = kinds_of(&writer);
    const bool by_lines = goes_by_lines(&writer, &kinds);
    if (by_lines) kinds.rests = 0;
    const int widths[2] = {writer.cut.columns, kinds.left};
    for (int side = 0; side < 2; side++) {
        const struct loops_tile full = {kinds.full, kinds.fulls, widths[side]},
                                rest = {kinds.rest, kinds.rests, widths[side]};
        if (widths[side] == 0) continue;
        if (writer.is_summed) {
            loops_add_summed_tile(&writer, &full, &rest);
            continue;
        }
        loops_add_tile(&writer, &full);
        if (rest.pieces > 0) loops_add_tile(&writer, &rest);
    }
    strbuf_add(
        out,
        "%s static void %s_%s(const %s *restrict a, const %s *restrict b, %s *restrict c%s) {\n",
        emitted_set_text[set].macro, name, emitted_set_text[set].name, writer.numbers.type,
        writer.numbers.type, writer.numbers.type, loops_streams(loops) ? ", int streamed" : "");
    if (by_lines) {
        strbuf_add(
            out,
            "    const ptrdiff_t lead = streamed ? (ptrdiff_t)((%d - (uintptr_t)c %% %d) %% %d / %d) : 0; /* elements before a line */\n",
            EMITTED_LINE_BYTES, EMITTED_LINE_BYTES, EMITTED_LINE_BYTES,
            (int)tcplan_dtype_bytes(loops->dtype));
    }
    const int others = begin_others(&writer);
    if (by_lines && turned_factors(&writer, &kinds) > 0) {
        add_by_lines(&writer, 1 + others, &kinds, NULL);
    } else if (by_lines) {
        add_across(&writer, 1 + others, &kinds, (struct part){.by_lines = true});
    } else if (!writer.is_summed && turned_factors(&writer, &kinds) > 0 &&
               kinds.blocks / kinds.block > MANY_TILES) {
        add_blocks(&writer, 1 + others, &kinds);
    } else {
        char end[32];
        snprintf(end, sizeof end, "%lld", (long long)kinds.blocks);
        add_across(&writer, 1 + others, &kinds,
                   (struct part){.from = "0", .end = end, .has_rest = true});
    }
    loops_end(&writer, 1, others);
    strbuf_add(out, "}\n\n");
}

/** Blocks of a summed loop, each added to the result before the next. */
struct blocks {
    int loop; /**< number of the loop; -1: no loop is divided into blocks */
    int size; /**< values of the loop in each block */
    struct emitted_cut cut;
};

/** Returns whether each element of a factor is used only once. */
static bool goes_by(const struct emitted_loops *loops, int part) {
    for (int l = 0; l < loops->count; l++) {
        if (loops->loop[l].stride[part] == 0 && loops->loop[l].stride[2] != 0) return false;
    }
    return true;
}

static int64_t factor_bytes(const struct emitted_loops *loops, int part) {
    int64_t elems = 1;
    for (int l = 0; l < loops->count; l++)
        elems *= loops->loop[l].stride[part] != 0 ? loops->loop[l].extent : 1;
    return elems * (int64_t)tcplan_dtype_bytes(loops->dtype);
}

/** Returns the summed loop with the longest stride in a factor, other than `without`; -1: no stride
 * is at least LOOPS_LONG_BYTES. */
static int longest_sum(const struct emitted_loops *loops, int part, int without) {
    int longest = -1;
    for (int l = 0; l < loops->count; l++) {
        const int64_t stride = llabs(loops->loop[l].stride[part]);
        if (l == without || loops->loop[l].stride[2] != 0) continue;
        if (longest < 0 || stride > llabs(loops->loop[longest].stride[part])) longest = l;
    }
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(loops->dtype);
    return longest >= 0 && llabs(loops->loop[longest].stride[part]) * bytes >= LOOPS_LONG_BYTES
               ? longest
               : -1;
}

/**
 * Chooses blocks of a summed loop for a large factor whose elements are used once, so that the
 * factor is read sequentially. If vectors run along a summed loop, tiles read one column of the
 * factor at a time. From memory they read several columns as parallel streams, one for each value
 * of the loop with the longest stride. This requires short columns and the same layout in the other
 * factor. If vectors of the result run along the factor, a few values of that loop at a time are
 * added to the result, because tiles would otherwise read scattered lines.
 */
static struct blocks blocks_of(const struct emitted_loops *loops, const struct emitted_cut *cut) {
    const int first = cut_first_factor(loops, cut);
    const bool is_summed = cut_is_summed(loops, cut);
    struct blocks blocks = {.loop = -1, .cut = *cut};
    if (cut->vector < 0 || loops->loop[cut->vector].stride[first] != 1 || !goes_by(loops, first))
        return blocks;
    const int64_t bytes = factor_bytes(loops, first);
    const int64_t run_bytes =
        loops->loop[cut->vector].extent * (int64_t)tcplan_dtype_bytes(loops->dtype);
    const int longest = longest_sum(loops, first, cut->vector);
    const bool is_short =
        run_bytes <= MOST_RUN_BYTES && loops->loop[cut->vector].stride[1 - first] == 1;
    const int streams = loops->tile.columns > 0 ? loops->tile.columns
                        : bytes >= MEMORY_BYTES ? STREAMS
                                                : 1;
    const int size = is_summed ? streams : BLOCK_SUMS;
    if (bytes < FAR_BYTES || longest < 0 || loops->loop[longest].extent < 2 * size ||
        (is_summed && !is_short))
        return blocks;
    const int vectors = loops->tile.vectors > 0 ? loops->tile.vectors : STREAM_VECTORS;
    blocks.loop = longest;
    blocks.size = size;
    if (is_summed)
        blocks.cut = (struct emitted_cut){.vector = cut->vector,
                                          .column = longest,
                                          .vectors = vectors,
                                          .columns = size,
                                          .unroll = cut->unroll};
    return blocks;
}

/** Emits the kernel for one block of a loop's values. */
static void add_block(struct strbuf *out, const char *name, const char *suffix,
                      const struct emitted_loops *loops, enum emitted_set set,
                      const struct blocks *blocks) {
    struct emitted_cut cut = blocks->cut;
    struct strbuf own = {0};
    if (cut.column == blocks->loop) cut.columns = (int)loops->loop[blocks->loop].extent;
    strbuf_add(&own, "%s_%s", name, suffix);
    if (own.failed) out->failed = true;
    if (!own.failed) add_function(out, own.text, loops, set, &cut);
    strbuf_free(&own);
}

/** Emits the call for a block: `NAME_next_avx2(a + 4096 * h, b + 64 * h, c);` */
static void add_block_call(struct strbuf *out, const char *name, const char *suffix,
                           enum emitted_set set, const int64_t numbers[2], const char *at) {
    strbuf_add(out, "%s_%s_%s(", name, suffix, emitted_set_text[set].name);
    for (int part = 0; part < 2; part++) {
        strbuf_add(out, "%c", loops_letters[part]);
        if (numbers[part] != 0)
            strbuf_add(out, " %c %lld * %s", numbers[part] < 0 ? '-' : '+',
                       (long long)llabs(numbers[part]), at);
        strbuf_add(out, ", ");
    }
    strbuf_add(out, "c);\n");
}

static void add_in_blocks(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                          enum emitted_set set, const struct blocks *blocks) {
    const int loop = blocks->loop, size = blocks->size;
    const int64_t extent = loops->loop[loop].extent, whole = extent / size * size;
    const struct emitted_numbers own = emitted_numbers_of(loops->dtype);
    const int64_t numbers[2] = {loops->loop[loop].stride[0] * own.parts,
                                loops->loop[loop].stride[1] * own.parts};
    struct emitted_loops block = *loops;
    char end[NAME];
    block.streamed = false;
    block.loop[loop].extent = size;
    add_block(out, name, "first", &block, set, blocks);
    block.beta = (struct tcplan_scalar){1, 0};
    add_block(out, name, "next", &block, set, blocks);
    block.loop[loop].extent = extent - whole;
    if (whole < extent) add_block(out, name, "last", &block, set, blocks);
    strbuf_add(out, "/* Computes a block of values of i%d at a time. */\n", loop);
    strbuf_add(
        out,
        "%s static void %s_%s(const %s *restrict a, const %s *restrict b, %s *restrict c) {\n    ",
        emitted_set_text[set].macro, name, emitted_set_text[set].name, own.type, own.type,
        own.type);
    add_block_call(out, name, "first", set, (const int64_t[]){0, 0}, "0");
    strbuf_add(out, "    for (ptrdiff_t h = %d; h < %lld; h += %d) ", size, (long long)whole, size);
    add_block_call(out, name, "next", set, numbers, "h");
    snprintf(end, sizeof end, "%lld", (long long)whole);
    if (whole < extent) strbuf_add(out, "    ");
    if (whole < extent) add_block_call(out, name, "last", set, numbers, end);
    strbuf_add(out, "}\n\n");
}

static void add_set(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                    enum emitted_set set, const struct emitted_cut *given) {
    const struct emitted_cut cut = given ? *given : emitted_choose_cut(loops, set);
    const struct blocks blocks = blocks_of(loops, &cut);
    if (loops_streams(loops) || blocks.loop < 0) {
        add_function(out, name, loops, set, &cut);
    } else {
        add_in_blocks(out, name, loops, set, &blocks);
    }
}

/* Adds the kernel. */

static void add_comment(struct strbuf *out, const struct emitted_loops *loops) {
    strbuf_add(out, "/*\n * c := ");
    if (!scalar_is(loops->alpha, 1)) strbuf_add(out, "alpha ");
    strbuf_add(out, loops->conjugated[0] ? "conj(a) " : "a ");
    strbuf_add(out, loops->conjugated[1] ? "conj(b)" : "b");
    if (!scalar_is(loops->beta, 0))
        strbuf_add(out, scalar_is(loops->beta, 1) ? " + c" : " + beta c");
    strbuf_add(out, " of %s numbers, element by element over\n",
               tcplan_dtype_is_complex(loops->dtype) ? "complex" : "real");
    for (int l = 0; l < loops->count; l++) {
        const struct blas_call_loop *loop = &loops->loop[l];
        strbuf_add(out, " * i%d: %lld, strides %lld, %lld, %lld%s\n", l, (long long)loop->extent,
                   (long long)loop->stride[0], (long long)loop->stride[1],
                   (long long)loop->stride[2], loop->stride[2] == 0 ? ", summed up" : "");
    }
    strbuf_add(out, " */\n");
}

static void add_choice(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                       unsigned sets) {
    const bool streamed = loops_streams(loops);
    const struct emitted_numbers numbers = emitted_numbers_of(loops->dtype);
    const char *arguments = streamed ? "a, b, c, streamed" : "a, b, c";
    int least = EMITTED_PLAIN;
    while (least < EMITTED_SETS - 1 && !(sets >> least & 1U)) least++;
    strbuf_add(out, "static void %s(const %s *a, const %s *b, %s *c) {\n", name, numbers.type,
               numbers.type, numbers.type);
    for (int part = 0; part < 3; part++) {
        if (loops->offset[part] != 0)
            strbuf_add(out, "    %c += %lld;\n", loops_letters[part],
                       (long long)loops->offset[part] * numbers.parts);
    }
    if (streamed) strbuf_add(out, "    const int streamed = KERNEL_PASTS(c);\n");
    for (int set = EMITTED_SETS - 1; set > least; set--) {
        if (!(sets >> set & 1U)) continue;
        strbuf_add(out, "#if defined(__x86_64__)\n    if (%s) {\n        %s_%s(%s);\n",
                   emitted_set_text[set].condition, name, emitted_set_text[set].name, arguments);
        strbuf_add(out, "%s        return;\n    }\n#endif\n",
                   streamed ? "        KERNEL_FENCE();\n" : "");
    }
    strbuf_add(out, "    %s_%s(%s);\n%s}\n\n", name, emitted_set_text[least].name, arguments,
               streamed ? "    KERNEL_FENCE();\n" : "");
}

void emitted_add_loops(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                       unsigned sets, const struct emitted_cut *cut) {
    struct strbuf text = {0};
    add_comment(&text, loops);
    for (int set = 0; set < EMITTED_SETS; set++) {
        if (!(sets >> set & 1U)) continue;
        if (set != EMITTED_PLAIN) strbuf_add(&text, "#if defined(__x86_64__)\n");
        add_set(&text, name, loops, (enum emitted_set)set, cut);
        if (set != EMITTED_PLAIN) strbuf_add(&text, "#endif\n\n");
    }
    add_choice(&text, name, loops, sets);
    emitted_add_kernels(out, &text);
}
