/*
 * Prints and parses trees: steps as text, and opt_einsum's paths.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/contraction/notation.h"
#include "base/alloc.h"
#include "base/error.h"
#include "network/sharing.h"
#include "network/text.h"
#include "network/tree.h"

/* Steps. */

static void print_tensor(struct strbuf *out, const struct tcplan_tree *tree, int tensor,
                         bool letters, bool shared) {
    char name[32];
    const int operands = tree->network->operand_count;
    const int number =
        shared && tensor >= operands ? sharing_maker(tree, tensor) : tensor - operands;
    const struct tree_tensor all = tree_tensor_of(tree, tensor);
    snprintf(name, sizeof name, "%s%d", tree->prefix, number + 1);
    const struct network_named named = {.name = all.name ? all.name : name,
                                        .conjugated = all.conjugated,
                                        .rank = all.rank,
                                        .dims = all.dims};
    network_print_tensor(out, tree->network, &named, letters);
}

/** Appends a step without the factor of its term. */
static void print_step(struct strbuf *out, const struct tcplan_tree *tree, int s, bool letters) {
    const struct tcplan_tree_step *step = &tree->step[s];
    print_tensor(out, tree, tree->network->operand_count + s, letters, false);
    strbuf_add(out, "%s",
               step->last && !tcplan_network_begins(tree->network, step->term) ? "+=" : "=");
    print_tensor(out, tree, step->left, letters, false);
    if (step->right == TCPLAN_TREE_ONE) return;
    strbuf_add(out, "*");
    print_tensor(out, tree, step->right, letters, false);
}

/** Returns the factor of the term that a step ends; 1 for other steps. */
static struct tcplan_scalar factor_of(const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    return step->last ? tree->network->term[step->term].factor : (struct tcplan_scalar){1, 0};
}

static void print_same(struct strbuf *out, const struct tcplan_tree *tree, int s) {
    if (tree->step[s].same >= 0) strbuf_add(out, "=%s%d", tree->prefix, tree->step[s].same + 1);
}

/**
 * Appends a tensor or product with the factor of its term.
 *
 * @param plus  text before a positive factor
 */
static void print_scaled(struct strbuf *out, const struct tcplan_tree *tree, int s, bool letters,
                         const char *plus) {
    network_print_factor(out, factor_of(tree, s), plus);
    print_tensor(out, tree, tree->step[s].left, letters, true);
    if (tree->step[s].right == TCPLAN_TREE_ONE) return;
    strbuf_add(out, "*");
    print_tensor(out, tree, tree->step[s].right, letters, true);
}

char *tcplan_tree_step_text(const struct tcplan_tree *tree, int step) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *from = &tree->step[step];
    const bool letters = network_fits_letters(network),
               adds = from->last && !tcplan_network_begins(network, from->term);
    struct strbuf out = {0};
    print_tensor(&out, tree, network->operand_count + step, letters, false);
    strbuf_add(&out, "%s", adds ? "+=" : "=");
    print_scaled(&out, tree, step, letters, "");
    for (int s = 0; s < tree->step_count; s++) {
        if (s != step && from->joined == step && tree->step[s].joined == step)
            print_scaled(&out, tree, s, letters, "+");
    }
    return strbuf_finish(&out);
}

char *tcplan_tree_text(const struct tcplan_tree *tree) {
    struct strbuf out = {0};
    const bool letters = network_fits_letters(tree->network);
    for (int i = 0; i < tree->sliced_count; i++) {
        strbuf_add(&out, "%s%s%s", i > 0 ? "," : "for ", tree->network->index[tree->sliced[i]],
                   i + 1 < tree->sliced_count ? "" : ": ");
    }
    for (int s = 0; s < tree->step_count; s++) {
        strbuf_add(&out, "%s", s > 0 ? "; " : "");
        print_step(&out, tree, s, letters);
        print_same(&out, tree, s);
    }
    return strbuf_finish(&out);
}

/** State of reading a tree from text. */
struct reader {
    struct scan scan;
    const struct tcplan_network *network;
    int count; /* number of steps read */
    int most;
    int (*pair)[2];
    struct notation_tensor *made; /* for each step, its result as written */
    bool *used;                   /* for each operand, whether a step reads it */
    struct word *same; /* for each step, the name of the step whose result is used instead; empty:
                          none */
    int sliced_count;
    uint16_t sliced[TCPLAN_TREE_SLICED];
};

