#include "models/refinement.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/fit.h"
#include "models/grid.h"
#include "models/model.h"
#include "models/spread.h"

/** If a box is halved, this share of its work is measuring its own points. The rest of its work
 * belongs to the two halves. */
#define OWN_SHARE 0.5

enum { FIRST_NOTES = 64 };

enum box_state {
    BOX_WAITS, /**< has no polynomial until its samples are taken */
    BOX_FITS,  /**< has a polynomial, which is accurate enough: the box is not halved */
    BOX_HALVED /**< has a polynomial, and two halves that may replace it */
};

/** A box of the domain. */
struct box {
    enum box_state state;
    struct tcplan_model_piece piece; /* the polynomial; the box owns its coefficients */
    bool explained; /* whether the spread of the box's samples explains its errors (models/spread.h)
                     */
    size_t lower, upper; /* numbers of the box's halves */
    double share;        /* share of the box in the work of the whole refinement */
};

/** State of a sample. */
struct note {
    double spread;
    bool used; /* whether a polynomial was fitted to the sample */
};

struct model_refinement {
    struct tcplan_model_config config;
    struct tcplan_model_domain domain;
    int degree[TCPLAN_MODEL_SIZES];
    struct tcplan_model_samples samples;
    struct note *note; /* the state of each sample, in the order of `samples` */
    size_t note_capacity;
    size_t count, capacity;
    struct box *box; /* the first box is the whole domain; halves come after the box they divide */
    size_t leaves;
    size_t first_waiting; /* all boxes before this one have been examined; this one and later boxes
                             wait for samples */
    size_t wanted_count;  /* number of points in `wanted` */
    struct model_point *wanted; /* this round's points, with and without samples, ascending */
    size_t missing;             /* number of wanted points without a sample */
    double done_share;          /* share of the work that is done in completed rounds */
    int rounds;
    bool done;
    bool failed;
    bool complete; /* whether every box that had to be halved has been halved */
};

/* Boxes. */

static void grid_of(struct grid *out, const struct model_refinement *refinement,
                    const struct tcplan_model_domain *domain) {
    grid_make(out, domain, refinement->degree, &refinement->config);
}

/** Adds a box that waits for samples; returns its place, or SIZE_MAX if out of memory. */
static size_t add_box(struct model_refinement *refinement, const struct tcplan_model_domain *domain,
                      double share) {
    struct grid grid;
    if (refinement->count == refinement->capacity) {
        const size_t capacity = refinement->capacity > 0 ? 2 * refinement->capacity : 1;
        struct box *grown = base_realloc(refinement->box, capacity * sizeof *grown);
        if (!grown) return SIZE_MAX;
        refinement->box = grown;
        refinement->capacity = capacity;
    }
    grid_of(&grid, refinement, domain);
    struct box *box = &refinement->box[refinement->count];
    *box = (struct box){.piece = {.domain = *domain, .points = (int)grid.total}, .share = share};
    memcpy(box->piece.degree, grid.degree, sizeof grid.degree);
    const size_t coefficients = (size_t)tcplan_model_coefficients(grid.degree, domain->count);
    box->piece.coefficient = base_alloc_zero(coefficients, sizeof *box->piece.coefficient);
    if (!box->piece.coefficient) return SIZE_MAX;
    return refinement->count++;
}

static bool halve_box(struct model_refinement *refinement, size_t place, int size, int64_t at) {
    assert(refinement->box[place].piece.domain.low[size] < at);
    assert(at < refinement->box[place].piece.domain.high[size]);
    struct tcplan_model_domain lower = refinement->box[place].piece.domain, upper = lower;
    const double share = 0.5 * (1 - OWN_SHARE) * refinement->box[place].share;
    lower.high[size] = at;
    upper.low[size] = at;
    const size_t first = add_box(refinement, &lower, share);
    const size_t second = first == SIZE_MAX ? first : add_box(refinement, &upper, share);
    if (second == SIZE_MAX) return false;
    refinement->box[place].state = BOX_HALVED;
    refinement->box[place].lower = first;
    refinement->box[place].upper = second;
    refinement->leaves++;
    return true;
}

/* Wanted points. */

static int compare_points(const void *a, const void *b) {
    const struct model_point *x = a, *y = b;
    for (int i = 0; i < TCPLAN_MODEL_SIZES; i++) {
        if (x->size[i] != y->size[i]) return x->size[i] < y->size[i] ? -1 : 1;
    }
    return 0;
}

