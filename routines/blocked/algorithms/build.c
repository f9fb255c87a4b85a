#include <stdio.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "ast/nest/nest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "routines/blocked/algorithms/builder.h"
#include "routines/blocked/algorithms/families.h"

/** The text being read: the text of the algorithm itself, or of an algorithm that it calls. */
struct text {
    struct builder *builder;
    struct scan *scan;
    struct scope scope;
    int depth;        /* number of loops around the statement that is being read */
    int halved_count; /* in the body of a recursion: number of halved sizes; elsewhere 0 */
    int halved[TCPLAN_MAX_CUTS]; /* the numbers of these sizes */
    int half[TCPLAN_MAX_CUTS];   /* in a recursive call: the range passed for each halved size; -1:
                                    not   known yet */
    bool is_done[2]; /* for the first and the second half: whether the recursion has called itself
                        for it. A second call would make the number of calls exponential */
};

enum { BODY_STATEMENTS = 64 };

static const struct tcplan_node *fail_memory(struct builder *builder) {
    builder->no_memory = true;
    return NULL;
}

/** Makes room for a statement. Returns NULL if memory runs out or there are too many statements. */
static struct blocked_statement *next_statement(struct text *text) {
    struct builder *builder = text->builder;
    struct tcplan_blocked *out = builder->out;
    if (out->statement_count == BUILDER_STATEMENTS) {
        scan_refuse(text->scan, (struct word){text->scan->at, 0},
                    "the algorithm has more than %d calls", BUILDER_STATEMENTS);
        return NULL;
    }
    if (out->statement_count == builder->capacity) {
        const int capacity = builder->capacity ? 2 * builder->capacity : 16;
        struct blocked_statement *larger =
            base_realloc(out->statement, (size_t)capacity * sizeof *larger);
        if (!larger) builder->no_memory = true;
        if (!larger) return NULL;
        out->statement = larger;
        builder->capacity = capacity;
    }
    return &out->statement[out->statement_count];
}

/** Counts a derived statement, and gives the statement's number to its call. */
static void add_statement(struct text *text, struct tcplan_call *call) {
    call->number = text->builder->out->statement_count++;
}

/** Begins a loop over blocks; returns its number, or -1 if there are too many loops. */
static int begin_loop(struct text *text, bool coupled, bool single) {
    struct builder *builder = text->builder;
    if (builder->loop_count == BUILDER_LOOPS) {
        scan_refuse(text->scan, (struct word){text->scan->at, 0},
                    "the algorithm has more than %d loops", BUILDER_LOOPS);
        return -1;
    }
    builder->is_coupled[builder->loop_count] = coupled;
    builder->is_single[builder->loop_count] = single;
    return builder->loop_count++;
}

/** Divides a range by a loop; returns the number of the first new range, or -1 if there are too
 * many. */
static int cut(struct text *text, int range, int loop, int depth) {
    const int first = blocks_cut(&text->builder->out->blocks, range, loop, depth);
    if (first < 0)
        scan_refuse(text->scan, (struct word){text->scan->at, 0},
                    "the loops divide too many ranges: at most %d", TCPLAN_MAX_RANGES);
    return first;
}

/* cut = size { size } ( "up" | "down" ) */
static bool read_cut(struct text *text, struct tcplan_steps *steps, int size[TCPLAN_MAX_CUTS]) {
    const int begin = steps->cut_count;
    for (;;) {
        const bool up = scan_accept(text->scan, "up"),
                   down = !up && scan_accept(text->scan, "down");
        if (up || down) {
            for (int c = begin; c < steps->cut_count; c++) steps->cut[c].upward = up;
            return steps->cut_count > begin || scan_expected(text->scan, "a size");
        }
        if (steps->cut_count == TCPLAN_MAX_CUTS) return scan_expected(text->scan, "'up' or 'down'");
        const int at = scope_read_size(&text->scope, text->scan);
        if (at < 0) return false;
        for (int c = 0; c < steps->cut_count; c++) {
            if (size[c] == at)
                return scan_refuse(text->scan, (struct word){text->scan->at, 0},
                                   "the size is divided by another loop already");
        }
        size[steps->cut_count++] = at;
    }
}