static bool has_dims(const struct reader *reader, const struct notation_tensor *tensor, int rank,
                     const uint16_t *dims) {
    bool same = tensor->rank == rank;
    for (int d = 0; same && d < rank; d++)
        same = word_equal(tensor->index[d], word_of(reader->network->index[dims[d]]));
    return same;
}

static bool is_sum(const struct tcplan_network *network, struct word name) {
    for (int s = 0; s < network->sum_count; s++) {
        if (word_equal(name, word_of(network->sum[s].name))) return true;
    }
    return false;
}

/** Finds the number of a tensor that a step reads: the result of an earlier step, or an operand
 * that no step has read yet. A sum that a term reads is an operand. */
static bool find_tensor(struct reader *reader, const struct notation_tensor *tensor, int *number) {
    const struct tcplan_network *network = reader->network;
    for (int s = 0; s < reader->count && !is_sum(network, tensor->name); s++) {
        *number = network->operand_count + s;
        if (word_equal(reader->made[s].name, tensor->name) && !tensor->conjugated) return true;
    }
    for (*number = 0; *number < network->operand_count; (*number)++) {
        const struct tcplan_network_operand *operand = &network->operand[*number];
        if (reader->used[*number] || operand->conjugated != tensor->conjugated ||
            !word_equal(tensor->name, word_of(operand->name)))
            continue;
        if (!has_dims(reader, tensor, operand->rank, operand->dims)) continue;
        reader->used[*number] = true;
        return true;
    }
    return scan_refuse(
        &reader->scan, tensor->whole,
        "expected an unused factor of the expression or the result of an earlier step, found %s",
        scan_excerpt(tensor->whole).text);
}

/* step = tensor ( "=" | "+=" ) tensor [ "*" tensor ] [ "=" name ] */
static bool read_step(struct reader *reader) {
    struct scan *scan = &reader->scan;
    struct notation_tensor factor;
    int pair[2] = {0, TCPLAN_TREE_ONE};
    struct notation_tensor *made = &reader->made[reader->count];
    if (reader->count == reader->most) return scan_expected(scan, "the end: every factor is used");
    if (!notation_read_tensor(made, scan)) return false;
    if (!scan_accept(scan, "+=") && !scan_accept(scan, "="))
        return scan_expected(scan, "'=' or '+='");
    for (int side = 0; side < 2; side++) {
        if (!notation_read_tensor(&factor, scan) || !find_tensor(reader, &factor, &pair[side]))
            return false;
        if (!scan_accept(scan, "*")) break;
        if (side == 1) return scan_expected(scan, "';' or the end after a product of two");
    }
    reader->pair[reader->count][0] = pair[0];
    reader->pair[reader->count][1] = pair[1];
    if (scan_accept(scan, "=")) {
        scan_peek(scan);
        reader->same[reader->count] = scan_run(scan, scan_is_name);
        if (reader->same[reader->count].length == 0)
            return scan_expected(scan, "the name of an equal step");
    }
    reader->count++;
    return true;
}

/* slices = "for" index { "," index } ":" */
static bool read_slices(struct reader *reader) {
    struct scan *scan = &reader->scan;
    if (strncmp(scan->text, "for ", 4) != 0) return true;
    scan->at += 4;
    do {
        scan_peek(scan);
        const struct word name = scan_run(scan, scan_is_name);
        int index = 0;
        while (index < reader->network->index_count &&
               !word_equal(name, word_of(reader->network->index[index])))
            index++;
        if (index == reader->network->index_count) {
            return scan_refuse(scan, name, "expected an index of the expression to slice, found %s",
                               scan_excerpt(name).text);
        }
        if (reader->sliced_count == TCPLAN_TREE_SLICED)
            return scan_expected(scan, "fewer sliced indices");
        reader->sliced[reader->sliced_count++] = (uint16_t)index;
    } while (scan_accept(scan, ","));
    return scan_accept(scan, ":") || scan_expected(scan, "',' or ':'");
}

