#include "torture/subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "support/rng.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"
#include "torture/expression.h"

static const char letters[SUBJECT_INDICES + 1] = "abcdefghijklmnopqrstuvwxyzXY";

char subject_letter(int index) {
    return letters[index];
}

/* Drawing. */

/** Draws an extent near the sizes at which kernels change: tiles, unrolled loops, cache lines. */
static int64_t draw_extent(int64_t room, uint64_t *random) {
    static const int around[] = {7,  8,  9,  15, 16, 17, 23, 24, 25, 31,  32,  33,
                                 47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129};
    const int kind = rng_below(random, 12);
    int64_t extent = kind == 0  ? 1
                     : kind < 9 ? 2 + rng_below(random, 4)
                                : around[rng_below(random, sizeof around / sizeof *around)];
    return extent > room ? (room > 3 ? 2 + rng_below(random, 2) : room) : extent;
}

static void draw_extents(struct subject *out, int64_t points, uint64_t *random) {
    int64_t room = points;
    for (int i = 0; i < out->index_count; i++) {
        out->extent[i] = draw_extent(room, random);
        room /= out->extent[i];
    }
    if (rng_once_in(random, 25) && out->index_count > 0)
        out->extent[rng_below(random, out->index_count)] = 0;
}

static void shuffle(uint8_t *dims, int count, uint64_t *random) {
    for (int last = count - 1; last > 0; last--) {
        const int other = rng_below(random, last + 1);
        const uint8_t old = dims[last];
        dims[last] = dims[other];
        dims[other] = old;
    }
}

static void add_dim(struct subject_tensor *tensor, int index) {
    tensor->dims[tensor->rank++] = (uint8_t)index;
}

/** Draws indices of all kinds, as many as the tensors can have; some tensors get a diagonal. */
static void draw_indices(struct subject *out, uint64_t *random) {
    static const bool table[TCPLAN_INDEX_KINDS][TCPLAN_OPERANDS] = {
        [TCPLAN_FREE_A] = {true, false, true},     [TCPLAN_FREE_B] = {false, true, true},
        [TCPLAN_CONTRACTED] = {true, true, false}, [TCPLAN_BATCH] = {true, true, true},
        [TCPLAN_SUMMED_A] = {true, false, false},  [TCPLAN_SUMMED_B] = {false, true, false}};
    static const enum tcplan_index_kind dealt[] = {
        TCPLAN_FREE_A,     TCPLAN_FREE_A, TCPLAN_FREE_B,   TCPLAN_FREE_B,  TCPLAN_CONTRACTED,
        TCPLAN_CONTRACTED, TCPLAN_BATCH,  TCPLAN_SUMMED_A, TCPLAN_SUMMED_B};
    const int most = rng_once_in(random, 10) ? SUBJECT_INDICES : rng_once_in(random, 3) ? 10 : 5;
    const int wanted = rng_below(random, most + 1);
    for (int attempt = 0; attempt < 2 * wanted && out->index_count < wanted; attempt++) {
        const bool *has = table[dealt[rng_below(random, sizeof dealt / sizeof *dealt)]];
        bool fits = true;
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            fits = fits && (!has[t] || out->tensor[t].rank < SUBJECT_RANK);
        if (!fits) continue;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (has[t]) add_dim(&out->tensor[t], out->index_count);
        }
        out->index_count++;
    }
    uint64_t runs = *random; /* random state of its own: other choices do not depend on it */
    const bool has_runs = rng_once_in(&runs, 4); /* whether there are adjacent indices that the
                                                    canonical product fuses */
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        struct subject_tensor *tensor = &out->tensor[t];
        const bool is_diagonal =
            tensor->rank > 0 && tensor->rank < SUBJECT_RANK && rng_once_in(random, 8);
        const struct subject_tensor in_order = *tensor;
        if (is_diagonal) add_dim(tensor, tensor->dims[rng_below(random, tensor->rank)]);
        shuffle(tensor->dims, tensor->rank, random);
        if (has_runs && !is_diagonal) *tensor = in_order;
    }
}

/** Draws the addend, with the indices of the result in any order. */
static void draw_addend(struct subject *out, uint64_t *random) {
    struct subject_tensor *addend = &out->tensor[TCPLAN_ADDEND];
    uint64_t seen = 0;
    if (!rng_once_in(random, 3)) return;
    out->has_addend = true;
    for (int d = 0; d < out->tensor[TCPLAN_C].rank; d++) {
        const int index = out->tensor[TCPLAN_C].dims[d];
        if (!(seen >> index & 1)) add_dim(addend, index);
        seen |= UINT64_C(1) << index;
    }
    if (rng_once_in(random, 2)) shuffle(addend->dims, addend->rank, random);
}

