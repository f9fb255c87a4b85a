/*
 * Writes loops over blocks. One variable counts the rows before the block (in downward loops) or
 * after it (upward), and grows by the size of the block.
 *
 *     for (int n0 = 0, n1; n0 < n; n0 += n1) {
 *     n1 = n - n0 < b ? n - n0 : b;
 *     const int n2 = n - n0 - n1;
 *
 * A recursion is the function itself: it computes the base if there is at most one block, and
 * otherwise calls itself for the halves. A recursion within a loop, one that needs memory, or one
 * that is only a part of the function is a separate function. Its parameters are the beginning and
 * length of the halved range, and everything else that it needs, with the same names:
 *
 *     static int NAME_half(int n1_at, int n1, double *A, int ldA, int b) {
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "ast/nest/nest.h"
#include "gen/emit/text.h"
#include "routines/blocked/emit/emission.h"
#include "routines/blocked/run/ending.h"

/** The names of one division while it is written. */
struct cut {
    const struct tcplan_cut *cut;
    const char *counter, *current, *rest; /* names of the counter, of the block's size and of the
                                             remaining size; the block's size may be the number 1 */
    int rest_range;
    char whole[2 * EMISSION_NAME]; /* the divided length */
};

/** Makes a variable or a number the length of a range from here on in the emitted code. */
static const char *name_length(struct emission *emission, int range, bool is_one) {
    int size = range;
    struct strbuf wanted = {0};
    while (emission->blocks->range[size].part != TCPLAN_RANGE_WHOLE)
        size = emission->blocks->range[size].of;
    if (is_one) {
        snprintf(emission->length[range], EMISSION_NAME, "1");
        return emission->length[range];
    }
    strbuf_add(&wanted, "%s", emission->length[size]);
    emission_path(emission, &wanted, range);
    emission_take(emission, emission->length[range], wanted.text ? wanted.text : "x");
    if (wanted.failed) emission->out->failed = true;
    strbuf_free(&wanted);
    return emission->length[range];
}

/** Declares the lengths of a loop's ranges. The counter is the length before the current block or,
 * if the loop counts from the end, after it. */
static void open_cut(struct emission *emission, struct cut *out, const struct tcplan_cut *cut,
                     bool is_one, bool counts_from_end) {
    struct strbuf whole = {0};
    emission_length(emission, &whole, cut->range);
    snprintf(out->whole, sizeof out->whole, "%s", whole.text ? whole.text : "");
    if (whole.failed) emission->out->failed = true;
    strbuf_free(&whole);
    const int counted = counts_from_end ? TCPLAN_RANGE_LAST : TCPLAN_RANGE_FIRST,
              rest = counts_from_end ? TCPLAN_RANGE_FIRST : TCPLAN_RANGE_LAST;
    out->cut = cut;
    out->rest_range = cut->first + rest;
    out->counter = name_length(emission, cut->first + counted, false);
    out->current = name_length(emission, cut->first + TCPLAN_RANGE_CURRENT, is_one);
    out->rest = name_length(emission, out->rest_range, false);
}

/** Returns whether the blocks of several ranges have the same size and move to the first rows. */
static bool is_common_upward(const struct tcplan_steps *steps) {
    return steps->coupled && steps->cut_count > 1 && steps->cut[0].upward;
}

/** Writes `for (int n0 = ((m < n ? m : n) + b - 1) / b * b - b, n1, m0 = n0, m1; n0 >= 0; n0 -= b,
 * m0 -= b) {`: blocks begin at multiples of b, and the last one of the shorter range is the first.
 */
static void add_common_upward_for(const struct emission *emission, const struct cut cut[],
                                  bool is_one, const char *block) {
    struct strbuf *out = emission->out;
    const char *step = is_one ? "1" : block;
    emission_indent(emission);
    strbuf_add(out, "for (int %s = ((%s < %s ? %s : %s) + %s - 1) / %s * %s - %s, ", cut[0].counter,
               cut[0].whole, cut[1].whole, cut[0].whole, cut[1].whole, step, step, step, step);
    if (!is_one) strbuf_add(out, "%s, ", cut[0].current);
    strbuf_add(out, "%s = %s", cut[1].counter, cut[0].counter);
    if (!is_one) strbuf_add(out, ", %s", cut[1].current);
    strbuf_add(out, "; %s >= 0; %s -= %s, %s -= %s) {\n", cut[0].counter, cut[0].counter, step,
               cut[1].counter, step);
}

