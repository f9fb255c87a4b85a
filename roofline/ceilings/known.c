#include "roofline/ceilings/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "roofline/ceilings/sweep.h"

/** Returns whether two ceilings describe the same kernel and setting: neither rates nor extents
 * matter. */
static bool is_same(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->threads == b->threads && a->cache == b->cache && a->precision == b->precision &&
           a->mix == b->mix && a->vector_bits == b->vector_bits && strcmp(a->name, b->name) == 0;
}

struct tcplan_ceiling *known_find(const struct tcplan_roofline *roofline,
                                  const struct tcplan_ceiling *like) {
    struct tcplan_ceiling *list = like->cache < 0 ? roofline->compute : roofline->bandwidth;
    const size_t count = like->cache < 0 ? roofline->compute_count : roofline->bandwidth_count;
    for (size_t c = 0; c < count; c++) {
        if (is_same(&list[c], like)) return &list[c];
    }
    return NULL;
}

/** Returns the number of a ceiling's operation in the enumeration of its kind; the number of
 * operations if none has its name. */
static int operation_of(const struct tcplan_ceiling *ceiling) {
    int operation = 0;
    if (ceiling->m > 0) return 0;
    if (ceiling->cache >= 0) {
        while (operation < STREAM_OPERATIONS &&
               strcmp(stream_name((enum stream_operation)operation), ceiling->name) != 0)
            operation++;
        return operation;
    }
    while (operation < COMPUTE_OPERATIONS &&
           (compute_mix((enum compute_operation)operation) != ceiling->mix ||
            strcmp(compute_name((enum compute_operation)operation), ceiling->name) != 0))
        operation++;
    return operation;
}

/*
 * With options.dtypes, only ceilings for points of these types are requested: fma and mul_add of
 * their real type, and streams that are not strided; no gemm.
 */

static bool has_type(const struct measuring *measuring, enum tcplan_dtype dtype) {
    return (measuring->options.dtypes & 1U << dtype) != 0;
}

/** Returns whether a bandwidth is requested: without further options, the widest vectors and a few
 * strided loads. Random loads belong to the strided ones. */
static bool is_wanted_bandwidth(const struct measuring *measuring,
                                const struct tcplan_ceiling *ceiling) {
    const struct tcplan_roofline_options *options = &measuring->options;
    const enum stream_operation operation = (enum stream_operation)operation_of(ceiling);
    if (operation == STREAM_LOAD_RANDOM && !options->strided) return false;
    if (!stream_is_strided(operation))
        return options->widths ||
               ceiling->vector_bits == measuring->width[0]->stream[0].vector_bits;
    if (options->strided || (options->widths && stream_shape(operation).stride == 1)) return true;
    return options->dtypes == 0 && operation >= STREAM_LOAD_2 && operation <= STREAM_LOAD_16;
}

static bool is_wanted(const struct measuring *measuring, const struct tcplan_ceiling *ceiling) {
    if (ceiling->cache >= 0) return is_wanted_bandwidth(measuring, ceiling);
    if (measuring->options.dtypes == 0) return true;
    if (ceiling->mix != TCPLAN_MIX_NONE || ceiling->m > 0) return false;
    const bool single = ceiling->precision == TCPLAN_FLOAT;
    const bool typed = has_type(measuring, ceiling->precision) ||
                       has_type(measuring, single ? TCPLAN_FLOAT_COMPLEX : TCPLAN_DOUBLE_COMPLEX);
    return typed && (strcmp(ceiling->name, "fma") == 0 || strcmp(ceiling->name, "mul_add") == 0);
}

bool known_is_done(const struct measuring *measuring, const struct tcplan_ceiling *ceiling) {
    return !is_wanted(measuring, ceiling) || known_find(measuring->roofline, ceiling);
}

bool known_is_over(const struct measuring *measuring) {
    return deadline_is_over(measuring->deadline);
}

bool known_is_settled(struct measuring *measuring, const struct tcplan_ceiling *ceiling) {
    const bool done = known_is_done(measuring, ceiling), over = !done && known_is_over(measuring);
    if (done || over) measuring_step(measuring);
    measuring->roofline->unmeasured += over;
    return done || over;
}

static enum tcplan_status take(struct measuring *measuring, const struct tcplan_ceiling *list,
                               size_t count, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < count && status == TCPLAN_OK; c++) {
        if (!list[c].rough || measuring->rough)
            status = measuring_append(measuring, &list[c], error);
    }
    return status;
}