/* step = [ "by" ( number | "all" ) ] ":" */
static bool read_step(struct text *text, struct tcplan_steps *steps) {
    if (scan_accept(text->scan, "by all")) {
        if (!steps->coupled || steps->cut[0].upward)
            return scan_refuse(text->scan, (struct word){text->scan->at - 3, 3},
                               "'by all' divides two sizes, as in 'for m n down together by all'");
        steps->step = INT32_MAX;
    } else if (scan_accept(text->scan, "by")) {
        const struct word number = scan_run(text->scan, scan_is_digit);
        if (number.length == 0 || number.length > 6)
            return scan_expected(text->scan, "a number of up to six digits");
        for (size_t i = 0; i < number.length; i++)
            steps->step = 10 * steps->step + (number.text[i] - '0');
        if (steps->step == 0)
            return scan_refuse(text->scan, number, "expected a step of at least 1");
    }
    return scan_accept(text->scan, ":") || scan_expected(text->scan, "':'");
}

/* loop = "for" cut { "," cut } [ "together" ] step */
static bool read_loop(struct text *text, struct tcplan_steps *steps) {
    int size[TCPLAN_MAX_CUTS] = {0};
    if (!scan_accept(text->scan, "for ")) return scan_expected(text->scan, "'for' or 'halve'");
    do {
        if (!read_cut(text, steps, size)) return false;
    } while (scan_accept(text->scan, ","));
    const char *begin = (scan_peek(text->scan), text->scan->at);
    steps->coupled = scan_accept(text->scan, "together");
    for (int c = 0; c < steps->cut_count && steps->coupled; c++) {
        if (steps->cut[c].upward != steps->cut[0].upward)
            return scan_refuse(text->scan, (struct word){begin, 8},
                               "blocks of equal size go all upward or all downward");
    }
    if (!read_step(text, steps)) return false;
    const int loop = begin_loop(text, steps->coupled, steps->step == 1);
    if (loop < 0) return false;
    for (int c = 0; c < steps->cut_count; c++) {
        struct scope_size *of = &text->scope.size[size[c]];
        of->first = cut(text, of->range, loop, text->depth);
        if (of->first < 0) return false;
        steps->cut[c].range = (int8_t)of->range;
        steps->cut[c].first = (int8_t)of->first;
    }
    return true;
}

/** Reads the sizes that a recursion halves, and the smallest value that is halved. */
static bool read_halving(struct text *text, struct tcplan_steps *steps) {
    int count = 0;
    do {
        if (count == TCPLAN_MAX_CUTS) return scan_expected(text->scan, "'together'");
        text->halved[count] = scope_read_size(&text->scope, text->scan);
        if (text->halved[count] < 0) return false;
        if (count > 0 && text->halved[count] == text->halved[0])
            return scan_refuse(text->scan, (struct word){text->scan->at, 0},
                               "the size is halved already");
        count++;
        steps->coupled = scan_accept(text->scan, "together");
    } while (!steps->coupled && scan_is_letter(scan_peek(text->scan)) &&
             strncmp(text->scan->at, "by ", 3) != 0);
    if (steps->coupled != (count > 1))
        return scan_expected(text->scan, count > 1 ? "'together'" : "a second size to halve");
    if (!read_step(text, steps)) return false;
    if (steps->step == INT32_MAX)
        return scan_refuse(text->scan, (struct word){text->scan->at, 0},
                           "a recursion halves ranges and cannot be 'by all'");
    const int loop = begin_loop(text, steps->coupled, false);
    if (loop < 0) return false;
    for (int c = 0; c < count; c++) {
        struct scope_size *of = &text->scope.size[text->halved[c]];
        of->first = cut(text, of->range, loop, text->depth);
        if (of->first < 0) return false;
        steps->cut[c] = (struct tcplan_cut){.range = (int8_t)of->range, .first = (int8_t)of->first};
    }
    steps->cut_count = text->halved_count = count;
    text->builder->out->is_recursive = true;
    return true;
}

/** Returns whether a statement has the form B := F^T or B := F^H, which is computed by copying
 * rows. */
static bool is_transposed_copy(const struct text *text, const struct statement *statement) {
    const struct product *product = &statement->product[0];
    return statement->product_count == 1 && product->count == 1 && product->coefficient == 1 &&
           product->factor[0].transposed && !product->factor[0].inverted &&
           !block_equal(product->factor[0].block, statement->result) &&
           !block_is_diagonal(text->builder, statement->result);
}