/** Draws strides. Elements do not overlap, except in inputs, whose strides may also be 0. */
static void draw_strides(struct subject *out, int t, bool is_large, uint64_t *random) {
    struct subject_tensor *tensor = &out->tensor[t];
    uint8_t order[SUBJECT_RANK] = {0};
    int64_t next = rng_once_in(random, 5) ? 2 : 1;
    const bool is_padded = rng_once_in(random, 2);
    for (int d = 0; d < tensor->rank; d++)
        order[d] = (uint8_t)(out->order == TCPLAN_COLUMN_MAJOR ? d : tensor->rank - 1 - d);
    if (rng_once_in(random, 2)) shuffle(order, tensor->rank, random);
    tensor->strided = true;
    for (int d = 0; d < tensor->rank; d++) {
        int64_t *own = &tensor->stride[order[d]];
        const int64_t extent = out->extent[tensor->dims[order[d]]];
        *own = next + (is_padded && d > 0 ? rng_below(random, 3) : 0);
        if (is_large && extent < 8 && rng_once_in(random, 2) && *own < INT64_C(1) << 28) {
            const int64_t edge = (INT64_C(1) << (26 + rng_below(random, 6))) +
                                 rng_below(random, 5) -
                                 2; /* exponent for about 2^31 bytes, in some element type */
            if (edge > *own) *own = edge;
        }
        next = *own * (extent > 0 ? extent : 1);
        if (t != TCPLAN_C && rng_once_in(random, 12)) *own = rng_below(random, 3);
        if (rng_once_in(random, 5)) *own = -*own;
    }
}

static struct tcplan_scalar draw_scalar(enum tcplan_dtype dtype, uint64_t *random) {
    static const double parts[] = {1, 1, 1, 0, -0.0, 2, -1, 3, -2};
    struct tcplan_scalar scalar = {.re = parts[rng_below(random, 9)]};
    if (tcplan_dtype_is_complex(dtype) && rng_once_in(random, 2))
        scalar.im = parts[rng_below(random, 9)];
    return scalar;
}

