#include "models/model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/fit.h"
#include "models/grid.h"

/** A box of multiples up to TCPLAN_MODEL_LARGEST can be halved 31 times in each size. */
enum { DEPTH = 31 * TCPLAN_MODEL_SIZES };

/** A box that is halved. */
struct tcplan_model_node {
    int64_t at;
    int size;
    int half[2]; /* the lower and the upper, from 0 on: a node; below: piece number -1 - this */
};

/* One block of memory: the model, its pieces, coefficients, nodes. */

static size_t model_bytes(size_t pieces, size_t coefficients) {
    return sizeof(struct tcplan_model) + pieces * sizeof(struct tcplan_model_piece) +
           coefficients * sizeof(double[TCPLAN_MODEL_STATISTICS]) + pieces * sizeof(struct tcplan_model_node);
}

enum tcplan_status model_new(struct tcplan_model **out, size_t pieces, size_t coefficients, double (**room)[TCPLAN_MODEL_STATISTICS],
                             struct tcplan_error *error) {
    struct tcplan_model *model = base_alloc_zero(1, model_bytes(pieces, coefficients));
    *out = model;
    if (!model) return error_no_memory(error);
    model->piece_count = pieces;
    model->piece = (struct tcplan_model_piece *)(void *)(model + 1);
    model->node = (struct tcplan_model_node *)(void *)(model->piece + pieces);
    *room = (double(*)[TCPLAN_MODEL_STATISTICS])(void *)(model->node + pieces);
    return TCPLAN_OK;
}

