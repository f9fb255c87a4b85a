#include "torture/expression.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/complex_of.h"
#include "base/strbuf.h"
#include "support/rng.h"
#include "tcplan/network_emit.h"
#include "tcplan/network_plan.h"
#include "tcplan/network_search.h"
#include "torture/pages.h"

/** How the order of products is determined in a check. */
enum expression_order {
    ORDER_DRAWN,
    ORDER_BY_TEXT, /* a random order, printed as text and parsed */
    ORDER_BY_PATH, /* a random order, printed as a path of opt_einsum and parsed */
    ORDER_SEARCHED,
    ORDERS
};

enum { POINTS_MAX = 1 << 13, OWN_INDICES = 6, RANK_MAX = 5, RESULT_RANK_MAX = 4 };

/* Drawing. */

static bool has_index(const struct subject_factor *factor, int index) {
    for (int d = 0; d < factor->rank; d++) {
        if (factor->dims[d] == index) return true;
    }
    return false;
}

static void add_index(struct subject_factor *factor, int index, uint64_t *random) {
    if (factor->rank == RANK_MAX || (has_index(factor, index) && !rng_once_in(random, 8))) return;
    const int place = rng_below(random, factor->rank + 1);
    memmove(&factor->dims[place + 1], &factor->dims[place], (size_t)(factor->rank - place));
    factor->dims[place] = (uint8_t)index;
    factor->rank++;
}

/** Draws a term of up to five factors. Each index of the result is in one factor, other indices in
 * one, two or more. */
static void draw_term(struct subject_expression *out, int term, int index_count, uint64_t *random) {
    const int room = (SUBJECT_FACTORS - out->count) / (out->term_count - term),
              most = room < 5 ? room : 5;
    const int count = 1 + rng_below(random, most),
              own = rng_below(random, index_count - out->result.rank + 1);
    struct subject_factor *part = &out->part[out->count];
    for (int f = 0; f < count; f++)
        part[f] = (struct subject_factor){
            .term = term, .tensor = out->count + f, .conjugated = rng_once_in(random, 5)};
    for (int i = 0; i < out->result.rank + own; i++) {
        const int times =
            i < out->result.rank ? 1 + rng_once_in(random, 4) : 1 + rng_below(random, 3);
        for (int time = 0; time < times; time++)
            add_index(&part[rng_below(random, count)], i, random);
    }
    for (int d = 0; d < out->result.rank; d++) {
        bool is_there = false;
        for (int f = 0; f < count; f++)
            is_there = is_there || has_index(&part[f], out->result.dims[d]);
        for (int f = 0; f < count && !is_there; f++) {
            if (part[f].rank == SUBJECT_RANK) continue;
            part[f].dims[part[f].rank++] = out->result.dims[d];
            is_there = true;
        }
    }
    out->count += count;
}

/** Adds a tensor a second time, in a term that has indices with its extents. */
static void draw_again(struct subject *out, uint64_t *random) {
    struct subject_expression *expression = &out->expression;
    const struct subject_factor *part = expression->part,
                                *from = &part[rng_below(random, expression->count)];
    struct subject_factor again = {
        .term = expression->term_count - 1, .tensor = from->tensor, .rank = from->rank};
    uint64_t indices = 0;
    if (expression->count == SUBJECT_FACTORS || !rng_once_in(random, 3)) return;
    for (int f = 0; f < expression->count; f++) {
        for (int d = 0; d < part[f].rank && part[f].term == again.term; d++)
            indices |= UINT64_C(1) << part[f].dims[d];
    }
    for (int d = 0; d < from->rank; d++) {
        int index = rng_below(random, out->index_count), looked = 0;
        while (looked < out->index_count &&
               (!(indices >> index & 1) || out->extent[index] != out->extent[from->dims[d]])) {
            index = (index + 1) % out->index_count;
            looked++;
        }
        if (looked == out->index_count) return;
        again.dims[d] = (uint8_t)index;
    }
    again.conjugated = rng_once_in(random, 2);
    expression->part[expression->count++] = again;
}

/** Replaces the last term by a copy of another one with one or two factors changed, so that the
 * distributive law applies. */
static void draw_alike(struct subject_expression *out, uint64_t *random) {
    const int last = out->term_count - 1, like = last > 0 ? rng_below(random, last) : 0;
    int count = 0, first = 0, factors = 0;
    if (last == 0 || !rng_once_in(random, 2)) return;
    while (count < out->count && out->part[count].term < last)
        factors += out->part[count++].term == like;
    while (out->part[first].term < like) first++;
    if (count + factors > SUBJECT_FACTORS) return;
    const int other = rng_below(random, factors), another = rng_below(random, factors);
    for (int f = 0; f < factors; f++) {
        out->part[count] = out->part[first + f];
        out->part[count].term = last;
        if (f == other || f == another) out->part[count].tensor = count;
        count++;
    }
    out->count = count;
}