void subject_draw(struct subject *out, uint64_t seed, struct subject_limits limits) {
    uint64_t random = seed;
    *out = (struct subject){.seed = seed, .threads = 1};
    out->dtype = (enum tcplan_dtype)rng_below(&random, TCPLAN_DTYPES);
    out->order = rng_once_in(&random, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    out->data = (enum subject_data)rng_below(&random, SUBJECT_DATA);
    draw_indices(out, &random);
    draw_addend(out, &random);
    draw_extents(out, limits.points, &random);
    for (int t = 0; t < (out->has_addend ? TCPLAN_TENSORS : TCPLAN_OPERANDS); t++) {
        out->tensor[t].conjugated =
            rng_once_in(&random, tcplan_dtype_is_complex(out->dtype) ? 4 : 16);
        if (out->tensor[t].rank > 0 && (limits.is_large || rng_once_in(&random, 3)))
            draw_strides(out, t, limits.is_large, &random);
    }
    out->alpha = draw_scalar(out->dtype, &random);
    out->beta = draw_scalar(out->dtype, &random);
}

void subject_draw_long(struct subject *out, uint64_t seed) {
    uint64_t random = seed ^ 0x1009;
    *out = (struct subject){.seed = seed,
                            .threads = 1,
                            .data = SUBJECT_WHOLE,
                            .index_count = 2 + rng_below(&random, 2)};
    out->dtype = rng_once_in(&random, 6)   ? TCPLAN_FLOAT
                 : rng_once_in(&random, 2) ? TCPLAN_DOUBLE
                                           : TCPLAN_DOUBLE_COMPLEX;
    out->order = rng_once_in(&random, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    const int64_t edge = (INT64_C(1) << 31) / (int64_t)tcplan_dtype_bytes(out->dtype),
                  other = 1 + rng_once_in(&random, 4);
    out->extent[0] = edge / other + rng_below(&random, 9) - 4;
    out->extent[1] = other;
    out->extent[2] = 1;
    for (int i = 0; i < out->index_count; i++) {
        static const uint8_t dealt[] = {3, 5, 5, 6, 6,
                                        7, 1, 2}; /* bit sets of the tensors that have the index: A
                                                     1, B 2, C 4 */
        const uint8_t has = dealt[rng_below(&random, sizeof dealt)];
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (has >> t & 1) add_dim(&out->tensor[t], i);
        }
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        struct subject_tensor *tensor = &out->tensor[t];
        shuffle(tensor->dims, tensor->rank, &random);
        out->tensor[t].conjugated = rng_once_in(&random, 8);
        if (t == TCPLAN_C || !rng_once_in(&random, 4)) continue;
        tensor->strided = tensor->rank > 0;
        for (int d = 0; d < tensor->rank; d++) tensor->stride[d] = tensor->dims[d] == 0 ? 0 : 1 + d;
    }
    out->alpha = draw_scalar(out->dtype, &random);
    out->beta = draw_scalar(out->dtype, &random);
}

/* Texts. */

static void add_tensor(struct strbuf *text, const struct subject *subject, int t) {
    const struct subject_tensor *tensor = &subject->tensor[t];
    const char name = subject->has_addend ? "ABDC"[t] : "ABC"[t];
    strbuf_add(text, tensor->conjugated ? "conj(%c)%s" : "%c%s", name, tensor->rank > 0 ? "_" : "");
    for (int d = 0; d < tensor->rank; d++) strbuf_add(text, "%c", letters[tensor->dims[d]]);
}

static void add_scalar(struct strbuf *text, const struct subject *subject,
                       struct tcplan_scalar scalar) {
    if (tcplan_dtype_is_complex(subject->dtype)) {
        strbuf_add(text, "(%.17g,%.17g)*", scalar.re, scalar.im);
    } else {
        strbuf_add(text, "%.17g*", fabs(scalar.re));
    }
}

static bool is_minus(const struct subject *subject, struct tcplan_scalar scalar) {
    return !tcplan_dtype_is_complex(subject->dtype) && signbit(scalar.re);
}

char *subject_notation(const struct subject *subject) {
    struct strbuf text = {0};
    if (subject->way == SUBJECT_NETWORK) return expression_notation(subject);
    add_tensor(&text, subject, TCPLAN_C);
    strbuf_add(&text, is_minus(subject, subject->alpha) ? "=-" : "=");
    add_scalar(&text, subject, subject->alpha);
    add_tensor(&text, subject, TCPLAN_A);
    strbuf_add(&text, "*");
    add_tensor(&text, subject, TCPLAN_B);
    strbuf_add(&text, is_minus(subject, subject->beta) ? "-" : "+");
    add_scalar(&text, subject, subject->beta);
    add_tensor(&text, subject, subject->has_addend ? TCPLAN_ADDEND : TCPLAN_C);
    return strbuf_finish(&text);
}

char *subject_sizes(const struct subject *subject) {
    struct strbuf text = {0};
    if (subject->way == SUBJECT_NETWORK) return expression_sizes(subject);
    strbuf_add(&text, "%s", "");
    for (int i = 0; i < subject->index_count; i++)
        strbuf_add(&text, "%s%c=%" PRId64, i > 0 ? "," : "", letters[i], subject->extent[i]);
    return strbuf_finish(&text);
}

char *subject_strides(const struct subject *subject) {
    struct strbuf text = {0};
    const char *before = "";
    strbuf_add(&text, "%s", "");
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct subject_tensor *tensor = &subject->tensor[t];
        if (!tensor->strided || tensor->rank == 0) continue;
        strbuf_add(&text, "%s%c=", before, subject->has_addend ? "ABDC"[t] : "ABC"[t]);
        before = ";";
        for (int d = 0; d < tensor->rank; d++)
            strbuf_add(&text, "%s%" PRId64, d > 0 ? "," : "", tensor->stride[d]);
    }
    return strbuf_finish(&text);
}

bool subject_problem(struct tcplan_contraction **contraction, struct tcplan_problem *problem,
                     const struct subject *subject, struct tcplan_error *error) {
    char *notation = subject_notation(subject), *text = subject_sizes(subject);
    struct tcplan_sizes *sizes = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    *contraction = NULL;
    enum tcplan_status status =
        tcplan_contraction_parse(contraction, notation, subject->order, error);
    if (status == TCPLAN_OK)
        tcplan_contraction_fit_type(*contraction, subject->dtype); /* rounds alpha and beta to the
                                                                      type, as the notation does */
    if (status == TCPLAN_OK) status = tcplan_sizes_parse(&sizes, *contraction, text, error);
    if (status == TCPLAN_OK) tcplan_sizes_point(sizes, 0, extent);
    tcplan_sizes_free(sizes);
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) {
        const struct subject_tensor *tensor = &subject->tensor[t];
        if (tensor->strided && tensor->rank > 0)
            status = tcplan_contraction_set_strides(*contraction, (enum tcplan_operand)t,
                                                    tensor->stride, error);
    }
    if (status == TCPLAN_OK)
        status = tcplan_problem_init(problem, *contraction, extent, subject->dtype, error);
    free(notation);
    free(text);
    if (status == TCPLAN_OK) return true;
    tcplan_contraction_free(*contraction);
    *contraction = NULL;
    return false;
}