/** Makes a call of a routine on vectors. */
static bool vector_call(struct tcplan_call *call, struct text *text, const char *routine,
                        const struct tcplan_block block[], int count) {
    struct blocked_statement *out = next_statement(text);
    if (!out || !derive_routine(call, out, text->builder, routine, block, count, text->scan))
        return false;
    add_statement(text, call);
    return true;
}

/** Makes the calls that copy one row: a copy and, for F^H, a conjugation. Returns NULL if the
 * routine is refused or memory runs out. */
static const struct tcplan_node *copy_of_row(struct text *text, const struct tcplan_factor *factor,
                                             struct tcplan_block row, struct tcplan_block column) {
    const bool conjugates =
        factor->conjugated && tcplan_dtype_is_complex(text->builder->out->dtype);
    struct arena *arena = &text->builder->out->arena;
    const struct tcplan_node *rest = NULL;
    struct tcplan_call copy, conjugation;
    if (!vector_call(&copy, text, "copy", (const struct tcplan_block[]){row, column}, 2))
        return NULL;
    copy.factor_count = 1;
    copy.factor[0] = (struct tcplan_factor){.block = row, .transposed = true};
    copy.block_count = 0;
    if (conjugates) {
        if (!vector_call(&conjugation, text, "lacgv", &column, 1)) return NULL;
        rest = node_call(arena, conjugation, NULL);
        if (!rest) return fail_memory(text->builder);
    }
    const struct tcplan_node *node = node_call(arena, copy, rest);
    return node ? node : fail_memory(text->builder);
}

/** Makes a loop that copies rows of the source to columns of the result. */
static bool copy_rows(struct tcplan_steps *out, struct text *text,
                      const struct statement *statement) {
    const struct tcplan_factor *factor = &statement->product[0].factor[0];
    struct tcplan_block row = factor->block, column = statement->result;
    const int range[TCPLAN_MAX_CUTS] = {column.columns, row.rows};
    if (!ranges_agree(text->builder, row.rows, column.columns) ||
        !ranges_agree(text->builder, row.columns, column.rows))
        return scan_refuse(
            text->scan, statement->text,
            "sizes of blocks do not match: the rows of one are not the columns of the other");
    const int cuts = range[0] == range[1] ? 1 : TCPLAN_MAX_CUTS;
    *out = (struct tcplan_steps){.step = 1, .coupled = true, .cut_count = cuts};
    const int loop = begin_loop(text, true, true);
    if (loop < 0) return false;
    for (int c = 0; c < cuts; c++) {
        const int first = cut(text, range[c], loop, text->depth + 1);
        if (first < 0) return false;
        out->cut[c] = (struct tcplan_cut){.range = (int8_t)range[c], .first = (int8_t)first};
    }
    column.columns = (int8_t)(out->cut[0].first + TCPLAN_RANGE_CURRENT);
    row.rows = (int8_t)(out->cut[cuts - 1].first + TCPLAN_RANGE_CURRENT);
    out->body = copy_of_row(text, factor, row, column);
    return out->body != NULL;
}

/** An algorithm, as text, that statements may call. */
struct known {
    const char *matrices;
    char steps[FAMILY_STEPS];
    const char *long_steps; /* the steps of a user's algorithm, a panel solver or a part; NULL: the
                               steps are in `steps` */
    bool transposed;
};

static bool find_own(struct known *out, struct word name) {
    const char *panel = sylvester_panel(name.text, name.length);
    if (panel) {
        *out = (struct known){.matrices = sylvester_matrices, .long_steps = panel};
        return true;
    }
    for (int p = 0; p < blocked_part_count; p++) {
        const struct blocked_part *part = &blocked_parts[p];
        if (!word_equal(word_of(part->name), name)) continue;
        *out = (struct known){.matrices = part->matrices, .long_steps = part->steps};
        return true;
    }
    for (int f = 0; f < blocked_family_count; f++) {
        const struct blocked_family *family = &blocked_families[f];
        for (int a = 0; a < family->count; a++) {
            char full[TCPLAN_BLOCKED_NAME];
            blocked_family_name(full, family, a);
            if (!word_equal(word_of(full), name)) continue;
            *out = (struct known){.matrices = family->matrices, .transposed = family->transposed};
            blocked_family_steps(out->steps, family, a);
            return true;
        }
    }
    return false;
}