enum tcplan_status known_take(struct measuring *measuring, struct tcplan_error *error) {
    const struct tcplan_roofline *known = measuring->options.known;
    if (!known) return TCPLAN_OK;
    measuring->roofline->seconds = known->seconds;
    if (known->made > 0) measuring->roofline->made = known->made;
    enum tcplan_status status = take(measuring, known->compute, known->compute_count, error);
    if (status == TCPLAN_OK)
        status = take(measuring, known->bandwidth, known->bandwidth_count, error);
    if (status == TCPLAN_OK) status = sweep_take(measuring, error);
    measuring->known_compute = measuring->roofline->compute_count;
    measuring->known_bandwidth = measuring->roofline->bandwidth_count;
    return status;
}

/** Moves the ceilings from number `first` on that were measured on slow cores to another list,
 * which has room for them. */
static void move_slow(struct tcplan_ceiling *from, size_t first, size_t *from_count,
                      struct tcplan_ceiling *to, size_t *to_count) {
    size_t left = first;
    for (size_t c = first; c < *from_count; c++) {
        if (tcplan_ceiling_is_slow(&from[c])) {
            to[(*to_count)++] = from[c];
        } else {
            from[left++] = from[c];
        }
    }
    *from_count = left;
}

void known_take_slow(struct measuring *measuring, struct tcplan_roofline *out) {
    struct tcplan_roofline *roofline = measuring->roofline;
    *out = (struct tcplan_roofline){
        .compute = base_alloc((roofline->compute_count + 1) * sizeof *out->compute),
        .bandwidth = base_alloc((roofline->bandwidth_count + 1) * sizeof *out->bandwidth)};
    if (!out->compute || !out->bandwidth) return;
    move_slow(roofline->compute, measuring->known_compute, &roofline->compute_count, out->compute,
              &out->compute_count);
    move_slow(roofline->bandwidth, measuring->known_bandwidth, &roofline->bandwidth_count,
              out->bandwidth, &out->bandwidth_count);
}

/** Adds each ceiling of a list to the roofline again, if the roofline lacks it or has it measured
 * on slower cores. The speeds of both are relative to the best clock regime known by now. */
static enum tcplan_status put_back(struct measuring *measuring, struct tcplan_ceiling *list,
                                   size_t count, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < count && status == TCPLAN_OK; c++) {
        struct tcplan_ceiling *now = known_find(measuring->roofline, &list[c]);
        if (!now) {
            status = measuring_append(measuring, &list[c], error);
        } else if (tcplan_ceiling_speed_share(now) < tcplan_ceiling_speed_share(&list[c])) {
            *now = list[c];
        }
    }
    return status;
}

enum tcplan_status known_put_back(struct measuring *measuring, struct tcplan_roofline *slow,
                                  struct tcplan_error *error) {
    enum tcplan_status status = put_back(measuring, slow->compute, slow->compute_count, error);
    if (status == TCPLAN_OK)
        status = put_back(measuring, slow->bandwidth, slow->bandwidth_count, error);
    base_free(slow->compute);
    base_free(slow->bandwidth);
    return status;
}

/* Sorting ceilings. */

enum { RANKS = 6 };

/** Sets the sort keys, the most significant first: gemm after other ceilings, number of threads,
 * cache, double precision before single (for gemm, the order of types), operation, wide vectors
 * before narrow ones. */
static void rank(int out[RANKS], const struct tcplan_ceiling *ceiling) {
    const bool gemm = ceiling->m > 0;
    out[0] = gemm;
    out[1] = ceiling->threads;
    out[2] = ceiling->cache;
    out[3] = gemm ? (int)ceiling->precision : -(int)ceiling->precision;
    out[4] = operation_of(ceiling);
    out[5] = -ceiling->vector_bits;
}

static int compare(const void *a, const void *b) {
    int x[RANKS], y[RANKS], r = 0;
    rank(x, a);
    rank(y, b);
    while (r < RANKS - 1 && x[r] == y[r]) r++;
    return (x[r] > y[r]) - (x[r] < y[r]);
}

void known_sort(struct tcplan_roofline *roofline) {
    if (roofline->compute_count > 0)
        qsort(roofline->compute, roofline->compute_count, sizeof *roofline->compute, compare);
    if (roofline->bandwidth_count > 0)
        qsort(roofline->bandwidth, roofline->bandwidth_count, sizeof *roofline->bandwidth, compare);
}