/* The line has numbers and names separated by spaces; names of algorithms contain none. */

char *subject_line(const struct subject *subject) {
    struct strbuf text = {0};
    strbuf_add(&text, "%" PRIu64 " %d %d %d %d %d %d %d %.17g %.17g %.17g %.17g %d", subject->seed,
               (int)subject->dtype, (int)subject->order, (int)subject->data, (int)subject->way,
               subject->threads, subject->compiler, subject->level, subject->alpha.re,
               subject->alpha.im, subject->beta.re, subject->beta.im, subject->index_count);
    for (int i = 0; i < subject->index_count; i++)
        strbuf_add(&text, " %" PRId64, subject->extent[i]);
    if (subject->way == SUBJECT_NETWORK) {
        expression_write(&text, subject);
        return strbuf_finish(&text);
    }
    strbuf_add(&text, " %d", (int)subject->has_addend);
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct subject_tensor *tensor = &subject->tensor[t];
        strbuf_add(&text, " %d %d %d", (int)tensor->conjugated, (int)tensor->strided, tensor->rank);
        for (int d = 0; d < tensor->rank; d++)
            strbuf_add(&text, " %d %" PRId64, tensor->dims[d], tensor->stride[d]);
    }
    strbuf_add(&text, " %s", *subject->algorithm ? subject->algorithm : "-");
    return strbuf_finish(&text);
}

/** Reads the next number of a line. */
static double number(const char **at, bool *is_good) {
    char *end;
    const double value = strtod(*at, &end);
    *is_good = *is_good && end != *at && *end == ' ';
    *at = end;
    return value;
}

static int64_t whole(const char **at, int64_t least, int64_t most, bool *is_good) {
    char *end;
    const int64_t value = strtoll(*at, &end, 10);
    *is_good = *is_good && end != *at && *end == ' ' && value >= least && value <= most;
    *at = end;
    return *is_good ? value : least;
}

static void read_tensor(struct subject *out, int t, const char **at, bool *is_good) {
    struct subject_tensor *tensor = &out->tensor[t];
    tensor->conjugated = whole(at, 0, 1, is_good);
    tensor->strided = whole(at, 0, 1, is_good);
    tensor->rank = (int)whole(at, 0, SUBJECT_RANK, is_good);
    for (int d = 0; d < tensor->rank; d++) {
        tensor->dims[d] = (uint8_t)whole(at, 0, out->index_count - 1, is_good);
        tensor->stride[d] = whole(at, INT64_MIN, INT64_MAX, is_good);
    }
}

bool subject_read(struct subject *out, const char *line) {
    bool is_good = true;
    char *end;
    *out = (struct subject){.seed = strtoull(line, &end, 10)};
    const char *at = end;
    out->dtype = (enum tcplan_dtype)whole(&at, 0, TCPLAN_DTYPES - 1, &is_good);
    out->order = (enum tcplan_order)whole(&at, 0, 1, &is_good);
    out->data = (enum subject_data)whole(&at, 0, SUBJECT_DATA - 1, &is_good);
    out->way = (enum subject_way)whole(&at, 0, SUBJECT_WAYS - 1, &is_good);
    out->threads = (int)whole(&at, 1, 64, &is_good);
    out->compiler = (int)whole(&at, 0, 64, &is_good);
    out->level = (int)whole(&at, 0, 3, &is_good);
    out->alpha.re = number(&at, &is_good);
    out->alpha.im = number(&at, &is_good);
    out->beta.re = number(&at, &is_good);
    out->beta.im = number(&at, &is_good);
    out->index_count = (int)whole(&at, 0, SUBJECT_INDICES, &is_good);
    for (int i = 0; i < out->index_count; i++) out->extent[i] = whole(&at, 0, INT32_MAX, &is_good);
    if (out->way == SUBJECT_NETWORK) return is_good && expression_read(out, at);
    out->has_addend = whole(&at, 0, 1, &is_good);
    for (int t = 0; t < TCPLAN_TENSORS; t++) read_tensor(out, t, &at, &is_good);
    if (!is_good || *at != ' ' || strlen(at + 1) >= sizeof out->algorithm) return false;
    snprintf(out->algorithm, sizeof out->algorithm, "%s", at[1] == '-' && !at[2] ? "" : at + 1);
    return true;
}