static size_t points_of_waiting(const struct model_refinement *refinement) {
    size_t count = 0;
    for (size_t b = refinement->first_waiting; b < refinement->count; b++)
        count += (size_t)refinement->box[b].piece.points;
    return count;
}

/** Sorts points and removes duplicates; returns how many remain. */
static size_t unite(struct model_point point[], size_t count) {
    size_t united = 0;
    qsort(point, count, sizeof *point, compare_points);
    for (size_t p = 0; p < count; p++) {
        if (united == 0 || compare_points(&point[united - 1], &point[p]) != 0)
            point[united++] = point[p];
    }
    return united;
}

/** Collects the points of the waiting boxes in `wanted`; returns false if out of memory. */
static bool want(struct model_refinement *refinement) {
    struct model_point *point = base_alloc((points_of_waiting(refinement) + 1) * sizeof *point);
    size_t count = 0;
    if (!point) return false;
    for (size_t b = refinement->first_waiting; b < refinement->count; b++) {
        struct grid grid;
        grid_of(&grid, refinement, &refinement->box[b].piece.domain);
        for (size_t p = 0; p < grid.total; p++) grid_point(point[count++].size, &grid, p);
    }
    base_free(refinement->wanted);
    refinement->wanted = point;
    refinement->wanted_count = unite(point, count);
    refinement->missing = 0;
    for (size_t p = 0; p < refinement->wanted_count; p++) {
        refinement->missing += !tcplan_model_samples_find(&refinement->samples, point[p].size);
    }
    return true;
}

static bool is_wanted(const struct model_refinement *refinement, const int64_t size[]) {
    struct model_point point;
    memcpy(point.size, size, sizeof point.size);
    return refinement->wanted_count > 0 &&
           bsearch(&point, refinement->wanted, refinement->wanted_count, sizeof point,
                   compare_points) != NULL;
}

size_t model_refinement_next(const struct model_refinement *refinement, struct model_point out[],
                             size_t capacity) {
    size_t count = 0;
    if (refinement->done || refinement->failed) return 0;
    for (size_t p = 0; p < refinement->wanted_count && count < capacity; p++) {
        const struct model_point *point = &refinement->wanted[p];
        if (!tcplan_model_samples_find(&refinement->samples, point->size)) out[count++] = *point;
    }
    return refinement->missing;
}

/* Fitting. */

/** The samples of a grid's points with their spreads, weights and errors. */
struct fitting {
    const struct tcplan_model_sample **sample;
    double *spread;
    double *weight;
    double *error;
};

static struct note *note_of(const struct model_refinement *refinement,
                            const struct tcplan_model_sample *sample) {
    return &refinement->note[sample - refinement->samples.sample];
}

/** Collects the samples of a grid; returns false if one is missing. */
static bool gather(struct fitting *out, const struct model_refinement *refinement,
                   const struct grid *grid) {
    for (size_t p = 0; p < grid->total; p++) {
        int64_t size[TCPLAN_MODEL_SIZES];
        grid_point(size, grid, p);
        out->sample[p] = tcplan_model_samples_find(&refinement->samples, size);
        if (!out->sample[p]) return false;
        out->spread[p] = note_of(refinement, out->sample[p])->spread;
    }
    return true;
}

/** Computes the error of a box, from the weighted errors of the reference statistic at its own
 * points, and whether the samples' spread explains them. */
static void note_errors(struct box *box, const struct tcplan_model_config *config,
                        const struct fitting *fitting) {
    const size_t count = (size_t)box->piece.points;
    for (size_t p = 0; p < count; p++) {
        const double measured = fitting->sample[p]->ns[config->reference];
        const double difference =
            measured - fit_value(&box->piece, config->reference, fitting->sample[p]->size);
        fitting->error[p] = (difference < 0 ? -difference : difference) / measured;
    }
    box->explained = spread_explains(fitting->error, fitting->spread, fitting->weight, count);
    for (size_t p = 0; p < count; p++) fitting->error[p] *= fitting->weight[p];
    box->piece.error = fit_measure(config->measure, fitting->error, count);
}

/** Fits a box to the samples of its grid; does nothing if one is missing. `fitting` has room for
 * all points. */
