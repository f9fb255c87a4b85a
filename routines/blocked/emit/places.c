/* Writes where ranges and blocks begin in their matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "gen/emit/text.h"
#include "routines/blocked/calls/calls.h"
#include "routines/blocked/emit/emission.h"

static int sibling(const struct emission *emission, int range, enum tcplan_range_part part) {
    return range - (int)emission->blocks->range[range].part + (int)part;
}

/** Lists the parts that make up a range, and returns their number. A whole range, or a range that
 * has a variable, is its own single part. */
static int singles(const struct emission *emission, int range, int out[2]) {
    out[0] = range;
    if (*emission->length[range]) return 1;
    switch (emission->blocks->range[range].part) {
    case TCPLAN_RANGE_NOT_LAST:
        out[0] = sibling(emission, range, TCPLAN_RANGE_FIRST);
        out[1] = sibling(emission, range, TCPLAN_RANGE_CURRENT);
        return 2;
    case TCPLAN_RANGE_NOT_FIRST:
        out[0] = sibling(emission, range, TCPLAN_RANGE_CURRENT);
        out[1] = sibling(emission, range, TCPLAN_RANGE_LAST);
        return 2;
    case TCPLAN_RANGE_FIRST:
    case TCPLAN_RANGE_CURRENT:
    case TCPLAN_RANGE_LAST:
    case TCPLAN_RANGE_PARTS: break;
    }
    return 1;
}

void emission_length(const struct emission *emission, struct strbuf *out, int range) {
    int part[2];
    const int count = singles(emission, range, part);
    for (int p = 0; p < count; p++)
        strbuf_add(out, "%s%s", p > 0 ? " + " : "", emission->length[part[p]]);
}

bool emission_is_simple(const struct emission *emission, int range) {
    int part[2];
    return singles(emission, range, part) == 1;
}

/**
 * Finds where a range begins: the beginning of range `*from`, for which the text has a variable,
 * plus the lengths of the listed parts, which precede the range in its divisions. If `*from` is
 * -1, the lengths alone add up to the beginning in the whole size (for temporaries, in the
 * outermost part).
 */
static int before(const struct emission *emission, int range, bool temporary, int out[], int most,
                  int *from) {
    const int last = temporary ? blocks_outermost_part(emission->blocks, range) : -1;
    int count = 0;
    *from = -1;
    while (range != last && emission->blocks->range[range].part != TCPLAN_RANGE_WHOLE &&
           count + 2 <= most && !*emission->begin[range]) {
        const enum tcplan_range_part part = emission->blocks->range[range].part;
        const int first = sibling(emission, range, TCPLAN_RANGE_FIRST);
        if (part == TCPLAN_RANGE_LAST)
            out[count++] = sibling(emission, range, TCPLAN_RANGE_CURRENT);
        if (part != TCPLAN_RANGE_FIRST && part != TCPLAN_RANGE_NOT_LAST &&
            strcmp(emission->length[first], "0") != 0)
            out[count++] = first;
        range = emission->blocks->range[range].of;
    }
    if (range != last && *emission->begin[range]) *from = range;
    return count;
}

/** Appends the variable for the beginning of a range. For a temporary, subtracts what precedes the
 * outermost part. Returns the number of terms. */
static int add_from(const struct emission *emission, struct strbuf *out, int from, bool temporary) {
    int part[TCPLAN_MAX_RANGES], whole = -1, count = 0;
    strbuf_add(out, "%s", emission->begin[from]);
    if (temporary)
        count = before(emission, blocks_outermost_part(emission->blocks, from), false, part,
                       TCPLAN_MAX_RANGES, &whole);
    if (temporary && whole >= 0) strbuf_add(out, " - %s", emission->begin[whole]);
    for (int p = count - 1; p >= 0; p--) strbuf_add(out, " - %s", emission->length[part[p]]);
    return count + 1;
}

int emission_begin(const struct emission *emission, struct strbuf *out, int range, bool temporary) {
    int part[TCPLAN_MAX_RANGES], from;
    const int count = before(emission, range, temporary, part, TCPLAN_MAX_RANGES, &from);
    const int terms = from >= 0 ? add_from(emission, out, from, temporary) : 0;
    for (int p = count - 1; p >= 0; p--)
        strbuf_add(out, "%s%s", terms > 0 || p + 1 < count ? " + " : "", emission->length[part[p]]);
    return terms + count;
}

