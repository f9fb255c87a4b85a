#include "ast/nest/blocks.h"

#include <assert.h>
#include <inttypes.h>

int blocks_cut(struct tcplan_blocks *blocks, int range, int loop, int depth) {
    const int first = blocks->range_count;
    if (first + TCPLAN_RANGE_PARTS > TCPLAN_MAX_RANGES) return -1;
    for (int p = 0; p < TCPLAN_RANGE_PARTS; p++) {
        blocks->range[first + p] = (struct tcplan_range){.part = (enum tcplan_range_part)p,
                                                         .of = (int8_t)range,
                                                         .loop = (int8_t)loop,
                                                         .depth = (int8_t)depth};
    }
    blocks->range_count += TCPLAN_RANGE_PARTS;
    return first;
}

int blocks_single_column(const struct tcplan_blocks *blocks) {
    return blocks->size_count;
}

int blocks_outermost_part(const struct tcplan_blocks *blocks, int range) {
    assert(range >= 0 && range < blocks->range_count);
    while (blocks->range[range].part != TCPLAN_RANGE_WHOLE &&
           blocks->range[blocks->range[range].of].part != TCPLAN_RANGE_WHOLE) {
        range = blocks->range[range].of;
    }
    return range;
}

bool blocks_is_vector(const struct tcplan_blocks *blocks, int matrix) {
    return blocks->matrix[matrix].columns == blocks_single_column(blocks);
}

bool block_equal(struct tcplan_block a, struct tcplan_block b) {
    return a.view == b.view && a.rows == b.rows && a.columns == b.columns;
}

void blocks_set_cut(struct tcplan_range_values *values, int range, int first_part, int64_t first,
                    int64_t current) {
    assert(first >= 0 && current >= 0 && first + current <= values->length[range]);
    const int64_t begin = values->begin[range], length = values->length[range];
    int64_t *const at = values->begin + first_part, *const count = values->length + first_part;
    at[TCPLAN_RANGE_FIRST] = at[TCPLAN_RANGE_NOT_LAST] = begin;
    at[TCPLAN_RANGE_CURRENT] = at[TCPLAN_RANGE_NOT_FIRST] = begin + first;
    at[TCPLAN_RANGE_LAST] = begin + first + current;
    count[TCPLAN_RANGE_FIRST] = first;
    count[TCPLAN_RANGE_CURRENT] = current;
    count[TCPLAN_RANGE_LAST] = length - first - current;
    count[TCPLAN_RANGE_NOT_LAST] = first + current;
    count[TCPLAN_RANGE_NOT_FIRST] = length - first;
}

int64_t blocks_half(int64_t length) {
    assert(length >= 0);
    return length < 16 ? length / 2 : (length + 8) / 16 * 8;
}

int blocks_passed_range(const struct tcplan_again *again, const struct tcplan_cut *cut) {
    for (int b = 0; b < again->block_count; b++) {
        const int rows = again->block[b].rows - cut->first,
                  columns = again->block[b].columns - cut->first;
        if (rows >= 0 && rows < TCPLAN_RANGE_PARTS) return again->block[b].rows;
        if (columns >= 0 && columns < TCPLAN_RANGE_PARTS) return again->block[b].columns;
    }
    return -1;
}

/** Lists the one or two parts that a range consists of. */
static int parts_of(const struct tcplan_range *range, int part[2]) {
    switch (range->part) {
    case TCPLAN_RANGE_FIRST:
    case TCPLAN_RANGE_CURRENT:
    case TCPLAN_RANGE_LAST: part[0] = (int)range->part; return 1;
    case TCPLAN_RANGE_NOT_LAST:
        part[0] = 0;
        part[1] = 1;
        return 2;
    case TCPLAN_RANGE_NOT_FIRST:
        part[0] = 1;
        part[1] = 2;
        return 2;
    case TCPLAN_RANGE_PARTS: break; /* a range that is a whole size has no digit */
    }
    part[0] = -1;
    return 1;
}

static void print_digit(struct strbuf *out, int part, int depth) {
    if (part < 0) return;
    strbuf_add(out, "%d", part);
    strbuf_fill(out, '\'', (size_t)depth);
}

void blocks_print_range(struct strbuf *out, const struct tcplan_blocks *blocks, int range) {
    const struct tcplan_range *of = &blocks->range[range];
    int size = range, part[2];
    while (blocks->range[size].part != TCPLAN_RANGE_WHOLE) size = blocks->range[size].of;
    strbuf_add(out, "%s",
               blocks->range[size].of < 0 ? "1" : blocks->size_name[blocks->range[size].of]);
    const int parts = parts_of(of, part);
    for (int p = 0; p < parts; p++) print_digit(out, part[p], of->depth);
}

void blocks_print_block(struct strbuf *out, const struct tcplan_blocks *blocks,
                        struct tcplan_block block) {
    const struct tcplan_range *rows = &blocks->range[block.rows],
                              *columns = &blocks->range[block.columns];
    int row[2], column[2];
    const int row_count = parts_of(rows, row), column_count = parts_of(columns, column);
    const bool joined = row_count * column_count > 1;
    strbuf_add(out, "%s", joined ? "[" : "");
    for (int r = 0; r < row_count; r++) {
        for (int c = 0; c < column_count; c++) {
            strbuf_add(out, "%s%s", c > 0 ? "," : r > 0 ? ";" : "", blocks->view[block.view].name);
            print_digit(out, row[r], rows->depth);
            print_digit(out, column[c], columns->depth);
        }
    }
    strbuf_add(out, "%s", joined ? "]" : "");
}

/** Prints `129:256`; for an empty range, the end is below the beginning. */
static void print_numbers(struct strbuf *out, const struct tcplan_range_values *values, int range) {
    const int64_t begin = values->begin[range], length = values->length[range];
    if (length == 1) {
        strbuf_add(out, "%" PRId64, begin + 1);
    } else {
        strbuf_add(out, "%" PRId64 ":%" PRId64, begin + 1, begin + length);
    }
}

void blocks_print_slice(struct strbuf *out, const struct tcplan_blocks *blocks,
                        const struct tcplan_range_values *values, struct tcplan_block block) {
    strbuf_add(out, "%s[", blocks->view[block.view].name);
    print_numbers(out, values, block.rows);
    if (!blocks_is_vector(blocks, blocks->view[block.view].matrix)) {
        strbuf_add(out, ",");
        print_numbers(out, values, block.columns);
    }
    strbuf_add(out, "]");
}
