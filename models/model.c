#include "models/model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/fit.h"
#include "models/grid.h"
#include "models/tree.h"

/* Memory: a model is a single block with the model, its pieces, their coefficients and the tree. */

static size_t model_bytes(size_t pieces, size_t coefficients) {
    return sizeof(struct tcplan_model) + pieces * sizeof(struct tcplan_model_piece) +
           coefficients * sizeof(double[TCPLAN_MODEL_STATISTICS]) + tree_bytes(pieces);
}

enum tcplan_status model_new(struct tcplan_model **out, size_t pieces, size_t coefficients,
                             double (**room)[TCPLAN_MODEL_STATISTICS], struct tcplan_error *error) {
    struct tcplan_model *model = base_alloc_zero(1, model_bytes(pieces, coefficients));
    *out = model;
    *room = NULL;
    if (!model) return error_no_memory(error);
    model->piece_count = pieces;
    model->piece = (struct tcplan_model_piece *)(void *)(model + 1);
    *room = (double(*)[TCPLAN_MODEL_STATISTICS])(void *)(model->piece + pieces);
    model->tree = tree_place(*room + coefficients, pieces);
    return TCPLAN_OK;
}

static inline int count_coefficients(const int degree[], int count) {
    int product = 1;
    for (int i = 0; i < count; i++) product *= degree[i] + 1;
    return product;
}

int tcplan_model_coefficients(const int degree[], int count) {
    return count_coefficients(degree, count);
}

static size_t all_coefficients(const struct tcplan_model *model) {
    size_t sum = 0;
    for (size_t p = 0; p < model->piece_count; p++) {
        sum += (size_t)tcplan_model_coefficients(model->piece[p].degree, model->domain.count);
    }
    return sum;
}

struct tcplan_model *tcplan_model_copy(const struct tcplan_model *model) {
    double(*room)[TCPLAN_MODEL_STATISTICS];
    struct tcplan_model *copy;
    if (model_new(&copy, model->piece_count, all_coefficients(model), &room, NULL) != TCPLAN_OK)
        return NULL;
    struct tcplan_model_piece *piece = copy->piece;
    struct tcplan_model_tree *tree = copy->tree;
    *copy = *model;
    copy->piece = piece;
    copy->tree = tree;
    tree_copy(tree, model->tree, model->piece_count);
    for (size_t p = 0; p < model->piece_count; p++) {
        const size_t count =
            (size_t)tcplan_model_coefficients(model->piece[p].degree, model->domain.count);
        piece[p] = model->piece[p];
        piece[p].coefficient = room;
        memcpy(room, model->piece[p].coefficient, count * sizeof *room);
        room += count;
    }
    return copy;
}

void tcplan_model_free(struct tcplan_model *model) {
    base_free(model);
}

double tcplan_model_error(const struct tcplan_model *model) {
    double largest = 0;
    for (size_t p = 0; p < model->piece_count; p++) largest = fmax(largest, model->piece[p].error);
    return largest;
}

/* Checks. */

static bool is_error(double value) {
    return isfinite(value) && value >= 0;
}

static bool ends_within(const char *text, size_t size) {
    return memchr(text, '\0', size) != NULL;
}

/** Returns whether a name has only letters, digits and _.- and does not begin with a dot. It
 * becomes part of file names. */
static bool is_plain_name(const char *text) {
    const size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return length > 0 && !text[length] && *text != '.';
}

static enum tcplan_status check_texts(const struct tcplan_model *model,
                                      struct tcplan_error *error) {
    char read[TCPLAN_MODEL_TEXT];
    const struct tcplan_model_setup *setup = &model->setup;
    bool end = ends_within(model->case_text, sizeof model->case_text) &&
               ends_within(setup->provider, sizeof setup->provider) &&
               ends_within(setup->version, sizeof setup->version) &&
               ends_within(setup->binding, sizeof setup->binding);
    for (int i = 0; i < model->domain.count; i++)
        end = end && ends_within(model->size_name[i], TCPLAN_MODEL_SIZE_NAME);
    if (!end) return error_set(error, TCPLAN_INVALID, "a text is too long");
    const enum tcplan_status status = tcplan_model_case_read(read, model->case_text, error);
    if (status != TCPLAN_OK) return status;
    if (strcmp(read, model->case_text) != 0)
        return error_set(error, TCPLAN_INVALID, "expected single blanks in a case");
    if (!is_plain_name(setup->provider) || setup->threads < 1)
        return error_set(error, TCPLAN_INVALID,
                         "expected a provider, such as openblas, and at least one thread in a "
                         "setup");
    if ((int)setup->placement >= 0 && setup->placement < TCPLAN_MODEL_PLACEMENTS) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "expected the placement warm, cold or streaming");
}