/** Writes `for (int n0 = 0, n1; n0 < n; n0 += n1) {`. */
static void add_for(const struct emission *emission, const struct tcplan_steps *steps,
                    const struct cut cut[], bool is_one) {
    struct strbuf *out = emission->out;
    emission_indent(emission);
    strbuf_add(out, "for (int ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(out, "%s%s = 0", c > 0 ? ", " : "", cut[c].counter);
        if (!is_one) strbuf_add(out, ", %s", cut[c].current);
    }
    strbuf_add(out, "; ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(out, "%s%s < %s",
                   c == 0           ? ""
                   : steps->coupled ? " && "
                                    : " || ",
                   cut[c].counter, cut[c].whole);
    }
    strbuf_add(out, "; ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(out, "%s%s", c > 0 ? ", " : "", cut[c].counter);
        if (is_one) {
            strbuf_add(out, "++");
        } else {
            strbuf_add(out, " += %s", cut[c].current);
        }
    }
    strbuf_add(out, ") {\n");
}

/** Writes `n1 = n - n0 < b ? n - n0 : b;`, or upward `n1 = (n - n2 - 1) % b + 1;`, which aligns
 * blocks at the beginning. */
static void add_size(const struct emission *emission, const struct tcplan_steps *steps,
                     const struct cut *cut, const char *block) {
    struct strbuf *out = emission->out;
    const bool may_have_ended = steps->cut_count > 1 && !steps->coupled;
    emission_indent(emission);
    strbuf_add(out, "%s = ", cut->current);
    if (cut->cut->upward && !is_common_upward(steps)) {
        if (may_have_ended) strbuf_add(out, "%s < %s ? ", cut->counter, cut->whole);
        strbuf_add(out, "(%s - %s - 1) %% %s + 1", cut->whole, cut->counter, block);
        if (may_have_ended) strbuf_add(out, " : 0");
    } else {
        strbuf_add(out, "%s - %s < %s ? %s - %s : %s", cut->whole, cut->counter, block, cut->whole,
                   cut->counter, block);
    }
    strbuf_add(out, ";\n");
}

/** Writes the common size of the blocks of several ranges: the first block gets the remainder of
 * the shortest range, if that is less than a block. */
static void add_common_size(const struct emission *emission, const struct tcplan_steps *steps,
                            const struct cut cut[], const char *block) {
    struct strbuf *out = emission->out;
    add_size(emission, steps, &cut[0], block);
    for (int c = 1; c < steps->cut_count; c++) {
        emission_indent(emission);
        strbuf_add(out, "if (%s - %s < %s) %s = %s - %s;\n", cut[c].whole, cut[c].counter,
                   cut[0].current, cut[0].current, cut[c].whole, cut[c].counter);
    }
    for (int c = 1; c < steps->cut_count; c++) {
        emission_indent(emission);
        strbuf_add(out, "%s = %s;\n", cut[c].current, cut[0].current);
    }
}

static void add_rests(const struct emission *emission, const struct tcplan_steps *steps,
                      const struct cut cut[]) {
    for (int c = 0; c < steps->cut_count; c++) {
        if (!emission->is_used[cut[c].rest_range]) continue;
        emission_indent(emission);
        strbuf_add(emission->out, "const int %s = %s - %s - %s;\n", cut[c].rest, cut[c].whole,
                   cut[c].counter, cut[c].current);
    }
}

static void add_sizes(const struct emission *emission, const struct tcplan_steps *steps,
                      const struct cut cut[], bool is_one, const char *block) {
    if (is_one) {
        /* blocks have size 1 */
    } else if (steps->coupled && steps->cut_count > 1) {
        add_common_size(emission, steps, cut, block);
    } else {
        for (int c = 0; c < steps->cut_count; c++) add_size(emission, steps, &cut[c], block);
    }
    add_rests(emission, steps, cut);
}

static void close_cut(struct emission *emission, const struct tcplan_cut *cut) {
    for (int p = 0; p < TCPLAN_RANGE_PARTS; p++) *emission->length[cut->first + p] = '\0';
}