static bool find_known(struct known *out, const struct builder *builder, struct word name) {
    for (int k = 0; k < builder->source->known_count; k++) {
        const struct blocked_source *source = &builder->source->known[k];
        if (!word_equal(word_of(source->name), name)) continue;
        *out = (struct known){.matrices = source->matrices,
                              .long_steps = source->steps,
                              .transposed = source->transposed};
        return true;
    }
    return find_own(out, name);
}

static bool read_steps(struct tcplan_steps *out, struct text *text);

/** Replaces a call of a named algorithm by that algorithm's loop. */
static bool read_inner(struct tcplan_steps *out, struct text *text,
                       const struct statement *statement) {
    struct known known;
    struct tcplan_error error = {.message = ""};
    struct tcplan_block block[STATEMENT_ARGUMENTS];
    struct scan matrices, steps;
    struct text inner = {.builder = text->builder, .scan = &steps, .depth = text->depth + 1};
    int count = 0;
    if (!find_known(&known, text->builder, statement->function))
        return scan_refuse(text->scan, statement->function, "unknown routine or algorithm %s",
                           scan_excerpt(statement->function).text);
    if (inner.depth > BUILDER_DEPTH)
        return scan_refuse(text->scan, statement->function, "algorithms are nested too deeply");
    for (int a = 0; a < statement->argument_count; a++) {
        if (statement->argument[a].name.length > 0)
            return scan_refuse(text->scan, statement->argument[a].name,
                               "the arguments of an algorithm must be blocks");
        block[count++] = statement->argument[a].block;
    }
    inner.scope.transposed = known.transposed;
    if (scan_init(&matrices, known.matrices, &error) &&
        scan_init(&steps, known.long_steps ? known.long_steps : known.steps, &error) &&
        scope_declare(text->builder, &inner.scope, &matrices, block, count, text->scan) &&
        read_steps(out, &inner))
        return true;
    if (text->scan->status != TCPLAN_OK || text->builder->no_memory) return false;
    return scan_refuse(text->scan, statement->text, "in %s: %.200s",
                       scan_excerpt(statement->function).text, error.message);
}

/** Returns whether a range may be passed to the recursive call: a whole size or, for a halved
 * size, one of its halves; if two sizes are halved, also both halves. All arguments must use the
 * same part, which the first argument decides. */
static bool is_half(struct text *text, int place, int range) {
    if (place < 0) return range == text->scope.single;
    const struct scope_size *size = &text->scope.size[place];
    int c = 0;
    while (c < text->halved_count && text->halved[c] != place) c++;
    if (c == text->halved_count) return range == (size->first < 0 ? size->range : -1);
    const bool is_part = range == size->first + TCPLAN_RANGE_CURRENT ||
                         range == size->first + TCPLAN_RANGE_LAST ||
                         (text->halved_count > 1 && range == size->first + TCPLAN_RANGE_NOT_FIRST);
    if (is_part && text->half[c] < 0) text->half[c] = range;
    return is_part && range == text->half[c];
}

/** Marks the half that a recursive call takes as done. The calls end only if the shorter range
 * becomes shorter, so a call takes the first half of a range, or the second part of each. */
static bool take_half(struct text *text, const struct statement *statement) {
    bool is_first = false, is_second = true;
    for (int c = 0; c < text->halved_count; c++) {
        if (text->half[c] < 0)
            return scan_refuse(text->scan, statement->text,
                               "no matrix has the size that is halved");
        const enum tcplan_range_part part = text->builder->out->blocks.range[text->half[c]].part;
        is_first = is_first || part == TCPLAN_RANGE_CURRENT;
        is_second = is_second && part == TCPLAN_RANGE_LAST;
    }
    if (!is_first && !is_second)
        return scan_refuse(text->scan, statement->text,
                           "'again' takes the first half of a size, or the second part of both");
    if (text->is_done[is_second])
        return scan_refuse(text->scan, statement->text, "'again' was already applied to that half");
    text->is_done[is_second] = true;
    return true;
}

/** Returns whether `block` is the part of `matrix` that a recursive call takes: half of the halved
 * size, and the full length of any other size. */
static bool is_half_of(struct text *text, const struct scope_view *matrix,
                       struct tcplan_block block) {
    const struct tcplan_view *view = text->builder->out->blocks.view;
    const bool swaps = text->scope.transposed && matrix->columns >= 0;
    return view[block.view].matrix == view[matrix->view].matrix &&
           is_half(text, swaps ? matrix->columns : matrix->rows, block.rows) &&
           is_half(text, swaps ? matrix->rows : matrix->columns, block.columns);
}