enum tcplan_status model_check_domain(const struct tcplan_model_domain *domain, int64_t multiple,
                                      struct tcplan_error *error) {
    if (domain->count < 1 || domain->count > TCPLAN_MODEL_SIZES) {
        return error_set(error, TCPLAN_INVALID, "a domain has 1 to %d sizes, not %d",
                         TCPLAN_MODEL_SIZES, domain->count);
    }
    for (int i = 0; i < domain->count; i++) {
        const int64_t low = domain->low[i], high = domain->high[i];
        if (low == high && low >= 1 && high <= TCPLAN_MODEL_LARGEST) continue;
        if (low >= multiple && low <= high && high <= TCPLAN_MODEL_LARGEST && low % multiple == 0 &&
            high % multiple == 0)
            continue;
        return error_set(error, TCPLAN_INVALID,
                         "size %d of a domain is from %lld to %lld, expected multiples of %lld",
                         i + 1, (long long)low, (long long)high, (long long)multiple);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_piece(const struct tcplan_model *model, size_t place,
                                      struct tcplan_error *error) {
    const struct tcplan_model_piece *piece = &model->piece[place];
    const int count = model->domain.count;
    bool good = piece->domain.count == count && piece->points >= 1 && is_error(piece->error) &&
                piece->coefficient;
    for (int i = 0; i < count && good; i++)
        good = piece->degree[i] >= 0 && piece->degree[i] <= TCPLAN_MODEL_DEGREE;
    const int coefficients = good ? tcplan_model_coefficients(piece->degree, count) : 0;
    good = good && coefficients <= TCPLAN_MODEL_COEFFICIENTS;
    for (int j = 0; j < coefficients; j++) {
        /* 0 * x is 0 if x is finite, else NaN: the sum is 0 if all numbers are finite */
        double nothing = 0;
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) nothing += 0 * piece->coefficient[j][s];
        good = good && nothing == 0;
    }
    return good
               ? TCPLAN_OK
               : error_set(
                     error, TCPLAN_INVALID,
                     "piece %zu has an invalid domain, number of points, error, degree or coefficient",
                     place + 1);
}

static enum tcplan_status check(const struct tcplan_model *model, struct tcplan_error *error) {
    const struct tcplan_model_check *told = &model->check;
    enum tcplan_status status = tcplan_model_config_check(&model->config, error);
    if (status == TCPLAN_OK)
        status = model_check_domain(&model->domain, model->config.multiple, error);
    if (status == TCPLAN_OK) status = check_texts(model, error);
    for (int i = 0; i < model->domain.count && status == TCPLAN_OK; i++) {
        if (model->degree[i] < 0 || model->degree[i] > GRID_DEGREE) {
            status = error_set(error, TCPLAN_INVALID, "a degree is %d, expected 0 to %d",
                               model->degree[i], GRID_DEGREE);
        }
    }
    const bool numbers = is_error(model->seconds) && is_error(model->good_reference_seconds) &&
                         model->made >= 0 && model->points >= 1 && told->points >= 0 &&
                         is_error(told->mean) && is_error(told->median) && is_error(told->p90) &&
                         is_error(told->maximum) && told->made >= 0;
    if (status == TCPLAN_OK && !numbers)
        status = error_set(error, TCPLAN_INVALID,
                           "a number of the model cannot be negative or infinite");
    for (size_t p = 0; p < model->piece_count && status == TCPLAN_OK; p++)
        status = check_piece(model, p, error);
    return status;
}

enum tcplan_status model_finish(struct tcplan_model *model, struct tcplan_error *error) {
    const enum tcplan_status status = check(model, error);
    return status == TCPLAN_OK ? model_index(model, error) : status;
}

/* Evaluation. */

/** Sizes clamped to a domain. */
struct within {
    int64_t size[TCPLAN_MODEL_SIZES];
    bool outside; /* whether a requested size is outside the domain */
    bool nothing; /* whether a requested size is 0 or less, so the call does nothing */
};

static inline struct within clamp(const struct tcplan_model_domain *domain, const int64_t size[]) {
    struct within out = {.outside = false};
    for (int i = 0; i < domain->count; i++) {
        const int64_t at_least = size[i] < domain->low[i] ? domain->low[i] : size[i];
        out.size[i] = at_least > domain->high[i] ? domain->high[i] : at_least;
        out.outside |= out.size[i] != size[i];
        out.nothing |= size[i] <= 0;
    }
    return out;
}

size_t tcplan_model_piece_at(const struct tcplan_model *model, const int64_t size[]) {
    const struct within within = clamp(&model->domain, size);
    return tree_find(model, within.size);
}

/* Polynomials of all statistics at once: minimum and median, maximum and mean, deviation. */

/** Two numbers in one vector register. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

struct values {
    pair low;  /* minimum and median times */
    pair high; /* maximum and mean times */
    double deviation;
};

