#include "support/random_contraction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "base/strbuf.h"
#include "gen/lower/blas_call.h"
#include "support/rng.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"

enum { MAX_DIMS = 16, MAX_PARTS = 4, MOST_PART = 3, NAME_SIZE = 16 };

/** A random contraction before it becomes text: dimensions are numbers of indices. */
struct draft {
    uint64_t random;
    uint64_t turns;     /* random state for conjugation, separate so that it does not affect other
                           choices */
    uint64_t additions; /* random state for the addend, separate as well */
    bool has_addend;
    bool conjugates;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int count[TCPLAN_INDEX_KINDS]; /* number of indices of each kind (free, contracted, batch, ...)
                                    */
    int index_count;
    int rank[TCPLAN_TENSORS];
    int dims[TCPLAN_TENSORS][MAX_DIMS];
    const char *name[MAX_DIMS];
    int parts[MAX_DIMS]; /* number of parts that each index is divided into; 0: it is not divided */
    char part_name[MAX_DIMS][MAX_PARTS][NAME_SIZE];
};

struct random_contraction_options random_contraction_defaults(void) {
    return (struct random_contraction_options){.min_rank = 2,
                                               .max_rank = 5,
                                               .max_indices = 5,
                                               .max_extent = 7,
                                               .batch = true,
                                               .diagonals = true,
                                               .sums = true,
                                               .wide_results = true,
                                               .scalars = true,
                                               .strides = true,
                                               .overlaps = true,
                                               .zeros = true,
                                               .conjugates = true,
                                               .addends = true,
                                               .long_names = true};
}

/** Computes the rank of each tensor from the numbers of indices, without diagonals. */
static void count_ranks(struct draft *draft) {
    const int *count = draft->count;
    draft->index_count = 0;
    for (int kind = 0; kind < TCPLAN_INDEX_KINDS; kind++) draft->index_count += count[kind];
    draft->rank[TCPLAN_A] = count[TCPLAN_FREE_A] + count[TCPLAN_CONTRACTED] + count[TCPLAN_BATCH] +
                            count[TCPLAN_SUMMED_A];
    draft->rank[TCPLAN_B] = count[TCPLAN_FREE_B] + count[TCPLAN_CONTRACTED] + count[TCPLAN_BATCH] +
                            count[TCPLAN_SUMMED_B];
    draft->rank[TCPLAN_C] = count[TCPLAN_FREE_A] + count[TCPLAN_FREE_B] + count[TCPLAN_BATCH];
}

static bool fits(const struct draft *draft, const struct random_contraction_options *options) {
    bool fits = draft->index_count <= options->max_indices;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        fits = fits && draft->rank[t] >= options->min_rank && draft->rank[t] <= options->max_rank;
    return fits;
}

static void draw_counts(struct draft *draft, const struct random_contraction_options *options) {
    do {
        const bool batch = options->batch && rng_once_in(&draft->random, 3);
        for (int kind = 0; kind < TCPLAN_BATCH; kind++)
            draft->count[kind] = rng_below(&draft->random, options->max_rank + 1);
        draft->count[TCPLAN_BATCH] = batch ? 1 + rng_below(&draft->random, 2) : 0;
        for (int kind = TCPLAN_SUMMED_A; kind <= TCPLAN_SUMMED_B; kind++) {
            draft->count[kind] = options->sums && rng_once_in(&draft->random, 2)
                                     ? 1 + rng_below(&draft->random, 2)
                                     : 0;
        }
        count_ranks(draft);
    } while (!fits(draft, options));
}

static bool belongs(enum tcplan_index_kind kind, int tensor) {
    static const bool table[TCPLAN_INDEX_KINDS][TCPLAN_OPERANDS] = {
        [TCPLAN_FREE_A] = {true, false, true},     [TCPLAN_FREE_B] = {false, true, true},
        [TCPLAN_CONTRACTED] = {true, true, false}, [TCPLAN_BATCH] = {true, true, true},
        [TCPLAN_SUMMED_A] = {true, false, false},  [TCPLAN_SUMMED_B] = {false, true, false}};
    return table[kind][tensor];
}