/** Appends the smallest of the lengths of the divided ranges: `n`, `m < n ? m : n`. */
static void add_least(const struct emission *emission, struct strbuf *out,
                      const struct tcplan_steps *steps) {
    if (steps->cut_count > 1) {
        emission_length(emission, out, steps->cut[0].range);
        strbuf_add(out, " < ");
        emission_length(emission, out, steps->cut[1].range);
        strbuf_add(out, " ? ");
    }
    emission_length(emission, out, steps->cut[0].range);
    if (steps->cut_count == 1) return;
    strbuf_add(out, " : ");
    emission_length(emission, out, steps->cut[1].range);
}

/** Writes `const int NAME = TEXT;`, or nothing if emitted code does not use the variable. */
static void add_constant(const struct emission *emission, const char *name, struct strbuf *text,
                         bool is_used) {
    if (is_used) {
        emission_indent(emission);
        strbuf_add(emission->out, "const int %s = %s;\n", name, text->text ? text->text : "");
    }
    if (text->failed) emission->out->failed = true;
    strbuf_free(text);
}

/** Names the parts of two ranges that begin with equally long parts, and declares the lengths that
 * emitted code uses. */
static void add_parts(struct emission *emission, const struct tcplan_steps *steps,
                      const char *first_length) {
    for (int c = 0; c < steps->cut_count; c++) {
        const int first = steps->cut[c].first, current = first + TCPLAN_RANGE_CURRENT,
                  last = first + TCPLAN_RANGE_LAST;
        struct strbuf text = {0}, rest = {0};
        snprintf(emission->length[first + TCPLAN_RANGE_FIRST], EMISSION_NAME, "0");
        strbuf_add(&text, "%s", first_length);
        add_constant(emission, name_length(emission, current, false), &text, true);
        emission_length(emission, &rest, steps->cut[c].range);
        strbuf_add(&rest, " - %s", emission->length[current]);
        add_constant(emission, name_length(emission, last, false), &rest, emission->is_used[last]);
        if (c == 0) first_length = emission->length[current];
    }
}

/** Writes the body of steps, closes their block, and forgets the names and pointers that were
 * declared since there were `names` and `pointers` of them. */
static void add_body(struct emission *emission, const struct tcplan_steps *steps, int names,
                     int pointers) {
    emission_declare_blocks(emission, steps->body);
    emission_body(emission, steps->body);
    assert(emission->level > 0 && emission->pointer_count >= pointers &&
           emission->taken_count >= names);
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
    for (int c = 0; c < steps->cut_count; c++) close_cut(emission, &steps->cut[c]);
    emission->pointer_count = pointers;
    emission_leave(emission, names);
}

/** Writes the single step of a loop on the whole of the shorter range. */
static void add_square(struct emission *emission, const struct tcplan_steps *steps) {
    const int names = emission->taken_count, pointers = emission->pointer_count;
    struct strbuf least = {0};
    add_least(emission, &least, steps);
    emission_indent(emission);
    strbuf_add(emission->out, "if ((%s) > 0) {\n", least.text ? least.text : "");
    emission->level++;
    add_parts(emission, steps, least.text ? least.text : "");
    add_body(emission, steps, names, pointers);
    if (least.failed) emission->out->failed = true;
    strbuf_free(&least);
}

static void add_steps(struct emission *emission, const struct tcplan_steps *steps) {
    struct cut cut[TCPLAN_MAX_CUTS];
    const int names = emission->taken_count, pointers = emission->pointer_count;
    const bool is_one = steps->step == 1 && (steps->cut_count == 1 || steps->coupled);
    char block[EMISSION_NAME];
    snprintf(block, sizeof block, "%s", emission->block);
    if (steps->step > 0) snprintf(block, sizeof block, "%d", (int)steps->step);
    for (int c = 0; c < steps->cut_count; c++)
        open_cut(emission, &cut[c], &steps->cut[c], is_one,
                 steps->cut[c].upward && !is_common_upward(steps));
    if (is_common_upward(steps)) {
        add_common_upward_for(emission, cut, is_one, block);
    } else {
        add_for(emission, steps, cut, is_one);
    }
    emission->level++;
    add_sizes(emission, steps, cut, is_one, block);
    add_body(emission, steps, names, pointers);
}

/** Returns whether every error code of the called routines is a row number, which counts from the
 * first row of a block. */