/** Reads a recursive call such as `A11 := again(A11)`. */
static bool read_again(struct tcplan_again *out, struct text *text,
                       const struct statement *statement) {
    bool writes = false;
    *out = (struct tcplan_again){.result = statement->result};
    for (int c = 0; c < TCPLAN_MAX_CUTS; c++) text->half[c] = -1;
    if (text->halved_count == 0)
        return scan_refuse(text->scan, statement->function,
                           "'again' calls the enclosing recursion, but there is none");
    for (int v = 0; v < text->scope.view_count; v++) {
        const struct scope_view *view = &text->scope.view[v];
        if (!view->is_matrix) continue;
        const struct argument *given = &statement->argument[out->block_count];
        if (out->block_count == statement->argument_count ||
            out->block_count == TCPLAN_MAX_CALL_BLOCKS || given->name.length > 0 ||
            !is_half_of(text, view, given->block))
            return scan_refuse(
                text->scan, statement->text,
                "'again' takes all matrices in their order, each with the same half of the halved "
                "size; %s is not such a half",
                view->name);
        writes = writes || (given->block.rows == statement->result.rows &&
                            given->block.columns == statement->result.columns);
        out->block[out->block_count++] = given->block;
    }
    if (out->block_count < statement->argument_count)
        return scan_refuse(text->scan, statement->text, "'again' takes %d blocks here, found %d",
                           out->block_count, statement->argument_count);
    if (!take_half(text, statement)) return false;
    out->half = (int8_t)text->half[0];
    return writes || scan_refuse(text->scan, statement->text,
                                 "'again' does not write the block on the left of :=");
}

/** Reads a statement: a call, a loop, or a recursive call. */
static bool read_node(struct tcplan_node *out, struct text *text) {
    struct statement statement = {.needs = -1};
    *out = (struct tcplan_node){.kind = TCPLAN_NODE_STEPS};
    if (!statement_read(&statement, &text->scope, text->scan)) return false;
    if (statement.function.length == 0 && is_transposed_copy(text, &statement))
        return copy_rows(&out->steps, text, &statement);
    if (word_equal(statement.function, word_of("again"))) {
        out->kind = TCPLAN_NODE_AGAIN;
        return read_again(&out->again, text, &statement);
    }
    if (statement.function.length > 0 && !find_routine(text->builder, statement.function))
        return read_inner(&out->steps, text, &statement);
    struct blocked_statement *known = next_statement(text);
    out->kind = TCPLAN_NODE_CALL;
    if (!known || !derive_call(&out->call, known, text->builder, &statement, text->scan))
        return false;
    known->needs = statement.needs;
    add_statement(text, &out->call);
    return true;
}

/** Links the nodes of an array to a list. */
static const struct tcplan_node *link_nodes(struct builder *builder,
                                            const struct tcplan_node node[], int count) {
    struct arena *arena = &builder->out->arena;
    const struct tcplan_node *rest = NULL;
    for (int n = count - 1; n >= 0; n--) {
        rest = node[n].kind == TCPLAN_NODE_CALL    ? node_call(arena, node[n].call, rest)
               : node[n].kind == TCPLAN_NODE_AGAIN ? node_again(arena, node[n].again, rest)
                                                   : node_steps(arena, node[n].steps, rest);
        if (!rest) return fail_memory(builder);
    }
    return rest;
}

/* Reads { statement ";" } [ "else:" ]; in the body of a recursion it stops after "else:". Returns
 * NULL if the text is refused or memory runs out. */
static const struct tcplan_node *read_body(struct text *text, bool until_else) {
    struct tcplan_node *node = base_alloc(BODY_STATEMENTS * sizeof *node);
    const struct tcplan_node *body = NULL;
    int count = 0;
    bool is_read = node != NULL, ended = false;
    if (!node) text->builder->no_memory = true;
    while (is_read && !ended && scan_peek(text->scan)) {
        if (scan_accept(text->scan, ";")) continue;
        if (until_else && scan_accept(text->scan, "else:")) {
            ended = true;
            continue;
        }
        if (count == BODY_STATEMENTS) {
            is_read = scan_refuse(text->scan, (struct word){text->scan->at, 0},
                                  "a loop has more than %d statements", BODY_STATEMENTS);
        } else {
            is_read = read_node(&node[count], text);
        }
        count += is_read;
        if (is_read && scan_peek(text->scan) != ';' && scan_peek(text->scan))
            is_read = scan_expected(text->scan, "';'");
    }
    if (is_read && count == 0) is_read = scan_expected(text->scan, "a statement");
    if (is_read && until_else && !ended)
        is_read = scan_expected(text->scan, "'else:' and a statement");
    if (is_read) body = link_nodes(text->builder, node, count);
    base_free(node);
    return body;
}