int emission_path(const struct emission *emission, struct strbuf *out, int range) {
    static const char *const digits[] = {"0", "1", "2", "0to1", "1to2"};
    const struct tcplan_range *of = &emission->blocks->range[range];
    if (of->part == TCPLAN_RANGE_WHOLE) return 0;
    const int around = emission_path(emission, out, of->of);
    strbuf_add(out, "%s%s", around > 0 ? "_" : "", digits[of->part]);
    return around + (int)strlen(digits[of->part]);
}

static void use_length(struct emission *emission, int range) {
    int part[2];
    const int count = singles(emission, range, part);
    for (int p = 0; p < count; p++) emission->is_used[part[p]] = true;
}

static void use_begin(struct emission *emission, int range, bool temporary) {
    int part[TCPLAN_MAX_RANGES], from;
    int count = before(emission, range, temporary, part, TCPLAN_MAX_RANGES, &from);
    for (int p = 0; p < count; p++) emission->is_used[part[p]] = true;
    if (from < 0 || !temporary) return;
    count = before(emission, blocks_outermost_part(emission->blocks, from), false, part,
                   TCPLAN_MAX_RANGES, &from);
    for (int p = 0; p < count; p++) emission->is_used[part[p]] = true;
}

static void use_call(struct emission *emission, const struct tcplan_call *call) {
    const struct blocked_statement *statement = &emission->blocked->statement[call->number];
    for (int s = 0; s < statement->size_count; s++) use_length(emission, statement->size[s].range);
    for (int a = 0; a < statement->signature->count; a++) {
        if (!statement->has_block[a]) continue;
        const struct tcplan_block *block = &statement->block[a];
        const bool temporary =
            emission_is_temporary(emission, emission->blocks->view[block->view].matrix);
        use_begin(emission, block->rows, temporary);
        use_begin(emission, block->columns, temporary);
    }
    if (statement->needs >= 0) use_length(emission, statement->needs);
}

void emission_note_used(struct emission *emission, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_CALL) use_call(emission, &body->call);
        if (body->kind != TCPLAN_NODE_STEPS) continue;
        for (int c = 0; c < body->steps.cut_count; c++)
            use_length(emission, body->steps.cut[c].range);
        for (int c = 0; body->steps.base && c < body->steps.cut_count; c++)
            use_begin(emission, body->steps.cut[c].range, false);
        emission_note_used(emission, body->steps.body);
        emission_note_used(emission, body->steps.base);
    }
}

bool emission_is_temporary(const struct emission *emission, int matrix) {
    return emission->blocks->matrix[matrix].role == TCPLAN_MATRIX_TEMPORARY;
}

const char *emission_element(const struct emission *emission, int matrix) {
    static const char *const inputs[TCPLAN_DTYPES] = {
        "const float", "const double", "const float _Complex", "const double _Complex"};
    const struct tcplan_matrix *of = &emission->blocks->matrix[matrix];
    const enum tcplan_dtype dtype = blocked_element_type(emission->blocked, matrix);
    if (of->is_integer) return of->role == TCPLAN_MATRIX_INPUT ? "const int" : "int";
    return of->role == TCPLAN_MATRIX_INPUT ? inputs[dtype] : emit_type(dtype);
}

static int matrix_of(const struct emission *emission, struct tcplan_block block) {
    return emission->blocks->view[block.view].matrix;
}

static const struct emission_pointer *find(const struct emission *emission,
                                           struct tcplan_block block) {
    const int matrix = matrix_of(emission, block);
    for (int p = emission->pointer_count - 1; p >= 0; p--) {
        const struct emission_pointer *pointer = &emission->pointer[p];
        if (pointer->matrix == matrix && pointer->rows == block.rows &&
            pointer->columns == block.columns)
            return pointer;
    }
    return NULL;
}

/** Returns whether all loops that divide a range, or its parent, are open. */
static bool is_known(const struct emission *emission, int range) {
    while (emission->blocks->range[range].part != TCPLAN_RANGE_WHOLE) {
        if (!*emission->length[sibling(emission, range, TCPLAN_RANGE_CURRENT)]) return false;
        range = emission->blocks->range[range].of;
    }
    return true;
}

/** Writes the pointer variable of a block: `A21`, or `A12_1` for joined parts and for parts in
 * inner loops. */
static void name_block(struct emission *emission, char out[EMISSION_NAME], int matrix,
                       struct tcplan_block block) {
    struct strbuf rows = {0}, columns = {0};
    char wanted[3 * EMISSION_NAME];
    const int row_digits = emission_path(emission, &rows, block.rows),
              column_digits = emission_path(emission, &columns, block.columns);
    snprintf(wanted, sizeof wanted, "%s%s%s%s", emission->matrix[matrix],
             row_digits > 0 ? rows.text : "",
             row_digits > 0 && column_digits > 0 && row_digits + column_digits > 2 ? "_" : "",
             column_digits > 0 ? columns.text : "");
    wanted[EMISSION_NAME - 4] = '\0';
    if (rows.failed || columns.failed) emission->out->failed = true;
    strbuf_free(&rows);
    strbuf_free(&columns);
    emission_take(emission, out, wanted);
}