/* Reducing checks. */

/** Returns the index of another contraction with this letter; -1: there is none. */
static int find_index(const struct tcplan_contraction *contraction, char letter) {
    for (int i = 0; i < contraction->index_count; i++) {
        if (contraction->index[i].name[0] == letter) return i;
    }
    return -1;
}

/** Converts an algorithm to another contraction, in which letters[i] is called renamed[i]. Steps
 * keep their positions. */
struct renumbering {
    int of[TCPLAN_MAX_INDICES];
};

static struct renumbering renumber(const struct tcplan_contraction *from,
                                   const struct tcplan_contraction *to,
                                   const struct tcplan_algorithm *algorithm, int removed) {
    struct renumbering out;
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) out.of[i] = -1;
    for (int i = 0; i < from->index_count; i++) {
        const int at = (int)(strchr(letters, from->index[i].name[0]) - letters);
        if (at != removed) out.of[i] = find_index(to, letters[at > removed ? at - 1 : at]);
    }
    int kept = 0;
    for (int s = 0; s < algorithm->split_count; s++) {
        if (out.of[algorithm->split[s].index] >= 0)
            out.of[from->index_count + s] = to->index_count + kept++;
    }
    return out;
}

static void remove_from_algorithm(struct tcplan_algorithm *out, const struct tcplan_algorithm *from,
                                  const struct renumbering *to) {
    *out = *from;
    out->loop_count = out->split_count = 0;
    for (int s = 0; s < from->split_count; s++) {
        const struct tcplan_split split = from->split[s];
        if (to->of[split.index] >= 0)
            out->split[out->split_count++] =
                (struct tcplan_split){.index = (uint8_t)to->of[split.index], .step = split.step};
    }
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        out->group[role] = 0;
        for (int i = 0; i < TCPLAN_MAX_INDICES; i++) {
            if (from->group[role] >> i & 1 && to->of[i] >= 0)
                out->group[role] |= UINT64_C(1) << to->of[i];
        }
    }
    for (int l = 0; l < from->loop_count; l++) {
        if (to->of[from->loop[l]] >= 0) {
            out->loop[out->loop_count++] = (uint8_t)to->of[from->loop[l]];
            continue;
        }
        if (from->parallel == l) out->parallel = -1;
        if (from->parallel == l || from->parallel + 1 == l) out->collapsed = false;
        if (from->parallel > l) out->parallel--;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (from->copy[t].depth > l) out->copy[t].depth--;
        }
    }
}

/** Sets the algorithm's name for the reduced product `out`: that of `from`, after the change
 * `change`. Returns false if the change gives no valid algorithm. */
static bool carry_over(struct subject *out, const struct subject *from, int removed,
                       int simplification) {
    struct tcplan_contraction *before, *after;
    struct tcplan_problem problem;
    struct tcplan_algorithm algorithm, changed;
    bool is_named = false;
    if (!*from->algorithm) return true;
    if (!subject_problem(&before, &problem, from, NULL)) return false;
    if (subject_problem(&after, &problem, out, NULL)) {
        if (tcplan_algorithm_parse(&algorithm, before, from->dtype, from->algorithm, NULL) ==
            TCPLAN_OK) {
            const struct renumbering to = renumber(before, after, &algorithm, removed);
            remove_from_algorithm(&changed, &algorithm, &to);
            const int tensor = simplification / 4;
            if (simplification == 100) changed.parallel = -1, changed.collapsed = false;
            if (simplification == 101) changed.starts = !changed.starts;
            if (simplification == 102) changed.provider = TCPLAN_PROVIDER_BLAS;
            if (simplification >= 0 && tensor < TCPLAN_OPERANDS) {
                struct tcplan_operand_copy *copy = &changed.copy[tensor];
                if (simplification % 4 == 0) *copy = (struct tcplan_operand_copy){.depth = -1};
                if (simplification % 4 == 1) copy->padding = 0;
                if (simplification % 4 == 2) copy->transposed = copy->panels = false;
                if (simplification % 4 == 3) copy->streamed = copy->read = false;
            }
            char *name = tcplan_algorithm_name(&changed, after, out->dtype);
            is_named = name && strlen(name) < sizeof out->algorithm &&
                       (simplification < 0 || strcmp(name, from->algorithm) != 0);
            if (is_named) snprintf(out->algorithm, sizeof out->algorithm, "%s", name);
            free(name);
        }
        tcplan_contraction_free(after);
    }
    tcplan_contraction_free(before);
    return is_named;
}