/* steps = loop { statement ";" } | "halve" size step { statement ";" } "else:" { statement ";" } */
static bool read_steps(struct tcplan_steps *out, struct text *text) {
    *out = (struct tcplan_steps){.cut_count = 0};
    const bool halves = scan_accept(text->scan, "halve ");
    if (!(halves ? read_halving(text, out) : read_loop(text, out))) return false;
    out->body = read_body(text, halves);
    if (!halves || !out->body) return out->body != NULL;
    for (int c = 0; c < text->halved_count; c++) text->scope.size[text->halved[c]].first = -1;
    text->halved_count = 0;
    out->base = read_body(text, false);
    return out->base != NULL;
}

/** Sets the pointers from statements to nodes and from blocks to steps, after all of these have
 * been made. */
static void join_nodes(struct tcplan_blocked *blocked, const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_CALL) blocked->statement[node->call.number].node = node;
        for (int c = 0; node->kind == TCPLAN_NODE_STEPS && c < node->steps.cut_count; c++) {
            blocked->step[node->steps.cut[c].first + TCPLAN_RANGE_CURRENT] =
                node->steps.base ? INT32_MAX : node->steps.step;
        }
        if (node->kind != TCPLAN_NODE_STEPS) continue;
        join_nodes(blocked, node->steps.body);
        join_nodes(blocked, node->steps.base);
    }
}

/** Returns the letter for a flag: `letter`, but C instead of T if the routine, of a complex type,
 * does not accept T. */
static int letter_of(const struct signature_argument *flag, char letter) {
    bool has_letter = letter != 'T';
    for (int v = 0; v < flag->values; v++) has_letter = has_letter || flag->value[v] == letter;
    return has_letter ? letter : 'C';
}

/** Reads a flag such as `uplo=L`, or a size that is the block size, such as `kd=b`. */
static bool read_whole_flag(struct tcplan_blocked *out, bool is_set[], struct scan *scan) {
    const struct word name = scan_run(scan, scan_is_name);
    char text[SIGNATURE_NAME] = "";
    if (name.length > 0 && name.length < sizeof text) memcpy(text, name.text, name.length);
    const int argument = signature_argument(out->whole, text);
    if (argument >= 0 && out->whole->argument[argument].class == SIGNATURE_DIM) {
        out->whole_size[argument] = WHOLE_BLOCK;
        return scan_accept(scan, "=b") || scan_expected(scan, "=b, the block size");
    }
    if (argument < 0 || out->whole->argument[argument].class != SIGNATURE_FLAG)
        return scan_refuse(scan, name, "%s has no flag %s", out->whole->name,
                           scan_excerpt(name).text);
    if (!scan_accept(scan, "=")) return scan_expected(scan, "'='");
    const struct word value = scan_run(scan, scan_is_name);
    if (value.length != 1)
        return scan_refuse(scan, value, "expected a letter or digit, found %s",
                           scan_excerpt(value).text);
    out->whole_value[argument] = scan_is_digit(*value.text)
                                     ? *value.text - '0'
                                     : letter_of(&out->whole->argument[argument], *value.text);
    is_set[argument] = true;
    return true;
}

/** Matches the arguments of the routine for the whole operation: its sizes with the sizes of the
 * problem that have the same names, and its data, in order, with the matrices that are neither
 * views nor temporaries. A band is no matrix of the algorithm. */