static bool tells_rows(const struct emission *emission) {
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        const struct ending ending = ending_of(signature);
        if (signature_argument(signature, "info") >= 0 && !ending.is_silent && !ending.is_row)
            return false;
    }
    return true;
}

/** Writes the statement of a recursive call as a comment. */
static void add_comment(const struct emission *emission, const struct tcplan_again *again) {
    struct strbuf comment = {0};
    nest_print_again(&comment, emission->blocks, again);
    emission_indent(emission);
    strbuf_add(emission->out, "/* %s */\n", comment.text ? comment.text : "");
    if (comment.failed) emission->out->failed = true;
    strbuf_free(&comment);
}

/** Writes `result = NAME(n1, A, ldA, b);` and the handling of its return value. */
static void add_again(struct emission *emission, const struct tcplan_again *again) {
    const struct tcplan_blocks *blocks = emission->blocks;
    struct emission_arguments arguments = {.count = 0};
    struct strbuf row = {0};
    char before[EMISSION_NAME + 4];
    const int halved = blocks->range[again->half].of;
    add_comment(emission, again);
    for (int s = 0; s < blocks->size_count; s++) {
        struct strbuf *size = emission_argument(&arguments);
        emission_length(emission, size, s == halved ? again->half : s);
    }
    for (int b = 0; b < again->block_count; b++) {
        const int matrix = blocks->view[again->block[b].view].matrix;
        strbuf_add(emission_argument(&arguments), "%s",
                   emission_pointer(emission, again->block[b]));
        if (*emission->leading[matrix])
            strbuf_add(emission_argument(&arguments), "%s", emission->leading[matrix]);
    }
    strbuf_add(emission_argument(&arguments), "%s", emission->block);
    snprintf(before, sizeof before, "%s = ", emission->result);
    emission_write_call(emission, before, emission->function, &arguments, ";");
    emission_indent(emission);
    if (tells_rows(emission) && emission_begin(emission, &row, again->half, false) > 0)
        strbuf_add(&row, " + ");
    strbuf_add(emission->out, "if (%s != 0) return %s%s;\n", emission->result,
               row.text ? row.text : "", emission->result);
    if (row.failed) emission->out->failed = true;
    strbuf_free(&row);
}

/** Writes the lengths of the halves of one range, or of two ranges. */
static void add_halves(struct emission *emission, const struct tcplan_steps *steps) {
    const struct tcplan_cut *cut = &steps->cut[0];
    const char *whole = emission->length[cut->range];
    if (steps->cut_count > 1) {
        char least[EMISSION_NAME], half[4 * EMISSION_NAME];
        struct strbuf text = {0};
        emission_take(emission, least, "least");
        add_least(emission, &text, steps);
        add_constant(emission, least, &text, true);
        snprintf(half, sizeof half, "%s < 16 ? %s / 2 : (%s + 8) / 16 * 8", least, least, least);
        add_parts(emission, steps, half);
        return;
    }
    snprintf(emission->length[cut->first + TCPLAN_RANGE_FIRST], EMISSION_NAME, "0");
    const char *first = name_length(emission, cut->first + TCPLAN_RANGE_CURRENT, false),
               *rest = name_length(emission, cut->first + TCPLAN_RANGE_LAST, false);
    emission_indent(emission);
    strbuf_add(emission->out,
               "const int %s = %s < 16 ? %s / 2 : (%s + 8) / 16 * 8, %s = %s - %s;\n", first, whole,
               whole, whole, rest, whole, first);
}

static void add_halving(struct emission *emission, const struct tcplan_steps *steps) {
    const struct tcplan_cut *cut = &steps->cut[0];
    struct strbuf *out = emission->out;
    char block[EMISSION_NAME];
    const char *whole = emission->length[cut->range];
    snprintf(block, sizeof block, "%s", emission->block);
    if (steps->step > 0) snprintf(block, sizeof block, "%d", (int)steps->step);
    emission_indent(emission);
    strbuf_add(out, "if (%s <= %s) {\n", whole, block);
    emission->level++;
    emission_body(emission, steps->base);
    emission_indent(emission);
    strbuf_add(out, "return 0;\n");
    emission->level--;
    emission_indent(emission);
    strbuf_add(out, "}\n");
    add_halves(emission, steps);
    emission_indent(emission);
    strbuf_add(out, "int %s;\n", emission->result);
    emission_declare_blocks(emission, steps->body);
    emission_body(emission, steps->body);
}