static bool remove_index(struct subject *out, const struct subject *from, int removed) {
    if (removed >= from->index_count) return false;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct subject_tensor *old = &from->tensor[t];
        struct subject_tensor *tensor = &out->tensor[t];
        tensor->rank = 0;
        for (int d = 0; d < old->rank; d++) {
            if (old->dims[d] == removed) continue;
            tensor->dims[tensor->rank] = (uint8_t)(old->dims[d] - (old->dims[d] > removed));
            tensor->stride[tensor->rank++] = old->stride[d];
        }
    }
    memmove(&out->extent[removed], &out->extent[removed + 1],
            (size_t)(out->index_count - removed - 1) * sizeof *out->extent);
    out->index_count--;
    return carry_over(out, from, removed, -1);
}

static bool shrink_extent(struct subject *out, const struct subject *from, int index, int how) {
    if (index >= from->index_count || from->extent[index] < 2) return false;
    const int64_t smaller[] = {1, 2, from->extent[index] / 2, from->extent[index] - 1};
    out->extent[index] = smaller[how];
    return smaller[how] < from->extent[index];
}

static bool simplify_tensor(struct subject *out, int t, int how) {
    struct subject_tensor *tensor = &out->tensor[t];
    const bool had = how == 0 ? tensor->strided : tensor->conjugated;
    if (how == 0) tensor->strided = false;
    if (how == 1) tensor->conjugated = false;
    return had;
}

static bool simplify_option(struct subject *out, const struct subject *from, int option) {
    switch (option) {
    case 0: out->data = SUBJECT_WHOLE; return from->data != SUBJECT_WHOLE;
    case 1: out->threads = 1; return from->threads > 1;
    case 2:
        out->alpha = (struct tcplan_scalar){.re = 1};
        return from->alpha.re != 1 || from->alpha.im != 0;
    case 3:
        out->beta = (struct tcplan_scalar){.re = 0};
        return from->beta.re != 0 || from->beta.im != 0 || signbit(from->beta.re);
    case 4:
        out->dtype = TCPLAN_DOUBLE;
        return from->dtype != TCPLAN_DOUBLE && carry_over(out, from, SUBJECT_INDICES, -1);
    case 5: out->way = SUBJECT_PROGRAM; return from->way != SUBJECT_PROGRAM && *from->algorithm;
    case 6:
        out->has_addend = false;
        out->tensor[TCPLAN_ADDEND] = (struct subject_tensor){0};
        return from->has_addend;
    case 7: out->level = 0; return from->way == SUBJECT_EMITTED && from->level > 0;
    case 8: out->compiler = 0; return from->way == SUBJECT_EMITTED && from->compiler > 0;
    case 9:
        out->beta = (struct tcplan_scalar){.re = 1};
        return from->beta.re != 1 && (from->beta.re != 0 || from->beta.im != 0);
    default: return false;
    }
}

enum { OPTIONS = 10, COPY_STEPS = 4 * TCPLAN_OPERANDS, ALGORITHM_STEPS = COPY_STEPS + 3 };

int subject_shrink(struct subject *out, const struct subject *subject, int step) {
    *out = *subject;
    if (subject->way == SUBJECT_NETWORK) return expression_shrink(out, subject, step);
    if (step < SUBJECT_INDICES) return remove_index(out, subject, step);
    step -= SUBJECT_INDICES;
    if (step < 4 * SUBJECT_INDICES)
        return shrink_extent(out, subject, step % SUBJECT_INDICES, step / SUBJECT_INDICES);
    step -= 4 * SUBJECT_INDICES;
    if (step < 2 * TCPLAN_TENSORS) return simplify_tensor(out, step / 2, step % 2);
    step -= 2 * TCPLAN_TENSORS;
    if (step < OPTIONS) return simplify_option(out, subject, step);
    step -= OPTIONS;
    if (step >= ALGORITHM_STEPS) return -1;
    if (!*subject->algorithm) return 0;
    return carry_over(out, subject, SUBJECT_INDICES,
                      step < COPY_STEPS ? step : 100 + step - COPY_STEPS);
}