static bool join_whole(struct tcplan_blocked *out, struct scan *scan) {
    int matrix = 0;
    for (int a = 0; a < out->whole->count; a++) {
        const struct signature_argument *argument = &out->whole->argument[a];
        out->whole_matrix[a] = -1;
        for (int s = 0; s < out->blocks.size_count && argument->class == SIGNATURE_DIM; s++) {
            if (strcmp(argument->name, out->blocks.size_name[s]) == 0)
                out->whole_size[a] = (int8_t)s;
        }
        if (argument->class == SIGNATURE_DIM && out->whole_size[a] < 0)
            return scan_refuse(scan, word_of(scan->text), "%s has a size %s, which no matrix has",
                               out->whole->name, argument->name);
        if (argument->class != SIGNATURE_DATA || argument->storage == SIGNATURE_BAND) continue;
        while (matrix < out->blocks.matrix_count &&
               out->blocks.matrix[matrix].role == TCPLAN_MATRIX_TEMPORARY)
            matrix++;
        if (matrix < out->blocks.matrix_count) out->whole_matrix[a] = (int8_t)matrix++;
    }
    return true;
}

/* routine = name { flag "=" value } */
static bool read_whole(struct builder *builder, struct scan *scan) {
    struct tcplan_blocked *out = builder->out;
    bool is_set[SIGNATURE_MAX_ARGUMENTS] = {false};
    const struct word name = scan_run(scan, scan_is_name);
    out->whole = find_routine(builder, name);
    if (!out->whole)
        return scan_refuse(scan, name, "this type has no routine %s", scan_excerpt(name).text);
    memset(out->whole_size, -1, sizeof out->whole_size);
    while (scan_peek(scan)) {
        if (!read_whole_flag(out, is_set, scan)) return false;
    }
    for (int a = 0; a < out->whole->count; a++) {
        if (out->whole->argument[a].class == SIGNATURE_FLAG && !is_set[a])
            out->whole_value[a] = out->whole->argument[a].value[0];
    }
    return join_whole(out, scan);
}

/** Reads a loop, a recursion, or statements alone. Returns NULL if the text is refused or memory
 * runs out. */
static const struct tcplan_node *read_whole_text(struct text *text) {
    struct builder *builder = text->builder;
    struct tcplan_steps steps;
    const char first = scan_peek(text->scan);
    const bool has_statements = first && strncmp(text->scan->at, "for ", 4) != 0 &&
                                strncmp(text->scan->at, "halve ", 6) != 0;
    if (has_statements) return read_body(text, false);
    if (!read_steps(&steps, text)) return NULL;
    const struct tcplan_node *node = node_steps(&builder->out->arena, steps, NULL);
    return node ? node : fail_memory(builder);
}

static bool build(struct builder *builder, struct scan *scan) {
    const struct blocked_source *source = builder->source;
    struct text text = {.builder = builder, .scan = scan, .scope.transposed = source->transposed};
    builder->place = BLOCKED_IN_MATRICES;
    if (!scan_init(scan, source->matrices, builder->error) ||
        !scope_declare(builder, &text.scope, scan, NULL, 0, NULL))
        return false;
    builder->place = BLOCKED_IN_STEPS;
    builder->out->body =
        scan_init(scan, source->steps, builder->error) ? read_whole_text(&text) : NULL;
    if (!builder->out->body) return false;
    join_nodes(builder->out, builder->out->body);
    builder->place = BLOCKED_IN_ROUTINE;
    return !source->routine ||
           (scan_init(scan, source->routine, builder->error) && read_whole(builder, scan));
}

enum tcplan_status blocked_build(struct tcplan_blocked **out, const struct blocked_source *source,
                                 enum tcplan_dtype dtype, enum blocked_place *place,
                                 struct tcplan_error *error) {
    struct tcplan_error unseen;
    struct scan scan = {.status = TCPLAN_OK};
    struct tcplan_blocked *blocked = base_alloc_zero(1, sizeof *blocked);
    if (!blocked) return error_no_memory(error);
    struct builder builder = {.out = blocked, .source = source, .error = error ? error : &unseen};
    blocked->dtype = dtype;
    blocked->operation = -1;
    snprintf(blocked->name, sizeof blocked->name, "%s", source->name);
    bool is_built = build(&builder, &scan);
    if (is_built && source->note) {
        blocked->note = arena_strndup(&blocked->arena, source->note, strlen(source->note));
        builder.no_memory = !blocked->note;
        is_built = blocked->note != NULL;
    }
    if (place) *place = builder.place;
    if (is_built) {
        *out = blocked;
        return TCPLAN_OK;
    }
    tcplan_blocked_free(blocked);
    return builder.no_memory ? error_no_memory(error) : scan.status;
}