static void shuffle(int *numbers, int count, uint64_t *random) {
    for (int last = count - 1; last > 0; last--) {
        const int other = rng_below(random, last + 1), old = numbers[last];
        numbers[last] = numbers[other];
        numbers[other] = old;
    }
}

static void draw_dims(struct draft *draft, int tensor,
                      const struct random_contraction_options *options) {
    int *rank = &draft->rank[tensor], index = 0;
    *rank = 0;
    for (int kind = 0; kind < TCPLAN_INDEX_KINDS; kind++) {
        for (int i = 0; i < draft->count[kind]; i++, index++) {
            if (belongs((enum tcplan_index_kind)kind, tensor))
                draft->dims[tensor][(*rank)++] = index;
        }
    }
    const bool diagonals = tensor == TCPLAN_C ? options->wide_results : options->diagonals;
    while (diagonals && *rank > 0 && *rank < options->max_rank && rng_once_in(&draft->random, 6)) {
        const int twice = draft->dims[tensor][rng_below(&draft->random, *rank)];
        draft->dims[tensor][(*rank)++] = twice;
    }
    shuffle(draft->dims[tensor], *rank, &draft->random);
}

/** Draws the addend's dimensions from the indices of the result: in the result's order, in any
 * order, or with a diagonal. */
static void draw_addend(struct draft *draft, const struct random_contraction_options *options) {
    int *rank = &draft->rank[TCPLAN_ADDEND], *dims = draft->dims[TCPLAN_ADDEND];
    draft->additions = draft->random ^ 0x5bd1e995;
    draft->has_addend = options->addends && rng_once_in(&draft->additions, 3);
    const bool is_alike = rng_once_in(&draft->additions, 2);
    *rank = 0;
    for (int d = 0; d < draft->rank[TCPLAN_C]; d++) {
        bool known = false;
        for (int before = 0; before < d; before++)
            known = known || draft->dims[TCPLAN_C][before] == draft->dims[TCPLAN_C][d];
        if (is_alike || !known) dims[(*rank)++] = draft->dims[TCPLAN_C][d];
    }
    if (is_alike) return;
    if (options->diagonals && *rank > 0 && rng_once_in(&draft->additions, 6)) {
        const int twice = dims[rng_below(&draft->additions, *rank)];
        dims[(*rank)++] = twice;
    }
    shuffle(dims, *rank, &draft->additions);
}

static void draw_names(struct draft *draft, bool long_names) {
    static const char *const letters[] = {"a", "b", "c", "d", "i", "j", "k",
                                          "x", "y", "z", "I", "A", "C", "N"};
    static const char *const words[] = {
        "int", "for",   "I", "row", "double",  "i_a",      "A_copy", "while", "sum", "dot",
        "j0",  "alpha", "C", "B",   "complex", "_Complex", "NULL",   "k_1",   "at",  "main"};
    enum { LETTERS = sizeof letters / sizeof *letters, WORDS = sizeof words / sizeof *words };
    int order[WORDS];
    const int count = long_names ? (int)WORDS : (int)LETTERS;
    for (int n = 0; n < count; n++) order[n] = n;
    shuffle(order, count, &draft->random);
    for (int i = 0; i < draft->index_count; i++)
        draft->name[i] = long_names ? words[order[i]] : letters[order[i]];
}

static void draw_parts(struct draft *draft, int max_parts) {
    assert_in_range(max_parts, 0, MAX_PARTS);
    for (int i = 0; i < draft->index_count && max_parts > 0; i++) {
        draft->parts[i] = 1 + rng_below(&draft->random, max_parts);
        for (int p = 0; p < draft->parts[i]; p++)
            snprintf(draft->part_name[i][p], NAME_SIZE, "%s%d", draft->name[i], p);
    }
}