int tcplan_model_coefficients(const int degree[], int count) {
    int product = 1;
    for (int i = 0; i < count; i++) product *= degree[i] + 1;
    return product;
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
    if (model_new(&copy, model->piece_count, all_coefficients(model), &room, NULL) != TCPLAN_OK) return NULL;
    struct tcplan_model_piece *piece = copy->piece;
    struct tcplan_model_node *node = copy->node;
    *copy = *model;
    copy->piece = piece;
    copy->node = node;
    memcpy(node, model->node, model->piece_count * sizeof *node);
    for (size_t p = 0; p < model->piece_count; p++) {
        const size_t count = (size_t)tcplan_model_coefficients(model->piece[p].degree, model->domain.count);
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

/** Of letters, digits and _.- alone: it is part of the names of files. */
static bool is_plain_name(const char *text) {
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return length > 0 && !text[length] && *text != '.';
}

static enum tcplan_status check_texts(const struct tcplan_model *model, struct tcplan_error *error) {
    char read[TCPLAN_MODEL_TEXT];
    const struct tcplan_model_setup *setup = &model->setup;
    bool end = ends_within(model->case_text, sizeof model->case_text) && ends_within(setup->provider, sizeof setup->provider) &&
               ends_within(setup->version, sizeof setup->version);
    for (int i = 0; i < model->domain.count; i++) end = end && ends_within(model->size_name[i], TCPLAN_MODEL_SIZE_NAME);
    if (!end) return error_set(error, TCPLAN_INVALID, "a text is too long");
    const enum tcplan_status status = tcplan_model_case_read(read, model->case_text, error);
    if (status != TCPLAN_OK) return status;
    if (strcmp(read, model->case_text) != 0) return error_set(error, TCPLAN_INVALID, "a case has single blanks");
    if (!is_plain_name(setup->provider) || setup->threads < 1)
        return error_set(error, TCPLAN_INVALID, "a setup has a provider, called as openblas is, and at least one thread");
    if ((int)setup->placement >= 0 && setup->placement < TCPLAN_MODEL_PLACEMENTS) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "a placement is warm, cold or streaming");
}

enum tcplan_status model_check_domain(const struct tcplan_model_domain *domain, int64_t multiple, struct tcplan_error *error) {
    if (domain->count < 1 || domain->count > TCPLAN_MODEL_SIZES) {
        return error_set(error, TCPLAN_INVALID, "a domain has 1 to %d sizes, not %d", TCPLAN_MODEL_SIZES, domain->count);
    }
    for (int i = 0; i < domain->count; i++) {
        const int64_t low = domain->low[i], high = domain->high[i];
        if (low == high && low >= 1 && high <= TCPLAN_MODEL_LARGEST) continue;
        if (low >= multiple && low <= high && high <= TCPLAN_MODEL_LARGEST && low % multiple == 0 && high % multiple == 0) continue;
        return error_set(error, TCPLAN_INVALID, "size %d of a domain is from %lld to %lld, expected multiples of %lld", i + 1,
                         (long long)low, (long long)high, (long long)multiple);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_piece(const struct tcplan_model *model, size_t place, struct tcplan_error *error) {
    const struct tcplan_model_piece *piece = &model->piece[place];
    const int count = model->domain.count;
    bool good = piece->domain.count == count && piece->points >= 1 && is_error(piece->error) && piece->coefficient;
    for (int i = 0; i < count && good; i++) good = piece->degree[i] >= 0 && piece->degree[i] <= TCPLAN_MODEL_DEGREE;
    const int coefficients = good ? tcplan_model_coefficients(piece->degree, count) : 0;
    good = good && coefficients <= TCPLAN_MODEL_COEFFICIENTS;
    for (int j = 0; j < coefficients; j++) {
        double nothing = 0; /* of numbers that are finite */
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) nothing += 0 * piece->coefficient[j][s];
        good = good && nothing == 0;
    }
    return good ? TCPLAN_OK
                : error_set(error, TCPLAN_INVALID, "piece %zu lacks points, an error, degrees or coefficients that can be", place + 1);
}

static enum tcplan_status check(const struct tcplan_model *model, struct tcplan_error *error) {
    const struct tcplan_model_check *told = &model->check;
    enum tcplan_status status = tcplan_model_config_check(&model->config, error);
    if (status == TCPLAN_OK) status = model_check_domain(&model->domain, model->config.multiple, error);
    if (status == TCPLAN_OK) status = check_texts(model, error);
    for (int i = 0; i < model->domain.count && status == TCPLAN_OK; i++) {
        if (model->degree[i] < 0 || model->degree[i] > GRID_DEGREE) {
            status = error_set(error, TCPLAN_INVALID, "a degree is %d, expected 0 to %d", model->degree[i], GRID_DEGREE);
        }
    }
    const bool numbers = is_error(model->seconds) && model->made >= 0 && model->points >= 1 && told->points >= 0 && is_error(told->mean) &&
                         is_error(told->median) && is_error(told->p90) && is_error(told->maximum) && told->made >= 0;
    if (status == TCPLAN_OK && !numbers) status = error_set(error, TCPLAN_INVALID, "a number of the model cannot be negative or infinite");
    for (size_t p = 0; p < model->piece_count && status == TCPLAN_OK; p++) status = check_piece(model, p, error);
    return status;
}

/* The tree. */

/** A tree in the making. */
struct tree {
    struct tcplan_model *model;
    int64_t (*lowest)[TCPLAN_MODEL_SIZES]; /* of the pieces from here to the last one of those looked at */
    int nodes;
    struct tcplan_error *error;
};

static bool is_same_box(const struct tcplan_model_domain *a, const struct tcplan_model_domain *b) {
    for (int i = 0; i < a->count; i++) {
        if (a->low[i] != b->low[i] || a->high[i] != b->high[i]) return false;
    }
    return true;
}

/** Fills `lowest` for the pieces from `first` to in front of `last`. */
static void find_lowest(struct tree *tree, size_t first, size_t last) {
    const struct tcplan_model_piece *piece = tree->model->piece;
    for (size_t p = last; p-- > first;) {
        for (int i = 0; i < tree->model->domain.count; i++) {
            const int64_t low = piece[p].domain.low[i];
            tree->lowest[p][i] = p + 1 < last && tree->lowest[p + 1][i] < low ? tree->lowest[p + 1][i] : low;
        }
    }
}

/** Whether the model's own rule halves the box between two pieces; the place of the upper one. */
static size_t halved_by_rule(const struct tree *tree, size_t first, size_t last, const struct tcplan_model_domain *box, int *size,
                             int64_t *at) {
    const struct tcplan_model_piece *piece = tree->model->piece;
    size_t place = first;
    if (!grid_halve(size, at, box, tree->model->config.multiple)) return first;
    while (place < last && piece[place].domain.high[*size] <= *at) place++;
    return place > first && place < last && tree->lowest[place][*size] >= *at ? place : first;
}

/** The most even way to divide pieces; `first` where there is none. */
static size_t divided_anyhow(const struct tree *tree, size_t first, size_t last, int *size, int64_t *at) {
    const struct tcplan_model_piece *piece = tree->model->piece;
    size_t best = first, evenness = 0;
    int64_t highest[TCPLAN_MODEL_SIZES] = {0};
    for (size_t p = first + 1; p < last; p++) {
        const size_t even = p - first < last - p ? p - first : last - p;
        for (int i = 0; i < tree->model->domain.count; i++) {
            if (piece[p - 1].domain.high[i] > highest[i]) highest[i] = piece[p - 1].domain.high[i];
            if (even <= evenness || highest[i] > tree->lowest[p][i]) continue;
            best = p;
            evenness = even;
            *size = i;
            *at = highest[i];
        }
    }
    return best;
}

static enum tcplan_status refuse_pieces(const struct tree *tree, size_t place) {
    return error_set(tree->error, TCPLAN_INVALID, "the pieces do not fill the domain one beside the other: piece %zu", place + 1);
}

/** Makes the tree of the pieces from `first` to in front of `last`, which fill the box; `out` receives what a node says of a child. */
static enum tcplan_status grow(struct tree *tree, int *out, size_t first, size_t last, const struct tcplan_model_domain *box, int depth) {
    if (last - first == 1) {
        *out = -1 - (int)first;
        return is_same_box(&tree->model->piece[first].domain, box) ? TCPLAN_OK : refuse_pieces(tree, first);
    }
    int size = 0;
    int64_t at = 0;
    find_lowest(tree, first, last);
    size_t place = halved_by_rule(tree, first, last, box, &size, &at);
    if (place == first) place = divided_anyhow(tree, first, last, &size, &at);
    if (place == first || at <= box->low[size] || at >= box->high[size] || depth == DEPTH) return refuse_pieces(tree, first);
    struct tcplan_model_domain lower = *box, upper = *box;
    const int node = tree->nodes++;
    *out = node;
    lower.high[size] = at;
    upper.low[size] = at;
    tree->model->node[node] = (struct tcplan_model_node){.at = at, .size = size};
    enum tcplan_status status = grow(tree, &tree->model->node[node].half[0], first, place, &lower, depth + 1);
    if (status == TCPLAN_OK) status = grow(tree, &tree->model->node[node].half[1], place, last, &upper, depth + 1);
    return status;
}

enum tcplan_status model_index(struct tcplan_model *model, struct tcplan_error *error) {
    struct tree tree = {.model = model, .error = error};
    int root;
    tree.lowest = base_alloc(model->piece_count * sizeof *tree.lowest);
    if (!tree.lowest) return error_no_memory(error);
    const enum tcplan_status status = grow(&tree, &root, 0, model->piece_count, &model->domain, 0);
    base_free(tree.lowest);
    return status;
}

enum tcplan_status model_finish(struct tcplan_model *model, struct tcplan_error *error) {
    const enum tcplan_status status = check(model, error);
    return status == TCPLAN_OK ? model_index(model, error) : status;
}

/* Evaluation. */

/** The piece at sizes within the domain. The first node is the root. */
static size_t find_piece(const struct tcplan_model *model, const int64_t size[]) {
    int at = model->piece_count > 1 ? 0 : -1;
    while (at >= 0) {
        const struct tcplan_model_node *node = &model->node[at];
        at = node->half[size[node->size] > node->at];
    }
    return (size_t)(-1 - at);
}

/** The nearest sizes within the domain; whether they are others. */
static bool clamp(int64_t out[TCPLAN_MODEL_SIZES], const struct tcplan_model_domain *domain, const int64_t size[]) {
    bool outside = false;
    for (int i = 0; i < domain->count; i++) {
        out[i] = size[i] < domain->low[i] ? domain->low[i] : size[i] > domain->high[i] ? domain->high[i] : size[i];
        outside = outside || out[i] != size[i];
    }
    return outside;
}

size_t tcplan_model_piece_at(const struct tcplan_model *model, const int64_t size[]) {
    int64_t within[TCPLAN_MODEL_SIZES];
    clamp(within, &model->domain, size);
    return find_piece(model, within);
}

/** out = out * t + value, for all statistics. */
static inline void step(double out[TCPLAN_MODEL_STATISTICS], double t, const double value[TCPLAN_MODEL_STATISTICS]) {
    out[TCPLAN_MODEL_MINIMUM] = out[TCPLAN_MODEL_MINIMUM] * t + value[TCPLAN_MODEL_MINIMUM];
    out[TCPLAN_MODEL_MEDIAN] = out[TCPLAN_MODEL_MEDIAN] * t + value[TCPLAN_MODEL_MEDIAN];
    out[TCPLAN_MODEL_MAXIMUM] = out[TCPLAN_MODEL_MAXIMUM] * t + value[TCPLAN_MODEL_MAXIMUM];
    out[TCPLAN_MODEL_MEAN] = out[TCPLAN_MODEL_MEAN] * t + value[TCPLAN_MODEL_MEAN];
    out[TCPLAN_MODEL_DEVIATION] = out[TCPLAN_MODEL_DEVIATION] * t + value[TCPLAN_MODEL_DEVIATION];
}

/* Horner's scheme in one size, whose coefficients are numbers, and in more, whose coefficients are polynomials in the sizes behind. */

static inline const double *horner_1(double out[TCPLAN_MODEL_STATISTICS], const double *end, const int degree[], const double t[]) {
    double sum[TCPLAN_MODEL_STATISTICS] = {0};
    for (int e = degree[0]; e >= 0; e--) {
        end -= TCPLAN_MODEL_STATISTICS;
        step(sum, t[0], end);
    }
    memcpy(out, sum, sizeof sum);
    return end;
}

static inline const double *horner_2(double out[TCPLAN_MODEL_STATISTICS], const double *end, const int degree[], const double t[]) {
    double sum[TCPLAN_MODEL_STATISTICS] = {0}, inner[TCPLAN_MODEL_STATISTICS];
    for (int e = degree[0]; e >= 0; e--) {
        end = horner_1(inner, end, degree + 1, t + 1);
        step(sum, t[0], inner);
    }
    memcpy(out, sum, sizeof sum);
    return end;
}

static inline const double *horner_3(double out[TCPLAN_MODEL_STATISTICS], const double *end, const int degree[], const double t[]) {
    double sum[TCPLAN_MODEL_STATISTICS] = {0}, inner[TCPLAN_MODEL_STATISTICS];
    for (int e = degree[0]; e >= 0; e--) {
        end = horner_2(inner, end, degree + 1, t + 1);
        step(sum, t[0], inner);
    }
    memcpy(out, sum, sizeof sum);
    return end;
}

static void horner_4(double out[TCPLAN_MODEL_STATISTICS], const double *end, const int degree[], const double t[]) {
    double inner[TCPLAN_MODEL_STATISTICS];
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) out[s] = 0;
    for (int e = degree[0]; e >= 0; e--) {
        end = horner_3(inner, end, degree + 1, t + 1);
        step(out, t[0], inner);
    }
}

/** From the last coefficient, in front of `end`, to the first. */
static void horner(double out[TCPLAN_MODEL_STATISTICS], const double *end, const int degree[], const double t[], int count) {
    switch (count) {
    case 1: horner_1(out, end, degree, t); break;
    case 2: horner_2(out, end, degree, t); break;
    case 3: horner_3(out, end, degree, t); break;
    default: horner_4(out, end, degree, t); break;
    }
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/** 0 <= minimum <= median <= maximum, the mean between them, the deviation not below 0. */
static void put_in_order(double ns[TCPLAN_MODEL_STATISTICS]) {
    ns[TCPLAN_MODEL_MINIMUM] = larger(ns[TCPLAN_MODEL_MINIMUM], 0);
    ns[TCPLAN_MODEL_MEDIAN] = larger(ns[TCPLAN_MODEL_MEDIAN], ns[TCPLAN_MODEL_MINIMUM]);
    ns[TCPLAN_MODEL_MAXIMUM] = larger(ns[TCPLAN_MODEL_MAXIMUM], ns[TCPLAN_MODEL_MEDIAN]);
    ns[TCPLAN_MODEL_MEAN] = larger(ns[TCPLAN_MODEL_MEAN], ns[TCPLAN_MODEL_MINIMUM]);
    if (ns[TCPLAN_MODEL_MEAN] > ns[TCPLAN_MODEL_MAXIMUM]) ns[TCPLAN_MODEL_MEAN] = ns[TCPLAN_MODEL_MAXIMUM];
    ns[TCPLAN_MODEL_DEVIATION] = larger(ns[TCPLAN_MODEL_DEVIATION], 0);
}

static void evaluate_piece(double ns[TCPLAN_MODEL_STATISTICS], const struct tcplan_model_piece *piece, const int64_t size[]) {
    double t[TCPLAN_MODEL_SIZES];
    const int count = piece->domain.count;
    fit_scale(t, &piece->domain, size);
    horner(ns, piece->coefficient[0] + (ptrdiff_t)tcplan_model_coefficients(piece->degree, count) * TCPLAN_MODEL_STATISTICS, piece->degree,
           t, count);
    put_in_order(ns);
}

void tcplan_model_evaluate(struct tcplan_model_estimate *out, const struct tcplan_model *model, const int64_t size[]) {
    int64_t within[TCPLAN_MODEL_SIZES];
    *out = (struct tcplan_model_estimate){0};
    for (int i = 0; i < model->domain.count; i++) {
        if (size[i] <= 0) return;
    }
    out->outside = clamp(within, &model->domain, size);
    const struct tcplan_model_piece *piece = &model->piece[find_piece(model, within)];
    out->error = piece->error;
    evaluate_piece(out->ns, piece, within);
}