static inline struct values load(const double from[TCPLAN_MODEL_STATISTICS]) {
    struct values out;
    memcpy(&out.low, from, sizeof out.low);
    memcpy(&out.high, from + TCPLAN_MODEL_MAXIMUM, sizeof out.high);
    out.deviation = from[TCPLAN_MODEL_DEVIATION];
    return out;
}

static inline void store(double to[TCPLAN_MODEL_STATISTICS], struct values from) {
    memcpy(to, &from.low, sizeof from.low);
    memcpy(to + TCPLAN_MODEL_MAXIMUM, &from.high, sizeof from.high);
    to[TCPLAN_MODEL_DEVIATION] = from.deviation;
}

/** Returns value * t + next for each statistic. */
static inline struct values step(struct values value, double t, struct values next) {
    const pair both = {t, t};
    return (struct values){value.low * both + next.low, value.high * both + next.high,
                           value.deviation * t + next.deviation};
}

/*
 * Horner's scheme. The coefficients are read backwards from *end. horner_1() evaluates a
 * polynomial in one size. The others treat a polynomial in several sizes as one in the first size,
 * whose coefficients are polynomials in the remaining sizes.
 */

static inline struct values horner_1(const double **end, const int degree[], const double t[]) {
    struct values sum = load(*end -= TCPLAN_MODEL_STATISTICS);
    for (int e = degree[0]; e > 0; e--)
        sum = step(sum, t[0], load(*end -= TCPLAN_MODEL_STATISTICS));
    return sum;
}

static inline struct values horner_2(const double **end, const int degree[], const double t[]) {
    struct values sum = horner_1(end, degree + 1, t + 1);
    for (int e = degree[0]; e > 0; e--) sum = step(sum, t[0], horner_1(end, degree + 1, t + 1));
    return sum;
}

static inline struct values horner_3(const double **end, const int degree[], const double t[]) {
    struct values sum = horner_2(end, degree + 1, t + 1);
    for (int e = degree[0]; e > 0; e--) sum = step(sum, t[0], horner_2(end, degree + 1, t + 1));
    return sum;
}

static struct values horner_4(const double **end, const int degree[], const double t[]) {
    struct values sum = horner_3(end, degree + 1, t + 1);
    for (int e = degree[0]; e > 0; e--) sum = step(sum, t[0], horner_3(end, degree + 1, t + 1));
    return sum;
}

static struct values horner(const double *end, const int degree[], const double t[], int count) {
    switch (count) {
    case 1: return horner_1(&end, degree, t);
    case 2: return horner_2(&end, degree, t);
    case 3: return horner_3(&end, degree, t);
    default: return horner_4(&end, degree, t);
    }
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/** Enforces 0 <= minimum <= median <= maximum, a mean between them, and a deviation >= 0. */
static void put_in_order(double ns[TCPLAN_MODEL_STATISTICS]) {
    ns[TCPLAN_MODEL_MINIMUM] = larger(ns[TCPLAN_MODEL_MINIMUM], 0);
    ns[TCPLAN_MODEL_MEDIAN] = larger(ns[TCPLAN_MODEL_MEDIAN], ns[TCPLAN_MODEL_MINIMUM]);
    ns[TCPLAN_MODEL_MAXIMUM] = larger(ns[TCPLAN_MODEL_MAXIMUM], ns[TCPLAN_MODEL_MEDIAN]);
    ns[TCPLAN_MODEL_MEAN] = larger(ns[TCPLAN_MODEL_MEAN], ns[TCPLAN_MODEL_MINIMUM]);
    if (ns[TCPLAN_MODEL_MEAN] > ns[TCPLAN_MODEL_MAXIMUM])
        ns[TCPLAN_MODEL_MEAN] = ns[TCPLAN_MODEL_MAXIMUM];
    ns[TCPLAN_MODEL_DEVIATION] = larger(ns[TCPLAN_MODEL_DEVIATION], 0);
}

static void evaluate_piece(double ns[TCPLAN_MODEL_STATISTICS],
                           const struct tcplan_model_piece *piece, const int64_t size[]) {
    double t[TCPLAN_MODEL_SIZES];
    const int count = piece->domain.count;
    const double *coefficient = piece->coefficient[0];
    fit_scale(t, &piece->domain, size);
    store(ns, horner(coefficient + (ptrdiff_t)count_coefficients(piece->degree, count) *
                                       TCPLAN_MODEL_STATISTICS,
                     piece->degree, t, count));
    put_in_order(ns);
}

void tcplan_model_evaluate(struct tcplan_model_estimate *out, const struct tcplan_model *model,
                           const int64_t size[]) {
    const struct within within = clamp(&model->domain, size);
    if (within.nothing) {
        *out = (struct tcplan_model_estimate){0};
        return;
    }
    const struct tcplan_model_piece *piece = &model->piece[tree_find(model, within.size)];
    out->outside = within.outside;
    out->error = piece->error;
    evaluate_piece(out->ns, piece, within.size);
}