/** How errors in the statements of a recursion end it: no errors can occur; an error stops the
 * recursion; the recursion continues and returns the first error at its end; or both kinds of
 * errors can occur.
 */
enum told { TOLD_NOTHING, TOLD_STOP, TOLD_GOES_ON, TOLD_BOTH };

static enum told told_by(const struct emission *emission, const struct tcplan_node *node) {
    int told = TOLD_NOTHING;
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_STEPS)
            told |= told_by(emission, node->steps.body) | told_by(emission, node->steps.base);
        if (node->kind != TCPLAN_NODE_CALL) continue;
        const struct blocked_statement *statement =
            &emission->blocked->statement[node->call.number];
        if (emission_reports(statement))
            told |= ending_of(statement->signature).goes_on ? TOLD_GOES_ON : TOLD_STOP;
    }
    return (enum told)told;
}

bool emission_has_argument(const struct emission *emission, const struct tcplan_node *node,
                           const char *name) {
    for (; node; node = node->next) {
        const bool is_here =
            node->kind == TCPLAN_NODE_STEPS && !(node->steps.base && emission->has_halves);
        if (is_here && (emission_has_argument(emission, node->steps.body, name) ||
                        emission_has_argument(emission, node->steps.base, name)))
            return true;
        if (node->kind == TCPLAN_NODE_CALL &&
            signature_argument(emission->blocked->statement[node->call.number].signature, name) >=
                0)
            return true;
    }
    return false;
}

/** Returns whether a loop or recursion uses the block size. */
static bool has_blocks(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_STEPS &&
            (node->steps.step == 0 || has_blocks(node->steps.body) || has_blocks(node->steps.base)))
            return true;
    }
    return false;
}

/** Marks the matrices whose blocks the calls of a body use, and whether they need work memory. */
static void note_matrices(const struct emission *emission, const struct tcplan_node *node,
                          bool has[TCPLAN_MAX_MATRICES], bool *works) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_STEPS) {
            note_matrices(emission, node->steps.body, has, works);
            note_matrices(emission, node->steps.base, has, works);
        }
        if (node->kind != TCPLAN_NODE_CALL) continue;
        const struct blocked_statement *statement =
            &emission->blocked->statement[node->call.number];
        for (int a = 0; a < statement->signature->count; a++) {
            if (statement->has_block[a])
                has[emission->blocks->view[statement->block[a].view].matrix] = true;
            if (statement->signature->argument[a].class == SIGNATURE_WORK) *works = true;
        }
    }
}

/** A recursion that becomes a separate function. Its parameters are the ranges that it cuts, and
 * the lengths, matrices and memory that its statements read. */
struct emission_half {
    const struct tcplan_steps *steps;
    enum told told;
    bool is_taken[TCPLAN_MAX_RANGES], has_matrix[TCPLAN_MAX_MATRICES], works, has_blocks;
    char name[2 * EMISSION_NAME];
};

/** Returns whether a recursion cuts a range. */
static bool cuts(const struct tcplan_steps *steps, int range) {
    for (int c = 0; c < steps->cut_count; c++) {
        if (steps->cut[c].range == range) return true;
    }
    return false;
}

static void inspect_half(struct emission *emission, struct emission_half *out,
                         const struct tcplan_node *node) {
    bool used[TCPLAN_MAX_RANGES];
    *out = (struct emission_half){.steps = &node->steps};
    memcpy(used, emission->is_used, sizeof used);
    memset(emission->is_used, 0, sizeof emission->is_used);
    emission_note_used(emission, node->steps.body);
    emission_note_used(emission, node->steps.base);
    for (int r = 0; r < emission->blocks->range_count; r++) {
        const char *length = emission->length[r];
        out->is_taken[r] = emission->is_used[r] && !cuts(&node->steps, r) && *length &&
                           strchr("0123456789", *length) == NULL;
    }
    memcpy(emission->is_used, used, sizeof used);
    note_matrices(emission, node->steps.body, out->has_matrix, &out->works);
    note_matrices(emission, node->steps.base, out->has_matrix, &out->works);
    out->told =
        (enum told)(told_by(emission, node->steps.body) | told_by(emission, node->steps.base));
    out->has_blocks =
        node->steps.step == 0 || has_blocks(node->steps.body) || has_blocks(node->steps.base);
    if (out->told == TOLD_BOTH)
        emission_refuse(emission,
                        "a recursion whose routines both stop and continue after an error cannot "
                        "be written in C");
    if (emission->half_count++ == 0) {
        snprintf(out->name, sizeof out->name, "%.40s_half", emission->function);
    } else {
        snprintf(out->name, sizeof out->name, "%.40s_half%d", emission->function,
                 emission->half_count);
    }
}