/** Appends the name of an index, or the names of its parts. */
static void add_names(struct strbuf *out, const struct draft *draft, int index) {
    if (draft->parts[index] == 0) strbuf_add(out, "%s", draft->name[index]);
    for (int p = 0; p < draft->parts[index]; p++)
        strbuf_add(out, "%s%s", p > 0 ? "," : "", draft->part_name[index][p]);
}

static void add_tensor(struct strbuf *out, struct draft *draft, int tensor, bool brackets) {
    const bool conjugated =
        draft->conjugates &&
        rng_once_in(&draft->turns, tcplan_dtype_is_complex(draft->dtype) ? 3 : 12);
    const char letter = draft->has_addend ? "ABDC"[tensor] : "ABC"[tensor];
    strbuf_add(out, "%s%c%s", conjugated ? "conj(" : "", letter, conjugated ? ")" : "");
    if (brackets) strbuf_add(out, "[");
    if (!brackets && draft->rank[tensor] > 0) strbuf_add(out, "_");
    for (int d = 0; d < draft->rank[tensor]; d++) {
        strbuf_add(out, "%s", brackets && d > 0 ? "," : "");
        add_names(out, draft, draft->dims[tensor][d]);
    }
    if (brackets) strbuf_add(out, "]");
}

static void add_scalar(struct strbuf *out, struct draft *draft) {
    static const char *const real[] = {"2*", "0.5*", "1e-3*3.7e2*", "0*", "1.1*", "3*"};
    static const char *const complex[] = {"(0.5,-1)*", "(0,2)*", "(-1.25,0.1)*",
                                          "(0,-1)*",   "(3,4)*", "(1,1)*"};
    const bool is_complex =
        tcplan_dtype_is_complex(draft->dtype) && !rng_once_in(&draft->random, 3);
    strbuf_add(out, "%s",
               is_complex ? complex[rng_below(&draft->random, 6)]
                          : real[rng_below(&draft->random, 6)]);
}

static bool has_words(const struct draft *draft) {
    for (int i = 0; i < draft->index_count; i++) {
        if (draft->name[i][1] || draft->parts[i] > 0) return true;
    }
    return false;
}

static void add_text(struct strbuf *out, struct draft *draft,
                     const struct random_contraction_options *options) {
    const bool brackets =
        has_words(draft) || (options->long_names && rng_once_in(&draft->random, 4));
    const bool accumulates = rng_once_in(&draft->random, 3) && !draft->has_addend;
    draft->turns = draft->random;
    draft->conjugates = options->conjugates && rng_once_in(&draft->turns, 2);
    add_tensor(out, draft, TCPLAN_C, brackets);
    strbuf_add(out, accumulates ? " += " : " = ");
    if (options->scalars && rng_once_in(&draft->random, 6)) strbuf_add(out, "-");
    if (options->scalars && rng_once_in(&draft->random, 2)) add_scalar(out, draft);
    add_tensor(out, draft, TCPLAN_A, brackets);
    strbuf_add(out, "*");
    add_tensor(out, draft, TCPLAN_B, brackets);
    if (accumulates ||
        (!draft->has_addend && (!options->scalars || rng_once_in(&draft->random, 2))))
        return;
    strbuf_add(out, options->scalars && rng_once_in(&draft->random, 2) ? " - " : " + ");
    if (options->scalars && !rng_once_in(&draft->random, 4)) add_scalar(out, draft);
    add_tensor(out, draft, draft->has_addend ? TCPLAN_ADDEND : TCPLAN_C, brackets);
}

static void add_sizes(struct strbuf *out, struct draft *draft,
                      const struct random_contraction_options *options) {
    const int largest = (int)options->max_extent;
    uint64_t zeros = draft->random;
    const bool has_zeros = options->zeros && rng_once_in(&zeros, 12);
    for (int i = 0; i < draft->index_count; i++) {
        for (int p = 0; p < draft->parts[i]; p++)
            strbuf_add(out, "%s%s=%d", i > 0 || p > 0 ? "," : "", draft->part_name[i][p],
                       1 + rng_below(&draft->random, MOST_PART));
        if (draft->parts[i] > 0) continue;
        const int extent = rng_once_in(&draft->random, 8) || largest == 1
                               ? 1
                               : 2 + rng_below(&draft->random, largest - 1);
        strbuf_add(out, "%s%s=%d", i > 0 ? "," : "", draft->name[i],
                   has_zeros && rng_once_in(&zeros, 3) ? 0 : extent);
    }
}

