/*
 * Loops in steps: one cut counts the rows in front of the block (downward) or behind it (upward), by the block's size.
 *
 *   for (int n0 = 0, n1; n0 < n; n0 += n1) {
 *       n1 = n - n0 < b ? n - n0 : b;
 *       const int n2 = n - n0 - n1;
 *
 * A recursion is the function itself: the base where there is no more than a block, and calls of the function for the halves.
 */
#include <stdio.h>
#include <string.h>

#include "ast/nest.h"
#include "blocked/emit/emission.h"
#include "blocked/run/ending.h"

/** The names of one cut while it is written. */
struct cut {
    const struct tcplan_cut *cut;
    const char *counter, *current, *rest; /* variables; current may be 1 */
    int rest_range;
    char whole[2 * EMISSION_NAME]; /* the length that is cut */
};

/** The variable, or number, that is the length of a range from now on. */
static const char *name_length(struct emission *emission, int range, bool is_one) {
    int size = range;
    struct strbuf wanted = {0};
    while (emission->blocks->range[size].part != TCPLAN_RANGE_WHOLE) size = emission->blocks->range[size].of;
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

static void open_cut(struct emission *emission, struct cut *out, const struct tcplan_cut *cut, bool is_one) {
    struct strbuf whole = {0};
    emission_length(emission, &whole, cut->range);
    snprintf(out->whole, sizeof out->whole, "%s", whole.text ? whole.text : "");
    if (whole.failed) emission->out->failed = true;
    strbuf_free(&whole);
    const int counted = cut->upward ? TCPLAN_RANGE_LAST : TCPLAN_RANGE_FIRST, rest = cut->upward ? TCPLAN_RANGE_FIRST : TCPLAN_RANGE_LAST;
    out->cut = cut;
    out->rest_range = cut->first + rest;
    out->counter = name_length(emission, cut->first + counted, false);
    out->current = name_length(emission, cut->first + TCPLAN_RANGE_CURRENT, is_one);
    out->rest = name_length(emission, out->rest_range, false);
}

/** `for (int n0 = 0, n1; n0 < n; n0 += n1) {` */
static void add_for(const struct emission *emission, const struct tcplan_steps *steps, const struct cut cut[], bool is_one) {
    struct strbuf *out = emission->out;
    emission_indent(emission);
    strbuf_add(out, "for (int ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(out, "%s%s = 0", c > 0 ? ", " : "", cut[c].counter);
        if (!is_one) strbuf_add(out, ", %s", cut[c].current);
    }
    strbuf_add(out, "; ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(out, "%s%s < %s", c == 0 ? "" : steps->coupled ? " && " : " || ", cut[c].counter, cut[c].whole);
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

/** `n1 = n - n0 < b ? n - n0 : b;`, upward `n1 = (n - n2 - 1) % b + 1;`: blocks are aligned at the beginning. */
static void add_size(const struct emission *emission, const struct tcplan_steps *steps, const struct cut *cut, const char *block) {
    struct strbuf *out = emission->out;
    const bool may_have_ended = steps->cut_count > 1 && !steps->coupled;
    emission_indent(emission);
    strbuf_add(out, "%s = ", cut->current);
    if (cut->cut->upward) {
        if (may_have_ended) strbuf_add(out, "%s < %s ? ", cut->counter, cut->whole);
        strbuf_add(out, "(%s - %s - 1) %% %s + 1", cut->whole, cut->counter, block);
        if (may_have_ended) strbuf_add(out, " : 0");
    } else {
        strbuf_add(out, "%s - %s < %s ? %s - %s : %s", cut->whole, cut->counter, block, cut->whole, cut->counter, block);
    }
    strbuf_add(out, ";\n");
}

/** Blocks of all cuts are as large as the smallest: the first one's size is that of what is left of the shortest, if that is less than a block. */
static void add_common_size(const struct emission *emission, const struct tcplan_steps *steps, const struct cut cut[], const char *block) {
    struct strbuf *out = emission->out;
    add_size(emission, steps, &cut[0], block);
    for (int c = 1; c < steps->cut_count; c++) {
        emission_indent(emission);
        strbuf_add(out, "if (%s - %s < %s) %s = %s - %s;\n", cut[c].whole, cut[c].counter, cut[0].current, cut[0].current, cut[c].whole,
                   cut[c].counter);
    }
    for (int c = 1; c < steps->cut_count; c++) {
        emission_indent(emission);
        strbuf_add(out, "%s = %s;\n", cut[c].current, cut[0].current);
    }
}

static void add_rests(const struct emission *emission, const struct tcplan_steps *steps, const struct cut cut[]) {
    for (int c = 0; c < steps->cut_count; c++) {
        if (!emission->is_used[cut[c].rest_range]) continue;
        emission_indent(emission);
        strbuf_add(emission->out, "const int %s = %s - %s - %s;\n", cut[c].rest, cut[c].whole, cut[c].counter, cut[c].current);
    }
}

static void add_sizes(const struct emission *emission, const struct tcplan_steps *steps, const struct cut cut[], bool is_one) {
    char block[EMISSION_NAME];
    snprintf(block, sizeof block, "%s", emission->block);
    if (steps->step > 0) snprintf(block, sizeof block, "%d", (int)steps->step);
    if (is_one) {
        /* the size is 1 */
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

static void add_steps(struct emission *emission, const struct tcplan_steps *steps) {
    struct cut cut[TCPLAN_MAX_CUTS];
    const int names = emission->taken_count, pointers = emission->pointer_count;
    const bool is_one = steps->step == 1 && (steps->cut_count == 1 || steps->coupled);
    bool is_upward = false;
    for (int c = 0; c < steps->cut_count; c++) {
        open_cut(emission, &cut[c], &steps->cut[c], is_one);
        is_upward = is_upward || steps->cut[c].upward;
    }
    if (is_upward && steps->coupled && steps->cut_count > 1) emission_refuse(emission, "cuts that go upward together have no form in C");
    add_for(emission, steps, cut, is_one);
    emission->level++;
    add_sizes(emission, steps, cut, is_one);
    emission_declare_blocks(emission, steps->body);
    emission_body(emission, steps->body);
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
    for (int c = 0; c < steps->cut_count; c++) close_cut(emission, &steps->cut[c]);
    emission->pointer_count = pointers;
    emission_leave(emission, names);
}

/* Recursion. */

/** Whether rows that a routine, or the function for a half, tells count from its block's first one. */
static bool tells_rows(const struct emission *emission) {
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        const struct ending ending = ending_of(signature);
        if (signature_argument(signature, "info") >= 0 && !ending.is_silent && !ending.is_row) return false;
    }
    return true;
}

/** `result = NAME(n1, A, ldA, b);` and what is done with what it tells. */
static void add_again(struct emission *emission, const struct tcplan_again *again) {
    const struct tcplan_blocks *blocks = emission->blocks;
    struct emission_arguments arguments = {.count = 0};
    struct strbuf comment = {0}, row = {0};
    char before[EMISSION_NAME + 4];
    const int halved = blocks->range[again->half].of;
    nest_print_again(&comment, blocks, again);
    emission_indent(emission);
    strbuf_add(emission->out, "/* %s */\n", comment.text ? comment.text : "");
    for (int s = 0; s < blocks->size_count; s++) {
        struct strbuf *size = emission_argument(&arguments);
        emission_length(emission, size, s == halved ? again->half : s);
    }
    for (int b = 0; b < again->block_count; b++) {
        const int matrix = blocks->view[again->block[b].view].matrix;
        strbuf_add(emission_argument(&arguments), "%s", emission_pointer(emission, again->block[b]));
        if (*emission->leading[matrix]) strbuf_add(emission_argument(&arguments), "%s", emission->leading[matrix]);
    }
    strbuf_add(emission_argument(&arguments), "%s", emission->block);
    snprintf(before, sizeof before, "%s = ", emission->result);
    emission_write_call(emission, before, emission->function, &arguments, ";");
    emission_indent(emission);
    if (tells_rows(emission) && emission_begin(emission, &row, again->half, false) > 0) strbuf_add(&row, " + ");
    strbuf_add(emission->out, "if (%s != 0) return %s%s;\n", emission->result, row.text ? row.text : "", emission->result);
    if (comment.failed || row.failed) emission->out->failed = true;
    strbuf_free(&comment);
    strbuf_free(&row);
}

/** What the function cannot be called again for. */
static bool check_recursion(struct emission *emission) {
    if (emission->level > 1) {
        emission_refuse(emission, "a recursion inside of a loop has no form in C");
    } else if (emission->has_memory || emission->has_result) {
        emission_refuse(emission, "a recursion with temporaries, or that goes on where a routine tells of an error, has no form in C");
    } else if (emission->options->choice_count > 0) {
        emission_refuse(emission, "the block size of a recursion is an argument, as it is that of the whole matrix");
    }
    return !emission->failed;
}

static void add_halving(struct emission *emission, const struct tcplan_steps *steps) {
    const struct tcplan_cut *cut = &steps->cut[0];
    struct strbuf *out = emission->out;
    char block[EMISSION_NAME];
    if (!check_recursion(emission)) return;
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
    snprintf(emission->length[cut->first + TCPLAN_RANGE_FIRST], EMISSION_NAME, "0");
    const char *first = name_length(emission, cut->first + TCPLAN_RANGE_CURRENT, false),
               *rest = name_length(emission, cut->first + TCPLAN_RANGE_LAST, false);
    emission_indent(emission);
    strbuf_add(out, "const int %s = %s < 16 ? %s / 2 : (%s + 8) / 16 * 8, %s = %s - %s;\n", first, whole, whole, whole, rest, whole, first);
    emission_indent(emission);
    strbuf_add(out, "int %s;\n", emission->result);
    emission_declare_blocks(emission, steps->body);
    emission_body(emission, steps->body);
}

void emission_body(struct emission *emission, const struct tcplan_node *body) {
    for (; body; body = body->next) {
        switch (body->kind) {
        case TCPLAN_NODE_STEPS:
            if (body->steps.base) {
                add_halving(emission, &body->steps);
            } else {
                add_steps(emission, &body->steps);
            }
            break;
        case TCPLAN_NODE_CALL: emission_call(emission, &body->call); break;
        case TCPLAN_NODE_AGAIN: add_again(emission, &body->again); break;
        case TCPLAN_NODE_LOOP:
        case TCPLAN_NODE_COPY:
        case TCPLAN_NODE_SCALE:
        case TCPLAN_NODE_KERNEL: emission_refuse(emission, "its nest has nodes of contractions"); break;
        }
    }
}
