#include "roofline/ceilings/levels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "cachesim/cache_share.h"

/** Rates of one plateau differ by noise and a slow drift. */
#define PLATEAU_RATIO 1.15

/** From its first to its last set. Steps are coarse: a little less than two. */
#define PLATEAU_LENGTH 1.9

/** Rates of one level differ by a few per cent from series to series; a step smaller than this is
 * noise. */
#define LEAST_RATIO 1.25

/** A cache holds at most its reported size, plus possibly that of nearer caches. */
#define MOST_OF_REPORTED 1.5

/** The penalty, as a factor, for a plateau without a reported cache. */
#define UNREPORTED_FACTOR 64

/** So many sets of the memory in a row are no accident. */
enum { LAST_SETS = 3 };

enum { CURVE_MOST = 256 };

/** Sizes and rates as logarithms. */
struct curve {
    int count;
    double size[CURVE_MOST], rate[CURVE_MOST];
    double fitted[CURVE_MOST]; /* falling */
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

/** The falling steps with the smallest sum of distances from the rates: neighbours that rise are
 * pooled at their median. */
static void fit(struct curve *curve) {
    int end[CURVE_MOST], blocks = 0; /* exclusive end of each block */
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
        assert(b == 0 || value[b - 1] >= value[b]); /* the fit falls */
    }
}

/** The longest stretch between two places whose rates are about the same. */
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

/** The plateaus between two places, in order: the longest one, and those on either side of it. */
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

/** Makes one of neighbours that are hardly different. */
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

/** The largest sets belong to memory, even if its plateau is short: a large cache may be lost so
 * slowly that all but the last sets are on the way. */
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

/** The last set that is loaded faster than half of the way to the next level. */
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

/* Whose they are. */

/** How far a plateau's size is from a cache's share of a thread; infinite if it cannot be that
 * cache. */
static double distance(const struct plateau *plateau, const struct tcplan_machine *machine,
                       int cache, int threads) {
    const double share = (double)cache_share_bytes(machine, cache, threads),
                 holds = (double)plateau->holds_bytes;
    return share > 0 && holds <= MOST_OF_REPORTED * share ? fabs(log(holds / share)) : INFINITY;
}

/** The least sum of distances of the plateaus from `p` on, with the caches from `c` on; their
 * caches are left in `cache`. */
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
    assert(growth > 1 && unit > 0); /* or sweeps would not end */
    return grown > bytes ? grown : bytes / unit * unit + unit;
}
