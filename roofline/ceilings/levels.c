#include "roofline/ceilings/levels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "cachesim/cache_share.h"

/** Maximum ratio of two rates within a plateau, which may differ by noise and slow drift. */
#define PLATEAU_RATIO 1.15

/** Minimum ratio of the last to the first set of a plateau: somewhat less than 2, because the sizes
 * of a sweep are coarse. */
#define PLATEAU_LENGTH 1.9

/** Minimum ratio of the rates of two plateaus. Rates of one level differ by a few per cent from
 * series to series. */
#define LEAST_RATIO 1.25

/** A cache holds at most its reported size, plus possibly the size of nearer caches. */
#define MOST_OF_REPORTED 1.5

/** Penalty for a plateau without a reported cache: it counts as if sizes differed by this factor.
 */
#define UNREPORTED_FACTOR 64

/** Minimum number of consecutive sets that count as the plateau of memory. */
enum { LAST_SETS = 3 };

enum { CURVE_MOST = 256 };

/** A curve of rates over sizes; both are logarithms. */
struct curve {
    int count;
    double size[CURVE_MOST], rate[CURVE_MOST];
    double fitted[CURVE_MOST]; /* falling rates fitted to `rate` */
    int64_t bytes[CURVE_MOST];
};

struct stretch {
    int first, last;
};

static double median(const double value[], int count) {
    double sorted[CURVE_MOST];
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    sort_numbers(sorted, (size_t)count);
    return sorted_median(sorted, (size_t)count);
}

static void read_curve(struct curve *out, const struct size_rate curve[], int count) {
    out->count = 0;
    for (int c = 0; c < count && out->count < CURVE_MOST; c++) {
        if (!(curve[c].rate > 0) || curve[c].bytes <= 0) continue;
        out->bytes[out->count] = curve[c].bytes;
        out->size[out->count] = log((double)curve[c].bytes);
        out->rate[out->count++] = log(curve[c].rate);
    }
}

/** Fits the falling step function with the smallest sum of absolute distances from the rates (pool
 * adjacent violators): neighbours that rise are replaced by their median. */
static void fit(struct curve *curve) {
    int end[CURVE_MOST], blocks = 0; /* for each block, the number of the set after its last one */
    double value[CURVE_MOST];
    for (int c = 0; c < curve->count; c++) {
        end[blocks] = c + 1;
        value[blocks++] = curve->rate[c];
        while (blocks > 1 && value[blocks - 2] < value[blocks - 1]) {
            const int first = blocks > 2 ? end[blocks - 3] : 0;
            blocks--;
            end[blocks - 1] = c + 1;
            value[blocks - 1] = median(curve->rate + first, c + 1 - first);
        }
    }
    for (int b = 0, c = 0; b < blocks; b++) {
        for (; c < end[b]; c++) curve->fitted[c] = value[b];
        assert(b == 0 || value[b - 1] >= value[b]); /* the fitted rates never rise */
    }
}

/** Returns the longest stretch of sets from `first` up to but not including `end` whose fitted
 * rates differ by at most PLATEAU_RATIO. */
static struct stretch longest(const struct curve *curve, int first, int end) {
    struct stretch best = {first, first};
    for (int i = first, j = first; i < end; i++) {
        if (j < i) j = i;
        while (j + 1 < end && curve->fitted[i] - curve->fitted[j + 1] <= log(PLATEAU_RATIO)) j++;
        if (curve->size[j] - curve->size[i] > curve->size[best.last] - curve->size[best.first])
            best = (struct stretch){i, j};
    }
    return best;
}

/** Appends the plateaus from `first` up to but not including `end`, in order: the longest one, and
 * recursively those on either side. */
static void divide(struct stretch out[], int *count, const struct curve *curve, int first,
                   int end) {
    if (first >= end) return;
    const struct stretch found = longest(curve, first, end);
    if (curve->size[found.last] - curve->size[found.first] < log(PLATEAU_LENGTH)) return;
    divide(out, count, curve, first, found.first);
    assert(found.first >= first && found.last < end);
    out[(*count)++] = found;
    divide(out, count, curve, found.last + 1, end);
}

static double rate_of(const struct curve *curve, struct stretch stretch) {
    return median(curve->rate + stretch.first, stretch.last + 1 - stretch.first);
}

/** Merges neighbouring plateaus whose rates differ by less than LEAST_RATIO; returns how many
 * remain. */