/** Moves a finished text to a member of the public struct. */
static void hand_over(char *to, size_t size, struct strbuf *from) {
    assert_false(from->failed);
    snprintf(to, size, "%s", from->text ? from->text : "");
    strbuf_free(from);
}

static void refused(const struct random_contraction *random, const struct tcplan_error *error) {
    fail_msg("seed %llu: %s at %s: %s", (unsigned long long)random->seed, random->text,
             random->sizes, error->message);
}

/** Parses the text of the contraction and its sizes. Fails the test if they are refused. */
static void parse(struct random_contraction *out, enum tcplan_order order,
                  int64_t extent[TCPLAN_MAX_INDICES]) {
    struct tcplan_error error = {0};
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status status =
        tcplan_contraction_parse(&out->contraction, out->text, order, &error);
    if (status == TCPLAN_OK)
        status = tcplan_sizes_parse(&sizes, out->contraction, out->sizes, &error);
    if (status != TCPLAN_OK) refused(out, &error);
    tcplan_sizes_point(sizes, 0, extent);
    tcplan_sizes_free(sizes);
}

static void make_problem(struct random_contraction *out, const int64_t extent[],
                         enum tcplan_dtype dtype) {
    struct tcplan_error error = {0};
    out->strides = tcplan_strides_text(out->contraction);
    assert_non_null(out->strides);
    if (tcplan_problem_init(&out->problem, out->contraction, extent, dtype, &error) != TCPLAN_OK)
        refused(out, &error);
}

/** Draws an order of the dimensions in memory: any order, or that of dense tensors. */
static void draw_order(const struct draft *draft, int tensor, int *order, uint64_t *random) {
    const int rank = draft->rank[tensor];
    for (int d = 0; d < rank; d++)
        order[d] = draft->order == TCPLAN_COLUMN_MAJOR ? d : rank - 1 - d;
    if (rng_once_in(random, 2)) shuffle(order, rank, random);
}

/** Draws strides of a tensor. Elements do not overlap, except in some factors. */
static void draw_strides(const struct draft *draft, int tensor, const int64_t extent[],
                         const uint8_t dims[], bool overlaps, int64_t stride[], uint64_t *random) {
    const bool is_padded = rng_once_in(random, 2);
    int order[MAX_DIMS];
    int64_t next = rng_once_in(random, 5) ? 2 : 1;
    draw_order(draft, tensor, order, random);
    for (int d = 0; d < draft->rank[tensor]; d++) {
        int64_t *own = &stride[order[d]];
        *own = next + (is_padded && d > 0 ? rng_below(random, 3) : 0);
        next = *own * (extent[dims[order[d]]] > 0 ? extent[dims[order[d]]] : 1);
        if (tensor != TCPLAN_C && rng_once_in(random, 12))
            *own = rng_below(random, overlaps ? 3 : 1);
        if (rng_once_in(random, 6)) *own = -*own;
    }
}

static void set_strides(struct random_contraction *out, const struct draft *draft,
                        const int64_t extent[], bool overlaps) {
    uint64_t random = draft->random;
    if (!rng_once_in(&random, 3)) return;
    for (int t = 0; t < (draft->has_addend ? TCPLAN_TENSORS : TCPLAN_OPERANDS); t++) {
        int64_t stride[TCPLAN_MAX_RANK] = {0};
        if (rng_once_in(&random, 3)) continue;
        draw_strides(draft, t, extent, out->contraction->tensor[t].dims, overlaps, stride, &random);
        assert_int_equal(
            tcplan_contraction_set_strides(out->contraction, (enum tcplan_operand)t, stride, NULL),
            TCPLAN_OK);
    }
}