/** Writes the arguments after the range or, with their types, the parameters. */
static void add_rest(const struct emission *emission, struct emission_arguments *arguments,
                     const struct emission_half *half, bool typed) {
    const struct tcplan_blocks *blocks = emission->blocks;
    const char *type = typed ? "int " : "";
    for (int r = 0; r < blocks->range_count; r++) {
        if (half->is_taken[r])
            strbuf_add(emission_argument(arguments), "%s%s", type, emission->length[r]);
    }
    bool has_temporary = false;
    for (int m = 0; m < blocks->matrix_count; m++)
        has_temporary =
            has_temporary || (half->has_matrix[m] && emission_is_temporary(emission, m));
    for (int r = 0; r < blocks->range_count && has_temporary; r++) {
        if (*emission->begin[r] && !cuts(half->steps, r))
            strbuf_add(emission_argument(arguments), "%s%s", type, emission->begin[r]);
    }
    for (int m = 0; m < blocks->matrix_count; m++) {
        if (!half->has_matrix[m]) continue;
        strbuf_add(emission_argument(arguments), "%s%s%s",
                   typed ? emission_element(emission, m) : "", typed ? " *" : "",
                   emission->matrix[m]);
        if (*emission->leading[m])
            strbuf_add(emission_argument(arguments), "%s%s", type, emission->leading[m]);
    }
    if (half->works)
        strbuf_add(emission_argument(arguments), "%s%s%s",
                   typed ? emit_type(emission->blocked->dtype) : "", typed ? " *" : "",
                   emission->work);
    if (half->has_blocks) strbuf_add(emission_argument(arguments), "%s%s", type, emission->block);
}

/** Writes a call for the given ranges and the handling of its return value. */
static void call_half(struct emission *emission, const struct emission_half *half,
                      const int range[TCPLAN_MAX_CUTS]) {
    struct emission_arguments arguments = {.count = 0};
    char told[EMISSION_NAME], before[EMISSION_NAME + 16] = "";
    const int names = emission->taken_count;
    for (int c = 0; c < half->steps->cut_count; c++) {
        struct strbuf *at = emission_argument(&arguments);
        if (emission_begin(emission, at, range[c], false) == 0) strbuf_add(at, "0");
        emission_length(emission, emission_argument(&arguments), range[c]);
    }
    add_rest(emission, &arguments, half, false);
    if (half->told == TOLD_NOTHING) {
        emission_write_call(emission, "", half->name, &arguments, ";");
        return;
    }
    emission_indent(emission);
    strbuf_add(emission->out, "{\n");
    emission->level++;
    emission_take(emission, told, "told");
    snprintf(before, sizeof before, "const int %s = ", told);
    emission_write_call(emission, before, half->name, &arguments, ";");
    emission_indent(emission);
    if (half->told == TOLD_GOES_ON) {
        strbuf_add(emission->out, "if (%s == 0) %s = %s;\n", emission->result, emission->result,
                   told);
    } else {
        strbuf_add(emission->out, "if (%s != 0", told);
        emission_stop(emission, told);
    }
    emission_leave(emission, names);
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
}

/** Writes a call of the enclosing recursion, which is a separate function. */
static void call_again(struct emission *emission, const struct tcplan_again *again) {
    const struct tcplan_steps *steps = emission->half->steps;
    int range[TCPLAN_MAX_CUTS];
    for (int c = 0; c < steps->cut_count; c++)
        range[c] = blocks_passed_range(again, &steps->cut[c]);
    call_half(emission, emission->half, range);
}

static void add_end(const struct emission *emission, const struct emission_half *half) {
    emission_indent(emission);
    if (half->told == TOLD_NOTHING) {
        strbuf_add(emission->out, "return;\n");
    } else {
        strbuf_add(emission->out, "return %s;\n",
                   half->told == TOLD_GOES_ON ? emission->result : "0");
    }
}

/** Declares the variables of a recursion's function: info and scale of its routines, and its
 * result.
 */