/* tree = [ slices ] step { ";" step } */
static bool read_tree(struct reader *reader) {
    if (!read_slices(reader)) return false;
    do {
        if (!read_step(reader)) return false;
    } while (scan_accept(&reader->scan, ";"));
    return scan_peek(&reader->scan) == '\0' || scan_expected(&reader->scan, "'*', ';' or the end");
}

/** Sets the layout of a step's result to the written order of indices. */
static bool set_dims(struct reader *reader, struct tcplan_tree *tree, int s) {
    struct tcplan_tree_step *step = &tree->step[s];
    const struct notation_tensor *made = &reader->made[s];
    uint16_t dims[TCPLAN_MAX_RANK];
    const struct tcplan_network_operand *target = tcplan_network_target(tree->network, step->term);
    const bool is_named = word_equal(made->name, word_of(target->name));
    if (is_named == step->last && !made->conjugated &&
        has_dims(reader, made, step->rank, step->dims))
        return true; /* A result may have diagonals and keeps the order in which the expression
                        writes it. */
    if (step->last && !(tree->network->term_count == 1 && is_named)) {
        return scan_refuse(&reader->scan, made->whole,
                           "expected %s'%.40s' of the expression with its indices, found %s",
                           target == &tree->network->result ? "the result " : "", target->name,
                           scan_excerpt(made->whole).text);
    }
    bool fits = made->rank == step->rank && !made->conjugated && is_named == step->last;
    for (int d = 0; fits && d < step->rank; d++) {
        int e = 0;
        while (e < step->rank &&
               !word_equal(made->index[d], word_of(tree->network->index[step->dims[e]])))
            e++;
        fits = e < step->rank;
        for (int b = 0; fits && b < d; b++) fits = dims[b] != step->dims[e];
        if (fits) dims[d] = step->dims[e];
    }
    if (fits) {
        tree->frees_result =
            tree->frees_result ||
            (step->last && memcmp(step->dims, dims, (size_t)step->rank * sizeof *dims) != 0);
        memcpy(step->dims, dims, (size_t)step->rank * sizeof *dims);
        return true;
    }
    struct strbuf expected = {0};
    for (int d = 0; d < step->rank; d++)
        strbuf_add(&expected, "%s%s", d > 0 ? ", " : "", tree->network->index[step->dims[d]]);
    scan_refuse(&reader->scan, made->whole,
                "expected a tensor with the indices %.120s, which later steps need, found %s",
                step->rank > 0 && expected.text ? expected.text : "(none)",
                scan_excerpt(made->whole).text);
    strbuf_free(&expected);
    return false;
}

/** Makes a step read the result of the named step instead of computing its own. */
static bool set_same(struct reader *reader, struct tcplan_tree *tree, int s) {
    int with = 0;
    if (reader->same[s].length == 0) return true;
    while (with < reader->count && !word_equal(reader->made[with].name, reader->same[s])) with++;
    if (with < reader->count && sharing_add(tree, s, with)) return true;
    return scan_refuse(&reader->scan, reader->same[s],
                       "expected an earlier step that computes the same and is executed once, "
                       "found %s",
                       scan_excerpt(reader->same[s]).text);
}

static enum tcplan_status make_read(struct tcplan_tree **out, struct reader *reader,
                                    const int64_t extent[], enum tcplan_dtype dtype,
                                    struct tcplan_error *error) {
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status = tcplan_tree_make(
        &tree, reader->network, extent, dtype, (const int(*)[2])reader->pair, reader->count, error);
    for (int i = 0; i < reader->sliced_count && status == TCPLAN_OK; i++)
        status = tcplan_tree_slice(tree, reader->sliced[i], error);
    for (int s = 0; status == TCPLAN_OK && s < tree->step_count; s++) {
        if (!set_dims(reader, tree, s)) status = reader->scan.status;
    }
    for (int s = 0; status == TCPLAN_OK && s < tree->step_count; s++) {
        if (!set_same(reader, tree, s)) status = reader->scan.status;
    }
    if (status == TCPLAN_OK) {
        *out = tree;
    } else {
        tcplan_tree_free(tree);
    }
    return status;
}