static int merge(struct stretch stretch[], int count, const struct curve *curve) {
    int kept = 0;
    for (int s = 0; s < count; s++) {
        stretch[kept++] = stretch[s];
        while (kept > 1 && rate_of(curve, stretch[kept - 2]) - rate_of(curve, stretch[kept - 1]) <
                               log(LEAST_RATIO)) {
            stretch[kept - 2].last = stretch[kept - 1].last;
            kept--;
        }
    }
    return kept;
}

/** Adds a plateau of memory if the largest sets are slower than the last plateau, even if they are
 * few: beyond a large cache, rates may fall so slowly that only the last sets reach those of
 * memory. Returns the number of plateaus. */
static int add_last(struct stretch stretch[], int count, const struct curve *curve) {
    const int end = curve->count - 1;
    if (count == 0 || rate_of(curve, stretch[count - 1]) - curve->fitted[end] < log(LEAST_RATIO))
        return count;
    int first = end;
    while (first - 1 > stretch[count - 1].last &&
           curve->fitted[first - 1] - curve->fitted[end] < log(LEAST_RATIO))
        first--;
    if (end - first + 1 < LAST_SETS) return count;
    stretch[count] = (struct stretch){first, end};
    return count + 1;
}

/** Returns the largest set that is faster than the geometric mean of the rates of two neighbouring
 * plateaus. */
static int64_t border(const struct curve *curve, struct stretch inner, struct stretch outer) {
    const double half = (rate_of(curve, inner) + rate_of(curve, outer)) / 2;
    assert(inner.last < outer.first);
    int at = inner.last;
    while (at + 1 < outer.first && curve->fitted[at + 1] > half) at++;
    return curve->bytes[at];
}

int levels_find(struct plateau out[LEVELS_MOST], const struct size_rate points[], int count) {
    struct curve curve;
    struct stretch stretch[CURVE_MOST];
    int found = 0;
    read_curve(&curve, points, count);
    fit(&curve);
    divide(stretch, &found, &curve, 0, curve.count);
    found = add_last(stretch, merge(stretch, found, &curve), &curve);
    for (int s = 1; s < found; s++) assert(stretch[s - 1].last < stretch[s].first);
    if (found > LEVELS_MOST) found = LEVELS_MOST;
    for (int p = 0; p < found; p++) {
        out[p] = (struct plateau){
            .first_bytes = curve.bytes[stretch[p].first],
            .last_bytes = curve.bytes[stretch[p].last],
            .holds_bytes = p + 1 < found ? border(&curve, stretch[p], stretch[p + 1]) : 0,
            .rate = exp(rate_of(&curve, stretch[p]))};
    }
    return found;
}

/* Matching with caches. */

/** Returns the distance between the logarithms of a plateau's capacity and a thread's share of a
 * cache; infinite if the plateau is too large for the cache. */
static double distance(const struct plateau *plateau, const struct tcplan_machine *machine,
                       int cache, int threads) {
    const double share = (double)cache_share_bytes(machine, cache, threads),
                 holds = (double)plateau->holds_bytes;
    return share > 0 && holds <= MOST_OF_REPORTED * share ? fabs(log(holds / share)) : INFINITY;
}

/** Returns the smallest sum of distances between the plateaus from `p` on and the caches from `c`
 * on; `cache` receives the cache of each plateau, -1: none. */
static double match(int cache[], const struct plateau plateau[], int p, int count,
                    const struct tcplan_machine *machine, int c, int threads) {
    if (p == count) return 0;
    int rest[LEVELS_MOST];
    double best = log(UNREPORTED_FACTOR) + match(rest, plateau, p + 1, count, machine, c, threads);
    cache[p] = -1;
    for (int r = p + 1; r < count; r++) cache[r] = rest[r];
    for (int other = c; other < machine->cache_count; other++) {
        const double sum = distance(&plateau[p], machine, other, threads) +
                           match(rest, plateau, p + 1, count, machine, other + 1, threads);
        if (sum >= best) continue;
        best = sum;
        cache[p] = other;
        for (int r = p + 1; r < count; r++) cache[r] = rest[r];
    }
    return best;
}

void levels_match(int cache[LEVELS_MOST], const struct plateau plateau[], int count,
                  const struct tcplan_machine *machine, int threads) {
    if (count == 0) return;
    match(cache, plateau, 0, count - 1, machine, 0, threads);
    cache[count - 1] = machine->cache_count;
}

int64_t levels_next_size(int64_t bytes, double growth, int64_t unit) {
    const int64_t grown = (int64_t)(growth * (double)bytes) / unit * unit;
    assert(growth > 1 && unit > 0); /* otherwise a sweep would never end */
    return grown > bytes ? grown : bytes / unit * unit + unit;
}