static enum tcplan_status fit_grid(struct model_refinement *refinement, struct box *box,
                                   const struct grid *grid, struct fitting *fitting,
                                   struct tcplan_error *error) {
    if (!gather(fitting, refinement, grid)) return TCPLAN_OK;
    spread_weights(fitting->weight, fitting->spread, grid->total, refinement->config.bound);
    const enum tcplan_status status =
        fit_piece(&box->piece, fitting->sample, fitting->weight, grid->total, error);
    if (status != TCPLAN_OK) return status;
    note_errors(box, &refinement->config, fitting);
    box->state = BOX_FITS;
    for (size_t p = 0; p < grid->total; p++) note_of(refinement, fitting->sample[p])->used = true;
    return TCPLAN_OK;
}

/** Fits a waiting box; does nothing if one of its samples is missing. */
static enum tcplan_status fit_box(struct model_refinement *refinement, struct box *box,
                                  struct tcplan_error *error) {
    struct grid grid;
    grid_of(&grid, refinement, &box->piece.domain);
    double *numbers = base_alloc(3 * grid.total * sizeof *numbers);
    struct fitting fitting = {
        .sample = base_alloc(grid.total * sizeof(const struct tcplan_model_sample *)),
        .spread = numbers,
        .weight = numbers ? numbers + grid.total : NULL,
        .error = numbers ? numbers + 2 * grid.total : NULL};
    const bool room = fitting.sample && numbers;
    const enum tcplan_status status =
        room ? fit_grid(refinement, box, &grid, &fitting, error) : error_no_memory(error);
    base_free(fitting.sample);
    base_free(numbers);
    return status;
}

static enum tcplan_status fit_waiting(struct model_refinement *refinement,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t b = refinement->first_waiting; b < refinement->count && status == TCPLAN_OK; b++) {
        if (refinement->box[b].state == BOX_WAITS)
            status = fit_box(refinement, &refinement->box[b], error);
    }
    return status;
}

/* Rounds. */

/** A box that is to be halved, in size number `size` at `at`. */
struct halving {
    size_t box;
    double error;
    int size;
    int64_t at;
};

/** Sorts by error, the largest first; equal errors by box. */
static int compare_halvings(const void *a, const void *b) {
    const struct halving *x = a, *y = b;
    if (x->error != y->error) return x->error > y->error ? -1 : 1;
    return (x->box > y->box) - (x->box < y->box);
}

/** Returns whether to halve a box: its error exceeds the bound and is not explained by the samples'
 * spread, it is wide enough, and there is a multiple to halve at. */
static bool is_to_be_halved(struct halving *out, const struct model_refinement *refinement,
                            size_t place) {
    const struct tcplan_model_piece *piece = &refinement->box[place].piece;
    bool wide = false;
    if (piece->error <= refinement->config.bound || refinement->box[place].explained) return false;
    for (int i = 0; i < piece->domain.count; i++)
        wide = wide || piece->domain.high[i] - piece->domain.low[i] >= refinement->config.min_width;
    *out = (struct halving){.box = place, .error = piece->error};
    return wide && grid_halve(&out->size, &out->at, &piece->domain, refinement->config.multiple);
}

/** Halves the boxes fitted in this round that need it, the one with the largest error first, as
 * long as more pieces are allowed. Returns false if out of memory. */
static bool halve(struct model_refinement *refinement) {
    struct halving *halving =
        base_alloc((refinement->count - refinement->first_waiting + 1) * sizeof *halving);
    size_t count = 0, next = 0;
    if (!halving) return false;
    for (size_t b = refinement->first_waiting; b < refinement->count; b++) {
        if (is_to_be_halved(&halving[count], refinement, b)) {
            count++;
            refinement->done_share += OWN_SHARE * refinement->box[b].share;
        } else {
            refinement->done_share += refinement->box[b].share;
        }
    }
    qsort(halving, count, sizeof *halving, compare_halvings);
    refinement->first_waiting = refinement->count;
    bool good = true;
    for (; next < count && good && refinement->leaves < (size_t)refinement->config.most_pieces;
         next++) {
        good = halve_box(refinement, halving[next].box, halving[next].size, halving[next].at);
    }
    refinement->complete = refinement->complete && next == count;
    for (size_t h = next; h < count && good; h++)
        refinement->done_share += (1 - OWN_SHARE) * refinement->box[halving[h].box].share;
    base_free(halving);
    return good;
}

/** Fits and halves boxes round by round, until a sample is missing or the refinement is complete.
 */