static bool reader_init(struct reader *reader, const struct tcplan_network *network) {
    reader->network = network;
    reader->most = network->operand_count;
    reader->pair = base_alloc((size_t)reader->most * sizeof *reader->pair);
    reader->made = base_alloc((size_t)reader->most * sizeof *reader->made);
    reader->used = base_alloc_zero((size_t)reader->most, sizeof *reader->used);
    reader->same = base_alloc_zero((size_t)reader->most, sizeof *reader->same);
    return reader->pair && reader->made && reader->used && reader->same;
}

static void reader_free(struct reader *reader) {
    base_free(reader->pair);
    base_free(reader->made);
    base_free(reader->used);
    base_free(reader->same);
}

enum tcplan_status tcplan_tree_parse(struct tcplan_tree **out, const struct tcplan_network *network,
                                     const int64_t extent[], enum tcplan_dtype dtype,
                                     const char *text, struct tcplan_error *error) {
    struct reader reader = {.count = 0};
    if (!scan_init(&reader.scan, text, error)) return reader.scan.status;
    enum tcplan_status status = reader_init(&reader, network) ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK)
        status =
            read_tree(&reader) ? make_read(out, &reader, extent, dtype, error) : reader.scan.status;
    reader_free(&reader);
    return status;
}

/* Paths. */

/** The remaining tensors of a term, in the order of opt_einsum's list. */
struct places {
    int count;
    int *tensor;
};

static int places_find(const struct places *places, int tensor) {
    int place = 0;
    while (places->tensor[place] != tensor) place++;
    return place;
}

static int places_take(struct places *places, int place) {
    const int tensor = places->tensor[place];
    places->count--;
    memmove(&places->tensor[place], &places->tensor[place + 1],
            (size_t)(places->count - place) * sizeof *places->tensor);
    return tensor;
}

static struct places places_of(const struct tcplan_network *network, int term) {
    struct places places = {
        .count = network->term[term].count,
        .tensor = base_alloc(((size_t)network->term[term].count + 1) * sizeof *places.tensor)};
    for (int o = 0; places.tensor && o < places.count; o++)
        places.tensor[o] = network->term[term].first + o;
    return places;
}

static bool print_path(struct strbuf *out, const struct tcplan_tree *tree, int term) {
    struct places places = places_of(tree->network, term);
    const char *separator = "";
    if (!places.tensor) return false;
    strbuf_add(out, "%s[", term > 0 ? "; " : "");
    for (int s = 0; s < tree->step_count; s++) {
        const struct tcplan_tree_step *step = &tree->step[s];
        if (step->term != term) continue;
        const int left = places_find(&places, step->left);
        if (step->right == TCPLAN_TREE_ONE) {
            strbuf_add(out, "%s(%d,)", separator, left);
            continue;
        }
        const int right = places_find(&places, step->right);
        strbuf_add(out, "%s(%d, %d)", separator, left < right ? left : right,
                   left < right ? right : left);
        places_take(&places, left > right ? left : right);
        places_take(&places, left > right ? right : left);
        places.tensor[places.count++] = tree->network->operand_count + s;
        separator = ", ";
    }
    strbuf_add(out, "]");
    base_free(places.tensor);
    return true;
}

char *tcplan_tree_path(const struct tcplan_tree *tree) {
    struct strbuf out = {0};
    for (int t = 0; t < tree->network->term_count; t++) {
        if (print_path(&out, tree, t)) continue;
        strbuf_free(&out);
        return NULL;
    }
    return strbuf_finish(&out);
}

/* place = digit { digit } ; a number below `count` */
static bool read_place(int *out, struct scan *scan, int count) {
    if (!scan_is_digit(scan_peek(scan)))
        return scan_expected(scan, "a position in the list of remaining tensors");
    const struct word word = scan_run(scan, scan_is_digit);
    *out = 0;
    for (size_t c = 0; c < word.length && *out < INT_MAX / 10 - 9; c++)
        *out = *out * 10 + (word.text[c] - '0');
    return *out < count || scan_refuse(scan, word, "expected a position from 0 to %d, found %s",
                                       count - 1, scan_excerpt(word).text);
}

/** Adds the steps that multiply the tensors removed from the list, from left to right. In a pair,
 * the older tensor is on the left. A single tensor moves to the end of the list. */