/** Appends the offset of a block in its matrix, ` + n0 + (ptrdiff_t)n0 * ldA`; nothing if it is 0.
 */
static void add_place(const struct emission *emission, struct strbuf *out, int matrix,
                      struct tcplan_block block) {
    const bool temporary = emission_is_temporary(emission, matrix);
    struct strbuf rows = {0}, columns = {0};
    const int row_terms = emission_begin(emission, &rows, block.rows, temporary);
    const int column_terms = emission_begin(emission, &columns, block.columns, temporary);
    if (row_terms > 0) strbuf_add(out, " + %s", rows.text ? rows.text : "");
    if (column_terms > 0) {
        strbuf_add(out, " + (ptrdiff_t)%s%s%s * %s", column_terms > 1 ? "(" : "",
                   columns.text ? columns.text : "", column_terms > 1 ? ")" : "",
                   emission->leading[matrix]);
    }
    if (rows.failed || columns.failed) out->failed = true;
    strbuf_free(&rows);
    strbuf_free(&columns);
}

static void declare(struct emission *emission, struct tcplan_block block) {
    const int matrix = matrix_of(emission, block);
    struct strbuf place = {0};
    if (find(emission, block) || !is_known(emission, block.rows) ||
        !is_known(emission, block.columns))
        return;
    if (emission->pointer_count == EMISSION_POINTERS) {
        emission_refuse(emission, "it has more than %d blocks", EMISSION_POINTERS);
        return;
    }
    struct emission_pointer *pointer = &emission->pointer[emission->pointer_count++];
    *pointer =
        (struct emission_pointer){.matrix = matrix, .rows = block.rows, .columns = block.columns};
    add_place(emission, &place, matrix, block);
    if (place.length == 0) {
        memcpy(pointer->name, emission->matrix[matrix], sizeof pointer->name);
    } else {
        name_block(emission, pointer->name, matrix, block);
        emission_indent(emission);
        strbuf_add(emission->out, "%s *const %s = %s%s;\n", emission_element(emission, matrix),
                   pointer->name, emission->matrix[matrix], place.text);
    }
    if (place.failed) emission->out->failed = true;
    strbuf_free(&place);
}

void emission_declare_blocks(struct emission *emission, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        const bool is_elsewhere =
            emission->has_halves && body->kind == TCPLAN_NODE_STEPS && body->steps.base;
        if (body->kind == TCPLAN_NODE_STEPS && !is_elsewhere)
            emission_declare_blocks(emission, body->steps.body);
        if (body->kind == TCPLAN_NODE_STEPS && !is_elsewhere)
            emission_declare_blocks(emission, body->steps.base);
        for (int b = 0; body->kind == TCPLAN_NODE_AGAIN && !emission->has_halves &&
                        b < body->again.block_count;
             b++)
            declare(emission, body->again.block[b]);
        if (body->kind != TCPLAN_NODE_CALL) continue;
        const struct blocked_statement *statement =
            &emission->blocked->statement[body->call.number];
        for (int a = 0; a < statement->signature->count; a++) {
            if (statement->has_block[a]) declare(emission, statement->block[a]);
        }
    }
}

const char *emission_pointer(const struct emission *emission, struct tcplan_block block) {
    const struct emission_pointer *pointer = find(emission, block);
    return pointer ? pointer->name : emission->matrix[matrix_of(emission, block)];
}

void emission_bound(const struct emission *emission, char out[EMISSION_NAME], int range) {
    const struct tcplan_range *of = &emission->blocks->range[range];
    while (of->part != TCPLAN_RANGE_WHOLE &&
           (of->part != TCPLAN_RANGE_CURRENT || emission->blocked->step[range] == INT32_MAX)) {
        range = of->of;
        of = &emission->blocks->range[range];
    }
    if (of->part == TCPLAN_RANGE_WHOLE) {
        snprintf(out, EMISSION_NAME, "%s", of->of < 0 ? "1" : emission->size[of->of]);
    } else if (emission->blocked->step[range] > 0) {
        snprintf(out, EMISSION_NAME, "%d", (int)emission->blocked->step[range]);
    } else {
        snprintf(out, EMISSION_NAME, "%s", emission->block);
    }
}