static enum tcplan_status go_on(struct model_refinement *refinement, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    while (refinement->missing == 0 && !refinement->done && status == TCPLAN_OK) {
        status = fit_waiting(refinement, error);
        if (status == TCPLAN_OK && !halve(refinement)) status = error_no_memory(error);
        if (status != TCPLAN_OK) break;
        refinement->rounds++;
        refinement->done = refinement->first_waiting == refinement->count;
        if (!want(refinement)) status = error_no_memory(error);
    }
    refinement->failed = status != TCPLAN_OK;
    return status;
}

/** Makes room for the state of one more sample. */
static bool reserve_notes(struct model_refinement *refinement) {
    if (refinement->samples.count < refinement->note_capacity) return true;
    const size_t capacity =
        refinement->note_capacity > 0 ? 2 * refinement->note_capacity : FIRST_NOTES;
    struct note *grown = base_realloc(refinement->note, capacity * sizeof *grown);
    if (!grown) return false;
    refinement->note = grown;
    refinement->note_capacity = capacity;
    return true;
}

enum tcplan_status model_refinement_add(struct model_refinement *refinement,
                                        const struct tcplan_model_sample *sample, double spread,
                                        struct tcplan_error *error) {
    if (tcplan_model_samples_find(&refinement->samples, sample->size)) return TCPLAN_OK;
    if (!reserve_notes(refinement)) return error_no_memory(error);
    const enum tcplan_status status = tcplan_model_samples_add(&refinement->samples, sample, error);
    if (status == TCPLAN_OK)
        refinement->note[refinement->samples.count - 1] =
            (struct note){.spread = spread > 0 ? spread : 0};
    if (status != TCPLAN_OK || refinement->done || refinement->failed ||
        !is_wanted(refinement, sample->size))
        return status;
    refinement->missing--;
    return go_on(refinement, error);
}

/* Beginning and end. */

static enum tcplan_status check(const struct tcplan_model_domain *domain, const int degree[],
                                const struct tcplan_model_config *config,
                                struct tcplan_error *error) {
    struct grid grid;
    enum tcplan_status status = tcplan_model_config_check(config, error);
    if (status == TCPLAN_OK) status = model_check_domain(domain, config->multiple, error);
    for (int i = 0; i < domain->count && status == TCPLAN_OK; i++) {
        if (degree[i] < 0 || degree[i] > GRID_DEGREE) {
            status = error_set(error, TCPLAN_INVALID, "a degree is %d, expected 0 to %d", degree[i],
                               GRID_DEGREE);
        }
    }
    if (status != TCPLAN_OK) return status;
    grid_make(&grid, domain, degree, config);
    const int coefficients = tcplan_model_coefficients(grid.degree, domain->count);
    if (grid.total <= TCPLAN_MODEL_POINTS && coefficients <= TCPLAN_MODEL_COEFFICIENTS)
        return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "a grid of %zu points for %d coefficients is too large: at most %d and %d",
                     grid.total, coefficients, TCPLAN_MODEL_POINTS, TCPLAN_MODEL_COEFFICIENTS);
}

enum tcplan_status model_refinement_new(struct model_refinement **out,
                                        const struct tcplan_model_domain *domain,
                                        const int degree[],
                                        const struct tcplan_model_config *config,
                                        struct tcplan_error *error) {
    *out = NULL;
    enum tcplan_status status = check(domain, degree, config, error);
    if (status != TCPLAN_OK) return status;
    struct model_refinement *refinement = base_alloc_zero(1, sizeof *refinement);
    if (!refinement) return error_no_memory(error);
    refinement->config = *config;
    refinement->domain = *domain;
    refinement->leaves = 1;
    refinement->complete = true;
    for (int i = 0; i < domain->count; i++) refinement->degree[i] = degree[i];
    if (add_box(refinement, domain, 1) == SIZE_MAX || !want(refinement)) {
        model_refinement_free(refinement);
        return error_no_memory(error);
    }
    *out = refinement;
    return TCPLAN_OK;
}

void model_refinement_free(struct model_refinement *refinement) {
    if (!refinement) return;
    for (size_t b = 0; b < refinement->count; b++) base_free(refinement->box[b].piece.coefficient);
    tcplan_model_samples_free(&refinement->samples);
    base_free(refinement->note);
    base_free(refinement->box);
    base_free(refinement->wanted);
    base_free(refinement);
}

const struct tcplan_model_samples *model_refinement_samples(
    const struct model_refinement *refinement) {
    return &refinement->samples;
}