static void add_half_variables(const struct emission *emission, const struct emission_half *half) {
    const struct tcplan_node *const body = half->steps->body, *const base = half->steps->base;
    const enum tcplan_dtype dtype = emission->blocked->dtype;
    const char *real = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? "float" : "double";
    if (emission_has_argument(emission, body, "info") ||
        emission_has_argument(emission, base, "info")) {
        emission_indent(emission);
        strbuf_add(emission->out, "int %s = 0;\n", emission->info);
    }
    if (emission_has_argument(emission, body, "scale") ||
        emission_has_argument(emission, base, "scale")) {
        emission_indent(emission);
        strbuf_add(emission->out, "%s %s = 1;\n", real, emission->scale);
    }
    if (half->told != TOLD_GOES_ON) return;
    emission_indent(emission);
    strbuf_add(emission->out, "int %s = 0;\n", emission->result);
}

static void add_half_parameters(const struct emission *emission, const struct emission_half *half) {
    const struct tcplan_steps *steps = half->steps;
    const int range = steps->cut[0].range;
    struct emission_arguments parameters = {.count = 0};
    strbuf_add(emission->out, "\n/* Recursion for %s rows, from row %s on", emission->length[range],
               emission->begin[range]);
    for (int c = 1; c < steps->cut_count; c++)
        strbuf_add(emission->out, ", and %s columns, from column %s on",
                   emission->length[steps->cut[c].range], emission->begin[steps->cut[c].range]);
    strbuf_add(emission->out, ". */\n");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(emission_argument(&parameters), "int %s", emission->begin[steps->cut[c].range]);
        strbuf_add(emission_argument(&parameters), "int %s", emission->length[steps->cut[c].range]);
    }
    add_rest(emission, &parameters, half, true);
    emission_write_call(emission, half->told == TOLD_NOTHING ? "static void " : "static int ",
                        half->name, &parameters, " {");
}

static void add_half_body(struct emission *emission, const struct emission_half *half) {
    const struct tcplan_steps *steps = half->steps;
    const int pointers = emission->pointer_count, names = emission->taken_count;
    char block[EMISSION_NAME];
    snprintf(block, sizeof block, "%s", emission->block);
    if (half->steps->step > 0) snprintf(block, sizeof block, "%d", (int)half->steps->step);
    emission_indent(emission);
    strbuf_add(emission->out, "if (");
    for (int c = 0; c < steps->cut_count; c++)
        strbuf_add(emission->out, "%s%s <= %s", c > 0 ? " || " : "",
                   emission->length[steps->cut[c].range], block);
    strbuf_add(emission->out, ") {\n");
    emission->level++;
    emission_declare_blocks(emission, half->steps->base);
    emission_body(emission, half->steps->base);
    add_end(emission, half);
    emission->pointer_count = pointers;
    emission_leave(emission, names);
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
    add_halves(emission, steps);
    emission_declare_blocks(emission, half->steps->body);
    emission_body(emission, half->steps->body);
    if (half->told != TOLD_NOTHING) add_end(emission, half);
}

/** Names a range in the function that halves it, and the beginning of the range. */
static void name_half(struct emission *emission, int range) {
    char wanted[EMISSION_NAME];
    if (!*emission->length[range]) name_length(emission, range, false);
    if (*emission->begin[range])
        return; /* an enclosing recursion halves the same range, so it has names already */
    snprintf(wanted, sizeof wanted, "%.30s_at", emission->length[range]);
    emission_take(emission, emission->begin[range], wanted);
}

/** State of the function being written, restored afterwards. */
struct function {
    struct strbuf text, *out;
    struct emission_pointer pointer[EMISSION_POINTERS];
    char taken[EMISSION_NAMES][EMISSION_NAME];
    int pointer_count, taken_count, level;
    bool has_memory;
    const struct emission_half *half;
};