void random_contraction_init(struct random_contraction *out, uint64_t seed,
                             const struct random_contraction_options *options) {
    struct draft draft = {.random = seed};
    struct strbuf text = {0}, sizes = {0};
    *out = (struct random_contraction){.seed = seed};
    assert_in_range(options->max_indices, 1, MAX_DIMS - 2);
    assert_in_range(options->max_rank, 1, MAX_DIMS);
    draft.dtype = (enum tcplan_dtype)rng_below(&draft.random, TCPLAN_DTYPES);
    draft.order = rng_once_in(&draft.random, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    draw_counts(&draft, options);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) draw_dims(&draft, t, options);
    draw_addend(&draft, options);
    draw_names(&draft, options->long_names && rng_once_in(&draft.random, 3));
    draw_parts(&draft, options->max_parts);
    add_text(&text, &draft, options);
    add_sizes(&sizes, &draft, options);
    hand_over(out->text, sizeof out->text, &text);
    hand_over(out->sizes, sizeof out->sizes, &sizes);
    int64_t extent[TCPLAN_MAX_INDICES];
    parse(out, draft.order, extent);
    for (int t = 0; t < TCPLAN_TENSORS; t++) draft.rank[t] = out->contraction->tensor[t].rank;
    if (options->strides) set_strides(out, &draft, extent, options->overlaps);
    make_problem(out, extent, draft.dtype);
}

void random_contraction_given(struct random_contraction *out, const char *text, const char *sizes,
                              enum tcplan_order order, enum tcplan_dtype dtype) {
    random_contraction_strided(out, text, sizes, "", order, dtype);
}

void random_contraction_strided(struct random_contraction *out, const char *text, const char *sizes,
                                const char *strides, enum tcplan_order order,
                                enum tcplan_dtype dtype) {
    struct tcplan_error error = {0};
    int64_t extent[TCPLAN_MAX_INDICES];
    *out = (struct random_contraction){.seed = 0};
    snprintf(out->text, sizeof out->text, "%s", text);
    snprintf(out->sizes, sizeof out->sizes, "%s", sizes);
    parse(out, order, extent);
    if (tcplan_strides_parse(out->contraction, strides, &error) != TCPLAN_OK) refused(out, &error);
    make_problem(out, extent, dtype);
}

static const struct tcplan_kernel_call *find_kernel(const struct tcplan_node *node) {
    while (node->kind != TCPLAN_NODE_KERNEL)
        node = node->kind == TCPLAN_NODE_LOOP ? node->loop.body : node->next;
    return &node->kernel;
}

bool random_contraction_suits(const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    struct blas_call call;
    if (!*random->strides || tcplan_problem_only_scales(&random->problem)) return true;
    assert_int_equal(tcplan_nest_build(&nest, random->contraction, algorithm, NULL), TCPLAN_OK);
    const struct refined_problem refined = problem_refine(&random->problem, nest->refinement);
    const enum tcplan_status status = blas_call_lower(&call, nest, find_kernel(nest->body),
                                                      &refined, (struct blas_call_place){0}, NULL);
    tcplan_nest_free(nest);
    assert_true(status == TCPLAN_OK || status == TCPLAN_NOT_APPLICABLE);
    return status == TCPLAN_OK;
}

const char *random_contraction_describe(const struct random_contraction *random) {
    static char text[1800];
    snprintf(text, sizeof text, "seed %llu: \"%s\" --sizes %s --strides \"%s\" --dtype %c%s",
             (unsigned long long)random->seed, random->text, random->sizes, random->strides,
             tcplan_dtype_letter(random->problem.dtype),
             random->contraction->order == TCPLAN_ROW_MAJOR ? " --row-major" : "");
    return text;
}

void random_contraction_free(struct random_contraction *random) {
    tcplan_contraction_free(random->contraction);
    free(random->strides);
    random->contraction = NULL;
    random->strides = NULL;
}