/* Progress. */

/** Returns the share of the work that the samples of the current round represent. */
static double waiting_share(const struct model_refinement *refinement) {
    double share = 0;
    for (size_t b = refinement->first_waiting; b < refinement->count; b++)
        share += OWN_SHARE * refinement->box[b].share;
    if (refinement->wanted_count == 0) return 0;
    return share * (double)(refinement->wanted_count - refinement->missing) /
           (double)refinement->wanted_count;
}

struct model_progress model_refinement_progress(const struct model_refinement *refinement) {
    struct model_progress out = {.done = refinement->done,
                                 .wanted = refinement->missing,
                                 .samples = refinement->samples.count,
                                 .pieces = refinement->leaves,
                                 .rounds = refinement->rounds};
    if (refinement->box[0].state != BOX_WAITS) out.whole = refinement->box[0].piece.error;
    out.share = refinement->done ? 1 : refinement->done_share + waiting_share(refinement);
    for (size_t b = 0; b < refinement->count; b++) {
        const struct box *box = &refinement->box[b];
        out.waiting += box->state == BOX_WAITS;
        if (box->state == BOX_FITS && box->piece.error > out.error) out.error = box->piece.error;
        out.explained +=
            box->state == BOX_FITS && box->explained && box->piece.error > refinement->config.bound;
    }
    for (size_t s = 0; s < refinement->samples.count; s++)
        out.spread += refinement->note[s].spread / (double)refinement->samples.count;
    return out;
}

/** Calls `take` for the pieces of the current model, in order. A box counts as one piece unless
 * both of its halves have polynomials. */
static void walk(const struct model_refinement *refinement, size_t place,
                 void (*take)(void *context, const struct tcplan_model_piece *piece),
                 void *context) {
    const struct box *box = &refinement->box[place];
    const bool halved = box->state == BOX_HALVED &&
                        refinement->box[box->lower].state != BOX_WAITS &&
                        refinement->box[box->upper].state != BOX_WAITS;
    if (!halved) {
        take(context, &box->piece);
        return;
    }
    walk(refinement, box->lower, take, context);
    walk(refinement, box->upper, take, context);
}

/** Numbers of pieces and coefficients of a model. */
struct extent {
    size_t pieces;
    size_t coefficients;
};

static void measure_piece(void *context, const struct tcplan_model_piece *piece) {
    struct extent *extent = context;
    extent->pieces++;
    extent->coefficients += (size_t)tcplan_model_coefficients(piece->degree, piece->domain.count);
}

/** The places to which the next piece and its coefficients are copied. */
struct filling {
    struct tcplan_model_piece *piece;
    double (*room)[TCPLAN_MODEL_STATISTICS];
};

static void copy_piece(void *context, const struct tcplan_model_piece *piece) {
    struct filling *filling = context;
    const size_t count = (size_t)tcplan_model_coefficients(piece->degree, piece->domain.count);
    *filling->piece = *piece;
    filling->piece->coefficient = filling->room;
    memcpy(filling->room, piece->coefficient, count * sizeof *filling->room);
    filling->piece++;
    filling->room += count;
}

static int used_points(const struct model_refinement *refinement) {
    int count = 0;
    for (size_t s = 0; s < refinement->samples.count; s++) count += refinement->note[s].used;
    return count;
}

enum tcplan_status model_refinement_result(struct tcplan_model **out,
                                           struct model_refinement *refinement,
                                           struct tcplan_error *error) {
    struct extent extent = {0};
    struct filling filling;
    enum tcplan_status status = refinement->failed ? TCPLAN_OK : fit_waiting(refinement, error);
    *out = NULL;
    if (status != TCPLAN_OK) return status;
    if (refinement->box[0].state == BOX_WAITS) return TCPLAN_NOT_APPLICABLE;
    walk(refinement, 0, measure_piece, &extent);
    status = model_new(out, extent.pieces, extent.coefficients, &filling.room, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_model *model = *out;
    model->domain = refinement->domain;
    model->config = refinement->config;
    model->points = used_points(refinement);
    model->complete = refinement->done && refinement->complete;
    memcpy(model->degree, refinement->degree, sizeof model->degree);
    filling.piece = model->piece;
    walk(refinement, 0, copy_piece, &filling);
    status = model_index(model, error);
    if (status == TCPLAN_OK) return status;
    tcplan_model_free(model);
    *out = NULL;
    return status;
}