static void add_steps(struct reader *reader, struct places *places, const int *taken, int count) {
    int tensor = taken[0];
    for (int i = 1; i < count; i++) {
        reader->pair[reader->count][0] = count == 2 && taken[1] < taken[0] ? taken[1] : tensor;
        reader->pair[reader->count][1] = count == 2 && taken[1] < taken[0] ? tensor : taken[i];
        tensor = reader->network->operand_count + reader->count++;
    }
    places->tensor[places->count++] = tensor;
}

/* entry = "(" place { "," place } [ "," ] ")" */
static bool read_entry(struct reader *reader, struct places *places, int *taken) {
    struct scan *scan = &reader->scan;
    const int all = places->count;
    int count = 0;
    const bool square = scan_accept(scan, "[");
    if (!square && !scan_accept(scan, "(")) return scan_expected(scan, "'(' and places");
    do {
        scan_peek(scan);
        const struct word start = {scan->at, 0};
        int place = 0;
        if (count > 0 && scan_peek(scan) == ')') break;
        if (!read_place(&place, scan, all)) return false;
        for (int i = 0; i < count; i++) {
            if (taken[i] == places->tensor[place]) {
                return scan_refuse(scan, scan_since(scan, start),
                                   "expected a position that the entry does not name yet, found %s",
                                   scan_excerpt(scan_since(scan, start)).text);
            }
        }
        taken[count++] = places->tensor[place];
    } while (scan_accept(scan, ","));
    if (!scan_accept(scan, square ? "]" : ")"))
        return scan_expected(scan, square ? "',' or ']'" : "',' or ')'");
    for (int i = 0; i < count; i++) places_take(places, places_find(places, taken[i]));
    add_steps(reader, places, taken, count);
    return true;
}

/* path = "[" [ entry { "," entry } [ "," ] ] "]" */
static bool read_path(struct reader *reader, int term) {
    struct scan *scan = &reader->scan;
    const struct tcplan_network *network = reader->network;
    struct places places = places_of(network, term);
    int *taken = base_alloc(((size_t)network->term[term].count + 1) * sizeof *taken);
    bool read = places.tensor && taken;
    scan_peek(scan);
    const struct word start = {scan->at, 0};
    if (!read) scan->status = error_no_memory(scan->error);
    read = read && (scan_accept(scan, "[") || scan_expected(scan, "'[' and a path"));
    while (read && scan_peek(scan) != ']') {
        read =
            read_entry(reader, &places, taken) &&
            (scan_accept(scan, ",") || scan_peek(scan) == ']' || scan_expected(scan, "',' or ']'"));
    }
    read = read && (scan_accept(scan, "]") || scan_expected(scan, "']'"));
    if (read && places.count > 1) {
        const struct word all = scan_since(scan, start);
        read = scan_refuse(
            scan, all,
            "expected a path that leaves one tensor of the term, found one that leaves %d",
            places.count);
    }
    if (read && network->term[term].count == 1) {
        reader->pair[reader->count][0] = network->term[term].first;
        reader->pair[reader->count++][1] = TCPLAN_TREE_ONE;
    }
    base_free(places.tensor);
    base_free(taken);
    return read;
}

/* paths = path { ";" path } */
static bool read_paths(struct reader *reader) {
    for (int t = 0; t < reader->network->term_count; t++) {
        if (t > 0 && !scan_accept(&reader->scan, ";"))
            return scan_expected(&reader->scan, "';' and the path of the next term");
        if (!read_path(reader, t)) return false;
    }
    return scan_peek(&reader->scan) == '\0' || scan_expected(&reader->scan, "the end");
}

enum tcplan_status tcplan_tree_parse_path(struct tcplan_tree **out,
                                          const struct tcplan_network *network,
                                          const int64_t extent[], enum tcplan_dtype dtype,
                                          const char *text, struct tcplan_error *error) {
    struct reader reader = {.count = 0};
    if (!scan_init(&reader.scan, text, error)) return reader.scan.status;
    enum tcplan_status status = reader_init(&reader, network) ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK && !read_paths(&reader)) status = reader.scan.status;
    if (status == TCPLAN_OK)
        status = tcplan_tree_make(out, network, extent, dtype, (const int(*)[2])reader.pair,
                                  reader.count, error);
    reader_free(&reader);
    return status;
}