static void begin_function(struct emission *emission, struct function *out,
                           const struct emission_half *half) {
    *out = (struct function){.out = emission->out,
                             .pointer_count = emission->pointer_count,
                             .taken_count = emission->taken_count,
                             .level = emission->level,
                             .has_memory = emission->has_memory,
                             .half = emission->half};
    memcpy(out->pointer, emission->pointer, sizeof out->pointer);
    memcpy(out->taken, emission->taken, sizeof out->taken);
    for (int p = 0; p < emission->pointer_count; p++) {
        for (int t = 0; t < emission->taken_count; t++) {
            const bool is_matrix =
                t < out->taken_count && strcmp(emission->pointer[p].name,
                                               emission->matrix[emission->pointer[p].matrix]) == 0;
            if (!is_matrix && strcmp(emission->taken[t], emission->pointer[p].name) == 0)
                *emission->taken[t] = '\0';
        }
    }
    emission->out = &out->text;
    emission->half = half;
    emission->has_memory = false;
    emission->pointer_count = 0;
    emission->level = 0;
}

static void end_function(struct emission *emission, struct function *function) {
    strbuf_add(&emission->half_functions, "%s", function->text.text ? function->text.text : "");
    if (function->text.failed) emission->half_functions.failed = true;
    strbuf_free(&function->text);
    memcpy(emission->pointer, function->pointer, sizeof emission->pointer);
    memcpy(emission->taken, function->taken, sizeof emission->taken);
    emission->pointer_count = function->pointer_count;
    emission->taken_count = function->taken_count;
    emission->level = function->level;
    emission->has_memory = function->has_memory;
    emission->half = function->half;
    emission->out = function->out;
}

/** Writes the function of a recursion, before the functions that call it, and a call. */
static void add_half(struct emission *emission, const struct tcplan_node *node) {
    const struct tcplan_steps *steps = &node->steps;
    const int names = emission->taken_count;
    struct emission_half half;
    struct function function;
    char length[TCPLAN_MAX_CUTS][EMISSION_NAME], begin[TCPLAN_MAX_CUTS][EMISSION_NAME];
    int whole[TCPLAN_MAX_CUTS];
    for (int c = 0; c < steps->cut_count; c++) {
        whole[c] = steps->cut[c].range;
        memcpy(length[c], emission->length[whole[c]], sizeof length[c]);
        memcpy(begin[c], emission->begin[whole[c]], sizeof begin[c]);
        name_half(emission, whole[c]);
    }
    inspect_half(emission, &half, node);
    begin_function(emission, &function, &half);
    add_half_parameters(emission, &half);
    emission->level = 1;
    add_half_variables(emission, &half);
    add_half_body(emission, &half);
    strbuf_add(emission->out, "}\n");
    end_function(emission, &function);
    for (int c = 0; c < steps->cut_count; c++) {
        close_cut(emission, &steps->cut[c]);
        memcpy(emission->begin[whole[c]], begin[c], sizeof begin[c]);
        memcpy(emission->length[whole[c]], length[c], sizeof length[c]);
    }
    emission_leave(emission, names);
    call_half(emission, &half, whole);
}

bool emission_has_halves(const struct emission *emission) {
    const struct tcplan_node *body = emission->blocked->body;
    int halvings = 0; /* ranges that recursions halve, or that a loop takes in a single step */
    if (!emission->blocked->is_recursive) return false;
    for (int r = 0; r < emission->blocks->range_count; r++) {
        halvings += emission->blocked->step[r] == INT32_MAX;
    }
    const bool is_all =
        body->kind == TCPLAN_NODE_STEPS && body->steps.base && !body->next && halvings == 1;
    return !is_all || emission->has_memory || emission->has_result ||
           emission->options->choice_count > 0;
}

void emission_body(struct emission *emission, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        switch (body->kind) {
        case TCPLAN_NODE_STEPS:
            if (body->steps.base && emission->has_halves) {
                add_half(emission, body);
            } else if (body->steps.base) {
                add_halving(emission, &body->steps);
            } else if (body->steps.step == INT32_MAX) {
                add_square(emission, &body->steps);
            } else {
                add_steps(emission, &body->steps);
            }
            break;
        case TCPLAN_NODE_CALL: emission_call(emission, &body->call); break;
        case TCPLAN_NODE_AGAIN:
            if (emission->half) {
                add_comment(emission, &body->again);
                call_again(emission, &body->again);
            } else {
                add_again(emission, &body->again);
            }
            break;
        case TCPLAN_NODE_LOOP:
        case TCPLAN_NODE_COPY:
        case TCPLAN_NODE_SCALE:
        case TCPLAN_NODE_KERNEL:
            emission_refuse(emission, "it is a contraction; emit it with 'tcplan emit'");
            break;
        }
    }
}