static uint64_t indices_of(const struct subject *subject, int term) {
    uint64_t indices = 0;
    for (int f = 0; f < subject->expression.count; f++) {
        const struct subject_factor *part = &subject->expression.part[f];
        for (int d = 0; d < part->rank && part->term == term; d++)
            indices |= UINT64_C(1) << part->dims[d];
    }
    return indices;
}

/** Draws extents; the product of the extents in each term is limited. */
static void draw_extents(struct subject *out, uint64_t *random) {
    static const int some[] = {1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 9, 17};
    for (int i = 0; i < out->index_count; i++)
        out->extent[i] = some[rng_below(random, sizeof some / sizeof *some)];
    for (int term = 0; term < out->expression.term_count; term++) {
        const uint64_t indices = indices_of(out, term);
        double points = 1;
        for (int i = 0; i < out->index_count; i++)
            points *= indices >> i & 1 ? (double)out->extent[i] : 1;
        for (int i = out->index_count - 1; i >= 0 && points > POINTS_MAX; i--) {
            if (!(indices >> i & 1)) continue;
            points /= (double)out->extent[i];
            out->extent[i] = points > POINTS_MAX ? 1 : 2;
            points *= (double)out->extent[i];
        }
    }
    if (rng_once_in(random, 30) && out->index_count > 0)
        out->extent[rng_below(random, out->index_count)] = 0;
}

static struct tcplan_scalar draw_scalar(enum tcplan_dtype dtype, uint64_t *random) {
    static const double parts[] = {1, 1, -1, 2, 0, 3};
    struct tcplan_scalar scalar = {.re = parts[rng_below(random, 6)]};
    if (tcplan_dtype_is_complex(dtype) && rng_once_in(random, 2))
        scalar.im = parts[rng_below(random, 6)];
    return scalar;
}

void expression_draw(struct subject *out, uint64_t seed) {
    uint64_t random = seed ^ 0xe597;
    *out = (struct subject){.seed = seed, .way = SUBJECT_NETWORK, .threads = 1};
    struct subject_expression *expression = &out->expression;
    out->dtype = (enum tcplan_dtype)rng_below(&random, TCPLAN_DTYPES);
    out->order = rng_once_in(&random, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    const int rank = rng_below(&random, RESULT_RANK_MAX + 1);
    out->index_count = rank + rng_below(&random, OWN_INDICES + 1);
    for (int i = 0; i < rank; i++) add_index(&expression->result, i, &random);
    expression->result.conjugated = rng_once_in(&random, 8);
    expression->term_count = rng_once_in(&random, 2) ? 1 : 1 + rng_below(&random, SUBJECT_TERMS);
    for (int term = 0; term < expression->term_count; term++) {
        expression->factor[term] = draw_scalar(out->dtype, &random);
        draw_term(expression, term, out->index_count, &random);
    }
    draw_alike(expression, &random);
    draw_extents(out, &random);
    draw_again(out, &random);
    if (rng_once_in(&random, 3)) out->beta = draw_scalar(out->dtype, &random);
    expression->conjugates_added = rng_once_in(&random, 4);
    expression->order = rng_below(&random, ORDERS);
    expression->slices = rng_once_in(&random, 2) ? 1 + rng_below(&random, 2) : 0;
    expression->is_emitted = rng_once_in(&random, 60);
    out->compiler = rng_below(&random, 2);
    out->level = rng_below(&random, 4);
    out->threads = rng_once_in(&random, 4) ? 2 : 1;
}

/* Texts. */

static void add_tensor(struct strbuf *text, const struct subject_factor *factor, char name,
                       bool conjugated) {
    strbuf_add(text, conjugated ? "conj(%c)%s" : "%c%s", name, factor->rank > 0 ? "_" : "");
    for (int d = 0; d < factor->rank; d++) strbuf_add(text, "%c", subject_letter(factor->dims[d]));
}

static void add_scalar(struct strbuf *text, const struct subject *subject,
                       struct tcplan_scalar scalar) {
    if (tcplan_dtype_is_complex(subject->dtype)) {
        strbuf_add(text, "+(%.17g,%.17g)*", scalar.re, scalar.im);
    } else {
        strbuf_add(text, "%c%.17g*", scalar.re < 0 ? '-' : '+', fabs(scalar.re));
    }
}

char *expression_notation(const struct subject *subject) {
    const struct subject_expression *expression = &subject->expression;
    struct strbuf text = {0};
    add_tensor(&text, &expression->result, 'R', expression->result.conjugated);
    strbuf_add(&text, "=");
    for (int f = 0; f < expression->count; f++) {
        const struct subject_factor *part = &expression->part[f];
        const bool begins = f == 0 || part->term != expression->part[f - 1].term;
        if (begins) add_scalar(&text, subject, expression->factor[part->term]);
        if (!begins) strbuf_add(&text, "*");
        add_tensor(&text, part, (char)('A' + part->tensor), part->conjugated);
    }
    add_scalar(&text, subject, subject->beta);
    add_tensor(&text, &expression->result, 'R', expression->conjugates_added);
    return strbuf_finish(&text);
}

char *expression_sizes(const struct subject *subject) {
    struct strbuf text = {0};
    uint64_t indices = 0;
    strbuf_add(&text, "%s", "");
    for (int term = 0; term < subject->expression.term_count; term++)
        indices |= indices_of(subject, term);
    for (int i = 0; i < subject->index_count; i++) {
        if (indices >> i & 1)
            strbuf_add(&text, "%s%c=%" PRId64, text.length > 0 ? "," : "", subject_letter(i),
                       subject->extent[i]);
    }
    return strbuf_finish(&text);
}

static void write_factor(struct strbuf *text, const struct subject_factor *factor) {
    strbuf_add(text, " %d %d %d %d", factor->term, factor->tensor, (int)factor->conjugated,
               factor->rank);
    for (int d = 0; d < factor->rank; d++) strbuf_add(text, " %d", factor->dims[d]);
}

void expression_write(struct strbuf *text, const struct subject *subject) {
    const struct subject_expression *expression = &subject->expression;
    strbuf_add(text, " %d %d %d %d %d %d", expression->term_count, expression->count,
               (int)expression->conjugates_added, expression->order, (int)expression->is_emitted,
               expression->slices);
    for (int term = 0; term < expression->term_count; term++)
        strbuf_add(text, " %.17g %.17g", expression->factor[term].re, expression->factor[term].im);
    write_factor(text, &expression->result);
    for (int f = 0; f < expression->count; f++) write_factor(text, &expression->part[f]);
}

/** Reads the next number of a line, which must be from 0 to `most`; returns -1 if there is none. */
static int whole(const char **at, int most) {
    char *end;
    const long value = strtol(*at, &end, 10);
    if (end == *at || value < 0 || value > most) return -1;
    *at = end;
    return (int)value;
}

static bool read_factor(struct subject_factor *out, const char **at, int index_count) {
    const int term = whole(at, SUBJECT_TERMS - 1), tensor = whole(at, SUBJECT_FACTORS - 1),
              conjugated = whole(at, 1), rank = whole(at, SUBJECT_RANK);
    if (term < 0 || tensor < 0 || conjugated < 0 || rank < 0) return false;
    *out = (struct subject_factor){
        .term = term, .tensor = tensor, .conjugated = conjugated, .rank = rank};
    for (int d = 0; d < rank; d++) {
        const int index = whole(at, index_count - 1);
        if (index < 0) return false;
        out->dims[d] = (uint8_t)index;
    }
    return true;
}

bool expression_read(struct subject *out, const char *at) {
    struct subject_expression *expression = &out->expression;
    char *end;
    expression->term_count = whole(&at, SUBJECT_TERMS);
    expression->count = whole(&at, SUBJECT_FACTORS);
    expression->conjugates_added = whole(&at, 1) > 0;
    expression->order = whole(&at, ORDERS - 1);
    expression->is_emitted = whole(&at, 1) > 0;
    expression->slices = whole(&at, SUBJECT_INDICES);
    if (expression->term_count < 1 || expression->count < 1 || expression->order < 0) return false;
    for (int term = 0; term < expression->term_count; term++) {
        expression->factor[term].re = strtod(at, &end);
        expression->factor[term].im = strtod(end, &end);
        at = end;
    }
    bool is_good = read_factor(&expression->result, &at, out->index_count);
    for (int f = 0; f < expression->count && is_good; f++)
        is_good = read_factor(&expression->part[f], &at, out->index_count);
    return is_good;
}

/* Reducing checks. */

static bool remove_factor(struct subject_expression *expression, int f) {
    if (f >= expression->count) return false;
    memmove(&expression->part[f], &expression->part[f + 1],
            (size_t)(expression->count - f - 1) * sizeof *expression->part);
    expression->count--;
    return true;
}

static bool remove_term(struct subject_expression *expression, int term) {
    if (term >= expression->term_count || expression->term_count == 1) return false;
    for (int f = expression->count - 1; f >= 0; f--) {
        if (expression->part[f].term == term) remove_factor(expression, f);
        if (f < expression->count && expression->part[f].term > term) expression->part[f].term--;
    }
    for (int t = term; t + 1 < expression->term_count; t++)
        expression->factor[t] = expression->factor[t + 1];
    expression->term_count--;
    return true;
}

static bool remove_dims(struct subject_factor *factor, int index) {
    int kept = 0;
    for (int d = 0; d < factor->rank; d++) {
        if (factor->dims[d] != index) factor->dims[kept++] = factor->dims[d];
    }
    const bool had = kept < factor->rank;
    factor->rank = kept;
    return had;
}

static bool remove_index(struct subject *out, int index) {
    bool had = remove_dims(&out->expression.result, index);
    for (int f = 0; f < out->expression.count; f++)
        had = remove_dims(&out->expression.part[f], index) || had;
    return had;
}

static bool simplify(struct subject *out, int option) {
    static const struct tcplan_scalar none = {0}, one = {.re = 1};
    struct subject_expression *expression = &out->expression;
    const struct subject before = *out;
    switch (option) {
    case 0: out->threads = 1; break;
    case 1: out->beta = none; break;
    case 2: expression->conjugates_added = expression->result.conjugated = false; break;
    case 3: expression->slices = expression->slices > 0 ? expression->slices - 1 : 0; break;
    case 4: expression->order = ORDER_DRAWN; break;
    case 5: expression->is_emitted = false; break;
    case 6: out->dtype = TCPLAN_DOUBLE; break;
    case 7: out->level = 0; break;
    case 8: out->order = TCPLAN_COLUMN_MAJOR; break;
    case 9:
        for (int f = 0; f < expression->count; f++) expression->part[f].conjugated = false;
        break;
    case 10:
        for (int term = 0; term < expression->term_count; term++) expression->factor[term] = one;
        break;
    default: return false;
    }
    return memcmp(&before, out, sizeof before) != 0;
}

enum { OPTIONS = 11 };

int expression_shrink(struct subject *out, const struct subject *subject, int step) {
    *out = *subject;
    if (step < SUBJECT_TERMS) return remove_term(&out->expression, step);
    step -= SUBJECT_TERMS;
    if (step < SUBJECT_FACTORS) return remove_factor(&out->expression, step);
    step -= SUBJECT_FACTORS;
    if (step < SUBJECT_INDICES) return remove_index(out, step);
    step -= SUBJECT_INDICES;
    if (step < 2 * SUBJECT_INDICES) {
        const int index = step / 2;
        const int64_t smaller = step % 2 == 0 ? 1 : subject->extent[index] - 1;
        if (index >= subject->index_count || smaller < 1 || smaller >= subject->extent[index])
            return 0;
        out->extent[index] = smaller;
        return 1;
    }
    step -= 2 * SUBJECT_INDICES;
    return step < OPTIONS ? simplify(out, step) : -1;
}

/* Tensors of small whole numbers: every order of products gives the same result to the last bit. */

struct arrays {
    const struct subject *subject;
    size_t element_bytes;
    struct pages tensor[SUBJECT_FACTORS]; /* memory of each tensor, by its number in the subject */
    struct pages result;
    int64_t elems;           /* number of elements of the result */
    double _Complex *before; /* initial values of the result */
    double _Complex *expected;
};

static int64_t elems_of(const struct subject *subject, const struct subject_factor *factor) {
    int64_t elems = 1;
    for (int d = 0; d < factor->rank; d++) elems *= subject->extent[factor->dims[d]];
    return elems;
}

static int64_t place_of(const struct subject *subject, const struct subject_factor *factor,
                        const int64_t point[]) {
    int64_t place = 0, stride = 1;
    for (int step = 0; step < factor->rank; step++) {
        const int index =
            factor->dims[subject->order == TCPLAN_COLUMN_MAJOR ? step : factor->rank - 1 - step];
        place += stride * point[index];
        stride *= subject->extent[index];
    }
    return place;
}

static double _Complex load(const struct arrays *arrays, const struct pages *pages, int64_t place) {
    const char *at = pages->memory + (size_t)place * arrays->element_bytes;
    const float *single = (const float *)(const void *)at;
    const double *whole_number = (const double *)(const void *)at;
    switch (arrays->subject->dtype) {
    case TCPLAN_FLOAT: return *single;
    case TCPLAN_DOUBLE: return *whole_number;
    case TCPLAN_FLOAT_COMPLEX: return complex_of(single[0], single[1]);
    case TCPLAN_DOUBLE_COMPLEX: return complex_of(whole_number[0], whole_number[1]);
    case TCPLAN_DTYPES: break;
    }
    return 0;
}

static void store(const struct arrays *arrays, const struct pages *pages, int64_t place,
                  double _Complex value) {
    char *at = pages->memory + (size_t)place * arrays->element_bytes;
    const bool is_single =
        arrays->subject->dtype == TCPLAN_FLOAT || arrays->subject->dtype == TCPLAN_FLOAT_COMPLEX;
    float single[2] = {(float)creal(value), (float)cimag(value)};
    double both[2] = {creal(value), cimag(value)};
    memcpy(at, is_single ? (const void *)single : (const void *)both, arrays->element_bytes);
}

static double _Complex draw_element(const struct arrays *arrays, uint64_t *random) {
    const double re = rng_below(random, 3) - 1;
    return complex_of(re, tcplan_dtype_is_complex(arrays->subject->dtype) && rng_once_in(random, 2)
                              ? rng_below(random, 3) - 1
                              : 0);
}

static double _Complex of_scalar(const struct subject *subject, struct tcplan_scalar scalar) {
    return complex_of(scalar.re, tcplan_dtype_is_complex(subject->dtype) ? scalar.im : 0);
}

/** Returns how many bytes beyond their operands libraries may read (torture/operands.c). */
static size_t slack_of(const struct arrays *arrays, int64_t elems) {
    return (size_t)elems * arrays->element_bytes + 64;
}

static void expect_term(struct arrays *arrays, int term) {
    const struct subject *subject = arrays->subject;
    const struct subject_expression *expression = &subject->expression;
    const uint64_t indices = indices_of(subject, term);
    int64_t point[SUBJECT_INDICES] = {0};
    for (int i = 0; i < subject->index_count; i++) {
        if (indices >> i & 1 && subject->extent[i] == 0) return;
    }
    for (;;) {
        double _Complex product = of_scalar(subject, expression->factor[term]);
        for (int f = 0; f < expression->count; f++) {
            const struct subject_factor *part = &expression->part[f];
            if (part->term != term) continue;
            const double _Complex element =
                load(arrays, &arrays->tensor[part->tensor], place_of(subject, part, point));
            product *= part->conjugated ? conj(element) : element;
        }
        arrays->expected[place_of(subject, &expression->result, point)] += product;
        int i = 0;
        for (; i < subject->index_count; i++) {
            if (!(indices >> i & 1)) continue;
            if (++point[i] < subject->extent[i]) break;
            point[i] = 0;
        }
        if (i == subject->index_count) return;
    }
}

static void expect(struct arrays *arrays) {
    const struct subject *subject = arrays->subject;
    const struct subject_expression *expression = &subject->expression;
    const double _Complex beta = of_scalar(subject, subject->beta);
    for (int64_t e = 0; e < arrays->elems; e++)
        arrays->expected[e] = beta == 0
                                  ? 0
                                  : beta * (expression->conjugates_added ? conj(arrays->before[e])
                                                                         : arrays->before[e]);
    for (int term = 0; term < expression->term_count; term++) expect_term(arrays, term);
    for (int64_t e = 0; e < arrays->elems && expression->result.conjugated; e++)
        arrays->expected[e] = conj(arrays->expected[e]);
}

/** Restores the initial values of the result; NaN if beta is 0, and for elements off a diagonal. */
static void reset(const struct arrays *arrays) {
    memset(pages_begin(&arrays->result), 0xFF, pages_room(&arrays->result));
    for (int64_t e = 0; e < arrays->elems && of_scalar(arrays->subject, arrays->subject->beta) != 0;
         e++)
        store(arrays, &arrays->result, e, arrays->before[e]);
}

static bool arrays_init(struct arrays *out, const struct subject *subject) {
    const struct subject_expression *expression = &subject->expression;
    uint64_t random = subject->seed ^ 0xda7a;
    *out = (struct arrays){.subject = subject, .element_bytes = tcplan_dtype_bytes(subject->dtype)};
    for (int f = 0; f < expression->count; f++) {
        const struct subject_factor *part = &expression->part[f];
        struct pages *pages = &out->tensor[part->tensor];
        const int64_t elems = elems_of(subject, part);
        if (pages->map) continue;
        if (!pages_init(pages, (size_t)elems * out->element_bytes, slack_of(out, elems),
                        out->element_bytes, subject->seed >> f & 1))
            return false;
        for (int64_t e = 0; e < elems; e++) store(out, pages, e, draw_element(out, &random));
        pages_protect(pages, PROT_READ);
    }
    out->elems = elems_of(subject, &expression->result);
    out->before = calloc((size_t)out->elems + 1, sizeof *out->before);
    out->expected = calloc((size_t)out->elems + 1, sizeof *out->expected);
    if (!out->before || !out->expected) return false;
    for (int64_t e = 0; e < out->elems; e++) out->before[e] = draw_element(out, &random);
    if (!pages_init(&out->result, (size_t)out->elems * out->element_bytes, 0, out->element_bytes,
                    subject->seed >> 20 & 1))
        return false;
    expect(out);
    return true;
}

static void arrays_free(struct arrays *arrays) {
    for (int t = 0; t < SUBJECT_FACTORS; t++) pages_free(&arrays->tensor[t]);
    pages_free(&arrays->result);
    free(arrays->before);
    free(arrays->expected);
}

/** Lists pointers to the tensors, in the order in which the expression first names them. */
static void find_tensors(const void *out[], const struct arrays *arrays) {
    bool is_named[SUBJECT_FACTORS] = {false};
    int count = 0;
    for (int f = 0; f < arrays->subject->expression.count; f++) {
        const int tensor = arrays->subject->expression.part[f].tensor;
        if (!is_named[tensor]) out[count++] = arrays->tensor[tensor].memory;
        is_named[tensor] = true;
    }
}

static enum execute_outcome judge(const struct arrays *arrays, char *why, size_t size) {
    const char *begin = pages_begin(&arrays->result), *end = begin + pages_room(&arrays->result);
    for (const char *at = begin; at < end; at++) {
        if (at == arrays->result.memory) at += arrays->result.bytes;
        if (at < end && *at != '\xFF')
            return execute_say(EXECUTE_WRONG, why, size, "byte %td of the result was written",
                               at - arrays->result.memory);
    }
    for (int64_t e = 0; e < arrays->elems; e++) {
        const double _Complex got = load(arrays, &arrays->result, e), wanted = arrays->expected[e];
        if (got == wanted) continue;
        return execute_say(EXECUTE_WRONG, why, size,
                           "element %" PRId64 ": got %.17g%+.17gi instead of %.17g%+.17gi", e,
                           creal(got), cimag(got), creal(wanted), cimag(wanted));
    }
    return EXECUTE_RIGHT;
}

/* Trees. */

static void shuffle_layout(struct tcplan_tree_step *step, uint64_t *random) {
    for (int last = step->rank - 1; last > 0 && !step->last; last--) {
        const int other = rng_below(random, last + 1);
        const uint16_t old = step->dims[last];
        step->dims[last] = step->dims[other];
        step->dims[other] = old;
    }
}

/** Draws a random order: the pairs of factors to multiply, term by term. Returns their number. */
static int draw_pairs(int pair[][2], const struct tcplan_network *network, uint64_t *random) {
    int count = 0;
    for (int t = 0; t < network->term_count; t++) {
        int left[SUBJECT_FACTORS], left_count = 0;
        for (int f = 0; f < network->term[t].count; f++)
            left[left_count++] = network->term[t].first + f;
        if (left_count == 1) {
            pair[count][0] = left[0], pair[count++][1] = TCPLAN_TREE_ONE;
            continue;
        }
        while (left_count > 1) {
            for (int side = 0; side < 2; side++) {
                const int chosen = rng_below(random, left_count);
                pair[count][side] = left[chosen];
                left[chosen] = left[--left_count];
            }
            left[left_count++] = network->operand_count + count;
            count++;
        }
    }
    return count;
}

static enum tcplan_status draw_tree(struct tcplan_tree **out, const struct tcplan_network *network,
                                    const int64_t extent[], const struct subject *subject,
                                    struct tcplan_error *error) {
    uint64_t random = subject->seed ^ 0x73ee;
    int pair[2 * SUBJECT_FACTORS][2];
    const int count = draw_pairs(pair, network, &random);
    enum tcplan_status status =
        tcplan_tree_make(out, network, extent, subject->dtype, (const int(*)[2])pair, count, error);
    for (int slice = 0;
         slice < subject->expression.slices && status == TCPLAN_OK && network->index_count > 0;
         slice++) {
        const int index = rng_below(&random, network->index_count);
        bool is_sliced = extent[index] == 0;
        for (int i = 0; i < (*out)->sliced_count; i++)
            is_sliced = is_sliced || (*out)->sliced[i] == index;
        if (!is_sliced) status = tcplan_tree_slice(*out, index, error);
    }
    for (int s = 0; s < count && status == TCPLAN_OK; s++)
        shuffle_layout(&(*out)->step[s], &random);
    return status;
}

/** Prints a tree as text, or as a path, and parses the result. */
static enum tcplan_status reread(struct tcplan_tree **tree, bool as_path,
                                 struct tcplan_error *error) {
    struct tcplan_tree *again = NULL, *old = *tree;
    char *text = as_path ? tcplan_tree_path(old) : tcplan_tree_text(old);
    const enum tcplan_status status =
        as_path ? tcplan_tree_parse_path(&again, old->network, old->extent, old->dtype, text, error)
                : tcplan_tree_parse(&again, old->network, old->extent, old->dtype, text, error);
    free(text);
    if (status != TCPLAN_OK) return status;
    tcplan_tree_free(old);
    *tree = again;
    return TCPLAN_OK;
}

/**
 * Searches an order of products.
 *
 * @param sums  receives a new network if the search used the distributive law
 */
static enum tcplan_status search_tree(struct tcplan_tree **out, struct tcplan_network **sums,
                                      const struct tcplan_network *network, const int64_t extent[],
                                      const struct subject *subject, struct tcplan_error *error) {
    uint64_t random = subject->seed ^ 0x5ea7;
    struct tcplan_network_found found = {0};
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    options.objective = (enum tcplan_objective)rng_below(&random, TCPLAN_OBJECTIVE_MEMORY + 1);
    options.exact = rng_below(&random, 6);
    options.starts = 1 + rng_below(&random, 8);
    options.candidates = 1 + rng_below(&random, 3);
    options.seed = subject->seed;
    options.max_memory_bytes =
        subject->expression.slices > 0 ? INT64_C(16) << rng_below(&random, 10) : 0;
    enum tcplan_status status =
        tcplan_network_search(&found, network, extent, subject->dtype, &options, error);
    if (status == TCPLAN_INVALID && options.max_memory_bytes > 0)
        return TCPLAN_NOT_APPLICABLE; /* the search's limit on memory is too small */
    if (status != TCPLAN_OK) return status;
    *out = tcplan_tree_copy(rng_once_in(&random, 6) ? found.flops : found.tree);
    *sums = found.network;
    found.network = NULL;
    tcplan_network_found_free(&found);
    if (!*out) return TCPLAN_NO_MEMORY;
    return rng_once_in(&random, 2) ? reread(out, false, error) : TCPLAN_OK;
}

static enum tcplan_status find_tree(struct tcplan_tree **out, struct tcplan_network **sums,
                                    const struct tcplan_network *network, const int64_t extent[],
                                    const struct subject *subject, struct tcplan_error *error) {
    const int order = subject->expression.order;
    if (order == ORDER_SEARCHED) return search_tree(out, sums, network, extent, subject, error);
    const enum tcplan_status status = draw_tree(out, network, extent, subject, error);
    return status == TCPLAN_OK && order != ORDER_DRAWN ? reread(out, order == ORDER_BY_PATH, error)
                                                       : status;
}

/* Execution. */

/** Executes a plan with its own workspace, and with one that ends at an inaccessible page, after
 * the bytes that libraries may read. */
static enum execute_outcome run(const struct arrays *arrays, const struct tcplan_tree *tree,
                                struct tcplan_planner *planner, char *why, size_t size) {
    struct tcplan_network_plan *plan = NULL;
    struct tcplan_error error = {0};
    struct pages workspace = {0};
    const void *tensor[SUBJECT_FACTORS];
    find_tensors(tensor, arrays);
    enum tcplan_status status = tcplan_network_plan_new(&plan, tree, planner, &error);
    if (status != TCPLAN_OK) return execute_refusal(status, &error, why, size);
    enum execute_outcome outcome = EXECUTE_RIGHT;
    const int64_t bytes = tcplan_network_plan_workspace(plan) + 63;
    if (!pages_init(&workspace, (size_t)bytes, (size_t)bytes + 64, 1, true))
        outcome = execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    for (int time = 0; time < 3 && outcome == EXECUTE_RIGHT; time++) {
        reset(arrays);
        status = tcplan_network_execute(plan, tensor, arrays->result.memory,
                                        time > 0 ? workspace.memory : NULL, time > 0 ? bytes : 0,
                                        &error);
        outcome = status == TCPLAN_OK ? judge(arrays, why, size)
                                      : execute_refusal(status, &error, why, size);
    }
    const char *behind = workspace.memory + bytes,
               *end = pages_begin(&workspace) + pages_room(&workspace);
    while (outcome == EXECUTE_RIGHT && workspace.map_bytes <= PAGES_POISONED_MAX && behind < end) {
        if (*behind++ != '\xFF')
            outcome =
                execute_say(EXECUTE_WRONG, why, size, "what is behind the workspace was written");
    }
    pages_free(&workspace);
    tcplan_network_plan_free(plan);
    return outcome;
}

typedef int caller_function(const void *const tensor[], void *result);

enum execute_outcome expression_run_emitted(const struct subject *subject, void *symbol, char *why,
                                            size_t size) {
    struct arrays arrays = {0};
    const void *tensor[SUBJECT_FACTORS];
    caller_function *call;
    enum execute_outcome outcome = execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    memcpy(&call, &symbol, sizeof call);
    if (arrays_init(&arrays, subject)) {
        find_tensors(tensor, &arrays);
        reset(&arrays);
        const int code = call(tensor, arrays.result.memory);
        outcome = code ? execute_say(EXECUTE_SKIPPED, why, size, "returned %d", code)
                       : judge(&arrays, why, size);
    }
    arrays_free(&arrays);
    return outcome;
}

static enum tcplan_status emit_tree(struct strbuf *all, const struct tcplan_tree *tree,
                                    struct tcplan_planner *planner, const char *name,
                                    struct tcplan_error *error) {
    char *function = NULL;
    const enum tcplan_status status = tcplan_network_emit(&function, tree, planner, name, error);
    if (status != TCPLAN_OK) return status;
    strbuf_add(all, "%s\nint call_%s(const void *const tensor[], void *result);\n", function, name);
    strbuf_add(all, "int call_%s(const void *const tensor[], void *result) {\n    return %s(", name,
               name);
    for (int t = 0; t < tree->network->tensor_count; t++) strbuf_add(all, "tensor[%d], ", t);
    strbuf_add(all, "result);\n}\n");
    free(function);
    return TCPLAN_OK;
}

/** Appends the emitted expression to `all`, or executes the expression if `all` is NULL. */
static enum execute_outcome use_tree(struct strbuf *all, const char *name,
                                     const struct tcplan_tree *tree, struct tcplan_planner *planner,
                                     const struct subject *subject, char *why, size_t size) {
    struct arrays arrays = {0};
    struct tcplan_error error = {0};
    enum execute_outcome outcome = EXECUTE_RIGHT;
    if (all) {
        const enum tcplan_status status = emit_tree(all, tree, planner, name, &error);
        return status == TCPLAN_OK ? EXECUTE_RIGHT : execute_refusal(status, &error, why, size);
    }
    outcome = arrays_init(&arrays, subject) ? run(&arrays, tree, planner, why, size)
                                            : execute_say(EXECUTE_SKIPPED, why, size, "no memory");
    arrays_free(&arrays);
    return outcome;
}

static enum execute_outcome plan_network(struct strbuf *all, const char *name,
                                         const struct subject *subject,
                                         const struct tcplan_network *network,
                                         const int64_t extent[], char *why, size_t size) {
    struct tcplan_planner *planner = NULL;
    struct tcplan_tree *tree = NULL;
    struct tcplan_network *sums = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status = tcplan_planner_new(&planner, &error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_threads(planner, subject->threads, NULL);
    if (status == TCPLAN_OK) status = find_tree(&tree, &sums, network, extent, subject, &error);
    const enum execute_outcome outcome =
        status == TCPLAN_OK ? use_tree(all, name, tree, planner, subject, why, size)
                            : execute_refusal(status, &error, why, size);
    tcplan_tree_free(tree);
    tcplan_network_free(sums);
    tcplan_planner_free(planner);
    return outcome;
}

static enum execute_outcome read_network(struct strbuf *all, const char *name,
                                         const struct subject *subject, char *why, size_t size) {
    char *notation = expression_notation(subject), *sizes = expression_sizes(subject);
    struct tcplan_network *network = NULL;
    struct tcplan_error error = {0};
    int64_t extent[SUBJECT_INDICES] = {0};
    enum tcplan_status status = tcplan_network_parse(&network, notation, subject->order, &error);
    if (status == TCPLAN_OK) status = tcplan_network_sizes(extent, network, sizes, &error);
    const enum execute_outcome outcome =
        status == TCPLAN_OK ? plan_network(all, name, subject, network, extent, why, size)
                            : execute_say(EXECUTE_WRONG, why, size, "refused: %s", error.message);
    tcplan_network_free(network);
    free(notation);
    free(sizes);
    return outcome;
}

enum execute_outcome expression_emit(struct strbuf *all, const struct subject *subject,
                                     const char *name, char *why, size_t size) {
    return read_network(all, name, subject, why, size);
}

enum execute_outcome expression_execute(const struct subject *subject, char *why, size_t size) {
    return read_network(NULL, NULL, subject, why, size);
}
